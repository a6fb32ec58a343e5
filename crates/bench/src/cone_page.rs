//! What `cone.rs` measures, as a page, a table and a plot of error against CPU time.

use std::fmt::Write;

use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use crate::command::Page;
use crate::cone::{self, Point};

/// Measures on piles of these sizes.
pub fn page(spheres: &[u32]) -> Result<Page, String> {
    let sizes = if spheres.is_empty() { &[1000][..] } else { spheres };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let mut page = Page {
        markdown: String::new(),
        csv: "spheres,contacts,solver,iterations,cpu_seconds,error\n".into(),
        svg: None,
        missing: Vec::new(),
    };
    let mut plots = Vec::new();
    for &count in sizes {
        let curves = pool.install(|| cone::measure(count as usize))?;
        page.markdown += &curves.to_markdown();
        for Point { name, iterations, seconds, error } in &curves.points {
            let (spheres, contacts) = curves.size;
            // Writing to a string cannot fail.
            let _ = writeln!(page.csv, "{spheres},{contacts},{name},{iterations},{seconds},{error:e}");
        }
        let mut names: Vec<&str> = curves.points.iter().map(|point| point.name).collect();
        names.dedup();
        let series = names.iter().enumerate().map(|(colour, name)| {
            let of = curves.points.iter().filter(|point| point.name == *name);
            let points = of.map(|point| (point.seconds, point.error));
            Series { symbol: Symbol::Circle, ..Series::line(name, colour, Line::Solid, points) }
        });
        let axis = |label: &str| Axis { label: label.into(), log: true };
        let title = format!("{} spheres, {} contacts", curves.size.0, curves.size.1);
        let (x, y, series) = (axis("CPU time (s)"), axis("error of velocities, rms (m/s)"), series.collect());
        plots.push(Plot { title, x, y, x_range: None, y_range: None, levels: Vec::new(), series });
    }
    let title = "One step of a settled pile, cold start, one thread".into();
    page.svg = Some(Multiples { title, columns: 2, plots }.to_svg());
    Ok(page)
}
