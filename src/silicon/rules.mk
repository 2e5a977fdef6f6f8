# Of silicon/ everything that a point needs to run: a row a file, written anew when a file comes or goes. The first line names the
# table without the build folder, which sanitizers' records of variables would contain.
SILICON_FILES := $(sort $(wildcard silicon/points.csv silicon/clocks.csv silicon/variants.csv silicon/points/*.wf silicon/ptx/*.ptx.packed))
SILICON_TABLE := $(BUILD)/generated/silicon/files.def
$(SILICON_TABLE): FORCE
	@mkdir -p $(@D)
	@{ echo '#line 2 "silicon/files.def"'; for f in $(SILICON_FILES:silicon/%=%); do \
	    echo "FILE_OF(\"$$f\", $$(echo $$f | tr -c '[:alnum:]\n' _))"; done; } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/src/silicon/files.o: ALL_CFLAGS += -I$(BUILD)/generated
$(BUILD)/src/silicon/files.o: $(SILICON_TABLE) $(SILICON_FILES)
