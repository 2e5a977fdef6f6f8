// Special registers (PTX ISA 10), and the instructions nanosleep, trap and brkpt (PTX ISA 9.7.19).
//
// Dimensions are constants of the launch, in the launch's bank; without clusters, every block is a cluster of its own.
#include "compile/lower/impl.h"
#include "isa/bank.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"
#include "isa/sregs.h"

enum source_kind { FROM_SREG, FROM_SREG64, FROM_BANK, FROM_CONSTANT, FROM_CONSTANT64 };

// Source of a special register: `value` is the first isa_sreg, an offset in BANK_LAUNCH, or a constant.
// Components y and z use the following registers or words.
static const struct sreg_source {
    uint8_t kind;
    uint16_t value;
} sources[PTX_SREG_COUNT] = {
    [PTX_SREG_TID] = {FROM_SREG, SREG_TID_X},
    [PTX_SREG_NTID] = {FROM_BANK, LAUNCH_NTID},
    [PTX_SREG_CTAID] = {FROM_SREG, SREG_CTAID_X},
    [PTX_SREG_NCTAID] = {FROM_BANK, LAUNCH_NCTAID},
    [PTX_SREG_LANEID] = {FROM_SREG, SREG_LANEID},
    [PTX_SREG_WARPID] = {FROM_SREG, SREG_WARPID},
    [PTX_SREG_NWARPID] = {FROM_SREG, SREG_NWARPID},
    [PTX_SREG_SMID] = {FROM_SREG, SREG_SMID},
    [PTX_SREG_NSMID] = {FROM_SREG, SREG_NSMID},
    [PTX_SREG_GRIDID] = {FROM_SREG, SREG_GRIDID},
    [PTX_SREG_LANEMASK_EQ] = {FROM_SREG, SREG_LANEMASK_EQ},
    [PTX_SREG_LANEMASK_LE] = {FROM_SREG, SREG_LANEMASK_LE},
    [PTX_SREG_LANEMASK_LT] = {FROM_SREG, SREG_LANEMASK_LT},
    [PTX_SREG_LANEMASK_GE] = {FROM_SREG, SREG_LANEMASK_GE},
    [PTX_SREG_LANEMASK_GT] = {FROM_SREG, SREG_LANEMASK_GT},
    [PTX_SREG_CLOCK] = {FROM_SREG, SREG_CLOCK_LO},
    [PTX_SREG_CLOCK_HI] = {FROM_SREG, SREG_CLOCK_HI},
    [PTX_SREG_CLOCK64] = {FROM_SREG64, SREG_CLOCK64},
    [PTX_SREG_GLOBALTIMER] = {FROM_SREG64, SREG_GLOBALTIMER},
    [PTX_SREG_GLOBALTIMER_LO] = {FROM_SREG, SREG_GLOBALTIMER_LO},
    [PTX_SREG_GLOBALTIMER_HI] = {FROM_SREG, SREG_GLOBALTIMER_HI},
    [PTX_SREG_DYNAMIC_SMEM_SIZE] = {FROM_BANK, LAUNCH_DYNAMIC_SHARED},
    [PTX_SREG_TOTAL_SMEM_SIZE] = {FROM_SREG, SREG_TOTAL_SHARED},
    [PTX_SREG_AGGR_SMEM_SIZE] = {FROM_SREG, SREG_TOTAL_SHARED},
    [PTX_SREG_PM] = {FROM_CONSTANT, 0},
    [PTX_SREG_PM64] = {FROM_CONSTANT64, 0},
    [PTX_SREG_ENVREG] = {FROM_BANK, LAUNCH_ENVREGS},
    [PTX_SREG_CLUSTERID] = {FROM_SREG, SREG_CLUSTERID_X},
    [PTX_SREG_NCLUSTERID] = {FROM_BANK, LAUNCH_NCLUSTER},
    [PTX_SREG_CLUSTER_CTAID] = {FROM_SREG, SREG_CLUSTER_CTAID_X},
    [PTX_SREG_CLUSTER_NCTAID] = {FROM_BANK, LAUNCH_CLUSTER},
    [PTX_SREG_CLUSTER_CTARANK] = {FROM_SREG, SREG_CLUSTER_CTARANK},
    [PTX_SREG_CLUSTER_NCTARANK] = {FROM_BANK, LAUNCH_CLUSTER_SIZE},
    [PTX_SREG_IS_EXPLICIT_CLUSTER] = {FROM_BANK, LAUNCH_CLUSTERED},
    [PTX_SREG_RESERVED_SMEM] = {FROM_CONSTANT, 0},
    [PTX_SREG_CURRENT_GRAPH_EXEC] = {FROM_CONSTANT64, 0},
};

struct ir_value *lower_sreg(struct lower *l, enum ptx_sreg sreg, unsigned component)
{
    const struct sreg_source *s = &sources[sreg];
    bool is_wide = s->kind == FROM_SREG64, in_bank = s->kind == FROM_BANK;
    struct ir_value *v = NULL;
    switch ((enum source_kind)s->kind) {
    case FROM_CONSTANT: return word(l, s->value);
    case FROM_CONSTANT64: return wide(l, s->value);
    case FROM_SREG:
    case FROM_SREG64:
    case FROM_BANK:
        v = lower_make(l, in_bank ? IR_BANK : IR_SREG, is_wide ? TYPE_U64 : TYPE_U32,
                       is_wide ? IR_CLASS_64 : IR_CLASS_32, 0, NULL);
    }
    v->def->bank = BANK_LAUNCH;
    v->def->offset = s->value + (in_bank ? 4 * component : component);
    if (!in_bank && v->def->offset >= SREG_CLOCK_LO && v->def->offset <= SREG_GLOBALTIMER)
        l->u->unit->program->uses_clock = true;
    if (sreg == PTX_SREG_IS_EXPLICIT_CLUSTER) return lower_compare(l, CMP_NE, TYPE_U32, v, word(l, 0));
    return v;
}

void lower_nanosleep(struct lower *l)
{
    struct ir_value *time = lower_read(l, 0, PTX_U32);
    lower_effect(l, IR_NANOSLEEP, TYPE_NONE, 0, NULL, 1, &time);
}

void lower_trap(struct lower *l)
{
    lower_effect(l, IR_TRAP, TYPE_NONE, 0, NULL, 0, NULL)->mode = MODE_TRAP_ABORT;
}
void lower_brkpt(struct lower *l)
{
    lower_effect(l, IR_TRAP, TYPE_NONE, 0, NULL, 0, NULL)->mode = MODE_TRAP_BREAK;
}
