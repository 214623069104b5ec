# What people run. The sources say the rest.

DMODC = target/release/dmodc
PRODUCTION = $(wildcard ../shared/topologies/*.ibnetdiscover)
ENGINES = dmodc,ftree,ftree+roots,updn,updn+roots,minhop,sssp

.PHONY: build fabrics

build:
	cargo build --release

# The table of docs/fabrics.md: every engine on every fabric, by the stock OpenSM.
fabrics: build
	rm -rf target/fabrics && mkdir -p target/fabrics
	$(DMODC) generate 'PGFT(1;12;1;1)' -o target/fabrics/one-switch.netlist
	$(DMODC) generate 'PGFT(3;12,6,8;1,6,6;1,1,1)' --seed 1 -o target/fabrics/pgft-576.netlist
	$(DMODC) degrade target/fabrics/pgft-576.netlist --links 30 --seed 1 -o target/fabrics/pgft-576-minus-30-links.netlist
	$(DMODC) degrade target/fabrics/pgft-576.netlist --switches 5 --seed 1 -o target/fabrics/pgft-576-minus-5-switches.netlist
	$(DMODC) generate 'PGFT(2;6,24;1,12;1,1)' --seed 1 -o target/fabrics/half-populated-leaves.netlist
	$(DMODC) generate rlft --nodes 450 --radix 24 -o target/fabrics/rlft-450.netlist
	$(DMODC) compare $(PRODUCTION) target/fabrics/*.netlist tests/data/fabrics/*.netlist \
	    --engines $(ENGINES) -o target/fabrics --markdown docs/fabrics.md
