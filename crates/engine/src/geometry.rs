//! Where colliders are, and what impulses do to bodies: follows from model and state, never saved.
//!
//! Bodies are records of a place, an orientation and a velocity. What they carry other than a sphere is posed here once a step: at its
//! end, at its start (for the normal there), and when neighbour lists were made (for how far it has moved since). Colliders of fixed
//! bodies and belts are posed once: all three are the same. The shifts of the images in a cell follow from the cell as colliders follow
//! from their bodies. What impulses do to bodies (`responses.rs`) is a column beside them, kept for the methods that ask for it.
//!
//! The colliders of walls stand first, in the order of their bodies: wall k is collider k, while each wall carries one. A body's
//! colliders stand side by side (`shapes_of`), also those of a body that has left.
//!
//! Does not do: who touches whom (`collide`), what moves bodies (the methods).

use std::ops::Range;

use glam::DQuat;

use crate::body::Motion;
use crate::broad::{Image, Shifts};
use crate::cell::CellState;
use crate::collide::{ColliderId, Posed, Touches, touch};
use crate::collider::{Collider, Placed};
use crate::model::ColliderRange;
use crate::response::Response;
use crate::responses::Responses;
use crate::state::Bodies;

/// Colliders in their places, the images of the cell, and what impulses do.
#[derive(Clone, Debug)]
pub struct Geometry {
    colliders: Vec<Collider>,
    now: Placed,
    before: Placed,
    built: Placed,
    /// Those whose bodies move.
    moving: Vec<u32>,
    /// The shift of each image in the cell (m); zero without a cell.
    pub shifts: Shifts,
    /// What impulses do to bodies, for methods that ask for it.
    responses: Option<Responses>,
}

impl Geometry {
    /// Of these bodies, which learn which colliders are theirs.
    pub(crate) fn of(bodies: &mut Bodies) -> Self {
        let mut geometry = Geometry {
            colliders: Vec::new(),
            now: Placed::default(),
            before: Placed::default(),
            built: Placed::default(),
            moving: Vec::new(),
            shifts: Image::shifts(None),
            responses: None,
        };
        let first_wall = bodies.first_wall;
        geometry.enter(bodies, first_wall..bodies.movers.len());
        geometry.enter(bodies, 0..first_wall);
        geometry
    }

    /// Makes the colliders of bodies that have come, by index.
    pub(crate) fn enter(&mut self, bodies: &mut Bodies, entering: Range<usize>) {
        for index in entering {
            let mover = &bodies.movers[index];
            let Some(special) = bodies.special(mover) else { continue };
            if let Some(shape) = &special.shape {
                let parts = Collider::all_of(mover.id, shape, special.centre, &special.motion);
                self.carry(bodies, index, parts);
            }
        }
    }

    /// A body, by index, carries these.
    fn carry(&mut self, bodies: &mut Bodies, index: usize, parts: Vec<Collider>) {
        let (mover, turned) = (bodies.movers[index], bodies.orientation(index));
        let special = &mut bodies.specials[mover.special as usize - 1];
        special.colliders = ColliderRange { first: self.colliders.len() as u32, count: parts.len() as u32 };
        let stays = matches!(special.motion, Motion::Fixed | Motion::Belt(_));
        for collider in parts {
            if !stays {
                self.moving.push(self.colliders.len() as u32);
            }
            let posed = collider.posed(mover.position, turned);
            self.colliders.push(collider);
            self.now.push(posed, turned);
            self.before.push(posed, turned);
            self.built.push(posed, turned);
        }
    }

    // ---- colliders ----

    /// All colliders, also of bodies that have left.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// All colliders now.
    pub fn now(&self) -> &Placed {
        &self.now
    }

    /// All colliders at the start of the step.
    pub fn before(&self) -> &Placed {
        &self.before
    }

    /// A collider now, by its number.
    pub fn posed(&self, collider: usize) -> &Posed {
        self.now.posed(collider)
    }

    /// The same at the start of the step.
    pub fn posed_before(&self, collider: usize) -> &Posed {
        self.before.posed(collider)
    }

    /// The same when neighbour lists were made; not kept up for the colliders of bodies with a radius.
    pub fn posed_built(&self, collider: usize) -> &Posed {
        self.built.posed(collider)
    }

    /// What can touch of a body, by index, now: a sphere, or its colliders.
    pub fn shapes_of(&self, bodies: &Bodies, index: usize) -> impl Iterator<Item = (ColliderId, Posed)> {
        let mover = &bodies.movers[index];
        let own = bodies.special(mover).map_or(ColliderRange::default(), |special| special.colliders);
        let ball = Posed::Sphere { centre: mover.position, radius: mover.radius };
        let ball = (own.count == 0).then_some((ColliderId::first_of(mover.id), ball));
        ball.into_iter().chain(own.numbers().map(|number| (self.colliders[number].id, *self.now.posed(number))))
    }

    // ---- a step ----

    /// Puts all colliders where their bodies are: when bodies have come, gone, stand in another order, or were moved by other hands.
    pub fn pose(&mut self, bodies: &Bodies) {
        for number in 0..self.colliders.len() {
            if let Some((posed, turned)) = place(&self.colliders[number], bodies) {
                self.now.put(number, posed, turned);
            }
        }
        if let Some(responses) = &mut self.responses {
            *responses = Responses::of(bodies);
        }
    }

    /// The step is done: what is now becomes what was before, and all that moves is posed where bodies have come to.
    pub fn follow(&mut self, bodies: &Bodies) {
        let Geometry { colliders, now, before, moving, responses, .. } = self;
        for number in moving.iter().map(|&number| number as usize) {
            if let Some((posed, turned)) = place(&colliders[number], bodies) {
                let (posed, turned) = now.put(number, posed, turned);
                before.put(number, posed, turned);
            }
        }
        if let Some(responses) = responses {
            responses.follow(bodies);
        }
    }

    /// Takes the colliders as they are for those at the start of the step.
    pub fn note_before(&mut self) {
        self.before.clone_from(&self.now);
    }

    /// Neighbour lists are made for the colliders as they are.
    pub fn note_built(&mut self) {
        self.built.clone_from(&self.now);
    }

    /// The walls that move: the index of the body, and how far it has moved since lists were made (m).
    pub fn walls_moved(&self, bodies: &Bodies) -> impl Iterator<Item = (usize, f64)> {
        self.moving.iter().filter_map(|&number| {
            let number = number as usize;
            let (now, built) = (self.now.posed(number).wall()?, self.built.posed(number).wall()?);
            Some((bodies.index_of[self.colliders[number].id.body as usize] as usize, now.moved_since(built)))
        })
    }

    /// The images are those of the cell as it is.
    pub fn note_cell(&mut self, cell: Option<&CellState>) {
        self.shifts = Image::shifts(cell.map(|cell| &cell.frame));
    }

    /// Whether a body there, with this radius of the sphere around it, would touch no wall, nor lie behind a plane. A solid
    /// stays clear of walls other than planes by that sphere. `meets` says which walls count, by the id of their body.
    pub fn is_clear(&self, body: &Posed, radius: f64, meets: impl Fn(u32) -> bool) -> bool {
        let (sphere, mut touches) = (Posed::Sphere { centre: body.centre(), radius }, Touches::default());
        let walls = self.now.iter().map_while(|posed| Some((posed, posed.wall()?)));
        let mut walls = walls.zip(&self.colliders).filter(|(_, collider)| meets(collider.id.body));
        walls.all(|((posed, wall), _)| {
            touch(&sphere, posed, 0.0, &mut touches);
            let is_solid = matches!(body, Posed::Solid(_)) && wall.plane().is_some();
            if is_solid && !touches.is_empty() {
                touch(body, posed, 0.0, &mut touches);
            }
            touches.is_empty()
        })
    }

    // ---- impulses ----

    /// Keeps, from now on, what impulses do to bodies.
    pub fn keep_responses(&mut self, bodies: &Bodies) {
        self.responses = Some(Responses::of(bodies));
    }

    /// What impulses do to bodies, by index; empty unless they are kept.
    pub fn responses(&self) -> &[Response] {
        self.responses.as_deref().unwrap_or_default()
    }
}

/// A collider where its body is, and how that is turned; `None` for one that has left: it stays where it was, and nobody asks for it.
fn place(collider: &Collider, bodies: &Bodies) -> Option<(Posed, DQuat)> {
    let index = bodies.index_of[collider.id.body as usize] as usize;
    let mover = bodies.movers.get(index)?;
    let turned = bodies.orientation(index);
    Some((collider.posed(mover.position, turned), turned))
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::body::Body;
    use crate::frame::Pose;
    use crate::model::{Material, Model};
    use crate::mover::{check_body, mover_of};
    use crate::shape::{Shape, Sides};

    fn bodies_of(described: &[Body]) -> Bodies {
        let model = Model::new(vec![Material { name: "steel".into(), density: 2.0 }], 1e-3);
        let mut bodies = Bodies::default();
        for (id, body) in (0..).zip(described) {
            check_body(id, body, &model).unwrap();
            bodies.movers.push(mover_of(id, body, &model, &mut bodies.specials));
            bodies.orientations.push(body.orientation.normalize());
            bodies.index_of.push(id);
        }
        bodies.first_wall = described.iter().filter(|body| body.shape.radius().is_some()).count();
        bodies
    }

    fn moved(bodies: &mut Bodies) {
        for (mover, orientation) in bodies.movers.iter_mut().zip(&mut bodies.orientations) {
            mover.position += DVec3::new(0.0, 0.0, -0.5);
            *orientation = DQuat::from_rotation_z(0.3) * *orientation;
        }
    }

    #[test]
    fn what_is_fixed_is_posed_once_and_what_moves_is_followed() {
        let egg = Body::new(Shape::Ellipsoid { axes: DVec3::new(0.3, 0.2, 0.1) }, 0, DVec3::ONE);
        let plane = |motion| Body { motion, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
        let ball = Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::ZERO);
        let all = [ball, egg, plane(Motion::Fixed), plane(Motion::Belt(DVec3::X.into())), plane(Motion::Held)];
        let mut bodies = bodies_of(&all[..4]);
        let mut geometry = Geometry::of(&mut bodies);
        let ids: Vec<u32> = geometry.colliders().iter().map(|collider| collider.id.body).collect();
        assert_eq!(ids, [2, 3, 1], "walls stand first, and a sphere needs none");
        assert!(geometry.posed(1).wall().unwrap().belt && !geometry.posed(0).wall().unwrap().belt);
        assert_eq!(geometry.moving, [2]);
        let start = geometry.clone();
        moved(&mut bodies);
        geometry.follow(&bodies);
        for wall in 0..2 {
            assert_eq!(geometry.posed(wall), start.posed(wall), "nobody moves it, so nobody poses it");
        }
        let now = Posed::new(&all[1].shape, bodies.movers[1].position, bodies.orientations[1]);
        assert_eq!((*geometry.posed(2), *geometry.posed_before(2)), (now, *start.posed(2)));
        assert_eq!((geometry.now().turned(2), geometry.before().turned(2)), (bodies.orientations[1], DQuat::IDENTITY));
        assert_eq!(geometry.walls_moved(&bodies).count(), 0);
        let [sphere] = geometry.shapes_of(&bodies, 0).collect::<Vec<_>>()[..] else { panic!("one sphere") };
        assert_eq!(sphere, (ColliderId::first_of(0), Posed::of(&Body { position: DVec3::Z * -0.5, ..all[0].clone() })));
    }

    /// The guideway's carriage: one body with four flat sides, which moves and turns as a whole.
    #[test]
    fn a_free_body_may_carry_several_flat_sides() {
        let side = Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [2.0, 1.0], sides: Sides::Both };
        let described =
            Body { mass: Some(4.0), inertia_body: Some(DVec3::ONE), ..Body::new(side.clone(), 0, DVec3::Z * 3.0) };
        let mut bodies = bodies_of(&[described]);
        let mut geometry = Geometry::of(&mut bodies);
        let part = |number: u32| {
            let turn = DQuat::from_rotation_x(f64::from(number) * std::f64::consts::FRAC_PI_2);
            let local = Pose { position: turn * (DVec3::Z * 0.5), orientation: turn };
            Collider { id: ColliderId { body: 0, number }, local, shape: side.clone(), belt: false }
        };
        geometry.carry(&mut bodies, 0, [0, 1, 2, 3].map(part).into());
        moved(&mut bodies);
        geometry.follow(&bodies);
        let shapes: Vec<_> = geometry.shapes_of(&bodies, 0).collect();
        assert_eq!(shapes.iter().map(|(id, _)| id.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
        // A ball beside each side, outside of the carriage, which has turned by 0.3 about z.
        let mut touches = Touches::default();
        for (number, (_, posed)) in shapes.iter().enumerate() {
            let angle = number as f64 * std::f64::consts::FRAC_PI_2;
            let out = DQuat::from_rotation_z(0.3) * (DQuat::from_rotation_x(angle) * DVec3::Z);
            let ball = Posed::Sphere { centre: DVec3::Z * 2.5 + out * 0.74, radius: 0.25 };
            touch(&ball, posed, 0.0, &mut touches);
            let [found] = touches[..] else { panic!("side {number} is touched once") };
            assert!((found.normal - out).length() < 1e-14 && (found.gap + 0.01).abs() < 1e-14, "{found:?}");
        }
        let response = Responses::of(&bodies)[0];
        assert!((response.linear.x_axis.x - 0.25).abs() < 1e-16);
    }
}
