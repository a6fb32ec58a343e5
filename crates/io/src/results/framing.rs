//! Where the camera of a picture stands: it looks slightly down, from where the scene is widest, and frames the bodies but for
//! the farthest 1 %, so that a stray grain does not shrink the pile.

use glam::{DVec3, Vec2, Vec3};
use stickslip::math;

use super::picture::{Drawing, FOCAL, FRAME, SolidBody, Sphere, panel};
use super::scales::Range;
use super::solid::Form;

impl Drawing {
    /// The body with this number: first come the spheres.
    fn member(&self, number: usize) -> Member<'_> {
        let spheres = self.spheres.len();
        if number < spheres {
            Member::Sphere(&self.spheres[number])
        } else {
            Member::Solid(&self.solids[number - spheres])
        }
    }

    /// All bodies.
    pub(super) fn members(&self) -> impl Iterator<Item = Member<'_>> {
        self.spheres.iter().map(Member::Sphere).chain(self.solids.iter().map(Member::Solid))
    }

    /// The bodies but for the farthest 1 % from their median.
    pub(super) fn nearest(&self) -> Kept<'_> {
        let median = |axis: usize| {
            let mut places: Vec<f64> = self.members().map(|body| body.centre()[axis]).collect();
            let middle = places.len() / 2;
            if places.is_empty() { 0.0 } else { *places.select_nth_unstable_by(middle, f64::total_cmp).1 }
        };
        let centre = DVec3::new(median(0), median(1), median(2));
        let far = |body: Member<'_>| (body.centre() - centre).length_squared();
        let mut order: Vec<(f64, u32)> = self.members().map(far).zip(0..).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.truncate(order.len() - order.len() / 100);
        Kept { drawing: self, numbers: order.iter().map(|&(_, number)| number).collect(), more: Vec::new() }
    }

    /// From where it is seen, and in which colours.
    pub(super) fn view(&self) -> View {
        let mut kept = self.nearest();
        let (middle, size) = bounds(&kept);
        kept.more.extend(self.framed_walls(middle, size));
        let point = |centre: DVec3| Sphere { centre, radius: 0.0, value: 0.0 };
        kept.more.extend(self.edges.iter().flatten().copied().map(point));
        let (middle, size) = bounds(&kept);
        View { range: self.range(), middle, size, camera: self.aim(&kept, middle, size) }
    }

    /// Points of the walls that are not much larger than what the spheres fill: they belong in the frame.
    fn framed_walls(&self, middle: DVec3, size: f64) -> Vec<Sphere> {
        let world = Camera { eye: DVec3::ZERO, right: DVec3::X, above: DVec3::Y, forward: DVec3::Z, unit: 1.0 };
        let points = |wall| panel(&world, wall).map_or(Vec::new(), |panel| panel.points());
        let near = |points: &Vec<Vec3>| points.iter().all(|p| p.as_dvec3().distance(middle) < 2.5 * size);
        let all = self.walls.iter().map(points).filter(near).flatten();
        all.map(|point| Sphere { centre: point.as_dvec3(), radius: 0.0, value: 0.0 }).collect()
    }

    /// A camera that shows the kept spheres as large as the frame allows.
    fn aim(&self, kept: &Kept<'_>, middle: DVec3, size: f64) -> Camera {
        let forward = self.view_direction(kept);
        let right = forward.cross(self.up).normalize();
        let mut camera = Camera { eye: DVec3::ZERO, right, above: right.cross(forward), forward, unit: size };
        let (mut target, mut distance) = (middle, 6.0 * size);
        // Perspective makes the two depend on each other; a few rounds settle them.
        for _ in 0..8 {
            camera.eye = target - forward * distance;
            let [left, right, low, high] = seen_bounds(&camera, kept);
            let (width, height) = ((FRAME[1] - FRAME[0]) / FOCAL, (FRAME[3] - FRAME[2]) / FOCAL);
            let shift = camera.right * (0.5 * (left + right)) + camera.above * (0.5 * (low + high));
            target += shift * distance;
            distance *= ((right - left) / width).max((high - low) / height).clamp(0.2, 5.0);
        }
        camera.eye = target - forward * distance;
        camera
    }

    /// Where the camera looks: along the thinner horizontal side of the scene and down, and across a slope.
    fn view_direction(&self, kept: &Kept<'_>) -> DVec3 {
        let up = self.up;
        let helper = if up.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
        let first = (helper - up * helper.dot(up)).normalize();
        let second = up.cross(first);
        let extent = |axis: DVec3| {
            let places = || kept.iter().flat_map(|body| body.spread(axis));
            places().fold(f64::NEG_INFINITY, f64::max) - places().fold(f64::INFINITY, f64::min)
        };
        let (width, depth, height) = (extent(first), extent(second), extent(up));
        let slope = self.planes.iter().map(|(_, normal)| *normal).find(|n| (0.2..0.985).contains(&n.dot(up)));
        let (front, side, degrees) = match slope {
            Some(normal) => {
                let downhill = (normal - up * normal.dot(up)).normalize();
                (up.cross(downhill), downhill, 20.0)
            }
            None if depth < 0.3 * width => (-second, first, 12.0),
            None if width < 0.3 * depth => (first, second, 12.0),
            None => (-second, first, 30.0),
        };
        let flat = height < 0.12 * width.max(depth);
        let (turn, tilt) = (radians(degrees), radians(if flat { 35.0 } else { 20.0 }));
        let towards_eye = (front * math::cos(turn) + side * math::sin(turn)) * math::cos(tilt) + up * math::sin(tilt);
        -towards_eye
    }
}

fn radians(degrees: f64) -> f64 {
    degrees * std::f64::consts::PI / 180.0
}

pub(super) fn frame_middle() -> Vec2 {
    Vec2::new((0.5 * (FRAME[0] + FRAME[1])) as f32, (0.5 * (FRAME[2] + FRAME[3])) as f32)
}

/// From where a state is seen, and in which colours.
pub(super) struct View {
    pub(super) range: Range,
    /// Middle of what is framed (m), and how far it reaches from there (m).
    pub(super) middle: DVec3,
    pub(super) size: f64,
    pub(super) camera: Camera,
}

pub(super) struct Camera {
    eye: DVec3,
    right: DVec3,
    above: DVec3,
    forward: DVec3,
    /// Length (m) that becomes 1 in the camera's frame.
    pub(super) unit: f64,
}

impl Camera {
    pub(super) fn turn(&self, v: DVec3) -> Vec3 {
        DVec3::new(v.dot(self.right), v.dot(self.above), v.dot(self.forward)).as_vec3()
    }

    pub(super) fn place(&self, point: DVec3) -> Vec3 {
        self.turn((point - self.eye) / self.unit)
    }
}

/// Least and greatest slope to the right and upwards under which the bodies are seen.
fn seen_bounds(camera: &Camera, bodies: &Kept<'_>) -> [f64; 4] {
    let mut bounds = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    for body in bodies.iter() {
        let c = camera.place(body.centre()).as_dvec3();
        // Good enough for a margin: the extent seen at the distance of the centre.
        let depth = c.z.max(1e-3);
        let [a, b] = [camera.right, camera.above].map(|axis| body.reach(axis) / camera.unit / depth);
        let (x, y) = (c.x / depth, c.y / depth);
        bounds = [bounds[0].min(x - a), bounds[1].max(x + a), bounds[2].min(y - b), bounds[3].max(y + b)];
    }
    if bodies.is_empty() { [-0.1, 0.1, -0.1, 0.1] } else { bounds }
}

/// A body of a drawing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Member<'a> {
    /// A sphere.
    Sphere(&'a Sphere),
    /// An ellipsoid or a box.
    Solid(&'a SolidBody),
}

impl Member<'_> {
    pub(super) fn centre(&self) -> DVec3 {
        match self {
            Member::Sphere(sphere) => sphere.centre,
            Member::Solid(solid) => solid.centre,
        }
    }

    pub(super) fn value(&self) -> f64 {
        match self {
            Member::Sphere(sphere) => sphere.value,
            Member::Solid(solid) => solid.value,
        }
    }

    /// How far it reaches from its centre along a unit vector (m).
    pub(super) fn reach(&self, axis: DVec3) -> f64 {
        match self {
            Member::Sphere(sphere) => sphere.radius,
            Member::Solid(solid) => solid.reach(axis),
        }
    }

    /// Radius of the sphere around it (m).
    pub(super) fn radius(&self) -> f64 {
        match self {
            Member::Sphere(sphere) => sphere.radius,
            Member::Solid(solid) if solid.form != Form::Ellipsoid => solid.half.length(),
            Member::Solid(solid) => solid.half.max_element(),
        }
    }

    /// Where it lies along an axis: of a solid both ends, but for what a sphere inside it would reach.
    fn spread(&self, axis: DVec3) -> [f64; 2] {
        let middle = self.centre().dot(axis);
        let beyond = match self {
            Member::Sphere(_) => 0.0,
            Member::Solid(solid) => solid.reach(axis) - solid.half.min_element(),
        };
        [middle - beyond, middle + beyond]
    }
}

/// The bodies that set the frame, from the nearest on, and more that belongs in it. In a large scene a copy is worth saving.
pub(super) struct Kept<'a> {
    drawing: &'a Drawing,
    numbers: Vec<u32>,
    more: Vec<Sphere>,
}

impl Kept<'_> {
    pub(super) fn iter(&self) -> impl Iterator<Item = Member<'_>> {
        let more = self.more.iter().map(Member::Sphere);
        self.numbers.iter().map(|&number| self.drawing.member(number as usize)).chain(more)
    }

    fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.more.is_empty()
    }
}

/// Middle of the box about the bodies, and how far they reach from there.
pub(super) fn bounds(bodies: &Kept<'_>) -> (DVec3, f64) {
    let extents = |body: &Member<'_>| DVec3::from_array(DVec3::AXES.map(|axis| body.reach(axis)));
    let low = bodies.iter().map(|b| b.centre() - extents(&b)).fold(DVec3::INFINITY, DVec3::min);
    let high = bodies.iter().map(|b| b.centre() + extents(&b)).fold(DVec3::NEG_INFINITY, DVec3::max);
    if bodies.is_empty() {
        return (DVec3::ZERO, 1.0);
    }
    let middle = 0.5 * (low + high);
    let size = bodies.iter().map(|b| (b.centre() - middle).length() + b.radius()).fold(0.0, f64::max);
    (middle, size.max(f64::MIN_POSITIVE))
}
