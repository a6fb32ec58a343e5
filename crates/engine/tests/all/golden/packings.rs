//! Golden scenes of spheres packed from the start: laws, their options, pairs of materials, cells.

use super::Scene;
use crate::common;
use crate::common::*;
use glam::{DMat3, DVec3};
use stickslip::cell::{Cell, CellInertia, Control, Frame};
use stickslip::law::*;
use stickslip::model::Integrator;
use stickslip::random::Stream;
use stickslip::world::Setup;
use stickslip::{Body, Material, Model};

/// Stiffness (N/m) of all packings; masses are 1.
pub const STIFFNESS: f64 = 2e4;
/// A twentieth of how long two such spheres touch (s).
pub const DT: f64 = 5e-4;

/// Spheres of mass 1 and a diameter near 1 on a lattice, some of which overlap, in motion.
pub fn lattice(counts: [u32; 3], spacing: f64, speed: f64) -> Vec<Body> {
    let mut stream = Stream::named(31, "golden");
    let [nx, ny, nz] = counts;
    let places =
        (0..nx * ny * nz).map(|i| DVec3::new(f64::from(i % nx), f64::from(i / nx % ny), f64::from(i / nx / ny)));
    places
        .map(|place| {
            let centre = (place + 0.5) * spacing + random_vector(&mut stream, 0.02);
            Body {
                velocity: random_vector(&mut stream, speed),
                angular_velocity: random_vector(&mut stream, 5.0),
                mass: Some(1.0),
                ..sphere(stream.between(0.46, 0.5), centre)
            }
        })
        .collect()
}

/// A floor and four sides around a lattice of these counts, at the places of its faces.
pub fn bin(counts: [u32; 3], spacing: f64) -> Vec<Body> {
    let [x, y] = [counts[0], counts[1]].map(|count| f64::from(count) * spacing);
    let sides = [
        (DVec3::Z, DVec3::ZERO),
        (DVec3::X, DVec3::ZERO),
        (DVec3::NEG_X, DVec3::X * x),
        (DVec3::Y, DVec3::ZERO),
        (DVec3::NEG_Y, DVec3::Y * y),
    ];
    sides.map(|(normal, at)| plane(normal, at)).to_vec()
}

/// A bin of 288 spheres, two chunks, that fall and slide to and fro. Walls have the ids 0 to 4.
pub fn binned(model: Model) -> Setup {
    let (counts, spacing) = ([6, 6, 8], 0.965);
    let mut bodies = bin(counts, spacing);
    bodies.extend(lattice(counts, spacing, 2.0));
    Setup { model: Model { gravity: DVec3::new(20.0, 5.0, -50.0).into(), ..model }, bodies }
}

fn of_laws((name, laws): (&'static str, SpringLaws)) -> Scene {
    Scene { name, setup: binned(model(damped(laws), DT)), steps: 200, least_rows: 400 }
}

/// Every law in its default form.
pub fn every_law() -> Vec<Scene> {
    common::every_law(STIFFNESS).into_iter().map(of_laws).collect()
}

/// Options that are not the default, and the other forms of `tracked`.
pub fn every_option() -> Vec<Scene> {
    common::every_option(STIFFNESS).into_iter().chain(other_tracked(STIFFNESS)).map(of_laws).collect()
}

/// The laws of this name, damped.
pub fn law(name: &str) -> SpringLaws {
    let all = common::every_law(STIFFNESS).into_iter().chain(other_tracked(STIFFNESS));
    damped(all.into_iter().find(|(known, _)| *known == name).expect("a law of the lists").1)
}

/// Three materials whose pairs remember from nothing to all that there is.
pub fn materials() -> Scene {
    let material = |name: &str| Material { name: name.into(), density: UNIT_DENSITY };
    let mut model = Model::new(["wall", "light", "heavy"].map(material).to_vec(), DT);
    let bare = law("spring-slider").normal;
    let slide_only = SpringLaws { roll: None, spin: None, ..law("spring-slider") };
    model.laws.set(0, 1, law("spring-slider"));
    model.laws.set(0, 2, law("constant-torque"));
    model.laws.set(1, 1, law("tracked, points"));
    model.laws.set(1, 2, slide_only);
    model.laws.set(2, 2, SpringLaws::frictionless(bare));
    let mut setup = binned(model);
    for (id, body) in setup.bodies.iter_mut().enumerate().skip(5) {
        body.material = 1 + u16::from(id % 3 == 0);
        body.mass = Some(if id % 3 == 0 { 2.0 } else { 1.0 });
    }
    Scene { name: "three materials", setup, steps: 300, least_rows: 400 }
}

/// The other integrator.
pub fn symplectic() -> Scene {
    let mut setup = binned(model(law("lubkin, damping ratio"), DT));
    setup.model.method = stickslip::model::Explicit::default().with_integrator(Integrator::SymplecticEuler).into();
    Scene { name: "symplectic Euler", setup, steps: 300, least_rows: 400 }
}

/// 343 spheres that fill a cell which leans a little.
fn in_cell(name: &'static str, control: Control, laws: SpringLaws) -> Scene {
    let (counts, spacing) = ([7, 7, 7], 0.95);
    let skew = DMat3::from_cols(DVec3::X, DVec3::new(0.1, 1.0, 0.0), DVec3::new(-0.05, 0.08, 1.0));
    let corner = DVec3::new(1.0, -2.0, 0.5);
    let frame = Frame { corner, ..Frame::new(skew * (7.0 * spacing)) };
    let mut bodies = lattice(counts, spacing, 1.0);
    bodies.iter_mut().for_each(|body| body.position = corner + skew * body.position);
    let mut model = model(laws, DT);
    model.cell = Some(Cell { frame, control });
    Scene { name, setup: Setup { model, bodies }, steps: 300, least_rows: 400 }
}

/// The spheres of a cell that repeats along x and y only, over a floor.
fn over_a_floor() -> Scene {
    let mut scene = in_cell("a cell over a floor", Control::Fixed, law("epsd"));
    let cell = scene.setup.model.cell.as_mut().expect("a cell");
    let side = 7.0 * 0.95;
    cell.frame = Frame {
        corner: DVec3::ZERO,
        vectors: DMat3::from_diagonal(DVec3::new(side, side, 2.0 * side)),
        periodic: [true, true, false],
    };
    scene.setup.bodies = lattice([7, 7, 7], 0.95, 2.0);
    scene.setup.bodies.insert(100, plane(DVec3::Z, DVec3::ZERO));
    scene.setup.model.gravity = DVec3::new(30.0, 5.0, -50.0).into();
    scene
}

/// What drives a cell.
pub fn cells() -> Vec<Scene> {
    let inertia = CellInertia { damping_time: 0.02, energy: STIFFNESS };
    let slider = law("spring-slider");
    // Shear with turning and compression, fast enough to exchange the cell for another of its lattice.
    let gradient = DMat3::from_cols(DVec3::new(-0.2, 0.5, 0.0), DVec3::new(4.0, 0.0, 0.3), DVec3::new(0.0, -0.4, 0.1));
    let target =
        DMat3::from_cols(DVec3::new(900.0, 80.0, 0.0), DVec3::new(80.0, 1100.0, -60.0), DVec3::new(0.0, -60.0, 1000.0));
    let straight = DMat3::from_diagonal(DVec3::splat(1000.0));
    let mut damped = in_cell(
        "a cell under pressure, local damping",
        Control::Pressure { target: straight.into(), inertia, triclinic: false },
        law("tracked"),
    );
    damped.setup.model.method = stickslip::model::Explicit::default().with_local_damping(0.2).into();
    damped.setup.model.cell.as_mut().expect("a cell").frame.vectors = DMat3::from_diagonal(DVec3::splat(7.0 * 0.95));
    vec![
        in_cell("a fixed cell", Control::Fixed, law("viscous, marshall")),
        in_cell("a cell under strain", Control::Strain { gradient: gradient.into() }, slider),
        in_cell(
            "a cell under strain, tracked by points",
            Control::Strain { gradient: gradient.into() },
            law("tracked, points"),
        ),
        in_cell(
            "a cell under pressure, triclinic",
            Control::Pressure { target: target.into(), inertia, triclinic: true },
            slider,
        ),
        in_cell(
            "a cell under mean stress",
            Control::MeanStress { pressure: 1000.0.into(), axis: 2, rate: (-0.3).into(), inertia },
            law("constant-torque"),
        ),
        damped,
        over_a_floor(),
    ]
}
