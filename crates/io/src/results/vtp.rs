//! Snapshots for ParaView: one VTK PolyData file (`.vtp`) per moment, and a `.pvd` list of them with their times.
//!
//! The points are the centres of the spheres; planes are left out. Arrays are inline base64 in front of which stands
//! their length in bytes (UInt64), little-endian: valid XML that any reader can take apart. No compression.

use std::io;
use std::path::{Path, PathBuf};

use glam::DVec3;
use stickslip::World;

use super::file::{base64, escape, write_whole};

/// The snapshots of one record.
#[derive(Debug)]
pub struct Collection {
    folder: PathBuf,
    stem: String,
    entries: String,
}

impl Collection {
    /// No snapshot yet; nothing is written.
    pub fn new(folder: &Path, stem: &str) -> Self {
        Collection { folder: folder.to_owned(), stem: stem.to_owned(), entries: String::new() }
    }

    /// Writes `<stem>-<step>.vtp` and the list with it.
    pub fn add(&mut self, world: &World, material_of: &[u16]) -> io::Result<()> {
        let name = format!("{}-{}.vtp", self.stem, world.steps());
        write_whole(&self.folder.join(&name), snapshot(world, material_of).as_bytes())?;
        let (time, file) = (world.time(), escape(&name));
        self.entries += &format!("    <DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{file}\"/>\n");
        let list = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  \
             <Collection>\n{}  </Collection>\n</VTKFile>\n",
            self.entries
        );
        write_whole(&self.folder.join(format!("{}.pvd", self.stem)), list.as_bytes())
    }
}

/// The spheres of a world as a VTK file. `material_of` has the index of each body's material.
pub fn snapshot(world: &World, material_of: &[u16]) -> String {
    let views = world.ids().map(|id| world.body(id));
    let spheres: Vec<_> = views.filter(|view| view.radius > 0.0).collect();
    let count = spheres.len();
    let scalars = |name, values: Vec<f64>| array("Float64", name, 1, values.into_iter().map(f64::to_le_bytes));
    let integers = |name, values: Vec<i64>| array("Int64", name, 1, values.into_iter().map(i64::to_le_bytes));
    let vectors = |name, values: Vec<DVec3>| {
        array("Float64", name, 3, values.into_iter().flat_map(|v| v.to_array()).map(f64::to_le_bytes))
    };
    let material = |id: u32| material_of.get(id as usize).map_or(-1, |&material| i64::from(material));
    let point_data = [
        integers("id", spheres.iter().map(|s| i64::from(s.id)).collect()),
        scalars("radius", spheres.iter().map(|s| s.radius).collect()),
        integers("material", spheres.iter().map(|s| material(s.id)).collect()),
        vectors("velocity", spheres.iter().map(|s| s.velocity).collect()),
        vectors("angular_velocity", spheres.iter().map(|s| s.angular_velocity).collect()),
        scalars("speed", spheres.iter().map(|s| s.velocity.length()).collect()),
        vectors("force", spheres.iter().map(|s| s.force).collect()),
    ]
    .concat();
    let points = vectors("Points", spheres.iter().map(|s| s.position).collect());
    // Each point is also a vertex: without cells ParaView shows nothing.
    let connectivity = integers("connectivity", (0..count as i64).collect());
    let offsets = integers("offsets", (1..=count as i64).collect());
    let time = array("Float64", "TimeValue", 1, [world.time().to_le_bytes()].into_iter())
        .replace("<DataArray ", "<DataArray NumberOfTuples=\"1\" ");
    format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n\
         <FieldData>\n{time}</FieldData>\n\
         <Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"0\">\n\
         <PointData Scalars=\"radius\" Vectors=\"velocity\">\n{point_data}</PointData>\n\
         <Points>\n{points}</Points>\n<Verts>\n{connectivity}{offsets}</Verts>\n\
         </Piece>\n</PolyData>\n</VTKFile>\n"
    )
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
mod tests {
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
    fn words(xml: &str, name: &str) -> Vec<[u8; 8]> {
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
        let material_of: Vec<u16> = info.bodies.iter().map(|body| body.material).collect();
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
    }

    #[test]
    fn the_list_grows_with_the_snapshots() {
        let (mut world, info) = small_world();
        let folder = test_folder("vtp");
        let mut collection = Collection::new(&folder, "shot");
        let material_of: Vec<u16> = info.bodies.iter().map(|body| body.material).collect();
        collection.add(&world, &material_of).unwrap();
        world.step().unwrap();
        collection.add(&world, &material_of).unwrap();
        let list = std::fs::read_to_string(folder.join("shot.pvd")).unwrap();
        tags(&list);
        assert!(list.contains("timestep=\"0.001\"") && list.contains("file=\"shot-1.vtp\""), "{list}");
        assert!(folder.join("shot-0.vtp").exists() && folder.join("shot-1.vtp").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
