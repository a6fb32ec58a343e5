//! Elementary functions with the same bits on every machine.
//!
//! std's `sin`, `exp` and the like call the C library, whose bits change with the CPU and its version. These wrap the
//! pure-Rust `libm` crate; clippy's `disallowed-methods` keeps the std ones out of the whole project. `sqrt` is not
//! here: IEEE 754 fixes its bits.

/// Sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Angle in radians of the point (x, y), in (-pi, pi].
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Angle in radians, in [-pi/2, pi/2], whose sine is x.
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}

/// Exponential.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Logarithm to base 10.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// `x` to the power `y`.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Cube root.
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}
