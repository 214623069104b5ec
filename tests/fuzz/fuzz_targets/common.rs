//! A small fabric that files beside it may fit.

use dmodc_fabric::Fabric;
use dmodc_formats::netlist::{Names, Netlist};
use std::sync::LazyLock;

pub static SMALL: LazyLock<(Fabric, Names)> = LazyLock::new(|| {
    let text = include_bytes!("../../data/crlf.ibnetdiscover");
    let netlist = Netlist::parse(text).expect("a good netlist");
    netlist.to_fabric(None).expect("LIDs for all")
});
