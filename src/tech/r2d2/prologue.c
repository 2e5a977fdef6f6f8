// The linear instructions, before the warps:
//
//     first block of a kernel on an SM   coefficients ─▶ thread parts, warp by warp ─┐
//     every block                        ───────────────────────────────────────────┴▶ block parts ─▶ the warps go on
//
// A guest issues the instructions, which stand behind the kernel (code.c). A coefficient takes the instruction of the
// program that computes it, with a lane for each component; a part takes a product for every index with a coefficient, in
// all lanes of a warp or in one. The product is one instruction, which issues again and again from its I-buffer entry, for
// the next warp, part or index. Instructions of one phase follow one another as their pipelines take them; a phase waits for
// the phase before, and the products of an index for those of the index before.
#include "exec/launch.h"
#include "sm/places.h"
#include "tech/r2d2/r2d2.h"
#include "tech/registry.h"

static const struct r2d2_plan *plan_of(const struct r2d2 *d) { return &d->launch->plan; }

static bool is_present(const struct r2d2 *d, const struct r2d2_cursor *c)
{
    if (c->phase == R2D2_THREADS) return plan_of(d)->threads[c->part].offset[c->dimension];
    return c->phase != R2D2_OF_BLOCK || plan_of(d)->bases[c->part].offset[c->dimension];
}

static bool is_first_dimension(const struct r2d2 *d, struct r2d2_cursor c)
{
    while (c.dimension--)
        if (is_present(d, &c)) return false;
    return true;
}

static uint32_t parts_of(const struct r2d2 *d, unsigned phase)
{
    const struct r2d2_plan *p = plan_of(d);
    switch ((enum r2d2_phase)phase) {
    case R2D2_COEFFICIENTS: return p->inst_count;
    case R2D2_THREADS: return p->thread_count;
    case R2D2_OF_BLOCK: return p->base_count;
    case R2D2_DONE: break;
    }
    return 0;
}

// The place behind c, whether or not it has something to do: warps, then parts, indices, phases.
static struct r2d2_cursor behind(const struct r2d2 *d, struct r2d2_cursor c)
{
    if (c.phase == R2D2_THREADS && ++c.warp < d->launch->warps) return c;
    c.warp = 0;
    if (++c.part < parts_of(d, c.phase)) return c;
    c.part = 0;
    if (c.phase != R2D2_COEFFICIENTS && ++c.dimension < 3) return c;
    return (struct r2d2_cursor){.phase = (uint8_t)(c.phase + 1)};
}

// The first step from c on. DONE: none left, of the kernel or of the block.
static struct r2d2_cursor first_from(const struct r2d2 *d, struct r2d2_cursor c)
{
    unsigned last = c.phase == R2D2_OF_BLOCK ? R2D2_OF_BLOCK : R2D2_THREADS;
    while (c.phase <= last && (c.part >= parts_of(d, c.phase) || !is_present(d, &c))) c = behind(d, c);
    if (c.phase > last) c.phase = R2D2_DONE;
    return c;
}

static uint32_t inst_of(const struct r2d2 *d, const struct r2d2_cursor *c)
{
    const struct r2d2_plan *p = plan_of(d);
    switch ((enum r2d2_phase)c->phase) {
    case R2D2_COEFFICIENTS: return p->insts[c->part];
    case R2D2_THREADS:
    case R2D2_OF_BLOCK: return p->code->product;
    case R2D2_DONE: break;
    }
    return 0;
}

// -- a step -------------------------------------------------------------------------------------------------

static void compute_coefficient(struct r2d2 *d, struct guest_step *step)
{
    const struct r2d2_plan *p = plan_of(d);
    step->lanes = p->components[d->step.part];
    d->counters[COUNT_coefficients]++;
    d->counters[COUNT_coefficient_writes] += step->lanes;
    if (d->step.part + 1 < p->inst_count) return;
    for (unsigned k = 0; k < p->base_count; k++) d->coefficients[k] = p->bases[k].base;
}

static uint32_t index_of_thread(const struct launch *l, uint32_t thread, unsigned dimension)
{
    if (dimension == 0) return thread % l->block[0];
    return dimension == 1 ? thread / l->block[0] % l->block[1] : thread / l->block[0] / l->block[1];
}

static void compute_thread(struct r2d2 *d, struct guest_step *step)
{
    const struct launch *l = d->launch->launch;
    uint32_t *lanes = r2d2_thread_lanes(d, d->step.part, d->step.warp);
    uint32_t factor = (uint32_t)plan_of(d)->threads[d->step.part].offset[d->step.dimension];
    for (uint32_t n = 0; n < l->warp_size; n++)
        lanes[n] += factor * index_of_thread(l, d->step.warp * l->warp_size + n, d->step.dimension);
    step->lanes = l->warp_size;
    d->counters[COUNT_threads]++;
    d->counters[COUNT_coefficient_reads]++;
    d->counters[COUNT_thread_writes]++;
    d->counters[COUNT_thread_reads] += !is_first_dimension(d, d->step);
}

static void compute_base(struct r2d2 *d)
{
    const struct r2d2_base *b = &plan_of(d)->bases[d->step.part];
    const struct r2d2_block *block = &d->blocks[d->serving];
    uint64_t *base = &r2d2_bases(d, d->serving)[d->step.part];
    bool is_first = is_first_dimension(d, d->step);
    if (is_first) *base = d->coefficients[d->step.part];
    *base += b->offset[d->step.dimension] * block->id[d->step.dimension];
    d->counters[COUNT_blocks]++;
    d->counters[COUNT_coefficient_reads] += is_first ? 2 : 1;
    d->counters[COUNT_block_reads] += !is_first;
    d->counters[COUNT_block_writes]++;
}

// -- from step to step --------------------------------------------------------------------------------------

static struct r2d2_cursor first_of_block(const struct r2d2 *d)
{
    return first_from(d, (struct r2d2_cursor){.phase = R2D2_OF_BLOCK});
}

// The block's linear registers are there from `cycle` on.
static void settle(struct r2d2 *d, unsigned block, uint64_t cycle)
{
    struct r2d2_block *b = &d->blocks[block];
    b->state = R2D2_SETTLES;
    b->ready_at = cycle;
    tech_at(d->grid, block, cycle);
}

// Takes the next block with steps. DONE: none.
static void take_block(struct r2d2 *d)
{
    d->step.phase = R2D2_DONE;
    if (!d->queued) return;
    d->serving = d->queue[0];
    d->queued--;
    memmove(d->queue, d->queue + 1, d->queued);
    d->step = first_of_block(d);
}

// Registers of the next part's result: others than of the parts before, so that parts do not wait for one another.
static void map_registers(struct r2d2 *d)
{
    if (d->step.phase == R2D2_COEFFICIENTS) return;
    const struct op *o = &d->launch->ops[d->launch->plan.code->product];
    uint32_t r = R2D2_SOURCES + 2 * d->turn++ % (TECH_REGISTERS - 2 * R2D2_SOURCES);
    for (unsigned n = 0; n < o->dst_words; n++)
        tech_guest_map(d->grid)[o->dst + n] = (uint16_t)(d->first_register + r + n);
}

static bool is_encoded(const struct r2d2 *d)
{
    return tech_launch(d->grid)->kind->config.dependences == DEPENDENCES_ENCODED;
}

// Whether step `next` waits for the results of the steps before: of another phase or index. Control words know the
// waits along the program's path alone.
static bool waits(const struct r2d2 *d, const struct r2d2_cursor *at, const struct r2d2_cursor *next)
{
    bool jumps = is_encoded(d) && inst_of(d, next) != inst_of(d, at) + 1;
    if (at->phase == R2D2_COEFFICIENTS) return next->phase != at->phase || jumps;
    return next->dimension && next->dimension != at->dimension;
}

void r2d2_guest(void *state, uint32_t index, struct guest_step *step)
{
    struct r2d2 *d = state;
    struct r2d2_cursor at = d->step;
    switch ((enum r2d2_phase)at.phase) {
    case R2D2_COEFFICIENTS: compute_coefficient(d, step); break;
    case R2D2_THREADS: compute_thread(d, step); break;
    case R2D2_OF_BLOCK: compute_base(d); break;
    case R2D2_DONE: break;
    }
    d->step = first_from(d, behind(d, at));
    d->ends = d->step.phase != R2D2_DONE  ? R2D2_ENDS_NOT
              : at.phase == R2D2_OF_BLOCK ? R2D2_ENDS_BLOCK
                                          : R2D2_ENDS_KERNEL;
    d->ended = d->serving;
    if (d->ends) {
        bool has_steps = first_of_block(d).phase != R2D2_DONE;
        if (has_steps) take_block(d);
    }
    if (d->step.phase == R2D2_DONE) {
        step->next = GUEST_ENDS;
        d->settles = false;
        return;
    }
    d->settles = waits(d, &at, &d->step);
    step->next = inst_of(d, &d->step);
    step->again = step->next == index;
}

bool r2d2_guest_may(const void *state, uint32_t index)
{
    const struct r2d2 *d = state;
    (void)index;
    return !d->settles || tech_now(d->grid) >= d->settled_at;
}

void r2d2_guest_result(void *state, uint32_t index, uint64_t cycle)
{
    struct r2d2 *d = state;
    (void)index;
    if (cycle > d->settled_at) d->settled_at = cycle;
    if (d->step.phase != R2D2_DONE) map_registers(d);
    if (d->settles) tech_at(d->grid, 0, d->settled_at);
    if (d->ends == R2D2_ENDS_BLOCK && d->ended != R2D2_BLOCKS) settle(d, d->ended, d->settled_at);
    if (d->ends == R2D2_ENDS_KERNEL) {
        d->kernel_ready = d->settled_at;
        for (; first_of_block(d).phase == R2D2_DONE && d->queued; d->queued--)
            settle(d, d->queue[d->queued - 1], d->kernel_ready);
    }
    d->ends = R2D2_ENDS_NOT;
}

// -- blocks -------------------------------------------------------------------------------------------------

static void start(struct r2d2 *d)
{
    static const enum guest_turn turns[] = {GUEST_FIRST, GUEST_OLDEST, GUEST_IN_TURN, GUEST_LAST};
    if (tech_guest_runs(d->grid)) return;
    if (d->is_begun && d->step.phase == R2D2_DONE) take_block(d);
    if (!d->is_begun) d->step = first_from(d, (struct r2d2_cursor){0});
    d->is_begun = true;
    if (d->step.phase == R2D2_DONE) return;
    map_registers(d);
    tech_guest_start(d->grid, &tech_r2d2, inst_of(d, &d->step), GUEST_ANY,
                     turns[d->launch->options->priority]);
}

void r2d2_block_arrives(struct r2d2 *d, unsigned block)
{
    struct r2d2_block *b = &d->blocks[block];
    b->state = R2D2_WAITS;
    b->since = tech_now(d->grid);
    if (d->kernel_ready != CYCLE_NEVER && first_of_block(d).phase == R2D2_DONE) {
        settle(d, block, d->kernel_ready);
        return;
    }
    d->queue[d->queued++] = (uint8_t)block;
    start(d);
}

void r2d2_block_leaves(struct r2d2 *d, unsigned block)
{
    unsigned kept = 0;
    for (unsigned k = 0; k < d->queued; k++)
        if (d->queue[k] != block) d->queue[kept++] = d->queue[k];
    d->queued = kept;
    if (d->serving == block) d->serving = R2D2_BLOCKS;
    d->blocks[block].state = R2D2_EMPTY;
}
