// Sharing constants across blocks. Selection makes a separate MOV in every block for a constant or parameter
// that an instruction cannot take as an operand. A block reuses the constant of a dominating block; a
// constant needed in a loop is made before the outermost loop. A constant moved out of loops occupies a
// register through the loops, so the number of moved constants is limited. When registers run out, allocation
// rematerialises constants at their uses.
//
//     loop:  MOV R3, 0x4                      MOV R3, 0x4
//            IMAD.WIDE R4, R1, R3, …   ─▶     loop: IMAD.WIDE R4, R1, R3, …
#include "base/hash.h"
#include "compile/allocate/allocate.h"
#include "compile/schedule/schedule.h"

#include <string.h>

// KEPT_MAX: registers for constants moved out of loops, at most. REGISTERS_ENOUGH: in a function with this
// many live registers or more at one point, blocks share no constants and none moves.
enum { KEPT_MAX = 16, REGISTERS_ENOUGH = 44 };

struct kept {
    struct mach_inst *inst; // the constant's MOV; of a register pair, the MOV to the lower register
    uint32_t next;          // 1 + index in `all` of an older constant with the same key, 0: end
};

struct keeper {
    struct mach_function *f;
    struct u64map newest; // key -> index of the newest constant in `all`
    VEC(struct kept) all;
    uint32_t *renamed; // by unit: the unit to read instead
    unsigned registers_left;
};

// Number of adjacent MOVs from `i` on that make a whole register group of constants: 1 or 2. 0: the group is
// wider, fixed or only partly constant, or begins before i.
static unsigned group_size(const struct mach_function *f, const struct mach_inst *i)
{
    const struct mach_group *g = mach_group_of(f, i->dst[0]);
    if (g->fixed >= 0 || g->width > 2 || i->dst[0] != g->unit) return 0;
    if (g->width == 1) return 1;
    return i->next && mach_makes_constant(i->next) && i->next->dst[0] == g->unit + 1 ? 2 : 0;
}

static uint64_t key_of(const struct mach_inst *i, unsigned size)
{
    struct { // no padding
        uint32_t size, words[2][3];
    } key = {size, {{0}}};
    for (unsigned k = 0; k < size; k++, i = i->next) {
        const struct operand *o = &i->i.src[0];
        key.words[k][0] = o->kind;
        key.words[k][1] = o->bank;
        key.words[k][2] = o->value;
    }
    return hash_bytes(&key, sizeof key, 1);
}

static bool same_constants(const struct mach_inst *a, const struct mach_inst *b, unsigned size)
{
    for (unsigned k = 0; k < size; k++, a = a->next, b = b->next) {
        const struct operand *x = &a->i.src[0], *y = &b->i.src[0];
        if (x->kind != y->kind || x->bank != y->bank || x->value != y->value) return false;
    }
    return true;
}

// The newest kept constant that fills `size` registers, equals the constant of i, and was made in a block
// that dominates i's block, or NULL.
static const struct kept *find_kept(const struct keeper *k, uint64_t key, const struct mach_inst *i,
                                    unsigned size)
{
    uint32_t at;
    if (!u64map_get(&k->newest, key, &at)) return NULL;
    for (uint32_t n = at + 1; n; n = k->all.data[n - 1].next) {
        const struct kept *c = &k->all.data[n - 1];
        bool reaches = ir_dominates(c->inst->block->source, i->block->source);
        if (reaches && same_constants(c->inst, i, size)) return c;
    }
    return NULL;
}

static void keep(struct keeper *k, uint64_t key, struct mach_inst *i)
{
    uint32_t older;
    struct kept c = {i, u64map_get(&k->newest, key, &older) ? older + 1 : 0};
    u64map_set(&k->newest, key, (uint32_t)k->all.count);
    vec_push(&k->all, c);
}

// The nearest dominator of b outside every loop; b itself if b lies outside every loop.
static struct mach_block *before_loops(struct mach_block *b, struct mach_block **by_id)
{
    const struct ir_block *at = b->source;
    while (at && at->loop_depth) at = at->idom;
    return at ? by_id[at->id] : b;
}

static void move_up(struct mach_inst *i, unsigned size, struct mach_block *to)
{
    struct mach_inst *where = mach_first_terminator(to);
    for (unsigned k = 0; k < size; k++) {
        struct mach_inst *next = i->next;
        mach_remove(i);
        mach_insert_before(to, where, i);
        i = next;
    }
}

static void visit(struct keeper *k, struct mach_inst *i, unsigned size, struct mach_block **by_id)
{
    uint64_t key = key_of(i, size);
    struct mach_block *b = i->block;
    const struct kept *known = find_kept(k, key, i, size);
    // In a block outside loops, a second MOV is cheaper than a long live range of the first MOV's result.
    // Exception: the immediate dominator made the constant.
    bool worth = known && (b->loop_depth || known->inst->block->source == b->source->idom ||
                           known->inst->block->loop_depth < b->loop_depth);
    if (worth && known->inst->block != b) {
        uint32_t unit = i->dst[0];
        for (unsigned n = 0; n < size; n++) {
            struct mach_inst *next = i->next;
            k->renamed[unit + n] = known->inst->dst[0] + n;
            mach_remove(i);
            i = next;
        }
        return;
    }
    if (b->loop_depth && k->registers_left >= size) {
        struct mach_block *to = before_loops(b, by_id);
        k->registers_left -= size;
        if (to != b) move_up(i, size, to);
    }
    keep(k, key, i);
}

static void rename_uses(struct keeper *k)
{
    for (uint32_t n = 0; n < k->f->block_count; n++) {
        struct mach_block *b = k->f->blocks[n];
        for (struct mach_inst *i = b->first; i; i = i->next) {
            for (unsigned s = 0; s < 4; s++)
                if (i->src[s] != MACH_NONE) i->src[s] = k->renamed[i->src[s]];
            for (unsigned d = 0; d < 2; d++)
                if (i->old[d] != MACH_NONE) i->old[d] = k->renamed[i->old[d]];
            for (uint32_t m = 0; m < i->move_count; m++)
                if (i->moves[m].src != MACH_NONE) i->moves[m].src = k->renamed[i->moves[m].src];
        }
        for (size_t p = 0; p < b->phis.count; p++)
            for (uint32_t s = 0; s < b->pred_count; s++)
                if (b->phis.data[p].src[s] != MACH_NONE)
                    b->phis.data[p].src[s] = k->renamed[b->phis.data[p].src[s]];
    }
}

void mach_keep_constants(struct mach_function *f)
{
    struct keeper k = {.f = f, .registers_left = 0};
    struct arena scratch;
    uint32_t pressure = allocate_pressure(f);
    if (pressure >= REGISTERS_ENOUGH) return;
    arena_init(&scratch);
    uint32_t units = mach_unit_count(f), count = f->block_count;
    k.registers_left = REGISTERS_ENOUGH - pressure;
    if (k.registers_left > KEPT_MAX) k.registers_left = KEPT_MAX;
    k.renamed = ARENA_ARRAY(&scratch, uint32_t, units);
    for (uint32_t u = 0; u < units; u++) k.renamed[u] = u;
    struct mach_block **by_id = ARENA_ARRAY(&scratch, struct mach_block *, count),
                      **order = ARENA_ARRAY(&scratch, struct mach_block *, count);
    for (uint32_t n = 0; n < count; n++) {
        by_id[f->blocks[n]->source->id] = f->blocks[n];
        order[f->blocks[n]->source->rpo] = f->blocks[n];
    }
    for (uint32_t n = 0; n < count; n++)
        for (struct mach_inst *i = order[n]->first, *next; i; i = next) {
            unsigned size = mach_makes_constant(i) ? group_size(f, i) : 0;
            next = i->next;
            if (size == 2) next = next->next;
            if (size) visit(&k, i, size, by_id);
        }
    rename_uses(&k);
    u64map_fini(&k.newest);
    vec_fini(&k.all);
    arena_fini(&scratch);
}
