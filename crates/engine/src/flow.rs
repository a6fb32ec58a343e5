//! The affine flow of a cell that changes its shape, as contacts see it in one step (THEORY.md section 7).
//!
//! The vectors of the cell and the differences of places follow x1 = E x0 with E = (1 - dt L/2)^-1 (1 + dt L/2) in the flow with the
//! gradient L. The velocity of a relative to b that laws see, the mean over the step, is
//!
//! w = (1 + dt L/2)^-1 [v_a - v_b + L (x_a - x_b)]                                                            (7.3)
//!
//! with places at the end of the step: exactly what has turned and shortened the branch. How bodies take the flow along is a
//! matter of the method (`explicit/flow.rs`).

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

/// The minimum factor by which a map of differences of places changes a length, from below: 1 - |F - 1|.
pub fn min_stretch(map: DMat3) -> f64 {
    let off = map - DMat3::IDENTITY;
    let squares = off.x_axis.length_squared() + off.y_axis.length_squared() + off.z_axis.length_squared();
    1.0 - squares.sqrt()
}
