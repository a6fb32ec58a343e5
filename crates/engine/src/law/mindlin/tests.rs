use glam::{DQuat, DVec2, DVec3};

use super::polyline::{Polyline, VERTEX, Vertex};
use super::{Mindlin, MindlinMemory};
use crate::contact::{Contact, Turn};
use crate::law::testing::contact;
use crate::law::{Creep, ElasticPair, FrictionLaw, Memory};
use crate::math;
use crate::random::Stream;

/// A polyline of its own, driven by overlap and place. In these units m z is s_max, and q/(m p) is Q/(mu P).
struct Driven {
    line: Polyline<'static>,
    m: f64,
    at: DVec2,
}

impl Driven {
    fn new(history: usize, m: f64) -> Self {
        let below = Box::leak(vec![0.0; history * VERTEX].into_boxed_slice());
        Driven { line: Polyline { apex: Vertex::default(), count: 0, below }, m, at: DVec2::ZERO }
    }

    fn to(&mut self, z: f64, at: DVec2) -> DVec2 {
        self.line.advance(z, at - self.at, self.m);
        self.at = at;
        self.line.apex.q
    }

    /// Moves in a straight line in so many steps; returns the work.
    fn move_to(&mut self, z: f64, at: DVec2, steps: u32) -> f64 {
        let (z0, from) = (self.line.apex.z, self.at);
        let mut work = 0.0;
        for step in 1..=steps {
            let share = f64::from(step) / f64::from(steps);
            let (before, place) = (self.line.apex.q, self.at);
            let now = self.to(z0 + (z - z0) * share, from + (at - from) * share);
            work += 0.5 * (before + now).dot(self.at - place);
        }
        work
    }
}

fn x(s: f64) -> DVec2 {
    DVec2::new(s, 0.0)
}

/// s/s_max of Mindlin and Deresiewicz at Q/(mu P) = q: first loading, and unloading from q*; reloading is unloading the other way round.
fn loading(q: f64) -> f64 {
    1.0 - math::pow(1.0 - q, 2.0 / 3.0)
}

fn unloading(from: f64, q: f64) -> f64 {
    2.0 * math::pow(1.0 - 0.5 * (from - q), 2.0 / 3.0) - math::pow(1.0 - from, 2.0 / 3.0) - 1.0
}

#[test]
fn loops_at_constant_load_are_the_closed_forms() {
    let (z, m) = (2e-7_f64, 0.54);
    let (s_max, full) = (m * z, m * z * z.sqrt());
    for amplitude in [0.2, 0.5, 0.8, 0.95, 0.999] {
        let mut driven = Driven::new(12, m);
        driven.to(z, DVec2::ZERO);
        let top = loading(amplitude);
        let mut expect = |s: f64, form: &dyn Fn(f64) -> f64| {
            let q = driven.to(z, x(s * s_max)).x / full;
            // Near q = 1 the force of a place is known to one rounding of 1 - q.
            assert!((form(q) - s).abs() < 1e-12, "{amplitude}: {} at {s}", form(q));
        };
        let steps = 200;
        for step in 1..=steps {
            expect(top * f64::from(step) / f64::from(steps), &loading);
        }
        for step in 1..=steps {
            expect(top - 2.0 * top * f64::from(step) / f64::from(steps), &|q| unloading(amplitude, q));
        }
        for step in 1..=steps {
            expect(-top + 2.0 * top * f64::from(step) / f64::from(steps), &|q| -unloading(amplitude, -q));
        }
        assert!(driven.line.count <= 3, "the loop closes: {} vertices", driven.line.count);
    }
}

#[test]
fn a_closed_loop_takes_the_work_of_mindlin_and_deresiewicz() {
    // The work of a loop over mu P s_max, of the specification.
    let works = [(0.2, 0.00136922), (0.5, 0.0281737), (0.8, 0.177300), (0.95, 0.451688), (0.999, 0.763992)];
    for (amplitude, expected) in works {
        let root = math::pow(1.0 - amplitude, 2.0 / 3.0);
        let formula = 4.8 * (1.0 - root * (1.0 - amplitude) - 5.0 / 6.0 * amplitude * (1.0 + root));
        assert!((formula / expected - 1.0).abs() < 5e-6);
        let mut driven = Driven::new(12, 1.0);
        driven.to(1.0, DVec2::ZERO);
        let top = loading(amplitude);
        driven.move_to(1.0, x(top), 1000);
        let work = driven.move_to(1.0, x(-top), 4000) + driven.move_to(1.0, x(top), 4000);
        // The trapezoidal rule in steps h of the root's argument: h^2 times the second derivative.
        assert!((work / formula - 1.0).abs() < 1e-4 && (work - formula).abs() < 3e-7, "{work}, not {formula}");
    }
}

#[test]
fn loads_of_changing_normal_force_are_those_of_superposition() {
    let (m, z) = (0.6, 1.5_f64);
    let p = |z: f64| z * z.sqrt();
    // A: an oblique load below the cone is all stick: Q/P is constant, q = b p.
    let mut driven = Driven::new(12, m);
    for step in 1..=100 {
        let z = z * f64::from(step) / 100.0;
        let q = driven.to(z, x(0.4 * z));
        assert!((q.x - 0.4 * p(z)).abs() < 1e-14 && driven.line.count == 1);
    }
    // B: compression at rest changes nothing.
    let held = driven.line.apex.q.x;
    driven.move_to(2.0 * z, x(0.4 * z), 50);
    assert!((driven.line.apex.q.x - held).abs() < 1e-15);
    // C: decompression at rest of a contact that was sheared at constant load.
    let mut driven = Driven::new(12, m);
    driven.to(z, DVec2::ZERO);
    let s = 0.3 * m * z;
    driven.move_to(z, x(s), 50);
    for step in 1..=60 {
        let z = z * (1.0 - 0.01 * f64::from(step));
        let q = driven.to(z, x(s)).x;
        assert!((q - m * (p(z) - p((z - s / m).max(0.0)))).abs() < 1e-15, "{q} at {z}");
    }
}

/// Closed paths of overlap and place, from a start without shear: pieces of random size that come back.
fn random_closed_path(stream: &mut Stream, driven: &mut Driven, amplitude: f64) -> f64 {
    driven.to(1.0, DVec2::ZERO);
    let mut work = 0.0;
    for _ in 0..12 {
        let z = stream.between(0.3, 1.7);
        let s = DVec2::new(stream.between(-amplitude, amplitude), stream.between(-amplitude, amplitude));
        work += driven.move_to(z, s, 40);
    }
    work + driven.move_to(1.0, DVec2::ZERO, 40)
}

#[test]
fn closed_paths_of_changing_normal_force_create_no_energy() {
    let mut stream = Stream::named(34, "closed paths");
    let mut least = f64::INFINITY;
    for path in 0..1000 {
        let m = 0.5;
        // Far below slip, where slip and stick mix, and where most slips.
        let amplitude = [0.02, 0.15, 0.6][path % 3];
        let mut driven = Driven::new(12, m);
        let work = random_closed_path(&mut stream, &mut driven, amplitude);
        // What it took beyond what it holds, over the energy of a shear of this amplitude at full stick.
        least = least.min((work - driven.line.stored()) / (0.75 * amplitude * amplitude));
        assert!(driven.line.apex.q.length() <= m * driven.line.apex.p * (1.0 + 1e-14));
    }
    assert!(least > -1e-12, "{least}");
}

#[test]
fn the_force_never_exceeds_the_limit_and_the_history_its_cap() {
    let mut stream = Stream::named(34, "cap");
    for history in [3, 4, 12, 24] {
        let (m, mut driven) = (0.4, Driven::new(history, 0.4));
        driven.to(1.0, DVec2::ZERO);
        for _ in 0..20_000 {
            let z = (driven.line.apex.z + stream.between(-0.02, 0.02)).clamp(0.05, 2.0);
            let at = driven.at + DVec2::new(stream.between(-0.01, 0.01), stream.between(-0.01, 0.01));
            let q = driven.to(z, at);
            assert!(q.is_finite() && q.length() <= m * driven.line.apex.p * (1.0 + 1e-13));
            assert!(driven.line.count <= history);
        }
    }
}

#[test]
fn stored_energy_is_that_of_the_rings() {
    let mut stream = Stream::named(34, "rings");
    for _ in 0..20 {
        let mut driven = Driven::new(24, 0.5);
        random_closed_path(&mut stream, &mut driven, 0.3);
        driven.move_to(1.3, DVec2::new(0.1, -0.2), 30);
        let line = &driven.line;
        let mut vertices = vec![Vertex::default()];
        vertices.extend((1..line.count).map(|k| Vertex::load(|i| line.below[(k - 1) * VERTEX + i])));
        vertices.push(line.apex);
        let place = |z: f64| {
            let k = vertices.iter().position(|v| v.z >= z).unwrap().max(1);
            let (low, high) = (&vertices[k - 1], &vertices[k]);
            low.s + (high.s - low.s) * ((z - low.z) / (high.z - low.z))
        };
        // Half the integral of (3/4) z^(-1/2) (s_n - s)^2 with z = u^2, by the midpoint rule.
        let n = 20_000;
        let top = line.apex.z.sqrt();
        let rings = (0..n).map(|i| {
            let u = top * (f64::from(i) + 0.5) / f64::from(n);
            0.75 * (line.apex.s - place(u * u)).length_squared() * top / f64::from(n)
        });
        let sum: f64 = rings.sum();
        // h^2 of the midpoint rule, at kinks too.
        assert!((line.stored() / sum - 1.0).abs() < 1e-6, "{} {sum}", line.stored());
    }
}

#[test]
fn steps_of_rounding_size_and_of_none_do_no_harm() {
    let mut driven = Driven::new(6, 0.5);
    driven.to(1e-7, DVec2::ZERO);
    let mut stream = Stream::named(34, "rounding");
    for _ in 0..20_000 {
        let tiny = 1e-7 * math::pow(10.0, stream.between(-17.0, -11.0));
        let z = driven.line.apex.z + stream.between(-tiny, tiny);
        let at = driven.at + DVec2::new(stream.between(-tiny, tiny), 0.0);
        let q = driven.to(z, at);
        assert!(q.is_finite() && q.length() <= 0.5 * driven.line.apex.p * (1.0 + 1e-13));
        let again = driven.to(z, at);
        assert_eq!(q, again, "nothing has moved");
    }
}

fn law() -> Mindlin {
    Mindlin::new(ElasticPair { modulus: 30.0, poisson: 0.2 }, 0.5)
}

/// One contact under a law with its memory.
struct Held<L: FrictionLaw> {
    law: L,
    memory: L::Memory,
    cold: Vec<f64>,
}

impl<L: FrictionLaw> Held<L> {
    fn new(law: L) -> Self {
        Held { law, memory: L::Memory::default(), cold: vec![0.0; law.cold_numbers()] }
    }

    fn resist(&mut self, contact: &Contact) -> DVec3 {
        self.memory = self.memory.turned(|v| contact.transport(v));
        self.law.resist(contact, &mut self.memory, &mut self.cold).force
    }
}

/// The common contact with this slip, overlap and rates of turning about its normal.
fn moving(n: DVec3, slip: DVec3, overlap: f64, rolling: DVec3, spin: [f64; 2]) -> Contact {
    let dt = 0.01;
    let (a, b) = (rolling * 0.5 + n * spin[0], rolling * -0.5 + n * spin[1]);
    let turn = Turn::new(n, n, a + b, dt).1;
    let lever = 0.5 - 0.5 * overlap;
    let turning = (a * lever + b * lever).cross(n);
    Contact {
        normal: n,
        normal_before: n,
        normal_mid: n,
        turn,
        overlap,
        velocity: slip + turning,
        angular_velocity_a: a,
        angular_velocity_b: b,
        lever_a: lever,
        lever_b: lever,
        dt,
        ..contact()
    }
}

/// Loads a contact by random steps; the random numbers are the same for the same name.
fn shake<L: FrictionLaw>(held: &mut Held<L>, steps: u32) -> DVec3 {
    let mut stream = Stream::named(34, "shake");
    let mut force = DVec3::ZERO;
    for _ in 0..steps {
        let slip = DVec3::new(stream.between(-1.0, 1.0), stream.between(-1.0, 1.0), 0.0);
        let overlap = stream.between(0.08, 0.12);
        force = held.resist(&moving(DVec3::Z, slip, overlap, DVec3::Y * 3.0, [0.0; 2]));
    }
    force
}

fn turns_no_load<L: FrictionLaw>(law: L) {
    let mut held = Held::new(law);
    shake(&mut held, 300);
    let overlap = 0.1;
    let expected = held.resist(&moving(DVec3::Z, DVec3::ZERO, overlap, DVec3::ZERO, [0.0; 2]));
    let size = expected.length();
    assert!(size > 0.0);
    // Spinning about the normal as one: the load turns along.
    let mut force = DVec3::ZERO;
    for _ in 0..1000 {
        force = held.resist(&moving(DVec3::Z, DVec3::ZERO, overlap, DVec3::ZERO, [0.7, 0.7]));
    }
    let turned = DQuat::from_rotation_z(0.7 * 10.0) * expected;
    assert!((force - turned).length() < 1e-12 * size, "{force}, not {turned}");
    // Turning about a tangent as one, the normal with it.
    let axis = DVec3::new(0.6, 0.8, 0.0);
    let mut n = DVec3::Z;
    for _ in 0..1000 {
        let next = DQuat::from_axis_angle(axis, 0.002) * n;
        let (mid, turn) = Turn::new(n, next, DVec3::ZERO, 0.01);
        let still = moving(next, DVec3::ZERO, overlap, DVec3::ZERO, [0.0; 2]);
        force = held.resist(&Contact { normal_before: n, normal_mid: mid, turn, ..still });
        n = next;
    }
    let turned = DQuat::from_axis_angle(axis, 2.0) * turned;
    assert!((force - turned).length() < 1e-12 * size, "{force}, not {turned}");
}

#[test]
fn turning_as_one_and_spinning_change_no_load() {
    turns_no_load(law());
    turns_no_load(Creep(law()));
}

#[test]
fn the_pair_taken_the_other_way_round_has_the_opposite_load() {
    let mut held = Held::new(Creep(law()));
    shake(&mut held, 200);
    let (slip, rolling) = (DVec3::new(0.5, -0.2, 0.0), DVec3::X * 2.0);
    let mut other = Held { law: held.law, memory: held.memory, cold: held.cold.clone() };
    other.memory = other.law.swapped(other.memory, &mut other.cold);
    let one = held.resist(&moving(DVec3::Z, slip, 0.1, rolling, [0.0; 2]));
    // a and b change places: n, slip and relative turning change sign.
    let two = other.resist(&moving(DVec3::NEG_Z, -slip, 0.1, -rolling, [0.0; 2]));
    assert!((one + two).length() < 1e-15 && one.length() > 0.1, "{one} {two}");
}

#[test]
fn a_contact_that_begins_counts_the_slip_since_it_touched() {
    // It approaches at 20 m/s and touches after half of the step: slip of half the step, s/d = slip/approach.
    let mut held = Held::new(law());
    let slip = DVec3::X * 2.0;
    let begins = Contact { separation_rate: -20.0, ..moving(DVec3::Z, slip, 0.1, DVec3::ZERO, [0.0; 2]) };
    let force = held.resist(&begins);
    let p = 4.0 / 3.0 * 30.0 / law().elastic.kappa() * 0.25_f64.sqrt() * math::pow(0.1, 1.5);
    assert!((force.x + 0.1 * p).abs() < 1e-15, "{force}");
    // One that was placed with an overlap and parts counts none.
    let mut held = Held::new(law());
    let parts = Contact { separation_rate: 1.0, ..begins };
    assert_eq!(held.resist(&parts), DVec3::ZERO);
}

#[test]
fn a_lane_without_a_contact_forgets() {
    let mut held = Held::new(law());
    shake(&mut held, 5);
    let parted = Contact { overlap: f64::NAN, ..contact() };
    assert_eq!(held.resist(&parted), DVec3::ZERO);
    assert_eq!(held.memory, MindlinMemory::default());
}

/// Steady creep: tau = 1 - (1 - xi/F_max)^3, and with small loads relaxation over (2 - nu) C_11 a/4.
#[test]
fn creep_is_kalkers_in_steady_rolling_and_relaxes_over_the_known_length() {
    let law = Creep(law());
    let overlap = 0.01;
    let patch = (0.25_f64 * overlap).sqrt();
    let most = law.largest_creepage(patch / 0.25);
    let limit = 4.0 / 3.0 * 30.0 * 0.5 * patch * overlap;
    // Rolled per step in radii of the contact, along -x for w = y: roll = -R_eff w x n.
    let rolling = |length: f64| DVec3::Y * (length / (0.25 * 0.01));
    for (share, rolled) in [(0.3, 0.05), (0.9, 0.05), (0.3, 1.0)] {
        let mut held = Held::new(law);
        let slip = DVec3::X * (share * most * rolled * patch / 0.01);
        let mut force = DVec3::ZERO;
        for _ in 0..(100.0 / rolled) as u32 {
            force = held.resist(&moving(DVec3::Z, slip, overlap, rolling(rolled * patch), [0.0; 2]));
        }
        let expected = 1.0 - math::pow(1.0 - share, 3.0);
        assert!((-force.x / limit - expected).abs() < 1e-9, "{share}: {}, not {expected}", -force.x / limit);
    }
    let mut held = Held::new(law);
    let small = DVec3::X * (1e-4 * overlap / 0.01);
    held.resist(&moving(DVec3::Z, DVec3::ZERO, overlap, DVec3::ZERO, [0.0; 2]));
    let start = held.resist(&moving(DVec3::Z, small, overlap, DVec3::ZERO, [0.0; 2])).x;
    let mut force = DVec3::ZERO;
    let step = 1e-3;
    for _ in 0..1000 {
        force = held.resist(&moving(DVec3::Z, DVec3::ZERO, overlap, rolling(step * patch), [0.0; 2]));
    }
    let length = (2.0 - 0.2) * law.0.elastic.creepage_coefficient() / 4.0;
    let expected = math::exp(-1.0 / length);
    // First order in the step, and in the load, which is 1e-3 of the limit.
    assert!((force.x / start / expected - 1.0).abs() < 2e-3, "{} {expected}", force.x / start);
}

#[test]
fn a_dashpot_acts_beside_the_history_and_within_the_limit() {
    let (plain, damped) = (law(), Mindlin { damping_ratio: 0.4, ..law() });
    let slip = DVec3::X * 0.1;
    let step = |law: Mindlin, slip: DVec3| {
        let mut held = Held::new(law);
        held.resist(&moving(DVec3::Z, DVec3::ZERO, 0.1, DVec3::ZERO, [0.0; 2]));
        held.resist(&moving(DVec3::Z, slip, 0.1, DVec3::ZERO, [0.0; 2])).x
    };
    // k_t = 2 G* a; 1/m = 2 + 2 * 0.25 * 10.
    let k = 2.0 * 30.0 / plain.elastic.kappa() * 0.025_f64.sqrt();
    let c = 2.0 * 0.4 * (k / 7.0).sqrt();
    assert!((step(damped, slip) - step(plain, slip) + c * 0.1).abs() < 1e-14);
    let limit = 0.5 * 4.0 / 3.0 * 30.0 * 0.025_f64.sqrt() * 0.1;
    assert!((step(damped, DVec3::X * 2.0) + limit).abs() < 1e-14, "{}", step(damped, DVec3::X * 2.0));
}
