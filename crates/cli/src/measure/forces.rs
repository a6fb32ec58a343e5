//! `measure forces` and `measure fabric`: how strong contacts are, and where they point.

use glam::DVec3;
use serde_json::Value;
use stickslip::measure::fabric::{self, Directions, anisotropy, by_azimuth, by_polar_angle};
use stickslip::measure::forces::{self, Bin, forces};
use stickslip::measure::surface::horizontal;
use stickslip_io::results::figure::{Axis, Curve, Figure};
use stickslip_io::results::short_number;
use stickslip_io::run_reader::Run;

use super::finding::{Csv, Fact, Finding, matrix_fact};
use super::{Refusal, direction, number, positive};

/// Distribution of the normal forces of contacts over their mean, its exponential tail, and how many contacts slide.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/01-pile forces --width 0.1")]
pub struct Forces {
    /// The recorded time nearest to this one (s); the last that bodies and contacts share if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Width of the bins of equal width, over the mean force.
    #[arg(long, value_name = "WIDTH", default_value = "0.2", value_parser = positive)]
    width: f64,
}

impl Forces {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let (frame, contacts) = run.bodies_and_contacts(self.time)?;
        let found = forces(&contacts, self.width).map_err(|few| Refusal::Few(few, "nothing touches at that time"))?;
        let mut facts = vec![
            Fact::number("mean", found.mean, "N"),
            tail_fact(&found),
            Fact::number("sliding", found.sliding, "of the contacts with a slide law"),
            Fact::number("standard deviation", found.spread, "of the mean"),
            Fact::number("lower quartile", found.quartiles[0], "N"),
            Fact::number("median", found.quartiles[1], "N"),
            Fact::number("upper quartile", found.quartiles[2], "N"),
            Fact::number("largest", found.largest, "N"),
            Fact::number("mean friction over normal force", found.mobilised, ""),
            Fact::count("contacts that push", found.count),
            Fact::count("others", found.not_pushing),
            Fact::number("time", frame.time, "s"),
        ];
        if let Some(tail) = found.tail {
            facts.insert(2, Fact::number("error of tail slope", tail.error, ""));
            facts.insert(3, Fact::count("contacts in the tail", tail.count));
        }
        let mut csv = Csv::new("logarithmic,from,to,contacts,density");
        for (logarithmic, bins) in [(0.0, &found.linear), (1.0, &found.logarithmic)] {
            for bin in bins {
                csv.row(&[logarithmic, bin.from, bin.to, bin.count as f64, bin.density]);
            }
        }
        let headlines = if found.tail.is_some() { 5 } else { 3 };
        Ok(Finding { what: "forces", facts, headlines, csv: csv.text(), figures: force_figures(&found), picture: None })
    }
}

fn tail_fact(found: &forces::Forces) -> Fact {
    match found.tail {
        Some(tail) => {
            let (slope, error) = (short_number(tail.slope, 4), short_number(tail.error, 2));
            let text = format!("{slope} ± {error}: P falls like exp(-slope f) over {} bins above the mean", tail.bins);
            Fact::shown("tail slope", tail.slope, text)
        }
        None => {
            let text = "none: fewer than three bins above the mean hold ten contacts (--width makes them wider)";
            Fact::shown("tail slope", Value::Null, text.into())
        }
    }
}

fn force_figures(found: &forces::Forces) -> Vec<(&'static str, Figure)> {
    let dots = |name: &str, bins: &[Bin], middle: fn(&Bin) -> f64| {
        let points = bins.iter().map(|bin| (middle(bin), bin.density)).collect();
        Curve { name: name.into(), points, dots: true }
    };
    let mut curves = vec![dots("bins of equal width", &found.linear, |bin| 0.5 * (bin.from + bin.to))];
    if let Some(tail) = found.tail {
        let end = found.linear.iter().filter(|bin| bin.count > 0).map(|bin| bin.to).fold(1.0, f64::max);
        let at = |f: f64| (f, stickslip::math::exp(tail.level - tail.slope * f));
        curves.push(Curve::line(&format!("exp(-{} f)", short_number(tail.slope, 3)), [at(1.0), at(end)]));
    }
    let force = "f: normal force over its mean";
    let linear = Figure {
        title: format!("Normal forces of {} contacts", found.count),
        x: Axis::linear(force),
        y: Axis::log("density P(f)"),
        right: None,
        curves,
    };
    let ratio = Figure {
        title: linear.title.clone(),
        x: Axis::log(force),
        y: Axis::log("density P(f)"),
        right: None,
        curves: vec![dots("bins of equal ratio", &found.logarithmic, |bin| (bin.from * bin.to).sqrt())],
    };
    vec![("", linear), ("-log", ratio)]
}

/// Directions of contacts: the fabric tensor, also weighed by forces, and histograms of angles.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/shear fabric --axis 0,1,0 --first 1,0,0")]
pub struct Fabric {
    /// The recorded time nearest to this one (s); the last that bodies and contacts share if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Angles are measured from this direction, and about it.
    #[arg(long, value_name = "X,Y,Z", default_value = "0,0,1", value_parser = direction, allow_hyphen_values = true)]
    axis: DVec3,
    /// Angles about the axis begin here; some direction at right angles to the axis if absent (x for z).
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    first: Option<DVec3>,
    /// Bins of each histogram.
    #[arg(long, value_name = "N", default_value = "18", value_parser = clap::value_parser!(u16).range(1..=10000))]
    bins: u16,
}

impl Fabric {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let (frame, contacts) = run.bodies_and_contacts(self.time)?;
        let found = fabric::fabric(&contacts).map_err(|few| Refusal::Few(few, "nothing touches at that time"))?;
        let first = self.first.unwrap_or_else(|| horizontal(self.axis).0);
        let first = (first - self.axis * first.dot(self.axis)).try_normalize();
        let first = first.ok_or_else(|| Refusal::Option("--first must not be along --axis".into()))?;
        let bins = usize::from(self.bins);
        let polar = by_polar_angle(&contacts, self.axis, bins);
        let azimuth = by_azimuth(&contacts, self.axis, first, bins);
        let facts = vec![
            Fact::number("anisotropy", anisotropy(&found.tensor), "(0 alike in all directions, 1 one direction)"),
            Fact::number("anisotropy by force", anisotropy(&found.by_force), ""),
            matrix_fact("fabric tensor", &found.tensor, ""),
            matrix_fact("fabric tensor by force", &found.by_force, ""),
            Fact::count("contacts", found.contacts),
            Fact::number("time", frame.time, "s"),
        ];
        let mut csv = Csv::new("about_axis,from_degrees,to_degrees,contacts,density,density_by_force");
        for (about, bins) in [(0.0, &polar), (1.0, &azimuth)] {
            for bin in bins {
                let (from, to) = (bin.from.to_degrees(), bin.to.to_degrees());
                csv.row(&[about, from, to, bin.count as f64, bin.density, bin.by_force]);
            }
        }
        let figures = vec![
            ("", angle_figure("Contacts by the angle to the axis", "angle between normal and axis (degrees)", &polar)),
            ("-azimuth", angle_figure("Contacts about the axis", "angle about the axis (degrees)", &azimuth)),
        ];
        Ok(Finding { what: "fabric", facts, headlines: 2, csv: csv.text(), figures, picture: None })
    }
}

fn angle_figure(title: &str, angle: &str, bins: &[Directions]) -> Figure {
    let steps = |name: &str, value: fn(&Directions) -> f64| {
        let step = |bin: &Directions| [(bin.from.to_degrees(), value(bin)), (bin.to.to_degrees(), value(bin))];
        Curve::line(name, bins.iter().flat_map(step))
    };
    let end = bins.last().map_or(0.0, |bin| bin.to.to_degrees());
    Figure {
        title: title.into(),
        x: Axis::linear(angle),
        y: Axis::linear("density over that of equal directions"),
        right: None,
        curves: vec![
            steps("contacts", |bin| bin.density),
            steps("by force", |bin| bin.by_force),
            Curve::line("alike in all directions", [(0.0, 1.0), (end, 1.0)]),
        ],
    }
}
