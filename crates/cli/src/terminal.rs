//! Errors of the input on the terminal: with colours of ours and none of the input's.

use std::fmt;
use std::io::Write;

use miette::{Diagnostic, LabeledSpan, Report, SourceCode};
use stickslip_io::visible;

/// Writes an error with its lines and its help to standard error.
pub fn explain(report: Report) {
    // Not by `tell`: the colours that are added here are control characters, too.
    let texts: Vec<String> = report.chain().map(|error| visible(&error.to_string()).into_owned()).collect();
    let below = |cause: Option<Box<Text>>, text: &String| Some(Box::new(Text { text: text.clone(), cause }));
    let cause = texts.iter().skip(1).rev().fold(None, below);
    let text = Text { text: texts.first().cloned().unwrap_or_default(), cause };
    let _ = writeln!(std::io::stderr().lock(), "{:?}", Report::new(Visible { text, report }));
}

/// What an error and its causes say.
#[derive(Debug)]
struct Text {
    text: String,
    cause: Option<Box<Text>>,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Text {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &dyn std::error::Error)
    }
}

/// An error whose texts a terminal does not act on. Its excerpt of a file comes like that.
#[derive(Debug)]
struct Visible {
    text: Text,
    report: Report,
}

impl fmt::Display for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl std::error::Error for Visible {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.text.source()
    }
}

impl Diagnostic for Visible {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.report.help().map(|help| Box::new(visible(&help.to_string()).into_owned()) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.report.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.report.labels()
    }
}
