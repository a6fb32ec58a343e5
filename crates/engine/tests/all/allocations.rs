//! A steady step allocates nothing: an allocator counts the calls of each thread.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::*;
use glam::DVec3;
use stickslip::inflow::{Entrance, Inflow, Outflow, Rate};
use stickslip::mould::Mould;
use stickslip::random::Stream;
use stickslip::sizes::Sizes;

thread_local! {
    /// Calls of this thread, so that tests on other threads of this binary do not count.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

struct Counting;

// SAFETY: hands every call on to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may have lost its counter already.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steady_steps_allocate_nothing() {
    // Several chunks of grains that rest in a bin under gravity, every motion resisted, on one thread (with more, the
    // thread pool itself allocates now and then).
    let mut stream = Stream::named(3, "allocations");
    let mut bodies = vec![plane(DVec3::Z, DVec3::ZERO)];
    for axis in [DVec3::X, DVec3::Y] {
        bodies.extend([plane(axis, axis * -0.49), plane(-axis, axis * 9.36)]);
    }
    for i in 0..800_u32 {
        let cell = DVec3::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100) + 0.5);
        bodies.push(sphere(0.5, cell * 0.985 + random_vector(&mut stream, 0.01)));
    }
    let mut model = model(every_law(1e3)[0].1, 2e-3);
    model.gravity = (DVec3::Z * -1.0).into();
    // Looking for bodies that left, and waiting for one to come, costs nothing either.
    model.outflow = Some(Outflow { from: DVec3::splat(-1e3), to: DVec3::splat(1e3) });
    let (mould, entrance) =
        (Mould::of_spheres(Sizes::One(0.5)), Entrance::Box { from: DVec3::Z * 50.0, to: DVec3::Z * 60.0 });
    model.inflows = vec![Inflow { start: 1e3, ..Inflow::new(mould, Rate::Number(1.0.into()), 1, entrance) }];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    pool.install(|| {
        let mut world = world(model, bodies);
        world.advance(5000).expect("the heap settles");
        let rebuilds = world.rebuilds();
        let before = allocations();
        world.advance(200).expect("the heap rests");
        let allocated = allocations() - before;
        assert_eq!(world.rebuilds(), rebuilds, "the heap must rest for this test");
        assert!(world.contact_count() > 800);
        assert_eq!(allocated, 0);
    });
}
