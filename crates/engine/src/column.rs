//! What a checkpoint holds of each body: one list of columns, which saving and restoring read. A new quantity is one entry here.
//!
//! Numbers go through `f64`, which holds every kind of a column exactly. Does not do: contacts (`contact::Remembered`), what is
//! there once for a run (`world::Saved`), files.

use glam::{DQuat, DVec3};

use crate::error::RestoreError;
use crate::model::Model;
use crate::state::State;

/// How a file has the numbers of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned, 4 bytes.
    U32,
    /// Signed, 4 bytes.
    I32,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl Kind {
    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        if self == Kind::F64 { 8 } else { 4 }
    }
}

/// The most numbers that a column has of a body.
pub const MOST_WIDTH: usize = 6;

/// Which bodies have a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// All.
    Bodies,
    /// Walls, counted from the first of them.
    Walls,
}

/// One quantity of every body that a checkpoint holds.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name in files.
    pub name: &'static str,
    /// Of which bodies.
    pub of: Of,
    /// How many numbers of a body; at most `MOST_WIDTH`.
    pub width: usize,
    /// How a file has them.
    pub kind: Kind,
    /// Whether every state has it.
    pub always: bool,
    /// Which states have it.
    pub when: fn(&Model, &State) -> bool,
    /// The numbers of the body with this index.
    pub get: fn(&State, usize, &mut [f64]),
    /// Puts them back, or compares them with what is fixed by the setup.
    pub set: fn(&mut State, usize, &[f64]) -> Result<(), RestoreError>,
}

/// Every column, in the order of files. The first says which body stands where, and is settled before any is set.
pub const COLUMNS: [Column; 14] = [
    Column { get: |s, i, out| out[0] = f64::from(s.bodies.movers[i].id), ..Column::of(ID, 1, Kind::U32) },
    Column {
        get: |s, i, out| out[0] = s.bodies.movers[i].radius,
        set: |s, i, row| same(s, i, s.bodies.movers[i].radius, row[0]),
        ..Column::of("bodies.radius", 1, Kind::F64)
    },
    Column {
        get: |s, i, out| out[0] = s.bodies.movers[i].inverse_mass,
        set: |s, i, row| same(s, i, s.bodies.movers[i].inverse_mass, row[0]),
        ..Column::of("bodies.inverse_mass", 1, Kind::F64)
    },
    Column {
        get: |s, i, out| out[0] = s.bodies.movers[i].inverse_inertia,
        set: |s, i, row| same(s, i, s.bodies.movers[i].inverse_inertia, row[0]),
        ..Column::of("bodies.inverse_inertia", 1, Kind::F64)
    },
    Column {
        get: |s, i, out| out.copy_from_slice(&s.bodies.movers[i].position.to_array()),
        set: |s, i, row| put(&mut s.bodies.movers[i].position, DVec3::from_slice(row)),
        ..Column::of("bodies.position", 3, Kind::F64)
    },
    Column {
        get: |s, i, out| {
            let q = s.bodies.orientation(i);
            out.copy_from_slice(&[q.w, q.x, q.y, q.z]);
        },
        set: |s, i, row| put(&mut s.bodies.orientations[i], quaternion(row)),
        ..Column::of("bodies.orientation", 4, Kind::F64)
    },
    Column {
        get: |s, i, out| out.copy_from_slice(&s.bodies.movers[i].velocity.to_array()),
        set: |s, i, row| put(&mut s.bodies.movers[i].velocity, DVec3::from_slice(row)),
        ..Column::of("bodies.velocity", 3, Kind::F64)
    },
    Column {
        get: |s, i, out| out.copy_from_slice(&s.bodies.movers[i].angular_velocity.to_array()),
        set: |s, i, row| put(&mut s.bodies.movers[i].angular_velocity, DVec3::from_slice(row)),
        ..Column::of("bodies.angular_velocity", 3, Kind::F64)
    },
    Column {
        get: |s, i, out| {
            let mover = &s.bodies.movers[i];
            let ahead = mover.velocity_ahead.iter().chain(&mover.angular_velocity_ahead);
            out.iter_mut().zip(ahead).for_each(|(out, &ahead)| *out = f64::from(ahead));
        },
        set: |s, i, row| {
            let mover = &mut s.bodies.movers[i];
            mover.velocity_ahead = [row[0] as f32, row[1] as f32, row[2] as f32];
            mover.angular_velocity_ahead = [row[3] as f32, row[4] as f32, row[5] as f32];
            Ok(())
        },
        ..Column::of_listed("bodies.ahead", 6, Kind::F32)
    },
    Column {
        get: |s, i, out| out.copy_from_slice(&s.bodies.loads[i].force.to_array()),
        set: |s, i, row| put(&mut s.bodies.loads[i].force, DVec3::from_slice(row)),
        ..Column::of("bodies.force", 3, Kind::F64)
    },
    Column {
        get: |s, i, out| out.copy_from_slice(&s.bodies.loads[i].torque.to_array()),
        set: |s, i, row| put(&mut s.bodies.loads[i].torque, DVec3::from_slice(row)),
        ..Column::of("bodies.torque", 3, Kind::F64)
    },
    Column {
        get: |s, i, out| out.copy_from_slice(&s.bodies.built_at[i].to_array()),
        set: |s, i, row| put(&mut s.bodies.built_at[i], DVec3::from_slice(row)),
        ..Column::of_listed("bodies.built_at", 3, Kind::F64)
    },
    // Of the walls, which stand last.
    Column {
        of: Of::Walls,
        get: |s, i, out| {
            let q = s.bodies.walls_built_at[i];
            out.copy_from_slice(&[q.w, q.x, q.y, q.z]);
        },
        set: |s, i, row| put(&mut s.bodies.walls_built_at[i], quaternion(row)),
        ..Column::of_listed("walls.built_orientation", 4, Kind::F64)
    },
    Column {
        always: false,
        when: |_, s| s.cell.is_some(),
        get: |s, i, out| out.copy_from_slice(&s.bodies.image_of(i).as_dvec3().to_array()),
        set: |s, i, row| put(&mut s.bodies.images[i], DVec3::from_slice(row).as_ivec3()),
        ..Column::of(IMAGES, 3, Kind::I32)
    },
];

/// The column of ids.
const ID: &str = "bodies.id";
/// A column that only states with a cell have.
pub const IMAGES: &str = "bodies.images";

impl Column {
    /// Of the bodies of a method with neighbour lists, which moves them by half steps.
    const fn of_listed(name: &'static str, width: usize, kind: Kind) -> Self {
        Column { always: false, when: |_, s| s.contacts.are_listed(), ..Column::of(name, width, kind) }
    }

    /// Of every body, in every state.
    const fn of(name: &'static str, width: usize, kind: Kind) -> Self {
        let when: fn(&Model, &State) -> bool = |_, _| true;
        Column { name, of: Of::Bodies, width, kind, always: true, when, get: |_, _, _| (), set: |_, _, _| Ok(()) }
    }
}

fn quaternion(row: &[f64]) -> DQuat {
    DQuat::from_xyzw(row[1], row[2], row[3], row[0])
}

fn put<T>(place: &mut T, value: T) -> Result<(), RestoreError> {
    *place = value;
    Ok(())
}

/// What the setup fixes must be as it was saved.
fn same(state: &State, index: usize, own: f64, saved: f64) -> Result<(), RestoreError> {
    if own.to_bits() == saved.to_bits() {
        return Ok(());
    }
    let id = state.bodies.movers[index].id;
    Err(RestoreError::Differs(format!("body {id} has another radius, mass or inertia")))
}

/// The columns of all bodies outside a world, each with its numbers body after body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    bodies: usize,
    filled: Vec<(&'static str, Vec<f64>)>,
}

/// Where a body was and how it moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyState {
    /// Its id.
    pub id: u32,
    /// Centre (m).
    pub position: DVec3,
    /// `world_from_body`.
    pub orientation: DQuat,
    /// Velocity (m/s) at the full step.
    pub velocity: DVec3,
    /// Angular velocity (rad/s), world axes.
    pub angular_velocity: DVec3,
}

impl Columns {
    /// None yet, of so many bodies.
    pub fn new(bodies: usize) -> Self {
        Columns { bodies, filled: Vec::with_capacity(COLUMNS.len()) }
    }

    /// How many bodies.
    pub fn len(&self) -> usize {
        self.bodies
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies == 0
    }

    /// Adds a column.
    pub fn push(&mut self, column: &Column, numbers: Vec<f64>) {
        self.filled.push((column.name, numbers));
    }

    /// Whether there is a column of this name.
    pub fn has(&self, name: &str) -> bool {
        self.filled.iter().any(|filled| filled.0 == name)
    }

    /// How many rows a column has; none if it is not there.
    pub fn rows_of(&self, column: &Column) -> usize {
        self.filled.iter().find(|filled| filled.0 == column.name).map_or(0, |filled| filled.1.len() / column.width)
    }

    /// The numbers of one row of a column, if it is there.
    pub fn row(&self, column: &Column, index: usize) -> Option<&[f64]> {
        let (_, numbers) = self.filled.iter().find(|filled| filled.0 == column.name)?;
        numbers.get(index * column.width..(index + 1) * column.width)
    }

    /// All rows of a column.
    pub fn rows(&self, column: &Column) -> impl Iterator<Item = &[f64]> {
        let filled = self.filled.iter().filter(|filled| filled.0 == column.name);
        filled.flat_map(|filled| filled.1.chunks_exact(column.width))
    }

    /// One row by the column's name, to be changed. Panics where there is no such row.
    pub fn row_mut(&mut self, name: &str, index: usize) -> &mut [f64] {
        let width = COLUMNS.iter().find(|column| column.name == name).map_or(0, |column| column.width);
        let filled = self.filled.iter_mut().find(|filled| filled.0 == name);
        filled.map_or(&mut [], |filled| &mut filled.1[index * width..(index + 1) * width])
    }

    /// Id of the body in a row.
    pub fn id(&self, index: usize) -> u32 {
        self.numbers::<1>(ID, index)[0] as u32
    }

    /// The ids, row by row.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.bodies).map(|index| self.id(index))
    }

    /// A body by its row.
    pub fn body(&self, index: usize) -> BodyState {
        let vector = |name| DVec3::from_array(self.numbers(name, index));
        BodyState {
            id: self.id(index),
            position: vector("bodies.position"),
            orientation: quaternion(&self.numbers::<4>("bodies.orientation", index)),
            velocity: vector("bodies.velocity"),
            angular_velocity: vector("bodies.angular_velocity"),
        }
    }

    /// Keeps the first bodies.
    pub fn truncate(&mut self, bodies: usize) {
        for (name, numbers) in &mut self.filled {
            let Some(column) = COLUMNS.iter().find(|column| column.name == *name) else { continue };
            let before = match column.of {
                Of::Bodies => 0,
                Of::Walls => self.bodies - numbers.len() / column.width,
            };
            numbers.truncate(bodies.saturating_sub(before) * column.width);
        }
        self.bodies = self.bodies.min(bodies);
    }

    /// Zeros where there is no such column.
    fn numbers<const N: usize>(&self, name: &str, index: usize) -> [f64; N] {
        let filled = self.filled.iter().find(|filled| filled.0 == name);
        let row = filled.and_then(|filled| filled.1.get(index * N..(index + 1) * N));
        row.and_then(|row| row.try_into().ok()).unwrap_or([0.0; N])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Body, Motion};
    use crate::model::Material;
    use crate::shape::Shape;
    use crate::world::{Setup, World};

    #[test]
    fn what_a_column_gets_it_sets() {
        let model = Model::new(vec![Material { name: "grain".into(), density: 1.0 }], 1e-3);
        let ball = Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::ZERO);
        let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::Z * -2.0) };
        let laws = crate::law::SpringLaws::frictionless(crate::law::Normal::Hooke(crate::law::Hooke::new(1.0, 0.0)));
        let mut model = model;
        model.laws.set(0, 0, laws);
        let world = World::new(Setup { model, bodies: vec![ball, floor] }).expect("a world");
        let mut state = world.state().clone();
        state.bodies.images = vec![glam::IVec3::ZERO; 2];
        for (at, column) in COLUMNS.iter().enumerate() {
            assert!((1..=MOST_WIDTH).contains(&column.width) && column.name.len() <= 24, "{}", column.name);
            assert!(COLUMNS[..at].iter().all(|other| other.name != column.name), "{} stands twice", column.name);
            let fixed = ["bodies.id", "bodies.radius", "bodies.inverse_mass", "bodies.inverse_inertia"];
            let [mut found, mut put] = [[0.0; MOST_WIDTH]; 2];
            (column.get)(&state, 0, &mut put[..column.width]);
            if !fixed.contains(&column.name) {
                put[..column.width].iter_mut().zip(1..).for_each(|(number, k)| *number = f64::from(k));
            }
            (column.set)(&mut state, 0, &put[..column.width]).expect("it is its own");
            (column.get)(&state, 0, &mut found[..column.width]);
            assert_eq!(found, put, "{}", column.name);
        }
        assert!((COLUMNS[1].set)(&mut state, 0, &[0.25]).is_err(), "a radius is the setup's");
    }
}
