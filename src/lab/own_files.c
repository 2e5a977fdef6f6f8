#include "lab/own_files.h"
#include "base/file.h"
#include "base/packed.h"
#include "toolchain/cuda.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// -- files --------------------------------------------------------------------------------------------------

static const char *place_of(const struct own_carrier *c, const char *path)
{
    return *path == '/' ? arena_strndup(c->arena, path, strlen(path))
                        : arena_printf(c->arena, "%s/%s", c->folder, path);
}

static bool is_taken(const struct own_carrier *c, const char *name)
{
    for (size_t i = 0; i < c->bundle->files.count; i++)
        if (str_equal(c->bundle->files.data[i].name, name)) return true;
    return false;
}

// The last part of a path, with "_" for characters special in commands. With a number if the name is taken.
static const char *name_for(const struct own_carrier *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = arena_strndup(c->arena, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
    for (char *at = name; *at; at++)
        if (strchr(" \t\"$,:=@#'\\", *at)) *at = '_';
    const char *free_name = name;
    for (unsigned i = 2; is_taken(c, free_name); i++) free_name = arena_printf(c->arena, "%u-%s", i, name);
    return free_name;
}

static void add_file(struct own_carrier *c, const char *name, const char *bytes, size_t length,
                     bool is_program)
{
    struct own_file file = {name, arena_strndup(c->arena, "", 0), length, is_program};
    if (length) {
        char *copy = arena_alloc(c->arena, length + 1);
        memcpy(copy, bytes, length);
        file.bytes = copy;
    }
    vec_push(&c->bundle->files, file);
}

// The name of an earlier file with the same bytes and the same wish for a name; NULL: none.
static const char *known(const struct own_carrier *c, const char *path, const char *bytes, size_t length)
{
    for (size_t i = 0; i < c->bundle->files.count; i++) {
        const struct own_file *f = &c->bundle->files.data[i];
        const char *last = strrchr(path, '/');
        if (f->length == length && memcmp(f->bytes, bytes, length) == 0 &&
            str_ends_with(f->name, last ? last + 1 : path))
            return f->name;
    }
    return NULL;
}

static bool read(const struct own_carrier *c, const char *path, bool is_packed, char **bytes, size_t *length)
{
    const char *place = place_of(c, path), *why;
    return (is_packed ? packed_read_file(place, bytes, length, &why)
                      : file_read(place, bytes, length, &why)) ||
           diag_error(c->diag, c->loc, "cannot read %s: %s", place, why);
}

static const char *carry(struct own_carrier *c, const char *path, bool is_packed, bool is_program)
{
    char *bytes;
    size_t length;
    if (!read(c, path, is_packed, &bytes, &length)) return NULL;
    const char *name = is_program ? NULL : known(c, path, bytes, length);
    if (!name) {
        name = name_for(c, path);
        add_file(c, name, bytes, length, is_program);
    }
    free(bytes);
    return name;
}

const char *own_carry(struct own_carrier *c, const char *path) { return carry(c, path, false, false); }

void own_cache_fini(struct own_cache *c)
{
    for (size_t i = 0; i < c->list.count; i++) {
        free(c->list.data[i].key);
        toolchain_ptx_fini(&c->list.data[i].ptx);
    }
    vec_fini(&c->list);
}

static const struct toolchain_ptx *compile(struct own_carrier *c, const struct toolchain_order *o)
{
    const char *key = arena_printf(c->arena, "%s\n%s\n%s\n%d", o->path, o->kernel ? o->kernel : "",
                                   o->options ? o->options : "", o->nvcc);
    for (size_t i = 0; i < c->cache->list.count; i++)
        if (str_equal(c->cache->list.data[i].key, key)) return &c->cache->list.data[i].ptx;
    struct own_compiled made = {.key = NULL};
    if (!toolchain_compile(o, &made.ptx, c->diag)) return NULL;
    made.key = heap_strdup(key);
    vec_push(&c->cache->list, made);
    return &vec_last(&c->cache->list).ptx;
}

// Carries the PTX of CUDA C: machines elsewhere need no compiler.
static const char *carry_cuda(struct own_carrier *c, const char *path)
{
    struct toolchain_order order = {
        .path = place_of(c, path), .kernel = c->kernel, .options = c->options, .nvcc = c->nvcc};
    const struct toolchain_ptx *ptx = compile(c, &order);
    if (!ptx) return NULL;
    const char *wanted = arena_printf(c->arena, "%.*sptx", (int)(strlen(path) - strlen("cu")), path),
               *name = known(c, wanted, ptx->text, ptx->length);
    if (!name) {
        name = name_for(c, wanted);
        add_file(c, name, ptx->text, ptx->length, false);
    }
    return name;
}

const char *own_carry_module(struct own_carrier *c, const char *path)
{
    return toolchain_is_cuda(path) ? carry_cuda(c, path) : carry(c, path, true, false);
}

const char *own_carry_program(struct own_carrier *c, const char *path) { return carry(c, path, false, true); }

size_t own_path_at(const char *spec)
{
    static const char file[] = "file:", bytes[] = "bytes=@";
    const char *at = strstr(spec, file);
    if (at) return (size_t)(at - spec) + strlen(file);
    at = strstr(spec, bytes);
    return at ? (size_t)(at - spec) + strlen(bytes) : SIZE_MAX;
}

// -- writing ------------------------------------------------------------------------------------------------

// Makes the folders of a path's parts behind `from`.
static bool make_folders(const char *path, size_t from, struct diag *d)
{
    char *copy = heap_strdup(path);
    bool good = true;
    for (char *slash = copy + from; good && (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = 0;
        good = mkdir(copy, 0777) == 0 || errno == EEXIST ||
               diag_error(d, loc_none(), "cannot make %s: %s", copy, strerror(errno));
        *slash = '/';
    }
    free(copy);
    return good;
}

static bool is_written(const char *path, const struct own_file *f)
{
    char *bytes;
    size_t length;
    const char *why;
    if (!file_is_regular(path) || !file_read(path, &bytes, &length, &why)) return false;
    bool is = length == f->length && memcmp(bytes, f->bytes, length) == 0;
    free(bytes);
    return is;
}

bool own_bundle_write(const struct own_bundle *b, const char *folder, struct diag *d)
{
    bool good = true;
    for (size_t i = 0; i < b->files.count && good; i++) {
        const struct own_file *f = &b->files.data[i];
        const char *why = "";
        struct strbuf path = {0};
        strbuf_printf(&path, "%s/own/%s/%s", folder, b->hash, f->name);
        good =
            is_written(path.text, f) || (make_folders(path.text, strlen(folder), d) &&
                                         (file_write(path.text, f->bytes, f->length, &why) ||
                                          diag_error(d, loc_none(), "cannot write %s: %s", path.text, why)));
        if (good && f->is_program && chmod(path.text, 0777) != 0)
            good = diag_error(d, loc_none(), "cannot make %s a program: %s", path.text, strerror(errno));
        strbuf_fini(&path);
    }
    return good;
}

// -- programs -----------------------------------------------------------------------------------------------

// Whether a path stays below the folder, and may be a word of a command.
static bool is_inside(const char *path)
{
    return *path != '/' && !str_starts_with(path, "../") && !strstr(path, "/../") && !str_equal(path, "..") &&
           !strpbrk(path, " \t\"\n");
}

bool own_carry_beside(struct own_carrier *c, const char *path)
{
    char *bytes;
    size_t length;
    while (str_starts_with(path, "./")) path += 2;
    if (is_taken(c, path)) return true;
    if (!is_inside(path))
        return diag_error(c->diag, c->loc, "%s: a file of a program is below %s", path, c->folder);
    if (!read(c, path, false, &bytes, &length)) return false;
    add_file(c, arena_strndup(c->arena, path, strlen(path)), bytes, length, false);
    free(bytes);
    return true;
}

const char *own_carry_argument(struct own_carrier *c, const char *word)
{
    if (!file_is_regular(place_of(c, word))) return word;
    if (is_inside(word)) return own_carry_beside(c, word) ? word : NULL;
    return own_carry(c, word);
}

// -- scripts ------------------------------------------------------------------------------------------------

struct copy { // a script's text on the way into the bundle
    struct own_carrier *carrier;
    struct strbuf text;
    const char *at;
    bool good;
};

static void skip_blanks(struct copy *s)
{
    size_t length = strspn(s->at, " \t\r");
    strbuf_write(&s->text, s->at, length);
    s->at += length;
}

// Takes a word, in quotes or not. Heap; NULL: the line ends.
static char *take_word(struct copy *s)
{
    skip_blanks(s);
    if (!*s->at || *s->at == '\n' || *s->at == '#') return NULL;
    bool quoted = *s->at == '"';
    const char *from = s->at + quoted;
    size_t length = strcspn(from, quoted ? "\"\n" : " \t\r\n");
    s->at = from + length + (quoted && from[length] == '"');
    return heap_strndup(from, length);
}

static void put_value(struct copy *s, const char *word, bool is_module)
{
    size_t path = is_module ? 0 : own_path_at(word);
    if (path == SIZE_MAX) {
        const char *quote = strpbrk(word, " \t") ? "\"" : "";
        strbuf_printf(&s->text, "%s%s%s", quote, word, quote);
        return;
    }
    const char *name = strchr(word + path, '$') ? NULL
                       : is_module              ? own_carry_module(s->carrier, word)
                                                : own_carry(s->carrier, word + path);
    if (!name && strchr(word + path, '$'))
        diag_error(s->carrier->diag, s->carrier->loc, "%s: a path that changes in a loop cannot be carried",
                   word);
    s->good &= name != NULL;
    if (name) strbuf_printf(&s->text, "%.*s%s", (int)path, word, name);
}

// Copies a line, without its end. A dump becomes a comment: runs at the same time would write the same file.
static void copy_line(struct copy *s)
{
    bool is_first = true, is_module = false;
    for (char *word; (word = take_word(s)) != NULL; is_first = false) {
        if (is_first && str_equal(word, "dump")) strbuf_puts(&s->text, "# ");
        put_value(s, word, is_module);
        is_module = is_first && str_equal(word, "load");
        free(word);
    }
    size_t rest = strcspn(s->at, "\n");
    strbuf_write(&s->text, s->at, rest);
    s->at += rest;
}

// Replaces variables with a value among the settings; the script's own loops have other names.
static void put_variables(const struct own_carrier *c, const char *text, struct strbuf *out)
{
    while (*text) {
        size_t length = strcspn(text, "$");
        strbuf_write(out, text, length);
        text += length;
        if (!*text) break;
        size_t name = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        char *wanted = heap_strndup(text, text[1] == '(' ? strcspn(text, ")") + 1 : name);
        struct diag nobody;
        diag_init(&nobody);
        if (!own_expand(wanted, c->settings, out, &nobody, c->loc)) strbuf_puts(out, wanted);
        diag_fini(&nobody);
        text += strlen(wanted);
        free(wanted);
    }
}

const char *own_carry_script(struct own_carrier *c, const char *path)
{
    char *bytes;
    size_t length;
    struct own_carrier inner = *c;
    struct strbuf source = {0};
    if (!read(c, path, false, &bytes, &length)) return NULL;
    const char *place = place_of(c, path), *slash = strrchr(place, '/');
    inner.folder = arena_strndup(c->arena, place, (size_t)(slash - place) + (slash == place));
    put_variables(c, bytes, &source);
    free(bytes);
    struct copy s = {.carrier = &inner, .at = strbuf_text(&source), .good = true};
    while (s.good && *s.at) {
        copy_line(&s);
        if (*s.at == '\n') strbuf_putc(&s.text, *s.at++);
    }
    const char *name = s.good ? name_for(c, path) : NULL;
    if (name) add_file(c, name, strbuf_text(&s.text), s.text.length, false);
    strbuf_fini(&s.text);
    strbuf_fini(&source);
    return name;
}
