//! Fig. 10: the state of every point, the borders that were found, and those of appendix D.

use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::STATIC;
use super::map::{Borders, Point, REFERENCE, State, theory};

/// A full map is thinned to the coarse grid: symbols need room.
fn shown((eta, slope): Point) -> bool {
    let whole = |x: f64| (x - x.round()).abs() < 1e-9;
    whole(eta * 50.0) && whole(slope)
}

/// The map.
pub fn figure(points: &[Point], found: &[State], borders: &[Borders]) -> Multiples {
    let of = |state: State| {
        let chosen = points.iter().zip(found).filter(move |(point, found)| **found == state && shown(**point));
        chosen.map(|(point, _)| *point).collect::<Vec<_>>()
    };
    let marks = [
        ("static (S)", 0, Symbol::Square, State::Static),
        ("pure rolling (PR)", 2, Symbol::Circle, State::PureRolling),
        ("pure slip (PS)", 1, Symbol::Cross, State::PureSlip),
        ("rolling with slip (RwS)", 4, Symbol::Up, State::RollingWithSlip),
    ];
    let series: Vec<Series> =
        marks.map(|(name, colour, symbol, state)| Series::marks(name, colour, symbol, of(state))).into();
    let map = plot("states", series);
    Multiples {
        title: "A sphere on an incline after 1 s (Fang and Negrut 2020, Fig. 10)".into(),
        columns: 2,
        plots: vec![map, plot("borders", border_series(borders))],
    }
}

fn plot(title: &str, series: Vec<Series>) -> Plot {
    Plot {
        title: title.into(),
        x: Axis::linear("eta_r"),
        y: Axis::linear("slope (degrees)"),
        x_range: Some((0.19, 0.61)),
        y_range: Some((0.0, 35.0)),
        levels: Vec::new(),
        series,
    }
}

/// Those of appendix D, as printed and as drawn, the reference's and ours.
fn border_series(borders: &[Borders]) -> Vec<Series> {
    let etas = || (0..=80).map(|k| 0.2 + 0.005 * f64::from(k));
    let line = |of: fn(f64) -> f64| etas().map(move |eta| (eta, of(eta)));
    let both = |of: &[Borders]| -> Vec<(f64, f64)> {
        of.iter().flat_map(|border| [(border.eta, border.rolls), (border.eta, border.slides)]).collect()
    };
    let text = line(|eta| stickslip::math::atan2(2.0 * eta * STATIC, 1.0).to_degrees());
    vec![
        Series::line("appendix D, mu_k", 6, Line::Solid, line(|eta| theory(eta).rolls)),
        Series::line("appendix D, mu_k", 6, Line::Solid, line(|eta| theory(eta).slides)),
        Series::line("S to PR as printed, mu_s", 3, Line::Dashed, text),
        Series::marks("ours", 0, Symbol::Diamond, both(borders)),
        Series::marks("reference", 6, Symbol::Cross, both(&REFERENCE)),
    ]
}
