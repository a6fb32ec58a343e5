//! `fang/disk-legacy`, section 4.2 (Fig. 8): the disc of `disk.rs` under a torque of constant size against the rotation (the
//! paper's eq. 8), which never lets it rest, beside the capped spring, whose torque goes to zero.
//!
//! The torque is mu_r R N with mu_r = 0.1 in the text and 0.05 in the authors' script; both are run. At rest it turns the
//! disc within one step from one direction to the other: the rate after a kick is about T dt/(I + m R^2), and a flip can
//! happen once a step at most, 10^4 times a second. Sliding friction beside it is the spring and slider of the appendix.

use stickslip::law::{Limit, Roll, RollConstantTorque, SpringLaws};
use stickslip_io::results::multiples::{Line, Multiples, Series};

use super::appendix_laws::luding_slide;
use super::disk::{MASS, RADIUS, friction, rig};
use super::track::{COLUMNS, Sample, Track, over_time};
use super::{GRAVITY, STEP};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "fang/disk-legacy",
    title: "The disc under a constant torque, which flips for ever, and under the paper's (section 4.2, Fig. 8)",
    scaled_down: "",
    run,
};

const TIME: f64 = 3.0;
/// Over the last of it the disc is called at rest.
const AT_REST: f64 = 0.5;

/// The paper's eq. 8 beside its sliding friction.
fn legacy(mu: f64) -> SpringLaws {
    let torque = RollConstantTorque { limit: Limit::mu(mu), include_spin: true };
    SpringLaws { roll: Some(Roll::ConstantTorque(torque)), ..luding_slide() }
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let text = rig().track(context, legacy(0.1), TIME)?;
    let script = rig().track(context, legacy(0.05), TIME)?;
    let ours = rig().track(context, friction().laws(), TIME)?;
    let mut outcome = Outcome::default();
    for (track, mu, suffix) in [(&text, 0.1, ""), (&script, 0.05, "_mu_r_0.05")] {
        numbers(&mut outcome, track, mu, suffix);
    }
    let source = "section 4.2: the torque goes to zero (machine precision)";
    outcome.checked("torque_at_rest", largest_at_rest(&ours, |s| s.torque), 0.0, 1e-9, source);
    outcome.checked("omega_at_rest_tracked", largest_at_rest(&ours, |s| s.omega), 0.0, 1e-12, source);
    let mut table = String::from(COLUMNS);
    for (label, track) in [("constant-torque", &text), ("constant-torque 0.05", &script), ("tracked", &ours)] {
        table += &track.rows(label, 10);
    }
    outcome.file("disk-legacy.csv", table);
    outcome.file("figure.svg", figure(&text, &ours).to_svg());
    Ok(outcome)
}

fn at_rest(track: &Track) -> impl Iterator<Item = &Sample> {
    track.between(TIME - AT_REST, TIME)
}

fn largest_at_rest(track: &Track, of: fn(&Sample) -> f64) -> f64 {
    at_rest(track).map(|sample| of(sample).abs()).fold(0.0, f64::max)
}

fn flips_per_second(track: &Track) -> f64 {
    let torques: Vec<f64> = at_rest(track).map(|sample| sample.torque).collect();
    torques.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count() as f64 / AT_REST
}

fn numbers(outcome: &mut Outcome, track: &Track, mu: f64, suffix: &str) {
    let amplitude = mu * RADIUS * MASS * GRAVITY;
    let source = "eq. 8: mu_r R N, for ever (+-0.98 N m in the authors' data with mu_r = 0.1)";
    let found = largest_at_rest(track, |sample| sample.torque);
    outcome.checked(&format!("torque_amplitude_at_rest{suffix}"), found, amplitude, 1e-9, source);
    let flips = flips_per_second(track);
    outcome.metric(format!("sign_flips_per_second{suffix}"), flips);
    // Once a step at most; the paper gives no number, so the check is that it flips at all, and often.
    let most = 1.0 / STEP;
    let source = "section 4.2: it oscillates between two values; between a flip in ten steps and one a step";
    outcome.check(format!("sign_flips_per_second{suffix}"), flips, 0.55 * most, 0.45 * most, source);
    let omega = largest_at_rest(track, |sample| sample.omega);
    outcome.metric(format!("omega_at_rest{suffix}"), omega);
    if suffix.is_empty() {
        let source = "authors' data: stays near 1e-3 rad/s, never 0 (within a factor of 2)";
        outcome.check("omega_at_rest", omega, 1.25e-3, 0.75e-3, source);
    }
    let zeros = at_rest(track).filter(|sample| sample.omega == 0.0).count();
    outcome.metric(format!("steps_at_rest_with_zero_omega{suffix}"), zeros as f64);
}

fn figure(text: &Track, ours: &Track) -> Multiples {
    let curve = |name: &str, colour, track: &Track, range: (f64, f64), of: fn(&Sample) -> f64| {
        Series::line(name, colour, Line::Solid, track.envelope(400, range, of))
    };
    let plot = |title: &str, y: &str, range: (f64, f64), of: fn(&Sample) -> f64| {
        let both = vec![curve("constant torque (eq. 8)", 1, text, range, of), curve("tracked", 0, ours, range, of)];
        over_time(title, y, both, range)
    };
    let plots = vec![
        plot("", "angular position (rad)", (0.0, TIME), |s| s.angle),
        plot("", "rolling torque (N m)", (0.0, TIME), |s| s.torque),
        plot("2 ms at rest", "rolling torque (N m)", (2.998, TIME), |s| s.torque),
    ];
    Multiples { title: "The disc under two rolling laws (Fang and Negrut 2020, Fig. 8)".into(), columns: 3, plots }
}
