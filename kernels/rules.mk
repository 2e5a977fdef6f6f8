# PTX of the bundled kernels. `make kernels` makes it anew with whichever of nvcc and clang is installed;
# `make check-kernels` does so aside and compares, for the compilers whose version the tree's PTX names.

KERNEL_NAMES := $(basename $(notdir $(wildcard kernels/*.cu)))
PTX_COMPILERS := $(if $(shell command -v nvcc),nvcc) \
    $(if $(shell command -v clang-14 || command -v clang || command -v clang-19),clang)

.PHONY: kernels check-kernels
kernels:
	@test -n "$(PTX_COMPILERS)" || { echo "make kernels needs nvcc or clang: apt-get install clang" >&2; exit 1; }
	@for c in $(PTX_COMPILERS); do \
	    mkdir -p kernels/ptx/$$c; \
	    for k in $(KERNEL_NAMES); do kernels/make-ptx $$c $$k kernels/ptx/$$c/$$k.ptx || exit 1; done; \
	    echo "kernels/ptx/$$c: $(words $(KERNEL_NAMES)) files"; \
	done

check-kernels:
	@mkdir -p $(BUILD)/ptx; bad=0; \
	for c in $(PTX_COMPILERS); do for k in $(KERNEL_NAMES); do \
	    new=$(BUILD)/ptx/$$c-$$k.ptx; old=kernels/ptx/$$c/$$k.ptx; \
	    kernels/make-ptx $$c $$k $$new || exit 1; \
	    if [ "$$(sed -n 2p $$new)" != "$$(sed -n 2p $$old)" ]; then \
	        echo "skipped $$old: made by $$(sed -n '2s/.*: //p' $$old), here is $$(sed -n '2s/.*: //p' $$new)"; \
	    elif ! cmp -s $$new $$old; then echo "$$old is out of date: run make kernels"; bad=1; fi; \
	done; done; exit $$bad

# The PTX is embedded where the table of workloads is (src/workload/workload.c).
$(BUILD)/src/workload/workload.o: $(wildcard kernels/ptx/*/*.ptx kernels/*.cu)
