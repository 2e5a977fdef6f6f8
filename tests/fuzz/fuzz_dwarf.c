// libFuzzer target: any bytes as .debug_line, with the last bytes as the string sections. Bad input is no
// error; every word's line must be valid and have an existing file.
#include "riscv/dwarf.h"

#include <stdlib.h>
#include <string.h>

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { STRINGS = 32 };
    struct image i = {.code = 0x08000400, .word_count = 2000};
    size_t strings = size < STRINGS ? size : STRINGS;
    struct dwarf d = {.lines = {data, size},
                      .strings = {data + size - strings, strings},
                      .line_strings = {data + size - strings, strings}};
    arena_init(&i.arena);
    dwarf_read(&i, &d);
    for (uint32_t k = 0; k < i.word_count && i.line_count; k++) require(i.line_of[k] < i.line_count);
    for (uint32_t k = 1; k < i.line_count; k++)
        require(i.lines[k].line && i.lines[k].file < i.file_count && strlen(i.files[i.lines[k].file]) > 0);
    arena_fini(&i.arena);
    return 0;
}
