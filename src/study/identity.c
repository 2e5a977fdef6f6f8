// Executions that correspond are found by following: warps with equal histories execute the same instructions
// in the same order, so each walks along the list of what was executed since the last barrier of the whole
// block, and looks further only where the next entry is not its own. Then a hash table over the list is made,
// which grows from then on. The list begins anew when the whole block meets, for none before can correspond
// with one after; a list that is full takes no more, and says so.
#include "study/identity.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/vec.h"
#include "mark/access.h"
#include "study/names.h"
#include "study/values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_LIMIT = 1 << 21, KEPT_FIRST = 1 << 9, BARRIERS = 16 };

enum naming { // how an instruction's results are named
    NAME_BY_SOURCES,
    NAME_BY_VALUE,
    NAME_BY_TIME,  // a load of memory that may change
    NAME_BY_LANES, // by all active lanes
    NAME_OF_ITS_OWN,
    NAME_BY_SPACE // a generic load: of its own where it is local
};

struct static_inst {
    uint8_t naming;   // enum naming
    bool syncs, kept; // kept: has results that can be compared
    uint8_t write_count, source_count;
    uint32_t writes[2 * 4 + 1];         // locations
    uint32_t sources[ACCESSES_MAX + 1]; // those that name the result
};
_Static_assert(ACCESSES_MAX < 256, "counts fit");

struct kept { // corresponding executions so far
    uint64_t key, names, results, operands;
    uint32_t index, count, warp;
    bool same_names, same_results, same_operands;
};

struct ghost_warp {
    struct names names; // the last location is the epoch: the last barrier of the block that a lane met, and
                        // what it passed since
    uint64_t history;
    uint64_t arrived[BARRIERS]; // lanes at each barrier that is filling
    uint32_t next;              // the entry it will correspond with, if it goes on as others did
};

struct ghost_block {
    struct values values;
    struct ghost_warp *warps;
    uint64_t number, meetings;
    bool raced;
    struct kept *kept;
    uint32_t kept_count, kept_room;
    uint32_t *table; // of entries, + 1: hashed by key; `indexed` of them are in it
    uint32_t table_room, indexed;
    uint32_t warp_count;
    struct ghost_block *next; // of the spare ones
};

struct identity {
    const struct marks *marks;
    struct identity_options options;
    struct observer observer;
    struct identity_counts counts;
    struct static_inst *insts;
    struct value_op *ops;
    struct arena arena;
    uint32_t locations;
    const struct launch *launch;
    struct ghost_block *spare;                     // of blocks of this launch that have ended
    uint64_t launches, own;                        // own: names given out
    uint32_t *classes;                             // of an instruction in this launch: mark_warp_classes
    bool has_classes;                              // of some, more than one
    uint64_t operands;                             // of the execution under way
    uint64_t pending[ACCESSES_MAX][WARP_SIZE_MAX]; // names of its results, before they are given
    struct strbuf first_hole, first_race, first_pattern;
};

// What is hashed first, apart from one another in bits that indices and numbers do not reach.
#define SEED_INST      (1ull << 56)
#define SEED_SREG      (2ull << 56)
#define SEED_BLOCK     (3ull << 56)
#define SEED_MEETING   (4ull << 56)
#define SEED_UNWRITTEN (5ull << 56)

static uint64_t mix(uint64_t h, uint64_t v) { return names_mix(h, v); }

static uint64_t new_name(struct identity *s) { return hash_u64(++s->own); }

static enum naming naming_of(const struct program *p, const struct inst *i)
{
    if (i->op == OP_S2R || i->op == OP_CS2R) {
        uint8_t r = i->src[0].reg;
        bool time = r >= SREG_CLOCK_LO && r <= SREG_GLOBALTIMER;
        return time ? NAME_OF_ITS_OWN : NAME_BY_VALUE;
    }
    if (isa_has(i, ISA_CROSS_LANE)) return NAME_BY_LANES;
    if (i->op == OP_ST || i->op == OP_RED) return NAME_OF_ITS_OWN; // to local memory, perhaps
    if (isa_has(i, ISA_ATOMIC | ISA_BARRIER | ISA_SIDE_EFFECT)) return NAME_OF_ITS_OWN;
    bool shared_operand = false;
    for (unsigned k = 0; k < 4; k++) shared_operand |= i->src[k].kind == OPERAND_SHARED;
    if (shared_operand) return NAME_BY_TIME;
    if (!isa_has(i, ISA_LOAD) || i->op == OP_LDC || i->op == OP_TEX || access_is_spill(p, i))
        return NAME_BY_SOURCES;
    if (i->op == OP_LDL) return NAME_BY_SOURCES;
    if (i->sem != SEM_WEAK) return NAME_OF_ITS_OWN;
    if (i->op == OP_LDG && i->flags & INST_NC) return NAME_BY_SOURCES;
    return i->op == OP_LD ? NAME_BY_SPACE : NAME_BY_TIME;
}

static void describe_program(struct identity *s)
{
    const struct program *p = s->marks->program;
    s->locations = access_location_count(p) + 1;
    s->insts = heap_alloc(p->inst_count * sizeof *s->insts);
    for (uint32_t k = 0; k < p->inst_count; k++) {
        const struct inst *i = &p->insts[k];
        struct static_inst *d = &s->insts[k];
        *d = (struct static_inst){.naming = (uint8_t)naming_of(p, i), .syncs = access_orders_memory(i)};
        struct access_list reads, writes;
        access_reads(p, i, &reads);
        access_writes(p, i, &writes);
        assert(writes.count <= sizeof d->writes / sizeof d->writes[0]);
        for (unsigned n = 0; n < writes.count; n++) d->writes[d->write_count++] = writes.at[n].location;
        for (unsigned n = 0; n < reads.count; n++) // shuffles and votes depend on their guard's lanes as well
            if (reads.at[n].role == ROLE_SOURCE || d->naming == NAME_BY_LANES)
                d->sources[d->source_count++] = reads.at[n].location;
        if (d->naming == NAME_BY_TIME || d->naming == NAME_BY_SPACE)
            d->sources[d->source_count++] = s->locations - 1;
        s->observer.wants_access |= d->naming == NAME_BY_SPACE;
        const struct mark *m = &s->marks->marks[k]; // tid.x & 31 is a source, though tid.x differs
        if (i->op == OP_LOP3 && m->cause == CAUSE_THREAD_INDEX) d->naming = NAME_BY_VALUE;
        bool store = isa_has(i, ISA_STORE) && !isa_has(i, ISA_LOAD) && !access_is_spill(p, i);
        d->kept = d->write_count && !store && !isa_has(i, ISA_BARRIER | ISA_BRANCH | ISA_SIDE_EFFECT);
    }
}

// -- blocks ----------------------------------------------------------------------------------------

static void finish_groups(struct identity *s, struct ghost_block *b)
{
    for (uint32_t k = 0; k < b->kept_count && s->options.group; k++) {
        const struct kept *e = &b->kept[k];
        struct identity_group g = {.key = e->key,
                                   .index = e->index,
                                   .count = e->count,
                                   .same_names = e->same_names,
                                   .same_results = e->same_results,
                                   .same_operands = e->same_operands};
        s->options.group(s->options.context, &g);
    }
    if (b->indexed) memset(b->table, 0, b->table_room * sizeof *b->table);
    b->kept_count = b->indexed = 0;
}

static struct ghost_block *new_block(const struct identity *s, const struct observed_block *o)
{
    struct ghost_block *b = heap_alloc(sizeof *b);
    uint32_t threads = s->launch->block[0] * s->launch->block[1] * s->launch->block[2];
    b->kept_room = KEPT_FIRST;
    b->kept = heap_alloc(b->kept_room * sizeof *b->kept);
    b->warps = heap_alloc(o->warps * sizeof *b->warps);
    b->warp_count = o->warps;
    for (uint32_t k = 0; k < o->warps; k++) {
        uint32_t left = threads - k * o->warp_size;
        names_init(&b->warps[k].names, s->locations, bit_mask(left < o->warp_size ? left : o->warp_size));
    }
    return b;
}

static void free_block(struct ghost_block *b)
{
    for (uint32_t k = 0; k < b->warp_count; k++) names_fini(&b->warps[k].names);
    free(b->warps);
    free(b->kept);
    free(b->table);
    free(b);
}

static void free_spares(struct identity *s)
{
    while (s->spare) {
        struct ghost_block *b = s->spare;
        s->spare = b->next;
        free_block(b);
    }
}

static void block_begin(void *context, struct observed_block *o)
{
    struct identity *s = context;
    struct ghost_block *b = s->spare;
    if (b)
        s->spare = b->next;
    else
        b = new_block(s, o);
    b->number = o->linear;
    b->meetings = 0;
    b->raced = false;
    values_start(&b->values, s->ops, s->marks->program, o,
                 s->launch->block[0] * s->launch->block[1] * s->launch->block[2]);
    for (uint32_t k = 0; k < o->warps; k++) {
        struct ghost_warp *w = &b->warps[k];
        w->history = mix(mix(SEED_BLOCK, s->launches), o->linear);
        w->next = 0;
        memset(w->arrived, 0, sizeof w->arrived);
        for (uint32_t at = 0; at + 1 < s->locations; at++)
            w->names.at[at] = (struct name){SEED_UNWRITTEN + ++s->own, NULL};
        w->names.at[access_local(s->marks->program)].common = 0; // nought in every thread
        w->names.at[s->locations - 1] = (struct name){0, NULL};
    }
    o->state = b;
}

static void block_end(void *context, struct observed_block *o)
{
    struct identity *s = context;
    struct ghost_block *b = o->state;
    finish_groups(s, b);
    values_stop(&b->values);
    b->next = s->spare;
    s->spare = b;
    o->state = NULL;
}

static void launch_begin(void *context, const struct launch *l)
{
    struct identity *s = context;
    free_spares(s);
    s->launch = l;
    s->launches++;
    s->has_classes = false;
    for (uint32_t k = 0; k < s->marks->program->inst_count; k++) {
        s->classes[k] = mark_warp_classes(&s->marks->rules, &s->marks->marks[k], l->block);
        s->has_classes |= s->classes[k] > 1;
    }
}

// All warps at one place: lanes that were there have the same epoch from now on, and if all were, the warps
// correspond again.
static void barrier(void *context, struct observed_block *o, const struct observed_barrier *met)
{
    struct identity *s = context;
    struct ghost_block *b = o->state;
    bool at_one_place = met->whole && met->index != NO_TARGET &&
                        access_is_full_barrier(&s->marks->program->insts[met->index]);
    uint64_t meeting = mix(mix(mix(SEED_MEETING, s->launches), b->number), ++b->meetings);
    values_barrier(&b->values, o);
    if (at_one_place && met->whole_warps) finish_groups(s, b);
    for (uint32_t k = 0; k < o->warps; k++) {
        struct ghost_warp *w = &b->warps[k];
        if (at_one_place && w->arrived[met->number])
            names_set(&w->names, s->locations - 1, w->arrived[met->number], meeting);
        w->arrived[met->number] = 0;
        if (!at_one_place || !met->whole_warps) continue;
        w->history = mix(meeting, met->index);
        w->next = 0;
    }
}

// -- executions ------------------------------------------------------------------------------------

// What the instruction reads, while the values are those before it. Spill slots hand on what they carry and
// are left to the names.
static uint64_t operands_of(const struct values *v, const struct observed *o)
{
    const struct value_op *op = &v->ops[o->index];
    uint64_t h = 1;
    for (unsigned n = 0; n < op->read_count; n++)
        h += values_at(v, o->warp, op->reads[n])->hash * value_weights[n];
    for (unsigned n = 0; n < op->pred_count; n++) h += v->pred[o->warp][op->preds[n]] * value_weights[15 + n];
    return h;
}

static uint64_t results_of(const struct values *v, const struct observed *o)
{
    const struct value_op *op = &v->ops[o->index];
    uint64_t h = 1;
    for (unsigned n = 0; n < op->write_count; n++)
        h += values_at(v, o->warp, op->write + n)->hash * value_weights[n];
    for (unsigned n = 0; n < op->pred_write_count; n++)
        h += v->pred[o->warp][op->pred_writes[n]] * value_weights[4 + n];
    return h;
}

static unsigned barrier_number(const struct observed *o)
{
    const struct operand *n = &o->inst->src[0];
    if (n->kind == OPERAND_IMM) return n->value % BARRIERS;
    if (n->kind != OPERAND_REG || n->reg == REG_ZERO || !o->lanes) return 0;
    return observed_register(o, n->reg)[__builtin_ctzll(o->lanes)] % BARRIERS;
}

// Lanes that pass a fence have another epoch from then on.
static void pass(struct names *n, uint32_t epoch, const struct observed *o)
{
    uint64_t now[WARP_SIZE_MAX];
    if (!n->at[epoch].lanes && !(n->all & ~o->lanes)) {
        n->at[epoch].common = mix(n->at[epoch].common, o->index);
        return;
    }
    for (uint64_t left = o->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        now[lane] = mix(names_lane(n, epoch, lane), o->index);
    }
    names_set_each(n, epoch, o->lanes, now);
}

static void go_on(const struct identity *s, const struct observed *o)
{
    const struct ghost_block *b = o->block->state;
    struct ghost_warp *w = &b->warps[o->warp];
    if (isa_has(o->inst, ISA_BARRIER)) w->arrived[barrier_number(o)] |= o->lanes;
    if (s->insts[o->index].syncs) pass(&w->names, s->locations - 1, o);
    if (!s->options.loose) {
        w->history = mix(mix(w->history, o->index), o->path);
    } else if (o->path == o->full && isa_has(o->inst, ISA_BRANCH | ISA_BARRIER)) {
        uint64_t outcome = o->lanes == o->path ? 1 : o->lanes ? 2 : 0;
        if (isa_has(o->inst, ISA_INDIRECT)) outcome = o->path; // may go anywhere: named by who came along
        w->history = mix(mix(w->history, o->index), outcome);
    }
}

static void before(void *context, const struct observed *o)
{
    if (isa_has(o->inst, ISA_BARRIER))
        go_on(context, o); // the last one to arrive completes it before `after`
}

// -- names of results ------------------------------------------------------------------------------

// Thread indices, and what their low bits are, are named by what all lanes hold, whichever of them read it.
static uint64_t name_by_value(const struct observed *o)
{
    const struct inst *i = o->inst;
    bool modulo = i->op == OP_LOP3;
    unsigned sreg = modulo ? SREG_TID_X : i->src[0].reg;
    uint64_t h = mix(SEED_SREG, sreg);
    if (sreg <= SREG_TID_Z) {
        const uint32_t *index = (const uint32_t *)(const void *)(o->regs + o->thread_offset) +
                                (size_t)(sreg - SREG_TID_X) * o->lane_count;
        uint32_t mask = modulo ? i->src[1].value : UINT32_MAX;
        for (uint64_t left = o->present; left; left &= left - 1)
            h = mix(h, index[__builtin_ctzll(left)] & mask);
        return modulo ? mix(h, mask) : h;
    }
    bool by_lane = sreg == SREG_LANEID || (sreg >= SREG_LANEMASK_EQ && sreg <= SREG_LANEMASK_GT);
    if (by_lane || !o->lanes || i->dst[0].reg == REG_ZERO) return h;
    return mix(h, observed_register(o, i->dst[0].reg)[__builtin_ctzll(o->lanes)]);
}

static uint64_t name_by_lanes(const struct static_inst *d, const struct names *n, const struct observed *o)
{
    uint64_t h = mix(mix(SEED_INST, o->index), o->lanes);
    for (unsigned k = 0; k < d->source_count; k++) h = mix(h, names_of(n, d->sources[k], o->lanes));
    return h;
}

static void name_each_lane(struct identity *s, struct names *n, const struct observed *o)
{
    const struct static_inst *d = &s->insts[o->index];
    uint64_t name[WARP_SIZE_MAX];
    for (unsigned k = 0; k < d->write_count; k++) {
        for (uint64_t left = o->lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            uint64_t h = mix(SEED_INST, o->index);
            for (unsigned q = 0; q < d->source_count; q++) h = mix(h, names_lane(n, d->sources[q], lane));
            name[lane] = mix(h, k);
            bool own = d->naming == NAME_BY_SPACE && (!o->access || o->access->local >> lane & 1);
            if (own) name[lane] = new_name(s);
        }
        // Results may be sources of the same instruction: all names first, then the writes.
        if (k + 1 < d->write_count) memcpy(s->pending[k], name, sizeof name);
    }
    for (unsigned k = 0; k < d->write_count; k++)
        names_set_each(n, d->writes[k], o->lanes, k + 1 < d->write_count ? s->pending[k] : name);
}

// From the names of all sources at once; false where some lane has another.
static bool name_together(const struct static_inst *d, const struct names *n, const struct observed *o,
                          uint64_t *name)
{
    uint64_t h = mix(SEED_INST, o->index);
    bool agree = d->naming != NAME_BY_SPACE || (o->access && !(o->access->local & o->lanes));
    for (unsigned k = 0; k < d->source_count; k++) {
        const struct name *source = &n->at[d->sources[k]];
        agree &= !source->lanes;
        h = mix(h, source->common);
    }
    *name = h;
    return agree;
}

static uint64_t hash_names(const struct static_inst *d, const struct names *n)
{
    uint64_t h = 1;
    for (unsigned k = 0; k < d->write_count; k++) h = mix(h, names_of(n, d->writes[k], n->all));
    return h;
}

// Names what the instruction writes. Returns a hash of it, over all lanes of the warp.
static uint64_t name_results(struct identity *s, struct names *n, const struct observed *o)
{
    const struct static_inst *d = &s->insts[o->index];
    uint64_t name = 0, h = 1;
    if (!d->write_count || !o->lanes) return hash_names(d, n);
    switch ((enum naming)d->naming) {
    case NAME_BY_VALUE: name = name_by_value(o); break;
    case NAME_BY_LANES: name = name_by_lanes(d, n, o); break;
    case NAME_OF_ITS_OWN: name = new_name(s); break;
    case NAME_BY_SOURCES:
    case NAME_BY_TIME:
    case NAME_BY_SPACE:
        if (name_together(d, n, o, &name)) break;
        name_each_lane(s, n, o);
        return hash_names(d, n);
    }
    for (unsigned k = 0; k < d->write_count; k++) {
        uint64_t of_word = mix(name, k);
        names_set(n, d->writes[k], o->lanes, of_word);
        h = mix(h, of_word);
    }
    return n->all & ~o->lanes ? hash_names(d, n) : h;
}

// -- executions that correspond ---------------------------------------------------------------------

static void put(struct ghost_block *b, uint32_t entry)
{
    uint32_t at = (uint32_t)b->kept[entry].key & (b->table_room - 1);
    while (b->table[at]) at = (at + 1) & (b->table_room - 1);
    b->table[at] = entry + 1;
}

// Puts all entries into the table.
static void index_kept(struct ghost_block *b)
{
    if (2 * b->kept_room > b->table_room) {
        free(b->table);
        b->table_room = 2 * b->kept_room;
        b->table = heap_alloc(b->table_room * sizeof *b->table);
        b->indexed = 0;
    }
    while (b->indexed < b->kept_count) put(b, b->indexed++);
}

static uint32_t search(struct ghost_block *b, uint64_t key)
{
    index_kept(b);
    for (uint32_t at = (uint32_t)key & (b->table_room - 1); b->table[at]; at = (at + 1) & (b->table_room - 1))
        if (b->kept[b->table[at] - 1].key == key) return b->table[at] - 1;
    return b->kept_count;
}

// The executions that correspond with this one; count 0: none before. NULL: no room. A warp at the list's end
// is ahead of all others with its history, since these executed what it did, in the same order; not so where
// loose histories become equal again, or classes of warps have entries of their own.
static struct kept *find_kept(const struct identity *s, struct ghost_block *b, struct ghost_warp *w,
                              uint64_t key)
{
    bool there = w->next < b->kept_count && b->kept[w->next].key == key;
    bool ahead = w->next == b->kept_count && !s->options.loose && !s->has_classes;
    uint32_t at = there ? w->next : ahead ? b->kept_count : search(b, key);
    w->next = at + 1;
    if (at < b->kept_count) return &b->kept[at];
    if (b->kept_count == b->kept_room) {
        if (b->kept_room == KEPT_LIMIT) return NULL;
        struct kept *more = heap_alloc(2 * b->kept_room * sizeof *more);
        memcpy(more, b->kept, b->kept_count * sizeof *more);
        free(b->kept);
        b->kept = more;
        b->kept_room *= 2;
    }
    b->kept[b->kept_count].count = 0;
    return &b->kept[b->kept_count++];
}

static void report(struct identity *s, struct strbuf *out, const struct observed *o, const struct kept *e,
                   const char *what)
{
    if (out->length) return;
    const struct program *p = s->marks->program;
    strbuf_printf(out, "0x%04x ", o->index * PC_STEP);
    program_print_inst(p, o->index, out);
    strbuf_puts(out, " at ");
    program_print_lines(p, o->index, out);
    strbuf_printf(out, ": warps %u and %u of block %llu, with equal histories, %s; the mark is ", e->warp,
                  o->warp, (unsigned long long)o->block->linear, what);
    mark_explain(s->marks, o->index, out);
}

static void keep(struct identity *s, struct ghost_block *b, struct ghost_warp *w, const struct observed *o,
                 uint64_t names)
{
    uint32_t classes = s->classes[o->index];
    uint64_t key = mix(w->history, o->index), results = results_of(&b->values, o);
    if (classes > 1) key = mix(key, 1 + o->warp % classes);
    struct kept *e = find_kept(s, b, w, key);
    s->counts.executions++;
    if (s->options.executed) s->options.executed(s->options.context, o, results);
    if (!e) {
        s->counts.not_kept++;
        return;
    }
    if (!e->count) {
        *e = (struct kept){key, names, results, s->operands, o->index, 1, o->warp, true, true, true};
        return;
    }
    e->count++;
    bool same_name = names == e->names, same_result = results == e->results;
    e->same_names &= same_name;
    e->same_results &= same_result;
    e->same_operands &= same_result && s->operands == e->operands;
    if (same_name && !same_result) {
        s->counts.raced++;
        b->raced = true;
        report(s, &s->first_race, o, e, "have equal names and unequal values");
    }
    if (!classes) return;
    s->counts.compared++;
    if (same_name || b->raced) return; // after a race, guards may differ and names with them
    s->counts.holes++;
    report(s, &s->first_hole, o, e, same_result ? "compute the same value by accident" : "differ");
}

// -- patterns --------------------------------------------------------------------------------------

static bool lanes_follow(const struct mark_pattern *p, const struct observed *o, unsigned reg)
{
    const uint32_t *v = observed_register(o, reg);
    const uint32_t *tid = (const uint32_t *)(const void *)(o->regs + o->thread_offset);
    uint32_t first = 0, first_index = 0, stride = (uint32_t)p->stride;
    bool stride_known = p->stride_known || p->class == MARK_UNIFORM, any = false;
    for (uint64_t left = o->full; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t index = p->basis == MARK_BASIS_TID_X ? tid[lane] : lane;
        if (p->class == MARK_UNIFORM) index = 0;
        if (p->base_known && stride_known && v[lane] != p->base + stride * index) return false;
        if (!any) first = v[lane], first_index = index;
        any = true;
        // With an unknown stride, neighbours tell it.
        if (!stride_known && index == first_index + 1) stride = v[lane] - first, stride_known = true;
        if (stride_known && v[lane] != first + stride * (index - first_index)) return false;
    }
    return true;
}

static void check_pattern(struct identity *s, const struct observed *o)
{
    const struct mark_pattern *p = &s->marks->marks[o->index].pattern;
    const struct operand *dst = &o->inst->dst[0];
    if (p->class == MARK_UNSTRUCTURED || dst->kind != OPERAND_REG || dst->reg == REG_ZERO || dst->width > 1)
        return;
    if (lanes_follow(p, o, dst->reg)) return;
    if (!s->counts.patterns++) {
        strbuf_printf(&s->first_pattern, "0x%04x ", o->index * PC_STEP);
        program_print_inst(s->marks->program, o->index, &s->first_pattern);
        strbuf_printf(&s->first_pattern, ": warp %u of block %llu is not ", o->warp,
                      (unsigned long long)o->block->linear);
        mark_print_pattern(p, &s->first_pattern);
    }
}

static void after(void *context, const struct observed *o)
{
    struct identity *s = context;
    struct ghost_block *b = o->block->state;
    struct ghost_warp *w = &b->warps[o->warp];
    const struct static_inst *d = &s->insts[o->index];
    bool kept = d->kept && o->path == o->full;
    if (kept) s->operands = operands_of(&b->values, o);
    values_written(&b->values, o);
    uint64_t names = name_results(s, &w->names, o);
    if (kept) {
        keep(s, b, w, o, names);
        if (s->options.check_patterns) check_pattern(s, o);
    }
    if (!isa_has(o->inst, ISA_BARRIER)) go_on(s, o);
}

struct identity *identity_create(const struct marks *m, const struct identity_options *options)
{
    struct identity *s = heap_alloc(sizeof *s);
    *s = (struct identity){.marks = m};
    if (options) s->options = *options;
    s->classes = heap_alloc((m->program->inst_count + 1) * sizeof *s->classes);
    arena_init(&s->arena);
    s->ops = values_ops(&s->arena, m->program);
    s->observer = (struct observer){.context = s,
                                    .launch_begin = launch_begin,
                                    .block_begin = block_begin,
                                    .block_end = block_end,
                                    .before = before,
                                    .after = after,
                                    .barrier = barrier};
    describe_program(s);
    return s;
}

void identity_destroy(struct identity *s)
{
    if (!s) return;
    strbuf_fini(&s->first_hole);
    strbuf_fini(&s->first_race);
    strbuf_fini(&s->first_pattern);
    free_spares(s);
    arena_fini(&s->arena);
    free(s->insts);
    free(s->classes);
    free(s);
}

const struct observer *identity_observer(struct identity *s) { return &s->observer; }
const struct identity_counts *identity_counts(const struct identity *s) { return &s->counts; }
const char *identity_first_hole(struct identity *s) { return strbuf_text(&s->first_hole); }
const char *identity_first_race(struct identity *s) { return strbuf_text(&s->first_race); }
const char *identity_first_pattern(struct identity *s) { return strbuf_text(&s->first_pattern); }
