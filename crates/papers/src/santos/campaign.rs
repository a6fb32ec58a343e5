//! Many packings side by side: one a thread, the longest first, each a row of the table as soon as it is done.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::packing::{Packed, Recipe, Row, pack};
use super::table::Table;
use crate::experiment::{Context, Ended};

/// How far the packings of a campaign are.
struct Progress<'a> {
    context: &'a Context<'a>,
    /// What each costs, and how much of that is done.
    costs: Vec<(f64, Mutex<f64>)>,
}

impl Progress<'_> {
    fn set(&self, task: usize, share: f64, recipe: &Recipe, steps: u64, kinetic: f64) {
        *lock(&self.costs[task].1) = share;
        let all: f64 = self.costs.iter().map(|(cost, _)| cost).sum();
        let done: f64 = self.costs.iter().map(|(cost, share)| cost * *lock(share)).sum();
        let [slide, roll, spin] = recipe.mu;
        let doing = format!("packing {slide},{roll},{spin} step {steps}, kinetic energy {kinetic:.0e}");
        (self.context.progress)(done / all, &doing);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the packings that the table does not have, and returns the rows in the order of the recipes. `done` sees each packing
/// before its row is added. One that fails does not keep the others from being made; an interrupt ends all.
pub fn pack_all(
    recipes: &[Recipe],
    table: Table,
    context: &Context,
    done: &(dyn Fn(&Recipe, &Packed) -> Result<(), Ended> + Sync),
) -> Result<Vec<Row>, Ended> {
    let mut left: Vec<&Recipe> = recipes.iter().filter(|recipe| table.find(recipe).is_none()).collect();
    let table = Mutex::new(table);
    left.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
    let costs = left.iter().map(|recipe| (cost(recipe), Mutex::new(0.0))).collect();
    let progress = Progress { context, costs };
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((task, recipe)) = take(&next, &left) {
            if let Err(ended) = pack_one(task, recipe, &table, &progress, done) {
                lock(&failures).push(ended);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..context.threads.clamp(1, left.len().max(1)) {
            scope.spawn(work);
        }
    });
    context.check_interrupt()?;
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = failures.into_iter().next() {
        return Err(failure);
    }
    let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(recipes.iter().filter_map(|recipe| table.find(recipe)).cloned().collect())
}

fn take<'a>(next: &AtomicUsize, left: &[&'a Recipe]) -> Option<(usize, &'a Recipe)> {
    let task = next.fetch_add(1, Ordering::Relaxed);
    Some((task, *left.get(task)?))
}

fn pack_one(
    task: usize,
    recipe: &Recipe,
    table: &Mutex<Table>,
    progress: &Progress,
    done: &(dyn Fn(&Recipe, &Packed) -> Result<(), Ended> + Sync),
) -> Result<(), Ended> {
    progress.context.check_interrupt()?;
    let expected = expected_steps(recipe);
    let tell = |steps: u64, kinetic: f64| {
        progress.set(task, (steps as f64 / expected).min(0.95), recipe, steps, kinetic);
    };
    let packed = pack(recipe, progress.context, tell).map_err(|ended| named(ended, recipe))?;
    done(recipe, &packed)?;
    progress.set(task, 1.0, recipe, packed.row.steps, packed.row.kinetic);
    lock(table).add(packed.row)
}

/// A failure with the packing's name.
fn named(ended: Ended, recipe: &Recipe) -> Ended {
    let Recipe { mu: [slide, roll, spin], pressure, seed, .. } = recipe;
    match ended {
        Ended::Failed(why) => Ended::Failed(format!("packing {slide},{roll},{spin} at {pressure}, seed {seed}: {why}")),
        ended => ended,
    }
}

fn cost(recipe: &Recipe) -> f64 {
    expected_steps(recipe) * recipe.count as f64
}

/// About how many steps a packing takes, as found: for the order and the estimate of time only. Low pressures take longer,
/// as 1/sqrt(P) (the time in which a contact under its load swings back).
fn expected_steps(recipe: &Recipe) -> f64 {
    let [slide, roll, spin] = recipe.mu;
    let at_usual = match () {
        () if slide < 0.05 => 8e5,
        () if slide.min(roll).min(spin) >= 0.5 => 1.2e6,
        () if roll == 0.0 && spin == 0.0 => 5e5,
        () => 6e5,
    };
    at_usual * (1e-4 / recipe.pressure).sqrt() * (super::STEP / recipe.step)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use super::super::packing::Rest;
    use super::super::table::open_all;
    use super::*;
    use crate::experiment::Scale;
    use crate::result::{self, PACKINGS};

    /// Small packings under a large pressure, which rest soon.
    fn recipes() -> Vec<Recipe> {
        let one = |seed| Recipe {
            pressure: 1e-2,
            start: 0.15,
            rest: Rest { kinetic: 1e-9, pressure_error: 1e-4 },
            ..Recipe::new([0.5, 0.5, 0.5], 40, seed)
        };
        (1..=4).map(one).collect()
    }

    /// Packs on one thread in a folder, and interrupts after so many packings. Returns the rows and the seeds that it made.
    fn pack_until(folder: &Path, go_on: bool, most: usize) -> (Result<Vec<Row>, Ended>, Vec<u64>) {
        let (interrupted, made) = (AtomicBool::new(false), Mutex::new(Vec::new()));
        let progress = |_: f64, _: &str| {};
        let context =
            Context { scale: Scale::Quick, threads: 1, folder, go_on, interrupted: &interrupted, progress: &progress };
        let table = open_all(&context, &[PACKINGS]).unwrap().remove(0);
        let rows = pack_all(&recipes(), table, &context, &|recipe, _| {
            lock(&made).push(recipe.seed);
            interrupted.store(lock(&made).len() >= most, Ordering::Relaxed);
            Ok(())
        });
        (rows, made.into_inner().unwrap())
    }

    /// A quick campaign that was stopped lost every packing it had finished. It now keeps a row of each, a later call makes
    /// only the others, and what comes out is what one that was not stopped gives: everything but the time is equal.
    #[test]
    fn a_quick_campaign_that_was_stopped_continues_from_its_finished_packings() {
        let folder = std::env::temp_dir().join(format!("stickslip-campaign-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (stopped, made) = pack_until(&folder, false, 2);
        assert_eq!((stopped, made), (Err(Ended::Interrupted), vec![1, 2]));
        assert_eq!(fs::read_to_string(folder.join(PACKINGS)).unwrap().lines().count(), 3);
        assert_eq!(result::part_of(&folder), Some(Scale::Quick));
        let (continued, made) = pack_until(&folder, true, usize::MAX);
        assert_eq!(made, [3, 4]);
        let timeless = |rows: Vec<Row>| rows.into_iter().map(|row| Row { seconds: 0.0, ..row }).collect::<Vec<_>>();
        let continued = timeless(continued.unwrap());
        let (whole, made) = pack_until(&folder, false, usize::MAX);
        assert_eq!(made, [1, 2, 3, 4]);
        assert_eq!(continued, timeless(whole.unwrap()));
        // A campaign that starts again leaves no rows of the one before, even if it is stopped at once.
        fs::write(folder.join("result.json"), "{\"scale\": \"quick\"}").unwrap();
        assert_eq!(result::part_of(&folder), None);
        result::begin(&folder, Scale::Full, &[PACKINGS]).unwrap();
        assert!(result::part_of(&folder) == Some(Scale::Full) && !folder.join(PACKINGS).exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
