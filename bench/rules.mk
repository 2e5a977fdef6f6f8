# `make bench-codegen`: our code beside ptxas's, into docs/results/codegen.md. Needs ptxas (CUDA toolkit).

.PHONY: bench-codegen
bench-codegen: $(BUILD)/bench/codegen
	@PATH="$$PATH:/usr/local/cuda/bin" command -v ptxas >/dev/null || { echo "make bench-codegen needs ptxas of the CUDA toolkit" >&2; exit 1; }
	@mkdir -p docs
	@$(BUILD)/bench/codegen kernels/ptx/nvcc/*.ptx > docs/results/codegen.md.new && mv docs/results/codegen.md.new docs/results/codegen.md
	@sed -n '/^| | static/,$$p' docs/results/codegen.md

$(BUILD)/bench/codegen: $(BUILD)/bench/codegen.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# `make bench-compile`: PTX lines compiled a second, of every bundled and measured kernel.
.PHONY: bench-compile
bench-compile: $(BUILD)/bench/compile
	@$(BUILD)/bench/compile kernels/ptx/*/*.ptx silicon/ptx/*.packed

$(BUILD)/bench/compile: $(BUILD)/bench/compile.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# `make bench-techs TECHS="uv dac" OPTIONS="--gpu gtx1080ti"`: what mechanisms save and gain (docs/explanation/techniques/).
TECHS ?= uv dac darsie
.PHONY: bench-techs
bench-techs: $(BUILD)/bench/techs
	@$(BUILD)/bench/techs $(OPTIONS) $(TECHS)

$(BUILD)/bench/techs: $(BUILD)/bench/techs.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# `make bench-cost TECHS="uv dac"`: what mechanisms cost whoever simulates them. Needs valgrind.
.PHONY: bench-cost
bench-cost: $(BUILD)/warpfold
	@command -v valgrind >/dev/null || { echo "make bench-cost needs valgrind" >&2; exit 1; }
	@bench/cost.sh $(BUILD)/warpfold $(TECHS)

# `make bench-tensor`: matrix products a second on one thread, by type and card.
.PHONY: bench-tensor
bench-tensor: $(BUILD)/bench/tensor
	@$(BUILD)/bench/tensor

$(BUILD)/bench/tensor: $(BUILD)/bench/tensor.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# `make bench-silicon`: what measures silicon's points on the card that is here (bench/silicon/README.md). Needs nvcc; where there is
# no card, ARCH says for which to compile.
CUDA ?= /usr/local/cuda
ARCH ?= native
# The driver's library to link: the toolkit's, which is for linking alone, else the driver's own. CUDA_DRIVER=FILE names another one.
CUDA_DRIVER ?= $(firstword $(wildcard $(patsubst %,$(CUDA)/%/stubs/libcuda.so,lib64 lib targets/x86_64-linux/lib)) \
  $(wildcard $(patsubst %,%/libcuda.so.1,/usr/local/nvidia/lib64 /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib/wsl/lib)) libcuda.so)
CUDA_LDFLAGS = -L$(dir $(CUDA_DRIVER)) -L$(CUDA)/lib64
SILICON_CUBINS := $(patsubst %.cu,$(BUILD)/bench/silicon/%.cubin,clock.cu $(notdir $(wildcard silicon/kernels/*.cu silicon/micro/*.cu)))
SILICON_HOST := $(addprefix $(BUILD)/bench/silicon/,main.o cuda.o play.o measure.o once.o)
.PHONY: bench-silicon
bench-silicon: $(BUILD)/bench/silicon/silicon $(SILICON_CUBINS)
	@echo "build/bench/silicon/silicon build/bench/silicon > measured.csv    measures the card that is here"

# Of the library the reader of scripts, data and points: built in seconds where the card is.
SILICON_LIB := $(patsubst src/%.c,$(BUILD)/src/%.o,$(wildcard src/base/*.c) \
  $(addprefix src/cli/,script_text.c shape.c spec.c) $(addprefix src/silicon/,files.c measurement.c point.c point_clocks.c))
$(BUILD)/bench/silicon/silicon: $(SILICON_HOST) $(SILICON_LIB)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(CUDA_LDFLAGS) -l:$(notdir $(CUDA_DRIVER)) $(LDLIBS)
$(BUILD)/bench/silicon/%.o: ALL_CFLAGS += -I.
$(BUILD)/bench/silicon/cuda.o: ALL_CFLAGS += -isystem $(CUDA)/include
$(BUILD)/bench/silicon/%.cubin: silicon/kernels/%.cu
	@mkdir -p $(@D)
	$(Q)CPATH=kernels PATH="$$PATH:$(CUDA)/bin" nvcc -arch=$(ARCH) -cubin -O3 -o $@ $<
$(BUILD)/bench/silicon/%.cubin: silicon/micro/%.cu
	@mkdir -p $(@D)
	$(Q)CPATH=kernels PATH="$$PATH:$(CUDA)/bin" nvcc -arch=$(ARCH) -cubin -O3 -o $@ $<
$(BUILD)/bench/silicon/clock.cubin: bench/silicon/clock.cu
	@mkdir -p $(@D)
	$(Q)PATH="$$PATH:$(CUDA)/bin" nvcc -arch=$(ARCH) -cubin -O3 -o $@ $<

# `make bench-silicon-card`: the programs of bench/silicon/card, each for the code of one card (wgmma and TMA need sm_90a).
CARD_ARCH ?= $(if $(filter native,$(ARCH)),sm_90a,$(ARCH))
CARD_PROGRAMS := $(patsubst bench/silicon/%.cu,$(BUILD)/bench/silicon/%,$(wildcard bench/silicon/card/*.cu))
.PHONY: bench-silicon-card
bench-silicon-card: $(CARD_PROGRAMS)
$(BUILD)/bench/silicon/card/%: bench/silicon/card/%.cu $(wildcard bench/silicon/card/*.cuh)
	@mkdir -p $(@D)
	$(Q)PATH="$$PATH:$(CUDA)/bin" nvcc -std=c++17 -O3 -gencode arch=$(CARD_ARCH:sm_%=compute_%),code=$(CARD_ARCH) -o $@ $< \
	  $(CUDA_LDFLAGS) -Xlinker -l:$(notdir $(CUDA_DRIVER))

# Without a card: a test plays scripts on a stand-in.
TEST_LIB_OBJ += $(addprefix $(BUILD)/bench/silicon/,play.o measure.o once.o)
$(BUILD)/tests/bench/test_silicon.o: ALL_CFLAGS += -I.

# `make bench-threads`: launches with 1, 2, 4 and 8 host threads, and the most that threads can gain.
.PHONY: bench-threads
bench-threads: $(BUILD)/warpfold $(BUILD)/bench/pieces
	@bench/threads.sh $(BUILD)/warpfold $(BUILD)/bench/pieces $(ROUNDS)

$(BUILD)/bench/pieces: $(BUILD)/src/cli/main.o $(BUILD)/bench/pieces.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,--wrap=workers_create,--wrap=workers_run -o $@ $^ $(LDLIBS)

# `make bench-peer GPGPUSIM=DIR`: host times of an installed GPGPU-Sim beside warpfold's, six kernels of the same PTX (bench/peer).
.PHONY: bench-peer
bench-peer: $(BUILD)/warpfold
	@test -n "$(GPGPUSIM)" || { echo "make bench-peer GPGPUSIM=DIR: the folder of a built GPGPU-Sim" >&2; exit 1; }
	@CC="$(CC)" bench/peer $(BUILD)/warpfold "$(GPGPUSIM)" $(ROUNDS)
