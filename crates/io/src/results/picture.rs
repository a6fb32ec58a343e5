//! The picture of a state: spheres coloured by speed or height, planes as ground, other walls
//! as glass where they would hide a grain, the edges of a periodic cell, a colour bar; 1200 x 800, PNG.
//!
//! The camera looks slightly down, from where the scene is widest, and frames the spheres but for the farthest 1 %, so
//! that a stray grain does not shrink the pile. The same state gives the same bytes. `render.rs` does the light.

use glam::{DQuat, DVec3, Vec2, Vec3};
use stickslip::World;
use stickslip::cell::Frame;
use stickslip::math;
use stickslip::shape::Shape;

use super::fixed::RunInfo;
use super::panel::Panel;
use super::render::{self, Ball, Ground, Stage};
use super::scales::{Range, draw_bar, draw_length};
use super::solid;

pub(super) const WIDTH: usize = 1200;
pub(super) const HEIGHT: usize = 800;
/// Pixels at left, right, top and bottom between which the spheres lie; the colour bar stands on the right.
const FRAME: [f64; 4] = [60.0, 1010.0, 60.0, 740.0];
/// Pixels to a unit of slope: an angle of view of 28 degrees from top to bottom.
const FOCAL: f64 = 1604.0;

/// What colours a state that moves.
const MOVING: &str = "speed (m/s)";

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The spheres.
    pub spheres: Vec<Sphere>,
    /// Planes: a point and the unit vector out of the solid side.
    pub planes: Vec<(DVec3, DVec3)>,
    /// Finite walls: shape, position and `world_from_body`.
    pub walls: Vec<(Shape, DVec3, DQuat)>,
    /// Lines: the edges of the periodic cell.
    pub edges: Vec<[DVec3; 2]>,
    /// Unit vector against gravity.
    pub up: DVec3,
    /// What the values are, with their unit: lower-case letters.
    pub label: &'static str,
    /// The value of the bar's lower end, if not the least.
    pub from: Option<f64>,
    /// The value of its upper end, if it does not follow from the spheres: for pictures that stand side by side.
    pub to: Option<f64>,
}

/// A sphere with the value that colours it.
#[derive(Clone, Copy, Debug)]
pub struct Sphere {
    /// Centre (m).
    pub centre: DVec3,
    /// Radius (m).
    pub radius: f64,
    /// The value.
    pub value: f64,
}

impl Drawing {
    /// A world now: coloured by speed while it moves, by height once it rests, or in a cell that repeats everywhere.
    pub fn of(world: &World, info: &RunInfo) -> Self {
        Drawing::without(world, info, &[])
    }

    /// The same without the bodies of these ids, which must ascend: a packing without its rattlers.
    pub fn without(world: &World, info: &RunInfo, hidden: &[u32]) -> Self {
        let gravity = world.model().gravity;
        let up = (-gravity).try_normalize().unwrap_or(DVec3::Z);
        let mut spheres = Vec::with_capacity(world.sphere_count());
        let (mut planes, mut walls) = (Vec::new(), Vec::new());
        for id in world.ids().filter(|id| hidden.binary_search(id).is_err()) {
            let body = world.body(id);
            // A body that has entered during the run is a sphere. An ellipsoid has a radius, too: that of the sphere around it.
            let entered = Shape::Sphere { radius: body.radius };
            match info.body(id as usize).map_or(entered, |fixed| fixed.shape) {
                Shape::Sphere { radius } => {
                    spheres.push(Sphere { centre: body.position, radius, value: body.velocity.length() });
                }
                shape @ (Shape::Ellipsoid { .. } | Shape::Box { .. }) => {
                    let placed = |(at, radius): (DVec3, f64)| Sphere {
                        centre: body.position + body.orientation * at,
                        radius,
                        value: body.velocity.length(),
                    };
                    spheres.extend(solid::balls(&shape).into_iter().map(placed));
                }
                Shape::Plane { normal } => planes.push((body.position, body.orientation * normal)),
                shape => walls.push((shape, body.position, body.orientation)),
            }
        }
        // A sphere whose centre is not finite (a run that failed) cannot be shown.
        spheres.retain(|sphere| sphere.centre.is_finite());
        // The farthest 1 % do not count: a grain that fell off the edge of the floor falls on.
        let kept = nearest(&spheres);
        let squares: f64 = kept.iter().map(|s| s.value * s.value).sum();
        let radii: f64 = kept.iter().map(|s| s.radius).sum();
        drop(kept);
        // Slower than a hundredth of the speed after a fall through its own size: it rests, as far as one can see.
        let resting = squares <= 1e-4 * gravity.length() * 2.0 * radii;
        let cell = world.cell().map(|cell| cell.frame);
        let edges = cell.map_or(Vec::new(), |frame| edges_of(&frame));
        let mut drawing = Drawing { spheres, planes, walls, edges, up, label: MOVING, from: Some(0.0), to: None };
        // Without gravity and walls no speed is large or small by itself.
        if resting || cell.is_some_and(|frame| frame.repeats_everywhere()) {
            drawing.colour_by_height("height (m)");
        }
        drawing
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        self.seen_by(&self.view())
    }

    /// Pictures of several states for comparing them: one camera and one colour scale for all, and that scale in words. If
    /// some rest and others move, all are coloured by height. Those marked `true` set camera and scale.
    pub fn side_by_side(mut drawings: Vec<(Drawing, bool)>) -> (Vec<Vec<u8>>, String) {
        if let Some(resting) = drawings.iter().map(|(drawing, _)| drawing.label).find(|label| *label != MOVING) {
            drawings.iter_mut().for_each(|(drawing, _)| drawing.colour_by_height(resting));
        }
        let leading: Vec<&Drawing> = drawings.iter().filter(|(_, leads)| *leads).map(|(drawing, _)| drawing).collect();
        let Some(first) = leading.first().copied().cloned() else { return (Vec::new(), String::new()) };
        let spheres = leading.iter().flat_map(|drawing| drawing.spheres.iter().copied()).collect();
        let label = first.label;
        let view = Drawing { spheres, ..first }.view();
        let [low, high] = [view.range.low, view.range.high].map(|value| view.range.text(value));
        let pictures = drawings.iter().map(|(drawing, _)| drawing.seen_by(&view)).collect();
        (pictures, format!("{label}, from {low} (dark) to {high} (bright)"))
    }

    /// How far the highest sphere reaches against gravity (m); `None` without spheres.
    pub fn top(&self) -> Option<f64> {
        self.spheres.iter().map(|sphere| sphere.centre.dot(self.up) + sphere.radius).max_by(f64::total_cmp)
    }

    fn colour_by_height(&mut self, label: &'static str) {
        let up = self.up;
        self.spheres.iter_mut().for_each(|sphere| sphere.value = sphere.centre.dot(up));
        (self.label, self.from) = (label, None);
    }

    fn seen_by(&self, view: &View) -> Vec<u8> {
        let light = render::render(&self.stage(view));
        let encode = gamma_table();
        let to_byte = |light: f32| encode[(light.clamp(0.0, 1.0) * 4095.0) as usize];
        let mut pixels: Vec<[u8; 3]> = light.iter().map(|p| p.to_array().map(to_byte)).collect();
        if !self.spheres.is_empty() {
            draw_bar(&mut pixels, &view.range, self.label);
            // As long as it is seen at the depth of the scene's middle.
            let depth = f64::from(view.camera.place(view.middle).z) * view.size;
            draw_length(&mut pixels, FRAME[0] as f32, depth / FOCAL);
        }
        encode_png(&pixels)
    }

    /// The values of the bar's ends. The fastest 1 % do not set the upper end.
    fn range(&self) -> Range {
        let mut values: Vec<f64> = self.spheres.iter().map(|s| s.value).collect();
        values.sort_unstable_by(f64::total_cmp);
        let (Some(&least), Some(&greatest)) = (values.first(), values.last()) else {
            return Range { low: 0.0, high: 1.0, beyond: false };
        };
        let low = self.from.unwrap_or(least);
        let high = if let Some(to) = self.to {
            to
        } else if self.from.is_some() {
            values[values.len() - 1 - values.len() / 100]
        } else {
            greatest
        };
        let room = 1e-9 * low.abs().max(f64::MIN_POSITIVE);
        Range { low, high: high.max(low + room), beyond: greatest > high }
    }

    /// From where it is seen, and in which colours.
    fn view(&self) -> View {
        let mut kept = nearest(&self.spheres);
        let (middle, size) = bounds(&kept);
        kept.more.extend(self.framed_walls(middle, size));
        let point = |centre: DVec3| Sphere { centre, radius: 0.0, value: 0.0 };
        kept.more.extend(self.edges.iter().flatten().copied().map(point));
        let (middle, size) = bounds(&kept);
        View { range: self.range(), middle, size, camera: self.aim(&kept, middle, size) }
    }

    /// The scene in the camera's frame, about one unit large.
    fn stage(&self, view: &View) -> Stage {
        let View { range, middle, size, camera } = view;
        let (middle, size) = (*middle, *size);
        let colours = colour_map();
        let ball = |sphere: &Sphere| Ball {
            centre: camera.place(sphere.centre),
            radius: (sphere.radius / size) as f32,
            colour: colours[(range.share(sphere.value) * 255.0) as usize],
        };
        let lines = self.edges.iter().flat_map(|edge| line(edge.map(|end| camera.place(end))));
        let ground = |&(point, normal): &(DVec3, DVec3)| {
            // The point of the plane nearest the scene: a far one would lose digits.
            let near = middle - normal * (middle - point).dot(normal);
            Ground { point: camera.place(near), normal: camera.turn(normal) }
        };
        // What a failed run has flung away may lie beyond single precision.
        let seen = |ball: &Ball| ball.centre.is_finite();
        let mut balls: Vec<Ball> = self.spheres.iter().map(ball).filter(seen).collect();
        let casting = balls.len();
        balls.extend(lines.filter(seen));
        Stage {
            balls,
            casting,
            grounds: self.planes.iter().map(ground).collect(),
            panels: self.walls.iter().filter_map(|wall| panel(camera, wall)).collect(),
            up: camera.turn(self.up),
            middle: camera.place(middle),
            size: 1.0,
            pixels: (WIDTH, HEIGHT),
            aim: frame_middle(),
            focal: FOCAL as f32,
        }
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
            let places = || kept.iter().map(|s| s.centre.dot(axis));
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

/// The twelve edges of a cell.
pub fn edges_of(frame: &Frame) -> Vec<[DVec3; 2]> {
    let [a, b, c] = [frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis];
    let four = |along: DVec3, u: DVec3, v: DVec3| {
        [DVec3::ZERO, u, v, u + v].map(|start| [frame.corner + start, frame.corner + start + along])
    };
    [four(a, b, c), four(b, c, a), four(c, a, b)].concat()
}

/// Half the width of a line, of the scene's size.
const LINE: f32 = 0.0025;

/// A line as small dark balls, so close that they run together.
fn line([from, to]: [Vec3; 2]) -> impl Iterator<Item = Ball> {
    // A cell that is no cell any more, of a failed run, is not drawn.
    let length = (to - from).length();
    let count = if length < 1e3 { (length / LINE) as usize + 1 } else { 0 };
    (0..count).map(move |k| Ball {
        centre: from + (to - from) * (k as f32 / count as f32),
        radius: LINE,
        colour: Vec3::splat(0.02),
    })
}

/// A finite wall as the camera sees it.
fn panel(camera: &Camera, &(shape, position, orientation): &(Shape, DVec3, DQuat)) -> Option<Panel> {
    let (at, turn) = (camera.place(position), |v: DVec3| camera.turn(orientation * v));
    let length = |x: f64| (x / camera.unit) as f32;
    match shape {
        Shape::Rectangle { normal, along, size, .. } => {
            let half = Vec2::new(length(0.5 * size[0]), length(0.5 * size[1]));
            Some(Panel::Rectangle { at, normal: turn(normal), along: turn(along), half })
        }
        Shape::Tube { radius, length: long, axis, .. } => {
            let radii = [length(radius); 2];
            Some(Panel::Turned { at, axis: turn(axis), radii, half_length: length(0.5 * long) })
        }
        Shape::Cone { radii, length: long, axis, .. } => {
            Some(Panel::Turned { at, axis: turn(axis), radii: radii.map(length), half_length: length(0.5 * long) })
        }
        Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Box { .. } | Shape::Plane { .. } => None,
    }
}

fn radians(degrees: f64) -> f64 {
    degrees * std::f64::consts::PI / 180.0
}

fn frame_middle() -> Vec2 {
    Vec2::new((0.5 * (FRAME[0] + FRAME[1])) as f32, (0.5 * (FRAME[2] + FRAME[3])) as f32)
}

/// From where a state is seen, and in which colours.
struct View {
    range: Range,
    /// Middle of what is framed (m), and how far it reaches from there (m).
    middle: DVec3,
    size: f64,
    camera: Camera,
}

struct Camera {
    eye: DVec3,
    right: DVec3,
    above: DVec3,
    forward: DVec3,
    /// Length (m) that becomes 1 in the camera's frame.
    unit: f64,
}

impl Camera {
    fn turn(&self, v: DVec3) -> Vec3 {
        DVec3::new(v.dot(self.right), v.dot(self.above), v.dot(self.forward)).as_vec3()
    }

    fn place(&self, point: DVec3) -> Vec3 {
        self.turn((point - self.eye) / self.unit)
    }
}

/// Least and greatest slope to the right and upwards under which the spheres are seen.
fn seen_bounds(camera: &Camera, spheres: &Kept<'_>) -> [f64; 4] {
    let mut bounds = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    for sphere in spheres.iter() {
        let c = camera.place(sphere.centre).as_dvec3();
        // Good enough for a margin: the radius seen at the distance of the centre.
        let depth = c.z.max(1e-3);
        let r = sphere.radius / camera.unit / depth;
        let (x, y) = (c.x / depth, c.y / depth);
        bounds = [bounds[0].min(x - r), bounds[1].max(x + r), bounds[2].min(y - r), bounds[3].max(y + r)];
    }
    if spheres.is_empty() { [-0.1, 0.1, -0.1, 0.1] } else { bounds }
}

/// The spheres that set the frame, from the nearest on, and more that belong in it. In a large scene a copy is worth saving.
struct Kept<'a> {
    spheres: &'a [Sphere],
    numbers: Vec<u32>,
    more: Vec<Sphere>,
}

impl Kept<'_> {
    fn iter(&self) -> impl Iterator<Item = &Sphere> {
        self.numbers.iter().map(|&number| &self.spheres[number as usize]).chain(&self.more)
    }

    fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.more.is_empty()
    }
}

/// The spheres but for the farthest 1 % from their median.
fn nearest(spheres: &[Sphere]) -> Kept<'_> {
    let median = |axis: usize| {
        let mut places: Vec<f64> = spheres.iter().map(|s| s.centre[axis]).collect();
        places.sort_unstable_by(f64::total_cmp);
        places.get(places.len() / 2).copied().unwrap_or(0.0)
    };
    let centre = DVec3::new(median(0), median(1), median(2));
    let far = |sphere: &Sphere| (sphere.centre - centre).length_squared();
    let mut order: Vec<(f64, u32)> = spheres.iter().map(far).zip(0..).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.truncate(spheres.len() - spheres.len() / 100);
    Kept { spheres, numbers: order.iter().map(|&(_, number)| number).collect(), more: Vec::new() }
}

/// Middle of the box about the spheres, and how far they reach from there.
fn bounds(spheres: &Kept<'_>) -> (DVec3, f64) {
    let low = spheres.iter().map(|s| s.centre - s.radius).fold(DVec3::INFINITY, DVec3::min);
    let high = spheres.iter().map(|s| s.centre + s.radius).fold(DVec3::NEG_INFINITY, DVec3::max);
    if spheres.is_empty() {
        return (DVec3::ZERO, 1.0);
    }
    let middle = 0.5 * (low + high);
    let size = spheres.iter().map(|s| (s.centre - middle).length() + s.radius).fold(0.0, f64::max);
    (middle, size.max(f64::MIN_POSITIVE))
}

/// The map viridis, dark to light, in equal steps of lightness; sRGB.
const VIRIDIS: [[f64; 3]; 9] = [
    [72.0, 24.0, 106.0],
    [70.0, 51.0, 127.0],
    [59.0, 84.0, 140.0],
    [44.0, 114.0, 142.0],
    [33.0, 145.0, 140.0],
    [42.0, 176.0, 127.0],
    [94.0, 201.0, 98.0],
    [172.0, 220.0, 48.0],
    [253.0, 231.0, 37.0],
];

pub(super) fn viridis(share: f64) -> [f64; 3] {
    let place = share * (VIRIDIS.len() - 1) as f64;
    let index = (place as usize).min(VIRIDIS.len() - 2);
    let part = place - index as f64;
    std::array::from_fn(|c| VIRIDIS[index][c] + part * (VIRIDIS[index + 1][c] - VIRIDIS[index][c]))
}

/// 256 colours in linear light.
fn colour_map() -> Vec<Vec3> {
    let linear = |byte: f64| math::pow(byte / 255.0, 2.2) as f32;
    (0..256).map(|i| Vec3::from_array(viridis(f64::from(i) / 255.0).map(linear))).collect()
}

/// Bytes for 4096 levels of light.
fn gamma_table() -> Vec<u8> {
    (0..4096).map(|i| (255.0 * math::pow((f64::from(i) + 0.5) / 4096.0, 1.0 / 2.2) + 0.5) as u8).collect()
}

fn encode_png(pixels: &[[u8; 3]]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels.as_flattened())?;
        writer.finish()
    });
    written.expect("an image of fixed size is written to memory");
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(file: &[u8]) -> Vec<u8> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (1200, 800));
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        bytes
    }

    fn brightness(bytes: &[u8], x: usize, y: usize) -> u32 {
        bytes[3 * (y * WIDTH + x)..][..3].iter().map(|&b| u32::from(b)).sum()
    }

    fn one_ball() -> Drawing {
        let ball = Sphere { centre: DVec3::new(3.0, 0.0, 0.5), radius: 0.5, value: 1.0 };
        Drawing {
            spheres: vec![ball],
            planes: vec![(DVec3::ZERO, DVec3::Z)],
            walls: vec![],
            edges: vec![],
            up: DVec3::Z,
            label: "height (m)",
            from: None,
            to: None,
        }
    }

    #[test]
    fn a_sphere_in_the_middle_is_lit_and_its_shadow_lies_below_the_same_each_time() {
        let file = one_ball().to_png();
        assert_eq!(file, one_ball().to_png());
        let bytes = decode(&file);
        let (x, y) = (540, 400);
        let (upper_left, lower_right) = (brightness(&bytes, x - 120, y - 160), brightness(&bytes, x + 160, y + 230));
        assert!(upper_left > 90 && upper_left > 2 * lower_right, "{upper_left} {lower_right}");
        // Green to purple: it is the sphere and not the grey around it.
        let middle = &bytes[3 * (y * WIDTH + x)..][..3];
        assert!(middle[0].abs_diff(middle[1]) > 20, "{middle:?}");
        // Just below the sphere's lowest pixel, its shadow on the ground.
        let corner = brightness(&bytes, 5, 5);
        let shadow = (x..x + 200).map(|x| brightness(&bytes, x, 748)).min().unwrap_or(corner);
        assert!(corner > 600 && shadow < corner * 2 / 3, "{corner} {shadow}");
    }

    #[test]
    fn a_stray_grain_does_not_shrink_the_pile() {
        let grain =
            |i: i32| Sphere { centre: DVec3::new(f64::from(i % 20), f64::from(i / 20), 0.0), radius: 0.5, value: 0.0 };
        let mut spheres: Vec<Sphere> = (0..200).map(grain).collect();
        let (_, size) = bounds(&nearest(&spheres));
        spheres[7].centre = DVec3::new(1e4, 0.0, 0.0);
        let (_, with_stray) = bounds(&nearest(&spheres));
        assert!((with_stray - size).abs() < 2.0, "{size} {with_stray}");
    }

    #[test]
    fn the_edges_of_a_cell_are_dark_lines_around_its_spheres() {
        let frame = Frame::new(glam::DMat3::from_diagonal(DVec3::splat(4.0)));
        let edges = edges_of(&frame);
        assert_eq!(edges.len(), 12);
        // Each corner ends three of them.
        let ends = |at: DVec3| edges.iter().flatten().filter(|end| **end == at).count();
        assert_eq!([ends(DVec3::ZERO), ends(DVec3::splat(4.0)), ends(DVec3::new(4.0, 0.0, 4.0))], [3; 3]);
        let ball = Sphere { centre: DVec3::splat(2.0), radius: 0.5, value: 1.0 };
        let drawing = Drawing { spheres: vec![ball], planes: vec![], edges, ..one_ball() };
        let bytes = decode(&drawing.to_png());
        let view = drawing.view();
        // The middle of the edge nearest to the eye, and a point of the empty background beside it.
        let seen = |at: DVec3| {
            let c = view.camera.place(at);
            let (x, y) = (c.x / c.z * FOCAL as f32 + frame_middle().x, frame_middle().y - c.y / c.z * FOCAL as f32);
            (x as usize, y as usize)
        };
        let (x, y) = seen(DVec3::new(4.0, 0.0, 2.0));
        let darkest = (x - 3..=x + 3).map(|x| brightness(&bytes, x, y)).min().unwrap();
        assert!(darkest < 300 && brightness(&bytes, x + 30, y) > 500, "{darkest} {}", brightness(&bytes, x + 30, y));
    }

    #[test]
    fn hidden_bodies_are_not_drawn() {
        let (world, info) = crate::results::testing::small_world();
        let places = |drawing: Drawing| drawing.spheres.iter().map(|sphere| sphere.centre).collect::<Vec<_>>();
        assert_eq!(places(Drawing::of(&world, &info)).len(), 2);
        assert_eq!(places(Drawing::without(&world, &info, &[1])), [world.body(2).position]);
        let without_floor = Drawing::without(&world, &info, &[0, 2]);
        assert!(without_floor.planes.is_empty() && without_floor.spheres.len() == 1);
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        let empty = Drawing { spheres: vec![], ..one_ball() };
        decode(&empty.to_png());
    }

    #[test]
    fn states_side_by_side_have_one_scale() {
        let mut low = one_ball();
        low.spheres[0].value = 0.0;
        let (pictures, scale) = Drawing::side_by_side(vec![(one_ball(), true), (low.clone(), true)]);
        assert_eq!(pictures.len(), 2);
        // The same place, and so the same height: what coloured them before does not matter.
        assert_eq!(pictures[0], pictures[1]);
        assert!(scale.starts_with("height (m), from 0.5"), "{scale}");
        // Of two that move the slower one has another colour than alone.
        let moving = |value: f64| {
            let mut drawing = Drawing { label: MOVING, from: Some(0.0), ..one_ball() };
            drawing.spheres[0].value = value;
            drawing
        };
        let (pictures, _) = Drawing::side_by_side(vec![(moving(1.0), true), (moving(0.1), true)]);
        assert_ne!(pictures[0], pictures[1]);
        assert_eq!(Drawing::side_by_side(vec![]).0.len(), 0);
    }
}
