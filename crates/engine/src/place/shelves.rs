//! A grid of spheres that are being placed, over a box or a periodic cell: who is near a place.
//!
//! Its cells are as wide as the largest sphere or wider. What lies beyond a face that does not repeat stands at that face.

use glam::{DMat3, DVec3};

use super::CLEARANCE;
use crate::cell::Frame;

/// The grid.
pub struct Shelves {
    corner: DVec3,
    /// From places to cells of width one.
    to_cells: DMat3,
    cells: [usize; 3],
    /// The periodic cell and the inverse of its vectors.
    lattice: Option<(Frame, DMat3)>,
    heads: Vec<u32>,
    /// By number of the sphere.
    shelved: Vec<Shelved>,
}

/// A sphere, and the next one of its cell.
#[derive(Clone, Copy)]
struct Shelved {
    centre: DVec3,
    radius: f64,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// No more cells than a few per sphere, however large the region.
fn most_cells(radii: &[f64]) -> f64 {
    64.0 + 4.0 * radii.len() as f64
}

fn least_width(radii: &[f64], room: f64) -> f64 {
    let largest = radii.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    (2.0 * CLEARANCE * largest).max(crate::math::cbrt(room.max(0.0) / most_cells(radii)))
}

impl Shelves {
    /// An empty grid over a box.
    pub fn over_box(from: DVec3, to: DVec3, radii: &[f64]) -> Self {
        let size = to - from;
        let width = least_width(radii, size.x * size.y * size.z).max(size.max_element() / most_cells(radii));
        let cells = size.to_array().map(|length| (length / width) as usize + 1);
        let to_cells = DMat3::from_diagonal(DVec3::splat(1.0 / width));
        Shelves::new(from, to_cells, cells, None, radii)
    }

    /// An empty grid along the vectors of a cell.
    pub fn over_cell(frame: Frame, radii: &[f64]) -> Self {
        let heights = frame.heights();
        let width = least_width(radii, heights.iter().product());
        let width = heights.iter().fold(width, |width, height| width.max(height / most_cells(radii)));
        let cells = heights.map(|height| ((height / width) as usize).max(1));
        let scales = DVec3::from_array(cells.map(|count| count as f64));
        let inverse = frame.vectors.inverse();
        Shelves::new(frame.corner, DMat3::from_diagonal(scales) * inverse, cells, Some((frame, inverse)), radii)
    }

    fn new(corner: DVec3, to_cells: DMat3, cells: [usize; 3], lattice: Option<(Frame, DMat3)>, radii: &[f64]) -> Self {
        let heads = vec![NONE; cells[0] * cells[1] * cells[2]];
        let nowhere = Shelved { centre: DVec3::ZERO, radius: 0.0, next: NONE };
        Shelves { corner, to_cells, cells, lattice, heads, shelved: vec![nowhere; radii.len()] }
    }

    fn repeats(&self, axis: usize) -> bool {
        self.lattice.is_some_and(|(frame, _)| frame.periodic[axis])
    }

    /// The shortest of a difference of places and its images.
    pub fn nearest(&self, difference: DVec3) -> DVec3 {
        let Some((frame, inverse)) = &self.lattice else { return difference };
        let s = *inverse * difference;
        let whole = |axis: usize| if frame.periodic[axis] { s[axis].round() } else { 0.0 };
        difference - frame.vectors * DVec3::new(whole(0), whole(1), whole(2))
    }

    fn cell(&self, at: DVec3) -> [usize; 3] {
        let p = self.to_cells * (at - self.corner);
        std::array::from_fn(|axis| {
            let count = self.cells[axis];
            let turns = if self.repeats(axis) { (p[axis] / count as f64).floor() } else { 0.0 };
            // Casts saturate: what is below the first cell stands there.
            ((p[axis] - turns * count as f64) as usize).min(count - 1)
        })
    }

    /// Puts a sphere into its cell.
    pub fn insert(&mut self, sphere: usize, centre: DVec3, radius: f64) {
        let place = self.place_of(centre);
        let head = &mut self.heads[place];
        self.shelved[sphere] = Shelved { centre, radius, next: *head };
        *head = sphere as u32;
    }

    /// Moves a sphere, in its cell behind all those that go before it.
    pub fn move_to(&mut self, sphere: usize, centre: DVec3, before: impl Fn(usize) -> bool) {
        if self.place_of(centre) == self.place_of(self.shelved[sphere].centre) {
            self.shelved[sphere].centre = centre;
            return;
        }
        self.remove(sphere);
        self.insert_after(sphere, centre, before);
    }

    /// Takes a sphere out of its cell.
    fn remove(&mut self, sphere: usize) {
        let Shelved { centre, next, .. } = self.shelved[sphere];
        let cell = self.place_of(centre);
        if self.heads[cell] == sphere as u32 {
            self.heads[cell] = next;
            return;
        }
        let mut at = self.heads[cell] as usize;
        while self.shelved[at].next != sphere as u32 {
            at = self.shelved[at].next as usize;
        }
        self.shelved[at].next = next;
    }

    /// Puts a sphere into its cell behind all those that go before it.
    fn insert_after(&mut self, sphere: usize, centre: DVec3, before: impl Fn(usize) -> bool) {
        let (cell, radius) = (self.place_of(centre), self.shelved[sphere].radius);
        let mut last = NONE;
        let mut next = self.heads[cell];
        while next != NONE && before(next as usize) {
            last = next;
            next = self.shelved[next as usize].next;
        }
        self.shelved[sphere] = Shelved { centre, radius, next };
        let link = if last == NONE { &mut self.heads[cell] } else { &mut self.shelved[last as usize].next };
        *link = sphere as u32;
    }

    /// The spheres, cell by cell.
    pub fn in_cells(&self) -> Vec<u32> {
        let mut spheres = Vec::with_capacity(self.shelved.len());
        for &head in &self.heads {
            let mut sphere = head;
            while sphere != NONE {
                spheres.push(sphere);
                sphere = self.shelved[sphere as usize].next;
            }
        }
        spheres
    }

    /// Centre and radius of a sphere that was inserted.
    pub fn sphere(&self, sphere: usize) -> (DVec3, f64) {
        (self.shelved[sphere].centre, self.shelved[sphere].radius)
    }

    /// The number of the cell of a place.
    fn place_of(&self, at: DVec3) -> usize {
        let [x, y, z] = self.cell(at);
        (z * self.cells[1] + y) * self.cells[0] + x
    }

    /// The cells beside one and itself along an axis, each once, and how many there are.
    #[inline(always)]
    fn beside(&self, axis: usize, cell: usize) -> ([usize; 3], usize) {
        let (count, repeats) = (self.cells[axis], self.repeats(axis));
        if count < 4 {
            return ([0, 1, 2], count);
        }
        let (first, last) = (cell == 0, cell == count - 1);
        match (first, last, repeats) {
            (true, _, false) => ([cell, cell + 1, 0], 2),
            (_, true, false) => ([cell - 1, cell, 0], 2),
            (true, ..) => ([count - 1, cell, cell + 1], 3),
            (_, true, _) => ([cell - 1, cell, 0], 3),
            _ => ([cell - 1, cell, cell + 1], 3),
        }
    }

    /// Calls `visit` for every inserted sphere in the cells around a place, its number, centre and radius, until it says no.
    #[inline(always)]
    pub fn near(&self, at: DVec3, mut visit: impl FnMut(usize, DVec3, f64) -> bool) {
        let [x, y, z] = self.cell(at);
        let ((xs, nx), (ys, ny), (zs, nz)) = (self.beside(0, x), self.beside(1, y), self.beside(2, z));
        for z in &zs[..nz] {
            for y in &ys[..ny] {
                let row = (z * self.cells[1] + y) * self.cells[0];
                for x in &xs[..nx] {
                    let mut sphere = self.heads[row + x];
                    while sphere != NONE {
                        let Shelved { centre, radius, next } = self.shelved[sphere as usize];
                        if !visit(sphere as usize, centre, radius) {
                            return;
                        }
                        sphere = next;
                    }
                }
            }
        }
    }

    /// Whether a sphere there would overlap one that was inserted and is not itself, and for which `with` says so, too: its number,
    /// and from its centre to the place.
    #[inline(always)]
    pub fn overlaps(&self, at: DVec3, radius: f64, itself: usize, with: impl Fn(usize, DVec3) -> bool) -> bool {
        let overlaps = |other: usize, centre: DVec3, other_radius: f64| {
            let (between, reach) = (self.nearest(at - centre), radius + other_radius);
            other != itself && between.length_squared() <= reach * reach && with(other, between)
        };
        // In a crowd it is most often one of the same cell.
        let mut sphere = self.heads[self.place_of(at)];
        while sphere != NONE {
            let Shelved { centre, radius: other, next } = self.shelved[sphere as usize];
            if overlaps(sphere as usize, centre, other) {
                return true;
            }
            sphere = next;
        }
        let mut found = false;
        self.near(at, |other, centre, other_radius| {
            found = overlaps(other, centre, other_radius);
            !found
        });
        found
    }
}
