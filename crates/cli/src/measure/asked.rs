//! A measurement that another command asks for (`sweep --measure`), as `WHAT` or `WHAT.NUMBER`, with the options of `measure`.
//!
//! The numbers are those of `measure DIR WHAT --json`. Their names and the records that a measurement needs are listed here, so
//! that a misspelt name or a missing record is an error before the first run. A run that cannot be measured has empty fields
//! and a reason.

use stickslip_io::input::nearest;
use stickslip_io::results::sweep::Row;
use stickslip_io::run_reader::Run;
use stickslip_io::scene::{Record, Scene};

use super::finding::key;
use super::{WHATS, What};

/// A measurement that is asked for.
pub struct Asked {
    /// As it was asked for.
    text: String,
    known: &'static Known,
    what: What,
    /// One of its numbers; all of them if none is named.
    number: Option<String>,
}

/// What is known of a measurement before it is made.
struct Known {
    what: &'static str,
    /// The records that it needs.
    records: &'static [&'static str],
    /// Its numbers. Some of them exist in some runs only.
    numbers: &'static [&'static str],
    /// Beginnings of further numbers, whose names depend on the scene.
    open: &'static [&'static str],
}

const BODIES: &[&str] = &["bodies"];
const BOTH: &[&str] = &["bodies", "contacts"];

const KNOWN: [Known; WHATS.len()] = [
    Known {
        what: "repose",
        records: BODIES,
        numbers: &[
            "angle",
            "interval_95_low",
            "interval_95_high",
            "angle_by_height",
            "interval_by_height_95_low",
            "interval_by_height_95_high",
            "top",
            "foot",
            "still_moving",
            "surface_spheres",
            "fitted",
            "centre_x",
            "centre_y",
            "centre_z",
            "time",
            "wall",
        ],
        open: &[],
    },
    Known {
        what: "drum",
        records: BODIES,
        numbers: &["angle", "spread", "least", "most", "times", "from", "to"],
        open: &[],
    },
    Known {
        what: "discharge",
        records: BODIES,
        numbers: &[
            "mass_rate",
            "body_rate",
            "error_of_mass_rate",
            "error_of_body_rate",
            "from",
            "to",
            "times",
            "mass_that_came",
            "mass_on",
            "mass_out",
            "imbalance",
        ],
        open: &[],
    },
    Known {
        what: "packing",
        records: BOTH,
        numbers: &[
            "volume_fraction",
            "contacts_without_rattlers",
            "share_of_rattlers",
            "mean_contacts",
            "rattlers",
            "fewest_contacts_held",
            "isostatic_contacts",
            "kinetic_energy_of_a_held_grain",
            "grains",
            "contacts",
            "time",
        ],
        open: &[],
    },
    Known {
        what: "coordination",
        records: BOTH,
        numbers: &[
            "mean_contacts",
            "without_rattlers",
            "rattlers",
            "fewest_contacts_held",
            "grains",
            "contacts",
            "time",
        ],
        open: &[],
    },
    Known {
        what: "fraction",
        records: BODIES,
        numbers: &[
            "fraction",
            "error_of_the_quadrature",
            "spheres_in_part_or_whole",
            "volume_of_the_region",
            "spheres",
            "volume_of_the_cell",
            "time",
        ],
        open: &[],
    },
    Known {
        what: "forces",
        records: BOTH,
        numbers: &[
            "mean",
            "tail_slope",
            "error_of_tail_slope",
            "contacts_in_the_tail",
            "sliding",
            "standard_deviation",
            "lower_quartile",
            "median",
            "upper_quartile",
            "largest",
            "mean_friction_over_normal_force",
            "contacts_that_push",
            "others",
            "time",
        ],
        open: &[],
    },
    Known {
        what: "fabric",
        records: BOTH,
        numbers: &["anisotropy", "anisotropy_by_force", "contacts", "time"],
        open: &["fabric_tensor_", "fabric_tensor_by_force_"],
    },
    Known {
        what: "rdf",
        records: BODIES,
        numbers: &[
            "peak",
            "place_of_the_peak",
            "width_of_a_shell",
            "reach",
            "mean_diameter",
            "centres",
            "density",
            "time",
        ],
        open: &[],
    },
    Known {
        what: "profile",
        records: BODIES,
        numbers: &[
            "mean_velocity_x",
            "mean_velocity_y",
            "mean_velocity_z",
            "fastest_layer",
            "largest_fraction",
            "mass",
            "thickness_of_a_layer",
            "times",
            "from",
            "to",
        ],
        open: &[],
    },
    Known {
        what: "stress",
        records: BOTH,
        numbers: &[
            "largest_stress_along_the_axis",
            "weight_above_by_area",
            "largest_pressure",
            "thickness_of_a_layer",
            "area_of_a_layer",
            "pressure",
            "largest_part_off_the_pressure",
            "volume_of_the_cell",
            "contacts",
            "time",
        ],
        open: &["stress_", "of_contacts_", "of_motion_"],
    },
    // It needs the record `walls` or `bodies`, by the scene.
    Known {
        what: "walls",
        records: &[],
        numbers: &["from", "to", "times"],
        open: &["force_on_", "torque_on_", "weight_of_the_spheres_"],
    },
];

impl Known {
    /// Whether it may give a number of this name.
    fn gives(&self, number: &str) -> bool {
        self.numbers.contains(&number) || self.open.iter().any(|open| number.starts_with(open))
    }

    fn numbers_text(&self) -> String {
        let open = self.open.iter().map(|open| format!("{open}.."));
        self.numbers.iter().map(|number| (*number).to_owned()).chain(open).collect::<Vec<_>>().join(", ")
    }
}

impl Asked {
    /// Reads `WHAT` or `WHAT.NUMBER`, followed by options of `measure`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let (name, number) = first.split_once('.').map_or((first, None), |(name, number)| (name, Some(number)));
        let known = KNOWN.iter().find(|known| known.what == name).ok_or_else(|| {
            let meant = did_you_mean(name, &WHATS);
            format!("there is no measurement `{name}`.{meant} There are: {}", WHATS.join(", "))
        })?;
        if let Some(number) = number.filter(|number| !known.gives(number)) {
            let meant = did_you_mean(number, known.numbers);
            return Err(format!("{name} has no number `{number}`.{meant} It has: {}", known.numbers_text()));
        }
        let what = What::parse(std::iter::once(name).chain(words));
        let what = what.map_err(|error| error.to_string().trim_start_matches("error: ").trim_end().to_owned())?;
        Ok(Asked { text: text.to_owned(), known, what, number: number.map(str::to_owned) })
    }

    /// Finds a number that names a wall and that no run will have, and says which it could have. `walls` are as
    /// `wall_names` has them.
    ///
    /// # Errors
    ///
    /// That there is no such number, with the nearest one.
    pub fn check_walls(&self, plots: &[String], walls: &[String]) -> Result<(), String> {
        if self.known.what != "walls" {
            return Ok(());
        }
        let known: Vec<String> = numbers_on(walls).collect();
        let plotted = self.further(plots).filter_map(|column| Some(column.split_once('.')?.1.to_owned()));
        let mut asked = self.number.iter().cloned().chain(plotted);
        let known: Vec<&str> = self.known.numbers.iter().copied().chain(known.iter().map(String::as_str)).collect();
        match asked.find(|number| !known.contains(&number.as_str())) {
            Some(number) => {
                let walls = if walls.is_empty() { "none".to_owned() } else { walls.join(", ") };
                let meant = did_you_mean(&number, &known);
                Err(format!("no run has the number walls.{number}.{meant} The walls of the scene are: {walls}"))
            }
            None => Ok(()),
        }
    }

    /// As it was asked for.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether this and another fill the same columns.
    pub fn overlaps(&self, other: &Asked) -> bool {
        let same = self.number.is_none() || other.number.is_none() || self.number == other.number;
        self.known.what == other.known.what && same
    }

    /// The record that it needs and the scene does not have.
    pub fn missing_record(&self, records: &[Record]) -> Option<&'static str> {
        let missing = |need: &&&str| !records.iter().any(|record| record.what.word() == **need);
        self.known.records.iter().find(missing).copied()
    }

    /// The columns that it may fill, as far as they are known before the runs.
    pub fn columns(&self) -> Vec<String> {
        let column = |number: &str| format!("{}.{number}", self.known.what);
        match &self.number {
            Some(number) => vec![column(number)],
            None => self.known.numbers.iter().map(|number| column(number)).collect(),
        }
    }

    /// The same with further numbers, whose names depend on the scene, that plots ask for (`roll.mu,walls.force_on_floor_z`).
    pub fn columns_for(&self, plots: &[String]) -> Vec<String> {
        self.columns().into_iter().chain(self.further(plots)).collect()
    }

    /// The columns of such numbers that plots ask for.
    fn further<'a>(&'a self, plots: &'a [String]) -> impl Iterator<Item = String> + 'a {
        let plotted = plots.iter().flat_map(|plot| plot.split(',')).map(str::trim);
        let number = move |name: &str| Some(name.strip_prefix(self.known.what)?.strip_prefix('.')?.to_owned());
        let open = plotted.filter(move |name| {
            let further = |number: String| self.known.gives(&number) && !self.known.numbers.contains(&number.as_str());
            self.number.is_none() && number(name).is_some_and(further)
        });
        open.map(str::to_owned)
    }

    /// Measures a run and adds the numbers to its row: empty fields where there are none, and the reason.
    pub fn add_to(&self, row: &mut Row, run: &Run) {
        let name = self.known.what;
        let found = self.what.measure(run).map(|finding| finding.numbers());
        let found = match (found, &self.number) {
            (Err(refusal), _) => Err(format!("{name}: {}", refusal.short())),
            (Ok(numbers), None) => Ok(numbers),
            (Ok(numbers), Some(wanted)) => match numbers.into_iter().find(|(own, _)| own == wanted) {
                Some(number) => Ok(vec![number]),
                None => Err(format!("{name}.{wanted}: this run has no such number")),
            },
        };
        match found {
            Ok(numbers) => {
                let mut add = |(own, number): (String, serde_json::Number)| {
                    row.add_measured(format!("{name}.{own}"), number.to_string());
                };
                numbers.into_iter().for_each(&mut add);
            }
            Err(why) => self.add_nothing(row, Some(&why)),
        }
    }

    /// Adds empty fields, and why they are empty unless the row says so already.
    pub fn add_nothing(&self, row: &mut Row, why: Option<&str>) {
        self.columns().into_iter().for_each(|column| row.add_measured(column, String::new()));
        if let Some(why) = why {
            row.add_not_measured(why);
        }
    }
}

/// The walls of a scene by the names that numbers of `measure walls` have.
pub fn wall_names(scene: &Scene) -> Vec<String> {
    let name = |id: usize| match scene.names.get(id).and_then(Option::as_ref) {
        Some(name) => name.clone(),
        None => format!("{} {id}", scene.setup.bodies.get(id).shape.kind()),
    };
    scene.setup.bodies.walls().map(|id| key(&name(id))).collect()
}

/// The numbers of `measure walls` whose names depend on the scene.
fn numbers_on(walls: &[String]) -> impl Iterator<Item = String> + '_ {
    let of = |wall: &str| ["force", "torque"].map(|what| format!("{what}_on_{wall}"));
    let sums = ["force_on_all_walls".to_owned(), "weight_of_the_spheres".to_owned()];
    let vectors = walls.iter().flat_map(move |wall| of(wall)).chain(sums);
    vectors.flat_map(|vector| ["x", "y", "z"].map(|axis| format!("{vector}_{axis}")))
}

/// ` Did you mean ..?`, if a known word is near.
fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known).map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default()
}
