//! `shape = { kind = .. }` of a body.

use glam::DVec3;
use stickslip::shape::{Shape, Sides};

use crate::input::{Item, Result, Table};

/// Shapes of the design that no issue has built.
const LATER: &[&str] = &["polygon", "cylinder", "mesh", "clump"];

/// Reads the shape of a body.
pub(crate) fn read_shape(item: Item<'_>) -> Result<Shape> {
    type Reader = fn(&Table<'_>) -> Result<Shape>;
    let table = item.table()?;
    let kinds: [(&str, Reader); 7] = [
        ("sphere", |table| Ok(Shape::Sphere { radius: table.need("radius", Item::positive)? })),
        ("ellipsoid", |table| Ok(Shape::Ellipsoid { axes: table.need("axes", read_lengths)? })),
        ("box", |table| Ok(Shape::Box { size: table.need("size", read_lengths)? })),
        ("plane", |table| Ok(Shape::Plane { normal: table.need("normal", Item::direction)? })),
        ("rectangle", read_rectangle),
        ("tube", read_tube),
        ("cone", read_cone),
    ];
    let read = table.need("kind", |kind| kind.choice(&kinds, LATER))?;
    let shape = read(&table)?;
    table.finish()?;
    Ok(shape)
}

fn read_lengths(item: Item<'_>) -> Result<DVec3> {
    let place = item.place();
    let lengths = item.vector()?;
    if lengths.min_element() > 0.0 { Ok(lengths) } else { Err(place.error("expected three lengths above zero".into())) }
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
