//! Streams of solids: where they enter, how much of them, and that a world that was saved goes on to the bit.

use crate::common::*;
use glam::{DQuat, DVec3};
use stickslip::inflow::{Entrance, Inflow, Outflow, Rate, SiteLattice};
use stickslip::law::*;
use stickslip::mould::{Mould, Turn};
use stickslip::sizes::{By, SizeCurve, Sizes};
use stickslip::world::{Setup, World};
use stickslip::{Body, Model, Shape};

fn soft() -> Model {
    let normal = Normal::Hooke(Hooke::new(1e4, 50.0));
    let slide = Some(Slide::SpringSlider(SlideSlider::new(5e3, 1.0, Limit::mu(0.4))));
    Model {
        gravity: (DVec3::Z * -9.81).into(),
        ..model(SpringLaws { slide, ..SpringLaws::frictionless(normal) }, 1e-4)
    }
}

fn eggs(scale: Sizes, turn: Turn) -> Mould {
    let lengths = vec![Sizes::Between(0.2, 0.3), Sizes::One(0.15), Sizes::Between(0.1, 0.12)];
    Mould::new(Shape::Ellipsoid { axes: DVec3::ONE }, lengths, scale, turn)
}

/// A stream of flat bodies found places only where the spheres around them were free: one in nine of these sites.
#[test]
fn flat_bodies_enter_side_by_side() {
    let discs = Shape::Ellipsoid { axes: DVec3::new(1.0, 1.0, 0.1) };
    let lengths = [1.0, 1.0, 0.1].map(Sizes::One).to_vec();
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let mould = Mould::new(discs, lengths, Sizes::One(1.0), Turn::Fixed(turn));
    // On edge, above a floor that they would touch at a height of 1, in a row with gaps of 0.01.
    let sites = SiteLattice { from: DVec3::Z * 1.001, spacing: 0.21, counts: [20, 1, 1], jitter: 0.0 };
    let inflow = Inflow::new(mould, Rate::Number(1e9.into()), 20, Entrance::Sites(sites));
    let mut model = Model { gravity: DVec3::ZERO.into(), ..soft() };
    model.inflows = vec![inflow];
    let mut low = model.clone();
    let mut world = world(model, vec![plane(DVec3::Z, DVec3::ZERO)]);
    world.advance(2).unwrap();
    assert_eq!((world.streams().next().unwrap().entered, world.contact_count()), (20, 0));
    let mut xs: Vec<f64> = world.ids().filter(|id| *id > 0).map(|id| world.body(id).position.x).collect();
    assert!(xs.windows(2).any(|pair| pair[0] > pair[1]), "in random order");
    xs.sort_by(f64::total_cmp);
    assert!(xs.iter().enumerate().all(|(k, x)| (x - 0.21 * k as f64).abs() < 1e-15), "{xs:?}");
    // Two millimetres lower all of them would stand in the floor.
    low.inflows[0].entrance = Entrance::Sites(SiteLattice { from: DVec3::Z * 0.999, ..sites });
    let mut world = World::new(Setup { model: low, bodies: vec![plane(DVec3::Z, DVec3::ZERO)] }).unwrap();
    world.advance(2).unwrap();
    assert_eq!(world.streams().next().unwrap().entered, 0);
}

/// Eggs of a size curve by mass, and balls that fall among them and out of the domain.
fn rain() -> Setup {
    let curve = SizeCurve::new(vec![0.6, 0.8, 1.0], vec![0.0, 0.4, 1.0], By::Mass).unwrap();
    let sites = SiteLattice { from: DVec3::new(-1.0, -1.0, 2.0), spacing: 0.65, counts: [4, 4, 1], jitter: 0.02 };
    let mut eggs =
        Inflow::new(eggs(Sizes::Curve(curve), Turn::Random), Rate::Mass(3.0.into()), 400, Entrance::Sites(sites));
    eggs.body.velocity = DVec3::new(0.5, 0.0, -3.0);
    eggs.body.angular_velocity = DVec3::new(1.0, 2.0, 3.0);
    (eggs.body.force, eggs.body.torque) = ((DVec3::X * 0.01).into(), (DVec3::Z * 1e-4).into());
    let entrance = Entrance::Box { from: DVec3::new(-1.0, -1.0, 3.0), to: DVec3::new(1.0, 1.0, 3.5) };
    let mut balls = Inflow::new(Mould::of_spheres(Sizes::Between(0.1, 0.15)), Rate::Number(20.0.into()), 100, entrance);
    balls.body.velocity = DVec3::Z * -2.0;
    let mut model = soft();
    model.inflows = vec![eggs, balls];
    model.outflow = Some(Outflow { from: DVec3::new(-9.0, -9.0, -1.0), to: DVec3::new(1.3, 9.0, 9.0) });
    Setup { model, bodies: vec![plane(DVec3::Z, DVec3::ZERO)] }
}

#[test]
fn mass_comes_at_its_rate_and_a_saved_world_goes_on_to_the_bit() {
    let setup = rain();
    let mut whole = World::new(setup.clone()).unwrap();
    whole.advance(12_000).unwrap();
    let queue = whole.state().traffic.queues[0];
    // Body n comes with the mass before it, so after 1.2 s less than one body of at most 1 kg/m^3 4/3 pi 0.3 0.15 0.12 is beyond.
    let density = setup.model.materials[0].density;
    let largest = density * 4.0 / 3.0 * std::f64::consts::PI * 0.3 * 0.15 * 0.12;
    assert!(queue.entered > 50 && (0.0..=largest).contains(&(queue.mass - 3.6)), "{queue:?}");
    let report = whole.streams().next().unwrap();
    assert_eq!((report.due, report.entered), (queue.entered, queue.entered));
    let (left, contacts, ledger) = (whole.state().traffic.left, whole.contact_count(), whole.ledger());
    assert!(left > 0 && contacts > 0, "{left} {contacts} {ledger:?}");
    // Second order in dt: of the 100 J that came in all, the share (omega dt)^2 = k dt^2/m = 3e-3 with m = 0.03 kg, three times that for
    // the lightest eggs. One that enters in another brings some 0.1 J of nothing each time.
    assert!(ledger.error.abs() < 0.01 * ledger.carried.brought(), "{ledger:?}");
    let mut half = World::new(setup.clone()).unwrap();
    half.advance(6000).unwrap();
    let saved = half.save();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut restored = World::restore(setup.clone(), &saved).unwrap();
            restored.advance(6000).unwrap();
            let (a, b) = (whole.save(), restored.save());
            assert_eq!((&a.bodies, &a.contacts, &a.sums), (&b.bodies, &b.contacts, &b.sums));
            assert_eq!(a.traffic, b.traffic);
        });
    }
}

/// With two rotations locked a body turns about the axis that it had when it entered: its moment there was lost on the way back.
#[test]
fn what_is_locked_and_turned_goes_on_to_the_bit() {
    let turn = Turn::Fixed(DQuat::from_rotation_y(0.4) * DQuat::from_rotation_x(0.3));
    let entrance = Entrance::Box { from: DVec3::new(-1.0, 0.0, 1.0), to: DVec3::new(1.0, 0.0, 1.0) };
    let mut inflow = Inflow::new(eggs(Sizes::One(1.0), turn), Rate::Number(40.0.into()), 50, entrance);
    inflow.body.lock = [false, true, false, true, false, true];
    inflow.body.velocity = DVec3::Z * -2.0;
    let mut model = soft();
    model.inflows = vec![inflow];
    let setup = Setup { model, bodies: vec![plane(DVec3::Z, DVec3::ZERO)] };
    let mut whole = World::new(setup.clone()).unwrap();
    whole.advance(3000).unwrap();
    let mut restored = World::restore(setup, &whole.save()).unwrap();
    whole.advance(4000).unwrap();
    restored.advance(4000).unwrap();
    assert!(whole.contact_count() > 0 && whole.ids().any(|id| whole.body(id).angular_velocity.y != 0.0));
    assert_eq!(whole.save(), restored.save());
}

#[test]
fn solids_that_cannot_meet_are_refused_before_the_run() {
    use stickslip::error::BuildError;
    let brick = || {
        let lengths = [0.1, 0.1, 0.2].map(Sizes::One).to_vec();
        let mould = Mould::new(Shape::Box { size: DVec3::ONE }, lengths, Sizes::One(1.0), Turn::Random);
        let entrance = Entrance::Box { from: DVec3::Z, to: DVec3::Z };
        Inflow::new(mould, Rate::Number(1.0.into()), 2, entrance)
    };
    let build = |inflows: Vec<Inflow>, bodies: Vec<Body>| {
        let mut model = soft();
        model.inflows = inflows;
        World::new(Setup { model, bodies }).map(|_| ())
    };
    assert_eq!(build(vec![Inflow { count: 1, ..brick() }], vec![plane(DVec3::Z, DVec3::ZERO)]), Ok(()));
    let error = build(vec![brick()], vec![plane(DVec3::Z, DVec3::ZERO)]).unwrap_err();
    assert_eq!(error, BuildError::NotBuilt { a: 1, b: 2, first: "box", second: "box" });
    let tube = Shape::Tube { radius: 1.0, length: 1.0, axis: DVec3::Z, sides: stickslip::Sides::Both };
    let wall = Body { motion: stickslip::Motion::Fixed, ..Body::new(tube, 0, DVec3::ZERO) };
    let error = build(vec![Inflow { count: 1, ..brick() }], vec![wall]).unwrap_err();
    assert_eq!(error, BuildError::NotBuilt { a: 0, b: 1, first: "tube", second: "box" });
}
