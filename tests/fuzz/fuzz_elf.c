// libFuzzer target: any bytes as an ELF file. What is refused says why; what is not makes a sound program that prints.
#include "riscv/build.h"
#include "riscv/elf.h"

#include <stdlib.h>

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d;
    struct strbuf text = {0};
    diag_init(&d);
    struct image *i = elf_load(data, size, diag_add_source(&d, "fuzz.elf", "", 0), &d);
    require(i ? d.errors == 0 : d.errors > 0);
    if (i) {
        struct program *p = riscv_program(i, i->entry, &d);
        require(p && !program_check(p));
        program_print(p, &text);
        program_free(p);
        image_free(i);
    }
    strbuf_fini(&text);
    diag_fini(&d);
    return 0;
}
