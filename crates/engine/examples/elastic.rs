//! What a contact of elastic spheres costs under each slide law: the same crystal of shaken
//! spheres, the same run, one thread. Prints times per contact and step, for histories of 4 to 24 vertices.
//!
//! `cargo run --release -p stickslip --example elastic`. Numbers of docs/elastic-contacts.md come from here.

use std::time::Instant;

use glam::{DMat3, DVec3};
use stickslip::body::Body;
use stickslip::cell::{Cell, Control, Frame};
use stickslip::law::{
    Creep, ElasticPair, Hertz, Limit, Mindlin, MindlinRescaleForce, Normal, Roll, RollSlider, Slide, SlideSlider, Spin,
    SpinSlider, SpringLaws,
};
use stickslip::model::{Material, Model};
use stickslip::random::Stream;
use stickslip::shape::Shape;
use stickslip::world::{Setup, World};

/// Cells of the crystal along an edge, of four spheres each, and their width.
const CELLS: u32 = 10;
const SPACING: f64 = 1.37;
const MODULUS: f64 = 10.0;
/// Steps of a repetition, of which the fastest counts.
const STEPS: u32 = 100;
const REPEATS: u32 = 12;
/// Relative speed of the spheres that keeps contacts loading and unloading.
const SHAKE: f64 = 3e-3;

fn laws(slide: Slide, turning: bool) -> SpringLaws {
    let normal = Normal::Hertz(Hertz::with_restitution(4.0 / 3.0 * MODULUS, 0.9, false));
    let mu = Limit::mu(0.5);
    SpringLaws {
        slide: Some(slide),
        roll: turning.then(|| Roll::SpringSlider(RollSlider::new(1.0, 0.1, mu))),
        spin: turning.then(|| Spin::SpringSlider(SpinSlider::new(0.1, 0.1, mu))),
        ..SpringLaws::frictionless(normal)
    }
}

/// A crystal of spheres of nearly equal radii in a periodic cell, every one with a small velocity of its own.
fn world(laws: SpringLaws) -> Result<World, String> {
    let density = 6.0 / std::f64::consts::PI;
    let mut model = Model::new(vec![Material { name: "grain".into(), density }], 0.02);
    model.laws.set(0, 0, laws);
    let mut stream = Stream::named(34, "shake");
    let edge = f64::from(CELLS) * SPACING;
    let frame = Frame::new(DMat3::from_diagonal(DVec3::splat(edge)));
    model.cell = Some(Cell { frame, control: Control::Fixed });
    let corners = [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)];
    let mut bodies = Vec::new();
    for cell in 0..CELLS * CELLS * CELLS {
        let place = [cell % CELLS, cell / CELLS % CELLS, cell / (CELLS * CELLS)].map(f64::from);
        for corner in corners {
            let mut any = |size: f64| {
                DVec3::new(stream.between(-size, size), stream.between(-size, size), stream.between(-size, size))
            };
            let (velocity, angular_velocity) = (any(SHAKE), any(2.0 * SHAKE));
            let position = (DVec3::from(place) + corner) * SPACING;
            let radius = stream.between(0.485, 0.5);
            bodies.push(Body { velocity, angular_velocity, ..Body::new(Shape::Sphere { radius }, 0, position) });
        }
    }
    World::new(Setup { model, bodies }).map_err(|error| error.to_string())
}

/// Nanoseconds per contact and step, of the whole step and of the laws with gathering and adding up, and contacts per sphere.
fn measure(laws: SpringLaws) -> Result<[f64; 3], String> {
    let mut world = world(laws)?;
    go_on(&mut world, 400)?;
    let (mut whole, mut phase) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPEATS {
        let before = world.phases();
        let start = Instant::now();
        go_on(&mut world, STEPS)?;
        let per = 1.0 / (f64::from(STEPS) * world.contact_count() as f64);
        whole = whole.min(start.elapsed().as_nanos() as f64 * per);
        phase = phase.min((world.phases().laws - before.laws) as f64 * per);
    }
    Ok([whole, phase, world.contact_count() as f64 / world.sphere_count() as f64])
}

/// Advances by so many steps.
fn go_on(world: &mut World, steps: u32) -> Result<(), String> {
    world.advance(u64::from(steps)).map_err(|trouble| trouble.to_string())
}

fn main() -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    pool.install(run)
}

fn run() -> Result<(), String> {
    let elastic = ElasticPair { modulus: MODULUS, poisson: 0.2 };
    let mindlin = |history: u16| Mindlin { history, ..Mindlin::new(elastic, 0.5) };
    let slider = Slide::SpringSlider(SlideSlider::new(5.0, 0.1, Limit::mu(0.5)));
    let mut cases = vec![
        ("spring-slider, all".to_owned(), laws(slider, true)),
        ("mindlin 12, roll, spin".to_owned(), laws(Slide::Mindlin(mindlin(12)), true)),
        ("creep 12, roll, spin".to_owned(), laws(Slide::Creep(Creep(mindlin(12))), true)),
        ("spring-slider, slide".to_owned(), laws(slider, false)),
        (
            "mindlin-rescale-force".to_owned(),
            laws(Slide::MindlinRescaleForce(MindlinRescaleForce::new(elastic, Limit::mu(0.5))), false),
        ),
    ];
    for history in [4, 8, 12, 24] {
        cases.push((format!("mindlin {history}"), laws(Slide::Mindlin(mindlin(history)), false)));
        cases.push((format!("creep {history}"), laws(Slide::Creep(Creep(mindlin(history))), false)));
    }
    println!("{:<26} {:>10} {:>10} {:>10}", "law", "step (ns)", "laws (ns)", "per sphere");
    for (name, laws) in cases {
        let [whole, phase, contacts] = measure(laws)?;
        println!("{name:<26} {whole:>10.1} {phase:>10.1} {contacts:>10.2}");
    }
    Ok(())
}
