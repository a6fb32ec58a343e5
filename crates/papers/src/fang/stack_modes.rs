//! Section 4.6, Fig. 14: which contacts slip when a stack begins to collapse, at three rolling coefficients.
//!
//! The paper compares a stack that holds with one whose upper sphere is 0.01 kg heavier: at eta_r = 0.16 the lower spheres roll
//! outwards on the ground without sliding, at 0.35 they slide without rolling, at 0.23 both. The moment looked at is when
//! the upper sphere has fallen by 20 mm. In the stack that holds (0.01 kg below the critical mass) every contact sticks in the end.
//! `modes[eta_r]` has the letters of the contacts record, slide, roll and spin, for a lower sphere on the ground.

use stickslip::measure::{ContactRow, Mode};

use super::stack::{Critical, FALL, GAP, STEPS, Stack, world};
use crate::experiment::{Context, Ended, Outcome};

/// Heavier or lighter than the critical mass by so much (kg).
const MORE: f64 = 0.01;

/// Slide and roll in Fig. 14, as letters.
const EXPECTED: [(f64, &str); 3] = [(0.16, "sk-"), (0.23, "kk-"), (0.35, "ks-")];

/// Notes the modes of all three.
pub fn moments(context: &Context, outcome: &mut Outcome, found: &[Critical]) -> Result<(), Ended> {
    let mut table = String::from("eta_r,mass,time,a,b,normal_force,slide,roll_a,roll_b,mode\n");
    for (eta, expected) in EXPECTED {
        let Some(critical) = found.iter().find(|one| one.gap == GAP && one.eta == eta) else { continue };
        let stack = |mass: f64| Stack { gap: GAP, eta, mass };
        let (time, falling) = until(context, stack(critical.mass + MORE), true)?;
        let (end, held) = until(context, stack(critical.mass - MORE), false)?;
        let letters = ground(&falling).map(|row| letters(&row.mode)).unwrap_or("");
        outcome.word(format!("modes[{eta}]"), letters);
        outcome.metric(format!("collapse_time[{eta}]"), time);
        let source = "Fig. 14: what slips between a lower sphere and the ground as the stack collapses";
        outcome.check(format!("modes[{eta}] as in the paper"), f64::from(letters == expected), 1.0, 0.0, source);
        let slipping = held.iter().filter(|row| row.mode.contains(&Mode::Slip)).count();
        let source = "Fig. 14: every contact of a stack that holds sticks";
        outcome.checked(&format!("slipping_contacts_of_a_stable_stack[{eta}]"), slipping as f64, 0.0, 0.0, source);
        for (mass, time, rows) in [(critical.mass + MORE, time, &falling), (critical.mass - MORE, end, &held)] {
            rows.iter().for_each(|row| table += &line(eta, mass, time, row));
        }
    }
    printed(context, outcome)?;
    outcome.file("collapse.csv", table);
    Ok(())
}

/// Steps one stack until its top has fallen, or to the end; the time and the contacts then.
fn until(context: &Context, stack: Stack, falls: bool) -> Result<(f64, Vec<ContactRow>), Ended> {
    let mut world = world(&[stack], true)?;
    let height = world.body(2).position.z;
    world.keep_contacts(true);
    for _ in 0..STEPS {
        if world.steps() % 1000 == 0 {
            context.check_interrupt()?;
        }
        world.step().map_err(Ended::failed)?;
        if falls && height - world.body(2).position.z > FALL {
            return Ok((world.time(), world.contacts()));
        }
    }
    Ok((if falls { f64::NAN } else { world.time() }, world.contacts()))
}

/// The left sphere on the ground.
fn ground(rows: &[ContactRow]) -> Option<&ContactRow> {
    rows.iter().find(|row| (row.a, row.b) == (0, 3))
}

fn letters(mode: &[Mode; 3]) -> &'static str {
    match (mode[0] == Mode::Slip, mode[1] == Mode::Slip) {
        (false, false) => "ss-",
        (false, true) => "sk-",
        (true, false) => "ks-",
        (true, true) => "kk-",
    }
}

fn line(eta: f64, mass: f64, time: f64, row: &ContactRow) -> String {
    let mode: String = row.mode.iter().map(|mode| mode.letter()).collect();
    let name = |id: u32| ["left", "right", "top", "ground"].get(id as usize).copied().unwrap_or("");
    format!(
        "{eta},{mass:.5},{time:.4},{},{},{:.6},{:.6},{:.6},{:.6},{mode}\n",
        name(row.a),
        name(row.b),
        row.normal_force,
        row.slide.length(),
        row.roll_a.length(),
        row.roll_b.length()
    )
}

/// The forces printed in Fig. 14a: eta_r = 0.16 and 0.95 kg at rest.
fn printed(context: &Context, outcome: &mut Outcome) -> Result<(), Ended> {
    let (_, rows) = until(context, Stack { gap: GAP, eta: 0.16, mass: 0.95 }, false)?;
    let at = |a: u32, b: u32| rows.iter().find(|row| (row.a, row.b) == (a, b));
    let source = "printed in Fig. 14a (0.95 kg, eta_r = 0.16); 2 %, as the curve";
    let mut check = |name: &str, value: Option<f64>, printed: f64| {
        outcome.checked(name, value.unwrap_or(f64::NAN), printed, 0.02 * printed, source);
    };
    check("ground_normal_force", at(0, 3).map(|row| row.normal_force), 14.5);
    check("ground_slide_force", at(0, 3).map(|row| row.slide.length()), 2.08);
    check("ground_roll_torque", at(0, 3).map(|row| row.roll_a.length()), 0.139);
    check("top_normal_force", at(0, 2).map(|row| row.normal_force), 5.01);
    check("top_slide_force", at(0, 2).map(|row| row.slide.length()), 0.998);
    check("top_roll_torque", at(0, 2).map(|row| row.roll_b.length()), 0.0240);
    Ok(())
}
