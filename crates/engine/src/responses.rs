//! What impulses do to all bodies of a world (`response.rs`), derived: the full inertia tensor turned with the body, locks masked,
//! nothing where a motion is given from outside,
//!
//! linear = P/m,   angular = P' R diag(1/I) R^T P'
//!
//! with the masks P, P' of the components that are free. A held body turns but does not move; a servo moves along its axis with
//! its own inertia M, and does not turn. With unequal moments no or all rotations are masked, or two with the moment about the third
//! axis in place of all (`Body::about_free_axis`), so that the masked inverse is the inverse of what is free.
//!
//! A column beside the bodies, by index: it follows from model and state and is never saved. `Geometry` keeps it for methods
//! that ask for it; the explicit method has what it needs of it in its records.
//!
//! Does not do: the dashpot and the greatest speed of a servo, constant loads (methods); the mass that normal dashpots count with
//! (`collide/normal_mass.rs`).

use std::ops::Deref;

use glam::{DMat3, DQuat, DVec3};

use crate::body::Motion;
use crate::model::Special;
use crate::response::Response;
use crate::state::{Bodies, Mover};

/// Computes that of a body as it is turned.
fn of_body(mover: &Mover, special: Option<&Special>, world_from_body: DQuat) -> Response {
    let [linear, angular] =
        [mover.inverse_mass, mover.inverse_inertia].map(|of| DMat3::from_diagonal(DVec3::splat(of)));
    let Some(special) = special else { return Response { linear, angular } };
    match &special.motion {
        Motion::Fixed | Motion::Prescribed(_) | Motion::Belt(_) => return Response::NONE,
        Motion::Servo(servo) => {
            let columns = (servo.axis.to_array()).map(|along| servo.axis * (along / servo.mass));
            return Response { linear: DMat3::from_cols(columns[0], columns[1], columns[2]), ..Response::NONE };
        }
        Motion::Free | Motion::Held => {}
    }
    let linear = if special.motion == Motion::Held { DMat3::ZERO } else { masked(linear, special.free) };
    let angular = match special.inertia_body {
        None => angular,
        Some(inertia) => {
            let turn = DMat3::from_quat(special.principal(world_from_body));
            turn * DMat3::from_diagonal(inertia.recip()) * turn.transpose()
        }
    };
    Response { linear, angular: masked(angular, special.free_turn) }
}

/// Rows and columns of components that are locked become zero.
fn masked(matrix: DMat3, free: DVec3) -> DMat3 {
    let mask = DMat3::from_diagonal(free);
    mask * matrix * mask
}

/// The responses of all bodies, by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Responses {
    all: Vec<Response>,
    /// The bodies whose responses change as they turn.
    turning: Vec<u32>,
}

impl Responses {
    /// Computes those of all bodies.
    pub(crate) fn of(bodies: &Bodies) -> Responses {
        let turns = |mover: &Mover| {
            let special = bodies.special(mover);
            special.is_some_and(|special| special.motion.yields() && special.inertia_body.is_some())
        };
        let turning = (0_u32..).zip(&bodies.movers).filter(|(_, mover)| turns(mover)).map(|(index, _)| index);
        Responses {
            all: (0..bodies.movers.len()).map(|index| response(bodies, index)).collect(),
            turning: turning.collect(),
        }
    }

    /// Follows the same bodies, which have turned.
    pub(crate) fn follow(&mut self, bodies: &Bodies) {
        for &index in &self.turning {
            self.all[index as usize] = response(bodies, index as usize);
        }
    }
}

impl Deref for Responses {
    type Target = [Response];

    fn deref(&self) -> &[Response] {
        &self.all
    }
}

fn response(bodies: &Bodies, index: usize) -> Response {
    let mover = &bodies.movers[index];
    of_body(mover, bodies.special(mover), bodies.orientation(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Body, Prescribed, Servo};
    use crate::geometry::Geometry;
    use crate::model::{Material, Model};
    use crate::mover::mover_of;
    use crate::shape::Shape;

    const BALL: Shape = Shape::Sphere { radius: 0.5 };
    const EGG: Shape = Shape::Ellipsoid { axes: DVec3::new(0.3, 0.2, 0.1) };

    fn bodies_of(described: &[Body]) -> (Bodies, Geometry) {
        let model = Model::new(vec![Material { name: "grain".into(), density: 2.0 }], 1e-3);
        let mut bodies = Bodies::default();
        for (id, body) in (0..).zip(described) {
            bodies.movers.push(mover_of(id, body, &model, &mut bodies.specials));
            bodies.orientations.push(body.orientation.normalize());
            bodies.index_of.push(id);
        }
        bodies.first_wall = described.iter().filter(|body| body.shape.radius().is_some()).count();
        let geometry = Geometry::of(&mut bodies);
        (bodies, geometry)
    }

    fn response_of(body: Body) -> Response {
        Responses::of(&bodies_of(&[body]).0)[0]
    }

    fn turned(shape: Shape) -> Body {
        let orientation = DQuat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
        Body { orientation, mass: Some(3.0), ..Body::new(shape, 0, DVec3::ONE) }
    }

    fn close(found: DMat3, expected: DMat3) {
        // A few roundings of the largest number.
        let largest = expected.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(found.abs_diff_eq(expected, 1e-14 * largest), "{found} {expected}");
    }

    #[test]
    fn a_ball_responds_the_same_in_every_direction() {
        let Response { linear, angular } = response_of(turned(BALL));
        close(linear, DMat3::IDENTITY * (1.0 / 3.0));
        close(angular, DMat3::IDENTITY * (1.0 / (0.4 * 3.0 * 0.25)));
    }

    #[test]
    fn an_ellipsoid_turned_somehow_takes_the_angular_momentum_it_gets() {
        let body = turned(EGG);
        let inertia = body.mass_and_inertia(1.0).1;
        let Response { linear, angular } = response_of(body.clone());
        close(linear, DMat3::IDENTITY * (1.0 / 3.0));
        close(angular, angular.transpose());
        for given in [DVec3::X, DVec3::new(0.3, -2.0, 0.7), DVec3::new(-1.0, 0.0, 5.0)] {
            let in_body = body.orientation.inverse() * (angular * given);
            let momentum = body.orientation * (inertia * in_body);
            assert!((momentum - given).length() < 1e-14 * given.length(), "{momentum} {given}");
        }
    }

    #[test]
    fn locks_take_their_components_out() {
        let lock = [false, true, false, true, false, true];
        let Response { linear, angular } = response_of(Body { lock, ..turned(EGG) });
        close(linear, DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0) / 3.0));
        // About y alone, with the moment about that axis.
        let body = turned(EGG);
        let axis = body.orientation.inverse() * DVec3::Y;
        let moment = axis.dot(body.mass_and_inertia(1.0).1 * axis);
        close(angular, DMat3::from_diagonal(DVec3::Y / moment));
        let ball = response_of(Body { lock: [false, false, false, false, false, true], ..turned(BALL) });
        close(ball.angular, DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0) / 0.3));
        let stiff = response_of(Body { lock: [true; 6], ..turned(EGG) });
        assert_eq!(stiff, Response::NONE);
    }

    #[test]
    fn a_held_body_turns_and_does_not_move() {
        let [free, held] = [Motion::Free, Motion::Held].map(|motion| response_of(Body { motion, ..turned(EGG) }));
        assert_eq!((held.linear, held.angular), (DMat3::ZERO, free.angular));
    }

    #[test]
    fn no_impulse_moves_what_is_given_from_outside() {
        let floor = Shape::Plane { normal: DVec3::Z };
        for motion in [Motion::Fixed, Motion::Prescribed(Prescribed::default()), Motion::Belt(DVec3::X.into())] {
            assert_eq!(
                response_of(Body { motion, orientation: DQuat::IDENTITY, ..turned(floor.clone()) }),
                Response::NONE
            );
        }
        assert_eq!(response_of(Body { motion: Motion::Fixed, ..turned(EGG) }), Response::NONE);
    }

    #[test]
    fn a_servo_moves_along_its_axis_only() {
        let axis = DVec3::new(0.6, 0.0, 0.8);
        let servo = Servo { axis, force: 7.0.into(), mass: 4.0, damping: 1.0, max_speed: 2.0 };
        let floor = Shape::Plane { normal: DVec3::Z };
        let Response { linear, angular } = response_of(Body { motion: Motion::Servo(servo), ..turned(floor) });
        assert_eq!(angular, DMat3::ZERO);
        let push = DVec3::new(1.0, 5.0, -3.0);
        assert!((linear * push - axis * (push.dot(axis) / 4.0)).length() < 1e-15);
    }

    #[test]
    fn geometry_keeps_the_column_only_where_it_is_asked_for_and_it_follows_what_turns() {
        let (mut bodies, mut geometry) = bodies_of(&[turned(BALL), turned(EGG), turned(BALL)]);
        geometry.pose(&bodies);
        assert!(geometry.responses().is_empty());
        geometry.keep_responses(&bodies);
        let before = geometry.responses().to_vec();
        for orientation in &mut bodies.orientations {
            *orientation = DQuat::from_rotation_x(0.4) * *orientation;
        }
        geometry.follow(&bodies);
        assert_eq!(*geometry.responses(), *Responses::of(&bodies));
        assert!(geometry.responses()[1] != before[1] && geometry.responses()[0] == before[0]);
        // Another order of the bodies.
        bodies.movers.swap(0, 1);
        bodies.orientations.swap(0, 1);
        geometry.pose(&bodies);
        assert_eq!(*geometry.responses(), *Responses::of(&bodies));
    }
}
