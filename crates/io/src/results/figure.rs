//! Line plots as SVG: axes with round ticks, units, a legend, linear or logarithmic scales, light and dark.
//!
//! One file of text, no scripts, no fonts and nothing from the network. The colours are those of Okabe and Ito, which
//! people with any colour vision can tell apart, with dashes once they are used up. The legend stands above the plot
//! and wraps, and ticks are chosen by the width of their labels, so that no text lies on another. Bars are in `bars.rs`,
//! maps in `heat_map.rs`, symbols, error bars and several plots side by side in `multiples.rs`; three dimensions it does not do.

use stickslip::math;

use super::file::{escape, short_number};

/// A plot.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Said above the plot.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// A second scale on the right: its label, and its value for 1 on the left.
    pub right: Option<(String, f64)>,
    /// What is plotted.
    pub curves: Vec<Curve>,
}

/// One axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// Quantity and unit, as `time (s)`.
    pub label: String,
    /// Logarithmic: values that are not positive are left out.
    pub log: bool,
}

/// One line, or a cloud of points.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// The points in order; one that is not finite breaks the line.
    pub points: Vec<(f64, f64)>,
    /// Dots instead of a line.
    pub dots: bool,
}

pub(super) const WIDTH: f64 = 720.0;
const PLOT_HEIGHT: f64 = 290.0;
const LEFT: f64 = 86.0;
const BELOW: f64 = 58.0;
pub(super) const TEXT_SIZE: f64 = 13.0;
const COLOURS: usize = 7;

pub(super) const STYLE: &str = "<style>\
.fig{font:13px system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;background:#fff}\
.fig text{fill:#222}.fig .title{font-size:15px;font-weight:600}.fig .grid{stroke:#e4e6ea}.fig .frame{stroke:#555;fill:none}\
.fig .curve{fill:none;stroke-width:2;stroke-linejoin:round}.fig .dash{stroke-dasharray:7 4}\
.fig .c0{stroke:#0072b2}.fig .c1{stroke:#d55e00}.fig .c2{stroke:#009e73}.fig .c3{stroke:#b0559a}.fig .c4{stroke:#e69f00}\
.fig .c5{stroke:#56b4e9}.fig .c6{stroke:#444}\
@media (prefers-color-scheme:dark){.fig{background:#16191d}.fig text{fill:#dde1e6}.fig .grid{stroke:#30353c}\
.fig .frame{stroke:#9aa2ac}.fig .c0{stroke:#4aa8e8}.fig .c1{stroke:#ff8a3d}.fig .c2{stroke:#2fd3a2}.fig .c3{stroke:#dd93c6}\
.fig .c4{stroke:#f5c04a}.fig .c5{stroke:#9bd7fb}.fig .c6{stroke:#c8ccd2}}</style>";

impl Axis {
    /// A linear axis.
    pub fn linear(label: &str) -> Self {
        Axis { label: label.into(), log: false }
    }

    /// A logarithmic axis.
    pub fn log(label: &str) -> Self {
        Axis { label: label.into(), log: true }
    }
}

impl Curve {
    /// A line.
    pub fn line(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Curve { name: name.into(), points: points.into_iter().collect(), dots: false }
    }
}

/// Least and greatest value at some places of a curve: x, low, high.
pub type Spread = Vec<(f64, f64, f64)>;

impl Figure {
    /// The plot as an SVG document.
    pub fn to_svg(&self) -> String {
        self.svg(&[], &[])
    }

    /// The same with the beginnings of stages: where they are on the horizontal axis, and their names.
    pub fn to_svg_with_stages(&self, stages: &[(f64, &str)]) -> String {
        self.svg(&[], stages)
    }

    /// The same with marks and bars from the least to the greatest value on the curves of the same numbers.
    pub fn to_svg_with(&self, spreads: &[Spread]) -> String {
        self.svg(spreads, &[])
    }

    fn svg(&self, spreads: &[Spread], stages: &[(f64, &str)]) -> String {
        let legend = legend(&self.curves);
        let top = 36.0 + legend.height;
        let height = top + PLOT_HEIGHT + BELOW;
        let right_margin = if self.right.is_some() { 78.0 } else { 30.0 };
        let (right, bottom) = (WIDTH - right_margin, top + PLOT_HEIGHT);
        let ends = || spreads.iter().flatten().flat_map(|&(x, low, high)| [(x, low), (x, high)]);
        let points = || self.curves.iter().flat_map(|curve| curve.points.iter().copied()).chain(ends());
        let shown = || points().filter(|&(x, y)| self.x.shows(x) && self.y.shows(y));
        let y_scale = Scale::new(&self.y, shown().map(|(_, y)| y), bottom, top, true);
        // Room for the axis label, the widest tick label and gaps.
        let left = LEFT.max(36.0 + y_scale.widest());
        let reached = points().map(|(x, _)| x).filter(|&x| self.x.shows(x));
        let x_scale = Scale::new(&self.x, reached, left, right, false);
        let mut svg = format!(
            "<svg class=\"fig\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
             width=\"{WIDTH}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">{STYLE}\n\
             <text class=\"title\" x=\"{left}\" y=\"24\">{title}</text>\n{}",
            legend.svg,
            title = escape(&self.title),
        );
        svg += &x_axis(&x_scale, &self.x.label, top, bottom);
        svg += &y_axis(&y_scale, &self.y.label, left, right, 20.0);
        if let Some((label, factor)) = &self.right {
            svg += &right_axis(&y_scale.times(*factor), label, right);
        }
        svg += &format!(
            "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{PLOT_HEIGHT}\"/>\n",
            right - left
        );
        if shown().next().is_none() {
            let (x, y) = (0.5 * (left + right), 0.5 * (top + bottom));
            svg += &format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">nothing to show</text>\n");
        }
        for (x, name) in stages.iter().filter_map(|&(x, name)| Some((x_scale.within(x)?, name))) {
            let (text_x, text_y) = (x + 4.0, top + 14.0);
            svg += &format!("<line class=\"frame dash\" x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>\n");
            svg += &format!("<text x=\"{text_x:.1}\" y=\"{text_y}\">{}</text>\n", escape(name));
        }
        for (index, curve) in self.curves.iter().enumerate() {
            svg += &draw_curve(curve, index, &x_scale, &y_scale);
            if let Some(spread) = spreads.get(index) {
                let marks = Curve { dots: true, ..curve.clone() };
                svg += &draw_curve(&marks, index, &x_scale, &y_scale);
                svg += &draw_spread(spread, index, &x_scale, &y_scale);
            }
        }
        svg + "</svg>\n"
    }
}

impl Axis {
    pub(super) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    /// Where a value lies before it is scaled to the page.
    fn place(&self, value: f64) -> f64 {
        if self.log { math::log10(value) } else { value }
    }
}

/// A map from values to the page, with its ticks.
pub(super) struct Scale {
    log: bool,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    ticks: Vec<f64>,
    /// Labels show the value divided by 10 to this power.
    power: i32,
}

impl Scale {
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, start: f64, end: f64, vertical: bool) -> Self {
        let (mut low, mut high) =
            values.map(|v| axis.place(v)).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A constant needs some room about it; a curve is kept off the frame above and below.
        if high - low <= 1e-12 * low.abs().max(high.abs()) {
            let room = if axis.log || low == 0.0 { 1.0 } else { 0.1 * low.abs() };
            (low, high) = (low - room, high + room);
        } else if vertical {
            let room = 0.04 * (high - low);
            (low, high) = (low - room, high + room);
        }
        let power = if axis.log { 0 } else { common_power(low.abs().max(high.abs())) };
        let mut scale = Scale { log: axis.log, low, high, start, end, ticks: Vec::new(), power };
        scale.choose_ticks(vertical);
        scale
    }

    /// As many ticks as their labels leave room for: a line each if vertical, else their own width and a gap.
    fn choose_ticks(&mut self, vertical: bool) {
        let length = (self.end - self.start).abs();
        for most in (2..=if vertical { 7 } else { 10 }).rev() {
            self.ticks = ticks(self.low, self.high, most, self.log);
            let need = if vertical { 2.0 * TEXT_SIZE } else { self.widest() + 1.5 * TEXT_SIZE };
            if self.ticks.len() as f64 * need <= length {
                return;
            }
        }
    }

    /// Width of the widest tick label.
    fn widest(&self) -> f64 {
        self.ticks.iter().map(|&tick| text_width(&self.label(tick))).fold(0.0, f64::max)
    }

    /// The same page seen with all values multiplied: for the scale on the right.
    fn times(&self, factor: f64) -> Scale {
        let (low, high) = (self.low * factor, self.high * factor);
        let power = common_power(low.abs().max(high.abs()));
        let mut scale = Scale { log: false, low, high, start: self.start, end: self.end, ticks: Vec::new(), power };
        scale.choose_ticks(true);
        scale
    }

    /// Position on the page of a value that `Axis::place` has placed.
    pub(super) fn at(&self, placed: f64) -> f64 {
        self.start + (placed - self.low) / (self.high - self.low) * (self.end - self.start)
    }

    /// Position on the page of a value; none if it does not lie between the ends.
    pub(super) fn within(&self, value: f64) -> Option<f64> {
        let axis = Axis { label: String::new(), log: self.log };
        let placed = axis.shows(value).then(|| axis.place(value))?;
        let room = 1e-9 * (self.high - self.low);
        (self.low - room..=self.high + room).contains(&placed).then(|| self.at(placed))
    }

    fn label(&self, tick: f64) -> String {
        if self.log {
            let whole = self.high - self.low >= DECADES;
            return if whole { power_of_ten(tick as i32) } else { short_number(math::pow(10.0, tick), 6) };
        }
        let step = if self.ticks.len() > 1 { self.ticks[1] - self.ticks[0] } else { self.high - self.low };
        let unit = math::pow(10.0, f64::from(self.power));
        let digits = (-math::log10(step / unit) - 1e-9).ceil().clamp(0.0, 9.0) as usize;
        let text = format!("{:.digits$}", tick / unit);
        if text.trim_start_matches('-').bytes().all(|b| b == b'0' || b == b'.') { "0".into() } else { text }
    }

    /// The axis label with the power of ten inside the brackets of its unit: `energy (10⁻⁶ J)`.
    fn axis_label(&self, label: &str) -> String {
        let label = escape(label);
        let power = power_of_ten(self.power);
        match label.rsplit_once('(') {
            _ if self.power == 0 => label,
            Some((quantity, unit)) => format!("{quantity}({power} {unit}"),
            None => format!("{label} ({power})"),
        }
    }
}

/// The power of ten by which labels are divided: none for numbers that are easy to read as they are.
fn common_power(largest: f64) -> i32 {
    if largest == 0.0 || (1e-2..1e5).contains(&largest) {
        return 0;
    }
    (math::log10(largest) / 3.0).floor() as i32 * 3
}

/// From how many decades on a logarithmic axis shows whole powers of ten only.
const DECADES: f64 = 2.0;

/// Round values between two ends: multiples of 1, 2 or 5 times a power of ten. If `log`, the ends and the values are
/// logarithms: of whole powers of ten over many decades, of 1, 2 and 5 times these over few, of any round value below.
fn ticks(low: f64, high: f64, most: usize, log: bool) -> Vec<f64> {
    let span = high - low;
    if log && span < DECADES {
        let within = |value: f64| (low..=high).contains(&value);
        let decades = low.floor() as i32..=high.floor() as i32;
        let few = decades.flat_map(|d| [1.0, 2.0, 5.0].map(|s| math::log10(s) + f64::from(d)));
        let few: Vec<f64> = few.filter(|&tick| within(tick)).collect();
        if (2..=most).contains(&few.len()) {
            return few;
        }
        return ticks(math::pow(10.0, low), math::pow(10.0, high), most, false).into_iter().map(math::log10).collect();
    }
    let rough = span / most as f64;
    let step = if log {
        [1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0].into_iter().find(|&s| s >= rough).unwrap_or(200.0)
    } else {
        let decade = math::pow(10.0, math::log10(rough).floor());
        [1.0, 2.0, 5.0].into_iter().map(|s| s * decade).find(|&s| s >= rough * (1.0 - 1e-9)).unwrap_or(10.0 * decade)
    };
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

fn power_of_ten(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let mut text = String::from(if power < 0 { "10⁻" } else { "10" });
    text.extend(power.unsigned_abs().to_string().bytes().map(|digit| DIGITS[usize::from(digit - b'0')]));
    text
}

/// Width of a text, estimated on the safe side for the fonts that may be used.
pub(super) fn text_width(text: &str) -> f64 {
    0.62 * TEXT_SIZE * text.chars().count() as f64
}

pub(super) fn x_axis(scale: &Scale, label: &str, top: f64, bottom: f64) -> String {
    let mut svg = String::new();
    for &tick in &scale.ticks {
        let x = scale.at(tick);
        svg += &format!(
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
            bottom + 18.0,
            scale.label(tick)
        );
    }
    let (x, y) = (0.5 * (scale.start + scale.end), bottom + 42.0);
    let label = scale.axis_label(label);
    svg + &format!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>\n")
}

pub(super) fn y_axis(scale: &Scale, label: &str, left: f64, right: f64, label_at: f64) -> String {
    let mut svg = String::new();
    for &tick in &scale.ticks {
        let y = scale.at(tick);
        svg += &format!(
            "<line class=\"grid\" x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            left - 7.0,
            y + 4.5,
            scale.label(tick)
        );
    }
    svg + &upright_label(label, scale, label_at)
}

fn right_axis(scale: &Scale, label: &str, right: f64) -> String {
    let mut svg = String::new();
    for &tick in &scale.ticks {
        let y = scale.at(tick);
        svg += &format!(
            "<line class=\"frame\" x1=\"{right}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            right - 5.0,
            right + 7.0,
            y + 4.5,
            scale.label(tick)
        );
    }
    svg + &upright_label(label, scale, WIDTH - 12.0)
}

fn upright_label(label: &str, scale: &Scale, x: f64) -> String {
    let y = 0.5 * (scale.start + scale.end);
    let label = scale.axis_label(label);
    format!("<text transform=\"translate({x} {y:.1}) rotate(-90)\" text-anchor=\"middle\">{label}</text>\n")
}

pub(super) struct Legend {
    pub svg: String,
    pub height: f64,
}

/// Samples and names in rows that wrap. A single curve needs none: the vertical axis names it.
pub(super) fn legend(curves: &[Curve]) -> Legend {
    if curves.len() < 2 {
        return Legend { svg: String::new(), height: 4.0 };
    }
    let (mut x, mut y) = (LEFT, 42.0);
    let mut svg = String::new();
    for (index, curve) in curves.iter().enumerate() {
        let width = 34.0 + text_width(&curve.name) + 14.0;
        if x > LEFT && x + width > WIDTH {
            (x, y) = (LEFT, y + 20.0);
        }
        let sample = if curve.dots { "h0.01" } else { "h24" };
        svg += &format!(
            "<path {} d=\"M{x:.1} {:.1}{sample}\"/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>\n",
            class(index, curve.dots),
            y - 4.5,
            x + 30.0,
            escape(&curve.name)
        );
        x += width;
    }
    Legend { svg, height: y - 42.0 + 22.0 }
}

pub(super) fn class(index: usize, dots: bool) -> String {
    let dash = if index >= COLOURS && !dots { " dash" } else { "" };
    let round = if dots { " style=\"stroke-width:5;stroke-linecap:round\"" } else { "" };
    format!("class=\"curve c{}{dash}\"{round}", index % COLOURS)
}

/// Position on the page of a value, if the scale shows it.
fn placed(scale: &Scale, value: f64) -> Option<f64> {
    let axis = Axis { label: String::new(), log: scale.log };
    axis.shows(value).then(|| scale.at(axis.place(value)))
}

fn draw_spread(spread: &Spread, index: usize, x_scale: &Scale, y_scale: &Scale) -> String {
    let mut path = String::new();
    for &(x, low, high) in spread.iter().filter(|(_, low, high)| low < high) {
        if let (Some(x), Some(low), Some(high)) = (placed(x_scale, x), placed(y_scale, low), placed(y_scale, high)) {
            let cap = |y: f64| format!("M{:.1} {y:.1}h8", x - 4.0);
            path += &format!("M{x:.1} {low:.1}V{high:.1}{}{}", cap(low), cap(high));
        }
    }
    let class = format!("class=\"curve c{}\" style=\"stroke-width:1.3\"", index % COLOURS);
    if path.is_empty() { path } else { format!("<path {class} d=\"{path}\"/>\n") }
}

fn draw_curve(curve: &Curve, index: usize, x_scale: &Scale, y_scale: &Scale) -> String {
    let mut path = String::new();
    let mut pen_down = false;
    for &(x, y) in &curve.points {
        let (Some(x), Some(y)) = (placed(x_scale, x), placed(y_scale, y)) else {
            pen_down = false;
            continue;
        };
        let command = if pen_down && !curve.dots { 'L' } else { 'M' };
        path += &format!("{command}{x:.1} {y:.1}");
        if curve.dots {
            path += "h0.01";
        }
        pen_down = true;
    }
    if path.is_empty() { path } else { format!("<path {} d=\"{path}\"/>\n", class(index, curve.dots)) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::tags;
    use super::*;

    fn texts(svg: &str) -> Vec<String> {
        tags(svg).into_iter().filter(|(tag, _)| tag.starts_with("text")).map(|(_, text)| text).collect()
    }

    fn figure(points: Vec<(f64, f64)>, log: bool) -> Figure {
        let y = Axis { label: "energy (J)".into(), log };
        let curves = vec![Curve::line("kinetic & more", points.clone()), Curve::line("stored", points)];
        Figure { title: "Energy <now>".into(), x: Axis::linear("time (s)"), y, right: None, curves }
    }

    #[test]
    fn a_plot_is_sound_for_any_data() {
        let wild = vec![(0.0, f64::NAN), (1.0, 1e-30), (2.0, 1e30), (3.0, f64::INFINITY), (4.0, -3.0), (5.0, 0.0)];
        let sets =
            [vec![], vec![(1.0, 1.0)], vec![(0.0, 0.0), (1.0, 0.0)], wild, vec![(0.0, 5e8), (1e-9, 5.0000001e8)]];
        for points in sets {
            for log in [false, true] {
                let svg = figure(points.clone(), log).to_svg();
                texts(&svg);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn ticks_are_round_and_lie_within() {
        assert_eq!(ticks(0.0, 1.0, 5, false).len(), 6);
        assert_eq!(ticks(-0.3, 9.7, 5, false), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(ticks(-14.2, 1.0, 6, true), [-12.0, -9.0, -6.0, -3.0, 0.0]);
        assert_eq!(ticks(-2.2, 1.0, 6, true), [-2.0, -1.0, 0.0, 1.0]);
        let values = |low, high| ticks(low, high, 6, true).into_iter().map(|t| short_number(math::pow(10.0, t), 6));
        assert_eq!(values(-1.4, 0.1).collect::<Vec<_>>(), ["0.05", "0.1", "0.2", "0.5", "1"]);
        assert_eq!(values(0.001, 0.004).collect::<Vec<_>>(), ["1.004", "1.006", "1.008"]);
    }

    #[test]
    fn labels_share_a_power_of_ten_that_the_axis_names() {
        let svg = figure(vec![(0.0, 0.0), (1.0, 3.2e-6)], false).to_svg();
        let texts = texts(&svg);
        assert!(texts.contains(&"energy (10⁻⁶ J)".to_owned()), "{texts:?}");
        assert!(texts.contains(&"3.0".to_owned()) || texts.contains(&"3".to_owned()), "{texts:?}");
        assert_eq!(power_of_ten(-12), "10⁻¹²");
    }

    #[test]
    fn a_break_in_the_data_breaks_the_line() {
        let svg = figure(vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 2.0)], false).to_svg();
        let path = svg.lines().rfind(|line| line.starts_with("<path")).unwrap();
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 2), "{path}");
    }

    #[test]
    fn bars_reach_from_the_least_to_the_greatest_and_set_the_scale() {
        let figure = figure(vec![(0.0, 1.0), (1.0, 2.0)], false);
        let svg = figure.to_svg_with(&[vec![(0.0, 1.0, 1.0), (1.0, -30.0, 40.0)]]);
        let bars = svg.lines().find(|line| line.contains("stroke-width:1.3")).unwrap();
        assert_eq!((bars.matches('V').count(), bars.matches("h8").count()), (1, 2), "{bars}");
        assert!(texts(&svg).contains(&"40".to_owned()), "{svg}");
        assert!(!figure.to_svg().contains("stroke-width:1.3"));
    }

    #[test]
    fn the_legend_wraps_before_the_edge() {
        let curves: Vec<Curve> = (0..9).map(|i| Curve::line(&format!("a rather long name {i}"), [])).collect();
        let legend = legend(&curves);
        assert!(legend.height > 60.0);
        for part in legend.svg.split("<text x=\"").skip(1) {
            let x: f64 = part.split('"').next().unwrap().parse().unwrap();
            assert!(x + text_width("a rather long name 0") < WIDTH);
        }
    }
}
