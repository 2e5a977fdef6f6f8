#include "compile/lower/cut.h"
#include "base/vec.h"

struct cutter {
    const struct ptx_function *f;
    struct cut *cut;
    struct arena *arena;
    uint8_t *starts;    // by instruction, and one past the last: true if a block starts at it
    uint32_t *block_at; // by the same index: the block that starts at it; unused where none starts
};

static bool leaves(const struct ptx_inst *i) { return i->op == PTX_OP_RET || i->op == PTX_OP_EXIT; }

static bool stands_alone(const struct ptx_inst *i)
{
    return i->guard >= 0 && (leaves(i) || i->op == PTX_OP_CALL || i->op == PTX_OP_BRX);
}

static const struct ptx_table *table_of(const struct ptx_function *f, const struct ptx_inst *brx)
{
    return &f->tables[brx->operands[1].label];
}

static uint32_t place_of_label(const struct ptx_function *f, uint32_t label) { return f->labels[label].inst; }

// Marks targets of control flow and instructions that follow the end of a block.
static void mark_starts(struct cutter *c)
{
    const struct ptx_function *f = c->f;
    c->starts[0] = 1;
    for (uint32_t k = 0; k < f->inst_count; k++) {
        const struct ptx_inst *i = &f->insts[k];
        if (stands_alone(i) || leaves(i) || i->op == PTX_OP_BRA || i->op == PTX_OP_BRX) c->starts[k + 1] = 1;
        if (i->op == PTX_OP_BRA) c->starts[place_of_label(f, i->operands[0].label)] = 1;
        if (i->op != PTX_OP_BRX) continue;
        const struct ptx_table *t = table_of(f, i);
        for (uint32_t n = 0; n < t->count; n++) c->starts[place_of_label(f, t->labels[n])] = 1;
    }
    c->starts[f->inst_count] = 1;
}

static void make_blocks(struct cutter *c)
{
    const struct ptx_function *f = c->f;
    struct cut *cut = c->cut;
    uint32_t n = f->inst_count, limit = 0;
    for (uint32_t k = 0; k <= n; k++) limit += 1u + c->starts[k];
    cut->blocks = ARENA_ARRAY(c->arena, struct cut_block, limit);
    struct cut_block *open = NULL;
    for (uint32_t k = 0; k <= n; k++) {
        if (c->starts[k]) {
            c->block_at[k] = cut->count;
            open = &cut->blocks[cut->count++];
            *open = (struct cut_block){.first = k, .end = k, .how = CUT_THROUGH};
        }
        if (k < n && stands_alone(&f->insts[k])) {
            open->how = CUT_GUARD;
            open = &cut->blocks[cut->count++];
            *open = (struct cut_block){.first = k, .end = k, .how = CUT_THROUGH, .alone = true};
        }
        if (k < n) open->end = k + 1;
    }
}

static void set_succs(struct cutter *c, struct cut_block *b, enum cut_how how, uint32_t count,
                      const uint32_t *places)
{
    b->how = how;
    b->succ_count = count;
    b->succs = ARENA_ARRAY(c->arena, uint32_t, count);
    for (uint32_t k = 0; k < count; k++) b->succs[k] = c->block_at[places[k]];
}

static void end_switch(struct cutter *c, struct cut_block *b, const struct ptx_table *t)
{
    uint32_t *places = ARENA_ARRAY(c->arena, uint32_t, t->count);
    for (uint32_t k = 0; k < t->count; k++) places[k] = place_of_label(c->f, t->labels[k]);
    set_succs(c, b, CUT_SWITCH, t->count, places);
}

static void end_block(struct cutter *c, uint32_t index)
{
    const struct ptx_function *f = c->f;
    struct cut_block *b = &c->cut->blocks[index];
    if (b->how == CUT_GUARD) { // the guarded instruction is the next block
        set_succs(c, b, CUT_GUARD, 2, (uint32_t[]){0, b->end + 1});
        b->succs[0] = index + 1;
        return;
    }
    const struct ptx_inst *last = b->end > b->first ? &f->insts[b->end - 1] : NULL;
    if (b->end == f->inst_count && !last) {
        b->how = CUT_LEAVE;
    } else if (last && last->op == PTX_OP_BRA) {
        uint32_t places[2] = {place_of_label(f, last->operands[0].label), b->end};
        bool guarded = last->guard >= 0;
        set_succs(c, b, guarded ? CUT_BRANCH : CUT_JUMP, guarded ? 2 : 1, places);
    } else if (last && last->op == PTX_OP_BRX) {
        end_switch(c, b, table_of(f, last));
    } else if (last && leaves(last)) {
        b->how = CUT_LEAVE;
    } else {
        set_succs(c, b, CUT_THROUGH, 1, &b->end);
    }
}

// Reverse postorder from the entry, with an explicit stack.
static void order_blocks(struct cut *cut, struct arena *a)
{
    struct frame {
        uint32_t block, next;
    };
    VEC(struct frame) stack = {0};
    cut->order = ARENA_ARRAY(a, uint32_t, cut->count);
    uint32_t place = cut->count;
    cut->blocks[0].reached = true;
    vec_push(&stack, (struct frame){0, 0});
    while (stack.count) {
        struct frame *top = &vec_last(&stack);
        const struct cut_block *b = &cut->blocks[top->block];
        if (top->next == b->succ_count) {
            cut->order[--place] = top->block;
            stack.count--;
            continue;
        }
        // last first, to keep the textual order
        uint32_t s = b->succs[b->succ_count - 1 - top->next++];
        if (cut->blocks[s].reached) continue;
        cut->blocks[s].reached = true;
        vec_push(&stack, (struct frame){s, 0});
    }
    vec_fini(&stack);
    cut->order += place;
    cut->order_count = cut->count - place;
}

void cut_function(struct cut *cut, struct arena *a, const struct ptx_function *f)
{
    struct cutter c = {.f = f, .cut = cut, .arena = a};
    *cut = (struct cut){0};
    c.starts = ARENA_ARRAY(a, uint8_t, f->inst_count + 1);
    c.block_at = ARENA_ARRAY(a, uint32_t, f->inst_count + 1);
    mark_starts(&c);
    make_blocks(&c);
    for (uint32_t k = 0; k < cut->count; k++) end_block(&c, k);
    order_blocks(cut, a);
}
