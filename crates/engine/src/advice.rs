//! The step that a method recommends, and what speaks against others. Each method has its own way to find it
//! (`soft/stable_step.rs`, `nonsmooth/advice.rs`); whoever chooses a step reads the answer alone.

/// The recommended step and why.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAdvice {
    /// The recommended step (s).
    pub step: f64,
    /// In words, what sets it.
    pub set_by: String,
    /// Whether `step = "auto"` takes it; else it is a proposal, for nothing in the scene sets a time.
    pub automatic: bool,
    /// The smallest critical step (s); infinite for a method that is stable at any step.
    pub critical: f64,
    /// In words, what governs the critical step.
    pub governed_by: String,
    /// The step above which even one contact by itself is unstable; `None` when nothing that moves freely can touch.
    pub limit: Option<StepLimit>,
    /// Rayleigh time of the smallest sphere (s), where a Hertz law gives its modulus.
    pub rayleigh: Option<f64>,
}

/// A step that no run survives.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLimit {
    /// s.
    pub step: f64,
    /// In words, whose contact sets it.
    pub set_by: String,
}
