//! The projection on the cones of slide, roll and spin: against 50-digit values, its own certificate, and an independent solver of
//! conic problems; its derivative; the same for ellipses.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use glam::DVec3;
use stickslip::cone::{AxisRoll, Cones, Ellipse, Limits, Slope, Split, project};
use stickslip::random::Stream;

const CASES: &str = include_str!("../data/tasora/projection_cases.csv");

/// In the order n, u, w, tn, tu, tw of the files; tangents along x and y.
fn split(x: [f64; 6]) -> Split {
    Split { normal: x[0], slide: DVec3::new(x[1], x[2], 0.0), spin: x[3], roll: DVec3::new(x[4], x[5], 0.0) }
}

fn size(x: &Split) -> f64 {
    x.dot(x).sqrt()
}

#[track_caller]
fn check_projection(cones: &Cones, x: &Split, expected: &Split) {
    let off = size(&project(x, cones).plus(expected, -1.0));
    assert!(off <= 1e-14 * size(x), "{x:?} under {cones:?}: off by {off}");
}

#[test]
fn projections_are_those_of_fifty_digits() {
    let mut count = 0;
    for line in CASES.lines().skip(1) {
        let numbers: Vec<f64> = line.split(',').skip(1).map(|number| number.parse().unwrap()).collect();
        let cones = Cones { slide: numbers[0], roll: numbers[1], spin: numbers[2] };
        let [x, p] = [3, 9].map(|at| split(numbers[at..at + 6].try_into().unwrap()));
        check_projection(&cones, &x, &p);
        count += 1;
    }
    assert!(count >= 82);
}

#[test]
fn projections_have_their_closed_forms() {
    let check = |[slide, roll, spin]: [f64; 3], x: [f64; 6], p: [f64; 6]| {
        check_projection(&Cones { slide, roll, spin }, &split(x), &split(p));
    };
    check([0.5, 0.02, 0.01], [1.0, 3.0, 4.0, 0.0, 0.0, 0.0], [2.8, 0.84, 1.12, 0.0, 0.0, 0.0]);
    check([0.5, 0.2, 0.01], [1.0, 0.0, 0.0, 0.0, 3.0, 4.0], [25.0 / 13.0, 0.0, 0.0, 0.0, 3.0 / 13.0, 4.0 / 13.0]);
    check([0.5, 0.2, 0.25], [1.0, 0.0, 0.0, -5.0, 0.0, 0.0], [36.0 / 17.0, 0.0, 0.0, -9.0 / 17.0, 0.0, 0.0]);
    check(
        [0.5, 0.0, 0.25],
        [1.0, 3.0, 4.0, 2.0, 3.0, 4.0],
        [64.0 / 21.0, 96.0 / 105.0, 128.0 / 105.0, 16.0 / 21.0, 0.0, 0.0],
    );
    check([0.5, 0.1, 0.1], [-0.5, 3.0, 4.0, 0.0, 0.0, 0.0], [1.6, 0.48, 0.64, 0.0, 0.0, 0.0]);
    check([1.0, 0.1, 0.1], [-0.5, 0.3, 0.4, 0.0, 0.0, 0.0], [0.0; 6]);
    check([1.0; 3], [0.0, 1.0, 0.0, 1.0, 1.0, 0.0], [0.75, 0.75, 0.0, 0.75, 0.75, 0.0]);
    check([0.0; 3], [2.0, 3.0, 4.0, 2.0, 3.0, 4.0], [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    check([0.0; 3], [-2.0, 3.0, 4.0, 2.0, 3.0, 4.0], [0.0; 6]);
}

#[test]
fn projections_certify_themselves() {
    // Moreau: p is the projection of x on C if and only if p is in C, p - x in the dual cone, and both at right angles.
    let mut stream = Stream::named(33, "projections");
    for _ in 0..10_000 {
        let mut one = || stream.between(-1.0, 1.0);
        let x = split([one(), one(), one(), one(), one(), one()]);
        let mut ratio = || if one() > 0.5 { 0.0 } else { 2.0 * one().abs() };
        let cones = Cones { slide: ratio(), roll: ratio(), spin: ratio() };
        let p = project(&x, &cones);
        let (rise, squared) = (p.plus(&x, -1.0), x.dot(&x));
        // Three numbers of size |x| and a few operations on each: 1e-15 |x|.
        assert!(cones.violation(&p) <= 1e-15 * squared.sqrt());
        assert!(cones.opening(&rise) - rise.normal <= 4e-15 * squared.sqrt());
        assert!(p.dot(&rise).abs() <= 1e-14 * squared, "{x:?} under {cones:?}");
    }
}

fn random_split(stream: &mut Stream) -> Split {
    split(std::array::from_fn(|_| stream.between(-1.0, 1.0)))
}

/// The projection by an interior-point method: n, u, w, tn, tu, tw.
fn judged(x: &Split, cones: &Cones) -> Option<[f64; 6]> {
    let numbers = [x.normal, x.slide.x, x.slide.y, x.spin, x.roll.x, x.roll.y];
    let Cones { slide, roll, spin } = *cones;
    // Rows of -A: (mu n, u, w), (rho n, tu, tw), (sigma n, tn).
    let mut dense = [[0.0; 6]; 8];
    for (row, column, value) in
        [(0, 0, slide), (1, 1, 1.0), (2, 2, 1.0), (3, 0, roll), (4, 4, 1.0), (5, 5, 1.0), (6, 0, spin), (7, 3, 1.0)]
    {
        dense[row][column] = -value;
    }
    let soc = |size| SupportedConeT::SecondOrderConeT(size);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        max_iter: 200,
        ..DefaultSettings::default()
    };
    let (quadratic, rows) = (CscMatrix::identity(6), CscMatrix::from(&dense));
    let linear = numbers.map(|x| -x);
    let mut solver =
        DefaultSolver::new(&quadratic, &linear, &rows, &[0.0; 8], &[soc(3), soc(3), soc(2)], settings).unwrap();
    solver.solve();
    let found = matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
    found.then(|| std::array::from_fn(|k| solver.solution.x[k]))
}

#[test]
fn an_interior_point_method_finds_the_same_projections() {
    let mut stream = Stream::named(34, "judged projections");
    let (mut agree, mut answered) = (0, 0);
    for _ in 0..10_000 {
        let x = random_split(&mut stream);
        let mut ratio = || stream.between(0.01, 2.0);
        let cones = Cones { slide: ratio(), roll: ratio(), spin: ratio() };
        let Some(expected) = judged(&x, &cones) else { continue };
        answered += 1;
        let off = size(&project(&x, &cones).plus(&split(expected), -1.0));
        agree += u32::from(off <= 1e-9);
    }
    eprintln!("{agree} of 10000 within 1e-9, {answered} answered");
    // At apexes and where cones begin to be active the judge itself is good to 1e-7 only.
    assert!(agree >= 9990, "{agree} of 10000");
}

#[test]
fn the_derivative_is_that_of_differences() {
    let mut stream = Stream::named(35, "slopes");
    let mut beyond = 0;
    for _ in 0..2000 {
        let (x, dx) = (random_split(&mut stream), random_split(&mut stream));
        let mut ratio = || stream.between(0.0, 2.0);
        let cones = Cones { slide: ratio(), roll: ratio(), spin: ratio() };
        let by = 1e-6;
        let change = project(&x.plus(&dx, by), &cones).plus(&project(&x.plus(&dx, -by), &cones), -1.0);
        let off = change.times([0.5 / by; 4]).plus(&Slope::of(&x, &cones).apply(&dx), -1.0);
        // Truncation by^2/s^2 and rounding 1e-16/by; sizes s are below 1e-3 in a few, and some steps cross an edge.
        beyond += u32::from(size(&off) > 1e-7);
        // Symmetric: a.J b = b.J a. No expansion: |J a| <= |a|.
        let slope = Slope::of(&x, &cones);
        assert!((x.dot(&slope.apply(&dx)) - dx.dot(&slope.apply(&x))).abs() < 1e-14);
        assert!(size(&slope.apply(&dx)) <= size(&dx) * (1.0 + 1e-14));
    }
    assert!(beyond <= 10, "{beyond} of 2000");
}

fn limits(cones: Cones, about: Option<f64>, coupled: bool) -> Limits {
    let axis = DVec3::new(0.6, 0.8, 0.0);
    let roll = about.map(|length| AxisRoll { axis, length });
    Limits { cones, ellipse: Some(Ellipse { roll, coupled }) }
}

#[test]
fn ellipses_with_equal_half_axes_are_cones() {
    let mut stream = Stream::named(36, "discs");
    for _ in 0..2000 {
        let x = random_split(&mut stream);
        let mut ratio = || stream.between(0.0, 2.0);
        let cones = Cones { slide: ratio(), roll: ratio(), spin: ratio() };
        for about in [None, Some(cones.roll)] {
            let off = size(&limits(cones, about, false).project(&x).plus(&project(&x, &cones), -1.0));
            assert!(off <= 1e-14, "{x:?} under {cones:?}: {off}");
        }
    }
}

#[test]
fn projections_on_ellipses_certify_themselves() {
    let mut stream = Stream::named(37, "ellipses");
    for case in 0..10_000 {
        let x = random_split(&mut stream);
        let mut one = || stream.between(-1.0, 1.0);
        let mut ratio = || if one() > 0.7 { 0.0 } else { 2.0 * one().abs() };
        let cones = Cones { slide: ratio(), roll: ratio(), spin: ratio() };
        let limits = limits(cones, Some(ratio()).filter(|_| case % 3 > 0), case % 2 == 0);
        let p = limits.project(&x);
        let (rise, squared) = (p.plus(&x, -1.0), x.dot(&x));
        // Two searches for roots, each to a few roundings of numbers of size |x|.
        assert!(limits.violation(&p) <= 1e-14 * squared.sqrt(), "{x:?} under {limits:?}: {p:?}");
        assert!(limits.opening(&rise) - rise.normal <= 1e-13 * squared.sqrt(), "{x:?} under {limits:?}: {p:?}");
        assert!(p.dot(&rise).abs() <= 1e-13 * squared, "{x:?} under {limits:?}: {}", p.dot(&rise));
    }
}
