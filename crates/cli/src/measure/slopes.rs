//! `measure repose` and `measure drum`: the slope of a free surface.

use glam::DVec3;
use stickslip::measure::drum::{DrumOptions, DrumSurface, drum_surface};
use stickslip::measure::fit::{Line, mean_and_spread};
use stickslip::measure::repose::{self, HeapForm, ReposeOptions};
use stickslip::measure::{TooFew, repose::repose};
use stickslip_io::results::figure::{Axis, Curve, Figure};
use stickslip_io::results::short_number;
use stickslip_io::run_reader::{Held, Run, Wall};

use super::finding::{Csv, Fact, Finding, vector_text, vector_value};
use super::{Refusal, Window, direction, number, positive, upward, vector};

/// Angle of repose of a heap: a cone about an axis, or a ridge.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/01-pile repose --centre 0,0,0")]
pub struct Repose {
    /// The recorded time nearest to this one (s); the last if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    /// The heap is a ridge along this direction, not a cone.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    ridge: Option<DVec3>,
    /// A point of the cone's axis or the ridge's plane; the mean place of the spheres if absent.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    centre: Option<DVec3>,
    /// Distance of the wall from there (m); the nearest upright plane or tube of the scene if absent.
    #[arg(long, value_name = "DISTANCE", value_parser = positive)]
    wall: Option<f64>,
    /// Spheres that are not slower than this do not count (m/s).
    #[arg(long, value_name = "SPEED", default_value = "0.2", value_parser = positive)]
    slower: f64,
    /// Up; against gravity if absent.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    up: Option<DVec3>,
}

impl Repose {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let up = upward(run, self.up)?;
        let frame = run.frame_at(self.time)?;
        let mut options = ReposeOptions { slower: self.slower, centre: self.centre, ..ReposeOptions::new(up) };
        if let Some(along) = self.ridge {
            if along.cross(up).length() < 1e-6 {
                return Err(Refusal::Option("--ridge: a ridge cannot be upright".into()));
            }
            options.form = HeapForm::Ridge { along };
        }
        let middle = frame.positions.iter().sum::<DVec3>() / frame.positions.len().max(1) as f64;
        options.wall = self.wall.or_else(|| nearest_wall(run, self.centre.unwrap_or(middle), up, self.ridge));
        let help = "a heap at rest with some hundred spheres is needed; --time chooses another time, --slower lets \
                    faster spheres count";
        let found = repose(&frame.positions, &frame.radii, &frame.velocities, &options);
        let found = found.map_err(|error| too_low(error, help))?;
        let mut csv = Csv::new("id,distance,height,sector,fitted,line");
        for point in &found.points {
            let (id, line) = (f64::from(frame.ids[point.index]), found.line.at(point.distance));
            let fitted = f64::from(u8::from(point.fitted));
            csv.row(&[id, point.distance, point.height, point.sector as f64, fitted, line]);
        }
        let figures = vec![("", self.figure(&found, frame.time))];
        Ok(Finding {
            what: "repose",
            facts: facts(&found, &options, frame.time),
            headlines: 2,
            csv: csv.text(),
            figures,
            picture: None,
        })
    }

    fn figure(&self, found: &repose::Repose, time: f64) -> Figure {
        let of = |fitted: bool| {
            let points = found.points.iter().filter(move |point| point.fitted == fitted);
            points.map(|point| (point.distance, point.height)).collect::<Vec<_>>()
        };
        // A line from the foot to where it meets the top, or the axis.
        let drawn = |line: &Line, name: &str| {
            let reach = |height: f64| (height - line.level) / line.slope;
            Curve::line(name, [reach(found.top).max(0.0), reach(found.foot)].map(|x| (x, line.at(x))))
        };
        let degrees = short_number(found.angle.to_degrees(), 3);
        let interval = (0.5 * (found.interval.1 - found.interval.0)).to_degrees();
        let mut curves = vec![
            Curve { name: "surface, fitted".into(), points: of(true), dots: true },
            Curve { name: "surface, left out".into(), points: of(false), dots: true },
            drawn(&found.line, &format!("line, {degrees}°")),
        ];
        curves.extend(found.by_height.map(|slope| {
            drawn(&slope.line, &format!("window by height, {}°", short_number(slope.angle.to_degrees(), 3)))
        }));
        let from = if self.ridge.is_some() { "plane" } else { "axis" };
        Figure {
            title: format!(
                "Angle of repose {degrees}° ± {}°, at {} s",
                short_number(interval, 2),
                short_number(time, 4)
            ),
            x: Axis::linear(&format!("distance from the {from} (m)")),
            y: Axis::linear("height of the centre (m)"),
            right: None,
            curves,
        }
    }
}

/// Why a heap has no angle: its surface is too small for a line, or too few spheres are at rest.
fn too_low(few: TooFew, help: &'static str) -> Refusal {
    if few.what == "spheres at rest" {
        return Refusal::Few(few, help);
    }
    let TooFew { what, found, needed } = few;
    let message =
        format!("the heap is too small or too low for an angle: {found} {what}, at least {needed} are needed");
    Refusal::Heap(message, help)
}

fn facts(found: &repose::Repose, options: &ReposeOptions, time: f64) -> Vec<Fact> {
    let interval = |label: &str, (low, high): (f64, f64)| {
        let (low, high) = (low.to_degrees(), high.to_degrees());
        let text = format!("{} to {} degrees", short_number(low, 4), short_number(high, 4));
        Fact::shown(label, vec![low, high], text)
    };
    let none = |label: &'static str| move || Fact::shown(label, serde_json::Value::Null, "-".into());
    let by_height = found.by_height;
    let mut facts = vec![
        Fact::number("angle", found.angle.to_degrees(), "degrees"),
        interval("95 % interval", found.interval),
        Fact::number("top", found.top, "m"),
        Fact::number("foot", found.foot, "m"),
        Fact::count("still moving", found.moving),
        Fact::count("surface spheres", found.points.len()),
        Fact::count("fitted", found.fitted),
        Fact::shown("centre", vector_value(found.centre), vector_text(found.centre)),
        Fact::number("time", time, "s"),
        by_height.map_or_else(none("angle by height"), |s| {
            Fact::number("angle by height", s.angle.to_degrees(), "degrees (too flat: see the guide)")
        }),
        by_height.map_or_else(none("95 % interval by height"), |s| interval("95 % interval by height", s.interval)),
    ];
    facts.extend(options.wall.map(|wall| Fact::number("wall", wall, "m")));
    facts
}

/// Distance from a point to the nearest upright plane or tube of the scene, as far as it matters to the heap.
fn nearest_wall(run: &Run, centre: DVec3, up: DVec3, ridge: Option<DVec3>) -> Option<f64> {
    let distance = |wall: &Wall| match (wall.kind.as_str(), wall.normal, wall.axis) {
        ("plane" | "rectangle", Some(normal), _) => {
            let upright = normal.dot(up).abs() < 1e-6;
            // The walls at the ends of a ridge do not end its slopes.
            let across = ridge.is_none_or(|along| normal.dot(along).abs() < 0.5);
            (upright && across).then(|| (centre - wall.position).dot(normal))
        }
        ("tube", _, Some(axis)) if axis.dot(up).abs() > 1.0 - 1e-6 => wall.radius,
        _ => None,
    };
    run.walls.iter().filter_map(distance).filter(|&distance| distance > 0.0).min_by(f64::total_cmp)
}

/// Dynamic angle in a turning drum, averaged over recorded times.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/drum drum --axis 0,1,0 --centre 0,0,0 --from 2")]
pub struct Drum {
    /// The drum's axis; that of the scene's only tube if absent.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    axis: Option<DVec3>,
    /// A point of the axis; that tube's position if absent.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    centre: Option<DVec3>,
    /// Up; against gravity if absent.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    up: Option<DVec3>,
    /// Share of the surface, about its middle, that the line goes through.
    #[arg(long, value_name = "SHARE", default_value = "0.6", value_parser = positive)]
    middle: f64,
    #[command(flatten)]
    window: Window,
}

impl Drum {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let up = upward(run, self.up)?;
        let tubes: Vec<_> = run.walls.iter().filter(|wall| wall.kind == "tube").collect();
        let tube = if let [tube] = tubes[..] { Some(tube) } else { None };
        let none =
            || Refusal::Option(format!("the scene has {} tubes: give the drum with --axis and --centre", tubes.len()));
        let axis = self.axis.or(tube.and_then(|tube| tube.axis)).ok_or_else(none)?;
        let centre = self.centre.or(tube.map(|tube| tube.position)).ok_or_else(none)?;
        let options = DrumOptions { middle: self.middle.min(1.0), ..DrumOptions::new(up, axis, centre) };
        let steps = self.window.steps(run, Held::Bodies)?;
        // A drum that was given is believed; the only tube of a scene may be a roller.
        let tube = tube.filter(|_| self.axis.is_none() || self.centre.is_none());
        let (mut inside, mut all) = (0, 0);
        let mut surfaces: Vec<(f64, Result<DrumSurface, TooFew>)> = Vec::new();
        run.frames(&mut |step| steps.binary_search_by_key(&step, |s| s.1).is_ok(), &mut |frame| {
            surfaces.push((frame.time, drum_surface(&frame.positions, &frame.radii, &options)));
            inside += frame.positions.iter().filter(|&&x| tube.is_none_or(|tube| within(tube, x))).count();
            all += frame.positions.len();
        })?;
        if 2 * inside < all {
            let message =
                "no drum: most spheres lie outside the only tube of the scene (--axis and --centre give another)";
            return Err(Refusal::Option(message.into()));
        }
        let refused = surfaces.iter().find_map(|(_, found)| found.as_ref().err().copied());
        let found: Vec<(f64, DrumSurface)> =
            surfaces.into_iter().filter_map(|(time, found)| Some((time, found.ok()?))).collect();
        match (found.last(), refused) {
            (Some(last), _) => Ok(drum_finding(&found, last)),
            (None, Some(few)) => Err(Refusal::Few(few, "a bed of some hundred spheres is needed")),
            (None, None) => Err(none()),
        }
    }
}

/// Whether a point lies inside a tube, between its ends. What the scene does not say is no limit.
fn within(tube: &Wall, x: DVec3) -> bool {
    let Some(axis) = tube.axis else { return true };
    let along = (x - tube.position).dot(axis);
    let across = (x - tube.position - axis * along).length();
    tube.radius.is_none_or(|radius| across < radius) && tube.length.is_none_or(|length| along.abs() < 0.5 * length)
}

fn drum_finding(found: &[(f64, DrumSurface)], last: &(f64, DrumSurface)) -> Finding {
    let angles: Vec<f64> = found.iter().map(|(_, surface)| surface.angle.to_degrees()).collect();
    let (mean, spread) = mean_and_spread(&angles);
    let end = |pick: fn(f64, f64) -> f64| angles.iter().copied().reduce(pick).unwrap_or(f64::NAN);
    let facts = vec![
        Fact::number("angle", mean, "degrees"),
        Fact::number("spread", spread, "degrees (standard deviation over times)"),
        Fact::number("least", end(f64::min), "degrees"),
        Fact::number("most", end(f64::max), "degrees"),
        Fact::count("times", angles.len()),
        Fact::number("from", found[0].0, "s"),
        Fact::number("to", last.0, "s"),
    ];
    let mut csv = Csv::new("time,angle,level");
    for (time, surface) in found {
        csv.row(&[*time, surface.angle.to_degrees(), surface.line.level]);
    }
    let course = Curve { name: "angle".into(), points: found.iter().map(|f| f.0).zip(angles).collect(), dots: false };
    let over_time = Figure {
        title: format!("Dynamic angle {}° on average", short_number(mean, 3)),
        x: Axis::linear("time (s)"),
        y: Axis::linear("angle (degrees)"),
        right: None,
        curves: vec![course, Curve::line("mean", [(found[0].0, mean), (last.0, mean)])],
    };
    let of = |fitted: bool| {
        let points = last.1.points.iter().filter(move |point| point.2 == fitted);
        points.map(|point| (point.0, point.1)).collect::<Vec<_>>()
    };
    let ends = of(true).iter().fold((f64::MAX, f64::MIN), |(low, high), p| (low.min(p.0), high.max(p.0)));
    let line = [ends.0, ends.1].map(|x| (x, last.1.line.at(x)));
    let surface = Figure {
        title: format!("Surface at {} s", short_number(last.0, 4)),
        x: Axis::linear("place across the axis (m)"),
        y: Axis::linear("height over the axis (m)"),
        right: None,
        curves: vec![
            Curve { name: "surface, fitted".into(), points: of(true), dots: true },
            Curve { name: "surface, left out".into(), points: of(false), dots: true },
            Curve::line("least absolute deviations", line),
        ],
    };
    Finding {
        what: "drum",
        facts,
        headlines: 2,
        csv: csv.text(),
        figures: vec![("", over_time), ("-surface", surface)],
        picture: None,
    }
}
