// Scripts: lines to words, words to commands with their counts checked, loops matched; then run line by line.
//
// Inside `repeat COUNT I …`, `$I` in a word stands for the loop's number. What a word means (a spec, a name)
// is looked at when its line runs, since buffers and modules come and go.
#include "cli/script.h"
#include "base/file.h"
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 72, NESTING_MAX = 8 };

struct word {
    const char *text;
    struct loc loc;
};

struct line {
    enum script_command {
#define COMMAND(function, name, least, most, usage) SCRIPT_##function,
#include "cli/script.def"
#undef COMMAND
        SCRIPT_COUNT
    } command;
    struct word *words; // after the command's name
    unsigned count;
    struct loc loc;
    size_t match; // repeat: its end; end: its repeat
};

struct loop {
    const char *variable; // NULL: unnamed
    uint64_t left;
    int64_t value, step;
};

struct script {
    struct session *session;
    struct diag *d;
    struct arena arena;
    const char *folder; // of the script; paths are relative to it
    VEC(struct line) lines;
    struct loop loops[NESTING_MAX];
    unsigned depth;
    unsigned temporaries; // buffers made by buf= in a launch
};

static const struct {
    const char *name, *usage;
    unsigned least, most;
} commands[SCRIPT_COUNT] = {
#define COMMAND(function, name, least, most, usage) [SCRIPT_##function] = {name, usage, least, most},
#include "cli/script.def"
#undef COMMAND
};

// -- reading ------------------------------------------------------------------------------------------------

static const char *next_command(const void *context, size_t i)
{
    (void)context;
    return i < SCRIPT_COUNT ? commands[i].name : NULL;
}

static bool find_command(struct script *s, const struct word *w, enum script_command *command)
{
    for (unsigned i = 0; i < SCRIPT_COUNT; i++)
        if (str_equal(commands[i].name, w->text)) {
            *command = (enum script_command)i;
            return true;
        }
    const char *near = str_nearest(w->text, next_command, NULL);
    if (near) return diag_error(s->d, w->loc, "unknown command \"%s\"; did you mean \"%s\"?", w->text, near);
    struct strbuf known = {0};
    for (unsigned i = 0; i < SCRIPT_COUNT; i++) strbuf_printf(&known, "%s%s", i ? " " : "", commands[i].name);
    diag_error(s->d, w->loc, "unknown command \"%s\"; there are %s", w->text, strbuf_text(&known));
    strbuf_fini(&known);
    return false;
}

// Words are separated by blanks; "…" keeps blanks; # starts a comment at the beginning of a word.
static bool split(struct script *s, const char *text, size_t length, uint32_t source, uint32_t number,
                  struct word words[WORDS_MAX], unsigned *count)
{
    *count = 0;
    for (size_t i = 0; i < length;) {
        if (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
            i++;
            continue;
        }
        if (text[i] == '#') break;
        struct loc loc = {source, number, (uint32_t)i + 1, 1};
        if (*count == WORDS_MAX) return diag_error(s->d, loc, "a line has at most %d words", WORDS_MAX);
        bool quoted = text[i] == '"';
        size_t first = i += quoted;
        while (i < length && (quoted ? text[i] != '"' : !strchr(" \t\r", text[i]))) {
            if (!text[i]) return diag_error(s->d, loc, "a NUL byte");
            i++;
        }
        if (quoted && i == length) return diag_error(s->d, loc, "the quote is not closed");
        loc.length = (uint32_t)(i - first) + 2u * quoted;
        words[(*count)++] = (struct word){arena_strndup(&s->arena, text + first, i - first), loc};
        i += quoted;
    }
    return true;
}

static bool add_line(struct script *s, const struct word *words, unsigned count)
{
    struct line line = {.loc = words[0].loc, .count = count - 1};
    if (!find_command(s, &words[0], &line.command)) return false;
    if (line.count < commands[line.command].least || line.count > commands[line.command].most)
        return diag_error(s->d, line.loc, "write %s", commands[line.command].usage);
    line.words = ARENA_ARRAY(&s->arena, struct word, line.count);
    if (line.count) memcpy(line.words, words + 1, line.count * sizeof *line.words);
    vec_push(&s->lines, line);
    return true;
}

static bool match_loops(struct script *s)
{
    size_t open[NESTING_MAX];
    unsigned depth = 0;
    for (size_t i = 0; i < s->lines.count; i++) {
        struct line *line = &s->lines.data[i];
        if (line->command == SCRIPT_repeat) {
            if (depth == NESTING_MAX)
                return diag_error(s->d, line->loc, "loops are nested at most %d deep", NESTING_MAX);
            open[depth++] = i;
        } else if (line->command == SCRIPT_end) {
            if (!depth) return diag_error(s->d, line->loc, "end without a repeat");
            line->match = open[--depth];
            s->lines.data[line->match].match = i;
        }
    }
    return !depth || diag_error(s->d, s->lines.data[open[depth - 1]].loc, "repeat without an end");
}

static bool read_script(struct script *s, const char *text, size_t length, uint32_t source)
{
    bool ok = true;
    uint32_t number = 1;
    for (size_t i = 0; i < length; number++) {
        const char *stop = memchr(text + i, '\n', length - i);
        size_t end = stop ? (size_t)(stop - text) : length;
        struct word words[WORDS_MAX];
        unsigned count;
        ok &= split(s, text + i, end - i, source, number, words, &count) &&
              (!count || add_line(s, words, count));
        i = end + 1;
    }
    return ok && match_loops(s);
}

bool script_check(const char *text, size_t length, uint32_t source, struct diag *d)
{
    struct script s = {.d = d};
    arena_init(&s.arena);
    bool ok = read_script(&s, text, length, source);
    vec_fini(&s.lines);
    arena_fini(&s.arena);
    return ok;
}

// -- running ------------------------------------------------------------------------------------------------

static enum wf_status bad(struct script *s, struct loc loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum wf_status bad(struct script *s, struct loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(s->d, loc, format, args);
    va_end(args);
    return WF_BAD_INPUT;
}

static const struct loop *find_loop(const struct script *s, const char *name, size_t length)
{
    for (unsigned i = s->depth; i-- > 0;)
        if (s->loops[i].variable && strlen(s->loops[i].variable) == length &&
            memcmp(s->loops[i].variable, name, length) == 0)
            return &s->loops[i];
    return NULL;
}

// A word with its $VARIABLEs replaced. NULL and an error for an unknown one.
static const char *expand(struct script *s, const struct word *w)
{
    if (!strchr(w->text, '$')) return w->text;
    struct strbuf out = {0};
    const char *p = w->text;
    while (*p) {
        size_t plain = strcspn(p, "$");
        strbuf_write(&out, p, plain);
        p += plain;
        if (!*p) break;
        size_t length = strspn(++p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const struct loop *loop = find_loop(s, p, length);
        if (!loop) {
            bad(s, w->loc, "no loop has a variable \"%.*s\"", (int)length, p);
            strbuf_fini(&out);
            return NULL;
        }
        strbuf_printf(&out, "%" PRId64, loop->value);
        p += length;
    }
    const char *text = arena_strndup(&s->arena, strbuf_text(&out), out.length);
    strbuf_fini(&out);
    return text;
}

static const char *resolve_path(struct script *s, const char *path)
{
    return *path == '/' ? path : arena_printf(&s->arena, "%s/%s", s->folder, path);
}

static enum wf_status parse_spec(struct script *s, struct spec *spec, const char *text, struct loc loc)
{
    if (!spec_parse(spec, text, s->folder, NULL, loc, s->d)) return WF_BAD_INPUT;
    if (session_reads(s->session, spec, loc)) return WF_OK;
    spec_fini(spec);
    return WF_BAD_INPUT;
}

static enum wf_status need_module(struct script *s, const struct line *l)
{
    return s->session->module ? WF_OK : bad(s, l->loc, "no module is loaded; write load FILE first");
}

static enum wf_status run_load(struct script *s, const struct line *l, const char *const *w)
{
    return session_load(s->session, resolve_path(s, w[0]), l->words[0].loc);
}

static enum wf_status run_set(struct script *s, const struct line *l, const char *const *w)
{
    const char *equals = strchr(w[0], '=');
    if (!equals) return bad(s, l->words[0].loc, "write set KEY=VALUE");
    const char *key = arena_strndup(&s->arena, w[0], (size_t)(equals - w[0]));
    enum wf_status status = session_wait(s->session);
    if (status != WF_OK) return status;
    status = wf_set(s->session->context, key, equals + 1);
    if (status != WF_OK) session_take_errors(s->session, l->words[0].loc);
    return status;
}

// Memory with content, which is written when nobody runs; a zero one is there at once.
static enum wf_status add_buffer(struct script *s, const char *name, const char *shown, struct spec *spec,
                                 const struct session_sampling *sampling, struct loc loc, size_t *index)
{
    enum wf_status status = spec->init == SPEC_ZERO ? WF_OK : session_wait(s->session);
    if (status != WF_OK) return status;
    *index = session_buffer(s->session, name, shown, spec, sampling, loc);
    return *index == SIZE_MAX ? WF_BAD_INPUT : WF_OK;
}

static enum wf_status make_buffer(struct script *s, const struct line *l, const char *form, const char *name,
                                  const char *text, const struct session_sampling *sampling)
{
    struct spec spec;
    const char *full = arena_printf(&s->arena, "%s=%s", form, text);
    enum wf_status status = parse_spec(s, &spec, full, l->words[1].loc);
    if (status != WF_OK) return status;
    size_t index;
    status = add_buffer(s, name, name, &spec, sampling, l->words[1].loc, &index);
    spec_fini(&spec); // empty, once the session has taken it
    return status;
}

static enum wf_status run_buffer(struct script *s, const struct line *l, const char *const *w)
{
    return make_buffer(s, l, "buf", w[0], w[1], NULL);
}

static enum wf_status run_texture(struct script *s, const struct line *l, const char *const *w)
{
    struct session_sampling as = {.filter = WF_FILTER_POINT, .address = WF_ADDRESS_CLAMP};
    for (unsigned i = 2; i < l->count; i++) {
        if (str_equal(w[i], "point"))
            as.filter = WF_FILTER_POINT;
        else if (str_equal(w[i], "linear"))
            as.filter = WF_FILTER_LINEAR;
        else if (str_equal(w[i], "clamp"))
            as.address = WF_ADDRESS_CLAMP;
        else if (str_equal(w[i], "wrap"))
            as.address = WF_ADDRESS_WRAP;
        else if (str_equal(w[i], "mirror"))
            as.address = WF_ADDRESS_MIRROR;
        else if (str_equal(w[i], "border"))
            as.address = WF_ADDRESS_BORDER;
        else if (str_equal(w[i], "normalised"))
            as.normalised_coordinates = true;
        else if (str_equal(w[i], "unit"))
            as.normalised_read = true;
        else
            return bad(s, l->words[i].loc, "write %s", commands[SCRIPT_texture].usage);
    }
    return make_buffer(s, l, "tex", w[0], w[1], &as);
}

static enum wf_status run_symbol(struct script *s, const struct line *l, const char *const *w)
{
    struct spec spec;
    enum wf_status status = need_module(s, l);
    if (status == WF_OK) status = parse_spec(s, &spec, w[1], l->words[1].loc);
    if (status != WF_OK) return status;
    status = session_symbol(s->session, w[0], &spec, l->words[0].loc);
    spec_fini(&spec);
    return status;
}

static enum wf_status run_bind(struct script *s, const struct line *l, const char *const *w)
{
    enum wf_status status = need_module(s, l);
    if (status != WF_OK) return status;
    struct session_buffer *b = session_find(s->session, w[1]);
    if (!b || !b->texture) return bad(s, l->words[1].loc, "\"%s\" is no texture", w[1]);
    status = wf_bind_texture(s->session->module, w[0], b->texture);
    if (status != WF_OK) session_take_errors(s->session, l->words[0].loc);
    return status;
}

static enum wf_status run_copy(struct script *s, const struct line *l, const char *const *w)
{
    uint64_t to, to_bytes, from, from_bytes, bytes;
    enum wf_status status = session_place(s->session, w[0], &to, &to_bytes, l->words[0].loc);
    if (status == WF_OK) status = session_place(s->session, w[1], &from, &from_bytes, l->words[1].loc);
    if (status != WF_OK) return status;
    bytes = from_bytes;
    if (l->count > 2 && !str_to_u64(w[2], &bytes))
        return bad(s, l->words[2].loc, "\"%s\" is no number of bytes", w[2]);
    if (bytes > from_bytes || bytes > to_bytes)
        return bad(s, l->words[0].loc, "%" PRIu64 " bytes do not fit: %s has %" PRIu64 ", %s has %" PRIu64,
                   bytes, w[0], to_bytes, w[1], from_bytes);
    if ((status = session_wait(s->session)) != WF_OK) return status;
    status = wf_copy(s->session->context, to, from, bytes);
    if (status != WF_OK) session_take_errors(s->session, l->loc);
    return status;
}

static enum wf_status run_fill(struct script *s, const struct line *l, const char *const *w)
{
    struct spec spec;
    uint64_t to, bytes, count;
    enum wf_status status = session_place(s->session, w[0], &to, &bytes, l->words[0].loc);
    if (status == WF_OK) status = parse_spec(s, &spec, w[1], l->words[1].loc);
    if (status != WF_OK) return status;
    if (spec.kind != SPEC_SCALAR) {
        spec_fini(&spec);
        return bad(s, l->words[1].loc, "fill takes one TYPE=VALUE");
    }
    unsigned size = spec_type_bytes(spec.type);
    count = bytes / size;
    if (l->count > 2 && !str_to_u64(w[2], &count)) return bad(s, l->words[2].loc, "\"%s\" is no count", w[2]);
    if (count > bytes / size)
        return bad(s, l->words[0].loc, "%" PRIu64 " x %s do not fit: %s has %" PRIu64 " bytes", count,
                   spec_type_name(spec.type), w[0], bytes);
    if ((status = session_wait(s->session)) != WF_OK) return status;
    uint8_t content[4096]; // a part at a time: a buffer may be as large as the device's memory
    uint64_t most = sizeof content / size;
    for (uint64_t i = 0; i < most; i++) memcpy(content + i * size, spec.value, size);
    for (uint64_t i = 0; i < count && status == WF_OK; i += most) {
        uint64_t part = count - i < most ? count - i : most;
        status = wf_write(s->session->context, to + i * size, content, part * size);
    }
    if (status != WF_OK) session_take_errors(s->session, l->loc);
    return status;
}

// A word of a launch: SPEC, or a buffer's name. Specs that own memory are kept in `specs` until the launch is
// over.
static enum wf_status make_argument(struct script *s, const struct word *word, const char *text,
                                    struct spec *spec, struct session_argument *a)
{
    const struct session_buffer *b;
    uint64_t address, bytes;
    if (!strchr(text, '=')) {
        b = session_find(s->session, text);
        enum wf_status status = WF_OK;
        if (b && b->texture)
            address = b->texture;
        else
            status = session_place(s->session, text, &address, &bytes, word->loc);
        session_address_argument(a, address, text);
        return status;
    }
    enum wf_status status = parse_spec(s, spec, text, word->loc);
    if (status != WF_OK) return status;
    if (spec->kind == SPEC_SCALAR || spec->kind == SPEC_BYTES) {
        session_spec_argument(a, spec, text);
        return WF_OK;
    }
    const char *name = arena_printf(&s->arena, "#%u", s->temporaries++);
    size_t index;
    if ((status = add_buffer(s, name, text, spec, NULL, word->loc, &index)) != WF_OK) return status;
    b = &s->session->buffers.data[index];
    session_address_argument(a, b->texture ? b->texture : b->address, text);
    return WF_OK;
}

static enum wf_status run_stream(struct script *s, const struct line *l, const char *const *w)
{
    if (str_equal(w[0], "default"))
        return bad(s, l->words[0].loc, "default is the stream of launches without stream=NAME");
    session_stream(s->session, w[0]);
    return WF_OK;
}

static enum wf_status run_wait(struct script *s, const struct line *l, const char *const *w)
{
    if (!l->count) return session_wait(s->session);
    struct wf_stream *stream = session_find_stream(s->session, w[0], l->words[0].loc);
    if (!stream) return WF_BAD_INPUT;
    return wf_stream_wait(stream) == WF_OK ? WF_OK : session_wait(s->session);
}

// shared=BYTES, stream=NAME. False: the word is an argument.
static bool take_option(struct script *s, const struct word *word, const char *text,
                        struct wf_launch_config *shape, enum wf_status *status)
{
    uint64_t shared;
    if (str_starts_with(text, "stream=")) {
        shape->stream = session_find_stream(s->session, text + strlen("stream="), word->loc);
        if (!shape->stream) *status = WF_BAD_INPUT;
        return true;
    }
    if (!str_starts_with(text, "shared=")) return false;
    if (!str_to_u64(text + strlen("shared="), &shared) || shared > UINT32_MAX)
        *status = bad(s, word->loc, "\"%s\" is no number of bytes", text + strlen("shared="));
    else
        shape->shared_bytes = (uint32_t)shared;
    return true;
}

static enum wf_status run_launch(struct script *s, const struct line *l, const char *const *w)
{
    enum wf_status status = need_module(s, l);
    if (status != WF_OK) return status;
    struct wf_kernel *kernel = session_kernel(s->session, w[0], l->words[0].loc);
    if (!kernel) return WF_BAD_INPUT;
    struct wf_launch_config shape = {0};
    if (!command_parse_shape("grid", w[1], shape.grid, l->words[1].loc, s->d) ||
        !command_parse_shape("block", w[2], shape.block, l->words[2].loc, s->d))
        return WF_BAD_INPUT;
    struct spec specs[WORDS_MAX] = {0};
    struct session_argument args[WORDS_MAX];
    size_t count = 0;
    for (unsigned i = 3; i < l->count && status == WF_OK; i++)
        if (!take_option(s, &l->words[i], w[i], &shape, &status))
            status = make_argument(s, &l->words[i], w[i], &specs[i], &args[count++]);
    if (status == WF_OK) status = session_launch(s->session, kernel, &shape, args, count, l->loc);
    for (unsigned i = 0; i < WORDS_MAX; i++) spec_fini(&specs[i]);
    return status;
}

static enum wf_status run_swap(struct script *s, const struct line *l, const char *const *w)
{
    struct session_buffer *b[2];
    for (unsigned i = 0; i < 2; i++)
        if (!(b[i] = session_find(s->session, w[i])))
            return bad(s, l->words[i].loc, "no buffer \"%s\"", w[i]);
    char *name = b[0]->name;
    b[0]->name = b[1]->name;
    b[1]->name = name;
    return WF_OK;
}

static enum wf_status run_free(struct script *s, const struct line *l, const char *const *w)
{
    struct session_buffer *b = session_find(s->session, w[0]);
    if (!b) return bad(s, l->words[0].loc, "no buffer \"%s\"", w[0]);
    enum wf_status status = session_wait(s->session);
    if (status != WF_OK) return status;
    b->freed = true;
    return wf_free(s->session->context, b->address);
}

static enum wf_status run_dump(struct script *s, const struct line *l, const char *const *w)
{
    uint64_t address, bytes;
    enum wf_status status = session_place(s->session, w[0], &address, &bytes, l->words[0].loc);
    if (status != WF_OK) return status;
    const char *path = resolve_path(s, w[1]);
    if (!results_claim(s->session->results, "dump", path, l->words[1].loc)) return WF_BAD_INPUT;
    return session_dump(s->session, address, bytes, path, l->loc);
}

static enum wf_status run_repeat(struct script *s, const struct line *l, const char *const *w)
{
    struct loop loop = {.step = 1};
    if (!str_to_u64(w[0], &loop.left)) return bad(s, l->words[0].loc, "\"%s\" is no count", w[0]);
    if (l->count > 1) loop.variable = w[1];
    if (l->count > 2 && !str_to_i64(w[2], &loop.value))
        return bad(s, l->words[2].loc, "\"%s\" is no number", w[2]);
    if (l->count > 3 && !str_to_i64(w[3], &loop.step))
        return bad(s, l->words[3].loc, "\"%s\" is no number", w[3]);
    s->loops[s->depth++] = loop;
    return WF_OK;
}

static enum wf_status run_end(struct script *s, const struct line *l, const char *const *w)
{
    (void)l, (void)w;
    struct loop *loop = &s->loops[s->depth - 1];
    loop->left--;
    loop->value = (int64_t)((uint64_t)loop->value + (uint64_t)loop->step);
    return WF_OK;
}

static enum wf_status run_line(struct script *s, const struct line *l)
{
    typedef enum wf_status handler(struct script *, const struct line *, const char *const *);
    static handler *const handlers[SCRIPT_COUNT] = {
#define COMMAND(function, name, least, most, usage) [SCRIPT_##function] = run_##function,
#include "cli/script.def"
#undef COMMAND
    };
    const char *words[WORDS_MAX];
    for (unsigned i = 0; i < l->count; i++)
        if (!(words[i] = expand(s, &l->words[i]))) return WF_BAD_INPUT;
    return handlers[l->command](s, l, words);
}

static enum wf_status run_lines(struct script *s)
{
    for (size_t i = 0; i < s->lines.count;) {
        const struct line *l = &s->lines.data[i];
        enum wf_status status = run_line(s, l);
        if (status != WF_OK) return status;
        bool done = s->depth && !s->loops[s->depth - 1].left;
        if (l->command == SCRIPT_repeat && done) {
            s->depth--;
            i = l->match + 1;
        } else if (l->command == SCRIPT_end && !done) {
            i = l->match + 1;
        } else {
            s->depth -= l->command == SCRIPT_end;
            i++;
        }
    }
    return WF_OK;
}

enum wf_status script_run(struct session *session, const char *path)
{
    char *text;
    size_t length;
    const char *why;
    if (!results_claim_read(session->results, path, loc_none())) return WF_BAD_INPUT;
    if (!file_read(path, &text, &length, &why)) {
        diag_error(session->diag, loc_none(), "cannot read %s: %s", path, why);
        return WF_BAD_INPUT;
    }
    struct script s = {.session = session, .d = session->diag};
    arena_init(&s.arena);
    const char *slash = strrchr(path, '/');
    s.folder = slash ? arena_strndup(&s.arena, path, (size_t)(slash - path) + (slash == path)) : ".";
    uint32_t source = diag_add_source(s.d, path, text, length);
    enum wf_status status = read_script(&s, text, length, source) ? run_lines(&s) : WF_BAD_INPUT;
    if (status == WF_OK) status = session_wait(session);
    if (status == WF_OK && !session->report.launches.count)
        status = bad(&s, (struct loc){.source = source}, "the script launches nothing");
    vec_fini(&s.lines);
    arena_fini(&s.arena);
    free(text);
    return status;
}
