# The GPUs are embedded where their table is.
$(BUILD)/src/gpu/gpus.o: $(wildcard gpus/*.gpu)
