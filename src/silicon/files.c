// Embedded files of silicon/ used by points: the Makefile writes files.def. PTX is embedded packed, as in the
// tree (base/packed.h).
#include "base/packed.h"
#include "silicon/point.h"

// clang-format off
// Layout: the length in 4 bytes, the file, a NUL. One pointer to a file, without a second to its end, since
// every start of the program relocates pointers.
#define FILE_OF(name, number)                                                                                \
    __asm__(".pushsection .rodata\n.balign 4\n.global silicon_file_" #number "\nsilicon_file_" #number        \
            ":\n.long 2f - 1f\n1:\n.incbin \"silicon/" name "\"\n2:\n.byte 0\n.popsection\n");              \
    extern const char silicon_file_##number[];
// clang-format on
#include "silicon/files.def"
#undef FILE_OF

static const struct {
    const char *name, *embedded;
} files[] = {
#define FILE_OF(name, number) {name, silicon_file_##number},
#include "silicon/files.def"
#undef FILE_OF
    {NULL, NULL}};

// The bytes of an embedded file; NULL: unknown name.
static const char *find(const char *name, size_t *length)
{
    uint32_t bytes;
    for (size_t i = 0; files[i].name; i++) {
        if (!str_equal(files[i].name, name)) continue;
        memcpy(&bytes, files[i].embedded, sizeof bytes);
        *length = bytes;
        return files[i].embedded + sizeof bytes;
    }
    return NULL;
}

static bool unpack(const char *name, char **text, size_t *length)
{
    struct strbuf packed_name = {0};
    const char *why;
    size_t packed_length;
    strbuf_printf(&packed_name, "%s" PACKED_ENDING, name);
    const char *packed = find(packed_name.text, &packed_length);
    strbuf_fini(&packed_name);
    return packed && packed_read(packed, packed_length, text, length, &why);
}

bool silicon_file(const char *name, char **text, size_t *length)
{
    const char *plain = find(name, length);
    if (!plain) return unpack(name, text, length);
    *text = heap_strndup(plain, *length);
    return true;
}
