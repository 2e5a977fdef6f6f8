// The table of GPUs, their files inside the library, and reading one.
#include "gpu/gpus.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

// The files go into the object as they are; src/gpu/rules.mk names them as its dependences. Two names are
// made of a GPU: a dash is no part of a symbol.
#define EMBED(SYMBOL, NAME)                                                                                  \
    __asm__(".pushsection .rodata\n.global gpu_text_" SYMBOL "\ngpu_text_" SYMBOL ":\n.incbin \"gpus/" NAME  \
            ".gpu\"\n.byte 0\n.popsection\n");
#define GPU(symbol, name, meaning) EMBED(#symbol, name) extern const char gpu_text_##symbol[];
#include "gpu/gpus.def"
#undef GPU

static const struct gpu_file table[] = {
#define GPU(symbol, name, meaning) {name, meaning, gpu_text_##symbol},
#include "gpu/gpus.def"
#undef GPU
};
enum { GPUS = sizeof table / sizeof table[0] };

const struct gpu_file *gpu_file_at(size_t index) { return index < GPUS ? &table[index] : NULL; }

static const char *next_name(const void *context, size_t i)
{
    (void)context;
    return i < GPUS ? table[i].name : NULL;
}

static bool set_line(struct config *c, char *line, struct loc loc, struct diag *d)
{
    line[strcspn(line, "#")] = 0; // a comment
    char *equals = strchr(line, '=');
    if (!equals) {
        char *rest = str_trim(line);
        if (!*rest) return true;
        return diag_error(d, loc, "\"%s\" sets nothing; a line is KEY = VALUE", rest);
    }
    *equals = 0;
    const char *value = str_trim(equals + 1), *key = str_trim(line);
    return config_set(c, key, value, loc, d);
}

static bool load_text(struct config *c, const char *name, const char *text, size_t length, struct diag *d)
{
    struct loc loc = {.source = diag_add_source(d, name, text, length)};
    char *copy = heap_strndup(text, length), *line = copy;
    bool good = true;
    for (uint32_t n = 1; line; n++) {
        char *next = strchr(line, '\n');
        if (next) *next++ = 0;
        loc.line = n;
        loc.column = 1;
        good = set_line(c, line, loc, d) && good;
        line = next;
    }
    free(copy);
    return good;
}

bool gpu_file_load(struct config *c, const char *name, struct diag *d)
{
    for (size_t i = 0; i < GPUS; i++)
        if (str_equal(table[i].name, name))
            return load_text(c, name, table[i].text, strlen(table[i].text), d);
    char *bytes;
    size_t length;
    const char *why;
    if (strpbrk(name, "/.") && file_read(name, &bytes, &length, &why)) {
        bool good = load_text(c, name, bytes, length, d);
        free(bytes);
        return good;
    }
    const char *near = str_nearest(name, next_name, NULL);
    if (strpbrk(name, "/.")) return diag_error(d, loc_none(), "cannot read the GPU's file %s: %s", name, why);
    if (near) return diag_error(d, loc_none(), "no GPU \"%s\"; did you mean \"%s\"?", name, near);
    return diag_error(d, loc_none(),
                      "no GPU \"%s\"; `warpfold list gpus` names them, and a file's path has a / or a .",
                      name);
}
