//! `dmodc completions`: shell completions of our command line.

use crate::failure::Outcome;
use crate::output::print;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// Print the completions of a shell
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc completions bash > /usr/share/bash-completion/completions/dmodc
  dmodc completions zsh > /usr/share/zsh/vendor-completions/_dmodc
  dmodc completions fish > ~/.config/fish/completions/dmodc.fish")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: Args) -> Outcome {
    let mut text = Vec::new();
    generate(args.shell, &mut crate::Cli::command(), "dmodc", &mut text);
    print(text)
}
