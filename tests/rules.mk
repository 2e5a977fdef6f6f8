# Fuzzing: `make fuzz` runs every tests/fuzz/fuzz_NAME.c for FUZZ_SECONDS over tests/fuzz/corpus/NAME (needs clang).
# What the fuzzer finds interesting goes to the build folder; a crash leaves its input there and fails. libFuzzer limits one input by
# the clock alone: 200 s are twenty times the 10 s of processor time that an input may take.

FUZZ_SECONDS ?= 60
FUZZ_SEEDS_compile := tests/compile/lower tests/fuzz/corpus/ptx
FUZZ_SEEDS_elf := kernels/riscv/elf tests/fuzz/corpus/elf
FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

.PHONY: fuzz
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz CC=clang $(FUZZ_NAMES:%=fuzz-%)

.PHONY: $(FUZZ_NAMES:%=fuzz-%)
$(FUZZ_NAMES:%=fuzz-%): fuzz-%: $(BUILD)/tests/fuzz/fuzz_% $(BUILD)/tests/fuzz/%.dict
	@mkdir -p $(BUILD)/corpus/$*
	$< -max_total_time=$(FUZZ_SECONDS) -timeout=200 -rss_limit_mb=4096 -max_len=20000 -print_final_stats=1 \
	    -dict=$(BUILD)/tests/fuzz/$*.dict -artifact_prefix=$(BUILD)/crash-$*- $(BUILD)/corpus/$* $(or $(FUZZ_SEEDS_$*),tests/fuzz/corpus/$*)

$(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/fuzz_%): %: %.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

# The words of the language, for the fuzzer to put together; none where there is no other rule.
$(BUILD)/tests/fuzz/ptx.dict $(BUILD)/tests/fuzz/compile.dict: src/ptx/ptx.def src/ptx/suffix.def
	@mkdir -p $(@D)
	$(Q)grep -ohE '(PTX|SUFFIX)\([^"]*"[^"]*"' $^ | sed -E 's/^PTX[^"]*//; s/^SUFFIX\("/"./' | sort -u >$@

$(BUILD)/tests/fuzz/%.dict:
	@mkdir -p $(@D)
	$(Q)echo '# no words' >$@

# Arbitrary precision, which softfloat is compared with: where libmpfr-dev is installed.
ifneq ($(shell printf '\043include <mpfr.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes),)
$(BUILD)/tests/exec/test_softfloat.o: ALL_CFLAGS += -DWITH_MPFR
$(BUILD)/tests/exec/test_softfloat: LDLIBS += -lmpfr -lgmp
endif
