//! Several plots in one picture, in rows and columns, as papers have them: symbols with error bars, lines, dashed levels with
//! names, one legend for all. In the style of `figure.rs`, with its colours, axes and ticks, light and dark.
//!
//! Every plot has axes of its own; a range that is given is kept, so that plots of a row can share one. Points outside
//! their axes are left out. It does not do maps of colour or a scale on the right.

use super::figure::{Axis, STYLE, Scale, class, text_width, x_axis, y_axis};
use super::file::escape;

/// Plots in rows and columns.
#[derive(Clone, Debug)]
pub struct Multiples {
    /// Said above all.
    pub title: String,
    /// How many plots stand side by side.
    pub columns: usize,
    /// From the left, row by row.
    pub plots: Vec<Plot>,
}

/// One plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Said above it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The ends of the horizontal axis; those of the data if absent.
    pub x_range: Option<(f64, f64)>,
    /// The ends of the vertical axis; those of the data and levels if absent.
    pub y_range: Option<(f64, f64)>,
    /// Dashed horizontal lines, with a name each.
    pub levels: Vec<(f64, String)>,
    /// What is plotted.
    pub series: Vec<Series>,
}

/// One set of points.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend. Series of one name, colour and form stand there once; one without a name does not.
    pub name: String,
    /// Which colour, from 0.
    pub colour: usize,
    /// How points are marked.
    pub symbol: Symbol,
    /// How points are joined.
    pub line: Line,
    /// The points in order; one that is not finite breaks the line.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Horizontal.
    pub x: f64,
    /// Vertical.
    pub y: f64,
    /// Half the height of the error bar; none if zero.
    pub error: f64,
}

/// How points are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// Not at all.
    None,
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Up,
    /// A triangle that points down.
    Down,
    /// A diamond.
    Diamond,
    /// A cross.
    Cross,
}

/// How points are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Not at all.
    None,
    /// A line.
    Solid,
    /// A dashed line.
    Dashed,
}

impl Series {
    /// A line without symbols.
    pub fn line(name: &str, colour: usize, line: Line, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().map(|(x, y)| Point { x, y, error: 0.0 }).collect();
        Series { name: name.into(), colour, symbol: Symbol::None, line, points }
    }

    /// Symbols without a line.
    pub fn marks(name: &str, colour: usize, symbol: Symbol, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Series { symbol, ..Series::line(name, colour, Line::None, points) }
    }

    /// Whether the legend cannot tell the two apart.
    fn same_sample(&self, other: &Series) -> bool {
        (&self.name, self.colour, self.symbol, self.line) == (&other.name, other.colour, other.symbol, other.line)
    }
}

const PLOT_WIDTH: f64 = 300.0;
const PLOT_HEIGHT: f64 = 260.0;
const LEFT: f64 = 80.0;
const GAP: f64 = 84.0;
const ABOVE: f64 = 30.0;
const BELOW: f64 = 58.0;
const RIGHT: f64 = 24.0;
/// Half the size of a symbol.
const SYMBOL: f64 = 4.0;

impl Multiples {
    /// The picture as an SVG document.
    pub fn to_svg(&self) -> String {
        let columns = self.columns.max(1);
        let rows = self.plots.len().div_ceil(columns);
        let width = LEFT + columns as f64 * PLOT_WIDTH + (columns - 1) as f64 * GAP + RIGHT;
        let (legend, legend_height) = self.legend(width);
        let first = 34.0 + legend_height;
        let height = first + rows as f64 * (ABOVE + PLOT_HEIGHT + BELOW);
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg class=\"fig\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">{STYLE}\n\
             <text class=\"title\" x=\"{LEFT}\" y=\"24\">{title}</text>\n{legend}"
        );
        for (index, plot) in self.plots.iter().enumerate() {
            let left = LEFT + (index % columns) as f64 * (PLOT_WIDTH + GAP);
            let top = first + (index / columns) as f64 * (ABOVE + PLOT_HEIGHT + BELOW) + ABOVE;
            svg += &plot.draw(left, top);
        }
        svg + "</svg>\n"
    }

    /// Samples and names in rows that wrap, and their height.
    fn legend(&self, width: f64) -> (String, f64) {
        let mut kinds: Vec<&Series> = Vec::new();
        for series in self.plots.iter().flat_map(|plot| &plot.series) {
            if !series.name.is_empty() && !kinds.iter().any(|kind| kind.same_sample(series)) {
                kinds.push(series);
            }
        }
        let (mut x, mut y, mut svg) = (LEFT, 44.0, String::new());
        for series in &kinds {
            let wide = 34.0 + text_width(&series.name) + 14.0;
            if x > LEFT && x + wide > width {
                (x, y) = (LEFT, y + 20.0);
            }
            if series.line != Line::None {
                svg += &stroke(series, &format!("M{x:.1} {:.1}h24", y - 4.5));
            }
            svg += &mark(series, x + 12.0, y - 4.5);
            svg += &format!("<text x=\"{:.1}\" y=\"{y:.1}\">{}</text>\n", x + 30.0, escape(&series.name));
            x += wide;
        }
        (svg, if kinds.is_empty() { 0.0 } else { y - 44.0 + 22.0 })
    }
}

impl Plot {
    fn draw(&self, left: f64, top: f64) -> String {
        let (right, bottom) = (left + PLOT_WIDTH, top + PLOT_HEIGHT);
        let (x_scale, y_scale) = self.scales(left, right, top, bottom);
        let mut svg = format!("<text x=\"{left:.1}\" y=\"{:.1}\">{}</text>\n", top - 8.0, escape(&self.title));
        svg += &x_axis(&x_scale, &self.x.label, top, bottom);
        svg += &y_axis(&y_scale, &self.y.label, left, right, left - 56.0);
        svg += &format!(
            "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{PLOT_WIDTH}\" height=\"{PLOT_HEIGHT}\"/>\n"
        );
        for (value, name) in &self.levels {
            if let Some(y) = y_scale.within(*value) {
                svg += &format!("<path class=\"frame dash\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>");
                let (x, y) = (right - 4.0, y - 4.0);
                svg += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>\n", escape(name));
            }
        }
        for series in &self.series {
            svg += &draw_series(series, &x_scale, &y_scale);
        }
        svg
    }

    fn scales(&self, left: f64, right: f64, top: f64, bottom: f64) -> (Scale, Scale) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let shown = || points().filter(|p| self.x.shows(p.x) && self.y.shows(p.y));
        let ends = |range: Option<(f64, f64)>| range.into_iter().flat_map(|(low, high)| [low, high]);
        let xs = || shown().map(|p| p.x).filter(|_| self.x_range.is_none());
        let reach = |p: &Point| [p.y - p.error, p.y + p.error].map(|y| if self.y.shows(y) { y } else { p.y });
        let levels = self.levels.iter().map(|(value, _)| *value).filter(|value| self.y.shows(*value));
        let ys = shown().flat_map(reach).chain(levels).filter(|_| self.y_range.is_none());
        let x_scale = Scale::new(&self.x, ends(self.x_range).chain(xs()), left, right, false);
        let y_scale = Scale::new(&self.y, ends(self.y_range).chain(ys), bottom, top, true);
        (x_scale, y_scale)
    }
}

fn draw_series(series: &Series, x_scale: &Scale, y_scale: &Scale) -> String {
    let (mut path, mut marks, mut pen_down) = (String::new(), String::new(), false);
    for point in &series.points {
        let (Some(x), Some(y)) = (x_scale.within(point.x), y_scale.within(point.y)) else {
            pen_down = false;
            continue;
        };
        path += &format!("{}{x:.1} {y:.1}", if pen_down { 'L' } else { 'M' });
        pen_down = true;
        if point.error > 0.0 {
            let end = |value: f64| y_scale.within(value).unwrap_or(y);
            let (low, high) = (end(point.y - point.error), end(point.y + point.error));
            let cap = |y: f64| format!("M{:.1} {y:.1}h6", x - 3.0);
            let bar = format!("M{x:.1} {low:.1}V{high:.1}{}{}", cap(low), cap(high));
            marks += &format!("<path {} d=\"{bar}\" style=\"stroke-width:1.2\"/>\n", class(series.colour, false));
        }
        marks += &mark(series, x, y);
    }
    let line = if series.line == Line::None || path.is_empty() { String::new() } else { stroke(series, &path) };
    line + &marks
}

fn stroke(series: &Series, path: &str) -> String {
    let dash = if series.line == Line::Dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    format!("<path {}{dash} d=\"{path}\" style=\"stroke-width:1.6\"/>\n", class(series.colour, false))
}

/// The symbol of a series, about a point of the page.
fn mark(series: &Series, x: f64, y: f64) -> String {
    let s = SYMBOL;
    let path = match series.symbol {
        Symbol::None => return String::new(),
        Symbol::Circle => format!("M{:.1} {y:.1}a{s} {s} 0 1 0 {} 0a{s} {s} 0 1 0 {} 0z", x - s, 2.0 * s, -2.0 * s),
        Symbol::Square => format!("M{:.1} {:.1}h{w}v{w}h-{w}z", x - s, y - s, w = 2.0 * s),
        Symbol::Up => format!("M{x:.1} {:.1}l{s} {h}h-{w}z", y - s, h = 2.0 * s, w = 2.0 * s),
        Symbol::Down => format!("M{x:.1} {:.1}l{s} -{h}h-{w}z", y + s, h = 2.0 * s, w = 2.0 * s),
        Symbol::Diamond => format!("M{x:.1} {:.1}l{s} {s}l-{s} {s}l-{s} -{s}z", y - s),
        Symbol::Cross => format!("M{:.1} {:.1}l{w} {w}m0 -{w}l-{w} {w}", x - s, y - s, w = 2.0 * s),
    };
    format!("<path {} d=\"{path}\" style=\"stroke-width:1.8\"/>\n", class(series.colour, false))
}

#[cfg(test)]
mod tests {
    use super::super::testing::tags;
    use super::*;

    fn plot(series: Vec<Series>) -> Plot {
        Plot {
            title: "rolling <only>".into(),
            x: Axis::log("mu"),
            y: Axis::linear("Z"),
            x_range: Some((1e-3, 1.0)),
            y_range: Some((2.0, 6.0)),
            levels: vec![(4.0, "4".into()), (9.0, "not shown".into())],
            series,
        }
    }

    fn series(points: Vec<Point>) -> Series {
        Series { name: "ours".into(), colour: 1, symbol: Symbol::Circle, line: Line::Solid, points }
    }

    #[test]
    fn symbols_bars_and_lines_stand_where_the_axes_reach() {
        let at = |x, y, error| Point { x, y, error };
        let inside =
            vec![at(0.01, 5.0, 0.5), at(0.1, 4.0, 0.0), at(0.0, 3.0, 0.0), at(0.1, 7.0, 0.0), at(f64::NAN, 3.0, 0.0)];
        let svg = Multiples { title: "T".into(), columns: 2, plots: vec![plot(vec![series(inside)]), plot(vec![])] };
        let svg = svg.to_svg();
        tags(&svg);
        // Two points of five lie within; a sample in the legend makes three circles.
        assert_eq!(svg.matches("0a4 4 0 1 0 -8 0z").count(), 3, "{svg}");
        assert_eq!(svg.matches("stroke-width:1.2").count(), 1);
        assert_eq!((svg.matches(">ours<").count(), svg.matches("not shown").count()), (1, 0));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn plots_stand_in_rows_without_touching() {
        let six = Multiples { title: String::new(), columns: 4, plots: vec![plot(vec![]); 6] };
        let svg = six.to_svg();
        let number = |tag: &str, key: &str| -> f64 {
            tag.split(&format!("{key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let frames: Vec<(f64, f64)> = tags(&svg)
            .into_iter()
            .filter(|(tag, _)| tag.starts_with("rect"))
            .map(|(tag, _)| (number(&tag, " x"), number(&tag, " y")))
            .collect();
        assert_eq!(frames.len(), 6);
        assert_eq!(frames[0].1, frames[3].1);
        assert!(frames[4].1 > frames[0].1 + PLOT_HEIGHT + BELOW && frames[4].0 == frames[0].0);
        assert!(frames[1].0 > frames[0].0 + PLOT_WIDTH);
    }
}
