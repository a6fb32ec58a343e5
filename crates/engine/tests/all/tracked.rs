//! `tracked` against what was computed independently after Fang and Negrut (2020): the path of the contact point, a brick and a
//! sphere on an incline; and what its two forms do to the angular momentum of a pair.

use crate::common::*;
use glam::{DQuat, DVec3};
use serde_json::Value;
use stickslip::contact::{Contact, Curvature, Turn};
use stickslip::frame;
use stickslip::law::*;
use stickslip::ledger::Loss;
use stickslip::math::{atan2, cos, sin};
use stickslip::model::Integrator;
use stickslip::{Body, World};

const KINEMATICS: &str = include_str!("../data/fang/kinematics_unit_cases.json");
const BRICK: &str = include_str!("../data/fang/brick.csv");
const INCLINE: &str = include_str!("../data/fang/incline35.csv");

/// The paper's coefficients.
fn mu() -> Limit {
    static_kinetic(0.25, 0.2)
}

fn forms() -> [(Form, Kinematics); 4] {
    let rates = [Form::Reciprocal, Form::Paper].map(|form| (form, Kinematics::Rates));
    let points = [Form::Reciprocal, Form::Paper].map(|form| (form, Kinematics::Points));
    [rates[0], rates[1], points[0], points[1]]
}

// ---- the path of the contact point ----

fn vector(value: &Value) -> DVec3 {
    let at = |i: usize| value[i].as_f64().expect("a number");
    DVec3::new(at(0), at(1), at(2))
}

/// Two spheres that touch in one point, at places and with orientations.
fn touching(radii: [f64; 2], x: [DVec3; 2], q: [DQuat; 2], w: [DVec3; 2], dt: f64) -> Contact {
    let n = (x[0] - x[1]).normalize();
    Contact {
        normal: n,
        normal_before: n,
        normal_mid: n,
        turn: Turn::new(n, n, DVec3::ZERO, dt).1,
        angular_velocity_a: w[0],
        angular_velocity_b: w[1],
        radius_eff: radii[0] * radii[1] / (radii[0] + radii[1]),
        normal_load: 1e9,
        point_a: n * -radii[0],
        point_b: n * radii[1],
        orientation_a: q[0],
        orientation_b: q[1],
        curvature_a: Curvature::round(1.0 / radii[0]),
        curvature_b: Curvature::round(1.0 / radii[1]),
        ..resting_contact(dt)
    }
}

#[test]
fn tracked_points_have_the_paths_of_ten_pairs() {
    // Coordinates of order 1 round to 1e-16, paths are their differences: some 1e-15. The figure is 1e-12.
    let law = Tracked {
        form: Form::Paper,
        kinematics: Kinematics::Points,
        ..Tracked::new(1.0, mu()).with_roll(1.0).with_spin(1.0, SpinCurvature::Given(1.0)).with_damping(0.0)
    };
    let cases: Value = serde_json::from_str(KINEMATICS).expect("the file is JSON");
    let cases = cases.as_array().expect("a list of cases");
    assert_eq!(cases.len(), 10);
    for (number, case) in cases.iter().enumerate() {
        let (dt, radii) = (case["dt"].as_f64().unwrap(), ["R_i", "R_j"].map(|key| case[key].as_f64().unwrap()));
        let [x, v, w] = [["x_i", "x_j"], ["v_i", "v_j"], ["w_i", "w_j"]].map(|keys| keys.map(|key| vector(&case[key])));
        let q = ["q_i", "q_j"].map(|key| {
            let at = |i: usize| case[key][i].as_f64().unwrap();
            DQuat::from_xyzw(at(1), at(2), at(3), at(0))
        });
        let mut memory = TrackedMemory::default();
        law.resist(&touching(radii, x, q, w, dt), &mut memory);
        let x1 = [0, 1].map(|i| x[i] + v[i] * dt);
        let q1 = [0, 1].map(|i| frame::turned(q[i], w[i] * dt));
        let contact = touching(radii, x1, q1, w, dt);
        law.resist(&contact, &mut memory);
        // Springs of roll are kept as kappa_i p_i/kappa.
        let arm = 2.0 / (1.0 / radii[0] + 1.0 / radii[1]);
        let (p_a, p_b) = (memory.roll_a * (radii[0] / arm), memory.roll_b * (radii[1] / arm));
        let expected = ["n1", "p_i", "p_j"].map(|key| vector(&case[key]));
        for (found, expected) in [contact.normal, p_a, p_b].into_iter().zip(expected) {
            assert!((found - expected).length() < 1e-12, "case {number}: {found}, not {expected}");
        }
        assert!((memory.slide - (expected[1] - expected[2])).length() < 1e-12, "case {number}: {}", memory.slide);
        let psi = case["psi"].as_f64().unwrap();
        assert!((memory.spin - psi).abs() < 1e-12, "case {number}: {}, not {psi}", memory.spin);
    }
}

// ---- a body on an incline ----

/// Rows of a case of a table by name.
fn rows(table: &str, case: &str) -> Vec<Vec<f64>> {
    let of_case = |line: &&str| line.split(',').next() == Some(case);
    let numbers = |line: &str| line.split(',').skip(1).map(|number| number.parse().expect("a number")).collect();
    table.lines().filter(of_case).map(numbers).collect()
}

/// A sphere of this radius and mass on a plane along x and y under gravity 9.8 tilted by `slope` towards `down`. Its height is kept at
/// an overlap that no rounding touches, at which the normal spring bears just its weight.
fn on_incline(law: Tracked, radius: f64, mass: f64, slope: f64, down: DVec3, dt: f64) -> (stickslip::Model, Body) {
    let height = radius - radius / f64::from(1 << 30);
    let weight = mass * 9.8 * cos(slope);
    let normal = Normal::Hooke(Hooke::new(weight / (radius - height), 0.0));
    let mut model = model(SpringLaws::with_friction(normal, Friction::Tracked(law)), dt);
    model.method = stickslip::model::Explicit::default().with_integrator(Integrator::SymplecticEuler).into();
    model.gravity = ((down * sin(slope) - DVec3::Z * cos(slope)) * 9.8).into();
    let mut body = sphere(radius, DVec3::Z * height);
    body.mass = Some(mass);
    body.lock[2] = true;
    (model, body)
}

fn memory_of(world: &World) -> TrackedMemory {
    let memory = PairMemory::from(world.remembered().numbers_of(0));
    let numbers = &memory.numbers()[1..];
    TrackedMemory::from_numbers(numbers.len(), memory.bits(), |k| numbers[k])
}

#[test]
fn a_brick_has_the_series_of_the_paper() {
    // A sphere that cannot turn slides as a brick does. The table has ten digits: 1e-9 of each column's maximum is the figure.
    let cases = [
        ("a0.18_KD632", 0.18, 1.0),
        ("a0.18_KD0", 0.18, 0.0),
        ("atan_muk", atan2(0.2, 1.0), 1.0),
        ("atan_mus", atan2(0.25, 1.0), 1.0),
        ("a0.25", 0.25, 1.0),
    ];
    for (form, kinematics) in forms() {
        for (case, slope, damping) in cases {
            let law = Tracked { form, kinematics, ..Tracked::new(1e5, mu()).with_damping(damping) };
            let dt = 1e-4;
            let (model, mut body) = on_incline(law, 1.0, 1.0, slope, DVec3::X, dt);
            body.lock = [false, false, true, true, true, true];
            let mut world = world(model, vec![body, plane(DVec3::Z, DVec3::ZERO)]);
            let rows = rows(BRICK, case);
            let most: Vec<f64> = (0..9).map(|k| rows.iter().fold(0.0, |most, row| row[k].abs().max(most))).collect();
            let mut velocity_before = 0.0;
            for row in &rows {
                let steps = (row[0] / dt).round() as u64;
                while world.steps() < steps {
                    velocity_before = world.body(0).velocity.x;
                    world.step().expect("the run stays sound");
                }
                let (body, memory) = (world.body(0), memory_of(&world));
                let elastic = -1e5 * memory.slide.x;
                let increment = if steps == 0 { 0.0 } else { body.velocity.x * dt };
                // The acceleration of a row is the one that led to it.
                let acceleration = (body.velocity.x - velocity_before) / dt;
                let dashpot = -body.force.x - elastic;
                let found = [
                    row[0],
                    body.position.x,
                    body.velocity.x,
                    acceleration,
                    elastic,
                    dashpot,
                    -memory.slide.x,
                    increment,
                    f64::from(u8::from(memory.slide_slips)),
                ];
                for k in 0..9 {
                    let off = (found[k] - row[k]).abs();
                    assert!(
                        off <= 1e-9 * most[k],
                        "{case}, {form:?}, {kinematics:?}: column {k} of {row:?}: {found:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_sphere_thrown_up_an_incline_has_the_series_of_the_paper() {
    // 1e-5 is the figure, of each column's maximum. The table's sphere turned by another map of rotations, which does 2e-6 rad/s;
    // its contact point stands at R, ours 1e-10 R nearer.
    for (form, kinematics) in forms() {
        for (case, damping) in [("critical_damping", 1.0), ("half_damping", 0.5)] {
            let law = Tracked { form, kinematics, ..Tracked::new(1e5, mu()).with_roll(0.3).with_damping(damping) };
            let slope = 35.0 * std::f64::consts::PI / 180.0;
            let (model, mut body) = on_incline(law, 0.2, 5.0, slope, DVec3::NEG_Y, 1e-4);
            body.velocity = DVec3::Y * 0.5;
            let mut world = world(model, vec![body, plane(DVec3::Z, DVec3::ZERO)]);
            for row in rows(INCLINE, case) {
                run(&mut world, (row[0] / 1e-4).round() as u64);
                let (body, memory) = (world.body(0), memory_of(&world));
                let torque = (memory.roll_a * (0.4 * 0.3 * 1e5)).cross(DVec3::Z).x;
                let found = [body.velocity.y, body.angular_velocity.x, 1e5 * memory.slide.y, torque];
                for (k, most) in [0.9, 2.0, 10.0, 1.2].into_iter().enumerate() {
                    let off = (found[k] - row[k + 1]).abs();
                    assert!(off < 1e-5 * most, "{case}, {form:?}, {kinematics:?}: column {k} of {row:?}: {found:?}");
                }
                let modes = [memory.slide_slips, memory.roll_a_slips].map(|slips| f64::from(u8::from(slips)));
                assert_eq!(modes[..], row[5..7], "{case}, {form:?}, {kinematics:?}: {row:?}");
            }
        }
    }
}

#[test]
fn a_sphere_comes_to_rest_and_stays_there() {
    // Every spring is damped critically, so what is left after the last slip decays by e^(-omega t), with omega above 100/s here, down to
    // the rounding of positions (1e-16) times that.
    for (form, kinematics) in forms() {
        for birth in [Birth::Stick, Birth::Slip, Birth::Capped] {
            let spin = SpinCurvature::Given(5.0);
            let law =
                Tracked { form, kinematics, birth, ..Tracked::new(1e5, mu()).with_roll(0.3).with_spin(0.1, spin) };
            let normal = Normal::Hooke(Hooke { damping_ratio: 0.5, ..Hooke::new(1e6, 0.0) });
            let mut model = model(SpringLaws::with_friction(normal, Friction::Tracked(law)), 1e-4);
            model.gravity = DVec3::new(0.3, 0.0, -9.8).into();
            let mut ball = sphere(0.2, DVec3::Z * 0.2);
            ball.mass = Some(5.0);
            (ball.velocity, ball.angular_velocity) = (DVec3::new(0.3, 0.1, 0.0), DVec3::new(1.0, -2.0, 3.0));
            let mut world = world(model, vec![plane(DVec3::Z, DVec3::ZERO), ball]);
            run(&mut world, 40_000);
            for _ in 0..50 {
                world.advance(100).expect("the run stays sound");
                let ball = world.body(1);
                let speed = ball.velocity.length() + ball.angular_velocity.length();
                assert!(speed < 1e-12, "{form:?}, {kinematics:?}, {birth:?}: {speed:e} at {} s", world.time());
            }
        }
    }
}

// ---- angular momentum of a pair ----

/// Two free equal spheres (R = 0.2 m, 5 kg) that a constant pull of 40 N presses together, moved past each other at 0.5 m/s: angular
/// momentum at the start, and after so many seconds.
fn pair_after(law: Tracked, seconds: &[f64]) -> Vec<f64> {
    let (radius, mass, pull, k, dt) = (0.2, 5.0, 40.0, 1e6, 2e-5);
    let inertia = 0.4 * mass * radius * radius;
    let laws = SpringLaws::with_friction(Normal::Hooke(Hooke::new(k, 2e2)), Friction::Tracked(law));
    let at = DVec3::Z * (radius - 0.5 * pull / k);
    let (mut x, mut v, mut w) = ([at, -at], [DVec3::X * 0.25, DVec3::X * -0.25], [DVec3::ZERO; 2]);
    let mut memory = PairMemory::default();
    let momentum = |x: [DVec3; 2], v: [DVec3; 2], w: [DVec3; 2]| {
        (0..2).map(|i| x[i].cross(v[i]) * mass + w[i] * inertia).sum::<DVec3>().y
    };
    let mut found = vec![momentum(x, v, w)];
    let mut before = DVec3::Z;
    for step in 1..=(seconds[seconds.len() - 1] / dt).round() as u64 {
        (0..2).for_each(|i| x[i] += v[i] * dt);
        let between = x[0] - x[1];
        let (n, overlap) = (between.normalize(), 2.0 * radius - between.length());
        let (normal_mid, turn) = Turn::new(before, n, w[0] + w[1], dt);
        let lever = radius - 0.5 * overlap;
        let mut contact = Contact {
            normal: n,
            normal_before: before,
            normal_mid,
            turn,
            overlap,
            velocity: v[0] - v[1],
            separation_rate: (v[0] - v[1]).dot(normal_mid),
            angular_velocity_a: w[0],
            angular_velocity_b: w[1],
            lever_a: lever,
            lever_b: lever,
            reach_a: radius,
            reach_b: radius,
            radius_eff: 0.5 * radius,
            mass_eff: 0.5 * mass,
            inverse_mass_a: 1.0 / mass,
            inverse_mass_b: 1.0 / mass,
            inverse_inertia_a: 1.0 / inertia,
            inverse_inertia_b: 1.0 / inertia,
            ..resting_contact(dt)
        };
        let (push, loads) = one::evaluate(&laws, &mut contact, &mut memory);
        let force = n * (push - pull) + loads.force;
        let moment = n.cross(loads.force) * -lever;
        v = [v[0] + force * (dt / mass), v[1] - force * (dt / mass)];
        w[0] += (moment + loads.roll_a + n * loads.spin) * (dt / inertia);
        w[1] += (moment + loads.roll_b - n * loads.spin) * (dt / inertia);
        before = n;
        if seconds.iter().any(|t| (t / dt).round() as u64 == step) {
            found.push(momentum(x, v, w));
        }
    }
    found
}

#[test]
fn a_pair_keeps_its_angular_momentum_when_its_torques_are_opposite() {
    let law = Tracked::new(1e5, mu()).with_roll(0.3);
    for law in [law, Tracked { birth: Birth::Capped, ..law }, law.with_spin(0.1, SpinCurvature::Bodies)] {
        let found = pair_after(law, &[0.05, 1.0, 2.0]);
        for later in &found[1..] {
            // 1e5 steps round to 1e-16 each, at random: 3e-14.
            assert!((later / found[0] - 1.0).abs() < 1e-12, "{found:?}");
        }
    }
    let slide = Tracked { form: Form::Paper, ..Tracked::new(1e5, mu()) };
    let found = pair_after(slide, &[1.0]);
    assert!((found[1] / found[0] - 1.0).abs() < 1e-12, "{found:?}");
    let paper = Tracked { form: Form::Paper, ..law };
    let gained: Vec<f64> = pair_after(paper, &[0.05, 1.0, 2.0, 4.0]).iter().map(|l| l / found[0] - 1.0).collect();
    // Once the pair turns rigidly, no spring moves, both torques stay and have one sign: the gain is linear in time. What changes is N, by
    // the centrifugal force (m R w^2, up to 8 of 40 N), and with it the lever, by 1e-5 of itself. 1 % is far above that. Here the gain is
    // 85 % a second; it can be no more than what both torques at their static limits give, 2 eta mu_s R N/L.
    let slope = gained[3] - gained[2];
    assert!(((gained[4] - gained[3]) / (2.0 * slope) - 1.0).abs() < 0.01, "{gained:?}");
    assert!(gained[1] > 0.02 && slope > 0.5 && slope < 2.0 * 0.3 * 0.25 * 0.2 * 40.0 / found[0].abs(), "{gained:?}");
}

// ---- by points ----

/// By points the whole chord was once taken for the path, in the direction of its tangential part: where only the overlap changes, that is a
/// rounding error, and head-on impacts had friction (3 % of their energy on this slope, even along the normal).
#[test]
fn a_head_on_impact_has_no_friction_by_points() {
    for form in [Form::Reciprocal, Form::Paper] {
        let law = Tracked { form, kinematics: Kinematics::Points, ..Tracked::new(1e4, mu()).with_roll(0.3) };
        let laws = SpringLaws::with_friction(Normal::Hooke(Hooke::new(2e4, 0.0)), Friction::Tracked(law));
        let normal = DVec3::new(1.0, 2.0, 2.0) / 3.0;
        let mut ball = sphere(0.01, normal * 0.0105);
        ball.velocity = -normal;
        let mut world = world(model(laws, 1e-6), vec![plane(normal, DVec3::ZERO), ball]);
        run(&mut world, 20_000);
        let (ball, ledger) = (world.body(1), world.ledger());
        assert!(ball.velocity.dot(normal) > 0.9 && world.contact_count() == 0, "{ball:?}");
        // Paths are differences of coordinates of 0.01 m, known to 1e-18, over 1e-6 s, in some thousands of steps at random.
        let turned =
            ball.angular_velocity.length() * 0.01 + (ball.velocity - normal * ball.velocity.dot(normal)).length();
        assert!(turned < 1e-9, "{form:?}: {ball:?}");
        assert!(
            (ledger.lost[Loss::Slide] + ledger.lost[Loss::Roll]).abs() < 1e-9 * ledger.kinetic,
            "{form:?}: {ledger:?}"
        );
    }
}
