//! Snapshots for ParaView: VTK PolyData files (`.vtp`) for each moment, and `.pvd` lists of them with their times.
//!
//! `<name>.pvd` has the centres of the spheres as points; planes are left out. With contacts, `<name>-contacts.pvd` has
//! the contact points and `<name>-chains.pvd` lines between the centres (`vtp_contacts.rs`). Arrays are inline base64 in
//! front of which stands their length in bytes (UInt64), little-endian: valid XML that any reader can take apart. No
//! compression.

use std::io;
use std::path::{Path, PathBuf};

use glam::DVec3;
use stickslip::cell::CellState;
use stickslip::measure::{BodyView, PartView};
use stickslip::{Shape, World};

use super::file::{base64, escape, write_whole};
use super::growing::{Marks, SnapshotMark, time_at};
use super::vtp_contacts;

/// The stems of the lists that a record of this name writes.
pub fn stems(name: &str, contacts: bool) -> Vec<String> {
    let of_contacts = if contacts { &["-contacts", "-chains"][..] } else { &[] };
    [""].iter().chain(of_contacts).map(|ending| format!("{name}{ending}")).collect()
}

/// The snapshots of one record.
#[derive(Debug)]
pub struct Collection {
    /// Bodies, and if they are asked for, contacts and chains.
    lists: Vec<List>,
}

impl Collection {
    /// No snapshot yet; nothing is written.
    pub fn new(folder: &Path, name: &str, contacts: bool) -> Self {
        let mark = |stem| SnapshotMark { stem, files: Vec::new() };
        let list = |stem| List { folder: folder.to_owned(), mark: mark(stem), entries: String::new() };
        Collection { lists: stems(name, contacts).into_iter().map(list).collect() }
    }

    /// Takes up the snapshots of these marks, of a run of step `dt` (s), and writes lists of them and of no others.
    pub fn go_on(&mut self, marks: &Marks, dt: f64) -> io::Result<()> {
        self.lists.iter_mut().try_for_each(|list| {
            for &(step, bytes) in &marks.of_snapshots(&list.mark.stem)?.files {
                list.enter(step, time_at(&marks.stages, step, dt), bytes);
            }
            list.write()
        })
    }

    /// Which files there are.
    pub fn marks(&self) -> impl Iterator<Item = &SnapshotMark> {
        self.lists.iter().map(|list| &list.mark)
    }

    /// Writes the files of this moment, and the lists with them. Contacts are those that the world kept.
    pub fn add(&mut self, world: &World, material_of: &[u16]) -> io::Result<()> {
        match &mut self.lists[..] {
            [bodies, contacts, chains] => {
                let rows = world.rows();
                bodies.add(world, &snapshot(world, material_of))?;
                contacts.add(world, &vtp_contacts::points(world, &rows))?;
                chains.add(world, &vtp_contacts::chains(world, &rows))
            }
            lists => lists.iter_mut().try_for_each(|list| list.add(world, &snapshot(world, material_of))),
        }
    }
}

/// Files of one kind and their list.
#[derive(Debug)]
struct List {
    folder: PathBuf,
    mark: SnapshotMark,
    entries: String,
}

impl List {
    /// Writes `<stem>-<step>.vtp` and the list with it.
    fn add(&mut self, world: &World, file_text: &str) -> io::Result<()> {
        write_whole(&self.folder.join(self.file(world.steps())), file_text.as_bytes())?;
        self.enter(world.steps(), world.time(), file_text.len() as u64);
        self.write()
    }

    fn file(&self, step: u64) -> String {
        format!("{}-{step}.vtp", self.mark.stem)
    }

    fn enter(&mut self, step: u64, time: f64, bytes: u64) {
        let file = escape(&self.file(step));
        self.entries += &format!("    <DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{file}\"/>\n");
        self.mark.files.push((step, bytes));
    }

    fn write(&self) -> io::Result<()> {
        let list = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  \
             <Collection>\n{}  </Collection>\n</VTKFile>\n",
            self.entries
        );
        write_whole(&self.folder.join(format!("{}.pvd", self.mark.stem)), list.as_bytes())
    }
}

/// A body as the points of a snapshot show it: a clump by each of its parts, which has the body's id, velocity at its own place and loads.
fn parts(world: &World, body: BodyView) -> Vec<BodyView> {
    let place = |part: PartView| {
        let half_size = match part.shape {
            Shape::Ellipsoid { axes } => axes,
            Shape::Box { size } => size * 0.5,
            Shape::Cylinder { radius, length, axis } => {
                // The half extents of the box around it that has its axes; exact along an axis of the body.
                let along = axis.abs() * (0.5 * length);
                along + (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt) * radius
            }
            ref shape => DVec3::splat(shape.radius().unwrap_or(0.0)),
        };
        let velocity = body.velocity + body.angular_velocity.cross(part.position - body.position);
        let (position, orientation) = (part.position, part.orientation);
        let radius = part.shape.radius().unwrap_or(0.0);
        BodyView { position, orientation, velocity, radius, half_size, ..body }
    };
    let parts: Vec<BodyView> = world.parts(body.id).map(place).collect();
    if parts.len() > 1 { parts } else { vec![body] }
}

/// The spheres of a world as a VTK file. `material_of` has the index of each body's material.
pub fn snapshot(world: &World, material_of: &[u16]) -> String {
    let views = world.ids().map(|id| world.body(id)).filter(|view| view.radius > 0.0);
    let spheres: Vec<BodyView> = views.flat_map(|view| parts(world, view)).collect();
    let count = spheres.len() as i64;
    let material = |id: u32| material_of.get(id as usize).map_or(-1, |&material| i64::from(material));
    let orientations =
        spheres.iter().flat_map(|s| [s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z]);
    let data = [
        integers("id", spheres.iter().map(|s| i64::from(s.id))),
        scalars("radius", spheres.iter().map(|s| s.radius)),
        vectors("half_size", spheres.iter().map(|s| s.half_size)),
        integers("material", spheres.iter().map(|s| material(s.id))),
        vectors("velocity", spheres.iter().map(|s| s.velocity)),
        vectors("angular_velocity", spheres.iter().map(|s| s.angular_velocity)),
        scalars("speed", spheres.iter().map(|s| s.velocity.length())),
        vectors("force", spheres.iter().map(|s| s.force)),
        vectors("torque", spheres.iter().map(|s| s.torque)),
        // w, x, y, z: the order in which ParaView's glyphs take a quaternion.
        array("Float64", "orientation", 4, orientations.map(f64::to_le_bytes)),
    ];
    PolyData {
        points: spheres.iter().map(|s| s.position).collect(),
        shown: ("radius", "velocity"),
        point_data: data.concat(),
        // Each point is also a vertex: without cells ParaView shows nothing.
        cells: Cells::Vertices,
        count,
        field_data: of_cell(world.cell()),
    }
    .text(world.time())
}

/// The corner of the periodic cell (m) and its three vectors (m), if there is one.
pub(super) fn of_cell(cell: Option<&CellState>) -> String {
    cell.map_or_else(String::new, |cell| {
        let vectors = cell.frame.vectors.to_cols_array();
        let field = |name: &str, components: usize, numbers: &[f64]| {
            array("Float64", name, components, numbers.iter().map(|number| number.to_le_bytes()))
                .replace("<DataArray ", "<DataArray NumberOfTuples=\"1\" ")
        };
        field("CellCorner", 3, &cell.frame.corner.to_array()) + &field("CellVectors", 9, &vectors)
    })
}

/// What the points of a file are joined to.
pub(super) enum Cells {
    /// Each point is a cell.
    Vertices,
    /// Two points after each other are a line.
    Lines,
}

/// One VTK file before it is text.
pub(super) struct PolyData {
    /// The points (m).
    pub points: Vec<DVec3>,
    /// The scalars and the vectors that ParaView shows first.
    pub shown: (&'static str, &'static str),
    /// Arrays with a value for each point.
    pub point_data: String,
    /// What the points make.
    pub cells: Cells,
    /// How many cells.
    pub count: i64,
    /// Arrays about the whole: those of the periodic cell.
    pub field_data: String,
}

impl PolyData {
    /// The file.
    pub fn text(self, time: f64) -> String {
        let (count, (scalars, of_vectors)) = (self.count, self.shown);
        let (tag, size, lines) = match self.cells {
            Cells::Vertices => ("Verts", 1, 0),
            Cells::Lines => ("Lines", 2, count),
        };
        let (total, vertices) = (self.points.len(), count - lines);
        let points = vectors("Points", self.points.into_iter());
        let connectivity = integers("connectivity", 0..size * count);
        let offsets = integers("offsets", (1..=count).map(|cell| size * cell));
        let time = array("Float64", "TimeValue", 1, [time.to_le_bytes()].into_iter())
            .replace("<DataArray ", "<DataArray NumberOfTuples=\"1\" ");
        format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n\
             <FieldData>\n{time}{}</FieldData>\n\
             <Piece NumberOfPoints=\"{total}\" NumberOfVerts=\"{vertices}\" NumberOfLines=\"{lines}\" NumberOfStrips=\"0\" \
             NumberOfPolys=\"0\">\n\
             <PointData Scalars=\"{scalars}\" Vectors=\"{of_vectors}\">\n{}</PointData>\n\
             <Points>\n{points}</Points>\n<{tag}>\n{connectivity}{offsets}</{tag}>\n\
             </Piece>\n</PolyData>\n</VTKFile>\n",
            self.field_data, self.point_data
        )
    }
}

/// An array of numbers.
pub(super) fn scalars(name: &str, values: impl Iterator<Item = f64>) -> String {
    array("Float64", name, 1, values.map(f64::to_le_bytes))
}

/// An array of whole numbers.
pub(super) fn integers(name: &str, values: impl Iterator<Item = i64>) -> String {
    array("Int64", name, 1, values.map(i64::to_le_bytes))
}

/// An array of vectors.
pub(super) fn vectors(name: &str, values: impl Iterator<Item = DVec3>) -> String {
    array("Float64", name, 3, values.flat_map(|v| v.to_array()).map(f64::to_le_bytes))
}

/// One array of numbers, given as their bytes.
fn array(kind: &str, name: &str, components: usize, numbers: impl Iterator<Item = [u8; 8]>) -> String {
    let body: Vec<u8> = numbers.flatten().collect();
    let mut bytes = (body.len() as u64).to_le_bytes().to_vec();
    bytes.extend(body);
    format!(
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"binary\">{}\
         </DataArray>\n",
        base64(&bytes)
    )
}

#[cfg(test)]
pub(super) mod tests {
    use stickslip::cell::{Cell, Control, Frame};

    use super::super::testing::{small_world, tags, test_folder};
    use super::*;

    fn decode(text: &str) -> Vec<u8> {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digit = |byte: u8| ALPHABET.iter().position(|&b| b == byte).unwrap() as u32;
        let digits: Vec<u32> = text.bytes().filter(|&byte| byte != b'=').map(digit).collect();
        let bytes = |chunk: &[u32]| {
            let bits = chunk.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - chunk.len()));
            [bits >> 16, bits >> 8, bits].map(|b| b as u8)[..chunk.len() - 1].to_vec()
        };
        digits.chunks(4).flat_map(bytes).collect()
    }

    /// The numbers of an array, by its name: eight bytes each, after their length.
    pub fn words(xml: &str, name: &str) -> Vec<[u8; 8]> {
        let wanted = format!("Name=\"{name}\"");
        let (_, text) = tags(xml).into_iter().find(|(tag, _)| tag.contains(&wanted)).unwrap();
        let bytes = decode(text.trim());
        let words: Vec<[u8; 8]> = bytes.chunks_exact(8).map(|word| word.try_into().unwrap()).collect();
        assert_eq!(u64::from_le_bytes(words[0]) as usize, bytes.len() - 8);
        words[1..].to_vec()
    }

    #[test]
    fn arrays_hold_the_spheres_and_not_the_plane() {
        let (world, info) = small_world();
        let material_of: Vec<u16> = info.bodies().map(|body| body.material).collect();
        let xml = snapshot(&world, &material_of);
        let numbers = |name: &str| words(&xml, name).into_iter().map(f64::from_le_bytes).collect::<Vec<_>>();
        let integers = |name: &str| words(&xml, name).into_iter().map(i64::from_le_bytes).collect::<Vec<_>>();
        assert!(xml.contains("NumberOfPoints=\"2\" NumberOfVerts=\"2\""));
        assert_eq!(numbers("Points"), [0.0, 0.0, 0.099, 0.5, 0.0, 0.3]);
        assert_eq!(numbers("radius"), [0.1, 0.1]);
        assert_eq!(integers("id"), [1, 2]);
        assert_eq!(integers("material"), [1, 1]);
        assert_eq!((integers("connectivity"), integers("offsets")), (vec![0, 1], vec![1, 2]));
        assert_eq!(numbers("velocity").len(), 6);
        assert_eq!(numbers("TimeValue"), [0.0]);
        assert!(numbers("force")[2] > 0.0);
        assert_eq!(numbers("torque").len(), 6);
        assert_eq!(numbers("orientation"), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_cell_stands_among_the_fields() {
        let vectors = glam::DMat3::from_cols_array(&[8.0, 0.0, 0.0, 1.0, 9.0, 0.0, -2.0, 0.5, 10.0]);
        let frame = Frame { corner: DVec3::new(1.0, 2.0, 3.0), ..Frame::new(vectors) };
        let cell = CellState::new(&Cell { frame, control: Control::Fixed }, DVec3::ZERO);
        let xml = of_cell(Some(&cell));
        let numbers = |name: &str| words(&xml, name).into_iter().map(f64::from_le_bytes).collect::<Vec<_>>();
        assert_eq!(
            (numbers("CellCorner"), numbers("CellVectors")),
            (vec![1.0, 2.0, 3.0], vectors.to_cols_array().to_vec())
        );
        assert_eq!(of_cell(None), "");
    }

    #[test]
    fn the_list_grows_with_the_snapshots() {
        let (mut world, info) = small_world();
        let folder = test_folder("vtp");
        let mut collection = Collection::new(&folder, "shot", true);
        let material_of: Vec<u16> = info.bodies().map(|body| body.material).collect();
        collection.add(&world, &material_of).unwrap();
        world.step().unwrap();
        collection.add(&world, &material_of).unwrap();
        let list = std::fs::read_to_string(folder.join("shot.pvd")).unwrap();
        tags(&list);
        assert!(list.contains("timestep=\"0.001\"") && list.contains("file=\"shot-1.vtp\""), "{list}");
        assert!(folder.join("shot-0.vtp").exists() && folder.join("shot-1.vtp").exists());
        for kind in ["contacts", "chains"] {
            let list = std::fs::read_to_string(folder.join(format!("shot-{kind}.pvd"))).unwrap();
            assert!(list.contains(&format!("file=\"shot-{kind}-0.vtp\"")), "{list}");
            assert!(folder.join(format!("shot-{kind}-1.vtp")).exists());
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
