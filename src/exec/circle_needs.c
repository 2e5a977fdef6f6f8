// The registers and predicates that decide the effects of a set of instructions. The result is the least set
// with the sources and guards of two kinds of instruction: of all but pure computations and NANOSLEEP, and of
// pure computations of a value in the set. The order of instructions is ignored, so the set may be larger
// than necessary.
#include "base/bits.h"
#include "exec/circle.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/sregs.h"

#include <string.h>

static bool has_bit(const uint64_t *set, unsigned bit) { return set[bit / 64] >> bit % 64 & 1; }

static bool has_register(const struct circle_needs *n, const struct operand *o)
{
    unsigned width = operand_words(o);
    for (unsigned k = 0; k < width; k++)
        if (o->reg != REG_ZERO && has_bit(n->registers, o->reg + k)) return true;
    return false;
}

static bool writes_needed(const struct circle_needs *n, const struct inst *i)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct operand *o = &i->dst[k];
        if (o->kind == OPERAND_REG && has_register(n, o)) return true;
        if (o->kind == OPERAND_PRED && o->reg != PRED_TRUE && n->predicates >> o->reg & 1) return true;
    }
    return false;
}

static bool reads_shared(const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED) return true;
    return false;
}

static bool is_needed(const struct circle_needs *n, const struct inst *i)
{
    if (i->op == OP_NANOSLEEP) return false; // time alone
    bool is_value = isa_has(i, ISA_PURE | ISA_SPECIAL_READ) && !reads_shared(i);
    return !is_value || writes_needed(n, i);
}

// Adds `width` registers from `first` on to the needed registers; true when any was not yet in the set.
static bool add_registers(struct circle_needs *n, unsigned first, unsigned width)
{
    bool is_new = false;
    for (unsigned r = first; first != REG_ZERO && r < first + (width ? width : 1); r++) {
        is_new |= !has_bit(n->registers, r);
        n->registers[r / 64] |= 1ull << r % 64;
    }
    return is_new;
}

static bool add_predicate(struct circle_needs *n, unsigned p)
{
    bool is_new = p != PRED_TRUE && !(n->predicates >> p & 1);
    if (p != PRED_TRUE) n->predicates |= 1u << p;
    return is_new;
}

static bool add_sources(struct circle_needs *n, const struct inst *i)
{
    bool is_new = add_predicate(n, i->guard);
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        switch ((enum operand_kind)o->kind) {
        case OPERAND_REG:
        case OPERAND_MEM:
        case OPERAND_SHARED: is_new |= add_registers(n, o->reg, o->width); break;
        case OPERAND_PRED: is_new |= add_predicate(n, o->reg); break;
        case OPERAND_NONE:
        case OPERAND_IMM:
        case OPERAND_CONST:
        case OPERAND_SREG: break;
        }
    }
    return is_new;
}

static bool reads_time(const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SREG && i->src[k].reg >= SREG_CLOCK_LO &&
            i->src[k].reg <= SREG_GLOBALTIMER)
            return true;
    return false;
}

void circle_needs_make(struct circle_needs *n, const struct program *p, const uint64_t *executed)
{
    bool is_new = true;
    memset(n, 0, sizeof *n);
    while (is_new) {
        is_new = false;
        for (uint32_t word = 0; word <= p->inst_count / 64; word++)
            for (uint64_t left = executed[word]; left; left &= left - 1) {
                const struct inst *i = &p->insts[word * 64 + bit_lowest(left)];
                if (!is_needed(n, i)) continue;
                is_new |= add_sources(n, i);
                n->time |= reads_time(i);
            }
    }
}
