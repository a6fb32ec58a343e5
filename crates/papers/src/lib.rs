//! The papers that stickslip is checked against: one experiment of one paper, one file.
//!
//! - [`experiment`]: what an experiment is, what it is given and what it hands back;
//! - [`result`]: what is kept of it, as `result.json` and the files beside it;
//! - [`fang`]: Fang and Negrut (2020), friction by tracking points of contact;
//! - [`kuhn`]: Kuhn (2014), elastic spheres that slide, roll and creep;
//! - [`santos`]: Santos et al. (2020), packings with sliding, rolling and spinning friction;
//! - [`tasora`]: Tasora and Anitescu (2013), rolling friction between rigid bodies.
//!
//! Everything an experiment needs is in the program: no file is read, but for rows of its own table when it goes on with
//! work that was broken off. `stickslip reproduce` calls these.

pub mod experiment;
pub mod fang;
pub mod kuhn;
pub mod result;
pub mod santos;
pub mod tasora;

pub use experiment::{Check, Context, Ended, Experiment, Metric, Outcome, Scale};

/// Every experiment, in the order in which `--all` does them: the short ones of a paper first.
pub const EXPERIMENTS: &[Experiment] = &[
    fang::brick::EXPERIMENT,
    fang::disk::EXPERIMENT,
    fang::legacy::EXPERIMENT,
    fang::incline::EXPERIMENT,
    fang::map::EXPERIMENT,
    fang::spin::EXPERIMENT,
    fang::spin_hertz::EXPERIMENT,
    fang::ellipsoid::EXPERIMENT,
    fang::ellipsoid_roll::EXPERIMENT,
    fang::appendix::EXPERIMENT,
    fang::stack::EXPERIMENT,
    kuhn::loops::EXPERIMENT,
    kuhn::pair::EXPERIMENT,
    kuhn::cylinders::EXPERIMENT,
    kuhn::cattaneo_to_carter::EXPERIMENT,
    santos::contact::EXPERIMENT,
    santos::constraints::EXPERIMENT,
    santos::friction::EXPERIMENT,
    santos::pressure::EXPERIMENT,
    tasora::disk::EXPERIMENT,
    tasora::incline::EXPERIMENT,
    tasora::spin::EXPERIMENT,
    tasora::limit_states::EXPERIMENT,
    tasora::guideway::EXPERIMENT,
];

/// The experiment of this id.
pub fn find(id: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.id == id)
}
