//! Touches as values: against what the engine evaluates, against closed forms, for any observer; seams over the touches of one
//! body.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::common::*;
use glam::{DQuat, DVec3};
use stickslip::collide::normal_mass::Yields;
use stickslip::collide::seams::{JOINED, match_by_place};
use stickslip::collide::{ColliderId, Posed, Touch, Touches, seams, settle_seams, touch};
use stickslip::law::*;
use stickslip::random::Stream;
use stickslip::shape::Part;
use stickslip::wall::Wall;
use stickslip::{Body, Motion, Shape, Sides, frame};

fn touches(a: &Posed, b: &Posed, within: f64) -> Touches {
    let mut out = Touches::default();
    touch(a, b, within, &mut out);
    out
}

/// The one touch of a pair that has one at any distance.
fn only(a: &Posed, b: &Posed) -> Touch {
    let found = touches(a, b, f64::INFINITY);
    assert_eq!(found.len(), 1);
    found[0]
}

fn any_turn(stream: &mut Stream) -> DQuat {
    let (axis, w) = (random_direction(stream), stream.between(-1.0, 1.0));
    DQuat::from_xyzw(axis.x, axis.y, axis.z, w).normalize()
}

fn any_size(stream: &mut Stream) -> DVec3 {
    DVec3::new(stream.between(0.2, 0.5), stream.between(0.2, 0.5), stream.between(0.2, 0.5))
}

fn any_sphere(stream: &mut Stream) -> Shape {
    Shape::Sphere { radius: stream.between(0.1, 0.5) }
}

fn any_ellipsoid(stream: &mut Stream) -> Shape {
    Shape::Ellipsoid { axes: any_size(stream) }
}

fn any_box(stream: &mut Stream) -> Shape {
    Shape::Box { size: any_size(stream) * 2.0 }
}

fn a_plane(_: &mut Stream) -> Shape {
    Shape::Plane { normal: DVec3::Z }
}

/// Moved along a line until the nearest touch with `other` has this gap, or nearly: from outside each round moves by no more than
/// the gap is too large.
fn brought_near(other: &Posed, shape: &Shape, turn: DQuat, from: DVec3, way: DVec3, gap: f64) -> DVec3 {
    let mut position = from;
    for _ in 0..30 {
        let found = touches(&Posed::new(shape, position, turn), other, f64::INFINITY);
        let least = found.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
        position += way * (least - gap);
    }
    position
}

/// Compares the rows of a world at step 0 with the touches of these pairs; returns how many pairs touch and how many do not.
fn compare(bodies: Vec<Body>, pairs: &[[usize; 2]]) -> [usize; 2] {
    let shapes: Vec<Shape> = bodies.iter().map(|body| body.shape.clone()).collect();
    let world = world(model(SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e3, 0.0))), 1e-4), bodies);
    let rows = world.rows();
    let mut counts = [0; 2];
    for &[a, b] in pairs {
        let posed = [a, b].map(|id| {
            let body = world.body(id as u32);
            Posed::new(&shapes[id], body.position, body.orientation)
        });
        let found = touches(&posed[0], &posed[1], 0.0);
        let rows: Vec<_> = rows.iter().filter(|row| (row.a, row.b) == (a as u32, b as u32)).collect();
        assert_eq!(rows.len(), found.len(), "{:?} {:?}", shapes[a], shapes[b]);
        counts[usize::from(rows.is_empty())] += 1;
        for (row, touch) in rows.iter().zip(found.iter()) {
            // The explicit method has no sides of walls.
            let side = posed.iter().any(|posed| posed.wall().is_some_and(|wall| wall.plane().is_none()));
            assert!(side || row.feature == touch.feature);
            // The kernel finds normal and overlap again from a vector along the normal: the normal is a unit vector but for
            // some 8 roundings where it was turned, lengths are of order one, and points are differences of places. For spheres it
            // has the same geometry in its own order: 2 ulp.
            let spheres = [a, b].iter().all(|&id| matches!(shapes[id], Shape::Sphere { .. }));
            let rounding = if spheres { 2.0 } else { 16.0 } * f64::EPSILON;
            // The kernel measures the distance along the wall's own normal, which near the axis of a cone is longer or shorter.
            let off = |i: usize| {
                let wall = posed[i].wall()?;
                Some((wall.nearest(posed[1 - i].centre()).normal.length() - 1.0).abs() * touch.radius_eff)
            };
            let length = rounding + off(0).or(off(1)).unwrap_or(0.0);
            let place = 1.0 + posed[0].centre().length() + posed[1].centre().length();
            assert!((row.normal - touch.normal).length() < rounding, "{:?} {:?}", shapes[a], shapes[b]);
            assert!((row.overlap - touch.overlap()).abs() < length, "{} {}", row.overlap, touch.overlap());
            for (posed, arm) in posed.iter().zip(touch.arm) {
                assert!((posed.centre() + arm - row.point).length() < length + rounding * place);
            }
        }
    }
    counts
}

/// Places far from one another on a lattice.
fn lattice(count: usize) -> impl Iterator<Item = DVec3> {
    (0..count).map(|k| DVec3::new((k % 10) as f64, (k / 10 % 10) as f64, (k / 100) as f64) * 4.0)
}

type AnyShape = fn(&mut Stream) -> Shape;

#[test]
fn touches_of_two_bodies_are_those_the_engine_evaluates() {
    let kinds: [AnyShape; 3] = [any_sphere, any_ellipsoid, any_box];
    let mut stream = Stream::named(3, "touch");
    for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (1, 2), (2, 1)] {
        let (mut bodies, mut pairs) = (Vec::new(), Vec::new());
        for place in lattice(1000) {
            let (one, other) = (kinds[first](&mut stream), kinds[second](&mut stream));
            let (turn, other_turn, way) = (any_turn(&mut stream), any_turn(&mut stream), random_direction(&mut stream));
            let place = place + random_vector(&mut stream, 0.1);
            let near = Posed::new(&one, place, turn);
            let gap = stream.between(-0.02, 0.01);
            let at = brought_near(&near, &other, other_turn, place + way * 2.0, -way, gap);
            pairs.push([bodies.len(), bodies.len() + 1]);
            for (shape, orientation, position) in [(one, turn, place), (other, other_turn, at)] {
                // Two boxes that loads move may not be in one world.
                let motion = if matches!(shape, Shape::Box { .. }) { Motion::Fixed } else { Motion::Free };
                bodies.push(Body { orientation, motion, ..Body::new(shape, 0, position) });
            }
        }
        let counts = compare(bodies, &pairs);
        assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
    }
}

#[test]
fn touches_with_a_plane_are_those_the_engine_evaluates() {
    let kinds: [AnyShape; 3] = [any_sphere, any_ellipsoid, any_box];
    let mut stream = Stream::named(4, "touch");
    for (kind, plane_first) in [(0, true), (0, false), (1, true), (1, false), (2, true), (2, false)] {
        // Two boxes may not be in one world.
        let (worlds, count) = if kind == 2 { (1000, 1) } else { (10, 100) };
        let mut counts = [0; 2];
        for _ in 0..worlds {
            let turn = any_turn(&mut stream);
            let plane = Shape::Plane { normal: DVec3::Z };
            let wall = Body {
                motion: Motion::Fixed,
                orientation: turn,
                ..Body::new(plane, 0, random_vector(&mut stream, 1.0))
            };
            let posed = Posed::of(&wall);
            let mut bodies = Vec::new();
            for place in lattice(count) {
                let (shape, own) = (kinds[kind](&mut stream), any_turn(&mut stream));
                // Now and then a box that lies flat, or nearly.
                let own =
                    if stream.unit() < 0.3 { turn * frame::rotation(random_vector(&mut stream, 0.01)) } else { own };
                let from = wall.position + turn * (place + DVec3::Z * 2.0);
                let gap = stream.between(-0.03, 0.02);
                let at = brought_near(&posed, &shape, own, from, turn * -DVec3::Z, gap);
                bodies.push(Body { orientation: own, ..Body::new(shape, 0, at) });
            }
            bodies.insert(if plane_first { 0 } else { count }, wall);
            let pair = |id: usize| if plane_first { [0, id + 1] } else { [id, count] };
            let found = compare(bodies, &(0..count).map(pair).collect::<Vec<_>>());
            (0..2).for_each(|k| counts[k] += found[k]);
        }
        assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
    }
}

/// Finite walls of every kind.
fn finite_walls(sides: Sides) -> [Shape; 5] {
    [
        Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [2.0, 1.0], sides },
        Shape::Tube { radius: 0.8, length: 1.5, axis: DVec3::Z, sides },
        Shape::Cone { radii: [0.3, 1.0], length: 1.2, axis: DVec3::X, sides },
        Shape::Cone { radii: [0.0, 1.0], length: 0.8, axis: DVec3::Y, sides },
        Shape::Cone { radii: [0.0, 1.0], length: 0.0, axis: DVec3::Y, sides },
    ]
}

/// A place at this distance from a wall, or nearer where it is nearer to another part of it.
fn at_wall(wall: &Wall, distance: f64, stream: &mut Stream) -> DVec3 {
    let place = wall.place() + random_vector(stream, 1.3);
    let nearest = wall.nearest(place);
    place - nearest.normal * (nearest.distance - distance)
}

#[test]
fn touches_with_a_finite_wall_are_those_the_engine_evaluates() {
    let mut stream = Stream::named(5, "touch");
    for sides in [Sides::Both, Sides::Front] {
        for shape in finite_walls(sides) {
            let mut counts = [0; 2];
            for round in 0..40 {
                let wall = Body {
                    motion: Motion::Fixed,
                    orientation: any_turn(&mut stream),
                    ..Body::new(shape.clone(), 0, random_vector(&mut stream, 1.0))
                };
                let at = Wall::new(&shape, wall.position, wall.orientation).unwrap();
                let any_ball = |stream: &mut Stream| {
                    let radius = stream.between(0.05, 0.3);
                    // Deeper than half the radius a run stops.
                    sphere(radius, at_wall(&at, stream.between(0.55, 1.2) * radius, stream))
                };
                let mut balls: Vec<Body> = (0..40).map(|_| any_ball(&mut stream)).collect();
                let wall_first = round % 2 == 0;
                balls.insert(if wall_first { 0 } else { 40 }, wall);
                let pair = |id: usize| if wall_first { [0, id + 1] } else { [id, 40] };
                let found = compare(balls, &(0..40).map(pair).collect::<Vec<_>>());
                (0..2).for_each(|k| counts[k] += found[k]);
            }
            assert!(counts.iter().all(|count| *count > 100), "{shape:?}: {counts:?}");
        }
    }
}

/// Of squares and roots one in twenty would disagree here.
#[test]
fn spheres_within_a_few_ulp_of_touching_are_the_pairs_of_the_engine() {
    let mut stream = Stream::named(6, "touch");
    let (mut bodies, mut pairs) = (Vec::new(), Vec::new());
    for place in lattice(4000) {
        let radii = [stream.between(0.3, 0.6), stream.between(0.3, 0.6)];
        let ulps = (stream.unit() * 9.0).floor() - 4.0;
        let place = place + random_vector(&mut stream, 0.1);
        let apart = (radii[0] + radii[1]) * (1.0 + ulps * f64::EPSILON);
        pairs.push([bodies.len(), bodies.len() + 1]);
        bodies.push(sphere(radii[0], place));
        bodies.push(sphere(radii[1], place + random_direction(&mut stream) * apart));
    }
    let counts = compare(bodies, &pairs);
    assert!(counts.iter().all(|count| *count > 1000), "{counts:?}");
}

// ---- closed forms ----

fn ball(radius: f64, centre: DVec3) -> Posed {
    Posed::Sphere { centre, radius }
}

fn still(shape: Shape) -> Posed {
    Posed::new(&shape, DVec3::ZERO, DQuat::IDENTITY)
}

fn close(found: DVec3, expected: DVec3) {
    // A few roundings of numbers of order one.
    assert!((found - expected).length() < 1e-15, "{found} {expected}");
}

#[test]
fn two_spheres_one_of_them_an_image() {
    let (a, b) = (ball(0.3, DVec3::X * 0.79), ball(0.5, DVec3::X * 10.0));
    assert!(touches(&a, &b, 0.0).is_empty());
    let found = touches(&a, &b.shifted(DVec3::X * -10.0), 0.0);
    let [touch] = found[..] else { panic!("{found:?}") };
    close(touch.normal, DVec3::X);
    close(touch.arm[0], DVec3::X * -0.295);
    close(touch.arm[1], DVec3::X * 0.495);
    close(DVec3::new(touch.gap, touch.radius_eff, touch.curvature[0].most), DVec3::new(-0.01, 0.1875, 1.0 / 0.3));
    assert_eq!((touch.feature, touch.part, touch.closing), (0, [Part::Face; 2], None));
    // Two in one place are no reason for a number that is none.
    assert!(only(&a, &a).normal.is_finite());
}

#[test]
fn what_is_near_is_reported_within_what_was_asked() {
    let (a, b) = (ball(0.5, DVec3::Z * 1.25), ball(0.5, DVec3::ZERO));
    assert!(touches(&a, &b, 0.25).is_empty() && touches(&a, &b, 0.2501)[0].gap == 0.25);
    let plane = still(Shape::Plane { normal: DVec3::Z });
    assert!(touches(&a, &plane, 0.75).is_empty() && touches(&a, &plane, 0.7501)[0].gap == 0.75);
    let brick = still(Shape::Box { size: DVec3::splat(1.0) });
    assert!(touches(&a, &brick, 0.25).is_empty() && touches(&a, &brick, 0.2501)[0].gap == 0.25);
}

#[test]
fn a_rectangle_has_two_sides_and_a_rim() {
    let plate = still(Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [2.0, 1.0], sides: Sides::Both });
    let touch_at = |place: DVec3| only(&ball(0.25, place), &plate);
    let front = touch_at(DVec3::new(0.5, 0.25, 0.2));
    close(front.normal, DVec3::Z);
    close(front.arm[1], DVec3::new(0.5, 0.25, -0.025));
    assert_eq!((front.feature, front.part[1], front.radius_eff), (0, Part::Face, 0.25));
    let behind = touch_at(DVec3::new(0.5, 0.25, -0.2));
    assert_eq!((behind.feature, behind.normal), (1, -DVec3::Z));
    // Over the rim by (3, 4) parts of five.
    let rim = touch_at(DVec3::new(1.12, 0.0, 0.16));
    close(rim.normal, DVec3::new(0.6, 0.0, 0.8));
    assert!((rim.gap + 0.05).abs() < 1e-15 && rim.part == [Part::Face, Part::Edge]);
    let turned = only(&plate, &ball(0.25, DVec3::new(1.12, 0.0, 0.16)));
    assert_eq!((turned.normal, turned.part), (-rim.normal, [Part::Edge, Part::Face]));
    let front = still(Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [2.0, 1.0], sides: Sides::Front });
    assert!(touches(&ball(0.25, DVec3::Z * -0.2), &front, 1.0).is_empty());
}

#[test]
fn tubes_and_cones_are_hollow_inside_and_round_outside() {
    let tube = still(Shape::Tube { radius: 0.8, length: 2.0, axis: DVec3::Z, sides: Sides::Both });
    let inside = only(&ball(0.25, DVec3::X * 0.6), &tube);
    close(inside.normal, -DVec3::X);
    let curvature = inside.curvature[1];
    assert!((curvature.least + 1.25).abs() < 1e-14 && curvature.most == 0.0 && curvature.along.z.abs() == 1.0);
    let outside = only(&ball(0.25, DVec3::Y), &tube);
    let curvature = outside.curvature[1];
    assert!((curvature.most - 1.25).abs() < 1e-14 && curvature.least == 0.0 && curvature.along.x.abs() == 1.0);
    assert_eq!((inside.feature, outside.feature), (0, 1));
    assert_eq!(only(&ball(0.25, DVec3::new(0.7, 0.0, 1.1)), &tube).part[1], Part::Edge);
    // A cone of 45 degrees: at half its height the normal leans by cos 45 and the radius is 0.5.
    let cone = still(Shape::Cone { radii: [0.0, 1.0], length: 1.0, axis: DVec3::Z, sides: Sides::Both });
    let lean = DVec3::new(-FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2);
    let inside = only(&ball(0.25, DVec3::X * 0.5 + lean * 0.2), &cone);
    close(inside.normal, lean);
    assert!((inside.curvature[1].least + 2.0 * FRAC_1_SQRT_2).abs() < 1e-14 && inside.feature == 0);
    close(inside.curvature[1].along * inside.curvature[1].along.x.signum(), DVec3::new(1.0, 0.0, 1.0) * FRAC_1_SQRT_2);
    let tip = only(&ball(0.25, DVec3::Z * -0.7), &cone);
    assert!((tip.gap + 0.05).abs() < 1e-15 && tip.part[1] == Part::Corner && tip.curvature[1].most == 0.0);
}

#[test]
fn a_box_has_features_parts_and_a_mass_of_its_pair() {
    let half = DVec3::new(0.3, 0.2, 0.1);
    let shape = Shape::Box { size: half * 2.0 };
    let brick = |height: f64| Posed::new(&shape, DVec3::Z * height, DQuat::IDENTITY);
    let plane = still(Shape::Plane { normal: DVec3::Z });
    let found = touches(&brick(0.099), &plane, 0.0);
    assert_eq!(found.iter().map(|touch| touch.feature).collect::<Vec<_>>(), [0, 1, 2, 3]);
    close(found[1].arm[0], DVec3::new(0.3, -0.2, -0.0995));
    assert_eq!((found[1].part, found[1].radius_eff), ([Part::Corner, Part::Face], 0.1));
    assert_eq!(touches(&brick(0.099), &plane, 0.3).len(), 8);
    // It falls flat: a quarter of its mass at each corner, also where corners that are merely near have been found.
    let yields = Yields { inverse_mass: 0.5, inverse_moments: DVec3::ONE, ..Yields::NOT };
    let mass = touches(&brick(0.099), &plane, 0.3).normal_mass([&yields, &Yields::NOT], |_| -1.0);
    assert!((mass.unwrap() - 0.5).abs() < 1e-15);
    let balls = touches(&ball(0.5, DVec3::ZERO), &ball(0.5, DVec3::X * 0.9), 0.0);
    assert_eq!(balls.normal_mass([&yields, &yields], |_| -1.0), None);
    let part = |place: DVec3| only(&brick(0.0), &ball(0.1, place)).part;
    assert_eq!(part(DVec3::new(0.1, 0.1, 0.19)), [Part::Face; 2]);
    assert_eq!(part(DVec3::new(0.1, 0.26, 0.16)), [Part::Edge, Part::Face]);
    assert_eq!(part(DVec3::new(0.35, 0.25, 0.15)), [Part::Corner, Part::Face]);
}

#[test]
fn an_ellipsoid_that_is_a_ball_touches_as_one() {
    let mut stream = Stream::named(7, "touch");
    let kinds: [AnyShape; 4] = [any_sphere, any_ellipsoid, any_box, a_plane];
    let mut parts = [0; 3];
    for round in 0..2000 {
        let kind = round % 4;
        let other = Posed::new(&kinds[kind](&mut stream), DVec3::ZERO, any_turn(&mut stream));
        let (radius, way) = (stream.between(0.1, 0.4), random_direction(&mut stream));
        let way = other.wall().and_then(Wall::plane).unwrap_or(way);
        let gap = stream.between(-0.02, 0.02);
        let at = brought_near(&other, &Shape::Sphere { radius }, DQuat::IDENTITY, way * 2.0, -way, gap);
        let round_one = Posed::new(&Shape::Ellipsoid { axes: DVec3::splat(radius) }, at, any_turn(&mut stream));
        let (one, two) = (only(&ball(radius, at), &other), only(&round_one, &other));
        // Radii of curvature of 0.08 to 1.25 m: roundings of 1e-16 grow by some 30 on the way to a normal.
        assert!((one.gap - two.gap).abs() < 1e-13 && (one.normal - two.normal).length() < 1e-12, "{one:?} {two:?}");
        (0..2).for_each(|i| assert!((one.arm[i] - two.arm[i]).length() < 1e-12, "{one:?} {two:?}"));
        // A box is flat for both: the table in `collide/mod.rs` agrees with itself.
        assert!((one.radius_eff - two.radius_eff).abs() < 1e-11, "{one:?} {two:?}");
        assert_eq!(one.part, two.part);
        parts[one.part[1] as usize] += usize::from(kind == 2);
    }
    assert!(parts.iter().all(|count| *count > 20), "{parts:?}");
}

#[test]
fn a_touch_turns_with_its_pair_and_swaps_with_its_bodies() {
    let mut stream = Stream::named(8, "touch");
    let kinds: [AnyShape; 4] = [any_sphere, any_ellipsoid, any_box, a_plane];
    let built = |a: usize, b: usize| (a, b) != (2, 2) && (a, b) != (3, 3);
    for round in 0..4000 {
        let (a, b) = (round % 4, round / 4 % 4);
        let one = kinds[a](&mut stream);
        let finite = finite_walls(Sides::Both)[round % 5].clone();
        let (a_kind, other) = if a == 0 && b == 3 && round % 3 > 0 { (0, finite) } else { (a, kinds[b](&mut stream)) };
        if !built(a_kind, b) {
            continue;
        }
        let [turn, own, others] = [(); 3].map(|()| any_turn(&mut stream));
        let (at, shift, way) =
            (random_vector(&mut stream, 1.0), random_vector(&mut stream, 1.0), random_direction(&mut stream));
        let second = Posed::new(&other, at, others);
        let way = second.wall().and_then(Wall::plane).unwrap_or(way);
        let near = if let (Some(wall), 0) = (second.wall().filter(|wall| wall.plane().is_none()), a) {
            at_wall(wall, 0.1, &mut stream)
        } else if a == 3 {
            at
        } else {
            brought_near(&second, &one, own, at + way * 2.0, -way, -0.01)
        };
        let first = Posed::new(&one, near, own);
        let all = |a: &Posed, b: &Posed| touches(a, b, f64::INFINITY);
        let before = all(&first, &second);
        let after = all(
            &Posed::new(&one, turn * near + shift, turn * own),
            &Posed::new(&other, turn * at + shift, turn * others),
        );
        let swapped = all(&second, &first);
        assert!(!before.is_empty() && before.len() == after.len() && before.len() == swapped.len());
        for ((touch, turned), swapped) in before.iter().zip(after.iter()).zip(swapped.iter()) {
            let swapped = swapped.turned();
            assert_eq!((touch.feature, touch.part), (turned.feature, turned.part), "{one:?} {other:?}");
            assert_eq!((touch.feature, touch.part), (swapped.feature, swapped.part));
            // As above; a plane is far from some of the bodies' centres, by lengths of order one.
            for (found, tolerance) in [(*turned, 1e-12), (swapped, 1e-12)] {
                let back = |v: DVec3| if found == *turned { turn.inverse() * v } else { v };
                assert!((back(found.normal) - touch.normal).length() < tolerance, "{one:?} {other:?}");
                assert!((found.gap - touch.gap).abs() < tolerance, "{one:?} {other:?} {found:?} {touch:?}");
                (0..2).for_each(|i| assert!((back(found.arm[i]) - touch.arm[i]).length() < tolerance));
                (0..2).for_each(|i| assert!((found.curvature[i].mean() - touch.curvature[i].mean()).abs() < 1e-10));
            }
        }
    }
}

// ---- seams ----

/// Walls that are joined, as shapes and places.
fn joined_walls() -> Vec<Vec<(Shape, DVec3)>> {
    let plate = |normal: DVec3, along: DVec3, size: [f64; 2], sides| Shape::Rectangle { normal, along, size, sides };
    let disc = |axis, sides| Shape::Cone { radii: [0.0, 0.8], length: 0.0, axis, sides };
    let mut all = Vec::new();
    for sides in [Sides::Both, Sides::Front] {
        let half = DVec3::new(1.0, 0.6, 0.5);
        let face = |k: usize, sign: f64| {
            let (along, across) = ((k + 1) % 3, (k + 2) % 3);
            let size = [2.0 * half[along], 2.0 * half[across]];
            (plate(DVec3::AXES[k] * -sign, DVec3::AXES[along], size, sides), DVec3::AXES[k] * half[k] * sign)
        };
        all.push((0..6).map(|face_number| face(face_number / 2, [1.0, -1.0][face_number % 2])).collect());
        let tube = |radius| Shape::Tube { radius, length: 2.0, axis: DVec3::Z, sides };
        all.push(vec![
            (tube(0.8), DVec3::ZERO),
            (disc(DVec3::Z, sides), -DVec3::Z),
            (disc(-DVec3::Z, sides), DVec3::Z),
        ]);
        let funnel = Shape::Cone { radii: [0.3, 1.0], length: 1.0, axis: DVec3::Z, sides };
        all.push(vec![(funnel, DVec3::Z * 0.5), (tube(0.3), -DVec3::Z)]);
        // Plates that lie in each other, the second a little higher, and one beside the first.
        let flat = plate(DVec3::Z, DVec3::X, [1.0, 1.0], sides);
        all.push(vec![
            (flat.clone(), DVec3::ZERO),
            (flat.clone(), DVec3::new(0.7, 0.2, 1e-4)),
            (flat.clone(), DVec3::new(-1.0, 0.0, 0.0)),
        ]);
    }
    all
}

#[test]
fn seams_are_settled_as_the_engine_settles_them() {
    let mut stream = Stream::named(9, "seams");
    for group in joined_walls() {
        let (mut kept, mut left) = (0, 0);
        for _ in 0..10_000 {
            let (turn, shift) = (any_turn(&mut stream), random_vector(&mut stream, 1.0));
            let place = |(shape, at): &(Shape, DVec3)| Wall::new(shape, turn * *at + shift, turn).unwrap();
            let walls: Vec<Wall> = group.iter().map(place).collect();
            let posed: Vec<Posed> = walls.iter().map(|wall| Posed::Wall(*wall)).collect();
            let radius = stream.between(0.05, 0.3);
            // Near one wall's point that is nearest to anywhere, now and then exactly on a plane of symmetry.
            let anywhere = turn * random_vector(&mut stream, 1.6) + shift;
            let nearest = walls[(stream.unit() * walls.len() as f64) as usize].nearest(anywhere);
            let centre = anywhere - nearest.normal * (nearest.distance - stream.between(0.3, 1.05) * radius);
            let expected: Vec<u32> = (0..walls.len() as u32)
                .filter(|&id| {
                    let touchable = walls[id as usize].touchable(centre).filter(|at| at.distance < radius);
                    touchable
                        .is_some_and(|at| !seams::left_to_another(&walls, id as usize, &at, centre, radius, |_| true))
                })
                .collect();
            let mut list: Vec<(ColliderId, Touch)> = Vec::new();
            for (id, wall) in (0..).zip(&posed) {
                let found = touches(&ball(radius, centre), wall, JOINED * radius);
                list.extend(found.iter().map(|touch| (ColliderId::first_of(id), *touch)));
            }
            let before = list.iter().filter(|(_, touch)| touch.gap < 0.0).count();
            settle_seams(centre, &mut list, |id| &posed[id.body as usize]);
            let found: Vec<u32> = list.iter().filter(|(_, touch)| touch.gap < 0.0).map(|(id, _)| id.body).collect();
            assert_eq!(found, expected, "{centre} {radius} {group:?}");
            kept += found.len();
            left += before - found.len();
        }
        // Inside a closed box or tube without backs no sphere is near a rim.
        let closed = format!("{group:?}").contains("Front");
        assert!(kept > 1000 && (closed || left > 50), "{kept} {left} {group:?}");
    }
}

#[test]
fn planes_stay_and_so_do_touches_with_bodies() {
    let plane = still(Shape::Plane { normal: DVec3::Z });
    let posed = [plane, plane, ball(0.5, DVec3::X * 0.9)];
    let touch_of = |id: u32| (ColliderId::first_of(id), only(&ball(0.5, DVec3::Z * 0.49), &posed[id as usize]));
    let mut list = vec![touch_of(0), touch_of(1), touch_of(2)];
    settle_seams(DVec3::Z * 0.49, &mut list, |id| &posed[id.body as usize]);
    assert_eq!(list.len(), 3);
}

#[test]
fn memory_goes_where_a_touch_begins_at_the_place_of_one_that_ended() {
    let plate = |x: f64| {
        let shape = Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [2.0, 2.0], sides: Sides::Both };
        Posed::new(&shape, DVec3::X * x, DQuat::IDENTITY)
    };
    let near =
        |id: u32, x: f64, wall: &Posed| (ColliderId::first_of(id), only(&ball(0.5, DVec3::new(x, 0.0, 0.49)), wall));
    // Over the seam by a hundredth: the rim of the plate left behind is where the next one is touched. By 0.05 R and more it is
    // another place.
    let over = |x: f64| match_by_place(&[near(0, x, &plate(-1.0))], &[near(1, x, &plate(1.0))]);
    assert_eq!(over(0.01), [(0, 0)]);
    assert_eq!(over(0.0249), [(0, 0)]);
    assert_eq!(over(0.0251), []);
    // The first that fits is taken, by each that ended.
    let begun = [near(3, 0.0, &plate(1.3)), near(4, 0.0, &plate(1.0)), near(5, 0.0, &plate(1.0))];
    assert_eq!(match_by_place(&[near(0, 0.0, &plate(-1.0)), near(1, 0.0, &plate(-1.0))], &begun), [(0, 1), (1, 1)]);
}
