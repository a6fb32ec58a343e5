//! The same bits, always: for any number of threads, with and without AVX2, and from one version to the next.
//!
//! The table below holds one hash per scene, over the bits of every body's state. A change of the engine that changes a
//! hash must say in its commit why the bits changed; a test that fails prints the new one.

use crate::common::digest::Digest;
use crate::common::elastic::{elastic_laws, is_smooth};
use crate::common::*;
use glam::{DQuat, DVec3};
use stickslip::body::{Oscillation, Prescribed};
use stickslip::collide::{sphere_sphere, sphere_wall, surfaces};
use stickslip::contact::{Block, LANES, Lanes, Side};
use stickslip::law::kernel::{self, Kernel, Simd};
use stickslip::law::pair_memory::SLIPS;
use stickslip::law::*;
use stickslip::random::Stream;
use stickslip::reference::SlowWorld;
use stickslip::state::Mover;
use stickslip::wall::Wall;
use stickslip::world::Setup;
use stickslip::{Body, Model, Motion, Shape, Sides, World, place};

/// Scenes and their hashes. They change when sums change their order or formulas their rounding, which the changelog says.
const HASHES: [(&str, u64); 8] = [
    ("collapsing column", 0xb0fb_f224_06f1_6171),
    ("mixture 10:1 in a bin", 0x7f8c_4372_4e5f_7e9f),
    ("hertz and epsd on a moving plane", 0xd04c_775a_fd53_5b06),
    ("constant torque", 0x06c3_cea5_366a_ad06),
    ("lammps options, symplectic Euler", 0x437b_2359_5ca6_e238),
    ("a turning tube with a paddle", 0x5a7c_b32d_6783_e61c),
    ("tracked, rates", 0x805b_ad44_3031_7324),
    ("tracked, points and the form of the paper", 0x39d9_4f7b_1954_9872),
];

/// FNV-1a over the bits of position, orientation, velocities and loads of all bodies, by id.
fn hash(world: &World) -> u64 {
    let mut digest = Digest::new();
    for id in 0..world.body_count() as u32 {
        let body = world.body(id);
        digest.vectors([body.position, body.velocity, body.angular_velocity, body.force, body.torque]);
        digest.orientation(body.orientation);
    }
    digest.finish()
}

/// Spheres at random between `from` and `to`, falling, with planes under and around them.
fn poured(model: Model, radii: &[f64], half: f64, height: f64, walls: bool) -> Setup {
    let mut stream = Stream::named(31, "poured");
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let (from, to) = (DVec3::new(-half, -half, largest), DVec3::new(half, half, height));
    let centres = place::random(from, to, radii, &mut stream).expect("there is room");
    let mut bodies: Vec<Body> = radii
        .iter()
        .zip(centres)
        .map(|(&radius, centre)| Body {
            velocity: DVec3::Z * -3.0 + random_vector(&mut stream, 1.0),
            angular_velocity: random_vector(&mut stream, 3.0),
            ..sphere(radius, centre)
        })
        .collect();
    // In between the ids of the spheres.
    bodies.insert(radii.len() / 2, plane(DVec3::Z, DVec3::ZERO));
    if walls {
        for normal in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y] {
            bodies.push(plane(normal, normal * -(half + largest)));
        }
    }
    Setup { model, bodies }
}

/// A model under these laws with a step that suits stiffnesses of 2e4 and masses of 1.
fn falling(laws: SpringLaws, dt: f64) -> Model {
    Model { gravity: (DVec3::Z * -5.0).into(), ..model(laws, dt) }
}

/// A scene by number, and how many steps it runs.
fn scene(number: usize) -> (Setup, u64) {
    let laws = every_law(2e4);
    match number {
        // More than three chunks of 256, so that chunks interact; falls and spreads, so that bodies are re-sorted.
        0 => (poured(falling(damped(laws[0].1), 5e-4), &[0.5; 900], 4.0, 22.0, false), 1500),
        1 => {
            let radii: Vec<f64> = (0..1000).map(|i| if i % 100 == 0 { 1.0 } else { 0.1 }).collect();
            let (mut setup, steps) = (poured(falling(damped(laws[3].1), 1e-4), &radii, 1.8, 7.0, true), 9000);
            // Masses in proportion to radii: one critical step for all.
            for body in setup.bodies.iter_mut() {
                body.mass = body.shape.radius();
            }
            (setup, steps)
        }
        2 => {
            let (mut setup, steps) = (poured(falling(damped(laws[5].1), 4e-4), &[0.5; 400], 3.0, 18.0, true), 1500);
            let oscillate = Some(Oscillation { axis: DVec3::Z, amplitude: 0.1, frequency: 3.0, phase: 0.5 });
            let spin = DVec3::Z * 0.5;
            setup.bodies[200].motion =
                Motion::Prescribed(Prescribed { angular_velocity: spin.into(), oscillate, ..Prescribed::default() });
            (setup, steps)
        }
        6 => (poured(falling(damped(laws[14].1), 4e-4), &[0.5; 400], 3.0, 18.0, true), 1500),
        7 => {
            let laws = other_tracked(2e4).swap_remove(4).1;
            (poured(falling(damped(laws), 4e-4), &[0.5; 400], 3.0, 18.0, true), 1500)
        }
        3 => (poured(falling(damped(laws[6].1), 5e-4), &[0.5; 300], 3.0, 14.0, true), 1500),
        5 => {
            let (mut setup, steps) = (poured(falling(damped(laws[0].1), 5e-4), &[0.5; 600], 3.0, 22.0, false), 3000);
            let turning =
                |rate: DVec3| Motion::Prescribed(Prescribed { angular_velocity: rate.into(), ..Prescribed::default() });
            // Open at both ends: what falls out meets the paddle.
            let tube = Shape::Tube { radius: 12.0, length: 7.0, axis: DVec3::Y, sides: Sides::Front };
            let paddle = Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [8.0, 6.0], sides: Sides::Both };
            let floor = setup.bodies.iter_mut().find(|body| body.shape.radius().is_none()).expect("there is a floor");
            (floor.shape, floor.position, floor.motion) = (tube, DVec3::Z * 11.0, turning(DVec3::Y * 0.5));
            let at = DVec3::new(0.0, 6.0, -3.0);
            setup.bodies.push(Body { motion: turning(DVec3::new(2.0, 1.0, 0.0)), ..Body::new(paddle, 0, at) });
            (setup, steps)
        }
        _ => {
            let mut model = falling(damped(every_option(2e4)[4].1), 2.5e-4);
            model.method = stickslip::model::Explicit::default()
                .with_integrator(stickslip::model::Integrator::SymplecticEuler)
                .into();
            (poured(model, &[0.5; 300], 3.0, 14.0, true), 5000)
        }
    }
}

/// All steps in one call, or each in its own: bodies then take other ways through the code.
fn go(world: &mut World, steps: u64, at_once: bool) {
    if at_once { world.advance(steps).expect("the test's run stays sound") } else { run(world, steps) }
}

/// Runs a scene in a pool of `threads` threads.
fn hash_of(number: usize, threads: usize, at_once: bool) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    pool.install(|| {
        let (Setup { model, bodies }, steps) = scene(number);
        let mut world = world(model, bodies);
        go(&mut world, steps, at_once);
        assert!(world.contact_count() > 50, "a scene needs contacts: {}", world.contact_count());
        assert!(world.rebuilds() > 3, "a scene needs re-ordering: {}", world.rebuilds());
        hash(&world)
    })
}

/// Threads, and whether all steps are one call; a child that tests another width needs fewer.
fn ways() -> &'static [(usize, bool)] {
    let all = &[(1, true), (3, false), (1, false), (2, true), (8, true)];
    if std::env::var_os("STICKSLIP_SIMD").is_some() { &all[..2] } else { all }
}

fn same_for_all(number: usize) {
    let (name, expected) = HASHES[number];
    for &(threads, at_once) in ways() {
        let hash = hash_of(number, threads, at_once);
        assert_eq!(hash, expected, "{name}, {threads} threads: {hash:#018x}, the table says {expected:#018x}");
    }
}

#[test]
fn a_collapsing_column_has_its_bits() {
    same_for_all(0);
}

#[test]
fn a_mixture_of_sizes_has_its_bits() {
    same_for_all(1);
}

#[test]
fn hertz_and_epsd_on_a_moving_plane_have_their_bits() {
    same_for_all(2);
}

#[test]
fn constant_torque_has_its_bits() {
    same_for_all(3);
}

#[test]
fn lammps_options_have_their_bits() {
    same_for_all(4);
}

#[test]
fn walls_that_turn_have_their_bits() {
    same_for_all(5);
}

#[test]
fn tracked_has_its_bits() {
    same_for_all(6);
}

#[test]
fn tracked_points_have_their_bits() {
    same_for_all(7);
}

#[test]
fn large_chunks_have_the_same_bits_on_any_threads() {
    // 40,000 spheres stand in chunks of 1024, others in 256: a lattice with gaps and overlaps, in motion.
    let hash_on = |threads: usize, at_once: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        pool.install(|| {
            let mut stream = Stream::named(5, "lattice");
            let spheres = (0..40_000).map(|i| {
                let at = DVec3::new((i % 40) as f64, (i / 40 % 40) as f64, (i / 1600) as f64);
                let centre = at * 0.99 + random_vector(&mut stream, 0.03);
                Body { velocity: random_vector(&mut stream, 1.0), ..sphere(0.5, centre) }
            });
            let mut world = world(falling(damped(every_law(2e4)[0].1), 5e-4), spheres.collect());
            assert!(stickslip::state::chunk_size(world.body_count()) == 1024);
            go(&mut world, 40, at_once);
            assert!(world.contact_count() > 20_000, "{}", world.contact_count());
            hash(&world)
        })
    };
    let hash = hash_on(1, true);
    assert_eq!([hash_on(1, false), hash_on(3, true)], [hash; 2]);
}

#[test]
fn the_switch_limits_the_width() {
    let switch = std::env::var("STICKSLIP_SIMD").unwrap_or_default();
    let limit = match switch.as_str() {
        "off" => Simd::Plain,
        "avx2" => Simd::Avx2,
        _ => Simd::Avx512,
    };
    let avx2 = std::arch::is_x86_feature_detected!("avx2");
    assert!(Simd::widest() <= limit);
    assert_eq!(Simd::widest() >= Simd::Avx2, avx2 && limit >= Simd::Avx2);
}

#[test]
fn hashes_are_the_same_for_every_width() {
    // The variable is read once per process: so this test's own program runs again as a child.
    let program = std::env::current_exe().expect("a test knows its own program");
    for switch in ["off", "avx2"] {
        let child = std::process::Command::new(&program)
            .args(["its_bits", "their_bits", "the_switch_limits_the_width"])
            .env("STICKSLIP_SIMD", switch)
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && text.contains(&format!("{} passed", HASHES.len() + 1)), "{text}");
    }
}

// ---- blocks against one contact at a time ----

/// The laws over a block, to be compiled for every width.
struct OneBlock<'a> {
    laws: &'a SpringLaws,
    block: &'a mut Block,
    memory: &'a mut [Lanes],
    cold: &'a mut [f64],
}

impl Kernel for OneBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let stride = self.cold.len() / LANES;
        kernel::evaluate::<LANES>(self.laws, self.block, self.memory, ColdBlock::new(self.cold, stride));
    }
}

/// A sphere anywhere, or a plane (radius zero, infinitely heavy).
fn random_mover(stream: &mut Stream, id: u32, radius: f64, position: DVec3) -> Mover {
    let heavy = if radius > 0.0 { 1.0 } else { 0.0 };
    Mover {
        position,
        radius,
        velocity: random_vector(stream, 1.0),
        inverse_mass: heavy * stream.between(0.5, 2.0),
        angular_velocity: random_vector(stream, 3.0),
        inverse_inertia: heavy * stream.between(5.0, 20.0),
        velocity_ahead: [0.0; 3],
        angular_velocity_ahead: [0.0; 3],
        id,
        special: 0,
    }
}

/// 32 touching pairs, spheres or, for the odd ones, a sphere on a plane, some new, some with loaded springs.
fn random_block(stream: &mut Stream, layout: &MemoryLayout) -> (Block, Vec<Lanes>) {
    let mut block = Block::EMPTY;
    block.dt = 1e-3;
    let mut memory = vec![Lanes::ZERO; layout.size().hot];
    for lane in 0..LANES {
        let normal = random_direction(stream);
        let (radius_a, overlap) = (stream.between(0.3, 0.6), stream.between(1e-6, 0.05));
        let radius_b = if lane % 2 == 1 { 0.0 } else { stream.between(0.3, 0.6) };
        let position_b = random_vector(stream, 2.0);
        let b = random_mover(stream, 1, radius_b, position_b);
        let a = random_mover(stream, 0, radius_a, b.position + normal * (radius_a + radius_b - overlap));
        if radius_b > 0.0 {
            sphere_sphere::gather(&mut block, lane, &a, &b, DVec3::ZERO);
        } else {
            let before = turned(random_vector(stream, 0.01), normal).normalize();
            let [now, was] = [normal, before].map(|normal| {
                Wall::new(&Shape::Plane { normal }, b.position, DQuat::IDENTITY).expect("a plane is a wall")
            });
            sphere_wall::gather(&mut block, lane, &a, &b, Side::B, &now, &was);
        }
        let turned_by = [0, 1].map(|_| stickslip::frame::rotation(random_vector(stream, 1.0)));
        surfaces::gather(&mut block, lane, &a, &b, turned_by[0], turned_by[1]);
        if lane % 5 == 0 {
            continue; // Newborn: all zeros.
        }
        // Laws of all motions have more bits than those of slide, roll and spin.
        memory[0].0[lane] = f64::from_bits(lane as u64 % if layout.0[3].total() > 0 { 64 } else { 8 });
        for numbers in memory.iter_mut().skip(SLIPS) {
            numbers.0[lane] = stream.between(-1e-2, 1e-2);
        }
    }
    (block, memory)
}

#[test]
fn a_block_of_contacts_has_the_bits_of_one_contact_at_a_time() {
    let mut stream = Stream::named(37, "blocks");
    for (name, laws) in
        every_law(1e3).into_iter().chain(every_option(1e3)).chain(other_tracked(1e3)).chain(elastic_laws(1e3))
    {
        let layout = MemoryLayout::of(&laws);
        for width in [Simd::Plain, Simd::Avx2, Simd::Avx512] {
            for _ in 0..20 {
                let (mut block, mut memory) = random_block(&mut stream, &layout);
                let before = memory.clone();
                // Cold numbers, at first none: what the step leaves there counts.
                let stride = layout.size().cold;
                let mut cold = vec![0.0; LANES * stride];
                let work = OneBlock { laws: &laws, block: &mut block, memory: &mut memory, cold: &mut cold };
                kernel::dispatch_up_to(work, width);
                let of = |lane: usize| &cold[lane * stride..][..stride];
                for lane in 0..LANES {
                    let mut contact = block.contact(lane);
                    let mut remembered = PairMemory::of_block(&layout, &before, lane, &vec![0.0; stride]);
                    let (push, one) = one::evaluate(&laws, &mut contact, &mut remembered);
                    assert_eq!(push.to_bits(), block.normal_force.0[lane].to_bits(), "{name}, lane {lane}");
                    let vectors = [
                        (one.force, block.slide_force.get(lane)),
                        (one.roll_a, block.roll_a.get(lane)),
                        (one.roll_b, block.roll_b.get(lane)),
                    ];
                    for (expected, found) in vectors {
                        // + 0.0: the sum of several laws' loads may turn a -0 into a 0.
                        let bits = |v: DVec3| v.to_array().map(|x| (x + 0.0).to_bits());
                        assert_eq!(bits(expected), bits(found), "{name}, lane {lane}");
                    }
                    assert_eq!((one.spin + 0.0).to_bits(), (block.spin.0[lane] + 0.0).to_bits(), "{name}, lane {lane}");
                    let left = PairMemory::of_block(&layout, &memory, lane, of(lane));
                    assert_eq!(remembered, left, "{name}, lane {lane}");
                }
            }
        }
    }
}

// ---- the fast step against the slow one ----

/// 40 spheres falling into a corner, one of them held, one fixed, one driven, one locked and pushed.
fn small_scene(laws: SpringLaws) -> Setup {
    let mut setup = poured(falling(damped(laws), 1e-3), &[0.5; 40], 1.5, 8.0, true);
    setup.bodies[0].motion = Motion::Held;
    setup.bodies[1].motion = Motion::Fixed;
    let (velocity, angular_velocity) = (DVec3::new(0.5, 0.0, 0.2), DVec3::Z);
    setup.bodies[2].motion = Motion::Prescribed(Prescribed {
        velocity: velocity.into(),
        angular_velocity: angular_velocity.into(),
        ..Prescribed::default()
    });
    setup.bodies[3].lock = [false, true, false, true, false, false];
    setup.bodies[3].velocity.y = 0.0;
    setup.bodies[3].angular_velocity.x = 0.0;
    setup.bodies[4].force = DVec3::new(1.0, 2.0, 0.0).into();
    setup.bodies[4].torque = DVec3::new(0.0, 0.1, 0.0).into();
    setup
}

#[test]
fn the_fast_step_is_the_slow_one() {
    // Same formulas, other order of sums: 1e-16 a step relative to loads of 1e2 on unit masses, so 1e-17 in position a
    // step; collisions amplify by about ten each, and there are a few for a sphere within 400 steps: far below 1e-10.
    let elastic = elastic_laws(2e3).into_iter().filter(|(name, _)| is_smooth(name));
    for (name, laws) in every_law(2e3).into_iter().chain(every_option(2e3)).chain(other_tracked(2e3)).chain(elastic) {
        // A path by points is a difference of places near 1: 1e-16 over a step of 1e-3 s, times dashpots of 80 kg/s, is 1e-11 N of noise each
        // step, where loads of others round to 1e-14: a thousand times their tolerance.
        let noise = if laws.asks_for_surfaces() { 1e3 } else { 1.0 };
        for integrator in [stickslip::model::Integrator::VelocityVerlet, stickslip::model::Integrator::SymplecticEuler]
        {
            let mut setup = small_scene(laws);
            setup.model.method = stickslip::model::Explicit::default().with_integrator(integrator).into();
            let mut slow = SlowWorld::new(setup.clone());
            let mut fast = world(setup.model, setup.bodies);
            let mut touched = 0;
            for step in 1..=400 {
                run(&mut fast, step);
                slow.step();
                touched = touched.max(fast.contact_count());
                assert_eq!(fast.contact_count(), slow.contacts.len(), "{name}, step {step}");
            }
            assert!(touched > 20, "{name}: {touched} contacts");
            for (id, expected) in slow.bodies.iter().enumerate() {
                let body = fast.body(id as u32);
                let off = (body.position - expected.body.position).length()
                    + (body.velocity - expected.body.velocity).length()
                    + (body.angular_velocity - expected.body.angular_velocity).length()
                    + (body.orientation.xyz() - expected.body.orientation.xyz()).length();
                assert!(off < 1e-10 * noise, "{name}, {integrator:?}: body {id} differs by {off:e}");
                let load = (body.force - expected.load.0).length() + (body.torque - expected.load.1).length();
                assert!(load < 1e-7 * noise, "{name}, {integrator:?}: loads on body {id} differ by {load:e}");
            }
        }
    }
}
