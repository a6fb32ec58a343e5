//! `measure rdf`: the radial distribution function.

use stickslip::measure::pair_distribution::{self, PairDistribution, PairError, largest_reach};
use stickslip_io::results::figure::{Axis, Curve, Figure};
use stickslip_io::results::short_number;
use stickslip_io::run_reader::Run;

use super::finding::{Csv, Fact, Finding};
use super::{Refusal, cell_at, number, positive};

/// Radial distribution function g(r) of the spheres' centres: 1 where places do not know of each other.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/packing rdf --reach 5 --width 0.01")]
pub struct Rdf {
    /// The recorded time nearest to this one (s); the last if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    /// The largest distance, in mean diameters; if absent 4, or less in a small periodic cell or packing. Where nothing
    /// repeats, only spheres that far inside are centres.
    #[arg(long, value_name = "DIAMETERS", value_parser = positive)]
    reach: Option<f64>,
    /// Width of a shell, in mean diameters; made a little less for a whole number of shells.
    #[arg(long, value_name = "DIAMETERS", default_value = "0.02", value_parser = positive)]
    width: f64,
}

impl Rdf {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let frame = run.frame_at(self.time)?;
        let cell = cell_at(run, frame.step)?;
        let diameter = 2.0 * frame.radii.iter().sum::<f64>() / frame.radii.len() as f64;
        let reaches = match self.reach {
            Some(reach) => vec![reach * diameter],
            // In small packings without a cell nothing may be four diameters inside.
            None => [4.0, 3.0, 2.0, 1.5].map(|reach| (reach * diameter).min(largest_reach(cell.as_ref()))).to_vec(),
        };
        if reaches[0] / (self.width * diameter) > MOST_SHELLS {
            return Err(Refusal::Option(format!("--width {} makes more than {MOST_SHELLS} shells", self.width)));
        }
        let of = |reach: f64| {
            // A whole number may have been rounded up.
            let shells = (reach / (self.width * diameter) - 1e-9).ceil().max(1.0) as usize;
            pair_distribution::pair_distribution(&frame.positions, cell.as_ref(), reach, shells)
                .map(|found| (reach, found))
        };
        let mut tried = of(reaches[0]);
        for &reach in &reaches[1..] {
            // A handful of centres tells nothing; with the next reach there are more, unless there are no more spheres.
            let enough = FEW_CENTRES.min(frame.ids.len());
            if tried.as_ref().is_ok_and(|(_, found)| found.centres >= enough) {
                break;
            }
            tried = of(reach);
        }
        let (reach, found) = tried.map_err(|error| match error {
            PairError::Few(few) => Refusal::Few(few, "a shorter --reach lets more spheres be centres"),
            beyond => Refusal::Option(format!("{beyond}: give a shorter --reach (in diameters of {diameter} m)")),
        })?;
        Ok(finding(&found, reach, diameter, frame.time, cell.is_some_and(|cell| cell.repeats_everywhere())))
    }
}

/// So that a slip of the keyboard does not fill the memory.
const MOST_SHELLS: f64 = 1e6;

/// Without --reach a shorter one is taken until there are so many centres.
const FEW_CENTRES: usize = 30;

fn finding(found: &PairDistribution, reach: f64, diameter: f64, time: f64, periodic: bool) -> Finding {
    let middle = |k: usize| 0.5 * (found.shells[k].from + found.shells[k].to);
    let peak = (0..found.shells.len()).max_by(|&i, &j| found.shells[i].g.total_cmp(&found.shells[j].g)).unwrap_or(0);
    let edges = if periodic { "all: the cell repeats" } else { "at least the reach inside where nothing repeats" };
    let facts = vec![
        Fact::shown(
            "peak",
            found.shells[peak].g,
            format!(
                "{} at {} diameters",
                short_number(found.shells[peak].g, 4),
                short_number(middle(peak) / diameter, 4)
            ),
        ),
        Fact::number("place of the peak", middle(peak), "m"),
        Fact::number("width of a shell", reach / found.shells.len() as f64, "m"),
        Fact::number("reach", reach, "m"),
        Fact::number("mean diameter", diameter, "m"),
        Fact::shown("centres", found.centres, format!("{} ({edges})", found.centres)),
        Fact::number("density", found.density, "1/m^3"),
        Fact::number("time", time, "s"),
    ];
    let mut csv = Csv::new("from,to,diameters,pairs,g,neighbours_within");
    let mut points = Vec::new();
    let mut pairs = 0;
    for (k, shell) in found.shells.iter().enumerate() {
        pairs += shell.pairs;
        let within = pairs as f64 / found.centres as f64;
        csv.row(&[shell.from, shell.to, middle(k) / diameter, shell.pairs as f64, shell.g, within]);
        points.push((middle(k) / diameter, shell.g));
    }
    let figure = Figure {
        title: format!("Radial distribution at {} s, {} centres", short_number(time, 4), found.centres),
        x: Axis::linear("r over the mean diameter"),
        y: Axis::linear("g(r)"),
        right: None,
        curves: vec![
            Curve::line("g", points),
            Curve::line("places that do not know of each other", [(0.0, 1.0), (reach / diameter, 1.0)]),
        ],
    };
    Finding { what: "rdf", facts, headlines: 2, csv: csv.text(), figures: vec![("", figure)], picture: None }
}
