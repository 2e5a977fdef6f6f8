// Sources of redundancy, and instructions no source can make redundant. Sources (DARSIE section 4.2): block
// indices, dimensions, constants, parameters, shared addresses; threadIdx.x conditionally; extensions enabled
// by settings.
#include "isa/fields.h"
#include "isa/space.h"
#include "isa/sregs.h"
#include "mark/access.h"
#include "mark/claim.h"

static struct claim thread_index(uint8_t condition, bool allowed)
{
    if (!allowed) return claim_vector(CAUSE_THREAD_INDEX);
    return (struct claim){.conditions = condition, .cause = condition ? CAUSE_THREAD_INDEX : CAUSE_NONE};
}

static struct claim special_register(const struct mark_rules *r, enum isa_sreg sreg)
{
    bool tid_y = r->tid_y && !r->paper, laneid = r->laneid && !r->paper;
    switch (sreg) {
    case SREG_TID_X: return thread_index(MARK_IF_TID_X, true);
    case SREG_TID_Y: return thread_index(MARK_IF_TID_Y, tid_y);
    case SREG_TID_Z: return thread_index(MARK_IF_TID_Z, tid_y);
    case SREG_CTAID_X:
    case SREG_CTAID_Y:
    case SREG_CTAID_Z:
    case SREG_CLUSTERID_X:
    case SREG_CLUSTERID_Y:
    case SREG_CLUSTERID_Z:
    case SREG_CLUSTER_CTAID_X:
    case SREG_CLUSTER_CTAID_Y:
    case SREG_CLUSTER_CTAID_Z:
    case SREG_CLUSTER_CTARANK:
    case SREG_SMID: return r->scope == MARK_SCOPE_GRID ? claim_vector(CAUSE_BLOCK) : claim_redundant();
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z:
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z:
    case SREG_NWARPID:
    case SREG_NSMID:
    case SREG_GRIDID:
    case SREG_DYNAMIC_SHARED:
    case SREG_TOTAL_SHARED:
    case SREG_CLOSURE: return claim_redundant();
    case SREG_LANEID:
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_LT:
    case SREG_LANEMASK_GE:
    case SREG_LANEMASK_GT: return thread_index(0, laneid);
    case SREG_WARPID:
    case SREG_HART: return claim_vector(CAUSE_THREAD_INDEX);
    case SREG_CLOCK_LO:
    case SREG_CLOCK_HI:
    case SREG_CLOCK64:
    case SREG_GLOBALTIMER_LO:
    case SREG_GLOBALTIMER_HI:
    case SREG_GLOBALTIMER:
        return claim_rule_is_on(r, SOUND_CLOCK) || r->paper ? claim_vector(CAUSE_SPECIAL) : claim_redundant();
    case SREG_COUNT: break;
    }
    return claim_vector(CAUSE_SPECIAL);
}

// True at grid scope for a load whose value may depend on the block. Shared memory differs between blocks.
// Global memory may differ where blocks communicate by atomics, fences or ordered accesses.
static bool differs_between_blocks(const struct mark_ssa *s, const struct mark_rules *r, const struct inst *i)
{
    if (r->scope != MARK_SCOPE_GRID || !access_may_change(i)) return false;
    return access_reads_shared(i) || s->blocks_talk;
}

struct claim claim_of_inst(const struct mark_ssa *s, const struct mark_rules *r, const struct inst *i)
{
    if (isa_has(i, ISA_SPECIAL_READ)) return special_register(r, (enum isa_sreg)i->src[0].reg);
    if (isa_has(i, ISA_ATOMIC) && claim_rule_is_on(r, SOUND_ATOMIC)) return claim_vector(CAUSE_ATOMIC);
    if (isa_has(i, ISA_ATOMIC)) return claim_redundant();
    if (isa_has(i, ISA_CROSS_LANE) && claim_rule_is_on(r, SOUND_CROSS_LANE))
        return claim_vector(CAUSE_CROSS_LANE);
    if (isa_has(i, ISA_CALL)) return claim_vector(CAUSE_CALL);
    if (isa_has(i, ISA_BARRIER | ISA_SIDE_EFFECT)) return claim_vector(CAUSE_EFFECT);
    if (differs_between_blocks(s, r, i)) return claim_vector(CAUSE_BLOCK);
    if (i->op == OP_ST || (i->op == OP_RED && i->space == SPACE_GENERIC))
        return claim_vector(CAUSE_GENERIC); // the result meant: local memory, possibly changed by the store
    if (!isa_has(i, ISA_LOAD) || i->op == OP_LDL) return claim_redundant();
    if (i->op == OP_LD && claim_rule_is_on(r, SOUND_GENERIC)) return claim_vector(CAUSE_GENERIC);
    if (i->sem != SEM_WEAK && claim_rule_is_on(r, SOUND_ORDERED)) return claim_vector(CAUSE_ORDERED);
    return claim_redundant();
}
