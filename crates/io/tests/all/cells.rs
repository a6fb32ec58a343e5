//! Scenes with a periodic cell: what is read, what follows by default, and what a stage takes over.

use std::path::{Path, PathBuf};

use glam::{DMat3, DVec3};
use stickslip::World;
use stickslip::cell::{Cell, CellState, Control, Frame};
use stickslip::column::{COLUMNS, IMAGES};
use stickslip_io::checkpoint::{Checkpoint, Description, END};
use stickslip_io::scene::{self, InputError, Scene, check_text};

fn good(name: &str) -> Scene {
    scene::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/input/good").join(name)).unwrap()
}

fn cell(scene: &Scene) -> Cell {
    scene.setup.model.cell.clone().unwrap()
}

#[test]
fn a_share_of_the_volume_makes_a_cube() {
    let scene = good("18-cell-pressure.toml");
    let Cell { frame, control } = cell(&scene);
    // 60 spheres of diameter 1.
    let volume = 60.0 * std::f64::consts::PI / 6.0;
    assert!((volume / frame.volume() / 0.05 - 1.0).abs() < 1e-14);
    assert_eq!((frame.corner, frame.periodic), (DVec3::ZERO, [true; 3]));
    // Santos' units: m = k = d = 1, so the defaults are 2.25 and 1, to the rounding of the density.
    let Control::Pressure { target, inertia, triclinic } = control else { panic!("{control:?}") };
    assert_eq!((target.at(0.0), triclinic), (DMat3::from_diagonal(DVec3::splat(1e-4)), true));
    assert!((inertia.damping_time / 2.25 - 1.0).abs() < 1e-12 && inertia.energy == 1.0, "{inertia:?}");
    assert_eq!((scene.stop.pressure_error, scene.stop.strain), (Some(1e-5), None));
    let text = check_text(&scene);
    for part in [
        "cell     8.565 x 8.565 x 8.565 m, periodic in all directions",
        "driven   by pressure 1e-4 Pa, lengths and angles change; damping time 2.25 s, inertia (N + 1) x 1 J x damping \
         time^2 = 308.8 kg m^2",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    // Written out: a number that reads back.
    assert!(scene.resolved.contains("energy = 1.0 }"), "{}", scene.resolved);
}

#[test]
fn rows_are_vectors_and_gradients() {
    let scene = good("19-cell-shear.toml");
    let Cell { frame, control } = cell(&scene);
    assert_eq!(frame.vectors.y_axis, DVec3::new(1.0, 8.0, 0.0));
    assert_eq!(frame.corner, DVec3::splat(-4.0));
    let Control::Strain { gradient } = control else { panic!("{control:?}") };
    // d v_x/d y.
    assert_eq!(gradient.at(0.0) * DVec3::Y, DVec3::new(0.1, 0.0, 0.0));
    assert!(check_text(&scene).contains("by a constant velocity gradient [[0, 0.1, 0], [0, 0, 0], [0, 0, 0]] 1/s"));
    for body in scene.setup.bodies.iter() {
        let s = frame.fractions(body.position);
        assert!(s.min_element() >= -1e-12 && s.max_element() < 1.0 + 1e-12, "{s}");
    }
}

#[test]
fn the_inertia_of_hertzian_grains_is_taken_at_a_thousandth_of_the_radius() {
    let Control::MeanStress { pressure, axis, rate, inertia } = cell(&good("21-cell-mean-stress.toml")).control else {
        panic!("another control")
    };
    assert_eq!((pressure, axis, rate), (1e-3.into(), 2, (-0.01).into()));
    // E* = 100/(2 (1 - 0.09)), k = 2 E* sqrt(R_eff d) at R_eff = 0.25, d = 5e-4; m = pi/6.
    let k = 100.0 / 0.91 * (0.25_f64 * 5e-4).sqrt();
    assert!((inertia.energy / k - 1.0).abs() < 1e-12, "{inertia:?} {k}");
    let time = 2.25 * (std::f64::consts::PI / 6.0 / k).sqrt();
    assert!((inertia.damping_time / time - 1.0).abs() < 1e-12);
    let tensor = cell(&good("20-cell-tensor.toml")).control;
    let Control::Pressure { target, inertia, .. } = tensor else { panic!("{tensor:?}") };
    let target = target.at(0.0);
    assert_eq!((target.y_axis.x, target.z_axis.z, inertia.damping_time, inertia.energy), (1e-4, 3e-3, 3.0, 2.0));
}

#[test]
fn grains_do_not_overlap_through_the_faces() {
    for name in ["18-cell-pressure.toml", "19-cell-shear.toml", "20-cell-tensor.toml", "22-cell-chute.toml"] {
        let scene = good(name);
        let frame = cell(&scene).frame;
        let spheres: Vec<(DVec3, f64)> =
            scene.setup.bodies.iter().filter_map(|body| Some((body.position, body.shape.radius()?))).collect();
        // The single sphere of the chute stands apart from its grains.
        for (i, (a, r)) in spheres.iter().enumerate() {
            for (b, s) in &spheres[..i] {
                assert!(frame.nearest(*a - *b).length() > r + s, "{name}");
            }
        }
        assert!(scene.notes.iter().all(|note| !note.contains("overlap")), "{:?}", scene.notes);
    }
}

#[test]
fn gravity_without_a_floor_is_a_warning() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/input/good/18-cell-pressure.toml");
    let text = format!("gravity = [0, 0, -1]\n{}", std::fs::read_to_string(path).unwrap());
    let scene = scene::load_text("falling.toml", &text, Path::new("")).unwrap();
    assert!(scene.warnings.iter().any(|warning| warning.contains("fall for ever")), "{:?}", scene.warnings);
    assert!(good("22-cell-chute.toml").warnings.is_empty());
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-cells-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("first")).unwrap();
        Folder(path)
    }

    fn load(&self, text: &str) -> Result<Scene, InputError> {
        scene::load_text("stage.toml", text, &self.0)
    }

    /// Leaves the checkpoint of a first run, whose cell has this frame at the end.
    fn first(&self, frame: Option<Frame>) {
        let scene = self.load(&first()).unwrap();
        let world = World::new(scene.setup.to_setup()).unwrap();
        let mut checkpoint = Checkpoint::of(&world, &Description::new(&scene.setup, &scene.names));
        checkpoint.saved.cell =
            frame.map(|frame| CellState::new(&Cell { frame, control: Control::Fixed }, DVec3::ZERO));
        // With a cell there is a column of images: no body has been put back.
        let bodies = checkpoint.saved.bodies.len();
        let images = COLUMNS.iter().filter(|column| column.name == IMAGES && frame.is_some());
        images.for_each(|column| checkpoint.saved.bodies.push(column, vec![0.0; bodies * column.width]));
        checkpoint.write(&self.0.join("first").join(END)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const COMMON: &str = "[time]\nend = 1.0\nstep = 0.01\n[material.grain]\ndensity = 1.0\n[[contact]]\n\
    between = [\"grain\", \"grain\"]\nnormal = { law = \"hooke\", stiffness = 1.0, damping = 0.5 }\n";

fn first() -> String {
    let grains = "[[grains]]\nmaterial = \"grain\"\ncount = 9\nradius = 0.5\n\
         place = { kind = \"random\", from = [1, 1, 1], to = [6, 6, 6] }\n";
    format!("{COMMON}{grains}")
}

fn stage(cell: &str) -> String {
    format!("{COMMON}[start]\nfrom = \"first\"\n{cell}")
}

fn leaning() -> Frame {
    let vectors = DMat3::from_cols_array(&[7.5, 0.0, 0.0, 1.0 / 3.0, 7.7, 0.0, -0.1, 0.7, 8.1]);
    Frame { corner: DVec3::new(0.1, 0.2, 0.3), ..Frame::new(vectors) }
}

#[test]
fn a_stage_takes_the_cell_over_and_drives_it_itself() {
    let folder = Folder::new("over");
    folder.first(Some(leaning()));
    let scene = folder.load(&stage("[cell]\ncontrol = { kind = \"pressure\", pressure = 1e-3 }\n")).unwrap();
    assert_eq!(cell(&scene).frame, leaning());
    assert!(matches!(cell(&scene).control, Control::Pressure { .. }));
    // Without a table it stays as it is, and is fixed.
    let fixed = folder.load(&stage("")).unwrap();
    assert_eq!(cell(&fixed), Cell { frame: leaning(), control: Control::Fixed });
    // The resolved scene leaves to the checkpoint what is its own.
    for scene in [&scene, &fixed] {
        let run = Folder::new("over-run");
        scene.start.as_ref().unwrap().write(&run.0).unwrap();
        let again = run.load(&scene.resolved).unwrap();
        assert_eq!(again.setup, scene.setup);
        assert!(!scene.resolved.contains("vectors ="), "{}", scene.resolved);
    }
}

#[test]
fn what_a_stage_cannot_say_of_its_cell() {
    let folder = Folder::new("cannot");
    folder.first(Some(leaning()));
    let error = |cell: &str| folder.load(&stage(cell)).unwrap_err().message().to_owned();
    let size = error("[cell]\nvectors = [[9, 0, 0], [0, 9, 0], [0, 0, 9]]\n");
    assert!(size.contains("`vectors` comes from the run that this scene starts from"), "{size}");
    let corner = error("[cell]\ncorner = [0, 0, 0]\n");
    assert!(corner.contains("`corner` comes from"), "{corner}");
    let other = error("[cell]\nperiodic = [true, true, false]\n");
    assert!(other.contains("has periodic = [true, true, true], not [true, true, false]"), "{other}");
    assert!(folder.load(&stage("[cell]\nperiodic = [true, true, true]\n")).is_ok());
    folder.first(None);
    let none = folder.load(&stage("[cell]\nperiodic = [true, true, true]\n")).unwrap_err();
    assert!(none.advice().unwrap().contains("has no cell: give its `vectors`"), "{none}");
    let scene = folder.load(&stage("[cell]\nvectors = [[9, 0, 0], [0, 9, 0], [0, 0, 9]]\n")).unwrap();
    assert!(!scene.start.as_ref().unwrap().is_exact());
    assert!(scene.notes.iter().any(|note| note.contains("that run had no cell")), "{:?}", scene.notes);
    assert!(scene.resolved.contains("vectors = [[9.0, 0.0, 0.0]"), "{}", scene.resolved);
}
