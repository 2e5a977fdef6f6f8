# Loops over the lanes of a warp by vectors: 6 % of the host instructions with `decoupled`.
ifeq ($(MODE),release)
$(addprefix $(BUILD)/src/tech/,decoupled/%.o cae/%.o scalarise/%.o rfcache/%.o gscalar/%.o wir/%.o r2d2/%.o): ALL_CFLAGS += -O3
endif
