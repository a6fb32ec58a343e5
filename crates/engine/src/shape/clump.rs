//! A clump: several solids as one rigid body, and the mass properties of their union.
//!
//! Each part counts by its closed form, shifted to the common centre (Steiner), and what is covered more than once is taken off. That
//! is integrated along parallel lines: each convex part covers an interval of a line, in closed form, and where intervals overlap
//! their moments along the line are exact; across, lines stand in a fixed grid of 512 x 512 (midpoint rule). The lines run in a fixed
//! direction that no edge of usual parts shares, so the length is a continuous function of the line and the error is of order 1/512^2:
//! below 1e-4 of mass, centre and moments. Parts that lie apart or against each other cover nothing twice: they are exact.
//!
//! Does not do: parts that are walls or clumps; more than `MOST_PARTS` parts.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::shape::Shape;

mod chords;

/// The largest number of parts: contacts are told apart by them (`contact::Feature`).
pub const MOST_PARTS: usize = 1024;

/// One solid of a clump.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClumpPart {
    /// Its surface: a solid that is no clump.
    pub shape: Shape,
    /// Its centre in the clump's frame (m).
    pub at: DVec3,
    /// `clump_from_part`, a unit quaternion.
    #[serde(default, skip_serializing_if = "is_upright")]
    pub turn: DQuat,
}

fn is_upright(turn: &DQuat) -> bool {
    *turn == DQuat::IDENTITY
}

/// Several solids as one rigid body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<ClumpPart>", into = "Vec<ClumpPart>")]
pub struct Clump {
    parts: Vec<ClumpPart>,
    whole: MassProperties,
}

/// Volume, centre and moments of a body of density one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassProperties {
    /// m^3.
    pub volume: f64,
    /// Centre of mass in the clump's frame (m).
    pub centre: DVec3,
    /// Principal moments of inertia over the mass (m^2).
    pub gyration: DVec3,
    /// `clump_from_principal`: the frame of these.
    pub axes: DQuat,
}

impl From<Vec<ClumpPart>> for Clump {
    fn from(parts: Vec<ClumpPart>) -> Self {
        Clump::new(parts)
    }
}

impl From<Clump> for Vec<ClumpPart> {
    fn from(clump: Clump) -> Self {
        clump.parts
    }
}

impl Clump {
    /// Of these parts.
    pub fn new(parts: Vec<ClumpPart>) -> Self {
        let whole = Moments::of_union(&parts).properties();
        Clump { parts, whole }
    }

    /// The same, as a shape.
    pub fn shape(parts: Vec<ClumpPart>) -> Shape {
        Shape::Clump(Arc::new(Clump::new(parts)))
    }

    /// Its parts.
    pub fn parts(&self) -> &[ClumpPart] {
        &self.parts
    }

    /// Volume, centre of mass and moments of the union of its parts.
    pub fn properties(&self) -> MassProperties {
        self.whole
    }

    /// Radius of the sphere around a point of the clump's frame that holds all parts (m).
    pub fn reach(&self, from: DVec3) -> f64 {
        let reach = |part: &ClumpPart| part.at.distance(from) + part.shape.radius().unwrap_or(0.0);
        self.parts.iter().map(reach).fold(0.0, f64::max)
    }

    /// The same with all lengths multiplied: the clump of the scaled parts, to the bit.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> Clump {
        let part = |part: &ClumpPart| ClumpPart {
            shape: part.shape.clone().map_lengths(|length| length * scale),
            at: part.at * scale,
            turn: part.turn,
        };
        Clump::new(self.parts.iter().map(part).collect())
    }
}

/// Volume (m^3), first moment (m^4) and second moments (m^5) about the origin of the clump's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moments {
    volume: f64,
    first: DVec3,
    /// Integral of x x^T.
    second: DMat3,
}

impl Moments {
    const NONE: Moments = Moments { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    fn add(&mut self, other: &Moments, times: f64) {
        self.volume += other.volume * times;
        self.first += other.first * times;
        self.second += other.second * times;
    }

    /// Those of one part, in closed form.
    fn of_part(part: &ClumpPart) -> Moments {
        let volume = part.shape.volume().unwrap_or(0.0);
        let turn = DMat3::from_quat(part.turn);
        // From moments of inertia to the integrals of squares: x^2 = (I_y + I_z - I_x)/2.
        let (i, along) = (part.shape.gyration(), turn * DMat3::from_quat(part.shape.principal_axes()));
        let squares = DVec3::splat(0.5 * i.element_sum()) - i;
        let central = along * DMat3::from_diagonal(squares) * along.transpose();
        let shift = outer(part.at);
        Moments { volume, first: part.at * volume, second: (central + shift) * volume }
    }

    /// Those of the union of all parts.
    fn of_union(parts: &[ClumpPart]) -> Moments {
        let mut all = Moments::NONE;
        parts.iter().for_each(|part| all.add(&Moments::of_part(part), 1.0));
        let near = |a: &ClumpPart, b: &ClumpPart| {
            let [r, s] = [a, b].map(|part| part.shape.radius().unwrap_or(0.0));
            a.at.distance(b.at) < r + s
        };
        let meets = |i: usize| parts.iter().enumerate().any(|(j, other)| j != i && near(&parts[i], other));
        let joined: Vec<&ClumpPart> = (0..parts.len()).filter(|&i| meets(i)).map(|i| &parts[i]).collect();
        if !joined.is_empty() {
            all.add(&chords::excess(&joined), -1.0);
        }
        all
    }

    fn properties(&self) -> MassProperties {
        let Moments { volume, first, second } = *self;
        let centre = first / volume;
        let spread = second * (1.0 / volume) + outer(centre) * -1.0;
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) + spread * -1.0;
        let (gyration, axes) = principal(inertia);
        MassProperties { volume, centre, gyration, axes }
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Off the diagonal, entries below this share of the largest count as none.
const DIAGONAL: f64 = 1e-13;

/// The eigenvalues of a symmetric matrix and the turn to the frame of its eigenvectors: Jacobi's rotations. A matrix that is diagonal
/// but for rounding stays as it is, so that a body keeps its frame.
pub fn principal(matrix: DMat3) -> (DVec3, DQuat) {
    let mut m = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    let largest = matrix.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for _ in 0..32 {
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let (p, q) = pairs.into_iter().max_by(|a, b| m[a.0][a.1].abs().total_cmp(&m[b.0][b.1].abs())).unwrap_or((0, 1));
        if m[p][q].abs() <= DIAGONAL * largest {
            break;
        }
        let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        for columns in [&mut m, &mut v] {
            let [x, y] = [p, q].map(|k| DVec3::from_array(columns[k]));
            (columns[p], columns[q]) = ((x * c - y * s).to_array(), (x * s + y * c).to_array());
        }
        for column in &mut m {
            let (x, y) = (column[p], column[q]);
            (column[p], column[q]) = (c * x - s * y, s * x + c * y);
        }
        (m[p][q], m[q][p]) = (0.0, 0.0);
    }
    let values = DVec3::new(m[0][0], m[1][1], m[2][2]);
    let mut axes = DMat3::from_cols_array_2d(&v);
    if axes.determinant() < 0.0 {
        axes.z_axis = -axes.z_axis;
    }
    (values, if axes == DMat3::IDENTITY { DQuat::IDENTITY } else { DQuat::from_mat3(&axes).normalize() })
}
