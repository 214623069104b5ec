//! The plugin's own options: the words of `event_plugin_options` that start with `dmodc.`.
//!
//! OpenSM passes the whole string to every plugin, so this module ignores words without that prefix; it only warns of
//! those that would be options with it. A wrong word with the prefix never stops the subnet manager: the log names it
//! and the default holds.

use dmodc_core::{Capacity, Faults, OnUnreachable};
use dmodc_watch::sweeps::Source;
use log::Level;
use std::path::{Path, PathBuf};

const PREFIX: &str = "dmodc.";

const MAX_THREADS: usize = 256;

/// Dmodc's part of `event_plugin_options`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PluginOptions {
    /// `dmodc.threads=N`: the most threads that work in a sweep; 0, the default, is one for each
    /// processor.
    pub threads: usize,
    /// `dmodc.faults=stable|paper`.
    pub faults: Faults,
    /// `dmodc.reference=auto|none|FILE`.
    pub reference: Source,
    /// `dmodc.on_unreachable=connect|partial|fail`.
    pub on_unreachable: OnUnreachable,
    /// `dmodc.drain=FILE`.
    pub drain: Option<PathBuf>,
    /// `dmodc.capacity=use|ignore`.
    pub capacity: Capacity,
    /// `dmodc.metrics=FILE`.
    pub metrics: Option<PathBuf>,
    /// `dmodc.provoke_panic=plan|fill|wrong|end|wait`, for tests alone (a release build lacks it): the first sweep panics
    /// before it computes anything, after it has written OpenSM's tables, or as the last thing that it does; `wrong`
    /// spoils the tables before the proof; with `wait` the work after each sweep takes three seconds more.
    pub provoke_panic: Option<String>,
}

/// A word that sets no option.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Wrong {
    #[error("unknown option {0:?} in event_plugin_options is ignored")]
    Unknown(String),
    #[error("bad value {value:?} of option {name:?}: {expected}; it is ignored")]
    Value {
        name: String,
        value: String,
        expected: &'static str,
    },
    #[error("option {0:?} in event_plugin_options has no effect; Dmodc's own is 'dmodc.{1}'")]
    NoPrefix(String, String),
}

impl Wrong {
    /// Words of other plugins may look like ours.
    pub fn level(&self) -> Level {
        match self {
            Wrong::NoPrefix(..) => Level::Warn,
            _ => Level::Error,
        }
    }
}

/// Parses the string. Returns the options of all good words, and what is wrong with others.
pub fn parse(text: &str) -> (PluginOptions, Vec<Wrong>) {
    let mut options = PluginOptions::default();
    let take = |word: &str| match word.starts_with(PREFIX) {
        true => options.take(word).err(),
        false => without_prefix(word),
    };
    let wrong = text.split_whitespace().filter_map(take).collect();
    (options, wrong)
}

/// Whether a word is one of our options but for the prefix.
fn without_prefix(word: &str) -> Option<Wrong> {
    let bare = word.trim_start_matches('-');
    let other_prefix = |rest: &str| rest.starts_with(['-', '_', ':', '/']);
    let bare = match bare.strip_prefix("dmodc") {
        Some(rest) if other_prefix(rest) => &rest[1..],
        _ => bare.trim_start_matches(PREFIX),
    };
    let is_ours = match PluginOptions::default().take(&format!("{PREFIX}{bare}")) {
        Err(Wrong::Unknown(_)) => false,
        Ok(()) | Err(_) => bare.contains('='),
    };
    is_ours.then(|| Wrong::NoPrefix(word.into(), bare.into()))
}

impl PluginOptions {
    fn take(&mut self, word: &str) -> Result<(), Wrong> {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let path = (!value.is_empty()).then(|| Some(value.into()));
        let (is_taken, expected) = match name {
            "dmodc.threads" => {
                let number = value.parse().ok().filter(|&n| n <= MAX_THREADS);
                let expected = "a number from 0 (one for each processor) to 256";
                (set(&mut self.threads, number), expected)
            }
            "dmodc.faults" => (set(&mut self.faults, value.parse().ok()), "stable or paper"),
            "dmodc.reference" => {
                let source = (!value.is_empty()).then(|| Source::from(Path::new(value)));
                (set(&mut self.reference, source), "auto, none, or a file")
            }
            "dmodc.on_unreachable" => {
                let choice = value.parse().ok();
                let expected = "connect, partial or fail";
                (set(&mut self.on_unreachable, choice), expected)
            }
            "dmodc.drain" => (set(&mut self.drain, path), "a file"),
            "dmodc.capacity" => (set(&mut self.capacity, value.parse().ok()), "use or ignore"),
            "dmodc.metrics" => (set(&mut self.metrics, path), "a file"),
            #[cfg(debug_assertions)]
            "dmodc.provoke_panic" => {
                let point = Some(Some(value.to_owned()));
                (
                    set(&mut self.provoke_panic, point),
                    "plan, fill, wrong, end or wait",
                )
            }
            _ => return Err(Wrong::Unknown(word.into())),
        };
        match is_taken {
            true => Ok(()),
            false => Err(Wrong::Value {
                name: name.into(),
                value: value.into(),
                expected,
            }),
        }
    }
}

/// Sets an option if there is a valid value; returns whether there is one.
fn set<T>(option: &mut T, value: Option<T>) -> bool {
    value.map(|value| *option = value).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrics::cases;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(cases(1000))]

        /// For any text: values stay within the limits, there are at most as many errors as words with the prefix, and
        /// a good word at the end holds.
        #[test]
        fn anything_may_stand_there(
            text in "((--)?(dmodc\\.)?(threads|on_unreachable|\\PC{0,3})=?([0-9]{1,20}|fail|\\PC{0,5})\\s?){0,6}",
        ) {
            let (options, mut wrong) = parse(&text);
            let ours = text.split_whitespace().filter(|word| word.starts_with("dmodc.")).count();
            let errors = wrong.iter().filter(|wrong| wrong.level() == Level::Error);
            prop_assert!(options.threads <= MAX_THREADS && errors.count() <= ours);
            let (options, more) = parse(&format!("{text} threads=9 dmodc.threads=7"));
            wrong.push(Wrong::NoPrefix("threads=9".into(), "threads=9".into()));
            prop_assert_eq!((options.threads, more), (7, wrong));
        }
    }

    #[test]
    fn an_option_without_its_prefix_is_named_and_words_of_others_are_not() {
        let said = |word: &str| parse(word).1.first().map(ToString::to_string);
        for word in ["threads=3", "--dmodc.threads=3", "dmodc_threads=3"] {
            let line = format!(
                "option {word:?} in event_plugin_options has no effect; Dmodc's own is 'dmodc.threads=3'"
            );
            assert_eq!(said(word), Some(line));
        }
        for word in ["", "ib.colour=3", "-v", "--conf", "metrics", "x=threads=3"] {
            assert_eq!(said(word), None, "{word}");
        }
    }
}
