//! Tangential laws of elastic spheres under `hertz`.

use stickslip::law::*;

/// Slide laws of elastic spheres whose normal law has the stiffness 3 k (Pa), as a name and a law. The first two are passive.
pub fn elastic_slides(k: f64, mu: f64) -> Vec<(&'static str, Slide)> {
    let elastic = ElasticPair { modulus: 0.75 * 3.0 * k, poisson: 0.3 };
    let law = Mindlin::new(elastic, mu);
    let limit = Limit::mu(mu);
    vec![
        ("mindlin", Slide::Mindlin(law)),
        ("mindlin-rescale-force", Slide::MindlinRescaleForce(MindlinRescaleForce::new(elastic, limit))),
        ("mindlin, short and damped", Slide::Mindlin(Mindlin { history: 4, damping_ratio: 0.3, ..law })),
        ("creep", Slide::Creep(Creep(law))),
        (
            "mindlin-secant",
            Slide::MindlinSecant(MindlinSecant { damping_ratio: 0.2, ..MindlinSecant::new(elastic, limit) }),
        ),
        ("mindlin-rescale", Slide::MindlinRescale(MindlinRescale::new(elastic, limit))),
        ("mindlin-force", Slide::MindlinForce(MindlinForce::new(elastic, limit))),
        ("walton-braun", Slide::WaltonBraun(WaltonBraun::new(elastic, mu))),
        (
            "vu-quoc-zhang",
            Slide::VuQuocZhang(VuQuocZhang { rolling_correction: true, ..VuQuocZhang::new(elastic, mu) }),
        ),
    ]
}

/// The same with `hertz`, and springs against roll and spin, of stiffnesses of order `k`.
pub fn elastic_laws(k: f64) -> Vec<(&'static str, SpringLaws)> {
    let normal = Normal::Hertz(Hertz { stiffness: 3.0 * k, damping: 0.0, damping_ratio: 0.0, cohesionless: false });
    let roll = Some(Roll::SpringSlider(RollSlider::new(0.6 * k, 0.5 * k.sqrt(), Limit::mu(0.3))));
    let spin = Some(Spin::Lubkin(SpinLubkin {
        shear_modulus: k,
        damping: 0.01 * k.sqrt(),
        damped_by_ratio: false,
        limit: Limit::mu(0.3),
    }));
    let laws = |(name, slide)| (name, SpringLaws { normal, slide: Some(slide), roll, spin, friction: None });
    elastic_slides(k, 0.3).into_iter().map(laws).collect()
}

/// Whether runs that differ by rounding stay together under a law of this name. Not where vertices of a load history are merged and removed,
/// which may depend on rounding; nor where a law creates energy, which keeps a heap bouncing.
pub fn is_smooth(name: &str) -> bool {
    name == "mindlin-rescale-force"
}
