// Strict launches: a program with a result left open by PTX faults instead of giving one possible result.
//
// Faults: a read of a register, the carry flag, local or shared memory never written before; two threads
// accessing one byte without a barrier between, at least one access a write (atomics of one operation
// excepted, while their results are unused); a lane exchange with a lane outside the exchange. An `ordered`
// launch treats any strong access as ordering the accesses before and behind, like a barrier; whether the
// program really is ordered shows in runs with other schedules. If a program passes, two executions with
// different results prove an error outside the program. Shrinking a failing program relies on this.
#include "oracle/oracle_impl.h"

enum { SEVERAL = UINT32_MAX };

bool oracle_check_register(struct oracle_thread *t, int32_t reg)
{
    if (!t->block->l->strict || top(t)->defined[reg]) return true;
    oracle_fault(t, "%s is read and was never written", top(t)->f->regs[reg].name);
    return false;
}

bool oracle_check_carry(struct oracle_thread *t)
{
    if (!t->block->l->strict || t->carry_defined) return true;
    oracle_fault(t, "the carry flag is read and was never written");
    return false;
}

bool oracle_check_lane(struct oracle_thread *t, bool present)
{
    if (!t->block->l->strict || present) return true;
    oracle_fault(t, "a lane that this lane needs does not take part");
    return false;
}

bool oracle_check_local(struct oracle_thread *t, uint64_t offset, uint64_t size, unsigned access)
{
    if (!t->block->l->strict) return true;
    for (uint64_t k = offset; k < offset + size; k++) {
        if (access == ACCESS_READ && !t->local_defined.data[k]) {
            oracle_fault(t, "local byte %llu is read and was never written", (unsigned long long)k);
            return false;
        }
        if (access != ACCESS_READ) t->local_defined.data[k] = 1;
    }
    return true;
}

static uint32_t thread_number(const struct oracle_thread *t)
{
    const struct oracle_block *b = t->block;
    uint32_t linear = (b->ctaid[2] * b->l->grid[1] + b->ctaid[1]) * b->l->grid[0] + b->ctaid[0];
    return linear * 1024 + t->index + 1;
}

// Whether the access of `other` in `epoch` is ordered before the current access of thread `me`.
static bool ordered(const struct oracle_block *b, uint32_t me, uint32_t other, uint32_t epoch)
{
    if (!other || other == me) return true;
    bool same_block = other != SEVERAL && (other - 1) / 1024 == (me - 1) / 1024;
    return same_block && epoch != b->epoch;
}

static bool races(const struct oracle_block *b, uint32_t me, const struct oracle_cell *c, unsigned access)
{
    bool together = access >= ACCESS_ATOMIC && c->atomic == access;
    if (!together && !ordered(b, me, c->writer, c->write_epoch)) return true;
    if (access == ACCESS_READ) return false;
    return c->reader == SEVERAL ? c->read_epoch == b->epoch : !ordered(b, me, c->reader, c->read_epoch);
}

// Atomics, operations of mbarriers, and loads and stores stronger than .weak: threads may wait for each other by such accesses.
static bool is_strong(struct oracle_thread *t)
{
    const struct ptx_inst *i = &top(t)->f->insts[top(t)->pc];
    bool is_barrier = i->op == PTX_OP_MBARRIER && i->mode >= PTX_MODE_MBARRIER_ARRIVE;
    if (is_barrier || (i->op == PTX_OP_CP && i->mode == PTX_MODE_CP_ARRIVE)) return true;
    return i->op == PTX_OP_ATOM || i->op == PTX_OP_RED || i->sem > PTX_SEM_WEAK;
}

bool oracle_check_access(struct oracle_thread *t, struct oracle_cell *cells, uint64_t size, unsigned access)
{
    struct oracle_block *b = t->block;
    uint32_t me = thread_number(t);
    if (b->l->ordered && is_strong(t)) {
        b->epoch += access != ACCESS_READ;
        for (uint64_t k = 0; k < size; k++) cells[k].defined |= access != ACCESS_READ;
        return true;
    }
    for (uint64_t k = 0; k < size; k++) {
        struct oracle_cell *c = &cells[k];
        if (races(b, me, c, access)) {
            oracle_fault(t, "races with thread %u of block %u", (c->writer - 1) % 1024,
                         (c->writer - 1) / 1024);
            return false;
        }
        if (access == ACCESS_READ) {
            if (!c->defined) {
                oracle_fault(t, "shared memory is read and was never written");
                return false;
            }
            c->reader = c->reader && c->reader != me && c->read_epoch == b->epoch ? SEVERAL : me;
            c->read_epoch = b->epoch;
        } else {
            c->writer = me;
            c->write_epoch = b->epoch;
            c->atomic = access >= ACCESS_ATOMIC ? (uint16_t)access : 0;
            c->defined = true;
        }
    }
    return true;
}
