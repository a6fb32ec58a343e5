//! `measure packing`, `measure coordination` and `measure fraction`.

use glam::DVec3;
use stickslip::cell;
use stickslip::measure::packing::{
    self, cell_fraction, coordination, core, isostatic, stable_contacts, volume_fraction,
};
use stickslip::measure::region::Region;
use stickslip_io::results::figure::{Axis, Curve, Figure};
use stickslip_io::results::picture::{self, Drawing, Sphere};
use stickslip_io::results::short_number;
use stickslip_io::run_reader::{Frame, Run};

use super::finding::{Csv, Fact, Finding, vector_text};
use super::{Refusal, RegionOptions, cell_at, number};

/// A packing in short: volume fraction, contacts a grain with and without rattlers, rattlers; and a table of its grains.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/packing packing")]
pub struct Packing {
    /// The recorded time nearest to this one (s); the last that bodies and contacts share if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Grains with fewer contacts are rattlers; as for `coordination` if absent.
    #[arg(long, value_name = "N")]
    stable: Option<usize>,
}

impl Packing {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let (frame, contacts) = run.bodies_and_contacts(self.time)?;
        if frame.ids.is_empty() {
            return Err(Refusal::Option("the run has no spheres at that time".into()));
        }
        let cell = cell_at(run, frame.step)?;
        let stable = self.stable.unwrap_or_else(|| stable_contacts(run.resists));
        let pairs: Vec<(u32, u32)> = contacts.iter().map(|contact| (contact.a, contact.b)).collect();
        let found = coordination(&frame.ids, &pairs, stable);
        let share = found.rattlers.len() as f64 / found.grains.max(1) as f64;
        let (fraction, of) = fraction_of(&frame, cell.as_ref());
        let shown = if fraction.is_nan() { "none".into() } else { format!("{} of {of}", short_number(fraction, 4)) };
        let facts = vec![
            Fact::shown("volume fraction", fraction, shown),
            Fact::number("contacts without rattlers", found.mean_held, ""),
            Fact::number("share of rattlers", share, ""),
            Fact::number("mean contacts", found.mean, ""),
            Fact::count("rattlers", found.rattlers.len()),
            Fact::count("fewest contacts held", stable),
            Fact::number("isostatic contacts", isostatic(run.resists), resisted_text(run.resists)),
            Fact::number("kinetic energy of a held grain", kinetic(&frame, &found.rattlers), "J (translation)"),
            Fact::count("grains", found.grains),
            Fact::count("contacts", found.contacts),
            Fact::number("time", frame.time, "s"),
        ];
        let csv = grains_table(&frame, &pairs, &found.rattlers);
        let figures = vec![("", figure(&found, frame.time))];
        let picture = Some(held_grains(&frame, &pairs, &found.rattlers, cell.as_ref(), run.gravity));
        Ok(Finding { what: "packing", facts, headlines: 3, csv, figures, picture })
    }
}

/// The volume fraction of the periodic cell, or of the core of a packing without one; and of which.
fn fraction_of(frame: &Frame, cell: Option<&cell::Frame>) -> (f64, &'static str) {
    match cell.filter(|cell| cell.repeats_everywhere()) {
        Some(cell) => (cell_fraction(&frame.radii, cell), "the periodic cell"),
        None => {
            let region = core(&frame.positions).filter(|region| region.volume() > 0.0);
            let fraction = region.map(|region| volume_fraction(&frame.positions, &frame.radii, &region).fraction);
            (fraction.unwrap_or(f64::NAN), "the box between the quartiles of the centres")
        }
    }
}

fn resisted_text(resisted: [bool; 3]) -> &'static str {
    match resisted {
        [false, false, false] => "(nothing resists at rest)",
        [true, false, false] => "(resisted: slide)",
        [false, true, false] => "(resisted: roll)",
        [false, false, true] => "(resisted: spin)",
        [true, true, false] => "(resisted: slide, roll)",
        [true, false, true] => "(resisted: slide, spin)",
        [false, true, true] => "(resisted: roll, spin)",
        [true, true, true] => "(resisted: slide, roll, spin)",
    }
}

/// Mean kinetic energy of translation of the grains that are no rattlers (J); NaN if all are.
fn kinetic(frame: &Frame, rattlers: &[u32]) -> f64 {
    let held = |k: &usize| rattlers.binary_search(&frame.ids[*k]).is_err();
    let energies: Vec<f64> = (0..frame.ids.len())
        .filter(held)
        .map(|k| 0.5 * frame.masses[k] * frame.velocities[k].length_squared())
        .collect();
    energies.iter().sum::<f64>() / energies.len() as f64
}

/// Contacts of each grain; one with a wall counts once.
fn contact_counts(frame: &Frame, contacts: &[(u32, u32)]) -> Vec<u32> {
    let mut counts = vec![0_u32; frame.ids.len()];
    for id in contacts.iter().flat_map(|&(a, b)| [a, b]) {
        if let Ok(k) = frame.ids.binary_search(&id) {
            counts[k] += 1;
        }
    }
    counts
}

/// The grains that hold something, coloured by their contacts; rattlers are hidden.
fn held_grains(
    frame: &Frame,
    contacts: &[(u32, u32)],
    rattlers: &[u32],
    cell: Option<&cell::Frame>,
    gravity: DVec3,
) -> Drawing {
    let counts = contact_counts(frame, contacts);
    let held = |k: &usize| rattlers.binary_search(&frame.ids[*k]).is_err();
    let sphere = |k: usize| Sphere { centre: frame.positions[k], radius: frame.radii[k], value: f64::from(counts[k]) };
    Drawing {
        spheres: (0..frame.ids.len()).filter(held).map(sphere).collect(),
        solids: Vec::new(),
        planes: Vec::new(),
        walls: Vec::new(),
        edges: cell.map(picture::edges_of).unwrap_or_default(),
        up: (-gravity).try_normalize().unwrap_or(DVec3::Z),
        label: "contacts",
        from: None,
        to: None,
    }
}

/// Every grain with its contacts, and whether it is a rattler.
fn grains_table(frame: &Frame, contacts: &[(u32, u32)], rattlers: &[u32]) -> String {
    let counts = contact_counts(frame, contacts);
    let mut csv = Csv::new("id,x,y,z,radius,contacts,rattler");
    for (k, &id) in frame.ids.iter().enumerate() {
        let (x, rattler) = (frame.positions[k], rattlers.binary_search(&id).is_ok());
        let rattler = f64::from(u8::from(rattler));
        csv.row(&[f64::from(id), x.x, x.y, x.z, frame.radii[k], f64::from(counts[k]), rattler]);
    }
    csv.text()
}

/// Contacts a grain, with and without rattlers, and how they are spread.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/01-pile coordination --stable 4")]
pub struct Coordination {
    /// The recorded time nearest to this one (s); the last if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Grains with fewer contacts are rattlers; if absent 4 without friction, 3 with sliding friction, 2 when rolling
    /// or spinning is resisted, too (coefficients below 0.01 do not count).
    #[arg(long, value_name = "N")]
    stable: Option<usize>,
}

impl Coordination {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let (frame, contacts) = run.bodies_and_contacts(self.time)?;
        let stable = self.stable.unwrap_or_else(|| stable_contacts(run.resists));
        let pairs: Vec<(u32, u32)> = contacts.iter().map(|contact| (contact.a, contact.b)).collect();
        let found = coordination(&frame.ids, &pairs, stable);
        let share = found.rattlers.len() as f64 / found.grains.max(1) as f64;
        let facts = vec![
            Fact::number("mean contacts", found.mean, ""),
            Fact::number("without rattlers", found.mean_held, ""),
            Fact::shown(
                "rattlers",
                found.rattlers.len(),
                format!("{} ({} %)", found.rattlers.len(), short_number(100.0 * share, 3)),
            ),
            Fact::count("fewest contacts held", stable),
            Fact::count("grains", found.grains),
            Fact::count("contacts", found.contacts),
            Fact::number("time", frame.time, "s"),
        ];
        let mut csv = Csv::new("contacts,grains,grains_without_rattlers");
        for degree in 0..found.histogram.len() {
            let held = found.histogram_held.get(degree).copied().unwrap_or(0);
            csv.row(&[degree as f64, found.histogram[degree] as f64, held as f64]);
        }
        let figures = vec![("", figure(&found, frame.time))];
        Ok(Finding { what: "coordination", facts, headlines: 3, csv: csv.text(), figures, picture: None })
    }
}

fn figure(found: &packing::Coordination, time: f64) -> Figure {
    // Outlines of bars, a little apart so that both can be seen.
    let bars = |counts: &[usize], grains: usize, half: f64| {
        let bar = |(degree, count): (usize, &usize)| {
            let (x, y) = (degree as f64, *count as f64 / grains.max(1) as f64);
            [(x - half, 0.0), (x - half, y), (x + half, y), (x + half, 0.0), (f64::NAN, 0.0)]
        };
        counts.iter().enumerate().filter(|(_, count)| **count > 0).flat_map(bar).collect::<Vec<_>>()
    };
    let held = found.grains - found.rattlers.len();
    Figure {
        title: format!("{} contacts a grain at {} s", short_number(found.mean, 3), short_number(time, 4)),
        x: Axis::linear("contacts of a grain"),
        y: Axis::linear("share of grains"),
        right: None,
        curves: vec![
            Curve::line("all grains", bars(&found.histogram, found.grains, 0.42)),
            Curve::line("without rattlers", bars(&found.histogram_held, held, 0.3)),
        ],
    }
}

/// Volume fraction of a region and its course along the upright through it, or of the whole periodic cell.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/01-pile fraction --cylinder 0,0,0.01 0,0,0.04 0.03")]
pub struct Fraction {
    /// The recorded time nearest to this one (s); the last if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    #[command(flatten)]
    region: RegionOptions,
}

impl Fraction {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let frame = run.frame_at(self.time)?;
        let given = self.region.region()?;
        if let Some(cell) = cell_at(run, frame.step)?.filter(|cell| cell.repeats_everywhere()) {
            return whole_cell(&frame, &cell, given.is_some());
        }
        let region = given.or_else(|| core(&frame.positions));
        let region = region.ok_or_else(|| Refusal::Option("the run has no spheres at that time".into()))?;
        if region.volume().is_nan() || region.volume() <= 0.0 {
            return Err(Refusal::Option("the spheres span no volume: give a region with --box or --cylinder".into()));
        }
        let found = volume_fraction(&frame.positions, &frame.radii, &region);
        let mut facts = vec![
            Fact::number("fraction", found.fraction, ""),
            Fact::number("error of the quadrature", found.error, ""),
            Fact::count("spheres in part or whole", found.spheres),
            Fact::number("volume of the region", found.volume, "m^3"),
        ];
        let text = region_text(&region, given.is_none());
        facts.push(Fact::shown("region", text.clone(), text));
        facts.push(Fact::number("time", frame.time, "s"));
        let slices = slices(&region, 20);
        let mut csv = Csv::new("along,fraction");
        let mut points = Vec::new();
        for (along, slice) in &slices {
            let fraction = volume_fraction(&frame.positions, &frame.radii, slice).fraction;
            csv.row(&[*along, fraction]);
            points.push((*along, fraction));
        }
        let ends = [slices[0].0, slices[slices.len() - 1].0];
        let along = if matches!(region, Region::Box { .. }) { "z (m)" } else { "along the cylinder's axis (m)" };
        let figure = Figure {
            title: format!("Volume fraction {} at {} s", short_number(found.fraction, 3), short_number(frame.time, 4)),
            x: Axis::linear(along),
            y: Axis::linear("volume fraction"),
            right: None,
            curves: vec![
                Curve::line("slices of the region", points),
                Curve::line("whole region", ends.map(|x| (x, found.fraction))),
            ],
        };
        Ok(Finding {
            what: "fraction",
            facts,
            headlines: 1,
            csv: csv.text(),
            figures: vec![("", figure)],
            picture: None,
        })
    }
}

/// The fraction of a cell that repeats in all directions: one number, no course.
fn whole_cell(frame: &Frame, cell: &cell::Frame, region: bool) -> Result<Finding, Refusal> {
    if region {
        let message = "--box and --cylinder do not see images of spheres: leave them away for the whole periodic cell";
        return Err(Refusal::Option(message.into()));
    }
    let (fraction, volume) = (cell_fraction(&frame.radii, cell), cell.volume().abs());
    let facts = vec![
        Fact::number("fraction", fraction, "of the periodic cell"),
        Fact::count("spheres", frame.ids.len()),
        Fact::number("volume of the cell", volume, "m^3"),
        Fact::number("time", frame.time, "s"),
    ];
    let mut csv = Csv::new("fraction,spheres,volume");
    csv.row(&[fraction, frame.ids.len() as f64, volume]);
    Ok(Finding { what: "fraction", facts, headlines: 1, csv: csv.text(), figures: Vec::new(), picture: None })
}

fn region_text(region: &Region, core: bool) -> String {
    let text = match *region {
        Region::Box { from, to } => format!("box from {} to {} m", vector_text(from), vector_text(to)),
        Region::Cylinder { base, axis, radius, length } => format!(
            "cylinder from {} to {} m, radius {} m",
            vector_text(base),
            vector_text(base + axis * length),
            short_number(radius, 4)
        ),
    };
    if core { format!("{text} (between the quartiles of the centres)") } else { text }
}

/// Equal slices of a region with the place of their middles: along z, or the cylinder's axis from its first end.
fn slices(region: &Region, count: usize) -> Vec<(f64, Region)> {
    let ends = |k: usize| (k as f64 / count as f64, (k + 1) as f64 / count as f64);
    let slice = |k: usize| {
        let (low, high) = ends(k);
        match *region {
            Region::Box { from, to } => {
                let height = to.z - from.z;
                let corner = |z: f64, of: DVec3| DVec3::new(of.x, of.y, z);
                let (bottom, top) = (from.z + low * height, from.z + high * height);
                (0.5 * (bottom + top), Region::Box { from: corner(bottom, from), to: corner(top, to) })
            }
            Region::Cylinder { base, axis, radius, length } => {
                let part = Region::Cylinder {
                    base: base + axis * (low * length),
                    axis,
                    radius,
                    length: (high - low) * length,
                };
                (0.5 * (low + high) * length, part)
            }
        }
    };
    (0..count).map(slice).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::DMat3;

    use super::*;

    /// A ball of diameter 1 in a cube of edge 1 fills pi/6 of it, though it sticks out of the cell.
    #[test]
    fn a_cell_is_measured_as_a_whole() {
        let frame = Frame { ids: vec![0], positions: vec![DVec3::ZERO], radii: vec![0.5], ..Frame::default() };
        let cell = cell::Frame::new(DMat3::IDENTITY);
        assert!((fraction_of(&frame, Some(&cell)).0 - PI / 6.0).abs() < 1e-15);
        let found = whole_cell(&frame, &cell, false).ok().unwrap();
        assert_eq!(found.json()["fraction"].as_f64(), Some(fraction_of(&frame, Some(&cell)).0));
        assert!(whole_cell(&frame, &cell, true).is_err());
        // Without a cell, or with one that does not repeat in all directions, the core: one ball has none.
        let slab = cell::Frame { periodic: [true, true, false], ..cell };
        assert!(fraction_of(&frame, None).0.is_nan() && fraction_of(&frame, Some(&slab)).0.is_nan());
    }
}
