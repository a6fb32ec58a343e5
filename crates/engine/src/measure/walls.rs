//! Force and torque on walls over time: means and spread over a window.
//!
//! A wall is a body without a radius: plane, rectangle, tube, cone. Its load is what the contacts do to it, about its own
//! position; gravity and drives are not in it. At rest under gravity the loads of all walls add up to the weight of the
//! grains.

use glam::DVec3;

/// The load on a wall at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallLoad {
    /// s.
    pub time: f64,
    /// N.
    pub force: DVec3,
    /// N m, about the wall's position.
    pub torque: DVec3,
}

/// A mean load, with the spread of its components over the times (standard deviation).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanLoad {
    /// N.
    pub force: DVec3,
    /// N.
    pub force_spread: DVec3,
    /// N m.
    pub torque: DVec3,
    /// N m.
    pub torque_spread: DVec3,
    /// Recorded times in the window.
    pub times: usize,
}

/// The mean load over the times from `from` to `to` (s), each recorded time with the same weight. `None` when the window
/// holds no time.
pub fn mean_load(loads: &[WallLoad], from: f64, to: f64) -> Option<MeanLoad> {
    let within: Vec<&WallLoad> = loads.iter().filter(|load| load.time >= from && load.time <= to).collect();
    if within.is_empty() {
        return None;
    }
    let (force, force_spread) = statistics(within.iter().map(|load| load.force));
    let (torque, torque_spread) = statistics(within.iter().map(|load| load.torque));
    Some(MeanLoad { force, force_spread, torque, torque_spread, times: within.len() })
}

fn statistics(values: impl Iterator<Item = DVec3> + Clone) -> (DVec3, DVec3) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<DVec3>() / count;
    let squares = values.map(|v| (v - mean) * (v - mean)).sum::<DVec3>() / (count - 1.0).max(1.0);
    (mean, DVec3::new(squares.x.sqrt(), squares.y.sqrt(), squares.z.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_chooses_the_times() {
        let load = |time: f64, z: f64| WallLoad { time, force: DVec3::Z * z, torque: DVec3::X * time };
        let loads = [load(0.0, 100.0), load(1.0, -2.0), load(2.0, -4.0)];
        let found = mean_load(&loads, 1.0, 2.0).unwrap();
        assert_eq!((found.force, found.times), (DVec3::Z * -3.0, 2));
        // Of two values 2 apart: 2/sqrt(2).
        assert!((found.force_spread.z - 2.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(found.torque, DVec3::X * 1.5);
        assert_eq!(mean_load(&loads, 5.0, 6.0), None);
        assert_eq!(mean_load(&loads, 2.0, 9.0).unwrap().force_spread, DVec3::ZERO);
    }
}
