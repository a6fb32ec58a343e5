//! What the tests of this folder share: an empty folder, a small world, and a look into XML.

use std::fs;
use std::path::PathBuf;

use glam::DVec3;
use stickslip::body::{Body, Motion};
use stickslip::law::{Hooke, Normal, SpringLaws};
use stickslip::model::{Material, Model};
use stickslip::setup::Described;
use stickslip::shape::Shape;
use stickslip::world::{Setup, World};

use super::fixed::RunInfo;

/// A new empty folder under the system's temporary one.
pub fn test_folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("stickslip-results-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Two spheres of which the first touches the floor (body 0) from the start; step 1 ms.
pub fn small_world() -> (World, RunInfo) {
    let materials =
        vec![Material { name: "wall".into(), density: 1000.0 }, Material { name: "grain".into(), density: 1000.0 }];
    let mut model = Model::new(materials, 1e-3);
    model.gravity = DVec3::new(0.0, 0.0, -9.81).into();
    let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e5, 10.0)));
    model.laws.set(0, 1, laws);
    model.laws.set(1, 1, laws);
    let mut floor = Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO);
    floor.motion = Motion::Fixed;
    let ball = |x: f64, z: f64| Body::new(Shape::Sphere { radius: 0.1 }, 1, DVec3::new(x, 0.0, z));
    let setup = Setup { model, bodies: vec![floor, ball(0.0, 0.099), ball(0.5, 0.3)] };
    let info = RunInfo::new(&Described::from(&setup), &[Some("floor".into())]);
    (World::new(setup).unwrap(), info)
}

/// Checks that the tags of a document nest and close their quotes; returns its tags with the text that follows each.
pub fn tags(xml: &str) -> Vec<(String, String)> {
    let mut open: Vec<String> = Vec::new();
    let mut tags = Vec::new();
    for part in xml.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("every tag ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.split_whitespace().next().unwrap_or_default();
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with(['/', '?']) && !["!doctype", "meta", "img"].contains(&name) {
            open.push(name.to_owned());
        }
        tags.push((tag.to_owned(), text.to_owned()));
    }
    assert!(open.is_empty(), "{open:?} left open");
    tags
}
