//! Several runs of one scene side by side: `compare.html` and `compare.csv`.
//!
//! The page is one file that loads nothing, light or dark as the reader prefers: the last states with one camera and one
//! colour scale, a table of what was measured, the energy lost by motion as stacked bars, and the kinetic energy of all runs
//! in one plot. A run that failed is a column that says why.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use glam::DVec3;
use stickslip::ledger::{Loss, Losses};
use stickslip::measure::repose::{ReposeOptions, repose};
use stickslip::{Shape, World};

use super::bars::Bars;
use super::figure::{Axis, Curve, Figure};
use super::file::{base64, csv_field, escape, short_number, write_whole};
use super::fixed::RunInfo;
use super::picture::Drawing;
use super::report::{grouped, note, page, wall};
use super::run_json::{Ending, RunJson};
use super::series::{SeriesLog, SeriesRow};
use super::spread;

/// One run of a comparison.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, also that of its folder.
    pub name: String,
    /// The variant that it is a run of; its name but for the seed.
    pub variant: String,
    /// The seed of its scene.
    pub seed: u64,
    /// What it changes of the scene, as its file says; empty for the scene itself.
    pub changes: String,
    /// What its `run.json` says.
    pub run: RunJson,
    /// The points of the plots.
    pub log: SeriesLog,
    /// The last state; `None` for a run that was never started.
    pub drawing: Option<Drawing>,
    /// The slope of the heap that it left, if it is one.
    pub heap: Option<Heap>,
}

/// The angle of repose of a heap at the end of a run, as `measure repose` has it (degrees).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heap {
    /// The angle.
    pub angle: f64,
    /// Its 95 % interval within this heap.
    pub interval: (f64, f64),
}

impl Heap {
    /// Of a world whose only wall is one level floor; none where there is no slope to speak of.
    pub fn of(world: &World, info: &RunInfo) -> Option<Self> {
        let up = (-world.model().gravity.at(world.time())).try_normalize()?;
        let (mut floors, mut other_walls) = (0, 0);
        let (mut positions, mut radii, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
        for id in world.ids() {
            let body = world.body(id);
            match info.body(id as usize).map(|fixed| fixed.shape) {
                None | Some(Shape::Sphere { .. }) => {
                    positions.push(body.position);
                    radii.push(body.radius);
                    velocities.push(body.velocity);
                }
                Some(Shape::Plane { normal }) if (body.orientation * normal).dot(up) > 1.0 - 1e-12 => floors += 1,
                Some(_) => other_walls += 1,
            }
        }
        if floors != 1
            || other_walls > 0
            || world.cell().is_some()
            || !positions.iter().all(|at: &DVec3| at.is_finite())
        {
            return None;
        }
        let found = repose(&positions, &radii, &velocities, &ReposeOptions::new(up)).ok()?;
        let degrees = |(low, high): (f64, f64)| (low.to_degrees(), high.to_degrees());
        Some(Heap { angle: found.angle.to_degrees(), interval: degrees(found.interval) })
    }
}

/// The runs of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Title of the scene, or the name of its file.
    pub title: String,
    /// The runs, in the order of the columns.
    pub columns: Vec<Column>,
}

/// The files that a comparison writes beside the folders of its runs.
pub const FILES: [&str; 3] = ["compare.csv", "compare.html", spread::FILE];

/// The columns of `compare.csv`: one row a run. Energies in J, times in s, `top` in m, `repose` (empty where the run left no heap on a
/// level floor) and its interval in degrees.
fn columns() -> String {
    let lost = Loss::OF_EVERY_RUN.map(|loss| loss.text().column).join(",");
    format!(
        "name,ending,time,step,steps,bodies,contacts,coordination,top,kinetic,unbalanced_force,{lost},error,wall_seconds,\
         repose,repose_low,repose_high,variant,seed"
    )
}

impl Column {
    pub(super) fn last(&self) -> SeriesRow {
        self.log.rows().last().copied().unwrap_or_default()
    }

    /// When its last numbers were measured (s): its end, or, for a run that failed, some steps before.
    pub fn time(&self) -> f64 {
        self.last().time
    }

    /// Whether it ended as it should.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.run.ending, Ending::Finished | Ending::Stopped(_))
    }

    fn started(&self) -> bool {
        !self.log.rows().is_empty()
    }

    /// Energy lost, by name.
    fn lost(&self) -> Losses {
        self.last().ledger.lost
    }

    pub(super) fn top(&self) -> Option<f64> {
        self.drawing.as_ref().and_then(Drawing::top)
    }

    fn csv(&self) -> String {
        let last = self.last();
        let mut fields = vec![csv_field(&self.name), csv_field(&self.run.ending.to_string())];
        if self.started() {
            fields.extend([format!("{:?}", last.time), format!("{:?}", self.run.step)]);
            fields.extend([last.step, last.bodies as u64, last.contacts as u64].map(|count| count.to_string()));
            fields.push(format!("{:?}", last.coordination));
            fields.push(self.top().map_or(String::new(), |top| format!("{top:?}")));
            let numbers = [last.ledger.kinetic, last.unbalanced_force].into_iter();
            let lost = self.lost();
            let numbers = numbers.chain(Loss::OF_EVERY_RUN.map(|loss| lost[loss]));
            fields
                .extend(numbers.chain([last.ledger.error, self.run.wall_seconds]).map(|number| format!("{number:?}")));
            let heap = self.heap.map(|heap| [heap.angle, heap.interval.0, heap.interval.1]);
            fields.extend(heap.into_iter().flatten().map(|degrees| format!("{degrees:?}")));
        }
        fields.resize(columns().split(',').count() - 2, String::new());
        fields.extend([csv_field(&self.variant), self.seed.to_string()]);
        fields.join(",") + "\n"
    }
}

impl Comparison {
    /// Writes `compare.csv` and `compare.html` into a folder; without the pictures that are not drawn when `stop` is set.
    pub fn write(&self, folder: &Path, stop: &AtomicBool) -> io::Result<()> {
        let [table, page, of_seeds] = FILES.map(|name| folder.join(name));
        write_whole(&table, self.to_csv().as_bytes())?;
        if self.has_seeds() {
            write_whole(&of_seeds, self.spread_csv().as_bytes())?;
        }
        write_whole(&page, self.to_html(stop).as_bytes())
    }

    /// The table.
    pub fn to_csv(&self) -> String {
        format!("{}\n", columns()) + &self.columns.iter().map(Column::csv).collect::<String>()
    }

    /// The page.
    pub fn to_html(&self, stop: &AtomicBool) -> String {
        let title = escape(&self.title);
        let names: Vec<String> = self.columns.iter().map(|column| escape(&column.name)).collect();
        let version = self.columns.first().map_or(String::new(), |column| escape(&column.run.version));
        let body = format!(
            "<p>Compared: {names}.</p>\n\
             {problems}<h2>The last states</h2>\n{pictures}\
             <h2>Measured at the end</h2>\n{table}{spread}\
             <h2>Whether it comes to rest, and where the energy went</h2>\n<div class=\"figures\">\n\
             <figure>{kinetic}</figure>\n<figure>{unbalanced}</figure>\n<figure>{contacts}</figure>\n\
             <figure>{bars}</figure>\n</div>\n\
             <h2>What differs</h2>\n{changes}<footer>stickslip {version}. The numbers are in compare.csv; each run has its own \
             folder and report.</footer>\n",
            names = names.join(", "),
            problems = self.problems(),
            pictures = self.pictures(stop),
            table = self.table(),
            spread = self.spread_table(),
            bars = self.bars().to_svg(),
            kinetic = self.kinetic_figure().to_svg(),
            contacts = self.over_time("Contacts", Axis::linear("contacts"), |row| row.contacts as f64).to_svg(),
            unbalanced = self
                .over_time("Unbalanced force", Axis::log("net force/contact force"), |row| row.unbalanced_force)
                .to_svg(),
            changes = self.changes(),
        );
        page(&title, MORE_STYLE, &body)
    }

    /// Whether a run sets camera and scales: those that ended as they should do, or all if there are none.
    fn counts(&self, column: &Column) -> bool {
        let whole = |column: &Column| column.is_whole() && column.drawing.is_some();
        whole(column) || !self.columns.iter().any(whole)
    }

    fn problems(&self) -> String {
        let problem = |column: &Column| match &column.run.ending {
            Ending::Failed(message) => note("failed", &format!("{} failed: {message}", column.name)),
            Ending::BrokenOff(message) => note("failed", &format!("{} was broken off: {message}", column.name)),
            Ending::Interrupted | Ending::Running => note("warning", &format!("{} was interrupted.", column.name)),
            Ending::Finished | Ending::Stopped(_) => {
                let warnings = column.run.warnings.iter();
                warnings.map(|warning| note("warning", &format!("{}: {warning}", column.name))).collect()
            }
        };
        self.columns.iter().map(problem).collect()
    }

    fn pictures(&self, stop: &AtomicBool) -> String {
        let drawn = self.columns.iter().filter_map(|column| Some((column.drawing.clone()?, self.counts(column))));
        let (files, scale) = Drawing::side_by_side(drawn.collect(), stop);
        let mut files = files.into_iter();
        let mut html = format!(
            "<p class=\"soft\">One camera and one colour scale for all: {}.</p>\n<div class=\"pictures\">\n",
            escape(&scale)
        );
        for column in &self.columns {
            let (name, ending) = (escape(&column.name), escape(&column.run.ending.to_string()));
            let picture = match column.drawing.as_ref().and_then(|_| files.next()?) {
                Some(file) => format!(
                    "<img alt=\"The last state of {name}\" width=\"1200\" height=\"800\" \
                     src=\"data:image/png;base64,{}\">",
                    base64(&file)
                ),
                None => "<p>no picture</p>".to_owned(),
            };
            html += &format!(
                "<figure class=\"picture\">{picture}<figcaption><b>{name}</b> <span>{ending}, at {} s</span>\
                 </figcaption></figure>\n",
                short_number(column.last().time, 4)
            );
        }
        html + "</div>\n"
    }

    fn table(&self) -> String {
        let names: String = self.columns.iter().map(|c| format!("<th class=\"n\">{}</th>", escape(&c.name))).collect();
        let mut html = format!("<div class=\"wide\"><table>\n<tr><th></th>{names}</tr>\n");
        let mut row = |label: &str, text: &dyn Fn(&Column) -> String| {
            let cell = |column: &Column| if column.started() { text(column) } else { "not started".to_owned() };
            let cells: String = self.columns.iter().map(|c| format!("<td class=\"n\">{}</td>", cell(c))).collect();
            html += &format!("<tr><td>{label}</td>{cells}</tr>\n");
        };
        row("ended", &|c| short_ending(&c.run.ending).to_owned());
        row("end time (s)", &|c| short_number(c.last().time, 5));
        row("kinetic energy (J)", &|c| short_number(c.last().ledger.kinetic, 3));
        row("unbalanced force (net/contact)", &|c| short_number(c.last().unbalanced_force, 3));
        row("contacts", &|c| grouped(c.last().contacts as u64));
        row("coordination (contacts a sphere)", &|c| short_number(c.last().coordination, 4));
        row("top (m)", &|c| c.top().map_or("-".to_owned(), |top| short_number(top, 4)));
        if self.columns.iter().any(|column| column.heap.is_some()) {
            row("angle of repose (degrees, 95 % interval)", &|c| {
                let number = |degrees: f64| short_number(degrees, 3);
                let text = |heap: Heap| {
                    format!("{} ({} to {})", number(heap.angle), number(heap.interval.0), number(heap.interval.1))
                };
                c.heap.map_or("-".to_owned(), text)
            });
        }
        for loss in Loss::ALL {
            if self.columns.iter().any(|column| column.lost()[loss] != 0.0) {
                row(&format!("lost to {} (J)", loss.text().cause), &|c| short_number(c.lost()[loss], 4));
            }
        }
        row("error of the balance (J)", &|c| short_number(c.last().ledger.error, 2));
        row("bodies", &|c| grouped(c.last().bodies as u64));
        row("step (s)", &|c| short_number(c.run.step, 4));
        row("steps", &|c| grouped(c.last().step));
        row("wall time", &|c| wall(c.run.wall_seconds));
        html + "</table></div>\n"
    }

    /// Energy lost by motion, a bar for each run. The losses of a run that failed may be beyond all measure: the table has them.
    pub fn bars(&self) -> Bars {
        // What is not of contacts is shown where there is any.
        let any = |loss: &Loss| {
            Loss::OF_CONTACTS.contains(loss) || self.columns.iter().any(|column| column.lost()[*loss] != 0.0)
        };
        let shown: Vec<Loss> = Loss::ALL.into_iter().filter(any).collect();
        let parts = shown.iter().map(|loss| loss.text().cause.to_owned()).collect();
        let drawn = self.columns.iter().filter(|column| self.counts(column));
        let bars = drawn
            .map(|column| (column.name.clone(), shown.iter().map(|loss| column.lost()[*loss]).collect()))
            .collect();
        Bars { title: "Energy lost, by motion".into(), x: Axis::linear("lost energy (J)"), parts, bars }
    }

    /// Kinetic energy of all runs against time, on a logarithmic axis.
    pub fn kinetic_figure(&self) -> Figure {
        self.over_time("Coming to rest", Axis::log("kinetic energy (J)"), |row| row.ledger.kinetic)
    }

    fn over_time(&self, title: &str, y: Axis, value: impl Fn(&SeriesRow) -> f64) -> Figure {
        let curve = |c: &Column| Curve::line(&c.name, c.log.rows().iter().map(|row| (row.time, value(row))));
        let curves = self.columns.iter().map(curve).collect();
        Figure { title: title.into(), x: Axis::linear("time (s)"), y, right: None, curves }
    }

    fn changes(&self) -> String {
        let of = |column: &Column| {
            let name = escape(&column.name);
            if column.changes.is_empty() {
                return format!("<p><b>{name}</b>: the scene as it is.</p>\n");
            }
            format!("<details><summary>{name}</summary>\n<pre>{}</pre></details>\n", escape(&column.changes))
        };
        self.columns.iter().map(of).collect()
    }
}

fn short_ending(ending: &Ending) -> &'static str {
    match ending {
        Ending::Finished => "at its end time",
        Ending::Stopped(_) => "by its stop rule",
        Ending::Failed(_) => "failed",
        Ending::BrokenOff(_) => "broken off",
        Ending::Interrupted | Ending::Running => "interrupted",
    }
}

pub(super) const MORE_STYLE: &str = "\
main{max-width:1500px}.soft{color:var(--soft);margin:-8px 0 12px}\
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(380px,100%),1fr));gap:16px}\
figcaption{padding:8px 12px;border-top:1px solid var(--line)}figcaption span{color:var(--soft);font-size:14px}\
.figures{align-items:start}.wide{overflow-x:auto}th.n{text-align:right}details{margin-top:12px}";

#[cfg(test)]
mod tests {
    use stickslip::law::{Hooke, Normal, SpringLaws};
    use stickslip::setup::Described;
    use stickslip::{Body, Material, Model, Motion, Setup};

    use super::super::testing::{small_world, tags};
    use super::*;

    fn column(name: &str, steps: usize) -> Column {
        let (mut world, _) = small_world();
        let mut log = SeriesLog::default();
        log.offer(&world, false);
        for _ in 0..steps {
            world.step().unwrap();
            log.offer(&world, false);
        }
        let mut run = RunJson::starting("t", Path::new("a.toml"), "", &[]);
        run.ending = Ending::Finished;
        let drawing = Some(Drawing::of(&world));
        Column {
            name: name.into(),
            variant: name.into(),
            seed: 1,
            changes: "[[contact]]\n<x>".into(),
            run,
            log,
            drawing,
            heap: None,
        }
    }

    fn three() -> Comparison {
        let mut failed = column("b", 20);
        failed.run.ending = Ending::Failed("body 3 is <gone>, \"far\" away".into());
        let mut never = column("c", 0);
        (never.log, never.drawing, never.run.ending) = (SeriesLog::default(), None, Ending::Interrupted);
        Comparison { title: "A & B".into(), columns: vec![column("a", 40), failed, never] }
    }

    #[test]
    fn the_page_is_whole_loads_nothing_and_says_what_failed() {
        let html = three().to_html(&AtomicBool::new(false));
        tags(&html);
        for text in ["A &amp; B", "b failed: body 3 is &lt;gone&gt;", "c was interrupted", "&lt;x&gt;", "not started"] {
            assert!(html.contains(text), "{text}");
        }
        let mut rest = html.replace("http://www.w3.org/2000/svg", "");
        while let Some(start) = rest.find("base64,") {
            let end = start + rest[start..].find('"').unwrap();
            rest.replace_range(start..end, "");
        }
        assert!(!["http", "NaN", "inf", "<script"].iter().any(|text| rest.contains(text)));
    }

    /// Spheres on a lattice under a cone of 30 degrees, on a floor; with other walls if asked for.
    fn cone(walls: &[DVec3]) -> Option<Heap> {
        let (radius, height) = (0.002, 0.06);
        let mut bodies = Vec::new();
        for at in 0..100_usize.pow(3) {
            let [x, y, z] = [at % 100, at / 100 % 100, at / 10_000].map(|k| 2.02 * radius * k as f64);
            let place = DVec3::new(x - 0.2, y - 0.2, z + radius);
            if place.z < height - place.x.hypot(place.y) * 1.0 / 3_f64.sqrt() {
                bodies.push(Body::new(Shape::Sphere { radius }, 0, place));
            }
        }
        for &normal in [DVec3::Z].iter().chain(walls) {
            bodies.push(Body {
                motion: Motion::Fixed,
                ..Body::new(Shape::Plane { normal }, 0, -normal * (1.0 - normal.z))
            });
        }
        let mut model = Model::new(vec![Material { name: "a".into(), density: 1.0 }], 1e-5);
        model.gravity = (DVec3::Z * -9.81).into();
        model.laws.set(0, 0, SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0))));
        let setup = Setup { model, bodies };
        let info = RunInfo::new(&Described::from(&setup), &[]);
        Heap::of(&World::new(setup).unwrap(), &info)
    }

    #[test]
    fn a_heap_on_a_level_floor_has_an_angle_and_one_between_walls_has_none() {
        let heap = cone(&[]).unwrap();
        // Heights are known to a spacing of 4 mm over the 42 mm of the fit: a tenth of the slope, 2.5 degrees.
        assert!((heap.angle - 30.0).abs() < 2.5, "{heap:?}");
        assert!(heap.interval.0 <= heap.angle && heap.angle <= heap.interval.1, "{heap:?}");
        assert_eq!(cone(&[DVec3::X]), None);
    }

    /// Camera, colours and bars once followed a run that had blown up, and the others were dots in the dark.
    #[test]
    fn a_run_that_failed_does_not_set_the_scales() {
        let mut three = three();
        let names =
            |comparison: &Comparison| comparison.bars().bars.iter().map(|bar| bar.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&three), ["a"]);
        let alone = Comparison { columns: vec![three.columns[0].clone()], ..three.clone() };
        let picture = |comparison: &Comparison| {
            let html = comparison.pictures(&AtomicBool::new(false));
            let at = html.find("base64,").unwrap();
            html[at..].split('"').next().unwrap().to_owned()
        };
        assert!(picture(&alone) == picture(&three));
        // If none ended well, all count.
        three.columns[0].run.ending = Ending::Interrupted;
        assert_eq!(names(&three).len(), 3);
    }

    #[test]
    fn the_table_has_a_row_for_each_run_also_for_one_that_never_began() {
        let csv = three().to_csv();
        let rows: Vec<&str> = csv.lines().collect();
        assert_eq!(rows.len(), 4);
        assert!(rows[1].starts_with("a,finished,"), "{csv}");
        assert!(rows[2].starts_with("b,\"failed: body 3 is <gone>, \"\"far\"\" away\","), "{csv}");
        assert_eq!(rows[3], "c,interrupted".to_owned() + &",".repeat(20) + "c,1");
        assert_eq!(rows[0].split(',').count(), rows[1].split(',').count());
    }
}
