//! What impulses do to a body: one of two masses that a body has.
//!
//! Laws see m_eff, in which a held body counts with its mass, as a scene says. Whatever turns an impulse into a velocity asks here.
//! `responses.rs` derives it from model and state. Knows no body.

use glam::DMat3;
use serde::{Deserialize, Serialize};

/// What an impulse at its centre, and an angular impulse, do to a body. World axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// Change of velocity by impulse (1/kg).
    pub linear: DMat3,
    /// Change of angular velocity by angular impulse (1/(kg m^2)).
    pub angular: DMat3,
}

impl Response {
    /// That of a body which no impulse moves.
    pub const NONE: Response = Response { linear: DMat3::ZERO, angular: DMat3::ZERO };
}
