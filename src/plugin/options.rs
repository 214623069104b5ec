//! The plugin's own options: the words of `event_plugin_options` that start with `dmodc.`.
//!
//! OpenSM passes the whole string to every plugin, so this module ignores words without that prefix. A wrong word with
//! the prefix never stops the subnet manager: the log names it and the default holds.

use crate::dmodc::{Capacity, Faults, OnUnreachable};
use crate::sweeps::Source;
use std::path::PathBuf;

const MAX_THREADS: usize = 256;

/// Dmodc's part of `event_plugin_options`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PluginOptions {
    /// `dmodc.threads=N`: the most threads that work in a sweep; 0, the default, is one for each
    /// processor.
    pub threads: usize,
    /// `dmodc.faults=stable|paper`.
    pub faults: Faults,
    /// `dmodc.reference=FILE|auto`.
    pub reference: Option<Source>,
    /// `dmodc.on_unreachable=connect|partial|fail`.
    pub on_unreachable: OnUnreachable,
    /// `dmodc.drain=FILE`.
    pub drain: Option<PathBuf>,
    /// `dmodc.capacity=use|ignore`.
    pub capacity: Capacity,
    /// `dmodc.metrics=FILE`.
    pub metrics: Option<PathBuf>,
    /// `dmodc.provoke_panic=plan|fill`, for tests alone (a release build lacks it): the first sweep panics before it
    /// computes anything, or after it has written OpenSM's tables.
    pub provoke_panic: Option<String>,
}

/// Parses the string. Returns the options of all good words, and an error for each wrong word.
pub fn parse(text: &str) -> (PluginOptions, Vec<String>) {
    let mut options = PluginOptions::default();
    let words = text.split_whitespace().filter(|w| w.starts_with("dmodc."));
    let errors = words.filter_map(|word| options.take(word).err()).collect();
    (options, errors)
}

impl PluginOptions {
    fn take(&mut self, word: &str) -> Result<(), String> {
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
                let source = path.map(|file: Option<PathBuf>| match value {
                    "auto" => Some(Source::Auto),
                    _ => file.map(Source::File),
                });
                (set(&mut self.reference, source), "a file, or auto")
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
                (set(&mut self.provoke_panic, point), "plan or fill")
            }
            _ => {
                let unknown = format!("unknown option {word:?} in event_plugin_options is ignored");
                return Err(unknown);
            }
        };
        match is_taken {
            true => Ok(()),
            false => Err(format!(
                "bad value {value:?} of option {name:?}: {expected}; it is ignored"
            )),
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
    use crate::testing::cases;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(cases(1000))]

        /// For any text: values stay within the limits, there are at most as many errors as words with the prefix, and
        /// a good word at the end holds.
        #[test]
        fn anything_may_stand_there(
            text in "((--)?(dmodc\\.)?(threads|on_unreachable|\\PC{0,3})=?([0-9]{1,20}|fail|\\PC{0,5})\\s?){0,6}",
        ) {
            let (options, errors) = parse(&text);
            let ours = text.split_whitespace().filter(|word| word.starts_with("dmodc.")).count();
            prop_assert!(options.threads <= MAX_THREADS && errors.len() <= ours);
            let (options, more) = parse(&format!("{text} threads=9 dmodc.threads=7"));
            prop_assert_eq!((options.threads, more), (7, errors));
        }
    }
}
