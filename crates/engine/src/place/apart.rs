//! How far apart two bodies are, for any two that are placed: exact where the spheres around them say too little.
//!
//! Two boxes by separating axes: along a unit vector n the gap is |d . n| - h_a(n) - h_b(n), with d between the centres and
//! h(n) = sum of half edges times |edge . n|. They are apart just when this is above zero for one of the three normals of each
//! and the nine products of an edge of a with one of b (Gottschalk, Lin and Manocha 1996). The greatest of the gaps is what one must be moved
//! by for the two to part where they overlap, and at most their distance where they do not. Any axis gives a true bound, so
//! rounding in a product of nearly parallel edges does no harm; one below `PARALLEL` is left out, which can only find an overlap
//! where there is none, by that share of their size.
//!
//! All other pairs by `collide::touch`. A pair that has no test there is one of the spheres around the two.

use glam::DVec3;

use crate::collide::solid::Form;
use crate::collide::{Posed, Touches, touch};

/// Sines of angles between edges below this are zero.
const PARALLEL: f64 = 1e-10;

/// How far apart two bodies are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// m; negative where they overlap.
    pub gap: f64,
    /// Unit vector from b to a along which the gap is meant.
    pub normal: DVec3,
}

/// How far apart two bodies are; `None` for pairs without a test.
pub fn apart(a: &Posed, b: &Posed) -> Option<Apart> {
    if let (Posed::Solid(one), Posed::Solid(other)) = (a, b)
        && let (Form::Box { half: half_a }, Form::Box { half: half_b }) = (one.form, other.form)
    {
        let axes = |m: glam::DMat3| [m.x_axis, m.y_axis, m.z_axis];
        let (axes_a, axes_b) = (axes(one.world_from_body), axes(other.world_from_body));
        return Some(boxes_apart(one.position - other.position, (half_a, axes_a), (half_b, axes_b)));
    }
    let mut touches = Touches::default();
    touch(a, b, f64::INFINITY, &mut touches);
    let nearest = touches.iter().min_by(|p, q| p.gap.total_cmp(&q.gap))?;
    Some(Apart { gap: nearest.gap, normal: nearest.normal })
}

/// Whether two bodies, the spheres around which touch, do not overlap.
pub fn are_apart(a: &Posed, b: &Posed) -> bool {
    apart(a, b).is_some_and(|apart| apart.gap >= 0.0)
}

fn boxes_apart(between: DVec3, (half_a, axes_a): (DVec3, [DVec3; 3]), (half_b, axes_b): (DVec3, [DVec3; 3])) -> Apart {
    let reach = |half: DVec3, axes: &[DVec3; 3], n: DVec3| {
        half.x * axes[0].dot(n).abs() + half.y * axes[1].dot(n).abs() + half.z * axes[2].dot(n).abs()
    };
    let mut best = Apart { gap: f64::NEG_INFINITY, normal: DVec3::Z };
    let mut look = |n: DVec3| {
        let along = between.dot(n);
        let gap = along.abs() - reach(half_a, &axes_a, n) - reach(half_b, &axes_b, n);
        if gap > best.gap {
            best = Apart { gap, normal: if along < 0.0 { -n } else { n } };
        }
    };
    axes_a.iter().chain(&axes_b).for_each(|&n| look(n));
    for product in axes_a.iter().flat_map(|a| axes_b.map(|b| a.cross(b))) {
        let length = product.length();
        if length > PARALLEL {
            look(product / length);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DQuat};

    use super::*;
    use crate::collide::testing::{any_direction, any_pose, greatest};
    use crate::random::Stream;
    use crate::shape::Shape;

    fn brick(size: DVec3, at: DVec3, turn: DQuat) -> Posed {
        Posed::new(&Shape::Box { size }, at, turn)
    }

    #[test]
    fn boxes_part_where_they_should() {
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let flat = DVec3::new(2.0, 2.0, 0.1);
        let at = |z: f64| brick(flat, DVec3::new(0.3, -0.2, z), DQuat::IDENTITY);
        // Two plates one above the other: spheres around them would keep them 2.8 apart.
        let found = apart(&at(0.1001), &at(0.0)).unwrap();
        assert!((found.gap - 1e-4).abs() < 1e-15 && found.normal == DVec3::Z, "{found:?}");
        assert!(are_apart(&at(0.1001), &at(0.0)) && !are_apart(&at(0.0999), &at(0.0)));
        // Edge against edge, crossed: only the product of the two edges parts them. Cubes of edge 1 that stand on an edge each reach
        // sqrt(1/2) up and down.
        let cube = |z: f64, turn: DQuat| brick(DVec3::ONE, DVec3::Z * z, turn);
        let x_edge = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let y_edge = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
        let reach = 2.0 * 0.5_f64.sqrt();
        for (z, gap) in [(reach + 1e-3, 1e-3), (reach - 1e-3, -1e-3)] {
            let found = apart(&cube(z, x_edge), &cube(0.0, y_edge)).unwrap();
            assert!((found.gap - gap).abs() < 1e-14 && (found.normal - DVec3::Z).length() < 1e-14, "{found:?}");
        }
        // One at the place of the other parts along its shortest edge, here in the frame of both.
        let found = apart(&brick(flat, DVec3::ZERO, quarter), &brick(flat, DVec3::ZERO, quarter)).unwrap();
        assert!((found.gap + 0.1).abs() < 1e-15);
    }

    /// A gap above zero along the direction found proves two boxes apart. Where it is not above zero, a search over all directions
    /// must find none that is greater, but for rounding.
    #[test]
    fn fifteen_axes_are_enough() {
        let (mut stream, mut overlapping) = (Stream::named(1, "axes"), 0);
        for _ in 0..60 {
            let mut half = || DVec3::new(stream.between(0.1, 1.0), stream.between(0.1, 1.0), stream.between(0.1, 1.0));
            let (half_a, half_b) = (half(), half());
            let (mut a, mut b) =
                (any_pose(&mut stream, Form::Box { half: half_a }), any_pose(&mut stream, Form::Box { half: half_b }));
            a.position = any_direction(&mut stream) * stream.between(0.5, 2.0);
            b.position = DVec3::ZERO;
            let support = |half: DVec3, frame: DMat3, n: DVec3| (half * (frame.transpose() * n).abs()).element_sum();
            let gap = |n: DVec3| {
                a.position.dot(n) - support(half_a, a.world_from_body, n) - support(half_b, b.world_from_body, n)
            };
            let (searched, _) = greatest(gap, 300, 1e-9, &mut stream);
            let found = apart(&Posed::Solid(a), &Posed::Solid(b)).unwrap();
            assert!((gap(found.normal) - found.gap).abs() < 1e-14, "{found:?}");
            overlapping += u32::from(found.gap <= 0.0);
            assert!(found.gap > 0.0 || searched <= found.gap + 1e-14, "{found:?} {searched}");
        }
        assert!((15..=45).contains(&overlapping), "{overlapping} of 60");
    }

    #[test]
    fn other_pairs_are_those_of_the_engine() {
        let ball = |x: f64| Posed::Sphere { centre: DVec3::X * x, radius: 0.5 };
        assert!((apart(&ball(1.25), &ball(0.0)).unwrap().gap - 0.25).abs() < 1e-15);
        let egg = Posed::new(&Shape::Ellipsoid { axes: DVec3::new(2.0, 1.0, 0.2) }, DVec3::Z * 0.71, DQuat::IDENTITY);
        let found = apart(&egg, &ball(0.0)).unwrap();
        assert!((found.gap - 0.01).abs() < 1e-12 && (found.normal - DVec3::Z).length() < 1e-9, "{found:?}");
        assert!(are_apart(&egg, &ball(0.0)) && !are_apart(&egg.shifted(DVec3::Z * -0.02), &ball(0.0)));
    }
}
