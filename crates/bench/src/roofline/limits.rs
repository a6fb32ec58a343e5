//! What the machine can do at best: bytes and arithmetic a second, by plain loops compiled as the engine is.
//!
//! Bandwidth is over arrays many times larger than the last cache. Arithmetic is on numbers in the first cache, in loops that the
//! compiler vectorises as it does the engine's: multiplications and additions in turns, not fused, since the engine never fuses
//! them. Each number is the least time of several repetitions; other programs on the machine can only make it larger.

use std::hint::black_box;
use std::time::Instant;

use stickslip::law::kernel::{self, Kernel, Simd};

/// Bytes of the array.
const ARRAY: usize = 256 << 20;
/// Numbers that arithmetic is done on: 8 kB, for the first cache.
const NUMBERS: usize = 1024;
/// Rounds over all numbers in a repetition: 5 to 20 ms.
const ROUNDS: usize = 20_000;

/// What so many threads can do together.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Threads.
    pub threads: usize,
    /// Bytes read a second.
    pub read: f64,
    /// Bytes read and written a second, both counted, where each is read, changed and written.
    pub update: f64,
    /// Arithmetic with the vectors of the laws.
    pub laws: Arithmetic,
    /// The same with those of the bodies.
    pub bodies: Arithmetic,
}

/// Operations on f64 a second.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// How wide the vectors are.
    pub width: Simd,
    /// Multiplications and additions, together.
    pub flops: f64,
    /// Divisions.
    pub divisions: f64,
    /// Square roots.
    pub roots: f64,
}

/// Measures.
pub fn measure(threads: usize, repeats: u32) -> Limits {
    let mut array = vec![1.0_f64; ARRAY / size_of::<f64>()];
    let part = array.len().div_ceil(threads);
    let read = least(repeats, || {
        std::thread::scope(|scope| {
            array.chunks(part).for_each(|part| {
                scope.spawn(|| black_box(kernel::dispatch(Read(part))));
            });
        });
    });
    let update = least(repeats, || {
        std::thread::scope(|scope| {
            array.chunks_mut(part).for_each(|part| {
                scope.spawn(|| kernel::dispatch(Update(part)));
            });
        });
    });
    black_box(array[0]);
    let (widest, bodies) = (Simd::widest(), Simd::widest().min(Simd::Avx2));
    Limits {
        threads,
        read: ARRAY as f64 / read,
        update: 2.0 * ARRAY as f64 / update,
        laws: arithmetic(widest, threads, repeats),
        bodies: arithmetic(bodies, threads, repeats),
    }
}

fn arithmetic(width: Simd, threads: usize, repeats: u32) -> Arithmetic {
    let per_second = |operations: usize, work: &(dyn Fn(&mut [f64; NUMBERS]) + Sync)| {
        let thread = || {
            let mut numbers = [1.5; NUMBERS];
            (0..ROUNDS).for_each(|_| work(black_box(&mut numbers)));
        };
        let time = least(repeats, || {
            std::thread::scope(|scope| {
                (0..threads).for_each(|_| {
                    scope.spawn(thread);
                });
            });
        });
        (operations * NUMBERS * ROUNDS * threads) as f64 / time
    };
    // More of them while a number is in a register: less loading and storing, but a longer wait until the last is done, which a
    // processor fills with the next numbers as far as it can look ahead. What is best depends on it.
    let flops = [
        per_second(4, &|numbers| kernel::dispatch_up_to(MultiplyAndAdd::<2>(numbers), width)),
        per_second(8, &|numbers| kernel::dispatch_up_to(MultiplyAndAdd::<4>(numbers), width)),
        per_second(16, &|numbers| kernel::dispatch_up_to(MultiplyAndAdd::<8>(numbers), width)),
    ];
    Arithmetic {
        width,
        flops: flops.into_iter().fold(0.0, f64::max),
        divisions: per_second(1, &|numbers| kernel::dispatch_up_to(Divide(numbers), width)),
        roots: per_second(1, &|numbers| kernel::dispatch_up_to(Root(numbers), width)),
    }
}

/// The least time of so many repetitions (s).
pub fn least(repeats: u32, mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..repeats).map(once).fold(f64::INFINITY, f64::min)
}

/// Sums all numbers.
struct Read<'a>(&'a [f64]);

impl Kernel for Read<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        // Many sums side by side, so that no addition waits for the one before; no more than registers can hold.
        let mut sums = [0.0; 32];
        for numbers in self.0.as_chunks::<32>().0 {
            for i in 0..32 {
                sums[i] += numbers[i];
            }
        }
        sums.iter().sum()
    }
}

/// Changes all numbers.
struct Update<'a>(&'a mut [f64]);

impl Kernel for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.iter_mut().for_each(|x| *x = *x * 0.999 + 0.001);
    }
}

/// So many of each to every number.
struct MultiplyAndAdd<'a, const TIMES: usize>(&'a mut [f64; NUMBERS]);

impl<const TIMES: usize> Kernel for MultiplyAndAdd<'_, TIMES> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for x in self.0 {
            *x = (0..TIMES).fold(*x, |x, _| x * 0.999 + 0.001);
        }
    }
}

struct Divide<'a>(&'a mut [f64; NUMBERS]);

impl Kernel for Divide<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.iter_mut().for_each(|x| *x = 1.7 / *x);
    }
}

struct Root<'a>(&'a mut [f64; NUMBERS]);

impl Kernel for Root<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.iter_mut().for_each(|x| *x = x.sqrt());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loops_do_what_they_are_timed_for() {
        let mut numbers: Vec<f64> = (0..640).map(f64::from).collect();
        assert_eq!(kernel::dispatch(Read(&numbers)), 640.0 * 639.0 / 2.0);
        kernel::dispatch(Update(&mut numbers));
        assert!((numbers[639] - (639.0 * 0.999 + 0.001)).abs() < 1e-12);
        for width in [Simd::Plain, Simd::Avx2, Simd::Avx512] {
            let mut numbers = [4.0; NUMBERS];
            kernel::dispatch_up_to(Root(&mut numbers), width);
            assert_eq!(numbers, [2.0; NUMBERS]);
            kernel::dispatch_up_to(Divide(&mut numbers), width);
            assert_eq!(numbers, [0.85; NUMBERS]);
            kernel::dispatch_up_to(MultiplyAndAdd::<8>(&mut numbers), width);
            // The distance to 1, where it would stay, shrinks by 0.999 each time.
            let expected = 1.0 - 0.15 * (0..8).fold(1.0, |part, _| part * 0.999);
            assert!(numbers.iter().all(|x| (x - expected).abs() < 1e-12), "{}", numbers[0]);
        }
    }

    #[test]
    fn the_least_time_is_taken_of_all_repetitions() {
        let mut calls = 0;
        let time = least(3, || {
            calls += 1;
            if calls != 2 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        });
        assert!(calls == 3 && time < 0.02, "{calls} {time}");
    }
}
