//! Of which shapes grains and streams are: `radius` or `shape` with `scale`, `orientation`, and what all bodies of a table share.
//!
//! A size is a number, `{ min, max }` or a size curve `{ sizes, passing, by }`; within a shape a number or `{ min, max }`.

use glam::{DQuat, DVec3};
use stickslip::body::Body;
use stickslip::mould::{Mould, Turn};
use stickslip::shape::Shape;
use stickslip::sizes::{By, CurveError, SizeCurve, Sizes};

use crate::input::{Item, Result, Table};
use crate::scene::bodies::{read_loads, read_orientation};
use crate::scene::motions::read_motion;
use crate::scene::resolved::{number, vector};
use crate::scene::schedules::signal_text;
use crate::scene::shapes::read_ranged_shape;

/// The words of `by`.
pub(super) const BY: [(&str, By); 2] = [("number", By::Number), ("mass", By::Mass)];

/// A size that is drawn for each body.
fn read_sizes(item: Item<'_>) -> Result<Sizes> {
    if !item.is_table() {
        return item.positive().map(Sizes::One);
    }
    let table = item.clone().table()?;
    if table.optional("sizes").is_none() && table.optional("passing").is_none() {
        return read_range(item);
    }
    let by = table.need("by", |item| item.choice(&BY, &[]))?;
    let [sizes, passing] = [table.required("sizes")?, table.required("passing")?];
    let numbers = |item: &Item<'_>| item.clone().array()?.into_iter().map(Item::number).collect::<Result<Vec<f64>>>();
    table.finish()?;
    SizeCurve::new(numbers(&sizes)?, numbers(&passing)?, by).map(Sizes::Curve).map_err(|error| {
        let at = |item: &Item<'_>, index: usize| {
            let place = item.clone().array().ok().and_then(|list| Some(list.get(index)?.place()));
            place.unwrap_or_else(|| item.place()).error(error.to_string())
        };
        match error {
            CurveError::Lengths { .. } => passing.error(error.to_string()).help("give as many `passing` as `sizes`"),
            CurveError::TooShort | CurveError::TooWide => sizes.error(error.to_string()),
            CurveError::NotRising { index, .. } => at(&sizes, index).help("list the sizes from the smallest up"),
            CurveError::Falls { index, .. } => {
                at(&passing, index).help("`passing` is the share below each size: it cannot get less")
            }
            CurveError::Ends { index, .. } => {
                at(&passing, index).help("give shares of one, not percent: nothing passes the first size, all the last")
            }
        }
    })
}

/// A length of a shape: a number or a range.
pub(super) fn read_range(item: Item<'_>) -> Result<Sizes> {
    if !item.is_table() {
        return item.positive().map(Sizes::One);
    }
    let table = item.clone().table()?;
    if table.optional("sizes").is_some() {
        let message = "a length of a shape is a number or { min, max }, not a size curve";
        return Err(item.error(message.into()).help("put the curve into `scale`, which multiplies all lengths"));
    }
    let min = table.need("min", Item::positive)?;
    let max_item = table.required("max")?;
    let max = max_item.clone().positive()?;
    if max < min {
        return Err(max_item.error(format!("max = {max} is below min = {min}")));
    }
    table.finish()?;
    Ok(Sizes::Between(min, max))
}

/// Reads `radius`, or `shape` and `scale`, and `orientation`; `None` where neither is given.
pub(super) fn read_mould(table: &Table<'_>) -> Result<Option<Mould>> {
    let turn = table.read("orientation", |item| match item.is_string() {
        true => item.choice(&[("random", Turn::Random)], &[]),
        false => read_orientation(item).map(Turn::Fixed),
    })?;
    let given = table.one_of(&["radius", "shape"])?;
    let scale = table.optional("scale");
    let (shape, lengths) = match given {
        Some(("shape", item)) => read_ranged_shape(item)?,
        other => {
            if let Some(scale) = scale {
                let error = scale.error("`scale` multiplies the lengths of a `shape`, but there is none".into());
                return Err(error.help("give the sizes of spheres as `radius`"));
            }
            let Some((_, item)) = other else { return Ok(None) };
            let radius = read_sizes(item)?;
            (Shape::Sphere { radius: radius.ends()[0] }, vec![radius])
        }
    };
    let scale = scale.map(read_sizes).transpose()?.unwrap_or(Sizes::One(1.0));
    Ok(Some(Mould::new(shape, lengths, scale, turn.unwrap_or(Turn::Fixed(DQuat::IDENTITY)))))
}

/// Reads `mass` of a table whose shapes are known: whether it goes with the radius.
pub(super) fn read_mass(table: &Table<'_>, mould: Option<&Mould>) -> Result<bool> {
    let Some(item) = table.optional("mass") else { return Ok(false) };
    let by_radius = item.clone().choice(&[("density", false), ("radius", true)], &[])?;
    if by_radius && mould.is_some_and(|mould| mould.radius().is_none()) {
        let error = item.error("mass = \"radius\" is for spheres, whose sizes are their `radius`".into());
        return Err(error.help("leave `mass` out: it follows from the density"));
    }
    Ok(by_radius)
}

/// Reads what all bodies of a table share: motion (where they may have one), locks, loads and velocities. The shape only says that
/// they are no walls.
pub(super) fn read_shared(table: &Table<'_>, with_motion: bool) -> Result<Body> {
    let mut body = Body::new(Shape::Sphere { radius: 1.0 }, 0, DVec3::ZERO);
    if with_motion {
        body.motion = read_motion(table, &body)?;
    }
    read_loads(table, &mut body)?;
    Ok(body)
}

/// Sizes as a scene has them.
fn sizes_text(sizes: &Sizes) -> String {
    match sizes {
        Sizes::One(size) => number(*size),
        Sizes::Between(min, max) => format!("{{ min = {}, max = {} }}", number(*min), number(*max)),
        Sizes::Curve(curve) => {
            let list = |numbers: &[f64]| numbers.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ");
            let by = BY.iter().find(|(_, by)| *by == curve.by()).map_or("", |(word, _)| word);
            let (sizes, passing) = (list(curve.sizes()), list(curve.passing()));
            format!("{{ sizes = [{sizes}], passing = [{passing}], by = \"{by}\" }}")
        }
    }
}

/// The shape of a solid as a scene has it, its lengths in these words.
pub(super) fn solid_text(shape: &Shape, lengths: &[String]) -> String {
    match shape {
        Shape::Sphere { .. } => format!("{{ kind = \"sphere\", radius = {} }}", lengths.join(", ")),
        Shape::Ellipsoid { .. } => format!("{{ kind = \"ellipsoid\", axes = [{}] }}", lengths.join(", ")),
        Shape::Cylinder { axis, .. } => {
            let (radius, length) = (&lengths[0], &lengths[1]);
            let axis = crate::scene::resolved::vector(*axis);
            format!("{{ kind = \"cylinder\", radius = {radius}, length = {length}, axis = {axis} }}")
        }
        _ => format!("{{ kind = \"{}\", size = [{}] }}", shape.kind(), lengths.join(", ")),
    }
}

/// The lines of a mould in a resolved scene.
pub(super) fn mould_text(mould: &Mould) -> String {
    let mut text = match mould.radius() {
        Some(radius) => format!("radius = {}\n", sizes_text(radius)),
        None => {
            let lengths: Vec<String> = mould.lengths().iter().map(sizes_text).collect();
            format!("shape = {}\nscale = {}\n", solid_text(mould.shape(), &lengths), sizes_text(mould.scale()))
        }
    };
    match mould.turn() {
        Turn::Random => text += "orientation = \"random\"\n",
        Turn::Fixed(turn) if turn == DQuat::IDENTITY => {}
        Turn::Fixed(q) => text += &format!("orientation = [{:?}, {:?}, {:?}, {:?}]\n", q.w, q.x, q.y, q.z),
    }
    text
}

/// The lines of what bodies share, apart from velocities and motion, as far as there is something.
pub(super) fn loads_text(body: &Body) -> String {
    let mut text = String::new();
    for (key, load) in [("force", &body.force), ("torque", &body.torque)] {
        if !load.is_zero() {
            text += &format!("{key} = {}\n", signal_text(load, vector));
        }
    }
    if body.lock != [false; 6] {
        text += &format!("lock = {}\n", crate::scene::resolved::locks(body));
    }
    text
}
