//! How the runs of a comparison spread over seeds: mean, standard deviation, least and greatest value by variant.
//!
//! The deviation is that of a sample, sqrt(sum (x - mean)^2/(n - 1)); runs that did not end as they should are left out.

use std::fmt::Write;

use super::compare::{Column, Comparison};
use super::file::{csv_field, escape, short_number};

/// The table of a comparison with several seeds.
pub const FILE: &str = "compare-spread.csv";

/// What is told of a number over the runs of one variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many runs have it.
    pub runs: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation; zero for one run.
    pub deviation: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// Of these values; `None` without any.
    pub fn of(values: &[f64]) -> Option<Self> {
        let runs = values.len();
        let mean = values.iter().sum::<f64>() / runs as f64;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = if runs > 1 { (squares / (runs - 1) as f64).sqrt() } else { 0.0 };
        let (min, max) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
        (runs > 0).then_some(Spread { runs, mean, deviation, min, max })
    }
}

/// A number of a run, if the run has it.
type Number = fn(&Column) -> Option<f64>;

/// The numbers: the column of the table, the words of the page.
const NUMBERS: [(&str, &str, Number); 8] = [
    ("time", "end time (s)", |column| Some(column.last().time)),
    ("bodies", "bodies", |column| Some(column.last().bodies as f64)),
    ("contacts", "contacts", |column| Some(column.last().contacts as f64)),
    ("coordination", "coordination", |column| Some(column.last().coordination)),
    ("top", "top (m)", Column::top),
    ("kinetic", "kinetic energy (J)", |column| Some(column.last().ledger.kinetic)),
    ("unbalanced_force", "unbalanced force", |column| Some(column.last().unbalanced_force)),
    ("repose", "angle of repose (degrees)", |column| column.heap.map(|heap| heap.angle)),
];

impl Comparison {
    /// The variants, in the order of their first runs.
    fn variants(&self) -> Vec<&str> {
        let mut variants: Vec<&str> = Vec::new();
        for column in &self.columns {
            if !variants.contains(&column.variant.as_str()) {
                variants.push(&column.variant);
            }
        }
        variants
    }

    /// Whether some variant ran with several seeds.
    pub fn has_seeds(&self) -> bool {
        self.variants().len() < self.columns.len()
    }

    fn spread(&self, variant: &str, number: Number) -> Option<Spread> {
        let runs = self.columns.iter().filter(|column| column.variant == variant && column.is_whole());
        Spread::of(&runs.filter_map(number).filter(|value| value.is_finite()).collect::<Vec<_>>())
    }

    /// A row for each variant and number.
    pub fn spread_csv(&self) -> String {
        let mut text = "variant,number,runs,mean,deviation,min,max\n".to_owned();
        for variant in self.variants() {
            for (name, _, number) in NUMBERS {
                if let Some(Spread { runs, mean, deviation, min, max }) = self.spread(variant, number) {
                    // Writing to a string cannot fail.
                    let _ =
                        writeln!(text, "{},{name},{runs},{mean:?},{deviation:?},{min:?},{max:?}", csv_field(variant));
                }
            }
        }
        text
    }

    /// The same for the page; empty where every variant has one run.
    pub fn spread_table(&self) -> String {
        if !self.has_seeds() {
            return String::new();
        }
        let variants = self.variants();
        let names: String = variants.iter().map(|name| format!("<th class=\"n\">{}</th>", escape(name))).collect();
        let mut html = format!(
            "<h2>Spread over seeds</h2>\n<p>Mean and standard deviation over the runs of each variant.</p>\n\
             <div class=\"wide\"><table>\n<tr><th></th>{names}</tr>\n"
        );
        for (_, words, number) in NUMBERS {
            let cell = |variant: &&str| {
                let text = self.spread(variant, number).map_or("-".to_owned(), |spread| {
                    format!("{} &plusmn; {}", short_number(spread.mean, 4), short_number(spread.deviation, 2))
                });
                format!("<td class=\"n\">{text}</td>")
            };
            let _ = writeln!(html, "<tr><td>{words}</td>{}</tr>", variants.iter().map(cell).collect::<String>());
        }
        html + "</table></div>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_a_sample() {
        let spread = Spread::of(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        // The squares of the distances from 3 sum to 14.
        let expected = Spread { runs: 4, mean: 3.0, deviation: (14.0_f64 / 3.0).sqrt(), min: 1.0, max: 6.0 };
        assert_eq!(spread, expected);
        assert_eq!((Spread::of(&[]), Spread::of(&[2.0]).unwrap().deviation), (None, 0.0));
    }
}
