//! Grains of `[[grains]]` tables: their shapes drawn, their centres found, their bodies made.
//!
//! Random groups in the same box are placed together, so that they do not overlap; a lattice is filled x fastest. Groups that pass
//! through each other, and through themselves, are placed as if each were alone.

use glam::{DQuat, DVec3};
use stickslip::body::Body;
use stickslip::cell::Frame;
use stickslip::model::LawTable;
use stickslip::mould::Turn;
use stickslip::place::{self, Within};
use stickslip::random::Stream;
use stickslip::shape::Shape;

use crate::input::shown;
use crate::scene::bodies::{Bodies, check_mass};
use crate::scene::grains::{Group, Placement};
use crate::scene::materials::Materials;
use crate::scene::rows;

/// The shapes of a group as drawn, and how they are turned.
pub(super) enum Drawn {
    /// Spheres of these radii (m), all turned so.
    Spheres(Vec<f64>, DQuat),
    /// One by one.
    Solids(Vec<(Shape, DQuat)>),
}

impl Drawn {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Drawn::Spheres(radii, _) => radii.len(),
            Drawn::Solids(solids) => solids.len(),
        }
    }

    /// One of them.
    pub fn get(&self, grain: usize) -> (Shape, DQuat) {
        match self {
            Drawn::Spheres(radii, turn) => (Shape::Sphere { radius: radii[grain] }, *turn),
            Drawn::Solids(solids) => solids[grain].clone(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (Shape, DQuat)> + '_ {
        (0..self.len()).map(|grain| self.get(grain))
    }

    /// Radii of spheres, or of those around solids (m).
    pub fn radii(&self) -> impl Iterator<Item = f64> + '_ {
        self.iter().filter_map(|(shape, _)| shape.radius())
    }
}

/// Draws the shapes of a group.
pub(super) fn draw(group: &Group, shapes: &mut Stream, turns: &mut Stream) -> Drawn {
    let count = group.count as usize;
    let Some(mould) = &group.mould else {
        let Placement::List(list) = &group.placement else { return Drawn::Solids(Vec::new()) };
        return Drawn::Spheres(list.rows.iter().filter_map(|row| row.radius).collect(), DQuat::IDENTITY);
    };
    match (mould.radius(), mould.turn()) {
        (Some(radius), Turn::Fixed(turn)) => Drawn::Spheres((0..count).map(|_| radius.draw(shapes)).collect(), turn),
        (_, turn) => Drawn::Solids((0..count).map(|_| (mould.draw(shapes), turn.draw(turns))).collect()),
    }
}

/// What grains are placed with.
pub(super) struct Placing<'a> {
    /// The tables.
    pub groups: &'a [Group],
    /// The shapes of each.
    pub drawn: &'a [Drawn],
    /// Of the cell.
    pub frame: Option<Frame>,
    /// Who touches whom.
    pub laws: &'a LawTable,
}

impl Placing<'_> {
    /// Finds the centres of a group, and of those that are placed with it.
    pub fn place(
        &self,
        index: usize,
        stream: &mut Stream,
        centres: &mut [Vec<DVec3>],
    ) -> std::result::Result<(), String> {
        let group = &self.groups[index];
        match &group.placement {
            Placement::Random { bounds } => {
                let together = self.together(index, *bounds);
                let mut placed = match (&together[..], *bounds) {
                    (&[alone], bounds) if !self.touch(alone, alone) => self.scatter(alone, bounds, stream),
                    _ => self.keep_apart(&together, *bounds, stream)?,
                };
                for &i in together.iter().rev() {
                    centres[i] = placed.split_off(placed.len().saturating_sub(self.drawn[i].len()));
                }
            }
            Placement::Lattice { from, to, spacing, jitter } => {
                let sites = match to {
                    Some(to) => sites_along(*from, *to, *spacing),
                    None => DVec3::splat(smallest_cube(group.count)),
                };
                centres[index] = lattice(*from, sites, *spacing, *jitter, group.count, stream);
            }
            Placement::List(list) => centres[index] = list.rows.iter().map(|row| row.position).collect(),
        }
        Ok(())
    }

    /// Whether bodies of two groups that are placed at random touch where they meet.
    fn touch(&self, i: usize, j: usize) -> bool {
        self.laws.all_touch() || self.laws.touches(self.groups[i].material(0), self.groups[j].material(0))
    }

    /// The group and those after it in the same box, as far as they touch one another.
    fn together(&self, first: usize, bounds: Option<(DVec3, DVec3)>) -> Vec<usize> {
        let same = |g: &Group| matches!(&g.placement, Placement::Random { bounds: other } if *other == bounds);
        let mut others: Vec<usize> = (first + 1..self.groups.len()).filter(|&i| same(&self.groups[i])).collect();
        let mut together = vec![first];
        let mut next = 0;
        while let Some(&i) = together.get(next) {
            let (touching, rest) = others.into_iter().partition(|&j| self.touch(i, j));
            together.extend::<Vec<usize>>(touching);
            (others, next) = (rest, next + 1);
        }
        together.sort_unstable();
        together
    }

    /// Centres at which no two bodies of these groups overlap.
    fn keep_apart(
        &self,
        together: &[usize],
        bounds: Option<(DVec3, DVec3)>,
        stream: &mut Stream,
    ) -> std::result::Result<Vec<DVec3>, String> {
        let all: Vec<(Shape, DQuat)> = together.iter().flat_map(|&i| self.drawn[i].iter()).collect();
        let placed = match (self.frame, bounds) {
            (Some(frame), bounds) => place::random_solids_in_cell(&Within { frame, bounds }, &all, stream),
            (None, Some((from, to))) => place::random_solids(from, to, &all, stream),
            // The reader has asked for a box then.
            (None, None) => Ok(Vec::new()),
        };
        placed.map_err(|error| error.to_string())
    }

    /// Centres anywhere, for bodies that pass through one another.
    fn scatter(&self, index: usize, bounds: Option<(DVec3, DVec3)>, stream: &mut Stream) -> Vec<DVec3> {
        let centre = |_| {
            let share = DVec3::new(stream.unit(), stream.unit(), stream.unit());
            match (bounds, self.frame) {
                (Some((from, to)), _) => from + (to - from) * share,
                (None, Some(frame)) => frame.corner + frame.vectors * share,
                // The reader has asked for a box then.
                (None, None) => DVec3::ZERO,
            }
        };
        (0..self.drawn[index].len()).map(centre).collect()
    }
}

/// How many sites fit along each axis, both ends included.
pub(super) fn sites_along(from: DVec3, to: DVec3, spacing: f64) -> DVec3 {
    ((to - from) / spacing + 1e-9).floor() + 1.0
}

/// The least n with n^3 >= count.
fn smallest_cube(count: u64) -> f64 {
    let mut side = 1.0;
    while side * side * side < count as f64 {
        side += 1.0;
    }
    side
}

fn lattice(from: DVec3, sites: DVec3, spacing: f64, jitter: f64, count: u64, stream: &mut Stream) -> Vec<DVec3> {
    // Along x and y a row longer than the count is never filled, so these fit an integer.
    let nx = sites.x.min(count as f64).max(1.0) as u64;
    let ny = sites.y.min(count as f64).max(1.0) as u64;
    let centre = |i: u64| {
        let site = DVec3::new((i % nx) as f64, (i / nx % ny) as f64, (i / nx / ny) as f64);
        let mut shift = || if jitter > 0.0 { stream.between(-jitter, jitter) } else { 0.0 };
        let shift = DVec3::new(shift(), shift(), shift());
        from + site * spacing + shift
    };
    (0..count).map(centre).collect()
}

/// Makes the bodies of a group.
pub(super) fn add_bodies(
    group: &Group,
    materials: &Materials,
    drawn: &Drawn,
    centres: &[DVec3],
    bodies: &mut Bodies<'_>,
) -> std::result::Result<(), String> {
    // m = rho (4/3 pi <R^3>/<R>) R: in proportion to R, with the mean mass kept.
    let (cubes, sum) = (drawn.radii().map(|r| r * r * r).sum::<f64>(), drawn.radii().sum::<f64>());
    for (i, ((shape, orientation), &centre)) in drawn.iter().zip(centres).enumerate() {
        let material = group.material(i);
        let density = materials.list[usize::from(material)].density;
        let mass_per_radius = density * 4.0 / 3.0 * std::f64::consts::PI * cubes / sum;
        let radius = shape.radius();
        let mut body = Body { shape, material, position: centre, orientation, ..group.shared.clone() };
        let row = match &group.placement {
            Placement::List(list) => list.rows[i],
            _ => rows::Row::default(),
        };
        body.velocity = group.velocity.unwrap_or(row.velocity);
        body.angular_velocity = group.angular_velocity.unwrap_or(row.angular_velocity);
        body.mass = radius.filter(|_| group.mass_by_radius).map(|radius| mass_per_radius * radius);
        if !centre.is_finite() {
            return Err(format!("grain {i} would lie at {}, which is not finite", shown(&centre.to_string())));
        }
        check_mass(&body, materials).map_err(|message| format!("grain {i}: {message}"))?;
        bodies.push(&body, None);
    }
    Ok(())
}
