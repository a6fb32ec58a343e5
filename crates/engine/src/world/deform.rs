//! The cell in a step: its flow, its own motion under a barostat, and bodies put back into it (THEORY.md section 7).
//!
//! The gradient L of the flow is constant in a step. A strain prescribes it. Under stress control it is a variable of its own
//! with the inertia W and the acceleration
//!
//! W L' = V (P - target) + (sum m v^2/N_f) 1,   N_f = 3 N                                                      (7.5)
//!
//! after Parrinello and Rahman with Martyna's form (Shinoda, Shiga and Mikami 2004), symmetric, so that the cell does not
//! turn; velocities are braked by tr(L)/N_f as well. A target that is no pressure is held as the stress of the cell as it is
//! (the reference cell is reset in every step). The order in a step is L, v, x, v, L: half a kick of L with the stress at
//! the start, the bodies' step with that L, half a kick with the stress at the end. It is its own reverse, hence of second
//! order, and keeps kinetic + stored + P V + W L:L/2 (eq. 7.7) for elastic grains under a pressure.
//!
//! Does not do: a flow with symplectic Euler, walls or driven bodies in a cell that changes its shape.

use glam::{DMat3, DVec3, I64Vec3, IVec3};

use super::World;
use super::packing::trace;
use crate::cell::{CellInertia, CellState, Control, Frame, symmetric};
use crate::contact::PairFlow;
use crate::error::Trouble;
use crate::explicit::flow::{self, Flow};
use crate::neighbour::Image;

impl World {
    /// Whether the stress at the end of a step decides how the next one begins.
    pub(super) fn stress_controlled(&self) -> bool {
        let control = self.model.cell.map(|cell| cell.control);
        matches!(control, Some(Control::Pressure { .. } | Control::MeanStress { .. }))
    }

    /// Whether the cell may change its shape.
    pub(super) fn flows(&self) -> bool {
        self.model.cell.is_some_and(|cell| cell.control != Control::Fixed)
    }

    /// Inertia of the cell (kg m^2).
    fn inertia_of(&self, inertia: &CellInertia) -> f64 {
        (self.state.bodies.spheres as f64 + 1.0) * inertia.energy * inertia.damping_time * inertia.damping_time
    }

    /// Degrees of freedom of the bodies' places.
    fn freedoms(&self) -> f64 {
        3.0 * (self.state.bodies.spheres as f64).max(1.0)
    }

    /// 1/s by which a barostat brakes velocities when the cell grows.
    fn friction(&self, gradient: DMat3) -> f64 {
        if self.stress_controlled() { trace(gradient) / self.freedoms() } else { 0.0 }
    }

    /// Half a kick of the gradient begins a step; the flow of the step follows.
    pub(super) fn begin_flow(&mut self) {
        if !self.flows() {
            return;
        }
        let half = 0.5 * self.model.dt;
        if let Some(cell) = &mut self.state.cell {
            cell.gradient += cell.gradient_rate * half;
        }
        self.flow = self.flow_ahead();
    }

    /// The flow of the step that begins where the cell is now.
    pub(super) fn flow_ahead(&self) -> Option<Flow> {
        let cell = self.state.cell.as_ref().filter(|_| self.flows())?;
        let friction = self.friction(cell.gradient);
        Some(Flow::new(cell.centre, cell.gradient, friction, self.model.dt, since_built(cell)))
    }

    /// The cell follows the flow of the step, as the bodies have.
    pub(super) fn move_cell(&mut self) {
        if let (Some(flow), Some(cell)) = (&self.flow, &mut self.state.cell) {
            cell.frame.vectors = flow.carry * cell.frame.vectors;
            cell.frame.corner = flow.drifted(cell.frame.corner, DVec3::ZERO);
            cell.strain += flow.gradient * self.model.dt;
            self.shifts = Image::shifts(Some(&cell.frame));
        }
    }

    /// The flow as contacts see it; with dt = 0 as it is now.
    pub(super) fn pair_flow(&self, dt: f64) -> Option<PairFlow> {
        let cell = self.state.cell.as_ref().filter(|_| self.flows())?;
        // The rate is that of the step's start: what is missing is of second order.
        Some(PairFlow::new(cell.gradient, cell.gradient + cell.gradient_rate * (0.5 * dt), dt))
    }

    /// The stress is known: half a kick of the gradient ends the step. Returns the power that the cell's motion puts in.
    pub(super) fn end_flow(&mut self, kinetic: [f64; 6], dt: f64) -> f64 {
        self.note_virial();
        let Some(virial) = self.state.cell.as_ref().filter(|_| self.flows()).map(|cell| cell.virial) else {
            return 0.0;
        };
        let rate = self.gradient_rate(kinetic, virial);
        if let Some(cell) = &mut self.state.cell {
            cell.gradient_rate = rate;
            cell.gradient += rate * (0.5 * dt);
        }
        self.flow_power(kinetic)
    }

    /// The cell knows the stress of the latest evaluation.
    pub(super) fn note_virial(&mut self) {
        let virial = symmetric_part(self.virial_sums());
        if let Some(cell) = &mut self.state.cell {
            cell.virial = virial;
        }
    }

    /// The same at the start of a stage, with the loads of the stage before.
    pub(super) fn restart_flow(&mut self) -> f64 {
        let kinetic = self.kinetic_sums();
        let Some(virial) = self.state.cell.as_ref().filter(|_| self.flows()).map(|cell| cell.virial) else {
            return 0.0;
        };
        let rate = self.gradient_rate(kinetic, virial);
        if let Some(cell) = &mut self.state.cell {
            cell.gradient_rate = rate;
        }
        self.flow_power(kinetic)
    }

    /// Sum of m v (x) v, and what the barostat's braking takes of it (W); nothing without a flow.
    pub(super) fn flow_of_bodies(&self) -> ([f64; 6], f64) {
        let Some(cell) = self.state.cell.as_ref().filter(|_| self.flows()) else { return ([0.0; 6], 0.0) };
        let kinetic = self.kinetic_sums();
        (kinetic, self.friction(cell.gradient) * (kinetic[0] + kinetic[1] + kinetic[2]))
    }

    /// Bodies have come and gone since `flow_of_bodies`, and contacts with this force (x) branch with them: the cell knows the
    /// stress that is left, and the trapezoid of its work is ended by what is no more. From what is saved alone, so that a
    /// restart has the same bits.
    pub(super) fn change_flow(&mut self, (before, braked): ([f64; 6], f64), ended: DMat3) {
        let Some(cell) = &mut self.state.cell else { return };
        let gone = symmetric_part(ended);
        (0..6).for_each(|k| cell.virial[k] -= gone[k]);
        let (gradient, virial) = (cell.gradient, cell.virial);
        if !self.flows() {
            return;
        }
        let (after, brakes) = self.flow_of_bodies();
        let stress = symmetric(before) - symmetric(after) + ended;
        let power = -contraction(stress, gradient) - (braked - brakes);
        self.state.sums.end([0.0; 4], power, self.model.dt);
        let rate = self.gradient_rate(after, virial);
        if let Some(cell) = &mut self.state.cell {
            cell.gradient_rate = rate;
        }
    }

    /// Power of the cell's motion on the bodies: -V P:L, and what the barostat's braking takes (THEORY.md eq. 7.9).
    fn flow_power(&self, kinetic: [f64; 6]) -> f64 {
        let Some(cell) = &self.state.cell else { return 0.0 };
        // A flow that turns does work on contacts whose forces have a moment, so the whole of force (x) branch counts.
        let stress = symmetric(kinetic) + self.virial_sums();
        let braking = self.friction(cell.gradient) * (kinetic[0] + kinetic[1] + kinetic[2]);
        -contraction(stress, cell.gradient) - braking
    }

    /// The acceleration of the gradient (1/s^2).
    fn gradient_rate(&self, kinetic: [f64; 6], virial: [f64; 6]) -> DMat3 {
        let (Some(cell), Some(model)) = (&self.state.cell, &self.model.cell) else { return DMat3::ZERO };
        let volume = cell.frame.volume().abs();
        let stress = symmetric(kinetic) + symmetric(virial);
        let thermal = (kinetic[0] + kinetic[1] + kinetic[2]) / self.freedoms();
        match &model.control {
            Control::Fixed | Control::Strain { .. } => DMat3::ZERO,
            Control::Pressure { target, inertia, triclinic } => {
                let push = stress - *target * volume + DMat3::IDENTITY * thermal;
                let push = if *triclinic { push } else { diagonal(push) };
                push * (1.0 / self.inertia_of(inertia))
            }
            Control::MeanStress { pressure, axis, inertia, .. } => {
                let push = trace(stress) / 3.0 - pressure * volume + thermal;
                let mut rate = DMat3::IDENTITY * (push / self.inertia_of(inertia));
                rate.col_mut(*axis)[*axis] = 0.0;
                rate
            }
        }
    }

    /// Sum of force (x) branch over the contacts of the latest evaluation (J), the force's component in the row.
    fn virial_sums(&self) -> DMat3 {
        let mut sums = [0.0; 9];
        for work in &self.work {
            (0..9).for_each(|k| sums[k] += work.virial[k]);
        }
        DMat3::from_cols_array(&sums).transpose()
    }

    /// Kinetic + stored energy + pressure times volume + kinetic energy of the cell (J): what elastic grains under a
    /// barostat keep, and what falls with friction. `None` when the cell is not under pressure.
    pub fn enthalpy(&self) -> Option<f64> {
        let (cell, control) = (self.state.cell.as_ref()?, self.model.cell?.control);
        let Control::Pressure { target, inertia, .. } = control else { return None };
        let ledger = self.ledger();
        let of_cell = 0.5 * self.inertia_of(&inertia) * contraction(cell.gradient, cell.gradient);
        Some(ledger.kinetic + ledger.stored + trace(target) / 3.0 * cell.frame.volume().abs() + of_cell)
    }

    // ---- neighbours ----

    /// What the flow has made of distances since lists were made, at least (see `flow::least_stretch`); one without a flow.
    pub(super) fn least_stretch(&self) -> f64 {
        let cell = self.state.cell.as_ref().filter(|_| self.flows());
        cell.map_or(1.0, |cell| flow::least_stretch(since_built(cell)))
    }

    /// The largest reach of a pair of spheres (m).
    fn reach(&self) -> f64 {
        2.0 * self.largest_radius
    }

    /// How far a body may move, the flow apart, before lists are stale (m): THEORY.md eq. 7.8.
    pub(super) fn slack(&self) -> f64 {
        if !self.flows() {
            return self.neighbours.slack();
        }
        let reach = self.reach();
        0.5 * (self.least_stretch() * (reach + self.neighbours.skin) - reach)
    }

    /// Whether the cell is large enough: two images of a body must not both be near another.
    pub(super) fn check_cell(&self) -> Result<(), Trouble> {
        self.check_cell_for(0.0)
    }

    /// The same with a sphere of some radius (m) to come.
    pub(super) fn check_cell_for(&self, radius: f64) -> Result<(), Trouble> {
        let Some(frame) = self.upright_cell() else { return Ok(()) };
        // A cell that was pressed through itself has no height.
        let height = if frame.volume() < 0.0 { 0.0 } else { frame.least_height() };
        let least = 2.0 * (2.0 * self.largest_radius.max(radius) + self.neighbours.skin);
        // What is not a number is not larger.
        if height > least {
            return Ok(());
        }
        Err(Trouble::CellTooSmall { height, least, time: self.time(), step: self.state.step })
    }

    /// The cell that `tidy_cell` would take.
    pub(super) fn upright_cell(&self) -> Option<Frame> {
        self.state.cell.map(|cell| cell.frame.reduced().map_or(cell.frame, |reduced| reduced.0))
    }

    /// The image of a place in the cell (m): bodies may have left it a little since neighbour lists were made. The place
    /// itself without a cell.
    pub fn place_in_cell(&self, place: DVec3) -> DVec3 {
        self.state.cell.as_ref().map_or(place, |cell| place + cell.frame.shift(cell.frame.into_cell(place)))
    }

    /// Takes a cell that leans less, where it leans too much, or is nearer, and puts bodies back into it. Neighbour lists must follow.
    pub(super) fn tidy_cell(&mut self) {
        let flows = self.flows();
        let Some(cell) = &mut self.state.cell else { return };
        let bodies = &mut self.state.bodies;
        bodies.images.resize(bodies.movers.len(), IVec3::ZERO);
        if let Some((frame, counts)) = cell.frame.reduced() {
            cell.frame = frame;
            for images in &mut bodies.images {
                let old = *images;
                let times = |axis: usize| (0..3).map(|k| old[k] * counts[k][axis] as i32).sum::<i32>();
                *images = IVec3::new(times(0), times(1), times(2));
            }
        }
        if flows {
            cell.frame.corner += cell.frame.shift(astray(cell));
        }
        let spheres = bodies.spheres;
        for (mover, images) in bodies.movers[..spheres].iter_mut().zip(&mut bodies.images) {
            let times = cell.frame.into_cell(mover.position);
            mover.position += cell.frame.shift(times);
            *images -= times.as_ivec3();
        }
        cell.built = cell.frame.vectors;
        self.shifts = Image::shifts(Some(&cell.frame));
    }

    /// Where the cell was when lists were made.
    pub(super) fn built_frame(&self) -> Option<Frame> {
        self.state.cell.as_ref().map(|cell| {
            let back = cell.built * cell.frame.vectors.inverse();
            let corner = cell.centre + back * (cell.frame.corner - cell.centre);
            Frame { corner, vectors: cell.built, periodic: cell.frame.periodic }
        })
    }

    /// Centre of mass of the spheres that loads move, each where it has come to without being put back into the cell (m).
    pub fn centre_of_mass(&self) -> DVec3 {
        let bodies = &self.state.bodies;
        let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
        for (index, mover) in bodies.movers.iter().enumerate().filter(|(_, mover)| mover.inverse_mass > 0.0) {
            let images = bodies.image_of(index);
            let shift = self.state.cell.as_ref().map_or(DVec3::ZERO, |cell| cell.frame.shift(images.as_i64vec3()));
            let own = 1.0 / mover.inverse_mass;
            sum += (mover.position + shift) * own;
            mass += own;
        }
        if mass > 0.0 { sum / mass } else { DVec3::ZERO }
    }
}

/// What the flow has made of differences of places since lists were made.
fn since_built(cell: &CellState) -> DMat3 {
    cell.frame.vectors * cell.built.inverse()
}

/// By how many vectors the corner has gone astray from the point that stays in place: in a shear it would go on for ever.
fn astray(cell: &CellState) -> I64Vec3 {
    let off = cell.frame.fractions(cell.centre) - 0.5;
    // Not to and fro: within a vector's length it stays.
    I64Vec3::from_array([0, 1, 2].map(|axis| if off[axis].abs() > 1.0 { off[axis].round() as i64 } else { 0 }))
}

/// The symmetric part: xx, yy, zz, xy, xz, yz.
fn symmetric_part(m: DMat3) -> [f64; 6] {
    let mixed = |i: usize, j: usize| 0.5 * (m.col(i)[j] + m.col(j)[i]);
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, mixed(0, 1), mixed(0, 2), mixed(1, 2)]
}

/// Sum over i, j of a_ij b_ij.
fn contraction(a: DMat3, b: DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

pub(super) fn diagonal(m: DMat3) -> DMat3 {
    DMat3::from_diagonal(DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::cell::Cell;
    use crate::law::{Hooke, Limit, Normal, PairLaws, Slide, SlideSlider};
    use crate::model::{Material, Model};
    use crate::shape::Shape;
    use crate::world::Setup;

    /// A block of touching spheres in a cell, all sheared for a while so that every contact remembers something.
    fn sheared() -> World {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.9 }], 0.02);
        let slide = Some(Slide::SpringSlider(SlideSlider::new(1.0, 0.5, Limit::mu(0.3))));
        let laws = PairLaws { slide, ..PairLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.5))) };
        model.laws.set(0, 0, laws);
        let gradient = DMat3::from_cols(DVec3::new(0.0, 0.0, 0.001), DVec3::X * 0.01, DVec3::ZERO);
        let vectors = DMat3::from_diagonal(DVec3::splat(4.0 * 0.98));
        model.cell = Some(Cell { frame: Frame::new(vectors), control: Control::Strain { gradient } });
        let place = |i: u32| DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) * 0.98;
        let bodies = (0..64).map(|i| Body::new(Shape::Sphere { radius: 0.5 }, 0, place(i))).collect();
        let mut world = World::new(Setup { model, bodies }).expect("the setup makes a world");
        world.advance(100).expect("it shears");
        world
    }

    #[test]
    fn a_flip_changes_no_memory() {
        let mut world = sheared();
        let (memory, centre) = (world.remembered(), world.centre_of_mass());
        assert!(memory.len() == 192 && memory.rows().iter().all(|row| row.memory != Default::default()));
        for times in [DVec3::new(1.0, 0.0, 0.0), DVec3::new(-2.0, 0.0, 1.0)] {
            let Some(cell) = &mut world.state.cell else { unreachable!() };
            cell.frame.vectors.y_axis += cell.frame.vectors * times;
            let leaning = cell.frame.vectors;
            // Images count vectors of the lattice as it was named before.
            world.state.bodies.images.fill(IVec3::ZERO);
            let spread = world.centre_of_mass();
            world.rebuild_neighbours();
            assert_ne!(world.state.cell.map(|cell| cell.frame.vectors), Some(leaning));
            assert!(world.remembered() == memory);
            assert!((world.centre_of_mass() - spread).length() < 1e-12);
        }
        assert!((world.centre_of_mass() - centre).length() < 4.0);
    }

    /// A strain beyond any cell: the lattice is exchanged again and again, and heights stay what they are.
    #[test]
    fn a_shear_has_no_limit() {
        let mut world = sheared();
        let height = |world: &World| world.state.cell.map_or(0.0, |cell| cell.frame.least_height());
        let start = height(&world);
        world.advance(20_000).expect("it shears on");
        let cell = world.state.cell.unwrap_or_else(|| unreachable!());
        assert!((cell.strain.y_axis.x - 0.01 * 0.02 * 20_100.0).abs() < 1e-9);
        assert!(height(&world) > 0.85 * start, "{} {start}", height(&world));
        assert!((cell.frame.volume() / (3.92 * 3.92 * 3.92) - 1.0).abs() < 1e-4, "{}", cell.frame.volume());
    }
}
