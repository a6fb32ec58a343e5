//! Which grains of a packing hold something, read off a world: rattlers, coordination without them, their motion.
//!
//! The rule is that of `measure::packing` (Santos et al. 2020): a sphere with no more contacts than half the isostatic number
//! is taken away with its contacts, again and again. Which motions friction resists follows from the laws: a motion whose
//! static coefficient is below 0.01 between all materials counts as free; a `length` is taken over the mean diameter. Here
//! it goes by index over flat lists, so that a run can ask at every look at its rules.

use super::World;
use crate::law::{Limit, Measure, Motions, PairLaws};
use crate::measure::packing::{LEAST_COEFFICIENT, stable_contacts};

/// A packing without its rattlers.
#[derive(Clone, Debug, PartialEq)]
pub struct Packing {
    /// Ids of the rattlers, ascending.
    pub rattlers: Vec<u32>,
    /// How many spheres are none.
    pub held: usize,
    /// Mean contacts of those, counting contacts among themselves and with walls; zero when there is none.
    pub coordination: f64,
    /// Mean translational kinetic energy (J) of those that loads move; `None` when there is none.
    pub kinetic_per_body: Option<f64>,
}

impl World {
    /// The spheres that hold something, and those that do not.
    pub fn packing(&self) -> Packing {
        let bodies = &self.state.bodies;
        let left = self.contacts_left();
        let mut packing = Packing { rattlers: Vec::new(), held: 0, coordination: 0.0, kinetic_per_body: None };
        let (mut contacts, mut energy, mut moved) = (0_u64, 0.0, 0_u64);
        // By id, so that sums do not depend on the order in space.
        for id in self.ids() {
            let index = bodies.index_of[id as usize] as usize;
            match left.get(index) {
                Some(Some(count)) => {
                    packing.held += 1;
                    contacts += u64::from(*count);
                    let mover = &bodies.movers[index];
                    if mover.inverse_mass > 0.0 {
                        energy += 0.5 * mover.velocity.length_squared() / mover.inverse_mass;
                        moved += 1;
                    }
                }
                Some(None) => packing.rattlers.push(id),
                // A wall.
                None => {}
            }
        }
        packing.coordination = if packing.held == 0 { 0.0 } else { contacts as f64 / packing.held as f64 };
        packing.kinetic_per_body = (moved > 0).then(|| energy / moved as f64);
        packing
    }

    /// Ids of the spheres that hold nothing, ascending.
    pub fn rattlers(&self) -> Vec<u32> {
        self.packing().rattlers
    }

    /// Mean contacts of the spheres that are no rattlers, counting contacts among themselves; zero when all are.
    pub fn held_coordination(&self) -> f64 {
        self.packing().coordination
    }

    /// By index of a sphere, the contacts it keeps when rattlers are gone; `None` for a rattler.
    fn contacts_left(&self) -> Vec<Option<u32>> {
        let spheres = self.state.bodies.first_wall;
        let pairs = self.touching_pairs();
        // The partners of sphere k stand from starts[k] to starts[k + 1]; walls are beyond the spheres.
        let mut starts = vec![0_u32; spheres + 1];
        let ends = || pairs.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).filter(|(one, _)| (*one as usize) < spheres);
        ends().for_each(|(one, _)| starts[one as usize + 1] += 1);
        (0..spheres).for_each(|k| starts[k + 1] += starts[k]);
        let mut filled = starts.clone();
        let mut partners = vec![0_u32; starts[spheres] as usize];
        for (one, other) in ends() {
            partners[filled[one as usize] as usize] = other;
            filled[one as usize] += 1;
        }
        let stable = self.stable_contacts();
        let mut left: Vec<Option<u32>> = (0..spheres).map(|k| Some(starts[k + 1] - starts[k])).collect();
        let few = |count: &Option<u32>| count.is_some_and(|count| count < stable);
        let mut loose: Vec<usize> = (0..spheres).filter(|&k| few(&left[k])).collect();
        while let Some(k) = loose.pop() {
            if left[k].take().is_none() {
                continue;
            }
            for &other in &partners[starts[k] as usize..starts[k + 1] as usize] {
                let Some(Some(count)) = left.get_mut(other as usize) else { continue };
                *count -= 1;
                if *count < stable {
                    loose.push(other as usize);
                }
            }
        }
        left
    }

    /// Contacts that a sphere needs to be held, by the motions that friction resists between any of the materials.
    fn stable_contacts(&self) -> u32 {
        let spheres = self.state.bodies.grains();
        let diameter = 2.0 * spheres.iter().map(|m| m.radius).sum::<f64>() / spheres.len().max(1) as f64;
        let materials = self.model.materials.len() as u16;
        let pairs = (0..materials).flat_map(|i| (i..materials).map(move |j| (i, j)));
        let laws: Vec<&PairLaws> = pairs.filter_map(|(i, j)| self.model.laws.get(i, j)).collect();
        let holds = |limit: Limit| {
            let unit = if limit.measure == Measure::Length { diameter } else { 1.0 };
            limit.static_ >= LEAST_COEFFICIENT * unit
        };
        let resisted = |motion: Motions| laws.iter().any(|laws| laws.any_holds(motion, holds));
        stable_contacts(Motions::EACH.map(resisted)) as u32
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use crate::body::{Body, Motion};
    use crate::law::{Hooke, Limit, Normal, Roll, RollSlider, Slide, SlideSlider, Spin, SpinSlider, SpringLaws};
    use crate::measure::packing;
    use crate::model::{Material, Model};
    use crate::random::Stream;
    use crate::shape::Shape;
    use crate::world::{Setup, World};

    fn laws(slide: f64, roll: f64, spin_length: f64) -> SpringLaws {
        SpringLaws {
            slide: Some(Slide::SpringSlider(SlideSlider::new(1e4, 1.0, Limit::mu(slide)))),
            roll: Some(Roll::SpringSlider(RollSlider::new(1e4, 1.0, Limit::mu(roll)))),
            spin: Some(Spin::SpringSlider(SpinSlider::new(1.0, 0.1, Limit::length(spin_length)))),
            ..SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e5, 10.0)))
        }
    }

    /// Spheres of diameter 1 thrown into a box on a floor, overlapping as they come.
    fn world(laws: SpringLaws) -> World {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.0 }], 1e-4);
        model.laws.set(0, 0, laws);
        let mut stream = Stream::named(3, "rattlers");
        let mut place = || DVec3::new(stream.between(0.0, 7.0), stream.between(0.0, 7.0), stream.between(0.3, 7.0));
        let mut bodies: Vec<Body> = (0..500).map(|_| Body::new(Shape::Sphere { radius: 0.5 }, 0, place())).collect();
        bodies.iter_mut().enumerate().for_each(|(i, body)| body.velocity.x = i as f64);
        let floor = Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO);
        bodies.insert(7, Body { motion: Motion::Fixed, ..floor });
        World::new(Setup { model, bodies }).unwrap()
    }

    #[test]
    fn rattlers_are_those_that_the_slow_count_finds() {
        // Coefficients below 0.01 (spin: 0.01 of the diameter) do not count.
        let states =
            [(0.0, 0.0, 0.5, 4), (0.0, 0.5, 0.5, 2), (0.3, 0.009, 0.009, 3), (0.3, 0.01, 0.0, 2), (0.3, 0.0, 0.01, 2)];
        for (slide, roll, spin, stable) in states {
            let world = world(laws(slide, roll, spin));
            let ids: Vec<u32> = world.ids().filter(|id| *id != 7).collect();
            let contacts: Vec<(u32, u32)> = world.rows().iter().map(|row| (row.a, row.b)).collect();
            let slow = packing::coordination(&ids, &contacts, stable);
            let fast = world.packing();
            assert!((4..450).contains(&slow.rattlers.len()), "{}", slow.rattlers.len());
            assert_eq!(fast.rattlers, slow.rattlers);
            assert_eq!((fast.coordination, fast.held), (slow.mean_held, 500 - slow.rattlers.len()));
            assert_eq!((world.rattlers(), world.held_coordination()), (fast.rattlers, fast.coordination));
            let held = |id: &u32| slow.rattlers.binary_search(id).is_err();
            let mass = std::f64::consts::PI / 6.0;
            let energies =
                ids.iter().filter(|id| held(id)).map(|id| 0.5 * mass * world.body(*id).velocity.length_squared());
            let mean = energies.sum::<f64>() / fast.held as f64;
            // Sums of some 500 terms of the same size.
            assert!((fast.kinetic_per_body.unwrap() / mean - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn where_nothing_touches_all_rattle() {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.0 }], 1e-4);
        model.laws.set(0, 0, laws(0.3, 0.0, 0.0));
        let bodies = vec![Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::ZERO)];
        let packing = World::new(Setup { model, bodies }).unwrap().packing();
        assert_eq!((packing.rattlers, packing.coordination, packing.kinetic_per_body), (vec![0], 0.0, None));
    }
}
