# Fast forms (src/exec/fast/) are compiled once for each instruction set and warp size, under names that end in
# both, and chosen when a program is bound (isa_select.c). Where there is no x86-64, only portable builds exist.
#   make FAST=native     the build for this processor and 32 lanes alone, for a first look: a third of the compile time.
#                        Warps of 64 lanes are then executed without SIMD, with the same results.

FAST_SRC := $(sort $(wildcard src/exec/fast/*.c))
LIB_OBJ  := $(filter-out $(FAST_SRC:%.c=$(BUILD)/%.o),$(LIB_OBJ))

FAST_X86    := $(filter x86_64%,$(shell $(CC) -dumpmachine))
FAST_BUILDS := $(if $(FAST_X86),portable_32 avx2_32 avx2_64 avx512_32,portable_32 portable_64)
# Fuzzers read what users write and run no kernel: the other builds would take most of their compile time.
ifeq ($(MODE),fuzz)
FAST_BUILDS := portable_32
endif
ifeq ($(FAST),native)
fast_has = $(shell echo | $(CC) -march=native -dM -E - 2>/dev/null | grep -c '__$(1)__')
FAST_BUILDS := $(if $(filter 1,$(call fast_has,AVX512VL)),avx512,$(if $(filter 1,$(call fast_has,AVX2)),avx2,portable))_32
endif

# On x86-64 the portable build is for processors without AVX2, and for tests. Unrolled over 8 or 16 vectors it would be 3.5 MB of code;
# rolled it is 0.9 MB, and functional runs with exec.isa=portable take about 15 % longer.
FAST_BITS_portable := -DFAST_BITS=128 $(if $(FAST_X86),-DFAST_ROLLED)
FAST_BITS_avx2     := -DFAST_BITS=256 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mpopcnt -mno-vzeroupper
FAST_BITS_avx512   := -DFAST_BITS=512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mbmi -mbmi2 \
                      -mpopcnt -mno-vzeroupper
# Vectors wider than the base ABI's are only ever arguments of inline functions.
# Builds without tail calls leave it to the loop in run.c to hand on a handler's parameters.
FAST_CFLAGS := -Wno-psabi -Wno-unused-parameter
ifeq ($(MODE),release)
FAST_CFLAGS += -O3 -fno-trapping-math
endif
# Without optimisation gcc's intrinsics are macros, and their conversions count as ours.
ifeq ($(MODE),debug)
FAST_CFLAGS += -Wno-sign-conversion
endif

# $(call fast_rule,ISA,LANES)
define fast_rule
$(BUILD)/src/exec/fast/%.$(1)_$(2).o: src/exec/fast/%.c
	@mkdir -p $$(@D)
	$$(call say,compiling $$< for $(1))
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(FAST_CFLAGS) $(FAST_BITS_$(1)) -DFAST_LANES=$(2) -DFAST_NAME=$(1)_$(2) \
	    -MMD -MP -c -o $$@ $$<
LIB_OBJ += $(FAST_SRC:%.c=$(BUILD)/%.$(1)_$(2).o)
endef
$(foreach b,$(FAST_BUILDS),$(eval $(call fast_rule,$(firstword $(subst _, ,$b)),$(lastword $(subst _, ,$b)))))

# The fast path of tensor cores: vectors of 16 and of 32 bytes. AVX-512 takes the latter: a row has eight columns.
TILE_BUILDS         := portable $(if $(FAST_X86),$(if $(filter-out fuzz,$(MODE)),avx2))
TILE_BYTES_portable := 16
TILE_BYTES_avx2     := 32
LIB_OBJ := $(filter-out $(BUILD)/src/exec/tensor/tile.o,$(LIB_OBJ))
# $(call tile_rule,ISA)
define tile_rule
$(BUILD)/src/exec/tensor/tile.$(1).o: src/exec/tensor/tile.c
	@mkdir -p $$(@D)
	$$(call say,compiling $$< for $(1))
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(FAST_CFLAGS) $(filter-out -DFAST_BITS=% -DFAST_ROLLED -mno-vzeroupper,$(FAST_BITS_$(1))) -DTILE_BYTES=$(TILE_BYTES_$(1)) \
	    -DTILE_NAME=tensor_tiles_$(1) -MMD -MP -c -o $$@ $$<
LIB_OBJ += $(BUILD)/src/exec/tensor/tile.$(1).o
endef
$(foreach isa,$(TILE_BUILDS),$(eval $(call tile_rule,$(isa))))

# isa_select.c knows the builds there are, and is compiled again when the set changes.
$(BUILD)/src/exec/isa_select.o: ALL_CFLAGS += -DFAST_X86=$(if $(FAST_X86),1,0) -DTILE_HAS_avx2=$(if $(filter avx2,$(TILE_BUILDS)),1,0) \
    $(foreach b,portable_32 portable_64 avx2_32 avx2_64 avx512_32,-DFAST_HAS_$b=$(if $(filter $b,$(FAST_BUILDS)),1,0))
$(BUILD)/src/exec/isa_select.o: $(BUILD)/src/exec/fast-builds
$(BUILD)/src/exec/fast-builds: FORCE
	@mkdir -p $(@D)
	@echo '$(FAST_BUILDS)' | cmp -s - $@ || echo '$(FAST_BUILDS)' > $@

# Loops over rows of cells become vectors at -O3 only (base/clones.h).
ifeq ($(MODE),release)
$(BUILD)/src/exec/race_access.o: ALL_CFLAGS += -O3
endif
