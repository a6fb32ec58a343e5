//! The light in pictures: one sun with a soft shadow, and a whole sky, whose shadows are what makes a heap of grains
//! readable. The sky is some dozens of directions, each with a depth map drawn from it; a point sees a direction if nothing
//! in its map lies in front.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{Mat3, Vec2, Vec3};
use rayon::prelude::*;
use stickslip::math;

use super::canvas::{Canvas, Patch, front_to_back};
use super::render::{Ball, SUPER, Stage, UNSTOPPED};
use super::solid::{Parallel, nearest};

/// Directions of sky light; a multiple of the samples in a pixel.
const SKY: usize = 48;
const SKY_MAP: usize = 512;
const SUN_MAP: usize = 2048;

/// The sun, the sky and what reaches a point of them.
pub struct Lights {
    sun: DepthMap,
    /// Where the sun's map is looked at about a point: four places for each sample of a pixel.
    taps: Vec<Vec2>,
    sky: Vec<DepthMap>,
    up: Vec3,
}

impl Lights {
    /// Draws all maps; `None` if `stop` is set meanwhile.
    pub fn new(stage: &Stage, stop: &AtomicBool) -> Option<Self> {
        // From above, over the left shoulder of whoever looks.
        let side = Vec3::new(-0.55, 0.0, -0.65);
        let sun = (stage.up * 1.1 + side - stage.up * side.dot(stage.up)).normalize();
        let map = |index: usize| match index.checked_sub(1) {
            None => DepthMap::new(stage, sun, SUN_MAP, stop),
            Some(direction) => DepthMap::new(stage, sky_direction(direction, stage.up), SKY_MAP, stop),
        };
        let mut sky: Vec<DepthMap> = (0..SKY + 1).into_par_iter().map(map).collect::<Option<_>>()?;
        let sun = sky.remove(0);
        let taps = (0..4 * SUPER * SUPER).map(|k| spiral(k) * 2.5 * ((k as f32 + 0.5) / 16.0).sqrt()).collect();
        Some(Lights { sun, taps, sky, up: stage.up })
    }

    /// Unit vector towards the sun.
    pub fn towards_sun(&self) -> Vec3 {
        self.sun.towards()
    }

    /// Samples tested for the maps.
    pub fn tests(&self) -> u64 {
        self.sky.iter().chain([&self.sun]).map(|map| map.canvas.tests).sum()
    }

    /// Light of the sun at a point of a surface.
    pub fn sun_on(&self, point: Vec3, normal: Vec3, part: usize) -> f32 {
        let facing = normal.dot(self.sun.towards());
        if facing <= 0.0 {
            return 0.0;
        }
        0.58 * facing * self.sun.clear_around(point, normal, &self.taps[4 * part..4 * part + 4])
    }

    /// Light of the sky there, and what the ground throws back.
    pub fn sky_on(&self, point: Vec3, normal: Vec3, part: usize) -> f32 {
        let mut sky = 0.0;
        for map in self.sky.iter().skip(part).step_by(SUPER * SUPER) {
            let facing = normal.dot(map.towards());
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
    pub fn open(&self, normal: Vec3) -> f32 {
        let sky: f32 = self.sky.iter().map(|map| normal.dot(map.towards()).max(0.0)).sum();
        let sun = normal.dot(self.sun.towards()).max(0.0);
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

/// What is seen from far away in one direction: for each cell how far below the viewer the nearest thing is.
struct DepthMap {
    view: Parallel,
    canvas: Canvas,
}

impl DepthMap {
    fn new(stage: &Stage, towards: Vec3, size: usize, stop: &AtomicBool) -> Option<Self> {
        let (across, along) = towards.any_orthonormal_pair();
        let cell = 2.1 * stage.size / size as f32;
        let middle = Vec2::new(stage.middle.dot(across), stage.middle.dot(along));
        let corner = middle - Vec2::splat(0.5 * cell * size as f32);
        let view = Parallel { frame: Mat3::from_cols(across, along, towards), origin: corner, pitch: cell };
        let mut map = DepthMap { view, canvas: Canvas::new(size, 0..size, false) };
        let (balls, solids) = (&stage.balls[..stage.casting], &stage.solids);
        let near = |body: usize| match balls.get(body) {
            Some(ball) => -ball.centre.dot(towards) - ball.radius,
            None => -solids[body - balls.len()].centre.dot(towards),
        };
        let range = [-stage.size, stage.size].map(|from| from - stage.middle.dot(towards));
        for (count, body) in front_to_back(balls.len() + solids.len(), range, near).into_iter().enumerate() {
            if count.is_multiple_of(UNSTOPPED) && stop.load(Ordering::Relaxed) {
                return None;
            }
            match balls.get(body as usize) {
                Some(ball) => map.draw(ball),
                None => solids[body as usize - balls.len()].paint_parallel(&map.view, &mut map.canvas),
            }
        }
        Some(map)
    }

    fn towards(&self) -> Vec3 {
        self.view.frame.z_axis
    }

    fn draw(&mut self, ball: &Ball) {
        let centre = self.view.sample(ball.centre);
        let height = ball.centre.dot(self.towards());
        let (size, cell) = (self.canvas.columns as f32, self.view.pitch);
        let radius = ball.radius / cell;
        let range = |middle: f32| {
            let first = (middle - radius).ceil().clamp(0.0, size) as usize;
            let end = (middle + radius).floor().clamp(-1.0, size - 1.0) + 1.0;
            first..end as usize
        };
        let (columns, rows, near) = (range(centre.x), range(centre.y), nearest(-height, ball.radius));
        self.canvas.paint(&Patch { columns, rows, near, fronts: &[], slant: None }, 0, |i, j| {
            let (dx, dy) = (i - centre.x, j - centre.y);
            let inside = radius * radius - dx * dx - dy * dy;
            if inside > 0.0 { -(height + cell * inside.max(0.0).sqrt()) } else { f32::INFINITY }
        });
    }

    /// Whether nothing in the cell at these coordinates is higher.
    fn clear_at(&self, cells: Vec2, height: f32) -> bool {
        let size = self.canvas.columns as f32;
        let within = cells.x >= 0.0 && cells.y >= 0.0 && cells.x < size && cells.y < size;
        !within || self.canvas.depth(cells.x as usize, cells.y as usize) >= -height
    }

    /// Whether a point of a surface sees the light. It is lifted off the surface by more than a cell, lest it be in its
    /// own shadow.
    fn clear(&self, point: Vec3, normal: Vec3) -> bool {
        let lifted = point + normal * (1.5 * self.view.pitch);
        self.clear_at(self.view.cells(lifted), lifted.dot(self.towards()) + self.view.pitch)
    }

    /// The share of the light that is seen from about a point: soft edges. The taps are in cells.
    fn clear_around(&self, point: Vec3, normal: Vec3, taps: &[Vec2]) -> f32 {
        let lifted = point + normal * (2.0 * self.view.pitch);
        let (cells, height) = (self.view.cells(lifted), lifted.dot(self.towards()) + self.view.pitch);
        let seen = taps.iter().filter(|&&tap| self.clear_at(cells + tap, height)).count();
        seen as f32 / taps.len() as f32
    }
}
