//! `measure profile` and `measure stress`: layers along an axis, or layers divided into columns; the stress of a periodic
//! cell as a whole.

use glam::{DMat3, DVec3};
use stickslip::cell;
use stickslip::measure::ContactLoad;
use stickslip::measure::profile::{CellMean, Grid, profile};
use stickslip::measure::stress::{CellStress, cell_stress, stress, without_flow};
use stickslip::measure::surface::horizontal;
use stickslip_io::results::figure::{Axis, Curve, Figure};
use stickslip_io::results::short_number;
use stickslip_io::run_reader::{Frame, Held, Run};

use super::finding::{Csv, Fact, Finding, matrix_fact, vector_text, vector_value};
use super::{Refusal, Window, cell_at, direction, number, upward, vector};

/// The layers of the command line.
#[derive(clap::Args)]
struct Layers {
    /// Direction across the layers; up if absent.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    axis: Option<DVec3>,
    /// How many layers [default: 20].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10000))]
    layers: Option<u16>,
    /// Divide each layer into this many columns [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10000))]
    columns: Option<u16>,
    /// Direction in which columns stand side by side; some direction at right angles to the axis if absent.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    across: Option<DVec3>,
    /// Only within this box (the axis must be along x, y or z); what the spheres span if absent.
    #[arg(long = "box", num_args = 2, value_names = ["FROM", "TO"], value_parser = vector, allow_hyphen_values = true)]
    corners: Option<Vec<DVec3>>,
}

impl Layers {
    /// The grid, with the box that was given or with none yet: `widen` makes one.
    fn start(&self, run: &Run) -> Result<Grid, Refusal> {
        let axis = self.axis.or_else(|| upward(run, None).ok()).unwrap_or(DVec3::Z);
        let across = match self.across {
            Some(across) => (across - axis * across.dot(axis)).try_normalize(),
            None => Some(horizontal(axis).0),
        };
        let across = across.ok_or_else(|| Refusal::Option("--across must not be along --axis".into()))?;
        let axes = DMat3::from_cols(across, axis.cross(across), axis);
        let counts = [usize::from(self.columns.unwrap_or(1)), 1, usize::from(self.layers.unwrap_or(20))];
        let mut grid = Grid::spanned(axes, counts, &[], &[]);
        if let Some([from, to]) = self.corners.as_deref() {
            if !axes.to_cols_array().iter().all(|x| x.abs() < 1e-9 || x.abs() > 1.0 - 1e-9) {
                return Err(Refusal::Option("--box needs --axis and --across along x, y or z".into()));
            }
            let (one, two) = (grid.local(*from), grid.local(*to));
            (grid.from, grid.to) = (one.min(two), one.max(two));
        }
        Ok(grid)
    }

    /// Whether the command line says something of layers.
    fn given(&self) -> bool {
        let numbers = self.layers.is_some() || self.columns.is_some();
        numbers || self.axis.is_some() || self.across.is_some() || self.corners.is_some()
    }

    /// Lets the grid span these spheres, too, unless a box was given.
    fn widen(&self, grid: &mut Grid, frame: &Frame) {
        if self.corners.is_none() {
            let (positions, radii) = without_strays(frame);
            let span = Grid::spanned(grid.axes, grid.counts, &positions, &radii);
            (grid.from, grid.to) = (grid.from.min(span.from), grid.to.max(span.to));
        }
    }
}

/// The spheres but for those farther from their median than three times what nine tenths keep within: a grain that fell off
/// the table must not stretch every layer.
fn without_strays(frame: &Frame) -> (Vec<DVec3>, Vec<f64>) {
    let middle = DVec3::from_array(std::array::from_fn(|axis| {
        let mut places: Vec<f64> = frame.positions.iter().map(|p| p[axis]).collect();
        places.sort_by(f64::total_cmp);
        places.get(places.len() / 2).copied().unwrap_or(0.0)
    }));
    let mut distances: Vec<f64> = frame.positions.iter().map(|p| p.distance(middle)).collect();
    distances.sort_by(f64::total_cmp);
    let most = 3.0 * distances.get(distances.len() * 9 / 10).copied().unwrap_or(0.0);
    let all = frame.positions.iter().copied().zip(frame.radii.iter().copied());
    all.filter(|(position, radius)| position.distance(middle) <= most.max(*radius)).unzip()
}

/// A grid that nothing has spanned, or a flat box, cannot be measured.
fn check(grid: &Grid) -> Result<(), Refusal> {
    let volume = grid.cell_volume();
    if volume > 0.0 && volume.is_finite() && grid.from.cmplt(grid.to).all() {
        return Ok(());
    }
    Err(Refusal::Option("the layers have no volume: there are no spheres, or --box is flat".into()))
}

/// The name of the coordinate along a direction.
fn along(axis: DVec3) -> String {
    let names = [("x", DVec3::X), ("y", DVec3::Y), ("z", DVec3::Z)];
    let name = names.into_iter().find(|(_, unit)| (axis - unit).length() < 1e-9);
    name.map_or_else(|| format!("along {}", vector_text(axis)), |(name, _)| name.to_owned())
}

/// Curves over the layers' middles: one of each quantity, or with several columns one of each column.
fn curves<T: Copy>(grid: &Grid, cells: &[T], quantities: &[(&str, &dyn Fn(T) -> f64)]) -> Vec<Curve> {
    let columns = grid.counts[0];
    let curve = |name: &str, column: usize, of: &dyn Fn(T) -> f64| {
        let layer = |k: usize| k * columns + column;
        let points = (0..grid.counts[2]).map(|k| (grid.middle(layer(k)).z, of(cells[layer(k)])));
        Curve::line(name, points)
    };
    if columns == 1 {
        return quantities.iter().map(|(name, of)| curve(name, 0, of)).collect();
    }
    let of_column = |column: usize| {
        let name = format!("{} at {} m", quantities[0].0, short_number(grid.middle(column).x, 3));
        curve(&name, column, quantities[0].1)
    };
    (0..columns).map(of_column).collect()
}

/// Mean velocity, volume fraction and granular temperature by layers.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/chute profile --axis 0,0,1 --layers 30 --from 2")]
pub struct Profile {
    #[command(flatten)]
    layers: Layers,
    #[command(flatten)]
    window: Window,
}

impl Profile {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        if run.in_cell {
            let message = "layers do not see images of spheres, and velocities in a cell are relative to its flow: `measure` has \
                           fraction, stress and packing of the whole cell";
            return Err(Refusal::Option(message.into()));
        }
        let steps = self.window.steps_or_last(run, Held::Bodies)?;
        let mut wanted = |step: u64| steps.binary_search_by_key(&step, |s| s.1).is_ok();
        let mut grid = self.layers.start(run)?;
        run.frames(&mut wanted, &mut |frame| self.layers.widen(&mut grid, frame))?;
        check(&grid)?;
        let mut cells = vec![CellMean::default(); grid.len()];
        run.frames(&mut wanted, &mut |frame| add(&mut cells, &grid, frame))?;
        divide(&mut cells, steps.len());
        let mass: f64 = cells.iter().map(|cell| cell.mass).sum();
        let velocity = cells.iter().map(|cell| cell.velocity * cell.mass).sum::<DVec3>() / mass;
        let fastest = cells.iter().map(|cell| cell.velocity.length()).fold(0.0, f64::max);
        let densest = cells.iter().map(|cell| cell.fraction).fold(0.0, f64::max);
        let facts = vec![
            Fact::shown("mean velocity", vector_value(velocity), format!("{} m/s", vector_text(velocity))),
            Fact::number("fastest layer", fastest, "m/s"),
            Fact::number("largest fraction", densest, ""),
            Fact::number("mass", mass, "kg"),
            Fact::number("thickness of a layer", grid.size().z, "m"),
            Fact::count("times", steps.len()),
            Fact::number("from", steps[0].0, "s"),
            Fact::number("to", steps[steps.len() - 1].0, "s"),
        ];
        let mut csv = Csv::new("along,across,fraction,mass,vx,vy,vz,temperature");
        for (k, cell) in cells.iter().enumerate() {
            let (middle, v) = (grid.middle(k), cell.velocity);
            csv.row(&[middle.z, middle.x, cell.fraction, cell.mass, v.x, v.y, v.z, cell.temperature]);
        }
        Ok(Finding {
            what: "profile",
            facts,
            headlines: 2,
            csv: csv.text(),
            figures: self.figures(&grid, &cells),
            picture: None,
        })
    }

    fn figures(&self, grid: &Grid, cells: &[CellMean]) -> Vec<(&'static str, Figure)> {
        let one = grid.counts[0] == 1;
        // A layer without mass has no velocity.
        let known = |cell: CellMean, value: f64| if cell.mass > 0.0 { value } else { f64::NAN };
        let speed = |cell: CellMean| known(cell, cell.velocity.length());
        let of = |k: usize| move |cell: CellMean| known(cell, cell.velocity[k]);
        let (x, y, z) = (of(0), of(1), of(2));
        let shake = |cell: CellMean| known(cell, cell.temperature.sqrt());
        let fraction = |cell: CellMean| cell.fraction;
        let velocities: [(&str, &dyn Fn(CellMean) -> f64); 4] =
            [("vx", &x), ("vy", &y), ("vz", &z), ("root of temperature", &shake)];
        let speeds: [(&str, &dyn Fn(CellMean) -> f64); 1] = [("speed", &speed)];
        let axis = Axis::linear(&format!("{} (m)", along(grid.axes.z_axis)));
        let velocity = Figure {
            title: if one { "Velocity by layers" } else { "Speed by layers and columns" }.into(),
            x: axis.clone(),
            y: Axis::linear(if one { "velocity (m/s)" } else { "speed (m/s)" }),
            right: None,
            curves: curves(grid, cells, if one { &velocities[..] } else { &speeds }),
        };
        let filled = Figure {
            title: "Volume fraction by layers".into(),
            x: axis,
            y: Axis::linear("volume fraction"),
            right: None,
            curves: curves(grid, cells, &[("fraction", &fraction)]),
        };
        vec![("", velocity), ("-fraction", filled)]
    }
}

/// Adds the means of a time to sums: of fractions and masses, and by mass of velocities and temperatures.
fn add(sums: &mut [CellMean], grid: &Grid, frame: &Frame) {
    let cells = profile(grid, &frame.positions, &frame.radii, &frame.masses, &frame.velocities);
    for (sum, cell) in sums.iter_mut().zip(cells) {
        sum.fraction += cell.fraction;
        sum.velocity += cell.velocity * cell.mass;
        sum.temperature += cell.temperature * cell.mass;
        sum.mass += cell.mass;
    }
}

/// Makes means of the sums over so many times.
fn divide(sums: &mut [CellMean], times: usize) {
    for sum in sums {
        sum.fraction /= times as f64;
        if sum.mass > 0.0 {
            sum.velocity /= sum.mass;
            sum.temperature /= sum.mass;
        }
        sum.mass /= times as f64;
    }
}

/// Stress by layers or of the whole periodic cell, compression positive, from contacts and motion.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip measure runs/01-pile stress --layers 10")]
pub struct Stress {
    /// The recorded time nearest to this one (s); the last that bodies and contacts share if absent.
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    time: Option<f64>,
    #[command(flatten)]
    layers: Layers,
}

impl Stress {
    pub fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        let (frame, contacts) = run.bodies_and_contacts(self.time)?;
        if let Some(cell) = cell_at(run, frame.step)?.filter(|cell| cell.repeats_everywhere()) {
            if self.layers.given() {
                let message =
                    "layers do not see images of spheres: without their options it is the whole cell's stress";
                return Err(Refusal::Option(message.into()));
            }
            return Ok(whole_cell(&cell, &frame, &contacts));
        }
        let mut grid = self.layers.start(run)?;
        self.layers.widen(&mut grid, &frame);
        check(&grid)?;
        let (x, v) = (&frame.positions, &frame.velocities);
        let cells = stress(&grid, &frame.ids, x, &frame.radii, &frame.masses, v, &contacts);
        let layers = profile(&grid, x, &frame.radii, &frame.masses, v);
        let beyond = mass_beyond(&grid, &frame, run.gravity);
        let weight = weight_above(&grid, &layers, &beyond, run.gravity);
        let most = |of: &dyn Fn(&CellStress) -> f64| cells.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let axis = grid.axes.z_axis;
        let facts = vec![
            Fact::number("largest stress along the axis", most(&|cell| axis.dot(cell.total() * axis)), "Pa"),
            Fact::number("weight above by area", weight[0].max(weight[weight.len() - 1]), "Pa at most"),
            Fact::number("largest pressure", most(&CellStress::pressure), "Pa"),
            Fact::number("thickness of a layer", grid.size().z, "m"),
            Fact::number("area of a layer", grid.cell_volume() / grid.size().z, "m^2"),
            Fact::count("contacts", contacts.len()),
            Fact::number("time", frame.time, "s"),
        ];
        let mut csv = Csv::new("along,across,sxx,sxy,sxz,syx,syy,syz,szx,szy,szz,kxx,kyy,kzz,weight_above,fraction");
        for (k, cell) in cells.iter().enumerate() {
            let (middle, kinetic) = (grid.middle(k), cell.kinetic);
            let mut row = vec![middle.z, middle.x];
            // Rows of the matrix: the first index is that of the force.
            row.extend(cell.total().transpose().to_cols_array());
            row.extend([kinetic.x_axis.x, kinetic.y_axis.y, kinetic.z_axis.z, weight[k], layers[k].fraction]);
            csv.row(&row);
        }
        let figures = vec![("", figure(&grid, &cells, &weight, frame.time))];
        Ok(Finding { what: "stress", facts, headlines: 2, csv: csv.text(), figures, picture: None })
    }
}

/// The stress of a cell that repeats in all directions.
fn whole_cell(cell: &cell::Frame, frame: &Frame, contacts: &[ContactLoad]) -> Finding {
    let own = without_flow(&frame.positions, &frame.masses, &frame.velocities);
    let found = cell_stress(cell, &frame.ids, &frame.positions, &frame.masses, &own, contacts);
    let (total, pressure) = (found.total(), found.pressure());
    let off = total - DMat3::from_diagonal(DVec3::splat(pressure));
    let most = off.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let facts = vec![
        Fact::number("pressure", pressure, "Pa"),
        matrix_fact("stress", &total, "Pa"),
        Fact::number("largest part off the pressure", most / pressure, "of it"),
        matrix_fact("of contacts", &found.contact, "Pa"),
        matrix_fact("of motion", &found.kinetic, "Pa (without the flow that fits best)"),
        Fact::number("volume of the cell", cell.volume().abs(), "m^3"),
        Fact::count("contacts", contacts.len()),
        Fact::number("time", frame.time, "s"),
    ];
    let mut csv = Csv::new("sxx,sxy,sxz,syx,syy,syz,szx,szy,szz,kxx,kyy,kzz");
    // Rows of the matrix: the first index is that of the force.
    let mut row = total.transpose().to_cols_array().to_vec();
    row.extend((0..3).map(|k| found.kinetic.col(k)[k]));
    csv.row(&row);
    Finding { what: "stress", facts, headlines: 2, csv: csv.text(), figures: Vec::new(), picture: None }
}

/// Mass of what lies above a given box, by columns: it weighs on the layers, too.
fn mass_beyond(grid: &Grid, frame: &Frame, gravity: DVec3) -> Vec<f64> {
    let span = Grid::spanned(grid.axes, grid.counts, &frame.positions, &frame.radii);
    let mut above = Grid { counts: [grid.counts[0], 1, 1], ..*grid };
    if gravity.dot(grid.axes.z_axis) < 0.0 {
        (above.from.z, above.to.z) = (grid.to.z, span.to.z);
    } else {
        (above.from.z, above.to.z) = (span.from.z, grid.from.z);
    }
    if above.to.z <= above.from.z {
        return vec![0.0; grid.counts[0]];
    }
    let cells = profile(&above, &frame.positions, &frame.radii, &frame.masses, &frame.velocities);
    cells.iter().map(|cell| cell.mass).collect()
}

/// Weight of what lies above the middle of each cell's layer, by the area of its column (Pa): what an upright stress at rest
/// would be if columns did not lean on each other. NaN when gravity is not along the layers' axis.
fn weight_above(grid: &Grid, cells: &[CellMean], beyond: &[f64], gravity: DVec3) -> Vec<f64> {
    let along = gravity.dot(grid.axes.z_axis);
    let leans = (gravity - grid.axes.z_axis * along).length() > 1e-6 * gravity.length();
    let area = grid.cell_volume() / grid.size().z;
    let columns = grid.counts[0];
    let layer = |k: usize| k / columns;
    let above = |k: usize| {
        let same = (k % columns..cells.len()).step_by(columns);
        let higher = same.filter(|&j| if along < 0.0 { layer(j) > layer(k) } else { layer(j) < layer(k) });
        let mass = 0.5 * cells[k].mass + higher.map(|j| cells[j].mass).sum::<f64>() + beyond[k % columns];
        if leans || along == 0.0 { f64::NAN } else { mass * along.abs() / area }
    };
    (0..cells.len()).map(above).collect()
}

fn figure(grid: &Grid, cells: &[CellStress], weight: &[f64], time: f64) -> Figure {
    let one = grid.counts[0] == 1;
    let of = |k: usize| move |cell: CellStress| cell.total().col(k)[k];
    let (x, y, z) = (of(0), of(1), of(2));
    let axis = grid.axes.z_axis;
    let upright = move |cell: CellStress| axis.dot(cell.total() * axis);
    let parts: [(&str, &dyn Fn(CellStress) -> f64); 3] = [("xx", &x), ("yy", &y), ("zz", &z)];
    let upright: [(&str, &dyn Fn(CellStress) -> f64); 1] = [("along the axis", &upright)];
    let mut lines = curves(grid, cells, if one { &parts[..] } else { &upright });
    if one && weight.iter().any(|value| value.is_finite()) {
        let points = weight.iter().enumerate().map(|(k, &value)| (grid.middle(k).z, value));
        lines.push(Curve { name: "weight above by area".into(), points: points.collect(), dots: true });
    }
    Figure {
        title: format!("Stress by layers at {} s", short_number(time, 4)),
        x: Axis::linear(&format!("{} (m)", along(axis))),
        y: Axis::linear("stress, compression positive (Pa)"),
        right: None,
        curves: lines,
    }
}

#[cfg(test)]
mod tests {
    use stickslip::contact::Mode;

    use super::*;

    /// Two balls in a cell of 2 x 3 x 5 m that press each other with 6 N across its face in x, 0.5 m apart there and carried
    /// along by a common velocity: sxx = 6 * 0.5/30 Pa, a pressure of a third of it, off by twice that; no motion of their
    /// own.
    #[test]
    fn a_cell_has_one_stress() {
        let cell = cell::Frame::new(DMat3::from_diagonal(DVec3::new(2.0, 3.0, 5.0)));
        let frame = Frame {
            ids: vec![0, 1],
            positions: vec![DVec3::new(0.25, 1.0, 1.0), DVec3::new(1.75, 1.0, 1.0)],
            velocities: vec![DVec3::Y; 2],
            radii: vec![0.25; 2],
            masses: vec![1.0; 2],
            ..Frame::default()
        };
        let (normal, normal_force) = (DVec3::X, 6.0);
        let force = normal * normal_force;
        let contact = ContactLoad { a: 0, b: 1, point: DVec3::ZERO, force, normal, normal_force, slide: Mode::Stick };
        let found = whole_cell(&cell, &frame, &[contact]);
        let json = found.json();
        let number = |key: &str| json[key].as_f64().unwrap();
        assert!((number("pressure") - 0.1 / 3.0).abs() < 1e-16, "{json:?}");
        assert!((json["stress"][0][0].as_f64().unwrap() - 0.1).abs() < 1e-16, "{json:?}");
        assert!((number("largest_part_off_the_pressure") - 2.0).abs() < 1e-14, "{json:?}");
        assert_eq!(json["of_motion"][1][1].as_f64(), Some(0.0), "{json:?}");
        assert!(found.csv.starts_with("sxx,sxy,") && found.csv.lines().count() == 2, "{}", found.csv);
    }
}
