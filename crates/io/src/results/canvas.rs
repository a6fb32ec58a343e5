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
/// Most bodies that are put in order. More of them are so small that to fetch them out of order takes longer than to paint all.
const MOST_IN_ORDER: usize = 300_000;

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

/// A plane in front of a body.
#[derive(Clone, Copy, Debug)]
pub struct Front {
    /// A sample.
    pub sample: Vec2,
    /// Depth of the plane there.
    pub depth: f32,
    /// How it grows with columns and rows.
    pub slope: Vec2,
}

impl Front {
    /// Least depth between two samples.
    fn nearest(&self, low: Vec2, high: Vec2) -> f32 {
        let (low, high) = ((low - self.sample) * self.slope, (high - self.sample) * self.slope);
        self.depth + low.min(high).element_sum()
    }
}

/// The samples that a body may cover.
pub struct Patch<'a> {
    /// All their columns.
    pub columns: Range<usize>,
    /// All their rows.
    pub rows: Range<usize>,
    /// A depth that none of its points is nearer than.
    pub near: f32,
    /// Planes that none of its points is nearer than: of a slender body they say more.
    pub fronts: &'a [Front],
    /// Between which slanting lines they lie; all columns if absent.
    pub slant: Option<Slant>,
}

/// Between two parallel lines: in row j all columns from the middle less `width` to the middle and `width`.
#[derive(Clone, Copy, Debug)]
pub struct Slant {
    /// A sample in the middle.
    pub middle: Vec2,
    /// How far the middle moves along x from one row to the next.
    pub lean: f32,
    /// Half the width along x.
    pub width: f32,
}

/// A slant that leans more gains nothing, and rounding would show.
const MOST_LEAN: f32 = 1000.0;

impl Slant {
    /// About a middle; `None` if it leans too much to be of use.
    pub fn new(middle: Vec2, lean: f32, width: f32) -> Option<Self> {
        (lean.abs() < MOST_LEAN).then_some(Slant { middle, lean, width })
    }

    /// About corners: along the longest line from the first of them to those with a single bit in their number.
    pub fn of_corners(corners: &[Vec2; 8]) -> Option<Self> {
        let middle = 0.5 * (corners[0] + corners[7]);
        let edges = [1, 2, 4].map(|k| corners[k] - corners[0]);
        let longest = edges.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))?;
        let lean = longest.x / longest.y;
        let beside = |c: &Vec2| (c.x - middle.x - lean * (c.y - middle.y)).abs();
        Slant::new(middle, lean, corners.iter().map(beside).fold(0.0, f32::max))
    }

    /// The columns of these rows among some, and one more at each side for rounding.
    fn columns(&self, rows: &Range<usize>, among: &Range<usize>) -> Range<usize> {
        let end = |row: usize| self.middle.x + self.lean * (row as i32 as f32 - self.middle.y);
        let (a, b) = (end(rows.start), end(rows.end - 1));
        let index = |x: f32| (x.max(0.0) as usize).clamp(among.start, among.end);
        index(a.min(b) - self.width - 1.0)..index(a.max(b) + self.width + 2.0)
    }
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

    /// The lines that touch it, along which its middles lie.
    pub fn slant(&self) -> Option<Slant> {
        Slant::new(self.centre, self.lean, self.width)
    }
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
    pub fn paint(&mut self, patch: &Patch<'_>, id: u32, depth: impl Fn(f32, f32) -> f32) {
        let rows = patch.rows.start.max(self.rows.start)..patch.rows.end.min(self.rows.end);
        let mut next = rows.start;
        while next < rows.end {
            let tile_row = (next - self.rows.start) / TILE;
            let end = (self.rows.start + (tile_row + 1) * TILE).min(rows.end);
            let band = next..end;
            next = end;
            let all = patch.columns.start..patch.columns.end.min(self.columns);
            let columns = |rows: &Range<usize>| patch.slant.map_or(all.clone(), |slant| slant.columns(rows, &all));
            let Range { start: first, end: last } = columns(&band);
            for tile_column in first / TILE..last.div_ceil(TILE) {
                let tile = tile_row * self.across + tile_column;
                let low = Vec2::new((tile_column * TILE) as f32, band.start as f32);
                let near = |front: &Front| front.nearest(low, low + (TILE - 1) as f32);
                let near = patch.fronts.iter().map(near).fold(patch.near, f32::max);
                if near <= self.far[tile] {
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
        patch: &Patch<'_>,
        (id, depth): (u32, &impl Fn(f32, f32) -> f32),
    ) {
        let mut changed = false;
        for j in rows.clone() {
            let columns = patch.slant.map_or(columns.clone(), |slant| slant.columns(&(j..j + 1), &columns));
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

/// The numbers of bodies from the nearest to the farthest, in classes: their depths are spread over `range`. Of very many, as
/// they come.
pub fn front_to_back(count: usize, range: [f32; 2], near: impl Fn(usize) -> f32) -> Vec<u32> {
    if count > MOST_IN_ORDER {
        return (0..count as u32).collect();
    }
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
    fn a_slant_holds_all_points_of_what_it_is_about() {
        let ellipse = Ellipse::new(DVec2::new(50.0, 40.0), [900.0, -880.0, 890.0]).unwrap();
        // A box: the corners are sums of three edges.
        let edge = |k: usize, bit: usize, edge: [f32; 2]| if k >> bit & 1 == 1 { Vec2::from(edge) } else { Vec2::ZERO };
        let corner =
            |k| Vec2::new(10.0, 5.0) + edge(k, 0, [50.0, 30.0]) + edge(k, 1, [-4.0, 9.0]) + edge(k, 2, [0.0, 12.0]);
        let corners: [Vec2; 8] = std::array::from_fn(corner);
        let (around, about) = (ellipse.slant().unwrap(), Slant::of_corners(&corners).unwrap());
        for j in 0..100 {
            let row = j..j + 1;
            let [in_ellipse, in_box] = [around, about].map(|slant| slant.columns(&row, &(0..100)));
            for i in 0..100 {
                let at = Vec2::new(i as f32, j as f32);
                assert!(ellipse.inside(ellipse.sheared(at.x, at.y)) <= 0.0 || in_ellipse.contains(&i), "{at}");
                // In the face of the first two edges: shares of both from 0 to 1.
                let (a, b, from) = (corners[1] - corners[0], corners[2] - corners[0], at - corners[0]);
                let shares = [from.perp_dot(b), a.perp_dot(from)].map(|area| area / a.perp_dot(b));
                let on_face = shares.iter().all(|share| (0.0..=1.0).contains(share));
                assert!(!on_face || in_box.contains(&i), "{at}");
            }
        }
        // Its lines touch the ellipse: half as wide as sqrt(xx - xy^2/yy) = 5.5, and a sample for rounding at each side.
        let row = around.columns(&(40..41), &(0..100));
        assert_eq!(row, 43..57);
    }

    #[test]
    fn what_is_hidden_is_not_tested_and_the_order_does_not_matter() {
        let wall = |near: f32| Patch { columns: 3..29, rows: 2..30, near, fronts: &[], slant: None };
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
