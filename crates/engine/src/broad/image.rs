//! Images of bodies in a periodic cell, each in a byte.

use glam::{DVec3, I64Vec3};

use crate::cell::Frame;

/// Bits that hold an image.
pub(crate) const IMAGE_BITS: u32 = 5;

/// By how many cell vectors, -1, 0 or 1 each, an image is shifted: a number below 27, zero for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Image(u8);

/// The shift of each image (m).
pub type Shifts = [DVec3; 1 << IMAGE_BITS];

impl Image {
    /// Shifted by so many vectors; -1, 0 or 1 each.
    #[inline(always)]
    pub(super) fn new(times: [i64; 3]) -> Self {
        let digit = |times: i64| if times < 0 { 2 } else { times as u8 };
        Image(digit(times[0]) + 3 * digit(times[1]) + 9 * digit(times[2]))
    }

    /// The number of the image: its place among `shifts`.
    #[inline(always)]
    pub fn number(self) -> u8 {
        self.0
    }

    fn times(self) -> I64Vec3 {
        let times = |digit: u8| if digit == 2 { -1 } else { i64::from(digit) };
        I64Vec3::new(times(self.0 % 3), times(self.0 / 3 % 3), times(self.0 / 9))
    }

    /// The other body's image, seen from this one.
    pub fn back(self) -> Self {
        Image::new((-self.times()).to_array())
    }

    /// The images that bodies have in a cell: those along directions that repeat. Without a cell each is its own.
    pub fn all(frame: Option<&Frame>) -> impl Iterator<Item = Image> {
        let repeats = frame.map_or([false; 3], |frame| frame.periodic);
        let there = move |image: &Image| (0..3).all(|axis| repeats[axis] || image.times()[axis] == 0);
        (0..27).map(Image).filter(there)
    }

    /// The shift of this image in a cell (m).
    pub fn shift(self, frame: &Frame) -> DVec3 {
        frame.shift(self.times())
    }

    /// The shifts of all images in a cell; zero without one.
    pub fn shifts(frame: Option<&Frame>) -> Shifts {
        let mut shifts = [DVec3::ZERO; 1 << IMAGE_BITS];
        if let Some(frame) = frame {
            for (number, shift) in (0_u8..27).zip(&mut shifts) {
                *shift = Image(number).shift(frame);
            }
        }
        shifts
    }
}
