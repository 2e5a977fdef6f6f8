# The page of `warpfold reproduce`: web/README.md.
.PHONY: web check-web
web/node_modules: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

web: web/node_modules
	cd web && npx vite build

check-web: all web/node_modules
	cd web && npx vite build --outDir ../$(BUILD)/web --emptyOutDir
	@cmp web/dist/report.html $(BUILD)/web/report.html || { echo "web/dist/report.html is out of date: make web"; exit 1; }
	@rm -rf $(BUILD)/web/out && $(BUILD)/warpfold reproduce darsie --size small --quiet --out $(BUILD)/web/out
	@rm -rf $(BUILD)/web/sweep && $(BUILD)/warpfold reproduce web/test/sweep.exp --size small --quiet --out $(BUILD)/web/sweep
	cd web && node test/palette.mjs
	cd web && node test/report.mjs ../$(BUILD)/web/sweep/report.html
	cd web && node test/report.mjs ../$(BUILD)/web/out/report.html
	@rm -rf $(BUILD)/web/silicon && $(BUILD)/warpfold reproduce tests/silicon/list/points.csv --measurements tests/silicon/list/measurements --quiet --out $(BUILD)/web/silicon
	cd web && node test/silicon.mjs ../$(BUILD)/web/silicon/report.html
	@rm -rf $(BUILD)/web/clocks && $(BUILD)/warpfold reproduce tests/silicon/list/clocks.csv:clocks tests/silicon/list/variants.csv:variants,tuning --measurements tests/silicon/list/measurements --quiet --out $(BUILD)/web/clocks
	cd web && node test/silicon.mjs ../$(BUILD)/web/clocks/report.html

# What makes, shows and checks packed files (tools/packed.c).
$(BUILD)/tools/packed: $(BUILD)/tools/packed.o $(BUILD)/libwarpfold.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# docs/report.png, of what `make reproduction` has measured.
.PHONY: picture
picture: web/node_modules
	cd web && node picture.mjs ../$(BUILD)/reproduction/report.html ../docs/report.png

# One entry a file of the library and of the tests; fast forms as their AVX2 build.
compile_commands.json: FORCE
	@{ echo '['; \
	$(foreach f,$(LIB_SRC) src/cli/main.c $(TEST_SRC) $(TEST_LIB_SRC),printf '  {"directory": "%s", "file": "%s", "command": "%s"},\n' \
	    '$(CURDIR)' $(f) '$(CC) $(subst $(PATHS_CFLAGS),,$(ALL_CFLAGS)) -Itests $(if $(filter src/exec/fast/%,$(f)),$(FAST_CFLAGS) $(FAST_BITS_avx2) -DFAST_LANES=32 -DFAST_NAME=avx2_32) -c $(f)';) \
	} | sed '$$s/},$$/}/' > $@; echo ']' >> $@
.PHONY: FORCE
FORCE:

# Rules of an H100's values beside the rows kept of it (silicon/h100/values): needs python3.
.PHONY: check-card-values
check-card-values:
	@mkdir -p $(BUILD)/tools
	$(Q)$(CC) -std=c17 -O2 -ffp-contract=off $(WARNINGS) -o $(BUILD)/tools/mufu_check tools/card-model/mufu_check.c -lm
	@$(BUILD)/tools/mufu_check silicon/h100/values/mufu.csv silicon/h100/values/functions.csv
	@$(BUILD)/tools/mufu_check silicon/h100/values/mufu.csv | cmp - silicon/h100/values/mufu-sweeps.csv
	@PYTHONDONTWRITEBYTECODE=1 python3 tools/card-model/check_rows.py silicon/h100/values/products.csv
