// Names are kept in one array a warp, by location and lane. The executions of a block since its last barrier
// live in a hash table with open addressing that is emptied when the whole block meets, for none before can
// correspond with one after; a table that is full keeps no more, and says so.
#include "study/identity.h"
#include "base/hash.h"
#include "base/vec.h"
#include "mark/access.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_LIMIT = 1 << 21, KEPT_FIRST = 1 << 10, BARRIERS = 16 };

enum naming { // how an instruction's results are named
    NAME_BY_SOURCES,
    NAME_BY_VALUE,
    NAME_BY_TIME,  // a load of memory that may change
    NAME_BY_LANES, // by all active lanes
    NAME_OF_ITS_OWN,
    NAME_BY_SPACE // a generic load: of its own where it is local
};

struct static_inst {
    struct access_list reads, writes;
    uint8_t naming;   // enum naming
    bool syncs, kept; // kept: has results that can be compared
};

struct kept { // corresponding executions so far
    uint64_t key, names, results, operands;
    uint32_t index, count, warp;
    bool same_names, same_results, same_operands;
};

struct ghost_warp {
    uint64_t *names; // [location * lanes + lane]
    uint64_t history;
    uint64_t arrived[BARRIERS]; // lanes at each barrier that is filling
    uint64_t
        epoch[WARP_SIZE_MAX]; // of a lane: the last barrier of the block it met, and what it passed since
};

struct ghost_block {
    struct ghost_warp *warps;
    uint64_t *names;
    uint64_t number, meetings;
    struct kept *kept;
    uint32_t kept_count, kept_room;
};

struct identity {
    const struct marks *marks;
    struct identity_options options;
    struct observer observer;
    struct identity_counts counts;
    struct static_inst *insts;
    uint32_t locations;
    const struct launch *launch;
    uint64_t launches, own; // own: names given out
    uint32_t *classes;      // of an instruction in this launch: mark_warp_classes
    uint64_t operands;      // of the execution under way
    struct strbuf first_hole, first_race, first_pattern;
};

// What is hashed first, apart from one another in bits that indices and numbers do not reach.
#define SEED_INST    (1ull << 56)
#define SEED_SREG    (2ull << 56)
#define SEED_BLOCK   (3ull << 56)
#define SEED_MEETING (4ull << 56)

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9fb21c651e98df25ull;
    return h ^ h >> 29;
}

static uint64_t *names_at(const struct ghost_warp *w, uint32_t location)
{
    return w->names + (size_t)location * WARP_SIZE_MAX;
}

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
    s->locations = access_location_count(p);
    s->insts = heap_alloc(p->inst_count * sizeof *s->insts);
    for (uint32_t k = 0; k < p->inst_count; k++) {
        const struct inst *i = &p->insts[k];
        struct static_inst *d = &s->insts[k];
        *d = (struct static_inst){.naming = (uint8_t)naming_of(p, i), .syncs = access_orders_memory(i)};
        access_reads(p, i, &d->reads);
        access_writes(p, i, &d->writes);
        const struct mark *m = &s->marks->marks[k]; // tid.x & 31 is a source, though tid.x differs
        if (i->op == OP_LOP3 && m->cause == CAUSE_THREAD_INDEX) d->naming = NAME_BY_VALUE;
        bool store = isa_has(i, ISA_STORE) && !isa_has(i, ISA_LOAD) && !access_is_spill(p, i);
        d->kept = d->writes.count && !store && !isa_has(i, ISA_BARRIER | ISA_BRANCH | ISA_SIDE_EFFECT);
    }
}

// -- blocks ----------------------------------------------------------------------------------------

static void finish_groups(struct identity *s, struct ghost_block *b)
{
    for (uint32_t k = 0; k < b->kept_room && b->kept_count; k++) {
        struct kept *e = &b->kept[k];
        if (!e->count) continue;
        struct identity_group g = {.key = e->key,
                                   .index = e->index,
                                   .count = e->count,
                                   .same_names = e->same_names,
                                   .same_results = e->same_results,
                                   .same_operands = e->same_operands};
        if (s->options.group) s->options.group(s->options.context, &g);
        e->count = 0;
    }
    b->kept_count = 0;
}

static void launch_begin(void *context, const struct launch *l)
{
    struct identity *s = context;
    s->launch = l;
    s->launches++;
    for (uint32_t k = 0; k < s->marks->program->inst_count; k++)
        s->classes[k] = mark_warp_classes(&s->marks->rules, &s->marks->marks[k], l->block);
}

static void block_begin(void *context, struct observed_block *o)
{
    struct identity *s = context;
    struct ghost_block *b = heap_alloc(sizeof *b);
    size_t names = (size_t)s->locations * WARP_SIZE_MAX;
    *b = (struct ghost_block){.number = o->linear, .kept_room = KEPT_FIRST};
    b->warps = heap_alloc(o->warps * sizeof *b->warps);
    b->names = heap_alloc(o->warps * names * sizeof *b->names);
    b->kept = heap_alloc(b->kept_room * sizeof *b->kept);
    memset(b->kept, 0, b->kept_room * sizeof *b->kept);
    for (uint32_t w = 0; w < o->warps; w++) {
        b->warps[w] = (struct ghost_warp){.names = b->names + w * names,
                                          .history = mix(mix(SEED_BLOCK, s->launches), o->linear)};
        for (size_t k = 0; k < names; k++) b->warps[w].names[k] = hash_u64(++s->own); // nobody wrote it yet
        uint64_t *local = names_at(&b->warps[w], access_local(s->marks->program));
        for (unsigned lane = 0; lane < WARP_SIZE_MAX; lane++) local[lane] = 0; // nought in every thread
    }
    o->state = b;
}

static void block_end(void *context, struct observed_block *o)
{
    struct ghost_block *b = o->state;
    finish_groups(context, b);
    free(b->warps);
    free(b->names);
    free(b->kept);
    free(b);
    o->state = NULL;
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
    if (at_one_place && met->whole_warps) finish_groups(s, b);
    for (uint32_t k = 0; k < o->warps; k++) {
        struct ghost_warp *w = &b->warps[k];
        for (uint64_t left = at_one_place ? w->arrived[met->number] : 0; left; left &= left - 1)
            w->epoch[__builtin_ctzll(left)] = meeting;
        w->arrived[met->number] = 0;
        if (at_one_place && met->whole_warps) w->history = mix(meeting, met->index);
    }
}

// -- executions ------------------------------------------------------------------------------------

static bool is_predicate(uint32_t location)
{
    return location >= LOCATION_PREDICATE && location < LOCATION_SPILL;
}

// A hash of the lanes on the path of what the instruction reads or writes. Spill slots hand on what they
// carry and are left to the names.
static uint64_t hash_values(const struct access_list *list, const struct observed *o)
{
    uint64_t h = 1;
    for (unsigned k = 0; k < list->count; k++) {
        uint32_t at = list->at[k].location;
        if (at >= LOCATION_SPILL) continue;
        if (is_predicate(at)) {
            h = mix(h, o->pred[at - LOCATION_PREDICATE] & o->full);
            continue;
        }
        const uint64_t *words = (const void *)observed_register(o, at);
        unsigned lanes = o->lane_count < 64 && o->full >> 32 == 0 ? 32 : 64;
        if (o->full + 1 == 0 || o->full == 0xffffffff) {
            for (unsigned n = 0; n < lanes / 2; n++) h = mix(h, words[n]);
        } else {
            for (unsigned n = 0; n < lanes; n++)
                if (o->full >> n & 1) h = mix(h, observed_register(o, at)[n]);
        }
    }
    return h;
}

static unsigned barrier_number(const struct observed *o)
{
    const struct operand *n = &o->inst->src[0];
    if (n->kind == OPERAND_IMM) return n->value % BARRIERS;
    if (n->kind != OPERAND_REG || n->reg == REG_ZERO || !o->lanes) return 0;
    return observed_register(o, n->reg)[__builtin_ctzll(o->lanes)] % BARRIERS;
}

static void go_on(const struct identity *s, const struct observed *o)
{
    const struct ghost_block *b = o->block->state;
    struct ghost_warp *w = &b->warps[o->warp];
    if (isa_has(o->inst, ISA_BARRIER)) w->arrived[barrier_number(o)] |= o->lanes;
    for (uint64_t left = s->insts[o->index].syncs ? o->lanes : 0; left; left &= left - 1) {
        uint64_t *epoch = &w->epoch[__builtin_ctzll(left)];
        *epoch = mix(*epoch, o->index);
    }
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
    struct identity *s = context;
    const struct static_inst *d = &s->insts[o->index];
    if (isa_has(o->inst, ISA_BARRIER)) go_on(s, o); // the last one to arrive completes it before `after`
    if (d->kept && o->path == o->full) s->operands = hash_values(&d->reads, o);
}

// What all results of the instruction have in common.
static uint64_t common_name(const struct identity *s, const struct ghost_warp *w, const struct observed *o)
{
    const struct static_inst *d = &s->insts[o->index];
    uint64_t h = mix(SEED_INST, o->index);
    if (d->naming == NAME_BY_LANES)
        for (uint64_t left = o->lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            h = mix(h, lane);
            for (unsigned k = 0; k < d->reads.count; k++)
                h = mix(h, names_at(w, d->reads.at[k].location)[lane]);
        }
    return h;
}

static uint64_t value_at(const struct observed *o, uint32_t location, unsigned lane)
{
    if (is_predicate(location)) return o->pred[location - LOCATION_PREDICATE] >> lane & 1;
    return observed_register(o, location)[lane];
}

static uint64_t lane_name(struct identity *s, const struct ghost_warp *w, const struct observed *o,
                          uint64_t common, unsigned lane)
{
    const struct static_inst *d = &s->insts[o->index];
    uint64_t h = common;
    bool own = d->naming == NAME_OF_ITS_OWN ||
               (d->naming == NAME_BY_SPACE && (!o->access || o->access->local >> lane & 1));
    if (own) return hash_u64(++s->own);
    if (d->naming == NAME_BY_LANES) return mix(h, lane);
    if (d->naming == NAME_BY_TIME || d->naming == NAME_BY_SPACE) h = mix(h, w->epoch[lane]);
    for (unsigned k = 0; k < d->reads.count; k++)
        if (d->reads.at[k].role == ROLE_SOURCE) h = mix(h, names_at(w, d->reads.at[k].location)[lane]);
    return h;
}

static void name_results(struct identity *s, const struct ghost_warp *w, const struct observed *o)
{
    const struct static_inst *d = &s->insts[o->index];
    if (!d->writes.count) return;
    uint64_t common = common_name(s, w, o);
    for (uint64_t left = o->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t h = d->naming == NAME_BY_VALUE ? mix(SEED_SREG, o->inst->src[0].reg)
                                                : lane_name(s, w, o, common, lane);
        for (unsigned k = 0; k < d->writes.count; k++) {
            uint32_t at = d->writes.at[k].location;
            uint64_t part = d->naming == NAME_BY_VALUE ? value_at(o, at, lane) : 0;
            names_at(w, at)[lane] = mix(mix(h, k), part);
        }
    }
}

static uint64_t hash_names(const struct static_inst *d, const struct ghost_warp *w, uint64_t lanes)
{
    uint64_t h = 1;
    for (unsigned k = 0; k < d->writes.count; k++)
        for (uint64_t left = lanes; left; left &= left - 1)
            h = mix(h, names_at(w, d->writes.at[k].location)[__builtin_ctzll(left)]);
    return h;
}

static void grow(struct ghost_block *b)
{
    struct kept *old = b->kept;
    uint32_t room = b->kept_room;
    b->kept_room *= 4;
    b->kept = heap_alloc(b->kept_room * sizeof *b->kept);
    memset(b->kept, 0, b->kept_room * sizeof *b->kept);
    for (uint32_t k = 0; k < room; k++) {
        if (!old[k].count) continue;
        uint32_t at = (uint32_t)old[k].key & (b->kept_room - 1);
        while (b->kept[at].count) at = (at + 1) & (b->kept_room - 1);
        b->kept[at] = old[k];
    }
    free(old);
}

// The executions that correspond with this one; count 0: none before. NULL: no room.
static struct kept *find_kept(struct ghost_block *b, uint64_t key)
{
    if (b->kept_count > b->kept_room / 2 && b->kept_room < KEPT_LIMIT) grow(b);
    if (b->kept_count > b->kept_room / 4 * 3) return NULL;
    uint32_t at = (uint32_t)key & (b->kept_room - 1);
    while (b->kept[at].count && b->kept[at].key != key) at = (at + 1) & (b->kept_room - 1);
    return &b->kept[at];
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

static void keep(struct identity *s, struct ghost_block *b, const struct ghost_warp *w,
                 const struct observed *o)
{
    const struct static_inst *d = &s->insts[o->index];
    uint32_t classes = s->classes[o->index];
    uint64_t key = mix(mix(w->history, o->index), classes > 1 ? o->warp % classes : 0);
    uint64_t names = hash_names(d, w, o->full), results = hash_values(&d->writes, o);
    struct kept *e = find_kept(b, key);
    s->counts.executions++;
    if (!e) {
        s->counts.not_kept++;
        return;
    }
    if (!e->count) {
        *e = (struct kept){key, names, results, s->operands, o->index, 1, o->warp, true, true, true};
        b->kept_count++;
        return;
    }
    e->count++;
    bool same_name = names == e->names, same_result = results == e->results;
    e->same_names &= same_name;
    e->same_results &= same_result;
    e->same_operands &= same_result && s->operands == e->operands;
    if (same_name && !same_result) {
        s->counts.raced++;
        report(s, &s->first_race, o, e, "have equal names and unequal values");
    }
    if (!classes) return;
    s->counts.compared++;
    if (same_name) return;
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
    name_results(s, w, o);
    if (d->kept && o->path == o->full) {
        keep(s, b, w, o);
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
    describe_program(s);
    s->observer = (struct observer){.context = s,
                                    .wants_access = true,
                                    .launch_begin = launch_begin,
                                    .block_begin = block_begin,
                                    .block_end = block_end,
                                    .before = before,
                                    .after = after,
                                    .barrier = barrier};
    return s;
}

void identity_destroy(struct identity *s)
{
    if (!s) return;
    strbuf_fini(&s->first_hole);
    strbuf_fini(&s->first_race);
    strbuf_fini(&s->first_pattern);
    free(s->insts);
    free(s->classes);
    free(s);
}

const struct observer *identity_observer(struct identity *s) { return &s->observer; }
const struct identity_counts *identity_counts(const struct identity *s) { return &s->counts; }
const char *identity_first_hole(struct identity *s) { return strbuf_text(&s->first_hole); }
const char *identity_first_race(struct identity *s) { return strbuf_text(&s->first_race); }
const char *identity_first_pattern(struct identity *s) { return strbuf_text(&s->first_pattern); }
