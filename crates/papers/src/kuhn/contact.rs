//! Two equal spheres in the probe: pressed, then slid and rolled along one line.

use stickslip::law::{ElasticPair, Hertz, Normal, Slide, SpringLaws};
use stickslip::probe::{Probe, ProbeRow, ProbeSide, Segment};

/// Radius of both spheres (m).
pub const RADIUS: f64 = 1e-3;
/// Overlap (m): indentations of 1e-4 R, a contact radius of 1 % of R.
pub const OVERLAP: f64 = 2e-7;
/// Shear modulus of quartz (Pa).
pub const SHEAR_MODULUS: f64 = 29e9;

/// The spheres' material, with this Poisson's ratio.
pub fn elastic(poisson: f64) -> ElasticPair {
    let young = 2.0 * SHEAR_MODULUS * (1.0 + poisson);
    ElasticPair::of((young, poisson), (young, poisson))
}

/// Radius of the contact (m) at this overlap.
pub fn patch(overlap: f64) -> f64 {
    (0.5 * RADIUS * overlap).sqrt()
}

/// Elastic force (N) at this overlap.
pub fn pressed(elastic: &ElasticPair, overlap: f64) -> f64 {
    4.0 / 3.0 * elastic.modulus * patch(overlap) * overlap
}

/// A straight path: to an overlap, by a slide and a roll (m), in so many steps.
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    /// Overlap at its end (m).
    pub overlap: f64,
    /// Slide of a relative to b (m).
    pub slide: f64,
    /// Rolled length (m).
    pub roll: f64,
    /// Steps.
    pub steps: u32,
}

impl Leg {
    /// Without rolling.
    pub fn slide(overlap: f64, slide: f64, steps: u32) -> Self {
        Leg { overlap, slide, roll: 0.0, steps }
    }
}

/// Drives the two through all legs, under this slide law.
pub fn drive(elastic: &ElasticPair, slide: Slide, legs: &[Leg]) -> Vec<ProbeRow> {
    let segment = |leg: &Leg| Segment {
        steps: leg.steps,
        duration: 1.0,
        overlap: leg.overlap,
        slide: [leg.slide, 0.0],
        roll: [leg.roll, 0.0],
        spin: 0.0,
    };
    probe(elastic, slide, legs.iter().map(segment).collect()).run()
}

/// The two under this slide law, to be driven through these segments.
pub fn probe(elastic: &ElasticPair, slide: Slide, segments: Vec<Segment>) -> Probe {
    let normal =
        Hertz { stiffness: 4.0 / 3.0 * elastic.modulus, damping: 0.0, damping_ratio: 0.0, cohesionless: false };
    let laws = SpringLaws { slide: Some(slide), ..SpringLaws::frictionless(Normal::Hertz(normal)) };
    let sphere = ProbeSide::Sphere { radius: RADIUS, mass: 1e-5 };
    Probe { laws, a: sphere, b: sphere, segments }
}

/// Friction against the slide (N).
pub fn friction(row: &ProbeRow) -> f64 {
    -row.force[0]
}

/// Work (J) on the contact along the slide, by the trapezoidal rule.
pub fn work(rows: &[ProbeRow]) -> f64 {
    let step =
        |pair: &[ProbeRow]| 0.5 * (friction(&pair[0]) + friction(&pair[1])) * (pair[1].slide[0] - pair[0].slide[0]);
    rows.windows(2).map(step).sum()
}
