//! `[[grains]]` tables: many bodies at the start, placed at random, on a lattice or from a list.
//!
//! What is drawn comes from random streams named after the table (`grains[0].radius`, `grains[0].place`), so that one
//! table does not change another's grains. Random placement avoids overlap among the tables that share a box; overlap
//! with anything else is not avoided but found, by `meet.rs`.

use std::path::Path;
use std::time::{Duration, Instant};

use glam::DVec3;
use stickslip::body::Body;
use stickslip::cell::Frame;
use stickslip::place::{self, Within};
use stickslip::random::Stream;
use stickslip::shape::Shape;

use crate::input::{InputError, Item, Place, Result, Source, Table, did_you_mean, shown};
use crate::scene::bodies::{Bodies, check_mass};
use crate::scene::lammps_cell::FileBox;
use crate::scene::materials::Materials;
use crate::scene::memory::Memory;
use crate::scene::rows::{self, Rows, Types};
use crate::scene::types::{or_types, read_types};
use crate::scene::{cell, lammps};

/// How long random placement may search, over all tables: so long, and so long for each grain.
const PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE_EACH: Duration = Duration::from_micros(100);
/// The longest name of a file that is looked for (bytes): what systems allow.
const LONGEST_NAME: usize = 4096;

/// One table, with every default filled in.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Of what they are.
    pub material: Made,
    /// How many.
    pub count: u64,
    /// How large; `None` when a list has a column for it.
    pub radius: Option<Radius>,
    /// Where.
    pub placement: Placement,
    /// Mass in proportion to the radius instead of the volume.
    pub mass_by_radius: bool,
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
    fn material(&self, grain: usize) -> u16 {
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

/// The radii of a group (m).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Radius {
    /// All the same.
    One(f64),
    /// Uniform between the two.
    Between(f64, f64),
}

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
        materials: &Materials,
        cell: Option<&cell::Draft<'_>>,
        bodies: &mut Bodies<'a>,
    ) -> Result<Option<Frame>> {
        let Groups { list: groups, places, .. } = self;
        let stream = |index: usize, what: &str| Stream::named(seed, &format!("grains[{index}].{what}"));
        let radii: Vec<Vec<f64>> =
            groups.iter().enumerate().map(|(i, group)| draw_radii(group, &mut stream(i, "radius"))).collect();
        // Before the search for places, which sizes beyond all bounds would only mislead.
        for ((group, radii), (place, _)) in groups.iter().zip(&radii).zip(places) {
            let body = |i: usize| Body::new(Shape::Sphere { radius: radii[i] }, group.material(i), DVec3::ZERO);
            let impossible = (0..radii.len()).find_map(|i| check_mass(&body(i), materials).err());
            if let Some(message) = impossible {
                return Err(place.error(message));
            }
        }
        let there = bodies.list.iter().filter_map(|body| body.shape.radius());
        let all: Vec<f64> = there.chain(radii.iter().flatten().copied()).collect();
        let frame = cell.map(|cell| cell.frame(&all)).transpose()?;
        let mut centres = vec![Vec::new(); groups.len()];
        let (start, count) = (Instant::now(), u32::try_from(all.len()).unwrap_or(u32::MAX));
        for i in 0..groups.len() {
            if centres[i].is_empty() {
                let patience = (PATIENCE + PATIENCE_EACH.saturating_mul(count)).saturating_sub(start.elapsed());
                place_group(i, groups, &radii, frame, &mut stream(i, "place"), patience, &mut centres)
                    .map_err(|message| places[i].1.error(message))?;
            }
        }
        for (i, (place, _)) in places.iter().enumerate() {
            add_bodies(&groups[i], materials, &radii[i], &centres[i], bodies)
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
    let radius = table.read("radius", read_radius)?;
    let mass_by_radius =
        table.read("mass", |item| item.choice(&[("density", false), ("radius", true)], &[]))?.unwrap_or(false);
    let velocity = table.read("velocity", Item::vector)?;
    let angular_velocity = table.read("angular_velocity", Item::vector)?;
    let count = table.read("count", |item| {
        let place = item.place();
        let count = item.whole(1)?;
        room.refuse(count as f64, &place)?;
        Ok(count)
    })?;
    let lists = Lists { folder, memory: room.memory };
    let Read { placement, types, file_box } = read_placement(table, materials, radius, lists, in_cell)?;
    let material = match (types, table.optional("material")) {
        (Some(_), Some(item)) => {
            return Err(item.error("`types` of its `place` gives the materials: leave `material` out".into()));
        }
        (Some(types), None) => Made::ByType(types),
        (None, _) => Made::Of(materials.index(table.required("material").map_err(|e| or_types(e, &placement))?)?),
    };
    let mut group = Group { material, count: 0, radius, placement, mass_by_radius, velocity, angular_velocity };
    group.count = settle_count(table, &group, count, room)?;
    match &group.placement {
        Placement::List(list) => settle_list(table, list, &mut group.velocity, &mut group.angular_velocity, radius)?,
        _ => {
            table.required("radius")?;
            group.velocity.get_or_insert(DVec3::ZERO);
            group.angular_velocity.get_or_insert(DVec3::ZERO);
        }
    }
    Ok((group, file_box))
}

pub(super) fn read_radius(item: Item<'_>) -> Result<Radius> {
    if !item.is_table() {
        return item.positive().map(Radius::One);
    }
    let table = item.table()?;
    let min = table.need("min", Item::positive)?;
    let max_item = table.required("max")?;
    let max = max_item.clone().positive()?;
    if max < min {
        return Err(max_item.error(format!("max = {max} is below min = {min}")));
    }
    table.finish()?;
    Ok(Radius::Between(min, max))
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
    radius: Option<Radius>,
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
            let spacing = match (place.read("spacing", Item::positive)?, radius) {
                (Some(spacing), _) => spacing,
                (None, Some(Radius::One(r) | Radius::Between(_, r))) => 2.0 * r,
                // The missing radius is reported by the caller, as for every other placement.
                (None, None) => return Err(table.error("the key `radius` is missing".into())),
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
    velocity: &mut Option<DVec3>,
    angular_velocity: &mut Option<DVec3>,
    radius: Option<Radius>,
) -> Result<()> {
    let sides = [
        ("radius", list.has("radius"), radius.is_some()),
        ("velocity", ["vx", "vy", "vz"].iter().any(|c| list.has(c)), velocity.is_some()),
        ("angular_velocity", ["wx", "wy", "wz"].iter().any(|c| list.has(c)), angular_velocity.is_some()),
    ];
    for (key, listed, given) in sides {
        if listed && given {
            return Err(table.error(format!("the list has columns for the {key}: leave the key `{key}` out")));
        }
    }
    if !sides[0].1 && radius.is_none() {
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

fn draw_radii(group: &Group, stream: &mut Stream) -> Vec<f64> {
    match (&group.placement, group.radius) {
        (_, Some(Radius::One(radius))) => vec![radius; group.count as usize],
        (_, Some(Radius::Between(min, max))) => (0..group.count).map(|_| stream.between(min, max)).collect(),
        (Placement::List(list), None) => list.rows.iter().filter_map(|row| row.radius).collect(),
        (_, None) => Vec::new(),
    }
}

/// Finds the centres of a group; random groups in the same box are placed together, so that they do not overlap.
fn place_group(
    index: usize,
    groups: &[Group],
    radii: &[Vec<f64>],
    frame: Option<Frame>,
    stream: &mut Stream,
    patience: Duration,
    centres: &mut [Vec<DVec3>],
) -> std::result::Result<(), String> {
    let group = &groups[index];
    match &group.placement {
        Placement::Random { bounds } => {
            let same = |g: &Group| matches!(&g.placement, Placement::Random { bounds: other } if other == bounds);
            let together: Vec<usize> = (index..groups.len()).filter(|&i| same(&groups[i])).collect();
            let all: Vec<f64> = together.iter().flat_map(|&i| radii[i].iter().copied()).collect();
            let placed = match (frame, *bounds) {
                (Some(frame), bounds) => place::random_in_cell(&Within { frame, bounds }, &all, stream, patience),
                (None, Some((from, to))) => place::random(from, to, &all, stream, patience),
                // The reader has asked for a box then.
                (None, None) => Ok(Vec::new()),
            };
            let mut placed = placed.map_err(|error| error.to_string())?;
            for &i in together.iter().rev() {
                centres[i] = placed.split_off(placed.len().saturating_sub(radii[i].len()));
            }
        }
        Placement::Lattice { from, to, spacing, jitter } => {
            let sites = match to {
                Some(to) => sites_along(*from, *to, *spacing),
                None => DVec3::splat(smallest_cube(group.count)),
            };
            centres[index] = lattice(*from, sites, *spacing, *jitter, group.count, stream);
        }
        Placement::List(list) => centres[index] = list.rows.iter().map(|row| row.position).collect(),
    }
    Ok(())
}

/// How many sites fit along each axis, both ends included.
fn sites_along(from: DVec3, to: DVec3, spacing: f64) -> DVec3 {
    ((to - from) / spacing + 1e-9).floor() + 1.0
}

/// The least n with n^3 >= count.
fn smallest_cube(count: u64) -> f64 {
    let mut side = 1.0;
    while side * side * side < count as f64 {
        side += 1.0;
    }
    side
}

fn lattice(from: DVec3, sites: DVec3, spacing: f64, jitter: f64, count: u64, stream: &mut Stream) -> Vec<DVec3> {
    // Along x and y a row longer than the count is never filled, so these fit an integer.
    let nx = sites.x.min(count as f64).max(1.0) as u64;
    let ny = sites.y.min(count as f64).max(1.0) as u64;
    let centre = |i: u64| {
        let site = DVec3::new((i % nx) as f64, (i / nx % ny) as f64, (i / nx / ny) as f64);
        let mut shift = || if jitter > 0.0 { stream.between(-jitter, jitter) } else { 0.0 };
        let shift = DVec3::new(shift(), shift(), shift());
        from + site * spacing + shift
    };
    (0..count).map(centre).collect()
}

fn add_bodies(
    group: &Group,
    materials: &Materials,
    radii: &[f64],
    centres: &[DVec3],
    bodies: &mut Bodies<'_>,
) -> std::result::Result<(), String> {
    // m = rho (4/3 pi <R^3>/<R>) R: in proportion to R, with the mean mass kept.
    let (cubes, sum) = (radii.iter().map(|r| r * r * r).sum::<f64>(), radii.iter().sum::<f64>());
    for (i, (&radius, &centre)) in radii.iter().zip(centres).enumerate() {
        let material = group.material(i);
        let density = materials.list[usize::from(material)].density;
        let mass_per_radius = density * 4.0 / 3.0 * std::f64::consts::PI * cubes / sum;
        let mut body = Body::new(Shape::Sphere { radius }, material, centre);
        let row = match &group.placement {
            Placement::List(list) => list.rows[i],
            _ => rows::Row::default(),
        };
        body.velocity = group.velocity.unwrap_or(row.velocity);
        body.angular_velocity = group.angular_velocity.unwrap_or(row.angular_velocity);
        body.mass = group.mass_by_radius.then_some(mass_per_radius * radius);
        if !centre.is_finite() {
            return Err(format!("grain {i} would lie at {}, which is not finite", shown(&centre.to_string())));
        }
        check_mass(&body, materials).map_err(|message| format!("grain {i}: {message}"))?;
        bodies.push(&body, None);
    }
    Ok(())
}
