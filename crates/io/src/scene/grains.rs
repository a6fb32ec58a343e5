//! `[[grains]]` tables: many bodies at the start, placed at random, on a lattice or from a list.
//!
//! What is drawn comes from random streams named after the table (`grains[0].radius` for shapes, `grains[0].orientation`,
//! `grains[0].place`), so that one table does not change another's grains. Random placement avoids overlap among the tables that share a box; overlap
//! with anything else is not avoided but found, by `meet.rs`.

use std::path::Path;

use glam::DVec3;
use stickslip::body::Body;
use stickslip::cell::Frame;
use stickslip::model::LawTable;
use stickslip::mould::Mould;
use stickslip::random::Stream;

use crate::input::{InputError, Item, Place, Result, Source, Table, did_you_mean, shown};
use crate::scene::bodies::{Bodies, check_mass};
use crate::scene::lammps_cell::FileBox;
use crate::scene::materials::Materials;
use crate::scene::memory::Memory;
use crate::scene::moulds::{read_mass, read_mould, read_shared};
use crate::scene::placing::{Drawn, Placing, add_bodies, draw, sites_along};
use crate::scene::rows::{self, Rows, Types};
use crate::scene::types::{or_types, read_types};
use crate::scene::{cell, lammps};

/// The longest name of a file that is looked for (bytes): what systems allow.
const LONGEST_NAME: usize = 4096;

/// One table, with every default filled in.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Of what they are.
    pub material: Made,
    /// How many.
    pub count: u64,
    /// Of which shapes; `None` when a list has a column for the radius.
    pub mould: Option<Mould>,
    /// Where.
    pub placement: Placement,
    /// Mass in proportion to the radius instead of the volume.
    pub mass_by_radius: bool,
    /// What all have in common, velocities apart.
    pub shared: Body,
    /// Velocity of all (m/s); `None` when a list has columns for it.
    pub velocity: Option<DVec3>,
    /// Angular velocity of all (rad/s); `None` when a list has columns for it.
    pub angular_velocity: Option<DVec3>,
}

/// Of what the grains of a group are.
#[derive(Clone, Debug)]
pub(crate) enum Made {
    /// All of the material of this index.
    Of(u16),
    /// By the types of a list.
    ByType(Types),
}

impl Group {
    /// The index of the material of a grain.
    pub fn material(&self, grain: usize) -> u16 {
        match (&self.material, &self.placement) {
            (Made::Of(material), _) => *material,
            (Made::ByType(types), Placement::List(list)) => {
                let kind = list.rows[grain].kind;
                // The list has no other types: its reader has looked.
                types.iter().find(|(known, _)| *known == kind).map_or(0, |(_, material)| *material)
            }
            (Made::ByType(_), _) => 0,
        }
    }
}

/// The box of a file of LAMMPS, and where the scene names the file.
#[derive(Clone, Debug)]
pub(crate) struct NamedBox<'a> {
    /// The file, as the scene has it.
    pub name: String,
    /// Of its name.
    pub place: Place<'a>,
    /// As the file has it.
    pub found: FileBox,
}

/// All `[[grains]]` tables, before their grains are placed.
#[derive(Debug, Default)]
pub(crate) struct Groups<'a> {
    /// In the order of the file.
    pub list: Vec<Group>,
    /// The boxes of the files that they come from, where they may repeat.
    pub boxes: Vec<NamedBox<'a>>,
    /// Why the first of the other files has none that can be the cell.
    pub no_box: Option<InputError>,
    /// Of each table, and of its `place`.
    places: Vec<(Place<'a>, Place<'a>)>,
}

/// `place` of a table.
struct Read<'a> {
    placement: Placement,
    types: Option<Types>,
    file_box: BoxOfFile<'a>,
}

/// The box of a file; an error if it can be no cell.
type BoxOfFile<'a> = std::result::Result<Option<NamedBox<'a>>, InputError>;

/// Where the grains of a group are.
#[derive(Clone, Debug)]
pub(crate) enum Placement {
    /// Anywhere in a box of centres, or in the cell, without overlap.
    Random { bounds: Option<(DVec3, DVec3)> },
    /// On a cubic lattice, x fastest; without `to` in the smallest cube that holds them.
    Lattice { from: DVec3, to: Option<DVec3>, spacing: f64, jitter: f64 },
    /// As listed.
    List(Rows),
}

/// What memory there is, and how many bodies share it before those of a table.
struct Room<'a> {
    memory: &'a Memory,
    before: u64,
}

impl Room<'_> {
    /// Refuses at once what ids cannot count or memory cannot hold.
    fn refuse(&self, count: f64, place: &Place<'_>) -> Result<()> {
        self.memory.refuse(self.before as f64 + count, place)
    }
}

/// Reads all `[[grains]]` tables. Lists are looked for in `folder`; there are so many bodies before.
pub(crate) fn read<'a>(
    top: &Table<'a>,
    materials: &Materials,
    folder: &Path,
    in_cell: bool,
    memory: &Memory,
    before: usize,
) -> Result<Groups<'a>> {
    let mut groups = Groups::default();
    let mut total = before as u64;
    for table in top.tables("grains")? {
        let (group, file_box) = read_group(&table, materials, folder, in_cell, &Room { memory, before: total })?;
        let place = table.optional("place").map_or_else(|| table.place(), |item| item.place());
        groups.places.push((table.place(), place));
        table.finish()?;
        total += group.count;
        groups.list.push(group);
        match file_box {
            Ok(file_box) => groups.boxes.extend(file_box),
            Err(error) => groups.no_box = groups.no_box.or(Some(error)),
        }
    }
    Ok(groups)
}

impl<'a> Groups<'a> {
    /// Places the grains and adds their bodies. Returns the frame of the cell, which may follow from the spheres.
    pub fn place(
        &self,
        seed: u64,
        (materials, laws): (&Materials, &LawTable),
        cell: Option<&cell::Draft<'_>>,
        bodies: &mut Bodies<'a>,
    ) -> Result<Option<Frame>> {
        let Groups { list: groups, places, .. } = self;
        let stream = |index: usize, what: &str| Stream::named(seed, &format!("grains[{index}].{what}"));
        let draw = |(i, group): (usize, &Group)| draw(group, &mut stream(i, "radius"), &mut stream(i, "orientation"));
        let drawn: Vec<Drawn> = groups.iter().enumerate().map(draw).collect();
        // Before the search for places, which sizes beyond all bounds would only mislead.
        for ((group, drawn), (place, _)) in groups.iter().zip(&drawn).zip(places) {
            let body = |i: usize| Body::new(drawn.get(i).0, group.material(i), DVec3::ZERO);
            let impossible = (0..drawn.len()).find_map(|i| check_mass(&body(i), materials).err());
            if let Some(message) = impossible {
                return Err(place.error(message));
            }
        }
        let there = bodies.list.iter().filter_map(|body| body.shape.radius());
        let all: Vec<f64> = there.chain(drawn.iter().flat_map(Drawn::radii)).collect();
        let frame = cell.map(|cell| cell.frame(&all)).transpose()?;
        let mut centres = vec![Vec::new(); groups.len()];
        let placing = Placing { groups, drawn: &drawn, frame, laws };
        for i in 0..groups.len() {
            if centres[i].is_empty() {
                placing
                    .place(i, &mut stream(i, "place"), &mut centres)
                    .map_err(|message| places[i].1.error(message))?;
            }
        }
        for (i, (place, _)) in places.iter().enumerate() {
            add_bodies(&groups[i], materials, &drawn[i], &centres[i], bodies)
                .map_err(|message| place.error(message))?;
            bodies.end_table(place.clone());
        }
        Ok(frame)
    }
}

fn read_group<'a>(
    table: &Table<'a>,
    materials: &Materials,
    folder: &Path,
    in_cell: bool,
    room: &Room<'_>,
) -> Result<(Group, BoxOfFile<'a>)> {
    let mould = read_mould(table)?;
    let mass_by_radius = read_mass(table, mould.as_ref())?;
    let shared = read_shared(table, true)?;
    let velocity = table.optional("velocity").map(|_| shared.velocity);
    let angular_velocity = table.optional("angular_velocity").map(|_| shared.angular_velocity);
    let count = table.read("count", |item| {
        let place = item.place();
        let count = item.whole(1)?;
        room.refuse(count as f64, &place)?;
        Ok(count)
    })?;
    let lists = Lists { folder, memory: room.memory };
    let Read { placement, types, file_box } = read_placement(table, materials, mould.as_ref(), lists, in_cell)?;
    let material = match (types, table.optional("material")) {
        (Some(_), Some(item)) => {
            return Err(item.error("`types` of its `place` gives the materials: leave `material` out".into()));
        }
        (Some(types), None) => Made::ByType(types),
        (None, _) => Made::Of(materials.index(table.required("material").map_err(|e| or_types(e, &placement))?)?),
    };
    let mut group = Group { material, count: 0, mould, placement, mass_by_radius, shared, velocity, angular_velocity };
    group.count = settle_count(table, &group, count, room)?;
    match &group.placement {
        Placement::List(list) => {
            let velocities = (&mut group.velocity, &mut group.angular_velocity);
            settle_list(table, list, velocities, group.mould.as_ref())?;
        }
        _ => {
            if group.mould.is_none() {
                return Err(no_radius(table));
            }
            group.velocity.get_or_insert(DVec3::ZERO);
            group.angular_velocity.get_or_insert(DVec3::ZERO);
        }
    }
    Ok((group, file_box))
}

/// The error of a table that says nothing of its shapes.
pub(super) fn no_radius(table: &Table<'_>) -> InputError {
    match table.required("radius") {
        Err(error) if error.advice().is_none() => error.help("give `radius` for spheres, or a `shape`"),
        Err(error) => error,
        Ok(item) => item.error("expected a radius".into()),
    }
}

/// Where lists of grains are looked for, and how much of them the machine bears.
#[derive(Clone, Copy)]
struct Lists<'a> {
    folder: &'a Path,
    memory: &'a Memory,
}

fn read_placement<'a>(
    table: &Table<'a>,
    materials: &Materials,
    mould: Option<&Mould>,
    lists: Lists<'_>,
    in_cell: bool,
) -> Result<Read<'a>> {
    let place = table.need("place", Item::table)?;
    let (mut types, mut file_box) = (None, Ok(None));
    let kinds = [("random", 0), ("lattice", 1), ("file", 2), ("table", 3), ("lammps", 4)];
    let placement = match place.need("kind", |item| item.choice(&kinds, &[]))? {
        0 => {
            let absent = place.optional("from").is_none() && place.optional("to").is_none();
            Placement::Random { bounds: if in_cell && absent { None } else { Some(read_bounds(&place)?) } }
        }
        1 => {
            let from = place.need("from", Item::vector)?;
            let to = place.read("to", |item| not_below(from, item))?;
            let spacing = match (place.read("spacing", Item::positive)?, mould) {
                (Some(spacing), _) => spacing,
                (None, Some(mould)) => 2.0 * mould.radii()[1],
                (None, None) => return Err(no_radius(table)),
            };
            let jitter = place.read("jitter", Item::non_negative)?.unwrap_or(0.0);
            Placement::Lattice { from, to, spacing, jitter }
        }
        kind => {
            types = place.read("types", |item| read_types(item, materials))?;
            Placement::List(match kind {
                2 => read_file(&place, types.as_ref(), lists)?,
                4 => {
                    let (list, found) = read_lammps(&place, types.as_ref(), lists)?;
                    file_box = found;
                    list
                }
                _ => read_inside(&place, types.as_ref())?,
            })
        }
    };
    place.finish()?;
    Ok(Read { placement, types, file_box })
}

fn read_bounds(place: &Table<'_>) -> Result<(DVec3, DVec3)> {
    let from = place.need("from", Item::vector)?;
    Ok((from, place.need("to", |item| not_below(from, item))?))
}

pub(super) fn not_below(from: DVec3, to: Item<'_>) -> Result<DVec3> {
    let place = to.place();
    let to = to.vector()?;
    if (0..3).any(|i| to[i] < from[i]) {
        return Err(place.error(format!("`to` = {to} must not lie below `from` = {from} on any axis")));
    }
    Ok(to)
}

fn read_columns(place: &Table<'_>) -> Result<Option<Vec<usize>>> {
    let Some(item) = place.optional("columns") else { return Ok(None) };
    let whole = item.clone();
    let mut columns = Vec::new();
    for element in item.array()? {
        let at = element.place();
        columns.push(rows::column(element.string()?).map_err(|message| at.error(message))?);
    }
    rows::check_columns(&columns).map_err(|message| whole.error(message))?;
    Ok(Some(columns))
}

/// A CSV file, relative to the scene's folder.
fn read_file(place: &Table<'_>, types: Option<&Types>, lists: Lists<'_>) -> Result<Rows> {
    let item = place.required("file")?;
    let columns = read_columns(place)?;
    let source = open_list(item, lists)?;
    rows::read(source.text(), columns, types, |span, message| source.error(span, message))
}

/// A dump or a data file of LAMMPS, relative to the scene's folder.
fn read_lammps<'a>(place: &Table<'a>, types: Option<&Types>, lists: Lists<'_>) -> Result<(Rows, BoxOfFile<'a>)> {
    let item = place.required("file")?;
    let timestep = place.read("timestep", |item| item.whole(0))?;
    let source = open_list(item.clone(), lists)?;
    let (list, found) = lammps::read(source.text(), timestep, types, |span, message| source.error(span, message))?;
    let name = item.clone().string()?.to_owned();
    let place = item.place();
    let file_box = match found {
        // One that repeats nowhere says no more than where grains are.
        Ok(Some(found)) if !found.may_repeat() => {
            let message = format!("the box of \"{}\" repeats in no direction: none of its flags is `pp`", shown(&name));
            Err(place.error(message).help("leave [cell] out, or give its `vectors` and `periodic`"))
        }
        Ok(found) => Ok(found.map(|found| NamedBox { name, place, found })),
        Err(error) => Err(error.help("complete the box in the file, or give the `vectors` of [cell]")),
    };
    Ok((list, file_box))
}

fn open_list(item: Item<'_>, Lists { folder, memory }: Lists<'_>) -> Result<Source> {
    let name = item.clone().string()?;
    if name.len() > LONGEST_NAME {
        return Err(item.error(format!(
            "expected the name of a file, found {} letters: \"{}\"",
            name.len(),
            shown(name)
        )));
    }
    let path = folder.join(name);
    let source = Source::read(&path, memory.largest_list()).map_err(|error| match error.line() {
        Some(_) => error,
        // The place to look is the scene when the list is not there at all.
        None => {
            let near = if path.exists() { None } else { did_you_mean(folder, Path::new(name), Path::is_file) };
            let error = item.error(error.to_string());
            match near {
                Some(near) => error.help(near),
                None => error,
            }
        }
    })?;
    let lines = source.text().bytes().filter(|byte| *byte == b'\n').count();
    if !memory.bears_lines(lines, source.text().len() as u64) {
        return Err(item.error(format!("{} has {lines} lines, more than the memory can hold", path.display())));
    }
    Ok(source)
}

/// The same list inside the scene, as the resolved scene has it.
fn read_inside(place: &Table<'_>, types: Option<&Types>) -> Result<Rows> {
    let item = place.required("rows")?;
    let columns = read_columns(place)?;
    let text = item.clone().string()?;
    rows::read(text, columns, types, |span, message| {
        let row = 1 + text.as_bytes()[..span.start.min(text.len())].iter().filter(|b| **b == b'\n').count();
        item.error(format!("row {row}: {message}"))
    })
}

/// How many grains there are, given or not.
fn settle_count(table: &Table<'_>, group: &Group, given: Option<u64>, room: &Room<'_>) -> Result<u64> {
    let missing = || table.required("count").map(|_| 0);
    let too_few = |sites: f64, count: u64| {
        let message = format!("the lattice has {sites} sites, fewer than the {count} grains asked for");
        Err(table.error(message).help("enlarge `to`, or reduce `spacing` or `count`"))
    };
    match (&group.placement, given) {
        (Placement::Random { .. } | Placement::Lattice { to: None, .. }, None) => missing(),
        (Placement::Random { .. } | Placement::Lattice { to: None, .. }, Some(count)) => Ok(count),
        (Placement::Lattice { from, to: Some(to), spacing, .. }, given) => {
            let sites = sites_along(*from, *to, *spacing);
            let all = sites.x * sites.y * sites.z;
            match given {
                Some(count) if count as f64 > all => too_few(all, count),
                Some(count) => Ok(count),
                None => room.refuse(all, &table.place()).map(|()| all as u64),
            }
        }
        (Placement::List(list), given) => {
            let listed = list.rows.len() as u64;
            match given {
                Some(count) if count != listed => {
                    Err(table.error(format!("count = {count}, but {listed} grains are listed")))
                }
                _ => room.refuse(listed as f64, &table.place()).map(|()| listed),
            }
        }
    }
}

/// A list's columns and the table's keys must not say the same thing twice, and one must give the radius.
fn settle_list(
    table: &Table<'_>,
    list: &Rows,
    (velocity, angular_velocity): (&mut Option<DVec3>, &mut Option<DVec3>),
    mould: Option<&Mould>,
) -> Result<()> {
    let size = if mould.is_some_and(|mould| mould.radius().is_none()) { "shape" } else { "radius" };
    let sides = [
        (size, list.has("radius"), mould.is_some()),
        ("velocity", ["vx", "vy", "vz"].iter().any(|c| list.has(c)), velocity.is_some()),
        ("angular_velocity", ["wx", "wy", "wz"].iter().any(|c| list.has(c)), angular_velocity.is_some()),
    ];
    for (key, listed, given) in sides {
        if listed && given {
            let column = if key == "shape" { "radius" } else { key };
            return Err(table.error(format!("the list has columns for the {column}: leave the key `{key}` out")));
        }
    }
    if !sides[0].1 && mould.is_none() {
        return Err(table.error("no radius: give the key `radius`, or a column \"radius\" in the list".into()));
    }
    if !sides[1].1 {
        velocity.get_or_insert(DVec3::ZERO);
    }
    if !sides[2].1 {
        angular_velocity.get_or_insert(DVec3::ZERO);
    }
    Ok(())
}
