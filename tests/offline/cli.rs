//! The command line, run as a user runs it: outputs, exit codes, messages.

use crate::support::*;

/// What is refused before any file is read.
#[test]
fn bad_usage_is_exit_2() {
    let generate = format!("generate {FIGURE_1} --speeds 4xGDR");
    for (args, told) in [
        ("no-such-command", "unrecognized subcommand"),
        ("", "Usage"),
        ("degrade x --seed 1", "--links"),
        ("degrade x --links 1", "--seed"),
        ("degrade x --throw 2 --seed 1", "--of"),
        ("degrade x --slow 3:0 --seed 1", "is not between 0 and 1"),
        ("degrade x --slow 3:x --seed 1", "is not between 0 and 1"),
        ("route x --lmc 8", "8"),
        ("route x --on-unreachable maybe", "maybe"),
        ("route x --lfts - --json", "only one"),
        ("analyze x y --patterns nonsense", "nonsense"),
        ("generate rlft --nodes 3", "--radix"),
        ("generate PGFT(2;2;1;1)", "m has 1 numbers where h says 2"),
        (&generate, "'4xGDR' is no speed"),
        ("whatif x", "--remove"),
        ("whatif x --remove y --draw - --json", "only one"),
        ("export x lsf", "slurm-yaml"),
        ("completions abacus", "abacus"),
        ("follow", "--lfts"),
        ("follow --lfts -", "standard input"),
        ("follow --lfts x --fifo y", "cannot be used with"),
        ("follow --lfts x --every 0", "not "),
        ("follow --lfts x --limit soon", "not "),
        ("follow --lfts x --max-loss 101", "not "),
    ] {
        has(&fails(2, args), told);
    }
}
