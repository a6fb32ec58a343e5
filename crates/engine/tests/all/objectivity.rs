//! Loads do not depend on who looks: a pair that turns rigidly keeps its loads, and an observer who turns and drifts
//! sees the same loads, turned.
//!
//! Two kinds of tests. The laws fed exact rates (contacts built by hand, rates of a rigid motion at mid-step): to
//! rounding for axes along and across the normal, else to second order in the angle per step. Whole runs: second order,
//! where LAMMPS' options are of first order, or of none.

use crate::common::elastic::elastic_laws;
use crate::common::*;
use glam::DVec3;
use stickslip::body::Prescribed;
use stickslip::contact::{Contact, Resistance};
use stickslip::law::*;
use stickslip::{Body, Motion};

const QUARTER_TURN: f64 = std::f64::consts::FRAC_PI_2;

/// Springs loaded well within their limits (N = k d = 50): about a third of each.
fn loaded(laws: &SpringLaws) -> PairMemory {
    let mut memory = PairMemory::default();
    laws.each_friction(|law| {
        let [slide, roll] = [[3e-3, -4e-3, 0.0], [2e-3, 1e-3, 0.0]];
        match (law.name(), law.motions(), law.memory_size().total()) {
            // A frame, one vertex at the overlap of 0.05 and its place, p = z^(3/2) and q = p s/z.
            ("mindlin" | "creep", ..) => {
                let (z, s) = (0.05_f64, [4e-3, 3e-3]);
                let numbers = [0.6, -0.8, 0.0, 1.0, z, s[0], s[1], z * z.sqrt(), s[0] * z.sqrt(), s[1] * z.sqrt()];
                memory.set(laws, Motions::SLIDE, &numbers);
            }
            // A force (N), of which 4.6 is the limit.
            ("mindlin-force" | "mindlin-rescale-force" | "walton-braun" | "vu-quoc-zhang", ..) => {
                memory.set(laws, Motions::SLIDE, &[1.2, -1.6, 0.0]);
            }
            (_, Motions::SLIDE, _) => memory.set(laws, Motions::SLIDE, &slide),
            ("epsd", ..) => memory.set(laws, Motions::ROLL, &[-0.4, 0.5, 0.0]),
            ("spring-slider", Motions::ROLL, _) => memory.set(laws, Motions::ROLL, &roll),
            ("two-sliders", ..) => memory.set(laws, Motions::ROLL, &[4e-3, 2e-3, 0.0, -3e-3, 5e-3, 0.0]),
            (_, Motions::SPIN, 1) => memory.set(laws, Motions::SPIN, &[4e-3]),
            // As if the contact had been stiffer before: then the angle is kept.
            (_, Motions::SPIN, 2) => memory.set(laws, Motions::SPIN, &[4e-3, f64::INFINITY]),
            (_, motions, size @ 7..) => {
                let numbers = [3e-3, -4e-3, 0.0, -2e-3, 3e-3, 0.0, 4e-3, 4e-3, 1e-3, 0.0];
                memory.set(laws, motions, &numbers[..if law.rolls_apart() { 10 } else { 7 }.min(size)]);
                memory.set_bits(TrackedMemory { alive: true, ..TrackedMemory::default() }.bits());
            }
            _ => {}
        }
    });
    memory
}

/// The contact after the pair as a whole has turned from `angle_before` to `angle` about `axis` in one step.
fn turning_contact(axis: DVec3, angle_before: f64, angle: f64) -> Contact {
    let dt = 1e-3;
    let still = resting_contact(dt);
    let at = |angle: f64| turned(axis * angle, DVec3::Z);
    let normal_mid = at(0.5 * (angle_before + angle));
    let rate = axis * ((angle - angle_before) / dt);
    with_turn(Contact {
        normal: at(angle),
        normal_before: at(angle_before),
        normal_mid,
        velocity: rate.cross(normal_mid) * (still.lever_a + still.lever_b),
        angular_velocity_a: rate,
        angular_velocity_b: rate,
        ..still
    })
}

/// The largest of the loads' differences, relative to the loads' own sizes.
fn difference(a: &Resistance, b: &Resistance) -> f64 {
    let relative = |a: DVec3, b: DVec3| (a - b).length() / b.length().max(1e-3);
    relative(a.force, b.force)
        .max(relative(a.roll_a, b.roll_a))
        .max(relative(a.roll_b, b.roll_b))
        .max((a.spin - b.spin).abs() / b.spin.abs().max(1e-3))
}

fn turned_back(turn: DVec3, loads: &Resistance) -> Resistance {
    Resistance {
        force: turned(-turn, loads.force),
        roll_a: turned(-turn, loads.roll_a),
        roll_b: turned(-turn, loads.roll_b),
        ..*loads
    }
}

/// What a rigid turn by `total` in `steps` steps changes of the loads, relative to them.
fn error_of_turn(laws: &SpringLaws, axis: DVec3, total: f64, steps: u32) -> f64 {
    let mut memory = loaded(laws);
    let (_, before) = one::evaluate(laws, &mut turning_contact(axis, 0.0, 0.0), &mut memory);
    let step = total / f64::from(steps);
    let mut after = before;
    for i in 0..steps {
        let mut contact = turning_contact(axis, f64::from(i) * step, f64::from(i + 1) * step);
        after = one::evaluate(laws, &mut contact, &mut memory).1;
    }
    difference(&turned_back(axis * total, &after), &before)
}

/// Laws with springs: without memory there is nothing to keep in a rigid turn.
fn laws_with_springs() -> Vec<(&'static str, SpringLaws)> {
    let paper = other_tracked(1e3).swap_remove(0);
    let all = every_law(1e3).into_iter().chain(elastic_laws(1e3));
    all.filter(|(name, _)| !name.starts_with("constant")).chain([paper]).collect()
}

#[test]
fn a_rigid_turn_along_or_across_the_normal_keeps_the_loads_to_rounding() {
    // Each step rounds a vector of size 1 (relative) a few times: 1e-16 times a few, a random walk over 100 steps.
    // 1e-12 is the figure; a false slip of 1e-9 of the motion would miss it.
    let across = DVec3::new(0.6, -0.8, 0.0);
    for (name, laws) in laws_with_springs() {
        for axis in [DVec3::Z, -DVec3::Z, DVec3::X, across] {
            for (total, steps) in [(QUARTER_TURN, 90), (0.3, 7), (1e-3, 1)] {
                let error = error_of_turn(&laws, axis, total, steps);
                assert!(error < 1e-12, "{name}: axis {axis}, {total} rad in {steps} steps: {error:e}");
            }
        }
    }
}

#[test]
fn a_rigid_turn_about_an_oblique_axis_errs_by_second_order() {
    // The rates are exact and give no slip; what is left is the angle of the memory about the normal. A turn by h
    // about an axis at the angle a to the normal is a least rotation and a twist by 2 atan(cos(a) tan(h/2)); the law
    // twists by h cos(a). So a step is off by (h^3/12) cos(a) sin^2(a), a quarter turn by h^2 (pi/24) cos(a) sin^2(a)
    // = 0.0491 h^2 for 60 degrees, up to the next order, h^2 of that. The spin torque does not change at all.
    let axis = turned(DVec3::X * QUARTER_TURN * 2.0 / 3.0, DVec3::Z);
    let expected = std::f64::consts::PI / 24.0 * 0.5 * 0.75;
    for (name, laws) in laws_with_springs() {
        for steps in [25, 50, 100] {
            let h = QUARTER_TURN / f64::from(steps);
            let error = error_of_turn(&laws, axis, QUARTER_TURN, steps);
            assert!((error / (h * h * expected) - 1.0).abs() < h * h, "{name}, {steps} steps: {error:e}");
        }
    }
}

/// A smooth history of relative motion, made of sines with different periods, at `time` within [0, 1]: normal, rates.
fn motion(time: f64) -> (DVec3, DVec3, DVec3, DVec3) {
    use stickslip::math::{cos, sin};
    let normal = DVec3::new(0.3 * sin(2.0 * time), 0.2 * cos(3.0 * time), 1.0).normalize();
    let slide = DVec3::new(0.02 * cos(7.0 * time), 0.03 * sin(5.0 * time), -0.01 * cos(4.0 * time));
    let turn_a = DVec3::new(0.05 * sin(6.0 * time), -0.04 * cos(5.0 * time), 0.06 * cos(3.0 * time));
    let turn_b = DVec3::new(0.03 * cos(4.0 * time), 0.02, -0.05 * sin(4.0 * time));
    (normal, slide, turn_a, turn_b)
}

/// Loads at the end of the history, as seen by an observer who turns by `turn` over it; turned back.
fn loads_seen(laws: &SpringLaws, turn: DVec3, steps: u32) -> Resistance {
    let dt = 1.0 / f64::from(steps);
    let mut memory = PairMemory::default();
    let mut loads = Resistance::default();
    for i in 0..steps {
        let (start, end) = (f64::from(i) * dt, f64::from(i + 1) * dt);
        let middle = 0.5 * (start + end);
        let seen = |time: f64, v: DVec3| turned(turn * time, v);
        let (normal_at_middle, slide, turn_a, turn_b) = motion(middle);
        let still = resting_contact(dt);
        let (normal, normal_before) = (seen(end, motion(end).0), seen(start, motion(start).0));
        let velocity =
            seen(middle, slide) + turn.cross(seen(middle, normal_at_middle)) * (still.lever_a + still.lever_b);
        let mut contact = with_turn(Contact {
            normal,
            normal_before,
            normal_mid: (normal + normal_before).normalize(),
            velocity,
            angular_velocity_a: seen(middle, turn_a) + turn,
            angular_velocity_b: seen(middle, turn_b) + turn,
            ..still
        });
        loads = one::evaluate(laws, &mut contact, &mut memory).1;
    }
    turned_back(turn, &loads)
}

#[test]
fn an_observer_who_turns_sees_the_same_loads_to_second_order() {
    // Memory turns with the pair to second order (above), and what a step adds is carried from the middle of the step to
    // its end with half the step's turn: the midpoint rule, h^2 times the angle of 3 rad at most. The slide also has the
    // false slip of the turn itself: the mean of the normals at a step's ends is off the normal at its middle by
    // (3 + 1)^2 dt^2/8 (the observer's rate and the normal's own), times the centres' distance 0.8 and the observer's
    // rate: over 1 s, k 0.8 * 3 * 2 dt^2 newtons, less than the load it is measured against.
    let turn = DVec3::new(1.0, -2.0, 2.0);
    for (name, laws) in every_law(1e3) {
        let error = |steps| difference(&loads_seen(&laws, turn, steps), &loads_seen(&laws, DVec3::ZERO, steps));
        let errors = [error(400), error(800), error(1600)];
        let dt = 1.0 / 400.0;
        let load = loads_seen(&laws, DVec3::ZERO, 400).force.length();
        assert!(errors[0] < 27.0 * dt * dt + 4.8e3 * dt * dt / load, "{name}: {errors:?}, {load}");
        for order in orders(&errors, 2.0) {
            assert!(order > 1.9, "{name}: {errors:?}");
        }
    }
}

#[test]
fn an_observer_who_drifts_sees_the_same_loads() {
    // In a world that moves as a whole at a speed of a power of two, positions near a power of two apart, only the
    // rounding of positions differs: 1e-16 times the path (some 10 lengths), times the stiffness 1e3, on forces of 50.
    for (name, laws) in every_law(1e3).into_iter().chain(other_tracked(1e3)).chain(elastic_laws(1e3)) {
        let end = |drift: DVec3| {
            let body = |position, velocity, spin| Body {
                velocity: velocity + drift,
                angular_velocity: spin,
                ..sphere(0.5, position)
            };
            let bodies = vec![
                body(DVec3::ZERO, DVec3::new(0.1, 0.2, -0.3), DVec3::new(1.0, -2.0, 0.5)),
                body(DVec3::new(0.2, 0.1, 0.95), DVec3::new(-0.1, 0.1, -0.6), DVec3::new(-0.5, 1.0, 2.0)),
            ];
            let mut world = world(model(laws, 1e-3), bodies);
            run(&mut world, 30);
            (world.body(0).force, world.body(0).torque, world.body(1).torque)
        };
        let (still, drifting) = (end(DVec3::ZERO), end(DVec3::new(8.0, -4.0, 2.0)));
        assert!(still.0.length() > 1.0, "{name}: the spheres must still touch");
        let off = (still.0 - drifting.0).length() + (still.1 - drifting.1).length() + (still.2 - drifting.2).length();
        assert!(off < 1e-9, "{name}: {off:e}");
    }
}

// ---- whole runs ----

/// Radii 0.5, centres 0.9 apart: overlap 0.1.
const DISTANCE: f64 = 0.9;

/// A sphere that orbits another by a quarter turn about `axis`, both turning as they go: body 0 is held and so heavy
/// in rotation that loads do not change it, body 1 is prescribed. Body 0 turns faster by `extra`. The normal is x at
/// first. Returns the loads on body 0 at the end, seen by one who turned along, and the time it took.
fn orbit(laws: SpringLaws, axis: DVec3, extra: f64, steps: u64) -> (DVec3, DVec3, f64) {
    let dt = 1.0 / steps as f64;
    let rate = axis * QUARTER_TURN;
    let heavy = Body {
        motion: Motion::Held,
        angular_velocity: rate + axis * extra,
        inertia_body: Some(DVec3::splat(1e20)),
        mass: Some(1.0),
        ..sphere(0.5, DVec3::ZERO)
    };
    let prescribed = Prescribed { angular_velocity: rate.into(), about: Some(DVec3::ZERO), ..Prescribed::default() };
    let orbiting = Body { motion: Motion::Prescribed(prescribed), ..sphere(0.5, DVec3::X * -DISTANCE) };
    let mut world = world(model(laws, dt), vec![heavy, orbiting]);
    run(&mut world, steps - 1);
    world.keep_rows(true);
    run(&mut world, steps);
    let row = world.rows()[0];
    (turned(-rate, row.slide), turned(-rate, row.roll_a), row.spin)
}

/// Springs of 10 N/m under a normal load of 1 N that never slip here; dashpots as given.
fn springs(options: SliderOptions, damping: f64) -> SpringLaws {
    let limit = Limit::mu(1e3);
    SpringLaws {
        normal: Normal::Hooke(Hooke::new(10.0, 0.0)),
        slide: Some(Slide::SpringSlider(SlideSlider { options, ..SlideSlider::new(10.0, damping, limit) })),
        roll: Some(Roll::SpringSlider(RollSlider { options, ..RollSlider::new(10.0, damping, limit) })),
        spin: Some(Spin::SpringSlider(SpinSlider { options, ..SpinSlider::new(10.0, damping, limit) })),
        friction: None,
    }
}

/// Steps in a quarter turn at 1.6e-2, 1.6e-3 and 1.6e-4 rad each.
const STEPS: [u64; 3] = [98, 982, 9817];

fn oblique() -> DVec3 {
    DVec3::new(2.0, 2.0, 1.0) / 3.0
}

#[test]
fn in_runs_a_rigid_turn_errs_by_second_order() {
    // Nothing slides, so any load is false. Scale: k times the arc that the contact point travels, 10 * 0.45 * 1.6 = 7
    // N. Rates at the chord's middle instead of the arc's: off by at most h^2/8 of the speed. So below 7 h^2/8.
    let mut errors = Vec::new();
    for steps in STEPS {
        let (slide, roll, spin) = orbit(springs(SliderOptions::default(), 0.0), oblique(), 0.0, steps);
        let h = QUARTER_TURN / steps as f64;
        let error = slide.length();
        assert!(error < 7.0 * h * h / 8.0, "{steps} steps: {error:e}");
        assert!(roll.length() < 1e-12 && spin.abs() < 1e-12, "{roll} {spin}");
        errors.push(error);
    }
    for order in orders(&errors, 10.0) {
        assert!((order - 2.0).abs() < 0.05, "{errors:?}");
    }
}

#[test]
fn in_runs_growing_loads_turn_with_the_pair() {
    // Body 0 turns faster by `extra` about the same axis, so in the turning frame all rates are constant. Memory turns
    // at half the extra spin s: x' = (s/2) n x x + v, solved by x = v sin(q)/q + n x v (1 - cos(q))/q with q = s t/2.
    // The midpoint rule leaves h^2 of the load at most; the slide also has the false slip of the rigid turn, whose bound
    // 7 h^2/8 N is measured here against a load of 0.03 N.
    use stickslip::math::{cos, sin};
    let extra = 1e-2;
    let (axis, n) = (oblique(), DVec3::X);
    let relative = axis * extra;
    let q = 0.5 * relative.dot(n);
    let integral = |v: DVec3| v * (sin(q) / q) + n.cross(v) * ((1.0 - cos(q)) / q);
    let exact_slide = integral(relative.cross(n) * (0.5 * DISTANCE)) * 10.0;
    let exact_roll = -(n.cross(integral(relative.cross(n) * 0.25)) * 0.25) * 10.0;
    let exact_spin = -10.0 * relative.dot(n);
    let mut errors = Vec::new();
    for steps in STEPS {
        let (slide, roll, spin) = orbit(springs(SliderOptions::default(), 0.0), axis, extra, steps);
        let h = QUARTER_TURN / steps as f64;
        let slide_error = (slide - exact_slide).length() / exact_slide.length();
        let roll_error = (roll - exact_roll).length() / exact_roll.length();
        let spin_error = (spin - exact_spin).abs() / exact_spin.abs();
        assert!(slide_error < h * h + 7.0 * h * h / 8.0 / exact_slide.length(), "{steps} steps: {slide_error:e}");
        assert!(roll_error < h * h, "{steps} steps: {roll_error:e}");
        assert!(spin_error < h * h, "{steps} steps: {spin_error:e}");
        errors.push([slide_error, roll_error, spin_error]);
    }
    for motion in 0..3 {
        let of_motion: Vec<f64> = errors.iter().map(|e| e[motion]).collect();
        for order in orders(&of_motion, 10.0) {
            assert!(order > 1.95, "motion {motion}: {of_motion:?}");
        }
    }
}

#[test]
fn transport_as_in_lammps_errs_by_first_order() {
    // Rates belong to mid-step, the normal to its end: false slip of (h/2) times the product of the axis' parts.
    let options = SliderOptions { transport: Transport::Lammps, ..SliderOptions::default() };
    let mut errors = Vec::new();
    for steps in STEPS {
        errors.push(orbit(springs(options, 0.0), oblique(), 0.0, steps).0.length());
    }
    for order in orders(&errors, 10.0) {
        assert!((order - 1.0).abs() < 0.05, "{errors:?}");
    }
}

#[test]
fn the_arm_of_lammps_slips_however_small_the_step() {
    // Full radii in the slip velocity see the overlap times the rate as slip: k d angle = 10 * 0.1 * 1.571 = 1.571 N,
    // at any step; with a coefficient of 0.3 the pair would be at its limit although nothing slides.
    let options = SliderOptions { arm: Arm::Lammps, ..SliderOptions::default() };
    for steps in STEPS {
        let (slide, ..) = orbit(springs(options, 0.0), DVec3::Z, 0.0, steps);
        let h = QUARTER_TURN / steps as f64;
        assert!((slide.length() - QUARTER_TURN).abs() < h * h, "{steps} steps: {}", slide.length());
    }
}

#[test]
fn the_normal_dashpot_does_not_see_a_rigid_turn() {
    // The normal dashpot once took the mid-step velocity along the normal at the step's end and saw r w sin(h/2) of a
    // rigid turn: an error of first order. Along the mid-step normal it sees nothing but the mid-step velocity of the
    // prescribed circle, which is along the chord: rounding. LAMMPS' transport still has the old rate, for its sake.
    use stickslip::math::sin;
    let mut laws = springs(SliderOptions::default(), 0.0);
    laws.normal = Normal::Hooke(Hooke::new(10.0, 2.0));
    for steps in STEPS {
        let dt = 1.0 / steps as f64;
        let rate = DVec3::Z * QUARTER_TURN;
        let held = Body { motion: Motion::Held, mass: Some(1.0), ..sphere(0.5, DVec3::ZERO) };
        let prescribed =
            Prescribed { angular_velocity: rate.into(), about: Some(DVec3::ZERO), ..Prescribed::default() };
        let orbiting = Body { motion: Motion::Prescribed(prescribed), ..sphere(0.5, DVec3::X * -DISTANCE) };
        let mut world = world(model(laws, dt), vec![held, orbiting]);
        run(&mut world, steps - 1);
        world.keep_rows(true);
        run(&mut world, steps);
        let chord = 2.0 * DISTANCE * QUARTER_TURN * sin(0.5 * QUARTER_TURN * dt);
        let error = (world.rows()[0].normal_force - 1.0).abs();
        assert!(error < 1e-12, "{steps} steps: {error:e}, chord {chord:e}");
    }
}
