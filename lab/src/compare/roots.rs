//! The GUID files that engines get.

use dmodc::dmodc::{Options, Ranking};
use dmodc::export;
use dmodc::fabric::{Fabric, Guid};

/// The roots of a fabric, as an administrator would list them.
pub fn roots(fabric: &Fabric) -> Vec<Guid> {
    let ranking = Ranking::new(fabric, &Options::default());
    let roots = export::roots(fabric, &ranking).into_iter();
    roots.map(|s| fabric.switches()[s as usize].guid).collect()
}

/// The text of a GUID file.
pub fn guid_file(guids: &[Guid]) -> String {
    guids.iter().map(|guid| format!("{guid}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dmodc::netlist::generate::{Order, Pgft, build};

    #[test]
    fn roots_are_the_top_level() {
        let shape: Pgft = "PGFT(3;2,2,3;1,2,2;1,2,1)".parse().unwrap();
        let order = Order {
            seed: None,
            lids: true,
        };
        let (fabric, _) = build(&shape.into(), order).to_fabric(None).unwrap();
        assert_eq!(roots(&fabric).len(), 4);
    }
}
