// Spill slots as registers. A register spilled by the compiler lives in a local memory word that no other
// access reaches (mark/access.h). The affine warp keeps such a word in a register; spill stores and loads
// become moves.
//
// No slot of the program is tracked if an access at a fixed address covers part of a slot's word, or slots
// together with other memory. Such an access would alias two locations.
#include "decouple/slices.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

static uint32_t first_of(const struct program *p) { return p->local_bytes - p->spill_bytes; }

struct decouple_slot decouple_slot_of(const struct inst *i)
{
    bool is_store = i->op == OP_STL;
    return (struct decouple_slot){.registers = is_store ? &i->src[1] : &i->dst[0],
                                  .address = i->src[0].value,
                                  .words = isa_type_bytes((enum isa_type)i->type) / 4,
                                  .is_store = is_store};
}

static bool is_at_fixed_address(const struct inst *i)
{
    return (i->op == OP_LDL || i->op == OP_STL) && i->src[0].kind == OPERAND_MEM && i->src[0].reg == REG_ZERO;
}

// Whether the access covers whole slot words only, or no slot at all.
static bool is_whole(const struct program *p, const struct inst *i)
{
    uint64_t from = i->src[0].value, end = from + isa_type_bytes((enum isa_type)i->type);
    if (end <= first_of(p) || from >= p->local_bytes) return true;
    return from >= first_of(p) && end <= p->local_bytes && (from - first_of(p)) % 4 == 0 &&
           end % 4 == from % 4;
}

static bool can_follow(const struct program *p)
{
    for (uint32_t k = 0; k < p->inst_count; k++)
        if (is_at_fixed_address(&p->insts[k]) && !is_whole(p, &p->insts[k])) return false;
    return p->spill_bytes;
}

unsigned decouple_name_of_slot(const struct program *p, uint32_t address)
{
    return p->reg_count + (address - first_of(p)) / 4;
}

// Whether register numbers not used by the program suffice for all words of the slot.
static bool has_names(const struct program *p, const struct decouple_slot *x)
{
    return decouple_name_of_slot(p, x->address) + x->words <= REG_LIMIT;
}

void decouple_find_spills(struct decouple *d)
{
    const struct program *p = d->program;
    if (!d->rules.slots || !can_follow(p)) return;
    for (uint32_t k = 0; k < d->count; k++) {
        const struct inst *i = &p->insts[k];
        if (!access_is_spill(p, i)) continue;
        struct decouple_slot x = decouple_slot_of(i);
        d->insts[k].slot = i->sem == SEM_WEAK && x.registers->kind == OPERAND_REG && has_names(p, &x);
    }
}

struct inst decouple_move_of_slot(const struct program *p, const struct inst *i, unsigned word)
{
    struct decouple_slot x = decouple_slot_of(i);
    unsigned name = decouple_name_of_slot(p, x.address) + word;
    unsigned own = x.registers->reg == REG_ZERO ? REG_ZERO : x.registers->reg + word;
    struct inst move = {.op = OP_MOV,
                        .guard = i->guard,
                        .guard_not = i->guard_not,
                        .target = NO_TARGET,
                        .reconverge = NO_TARGET,
                        .lines = i->lines};
    move.dst[0] =
        (struct operand){.kind = OPERAND_REG, .width = 1, .reg = (uint8_t)(x.is_store ? name : own)};
    move.src[0] =
        (struct operand){.kind = OPERAND_REG, .width = 1, .reg = (uint8_t)(x.is_store ? own : name)};
    return move;
}
