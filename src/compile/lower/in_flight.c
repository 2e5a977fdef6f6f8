// Products of a warpgroup whose registers other instructions touch without order (PTX ISA 9.7.15.7), found over all paths of the
// function: without `wgmma.fence` between the access and the product, or before the wait for the product's group.
//
//     of a register      entry   access by another instruction   fence   product      commit   wait N
//     touched            yes     yes                             no      no
//     commits since      none                                            0 (sums)     + 1      none, from N + 1 on
//
// At a join: touched on any path; the fewest commits. A move takes the commits along, as sums may lie in other registers.
// The findings are marks of the product, which the checker reports if it executes.
#include "compile/lower/impl.h"

#include <string.h>

enum { NONE = 15, MOST = 14 };

struct in_flight {    // of a PTX register
    uint32_t product; // whose sum it is: index of the instruction
    uint8_t commits;  // behind the product; NONE: not in flight
    bool is_touched;
};

struct finder {
    struct lower *l;
    // By PTX register: 1 + place in a state; 0: neither in a product nor moved from or to such a one.
    uint32_t *number;
    uint32_t count;              // places
    struct in_flight *now, *ins; // a state; those of all blocks at their begins
    uint8_t *known;              // blocks: the begin has a value
    uint8_t *marks;              // by instruction; NULL: not yet
};

static bool is_product(const struct ptx_inst *i)
{
    return i->op == PTX_OP_WGMMA && i->mode == PTX_MODE_WGMMA_MMA;
}

static void mark(struct finder *f, uint32_t product, unsigned what)
{
    if (f->marks) f->marks[product] |= (uint8_t)what;
}

static struct in_flight *state_of(struct finder *f, const struct ptx_operand *o)
{
    return &f->now[f->number[o->reg] - 1];
}

static void touch(struct finder *f, int32_t reg)
{
    if (reg < 0 || !f->number[reg]) return;
    struct in_flight *r = &f->now[f->number[reg] - 1];
    r->is_touched = true;
    if (r->commits != NONE) mark(f, r->product, WGMMA_EXPOSED);
}

static void touch_operand(struct finder *f, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY) touch(f, o->reg);
    for (unsigned k = 0; o->elements && k < o->count; k++) touch_operand(f, &o->elements[k]);
}

static void move(struct finder *f, const struct ptx_inst *i)
{
    if (!f->number[i->operands[0].reg]) return;
    struct in_flight *to = state_of(f, &i->operands[0]);
    *to = *state_of(f, &i->operands[1]);
    to->is_touched = true;
}

static void use(struct finder *f, const struct ptx_operand *o, uint32_t at)
{
    for (unsigned k = 0; k < o->count; k++)
        if (state_of(f, &o->elements[k])->is_touched) mark(f, at, WGMMA_UNFENCED);
}

static void multiply(struct finder *f, const struct ptx_inst *p, uint32_t at)
{
    const struct ptx_operand *d = &p->operands[0], *a = &p->operands[1];
    use(f, d, at);
    if (a->kind == PTX_OPERAND_VECTOR) {
        use(f, a, at);
        for (unsigned k = 0; k < a->count; k++) {
            const struct in_flight *r = state_of(f, &a->elements[k]);
            if (r->commits != NONE) mark(f, r->product, WGMMA_EXPOSED);
        }
    }
    for (unsigned k = 0; k < d->count; k++) *state_of(f, &d->elements[k]) = (struct in_flight){.product = at};
}

static void follow_group(struct finder *f, const struct ptx_inst *i)
{
    for (uint32_t k = 0; k < f->count; k++) {
        struct in_flight *r = &f->now[k];
        if (i->mode == PTX_MODE_CP_WAIT_GROUP) {
            if (r->commits > i->operands[0].imm) r->commits = NONE;
        } else if (i->mode == PTX_MODE_CP_COMMIT_GROUP) {
            if (r->commits < MOST) r->commits++;
        } else {
            r->is_touched = false;
        }
    }
}

static bool is_move(const struct ptx_inst *i)
{
    return i->op == PTX_OP_MOV && i->guard < 0 && i->operands[0].kind == PTX_OPERAND_REG &&
           i->operands[1].kind == PTX_OPERAND_REG;
}

static void follow(struct finder *f, uint32_t at)
{
    const struct ptx_inst *i = &f->l->ptx->insts[at];
    if (is_product(i)) {
        multiply(f, i, at);
    } else if (i->op == PTX_OP_WGMMA) {
        follow_group(f, i);
    } else if (is_move(i)) {
        move(f, i);
    } else {
        touch(f, i->guard);
        for (unsigned k = 0; k < i->operand_count; k++) touch_operand(f, &i->operands[k]);
    }
}

// Joins the present state into the begin of a block. True: the begin changes.
static bool join(struct finder *f, uint32_t block)
{
    uint32_t count = f->count;
    struct in_flight *in = f->ins + (size_t)block * count;
    bool changes = !f->known[block];
    if (changes) memcpy(in, f->now, count * sizeof *in);
    f->known[block] = true;
    for (uint32_t k = 0; k < count; k++) {
        const struct in_flight *r = &f->now[k];
        bool is_newer = r->commits < in[k].commits, is_new = r->is_touched && !in[k].is_touched;
        if (is_newer) in[k].commits = r->commits, in[k].product = r->product;
        in[k].is_touched |= is_new;
        changes |= is_newer || is_new;
    }
    return changes;
}

// Follows all reached blocks once, from their begins. True: a begin has changed.
static bool pass(struct finder *f)
{
    const struct cut *cut = &f->l->source->cut;
    uint32_t count = f->count;
    bool changes = false;
    for (uint32_t n = 0; n < cut->order_count; n++) {
        const struct cut_block *b = &cut->blocks[cut->order[n]];
        memcpy(f->now, f->ins + (size_t)cut->order[n] * count, count * sizeof *f->now);
        for (uint32_t k = b->first; k < b->end; k++) follow(f, k);
        for (uint32_t k = 0; k < b->succ_count; k++) changes |= join(f, b->succs[k]);
    }
    return changes;
}

static void number(struct finder *f, int32_t reg)
{
    if (!f->number[reg]) f->number[reg] = ++f->count;
}

static void number_registers(struct finder *f)
{
    const struct ptx_function *p = f->l->ptx;
    for (uint32_t k = 0; k < p->inst_count; k++)
        for (unsigned n = 0; is_product(&p->insts[k]) && n < 2; n++) {
            const struct ptx_operand *o = &p->insts[k].operands[n];
            for (unsigned e = 0; o->kind == PTX_OPERAND_VECTOR && e < o->count; e++)
                number(f, o->elements[e].reg);
        }
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t k = 0; k < p->inst_count; k++) {
            if (!is_move(&p->insts[k])) continue;
            int32_t to = p->insts[k].operands[0].reg, from = p->insts[k].operands[1].reg;
            if (!f->number[to] == !f->number[from]) continue; // both, or none
            number(f, to);
            number(f, from);
            changes = true;
        }
    }
}

uint8_t lower_product_marks(struct lower *l)
{
    const struct cut *cut = &l->source->cut;
    if (l->product_marks) return l->product_marks[l->inst - l->ptx->insts];
    struct finder f = {.l = l, .known = heap_alloc(cut->count)};
    f.number = heap_alloc(l->ptx->reg_count * sizeof *f.number);
    number_registers(&f);
    f.now = heap_alloc(f.count * sizeof *f.now);
    f.ins = heap_alloc((size_t)f.count * cut->count * sizeof *f.ins);
    // A kernel's first product needs a fence, too.
    for (uint32_t k = 0; k < f.count; k++)
        f.now[k] = (struct in_flight){.commits = NONE, .is_touched = l->f->is_kernel};
    join(&f, cut->order[0]);
    for (bool changes = true; changes;) changes = pass(&f);
    f.marks = l->product_marks = ARENA_ARRAY(&l->u->unit->arena, uint8_t, l->ptx->inst_count);
    pass(&f);
    free(f.now), free(f.ins), free(f.known), free(f.number);
    return l->product_marks[l->inst - l->ptx->insts];
}
