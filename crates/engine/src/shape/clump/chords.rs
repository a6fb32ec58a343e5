//! Moments of what convex parts cover more than once, by parallel lines: see `clump.rs`.

use glam::{DMat3, DQuat, DVec3};

use super::{ClumpPart, Moments};
use crate::shape::Shape;

/// Lines along each side of the grid.
const LINES: usize = 512;

/// The frame of the lines, which run along its z: no multiple of usual angles about any usual axis.
fn frame() -> DMat3 {
    DMat3::from_quat(DQuat::from_xyzw(0.279, 0.148, 0.093, 0.944).normalize())
}

/// A part in the frame of the lines.
struct Laid<'a> {
    shape: &'a Shape,
    at: DVec3,
    /// From the frame of the lines to that of the part.
    part_from_lines: DMat3,
    radius: f64,
}

impl Laid<'_> {
    /// Where the line through (x, y) enters the part and leaves it.
    fn chord(&self, x: f64, y: f64) -> Option<[f64; 2]> {
        let from = self.part_from_lines * DVec3::new(x - self.at.x, y - self.at.y, 0.0);
        let [low, high] = chord(self.shape, from, self.part_from_lines.z_axis)?;
        (low < high).then_some([low + self.at.z, high + self.at.z])
    }
}

/// The interval of s in which `from + along s` lies in a shape around the origin.
fn chord(shape: &Shape, from: DVec3, along: DVec3) -> Option<[f64; 2]> {
    // |p + d s|^2 <= 1, or r^2, of the vectors across an axis.
    let within = |p: DVec3, d: DVec3, square: f64| {
        let (a, b, c) = (d.length_squared(), p.dot(d), p.length_squared() - square);
        let root = b * b - a * c;
        (root > 0.0).then(|| [(-b - root.sqrt()) / a, (-b + root.sqrt()) / a])
    };
    let slab = |p: f64, d: f64, half: f64| {
        let (s, t) = ((-half - p) / d, (half - p) / d);
        [s.min(t), s.max(t)]
    };
    let both = |one: [f64; 2], other: [f64; 2]| [one[0].max(other[0]), one[1].min(other[1])];
    match *shape {
        Shape::Sphere { radius } => within(from, along, radius * radius),
        Shape::Ellipsoid { axes } => within(from / axes, along / axes, 1.0),
        Shape::Box { size } => {
            let half = size * 0.5;
            let [x, y, z] = [0, 1, 2].map(|k| slab(from[k], along[k], half[k]));
            Some(both(both(x, y), z))
        }
        Shape::Cylinder { radius, length, axis } => {
            let across = |v: DVec3| v - axis * v.dot(axis);
            let of_side = within(across(from), across(along), radius * radius)?;
            Some(both(of_side, slab(from.dot(axis), along.dot(axis), 0.5 * length)))
        }
        _ => None,
    }
}

/// Moments of the parts, each by itself, less those of their union, in their common frame.
pub(super) fn excess(parts: &[&ClumpPart]) -> Moments {
    let lines = frame();
    let laid: Vec<Laid<'_>> = parts
        .iter()
        .map(|part| Laid {
            shape: &part.shape,
            at: lines.transpose() * part.at,
            part_from_lines: DMat3::from_quat(part.turn).transpose() * lines,
            radius: part.shape.radius().unwrap_or(0.0),
        })
        .collect();
    let high = laid.iter().map(|part| part.at + part.radius).fold(DVec3::NEG_INFINITY, DVec3::max);
    let low = laid.iter().map(|part| part.at - part.radius).fold(DVec3::INFINITY, DVec3::min);
    let step = (high - low) / LINES as f64;
    let at = |k: usize, axis: usize| low[axis] + (k as f64 + 0.5) * step[axis];
    let mut sums = Moments::NONE;
    let (mut row, mut chords) = (Vec::new(), Vec::new());
    for i in 0..LINES {
        let x = at(i, 0);
        row.clear();
        row.extend(laid.iter().filter(|part| (part.at.x - x).abs() < part.radius));
        for y in (0..LINES).map(|j| at(j, 1)) {
            chords.clear();
            chords.extend(row.iter().filter(|part| (part.at.y - y).abs() < part.radius).filter_map(|p| p.chord(x, y)));
            chords.sort_unstable_by(|one: &[f64; 2], other| one[0].total_cmp(&other[0]));
            add_line(&mut sums, (x, y), &chords);
        }
    }
    let cell = step.x * step.y;
    let second = lines * sums.second * lines.transpose();
    Moments { volume: sums.volume * cell, first: lines * sums.first * cell, second: second * cell }
}

/// Adds the moments of what rising intervals cover again of a line.
fn add_line(sums: &mut Moments, (x, y): (f64, f64), chords: &[[f64; 2]]) {
    let mut end = f64::NEG_INFINITY;
    for &[low, far] in chords {
        let high = far.min(end);
        end = end.max(far);
        if high <= low {
            continue;
        }
        let (length, square) = (high - low, 0.5 * (high - low) * (high + low));
        let cube = (high * high + high * low + low * low) * length / 3.0;
        sums.volume += length;
        sums.first += DVec3::new(x * length, y * length, square);
        let (xy, xz, yz) = (x * y * length, x * square, y * square);
        let columns =
            [DVec3::new(x * x * length, xy, xz), DVec3::new(xy, y * y * length, yz), DVec3::new(xz, yz, cube)];
        sums.second += DMat3::from_cols(columns[0], columns[1], columns[2]);
    }
}
