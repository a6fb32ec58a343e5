//! Grains listed one by one: a CSV file beside the scene, or the same rows inside it.
//!
//! Fields are separated by commas or by blanks; `#` begins a comment; a first row that does not begin with a number names the
//! columns. A column `type` has whole numbers for which `types` of the scene gives the materials.

use std::ops::Range;

use glam::DVec3;

use crate::input::{InputError, Result, nearest, shown};

/// What a column may hold, in the words of the scene file.
pub(crate) const COLUMNS: [&str; 11] = ["x", "y", "z", "radius", "vx", "vy", "vz", "wx", "wy", "wz", "type"];

/// The column `type`.
pub(crate) const TYPE: usize = 10;

/// For each type that a list may have, the index of its material.
pub(crate) type Types = Vec<(u32, u16)>;

/// One grain as listed.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Row {
    /// Centre (m).
    pub position: DVec3,
    /// Radius (m), where there is such a column.
    pub radius: Option<f64>,
    /// Velocity (m/s).
    pub velocity: DVec3,
    /// Angular velocity (rad/s).
    pub angular_velocity: DVec3,
    /// Type, where there is such a column.
    pub kind: u32,
}

/// A list of grains.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows {
    /// Indices into `COLUMNS`.
    pub columns: Vec<usize>,
    /// The grains.
    pub rows: Vec<Row>,
    /// The rows as text, without header and comments.
    pub text: String,
}

impl Rows {
    /// Whether a column is there.
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|c| COLUMNS[*c] == column)
    }
}

/// Index of a column's name.
pub(crate) fn column(name: &str) -> std::result::Result<usize, String> {
    if let Some(index) = COLUMNS.iter().position(|c| *c == name) {
        return Ok(index);
    }
    let hint = nearest(name, &COLUMNS).map_or_else(|| COLUMNS.join(", "), |near| format!("did you mean \"{near}\"?"));
    Err(format!("there is no column \"{}\" ({hint})", shown(name)))
}

/// The fields of a row, with commas or else blanks between them.
fn split(line: &str) -> std::result::Result<Vec<&str>, String> {
    const HELP: &str = "put commas or blanks between them, and write decimals with a point";
    if let Some(wrong) = line.chars().find(|c| matches!(c, ';' | ':' | '|' | '/' | '&')) {
        return Err(format!("`{wrong}` does not separate fields: {HELP}"));
    }
    if !line.contains(',') {
        return Ok(line.split_whitespace().collect());
    }
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    match fields.iter().find(|field| field.contains(char::is_whitespace)) {
        Some(two) => Err(format!("both commas and blanks separate fields, as in \"{}\": {HELP}", shown(two))),
        None => Ok(fields),
    }
}

/// Reads rows. `types` are those that a column `type` may have; `fail` makes an error at a place of the text.
pub(crate) fn read(
    text: &str,
    columns: Option<Vec<usize>>,
    types: Option<&Types>,
    fail: impl Fn(Range<usize>, String) -> InputError,
) -> Result<Rows> {
    let mut result = Rows::default();
    let mut named = columns;
    let mut first = true;
    let mut start = 0;
    for whole_line in text.split_inclusive('\n') {
        let span = start..start + whole_line.trim_end().len();
        start += whole_line.len();
        let line = whole_line.split('#').next().unwrap_or_default().trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            continue;
        }
        let fields = split(line).map_err(|message| fail(span.clone(), message))?;
        let is_header = first && fields[0].parse::<f64>().is_err();
        first = false;
        if is_header {
            named = Some(columns_of_header(&fields, named).map_err(|message| fail(span, message))?);
            continue;
        }
        let Some(columns) = &named else {
            let message = "which column is which? give `columns`, or a first row with their names";
            return Err(fail(span, message.into()));
        };
        let row = read_row(&fields, columns, types).map_err(|message| fail(span, message))?;
        result.rows.push(row);
        result.text.push_str(&fields.join(","));
        result.text.push('\n');
    }
    if result.rows.is_empty() {
        return Err(fail(0..0, "no grains are listed".into()));
    }
    result.columns = named.unwrap_or_default();
    check_columns(&result.columns).map_err(|message| fail(0..0, message))?;
    match (types, result.has("type")) {
        (Some(_), false) => Err(fail(0..0, "the list has no column \"type\", which `types` is about".into())),
        (None, true) => {
            let message =
                "the list has a column \"type\": say which materials they are, as in types = { 1 = \"glass\" }";
            Err(fail(0..0, message.into()))
        }
        _ => Ok(result),
    }
}

/// The columns that a first row names. Columns that the scene gave win, unless the row names the same in another order.
fn columns_of_header(fields: &[&str], given: Option<Vec<usize>>) -> std::result::Result<Vec<usize>, String> {
    let named: std::result::Result<Vec<usize>, String> = fields.iter().map(|f| column(f)).collect();
    match (named, given) {
        (Ok(named), Some(given)) if named != given => {
            Err("this row names other columns than `columns` of the scene does".into())
        }
        (_, Some(given)) => Ok(given),
        (named, None) => named,
    }
}

/// x, y and z must be there, and nothing twice.
pub(crate) fn check_columns(columns: &[usize]) -> std::result::Result<(), String> {
    if let Some(twice) = (0..columns.len()).find(|&i| columns[..i].contains(&columns[i])) {
        return Err(format!("the column \"{}\" stands twice", COLUMNS[columns[twice]]));
    }
    match (0..3).find(|c| !columns.contains(c)) {
        Some(missing) => Err(format!("the column \"{}\" is missing", COLUMNS[missing])),
        None => Ok(()),
    }
}

fn read_row(fields: &[&str], columns: &[usize], types: Option<&Types>) -> std::result::Result<Row, String> {
    if fields.len() != columns.len() {
        return Err(format!("expected {} fields, found {}", columns.len(), fields.len()));
    }
    let mut row = Row::default();
    for (field, &column) in fields.iter().zip(columns) {
        let number = field.parse::<f64>().ok().filter(|x| x.is_finite());
        let number = number
            .ok_or_else(|| format!("column \"{}\": expected a number, found \"{}\"", COLUMNS[column], shown(field)))?;
        match column {
            0..=2 => row.position[column] = number,
            3 if number > 0.0 => row.radius = Some(number),
            3 => return Err(format!("column \"radius\": expected a number above zero, found {number}")),
            4..=6 => row.velocity[column - 4] = number,
            TYPE => row.kind = read_type(field, types)?,
            _ => row.angular_velocity[column - 7] = number,
        }
    }
    Ok(row)
}

/// A type that `types` knows, if there are any.
fn read_type(field: &str, types: Option<&Types>) -> std::result::Result<u32, String> {
    let expected = || format!("column \"type\": expected a whole number, found \"{}\"", shown(field));
    let kind = field.parse::<u32>().map_err(|_| expected())?;
    match types {
        Some(types) if !types.iter().any(|(known, _)| *known == kind) => {
            let known: Vec<String> = types.iter().take(10).map(|(known, _)| known.to_string()).collect();
            Err(format!("column \"type\": `types` has no material for {kind}, only for {}", known.join(", ")))
        }
        _ => Ok(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    fn read_text(text: &str, columns: Option<Vec<usize>>) -> Result<Rows> {
        let source = Source::new("list.csv", text);
        read(text, columns, None, |span, message| source.error(span, message))
    }

    /// Lists with blanks between their fields were refused, and those with semicolons gave a puzzle.
    #[test]
    fn commas_or_blanks_separate_fields_and_anything_else_is_named() {
        let commas = read_text("x,y,z,radius\n0,0,0,1\n1,2,3,0.5\n", None).unwrap();
        for text in ["x y z radius\n0 0 0 1\n1 2 3 0.5\n", "x\ty\tz\tradius\n0\t0 0   1\n 1, 2, 3, 0.5\n"] {
            assert_eq!(read_text(text, None).unwrap(), commas, "{text}");
        }
        for (text, named) in [
            ("x;y;z\n0;0;0\n", "`;` does not separate fields: put commas or blanks"),
            ("0,5;1,5;2,5\n", "`;` does not separate"),
            ("0|0|0\n", "`|` does not separate"),
            ("0,5 1,5 2,5\n", "both commas and blanks separate fields, as in \"5 1\": put"),
        ] {
            let error = read_text(text, Some(vec![0, 1, 2])).unwrap_err();
            assert!(error.message().contains(named) && error.line() == Some(1), "{text}: {error}");
        }
    }

    #[test]
    fn types_must_be_known() {
        let typed = |text: &str, types: Option<&Types>| {
            let source = Source::new("list.csv", text);
            read(text, None, types, |span, message| source.error(span, message))
        };
        let types = vec![(1, 0), (7, 2)];
        let rows = typed("x y z type\n0 0 0 7\n1 0 0 1\n", Some(&types)).unwrap();
        assert_eq!(rows.rows.iter().map(|row| row.kind).collect::<Vec<_>>(), [7, 1]);
        let error = typed("x y z type\n0 0 0 7\n1 0 0 2\n", Some(&types)).unwrap_err();
        assert!(error.line() == Some(3) && error.message().contains("no material for 2, only for 1, 7"), "{error}");
        assert!(typed("x y z type\n0 0 0 1.5\n", Some(&types)).unwrap_err().message().contains("a whole number"));
        assert!(typed("x y z\n0 0 0\n", Some(&types)).unwrap_err().message().contains("no column \"type\""));
        assert!(typed("x y z type\n0 0 0 7\n", None).unwrap_err().message().contains("types = { 1"));
    }

    #[test]
    fn a_header_may_name_the_columns_and_comments_are_left_out() {
        let rows = read_text("# two\nx,y,z,radius\n0,0,0,1 # first\n\n1,2,3,0.5\n", None).unwrap();
        assert_eq!(rows.rows.len(), 2);
        assert_eq!(rows.rows[1].position, DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(rows.text, "0,0,0,1\n1,2,3,0.5\n");
        // Written out and read again it is the same list.
        assert_eq!(read_text(&rows.text, Some(rows.columns.clone())).unwrap(), rows);
    }

    #[test]
    fn errors_name_the_line_of_the_list() {
        let line = |text: &str| read_text(text, Some(vec![0, 1, 2])).unwrap_err().line();
        assert_eq!(line("0,0,0\n0,0\n"), Some(2));
        assert_eq!(line("x,y,z\n# a\n0,nan,0\n"), Some(3));
        assert_eq!(line("z,y,x\n0,0,0\n"), Some(1));
        assert!(read_text("0,0,0\n", None).unwrap_err().message().contains("columns"));
        assert!(read_text("", None).unwrap_err().message().contains("no grains"));
    }
}
