// Sets of source lines, interned in the program: an instruction carries a single index.
//
// One map per unit holds four kinds of keys, distinguished by the top two bits: line infos of the PTX module
// by index, source places (file, line, column, call site if inlined) by hash, sets by hash, and pairs of
// united sets. A hash hit is compared; on a mismatch the next hash is probed.
#include "compile/ir/ir.h"
#include "isa/program.h"

#include <string.h>

enum { KEY_PTX = 0, KEY_PLACE = 1, KEY_SET = 2, KEY_PAIR = 3 };

// A set keeps at most SET_LINES_MAX lines, those with the lowest index in the line table: enough for a reader,
// and the union of sets stays cheap.
enum { SET_LINES_MAX = 64, INLINE_DEPTH_MAX = 64 };

static uint64_t key_of(unsigned kind, uint64_t hash) { return (uint64_t)kind << 62 | hash >> 2; }

// Returns an array with room for another element. The capacity is the smallest power of two not below the
// count, at least 1.
static void *grown(struct arena *a, void *array, uint32_t count, size_t element_bytes)
{
    if (array && (count & (count - 1)) != 0) return array;
    void *fresh = arena_alloc(a, element_bytes * (count ? 2 * (size_t)count : 1));
    if (count) memcpy(fresh, array, element_bytes * count);
    return fresh;
}

static uint32_t intern_place(struct ir_unit *u, struct program_line place)
{
    struct program *p = u->program;
    uint64_t hash = hash_u64(((uint64_t)place.file << 32 | place.line) ^
                             hash_u64((uint64_t)place.column << 32 | place.inlined_at) ^
                             hash_u64(place.ptx_line ^ hash_u64(place.ptx_column)));
    uint32_t index;
    for (;; hash = hash_u64(hash + 1)) {
        if (!u64map_get(&u->line_sets, key_of(KEY_PLACE, hash), &index)) break;
        const struct program_line *l = &p->line_table[index];
        if (l->file == place.file && l->line == place.line && l->column == place.column &&
            l->inlined_at == place.inlined_at && l->ptx_line == place.ptx_line &&
            l->ptx_column == place.ptx_column)
            return index;
    }
    if (!p->line_count) { // [0] is unused
        p->line_table = grown(&p->arena, NULL, 0, sizeof *p->line_table);
        p->line_count = 1;
    }
    p->line_table = grown(&p->arena, p->line_table, p->line_count, sizeof *p->line_table);
    p->line_table[p->line_count] = place;
    u64map_set(&u->line_sets, key_of(KEY_PLACE, hash), p->line_count);
    return p->line_count++;
}

static uint32_t intern_set(struct ir_unit *u, const uint32_t *lines, uint32_t count)
{
    struct program *p = u->program;
    if (!p->line_set_count) { // [0] is the empty set
        p->line_sets = grown(&p->arena, NULL, 0, sizeof *p->line_sets);
        p->line_set_count = 1;
    }
    if (!count) return 0;
    uint64_t hash = hash_bytes(lines, count * sizeof *lines, 0);
    uint32_t index;
    for (;; hash = hash_u64(hash + 1)) {
        if (!u64map_get(&u->line_sets, key_of(KEY_SET, hash), &index)) break;
        const struct program_line_set *s = &p->line_sets[index];
        if (s->count == count && !memcmp(s->lines, lines, count * sizeof *lines)) return index;
    }
    uint32_t *copy = ARENA_ARRAY(&p->arena, uint32_t, count);
    memcpy(copy, lines, count * sizeof *copy);
    p->line_sets = grown(&p->arena, p->line_sets, p->line_set_count, sizeof *p->line_sets);
    p->line_sets[p->line_set_count] = (struct program_line_set){copy, count};
    u64map_set(&u->line_sets, key_of(KEY_SET, hash), p->line_set_count);
    return p->line_set_count++;
}

static void copy_files(struct ir_unit *u)
{
    struct program *p = u->program;
    p->file_count = u->module->file_count;
    p->files = ARENA_ARRAY(&p->arena, const char *, p->file_count);
    for (uint32_t k = 0; k < p->file_count; k++) {
        const char *name = u->module->files[k].name;
        p->files[k] = arena_strndup(&p->arena, name, strlen(name));
    }
}

static uint32_t index_of_file(const struct ptx_module *m, uint32_t number)
{
    uint32_t k = 0;
    while (k < m->file_count && m->files[k].number != number) k++;
    return k;
}

// Index in the program's line table for a line info of the PTX module. The lines of the callers (inlined_at)
// are interned first; a chain deeper than INLINE_DEPTH_MAX keeps its innermost calls.
static uint32_t place_of(struct ir_unit *u, uint32_t ptx_line_info)
{
    const struct ptx_module *m = u->module;
    struct arena *a = &u->program->arena;
    uint32_t chain[INLINE_DEPTH_MAX], depth = 0, outer = 0;
    for (uint32_t at = ptx_line_info; at && depth < INLINE_DEPTH_MAX; at = m->line_infos[at].inlined_at)
        chain[depth++] = at;
    while (depth) {
        uint32_t at = chain[--depth];
        const struct ptx_line_info *info = &m->line_infos[at];
        uint32_t known;
        if (u64map_get(&u->line_sets, key_of(KEY_PTX, (uint64_t)at << 2), &known)) {
            outer = known;
            continue;
        }
        struct program_line place = {.file = index_of_file(m, info->file),
                                     .line = info->line,
                                     .column = info->column,
                                     .inlined_at = outer,
                                     .ptx_line = info->ptx_line,
                                     .ptx_column = info->ptx_column};
        if (info->function_name)
            place.function = arena_strndup(a, info->function_name, strlen(info->function_name));
        outer = intern_place(u, place);
        u64map_set(&u->line_sets, key_of(KEY_PTX, (uint64_t)at << 2), outer);
    }
    return outer;
}

uint32_t ir_line_set_of(struct ir_unit *u, uint32_t ptx_line_info)
{
    if (!u->program->files && u->module && u->module->file_count) copy_files(u);
    uint32_t place = ptx_line_info ? place_of(u, ptx_line_info) : 0;
    return intern_set(u, &place, place != 0);
}

uint32_t ir_line_set_union(struct ir_unit *u, uint32_t a, uint32_t b)
{
    if (a == b || !b) return a;
    if (!a) return b;
    uint64_t pair = (uint64_t)KEY_PAIR << 62 | (uint64_t)(a < b ? a : b) << 31 | (a < b ? b : a);
    uint32_t known;
    if (u64map_get(&u->line_sets, pair, &known)) return known;
    struct program_line_set x = u->program->line_sets[a], y = u->program->line_sets[b];
    uint32_t merged[SET_LINES_MAX], count = 0, i = 0, j = 0;
    while (count < SET_LINES_MAX && (i < x.count || j < y.count)) {
        uint32_t next = j == y.count || (i < x.count && x.lines[i] <= y.lines[j]) ? x.lines[i] : y.lines[j];
        merged[count++] = next;
        i += i < x.count && x.lines[i] == next;
        j += j < y.count && y.lines[j] == next;
    }
    uint32_t made = intern_set(u, merged, count);
    u64map_set(&u->line_sets, pair, made);
    return made;
}

// Index in the line table of `place` after its function was inlined at `site`. The outermost caller in the
// place's chain (or the place itself) gets `site` as the line of its call.
static uint32_t place_called_at(struct ir_unit *u, uint32_t place, uint32_t site, const char *function)
{
    uint32_t chain[64], depth = 0, outer = site;
    for (uint32_t at = place; at && depth < 64; at = u->program->line_table[at].inlined_at)
        chain[depth++] = at;
    while (depth) {
        struct program_line line = u->program->line_table[chain[--depth]];
        if (!line.inlined_at) line.function = function;
        line.inlined_at = outer;
        outer = intern_place(u, line);
    }
    return outer;
}

uint32_t ir_line_set_inlined(struct ir_unit *u, uint32_t set, uint32_t call_set, const char *function)
{
    struct program_line_set lines = u->program->line_sets[set], call = u->program->line_sets[call_set];
    if (!set || !call_set) return set;
    const char *name = arena_strndup(&u->program->arena, function, strlen(function));
    uint32_t moved = 0;
    for (uint32_t k = 0; k < lines.count; k++) {
        uint32_t place = place_called_at(u, lines.lines[k], call.lines[0], name);
        moved = ir_line_set_union(u, moved, intern_set(u, &place, 1));
    }
    return moved;
}
