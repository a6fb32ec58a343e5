//! What `cone.rs` measures, as a page, a table and a plot of error against CPU time.

use std::fmt::Write;

use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use crate::command::Page;
use crate::cone::{self, Curves, Point};

/// Measures on piles of these sizes.
pub fn page(spheres: &[u32]) -> Result<Page, String> {
    let sizes = if spheres.is_empty() { &[1000][..] } else { spheres };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let measured = sizes.iter().map(|&count| pool.install(|| cone::measure(count as usize)));
    Ok(page_of(&measured.collect::<Result<Vec<Curves>, String>>()?))
}

fn page_of(measured: &[Curves]) -> Page {
    let mut page = Page {
        markdown: measured.iter().map(Curves::to_markdown).collect(),
        csv: "spheres,contacts,solver,iterations,cpu_seconds,error\n".into(),
        svg: None,
        missing: Vec::new(),
    };
    let mut plots = Vec::new();
    for curves in measured {
        let (spheres, contacts) = curves.size;
        for Point { name, iterations, seconds, error } in &curves.points {
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
        let title = format!("{spheres} spheres, {contacts} contacts");
        let (x, y, series) = (axis("CPU time (s)"), axis("error of velocities, rms (m/s)"), series.collect());
        plots.push(Plot { title, x, y, x_range: None, y_range: None, levels: Vec::new(), series });
    }
    let title = "One step of a settled pile, cold start".into();
    page.svg = Some(Multiples { title, columns: 2.min(plots.len()), plots }.to_svg());
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_every_solver_in_table_and_plot() {
        let point = |name, iterations, seconds, error| Point { name, iterations, seconds, error };
        let points =
            vec![point("apgd", 100, 0.01, 1e-2), point("apgd", 200, 0.02, 1e-3), point("newton", 12, 0.1, 1e-4)];
        let curves = Curves { size: (1000, 2300), reference: 1e-9, points, update: 41.0, restless: 0.1 };
        let page = page_of(&[curves]);
        assert!(page.markdown.contains("| apgd | 200 | 0.0200 | 1.0e-3 |"), "{}", page.markdown);
        assert_eq!(page.csv.lines().count(), 4);
        let svg = page.svg.unwrap();
        assert!(svg.contains("apgd") && svg.contains("newton") && svg.contains("CPU time (s)"));
    }
}
