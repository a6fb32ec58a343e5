//! Text for a terminal: characters that would do something there instead of being seen are written out.
//!
//! Titles and names come from files that someone else may have made. ESC begins commands to the terminal (colours, the
//! window's title, on some the clipboard), BEL rings, and marks of direction show letters in another order than they have.
//! `stickslip` sends all it prints through `visible`; excerpts of files in errors come through it, too.

use std::borrow::Cow;

/// The text with control characters (but for line ends and tabs) and marks of direction as `\u001b`: as TOML and JSON write
/// them.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            shown.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Whether a terminal would act on it: C0 and C1 controls, separators of lines, marks and overrides of direction.
fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_written_out() {
        assert_eq!(visible("\x1b[31mred\x07"), "\\u001b[31mred\\u0007");
        assert_eq!(visible("\u{9b}31m \u{7f} \r\0"), "\\u009b31m \\u007f \\u000d\\u0000");
        assert_eq!(visible("a\u{202e}b\u{2066}c\u{200f}"), "a\\u202eb\\u2066c\\u200f");
        for plain in ["", "two\nlines\twith a tab\n", "Körner µ 粒子 \u{1f600} \u{2500}"] {
            assert!(matches!(visible(plain), Cow::Borrowed(same) if same == plain), "{plain}");
        }
    }
}
