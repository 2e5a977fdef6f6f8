# PTX of the kernels measured on cards, and of our micro-kernels, by nvcc alone. The tree keeps the PTX packed (tools/packed.c); without
# nvcc the tree's PTX is used.

SILICON_NAMES := $(basename $(wildcard silicon/kernels/*.cu silicon/micro/*.cu))

ifneq ($(filter nvcc,$(PTX_COMPILERS)),)
.PHONY: kernels-silicon check-kernels-silicon
kernels: kernels-silicon
check-kernels: check-kernels-silicon

SILICON_MADE := $(BUILD)/silicon/made
kernels-silicon: $(BUILD)/tools/packed
	@rm -rf $(SILICON_MADE)
	@$(call make-kernels,nvcc,$(SILICON_NAMES),$(SILICON_MADE))
	@$< pack silicon/ptx $(SILICON_MADE)/*.ptx

SILICON_KEPT := $(BUILD)/silicon/kept
check-kernels-silicon: $(BUILD)/tools/packed
	@mkdir -p $(SILICON_KEPT)
	@$< unpack $(SILICON_KEPT) silicon/ptx/*.ptx.packed
	@$(call check-kernels,nvcc,$(SILICON_NAMES),$(SILICON_KEPT))
endif
