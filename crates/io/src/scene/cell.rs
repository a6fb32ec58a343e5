//! `[cell]`: the periodic box, read before bodies are placed in it, and settled once they are known.
//!
//! Rows in the file are the cell vectors. Instead of `vectors`, `volume_fraction` makes a cube that the spheres of the
//! scene fill to that share. With neither, the box of a LAMMPS file is the cell; any cell must agree with such boxes. After another run with a cell (`[start]`), vectors and corner come from its end, and the
//! control is this file's. `cell/control.rs` reads what drives the cell.
//!
//! Refuses here what the engine could not do: cells too small for the nearest images to be the only ones, walls that do not
//! repeat as the cell does, streams.

mod control;

use glam::{DMat3, DVec3};
use stickslip::body::{Body, Motion};
use stickslip::cell::{Cell, Control, Frame};
use stickslip::model::{LawTable, Material, Method};
use stickslip::shape::Shape;

use crate::input::{InputError, Item, Place, Result, Spot, Table, shown};
use crate::scene::bodies::Bodies;
use crate::scene::check::short;
use crate::scene::grains::{Groups, NamedBox};
use crate::scene::start::Earlier;
use crate::scene::streams::Streams;
use control::Wanted;

/// Vectors whose volume is a smaller share than this of the product of their lengths count as dependent.
const FLAT: f64 = 1e-6;
/// A body may lie so many cells away from the cell itself: farther, its place in it would be rounding.
const MOST_CELLS: f64 = 1e6;
/// A vector of the cell may differ from that of a file's box by so much of its length: what is left of a difference of two
/// coordinates with 16 digits, a million lengths from the origin.
const SAME_BOX: f64 = 1e-9;
/// Gap up to which the engine lists pairs, as a share of the mean radius.
const SKIN: f64 = 0.25;

/// `[cell]` as read.
pub(crate) struct Draft<'a> {
    /// Of the table, or of `[start]` where the cell comes from there.
    place: Place<'a>,
    /// Of what sets its size.
    size_place: Place<'a>,
    size: Size,
    corner: DVec3,
    periodic: [bool; 3],
    wanted: Option<Wanted<'a>>,
    /// Boxes of files that it must agree with.
    boxes: Vec<NamedBox<'a>>,
    /// Whether it is the first of them.
    is_a_box: bool,
}

/// What sets the size.
#[derive(Clone, Copy)]
enum Size {
    /// Its vectors, as columns.
    Vectors(DMat3),
    /// A cube that the spheres fill to this share.
    Fraction(f64),
}

/// A matrix by its rows.
fn rows(item: Item<'_>) -> Result<[DVec3; 3]> {
    let what = "three rows of three numbers";
    let whole = item.clone();
    let elements = item.array().map_err(|_| whole.expected(what))?;
    let count = elements.len();
    let rows: Vec<DVec3> = elements.into_iter().map(Item::vector).collect::<Result<_>>()?;
    <[DVec3; 3]>::try_from(rows).map_err(|_| whole.error(format!("expected {what}, found {count} elements")))
}

/// Reads `[cell]`; without one, the cell that an earlier run ended with goes on, fixed. `groups` have the boxes of
/// the files that grains come from.
pub(crate) fn read<'a>(
    top: &Table<'a>,
    earlier: Option<&Earlier<'a>>,
    method: Method,
    groups: &Groups<'a>,
) -> Result<Option<Draft<'a>>> {
    let boxes = &groups.boxes;
    let came = earlier.and_then(|earlier| Some((earlier.place(), earlier.cell()?)));
    let with_boxes = |draft: Draft<'a>| Draft { boxes: boxes.clone(), ..draft };
    let Some(item) = top.optional("cell") else {
        return Ok(came.map(|(place, frame)| with_boxes(Draft::kept(place, frame))));
    };
    let table = item.table()?;
    let given = table.one_of(&["vectors", "volume_fraction"])?;
    let corner = table.optional("corner");
    let periodic = table.read("periodic", read_periodic)?;
    let draft = match came {
        Some((_, frame)) => {
            let size = given.map(|(key, item)| (key, item.place())).or(corner.map(|item| ("corner", item.place())));
            if let Some((key, place)) = size {
                let message = format!("`{key}` comes from the run that this scene starts from");
                return Err(place.error(message).help("leave it out; what drives the cell stands here"));
            }
            if let Some(given) = periodic.filter(|&given| given != frame.periodic) {
                let message = format!("the cell of the earlier run has periodic = {:?}, not {given:?}", frame.periodic);
                return Err(table.error(message).help("leave `periodic` out"));
            }
            Draft::kept(table.place(), frame)
        }
        None => {
            let corner = corner.map(Item::vector).transpose()?;
            let (size, size_place, file_box) = match (given, boxes.first()) {
                (Some(("vectors", item)), _) => (read_vectors(item.clone())?, item.place(), None),
                (Some((_, item)), _) => (read_fraction(item.clone())?, item.place(), None),
                (None, Some(NamedBox { place, found, .. })) => {
                    (check_vectors(found.vectors, place)?, place.clone(), Some(found))
                }
                (None, None) => {
                    return Err(groups.no_box.clone().unwrap_or_else(|| no_size(&table, earlier.is_some())));
                }
            };
            let corner = corner.or(file_box.map(|found| found.corner)).unwrap_or(DVec3::ZERO);
            let periodic = periodic.or(boxes.first().and_then(|first| first.found.periodic)).unwrap_or([true; 3]);
            let is_a_box = file_box.is_some();
            Draft {
                place: table.place(),
                size_place,
                size,
                corner,
                periodic,
                wanted: None,
                boxes: Vec::new(),
                is_a_box,
            }
        }
    };
    let wanted = table.read("control", |item| control::read(item, draft.directions(), draft.periodic, method))?;
    table.finish()?;
    Ok(Some(with_boxes(Draft { wanted, ..draft })))
}

/// What drives a cell that is as it is: of `[cell]` only `control` is left.
pub(crate) fn read_kept<'a>(top: &Table<'a>, place: Place<'a>, frame: Frame, method: Method) -> Result<Draft<'a>> {
    let draft = Draft::kept(place, frame);
    let Some(item) = top.optional("cell") else { return Ok(draft) };
    let table = item.table()?;
    let wanted = table.read("control", |item| control::read(item, draft.directions(), draft.periodic, method))?;
    table.finish()?;
    Ok(Draft { wanted, ..draft })
}

fn no_size(table: &Table<'_>, after_a_run: bool) -> InputError {
    let error = table.error("no size: the key `vectors` is missing".into());
    error.help(if after_a_run {
        "the run that this scene starts from has no cell: give its `vectors`"
    } else {
        "give three cell vectors, or `volume_fraction` for a cube that the grains fill so far, or grains from a LAMMPS file \
         with a box"
    })
}

fn read_periodic(item: Item<'_>) -> Result<[bool; 3]> {
    let whole = item.clone();
    let flags: Vec<bool> = item.array()?.into_iter().map(Item::boolean).collect::<Result<_>>()?;
    let flags =
        <[bool; 3]>::try_from(flags).map_err(|_| whole.expected("three of true or false, one for each vector"))?;
    if flags == [false; 3] {
        let error = whole.error("at least one direction must repeat: else there is no cell".into());
        return Err(error.help("leave [cell] out; [domain] is a box that does not repeat"));
    }
    Ok(flags)
}

fn read_vectors(item: Item<'_>) -> Result<Size> {
    let place = item.place();
    let [x_axis, y_axis, z_axis] = rows(item)?;
    check_vectors(DMat3 { x_axis, y_axis, z_axis }, &place)
}

/// Vectors that span a volume, right-handed.
fn check_vectors(vectors: DMat3, place: &Place<'_>) -> Result<Size> {
    let lengths = vectors.x_axis.length() * vectors.y_axis.length() * vectors.z_axis.length();
    let volume = vectors.determinant();
    // A box that is no number is neither.
    if !(volume.abs() > FLAT * lengths && volume.is_finite() && lengths.is_finite()) {
        let message = format!("the three vectors span a volume of {} m^3: expected one above zero", short(volume));
        return Err(place.error(message).help("none may be zero, nor lie in the plane of the two others"));
    }
    if volume < 0.0 {
        let message = format!("the vectors are left-handed: their volume is {} m^3", short(volume));
        return Err(place.error(message).help("swap two of them, or turn one round"));
    }
    Ok(Size::Vectors(vectors))
}

fn read_fraction(item: Item<'_>) -> Result<Size> {
    let fraction = item.number_such("a volume fraction above 0 and below 0.74", |x| x > 0.0 && x < 0.74)?;
    Ok(Size::Fraction(fraction))
}

impl<'a> Draft<'a> {
    /// A cell that comes from an earlier run.
    pub fn kept(place: Place<'a>, frame: Frame) -> Self {
        let Frame { corner, vectors, periodic } = frame;
        Draft {
            size_place: place.clone(),
            place,
            size: Size::Vectors(vectors),
            corner,
            periodic,
            wanted: None,
            boxes: Vec::new(),
            is_a_box: false,
        }
    }

    /// Where it is described.
    pub fn spot(&self) -> Spot {
        self.place.spot()
    }

    /// The directions of its vectors.
    fn directions(&self) -> DMat3 {
        match self.size {
            Size::Vectors(vectors) => vectors,
            Size::Fraction(_) => DMat3::IDENTITY,
        }
    }

    /// Where it is, for spheres of these radii. Refuses one so small that an image beside the nearest could touch, too.
    pub fn frame(&self, radii: &[f64]) -> Result<Frame> {
        let vectors = match self.size {
            Size::Vectors(vectors) => vectors,
            Size::Fraction(_) if radii.is_empty() => {
                return Err(self.size_place.error("there are no spheres that could fill a share of the cell".into()));
            }
            Size::Fraction(fraction) => {
                let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r).sum();
                DMat3::from_diagonal(DVec3::splat(stickslip::math::cbrt(volume / fraction)))
            }
        };
        let frame = Frame { corner: self.corner, vectors, periodic: self.periodic };
        self.check_boxes(&frame)?;
        let largest = radii.iter().copied().fold(0.0, f64::max);
        let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = radii.iter().sum::<f64>() / radii.len().max(1) as f64;
        let needed = if radii.is_empty() { 0.0 } else { 2.0 * (2.0 * largest + (SKIN * mean).min(least)) };
        let faces = frame.heights().into_iter().zip(self.periodic).zip(["a", "b", "c"]);
        if let Some(((height, _), name)) =
            faces.into_iter().find(|((height, repeats), _)| *repeats && *height <= needed)
        {
            let message = format!(
                "between its faces along {name} the cell is {} m wide: it must be wider than {} m, twice the largest \
                 diameter and the gap up to which pairs are listed",
                short(height),
                short(needed)
            );
            return Err(self.size_place.error(message).help("enlarge the cell, or use more or smaller grains"));
        }
        Ok(frame)
    }

    /// Refuses a cell that is not that of a file that grains come from, where it repeats.
    fn check_boxes(&self, frame: &Frame) -> Result<()> {
        for NamedBox { name, place, found } in &self.boxes {
            let name = shown(name);
            if let Some(periodic) = found.periodic.filter(|periodic| *periodic != frame.periodic) {
                let message =
                    format!("the cell has periodic = {:?}, and the box of \"{name}\" {periodic:?}", frame.periodic);
                return Err(self.place.error(message).help("leave `periodic` out: it follows from the file"));
            }
            let differs = |k: usize| {
                let (ours, theirs) = (frame.vectors.col(k), found.vectors.col(k));
                // What is not a number is not near.
                let near = ours.distance(theirs) <= SAME_BOX * ours.length();
                (frame.periodic[k] && !near).then(|| (["a", "b", "c"][k], ours.to_array(), theirs.to_array()))
            };
            let Some((axis, ours, theirs)) = (0..3).find_map(differs) else { continue };
            let message = format!("along {axis} the cell has {ours:?}, and the box of \"{name}\" {theirs:?}");
            // Where the first box is the cell, another one differs.
            let place = if self.is_a_box { place } else { &self.size_place };
            return Err(place.error(message).help("leave the size out of [cell]: the box of a file is then the cell"));
        }
        Ok(())
    }

    /// The cell, once bodies and laws are known.
    pub fn settle(
        &self,
        frame: Frame,
        bodies: &Bodies<'_>,
        streams: &Streams<'_>,
        materials: &[Material],
        laws: &LawTable,
    ) -> Result<Cell> {
        if let Some(place) = streams.places.first() {
            let message = "a [[stream]] in a [cell] is promised, not built yet";
            return Err(place.error(message.into()).help("place all grains at the start"));
        }
        for (id, body) in bodies.list.iter().enumerate() {
            let wrong = misplaced(&body, &frame);
            if let Some(message) = wrong {
                let place = bodies.place(id).unwrap_or(&self.place);
                return Err(place.error(format!("{}: {message}", bodies.label(id))));
            }
        }
        let Some(wanted) = &self.wanted else { return Ok(Cell { frame, control: Control::Fixed }) };
        if let Some(id) = bodies.list.iter().position(|body| body.motion != Motion::Free) {
            let message =
                format!("a cell that changes its shape can hold free spheres only, but {} is not", bodies.label(id));
            let place = bodies.place(id).unwrap_or(&self.place);
            return Err(place.error(message).help("leave `cell.control` out, or make it a free sphere"));
        }
        Ok(Cell { frame, control: wanted.control(&bodies.list, materials, laws)? })
    }
}

/// What is wrong with a wall in a cell, if something is.
fn misplaced(body: &Body, frame: &Frame) -> Option<String> {
    let Shape::Plane { normal } = body.shape else {
        let kind = body.shape.kind();
        if body.shape.radius().is_none() {
            return Some(format!("a {kind} in a [cell] is promised, not built yet; today: planes and spheres"));
        }
        let share = frame.fractions(body.position);
        let far = !share.is_finite() || share.abs().max_element() > MOST_CELLS;
        return far.then(|| format!("it lies at {}, more than {MOST_CELLS:e} cells away", body.position));
    };
    let normal = body.orientation * normal;
    let vectors = [frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis];
    let across = vectors
        .iter()
        .zip(frame.periodic)
        .zip(["a", "b", "c"])
        .find(|((vector, repeats), _)| *repeats && normal.dot(**vector).abs() > 1e-9 * vector.length());
    if let Some((_, name)) = across {
        return Some(format!(
            "the plane cuts through images of itself: its normal must be perpendicular to every vector along which the cell \
             repeats, and is not to {name}"
        ));
    }
    match &body.motion {
        Motion::Prescribed(motion) if motion.tilts(normal) => {
            Some("a plane in a [cell] cannot turn about an axis other than its normal".into())
        }
        _ => None,
    }
}

/// A vector or matrix in words.
fn listed(v: DVec3) -> String {
    format!("[{}, {}, {}]", short(v.x), short(v.y), short(v.z))
}

/// The cell as `check` says it: its size, and what drives it.
pub(crate) fn describe(cell: &Cell, spheres: usize) -> [String; 2] {
    let frame = &cell.frame;
    let vectors = [frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis];
    let upright = frame.vectors == DMat3::from_diagonal(DVec3::from_array(std::array::from_fn(|k| vectors[k][k])));
    let size = if upright {
        let [a, b, c] = std::array::from_fn(|k| short(vectors[k][k]));
        format!("{a} x {b} x {c} m")
    } else {
        let [a, b, c] = vectors.map(listed);
        format!("vectors {a}, {b}, {c} m, volume {} m^3", short(frame.volume()))
    };
    let repeating: Vec<&str> = ["a", "b", "c"].into_iter().zip(frame.periodic).filter(|x| x.1).map(|x| x.0).collect();
    let repeats =
        if frame.repeats_everywhere() { "in all directions".into() } else { format!("along {}", repeating.join(", ")) };
    [format!("{size}, periodic {repeats}"), control::describe(&cell.control, spheres)]
}
