// mbarriers (PTX ISA 9.7.13.15), barriers and addresses of clusters, stmatrix, setmaxnreg, griddepcontrol: forms of sm_80
// and sm_90. A word that sm_80 lacks needs .target sm_90.
#include "ptx/check.h"
#include "ptx/names.h"

enum { FIRST = 90 };

bool check_target(struct check *c, unsigned first)
{
    if (!c->p->m->target_sm || c->p->m->target_sm >= first) return true;
    return check_says(c, "'%s' needs .target sm_%u or later; the module is for sm_%u", ptx_op_name(c->i->op),
                      first, c->p->m->target_sm);
}

// -- mbarriers ----------------------------------------------------------------------------------------------

static bool arrives(const struct ptx_inst *i)
{
    return i->mode == PTX_MODE_MBARRIER_ARRIVE || i->mode == PTX_MODE_MBARRIER_DROP;
}

static bool waits(const struct ptx_inst *i)
{
    return i->mode == PTX_MODE_MBARRIER_TEST || i->mode == PTX_MODE_MBARRIER_TRY;
}

static bool changes_bytes(const struct ptx_inst *i)
{
    return i->mode == PTX_MODE_MBARRIER_EXPECT || i->mode == PTX_MODE_MBARRIER_COMPLETE;
}

static bool check_phase(struct check *c)
{
    const struct ptx_inst *i = c->i;
    bool is_of_arrival = i->phase == PTX_PHASE_NO_COMPLETE || i->phase == PTX_PHASE_EXPECT;
    bool is_good = i->phase == PTX_PHASE_NONE || (is_of_arrival && arrives(i)) ||
                   (i->phase == PTX_PHASE_PARITY && waits(i));
    return is_good ||
           check_says(c, "'mbarrier': .noComplete goes with .arrive and .arrive_drop, .parity with "
                         ".test_wait and .try_wait");
}

static bool check_mbarrier_order(struct check *c)
{
    const struct ptx_inst *i = c->i;
    enum ptx_sem own = arrives(i) ? PTX_SEM_RELEASE : waits(i) ? PTX_SEM_ACQUIRE : PTX_SEM_RELAXED;
    if (!arrives(i) && !waits(i) && !changes_bytes(i)) {
        if (!(c->given & (F(SEM) | F(SCOPE)))) return true;
        return check_says(
            c, "'mbarrier': a memory order goes with .arrive, .arrive_drop, .test_wait, .try_wait, "
               ".expect_tx and .complete_tx");
    }
    if (i->sem != PTX_SEM_NONE && i->sem != own && i->sem != PTX_SEM_RELAXED)
        return check_says(c, "this 'mbarrier' can be .relaxed%s",
                          arrives(i) ? " or .release"
                          : waits(i) ? " or .acquire"
                                     : "");
    if (i->scope == PTX_SCOPE_GPU || i->scope == PTX_SCOPE_SYS)
        return check_says(c, "the scope of 'mbarrier' is .cta or .cluster");
    return true;
}

// Operations of later targets than sm_80.
static bool is_of_hopper(const struct ptx_inst *i)
{
    return i->mode == PTX_MODE_MBARRIER_TRY || changes_bytes(i) || i->phase == PTX_PHASE_EXPECT ||
           i->of_cluster || i->sem == PTX_SEM_RELAXED || i->scope == PTX_SCOPE_CLUSTER;
}

static bool check_arrival(struct check *c)
{
    struct ptx_inst *i = c->i;
    struct ptx_operand *o = i->operands;
    bool needs_count = i->phase == PTX_PHASE_NO_COMPLETE || i->phase == PTX_PHASE_EXPECT;
    if (!check_count(c, needs_count ? 3 : 2, 3)) return false;
    if (o[0].kind != PTX_OPERAND_SINK && i->of_cluster)
        return check_says(c, "an arrival at .shared::cluster has no state: the first operand is _");
    if (o[0].kind != PTX_OPERAND_SINK && !check_dest(c, &o[0], PTX_B64)) return false;
    return check_mbarrier_place(c, 1) && (i->operand_count < 3 || check_source(c, &o[2], PTX_U32));
}

bool check_mbarrier(struct check *c)
{
    struct ptx_inst *i = c->i;
    struct ptx_operand *o = i->operands;
    bool is_known = i->mode >= PTX_MODE_MBARRIER_INIT && i->mode <= PTX_MODE_MBARRIER_COUNT;
    if (!is_known) return check_says(c, "'mbarrier' has no such operation");
    if (!check_phase(c) || !check_mbarrier_order(c) || (is_of_hopper(i) && !check_target(c, FIRST)))
        return false;
    if (i->of_cluster && !arrives(i) && !changes_bytes(i))
        return check_says(c, "this 'mbarrier' works on a barrier of its own block: .shared::cta");
    if (i->mode == PTX_MODE_MBARRIER_COUNT)
        return check_count(c, 2, 2) && check_dest(c, &o[0], PTX_B32) && check_source(c, &o[1], PTX_B64);
    if (i->mode == PTX_MODE_MBARRIER_INVAL) return check_count(c, 1, 1) && check_mbarrier_place(c, 0);
    if (i->mode == PTX_MODE_MBARRIER_INIT || changes_bytes(i))
        return check_count(c, 2, 2) && check_mbarrier_place(c, 0) && check_source(c, &o[1], PTX_U32);
    if (arrives(i)) return check_arrival(c);
    unsigned most = i->mode == PTX_MODE_MBARRIER_TRY ? 4 : 3;
    return check_count(c, 3, most) && check_dest(c, &o[0], PTX_PRED) && check_mbarrier_place(c, 1) &&
           check_source(c, &o[2], i->phase == PTX_PHASE_PARITY ? PTX_U32 : PTX_B64) &&
           (i->operand_count < 4 || check_source(c, &o[3], PTX_U32));
}

// -- clusters -----------------------------------------------------------------------------------------------

// barrier.cluster.arrive{.release, .relaxed}{.aligned}, barrier.cluster.wait{.acquire}{.aligned}
bool check_cluster_barrier(struct check *c)
{
    const struct ptx_inst *i = c->i;
    bool is_wait = i->mode == PTX_MODE_BAR_WAIT;
    if (i->op != PTX_OP_BARRIER || (!is_wait && i->mode != PTX_MODE_BAR_ARRIVE) || i->type_count)
        return check_says(c, "the barrier of a cluster is 'barrier.cluster' with .arrive or .wait");
    bool is_good = i->sem == PTX_SEM_NONE || i->sem == (is_wait ? PTX_SEM_ACQUIRE : PTX_SEM_RELEASE) ||
                   (!is_wait && i->sem == PTX_SEM_RELAXED);
    if (!is_good)
        return check_says(c, "'barrier.cluster' can be %s",
                          is_wait ? ".wait.acquire" : ".arrive.release or .arrive.relaxed");
    return check_target(c, FIRST) && check_count(c, 0, 0);
}

bool check_of_cluster(struct check *c)
{
    switch ((int)c->i->op) {
    case PTX_OP_LD:
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED:
    case PTX_OP_CP:
    case PTX_OP_ISSPACEP:
    case PTX_OP_CVTA:
    case PTX_OP_FENCE:
    case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK:
    case PTX_OP_MBARRIER:
    case PTX_OP_BARRIER: return check_target(c, FIRST);
    }
    return check_says(c, "'%s' does not go with .%s", ptx_op_name(c->i->op),
                      c->i->space == PTX_SPACE_SHARED ? "shared::cluster" : "cluster");
}

// mapa, getctarank: addresses of shared memory, generic ones without a space.
bool check_cluster_address(struct check *c)
{
    const struct ptx_inst *i = c->i;
    if (i->space != PTX_SPACE_GENERIC && !i->of_cluster)
        return check_says(c, "'%s' has .shared::cluster or no space", ptx_op_name(i->op));
    return check_target(c, FIRST);
}

// -- smaller instructions -----------------------------------------------------------------------------------

bool check_griddepcontrol(struct check *c)
{
    bool is_known = c->i->mode == PTX_MODE_BAR_WAIT || c->i->mode == PTX_MODE_BAR_LAUNCH;
    if (!is_known) return check_says(c, "'griddepcontrol' is .wait or .launch_dependents");
    return check_target(c, FIRST) && check_count(c, 0, 0);
}

bool check_setmaxnreg(struct check *c)
{
    const struct ptx_inst *i = c->i;
    const struct ptx_operand *o = &i->operands[0];
    if (i->atom != PTX_ATOM_INC && i->atom != PTX_ATOM_DEC)
        return check_says(c, "'setmaxnreg' is .inc or .dec");
    if (!check_target(c, FIRST) || !check_count(c, 1, 1) || !check_integer(c, &c->i->operands[0], 24, 256))
        return false;
    return o->imm % 8 == 0 ||
           diag_error(c->p->d, o->loc, "'setmaxnreg' takes a multiple of 8 registers, from 24 to 256");
}
