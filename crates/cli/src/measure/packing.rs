//! `measure coordination` and `measure fraction`.

use glam::DVec3;
use stickslip::measure::packing::{self, coordination, core, stable_contacts, volume_fraction};
use stickslip::measure::region::Region;
use stickslip_io::results::figure::{Axis, Curve, Figure};
use stickslip_io::results::short_number;
use stickslip_io::run_reader::Run;

use super::finding::{Csv, Fact, Finding, vector_text};
use super::{Refusal, RegionOptions, number};

/// Contacts a grain, with and without rattlers, and how they are spread.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/01-pile coordination --stable 4")]
pub struct Coordination {
    /// The recorded time nearest to this one (s); the last if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Grains with fewer contacts are rattlers; if absent 4 without friction, 3 with sliding friction, 2 when rolling
    /// or spinning is resisted, too.
    #[arg(long, value_name = "N")]
    stable: Option<usize>,
}

impl Coordination {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let (frame, contacts) = run.bodies_and_contacts(self.time)?;
        let stable = self.stable.unwrap_or_else(|| stable_contacts(run.resists.0, run.resists.1));
        let pairs: Vec<(u32, u32)> = contacts.iter().map(|contact| (contact.a, contact.b)).collect();
        let found = coordination(&frame.ids, &pairs, stable);
        let share = found.rattlers.len() as f64 / found.grains as f64;
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
        Ok(Finding { what: "coordination", facts, headlines: 3, csv: csv.text(), figures })
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

/// Volume fraction of a region, and its course along the upright through that region.
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
        Ok(Finding { what: "fraction", facts, headlines: 1, csv: csv.text(), figures: vec![("", figure)] })
    }
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
