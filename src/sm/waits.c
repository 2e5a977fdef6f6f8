// Assigns the six wait barriers round robin to the instructions that need a barrier. A data-flow iteration
// grows the register sets at block entries to a fixed point, so the sets cover every path.
#include "sm/waits.h"
#include "base/bits.h"
#include "flow/blocks.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

#include <string.h>

enum { PLACE_PREDS = 256, PLACE_WORDS = 5 }; // bit numbers: registers, then predicates

struct places {
    uint64_t bits[PLACE_WORDS];
};

struct pending { // registers and predicates pending on a barrier
    struct places of[WAIT_BARRIERS];
};

static void add_registers(struct places *s, unsigned first, unsigned count)
{
    for (unsigned r = first; r < first + count; r++) s->bits[r / 64] |= 1ull << r % 64;
}

static struct places written_by(const struct op *o)
{
    struct places s = {0};
    add_registers(&s, o->dst, o->dst_words);
    s.bits[PLACE_PREDS / 64] = o->pred_writes;
    return s;
}

static struct places touched_by(const struct op *o)
{
    struct places s = written_by(o);
    for (unsigned k = 0; k < o->read_count; k++) add_registers(&s, o->reads[k], 1);
    s.bits[PLACE_PREDS / 64] |= o->pred_reads;
    return s;
}

static bool meet(const struct places *a, const struct places *b)
{
    uint64_t both = 0;
    for (unsigned n = 0; n < PLACE_WORDS; n++) both |= a->bits[n] & b->bits[n];
    return both != 0;
}

static bool add_places(struct places *to, const struct places *from)
{
    uint64_t more = 0;
    for (unsigned n = 0; n < PLACE_WORDS; n++) {
        more |= from->bits[n] & ~to->bits[n];
        to->bits[n] |= from->bits[n];
    }
    return more != 0;
}

static bool has_result(const struct op *o) { return o->dst_words || o->pred_writes; }

// Whether the instruction waits for every pending barrier: calls and returns, since callers and callees do
// not share the sets.
static bool forgets(const struct inst *i)
{
    return isa_has(i, ISA_CALL) || i->op == OP_RET || i->op == OP_RJR;
}

static unsigned waits_for(const struct pending *s, const struct op *o, const struct inst *i)
{
    struct places touched = touched_by(o);
    if (forgets(i)) memset(&touched, 0xff, sizeof touched);
    unsigned wait = 0;
    for (unsigned b = 0; b < WAIT_BARRIERS; b++)
        if (meet(&s->of[b], &touched)) wait |= 1u << b;
    return wait;
}

// Transfers the sets of pending registers through a block; with `write`, sets the control words.
static void walk(const struct flow_block *b, struct decoded *d, const struct program *p, struct pending *s,
                 bool write)
{
    for (uint32_t n = b->first; n < b->first + b->count; n++) {
        struct op *o = &d->ops[n];
        unsigned wait = waits_for(s, o, &p->insts[n]);
        for (unsigned left = wait; left; left &= left - 1) s->of[bit_lowest(left)] = (struct places){0};
        if (o->barrier) {
            struct places written = written_by(o);
            add_places(&s->of[o->barrier - 1], &written);
        }
        if (write) o->wait = (uint8_t)wait;
    }
}

// RISC-V code outside the kernel and the called functions (FLOW_NONE) may still be called by address. Every
// barrier is taken to be pending for every register at the entries of the code's blocks and of their
// successors.
static void expect_anything(struct pending *in, const struct program *p, const struct flow_blocks *f)
{
    for (uint32_t n = 0; n < f->count; n++) {
        const struct flow_block *b = &f->blocks[n];
        if (b->function != FLOW_NONE) continue;
        uint32_t last = b->first + b->count - 1, to = p->insts[last].target;
        memset(&in[n], 0xff, sizeof in[n]);
        if (last + 1 < p->inst_count) memset(&in[f->block_of[last + 1]], 0xff, sizeof *in);
        if (isa_has(&p->insts[last], ISA_BRANCH) && to < p->inst_count)
            memset(&in[f->block_of[to]], 0xff, sizeof *in);
    }
}

static void assign_barriers(struct decoded *d, const struct program *p, const struct flow_blocks *f,
                            struct arena *a)
{
    unsigned next = 0;
    for (uint32_t n = 0; n < p->inst_count; n++)
        if (has_result(&d->ops[n]) && (d->ops[n].path == PATH_MEMORY || d->ops[n].cycles > STALL_MAX))
            d->ops[n].barrier = (uint8_t)(1 + next++ % WAIT_BARRIERS);
    struct pending *in = ARENA_ARRAY(a, struct pending, f->count);
    expect_anything(in, p, f);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < f->count; n++) {
            struct pending out = in[n];
            walk(&f->blocks[n], d, p, &out, false);
            for (uint32_t e = f->graph.succ_first[n]; e < f->graph.succ_first[n + 1]; e++)
                for (unsigned b = 0; b < WAIT_BARRIERS; b++)
                    changed |= add_places(&in[f->graph.succs[e]].of[b], &out.of[b]);
        }
    }
    for (uint32_t n = 0; n < f->count; n++) walk(&f->blocks[n], d, p, &in[n], true);
}

static uint32_t later_of(uint32_t a, uint32_t b) { return a > b ? a : b; }

// State within a basic block, by register and predicate; cycles count from the block's first instruction.
// ready: cycle of the last fixed-latency result; read: cycle of the last operand read.
struct fixed {
    uint32_t ready[PLACE_PREDS + 8], read[PLACE_PREDS];
    uint32_t last, last_read;
};

static uint32_t earliest(const struct fixed *f, const struct op *o)
{
    struct places touched = touched_by(o);
    uint32_t at = 0;
    for (unsigned n = 0; n < PLACE_WORDS; n++)
        for (uint64_t left = touched.bits[n]; left; left &= left - 1) {
            uint32_t ready = f->ready[n * 64 + bit_lowest(left)];
            if (ready > at) at = ready;
        }
    for (unsigned n = 0; n < o->dst_words; n++) { // a write comes after the last read
        uint32_t read = f->read[o->dst + n] + 1;
        if (read > at + o->cycles) at = read - o->cycles;
    }
    return at;
}

static void reads_at(struct fixed *f, const struct op *o, uint32_t cycle)
{
    for (unsigned k = 0; k < o->read_count; k++) f->read[o->reads[k]] = later_of(f->read[o->reads[k]], cycle);
    f->last_read = later_of(f->last_read, cycle);
}

static void result_at(struct fixed *f, const struct op *o, uint32_t cycle)
{
    struct places written = written_by(o);
    for (unsigned n = 0; n < PLACE_WORDS; n++)
        for (uint64_t left = written.bits[n]; left; left &= left - 1)
            f->ready[n * 64 + bit_lowest(left)] = cycle;
    if (has_result(o) && cycle > f->last) f->last = cycle;
}

static bool may_pair(const struct op *a, const struct op *b)
{
    struct places written = written_by(a), touched = touched_by(b);
    return a->pipe != b->pipe && a->pipe != PIPE_CONTROL && !meet(&written, &touched);
}

enum { SOONEST_RESULT = 2 }; // minimum cycles from issue to a result

static void assign_stalls(struct decoded *d, const struct program *p, const struct flow_block *b,
                          const struct gpu_config *c)
{
    struct fixed f = {0};
    uint32_t at = 0;
    bool second = false; // of a pair
    for (uint32_t n = b->first; n < b->first + b->count; n++) {
        struct op *o = &d->ops[n];
        if (!o->barrier) result_at(&f, o, at + o->cycles);
        reads_at(&f, o, at + o->collected);
        if (n + 1 == b->first + b->count) {
            uint32_t end = later_of(f.last + SOONEST_RESULT, f.last_read) - SOONEST_RESULT;
            o->stall = (uint8_t)(end > at + 1 ? end - at : 1);
            break;
        }
        const struct op *next = o + 1;
        uint32_t then = earliest(&f, next);
        uint32_t soonest = may_pair(o, next) && c->issue_width > 1 && !second ? at : at + 1;
        if (forgets(&p->insts[n])) soonest = later_of(f.last, f.last_read);
        if (then < soonest) then = soonest;
        o->stall = (uint8_t)(then - at);
        second = then == at;
        at = then;
    }
}

void waits_assign(struct decoded *d, const struct program *p, const struct gpu_config *c)
{
    struct arena a;
    struct flow_blocks f;
    arena_init(&a);
    flow_blocks_init(&f, p, &a);
    assign_barriers(d, p, &f, &a);
    for (uint32_t n = 0; n < f.count; n++) assign_stalls(d, p, &f.blocks[n], c);
    arena_fini(&a);
}
