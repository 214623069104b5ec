//! The plugin's own options: the words of `event_plugin_options` that start with `dmodc.`.
//!
//! OpenSM hands the whole string to every plugin, so words of others are none of our business. A
//! wrong word of ours never stops the subnet manager: it is reported by name and the default holds.

use crate::dmodc::OnUnreachable;

/// The most threads that may be asked for.
const MAX_THREADS: usize = 256;

/// What `event_plugin_options` says of Dmodc.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PluginOptions {
    /// `dmodc.threads=N`: size of the thread pool; 0, the default, is one for each processor.
    pub threads: usize,
    /// `dmodc.on_unreachable=partial|fail`.
    pub on_unreachable: OnUnreachable,
    /// `dmodc.provoke_panic=plan|fill`, for tests alone: a release build does not know it.
    #[cfg(debug_assertions)]
    pub provoke_panic: Option<PanicAt>,
}

/// Where the first sweep is to panic.
#[cfg(debug_assertions)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PanicAt {
    /// Before anything is computed.
    Plan,
    /// When the tables of OpenSM are half changed: all written, and not yet vouched for.
    Fill,
}

/// A word that could not be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// No such option.
    #[error("unknown option {0:?} in event_plugin_options is ignored")]
    Unknown(String),
    /// The option exists, the value does not.
    #[error("bad value {value:?} of option {name:?}: {expected}; the default is used")]
    BadValue {
        /// The option.
        name: String,
        /// What was given.
        value: String,
        /// What would do.
        expected: &'static str,
    },
}

/// Reads the string; whatever is wrong in it is returned beside what is right.
pub fn parse(text: &str) -> (PluginOptions, Vec<OptionError>) {
    let mut options = PluginOptions::default();
    let mut errors = Vec::new();
    for word in text.split_whitespace().filter(|w| w.starts_with("dmodc.")) {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let expected = match name {
            "dmodc.threads" => match value.parse() {
                Ok(n) if n <= MAX_THREADS => {
                    options.threads = n;
                    continue;
                }
                _ => "a number from 0 (one for each processor) to 256",
            },
            "dmodc.on_unreachable" => match value {
                "partial" => {
                    options.on_unreachable = OnUnreachable::Partial;
                    continue;
                }
                "fail" => {
                    options.on_unreachable = OnUnreachable::Fail;
                    continue;
                }
                _ => "partial or fail",
            },
            #[cfg(debug_assertions)]
            "dmodc.provoke_panic" => match value {
                "plan" => {
                    options.provoke_panic = Some(PanicAt::Plan);
                    continue;
                }
                "fill" => {
                    options.provoke_panic = Some(PanicAt::Fill);
                    continue;
                }
                _ => "plan or fill",
            },
            _ => {
                errors.push(OptionError::Unknown(word.to_owned()));
                continue;
            }
        };
        let (name, value) = (name.to_owned(), value.to_owned());
        errors.push(OptionError::BadValue {
            name,
            value,
            expected,
        });
    }
    (options, errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cases;
    use proptest::prelude::*;

    #[test]
    fn ours_are_taken_and_others_ignored() {
        let (options, errors) =
            parse("--other x=1 dmodc.threads=4 threads=9\tdmodc.on_unreachable=fail");
        assert_eq!(
            options,
            PluginOptions {
                threads: 4,
                on_unreachable: OnUnreachable::Fail,
                ..PluginOptions::default()
            }
        );
        assert_eq!(errors, []);
        assert_eq!(parse(""), (PluginOptions::default(), vec![]));
        assert_eq!(parse("dmodc.threads=256").0.threads, 256);
    }

    #[test]
    fn what_is_wrong_is_named_and_the_default_holds() {
        for bad in ["257", "-1", "", "four", "4,dmodc.on_unreachable=fail"] {
            let (options, errors) = parse(&format!("dmodc.threads={bad}"));
            assert_eq!(options, PluginOptions::default());
            assert_eq!(errors.len(), 1);
            assert!(
                errors[0].to_string().contains("dmodc.threads"),
                "{}",
                errors[0]
            );
        }
        let (options, errors) = parse("dmodc.thread=2 dmodc.on_unreachable=never dmodc.threads");
        assert_eq!(options, PluginOptions::default());
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "unknown option \"dmodc.thread=2\" in event_plugin_options is ignored",
                "bad value \"never\" of option \"dmodc.on_unreachable\": partial or fail; the \
                 default is used",
                "bad value \"\" of option \"dmodc.threads\": a number from 0 (one for each \
                 processor) to 256; the default is used",
            ]
        );
    }

    proptest! {
        #![proptest_config(cases(1000))]

        /// Whatever stands there, nothing beyond the limits is taken, no more is wrong than there
        /// are words of ours, and a good word at the end holds.
        #[test]
        fn anything_may_stand_there(
            text in "((--)?(dmodc\\.)?(threads|on_unreachable|\\PC{0,3})=?([0-9]{1,20}|fail|\\PC{0,5})\\s?){0,6}",
        ) {
            let (options, errors) = parse(&text);
            let ours = text.split_whitespace().filter(|word| word.starts_with("dmodc.")).count();
            prop_assert!(options.threads <= MAX_THREADS && errors.len() <= ours);
            let (options, more) = parse(&format!("{text} dmodc.threads=7"));
            prop_assert_eq!((options.threads, more), (7, errors));
        }
    }
}
