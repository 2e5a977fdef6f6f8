# Fuzzing: `make fuzz` runs every tests/fuzz/fuzz_NAME.c for FUZZ_SECONDS over tests/fuzz/corpus/NAME (needs clang).
# What the fuzzer finds interesting goes to the build folder; a crash leaves its input there and fails. libFuzzer limits one input by
# the clock alone: 200 s are twenty times the 10 s of processor time that an input may take.

FUZZ_SECONDS ?= 60
FUZZ_SEEDS_compile := tests/compile/lower tests/fuzz/corpus/ptx
FUZZ_SEEDS_elf := kernels/riscv/elf tests/fuzz/corpus/elf
FUZZ_SEEDS_gpu := gpus tests/fuzz/corpus/gpu
FUZZ_SEEDS_experiment := experiments tests/fuzz/corpus/experiment
FUZZ_SEEDS_script := silicon/points silicon/micro tests/fuzz/corpus/script
FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

.PHONY: fuzz
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz CC=clang $(FUZZ_NAMES:%=fuzz-%)

.PHONY: $(FUZZ_NAMES:%=fuzz-%)
$(FUZZ_NAMES:%=fuzz-%): fuzz-%: $(BUILD)/tests/fuzz/fuzz_% $(BUILD)/tests/fuzz/%.dict
	@mkdir -p $(BUILD)/corpus/$*
	$< -max_total_time=$(FUZZ_SECONDS) -timeout=200 -rss_limit_mb=4096 -max_len=20000 -print_final_stats=1 \
	    -dict=$(BUILD)/tests/fuzz/$*.dict -artifact_prefix=$(BUILD)/crash-$*- $(BUILD)/corpus/$* $(or $(FUZZ_SEEDS_$*),tests/fuzz/corpus/$*)

$(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/fuzz_%): %: %.o $(BUILD)/tests/fuzz/lines.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

# The words of the language, for the fuzzer to put together; none where there is no other rule.
$(BUILD)/tests/fuzz/ptx.dict $(BUILD)/tests/fuzz/compile.dict: src/ptx/ptx.def src/ptx/suffix.def
	@mkdir -p $(@D)
	$(Q)grep -ohE '(PTX|SUFFIX)\([^"]*"[^"]*"' $^ | sed -E 's/^PTX[^"]*//; s/^SUFFIX\("/"./' | sort -u >$@

# Words in quotes of the sources that read a language, and the keys and values of the GPUs' files.
$(BUILD)/tests/fuzz/gpu.dict: $(wildcard gpus/*.gpu) src/sm/config.def src/chip/config.def src/energy/events.def src/simtight/config.def
$(BUILD)/tests/fuzz/experiment.dict: $(wildcard src/lab/*.def) src/lab/experiment.c src/lab/sweep.c
$(BUILD)/tests/fuzz/script.dict: src/cli/script.def src/cli/script.c src/cli/script_text.c src/cli/spec.c
$(BUILD)/tests/fuzz/spec.dict: src/cli/spec.c
$(BUILD)/tests/fuzz/plan.dict: src/cluster/plan.c src/cluster/token.c src/lab/database.c src/lab/job.c
QUOTED_DICTS := $(patsubst %,$(BUILD)/tests/fuzz/%.dict,gpu experiment script spec plan)
$(QUOTED_DICTS):
	@mkdir -p $(@D)
	$(Q)sed -E 's/^([a-z0-9_.]+) = ([a-z0-9_.]+).*/"\1" "\2"/' $^ | grep -oE '"[A-Za-z0-9_.:-]+"' | sort -u >$@

$(BUILD)/tests/fuzz/%.dict:
	@mkdir -p $(@D)
	$(Q)echo '# no words' >$@

# Arbitrary precision, which softfloat is compared with: where libmpfr-dev is installed.
ifneq ($(shell printf '\043include <mpfr.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes),)
$(BUILD)/tests/exec/test_softfloat.o: ALL_CFLAGS += -DWITH_MPFR
$(BUILD)/tests/exec/test_softfloat: LDLIBS += -lmpfr -lgmp
endif
