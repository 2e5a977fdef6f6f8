// R2D2: linear combinations of thread and block indices are computed once a kernel and once a block, and read as
// operands by the warps, which no longer have the instructions (Ha, Oh and Ro, ISCA 2023). Known facts and decisions:
// docs/explanation/techniques/r2d2.md.
//
//     IADD3 R4, R2, R3, RZ   left out
//     LDG   R6, [R4]         R4: thread-index register of the warp + block-index register
#include "tech/r2d2/r2d2.h"
#include "base/str.h"
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "sm/places.h"
#include "tech/registry.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const wrap_words[] = {"unsound", "proved", NULL};
static const char *const priority_words[] = {"first", "oldest", "in-turn", "last", NULL};

#define AT(field) offsetof(struct r2d2_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"vectors",   CONFIG_U32,  AT(vectors),   1, 4096,            NULL, "64", "thread-index registers of an SM, of all lanes: one for each thread part and warp of a block", "choice"},
    {"registers", CONFIG_U32,  AT(registers), 1, R2D2_LINEAR_MAX, NULL, "32", "linear registers of a kernel; as many coefficient registers, and block-index registers of each block", "choice"},
    {"cycles",    CONFIG_U32,  AT(cycles),    0, 100,             NULL, "1",  "cycles for adding the parts of an operand", "choice: an adder of 64 bits in front of the pipelines"},
    {"priority",  CONFIG_WORD, AT(priority),  0, 0, priority_words, "first", "turn of the linear instructions among the warps", "choice: warps wait for them"},
    {"wrap",      CONFIG_WORD, AT(wrap),      0, 0, wrap_words, "proved", "words are extended, shifted right and halved only where no value of the launch wraps; unsound: everywhere", "sound"},
    {"corrupt",   CONFIG_U32,  AT(corrupt),   0, 4000000000,      NULL, "0",  NULL, NULL},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/r2d2/counters.def"
#undef COUNTER
};

// -- a launch, an SM ----------------------------------------------------------------------------------------

static void launch_end(void *launch)
{
    struct r2d2_launch *l = launch;
    r2d2_plan_end(&l->plan);
    free(l);
}

static void *launch_begin(const struct tech_use *u, const struct sm_launch *sl)
{
    struct program kernel;
    const struct r2d2_code *code = r2d2_code_of(sl->launch->program, &kernel);
    if (!code) return NULL;
    struct r2d2_launch *l = heap_alloc(sizeof *l);
    *l = (struct r2d2_launch){.options = u->options,
                              .launch = sl->launch,
                              .ops = sl->decoded.ops,
                              .insts = sl->launch->program->insts,
                              .warps = sl->warps_per_block,
                              .verify = u->verify,
                              .mismatches = u->mismatches};
    if (r2d2_plan(l, &kernel, code)) return l;
    launch_end(l);
    return NULL;
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct r2d2 *d = heap_alloc(sizeof *d);
    d->launch = launch;
    d->grid = grid;
    d->counters = counts;
    d->kernel_ready = CYCLE_NEVER;
    d->step.phase = R2D2_DONE;
    d->first_register = tech_guest_map(grid)[0];
    d->bases = heap_alloc(((R2D2_BLOCKS + 1) * d->launch->plan.base_count + 1) * sizeof *d->bases);
    d->threads =
        heap_alloc((d->launch->plan.thread_count * d->launch->warps + 1) * R2D2_LANES * sizeof *d->threads);
    return d;
}

static void sm_end(void *state)
{
    struct r2d2 *d = state;
    free(d->bases);
    free(d->threads);
    free(d);
}

static struct tech_concerns concerns(const void *state)
{
    const struct r2d2 *d = state;
    return (struct tech_concerns){
        .hooks = d->launch->plan.concerns, .attentive = &d->attentive, .left_out = d->launch->plan.removed};
}

static uint32_t leaves_out(const void *state, unsigned place, uint32_t pc)
{
    const struct r2d2 *d = state;
    (void)place;
    return d->launch->plan.removed[pc];
}

// -- past removed instructions ------------------------------------------------------------------------------

// Whether a memory reply is still under way to a result of the removed instruction.
static bool is_outstanding(const struct r2d2 *d, unsigned place, uint32_t pc)
{
    const struct op *o = &d->launch->ops[pc];
    for (unsigned n = 0; n < o->dst_words; n++)
        if (tech_ready(d->grid, tech_own(d->grid, place, o->dst + n)) == CYCLE_NEVER) return true;
    return false;
}

// Takes the warp past the removed instructions at its pc. The warp's own registers get the results for verification
// alone. False: the warp must wait before the next removed instruction.
static bool pass_removed(struct r2d2 *d, unsigned place, const struct warp *w)
{
    while (w->state == WARP_READY && d->launch->plan.removed[w->pc]) {
        uint32_t pc = w->pc;
        if (is_outstanding(d, place, pc)) return false;
        if (d->launch->verify) tech_recompute(d->grid, place, pc);
        d->counters[COUNT_removed]++;
        tech_advance(d->grid, &tech_r2d2, place, pc + 1);
    }
    return true;
}

// After an instruction, a wait or a reply: the warp's next instruction is one that it has. The first that reads a linear
// register waits until the block's linear registers are there.
static void look(struct r2d2 *d, unsigned place)
{
    const struct warp *w = d->alive >> place & 1 ? tech_warp(d->grid, place) : NULL;
    if (!w || w->state != WARP_READY) return;
    if (!d->held[place] && !d->launch->plan.removed[w->pc] && !(d->attentive >> place & 1)) return;
    bool waits = !pass_removed(d, place, w);
    if (w->state != WARP_READY) return;
    const struct r2d2_plan *p = &d->launch->plan;
    bool reads = p->has_waits || p->first[w->pc] < p->first[w->pc + 1];
    bool is_early = d->attentive >> place & 1 && reads;
    unsigned what = waits || is_early ? HOLD_ISSUE : 0;
    d->counters[COUNT_late] += waits && !(d->late >> place & 1);
    d->late = (d->late & ~(1ull << place)) | (uint64_t)waits << place;
    if (what == d->held[place]) return;
    d->held[place] = (uint8_t)what;
    tech_hold(d->grid, &tech_r2d2, place, what);
}

static void look_at_block(struct r2d2 *d, unsigned block)
{
    for (uint64_t left = tech_places(d->grid, block); left; left &= left - 1) look(d, bit_lowest(left));
}

static void issued(void *state, unsigned place, uint32_t index)
{
    struct r2d2 *d = state;
    const struct warp *w = tech_warp(d->grid, place);
    const struct r2d2_plan *p = &d->launch->plan;
    // an arrival that completes a barrier, or an exit: other warps may go on
    if (p->meets[index] && (p->meets[index] == R2D2_ENDS || w->state == WARP_READY))
        look_at_block(d, tech_block_of(d->grid, place));
    else if (w->pc != index + 1 || p->removed[w->pc] || (d->attentive | d->late) >> place & 1)
        look(d, place);
}

static void advanced(void *state, unsigned place) { look(state, place); }

static void replied(void *state, unsigned place, uint32_t index, const uint16_t *registers, uint64_t cycle)
{
    struct r2d2 *d = state;
    (void)index, (void)registers, (void)cycle;
    if (d->late >> place & 1) look(d, place);
}

// -- blocks and warps ---------------------------------------------------------------------------------------

static void block_start(void *state, unsigned block)
{
    struct r2d2 *d = state;
    d->blocks[block].state = R2D2_EMPTY;
}

static void block_end(void *state, unsigned block) { r2d2_block_leaves(state, block); }

static void warp_start(void *state, unsigned place)
{
    struct r2d2 *d = state;
    unsigned block = tech_block_of(d->grid, place);
    const struct warp *w = tech_warp(d->grid, place);
    d->alive |= 1ull << place;
    d->held[place] = 0;
    if (d->blocks[block].state != R2D2_READY) d->attentive |= 1ull << place;
    if (d->blocks[block].state != R2D2_EMPTY) return;
    memcpy(d->blocks[block].id, w->cta->id, sizeof w->cta->id);
    r2d2_block_arrives(d, block);
}

static void warp_started(void *state, unsigned place) { look(state, place); }

static void warp_end(void *state, unsigned place)
{
    struct r2d2 *d = state;
    d->alive &= ~(1ull << place);
    d->late &= ~(1ull << place);
    d->attentive &= ~(1ull << place);
    d->held[place] = 0;
    look_at_block(d, tech_block_of(d->grid, place));
}

// The block's linear registers may be there.
static void event(void *state, unsigned block)
{
    struct r2d2 *d = state;
    struct r2d2_block *b = &d->blocks[block];
    if (b->state != R2D2_SETTLES || b->ready_at > tech_now(d->grid)) return;
    b->state = R2D2_READY;
    d->attentive &= ~tech_places(d->grid, block);
    d->counters[COUNT_prologue_cycles] += tech_now(d->grid) - b->since;
    look_at_block(d, block);
}

// -- operands -----------------------------------------------------------------------------------------------

static uint64_t base_of(const struct r2d2 *d, unsigned block, unsigned base)
{
    return d->launch->plan.bases[base].is_of_block ? r2d2_bases(d, block)[base] : d->coefficients[base];
}

// For tests: flips a bit of the thread part, or of the base, in the n-th operand (n: option corrupt).
static void corrupt(struct r2d2 *d, const struct warp *w, unsigned block, struct r2d2_register r)
{
    enum { BIT = 4 };
    if (r.thread != R2D2_NONE)
        r2d2_thread_lanes(d, r.thread, w->index)[bit_lowest(w->active)] ^= BIT;
    else if (d->launch->plan.bases[r.base].is_of_block)
        r2d2_bases(d, block)[r.base] ^= BIT;
    else
        d->coefficients[r.base] ^= BIT;
}

static void add_up(const struct r2d2 *d, const struct warp *w, unsigned block, const struct r2d2_operand *o,
                   uint32_t value[R2D2_LANES])
{
    const struct r2d2_register r = d->launch->plan.registers[o->linear];
    unsigned lanes = d->launch->launch->warp_size;
    const uint64_t base = r.base == R2D2_NONE ? 0 : base_of(d, block, r.base);
    if (r.thread == R2D2_NONE) {
        uint32_t word = (uint32_t)(o->is_upper ? base >> 32 : base);
        for (unsigned n = 0; n < lanes; n++) value[n] = word;
        return;
    }
    const uint32_t *thread = r2d2_thread_lanes(d, r.thread, w->index);
    if (o->is_upper)
        for (unsigned n = 0; n < lanes; n++)
            value[n] = (uint32_t)((base + (uint64_t)(int64_t)(int32_t)thread[n]) >> 32);
    else
        for (unsigned n = 0; n < lanes; n++) value[n] = thread[n] + (uint32_t)base;
}

// The lanes in which the instruction executes.
static uint64_t lanes_of(const struct warp *w, const struct op *o)
{
    uint64_t guard = w->pred[o->guard];
    return o->is_guarded ? w->active & (o->guard_not ? ~guard : guard) : w->active;
}

static void bring(struct r2d2 *d, unsigned place, const struct op *op, const struct r2d2_operand *o)
{
    struct warp *w = tech_warp(d->grid, place);
    unsigned block = tech_block_of(d->grid, place);
    uint32_t value[R2D2_LANES], *own = tech_lanes(d->grid, place, o->r);
    if (d->launch->options->corrupt && ++d->served == d->launch->options->corrupt)
        corrupt(d, w, block, d->launch->plan.registers[o->linear]);
    if (w->active == w->full && !d->launch->verify) {
        add_up(d, w, block, o, own);
        return;
    }
    add_up(d, w, block, o, value);
    if (d->launch->verify) {
        uint32_t different = 0;
        for (uint64_t left = lanes_of(w, op); left; left &= left - 1)
            different |= own[bit_lowest(left)] ^ value[bit_lowest(left)];
        if (different) __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
    }
    // the register may have another value in the other lanes
    for (uint64_t left = w->active; left; left &= left - 1) own[bit_lowest(left)] = value[bit_lowest(left)];
}

static void reads(void *state, unsigned place, uint32_t index)
{
    struct r2d2 *d = state;
    const struct r2d2_plan *p = &d->launch->plan;
    for (uint32_t k = p->first[index]; k < p->first[index + 1]; k++)
        bring(d, place, &d->launch->ops[index], &p->operands[k]);
}

static uint32_t elsewhere(const void *state, unsigned place, uint32_t index, bool is_write)
{
    const struct r2d2 *d = state;
    (void)place;
    return is_write ? 0 : d->launch->plan.served[index];
}

// A bank gives a warp's part a cycle. Both words of a number come with one read.
static uint32_t wait_for_bank(struct r2d2 *d, unsigned place)
{
    unsigned banks = tech_launch(d->grid)->kind->config.schedulers;
    if (banks > R2D2_BANKS) banks = R2D2_BANKS;
    uint64_t *free = &d->bank_free[tech_warp(d->grid, place)->index % banks], now = tech_now(d->grid);
    uint64_t at = *free > now ? *free : now;
    *free = at + 1;
    d->counters[COUNT_conflicts] += at - now;
    return (uint32_t)(at - now);
}

static void operand(void *state, unsigned place, uint32_t index, struct operand_access *a)
{
    struct r2d2 *d = state;
    const struct r2d2_plan *p = &d->launch->plan;
    if (a->is_write || !(p->served[index] >> a->nth & 1)) return;
    const struct r2d2_operand *first = &p->operands[p->first[index]], *o = first;
    while (o->r != a->r) o++;
    bool is_second = false; // the other word of the number has been read
    for (const struct r2d2_operand *k = first; k < o; k++) is_second |= k->linear == o->linear;
    const struct r2d2_register r = p->registers[o->linear];
    bool has_thread = r.thread != R2D2_NONE, has_base = r.base != R2D2_NONE, is_sum = has_thread && has_base;
    a->main = 0;
    a->bank = NO_BANK;
    a->is_apart = true;
    a->near = has_thread;
    a->words = !has_thread;
    a->compared = is_sum;
    a->cycles += is_sum ? d->launch->options->cycles : 0;
    d->counters[COUNT_operands]++;
    d->counters[COUNT_sums] += is_sum;
    if (is_second) return;
    if (has_thread) a->cycles += wait_for_bank(d, place);
    d->counters[COUNT_thread_reads] += has_thread;
    if (has_base) d->counters[p->bases[r.base].is_of_block ? COUNT_block_reads : COUNT_coefficient_reads]++;
}

// -- descriptions -------------------------------------------------------------------------------------------

static const char *check(const void *state)
{
    const struct r2d2 *d = state;
    for (unsigned k = 0; k < R2D2_BLOCKS; k++)
        if (d->blocks[k].state == R2D2_WAITS) return "r2d2: a block has waited for its linear registers";
    return d->queued ? "r2d2: blocks are left in the queue" : NULL;
}

static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    enum { WORD = 32, NUMBER = 64, NAME = 7 };
    const struct r2d2_options *o = options;
    size_t n = 0;
    out[n++] = (struct tech_storage){"thread-index registers", o->vectors, 32 * WORD, false, c->schedulers};
    out[n++] = (struct tech_storage){"block-index registers", (uint64_t)o->registers * c->max_blocks, NUMBER,
                                     false, c->schedulers};
    // of a base: c0 and an offset for each block index; of a thread part: an offset for each thread index
    out[n++] = (struct tech_storage){"coefficient registers", o->registers, 4 * NUMBER + 3 * WORD, false, 1};
    out[n++] = (struct tech_storage){"linear registers", (uint64_t)o->registers * c->schedulers, 2 * NAME,
                                     false, c->schedulers};
    return n;
}

static void rows(const void *state, struct tech_rows *to)
{
    static const char *const words[] = {"none", "computed", "under way", "there"};
    const struct r2d2 *d = state;
    for (unsigned k = 0; k < R2D2_BLOCKS; k++) {
        const struct r2d2_block *b = &d->blocks[k];
        if (b->state) tech_row(to, "linear registers", TECH_OF_BLOCK, k, 0, "%s", words[b->state]);
        for (unsigned n = 0; b->state == R2D2_READY && n < d->launch->plan.base_count; n++)
            if (d->launch->plan.bases[n].is_of_block)
                tech_row(to, "block-index registers", TECH_OF_BLOCK, k, n, "%#" PRIx64, r2d2_bases(d, k)[n]);
    }
}

const struct tech tech_r2d2 = {
    .name = "r2d2",
    .meaning = "linear combinations of thread and block indices are computed once a kernel and once a block, "
               "and added up where a warp reads them",
    .paper = "R2D2: Ha, Oh and Ro, ISCA 2023",
    .features = HAS(UNIFORM) | HAS(AFFINE) | HAS(NOT_REDUNDANT) | HAS(FETCH) | HAS(ISSUE) | HAS(EXECUTION) |
                HAS(WAITS) | HAS(COMPILER),
    .claims = CLAIMS(AFFINE) | CLAIMS(OWN_REGISTERS) | CLAIMS(REGISTER_STORAGE) | CLAIMS(GUEST_STREAM) |
              CLAIMS(HOLDS) | CLAIMS(FETCH) | CLAIMS(EXECUTION) | CLAIMS(OPERANDS),
    .skipped = COUNT_removed,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct r2d2_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .sm_begin = sm_begin,
    .concerns = concerns,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .warp_end = warp_end,
    .reads = reads,
    .issued = issued,
    .check = check,
    .rows = rows,
    .blocks = &(const struct tech_blocks){.block_start = block_start, .block_end = block_end, .event = event},
    .program = &(const struct tech_program){.transform = r2d2_transform, .leaves_out = leaves_out},
    .skipping =
        &(const struct tech_skipping){.warp_started = warp_started, .lends = reads, .advanced = advanced},
    .registers =
        &(const struct tech_registers){.elsewhere = elsewhere, .operand = operand, .replied = replied},
    .guest = &(const struct tech_guest){.guest_may = r2d2_guest_may,
                                        .guest = r2d2_guest,
                                        .guest_result = r2d2_guest_result},
};
