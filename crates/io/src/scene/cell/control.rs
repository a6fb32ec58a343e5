//! `cell.control`: what drives the cell, and the inertia with which it answers.
//!
//! The inertia of a cell under pressure is (N + 1) energy damping_time^2 (`CellInertia`). Defaults: the energy is
//! k (2R)^2, the time 2.25 sqrt(m/k), with mean radius R and mean mass m of the spheres and the normal stiffness k between two of the
//! material that most of them are of; of a hertz law at an overlap of 1e-3 R.

use glam::{DMat3, DVec3};
use stickslip::body::BodyList;
use stickslip::cell::{CellInertia, Control};
use stickslip::model::{Explicit, Integrator, LawTable, Material, Method};
use stickslip::schedule::{Quantity, Signal};

use super::rows;
use crate::input::{Item, Place, Result, Table};
use crate::scene::check::short;
use crate::scene::schedules::read_signal;

/// Damping time, in units of sqrt(m/k), when the scene gives none: that of Santos et al. (2020).
const DAMPING_TIME: f64 = 2.25;
/// Overlap at which the stiffness of a hertz law is taken, as a share of the radius.
const HERTZ_OVERLAP: f64 = 1e-3;
/// A component smaller than this share of the largest counts as zero, where it must be.
const ROUNDING: f64 = 1e-12;

/// `control` as read.
pub(super) struct Wanted<'a> {
    place: Place<'a>,
    kind: Kind,
    damping_time: Option<f64>,
    energy: Option<f64>,
}

#[derive(Clone)]
enum Kind {
    Pressure { target: Signal<DMat3>, triclinic: bool },
    Strain { gradient: Signal<DMat3> },
    MeanStress { pressure: Signal<f64>, axis: usize, rate: Signal<f64> },
}

/// Reads the table, for a cell with vectors of these directions that repeats so.
pub(super) fn read<'a>(item: Item<'a>, directions: DMat3, periodic: [bool; 3], method: Method) -> Result<Wanted<'a>> {
    let place = item.place();
    let table = item.table()?;
    let kinds = [("pressure", 0), ("strain", 1), ("mean-stress", 2)];
    let kind_item = table.required("kind")?;
    let number = kind_item.clone().choice(&kinds, &[])?;
    let Method::Explicit(Explicit { integrator, .. }) = method else {
        let message = "a cell that changes its shape is promised, not built yet, for this method".to_owned();
        return Err(kind_item.error(message).help("leave `control` out, or take kind = \"explicit\" under [method]"));
    };
    if integrator == Integrator::SymplecticEuler {
        let message = "a cell that changes its shape needs the integrator \"velocity-verlet\"";
        return Err(kind_item.error(message.into()).help("leave `method.integrator` out"));
    }
    if number != 1 && periodic != [true; 3] {
        let message =
            format!("a stress needs a cell that repeats everywhere, and this one has periodic = {periodic:?}");
        return Err(kind_item.error(message).help("use a wall with a servo in the direction that does not repeat"));
    }
    let kind = match number {
        0 => read_pressure(&table, directions)?,
        1 => {
            let gradient = |item: Item<'_>| read_signal(item, |item| read_gradient(item, directions, periodic));
            Kind::Strain { gradient: table.need("gradient", gradient)? }
        }
        _ => Kind::MeanStress {
            pressure: table.need("pressure", |item| read_signal(item, Item::positive))?,
            axis: table.need("axis", |item| item.choice(&[("x", 0), ("y", 1), ("z", 2)], &[]))?,
            rate: table.need("rate", |item| read_signal(item, Item::number))?,
        },
    };
    let (mut damping_time, mut energy) = (None, None);
    if number != 1 {
        damping_time = table.read("damping_time", Item::positive)?;
        energy = table.read("energy", Item::positive)?;
    }
    table.finish()?;
    Ok(Wanted { place, kind, damping_time, energy })
}

fn read_pressure(table: &Table<'_>, directions: DMat3) -> Result<Kind> {
    let item = table.required("pressure")?;
    let target = read_signal(item.clone(), read_target)?;
    let triclinic_item = table.optional("triclinic");
    let triclinic = triclinic_item.clone().map(Item::boolean).transpose()?.unwrap_or(true);
    if !triclinic {
        let place = triclinic_item.map_or_else(|| table.place(), |item| item.place());
        if !is_diagonal(directions) {
            let message = "with triclinic = false the cell vectors must lie along x, y and z";
            return Err(place.error(message.into()).help("leave `triclinic` out, or give vectors along the axes"));
        }
        if !target.values().iter().copied().all(is_diagonal) {
            let message = "a cell that keeps its angles cannot follow a shear stress: off the diagonal, expected zeros";
            return Err(item.error(message.into()).help("leave `triclinic` out"));
        }
    }
    Ok(Kind::Pressure { target, triclinic })
}

fn is_diagonal(m: DMat3) -> bool {
    m == DMat3::from_diagonal(DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z))
}

/// A pressure, or a symmetric tensor that pushes in every direction.
fn read_target(item: Item<'_>) -> Result<DMat3> {
    let whole = item.clone();
    if !whole.is_array() {
        let what = "a pressure above zero, or three rows of a symmetric tensor";
        return item.number_such(what, |x| x > 0.0).map(|p| DMat3::from_diagonal(DVec3::splat(p)));
    }
    let [a, b, c] = rows(item)?;
    let target = DMat3::from_cols(a, b, c).transpose();
    if target != target.transpose() {
        let message = format!("expected a symmetric tensor, found the rows {a}, {b}, {c}");
        return Err(whole.error(message).help("xy and yx, xz and zx, yz and zy must be equal"));
    }
    // Positive in every direction: the leading minors are.
    let minor = a.x * b.y - a.y * b.x;
    if !(a.x > 0.0 && minor > 0.0 && target.determinant() > 0.0) {
        let message = format!("expected a pressure above zero in every direction, found the rows {a}, {b}, {c}");
        return Err(whole.error(message).help("compression is positive; loose grains bear no tension"));
    }
    Ok(target)
}

/// The velocity gradient: zero in a direction that does not repeat.
fn read_gradient(item: Item<'_>, directions: DMat3, periodic: [bool; 3]) -> Result<DMat3> {
    let whole = item.clone();
    let [a, b, c] = rows(item)?;
    let gradient = DMat3::from_cols(a, b, c).transpose();
    let most = gradient.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for axis in (0..3).filter(|&axis| !periodic[axis]) {
        // The vector itself must stay, and the faces that it leads through must not move apart.
        let along = gradient * directions.col(axis).normalize();
        let face = directions.inverse().row(axis).normalize();
        let through = gradient.transpose() * face;
        if along.abs().max_element().max(through.abs().max_element()) > ROUNDING * most {
            let name = ["a", "b", "c"][axis];
            let message =
                format!("the cell does not repeat along {name}: row and column of that direction must be zero");
            return Err(whole.error(message).help("shear a packing between walls by moving the walls"));
        }
    }
    Ok(gradient)
}

impl Wanted<'_> {
    /// What drives the cell of these spheres.
    pub fn control(&self, bodies: &BodyList, materials: &[Material], laws: &LawTable) -> Result<Control> {
        Ok(match self.kind.clone() {
            Kind::Strain { gradient } => Control::Strain { gradient },
            Kind::Pressure { target, triclinic } => {
                Control::Pressure { target, inertia: self.inertia(bodies, materials, laws)?, triclinic }
            }
            Kind::MeanStress { pressure, axis, rate } => {
                Control::MeanStress { pressure, axis, rate, inertia: self.inertia(bodies, materials, laws)? }
            }
        })
    }

    fn inertia(&self, bodies: &BodyList, materials: &[Material], laws: &LawTable) -> Result<CellInertia> {
        if let (Some(damping_time), Some(energy)) = (self.damping_time, self.energy) {
            return Ok(CellInertia { damping_time, energy });
        }
        let Some((radius, mass, stiffness)) = mean_grain(bodies, materials, laws) else {
            let message = "no normal law between the grains, which sets how fast the cell answers";
            return Err(self.place.error(message.into()).help("give `damping_time` and `energy`"));
        };
        let damping_time = self.damping_time.unwrap_or_else(|| DAMPING_TIME * (mass / stiffness).sqrt());
        let energy = self.energy.unwrap_or(stiffness * (2.0 * radius) * (2.0 * radius));
        if [damping_time, energy].iter().any(|number| !(*number > 0.0 && number.is_finite())) {
            let message = "the mass and the stiffness of the grains give no number for how fast the cell answers";
            return Err(self.place.error(message.into()).help("give `damping_time` and `energy`"));
        }
        Ok(CellInertia { damping_time, energy })
    }
}

/// Mean radius and mean mass of the spheres, and the stiffness between two such of the material that most are of.
fn mean_grain(bodies: &BodyList, materials: &[Material], laws: &LawTable) -> Option<(f64, f64, f64)> {
    let mut counts = vec![0_usize; materials.len()];
    let (mut radii, mut masses, mut count) = (0.0, 0.0, 0.0);
    for body in bodies.iter() {
        let Some(radius) = body.shape.radius() else { continue };
        let material = usize::from(body.material);
        counts[material] += 1;
        radii += radius;
        masses += body.mass_and_inertia(materials[material].density).0;
        count += 1.0;
    }
    // Of several that are as frequent, the first.
    let most = counts.iter().max().filter(|most| **most > 0)?;
    let material = counts.iter().position(|count| count == most)? as u16;
    let radius = radii / count;
    let normal = laws.springs(material, material)?.normal;
    let stiffness = normal.ask(|law| law.stiffness(0.5 * radius, HERTZ_OVERLAP * radius));
    Some((radius, masses / count, stiffness))
}

/// A constant, or what a schedule begins with.
fn over_time<T: Quantity>(signal: &Signal<T>, text: impl Fn(T) -> String) -> String {
    let start = text(signal.at_start());
    if signal.schedule().is_some() { format!("{start} (at the start, then by its schedule)") } else { start }
}

/// What drives a cell, in words.
pub(super) fn describe(control: &Control, spheres: usize) -> String {
    let answers = |inertia: &CellInertia| {
        let CellInertia { damping_time, energy } = *inertia;
        let all = (spheres as f64 + 1.0) * energy * damping_time * damping_time;
        format!(
            "damping time {} s, inertia (N + 1) x {} J x damping time^2 = {} kg m^2",
            short(damping_time),
            short(energy),
            short(all)
        )
    };
    let matrix = |m: DMat3| {
        let [a, b, c] = [m.row(0), m.row(1), m.row(2)].map(super::listed);
        format!("[{a}, {b}, {c}]")
    };
    match control {
        Control::Fixed => "fixed".into(),
        Control::Pressure { target, inertia, triclinic } => {
            let text = |target: DMat3| {
                let p = target.x_axis.x;
                let isotropic = target == DMat3::from_diagonal(DVec3::splat(p));
                if isotropic { short(p) } else { matrix(target) }
            };
            let target = over_time(target, text);
            let shape = if *triclinic { "lengths and angles change" } else { "lengths change, angles do not" };
            format!("by pressure {target} Pa, {shape}; {}", answers(inertia))
        }
        Control::Strain { gradient: Signal::Constant(gradient) } => {
            format!("by a constant velocity gradient {} 1/s", matrix(*gradient))
        }
        Control::Strain { .. } => "by a velocity gradient that follows a schedule".into(),
        Control::MeanStress { pressure, axis, rate, inertia } => {
            let (axis, rate, pressure) = (["x", "y", "z"][*axis], over_time(rate, short), over_time(pressure, short));
            format!("along {axis} by {rate} 1/s, across by the mean stress {pressure} Pa; {}", answers(inertia))
        }
    }
}
