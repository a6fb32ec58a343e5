//! A depth buffer in square tiles. Bodies are painted from the nearest to the farthest, and a tile in which everything is
//! nearer than a body is skipped for it: so the work grows with what is seen, not with what lies behind it.
//!
//! The content does not depend on the order of painting: the nearest wins, of two at the same depth the one with the lower
//! number. Depths grow away from the viewer.

use std::ops::Range;

use glam::{DVec2, Vec2};

/// Samples along each side of a tile.
pub const TILE: usize = 8;
const IN_TILE: usize = TILE * TILE;
/// Where no body is seen.
pub const NOTHING: u32 = u32::MAX;
/// Classes of depth for the order of painting.
const CLASSES: usize = 4096;

/// Some rows of samples: how far away what they show is, and which body it is.
pub struct Canvas {
    /// Columns of samples.
    pub columns: usize,
    /// Rows of samples that it holds, of the whole picture.
    pub rows: Range<usize>,
    /// Tiles in a row of tiles.
    across: usize,
    depth: Vec<f32>,
    /// Empty if nobody asks which body is seen.
    body: Vec<u32>,
    /// Greatest depth in each tile.
    far: Vec<f32>,
    /// Samples tested against a body so far.
    pub tests: u64,
}

/// The samples that a body may cover.
pub struct Patch {
    /// All their columns.
    pub columns: Range<usize>,
    /// All their rows.
    pub rows: Range<usize>,
    /// A depth that none of its points is nearer than.
    pub near: f32,
    /// How the columns depend on the row.
    pub outline: Outline,
}

/// The shape of a patch in coordinates of samples.
pub enum Outline {
    /// All columns in each row.
    Full,
    /// An ellipse.
    Ellipse(Ellipse),
    /// The hull of the corners of a box; two of them share an edge if their numbers differ in one bit.
    Corners([Vec2; 8]),
}

/// The points at which (y/h)^2 + ((x - k y)/w)^2 < 1, with x and y from the centre: a form that loses no digits however
/// slender the ellipse is.
#[derive(Clone, Copy, Debug)]
pub struct Ellipse {
    /// Its centre.
    pub centre: Vec2,
    /// Half its extent along y (h).
    pub height: f32,
    /// How far its middle moves along x from one row to the next (k).
    pub lean: f32,
    /// Half its width in the row of the centre (w).
    pub width: f32,
}

impl Ellipse {
    /// The ellipse p C^-1 p = 1 about a centre; C is given as xx, xy and yy. `None` if it has no area.
    pub fn new(centre: DVec2, [xx, xy, yy]: [f64; 3]) -> Option<Self> {
        let lean = xy / yy;
        let ellipse = Ellipse {
            centre: centre.as_vec2(),
            height: yy.sqrt() as f32,
            lean: lean as f32,
            width: (xx - xy * lean).sqrt() as f32,
        };
        let sound = ellipse.height > 0.0 && ellipse.width > 0.0 && lean.is_finite() && centre.is_finite();
        sound.then_some(ellipse)
    }

    /// The point from the centre, with x from the middle of its row.
    pub fn sheared(&self, i: f32, j: f32) -> Vec2 {
        let y = j - self.centre.y;
        Vec2::new(i - self.centre.x - self.lean * y, y)
    }

    /// 1 at the centre, 0 on the ellipse, negative outside.
    pub fn inside(&self, sheared: Vec2) -> f32 {
        let (x, y) = (sheared.x / self.width, sheared.y / self.height);
        1.0 - y * y - x * x
    }

    /// Half its extent along x.
    pub fn half_width(&self) -> f32 {
        self.width.hypot(self.lean * self.height)
    }

    /// Least and greatest column in the rows from `first` to `last`.
    fn columns(&self, first: f32, last: f32) -> [f32; 2] {
        let [first, last] = [first, last].map(|j| ((j - self.centre.y) / self.height).clamp(-1.0, 1.0));
        // The right end of a row, k y + w sqrt(1 - y^2) with y over h, is greatest here; the left end is its mirror image.
        let top = self.lean * self.height / self.half_width();
        let end = |y: f32, side: f32| {
            self.centre.x + self.lean * self.height * y + side * self.width * (1.0 - y * y).max(0.0).sqrt()
        };
        [end((-top).clamp(first, last), -1.0), end(top.clamp(first, last), 1.0)]
    }
}

impl Outline {
    /// Least and greatest column in these rows.
    fn columns(&self, rows: &Range<usize>) -> [f32; 2] {
        let (first, last) = (rows.start as f32, (rows.end - 1) as f32);
        match self {
            Outline::Full => [f32::NEG_INFINITY, f32::INFINITY],
            Outline::Ellipse(ellipse) => ellipse.columns(first, last),
            Outline::Corners(corners) => hull_columns(corners, first, last),
        }
    }
}

impl Outline {
    /// The columns of one row among these; all of them where to ask would cost more than to test them.
    fn columns_in_row(&self, row: usize, among: &Range<usize>) -> Range<usize> {
        let Outline::Ellipse(ellipse) = self else { return among.clone() };
        let y = row as f32 - ellipse.centre.y;
        let share = y / ellipse.height;
        let (middle, half) =
            (ellipse.centre.x + ellipse.lean * y, ellipse.width * (1.0 - share * share).max(0.0).sqrt());
        let index = |x: f32| (x.max(0.0) as usize).clamp(among.start, among.end);
        index(middle - half - 1.0)..index(middle + half + 2.0)
    }
}

/// The same of a hull: where its edges pass through these rows.
fn hull_columns(corners: &[Vec2; 8], first: f32, last: f32) -> [f32; 2] {
    let mut found = [f32::INFINITY, f32::NEG_INFINITY];
    let edges = (0..8).flat_map(|a| [1, 2, 4].map(|bit| (a, a | bit)).into_iter().filter(|(a, b)| a != b));
    for (a, b) in edges {
        let (from, along) = (corners[a], corners[b] - corners[a]);
        // Shares of the edge at which it enters and leaves the rows.
        let [enter, leave] = if along.y == 0.0 {
            let within = first <= from.y && from.y <= last;
            if within { [0.0, 1.0] } else { [1.0, 0.0] }
        } else {
            let ends = [(first - from.y) / along.y, (last - from.y) / along.y];
            [ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(1.0)]
        };
        if enter <= leave {
            for share in [enter, leave] {
                let x = from.x + share * along.x;
                found = [found[0].min(x), found[1].max(x)];
            }
        }
    }
    found
}

impl Canvas {
    /// Empty samples.
    pub fn new(columns: usize, rows: Range<usize>, names_bodies: bool) -> Self {
        let (across, down) = (columns.div_ceil(TILE), rows.len().div_ceil(TILE));
        let tiles = across * down;
        let mut canvas = Canvas {
            columns,
            rows: rows.clone(),
            across,
            depth: vec![f32::INFINITY; tiles * IN_TILE],
            body: if names_bodies { vec![NOTHING; tiles * IN_TILE] } else { Vec::new() },
            far: vec![f32::INFINITY; tiles],
            tests: 0,
        };
        // Nothing can be farther than what is not part of the picture.
        for j in 0..down * TILE {
            let outside = if j < rows.len() { columns } else { 0 };
            for i in outside..across * TILE {
                let place = canvas.place(i, j + rows.start);
                canvas.depth[place] = f32::NEG_INFINITY;
            }
        }
        canvas
    }

    fn place(&self, i: usize, j: usize) -> usize {
        let j = j - self.rows.start;
        ((j / TILE) * self.across + i / TILE) * IN_TILE + (j % TILE) * TILE + i % TILE
    }

    /// Depth of a sample.
    pub fn depth(&self, i: usize, j: usize) -> f32 {
        self.depth[self.place(i, j)]
    }

    /// The body that a sample shows, and its depth.
    pub fn seen(&self, i: usize, j: usize) -> (u32, f32) {
        let place = self.place(i, j);
        (self.body[place], self.depth[place])
    }

    /// Paints a body whose depth at a sample is given, infinite where the sample misses it.
    pub fn paint(&mut self, patch: &Patch, id: u32, depth: impl Fn(f32, f32) -> f32) {
        let rows = patch.rows.start.max(self.rows.start)..patch.rows.end.min(self.rows.end);
        let mut next = rows.start;
        while next < rows.end {
            let tile_row = (next - self.rows.start) / TILE;
            let end = (self.rows.start + (tile_row + 1) * TILE).min(rows.end);
            let band = next..end;
            next = end;
            // A sample more at either side: rounding must not cut anything off.
            let [left, right] = patch.outline.columns(&band);
            let first = patch.columns.start.max((left - 1.0).max(0.0) as usize);
            let last = patch.columns.end.min(self.columns).min((right + 2.0).max(0.0) as usize);
            for tile_column in first / TILE..last.div_ceil(TILE) {
                let tile = tile_row * self.across + tile_column;
                if patch.near <= self.far[tile] {
                    let columns = first.max(tile_column * TILE)..last.min((tile_column + 1) * TILE);
                    self.paint_tile(tile, columns, &band, patch, (id, &depth));
                }
            }
        }
    }

    /// Whether nothing of a body between two corners is seen, since it is nowhere nearer than `near`.
    pub fn hides(&self, low: Vec2, high: Vec2, near: f32) -> bool {
        let range = |low: f32, high: f32, all: Range<usize>| {
            let index = |x: f32| (x.max(0.0) as usize).clamp(all.start, all.end) - all.start;
            index(low - 1.0) / TILE..index(high + 2.0).div_ceil(TILE)
        };
        let (columns, mut rows) = (range(low.x, high.x, 0..self.columns), range(low.y, high.y, self.rows.clone()));
        rows.all(|row| self.far[row * self.across..][columns.clone()].iter().all(|&far| near > far))
    }

    fn paint_tile(
        &mut self,
        tile: usize,
        columns: Range<usize>,
        rows: &Range<usize>,
        patch: &Patch,
        (id, depth): (u32, &impl Fn(f32, f32) -> f32),
    ) {
        let mut changed = false;
        for j in rows.clone() {
            let columns = patch.outline.columns_in_row(j, &columns);
            self.tests += columns.len() as u64;
            let start = tile * IN_TILE + (j - self.rows.start) % TILE * TILE;
            let line = &mut self.depth[start..start + TILE];
            if self.body.is_empty() {
                for i in columns.clone() {
                    let (new, old) = (depth(i as i32 as f32, j as i32 as f32), &mut line[i % TILE]);
                    changed |= new < *old;
                    *old = if new < *old { new } else { *old };
                }
            } else {
                let bodies = &mut self.body[start..start + TILE];
                for i in columns.clone() {
                    let new = depth(i as i32 as f32, j as i32 as f32);
                    let (old, body) = (&mut line[i % TILE], &mut bodies[i % TILE]);
                    if new < *old || (new == *old && new < f32::INFINITY && id < *body) {
                        (*old, *body, changed) = (new, id, true);
                    }
                }
            }
        }
        if changed {
            let samples = &self.depth[tile * IN_TILE..][..IN_TILE];
            self.far[tile] =
                samples.iter().fold(f32::NEG_INFINITY, |far, &depth| if depth > far { depth } else { far });
        }
    }
}

/// The numbers of bodies from the nearest to the farthest, in classes: their depths are spread over `range`.
pub fn front_to_back(count: usize, range: [f32; 2], near: impl Fn(usize) -> f32) -> Vec<u32> {
    let scale = CLASSES as f32 / (range[1] - range[0]);
    let class = |near: f32| ((near - range[0]) * scale).clamp(0.0, (CLASSES - 1) as f32) as u16;
    let classes: Vec<u16> = (0..count).map(|body| class(near(body))).collect();
    let mut starts = vec![0_u32; CLASSES + 1];
    classes.iter().for_each(|&class| starts[usize::from(class) + 1] += 1);
    for class in 0..CLASSES {
        starts[class + 1] += starts[class];
    }
    let mut order = vec![0; count];
    for (&class, body) in classes.iter().zip(0..) {
        let place = &mut starts[usize::from(class)];
        order[*place as usize] = body;
        *place += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_an_outline_hold_all_its_points() {
        // A slender ellipse that leans, and a box: every point of the outline lies in the columns of its row.
        let ellipse = Ellipse::new(DVec2::new(50.0, 40.0), [900.0, -880.0, 890.0]).unwrap();
        let corners = std::array::from_fn(|k| {
            Vec2::new([10.0, 60.0][k & 1] + [0.0, 7.0][k >> 2], [5.0, 25.0][k >> 1 & 1] + [0.0, 31.0][k >> 2])
        });
        for first in (0..96).step_by(TILE) {
            let rows = first..first + TILE;
            let [left, right] = Outline::Ellipse(ellipse).columns(&rows);
            let [low, high] = Outline::Corners(corners).columns(&rows);
            for (i, j) in (0..100).flat_map(|i| rows.clone().map(move |j| (i as f32, j as f32))) {
                let in_ellipse = ellipse.inside(ellipse.sheared(i, j)) > 0.0;
                assert!(!in_ellipse || (left <= i && i <= right), "{i} {j}: {left} {right}");
                // A face of the box, which is part of its hull.
                let on_face = (10.0..=60.0).contains(&i) && (5.0..=25.0).contains(&j);
                assert!(!on_face || (low <= i && i <= high), "{i} {j}: {low} {high}");
            }
        }
        // Of the whole ellipse it is the whole extent: sqrt(xx).
        let [left, right] = ellipse.columns(0.0, 100.0);
        assert!((left - 20.0).abs() < 1e-3 && (right - 80.0).abs() < 1e-3, "{left} {right}");
    }

    #[test]
    fn what_is_hidden_is_not_tested_and_the_order_does_not_matter() {
        let wall = |near: f32| Patch { columns: 3..29, rows: 2..30, near, outline: Outline::Full };
        let painted = |order: &[u32]| {
            let mut canvas = Canvas::new(32, 0..32, true);
            for &id in order {
                // Bodies 1 and 2 are at the same depth.
                let depth = [3.0, 1.0, 1.0, 2.0][id as usize];
                canvas.paint(&wall(depth), id, |_, _| depth);
            }
            let seen: Vec<_> =
                (0..32).flat_map(|j| (0..32).map(move |i| (i, j))).map(|(i, j)| canvas.seen(i, j)).collect();
            (seen, canvas.tests)
        };
        let (expected, tests) = painted(&[1, 2, 3, 0]);
        assert_eq!(expected[5 * 32 + 5], (1, 1.0));
        assert_eq!(expected[0], (NOTHING, f32::INFINITY));
        let area = 26 * 28;
        // Bodies 0 and 3 are tested only in the tiles that the wall does not fill: all but two by two of four by four.
        assert_eq!(tests, 2 * area + 2 * (area - 4 * IN_TILE as u64));
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            assert_eq!(painted(&order).0, expected);
        }
        assert_eq!(front_to_back(3, [0.0, 1.0], |body| [0.9, 0.1, 0.5][body]), [1, 2, 0]);
    }
}
