#include "bench/silicon/play.h"
#include "base/file.h"
#include "cli/script_text.h"
#include "cli/shape.h"

#include <inttypes.h>
#include <string.h>

enum { PART = 1 << 24 }; // bytes of content made at a time

struct buffer {
    const char *name;
    uint64_t address, bytes; // of a texture its handle, and 0
};

struct play {
    struct device *device;
    struct diag *diag;
    struct script_text text;
    const char *folder;
    VEC(struct buffer) buffers;
    struct play_times *times;
};

static bool bad(struct play *p, struct loc loc) { return diag_error(p->diag, loc, "%s", p->device->why); }

static struct buffer *find(struct play *p, const char *name)
{
    for (size_t i = p->buffers.count; i-- > 0;)
        if (str_equal(p->buffers.data[i].name, name)) return &p->buffers.data[i];
    return NULL;
}

// -- content ------------------------------------------------------------------------------------------------

static bool write_content(struct play *p, const struct spec *s, uint64_t address, struct loc loc)
{
    unsigned size = spec_type_bytes(s->type);
    uint64_t most = PART / size;
    uint8_t *part = heap_alloc(PART);
    bool good = true;
    for (uint64_t i = 0; i < s->count && good; i += most) {
        uint64_t count = s->count - i < most ? s->count - i : most;
        spec_fill(s, i, count, part);
        good = p->device->write(p->device, address + i * size, part, count * size) || bad(p, loc);
    }
    free(part);
    return good;
}

static bool make_texture(struct play *p, const struct spec *s, struct device_texture *t, struct loc loc,
                         uint64_t *handle)
{
    uint8_t *texels = heap_alloc(spec_size_bytes(s));
    spec_fill(s, 0, s->count, texels);
    t->spec = s;
    t->texels = texels;
    bool good = p->device->texture(p->device, t, handle) || bad(p, loc);
    free(texels);
    return good;
}

// A buffer's or a texture's memory with its content.
static bool place(struct play *p, const char *name, const struct spec *s, struct device_texture *t,
                  struct loc loc, struct buffer *b)
{
    *b = (struct buffer){.name = name};
    if (s->kind == SPEC_TEXTURE) {
        if (!make_texture(p, s, t, loc, &b->address)) return false;
    } else {
        b->bytes = spec_size_bytes(s);
        if (!p->device->allocate(p->device, b->bytes, &b->address)) return bad(p, loc);
        if (!write_content(p, s, b->address, loc)) return false;
    }
    vec_push(&p->buffers, *b);
    return true;
}

static bool define(struct play *p, const struct script_line *l, const char *form, const char *const *w,
                   struct device_texture *t)
{
    struct spec s;
    struct buffer b;
    const char *text = arena_printf(&p->text.arena, "%s=%s", form, w[1]);
    if (!spec_parse(&s, text, p->folder, NULL, l->words[1].loc, p->diag)) return false;
    bool good = place(p, w[0], &s, t, l->words[1].loc, &b);
    spec_fini(&s);
    return good;
}

// NAME[+OFFSET] of a buffer or a variable; what is left of its bytes.
static bool find_place(struct play *p, const char *word, struct loc loc, uint64_t *address, uint64_t *bytes)
{
    char *name = heap_strdup(word), *plus = strchr(name, '+');
    uint64_t offset = 0;
    if (plus) *plus++ = 0;
    const struct buffer *b = find(p, name);
    bool good = true;
    if (plus && !str_to_u64(plus, &offset))
        good = diag_error(p->diag, loc, "\"%s\" is no offset", plus);
    else if (b) {
        *address = b->address;
        *bytes = b->bytes;
    } else {
        good = p->device->variable(p->device, name, address, bytes) || bad(p, loc);
    }
    if (good && offset > *bytes) good = diag_error(p->diag, loc, "%s has %" PRIu64 " bytes", name, *bytes);
    if (good) {
        *address += offset;
        *bytes -= offset;
    }
    free(name);
    return good;
}

// -- commands -----------------------------------------------------------------------------------------------

typedef bool command(struct play *p, const struct script_line *l, const char *const *w);

static bool play_load(struct play *p, const struct script_line *l, const char *const *w)
{
    const char *slash = strrchr(w[0], '/'), *base = slash ? slash + 1 : w[0];
    char *name = heap_strndup(base, strcspn(base, "."));
    bool good = p->device->load(p->device, name) || bad(p, l->words[0].loc);
    free(name);
    return good;
}

static bool play_buffer(struct play *p, const struct script_line *l, const char *const *w)
{
    return define(p, l, "buf", w, NULL);
}

static bool play_texture(struct play *p, const struct script_line *l, const char *const *w)
{
    struct device_texture t = {0};
    for (unsigned i = 2; i < l->count; i++) {
        t.linear |= str_equal(w[i], "linear");
        t.normalised |= str_equal(w[i], "normalised");
        t.unit |= str_equal(w[i], "unit");
        if (str_equal(w[i], "wrap")) t.address = DEVICE_WRAP;
        if (str_equal(w[i], "mirror")) t.address = DEVICE_MIRROR;
        if (str_equal(w[i], "border")) t.address = DEVICE_BORDER;
    }
    return define(p, l, "tex", w, &t);
}

static bool play_symbol(struct play *p, const struct script_line *l, const char *const *w)
{
    struct spec s;
    uint64_t address, bytes;
    struct loc loc = l->words[1].loc;
    if (!p->device->variable(p->device, w[0], &address, &bytes)) return bad(p, l->words[0].loc);
    if (!spec_parse(&s, w[1], p->folder, NULL, loc, p->diag)) return false;
    bool good = true;
    if (s.kind == SPEC_TEXTURE || spec_size_bytes(&s) > bytes)
        good = diag_error(p->diag, loc, "this does not go into %s of %" PRIu64 " bytes", w[0], bytes);
    else if (s.kind == SPEC_BUFFER)
        good = write_content(p, &s, address, loc);
    else
        good = p->device->write(p->device, address, s.kind == SPEC_BYTES ? (const void *)s.bytes : s.value,
                                spec_size_bytes(&s)) ||
               bad(p, loc);
    spec_fini(&s);
    return good;
}

static bool play_fill(struct play *p, const struct script_line *l, const char *const *w)
{
    struct spec s;
    uint64_t address, bytes, count;
    if (!find_place(p, w[0], l->words[0].loc, &address, &bytes) ||
        !spec_parse(&s, w[1], p->folder, NULL, l->words[1].loc, p->diag))
        return false;
    // The content const:V of as many elements.
    struct spec all = {.kind = SPEC_BUFFER, .type = s.type, .init = SPEC_CONST};
    memcpy(all.value, s.value, sizeof all.value);
    count = s.kind == SPEC_SCALAR ? bytes / spec_type_bytes(s.type) : 0;
    all.count = count;
    bool good = s.kind == SPEC_SCALAR && (l->count < 3 || str_to_u64(w[2], &all.count)) && all.count <= count;
    spec_fini(&s);
    return good ? write_content(p, &all, address, l->loc)
                : diag_error(p->diag, l->loc, "fill takes one TYPE=VALUE, and no more of it than fits");
}

static bool play_copy(struct play *p, const struct script_line *l, const char *const *w)
{
    uint64_t to, to_bytes, from, from_bytes, bytes;
    if (!find_place(p, w[0], l->words[0].loc, &to, &to_bytes) ||
        !find_place(p, w[1], l->words[1].loc, &from, &from_bytes))
        return false;
    bytes = from_bytes;
    if ((l->count > 2 && !str_to_u64(w[2], &bytes)) || bytes > from_bytes || bytes > to_bytes)
        return diag_error(p->diag, l->loc, "%s does not fit", w[1]);
    return p->device->copy(p->device, to, from, bytes) || bad(p, l->loc);
}

static bool play_swap(struct play *p, const struct script_line *l, const char *const *w)
{
    struct buffer *a = find(p, w[0]), *b = find(p, w[1]);
    if (!a || !b) return diag_error(p->diag, l->loc, "no buffer \"%s\"", a ? w[1] : w[0]);
    const char *name = a->name;
    a->name = b->name;
    b->name = name;
    return true;
}

// -- launches -----------------------------------------------------------------------------------------------

// A value for the kernel, which lives as long as the script.
static bool add_argument(struct play *p, const struct script_word *word, const char *text,
                         struct device_launch *launch)
{
    struct spec s;
    struct device_texture t = {0};
    struct buffer b;
    uint64_t address, bytes;
    void **slot = &launch->arguments[launch->count++];
    if (!strchr(text, '=')) {
        if (!find_place(p, text, word->loc, &address, &bytes)) return false;
        *slot = arena_alloc(&p->text.arena, sizeof address);
        memcpy(*slot, &address, sizeof address);
        return true;
    }
    if (!spec_parse(&s, text, p->folder, NULL, word->loc, p->diag)) return false;
    bool good = true, is_memory = s.kind == SPEC_BUFFER || s.kind == SPEC_TEXTURE;
    if (is_memory) good = place(p, "", &s, &t, word->loc, &b);
    uint64_t size = is_memory ? sizeof b.address : spec_size_bytes(&s);
    *slot = arena_alloc(&p->text.arena, size);
    if (good)
        memcpy(*slot,
               is_memory              ? (const void *)&b.address
               : s.kind == SPEC_BYTES ? (const void *)s.bytes
                                      : s.value,
               size);
    spec_fini(&s);
    return good;
}

static void tell_launch(const struct play_watch *w, size_t index, const struct device_launch *l)
{
    fprintf(w->out, "%s,%zu,%s,\"%u,%u,%u\",\"%u,%u,%u\"\n", w->name, index, l->kernel, l->grid[0],
            l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    fflush(w->out);
}

static bool play_launch(struct play *p, const struct script_line *l, const char *const *w)
{
    struct device_launch launch = {.kernel = w[0]};
    struct device_time time;
    if (!shape_parse("grid", w[1], launch.grid, l->words[1].loc, p->diag) ||
        !shape_parse("block", w[2], launch.block, l->words[2].loc, p->diag))
        return false;
    for (unsigned i = 3; i < l->count; i++) {
        uint64_t shared;
        if (!str_starts_with(w[i], "shared=")) {
            if (!add_argument(p, &l->words[i], w[i], &launch)) return false;
            continue;
        }
        if (!str_to_u64(w[i] + strlen("shared="), &shared) || shared > UINT32_MAX)
            return diag_error(p->diag, l->words[i].loc, "\"%s\" is no number of bytes", w[i]);
        launch.shared_bytes = (uint32_t)shared;
    }
    const struct play_watch *watch = p->times->watch;
    bool watched = watch && p->times->list.count >= watch->from;
    if (watched) p->device->profile(p->device, true);
    bool good = p->device->launch(p->device, &launch, &time) || bad(p, l->loc);
    if (watched) p->device->profile(p->device, false);
    if (good && watched) tell_launch(watch, p->times->list.count, &launch);
    if (good) vec_push(&p->times->list, time);
    return good;
}

static bool play_repeat(struct play *p, const struct script_line *l, const char *const *w)
{
    return script_text_repeat(&p->text, l, w);
}

static bool play_end(struct play *p, const struct script_line *l, const char *const *w)
{
    (void)l, (void)w;
    script_text_end(&p->text);
    return true;
}

static bool play_line(struct play *p, const struct script_line *l)
{
    static command *const commands[SCRIPT_COUNT] = {
        [SCRIPT_load] = play_load,     [SCRIPT_buffer] = play_buffer, [SCRIPT_texture] = play_texture,
        [SCRIPT_symbol] = play_symbol, [SCRIPT_fill] = play_fill,     [SCRIPT_copy] = play_copy,
        [SCRIPT_swap] = play_swap,     [SCRIPT_launch] = play_launch, [SCRIPT_repeat] = play_repeat,
        [SCRIPT_end] = play_end};
    const char *words[SCRIPT_WORDS_MAX];
    if (!commands[l->command])
        return diag_error(p->diag, l->loc, "a card is not told \"%s\" here", script_command_name(l->command));
    return script_text_words(&p->text, l, words) && commands[l->command](p, l, words);
}

// Reads and parses the file of a script. False and errors; *text is the caller's to free either way.
static bool read_script(struct script_text *s, const char *path, char **text, struct diag *d)
{
    size_t length;
    const char *why;
    *text = NULL;
    if (!file_read(path, text, &length, &why))
        return diag_error(d, loc_none(), "cannot read %s: %s", path, why);
    return script_text_read(s, *text, length, diag_add_source(d, path, *text, length));
}

bool play_script(struct device *device, const char *path, struct play_times *times, struct diag *d)
{
    char *text;
    struct play p = {.device = device, .diag = d, .times = times};
    script_text_init(&p.text, d);
    const char *slash = strrchr(path, '/');
    p.folder = slash ? arena_strndup(&p.text.arena, path, (size_t)(slash - path) + (slash == path)) : ".";
    times->list.count = 0;
    bool good = read_script(&p.text, path, &text, d);
    for (const struct script_line *l; good && (l = script_text_line(&p.text)) != NULL;) {
        good = play_line(&p, l);
        if (good) script_text_go_on(&p.text);
    }
    device->clear(device);
    vec_fini(&p.buffers);
    script_text_fini(&p.text);
    free(text);
    return good;
}

bool play_count(const char *path, size_t *launches, struct diag *d)
{
    char *text;
    struct script_text s;
    const char *words[SCRIPT_WORDS_MAX];
    *launches = 0;
    script_text_init(&s, d);
    bool good = read_script(&s, path, &text, d);
    for (const struct script_line *l; good && (l = script_text_line(&s)) != NULL; script_text_go_on(&s)) {
        if (l->command == SCRIPT_repeat)
            good = script_text_words(&s, l, words) && script_text_repeat(&s, l, words);
        else if (l->command == SCRIPT_end)
            script_text_end(&s);
        *launches += l->command == SCRIPT_launch;
    }
    script_text_fini(&s);
    free(text);
    return good;
}
