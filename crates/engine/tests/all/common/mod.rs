//! What the physics tests share: models, bodies, a list of every law, contacts built by hand, orders of convergence.

pub mod digest;
pub mod elastic;
pub mod own;

use glam::{DQuat, DVec3};
use own::{Regularised, TwoSliders};
use stickslip::contact::{Contact, Curvature, Turn};
use stickslip::frame;
use stickslip::law::*;
use stickslip::random::Stream;
use stickslip::world::{Setup, World};
use stickslip::{Body, Material, Model, Motion, Shape};

/// Density at which a sphere of diameter 1 has mass 1.
pub const UNIT_DENSITY: f64 = 6.0 / std::f64::consts::PI;

/// One material of unit density under one set of laws.
pub fn model(laws: SpringLaws, dt: f64) -> Model {
    let mut model = Model::new(vec![Material { name: "grain".into(), density: UNIT_DENSITY }], dt);
    model.laws.set(0, 0, laws);
    model
}

/// A free sphere at rest.
pub fn sphere(radius: f64, position: DVec3) -> Body {
    Body::new(Shape::Sphere { radius }, 0, position)
}

/// A fixed plane.
pub fn plane(normal: DVec3, position: DVec3) -> Body {
    Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal }, 0, position) }
}

/// A world of these.
pub fn world(model: Model, bodies: Vec<Body>) -> World {
    World::new(Setup { model, bodies }).expect("the test's setup makes a world")
}

/// Steps until `steps` are done.
pub fn run(world: &mut World, steps: u64) {
    while world.steps() < steps {
        world.step().expect("the test's run stays sound");
    }
}

/// The parameters of Santos et al. (2020) for d = 1, m = 1, with these options and limits.
pub fn santos(options: SliderOptions, mu_roll: f64, length_spin: f64) -> SpringLaws {
    SpringLaws {
        normal: Normal::Hooke(Hooke::new(1.0, 0.5)),
        slide: Some(Slide::SpringSlider(SlideSlider { options, ..SlideSlider::new(1.0, 0.5, Limit::mu(0.3)) })),
        roll: Some(Roll::SpringSlider(RollSlider { options, ..RollSlider::new(1.0, 0.5, Limit::mu(mu_roll)) })),
        spin: Some(Spin::SpringSlider(SpinSlider { options, ..SpinSlider::new(1.0, 0.5, Limit::length(length_spin)) })),
        friction: None,
    }
}

/// The options that reproduce LAMMPS.
pub fn lammps_options() -> SliderOptions {
    SliderOptions { arm: Arm::Lammps, transport: Transport::Lammps, slip: Slip::Lammps, ..SliderOptions::default() }
}

/// A limit with a static and a kinetic coefficient.
pub fn static_kinetic(static_: f64, kinetic: f64) -> Limit {
    Limit { static_, ..Limit::mu(kinetic) }
}

/// Every law in its default form, at least once, under an undamped normal law of stiffness of order `k` (N/m). Springs
/// are of the same order, and dashpots near critical for a unit mass.
pub fn every_law(k: f64) -> Vec<(&'static str, SpringLaws)> {
    let hooke = Normal::Hooke(Hooke::new(k, 0.0));
    let hertz = Normal::Hertz(Hertz { stiffness: 3.0 * k, damping: 0.0, damping_ratio: 0.0, cohesionless: false });
    let gamma = k.sqrt();
    let slide = |limit| Some(Slide::SpringSlider(SlideSlider::new(0.8 * k, gamma, limit)));
    let roll = |limit| Some(Roll::SpringSlider(RollSlider::new(0.6 * k, 0.5 * gamma, limit)));
    let spin = |limit| Some(Spin::SpringSlider(SpinSlider::new(0.1 * k, 0.05 * gamma, limit)));
    let epsd = RollEpsd { stiffness: 0.05 * k, slide_stiffness: 0.0, damping_ratio: 0.3, limit: Limit::mu(0.2) };
    let from_slide = RollEpsd { stiffness: 0.0, slide_stiffness: 0.8 * k, damping_ratio: 0.0, limit: epsd.limit };
    let constant =
        |include_spin| Some(Roll::ConstantTorque(RollConstantTorque { limit: Limit::length(0.05), include_spin }));
    let constant_spin = Some(Spin::ConstantTorque(SpinConstantTorque { limit: Limit::length(0.02) }));
    let (mu, length) = (Limit::mu(0.3), Limit::length(0.1));
    let by_ratio = SliderOptions { damped_by_ratio: true, ..SliderOptions::default() };
    let ratio_slide = SlideSlider { options: by_ratio, ..SlideSlider::new(0.8 * k, 0.5, mu) };
    let ratio_roll = RollSlider { options: by_ratio, ..RollSlider::new(0.6 * k, 0.5, length) };
    let ratio_spin = SpinSlider { options: by_ratio, ..SpinSlider::new(0.1 * k, 0.5, mu) };
    let viscous = |limit| Some(Roll::Viscous(RollViscous { damping: 0.02 * gamma, limit }));
    let marshall = |slide| Some(Spin::Marshall(SpinMarshall { slide }));
    let lubkin = SpinLubkin { shear_modulus: k, damping: 0.01 * gamma, damped_by_ratio: false, limit: mu };
    let ratio_lubkin = SpinLubkin { damping: 0.5, damped_by_ratio: true, limit: static_kinetic(0.4, 0.2), ..lubkin };
    let area_slide = SlideSlider::new(0.8 * k, gamma, static_kinetic(0.4, 0.2));
    let two_sliders = Roll::own(TwoSliders { stiffness: [0.05 * k, 0.1 * k], mu: [0.1, 0.2] });
    let regularised = Roll::own(Regularised { mu: 0.2, rate: 0.1 });
    let own_slide = Some(Slide::own(area_slide));
    let own_spin = Some(Spin::own(lubkin));
    let laws = |normal, slide, roll, spin| SpringLaws { normal, slide, roll, spin, friction: None };
    vec![
        ("spring-slider", laws(hooke, slide(mu), roll(mu), spin(length))),
        ("spring-slider, limits the other way", laws(hertz, slide(mu), roll(length), spin(mu))),
        (
            "spring-slider, static and kinetic",
            laws(
                hertz,
                slide(static_kinetic(0.4, 0.2)),
                roll(static_kinetic(0.3, 0.1)),
                spin(static_kinetic(0.3, 0.15)),
            ),
        ),
        (
            "spring-slider, damping ratios",
            laws(
                hooke,
                Some(Slide::SpringSlider(ratio_slide)),
                Some(Roll::SpringSlider(ratio_roll)),
                Some(Spin::SpringSlider(ratio_spin)),
            ),
        ),
        ("epsd", laws(hooke, slide(mu), Some(Roll::Epsd(epsd)), constant_spin)),
        ("epsd from the slide law, undamped", laws(hertz, slide(mu), Some(Roll::Epsd(from_slide)), spin(mu))),
        ("constant-torque", laws(hooke, slide(mu), constant(false), constant_spin)),
        ("constant-torque with spin", laws(hertz, slide(mu), constant(true), None)),
        // Scenes of `bits.rs` count from the front: new ones stand at the end.
        ("viscous, marshall", laws(hertz, Some(Slide::SpringSlider(area_slide)), viscous(None), marshall(area_slide))),
        (
            "viscous with limits, marshall by ratio",
            laws(
                hertz,
                Some(Slide::SpringSlider(ratio_slide)),
                viscous(Some(static_kinetic(0.2, 0.1))),
                marshall(ratio_slide),
            ),
        ),
        ("lubkin", laws(hertz, slide(mu), roll(mu), Some(Spin::Lubkin(lubkin)))),
        (
            "lubkin, damping ratio",
            laws(hertz, slide(static_kinetic(0.4, 0.2)), Some(Roll::Epsd(epsd)), Some(Spin::Lubkin(ratio_lubkin))),
        ),
        ("from outside, two sliders", laws(hooke, slide(mu), Some(two_sliders), spin(mu))),
        ("from outside, regularised", laws(hertz, own_slide, Some(regularised), own_spin)),
        ("tracked", SpringLaws::with_friction(hooke, Friction::Tracked(tracked(k)))),
        (
            "tracked, capped",
            SpringLaws::with_friction(
                hertz,
                Friction::Tracked(Tracked { birth: Birth::Capped, ..tracked(k).with_hertz_spin() }),
            ),
        ),
    ]
}

/// The same laws with a normal law that takes half the speed of a collision.
pub fn damped(laws: SpringLaws) -> SpringLaws {
    let normal = match laws.normal {
        Normal::Hooke(law) => Normal::Hooke(Hooke::with_restitution(law.stiffness, 0.5, false)),
        Normal::Hertz(law) => Normal::Hertz(Hertz::with_restitution(law.stiffness, 0.5, true)),
        own => own,
    };
    SpringLaws { normal, ..laws }
}

/// The default `tracked`, with a stiffness of order `k` (N/m).
pub fn tracked(k: f64) -> Tracked {
    Tracked::new(0.8 * k, static_kinetic(0.4, 0.3)).with_roll(0.3).with_spin(0.2, SpinCurvature::Bodies)
}

/// Forms of `tracked` that the tests over every law leave out, because they are not passive or need points of contact.
pub fn other_tracked(k: f64) -> Vec<(&'static str, SpringLaws)> {
    let hooke = Normal::Hooke(Hooke::new(k, 0.0));
    let law = tracked(k);
    let paper = Tracked { form: Form::Paper, ..law };
    let given = |law: Tracked| law.with_spin(0.1, SpinCurvature::Given(3.0));
    [
        ("tracked, paper", paper),
        ("tracked, paper, born in slip", Tracked { birth: Birth::Slip, ..given(paper) }),
        ("tracked, born in slip", Tracked { birth: Birth::Slip, ..law }),
        ("tracked, points", Tracked { kinematics: Kinematics::Points, ..law }),
        ("tracked, points, paper", Tracked { kinematics: Kinematics::Points, birth: Birth::Capped, ..given(paper) }),
    ]
    .map(|(name, law)| (name, SpringLaws::with_friction(hooke, Friction::Tracked(law))))
    .to_vec()
}

/// The options that are not the default, one at a time.
pub fn every_option(k: f64) -> Vec<(&'static str, SpringLaws)> {
    let plain = SliderOptions::default();
    let options = [
        ("arm = lammps", SliderOptions { arm: Arm::Lammps, ..plain }),
        ("transport = lammps", SliderOptions { transport: Transport::Lammps, ..plain }),
        ("slip = lammps", SliderOptions { slip: Slip::Lammps, ..plain }),
        ("cap = elastic", SliderOptions { cap: Cap::Elastic, ..plain }),
        ("all of lammps", lammps_options()),
    ];
    let with = |(name, options)| {
        let mut laws = every_law(k)[0].1;
        if let Some(Slide::SpringSlider(law)) = &mut laws.slide {
            law.options = options;
        }
        if let Some(Roll::SpringSlider(law)) = &mut laws.roll {
            law.options = options;
        }
        if let Some(Spin::SpringSlider(law)) = &mut laws.spin {
            law.options = options;
        }
        (name, laws)
    };
    options.map(with).to_vec()
}

/// A contact of two spheres of radii 0.5 and 0.35 and unit density that overlap by 0.05, without motion.
pub fn resting_contact(dt: f64) -> Contact {
    let (radius_a, radius_b, overlap) = (0.5, 0.35, 0.05);
    let mass = |r: f64| UNIT_DENSITY * 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
    let inverse_inertia = |r: f64| 1.0 / (0.4 * mass(r) * r * r);
    Contact {
        normal: DVec3::Z,
        normal_before: DVec3::Z,
        normal_mid: DVec3::Z,
        turn: Turn::new(DVec3::Z, DVec3::Z, DVec3::ZERO, dt).1,
        separation_rate: 0.0,
        overlap,
        velocity: DVec3::ZERO,
        angular_velocity_a: DVec3::ZERO,
        angular_velocity_b: DVec3::ZERO,
        lever_a: radius_a - 0.5 * overlap,
        lever_b: radius_b - 0.5 * overlap,
        reach_a: radius_a,
        reach_b: radius_b,
        radius_eff: radius_a * radius_b / (radius_a + radius_b),
        mass_eff: 1.0 / (1.0 / mass(radius_a) + 1.0 / mass(radius_b)),
        inverse_mass_a: 1.0 / mass(radius_a),
        inverse_mass_b: 1.0 / mass(radius_b),
        inverse_inertia_a: inverse_inertia(radius_a),
        inverse_inertia_b: inverse_inertia(radius_b),
        normal_mass: 1.0 / (1.0 / mass(radius_a) + 1.0 / mass(radius_b)),
        normal_force: 0.0,
        normal_load: 0.0,
        patch: 0.0,
        dt,
        point_a: DVec3::Z * -(radius_a - 0.5 * overlap),
        point_b: DVec3::Z * (radius_b - 0.5 * overlap),
        orientation_a: DQuat::IDENTITY,
        orientation_b: DQuat::IDENTITY,
        curvature_a: Curvature::round(1.0 / radius_a),
        curvature_b: Curvature::round(1.0 / radius_b),
    }
}

/// The contact with its `turn` worked out from its three normals and its rates, whatever mid-step normal it has.
pub fn with_turn(contact: Contact) -> Contact {
    let Contact { normal_before, normal_mid, normal, dt, .. } = contact;
    let carrier = |from: DVec3| (from + normal) / (1.0 + from.dot(normal));
    let spin_sum = contact.angular_velocity_a + contact.angular_velocity_b;
    let (half_cosine, half_sine) = Turn::of_half_spin(normal_mid, spin_sum, dt);
    let (cosine, sine) = Turn::double_angle(half_cosine, half_sine);
    let (from_before, from_mid) = (carrier(normal_before), carrier(normal_mid));
    let turn = Turn { from_before, from_mid, cosine, sine, half_cosine, half_sine };
    Contact { turn, separation_rate: contact.velocity.dot(normal_mid), ..contact }
}

/// A unit vector in any direction.
pub fn random_direction(stream: &mut Stream) -> DVec3 {
    loop {
        let v = random_vector(stream, 1.0);
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// A vector in a cube of half width `size`.
pub fn random_vector(stream: &mut Stream, size: f64) -> DVec3 {
    DVec3::new(stream.between(-size, size), stream.between(-size, size), stream.between(-size, size))
}

/// `v` turned by the rotation vector `turn`.
pub fn turned(turn: DVec3, v: DVec3) -> DVec3 {
    frame::rotation(turn) * v
}

/// The order p of errors e ~ h^p, when each h is the one before divided by `ratio`: one number a refinement.
pub fn orders(errors: &[f64], ratio: f64) -> Vec<f64> {
    use stickslip::math::ln;
    errors.windows(2).map(|pair| ln(pair[0] / pair[1]) / ln(ratio)).collect()
}

/// Root of the mean square.
pub fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt()
}

/// Steps until `done` says so; fails after `most` steps.
pub fn run_until(world: &mut World, most: u64, mut done: impl FnMut(&World) -> bool) {
    while !done(world) {
        assert!(world.steps() < most, "not there after {most} steps");
        world.step().expect("the test's run stays sound");
    }
}
