//! The periodic cell: lattices that are the same, flips, the affine flow, the barostat, and what must hold whatever the scheme.

use crate::common;
use crate::common::{orders, run, santos, sphere, world};
use glam::{DMat3, DVec3};
use stickslip::cell::{Cell, CellInertia, Control, Frame};
use stickslip::inflow::Outflow;
use stickslip::law::*;
use stickslip::measure::ContactRow;
use stickslip::model::{Explicit, Integrator};
use stickslip::random::Stream;
use stickslip::reference::SlowWorld;
use stickslip::world::{Remembered, Setup, World};
use stickslip::{Body, Model, Motion, math};

const INERTIA: CellInertia = CellInertia { damping_time: 2.25, energy: 1.0 };

fn pressure(p: f64, triclinic: bool) -> Control {
    Control::Pressure { target: DMat3::from_diagonal(DVec3::splat(p)).into(), inertia: INERTIA, triclinic }
}

fn friction() -> SpringLaws {
    santos(SliderOptions::default(), 0.3, 0.3)
}

/// Spheres of diameter 1 and mass 1 at random, without overlap, in a slightly skew cell.
fn gas(count: usize, fraction: f64, seed: u64) -> (Frame, Vec<Body>) {
    let side = math::cbrt(count as f64 * std::f64::consts::PI / 6.0 / fraction);
    let vectors = DMat3::from_cols(DVec3::X, DVec3::new(0.2, 1.0, 0.0), DVec3::new(-0.1, 0.15, 1.0)) * side;
    let frame = Frame { corner: DVec3::new(1.0, -2.0, 0.5), ..Frame::new(vectors) };
    let mut stream = Stream::named(seed, "test");
    let mut places: Vec<DVec3> = Vec::new();
    while places.len() < count {
        let place = frame.corner + vectors * DVec3::new(stream.unit(), stream.unit(), stream.unit());
        if places.iter().all(|&other| frame.nearest(place - other).length() > 1.0) {
            places.push(place);
        }
    }
    (frame, places.into_iter().map(|place| sphere(0.5, place)).collect())
}

fn model(laws: SpringLaws, dt: f64, frame: Frame, control: Control) -> Model {
    Model { cell: Some(Cell { frame, control }), ..common::model(laws, dt) }
}

/// A packing with friction, pressed together for a while: many contacts that stick, some that slip.
fn packing(count: usize, seed: u64, steps: u64) -> World {
    let (frame, bodies) = gas(count, 0.3, seed);
    let mut packing = world(model(friction(), 0.05, frame, pressure(0.01, true)), bodies);
    packing.advance(steps).expect("it packs");
    packing
}

/// The bodies of a world as they are, with masses times `heavier`.
fn bodies_of(world: &World, heavier: f64) -> Vec<Body> {
    let body = |id: u32| {
        let view = world.body(id);
        Body {
            velocity: view.velocity,
            angular_velocity: view.angular_velocity,
            orientation: view.orientation,
            mass: Some(heavier),
            ..sphere(view.radius, view.position)
        }
    };
    world.ids().map(body).collect()
}

fn at_rest(bodies: &[Body]) -> Vec<Body> {
    bodies.iter().map(|body| Body { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO, ..body.clone() }).collect()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, value| most.max(value.abs()))
}

fn same_contacts(first: &[ContactRow], second: &[ContactRow], tolerance: f64) {
    let pairs = |rows: &[ContactRow]| rows.iter().map(|row| (row.a, row.b)).collect::<Vec<_>>();
    assert_eq!(pairs(first), pairs(second));
    for (p, q) in first.iter().zip(second) {
        let vectors = [p.normal - q.normal, p.slide - q.slide, p.roll_a - q.roll_a, p.roll_b - q.roll_b];
        let numbers = [p.overlap - q.overlap, p.normal_force - q.normal_force, p.spin - q.spin];
        let off = largest(vectors.iter().flat_map(|v| v.to_array()).chain(numbers));
        assert!(off <= tolerance, "{off:e} at {p:?} and {q:?}");
    }
}

/// The same lattice by other vectors: b + a, c + 2 b - a, and all of it shifted by a vector of the lattice.
#[test]
fn other_vectors_of_the_lattice_give_the_same_contacts_and_loads() {
    let packed = packing(80, 1, 3000);
    let frame = packed.cell().unwrap().frame;
    let memory = packed.remembered();
    let bodies = bodies_of(&packed, 1.0);
    let build = |frame: Frame, bodies: Vec<Body>| {
        let setup = Setup { model: model(friction(), 0.05, frame, Control::Fixed), bodies };
        World::with_memory(setup, &memory).expect("the lattice is the same")
    };
    let [a, b, c] = [frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis];
    let first = build(frame, bodies.clone());
    assert!(first.contact_count() > 120, "{}", first.contact_count());
    let moved = |bodies: &[Body], by: DVec3| -> Vec<Body> {
        bodies.iter().map(|body| Body { position: body.position + by, ..body.clone() }).collect()
    };
    let leaning = [
        (DMat3::from_cols(a, b + a, c), bodies.clone()),
        (DMat3::from_cols(a, b, c + b * 2.0 - a), bodies.clone()),
        (DMat3::from_cols(a, b - a * 3.0, c), moved(&bodies, a * 2.0 - c)),
    ];
    for (vectors, bodies) in leaning {
        let second = build(Frame { vectors, ..frame }, bodies);
        // Lengths of 5 cells, of some 10, to rounding: 1e-14; the loads are stiffness 1 times that.
        same_contacts(&first.rows(), &second.rows(), 1e-12);
        assert!((first.pressure().unwrap() - second.pressure().unwrap()).abs_diff_eq(DMat3::ZERO, 1e-14));
    }
}

/// The fast step in a cell against the slow one, which knows no lists, no images and no flips: through several flips of a
/// cell in simple shear with rotation, and under a barostat.
#[test]
fn the_step_in_a_cell_is_the_slow_one() {
    let packed = packing(60, 3, 2500);
    let frame = packed.cell().unwrap().frame;
    let shear = DMat3::from_cols(DVec3::new(0.0, 0.002, 0.0), DVec3::new(0.02, 0.0, 0.004), DVec3::ZERO);
    let tensor =
        DMat3::from_cols(DVec3::new(8e-3, 1e-3, 0.0), DVec3::new(1e-3, 12e-3, -2e-3), DVec3::new(0.0, -2e-3, 9e-3));
    let controls = [
        (Control::Fixed, 1.0),
        (Control::Strain { gradient: shear.into() }, 2.0),
        (pressure(0.02, true), 1.0),
        (Control::Pressure { target: tensor.into(), inertia: INERTIA, triclinic: true }, 1.0),
    ];
    for (control, lean) in controls {
        let setup = Setup { model: model(friction(), 0.05, frame, control.clone()), bodies: bodies_of(&packed, 1.0) };
        let mut slow = SlowWorld::new(setup.clone());
        let mut fast = World::new(setup).unwrap();
        let vectors = fast.cell().unwrap().frame.vectors;
        let steps = if lean > 1.0 { 1200 } else { 300 };
        for _ in 0..steps {
            slow.step();
        }
        fast.advance(steps).unwrap();
        let cell = fast.cell().unwrap();
        let flipped =
            largest((cell.frame.vectors - slow.cell.unwrap().frame.vectors).to_cols_array().into_iter()) > 1.0;
        assert_eq!(flipped, lean > 1.0, "{vectors:?} became {:?}", cell.frame.vectors);
        let lattice = cell.frame.vectors.inverse();
        for id in fast.ids() {
            let (body, other) = (fast.body(id), &slow.bodies[id as usize]);
            let cells = lattice * (body.position - other.body.position);
            // Rounding grows with the collisions of the way; 1e-9 leaves it room for some twenty doublings.
            assert!((cells - cells.round()).length() < 1e-9, "{control:?}: body {id} is off by {cells}");
            assert!((body.velocity - other.body.velocity).length() < 1e-9, "{control:?}: body {id}");
            assert!((body.angular_velocity - other.body.angular_velocity).length() < 1e-9, "{control:?}: body {id}");
        }
        assert_eq!(fast.contact_count(), slow.contacts.len());
    }
}

/// A packing that grows affinely at the rate e: every overlap falls at the rate e r, and every law knows it. The grains are so
/// heavy that nothing else moves.
#[test]
fn an_affine_expansion_opens_every_contact() {
    let packed = packing(80, 4, 3000);
    let (e, dt, heavy) = (1e-3, 0.01, 1e12);
    let frame = packed.cell().unwrap().frame;
    let control = Control::Strain { gradient: DMat3::from_diagonal(DVec3::splat(e)).into() };
    let damping = 0.5 / heavy;
    let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, damping)));
    let mut grown = world(model(laws, dt, frame, control), at_rest(&bodies_of(&packed, heavy)));
    let mut before = grown.rows();
    let count = before.len();
    assert!(count > 120);
    for _ in 0..20 {
        grown.keep_rows(true);
        grown.step().unwrap();
        let now = grown.rows();
        for row in &now {
            let old = before.iter().find(|old| (old.a, old.b) == (row.a, row.b)).unwrap();
            let (r, was) = (1.0 - row.overlap, 1.0 - old.overlap);
            let rate = (row.overlap - old.overlap) / dt;
            // The mean rate in a step is that at its middle; lengths of 1 are known to 1e-15, rates to 1e-15/dt.
            assert!((rate + e * 0.5 * (r + was)).abs() < 1e-12, "{rate} {r}");
            // The dashpot (1/s, times the effective mass) has seen the rate of the step: k d - gamma m e r.
            let dashpot = row.normal_force - row.overlap;
            assert!((dashpot + 0.5 * 0.5 * e * 0.5 * (r + was)).abs() < 1e-13, "{dashpot:e}");
        }
        before = now;
    }
    assert!(before.len() < count + 1);
}

/// A strain that is taken back, without slip, gives back the springs of every contact; what is left falls at second order.
#[test]
fn a_retraced_strain_returns_at_second_order() {
    let packed = packing(80, 5, 3000);
    let frame = packed.cell().unwrap().frame;
    let bodies = at_rest(&bodies_of(&packed, 1e12));
    let stick = |k: f64| SpringLaws {
        normal: Normal::Hooke(Hooke::new(1.0, 0.0)),
        slide: Some(Slide::SpringSlider(SlideSlider::new(k, 0.0, Limit::mu(1e6)))),
        roll: None,
        spin: None,
        friction: None,
    };
    // A loop of two strains that do not commute, then the same backwards.
    let shear = DMat3::from_cols(DVec3::ZERO, DVec3::X, DVec3::ZERO) * 0.02;
    let turn = DMat3::from_cols(DVec3::new(0.0, 0.0, 0.6), DVec3::ZERO, DVec3::new(-0.6, 0.0, 0.0)) * 0.05;
    let path = [shear, turn + shear.transpose(), -(turn + shear.transpose()), -shear];
    let error = |dt: f64| {
        let (mut frame, mut bodies, mut memory) = (frame, bodies.clone(), Remembered::default());
        for gradient in path {
            let setup = Setup {
                model: model(stick(1.0), dt, frame, Control::Strain { gradient: gradient.into() }),
                bodies: bodies.clone(),
            };
            let mut part = World::with_memory(setup, &memory).unwrap();
            run(&mut part, (1.0 / dt).round() as u64);
            (frame, memory) = (part.cell().unwrap().frame, part.remembered());
            bodies = at_rest(&bodies_of(&part, 1e12));
        }
        let setup = Setup { model: model(stick(1.0), dt, frame, Control::Fixed), bodies };
        let end = World::with_memory(setup, &memory).unwrap();
        let held: Vec<_> = end.rows().into_iter().filter(|row| row.overlap > 0.02).collect();
        assert!(held.len() > 5, "{}", held.len());
        largest(held.iter().map(|row| row.slide.length()))
    };
    let (coarse, fine) = (error(0.05), error(0.025));
    // Half the step leaves a quarter of the error, or both are rounding.
    assert!(fine < 0.3 * coarse || coarse < 1e-12, "{coarse:e} {fine:e}");
    assert!(coarse < 1e-4, "{coarse:e}");
}

/// Elastic grains without friction under a barostat keep kinetic + stored + P V + that of the cell, to second order in dt. A
/// crystal that is out of balance by a fifth, with grains that fly to and fro: no contact opens, so the forces are smooth.
#[test]
fn the_barostat_keeps_its_enthalpy_to_second_order() {
    let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
    let (n, edge) = (3, 0.93 * 2.0_f64.sqrt());
    let mut stream = Stream::named(6, "velocities");
    let mut bodies = Vec::new();
    for cell in 0..n * n * n {
        let at = DVec3::new(f64::from(cell % n), f64::from(cell / n % n), f64::from(cell / n / n));
        for corner in [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)] {
            let velocity = (DVec3::new(stream.unit(), stream.unit(), stream.unit()) - 0.5) * 0.02;
            bodies.push(Body { velocity, ..sphere(0.5, (at + corner) * edge) });
        }
    }
    let frame = Frame::new(DMat3::from_diagonal(DVec3::splat(f64::from(n) * edge)));
    let balanced = world(model(laws, 0.01, frame, Control::Fixed), bodies.clone());
    let contacts = balanced.contact_count();
    assert_eq!(contacts, 6 * bodies.len());
    let target = balanced.pressure().unwrap().x_axis.x * 1.2;
    for triclinic in [true, false] {
        let inertia = CellInertia { damping_time: 1.0, energy: 1.0 };
        let target = DMat3::from_diagonal(DVec3::splat(target));
        let control = Control::Pressure { target: target.into(), inertia, triclinic };
        let drift = |dt: f64| {
            let mut crystal = world(model(laws, dt, frame, control.clone()), bodies.clone());
            let start = crystal.enthalpy().unwrap();
            let (mut most, mut swing): (f64, f64) = (0.0, 0.0);
            for _ in 0..100 {
                crystal.advance((0.8 / dt).round() as u64).unwrap();
                most = most.max((crystal.enthalpy().unwrap() / start - 1.0).abs());
                swing = swing.max((crystal.cell().unwrap().frame.volume() / frame.volume() - 1.0).abs());
                assert_eq!(crystal.contact_count(), contacts);
            }
            assert!(swing > 0.01, "{swing}");
            most
        };
        let errors = [drift(0.2), drift(0.1), drift(0.05)];
        let orders = orders(&errors, 2.0);
        assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{errors:?}, orders {orders:?}");
    }
}

/// The ledger knows the work of the cell: it closes to second order under strain and pressure, with friction and damping.
#[test]
fn the_ledger_of_a_cell_closes_to_second_order() {
    let packed = packing(60, 7, 2500);
    let frame = packed.cell().unwrap().frame;
    let shear = DMat3::from_cols(DVec3::new(-0.002, 0.0, 0.0), DVec3::new(0.02, 0.0, 0.0), DVec3::ZERO);
    let mean = Control::MeanStress { pressure: 0.01.into(), axis: 2, rate: (-0.005).into(), inertia: INERTIA };
    for control in [Control::Strain { gradient: shear.into() }, pressure(0.05, true), mean] {
        let error = |dt: f64| {
            let mut part = world(model(friction(), dt, frame, control.clone()), bodies_of(&packed, 1.0));
            let start = part.ledger();
            part.advance((10.0 / dt).round() as u64).unwrap();
            let ledger = part.ledger();
            assert!(ledger.total_lost() > 1e-4, "{ledger:?}");
            (ledger.error / (start.stored + start.kinetic + ledger.total_lost())).abs()
        };
        let errors = [error(0.08), error(0.04), error(0.02)];
        let order = orders(&[errors[0], errors[2]], 4.0)[0];
        assert!(order > 1.6 && errors[2] < 2e-3, "{control:?}: {errors:?}, order {order}");
    }
}

/// A packing comes to the stress that is asked for, all six components, its centre of mass in place; once dissipation
/// acts, the enthalpy only falls.
#[test]
fn a_packing_comes_to_the_stress_that_is_asked_for() {
    let tensor =
        DMat3::from_cols(DVec3::new(8e-3, 1e-3, 0.0), DVec3::new(1e-3, 11e-3, -5e-4), DVec3::new(0.0, -5e-4, 11e-3));
    let (frame, bodies) = gas(100, 0.3, 8);
    let control = Control::Pressure { target: tensor.into(), inertia: INERTIA, triclinic: true };
    let mut packed = world(model(friction(), 0.05, frame, control), bodies);
    let centre = packed.centre_of_mass();
    packed.advance(4000).unwrap();
    let mut enthalpy = packed.enthalpy().unwrap();
    for _ in 0..40 {
        packed.advance(2000).unwrap();
        let now = packed.enthalpy().unwrap();
        // A deviator does work that the enthalpy of a pressure does not know: here within a part in a thousand.
        assert!(now < enthalpy * (1.0 + 1e-3), "{now} {enthalpy}");
        enthalpy = now;
    }
    assert!(packed.pressure_error().unwrap() < 1e-4, "{:?}", packed.pressure());
    assert!((packed.centre_of_mass() - centre).length() < 1e-11);
    assert!(packed.volume_fraction().unwrap() > 0.5);
}

/// Under a mere pressure the enthalpy falls monotonically.
#[test]
fn the_enthalpy_of_a_packing_falls() {
    let (frame, bodies) = gas(100, 0.1, 9);
    let mut packed = world(model(friction(), 0.02, frame, pressure(1e-3, true)), bodies);
    let mut enthalpy = packed.enthalpy().unwrap();
    let scale = enthalpy;
    for _ in 0..300 {
        packed.advance(50).unwrap();
        let now = packed.enthalpy().unwrap();
        // The scheme's own error is of second order in dt and bounded; in the test above it is some 1e-5 of the whole.
        assert!(now < enthalpy + 1e-5 * scale, "{now} {enthalpy}");
        enthalpy = enthalpy.min(now);
    }
    assert!(enthalpy < 0.5 * scale, "{enthalpy} {scale}");
}

/// The mean stress is held while one axis is pressed together at a constant Hencky rate.
#[test]
fn the_mean_stress_is_held() {
    let packed = packing(150, 10, 20000);
    let frame = packed.cell().unwrap().frame;
    let control = Control::MeanStress { pressure: 0.01.into(), axis: 1, rate: (-2e-5).into(), inertia: INERTIA };
    let mut sheared = world(model(friction(), 0.05, frame, control), bodies_of(&packed, 1.0));
    let height = |w: &World| w.cell().unwrap().frame.vectors.y_axis.y;
    let start = height(&sheared);
    let (mut worst, mut sum): (f64, f64) = (0.0, 0.0);
    for k in 0..100 {
        sheared.advance(200).unwrap();
        if k >= 20 {
            worst = worst.max(sheared.pressure_error().unwrap());
            sum += sheared.pressure_error().unwrap() / 80.0;
        }
    }
    let strain = sheared.cell().unwrap().strain;
    // 100 times 200 steps of 0.05 at 2e-5.
    assert!((strain.y_axis.y + 0.02).abs() < 1e-12 && (strain.x_axis.x - strain.z_axis.z).abs() < 1e-12);
    assert!((height(&sheared) / start - math::exp(-0.02)).abs() < 1e-9, "{}", height(&sheared) / start);
    // Every slip of a small packing shakes the mean stress; the barostat follows within its period.
    assert!(sum < 0.01 && worst < 0.05, "{sum} {worst}");
    let p = sheared.pressure().unwrap();
    assert!(p.y_axis.y > 1.1 * p.x_axis.x, "the axis that is pressed bears more: {p:?}");
}

/// For any number of threads, and after a restart: the same bits, in every kind of cell, through rebuilds and flips.
#[test]
fn the_same_bits_in_a_cell() {
    let packed = packing(700, 11, 600);
    let frame = packed.cell().unwrap().frame;
    let shear = DMat3::from_cols(DVec3::ZERO, DVec3::new(0.03, 0.0, 0.0), DVec3::ZERO);
    let mean = Control::MeanStress { pressure: 0.01.into(), axis: 0, rate: (-0.003).into(), inertia: INERTIA };
    for control in [Control::Fixed, pressure(0.01, true), Control::Strain { gradient: shear.into() }, mean] {
        let setup = Setup { model: model(friction(), 0.05, frame, control.clone()), bodies: bodies_of(&packed, 1.0) };
        let go = |threads: usize, parts: &[u64]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut world = World::new(setup.clone()).unwrap();
                for &steps in parts {
                    world.advance(steps).unwrap();
                    world = World::restore(setup.clone(), &world.save()).unwrap();
                }
                world.save()
            })
        };
        let whole = go(1, &[600]);
        for (threads, parts) in [(2, &[600][..]), (3, &[600]), (1, &[1, 237, 362]), (2, &[411, 189])] {
            assert!(go(threads, parts) == whole, "{control:?} {threads} {parts:?}");
        }
        assert!(whole.cell.unwrap().is_sound());
    }
}

/// A collision across the faces of the cell is the collision of two spheres in open space.
#[test]
fn a_collision_across_the_faces_is_a_collision() {
    let velocities = [DVec3::new(-0.1, 0.02, 0.01), DVec3::new(0.1, 0.0, -0.03)];
    let spins = [DVec3::new(0.3, -0.1, 0.2), DVec3::new(0.0, 0.4, -0.2)];
    let pair = |places: [DVec3; 2]| -> Vec<Body> {
        let body = |i: usize| Body { velocity: velocities[i], angular_velocity: spins[i], ..sphere(0.5, places[i]) };
        vec![body(0), body(1)]
    };
    let vectors = DMat3::from_cols(DVec3::X * 6.0, DVec3::new(2.0, 7.0, 0.0), DVec3::new(-1.0, 2.0, 8.0));
    let (a, b) = (DVec3::new(1.2, 0.1, 0.0), DVec3::new(0.1, 0.0, 0.05));
    let mut open = world(common::model(friction(), 0.02), pair([a, b]));
    let shift = vectors * DVec3::new(1.0, 1.0, 1.0);
    let mut across = world(model(friction(), 0.02, Frame::new(vectors), Control::Fixed), pair([a, b + shift]));
    let mut touched = false;
    for _ in 0..600 {
        open.step().unwrap();
        across.step().unwrap();
        touched |= open.contact_count() > 0;
        for id in 0..2 {
            let (p, q) = (open.body(id), across.body(id));
            // Places of size 10 to rounding, over the few periods of a collision.
            assert!((p.velocity - q.velocity).length() < 1e-13 && (p.torque - q.torque).length() < 1e-13);
        }
    }
    assert!(touched && open.contact_count() == 0);
}

/// A sphere rolls down a slope through a cell that repeats along it as it would on an endless one.
#[test]
fn a_floor_may_go_on_for_ever() {
    let gravity = DVec3::new(0.02, 0.005, -0.1);
    let bodies = || vec![sphere(0.5, DVec3::new(0.5, 0.5, 0.49)), common::plane(DVec3::Z, DVec3::ZERO)];
    let laws = SpringLaws { roll: None, spin: None, ..friction() };
    let open = Model { gravity: gravity.into(), ..common::model(laws, 0.02) };
    let frame = Frame { periodic: [true, true, false], ..Frame::new(DMat3::from_diagonal(DVec3::new(4.0, 3.0, 2.5))) };
    let cell = Model { cell: Some(Cell { frame, control: Control::Fixed }), ..open.clone() };
    let (mut open, mut cell) = (world(open, bodies()), world(cell, bodies()));
    open.advance(3000).unwrap();
    cell.advance(3000).unwrap();
    let (p, q) = (open.body(0).position, cell.body(0).position);
    assert!(p.x > 12.0, "it has crossed the cell: {p}");
    let times = ((p - q) / DVec3::new(4.0, 3.0, 1.0)).round();
    assert!(times.z == 0.0 && times.x >= 2.0);
    assert!((p - q - times * DVec3::new(4.0, 3.0, 1.0)).length() < 1e-10);
    assert!((cell.centre_of_mass() - p).length() < 1e-10);
    assert!(cell.pressure().is_none());
}

/// Stress in closed form: a chain of spheres through the cell, each pressed on the next by k d.
#[test]
fn a_chain_through_the_cell_has_its_stress() {
    let (n, d) = (6, 0.02);
    let length = f64::from(n) * (1.0 - d);
    let vectors = DMat3::from_diagonal(DVec3::new(length, 4.0, 5.0));
    let bodies = (0..n).map(|i| sphere(0.5, DVec3::new(f64::from(i) * (1.0 - d), 1.0, 1.0))).collect();
    let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(3.0, 0.0)));
    let chain = world(model(laws, 0.01, Frame::new(vectors), Control::Fixed), bodies);
    assert_eq!(chain.contact_count(), 6);
    // n contacts of branch 1 - d and force k d in the volume n (1 - d) 20.
    let expected = 3.0 * d / 20.0;
    let p = chain.pressure().unwrap();
    assert!((p.x_axis.x - expected).abs() < 1e-15 && p.y_axis == DVec3::ZERO && p.z_axis == DVec3::ZERO, "{p:?}");
    assert!((chain.volume_fraction().unwrap() - std::f64::consts::PI / (1.0 - d) / 120.0).abs() < 1e-15);
}

/// What cannot be is refused, with the reason.
#[test]
fn cells_that_cannot_be_are_refused() {
    let refused = |model: Model, bodies: Vec<Body>| World::new(Setup { model, bodies }).unwrap_err().to_string();
    let one = || vec![sphere(0.5, DVec3::ONE)];
    let cube = |side: f64| Frame::new(DMat3::from_diagonal(DVec3::splat(side)));
    let plain = |frame: Frame, control: Control| model(friction(), 0.02, frame, control);
    assert!(refused(plain(cube(2.2), Control::Fixed), one()).contains("too thin"));
    assert!(refused(plain(cube(-9.0), Control::Fixed), one()).contains("right-handed"));
    let half = Frame { periodic: [true, true, false], ..cube(9.0) };
    assert!(refused(plain(half, pressure(1.0, true)), one()).contains("every direction"));
    assert!(refused(plain(cube(9.0), pressure(-1.0, true)), one()).contains("above zero"));
    let euler = Model {
        method: Explicit::default().with_integrator(Integrator::SymplecticEuler).into(),
        ..plain(cube(9.0), pressure(1.0, true))
    };
    assert!(refused(euler, one()).contains("velocity-verlet"));
    let plane = || vec![sphere(0.5, DVec3::ONE), common::plane(DVec3::Z, DVec3::ZERO)];
    assert!(refused(plain(cube(9.0), Control::Fixed), plane()).contains("crosses"));
    // A plane that turned came to cross a direction that repeats, where images of spheres do not feel it.
    let turns = stickslip::body::Prescribed { angular_velocity: DVec3::X.into(), ..Default::default() };
    let turning = Body { motion: Motion::Prescribed(turns), ..common::plane(DVec3::Z, DVec3::ZERO) };
    assert!(refused(plain(half, Control::Fixed), vec![sphere(0.5, DVec3::ONE), turning]).contains("turns"));
    let driven = Motion::Prescribed(stickslip::body::Prescribed { velocity: DVec3::X.into(), ..Default::default() });
    let driven = vec![Body { motion: driven, ..sphere(0.5, DVec3::ONE) }, sphere(0.5, DVec3::splat(4.0))];
    assert!(refused(plain(cube(9.0), Control::Fixed), driven).contains("driven"));
    let leaning =
        Frame { vectors: DMat3::from_cols(DVec3::X * 9.0, DVec3::new(1.0, 9.0, 0.0), DVec3::Z * 9.0), ..cube(9.0) };
    assert!(refused(plain(leaning, pressure(1.0, false)), one()).contains("along x, y and z"));
    // A target with shear was taken for a cell that cannot shear: its pressure error never vanished.
    let target = DMat3::from_cols(DVec3::new(1.0, 0.2, 0.0), DVec3::new(0.2, 1.0, 0.0), DVec3::Z);
    let sheared = Control::Pressure { target: target.into(), inertia: INERTIA, triclinic: false };
    assert!(refused(plain(cube(9.0), sheared), one()).contains("shears"));
    // A body at 1e300 was not put back, stood in a wrong place of the grid, and met nothing.
    let far = vec![sphere(0.5, DVec3::X * 1e300), sphere(0.5, DVec3::ONE)];
    assert!(refused(plain(cube(9.0), Control::Fixed), far).contains("away"));
    // And one that becomes too thin in a run stops it.
    let mut squeezed = world(plain(cube(4.0), Control::Strain { gradient: (DMat3::IDENTITY * -0.1).into() }), one());
    let trouble = squeezed.advance(10_000).unwrap_err().to_string();
    assert!(trouble.contains("too thin"), "{trouble}");
}

fn two() -> Vec<Body> {
    vec![sphere(0.5, DVec3::ONE), sphere(0.5, DVec3::splat(4.0))]
}

fn cube(side: f64) -> Frame {
    Frame::new(DMat3::from_diagonal(DVec3::splat(side)))
}

/// A strain of 2 in a step made the cell and all bodies NaN, one of more turned it inside out, and the run went on: NaN is
/// not larger than the slack, so lists were never stale and nothing was looked at.
#[test]
fn a_cell_that_leaps_stops_the_run() {
    for rate in [100.0, 150.0, -150.0] {
        let control = Control::Strain { gradient: (DMat3::IDENTITY * rate).into() };
        let setup = Setup { model: model(friction(), 0.02, cube(9.0), control), bodies: two() };
        assert!(World::new(setup).unwrap_err().to_string().contains("tenth"));
    }
    for damping_time in [1e-200, 1e-3] {
        let inertia = CellInertia { damping_time, energy: 1.0 };
        let control = Control::Pressure { target: DMat3::IDENTITY.into(), inertia, triclinic: true };
        let mut leaping = world(model(friction(), 0.02, cube(9.0), control), two());
        assert!(leaping.advance(5).is_err(), "{:?}", leaping.cell());
    }
}

/// Vectors that lean by 1e19 of each other were reduced by whole numbers beyond 2^63: to another lattice.
#[test]
fn vectors_that_lean_beyond_rounding_are_refused() {
    let vectors = DMat3::from_cols(DVec3::X * 9.0, DVec3::new(1e19, 9.0, 0.0), DVec3::Z * 9.0);
    let setup = Setup { model: model(friction(), 0.02, Frame::new(vectors), Control::Fixed), bodies: two() };
    assert!(World::new(setup).unwrap_err().to_string().contains("lean"));
    // A straight cell may be as long as it likes.
    let long = Frame::new(DMat3::from_diagonal(DVec3::new(9e9, 9.0, 9.0)));
    world(model(friction(), 0.02, long, Control::Fixed), two());
}

/// The corner of a sheared cell went with the flow for ever, and all bodies with it: 50 cells away after a strain of 100.
#[test]
fn a_sheared_cell_stays_where_it_is() {
    let gradient = DMat3::from_cols(DVec3::ZERO, DVec3::X * 0.5, DVec3::ZERO);
    let mut sheared = world(model(friction(), 0.02, cube(5.0), Control::Strain { gradient: gradient.into() }), two());
    let centre = sheared.centre_of_mass();
    sheared.advance(10_000).unwrap();
    let cell = sheared.cell().unwrap();
    assert!((cell.strain.y_axis.x - 100.0).abs() < 1e-9);
    // Within a vector and a half of the point that stays, and so are the bodies, but for a skin.
    let near = |place: DVec3| (cell.frame.fractions(place) - 0.5).abs().max_element() < 1.6;
    assert!(near(centre) && (cell.frame.corner - centre).length() < 15.0, "{cell:?}");
    assert!((sheared.centre_of_mass() - centre).length() < 1e-9);
}

/// After a stage in a flow, lists were taken for those of a cell at rest, though images had moved since they were made: two
/// spheres met through a face 110 steps before they were seen to.
#[test]
fn a_stage_that_halts_the_flow_sees_every_contact() {
    let body = |x: f64, v: f64| Body { velocity: DVec3::X * v, ..sphere(0.5, DVec3::new(x, 5.0, 5.0)) };
    let bodies = vec![body(0.6, -0.02), body(9.4, 0.02)];
    let control = Control::Strain { gradient: (DMat3::IDENTITY * -1.2).into() };
    let mut flowing = world(model(friction(), 0.01, cube(10.0), control), bodies.clone());
    flowing.advance(1).unwrap();
    let setup = Setup { model: model(friction(), 0.01, cube(10.0), Control::Fixed), bodies };
    let mut halted = World::restart(setup, &flowing.save()).unwrap();
    let mut met = 0;
    for _ in 0..1500 {
        halted.step().unwrap();
        let between = halted.cell().unwrap().frame.nearest(halted.body(0).position - halted.body(1).position);
        assert_eq!(halted.contact_count(), usize::from(between.length() < 1.0));
        met += halted.contact_count();
    }
    assert!(met > 100);
}

/// A stage that gives a cell to a run without one began with a stress of zero, and its barostat with a false kick.
#[test]
fn a_stage_in_a_new_cell_knows_its_stress() {
    let bodies: Vec<Body> = (0..6).map(|i| sphere(0.5, DVec3::new(f64::from(i) * 0.98, 1.0, 1.0))).collect();
    let open = world(common::model(friction(), 0.01), bodies.clone());
    let frame = Frame::new(DMat3::from_diagonal(DVec3::new(5.88, 5.0, 5.0)));
    let setup = Setup { model: model(friction(), 0.01, frame, pressure(1e-3, true)), bodies };
    let stage = World::restart(setup.clone(), &open.save()).unwrap();
    let fresh = World::new(setup).unwrap();
    assert!(fresh.pressure().unwrap().x_axis.x > 5e-4);
    // The contact through the face begins last in the stage: the same sums in another order.
    let same = |a: DMat3, b: DMat3| a.abs_diff_eq(b, 1e-15);
    assert!(same(stage.pressure().unwrap(), fresh.pressure().unwrap()));
    assert!(same(stage.cell().unwrap().gradient_rate, fresh.cell().unwrap().gradient_rate));
    assert_eq!(stage.rows().len(), 6);
}

/// A body that had left the cell through a face that repeats, and was not yet put back, was taken out as one that has left the
/// domain.
#[test]
fn a_face_that_repeats_is_no_way_out() {
    let outflow = Some(Outflow { from: DVec3::ZERO, to: DVec3::splat(5.0) });
    let model = Model { outflow, ..model(friction(), 0.02, cube(5.0), Control::Fixed) };
    let mut flying = world(model, vec![Body { velocity: DVec3::X * 0.1, ..sphere(0.5, DVec3::splat(4.8)) }]);
    flying.advance(1000).unwrap();
    assert_eq!(flying.ids().count(), 1);
}

/// A sphere was let in where it overlapped another through a face, or so large that it met two images of one; after a restart
/// a flow did not know how large it was, and one that enters then was braked by no flow.
#[test]
fn spheres_enter_a_cell_where_they_touch_no_image() {
    let gradient = DMat3::from_cols(DVec3::ZERO, DVec3::X * 0.02, DVec3::ZERO);
    let bodies = vec![sphere(0.3, DVec3::new(0.1, 3.0, 3.0))];
    let setup =
        Setup { model: model(friction(), 0.02, cube(6.0), Control::Strain { gradient: gradient.into() }), bodies };
    let mut whole = World::new(setup.clone()).unwrap();
    assert!(whole.insert(&[sphere(0.3, DVec3::new(5.9, 3.0, 3.0))]).is_err());
    assert!(whole.insert(&[sphere(1.6, DVec3::splat(3.0))]).unwrap_err().to_string().contains("too thin"));
    whole.insert(&[sphere(1.2, DVec3::splat(3.0))]).unwrap();
    whole.advance(100).unwrap();
    let mut again = World::restore(setup, &whole.save()).unwrap();
    for world in [&mut whole, &mut again] {
        world.insert(&[Body { velocity: DVec3::Y, ..sphere(0.2, DVec3::new(0.5, 0.5, 5.0)) }]).unwrap();
        world.advance(2000).unwrap();
    }
    assert!(whole.save() == again.save());
}

/// Bodies that left a cell in a flow left their stress behind until the next evaluation, and half a step of their share of
/// the cell's work in the ledger: an error of first order.
#[test]
fn bodies_that_leave_take_their_stress_along() {
    // A chain of six through the cell: of six contacts four are left.
    let chain = |dt: f64, control: Control| {
        let vectors = DMat3::from_diagonal(DVec3::new(5.88, 4.0, 5.0));
        let bodies = (0..6).map(|i| sphere(0.5, DVec3::new(f64::from(i) * 0.98, 1.0, 1.0))).collect();
        let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(3.0, 0.0)));
        world(model(laws, dt, Frame::new(vectors), control), bodies)
    };
    let mut held = chain(0.01, pressure(1e-3, true));
    let (before, rate) = (held.pressure().unwrap().x_axis.x, held.cell().unwrap().gradient_rate.x_axis.x);
    held.remove(&[2]);
    assert!((held.pressure().unwrap().x_axis.x / before - 4.0 / 6.0).abs() < 1e-14);
    assert!(held.cell().unwrap().gradient_rate.x_axis.x < rate);
    for control in [Control::Strain { gradient: (DMat3::IDENTITY * -0.01).into() }, pressure(1e-2, true)] {
        let error = |dt: f64| {
            let mut chain = chain(dt, control.clone());
            chain.advance((1.0 / dt).round() as u64).unwrap();
            chain.remove(&[2]);
            chain.advance((0.2 / dt).round() as u64).unwrap();
            chain.ledger().error.abs()
        };
        let errors = [error(0.02), error(0.01), error(0.005)];
        let order = orders(&[errors[0], errors[2]], 4.0)[0];
        assert!(order > 1.8, "{control:?}: {errors:?}, order {order}");
    }
}

/// Gravity along a direction that repeats: every body put back into the cell gave its potential energy back, so a chute made energy.
#[test]
fn a_body_that_crosses_the_cell_goes_on_falling() {
    let gravity = DVec3::new(0.05, 0.0, -0.1);
    let bodies = vec![sphere(0.5, DVec3::new(0.5, 0.5, 0.49)), common::plane(DVec3::Z, DVec3::ZERO)];
    let laws = SpringLaws { roll: None, spin: None, ..friction() };
    let frame = Frame { periodic: [true, true, false], ..Frame::new(DMat3::from_diagonal(DVec3::new(4.0, 3.0, 2.5))) };
    let cell = Some(Cell { frame, control: Control::Fixed });
    let mut chute = world(Model { gravity: gravity.into(), cell, ..common::model(laws, 0.02) }, bodies);
    let start = chute.ledger().potential;
    let centre = chute.centre_of_mass();
    chute.advance(2000).unwrap();
    let (ledger, fallen) = (chute.ledger(), chute.centre_of_mass() - centre);
    assert!(fallen.x > 12.0, "it has crossed the cell: {fallen}");
    // Mass 1: places of 30 to rounding.
    assert!((ledger.potential - start + gravity.dot(fallen)).abs() < 1e-12);
    // The scheme's own error is of second order in dt.
    assert!(ledger.error.abs() < 1e-3 * ledger.kinetic, "{ledger:?}");
}
