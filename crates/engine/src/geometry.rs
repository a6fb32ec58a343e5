//! Where walls, ellipsoids and boxes are: follows from model and state, never saved.
//!
//! Bodies are records of a place, an orientation and a velocity. What has a surface other than a sphere's is posed here once a step: at
//! its end, at its start (for the normal there), and when neighbour lists were made (for how far it has moved since). The shifts
//! of the images in a cell follow from the cell as walls follow from their bodies. What impulses do to bodies (`response.rs`) is a
//! column beside them, kept for the methods that ask for it.
//!
//! Does not do: who touches whom (`collide`), what moves bodies (the methods).

use glam::DVec3;

use crate::body::Motion;
use crate::broad::{Image, Shifts};
use crate::cell::CellState;
use crate::collide::general::{Solid, Solids};
use crate::model::Special;
use crate::response::{Response, Responses};
use crate::state::Bodies;
use crate::wall::Wall;

/// Walls and solids in their places.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// The walls now, in the order of their bodies.
    pub walls: Vec<Wall>,
    /// The same at the start of the step.
    pub walls_before: Vec<Wall>,
    /// The same when neighbour lists were made.
    pub walls_built: Vec<Wall>,
    /// Ellipsoids and boxes now, also those that have left.
    pub solids: Vec<Solid>,
    /// The same at the start of the step.
    pub solids_before: Vec<Solid>,
    /// The shift of each image in the cell (m); zero without a cell.
    pub shifts: Shifts,
    /// What impulses do to bodies, for methods that ask for it.
    responses: Option<Responses>,
}

impl Geometry {
    /// Of these solids, before anything is posed.
    pub fn new(solids: Vec<Solid>) -> Self {
        Geometry {
            walls: Vec::new(),
            walls_before: Vec::new(),
            walls_built: Vec::new(),
            solids_before: solids.clone(),
            solids,
            shifts: Image::shifts(None),
            responses: None,
        }
    }

    /// Keeps, from now on, what impulses do to bodies.
    pub fn keep_responses(&mut self, bodies: &Bodies) {
        self.responses = Some(Responses::of(bodies));
    }

    /// What impulses do to bodies, by index; empty unless they are kept.
    pub fn responses(&self) -> &[Response] {
        self.responses.as_deref().unwrap_or_default()
    }

    /// Puts walls and solids where their bodies are. To be called when bodies have come, gone, or stand in another order.
    pub fn pose(&mut self, bodies: &Bodies) {
        self.pose_colliders(bodies);
        if let Some(responses) = &mut self.responses {
            *responses = Responses::of(bodies);
        }
    }

    fn pose_colliders(&mut self, bodies: &Bodies) {
        for solid in &mut self.solids {
            // One that has left stays where it was: nobody asks for it.
            let index = bodies.index_of[solid.id as usize] as usize;
            if let Some(mover) = bodies.movers.get(index) {
                solid.put(mover.position, bodies.orientations[index]);
            }
        }
        self.walls.clear();
        for (mover, &orientation) in bodies.movers.iter().zip(&bodies.orientations).skip(bodies.first_wall) {
            let special = &bodies.specials[mover.special as usize - 1];
            let wall = special.wall.and_then(|shape| Wall::new(&shape, mover.position, orientation));
            let wall = wall.expect("a body without radius is a wall");
            self.walls.push(wall.running(matches!(special.motion, Motion::Belt(_))));
        }
    }

    /// The step is done: what is now becomes what was before, and all is posed where bodies have come to.
    pub fn follow(&mut self, bodies: &Bodies) {
        std::mem::swap(&mut self.walls, &mut self.walls_before);
        std::mem::swap(&mut self.solids, &mut self.solids_before);
        self.pose_colliders(bodies);
        if let Some(responses) = &mut self.responses {
            responses.follow(bodies);
        }
    }

    /// Takes the walls and solids as they are for those at the start of the step.
    pub fn note_before(&mut self) {
        self.walls_before.clone_from(&self.walls);
        self.solids_before.clone_from(&self.solids);
    }

    /// The images are those of the cell as it is.
    pub fn note_cell(&mut self, cell: Option<&CellState>) {
        self.shifts = Image::shifts(cell.map(|cell| &cell.frame));
    }

    /// The solids at the end and at the start of the step.
    pub(crate) fn solids<'a>(&'a self, specials: &'a [Special]) -> Solids<'a> {
        Solids { specials, now: &self.solids, before: &self.solids_before }
    }

    /// The solids as they are, taken for those at the start of the step, too.
    pub(crate) fn solids_at_rest<'a>(&'a self, specials: &'a [Special]) -> Solids<'a> {
        Solids { specials, now: &self.solids, before: &self.solids }
    }

    /// Whether a sphere there would touch no wall, nor lie behind a plane.
    pub fn is_clear(&self, centre: DVec3, radius: f64) -> bool {
        self.walls.iter().all(|wall| wall.touchable(centre).is_none_or(|nearest| nearest.distance > radius))
    }
}
