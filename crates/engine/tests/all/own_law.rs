//! Laws from outside: a law of this crate put in as one has the same bits; memory of its own is carried along; the stable
//! step hears of its springs. Objectivity, passivity and blocks against single contacts run over them in `every_law`.

use crate::common::own::{ColdSpin, TwoSliders};
use crate::common::*;
use glam::DVec3;
use stickslip::explicit::stable_step;
use stickslip::law::*;
use stickslip::random::Stream;
use stickslip::{Body, World, place};

/// The same laws, each as if it came from outside. (Those with options that are not the default, too: a law from outside
/// has no special form for the default ones.)
fn from_outside(laws: &SpringLaws) -> SpringLaws {
    let slide = laws.slide.map(|law| match law {
        Slide::SpringSlider(law) => Slide::own(law),
        own => own,
    });
    let roll = laws.roll.map(|law| match law {
        Roll::SpringSlider(law) => Roll::own(law),
        Roll::ConstantTorque(law) => Roll::own(law),
        Roll::Epsd(law) => Roll::own(law),
        Roll::Viscous(law) => Roll::own(law),
        own => own,
    });
    let spin = laws.spin.map(|law| match law {
        Spin::SpringSlider(law) => Spin::own(law),
        Spin::ConstantTorque(law) => Spin::own(law),
        Spin::Marshall(law) => Spin::own(law),
        Spin::Lubkin(law) => Spin::own(law),
        own => own,
    });
    SpringLaws { normal: laws.normal, slide, roll, spin, friction: laws.friction }
}

/// 120 spheres of two sizes falling into a corner of three planes.
fn corner_and_spheres() -> Vec<Body> {
    let radii: Vec<f64> = (0..120).map(|i| if i % 3 == 0 { 0.3 } else { 0.5 }).collect();
    let mut stream = Stream::named(41, "own law");
    let (from, to) = (DVec3::splat(0.5), DVec3::new(5.0, 5.0, 9.0));
    let centres = place::random(from, to, &radii, &mut stream).expect("there is room");
    let mut bodies: Vec<Body> = radii.iter().zip(centres).map(|(&r, at)| sphere(r, at)).collect();
    bodies.extend([DVec3::X, DVec3::Y, DVec3::Z].map(|normal| plane(normal, DVec3::ZERO)));
    bodies
}

/// Those under these laws.
fn heap(laws: SpringLaws) -> World {
    let mut model = model(laws, 5e-4);
    model.gravity = DVec3::new(-2.0, -1.0, -9.81).into();
    world(model, corner_and_spheres())
}

/// The bits of every body's place and velocities.
fn bits(world: &World) -> Vec<[u64; 3]> {
    let ids = 0..world.body_count() as u32;
    ids.flat_map(|id| {
        let body = world.body(id);
        [body.position, body.velocity, body.angular_velocity].map(|v| v.to_array().map(f64::to_bits))
    })
    .collect()
}

#[test]
fn a_law_of_this_crate_put_in_from_outside_has_the_same_bits() {
    for (name, laws) in every_law(2e4) {
        let (mut inside, mut outside) = (heap(laws), heap(from_outside(&laws)));
        run(&mut inside, 2500);
        run(&mut outside, 2500);
        // Undamped normals keep it bouncing: few touch at a time, and each contact is new again and again.
        assert!(inside.contact_count() > 10 && inside.rebuilds() > 3, "{name}: {}", inside.contact_count());
        assert!(bits(&inside) == bits(&outside), "{name}");
        assert_eq!(inside.ledger(), outside.ledger(), "{name}");
    }
}

#[test]
fn memory_in_the_cold_slab_has_the_bits_of_memory_in_lanes_also_after_a_restart() {
    let hot = every_law(2e4)[0].1;
    let Some(Spin::SpringSlider(slider)) = hot.spin else { panic!("the first laws have spring-sliders") };
    let cold = SpringLaws { spin: Some(Spin::own(ColdSpin(slider))), ..hot };
    let (mut in_lanes, mut in_slab) = (heap(hot), heap(cold));
    for world in [&mut in_lanes, &mut in_slab] {
        run(world, 2500);
    }
    assert!(in_slab.contact_count() > 10 && in_slab.rebuilds() > 3);
    assert!(bits(&in_lanes) == bits(&in_slab));
    assert_eq!(in_lanes.ledger(), in_slab.ledger());
    let setup = stickslip::Setup { model: in_slab.model().clone(), bodies: corner_and_spheres() };
    let mut restored = World::restore(setup, &in_slab.save()).expect("it was saved");
    // By rising keys and back: another way in.
    assert_eq!(restored.remembered().sorted(), in_slab.remembered().sorted());
    for world in [&mut in_lanes, &mut in_slab, &mut restored] {
        run(world, 500);
    }
    assert!(bits(&in_slab) == bits(&restored) && bits(&in_lanes) == bits(&restored));
}

#[test]
fn memory_of_a_law_from_outside_goes_on_in_another_world() {
    let law = TwoSliders { stiffness: [300.0, 900.0], mu: [0.1, 0.2] };
    let laws = SpringLaws { roll: Some(Roll::own(law)), ..from_outside(&every_law(2e4)[0].1) };
    let mut first = heap(laws);
    run(&mut first, 2500);
    // Same places, same laws.
    let ids = 0..first.body_count() as u32;
    let mut setup = stickslip::Setup { model: first.model().clone(), bodies: Vec::new() };
    setup.bodies.extend(ids.map(|id| {
        let view = first.body(id);
        let body = if view.radius > 0.0 {
            sphere(view.radius, view.position)
        } else {
            plane([DVec3::X, DVec3::Y, DVec3::Z][id as usize - 120], view.position)
        };
        Body { velocity: view.velocity, angular_velocity: view.angular_velocity, orientation: view.orientation, ..body }
    }));
    let mut second = World::with_memory(setup.clone(), &first.remembered()).expect("the state makes a world");
    let mut forgetful = World::new(setup).expect("the state makes a world");
    assert_eq!(second.contact_count(), first.contact_count());
    run(&mut first, 2600);
    run(&mut second, 100);
    run(&mut forgetful, 100);
    let off = |other: &World| {
        let ids = 0..120;
        ids.map(|id| (first.body(id).velocity - other.body(id).velocity).length()).fold(0.0, f64::max)
    };
    // The loads at the start are evaluated anew, with dashpots at full-step velocities where a run has those of mid-step:
    // a difference of first order in the step, some (1/2) dt times the acceleration of the fastest, over the 0.05 s that
    // follow. Without memory the springs, loaded to a good part of mu m g each, are missing: mu g times 0.05 s.
    let (kept, lost) = (off(&second), off(&forgetful));
    assert!(kept < 0.1 * lost && lost > 0.1, "{kept:e} with memory, {lost:e} without");
}

#[test]
fn the_stable_step_hears_of_the_springs_of_a_law_from_outside() {
    // Two spheres with 1/I = 10 each: omega^2 = (k1 + k2) 20 = 2e4; the soft normal spring does not govern.
    let soft = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e-9, 0.0)));
    let law = TwoSliders { stiffness: [300.0, 700.0], mu: [0.1, 0.2] };
    let model = model(SpringLaws { roll: Some(Roll::own(law)), ..soft }, 1.0);
    let bodies = [sphere(0.5, DVec3::ZERO), sphere(0.5, DVec3::X)];
    let advice = stable_step::advise(&model, &bodies).expect("they can touch");
    assert!((advice.critical - 2.0 / 2e4_f64.sqrt()).abs() < 1e-12, "{advice:?}");
    assert!(advice.governed_by.starts_with("roll"), "{advice:?}");
}
