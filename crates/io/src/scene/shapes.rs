//! `shape = { kind = .. }` of a body, and of grains and streams, whose lengths may be ranges. One list of kinds serves both.

use glam::{DQuat, DVec3};
use stickslip::shape::clump::{Clump, ClumpPart, MOST_PARTS};
use stickslip::shape::{Shape, Sides};
use stickslip::sizes::Sizes;

use crate::input::{InputError, Item, Result, Table};
use crate::scene::bodies::read_orientation;
use crate::scene::moulds::read_range;

/// Shapes of the design that no issue has built.
const LATER: &[&str] = &["polygon", "mesh"];

/// How the length of a solid is read: what is returned stands in the shape.
type Length<'r> = &'r mut dyn FnMut(Item<'_>) -> Result<f64>;

/// Reads the shape of a body.
pub(crate) fn read_shape(item: Item<'_>) -> Result<Shape> {
    read_kind(item, &mut |length: Item<'_>| length.positive())
}

/// Reads the shape of grains or of a stream: its kind, and what its lengths are drawn from, in the order of `Shape::map_lengths`.
pub(crate) fn read_ranged_shape(item: Item<'_>) -> Result<(Shape, Vec<Sizes>)> {
    let mut lengths = Vec::new();
    let whole = item.clone();
    let shape = read_kind(item, &mut |item: Item<'_>| {
        let length = read_range(item)?;
        let [least, _] = length.ends();
        lengths.push(length);
        Ok(least)
    })?;
    if let Shape::Clump(_) = shape {
        let message = "clumps in grains and streams are not implemented";
        return Err(whole.error(message.into()).help("give each clump its [[body]] table"));
    }
    if shape.is_wall() {
        let message = format!("a {} has no mass: grains and streams are solids", shape.kind());
        return Err(whole.error(message).help("give a sphere, an ellipsoid or a box; walls are [[body]] tables"));
    }
    Ok((shape, lengths))
}

fn read_kind(item: Item<'_>, length: Length<'_>) -> Result<Shape> {
    let table = item.table()?;
    let shape = read_solid_or_wall(&table, length)?;
    table.finish()?;
    Ok(shape)
}

fn read_solid_or_wall(table: &Table<'_>, length: Length<'_>) -> Result<Shape> {
    type Reader = fn(&Table<'_>, Length<'_>) -> Result<Shape>;
    let kinds: [(&str, Reader); 9] = [
        ("sphere", |table, length| Ok(Shape::Sphere { radius: table.need("radius", length)? })),
        ("ellipsoid", |table, length| {
            Ok(Shape::Ellipsoid { axes: table.need("axes", |item| read_lengths(item, length))? })
        }),
        ("box", |table, length| Ok(Shape::Box { size: table.need("size", |item| read_lengths(item, length))? })),
        ("cylinder", |table, length| {
            Ok(Shape::Cylinder {
                radius: table.need("radius", &mut *length)?,
                length: table.need("length", length)?,
                axis: table.read("axis", Item::direction)?.unwrap_or(DVec3::Z),
            })
        }),
        ("clump", |table, _| read_clump(table)),
        ("plane", |table, _| Ok(Shape::Plane { normal: table.need("normal", Item::direction)? })),
        ("rectangle", |table, _| read_rectangle(table)),
        ("tube", |table, _| read_tube(table)),
        ("cone", |table, _| read_cone(table)),
    ];
    let read = table.need("kind", |kind| kind.choice(&kinds, LATER))?;
    read(table, length)
}

/// A clump: solids at their places, as one rigid body.
fn read_clump(table: &Table<'_>) -> Result<Shape> {
    let item = table.required("parts")?;
    let place = item.place();
    let parts: Vec<ClumpPart> = item.array()?.into_iter().map(read_part).collect::<Result<_>>()?;
    if parts.is_empty() || parts.len() > MOST_PARTS {
        return Err(place.error(format!("expected 1 to {MOST_PARTS} parts, found {}", parts.len())));
    }
    let scale = table.read("scale", Item::positive)?.unwrap_or(1.0);
    let shape = Clump::shape(parts);
    // Without arithmetic where there is nothing to change.
    Ok(if scale == 1.0 { shape } else { shape.scaled(scale) })
}

fn read_part(item: Item<'_>) -> Result<ClumpPart> {
    let place = item.place();
    let table = item.table()?;
    let shape = read_solid_or_wall(&table, &mut |length: Item<'_>| length.positive())?;
    if shape.is_wall() || matches!(shape, Shape::Clump(_)) {
        let message = format!("a {} is no part of a clump", shape.kind());
        return Err(place.error(message).help("parts are solids: spheres, ellipsoids, boxes and cylinders"));
    }
    let at = table.read("at", Item::vector)?.unwrap_or_default();
    let turn = table.read("orientation", read_orientation)?.unwrap_or(DQuat::IDENTITY);
    table.finish()?;
    Ok(ClumpPart { shape, at, turn })
}

fn read_lengths(item: Item<'_>, length: Length<'_>) -> Result<DVec3> {
    let what = "an array of 3 lengths";
    let whole = item.clone();
    let elements = item.array().map_err(|_: InputError| whole.expected(what))?;
    let [x, y, z] = <[Item<'_>; 3]>::try_from(elements)
        .map_err(|elements| whole.error(format!("expected {what}, found {} elements", elements.len())))?;
    Ok(DVec3::new(length(x)?, length(y)?, length(z)?))
}

/// A rectangle's first side, where it is not given: along x, or along y for a wall across x.
fn default_along(normal: DVec3) -> DVec3 {
    let axis = if normal.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
    (axis - normal * axis.dot(normal)).normalize()
}

fn read_rectangle(table: &Table<'_>) -> Result<Shape> {
    let normal = table.need("normal", Item::direction)?;
    let size = table.need("size", |item| {
        let place = item.place();
        let size = item.numbers::<2>()?;
        if size.iter().all(|&side| side > 0.0) {
            Ok(size)
        } else {
            Err(place.error("expected two lengths above zero".into()))
        }
    })?;
    let along = table.read("along", |item| {
        let place = item.place();
        let along = item.direction()?;
        // A direction given with a few digits is turned into the plate; one that leans out of it is a mistake.
        if along.dot(normal).abs() > 1e-3 {
            return Err(place.error("expected a direction in the rectangle, at right angles to its `normal`".into()));
        }
        let level = along - normal * along.dot(normal);
        // As for directions: what is exact to rounding keeps its bits.
        Ok(if along.dot(normal).abs() < 1e-15 { along } else { level.normalize() })
    })?;
    let along = along.unwrap_or_else(|| default_along(normal));
    Ok(Shape::Rectangle { normal, along, size, sides: read_sides(table)? })
}

fn read_tube(table: &Table<'_>) -> Result<Shape> {
    Ok(Shape::Tube {
        radius: table.need("radius", Item::positive)?,
        length: table.need("length", Item::positive)?,
        axis: table.need("axis", Item::direction)?,
        sides: read_sides(table)?,
    })
}

fn read_cone(table: &Table<'_>) -> Result<Shape> {
    let radii = table.need("radii", |item| {
        let place = item.place();
        let radii = item.numbers::<2>()?;
        let cone = radii.iter().all(|&radius| radius >= 0.0) && radii[0] != radii[1];
        if cone { Ok(radii) } else { Err(place.error("expected two radii that differ, none below zero".into())) }
    })?;
    Ok(Shape::Cone {
        radii,
        length: table.need("length", Item::non_negative)?,
        axis: table.need("axis", Item::direction)?,
        sides: read_sides(table)?,
    })
}

fn read_sides(table: &Table<'_>) -> Result<Sides> {
    let words = [("both", Sides::Both), ("front", Sides::Front)];
    Ok(table.read("sides", |item| item.choice(&words, &[]))?.unwrap_or_default())
}
