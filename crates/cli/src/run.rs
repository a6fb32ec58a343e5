//! `stickslip run`: a scene from its file to a folder of results.
//!
//! Everything that can be wrong with the input is found before the folder exists: the scene is read and the world built
//! first. `job.rs` does the rest.

use std::borrow::Cow;
use std::path::PathBuf;

use stickslip_io::results::{FolderError, RunFolder};
use stickslip_io::scene::{self, Scene, plural, step_text};

use crate::job::{self, Job, Plan};
use crate::progress::Progress;
use crate::{Failure, Outcome, say};

/// Run a scene and write its records, a report and a picture into a folder.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip run examples/01-pile.toml --out runs/pile --threads 2\n\n\
                        Ctrl-C ends a run cleanly: what it had is kept, and `stickslip resume` goes on with it. Another one \
                        after a second ends it at once.")]
pub struct Run {
    /// The scene file (TOML).
    scene: PathBuf,
    /// Where to write; if absent, a folder in runs/ with the name of the scene file.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many threads; all that there are if absent. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace the run that the folder holds.
    #[arg(long)]
    force: bool,
    /// Print errors only.
    #[arg(long)]
    quiet: bool,
    /// Seconds of the clock on the wall between automatic checkpoints; 600 if absent. They are removed at the end.
    #[arg(long, value_name = "SECONDS", value_parser = job::seconds)]
    checkpoint_every: Option<f64>,
}

impl Run {
    /// Reads the scene, runs it, writes its results.
    pub fn execute(&self) -> Outcome {
        job::only_pool(self.threads)?.install(|| self.run())
    }

    fn run(&self) -> Outcome {
        let mut scene = scene::load(&self.scene)?;
        let world = scene.world()?;
        scene.forget_places();
        let scene = &scene;
        let interrupted = job::listen()?;
        let path = self.out.clone().unwrap_or_else(|| RunFolder::default_path(&self.scene));
        let folder = RunFolder::create(&path, self.force, &scene.records).map_err(refuse)?;
        self.say(&header(scene))?;
        let now = Cow::Borrowed(scene);
        let plan =
            Plan { scene, now, world, folder, interrupted, checkpoint_every: job::interval(self.checkpoint_every) };
        let mut job = Job::start(plan, &self.scene).map_err(|error| Failure::Run(error.to_string()))?;
        let ending = job.run(Progress::new(self.quiet, 0, scene.planned().0, scene.planned().1));
        job.tell(ending, self.quiet)
    }

    fn say(&self, text: &str) -> Outcome {
        if self.quiet { Ok(()) } else { say(text) }
    }
}

/// A folder that cannot be used is an input error: nothing was written.
pub(crate) fn refuse(error: FolderError) -> Failure {
    Failure::Input(miette::miette!("{error}"))
}

/// What is said before the first step.
fn header(scene: &Scene) -> String {
    let mut text = if scene.title.is_empty() { String::new() } else { format!("{}\n", scene.title) };
    let bodies = &scene.setup.bodies;
    let walls = bodies.walls().count();
    let of = |kind: &str| bodies.iter().filter(|body| body.shape.kind() == kind).count();
    let (ellipsoids, boxes) = (of("ellipsoid"), of("box"));
    let spheres = bodies.len() - walls - ellipsoids - boxes;
    let counts = [(spheres, "sphere"), (ellipsoids, "ellipsoid"), (boxes, "box"), (walls, "wall")];
    // Walls are named also where there are none, and so are spheres unless there are others.
    let usual = |noun: &str| noun == "wall" || noun == "sphere" && ellipsoids + boxes == 0;
    let named = counts.into_iter().filter(|(count, noun)| *count > 0 || usual(noun));
    let named: Vec<String> = named.map(|(count, noun)| plural(count, noun)).collect();
    text += &format!("{}: {}", plural(bodies.len(), "body"), named.join(", "));
    let streams = &scene.setup.model.inflows;
    if !streams.is_empty() {
        let due = streams.iter().map(|stream| scene.due_before_end(stream)).sum::<u64>();
        let tables = streams.len();
        let verb = if due == 1 { "is" } else { "are" };
        text += &format!("; {due} more {verb} due to arrive in {}", plural(tables, "stream"));
    }
    text.push('\n');
    text += &format!("step {}\n", step_text(scene));
    for warning in &scene.warnings {
        text += &format!("warning: {warning}\n");
    }
    for note in &scene.notes {
        text += &format!("note: {note}\n");
    }
    text
}
