// libFuzzer target: any parsed PTX must compile, or be refused by a located error, and never by a fault of
// the compiler. Inputs are fuzz_ptx's, and more compilable code: tests/compile/lower.
#include "compile/compile.h"
#include "fuzz/lines.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

enum { INSTS_MAX = 3000 }; // longer inputs only cost time

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return lines_mutate(data, size, max_size, seed);
}

static void compile(const struct ptx_module *m, const struct ptx_function *kernel, unsigned optimise,
                    struct diag *d)
{
    struct compile_options o;
    compile_options_default(&o);
    o.optimise = optimise;
    o.check = true;
    diag_clear(d);
    struct program *p = compile_kernel(m, kernel, &o, d);
    if (p) {
        program_free(p);
        return;
    }
    if (!d->errors) abort();
    for (size_t k = 0; k < d->messages.count; k++)
        if (strstr(d->messages.data[k].text, "a fault of the compiler")) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d;
    diag_init(&d);
    uint32_t source = diag_add_source(&d, "fuzz.ptx", (const char *)data, size);
    struct ptx_module *m = ptx_parse((const char *)data, size, source, &d);
    uint32_t insts = 0;
    for (uint32_t f = 0; m && f < m->function_count; f++) insts += m->functions[f]->inst_count;
    for (uint32_t f = 0; m && insts <= INSTS_MAX && f < m->function_count; f++) {
        if (!m->functions[f]->is_entry || !m->functions[f]->has_body) continue;
        compile(m, m->functions[f], 1, &d);
        compile(m, m->functions[f], 0, &d);
    }
    ptx_module_free(m);
    diag_fini(&d);
    return 0;
}
