//! `[material.X]` tables: density and moduli.

use stickslip::model::Material;

use crate::input::{Item, Place, Result, Table, nearest, shown};
use crate::scene::between::ANY;
use crate::scene::laws::Takes;

/// The most materials a scene may have: their pairs are kept in a square table.
const MOST: usize = 256;

/// The most materials that a message lists.
const MOST_NAMED: usize = 10;

/// Moduli as they may stand in a material or in a law's table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Elastic {
    /// Young's modulus (Pa).
    pub young: Option<f64>,
    /// Shear modulus (Pa), instead of Young's.
    pub shear_modulus: Option<f64>,
    /// Poisson's ratio.
    pub poisson: Option<f64>,
}

impl Elastic {
    /// Takes the three keys.
    pub fn read(table: &Table<'_>) -> Result<Self> {
        let (mut young, mut shear_modulus) = (None, None);
        match table.one_of(&["young", "shear_modulus"])? {
            Some(("young", item)) => young = Some(Takes::Positive.number(item)?),
            Some((_, item)) => shear_modulus = Some(Takes::Positive.number(item)?),
            None => {}
        }
        let poisson = table.read("poisson", |item| Takes::Poisson.number(item))?;
        Ok(Elastic { young, shear_modulus, poisson })
    }

    /// These values, and where there are none, those of `other`.
    pub fn or(&self, other: &Elastic) -> Elastic {
        let own = self.young.is_some() || self.shear_modulus.is_some();
        let moduli = if own { self } else { other };
        let poisson = self.poisson.or(other.poisson);
        Elastic { young: moduli.young, shear_modulus: moduli.shear_modulus, poisson }
    }

    /// G = E/(2 (1 + nu)); `None` when something is missing.
    pub fn shear(&self) -> Option<f64> {
        self.shear_modulus.or_else(|| Some(self.young? / (2.0 * (1.0 + self.poisson?))))
    }

    /// E and nu, with E = 2 G (1 + nu); `None` when something is missing.
    pub fn young_and_poisson(&self) -> Option<(f64, f64)> {
        let poisson = self.poisson?;
        let young = self.young.or_else(|| self.shear_modulus.map(|g| 2.0 * g * (1.0 + poisson)))?;
        Some((young, poisson))
    }
}

/// The materials of a scene, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Materials {
    /// As the engine has them.
    pub list: Vec<Material>,
    /// Their moduli.
    pub elastic: Vec<Elastic>,
}

impl Materials {
    /// Reads all `[material.X]` tables.
    pub fn read(top: &Table<'_>) -> Result<Self> {
        let all = top.need("material", |item| {
            item.clone().table().map_err(|_| item.expected("tables, each headed [material.NAME]"))
        })?;
        let mut materials = Materials::default();
        for name in all.chosen_keys() {
            let Some(item) = all.chosen(name) else { continue };
            let place = item.place();
            if name == ANY {
                return Err(place.error("`between` takes * for any material: choose another name".into()));
            }
            let table = item.table().map_err(|_| place.error("expected a table, headed [material.NAME]".into()))?;
            if materials.list.len() == MOST {
                return Err(place.error(format!("a scene may have at most {MOST} materials")));
            }
            // Zero stands for none: bodies that are given a mass, and walls, need none.
            let density = table.read("density", Item::positive)?.unwrap_or(0.0);
            materials.elastic.push(Elastic::read(&table)?);
            materials.list.push(Material { name: name.to_owned(), density });
            table.finish()?;
        }
        Ok(materials)
    }

    /// The index of the material that a string names.
    pub fn index(&self, item: Item<'_>) -> Result<u16> {
        let place: Place<'_> = item.place();
        let name = item.string()?;
        if let Some(index) = self.list.iter().position(|m| m.name == name) {
            return Ok(index as u16);
        }
        let known: Vec<&str> = self.list.iter().map(|m| m.name.as_str()).collect();
        let error = place.error(format!("there is no [material.{}]", shown(name)));
        Err(match nearest(name, &known) {
            Some(near) => error.help(format!("did you mean \"{near}\"?")),
            None if known.is_empty() => error.help("this scene has no materials"),
            None => {
                let mut names: Vec<String> = known.iter().take(MOST_NAMED).map(|name| shown(name)).collect();
                names.extend((known.len() > MOST_NAMED).then(|| "..".to_owned()));
                error.help(format!("this scene has: {}", names.join(", ")))
            }
        })
    }
}
