//! Laws that act where surfaces are apart (`law::Reach`): a contact lives until its law ends it, for every kind of pair, in lists
//! that reach far enough, across seams, after a restart, and as in the slow step.

use crate::common::*;
use glam::{DQuat, DVec3};
use stickslip::contact::Contact;
use stickslip::law::*;
use stickslip::ledger::Loss;
use stickslip::random::Stream;
use stickslip::reference::SlowWorld;
use stickslip::world::{Setup, World};
use stickslip::{Body, Motion, Shape, Sides};

/// A spring F = k d that also pulls, from a gap at which it begins to one at which it breaks. Its energy k/2 (d^2 - begin^2) is 0 where
/// it begins, so parting loses k/2 (end^2 - begin^2).
#[derive(Clone, Copy)]
struct Bridge {
    stiffness: f64,
    reach: Reach,
}

impl NormalLaw for Bridge {
    const NAME: &'static str = "bridge";
    const ACTS_APART: bool = true;

    #[inline(always)]
    fn reach(&self, _: f64) -> Reach {
        self.reach
    }
    #[inline(always)]
    fn press(&self, contact: &Contact) -> Press {
        Press::without_adhesion(contact, self.stiffness * contact.overlap)
    }
    #[inline(always)]
    fn stored(&self, contact: &Contact) -> f64 {
        0.5 * self.stiffness * (contact.overlap * contact.overlap - self.reach.begin * self.reach.begin)
    }
    fn stiffness(&self, _: f64, _: f64) -> f64 {
        self.stiffness
    }
    fn spring(&self, at: &TypicalContact) -> Spring {
        at.normal_spring(self.stiffness, 0.0, 0.0)
    }
}

const K: f64 = 1e4;
const H: f64 = 0.02;

fn bridge(begin: f64, end: f64) -> Normal {
    Normal::own(Bridge { stiffness: K, reach: Reach { begin, end } })
}

fn frictionless(begin: f64, end: f64) -> SpringLaws {
    SpringLaws::frictionless(bridge(begin, end))
}

/// A free body that flies down at `speed` towards another that is fixed, in so many places at once.
struct Flight {
    name: &'static str,
    body: Body,
    on: Body,
    places: f64,
}

fn flights(speed: f64) -> Vec<Flight> {
    let free = |shape: Shape, height: f64| Body {
        mass: Some(1.0),
        velocity: DVec3::Z * -speed,
        ..Body::new(shape, 0, DVec3::Z * (height + 0.1))
    };
    let fixed = |shape: Shape| Body { motion: Motion::Fixed, ..Body::new(shape, 0, DVec3::ZERO) };
    let ball = Shape::Sphere { radius: 0.5 };
    let egg = Shape::Ellipsoid { axes: DVec3::new(0.6, 0.5, 0.3) };
    let block = Shape::Box { size: DVec3::new(1.0, 0.8, 0.6) };
    let floor = Shape::Plane { normal: DVec3::Z };
    let size = [3.0, 3.0];
    let plate = Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size, sides: Sides::Both };
    let flight = |name, body: Shape, on: Shape, height: f64, places: f64| {
        let held = if on.is_wall() { Motion::Fixed } else { Motion::Held };
        Flight { name, body: free(body, height), on: Body { motion: held, mass: None, ..fixed(on) }, places }
    };
    vec![
        flight("sphere on sphere", ball.clone(), ball.clone(), 1.0, 1.0),
        flight("sphere on plane", ball.clone(), floor.clone(), 0.5, 1.0),
        flight("sphere on rectangle", ball.clone(), plate.clone(), 0.5, 1.0),
        flight("ellipsoid on plane", egg.clone(), floor.clone(), 0.3, 1.0),
        flight("ellipsoid on sphere", egg.clone(), ball.clone(), 0.8, 1.0),
        flight("ellipsoid on ellipsoid", egg.clone(), egg.clone(), 0.6, 1.0),
        flight("box on plane", block.clone(), floor.clone(), 0.3, 4.0),
        flight("sphere on box", ball.clone(), block.clone(), 0.8, 1.0),
    ]
}

/// The world after `time`, and the largest number of contacts on the way.
fn fly(laws: SpringLaws, flight: &Flight, dt: f64, time: f64) -> (World, usize) {
    let mut world = world(model(laws, dt), vec![flight.body.clone(), flight.on.clone()]);
    let mut most = 0;
    for _ in 0..(time / dt).round() as u64 {
        world.step().unwrap();
        most = most.max(world.contact_count());
    }
    (world, most)
}

/// A contact begins at touch and ends at the gap h: a body that leaves has lost k h^2/2 in each place.
#[test]
fn parting_costs_the_energy_of_the_spring_where_it_breaks() {
    let (speed, dt) = (4.0, 1e-5);
    for flight in flights(speed) {
        let (world, most) = fly(frictionless(0.0, H), &flight, dt, 0.15);
        let parting = flight.places * 0.5 * K * H * H;
        let rebound: f64 = (speed * speed - 2.0 * parting).sqrt();
        let found = world.body(0).velocity.z;
        // Contacts begin and end at a step: the spring acts up to one step too long, over v dt at k h or less.
        let late = flight.places * K * H * speed * dt;
        let name = flight.name;
        assert!((found - rebound).abs() < late / rebound + 1e-6, "{name}: {found} {rebound}");
        assert_eq!((most, world.contact_count()), (flight.places as usize, 0), "{name}");
        let ledger = world.ledger();
        assert!((ledger.lost[Loss::Normal] - parting).abs() < late, "{name}: {:?}", ledger.lost);
        // Second order in dt: (omega dt)^2/4 of the kinetic energy, with omega^2 = 4 k/m.
        assert!(ledger.error.abs() < 4.0 * K * dt * dt * speed * speed, "{name}: {}", ledger.error);
    }
}

/// Too slow to break the spring, a body stays and swings about touch; half of the time its contact pulls, and is a contact.
#[test]
fn what_is_too_slow_to_part_stays_a_contact_that_pulls() {
    let dt = 1e-5;
    for flight in flights(0.5) {
        let mut world = world(model(frictionless(0.0, H), dt), vec![flight.body.clone(), flight.on.clone()]);
        run(&mut world, 21_000);
        let mut pulling = 0;
        // More than a period, 0.063 s at most.
        for _ in 0..7000 {
            world.keep_rows(true);
            world.step().unwrap();
            let rows = world.rows();
            assert_eq!(rows.len(), flight.places as usize, "{}", flight.name);
            assert!(rows.iter().all(|row| (row.overlap < 0.0) == (row.normal_force < 0.0)), "{}", flight.name);
            pulling += usize::from(rows[0].overlap < 0.0);
            assert_eq!(world.contact_count(), rows.len());
        }
        assert!((1400..5600).contains(&pulling), "{}: {pulling}", flight.name);
    }
}

/// A law that may act apart but does not, with a reach of 0, panicked at a wall: there is no list of what was live before.
#[test]
fn a_law_of_no_reach_is_one_from_touch_to_touch() {
    for flight in flights(4.0) {
        let [apart, plain] = [frictionless(0.0, 0.0), SpringLaws::frictionless(Normal::Hooke(Hooke::new(K, 0.0)))]
            .map(|laws| fly(laws, &flight, 1e-4, 0.1).0.body(0));
        assert_eq!(apart, plain, "{}", flight.name);
    }
}

/// What begins as far away as it ends loses nothing: the flight back is the flight there.
#[test]
fn a_reversible_law_gives_back_what_it_takes_from_farther_than_lists_reach_by_themselves() {
    let dt = 1e-5;
    // More than the skin, a quarter of the radius or less.
    for reach in [H, 0.09] {
        for flight in flights(4.0) {
            let (world, _) = fly(frictionless(reach, reach), &flight, dt, 0.25);
            let late = flight.places * K * reach * 2.0 * 4.0 * dt;
            let found = world.body(0).velocity.z;
            assert!((found - 4.0).abs() < late, "{}: {found}", flight.name);
            assert_eq!(world.contact_count(), 0, "{}", flight.name);
            let lost = world.ledger().lost[Loss::Normal];
            assert!(lost.abs() < 5.0 * late, "{}: {lost}", flight.name);
        }
    }
    // Two balls at rest, a radius apart.
    let bodies = vec![sphere(0.5, DVec3::ZERO), sphere(0.5, DVec3::X * 1.5)];
    let far = Normal::own(Bridge { stiffness: 1.0, reach: Reach { begin: 0.6, end: 0.6 } });
    let mut world = world(model(SpringLaws::frictionless(far), 1e-3), bodies);
    assert_eq!(world.contact_count(), 1);
    run(&mut world, 100);
    assert!(world.body(0).velocity.x > 0.0 && world.body(1).velocity.x < 0.0);
}

/// A ball that hangs below two plates that share an edge slides from one to the other: its contact is too far apart to begin, so
/// it must continue.
#[test]
fn a_ball_that_hangs_crosses_a_seam() {
    let size = [2.0, 2.0];
    let plate = |x: f64| {
        let shape = Shape::Rectangle { normal: DVec3::NEG_Z, along: DVec3::X, size, sides: Sides::Both };
        Body { motion: Motion::Fixed, ..Body::new(shape, 0, DVec3::X * x) }
    };
    let mut model = model(frictionless(0.0, H), 1e-5);
    model.gravity = (DVec3::Z * -9.81).into();
    // At rest where m g = k gap: 1 mm of the 20.
    let mut ball = Body { mass: Some(1.0), velocity: DVec3::X, ..sphere(0.5, DVec3::new(-0.1, 0.01, -0.5)) };
    ball.position.z = -0.4999;
    let mut world = world(model, vec![plate(-1.0), plate(1.0), ball]);
    run(&mut world, 20_000);
    let ball = world.body(2);
    assert!((ball.position.x - 0.1).abs() < 1e-9, "{}", ball.position);
    assert!(world.contact_count() == 1 && ball.position.z > -0.5 - H, "{}", ball.position);
    assert!(world.ledger().lost[Loss::Normal].abs() < 1e-6, "{:?}", world.ledger().lost);
}

/// Balls of two sizes, eggs and blocks under a law that pulls and friction, in a bin of planes and a plate.
fn heap() -> Setup {
    let laws = SpringLaws {
        normal: Normal::own(Bridge { stiffness: 2e4, reach: Reach { begin: 0.002, end: 0.02 } }),
        ..santos(SliderOptions::default(), 0.2, 0.01)
    };
    let mut model = model(laws, 2e-4);
    model.gravity = DVec3::new(-2.0, -1.0, -9.81).into();
    let mut stream = Stream::named(5, "apart");
    let mut bodies: Vec<Body> = [DVec3::X, DVec3::Y, DVec3::Z].map(|normal| plane(normal, DVec3::ZERO)).into();
    for k in 0..80 {
        let at = DVec3::new(f64::from(k % 4), f64::from(k / 4 % 4), f64::from(k / 16)) * 1.03 + 0.52;
        let shape = match k % 5 {
            0 => Shape::Ellipsoid { axes: DVec3::new(0.5, 0.4, 0.3) },
            1 if k < 16 => Shape::Box { size: DVec3::new(0.5, 0.6, 0.4) },
            2 => Shape::Sphere { radius: 0.3 },
            _ => Shape::Sphere { radius: 0.5 },
        };
        let turn = random_vector(&mut stream, 1.0);
        let velocity = random_vector(&mut stream, 0.3) - DVec3::Z;
        bodies.push(Body { orientation: DQuat::from_scaled_axis(turn), velocity, ..Body::new(shape, 0, at) });
    }
    // Boxes do not meet boxes: those that could are balls.
    bodies.iter_mut().filter(|body| matches!(body.shape, Shape::Box { .. })).skip(1).for_each(|body| {
        body.shape = Shape::Sphere { radius: 0.4 };
    });
    Setup { model, bodies }
}

#[test]
fn a_restored_world_continues_with_the_same_bits() {
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(heap()).unwrap();
            world.advance(500).unwrap();
            // Contacts that act apart, and places of some that have ended.
            let apart = |world: &World| world.contacts_now().iter().filter(|row| row.overlap < 0.0).count();
            run_until(&mut world, 4000, |world| world.save().contacts.live.contains(&false) && apart(world) > 5);
            assert!(world.rebuilds() > 2, "{}", world.rebuilds());
            let saved = world.save();
            let mut restored = World::restore(heap(), &saved).unwrap();
            for steps in [1, 200, 2000] {
                world.advance(steps).unwrap();
                restored.advance(steps).unwrap();
                assert!(format!("{:?}", world.save()) == format!("{:?}", restored.save()), "{steps}");
            }
        });
    }
}

#[test]
fn the_slow_step_finds_the_same_contacts() {
    let (mut fast, mut slow) = (World::new(heap()).unwrap(), SlowWorld::new(heap()));
    for _ in 0..600 {
        fast.step().unwrap();
        slow.step();
    }
    assert!(fast.contacts_now().iter().any(|row| row.overlap < -1e-3));
    for id in fast.ids() {
        let (one, other) = (fast.body(id), &slow.bodies[id as usize].body);
        // Rounding of numbers of order one, in 600 steps of a stiff heap.
        assert!(one.position.distance(other.position) < 1e-9, "{id}: {} {}", one.position, other.position);
    }
}

/// A law of this crate put in from outside has the bits of the one inside.
#[test]
fn a_normal_law_from_outside_has_the_bits_of_the_one_inside() {
    let setup = |normal: Normal| {
        let mut setup = heap();
        setup.model.laws.set(0, 0, SpringLaws { normal, ..santos(SliderOptions::default(), 0.2, 0.01) });
        setup
    };
    let hertz = Hertz::with_restitution(5e4, 0.6, false);
    let hooke = Hooke::with_restitution(2e4, 0.5, true);
    for (inside, outside) in [(Normal::Hertz(hertz), Normal::own(hertz)), (Normal::Hooke(hooke), Normal::own(hooke))] {
        let [mut one, mut other] = [inside, outside].map(|normal| World::new(setup(normal)).unwrap());
        one.advance(2500).unwrap();
        other.advance(2500).unwrap();
        assert!(one.contact_count() > 20);
        assert!(format!("{:?}", one.save()) == format!("{:?}", other.save()));
    }
}
