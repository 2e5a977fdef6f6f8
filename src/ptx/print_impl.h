// Shared by print.c (declarations, bodies) and print_inst.c (instructions).
#pragma once
#include "ptx/check.h"
#include "ptx/ptx.h"

struct printer {
    const struct ptx_module *m;
    struct strbuf *out;
    struct arena scratch;
    struct signature_index *signatures;
    struct strmap module_names;
    struct strmap inlined; // names of inlined functions, in the order of first use

    // The function being printed. A typed module has no blocks, so equal names of two blocks are numbered
    // apart.
    const struct ptx_function *f;
    struct strmap names;
    const char **regs, **labels, **tables;
    struct u64map variables; // address of a local variable to its index in f->variables
    const char **locals;
};

const char *print_variable_name(const struct printer *p, const struct ptx_variable *v);
void print_parameters(const struct printer *p, struct ptx_variable **list, uint32_t count, bool named);
void print_instruction(const struct printer *p, uint32_t index);
