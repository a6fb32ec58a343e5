//! A small renderer of spheres, ellipsoids, boxes and walls: rays against bodies in a depth buffer (`canvas.rs`), lit by a sun
//! and a sky (`lights.rs`).
//!
//! Each pixel has 2 x 2 samples, and each sample asks a quarter of the sky. All arithmetic is per sample, so the image does
//! not depend on the number of threads. Everything is in the camera's frame: x to the right, y up, z away from the eye, with
//! the scene about one unit large, which makes `f32` enough.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::canvas::{Canvas, NOTHING, Patch, TILE, front_to_back};
use super::lights::Lights;
use super::panel::{Hit, Panel};
use super::solid::{Perspective, Solid, nearest};

/// Samples along each side of a pixel.
pub const SUPER: usize = 2;
/// Rows of pixels that are drawn by one thread at a time: whole tiles.
const BAND: usize = 10 * TILE;
/// Bodies drawn between two looks at whether to stop.
pub const UNSTOPPED: usize = 1024;

/// A sphere to draw.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Centre.
    pub centre: Vec3,
    /// Radius.
    pub radius: f32,
    /// Linear colour.
    pub colour: Vec3,
}

/// A plane to draw where it bounds the room that all planes leave free.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// A point of it.
    pub point: Vec3,
    /// Unit vector out of its solid side.
    pub normal: Vec3,
}

/// What is seen, and how.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The spheres.
    pub balls: Vec<Ball>,
    /// How many of them cast shadows: lines, which come after the others, do not.
    pub casting: usize,
    /// The ellipsoids and boxes.
    pub solids: Vec<Solid>,
    /// The planes.
    pub grounds: Vec<Ground>,
    /// Other walls.
    pub panels: Vec<Panel>,
    /// Unit vector against gravity.
    pub up: Vec3,
    /// Middle of the scene: planes fade with the distance from it.
    pub middle: Vec3,
    /// Half the size of what is framed.
    pub size: f32,
    /// Width and height of the image in pixels.
    pub pixels: (usize, usize),
    /// The pixel at which the camera points.
    pub aim: Vec2,
    /// Pixels to a unit of slope (x/z).
    pub focal: f32,
}

/// A picture, and what it took.
pub struct Rendered {
    /// Pixels in linear light, row by row from the top.
    pub pixels: Vec<Vec3>,
    /// How many samples were tested against a body.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests bound the work"))]
    pub tests: u64,
}

/// Draws a stage on the threads of the pool that it is called in; `None` if `stop` is set meanwhile.
pub fn render(stage: &Stage, stop: &AtomicBool) -> Option<Rendered> {
    let (width, height) = stage.pixels;
    let lights = Lights::new(stage, stop)?;
    let view = perspective(stage);
    let range = [-stage.size, stage.size].map(|from| stage.middle.z + from);
    let near = |body: usize| match stage.balls.get(body) {
        Some(ball) => ball.centre.z - ball.radius,
        None => stage.solids[body - stage.balls.len()].centre.z,
    };
    let order = front_to_back(stage.balls.len() + stage.solids.len(), range, near);
    let mut pixels = vec![Vec3::ZERO; width * height];
    let bands = pixels.par_chunks_mut((BAND * width).max(1)).enumerate();
    let tests = bands.map(|(band, pixels)| {
        let rows = band * BAND * SUPER..(band * BAND + pixels.len() / width) * SUPER;
        let mut samples = Samples { stage, lights: &lights, view, canvas: Canvas::new(width * SUPER, rows, true) };
        samples.draw_all(&order, stop).then(|| samples.shade_all(pixels, stop)).flatten()
    });
    let tests: Vec<u64> = tests.collect::<Option<_>>()?;
    Some(Rendered { pixels, tests: lights.tests() + tests.iter().sum::<u64>() })
}

/// The rays through all samples of the picture.
fn perspective(stage: &Stage) -> Perspective {
    let pitch = 1.0 / (stage.focal * SUPER as f32);
    let corner = Vec2::new(-stage.aim.x, stage.aim.y) / stage.focal;
    Perspective { origin: corner + Vec2::new(0.5 * pitch, -0.5 * pitch), pitch }
}

/// The samples of some rows of the image.
struct Samples<'a> {
    stage: &'a Stage,
    lights: &'a Lights,
    view: Perspective,
    canvas: Canvas,
}

impl Samples<'_> {
    /// Draws all bodies. Returns whether it came to that.
    fn draw_all(&mut self, order: &[u32], stop: &AtomicBool) -> bool {
        for (count, &id) in order.iter().enumerate() {
            if count.is_multiple_of(UNSTOPPED) && stop.load(Ordering::Relaxed) {
                return false;
            }
            match self.stage.body(id) {
                Body::Ball(ball) => self.draw(ball, id),
                Body::Solid(solid) => solid.paint_seen(&self.view, &mut self.canvas, id),
            }
        }
        true
    }

    fn draw(&mut self, ball: &Ball, id: u32) {
        let (c, r) = (ball.centre, ball.radius);
        if c.z - r < 1e-3 {
            return;
        }
        let (left, right) = slopes(c.x, c.z, r);
        let (low, high) = slopes(c.y, c.z, r);
        let view = self.view;
        let index = |slope: f32, most: usize| (slope / view.pitch).ceil().clamp(0.0, most as f32) as usize;
        let (wide, end) = (self.canvas.columns, self.canvas.rows.end);
        let columns = index(left - view.origin.x, wide)..index(right - view.origin.x, wide);
        let rows = index(view.origin.y - high, end)..index(view.origin.y - low, end);
        let patch = Patch { columns, rows, near: nearest(c.z, r), fronts: &[], slant: None };
        self.canvas.paint(&patch, id, |i, j| {
            // Everything relative to where the ray crosses the plane z = c.z, so that no digits are lost.
            let slope = view.slope(i, j);
            let w = Vec2::new(slope.x * c.z - c.x, slope.y * c.z - c.y);
            let squared = 1.0 + slope.length_squared();
            let along = w.dot(slope);
            let discriminant = along * along - squared * (w.length_squared() - r * r);
            let depth = c.z - (along + discriminant.max(0.0).sqrt()) / squared;
            if discriminant > 0.0 { depth } else { f32::INFINITY }
        });
    }

    /// The light of all pixels; returns how many samples were tested, if `stop` was not set meanwhile.
    fn shade_all(&self, pixels: &mut [Vec3], stop: &AtomicBool) -> Option<u64> {
        let share = 1.0 / (SUPER * SUPER) as f32;
        let rows = self.canvas.rows.clone().step_by(SUPER);
        for (first, pixels) in rows.zip(pixels.chunks_mut(self.stage.pixels.0)) {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            for (column, pixel) in pixels.iter_mut().enumerate() {
                for part in 0..SUPER * SUPER {
                    *pixel += self.shade(column * SUPER + part % SUPER, first + part / SUPER, part) * share;
                }
            }
        }
        Some(self.canvas.tests)
    }

    /// Light that comes to the eye along a sample's ray.
    fn shade(&self, i: usize, j: usize, part: usize) -> Vec3 {
        let (stage, lights) = (self.stage, self.lights);
        let ray = self.view.slope(i as f32, j as f32).extend(1.0);
        let (body, depth) = self.canvas.seen(i, j);
        let behind = background(ray.y, stage);
        let (solid, glass) = stage.panels_on(ray, depth, body != NOTHING);
        let seen = match solid {
            Some(hit) => panel_light(ray, &hit, stage, lights, part) * behind,
            None if body != NOTHING => self.body_light(ray, body, depth, part),
            None => self.ground_light(ray, part, behind),
        };
        seen.lerp(GLASS, glass)
    }

    fn body_light(&self, ray: Vec3, body: u32, depth: f32, part: usize) -> Vec3 {
        let point = ray * depth;
        let (normal, colour) = match self.stage.body(body) {
            Body::Ball(ball) => ((point - ball.centre) / ball.radius, ball.colour),
            Body::Solid(solid) => (solid.normal(point), solid.colour),
        };
        let sun = self.lights.sun_on(point, normal, part);
        let light = sun + self.lights.sky_on(point, normal, part);
        colour * light + sun * shine(ray, normal, self.lights)
    }

    /// What is seen where there is neither a body nor a finite wall.
    fn ground_light(&self, ray: Vec3, part: usize, behind: Vec3) -> Vec3 {
        let (stage, lights) = (self.stage, self.lights);
        let Some((point, normal)) = stage.ground_on(ray) else { return behind };
        let open = lights.open(normal);
        let light = lights.sun_on(point, normal, part) + lights.sky_on(point, normal, part);
        let bright = if open > 0.0 { (light / open).min(1.0) } else { 1.0 };
        // Level ground is as bright as what is behind, walls a little darker: corners show, edges do not.
        let tint = 0.86 + 0.10 * normal.dot(stage.up).max(0.0);
        let distance = (point - stage.middle).length() / stage.size;
        let fade = ((distance - 1.3) / 1.7).clamp(0.0, 1.0);
        let fade = fade * fade * (3.0 - 2.0 * fade);
        behind.lerp(behind * tint * (0.12 + 0.88 * bright), 1.0 - fade)
    }
}

/// The colour of glass.
const GLASS: Vec3 = Vec3::new(0.30, 0.40, 0.50);

/// How bright a finite wall is where a ray meets it, compared with what is behind.
fn panel_light(ray: Vec3, hit: &Hit, stage: &Stage, lights: &Lights, part: usize) -> f32 {
    let point = ray * hit.depth;
    let open = lights.open(hit.normal);
    let light = lights.sun_on(point, hit.normal, part) + lights.sky_on(point, hit.normal, part);
    let bright = if open > 0.0 { (light / open).min(1.0) } else { 1.0 };
    let tint = 0.66 + 0.16 * hit.normal.dot(stage.up).max(0.0) + 0.08 * hit.normal.dot(lights.towards_sun()).max(0.0);
    let rim = if hit.rim { 0.6 } else { 1.0 };
    tint * (0.15 + 0.85 * bright) * rim
}

/// The least and greatest slope under which a sphere is seen.
fn slopes(x: f32, z: f32, r: f32) -> (f32, f32) {
    let root = (x * x + z * z - r * r).max(0.0).sqrt();
    let below = z * z - r * r;
    ((x * z - r * root) / below, (x * z + r * root) / below)
}

/// A soft light grey, a little darker towards the bottom.
fn background(slope: f32, stage: &Stage) -> Vec3 {
    let height = 0.5 + 0.5 * slope * stage.focal / stage.pixels.1 as f32;
    Vec3::new(0.80, 0.82, 0.85).lerp(Vec3::new(0.93, 0.945, 0.965), height.clamp(0.0, 1.0))
}

/// A faint highlight of the sun.
fn shine(ray: Vec3, normal: Vec3, lights: &Lights) -> Vec3 {
    let halfway = (lights.towards_sun() - ray.normalize()).normalize();
    let cosine = normal.dot(halfway).max(0.0);
    let power = cosine * cosine;
    let power = power * power * power;
    Vec3::splat(0.12 * power * power * power)
}

/// What a sample shows.
enum Body<'a> {
    Ball(&'a Ball),
    Solid(&'a Solid),
}

impl Stage {
    /// The body with this number: first come the balls.
    fn body(&self, id: u32) -> Body<'_> {
        let id = id as usize;
        self.balls.get(id).map_or_else(|| Body::Solid(&self.solids[id - self.balls.len()]), Body::Ball)
    }

    /// The finite wall that a ray ends at, if it ends there before `depth`, and how much glass it passes until then.
    fn panels_on(&self, ray: Vec3, depth: f32, grain: bool) -> (Option<Hit>, f32) {
        let limit = if grain { depth } else { self.ground_on(ray).map_or(f32::INFINITY, |(point, _)| point.z) };
        let mut solid: Option<Hit> = None;
        for panel in &self.panels {
            panel.meet(ray, |hit| {
                let nearer = hit.depth < solid.map_or(limit, |solid| solid.depth);
                if hit.front && !grain && nearer {
                    solid = Some(hit);
                }
            });
        }
        let end = solid.map_or(limit, |solid| solid.depth);
        let mut clear = 1.0;
        for panel in &self.panels {
            panel.meet(ray, |hit| {
                if hit.depth < end && (grain || !hit.front) {
                    clear *= if hit.rim { 0.45 } else { 0.90 };
                }
            });
        }
        (solid, 1.0 - clear)
    }

    /// Where a ray meets the first plane that faces the eye, in the room that all planes leave free.
    fn ground_on(&self, ray: Vec3) -> Option<(Vec3, Vec3)> {
        let mut nearest = f32::INFINITY;
        let mut found = None;
        for ground in &self.grounds {
            let (against, height) = (ray.dot(ground.normal), ground.point.dot(ground.normal));
            if against >= -1e-6 || height >= 0.0 {
                continue;
            }
            let depth = height / against;
            let point = ray * depth;
            let free = |other: &Ground| (point - other.point).dot(other.normal) > -1e-4 * self.size;
            if depth < nearest && self.grounds.iter().all(free) {
                nearest = depth;
                found = Some((point, ground.normal));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat3, Quat};

    use super::*;
    use crate::results::solid::Form;

    fn stage(balls: Vec<Ball>, solids: Vec<Solid>) -> Stage {
        Stage {
            casting: balls.len(),
            balls,
            solids,
            grounds: vec![],
            panels: vec![],
            up: Vec3::Y,
            middle: Vec3::Z * 5.0,
            size: 1.0,
            pixels: (1200, 800),
            aim: Vec2::new(535.0, 400.0),
            focal: 1604.0,
        }
    }

    fn drawn(stage: &Stage) -> Rendered {
        render(stage, &AtomicBool::new(false)).unwrap()
    }

    fn turned(k: usize) -> Mat3 {
        let part = |n: usize| (((k + 1) * n) % 101) as f32 / 50.0 - 1.0;
        Mat3::from_quat(Quat::from_xyzw(part(37), part(59), part(83), part(7) + 0.001).normalize())
    }

    fn solid(k: usize, centre: Vec3, half: Vec3, form: Form) -> Solid {
        Solid { centre, axes: turned(k), half, form, colour: Vec3::new(0.9, 0.1, 0.1) }
    }

    /// So many places evenly spread over a ball about the middle of the stage.
    fn places(count: usize) -> impl Iterator<Item = Vec3> {
        let side = ((count as f32 / 0.52).cbrt().ceil() as usize).max(1);
        let place = move |k: usize| Vec3::new((k % side) as f32, (k / side % side) as f32, (k / side / side) as f32);
        let all = (0..side.pow(3)).map(move |k| (place(k) + 0.5) * (2.0 / side as f32) - 1.0);
        all.filter(|place| place.length() < 0.9).take(count).map(|place| place + Vec3::Z * 5.0)
    }

    /// What 2 s on 2 cores have room for beside 1 s of shading, at 4 ns a sample: the samples of the picture and of all maps are
    /// 2 10^7.
    const MOST_TESTS: u64 = 750_000_000;

    /// 25 ellipsoids took 17 s to draw, each as 3000 balls; 10^5 bodies one behind the other, slender or close to the eye must
    /// not take longer either.
    #[test]
    fn the_work_is_bounded_for_any_content() {
        let count = 100_000;
        let solids = |count: usize, half: Vec3, form: Form| -> Vec<Solid> {
            places(count).enumerate().map(|(k, at)| solid(k, at, half, form)).collect()
        };
        // As much of the room as a dense packing fills: half of it.
        let filling = |shape: Vec3| shape * (0.5 * 0.73 / (count as f32 * shape.element_product())).cbrt();
        let ball = |at: Vec3| Ball { centre: at, radius: filling(Vec3::ONE).x, colour: Vec3::ONE };
        let (grain, needle, disc) =
            (Vec3::new(3.0, 2.0, 1.0), Vec3::new(100.0, 1.0, 1.0), Vec3::new(100.0, 100.0, 1.0));
        // Around the eye's plane: what reaches it is left out, the rest fills the frame.
        let nearer = |solid: Solid| Solid { centre: solid.centre - Vec3::Z * 4.5, ..solid };
        let close = solids(count, filling(grain), Form::Ellipsoid).into_iter().map(nearer).collect();
        let close = Stage { middle: Vec3::Z * 0.5, ..stage(vec![], close) };
        let contents = [
            ("25 ellipsoids", stage(vec![], solids(25, grain * 0.08, Form::Ellipsoid))),
            ("spheres", stage(places(count).map(ball).collect(), vec![])),
            ("ellipsoids", stage(vec![], solids(count, filling(grain), Form::Ellipsoid))),
            ("boxes", stage(vec![], solids(count, filling(grain), Form::Box))),
            ("needles", stage(vec![], solids(count, filling(needle), Form::Ellipsoid))),
            ("rods", stage(vec![], solids(count, filling(needle), Form::Box))),
            ("discs", stage(vec![], solids(count, filling(disc), Form::Ellipsoid))),
            ("plates", stage(vec![], solids(count, filling(disc), Form::Box))),
            ("each as large as the frame", stage(vec![], solids(1000, grain * 0.3, Form::Ellipsoid))),
            ("close", close),
        ];
        for (name, stage) in &contents {
            let start = std::time::Instant::now();
            let tests = drawn(stage).tests;
            println!("{name}: {tests} tests, {:.2} s", start.elapsed().as_secs_f64());
            assert!(tests < MOST_TESTS, "{name}: {tests}");
        }
    }

    /// The outline of an ellipsoid that was drawn as balls was off by what lay between them.
    #[test]
    fn the_silhouette_of_an_ellipsoid_is_the_closed_form_to_a_pixel() {
        for (k, half) in [Vec3::new(0.6, 0.4, 0.2), Vec3::new(0.9, 0.02, 0.02)].into_iter().enumerate() {
            let body = solid(k, Vec3::new(0.1, -0.2, 5.0), half, Form::Ellipsoid);
            let stage = stage(vec![], vec![body]);
            let picture = drawn(&stage).pixels;
            let to_unit = |v: glam::DVec3| body.axes.as_dmat3().transpose() * v / body.half.as_dvec3();
            // Whether the ray to a corner of pixels passes through it, in double precision.
            let inside = |x: usize, y: usize| {
                let slope = (glam::DVec2::new(x as f64 - 535.0, 400.0 - y as f64) / 1604.0).extend(1.0);
                let (ray, from) = (to_unit(slope), to_unit(-body.centre.as_dvec3()));
                let along = ray.dot(from);
                from.length_squared() - along * along / ray.length_squared() < 1.0
            };
            let mut counts = [0, 0];
            for (x, y) in (0..1200).flat_map(|x| (0..800).map(move |y| (x, y))) {
                let corners = [inside(x, y), inside(x + 1, y), inside(x, y + 1), inside(x + 1, y + 1)];
                let pixel = picture[y * 1200 + x];
                // The background is a light grey, the body red.
                let red = pixel.x > 2.0 * pixel.z;
                if corners == [true; 4] {
                    counts[0] += 1;
                    assert!(red, "{x} {y}: {pixel:?}");
                } else if corners == [false; 4] {
                    counts[1] += 1;
                    let grey = (pixel.z - pixel.x).abs() < 0.1;
                    assert!(grey, "{x} {y}: {pixel:?}");
                }
            }
            assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
        }
    }

    /// Rows were counted from the first of a thread's part, which rounds otherwise on another number of threads.
    #[test]
    fn the_pixels_do_not_depend_on_the_number_of_threads() {
        let half = Vec3::new(0.3, 0.2, 0.05);
        let ball = |at: Vec3| Ball { centre: at + 0.05, radius: 0.12, colour: Vec3::ONE };
        let solids = places(60)
            .enumerate()
            .map(|(k, at)| solid(k, at, half, if k % 2 == 0 { Form::Box } else { Form::Ellipsoid }))
            .collect();
        let mut stage = stage(places(40).map(ball).collect(), solids);
        stage.grounds.push(Ground { point: Vec3::new(0.0, -1.0, 5.0), normal: Vec3::Y });
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let Rendered { pixels, tests } = pool.install(|| drawn(&stage));
            (pixels.iter().map(|p| p.to_array().map(f32::to_bits)).collect::<Vec<_>>(), tests)
        };
        let one = on(1);
        assert!([2, 3, 7].into_iter().all(|threads| on(threads) == one));
    }

    #[test]
    fn who_asks_to_stop_gets_no_picture() {
        let stage = stage(vec![], vec![solid(0, Vec3::Z * 5.0, Vec3::splat(0.5), Form::Box)]);
        assert!(render(&stage, &AtomicBool::new(true)).is_none());
    }
}
