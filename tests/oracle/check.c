// Strict launches: a program whose result PTX leaves open faults instead of giving one of the possible
// results.
//
// Found here: reading a register, the carry flag, local or shared memory that was never written; two threads
// touching one byte without a barrier between them when one of them writes (atomics of one operation
// excepted, as long as nobody looks at what they return); a lane exchange with a lane that does not take
// part. An `ordered` launch takes any strong access for one that orders what comes before and behind it, as
// barriers do; whether that was so is seen by other schedules. Differences between two executions of a
// program that passes are somebody's error, which is what shrinking a failing program relies on.
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

// Whether the access of `other` in `epoch` is ordered before what thread `me` does now.
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

// Atomics, and loads and stores that are more than weak: by these threads may wait for each other.
static bool is_strong(struct oracle_thread *t)
{
    const struct ptx_inst *i = &top(t)->f->insts[top(t)->pc];
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
