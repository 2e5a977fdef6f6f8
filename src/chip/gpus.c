// The table of GPUs, the embedded files, and the reader of a file.
#include "chip/gpus.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

// The files are embedded verbatim; src/chip/rules.mk declares the dependences. A GPU has a symbol besides
// its name, because a dash cannot be part of a symbol.
#define EMBED(SYMBOL, NAME)                                                                                  \
    __asm__(".pushsection .rodata\n.global gpu_text_" SYMBOL "\n.hidden gpu_text_" SYMBOL                    \
            "\ngpu_text_" SYMBOL ":\n.incbin \"gpus/" NAME ".gpu\"\n.byte 0\n.popsection\n");
#define GPU(symbol, name, meaning) EMBED(#symbol, name) extern const char gpu_text_##symbol[];
#define GPU_RISCV                  GPU
#define GPU_ALIAS(symbol, name, other)
#include "chip/gpus.def"
#undef GPU
#undef GPU_RISCV
#undef GPU_ALIAS

static const struct gpu_file table[] = {
#define GPU(symbol, name, meaning)       {name, meaning, gpu_text_##symbol, NULL, false},
#define GPU_RISCV(symbol, name, meaning) {name, meaning, gpu_text_##symbol, NULL, true},
#define GPU_ALIAS(symbol, name, other)   {name, "an earlier name of " other, gpu_text_##symbol, other, false},
#include "chip/gpus.def"
#undef GPU
#undef GPU_RISCV
#undef GPU_ALIAS
};
enum { GPUS = sizeof table / sizeof table[0], LIKE_DEPTH_MAX = 8 };

const struct gpu_file *gpu_file_at(size_t index) { return index < GPUS ? &table[index] : NULL; }

static const char *next_name(const void *context, size_t i)
{
    (void)context;
    return i < GPUS ? table[i].name : NULL;
}

static const struct gpu_file *find(const char *name)
{
    for (size_t i = 0; i < GPUS; i++)
        if (str_equal(table[i].name, name)) return &table[i];
    return NULL;
}

// Completes a message about an unknown GPU name, with the nearest name or else all names except aliases, and
// `other`. Returns false.
static bool refuse_name(const char *name, struct strbuf *message, const char *other, struct loc loc,
                        struct diag *d)
{
    const char *near = str_nearest_model(name, next_name, NULL);
    if (near) {
        strbuf_printf(message, "; did you mean \"%s\"?", near);
    } else {
        strbuf_puts(message, "; GPUs are ");
        for (size_t i = 0; i < GPUS; i++)
            if (!table[i].alias_of) strbuf_printf(message, "%s%s", i ? ", " : "", table[i].name);
        strbuf_puts(message, other);
    }
    diag_error(d, loc, "%s", message->text);
    strbuf_fini(message);
    return false;
}

struct load { // the loading of a GPU file and, through its `like`, of further GPU files
    struct config *config;
    struct diag *diag;
    bool is_like;
};

static bool load_text(struct load *l, const char *name, const char *text, size_t length, unsigned depth);

static bool load_other(struct load *l, const char *name, unsigned depth, struct loc loc)
{
    const struct gpu_file *g = find(name);
    if (!g) {
        struct strbuf message = {0};
        strbuf_printf(&message, "like = %s: unknown GPU", name);
        return refuse_name(name, &message, "", loc, l->diag);
    }
    if (depth == LIKE_DEPTH_MAX) return diag_error(l->diag, loc, "like = %s: %u files deep", name, depth);
    l->is_like = true;
    return load_text(l, g->name, g->text, strlen(g->text), depth + 1);
}

// Applies a line `KEY = VALUE`, optionally followed by `# WHY`. Empty lines and lines of comment are skipped.
// `like = NAME` loads another GPU's file. False and a diagnostic: an error in the line or the other file.
static bool set_line(struct load *l, char *line, unsigned depth, struct loc loc)
{
    char *hash = strchr(line, '#'), *why = NULL;
    if (hash) {
        *hash = 0;
        why = str_trim(hash + 1);
    }
    char *equals = strchr(line, '=');
    if (!equals) {
        char *rest = str_trim(line);
        if (!*rest) return true;
        return diag_error(l->diag, loc, "\"%s\" sets nothing; a line is KEY = VALUE", rest);
    }
    *equals = 0;
    const char *value = str_trim(equals + 1), *key = str_trim(line);
    if (str_equal(key, "like")) return load_other(l, value, depth, loc);
    if (why) why = *why ? arena_strndup(&l->config->arena, why, strlen(why)) : NULL;
    return config_set_from_file(l->config, key, value, why, loc, l->diag);
}

static bool load_text(struct load *l, const char *name, const char *text, size_t length, unsigned depth)
{
    struct loc loc = {.source = diag_add_source(l->diag, name, text, length)};
    char *copy = heap_strndup(text, length), *line = copy;
    bool good = true;
    for (uint32_t n = 1; line; n++) {
        char *next = strchr(line, '\n');
        if (next) *next++ = 0;
        loc.line = n;
        loc.column = 1;
        good = set_line(l, line, depth, loc) && good;
        line = next;
    }
    free(copy);
    return good;
}

static bool load_named(struct load *l, const char *name)
{
    const struct gpu_file *g = find(name);
    struct diag *d = l->diag;
    if (g) return load_text(l, g->name, g->text, strlen(g->text), 0);
    char *bytes;
    size_t length;
    const char *why;
    if (strpbrk(name, "/.") && file_read(name, &bytes, &length, &why)) {
        bool good = load_text(l, name, bytes, length, 0);
        free(bytes);
        return good;
    }
    if (strpbrk(name, "/.")) return diag_error(d, loc_none(), "cannot read the GPU's file %s: %s", name, why);
    struct strbuf message = {0};
    strbuf_printf(&message, "no GPU \"%s\"", name);
    return refuse_name(name, &message, "; a file's path has a / or a .", loc_none(), d);
}

bool gpu_text_load(struct config *c, const char *name, const char *text, size_t length, bool *is_like,
                   struct diag *d)
{
    struct load l = {.config = c, .diag = d};
    bool good = load_text(&l, name, text, length, 0);
    *is_like = l.is_like;
    return good;
}

bool gpu_file_load(struct config *c, const char *name, bool *is_like, struct diag *d)
{
    struct load l = {.config = c, .diag = d};
    bool good = load_named(&l, name);
    *is_like = l.is_like;
    return good;
}
