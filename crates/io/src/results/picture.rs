//! The picture of a state: spheres, ellipsoids and boxes coloured by speed or height, planes as ground, other walls
//! as glass where they would hide a grain, the edges of a periodic cell, a colour bar; 1200 x 800, PNG.
//!
//! The same state gives the same bytes, on any number of threads. `framing.rs` places the camera, `render.rs` does the light.

use std::sync::atomic::AtomicBool;

use glam::{DQuat, DVec3, Mat3, Vec2, Vec3};
use stickslip::World;
use stickslip::cell::Frame;
use stickslip::math;
use stickslip::measure::PartView;
use stickslip::shape::{Shape, frame_along};

use super::framing::{Camera, View, frame_middle};
use super::panel::Panel;
use super::render::{self, Ball, Ground, Stage};
use super::scales::{Range, draw_bar, draw_length};
use super::solid::{Form, Solid};

pub(super) const WIDTH: usize = 1200;
pub(super) const HEIGHT: usize = 800;
/// Pixels at left, right, top and bottom between which the spheres lie; the colour bar stands on the right.
pub(super) const FRAME: [f64; 4] = [60.0, 1010.0, 60.0, 740.0];
/// Pixels to a unit of slope: an angle of view of 28 degrees from top to bottom.
pub(super) const FOCAL: f64 = 1604.0;

/// What colours a state that moves.
const MOVING: &str = "speed (m/s)";

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The spheres.
    pub spheres: Vec<Sphere>,
    /// The ellipsoids and boxes.
    pub solids: Vec<SolidBody>,
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

/// An ellipsoid or a box with the value that colours it.
#[derive(Clone, Copy, Debug)]
pub struct SolidBody {
    /// Centre (m).
    pub centre: DVec3,
    /// `world_from_body`.
    pub orientation: DQuat,
    /// Half its extent along each axis of the body's frame (m).
    pub half: DVec3,
    /// What it is.
    pub form: Form,
    /// The value.
    pub value: f64,
}

impl SolidBody {
    /// How far it reaches from its centre along a unit vector (m).
    pub fn reach(&self, axis: DVec3) -> f64 {
        let extents = (self.orientation.conjugate() * axis) * self.half;
        self.form.reach(extents.to_array())
    }
}

impl Drawing {
    /// A world now: coloured by speed while it moves, by height once it rests, or in a cell that repeats everywhere.
    pub fn of(world: &World) -> Self {
        Drawing::without(world, &[])
    }

    /// The same without the bodies of these ids, which must ascend: a packing without its rattlers.
    pub fn without(world: &World, hidden: &[u32]) -> Self {
        let gravity = world.model().gravity.at(world.time());
        let up = (-gravity).try_normalize().unwrap_or(DVec3::Z);
        let mut spheres = Vec::with_capacity(world.sphere_count());
        let (mut solids, mut planes, mut walls) = (Vec::new(), Vec::new(), Vec::new());
        for id in world.ids().filter(|id| hidden.binary_search(id).is_err()) {
            let value = world.body(id).velocity.length();
            for PartView { shape, position, orientation } in world.parts(id) {
                match shape {
                    Shape::Sphere { radius } => spheres.push(Sphere { centre: position, radius, value }),
                    Shape::Ellipsoid { axes } => {
                        solids.push(solid((position, orientation), axes, Form::Ellipsoid, value))
                    }
                    Shape::Box { size } => {
                        solids.push(solid((position, orientation), 0.5 * size, Form::Box, value));
                    }
                    Shape::Cylinder { radius, length, axis } => {
                        let turn = orientation * DQuat::from_mat3(&frame_along(axis));
                        let half = DVec3::new(radius, radius, 0.5 * length);
                        solids.push(solid((position, turn), half, Form::Cylinder, value));
                    }
                    Shape::Plane { normal } => planes.push((position, orientation * normal)),
                    shape => walls.push((shape, position, orientation)),
                }
            }
        }
        // A body whose centre is not finite (a run that failed) cannot be shown.
        spheres.retain(|sphere| sphere.centre.is_finite());
        solids.retain(|solid| solid.centre.is_finite() && solid.orientation.is_finite());
        let cell = world.cell().map(|cell| cell.frame);
        let edges = cell.map_or(Vec::new(), |frame| edges_of(&frame));
        let mut drawing =
            Drawing { spheres, solids, planes, walls, edges, up, label: MOVING, from: Some(0.0), to: None };
        // The farthest 1 % do not count: a grain that fell off the edge of the floor falls on.
        let kept = drawing.nearest();
        let squares: f64 = kept.iter().map(|body| body.value() * body.value()).sum();
        let radii: f64 = kept.iter().map(|body| body.radius()).sum();
        drop(kept);
        // Slower than a hundredth of the speed after a fall through its own size: it rests, as far as one can see.
        let resting = squares <= 1e-4 * gravity.length() * 2.0 * radii;
        // Without gravity and walls no speed is large or small by itself.
        if resting || cell.is_some_and(|frame| frame.repeats_everywhere()) {
            drawing.colour_by_height("height (m)");
        }
        drawing
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        self.to_png_unless(&AtomicBool::new(false)).unwrap_or_default()
    }

    /// The same; `None` if `stop` is set before it is drawn.
    pub fn to_png_unless(&self, stop: &AtomicBool) -> Option<Vec<u8>> {
        self.seen_by(&self.view(), stop)
    }

    /// Pictures of several states for comparing them: one camera and one colour scale for all, and that scale in words. If
    /// some rest and others move, all are coloured by height. Those marked `true` set camera and scale.
    /// A picture is missing if `stop` is set before it is drawn.
    pub fn side_by_side(mut drawings: Vec<(Drawing, bool)>, stop: &AtomicBool) -> (Vec<Option<Vec<u8>>>, String) {
        if let Some(resting) = drawings.iter().map(|(drawing, _)| drawing.label).find(|label| *label != MOVING) {
            drawings.iter_mut().for_each(|(drawing, _)| drawing.colour_by_height(resting));
        }
        let leading: Vec<&Drawing> = drawings.iter().filter(|(_, leads)| *leads).map(|(drawing, _)| drawing).collect();
        let Some(first) = leading.first().copied().cloned() else { return (Vec::new(), String::new()) };
        let spheres = leading.iter().flat_map(|drawing| drawing.spheres.iter().copied()).collect();
        let solids = leading.iter().flat_map(|drawing| drawing.solids.iter().copied()).collect();
        let label = first.label;
        let view = Drawing { spheres, solids, ..first }.view();
        let [low, high] = [view.range.low, view.range.high].map(|value| view.range.text(value));
        let pictures = drawings.iter().map(|(drawing, _)| drawing.seen_by(&view, stop)).collect();
        (pictures, format!("{label}, from {low} (dark) to {high} (bright)"))
    }

    /// How far the highest body reaches against gravity (m); `None` without bodies.
    pub fn top(&self) -> Option<f64> {
        self.members().map(|body| body.centre().dot(self.up) + body.reach(self.up)).max_by(f64::total_cmp)
    }

    fn colour_by_height(&mut self, label: &'static str) {
        let up = self.up;
        self.spheres.iter_mut().for_each(|sphere| sphere.value = sphere.centre.dot(up));
        self.solids.iter_mut().for_each(|solid| solid.value = solid.centre.dot(up));
        (self.label, self.from) = (label, None);
    }

    fn seen_by(&self, view: &View, stop: &AtomicBool) -> Option<Vec<u8>> {
        let light = render::render(&self.stage(view), stop)?.pixels;
        let encode = gamma_table();
        let to_byte = |light: f32| encode[(light.clamp(0.0, 1.0) * 4095.0) as usize];
        let mut pixels: Vec<[u8; 3]> = light.iter().map(|p| p.to_array().map(to_byte)).collect();
        if self.members().next().is_some() {
            draw_bar(&mut pixels, &view.range, self.label);
            // As long as it is seen at the depth of the scene's middle.
            let depth = f64::from(view.camera.place(view.middle).z) * view.size;
            draw_length(&mut pixels, FRAME[0] as f32, depth / FOCAL);
        }
        Some(encode_png(&pixels))
    }

    /// The values of the bar's ends. The fastest 1 % do not set the upper end.
    pub(super) fn range(&self) -> Range {
        let mut values: Vec<f64> = self.members().map(|body| body.value()).collect();
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

    /// The scene in the camera's frame, about one unit large.
    fn stage(&self, view: &View) -> Stage {
        let View { range, middle, size, camera } = view;
        let (middle, size) = (*middle, *size);
        let colours = colour_map();
        let colour = |value: f64| colours[(range.share(value) * 255.0) as usize];
        let ball = |sphere: &Sphere| Ball {
            centre: camera.place(sphere.centre),
            radius: (sphere.radius / size) as f32,
            colour: colour(sphere.value),
        };
        let solid = |solid: &SolidBody| Solid {
            centre: camera.place(solid.centre),
            axes: Mat3::from_cols_array_2d(&DVec3::AXES.map(|axis| camera.turn(solid.orientation * axis).to_array())),
            half: (solid.half / size).as_vec3(),
            form: solid.form,
            colour: colour(solid.value),
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
            solids: self.solids.iter().map(solid).filter(|solid| solid.centre.is_finite()).collect(),
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
}

fn solid((centre, orientation): (DVec3, DQuat), half: DVec3, form: Form, value: f64) -> SolidBody {
    SolidBody { centre, orientation, half, form, value }
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
pub(super) fn panel(camera: &Camera, (shape, position, orientation): &(Shape, DVec3, DQuat)) -> Option<Panel> {
    let (at, turn) = (camera.place(*position), |v: DVec3| camera.turn(*orientation * v));
    let length = |x: f64| (x / camera.unit) as f32;
    match *shape {
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
        Shape::Cylinder { .. } | Shape::Clump(_) => None,
    }
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
    use super::super::framing::bounds;
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
            solids: vec![],
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
        let mut drawing = Drawing { spheres: (0..200).map(grain).collect(), ..one_ball() };
        let (_, size) = bounds(&drawing.nearest());
        drawing.spheres[7].centre = DVec3::new(1e4, 0.0, 0.0);
        let (_, with_stray) = bounds(&drawing.nearest());
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
        let (world, _) = crate::results::testing::small_world();
        let places = |drawing: Drawing| drawing.spheres.iter().map(|sphere| sphere.centre).collect::<Vec<_>>();
        assert_eq!(places(Drawing::of(&world)).len(), 2);
        assert_eq!(places(Drawing::without(&world, &[1])), [world.body(2).position]);
        let without_floor = Drawing::without(&world, &[0, 2]);
        assert!(without_floor.planes.is_empty() && without_floor.spheres.len() == 1);
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        let empty = Drawing { spheres: vec![], ..one_ball() };
        decode(&empty.to_png());
    }

    #[test]
    fn states_side_by_side_have_one_scale() {
        let never = AtomicBool::new(false);
        let mut low = one_ball();
        low.spheres[0].value = 0.0;
        let (pictures, scale) = Drawing::side_by_side(vec![(one_ball(), true), (low.clone(), true)], &never);
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
        let (pictures, _) = Drawing::side_by_side(vec![(moving(1.0), true), (moving(0.1), true)], &never);
        assert_ne!(pictures[0], pictures[1]);
        assert_eq!(Drawing::side_by_side(vec![], &never).0.len(), 0);
    }
}
