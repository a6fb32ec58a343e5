//! What can go wrong: a setup that makes no world, and a run that left the realm of physics.

use thiserror::Error;

/// A setup that cannot become a world.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BuildError {
    /// A body names a material that is not there.
    #[error("body {body} names material {material}, but there are only {materials}")]
    NoSuchMaterial {
        /// Its id.
        body: u32,
        /// The index it names.
        material: u16,
        /// How many there are.
        materials: usize,
    },
    /// A mass, inertia, radius or coordinate that no body can have.
    #[error("body {body}: {what} is {value}, expected {expected}")]
    Impossible {
        /// Its id.
        body: u32,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A wall that would fall.
    #[error("body {body} is a {kind}: loads do not move it, so its motion is fixed, prescribed, a belt or a servo")]
    FreeWall {
        /// Its shape.
        kind: &'static str,
        /// Its id.
        body: u32,
    },
    /// A rotation is locked of a body whose moments of inertia differ.
    #[error(
        "body {body} locks a rotation and has unequal moments of inertia: lock all three rotations, or give it equal moments"
    )]
    LockedTumbling {
        /// Its id.
        body: u32,
    },
    /// More bodies than ids.
    #[error("{0} bodies are more than the 4 billion that ids can count")]
    TooMany(usize),
    /// A body that was to enter is not a plain free sphere.
    #[error("body {body} cannot enter: only free spheres with equal moments, without locks and constant loads can")]
    NotPlain {
        /// The id it would have had.
        body: u32,
    },
    /// A body that was to enter would overlap another one or a wall.
    #[error("body {body} cannot enter: its place is not free")]
    NotFree {
        /// The id it would have had.
        body: u32,
    },
    /// A stream that brings no bodies.
    #[error("stream {stream}: {what} is {value}, expected {expected}")]
    BadStream {
        /// Which, from 0.
        stream: usize,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// The step is not a positive number.
    #[error("the step is {0} s, expected a positive number")]
    BadStep(f64),
    /// Two bodies touch for whose materials there are no laws.
    #[error(
        "bodies {a} and {b} met, but their materials {first:?} and {second:?} have no laws; add a [[contact]] between them"
    )]
    NoLaws {
        /// Lower id.
        a: u32,
        /// Higher id.
        b: u32,
        /// Material of a.
        first: String,
        /// Material of b.
        second: String,
    },
}

/// A run that went wrong. The state is kept as it was found.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Trouble {
    /// A position or velocity is not a finite number.
    #[error(
        "the position, rotation or velocity of body {body} is no longer finite after time {time:e} s (step {step}). \
         Most often the step is too large: try half of it, or step = \"auto\""
    )]
    NotFinite {
        /// Its id.
        body: u32,
        /// When (s).
        time: f64,
        /// Which step.
        step: u64,
    },
    /// A sphere touches a tube, a cone or the rim of a hole all around.
    #[error(
        "bodies {a} and {b} touch all around at time {time:e} s (step {step}): a grain is wedged in a tube, a cone or a hole \
         that is too narrow for it, and has one contact with a wall, not many. Make the opening wider than the grain, or \
         build it of rectangles"
    )]
    Wrapped {
        /// Lower id.
        a: u32,
        /// Higher id.
        b: u32,
        /// When (s).
        time: f64,
        /// Which step.
        step: u64,
    },
    /// Two bodies overlap by more than half the smaller radius.
    #[error(
        "bodies {a} and {b} overlap by {overlap:e} m, more than half the smaller radius, at time {time:e} s (step {step}). \
         Make the normal stiffness larger or the step smaller; a grain that crosses a wall does this too"
    )]
    Overlap {
        /// Lower id.
        a: u32,
        /// Higher id.
        b: u32,
        /// How deep (m).
        overlap: f64,
        /// When (s).
        time: f64,
        /// Which step.
        step: u64,
    },
    /// A stream that found no free place for long.
    #[error(
        "[[stream]] number {number} (material {material:?}) has found no free place in {looks} looks in a row, up to time \
         {time:e} s (step {step}): {entered} of its {count} bodies have entered. Lower its rate or its count, give it a larger \
         box (from, to) or a larger velocity, or move it away from walls and bodies"
    )]
    Blocked {
        /// Which, from 1.
        number: usize,
        /// Name of its material.
        material: String,
        /// How often in a row.
        looks: u32,
        /// Bodies that have entered.
        entered: u64,
        /// Bodies in all.
        count: u64,
        /// When (s).
        time: f64,
        /// Which step.
        step: u64,
    },
}
