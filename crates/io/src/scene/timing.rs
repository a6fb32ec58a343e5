//! `[time]`, `[method]` and `[domain]`: how long, how, and within which bounds.

use glam::DVec3;
use stickslip::advice::StepAdvice;
use stickslip::cell::{Cell, Control};
use stickslip::inflow::Outflow;
use stickslip::model::{Explicit, Integrator, Method};

use crate::input::{Item, Place, Result, Table};
use crate::scene::bodies::Bodies;
use crate::scene::check::short;
use crate::scene::nonsmooth;
use crate::scene::streams::Streams;

/// The most steps that make sense: at a million steps a second these take thirty years.
const MOST_STEPS: f64 = 1e15;

/// Share of the critical step up to which a chosen step needs no remark.
pub(crate) const CAUTIOUS: f64 = 0.25;

/// What ends a run before its time: all that are given must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stop {
    /// Translational kinetic energy per moved body (J) at or below this; without gravity, bodies that touch nothing are
    /// left out.
    pub kinetic_energy_per_body: Option<f64>,
    /// Mean net force on free bodies over the mean normal force, at or below this.
    pub unbalanced_force: Option<f64>,
    /// How far the stress is from the cell's target, over it, at or below this.
    pub pressure_error: Option<f64>,
    /// The largest component of the cell's strain since the start, at or above this.
    pub strain: Option<f64>,
}

/// A box, and what happens to bodies that leave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Lower corner (m).
    pub from: DVec3,
    /// Upper corner (m).
    pub to: DVec3,
    /// What happens.
    pub leaving: Leaving,
}

/// What happens when a body leaves the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// The run ends: something is wrong.
    Stop,
    /// The body is taken out of the run.
    Remove,
}

impl Leaving {
    /// In the words of the scene file.
    pub const WORDS: [(&'static str, Leaving); 2] = [("stop", Leaving::Stop), ("remove", Leaving::Remove)];

    /// The word for it.
    pub fn word(self) -> &'static str {
        if self == Leaving::Stop { "stop" } else { "remove" }
    }
}

impl Domain {
    /// What the engine takes bodies out by, if it does.
    pub(crate) fn outflow(&self) -> Option<Outflow> {
        (self.leaving == Leaving::Remove).then_some(Outflow { from: self.from, to: self.to })
    }
}

/// How a scene chooses its step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepChoice {
    /// The recommended one.
    Auto,
    /// This one (s).
    Given(f64),
    /// This fraction of the critical step.
    Fraction(f64),
}

impl StepChoice {
    /// Reads a number, `"auto"` or `{ fraction = .. }`.
    fn read(item: Item<'_>) -> Result<Self> {
        if item.is_table() {
            let table = item.table()?;
            let what = "a fraction of the critical step above 0 and at most 1";
            let fraction = table.need("fraction", |item| item.number_such(what, |x| x > 0.0 && x <= 1.0))?;
            table.finish()?;
            return Ok(StepChoice::Fraction(fraction));
        }
        if item.is_string() {
            let quoted = item.clone().string()?.parse::<f64>().is_ok();
            let word = item.choice(&[("auto", StepChoice::Auto)], &[]);
            return word.map_err(|error| if quoted { error.help("write the number without quotes") } else { error });
        }
        let what = "a time above zero, \"auto\" or { fraction = .. }";
        item.number_such(what, |step| step > 0.0).map(StepChoice::Given)
    }

    /// Where the step comes from, in a word.
    pub fn origin(self) -> &'static str {
        match self {
            StepChoice::Auto => "automatic",
            StepChoice::Given(_) => "given",
            StepChoice::Fraction(_) => "fraction",
        }
    }
}

/// `[time]` as read.
#[derive(Debug)]
pub(crate) struct Time<'a> {
    /// When the run ends (s).
    pub end: f64,
    /// The step.
    pub step: StepChoice,
    /// Earlier ends.
    pub stop: Stop,
    place: Place<'a>,
    /// Of the rules that need a cell.
    of_cell: Vec<(&'static str, Place<'a>)>,
}

impl<'a> Time<'a> {
    /// Reads `[time]`.
    pub fn read(top: &Table<'a>) -> Result<Self> {
        let table = top.need("time", Item::table)?;
        let end = table.need("end", Item::non_negative)?;
        let place = table.optional("step").map_or_else(|| table.place(), |item| item.place());
        let step = table.read("step", StepChoice::read)?.unwrap_or(StepChoice::Auto);
        let (stop, of_cell) = table.read("stop", read_stop)?.unwrap_or_default();
        table.finish()?;
        Ok(Time { end, step, stop, place, of_cell })
    }

    /// Refuses a rule that could never hold: without a stress to reach, or without a strain.
    pub fn check_cell(&self, cell: Option<&Cell>) -> Result<()> {
        let control = cell.map_or(&Control::Fixed, |cell| &cell.control);
        let has_target = matches!(control, Control::Pressure { .. } | Control::MeanStress { .. });
        for (key, place) in &self.of_cell {
            if *key == "strain" && *control == Control::Fixed {
                let message = "the cell does not change its shape, so it never strains";
                return Err(place.error(message.into()).help("give [cell] a `control`, or leave this rule out"));
            }
            if *key == "pressure_error" && !has_target {
                let message = "no stress is asked for that could be reached";
                let help = "give [cell] a `control` of kind \"pressure\" or \"mean-stress\", or leave this rule out";
                return Err(place.error(message.into()).help(help));
            }
        }
        Ok(())
    }

    /// Returns the step and the number of steps: `ceil(end/step - 1e-9)`.
    pub fn settle(&self, advice: Option<&StepAdvice>) -> Result<(f64, u64)> {
        let step = match (self.step, advice) {
            (StepChoice::Given(step), _) => step,
            (StepChoice::Fraction(_), Some(advice)) if advice.critical.is_infinite() => {
                let message = "this method is stable at any step: there is no critical one to take a fraction of";
                return Err(self.place.error(message.into()).help("give the step in seconds, or step = \"auto\""));
            }
            (StepChoice::Auto, Some(advice)) if !advice.automatic => {
                let message = "without gravity nothing sets the step of this method: give it in seconds".to_owned();
                let help = format!("for example step = {}, {}", short(advice.step), advice.set_by);
                return Err(self.place.error(message).help(help));
            }
            (StepChoice::Fraction(fraction), Some(advice)) => fraction * advice.critical,
            (StepChoice::Fraction(_), None) => {
                let message = "nothing can touch, so there is no critical step to take a fraction of".to_owned();
                return Err(self.place.error(message).help("give the step in seconds, or step = \"auto\""));
            }
            (StepChoice::Auto, Some(advice)) => advice.step,
            // Nothing can touch: any step is stable, and a thousand of them show the motion.
            (StepChoice::Auto, None) if self.end > 0.0 => self.end / 1000.0,
            (StepChoice::Auto, None) => 1.0,
        };
        if !(step.is_finite() && step > 0.0) {
            let message = format!("the step would be {step} s: stiffness and masses leave no step to work with");
            return Err(self.place.error(message));
        }
        if self.step != StepChoice::Auto {
            self.refuse_unstable(step, advice)?;
        }
        let steps = (self.end / step - 1e-9).ceil().max(0.0);
        if steps > MOST_STEPS {
            let message = format!("{} s in steps of {} s are {steps:.1e} steps", short(self.end), short(step));
            return Err(self.place.error(message).help("at most 1e15 steps; check the units of `end` and `step`"));
        }
        Ok((step, steps as u64))
    }

    /// Refuses a chosen step at which even one contact by itself is unstable.
    fn refuse_unstable(&self, step: f64, advice: Option<&StepAdvice>) -> Result<()> {
        let Some(advice) = advice else { return Ok(()) };
        let Some(limit) = advice.limit.as_ref().filter(|limit| step > limit.step) else { return Ok(()) };
        let message = format!(
            "step {} s is above {} s, the stability limit of a single contact, set by {}: its motion would grow with every \
             step",
            short(step),
            short(limit.step),
            limit.set_by
        );
        let help = format!(
            "take step = \"auto\", which is {} s here, or a number below {} s, the critical step; or make that contact softer",
            short(advice.step),
            short(advice.critical)
        );
        Err(self.place.error(message).help(help))
    }

    /// What to say about a chosen step that is large, but below the limit.
    pub fn warning(&self, step: f64, advice: Option<&StepAdvice>) -> Option<String> {
        let advice = advice?;
        if self.step == StepChoice::Auto || step <= advice.step.max(CAUTIOUS * advice.critical) {
            return None;
        }
        let outcome = if step > advice.critical {
            format!("; above the critical {} s, the run is likely to blow up", short(advice.critical))
        } else {
            format!("; the critical one is {} s", short(advice.critical))
        };
        Some(format!(
            "step {} s is {} times the recommended {} s, governed by {}{outcome}",
            short(step),
            short(step / advice.step),
            short(advice.step),
            advice.governed_by
        ))
    }
}

fn read_stop<'a>(item: Item<'a>) -> Result<(Stop, Vec<(&'static str, Place<'a>)>)> {
    let table = item.table()?;
    let given = |key: &'static str| Some((key, table.optional(key)?.place()));
    let of_cell = ["pressure_error", "strain"].into_iter().filter_map(given).collect();
    let stop = Stop {
        kinetic_energy_per_body: table.read("kinetic_energy_per_body", Item::positive)?,
        unbalanced_force: table.read("unbalanced_force", Item::positive)?,
        pressure_error: table.read("pressure_error", Item::positive)?,
        strain: table.read("strain", Item::positive)?,
    };
    table.finish()?;
    Ok((stop, of_cell))
}

/// Reads `[method]`.
pub(crate) fn read_method(top: &Table<'_>) -> Result<Method> {
    let Some(item) = top.optional("method") else { return Ok(Method::default()) };
    let table = item.table()?;
    let kinds = [("explicit", false), (nonsmooth::KIND, true)];
    if table.read("kind", |kind| kind.choice(&kinds, &["constraint"]))?.unwrap_or(false) {
        let settings = nonsmooth::read(&table)?;
        table.finish()?;
        return Ok(settings.into());
    }
    nonsmooth::refuse_elsewhere(&table)?;
    let words = [("velocity-verlet", Integrator::VelocityVerlet), ("symplectic-euler", Integrator::SymplecticEuler)];
    let integrator = table.read("integrator", |item| item.choice(&words, &[]))?.unwrap_or_default();
    let what = "a fraction of at least 0 and below 1";
    let local_damping =
        table.read("local_damping", |item| item.number_such(what, |x| (0.0..1.0).contains(&x)))?.unwrap_or(0.0);
    table.finish()?;
    Ok(Explicit { integrator, local_damping }.into())
}

/// Reads `[domain]` and refuses spheres that loads move and that start or arrive outside.
pub(crate) fn read_domain(top: &Table<'_>, bodies: &Bodies<'_>, streams: &Streams<'_>) -> Result<Option<Domain>> {
    let Some(item) = top.optional("domain") else { return Ok(None) };
    let table = item.table()?;
    let from = table.need("from", Item::vector)?;
    let to_item = table.required("to")?;
    let to = to_item.clone().vector()?;
    if (0..3).any(|i| to[i] <= from[i]) {
        return Err(to_item.error(format!("`to` = {to} must lie above `from` = {from} on every axis")));
    }
    let leaving = table.read("leaving", |item| item.choice(&Leaving::WORDS, &[]))?.unwrap_or(Leaving::Stop);
    let inside = |p: DVec3| p.cmpge(from).all() && p.cmple(to).all();
    let outside = |b: &stickslip::body::Body| b.motion.yields() && !inside(b.position);
    if let Some(id) = bodies.list.iter().position(|body| outside(&body)) {
        let position = bodies.list.position(id);
        let message = format!("{} starts at {position}, outside the domain, {from} to {to}", bodies.label(id));
        return Err(table.error(message).help("enlarge the domain, or move the body"));
    }
    for (stream, place) in streams.list.iter().zip(&streams.places) {
        let [low, high] = stream.entrance.bounds();
        if !(inside(low) && inside(high)) {
            let message = format!("its box, {low} to {high}, does not lie within the domain, {from} to {to}");
            return Err(place.error(message).help("bodies would leave the moment they arrive"));
        }
    }
    table.finish()?;
    Ok(Some(Domain { from, to, leaving }))
}
