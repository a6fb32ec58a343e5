//! What a picture is read by: the colour bar with its numbers, and a bar of length. Drawn over the pixels of `picture.rs`.

use glam::Vec2;
use stickslip::math;

use super::font;
use super::picture::{HEIGHT, WIDTH, viridis};

/// The ends of the colour bar.
pub struct Range {
    /// Value at the lower end.
    pub low: f64,
    /// Value at the upper end.
    pub high: f64,
    /// Whether some values lie above.
    pub beyond: bool,
}

impl Range {
    /// Where a value lies between the ends, in [0, 1].
    pub fn share(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// A number of the bar: as many decimals as tell its ticks apart.
    pub fn text(&self, value: f64) -> String {
        if value == 0.0 {
            return "0".into();
        }
        let largest = self.low.abs().max(self.high.abs());
        if !(1e-3..1e5).contains(&largest) {
            return format!("{value:.2e}");
        }
        // No more than seven digits fit beside the bar; a range so narrow that they do not tell its ticks apart has one colour.
        let most = (6.0 - math::log10(largest).floor()).clamp(0.0, 6.0);
        let decimals = (2.0 - math::log10(self.high - self.low).floor()).clamp(0.0, most) as usize;
        format!("{value:.decimals$}")
    }
}

const BAR: [usize; 4] = [1070, 1092, 150, 650];

/// Size of the letters.
const UNIT: f32 = 1.75;

/// Where the label of the bar begins: over its middle, unless the edge of the picture is in the way.
fn label_start(label: &str) -> f32 {
    let width = font::width(label, UNIT);
    (0.5 * (BAR[0] + BAR[1]) as f32 - 0.5 * width).min(WIDTH as f32 - 12.0 - width)
}

/// The colour bar with its label and numbers.
pub fn draw_bar(pixels: &mut [[u8; 3]], range: &Range, label: &str) {
    let [left, right, top, bottom] = BAR;
    let start = label_start(label);
    let panel = (left - 40).min((start - 12.0).max(0.0) as usize);
    // A stray sphere behind the bar must not be read as part of it.
    for y in top - 50..bottom + 20 {
        for pixel in &mut pixels[y * WIDTH + panel..(y + 1) * WIDTH - 8] {
            *pixel = pixel.map(|byte| ((u16::from(byte) + 4 * 240) / 5) as u8);
        }
    }
    for y in top..bottom {
        let colour = viridis((bottom - 1 - y) as f64 / (bottom - 1 - top) as f64).map(|c| c as u8);
        pixels[y * WIDTH + left..y * WIDTH + right].fill(colour);
    }
    let unit = UNIT;
    let mut ink = Vec::new();
    for tick in 0..=4 {
        let share = f64::from(tick) / 4.0;
        let y = bottom as f32 - share as f32 * (bottom - top) as f32;
        let more = if tick == 4 && range.beyond { "+" } else { "" };
        let text = range.text(range.low + share * (range.high - range.low)) + more;
        ink.push([(right as f32 + 2.0, y), (right as f32 + 7.0, y)]);
        ink.extend(font::segments(&text, right as f32 + 14.0, y + 4.0 * unit, unit));
    }
    ink.extend(font::segments(label, start, top as f32 - 22.0, unit));
    draw_ink(pixels, &ink, 0.85);
}

/// A round length beneath the scene, from `left` on, where a pixel is so many metres.
pub fn draw_length(pixels: &mut [[u8; 3]], left: f32, per_pixel: f64) {
    let length = round_below(LONGEST_BAR * per_pixel);
    if !(length > 0.0 && length.is_finite()) {
        return;
    }
    let y = HEIGHT as f32 - 30.0;
    let right = left + (length / per_pixel) as f32;
    let mut ink =
        vec![[(left, y), (right, y)], [(left, y - 5.0), (left, y + 5.0)], [(right, y - 5.0), (right, y + 5.0)]];
    ink.extend(font::segments(&length_text(length), right + 12.0, y + 7.0, 1.75));
    draw_ink(pixels, &ink, 0.85);
}

/// Pixels of the longest bar of length.
const LONGEST_BAR: f64 = 240.0;

/// The largest of 1, 2 and 5 times a power of ten that is not above a number.
fn round_below(most: f64) -> f64 {
    let decade = math::pow(10.0, math::log10(most).floor());
    [5.0, 2.0].into_iter().map(|step| step * decade).find(|&length| length <= most).unwrap_or(decade)
}

/// `0.02 m`; an exponent where zeros would be many.
fn length_text(length: f64) -> String {
    if (1e-4..1e5).contains(&length) {
        format!("{} m", (length * 1e6).round() / 1e6)
    } else {
        format!("{length:.0e} m")
    }
}

/// Draws strokes of a half width in pixels with smooth edges.
fn draw_ink(pixels: &mut [[u8; 3]], ink: &[font::Segment], half_width: f32) {
    let mut cover = vec![0.0_f32; pixels.len()];
    for [a, b] in ink.iter().map(|segment| segment.map(|(x, y)| Vec2::new(x, y))) {
        let reach = Vec2::splat(half_width + 1.0);
        let limit = Vec2::new(WIDTH as f32 - 1.0, HEIGHT as f32 - 1.0);
        let (low, high) = ((a.min(b) - reach).max(Vec2::ZERO), (a.max(b) + reach).clamp(Vec2::ZERO, limit));
        let along = b - a;
        for y in low.y as usize..=high.y as usize {
            for x in low.x as usize..=high.x as usize {
                let from = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - a;
                let share = (from.dot(along) / along.length_squared().max(1e-12)).clamp(0.0, 1.0);
                let distance = (from - along * share).length();
                let pixel = &mut cover[y * WIDTH + x];
                *pixel = pixel.max((half_width + 0.5 - distance).clamp(0.0, 1.0));
            }
        }
    }
    for (pixel, cover) in pixels.iter_mut().zip(cover) {
        *pixel = pixel.map(|byte| (f32::from(byte) * (1.0 - cover) + 40.0 * cover + 0.5) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_round() {
        let text = |most: f64| length_text(round_below(most));
        assert_eq!([0.043, 0.1999, 0.96e-3, 7e5, 3e-7].map(text), ["0.02 m", "0.1 m", "0.0005 m", "5e5 m", "2e-7 m"]);
    }

    /// A long label began left of the panel behind it, over the grains.
    #[test]
    fn the_panel_is_as_wide_as_the_label() {
        let label = "speed of the spheres (m/s)";
        let grey = 100;
        let mut pixels = vec![[grey; 3]; WIDTH * HEIGHT];
        draw_bar(&mut pixels, &Range { low: 0.0, high: 1.0, beyond: false }, label);
        let before = label_start(label) as usize - 4;
        assert!(before < BAR[0] - 40 && pixels[(BAR[2] - 30) * WIDTH + before][0] > grey);
    }

    #[test]
    fn numbers_of_the_bar_tell_its_ticks_apart() {
        let text = |low, high, value| Range { low, high, beyond: false }.text(value);
        assert_eq!(text(0.0, 0.4, 0.1), "0.100");
        assert_eq!(text(1.2, 1.2004, 1.2001), "1.200100");
        assert_eq!(text(0.0, 2e-9, 1e-9), "1.00e-9");
    }
}
