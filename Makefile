# warpfold: `make quickstart` builds it and shows the main job, `make test` runs every test.
#
#   make quickstart      builds, runs the paper's kernels with every mechanism on a slice of the chip, and makes a report
#   make install         program, libraries, header, manual page, completions, Python module, documents to PREFIX (/usr/local); make uninstall
#   make deb             the same as a Debian package, in build/
#   make reproduction    docs/results/reproduction.md anew: the paper's figures with its inputs, under an hour on two cores
#   make reproduction-simtight  docs/results/reproduction-simtight.md anew: all of that paper at its sizes
#   make reproduction-uniform   docs/results/reproduction-uniform.md anew: all of the chapter on uniform vectors, likewise
#   make reproduction-warpman   docs/results/reproduction-warpman.md anew: all of WarpMan's chapter at size medium
#   make reproduction-ilp       docs/results/reproduction-ilp.md anew: all of the chapter on ILP cores and mixed chips, likewise
#   make reproduction-decoupled docs/results/reproduction-decoupled.md anew: all of DAC and its rivals, likewise
#   make fidelity        docs/results/fidelity.md anew: launches that cards were measured with (MEASUREMENTS=FOLDER: and what may not stand here)
#   make                 build/warpfold and build/libwarpfold.a (release)
#   make FAST=native     the same in half the time: SIMD for this processor and warps of 32 lanes alone (quickstart's build)
#   make CC=clang        the same with clang
#   make MODE=asan|tsan|debug|fuzz      other builds, each in its own folder build-MODE
#   make PGO=1           the release build laid out by a profile of its own runs (gcc): some percent faster, three times the compile time
#   make check           the sub-minute part of the tests, for every commit
#   make test            all tests; the last line is "N passed, N failed, N skipped"
#   make check-all       adds the long runs (random programs, large sizes, sanitizers, fuzzing minutes)
#   make bench-silicon   what measures silicon's points on the card that is here (bench/silicon/README.md; needs nvcc)
#   make bench           speed over the bundled kernels at medium size
#   make bench-threads   gain from 2, 4 and 8 host threads, and the bound
#   make bench-peer GPGPUSIM=DIR   host times of an installed GPGPU-Sim beside warpfold's
#   make check-web       the report's template is up to date, and a browser draws it (Node, Chromium)
#   make check-layers    includes only point down; the parts of an SM are written by their owners alone;
#                        a change of a header rebuilds at most a third of the objects
#   make compile_commands.json      how each file is compiled, for clangd and clang-tidy
#   make format          clang-format over what we wrote; make check-format only looks
#   make setup           installs what `make test` can use (as root on Debian), or says in one line what to install
#
# Sources are found by wildcard, in the order of their names: a new file in src/ or tests/ needs no line here.

# All cores unless told otherwise.
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

MODE  ?= release
BUILD ?= build$(if $(filter-out release,$(MODE)),-$(MODE))
Q := $(if $(V),,@)
CC    ?= cc
ifeq ($(origin CC),default)
CC := gcc
endif

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wswitch-enum -Werror
# -ffp-contract=off: a float multiply and add fuse only where the simulated program says so.
BASE_CFLAGS := -std=c17 $(WARNINGS) -Isrc -D_GNU_SOURCE -pthread -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno
# -fno-tree-slp-vectorize: GCC 12 makes one wide load of neighbouring fields (a pc and its depth). Where they have just been stored
# one by one, the load cannot be forwarded from the store buffer and waits a dozen cycles: 5 to 23 % of everything's time, and of a
# kernel whose lanes part all the time (VecGCD) three fifths.
CFLAGS_release := -O2 -g1 -DNDEBUG -fno-tree-slp-vectorize
CFLAGS_debug   := -O0 -g
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread
CFLAGS_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
# Two builds of the same sources are equal byte for byte, wherever the folders are: debug information names files from the root of
# the tree and calls the build folder "build". Compilers take the current folder's name from PWD, which may lead over a link.
export PWD := $(CURDIR)
empty :=
escaped = $(subst $(empty) ,\ ,$(1))
PATHS_CFLAGS := -ffile-prefix-map=$(call escaped,$(CURDIR))=. -ffile-prefix-map=$(call escaped,$(BUILD))/=build/
ALL_CFLAGS := $(BASE_CFLAGS) $(CFLAGS_$(MODE)) $(PATHS_CFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(CFLAGS_$(MODE)) -pthread $(LDFLAGS)
# PGO=1 asks for the program built by a profile; PGO=count builds the program that writes the profile into
# $(BUILD)-count, beside each object; PGO=use builds the program laid out by it in $(BUILD)-pgo.
ifeq ($(PGO),count)
ALL_CFLAGS += -fprofile-generate -fprofile-update=atomic
ALL_LDFLAGS += -fprofile-generate
endif
# The compiler looks for a profile beside the object. Code that did not run is compiled as ever (partial training). Warnings are the
# ordinary build's: what a profile inlines has false ones.
ifeq ($(PGO),use)
ALL_CFLAGS += -fprofile-use -fprofile-partial-training -w
endif
LDLIBS := -lm
# Without SQLite everything but `warpfold reproduce` is there, and that says what to install.
SQLITE := $(shell printf '\043include <sqlite3.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
ifneq ($(SQLITE),)
# As an archive where there is one: a dynamic one costs every start of the program a million instructions of linking.
SQLITE_ARCHIVE := $(shell $(CC) -print-file-name=libsqlite3.a)
LDLIBS := $(if $(findstring /,$(SQLITE_ARCHIVE)),$(SQLITE_ARCHIVE),-lsqlite3) $(LDLIBS)
endif

# $(call below,FOLDERS,PATTERN): files of that name in the folders, at any depth.
below = $(sort $(shell find $(1) -name '$(2)'))

NEED_SQLITE := $(addprefix src/lab/,database.c interval.c settings.c pool.c figure.c only.c headline.c page.c $(notdir $(wildcard src/lab/chart*.c))) \
    $(addprefix src/silicon/,silicon.c page.c ranks.c elasticity.c $(notdir $(wildcard src/silicon/fidelity*.c))) \
    src/cluster/collect.c src/cluster/estimate.c src/cli/reproduce.c src/cli/gather.c \
    $(wildcard tests/lab/*.c tests/cluster/*.c) tests/silicon/test_fidelity.c tests/silicon/test_silicon.c tests/tech/test_example.c
LEFT_OUT := $(if $(SQLITE),src/cli/reproduce_absent.c,$(NEED_SQLITE))
LIB_SRC  := $(filter-out src/cli/main.c $(LEFT_OUT),$(call below,src,*.c))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
TEST_SRC := $(filter-out $(LEFT_OUT),$(call below,tests,test_*.c))
TEST_BIN := $(TEST_SRC:%.c=$(BUILD)/%)
# Everything else under tests/ is shared by the tests: harness, oracle, generator.
TEST_LIB_SRC := $(filter-out $(TEST_SRC) $(LEFT_OUT) $(wildcard tests/fuzz/*.c tests/*/programs/*.c),$(call below,tests,*.c))
TEST_LIB_OBJ := $(TEST_LIB_SRC:%.c=$(BUILD)/%.o)

# $(call say,TEXT): a line of a recipe that says what is done, where output is no terminal (tools/say).
ifeq ($(MAKE_TERMOUT),)
$(shell rm -f $(BUILD)/steps $(BUILD)/steps.time)
say = @tools/say $(BUILD)/steps "$(1)"
endif

.PHONY: all
ifeq ($(PGO),1)
# What the profile is of: bundled kernels with and without time, with mechanisms, and marks.
all:
	@mkdir -p $(BUILD)
	@$(CC) --version | grep -q 'Free Software Foundation' || { echo "make PGO=1 needs gcc" >&2; exit 1; }
	$(Q)find $(BUILD)-count -name '*.gcda' -delete 2>/dev/null; true
	$(Q)$(MAKE) --no-print-directory PGO=count BUILD=$(BUILD)-count all
	$(call say,running the workloads of the profile)
	$(Q)bench/profile-workloads $(BUILD)-count/warpfold
	@mkdir -p $(BUILD)-pgo
	$(Q)find $(BUILD)-count -name '*.gcda' -printf '%P\n' | tar -c -C $(BUILD)-count -T - | tar -x -C $(BUILD)-pgo
	@test -s $(BUILD)-pgo/src/sm/sm.gcda || { echo "make PGO=1: no profile was written" >&2; exit 1; }
	$(Q)$(MAKE) --no-print-directory PGO=use BUILD=$(BUILD)-pgo all
	$(Q)cp $(BUILD)-pgo/warpfold $(BUILD)-pgo/libwarpfold.a $(BUILD)/
else
all: $(BUILD)/warpfold $(BUILD)/libwarpfold.a
endif

# Rooms with rules of their own: extra objects, generated sources, per-instruction-set builds.
# They may append to LIB_OBJ, EXTRA_OBJ and the phony targets below.
-include $(call below,src,rules.mk) $(wildcard kernels/rules.mk silicon/rules.mk tests/rules.mk bench/rules.mk tools/rules.mk docs/rules.mk packaging/rules.mk)

$(BUILD)/libwarpfold.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)ar rcsD $@ $^

$(BUILD)/warpfold: $(BUILD)/src/cli/main.o $(BUILD)/libwarpfold.a
	$(call say,linking $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,compiling $<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call say,compiling $<)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests -MMD -MP -c -o $@ $<

$(BUILD)/libtests.a: $(TEST_LIB_OBJ)
	@rm -f $@
	$(Q)ar rcsD $@ $^

$(TEST_BIN): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libtests.a $(BUILD)/libwarpfold.a
	$(call say,linking $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: quickstart reproduction reproduction-simtight reproduction-uniform reproduction-warpman reproduction-ilp reproduction-decoupled fidelity bench
quickstart:
	@tools/setup build
	@test -x $(BUILD)/warpfold || echo "Compiling warpfold for this processor, about a minute on two cores:"
	@$(MAKE) --no-print-directory $(if $(word 2,$(file <$(BUILD)/src/exec/fast-builds)),,FAST=native) $(BUILD)/warpfold
	@echo "The kernels of the DARSIE paper on a seventh of the chip, with each mechanism:"
	@echo
	@rm -rf $(BUILD)/quickstart
	@$(BUILD)/warpfold reproduce quickstart --size small --out $(BUILD)/quickstart
	@echo
	@echo "Look at $(BUILD)/quickstart/report.html in a browser. Next: docs/tutorial/kernel.md, $(BUILD)/warpfold --help"

# What makes rows of each page of results again within seconds; a test does (tools/results-page).
AGAIN_darsie    := reproduce fig8 --only kernel=FWS --only series=DARSIE
AGAIN_simtight  := reproduce st_fig6 --only program=VecAdd --size paper
AGAIN_uniform   := reproduce uv_area --size paper
AGAIN_warpman   := reproduce wm_fig32 --only kernel=RAY --only series=temp --size medium
AGAIN_ilp       := reproduce ilp_fig42 --only kernel=Scan --only series=BP+SC --only view=gtx280/ptxplus --size medium
AGAIN_fidelity  := reproduce silicon:reduce6-32
AGAIN_decoupled := reproduce dac_coverage --size medium

# What docs/results/reproduction.md says, measured anew.
reproduction: all
	@$(BUILD)/warpfold reproduce darsie --out $(BUILD)/reproduction
	@tools/results-page $(BUILD)/reproduction/paper.md docs/results/reproduction.md "$(AGAIN_darsie)"

# What docs/results/reproduction-simtight.md says: the paper's sizes, six minutes of a processor; docs/results/reproduction-uniform.md: an hour.
reproduction-simtight reproduction-uniform: reproduction-%: all
	@$(BUILD)/warpfold reproduce $* --size paper --out $(BUILD)/$@
	@tools/results-page $(BUILD)/$@/paper.md docs/results/$@.md "$(AGAIN_$*)"

# What docs/results/reproduction-warpman.md and docs/results/reproduction-ilp.md say: all of these chapters at size medium, a quarter of an hour of two processors;
# docs/results/reproduction-decoupled.md: 24 minutes of one.
reproduction-warpman reproduction-ilp reproduction-decoupled: reproduction-%: all
	@$(BUILD)/warpfold reproduce $* --size medium --out $(BUILD)/$@
	@tools/results-page $(BUILD)/$@/paper.md docs/results/$@.md "$(AGAIN_$*)"

# What docs/results/fidelity.md and fidelity-launches.md say, likewise. Results of an older build are done again. Without LEAVE_OUT= two launches that take
# hours are listed as left out; the rest takes about forty minutes of a processor.
LEAVE_OUT := ,-poly-corr,-poly-syr2k
fidelity: all
	@test $(BUILD)/fidelity/results.db -nt $(BUILD)/warpfold || rm -rf $(BUILD)/fidelity
	@$(BUILD)/warpfold reproduce silicon:tuning,second,clocks,variants$(LEAVE_OUT) $(if $(MEASUREMENTS),--measurements $(MEASUREMENTS)) --out $(BUILD)/fidelity
	@tools/results-page $(BUILD)/fidelity/fidelity-launches.md docs/results/fidelity-launches.md "$(AGAIN_fidelity)"
	@cp $(BUILD)/fidelity/fidelity.md $(BUILD)/fidelity/fidelity.svg docs/results/
	@cp $(BUILD)/fidelity/measured.def src/report/measured.def

# One workload and one thread at a time, on a machine that does nothing else.
bench: all
	@echo "Values alone:"
	@$(BUILD)/warpfold bench --size medium --functional
	@echo
	@echo "Values and time:"
	@$(BUILD)/warpfold bench --size medium

.PHONY: tests check-layers clean
tests: all $(TEST_BIN)

# -- tests -----------------------------------------------------------------------------------------------------
# Each target first sees to its tools and then calls make again, so that what was just installed is found. The
# programs run from the root of the repository, two at a time on two cores.
RUN_TESTS := tools/run-tests
# Programs too slow for every commit: what runs under valgrind.
SLOW_TESTS := bench/test_instructions cli/test_valgrind
# Those that run with several host threads: what ThreadSanitizer has something to say of.
THREADED_TESTS := $(patsubst tests/%.c,%,$(filter tests/api/% tests/sm/% tests/chip/% tests/watch/% tests/tech/%,$(TEST_SRC)))
QUICK_BIN := $(filter-out $(SLOW_TESTS:%=$(BUILD)/tests/%),$(TEST_BIN))

.PHONY: setup check test check-all
setup:
	@tools/setup test

check: check-layers
	@tools/setup check
	@$(MAKE) --no-print-directory tests
	@WARPFOLD_QUICK=1 $(RUN_TESTS) -t 60 $(QUICK_BIN)

test: check-layers
	@tools/setup test
	@$(MAKE) --no-print-directory tests
	@$(RUN_TESTS) $(TEST_BIN)

check-all: check-layers
	@tools/setup check-all
	@$(MAKE) --no-print-directory tests
	@WARPFOLD_LONG=1 $(RUN_TESTS) -t 14400 $(TEST_BIN)
	@$(MAKE) --no-print-directory MODE=asan tests
	@$(RUN_TESTS) -t 7200 $(TEST_BIN:$(BUILD)/%=build-asan/%)
	@$(MAKE) --no-print-directory MODE=tsan tests
	@$(RUN_TESTS) -t 7200 $(THREADED_TESTS:%=build-tsan/tests/%)
	@$(MAKE) --no-print-directory FUZZ_SECONDS=300 fuzz

check-layers:
	@tools/check-layers
	@tools/check-parts
	@tools/check-rebuilds
	@tools/check-sqlite $(filter-out $(NEED_SQLITE),$(call below,src tests,*.c))

FORMATTED = $$(git ls-files 'src/*.c' 'src/*.h' 'tests/*.c' 'tests/*.h' 'docs/*.c' 'tools/*.c' 'bench/*.c' 'bench/silicon/*.h')
.PHONY: format check-format
format:
	clang-format -i $(FORMATTED)
check-format:
	@bad=0; for f in $(FORMATTED); do \
	    clang-format "$$f" | cmp -s - "$$f" || { echo "$$f: not formatted (make format)"; bad=1; }; done; exit $$bad

clean:
	rm -rf build build-*

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
