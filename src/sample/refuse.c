#include "sample/refuse.h"
#include "isa/fields.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"

#include <stdbool.h>
#include <stddef.h>

// Whether the access may go to global memory: LDG and the like, and generic accesses.
static bool may_be_global(const struct inst *i)
{
    unsigned space = isa_space_of(i);
    return space == SPACE_GENERIC || space == SPACE_GLOBAL;
}

static bool is_ordered_load(const struct inst *i)
{
    return isa_has(i, ISA_LOAD) && !isa_has(i, ISA_ATOMIC) && i->sem != SEM_WEAK && may_be_global(i);
}

static bool is_atomic_with_result(const struct inst *i)
{
    bool has_result = i->dst[0].kind == OPERAND_REG && i->dst[0].reg != REG_ZERO;
    return isa_has(i, ISA_ATOMIC) && has_result && may_be_global(i);
}

// A lock or a flag is taken by exchange or compare-and-swap.
static bool is_lock(const struct inst *i)
{
    return is_atomic_with_result(i) && (i->mode == MODE_ATOM_CAS || i->mode == MODE_ATOM_EXCH);
}

const char *sample_refuses_launches(const struct program *p)
{
    for (uint32_t k = 0; k < p->inst_count; k++) {
        if (is_ordered_load(&p->insts[k]))
            return "a volatile or ordered load may wait for a block that runs beside";
        if (is_lock(&p->insts[k]))
            return "an exchange or compare-and-swap may wait for a block that runs beside";
    }
    return NULL;
}

const char *sample_refuses_blocks(const struct program *p)
{
    for (uint32_t k = 0; k < p->inst_count; k++)
        if (is_atomic_with_result(&p->insts[k])) return "atomics with results may hand out the work";
    return sample_refuses_launches(p);
}
