#include "lab/own.h"
#include "base/expression.h"
#include "base/file.h"
#include "base/hash.h"
#include "lab/own_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (is_name_letter(text[length])) length++;
    return length;
}

// -- variables ----------------------------------------------------------------------------------------------

bool own_is_word(const char *word) { return *word == '$' || str_starts_with(word, "--"); }

// The value of a variable among words $NAME=VALUE, of which the last counts; NULL: none.
static const char *value_of(const char *settings, const char *name, size_t length, size_t *value_length)
{
    const char *found = NULL;
    for (const char *at = settings; *at;) {
        size_t word = strcspn(at, " ");
        if (*at == '$' && strncmp(at + 1, name, length) == 0 && at[1 + length] == '=') {
            found = at + 2 + length;
            *value_length = word - 2 - length;
        }
        at += word + (at[word] == ' ');
    }
    return found;
}

static bool integer_of(void *context, const char *name, int64_t *value)
{
    size_t length;
    const char *text = value_of(context, name, strlen(name), &length);
    char *copy = text ? heap_strndup(text, length) : NULL;
    bool good = copy && str_to_i64(copy, value);
    free(copy);
    return good;
}

// Expands $(EXPRESSION), which `text` begins with. *length: of the whole.
static bool expand_expression(const char *text, const char *settings, size_t *length, struct strbuf *out,
                              struct diag *d, struct loc loc)
{
    size_t depth = 1, end = 2, at;
    for (; text[end] && depth; end++) depth += (text[end] == '(') - (size_t)(text[end] == ')');
    struct arena arena;
    const char *why = "a bracket is not closed";
    int64_t value;
    arena_init(&arena);
    const char *inside = arena_strndup(&arena, text + 2, depth ? 0 : end - 3);
    const struct expression *e = depth ? NULL : expression_parse(inside, &arena, &why, &at);
    bool good = e && expression_integer(e, integer_of, (char *)(uintptr_t)settings, &value, &why); // NOLINT
    if (good)
        strbuf_printf(out, "%" PRId64, value);
    else
        diag_error(d, loc, "$(%s): %s", depth ? text + 2 : inside, why);
    *length = end;
    arena_fini(&arena);
    return good;
}

bool own_expand(const char *text, const char *settings, struct strbuf *out, struct diag *d, struct loc loc)
{
    while (*text) {
        size_t length = strcspn(text, "$"), value_length;
        strbuf_write(out, text, length);
        text += length;
        if (!*text) break;
        if (text[1] == '(') {
            if (!expand_expression(text, settings, &length, out, d, loc)) return false;
        } else {
            length = 1 + name_length(text + 1);
            const char *value = value_of(settings, text + 1, length - 1, &value_length);
            if (!value)
                return diag_error(d, loc, "no setting, series or sweep gives %.*s a value", (int)length,
                                  text);
            strbuf_write(out, value, value_length);
        }
        text += length;
    }
    return true;
}

// -- subjects -----------------------------------------------------------------------------------------------

bool own_add(struct own_subjects *s, char *value, const char *folder, struct arena *arena, struct diag *d,
             struct loc loc)
{
    char *colon = strchr(value, ':'), *name = value;
    if (colon) *colon = 0;
    name = str_trim(name);
    char *words = colon ? str_trim(colon + 1) : name;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    if (!colon || !*name || name[length] || !*words)
        return diag_error(d, loc,
                          "a run is NAME : FILE --kernel …, NAME : --script FILE, or NAME : -- PROGRAM …");
    for (size_t i = 0; i < s->list.count; i++)
        if (str_equal(s->list.data[i].name, name)) return diag_error(d, loc, "run %s is given twice", name);
    vec_push(&s->list, (struct own_subject){name, words, arena_strndup(arena, folder, strlen(folder))});
    return true;
}

static bool has_variable(const char *text, const char *variable)
{
    size_t length = strlen(variable);
    for (const char *at = text; (at = strchr(at, '$')) != NULL; at++) {
        const char *name = at + 1, *end = at[1] == '(' ? strchr(at, ')') : name;
        for (; name <= end; name++)
            if ((name == at + 1 || !is_name_letter(name[-1])) && strncmp(name, variable, length) == 0 &&
                !is_name_letter(name[length]))
                return true;
    }
    return false;
}

// The value of an option among words, "--script FILE" or "--script=FILE"; NULL: not there. Heap.
static char *value_behind(const char *words, const char *option)
{
    size_t length = strlen(option);
    for (const char *at = words; (at = strstr(at, option)) != NULL; at += length) {
        if ((at > words && !strchr(" \t", at[-1])) || !strchr(" \t=", at[length])) continue;
        at += length + strspn(at + length, " \t=");
        return heap_strndup(at, strcspn(at, " \t"));
    }
    return NULL;
}

static bool script_has(const struct own_subject *s, const char *variable)
{
    char *path = value_behind(s->words, "--script"), *text = NULL;
    size_t length;
    const char *why;
    struct strbuf whole = {0};
    if (path) strbuf_printf(&whole, "%s%s%s", *path == '/' ? "" : s->folder, *path == '/' ? "" : "/", path);
    bool has = path && file_read(whole.text, &text, &length, &why) && has_variable(text, variable);
    strbuf_fini(&whole);
    free(text);
    free(path);
    return has;
}

// -- the command --------------------------------------------------------------------------------------------

// A word of the command: `before`, the path of a file of the bundle, `behind`.
struct word {
    const char *before, *file;
};

struct maker {
    struct own_carrier carrier;
    VEC(struct word) head, tail;
    const struct own_subject *subject;
    bool is_program;
};

static const struct option {
    const char *name;
    bool has_spec;    // the value may name a file: file:PATH, bytes=@PATH
    bool is_compiler; // for the compiler of CUDA C, and no word of the command
} options[] = {{"--kernel", false, false}, {"--grid", false, false},       {"--block", false, false},
               {"--arg", true, false},     {"--symbol", true, false},      {"--shared", false, false},
               {"--set", false, false},    {"--max-cycles", false, false}, {"--launches", false, false},
               {"--script", false, false}, {"--cc", false, true}};
enum { OPTIONS = sizeof options / sizeof options[0] };

static const char *next_option(const void *context, size_t i)
{
    (void)context;
    return i < OPTIONS ? options[i].name : NULL;
}

static const struct option *option_of(const char *word, struct diag *d, struct loc loc)
{
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < OPTIONS; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0)
            return &options[i];
    char *name = heap_strndup(word, length);
    const char *near = str_nearest(name, next_option, NULL);
    diag_error(d, loc, "%s is no option of a line `run`%s%s%s", name,
               near ? "; did you mean " : ": GPU, mechanism and settings are the experiment's",
               near ? near : "", near ? "?" : "");
    free(name);
    return NULL;
}

bool own_check_word(const struct own_subjects *all, const char *word, struct diag *d, struct loc loc)
{
    if (!all->list.count)
        return diag_error(d, loc, "\"%s\" is for lines `run`, and the experiment has none", word);
    if (*word != '$') return option_of(word, d, loc) != NULL;
    for (size_t i = 0; i < all->list.count; i++)
        if (has_variable(all->list.data[i].words, word + 1) || script_has(&all->list.data[i], word + 1))
            return true;
    return diag_error(d, loc, "no line `run` uses %s", word);
}

static void add_word(struct maker *m, const char *before, const char *file)
{
    vec_push(&m->head, (struct word){before, file});
}

// Adds an option's value, with the name of the carried file in place of a path.
static bool add_value(struct maker *m, const struct option *o, const char *value)
{
    size_t path = o->has_spec ? own_path_at(value) : str_equal(o->name, "--script") ? 0 : SIZE_MAX;
    if (path == SIZE_MAX) {
        add_word(m, value, NULL);
        return true;
    }
    const char *name = path ? own_carry(&m->carrier, value + path) : own_carry_script(&m->carrier, value);
    if (name) add_word(m, arena_strndup(m->carrier.arena, value, path), name);
    return name != NULL;
}

static bool add_program_words(struct maker *m, char *rest)
{
    m->is_program = true;
    bool first = true;
    for (char *word; (word = strsep(&rest, " \t")) != NULL;) {
        if (!*word) continue;
        const char *name =
            first ? own_carry_program(&m->carrier, word) : own_carry_argument(&m->carrier, word);
        if (!name) return false;
        vec_push(&m->tail, (struct word){first ? "" : name, first ? name : NULL});
        first = false;
    }
    return !first ||
           diag_error(m->carrier.diag, m->carrier.loc, "run %s: no program behind --", m->subject->name);
}

static bool add_words(struct maker *m, char *text)
{
    size_t operands = 0;
    for (char *word; (word = strsep(&text, " \t")) != NULL;) {
        if (!*word) continue;
        if (str_equal(word, "--")) return add_program_words(m, text);
        if (!str_starts_with(word, "--")) {
            const char *name = own_carry_module(&m->carrier, word);
            if (!name) return false;
            if (operands++)
                return diag_error(m->carrier.diag, m->carrier.loc, "run %s: \"%s\" is a second file",
                                  m->subject->name, word);
            add_word(m, "", name);
            continue;
        }
        const struct option *o = option_of(word, m->carrier.diag, m->carrier.loc);
        char *value = strchr(word, '=');
        if (!o) return false;
        if (!o->is_compiler) add_word(m, o->name, NULL);
        if (value) value++;
        while (!value && text && (value = strsep(&text, " \t")) != NULL && !*value) value = NULL;
        if (!value)
            return diag_error(m->carrier.diag, m->carrier.loc, "run %s: %s needs a value", m->subject->name,
                              o->name);
        if (!o->is_compiler && !add_value(m, o, value)) return false;
    }
    return operands || m->carrier.bundle->files.count ||
           diag_error(m->carrier.diag, m->carrier.loc, "run %s: names no file", m->subject->name);
}

static const char *print_words(struct arena *arena, const struct own_bundle *b, const char *first,
                               const struct word *words, size_t count)
{
    struct strbuf text = {0};
    strbuf_puts(&text, first);
    for (size_t i = 0; i < count; i++)
        if (words[i].file)
            strbuf_printf(&text, " %sown/%s/%s", words[i].before, b->hash, words[i].file);
        else
            strbuf_printf(&text, " %s", words[i].before);
    const char *kept = arena_strndup(arena, strbuf_text(&text), text.length);
    strbuf_fini(&text);
    return kept;
}

// Takes the words for the compiler of CUDA C.
static void note_compiler(struct own_carrier *c, const char *words)
{
    static const char *const names[] = {"--kernel", "--cc"};
    const char **const values[] = {&c->kernel, &c->options};
    for (size_t i = 0; i < 2; i++) {
        char *value = value_behind(words, names[i]);
        if (value) *values[i] = arena_strndup(c->arena, value, strlen(value));
        free(value);
    }
    c->options = toolchain_words(c->options, &c->nvcc);
}

static void hash_files(struct own_bundle *b)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < b->files.count; i++) {
        const struct own_file *f = &b->files.data[i];
        hash = hash_bytes(f->name, strlen(f->name) + 1, hash);
        hash = hash_bytes(f->bytes, f->length, hash);
    }
    snprintf(b->hash, sizeof b->hash, "%016" PRIx64, hash);
}

bool own_bundle_make(struct own_bundle *b, const struct own_subjects *all, const struct own_subject *s,
                     const char *settings, struct own_cache *cache, struct arena *arena, struct diag *d,
                     struct loc loc)
{
    *b = (struct own_bundle){0};
    struct maker m = {.carrier = {.bundle = b,
                                  .folder = s->folder,
                                  .settings = settings,
                                  .cache = cache,
                                  .arena = arena,
                                  .diag = d,
                                  .loc = loc},
                      .subject = s};
    struct strbuf words = {0};
    bool good = own_expand(s->words, settings, &words, d, loc);
    if (good) note_compiler(&m.carrier, words.text);
    good = good && add_words(&m, words.text);
    for (size_t i = 0; i < all->files.count && good && m.is_program; i++)
        good = own_carry_beside(&m.carrier, all->files.data[i]);
    if (good) {
        hash_files(b);
        const char *first = m.is_program ? arena_printf(arena, "run --files own/%s", b->hash) : "run";
        b->head = print_words(arena, b, first, m.head.data, m.head.count);
        b->tail = m.is_program ? print_words(arena, b, " --", m.tail.data, m.tail.count) : "";
    }
    strbuf_fini(&words);
    vec_fini(&m.head);
    vec_fini(&m.tail);
    return good;
}

void own_bundle_fini(struct own_bundle *b) { vec_fini(&b->files); }
