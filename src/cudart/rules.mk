# The drop-in CUDA runtimes: libcudart.so.13 and libcudart.so.11.0 over the library's objects. Only CUDA's names leave them, with
# the versions that nvcc's programs ask for (src/cudart/runtime.def).
CUDART_LIBS := $(BUILD)/libwarpfold-cudart.so.13 $(BUILD)/libwarpfold-cudart.so.11.0
CUDART_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(filter src/cudart/%.c,$(LIB_SRC)))

# $(call cudart_version,VERSION,LIBRARIES): the version script of libcudart.so.VERSION, names of BOTH and of LIBRARIES.
cudart_version = { echo 'libcudart.so.$(1) {'; echo '  global:'; awk -F'[(,] *' '\
    /^(PRESENT|ABSENT)\(/ { n = $$2; l = $$NF; sub(/\).*/, "", l) } \
    /^TWIN\(/ { n = $$2 $$3; l = $$4 } \
    /^(PRESENT|ABSENT|TWIN)\(/ && (l == "BOTH" || l == "$(2)") { print "    " n ";" }' src/cudart/runtime.def; \
    echo '  local: *;'; echo '};'; }

$(BUILD)/src/cudart/generation_11.o: src/cudart/generation.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -DCUDART_GENERATION=11 -MMD -MP -c -o $@ $<

$(BUILD)/src/cudart/cudart.13.map $(BUILD)/src/cudart/cudart.11.0.map: $(BUILD)/src/cudart/cudart.%.map: src/cudart/runtime.def src/cudart/rules.mk
	@mkdir -p $(@D)
	@$(call cudart_version,$*,$(if $(filter 13,$*),CUDA13,CUDA11)) > $@

# A program finds its runtime in $(BUILD)/cudart by the name that it was linked with.
$(BUILD)/libwarpfold-cudart.so.13: $(CUDART_OBJ)
$(BUILD)/libwarpfold-cudart.so.11.0: $(CUDART_OBJ:%/generation.o=%/generation_11.o) $(BUILD)/src/cudart/generation_11.o
$(CUDART_LIBS): $(BUILD)/libwarpfold-cudart.so.%: $(BUILD)/src/cudart/cudart.%.map $(BUILD)/libwarpfold.a
	$(call say,linking $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,libcudart.so.$* -Wl,--version-script,$< -Wl,-z,defs -Wl,--gc-sections -o $@ \
	    $(filter %.o,$^) $(BUILD)/libwarpfold.a $(LDLIBS) -ldl
	@mkdir -p $(BUILD)/cudart
	@ln -sf ../$(@F) $(BUILD)/cudart/libcudart.so.$*
# Sanitizers have their own memory where device memory lies.
all: $(if $(filter release debug,$(MODE)),$(CUDART_LIBS))
