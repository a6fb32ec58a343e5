//! Schedules: what drives may be a table `{ times = [..], values = [..] }` in place of a value. Read here, written out again, and listed.

use glam::{DMat3, DVec3};
use stickslip::body::{Body, Motion};
use stickslip::cell::Control;
use stickslip::inflow::Rate;
use stickslip::joint::{Freedom, Joint, Target};
use stickslip::schedule::{MOST_TIMES, Quantity, Schedule, ScheduleError, Signal};

use crate::input::{Item, Result};
use crate::scene::Scene;
use crate::scene::bodies::label_in_key;
use crate::scene::check::short;

/// Reads a value or a schedule of values; `read` reads one value.
pub(crate) fn read_signal<'a, T: Quantity>(item: Item<'a>, read: impl Fn(Item<'a>) -> Result<T>) -> Result<Signal<T>> {
    if !item.is_table() {
        return read(item).map(Signal::Constant);
    }
    let table = item.table()?;
    let (times, values) = (table.optional("times"), table.optional("values"));
    let (Some(times), Some(values)) = (times, values) else {
        // A misspelt key is worth more than the one that is missing for it.
        table.finish()?;
        let missing = if table.optional("times").is_none() { "times" } else { "values" };
        let error = table.error(format!("the key `{missing}` is missing"));
        return Err(error.help("a schedule: { times = [0.0, 1.0], values = [.., ..] }, linear in between"));
    };
    table.finish()?;
    let (place, times, values) = (times.place(), times.array()?, values.array()?);
    if times.len() > MOST_TIMES {
        let error = ScheduleError::TooMany(times.len());
        return Err(place.error(error.to_string()).help("drop times between which the values are nearly straight"));
    }
    let places: Vec<_> = times.iter().map(Item::place).collect();
    let times = times.into_iter().map(Item::number).collect::<Result<Vec<f64>>>()?;
    let values = values.into_iter().map(read).collect::<Result<Vec<T>>>()?;
    Schedule::new(times, values).map(Signal::Schedule).map_err(|error| {
        let place = error.place().and_then(|at| places.get(at)).unwrap_or(&place);
        place.error(error.to_string()).help(remedy(error))
    })
}

fn remedy(error: ScheduleError) -> &'static str {
    match error {
        ScheduleError::Empty => "give one time and one value at least, or the value alone",
        ScheduleError::Falls { .. } => "sort the times, and their values with them; a time written twice is a jump",
        ScheduleError::Thrice { .. } => "leave out the value in the middle",
        ScheduleError::Lengths { .. } => "each time needs its value: as many of the one as of the other",
        _ => "check the units",
    }
}

/// A signal as a scene file has it; `text` writes one value.
pub(crate) fn signal_text<T: Quantity>(signal: &Signal<T>, text: impl Fn(T) -> String) -> String {
    let Signal::Schedule(schedule) = signal else { return text(signal.at_start()) };
    let times: Vec<String> = schedule.times().iter().map(|time| format!("{time:?}")).collect();
    let values: Vec<String> = schedule.values().iter().map(|value| text(*value)).collect();
    format!("{{ times = [{}], values = [{}] }}", times.join(", "), values.join(", "))
}

/// A schedule of a scene, for people: what it is of, and its table.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Its KEY, as of `sweep`.
    pub key: String,
    /// Unit of its values.
    pub unit: &'static str,
    /// Its times (s).
    pub times: Vec<f64>,
    /// The components that are not always zero, each with its name (empty for a number) and its values.
    pub components: Vec<(String, Vec<f64>)>,
}

/// A component of a value: its name, and how it is read off.
type Part<T> = (&'static str, fn(T) -> f64);

impl Course {
    fn of<T: Quantity>(key: String, unit: &'static str, signal: &Signal<T>, parts: &[Part<T>]) -> Option<Course> {
        let schedule = signal.schedule()?;
        let component = |(name, part): &Part<T>| {
            let values: Vec<f64> = schedule.values().iter().map(|value| part(*value)).collect();
            values.iter().any(|value| *value != 0.0).then(|| ((*name).to_owned(), values))
        };
        let components = parts.iter().filter_map(component).collect();
        Some(Course { key, unit, times: schedule.times().to_vec(), components })
    }

    fn of_number(key: String, unit: &'static str, signal: &Signal<f64>) -> Option<Course> {
        Course::of(key, unit, signal, &[("", |value| value)])
    }

    fn of_vector(key: String, unit: &'static str, signal: &Signal<DVec3>) -> Option<Course> {
        Course::of(key, unit, signal, &[("x", |v| v.x), ("y", |v| v.y), ("z", |v| v.z)])
    }

    fn of_matrix(key: String, unit: &'static str, signal: &Signal<DMat3>) -> Option<Course> {
        // Rows of a file are rows of the matrix.
        let parts: [Part<DMat3>; 9] = [
            ("xx", |m| m.x_axis.x),
            ("xy", |m| m.y_axis.x),
            ("xz", |m| m.z_axis.x),
            ("yx", |m| m.x_axis.y),
            ("yy", |m| m.y_axis.y),
            ("yz", |m| m.z_axis.y),
            ("zx", |m| m.x_axis.z),
            ("zy", |m| m.y_axis.z),
            ("zz", |m| m.z_axis.z),
        ];
        Course::of(key, unit, signal, &parts)
    }

    /// The line of a component from time 0 to `end` (s).
    pub fn points(&self, values: &[f64], end: f64) -> Vec<(f64, f64)> {
        let Ok(schedule) = Schedule::new(self.times.clone(), values.to_vec()) else { return Vec::new() };
        let within =
            self.times.iter().copied().zip(values.iter().copied()).filter(|(time, _)| (0.0..end).contains(time));
        let start = (self.times[0] > 0.0).then(|| (0.0, schedule.at(0.0)));
        start.into_iter().chain(within).chain([(end, schedule.at(end))]).collect()
    }

    /// From when to when, and between which values.
    pub fn words(&self) -> String {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let range = |(name, values): &(String, Vec<f64>)| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let name = if name.is_empty() { String::new() } else { format!("{name} ") };
            format!("{name}{} to {}", short(least), short(most))
        };
        let ranges: Vec<String> = self.components.iter().map(range).collect();
        let ranges = if ranges.is_empty() { "0".to_owned() } else { ranges.join(", ") };
        format!("{}: {ranges} {}, from {} s to {} s", self.key, self.unit, short(first), short(last))
    }
}

impl Scene {
    /// All schedules, in the order of the file's parts.
    pub fn courses(&self) -> Vec<Course> {
        let model = &self.setup.model;
        let mut courses: Vec<Course> =
            Course::of_vector("gravity".into(), "m/s^2", &model.gravity).into_iter().collect();
        if let Some(cell) = &model.cell {
            courses.extend(of_control(&cell.control));
        }
        let mut next = 0;
        for (body, count) in self.setup.bodies.alike_in_a_row() {
            courses.extend(of_body(&format!("body[{}]", label_in_key(&self.names, next)), &body));
            next += count;
        }
        let of_stream = |(index, inflow): (usize, &stickslip::inflow::Inflow)| {
            let (key, unit) = match inflow.rate {
                Rate::Number(_) => ("rate", "bodies/s"),
                Rate::Mass(_) => ("rate.mass", "kg/s"),
            };
            Course::of_number(format!("stream[{index}].{key}"), unit, inflow.rate.signal())
        };
        courses.extend(model.inflows.iter().enumerate().filter_map(of_stream));
        courses.extend(model.joints.iter().enumerate().flat_map(|(number, joint)| of_joint(number, joint)));
        courses
    }
}

fn of_joint(number: usize, joint: &Joint) -> Vec<Course> {
    let name = joint.name.clone().unwrap_or_else(|| number.to_string());
    let along = joint.kind.freedom() == Some(Freedom::Along);
    let [load, most, unit] = if along { ["force", "max_force", "N"] } else { ["torque", "max_torque", "N m"] };
    let key = |rest: &str| format!("joint[{name}].{rest}");
    let mut all = Vec::new();
    if let Some(drive) = &joint.drive {
        let (of, unit_of) = match (&drive.target, along) {
            (Target::Speed(_), true) => ("speed", "m/s"),
            (Target::Speed(_), false) => ("speed", "rad/s"),
            (Target::Position(_), true) => ("position", "m"),
            (Target::Position(_), false) => ("position", "rad"),
            (Target::Load(_), _) => (load, unit),
        };
        all.push(Course::of_number(key(&format!("drive.{of}")), unit_of, drive.target.signal()));
        all.extend(drive.limit.as_ref().map(|limit| Course::of_number(key(&format!("drive.{most}")), unit, limit)));
    }
    all.extend(joint.friction.as_ref().map(|of| Course::of_number(key(&format!("friction.{load}")), unit, of)));
    all.into_iter().flatten().collect()
}

fn of_control(control: &Control) -> Vec<Course> {
    let key = |name: &str| format!("cell.control.{name}");
    let all = match control {
        Control::Fixed => [None, None],
        Control::Pressure { target, .. } => [Course::of_matrix(key("pressure"), "Pa", target), None],
        Control::Strain { gradient } => [Course::of_matrix(key("gradient"), "1/s", gradient), None],
        Control::MeanStress { pressure, rate, .. } => {
            [Course::of_number(key("pressure"), "Pa", pressure), Course::of_number(key("rate"), "1/s", rate)]
        }
    };
    all.into_iter().flatten().collect()
}

fn of_body(body_key: &str, body: &Body) -> Vec<Course> {
    let key = |name: &str| format!("{body_key}.{name}");
    let mut all =
        vec![Course::of_vector(key("force"), "N", &body.force), Course::of_vector(key("torque"), "N m", &body.torque)];
    match &body.motion {
        Motion::Prescribed(motion) => {
            all.push(Course::of_vector(key("motion.velocity"), "m/s", &motion.velocity));
            all.push(Course::of_vector(key("motion.angular_velocity"), "rad/s", &motion.angular_velocity));
        }
        Motion::Belt(velocity) => all.push(Course::of_vector(key("motion.belt"), "m/s", velocity)),
        Motion::Servo(servo) => all.push(Course::of_number(key("motion.servo.force"), "N", &servo.force)),
        Motion::Free | Motion::Fixed | Motion::Held => {}
    }
    all.into_iter().flatten().collect()
}
