//! What was measured, as a Markdown page, a CSV table and a plot of cost against size.

use std::time::SystemTime;

use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};
use stickslip_io::results::utc;

use crate::machine;
use crate::packing::Friction;
use crate::versus::{Row, name};

/// All that is measured against one peer.
pub struct Report {
    /// The peer.
    pub peer: &'static str,
    /// The packing.
    pub scene: &'static str,
    /// Our laws in words.
    pub laws: &'static str,
    /// Repetitions.
    pub repeats: u32,
    /// When and where.
    pub made: Made,
    /// What was measured.
    pub rows: Vec<Row>,
    /// What could not be, and why.
    pub missing: Vec<String>,
}

/// When and where something was measured, and with which stickslip.
pub struct Made {
    /// UTC.
    pub date: String,
    /// Processor and cores.
    pub machine: String,
    /// Version and commit.
    pub version: String,
}

impl Made {
    /// Here and now.
    pub fn now() -> Self {
        let commit = std::process::Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
        let commit = commit.ok().filter(|output| output.status.success());
        let commit =
            commit.map_or(String::new(), |output| format!(" ({})", String::from_utf8_lossy(&output.stdout).trim()));
        let simd = stickslip::law::kernel::Simd::widest().name();
        Made {
            date: utc::iso8601(SystemTime::now()),
            machine: format!("{}, {simd}", machine::processor()),
            version: format!("stickslip {}{commit}", env!("CARGO_PKG_VERSION")),
        }
    }
}

impl Report {
    /// The page.
    pub fn markdown(&self) -> String {
        let theirs = self.rows.first().map_or(self.peer, |row| row.version.as_str());
        let Made { date, machine, version } = &self.made;
        let peer = self.peer;
        let mut text = format!(
            "# stickslip and {peer}: {} spheres\n\n{date}, {machine}; {version}; {theirs}.\n\n\
             The same spheres at the same places in a box of six planes, the nearest equal laws. Ours: {}.\n\
             Times are CPU time of stepping alone, in ns per sphere and step, or per contact and step; the least of {} \
             repetitions, ours and {peer} in turns, after the same warm-up. {peer} has its fastest setting of those tried. \
             Contacts (with walls) and listed pairs are counted once, per sphere; kinetic energies after the last step are in \
             the CSV file.\n\n",
            self.scene, self.laws, self.repeats
        );
        text += &format!(
            "| friction | law of {peer} | spheres | cores | ours | {peer} | ratio | ours a contact | {peer} a contact | ratio | \
             elapsed, ours | {peer} | contacts, ours | {peer} | listed, ours | {peer} | setting of {peer} | load |\n"
        );
        text += &format!("| --- | --- |{}{}\n", " ---: |".repeat(14), " --- | ---: |");
        self.rows.iter().for_each(|row| text += &line(row));
        for missing in &self.missing {
            text += &format!("\nNot measured: {missing}.\n");
        }
        text
    }

    /// The table, a row a line.
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "date,machine,version,peer,peer_version,scene,friction,law,spheres,cores,steps,repeats,skin,newton,\
             ours_cpu_ns,peer_cpu_ns,ratio,ours_contact_ns,peer_contact_ns,contact_ratio,ours_wall_ns,peer_wall_ns,\
             ours_contacts,peer_contacts,ours_listed,peer_listed,ours_kinetic,peer_kinetic,load\n",
        );
        let quoted = |words: &str| format!("\"{}\"", words.replace('"', "\"\""));
        for row in &self.rows {
            let words = [&self.made.date, &self.made.machine, &self.made.version].map(|words| quoted(words)).join(",");
            let (ours, theirs) = (&row.ours, &row.theirs);
            text += &format!(
                "{words},{},{},{},{},{},{},{},{},{},{},{},",
                self.peer,
                quoted(&row.version),
                self.scene,
                name(row.friction),
                quoted(row.law),
                row.spheres,
                row.cores,
                row.steps,
                self.repeats,
                row.setting.skin,
                row.setting.newton
            );
            let numbers = [
                ours.cpu,
                theirs.cpu,
                row.ratio(),
                ours.per_contact(),
                theirs.per_contact(),
                row.contact_ratio(),
                ours.wall,
                theirs.wall,
                ours.contacts,
                theirs.contacts,
                ours.listed,
                theirs.listed,
                ours.kinetic,
                theirs.kinetic,
                row.load,
            ];
            text += &numbers.map(|x| x.to_string()).join(",");
            text.push('\n');
        }
        text
    }

    /// CPU time per sphere and step against the number of spheres, a plot for each friction.
    pub fn figure(&self) -> String {
        let plot = |friction: Friction, title: &str| Plot {
            title: title.into(),
            x: Axis::log("spheres"),
            y: Axis::log("CPU time (ns per sphere and step)"),
            x_range: None,
            y_range: self.range(),
            levels: Vec::new(),
            series: self.series(friction),
        };
        let plots = [plot(Friction::All, "all frictions"), plot(Friction::Slide, "sliding alone")];
        let plots: Vec<Plot> = plots.into_iter().filter(|plot| !plot.series.is_empty()).collect();
        let title = format!("stickslip and {}: {} spheres, {}", self.peer, self.scene, self.made.date);
        Multiples { title, columns: plots.len().max(1), plots }.to_svg()
    }

    /// Laws of the peer, each once: one has the same colour in every plot.
    fn laws(&self) -> Vec<&str> {
        let mut laws: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !laws.contains(&row.law) {
                laws.push(row.law);
            }
        }
        laws
    }

    /// One vertical axis for all plots, with some room at its ends.
    fn range(&self) -> Option<(f64, f64)> {
        let times = || self.rows.iter().flat_map(|row| [row.ours.cpu, row.theirs.cpu]);
        let (low, high) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
        (low < high).then_some((0.8 * low, 1.25 * high))
    }

    fn series(&self, friction: Friction) -> Vec<Series> {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.friction == friction).collect();
        let mut cores: Vec<usize> = rows.iter().map(|row| row.cores).collect();
        cores.sort_unstable();
        cores.dedup();
        let laws = self.laws();
        let mut series = Vec::new();
        for (k, &cores) in cores.iter().enumerate() {
            let line = if k == 0 { Line::Solid } else { Line::Dashed };
            let here: Vec<&&Row> = rows.iter().filter(|row| row.cores == cores).collect();
            // Against each law ours was measured anew; the first stands for all.
            let ours = here.iter().filter(|row| row.law == here[0].law).map(|row| (row.spheres as f64, row.ours.cpu));
            let marks = Series::marks(&format!("stickslip, cores: {cores}"), 0, Symbol::Circle, ours);
            series.push(Series { line, ..marks });
            for (colour, law) in laws.iter().enumerate().filter(|(_, law)| here.iter().any(|row| row.law == **law)) {
                let theirs = here.iter().filter(|row| row.law == *law).map(|row| (row.spheres as f64, row.theirs.cpu));
                let name = format!("{} ({law}), cores: {cores}", self.peer);
                series.push(Series { line, ..Series::marks(&name, 1 + colour, Symbol::Square, theirs) });
            }
        }
        series
    }
}

fn line(row: &Row) -> String {
    let (ours, theirs) = (&row.ours, &row.theirs);
    let newton = if row.cores > 1 && row.setting.newton { ", newton on" } else { "" };
    format!(
        "| {} | {} | {} | {} | {:.1} | {:.1} | {:.2} | {:.1} | {:.1} | {:.2} | {:.1} | {:.1} | {:.3} | {:.3} | {:.2} | {:.2} | \
         skin {}{newton} | {:.2} |\n",
        name(row.friction),
        row.law,
        row.spheres,
        row.cores,
        ours.cpu,
        theirs.cpu,
        row.ratio(),
        ours.per_contact(),
        theirs.per_contact(),
        row.contact_ratio(),
        ours.wall,
        theirs.wall,
        ours.contacts,
        theirs.contacts,
        ours.listed,
        theirs.listed,
        row.setting.skin,
        row.load
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Setting;
    use crate::versus::Side;

    fn row(friction: Friction, spheres: usize, cores: usize) -> Row {
        Row {
            friction,
            law: "hertz, history",
            spheres,
            cores,
            steps: 40,
            ours: Side { cpu: 100.0, wall: 101.0, contacts: 1.25, listed: 2.5, kinetic: 1e-6 },
            theirs: Side { cpu: 250.0, wall: 251.0, contacts: 1.2, listed: 2.0, kinetic: 2e-6 },
            setting: Setting { skin: 0.05, newton: true },
            load: 0.5,
            version: "Peer 1, \"new\"".into(),
        }
    }

    fn report() -> Report {
        let made = Made { date: "2026-01-01".into(), machine: "CPU, 2 cores".into(), version: "stickslip 1".into() };
        let rows = vec![row(Friction::All, 10_000, 1), row(Friction::All, 100_000, 1), row(Friction::Slide, 10_000, 2)];
        Report {
            peer: "Peer",
            scene: "jammed",
            laws: "hooke",
            repeats: 3,
            made,
            rows,
            missing: vec!["1000 spheres, no memory".into()],
        }
    }

    #[test]
    fn every_line_of_the_page_has_as_many_columns_as_its_head() {
        let page = report().markdown();
        let lines: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(lines.len(), 5);
        assert!(lines.iter().all(|line| line.matches('|').count() == lines[0].matches('|').count()), "{page}");
        assert!(lines[2].starts_with(
            "| all | hertz, history | 10000 | 1 | 100.0 | 250.0 | 2.50 | 80.0 | 208.3 | 2.60 | 101.0 | 251.0 | 1.250 | 1.200 |"
        ));
        assert!(lines[4].ends_with("| skin 0.05, newton on | 0.50 |"), "{}", lines[4]);
        assert!(page.ends_with("\nNot measured: 1000 spheres, no memory.\n"), "{page}");
        assert!(page.contains("2026-01-01, CPU, 2 cores; stickslip 1; Peer 1, \"new\".\n"));
    }

    #[test]
    fn every_row_of_the_table_has_as_many_fields_as_its_head() {
        let csv = report().csv();
        // Commas within quotes are not between fields.
        let fields = |line: &str| {
            let outside = line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
            1 + outside
        };
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| fields(line) == 29), "{csv}");
        assert!(
            lines[1]
                .contains(",\"Peer 1, \"\"new\"\"\",jammed,all,\"hertz, history\",10000,1,40,3,0.05,true,100,250,2.5,")
        );
    }

    #[test]
    fn the_plot_has_both_sides_and_both_frictions() {
        let svg = report().figure();
        for text in ["stickslip, cores: 1", "Peer (hertz, history), cores: 2", "all frictions", "sliding alone"] {
            assert!(svg.contains(text), "{text}");
        }
    }
}
