//! Where the energy went: the balance of a run as two lists, and as a table for the terminal.
//!
//! A quantity that went the other way than its list says (potential energy that grew, work done on the walls) stands
//! in the other list, so that every entry is positive and the two sums differ only by the error of the balance.

use stickslip::ledger::{Ledger, Loss};

use super::file::short_number;

/// The balance of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyFlows {
    /// Where it came from: label and energy (J).
    pub from: Vec<(&'static str, f64)>,
    /// Where it went.
    pub to: Vec<(&'static str, f64)>,
    /// Sum of `from` (J).
    pub total: f64,
    /// What the ledger counts as its error (J).
    pub error: f64,
}

impl EnergyFlows {
    /// Between two moments of a run.
    pub fn between(start: &Ledger, end: &Ledger) -> Self {
        let (before, after) = (&start.carried, &end.carried);
        let brought = after.potential_in - before.potential_in - (after.potential_out - before.potential_out);
        let released = start.potential + brought - end.potential;
        let work = end.work - start.work;
        let from = vec![
            ("kinetic energy at the start", start.kinetic),
            ("stored in contacts at the start", start.stored),
            ("kinetic energy of bodies that entered", after.kinetic_in - before.kinetic_in),
            ("potential energy released", released.max(0.0)),
            ("work of drives, given forces and the cell", work.max(0.0)),
        ];
        let mut to = vec![
            ("kinetic energy", end.kinetic),
            ("stored in contacts", end.stored),
            ("kinetic energy of bodies that left", after.kinetic_out - before.kinetic_out),
            ("stored in contacts of bodies that left", after.stored_out - before.stored_out),
            ("potential energy gained", (-released).max(0.0)),
            ("work on prescribed motion and given forces", (-work).max(0.0)),
        ];
        let lost = |loss: Loss| (loss.text().share, end.lost[loss] - start.lost[loss]);
        to.extend(Loss::ALL.map(lost));
        let total = from.iter().map(|(_, energy)| energy).sum();
        let nonzero = |list: Vec<(&'static str, f64)>| list.into_iter().filter(|(_, energy)| *energy != 0.0).collect();
        EnergyFlows { from: nonzero(from), to: nonzero(to), total, error: end.error - start.error }
    }

    /// An energy as a percentage of the total; zero if there was none to share.
    pub fn percent(&self, energy: f64) -> f64 {
        if self.total > 0.0 { 100.0 * energy / self.total } else { 0.0 }
    }
}

/// A percentage in at most eight characters: two decimals, or an exponent where they would show nothing.
pub(super) fn percent_text(percent: f64) -> String {
    if percent == 0.0 || percent.abs() >= 0.01 { format!("{percent:.2}") } else { format!("{percent:.1e}") }
}

/// A table for the terminal: where the energy came from, where it went, and the error of the balance.
pub fn energy_summary(start: &Ledger, end: &Ledger) -> String {
    let flows = EnergyFlows::between(start, end);
    let row = |label: &str, energy: f64| {
        format!("  {label:<46}{:>11} J {:>8} %\n", short_number(energy, 5), percent_text(flows.percent(energy)))
    };
    let rows = |list: &[(&str, f64)]| {
        if list.is_empty() {
            return "    nothing\n".to_owned();
        }
        list.iter().map(|(label, energy)| row(&format!("  {label}"), *energy)).collect()
    };
    let (from, to) = (rows(&flows.from), rows(&flows.to));
    format!("Where the energy went\n  from\n{from}  to\n{to}{}", row("error of the balance", flows.error))
}

#[cfg(test)]
mod tests {
    use stickslip::ledger::Carried;

    use super::*;

    #[test]
    fn a_fall_gives_its_energy_to_the_losses() {
        let start = Ledger { kinetic: 1.0, potential: 9.0, ..Default::default() };
        let end = Ledger {
            potential: 1.0,
            stored: 0.5,
            lost: [(Loss::Normal, 5.0), (Loss::Slide, 3.0), (Loss::Roll, 0.499)].into_iter().collect(),
            error: 0.001,
            ..Default::default()
        };
        let flows = EnergyFlows::between(&start, &end);
        assert_eq!(flows.total, 9.0);
        assert!((flows.to.iter().map(|(_, energy)| energy).sum::<f64>() - 8.999).abs() < 1e-12);
        let text = energy_summary(&start, &end);
        assert!(text.contains("potential energy released"), "{text}");
        assert!(text.contains("  5 J    55.56 %"), "{text}");
        let widths: Vec<usize> = text.lines().filter(|line| line.ends_with('%')).map(str::len).collect();
        assert!(widths.len() == 7 && widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }

    #[test]
    fn what_goes_the_other_way_stands_on_the_other_side() {
        let start = Ledger { kinetic: 5.0, ..Default::default() };
        let end = Ledger { potential: 3.0, work: -2.0, ..Default::default() };
        let flows = EnergyFlows::between(&start, &end);
        assert_eq!(flows.from, [("kinetic energy at the start", 5.0)]);
        assert_eq!(flows.to, [("potential energy gained", 3.0), ("work on prescribed motion and given forces", 2.0)]);
    }

    #[test]
    fn what_bodies_carry_in_and_out_stands_in_the_balance() {
        // Two bodies bring 2 J each in motion and 3 J in height; one leaves with 1 J and 0.5 J and 0.25 J in its contacts.
        let carried =
            Carried { kinetic_in: 4.0, potential_in: 6.0, kinetic_out: 1.0, potential_out: 0.5, stored_out: 0.25 };
        let start = Ledger::default();
        let end = Ledger {
            kinetic: 3.0,
            potential: 2.0,
            lost: [(Loss::Normal, 3.25)].into_iter().collect(),
            carried,
            ..Default::default()
        };
        let flows = EnergyFlows::between(&start, &end);
        // Of 6 J of height 0.5 J left and 2 J are there.
        assert!(flows.from.contains(&("potential energy released", 3.5)), "{flows:?}");
        assert_eq!(flows.total, 7.5);
        assert_eq!(flows.to.iter().map(|(_, energy)| energy).sum::<f64>(), 7.5);
    }

    #[test]
    fn nothing_happened() {
        let text = energy_summary(&Ledger::default(), &Ledger::default());
        assert!(!text.contains("NaN") && text.contains("nothing"), "{text}");
    }
}
