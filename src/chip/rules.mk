# The GPUs are embedded where their table is.
$(BUILD)/src/chip/gpus.o: $(wildcard gpus/*.gpu)
