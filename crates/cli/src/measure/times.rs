//! `measure discharge` and `measure walls`: courses over all recorded times.

use std::collections::BTreeMap;

use glam::DVec3;
use stickslip::measure::discharge::{self, Gate, Tallier, discharge};
use stickslip::measure::region::Region;
use stickslip::measure::walls::{MeanLoad, WallLoad, mean_load};
use stickslip_io::results::figure::{Axis, Curve, Figure};
use stickslip_io::results::short_number;
use stickslip_io::run_reader::{Held, Run};

use super::finding::{Csv, Fact, Finding, vector_text, vector_value};
use super::{Refusal, RegionOptions, Window, direction, number, upward};

/// Rate at which spheres leave: below a height, out of a region, or out of the run.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/hopper discharge --below -0.05")]
pub struct Discharge {
    /// Spheres below this height (m, along up from the origin) have left.
    #[arg(long, value_name = "HEIGHT", value_parser = number, allow_hyphen_values = true, conflicts_with_all = ["corners", "cylinder"])]
    below: Option<f64>,
    /// Up; against gravity if absent.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    up: Option<DVec3>,
    #[command(flatten)]
    region: RegionOptions,
    #[command(flatten)]
    window: Window,
}

impl Discharge {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let gate = match (self.below, self.region.region()?) {
            (Some(height), _) => {
                let up = upward(run, self.up)?;
                Gate::Plane { point: up * height, normal: -up }
            }
            (None, Some(region)) => Gate::Region(region),
            // Only those that the run has removed.
            (None, None) => Gate::Region(Region::Box { from: DVec3::NEG_INFINITY, to: DVec3::INFINITY }),
        };
        self.window.check()?;
        let mut tallier = Tallier::new(gate);
        let mut empty = run.empty_times()?.into_iter().peekable();
        run.frames(&mut |_| true, &mut |frame| {
            while let Some((time, _)) = empty.next_if(|time| time.1 < frame.step) {
                tallier.count(time, &[], &[], |id| run.bodies[id as usize].mass);
            }
            tallier.count(frame.time, &frame.ids, &frame.positions, |id| run.bodies[id as usize].mass);
        })?;
        empty.for_each(|(time, _)| tallier.count(time, &[], &[], |id| run.bodies[id as usize].mass));
        let help =
            "--below, --box or --cylinder say where spheres leave; a record with more times helps a short discharge";
        let window = (self.window.from, self.window.to);
        let found = discharge(&tallier.rows, window).map_err(|error| Refusal::Few(error, help))?;
        Ok(finding(&found, &tallier.rows))
    }
}

fn finding(found: &discharge::Discharge, rows: &[discharge::Tally]) -> Finding {
    let rate = |label: &str, (value, error): (f64, f64), unit: &str| {
        let text = format!("{} ± {} {unit}", short_number(value, 4), short_number(error, 2));
        Fact::shown(label, value, text)
    };
    let last = rows[rows.len() - 1];
    let imbalance = rows.iter().map(|row| row.imbalance().abs()).fold(0.0, f64::max);
    let facts = vec![
        rate("mass rate", found.mass_per_second, "kg/s"),
        rate("body rate", found.bodies_per_second, "1/s"),
        Fact::number("error of mass rate", found.mass_per_second.1, "kg/s"),
        Fact::number("error of body rate", found.bodies_per_second.1, "1/s"),
        Fact::number("from", found.from, "s"),
        Fact::number("to", found.to, "s"),
        Fact::count("times", found.times),
        Fact::number("mass that came", last.came.mass, "kg"),
        Fact::number("mass on", last.on.mass, "kg"),
        Fact::number("mass out", last.out().mass, "kg"),
        Fact::number("imbalance", imbalance, "kg at most (came - on - out)"),
    ];
    let mut csv = Csv::new("time,came,on,out,came_mass,on_mass,out_mass");
    for row in rows {
        let (came, on, out) = (row.came, row.on, row.out());
        let bodies = [came.bodies, on.bodies, out.bodies].map(|count| count as f64);
        csv.row(&[row.time, bodies[0], bodies[1], bodies[2], came.mass, on.mass, out.mass]);
    }
    let mass = |of: fn(&discharge::Tally) -> f64| rows.iter().map(|row| (row.time, of(row))).collect::<Vec<_>>();
    let fit = [found.from, found.to].map(|time| (time, found.line.at(time)));
    let figure = Figure {
        title: format!("Discharge of {} kg/s", short_number(found.mass_per_second.0, 4)),
        x: Axis::linear("time (s)"),
        y: Axis::linear("mass (kg)"),
        right: None,
        curves: vec![
            Curve::line("out", mass(|row| row.out().mass)),
            Curve::line("fit", fit),
            Curve::line("on", mass(|row| row.on.mass)),
            Curve::line("came", mass(|row| row.came.mass)),
        ],
    };
    Finding { what: "discharge", facts, headlines: 2, csv: csv.text(), figures: vec![("", figure)], picture: None }
}

/// Force and torque of the contacts on every wall over time, and their mean over a window (the last time if absent).
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/01-pile walls --from 0.5")]
pub struct Walls {
    #[command(flatten)]
    window: Window,
}

impl Walls {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let steps = self.window.steps_or_last(run, run.with_walls())?;
        let mut loads: BTreeMap<u32, Vec<WallLoad>> = BTreeMap::new();
        run.frames_of(run.with_walls(), &mut |_| true, &mut |frame| {
            for &(id, force, torque) in &frame.walls {
                loads.entry(id).or_default().push(WallLoad { time: frame.time, force, torque });
            }
        })?;
        if loads.is_empty() {
            return Err(Refusal::Option("the run has no walls".into()));
        }
        let (from, to) = (steps[0].0, steps[steps.len() - 1].0);
        let name = |id: u32| match run.bodies[id as usize].name.as_str() {
            "" => format!("{} {id}", run.bodies[id as usize].shape),
            name => name.to_owned(),
        };
        let (mut facts, mut sum) = (Vec::new(), DVec3::ZERO);
        let mut csv = Csv::new("time,id,fx,fy,fz,tx,ty,tz");
        let mut curves = Vec::new();
        for (&id, loads) in &loads {
            for load in loads {
                let (f, t) = (load.force, load.torque);
                csv.row(&[load.time, f64::from(id), f.x, f.y, f.z, t.x, t.y, t.z]);
            }
            let size = loads.iter().map(|load| (load.time, load.force.length()));
            curves.push(Curve::line(&name(id), size));
            let Some(mean) = mean_load(loads, from, to) else { continue };
            sum += mean.force;
            facts.extend(wall_facts(&name(id), &mean));
        }
        facts.insert(0, Fact::shown("force on all walls", vector_value(sum), format!("{} N", vector_text(sum))));
        let weights = weights(run)?;
        if let Some((_, weight)) = weights.last() {
            let text = format!("{} N", vector_text(*weight));
            facts.insert(1, Fact::shown("weight of the spheres", vector_value(*weight), text));
        }
        facts.extend([Fact::number("from", from, "s"), Fact::number("to", to, "s"), Fact::count("times", steps.len())]);
        if run.gravity != DVec3::ZERO && !weights.is_empty() {
            curves.push(Curve::line("weight of the spheres", weights.iter().map(|(time, w)| (*time, w.length()))));
        }
        let figure = Figure {
            title: "Force on walls".into(),
            x: Axis::linear("time (s)"),
            y: Axis::linear("size of the force (N)"),
            right: None,
            curves,
        };
        Ok(Finding { what: "walls", facts, headlines: 2, csv: csv.text(), figures: vec![("", figure)], picture: None })
    }
}

/// The weight of the spheres over time, where bodies are recorded.
fn weights(run: &Run) -> Result<Vec<(f64, DVec3)>, Refusal> {
    let mut weights = Vec::new();
    if run.has(Held::Bodies) {
        run.frames(&mut |_| true, &mut |frame| {
            weights.push((frame.time, run.gravity * frame.masses.iter().sum::<f64>()));
        })?;
    }
    Ok(weights)
}

/// Mean force and torque on one wall.
fn wall_facts(name: &str, mean: &MeanLoad) -> [Fact; 2] {
    let fact = |what: &str, value: DVec3, spread: DVec3, unit: &str| {
        let text = format!("{} {unit}, spread {}", vector_text(value), vector_text(spread));
        Fact::shown(&format!("{what} on {name}"), vector_value(value), text)
    };
    [fact("force", mean.force, mean.force_spread, "N"), fact("torque", mean.torque, mean.torque_spread, "N m")]
}
