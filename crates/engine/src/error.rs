//! What can go wrong: a setup that makes no world, and a run that left the realm of physics.

use std::fmt;

use thiserror::Error;

/// Names in a sentence.
fn listed(names: &[String]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.join(""),
    }
}

/// Which joints contradict each other, in words.
fn contradict(joints: &[String]) -> String {
    match joints {
        [one] => format!("{one} contradicts itself: no motion satisfies it"),
        _ => format!("{} contradict each other: no motion satisfies all of them", listed(joints)),
    }
}

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
    /// A wall that would fall: it has no mass.
    #[error("body {body} is a {kind}: loads do not move it, so its motion is fixed, prescribed, a belt or a servo")]
    FreeWall {
        /// Its shape.
        kind: &'static str,
        /// Its id.
        body: u32,
    },
    /// A wall with a mass, which loads move, under a method that does not implement it.
    #[error(
        "body {body} is a {kind} that loads move: the method does not implement this yet, so its motion is fixed, \
         prescribed, a belt or a servo"
    )]
    CarriedWall {
        /// Its shape.
        kind: &'static str,
        /// Its id.
        body: u32,
    },
    /// One rotation is locked of a body whose moments of inertia differ.
    #[error(
        "body {body} locks one rotation and has unequal moments of inertia: lock two or all three, or give it equal moments"
    )]
    LockedTumbling {
        /// Its id.
        body: u32,
    },
    /// Two bodies that may meet, of shapes whose contact is not built.
    #[error(
        "body {a} ({first}) and body {b} ({second}) may meet, which is not built: ellipsoids touch planes, spheres, \
         ellipsoids and boxes; boxes touch planes, spheres and ellipsoids, and boxes under kind = \"nonsmooth\"; cylinders touch planes and spheres"
    )]
    NotBuilt {
        /// Lower id.
        a: u32,
        /// Higher id.
        b: u32,
        /// Shape of the first.
        first: &'static str,
        /// Shape of the second.
        second: &'static str,
    },
    /// An ellipsoid or a box under a law whose rates are those of spheres.
    #[error(
        "body {a} and body {b} may meet, one of them ({kind}) not a sphere, under `tracked` with kinematics = \"rates\", which knows \
         spheres and walls only: write kinematics = \"points\""
    )]
    NeedsPoints {
        /// Lower id.
        a: u32,
        /// Higher id.
        b: u32,
        /// The shape.
        kind: &'static str,
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
    /// A cell that cannot be, or not with these bodies.
    #[error("the cell: {0}")]
    BadCell(String),
    /// A joint that cannot be.
    #[error("{joint}: {what}")]
    BadJoint {
        /// Its number, from 0.
        number: usize,
        /// Its name or number.
        joint: String,
        /// What is wrong with it.
        what: String,
    },
    /// Joints that no velocities satisfy.
    #[error("{}", contradict(joints))]
    Contradiction {
        /// The number of the last of them.
        last: usize,
        /// Their names or numbers.
        joints: Vec<String>,
    },
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
    /// What a method does not implement.
    #[error("the {method} method does not implement {what} yet")]
    NotImplemented {
        /// Of which body, by its id; `None`: of the scene.
        body: Option<u32>,
        /// Its name in scene files.
        method: &'static str,
        /// What.
        what: &'static str,
    },
    /// Laws of a kind that the method does not take.
    #[error("the laws between {first:?} and {second:?} are not of the kind that this method runs")]
    UnfitLaws {
        /// One material.
        first: String,
        /// The other.
        second: String,
    },
}

/// Why two bodies most likely are too deep in each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DeepBy {
    /// The step is above the critical one of such contacts at this overlap.
    Step {
        /// s.
        step: f64,
        /// s.
        critical: f64,
    },
    /// They cross more than half the smaller radius in one step.
    Speed {
        /// Of one relative to the other (m/s).
        speed: f64,
        /// s.
        step: f64,
    },
    /// Their spring does not stop them in time.
    Collision {
        /// How fast they still approach (m/s).
        approach: f64,
    },
    /// They are pressed together, and hardly move.
    Load,
    /// The impulses between rigid bodies were not found, or one is faster than four radii a step.
    Unsolved {
        /// Steps so far that did not reach the tolerance.
        steps: u64,
    },
}

impl fmt::Display for DeepBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeepBy::Step { step, critical } => write!(
                f,
                "The likely cause is the step: {step:.3e} s is above {critical:.3e} s, the critical step of several such \
                 contacts at this overlap. Take a smaller one, or step = \"auto\""
            ),
            DeepBy::Speed { speed, step } => write!(
                f,
                "The likely cause is their speed: they meet at {speed:.3e} m/s, which is more than half that radius in \
                 a step of {step:.3e} s. Slow down what drives them, or take a smaller step"
            ),
            DeepBy::Collision { approach } => write!(
                f,
                "The likely cause is a collision too fast for the stiffness: they still approach at {approach:.3e} m/s. Make the \
                 normal stiffness larger, or the bodies slower"
            ),
            DeepBy::Unsolved { steps: 0 } => write!(
                f,
                "The likely cause is their speed: a body that moves by several radii in a step passes others. Take a smaller step"
            ),
            DeepBy::Unsolved { steps } => write!(
                f,
                "The likely cause are the {steps} steps that were not solved to the tolerance. Raise `max_iterations`, or take a \
                 smaller step"
            ),
            DeepBy::Load => write!(
                f,
                "The likely cause is a load too large for the stiffness: they are pressed together and hardly move. Make the \
                 normal stiffness larger, or what presses them (a wall, a servo, a weight) weaker"
            ),
        }
    }
}

/// A run that went wrong. The state is kept as it was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// A position, an orientation or a velocity is not a finite number.
    NotFinite {
        /// Its id.
        body: u32,
        /// Which of them.
        what: &'static str,
        /// When it was found (s).
        time: f64,
        /// After which step.
        step: u64,
    },
    /// A sphere touches a tube, a cone or the rim of a hole all around.
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
    Overlap {
        /// Lower id.
        a: u32,
        /// Higher id.
        b: u32,
        /// How deep (m).
        overlap: f64,
        /// The smaller radius (m).
        radius: f64,
        /// Why, most likely.
        by: DeepBy,
        /// When (s).
        time: f64,
        /// Which step.
        step: u64,
    },
    /// Joints that no velocities satisfy any more.
    Contradiction {
        /// Their names or numbers.
        joints: Vec<String>,
        /// The contacts that have a part in it, by ids of their bodies.
        contacts: Vec<[u32; 2]>,
        /// When (s).
        time: f64,
        /// Which step.
        step: u64,
    },
    /// The cell has become so thin that a body could touch two images of another.
    CellTooSmall {
        /// Least distance between opposite faces (m).
        height: f64,
        /// What it must exceed (m).
        least: f64,
        /// When (s).
        time: f64,
        /// After which step.
        step: u64,
    },
    /// A stream that found no free place for long.
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
        /// Spheres that reach into its box.
        spheres: usize,
        /// The lowest id of them.
        first: Option<u32>,
        /// When (s).
        time: f64,
        /// Which step.
        step: u64,
    },
}

impl Trouble {
    /// In words: what, when, the likely cause and the remedy. `name` is what bodies are called, by id.
    pub fn in_words(&self, name: impl Fn(u32) -> String) -> String {
        match self {
            Trouble::NotFinite { body, what, time, step } => format!(
                "the {what} of {} is no longer finite, found at time {time:.6e} s (step {step}). Most often the step is too large: \
                 try half of it, or step = \"auto\"; else a stiffness, a load or a speed is out of all proportion: check the \
                 units",
                name(*body)
            ),
            Trouble::Wrapped { a, b, time, step } => format!(
                "{} and {} touch all around at time {time:.6e} s (step {step}): a grain is wedged in a tube, a cone or a hole that \
                 is too narrow for it, and has one contact with a wall, not many. Make the opening wider than the grain, or \
                 build it of rectangles",
                name(*a),
                name(*b)
            ),
            Trouble::Overlap { a, b, overlap, radius, by, time, step } => format!(
                "{} and {} overlap by {overlap:.3e} m, more than half the smaller radius of {radius:.3e} m, at time {time:.6e} s \
                 (step {step}). {by}",
                name(*a),
                name(*b)
            ),
            Trouble::Contradiction { joints, contacts, time, step } => {
                let pairs: Vec<String> =
                    contacts.iter().map(|pair| format!("{} on {}", name(pair[0]), name(pair[1]))).collect();
                let with =
                    if pairs.is_empty() { String::new() } else { format!(", with contacts of {}", listed(&pairs)) };
                format!(
                    "{}{with}, at time {time:.6e} s (step {step}). Give a drive a limit (max_force, max_torque), take one \
                     of the joints away, or stop before a position that they cannot reach",
                    contradict(joints)
                )
            }
            Trouble::CellTooSmall { height, least, time, step } => format!(
                "the cell is too thin at time {time:.6e} s (step {step}): two of its faces are {height:.3e} m apart and must be more \
                 than {least:.3e} m, twice the largest distance of a pair, so that no body touches two images of another. Use more \
                 or smaller bodies, strain it less, or check the pressure against the stiffness"
            ),
            Trouble::Blocked { number, material, looks, entered, count, spheres, first, time, step } => {
                let others = spheres.saturating_sub(1);
                let cause = match first.map(&name) {
                    Some(first) if others > 0 => format!("{first} and {others} more stand in its box or reach into it"),
                    Some(first) => format!("{first} stands in its box or reaches into it"),
                    None => "no sphere is near its box, so walls leave no place there".into(),
                };
                format!(
                    "[[stream]] number {number} (material {material:?}) has found no free place in {looks} looks in a row, up \
                     to time {time:.6e} s (step {step}): {entered} of its {count} bodies have entered. The likely cause: {cause}. \
                     Lower its rate or its count, give it a larger box (from, to) or a larger velocity, or move it away from \
                     walls and bodies"
                )
            }
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(|body| format!("body {body}")))
    }
}

impl std::error::Error for Trouble {}

/// Why a saved state does not go with a setup.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RestoreError {
    /// The setup makes no world.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The saved state is of another world.
    #[error("the saved state is of another scene: {0}")]
    Differs(String),
    /// The saved state contradicts itself.
    #[error("the saved state is broken: {0}")]
    Broken(String),
}
