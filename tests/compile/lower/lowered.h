// PTX text lowered for a test: the module, its diagnostics, and the unit of one kernel.
#pragma once
#include "compile/ir/options.h"
#include "compile/lower/lower.h"

struct lowered {
    struct diag diag;
    struct ptx_module *module;
    struct compile_options options;
    struct ir_unit *unit; // NULL: refused, or no kernel of the name; see the diagnostics
};

// `kernel` NULL: the first. The text may lack the header lines (.version …).
void lowered_open(struct lowered *l, const char *ptx, const char *kernel, unsigned optimise);
void lowered_open_file(struct lowered *l, const char *path, const char *kernel, unsigned optimise);
// Opens a further kernel of the same module.
void lowered_kernel(struct lowered *l, const struct ptx_function *kernel);
void lowered_close(struct lowered *l);
// Returns the first fault found by ir_verify in any function, NULL when sound.
const char *lowered_fault(const struct lowered *l);
void lowered_messages(const struct lowered *l, struct strbuf *out);
// Every kernel of the module with its functions, as text.
void lowered_print_all(struct lowered *l, struct strbuf *out);
