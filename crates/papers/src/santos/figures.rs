//! The paper's Figs. 2, 3, 4 and 5 in its own form: ours, LAMMPS, and the limits that the paper and constraint counting give.

use glam::DVec3;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Point, Series, Symbol};
use stickslip_io::results::picture::{Drawing, Sphere};

use super::RADIUS;
use super::constraints::{ALONE, PANELS, SLIDES, levels, measured_limits};
use super::friction::Mean;
use super::packing::Friction;
use super::reference::REFERENCES;

/// Where a coefficient of zero stands on a logarithmic axis: at its left end.
const ZERO: f64 = 5e-4;
/// The paper's symbols, from panel to panel.
const SYMBOLS: [Symbol; 4] = [Symbol::Circle, Symbol::Square, Symbol::Up, Symbol::Down];
/// The curves of the first panel of Fig. 4: mu_r = mu_t, and a colour.
const BOTH: [(f64, usize); 4] = [(0.0, ALONE), (0.01, 1), (0.03, 5), (0.1, 2)];

/// What a panel plots of a state: where along the axis and for which mu_s; none if the state does not belong there.
fn place(panel: usize, mu: Friction) -> Option<(f64, f64)> {
    let [slide, roll, spin] = mu;
    match panel {
        0 => (roll == 0.0 && spin == 0.0).then_some((slide, 0.0)),
        1 => (roll == 0.0).then_some((spin, slide)),
        2 => (spin == 0.0).then_some((roll, slide)),
        _ => (roll == spin).then_some((roll, slide)),
    }
}

/// One value of a state, and its scatter.
type Value = fn(&Mean) -> (f64, f64);

/// Points of a panel for one mu_s, from the left.
fn points(panel: usize, slide: f64, means: &[(Friction, Mean)], value: Value) -> Vec<Point> {
    let at = |(mu, mean): &(Friction, Mean)| {
        let (x, of) = place(panel, *mu)?;
        let (y, error) = value(mean);
        (of == slide).then_some(Point { x: if x == 0.0 { ZERO } else { x }, y, error })
    };
    let mut points: Vec<Point> = means.iter().filter_map(at).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// LAMMPS' value of each state that belongs in a panel.
fn lammps(panel: usize, value: fn(&super::reference::Reference) -> f64) -> Series {
    let shown = REFERENCES.iter().filter_map(|reference| {
        let (x, _) = place(panel, reference.mu)?;
        Some((if x == 0.0 { ZERO } else { x }, value(reference)))
    });
    Series::marks("LAMMPS, N = 1000", 6, Symbol::Cross, shown)
}

fn curves(panel: usize, means: &[(Friction, Mean)], value: Value) -> Vec<Series> {
    let of = |name: String, colour: usize, slide: f64| Series {
        name,
        colour,
        symbol: SYMBOLS[panel],
        line: Line::Solid,
        points: points(panel, slide, means, value),
    };
    if panel == 0 {
        return vec![of("mu_r = mu_t = 0".into(), ALONE, 0.0)];
    }
    let named = |(slide, colour)| of(format!("mu_s = {slide}"), colour, slide);
    SLIDES.map(named).into_iter().filter(|series| !series.points.is_empty()).collect()
}

fn plot(panel: usize, y: &str, y_range: (f64, f64), series: Vec<Series>, levels: Vec<(f64, String)>) -> Plot {
    Plot {
        title: String::new(),
        x: Axis::log(&format!("{} (0 at the left end)", PANELS[panel].0)),
        y: Axis::linear(y),
        x_range: Some((0.8 * ZERO, 140.0)),
        y_range: Some(y_range),
        levels,
        series,
    }
}

/// Fig. 3: Z.
pub fn coordination(means: &[(Friction, Mean)]) -> Multiples {
    let panel = |panel: usize| {
        let mut series = curves(panel, means, |mean| mean.z);
        series.push(lammps(panel, |reference| reference.z.0));
        series.push(measured_limits(panel));
        plot(panel, "Z", (1.8, 6.4), series, levels(panel))
    };
    let title = "Contacts per grain without rattlers (Santos et al. 2020, Fig. 3)".to_owned();
    Multiples { title, columns: 4, plots: (0..4).map(panel).collect() }
}

/// Fig. 4: phi above, rattlers below.
pub fn fractions(means: &[(Friction, Mean)]) -> Multiples {
    let close = || vec![(0.64, "random close".to_owned()), (0.53, "the paper's loosest".to_owned())];
    let above = |panel: usize| {
        let mut series = curves(panel, means, |mean| mean.phi);
        if panel == 0 {
            series.extend(BOTH[1..].iter().map(|&both| first_panel(both, means, |mean| mean.phi)));
        }
        series.push(lammps(panel, |reference| reference.phi.0));
        plot(panel, "volume fraction", (0.49, 0.66), series, close())
    };
    let below = |panel: usize| {
        let mut series = curves(panel, means, |mean| mean.rattlers);
        if panel == 0 {
            series.extend(BOTH[1..].iter().map(|&both| first_panel(both, means, |mean| mean.rattlers)));
        }
        series.push(lammps(panel, |reference| reference.rattlers));
        plot(panel, "share of rattlers", (0.0, 1.0), series, Vec::new())
    };
    let title = "Volume fraction and rattlers (Santos et al. 2020, Fig. 4)".to_owned();
    Multiples { title, columns: 4, plots: (0..4).map(above).chain((0..4).map(below)).collect() }
}

/// A curve of Fig. 4's first panel with rolling and spinning friction.
fn first_panel((both, colour): (f64, usize), means: &[(Friction, Mean)], value: Value) -> Series {
    let of = |(mu, mean): &(Friction, Mean)| {
        let (y, error) = value(mean);
        (mu[1] == both && mu[2] == both).then_some(Point { x: mu[0].max(ZERO), y, error })
    };
    let mut points: Vec<Point> = means.iter().filter_map(of).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    // Without points (a quick result) the legend need not speak of it.
    let name = if points.is_empty() { String::new() } else { format!("mu_r = mu_t = {both}") };
    Series { name, colour, symbol: Symbol::Circle, line: Line::Solid, points }
}

/// Fig. 2: the grains that are no rattlers, coloured by their contacts.
pub fn picture(grains: &[(DVec3, usize)]) -> Vec<u8> {
    let sphere = |&(centre, contacts): &(DVec3, usize)| Sphere { centre, radius: RADIUS, value: contacts as f64 };
    let drawing = Drawing {
        spheres: grains.iter().map(sphere).collect(),
        solids: Vec::new(),
        planes: Vec::new(),
        walls: Vec::new(),
        edges: Vec::new(),
        up: DVec3::Z,
        label: "contacts",
        from: Some(0.0),
        to: Some(12.0),
    };
    drawing.to_png()
}
