// The allocation checker, after the idea of regalloc2: it executes the allocated code over sets of unit
// names. A place (machine register, predicate, spill slot) holds a set of units. The destination unit of an
// instruction becomes the only name in its register. A parallel copy adds the name of its destination
// wherever the source's name is found. Inserted moves, loads and stores carry sets from place to place. At
// control-flow joins only common names survive. Every operand must then find the unit named before spilling
// in the assigned register. The checker does not use live ranges, webs or colours.
#include "compile/allocate/allocate.h"

#include <string.h>

enum { FIRST_PREDICATE = 256, FIRST_SLOT = 264 };

struct names { // a set of units
    uint32_t *units;
    uint32_t count;
};

struct checker {
    struct mach_function *f;
    struct arena arena;
    uint32_t place_count;
    struct names **at_start; // by block: sets of all places at its start; NULL: not yet reached
    struct names *now;       // by place: units held at the current instruction
    uint64_t *constant;      // by unit: key of its constant or special register, 0: not constant
    struct mach_inst *inst;
    const char *wrong;
};

static uint32_t place_of(const struct checker *c, uint32_t unit)
{
    return mach_group_of(c->f, unit)->predicate ? FIRST_PREDICATE + c->f->reg[unit] : c->f->reg[unit];
}

static bool has_name(const struct names *n, uint32_t unit)
{
    for (uint32_t k = 0; k < n->count; k++)
        if (n->units[k] == unit) return true;
    return false;
}

static void add_name(struct checker *c, struct names *n, uint32_t unit)
{
    if (has_name(n, unit)) return;
    uint32_t *units = ARENA_ARRAY(&c->arena, uint32_t, n->count + 1);
    if (n->count) memcpy(units, n->units, sizeof *units * n->count);
    units[n->count] = unit;
    *n = (struct names){units, n->count + 1};
}

static void drop_name_everywhere(struct checker *c, uint32_t unit)
{
    for (uint32_t p = 0; p < c->place_count; p++) {
        struct names *n = &c->now[p];
        if (!has_name(n, unit)) continue;
        uint32_t *units = ARENA_ARRAY(&c->arena, uint32_t, n->count), count = 0;
        for (uint32_t k = 0; k < n->count; k++)
            if (n->units[k] != unit) units[count++] = n->units[k];
        *n = (struct names){units, count};
    }
}

static void fail(struct checker *c, uint32_t name, uint32_t place)
{
    struct strbuf text = {0};
    const struct mach_inst *i = c->inst;
    if (c->wrong) return;
    strbuf_printf(&text, "%s: block%u, position %u (%s): %s%u does not hold u%u", c->f->source->name,
                  i->block->id, i->position, i->i.op < OP_COUNT ? isa_table[i->i.op].mnemonic : "copies",
                  place >= FIRST_PREDICATE ? "P" : "R",
                  place >= FIRST_PREDICATE ? place - FIRST_PREDICATE : place, name);
    c->wrong = arena_strndup(c->f->arena, strbuf_text(&text), text.length);
    strbuf_fini(&text);
}

static void check_name(struct checker *c, uint32_t name, uint32_t unit)
{
    if (unit == MACH_NONE || unit == c->f->stack_pointer) return;
    if (!has_name(&c->now[place_of(c, unit)], name)) fail(c, name, place_of(c, unit));
}

static bool has_constant(const struct checker *c, const struct names *n, uint64_t constant)
{
    for (uint32_t k = 0; constant && k < n->count; k++)
        if (c->constant[n->units[k]] == constant) return true;
    return false;
}

// Writes `name` to the register of `unit`, in place of the names there. If the register holds an equal
// constant already, its names stay. `name` vanishes from all other places, unless it is a constant: spilling
// rematerialises constants at reloads, so several places can hold one:
//
//     S2R r2, SR_TID.X      u3 was spilled; two phis take it, each in its own register,
//     S2R r3, SR_TID.X      and r2 must not lose its name here
static void write_name(struct checker *c, uint32_t name, uint32_t unit)
{
    if (unit == c->f->stack_pointer) return;
    if (!c->constant[name]) drop_name_everywhere(c, name);
    struct names *n = &c->now[place_of(c, unit)];
    if (!has_constant(c, n, c->constant[name])) *n = (struct names){NULL, 0};
    add_name(c, n, name);
}

static bool makes_constant(const struct mach_inst *i)
{
    if (mach_reads_fixed_special(i)) return true;
    // allocate/moves.c moves a predicate constant by a PLOP3 with the truth table of its first source.
    bool is_predicate_move = i->i.op == OP_PLOP3 && i->i.lut == 0xf0;
    bool makes = i->i.op == OP_MOV || i->i.op == MACH_SAME || is_predicate_move;
    if (!makes || i->transfer != TRANSFER_NONE || i->guard != MACH_NONE) return false;
    return mach_src_is_constant(i, 0) && i->src[1] == MACH_NONE && i->src[2] == MACH_NONE;
}

static uint64_t constant_key(const struct operand *o)
{
    uint64_t value = o->kind == OPERAND_SREG ? o->reg : o->value;
    return value | (uint64_t)o->bank << 32 | (uint64_t)o->kind << 40 | (uint64_t)o->flags << 48 | 1ull << 63;
}

static void find_constants(struct checker *c)
{
    for (uint32_t k = 0; k < c->f->block_count; k++)
        for (const struct mach_inst *i = c->f->blocks[k]->first; i; i = i->next)
            if (i->names && i->names->dst[0] != MACH_NONE && makes_constant(i))
                c->constant[i->names->dst[0]] = constant_key(&i->i.src[0]);
}

// Executes a parallel copy on names alone: every set with a copy's source gets the copy's destination. The
// moves that follow carry the sets from place to place.
static void run_copies(struct checker *c, const struct mach_names *n)
{
    struct names *before = ARENA_ARRAY(&c->arena, struct names, c->place_count);
    memcpy(before, c->now, sizeof *before * c->place_count);
    for (uint32_t k = 0; k < n->move_count; k++) drop_name_everywhere(c, n->moves[k].dst);
    for (uint32_t k = 0; k < n->move_count; k++)
        for (uint32_t p = 0; n->moves[k].src != MACH_NONE && p < c->place_count; p++)
            if (has_name(&before[p], n->moves[k].src)) add_name(c, &c->now[p], n->moves[k].dst);
}

static uint32_t moved_unit(const struct mach_inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k] != MACH_NONE) return i->src[k];
    return MACH_NONE;
}

// Copies the set of names of `from` to `to`. If both places hold the same constant, the names in `to` stay,
// too.
static void carry(struct checker *c, struct names *to, const struct names *from)
{
    struct names arrived = *from;
    bool same = false;
    for (uint32_t k = 0; k < to->count; k++) same |= has_constant(c, from, c->constant[to->units[k]]);
    for (uint32_t k = 0; same && k < to->count; k++) add_name(c, &arrived, to->units[k]);
    *to = arrived;
}

static void run_transfer(struct checker *c, const struct mach_inst *i)
{
    uint32_t slot = FIRST_SLOT + i->i.src[0].value / 4;
    if (i->transfer == TRANSFER_SWAP) {
        struct names *a = &c->now[place_of(c, i->dst[0])], *b = &c->now[place_of(c, i->src[1])], t = *a;
        *a = *b;
        *b = t;
    } else if (i->i.op == OP_STL) {
        for (unsigned u = 0; u < mach_src_units(i, 1); u++)
            carry(c, &c->now[slot + u], &c->now[place_of(c, i->src[1] + u)]);
    } else if (i->i.op == OP_LDL) {
        for (unsigned u = 0; u < mach_dst_units(i, 0); u++)
            carry(c, &c->now[place_of(c, i->dst[0] + u)], &c->now[slot + u]);
    } else if (i->transfer == TRANSFER_MOVE) {
        carry(c, &c->now[place_of(c, i->dst[0])], &c->now[place_of(c, moved_unit(i))]);
    }
}

static void clobber(struct checker *c)
{
    for (unsigned reg = 0; reg < ABI_FIRST_SAVED; reg++) c->now[reg].count = 0;
    for (unsigned p = 0; p < PRED_LIMIT; p++) c->now[FIRST_PREDICATE + p].count = 0;
}

// Executes MACH_SAME: a unit in the destination register must have the constant of `name`. Then `name` joins
// the register's set.
static void run_same(struct checker *c, const struct mach_inst *i, uint32_t name)
{
    struct names *n = &c->now[place_of(c, i->dst[0])];
    if (has_constant(c, n, c->constant[name]))
        add_name(c, n, name);
    else
        fail(c, name, place_of(c, i->dst[0]));
}

static void run_named(struct checker *c, const struct mach_inst *i, const struct mach_names *n)
{
    if (n->guard != MACH_NONE) check_name(c, n->guard, i->guard);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned u = 0; u < mach_src_units(i, k); u++) check_name(c, n->src[k] + u, i->src[k] + u);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned u = 0; i->old[k] != MACH_NONE && u < mach_dst_units(i, k); u++)
            check_name(c, n->old[k] + u, i->dst[k] + u); // the old value and the result share a register
    for (uint32_t k = 0; k < i->move_count; k++)
        if (n->moves[k].src != MACH_NONE) check_name(c, n->moves[k].src, i->moves[k].src);
    if (i->i.op == OP_CALL || i->i.op == OP_CALLR) clobber(c);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned u = 0; u < mach_dst_units(i, k); u++) write_name(c, n->dst[k] + u, i->dst[k] + u);
    for (uint32_t k = 0; k < i->move_count; k++)
        if (n->moves[k].dst != MACH_NONE) write_name(c, n->moves[k].dst, i->moves[k].dst);
}

static void run_inst(struct checker *c, struct mach_inst *i)
{
    c->inst = i;
    if (i->transfer != TRANSFER_NONE)
        run_transfer(c, i);
    else if (i->i.op == MACH_COPIES)
        run_copies(c, i->names);
    else if (i->i.op == MACH_SAME)
        run_same(c, i, i->names->dst[0]);
    else if (i->names)
        run_named(c, i, i->names);
}

// A deep copy: the sets at a block's start shrink in place and cannot share arrays.
static struct names *copy_places(struct checker *c, const struct names *from)
{
    struct names *to = ARENA_ARRAY(&c->arena, struct names, c->place_count);
    for (uint32_t k = 0; k < c->place_count; k++) {
        to[k] = (struct names){ARENA_ARRAY(&c->arena, uint32_t, from[k].count), from[k].count};
        if (from[k].count) memcpy(to[k].units, from[k].units, sizeof(uint32_t) * from[k].count);
    }
    return to;
}

// True if the set has the unit. An undefined phi operand (MACH_NONE) matches every set.
static bool stands_for(const struct names *n, uint32_t unit)
{
    return unit == MACH_NONE || has_name(n, unit);
}

// Merges the current state into the start of `b` along the edge from `pred`. A place with the name of a phi's
// operand gets the name of the phi's result, too. True if b is reached for the first time, or if a place
// loses a name at the start of b.
static bool meet(struct checker *c, const struct mach_block *b, uint32_t pred)
{
    struct names *places = copy_places(c, c->now);
    for (uint32_t p = 0; p < b->named_phi_count; p++) {
        const struct mach_phi *phi = &b->named_phis[p];
        for (uint32_t k = 0; k < c->place_count; k++)
            if (stands_for(&c->now[k], phi->src[pred])) add_name(c, &places[k], phi->dst);
    }
    struct names *start = c->at_start[b->id];
    if (!start) {
        c->at_start[b->id] = places;
        return true;
    }
    bool changed = false;
    for (uint32_t k = 0; k < c->place_count; k++) {
        uint32_t kept = 0;
        for (uint32_t n = 0; n < start[k].count; n++)
            if (has_name(&places[k], start[k].units[n])) start[k].units[kept++] = start[k].units[n];
        changed |= kept != start[k].count;
        start[k].count = kept;
    }
    return changed;
}

static void run_block(struct checker *c, struct mach_block *b)
{
    c->now = copy_places(c, c->at_start[b->id]);
    for (struct mach_inst *i = b->first; i && !c->wrong; i = i->next) run_inst(c, i);
}

const char *mach_allocation_check(struct mach_function *f)
{
    struct checker c = {.f = f, .place_count = FIRST_SLOT + f->spill_bytes / 4};
    arena_init(&c.arena);
    c.constant = ARENA_ARRAY(&c.arena, uint64_t, mach_unit_count(f));
    find_constants(&c);
    c.at_start = ARENA_ARRAY(&c.arena, struct names *, f->block_count);
    c.at_start[0] = ARENA_ARRAY(&c.arena, struct names, c.place_count);
    bool *waiting = ARENA_ARRAY(&c.arena, bool, f->block_count);
    waiting[0] = true;
    for (bool again = true; again && !c.wrong;) {
        again = false;
        for (uint32_t k = 0; k < f->block_count && !c.wrong; k++) {
            struct mach_block *b = f->blocks[k];
            if (!waiting[k]) continue;
            waiting[k] = false;
            run_block(&c, b);
            for (uint32_t s = 0; s < b->succ_count; s++)
                for (uint32_t pred = 0; pred < b->succs[s]->pred_count; pred++)
                    if (b->succs[s]->preds[pred] == b && meet(&c, b->succs[s], pred))
                        waiting[b->succs[s]->id] = again = true;
        }
    }
    arena_fini(&c.arena);
    return c.wrong;
}
