# A thin front for Meson: each target makes sure that what it needs is there, then hands over.
#   make                  builds build/norn, which runs from where it is
#   make demo             finds errors in runs of shipped examples that passed
#   make check            the tests to run after each edit, those that take little time; ends with "N passed, N failed"
#   make test             all tests; ends likewise
#   make papers           each figure and example of the papers, by the commands of docs/papers.md, compared with what it shows
#   make nightly          a million random programs through the oracle of sliced prediction (SEED=n for others), and a hundred
#                         recordings of each program that is there for built-in errors, whose findings are confirmed a hundred
#                         times, too, as are those of 5000 random programs; a thousand kills, faults at all
#                         places, half an hour of each fuzzer
#   make bench            measures recording against ThreadSanitizer, and the analyses; writes bench/RESULTS.md
#   make install          to PREFIX (/usr/local) below DESTDIR
#   make deb              a Debian package in the current directory
#   make deps             installs missing Debian packages (the others do it, too)
#   make clean

PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
SANITIZED ?= $(BUILD)-asan

export CC = clang-19
export CXX = clang++-19

.PHONY: all deps demo check test papers nightly bench install deb clean
all: deps $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet product

deps:
	@scripts/deps

$(BUILD)/build.ninja: | deps
	@meson setup $(BUILD) --prefix=$(PREFIX) -Dwerror=true >/dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }

demo: all
	@examples/demo $(BUILD)/norn

check: deps
	@scripts/test --check $(BUILD)

test: deps
	@scripts/deps browser || echo "without a browser: its tests are skipped"
	@scripts/test $(BUILD) $(SANITIZED)

papers: all
	@tests/docs/run $(BUILD)/norn --sections docs/papers.md

SEED ?= 1
nightly: all
	@ninja -C $(BUILD) --quiet tests/oracle/oracle tests/oracle/large_parts
	@tests/oracle/sat $(BUILD)/tests/oracle/large_parts 3000 150 $(SEED)
	@$(BUILD)/tests/oracle/oracle -n 1000000 -s $(SEED)
	@tests/run-programs --norn $(BUILD)/norn --repeat 100 tests/programs/errors/*.c* tests/programs/s*/*.c*
	@tests/run-programs --norn $(BUILD)/norn --repeat 20 tests/programs/orders/*.c* tests/programs/harm/*.c*
	@NORN=$(BUILD)/norn bench/pool
	@tests/run-programs --norn $(BUILD)/norn --repeat 10 --levels='-O0 -O1 -O2 -O3' tests/correct/*.c tests/correct/*.cc
	@tests/run-programs --norn $(BUILD)/norn tests/correct/wrong/*.c
	@tests/optimiser/run $(BUILD)/norn --all
	@tests/instrument/invented $(BUILD)/src/instrument/libnorn-pass.so src $(BUILD)/tests/instrument 200 $(SEED)
	@scripts/deps libraries
	@tests/run-programs --norn $(BUILD)/norn --repeat 15 tests/libraries/*.c
	@tests/confirm/programs $(BUILD)/norn 100 -O0 -O1 -O2
	@tests/confirm/random $(BUILD)/norn 5000 $(SEED)
	@tests/fixes/run $(BUILD)/norn --all
	@tests/confirm/harm $(BUILD)/norn 20
	@tests/scope/watch $(BUILD)/norn 100
	@tests/mttl/run $(BUILD)/norn --nightly
	@tests/mttl/differ $(BUILD)/norn 1000 $(SEED)
	@tests/agree/run $(BUILD)/norn --random 1000 --seed $(SEED) --times 12
	@tests/behaviour/run $(BUILD)/norn --all
	@tests/record/kill $(BUILD)/norn 300
	@tests/package/run $(BUILD) --chroot
	@tests/record/kill-others $(BUILD)/norn 150
	@tests/faults/run $(BUILD)/norn 0
	@tests/fuzz/nightly $(BUILD) 1800

bench: all
	@NORN=$(BUILD)/norn bench/run -o bench/RESULTS.md
	@ninja -C $(BUILD) --quiet bench/causality
	@$(BUILD)/bench/causality >>bench/RESULTS.md
	@ninja -C $(BUILD) --quiet bench/monitor
	@$(BUILD)/bench/monitor >>bench/RESULTS.md
	@ninja -C $(BUILD) --quiet bench/lattice
	@$(BUILD)/bench/lattice >>bench/RESULTS.md
	@ninja -C $(BUILD) --quiet bench/sliced
	@$(BUILD)/bench/sliced >>bench/RESULTS.md
	@ninja -C $(BUILD) --quiet bench/text
	@NORN=$(BUILD)/norn bench/races >>bench/RESULTS.md
	@NORN=$(BUILD)/norn bench/observer >>bench/RESULTS.md
	@bench/observing $(BUILD)/norn >>bench/RESULTS.md
	@NORN=$(BUILD)/norn bench/long >>bench/RESULTS.md
	@bench/confirm $(BUILD)/norn >>bench/RESULTS.md

install: all
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@DESTDIR="$(DESTDIR)" meson install -C $(BUILD) --quiet --no-rebuild

# A build of its own, for /usr.
deb: deps
	@[ -e $(BUILD)-deb/build.ninja ] || meson setup $(BUILD)-deb --prefix=/usr -Dwerror=true >/dev/null
	@ninja -C $(BUILD)-deb --quiet product
	@scripts/deb $(BUILD)-deb "norn_$$($(BUILD)-deb/norn --version | cut -d' ' -f2)_$$(dpkg --print-architecture).deb"

clean:
	@rm -rf $(BUILD) $(SANITIZED) $(BUILD)-deb
