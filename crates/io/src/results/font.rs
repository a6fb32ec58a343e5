//! A small stroke font for the numbers and labels in a picture: lower-case letters, digits and a few signs.
//!
//! A glyph is a list of strokes, each `l` (straight) or `s` (a smooth curve through its points) and pairs of digits:
//! x, then y + 2, so that `2` is the base line, `7` the height of an x and `a` that of a digit. Other characters leave a
//! gap.

/// The glyph of a character: its width and strokes.
fn glyph(character: char) -> (f32, &'static str) {
    match character {
        '0' => (4.0, "s2a08042244482a"),
        '1' => (3.0, "l183a32"),
        '2' => (4.0, "s081a3a483602 l0242"),
        '3' => (4.0, "s092a4826 s26442203"),
        '4' => (4.0, "l323a0545"),
        '5' => (4.0, "l4a0a06 s062745442203"),
        '6' => (4.0, "s492a0704224445270504"),
        '7' => (4.0, "l0a4a12"),
        '8' => (4.0, "s26082a4826 s2604224426"),
        '9' => (4.0, "s032245482a08072547"),
        '.' => (0.0, "l0202"),
        '-' => (3.0, "l0535"),
        '+' => (4.0, "l0545 l2723"),
        '/' => (3.0, "l013a"),
        '(' => (2.0, "s2b080420"),
        ')' => (2.0, "s0b282400"),
        'a' => (4.0, "s45270504224344 l4742"),
        'b' => (4.0, "l0a02 s052745442204"),
        'c' => (4.0, "s462705042243"),
        'd' => (4.0, "l4a42 s452705042244"),
        'e' => (4.0, "l0545 s452705042243"),
        'f' => (3.0, "s3a1917 l1712 l0737"),
        'g' => (4.0, "s452705042244 l4742 s422001"),
        'h' => (4.0, "l0a02 s052745 l4542"),
        'i' => (0.0, "l0702 l0909"),
        'j' => (1.0, "l1712 s121100 l1919"),
        'k' => (4.0, "l0a02 l4704 l1542"),
        'l' => (0.0, "l0a02"),
        'm' => (6.0, "l0702 s052735 l3532 s355765 l6562"),
        'n' => (4.0, "l0702 s052745 l4542"),
        'o' => (4.0, "s27050422444527"),
        'p' => (4.0, "l0700 s052745442204"),
        'q' => (4.0, "l4740 s452705042244"),
        'r' => (3.0, "l0702 s051737"),
        's' => (3.0, "s361706342203"),
        't' => (3.0, "l1913 s132232 l0737"),
        'u' => (4.0, "l0704 s042244 l4742"),
        'v' => (4.0, "l072247"),
        'w' => (6.0, "l0712375267"),
        'x' => (4.0, "l0742 l4702"),
        'y' => (4.0, "l0722 l4710"),
        'z' => (4.0, "l07470242"),
        _ => (3.0, ""),
    }
}

/// Space between glyphs, in the units of the grid.
const GAP: f32 = 2.0;

/// A straight piece of ink, in pixels.
pub type Segment = [(f32, f32); 2];

/// Width of a text in pixels; `unit` pixels to a unit of the grid (a digit is 8 units high).
pub fn width(text: &str, unit: f32) -> f32 {
    (text.chars().map(|c| glyph(c).0 + GAP).sum::<f32>() - GAP).max(0.0) * unit
}

/// The ink of a text whose base line starts at (x, y); y points down.
pub fn segments(text: &str, x: f32, y: f32, unit: f32) -> Vec<Segment> {
    let mut ink = Vec::new();
    let mut left = x;
    for character in text.chars() {
        let (advance, strokes) = glyph(character);
        for stroke in strokes.split(' ').filter(|stroke| !stroke.is_empty()) {
            let digits: Vec<f32> = stroke[1..].chars().filter_map(|c| c.to_digit(36)).map(|d| d as f32).collect();
            let points: Vec<(f32, f32)> =
                digits.chunks_exact(2).map(|p| (left + p[0] * unit, y - (p[1] - 2.0) * unit)).collect();
            let points = if stroke.starts_with('s') { smooth(&points) } else { points };
            ink.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
        }
        left += (advance + GAP) * unit;
    }
    ink
}

/// Points along the Catmull-Rom curve through the given ones; it closes if the last is the first.
fn smooth(points: &[(f32, f32)]) -> Vec<(f32, f32)> {
    const PIECES: usize = 8;
    let count = points.len();
    let closed = points.first() == points.last();
    let point = |i: isize| {
        let last = count as isize - 1;
        points[if closed { i.rem_euclid(last) } else { i.clamp(0, last) } as usize]
    };
    let mut curve = vec![points[0]];
    for i in 0..count as isize - 1 {
        let (p0, p1, p2, p3) = (point(i - 1), point(i), point(i + 1), point(i + 2));
        for piece in 1..=PIECES {
            let t = piece as f32 / PIECES as f32;
            let blend = |a: f32, b: f32, c: f32, d: f32| {
                b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
            };
            curve.push((blend(p0.0, p1.0, p2.0, p3.0), blend(p0.1, p1.1, p2.1, p3.1)));
        }
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_has_ink_within_its_box() {
        for character in "0123456789.-+/()abcdefghijklmnopqrstuvwxyz".chars() {
            let text = character.to_string();
            let ink = segments(&text, 0.0, 0.0, 1.0);
            assert!(!ink.is_empty(), "{text}");
            let inside = |&(x, y): &(f32, f32)| x > -0.8 && x < width(&text, 1.0) + 0.8 && y < 2.5 && y > -9.5;
            assert!(ink.iter().flatten().all(inside), "{text}: {ink:?}");
        }
        assert!(segments(" ", 0.0, 0.0, 1.0).is_empty());
    }
}
