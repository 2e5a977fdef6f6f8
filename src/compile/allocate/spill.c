// Spill code. A spilled web lives in a slot of local memory: a load to a fresh register precedes every read,
// a store follows every write. A single register with a constant, a parameter or a fixed special register is
// rematerialised instead. A spilled predicate has no memory form: it lives in an ordinary register as 1 or 0,
// and the register may be spilled in turn.
//
//     u7 = FADD u5, u6       ─▶    u20 = LDL [slot of u5]
//                                  u21 = FADD u20, u6
//                                  STL [slot of u7], u21
#include "base/bits.h"
#include "compile/allocate/allocate.h"

struct spiller {
    struct allocation *a;
    struct mach_function *f;
    uint32_t *slot;           // by web: byte offset among the spill slots
    struct mach_inst **again; // by web: the instruction to rematerialise the value with, or NULL
    uint32_t *home;           // by unit of a spilled predicate: the register with its value, or MACH_NONE
    uint32_t units;           // number of units before spilling; newer units are not spilled
};

static struct web *spilled_web(const struct spiller *s, uint32_t unit)
{
    if (unit == MACH_NONE || unit >= s->units) return NULL;
    struct web *w = &s->a->webs[web_of_unit(s->a, unit)];
    return w->spilled ? w : NULL;
}

static uint32_t new_unit(struct spiller *s, unsigned width, bool predicate)
{
    uint32_t unit = predicate ? mach_pred(s->f) : mach_reg(s->f, width);
    mach_group_of(s->f, unit)->temporary = true;
    return unit;
}

static uint32_t slot_of(const struct spiller *s, uint32_t unit)
{
    uint32_t group = s->f->group_of.data[unit];
    return s->slot[s->a->web_of[group]] + 4 * (s->a->offset_of[group] + unit - s->f->groups.data[group].unit);
}

static void set_operand(struct operand *o, uint32_t *place_of, unsigned kind, unsigned width, uint32_t unit)
{
    *o = (struct operand){.kind = (uint8_t)kind, .width = (uint8_t)width};
    *place_of = unit;
}

static struct mach_inst *place(struct mach_inst *at, struct mach_inst *i, bool after)
{
    i->i.lines = at->i.lines;
    mach_insert_before(at->block, after ? at->next : at, i);
    return i;
}

static void set_slot(struct spiller *s, struct mach_inst *i, uint32_t slot)
{
    i->i.src[0] = (struct operand){.kind = OPERAND_MEM, .width = 1, .bank = MACH_SPILL, .value = slot};
    if (!s->f->source->is_kernel) i->src[0] = mach_stack_pointer(s->f);
}

static unsigned access_type(unsigned width)
{
    return width == 4 ? TYPE_B128 : width == 2 ? TYPE_B64 : TYPE_B32;
}

// -- registers ----------------------------------------------------------------------------------------------

// Sets `fresh` (`width` units) to the value of `unit` before the instruction `at`: by rematerialisation or a
// load.
static void reload_into(struct spiller *s, struct mach_inst *at, uint32_t unit, unsigned width,
                        uint32_t fresh)
{
    struct mach_inst *again = s->again[s->a->web_of[s->f->group_of.data[unit]]];
    struct mach_inst *i = mach_inst_create(s->f, again ? again->i.op : (unsigned)OP_LDL);
    if (again) {
        i->i = again->i;
        i->names = again->names;
    } else {
        i->transfer = TRANSFER_MOVE;
        i->i.type = (uint8_t)access_type(width);
        set_slot(s, i, slot_of(s, unit));
        s->f->spill_loads++;
    }
    set_operand(&i->i.dst[0], &i->dst[0], OPERAND_REG, width, fresh);
    place(at, i, false);
}

static uint32_t reload(struct spiller *s, struct mach_inst *at, uint32_t unit, unsigned width)
{
    uint32_t fresh = new_unit(s, width, false);
    reload_into(s, at, unit, width, fresh);
    return fresh;
}

static void store_to_slot(struct spiller *s, struct mach_inst *at, bool after, uint32_t unit, unsigned width,
                          uint32_t fresh)
{
    struct mach_inst *i = mach_inst_create(s->f, OP_STL);
    i->i.type = (uint8_t)access_type(width);
    set_slot(s, i, slot_of(s, unit));
    set_operand(&i->i.src[1], &i->src[1], OPERAND_REG, width, fresh);
    i->transfer = TRANSFER_MOVE;
    place(at, i, after);
    s->f->spill_stores++;
}

// -- predicates ---------------------------------------------------------------------------------------------

static uint32_t home_of(struct spiller *s, uint32_t unit)
{
    if (s->home[unit] == MACH_NONE) s->home[unit] = mach_reg(s->f, 1);
    return s->home[unit];
}

static void set_predicate(struct operand *o, uint32_t *place_of, uint32_t unit)
{
    *o = (struct operand){.kind = OPERAND_PRED, .width = 1, .reg = PRED_TRUE};
    *place_of = unit;
}

// predicate = register != 0
static uint32_t from_home(struct spiller *s, struct mach_inst *at, uint32_t unit)
{
    uint32_t fresh = new_unit(s, 1, true);
    struct mach_inst *i = mach_inst_create(s->f, OP_ISETP);
    i->i.type = TYPE_U32;
    i->i.cmp = CMP_NE;
    i->transfer = TRANSFER_MOVE;
    set_predicate(&i->i.dst[0], &i->dst[0], fresh);
    set_predicate(&i->i.dst[1], &i->dst[1], MACH_NONE);
    set_operand(&i->i.src[0], &i->src[0], OPERAND_REG, 1, home_of(s, unit));
    set_operand(&i->i.src[1], &i->src[1], OPERAND_REG, 1, MACH_NONE);
    set_predicate(&i->i.src[2], &i->src[2], MACH_NONE);
    place(at, i, false);
    return fresh;
}

// register = predicate ? 1 : 0, as SEL register, RZ, 1, !predicate
static void to_register(struct spiller *s, struct mach_inst *at, bool after, uint32_t reg, uint32_t predicate)
{
    struct mach_inst *i = mach_inst_create(s->f, OP_SEL);
    i->transfer = TRANSFER_MOVE;
    set_operand(&i->i.dst[0], &i->dst[0], OPERAND_REG, 1, reg);
    set_operand(&i->i.src[0], &i->src[0], OPERAND_REG, 1, MACH_NONE);
    i->i.src[1] = (struct operand){.kind = OPERAND_IMM, .width = 1, .value = 1};
    set_predicate(&i->i.src[2], &i->src[2], predicate);
    i->i.src[2].flags = OPERAND_NOT;
    place(at, i, after);
}

// -- one instruction ----------------------------------------------------------------------------------------

static void rewrite_reads(struct spiller *s, struct mach_inst *i)
{
    if (spilled_web(s, i->guard)) i->guard = from_home(s, i, i->guard);
    for (unsigned k = 0; k < 4; k++) {
        if (!spilled_web(s, i->src[k])) continue;
        unsigned width = mach_src_units(i, k);
        uint32_t unit = i->src[k];
        bool predicate = i->i.src[k].kind == OPERAND_PRED;
        uint32_t fresh = predicate ? from_home(s, i, unit) : reload(s, i, unit, width);
        i->src[k] = fresh;
        for (unsigned n = k + 1; n < 4; n++) // load a register read twice only once
            if (i->src[n] == unit && mach_src_units(i, n) == width) i->src[n] = fresh;
    }
    for (unsigned k = 0; k < 2; k++) {
        if (!spilled_web(s, i->old[k])) continue;
        bool predicate = i->i.dst[k].kind == OPERAND_PRED;
        i->old[k] = predicate ? from_home(s, i, i->old[k]) : reload(s, i, i->old[k], mach_dst_units(i, k));
    }
}

static void rewrite_writes(struct spiller *s, struct mach_inst *i)
{
    for (unsigned k = 0; k < 2; k++) {
        if (!spilled_web(s, i->dst[k])) continue;
        uint32_t unit = i->dst[k];
        unsigned width = mach_dst_units(i, k);
        bool predicate = i->i.dst[k].kind == OPERAND_PRED;
        i->dst[k] = new_unit(s, width, predicate);
        if (predicate)
            to_register(s, i, true, home_of(s, unit), i->dst[k]);
        else
            store_to_slot(s, i, true, unit, width, i->dst[k]);
    }
}

// -- parallel copies ----------------------------------------------------------------------------------------

// Rewrites a copy to a spilled predicate. The destination becomes a register with 1 or 0; the source becomes
// a register or constant with 1 or 0.
static void copy_to_home(struct spiller *s, struct mach_inst *i, struct mach_move *m)
{
    m->dst = home_of(s, m->dst);
    if (spilled_web(s, m->src)) {
        m->src = home_of(s, m->src);
    } else if (m->src == MACH_NONE) {
        bool one = !(m->value.flags & OPERAND_NOT);
        m->value = (struct operand){.kind = one ? OPERAND_IMM : OPERAND_REG, .width = 1, .value = one};
        return;
    } else {
        uint32_t predicate = m->src;
        m->src = new_unit(s, 1, false);
        to_register(s, i, false, m->src, predicate);
    }
    m->value = (struct operand){.kind = OPERAND_REG, .width = 1};
}

// Moves without spilled registers stay parallel copies. Other moves become loads and stores before the
// parallel copy, in an order that reads every slot before overwriting it. Only stores of constants follow the
// parallel copy. First come loads into registers, which no other move writes. Then come stores, each after
// the last read of its slot. A cycle of slots is broken with one register.
struct pending {
    struct mach_move *moves;
    uint32_t count;
};

static bool is_slot(const struct spiller *s, uint32_t unit)
{
    const struct web *w = spilled_web(s, unit);
    return w && !w->predicate && !s->again[w - s->a->webs];
}

static bool reads_slot(const struct spiller *s, const struct pending *p, uint32_t slot, uint32_t except)
{
    for (uint32_t k = 0; k < p->count; k++)
        if (k != except && is_slot(s, p->moves[k].src) && slot_of(s, p->moves[k].src) == slot) return true;
    return false;
}

static void store_move(struct spiller *s, struct mach_inst *at, const struct mach_move *m)
{
    if (m->src != MACH_NONE) {
        store_to_slot(s, at, false, m->dst, 1, spilled_web(s, m->src) ? reload(s, at, m->src, 1) : m->src);
        return;
    }
    struct mach_inst *i = mach_inst_create(s->f, OP_MOV); // constants are stored after the copies
    uint32_t value = new_unit(s, 1, false);
    i->i.src[0] = m->value;
    set_operand(&i->i.dst[0], &i->dst[0], OPERAND_REG, 1, value);
    if (at->names) i->names = mach_names_of_result(s->f, m->name);
    store_to_slot(s, at, true, m->dst, 1, value);
    place(at, i, true);
}

static void store_moves(struct spiller *s, struct mach_inst *at, struct pending *p)
{
    while (p->count) {
        uint32_t k = 0;
        while (k < p->count && reads_slot(s, p, slot_of(s, p->moves[k].dst), k)) k++;
        if (k == p->count) { // only cycles remain, and moves blocked by cycles
            for (k = 0; !is_slot(s, p->moves[k].src);) k++;
            p->moves[k].src = reload(s, at, p->moves[k].src, 1);
            continue;
        }
        store_move(s, at, &p->moves[k]);
        p->moves[k] = p->moves[--p->count];
    }
}

// Rewrites one move of a parallel copy, or defers it to `stores`. False: the move leaves the parallel copy.
static bool rewrite_move(struct spiller *s, struct mach_inst *i, struct mach_move *m, struct pending *stores)
{
    struct web *to = spilled_web(s, m->dst), *from = spilled_web(s, m->src);
    if (to && to->predicate) {
        copy_to_home(s, i, m);
        return true;
    }
    if (from && from->predicate) {
        m->src = from_home(s, i, m->src);
        return true;
    }
    if (to) {
        bool same = from == to && slot_of(s, m->dst) == slot_of(s, m->src);
        if (!same) stores->moves[stores->count++] = *m;
        return false;
    }
    if (from) reload_into(s, i, m->src, 1, m->dst);
    return !from;
}

static void rewrite_copies(struct spiller *s, struct mach_inst *i)
{
    struct pending stores = {ARENA_ARRAY(s->a->arena, struct mach_move, i->move_count), 0};
    uint32_t kept = 0;
    for (uint32_t k = 0; k < i->move_count; k++) {
        struct mach_move m = i->moves[k];
        if (rewrite_move(s, i, &m, &stores)) i->moves[kept++] = m;
    }
    i->move_count = kept;
    store_moves(s, i, &stores);
}

static void rewrite_phis(struct spiller *s, struct mach_block *b)
{
    size_t kept = 0;
    for (size_t p = 0; p < b->phis.count; p++) {
        struct mach_phi phi = b->phis.data[p];
        struct web *w = spilled_web(s, phi.dst);
        if (w && !w->predicate) continue; // the slot of the web replaces the phi
        if (w) {
            phi.dst = home_of(s, phi.dst);
            for (uint32_t k = 0; k < b->pred_count; k++)
                if (phi.src[k] != MACH_NONE) phi.src[k] = home_of(s, phi.src[k]);
        }
        b->phis.data[kept++] = phi;
    }
    b->phis.count = kept;
}

// -- everything ---------------------------------------------------------------------------------------------

// The instruction that defines a web of one unit, if the instruction reads only a constant or a fixed special
// register; else NULL. Repeating the instruction can replace a load.
static struct mach_inst *made_again(struct spiller *s, const struct web *w)
{
    struct allocation *a = s->a;
    if (w->predicate || w->width != 1 || a->next_group[w->first_group] != MACH_NONE) return NULL;
    struct mach_inst *i = a->def[s->f->groups.data[w->first_group].unit];
    return i && (mach_makes_constant(i) || mach_reads_fixed_special(i)) ? i : NULL;
}

static void choose_homes(struct spiller *s)
{
    struct allocation *a = s->a;
    for (uint32_t k = 0; k < a->web_count; k++) {
        struct web *w = &a->webs[k];
        if (!w->spilled || w->predicate) continue;
        s->again[k] = made_again(s, w);
        if (s->again[k]) continue;
        s->slot[k] = (uint32_t)align_up(s->f->spill_bytes, 4u * w->width);
        s->f->spill_bytes = s->slot[k] + 4u * w->width;
    }
}

void allocate_spill(struct allocation *a)
{
    struct spiller s = {.a = a, .f = a->f, .units = mach_unit_count(a->f)};
    s.slot = ARENA_ARRAY(a->arena, uint32_t, a->web_count);
    s.again = ARENA_ARRAY(a->arena, struct mach_inst *, a->web_count);
    s.home = ARENA_ARRAY(a->arena, uint32_t, s.units);
    for (uint32_t k = 0; k < s.units; k++) s.home[k] = MACH_NONE;
    choose_homes(&s);
    for (uint32_t k = 0; k < a->f->block_count; k++) {
        struct mach_block *b = a->f->blocks[k];
        rewrite_phis(&s, b);
        for (struct mach_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            struct web *w = spilled_web(&s, i->dst[0]);
            if (w && s.again[w - a->webs] == i) {
                mach_remove(i);
            } else if (i->i.op == MACH_COPIES) {
                rewrite_copies(&s, i);
            } else {
                rewrite_reads(&s, i);
                rewrite_writes(&s, i);
            }
        }
    }
}
