// Memory addresses of the lanes of an instruction, found before the instruction executes.
#include "exec/access.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "isa/fields.h"

// Returns 1 + the index of the source with the memory address; of two addresses, the global one; 0: none. The
// "address" of a texture fetch is the handle. Profile ptxplus: arithmetic may have a source in shared memory.
uint8_t exec_address_operand(const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED) return (uint8_t)(k + 1);
    if (!isa_has(i, ISA_LOAD | ISA_STORE)) return 0;
    return i->op == OP_LDGSTS ? 2 : 1;
}

// Addresses of 32 lanes: a 32-bit address register plus `offset`, modulo 2^32. The lane count is constant, so
// the compiler vectorises.
static void short_addresses(uint64_t *restrict to, const uint32_t *restrict low, uint64_t offset)
{
    for (unsigned l = 0; l < 32; l++) to[l] = (uint32_t)(low[l] + (uint32_t)offset);
}

static void long_addresses(uint64_t *restrict to, const uint32_t *restrict low, const uint32_t *restrict high,
                           uint64_t offset)
{
    for (unsigned l = 0; l < 32; l++) to[l] = ((uint64_t)high[l] << 32 | low[l]) + offset;
}

void exec_lane_addresses(const struct warp *w, const struct operand *o, uint32_t source, uint64_t *to)
{
    const struct exec *e = w->exec;
    const uint32_t *low = reg_lanes(w->regs, source), *high = reg_lanes(w->regs, source + e->vector_bytes);
    uint64_t offset = (uint64_t)(int64_t)(int32_t)o->value;
    for (unsigned l = 0; l < e->lanes; l += 32) {
        if (o->width == 2)
            long_addresses(to + l, low + l, high + l, offset);
        else
            short_addresses(to + l, low + l, offset);
    }
}

// True if each of 32 addresses exceeds the address before by `step`. The loop tests 30 differences, an even
// count that the compiler vectorises; the difference of first and last address settles the last step.
static bool are_steps(const uint64_t *restrict at, uint64_t step)
{
    uint64_t off = 0;
    if (at[31] - at[0] != 31 * step) return false;
    for (unsigned l = 0; l < 30; l++) off |= (at[l + 1] - at[l]) ^ step;
    return !off;
}

bool exec_access_is_row(const struct exec_access *a, unsigned lanes)
{
    bool in_one_space = (!a->shared || a->shared == a->mask) && (!a->local || a->local == a->mask);
    if (a->mask != bit_mask(lanes) || !in_one_space) return false;
    for (unsigned l = 0; l < lanes; l += 32)
        if (a->address[l] - a->address[0] != (uint64_t)l * a->bytes || !are_steps(a->address + l, a->bytes))
            return false;
    return true;
}

// Finds the lanes of a generic access with addresses in the windows of shared and local memory. Turns these
// lanes' addresses into offsets in the window.
static void divide_generic(const struct launch *launch, struct exec_access *a)
{
    for (uint64_t left = a->mask; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        enum isa_space space = exec_space_at(launch, &a->address[l]);
        if (space != SPACE_GLOBAL) *(space == SPACE_LOCAL ? &a->local : &a->shared) |= 1ull << l;
    }
}

static enum access_kind kind_of(const struct inst *i)
{
    if (i->op == OP_TEX) return ACCESS_TEXTURE;
    if (isa_has(i, ISA_ATOMIC)) return isa_has(i, ISA_LOAD) ? ACCESS_ATOMIC : ACCESS_REDUCE;
    if (isa_has(i, ISA_LOAD)) return ACCESS_LOAD;
    return isa_has(i, ISA_STORE) ? ACCESS_STORE : ACCESS_NONE;
}

void exec_find_access(const struct warp *w, const struct bound *d, struct exec_access *a)
{
    const struct inst *i = bound_inst(d, w);
    unsigned k = w->exec->address_operand[d->index] - 1u;
    bool in_arithmetic = i->src[k].kind == OPERAND_SHARED;
    enum isa_space space = in_arithmetic ? SPACE_SHARED : isa_space_of(i);
    a->kind = (uint8_t)(in_arithmetic ? ACCESS_LOAD : kind_of(i));
    a->bytes = in_arithmetic || i->op == OP_TEX ? 4 : (uint8_t)isa_type_bytes((enum isa_type)i->type);
    a->mask = exec_guarded(w, d);
    a->shared = space == SPACE_SHARED ? a->mask : 0;
    a->local = space == SPACE_LOCAL ? a->mask : 0;
    // texture.c fills in the addresses at the fetch. An access of no lane has no addresses.
    if (i->op == OP_TEX || !a->mask) return;
    exec_lane_addresses(w, &i->src[k], d->src[k], a->address);
    if (space == SPACE_GENERIC && i->op != OP_LDC && i->op != OP_LDGSTS) divide_generic(w->exec->launch, a);
}
