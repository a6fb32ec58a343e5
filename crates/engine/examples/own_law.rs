//! A law of your own in fifty lines: written, run in a world, checked against its closed form, and set beside a law of the
//! engine. `cargo run --release -p stickslip --example own_law`; docs/write-your-own-law.md explains it step by step.
//!
//! The law is Coulomb's rolling friction without its jump at rest: the torque grows with the rolling rate and tends to its
//! limit,
//!
//!   M = -mu R_eff N w/(|w| + w0).
//!
//! It has no spring, so nothing holds a body at rest: far below w0 the ball slows down ever more slowly.

use glam::DVec3;
use stickslip::contact::{Contact, Resistance};
use stickslip::law::memory::ModeOnly;
use stickslip::law::{
    FrictionLaw, Hooke, Limit, Motions, Normal, Roll, RollSlider, Slide, SlideSlider, Spring, SpringLaws, Springs,
    TypicalContact,
};
use stickslip::ledger::Loss;
use stickslip::{Body, Material, Model, Motion, Setup, Shape, World, math};

/// The parameters, with their units.
#[derive(Clone, Copy, Debug)]
struct Saturating {
    /// Largest torque over R_eff N.
    mu: f64,
    /// Rate w0 (rad/s) at which half of it acts.
    rate: f64,
    /// Largest normal load (N) that is expected: only for the stable step.
    load: f64,
}

impl FrictionLaw for Saturating {
    // Memory that a law of another name has written means nothing to this one.
    const NAME: &'static str = "saturating";
    // One motion; `Slide::own` and `Spin::own` refuse this law when they are compiled.
    const RESISTS: Motions = Motions::ROLL;
    // Nothing but whether the contact slips, which the records show. With springs: `VectorSpring`, `ScalarSpring`, or a
    // type of your own. The engine stores it and turns its vectors with the pair.
    type Memory = ModeOnly;

    // Inlined, so that it becomes part of the engine's loop over 32 contacts; no branches, so that the loop is vectorised.
    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ModeOnly, _: &mut [f64]) -> Resistance {
        let rate = contact.roll_rate();
        let size = rate.length();
        let limit = self.mu * contact.radius_eff * contact.normal_load;
        let torque = rate * (-limit / (size + self.rate));
        memory.slipping = size > self.rate;
        // What acts on a, and on b. The engine keeps the books: energy lost to rolling appears in the ledger.
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }

    // No spring, nothing stored.
    fn stored(&self, _: &Contact, _: &ModeOnly, _: &[f64]) -> [f64; 3] {
        [0.0; 3]
    }

    // Near rest it is a dashpot of mu R_eff N/w0 (N m s). Leave this out, and the stable step knows nothing of the law.
    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        let dashpot = self.mu * at.radius_eff() * self.load / self.rate;
        Some(Springs::roll(Spring::of_torque(0.0, dashpot)))
    }

    // At rest it holds nothing: a packing does not count rolling as resisted.
    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::ROLL).then_some(Limit::mu(0.0))
    }
}

const RADIUS: f64 = 0.01;
const GRAVITY: f64 = 9.81;
const STIFFNESS: f64 = 1e5;
const START_RATE: f64 = 50.0;

/// A ball that rolls on a plane at `START_RATE`, under this rolling law. The step is a tenth of the critical one.
fn rolling_ball(roll: Roll) -> World {
    let laws = SpringLaws {
        normal: Normal::Hooke(Hooke::new(STIFFNESS, 100.0)),
        slide: Some(Slide::SpringSlider(SlideSlider::new(STIFFNESS, 1000.0, Limit::mu(0.5)))),
        roll: Some(roll),
        spin: None,
        friction: None,
    };
    let mut model = Model::new(vec![Material { name: "steel".into(), density: 7800.0 }], 0.0);
    model.gravity = DVec3::new(0.0, 0.0, -GRAVITY).into();
    model.laws.set(0, 0, laws);
    let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
    let (ball, sunk) = at_rest();
    let ball = Body {
        velocity: DVec3::X * START_RATE * (RADIUS - 0.5 * sunk),
        angular_velocity: DVec3::Y * START_RATE,
        ..ball
    };
    let bodies = vec![ball, floor];
    model.dt = stickslip::explicit::stable_step::advise(&model, &bodies).expect("they can touch").step;
    World::new(Setup { model, bodies }).expect("a sound setup")
}

/// The ball on the plane, and how far it sinks in under its weight.
fn at_rest() -> (Body, f64) {
    let sunk = weight() / STIFFNESS;
    (Body::new(Shape::Sphere { radius: RADIUS }, 0, DVec3::Z * (RADIUS - sunk)), sunk)
}

fn mass() -> f64 {
    7800.0 * 4.0 / 3.0 * std::f64::consts::PI * RADIUS * RADIUS * RADIUS
}

fn weight() -> f64 {
    mass() * GRAVITY
}

/// When the ball has slowed down to this rate. About the contact point, at the lever l = R - sunk/2, the moment of inertia
/// is J = (2/5) m R^2 + m l^2, and J dw/dt = -mu R m g w/(w + w0), so
/// t = J/(mu R m g) (W - w + w0 ln(W/w)) from the rate W at the start.
fn closed_form(law: &Saturating, rate: f64) -> f64 {
    let lever = RADIUS - 0.5 * at_rest().1;
    let inertia = 0.4 * mass() * RADIUS * RADIUS + mass() * lever * lever;
    let way = START_RATE - rate + law.rate * math::ln(START_RATE / rate);
    inertia / (law.mu * RADIUS * weight()) * way
}

fn main() {
    let law = Saturating { mu: 0.02, rate: 5.0, load: weight() };
    let mut own = rolling_ball(Roll::own(law));
    let mut built_in = rolling_ball(Roll::SpringSlider(RollSlider::new(1e3, 0.1, Limit::mu(law.mu))));
    // The rate follows the torque but for the slide's spring, which swings at Omega = sqrt(3.5 k/m) when the ball starts
    // and is damped: 1/Omega in time. The rest is the step: rates of mid-step at its end, and finding the moment.
    let swing = (mass() / (3.5 * STIFFNESS)).sqrt();
    let tolerance = 2.0 * (swing + own.model().dt);
    println!("step {:.2e} s; tolerance {tolerance:.1e} s", own.model().dt);
    println!("rate (rad/s)  closed form (s)  in the world (s)  spring-slider then (rad/s)");
    for rate in [40.0, 20.0, 5.0, 1.0, 0.2] {
        while own.body(0).angular_velocity.y > rate {
            own.step().expect("the run stays sound");
        }
        while built_in.time() < own.time() {
            built_in.step().expect("the run stays sound");
        }
        let expected = closed_form(&law, rate);
        let compared = built_in.body(0).angular_velocity.y;
        println!("{rate:12}  {expected:15.5}  {:16.5}  {compared:26.3e}", own.time());
        assert!((own.time() - expected).abs() < tolerance, "the law in the world misses its closed form");
    }
    // The ledger: what the ball had is lost to rolling.
    let ledger = own.ledger();
    println!(
        "lost to rolling {:.5e} J, to sliding {:.1e} J, error {:.1e} J",
        ledger.lost[Loss::Roll],
        ledger.lost[Loss::Slide],
        ledger.error
    );
    assert!(
        ledger.lost[Loss::Roll]
            > 0.99 * (ledger.lost[Loss::Roll] + ledger.lost[Loss::Slide] + ledger.lost[Loss::Normal])
    );
}
