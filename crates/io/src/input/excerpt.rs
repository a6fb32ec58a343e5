//! The lines of a file that a message shows: the one that is wrong and its neighbours, each cut to a length that can be read.
//!
//! A line may have megabytes (a list inside a scene, a file without line ends): showing it whole takes minutes, and beyond
//! column 65535 the formatter of diagnostics panics. So an error keeps these few lines, not the file.

use std::ops::Range;

use crate::visible;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// The most bytes of a line that are shown before and after the place.
const AROUND: usize = 120;

/// Some lines of a file, and where in it they stand.
#[derive(Clone, Debug)]
pub(super) struct Excerpt {
    file: String,
    text: String,
    /// Number of the first line, from 0.
    first_line: usize,
    /// The line that is wrong, counted within the excerpt, and how many bytes were cut off before it.
    cut: (usize, usize),
    /// What is wrong, within the text.
    span: Range<usize>,
}

impl Excerpt {
    /// Around a place of a text, which is cut to its first line.
    pub fn new(file: &str, text: &str, line: usize, span: Range<usize>) -> Self {
        let line_start = text[..floor(text, span.start)].rfind('\n').map_or(0, |at| at + 1);
        let newline = text[line_start..].find('\n').map_or(text.len(), |at| line_start + at);
        let line_end = line_start + without_return(&text[line_start..newline]).len();
        let start = floor(text, span.start.clamp(line_start, line_end));
        let end = floor(text, span.end.clamp(start, line_end));
        let from = floor(text, start.saturating_sub(AROUND).max(line_start));
        let to = floor(text, end.min(start + AROUND).saturating_add(AROUND).min(line_end));
        let end = end.min(to);
        let before = line_start.checked_sub(1).map(|newline| {
            let start = text[..newline].rfind('\n').map_or(0, |at| at + 1);
            shown(without_return(&text[start..floor(text, newline.min(start + 2 * AROUND))]))
        });
        let after = text.get(newline + 1..).map(|rest| {
            let end = rest.find('\n').unwrap_or(rest.len());
            shown(without_return(&rest[..floor(rest, end.min(2 * AROUND))]))
        });
        let [left, here, right] = [from..start, start..end, end..to].map(|part| shown(&text[part]));
        let before_it = before.as_ref().map_or(0, |before| before.len() + 1);
        let span = before_it + left.len()..before_it + left.len() + here.len();
        // Characters that are written out take more room than they have in the file.
        let cut = (from - line_start).saturating_sub(left.len() - (start - from));
        let lines_before = usize::from(before.is_some());
        let first_line = line.saturating_sub(1 + lines_before);
        let lines = [before, Some([left, here, right].concat()), after].into_iter().flatten();
        let text = lines.collect::<Vec<_>>().join("\n");
        Excerpt { file: visible(file).into_owned(), text, first_line, cut: (lines_before, cut), span }
    }

    /// What is wrong, within the excerpt.
    pub fn span(&self) -> SourceSpan {
        self.span.clone().into()
    }
}

/// A part of a line as a terminal may have it.
fn shown(part: &str) -> String {
    visible(part).into_owned()
}

/// A line without the return that ends it in files of Windows.
fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// The nearest place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.text.read_span(span, before, after)?;
        let (line, cut) = self.cut;
        let column = found.column() + if found.line() == line { cut } else { 0 };
        let (data, at, lines) = (found.data(), *found.span(), found.line_count());
        let line = self.first_line + found.line();
        Ok(Box::new(MietteSpanContents::new_named(self.file.clone(), data, at, line, column, lines)))
    }
}

#[cfg(test)]
mod tests {
    use crate::input::Source;

    fn shown(text: &str, at: &str) -> String {
        let start = text.find(at).unwrap();
        let error = Source::new("a.toml", text).error(start..start + at.len(), "wrong".into());
        format!("{:?}", miette::Report::new(error))
    }

    #[test]
    fn a_place_far_along_a_line_is_shown_with_its_column() {
        // Beyond column 65535 the formatter panicked; before, megabytes were shown, which took half a minute.
        let long = format!("first\nx = {}HERE{}\nlast\n", "[".repeat(70_000), "]".repeat(3_000_000));
        let text = shown(&long, "HERE");
        assert!(text.len() < 3000, "{} bytes", text.len());
        for part in ["a.toml:2:70005]", "[[HERE]]", "first", "last"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn short_lines_are_shown_whole_and_counted_as_in_the_file() {
        let text = shown("one\ntwo\nthree = HERE # four\nfive\nsix\n", "HERE");
        for part in ["a.toml:3:9]", "2 │ two", "3 │ three = HERE # four", "4 │ five"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(!text.contains("one") && !text.contains("six"), "{text}");
    }

    #[test]
    fn what_a_terminal_acts_on_is_written_out() {
        // ESC in a line near the place coloured the terminal, and a line end of Windows moved its cursor.
        let text = shown("a = \"\x1b[2J\"\r\nb = \"\u{202e}\" HERE \u{7}\r\nc = \"\u{9b}1m\"\r\n", "HERE");
        for part in ["a = \"\\u001b[2J\"", "b = \"\\u202e\" HERE \\u0007", "c = \"\\u009b1m\"", "a.toml:2:"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(shown("\rHERE\r\nnext", "HERE").contains("\\u000dHERE\n"));
        assert!(shown("a\r\n\r\nHERE", "\r\nHERE").contains("a.toml:2:1]"));
        assert!(!text.contains(['\r', '\u{202e}', '\u{7}', '\u{9b}']), "{text:?}");
        let place = text.lines().position(|line| line.contains("HERE")).unwrap();
        let [line, below] = [0, 1].map(|more| text.lines().nth(place + more).unwrap());
        let column = |line: &str, what: &str| line[..line.find(what).unwrap()].chars().count();
        assert_eq!(column(line, "HERE"), column(below, "─"), "{text}");
    }

    #[test]
    fn cuts_fall_between_characters() {
        let long = format!("{}HERE{}", "é".repeat(500), "é".repeat(500));
        assert!(shown(&long, "HERE").contains("éHEREé"));
        assert!(shown("HERE", "HERE").contains("a.toml:1:1]"));
    }
}
