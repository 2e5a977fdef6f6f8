// mbarriers (PTX ISA 9.7.13.15), a thread at a time. Layout: bit 0 the phase's parity, from bit 1 the expected count,
// from bit 32 the missing arrivals. Asynchronous copies land at once, so their arrivals are made at once.
#include "oracle/oracle_impl.h"

#include <string.h>

static uint64_t make(uint64_t parity, uint64_t expected, uint64_t missing)
{
    return parity | (expected & 0xfffff) << 1 | (missing & 0xfffff) << 32;
}

static void arrive(uint8_t *at, uint64_t count, uint64_t dropped)
{
    uint64_t x;
    memcpy(&x, at, 8);
    uint64_t expected = (x >> 1 & 0xfffff) - dropped, missing = (x >> 32) - count;
    x = missing ? make(x & 1, expected, missing) : make(!(x & 1), expected, expected);
    memcpy(at, &x, 8);
}

enum oracle_step oracle_mbarrier(struct oracle_thread *t, const struct ptx_inst *i)
{
    bool has_state = i->mode == PTX_MODE_MBARRIER_ARRIVE || i->mode == PTX_MODE_MBARRIER_DROP ||
                     i->mode == PTX_MODE_MBARRIER_TEST;
    if (i->mode == PTX_MODE_MBARRIER_COUNT) {
        oracle_write(t, &i->operands[0], PTX_B32, oracle_read(t, &i->operands[1], PTX_B64) >> 32);
        return STEP_NEXT;
    }
    enum ptx_space space = i->space;
    uint64_t address = oracle_memory_address(t, &i->operands[has_state], &space), x = 0, count = 1;
    bool stores = i->mode == PTX_MODE_MBARRIER_INIT || i->mode == PTX_MODE_MBARRIER_INVAL;
    unsigned access = stores ? ACCESS_WRITE : ACCESS_ATOMIC + PTX_ATOM_ADD * PTX_TYPE_COUNT + PTX_B64;
    uint8_t *at = oracle_host(t, space, address, 8, access);
    if (!at) return STEP_FAULT;
    memcpy(&x, at, 8);
    if (i->mode == PTX_MODE_MBARRIER_TEST) {
        uint64_t asked =
            oracle_read(t, &i->operands[2], i->phase == PTX_PHASE_PARITY ? PTX_U32 : PTX_B64) & 1;
        oracle_write(t, &i->operands[0], PTX_PRED, (x & 1) != asked);
        return (x & 1) != asked ? STEP_NEXT : STEP_YIELD; // other threads have to arrive first
    }
    if (i->operand_count > 1u + has_state) count = oracle_read(t, &i->operands[1 + has_state], PTX_U32);
    if (stores) {
        x = i->mode == PTX_MODE_MBARRIER_INIT ? make(0, count, count) : 0;
        memcpy(at, &x, 8);
        return STEP_NEXT;
    }
    if (i->operands[0].kind == PTX_OPERAND_REG) oracle_write(t, &i->operands[0], PTX_B64, x);
    arrive(at, count, i->mode == PTX_MODE_MBARRIER_DROP ? count : 0);
    return STEP_NEXT;
}

enum oracle_step oracle_copy_arrive(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_space space = i->space;
    uint64_t address = oracle_memory_address(t, &i->operands[0], &space);
    uint8_t *at = oracle_host(t, space, address, 8, ACCESS_ATOMIC + PTX_ATOM_ADD * PTX_TYPE_COUNT + PTX_B64);
    if (!at) return STEP_FAULT;
    if (i->phase == PTX_PHASE_NOINC) arrive(at, 1, 0); // without .noinc: one more expected, one arrives
    return STEP_NEXT;
}
