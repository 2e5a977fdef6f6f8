# PTX of the bundled kernels. `make kernels` makes it anew with whichever of nvcc and clang is installed;
# `make check-kernels` does so aside and compares, for the compilers whose version the tree's PTX names.
# Other rooms with kernels hang theirs on both (silicon/rules.mk).

KERNEL_NAMES := $(basename $(wildcard kernels/*.cu))
PTX_COMPILERS := $(if $(shell command -v nvcc),nvcc) \
    $(if $(shell command -v clang-14 || command -v clang || command -v clang-19),clang)

# $(call make-kernels,COMPILER,FOLDER/NAME...,FOLDER OF THE PTX) and check-kernels, which compares: shell commands.
make-kernels = mkdir -p $(3); for k in $(2); do kernels/make-ptx $(1) $$k $(3)/$${k\#\#*/}.ptx || exit 1; done; \
    echo "$(3): $(words $(2)) files"
check-kernels = bad=0; for k in $(2); do \
    kernels/check-ptx $(1) $$k $(3)/$${k\#\#*/}.ptx $(BUILD)/$(3) || bad=1; done; exit $$bad

.PHONY: kernels check-kernels $(PTX_COMPILERS:%=kernels-%) $(PTX_COMPILERS:%=check-kernels-%)
kernels: $(PTX_COMPILERS:%=kernels-%)
	@test -n "$^" || { echo "make kernels needs nvcc or clang: apt-get install clang" >&2; exit 1; }
check-kernels: $(PTX_COMPILERS:%=check-kernels-%)

$(PTX_COMPILERS:%=kernels-%): kernels-%:
	@$(call make-kernels,$*,$(KERNEL_NAMES),kernels/ptx/$*)
$(PTX_COMPILERS:%=check-kernels-%): check-kernels-%:
	@$(call check-kernels,$*,$(KERNEL_NAMES),kernels/ptx/$*)

# Kernels of tensor cores: their PTX by nvcc, for the first architecture with their instructions.
.PHONY: kernels-tensor
kernels-tensor:
	@mkdir -p kernels/tensor/ptx
	@for k in $(filter-out sgemm_ffma,$(basename $(notdir $(wildcard kernels/tensor/*.cu)))); do \
	    arch=sm_80; [ $$k != fp8_gemm ] || arch=sm_89; \
	    nvcc -arch=$$arch -ptx -O3 -o kernels/tensor/ptx/$$k.ptx kernels/tensor/$$k.cu || exit 1; done

# Kernels of sm_90a with PTX in the tree (tests/api/test_hopper_kernels.c, test_cluster_kernels.c).
.PHONY: kernels-hopper
kernels-hopper:
	@mkdir -p kernels/hopper/ptx
	@for k in gemmSimple clusterSum clusterSoftmax clusterHistogram gemmPersistent; do nvcc -arch=sm_90a -ptx -O3 -o kernels/hopper/ptx/$$k.ptx kernels/hopper/$$k.cu || exit 1; done

# Kernels of the libraries that stand in for NVIDIA's (src/cumath): their PTX by nvcc, embedded there.
LIBRARY_KERNELS := $(basename $(wildcard kernels/libraries/*.cu))
.PHONY: kernels-libraries check-kernels-libraries
kernels-libraries:
	@$(call make-kernels,nvcc,$(LIBRARY_KERNELS),kernels/libraries/ptx)
check-kernels-libraries:
	@$(call check-kernels,nvcc,$(LIBRARY_KERNELS),kernels/libraries/ptx)
$(if $(filter nvcc,$(PTX_COMPILERS)),check-kernels: check-kernels-libraries)

# malloc and free of device code are embedded where modules are loaded (src/api/heap.c).
$(BUILD)/src/api/heap.o: kernels/libraries/ptx/heap.ptx

# The PTX is embedded where the table of workloads is (src/workload/workload.c).
$(BUILD)/src/workload/workload.o: $(wildcard kernels/ptx/*/*.ptx kernels/*.cu kernels/tensor/ptx/*.ptx kernels/tensor/*.cu)

# Programs for RISC-V: `make kernels-riscv` makes the ELFs anew with gcc 12 and clang 19, `make check-kernels-riscv` does so aside and
# compares, where those versions are installed (tests/riscv/test_programs.c does, too).
.PHONY: kernels-riscv check-kernels-riscv
kernels-riscv:
	@kernels/riscv/make-elfs kernels/riscv/elf
check-kernels-riscv:
	@kernels/riscv/check-elfs $(BUILD)/riscv
check-kernels: check-kernels-riscv
