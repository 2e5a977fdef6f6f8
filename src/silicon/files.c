// Embedded files of silicon/ used by points: the Makefile writes files.def.
#include "silicon/point.h"

// clang-format off
#define FILE_OF(name, number)                                                                                \
    __asm__(".pushsection .rodata\n.global silicon_file_" #number "\nsilicon_file_" #number                  \
            ":\n.incbin \"silicon/" name "\"\n.byte 0\n.popsection\n");                                      \
    extern const char silicon_file_##number[];
// clang-format on
#include "silicon/files.def"
#undef FILE_OF

static const struct {
    const char *name, *text;
} files[] = {
#define FILE_OF(name, number) {name, silicon_file_##number},
#include "silicon/files.def"
#undef FILE_OF
    {NULL, NULL}};

const char *silicon_file(const char *name)
{
    for (size_t i = 0; files[i].name; i++)
        if (str_equal(files[i].name, name)) return files[i].text;
    return NULL;
}
