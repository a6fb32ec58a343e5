//! Stacked bars as SVG, one below the other: how several totals are made up of the same parts. In the style of `figure.rs`,
//! light and dark, with its colours, its axis and its legend. Parts that are not positive are left out.

use super::figure::{Axis, Curve, Legend, STYLE, Scale, WIDTH, class, legend, text_width, x_axis};
use super::file::escape;

/// Bars made of parts.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Said above.
    pub title: String,
    /// What is measured, with its unit.
    pub x: Axis,
    /// The names of the parts, from the left.
    pub parts: Vec<String>,
    /// A name, and the size of each part.
    pub bars: Vec<(String, Vec<f64>)>,
}

const BAR: f64 = 26.0;
const PITCH: f64 = 40.0;
const BELOW: f64 = 58.0;
/// Characters of a bar's name that are shown.
const LONGEST_NAME: usize = 26;

impl Bars {
    /// The bars as an SVG document.
    pub fn to_svg(&self) -> String {
        let samples: Vec<Curve> = self.parts.iter().map(|part| Curve::line(part, [])).collect();
        let Legend { svg: legend, height } = legend(&samples);
        let top = 36.0 + height;
        let bottom = top + PITCH * self.bars.len() as f64 + 6.0;
        let names: Vec<String> = self.bars.iter().map(|(name, _)| shortened(name)).collect();
        let left = 24.0 + names.iter().map(|name| text_width(name)).fold(60.0, f64::max);
        let total = |parts: &[f64]| parts.iter().filter(|part| **part > 0.0).sum::<f64>();
        let ends = self.bars.iter().map(|(_, parts)| 1.04 * total(parts));
        let scale = Scale::new(&self.x, std::iter::once(0.0).chain(ends), left, WIDTH - 30.0, false);
        let (title, full) = (escape(&self.title), bottom + BELOW);
        let mut svg = format!(
            "<svg class=\"fig\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {full:.0}\" \
             width=\"{WIDTH}\" height=\"{full:.0}\" role=\"img\" aria-label=\"{title}\">{STYLE}\n\
             <text class=\"title\" x=\"24\" y=\"24\">{title}</text>\n{legend}"
        );
        svg += &x_axis(&scale, &self.x.label, top, bottom);
        for (index, (name, (_, parts))) in names.iter().zip(&self.bars).enumerate() {
            let y = top + PITCH * (index as f64 + 0.5) + 3.0;
            svg += &format!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">", left - 9.0, y + 4.5);
            svg += &format!("{}</text>\n", escape(name));
            svg += &bar(parts, y, &scale);
        }
        svg + &format!("<path class=\"frame\" d=\"M{left:.1} {top:.1}V{bottom:.1}H{:.1}\"/>\n</svg>\n", WIDTH - 30.0)
    }
}

/// The parts of one bar as thick strokes, so that they have the colours of curves.
fn bar(parts: &[f64], y: f64, scale: &Scale) -> String {
    let mut svg = String::new();
    let mut sum = 0.0;
    for (index, &part) in parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
        let (from, to) = (scale.at(sum), scale.at(sum + part));
        let class = class(index, false);
        svg += &format!("<path {class} style=\"stroke-width:{BAR}\" d=\"M{from:.1} {y:.1}H{to:.1}\"/>\n");
        sum += part;
    }
    svg
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::tags;
    use super::*;

    #[test]
    fn parts_stand_end_to_end_and_negative_ones_nowhere() {
        let bars = Bars {
            title: "Lost <by> motion".into(),
            x: Axis::linear("energy (J)"),
            parts: vec!["slide".into(), "roll".into(), "spin".into()],
            bars: vec![("a".into(), vec![1.0, 2.0, -0.5]), ("b".repeat(60), vec![0.0, 0.0, 0.0])],
        };
        let svg = bars.to_svg();
        tags(&svg);
        let strokes: Vec<Vec<f64>> = svg
            .split("d=\"M")
            .skip(4)
            .map(|part| part.split('"').next().unwrap().split([' ', 'H', 'V']).map(|n| n.parse().unwrap()).collect())
            .collect();
        // Slide, then roll where slide ends and twice as long; then the frame.
        assert_eq!(strokes.len(), 3, "{svg}");
        assert_eq!(strokes[0][2], strokes[1][0]);
        let length = |stroke: &[f64]| stroke[2] - stroke[0];
        assert!((length(&strokes[1]) / length(&strokes[0]) - 2.0).abs() < 0.01, "{strokes:?}");
        assert!(!svg.contains("NaN") && svg.contains('…'));
    }
}
