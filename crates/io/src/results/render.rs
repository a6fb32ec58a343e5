//! A small renderer of spheres and walls: rays against spheres in a depth buffer, one sun with a soft shadow, and the
//! light of a whole sky, whose shadows are what makes a heap of grains readable.
//!
//! The sky is some dozens of directions, each with a depth map drawn from it; a point sees a direction if nothing in
//! its map lies in front. Each pixel has 2 x 2 samples, and each sample asks a quarter of the sky. All arithmetic is
//! per sample, so the image does not depend on the number of threads. Everything is in the camera's frame: x to the
//! right, y up, z away from the eye, with the scene about one unit large, which makes `f32` enough.

use std::thread;

use glam::{Vec2, Vec3};
use stickslip::math;

use super::panel::{Hit, Panel};

/// Samples along each side of a pixel.
const SUPER: usize = 2;
/// Directions of sky light; a multiple of the samples in a pixel.
const SKY: usize = 48;
const SKY_MAP: usize = 512;
const SUN_MAP: usize = 2048;
const NOTHING: u32 = u32::MAX;

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

/// Draws a stage: pixels in linear light, row by row from the top.
pub fn render(stage: &Stage) -> Vec<Vec3> {
    let (width, height) = stage.pixels;
    let lights = Lights::new(stage);
    let mut pixels = vec![Vec3::ZERO; width * height];
    let bands = thread::available_parallelism().map_or(1, |n| n.get()).min(16);
    let rows = height.div_ceil(bands);
    thread::scope(|scope| {
        for (band, pixels) in pixels.chunks_mut(rows * width).enumerate() {
            let lights = &lights;
            scope.spawn(move || draw_band(stage, lights, band * rows, pixels));
        }
    });
    pixels
}

/// Draws the rows from `first` on.
fn draw_band(stage: &Stage, lights: &Lights, first: usize, pixels: &mut [Vec3]) {
    let width = stage.pixels.0;
    let rows = pixels.len() / width;
    let mut samples = Samples::new(stage, first, rows);
    for (id, ball) in stage.balls.iter().enumerate() {
        samples.draw(ball, id as u32);
    }
    let share = 1.0 / (SUPER * SUPER) as f32;
    for (index, pixel) in pixels.iter_mut().enumerate() {
        let (row, column) = (index / width, index % width);
        for part in 0..SUPER * SUPER {
            let (i, j) = (column * SUPER + part % SUPER, row * SUPER + part / SUPER);
            *pixel += samples.shade(stage, lights, i, j, part) * share;
        }
    }
}

/// The samples of some rows of the image: how far away what they show is, and which ball.
struct Samples {
    columns: usize,
    rows: usize,
    /// Slope of the first column and row, and from one to the next.
    origin: Vec2,
    pitch: f32,
    depth: Vec<f32>,
    ball: Vec<u32>,
}

impl Samples {
    fn new(stage: &Stage, first: usize, rows: usize) -> Self {
        let (columns, rows) = (stage.pixels.0 * SUPER, rows * SUPER);
        let pitch = 1.0 / (stage.focal * SUPER as f32);
        let corner = Vec2::new(-stage.aim.x, stage.aim.y - first as f32) / stage.focal;
        let origin = corner + Vec2::new(0.5 * pitch, -0.5 * pitch);
        let count = columns * rows;
        Samples { columns, rows, origin, pitch, depth: vec![f32::INFINITY; count], ball: vec![NOTHING; count] }
    }

    /// Slope (x/z, y/z) of the ray through a sample.
    fn slope(&self, i: usize, j: usize) -> Vec2 {
        self.origin + Vec2::new(i as f32 * self.pitch, -(j as f32 * self.pitch))
    }

    fn draw(&mut self, ball: &Ball, id: u32) {
        let (c, r) = (ball.centre, ball.radius);
        if c.z - r < 1e-3 {
            return;
        }
        let (left, right) = slopes(c.x, c.z, r);
        let (low, high) = slopes(c.y, c.z, r);
        let index = |slope: f32, most: usize| (slope / self.pitch).ceil().clamp(0.0, most as f32) as usize;
        let columns = index(left - self.origin.x, self.columns)..index(right - self.origin.x, self.columns);
        let rows = index(self.origin.y - high, self.rows)..index(self.origin.y - low, self.rows);
        for j in rows {
            let start = j * self.columns;
            for i in columns.clone() {
                // Everything relative to where the ray crosses the plane z = c.z, so that no digits are lost.
                let slope = self.slope(i, j);
                let w = Vec2::new(slope.x * c.z - c.x, slope.y * c.z - c.y);
                let squared = 1.0 + slope.length_squared();
                let along = w.dot(slope);
                let discriminant = along * along - squared * (w.length_squared() - r * r);
                if discriminant > 0.0 {
                    let depth = c.z - (along + discriminant.sqrt()) / squared;
                    if depth < self.depth[start + i] {
                        self.depth[start + i] = depth;
                        self.ball[start + i] = id;
                    }
                }
            }
        }
    }

    /// Light that comes to the eye along a sample's ray.
    fn shade(&self, stage: &Stage, lights: &Lights, i: usize, j: usize, part: usize) -> Vec3 {
        let ray = self.slope(i, j).extend(1.0);
        let index = j * self.columns + i;
        let behind = background(j, self, stage);
        let (solid, glass) = stage.panels_on(ray, self.depth[index], self.ball[index] != NOTHING);
        let seen = match solid {
            Some(hit) => panel_light(ray, &hit, stage, lights, part) * behind,
            None => self.shade_behind_walls(stage, lights, ray, index, part, behind),
        };
        seen.lerp(GLASS, glass)
    }

    /// What is seen without the finite walls.
    fn shade_behind_walls(
        &self,
        stage: &Stage,
        lights: &Lights,
        ray: Vec3,
        index: usize,
        part: usize,
        behind: Vec3,
    ) -> Vec3 {
        let depth = self.depth[index];
        if self.ball[index] != NOTHING {
            let ball = &stage.balls[self.ball[index] as usize];
            let point = ray * depth;
            let normal = (point - ball.centre) / ball.radius;
            let sun = lights.sun_on(point, normal, part);
            let light = sun + lights.sky_on(point, normal, part);
            return ball.colour * light + sun * shine(ray, normal, lights);
        }
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
    let tint = 0.66 + 0.16 * hit.normal.dot(stage.up).max(0.0) + 0.08 * hit.normal.dot(lights.sun.towards).max(0.0);
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
fn background(j: usize, samples: &Samples, stage: &Stage) -> Vec3 {
    let slope = samples.origin.y - j as f32 * samples.pitch;
    let height = 0.5 + 0.5 * slope * stage.focal / stage.pixels.1 as f32;
    Vec3::new(0.80, 0.82, 0.85).lerp(Vec3::new(0.93, 0.945, 0.965), height.clamp(0.0, 1.0))
}

/// A faint highlight of the sun.
fn shine(ray: Vec3, normal: Vec3, lights: &Lights) -> Vec3 {
    let halfway = (lights.sun.towards - ray.normalize()).normalize();
    let cosine = normal.dot(halfway).max(0.0);
    let power = cosine * cosine;
    let power = power * power * power;
    Vec3::splat(0.12 * power * power * power)
}

impl Stage {
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

/// The sun, the sky and what reaches a point of them.
struct Lights {
    sun: DepthMap,
    /// Where the sun's map is looked at about a point: four places for each sample of a pixel.
    taps: Vec<Vec2>,
    sky: Vec<DepthMap>,
    up: Vec3,
}

impl Lights {
    fn new(stage: &Stage) -> Self {
        // From above, over the left shoulder of whoever looks.
        let side = Vec3::new(-0.55, 0.0, -0.65);
        let sun = (stage.up * 1.1 + side - stage.up * side.dot(stage.up)).normalize();
        let mut maps: Vec<Option<DepthMap>> = (0..SKY + 1).map(|_| None).collect();
        let workers = thread::available_parallelism().map_or(1, |n| n.get()).min(16);
        let share = maps.len().div_ceil(workers);
        thread::scope(|scope| {
            for (worker, maps) in maps.chunks_mut(share).enumerate() {
                scope.spawn(move || {
                    for (k, map) in maps.iter_mut().enumerate() {
                        let index = worker * share + k;
                        *map = Some(match index.checked_sub(1) {
                            None => DepthMap::new(stage, sun, SUN_MAP),
                            Some(direction) => DepthMap::new(stage, sky_direction(direction, stage.up), SKY_MAP),
                        });
                    }
                });
            }
        });
        let mut maps = maps.into_iter().flatten();
        let sun = maps.next().unwrap_or_else(|| DepthMap::new(stage, sun, SUN_MAP));
        let taps = (0..4 * SUPER * SUPER).map(|k| spiral(k) * 2.5 * ((k as f32 + 0.5) / 16.0).sqrt()).collect();
        Lights { sun, taps, sky: maps.collect(), up: stage.up }
    }

    /// Light of the sun at a point of a surface.
    fn sun_on(&self, point: Vec3, normal: Vec3, part: usize) -> f32 {
        let facing = normal.dot(self.sun.towards);
        if facing <= 0.0 {
            return 0.0;
        }
        0.58 * facing * self.sun.clear_around(point, normal, &self.taps[4 * part..4 * part + 4])
    }

    /// Light of the sky there, and what the ground throws back.
    fn sky_on(&self, point: Vec3, normal: Vec3, part: usize) -> f32 {
        let mut sky = 0.0;
        for map in self.sky.iter().skip(part).step_by(SUPER * SUPER) {
            let facing = normal.dot(map.towards);
            if facing > 0.0 && map.clear(point, normal) {
                sky += facing;
            }
        }
        0.55 * sky * (2 * SUPER * SUPER) as f32 / SKY as f32 + self.thrown_back(normal)
    }

    fn thrown_back(&self, normal: Vec3) -> f32 {
        0.05 + 0.05 * (1.0 - normal.dot(self.up))
    }

    /// Light on a surface with nothing in the way.
    fn open(&self, normal: Vec3) -> f32 {
        let sky: f32 = self.sky.iter().map(|map| normal.dot(map.towards).max(0.0)).sum();
        let sun = normal.dot(self.sun.towards).max(0.0);
        0.58 * sun + 0.55 * sky * 2.0 / SKY as f32 + self.thrown_back(normal)
    }
}

/// One of the directions of the sky: a Fibonacci spiral over the half sphere above.
fn sky_direction(index: usize, up: Vec3) -> Vec3 {
    let height = (index as f32 + 0.5) / SKY as f32;
    let (a, b) = up.any_orthonormal_pair();
    let across = spiral(index) * (1.0 - height * height).sqrt();
    a * across.x + b * across.y + up * height
}

/// Unit vectors that turn by the golden angle.
fn spiral(index: usize) -> Vec2 {
    let angle = 2.399_963_229_728_653 * index as f64;
    Vec2::new(math::cos(angle) as f32, math::sin(angle) as f32)
}

/// What is seen from far away in one direction: for each cell the height of what is nearest.
struct DepthMap {
    /// Unit vector towards the light.
    towards: Vec3,
    across: Vec3,
    along: Vec3,
    size: usize,
    /// Coordinates of the map's corner, and of one cell.
    corner: Vec2,
    cell: f32,
    heights: Vec<f32>,
}

impl DepthMap {
    fn new(stage: &Stage, towards: Vec3, size: usize) -> Self {
        let (across, along) = towards.any_orthonormal_pair();
        let cell = 2.1 * stage.size / size as f32;
        let middle = Vec2::new(stage.middle.dot(across), stage.middle.dot(along));
        let corner = middle - Vec2::splat(0.5 * cell * size as f32);
        let mut map =
            DepthMap { towards, across, along, size, corner, cell, heights: vec![f32::NEG_INFINITY; size * size] };
        for ball in stage.balls.iter().take(stage.casting) {
            map.draw(ball);
        }
        map
    }

    /// A point in cells of the map.
    fn cells(&self, point: Vec3) -> Vec2 {
        (Vec2::new(point.dot(self.across), point.dot(self.along)) - self.corner) / self.cell
    }

    fn draw(&mut self, ball: &Ball) {
        let centre = self.cells(ball.centre) - Vec2::splat(0.5);
        let height = ball.centre.dot(self.towards);
        let radius = ball.radius / self.cell;
        let range = |middle: f32| {
            let first = (middle - radius).ceil().clamp(0.0, self.size as f32) as usize;
            let end = (middle + radius).floor().clamp(-1.0, self.size as f32 - 1.0) + 1.0;
            first..end as usize
        };
        let (columns, rows) = (range(centre.x), range(centre.y));
        for j in rows {
            let dy = j as f32 - centre.y;
            for i in columns.clone() {
                let dx = i as f32 - centre.x;
                let inside = radius * radius - dx * dx - dy * dy;
                if inside > 0.0 {
                    let cell = &mut self.heights[j * self.size + i];
                    *cell = cell.max(height + self.cell * inside.sqrt());
                }
            }
        }
    }

    /// Whether nothing in the cell at these coordinates is higher.
    fn clear_at(&self, cells: Vec2, height: f32) -> bool {
        let size = self.size as f32;
        let within = cells.x >= 0.0 && cells.y >= 0.0 && cells.x < size && cells.y < size;
        !within || self.heights[cells.y as usize * self.size + cells.x as usize] <= height
    }

    /// Whether a point of a surface sees the light. It is lifted off the surface by more than a cell, lest it be in its
    /// own shadow.
    fn clear(&self, point: Vec3, normal: Vec3) -> bool {
        let lifted = point + normal * (1.5 * self.cell);
        self.clear_at(self.cells(lifted), lifted.dot(self.towards) + self.cell)
    }

    /// The share of the light that is seen from about a point: soft edges. The taps are in cells.
    fn clear_around(&self, point: Vec3, normal: Vec3, taps: &[Vec2]) -> f32 {
        let lifted = point + normal * (2.0 * self.cell);
        let (cells, height) = (self.cells(lifted), lifted.dot(self.towards) + self.cell);
        let seen = taps.iter().filter(|&&tap| self.clear_at(cells + tap, height)).count();
        seen as f32 / taps.len() as f32
    }
}
