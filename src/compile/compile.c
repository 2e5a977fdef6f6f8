// The compiler: translates a kernel of a checked module, with every reachable function, into a program.
//
//   ptx_function ─ lower_kernel ─▶ ir_unit ─ passes_run ─▶ legal ir_unit ─ backend_compile ─▶ program
#include "compile/compile.h"
#include "compile/backend.h"
#include "compile/lower/lower.h"
#include "compile/pass/passes.h"
#include "isa/program.h"

static const char *verify_unit(struct ir_unit *u)
{
    const char *wrong = NULL;
    for (size_t k = 0; k < u->functions.count && !wrong; k++) wrong = ir_verify(u->functions.data[k]);
    return wrong;
}

struct program *compile_kernel(const struct ptx_module *m, const struct ptx_function *kernel,
                               const struct compile_options *o, struct diag *d)
{
    struct ir_unit *u = lower_kernel(m, kernel, o, d);
    if (!u) return NULL;
    struct program *program = NULL;
    const char *wrong = o->check ? verify_unit(u) : NULL;
    if (!wrong) wrong = passes_run(u);
    if (!wrong) wrong = backend_compile(u);
    if (wrong) {
        diag_error(d, kernel->loc, "a fault of the compiler, not of the program: kernel '%s': %s",
                   kernel->name, wrong);
    } else {
        program = u->program;
        u->program = NULL;
    }
    ir_unit_destroy(u);
    return program;
}
