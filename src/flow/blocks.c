// Leaders are first instructions of functions, targets, reconvergence points and what follows a control
// transfer.
#include "flow/blocks.h"
#include "base/vec.h"

static bool ends_block(const struct inst *i) { return isa_has(i, ISA_BRANCH) && !isa_has(i, ISA_CALL); }

static bool has_target(const struct inst *i) { return i->op == OP_BRA || i->op == OP_RBR; }

static bool falls_through(const struct inst *i) { return !ends_block(i) || isa_is_conditional(i); }

// Functions of RISC-V are what symbols say, and code may go from one to the next.
static bool goes_behind(const struct program *p, const struct flow_blocks *b, uint32_t n)
{
    return p->profile == PROFILE_RISCV || b->blocks[n + 1].function == b->blocks[n].function;
}

static void mark_leaders(const struct program *p, bool *leader)
{
    for (uint32_t k = 0; k < p->function_count; k++) leader[p->functions[k].first] = true;
    for (uint32_t k = 0; k < p->table_count; k++)
        for (uint32_t t = 0; t < p->tables[k].count; t++) leader[p->tables[k].targets[t]] = true;
    for (uint32_t k = 0; k < p->inst_count; k++) {
        const struct inst *i = &p->insts[k];
        if (has_target(i)) leader[i->target] = true;
        if (isa_has(i, ISA_BRANCH) && i->reconverge != NO_TARGET && i->reconverge < p->inst_count)
            leader[i->reconverge] = true;
        if (ends_block(i) && k + 1 < p->inst_count) leader[k + 1] = true;
    }
}

static void split(struct flow_blocks *b, const struct program *p, struct arena *a)
{
    bool *leader = ARENA_ARRAY(a, bool, p->inst_count);
    mark_leaders(p, leader);
    leader[0] = true;
    b->block_of = ARENA_ARRAY(a, uint32_t, p->inst_count);
    for (uint32_t k = 0; k < p->inst_count; k++) b->count += leader[k];
    b->blocks = ARENA_ARRAY(a, struct flow_block, b->count);
    uint32_t n = 0, function = 0;
    for (uint32_t k = 0; k < p->inst_count; k++) {
        if (leader[k]) {
            while (function + 1 < p->function_count && p->functions[function + 1].first <= k) function++;
            b->blocks[n++] = (struct flow_block){k, 0, function};
        }
        b->blocks[n - 1].count++;
        b->block_of[k] = n - 1;
    }
}

void flow_blocks_init(struct flow_blocks *b, const struct program *p, struct arena *a)
{
    *b = (struct flow_blocks){0};
    split(b, p, a);
    VEC(struct flow_edge) edges = {0};
    for (uint32_t n = 0; n < b->count; n++) {
        uint32_t last = b->blocks[n].first + b->blocks[n].count - 1;
        const struct inst *i = &p->insts[last];
        if (has_target(i)) vec_push(&edges, (struct flow_edge){n, b->block_of[i->target]});
        if (i->op == OP_BRX)
            for (uint32_t t = 0; t < p->tables[i->table].count; t++)
                vec_push(&edges, (struct flow_edge){n, b->block_of[p->tables[i->table].targets[t]]});
        if (falls_through(i) && n + 1 < b->count && goes_behind(p, b, n))
            vec_push(&edges, (struct flow_edge){n, n + 1});
    }
    for (uint32_t k = 1; k < p->function_count; k++)
        vec_push(&edges, (struct flow_edge){0, b->block_of[p->functions[k].first]});
    flow_graph_init(&b->graph, a, b->count, edges.data, (uint32_t)edges.count);
    vec_fini(&edges);
}
