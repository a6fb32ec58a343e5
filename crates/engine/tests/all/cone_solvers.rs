//! Solvers of the contact problem beside Gauss-Seidel, and rows beside those of spheres: joints, bounds, compliance, given loads,
//! friction that depends on the direction, problems without an answer.

use glam::{DMat3, DVec3};
use stickslip::cone::{
    AxisRoll, BlockRow, Cone, Cones, Ellipse, Lever, LoadRule, MatrixContact, MatrixProblem, Options, Problem,
    ProblemBody, ProblemRow, Row, Rows, Rule, Set, Settings, Solution, Solver, Twist, Wrench, solve_by,
};
use stickslip::response::Response;

use crate::cone::{CCP_5, CCP_20, MASS, RADIUS, STEP, ball, layer, near, on_ground, read, tight};

const ALL: [Solver; 4] = [Solver::GaussSeidel, Solver::Apgd, Solver::Newton, Solver::Auto];

fn by(solver: Solver) -> Rule {
    Rule { solver, load: LoadRule::Solved }
}

#[track_caller]
fn solved(problem: &Problem, settings: &Settings, solver: Solver) -> Solution {
    let solution = problem.solve_by(settings, by(solver)).unwrap();
    assert!(solution.certificate.solved, "{solver:?}: {:?}", solution.certificate);
    solution
}

/// The largest difference of velocities (m/s), angular ones times the radius.
fn apart(a: &Solution, b: &Solution) -> f64 {
    let one = |(a, b): (&Twist, &Twist)| {
        let turned = (a.angular_velocity - b.angular_velocity).length() * RADIUS;
        (a.velocity - b.velocity).length().max(turned)
    };
    a.twists.iter().zip(&b.twists).map(one).fold(0.0, f64::max)
}

#[test]
fn every_solver_finds_the_known_velocities_and_objectives() {
    for text in [CCP_5, CCP_20] {
        let (problem, expected) = read(text);
        for solver in ALL {
            let settings = Settings { tolerance: 1e-13, ..tight(Cone::Associated) };
            let solution = solved(&problem, &settings, solver);
            let known = expected["v"].as_array().unwrap();
            for (twist, known) in solution.twists.iter().zip(known.chunks_exact(6)) {
                let known: Vec<f64> = known.iter().map(|x| x.as_f64().unwrap()).collect();
                near(twist.velocity, DVec3::new(known[0], known[1], known[2]), 1e-9);
                near(twist.angular_velocity, DVec3::new(known[3], known[4], known[5]), 1e-9 / 0.0225);
            }
            let known = expected["objective"].as_f64().unwrap();
            let off = (solution.objective - known).abs() / known.abs();
            eprintln!("{solver:?}: {} iterations, objective off by {off:.1e}", solution.certificate.iterations);
            assert!(off <= 1e-12, "{solver:?}: {} is not {known}", solution.objective);
            assert!(solution.certificate.cone_error < 1e-17, "{:?}", solution.certificate);
        }
    }
}

#[test]
fn every_solver_finds_the_same_velocities_under_the_exact_law() {
    let (problem, _) = read(CCP_20);
    let settings = Settings { tolerance: 1e-12, ..tight(Cone::Exact) };
    let [first, others @ ..] = ALL.map(|solver| solved(&problem, &settings, solver));
    for other in others {
        // No convexity, no proof that there is one solution; here they agree.
        assert!(apart(&first, &other) < 1e-9, "{}", apart(&first, &other));
    }
}

#[test]
fn newton_needs_few_steps_and_the_gradient_few_products() {
    let (problem, _) = read(CCP_20);
    let settings = Settings { tolerance: 1e-12, ..tight(Cone::Associated) };
    // 10 sweeps, then a handful of steps; 100 to 400 products in the prototype (THEORY.md section 8.3).
    let newton = solved(&problem, &settings, Solver::Newton).certificate.iterations;
    let apgd = solved(&problem, &settings, Solver::Apgd).certificate.iterations;
    eprintln!("newton {newton}, apgd {apgd}");
    assert!(newton <= 60 && apgd <= 400, "{newton} {apgd}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits_by_every_solver() {
    let problem = layer(12);
    for solver in ALL {
        let settings = Settings { tolerance: 1e-6, ..tight(Cone::Exact) };
        let [one, two, three] = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| problem.solve_by(&settings, by(solver)).unwrap())
        });
        assert!(one.certificate.solved, "{solver:?} {:?}", one.certificate);
        eprintln!("{solver:?} {}", one.certificate.iterations);
        assert_eq!(one, two);
        assert_eq!(one, three);
    }
}

// ---- joints, bounds, compliance ----

fn free_row(terms: Vec<(u32, DVec3, DVec3)>) -> ProblemRow {
    ProblemRow { terms, bias: 0.0, compliance: 0.0, lo: None, hi: None, length: 1.0 }
}

/// Rows that hold a point of two balls together.
fn ball_joint(a: u32, b: u32, arm: [DVec3; 2]) -> Vec<ProblemRow> {
    let row = |along: DVec3| free_row(vec![(a, along, arm[0].cross(along)), (b, -along, -arm[1].cross(along))]);
    [DVec3::X, DVec3::Y, DVec3::Z].map(row).to_vec()
}

#[test]
fn a_ball_joint_holds_and_keeps_momentum_by_every_solver() {
    let bodies = vec![ball(DVec3::new(0.3, -0.2, 0.1), DVec3::Y), ball(DVec3::new(-0.1, 0.0, 0.2), DVec3::X * 3.0)];
    let arm = [DVec3::X * RADIUS, DVec3::X * -RADIUS];
    let problem = Problem { bodies, rows: ball_joint(0, 1, arm), ..Problem::default() };
    for solver in ALL {
        let solution = solved(&problem, &tight(Cone::Exact), solver);
        let [a, b] = [solution.twists[0], solution.twists[1]];
        let point = |twist: Twist, arm: DVec3| twist.velocity + twist.angular_velocity.cross(arm);
        near(point(a, arm[0]), point(b, arm[1]), 1e-14);
        near(a.velocity + b.velocity, DVec3::new(0.2, -0.2, 0.3), 1e-15);
        // The block is solved at once.
        assert!(solution.certificate.iterations <= 3 || solver == Solver::Apgd, "{:?}", solution.certificate);
    }
}

#[test]
fn redundant_rows_are_legal() {
    let bodies = vec![ball(DVec3::new(0.3, -0.2, 0.1), DVec3::Y), ball(DVec3::ZERO, DVec3::ZERO)];
    let arm = [DVec3::X * RADIUS, DVec3::X * -RADIUS];
    let once = Problem { bodies: bodies.clone(), rows: ball_joint(0, 1, arm), ..Problem::default() };
    // Twice in one block of six, and twice in two blocks with a row between them.
    let mut twice = once.clone();
    twice.rows.extend(ball_joint(0, 1, arm));
    let mut apart_twice = once.clone();
    let mut between = free_row(vec![(0, DVec3::X, DVec3::ZERO)]);
    (between.lo, between.hi) = (Some(0.0), Some(0.0));
    apart_twice.rows.push(between);
    apart_twice.rows.extend(ball_joint(0, 1, arm));
    let expected = solved(&once, &tight(Cone::Exact), Solver::GaussSeidel);
    for solver in ALL {
        for problem in [&twice, &apart_twice] {
            let solution = solved(problem, &Settings { tolerance: 1e-13, ..tight(Cone::Exact) }, solver);
            assert!(apart(&solution, &expected) < 1e-12, "{solver:?}");
        }
    }
}

#[test]
fn a_bounded_row_is_dry_friction() {
    // A row along x with |g| <= S h: it stops up to S h/m and brakes the rest.
    let limit = 0.05 * MASS;
    for (speed, left) in [(0.04, 0.0), (-0.04, 0.0), (0.3, 0.25), (-0.3, -0.25)] {
        let mut row = free_row(vec![(0, DVec3::X, DVec3::ZERO)]);
        (row.lo, row.hi) = (Some(-limit), Some(limit));
        let problem =
            Problem { bodies: vec![ball(DVec3::X * speed, DVec3::ZERO)], rows: vec![row], ..Problem::default() };
        for solver in ALL {
            let solution = solved(&problem, &tight(Cone::Exact), solver);
            near(solution.twists[0].velocity, DVec3::X * left, 1e-15);
        }
    }
}

#[test]
fn a_ball_of_torques_brakes_against_the_turning() {
    let response = [ball(DVec3::ZERO, DVec3::ZERO).response, Response::NONE];
    let inertia = 0.4 * MASS * RADIUS * RADIUS;
    for solver in ALL {
        let mut rows = Rows::default();
        let levers: Vec<Lever> =
            [DVec3::X, DVec3::Y, DVec3::Z].into_iter().map(|angular| Lever { linear: DVec3::ZERO, angular }).collect();
        rows.blocks_mut().push(
            Set::Ball(0.5 * inertia),
            &[BlockRow { length: RADIUS, ..BlockRow::FREE }; 3],
            &[0],
            &levers,
        );
        let mut twists = vec![Twist { angular_velocity: DVec3::new(0.6, 0.0, 0.8), ..Twist::default() }; 2];
        let certificate = solve_by(&mut rows, &response, &mut twists, &tight(Cone::Exact), by(solver));
        assert!(certificate.solved, "{certificate:?}");
        near(twists[0].angular_velocity, DVec3::new(0.3, 0.0, 0.4), 1e-14);
    }
}

#[test]
fn compliance_is_an_implicit_spring() {
    // A ball that overlaps by d on a spring K: m v = g, v + d.. with C = 1/(K h^2), b = -d/h: g = (d/h)/(1/m + C).
    let (stiffness, overlap) = (2e4, 1e-4);
    let mut problem = on_ground(ball(DVec3::ZERO, DVec3::ZERO), -overlap, Cones { slide: 0.3, ..Cones::default() });
    let give = 1.0 / (stiffness * STEP * STEP);
    problem.contacts[0].options.compliance[0] = DMat3::from_diagonal(DVec3::Z * give);
    for solver in ALL {
        let solution = solved(&problem, &tight(Cone::Associated), solver);
        let impulse = overlap / STEP / (1.0 / MASS + give);
        near(solution.impulses[0].force, DVec3::Z * impulse, 1e-15);
        assert!((solution.objective + 0.5 * impulse * overlap / STEP).abs() < 1e-15);
    }
}

#[test]
fn compliant_contacts_joints_and_bounds_agree_among_solvers() {
    let (mut problem, _) = read(CCP_20);
    for contact in &mut problem.contacts {
        contact.options.compliance[0] = DMat3::IDENTITY * 0.5;
        contact.options.compliance[1] = DMat3::IDENTITY * 100.0;
        contact.options.turning_bias = DVec3::new(0.1, -0.2, 0.3);
    }
    problem.rows = ball_joint(0, 1, [DVec3::X * RADIUS, DVec3::X * -RADIUS]);
    let mut bounded = free_row(vec![(2, DVec3::X, DVec3::ZERO), (4, DVec3::Y, DVec3::ZERO), (5, DVec3::X, DVec3::Z)]);
    (bounded.lo, bounded.hi, bounded.bias) = (Some(-1e-3), Some(2e-3), 0.1);
    problem.rows.push(bounded);
    let settings = Settings { tolerance: 1e-13, ..tight(Cone::Associated) };
    let [first, others @ ..] = ALL.map(|solver| solved(&problem, &settings, solver));
    for other in others {
        assert!(apart(&first, &other) < 1e-11, "{}", apart(&first, &other));
        assert!((first.objective - other.objective).abs() < 1e-12 * first.objective.abs());
    }
}

#[test]
fn newton_solves_unequal_masses_that_sweeps_do_not() {
    // A ball of 1 t on a chain of four balls of 0.3 kg: sweeps carry its weight down one ball at a time.
    let heavy = |body: ProblemBody| {
        let Response { linear, angular } = body.response;
        ProblemBody { response: Response { linear: linear * 3e-4, angular: angular * 3e-4 }, ..body }
    };
    let falls = ball(DVec3::Z * -0.01, DVec3::ZERO);
    let mut problem = on_ground(falls, 0.0, Cones { slide: 0.3, roll: 1e-4, spin: 1e-4 });
    let on = problem.contacts[0];
    for at in 1..=4 {
        problem.bodies.push(if at == 4 { heavy(falls) } else { falls });
        let mut contact = on;
        (contact.a, contact.b, contact.arm) = (at, Some(at - 1), [DVec3::Z * -RADIUS, DVec3::Z * RADIUS]);
        problem.contacts.push(contact);
    }
    let settings = Settings { tolerance: 1e-12, max_iterations: 300, ..tight(Cone::Exact) };
    let newton = solved(&problem, &settings, Solver::Newton);
    eprintln!("newton {:?}", newton.certificate);
    newton.twists.iter().for_each(|twist| near(twist.velocity, DVec3::ZERO, 1e-11));
    let sweeps = problem.solve_by(&settings, by(Solver::GaussSeidel)).unwrap();
    assert!(!sweeps.certificate.solved, "{:?}", sweeps.certificate);
}

// ---- loads that are given ----

#[test]
fn a_frozen_load_is_a_clamp_on_disc_disc_and_interval() {
    // Friction stops a ball, or brakes it by the limit of the load that is given, however the normal velocity is.
    let load = 0.02;
    let cones = Cones { slide: 0.5, roll: 0.0, spin: 1e-3 };
    let rule = Rule { solver: Solver::GaussSeidel, load: LoadRule::Frozen };
    for (slip, spin) in [(0.01, 0.1), (3.0, 500.0)] {
        let mut problem = on_ground(ball(DVec3::new(slip, 0.0, 0.7), DVec3::Z * spin), 0.0, cones);
        problem.contacts[0].impulse.force = DVec3::Z * load;
        let solution = problem.solve_by(&tight(Cone::Exact), rule).unwrap();
        assert!(solution.certificate.solved, "{:?}", solution.certificate);
        let stop = (2.0 / 7.0 * MASS * slip).min(0.5 * load);
        near(solution.impulses[0].force, DVec3::new(-stop, 0.0, load), 1e-14);
        let turn = (0.4 * MASS * RADIUS * RADIUS * spin).min(1e-3 * load);
        near(solution.impulses[0].torque, DVec3::Z * -turn, 1e-15);
    }
}

// ---- friction that depends on the direction ----

#[test]
fn rolling_about_an_axis_has_its_own_limit() {
    let cones = Cones { slide: 0.9, roll: 1e-3, spin: 1e-3 };
    let roll = Some(AxisRoll { axis: DVec3::Y, length: 2e-4 });
    let ellipse = Some(Ellipse { roll, coupled: false });
    // Rolling without slip about y, resisted by 2e-4 n, and about x, by 1e-3 n.
    for (along, turning, limit) in [(DVec3::X, DVec3::Y, 2e-4), (DVec3::Y, -DVec3::X, 1e-3)] {
        let rolling = ball(along * 2.0 - DVec3::Z, turning * (2.0 / RADIUS));
        let mut problem = on_ground(rolling, 0.0, cones);
        problem.contacts[0].options = Options { ellipse, ..Options::default() };
        for solver in ALL {
            let solution = solved(&problem, &Settings { tolerance: 1e-12, ..tight(Cone::Exact) }, solver);
            near(solution.twists[0].velocity, along * (2.0 - 5.0 / 7.0 * limit / RADIUS), 1e-10);
        }
    }
}

#[test]
fn a_ball_that_spins_slides_more_easily() {
    // Coulomb-Contensou: with its whole limit against spinning, friction hardly resists a slow slip.
    let cones = Cones { slide: 0.5, roll: 0.0, spin: 1e-3 };
    let problem = |coupled: bool| {
        let mut problem = on_ground(ball(DVec3::new(1e-2, 0.0, -1.0), DVec3::Z * 1e4), 0.0, cones);
        problem.contacts[0].options.ellipse = Some(Ellipse { roll: None, coupled });
        problem
    };
    for solver in ALL {
        let settings = Settings { tolerance: 1e-11, ..tight(Cone::Exact) };
        let [apart, coupled] = [false, true].map(|coupled| solved(&problem(coupled), &settings, solver));
        near(apart.twists[0].velocity, DVec3::X * (5.0 / 7.0 * 1e-2), 1e-10);
        let Wrench { force, torque } = coupled.impulses[0];
        // Maximal dissipation on the ellipse: (F, M) along (mu^2 u, sigma^2 w).
        let Twist { velocity, angular_velocity } = coupled.twists[0];
        let slip = velocity.x - RADIUS * angular_velocity.y;
        let [pull, turn] = [0.25 * slip, 1e-6 * angular_velocity.z];
        let size = (0.25 * slip * slip + 1e-6 * angular_velocity.z * angular_velocity.z).sqrt();
        assert!((force.x + force.z * pull / size).abs() < 1e-11 && slip > 0.009, "{slip}");
        assert!((torque.z + force.z * turn / size).abs() < 1e-13);
        let on_ellipse = (force.x / 0.5).powi(2) + (torque.z / 1e-3).powi(2);
        assert!((on_ellipse / force.z.powi(2) - 1.0).abs() < 1e-12, "{on_ellipse}");
    }
}

// ---- problems given by their matrix, problems without an answer ----

#[test]
fn a_problem_by_its_matrix_is_the_same() {
    // W of a problem without spinning friction, column by column from unit impulses.
    let mut problem = layer(3);
    problem.contacts.iter_mut().for_each(|contact| contact.cones.spin = 0.0);
    let (rows, response, free) = problem.to_rows().unwrap();
    let frame = |k: usize| {
        let (u, w) = problem.contacts[k].normal.any_orthonormal_pair();
        [problem.contacts[k].normal, u, w]
    };
    let five = |k: usize, twists: &[Twist]| {
        let (u, [n, t, s]) = (rows.velocity(k, twists), frame(k));
        let (linear, angular) = (u.linear(n), u.angular(n));
        [linear.dot(n), linear.dot(t), linear.dot(s), angular.dot(t), angular.dot(s)]
    };
    let count = problem.contacts.len();
    let mut matrix = MatrixProblem {
        contacts: problem.contacts.iter().map(|c| MatrixContact { slide: c.cones.slide, roll: c.cones.roll }).collect(),
        q: (0..count).flat_map(|k| five(k, &free)).collect(),
        ..MatrixProblem::default()
    };
    for column in 0..5 * count {
        let (k, [n, t, s]) = (column / 5, frame(column / 5));
        let unit = [n, t, s, t, s][column % 5];
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        if column % 5 < 3 {
            force = unit
        } else {
            torque = unit
        }
        let mut twists = free.clone();
        let Row { bodies, arm, .. } = rows.get(k);
        for (sign, (body, arm)) in [1.0, -1.0].into_iter().zip(bodies.into_iter().zip(arm)) {
            let Response { linear, angular } = response[body as usize];
            twists[body as usize].velocity += linear * force * sign;
            twists[body as usize].angular_velocity += angular * (arm.cross(force) + torque) * sign;
        }
        for row in 0..5 * count {
            let value = five(row / 5, &twists)[row % 5] - matrix.q[row];
            if value != 0.0 {
                matrix.entries.push((row as u32, column as u32, value));
            }
        }
    }
    for cone in [Cone::Associated, Cone::Exact] {
        for solver in ALL {
            let settings = Settings { tolerance: 1e-12, ..tight(cone) };
            let expected = solved(&problem, &settings, Solver::GaussSeidel);
            let found = matrix.solve_by(&settings, by(solver)).unwrap();
            assert!(found.certificate.solved, "{solver:?} {:?}", found.certificate);
            let mut twists = expected.twists.clone();
            twists.push(Twist::default());
            // Under the exact law velocities need not be unique: the certificate is all there is.
            let judged = if cone == Cone::Exact { 0 } else { 5 };
            for (k, u) in found.u.chunks_exact(5).take(judged * count).enumerate() {
                for (u, known) in u.iter().zip(five(k, &twists)) {
                    assert!((u - known).abs() < 1e-8, "{solver:?} contact {k}: {u} {known}");
                }
            }
            assert!((found.objective - expected.objective).abs() < 1e-10 || cone == Cone::Exact);
        }
    }
}

#[test]
fn contradictions_are_named() {
    // A ball between two walls that approach each other, and another ball beside them that is none of it.
    let mut problem = on_ground(ball(DVec3::ZERO, DVec3::ZERO), 0.0, Cones { slide: 0.5, ..Cones::default() });
    let mut above = problem.contacts[0];
    (above.normal, above.arm[0]) = (-DVec3::Z, DVec3::Z * RADIUS);
    (problem.contacts[0].bias, above.bias) = (DVec3::Z * -1.0, DVec3::Z);
    problem.bodies.push(ball(DVec3::Z * -1.0, DVec3::ZERO));
    let beside = stickslip::cone::ProblemContact { a: 1, bias: DVec3::ZERO, ..problem.contacts[0] };
    problem.contacts.extend([beside, above]);
    for cone in [Cone::Exact, Cone::Associated] {
        for solver in ALL {
            let settings = Settings { max_iterations: 100, ..tight(cone) };
            let solution = problem.solve_by(&settings, by(solver)).unwrap();
            assert!(!solution.certificate.solved);
            assert_eq!(solution.conflict.expect("there is one").contacts, [0, 2], "{solver:?}");
        }
    }
    // Joints that contradict each other: one row moves a body, another holds it.
    let mut rows = vec![free_row(vec![(0, DVec3::X, DVec3::ZERO)]), free_row(vec![(0, DVec3::X, DVec3::ZERO)])];
    rows[1].bias = 1.0;
    let bodies = vec![ball(DVec3::ZERO, DVec3::ZERO)];
    let problem = Problem { bodies, rows, ..Problem::default() };
    let solution = problem.solve(&Settings { max_iterations: 100, ..tight(Cone::Exact) }).unwrap();
    assert!(!solution.certificate.solved, "{:?}", solution.certificate);
    // Both rows are in one block.
    assert_eq!(solution.conflict.expect("there is one").blocks, [0]);
    // A slow problem that has an answer is not called contradictory.
    let (slow, _) = read(CCP_20);
    for most in [1, 5, 20] {
        let solution =
            slow.solve_by(&Settings { max_iterations: most, ..tight(Cone::Associated) }, Rule::default()).unwrap();
        assert!(!solution.certificate.solved && solution.conflict.is_none());
    }
}
