//! `tracked`, against slide, roll and spin at once: capped springs along the path of the contact point over both surfaces
//! (Fang and Negrut 2020).
//!
//! In a step the contact point moves by p_a over the surface of a and by p_b over that of b, and a spins against b by psi
//! (rates here: per time, carried to the normal at the step's end; THEORY.md eqs. 3.20 to 3.25):
//!
//!   slide  d = p_a - p_b        K = K_E                cap  mu N/K_E           F on a = K S + D d/dt, on b the opposite
//!   roll   d = kappa_i p_i      K = eta_r K_E/kappa^2  cap  kappa mu N/K_E     T = K Theta + D d/dt, M_a = T_a x n, M_b = n x T_b
//!   spin   d = psi              K = eta_s K_E/K_c^2    cap  K_c mu N/K_E       M on a = -(K Psi + D psi/dt) n, on b the opposite
//!
//! with kappa = (kappa_a + kappa_b)/2, and K_c a curvature, or one over Hertz' radius a = sqrt(R_eff d) of the contact area with
//! eta_s = 1/2. Each spring h: h += d; if |h| is above its cap (static in stick, kinetic in slip), h is cut to that cap, the
//! contact slips and the dashpot is off; else it sticks and the dashpot is on. So the step at which slip begins bears the
//! static load. Dashpots are shares f of the critical ones, D = 2 f sqrt(m K), with m and I of the moving body against a wall, and of
//! two bodies twice m_eff and I_eff, which for equal ones are their own.
//!
//! **Memory** holds lengths: S, Theta/kappa, Psi/K_c. All have the cap mu N/K_E, and a change of curvature or of the contact area
//! changes no stored energy; with constant curvature it is the same as the paper's. (By points, the reciprocal form holds Theta/(kappa sqrt(c)),
//! with c below: it changes with the curvatures, too.)
//! It is carried with the normal and the mean spin of the pair, so that the law is objective.
//!
//! **Forms.** `reciprocal` (default): one spring against rolling, d = c (d_a + d_b) = c (w_a - w_b) x n dt, M_b = -M_a, with
//! c = (kappa_a^2 + kappa_b^2)/(kappa_a + kappa_b)^2: half for equal spheres, one at a plane, where it is the paper's. With this c it
//! stores what the paper's two springs store in rolling without slip. It keeps angular momentum. `paper`: one spring for each body,
//! as printed. Both see the line of centres turn, so their torques need not cancel: an isolated pair that turns gains angular
//! momentum, and energy (M_a + M_b) . w of the pair, without limit in time.
//!
//! **Lengths.** In place of eta_r and eta_s a length may be given, the arm of the static limit: |M_r| <= length N. Then
//! eta = length kappa/mu, or length K_c/mu, follows from R_eff of each contact, with mu the static one; kappa = 1/(2 R_eff) also by points.
//!
//! **Kinematics.** `rates` (default): exact rates of spheres and walls, which count as flat. `points` (`tracked/points.rs`): the
//! points of contact of the step before, carried by both bodies; any shape.
//!
//! **Birth.** A new contact has no motion behind it: its first increments are zero. `stick` (default, as printed): then all springs
//! stick, and the dashpot acts with all its strength, however small mu N: a kick. `slip`: starts at the kinetic caps along the motion,
//! in slip; this gives a contact energy from nowhere, (mu_k N)^2 (1 + eta_r + eta_s)/(2 K_E) (twice eta_r in `paper`) at its birth.
//! `capped`: spring and dashpot together never exceed mu_s N (and the like for roll and spin), which keeps the reciprocal form passive.
//!
//! It does not do: roll and spin where both surfaces are flat, and concave surfaces that fit (kappa_a + kappa_b <= 0).
//!
//! ```
//! use stickslip::law::{Form, Limit, SpinCurvature, Tracked};
//! let mu = Limit { static_: 0.25, ..Limit::mu(0.2) };
//! let law = Tracked::new(1e5, mu).with_roll(0.3).with_spin(0.012, SpinCurvature::Given(5.0));
//! assert_eq!((law.form, law.damping), (Form::Reciprocal, 1.0));
//! // On a plane a sphere of 0.2 m has K_R = 4 eta K_E R^2.
//! assert_eq!(law.roll_stiffness(5.0, 0.0), Some(4.0 * 0.3 * 1e5 / 25.0));
//! ```

mod forms;
mod memory;
mod points;

use glam::DVec3;

use crate::contact::{Contact, Resistance};
use crate::law::limit::{Limit, Measure};
use crate::law::spring_slider::Stretch;
use crate::law::{LawVisitor, Motions, Spring, Springs, TypicalContact};

use forms::OneByOne;
pub use memory::{POINTS_KNOWN, TrackedMemory};

/// One spring against rolling, or one for each body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// One: torques are opposite, and angular momentum is kept.
    #[default]
    Reciprocal,
    /// One for each body, as printed.
    Paper,
}

/// How the path of the contact point is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Kinematics {
    /// From velocities: exact for spheres and planes.
    #[default]
    Rates,
    /// From the points of contact of the step before: any shape.
    Points,
}

/// How a contact begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Birth {
    /// In stick with empty springs.
    #[default]
    Stick,
    /// In slip with springs at their kinetic caps, along the motion; a body that does not roll yet, as sliding will roll it.
    Slip,
    /// In stick; the whole load, dashpot included, is capped at the static limit, at birth and later.
    Capped,
}

/// How strong a rolling or spinning spring is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// eta: a share of K_E and of mu.
    Eta(f64),
    /// The arm (m) that the static limit has, whatever the radii: eta follows from the contact's.
    Length(f64),
}

impl Strength {
    /// eta where the arm 1/kappa or 1/K_c is this (m), and mu is the static one.
    pub fn eta(self, mu: f64, arm: f64) -> f64 {
        match self {
            Strength::Eta(eta) => eta,
            Strength::Length(length) if mu * arm > 0.0 => length / (mu * arm),
            Strength::Length(_) => 0.0,
        }
    }
}

/// Resistance against rolling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackedRoll {
    /// eta_r; the torque is at most eta_r mu N/kappa: 2 eta_r mu R N on a plane, eta_r mu R N between equal spheres. Or its length.
    pub strength: Strength,
    /// Dashpot as a share of the critical one 2 sqrt(I K_R); the paper has 1.
    pub damping: f64,
}

/// Resistance against spinning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackedSpin {
    /// eta_s; the torque is at most eta_s mu N/K_c. Or its length.
    pub strength: Strength,
    /// K_c.
    pub curvature: SpinCurvature,
    /// Dashpot as a share of the critical one 2 sqrt(I K_psi); the paper has 1.
    pub damping: f64,
}

/// The curvature K_c of spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpinCurvature {
    /// A number (1/m).
    Given(f64),
    /// That of the bodies: 1/R_eff, which at a plane is the body's own (mean) curvature.
    Bodies,
    /// One over the radius sqrt(R_eff d) of the area in which elastic spheres touch.
    Hertz,
}

/// Parameters of `tracked`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracked {
    /// K_E (N/m).
    pub stiffness: f64,
    /// mu, static and kinetic, for all three motions; its measure is not looked at.
    pub limit: Limit,
    /// Dashpot of slide as a share of the critical one 2 sqrt(m K_E); the paper has 1.
    pub damping: f64,
    /// Against rolling; free without.
    pub roll: Option<TrackedRoll>,
    /// Against spinning; free without.
    pub spin: Option<TrackedSpin>,
    /// Form of the rolling torques.
    pub form: Form,
    /// How the path is found.
    pub kinematics: Kinematics,
    /// How a contact begins.
    pub birth: Birth,
}

impl SpinCurvature {
    /// 1/K_c (m) at a contact with this R_eff and this radius of the contact area (m).
    fn arm(self, radius_eff: f64, patch: f64) -> f64 {
        match self {
            SpinCurvature::Given(curvature) => 1.0 / curvature,
            SpinCurvature::Bodies => radius_eff,
            SpinCurvature::Hertz => patch,
        }
    }
}

impl Tracked {
    /// Its name in scene files, in any form.
    pub const NAME: &'static str = "tracked";

    /// Against sliding alone, critically damped, with the default form, kinematics and birth.
    pub fn new(stiffness: f64, limit: Limit) -> Self {
        let (form, kinematics, birth) = (Form::default(), Kinematics::default(), Birth::default());
        Tracked { stiffness, limit, damping: 1.0, roll: None, spin: None, form, kinematics, birth }
    }

    /// The same against rolling too, damped as slide is.
    pub fn with_roll(self, eta: f64) -> Self {
        Tracked { roll: Some(TrackedRoll { strength: Strength::Eta(eta), damping: self.damping }), ..self }
    }

    /// The same against spinning too, damped as slide is.
    pub fn with_spin(self, eta: f64, curvature: SpinCurvature) -> Self {
        let strength = Strength::Eta(eta);
        Tracked { spin: Some(TrackedSpin { strength, curvature, damping: self.damping }), ..self }
    }

    /// The same against spinning too, over Hertz' contact area: eta_s = 1/2.
    pub fn with_hertz_spin(self) -> Self {
        self.with_spin(0.5, SpinCurvature::Hertz)
    }

    /// With these dashpots, all as the same share of the critical ones.
    pub fn with_damping(mut self, share: f64) -> Self {
        self.damping = share;
        self.roll.iter_mut().for_each(|roll| roll.damping = share);
        self.spin.iter_mut().for_each(|spin| spin.damping = share);
        self
    }

    /// K_R (N m/rad) for these curvatures (1/m) of the two bodies along the path. Zero without resistance against rolling or where
    /// both are flat; `None` for a pair that is refused, because one fits into the other (kappa_a + kappa_b <= 0).
    pub fn roll_stiffness(&self, curvature_a: f64, curvature_b: f64) -> Option<f64> {
        let sum = curvature_a + curvature_b;
        let eta = self.roll.map_or(0.0, |roll| roll.strength.eta(self.limit.static_, 2.0 / sum));
        match (curvature_a, curvature_b) {
            (0.0, 0.0) => Some(0.0),
            _ if sum > 0.0 => Some(4.0 * eta * self.stiffness / (sum * sum)),
            _ => None,
        }
    }

    /// What limits slide (0), roll (1) or spin (2), as other laws have it: |F| <= mu N, |M| <= mu R_eff N or length N. For Hertz' area,
    /// whose radius changes, R_eff stands for it.
    pub fn limit_of(&self, motion: usize) -> Limit {
        let times = |factor: f64| Limit {
            static_: factor * self.limit.static_,
            kinetic: factor * self.limit.kinetic,
            measure: Measure::Mu,
        };
        // Of one spring, kinetic over static is what it is of another.
        let length = |length: f64| Limit {
            static_: length,
            kinetic: if self.limit.static_ > 0.0 { length * (self.limit.kinetic / self.limit.static_) } else { 0.0 },
            measure: Measure::Length,
        };
        match (motion, self.roll.map(|roll| roll.strength), self.spin.map(|spin| (spin.strength, spin.curvature))) {
            (0, ..) => times(1.0),
            (1, Some(Strength::Eta(eta)), _) => times(2.0 * eta),
            (1, Some(Strength::Length(arm)), _) | (2, _, Some((Strength::Length(arm), _))) => length(arm),
            (2, _, Some((Strength::Eta(eta), SpinCurvature::Given(k)))) => {
                Limit { measure: Measure::Length, ..times(eta / k) }
            }
            (2, _, Some((Strength::Eta(eta), _))) => times(eta),
            _ => times(0.0),
        }
    }

    /// Whether eta is the same for every contact.
    #[inline(always)]
    fn is_uniform(&self) -> bool {
        let by_length = |strength: Strength| matches!(strength, Strength::Length(_));
        !(self.roll.is_some_and(|roll| by_length(roll.strength))
            || self.spin.is_some_and(|spin| by_length(spin.strength)))
    }

    /// The law of contacts with this R_eff and this radius of the contact area (m): eta in place of lengths.
    fn at(&self, radius_eff: f64, patch: f64) -> Tracked {
        let eta = |strength: Strength, arm: f64| Strength::Eta(strength.eta(self.limit.static_, arm));
        let roll = |roll: TrackedRoll| TrackedRoll { strength: eta(roll.strength, 2.0 * radius_eff), ..roll };
        let spin = |spin: TrackedSpin| TrackedSpin {
            strength: eta(spin.strength, spin.curvature.arm(radius_eff, patch)),
            ..spin
        };
        Tracked { roll: self.roll.map(roll), spin: self.spin.map(spin), ..*self }
    }

    /// eta of roll and of spin of such contacts; 0 where they are free.
    fn etas(&self, radius_eff: f64, patch: f64) -> [f64; 2] {
        let mu = self.limit.static_;
        let roll = self.roll.map_or(0.0, |roll| roll.strength.eta(mu, 2.0 * radius_eff));
        [roll, self.spin.map_or(0.0, |spin| spin.strength.eta(mu, spin.curvature.arm(radius_eff, patch)))]
    }

    /// Shows the visitor the law with its form and kinematics as a type: they remember different things.
    #[inline(always)]
    pub(super) fn visit_form<V: LawVisitor>(&self, visitor: &mut V) {
        match (self.form, self.kinematics) {
            (Form::Reciprocal, Kinematics::Rates) => visitor.visit(&OneByOne::<false, false>(*self)),
            (Form::Paper, Kinematics::Rates) => visitor.visit(&OneByOne::<true, false>(*self)),
            (Form::Reciprocal, Kinematics::Points) => visitor.visit(&OneByOne::<false, true>(*self)),
            (Form::Paper, Kinematics::Points) => visitor.visit(&OneByOne::<true, true>(*self)),
        }
    }

    /// The loads on one contact, and its memory after the step. Takes springs as `Carry` says: by rates turned with the pair, by
    /// points as the step before left them.
    pub fn resist(&self, contact: &Contact, memory: &mut TrackedMemory) -> Resistance {
        let paper = self.form == Form::Paper;
        let numbers =
            if self.is_uniform() { self.numbers() } else { self.at(contact.radius_eff, contact.patch).numbers() };
        if self.kinematics == Kinematics::Rates {
            let motion = (Path::of_rates(contact, paper), Rolling::of_spheres(contact));
            return numbers.resist(paper, self.birth, contact, memory, motion);
        }
        let motion = points::follow(contact, memory, paper);
        // Curvatures change, and c with them: over its root the one spring keeps its energy.
        let root = if paper { 1.0 } else { motion.1.share.sqrt() };
        memory.roll_a *= root;
        memory.slide = contact.transport(memory.slide);
        memory.roll_a = contact.transport(memory.roll_a);
        memory.roll_b = contact.transport(memory.roll_b);
        let loads = numbers.resist(paper, self.birth, contact, memory, motion);
        memory.roll_a /= root;
        loads
    }

    /// Its springs in a contact, for the stable step. In the form of the paper each body has a rolling spring of its own: both act
    /// on the rolling of one against the other as the reciprocal one does (THEORY.md eq. 3.24), so one stands for them.
    fn springs(&self, at: &TypicalContact) -> Springs {
        let [i, j] = &at.bodies;
        let shared = |a: f64, b: f64| if a * b > 0.0 { 2.0 / (a + b) } else { 1.0 / (a + b) };
        let mass = shared(i.inverse_mass, j.inverse_mass);
        let inertia = shared(i.inverse_inertia, j.inverse_inertia);
        let (radius_eff, holds) = (at.radius_eff(), self.limit.static_ > 0.0);
        let slide = Spring::of_force(self.stiffness, 2.0 * self.damping * (mass * self.stiffness).sqrt());
        let share = if j.radius > 0.0 { 1.0 - 2.0 * radius_eff / (i.round + j.round) } else { 1.0 };
        let [eta_roll, eta_spin] = self.etas(radius_eff, at.patch());
        let roll = self.roll.map(|roll| {
            let k = 4.0 * eta_roll * self.stiffness * radius_eff * radius_eff;
            Spring::of_torque(share * k, share * 2.0 * roll.damping * (inertia * k).sqrt())
        });
        let spin = self.spin.map(|spin| {
            let arm = spin.curvature.arm(radius_eff, at.patch());
            let k = eta_spin * self.stiffness * arm * arm;
            Spring::of_torque(k, 2.0 * spin.damping * (inertia * k).sqrt())
        });
        Springs([Some(slide), roll, spin].map(|spring| spring.map(|spring| spring.that_holds(holds))))
    }

    /// The motions that its parameters resist.
    fn resists(&self) -> Motions {
        let roll = if self.roll.is_some() { Motions::ROLL } else { Motions::NONE };
        let spin = if self.spin.is_some() { Motions::SPIN } else { Motions::NONE };
        Motions::SLIDE.and(roll).and(spin)
    }

    /// Energy in the springs (J) of slide, roll and spin.
    pub fn stored(&self, contact: &Contact, memory: &TrackedMemory) -> [f64; 3] {
        let energy = |eta: f64, squared: f64| 0.5 * eta * self.stiffness * squared;
        let [eta, eta_spin] = self.etas(contact.radius_eff, contact.patch);
        let roll = match self.form {
            Form::Paper => memory.roll_a.length_squared() + memory.roll_b.length_squared(),
            Form::Reciprocal if self.kinematics == Kinematics::Points => memory.roll_a.length_squared(),
            Form::Reciprocal => memory.roll_a.length_squared() / Rolling::of_spheres(contact).share,
        };
        [energy(1.0, memory.slide.length_squared()), energy(eta, roll), energy(eta_spin, memory.spin * memory.spin)]
    }

    /// The numbers that are the same for every contact.
    #[inline(always)]
    fn numbers(&self) -> Numbers {
        let strength = Strength::Eta(0.0);
        let roll = self.roll.unwrap_or(TrackedRoll { strength, damping: 0.0 });
        let spin = self.spin.unwrap_or(TrackedSpin { strength, curvature: SpinCurvature::Bodies, damping: 0.0 });
        let (arm, of_bodies, of_area) = match spin.curvature {
            SpinCurvature::Given(curvature) => (1.0 / curvature, 0.0, 0.0),
            SpinCurvature::Bodies => (0.0, 1.0, 0.0),
            SpinCurvature::Hertz => (0.0, 0.0, 1.0),
        };
        // A dashpot 2 f sqrt(m K) of a torque, times the arm and over it again.
        let spring = |eta: f64, damping: f64| {
            let stiffness = eta * self.stiffness;
            Stiff { stiffness, dashpot: 2.0 * damping * stiffness.sqrt() }
        };
        Numbers {
            slide: spring(1.0, self.damping),
            // Where eta is not the same for all, `at` has put it in place of the length.
            roll: spring(roll.strength.eta(0.0, 0.0), roll.damping),
            spin: spring(spin.strength.eta(0.0, 0.0), spin.damping),
            spin_arm: [arm, of_bodies, of_area],
            static_cap: self.limit.static_ / self.stiffness,
            kinetic_cap: self.limit.kinetic / self.stiffness,
        }
    }
}

/// A spring and the dashpot beside it, over the root of the inertia.
#[derive(Clone, Copy, Debug)]
struct Stiff {
    stiffness: f64,
    dashpot: f64,
}

/// What the loop over contacts needs of the law, without choices: those would keep it from being vectorised.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    slide: Stiff,
    roll: Stiff,
    spin: Stiff,
    /// The arm 1/K_c (m), what it has of R_eff, and of the radius of the contact area.
    spin_arm: [f64; 3],
    /// Caps (m) per newton of normal load.
    static_cap: f64,
    kinetic_cap: f64,
}

impl Numbers {
    /// The law, with options the compiler may know.
    #[inline(always)]
    fn resist(
        &self,
        paper: bool,
        birth: Birth,
        contact: &Contact,
        memory: &mut TrackedMemory,
        (path, rolling): (Path, Rolling),
    ) -> Resistance {
        let (mass, inertia) = inertia(contact);
        let (root_mass, root_inertia) = (mass.sqrt(), inertia.sqrt());
        let (n, path_s, first) = (contact.normal, path.slide, !memory.alive);

        let slide = self.capped(&self.slide, 1.0, root_mass, contact, first);
        let force = slide.resist(birth, memory.slide, path_s, DVec3::ZERO, memory.slide_slips);
        (memory.slide, memory.slide_slips) = (force.spring, force.slips);

        let roll = self.capped(&self.roll, rolling.arm, root_inertia, contact, first);
        let (eased_a, eased_b) =
            (contact.lever_a * contact.inverse_inertia_a, contact.lever_b * contact.inverse_inertia_b);
        let (rate_a, rate_b) = (path.roll_a * rolling.arm, path.roll_b * rolling.arm);
        let old_a = memory.roll_a;
        let (roll_a, roll_b) = if paper {
            let a = roll.resist(birth, old_a, rate_a, path_s * -eased_a, memory.roll_a_slips);
            let b = roll.resist(birth, memory.roll_b, rate_b, path_s * eased_b, memory.roll_b_slips);
            (memory.roll_a, memory.roll_a_slips) = (a.spring, a.slips);
            (memory.roll_b, memory.roll_b_slips) = (b.spring, b.slips);
            (a.load.cross(n), n.cross(b.load))
        } else {
            let (rate, ahead) = ((rate_a + rate_b) * rolling.share, path_s * (eased_b - eased_a));
            let both = roll.resist(birth, old_a, rate, ahead, memory.roll_a_slips);
            (memory.roll_a, memory.roll_a_slips) = (both.spring, both.slips);
            let torque = both.load.cross(n);
            (torque, -torque)
        };

        let [given, of_bodies, of_area] = self.spin_arm;
        let arm = given + of_bodies * contact.radius_eff + of_area * contact.patch;
        let arm = f64::pick(rolling.arm > 0.0, arm, 0.0);
        let spin = self.capped(&self.spin, arm, root_inertia, contact, first);
        let twist = spin.resist(birth, memory.spin, path.spin * arm, 0.0, memory.spin_slips);
        (memory.spin, memory.spin_slips) = (twist.spring, twist.slips);
        memory.alive = true;
        let (lever_a, lever_b) = (contact.lever_a, contact.lever_b);
        Resistance { force: force.load, lever_a, lever_b, roll_a, roll_b, spin: -twist.load }
    }

    #[inline(always)]
    fn capped(&self, spring: &Stiff, arm: f64, root: f64, contact: &Contact, first: bool) -> Capped {
        Capped {
            load: spring.stiffness * arm,
            dashpot: spring.dashpot * root,
            static_cap: self.static_cap * contact.normal_load,
            kinetic_cap: self.kinetic_cap * contact.normal_load,
            dt: contact.dt,
            first,
        }
    }
}

/// Mass and moment of inertia that dashpots count with: those of the moving body against one that loads do not move, else twice
/// the effective ones, which are those of either of two equal bodies.
#[inline(always)]
fn inertia(contact: &Contact) -> (f64, f64) {
    let shared = |a: f64, b: f64| f64::pick(a * b > 0.0, 2.0, 1.0);
    let (turn_a, turn_b) = (contact.inverse_inertia_a, contact.inverse_inertia_b);
    let mass = contact.mass_eff * shared(contact.inverse_mass_a, contact.inverse_mass_b);
    (mass, shared(turn_a, turn_b) / (turn_a + turn_b))
}

/// Rates at which the contact point moves over the surfaces, in the tangent plane at the step's end.
#[derive(Clone, Copy, Debug, Default)]
struct Path {
    /// (p_a - p_b)/dt (m/s): minus the slip velocity.
    slide: DVec3,
    /// kappa_a p_a/dt (rad/s).
    roll_a: DVec3,
    /// kappa_b p_b/dt (rad/s).
    roll_b: DVec3,
    /// psi/dt (rad/s).
    spin: f64,
}

impl Path {
    /// Of spheres, or of a sphere and a wall, which is flat. If rolling need not be kept `apart`, `roll_a` is that of both.
    #[inline(always)]
    fn of_rates(contact: &Contact, apart: bool) -> Self {
        let slide = -contact.slip(contact.lever_a, contact.lever_b);
        let spin = contact.spin_rate();
        if !apart {
            return Path { slide, roll_a: contact.roll_rate().cross(contact.normal), roll_b: DVec3::ZERO, spin };
        }
        // How the normal turns: with the line of centres, or with the wall.
        let (m, v) = (contact.normal_mid, contact.velocity);
        let (turn_a, turn_b) = (contact.angular_velocity_a.cross(m), contact.angular_velocity_b.cross(m));
        let flat = contact.with_wall();
        let centres = (v - m * v.dot(m)) * (1.0 / f64::pick(flat, 1.0, contact.lever_a + contact.lever_b));
        let walls = DVec3::pick(contact.reach_a < 0.0, turn_a, turn_b);
        let turning = DVec3::pick(flat, walls, centres);
        Path { slide, roll_a: contact.at_end(turn_a - turning), roll_b: contact.at_end(turning - turn_b), spin }
    }
}

/// What the curvatures make of a path.
#[derive(Clone, Copy, Debug)]
struct Rolling {
    /// 1/kappa, twice R_eff (m); zero where nothing can roll.
    arm: f64,
    /// c of the reciprocal form.
    share: f64,
}

impl Rolling {
    /// Of spheres, or of a sphere and a wall.
    #[inline(always)]
    fn of_spheres(contact: &Contact) -> Self {
        let flat = contact.with_wall();
        let sum = f64::pick(flat, 1.0, contact.reach_a + contact.reach_b);
        let share = f64::pick(flat, 1.0, 1.0 - 2.0 * contact.radius_eff / sum);
        Rolling { arm: 2.0 * contact.radius_eff, share }
    }

    /// Of surfaces with these curvatures along their paths.
    fn of_curvatures(a: f64, b: f64) -> Self {
        let sum = a + b;
        if sum > 0.0 {
            Rolling { arm: 2.0 / sum, share: (a * a + b * b) / (sum * sum) }
        } else {
            Rolling { arm: 0.0, share: 1.0 }
        }
    }
}

/// A spring with a cap, and a dashpot that acts in stick. Elongation and rate are lengths.
#[derive(Clone, Copy, Debug)]
struct Capped {
    /// Load per elongation: the stiffness times the arm.
    load: f64,
    /// Load per rate.
    dashpot: f64,
    static_cap: f64,
    kinetic_cap: f64,
    dt: f64,
    /// The contact is new.
    first: bool,
}

/// What a spring answers.
#[derive(Clone, Copy, Debug)]
struct Answer<V> {
    load: V,
    spring: V,
    slips: bool,
}

impl Capped {
    /// One step; `ahead` is where the motion will go from rest, for a birth in slip.
    #[inline(always)]
    fn resist<V: Stretch>(&self, birth: Birth, old: V, rate: V, ahead: V, slipping: bool) -> Answer<V> {
        let born = self.first & (birth == Birth::Slip);
        let rate_now = rate.times(f64::pick(self.first, 0.0, 1.0));
        let stretched = old.plus(rate_now.times(self.dt));
        let size = stretched.size();
        let cap = f64::pick(slipping, self.kinetic_cap, self.static_cap);
        // Where nothing moves (dt = 0) slip goes on: what the spring bears tells nothing new.
        let slips = (size > cap) | born | (slipping & (self.dt == 0.0));
        let mut spring = stretched.times(f64::pick(size > cap, cap / size, 1.0));
        if birth == Birth::Slip {
            let towards = V::pick(rate.size() > 0.0, rate, ahead);
            let length = towards.size();
            let full = towards.times(f64::pick(length > 0.0, self.kinetic_cap / length, 0.0));
            spring = V::pick(born, full, spring);
        }
        let mut load = spring.times(self.load).plus(rate_now.times(f64::pick(slips, 0.0, self.dashpot)));
        if birth == Birth::Capped {
            let (total, most) = (load.size(), self.load * self.static_cap);
            load = load.times(f64::pick(total > most, most / total, 1.0));
        }
        Answer { load, spring, slips }
    }
}

#[cfg(test)]
mod tests;
