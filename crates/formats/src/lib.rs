//! Files in and out: fabrics, forwarding tables, references, lists of names; fabrics generated and degraded.
//!
//! In reading order:
//! - [`files`]: plain files, read without waiting, written whole; [`input`]: bytes, lines, warnings, errors with place;
//!   `scan`: a cursor in a line;
//! - [`netlist`]: the model of a fabric as a file has it, its readers (`ibnetdiscover`, `subnet_lst`) and its writer;
//!   to and from the snapshot; `generate`, `degrade`, `remove`;
//! - [`names`]: what people type for a switch, a host, a port;
//! - [`lft`]: dumps of tables, and their differences; the order of nodes; hop counts;
//! - [`reference`](mod@reference): the equipment that a fabric should have;
//! - [`drain`]: the list of drained links, and what still uses them; [`counters`]: the error counters of ports;
//!   [`pairs`]: measured pairs of hosts;
//! - [`log`](mod@log): Dmodc's lines in OpenSM's log;
//! - [`export`]: names for other programs.

#![forbid(unsafe_code)]

pub mod counters;
pub mod drain;
pub mod export;
pub mod files;
pub mod input;
pub mod lft;
pub mod log;
pub mod names;
pub mod netlist;
pub mod pairs;
pub mod reference;
mod scan;
