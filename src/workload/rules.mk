# Loops of references and comparisons become vectors at -O3 only (base/clones.h).
ifeq ($(MODE),release)
$(BUILD)/src/workload/%.o $(BUILD)/src/base/rng.o $(BUILD)/src/cli/spec.o: ALL_CFLAGS += -O3
endif
