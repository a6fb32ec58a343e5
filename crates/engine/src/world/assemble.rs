//! From bodies as described to a world: checks, packed records, what is special about a few.

use glam::DVec3;

use super::{Phases, Setup, World};
use crate::body::{Body, Motion};
use crate::error::BuildError;
use crate::law::kernel::{MemoryLayout, SLIPS};
use crate::ledger::Sums;
use crate::model::{Model, Special};
use crate::neighbour::Neighbours;
use crate::shape::Shape;
use crate::state::{Bodies, Load, Mover, State};

impl World {
    pub(super) fn assemble(setup: Setup) -> Result<World, BuildError> {
        let Setup { model, bodies: described } = setup;
        if !(model.dt > 0.0 && model.dt.is_finite()) {
            return Err(BuildError::BadStep(model.dt));
        }
        if described.len() >= u32::MAX as usize {
            return Err(BuildError::TooMany(described.len()));
        }
        let mut specials = Vec::new();
        let mut rows = Vec::with_capacity(described.len());
        for (id, body) in described.iter().enumerate() {
            check_body(id as u32, body, &model)?;
            rows.push((mover_of(id as u32, body, &model, &mut specials), body.orientation.normalize()));
        }
        check_laws(&model, &described)?;
        // Planes last, each group by id.
        rows.sort_by_key(|(mover, _)| (mover.radius == 0.0, mover.id));
        let spheres = rows.iter().filter(|(mover, _)| mover.radius > 0.0).count();
        let mut index_of = vec![0; rows.len()];
        rows.iter().enumerate().for_each(|(index, (mover, _))| index_of[mover.id as usize] = index as u32);
        let bodies = Bodies {
            movers: rows.iter().map(|row| row.0).collect(),
            loads: vec![Load::default(); rows.len()],
            orientations: rows.iter().map(|row| row.1).collect(),
            built_at: Vec::new(),
            walls_built: Vec::new(),
            index_of,
            spheres,
            chunk: 0,
        };
        let stride = layouts(&model).map(|layout| layout.total()).max().unwrap_or(SLIPS);
        Ok(World {
            neighbours: Neighbours::new(&bodies),
            state: State { step: 0, bodies, contacts: Vec::new(), sums: Sums::default() },
            material_of: described.iter().map(|body| body.material).collect(),
            model,
            specials,
            plane_normals: Vec::new(),
            plane_normals_before: Vec::new(),
            work: Vec::new(),
            reports: Vec::new(),
            moved: Vec::new(),
            stride,
            keep_rows: true,
            timed: false,
            rebuilds: 0,
            phases: Phases::default(),
        })
    }
}

fn layouts(model: &Model) -> impl Iterator<Item = MemoryLayout> {
    let count = model.materials.len() as u16;
    (0..count).flat_map(move |i| (0..=i).filter_map(move |j| model.laws.get(i, j)).map(MemoryLayout::of))
}

fn check_body(id: u32, body: &Body, model: &Model) -> Result<(), BuildError> {
    let materials = model.materials.len();
    let Some(material) = model.materials.get(body.material as usize) else {
        return Err(BuildError::NoSuchMaterial { body: id, material: body.material, materials });
    };
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    if !(body.position.is_finite() && body.velocity.is_finite() && body.angular_velocity.is_finite()) {
        return impossible("a coordinate or velocity", f64::NAN, "finite numbers");
    }
    let Some(radius) = body.shape.radius() else {
        return match body.motion {
            Motion::Fixed | Motion::Prescribed(_) => Ok(()),
            Motion::Free | Motion::Held => Err(BuildError::FreePlane { body: id }),
        };
    };
    if !(radius > 0.0 && radius.is_finite()) {
        return impossible("radius", radius, "a positive number");
    }
    let (mass, inertia) = body.mass_and_inertia(material.density);
    if !(mass > 0.0 && mass.is_finite()) {
        return impossible("mass", mass, "a positive number");
    }
    if !(inertia.min_element() > 0.0 && inertia.is_finite()) {
        return impossible("the least moment of inertia", inertia.min_element(), "a positive number");
    }
    let unequal = inertia.x != inertia.y || inertia.y != inertia.z;
    let locked = body.lock[3..].iter().filter(|&&locked| locked).count();
    // Locking some rotations needs the torque that the lock supplies, which the tumbling drift does not know.
    if unequal && (locked == 1 || locked == 2) {
        return Err(BuildError::LockedTumbling { body: id });
    }
    Ok(())
}

/// Every two bodies that could meet, at least one of them moved by loads, need laws.
fn check_laws(model: &Model, bodies: &[Body]) -> Result<(), BuildError> {
    let mut seen: Vec<[Option<u32>; 2]> = vec![[None; 2]; model.materials.len()];
    for (id, body) in bodies.iter().enumerate() {
        let moved = matches!(body.motion, Motion::Free | Motion::Held);
        for (other, ids) in seen.iter().enumerate() {
            // A moved body meets any; one that is not meets only moved ones.
            let partner = if moved { ids[1].or(ids[0]) } else { ids[1] };
            if let (Some(partner), None) = (partner, model.laws.get(body.material, other as u16)) {
                let name = |material: usize| model.materials[material].name.clone();
                let (first, second) = (name(other), name(body.material as usize));
                return Err(BuildError::NoLaws { a: partner, b: id as u32, first, second });
            }
        }
        seen[body.material as usize][moved as usize].get_or_insert(id as u32);
    }
    Ok(())
}

/// The packed record of a body; what is special about it goes to `specials`.
fn mover_of(id: u32, body: &Body, model: &Model, specials: &mut Vec<Special>) -> Mover {
    let (mass, inertia) = body.mass_and_inertia(model.materials[body.material as usize].density);
    let moved = matches!(body.motion, Motion::Free | Motion::Held);
    let equal = inertia.x == inertia.y && inertia.y == inertia.z;
    let mask = |lock: &[bool]| {
        let free = |locked: bool| if locked { 0.0 } else { 1.0 };
        DVec3::new(free(lock[0]), free(lock[1]), free(lock[2]))
    };
    let special = Special {
        motion: body.motion,
        position0: body.position,
        orientation0: body.orientation.normalize(),
        free: mask(&body.lock[..3]),
        free_turn: mask(&body.lock[3..]),
        force: body.force,
        torque: body.torque,
        inertia_body: (!equal).then_some(inertia),
        plane: match body.shape {
            Shape::Plane { normal } => Some(normal.normalize()),
            Shape::Sphere { .. } => None,
        },
    };
    let plain = body.motion == Motion::Free
        && special.free == DVec3::ONE
        && special.free_turn == DVec3::ONE
        && (body.force, body.torque) == (DVec3::ZERO, DVec3::ZERO)
        && equal;
    if !plain {
        specials.push(special);
    }
    let (velocity, angular_velocity) = match body.motion {
        Motion::Free => (body.velocity * special.free, body.angular_velocity * special.free_turn),
        Motion::Held => (DVec3::ZERO, body.angular_velocity * special.free_turn),
        Motion::Fixed => (DVec3::ZERO, DVec3::ZERO),
        Motion::Prescribed(prescribed) => {
            let pose = prescribed.pose(special.position0, special.orientation0, 0.0);
            (pose.velocity, pose.angular_velocity)
        }
    };
    Mover {
        position: body.position,
        radius: body.shape.radius().unwrap_or(0.0),
        velocity,
        inverse_mass: if moved { 1.0 / mass } else { 0.0 },
        angular_velocity,
        inverse_inertia: if moved { 3.0 / inertia.element_sum() } else { 0.0 },
        velocity_ahead: [0.0; 3],
        angular_velocity_ahead: [0.0; 3],
        id,
        special: if plain { 0 } else { specials.len() as u32 },
    }
}
