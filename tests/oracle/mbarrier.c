// mbarriers (PTX ISA 9.7.13.15), a thread at a time. Layout: bit 0 the phase's parity, from bit 1 the expected count,
// from bit 21 the missing arrivals, from bit 41 the missing bytes. Asynchronous copies land at once, so their arrivals are made
// at once.
#include "oracle/oracle_impl.h"

#include <string.h>

struct barrier {
    uint64_t parity, expected, missing, bytes;
};

static struct barrier load(const uint8_t *at)
{
    uint64_t x;
    memcpy(&x, at, 8);
    return (struct barrier){x & 1, x >> 1 & 0xfffff, x >> 21 & 0xfffff, x >> 41 & 0x1fffff};
}

static uint64_t store(uint8_t *at, const struct barrier *b)
{
    uint64_t x = (b->parity & 1) | (b->expected & 0xfffff) << 1 | (b->missing & 0xfffff) << 21 |
                 (b->bytes & 0x1fffff) << 41;
    if (at) memcpy(at, &x, 8);
    return x;
}

static void change(uint8_t *at, uint64_t count, uint64_t dropped, uint64_t bytes)
{
    struct barrier b = load(at);
    b.expected -= dropped;
    b.missing -= count;
    b.bytes += bytes;
    if (!(b.missing & 0xfffff) && !(b.bytes & 0x1fffff)) {
        b.parity ^= 1;
        b.missing = b.expected;
    }
    store(at, &b);
}

static enum oracle_step wait(struct oracle_thread *t, const struct ptx_inst *i, const uint8_t *at)
{
    uint64_t asked = oracle_read(t, &i->operands[2], i->phase == PTX_PHASE_PARITY ? PTX_U32 : PTX_B64) & 1;
    bool is_over = load(at).parity != asked;
    oracle_write(t, &i->operands[0], PTX_PRED, is_over);
    return is_over ? STEP_NEXT : STEP_YIELD; // other threads have to arrive first
}

enum oracle_step oracle_mbarrier(struct oracle_thread *t, const struct ptx_inst *i)
{
    bool drops = i->mode == PTX_MODE_MBARRIER_DROP, arrives = drops || i->mode == PTX_MODE_MBARRIER_ARRIVE,
         waits = i->mode == PTX_MODE_MBARRIER_TEST || i->mode == PTX_MODE_MBARRIER_TRY,
         has_state = arrives || waits;
    if (i->mode == PTX_MODE_MBARRIER_COUNT) {
        oracle_write(t, &i->operands[0], PTX_B32, oracle_read(t, &i->operands[1], PTX_B64) >> 21 & 0xfffff);
        return STEP_NEXT;
    }
    enum ptx_space space = i->space;
    uint64_t address = oracle_memory_address(t, &i->operands[has_state], &space), count = 1;
    bool stores = i->mode == PTX_MODE_MBARRIER_INIT || i->mode == PTX_MODE_MBARRIER_INVAL;
    unsigned access = stores ? ACCESS_WRITE : ACCESS_ATOMIC + PTX_ATOM_ADD * PTX_TYPE_COUNT + PTX_B64;
    uint8_t *at = oracle_host(t, space, address, 8, access);
    if (!at) return STEP_FAULT;
    if (waits) return wait(t, i, at);
    if (i->operand_count > 1u + has_state) count = oracle_read(t, &i->operands[1 + has_state], PTX_U32);
    if (stores) {
        bool starts = i->mode == PTX_MODE_MBARRIER_INIT;
        store(at, &(struct barrier){0, starts ? count : 0, starts ? count : 0, 0});
    } else if (!arrives) {
        change(at, 0, 0, i->mode == PTX_MODE_MBARRIER_EXPECT ? count : -count);
    } else {
        bool expects = i->phase == PTX_PHASE_EXPECT;
        uint64_t arrivals = expects ? 1 : count;
        struct barrier before = load(at);
        if (i->operands[0].kind == PTX_OPERAND_REG)
            oracle_write(t, &i->operands[0], PTX_B64, store(NULL, &before));
        change(at, arrivals, drops ? arrivals : 0, expects ? count : 0);
    }
    return STEP_NEXT;
}

enum oracle_step oracle_copy_arrive(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_space space = i->space;
    uint64_t address = oracle_memory_address(t, &i->operands[0], &space);
    uint8_t *at = oracle_host(t, space, address, 8, ACCESS_ATOMIC + PTX_ATOM_ADD * PTX_TYPE_COUNT + PTX_B64);
    if (!at) return STEP_FAULT;
    if (i->phase == PTX_PHASE_NOINC) change(at, 1, 0, 0); // without .noinc: one more expected, one arrives
    return STEP_NEXT;
}
