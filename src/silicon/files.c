// Embedded files of silicon/ used by points: the Makefile writes files.def. PTX is embedded packed, as in the
// tree (base/packed.h).
#include "base/packed.h"
#include "silicon/point.h"

// clang-format off
#define FILE_OF(name, number)                                                                                \
    __asm__(".pushsection .rodata\n.global silicon_file_" #number "\n.global silicon_end_" #number          \
            "\nsilicon_file_" #number ":\n.incbin \"silicon/" name "\"\nsilicon_end_" #number                \
            ":\n.byte 0\n.popsection\n");                                                                   \
    extern const char silicon_file_##number[], silicon_end_##number[];
// clang-format on
#include "silicon/files.def"
#undef FILE_OF

static const struct file {
    const char *name, *bytes, *end;
} files[] = {
#define FILE_OF(name, number) {name, silicon_file_##number, silicon_end_##number},
#include "silicon/files.def"
#undef FILE_OF
    {NULL, NULL, NULL}};

static const struct file *file_of(const char *name)
{
    for (size_t i = 0; files[i].name; i++)
        if (str_equal(files[i].name, name)) return &files[i];
    return NULL;
}

static bool unpack(const char *name, char **text, size_t *length)
{
    struct strbuf packed = {0};
    const char *why;
    strbuf_printf(&packed, "%s" PACKED_ENDING, name);
    const struct file *f = file_of(packed.text);
    strbuf_fini(&packed);
    return f && packed_read(f->bytes, (size_t)(f->end - f->bytes), text, length, &why);
}

bool silicon_file(const char *name, char **text, size_t *length)
{
    const struct file *f = file_of(name);
    if (!f) return unpack(name, text, length);
    *length = (size_t)(f->end - f->bytes);
    *text = heap_strndup(f->bytes, *length);
    return true;
}
