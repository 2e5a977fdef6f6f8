# The experiments, the database's schema and the page's template are embedded where they are used.
$(BUILD)/src/lab/experiment.o: $(wildcard experiments/*)
$(BUILD)/src/lab/database.o: src/lab/schema.sql
$(BUILD)/src/lab/page.o: web/dist/report.html

# Of kernels/riscv the programs: a row a file, written anew when a file comes or goes. The first line names the table without the build
# folder, which sanitizers' records of variables would contain.
PROGRAM_FILES := $(sort $(wildcard kernels/riscv/elf/*.elf kernels/riscv/elf/*/*.elf))
PROGRAM_TABLE := $(BUILD)/generated/lab/program_files.def
$(PROGRAM_TABLE): FORCE
	@mkdir -p $(@D)
	@{ echo '#line 2 "lab/program_files.def"'; for f in $(PROGRAM_FILES:kernels/riscv/elf/%=%); do \
	    echo "FILE_OF(\"$$f\", $$(echo $$f | tr -c '[:alnum:]\n' _))"; done; } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/src/lab/program.o: ALL_CFLAGS += -I$(BUILD)/generated
$(BUILD)/src/lab/program.o: $(PROGRAM_TABLE) $(PROGRAM_FILES)
