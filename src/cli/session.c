// Buffers, arguments and dumps of a run.
#include "cli/session.h"
#include "base/file.h"
#include "cli/checkpoint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void session_init(struct session *s, struct wf_context *context, struct diag *d, struct results *r)
{
    *s = (struct session){.context = context, .diag = d, .results = r};
}

void session_fini(struct session *s)
{
    for (size_t i = 0; i < s->buffers.count; i++) {
        free(s->buffers.data[i].name);
        free(s->buffers.data[i].shown);
        free(s->buffers.data[i].content);
        spec_fini(&s->buffers.data[i].spec);
    }
    for (size_t i = 0; i < s->streams.count; i++) free(s->streams.data[i].name);
    vec_fini(&s->buffers);
    vec_fini(&s->streams);
    vec_fini(&s->pending); // destroyed with the context
    report_run_fini(&s->report);
}

// If the context's first message has a location in PTX, all messages stay in the context, and the script line
// gets a note. Otherwise all move to the session, with the location of the script line.
void session_take_errors(struct session *s, struct loc loc)
{
    static const char placeless[] = "error: ";
    const char *text = wf_errors(s->context);
    if (str_starts_with(text, placeless)) {
        diag_text(s->diag, DIAG_ERROR, loc, text + strlen(placeless));
        wf_clear_errors(s->context);
    } else if (loc.source) {
        diag_note(s->diag, loc, "during this line of the script");
    }
}

static enum wf_status library(struct session *s, enum wf_status status, struct loc loc)
{
    if (status != WF_OK) session_take_errors(s, loc);
    return status;
}

// Adds the file's bytes to the identity of checkpoints.
static void note_file(struct session *s, const char *path)
{
    char *text;
    size_t length;
    const char *why;
    if (!file_read(path, &text, &length, &why)) { // read by the library under another name (PATH.packed)
        checkpoint_note(s->checkpoint, path, strlen(path));
        return;
    }
    checkpoint_note(s->checkpoint, text, length);
    free(text);
}

// Loads the PTX of CUDA C, with the rewrites of a what-if run.
static struct wf_module *load_cuda(struct session *s, const char *path)
{
    const struct toolchain_ptx *ptx = sources_ptx(s->sources, path, s->diag);
    struct strbuf name = {0}, text = {0};
    if (!ptx) return NULL;
    strbuf_printf(&name, "%.*sptx", (int)(strlen(path) - strlen("cu")), path);
    if (s->change && s->change->rewrite_count)
        change_text(s->change, ptx->text, &text);
    else
        strbuf_write(&text, ptx->text, ptx->length);
    struct wf_module *m = wf_module_load(s->context, name.text, strbuf_text(&text), text.length);
    strbuf_fini(&name);
    strbuf_fini(&text);
    return m;
}

// Loads a module, with the rewrites of a what-if run. A packed file stays as it is.
static struct wf_module *load(struct session *s, const char *path)
{
    char *text;
    size_t length;
    const char *why;
    if (s->sources && toolchain_is_cuda(path)) return load_cuda(s, path);
    if (!s->change || !s->change->rewrite_count || !file_read(path, &text, &length, &why))
        return wf_module_load_file(s->context, path);
    struct strbuf changed = {0};
    if (strlen(text) == length) change_text(s->change, text, &changed);
    struct wf_module *m = strlen(text) == length
                              ? wf_module_load(s->context, path, strbuf_text(&changed), changed.length)
                              : wf_module_load_file(s->context, path);
    strbuf_fini(&changed);
    free(text);
    return m;
}

enum wf_status session_load(struct session *s, const char *path, struct loc loc)
{
    if (!results_claim_read(s->results, path, loc)) return WF_BAD_INPUT;
    struct wf_module *m = load(s, path);
    if (!m && s->diag->errors && !*wf_errors(s->context)) return WF_BAD_INPUT; // CUDA C that does not compile
    if (!m) return library(s, WF_BAD_INPUT, loc);
    s->module = m;
    s->is_cuda = toolchain_is_cuda(path);
    if (s->checkpoint) note_file(s, path);
    return WF_OK;
}

struct wf_kernel *session_kernel(struct session *s, const char *name, struct loc loc)
{
    struct wf_kernel *k = wf_kernel_find(s->module, name);
    if (!k) session_take_errors(s, loc);
    if (!k && s->is_cuda && !wf_kernel_name(s->module, 0))
        diag_note(s->diag, loc,
                  "a template is no kernel before its instance is named: --kernel 'NAME<ARGUMENTS>'");
    return k;
}

// Writes a buffer's initial content, a chunk of 2^17 elements at a time. New buffers are zero, so zeros need
// no write, except for the checker.
static enum wf_status write_content(struct session *s, const struct spec *spec, uint64_t address,
                                    struct loc loc)
{
    enum { CHUNK = 1 << 17 };
    if (spec->init == SPEC_NONE || (spec->init == SPEC_ZERO && !s->is_checked)) return WF_OK;
    size_t size = spec_type_bytes(spec->type);
    uint8_t *chunk = heap_alloc(CHUNK * size);
    enum wf_status status = WF_OK;
    for (uint64_t i = 0; i < spec->count && status == WF_OK; i += CHUNK) {
        uint64_t count = spec->count - i < CHUNK ? spec->count - i : CHUNK;
        spec_fill(spec, i, count, chunk);
        status = library(s, wf_write(s->context, address + i * size, chunk, count * size), loc);
    }
    free(chunk);
    return status;
}

enum wf_status session_record(struct session *s, uint64_t address, uint64_t size_bytes)
{
    if (!s->tape) return WF_OK;
    uint8_t *bytes = heap_alloc(size_bytes + 1);
    enum wf_status status = wf_read(s->context, address, bytes, size_bytes);
    if (status == WF_OK) tape_write(s->tape, address, bytes, size_bytes);
    free(bytes);
    return status;
}

// As write_content, for a buffer. A small content is kept for the comparison after the launches.
static enum wf_status write_buffer(struct session *s, struct session_buffer *b, struct loc loc)
{
    enum { KEPT = 1 << 26 }; // bytes of all kept contents
    bool is_made = b->spec.init > SPEC_ZERO && b->spec.init != SPEC_FILE;
    if (!is_made || b->size_bytes > KEPT - s->kept_bytes) return write_content(s, &b->spec, b->address, loc);
    s->kept_bytes += b->size_bytes;
    b->content = heap_resize(NULL, b->size_bytes);
    spec_fill(&b->spec, 0, b->spec.count, b->content);
    return library(s, wf_write(s->context, b->address, b->content, b->size_bytes), loc);
}

static enum wf_texel texel(enum spec_type type)
{
    switch (type) {
    case SPEC_U8: return WF_TEXEL_U8;
    case SPEC_S8: return WF_TEXEL_S8;
    case SPEC_U16: return WF_TEXEL_U16;
    case SPEC_S16: return WF_TEXEL_S16;
    case SPEC_U32: return WF_TEXEL_U32;
    case SPEC_S32: return WF_TEXEL_S32;
    case SPEC_F32: return WF_TEXEL_F32;
    case SPEC_U64:
    case SPEC_S64:
    case SPEC_F64:
    case SPEC_F16:
    case SPEC_BF16:
    case SPEC_TYPE_COUNT: break; // refused by spec_parse
    }
    return WF_TEXEL_F32;
}

static uint64_t make_texture(struct session *s, const struct session_buffer *b,
                             const struct session_sampling *sampling)
{
    struct session_sampling as =
        sampling ? *sampling : (struct session_sampling){.address = WF_ADDRESS_CLAMP};
    struct wf_texture_config config = {.texel = texel(b->spec.type),
                                       .channels = 1,
                                       .width = b->spec.extent[0],
                                       .height = b->spec.extent[1],
                                       .depth = b->spec.extent[2],
                                       .normalised_coordinates = as.normalised_coordinates,
                                       .normalised_read = as.normalised_read,
                                       .filter = as.filter,
                                       .address = {as.address, as.address, as.address}};
    return wf_texture_create(s->context, b->address, &config);
}

size_t session_buffer(struct session *s, const char *name, const char *shown, struct spec *spec,
                      const struct session_sampling *sampling, struct loc loc)
{
    struct session_buffer b = {
        .name = heap_strdup(name), .shown = heap_strdup(shown), .spec = *spec, .loc = loc};
    *spec = (struct spec){0};
    b.size_bytes = spec_size_bytes(&b.spec);
    b.address = wf_alloc_named(s->context, b.size_bytes, shown);
    bool ok = b.address != 0;
    if (ok && b.spec.kind == SPEC_TEXTURE) ok = (b.texture = make_texture(s, &b, sampling)) != 0;
    if (!ok) session_take_errors(s, loc);
    vec_push(&s->buffers, b);
    if (!ok || write_buffer(s, &vec_last(&s->buffers), loc) != WF_OK) return SIZE_MAX;
    if (session_record(s, b.address, b.size_bytes) != WF_OK) return SIZE_MAX;
    return s->buffers.count - 1;
}

struct session_buffer *session_find(const struct session *s, const char *name)
{
    for (size_t i = s->buffers.count; i-- > 0;) {
        struct session_buffer *b = &s->buffers.data[i];
        if (!b->freed && str_equal(b->name, name)) return b;
    }
    return NULL;
}

struct session_buffer *session_find_freed(const struct session *s, const char *name)
{
    for (size_t i = s->buffers.count; i-- > 0;) {
        struct session_buffer *b = &s->buffers.data[i];
        if (b->freed && str_equal(b->name, name)) return b;
    }
    return NULL;
}

void session_leaks(struct session *s)
{
    bool has_free = false;
    for (size_t i = 0; i < s->buffers.count; i++) has_free |= s->buffers.data[i].freed;
    for (size_t i = 0; i < s->buffers.count; i++) {
        const struct session_buffer *b = &s->buffers.data[i];
        if (b->freed || *b->name == '#') continue;
        if (has_free || session_find(s, b->name) != b)
            wf_check_leak(s->context, b->address, s->diag->sources.data[b->loc.source - 1].name, b->loc.line);
    }
}

static const char *next_buffer(const void *context, size_t i)
{
    const struct session *s = context;
    return i < s->buffers.count ? s->buffers.data[i].name : NULL;
}

// Address and size of a live buffer, else of a variable of the module.
static enum wf_status find_place(struct session *s, const char *name, uint64_t *address, uint64_t *size_bytes,
                                 struct loc loc)
{
    const struct session_buffer *b = session_find(s, name);
    if (b) {
        *address = b->address;
        *size_bytes = b->size_bytes;
        return WF_OK;
    }
    if (s->module && wf_symbol(s->module, name, address, size_bytes) == WF_OK) return WF_OK;
    const char *near = str_nearest(name, next_buffer, s);
    if (s->module && !near) return library(s, WF_BAD_INPUT, loc); // the message of wf_symbol
    if (s->module) wf_clear_errors(s->context);
    if (near)
        diag_error(s->diag, loc, "no buffer \"%s\"; did you mean \"%s\"?", name, near);
    else
        diag_error(s->diag, loc, "no buffer \"%s\"", name);
    return WF_BAD_INPUT;
}

enum wf_status session_place(struct session *s, const char *text, uint64_t *address, uint64_t *size_bytes,
                             struct loc loc)
{
    const char *plus = strchr(text, '+');
    char *name = plus ? heap_strndup(text, (size_t)(plus - text)) : heap_strdup(text);
    uint64_t offset = 0;
    enum wf_status status = WF_OK;
    if (plus && !str_to_u64(plus + 1, &offset)) {
        diag_error(s->diag, loc, "\"%s\": \"%s\" is not a number of bytes", text, plus + 1);
        status = WF_BAD_INPUT;
    }
    if (status == WF_OK) status = find_place(s, name, address, size_bytes, loc);
    if (status == WF_OK && offset > *size_bytes) {
        diag_error(s->diag, loc, "%s: %s has only %" PRIu64 " bytes", text, name, *size_bytes);
        status = WF_BAD_INPUT;
    }
    free(name);
    if (status != WF_OK) return status;
    *address += offset;
    *size_bytes -= offset;
    return WF_OK;
}

static enum wf_status bind(struct session *s, const char *name, struct spec *spec, struct loc loc)
{
    size_t index = session_buffer(s, name, name, spec, NULL, loc);
    if (index == SIZE_MAX) return WF_BAD_INPUT;
    return library(s, wf_bind_texture(s->module, name, s->buffers.data[index].texture), loc);
}

enum wf_status session_symbol(struct session *s, const char *name, struct spec *spec, struct loc loc)
{
    if (spec->kind == SPEC_TEXTURE) return bind(s, name, spec, loc);
    uint64_t address, bytes, size = spec_size_bytes(spec);
    enum wf_status status = session_wait(s);
    if (status == WF_OK) status = library(s, wf_symbol(s->module, name, &address, &bytes), loc);
    if (status != WF_OK) return status;
    if (size != bytes) {
        diag_error(s->diag, loc, "variable %s has %" PRIu64 " bytes, not %" PRIu64, name, bytes, size);
        return WF_BAD_INPUT;
    }
    const void *content = spec->kind == SPEC_BYTES ? (const void *)spec->bytes : spec->value;
    if (spec->kind != SPEC_BUFFER)
        status = library(s, wf_write(s->context, address, content, size), loc);
    else if (spec->init <= SPEC_ZERO)
        status = library(s, wf_fill(s->context, address, 0, 1, bytes), loc);
    else
        status = write_content(s, spec, address, loc);
    return status == WF_OK ? session_record(s, address, size) : status;
}

void session_spec_argument(struct session_argument *a, const struct spec *spec, const char *shown)
{
    bool scalar = spec->kind == SPEC_SCALAR;
    *a = (struct session_argument){.kind = scalar ? ARGUMENT_SCALAR : ARGUMENT_BYTES,
                                   .type = spec->type,
                                   .bytes = scalar ? (const void *)spec->value : spec->bytes,
                                   .size_bytes = (size_t)spec_size_bytes(spec),
                                   .shown = shown};
}

void session_address_argument(struct session_argument *a, uint64_t address, const char *shown)
{
    *a = (struct session_argument){.kind = ARGUMENT_ADDRESS, .address = address, .shown = shown};
}

static bool is_float_param(const struct wf_param *p) { return p->type[0] == 'f'; }
static bool is_integer_param(const struct wf_param *p) { return p->type[0] == 'u' || p->type[0] == 's'; }

// Names a parameter in messages: "parameter 3 (u32)", or for a structure "parameter 3 (16 bytes by value)".
static void describe_param(const struct wf_kernel_facts *info, size_t i, char text[64])
{
    const struct wf_param *p = &info->params[i];
    bool array = str_equal(p->type, "b8") && p->bytes > 1;
    if (array)
        snprintf(text, 64, "parameter %zu (%u bytes by value)", i, p->bytes);
    else
        snprintf(text, 64, "parameter %zu (%s)", i, p->type);
}

static bool check_argument(struct session *s, const struct wf_kernel_facts *info, size_t i,
                           const struct session_argument *a, struct loc loc)
{
    const struct wf_param *p = &info->params[i];
    char param[64];
    describe_param(info, i, param);
    if (a->kind == ARGUMENT_ADDRESS) {
        if (p->bytes * 8 == info->address_bits && !is_float_param(p)) return true;
        return diag_error(s->diag, loc, "%s: an address has %u bits and does not fit %s of kernel %s",
                          a->shown, info->address_bits, param, info->name);
    }
    if (a->size_bytes != p->bytes)
        return diag_error(s->diag, loc, "%s: %zu byte%s given; %s of kernel %s takes %u", a->shown,
                          a->size_bytes, a->size_bytes == 1 ? "" : "s", param, info->name, p->bytes);
    if (a->kind == ARGUMENT_BYTES) return true;
    bool is_float = spec_type_is_float(a->type);
    if (is_float ? !is_integer_param(p) : !is_float_param(p)) return true;
    return diag_error(s->diag, loc, "%s: %s given, but %s of kernel %s is %s", a->shown,
                      spec_type_name(a->type), param, info->name, is_float ? "an integer" : "floating-point");
}

// -- launches -----------------------------------------------------------------------------------------------

struct wf_stream *session_stream(struct session *s, const char *name)
{
    for (size_t i = 0; i < s->streams.count; i++)
        if (str_equal(s->streams.data[i].name, name)) return s->streams.data[i].stream;
    struct wf_stream *stream = wf_stream_create(s->context);
    wf_stream_name(stream, name);
    vec_push(&s->streams, (struct session_stream){heap_strdup(name), stream});
    return stream;
}

static const char *next_stream(const void *context, size_t i)
{
    const struct session *s = context;
    return i < s->streams.count ? s->streams.data[i].name : NULL;
}

struct wf_stream *session_find_stream(struct session *s, const char *name, struct loc loc)
{
    for (size_t i = 0; i < s->streams.count; i++)
        if (str_equal(s->streams.data[i].name, name)) return s->streams.data[i].stream;
    const char *near = str_nearest(name, next_stream, s);
    if (near)
        diag_error(s->diag, loc, "no stream \"%s\"; did you mean \"%s\"?", name, near);
    else
        diag_error(s->diag, loc, "no stream \"%s\"; write stream %s first", name, name);
    return NULL;
}

// Gives each failed launch's message the script line of the launch. If the context's first message has a
// location, all messages stay in the context, and each line gets a note.
static void take_failures(struct session *s)
{
    bool placeless = str_starts_with(wf_errors(s->context), "error: ");
    for (size_t i = 0; i < s->pending.count; i++) {
        const struct session_pending *p = &s->pending.data[i];
        const struct wf_stats *stats = wf_launch_stats(p->launch);
        if (stats->status == WF_OK || !stats->has_run) continue;
        if (placeless)
            diag_text(s->diag, DIAG_ERROR, p->loc, stats->fault_text);
        else if (p->loc.source)
            diag_note(s->diag, p->loc, "during this line of the script");
    }
    if (placeless) wf_clear_errors(s->context);
}

enum wf_status session_wait(struct session *s)
{
    enum wf_status status = WF_OK;
    if (!s->pending.count) return WF_OK;
    wf_synchronise(s->context); // the status is also in each launch's stats
    for (size_t i = 0; i < s->pending.count; i++) {
        const struct session_pending *p = &s->pending.data[i];
        const struct wf_stats *stats = wf_launch_stats(p->launch);
        if (status == WF_OK) status = stats->status;
        report_run_add(&s->report, p->kernel, &p->shape, stats);
        if (s->launched) s->launched(s->launched_context, p->kernel, &p->shape, stats);
    }
    if (status != WF_OK) take_failures(s);
    for (size_t i = 0; i < s->pending.count; i++) wf_launch_free(s->pending.data[i].launch);
    s->pending.count = 0;
    return status;
}

static void record_launch(struct session *s, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                          const void *const *values, size_t count)
{
    struct wf_launch_config alone = *shape;
    alone.stream = NULL; // the stream of the player
    tape_launch(s->tape, kernel, &alone, values, count);
}

enum wf_status session_launch(struct session *s, struct wf_kernel *kernel,
                              const struct wf_launch_config *shape, const struct session_argument *args,
                              size_t count, struct loc loc)
{
    const struct wf_kernel_facts *info = wf_kernel_info(kernel);
    const void **values = heap_alloc(count * sizeof *values);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        values[i] = args[i].kind == ARGUMENT_ADDRESS ? (const void *)&args[i].address : args[i].bytes;
        if (i < info->param_count) ok &= check_argument(s, info, i, &args[i], loc);
    }
    struct wf_pending *launch = NULL;
    struct wf_launch_config whole = *shape;
    change_shape(s->change, kernel, &whole);
    enum wf_status status = WF_BAD_INPUT;
    if (ok || count != info->param_count)
        status = library(s, wf_launch_async(kernel, &whole, (void *const *)values, count, &launch), loc);
    if (launch && s->tape) record_launch(s, kernel, &whole, values, count);
    free(values);
    if (!launch) return status;
    vec_push(&s->pending, (struct session_pending){launch, kernel, whole, loc});
    return shape->stream ? WF_OK : session_wait(s);
}

bool session_reads(struct session *s, const struct spec *spec, struct loc loc)
{
    return !spec->path || results_claim_read(s->results, spec->path, loc);
}

enum wf_status session_dump(struct session *s, uint64_t address, uint64_t size_bytes, const char *path,
                            struct loc loc)
{
    enum wf_status status = session_wait(s);
    if (status != WF_OK) return status;
    char *bytes = heap_try(size_bytes);
    if (!bytes) {
        diag_error(s->diag, loc, "not enough memory for the %" PRIu64 " bytes of %s", size_bytes, path);
        return WF_BAD_INPUT;
    }
    status = library(s, wf_read(s->context, address, bytes, size_bytes), loc);
    results_take(s->results, path, bytes, size_bytes);
    return status;
}
