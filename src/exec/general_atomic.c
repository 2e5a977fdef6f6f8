// Atomics and reductions: lanes in ascending order, each one whole before the next.
#include "exec/exec_impl.h"
#include "exec/lane.h"
#include "exec/race.h"
#include "exec/softfloat.h"

#include <string.h>

static uint64_t add_float(const struct float_format *f, bool ftz, uint64_t a, uint64_t b)
{
    if (ftz) {
        a = float_flush(f, a);
        b = float_flush(f, b);
    }
    uint64_t sum = float_add(f, a, b, ROUND_RN);
    return ftz ? float_flush(f, sum) : sum;
}

static uint64_t add(enum isa_type type, bool ftz, uint64_t a, uint64_t b)
{
    switch ((int)type) {
    case TYPE_F32: return add_float(&float_f32, ftz, a, b);
    case TYPE_F64:
        if (float_nan_f64(a, b, 0)) return float_nan_f64(a, b, 0);
        a = add_float(&float_f64, false, a, b);
        return float_is_nan(&float_f64, a) ? 0xfff8000000000000ull : a;
    case TYPE_F16: return add_float(&float_f16, ftz, a & 0xffff, b & 0xffff);
    case TYPE_BF16: return add_float(&float_bf16, ftz, a & 0xffff, b & 0xffff);
    case TYPE_F16X2:
    case TYPE_BF16X2: {
        const struct float_format *f = type == TYPE_F16X2 ? &float_f16 : &float_bf16;
        uint64_t low = add_float(f, ftz, a & 0xffff, b & 0xffff);
        return low | add_float(f, ftz, a >> 16 & 0xffff, b >> 16 & 0xffff) << 16;
    }
    }
    return a + b;
}

static bool less(enum isa_type type, uint64_t a, uint64_t b)
{
    switch ((int)type) {
    case TYPE_S32: return (int32_t)a < (int32_t)b;
    case TYPE_S64: return (int64_t)a < (int64_t)b;
    case TYPE_U64:
    case TYPE_B64: return a < b;
    }
    return (uint32_t)a < (uint32_t)b;
}

uint64_t lane_atomic(enum isa_mode mode, enum isa_type type, bool ftz, uint64_t old, uint64_t b, uint64_t c)
{
    switch ((int)mode) {
    case MODE_ATOM_ADD: return add(type, ftz, old, b);
    case MODE_ATOM_MIN: return less(type, b, old) ? b : old;
    case MODE_ATOM_MAX: return less(type, old, b) ? b : old;
    case MODE_ATOM_AND: return old & b;
    case MODE_ATOM_OR: return old | b;
    case MODE_ATOM_XOR: return old ^ b;
    case MODE_ATOM_INC: return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case MODE_ATOM_DEC: return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
    case MODE_ATOM_CAS: return old == b ? c : old;
    }
    return b; // EXCH
}

void exec_atomic_operand(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                         unsigned lane, unsigned bytes, uint32_t value[4])
{
    memset(value, 0, 16);
    if (bound_inst(d, w)->src[k].kind == OPERAND_NONE) return;
    for (unsigned n = 0; n < (bytes + 3) / 4; n++) value[n] = exec_lane_word(d, w, regs, k, n, lane);
    if (bytes == 2) value[0] &= 0xffff;
}

static uint64_t low64(const uint32_t value[4]) { return (uint64_t)value[1] << 32 | value[0]; }

// The new value of one lane's location; 16-byte types know exchange and compare alone. "Current
// implementation of atom.add.f32 on global memory flushes subnormal inputs and results to sign-preserving
// zero; whereas atom.add.f32 on shared memory supports subnormal inputs and results" (PTX ISA 9.7.13.5).
void exec_atomic_apply(const struct inst *i, enum isa_space where, unsigned bytes, const uint32_t old[4],
                       const uint32_t b[4], const uint32_t c[4], uint32_t fresh[4])
{
    if (bytes == 16) {
        bool cas = i->mode == MODE_ATOM_CAS;
        memcpy(fresh, !cas ? b : memcmp(old, b, 16) == 0 ? c : old, 16);
        return;
    }
    bool ftz = i->type == TYPE_F32 && where == SPACE_GLOBAL;
    uint64_t x =
        lane_atomic((enum isa_mode)i->mode, (enum isa_type)i->type, ftz, low64(old), low64(b), low64(c));
    fresh[0] = (uint32_t)x;
    fresh[1] = (uint32_t)(x >> 32);
}

const struct bound *exec_atomic(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    enum isa_space space = exec_space_of(i);
    unsigned bytes = isa_type_bytes((enum isa_type)i->type);
    uint32_t out[4][LANES_MAX];
    w->counts.atomics++;
    race_instruction(w);
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint64_t address = exec_lane_address(d, w, regs, 0, l);
        struct lane_access a;
        enum launch_fault_kind kind;
        if (!exec_resolve(w, l, space, address, bytes, &a, &kind) &&
            !exec_tolerates(w, d, kind, l, &a, bytes, true))
            return exec_fault_address(w, d, kind, l, a.space, a.address, bytes, true);
        uint32_t old[4] = {0}, b[4], c[4], fresh[4] = {0};
        exec_read(w, &a, bytes, old);
        exec_atomic_operand(d, w, regs, 1, l, bytes, b);
        exec_atomic_operand(d, w, regs, 2, l, bytes, c);
        exec_atomic_apply(i, a.space, bytes, old, b, c, fresh);
        race_lane(w, d, l, &a, bytes, RACE_ATOMIC, fresh);
        exec_write_bytes(w, &a, bytes, fresh);
        for (unsigned n = 0; n < 4; n++) out[n][l] = old[n];
    }
    for (unsigned n = 0; n < w->exec->general[d->index].dst_words; n++)
        exec_write(reg_lanes(regs, d->dst + n * w->exec->vector_bytes), out[n], active, w);
    return d + 1;
}
