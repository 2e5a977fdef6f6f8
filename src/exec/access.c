// Memory addresses of the lanes of an instruction, found before the instruction executes.
#include "exec/access.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/timed.h"
#include "isa/fields.h"

#include <string.h>

// Returns 1 + the index of the source with the memory address; of two addresses, the global one; 0: none. The
// "address" of a texture fetch is the handle. Profile ptxplus: arithmetic may have a source in shared memory.
uint8_t exec_address_operand(const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED) return (uint8_t)(k + 1);
    if (!isa_has(i, ISA_LOAD | ISA_STORE)) return 0;
    return i->op == OP_LDGSTS ? 2 : 1;
}

// The plain form of struct lane_loops, the reference of the forms in fast/addresses.c.
static enum access_pattern addresses_of(const uint8_t *low, const uint8_t *high, uint64_t offset,
                                        unsigned bytes, uint64_t *to, unsigned lanes)
{
    bool is_row = true, is_same = true;
    for (unsigned l = 0; l < lanes; l++) {
        uint32_t lower, upper = 0;
        memcpy(&lower, low + 4 * l, 4);
        if (high) memcpy(&upper, high + 4 * l, 4);
        to[l] = high ? ((uint64_t)upper << 32 | lower) + offset : (uint32_t)(lower + (uint32_t)offset);
        is_row &= to[l] - to[0] == (uint64_t)l * bytes;
        is_same &= to[l] == to[0];
    }
    return is_row ? PATTERN_ROW : is_same ? PATTERN_SAME : PATTERN_APART;
}

static bool distances_are(const uint64_t *address, const uint32_t *distance, unsigned lanes)
{
    for (unsigned l = 0; l < lanes; l++)
        if ((uint32_t)(address[l] - address[0]) != distance[l]) return false;
    return true;
}

#define LOOPS(lanes)                                                                                         \
    static enum access_pattern addresses_##lanes(const uint8_t *low, const uint8_t *high, uint64_t offset,   \
                                                 unsigned bytes, uint64_t *to)                               \
    {                                                                                                        \
        return addresses_of(low, high, offset, bytes, to, lanes);                                            \
    }                                                                                                        \
    static bool have_distances_##lanes(const uint64_t *address, const uint32_t *distance)                    \
    {                                                                                                        \
        return distances_are(address, distance, lanes);                                                      \
    }
LOOPS(32)
LOOPS(64)
#define GUARD                                                                                                \
    {                                                                                                        \
        exec_guard_full, exec_guard_masked                                                                   \
    }
const struct lane_loops exec_general_loops[2] = {{addresses_32, have_distances_32, GUARD},
                                                 {addresses_64, have_distances_64, GUARD}};

enum access_pattern exec_lane_addresses(const struct warp *w, const struct operand *o, uint32_t source,
                                        unsigned bytes, uint64_t *to)
{
    const struct exec *e = w->exec;
    const uint8_t *low = w->regs + source, *high = o->width == 2 ? low + e->vector_bytes : NULL;
    return e->loops->addresses(low, high, (uint64_t)(int64_t)(int32_t)o->value, bytes, to);
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

static bool is_of_all(const struct exec_access *a, unsigned lanes)
{
    bool in_one_space = (!a->shared || a->shared == a->mask) && (!a->local || a->local == a->mask);
    return a->mask == bit_mask(lanes) && in_one_space;
}

bool exec_access_was_row(const struct exec_access *a, unsigned lanes)
{
    return a->pattern == PATTERN_ROW && is_of_all(a, lanes);
}

bool exec_access_is_row(const struct exec_access *a, unsigned lanes)
{
    if (!is_of_all(a, lanes)) return false;
    for (unsigned l = 0; l < lanes; l += 32)
        if (a->address[l] - a->address[0] != (uint64_t)l * a->bytes || !are_steps(a->address + l, a->bytes))
            return false;
    return true;
}

// Finds the lanes of a generic access with addresses in the windows of shared and local memory. Turns these
// lanes' addresses into offsets in the window.
void timed_divide_generic(const struct launch *launch, struct exec_access *a)
{
    for (uint64_t left = a->mask; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        enum isa_space space = exec_space_at(launch, &a->address[l]);
        if (space != SPACE_GLOBAL) *(space == SPACE_LOCAL ? &a->local : &a->shared) |= 1ull << l;
    }
}

static enum access_kind kind_of(const struct inst *i)
{
    if (isa_is_fetch(i->op)) return ACCESS_TEXTURE;
    if (isa_has(i, ISA_ATOMIC)) return isa_has(i, ISA_LOAD) ? ACCESS_ATOMIC : ACCESS_REDUCE;
    if (isa_has(i, ISA_LOAD)) return ACCESS_LOAD;
    return isa_has(i, ISA_STORE) ? ACCESS_STORE : ACCESS_NONE;
}

void timed_plan_access(struct access_plan *p, const struct inst *i)
{
    unsigned k = exec_address_operand(i) - 1u;
    bool in_arithmetic = i->src[k].kind == OPERAND_SHARED;
    p->kind = (uint8_t)(in_arithmetic ? ACCESS_LOAD : kind_of(i));
    p->bytes = in_arithmetic || isa_is_fetch(i->op) ? 4 : (uint8_t)isa_type_bytes((enum isa_type)i->type);
    p->space = (uint8_t)(in_arithmetic ? SPACE_SHARED : isa_space_of(i));
    p->source = (uint8_t)k;
    p->is_wide = i->src[k].width == 2;
    p->is_constant = i->op == OP_LDC;
    p->is_copy = i->op == OP_LDGSTS;
    p->offset = (uint64_t)(int64_t)(int32_t)i->src[k].value;
}

void exec_find_access(const struct warp *w, const struct bound *d, struct exec_access *a)
{
    struct access_plan p;
    timed_plan_access(&p, bound_inst(d, w));
    timed_find_access(w, d, &p, a);
}
