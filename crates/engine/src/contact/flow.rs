//! What the affine flow of a cell adds to the velocities of a pair in one step (THEORY.md eq. 7.3). `explicit/flow.rs` derives it
//! and moves bodies by it.

use glam::DMat3;

/// The flow during one step, for contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairFlow {
    /// (1 + dt L/2)^-1.
    pub mean: DMat3,
    /// (1 + dt L/2)^-1 L.
    pub mean_gradient: DMat3,
    /// The gradient at the end of the step, for the ledger.
    pub gradient_at_end: DMat3,
}

impl PairFlow {
    /// For the gradient in the step and at its end.
    pub fn new(gradient: DMat3, gradient_at_end: DMat3, dt: f64) -> Self {
        let mean = (DMat3::IDENTITY + gradient * (0.5 * dt)).inverse();
        PairFlow { mean, mean_gradient: mean * gradient, gradient_at_end }
    }
}
