//! The sections with numbers: little-endian columns of bodies and contacts, and the clock.
//!
//! One section a column, so that a few lines of any language read it. A column's length follows from the counts that the
//! clock holds and must be exactly that.

use std::io::{self, Write};

use glam::{DQuat, DVec3, IVec3};
use stickslip::World;
use stickslip::inflow::Traffic;
use stickslip::ledger::{Carried, Sums};
use stickslip::world::{Saved, SavedBody, SavedContact};

use super::cell;
use super::format::{Packed, Part, Row};

/// Sections that are there only with a cell.
const CELL: &str = "cell";
const IMAGES: &str = "bodies.images";
/// A section that is there only where some pair has several contacts.
const FEATURES: &str = "contacts.feature";

/// Numbers of the clock, eight bytes each.
const CLOCK: usize = 10 + 25;

/// A state: one that was read, or a world's, which is not copied for it.
pub trait Source {
    /// All but bodies and contacts.
    fn head(&self) -> &Saved;
    /// How many bodies and places of contacts there are.
    fn counts(&self) -> [usize; 2];
    /// A body by its place in the order.
    fn body(&self, index: usize) -> SavedBody;
    /// The places of contacts with their memory, in their order.
    fn contacts(&self, visit: &mut dyn FnMut(SavedContact, &[f64]) -> io::Result<()>) -> io::Result<()>;
    /// Whether two bodies may have several contacts, told apart by a number.
    fn has_features(&self) -> bool;
}

impl Source for Saved {
    fn head(&self) -> &Saved {
        self
    }

    fn counts(&self) -> [usize; 2] {
        [self.bodies.len(), self.contacts.len()]
    }

    fn body(&self, index: usize) -> SavedBody {
        self.bodies[index]
    }

    fn contacts(&self, visit: &mut dyn FnMut(SavedContact, &[f64]) -> io::Result<()>) -> io::Result<()> {
        let mut contacts = self.contacts.iter().zip(self.memory.chunks_exact(self.stride.max(1)));
        contacts.try_for_each(|(contact, memory)| visit(*contact, memory))
    }

    fn has_features(&self) -> bool {
        self.contacts.iter().any(|contact| contact.feature != 0)
    }
}

/// A world as it is now.
pub struct Living<'a> {
    world: &'a World,
    head: Saved,
}

impl<'a> Living<'a> {
    /// Of this world.
    pub fn new(world: &'a World) -> Self {
        Living { world, head: world.save_head() }
    }
}

impl Source for Living<'_> {
    fn head(&self) -> &Saved {
        &self.head
    }

    fn counts(&self) -> [usize; 2] {
        [self.world.body_count(), self.world.saved_contact_count()]
    }

    fn body(&self, index: usize) -> SavedBody {
        self.world.saved_body(index)
    }

    fn contacts(&self, visit: &mut dyn FnMut(SavedContact, &[f64]) -> io::Result<()>) -> io::Result<()> {
        // A row of memory is as long as the longest.
        let mut row = vec![0.0; self.head.stride];
        self.world.visit_contacts(|key, live, numbers| {
            row.fill(0.0);
            row[..numbers.len()].copy_from_slice(numbers);
            visit(SavedContact { a: key.a, b: key.b, feature: key.feature as u8, live }, &row)
        })
    }

    fn has_features(&self) -> bool {
        let mut any = false;
        let look = |key: stickslip::world::ContactKey, _: bool, _: &[f64]| -> Result<(), std::convert::Infallible> {
            any |= key.feature != 0;
            Ok(())
        };
        self.world.visit_contacts(look).is_ok() && any
    }
}

/// The sections of a state.
pub fn parts<S: Source>(source: &S) -> Vec<Part<'_>> {
    let saved = source.head();
    let mut parts = vec![Part::new("clock", |out| out.write_all(&clock(source)))];
    parts.push(numbers(source, "bodies.id", |b| b.id.to_le_bytes()));
    parts.push(numbers(source, "bodies.radius", |b| b.radius.to_le_bytes()));
    parts.push(numbers(source, "bodies.inverse_mass", |b| b.inverse_mass.to_le_bytes()));
    parts.push(numbers(source, "bodies.inverse_inertia", |b| b.inverse_inertia.to_le_bytes()));
    parts.push(floats(source, "bodies.position", |b| b.position.to_array()));
    parts.push(floats(source, "bodies.orientation", |b| wxyz(b.orientation)));
    parts.push(floats(source, "bodies.velocity", |b| b.velocity.to_array()));
    parts.push(floats(source, "bodies.angular_velocity", |b| b.angular_velocity.to_array()));
    parts.push(numbers(source, "bodies.ahead", |b| {
        let [[x, y, z], [u, v, w]] = [b.velocity_ahead, b.angular_velocity_ahead];
        joined::<4, 6, 24>([x, y, z, u, v, w].map(f32::to_le_bytes))
    }));
    parts.push(floats(source, "bodies.force", |b| b.force.to_array()));
    parts.push(floats(source, "bodies.torque", |b| b.torque.to_array()));
    parts.push(floats(source, "bodies.built_at", |b| b.built_at.to_array()));
    let walls = || saved.walls_built.iter().flat_map(|q| wxyz(*q)).flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
    parts.push(Part::new("walls.built_orientation", move |out| out.write_all(&walls())));
    let each = |name, write: fn(SavedContact, &[f64], &mut dyn Write) -> io::Result<()>| {
        Part::new(name, move |out| source.contacts(&mut |contact, memory| write(contact, memory, &mut *out)))
    };
    parts.push(each("contacts.a", |contact, _, out| out.write_all(&contact.a.to_le_bytes())));
    parts.push(each("contacts.b", |contact, _, out| out.write_all(&contact.b.to_le_bytes())));
    parts.push(each("contacts.live", |contact, _, out| out.write_all(&[u8::from(contact.live)])));
    parts.push(each("contacts.memory", |_, memory, out| {
        memory.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
    }));
    if source.has_features() {
        parts.push(each(FEATURES, |contact, _, out| out.write_all(&[contact.feature])));
    }
    if let Some(state) = &saved.cell {
        let cell = || cell::numbers(state).into_iter().flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
        parts.push(Part::new(CELL, move |out| out.write_all(&cell())));
        parts.push(numbers(source, IMAGES, |b| joined::<4, 3, 12>(b.images.to_array().map(i32::to_le_bytes))));
    }
    parts
}

/// So many bytes of every body.
fn numbers<'a, S: Source, const N: usize>(
    source: &'a S,
    name: &str,
    bytes: impl Fn(&SavedBody) -> [u8; N] + 'a,
) -> Part<'a> {
    Part::new(name, move |out| (0..source.counts()[0]).try_for_each(|index| out.write_all(&bytes(&source.body(index)))))
}

/// So many numbers of every body.
fn floats<'a, S: Source, const N: usize>(
    source: &'a S,
    name: &str,
    numbers: impl Fn(&SavedBody) -> [f64; N] + 'a,
) -> Part<'a> {
    Part::new(name, move |out| {
        let mut all = (0..source.counts()[0]).flat_map(|index| numbers(&source.body(index)));
        all.try_for_each(|number| out.write_all(&number.to_le_bytes()))
    })
}

/// Numbers side by side.
fn joined<const BYTES: usize, const N: usize, const ALL: usize>(numbers: [[u8; BYTES]; N]) -> [u8; ALL] {
    std::array::from_fn(|at| numbers[at / BYTES][at % BYTES])
}

fn wxyz(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

fn clock(source: &impl Source) -> Vec<u8> {
    let (saved, [bodies, contacts]) = (source.head(), source.counts());
    let counts = [saved.step, bodies as u64, saved.spheres as u64, saved.chunk as u64];
    let contacts = [contacts as u64, saved.stride as u64];
    let mut bytes: Vec<u8> = counts.iter().chain(&contacts).flat_map(|n| n.to_le_bytes()).collect();
    let sums = &saved.sums;
    let numbers = [saved.dt, saved.skin, saved.smallest, saved.pressed].into_iter();
    let single = [sums.driven, sums.driven_power, sums.local, sums.start];
    let ledger =
        sums.work.into_iter().chain(sums.power).chain(single).chain(sums.stored_at_start).chain(sums.stored_out);
    let carried = &sums.carried;
    let carried_in = [carried.kinetic_in, carried.potential_in];
    let carried_out = [carried.kinetic_out, carried.potential_out, carried.stored_out];
    bytes.extend(numbers.chain(ledger).chain(carried_in).chain(carried_out).flat_map(f64::to_le_bytes));
    bytes
}

/// Takes sections by name. Each is unpacked when it is taken, and a column only if it has the length that it should have.
pub struct Sections<'a> {
    all: Vec<Row<'a>>,
}

impl<'a> Sections<'a> {
    /// Of a file.
    pub fn new(all: Vec<Row<'a>>) -> Self {
        Sections { all }
    }

    /// A section that must be there.
    pub fn take(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.take_row(name)?.unpack()
    }

    fn take_row(&mut self, name: &str) -> Result<Row<'a>, String> {
        let at = self.all.iter().position(|section| section.name() == name);
        at.map(|at| self.all.remove(at)).ok_or_else(|| format!("lacks the section `{name}`"))
    }

    /// Whether there is one.
    pub fn has(&self, name: &str) -> bool {
        self.all.iter().any(|section| section.name() == name)
    }

    /// Those that nobody took, still packed.
    pub fn rest(self) -> Result<Vec<Packed>, String> {
        self.all.iter().map(Row::packed).collect()
    }

    /// A column of `count` rows of `width` numbers.
    fn column<const BYTES: usize, T>(
        &mut self,
        name: &str,
        count: usize,
        width: usize,
        read: fn([u8; BYTES]) -> T,
    ) -> Result<Vec<T>, String> {
        let row = self.take_row(name)?;
        let expected = count.checked_mul(width).and_then(|n| n.checked_mul(BYTES));
        if expected.map(|bytes| bytes as u64) != Some(row.raw()) {
            return Err(format!("is damaged: its section `{name}` has {} bytes", row.raw()));
        }
        let bytes = row.unpack()?;
        Ok(bytes.chunks_exact(BYTES).filter_map(|chunk| chunk.try_into().ok().map(read)).collect())
    }

    fn vectors(&mut self, name: &str, count: usize) -> Result<Vec<DVec3>, String> {
        let numbers = self.column(name, count, 3, f64::from_le_bytes)?;
        Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    fn orientations(&mut self, name: &str, count: usize) -> Result<Vec<DQuat>, String> {
        let numbers = self.column(name, count, 4, f64::from_le_bytes)?;
        Ok(numbers.chunks_exact(4).map(|q| DQuat::from_xyzw(q[1], q[2], q[3], q[0])).collect())
    }

    fn scalars(&mut self, name: &str, count: usize) -> Result<Vec<f64>, String> {
        self.column(name, count, 1, f64::from_le_bytes)
    }
}

/// The saved state in these sections.
pub fn read(sections: &mut Sections<'_>) -> Result<Saved, String> {
    let (mut saved, counts) = read_clock(sections)?;
    let [n, contacts] = counts;
    let id = sections.column("bodies.id", n, 1, u32::from_le_bytes)?;
    let radius = sections.scalars("bodies.radius", n)?;
    let inverse_mass = sections.scalars("bodies.inverse_mass", n)?;
    let inverse_inertia = sections.scalars("bodies.inverse_inertia", n)?;
    let position = sections.vectors("bodies.position", n)?;
    let orientation = sections.orientations("bodies.orientation", n)?;
    let velocity = sections.vectors("bodies.velocity", n)?;
    let angular_velocity = sections.vectors("bodies.angular_velocity", n)?;
    let ahead = sections.column("bodies.ahead", n, 6, f32::from_le_bytes)?;
    let force = sections.vectors("bodies.force", n)?;
    let torque = sections.vectors("bodies.torque", n)?;
    let built_at = sections.vectors("bodies.built_at", n)?;
    let images = if sections.has(CELL) {
        saved.cell = Some(cell::from_numbers(&sections.scalars(CELL, cell::NUMBERS)?)?);
        sections.column(IMAGES, n, 3, i32::from_le_bytes)?
    } else {
        Vec::new()
    };
    let body = |i: usize| SavedBody {
        id: id[i],
        radius: radius[i],
        inverse_mass: inverse_mass[i],
        inverse_inertia: inverse_inertia[i],
        position: position[i],
        orientation: orientation[i],
        velocity: velocity[i],
        angular_velocity: angular_velocity[i],
        velocity_ahead: [ahead[6 * i], ahead[6 * i + 1], ahead[6 * i + 2]],
        angular_velocity_ahead: [ahead[6 * i + 3], ahead[6 * i + 4], ahead[6 * i + 5]],
        force: force[i],
        torque: torque[i],
        built_at: built_at[i],
        images: images.get(3 * i..3 * i + 3).map_or(IVec3::ZERO, IVec3::from_slice),
    };
    saved.bodies = (0..n).map(body).collect();
    saved.walls_built = sections.orientations("walls.built_orientation", n.saturating_sub(saved.spheres))?;
    let a = sections.column("contacts.a", contacts, 1, u32::from_le_bytes)?;
    let b = sections.column("contacts.b", contacts, 1, u32::from_le_bytes)?;
    let live = sections.column("contacts.live", contacts, 1, u8::from_le_bytes)?;
    let feature = if sections.has(FEATURES) {
        sections.column(FEATURES, contacts, 1, u8::from_le_bytes)?
    } else {
        vec![0; contacts]
    };
    let contact = |i: usize| SavedContact { a: a[i], b: b[i], feature: feature[i], live: live[i] != 0 };
    saved.contacts = (0..contacts).map(contact).collect();
    saved.memory = sections.column("contacts.memory", contacts, saved.stride, f64::from_le_bytes)?;
    Ok(saved)
}

/// The clock, and how many bodies and contacts there are.
fn read_clock(sections: &mut Sections<'_>) -> Result<(Saved, [usize; 2]), String> {
    let words = sections.column("clock", CLOCK, 1, u64::from_le_bytes)?;
    let count = |at: usize| usize::try_from(words[at]).unwrap_or(usize::MAX);
    let number = |at: usize| f64::from_bits(words[at]);
    let four = |at: usize| [number(at), number(at + 1), number(at + 2), number(at + 3)];
    let sums = Sums {
        work: four(10),
        power: four(14),
        driven: number(18),
        driven_power: number(19),
        local: number(20),
        start: number(21),
        stored_at_start: four(22),
        stored_out: four(26),
        carried: Carried {
            kinetic_in: number(30),
            potential_in: number(31),
            kinetic_out: number(32),
            potential_out: number(33),
            stored_out: number(34),
        },
    };
    let saved = Saved {
        step: words[0],
        dt: number(6),
        sums,
        pressed: number(9),
        skin: number(7),
        smallest: number(8),
        chunk: count(3),
        spheres: count(2),
        bodies: Vec::new(),
        walls_built: Vec::new(),
        contacts: Vec::new(),
        stride: count(5),
        memory: Vec::new(),
        traffic: Traffic::default(),
        cell: None,
    };
    if !(saved.dt > 0.0 && saved.dt.is_finite()) {
        return Err(format!("is damaged: its step is {} s", saved.dt));
    }
    if saved.spheres > count(1) {
        return Err("is damaged: it has more spheres than bodies".into());
    }
    Ok((saved, [count(1), count(4)]))
}
