# The timing model of an SM is a long straight path of small steps: -O3 takes 2 % of its host instructions.
ifeq ($(MODE),release)
$(BUILD)/src/sm/%.o: ALL_CFLAGS += -O3
endif
