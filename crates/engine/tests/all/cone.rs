//! The contact problem with friction cones, apart from any world: the solver against closed forms of one contact and against problems that an interior-point method has solved.

use glam::{DMat3, DVec3};
use serde_json::Value;
use stickslip::cone::{
    Cone, Cones, Options, Problem, ProblemBody, ProblemContact, ProblemError, Settings, Solution, Twist, Wrench,
};
use stickslip::random::Stream;
use stickslip::response::Response;

pub const CCP_5: &str = include_str!("../data/tasora/ccp_5.json");
pub const CCP_20: &str = include_str!("../data/tasora/ccp_20.json");

// ---- one contact ----

pub const MASS: f64 = 0.3;
pub const RADIUS: f64 = 0.02;
pub const STEP: f64 = 1e-3;

pub fn tight(cone: Cone) -> Settings {
    Settings { cone, relaxation: 1.0, tolerance: 1e-14, max_iterations: 10_000 }
}

pub fn ball(velocity: DVec3, angular_velocity: DVec3) -> ProblemBody {
    let response = Response {
        linear: DMat3::from_diagonal(DVec3::splat(1.0 / MASS)),
        angular: DMat3::from_diagonal(DVec3::splat(1.0 / (0.4 * MASS * RADIUS * RADIUS))),
    };
    ProblemBody { response, free: Twist { velocity, angular_velocity } }
}

/// A ball on the ground, which is `gap` below it, with these velocities at the end of a step without contact.
pub fn on_ground(body: ProblemBody, gap: f64, cones: Cones) -> Problem {
    let contact = ProblemContact {
        a: 0,
        b: None,
        normal: DVec3::Z,
        arm: [DVec3::Z * -RADIUS, DVec3::ZERO],
        bias: DVec3::Z * (gap / STEP),
        cones,
        length: RADIUS,
        impulse: Wrench::default(),
        options: Options::default(),
    };
    Problem { bodies: vec![body], contacts: vec![contact], rows: vec![] }
}

fn slides(mu: f64) -> Cones {
    Cones { slide: mu, ..Cones::default() }
}

#[track_caller]
fn solved(problem: &Problem, cone: Cone) -> Solution {
    let solution = problem.solve(&tight(cone)).unwrap();
    assert!(solution.certificate.solved, "{:?}", solution.certificate);
    solution
}

#[track_caller]
pub fn near(found: DVec3, expected: DVec3, tolerance: f64) {
    assert!((found - expected).length() <= tolerance, "{found}, not {expected}");
}

#[test]
fn a_ball_that_leaves_feels_nothing() {
    // It falls 0.3 mm in the step and is 0.4 mm away. The convex law would lift it as it slides past; without friction it does not.
    for (cone, mu) in [(Cone::Exact, 0.5), (Cone::Associated, 0.0)] {
        let body = ball(DVec3::new(1.0, 0.0, -0.3), DVec3::Y);
        let solution = solved(&on_ground(body, 0.4e-3, slides(mu)), cone);
        assert_eq!((solution.twists[0], solution.impulses[0]), (body.free, Wrench::default()));
        assert_eq!(solution.certificate.active, 0);
    }
}

#[test]
fn a_ball_that_arrives_closes_its_gap() {
    let body = ball(DVec3::new(0.0, 0.0, -0.3), DVec3::ZERO);
    let solution = solved(&on_ground(body, 0.1e-3, slides(0.5)), Cone::Exact);
    near(solution.twists[0].velocity, DVec3::Z * -0.1, 1e-14);
    near(solution.impulses[0].force, DVec3::Z * MASS * 0.2, 1e-15);
}

#[test]
fn a_ball_that_sticks_stops_at_its_point() {
    // The tangential block of a sphere is 7/2 of 1/m, so the impulse 2/7 m v stops the point of contact.
    for cone in [Cone::Exact, Cone::Associated] {
        let solution = solved(&on_ground(ball(DVec3::new(0.1, 0.0, -1.0), DVec3::ZERO), 0.0, slides(0.5)), cone);
        near(solution.impulses[0].force, DVec3::new(-2.0 / 7.0 * 0.1, 0.0, 1.0) * MASS, 1e-15);
        let Twist { velocity, angular_velocity } = solution.twists[0];
        near(velocity, DVec3::X * (5.0 / 7.0 * 0.1), 1e-14);
        near(velocity + angular_velocity.cross(DVec3::Z * -RADIUS), DVec3::ZERO, 1e-14);
    }
}

#[test]
fn a_ball_that_slips_bears_mu_times_its_normal_impulse() {
    let mu = 0.5;
    let problem = on_ground(ball(DVec3::new(3.0, 4.0, -1.0), DVec3::ZERO), 0.0, slides(mu));
    let exact = solved(&problem, Cone::Exact);
    near(exact.impulses[0].force, DVec3::new(-0.6 * mu, -0.8 * mu, 1.0) * MASS, 1e-14);
    near(exact.twists[0].velocity, DVec3::new(3.0 - 0.6 * mu, 4.0 - 0.8 * mu, 0.0), 1e-14);
    // The convex law lifts the ball by mu |u_T|: v_n = mu (s - 7/2 mu (1 + v_n)) for a slip of s = 5.
    let relaxed = solved(&problem, Cone::Associated);
    let lift = mu * (5.0 - 3.5 * mu) / (1.0 + 3.5 * mu * mu);
    let (n, t) = (1.0 + lift, mu * (1.0 + lift));
    near(relaxed.impulses[0].force, DVec3::new(-0.6 * t, -0.8 * t, n) * MASS, 1e-13);
    assert!((relaxed.twists[0].velocity.z - lift).abs() < 1e-13);
}

#[test]
fn rolling_and_spinning_friction_stop_a_ball_or_brake_it() {
    // Spinning alone: sigma g_n stops up to sigma m v/(2/5 m R^2) of angular velocity.
    let cones = Cones { slide: 0.5, roll: 0.0, spin: 1e-3 };
    let most = 1e-3 * 1.0 / (0.4 * RADIUS * RADIUS);
    for (spin, left) in [(0.5 * most, 0.0), (1.5 * most, 0.5 * most)] {
        let solution = solved(&on_ground(ball(DVec3::Z * -1.0, DVec3::Z * spin), 0.0, cones), Cone::Exact);
        near(solution.twists[0].angular_velocity, DVec3::Z * left, 1e-12);
        near(solution.twists[0].velocity, DVec3::ZERO, 1e-14);
    }
    // Rolling without slip: the rolling torque rho g_n brakes with the inertia 7/5 m R^2 about the point of contact.
    let cones = Cones { slide: 0.9, roll: 1e-3, spin: 0.0 };
    let rolling = ball(DVec3::new(2.0, 0.0, -1.0), DVec3::Y * (2.0 / RADIUS));
    let solution = solved(&on_ground(rolling, 0.0, cones), Cone::Exact);
    let speed = 2.0 - 5.0 / 7.0 * 1e-3 / RADIUS;
    near(solution.twists[0].velocity, DVec3::X * speed, 1e-13);
    near(solution.twists[0].angular_velocity, DVec3::Y * (speed / RADIUS), 1e-11);
}

#[test]
fn one_projection_solves_two_equal_spheres() {
    // Their block is the identity once scaled: stick and lift-off need no second sweep, and neither does the convex slip.
    let [a, b] = [DVec3::new(0.2, 0.1, -1.0), DVec3::new(2.0, 0.0, 1.0)].map(|v| ball(v, DVec3::new(1.0, -2.0, 3.0)));
    let mut problem = on_ground(a, 0.0, slides(0.5));
    problem.bodies.push(b);
    (problem.contacts[0].b, problem.contacts[0].arm) = (Some(1), [DVec3::Z * -RADIUS, DVec3::Z * RADIUS]);
    problem.contacts[0].cones = Cones { slide: 0.5, roll: 1e-3, spin: 2e-3 };
    let solution = solved(&problem, Cone::Associated);
    assert!(solution.certificate.iterations <= 2, "{:?}", solution.certificate);
    // What a gets b loses.
    let momentum = |of: &dyn Fn(usize) -> DVec3| of(0) + of(1);
    let before = momentum(&|k| problem.bodies[k].free.velocity);
    near(momentum(&|k| solution.twists[k].velocity), before, 1e-15);
}

#[test]
fn a_locked_direction_leaves_the_other_exact() {
    // Sliding along y is locked, so the tangential block is diag(w, 0): the step follows w, and both rows are solved at once.
    let mut body = ball(DVec3::new(0.1, 0.0, -1.0), DVec3::ZERO);
    body.response.linear.y_axis = DVec3::ZERO;
    body.response.angular = DMat3::ZERO;
    let solution = solved(&on_ground(body, 0.0, slides(0.5)), Cone::Associated);
    near(solution.impulses[0].force, DVec3::new(-0.1, 0.0, 1.0) * MASS, 1e-15);
    assert!(solution.certificate.iterations <= 2, "{:?}", solution.certificate);
}

#[test]
fn a_problem_without_answer_is_not_called_solved() {
    // Two walls that move towards each other with a ball between them.
    let mut problem = on_ground(ball(DVec3::ZERO, DVec3::ZERO), 0.0, slides(0.5));
    let mut above = problem.contacts[0];
    (above.normal, above.arm[0]) = (-DVec3::Z, DVec3::Z * RADIUS);
    (problem.contacts[0].bias, above.bias) = (DVec3::Z * -1.0, DVec3::Z);
    problem.contacts.push(above);
    let certificate = problem.solve(&Settings { max_iterations: 50, ..tight(Cone::Exact) }).unwrap().certificate;
    assert!(!certificate.solved && certificate.iterations == 50);
    assert!(certificate.residual > 0.1 && certificate.dual_error > 0.1);
}

// ---- many contacts ----

/// A saved problem of equal spheres: six numbers a body, six a contact.
pub fn read(text: &str) -> (Problem, Value) {
    let file: Value = serde_json::from_str(text).unwrap();
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let vector = |numbers: &[f64]| DVec3::new(numbers[0], numbers[1], numbers[2]);
    let (inverse, radius) = (numbers(&file["minv_per_body"]), file["radius"].as_f64().unwrap());
    let response = Response {
        linear: DMat3::from_diagonal(vector(&inverse[..3])),
        angular: DMat3::from_diagonal(vector(&inverse[3..])),
    };
    let momenta = numbers(&file["k"]);
    let bodies = momenta.chunks_exact(6).map(|k| {
        let (velocity, angular_velocity) = (response.linear * vector(&k[..3]), response.angular * vector(&k[3..]));
        ProblemBody { response, free: Twist { velocity, angular_velocity } }
    });
    let bias = numbers(&file["b"]);
    let contacts = file["contacts"].as_array().unwrap().iter().zip(bias.chunks_exact(6)).map(|(contact, bias)| {
        let row = |of: &str, k: usize| numbers(&contact[of][k]);
        let normal = vector(&row("Dt_a", 0)).normalize();
        assert!(bias[1..].iter().all(|b| *b == 0.0));
        // The rows are those of arms of one radius: v + w x arm along each tangent.
        for k in [1, 2] {
            let along = row("Dt_a", k);
            near((normal * -radius).cross(vector(&along)), vector(&along[3..]), 1e-16);
        }
        let ratio = |name: &str| contact[name].as_f64().unwrap();
        ProblemContact {
            a: contact["a"].as_u64().unwrap() as u32,
            b: u32::try_from(contact["b"].as_i64().unwrap()).ok(),
            normal,
            arm: [normal * -radius, normal * radius],
            bias: normal * bias[0],
            cones: Cones { slide: ratio("mu"), roll: ratio("rho"), spin: ratio("sigma") },
            length: radius,
            impulse: Wrench::default(),
            options: Options::default(),
        }
    });
    (Problem { bodies: bodies.collect(), contacts: contacts.collect(), rows: vec![] }, file["solution"].clone())
}

#[test]
fn saved_problems_have_their_known_velocities() {
    for (text, active) in [(CCP_5, 4), (CCP_20, 15)] {
        let (problem, expected) = read(text);
        for relaxation in [1.0, 1.5] {
            let settings = Settings { tolerance: 1e-13, relaxation, ..tight(Cone::Associated) };
            let solution = problem.solve(&settings).unwrap();
            let certificate = solution.certificate;
            assert!(certificate.solved && certificate.iterations < 2000, "{certificate:?}");
            assert_eq!(certificate.active, active);
            // The reference is good to 1e-9 m/s; angular velocities are that over the radius.
            let mut objective = 0.0;
            let known = expected["v"].as_array().unwrap();
            for ((body, twist), known) in problem.bodies.iter().zip(&solution.twists).zip(known.chunks_exact(6)) {
                let known: Vec<f64> = known.iter().map(|x| x.as_f64().unwrap()).collect();
                near(twist.velocity, DVec3::new(known[0], known[1], known[2]), 1e-9);
                near(twist.angular_velocity, DVec3::new(known[3], known[4], known[5]), 1e-9 / 0.0225);
                // At the solution the dual objective is minus the kinetic energy of the change.
                let Response { linear, angular } = body.response;
                let (dv, dw) =
                    (twist.velocity - body.free.velocity, twist.angular_velocity - body.free.angular_velocity);
                objective -= 0.5 * (dv.dot(linear.inverse() * dv) + dw.dot(angular.inverse() * dw));
            }
            let known = expected["objective"].as_f64().unwrap();
            assert!((objective - known).abs() <= 1e-11 * known.abs(), "{objective}, not {known}");
            assert!(certificate.cone_error < 1e-17 && certificate.dual_error < 1e-12, "{certificate:?}");
            assert!(certificate.complementarity < 1e-13, "{certificate:?}");
        }
    }
}

#[test]
fn scaling_by_groups_converges_as_fast_as_it_was_measured() {
    // The prototype's sweeps to a velocity error of 1e-9 m/s with relaxation 1.5: 120. Colours change the order: half as many again.
    let (problem, _) = read(CCP_20);
    let settings = Settings { tolerance: 1e-9, relaxation: 1.5, ..tight(Cone::Associated) };
    let certificate = problem.solve(&settings).unwrap().certificate;
    assert!(certificate.solved && certificate.iterations <= 180, "{certificate:?}");
}

#[test]
fn the_exact_law_has_no_artificial_gap() {
    let (problem, _) = read(CCP_20);
    let solution = solved(&problem, Cone::Exact);
    assert!(solution.certificate.dual_error < 1e-12);
    let (rows, ..) = problem.to_rows().unwrap();
    let mut twists = solution.twists.clone();
    twists.push(Twist::default());
    let mut slipping = 0;
    for (index, (contact, impulse)) in problem.contacts.iter().zip(&solution.impulses).enumerate() {
        let pushed = impulse.force.dot(contact.normal);
        let u = rows.velocity(index, &twists);
        // What carries an impulse neither opens nor approaches, and friction takes energy.
        assert!(pushed * u.normal < 1e-15, "{u:?}");
        assert!(impulse.force.dot(u.slide) + impulse.torque.dot(u.angular(contact.normal)) < 1e-15);
        slipping += usize::from(pushed > 0.0 && u.slide.length() > 1e-3);
    }
    assert!(slipping > 3, "some must slip for this test");
}

/// A layer of balls on the ground, each with neighbours beside it, all moving about.
pub fn layer(side: u32) -> Problem {
    let mut stream = Stream::named(5, "layer");
    let mut vector = |by: f64| {
        let mut one = || stream.between(-by, by);
        DVec3::new(one(), one(), one())
    };
    let bodies = (0..side * side).map(|_| ball(vector(0.1) - DVec3::Z * 0.05, vector(5.0)));
    let mut problem = Problem { bodies: bodies.collect(), ..Problem::default() };
    let template =
        on_ground(ball(DVec3::ZERO, DVec3::ZERO), 0.0, Cones { slide: 0.4, roll: 1e-3, spin: 1e-3 }).contacts[0];
    for at in 0..side * side {
        problem.contacts.push(ProblemContact { a: at, ..template });
        for (other, along, there) in
            [(at + 1, DVec3::X, at % side + 1 < side), (at + side, DVec3::Y, at / side + 1 < side)]
        {
            if there {
                let arm = [along * RADIUS, along * -RADIUS];
                problem.contacts.push(ProblemContact { a: at, b: Some(other), normal: -along, arm, ..template });
            }
        }
    }
    problem
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let problem = layer(50);
    let settings = Settings { tolerance: 1e-4, ..tight(Cone::Exact) };
    let [one, two, three] = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| problem.solve(&settings).unwrap())
    });
    assert!(one.certificate.solved && one.certificate.iterations > 5, "{:?}", one.certificate);
    assert_eq!(one, two);
    assert_eq!(one, three);
}

#[test]
fn a_warm_start_saves_sweeps() {
    let mut problem = layer(10);
    let settings = Settings { tolerance: 1e-9, ..tight(Cone::Exact) };
    let cold = problem.solve(&settings).unwrap();
    for (contact, impulse) in problem.contacts.iter_mut().zip(&cold.impulses) {
        contact.impulse = *impulse;
    }
    let warm = problem.solve(&settings).unwrap();
    assert_eq!((warm.certificate.iterations, warm.certificate.solved), (1, true));
}

#[test]
fn problems_survive_a_file_and_bad_ones_are_named() {
    let problem = layer(3);
    let text = serde_json::to_string(&problem).unwrap();
    assert_eq!(serde_json::from_str::<Problem>(&text).unwrap(), problem);
    let with = |change: fn(&mut Problem)| {
        let mut bad = layer(2);
        change(&mut bad);
        bad.solve(&tight(Cone::Exact)).map(|_| ()).unwrap_err()
    };
    let bad = with(|problem| problem.contacts[1].b = Some(9));
    assert_eq!(bad, ProblemError::NoSuchBody { contact: 1, a: 0, b: 9, bodies: 4 });
    assert!(with(|problem| problem.contacts[2].cones.slide = -0.1).to_string().contains("contact 2: a coefficient"));
    assert!(with(|problem| problem.contacts[0].normal = DVec3::NAN).to_string().contains("a unit vector"));
    assert!(with(|problem| problem.bodies[3].free.velocity.x = f64::NAN).to_string().starts_with("body 3"));
    assert_eq!(Problem::default().solve(&tight(Cone::Exact)).unwrap().certificate.residual, 0.0);
}
