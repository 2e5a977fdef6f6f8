#include "tech/extra.h"
#include "exec/exec_impl.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

#include "api/impl.h"
#include "base/bits.h"
#include "base/hash.h"
#include "exec/warp.h"
#include "tech/tap.h"

#include <stdlib.h>
#include <string.h>

void *extra_launch(const struct tech_use *u, const struct sm_launch *l)
{
    (void)u, (void)l;
    return heap_alloc(1);
}

void *extra_launch_options(const struct tech_use *u, const struct sm_launch *l)
{
    const void **options = heap_alloc(sizeof *options);
    (void)l;
    *options = u->options;
    return options;
}

// -- scalar -------------------------------------------------------------------------------------------------

enum { KEY_MAX = 16, RESULT_MAX = 4, WARPS = 64 };

struct memo { // inputs and result of the last execution of an instruction
    bool is_known;
    uint32_t key[KEY_MAX], result[RESULT_MAX];
};

struct scalar {
    struct sm_grid *grid;
    uint64_t *counts;
    const struct op *ops;
    const struct program *program;
    struct memo *memos; // by instruction
    bool is_asked;      // the issuing instruction has the operands of its memo, and no result
};

static void *scalar_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct scalar *x = heap_alloc(sizeof *x);
    const struct sm_launch *l = tech_launch(grid);
    (void)launch;
    *x =
        (struct scalar){.grid = grid, .counts = counts, .ops = l->decoded.ops, .program = l->launch->program};
    x->memos = heap_alloc(x->program->inst_count * sizeof *x->memos);
    return x;
}

static void scalar_end(void *state)
{
    struct scalar *x = state;
    free(x->memos);
    free(x);
}

// The instruction depends only on registers and on values constant during a launch.
static bool is_function(const struct inst *i, const struct op *o)
{
    bool special = false;
    for (unsigned k = 0; k < 4; k++) special |= i->src[k].kind == OPERAND_SREG;
    return !special && o->path == PATH_ALU && isa_has(i, ISA_PURE) && !isa_has(i, ISA_CROSS_LANE) &&
           i->guard == PRED_TRUE && !i->guard_not && !o->pred_reads && !o->pred_writes && o->dst_words &&
           o->dst_words <= RESULT_MAX && o->read_count <= KEY_MAX;
}

static bool is_uniform(struct scalar *x, unsigned place, unsigned r)
{
    const uint32_t *lanes = tech_lanes(x->grid, place, r);
    for (unsigned n = 1; n < tech_launch(x->grid)->launch->warp_size; n++)
        if (lanes[n] != lanes[0]) return false;
    return true;
}

static uint32_t scalar_reuse(void *state, unsigned place, uint32_t index)
{
    struct scalar *x = state;
    const struct op *o = &x->ops[index];
    const struct warp *w = tech_warp(x->grid, place);
    struct memo *m = &x->memos[index];
    uint32_t key[KEY_MAX];
    if (!is_function(&x->program->insts[index], o) || w->active != w->full) return 0;
    for (unsigned k = 0; k < o->read_count; k++) {
        if (!is_uniform(x, place, o->reads[k])) return 0;
        key[k] = tech_lanes(x->grid, place, o->reads[k])[0];
    }
    bool same = m->is_known && memcmp(m->key, key, o->read_count * sizeof key[0]) == 0;
    if (!same) {
        memcpy(m->key, key, sizeof key);
        m->is_known = false;
        x->is_asked = true;
        return 0;
    }
    for (unsigned n = 0; n < o->dst_words; n++)
        for (unsigned lane = 0; lane < w->exec->lanes; lane++)
            tech_lanes(x->grid, place, o->dst + n)[lane] = m->result[n];
    x->counts[0]++;
    return 3;
}

static void scalar_executed(void *state, unsigned place, uint32_t index)
{
    struct scalar *x = state;
    struct memo *m = &x->memos[index];
    const struct op *o = &x->ops[index];
    if (x->is_asked)
        for (unsigned n = 0; n < o->dst_words; n++) m->result[n] = tech_lanes(x->grid, place, o->dst + n)[0];
    m->is_known |= x->is_asked;
    x->is_asked = false;
}

static void scalar_saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    struct scalar *x = state;
    (void)place, (void)index, (void)what;
    x->is_asked = false;
}

static const struct tech_counter scalar_counters[] = {{"reused", "warp instructions", "not executed"}};

const struct tech tech_scalar = {
    .name = "scalar",
    .meaning = "scalar instructions with the operands of last time are reused",
    .claims = CLAIMS(EXECUTION),
    .skipped = -1,
    .reused = 0,
    .counters = scalar_counters,
    .counter_count = 1,
    .launch_begin = extra_launch,
    .launch_end = free,
    .sm_begin = scalar_begin,
    .sm_end = scalar_end,
    .executed = scalar_executed,
    .saved = scalar_saved,
    .execution = &(const struct tech_execution){.reuse = scalar_reuse},
};

// -- holder -------------------------------------------------------------------------------------------------

struct holder {
    struct sm_grid *grid;
    uint64_t *counts;
    uint64_t drawn, until[WARPS]; // cycle at which the warp is let go; 0: not held
};

static void *holder_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct holder *h = heap_alloc(sizeof *h);
    (void)launch;
    *h = (struct holder){.grid = grid, .counts = counts};
    return h;
}

static void holder_issued(void *state, unsigned place, uint32_t index)
{
    struct holder *h = state;
    uint64_t draw = hash_u64(++h->drawn ^ (uint64_t)index << 32);
    if (draw % 6 || h->until[place]) return;
    h->until[place] = tech_now(h->grid) + 1 + draw / 64 % 50;
    tech_hold(h->grid, &tech_holder, place, 1 + (unsigned)(draw / 8 % 3));
    tech_at(h->grid, tech_block_of(h->grid, place), h->until[place]);
    h->counts[0]++;
}

static void holder_event(void *state, unsigned block)
{
    struct holder *h = state;
    for (uint64_t left = tech_places(h->grid, block); left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        if (!h->until[place] || h->until[place] > tech_now(h->grid)) continue;
        h->until[place] = 0;
        tech_hold(h->grid, &tech_holder, place, 0);
    }
}

static void holder_warp_end(void *state, unsigned place) { ((struct holder *)state)->until[place] = 0; }

static const struct tech_counter holder_counters[] = {{"holds", "holds", "of warps"}};

const struct tech tech_holder = {
    .name = "holder",
    .meaning = "warps are held now and then",
    .claims = CLAIMS(HOLDS),
    .skipped = -1,
    .reused = -1,
    .counters = holder_counters,
    .counter_count = 1,
    .launch_begin = extra_launch,
    .launch_end = free,
    .sm_begin = holder_begin,
    .sm_end = free,
    .issued = holder_issued,
    .warp_end = holder_warp_end,
    .blocks = &(const struct tech_blocks){.event = holder_event},
};

// -- beside registered mechanisms ---------------------------------------------------------------------------

const struct tech *const extra_techs[] = {
    &tech_scalar,    &tech_holder,   &tech_tap,  &tech_prefetch, &tech_dueling, &tech_keeper,
    &tech_piecemeal, &tech_grudging, &tech_four, &tech_ahead,    NULL};

bool extra_add(struct wf_context *c, const char *name, bool above)
{
    struct tech_choice *choice = &c->techs;
    const struct tech *const *t = extra_techs;
    while (*t && strcmp((*t)->name, name) != 0) t++;
    if (!*t || choice->count == TECH_MAX) return false;
    unsigned at = above ? 0 : choice->count;
    memmove(choice->uses + at + 1, choice->uses + at, (choice->count - at) * sizeof choice->uses[0]);
    choice->uses[at] = (struct tech_use){.tech = *t};
    struct strbuf all = {0}; // as if asked for together with the registered mechanisms
    strbuf_printf(&all, "%s%s%s", c->tech ? c->tech : "", c->tech ? "+" : "", name);
    free(c->tech);
    c->tech = all.text;
    c->chip.techs = c->chip_set.techs = choice->uses;
    c->chip.tech_count = c->chip_set.tech_count = ++choice->count;
    return true;
}
