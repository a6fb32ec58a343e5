//! Probe files: one contact, its laws, and the motion it is driven through (GUIDE.md, the probe).

use std::path::Path;

use stickslip::probe::{Probe, ProbeSide, Segment};

use crate::input::{self, InputError, Item, LARGEST_FILE, Result, Source, Table};
use crate::scene::laws;
use crate::scene::materials::Elastic;

/// The most steps of a probe: each becomes a row of its table.
const MOST_STEPS: u64 = 10_000_000;

/// Loads a probe file.
pub fn load(path: &Path) -> std::result::Result<Probe, InputError> {
    read(&Source::read(path, LARGEST_FILE)?)
}

/// Loads a probe from a text; `name` is what errors call it.
pub fn load_text(name: &str, text: &str) -> std::result::Result<Probe, InputError> {
    read(&Source::new(name, text))
}

fn read(source: &Source) -> Result<Probe> {
    let parsed = input::parse(source)?;
    let top = Table::top(source, &parsed);
    let contact = top.need("contact", Item::table)?;
    let read = laws::read(&contact, &[Elastic::default(); 2])?;
    let Some(&laws) = read.springs() else {
        let message = "a probe drives a contact by its overlap, and rigid bodies have none".to_owned();
        return Err(contact.error(message).help("take a normal law with a spring: hooke or hertz"));
    };
    contact.finish()?;
    let (a, b) = read_pair(&top.need("pair", Item::table)?)?;
    let segments = read_segments(&top, smaller_radius(&a, &b))?;
    top.finish()?;
    Ok(Probe { laws, a, b, segments })
}

fn read_pair(table: &Table<'_>) -> Result<(ProbeSide, ProbeSide)> {
    let a = table.need("a", |item| {
        if item.is_string() {
            return Err(item.error("only b may be a plane: expected { radius = .., mass = .. }".into()));
        }
        read_sphere(item)
    })?;
    let b = table.need("b", |item| {
        if item.is_string() { item.choice(&[("plane", ProbeSide::Plane)], &[]) } else { read_sphere(item) }
    })?;
    table.finish()?;
    Ok((a, b))
}

fn read_sphere(item: Item<'_>) -> Result<ProbeSide> {
    let table = item.table()?;
    let side =
        ProbeSide::Sphere { radius: table.need("radius", Item::positive)?, mass: table.need("mass", Item::positive)? };
    table.finish()?;
    Ok(side)
}

fn smaller_radius(a: &ProbeSide, b: &ProbeSide) -> f64 {
    let radius = |side: &ProbeSide| match *side {
        ProbeSide::Sphere { radius, .. } => radius,
        ProbeSide::Plane => f64::INFINITY,
    };
    radius(a).min(radius(b))
}

fn read_segments(top: &Table<'_>, smaller_radius: f64) -> Result<Vec<Segment>> {
    let tables = top.tables("segment")?;
    if tables.is_empty() {
        return Err(top.error("the probe has no motion: add [[segment]] tables".into()));
    }
    let mut total = 0;
    let mut segments = Vec::new();
    for table in tables {
        let steps = table.required("steps")?;
        let count = steps.clone().whole(1)?;
        total = count.saturating_add(total);
        if total > MOST_STEPS {
            return Err(steps.error(format!("more than {MOST_STEPS} steps in all, each of which becomes a row")));
        }
        let what = format!("an overlap below the smaller radius, {smaller_radius}");
        segments.push(Segment {
            steps: count as u32,
            duration: table.need("duration", Item::positive)?,
            overlap: table.need("overlap", |item| item.number_such(&what, |x| x < smaller_radius))?,
            slide: table.read("slide", Item::numbers::<2>)?.unwrap_or_default(),
            roll: table.read("roll", Item::numbers::<2>)?.unwrap_or_default(),
            spin: table.read("spin", Item::number)?.unwrap_or(0.0),
        });
        table.finish()?;
    }
    Ok(segments)
}
