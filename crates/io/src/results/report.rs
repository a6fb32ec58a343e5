//! What is made when a run ends: `energy.svg`, `contacts.svg`, `picture.png` and `report.html`.
//!
//! The page is one file: plots inside as SVG, the picture as base64, its style in its head, light or dark as the reader
//! prefers. It loads nothing. Plots come from a `SeriesLog`, so that they stay small for any length of run; the same
//! page can be made again from `series.csv`, read back by `SeriesLog::read`.

use std::fs;
use std::io;
use std::path::Path;

use stickslip::ledger::Loss;

use super::figure::{Axis, Curve, Figure};
use super::file::{at, base64, escape, short_number, write_whole};
use super::growing::StageMark;
use super::run_folder::RunFolder;
use super::run_json::{Ending, RunJson};
use super::series::{SeriesLog, SeriesRow};
use super::summary::{EnergyFlows, percent_text};
use crate::scene::Course;

/// Everything the end of a run is described from.
#[derive(Clone, Debug)]
pub struct Closing<'a> {
    /// What `run.json` says.
    pub run: &'a RunJson,
    /// The resolved scene.
    pub scene: &'a str,
    /// The points of the plots.
    pub log: &'a SeriesLog,
    /// The schedules of the scene.
    pub schedules: &'a [Course],
    /// The picture of the last state, a PNG file, unless it was not drawn.
    pub picture: Option<&'a [u8]>,
}

/// The picture in a run's folder.
pub const PICTURE: &str = "picture.png";
/// The report of a run.
pub const REPORT: &str = "report.html";

/// The page says so in place of the picture.
const NOT_DRAWN: &str = "The picture was not drawn: the program was asked to end. `stickslip resume` draws it.";

impl Closing<'_> {
    /// Writes the figures, the picture and the report into the run's folder.
    pub fn write(&self, folder: &RunFolder) -> io::Result<()> {
        let write = |name: &str, content: &[u8]| write_whole(&folder.path().join(name), content);
        write("energy.svg", energy_figure(self.log.rows()).to_svg().as_bytes())?;
        write("contacts.svg", contacts_figure(self.log.rows()).to_svg().as_bytes())?;
        match self.picture {
            Some(picture) => write(PICTURE, picture)?,
            // One of an earlier end would be of another state.
            None => remove_if_there(&folder.path().join(PICTURE))?,
        }
        write(REPORT, self.to_html().as_bytes())
    }

    /// The page.
    pub fn to_html(&self) -> String {
        let run = self.run;
        let rows = self.log.rows();
        let title = if run.title.is_empty() { escape(&run.scene_file) } else { escape(&run.title) };
        let stages: Vec<(f64, &str)> =
            run.stages.iter().skip(1).map(|stage| (stage.time, stage.name.as_str())).collect();
        let all = [energy_figure, losses_figure, contacts_figure, kinetic_figure, unbalanced_figure, error_figure];
        let of_cell = rows.iter().any(|row| row.cell.is_some()).then(|| cell_figures(rows));
        let of_solver = rows.iter().any(|row| row.solver.is_some()).then(|| solver_figures(rows));
        let special = of_cell.into_iter().chain(of_solver).flatten();
        let end = rows.last().map_or(0.0, |row| row.time);
        let scheduled = self.schedules.iter().map(|course| schedule_figure(course, end));
        let figures = scheduled.chain(special).chain(all.iter().map(|figure| figure(rows)));
        let figures: String =
            figures.map(|figure| format!("<figure>{}</figure>\n", figure.to_svg_with_stages(&stages))).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{ending}{warnings}{numbers}\
             {picture}{stages}<h2>Where the energy went</h2>\n{energy}<h2>In the course of time</h2>\n\
             <div class=\"figures\">\n{figures}</div>\n\
             <details><summary>The scene, with every default written out</summary>\n<pre>{scene}</pre></details>\n\
             <footer>stickslip {version}{commit}, {started}</footer>\n</main>\n</body>\n</html>\n",
            ending = ending(&run.ending),
            warnings = run.warnings.iter().map(|w| note("warning", &format!("Warning: {w}"))).collect::<String>(),
            numbers = numbers(run, rows.last()),
            picture = self.picture.map_or_else(|| note("warning", NOT_DRAWN), picture_figure),
            energy = energy_table(rows),
            stages = stage_table(run),
            scene = escape(self.scene),
            version = escape(&run.version),
            commit = run.commit.as_ref().map_or(String::new(), |commit| format!(" ({})", escape(commit))),
            started = escape(&run.started),
        )
    }
}

pub(super) const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1d2126;--soft:#5b646f;--paper:#f4f5f7;--card:#fff;--line:#dcdfe4;--bar:#0072b2}\
@media (prefers-color-scheme:dark){:root{--ink:#dde1e6;--soft:#9aa2ac;--paper:#0e1013;--card:#16191d;--line:#30353c;\
--bar:#4aa8e8}.picture img{filter:brightness(.86)}}\
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,'Segoe UI',Roboto,Helvetica,Arial,\
sans-serif}main{max-width:1160px;margin:0 auto;padding:24px 20px 48px}h1{margin:0 0 8px}h2{margin:36px 0 12px}\
.note{border-left:4px solid var(--bar);background:var(--card);padding:8px 14px;margin:8px 0;overflow-wrap:anywhere}\
.warning{border-color:#e69f00}.failed{border-color:#d55e00}\
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px;margin:18px 0}\
dl div{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:8px 12px}\
dt{color:var(--soft);font-size:13px}dd{margin:0;font-size:19px;font-variant-numeric:tabular-nums}\
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:6px;overflow:hidden}\
.picture img,figure svg{display:block;width:100%;height:auto}\
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(520px,100%),1fr));gap:16px}\
table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line)}\
td,th{padding:5px 12px;text-align:left;border-top:1px solid var(--line)}th{color:var(--soft);font-weight:600}\
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}td.b{width:34%}\
td.b i{display:block;height:11px;border-radius:2px;background:var(--bar)}\
details{margin-top:36px}summary{cursor:pointer;font-weight:600}\
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:14px;overflow:auto;font-size:13px}\
footer{margin-top:32px;color:var(--soft);font-size:13px}";

/// Puts the picture of a run that is over where it is missing: into a file of its own and into the page.
pub fn add_picture(folder: &RunFolder, picture: &[u8]) -> io::Result<()> {
    let page = folder.path().join(REPORT);
    let html = fs::read_to_string(&page).map_err(|error| at(&page, error))?;
    let html = html.replacen(&note("warning", NOT_DRAWN), &picture_figure(picture), 1);
    write_whole(&page, html.as_bytes())?;
    write_whole(&folder.path().join(PICTURE), picture)
}

fn picture_figure(picture: &[u8]) -> String {
    format!(
        "<figure class=\"picture\"><img alt=\"The last state\" width=\"1200\" height=\"800\" \
         src=\"data:image/png;base64,{}\"></figure>\n",
        base64(picture)
    )
}

fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(file, error)),
        _ => Ok(()),
    }
}

/// A whole page. The title and the body are HTML.
pub(super) fn page(title: &str, more_style: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}{more_style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</body>\n</html>\n"
    )
}

pub(super) fn note(class: &str, text: &str) -> String {
    format!("<p class=\"note {class}\">{}</p>\n", escape(text))
}

/// One sentence about how the run ended.
fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Running => note("warning", "The run has not ended."),
        Ending::Finished => note("", "The run reached its end time."),
        Ending::Stopped(rule) => note("", &format!("The run stopped by its rule: {rule}.")),
        Ending::Failed(message) => note("failed", &format!("The run failed: {message}")),
        Ending::Interrupted => note("warning", "The run was interrupted by the user."),
        Ending::BrokenOff(message) => note("failed", &format!("The run was broken off: {message}")),
    }
}

/// The numbers at the head of the page.
fn numbers(run: &RunJson, last: Option<&SeriesRow>) -> String {
    let speed = if run.wall_seconds > 0.0 { run.steps as f64 / run.wall_seconds } else { 0.0 };
    let mut items = vec![
        ("simulated time", format!("{} s", short_number(run.simulated_time, 5))),
        ("step", format!("{} s", short_number(run.step, 4))),
        ("steps", grouped(run.steps)),
        ("wall time", wall(run.wall_seconds)),
        ("steps per second", grouped(speed as u64)),
        ("threads", format!("{} ({})", run.threads, escape(&run.cpu))),
        ("bodies", grouped(run.bodies as u64)),
        ("contacts", grouped(run.contacts as u64)),
    ];
    if !run.resumed.is_empty() {
        let times = run.resumed.len();
        items.push(("resumed", format!("{times} time{}", if times == 1 { "" } else { "s" })));
    }
    if run.entered + run.left > 0 {
        items.push(("entered", grouped(run.entered)));
        items.push(("left", grouped(run.left)));
    }
    if let Some(row) = last {
        items.push(("coordination", format!("{:.3}", row.coordination)));
        if let Some(cell) = &row.cell {
            items.push(("volume fraction", format!("{:.4}", cell.get("volume_fraction"))));
            items.push(("coordination without rattlers", format!("{:.3}", cell.get("coordination_held"))));
            items.push(("rattlers", format!("{:.1} %", 100.0 * cell.get("rattlers"))));
        }
        items.push(("unbalanced force", short_number(row.unbalanced_force, 3)));
        if let Some(solver) = &row.solver {
            items.push(("steps not solved to tolerance", grouped(solver.get("unsolved") as u64)));
        }
    }
    let cells: String = items.iter().map(|(name, text)| format!("<div><dt>{name}</dt><dd>{text}</dd></div>")).collect();
    format!("<dl>{cells}</dl>\n")
}

/// A count with thin spaces between thousands.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

pub(super) fn wall(seconds: f64) -> String {
    let whole = seconds as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// The balance between the first and the last row, with bars.
fn energy_table(rows: &[SeriesRow]) -> String {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return "<p>There is no row to tell from.</p>\n".into();
    };
    let flows = EnergyFlows::between(&first.ledger, &last.ledger);
    let row = |(label, energy): &(&str, f64)| {
        let percent = flows.percent(*energy);
        format!(
            "<tr><td>{label}</td><td class=\"n\">{} J</td><td class=\"n\">{} %</td>\
             <td class=\"b\"><i style=\"width:{:.1}%\"></i></td></tr>\n",
            short_number(*energy, 5),
            percent_text(percent),
            percent.clamp(0.0, 100.0)
        )
    };
    let list = |rows: &[(&str, f64)]| rows.iter().map(row).collect::<String>();
    format!(
        "<table>\n<tr><th colspan=\"4\">From</th></tr>\n{}<tr><th colspan=\"4\">To</th></tr>\n{}\
         <tr><th colspan=\"4\">Balance</th></tr>\n{}</table>\n",
        list(&flows.from),
        list(&flows.to),
        row(&("error", flows.error))
    )
}

/// The stages of a run, with the time at which each began; empty without any.
fn stage_table(run: &RunJson) -> String {
    let row = |stage: &StageMark| {
        let ended = stage.ended.as_ref().map_or("", |(_, how)| how);
        let cells = [short_number(stage.time, 4), stage.first_step.to_string(), short_number(stage.step, 4)];
        let cells: String = cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
        format!("<tr><td>{}</td>{cells}<td>{}</td></tr>\n", escape(&stage.name), escape(ended))
    };
    if run.stages.is_empty() {
        return String::new();
    }
    let rows: String = run.stages.iter().map(row).collect();
    let head = "<tr><th>Stage</th><th>begins (s)</th><th>after steps</th><th>step (s)</th><th>ended</th></tr>";
    format!("<h2>Stages</h2>\n<table>\n{head}\n{rows}</table>\n")
}

fn curve(name: &str, rows: &[SeriesRow], value: impl Fn(&SeriesRow) -> f64) -> Curve {
    Curve::line(name, rows.iter().map(|row| (row.time, value(row))))
}

fn over_time(title: &str, y: Axis, curves: Vec<Curve>) -> Figure {
    Figure { title: title.into(), x: Axis::linear("time (s)"), y, right: None, curves }
}

/// A schedule up to the end of the run.
pub fn schedule_figure(course: &Course, end: f64) -> Figure {
    let curve = |(name, values): &(String, Vec<f64>)| {
        let name = if name.is_empty() { &course.key } else { name };
        Curve::line(name, course.points(values, end))
    };
    let curves = course.components.iter().map(curve).collect();
    over_time(&format!("Schedule of {}", course.key), Axis::linear(&format!("value ({})", course.unit)), curves)
}

/// Kinetic, potential, stored and lost energy. Potential energy has no zero of its own: it is shown above its least.
pub fn energy_figure(rows: &[SeriesRow]) -> Figure {
    let least = rows.iter().map(|row| row.ledger.potential).fold(f64::INFINITY, f64::min);
    let mut curves = vec![
        curve("kinetic", rows, |row| row.ledger.kinetic),
        curve("potential above its least", rows, |row| row.ledger.potential - least),
        curve("stored in contacts", rows, |row| row.ledger.stored),
        curve("lost", rows, |row| row.ledger.total_lost()),
    ];
    if rows.iter().any(|row| row.ledger.work != 0.0) {
        curves.push(curve("work put in", rows, |row| row.ledger.work));
    }
    over_time("Energy", Axis::linear("energy (J)"), curves)
}

/// The losses by motion.
pub fn losses_figure(rows: &[SeriesRow]) -> Figure {
    // What is not of contacts is shown where there is any.
    let any = |loss: &Loss| Loss::OF_CONTACTS.contains(loss) || rows.iter().any(|row| row.ledger.lost[*loss] != 0.0);
    let losses = Loss::ALL.into_iter().filter(any);
    let curves = losses.map(|loss| curve(loss.text().cause, rows, |row| row.ledger.lost[loss])).collect();
    over_time("Energy lost, by motion", Axis::linear("lost energy (J)"), curves)
}

/// Contacts, with the coordination on the right where it is the same multiple of their number at all times: no bodies come
/// or go, and nothing touches walls.
pub fn contacts_figure(rows: &[SeriesRow]) -> Figure {
    let curves = vec![curve("contacts", rows, |row| row.contacts as f64)];
    let mut figure = over_time("Contacts", Axis::linear("contacts"), curves);
    let each: Vec<f64> =
        rows.iter().filter(|row| row.contacts > 0).map(|row| row.coordination / row.contacts as f64).collect();
    // A quotient of rounded numbers.
    let same = |each: &[f64]| each.iter().all(|value| (value - each[0]).abs() <= 1e-12 * each[0]);
    figure.right =
        each.first().filter(|_| same(&each)).map(|&factor| ("coordination, contacts a sphere".into(), factor));
    figure
}

/// How a packing in a cell changes: volume fraction, coordination, pressures, and how far they are from their target.
pub fn cell_figures(rows: &[SeriesRow]) -> Vec<Figure> {
    let of =
        |name: &str, column: &str| curve(name, rows, |row| row.cell.as_ref().map_or(f64::NAN, |cell| cell.get(column)));
    let fraction =
        over_time("Volume fraction", Axis::linear("volume fraction"), vec![of("volume fraction", "volume_fraction")]);
    let coordination =
        vec![of("without rattlers", "coordination_held"), curve("all spheres", rows, |row| row.coordination)];
    let coordination = over_time("Coordination", Axis::linear("contacts a sphere"), coordination);
    let pressures = ["xx", "yy", "zz", "xy", "xz", "yz"].map(|pair| of(pair, &format!("pressure_{pair}")));
    let pressures = over_time("Pressure", Axis::linear("pressure (Pa)"), pressures.to_vec());
    let mut figures = vec![fraction, coordination, pressures];
    let targeted = |row: &SeriesRow| row.cell.is_some_and(|cell| cell.get("pressure_error").is_finite());
    if rows.iter().any(targeted) {
        let error = vec![of("largest of six", "pressure_error")];
        figures.push(over_time("Distance from the applied pressure", Axis::log("error/applied pressure"), error));
    }
    figures
}

/// How well steps were solved: residual, iterations, overlap.
pub fn solver_figures(rows: &[SeriesRow]) -> Vec<Figure> {
    let of = |name: &str, column: &str| {
        curve(name, rows, |row| row.solver.as_ref().map_or(f64::NAN, |solver| solver.get(column)))
    };
    let residual = vec![of("root mean square", "residual"), of("largest", "residual_max")];
    vec![
        over_time("Residual of the solver", Axis::log("residual (m/s)"), residual),
        over_time("Iterations of the solver", Axis::linear("iterations a step"), vec![of("iterations", "iterations")]),
        over_time("Deepest overlap", Axis::log("overlap (m)"), vec![of("overlap", "penetration")]),
    ]
}

/// Kinetic energy on a logarithmic axis: whether it comes to rest.
pub fn kinetic_figure(rows: &[SeriesRow]) -> Figure {
    let curves = vec![curve("kinetic", rows, |row| row.ledger.kinetic)];
    over_time("Coming to rest", Axis::log("kinetic energy (J)"), curves)
}

/// How far the forces are from balancing, on a logarithmic axis.
pub fn unbalanced_figure(rows: &[SeriesRow]) -> Figure {
    let curves = vec![curve("unbalanced force", rows, |row| row.unbalanced_force)];
    over_time("Unbalanced force", Axis::log("net force/contact force"), curves)
}

/// The error of the balance.
pub fn error_figure(rows: &[SeriesRow]) -> Figure {
    let curves = vec![curve("error", rows, |row| row.ledger.error)];
    over_time("Error of the energy balance", Axis::linear("error (J)"), curves)
}

#[cfg(test)]
mod tests {
    use super::super::cell_row::CellRow;
    use super::super::picture::Drawing;
    use super::super::testing::{small_world, tags, test_folder};
    use super::*;

    #[test]
    fn a_schedule_is_drawn_from_the_start_to_the_end_of_the_run() {
        let speed = vec![0.0, 2.0, 1.0];
        let key = "body[belt].motion.belt".to_owned();
        let course = Course { key, unit: "m/s", times: vec![1.0, 3.0, 9.0], components: vec![("x".into(), speed)] };
        let figure = schedule_figure(&course, 6.0);
        assert_eq!(figure.curves[0].points, [(0.0, 0.0), (1.0, 0.0), (3.0, 2.0), (6.0, 1.5)]);
        assert_eq!(schedule_figure(&course, 0.5).curves[0].points, [(0.0, 0.0), (0.5, 0.0)]);
        assert_eq!(schedule_figure(&course, 10.0).curves[0].points.last(), Some(&(10.0, 1.0)));
        assert!(figure.to_svg().contains("Schedule of body[belt].motion.belt"));
    }

    #[test]
    fn the_page_is_whole_and_loads_nothing() {
        let (mut world, _) = small_world();
        let mut log = SeriesLog::default();
        log.offer(&world, false);
        for _ in 0..1000 {
            world.step().unwrap();
            log.offer(&world, false);
        }
        log.offer(&world, true);
        let scene = "title = \"<A & B>\"\n";
        let mut run = RunJson::starting("<A & B>", Path::new("a.toml"), scene, &[]);
        run.ending = Ending::Failed("body 3 is <gone>".into());
        run.warnings.push("the step is large".into());
        let path = test_folder("report");
        let folder = RunFolder::create(&path, false, &[]).unwrap();
        let picture = Drawing::of(&world).to_png();
        let closing = Closing { run: &run, scene, log: &log, schedules: &[], picture: Some(&picture) };
        closing.write(&folder).unwrap();
        let html = std::fs::read_to_string(path.join("report.html")).unwrap();
        assert_eq!(html, closing.to_html());
        tags(&html);
        for text in ["&lt;A &amp; B&gt;", "body 3 is &lt;gone&gt;", "the step is large", "lost to normal damping"] {
            assert!(html.contains(text), "{text}");
        }
        // Any three letters may stand in the picture by chance.
        let rest = html.replace(&base64(&picture), "").replace("http://www.w3.org/2000/svg", "");
        assert!(!["http", "NaN", "<script"].iter().any(|text| rest.contains(text)));
        for name in ["energy.svg", "contacts.svg"] {
            tags(&std::fs::read_to_string(path.join(name)).unwrap());
        }
        assert_eq!(std::fs::read(path.join("picture.png")).unwrap(), picture);
        std::fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_run_without_a_row_still_has_a_page() {
        let run = RunJson::starting("", Path::new("a.toml"), "", &[]);
        let closing = Closing { run: &run, scene: "", log: &SeriesLog::default(), schedules: &[], picture: None };
        let html = closing.to_html();
        tags(&html);
        assert!(html.contains("<h1>a.toml</h1>"));
    }

    #[test]
    fn a_missing_picture_is_put_where_it_would_have_been() {
        let path = test_folder("report-without-picture");
        let folder = RunFolder::create(&path, false, &[]).unwrap();
        let run = RunJson::starting("", Path::new("a.toml"), "", &[]);
        let closing = Closing { run: &run, scene: "", log: &SeriesLog::default(), schedules: &[], picture: None };
        std::fs::write(path.join(PICTURE), "of an earlier end").unwrap();
        closing.write(&folder).unwrap();
        assert!(!path.join(PICTURE).exists() && closing.to_html().contains("stickslip resume"));
        add_picture(&folder, b"picture").unwrap();
        let whole = Closing { picture: Some(b"picture"), ..closing }.to_html();
        assert_eq!(std::fs::read_to_string(path.join(REPORT)).unwrap(), whole);
        assert_eq!(std::fs::read(path.join(PICTURE)).unwrap(), b"picture");
        std::fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_packing_has_plots_of_its_own() {
        let fields = |value: &'static str| vec![value; super::super::cell_row::COLUMNS.len()];
        let row = |time: f64, value| SeriesRow { time, cell: CellRow::parse(&fields(value)), ..SeriesRow::default() };
        let rows = [row(0.0, "0.25"), row(1.0, "0.5")];
        let figures = cell_figures(&rows);
        let titles: Vec<&str> = figures.iter().map(|figure| figure.title.as_str()).collect();
        assert_eq!(titles, ["Volume fraction", "Coordination", "Pressure", "Distance from the applied pressure"]);
        assert_eq!(figures[0].curves[0].points, [(0.0, 0.25), (1.0, 0.5)]);
        figures.iter().for_each(|figure| {
            tags(&figure.to_svg());
        });
        // Without a target there is no distance from it.
        assert_eq!(cell_figures(&[row(0.0, "NaN")]).len(), 3);
    }

    #[test]
    fn counts_and_times_are_easy_to_read() {
        assert_eq!(grouped(1_234_567), "1\u{2009}234\u{2009}567");
        assert_eq!([3.21, 75.0, 7260.0].map(wall), ["3.2 s", "1 min 15 s", "2 h 01 min"]);
    }
}
