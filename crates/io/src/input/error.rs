//! What is wrong with an input file, and where: file, line, key, what was expected, and often what to write instead.
//!
//! `InputError` prints in one line (`scene.toml:12: body[0].shape.radius: ...`) and, as a `miette::Diagnostic`, with the
//! line of the file and a label under the place.

use std::fmt;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, SourceCode};

use super::excerpt::Excerpt;
use super::file::read_file;
use super::suggest::did_you_mean;

/// The text of an input file and the name it is reported by.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    name: String,
    text: Arc<str>,
    /// A file laid over this one (a variant): its places follow those of this text.
    over: Option<Box<Source>>,
}

/// The most bytes of a message, and how many of its end are shown when it is longer. `shown` shortens what a message quotes; this
/// catches what was quoted without it.
const LONGEST: usize = 4000;
const END: usize = 400;

/// The text; the middle of one that is too long is left out.
fn capped(text: String) -> String {
    if text.len() <= LONGEST {
        return text;
    }
    let start = text.floor_char_boundary(LONGEST - END);
    let end = text.ceil_char_boundary(text.len() - END);
    format!("{} ... {}", &text[..start], &text[end..])
}

/// Something wrong in an input file.
#[derive(Clone)]
pub struct InputError(Box<Inner>);

#[derive(Clone)]
struct Inner {
    file: String,
    line: Option<usize>,
    message: String,
    help: Option<String>,
    excerpt: Option<Excerpt>,
}

impl Source {
    /// A text that is reported as `name`.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Source { name: name.into(), text: text.into(), over: None }
    }

    /// The bytes of a file of at most `largest` bytes.
    pub fn read_bytes(path: &Path, largest: u64) -> Result<Vec<u8>, InputError> {
        let name = path.display().to_string();
        read_file(path, largest).map_err(|error| {
            if error.kind() != ErrorKind::NotFound {
                return InputError::of_file(&name, error.to_string());
            }
            let missing = InputError::of_file(&name, "there is no such file".into());
            match did_you_mean(Path::new(""), path, Path::is_file) {
                Some(near) => missing.help(near),
                None => missing,
            }
        })
    }

    /// Reads a file of at most `largest` bytes.
    pub fn read(path: &Path, largest: u64) -> Result<Self, InputError> {
        let name = path.display().to_string();
        let bytes = Source::read_bytes(path, largest)?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(error) => {
                let start = error.utf8_error().valid_up_to();
                let lossy = String::from_utf8_lossy(&error.into_bytes()).into_owned();
                let source = Source::new(name, lossy);
                Err(source.error(start..start + 1, "this is not UTF-8 text".into()))
            }
        }
    }

    /// This file with another laid over it.
    pub fn with_over(self, over: Source) -> Self {
        Source { over: Some(Box::new(over)), ..self }
    }

    /// The text of the file laid over this one, behind as many spaces as this one has bytes: so a place tells the file.
    pub fn over_text(&self) -> Option<String> {
        self.over.as_ref().map(|over| " ".repeat(self.text.len() + 1) + &over.text)
    }

    /// The file laid over this one, if a place is in it, and the place there.
    fn over_at(&self, byte: usize) -> Option<(&Source, usize)> {
        let over = self.over.as_ref()?;
        Some((over, byte.checked_sub(self.text.len() + 1)?))
    }

    /// What it is reported by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line, counted from 1, on which a byte stands.
    pub fn line(&self, byte: usize) -> usize {
        if let Some((over, byte)) = self.over_at(byte) {
            return over.line(byte);
        }
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        1 + before.iter().filter(|b| **b == b'\n').count()
    }

    /// An error at a place.
    pub fn error(&self, span: Range<usize>, message: String) -> InputError {
        if let Some((over, start)) = self.over_at(span.start) {
            return over.error(start..start + span.len(), message);
        }
        let (line, message) = (self.line(span.start), capped(message));
        let excerpt = Some(Excerpt::new(&self.name, &self.text, line, span));
        InputError(Box::new(Inner { file: self.name.clone(), line: Some(line), message, help: None, excerpt }))
    }
}

impl InputError {
    /// An error of a file as a whole.
    pub(crate) fn of_file(file: &str, message: String) -> Self {
        let (file, message) = (file.to_owned(), capped(message));
        InputError(Box::new(Inner { file, line: None, message, help: None, excerpt: None }))
    }

    /// Adds what to do about it.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(capped(help.into()));
        self
    }

    /// Adds which of several things it is about.
    pub(crate) fn about(mut self, what: &str) -> Self {
        self.0.message = capped(format!("{} ({what})", self.0.message));
        self
    }

    /// The file it was found in.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The line it was found on, counted from 1; `None` for a file that cannot be read at all.
    pub fn line(&self) -> Option<usize> {
        self.0.line
    }

    /// What was found and what was expected, without the file and the line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to write instead, where that can be said.
    pub fn advice(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.line {
            Some(line) => write!(f, "{}:{}: {}", self.0.file, line, self.0.message),
            None => write!(f, "{}: {}", self.0.file, self.0.message),
        }
    }
}

impl fmt::Debug for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InputError({self})")
    }
}

impl std::error::Error for InputError {}

impl Diagnostic for InputError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let excerpt = self.0.excerpt.as_ref()?;
        let label = LabeledSpan::new_primary_with_span(Some("here".into()), excerpt.span());
        Some(Box::new(std::iter::once(label)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one_and_spans_outside_the_text_are_cut() {
        let source = Source::new("a.toml", "one\ntwo\n");
        assert_eq!(source.error(4..7, "bad".into()).to_string(), "a.toml:2: bad");
        assert_eq!(source.error(100..200, "bad".into()).line(), Some(3));
        assert_eq!(Source::new("empty", "").error(0..1, "bad".into()).line(), Some(1));
    }

    #[test]
    fn no_message_is_as_long_as_a_file() {
        // A material's name of 30,000 letters stood twice in a message of 66 kB.
        let long = "kö".repeat(30_000);
        let source = Source::new("a.toml", "one\n");
        let at = || source.error(0..3, format!("first {long} last"));
        for error in [at(), InputError::of_file("a.toml", format!("first {long} last"))] {
            assert!(error.message().starts_with("first kö") && error.message().ends_with("ö last"), "{error}");
            assert!(error.message().len() < 4010);
        }
        let error = at().about(&long).help(long.as_str());
        assert!(error.message().len() < 4010 && error.advice().unwrap().len() < 4010);
    }

    #[test]
    fn a_place_tells_which_of_two_files_it_is_in() {
        let source = Source::new("a.toml", "one\ntwo\n").with_over(Source::new("b.toml", "three\nfour\n"));
        let text = source.over_text().unwrap();
        let four = text.find("four").unwrap();
        assert_eq!(source.error(four..four + 4, "bad".into()).to_string(), "b.toml:2: bad");
        assert_eq!(source.line(four), 2);
        assert_eq!(source.error(4..7, "bad".into()).to_string(), "a.toml:2: bad");
    }
}
