//! Many bodies as described, in little room: a number that many bodies in a row share is kept once.
//!
//! A body as a caller describes it takes some 400 bytes, most of them at their defaults. A million grains of one size then
//! take 24 bytes each, their positions; of different sizes 32. What comes out has the bits of what was put in.
//!
//! Does not do: taking bodies out, or changing them, but for the servos that wait for their mass.

use glam::{DQuat, DVec3};

use super::{Body, Motion, Servo};
use crate::schedule::Signal;
use crate::shape::Shape;

/// Bodies, by id.
#[derive(Clone, Debug, Default)]
pub struct BodyList {
    position: Column<DVec3>,
    velocity: Column<DVec3>,
    orientation: Column<DQuat>,
    angular_velocity: Column<DVec3>,
    /// Zero for what is not a sphere.
    radius: Column<f64>,
    mass: Column<Option<f64>>,
    inertia_body: Column<Option<DVec3>>,
    kind: Column<Kind>,
}

/// The same bodies: how they are kept does not matter, nor the sign of a zero.
impl PartialEq for BodyList {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// What few bodies have of their own.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    /// The radius of a sphere is not here.
    shape: Shape,
    material: u16,
    motion: Motion,
    lock: [bool; 6],
    force: Signal<DVec3>,
    torque: Signal<DVec3>,
    centre: Option<DVec3>,
    inertia_axes: DQuat,
}

impl BodyList {
    /// Adds a body.
    pub fn push(&mut self, body: &Body) {
        let Body { shape, material, motion, lock, force, torque, centre, inertia_axes, .. } = body.clone();
        let (radius, shape) = match shape {
            Shape::Sphere { radius } => (radius, Shape::Sphere { radius: 0.0 }),
            shape => (0.0, shape),
        };
        self.position.push(body.position);
        self.velocity.push(body.velocity);
        self.orientation.push(body.orientation);
        self.angular_velocity.push(body.angular_velocity);
        self.radius.push(radius);
        self.mass.push(body.mass);
        self.inertia_body.push(body.inertia_body);
        self.kind.push(Kind { shape, material, motion, lock, force, torque, centre, inertia_axes });
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A body by id. Panics beyond the last.
    pub fn get(&self, id: usize) -> Body {
        let Kind { shape, material, motion, lock, force, torque, centre, inertia_axes } = self.kind.get(id).clone();
        let shape = match shape {
            Shape::Sphere { .. } => Shape::Sphere { radius: *self.radius.get(id) },
            shape => shape,
        };
        Body {
            shape,
            material,
            position: self.position(id),
            velocity: *self.velocity.get(id),
            orientation: *self.orientation.get(id),
            angular_velocity: *self.angular_velocity.get(id),
            mass: *self.mass.get(id),
            centre,
            inertia_body: *self.inertia_body.get(id),
            inertia_axes,
            motion,
            lock,
            force,
            torque,
        }
    }

    /// All bodies.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Body> + Clone + '_ {
        (0..self.len()).map(|id| self.get(id))
    }

    /// Bodies in a row that are alike, to the bit, but for where they are and how they are turned: the first of them, and how many
    /// there are.
    pub fn alike_in_a_row(&self) -> impl Iterator<Item = (Body, usize)> + Clone + '_ {
        let ids = std::iter::successors(Some(0), |&id| Some(self.end_of_alike(id)));
        ids.take_while(|&id| id < self.len()).map(|id| (self.get(id), self.end_of_alike(id) - id))
    }

    fn end_of_alike(&self, id: usize) -> usize {
        if id >= self.len() {
            return id;
        }
        let ends = [self.kind.end(id), self.radius.end(id), self.mass.end(id), self.inertia_body.end(id)];
        let moving = [self.velocity.end(id), self.angular_velocity.end(id)];
        ends.into_iter().chain(moving).min().unwrap_or(id + 1)
    }

    /// The centre of a body (m).
    pub fn position(&self, id: usize) -> DVec3 {
        *self.position.get(id)
    }

    /// The centre of mass of a body (m).
    pub fn place(&self, id: usize) -> DVec3 {
        if self.is_solid(id) { self.get(id).place() } else { self.position(id) }
    }

    /// The radius of a sphere, or of the sphere around the centre of mass of another body (m); `None` for a wall.
    pub fn radius(&self, id: usize) -> Option<f64> {
        let kind = self.kind.get(id);
        match kind.shape {
            Shape::Sphere { .. } => Some(*self.radius.get(id) + kind.centre.map_or(0.0, DVec3::length)),
            ref shape => kind.centre.map_or_else(|| shape.radius(), |centre| shape.reach(centre)),
        }
    }

    /// Whether a body is another one than a sphere around its centre of mass, or a wall.
    pub fn is_solid(&self, id: usize) -> bool {
        let kind = self.kind.get(id);
        kind.shape.is_solid() || kind.centre.is_some()
    }

    /// Index of the material of a body.
    pub fn material(&self, id: usize) -> u16 {
        self.kind.get(id).material
    }

    /// Whether loads move a body.
    pub fn yields(&self, id: usize) -> bool {
        self.kind.get(id).motion.yields()
    }

    /// Whether any of them is a clump.
    pub fn has_clumps(&self) -> bool {
        self.kind.runs().any(|(_, kind)| matches!(kind.shape, Shape::Clump(_)))
    }

    /// Whether a servo drives any of them.
    pub fn has_servo(&self) -> bool {
        self.kind.runs().any(|(_, kind)| matches!(kind.motion, Motion::Servo(_)))
    }

    /// The servo that drives a body, if one does.
    pub fn servo_mut(&mut self, id: usize) -> Option<&mut Servo> {
        // Bodies that something drives share nothing.
        match &mut self.kind.get_mut(id).motion {
            Motion::Servo(servo) => Some(servo),
            _ => None,
        }
    }

    /// The ids of the walls.
    pub fn walls(&self) -> impl Iterator<Item = usize> + '_ {
        let wall = |kind: &Kind| kind.shape.radius().is_none();
        self.kind.runs().filter(move |(_, kind)| wall(kind)).flat_map(|(ids, _)| ids)
    }

    /// The same bodies, all at the origin and at rest: what is left to know once a world has them.
    pub fn without_places(&self) -> Self {
        let count = self.len();
        BodyList {
            position: Column::same(count, DVec3::ZERO),
            velocity: Column::same(count, DVec3::ZERO),
            orientation: Column::same(count, DQuat::IDENTITY),
            angular_velocity: Column::same(count, DVec3::ZERO),
            radius: self.radius.clone(),
            mass: self.mass.clone(),
            inertia_body: self.inertia_body.clone(),
            kind: self.kind.clone(),
        }
    }

    /// Whether two bodies are the same to the bit, but for where they are and how they move at the start.
    pub fn alike(&self, id: usize, other: usize) -> bool {
        self.kind.get(id).same(self.kind.get(other))
            && self.radius.get(id).same(self.radius.get(other))
            && self.mass.get(id).same(self.mass.get(other))
            && self.inertia_body.get(id).same(self.inertia_body.get(other))
    }
}

impl FromIterator<Body> for BodyList {
    fn from_iter<I: IntoIterator<Item = Body>>(bodies: I) -> Self {
        let mut list = BodyList::default();
        bodies.into_iter().for_each(|body| list.push(&body));
        list
    }
}

/// Values in a row: each with the place where it ends, or, where they differ too often, one by one.
#[derive(Clone, Debug, PartialEq)]
enum Column<T> {
    Runs(Vec<(u32, T)>),
    Each(Vec<T>),
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Column::Runs(Vec::new())
    }
}

/// Runs before it is asked whether they are worth it.
const FEW: usize = 64;

impl<T: Clone + Same> Column<T> {
    fn same(count: usize, value: T) -> Self {
        Column::Runs(if count == 0 { Vec::new() } else { vec![(count as u32, value)] })
    }

    fn len(&self) -> usize {
        match self {
            Column::Runs(runs) => runs.last().map_or(0, |run| run.0 as usize),
            Column::Each(values) => values.len(),
        }
    }

    fn push(&mut self, value: T) {
        let len = self.len();
        let runs = match self {
            Column::Each(values) => return values.push(value),
            Column::Runs(runs) => runs,
        };
        if let Some(last) = runs.last_mut().filter(|last| last.1.same(&value)) {
            last.0 += 1;
        } else if runs.len() < FEW.max(len / 4) {
            runs.push((len as u32 + 1, value));
        } else {
            let mut values: Vec<T> = (0..len).map(|at| self.get(at).clone()).collect();
            values.push(value);
            *self = Column::Each(values);
        }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> &T {
        match self {
            Column::Each(values) => &values[at],
            Column::Runs(runs) => &runs[runs.partition_point(|run| run.0 as usize <= at)].1,
        }
    }

    /// The end of the run that a place stands in.
    fn end(&self, at: usize) -> usize {
        match self {
            Column::Each(_) => at + 1,
            Column::Runs(runs) => runs[runs.partition_point(|run| run.0 as usize <= at)].0 as usize,
        }
    }

    fn get_mut(&mut self, at: usize) -> &mut T {
        match self {
            Column::Each(values) => &mut values[at],
            Column::Runs(runs) => {
                let run = runs.partition_point(|run| run.0 as usize <= at);
                &mut runs[run].1
            }
        }
    }

    /// Values with their places.
    fn runs(&self) -> Box<dyn Iterator<Item = (std::ops::Range<usize>, &T)> + '_> {
        match self {
            Column::Each(values) => Box::new(values.iter().enumerate().map(|(at, value)| (at..at + 1, value))),
            Column::Runs(runs) => {
                let firsts = std::iter::once(0).chain(runs.iter().map(|run| run.0 as usize));
                Box::new(firsts.zip(runs).map(|(first, (end, value))| (first..*end as usize, value)))
            }
        }
    }
}

/// Whether two values have the same bits. Equal numbers may not: 0 and -0.
trait Same {
    fn same(&self, other: &Self) -> bool;
}

impl Same for f64 {
    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Same for DVec3 {
    fn same(&self, other: &Self) -> bool {
        self.x.same(&other.x) && self.y.same(&other.y) && self.z.same(&other.z)
    }
}

impl Same for DQuat {
    fn same(&self, other: &Self) -> bool {
        self.xyz().same(&other.xyz()) && self.w.same(&other.w)
    }
}

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(one), Some(other)) => one.same(other),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<T: Same> Same for Signal<T> {
    /// Who follows a schedule has it alone.
    fn same(&self, other: &Self) -> bool {
        matches!((self, other), (Signal::Constant(one), Signal::Constant(other)) if one.same(other))
    }
}

impl Same for Kind {
    /// Walls and what is driven have numbers of their own; there are few of them.
    fn same(&self, other: &Self) -> bool {
        let plain = |kind: &Kind| {
            matches!(kind.shape, Shape::Sphere { .. })
                && matches!(kind.motion, Motion::Free | Motion::Fixed | Motion::Held)
        };
        let alike = (self.material, self.lock) == (other.material, other.lock) && self.motion == other.motion;
        let loads = self.force.same(&other.force) && self.torque.same(&other.torque);
        plain(self) && plain(other) && alike && loads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn what_comes_out_is_what_was_put_in() {
        let mut stream = Stream::named(1, "list");
        let mut bodies = Vec::new();
        for i in 0..2000 {
            let mut body = Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::new(i as f64, 0.0, -0.0));
            // Rows of equal ones, and numbers that differ in their sign only.
            match (stream.unit() * 12.0) as usize {
                0 => body.shape = Shape::Plane { normal: DVec3::new(-0.0, 0.0, 1.0) },
                1 => body.shape = Shape::Plane { normal: DVec3::Z },
                2 => body.shape = Shape::Sphere { radius: stream.unit() },
                3 => body.velocity = DVec3::new(-0.0, 0.0, 0.0),
                4 => body.mass = Some(stream.unit()),
                5 => body.force = (-DVec3::ZERO).into(),
                6 => body.motion = Motion::Fixed,
                7 => body.motion = Motion::Belt(DVec3::new(1.0, -0.0, 0.0).into()),
                8 => (body.material, body.lock[2]) = (1, true),
                9 => body.orientation = DQuat::from_rotation_x(stream.unit()),
                _ => {}
            }
            bodies.push(body);
        }
        let list: BodyList = bodies.iter().cloned().collect();
        assert_eq!(list.len(), bodies.len());
        for (id, body) in bodies.iter().enumerate() {
            // As text: there 0 and -0 differ.
            assert_eq!(format!("{:?}", list.get(id)), format!("{body:?}"));
            assert_eq!((list.radius(id), list.position(id)), (body.shape.radius(), body.position));
        }
        let walls: Vec<usize> = (0..2000).filter(|&id| bodies[id].shape.radius().is_none()).collect();
        assert_eq!(list.walls().collect::<Vec<_>>(), walls);
        let mut first = 0;
        for (body, count) in list.alike_in_a_row() {
            for other in &bodies[first..first + count] {
                let same = Body { position: other.position, orientation: other.orientation, ..body.clone() };
                assert_eq!(format!("{same:?}"), format!("{other:?}"));
            }
            first += count;
        }
        assert_eq!(first, bodies.len());
        let left = list.without_places();
        assert!(left.iter().zip(&bodies).all(|(left, body)| left.shape == body.shape && left.mass == body.mass));
    }

    #[test]
    fn grains_of_one_size_take_their_positions_only() {
        let grain = |i: u32| Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::X * f64::from(i));
        let list: BodyList = (0..1000).map(grain).collect();
        assert!(matches!(&list.position, Column::Each(_)));
        assert!(matches!(&list.kind, Column::Runs(runs) if runs.len() == 1));
        assert!(matches!(&list.radius, Column::Runs(runs) if runs.len() == 1));
    }

    /// An ellipsoid in a list came out as the sphere around it, because it has a radius; and lists whose zeros had other signs differed.
    #[test]
    fn solids_keep_their_shape_and_zeros_are_zeros() {
        let of = |shape, x| Body::new(shape, 0, DVec3::new(x, 0.0, 0.0));
        let solid = Shape::Ellipsoid { axes: DVec3::new(1.0, 2.0, 3.0) };
        let list: BodyList = [of(solid.clone(), 0.0), of(Shape::Box { size: DVec3::ONE }, 0.0)].into_iter().collect();
        assert_eq!((list.get(0).shape, list.get(1).shape), (solid, Shape::Box { size: DVec3::ONE }));
        assert_eq!((list.radius(0), list.is_solid(1), list.walls().count()), (Some(3.0), true, 0));
        let ball = Shape::Sphere { radius: 1.0 };
        let [one, other]: [BodyList; 2] =
            [[0.0, 0.0], [-0.0, 0.0]].map(|xs| xs.map(|x| of(ball.clone(), x)).into_iter().collect());
        assert_eq!(one, other);
    }
}
