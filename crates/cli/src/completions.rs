//! `stickslip completions`: a script that makes a shell complete commands, options and their values.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{Arguments, Outcome, say};

/// Print a script with which your shell completes commands and options.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
                        stickslip completions bash > ~/.local/share/bash-completion/completions/stickslip\n  \
                        stickslip completions zsh > ~/.zfunc/_stickslip      (a folder of $fpath)\n  \
                        stickslip completions fish > ~/.config/fish/completions/stickslip.fish\n\n\
                        A new shell reads it.")]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn execute(&self) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "stickslip", &mut script);
        say(&String::from_utf8_lossy(&script))
    }
}
