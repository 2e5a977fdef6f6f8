// Executes a script's commands on a session, line by line. Words such as specs and names are interpreted at
// execution, because buffers and modules come and go.
#include "cli/script.h"
#include "base/file.h"
#include "cli/checkpoint.h"
#include "cli/command.h"
#include "cli/script_text.h"
#include "cli/shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct script {
    struct session *session;
    struct diag *d;
    struct script_text text;
    const char *folder;   // of the script; base of relative paths
    unsigned temporaries; // buffers made by buf= in a launch
};

bool script_check(const char *text, size_t length, uint32_t source, struct diag *d)
{
    struct script_text s;
    script_text_init(&s, d);
    bool ok = script_text_read(&s, text, length, source);
    script_text_fini(&s);
    return ok;
}

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

static const char *resolve_path(struct script *s, const char *path)
{
    return *path == '/' ? path : arena_printf(&s->text.arena, "%s/%s", s->folder, path);
}

static enum wf_status parse_spec(struct script *s, struct spec *spec, const char *text, struct loc loc)
{
    if (!spec_parse(spec, text, s->folder, NULL, loc, s->d)) return WF_BAD_INPUT;
    if (session_reads(s->session, spec, loc)) return WF_OK;
    spec_fini(spec);
    return WF_BAD_INPUT;
}

static enum wf_status need_module(struct script *s, const struct script_line *l)
{
    return s->session->module ? WF_OK : bad(s, l->loc, "no module is loaded; write load FILE first");
}

static enum wf_status run_load(struct script *s, const struct script_line *l, const char *const *w)
{
    return session_load(s->session, resolve_path(s, w[0]), l->words[0].loc);
}

static enum wf_status run_set(struct script *s, const struct script_line *l, const char *const *w)
{
    const char *equals = strchr(w[0], '=');
    if (!equals) return bad(s, l->words[0].loc, "write set KEY=VALUE");
    const char *key = arena_strndup(&s->text.arena, w[0], (size_t)(equals - w[0]));
    enum wf_status status = session_wait(s->session);
    if (status != WF_OK) return status;
    status = wf_set(s->session->context, key, equals + 1);
    if (status != WF_OK) session_take_errors(s->session, l->words[0].loc);
    return status;
}

// Allocates a buffer. Content other than zeros is written after a wait for all launches.
static enum wf_status add_buffer(struct script *s, const char *name, const char *shown, struct spec *spec,
                                 const struct session_sampling *sampling, struct loc loc, size_t *index)
{
    enum wf_status status = spec->init <= SPEC_ZERO ? WF_OK : session_wait(s->session);
    if (status != WF_OK) return status;
    *index = session_buffer(s->session, name, shown, spec, sampling, loc);
    return *index == SIZE_MAX ? WF_BAD_INPUT : WF_OK;
}

static enum wf_status make_buffer(struct script *s, const struct script_line *l, const char *form,
                                  const char *name, const char *text, const struct session_sampling *sampling)
{
    struct spec spec;
    const char *full = arena_printf(&s->text.arena, "%s=%s", form, text);
    enum wf_status status = parse_spec(s, &spec, full, l->words[1].loc);
    if (status != WF_OK) return status;
    size_t index;
    status = add_buffer(s, name, name, &spec, sampling, l->words[1].loc, &index);
    spec_fini(&spec); // no effect after the session has taken the spec
    return status;
}

static enum wf_status run_buffer(struct script *s, const struct script_line *l, const char *const *w)
{
    return make_buffer(s, l, "buf", w[0], w[1], NULL);
}

static enum wf_status run_texture(struct script *s, const struct script_line *l, const char *const *w)
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
            return bad(s, l->words[i].loc, "write %s", script_command_usage(SCRIPT_texture));
    }
    return make_buffer(s, l, "tex", w[0], w[1], &as);
}

// Writes the addresses of named buffers into a structure.
static enum wf_status fill_pointers(struct script *s, struct spec *spec, struct loc loc)
{
    enum wf_status status = WF_OK;
    for (size_t i = 0; i < spec->pointer_count && status == WF_OK; i++) {
        uint64_t address, bytes;
        status = session_place(s->session, spec->pointers[i].name, &address, &bytes, loc);
        if (status == WF_OK) memcpy(spec->bytes + spec->pointers[i].offset, &address, sizeof address);
    }
    return status;
}

static enum wf_status run_symbol(struct script *s, const struct script_line *l, const char *const *w)
{
    struct spec spec;
    enum wf_status status = need_module(s, l);
    if (status == WF_OK) status = parse_spec(s, &spec, w[1], l->words[1].loc);
    if (status != WF_OK) return status;
    status = fill_pointers(s, &spec, l->words[1].loc);
    if (status == WF_OK) status = session_symbol(s->session, w[0], &spec, l->words[0].loc);
    spec_fini(&spec);
    return status;
}

static enum wf_status run_bind(struct script *s, const struct script_line *l, const char *const *w)
{
    enum wf_status status = need_module(s, l);
    if (status != WF_OK) return status;
    struct session_buffer *b = session_find(s->session, w[1]);
    if (!b || !b->texture) return bad(s, l->words[1].loc, "\"%s\" is not a texture", w[1]);
    status = wf_bind_texture(s->session->module, w[0], b->texture);
    if (status != WF_OK) session_take_errors(s->session, l->words[0].loc);
    return status;
}

static enum wf_status run_copy(struct script *s, const struct script_line *l, const char *const *w)
{
    uint64_t to, to_bytes, from, from_bytes, bytes;
    enum wf_status status = session_place(s->session, w[0], &to, &to_bytes, l->words[0].loc);
    if (status == WF_OK) status = session_place(s->session, w[1], &from, &from_bytes, l->words[1].loc);
    if (status != WF_OK) return status;
    bytes = from_bytes;
    if (l->count > 2 && !str_to_u64(w[2], &bytes))
        return bad(s, l->words[2].loc, "\"%s\" is not a number of bytes", w[2]);
    if (bytes > from_bytes || bytes > to_bytes)
        return bad(s, l->words[0].loc, "%" PRIu64 " bytes do not fit: %s has %" PRIu64 ", %s has %" PRIu64,
                   bytes, w[0], to_bytes, w[1], from_bytes);
    if ((status = session_wait(s->session)) != WF_OK) return status;
    status = wf_copy(s->session->context, to, from, bytes);
    if (status == WF_OK) status = session_record(s->session, to, bytes);
    if (status != WF_OK) session_take_errors(s->session, l->loc);
    return status;
}

static enum wf_status run_fill(struct script *s, const struct script_line *l, const char *const *w)
{
    struct spec spec;
    uint64_t to, bytes, count;
    enum wf_status status = session_place(s->session, w[0], &to, &bytes, l->words[0].loc);
    if (status == WF_OK) status = parse_spec(s, &spec, w[1], l->words[1].loc);
    if (status != WF_OK) return status;
    if (spec.kind != SPEC_SCALAR) {
        spec_fini(&spec);
        return bad(s, l->words[1].loc, "fill takes a single TYPE=VALUE");
    }
    unsigned size = spec_type_bytes(spec.type);
    count = bytes / size;
    if (l->count > 2 && !str_to_u64(w[2], &count))
        return bad(s, l->words[2].loc, "\"%s\" is not a count", w[2]);
    if (count > bytes / size)
        return bad(s, l->words[0].loc, "%" PRIu64 " x %s do not fit: %s has %" PRIu64 " bytes", count,
                   spec_type_name(spec.type), w[0], bytes);
    if ((status = session_wait(s->session)) != WF_OK) return status;
    uint8_t content[4096]; // filled in parts: a buffer may be as large as device memory
    uint64_t most = sizeof content / size;
    for (uint64_t i = 0; i < most; i++) memcpy(content + i * size, spec.value, size);
    for (uint64_t i = 0; i < count && status == WF_OK; i += most) {
        uint64_t part = count - i < most ? count - i : most;
        status = wf_write(s->session->context, to + i * size, content, part * size);
    }
    if (status == WF_OK) status = session_record(s->session, to, count * size);
    if (status != WF_OK) session_take_errors(s->session, l->loc);
    return status;
}

// Makes a launch argument from a SPEC, or from the name of a buffer or variable. The caller frees the spec
// after the call of the launch.
static enum wf_status make_argument(struct script *s, const struct script_word *word, const char *text,
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
    if (status == WF_OK) status = fill_pointers(s, spec, word->loc);
    if (status != WF_OK) return status;
    if (spec->kind == SPEC_SCALAR || spec->kind == SPEC_BYTES) {
        session_spec_argument(a, spec, text);
        return WF_OK;
    }
    const char *name = arena_printf(&s->text.arena, "#%u", s->temporaries++);
    size_t index;
    if ((status = add_buffer(s, name, text, spec, NULL, word->loc, &index)) != WF_OK) return status;
    b = &s->session->buffers.data[index];
    session_address_argument(a, b->texture ? b->texture : b->address, text);
    return WF_OK;
}

// Sets the SMs of a stream: class=CLASS or sms=FIRST-LAST.
static enum wf_status place_stream(struct script *s, struct wf_stream *stream, const struct script_word *word,
                                   const char *text)
{
    uint64_t first, last;
    struct wf_class class;
    const char *end = str_starts_with(text, "sms=") ? strchr(text, '-') : NULL;
    if (str_starts_with(text, "class=")) {
        const char *name = text + strlen("class=");
        size_t k = 0;
        while (wf_class_at(s->session->context, k, &class) && !str_equal(class.name, name)) k++;
        if (!wf_class_at(s->session->context, k, &class))
            return bad(s, word->loc, "the GPU has no class of SMs \"%s\"", name);
        wf_stream_place(stream, class.first, class.count);
        return WF_OK;
    }
    char *number = end ? heap_strndup(text + strlen("sms="), (size_t)(end - text) - strlen("sms=")) : NULL;
    bool good = number && str_to_u64(number, &first) && str_to_u64(end + 1, &last) && first <= last &&
                last < UINT32_MAX;
    free(number);
    if (!good) return bad(s, word->loc, "\"%s\": write class=CLASS or sms=FIRST-LAST", text);
    wf_stream_place(stream, (uint32_t)first, (uint32_t)(last - first + 1));
    return WF_OK;
}

static enum wf_status run_stream(struct script *s, const struct script_line *l, const char *const *w)
{
    if (str_equal(w[0], "default"))
        return bad(s, l->words[0].loc, "default is the stream of launches without stream=NAME");
    struct wf_stream *stream = session_stream(s->session, w[0]);
    return l->count > 1 ? place_stream(s, stream, &l->words[1], w[1]) : WF_OK;
}

static enum wf_status run_wait(struct script *s, const struct script_line *l, const char *const *w)
{
    if (!l->count) return session_wait(s->session);
    struct wf_stream *stream = session_find_stream(s->session, w[0], l->words[0].loc);
    if (!stream) return WF_BAD_INPUT;
    return wf_stream_wait(stream) == WF_OK ? WF_OK : session_wait(s->session);
}

// Parses shared=BYTES, cluster=X[,Y[,Z]] or stream=NAME. False: the word is an argument. True with an error in *status: a bad
// value.
static bool take_option(struct script *s, const struct script_word *word, const char *text,
                        struct wf_launch_config *shape, enum wf_status *status)
{
    uint64_t shared;
    if (str_starts_with(text, "stream=")) {
        shape->stream = session_find_stream(s->session, text + strlen("stream="), word->loc);
        if (!shape->stream) *status = WF_BAD_INPUT;
        return true;
    }
    if (str_starts_with(text, "cluster=")) {
        if (!shape_parse("cluster", text + strlen("cluster="), shape->cluster, word->loc, s->d))
            *status = WF_BAD_INPUT;
        return true;
    }
    if (!str_starts_with(text, "shared=")) return false;
    if (!str_to_u64(text + strlen("shared="), &shared) || shared > UINT32_MAX)
        *status = bad(s, word->loc, "\"%s\" is not a number of bytes", text + strlen("shared="));
    else
        shape->shared_bytes = (uint32_t)shared;
    return true;
}

static enum wf_status run_launch(struct script *s, const struct script_line *l, const char *const *w)
{
    enum wf_status status = need_module(s, l);
    if (status != WF_OK) return status;
    struct wf_kernel *kernel = session_kernel(s->session, w[0], l->words[0].loc);
    if (!kernel) return WF_BAD_INPUT;
    struct wf_launch_config shape = {0};
    if (!shape_parse("grid", w[1], shape.grid, l->words[1].loc, s->d) ||
        !shape_parse("block", w[2], shape.block, l->words[2].loc, s->d))
        return WF_BAD_INPUT;
    struct spec specs[SCRIPT_WORDS_MAX] = {0};
    struct session_argument args[SCRIPT_WORDS_MAX];
    size_t count = 0;
    for (unsigned i = 3; i < l->count && status == WF_OK; i++)
        if (!take_option(s, &l->words[i], w[i], &shape, &status))
            status = make_argument(s, &l->words[i], w[i], &specs[i], &args[count++]);
    bool is_left_out = false;
    if (status == WF_OK) status = checkpoint_launch(s->session, l->loc, &is_left_out);
    if (status == WF_OK && !is_left_out)
        status = session_launch(s->session, kernel, &shape, args, count, l->loc);
    for (unsigned i = 0; i < SCRIPT_WORDS_MAX; i++) spec_fini(&specs[i]);
    return status;
}

static enum wf_status run_swap(struct script *s, const struct script_line *l, const char *const *w)
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

static enum wf_status run_free(struct script *s, const struct script_line *l, const char *const *w)
{
    struct session_buffer *b = session_find(s->session, w[0]);
    bool is_again = !b && s->session->is_checked && (b = session_find_freed(s->session, w[0])) != NULL;
    if (!b) return bad(s, l->words[0].loc, "no buffer \"%s\"", w[0]);
    enum wf_status status = session_wait(s->session);
    if (status != WF_OK) return status;
    if (is_again) {
        wf_check_at(s->session->context, s->d->sources.data[l->loc.source - 1].name, l->loc.line);
        return wf_free(s->session->context, b->address);
    }
    b->freed = true;
    s->session->kept_bytes -= b->content ? b->size_bytes : 0;
    free(b->content);
    b->content = NULL;
    return s->session->tape ? WF_OK : wf_free(s->session->context, b->address); // a tape keeps addresses
}

static enum wf_status run_dump(struct script *s, const struct script_line *l, const char *const *w)
{
    uint64_t address, bytes;
    if (s->session->checkpoint && checkpoint_is_ahead(s->session->checkpoint))
        return bad(s, l->loc,
                   "dump before the launch of the checkpoint: the bytes are those of left-out launches");
    enum wf_status status = session_place(s->session, w[0], &address, &bytes, l->words[0].loc);
    if (status != WF_OK) return status;
    const char *path = resolve_path(s, w[1]);
    if (!results_claim(s->session->results, "dump", path, l->words[1].loc)) return WF_BAD_INPUT;
    return session_dump(s->session, address, bytes, path, l->loc);
}

static enum wf_status run_repeat(struct script *s, const struct script_line *l, const char *const *w)
{
    return script_text_repeat(&s->text, l, w) ? WF_OK : WF_BAD_INPUT;
}

static enum wf_status run_end(struct script *s, const struct script_line *l, const char *const *w)
{
    (void)l, (void)w;
    script_text_end(&s->text);
    return WF_OK;
}

static enum wf_status run_line(struct script *s, const struct script_line *l)
{
    typedef enum wf_status handler(struct script *, const struct script_line *, const char *const *);
    static handler *const handlers[SCRIPT_COUNT] = {
#define COMMAND(function, name, least, most, usage, meaning) [SCRIPT_##function] = run_##function,
#include "cli/script.def"
#undef COMMAND
    };
    const char *words[SCRIPT_WORDS_MAX];
    return script_text_words(&s->text, l, words) ? handlers[l->command](s, l, words) : WF_BAD_INPUT;
}

static enum wf_status run_lines(struct script *s)
{
    for (const struct script_line *l; (l = script_text_line(&s->text)) != NULL; script_text_go_on(&s->text)) {
        enum wf_status status = run_line(s, l);
        if (status != WF_OK) return status;
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
    script_text_init(&s.text, s.d);
    const char *slash = strrchr(path, '/');
    s.folder = slash ? arena_strndup(&s.text.arena, path, (size_t)(slash - path) + (slash == path)) : ".";
    uint32_t source = diag_add_source(s.d, path, text, length);
    if (session->checkpoint) checkpoint_note(session->checkpoint, text, length);
    enum wf_status status = script_text_read(&s.text, text, length, source) ? run_lines(&s) : WF_BAD_INPUT;
    if (status == WF_OK) status = session_wait(session);
    if (status == WF_OK && session->checkpoint) status = checkpoint_end(session->checkpoint, s.d);
    if (status == WF_OK && !session->report.launches.count)
        status = bad(&s, (struct loc){.source = source}, "the script launches nothing");
    script_text_fini(&s.text);
    free(text);
    return status;
}
