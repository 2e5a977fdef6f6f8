// Atomics and reductions: lanes execute in ascending order, one after another. Lanes with all locations in
// global, or all in shared memory take the operation's own loop (exec_atomic_sequence), shared with the
// commit of a timed run. All other accesses, any access under the race detector, and types without a loop are
// handled lane by lane.
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/lane.h"
#include "exec/mbarrier.h"
#include "exec/race.h"
#include "exec/softfloat.h"

#include <string.h>

// The host's sum, rounded to nearest as in IEEE 754; NaN as PTX's NaN; ftz: subnormals flushed.
static inline uint32_t add_f32(bool ftz, uint32_t a, uint32_t b)
{
    if (ftz) {
        a = (uint32_t)float_flush(&float_f32, a);
        b = (uint32_t)float_flush(&float_f32, b);
    }
    float sum = f32_from_bits(a) + f32_from_bits(b);
    if (sum != sum) return (uint32_t)float_nan(&float_f32);
    return ftz ? (uint32_t)float_flush(&float_f32, f32_bits(sum)) : f32_bits(sum);
}

static inline uint64_t add_f64(uint64_t a, uint64_t b)
{
    double sum = f64_from_bits(a) + f64_from_bits(b);
    if (sum == sum) return f64_bits(sum);
    uint64_t nan = float_nan_f64(a, b, 0);
    return nan ? nan : 0xfff8000000000000ull;
}

static uint64_t add_half(const struct float_format *f, bool ftz, uint64_t a, uint64_t b)
{
    if (ftz) {
        a = float_flush(f, a);
        b = float_flush(f, b);
    }
    uint64_t sum = float_add(f, a, b, ROUND_RN);
    return ftz ? float_flush(f, sum) : sum;
}

static inline uint64_t add_typed(enum isa_type type, bool ftz, uint64_t a, uint64_t b)
{
    switch ((int)type) {
    case TYPE_F32: return add_f32(ftz, (uint32_t)a, (uint32_t)b);
    case TYPE_F64: return add_f64(a, b);
    case TYPE_F16: return add_half(&float_f16, ftz, a & 0xffff, b & 0xffff);
    case TYPE_BF16: return add_half(&float_bf16, ftz, a & 0xffff, b & 0xffff);
    case TYPE_F16X2:
    case TYPE_BF16X2: {
        const struct float_format *f = type == TYPE_F16X2 ? &float_f16 : &float_bf16;
        uint64_t low = add_half(f, ftz, a & 0xffff, b & 0xffff);
        return low | add_half(f, ftz, a >> 16 & 0xffff, b >> 16 & 0xffff) << 16;
    }
    }
    return a + b;
}

static inline bool less(enum isa_type type, uint64_t a, uint64_t b)
{
    switch ((int)type) {
    case TYPE_S32: return (int32_t)a < (int32_t)b;
    case TYPE_S64: return (int64_t)a < (int64_t)b;
    case TYPE_U64:
    case TYPE_B64: return a < b;
    }
    return (uint32_t)a < (uint32_t)b;
}

// Smaller (is_max: greater) of two f16 or bf16; of a NaN and a number the number, -0 below +0.
static uint16_t extreme_half(bool is_bf16, bool is_max, uint16_t x, uint16_t y)
{
    uint16_t infinity = is_bf16 ? 0x7f80 : 0x7c00;
    bool x_is_nan = (x & 0x7fff) > infinity, y_is_nan = (y & 0x7fff) > infinity;
    if (x_is_nan && y_is_nan) return 0x7fff;
    if (x_is_nan || y_is_nan) return x_is_nan ? y : x;
    int x_key = x >> 15 ? -(x & 0x7fff) - 1 : x, y_key = y >> 15 ? -(y & 0x7fff) - 1 : y;
    return (x_key < y_key) != is_max ? x : y;
}

static inline uint64_t extreme(enum isa_type type, bool is_max, uint64_t old, uint64_t b)
{
    bool is_bf16 = type == TYPE_BF16 || type == TYPE_BF16X2;
    if (type == TYPE_F16 || type == TYPE_BF16)
        return extreme_half(is_bf16, is_max, (uint16_t)old, (uint16_t)b);
    if (type == TYPE_F16X2 || type == TYPE_BF16X2)
        return extreme_half(is_bf16, is_max, (uint16_t)old, (uint16_t)b) |
               (uint64_t)extreme_half(is_bf16, is_max, (uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16;
    return (is_max ? less(type, old, b) : less(type, b, old)) ? b : old;
}

static inline uint64_t changed(enum isa_mode mode, enum isa_type type, bool ftz, uint64_t old, uint64_t b,
                               uint64_t c)
{
    switch ((int)mode) {
    case MODE_ATOM_ADD: return add_typed(type, ftz, old, b);
    case MODE_ATOM_MIN: return extreme(type, false, old, b);
    case MODE_ATOM_MAX: return extreme(type, true, old, b);
    case MODE_ATOM_AND: return old & b;
    case MODE_ATOM_OR: return old | b;
    case MODE_ATOM_XOR: return old ^ b;
    case MODE_ATOM_INC: return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case MODE_ATOM_DEC: return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
    case MODE_ATOM_CAS: return old == b ? c : old;
    case MODE_ATOM_ARRIVE: return mbarrier_arrive(old, b);
    }
    return b; // EXCH
}

uint64_t lane_atomic(enum isa_mode mode, enum isa_type type, bool ftz, uint64_t old, uint64_t b, uint64_t c)
{
    return changed(mode, type, ftz, old, b, c);
}

void exec_atomic_operand(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                         unsigned lane, unsigned bytes, uint32_t value[4])
{
    memset(value, 0, 16);
    if (bound_inst(d, w)->src[k].kind == OPERAND_NONE) return;
    for (unsigned n = 0; n < (bytes + 3) / 4; n++) value[n] = exec_lane_word(d, w, regs, k, n, lane);
    if (bytes == 2) value[0] &= 0xffff;
}

void exec_atomic_operands(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                          unsigned bytes, uint64_t lanes, uint32_t *to)
{
    bool is_register = bound_inst(d, w)->src[k].kind == OPERAND_REG;
    uint64_t constant = is_register ? 0 : w->exec->general[d->index].value[k];
    uint32_t mask = bytes == 2 ? 0xffff : UINT32_MAX;
    unsigned words = (bytes + 3) / 4;
    for (unsigned n = 0; n < words; n++) {
        const uint8_t *from = regs + d->src[k] + n * w->exec->vector_bytes;
        uint32_t *out = to + n, word = n < 2 ? (uint32_t)(constant >> (32 * n)) : 0;
        for (uint64_t left = lanes; left; left &= left - 1, out += words) {
            if (is_register) memcpy(&word, from + 4 * bit_lowest(left), 4);
            *out = word & mask;
        }
    }
}

// -- lanes in order -----------------------------------------------------------------------------------------

// "Current implementation of atom.add.f32 on global memory flushes subnormal inputs and results to
// sign-preserving zero; whereas atom.add.f32 on shared memory supports subnormal inputs and results" (PTX
// ISA 9.7.13.5).
static bool is_flushing(const struct inst *i, enum isa_space where)
{
    return i->type == TYPE_F32 && where == SPACE_GLOBAL;
}

struct sequence {
    unsigned count;
    uint8_t *const *host;
    const uint32_t *b, *c;
    uint32_t *old;
};

// Inlined with the atomic operation as a constant, so that every operation has a loop of its own. words:
// 32-bit words per lane.
static inline __attribute__((always_inline)) bool
run_sequence(const struct sequence *q, unsigned words, enum isa_mode mode, enum isa_type type, bool ftz)
{
    for (unsigned n = 0; n < q->count; n++) {
        uint64_t x = 0, y = 0, z = 0;
        memcpy(&x, q->host[n], 4 * words);
        memcpy(&y, q->b + words * n, 4 * words);
        if (q->c) memcpy(&z, q->c + words * n, 4 * words);
        memcpy(q->old + words * n, &x, 4 * words);
        x = changed(mode, type, ftz, x, y, z);
        memcpy(q->host[n], &x, 4 * words);
    }
    return true;
}

#define EACH_MODE(X)                                                                                         \
    X(ADD)                                                                                                   \
    X(MIN)                                                                                                   \
    X(MAX)                                                                                                   \
    X(AND)                                                                                                   \
    X(OR)                                                                                                    \
    X(XOR)                                                                                                   \
    X(INC)                                                                                                   \
    X(DEC)                                                                                                   \
    X(CAS)                                                                                                   \
    X(ARRIVE)                                                                                                \
    X(EXCH)

static bool sequence_u32(const struct inst *i, const struct sequence *q)
{
    switch ((int)i->mode) {
#define X(name)                                                                                              \
    case MODE_ATOM_##name: return run_sequence(q, 1, MODE_ATOM_##name, TYPE_U32, false);
        EACH_MODE(X)
#undef X
    }
    return false;
}

static bool sequence_u64(const struct inst *i, const struct sequence *q)
{
    switch ((int)i->mode) {
#define X(name)                                                                                              \
    case MODE_ATOM_##name: return run_sequence(q, 2, MODE_ATOM_##name, TYPE_U64, false);
        EACH_MODE(X)
#undef X
    }
    return false;
}

// Signedness matters to min and max only.
static bool sequence_signed(const struct inst *i, const struct sequence *q)
{
    bool wide = i->type == TYPE_S64;
    if (i->mode == MODE_ATOM_MIN && !wide) return run_sequence(q, 1, MODE_ATOM_MIN, TYPE_S32, false);
    if (i->mode == MODE_ATOM_MAX && !wide) return run_sequence(q, 1, MODE_ATOM_MAX, TYPE_S32, false);
    if (i->mode == MODE_ATOM_MIN) return run_sequence(q, 2, MODE_ATOM_MIN, TYPE_S64, false);
    if (i->mode == MODE_ATOM_MAX) return run_sequence(q, 2, MODE_ATOM_MAX, TYPE_S64, false);
    return wide ? sequence_u64(i, q) : sequence_u32(i, q);
}

static bool sequence_f32(const struct inst *i, bool ftz, const struct sequence *q)
{
    if (i->mode != MODE_ATOM_ADD) return sequence_u32(i, q);
    if (ftz) return run_sequence(q, 1, MODE_ATOM_ADD, TYPE_F32, true);
    return run_sequence(q, 1, MODE_ATOM_ADD, TYPE_F32, false);
}

static bool sequence_f64(const struct inst *i, const struct sequence *q)
{
    if (i->mode != MODE_ATOM_ADD) return sequence_u64(i, q);
    return run_sequence(q, 2, MODE_ATOM_ADD, TYPE_F64, false);
}

bool exec_atomic_sequence(const struct inst *i, enum isa_space where, unsigned count, uint8_t *const *host,
                          const uint32_t *b, const uint32_t *c, uint32_t *old)
{
    const struct sequence q = {count, host, b, c, old};
    switch ((int)i->type) {
    case TYPE_U32:
    case TYPE_B32: return sequence_u32(i, &q);
    case TYPE_U64:
    case TYPE_B64: return sequence_u64(i, &q);
    case TYPE_S32:
    case TYPE_S64: return sequence_signed(i, &q);
    case TYPE_F32: return sequence_f32(i, is_flushing(i, where), &q);
    case TYPE_F64: return sequence_f64(i, &q);
    }
    return false;
}

static uint64_t low64(const uint32_t value[4]) { return (uint64_t)value[1] << 32 | value[0]; }

// The new value of one lane's location; 16-byte types support exchange and compare-and-swap only.
void exec_atomic_apply(const struct inst *i, enum isa_space where, unsigned bytes, const uint32_t old[4],
                       const uint32_t b[4], const uint32_t c[4], uint32_t fresh[4])
{
    if (bytes == 16) {
        bool cas = i->mode == MODE_ATOM_CAS;
        memcpy(fresh, !cas ? b : memcmp(old, b, 16) == 0 ? c : old, 16);
        return;
    }
    uint64_t x = lane_atomic((enum isa_mode)i->mode, (enum isa_type)i->type, is_flushing(i, where),
                             low64(old), low64(b), low64(c));
    fresh[0] = (uint32_t)x;
    fresh[1] = (uint32_t)(x >> 32);
}

static const struct bound *lane_by_lane(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    enum isa_space space = isa_space_of(i);
    unsigned bytes = isa_type_bytes((enum isa_type)i->type);
    uint32_t out[4][LANES_MAX];
    race_instruction(w, d);
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

// Writes the lanes' host addresses to host[], in lane order, their common space to *where, and addresses within to
// address[], by lane. False: a lane's address is misaligned, out of bounds, in a different space, or in neither global nor
// shared memory.
static bool locate(struct warp *w, const struct bound *d, uint64_t active, unsigned bytes,
                   uint8_t *host[LANES_MAX], enum isa_space *where, uint64_t address[LANES_MAX])
{
    const struct inst *i = bound_inst(d, w);
    exec_lane_addresses(w, &i->src[0], d->src[0], 0, address);
    uint64_t first = address[bit_lowest(active)];
    *where = isa_space_of(i);
    uint64_t window = 0;
    if (*where == SPACE_GENERIC) {
        uint64_t offset = first;
        *where = exec_space_at(w->exec->launch, &offset);
        window = first - offset;
    }
    if (*where != SPACE_SHARED && *where != SPACE_GLOBAL) return false;
    uint64_t last = 0;
    for (uint8_t **to = host; active; active &= active - 1, to++) {
        uint64_t at = address[bit_lowest(active)] -= window;
        if (to > host && at == last) { // lanes often meet in a word
            *to = to[-1];
            continue;
        }
        last = at;
        if (at & (bytes - 1)) return false;
        if (*where == SPACE_GLOBAL)
            *to = exec_global_near(w->exec, at, bytes);
        else
            *to = exec_shared_holds(w, at, bytes) ? w->shared + at : NULL;
        if (!*to) return false;
    }
    return true;
}

// Without the race detector: true. Else false: the detector wants the lanes one by one.
static bool is_recorded(struct warp *w, const struct bound *d, uint64_t active, unsigned bytes,
                        enum isa_space where, const uint64_t *address)
{
    if (!w->exec->races) return true;
    bool is_exchange = bound_inst(d, w)->mode == MODE_ATOM_EXCH;
    const struct race_lanes a = {
        .space = where, .access = is_exchange ? RACE_WRITE : RACE_ATOMIC, .bytes = bytes, .address = address};
    race_instruction(w, d);
    return race_lanes(w, &a, active) == active;
}

// Flat machines support atomics in the scratchpad only. NULL: all lanes' addresses are in the scratchpad.
// Otherwise *lane is the first lane with another address, and the result names the memory there.
static const char *misplaced(struct warp *w, const struct bound *d, const uint8_t *regs, uint64_t active,
                             unsigned *lane)
{
    for (; active; active &= active - 1) {
        uint64_t address = exec_lane_address(d, w, regs, 0, *lane = bit_lowest(active));
        switch (exec_space_at(w->exec->launch, &address)) {
        case SPACE_SHARED: continue;
        case SPACE_LOCAL: return "a stack";
        case SPACE_GENERIC:
        case SPACE_GLOBAL:
        case SPACE_CONST:
            return address < w->exec->launch->flat->stacks ? "main memory" : "other threads' stacks";
        }
    }
    return NULL;
}

const struct bound *exec_atomic(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    unsigned bytes = isa_type_bytes((enum isa_type)i->type), words = bytes / 4;
    uint8_t *host[LANES_MAX];
    uint32_t b[2 * LANES_MAX], c[2 * LANES_MAX], old[2 * LANES_MAX];
    enum isa_space where;
    w->counts.atomics++;
    unsigned lane;
    const struct launch_flat *flat = w->exec->launch->flat;
    const char *elsewhere = flat ? misplaced(w, d, regs, active, &lane) : NULL;
    if (elsewhere)
        return exec_fault(w, d, FAULT_SHARED, lane,
                          "an atomic on 0x%08x, in %s: atomics of this machine work in the scratchpad "
                          "only (0x%08llx to 0x%08llx)",
                          (uint32_t)exec_lane_address(d, w, regs, 0, lane), elsewhere,
                          (unsigned long long)flat->scratch, (unsigned long long)flat->scratch_end - 1);
    uint64_t address[LANES_MAX];
    if (!active || (w->exec->races && flat) || (words != 1 && words != 2) ||
        !locate(w, d, active, bytes, host, &where, address) ||
        !is_recorded(w, d, active, bytes, where, address))
        return lane_by_lane(d, w, regs, active);
    bool has_second = i->src[2].kind != OPERAND_NONE;
    exec_atomic_operands(d, w, regs, 1, bytes, active, b);
    if (has_second) exec_atomic_operands(d, w, regs, 2, bytes, active, c);
    if (!exec_atomic_sequence(i, where, bit_count(active), host, b, has_second ? c : NULL, old))
        return lane_by_lane(d, w, regs, active);
    for (unsigned n = 0; n < w->exec->general[d->index].dst_words; n++) {
        uint32_t *to = reg_lanes(regs, d->dst + n * w->exec->vector_bytes);
        const uint32_t *from = old + n;
        for (uint64_t left = active; left; left &= left - 1, from += words) to[bit_lowest(left)] = *from;
    }
    return d + 1;
}
