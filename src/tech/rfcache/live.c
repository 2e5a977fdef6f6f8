// Liveness of registers by backward dataflow over basic blocks, and within a block from the last instruction
// to the first. A guarded instruction writes some lanes only, so its destination stays live before.
#include "tech/rfcache/live.h"
#include "isa/profile.h"
#include "isa/program.h"

#include "flow/blocks.h"
#include "flow/dataflow.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 256 };

static void step_over(uint64_t *live, const struct op *o)
{
    for (unsigned n = 0; n < o->dst_words && !o->is_guarded; n++)
        live[(o->dst + n) / 64] &= ~(1ull << (o->dst + n) % 64);
    for (unsigned k = 0; k < o->read_count; k++) flow_set_add(live, o->reads[k]);
}

static void sum_up(const struct flow_blocks *f, uint32_t block, const struct op *ops, uint64_t *reads,
                   uint64_t *writes)
{
    const struct flow_block *b = &f->blocks[block];
    for (uint32_t i = b->first + b->count; i-- > b->first;) {
        for (unsigned n = 0; n < ops[i].dst_words && !ops[i].is_guarded; n++)
            flow_set_add(writes, ops[i].dst + n);
        step_over(reads, &ops[i]);
    }
}

void live_init(struct live *l, const struct program *p, const struct op *ops)
{
    struct arena a;
    struct flow_blocks f;
    struct flow_sets reads, writes, in, out;
    *l = (struct live){.is_known = p->function_count == 1 && p->profile != PROFILE_RISCV};
    if (!l->is_known) return;
    arena_init(&a);
    flow_blocks_init(&f, p, &a);
    flow_sets_init(&reads, &f.graph, REGISTERS);
    flow_sets_init(&writes, &f.graph, REGISTERS);
    for (uint32_t n = 0; n < f.count; n++) sum_up(&f, n, ops, flow_set(&reads, n), flow_set(&writes, n));
    flow_solve(&f.graph, FLOW_BACKWARD, FLOW_UNION, &reads, &writes, &in, &out);
    l->before = heap_alloc(p->inst_count * sizeof *l->before);
    for (uint32_t n = 0; n < f.count; n++) {
        uint64_t *live = flow_set(&out, n);
        for (uint32_t i = f.blocks[n].first + f.blocks[n].count; i-- > f.blocks[n].first;) {
            step_over(live, &ops[i]);
            memcpy(l->before[i], live, sizeof *l->before);
        }
    }
    arena_fini(&a);
}

void live_fini(struct live *l) { free(l->before); }
