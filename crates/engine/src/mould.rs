//! A mould: what shapes are drawn from, one for each body of a group or a stream.
//!
//! A solid of one kind, each of its lengths by `Sizes`, all of them times a scale, turned in one way or at random. The shape and the
//! turn of a body follow from two random streams, each by a fixed count of numbers, so those of body n are known without
//! drawing the bodies before.
//!
//! A random turn is uniform over all rotations: with u, v, w uniform in [0, 1) the quaternion
//! (sqrt(1 - u) sin 2 pi v, sqrt(1 - u) cos 2 pi v, sqrt(u) sin 2 pi w, sqrt(u) cos 2 pi w) (Shoemake 1992).

use glam::DQuat;

use crate::math;
use crate::random::Stream;
use crate::shape::Shape;
use crate::sizes::Sizes;

/// Random numbers that a random turn takes.
const NUMBERS_OF_A_TURN: u64 = 3;

/// How bodies are turned at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// All in one way: `world_from_body`, a unit quaternion.
    Fixed(DQuat),
    /// Each at random.
    Random,
}

impl Turn {
    /// That of one body.
    pub fn draw(&self, stream: &mut Stream) -> DQuat {
        let Turn::Fixed(turn) = self else { return random_turn(stream) };
        *turn
    }
}

/// What shapes are drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Mould {
    shape: Shape,
    lengths: Vec<Sizes>,
    scale: Sizes,
    turn: Turn,
}

impl Mould {
    /// Spheres.
    pub fn of_spheres(radius: Sizes) -> Mould {
        let shape = Shape::Sphere { radius: radius.ends()[0] };
        Mould::new(shape, vec![radius], Sizes::One(1.0), Turn::Fixed(DQuat::IDENTITY))
    }

    /// Solids of a kind. `shape` says which; its lengths are those of `lengths`, in the order of `Shape::map_lengths`.
    ///
    /// # Panics
    ///
    /// Where there are fewer lengths than the shape has.
    pub fn new(shape: Shape, lengths: Vec<Sizes>, scale: Sizes, turn: Turn) -> Mould {
        let mut count = 0;
        shape.clone().map_lengths(|length| {
            count += 1;
            length
        });
        assert!(lengths.len() >= count, "{} lengths for a {}", lengths.len(), shape.kind());
        let mould = Mould { shape, lengths, scale, turn };
        Mould { shape: mould.shape_of(|length| length.ends()[0]), ..mould }
    }

    /// The shape of smallest lengths, before scaling: of which kind all are.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The lengths, in the order of `Shape::map_lengths`.
    pub fn lengths(&self) -> &[Sizes] {
        &self.lengths
    }

    /// What multiplies all lengths of a body.
    pub fn scale(&self) -> &Sizes {
        &self.scale
    }

    /// How bodies are turned.
    pub fn turn(&self) -> Turn {
        self.turn
    }

    /// The next shape.
    pub fn draw(&self, stream: &mut Stream) -> Shape {
        let shape = self.shape_of(|length| length.draw(stream));
        self.scaled(shape, self.scale.draw(stream))
    }

    /// How many random numbers a shape takes.
    pub fn numbers(&self) -> u64 {
        self.lengths.iter().chain([&self.scale]).map(Sizes::numbers).sum()
    }

    /// Shape and turn of body n (from 0), `shapes` and `turns` being the streams at their start.
    pub fn nth(&self, n: u64, shapes: &Stream, turns: &Stream) -> (Shape, DQuat) {
        let (mut shapes, mut turns) = (shapes.clone(), turns.clone());
        shapes.skip(n.wrapping_mul(self.numbers()));
        turns.skip(n.wrapping_mul(NUMBERS_OF_A_TURN));
        (self.draw(&mut shapes), self.turn.draw(&mut turns))
    }

    /// The shapes at the ends of all ranges: the one of smallest lengths first, that of largest last; one if all are alike.
    pub fn extremes(&self) -> Vec<Shape> {
        let varied = self.lengths.iter().chain([&self.scale]).filter(|sizes| varies(sizes)).count();
        let end = |sizes: &Sizes, combination: &mut u32| {
            if !varies(sizes) {
                return sizes.ends()[0];
            }
            let end = sizes.ends()[(*combination & 1) as usize];
            *combination >>= 1;
            end
        };
        let shape = |mut combination: u32| {
            let shape = self.shape_of(|length| end(length, &mut combination));
            self.scaled(shape, end(&self.scale, &mut combination))
        };
        (0..1 << varied).map(shape).collect()
    }

    /// The least and the largest radius of a sphere, or of the sphere around a solid (m).
    pub fn radii(&self) -> [f64; 2] {
        let of = |end: usize| {
            let shape = self.shape_of(|length| length.ends()[end]);
            self.scaled(shape, self.scale.ends()[end]).radius().unwrap_or(0.0)
        };
        [of(0), of(1)]
    }

    /// What the radii of spheres are drawn from; `None` if they are others, or scaled.
    pub fn radius(&self) -> Option<&Sizes> {
        (self.shape.is_sphere() && self.scale == Sizes::One(1.0)).then(|| &self.lengths[0])
    }

    fn shape_of(&self, mut length: impl FnMut(&Sizes) -> f64) -> Shape {
        let mut lengths = self.lengths.iter();
        self.shape.clone().map_lengths(|old| lengths.next().map_or(old, &mut length))
    }

    fn scaled(&self, shape: Shape, scale: f64) -> Shape {
        // Without arithmetic where there is nothing to change.
        if scale == 1.0 { shape } else { shape.scaled(scale) }
    }
}

/// Whether the sizes differ.
fn varies(sizes: &Sizes) -> bool {
    let [least, most] = sizes.ends();
    least < most
}

fn random_turn(stream: &mut Stream) -> DQuat {
    let (u, v, w) = (stream.unit(), stream.unit(), stream.unit());
    let (v, w) = (std::f64::consts::TAU * v, std::f64::consts::TAU * w);
    let (near, far) = ((1.0 - u).sqrt(), u.sqrt());
    DQuat::from_xyzw(near * math::sin(v), near * math::cos(v), far * math::sin(w), far * math::cos(w)).normalize()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::sizes::{By, SizeCurve};

    fn eggs() -> Mould {
        let scale = SizeCurve::new(vec![1.0, 2.0], vec![0.0, 1.0], By::Mass).unwrap();
        let lengths = vec![Sizes::Between(3.0, 4.0), Sizes::One(2.0), Sizes::Between(0.5, 1.0)];
        Mould::new(Shape::Ellipsoid { axes: DVec3::ONE }, lengths, Sizes::Curve(scale), Turn::Random)
    }

    #[test]
    fn body_n_is_the_nth_that_is_drawn() {
        let (mould, start) = (eggs(), [Stream::named(1, "shapes"), Stream::named(1, "turns")]);
        let [mut shapes, mut turns] = start.clone();
        for n in 0..50 {
            let drawn = (mould.draw(&mut shapes), mould.turn().draw(&mut turns));
            assert_eq!(drawn, mould.nth(n, &start[0], &start[1]));
            let Shape::Ellipsoid { axes } = drawn.0 else { panic!("an ellipsoid") };
            let scale = axes.y / 2.0;
            assert!((1.0..=2.0).contains(&scale) && (3.0..=4.0).contains(&(axes.x / scale * (1.0 + 1e-15))), "{axes}");
        }
        // Spheres of a range take their radii as they always did: number n of the stream.
        let spheres = Mould::of_spheres(Sizes::Between(0.1, 0.2));
        let mut stream = start[0].clone();
        stream.skip(7);
        assert_eq!(spheres.nth(7, &start[0], &start[1]).0, Shape::Sphere { radius: stream.between(0.1, 0.2) });
    }

    #[test]
    fn extremes_stand_at_the_ends_of_all_ranges() {
        let all = eggs().extremes();
        assert_eq!(all.len(), 8);
        assert_eq!(all[0], Shape::Ellipsoid { axes: DVec3::new(3.0, 2.0, 0.5) });
        assert_eq!(all[7], Shape::Ellipsoid { axes: DVec3::new(8.0, 4.0, 2.0) });
        assert_eq!((eggs().radii(), eggs().radius()), ([3.0, 8.0], None));
        let alike = Mould::of_spheres(Sizes::Between(0.5, 0.5));
        assert_eq!((alike.extremes(), alike.radii()), (vec![Shape::Sphere { radius: 0.5 }], [0.5; 2]));
    }

    /// Of a uniform rotation R every element of R has the mean 0 and the mean square 1/3 (variance of the square 4/45), and
    /// the trace has the mean square 1 (of the fourth power 3: variance 2). Means of N scatter by the root over sqrt(N).
    #[test]
    fn random_turns_are_uniform() {
        let (mut stream, count) = (Stream::named(3, "turns"), 20_000);
        let (mut sum, mut squares, mut traces) = ([0.0; 9], [0.0; 9], 0.0);
        for _ in 0..count {
            let turn = Turn::Random.draw(&mut stream);
            assert!((turn.length() - 1.0).abs() < 1e-15);
            let matrix = glam::DMat3::from_quat(turn);
            for (k, x) in matrix.to_cols_array().into_iter().enumerate() {
                sum[k] += x;
                squares[k] += x * x;
            }
            let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
            traces += trace * trace;
        }
        let n = f64::from(count);
        let four_sigma = |variance: f64| 4.0 * (variance / n).sqrt();
        assert!(sum.iter().all(|x| (x / n).abs() < four_sigma(1.0 / 3.0)), "{sum:?}");
        assert!(squares.iter().all(|x| (x / n - 1.0 / 3.0).abs() < four_sigma(4.0 / 45.0)), "{squares:?}");
        assert!((traces / n - 1.0).abs() < four_sigma(2.0), "{traces}");
    }
}
