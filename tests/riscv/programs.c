#include "riscv/programs.h"
#include "harness/files.h"

#include <stdlib.h>
#include <string.h>

unsigned programs_each(struct test *t, void (*visit)(struct test *t, const char *elf, void *context),
                       void *context)
{
    unsigned count = 0;
    char *text = test_read_file(t, "kernels/riscv/programs.txt", NULL), *line;
    for (char *rest = text; (line = strsep(&rest, "\n"));) {
        const char *elf = strsep(&line, " ");
        if (!elf[0] || elf[0] == '#') continue;
        visit(t, elf, context);
        count++;
    }
    free(text);
    return count;
}
