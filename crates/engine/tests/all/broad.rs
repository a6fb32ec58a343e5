//! Pairs that are near each other, against looking at all of them: mixed sizes, margins of their own, walls, cells; and the same
//! list for any number of threads.

use glam::{DQuat, DVec3};
use stickslip::broad::{Ball, Image, Pair, Slab, order_in_space, pairs};
use stickslip::cell::Frame;
use stickslip::collide::{Posed, Touches, touch};
use stickslip::random::Stream;
use stickslip::wall::Wall;
use stickslip::{Shape, Sides};

use crate::common::*;

/// Balls, walls, and perhaps a cell.
struct Scene {
    balls: Vec<Ball>,
    walls: Vec<Slab>,
    frame: Option<Frame>,
}

/// Bodies that are not moved by loads never meet: every seventh.
fn may_meet(a: u32, b: u32) -> bool {
    !(a.is_multiple_of(7) && b.is_multiple_of(7))
}

/// All images that a cell has around a body.
fn images(frame: Option<&Frame>) -> Vec<(Image, DVec3)> {
    Image::all(frame).map(|image| (image, frame.map_or(DVec3::ZERO, |frame| image.shift(frame)))).collect()
}

fn brute_force(scene: &Scene) -> Vec<Pair> {
    let mut found = Vec::new();
    let images = images(scene.frame.as_ref());
    for (a, one) in (0..).zip(&scene.balls) {
        for (b, other) in (0..).zip(&scene.balls).skip(a as usize + 1) {
            for &(image, shift) in images.iter().filter(|_| may_meet(a, b)) {
                let reach = one.reach + other.reach;
                if (one.centre - (other.centre + shift)).length_squared() < reach * reach {
                    found.push(Pair { a, b, image });
                }
            }
        }
        for (b, slab) in (scene.balls.len() as u32..).zip(&scene.walls) {
            if slab.wall.nearest(one.centre).distance < one.reach + slab.reach && may_meet(a, b) {
                found.push(Pair { a, b, image: Image::default() });
            }
        }
    }
    found.sort_unstable();
    found
}

/// Balls in a box, in the order of space as a world keeps them, with a margin each that some have larger than their radius.
fn any_balls(stream: &mut Stream, half: f64, radius: (f64, f64)) -> Vec<Ball> {
    let mut balls = Vec::new();
    for id in 0..500 {
        let margin = if id % 50 == 0 { 1.0 } else { 0.05 };
        let reach = stream.between(radius.0, radius.1) * (1.0 + margin);
        balls.push(Ball { centre: random_vector(stream, half), reach, id });
    }
    let order = order_in_space(balls.len(), |index| balls[index as usize].centre, 0..500, 0.1);
    order.iter().map(|&index| balls[index as usize]).collect()
}

fn any_walls(stream: &mut Stream) -> Vec<Slab> {
    let shapes = [
        Shape::Plane { normal: DVec3::Z },
        Shape::Rectangle { normal: DVec3::X, along: DVec3::Y, size: [2.0, 3.0], sides: Sides::Both },
        Shape::Tube { radius: 1.5, length: 2.0, axis: DVec3::Y, sides: Sides::Front },
        Shape::Cone { radii: [0.2, 1.0], length: 1.0, axis: DVec3::Z, sides: Sides::Both },
    ];
    let wall = |shape: &Shape| {
        let turn = DQuat::from_axis_angle(random_direction(stream), stream.between(0.0, 3.0));
        let wall = Wall::new(shape, random_vector(stream, 1.0), turn).expect("a wall");
        Slab { wall, reach: stream.between(0.0, 0.2) }
    };
    shapes.iter().map(wall).collect()
}

fn scenes() -> Vec<Scene> {
    let mut stream = Stream::named(31, "broad");
    let mut scenes = Vec::new();
    for radius in [(0.1, 0.1 + 1e-12), (0.02, 0.4), (1e-3, 0.2)] {
        let balls = any_balls(&mut stream, 1.5, radius);
        let walls = any_walls(&mut stream);
        // The widest two reach 1.6: a cell four wide has one image of each pair.
        for periodic in [[true; 3], [true, false, true]] {
            let frame = Frame {
                corner: DVec3::splat(-2.0),
                vectors: glam::DMat3::from_cols(DVec3::X * 4.0, DVec3::new(0.5, 4.0, 0.0), DVec3::Z * 4.0),
                periodic,
            };
            let inside =
                |ball: &Ball| Ball { centre: ball.centre + frame.shift(frame.into_cell(ball.centre)), ..*ball };
            scenes.push(Scene { balls: balls.iter().map(inside).collect(), walls: walls.clone(), frame: Some(frame) });
        }
        scenes.push(Scene { balls, walls, frame: None });
    }
    scenes.push(Scene { balls: Vec::new(), walls: any_walls(&mut stream), frame: None });
    scenes
}

#[test]
fn pairs_equal_brute_force_on_any_number_of_threads() {
    for (number, scene) in scenes().iter().enumerate() {
        let found = || pairs(&scene.balls, &scene.walls, scene.frame.as_ref(), may_meet);
        let expected = brute_force(scene);
        assert!(expected.len() > 300 || scene.balls.is_empty(), "scene {number}: {} pairs", expected.len());
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(found), expected, "scene {number}, {threads} threads");
        }
    }
}

/// What touches is among the pairs: who asks `touch` of these misses nothing.
#[test]
fn whoever_touches_is_a_pair() {
    for scene in scenes() {
        let found = pairs(&scene.balls, &scene.walls, scene.frame.as_ref(), |_, _| true);
        let posed = |index: usize| match scene.balls.get(index) {
            Some(ball) => Posed::Sphere { centre: ball.centre, radius: ball.reach / 1.05 },
            None => Posed::Wall(scene.walls[index - scene.balls.len()].wall),
        };
        let (mut touches, mut count) = (Touches::default(), 0);
        for a in 0..scene.balls.len() {
            for b in a + 1..scene.balls.len() + scene.walls.len() {
                for (image, shift) in images(scene.frame.as_ref()) {
                    touch(&posed(a), &posed(b).shifted(shift), 0.0, &mut touches);
                    let pair = Pair { a: a as u32, b: b as u32, image };
                    // Walls have no images.
                    let there = b < scene.balls.len() || image == Image::default();
                    if there && !touches.is_empty() {
                        assert!(found.binary_search(&pair).is_ok(), "{pair:?}");
                        count += 1;
                    }
                }
            }
        }
        assert!(count > 100 || scene.balls.is_empty());
    }
}

/// A ball of reach 0 must not be looked for in ever smaller cells.
#[test]
fn sizes_that_are_no_sizes_end() {
    let ball = |id: u32, reach: f64| Ball { centre: DVec3::X * f64::from(id), reach, id };
    let found = pairs(&[ball(0, 0.0), ball(1, 1.5), ball(2, 1e-300)], &[], None, |_, _| true);
    assert_eq!(found.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
}
