// The affine stream. The first warp of a block to reach an affine instruction executes it for the block. The
// other warps skip the instruction, if possible before fetch. An instance is matched by instruction and
// source values: warps in different iterations or on different paths share a result only with equal sources.
// The synchronisation needed for this guarantee in hardware costs nothing here.
#include "base/bits.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "tech/dac/dac.h"

#include <stdlib.h>
#include <string.h>

static void spare_instance(struct dac *d, struct instance *e)
{
    free(e->outcome.masks);
    e->outcome.masks = NULL;
    vec_push(&d->spare, e);
}

void dac_forget(struct dac *d, struct dac_block *b)
{
    for (uint32_t pc = 0; pc < d->launch->program->inst_count; pc++) {
        for (size_t n = 0; n < b->instances[pc].count; n++)
            spare_instance(d, b->instances[pc].data[n].instance);
        b->instances[pc].count = 0;
    }
}

// -- instances ----------------------------------------------------------------------------------------------

// Whether all source registers have known tuples, and all predicates read are known and uniform.
static bool are_sources_known(const struct known *k, const struct op *o)
{
    if (o->pred_reads & ~(k->preds & k->uniform)) return false;
    for (unsigned n = 0; n < o->read_count; n++)
        if (!is_known(k, o->reads[n])) return false;
    return true;
}

// Values of the uniform predicates read by the instruction; bit k: predicate k.
static uint8_t preds_of(const struct known *k, const struct op *o)
{
    uint8_t preds = 0;
    for (unsigned left = o->pred_reads; left; left &= left - 1)
        preds |= (uint8_t)((k->masks[bit_lowest(left)] & 1) << bit_lowest(left));
    return preds;
}

// Equal for equal values; different values seldom share a hash.
static uint64_t hash_of(const struct known *k, const struct op *o, uint8_t preds)
{
    static const uint64_t odd = 0x9e3779b97f4a7c15;
    uint64_t hash = preds;
    for (unsigned n = 0; n < o->read_count; n++) {
        const struct tuple *u = &k->tuples[o->reads[n]];
        hash = (hash + u->base + ((uint64_t)u->stride[0] << 32)) * odd;
        hash += ((uint64_t)u->stride[1] << 32) + u->stride[2];
    }
    return hash;
}

// Whether the instance was executed with the values, of registers and predicates, that the warp would read
// now.
static bool is_same(const struct instance *e, const struct known *k, const struct op *o, uint8_t preds)
{
    if (e->key_preds != preds) return false;
    for (unsigned n = 0; n < e->key_count; n++)
        if (!tuple_equal(&e->key[n], &k->tuples[o->reads[n]])) return false;
    return true;
}

// The oldest instance of the instruction, executed with the warp's present source values and not yet passed
// by the warp; NULL: no such instance.
static struct instance_row *find(struct dac *d, unsigned place, uint32_t pc)
{
    const struct dac_warp *w = &d->warps[place];
    const struct op *o = &d->launch->ops[pc];
    struct dac_block *b = &d->blocks[w->block];
    uint8_t preds = preds_of(&w->front, o);
    uint64_t hash = hash_of(&w->front, o, preds);
    for (size_t n = 0; n < b->instances[pc].count; n++) {
        struct instance_row *row = &b->instances[pc].data[n];
        if (row->hash == hash && !(row->passed >> w->index & 1) &&
            is_same(row->instance, &w->front, o, preds))
            return row;
    }
    return NULL;
}

static void remove_instance(struct dac *d, struct dac_block *b, uint32_t pc, size_t n)
{
    struct instance_row *data = b->instances[pc].data;
    spare_instance(d, data[n].instance);
    memmove(data + n, data + n + 1, (--b->instances[pc].count - n) * sizeof *data);
}

// Frees the instruction's instances passed by all warps of the block still to end. Then frees the
// instruction's oldest instance if as many are left as option instances allows.
static void make_room(struct dac *d, struct dac_block *b, uint32_t pc)
{
    for (size_t n = b->instances[pc].count; n-- > 0;)
        if (!(b->live & ~b->instances[pc].data[n].passed)) remove_instance(d, b, pc, n);
    if (b->instances[pc].count < d->launch->options->instances) return;
    remove_instance(d, b, pc, 0);
    d->counters[COUNT_forgotten]++;
}

// -- one instruction of one warp ----------------------------------------------------------------------------

// Whether a memory reply still to come, or an older unissued memory instruction, will write a destination of
// the instruction.
static bool is_outstanding(const struct dac *d, struct dac_warp *w, unsigned place, const struct op *o,
                           uint32_t older)
{
    for (unsigned n = 0; n < o->dst_words; n++)
        if (tech_ready(d->grid, tech_own(d->grid, place, o->dst + n)) == UINT64_MAX) return true;
    for (uint32_t n = 0; n < older; n++) {
        const struct op *x = &d->launch->ops[line_at(w, n)->pc];
        if (x->path == PATH_MEMORY && x->dst < o->dst + o->dst_words && o->dst < x->dst + x->dst_words)
            return true;
    }
    return false;
}

static bool guard_of(const struct dac *d, uint32_t pc, uint8_t preds)
{
    const struct inst *i = &d->launch->program->insts[pc];
    return (i->guard == PRED_TRUE || preds >> i->guard & 1) != (i->guard_not != 0);
}

// Whether every older unissued instruction is skipped or only computes. A load executed now then reads the
// value it would read in program order.
static bool is_its_turn(const struct dac *d, struct dac_warp *w, uint32_t older)
{
    for (uint32_t n = 0; n < older; n++)
        if (line_at(w, n)->role != ROLE_SKIPPED && d->launch->ops[line_at(w, n)->pc].path != PATH_ALU)
            return false;
    return true;
}

// Whether the affine stream may evaluate the instruction with its current sources. `older`: number of the
// warp's unissued instructions before the instruction.
static bool is_affine(struct dac *d, unsigned place, uint32_t pc, uint32_t older)
{
    struct dac_warp *w = &d->warps[place];
    const struct op *o = &d->launch->ops[pc];
    if (!are_sources_known(&w->front, o)) return false;
    if (d->launch->candidates[pc] == LOADS &&
        (!guard_of(d, pc, preds_of(&w->front, o)) || !is_its_turn(d, w, older)))
        return false;
    if (!is_whole(tech_warp(d->grid, place))) {
        d->counters[COUNT_diverged]++;
        return false;
    }
    if (!is_outstanding(d, w, place, o, older)) return true;
    d->counters[COUNT_outstanding]++;
    return false;
}

static bool is_uniform(const struct outcome *out)
{
    bool uniform = out->uniform == out->preds;
    for (unsigned n = 0; n < out->words; n++) uniform &= tuple_is_uniform(&out->tuples[n]);
    return uniform;
}

static void take(struct dac *d, unsigned place, const struct instance *e, struct line *l)
{
    unsigned warp = index_in_block(d, place);
    l->writes = guard_of(d, l->pc, e->key_preds);
    l->outcome = e->outcome;
    for (unsigned k = 0; k < 2 && e->outcome.masks; k++)
        l->masks[k] = e->outcome.masks[k * d->launch->threads.warps + warp];
    l->outcome.masks = NULL; // owned by the instance
}

static void skip(struct dac *d, unsigned place, struct instance_row *row, struct line *l)
{
    l->role = ROLE_SKIPPED;
    take(d, place, row->instance, l);
    row->passed |= 1ull << index_in_block(d, place);
    d->counters[COUNT_skipped]++;
    d->counters[COUNT_skipped_uniform] += is_uniform(&l->outcome);
}

// Whether the warp can take the instance's result: an affine result, for a load also equal to the value
// loaded now.
static bool is_for(struct dac *d, unsigned place, uint32_t pc, const struct instance *e)
{
    return e->affine && (d->launch->candidates[pc] != LOADS || dac_loads_the_same(d, place, pc, e));
}

static struct instance_row *lead(struct dac *d, unsigned place, uint32_t pc)
{
    struct dac_block *b = block_of(d, place);
    const struct known *k = &d->warps[place].front;
    const struct op *o = &d->launch->ops[pc];
    make_room(d, b, pc);
    struct instance *e = d->spare.count ? vec_pop(&d->spare) : heap_alloc(sizeof *e);
    e->affine = false;
    e->key_count = o->read_count;
    e->key_preds = preds_of(k, o);
    vec_push(&b->instances[pc], (struct instance_row){.hash = hash_of(k, o, e->key_preds), .instance = e});
    for (unsigned n = 0; n < o->read_count; n++) e->key[n] = k->tuples[o->reads[n]];
    dac_evaluate(d, place, pc, e);
    d->looked_at &= ~tech_places(d->grid, d->warps[place].block);
    return &vec_last(&b->instances[pc]);
}

// Makes the warp lead, skip or execute the instruction itself. True: skipped, the instruction need not issue.
static bool order(struct dac *d, unsigned place, struct line *l, uint32_t older)
{
    if (!is_affine(d, place, l->pc, older)) return false;
    struct instance_row *row = find(d, place, l->pc);
    if (row && is_for(d, place, l->pc, row->instance)) {
        skip(d, place, row, l);
        return true;
    }
    bool leads = !row;
    if (leads) row = lead(d, place, l->pc);
    row->passed |= 1ull << index_in_block(d, place);
    leads &= row->instance->affine;
    d->counters[COUNT_not_affine] += !leads;
    if (!leads) return false;
    l->role = ROLE_LEADER;
    take(d, place, row->instance, l);
    d->counters[COUNT_led]++;
    d->counters[COUNT_led_uniform] += is_uniform(&l->outcome);
    return false;
}

// -- warps --------------------------------------------------------------------------------------------------

static bool is_passable(struct dac_warp *w) { return w->ordered && line_at(w, 0)->role == ROLE_SKIPPED; }

// Moves the warp's pc past skipped instructions at the front of its unissued instructions.
static void pass(struct dac *d, unsigned place)
{
    struct dac_warp *w = &d->warps[place];
    while (is_passable(w)) {
        const struct line *l = line_at(w, 0);
        if (d->launch->verify) dac_verify(d, place, l);
        learn(d, &w->back, l);
        w->first = (w->first + 1) % LINES;
        w->count--;
        w->ordered--;
        tech_advance(d->grid, &tech_dac, place, l->pc + 1);
    }
}

// Whether the warp is ready and no ordered, unissued control instruction decides the next pc.
static bool is_open(const struct dac *d, const struct dac_warp *w, unsigned place)
{
    return !w->blocking && tech_warp(d->grid, place)->state == WARP_READY;
}

// Decides for the warp's oldest line without a role whether the warp executes the instruction itself, leads
// the block, or skips. True: skipped, the line need not issue.
static bool order_next(struct dac *d, unsigned place)
{
    struct dac_warp *w = &d->warps[place];
    struct line *l = line_at(w, w->ordered);
    l->role = ROLE_OWN;
    bool skipped = d->launch->candidates[l->pc] != NOT_CANDIDATE && order(d, place, l, w->ordered);
    learn(d, &w->front, l);
    w->ordered++;
    w->blocking += d->launch->blocks[l->pc];
    return skipped;
}

// Number of the warp's instructions before line n that are in the I-buffer or on the way to it.
static unsigned fetched_before(struct dac_warp *w, uint32_t n)
{
    unsigned count = 0;
    for (uint32_t k = 0; k < n; k++) count += line_at(w, k)->role != ROLE_SKIPPED;
    return count;
}

static void order_more(struct dac *d, unsigned place)
{
    struct dac_warp *w = &d->warps[place];
    bool news = false;
    look_again(d, place);
    if (w->ordered == w->count && !is_passable(w)) return;
    while (w->ordered < w->count && is_open(d, w, place)) {
        uint32_t n = w->ordered;
        if (!order_next(d, place)) continue;
        d->counters[COUNT_skipped_decode]++;
        if (fetched_before(w, n) < tech_buffered(d->grid, place))
            tech_drop(d->grid, place, line_at(w, n)->pc);
        else
            tech_drop_fetching(d->grid, place, line_at(w, n)->pc);
        news = true;
    }
    news |= is_passable(w);
    pass(d, place);
    if (news) tech_hold(d->grid, &tech_dac, place, 0); // no hold; the SM looks at the warp again
}

static struct line *push(struct dac_warp *w, uint32_t pc)
{
    struct line *l = line_at(w, w->count++);
    l->pc = pc;
    return l;
}

static bool skip_next(struct dac *d, unsigned place)
{
    struct dac_warp *w = &d->warps[place];
    uint32_t pc = tech_fetch_pc(d->grid, place);
    // Some lines stay free for instructions in the I-buffer.
    if (pc >= d->launch->program->inst_count || w->count >= LINES - 8) return false;
    if (d->launch->candidates[pc] == NOT_CANDIDATE || !is_affine(d, place, pc, w->count)) return false;
    struct instance_row *row = find(d, place, pc);
    if (!row || !is_for(d, place, pc, row->instance)) return false;
    struct line *l = push(w, pc);
    skip(d, place, row, l);
    dac_learn(d, &w->front, l);
    w->ordered++;
    tech_skip_fetch(d->grid, place);
    return true;
}

uint64_t dac_fetch(void *state, uint64_t fetchable)
{
    struct dac *d = state;
    for (uint64_t left = fetchable & ~d->looked_at; left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        struct dac_warp *w = &d->warps[place];
        if (w->ordered < w->count || !is_open(d, w, place)) continue;
        while (skip_next(d, place)) continue;
        d->looked_at |= 1ull << place;
        if (is_passable(w)) pass(d, place);
    }
    return fetchable;
}

// Fetched instructions are at once led, skipped or left to the warp: later behind an unissued control
// instruction, or if the warp is not ready. Skipped instructions take no room in the I-buffer. Returns the
// number of instructions taken; sets *count to those not skipped.
uint32_t dac_fetched(void *state, unsigned place, uint32_t pc, uint32_t *count, uint32_t most)
{
    struct dac *d = state;
    struct dac_warp *w = &d->warps[place];
    uint32_t fetched = 0, span = 0;
    bool ready = tech_warp(d->grid, place)->state == WARP_READY;
    for (; fetched < *count && span < most && w->count < LINES; span++) {
        push(w, pc + span);
        bool skipped = ready && !w->blocking && w->ordered + 1 == w->count && order_next(d, place);
        fetched += !skipped;
    }
    *count = fetched;
    look_again(d, place);
    if (is_passable(w)) pass(d, place);
    return span;
}

// Drops the warp's unissued instructions. If some of them were ordered, the tuples known at fetch return to
// those after the last issued instruction.
void dac_flushed(void *state, unsigned place)
{
    struct dac *d = state;
    struct dac_warp *w = &d->warps[place];
    if (w->ordered) w->front = w->back;
    w->count = w->ordered = w->blocking = 0;
    look_again(d, place);
}

// Called when a barrier of the block may be over: the block's warps go on leading and skipping.
static void renew(struct dac *d, unsigned block)
{
    for (uint64_t left = tech_places(d->grid, block); left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        if (tech_warp(d->grid, place) && d->warps[place].count) order_more(d, place);
    }
}

void dac_issued(void *state, unsigned place, uint32_t index)
{
    struct dac *d = state;
    order_more(d, place);
    const struct inst *i = &d->launch->program->insts[index];
    // A warp not ready after its barrier instruction waits for other warps to arrive.
    bool over = isa_has(i, ISA_BARRIER) && tech_warp(d->grid, place)->state == WARP_READY;
    if (over || isa_has(i, ISA_EXIT)) renew(d, d->warps[place].block);
}

void dac_warp_end(void *state, unsigned place)
{
    struct dac *d = state;
    block_of(d, place)->live &= ~(1ull << index_in_block(d, place));
    renew(d, d->warps[place].block);
}
