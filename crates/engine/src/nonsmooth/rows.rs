//! From pairs to rows of a contact problem: where they touch or may within the step, seams between walls settled, the law of the pair
//! as cones and bias.
//!
//! Rows stand in the order of pairs, which follows from the order of bodies. In each a is the body with the lower id.

use glam::{DMat3, DVec3};

use super::pairs::SKIN;
use super::{Touching, Work};
use crate::body::Motion;
use crate::broad::Pair;
use crate::collide::{ColliderId, Posed, Touch, Touches, settle_seams, touch};
use crate::cone::{Cones, Options, Row, Rows, Twist, Wrench};
use crate::contact::{ContactKey, feature_of};
use crate::error::Trouble;
use crate::geometry::Geometry;
use crate::law::{Limit, PairLaws, RigidLaws};
use crate::model::{ColliderRange, Model};
use crate::state::State;

/// Fills the rows of the step.
pub fn assemble(model: &Model, state: &State, geometry: &Geometry, work: &mut Work) -> Result<(), Trouble> {
    let Work { pairs, pushes, touches, of_walls, of_part, before, twists, rows, touching, settings, .. } = work;
    rows.clear();
    touching.clear();
    let recovery = settings.recovery_speed.unwrap_or(f64::INFINITY);
    let above = model.gravity.largest();
    let mut filling = Filling { model, state, geometry, before, twists, pushes, recovery, above, rows, touching };
    for pairs in pairs.chunk_by(|one, other| one.a == other.a) {
        of_walls.clear();
        for pair in pairs {
            filling.touch(pair, touches, of_walls)?;
        }
        filling.push_walls(pairs[0].a, of_walls, of_part);
    }
    Ok(())
}

/// A touch of one collider of a body with a wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfWall {
    part: u32,
    wall: ColliderId,
    found: Touch,
}

/// What filling reads, and what it fills.
struct Filling<'a> {
    model: &'a Model,
    state: &'a State,
    geometry: &'a Geometry,
    before: &'a [Twist],
    twists: &'a [Twist],
    pushes: &'a [f64],
    recovery: f64,
    /// Gravity (m/s^2), for the speed above which restitution counts.
    above: f64,
    rows: &'a mut Rows,
    touching: &'a mut Vec<Touching>,
}

impl Filling<'_> {
    /// Pushes the touches of a pair, or notes them where the second is a wall.
    fn touch(&mut self, pair: &Pair, touches: &mut Touches, of_walls: &mut Vec<OfWall>) -> Result<(), Trouble> {
        let (bodies, within) = (&self.state.bodies, self.within(pair));
        let shift = self.geometry.shifts[usize::from(pair.image.number())];
        for (id_a, one) in self.geometry.shapes_of(bodies, pair.a as usize) {
            for (id_b, other) in self.geometry.shapes_of(bodies, pair.b as usize) {
                let other = other.shifted(shift);
                if one.is_beyond(&other, within) {
                    continue;
                }
                let sides = [(pair.a, id_a.number), (pair.b, id_b.number)];
                if other.wall().is_none() {
                    // By rising ids, whichever stands first in space: features depend on it.
                    let (first, second, sides) =
                        if id_a < id_b { (&one, &other, sides) } else { (&other, &one, [sides[1], sides[0]]) };
                    touch(first, second, within, touches);
                    touches.iter().for_each(|found| self.push(sides, found));
                    continue;
                }
                touch(&one, &other, within, touches);
                self.check_wrapped(pair, &one, &other)?;
                of_walls.extend(touches.iter().map(|found| OfWall { part: id_a.number, wall: id_b, found: *found }));
            }
        }
        Ok(())
    }

    /// How near the two must be to meet within the step (m).
    fn within(&self, pair: &Pair) -> f64 {
        let [a, b] =
            [pair.a, pair.b].map(|index| (&self.state.bodies.movers[index as usize], self.twists[index as usize]));
        let at_a = if a.0.special == 0 { 0.0 } else { a.1.angular_velocity.length() * a.0.radius };
        // A wall turns as a whole; of a body that is no sphere some point does.
        let at_b = match b.0.radius {
            0.0 => b.1.angular_velocity.cross(a.0.position - b.0.position),
            radius if b.0.special != 0 => DVec3::X * (b.1.angular_velocity.length() * radius),
            _ => DVec3::ZERO,
        };
        let speed = if b.0.radius == 0.0 {
            (a.1.velocity - b.1.velocity - at_b).length()
        } else {
            (a.1.velocity - b.1.velocity).length() + at_b.length()
        };
        let radius = if b.0.radius == 0.0 { a.0.radius } else { a.0.radius.min(b.0.radius) };
        let pushed = [pair.a, pair.b].map(|index| self.pushes[index as usize]);
        SKIN * radius + self.model.dt * (speed + at_a) + pushed[0] + pushed[1]
    }

    /// A sphere that touches a round wall all around has one contact and not many.
    fn check_wrapped(&self, pair: &Pair, one: &Posed, wall: &Posed) -> Result<(), Trouble> {
        let [a, b] = [pair.a, pair.b].map(|index| &self.state.bodies.movers[index as usize]);
        let (time, step) = (self.state.time(self.model) + self.model.dt, self.state.step + 1);
        let Posed::Sphere { centre, radius } = *one else { return Ok(()) };
        if wall.wall().is_some_and(|wall| wall.wraps(centre, radius)) {
            return Err(Trouble::Wrapped { a: a.id.min(b.id), b: a.id.max(b.id), time, step });
        }
        Ok(())
    }

    /// Pushes the touches of a body with walls, each place of a part once.
    fn push_walls(&mut self, a: u32, of_walls: &mut [OfWall], of_part: &mut Vec<(ColliderId, Touch)>) {
        let (bodies, geometry) = (&self.state.bodies, self.geometry);
        let (placed, first) = (geometry.now(), bodies.first_wall);
        let wall = |id: ColliderId| placed.posed(bodies.index_of[id.body as usize] as usize - first);
        of_walls.sort_by_key(|of_wall| of_wall.part);
        for of_walls in of_walls.chunk_by(|one, other| one.part == other.part) {
            let part = of_walls[0].part;
            of_part.clear();
            of_part.extend(of_walls.iter().map(|of_wall| (of_wall.wall, of_wall.found)));
            // Seams are those of spheres.
            if let Some((_, Posed::Sphere { centre, .. })) = geometry.shapes_of(bodies, a as usize).nth(part as usize) {
                settle_seams(centre, of_part, wall);
            }
            for (id, found) in of_part.iter() {
                self.push([(a, part), (bodies.index_of[id.body as usize], id.number)], found);
            }
        }
    }

    /// Pushes a row: of two bodies, by index, each with the number of its collider.
    fn push(&mut self, sides: [(u32, u32); 2], found: &Touch) {
        let bodies = &self.state.bodies;
        let id_of = |index: u32| bodies.movers[index as usize].id;
        let turn = id_of(sides[0].0) > id_of(sides[1].0);
        let (sides, mut found) = if turn { ([sides[1], sides[0]], found.turned()) } else { (sides, *found) };
        let pair = sides.map(|(index, _)| index);
        for (arm, side) in found.arm.iter_mut().zip(sides) {
            *arm += self.place_in_body(side);
        }
        let [a, b] = pair.map(id_of);
        let [first, second] = [a, b].map(|id| bodies.material_of[id as usize]);
        let Some(PairLaws::Rigid(laws)) = self.model.laws.get(first, second) else { return };
        let [belt_a, belt_b] = pair.map(|index| self.belt(index, found.normal));
        let belts = belt_a - belt_b;
        let [v_a, v_b] = [0, 1].map(|side: usize| {
            let twist = &self.before[pair[side] as usize];
            twist.velocity + twist.angular_velocity.cross(found.arm[side])
        });
        let dt = self.model.dt;
        let rate = (v_a - v_b).dot(found.normal);
        let (compliance, share) = laws.normal.give.map_or((0.0, 1.0), |give| give.compliance(dt, self.mass_eff(pair)));
        let above = laws.normal.above_at(self.above, dt);
        let bias = laws.normal.bias(share * found.gap, rate, dt, above, self.recovery);
        let row = Row {
            bodies: pair,
            normal: found.normal,
            arm: found.arm,
            bias: found.normal * bias + belts,
            cones: cones(laws, found.radius_eff),
            length: found.radius_eff,
            impulse: Wrench::default(),
        };
        let n = found.normal;
        let along = DMat3::from_cols(n * (n.x * compliance), n * (n.y * compliance), n * (n.z * compliance));
        self.rows.push_with(row, Options { compliance: [along, DMat3::ZERO], ..Options::default() });
        let limits = &laws.limits;
        self.touching.push(Touching {
            key: ContactKey { a, b, feature: feature_of(sides.map(|(_, part)| part), found.feature) },
            gap: found.gap,
            bias,
            give: [compliance, laws.normal.give.map_or(0.0, |give| give.stiffness)],
            belts,
            resisted: [limits.slide, limits.roll, limits.spin].map(|limit| limit.is_some()),
        });
    }

    /// From the centre of mass of a body, by index, to the centre of one of its colliders (m).
    fn place_in_body(&self, (index, number): (u32, u32)) -> DVec3 {
        let bodies = &self.state.bodies;
        let mover = &bodies.movers[index as usize];
        let own = bodies.special(mover).map_or(ColliderRange::default(), |special| special.colliders);
        // A sphere that needs no collider is where its record is.
        let collider = own.numbers().nth(number as usize);
        collider.map_or(DVec3::ZERO, |collider| self.geometry.posed(collider).centre() - mover.position)
    }

    /// m_a m_b/(m_a + m_b) (kg).
    fn mass_eff(&self, pair: [u32; 2]) -> f64 {
        1.0 / pair.iter().map(|&index| self.state.bodies.movers[index as usize].inverse_mass).sum::<f64>()
    }

    /// How the surface of a body runs at a touch with this normal, while the body stays (m/s).
    fn belt(&self, index: u32, normal: DVec3) -> DVec3 {
        let bodies = &self.state.bodies;
        let start = self.state.time(self.model);
        match bodies.special(&bodies.movers[index as usize]).map(|special| &special.motion) {
            // It turns at its end with its surface: it never runs into a body.
            Some(Motion::Belt(velocity)) => {
                let velocity = velocity.mean(start, start + self.model.dt);
                velocity - normal * velocity.dot(normal)
            }
            _ => DVec3::ZERO,
        }
    }
}

/// How far friction reaches at a touch with this effective radius (m).
fn cones(laws: &RigidLaws, radius_eff: f64) -> Cones {
    let arm = |limit: Option<Limit>| limit.map_or(0.0, |limit| limit.static_ * limit.arm_at(radius_eff));
    let limits = &laws.limits;
    Cones { slide: limits.slide.map_or(0.0, |limit| limit.static_), roll: arm(limits.roll), spin: arm(limits.spin) }
}
