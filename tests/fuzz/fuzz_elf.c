// libFuzzer target: any bytes as an ELF file, with its symbols and source lines. A refused file gives an
// error. An accepted file makes a sound program, fit for printing, marks and constants of a launch.
#include "isa/program.h"
#include "mark/mark.h"
#include "riscv/build.h"
#include "riscv/closure.h"
#include "riscv/elf.h"

#include <stdlib.h>

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void analyse(const struct program *p)
{
    struct mark_rules rules;
    mark_rules_default(&rules);
    rules.hart = true;
    struct riscv_closure *c = riscv_closure_find(p);
    struct program *q = riscv_closure_program(c, NULL);
    require(!program_check(q));
    marks_free(marks_compute(q, &rules));
    program_free(q);
    riscv_closure_free(c);
}

static void build(const struct image *i, uint64_t entry, struct diag *d)
{
    struct strbuf text = {0};
    struct program *p = riscv_program(i, entry, d);
    require(p && !program_check(p));
    program_print(p, &text);
    if (p->inst_count < 512) analyse(p); // larger programs take too long
    program_free(p);
    strbuf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d;
    diag_init(&d);
    struct image *i = elf_load(data, size, diag_add_source(&d, "fuzz.elf", "", 0), &d);
    require(i ? d.errors == 0 : d.errors > 0);
    if (i) {
        build(i, i->entry, &d);
        for (uint32_t k = i->symbol_count; k-- > 0;) // the last function, too
            if (i->symbols[k].is_code) {
                build(i, i->symbols[k].address, &d);
                break;
            }
        image_free(i);
    }
    diag_fini(&d);
    return 0;
}
