//! The cell: a parallelepiped that repeats in space, in all directions or in some, and may change its size and shape.
//!
//! A point is x = corner + H s with the matrix H of the cell vectors as columns and fractions s. In a periodic direction
//! s and s + 1 are the same place: a body has images at x + H k for whole numbers k. Bodies are kept in the cell when
//! neighbour lists are made; in between they may leave it a little.
//!
//! Between the cell's faces of direction i lies the height V/|h_j x h_k|. Two images of one body must not both be near
//! another: so every height of a periodic direction must exceed twice the reach of a pair. A lattice has many cells; when
//! one vector leans over another by more than half of it, `reduced` takes a cell with less lean, the same lattice.
//!
//! What drives the cell is said by `Control`; `explicit/deform.rs` does it (THEORY.md section 7).

use glam::{DMat3, DVec3, I64Vec3};

use crate::schedule::Signal;

/// What drives the cell. Pressures are positive in compression (Pa); rates are per second.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Control {
    /// Nothing: it keeps its shape.
    #[default]
    Fixed,
    /// A barostat: the cell moves until the stress within equals the target.
    Pressure {
        /// The target: symmetric.
        target: Signal<DMat3>,
        /// Sets the cell's inertia.
        inertia: CellInertia,
        /// Whether angles may change, too; else only lengths along x, y and z.
        triclinic: bool,
    },
    /// A velocity gradient: the affine flow is velocity = gradient (x - centre).
    Strain {
        /// d v_i / d x_j, in row i and column j (1/s).
        gradient: Signal<DMat3>,
    },
    /// A Hencky rate along one axis; the two others move at one rate that keeps the mean stress.
    MeanStress {
        /// The mean stress, a third of the trace.
        pressure: Signal<f64>,
        /// 0, 1 or 2 for x, y or z.
        axis: usize,
        /// Hencky rate along the axis (1/s), negative in compression.
        rate: Signal<f64>,
        /// Sets the inertia of the two others.
        inertia: CellInertia,
    },
}

impl Control {
    /// The same, with time 0 of its schedules at this time of the run (s).
    pub fn starting_at(&self, since: f64) -> Self {
        let mut control = self.clone();
        match &mut control {
            Control::Fixed => {}
            Control::Pressure { target, .. } => *target = target.starting_at(since),
            Control::Strain { gradient } => *gradient = gradient.starting_at(since),
            Control::MeanStress { pressure, rate, .. } => {
                (*pressure, *rate) = (pressure.starting_at(since), rate.starting_at(since));
            }
        }
        control
    }

    /// Whether it follows a schedule.
    pub fn is_scheduled(&self) -> bool {
        match self {
            Control::Fixed => false,
            Control::Pressure { target, .. } => target.schedule().is_some(),
            Control::Strain { gradient } => gradient.schedule().is_some(),
            Control::MeanStress { pressure, rate, .. } => pressure.schedule().is_some() || rate.schedule().is_some(),
        }
    }

    /// The largest component of the velocity gradient that it prescribes (1/s).
    pub fn largest_rate(&self) -> f64 {
        match self {
            Control::Fixed | Control::Pressure { .. } => 0.0,
            Control::Strain { gradient } => {
                let components = gradient.values().iter().flat_map(DMat3::to_cols_array);
                components.fold(0.0, |most, rate| most.max(rate.abs()))
            }
            Control::MeanStress { rate, .. } => rate.largest(),
        }
    }
}

/// The inertia of a cell under stress control is (N + 1) energy damping_time^2 for N spheres (kg m^2): what LAMMPS' `Pdamp`
/// and `ptemp` set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellInertia {
    /// How slowly the cell answers (s).
    pub damping_time: f64,
    /// An energy that is large for a grain (J): the stiffness of a contact times the diameter squared.
    pub energy: f64,
}

/// A cell as a scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Corner and vectors at the start.
    pub frame: Frame,
    /// What drives it.
    pub control: Control,
}

/// Where the cell is, and in which directions it repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The corner that all vectors start from (m).
    pub corner: DVec3,
    /// The cell vectors (m), as columns.
    pub vectors: DMat3,
    /// Whether it repeats along each vector.
    pub periodic: [bool; 3],
}

/// How far one vector may lean over another, as a fraction of it, before another cell of the lattice is taken: more than a
/// half, so that a cell at rest at a half does not change to and fro.
const MOST_LEAN: f64 = 0.501;

impl Frame {
    /// A cell with its corner at the origin, periodic in all directions.
    pub fn new(vectors: DMat3) -> Self {
        Frame { corner: DVec3::ZERO, vectors, periodic: [true; 3] }
    }

    /// Volume (m^3); negative when the vectors are left-handed.
    pub fn volume(&self) -> f64 {
        self.vectors.determinant()
    }

    /// Whether it repeats in every direction.
    pub fn repeats_everywhere(&self) -> bool {
        self.periodic == [true; 3]
    }

    /// Distances between opposite faces (m).
    pub fn heights(&self) -> [f64; 3] {
        let h = self.vectors;
        let across = [h.y_axis.cross(h.z_axis), h.z_axis.cross(h.x_axis), h.x_axis.cross(h.y_axis)];
        across.map(|normal| self.volume().abs() / normal.length())
    }

    /// The least height of the periodic directions (m); infinite when there is none.
    pub fn least_height(&self) -> f64 {
        let heights = self.heights().into_iter().zip(self.periodic);
        heights.filter(|(_, periodic)| *periodic).fold(f64::INFINITY, |least, (height, _)| least.min(height))
    }

    /// Fractions of a point along the vectors.
    pub fn fractions(&self, point: DVec3) -> DVec3 {
        self.vectors.inverse() * (point - self.corner)
    }

    /// How often each vector must be added to a point for it to lie in the cell; zero in directions that do not repeat.
    pub fn into_cell(&self, point: DVec3) -> I64Vec3 {
        let down = self.fractions(point).floor();
        let times = |axis: usize| if self.periodic[axis] { -down[axis] as i64 } else { 0 };
        I64Vec3::new(times(0), times(1), times(2))
    }

    /// So many cell vectors.
    pub fn shift(&self, times: I64Vec3) -> DVec3 {
        self.vectors * times.as_dvec3()
    }

    /// The shortest of a difference of places and its images. Exact when it is shorter than half the least height.
    pub fn nearest(&self, difference: DVec3) -> DVec3 {
        let whole = (self.vectors.inverse() * difference).round();
        let times = |axis: usize| if self.periodic[axis] { -whole[axis] as i64 } else { 0 };
        difference + self.shift(I64Vec3::new(times(0), times(1), times(2)))
    }

    /// The same lattice by vectors that lean over each other by no more than half, and the whole numbers with
    /// old vectors = new vectors * matrix; `None` when they do not lean.
    pub fn reduced(&self) -> Option<(Frame, [I64Vec3; 3])> {
        let mut vectors = [self.vectors.x_axis, self.vectors.y_axis, self.vectors.z_axis];
        // Old vector k = sum over i of counts[k][i] times new vector i.
        let mut counts = [I64Vec3::X, I64Vec3::Y, I64Vec3::Z];
        let mut changed = false;
        // Every change shortens a vector, so this ends; the bound is for vectors that are not finite.
        for _ in 0..100 {
            let Some((i, j, times)) = self.leaning(&vectors) else { break };
            changed = true;
            vectors[i] -= vectors[j] * times as f64;
            // h_i_old = h_i_new + times h_j.
            // Whole numbers that large stand for vectors that no cell can have: `check_cell` refuses it.
            counts.iter_mut().for_each(|count| count[j] = count[j].saturating_add(times.saturating_mul(count[i])));
        }
        let [x_axis, y_axis, z_axis] = vectors;
        let frame = Frame { vectors: DMat3 { x_axis, y_axis, z_axis }, ..*self };
        changed.then_some((frame, counts))
    }

    /// The vector that leans most over another, the other, and by how often its length.
    fn leaning(&self, vectors: &[DVec3; 3]) -> Option<(usize, usize, i64)> {
        let mut most: Option<(f64, usize, usize)> = None;
        for i in 0..3 {
            for j in (0..3).filter(|&j| j != i && self.periodic[i] && self.periodic[j]) {
                let lean = vectors[i].dot(vectors[j]) / vectors[j].length_squared();
                if lean.abs() > most.map_or(MOST_LEAN, |most| most.0.abs()) {
                    most = Some((lean, i, j));
                }
            }
        }
        most.map(|(lean, i, j)| (i, j, lean.round() as i64))
    }
}

/// The cell in a run: what a checkpoint holds of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellState {
    /// Where it is.
    pub frame: Frame,
    /// The point that the affine flow leaves in place (m): the centre of mass at the start.
    pub centre: DVec3,
    /// Velocity gradient of the affine flow (1/s) at the full step: d v_i / d x_j in row i and column j.
    pub gradient: DMat3,
    /// The rate of the gradient (1/s^2) at the last full step.
    pub gradient_rate: DMat3,
    /// The sum of gradient times dt: strain, with the rotation in its antisymmetric part.
    pub strain: DMat3,
    /// The cell vectors when neighbour lists were made (m).
    pub built: DMat3,
    /// Sum over contacts between spheres of the symmetric part of branch (x) force (J) at the last evaluation:
    /// xx, yy, zz, xy, xz, yz. The branch goes from b to a, the force acts on a.
    pub virial: [f64; 6],
}

impl CellState {
    /// Visits every number but the directions in which it repeats, with its name: what a checkpoint holds. Matrices go column by
    /// column.
    pub fn each(&mut self, visit: &mut dyn FnMut(&'static str, &mut [f64])) {
        visit("corner", self.frame.corner.as_mut());
        visit("vectors", self.frame.vectors.as_mut());
        visit("centre", self.centre.as_mut());
        visit("gradient", self.gradient.as_mut());
        visit("gradient_rate", self.gradient_rate.as_mut());
        visit("strain", self.strain.as_mut());
        visit("built", self.built.as_mut());
        visit("virial", &mut self.virial);
    }

    /// Whether all numbers are finite and the volumes positive.
    pub fn is_sound(&self) -> bool {
        let matrices = [self.frame.vectors, self.gradient, self.gradient_rate, self.strain, self.built];
        matrices.iter().all(|m| m.is_finite())
            && self.frame.corner.is_finite()
            && self.centre.is_finite()
            && self.virial.iter().all(|x| x.is_finite())
            && self.frame.volume() > 0.0
            && self.built.determinant() > 0.0
    }

    /// What the flow has made of differences of places since lists were made.
    pub fn since_built(&self) -> DMat3 {
        self.frame.vectors * self.built.inverse()
    }

    /// A cell at step 0.
    pub fn new(cell: &Cell, centre: DVec3) -> Self {
        let gradient = match &cell.control {
            Control::Strain { gradient } => gradient.at_start(),
            Control::MeanStress { axis, rate, .. } => {
                let mut gradient = DMat3::ZERO;
                gradient.col_mut(*axis)[*axis] = rate.at_start();
                gradient
            }
            Control::Fixed | Control::Pressure { .. } => DMat3::ZERO,
        };
        CellState {
            frame: cell.frame,
            centre,
            gradient,
            gradient_rate: DMat3::ZERO,
            strain: DMat3::ZERO,
            built: cell.frame.vectors,
            virial: [0.0; 6],
        }
    }
}

/// Sum of the diagonal.
pub fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// With zeros off the diagonal.
pub fn diagonal(m: DMat3) -> DMat3 {
    DMat3::from_diagonal(DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z))
}

/// A symmetric matrix from xx, yy, zz, xy, xz, yz.
pub fn symmetric([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> DMat3 {
    DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
}
