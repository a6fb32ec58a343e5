//! `stickslip schema`: prints the JSON schema of a scene file.

use stickslip_io::scene;

use crate::{Outcome, say};

/// Print the JSON schema of a scene file (draft 2020-12), with which editors complete and check scenes.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip schema > scene.schema.json\n\n\
                        Then, as the first line of a scene, for taplo and Even Better TOML:\n  \
                        #:schema ./scene.schema.json")]
pub struct Schema {}

impl Schema {
    /// Prints it.
    pub fn execute(&self) -> Outcome {
        say(&scene::schema_text())
    }
}
