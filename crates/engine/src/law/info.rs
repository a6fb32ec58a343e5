//! What a user is told about every law: `stickslip laws` prints this table.

use crate::law::Motions;

/// A parameter as it stands in a scene file.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// Key.
    pub name: &'static str,
    /// Unit, or `-` for a pure number, or the words it may be.
    pub unit: &'static str,
    /// Default; `None` when the parameter must be given.
    pub default: Option<&'static str>,
    /// What it is.
    pub meaning: &'static str,
}

/// One law for one key of a `[[contact]]` table.
#[derive(Clone, Copy, Debug)]
pub struct LawInfo {
    /// `law = "..."`.
    pub name: &'static str,
    /// Under which key it stands: normal, slide, roll or spin, or friction for all three at once.
    pub key: &'static str,
    /// What it resists; nothing for a normal law.
    pub resists: Motions,
    /// Its formula in one line.
    pub formula: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [ParameterInfo],
}

const fn must(name: &'static str, unit: &'static str, meaning: &'static str) -> ParameterInfo {
    ParameterInfo { name, unit, default: None, meaning }
}

const fn may(name: &'static str, unit: &'static str, default: &'static str, meaning: &'static str) -> ParameterInfo {
    ParameterInfo { name, unit, default: Some(default), meaning }
}

const COHESIONLESS: ParameterInfo =
    may("cohesionless", "true | false", "false", "clip the force at zero: it never pulls");
const RESTITUTION: ParameterInfo =
    may("restitution", "-", "absent", "coefficient of restitution in [0, 1], instead of damping");
const RATIO: ParameterInfo =
    may("damping_ratio", "-", "absent", "fraction of the critical dashpot of this motion, instead of damping");
const MU_TORQUE: ParameterInfo =
    must("mu | length", "- | m", "|M| <= mu R_eff N, or |M| <= length N; a number or { static = .., kinetic = .. }");
const SLIP: ParameterInfo = may(
    "slip",
    "series | lammps",
    "series",
    "what slip leaves in the spring; lammps takes N = |F|, also of a pull, and can create energy",
);
const CAP: ParameterInfo =
    may("cap", "total | elastic", "total", "the limit caps spring and dashpot together, or the spring alone");
const TRANSPORT: ParameterInfo =
    may("transport", "objective | lammps", "objective", "how the memory turns with the pair");

/// Every law, one entry each.
pub const LAWS: &[LawInfo] = &[
    LawInfo {
        name: "hooke",
        key: "normal",
        resists: Motions::NONE,
        formula: "F = k d - (gamma m_eff + 2 b sqrt(k m_eff)) v_n",
        reference: "Cundall and Strack 1979; Santos et al. 2020, eq. 1a",
        parameters: &[
            must("stiffness", "N/m", "k"),
            may("damping", "1/s", "0", "gamma, times the effective mass"),
            RESTITUTION,
            RATIO,
            COHESIONLESS,
        ],
    },
    LawInfo {
        name: "hertz",
        key: "normal",
        resists: Motions::NONE,
        formula: "F = K sqrt(R_eff d) d - 2 sqrt(5/6) b sqrt(S m_eff) v_n, K = 4/3 E*, S = 2 E* sqrt(R_eff d)",
        reference: "Hertz 1882; Tsuji et al. 1992",
        parameters: &[
            may("stiffness", "Pa", "absent", "K = 4/3 E*, instead of the moduli"),
            may("young", "Pa", "absent", "Young's modulus; here or in the materials; with poisson"),
            may("shear_modulus", "Pa", "absent", "shear modulus, instead of young"),
            may("poisson", "-", "absent", "Poisson's ratio"),
            may("damping", "1/s", "0", "gamma, times the effective mass"),
            RESTITUTION,
            RATIO,
            COHESIONLESS,
        ],
    },
    LawInfo {
        name: "spring-slider",
        key: "slide",
        resists: Motions::SLIDE,
        formula: "f = -k x - c v, |f| <= mu N; x is the elongation, v the slip velocity, c = gamma m_eff",
        reference: "Cundall and Strack 1979; Luding 2008; Santos et al. 2020, eq. 1",
        parameters: &[
            must("stiffness | stiffness_ratio", "N/m | -", "k, or k over the normal stiffness (hooke)"),
            may("damping", "1/s", "0", "gamma, times the effective mass"),
            RATIO,
            must("mu", "-", "|F| <= mu N; a number or { static = .., kinetic = .. }"),
            may("arm", "midpoint | lammps", "midpoint", "radii in the slip velocity: R - d/2 (objective) or R"),
            TRANSPORT,
            SLIP,
            CAP,
        ],
    },
    LawInfo {
        name: "spring-slider",
        key: "roll",
        resists: Motions::ROLL,
        formula: "f = -k x - c v, v = R_eff (w_a - w_b) x n, M = R_eff n x f, |M| <= mu R_eff N",
        reference: "Luding 2008; Santos et al. 2020, eq. 2",
        parameters: &[
            must(
                "stiffness | stiffness_ratio",
                "N/m | -",
                "k of the pseudo-force at R_eff, or k over the normal stiffness (hooke)",
            ),
            may("damping", "kg/s", "0", "c of the pseudo-force at R_eff"),
            RATIO,
            MU_TORQUE,
            TRANSPORT,
            SLIP,
            CAP,
        ],
    },
    LawInfo {
        name: "spring-slider",
        key: "spin",
        resists: Motions::SPIN,
        formula: "M = -k x - c w_t, |M| <= mu R_eff N or length N; x is the angle of spin",
        reference: "Santos et al. 2020, eq. 3 (their mu_t is a length)",
        parameters: &[
            must("stiffness", "N m/rad", "k"),
            may("damping", "N m s", "0", "c"),
            RATIO,
            MU_TORQUE,
            SLIP,
            CAP,
        ],
    },
    LawInfo {
        name: "constant-torque",
        key: "roll",
        resists: Motions::ROLL,
        formula: "M = -mu R_eff N w_r/|w_r|, zero at rest",
        reference: "Zhou et al. 1999; type A of Ai et al. 2011; Fang and Negrut 2020, eq. 8 (include_spin)",
        parameters: &[
            must("mu | length", "- | m", "|M| = mu R_eff N, or |M| = length N; one number"),
            may("include_spin", "true | false", "false", "act against all of w_a - w_b; resists spin too"),
        ],
    },
    LawInfo {
        name: "epsd",
        key: "roll",
        resists: Motions::ROLL,
        formula: "M_k -= K_r w_r dt, |M_k| <= mu R_eff N; M = M_k - 2 eta sqrt(I_r K_r) w_r (dashpot off when saturated)",
        reference: "Iwashita and Oda 1998; Jiang et al. 2005; type C of Ai et al. 2011",
        parameters: &[
            may("stiffness", "N m/rad", "K_t R_eff^2 of the slide law", "K_r"),
            may("damping_ratio", "-", "0.3", "eta"),
            MU_TORQUE,
        ],
    },
    LawInfo {
        name: "viscous",
        key: "roll",
        resists: Motions::ROLL,
        formula: "M = -c w_r, |M| <= mu R_eff N if mu is given",
        reference: "type B of Ai et al. 2011",
        parameters: &[
            must("damping", "N m s", "c"),
            may(
                "mu | length",
                "- | m",
                "no limit",
                "|M| <= mu R_eff N, or |M| <= length N; a number or { static = .., kinetic = .. }",
            ),
        ],
    },
    LawInfo {
        name: "marshall",
        key: "spin",
        resists: Motions::SPIN,
        formula: "M = -(a^2/2)(k_s x + c_s w_t), |M| <= (2/3) a mu N; a = sqrt(R_eff d); k_s, c_s, mu of the slide law",
        reference: "Marshall 2009; needs hertz under normal and a spring-slider under slide",
        parameters: &[],
    },
    LawInfo {
        name: "lubkin",
        key: "spin",
        resists: Motions::SPIN,
        formula: "M = -(16/3) G a^3 x - c w_t, |M| <= (3 pi/16) a mu N; a = sqrt(R_eff d), 1/G = 1/G_a + 1/G_b, mu of slide",
        reference: "Lubkin 1951; needs hertz under normal and a spring-slider under slide",
        parameters: &[
            may("shear_modulus", "Pa", "of normal or materials", "G_a = G_b of this contact"),
            may("young", "Pa", "of normal or materials", "with poisson, instead of shear_modulus"),
            may("poisson", "-", "of normal or materials", "Poisson's ratio, with young"),
            may("damping", "N m s", "0", "c"),
            RATIO,
        ],
    },
    LawInfo {
        name: "constant-torque",
        key: "spin",
        resists: Motions::SPIN,
        formula: "M = -mu R_eff N sign(w_t) n, or -length N sign(w_t) n; zero at rest",
        reference: "Fang and Negrut 2020, appendix",
        parameters: &[must("mu | length", "- | m", "|M| = mu R_eff N, or |M| = length N; one number")],
    },
    LawInfo {
        name: "tracked",
        key: "friction",
        resists: Motions::SLIDE.and(Motions::ROLL).and(Motions::SPIN),
        formula: "F = K_E S, |F| <= mu N; M_r = (eta_r K_E/kappa^2) Theta <= eta_r mu N/kappa; M_s = (eta_s K_E/K_c^2) Psi <= eta_s mu N/K_c; dashpots in stick",
        reference: "Fang and Negrut 2020",
        parameters: &[
            must("stiffness", "N/m", "K_E"),
            must("mu", "-", "for all three motions; a number or { static = .., kinetic = .. }"),
            may(
                "damping",
                "critical | -",
                "critical",
                "dashpots as a share of the critical ones; `roll` and `spin` may have their own",
            ),
            may("roll", "{ eta }", "free", "eta_r; kappa is the mean curvature of the two: 1/(2 R_eff)"),
            may(
                "spin",
                "{ eta, curvature }",
                "free",
                "eta_s and K_c: a number (1/m), bodies (1/R_eff), or hertz (1/a, eta 0.5)",
            ),
            may(
                "form",
                "reciprocal | paper",
                "reciprocal",
                "one rolling spring, or one for each body: not angular momentum",
            ),
            may("kinematics", "rates | points", "rates", "of spheres and planes, or by points tracked on any shape"),
            may(
                "birth",
                "stick | slip | capped",
                "stick",
                "empty; at the kinetic limits; or never above mu_s N, dashpot included",
            ),
        ],
    },
];
