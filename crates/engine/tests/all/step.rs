//! How large a step may be: errors of impacts and of heaps against the fraction of the critical step, and stability of the
//! densest crowd under every law. The tables of docs/step.md are what these tests compute, to the last digit;
//! `STICKSLIP_WRITE_DOCS=1 cargo nextest run -p stickslip --test all -j 1 --run-ignored all step::` writes them.

use std::fmt::Write;
use std::path::Path;

use crate::common::*;
use glam::{DMat3, DVec3};
use stickslip::cell::{Cell, Control, Frame};
use stickslip::explicit::stable_step::{StepAdvice, advise};
use stickslip::law::*;
use stickslip::random::Stream;
use stickslip::{Body, Model, math};

/// Stiffness of `hooke` (N/m), and slope of `hertz` at an overlap of 1 % of R_eff.
const K: f64 = 1e5;
/// R_eff and m_eff of two unit spheres.
const R: f64 = 0.25;
const M: f64 = 0.5;

fn hooke(restitution: f64) -> Normal {
    Normal::Hooke(Hooke::with_restitution(K, restitution, true))
}

/// A hertz contact that a head-on impact at unit speed presses to `depth` R_eff: (2/5) K sqrt(R) d^(5/2) = m v^2/2.
fn hertz(restitution: f64, depth: f64) -> Normal {
    let modulus = M / (0.8 * R.sqrt() * math::pow(depth * R, 2.5));
    Normal::Hertz(Hertz::with_restitution(modulus, restitution, true))
}

fn with_slide(normal: Normal, stiffness: f64, damping_ratio: f64, mu: f64) -> SpringLaws {
    let options = SliderOptions { damped_by_ratio: true, ..SliderOptions::default() };
    let slide = SlideSlider { options, ..SlideSlider::new(stiffness, damping_ratio, Limit::mu(mu)) };
    SpringLaws { slide: Some(Slide::SpringSlider(slide)), ..SpringLaws::frictionless(normal) }
}

/// The advice for this many unit spheres.
fn advice(laws: SpringLaws, count: usize) -> StepAdvice {
    let bodies: Vec<Body> = (0..count).map(|i| sphere(0.5, DVec3::X * 2.0 * i as f64)).collect();
    advise(&model(laws, 1.0), &bodies).expect("spheres can touch")
}

/// What is left of an impact of two unit spheres: normal and tangential relative velocity (m/s), R times the angular
/// velocity, and the ledger's error over the energy at the start.
fn impact(laws: SpringLaws, dt: f64, gap: f64, tangential: f64) -> [f64; 4] {
    let ball = |side: f64| Body {
        velocity: DVec3::new(-0.5 * side, 0.5 * side * tangential, 0.0),
        ..sphere(0.5, DVec3::X * 0.5 * side * (1.0 + gap))
    };
    let mut world = world(model(laws, dt), vec![ball(-1.0), ball(1.0)]);
    let start = world.ledger().kinetic;
    let mut touched = false;
    loop {
        world.step().expect("a sound impact");
        touched |= world.contact_count() > 0;
        if touched && world.contact_count() == 0 {
            let (a, b) = (world.body(0), world.body(1));
            let apart = b.velocity - a.velocity;
            return [apart.x, apart.y, 0.5 * b.angular_velocity.z, world.ledger().error / start];
        }
    }
}

/// The largest errors over restitutions, slide springs, limits, angles of impact and moments of the first touch: of the
/// normal and of the tangential motion over the speed of impact, and of the ledger over the energy.
fn impact_errors(normal: &dyn Fn(f64) -> Normal, count: usize, fractions: &[f64]) -> Vec<[f64; 3]> {
    const PHASES: u32 = 8;
    // The reference errs by less than a tenth of what a fraction of 0.03 does: first order in the step.
    const FINE: f64 = 0.002;
    let mut worst = vec![[0.0_f64; 3]; fractions.len()];
    let slope = |normal: Normal| normal.ask(|law| law.stiffness(R, 0.01 * R));
    for e in [0.3, 0.5, 0.9] {
        for (ratio, mu) in [(2.0 / 7.0, 0.1), (2.0 / 7.0, 0.5), (0.8, 0.5)] {
            let laws = with_slide(normal(e), ratio * slope(normal(e)), 0.0, mu);
            let critical = advice(laws, count).critical;
            for tangential in [0.3_f64, 1.0, 3.0] {
                let speed = (1.0 + tangential * tangential).sqrt();
                let fine = impact(laws, FINE * critical, 1e-9, tangential);
                for (worst, fraction) in worst.iter_mut().zip(fractions) {
                    let dt = fraction * critical;
                    for phase in 0..PHASES {
                        let gap = (f64::from(phase) + 0.5) / f64::from(PHASES) * dt;
                        let found = impact(laws, dt, gap, tangential);
                        let off = |i: usize| (found[i] - fine[i]).abs() / speed;
                        *worst = [worst[0].max(off(0)), worst[1].max(off(1)).max(off(2)), worst[2].max(found[3].abs())];
                    }
                }
            }
        }
    }
    worst
}

/// Compares a table with the one of docs/step.md, or writes it.
fn compare_with_docs(name: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/step.md");
    let text = std::fs::read_to_string(&path).expect("docs/step.md can be read");
    let mark = format!("<!-- {name}: computed by crates/engine/tests/all/step.rs -->\n\n");
    let start = text.find(&mark).expect("the page has a mark for the table") + mark.len();
    let end = text[start..].find("\n\n").map_or(text.len(), |end| start + end + 1);
    if std::env::var_os("STICKSLIP_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &text[..start], &text[end..]))
            .expect("docs/step.md can be written");
    } else {
        assert_eq!(&text[start..end], table, "docs/step.md differs; the header of step.rs says how to write it");
    }
}

/// Bounds for what the recommended step may do to an impact: restitution, tangential motion over the speed, ledger.
const BOUNDS: [f64; 3] = [0.01, 0.02, 0.01];

/// `step = "auto"` under hertz took 0.06 of the Rayleigh time, a third of what one impact and a crowd need.
#[test]
fn the_step_under_hertz_is_as_large_as_restitution_allows() {
    let fractions = [0.03, 0.1, 0.2, 0.3, 0.5];
    let laws: [(&str, &dyn Fn(f64) -> Normal); 3] =
        [("hooke", &hooke), ("hertz, 0.1 %", &|e| hertz(e, 1e-3)), ("hertz, 1 %", &|e| hertz(e, 1e-2))];
    let mut table = String::from(
        "| bodies | law, overlap | fraction | restitution | tangential | ledger |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    let mut errors = Vec::new();
    for (bodies, count) in [("two", 2), ("many", 100)] {
        for (name, normal) in laws {
            let found = impact_errors(normal, count, &fractions);
            for (fraction, [restitution, tangential, ledger]) in fractions.iter().zip(&found) {
                let numbers = format!("{restitution:.3} | {tangential:.3} | {ledger:.4}");
                writeln!(table, "| {bodies} | {name} | {fraction} | {numbers} |").expect("a string grows");
            }
            errors.push(found);
        }
    }
    let within = |errors: &[f64; 3]| errors.iter().zip(BOUNDS).all(|(error, bound)| *error < bound);
    let [_, _, _, hooke_many, low_many, high_many] = &errors[..] else { panic!("two crowds of three laws") };
    let [_, low_two, high_two, ..] = &errors[..] else { panic!("two crowds of three laws") };
    assert!([low_two, high_two].iter().all(|errors| within(&errors[1])), "hertz, two: a tenth\n{table}");
    assert!([low_many, high_many].iter().all(|errors| within(&errors[3])), "hertz, many: three tenths\n{table}");
    assert!(within(&hooke_many[1]) && !within(&hooke_many[2]), "hooke, many: a tenth and no more\n{table}");
    assert!(errors[0][0][0] < BOUNDS[0] && !within(&errors[0][1]), "hooke, two: the default errs by more\n{table}");
    assert!(!within(&high_two[2]) && !within(&high_many[4]), "hertz: no more than that\n{table}");
    compare_with_docs("impacts", &table);
}

#[test]
fn the_automatic_step_in_fractions_of_the_critical_step_and_the_rayleigh_time() {
    let mut table = String::from(
        "| bodies | restitution | of the critical step | of the Rayleigh time | a tenth, of the Rayleigh time |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for (bodies, count) in [("two", 2), ("many", 100)] {
        for e in [0.3, 0.5, 0.9, 1.0] {
            let normal = hertz(e, 1e-2);
            let laws = SpringLaws::frictionless(normal);
            let (advice, alone) = (advice(laws, count), advice(laws, 2));
            // Eq. (4.6).
            assert_eq!(advice.step, (0.3 * advice.critical).min(0.1 * alone.critical));
            let rayleigh = advice.rayleigh.expect("hertz has a modulus");
            let [of_critical, of_rayleigh, tenth] =
                [advice.step / advice.critical, advice.step / rayleigh, 0.1 * advice.critical / rayleigh];
            writeln!(table, "| {bodies} | {e} | {of_critical:.3} | {of_rayleigh:.3} | {tenth:.3} |").expect("it grows");
        }
    }
    let hooke = advice(SpringLaws::frictionless(hooke(0.5)), 100);
    assert_eq!(hooke.step, 0.1 * hooke.critical);
    compare_with_docs("automatic", &table);
}

/// 32 spheres on a face-centred lattice in a cell that repeats, each pressed by an overlap of 1 % of R_eff against its twelve
/// neighbours, with small random velocities that add to nothing.
fn lattice(laws: SpringLaws) -> (Model, Vec<Body>) {
    const SIDE: usize = 2;
    let edge = (1.0 - 0.01 * R) * 2.0_f64.sqrt();
    let corners = [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)];
    let mut stream = Stream::named(3, "lattice");
    let mut random = || DVec3::from_array([0; 3].map(|_| stream.between(-1e-5, 1e-5)));
    let mut bodies: Vec<Body> = (0..4 * SIDE * SIDE * SIDE)
        .map(|i| {
            let cube = i / 4;
            let at = DVec3::new((cube % SIDE) as f64, (cube / SIDE % SIDE) as f64, (cube / SIDE / SIDE) as f64);
            let centre = (at + corners[i % 4] + DVec3::splat(0.25)) * edge;
            Body { velocity: random(), angular_velocity: random(), ..sphere(0.5, centre) }
        })
        .collect();
    let mean = bodies.iter().map(|body| body.velocity).sum::<DVec3>() / bodies.len() as f64;
    bodies.iter_mut().for_each(|body| body.velocity -= mean);
    let frame = Frame::new(DMat3::from_diagonal(DVec3::splat(SIDE as f64 * edge)));
    (Model { cell: Some(Cell { frame, control: Control::Fixed }), ..model(laws, 1.0) }, bodies)
}

/// Kinetic energy after 1000 steps over that at the start; `dt` from the advice.
fn shaken(laws: SpringLaws, dt: impl Fn(&StepAdvice) -> f64) -> f64 {
    let (mut model, bodies) = lattice(laws);
    model.dt = dt(&advise(&model, &bodies).expect("spheres touch"));
    let mut world = world(model, bodies);
    let start = world.ledger().kinetic;
    if world.advance(1000).is_err() { f64::INFINITY } else { world.ledger().kinetic / start }
}

#[test]
fn the_automatic_step_is_stable_under_every_law_with_twelve_contacts() {
    // Under hertz, whose step is the larger one. A stable run has at most its first energy, which is all kinetic, times
    // 1/(1 - (omega dt/2)^2), by which the energy that the scheme preserves differs from the true one. At 0.3 of the critical
    // step one motion with six contacts has (omega dt/2)^2 <= 0.09; four motions and twelve contacts have at most eight times
    // that, 0.72. An unstable motion grows with every step.
    let k = 100.0;
    let by_ratio = SliderOptions { damped_by_ratio: true, ..SliderOptions::default() };
    let roll = |k: f64, b: f64| {
        Some(Roll::SpringSlider(RollSlider { options: by_ratio, ..RollSlider::new(k, b, Limit::mu(0.5)) }))
    };
    let spin = |k: f64, b: f64| {
        Some(Spin::SpringSlider(SpinSlider { options: by_ratio, ..SpinSlider::new(k, b, Limit::mu(0.5)) }))
    };
    let base = |b: f64| with_slide(hooke(0.5), 2.0 / 7.0 * k, b, 0.5);
    let mut laws: Vec<(String, SpringLaws)> = every_law(k).into_iter().map(|(name, l)| (name.to_owned(), l)).collect();
    for b in [0.0, 0.3, 1.0] {
        laws.push((format!("stiff slide, {b}"), with_slide(hooke(0.5), 10.0 * k, b, 0.5)));
        laws.push((format!("stiff roll, {b}"), SpringLaws { roll: roll(20.0 * k, b), ..base(b) }));
        laws.push((format!("stiff spin, {b}"), SpringLaws { spin: spin(5.0 * k, b), ..base(b) }));
        // Every motion has the same critical step: k q of slide, roll and spin is 2 k, that of the normal.
        laws.push((
            format!("all alike, {b}"),
            SpringLaws { roll: roll(1.6 * k, b), spin: spin(0.1 * k, b), ..base(b) },
        ));
    }
    // K for which the slope at 1 % is k.
    let modulus = k / (1.5 * 0.1 * R);
    for (name, laws) in laws {
        for e in [0.1, 0.5, 1.0] {
            let normal = Normal::Hertz(Hertz::with_restitution(modulus, e, false));
            let share = shaken(SpringLaws { normal, ..laws }, |advice| advice.step);
            assert!(share < 1.0 / (1.0 - 0.72), "{name}, {normal:?}: {share}");
        }
    }
    let above = with_slide(Normal::Hertz(Hertz::with_restitution(modulus, 0.5, false)), 2.0 / 7.0 * k, 0.3, 0.5);
    let share = shaken(above, |advice| 1.5 * advice.critical);
    assert!(share > 100.0, "the lattice tells a step that is too large: {share}");
}

/// A heap of 294 grains, a block of seven by seven by six that collapses on a floor: its angle in degrees and the ledger's
/// error over the energy released. The angle is that of a cone with the same mean height z and mean square distance r^2 from
/// its axis, for which h = 4 z and a^2 = 10 r^2/3.
fn heap(normal: Normal, k: f64, fraction: f64, seed: u64) -> (f64, f64) {
    const COUNT: usize = 294;
    let mut stream = Stream::named(seed, "heap");
    let mut bodies: Vec<Body> = (0..COUNT)
        .map(|i| {
            let radius = stream.between(0.45, 0.5);
            let at = DVec3::new((i % 7) as f64 - 3.0, (i / 7 % 7) as f64 - 3.0, (i / 49) as f64 + 0.55) * 1.05;
            sphere(radius, at + DVec3::from_array([0; 3].map(|_| stream.between(-0.04, 0.04))))
        })
        .collect();
    bodies.push(plane(DVec3::Z, DVec3::ZERO));
    let damping = 0.1 * k.sqrt();
    let laws = SpringLaws {
        slide: Some(Slide::SpringSlider(SlideSlider::new(2.0 / 7.0 * k, damping, Limit::mu(0.6)))),
        roll: Some(Roll::SpringSlider(RollSlider::new(2.0 / 7.0 * k, damping, Limit::mu(0.3)))),
        spin: Some(Spin::SpringSlider(SpinSlider::new(0.02 * k, 0.2 * damping, Limit::length(0.1)))),
        ..SpringLaws::frictionless(normal)
    };
    let mut model = model(laws, 1.0);
    model.gravity = (-DVec3::Z).into();
    model.dt = fraction * advise(&model, &bodies).expect("grains touch").critical;
    let steps = (15.0 / model.dt) as u64;
    let mut world = world(model, bodies);
    let potential = world.ledger().potential;
    world.advance(steps).expect("a sound heap");
    let places: Vec<DVec3> = (0..COUNT as u32).map(|id| world.body(id).position).collect();
    let mean = places.iter().sum::<DVec3>() / COUNT as f64;
    let square = places.iter().map(|p| (*p - mean).truncate().length_squared()).sum::<f64>() / COUNT as f64;
    let ledger = world.ledger();
    let slope = 4.0 * (mean.z - 0.475) / (10.0 / 3.0 * square).sqrt();
    (math::atan2(slope, 1.0).to_degrees(), ledger.error.abs() / (potential - ledger.potential))
}

#[test]
#[ignore = "24 heaps take minutes"]
fn the_angle_of_a_heap_does_not_depend_on_the_step() {
    const SEEDS: u64 = 3;
    let fractions = [0.1, 0.2, 0.3, 0.5];
    let k = 2e4;
    let modulus = k / (1.5 * 0.1 * R);
    let mut table = String::from("| law | fraction | angle (degrees) | ledger |\n| --- | --- | --- | --- |\n");
    for (name, normal) in [
        ("hooke", Normal::Hooke(Hooke::with_restitution(k, 0.5, true))),
        ("hertz", Normal::Hertz(Hertz::with_restitution(modulus, 0.5, true))),
    ] {
        let mut means = Vec::new();
        let mut variance = 0.0;
        for fraction in fractions {
            let heaps: Vec<(f64, f64)> = (1..=SEEDS).map(|seed| heap(normal, k, fraction, seed)).collect();
            let mean = heaps.iter().map(|heap| heap.0).sum::<f64>() / SEEDS as f64;
            let square = heaps.iter().map(|heap| (heap.0 - mean) * (heap.0 - mean)).sum::<f64>() / (SEEDS - 1) as f64;
            let ledger = heaps.iter().map(|heap| heap.1).fold(0.0, f64::max);
            let error = (square / SEEDS as f64).sqrt();
            writeln!(table, "| {name} | {fraction} | {mean:.2} +- {error:.2} | {ledger:.5} |").expect("a string grows");
            if fraction <= 0.3 {
                assert!(ledger < BOUNDS[2], "{table}");
            }
            means.push(mean);
            variance += square / fractions.len() as f64;
        }
        // Student's t with 4 (3 - 1) = 8 degrees of freedom is below 5.04 in 999 of 1000 cases.
        let bound = 5.04 * (2.0 * variance / SEEDS as f64).sqrt();
        assert!(means.iter().all(|mean| (mean - means[0]).abs() < bound), "{bound}\n{table}");
    }
    compare_with_docs("heaps", &table);
}
