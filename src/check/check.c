// The list of findings, and the texts of a finding's places.
#include "check/check.h"
#include "base/str.h"
#include "isa/inst.h"
#include "isa/program.h"

#include <string.h>

static const struct {
    const char *name, *right;
} kinds[CHECK_KINDS] = {
#define KIND(name, text, right) [CHECK_##name] = {text, right},
#include "check/kinds.def"
#undef KIND
};

const char *check_kind_name(enum check_kind kind) { return kinds[kind].name; }
const char *check_kind_right(enum check_kind kind) { return kinds[kind].right; }

struct check *check_create(void)
{
    struct check *c = heap_alloc(sizeof *c);
    arena_init(&c->arena);
    return c;
}

void check_destroy(struct check *c)
{
    if (!c) return;
    vec_fini(&c->findings);
    u64map_fini(&c->by_key);
    written_fini(&c->global);
    arena_fini(&c->arena);
    free(c);
}

static char *keep(struct check *c, struct strbuf *text)
{
    char *kept = arena_strndup(&c->arena, strbuf_text(text), text->length);
    strbuf_fini(text);
    return kept;
}

// The line of an instruction, of several the last in the PTX: an access has the lines of its address, too. An
// instruction of the compiler, such as a saved register, has the line of the next instruction. NULL: unknown.
static const struct program_line *line_of(const struct program *p, uint32_t inst)
{
    const struct program_line *best = NULL;
    while (inst < p->inst_count && !p->insts[inst].lines) inst++;
    uint32_t set = inst < p->inst_count ? p->insts[inst].lines : 0;
    for (uint32_t k = 0; set < p->line_set_count && k < p->line_sets[set].count; k++) {
        const struct program_line *l = &p->line_table[p->line_sets[set].lines[k]];
        if (!best || l->ptx_line > best->ptx_line) best = l;
    }
    return best;
}

// Of a line and the calls that inlined it, the innermost outside of a toolkit's headers (a folder include); without one
// the line itself.
static const struct program_line *own_line(const struct program *p, const struct program_line *line)
{
    const struct program_line *l = line;
    for (uint32_t left = p->line_count; left; left--, l = &p->line_table[l->inlined_at]) {
        bool is_toolkits = l->file < p->file_count && strstr(p->files[l->file], "/include/");
        if (!is_toolkits) return l;
        if (!l->inlined_at || l->inlined_at >= p->line_count) break;
    }
    return line;
}

// Instructions of one source line are one place: of an unrolled loop, and of both halves of `a[i]++`.
static uint64_t place_key(const struct check_event *e)
{
    const struct program *p = e->program;
    const struct program_line *l = p ? line_of(p, e->inst) : NULL;
    uint64_t code = hash_u64((uintptr_t)p);
    if (!l) return hash_u64(code + e->inst + 1);
    const struct program_line *own = own_line(p, l);
    return hash_u64(code ^ hash_u64((uint64_t)own->file << 32 | own->line));
}

static struct check_place describe(struct check *c, const struct check_event *e)
{
    struct check_place out = {.key = place_key(e), .act = e->act, .lines = ""};
    memcpy(out.block, e->block, sizeof out.block);
    memcpy(out.thread, e->thread, sizeof out.thread);
    if (!e->program) {
        out.file = e->ptx_file ? arena_printf(&c->arena, "%s", e->ptx_file) : NULL;
        out.line = e->line;
        return out;
    }
    struct strbuf text = {0}, lines = {0};
    if (e->inst < e->program->inst_count) {
        program_print_inst(e->program, e->inst, &text);
        program_print_lines(e->program, e->inst, &lines);
    }
    out.instruction = keep(c, &text);
    out.lines = keep(c, &lines);
    out.kernel = arena_printf(&c->arena, "%s", e->kernel ? e->kernel : e->program->name);
    const struct program_line *l = line_of(e->program, e->inst);
    if (!l) return out;
    const struct program_line *own = own_line(e->program, l);
    if (own->file < e->program->file_count)
        out.file = arena_printf(&c->arena, "%s", e->program->files[own->file]);
    out.line = own->line;
    out.column = own->column;
    out.ptx_file = e->ptx_file ? arena_printf(&c->arena, "%s", e->ptx_file) : NULL;
    out.ptx_line = l->ptx_line;
    out.ptx_column = l->ptx_column;
    return out;
}

static uint64_t key_of(enum check_kind kind, const struct check_event *at, const struct check_event *other,
                       uint64_t detail)
{
    uint64_t key = hash_u64(hash_u64((uint64_t)kind + 1) + detail);
    key += hash_u64(place_key(at));
    return other ? key + hash_u64(place_key(other)) : key; // a sum: the order makes no difference
}

bool check_found(struct check *c, enum check_kind kind, const struct check_event *at,
                 const struct check_event *other, uint64_t detail)
{
    uint64_t key = key_of(kind, at, other, detail);
    uint32_t index;
    if (u64map_get(&c->by_key, key, &index)) {
        c->findings.data[index].count++;
        return false;
    }
    u64map_set(&c->by_key, key, (uint32_t)c->findings.count);
    struct check_finding f = {.kind = kind, .count = 1, .what = "", .place_count = other ? 2 : 1};
    f.places[0] = describe(c, at);
    if (other) f.places[1] = describe(c, other);
    vec_push(&c->findings, f);
    return true;
}

static bool is_race(enum check_kind kind)
{
    return kind == CHECK_RACE || kind == CHECK_LANDING || kind == CHECK_UNDER_WAY || kind == CHECK_SOURCE;
}

bool check_is_effect(const struct check *c, size_t index)
{
    const struct check_finding *f = &c->findings.data[index];
    if (f->kind != CHECK_UNWRITTEN) return false;
    for (size_t i = 0; i < c->findings.count; i++) {
        const struct check_finding *other = &c->findings.data[i];
        for (unsigned k = 0; is_race(other->kind) && k < other->place_count; k++)
            if (other->places[k].key == f->places[0].key) return true;
    }
    return false;
}

void check_say(struct check *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vec_last(&c->findings).what = arena_vprintf(&c->arena, format, args);
    va_end(args);
}
