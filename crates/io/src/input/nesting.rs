//! How deep a TOML text nests, counted before it is parsed.
//!
//! The parser descends once per bracket. Its own guard against deep nesting counts wrong after an inline table without a key
//! (`{ {}{} .. }`), so 40 kB of brackets can overflow the stack. Here every bracket counts, and every dot of a key, since a
//! table is nested for each. The tokens are the parser's own: brackets in strings and comments are none.
//!
//! An opening bracket counts until the closing bracket of its kind comes while it is the innermost one. The parser never
//! holds a bracket open that is closed here: it leaves an array or an inline table at the first such bracket, and what it
//! skips over, it skips at most that far. So it is never deeper than counted here.

use std::ops::Range;

use toml_parser::lexer::TokenKind;

/// The most levels of a text: those that the parser reads at the most.
pub(crate) const MOST_LEVELS: usize = 80;

/// The place where a text nests deeper than `MOST_LEVELS`, if there is one.
pub(super) fn too_deep(text: &str) -> Option<Range<usize>> {
    // The bracket that closes each level, and how many levels it and the key before it make.
    let mut open: Vec<(TokenKind, usize)> = Vec::new();
    let (mut depth, mut dots) = (0, 0);
    for token in toml_parser::Source::new(text).lex() {
        let closing = match token.kind() {
            TokenKind::LeftSquareBracket => Some(TokenKind::RightSquareBracket),
            TokenKind::LeftCurlyBracket => Some(TokenKind::RightCurlyBracket),
            _ => None,
        };
        match token.kind() {
            TokenKind::Dot => dots += 1,
            TokenKind::Comma | TokenKind::Newline => dots = 0,
            kind @ (TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket) => {
                dots = 0;
                if let Some((_, levels)) = open.pop_if(|(closing, _)| *closing == kind) {
                    depth -= levels;
                }
            }
            _ => {}
        }
        if let Some(closing) = closing {
            let levels = 1 + std::mem::take(&mut dots);
            open.push((closing, levels));
            depth += levels;
        }
        if depth + dots > MOST_LEVELS {
            return Some(token.span().start()..token.span().end());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a text is too deep.
    fn place(text: &str) -> Option<usize> {
        too_deep(text).map(|span| span.start)
    }

    #[test]
    fn brackets_and_dots_count_and_closed_ones_do_not() {
        let most = MOST_LEVELS;
        for (open, close) in [("[", "]"), ("{a=", "}"), ("[{a=", "}]")] {
            let brackets = open.matches(['[', '{']).count();
            let nested = |count: usize| format!("x = {}1{}", open.repeat(count), close.repeat(count));
            assert_eq!(place(&nested(most / brackets)), None, "{open}");
            assert!(place(&nested(most / brackets + 1)).is_some(), "{open}");
        }
        assert_eq!(place(&format!("x = [{}]", "[{}], ".repeat(10_000))), None);
        assert_eq!(place(&format!("{}a = 1\n", "a.".repeat(most)).repeat(3)), None);
        assert_eq!(place(&format!("{}a = 1", "a.".repeat(most + 1))), Some(2 * most + 1));
        // Dots of a key count as long as its table is open.
        assert_eq!(place(&format!("x = {{ {0}a = {{ {0}a = 1 }} }}", "a.".repeat(most / 2 - 1))), None);
        assert!(place(&format!("x = {{ {0}a = {{ {0}a = 1 }} }}", "a.".repeat(most / 2))).is_some());
        assert!(place(&format!("[{}a]", "a.".repeat(most))).is_some());
    }

    #[test]
    fn brackets_in_strings_and_comments_are_none() {
        let many = "[{".repeat(10_000);
        for text in [
            format!("x = \"{many}\""),
            format!("x = \"\\\"{many}\\\\\""),
            format!("x = '{many}\\'"),
            format!("x = \"\"\"\n{many}\n\\\"\"\" \"\" {many}\"\"\""),
            format!("x = '''\n{many}\n\\''''"),
            format!("\"{many}\" = 1"),
            format!("# {many}\nx = [ # {many}\n1]"),
            format!("x = [\"it's # no comment\", '\"', 1] # {many}"),
        ] {
            assert_eq!(place(&text), None, "{}", &text[..30]);
            assert!(text.parse::<toml::Table>().is_ok(), "{}", &text[..30]);
        }
        // A string that is not closed ends with its line, for the parser, too.
        assert!(place(&format!("x = \"\ny = {many}")).is_some());
    }

    #[test]
    fn what_the_parser_skips_counts() {
        // It forgets a level at each `{}` without a key, and then follows the others without end.
        let cheat = format!("y = {{ {}a = {}", "{}".repeat(8000), "{a=".repeat(8000));
        assert_eq!(place(&cheat), Some(6 + 16_000 + 4 + 3 * (MOST_LEVELS - 1)));
        for open in ["[}", "{]", "{[}", "[{]", "{a=[}"] {
            assert!(place(&format!("y = {}", open.repeat(8000))).is_some(), "{open}");
        }
    }
}
