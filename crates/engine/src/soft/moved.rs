//! How the bodies of a chunk have moved: what detection goes by when it leaves out pairs that cannot have closed.

use glam::DVec3;

use super::lists::Sizes;
use crate::quad::{self, Quad, quad};
use crate::state::Mover;

/// How the bodies of a chunk have moved.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// The farthest since neighbour lists were made (m).
    pub farthest: f64,
    /// Velocities of its spheres in the drift of this step.
    pub velocities: Velocities,
}

/// By how much pairs can have closed, in this step and since lists were made.
#[derive(Clone, Copy)]
pub struct Closing<'a> {
    /// How the bodies of each chunk have moved.
    pub moved: &'a [Moved],
    /// What the flow of a cell may have made of distances since lists were made, at least; one without a flow.
    pub min_stretch: f64,
    /// By which part the flow has shortened distances in this step, at most.
    pub strain: f64,
    /// The lengths that lists are made for.
    pub sizes: Sizes,
    /// The largest coordinate of a sphere (m).
    pub extent: f64,
}

/// The least and the most of the velocities of some spheres along each axis (m/s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocities {
    least: Quad,
    most: Quad,
}

impl Velocities {
    /// Of no sphere.
    pub const NONE: Velocities = Velocities { least: [f64::INFINITY; 4], most: [f64::NEG_INFINITY; 4] };

    /// Of both.
    #[inline(always)]
    pub fn and(&self, other: &Velocities) -> Self {
        Velocities { least: quad::least(self.least, other.least), most: quad::most(self.most, other.most) }
    }

    /// With those of more bodies.
    #[inline(always)]
    pub fn with(self, movers: &[Mover]) -> Self {
        movers.iter().filter(|mover| mover.radius > 0.0).fold(self, |sum, mover| {
            let v = quad(mover.velocity, mover.inverse_mass);
            sum.and(&Velocities { least: v, most: v })
        })
    }

    /// How fast two of these spheres can come closer (m/s): if all move alike, not at all.
    pub fn widest(&self) -> f64 {
        let side = |axis: usize| (self.most[axis] - self.least[axis]).max(0.0);
        DVec3::new(side(0), side(1), side(2)).length()
    }
}
