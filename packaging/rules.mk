# What `make install` puts where, the libraries for other programs, and Debian's package.
#
#   make install         program, libraries, header, manual page, completions, Python module, documents and kernels to PREFIX
#   make uninstall       removes them (the same PREFIX and DESTDIR)
#   make deb             build/warpfold_VERSION_ARCH.deb, for apt-get install ./FILE

PREFIX  ?= /usr/local
VERSION := $(shell sed -n 's/^.define WF_VERSION "\(.*\)"/\1/p' src/api/warpfold.h)
SONAME  := libwarpfold.so.$(firstword $(subst ., ,$(VERSION)))
# Where this machine's python3 looks for modules under PREFIX.
PYTHON_VERSION := $(shell python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
ifeq ($(PREFIX),/usr)
PYTHON_FOLDER ?= $(PREFIX)/lib/python3/dist-packages
else ifeq ($(PREFIX)$(wildcard /etc/debian_version),/usr/local/etc/debian_version)
PYTHON_FOLDER ?= $(PREFIX)/lib/python$(or $(PYTHON_VERSION),3)/dist-packages
else
PYTHON_FOLDER ?= $(PREFIX)/lib/python$(or $(PYTHON_VERSION),3)/site-packages
endif

# The layers under the public header (ARCHITECTURE.md, invariants). Names of other objects stay in the program.
API_FOLDERS := base scalar isa flow check ptx riscv compile mark exec memory watch decouple simtight sm chip tech study energy sample api
API_OBJ     := $(filter $(API_FOLDERS:%=$(BUILD)/src/%/%),$(LIB_OBJ))

.PHONY: libraries
libraries: $(BUILD)/lib/libwarpfold.a $(BUILD)/lib/$(SONAME)

$(BUILD)/lib/$(SONAME): $(API_OBJ) packaging/exports.map
	@mkdir -p $(@D)
	$(call say,linking $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script,packaging/exports.map -Wl,--no-undefined -o $@ \
	    $(API_OBJ) -lm

# A single object whose only global names are those of the public header.
$(BUILD)/lib/libwarpfold.a: $(API_OBJ)
	@mkdir -p $(@D)
	$(call say,linking $@)
	$(Q)ld -r --force-group-allocation -o $(@D)/warpfold.o $^
	$(Q)objcopy --wildcard --keep-global-symbol='wf_*' --strip-debug $(@D)/warpfold.o
	@rm -f $@
	$(Q)ar rcsD $@ $(@D)/warpfold.o

TO      := $(DESTDIR)$(PREFIX)
SHARED  := share/warpfold
PLACES  := bin/warpfold include/warpfold.h include/warpfold lib/libwarpfold.a lib/libwarpfold.so lib/$(SONAME) lib/warpfold lib/pkgconfig/warpfold.pc \
    share/man/man1/warpfold.1 share/bash-completion/completions/warpfold share/zsh/site-functions/_warpfold \
    share/fish/vendor_completions.d/warpfold.fish $(SHARED) share/doc/warpfold

# $(call copy_tree,FOLDER,PLACE,FIND'S CONDITIONS): copies files that git knows, with their folders.
define copy_tree
	$(Q)cd $(1) && find . -type f $(3) | while IFS= read -r f; do install -D -m 644 "$$f" '$(2)'/"$$f" || exit 1; done
endef

.PHONY: install uninstall deb
install: all libraries
	$(Q)install -D -s $(BUILD)/warpfold $(TO)/bin/warpfold
	$(Q)install -D -m 644 src/api/warpfold.h $(TO)/include/warpfold.h
	$(call copy_tree,kernels/include/warpfold,$(TO)/include/warpfold,-name '*.h')
	$(Q)install -D -m 644 $(BUILD)/lib/libwarpfold.a $(TO)/lib/libwarpfold.a
	$(Q)install -D -s -m 644 $(BUILD)/lib/$(SONAME) $(TO)/lib/$(SONAME)
	$(Q)ln -sf $(SONAME) $(TO)/lib/libwarpfold.so
	$(Q)for v in 13 11.0; do install -D -s -m 644 $(BUILD)/libwarpfold-cudart.so.$$v $(TO)/lib/warpfold/libcudart.so.$$v || exit 1; done
	$(Q)install -s -m 644 $(STAND_INS) $(TO)/lib/warpfold
	$(Q)install -d $(TO)/lib/pkgconfig
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' packaging/warpfold.pc > $(TO)/lib/pkgconfig/warpfold.pc
	$(Q)install -d $(TO)/share/man/man1 $(TO)/share/bash-completion/completions $(TO)/share/zsh/site-functions $(TO)/share/fish/vendor_completions.d
	$(Q)$(BUILD)/warpfold --man > $(TO)/share/man/man1/warpfold.1
	$(Q)$(BUILD)/warpfold --completion > $(TO)/share/bash-completion/completions/warpfold
	$(Q)$(BUILD)/warpfold --completion zsh > $(TO)/share/zsh/site-functions/_warpfold
	$(Q)$(BUILD)/warpfold --completion fish > $(TO)/share/fish/vendor_completions.d/warpfold.fish
	$(call copy_tree,python/warpfold,$(DESTDIR)$(PYTHON_FOLDER)/warpfold,-name '*.py')
	$(call copy_tree,experiments,$(TO)/$(SHARED)/experiments,-name '*.exp' -o -name '*.ptx')
	$(call copy_tree,gpus,$(TO)/$(SHARED)/gpus,-name '*.gpu')
	$(call copy_tree,kernels,$(TO)/$(SHARED)/kernels,'(' -name '*.cu' -o -name '*.h' -o -name '*.ptx' -o -name '*.ptx.packed' ')' -not -path './include/*')
	$(call copy_tree,kernels/include,$(TO)/$(SHARED)/include,)
	$(call copy_tree,docs,$(TO)/share/doc/warpfold,'(' -name '*.md' -o -name '*.png' -o -path './examples/*' ')')
	$(Q)install -m 644 README.md LICENSE CITATION.cff $(TO)/share/doc/warpfold
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi

uninstall:
	$(Q)rm -rf $(PLACES:%=$(TO)/%) $(DESTDIR)$(PYTHON_FOLDER)/warpfold
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi

# The folder that is packed is no part of $(BUILD), where make looks for *.d.
deb: all libraries
	$(Q)folder=$$(mktemp -d) && $(MAKE) --no-print-directory install PREFIX=/usr DESTDIR=$$folder && \
	    packaging/make-deb $$folder $(VERSION) $(BUILD); status=$$?; rm -rf "$$folder"; exit $$status
