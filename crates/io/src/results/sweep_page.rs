//! `sweep.html`: the plots and the table of a sweep. One file that loads nothing, light or dark as the reader prefers.
//!
//! A line plot shows the mean over what is neither on its axes nor named in its legend (the seeds), with bars from the least
//! to the greatest; a heat map shows the mean. Only runs that came to their end count. An axis is logarithmic when its
//! values are positive and span more than two decades.

use super::compare::MORE_STYLE;
use super::figure::{Axis, Curve, Figure, Spread};
use super::file::{escape, short_number};
use super::heat_map::HeatMap;
use super::report::{note, page};
use super::sweep::{SweepJson, SweepTable};
use crate::input::nearest;
use crate::scene::{plural, split};

/// More curves than can be told apart.
const MOST_CURVES: usize = 14;

/// Columns worth a plot when none is asked for, the first ones first; of these that vary so many are shown.
const TELLING: [&str; 10] = [
    "volume_fraction",
    "coordination_held",
    "coordination",
    "rattlers",
    "unbalanced_force",
    "kinetic",
    "potential",
    "lost_slide",
    "lost_roll",
    "time",
];
const MOST_PLOTS: usize = 4;

/// A plot of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// Column along the horizontal axis.
    pub x: String,
    /// Column along the vertical axis.
    pub y: String,
    /// Column of the colour: then it is a heat map.
    pub colour: Option<String>,
}

impl Plot {
    /// Reads `X,Y` or `X,Y,COLUMN`; commas within brackets belong to a name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let names: Vec<String> = split(text).into_iter().map(str::to_owned).collect();
        match names.as_slice() {
            _ if names.iter().any(String::is_empty) => {}
            [x, y] => return Ok(Plot { x: x.clone(), y: y.clone(), colour: None }),
            [x, y, colour] => return Ok(Plot { x: x.clone(), y: y.clone(), colour: Some(colour.clone()) }),
            _ => {}
        }
        Err(format!("expected X,Y for lines or X,Y,COLUMN for a heat map, found `{text}`"))
    }
}

/// The page and what it is made from.
#[derive(Clone, Debug)]
pub struct SweepPage<'a> {
    /// Title of the scene, or the name of its file.
    pub title: &'a str,
    /// What is swept.
    pub sweep: &'a SweepJson,
    /// The runs.
    pub table: &'a SweepTable,
}

/// The columns of the runs that came to their end, as the plots need them.
struct Data {
    columns: Vec<(String, Vec<String>)>,
    /// Swept columns of more than one value, the seed not among them.
    keys: Vec<String>,
}

impl Data {
    fn of(table: &SweepTable) -> Self {
        let mut whole = table.clone();
        whole.rows.retain(|_, row| row.is_whole());
        let columns = whole.columns();
        let mut data = Data { columns, keys: Vec::new() };
        let varies = |key: &&String| distinct(data.texts(key)).len() > 1;
        data.keys = table.keys.iter().filter(|key| *key != "seed").filter(varies).cloned().collect();
        data
    }

    fn texts(&self, name: &str) -> &[String] {
        self.columns.iter().find(|(own, _)| own == name).map_or(&[], |(_, fields)| fields)
    }

    /// The column of this name, or the only one whose name ends so: `roll.mu` for `contact[a,b].roll.mu`.
    fn find(&self, name: &str) -> Result<&str, String> {
        let names = || self.columns.iter().map(|(own, _)| own.as_str());
        let ends: Vec<&str> = names().filter(|own| own.ends_with(&format!(".{name}"))).collect();
        match (names().find(|own| *own == name), ends.as_slice()) {
            (Some(own), _) => Ok(own),
            (None, [own]) => Ok(own),
            (None, []) => Err(no_column(name, &names().collect::<Vec<_>>())),
            (None, several) => {
                Err(format!("several columns end in `{name}`: {}; write one in full", several.join(", ")))
            }
        }
    }

    /// The numbers of a column; not a number where a field is none.
    fn numbers(&self, name: &str) -> Vec<f64> {
        self.texts(name).iter().map(|text| text.parse().unwrap_or(f64::NAN)).collect()
    }

    fn is_numeric(&self, name: &str) -> bool {
        let texts = self.texts(name);
        !texts.is_empty() && texts.iter().all(|text| text.is_empty() || text.parse::<f64>().is_ok())
    }

    fn axis(&self, name: &str) -> Axis {
        Axis { label: label(name), log: spans_decades(self.numbers(name).into_iter()) }
    }
}

/// There is no such column; which one may be meant, by its whole name or by the end of a key.
fn no_column(name: &str, columns: &[&str]) -> String {
    let ends = columns.iter().flat_map(|column| column.match_indices('.').map(|(dot, _)| &column[dot + 1..]));
    let known: Vec<&str> = columns.iter().copied().chain(ends).collect();
    let meant = nearest(name, &known).map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
    format!("there is no column `{name}`.{meant} The columns are: {}", columns.join(", "))
}

/// Checks that a table has the columns of all plots, and numbers where they are needed.
pub fn check_plots(plots: &[String], table: &SweepTable) -> Result<(), String> {
    let data = Data::of(table);
    plots.iter().try_for_each(|text| data.columns_of(&Plot::parse(text)?).map(|_| ()))
}

impl SweepPage<'_> {
    /// The page. Plots that cannot be made are an error, which says why.
    pub fn to_html(&self) -> Result<String, String> {
        let json = self.sweep;
        let swept: String = json
            .set
            .iter()
            .map(|set| format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(&set.key), escape(&set.values.join(", "))))
            .collect();
        let seeds = format!("<div><dt>seeds</dt><dd>{} from {}</dd></div>", json.seeds, json.first_seed);
        let title = escape(self.title);
        let body = format!(
            "<p>{} of {} of {}.</p>\n{}<dl>{swept}{seeds}</dl>\n<h2>Plots</h2>\n<div class=\"figures\">\n{}</div>\n\
             <p class=\"soft\">Of runs that came to their end; means over the seeds, bars from the least to the \
             greatest.</p>\n<h2>All runs</h2>\n{}\
             <footer>stickslip {}. The numbers are in sweep.csv and sweep.parquet; each run has its own folder and \
             report.</footer>\n",
            self.table.rows.len(),
            plural(json.runs, "run"),
            escape(&json.scene_file),
            self.problems(),
            self.plots()?.iter().map(|svg| format!("<figure>{svg}</figure>\n")).collect::<String>(),
            self.html_table(),
            escape(&json.version),
        );
        Ok(page(
            &title,
            &format!("{MORE_STYLE}dd{{font-size:16px;overflow-wrap:anywhere}}.figures+.soft{{margin:8px 0}}"),
            &body,
        ))
    }

    fn problems(&self) -> String {
        let bad = self.table.rows.iter().filter(|(_, row)| !row.is_whole());
        let text = bad.map(|(run, row)| {
            let class = if row.state == "failed" { "failed" } else { "warning" };
            let reason = if row.reason.is_empty() { String::new() } else { format!(": {}", row.reason) };
            note(class, &format!("Run {run} {}{reason}", row.state))
        });
        let unmeasured = self.table.rows.iter().filter_map(|(run, row)| Some((run, row.not_measured()?)));
        let unmeasured = unmeasured.map(|(run, why)| note("warning", &format!("Run {run}, not measured: {why}")));
        text.chain(unmeasured).collect()
    }

    /// The plots as SVG: those asked for, else what tells most.
    pub fn plots(&self) -> Result<Vec<String>, String> {
        let data = Data::of(self.table);
        let asked: Vec<Plot> = self.sweep.plot.iter().map(|text| Plot::parse(text)).collect::<Result<_, _>>()?;
        let plots = if asked.is_empty() { self.telling(&data) } else { asked };
        // Names can be looked for only where there are columns.
        if data.texts("run").is_empty() {
            return Ok(Vec::new());
        }
        plots.iter().map(|plot| data.draw(plot)).collect()
    }

    /// Lines over the first key, by the second; with two numeric keys maps as well.
    fn telling(&self, data: &Data) -> Vec<Plot> {
        let x = data.keys.first().cloned().unwrap_or_else(|| "seed".to_owned());
        let varies = |name: &str| data.is_numeric(name) && varies(&data.numbers(name));
        let measured = self.sweep.measure.iter().filter_map(|asked| data.measured(asked));
        let columns: Vec<&str> = measured.chain(TELLING).filter(|name| varies(name)).take(MOST_PLOTS).collect();
        let mut plots: Vec<Plot> =
            columns.iter().map(|y| Plot { x: x.clone(), y: (*y).to_owned(), colour: None }).collect();
        if let [first, second, ..] = data.keys.as_slice()
            && data.is_numeric(first)
            && data.is_numeric(second)
        {
            let map = |column: &&str| Plot { x: first.clone(), y: second.clone(), colour: Some((*column).to_owned()) };
            plots.extend(columns.iter().take(2).map(map));
        }
        plots
    }

    fn html_table(&self) -> String {
        let columns = self.table.columns();
        // What nothing ever was lost to, or came in by, is left to the file.
        let idle = |fields: &[String]| fields.iter().all(|field| field.is_empty() || field.parse() == Ok(0.0));
        let shown: Vec<&(String, Vec<String>)> = columns
            .iter()
            .filter(|(name, fields)| !idle(fields) || self.table.keys.contains(name) || name == "run")
            .collect();
        let numeric = |fields: &[String]| fields.iter().all(|field| field.is_empty() || field.parse::<f64>().is_ok());
        let head = |(name, fields): &&(String, Vec<String>)| {
            format!("<th{}>{}</th>", if numeric(fields) { " class=\"n\"" } else { "" }, escape(name))
        };
        let head: String = shown.iter().map(head).collect();
        let cell = |field: &String| match field.parse::<f64>() {
            Ok(number) if field.contains(['.', 'e']) => format!("<td class=\"n\">{}</td>", short_number(number, 5)),
            Ok(_) => format!("<td class=\"n\">{}</td>", escape(field)),
            Err(_) => format!("<td>{}</td>", escape(field)),
        };
        let row = |row: usize| shown.iter().map(|(_, fields)| cell(&fields[row])).collect::<String>();
        let rows: String = (0..self.table.rows.len()).map(|index| format!("<tr>{}</tr>\n", row(index))).collect();
        format!("<div class=\"wide\"><table>\n<tr>{head}</tr>\n{rows}</table></div>\n")
    }
}

impl Data {
    /// The columns along x, along y and of the colour; the last of them holds numbers.
    fn columns_of<'a>(&'a self, plot: &Plot) -> Result<(&'a str, &'a str, Option<&'a str>), String> {
        let (x, y) = (self.find(&plot.x)?, self.find(&plot.y)?);
        let colour = plot.colour.as_ref().map(|colour| self.find(colour)).transpose()?;
        self.need_numbers(colour.unwrap_or(y))?;
        Ok((x, y, colour))
    }

    fn draw(&self, plot: &Plot) -> Result<String, String> {
        Ok(match self.columns_of(plot)? {
            (x, y, Some(colour)) => self.map(x, y, colour),
            // Words have no places on an axis, but columns of a map.
            (x, y, None) if self.is_numeric(x) => self.lines(x, y),
            (x, y, None) => self.map(x, "", y),
        })
    }

    /// The column of what was asked to be measured; of several the first, which is the one that matters most.
    fn measured(&self, asked: &str) -> Option<&str> {
        let name = asked.split_whitespace().next()?;
        let of = |own: &&str| *own == name || own.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        self.columns.iter().map(|(own, _)| own.as_str()).find(of)
    }

    fn need_numbers(&self, name: &str) -> Result<(), String> {
        if self.is_numeric(name) { Ok(()) } else { Err(format!("the column `{name}` does not hold numbers")) }
    }

    /// A curve for each combination of the other keys.
    fn lines(&self, x: &str, y: &str) -> String {
        let (xs, ys) = (self.numbers(x), self.numbers(y));
        let others: Vec<&String> = self.keys.iter().filter(|key| *key != x && *key != y).collect();
        let name = |row: usize| {
            let part = |key: &&String| format!("{} = {}", short_key(key), self.texts(key)[row]);
            others.iter().map(part).collect::<Vec<_>>().join(", ")
        };
        let mut groups: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        for row in 0..xs.len() {
            let name = name(row);
            match groups.iter_mut().find(|(own, _)| *own == name) {
                Some((_, points)) => points.push((xs[row], ys[row])),
                None => groups.push((name, vec![(xs[row], ys[row])])),
            }
        }
        let left_out = groups.len().saturating_sub(MOST_CURVES);
        groups.truncate(MOST_CURVES);
        let (curves, spreads): (Vec<Curve>, Vec<Spread>) =
            groups.into_iter().map(|(name, points)| curve(&name, points)).unzip();
        let mut title = quantity(y);
        if left_out > 0 {
            title += &format!(" ({left_out} more curves in the table)");
        }
        Figure { title, x: self.axis(x), y: self.axis(y), right: None, curves }.to_svg_with(&spreads)
    }

    /// The mean of a column in each cell; with an empty `y` in one row.
    fn map(&self, x: &str, y: &str, colour: &str) -> String {
        let values = self.numbers(colour);
        let one_row = vec![String::new(); values.len()];
        let (xs, ys) = (self.texts(x), if y.is_empty() { &one_row } else { self.texts(y) });
        let (columns, rows) = (in_order(distinct(xs)), in_order(distinct(ys)));
        let cell = |row: &String, column: &String| {
            let inside = (0..values.len()).filter(|&i| xs[i] == *column && ys[i] == *row).map(|i| values[i]);
            mean(&inside.filter(|value| value.is_finite()).collect::<Vec<_>>())
        };
        let cells = rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
        let over: Vec<String> =
            self.keys.iter().filter(|key| *key != x && *key != y).map(|key| short_key(key)).collect();
        let over = if over.is_empty() { String::new() } else { format!(", mean over {}", over.join(", ")) };
        HeatMap {
            title: quantity(colour) + &over,
            x: (label(x), columns),
            y: (label(y), rows),
            label: label(colour),
            values: cells,
            log: spans_decades(values.into_iter()),
        }
        .to_svg()
    }
}

/// Means over the points of the same x, and how far they spread.
fn curve(name: &str, mut points: Vec<(f64, f64)>) -> (Curve, Spread) {
    points.retain(|(x, y)| x.is_finite() && y.is_finite());
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut means = Vec::new();
    let mut spread = Vec::new();
    for same in points.chunk_by(|a, b| a.0 == b.0) {
        let values: Vec<f64> = same.iter().map(|point| point.1).collect();
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        means.push((same[0].0, mean(&values)));
        spread.push((same[0].0, low, high));
    }
    (Curve::line(name, means), spread)
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { f64::NAN } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The fields that differ, each once.
fn distinct(fields: &[String]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for field in fields {
        if !seen.contains(field) {
            seen.push(field.clone());
        }
    }
    seen
}

/// Numbers by size; words as they come.
fn in_order(mut values: Vec<String>) -> Vec<String> {
    let number = |text: &String| text.parse::<f64>();
    if values.iter().all(|value| number(value).is_ok()) {
        values.sort_by(|a, b| number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0)));
    }
    values
}

/// Whether values are positive and more than two decades apart.
fn spans_decades(values: impl Iterator<Item = f64>) -> bool {
    let (low, high) = values.filter(|v| v.is_finite()).fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    low > 0.0 && low.is_finite() && high > 100.0 * low
}

/// Whether values differ by more than a thousandth, as the end times of runs with other steps do not.
fn varies(values: &[f64]) -> bool {
    let finite = || values.iter().filter(|value| value.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    high - low > 1e-3 * low.abs().max(high.abs())
}

/// The end of a key that tells it from others well enough: what follows the brackets.
fn short_key(key: &str) -> String {
    key.rsplit_once("].").map_or(key, |(_, end)| end).to_owned()
}

/// A column in words.
fn quantity(name: &str) -> String {
    if name.contains(['.', '[']) { name.to_owned() } else { name.replace('_', " ") }
}

/// A column in words with its unit, where it is known.
fn label(name: &str) -> String {
    let unit = match name.rsplit('.').next().unwrap_or_default() {
        "time" | "seconds" | "step" | "end" => "s",
        "kinetic" | "potential" | "stored" | "work" | "error" => "J",
        "kinetic_in" | "potential_in" | "kinetic_out" | "potential_out" | "stored_out" => "J",
        "kinetic_per_body" | "kinetic_energy_per_body" => "J",
        // A share of the pressure that is asked for.
        "pressure_error" => return quantity(name),
        last if last.starts_with("lost_") => "J",
        last if last.starts_with("cell_") => "m",
        last if last.starts_with("angle") => "degrees",
        last if last.starts_with("pressure") || last.starts_with("stress") => "Pa",
        "young" | "shear_modulus" => "Pa",
        "radius" | "length" => "m",
        "density" => "kg/m³",
        "mass" | "left_mass" => "kg",
        "force" => "N",
        "torque" => "N m",
        "velocity" | "max_speed" => "m/s",
        "angular_velocity" => "rad/s",
        "gravity" => "m/s²",
        "rate" | "body_rate" => "1/s",
        "mass_rate" => "kg/s",
        _ => return quantity(name),
    };
    format!("{} ({unit})", quantity(name))
}

#[cfg(test)]
mod tests;
