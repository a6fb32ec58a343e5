//! Fig. 13: the critical mass over the rolling coefficient, one curve a gap, with the authors' curve at 0.3 R.

use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Point, Series, Symbol};

use super::stack::{Critical, GAP, GAPS, reference};

/// All gaps on the left, the compared one on the right.
pub fn figure(found: &[Critical]) -> Multiples {
    let of = |gap: f64, value: fn(&Critical) -> f64| -> Vec<Point> {
        let rows = found.iter().filter(|one| one.gap == gap);
        rows.map(|one| Point { x: one.eta, y: value(one), error: 0.0 }).collect()
    };
    let curve = |name: &str, colour, symbol, line, points| Series { name: name.into(), colour, symbol, line, points };
    let every = GAPS.iter().enumerate().map(|(colour, &gap)| {
        curve(&format!("gap {gap} R"), colour, Symbol::None, Line::Solid, of(gap, |one| one.mass))
    });
    let authors =
        || Series::marks("the authors, 0.3 R", 6, Symbol::Cross, reference().iter().map(|row| (row.0, row.1)));
    let compared = vec![
        curve("gap 0.3 R", 2, Symbol::None, Line::Solid, of(GAP, |one| one.mass)),
        curve("the same, reciprocal form", 1, Symbol::None, Line::Dashed, of(GAP, |one| one.reciprocal)),
        authors(),
    ];
    let plot = |title: &str, x_range, series: Vec<Series>| Plot {
        title: title.into(),
        x: Axis::linear("eta_r"),
        y: Axis::linear("critical mass (kg)"),
        x_range: Some(x_range),
        y_range: None,
        levels: Vec::new(),
        series,
    };
    let plots = vec![
        plot("five gaps", (0.14, 0.61), every.chain([authors()]).collect()),
        plot("gap 0.3 R", (0.14, 0.41), compared),
    ];
    Multiples {
        title: "Three spheres: the mass that collapses the stack (Fang and Negrut 2020, Fig. 13)".into(),
        columns: 2,
        plots,
    }
}
