//! Closed forms of steps.

use glam::DVec3;

use super::*;
use crate::law::*;
use crate::model::Material;
use crate::shape::Shape;
use crate::world::{Setup, World};

/// A spring next to nothing beside a dashpot had a critical step of 0: its damping ratio squared overflowed.
#[test]
fn a_spring_next_to_nothing_leaves_the_step_of_its_dashpot() {
    let of = |stiffness: f64| {
        let inverse_inertia = [1.0, 0.0];
        Oscillator { motion: "spin", stiffness, dashpot: 0.5, holds: true, inverse_inertia }.critical([1.0; 2])
    };
    assert_eq!([1e-303, 1e-20, 0.0].map(of), [4.0; 3]);
    // Below the bound the two forms agree to rounding: the spring changes the step by 1/(4 zeta^2) = 4e-14.
    assert!((of(1e-14) / 4.0 - 1.0).abs() < 1e-13);
}

fn pair(laws: SpringLaws, bodies: usize) -> Option<StepAdvice> {
    let mut model = Model::new(vec![Material { name: "grain".into(), density: 6.0 / std::f64::consts::PI }], 1.0);
    model.laws.set(0, 0, laws);
    let ball = |i: usize| Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::X * i as f64);
    advise(&model, &(0..bodies).map(ball).collect::<Vec<_>>())
}

#[test]
fn two_spheres_have_the_closed_form() {
    // m = 1, k = 1: omega^2 = 2.
    let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
    let advice = pair(laws, 2).unwrap();
    assert!((advice.critical - 2.0_f64.sqrt()).abs() < 1e-12);
    // Slide: omega^2 = 2 + 2 R^2/I = 7; its dashpot 0.5 m_eff gives 2 zeta omega = 0.25 * 7.
    let slide = SlideSlider::new(1.0, 0.5, Limit::mu(0.3));
    let advice = pair(SpringLaws { slide: Some(Slide::SpringSlider(slide)), ..laws }, 2).unwrap();
    let zeta = 1.75 / (2.0 * 7.0_f64.sqrt());
    let expected = 2.0 / 7.0_f64.sqrt() * ((1.0 + zeta * zeta).sqrt() - zeta);
    assert!((advice.critical - expected).abs() < 1e-12, "{advice:?}");
    assert!(advice.governed_by.starts_with("slide"));
}

#[test]
fn many_grains_count_six_contacts_and_one_grain_has_no_step() {
    let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
    let advice = pair(laws, 100).unwrap();
    assert!((advice.critical - (2.0_f64 / 6.0).sqrt()).abs() < 1e-12);
    assert_eq!(pair(laws, 1), None);
}

#[test]
fn the_limit_is_that_of_one_contact_between_bodies_that_move_freely() {
    let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
    let limit = |advice: Option<StepAdvice>| advice.and_then(|advice| advice.limit).map(|limit| limit.step);
    // m = 1, k = 1: omega^2 = 2, however many there are.
    for bodies in [2, 100] {
        assert!((limit(pair(laws, bodies)).unwrap() - 2.0_f64.sqrt()).abs() < 1e-12);
    }
    let mut model = Model::new(vec![Material { name: "grain".into(), density: 6.0 / std::f64::consts::PI }], 1.0);
    model.laws.set(0, 0, laws);
    let ball = |i: usize| Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::X * i as f64);
    // A held centre cannot bounce; a locked one may not.
    let held = [0, 1].map(|i| Body { motion: Motion::Held, ..ball(i) });
    let locked = [0, 1].map(|i| Body { lock: [false, false, true, false, false, false], ..ball(i) });
    assert!([held, locked].iter().all(|bodies| limit(advise(&model, bodies)).is_none()));
    // Against a fixed one: omega^2 = 1.
    let fixed = [ball(0), Body { motion: Motion::Fixed, ..ball(1) }];
    assert!((limit(advise(&model, &fixed)).unwrap() - 2.0).abs() < 1e-12);
}

#[test]
fn springs_that_carry_nothing_single_bodies_and_small_moments_do_not_lower_the_limit() {
    // Sound steps were refused: for a slider with mu = 0, for the only small ball of a scene as if it met itself, and for
    // unequal moments, of which the smallest counted.
    let normal = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
    let slide = |mu: f64| Some(Slide::SpringSlider(SlideSlider::new(100.0, 0.0, Limit::mu(mu))));
    let limit = |laws: SpringLaws, bodies: &[Body]| {
        let density = 6.0 / std::f64::consts::PI;
        let mut model = Model::new(vec![Material { name: "grain".into(), density }], 1.0);
        model.laws.set(0, 0, laws);
        advise(&model, bodies).unwrap().limit.unwrap().step
    };
    let ball = |radius: f64| Body::new(Shape::Sphere { radius }, 0, DVec3::ZERO);
    let two = [ball(0.5), ball(0.5)];
    assert!((limit(SpringLaws { slide: slide(0.0), ..normal }, &two) - 2.0_f64.sqrt()).abs() < 1e-12);
    // omega^2 = 100 (2 + 2 R^2/I) = 700.
    let stiff = SpringLaws { slide: slide(0.3), ..normal };
    assert!((limit(stiff, &two) - 2.0 / 700.0_f64.sqrt()).abs() < 1e-12);
    // Of masses 1 and 1000 and 1000: omega^2 = 1.001; with a second small one 2.
    let one_small = [ball(0.5), ball(5.0), ball(5.0)];
    assert!((limit(normal, &one_small) - 2.0 / 1.001_f64.sqrt()).abs() < 1e-12);
    let two_small = [ball(5.0), ball(0.5), ball(5.0), ball(0.5)];
    assert!((limit(normal, &two_small) - 2.0_f64.sqrt()).abs() < 1e-12);
    // Moments of 0.1, 0.1 and 0.01: it turns with 0.1 where the axis of the least is the normal.
    let long = Body { inertia_body: Some(DVec3::new(0.1, 0.1, 0.01)), ..ball(0.5) };
    assert!((limit(stiff, &[long.clone(), long]) - 2.0 / 700.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn a_ball_on_a_floor_shakes_itself_off_above_the_limit_and_not_below() {
    for damping in [0.0, 0.7] {
        // m = 1, k = 1, g = 0.1: it rests at an overlap of 0.1, and starts 1 % beside that.
        let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, damping)));
        let grown = |share: f64| {
            let density = 6.0 / std::f64::consts::PI;
            let mut model = Model::new(vec![Material { name: "grain".into(), density }], 1.0);
            model.laws.set(0, 0, laws);
            model.gravity = (DVec3::Z * -0.1).into();
            let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
            let bodies = vec![Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::Z * 0.401), floor];
            model.dt = share * advise(&model, &bodies).unwrap().limit.unwrap().step;
            let mut world = World::new(Setup { model, bodies }).unwrap();
            (0..400).fold(0.0_f64, |most, _| {
                if world.step().is_err() {
                    return f64::INFINITY;
                }
                most.max((world.body(0).position.z - 0.4).abs() / 1e-3)
            })
        };
        // Undamped just below: |z| = 1, and the amplitude is 1/sqrt(1 - 0.99^2) = 7 times the start. Damped just above:
        // z = -1.06 by the recurrence, so 400 steps are more than enough to leave the floor, at 100.
        assert!(grown(0.99) < 8.0 && grown(1.01) > 100.0, "{} {}", grown(0.99), grown(1.01));
    }
}

#[test]
fn the_limit_of_hertz_is_ten_times_the_critical_step_of_a_pair() {
    // The slope goes with the root of the overlap, the step with the root of that: (1e-2/1e-6)^(1/4).
    let laws = SpringLaws::frictionless(Normal::Hertz(Hertz::with_restitution(1e6, 1.0, false)));
    let advice = pair(laws, 2).unwrap();
    assert!((advice.limit.unwrap().step / advice.critical - 10.0).abs() < 1e-12);
}

#[test]
fn the_corners_of_a_box_share_the_mass_of_their_dashpots() {
    // On its face four corners have the damping ratio that is asked for, not twice that. With the unit density and edges of 1, 2
    // and 3: m = 6, the least moment is m (1 + 4)/12 = 2.5, the corners are 3.5^(1/2) away.
    let hooke = Hooke { damping_ratio: 0.5, ..Hooke::new(7.0, 0.0) };
    let mut model = Model::new(vec![Material { name: "brick".into(), density: 1.0 }], 1.0);
    model.laws.set(0, 0, SpringLaws::frictionless(Normal::Hooke(hooke)));
    let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
    let brick = Body::new(Shape::Box { size: DVec3::new(1.0, 2.0, 3.0) }, 0, DVec3::Z * 5.0);
    let omega = (4.0 * 7.0 * (1.0 / 6.0 + 3.5 / 2.5_f64)).sqrt();
    let expected = 2.0 / omega * (1.25_f64.sqrt() - 0.5);
    let found = advise(&model, &[brick, floor]).unwrap().critical;
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn a_dashpot_alone_limits_the_step() {
    let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(0.0, 3.0)));
    // rate = gamma m_eff (1/m + 1/m) = gamma.
    assert!((pair(laws, 2).unwrap().critical - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn tracked_on_a_plane_has_the_step_of_its_dashpot() {
    // m = 1, K_E = 100: with s = dt sqrt(K_E/m), 14 s + 3.5 s^2 = 4, as two times the critical dashpot acts on m/3.5.
    let soft = Normal::Hooke(Hooke::new(1e-9, 0.0));
    let law = Tracked::new(100.0, Limit::mu(0.3)).with_roll(0.01).with_spin(0.01, SpinCurvature::Bodies);
    let density = 6.0 / std::f64::consts::PI;
    let mut model = Model::new(vec![Material { name: "grain".into(), density }], 1.0);
    model.laws.set(0, 0, SpringLaws::with_friction(soft, Friction::Tracked(law)));
    let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
    let bodies = [Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::Z), floor];
    let advice = advise(&model, &bodies).unwrap();
    let s = (252.0_f64.sqrt() - 14.0) / 7.0;
    assert!((advice.critical - 0.1 * s).abs() < 1e-12 && advice.governed_by.starts_with("slide"), "{advice:?}");
    // Between two: the reciprocal spring is half as stiff, and q = 20: omega = sqrt(20 * 0.5 * 4 eta K_E R_eff^2).
    let stiff = Tracked::new(1e-6, Limit::mu(0.3)).with_roll(1e8).with_damping(0.0);
    let advice = pair(SpringLaws::with_friction(soft, Friction::Tracked(stiff)), 2).unwrap();
    let omega = (20.0 * 0.5 * 4.0 * 100.0 * 0.0625_f64).sqrt();
    assert!((advice.critical - 2.0 / omega).abs() < 1e-12 && advice.governed_by.starts_with("roll"), "{advice:?}");
}

#[test]
fn viscous_rolling_and_the_area_laws_of_spin_limit_the_step() {
    // Two spheres: R = 0.5, R_eff = 0.25, 1/I = 10 each, so q = 20. A soft normal spring never governs.
    let soft = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e-9, 0.0)));
    let critical = |laws: SpringLaws| pair(laws, 2).unwrap().critical;
    let viscous = Roll::Viscous(RollViscous { damping: 0.3, limit: None });
    assert!((critical(SpringLaws { roll: Some(viscous), ..soft }) - 2.0 / (0.3 * 20.0)).abs() < 1e-12);
    // At 1 % of R_eff the area has the radius 0.025. Marshall: k = 1e6 * 0.025^2/2; two spheres, no dashpot: 2/omega.
    let limit = Limit::mu(0.5);
    let marshall = SpinMarshall { slide: SlideSlider::new(1e6, 0.0, limit) };
    let k: f64 = 1e6 * 0.025 * 0.025 / 2.0;
    let found = critical(SpringLaws { spin: Some(Spin::Marshall(marshall)), ..soft });
    assert!((found * (20.0 * k).sqrt() / 2.0 - 1.0).abs() < 1e-12);
    // Lubkin, critically damped: (2/omega)(sqrt(2) - 1).
    let lubkin = SpinLubkin { shear_modulus: 1e6, damping: 1.0, damped_by_ratio: true, limit };
    let k: f64 = 16.0 / 3.0 * 1e6 * 0.025 * 0.025 * 0.025;
    let found = critical(SpringLaws { spin: Some(Spin::Lubkin(lubkin)), ..soft });
    assert!((found * (20.0 * k).sqrt() / 2.0 - (2.0_f64.sqrt() - 1.0)).abs() < 1e-12);
}
