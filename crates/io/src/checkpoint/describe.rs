//! The sections in words: bodies, materials, and which law wrote which numbers of the memory, as JSON.
//!
//! They are for a stage, which takes bodies over into another scene, and for people. What is at its default is left out.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use stickslip::World;
use stickslip::body::{Body, Motion};
use stickslip::inflow::Arrival;
use stickslip::law::Motions;
use stickslip::law::kernel::MemoryLayout;
use stickslip::model::Model;
use stickslip::shape::Shape;
use stickslip::world::Setup;

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
    /// Principal moments of inertia (kg m^2), in its own frame.
    pub inertia: DVec3,
    /// What moves it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub motion: Motion,
    /// See `Body`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lock: [bool; 6],
    /// Constant force (N).
    #[serde(default, skip_serializing_if = "is_default")]
    pub force: DVec3,
    /// Constant torque (N m).
    #[serde(default, skip_serializing_if = "is_default")]
    pub torque: DVec3,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl BodyText {
    fn new(body: &Body, name: Option<String>, model: &Model) -> Self {
        let density = model.materials.get(usize::from(body.material)).map_or(0.0, |material| material.density);
        let (mass, inertia) = body.mass_and_inertia(density);
        let (motion, lock, force, torque) = (body.motion, body.lock, body.force, body.torque);
        BodyText { name, material: body.material, shape: body.shape, mass, inertia, motion, lock, force, torque }
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

    /// How the memory is laid out.
    pub fn layout(&self) -> MemoryLayout {
        let numbers = |law: &Option<LawText>| law.as_ref().map_or(0, |law| law.numbers);
        let [slide, roll, spin, friction] = self.frictions().map(numbers);
        // Scenes know no laws from outside.
        MemoryLayout { slide, roll, spin, friction, own: Motions::NONE }
    }
}

/// What a checkpoint says in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// By id.
    pub bodies: Vec<BodyText>,
    /// By index.
    pub materials: Vec<MaterialText>,
    /// Every pair that has laws.
    pub laws: Vec<PairText>,
}

impl Description {
    /// Of what a world is made from. `names` by id.
    pub fn new(setup: &Setup, names: &[Option<String>]) -> Self {
        let model = &setup.model;
        let name = |id: usize| names.get(id).cloned().flatten();
        let body = |(id, body): (usize, &Body)| BodyText::new(body, name(id), model);
        let material = |m: &stickslip::model::Material| MaterialText { name: m.name.clone(), density: m.density };
        Description {
            bodies: setup.bodies.iter().enumerate().map(body).collect(),
            materials: model.materials.iter().map(material).collect(),
            laws: pairs(model),
        }
    }

    /// Adds the bodies that have entered since the start.
    pub fn catch_up(&mut self, world: &World) {
        for id in self.bodies.len() as u32.. {
            let Some(Arrival { material, radius, mass }) = world.arrival(id) else { return };
            let body = Body { mass: Some(mass), ..Body::new(Shape::Sphere { radius }, material, DVec3::ZERO) };
            self.bodies.push(BodyText::new(&body, None, world.model()));
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
        let laws = model.laws.get(between[0], between[1])?;
        let (layout, [normal, slide, roll, spin, friction]) = (MemoryLayout::of(laws), laws.names());
        let law = |name: Option<&str>, numbers| name.map(|law| LawText { law: law.to_owned(), numbers });
        Some(PairText {
            between,
            normal: normal.unwrap_or_default().to_owned(),
            slide: law(slide, layout.slide),
            roll: law(roll, layout.roll),
            spin: law(spin, layout.spin),
            friction: law(friction, layout.friction),
        })
    };
    all.filter_map(pair).collect()
}
