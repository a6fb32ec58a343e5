//! `fang/incline`, section 4.3 (Fig. 9): a sphere is sent up an incline of 35 degrees, slides, rolls, turns around, and in
//! the end rolls down with slip.
//!
//! eta_r = 0.3. In slip F_E = mu_k N and T_E = 2 eta_r mu_k R N; at the step from stick to slip the loads are the static
//! ones. Critical damping is what the authors' figure needs; their sweep (`map.rs`) has half of it. The paper marks the
//! end of phase II at 0.0829 s; that is not the turning point (v = 0 at 0.0745 s) but near the moment when the rolling
//! spring saturates again (0.0833 s). Both are here.

use stickslip::math;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::friction::Friction;
use super::reference::{self, InclineRow};
use super::rig::{Rig, Turns};
use super::track::{COLUMNS, Sample, Track, Which, over_time};
use super::{GRAVITY, KINETIC, STATIC, STEP, STIFFNESS};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "fang/incline",
    title: "A sphere goes up an incline of 35 degrees and comes back (section 4.3, Fig. 9)",
    scaled_down: "",
    run,
};

/// kg.
pub const MASS: f64 = 5.0;
/// m.
pub const RADIUS: f64 = 0.2;
/// kg m^2.
pub const INERTIA: f64 = 0.4 * MASS * RADIUS * RADIUS;
/// m/s.
pub const SPEED: f64 = 0.5;
const ETA: f64 = 0.3;

/// The sphere on a slope (rad), in motion.
pub fn rig(slope: f64) -> Rig {
    Rig { speed: SPEED, ..Rig::on_slope(MASS, RADIUS, INERTIA, slope, Turns::Freely) }
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let slope = 35.0_f64.to_radians();
    let critical = Friction::roll(ETA);
    let half = Friction { slide_damping: 0.5, roll_damping: 0.5, ..critical };
    let track = rig(slope).track(context, critical.laws(), 0.3)?;
    let halved = rig(slope).track(context, half.laws(), 0.3)?;
    let mut outcome = Outcome::default();
    switches(&mut outcome, &track);
    loads(&mut outcome, &track, slope);
    let mut table = String::from(COLUMNS);
    let cases = [("critical_damping", &track, critical), ("half_damping", &halved, half)];
    for (name, track, friction) in cases {
        let (off, modes) = off_reference(track, &friction, &reference::incline(name));
        let source = "reference series (the authors' Fig. 9a to 2e-6 rad/s), every column over its maximum";
        outcome.checked(&format!("off_reference[{name}]"), off, 0.0, 1e-5, source);
        outcome.checked(&format!("modes_off_reference[{name}]"), modes as f64, 0.0, 0.0, "modes of the same series");
        table += &track.rows(name, 1);
    }
    outcome.file("incline.csv", table);
    outcome.file("figure.svg", figure(&track, &critical).to_svg());
    Ok(outcome)
}

fn switches(outcome: &mut Outcome, track: &Track) {
    let expected = [
        ("slide_k1", Which::Slide, 0, 0.0003),
        ("slide_s", Which::Slide, 1, 0.0487),
        ("slide_k2", Which::Slide, 2, 0.0909),
        ("roll_k1", Which::Roll, 0, 0.0011),
        ("roll_s", Which::Roll, 1, 0.0748),
        ("roll_k2", Which::Roll, 2, 0.0833),
    ];
    for (name, which, number, time) in expected {
        outcome.checked(
            name,
            track.switch(which, number),
            time,
            STEP,
            "authors' data with critical damping, to a step",
        );
    }
    let turn = track.when(|sample| sample.v <= 0.0);
    outcome.checked("turning_point", turn, 0.0745, STEP, "authors' data: v = 0");
    let turn = track.when(|sample| sample.time > 0.01 && sample.omega <= 0.0);
    outcome.checked("turning_point_omega", turn, 0.0748, STEP, "authors' data: omega = 0");
    outcome.metric("phase_II_ends_in_the_paper", 0.0829);
}

fn loads(outcome: &mut Outcome, track: &Track, slope: f64) {
    let normal = MASS * GRAVITY * math::cos(slope);
    let torque = 2.0 * ETA * RADIUS * normal;
    let end = track.last();
    outcome.checked("force_kinetic", end.force.abs(), KINETIC * normal, 1e-9, "mu_k N in closed form");
    outcome.check("force_kinetic (printed)", end.force.abs(), 8.027, 1e-3, "section 4.3, printed 8.027 N (cut)");
    outcome.checked("torque_kinetic", end.torque.abs(), KINETIC * torque, 1e-9, "2 eta_r mu_k R N in closed form");
    outcome.check("torque_kinetic (printed)", end.torque.abs(), 0.963, 5e-4, "section 4.3, printed 0.963 N m");
    let at = |which, number| {
        let time = track.switch(which, number);
        track.samples.iter().find(|sample| sample.time == time).copied()
    };
    let force = at(Which::Slide, 2).map_or(f64::NAN, |sample| sample.force.abs());
    outcome.checked("force_static", force, STATIC * normal, 1e-9, "mu_s N at the step from stick to slip");
    outcome.check("force_static (printed)", force, 10.03, 5e-3, "section 4.3, printed 10.03 N");
    let torque_static = at(Which::Roll, 2).map_or(f64::NAN, |sample| sample.torque.abs());
    outcome.checked(
        "torque_static",
        torque_static,
        STATIC * torque,
        1e-9,
        "2 eta_r mu_s R N at that step (1.2042 N m)",
    );
}

/// Elastic parts of force and torque: the dashpots are off in slip, and see the rates of the last step.
fn parts(sample: &Sample, friction: &Friction) -> (f64, f64) {
    let roll_stiffness = 4.0 * ETA * STIFFNESS * RADIUS * RADIUS;
    let slide = friction.slide_damping * 2.0 * (MASS * STIFFNESS).sqrt();
    let roll = friction.roll_damping * 2.0 * (INERTIA * roll_stiffness).sqrt();
    if sample.time == 0.0 {
        return (sample.force, sample.torque);
    }
    let slip = sample.v - RADIUS * sample.omega;
    let force = if sample.slips(Which::Slide) { 0.0 } else { -slide * slip };
    let torque = if sample.slips(Which::Roll) { 0.0 } else { -roll * sample.omega };
    (sample.force - force, sample.torque - torque)
}

/// As in `brick.rs`.
fn off_reference(track: &Track, friction: &Friction, reference: &[InclineRow]) -> (f64, usize) {
    let (mut off, mut largest, mut modes) = ([0.0_f64; 4], [0.0_f64; 4], 0);
    for row in reference {
        let sample = &track.samples[(row.time / STEP).round() as usize];
        let (force, torque) = parts(sample, friction);
        let (ours, theirs) = ([sample.v, sample.omega, force, torque], [row.v, row.omega, row.force, row.torque]);
        for column in 0..4 {
            off[column] = off[column].max((ours[column] - theirs[column]).abs());
            largest[column] = largest[column].max(theirs[column].abs());
        }
        modes += usize::from([sample.slips(Which::Slide), sample.slips(Which::Roll)] != row.slips);
    }
    ((0..4).map(|column| off[column] / largest[column]).fold(0.0, f64::max), modes)
}

/// Fig. 9a: velocities on the left, elastic loads on the right; the levels are the numbers printed in the paper.
fn figure(track: &Track, friction: &Friction) -> Multiples {
    let reference = reference::incline("critical_damping");
    let marks = |of: fn(&InclineRow) -> f64| {
        Series::marks("reference", 6, Symbol::Cross, reference.iter().step_by(4).map(|row| (row.time, of(row))))
    };
    let line = |name: &str, colour, of: &dyn Fn(&Sample) -> f64| {
        Series::line(name, colour, Line::Solid, track.curve(3000, of))
    };
    let plot = |y: &str, levels: Vec<(f64, String)>, series: Vec<Series>| Plot {
        levels,
        ..over_time("", y, series, (0.0, 0.3))
    };
    let speed = vec![
        line("v", 0, &|s| s.v),
        line("R omega", 1, &|s| RADIUS * s.omega),
        marks(|row| row.v),
        marks(|row| RADIUS * row.omega),
    ];
    let force = vec![line("F_E", 0, &|s| parts(s, friction).0), marks(|row| row.force)];
    let torque = vec![line("T_E", 1, &|s| parts(s, friction).1), marks(|row| row.torque)];
    let plots = vec![
        plot("velocity (m/s)", Vec::new(), speed),
        plot("slide, elastic part (N)", vec![(8.027, String::new()), (-8.027, String::new())], force),
        plot("roll, elastic part (N m)", vec![(0.963, String::new()), (-0.963, String::new())], torque),
    ];
    Multiples {
        title: "A sphere on an incline of 35 degrees (Fang and Negrut 2020, Fig. 9a)".into(),
        columns: 3,
        plots,
    }
}
