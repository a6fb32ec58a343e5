//! Bodies that a caller puts in or takes out between two steps, and what there is to know of those that came.

use super::World;
use crate::answers::{Changed, Seen};
use crate::body::Body;
use crate::error::BuildError;
use crate::inflow::Arrival;
use crate::soft::cell;
use crate::traffic;
pub use crate::traffic::StreamReport;

impl World {
    /// Puts free spheres into the world, between two steps, and returns their ids. They must touch nothing.
    pub fn insert(&mut self, bodies: &[Body]) -> Result<Vec<u32>, BuildError> {
        let World { model, state, geometry, work } = self;
        let first = state.bodies.index_of.len() as u32;
        traffic::check_entering(model, state, geometry, cell::upright(state).as_ref(), bodies)?;
        let radii: Vec<f64> = bodies.iter().filter_map(|body| body.shape.radius()).collect();
        let work = work.answers_mut();
        work.admit(Seen { model, state, geometry }, &radii)
            .map_err(|trouble| BuildError::BadCell(trouble.to_string()))?;
        work.change(Changed { model, state, geometry }, &[], bodies);
        Ok((first..self.id_count()).collect())
    }

    /// Takes spheres out of the world, between two steps. Walls, and ids of bodies that are not there, are passed over.
    pub fn remove(&mut self, ids: &[u32]) {
        let is_sphere = |id: u32| self.has(id) && self.body(id).radius > 0.0;
        let mut ids: Vec<u32> = ids.iter().copied().filter(|&id| is_sphere(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        let World { model, state, geometry, work } = self;
        work.answers_mut().change(Changed { model, state, geometry }, &ids, &[]);
    }

    /// The material of a body by id, also of one that has left.
    pub fn material_of(&self, id: u32) -> u16 {
        self.state.bodies.material_of[id as usize]
    }

    /// What is fixed about a body that has entered during the run, also of one that has left; `None` for those that were
    /// there at the start.
    pub fn arrival(&self, id: u32) -> Option<Arrival> {
        let at_start = self.state.bodies.index_of.len() - self.state.traffic.arrivals.len();
        self.state.traffic.arrivals.get((id as usize).checked_sub(at_start)?)
    }

    /// How each stream keeps up with its rate.
    pub fn streams(&self) -> impl Iterator<Item = StreamReport> + '_ {
        self.model.inflows.iter().zip(&self.state.traffic.queues).map(|(inflow, queue)| {
            let (step, dt) = (self.state.step, self.model.dt);
            let time = queue.since.time_at(step, dt) - inflow.start;
            let density = self.model.materials[usize::from(inflow.material())].density;
            StreamReport {
                due: inflow.due_before(step, dt, queue, density),
                entered: queue.entered,
                rate: if time > 0.0 { queue.entered as f64 / time } else { 0.0 },
            }
        })
    }
}
