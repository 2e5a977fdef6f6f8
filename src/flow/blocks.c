// Leaders of basic blocks: first instructions of functions, branch targets, reconvergence points, and
// instructions after branches, returns, exits and commands ending a warp.
#include "flow/blocks.h"
#include "base/vec.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/profile.h"
#include "isa/program.h"

#include <string.h>

static bool ends_block(const struct inst *i) { return isa_has(i, ISA_BRANCH) && !isa_has(i, ISA_CALL); }

// RISC-V's branches contain their comparison.
static bool is_compared(const struct inst *i) { return i->op == OP_RBR && i->cmp != CMP_T; }
static bool has_target(const struct inst *i) { return i->op == OP_BRA || i->op == OP_RBR; }

static bool falls_through(const struct inst *i)
{
    if (!ends_block(i)) return true;
    return i->guard != PRED_TRUE || i->guard_not || is_compared(i); // a guard or comparison may be false
}

// -- code of RISC-V -----------------------------------------------------------------------------------------
// A RISC-V program is all the code of its file, with the host's code and other kernels, and the kernel may
// lie anywhere. The kernel's code is found by following control flow from the entry; a function's code, from
// the calls to the function.
struct reach {
    const struct program *program;
    uint32_t *function; // by instruction; FLOW_NONE: unreachable
    bool *begins;       // by instruction: first instruction of a called function
    bool *targets;      // by instruction: target of a branch, jump or call, or address of a symbol
    VEC(uint32_t) called, open;
    bool calls_any; // the code has calls through a register: any function may be called
    // the code has jumps of unknown target: through a register, and no return (is_return)
    bool jumps_anywhere;
};

static void open_place(struct reach *r, uint32_t k, uint32_t function)
{
    if (k >= r->program->inst_count || r->function[k] != FLOW_NONE) return;
    r->function[k] = function;
    vec_push(&r->open, k);
}

static void add_call(struct reach *r, uint32_t first)
{
    if (r->begins[first]) return;
    r->begins[first] = true;
    vec_push(&r->called, first);
}

// x1 and x5 are link registers: a jump through a link register, without an offset, returns from a call
// (RISC-V unprivileged ISA, 2.5.1, return-address stack).
static bool is_return(const struct inst *i)
{
    enum { RA = 1, T0 = 5 };
    return i->src[0].kind == OPERAND_REG && (i->src[0].reg == RA || i->src[0].reg == T0) && !i->src[1].value;
}

static bool writes(const struct inst *i, unsigned reg)
{
    return i->dst[0].kind == OPERAND_REG && i->dst[0].reg == reg;
}

// True for a warp command that ends the warp: a non-zero command, as an immediate or as a register set to a
// constant by preceding instructions.
static bool ends_warp(const struct reach *r, uint32_t k)
{
    const struct inst *i = &r->program->insts[k];
    if (i->op != OP_WARPCMD || i->src[0].kind != OPERAND_REG) return i->op == OP_WARPCMD && i->src[0].value;
    unsigned reg = i->src[0].reg;
    while (reg != REG_ZERO && k && !r->targets[k]) {
        i = &r->program->insts[--k];
        if (isa_has(i, ISA_BRANCH)) return false;
        if (!writes(i, reg)) continue;
        bool is_constant = i->op == OP_IADD3 && i->src[0].reg == REG_ZERO && i->src[1].kind == OPERAND_IMM;
        return is_constant && i->src[1].value;
    }
    return false;
}

static void follow(struct reach *r, uint32_t first, uint32_t function)
{
    open_place(r, first, function);
    while (r->open.count) {
        uint32_t k = vec_pop(&r->open);
        const struct inst *i = &r->program->insts[k];
        if (has_target(i)) open_place(r, i->target, function);
        if (falls_through(i) && !ends_warp(r, k)) open_place(r, k + 1, function);
        if (i->op == OP_RJAL) add_call(r, i->target);
        r->calls_any |= i->op == OP_RJALR;
        r->jumps_anywhere |= i->op == OP_RJR && !is_return(i);
    }
}

// Finds all reachable code of a RISC-V program. Code reachable from a call belongs to the called function,
// even if the kernel also reaches the code without a call.
static void reach_all(struct reach *r, const struct program *p, struct arena *a)
{
    *r = (struct reach){.program = p,
                        .function = ARENA_ARRAY(a, uint32_t, p->inst_count),
                        .begins = ARENA_ARRAY(a, bool, p->inst_count),
                        .targets = ARENA_ARRAY(a, bool, p->inst_count)};
    if (p->profile != PROFILE_RISCV) return;
    for (uint32_t k = 0; k < p->function_count; k++) r->targets[p->functions[k].first] = true;
    for (uint32_t k = 0; k < p->inst_count; k++)
        if (has_target(&p->insts[k]) || p->insts[k].op == OP_RJAL) r->targets[p->insts[k].target] = true;
    bool had_any = false;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < p->inst_count; k++) r->function[k] = FLOW_NONE;
        if (!pass) follow(r, p->entry, 0); // finds the called functions
        for (size_t n = 0;; n++) {
            for (uint32_t k = 0; r->calls_any && !had_any && k < p->function_count; k++)
                add_call(r, p->functions[k].first);
            had_any |= r->calls_any;
            if (n >= r->called.count) break;
            follow(r, r->called.data[n], (uint32_t)n + 1);
        }
        if (pass) follow(r, p->entry, 0);
    }
}

static void reach_fini(struct reach *r)
{
    vec_fini(&r->called);
    vec_fini(&r->open);
}

// -- blocks -------------------------------------------------------------------------------------------------
static void mark_leaders(const struct program *p, const struct reach *r, bool *leader)
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
        if (k + 1 < p->inst_count && ends_warp(r, k)) leader[k + 1] = true;
        leader[k] |= r->begins[k] || (k && r->function[k] != r->function[k - 1]);
    }
    leader[0] = leader[p->entry] = true;
}

static void split(struct flow_blocks *b, const struct program *p, const struct reach *r, struct arena *a)
{
    bool *leader = ARENA_ARRAY(a, bool, p->inst_count);
    mark_leaders(p, r, leader);
    b->block_of = ARENA_ARRAY(a, uint32_t, p->inst_count);
    for (uint32_t k = 0; k < p->inst_count; k++) b->count += leader[k];
    b->blocks = ARENA_ARRAY(a, struct flow_block, b->count);
    bool is_riscv = p->profile == PROFILE_RISCV;
    uint32_t n = 0, function = 0;
    for (uint32_t k = 0; k < p->inst_count; k++) {
        if (leader[k]) {
            while (function + 1 < p->function_count && p->functions[function + 1].first <= k) function++;
            bool begins = function && p->functions[function].first == k;
            b->blocks[n++] = (struct flow_block){.first = k,
                                                 .function = is_riscv ? r->function[k] : function,
                                                 .begins_function = is_riscv ? r->begins[k] : begins};
        }
        b->blocks[n - 1].count++;
    }
}

// Moves the block of the program's entry to the front, and fills b->block_of, the block number of every
// instruction.
static void number(struct flow_blocks *b, const struct program *p)
{
    uint32_t first = 0;
    while (b->blocks[first].first != p->entry) first++;
    struct flow_block entry = b->blocks[first];
    memmove(b->blocks + 1, b->blocks, first * sizeof *b->blocks);
    b->blocks[0] = entry;
    for (uint32_t n = 0; n < b->count; n++)
        for (uint32_t k = 0; k < b->blocks[n].count; k++) b->block_of[b->blocks[n].first + k] = n;
}

struct edges {
    VEC(struct flow_edge) all;
};

static void add_edges(struct edges *e, const struct flow_blocks *b, const struct reach *r, uint32_t n)
{
    uint32_t last = b->blocks[n].first + b->blocks[n].count - 1;
    const struct program *p = r->program;
    const struct inst *i = &p->insts[last];
    if (b->blocks[n].function == FLOW_NONE) return;
    if (has_target(i)) vec_push(&e->all, (struct flow_edge){n, b->block_of[i->target]});
    if (i->op == OP_BRX)
        for (uint32_t t = 0; t < p->tables[i->table].count; t++)
            vec_push(&e->all, (struct flow_edge){n, b->block_of[p->tables[i->table].targets[t]]});
    if (!falls_through(i) || ends_warp(r, last) || last + 1 >= p->inst_count) return;
    uint32_t next = b->block_of[last + 1];
    if (p->profile == PROFILE_RISCV || b->blocks[next].function == b->blocks[n].function)
        vec_push(&e->all, (struct flow_edge){n, next});
}

void flow_blocks_init(struct flow_blocks *b, const struct program *p, struct arena *a)
{
    struct reach reach;
    struct edges edges = {0};
    *b = (struct flow_blocks){0};
    reach_all(&reach, p, a);
    split(b, p, &reach, a);
    number(b, p);
    for (uint32_t n = 0; n < b->count; n++) add_edges(&edges, b, &reach, n);
    for (uint32_t n = 0; n < b->count; n++)
        if (b->blocks[n].begins_function) vec_push(&edges.all, (struct flow_edge){0, n});
    flow_graph_init(&b->graph, a, b->count, edges.all.data, (uint32_t)edges.all.count);
    b->jumps_anywhere = reach.jumps_anywhere;
    vec_fini(&edges.all);
    reach_fini(&reach);
}
