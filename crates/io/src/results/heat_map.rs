//! Heat maps as SVG: a value as the colour of a cell, over the values of two quantities. In the style of `figure.rs`, light
//! and dark; the colours are viridis, which is even for the eye and for any colour vision.
//!
//! Cells have one size, whatever the distances of the values: a sweep steps in ratios as often as in differences, and a value
//! may be a word. The number stands in its cell where it fits.

use stickslip::math;

use super::figure::{STYLE, WIDTH, text_width};
use super::file::{escape, short_number};
use super::picture::viridis;

/// A map.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// Said above.
    pub title: String,
    /// The horizontal quantity, and its values from the left.
    pub x: (String, Vec<String>),
    /// The vertical quantity, and its values from below.
    pub y: (String, Vec<String>),
    /// What the colours mean, with its unit.
    pub label: String,
    /// Rows from below; what is not finite is left blank.
    pub values: Vec<Vec<f64>>,
    /// Colours by the logarithm.
    pub log: bool,
}

const TOP: f64 = 44.0;
const BELOW: f64 = 58.0;
/// What stands beside the cells on the right: a gap, the colour bar, its numbers, its label.
const RIGHT: f64 = 128.0;
const BAR: f64 = 16.0;
/// Steps of the colour bar, and numbers beside it.
const STEPS: usize = 64;
const TICKS: usize = 5;

/// Where the cells lie.
struct Grid {
    left: f64,
    cell: [f64; 2],
    bottom: f64,
}

impl HeatMap {
    /// The map as an SVG document.
    pub fn to_svg(&self) -> String {
        let (columns, rows) = (self.x.1.len().max(1) as f64, self.y.1.len().max(1) as f64);
        let left = (46.0 + self.y.1.iter().map(|text| text_width(text)).fold(0.0, f64::max)).min(0.4 * WIDTH);
        let height = (300.0 / rows).clamp(20.0, 54.0);
        let bottom = TOP + rows * height;
        let grid = Grid { left, cell: [(WIDTH - RIGHT - left) / columns, height], bottom };
        let (title, full) = (escape(&self.title), bottom.max(TOP + 120.0) + BELOW);
        let mut svg = format!(
            "<svg class=\"fig\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {full:.0}\" \
             width=\"{WIDTH}\" height=\"{full:.0}\" role=\"img\" aria-label=\"{title}\">{STYLE}\n\
             <text class=\"title\" x=\"{left:.1}\" y=\"24\">{title}</text>\n"
        );
        svg += &self.axes(&grid);
        let Some(range) = self.range() else {
            let (x, y) = (0.5 * (left + WIDTH - RIGHT), 0.5 * (TOP + bottom));
            return svg
                + &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">nothing to show</text>\n</svg>\n");
        };
        for (row, values) in self.values.iter().enumerate() {
            for (column, &value) in values.iter().enumerate().filter(|(_, value)| self.shows(**value)) {
                svg += &grid.draw(column, row, value, self.share(value, range));
            }
        }
        svg + &self.bar(range) + "</svg>\n"
    }

    fn shows(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    fn place(&self, value: f64) -> f64 {
        if self.log { math::log10(value) } else { value }
    }

    /// Least and greatest value as they are placed; `None` if there are no values.
    fn range(&self) -> Option<[f64; 2]> {
        let values = self.values.iter().flatten().filter(|value| self.shows(**value)).map(|value| self.place(*value));
        values.fold(None, |range, value| {
            let [low, high] = range.unwrap_or([value, value]);
            Some([low.min(value), high.max(value)])
        })
    }

    fn share(&self, value: f64, [low, high]: [f64; 2]) -> f64 {
        if high > low { ((self.place(value) - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 }
    }

    /// The values of both quantities along the sides, as many as there is room for.
    fn axes(&self, grid: &Grid) -> String {
        let Grid { left, cell: [width, height], bottom } = *grid;
        let widest = self.x.1.iter().map(|text| text_width(text)).fold(0.0, f64::max) + 8.0;
        let every = (widest / width).ceil().max(1.0) as usize;
        let mut svg = String::new();
        for (column, text) in self.x.1.iter().enumerate().step_by(every) {
            let (x, y) = (left + width * (column as f64 + 0.5), bottom + 18.0);
            svg += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>\n", escape(text));
        }
        for (row, text) in self.y.1.iter().enumerate() {
            let (x, y) = (left - 7.0, bottom - height * (row as f64 + 0.5) + 4.5);
            svg += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>\n", escape(text));
        }
        let (x, y) = (0.5 * (left + WIDTH - RIGHT), bottom + 42.0);
        svg += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>\n", escape(&self.x.0));
        svg + &upright(&self.y.0, 20.0, 0.5 * (TOP + bottom))
    }

    /// The colour bar with its numbers and its label.
    fn bar(&self, [low, high]: [f64; 2]) -> String {
        let (left, height) = (WIDTH - RIGHT + 16.0, (self.y.1.len() as f64 * 54.0).clamp(120.0, 300.0));
        let bottom = TOP + height;
        let mut svg = String::new();
        for step in 0..STEPS {
            let (share, each) = ((step as f64 + 0.5) / STEPS as f64, height / STEPS as f64);
            let y = bottom - each * (step + 1) as f64;
            let colour = colour(share);
            // A little higher than its share: else the paper shines through the seams.
            svg += &format!(
                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{BAR}\" height=\"{:.1}\" fill=\"{colour}\"/>",
                each + 0.6
            );
        }
        let ticks = if high > low { TICKS } else { 1 };
        for tick in 0..ticks {
            let share = if ticks > 1 { tick as f64 / (ticks - 1) as f64 } else { 0.5 };
            let placed = low + share * (high - low);
            let value = if self.log { math::pow(10.0, placed) } else { placed };
            let (x, y) = (left + BAR + 6.0, bottom - share * height + 4.5);
            svg += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n", short_number(value, 3));
        }
        svg + &upright(&self.label, WIDTH - 8.0, 0.5 * (TOP + bottom))
    }
}

impl Grid {
    fn draw(&self, column: usize, row: usize, value: f64, share: f64) -> String {
        let [width, height] = self.cell;
        let (x, y) = (self.left + width * column as f64, self.bottom - height * (row + 1) as f64);
        let mut svg = format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            colour(share)
        );
        let text = short_number(value, 4);
        if text_width(&text) + 6.0 < width {
            let (x, y) = (x + 0.5 * width, y + 0.5 * height + 4.5);
            // Viridis is dark below and light above its middle, by day and by night.
            let ink = if share < 0.6 { "#fff" } else { "#111" };
            svg +=
                &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" style=\"fill:{ink}\">{text}</text>");
        }
        svg + "\n"
    }
}

fn upright(label: &str, x: f64, y: f64) -> String {
    let label = escape(label);
    format!("<text transform=\"translate({x} {y:.1}) rotate(-90)\" text-anchor=\"middle\">{label}</text>\n")
}

fn colour(share: f64) -> String {
    let [red, green, blue] = viridis(share).map(|part| part.round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::super::testing::tags;
    use super::*;

    fn map(values: Vec<Vec<f64>>, log: bool) -> HeatMap {
        let names = |count: usize| (0..count).map(|i| format!("0.{i}")).collect();
        let (columns, rows) = (values.first().map_or(0, Vec::len), values.len());
        HeatMap {
            title: "a < b".into(),
            x: ("mu".into(), names(columns)),
            y: ("step (s)".into(), names(rows)),
            label: "energy (J)".into(),
            values,
            log,
        }
    }

    #[test]
    fn a_map_is_sound_for_any_data() {
        let wild = vec![vec![f64::NAN, 1e-30, 0.0], vec![1e30, f64::INFINITY, -3.0]];
        for values in [vec![], vec![vec![]], vec![vec![1.0]], wild, vec![vec![2.0; 300]; 90]] {
            for log in [false, true] {
                let svg = map(values.clone(), log).to_svg();
                tags(&svg);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn the_least_is_dark_the_greatest_light_and_the_missing_blank() {
        let svg = map(vec![vec![1.0, 3.0], vec![f64::NAN, 2.0]], false).to_svg();
        let cells: Vec<&str> = svg.lines().filter(|line| line.starts_with("<rect") && line.contains("<text")).collect();
        assert_eq!(cells.len(), 4 - 1 + 1, "three cells, and the bar with its first number: {cells:?}");
        let shows = |value: &str, share: f64| {
            cells.iter().any(|cell| cell.contains(&format!(">{value}</text>")) && cell.contains(&colour(share)))
        };
        assert!(shows("1", 0.0) && shows("2", 0.5) && shows("3", 1.0), "{cells:?}");
    }
}
