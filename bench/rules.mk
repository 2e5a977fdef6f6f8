# `make bench-codegen`: our code beside ptxas's, into docs/codegen.md. Needs ptxas (CUDA toolkit).

.PHONY: bench-codegen
bench-codegen: $(BUILD)/bench/codegen
	@PATH="$$PATH:/usr/local/cuda/bin" command -v ptxas >/dev/null || { echo "make bench-codegen needs ptxas of the CUDA toolkit" >&2; exit 1; }
	@mkdir -p docs
	@$(BUILD)/bench/codegen kernels/ptx/nvcc/*.ptx > docs/codegen.md.new && mv docs/codegen.md.new docs/codegen.md
	@sed -n '/^| | static/,$$p' docs/codegen.md

$(BUILD)/bench/codegen: $(BUILD)/bench/codegen.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# `make bench-techs TECHS="uv dac" OPTIONS="--gpu gtx1080ti"`: what mechanisms save and gain (docs/techniques/).
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
