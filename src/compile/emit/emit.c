// Emission: block layout, branches, frames, register numbers.
//
// Before emission a conditional branch is a pair "@P BRA a; BRA b". Emission drops a branch to the next block
// in the layout. A branch to a block that only exits becomes an EXIT under the branch's guard. A branch to a
// block that only branches goes to the end of the chain.
#include "compile/emit/emit.h"
#include "base/bits.h"
#include "compile/mach/abi.h"
#include "flow/graph.h"

#include <string.h>

struct frame emit_frame(const struct mach_function *f)
{
    struct frame frame = {0};
    uint32_t saved = 0;
    if (f->source->is_kernel) {
        frame.spills = (uint32_t)align_up(f->source->frame_bytes, 16);
        frame.bytes = f->spill_bytes ? frame.spills + f->spill_bytes : f->source->frame_bytes;
        return frame;
    }
    for (unsigned reg = ABI_FIRST_SAVED; reg < REG_LIMIT; reg++) saved += f->saved[reg];
    frame.variables = (uint32_t)abi_round(f->outgoing_bytes);
    frame.spills = (uint32_t)align_up(frame.variables + f->source->frame_bytes, 16);
    frame.saved = frame.spills + f->spill_bytes;
    frame.bytes = (uint32_t)abi_round(frame.saved + 4 * saved);
    return frame;
}

struct writer {
    struct emitter *e;
    struct mach_function *f;
    struct frame frame;
    uint32_t *block_at; // by block: instruction index
    // instruction indices of the branches; a branch's `target` is a block id until all blocks have positions
    VEC(uint32_t) branches;
};

// -- operands -----------------------------------------------------------------------------------------------

static uint8_t machine_register(const struct writer *w, uint32_t unit, bool predicate)
{
    if (unit == MACH_NONE) return predicate ? PRED_TRUE : REG_ZERO;
    if (unit == w->f->stack_pointer) return ABI_STACK_POINTER;
    return w->f->reg[unit];
}

static uint32_t area_base(const struct writer *w, unsigned area)
{
    switch (area) {
    case MACH_FRAME: return w->frame.variables;
    case MACH_SPILL: return w->frame.spills;
    case MACH_CALLER: return w->frame.bytes;
    }
    return 0;
}

static void place_operand(const struct writer *w, struct operand *o, uint32_t unit)
{
    switch ((enum operand_kind)o->kind) {
    case OPERAND_REG:
    case OPERAND_SHARED:
    case OPERAND_MEM:
        o->reg = machine_register(w, unit, false);
        if (unit == MACH_NONE && o->kind != OPERAND_REG) o->width = 1;
        break;
    case OPERAND_PRED: o->reg = machine_register(w, unit, true); break;
    case OPERAND_IMM:
    case OPERAND_NONE:
    case OPERAND_CONST:
    case OPERAND_SREG: break;
    }
    if (o->kind == OPERAND_IMM || o->kind == OPERAND_MEM) {
        o->value += area_base(w, o->bank);
        o->bank = 0;
    }
}

static struct inst *write_inst(struct writer *w, const struct mach_inst *m)
{
    struct inst i = m->i;
    for (unsigned k = 0; k < 2; k++) place_operand(w, &i.dst[k], m->dst[k]);
    for (unsigned k = 0; k < 4; k++) place_operand(w, &i.src[k], m->src[k]);
    i.guard = m->guard == MACH_NONE ? PRED_TRUE : w->f->reg[m->guard];
    vec_push(&w->e->insts, i);
    return &vec_last(&w->e->insts);
}

// -- frames -------------------------------------------------------------------------------------------------

static struct inst plain(unsigned op)
{
    struct inst i = {.op = (uint16_t)op, .guard = PRED_TRUE, .target = NO_TARGET, .reconverge = NO_TARGET};
    return i;
}

static struct operand reg_operand(unsigned reg)
{
    return (struct operand){.kind = OPERAND_REG, .reg = (uint8_t)reg, .width = 1};
}

static void move_stack_pointer(struct writer *w, int32_t by)
{
    struct inst i = plain(OP_IADD3);
    if (!by) return;
    i.dst[0] = i.src[0] = reg_operand(ABI_STACK_POINTER);
    i.src[1] = (struct operand){.kind = OPERAND_IMM, .width = 1, .value = (uint32_t)by};
    i.src[2] = reg_operand(REG_ZERO);
    vec_push(&w->e->insts, i);
}

static void save_registers(struct writer *w, bool restore)
{
    uint32_t offset = w->frame.saved;
    for (unsigned reg = ABI_FIRST_SAVED; reg < REG_LIMIT; reg++) {
        if (!w->f->saved[reg]) continue;
        struct inst i = plain(restore ? OP_LDL : OP_STL);
        struct operand slot = {.kind = OPERAND_MEM, .reg = ABI_STACK_POINTER, .width = 1, .value = offset};
        i.type = TYPE_B32;
        i.src[0] = slot;
        if (restore)
            i.dst[0] = reg_operand(reg);
        else
            i.src[1] = reg_operand(reg);
        vec_push(&w->e->insts, i);
        offset += 4;
    }
}

static void enter(struct writer *w)
{
    if (w->f->source->is_kernel) return;
    move_stack_pointer(w, -(int32_t)w->frame.bytes);
    save_registers(w, false);
}

static void leave(struct writer *w)
{
    if (w->f->source->is_kernel) return;
    save_registers(w, true);
    move_stack_pointer(w, (int32_t)w->frame.bytes);
}

// -- branches -----------------------------------------------------------------------------------------------

static struct mach_inst *first_real(const struct mach_block *b)
{
    struct mach_inst *i = b->first;
    while (i && i->i.op >= OP_COUNT) i = i->next;
    return i;
}

// Final target of a branch to b: skips blocks that consist of an unconditional branch.
static struct mach_block *follow(struct mach_block *b)
{
    for (unsigned steps = 0; steps < 64; steps++) {
        struct mach_inst *i = first_real(b);
        if (!i || i->i.op != OP_BRA || i->guard != MACH_NONE || i->target == b) return b;
        b = i->target;
    }
    return b;
}

static bool only_exits(const struct mach_block *b)
{
    struct mach_inst *i = first_real(b);
    return i && i->i.op == OP_EXIT && i->guard == MACH_NONE;
}

// Marks blocks reachable from the entry through branches and jump tables; branches that become an EXIT do not
// count. Unmarked blocks are not written.
static void mark_reached(struct writer *w, bool *reached)
{
    struct mach_function *f = w->f;
    VEC(struct mach_block *) todo = {0};
    vec_push(&todo, f->blocks[0]);
    reached[0] = true;
    while (todo.count) {
        struct mach_block *b = vec_pop(&todo);
        for (struct mach_inst *i = b->first; i; i = i->next) {
            uint32_t count = i->i.op == OP_BRA ? 1 : i->table_count;
            for (uint32_t k = 0; k < count; k++) {
                struct mach_block *to = follow(i->i.op == OP_BRA ? i->target : i->table[k]);
                if (i->i.op == OP_BRA && only_exits(to)) continue;
                if (!reached[to->id]) vec_push(&todo, to);
                reached[to->id] = true;
            }
        }
    }
    vec_fini(&todo);
}

static void write_exit(struct writer *w, const struct mach_inst *branch)
{
    struct mach_inst exit = *branch;
    exit.i.op = OP_EXIT;
    exit.i.flags = 0;
    write_inst(w, &exit);
}

static void write_branch(struct writer *w, const struct mach_inst *branch, struct mach_block *to,
                         bool inverted)
{
    if (only_exits(to)) {
        struct mach_inst exit = *branch;
        exit.i.guard_not ^= inverted;
        write_exit(w, &exit);
        return;
    }
    struct inst *i = write_inst(w, branch);
    i->guard_not ^= inverted;
    i->target = to->id;
    vec_push(&w->branches, (uint32_t)w->e->insts.count - 1);
}

// Writes the branches at the end of a block followed by `next` in the layout (NULL: last). True if control
// can fall through to `next`.
static bool write_branches(struct writer *w, struct mach_inst *first, const struct mach_block *next)
{
    struct mach_inst *second = first->next;
    struct mach_block *to = follow(first->target), *otherwise = second ? follow(second->target) : NULL;
    if (!otherwise || first->guard == MACH_NONE || to == otherwise) {
        struct mach_inst plainly = *first;
        plainly.guard = MACH_NONE;
        plainly.i.guard_not = 0;
        if (otherwise && first->guard != MACH_NONE && to == otherwise) first = &plainly;
        if (to == next) return true;
        write_branch(w, first, to, false);
        return false;
    } else if (to == next && !only_exits(otherwise)) {
        write_branch(w, first, otherwise, true);
    } else if (to == next) {
        write_branch(w, first, otherwise, true);
    } else {
        write_branch(w, first, to, false);
        if (otherwise != next) {
            write_branch(w, second, otherwise, false);
            return false;
        }
    }
    return true;
}

// Writes SSY, unless lanes reconverge only to exit.
static void write_announcement(struct writer *w, const struct mach_inst *m)
{
    struct mach_block *to = follow(m->target);
    if (!only_exits(to)) write_branch(w, m, to, false);
}

// Writes SYNC at the end of b, which falls through to `next`, if lanes that part in a block dominating b
// reconverge at `next`. Otherwise writes nothing.
static void write_meeting(struct writer *w, const struct mach_block *b, const struct mach_block *next)
{
    if (!next || !next->parted_at || !ir_dominates(next->parted_at->source, b->source)) return;
    struct inst i = plain(OP_SYNC);
    vec_push(&w->e->insts, i);
}

static void write_jump_table(struct writer *w, const struct mach_inst *m)
{
    struct program_table t = {ARENA_ARRAY(&w->e->u->program->arena, uint32_t, m->table_count),
                              m->table_count};
    for (uint32_t k = 0; k < m->table_count; k++)
        ((uint32_t *)(uintptr_t)t.targets)[k] = follow(m->table[k])->id;
    write_inst(w, m)->table = (uint16_t)w->e->tables.count;
    vec_push(&w->e->tables, t);
}

static void write_block(struct writer *w, struct mach_block *b, const struct mach_block *next)
{
    for (struct mach_inst *i = b->first; i; i = i->next) {
        if (i->i.op == MACH_ENTRY) {
            enter(w);
        } else if (i->i.op == OP_BRA) {
            if (write_branches(w, i, next)) write_meeting(w, b, next);
            return;
        } else if (i->i.op == OP_SSY) {
            write_announcement(w, i);
        } else if (i->i.op == OP_BRX) {
            write_jump_table(w, i);
        } else if (i->i.op == OP_RET) {
            leave(w);
            write_inst(w, i);
        } else if (i->i.op < OP_COUNT) {
            write_inst(w, i);
            if (!i->callee) continue;
            struct emitted_call call = {(uint32_t)w->e->insts.count - 1, 0};
            while (w->e->u->functions.data[call.function] != i->callee) call.function++;
            vec_push(&w->e->calls, call);
        }
    }
}

static void resolve_branches(struct writer *w, size_t first_table)
{
    for (size_t k = 0; k < w->branches.count; k++) {
        struct inst *i = &w->e->insts.data[w->branches.data[k]];
        i->target = w->block_at[i->target];
    }
    for (size_t t = first_table; t < w->e->tables.count; t++)
        for (uint32_t k = 0; k < w->e->tables.data[t].count; k++) {
            uint32_t *target = (uint32_t *)(uintptr_t)&w->e->tables.data[t].targets[k];
            *target = w->block_at[*target];
        }
}

void emit_function(struct emitter *e, struct mach_function *f)
{
    struct writer w = {.e = e, .f = f, .frame = emit_frame(f)};
    const char *name = arena_strndup(&e->u->program->arena, f->source->name, strlen(f->source->name));
    struct program_function place = {name, (uint32_t)e->insts.count, 0};
    size_t first_table = e->tables.count;
    bool *reached = ARENA_ARRAY(f->arena, bool, f->block_count);
    w.block_at = ARENA_ARRAY(f->arena, uint32_t, f->block_count);
    mark_reached(&w, reached);
    for (uint32_t k = 0; k < f->block_count; k++) {
        uint32_t next = k + 1;
        if (!reached[k]) continue;
        while (next < f->block_count && !reached[next]) next++;
        w.block_at[k] = (uint32_t)e->insts.count;
        write_block(&w, f->blocks[k], next < f->block_count ? f->blocks[next] : NULL);
    }
    resolve_branches(&w, first_table);
    place.count = (uint32_t)e->insts.count - place.first;
    vec_push(&e->functions, place);
    emit_reconvergence(e, place.first);
    vec_fini(&w.branches);
}

// -- reconvergence ------------------------------------------------------------------------------------------

static bool ends_node(const struct inst *i)
{
    return i->op == OP_BRA || i->op == OP_BRX || i->op == OP_RET ||
           (i->op == OP_EXIT && i->guard == PRED_TRUE);
}

static bool is_split(const struct inst *i)
{
    return (i->op == OP_BRA && i->guard != PRED_TRUE) || i->op == OP_BRX;
}

static void add_edge(struct flow_edge *edges, uint32_t *count, uint32_t from, uint32_t to)
{
    edges[(*count)++] = (struct flow_edge){from, to};
}

void emit_reconvergence(struct emitter *e, uint32_t first)
{
    struct arena scratch;
    arena_init(&scratch);
    uint32_t end = (uint32_t)e->insts.count, n = end - first, nodes = 0, edge_count = 0, targets = 0;
    const struct inst *insts = e->insts.data + first;
    bool *leads = ARENA_ARRAY(&scratch, bool, n + 1);
    uint32_t *node_of = ARENA_ARRAY(&scratch, uint32_t, n + 1),
             *start = ARENA_ARRAY(&scratch, uint32_t, n + 1);
    leads[0] = true;
    for (uint32_t k = 0; k < n; k++) {
        if (ends_node(&insts[k])) leads[k + 1] = true;
        if (insts[k].op == OP_BRA) leads[insts[k].target - first] = true;
        targets += 2;
        for (uint32_t t = 0; insts[k].op == OP_BRX && t < e->tables.data[insts[k].table].count;
             t++, targets++)
            leads[e->tables.data[insts[k].table].targets[t] - first] = true;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (leads[k]) start[nodes++] = k;
        node_of[k] = nodes - 1;
    }
    struct flow_edge *edges = ARENA_ARRAY(&scratch, struct flow_edge, targets + 1);
    for (uint32_t k = 0; k < n; k++) {
        const struct inst *i = &insts[k];
        if (i->op == OP_BRA) add_edge(edges, &edge_count, node_of[k], node_of[i->target - first]);
        for (uint32_t t = 0; i->op == OP_BRX && t < e->tables.data[i->table].count; t++)
            add_edge(edges, &edge_count, node_of[k], node_of[e->tables.data[i->table].targets[t] - first]);
        bool falls = !ends_node(i) || (i->op == OP_BRA && i->guard != PRED_TRUE);
        if (falls && k + 1 < n && leads[k + 1]) add_edge(edges, &edge_count, node_of[k], node_of[k + 1]);
    }
    struct flow_graph graph;
    struct flow_tree tree;
    flow_graph_init(&graph, &scratch, nodes, edges, edge_count);
    flow_postdominators(&tree, &graph);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t parent = is_split(&insts[k]) ? tree.parent[node_of[k]] : FLOW_NONE;
        if (parent != FLOW_NONE && parent < nodes)
            e->insts.data[first + k].reconverge = first + start[parent];
    }
    arena_fini(&scratch);
}
