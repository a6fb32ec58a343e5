//! `[[stream]]` tables: bodies that arrive during the run, and what must hold for them to arrive at all.
//!
//! Body n of a table is due at start + n/rate, or, with a rate in mass, when the mass of those before it has come; anywhere in the
//! box of centres from `from` to `to`, or on a site of the lattice `place`. With `stop`, `count` is at most how many are due before
//! that. What is drawn comes from random streams named after the table (`stream[0].radius` for shapes, `stream[0].orientation`,
//! `stream[0].place`), so that one table does not change another's bodies; in a scene that starts from another run also after
//! its checkpoint, or the bodies of that run would come again. Whether there is room when a body is due is known only during
//! the run: the engine lets it wait.

use glam::DVec3;
use stickslip::body::{Body, Motion};
use stickslip::inflow::{Entrance, Inflow, MOST_SITES, Rate, SiteLattice};
use stickslip::model::LawTable;
use stickslip::mould::Mould;
use stickslip::random::Stream;
use stickslip::schedule::Signal;
use stickslip::shape::Shape;

use crate::input::{Item, Place, Result, Table};
use crate::scene::bodies::{Bodies, check_mass};
use crate::scene::check::short;
use crate::scene::grains::{no_radius, not_below};
use crate::scene::materials::Materials;
use crate::scene::moulds::{read_mass, read_mould, read_shared};
use crate::scene::placing::sites_along;
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
    /// Their keys `count`, or `stop`.
    pub counts: Vec<Place<'a>>,
}

impl<'a> Streams<'a> {
    /// Reads all `[[stream]]` tables.
    pub fn read(
        top: &Table<'a>,
        (materials, laws): (&Materials, &LawTable),
        drawn: &Drawn<'_>,
        bodies: &Bodies<'_>,
    ) -> Result<Self> {
        let mut streams = Streams::default();
        let mut total = bodies.list.len() as u64;
        for (index, table) in top.tables("stream")?.into_iter().enumerate() {
            let inflow = read_stream(&table, materials, drawn, index, &mut total)?;
            refuse_walled_in(&table, &inflow, laws, bodies)?;
            streams.list.push(inflow);
            streams.places.push(table.place());
            let counted = table.optional("count").or_else(|| table.optional("stop"));
            streams.counts.push(counted.map_or_else(|| table.place(), |item| item.place()));
            table.finish()?;
        }
        Ok(streams)
    }

    /// How many bodies each brings until a time, about.
    pub fn due_by(&self, end: f64, materials: &Materials) -> Vec<f64> {
        let due = |inflow: &Inflow| bodies_until(inflow, end, density_of(inflow, materials)).min(inflow.count as f64);
        self.list.iter().map(due).collect()
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
    let mould = read_mould(table)?.ok_or_else(|| no_radius(table))?;
    let mass_by_radius = read_mass(table, Some(&mould))?;
    let body = Body { material, shape: mould.shape().clone(), ..read_shared(table, false)? };
    let entrance = read_entrance(table, &mould)?;
    let rate = table.need("rate", read_rate)?;
    let start = table.read("start", Item::non_negative)?.unwrap_or(0.0);
    let [shapes, turns, places] = ["radius", "orientation", "place"].map(|what| drawn.stream(index, what));
    let inflow = Inflow { body, mould, mass_by_radius, rate, count: u64::MAX, start, entrance, shapes, turns, places };
    for body in inflow.extremes(density_of(&inflow, materials)) {
        check_mass(&body, materials).map_err(|message| table.error(message))?;
    }
    Ok(Inflow { count: settle_count(table, &inflow, materials, total)?, ..inflow })
}

fn density_of(inflow: &Inflow, materials: &Materials) -> f64 {
    materials.list[usize::from(inflow.material())].density
}

/// Bodies per second, or { mass } in kg/s; each may be a schedule.
fn read_rate(item: Item<'_>) -> Result<Rate> {
    if item.is_table() && item.clone().table()?.chosen("times").or(item.clone().table()?.chosen("values")).is_none() {
        let table = item.table()?;
        let mass = table.need("mass", read_speed)?;
        table.finish()?;
        return Ok(Rate::Mass(mass));
    }
    read_speed(item).map(Rate::Number)
}

/// A number above zero; in a schedule zero is a pause.
fn read_speed(item: Item<'_>) -> Result<Signal<f64>> {
    if !item.is_table() {
        return item.positive().map(Signal::Constant);
    }
    let place = item.place();
    let rate = read_signal(item, Item::non_negative)?;
    if rate.is_zero() {
        let error = place.error("the rate is zero at all times: nothing would arrive".into());
        return Err(error.help("leave the [[stream]] out"));
    }
    Ok(rate)
}

/// `from` and `to`, or `place`.
fn read_entrance(table: &Table<'_>, mould: &Mould) -> Result<Entrance> {
    let read_box = |table: &Table<'_>| {
        let from = table.need("from", Item::vector)?;
        Ok((from, table.need("to", |item| not_below(from, item))?))
    };
    let Some(item) = table.optional("place") else {
        let (from, to) = read_box(table)?;
        return Ok(Entrance::Box { from, to });
    };
    if let Some((key, corner)) = ["from", "to"].into_iter().find_map(|key| Some((key, table.optional(key)?))) {
        return Err(corner.error(format!("`{key}` stands in `place` already: leave it out here")));
    }
    let place = item.clone().table()?;
    let lattice = place.need("kind", |item| item.choice(&[("random", false), ("lattice", true)], &[]))?;
    let (from, to) = read_box(&place)?;
    if !lattice {
        place.finish()?;
        return Ok(Entrance::Box { from, to });
    }
    let spacing = place.read("spacing", Item::positive)?.unwrap_or(2.0 * mould.radii()[1]);
    let jitter = place.read("jitter", Item::non_negative)?.unwrap_or(0.0);
    place.finish()?;
    let sites = sites_along(from, to, spacing);
    let count = sites.x * sites.y * sites.z;
    if count > f64::from(MOST_SITES) {
        let message = format!("the lattice has {count} sites: a stream takes {MOST_SITES} at most");
        return Err(item.error(message).help("enlarge `spacing`, or let bodies come anywhere: `from` and `to`"));
    }
    let counts = sites.to_array().map(|count| count as u32);
    Ok(Entrance::Sites(SiteLattice { from, spacing, counts, jitter }))
}

/// How many are to come: `count`, and those due before `stop`; memory is asked for when it is known how many come before the end,
/// and whether any leave.
fn settle_count(table: &Table<'_>, inflow: &Inflow, materials: &Materials, total: &mut u64) -> Result<u64> {
    let stop = table.optional("stop");
    let given = match &stop {
        Some(_) => table.read("count", |item| item.whole(1))?,
        None => Some(table.need("count", |item| item.whole(1))?),
    };
    let until = stop.as_ref().map(|stop| until_stop(stop, inflow, density_of(inflow, materials))).transpose()?;
    let count = given.unwrap_or(u64::MAX).min(until.unwrap_or(u64::MAX));
    *total = total.saturating_add(count);
    if *total >= u64::from(u32::MAX) {
        let place = table.optional("count").or(stop).map_or_else(|| table.place(), |item| item.place());
        return Err(place.error(format!("{total} bodies are more than the 4 billion that ids can count")));
    }
    Ok(count)
}

/// The most bodies that are due before `stop`. Those of a rate in mass are drawn one by one to count them, 0.2 us each.
const MOST_DUE: f64 = 1e8;
const MOST_DUE_BY_MASS: f64 = 3e6;

/// How many are due before `stop`.
fn until_stop(stop: &Item<'_>, inflow: &Inflow, density: f64) -> Result<u64> {
    let end = stop.clone().positive()?;
    if end <= inflow.start {
        let message =
            format!("nothing comes: the stream stops at {} s and starts at {} s", short(end), short(inflow.start));
        return Err(stop.error(message));
    }
    let expected = bodies_until(inflow, end, density);
    let most = if matches!(inflow.rate, Rate::Mass(_)) { MOST_DUE_BY_MASS } else { MOST_DUE };
    if expected > most {
        let message = format!("about {} bodies are due before it, more than {most:e}", short(expected));
        return Err(stop.error(message).help("lower `rate`, or stop earlier"));
    }
    let all = inflow.rate.signal().integral(inflow.start, end);
    let Rate::Mass(_) = inflow.rate else {
        // Body n at start + n/rate: what differs from a whole number by rounding is that number.
        return Ok((all - 1e-9).ceil().max(1.0) as u64);
    };
    let (mut count, mut mass) = (0, 0.0);
    while mass < all {
        mass += inflow.body(count, density).mass_and_inertia(density).0;
        count += 1;
    }
    Ok(count)
}

/// Bodies whose mean mass stands for that of all.
const SAMPLE: u64 = 1000;

/// About how many bodies are due until a time, however many there are.
fn bodies_until(inflow: &Inflow, end: f64, density: f64) -> f64 {
    let all = inflow.rate.signal().integral(inflow.start.min(end), end);
    let mass = |n: u64| inflow.body(n, density).mass_and_inertia(density).0;
    let bodies = match inflow.rate {
        Rate::Number(_) => all,
        Rate::Mass(_) => all * SAMPLE as f64 / (0..SAMPLE).map(mass).sum::<f64>(),
    };
    (1.0 + bodies).floor().max(0.0)
}

/// Refuses a box in which every place touches a wall that never moves, or lies behind it.
fn refuse_walled_in(table: &Table<'_>, inflow: &Inflow, laws: &LawTable, bodies: &Bodies<'_>) -> Result<()> {
    let meets = |body: &Body| body.motion == Motion::Fixed && laws.touches(body.material, inflow.material());
    for (id, body) in bodies.list.iter().enumerate().filter(|(_, body)| meets(body)) {
        let Shape::Plane { normal } = body.shape else { continue };
        let outward = body.orientation * normal;
        let [from, to] = inflow.entrance.bounds();
        let corner = DVec3::select(outward.cmpge(DVec3::ZERO), to, from);
        // How a solid is turned is not known: its centre must be in front.
        let reach = if inflow.mould.shape().is_sphere() { inflow.mould.radii()[0] } else { 0.0 };
        if (corner - body.position).dot(outward) <= reach {
            let wall = bodies.label(id);
            let message = format!("no place from {from} to {to} is free: each touches {wall} or lies behind it");
            return Err(table.error(message).help("move the box away from the wall, by more than the radius"));
        }
    }
    Ok(())
}
