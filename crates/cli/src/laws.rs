//! `stickslip laws`: what every law resists, its formula, its parameters with units and defaults, its reference.

use std::fmt::Write;

use stickslip_io::scene::{LAWS, Law, Parameter};

use crate::{Failure, Outcome, say};

/// List the laws of contact, or show one whole: formula, parameters with units and defaults, reference.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip laws spring-slider")]
pub struct Laws {
    /// The law to show; all of them in a table if absent.
    name: Option<String>,
}

impl Laws {
    /// Prints the table of laws, or one law for every motion that it resists.
    pub fn execute(&self) -> Outcome {
        let Some(name) = &self.name else { return say(&table()) };
        let of_name: Vec<&Law> = LAWS.iter().filter(|law| law.name == name).collect();
        if of_name.is_empty() {
            return Err(Failure::Input(unknown(name)));
        }
        let texts: Vec<String> = of_name.into_iter().map(whole).collect();
        say(&texts.join("\n"))
    }
}

fn unknown(name: &str) -> miette::Report {
    let nearest = LAWS.iter().map(|law| (strsim::jaro_winkler(name, law.name), law.name));
    let nearest = nearest.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness > 0.75);
    let help = match nearest {
        Some((_, law)) => format!("did you mean `{law}`? `stickslip laws` lists all"),
        None => "`stickslip laws` lists all".to_owned(),
    };
    miette::miette!(help = help, "there is no law `{name}`")
}

fn table() -> String {
    let width = LAWS.iter().map(|law| law.name.len()).max().unwrap_or(0);
    let mut text = format!("{:<width$}  {:<8}  formula\n", "law", "key");
    for law in LAWS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<width$}  {:<8}  {}", law.name, law.key(), law.formula);
    }
    text + "\n`stickslip laws NAME` shows one law with its parameters.\n"
}

fn whole(law: &Law) -> String {
    let what = match law.key() {
        "normal" => "the force along the normal".to_owned(),
        "friction" => "resists slide, roll and spin".to_owned(),
        key => format!("resists {key}"),
    };
    let mut text = format!("{} ({what})\n", law.name);
    text += &format!("  in a scene  {} = {{ law = \"{}\", .. }}\n", law.key(), law.name);
    text += &format!("  formula     {}\n", law.formula);
    text += &format!("  reference   {}\n  parameters\n", law.reference);
    let wide = |of: fn(&Parameter) -> usize| law.parameters.iter().map(of).max().unwrap_or(0);
    let (names, units) = (wide(|p| p.name().len()), wide(|p| p.unit().len()));
    let defaults = wide(|p| p.default.map_or(8, str::len));
    for parameter in law.parameters {
        let default = parameter.default.unwrap_or("required");
        let (name, unit, meaning) = (parameter.name(), parameter.unit(), parameter.meaning);
        text += &format!("    {name:<names$}  {unit:<units$}  {default:<defaults$}  {meaning}\n");
    }
    text
}
