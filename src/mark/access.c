// Spill slots are the words between the program's variables and the end of its fixed local memory. Only LDL
// and STL at absolute addresses reach a spill slot. The rest of local memory is one location: a load depends
// on every earlier store, and a store depends on the previous content.
#include "mark/access.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"

static void add_access(struct access_list *l, uint32_t location, enum access_role role, unsigned operand)
{
    if (l->count < ACCESSES_MAX) {
        l->at[l->count].location = location;
        l->at[l->count].role = (uint8_t)role;
        l->at[l->count].operand = (uint8_t)operand;
        l->count++;
    }
}

static void add_operand(struct access_list *l, const struct operand *o, enum access_role role,
                        unsigned operand)
{
    if (o->kind == OPERAND_PRED && o->reg != PRED_TRUE)
        add_access(l, LOCATION_PREDICATE + o->reg, role, operand);
    bool registers = o->kind == OPERAND_REG || o->kind == OPERAND_MEM || o->kind == OPERAND_SHARED;
    for (unsigned k = 0; registers && o->reg != REG_ZERO && k < operand_words(o); k++)
        add_access(l, o->reg + k, role, operand);
}

bool access_is_spill(const struct program *p, const struct inst *i)
{
    if (i->op != OP_LDL && i->op != OP_STL) return false;
    const struct operand *address = &i->src[0];
    return address->kind == OPERAND_MEM && address->reg == REG_ZERO && p->spill_bytes &&
           address->value >= p->local_bytes - p->spill_bytes && address->value < p->local_bytes;
}

static void add_slot(struct access_list *l, const struct program *p, const struct inst *i)
{
    uint32_t word = (i->src[0].value - (p->local_bytes - p->spill_bytes)) / 4;
    uint32_t words = isa_type_bytes((enum isa_type)i->type) / 4;
    for (uint32_t k = 0; k < (words ? words : 1); k++)
        add_access(l, LOCATION_SPILL + word + k, ROLE_SOURCE, 0);
}

uint32_t access_local(const struct program *p) { return LOCATION_SPILL + (p->spill_bytes + 3) / 4; }
uint32_t access_location_count(const struct program *p) { return access_local(p) + 1; }

// True: the instruction may write local memory outside the spill slots, by STL or by a store or atomic
// through a generic address.
static bool writes_local(const struct program *p, const struct inst *i)
{
    if (i->op == OP_STL) return !access_is_spill(p, i);
    bool generic = i->op == OP_ST || i->op == OP_ATOM || (i->op == OP_RED && i->space == SPACE_GENERIC);
    return generic && p->local_bytes + p->stack_bytes > p->spill_bytes;
}

void access_writes(const struct program *p, const struct inst *i, struct access_list *out)
{
    out->count = 0;
    for (unsigned k = 0; k < 2; k++) add_operand(out, &i->dst[k], ROLE_SOURCE, k);
    if (i->op == OP_STL && access_is_spill(p, i)) add_slot(out, p, i);
    if (writes_local(p, i)) add_access(out, access_local(p), ROLE_SOURCE, 0);
}

void access_reads(const struct program *p, const struct inst *i, struct access_list *out)
{
    out->count = 0;
    for (unsigned k = 0; k < 4; k++) add_operand(out, &i->src[k], ROLE_SOURCE, k);
    if (i->op == OP_LDL && access_is_spill(p, i)) add_slot(out, p, i);
    if (writes_local(p, i) || (i->op == OP_LDL && !access_is_spill(p, i)))
        add_access(out, access_local(p), ROLE_SOURCE, 4);
    if (!isa_keeps_old(i)) return;
    if (i->guard != PRED_TRUE) add_access(out, LOCATION_PREDICATE + i->guard, ROLE_GUARD, 0);
    struct access_list writes;
    access_writes(p, i, &writes);
    for (unsigned k = 0; k < writes.count; k++) add_access(out, writes.at[k].location, ROLE_OLD, 0);
}

bool access_reads_shared(const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED) return true;
    return i->op == OP_LDS;
}

bool access_may_change(const struct inst *i)
{
    bool read_only = i->op == OP_LDC || isa_is_fetch(i->op) || (i->op == OP_LDG && i->flags & INST_NC);
    return access_reads_shared(i) || (isa_has(i, ISA_LOAD) && !read_only && i->op != OP_LDL);
}

bool access_is_full_barrier(const struct inst *i)
{
    // a RISC-V warp command: warps taking part are not known from the instruction
    if (i->op == OP_WARPCMD) return false;
    return isa_has(i, ISA_BARRIER) && i->mode != MODE_BAR_ARRIVE && i->src[1].kind == OPERAND_NONE;
}

bool access_orders_memory(const struct inst *i)
{
    if (isa_has(i, ISA_BARRIER | ISA_FENCE | ISA_CALL)) return true;
    if (i->op == OP_DEPBAR || i->op == OP_UTMACMDWAIT || i->op == OP_SYNCSWAIT || i->op == OP_UCGABAR)
        return true;
    if (isa_has(i, ISA_ATOMIC)) return i->sem == SEM_ACQUIRE || i->sem == SEM_ACQ_REL || i->sem == SEM_SC;
    return isa_has(i, ISA_LOAD) && i->sem != SEM_WEAK;
}
