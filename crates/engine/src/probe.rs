//! One contact driven through prescribed motion, as a tribometer does.
//!
//! The normal stays along z, u along x, w = n x u along y. The two bodies share the relative rotation evenly, so the
//! frame (u, w) is that of an observer who turns with the pair.

use glam::{DQuat, DVec3};

use crate::contact::Mode;
use crate::contact::{Contact, Curvature, Turn};
use crate::law::{Friction, Kinematics, PairMemory, SpringLaws, one};

/// A contact and its programme.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Laws.
    pub laws: SpringLaws,
    /// First body, a sphere.
    pub a: ProbeSide,
    /// Second body.
    pub b: ProbeSide,
    /// What is done, one after the other.
    pub segments: Vec<Segment>,
}

/// A body of the probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbeSide {
    /// A solid sphere.
    Sphere {
        /// m.
        radius: f64,
        /// kg.
        mass: f64,
    },
    /// A plane, infinitely heavy.
    Plane,
}

/// A stretch of motion at constant rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Steps.
    pub steps: u32,
    /// Time they take together (s).
    pub duration: f64,
    /// Overlap at the end (m); linear from the one before.
    pub overlap: f64,
    /// Velocity of a relative to b at the contact point, along u and w (m/s).
    pub slide: [f64; 2],
    /// Rolling velocity along u and w (m/s), as Kuhn (2014) defines it.
    pub roll: [f64; 2],
    /// Angular velocity of a relative to b about the normal (rad/s).
    pub spin: f64,
}

/// Motion so far, and the loads on a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeRow {
    /// s.
    pub time: f64,
    /// m.
    pub overlap: f64,
    /// Distance slid along u and w (m).
    pub slide: [f64; 2],
    /// Distance rolled along u and w (m).
    pub roll: [f64; 2],
    /// Angle of spin (rad).
    pub spin: f64,
    /// Normal force (N).
    pub normal_force: f64,
    /// Sliding friction along u and w (N).
    pub force: [f64; 2],
    /// Couple about u, w and n (N m), without arm x force.
    pub couple: [f64; 3],
    /// Slide, roll, spin.
    pub mode: [Mode; 3],
}

impl Probe {
    /// A row at time 0 and one after each step.
    pub fn run(&self) -> Vec<ProbeRow> {
        let mut row = ProbeRow {
            time: 0.0,
            overlap: 0.0,
            slide: [0.0; 2],
            roll: [0.0; 2],
            spin: 0.0,
            normal_force: 0.0,
            force: [0.0; 2],
            couple: [0.0; 3],
            mode: [Mode::None; 3],
        };
        let mut rows = vec![row];
        let laws = self.laws_by_rates();
        let (mut memory, mut live) = (PairMemory::default(), false);
        let mut time_before = 0.0;
        for segment in &self.segments {
            let before = row;
            for step in 1..=segment.steps {
                // From the segment's start, not step by step, so that nothing drifts.
                let share = f64::from(step) / f64::from(segment.steps);
                let spent = share * segment.duration;
                row.time = time_before + spent;
                row.overlap = before.overlap + share * (segment.overlap - before.overlap);
                row.slide = [0, 1].map(|i| before.slide[i] + spent * segment.slide[i]);
                row.roll = [0, 1].map(|i| before.roll[i] + spent * segment.roll[i]);
                row.spin = before.spin + spent * segment.spin;
                let contact = self.contact(segment, before.overlap, row.overlap);
                live = -row.overlap < laws.normal.reach(contact.radius_eff).limit(live);
                if live {
                    load(&laws, contact, &mut memory, &mut row);
                } else {
                    memory = PairMemory::default();
                    (row.normal_force, row.force, row.couple, row.mode) = (0.0, [0.0; 2], [0.0; 3], [Mode::None; 3]);
                }
                rows.push(row);
            }
            time_before += segment.duration;
        }
        rows
    }

    /// The laws, with rates in place of tracked points: the two agree, and the observer who turns with the pair sees no points move.
    fn laws_by_rates(&self) -> SpringLaws {
        let mut laws = self.laws;
        if let Some(Friction::Tracked(law)) = &mut laws.friction {
            law.kinematics = Kinematics::Rates;
        }
        laws
    }

    /// The contact whose slip, rolling and spin rates are the segment's.
    fn contact(&self, segment: &Segment, overlap_before: f64, overlap: f64) -> Contact {
        let n = DVec3::Z;
        let (radius_a, inverse_mass_a, inverse_inertia_a) = side(self.a);
        let (radius_b, inverse_mass_b, inverse_inertia_b) = side(self.b);
        let flat = self.b == ProbeSide::Plane;
        let reach_b = if flat { -radius_a } else { radius_b };
        let radius_eff = if flat { radius_a } else { radius_a * radius_b / (radius_a + radius_b) };
        // (R_b - R_a)/(2 (R_a + R_b)), one half at a plane: what of the slip is not rolling.
        let unequal = if flat { 0.5 } else { (radius_b - radius_a) / (2.0 * (radius_a + radius_b)) };
        let slide = DVec3::new(segment.slide[0], segment.slide[1], 0.0);
        let roll = DVec3::new(segment.roll[0], segment.roll[1], 0.0);
        let rolling_velocity = -roll - slide * unequal;
        let relative = n.cross(rolling_velocity) / radius_eff + n * segment.spin;
        let lever_a = radius_a - 0.5 * overlap;
        let lever_b = if flat { -lever_a } else { radius_b - 0.5 * overlap };
        let (angular_velocity_a, angular_velocity_b) = (relative * 0.5, relative * -0.5);
        let turning = angular_velocity_a * lever_a + angular_velocity_b * lever_b;
        let approach = (segment.overlap - overlap_before) / segment.duration;
        Contact {
            normal: n,
            normal_before: n,
            normal_mid: n,
            turn: Turn::new(n, n, DVec3::ZERO, 0.0).1,
            overlap,
            separation_rate: -approach,
            velocity: slide + turning.cross(n) - n * approach,
            angular_velocity_a,
            angular_velocity_b,
            lever_a,
            lever_b,
            reach_a: radius_a,
            reach_b,
            radius_eff,
            mass_eff: 1.0 / (inverse_mass_a + inverse_mass_b),
            normal_mass: 1.0 / (inverse_mass_a + inverse_mass_b),
            inverse_mass_a,
            inverse_mass_b,
            inverse_inertia_a,
            inverse_inertia_b,
            normal_force: 0.0,
            normal_load: 0.0,
            patch: 0.0,
            dt: segment.duration / f64::from(segment.steps),
            point_a: n * -lever_a,
            point_b: if flat { DVec3::ZERO } else { n * lever_b },
            orientation_a: DQuat::IDENTITY,
            orientation_b: DQuat::IDENTITY,
            curvature_a: Curvature::round(1.0 / radius_a),
            curvature_b: Curvature::round(if flat { 0.0 } else { 1.0 / radius_b }),
        }
    }
}

/// The loads on a.
fn load(laws: &SpringLaws, mut contact: Contact, memory: &mut PairMemory, row: &mut ProbeRow) {
    let (push, friction) = one::evaluate(laws, &mut contact, memory);
    row.normal_force = push;
    row.force = [friction.force.x, friction.force.y];
    row.couple = [friction.roll_a.x, friction.roll_a.y, friction.roll_a.z + friction.spin];
    row.mode = one::modes(laws, memory);
}

/// Radius, 1/m and 1/I.
fn side(side: ProbeSide) -> (f64, f64, f64) {
    match side {
        ProbeSide::Sphere { radius, mass } => (radius, 1.0 / mass, 1.0 / (0.4 * mass * radius * radius)),
        ProbeSide::Plane => (0.0, 0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Hooke, Limit, Normal, Roll, RollSlider, Slide, SlideSlider, Spin, SpinSlider};

    fn laws() -> SpringLaws {
        SpringLaws {
            normal: Normal::Hooke(Hooke::new(1e4, 0.0)),
            slide: Some(Slide::SpringSlider(SlideSlider::new(8e3, 0.0, Limit::mu(0.5)))),
            roll: Some(Roll::SpringSlider(RollSlider::new(2e3, 0.0, Limit::mu(0.1)))),
            spin: Some(Spin::SpringSlider(SpinSlider::new(1e-3, 0.0, Limit::length(1e-4)))),
            friction: None,
        }
    }

    fn probe(b: ProbeSide, segment: Segment) -> Vec<ProbeRow> {
        let press = Segment { steps: 10, duration: 1.0, overlap: 1e-4, slide: [0.0; 2], roll: [0.0; 2], spin: 0.0 };
        let a = ProbeSide::Sphere { radius: 0.01, mass: 0.01 };
        Probe { laws: laws(), a, b, segments: vec![press, segment] }.run()
    }

    /// Springs load in proportion to the motion, then slide at their limits: mu N, mu R_eff N and length N.
    #[test]
    fn a_straight_pull_is_a_spring_then_a_limit() {
        for b in [ProbeSide::Sphere { radius: 0.03, mass: 0.2 }, ProbeSide::Plane] {
            let motion =
                Segment { steps: 400, duration: 1.0, overlap: 1e-4, slide: [2e-4, 0.0], roll: [0.0; 2], spin: 0.3 };
            let rows = probe(b, motion);
            assert_eq!(rows.len(), 411);
            let last = rows[410];
            let early = rows[20];
            assert!((early.normal_force - 1.0).abs() < 1e-12);
            assert!((early.force[0] + 8e3 * early.slide[0]).abs() < 1e-12, "{early:?}");
            assert!((early.couple[2] + 1e-3 * early.spin).abs() < 1e-15);
            assert!((last.force[0] + 0.5).abs() < 1e-12 && last.force[1] == 0.0);
            assert!((last.couple[2] + 1e-4).abs() < 1e-15);
            assert_eq!((last.mode[0], last.mode[2]), (Mode::Slip, Mode::Slip));
        }
    }

    /// Pure rolling of equal spheres: no slip, a couple against it, M = R_eff n x f with f = k roll.
    #[test]
    fn pure_rolling_of_equal_spheres_loads_the_rolling_spring_alone() {
        let b = ProbeSide::Sphere { radius: 0.01, mass: 0.01 };
        let motion =
            Segment { steps: 100, duration: 1.0, overlap: 1e-4, slide: [0.0; 2], roll: [1e-5, 0.0], spin: 0.0 };
        let last = probe(b, motion)[110];
        assert!(last.force[0].abs() < 1e-18);
        // R_eff (w_a - w_b) x n = -roll, so x = -roll u, f = +k roll u, M = R_eff n x f along +w.
        assert!((last.couple[1] - 0.005 * 2e3 * 1e-5).abs() < 1e-15, "{last:?}");
        assert_eq!(last.couple[0], 0.0);
    }
}
