// Every build of every fast form against the general handlers: random arithmetic on edge values, with
// random operand kinds, modifiers, flags and guards, and random accesses in the patterns recognised by fast
// forms. Fails when a build gives different bits, for full or partial warps of any size.
#include "base/bits.h"
#include "base/rng.h"
#include "exec/exec_impl.h"
#include "exec/machine.h"
#include "exec/memory.h"
#include "isa/program.h"
#include "isa/shape.h"
#include "isa/sregs.h"
#include "isa/units.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 100, REGISTERS = 32, BODY = 48, FIRST_OUT = REGISTERS + 8, OUT_ROWS = REGISTERS + 8 };

static uint32_t edge_value(struct rng *r)
{
    static const uint32_t edges[] = {
        0,          1,          2,          31,         32,         33,         63,         64,
        0x7f,       0x80,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,     0x10000,
        0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x3f000000,
        0x40490fdb, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00800000, 0x007fffff,
        0x00000003, 0x80000003, 0x4b000000, 0x4b000001, 0x4f000000, 0x4effffff, 0x4f7fffff, 0x4f800000,
        0xcf000000, 0x33800000, 0x33000000, 0x3f800001, 0x40200000, 0x3fc00000, 0x7f7fffff, 0x3c003c00,
        0x7c00fc00, 0x7e017fff, 0x04000001, 0x80010400, 0x3ff00000, 0x7ff00000};
    uint64_t z = rng_next(r);
    switch (z & 7) {
    case 0:
    case 1:
    case 2: return edges[(z >> 8) % TEST_COUNT(edges)];
    case 3: return (uint32_t)(z >> 32) >> (z >> 8 & 31);
    case 4: return 0x3f800000u + ((uint32_t)(z >> 32) & 0x07ffffffu) - 0x03000000u; // floats around 1
    }
    return (uint32_t)(z >> 32);
}

static uint64_t edge_double(struct rng *r)
{
    static const uint64_t edges[] = {
        0,
        1,
        0x000fffffffffffff, // subnormal
        0x0010000000000000,
        0x0020000000000001,
        0x0340000000000000, // 2^-971: errors of products are the least possible
        0x07a0000000000000, // about 2^-900; below, errors are not exact
        0x07afffffffffffff,
        0x07b0000000000000,
        0x07b0000000000001,
        0x07c0000000000000,
        0x1e60000000000000, // 2^-537: products are the least subnormal, or zero
        0x1e5fffffffffffff,
        0x1e6a09e667f3bcce,
        0x36a0000000000000, // the least f32, and half the least f32
        0x3690000000000000,
        0x3810000000000000,
        0x3fe0000000000000,
        0x3fdfffffffffffff,
        0x3ff0000000000000,
        0x3ff0000000000001,
        0x3ff8000000000000,
        0x4004000000000000, // 2.5
        0x41dfffffffc00000, // 2^31 - 1, - 1/2, and 2^31
        0x41dfffffffe00000,
        0x41e0000000000000,
        0x41efffffffe00000, // 2^32 - 1
        0x41efffffffffffff,
        0x432fffffffffffff, // 2^52 - 1/2
        0x4330000000000001,
        0x43dfffffffffffff, // 2^63 and 2^64 with neighbours
        0x43e0000000000000,
        0x43efffffffffffff,
        0x43f0000000000000,
        0x47efffffe0000000, // the largest f32, and values rounded to infinity
        0x47effffff0000000,
        0x5fefffffffffffff, // about 2^512: products overflow by a unit, or do not
        0x5ff0000000000000,
        0x5ff0000000000001,
        0x7e60000000000000, // about 2^1000
        0x7e6fffffffffffff,
        0x7e70000000000000,
        0x7e70000000000001,
        0x7fdfffffffffffff,
        0x7fefffffffffffff,
        0x7ff0000000000000,
        0x7ff0000000000001, // NaN
        0x7ff8000000000000,
        0x7ffc000000012345};
    uint64_t z = rng_next(r), sign = rng_next(r) & 1ull << 63;
    switch (z & 7) {
    case 0:
    case 1: return edges[(z >> 8) % TEST_COUNT(edges)] | sign;
    case 2: return rng_next(r);                                                             // any exponent
    case 3: return ((rng_next(r) & bit_mask(52)) | (1023ull + (z >> 8) % 70) << 52) | sign; // an integer's
    case 4: return (0x3ff0000000000000ull + (z >> 8) % 8) | sign;                           // sums cancel
    case 5: return (rng_next(r) & ~bit_mask(32)) | sign; // short: exact results
    case 6: // few bits: halves between two numbers, whatever the distance of the exponents
        return (uint64_t)(1023 - 110 + rng_below(r, 220)) << 52 | 1ull << rng_below(r, 53) % 52 |
               (uint64_t)rng_below(r, 2) << rng_below(r, 52) | sign;
    }
    return ((rng_next(r) & bit_mask(56)) | 0x3f00000000000000ull) | sign;
}

// Doubles whose products and sums stay far from the ends of the range. For extreme operands a fast form
// passes the whole warp to the general handler, so with edge values fast forms would rarely run. Zeros, few
// bits, sums that cancel but for some last bits, and any mantissa.
static uint64_t calm_double(struct rng *r)
{
    uint64_t z = rng_next(r), sign = rng_next(r) & 1ull << 63;
    switch (z & 7) {
    case 0: return (z >> 8) % 4 ? (1ull << 52) * (1023 - 60 + (z >> 16) % 120) | sign : sign;
    case 1:
    case 2: return (0x3ff0000000000000ull - 4 + (z >> 8) % 12) | sign;
    case 3: return ((1ull << 52) * (1023 - 110 + (z >> 8) % 220) | 1ull << (z >> 16) % 52) | sign;
    case 4: return ((1ull << 52) * (1023 - 2 + (z >> 8) % 4) | (rng_next(r) & ~bit_mask(26))) & ~bit_mask(25);
    case 5: return ((rng_next(r) & bit_mask(52)) | (1ull << 52) * (1023 - 300 + (z >> 8) % 600)) | sign;
    }
    return ((rng_next(r) & bit_mask(52)) | (1ull << 52) * (1023 - 2 + (z >> 8) % 4)) | sign;
}

static struct operand random_source(struct rng *r, const struct inst *i, unsigned k, enum shape_kind kind,
                                    bool *other)
{
    static const uint32_t constants[] = {0,  1,          4,          5,    8,      31,     32,
                                         33, 0xffffffff, 0x80000000, 0x7f, 0x3210, 0x5410, 0x7632};
    struct operand o = {.kind = OPERAND_REG, .width = 1};
    if (kind == SHAPE_PRED) {
        o.kind = OPERAND_PRED;
        o.reg = (uint8_t)rng_below(r, 8);
        o.flags = rng_below(r, 3) == 0 ? OPERAND_NOT : 0;
        return o;
    }
    o.width = (uint8_t)isa_src_width(i, k);
    o.reg = (uint8_t)(rng_below(r, (uint32_t)(REGISTERS / o.width)) * o.width);
    unsigned choice = rng_below(r, 10);
    if (choice == 0) o.reg = REG_ZERO;
    if (choice >= 7 && !*other && o.width <= 2) {
        *other = true;
        o.kind = OPERAND_IMM;
        o.value = rng_below(r, 2) ? constants[rng_below(r, TEST_COUNT(constants))] : edge_value(r);
        o.reg = 0;
        if (choice == 9) {
            o.kind = OPERAND_CONST;
            o.bank = BANK_LAUNCH;
            o.value = BANK_LAUNCH_PARAMS + 8 * (8 + rng_below(r, 8));
        }
    }
    if (rng_below(r, 3) == 0) o.flags = (uint8_t)(rng_next(r) & isa_shapes[i->op].src[k].modifiers);
    return o;
}

static struct operand random_destination(struct rng *r, enum shape_kind kind, unsigned width)
{
    if (kind == SHAPE_PRED) return (struct operand){.kind = OPERAND_PRED, .reg = (uint8_t)rng_below(r, 8)};
    uint8_t reg = (uint8_t)(rng_below(r, (uint32_t)(REGISTERS / width)) * width);
    return (struct operand){
        .kind = OPERAND_REG, .reg = rng_below(r, 40) ? reg : REG_ZERO, .width = (uint8_t)width};
}

static bool is_tried(enum isa_op op)
{
    const struct isa_info *info = &isa_table[op];
    if (op == OP_S2R || op == OP_VOTE || op == OP_SHFL || op == OP_MATCH || op == OP_REDUX) return true;
    return (info->flags & ISA_PURE) && !isa_reads_textures(op);
}

static struct inst random_inst(struct rng *r)
{
    for (;;) {
        struct inst i = {.op = (uint16_t)rng_below(r, OP_COUNT), .guard = PRED_TRUE, .reconverge = NO_TARGET};
        enum isa_op op = (enum isa_op)i.op;
        if (!is_tried(op)) continue;
        const struct isa_shape *shape = &isa_shapes[op];
        static const uint8_t types[] = {TYPE_NONE, TYPE_U32, TYPE_S32, TYPE_F32, TYPE_F64, TYPE_F16,
                                        TYPE_BF16, TYPE_U8,  TYPE_S8,  TYPE_U16, TYPE_S16, TYPE_U64,
                                        TYPE_S64,  TYPE_B32, TYPE_B64, TYPE_TF32};
        i.type = types[rng_below(r, TEST_COUNT(types))];
        i.type2 = types[rng_below(r, TEST_COUNT(types))];
        if (op == OP_XMAD) { // of two types, each of two: hardly ever drawn from all
            i.type = rng_below(r, 4) ? TYPE_U16 : TYPE_S16;
            i.type2 = rng_below(r, 4) ? TYPE_U16 : TYPE_S16;
        }
        i.mode = (uint8_t)rng_below(r, MODE_COUNT);
        while (!isa_mode_fits(op, (enum isa_mode)i.mode)) i.mode = (uint8_t)((i.mode + 1) % MODE_COUNT);
        i.cmp = (uint8_t)rng_below(r, 16);
        if (isa_table[op].unit == UNIT_INT) i.cmp = (uint8_t)(CMP_LT + i.cmp % 6);
        i.boolean = rng_below(r, 4) ? BOOL_AND : (uint8_t)rng_below(r, 3);
        i.round = rng_below(r, 3) ? ROUND_RN : (uint8_t)rng_below(r, 4);
        i.flags = rng_below(r, 2) ? 0 : (uint16_t)(rng_next(r) & isa_shapes[op].flags);
        static const uint8_t luts[] = {0xc0, 0xfc, 0x3c, 0x96, 0xe8, 0xca, 0x80, 0xfe, 0x30, 0xf8, 0x1b};
        i.lut = rng_below(r, 2) ? luts[rng_below(r, TEST_COUNT(luts))] : (uint8_t)rng_next(r);
        i.lut2 = (uint8_t)rng_next(r);
        i.shift = (uint8_t)rng_below(r, 32);
        if (rng_below(r, 4) == 0) {
            i.guard = (uint8_t)rng_below(r, 7);
            i.guard_not = (uint8_t)rng_below(r, 2);
        }
        bool other = false;
        for (unsigned k = 0; k < 2; k++) {
            bool absent = k && rng_below(r, 2);
            if (shape->dst[k].kind && !absent)
                i.dst[k] = random_destination(r, (enum shape_kind)shape->dst[k].kind, isa_dst_width(&i));
        }
        for (unsigned k = 0; k < 4; k++) {
            bool absent = k >= 2 && rng_below(r, 2);
            if (op == OP_S2R)
                i.src[0] =
                    (struct operand){.kind = OPERAND_SREG, .reg = (uint8_t)rng_below(r, SREG_CLOCK_LO)};
            else if (shape->src[k].kind && !absent)
                i.src[k] = random_source(r, &i, k, (enum shape_kind)shape->src[k].kind, &other);
        }
        // Members that never arrive would block the instruction; PTX leaves such masks undefined.
        if (op == OP_SHFL) i.src[3] = (struct operand){.kind = OPERAND_NONE};
        if (op == OP_VOTE || op == OP_MATCH || op == OP_REDUX)
            i.src[1] = (struct operand){.kind = OPERAND_NONE};
        if (op == OP_REDUX && !isa_type_bytes((enum isa_type)i.type)) continue;
        if (op == OP_REDUX && i.type != TYPE_U32 && i.type != TYPE_S32 && i.type != TYPE_B32) continue;
        if (!isa_check(&i)) return i;
    }
}

static bool is_double(const struct inst *i)
{
    switch ((int)i->op) {
    case OP_DADD:
    case OP_DMUL:
    case OP_DFMA:
    case OP_DMNMX:
    case OP_DSETP: return true;
    case OP_F2F:
    case OP_F2I:
    case OP_I2F:
    case OP_FRND: return i->type == TYPE_F64 || i->type2 == TYPE_F64;
    case OP_MUFU: return i->mode == MODE_MUFU_RCP64H || i->mode == MODE_MUFU_RSQ64H;
    }
    return false;
}

static struct inst random_double_inst(struct rng *r)
{
    for (;;) {
        struct inst i = random_inst(r);
        if (is_double(&i)) return i;
    }
}

// Sums and products in every rounding mode; sources and destinations are separate registers.
static struct inst random_rounded_inst(struct rng *r)
{
    for (;;) {
        struct inst i = random_inst(r);
        if (i.op != OP_DADD && i.op != OP_DMUL && i.op != OP_DFMA) continue;
        i.round = (uint8_t)rng_below(r, 4);
        for (unsigned k = 0; k < 3; k++)
            if (i.src[k].kind == OPERAND_REG && i.src[k].reg != REG_ZERO) i.src[k].reg %= REGISTERS / 2;
        if (i.dst[0].reg != REG_ZERO)
            i.dst[0].reg = (uint8_t)(REGISTERS / 2 + i.dst[0].reg % (REGISTERS / 2));
        if (!isa_check(&i)) return i;
    }
}

// Loads REGISTERS registers and seven predicates of random values, BODY places to fill, stores everything.
static char *frame_text(void)
{
    struct strbuf s = {0};
    strbuf_puts(&s, ".shared 2048\n.local 256\n"
                    "S2R R40, SR_TID.X\nMOV R41, 0x4\n"
                    "IMAD.WIDE R42, R40, R41, c[0x0][0x160]\n"
                    "IMAD.WIDE R44, R40, R41, c[0x0][0x168]\n");
    for (unsigned p = 0; p < 7; p++)
        strbuf_printf(&s, "LDG.E R46, [R42+0x%x]\nISETP.LT.AND P%u, PT, R46, RZ, PT\n", p * 4 * THREADS, p);
    for (unsigned reg = 0; reg < REGISTERS; reg++)
        strbuf_printf(&s, "LDG.E R%u, [R42+0x%x]\n", reg, reg * 4 * THREADS);
    for (unsigned n = 0; n < BODY; n++) strbuf_puts(&s, "NOP\n");
    for (unsigned reg = 0; reg < REGISTERS; reg++)
        strbuf_printf(&s, "STG.E [R44+0x%x], R%u\n", reg * 4 * THREADS, reg);
    for (unsigned p = 0; p < 7; p++)
        strbuf_printf(&s, "SEL R46, R41, RZ, P%u\nSTG.E [R44+0x%x], R46\n", p, (REGISTERS + p) * 4 * THREADS);
    strbuf_puts(&s, "EXIT\n");
    return s.text;
}

static void fill_body(struct program *p, struct rng *r, struct inst (*make)(struct rng *))
{
    for (uint32_t n = 0; n < p->inst_count; n++)
        if (p->insts[n].op == OP_NOP) p->insts[n] = make(r);
}

// Runs the machine's program in one build; the result is a copy of the output rows.
static bool run_build(struct machine *m, enum exec_isa isa, uint64_t in, uint64_t out, const uint32_t *values,
                      uint32_t *result)
{
    memcpy(machine_words(m, in), values, 4ul * THREADS * REGISTERS);
    memset(machine_words(m, out), 0, 4ul * THREADS * OUT_ROWS);
    m->launch.isa = isa;
    m->counts = (struct exec_counts){0};
    bool good = machine_run(m);
    CHECK_MSG(m->t, good, "%s: %s", exec_isa_name(isa), m->fault.text);
    memcpy(result, machine_words(m, out), 4ul * THREADS * OUT_ROWS);
    return good;
}

static void report(struct test *t, const struct machine *m, enum exec_isa isa, uint64_t seed,
                   const uint32_t *want, const uint32_t *got)
{
    for (unsigned n = 0; n < THREADS * OUT_ROWS; n++) {
        if (want[n] == got[n]) continue;
        struct strbuf text = {0};
        for (uint32_t k = 0; k < m->program->inst_count; k++) {
            enum isa_op op = (enum isa_op)m->program->insts[k].op;
            if (op == OP_LDG || op == OP_STG) continue;
            program_print_inst(m->program, k, &text);
            strbuf_putc(&text, '\n');
        }
        test_fail(t, __FILE__, __LINE__,
                  "seed %llu, %s, warp size %u: row %u of thread %u is 0x%08x, not 0x%08x\n%s",
                  (unsigned long long)seed, exec_isa_name(isa), m->launch.warp_size, n / THREADS, n % THREADS,
                  got[n], want[n], strbuf_text(&text));
        strbuf_fini(&text);
        return;
    }
}

// Scales x, near 1, to another power of two: products then lie near an end of the range, or their errors
// do. Every other register is scaled twice, to the magnitude of such a product.
static uint64_t scaled(uint64_t x, uint64_t seed, unsigned reg)
{
    static const int scales[] = {0, 0, -450, -480, -510, -600, 450, 500, 510};
    int scale = scales[seed % TEST_COUNT(scales)] * (reg / 2 % 4 == 3 ? 2 : 1),
        exponent = (int)(x >> 52 & 0x7ff);
    if (!exponent || exponent + scale <= 0 || exponent + scale >= 0x7ff) return x;
    return x + ((uint64_t)(int64_t)scale << 52);
}

static uint64_t value_of(struct rng *r, struct inst (*make)(struct rng *), uint64_t seed, unsigned reg)
{
    if (make == random_rounded_inst) return scaled(calm_double(r), seed, reg);
    return seed % 2 ? edge_double(r) : calm_double(r);
}

static void fill_values(struct rng *r, uint32_t *values, struct inst (*make)(struct rng *), uint64_t seed)
{
    for (unsigned n = 0; n < THREADS * REGISTERS; n++) values[n] = edge_value(r);
    // Rows of low and of high words in turn.
    for (unsigned n = 0; make != random_inst && n < THREADS * REGISTERS / 2; n++) {
        uint64_t x = value_of(r, make, seed, n / THREADS * 2);
        unsigned low = n / THREADS * 2 * THREADS + n % THREADS;
        values[low] = (uint32_t)x;
        values[low + THREADS] = (uint32_t)(x >> 32);
    }
}

static void compare_builds(struct test *t, uint64_t seed, struct inst (*make)(struct rng *))
{
    static const unsigned warp_sizes[] = {32, 64, 16};
    struct rng r;
    rng_init(&r, seed);
    struct machine m;
    char *text = frame_text();
    uint32_t *values = malloc(4ul * THREADS * REGISTERS), *want = malloc(4ul * THREADS * OUT_ROWS);
    uint32_t *got = malloc(4ul * THREADS * OUT_ROWS);
    if (machine_init(&m, t, text, THREADS)) {
        fill_body(m.program, &r, make);
        fill_values(&r, values, make, seed);
        uint64_t in = machine_buffer(&m, 4ull * THREADS * REGISTERS),
                 out = machine_buffer(&m, 4ull * THREADS * OUT_ROWS);
        while (m.params < MACHINE_PARAMS)
            machine_param(&m, make == random_inst ? (uint64_t)edge_value(&r) << 32 | edge_value(&r)
                                                  : value_of(&r, make, seed, m.params % 2 * 6));
        for (unsigned s = 0; s < TEST_COUNT(warp_sizes) && !test_failed(t); s++) {
            m.launch.warp_size = warp_sizes[s];
            run_build(&m, EXEC_ISA_GENERAL, in, out, values, want);
            struct exec_counts counts = m.counts;
            for (unsigned isa = EXEC_ISA_PORTABLE; isa < EXEC_ISA_GENERAL; isa++) {
                if (!exec_isa_available((enum exec_isa)isa)) continue;
                run_build(&m, (enum exec_isa)isa, in, out, values, got);
                if (memcmp(want, got, 4ul * THREADS * OUT_ROWS) != 0)
                    report(t, &m, (enum exec_isa)isa, seed, want, got);
                CHECK(t, memcmp(&counts, &m.counts, sizeof counts) == 0);
            }
        }
    }
    machine_fini(&m);
    free(text);
    free(values);
    free(want);
    free(got);
}

// -- memory -------------------------------------------------------------------------------------------------
// Registers R48, R50 … R62 hold addresses in patterns: 0 to 3 global, 4 and 5 shared or constant, 6 local, 7
// generic to shared.
enum { ADDRESS_ROWS = 8, FIRST_ADDRESS = 48, DATA_BYTES = 8192, SHARED_BYTES = 2048, LOCAL_BYTES = 256 };

static uint32_t pattern(struct rng *r, unsigned kind, unsigned thread, uint32_t base, uint32_t room)
{
    unsigned lane = thread % 32;
    uint32_t offset = 0;
    switch (kind) {
    case 0: offset = 4 * lane; break;
    case 1: break;
    case 2: offset = lane % 16 * 4 + lane / 16 * 256; break;
    case 3: offset = lane % 8 * 4 + lane / 8 * 64; break;
    case 4: offset = 8 * lane; break;
    case 5: offset = 16 * lane; break;
    case 6: offset = 4 * (31 - lane); break;
    case 7: offset = rng_below(r, room / 16 - 2) * 16; break;
    case 8: offset = lane; break;
    case 9: offset = 2 * lane; break;
    case 10: offset = lane / 16 * 32; break;
    }
    return base + offset % (room - 32);
}

static void make_addresses(struct rng *r, uint64_t data[2], uint32_t *rows)
{
    for (unsigned row = 0; row < ADDRESS_ROWS; row++) {
        unsigned kind = row == 6 && rng_below(r, 2) ? 1 : rng_below(r, 11);
        uint32_t base = rng_below(r, 16) * 16, room = row < 4   ? DATA_BYTES - 512
                                                      : row < 6 ? SHARED_BYTES - 512
                                                                : 200;
        if (row < 4) base += (uint32_t)data[rng_below(r, 2)];
        if (row == 6) base = 16;
        if (row == 7) base += ISA_SHARED_WINDOW;
        for (unsigned t = 0; t < THREADS; t++) rows[row * THREADS + t] = pattern(r, kind, t, base, room);
    }
}

// An atomic on words of global or shared memory.
static struct inst random_atomic(struct rng *r)
{
    static const uint8_t ops[] = {OP_ATOMG, OP_ATOM, OP_RED, OP_ATOMS};
    static const uint8_t types[] = {TYPE_U32, TYPE_S32, TYPE_B32, TYPE_U64, TYPE_F32};
    for (;;) {
        unsigned which = rng_below(r, TEST_COUNT(ops)),
                 row = which == 3 ? 4 + rng_below(r, 2) : rng_below(r, 4);
        struct inst i = {.op = ops[which], .guard = PRED_TRUE, .reconverge = NO_TARGET};
        i.type = types[rng_below(r, TEST_COUNT(types))];
        i.mode = (uint8_t)(MODE_ATOM_ADD + rng_below(r, MODE_ATOM_ARRIVE - MODE_ATOM_ADD + 1));
        if (rng_below(r, 4) == 0) i.guard = (uint8_t)rng_below(r, 7);
        unsigned width = isa_src_width(&i, 1);
        if (i.op != OP_RED) i.dst[0] = random_destination(r, SHAPE_REG, width);
        i.src[0] = (struct operand){.kind = OPERAND_MEM,
                                    .reg = (uint8_t)(FIRST_ADDRESS + 2 * row),
                                    .width = which == 3 ? 1 : 2,
                                    .value = rng_below(r, 4) * 16};
        i.src[1] = random_destination(r, SHAPE_REG, width);
        if (i.mode == MODE_ATOM_CAS) i.src[2] = random_destination(r, SHAPE_REG, width);
        if (!isa_check(&i)) return i;
    }
}

// A load or store of a random space and type, or an atomic.
static struct inst random_access(struct rng *r)
{
    if (rng_below(r, 6) == 0) return random_atomic(r);
    static const uint8_t ops[4][2] = {{OP_LDG, OP_STG}, {OP_LDS, OP_STS}, {OP_LDL, OP_STL}, {OP_LD, OP_ST}};
    static const uint8_t types[] = {TYPE_B32, TYPE_B64, TYPE_B128, TYPE_U8, TYPE_S8, TYPE_U16, TYPE_S16};
    for (;;) {
        unsigned row = rng_below(r, ADDRESS_ROWS), space = row < 4    ? (rng_below(r, 4) ? 0 : 3)
                                                           : row < 6  ? 1
                                                           : row == 6 ? 2
                                                                      : 3;
        bool is_store = rng_below(r, 2), wide = space == 0 || space == 3;
        struct inst i = {.op = ops[space][is_store], .guard = PRED_TRUE, .reconverge = NO_TARGET};
        if (space == 1 && !is_store && rng_below(r, 3) == 0) {
            i.op = OP_LDC;
            i.bank = BANK_USER;
        }
        i.type = types[rng_below(r, TEST_COUNT(types))];
        if (is_store && (i.type == TYPE_S8 || i.type == TYPE_S16)) continue;
        if (rng_below(r, 4) == 0) {
            i.guard = (uint8_t)rng_below(r, 7);
            i.guard_not = (uint8_t)rng_below(r, 2);
        }
        unsigned width = is_store ? isa_src_width(&i, 1) : isa_dst_width(&i);
        struct operand value = random_destination(r, SHAPE_REG, width);
        i.src[0] = (struct operand){.kind = OPERAND_MEM,
                                    .reg = (uint8_t)(FIRST_ADDRESS + 2 * row),
                                    .width = wide ? 2 : 1,
                                    .value = rng_below(r, 4) * 16};
        if (is_store)
            i.src[1] = value;
        else
            i.dst[0] = value;
        if (!isa_check(&i)) return i;
    }
}

// Arithmetic with one register source replaced by words of shared memory.
static struct inst random_arithmetic_of_shared(struct rng *r)
{
    for (;;) {
        struct inst i = random_inst(r);
        struct operand *o = &i.src[rng_below(r, 4)];
        if (o->kind != OPERAND_REG || o->width != 1) continue;
        o->kind = OPERAND_SHARED;
        o->reg = (uint8_t)(FIRST_ADDRESS + 2 * (4 + rng_below(r, 2)));
        o->value = rng_below(r, 4) * 16;
        if (!isa_check(&i)) return i;
    }
}

static bool aligned_for(const struct inst *i, const uint32_t *rows)
{
    unsigned place = 0;
    while (place < 4 && i->src[place].kind != OPERAND_SHARED) place++;
    bool is_arithmetic = place < 4;
    unsigned row = (i->src[is_arithmetic ? place : 0].reg - FIRST_ADDRESS) / 2u,
             bytes = is_arithmetic ? 4 : isa_type_bytes((enum isa_type)i->type);
    for (unsigned t = 0; t < THREADS; t++)
        if (rows[row * THREADS + t] % bytes) return false;
    return true;
}

static void compare_memory(struct test *t, uint64_t seed)
{
    static const unsigned warp_sizes[] = {32, 64, 16};
    struct rng r;
    rng_init(&r, seed);
    struct machine m;
    char *text = frame_text();
    struct strbuf whole = {0};
    strbuf_puts(&whole, ".shared 2048\n.local 256\nS2R R40, SR_TID.X\nMOV R41, 0x4\n"
                        "IMAD.WIDE R42, R40, R41, c[0x0][0x170]\n");
    for (unsigned row = 0; row < ADDRESS_ROWS; row++)
        strbuf_printf(&whole, "LDG.E R%u, [R42+0x%x]\n", FIRST_ADDRESS + 2 * row, row * 4 * THREADS);
    strbuf_puts(&whole, strchr(strchr(text, '\n') + 1, '\n') + 1);
    size_t size = 4ul * THREADS * OUT_ROWS + 2 * DATA_BYTES;
    uint32_t *values = malloc(4ul * THREADS * REGISTERS), *rows = malloc(4ul * THREADS * ADDRESS_ROWS);
    uint8_t *want = malloc(size), *got = malloc(size);
    uint32_t constants[SHARED_BYTES / 4];
    for (unsigned n = 0; n < TEST_COUNT(constants); n++) constants[n] = (uint32_t)rng_next(&r);
    if (machine_init(&m, t, strbuf_text(&whole), THREADS)) {
        m.launch.bank[BANK_USER] = (const uint8_t *)constants;
        m.launch.bank_bytes[BANK_USER] = SHARED_BYTES;
        uint64_t in = machine_buffer(&m, 4ull * THREADS * REGISTERS),
                 out = machine_buffer(&m, 4ull * THREADS * OUT_ROWS);
        uint64_t addresses = machine_buffer(&m, 4ull * THREADS * ADDRESS_ROWS);
        uint64_t data[2] = {machine_buffer(&m, DATA_BYTES), machine_buffer(&m, DATA_BYTES)};
        make_addresses(&r, data, rows);
        memcpy(machine_words(&m, addresses), rows, 4ul * THREADS * ADDRESS_ROWS);
        for (uint32_t n = 0; n < m.program->inst_count; n++) {
            if (m.program->insts[n].op != OP_NOP) continue;
            do m.program->insts[n] = rng_below(&r, 4) ? random_access(&r) : random_arithmetic_of_shared(&r);
            while (!aligned_for(&m.program->insts[n], rows));
        }
        for (unsigned n = 0; n < THREADS * REGISTERS; n++) values[n] = edge_value(&r);
        for (unsigned s = 0; s < TEST_COUNT(warp_sizes) && !test_failed(t); s++) {
            m.launch.warp_size = warp_sizes[s];
            for (unsigned k = 0; k < EXEC_ISA_GENERAL; k++) {
                enum exec_isa isa = k ? (enum exec_isa)k : EXEC_ISA_GENERAL;
                if (!exec_isa_available(isa)) continue;
                uint8_t *result = k ? got : want;
                for (unsigned b = 0; b < 2; b++)
                    for (unsigned n = 0; n < DATA_BYTES / 4; n++)
                        machine_words(&m, data[b])[n] = n * 0x9e3779b9u + b;
                run_build(&m, isa, in, out, values, (uint32_t *)(void *)result);
                for (unsigned b = 0; b < 2; b++)
                    memcpy(result + 4ul * THREADS * OUT_ROWS + b * DATA_BYTES, machine_words(&m, data[b]),
                           DATA_BYTES);
                if (k && memcmp(want, got, size) != 0) {
                    report(t, &m, isa, seed, (uint32_t *)(void *)want, (uint32_t *)(void *)got);
                    CHECK_MSG(t, memcmp(want, got, size) == 0, "seed %llu", (unsigned long long)seed);
                }
            }
        }
    }
    machine_fini(&m);
    strbuf_fini(&whole);
    free(text);
    free(values);
    free(rows);
    free(want);
    free(got);
}

// Lower words that wrap around without a carry: lanes 16 to 31 are 4 GiB below the row that lanes 0 to 15 begin. Both
// places are in one allocation.
static void test_wrapped(struct test *t)
{
    enum { BYTES = 64 };
    static const char text[] = "S2R R0, SR_TID.X\nMOV R1, 0x4\nMOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n"
                               "IMAD R2, R0, R1, R2\nLDG.E R4, [R2]\nIADD3 R5, R4, R1, RZ\nSTG.E [R2], R5\n"
                               "IMAD.WIDE R6, R0, R1, c[0x0][0x168]\nSTG.E [R6], R4\nEXIT\n";
    for (unsigned isa = EXEC_ISA_PORTABLE; isa <= EXEC_ISA_GENERAL; isa++) {
        struct machine m;
        if (!exec_isa_available((enum exec_isa)isa) || !machine_init(&m, t, text, 32)) continue;
        memory_destroy(m.memory);
        m.launch.memory = m.memory = memory_create(16ull << 30);
        uint64_t low = memory_alloc(m.memory, (4ull << 30) + 4096, 1, "large"), end = low + (4ull << 30);
        CHECK_EQ(t, low, 4ull << 30);
        machine_param(&m, end - BYTES);
        uint64_t out = machine_buffer(&m, 128);
        for (unsigned k = 0; k < BYTES / 4; k++) {
            machine_words(&m, end - BYTES)[k] = k;
            machine_words(&m, low)[k] = 1000 + k;
            machine_words(&m, end)[k] = 2000 + k;
        }
        m.launch.isa = (enum exec_isa)isa;
        machine_must_run(&m);
        for (unsigned k = 0; k < 32; k++) CHECK_EQ(t, machine_words(&m, out)[k], k < 16 ? k : 1000 + k - 16);
        CHECK_EQ(t, machine_words(&m, low)[0], 1004);
        CHECK_EQ(t, machine_words(&m, end)[0], 2000);
        machine_fini(&m);
    }
}

// -- loops over addresses ------------------------------------------------------------------------------------

// Address registers of a row, of one address, or of random lanes, near a multiple of 4 GiB or not.
static void make_words(struct rng *r, unsigned bytes, uint32_t *low, uint32_t *high)
{
    unsigned kind = rng_below(r, 4), odd = rng_below(r, 2 * LANES_MAX);
    uint64_t first = rng_below(r, 2) ? rng_next(r) : (1ull << 32) - rng_below(r, 2048);
    for (unsigned l = 0; l < LANES_MAX; l++) {
        uint64_t x = kind == 3 ? rng_next(r) : first + (kind == 1 ? 0 : (uint64_t)l * bytes);
        if (l == odd) x += 1ull << rng_below(r, 48);
        low[l] = (uint32_t)x;
        high[l] = kind == 2 ? (uint32_t)(first >> 32) : (uint32_t)(x >> 32);
    }
}

static void compare_loops(struct test *t, struct rng *r, const struct exec *general, const struct exec *fast)
{
    _Alignas(64) uint32_t low[LANES_MAX], high[LANES_MAX];
    uint64_t want[LANES_MAX] = {0}, got[LANES_MAX] = {0};
    uint32_t distance[LANES_MAX];
    unsigned bytes = 1u << rng_below(r, 5), lanes = general->lanes;
    bool wide = rng_below(r, 2);
    uint64_t offset = rng_below(r, 2) ? 0 : (uint64_t)(int64_t)(int32_t)rng_next(r);
    make_words(r, bytes, low, high);
    const uint8_t *lower = (const uint8_t *)low, *upper = wide ? (const uint8_t *)high : NULL;
    enum access_pattern a = general->loops->addresses(lower, upper, offset, bytes, want);
    enum access_pattern b = fast->loops->addresses(lower, upper, offset, bytes, got);
    CHECK(t, memcmp(want, got, sizeof want) == 0);
    bool crosses = wide && (want[0] - offset) >> 32 != (want[lanes - 1] - offset) >> 32;
    CHECK_MSG(t, a == b || (a == PATTERN_ROW && b == PATTERN_APART && crosses), "patterns %d and %d", (int)a,
              (int)b);
    for (unsigned l = 0; l < lanes; l++) distance[l] = (uint32_t)(want[l] - want[0]);
    if (rng_below(r, 2)) distance[rng_below(r, lanes)] ^= 1u << rng_below(r, 32);
    CHECK_EQ(t, general->loops->have_distances(want, distance), fast->loops->have_distances(want, distance));
}

static void test_addresses(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(1));
    for (unsigned n = 0; n < 20000 && !test_failed(t); n++) {
        struct exec general = {.isa = EXEC_ISA_GENERAL, .lanes = rng_below(&r, 2) ? 64 : 32};
        struct exec fast = general;
        fast.isa = (enum exec_isa)(EXEC_ISA_PORTABLE + rng_below(&r, EXEC_ISA_GENERAL - EXEC_ISA_PORTABLE));
        if (!exec_isa_available(fast.isa)) continue;
        general.loops = exec_lane_loops(&general);
        fast.loops = exec_lane_loops(&fast);
        compare_loops(t, &r, &general, &fast);
    }
}

static void test_arithmetic(struct test *t)
{
    unsigned programs = test_is_long() ? 20000 : 400;
    uint64_t seed = test_seed(1);
    for (unsigned n = 0; n < programs && !test_failed(t); n++) compare_builds(t, seed + n, random_inst);
}

static void test_memory(struct test *t)
{
    unsigned programs = test_is_long() ? 20000 : 400;
    uint64_t seed = test_seed(1);
    for (unsigned n = 0; n < programs && !test_failed(t); n++) compare_memory(t, seed + n);
}

// 48 instructions of 100 threads a program: a quarter of a million operations, thirty million in the long
// form.
static void test_doubles(struct test *t)
{
    unsigned programs = test_is_long() ? 6000 : 60;
    for (unsigned seed = 1; seed <= programs && !test_failed(t); seed++)
        compare_builds(t, seed, random_double_inst);
}

static void test_rounding(struct test *t)
{
    unsigned programs = test_is_long() ? 6000 : 96;
    for (unsigned seed = 1; seed <= programs && !test_failed(t); seed++)
        compare_builds(t, seed, random_rounded_inst);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"arithmetic", test_arithmetic}, {"doubles", test_doubles},
                                             {"rounding", test_rounding},     {"memory", test_memory},
                                             {"wrapped", test_wrapped},       {"addresses", test_addresses}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
