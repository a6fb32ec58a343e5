//! Refuses what moves too far in one step at the start: such a body passes through others, or meets them too deep.
//!
//! No more than half a radius of way and half a radian of turn: then no point of a sphere moves by more than the radius, and
//! the rounds of THEORY.md eq. (4.4) for unequal moments gain a factor of two each. Way and turn are those of the given
//! velocities and of constant loads, gravity included, from rest; of what is driven, those of its motion or its servo,
//! against the smallest sphere that moves. Does not look at what contacts do later: the guards of a run do.

use glam::DVec3;
use stickslip::body::{Body, Motion, Prescribed};
use stickslip::model::Model;
use stickslip::schedule::Signal;
use stickslip::shape::Shape;

use crate::input::{InputError, Place, Result};
use crate::scene::bodies::Bodies;
use crate::scene::check::short;
use crate::scene::timing::StepChoice;

/// Radii of way, and radians of turn, in one step.
const MOST: f64 = 0.5;

/// How fast something is, and how much faster it gets (per m, or rad, s and s^2).
#[derive(Clone, Copy)]
struct Pace {
    speed: f64,
    acceleration: f64,
}

impl Pace {
    /// The way in one step.
    fn way(&self, step: f64) -> f64 {
        self.speed * step + self.acceleration * step * step
    }

    /// A step in which the way is at most this.
    fn step_for(&self, way: f64) -> f64 {
        (0.5 * way / self.speed).min((0.5 * way / self.acceleration).sqrt())
    }
}

/// What the checks share.
struct Speeds<'a> {
    model: &'a Model,
    step: StepChoice,
    /// Whether anything can touch at all.
    touching: bool,
    /// The smallest sphere that loads move (m), there or to come.
    smallest: f64,
}

/// Refuses bodies and streams that are too fast for the model's step.
pub(crate) fn check(
    model: &Model,
    bodies: &Bodies<'_>,
    streams: &[Place<'_>],
    step: StepChoice,
    touching: bool,
) -> Result<()> {
    let alike = || bodies.list.alike_in_a_row();
    let moved = alike().filter(|(body, _)| body.motion.yields()).filter_map(|(body, _)| body.shape.radius());
    let to_come = model.inflows.iter().map(|inflow| inflow.mould.radii()[0]);
    let smallest = moved.chain(to_come).fold(f64::INFINITY, f64::min);
    let speeds = Speeds { model, step, touching, smallest };
    // Those that loads move go nowhere because of their place, and all others are alike to none.
    let mut next = 0;
    for (body, count) in alike() {
        let id = next;
        next += count;
        if let Some((problem, remedy)) = speeds.of_body(&body) {
            let message = format!("{} {problem}", bodies.label(id));
            let error = |place: &Place<'_>| -> InputError { place.error(message).help(remedy) };
            return bodies.place(id).map_or(Ok(()), |place| Err(error(place)));
        }
    }
    for (inflow, place) in model.inflows.iter().zip(streams) {
        let smallest = inflow.extremes(model.materials[usize::from(inflow.material())].density).swap_remove(0);
        if let Some((problem, remedy)) = speeds.of_body(&smallest) {
            return Err(place.error(format!("its smallest body {problem}")).help(remedy));
        }
    }
    Ok(())
}

impl Speeds<'_> {
    /// What is wrong with a body, and the remedy.
    fn of_body(&self, body: &Body) -> Option<(String, String)> {
        let density = self.model.materials[usize::from(body.material)].density;
        let (mass, inertia) = body.mass_and_inertia(density);
        let tumbling = inertia.max_element() != inertia.min_element();
        let (way, turn) = match &body.motion {
            Motion::Free | Motion::Held => {
                let (speed, acceleration) = if body.motion == Motion::Held {
                    (0.0, 0.0)
                } else {
                    (body.velocity.length(), self.model.gravity.largest() + body.force.largest() / mass)
                };
                let turn = body.torque.largest() / inertia.min_element();
                (Pace { speed, acceleration }, Pace { speed: body.angular_velocity.length(), acceleration: turn })
            }
            Motion::Prescribed(motion) => {
                let turn = Pace { speed: motion.angular_velocity.largest(), acceleration: 0.0 };
                (Pace { speed: speed_of(motion, body), acceleration: 0.0 }, turn)
            }
            Motion::Servo(servo) => {
                let push = servo.force.largest() / servo.mass;
                // Once at its largest speed it goes no faster.
                let acceleration = push.min(servo.max_speed / self.model.dt);
                (Pace { speed: 0.0, acceleration }, Pace { speed: 0.0, acceleration: 0.0 })
            }
            Motion::Fixed | Motion::Belt(_) => return None,
        };
        let radius = if body.motion.yields() { body.shape.radius().unwrap_or(0.0) } else { self.smallest };
        if self.touching && way.way(self.model.dt) > MOST * radius {
            return Some(self.too_far(way, radius, &body.motion));
        }
        ((self.touching || tumbling) && turn.way(self.model.dt) > MOST).then(|| self.too_much_turn(turn))
    }

    fn too_far(&self, pace: Pace, radius: f64, motion: &Motion) -> (String, String) {
        let step = self.model.dt;
        let whose = if motion.yields() { "its radius" } else { "the smallest radius" };
        let problem = format!(
            "moves by {} times {whose} in one step of {} s (speed {} m/s, acceleration {} m/s^2): more than half, so that it \
             would pass through others or meet them too deep",
            short(pace.way(step) / radius),
            short(step),
            short(pace.speed),
            short(pace.acceleration)
        );
        let keys = match motion {
            Motion::Servo(_) => "the servo's force and mass, or give it a `max_speed`",
            Motion::Prescribed(_) => "its motion",
            _ => "velocity, force and gravity",
        };
        (problem, self.remedy(pace.step_for(MOST * radius), keys))
    }

    fn too_much_turn(&self, pace: Pace) -> (String, String) {
        let step = self.model.dt;
        let problem = format!(
            "turns by {} rad in one step of {} s, more than half a radian ({} rad/s, {} rad/s^2)",
            short(pace.way(step)),
            short(step),
            short(pace.speed),
            short(pace.acceleration)
        );
        (problem, self.remedy(pace.step_for(MOST), "angular_velocity, torque and inertia"))
    }

    fn remedy(&self, step: f64, keys: &str) -> String {
        let which = match self.step {
            StepChoice::Auto => "the automatic step looks at springs only: give one",
            StepChoice::Given(_) | StepChoice::Fraction(_) => "a smaller step",
        };
        format!("check the units of {keys}; if they are meant, {which}, of at most {} s", short(step))
    }
}

/// How fast a prescribed body goes at most, along the way that matters: a plane that slides in itself runs into nothing. Of a
/// turn that of its centre counts, not that of a tip.
fn speed_of(motion: &Prescribed, body: &Body) -> f64 {
    let along = |vector: DVec3| match body.shape {
        Shape::Plane { normal } => (body.orientation * normal).dot(vector).abs(),
        _ => vector.length(),
    };
    let largest = |signal: &Signal<DVec3>, speed: &dyn Fn(DVec3) -> f64| {
        signal.values().iter().map(|v| speed(*v)).fold(0.0, f64::max)
    };
    let swing =
        motion.oscillate.map_or(0.0, |o| along(o.axis) * (std::f64::consts::TAU * o.frequency * o.amplitude).abs());
    let orbit = match body.shape {
        // Its position is any point of it.
        Shape::Plane { .. } => 0.0,
        _ => {
            let orbit = |about: DVec3| {
                largest(&motion.angular_velocity, &|turning| turning.cross(body.position - about).length())
            };
            motion.about.map_or(0.0, orbit)
        }
    };
    largest(&motion.velocity, &along) + swing + orbit
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::scene::load_text;

    /// Two grains of a radius of 1 cm and a floor; the text goes into the first grain's table and after it.
    fn problem(step: &str, more: &str) -> Option<(usize, String)> {
        let text = format!(
            "[time]\nend = 1.0\n{step}\n[material.grain]\ndensity = 2500.0\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
             normal = {{ law = \"hooke\", stiffness = 1e4, restitution = 0.5 }}\n\
             [[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 0.01 }}\nposition = [0, 0, 0.05]\n\
             [[body]]\nname = \"ball\"\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 0.01 }}\n\
             position = [0, 0, 0.02]\n{more}\n"
        );
        let error = load_text("scene.toml", &text, Path::new("")).err()?;
        Some((error.line()?, format!("{} | {}", error.message(), error.advice().unwrap_or_default())))
    }

    #[test]
    fn half_a_radius_in_a_step_is_the_most() {
        let step = "step = 1e-4";
        assert_eq!(problem(step, "velocity = [0, 0, 49.9]"), None);
        let (line, text) = problem(step, "velocity = [0, 0, 51.0]").unwrap();
        assert_eq!(line, 13);
        assert!(text.contains("body 1 (\"ball\") moves by 0.51 times its radius in one step of 1e-4 s"), "{text}");
        // 0.25 R/v.
        assert!(text.contains("a smaller step, of at most 4.902e-5 s"), "{text}");
        let (_, text) = problem("", "velocity = [0, 0, 1e6]").unwrap();
        assert!(text.contains("the automatic step looks at springs only: give one"), "{text}");
        // A force of 1e300 N, and one that moves it by 0.4 R.
        assert!(problem(step, "force = [0, 0, 1e300]").unwrap().1.contains("moves by"));
        assert_eq!(problem(step, "force = [0, 0, 4000.0]"), None);
    }

    #[test]
    fn half_a_radian_in_a_step_is_the_most() {
        let step = "step = 1e-4";
        assert_eq!(problem(step, "angular_velocity = [0, 4900, 0]"), None);
        let (line, text) = problem(step, "angular_velocity = [0, 5100, 0]").unwrap();
        assert_eq!(line, 13);
        assert!(text.contains("body 1 (\"ball\") turns by 0.51 rad in one step"), "{text}");
        assert!(problem(step, "motion = \"held\"\nangular_velocity = [0, 5100, 0]").is_some());
        assert!(problem(step, "torque = [1e300, 0, 0]").unwrap().1.contains("turns by"));
    }

    #[test]
    fn what_is_driven_must_not_outrun_the_smallest_sphere() {
        let wall = |motion: &str| {
            format!(
                "[[body]]\nname = \"lid\"\nmaterial = \"grain\"\nshape = {{ kind = \"plane\", normal = [0, 0, -1] }}\n\
                 position = [0, 0, 1]\nmotion = {motion}"
            )
        };
        let of = |motion: &str| problem("step = 1e-4", &wall(motion));
        assert_eq!(of("{ velocity = [1e5, 0, -40] }"), None, "a plane that slides in itself");
        let (line, text) = of("{ velocity = [0, 0, -60] }").unwrap();
        assert!(line == 18 && text.contains("body 2 (\"lid\") moves by 0.6 times the smallest radius"), "{text}");
        // 2 pi 1000 0.01 = 62.8 m/s.
        assert!(of("{ oscillate = { axis = [0, 0, 1], amplitude = 0.01, frequency = 1000.0 } }").is_some());
        let (_, text) = of("{ servo = { axis = [0, 0, -1], force = 1e300 } }").unwrap();
        assert!(text.contains("the smallest radius") && text.contains("`max_speed`"), "{text}");
        assert_eq!(of("{ servo = { axis = [0, 0, -1], force = 1e300, max_speed = 1.0 } }"), None);
        assert_eq!(of("{ servo = { axis = [0, 0, -1], force = 1.0 } }"), None);
    }

    #[test]
    fn what_turns_about_a_point_far_away_is_as_fast_as_its_centre() {
        // A paddle at 1000 m/s passed through every grain: of a turn only the angle was looked at.
        let paddle = |rate: f64, about: &str| {
            let body = "[[body]]\nname = \"paddle\"\nmaterial = \"grain\"\nposition = [1, 0, 1]\n\
                        shape = { kind = \"rectangle\", normal = [0, 1, 0], size = [0.1, 0.1] }";
            problem("step = 1e-4", &format!("{body}\nmotion = {{ angular_velocity = [0, 0, {rate}]{about} }}"))
        };
        let (_, text) = paddle(60.0, ", about = [0, 0, 1]").unwrap();
        assert!(text.contains("body 2 (\"paddle\") moves by 0.6 times the smallest radius"), "{text}");
        assert_eq!(paddle(40.0, ", about = [0, 0, 1]"), None);
        assert_eq!(paddle(1000.0, ""), None, "it turns on the spot");
        assert_eq!(paddle(1000.0, ", about = [1, 0, 7]"), None, "about its own axis");
    }

    #[test]
    fn streams_and_gravity_count_and_what_cannot_touch_does_not() {
        let stream = "[[stream]]\nmaterial = \"grain\"\nradius = { min = 0.001, max = 0.01 }\nrate = 1.0\ncount = 2\n\
                      from = [0, 0, 1]\nto = [1, 1, 2]\nvelocity = [0, 0, -600]";
        let (line, text) = problem("step = 1e-6", stream).unwrap();
        assert!(line == 18 && text.contains("stream[0]: its smallest body moves by 0.6 times its radius"), "{text}");
        let text = "gravity = [0, 0, -1e300]\n[time]\nend = 1.0\nstep = 0.001\n[material.grain]\ndensity = 2500.0\n\
                    [[body]]\nmaterial = \"grain\"\nshape = { kind = \"sphere\", radius = 0.01 }\nposition = [0, 0, 0]\n";
        let load = |text: &str| load_text("scene.toml", text, Path::new("")).map(|_| ());
        assert!(load(text).is_ok(), "alone it may fall as it likes");
        let spinning = |moments: &str| text.to_owned() + "angular_velocity = [1e3, 1e3, 0]\n" + moments;
        assert!(load(&spinning("")).is_ok());
        assert!(load(&spinning("inertia = [1e-6, 1.2e-6, 1.5e-6]\n")).unwrap_err().message().contains("turns by"));
    }
}
