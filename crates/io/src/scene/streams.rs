//! `[[stream]]` tables: bodies that arrive during the run, and what must hold for them to arrive at all.
//!
//! Body n of a table is due at start + n/rate, anywhere in the box of centres from `from` to `to`. What is drawn comes from
//! random streams named after the table (`stream[0].radius`, `stream[0].place`), so that one table does not change
//! another's bodies; in a scene that starts from another run also after its checkpoint, or the bodies of that run would
//! come again. Whether there is room when a body is due is known only during the run: the engine lets it wait.

use glam::DVec3;
use stickslip::body::Motion;
use stickslip::inflow::Inflow;
use stickslip::random::Stream;
use stickslip::schedule::Signal;
use stickslip::shape::Shape;

use crate::input::{Item, Place, Result, Table};
use crate::scene::bodies::{Bodies, check_mass};
use crate::scene::check::short;
use crate::scene::grains::{Radius, not_below, read_radius};
use crate::scene::materials::Materials;
use crate::scene::schedules::read_signal;

/// What random numbers are drawn from.
pub(crate) struct Drawn<'a> {
    /// The scene's seed.
    pub seed: u64,
    /// Hash of the checkpoint that the scene starts from.
    pub after: Option<&'a str>,
}

impl Drawn<'_> {
    fn stream(&self, index: usize, what: &str) -> Stream {
        let after = self.after.map_or(String::new(), |hash| format!(" after {hash}"));
        Stream::named(self.seed, &format!("stream[{index}].{what}{after}"))
    }
}

/// The streams of a scene, and where each is described.
#[derive(Debug, Default)]
pub(crate) struct Streams<'a> {
    /// As the engine has them.
    pub list: Vec<Inflow>,
    /// Their tables.
    pub places: Vec<Place<'a>>,
    /// Their keys `count`.
    pub counts: Vec<Place<'a>>,
}

impl<'a> Streams<'a> {
    /// Reads all `[[stream]]` tables.
    pub fn read(top: &Table<'a>, materials: &Materials, drawn: &Drawn<'_>, bodies: &Bodies<'_>) -> Result<Self> {
        let mut streams = Streams::default();
        let mut total = bodies.list.len() as u64;
        for (index, table) in top.tables("stream")?.into_iter().enumerate() {
            let inflow = read_stream(&table, materials, drawn, index, &mut total)?;
            refuse_walled_in(&table, &inflow, bodies)?;
            streams.list.push(inflow);
            streams.places.push(table.place());
            streams.counts.push(table.required("count")?.place());
            table.finish()?;
        }
        Ok(streams)
    }

    /// Remarks on streams that the run ends too early for.
    pub fn warnings(&self, end: f64) -> Vec<String> {
        let late = |(index, inflow): (usize, &Inflow)| {
            let start = inflow.start;
            (start >= end).then(|| {
                let (start, end) = (short(start), short(end));
                format!(
                    "[[stream]] number {} starts at {start} s, but the run ends at {end} s: nothing arrives",
                    index + 1
                )
            })
        };
        self.list.iter().enumerate().filter_map(late).collect()
    }
}

fn read_stream(
    table: &Table<'_>,
    materials: &Materials,
    drawn: &Drawn<'_>,
    index: usize,
    total: &mut u64,
) -> Result<Inflow> {
    let material = materials.index(table.required("material")?)?;
    let radius = match table.need("radius", read_radius)? {
        Radius::One(radius) => [radius; 2],
        Radius::Between(min, max) => [min, max],
    };
    let mass_by_radius =
        table.read("mass", |item| item.choice(&[("density", false), ("radius", true)], &[]))?.unwrap_or(false);
    let from = table.need("from", Item::vector)?;
    let inflow = Inflow {
        material,
        radius,
        mass_by_radius,
        rate: table.need("rate", read_rate)?,
        count: table.need("count", |item| read_count(item, total))?,
        start: table.read("start", Item::non_negative)?.unwrap_or(0.0),
        from,
        to: table.need("to", |item| not_below(from, item))?,
        velocity: table.read("velocity", Item::vector)?.unwrap_or(DVec3::ZERO),
        angular_velocity: table.read("angular_velocity", Item::vector)?.unwrap_or(DVec3::ZERO),
        sizes: drawn.stream(index, "radius"),
        places: drawn.stream(index, "place"),
    };
    for body in inflow.extremes(materials.list[usize::from(material)].density) {
        check_mass(&body, materials).map_err(|message| table.error(message))?;
    }
    Ok(inflow)
}

/// Bodies a second, above zero; in a schedule zero is a pause.
fn read_rate(item: Item<'_>) -> Result<Signal<f64>> {
    if !item.is_table() {
        return item.positive().map(Signal::Constant);
    }
    let place = item.place();
    let rate = read_signal(item, Item::non_negative)?;
    if rate.is_zero() {
        return Err(place
            .error("the rate is zero at all times: nothing would arrive".into())
            .help("leave the [[stream]] out"));
    }
    Ok(rate)
}

/// How many are to come; memory is asked for when it is known how many come before the end, and whether any leave.
fn read_count(item: Item<'_>, total: &mut u64) -> Result<u64> {
    let place = item.place();
    let count = item.whole(1)?;
    *total = total.saturating_add(count);
    if *total >= u64::from(u32::MAX) {
        return Err(place.error(format!("{total} bodies are more than the 4 billion that ids can count")));
    }
    Ok(count)
}

/// Refuses a box in which every place touches a wall that never moves, or lies behind it.
fn refuse_walled_in(table: &Table<'_>, inflow: &Inflow, bodies: &Bodies<'_>) -> Result<()> {
    for (id, body) in bodies.list.iter().enumerate().filter(|(_, body)| body.motion == Motion::Fixed) {
        let Shape::Plane { normal } = body.shape else { continue };
        let outward = body.orientation * normal;
        let corner = DVec3::select(outward.cmpge(DVec3::ZERO), inflow.to, inflow.from);
        if (corner - body.position).dot(outward) <= inflow.radius[0] {
            let wall = bodies.label(id);
            let message = format!(
                "no place from {} to {} is free: each touches {wall} or lies behind it",
                inflow.from, inflow.to
            );
            return Err(table.error(message).help("move the box away from the wall, by more than the radius"));
        }
    }
    Ok(())
}
