//! The sections in words: bodies, materials, and which law wrote which numbers of the memory, as JSON.
//!
//! They are for a stage, which takes bodies over into another scene, and for people. What is at its default is left out.

use std::fmt::{self, Debug, Formatter};
use std::io::{self, Write};

use glam::{DQuat, DVec3};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use stickslip::World;
use stickslip::body::{Body, BodyList, Motion};
use stickslip::law::pair_memory::SLIPS;
use stickslip::law::{MemoryLayout, MemorySize, PairLaws, Rigid, RigidLaws};
use stickslip::model::Model;
use stickslip::schedule::Signal;
use stickslip::setup::Described;
use stickslip::shape::Shape;

/// What a checkpoint says of one body, as far as it does not change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyText {
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Index of its material.
    pub material: u16,
    /// Its surface.
    pub shape: Shape,
    /// Mass (kg); zero for what has none.
    pub mass: f64,
    /// Centre of mass in its own frame (m), where it is not the shape's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<DVec3>,
    /// Principal moments of inertia (kg m^2), in the frame of `inertia_axes`.
    pub inertia: DVec3,
    /// `body_from_principal`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub inertia_axes: DQuat,
    /// What moves it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub motion: Motion,
    /// See `Body`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lock: [bool; 6],
    /// The force that always acts (N).
    #[serde(default, skip_serializing_if = "is_default")]
    pub force: Signal<DVec3>,
    /// The torque that always acts (N m).
    #[serde(default, skip_serializing_if = "is_default")]
    pub torque: Signal<DVec3>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl BodyText {
    fn new(body: &Body, name: Option<String>, densities: &[f64]) -> Self {
        let density = densities.get(usize::from(body.material)).copied().unwrap_or(0.0);
        let (mass, inertia) = body.mass_and_inertia(density);
        let inertia_axes = body.principal_axes();
        let Body { material, shape, centre, motion, lock, force, torque, .. } = body.clone();
        BodyText { name, material, shape, mass, centre, inertia, inertia_axes, motion, lock, force, torque }
    }

    /// Whether loads move it.
    pub fn is_moved(&self) -> bool {
        self.motion.yields()
    }
}

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialText {
    /// Its name.
    pub name: String,
    /// Density (kg/m^3).
    pub density: f64,
}

/// The law of one motion, and how many numbers of memory it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LawText {
    /// Its name in scene files.
    pub law: String,
    /// Numbers a contact.
    pub numbers: usize,
}

/// The laws between two materials. The memory of a contact has a number for the bits of slipping, then those of slide, roll
/// and spin, or of the law against all three.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairText {
    /// Indices of the two materials, the lower first.
    pub between: [u16; 2],
    /// Along the normal; it has no memory.
    pub normal: String,
    /// Against sliding.
    pub slide: Option<LawText>,
    /// Against rolling.
    pub roll: Option<LawText>,
    /// Against spinning.
    pub spin: Option<LawText>,
    /// Against all three at once; then none of them has a law of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<LawText>,
}

impl PairText {
    /// Against slide, roll and spin, and against all at once.
    pub fn frictions(&self) -> [&Option<LawText>; 4] {
        [&self.slide, &self.roll, &self.spin, &self.friction]
    }

    /// How many numbers a contact remembers, that of the bits included.
    pub fn numbers(&self) -> usize {
        let of_laws = self.frictions().map(|law| law.as_ref().map_or(0, |law| law.numbers));
        of_laws.iter().fold(SLIPS, |sum, &numbers| sum.saturating_add(numbers))
    }
}

/// What a checkpoint says of all bodies, in little room.
#[derive(Clone, Default)]
pub struct BodyTexts {
    list: BodyList,
    /// Names; bodies beyond its end have none.
    names: Vec<Option<String>>,
    /// By material, for masses that are not given.
    densities: Vec<f64>,
}

impl BodyTexts {
    fn new(setup: &Described, names: &[Option<String>]) -> Self {
        let densities = setup.model.materials.iter().map(|material| material.density).collect();
        BodyTexts { list: setup.bodies.without_places(), names: names.to_owned(), densities }
    }

    /// Adds a body.
    pub fn push(&mut self, text: BodyText) {
        let BodyText { name, material, shape, mass, centre, inertia, inertia_axes, motion, lock, force, torque } = text;
        if name.is_some() {
            self.names.resize(self.list.len(), None);
            self.names.push(name);
        }
        let (mass, inertia_body) = (Some(mass), Some(inertia));
        let plain = Body::new(shape, material, DVec3::ZERO);
        self.list.push(&Body { mass, centre, inertia_body, inertia_axes, motion, lock, force, torque, ..plain });
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One by id, if it is there.
    pub fn get(&self, id: usize) -> Option<BodyText> {
        let name = || self.names.get(id).cloned().flatten();
        (id < self.len()).then(|| BodyText::new(&self.list.get(id), name(), &self.densities))
    }

    /// Index of the material of a body.
    pub fn material(&self, id: usize) -> u16 {
        self.list.material(id)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = BodyText> + '_ {
        (0..self.len()).filter_map(|id| self.get(id))
    }

    /// Writes them as JSON. Grains that are alike have the same text, which is made once.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[")?;
        let mut text = Vec::new();
        for id in 0..self.len() {
            let nameless = |id: usize| self.names.get(id).is_none_or(Option::is_none);
            if id == 0 || !(self.list.alike(id, id - 1) && nameless(id) && nameless(id - 1)) {
                text = serde_json::to_vec(&self.get(id)).map_err(io::Error::other)?;
            }
            if id > 0 {
                out.write_all(b",")?;
            }
            out.write_all(&text)?;
        }
        out.write_all(b"]")
    }
}

impl PartialEq for BodyTexts {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Debug for BodyTexts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<BodyText> for BodyTexts {
    fn from_iter<I: IntoIterator<Item = BodyText>>(texts: I) -> Self {
        let mut all = BodyTexts::default();
        texts.into_iter().for_each(|text| all.push(text));
        all
    }
}

impl<'de> Deserialize<'de> for BodyTexts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct OneByOne;
        impl<'de> Visitor<'de> for OneByOne {
            type Value = BodyTexts;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a list of bodies")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<BodyTexts, A::Error> {
                let mut texts = BodyTexts::default();
                while let Some(text) = from.next_element()? {
                    texts.push(text);
                }
                Ok(texts)
            }
        }
        from.deserialize_seq(OneByOne)
    }
}

/// What a checkpoint says in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// By id.
    pub bodies: BodyTexts,
    /// By index.
    pub materials: Vec<MaterialText>,
    /// Every pair that has laws.
    pub laws: Vec<PairText>,
}

impl Description {
    /// Of what a world is made from. `names` by id.
    pub fn new(setup: &Described, names: &[Option<String>]) -> Self {
        let model = &setup.model;
        let material = |m: &stickslip::model::Material| MaterialText { name: m.name.clone(), density: m.density };
        Description {
            bodies: BodyTexts::new(setup, names),
            materials: model.materials.iter().map(material).collect(),
            laws: pairs(model),
        }
    }

    /// Adds the bodies that have entered since the start.
    pub fn catch_up(&mut self, world: &World) {
        for id in self.bodies.len() as u32.. {
            let Some(arrival) = world.arrival(id) else { return };
            self.bodies.list.push(&arrival.body());
        }
    }

    /// The laws between two materials.
    pub fn laws_between(&self, first: u16, second: u16) -> Option<&PairText> {
        let between = [first.min(second), first.max(second)];
        self.laws.iter().find(|pair| pair.between == between)
    }
}

/// Every pair of a model that has laws.
pub fn pairs(model: &Model) -> Vec<PairText> {
    let count = model.materials.len() as u16;
    let all = (0..count).flat_map(|i| (i..count).map(move |j| [i, j]));
    let pair = |between: [u16; 2]| {
        let laws = match model.laws.get(between[0], between[1])? {
            PairLaws::Springs(laws) => laws,
            PairLaws::Rigid(_) => {
                // What it remembers is one thing against all motions: where the next step starts from.
                let friction = Some(LawText { law: Rigid::NAME.to_owned(), numbers: RigidLaws::MEMORY - SLIPS });
                let normal = Rigid::NAME.to_owned();
                return Some(PairText { between, normal, slide: None, roll: None, spin: None, friction });
            }
        };
        let (MemoryLayout(sizes), [normal, slide, roll, spin, friction]) = (MemoryLayout::of(laws), laws.names());
        let law = |name: Option<&str>, size: MemorySize| {
            name.map(|law| LawText { law: law.to_owned(), numbers: size.total() })
        };
        Some(PairText {
            between,
            normal: normal.unwrap_or_default().to_owned(),
            slide: law(slide, sizes[0]),
            roll: law(roll, sizes[1]),
            spin: law(spin, sizes[2]),
            friction: law(friction, sizes[3]),
        })
    };
    all.filter_map(pair).collect()
}
