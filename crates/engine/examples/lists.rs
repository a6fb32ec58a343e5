//! What making neighbour lists costs, for arrangements that could fall off a cliff: `cargo run --release --example lists`.
//!
//! Each arrangement is moved as a whole by more than the skin in every step, so that every step makes lists anew and carries
//! all contacts over. Prints the least time of several steps (ns a sphere), and candidates and contacts a sphere. Arguments:
//! spheres, threads, and how the names of the arrangements begin to look at.

use std::time::{Duration, Instant};

use glam::DVec3;
use stickslip::law::{Hooke, Limit, Normal, Roll, RollSlider, Slide, SlideSlider, Spin, SpinSlider, SpringLaws};
use stickslip::model::{Material, Model};
use stickslip::random::Stream;
use stickslip::{Body, Setup, Shape, World, math, place};

const BALL: f64 = 4.0 / 3.0 * std::f64::consts::PI;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: usize| arguments.get(at).and_then(|a| a.parse().ok()).unwrap_or(otherwise);
    let (spheres, threads) = (number(0, 100_000), number(1, 1));
    let part = arguments.get(2).map_or("", String::as_str);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
    println!("{spheres} spheres, {threads} threads; ns a sphere");
    println!("{:<28}{:>10}{:>10}{:>12}{:>10}", "arrangement", "first", "again", "candidates", "contacts");
    for (name, bodies) in ARRANGEMENTS.into_iter().filter(|(name, _)| name.starts_with(part)) {
        pool.install(|| measure(name, bodies(spheres)));
    }
}

/// A name, and so many bodies.
type Arrangement = (&'static str, fn(usize) -> Vec<Body>);

const ARRANGEMENTS: [Arrangement; 8] = [
    ("packing", packing),
    ("two sizes 10:1", |count| random(count, 0.3, |share| if share < 1e-3 { 1.0 } else { 0.1 })),
    ("random, equal", |count| random(count, 0.3, |_| 0.5)),
    ("random, sizes 10:1", |count| random(count, 0.3, |share| 0.1 + 0.9 * share)),
    ("gas", |count| random(count, 0.01, |_| 0.5)),
    ("line", |count| line(count, DVec3::X)),
    ("line across", |count| line(count, DVec3::new(1.0, 1.0, 1.0).normalize())),
    ("strays", strays),
];

fn measure(name: &str, mut bodies: Vec<Body>) {
    let count = bodies.len() as f64;
    let slider = Limit::mu(0.5);
    let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.0 }], 1e-3);
    let laws = SpringLaws {
        slide: Some(Slide::SpringSlider(SlideSlider::new(1.0, 0.5, slider))),
        roll: Some(Roll::SpringSlider(RollSlider::new(1.0, 0.5, slider))),
        spin: Some(Spin::SpringSlider(SpinSlider::new(1.0, 0.5, Limit::length(0.5)))),
        ..SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.5)))
    };
    model.laws.set(0, 0, laws);
    bodies.iter_mut().for_each(|body| body.velocity = DVec3::new(300.0, 200.0, 100.0));
    let mut world = World::new(Setup { model, bodies }).expect("the world is sound");
    let first = world.phases().neighbours as f64 / count;
    let mut again = f64::INFINITY;
    let start = Instant::now();
    let mut made = 0;
    while made < 5 || (start.elapsed() < Duration::from_secs(2) && made < 40) {
        world.time_phases(true);
        world.advance(1).expect("nothing goes wrong");
        again = again.min(world.phases().neighbours as f64 / count);
        made += 1;
    }
    assert!(world.rebuilds() > made, "every step must make lists");
    let (candidates, contacts) = (world.candidate_count() as f64 / count, world.contact_count() as f64 / count);
    println!("{name:<28}{first:>10.0}{again:>10.0}{candidates:>12.2}{contacts:>10.2}");
}

fn sphere(radius: f64, centre: DVec3) -> Body {
    Body::new(Shape::Sphere { radius }, 0, centre)
}

/// Puts ids in an order that has nothing to do with space.
fn shuffle(bodies: &mut [Body]) {
    let mut stream = Stream::named(1, "shuffle");
    for last in (1..bodies.len()).rev() {
        bodies.swap(last, (stream.unit() * (last + 1) as f64) as usize);
    }
}

/// A cubic lattice, a little shaken: half of the next neighbours touch.
fn packing(count: usize) -> Vec<Body> {
    let side = math::cbrt(count as f64).ceil() as usize;
    let mut stream = Stream::named(1, "packing");
    let mut bodies: Vec<Body> = (0..count)
        .map(|i| {
            let cell = DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
            let shake = DVec3::new(stream.unit(), stream.unit(), stream.unit()) - 0.5;
            sphere(0.5, cell + 0.04 * shake)
        })
        .collect();
    shuffle(&mut bodies);
    bodies
}

/// Without overlap in a cube, the radius by a random share.
fn random(count: usize, fraction: f64, radius: impl Fn(f64) -> f64) -> Vec<Body> {
    let mut stream = Stream::named(1, "random");
    let mut radii: Vec<f64> = (0..count).map(|_| radius(stream.unit())).collect();
    radii.sort_by(|a, b| b.total_cmp(a));
    let volume = radii.iter().map(|r| BALL * r * r * r).sum::<f64>() / fraction;
    let half = DVec3::splat(0.5 * math::cbrt(volume));
    let centres = place::random(-half, half, &radii, &mut stream).expect("there is room");
    let mut bodies: Vec<Body> = radii.iter().zip(centres).map(|(&radius, centre)| sphere(radius, centre)).collect();
    shuffle(&mut bodies);
    bodies
}

/// One after the other.
fn line(count: usize, along: DVec3) -> Vec<Body> {
    let mut stream = Stream::named(1, "line");
    let mut bodies: Vec<Body> = (0..count).map(|i| sphere(0.5, along * (i as f64 + 0.1 * stream.unit()))).collect();
    shuffle(&mut bodies);
    bodies
}

/// A packing and some that have flown away very far.
fn strays(count: usize) -> Vec<Body> {
    let mut bodies = packing(count);
    let mut stream = Stream::named(1, "strays");
    for body in bodies.iter_mut().step_by(1000) {
        body.position = (DVec3::new(stream.unit(), stream.unit(), stream.unit()) - 0.5) * 1e7;
    }
    bodies
}
