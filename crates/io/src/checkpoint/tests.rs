//! Checkpoints as files: they come back, and whatever is done to them is noticed.

use glam::{DMat3, DVec3};
use stickslip::body::{Body, Motion};
use stickslip::cell::{Cell, CellState, Control, Frame};
use stickslip::column::{COLUMNS, IMAGES};
use stickslip::law::*;
use stickslip::model::{Material, Model};
use stickslip::random::Stream;
use stickslip::shape::Shape;
use stickslip::world::Setup;

use std::fs;

use super::*;

/// Some grains in a row that touch, on a floor, after some steps.
fn example() -> (Setup, Checkpoint) {
    let material = |name: &str| Material { name: name.into(), density: 2500.0 };
    let mut model = Model::new(vec![material("wall"), material("grain")], 1e-5);
    model.gravity = DVec3::new(1.0, 0.0, -9.81).into();
    let laws = SpringLaws {
        slide: Some(Slide::SpringSlider(SlideSlider::new(1e4, 1.0, Limit::mu(0.3)))),
        spin: Some(Spin::SpringSlider(SpinSlider::new(0.1, 0.0, Limit::mu(0.3)))),
        ..SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e5, 10.0)))
    };
    model.laws.set(0, 1, laws);
    model.laws.set(1, 1, laws);
    let mut bodies: Vec<Body> = (0..7)
        .map(|i| Body::new(Shape::Sphere { radius: 0.01 }, 1, DVec3::new(0.0199 * f64::from(i), 0.0, 0.00999)))
        .collect();
    bodies[3].motion = Motion::Held;
    bodies[4].lock[5] = true;
    bodies[5].inertia_body = Some(DVec3::new(1e-7, 1e-7, 1.5e-7));
    bodies.push(Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) });
    let setup = Setup { model, bodies };
    let mut world = World::new(setup.clone()).unwrap();
    world.advance(200).unwrap();
    let description = Description::new(&(&setup).into(), &[Some("first".into())]);
    (setup, Checkpoint::of(&world, &description))
}

impl Checkpoint {
    /// The sections of its file.
    fn sections(&self) -> io::Result<Vec<Section>> {
        format::decode(&self.to_bytes()?).map_err(io::Error::other)
    }
}

fn folder(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("stickslip-checkpoint-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_checkpoint_comes_back_and_the_world_with_it() {
    let (setup, checkpoint) = example();
    assert!(checkpoint.saved.contacts.len() >= 12, "{:?}", checkpoint.saved.contacts);
    let folder = folder("back");
    let path = folder.join(END);
    checkpoint.write(&path).unwrap();
    let read = Checkpoint::read(&path).unwrap();
    assert_eq!(format!("{read:?}"), format!("{checkpoint:?}"));
    assert_eq!(read.hash().unwrap(), checkpoint.hash().unwrap());
    assert_eq!(read.to_bytes().unwrap(), fs::read(&path).unwrap());
    let mut one = World::restore(setup.clone(), &checkpoint.saved).unwrap();
    let mut other = World::restore(setup, &read.saved).unwrap();
    one.advance(50).unwrap();
    other.advance(50).unwrap();
    assert_eq!(format!("{:?}", one.save()), format!("{:?}", other.save()));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn whatever_is_done_to_a_file_is_noticed() {
    let bytes = example().1.to_bytes().unwrap();
    let mut stream = Stream::named(1, "flips");
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (stream.between(0.0, 8.0) as u32).min(7);
        assert!(Checkpoint::from_bytes(&flipped).is_err(), "byte {at}");
    }
    for cut in (0..bytes.len()).step_by(7) {
        assert!(Checkpoint::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn random_content_under_right_checksums_never_panics() {
    let (setup, checkpoint) = example();
    let sections = checkpoint.sections().unwrap();
    let mut stream = Stream::named(2, "content");
    let mut below = |most: usize| (stream.between(0.0, most as f64) as usize).min(most - 1);
    let mut accepted = 0;
    for _ in 0..3000 {
        let mut sections = sections.clone();
        let section = below(sections.len());
        let bytes = &mut sections[section].bytes;
        if bytes.is_empty() {
            continue;
        }
        let at = below(bytes.len());
        bytes[at] ^= 1 << below(8);
        // A changed number may be a sound state; it must only not break anything.
        let changed = format::encode(&sections).unwrap();
        if let Ok(changed) = Checkpoint::from_bytes(&changed) {
            accepted += 1;
            let _ = World::restore(setup.clone(), &changed.saved);
        }
    }
    assert!(accepted > 100);
}

#[test]
fn a_section_that_is_missing_is_named_and_one_that_is_unknown_kept() {
    let (setup, checkpoint) = example();
    let mut sections = checkpoint.sections().unwrap();
    let extra = Section { name: "inflows.random".into(), bytes: [1, 2, 3].repeat(1000) };
    sections.push(extra.clone());
    let file = format::encode(&sections).unwrap();
    let read = Checkpoint::from_bytes(&file).unwrap();
    assert_eq!(read.others.len(), 1);
    assert!(read.to_bytes().unwrap() == file, "the same bytes");
    assert!(read.sections().unwrap().contains(&extra));
    assert_ne!(read.hash().unwrap(), checkpoint.hash().unwrap());
    for missing in 0..sections.len() - 1 {
        let mut fewer = sections.clone();
        let name = fewer.remove(missing).name;
        let read = Checkpoint::from_bytes(&format::encode(&fewer).unwrap());
        // Columns that not every state has are missed by the world that needs them.
        if COLUMNS.iter().any(|column| column.name == name && !column.always) {
            let error = World::restore(setup.clone(), &read.unwrap().saved).unwrap_err().to_string();
            assert!(error.contains(&format!("its column `{name}` is missing")), "{error}");
            continue;
        }
        let error = read.unwrap_err();
        assert!(error.contains(&format!("lacks the section `{name}`")), "{error}");
    }
}

#[test]
fn a_section_is_unpacked_only_if_it_is_known_and_as_long_as_it_should_be() {
    // All sections were unpacked first: unknown ones, and columns of gigabytes in a file of seven bodies.
    let (_, checkpoint) = example();
    // Stored in a way that cannot be unpacked, under a checksum that is right.
    let broken = |name: &str| {
        let mut sections = checkpoint.sections().unwrap();
        if !sections.iter().any(|section| section.name == name) {
            sections.push(Section { name: name.into(), bytes: Vec::new() });
        }
        sections.iter_mut().find(|section| section.name == name).unwrap().bytes = vec![7; 5000];
        let mut file = format::encode(&sections).unwrap();
        format::break_stored(&mut file, name);
        file
    };
    let file = broken("unknown");
    let read = Checkpoint::from_bytes(&file).unwrap();
    assert!(read.to_bytes().unwrap() == file, "written again as it was");
    for column in ["numbers", "bodies.position", "contacts.memory"] {
        let error = Checkpoint::from_bytes(&broken(column)).unwrap_err();
        assert_eq!(error, format!("is damaged: its section `{column}` has 5000 bytes"));
    }
    assert!(Checkpoint::from_bytes(&broken("traffic")).unwrap_err().contains("does not unpack"));
}

#[test]
fn errors_name_the_file() {
    let folder = folder("errors");
    let path = folder.join("a.checkpoint");
    assert!(Checkpoint::read(&path).unwrap_err().contains("a.checkpoint does not exist"));
    fs::write(&path, "not one").unwrap();
    assert!(Checkpoint::read(&path).unwrap_err().contains("a.checkpoint is not a checkpoint"));
    assert!(Checkpoint::read(&folder).unwrap_err().contains("is a folder"));
    fs::remove_dir_all(folder).unwrap();
}

/// A forged file with right checksums, an id twice or an orientation that is no rotation, was taken for sound.
#[test]
fn forged_bodies_are_refused() {
    let forged = |change: &dyn Fn(&mut Checkpoint)| {
        let mut checkpoint = example().1;
        change(&mut checkpoint);
        Checkpoint::from_bytes(&checkpoint.to_bytes().unwrap())
    };
    assert!(forged(&|_| {}).is_ok());
    let twice = forged(&|checkpoint| {
        let id = f64::from(checkpoint.saved.bodies.id(1));
        checkpoint.saved.bodies.row_mut("bodies.id", 2)[0] = id;
    })
    .unwrap_err();
    assert!(twice.contains("twice"), "{twice}");
    for length in [0.0, 50.0, 1.0 + 1e-5] {
        let error = forged(&|checkpoint| {
            let row = checkpoint.saved.bodies.row_mut("bodies.orientation", 1);
            row.iter_mut().for_each(|number| *number *= length);
        });
        assert!(error.unwrap_err().contains("orientation of body"), "{length}");
    }
}

#[test]
fn a_servo_without_a_limit_of_speed_comes_back() {
    // JSON has no infinity: no checkpoint of a scene with such a servo could be read, not even that of a run's end.
    let (mut setup, _) = example();
    let servo = stickslip::body::Servo {
        axis: DVec3::Z,
        force: (-1.0).into(),
        mass: 1.0,
        damping: 0.0,
        max_speed: f64::INFINITY,
    };
    setup.bodies[7].motion = Motion::Servo(servo.clone());
    let world = World::new(setup.clone()).unwrap();
    let checkpoint = Checkpoint::of(&world, &Description::new(&(&setup).into(), &[]));
    let read = Checkpoint::from_bytes(&checkpoint.to_bytes().unwrap()).unwrap();
    assert_eq!(read.description.bodies.get(7).unwrap().motion, Motion::Servo(servo));
}

#[test]
fn more_steps_than_a_run_can_take_are_refused() {
    // The next step overflowed the counter.
    let (setup, mut checkpoint) = example();
    checkpoint.saved.step = u64::MAX - 3;
    let read = Checkpoint::from_bytes(&checkpoint.to_bytes().unwrap()).unwrap();
    let error = World::restore(setup, &read.saved).err().unwrap().to_string();
    assert!(error.contains("18446744073709551612 steps"), "{error}");
}

/// The example as if it had a cell, each number of which differs from the others.
fn with_cell() -> Checkpoint {
    let mut checkpoint = example().1;
    let frame = Frame {
        corner: DVec3::new(-0.1, -0.2, -0.3),
        vectors: DMat3::from_cols_array(&[1.0, 0.01, 0.02, 0.1, 1.1, 0.03, 0.2, 0.3, 1.2]),
        periodic: [true, false, true],
    };
    let gradient = DMat3::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let cell = Cell { frame, control: Control::Strain { gradient: gradient.into() } };
    checkpoint.saved.cell = Some(CellState {
        gradient_rate: 10.0 * gradient,
        strain: 100.0 * gradient,
        built: 0.99 * frame.vectors,
        virial: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        ..CellState::new(&cell, DVec3::new(0.7, 0.8, 0.9))
    });
    let images = (0..checkpoint.saved.bodies.len() as i32).flat_map(|k| [k, -k, i32::MAX - k].map(f64::from)).collect();
    let column = COLUMNS.iter().find(|column| column.name == IMAGES).unwrap();
    checkpoint.saved.bodies.push(column, images);
    checkpoint
}

#[test]
fn a_cell_and_the_images_of_bodies_come_back() {
    let checkpoint = with_cell();
    let read = Checkpoint::from_bytes(&checkpoint.to_bytes().unwrap()).unwrap();
    assert_eq!(read.saved.cell, checkpoint.saved.cell);
    assert_eq!(format!("{read:?}"), format!("{checkpoint:?}"));
    let names: Vec<String> = checkpoint.sections().unwrap().into_iter().map(|section| section.name).collect();
    assert!(names.contains(&"bodies.images".to_owned()));
    let names: Vec<String> = example().1.sections().unwrap().into_iter().map(|section| section.name).collect();
    assert!(!names.iter().any(|name| name == "bodies.images"));
}

#[test]
fn a_cell_that_cannot_be_is_refused() {
    let refused = |change: &dyn Fn(&mut CellState)| {
        let mut checkpoint = with_cell();
        checkpoint.saved.cell.iter_mut().for_each(change);
        Checkpoint::from_bytes(&checkpoint.to_bytes().unwrap()).unwrap_err()
    };
    assert!(refused(&|cell| cell.strain.x_axis.y = f64::NAN).contains("its cell is not finite"));
    assert!(refused(&|cell| cell.frame.vectors.z_axis = DVec3::ZERO).contains("volume of 0 m^3"));
    assert!(refused(&|cell| cell.built = -cell.built).contains("volume of -"));
}

/// The checkpoint with other bytes in its section `numbers`.
fn with_numbers(checkpoint: &Checkpoint, change: impl Fn(&mut Vec<u8>)) -> Result<Checkpoint, String> {
    let mut sections = checkpoint.sections().unwrap();
    let numbers = sections.iter_mut().find(|section| section.name == "numbers").unwrap();
    change(&mut numbers.bytes);
    Checkpoint::from_bytes(&format::encode(&sections).unwrap())
}

/// Bytes of a row of the section `numbers`.
const ROW: usize = 48;

#[test]
fn every_number_has_a_name_and_one_that_is_missing_is_named() {
    let checkpoint = with_cell();
    let names = |bytes: &[u8]| -> Vec<String> {
        let name = |row: &[u8]| String::from_utf8_lossy(&row[..40]).trim_end_matches('\0').to_owned();
        bytes.chunks_exact(ROW).map(name).collect()
    };
    let sections = checkpoint.sections().unwrap();
    let all = names(&sections.iter().find(|section| section.name == "numbers").unwrap().bytes);
    assert!(
        ["step", "dt", "ledger.work.roll", "cell.strain.8", "method.skin"]
            .iter()
            .all(|name| all.contains(&(*name).to_owned())),
        "{all:?}"
    );
    for (at, name) in all.iter().enumerate() {
        let without = with_numbers(&checkpoint, |bytes| drop(bytes.drain(at * ROW..(at + 1) * ROW)));
        match (without, name.split('.').next()) {
            // A sum that a file does not have is zero; a method looks for its numbers itself.
            (Ok(read), Some("ledger" | "method")) => assert!(read.saved.dt == checkpoint.saved.dt),
            (Err(error), Some("cell")) if name == "cell.periodic" => {
                assert!(error.contains("does not know"), "{error}")
            }
            (Err(error), _) => assert_eq!(error, format!("lacks the number `{name}`")),
            (Ok(_), _) => panic!("{name} is not missed"),
        }
    }
}

#[test]
fn what_a_method_keeps_comes_back_by_name() {
    let mut checkpoint = example().1;
    checkpoint.saved.entries = vec![("step_before".into(), 0.25), ("a".repeat(33), f64::MIN_POSITIVE)];
    let read = Checkpoint::from_bytes(&checkpoint.to_bytes().unwrap()).unwrap();
    assert_eq!(read.saved.entries, checkpoint.saved.entries);
    assert_eq!((read.saved.entry("step_before"), read.saved.entry("skin")), (Some(0.25), None));
    // A name that does not fit is an error and no panic, on both ways.
    for name in ["", "two words", &"a".repeat(34)] {
        checkpoint.saved.entries = vec![(name.into(), 1.0)];
        assert!(checkpoint.to_bytes().is_err(), "{name}");
    }
    let refused = |change: &dyn Fn(&mut Vec<u8>)| with_numbers(&read, change).unwrap_err();
    assert!(refused(&|bytes| bytes.truncate(40)).contains("has 40 bytes"));
    assert!(refused(&|bytes| bytes.extend_from_within(..ROW)).contains("twice"));
    assert!(refused(&|bytes| bytes.extend([0; ROW])).contains("a name that is none"));
    let unknown = refused(&|bytes| bytes.extend(b"lost.new".iter().copied().chain([0; ROW - 8])));
    assert_eq!(unknown, "has a number `lost.new` that this version does not know");
}
