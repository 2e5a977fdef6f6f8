// Thread indices cut out of a larger number by a mask.
//
//     S2R R4, SR_TID.X             S2R R28, SR_HART
//     LOP3.AND R5, R4, 0x1f        MOV R17, c[0x0][0x170]     launch argument (riscv/closure.h) or immediate
//                                  LOP3.AND R17, R28, R17     threadIdx.x where blockDim.x is the mask + 1
//
// The second form is the source of CUDA's indices on SIMTight: 2,048 harts are numbered consecutively, and a
// block has x * y * z of the harts, with powers of two as dimensions.
#include "isa/bank.h"
#include "isa/fields.h"
#include "isa/profile.h"
#include "isa/space.h"
#include "isa/sregs.h"
#include "mark/access.h"
#include "mark/claim.h"

// The instruction defining a source operand, through copies. NULL: no single unguarded instruction defines
// the operand, or the operand has a modifier.
static const struct inst *origin(const struct mark_ssa *s, uint32_t inst, unsigned operand)
{
    for (;;) {
        const struct inst *i = &s->program->insts[inst];
        if (i->src[operand].kind != OPERAND_REG || i->src[operand].flags) return NULL;
        struct access_list list;
        unsigned k = 0;
        access_reads(s->program, i, &list);
        while (k < list.count && (list.at[k].role != ROLE_SOURCE || list.at[k].operand != operand)) k++;
        if (k == list.count) return NULL;
        const struct mark_def *d = &s->defs[s->reads[s->read_first[inst] + k]];
        if (d->kind != DEF_INST) return NULL;
        const struct inst *from = &s->program->insts[d->inst];
        if (from->guard != PRED_TRUE || from->guard_not) return NULL;
        bool copies = from->op == OP_IADD3 && from->src[1].kind == OPERAND_IMM && !from->src[1].value &&
                      from->src[2].kind == OPERAND_REG && from->src[2].reg == REG_ZERO &&
                      !(from->flags & INST_X);
        if (!copies) return from;
        inst = d->inst;
        operand = 0;
    }
}

static bool is_and(const struct inst *i)
{
    return i->op == OP_LOP3 && i->guard == PRED_TRUE && !i->guard_not && i->lut == (0xf0 & 0xcc) &&
           (i->dst[1].kind != OPERAND_PRED || i->dst[1].reg == PRED_TRUE);
}

static bool reads(const struct inst *i, enum isa_sreg sreg)
{
    return i && i->op == OP_S2R && i->src[0].reg == sreg;
}

static bool is_ones(uint32_t mask) { return !(mask & (mask + 1)); } // 2^n - 1

static bool is_tid_modulo(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst)
{
    const struct inst *i = &s->program->insts[inst];
    const struct operand *mask = &i->src[1];
    if (!r->tid_x_mod || r->paper || !is_and(i) || mask->kind != OPERAND_IMM || mask->flags ||
        !is_ones(mask->value) || mask->value >= r->warp_size)
        return false;
    return reads(origin(s, inst, 0), SREG_TID_X);
}

struct hart_mask {
    bool known; // false: the mask is a word of the launch's constant bank
    uint32_t value;
};

static bool mask_of(const struct mark_ssa *s, uint32_t inst, unsigned operand, struct hart_mask *m)
{
    const struct operand *o = &s->program->insts[inst].src[operand];
    if (o->kind == OPERAND_REG) {
        const struct inst *from = origin(s, inst, operand);
        if (!from || from->op != OP_MOV) return false;
        o = &from->src[0];
    }
    if (o->flags) return false;
    *m = (struct hart_mask){.known = o->kind == OPERAND_IMM, .value = o->value};
    return m->known ? is_ones(m->value) : o->kind == OPERAND_CONST && o->bank == BANK_LAUNCH;
}

static bool is_hart_masked(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst,
                           struct hart_mask *m)
{
    if (!r->hart || r->paper || s->program->profile != PROFILE_RISCV || !is_and(&s->program->insts[inst]))
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (reads(origin(s, inst, k), SREG_HART) && mask_of(s, inst, 1 - k, m)) return true;
    return false;
}

bool claim_find_index(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst, struct claim *c)
{
    struct hart_mask m;
    if (is_tid_modulo(s, r, inst)) {
        *c = (struct claim){.conditions = MARK_IF_TID_X_MOD, .cause = CAUSE_THREAD_INDEX};
        return true;
    }
    if (!is_hart_masked(s, r, inst, &m) || (m.known && m.value >= r->warp_size)) return false;
    *c = m.known ? claim_redundant()
                 : (struct claim){.conditions = MARK_IF_TID_X, .cause = CAUSE_THREAD_INDEX};
    return true;
}

bool claim_index_pattern(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst,
                         struct mark_pattern *p)
{
    struct hart_mask m;
    *p = (struct mark_pattern){.known = true, .class = MARK_UNSTRUCTURED};
    if (is_tid_modulo(s, r, inst)) return true;
    if (!is_hart_masked(s, r, inst, &m)) return false;
    bool by_lane = m.known && m.value >= r->warp_size - 1; // the index runs over a whole warp
    p->class = MARK_AFFINE;
    p->basis = by_lane ? MARK_BASIS_LANE : MARK_BASIS_TID_X;
    p->base_known = !m.known || m.value < r->warp_size;
    p->stride_known = true;
    p->stride = 1;
    return true;
}
