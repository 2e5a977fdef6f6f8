# The libraries that stand in for NVIDIA's, in $(BUILD)/cudart, where a program finds them by the name that it was linked with:
#
#   libcudart.so.13, .so.11.0   the CUDA runtime over the library's objects; the device, and the functions of the driver API
#   libcuda.so.1                names of the driver API: jumps into the runtime's library (driver/libcuda.c)
#   libcublas.so.13, .12, .11   cuBLAS, and
#   libcurand.so.10             cuRAND's host interface: over the driver API alone
#
# Only CUDA's names leave them, with the versions that nvcc's programs ask for (runtime.def, driver/driver.def, those of cumath/).
CUDART_LIBS := $(BUILD)/libwarpfold-cudart.so.13 $(BUILD)/libwarpfold-cudart.so.11.0
STAND_INS   := $(addprefix $(BUILD)/cudart/,libcuda.so.1 libcublas.so.13 libcublas.so.12 libcublas.so.11 libcurand.so.10)
LIBCUDA_OBJ := $(BUILD)/src/cudart/driver/libcuda.o
# libcuda.c has the names of driver/calls.c once more.
LIB_OBJ     := $(filter-out $(LIBCUDA_OBJ),$(LIB_OBJ))
CUDART_OBJ  := $(filter $(BUILD)/src/cudart/%,$(LIB_OBJ))

# $(call cudart_version,VERSION,LIBRARIES): the version script of libcudart.so.VERSION, names of BOTH and of LIBRARIES.
cudart_version = { echo 'libcudart.so.$(1) {'; echo '  global: warpfold_driver;'; awk -F'[(,] *' '\
    /^(PRESENT|ABSENT)\(/ { n = $$2; l = $$NF; sub(/\).*/, "", l) } \
    /^TWIN\(/ { n = $$2 $$3; l = $$4 } \
    /^(PRESENT|ABSENT|TWIN)\(/ && (l == "BOTH" || l == "$(2)") { print "    " n ";" }' src/cudart/runtime.def; \
    echo '  local: *;'; echo '};'; }

$(BUILD)/src/cudart/generation_11.o: src/cudart/generation.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -DCUDART_GENERATION=11 -MMD -MP -c -o $@ $<

$(BUILD)/src/cudart/cudart.13.map $(BUILD)/src/cudart/cudart.11.0.map: $(BUILD)/src/cudart/cudart.%.map: src/cudart/runtime.def src/cudart/rules.mk
	@mkdir -p $(@D)
	@$(call cudart_version,$*,$(if $(filter 13,$*),CUDA13,CUDA11)) > $@

$(BUILD)/libwarpfold-cudart.so.13: $(CUDART_OBJ)
$(BUILD)/libwarpfold-cudart.so.11.0: $(CUDART_OBJ:%/generation.o=%/generation_11.o) $(BUILD)/src/cudart/generation_11.o
$(CUDART_LIBS): $(BUILD)/libwarpfold-cudart.so.%: $(BUILD)/src/cudart/cudart.%.map $(BUILD)/libwarpfold.a
	$(call say,linking $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,libcudart.so.$* -Wl,--version-script,$< -Wl,-z,defs -Wl,--gc-sections -o $@ \
	    $(filter %.o,$^) $(BUILD)/libwarpfold.a $(LDLIBS) -ldl
	@mkdir -p $(BUILD)/cudart
	@ln -sf ../$(@F) $(BUILD)/cudart/libcudart.so.$*

# The driver's names have no version.
$(BUILD)/cudart/libcuda.so.1: $(LIBCUDA_OBJ)
	@mkdir -p $(@D)
	$(call say,linking $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -Wl,-rpath,'$$ORIGIN' -o $@ $^ -ldl

# cuBLAS and cuRAND: their names, all with the version that the library is called by.
$(BUILD)/cudart/%.map: src/cudart/rules.mk
	@mkdir -p $(@D)
	@echo '$* { global: $(if $(findstring cublas,$*),cublas*,curand*); local: *; };' > $@
$(filter %libcublas.so.13 %libcublas.so.12 %libcublas.so.11,$(STAND_INS)): $(filter $(BUILD)/src/cumath/blas/%,$(LIB_OBJ))
$(BUILD)/cudart/libcurand.so.10: $(filter $(BUILD)/src/cumath/rand/%,$(LIB_OBJ))
$(filter-out %libcuda.so.1,$(STAND_INS)): $(BUILD)/src/cumath/device.o
$(BUILD)/src/cumath/blas/handle.o: kernels/libraries/ptx/cublas.ptx
$(BUILD)/src/cumath/rand/generator.o: kernels/libraries/ptx/curand.ptx
$(filter-out %libcuda.so.1,$(STAND_INS)): %: %.map $(BUILD)/cudart/libcuda.so.1
	$(call say,linking $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script,$< -Wl,-z,defs -Wl,-rpath,'$$ORIGIN' -o $@ \
	    $(filter %.o,$^) $(BUILD)/cudart/libcuda.so.1 -lm

# Sanitizers have their own memory where device memory lies.
CUDA_LIBRARIES := $(if $(filter release debug,$(MODE)),$(CUDART_LIBS) $(STAND_INS))
all: $(CUDA_LIBRARIES)
# `warpfold run -- PROGRAM` takes the libraries beside it: neither is older than the other.
$(BUILD)/warpfold: | $(CUDA_LIBRARIES)
