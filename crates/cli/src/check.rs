//! `stickslip check`: reads a scene, says what it means, writes nothing.

use std::path::PathBuf;

use stickslip_io::scene;

use crate::{Outcome, job, say};

/// Read a scene and say what it means: bodies, step, and what resists each motion, with its limit.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip check examples/01-pile.toml")]
pub struct Check {
    /// The scene file (TOML).
    scene: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Check {
    /// Prints the scene in words or as JSON, or says where it is wrong.
    pub fn execute(&self) -> Outcome {
        job::only_pool(None)?.install(|| self.check())
    }

    fn check(&self) -> Outcome {
        let scene = scene::load(&self.scene)?;
        // Some faults are found only when the world is built; `run` would refuse them.
        scene.world()?;
        if self.json {
            return say(&format!("{:#}\n", scene::check_json(&scene)));
        }
        say(&scene::check_text(&scene))
    }
}
