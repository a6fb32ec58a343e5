//! A small run written by the recorder itself, read back.

use std::fs;

use glam::{DMat3, DVec3};
use stickslip::World;
use stickslip::cell::{Cell, CellState, Control};
use stickslip::column::{COLUMNS, IMAGES};

use super::*;
use crate::results::testing::{small_world, test_folder};
use crate::results::{Recorder, RunInfo};
use crate::scene::{Every, Format, Record, What};

/// Runs ten steps of the small world with records of this format; returns the world at the end.
fn run(folder: &Path, format: Format) -> (World, RunInfo) {
    let (mut world, mut info) = small_world();
    info.rename(1, "a \"b\", c");
    let record =
        |what: What, name: &str| Record { what, every: Every::Time(0.005), format, name: name.into(), contacts: false };
    let records = [record(What::Bodies, "balls"), record(What::Contacts, "contacts"), record(What::Walls, "walls")];
    let file = RunFolder::create(folder, false, &records).unwrap();
    let json = RunJson { simulated_time: 0.01, ..RunJson::starting("Small", Path::new("small.toml"), "", &records) };
    file.write_run(&json).unwrap();
    let word = format.word();
    file.write_scene(&format!(
        "gravity = [0, 0, -9.81]\n[[contact]]\nslide = {{ law = \"x\" }}\n[[body]]\nname = \"floor\"\n\
         shape = {{ kind = \"plane\", normal = [0, 0, 2] }}\nposition = [0.0, 1.0, 0.0]\n\
         [[record]]\nwhat = \"series\"\n[[record]]\nwhat = \"bodies\"\nname = \"balls\"\nformat = \"{word}\"\n\
         [[record]]\nwhat = \"contacts\"\nformat = \"{word}\"\n\
         [[record]]\nwhat = \"walls\"\nformat = \"{word}\"\n"
    ))
    .unwrap();
    world.keep_rows(true);
    let mut recorder = Recorder::new(folder, &records, 1e-3, 10, &info).unwrap();
    recorder.write(&world, false).unwrap();
    for step in 1..=10 {
        world.advance(1).unwrap();
        recorder.write(&world, step == 10).unwrap();
    }
    recorder.finish().unwrap();
    file.tidy(&json).unwrap();
    (world, info)
}

#[test]
fn a_run_reads_back_from_csv_and_parquet() {
    for format in [Format::Csv, Format::Parquet] {
        let folder = test_folder(&format!("reader-{}", format.word()));
        let (world, _) = run(&folder, format);
        let found = Run::open(&folder).unwrap();
        assert_eq!((found.gravity, found.resists), (DVec3::new(0.0, 0.0, -9.81), [true, false, false]));
        assert_eq!(found.bodies[1].name, "a \"b\", c");
        assert_eq!((found.bodies[0].radius, found.bodies[1].radius), (None, Some(0.1)));
        assert_eq!((found.walls[0].normal, found.walls[0].position), (Some(DVec3::Z), DVec3::Y));
        let steps: Vec<u64> = found.times(Held::Bodies).unwrap().into_iter().map(|time| time.1).collect();
        assert_eq!(steps, [0, 5, 10]);
        let (frame, contacts) = found.bodies_and_contacts(None).unwrap();
        let bodies: Vec<_> = (0..3).map(|id| world.body(id)).collect();
        // Numbers keep their bits in both formats.
        assert_eq!((frame.step, frame.positions[0], frame.velocities[1]), (10, bodies[1].position, bodies[2].velocity));
        assert_eq!(frame.walls[0].1, bodies[0].force);
        let rows: Vec<ContactLoad> = world.rows().iter().map(ContactLoad::from).collect();
        assert_eq!(contacts, rows);
        assert_eq!(found.frame_at(Some(0.0051)).unwrap().step, 5);
        fs::remove_dir_all(folder).unwrap();
    }
}

/// Once the record `walls` could not be read at all: the reader knew bodies and contacts only.
#[test]
fn walls_are_read_from_their_own_record() {
    for format in [Format::Csv, Format::Parquet] {
        let folder = test_folder(&format!("reader-walls-{}", format.word()));
        run(&folder, format);
        let found = Run::open(&folder).unwrap();
        assert_eq!(found.with_walls(), Held::Walls);
        let (mut walls, mut bodies) = (Vec::new(), Vec::new());
        found.frames_of(Held::Walls, &mut |_| true, &mut |frame| walls.push(frame.clone())).unwrap();
        found.frames(&mut |_| true, &mut |frame| bodies.push(frame.clone())).unwrap();
        let loads = |frames: &[Frame]| frames.iter().map(|frame| (frame.step, frame.walls.clone())).collect::<Vec<_>>();
        assert_eq!(loads(&walls), loads(&bodies));
        assert!(walls.iter().all(|frame| frame.ids.is_empty()) && walls.len() == 3);
        fs::remove_file(folder.join(format!("walls.{}", format.word()))).unwrap();
        assert_eq!(Run::open(&folder).unwrap().with_walls(), Held::Bodies);
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn what_is_missing_is_named() {
    let folder = test_folder("reader-missing");
    let message = Run::open(&folder).unwrap_err().to_string();
    assert!(message.contains("holds no run") && message.contains("run.json"), "{message}");
    run(&folder, Format::Csv);
    let found = Run::open(&folder).unwrap();
    let message = found.step_at(Held::Bodies, Some(7.0)).unwrap_err().to_string();
    assert!(message.contains("near 7 s") && message.contains("to 0.01"), "{message}");
    fs::remove_file(folder.join("contacts.csv")).unwrap();
    let found = Run::open(&folder).unwrap();
    assert!(found.has(Held::Bodies) && !found.has(Held::Contacts));
    let message = found.bodies_and_contacts(None).unwrap_err().to_string();
    assert!(message.contains("[[record]]\nwhat  = \"contacts\"\nevery = 0.0001"), "{message}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_broken_list_of_bodies_says_its_line() {
    assert!(known_bodies("id,name\n").unwrap_err().contains("`shape`"));
    let error = known_bodies("id,name,material,shape,radius,mass,inertia\n0,,g,sphere,0.1,1.0,1.0\n2,,,,,,\n");
    assert!(error.unwrap_err().contains("line 3"));
}

#[test]
fn the_cell_is_read_from_the_end_and_from_the_series() {
    let folder = test_folder("reader-cell");
    let (world, _) = run(&folder, Format::Csv);
    let end = |cell: Option<cell::Frame>| {
        let description = crate::checkpoint::Description::default();
        let mut checkpoint = Checkpoint::of(&world, &description);
        checkpoint.saved.bodies.truncate(0);
        checkpoint.saved.contacts = Default::default();
        checkpoint.saved.spheres = 0;
        checkpoint.saved.cell = cell.map(|frame| CellState::new(&Cell { frame, control: Control::Fixed }, DVec3::ZERO));
        // With a cell there is a column of images, of no body here.
        let images = COLUMNS.iter().filter(|column| column.name == IMAGES && cell.is_some());
        images.for_each(|column| checkpoint.saved.bodies.push(column, Vec::new()));
        checkpoint.write(&folder.join(checkpoint::END)).unwrap();
    };
    end(None);
    let found = Run::open(&folder).unwrap();
    assert_eq!((found.cell_frame().unwrap(), found.cell_frame_at(0).unwrap()), (None, None));
    let vectors = DMat3::from_cols_array(&[8.0, 0.0, 0.0, 1.0, 9.0, 0.0, -2.0, 0.5, 10.0]);
    let frame = cell::Frame { corner: DVec3::new(1.0, 2.0, 3.0), ..cell::Frame::new(vectors) };
    end(Some(frame));
    let scene = fs::read_to_string(folder.join("scene.toml")).unwrap();
    fs::write(folder.join("scene.toml"), format!("{scene}[cell]\nperiodic = [true, true, true]\n")).unwrap();
    let line = |step: u64, size: f64| {
        let numbers = (vectors * size).to_cols_array().into_iter().chain(frame.corner.to_array());
        let numbers: Vec<String> = numbers.map(|number| format!("{number:?}")).collect();
        format!("{},{step},{}\n", 0.001 * step as f64, numbers.join(","))
    };
    let header = format!("time,step,{}\n", cell_row::FRAME.join(","));
    fs::write(folder.join("series.csv"), format!("{header}{}{}", line(0, 1.0), line(10, 0.5))).unwrap();
    let found = Run::open(&folder).unwrap();
    assert_eq!(found.cell_frame().unwrap(), Some(frame));
    assert_eq!(found.cell_frame_at(0).unwrap(), Some(frame));
    assert_eq!(found.cell_frame_at(10).unwrap().unwrap().vectors, vectors * 0.5);
    assert_eq!(found.cell_frame_at(5).unwrap(), None);
    fs::remove_dir_all(folder).unwrap();
}

/// A body or a material with a line end in its name made a folder that `measure` could not read.
#[test]
fn names_of_any_characters_read_back() {
    let names = ["two\nlines", "a,\"b\"", "end\r\n", "\u{7}\u{1b}[31m", "", "\""];
    let body = |name: &str| fixed::FixedBody {
        name: name.into(),
        material: 0,
        shape: stickslip::shape::Shape::Sphere { radius: 0.5 },
        mass: 2.0,
        inertia_body: DVec3::splat(0.2),
    };
    let mut table = b"id,name,material,shape,radius,mass,inertia,size\n".to_vec();
    fixed::append(&mut table, 0, names.iter().map(|name| body(name)), &["gra\nin".to_owned()]).unwrap();
    let mut text = String::from_utf8(table).unwrap();
    let read: Vec<String> = known_bodies(&text).unwrap().into_iter().map(|body| body.name).collect();
    assert_eq!(read, names);
    // The line of what is broken behind them: the names before it have two line ends, the material one in each row.
    text.push_str("8,,,,,,\n");
    assert!(known_bodies(&text).unwrap_err().contains(&format!("line {}", 2 + 6 + 2 + 6)), "{text}");
}
