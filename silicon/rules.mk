# PTX of the kernels that were measured on cards, and of our micro-kernels, by nvcc alone: where there is none, the tree's is used as it is.

SILICON_NAMES := $(basename $(wildcard silicon/kernels/*.cu silicon/micro/*.cu))

ifneq ($(filter nvcc,$(PTX_COMPILERS)),)
.PHONY: kernels-silicon check-kernels-silicon
kernels: kernels-silicon
check-kernels: check-kernels-silicon

kernels-silicon:
	@$(call make-kernels,nvcc,$(SILICON_NAMES),silicon/ptx)
check-kernels-silicon:
	@$(call check-kernels,nvcc,$(SILICON_NAMES),silicon/ptx)
endif
