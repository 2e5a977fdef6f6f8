// The oracle for RISC-V alone: results of instructions, grouping of lanes, scalar registers, and small
// programs with counts worked out in a comment. `run`: see simtight_run.h. Fails when a result, a count
// or an error message differs.
#include "harness/test.h"
#include "oracle/simtight_impl.h"
#include "oracle/simtight_run.h"

#include <string.h>

// -- words -------------------------------------------------------------------------------------------------
static uint32_t word_r(unsigned opcode, unsigned f3, unsigned f7, unsigned rd, unsigned rs1, unsigned rs2)
{
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}

static uint32_t word_i(unsigned opcode, unsigned f3, unsigned rd, unsigned rs1, int32_t imm)
{
    return (uint32_t)imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}

static uint32_t word_s(unsigned f3, unsigned rs2, unsigned rs1, int32_t imm)
{
    uint32_t u = (uint32_t)imm;
    return (u >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (u & 31) << 7 | 0x23;
}

static uint32_t word_b(unsigned f3, unsigned rs1, unsigned rs2, int32_t to)
{
    uint32_t u = (uint32_t)to;
    return (u >> 12 & 1) << 31 | (u >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (u >> 1 & 15) << 8 |
           (u >> 11 & 1) << 7 | 0x63;
}

#define ADDI(RD, RS, IMM)  word_i(0x13, 0, RD, RS, IMM)
#define ADD(RD, A, B)      word_r(0x33, 0, 0, RD, A, B)
#define LUI(RD, IMM)       ((uint32_t)(IMM) << 12 | (uint32_t)(RD) << 7 | 0x37)
#define LW(RD, RS, IMM)    word_i(0x03, 2, RD, RS, IMM)
#define SW(RS2, RS1, IMM)  word_s(2, RS2, RS1, IMM)
#define BEQ(A, B, TO)      word_b(0, A, B, TO)
#define CSRW(CSR, RS)      word_i(0x73, 1, 0, RS, CSR)
#define CSRR(RD, CSR)      word_i(0x73, 1, RD, 0, CSR)
#define AMOADD(RD, RS2, A) word_r(0x2f, 2, 0, RD, A, RS2)
#define RET                word_i(0x67, 0, 0, 1, 0)
#define PUSH               0x00050009u
#define POP                0x00051009u
enum { RA = 1, T0 = 5, T1 = 6, A0 = 10, A1 = 11, A2 = 12, A3 = 13 };

// -- instructions ------------------------------------------------------------------------------------------
#define INT_MIN_BITS 0x80000000u
#define NAN_BITS     0x7fc00000u
#define INF_BITS     0x7f800000u

// opcode, funct3, funct7; for floating point rs2 where rs2 selects the operation; immediates are b.
static const struct value_row {
    const char *name;
    unsigned opcode, f3, f7, rs2;
    uint32_t a, b, want;
} VALUES[] = {
    {"ADD", 0x33, 0, 0, 2, 0xffffffffu, 2, 1},
    {"SUB", 0x33, 0, 32, 2, 3, 5, 0xfffffffeu},
    {"SLL", 0x33, 1, 0, 2, 1, 33, 2},
    {"SLT", 0x33, 2, 0, 2, INT_MIN_BITS, 1, 1},
    {"SLTU", 0x33, 3, 0, 2, INT_MIN_BITS, 1, 0},
    {"XOR", 0x33, 4, 0, 2, 0xff00ff00u, 0x0ff00ff0u, 0xf0f0f0f0u},
    {"SRL", 0x33, 5, 0, 2, INT_MIN_BITS, 63, 1},
    {"SRA", 0x33, 5, 32, 2, INT_MIN_BITS, 31, 0xffffffffu},
    {"OR", 0x33, 6, 0, 2, 0xf0, 0x0f, 0xff},
    {"AND", 0x33, 7, 0, 2, 0xf3, 0x3f, 0x33},
    {"MUL", 0x33, 0, 1, 2, 0x80000001u, 0x80000001u, 1},
    {"MULH", 0x33, 1, 1, 2, INT_MIN_BITS, INT_MIN_BITS, 0x40000000u},
    {"MULHSU", 0x33, 2, 1, 2, 0xffffffffu, 0xffffffffu, 0xffffffffu},
    {"MULHU", 0x33, 3, 1, 2, 0xffffffffu, 0xffffffffu, 0xfffffffeu},
    {"DIV", 0x33, 4, 1, 2, INT_MIN_BITS, 0xffffffffu, INT_MIN_BITS},
    {"DIV", 0x33, 4, 1, 2, (uint32_t)-7, 2, (uint32_t)-3},
    {"DIV", 0x33, 4, 1, 2, 7, 0, 0xffffffffu},
    {"DIVU", 0x33, 5, 1, 2, 0xfffffff9u, 2, 0x7ffffffcu},
    {"DIVU", 0x33, 5, 1, 2, 7, 0, 0xffffffffu},
    {"REM", 0x33, 6, 1, 2, INT_MIN_BITS, 0xffffffffu, 0},
    {"REM", 0x33, 6, 1, 2, (uint32_t)-7, 2, 0xffffffffu},
    {"REM", 0x33, 6, 1, 2, 7, 0, 7},
    {"REMU", 0x33, 7, 1, 2, 0xfffffff9u, 2, 1},
    {"REMU", 0x33, 7, 1, 2, 0xfffffff9u, 0, 0xfffffff9u},
    {"FADD", 0x53, 7, 0x00, 2, 0x3f800000u, 0x33800000u, 0x3f800000u}, // 1 + 2^-24: ties to even
    {"FSUB", 0x53, 7, 0x04, 2, INF_BITS, INF_BITS, NAN_BITS},
    {"FMUL", 0x53, 7, 0x08, 2, 0x00800000u, 0x3f000000u, 0x00400000u}, // a subnormal result
    {"FDIV", 0x53, 0, 0x0c, 2, 0x3f800000u, INT_MIN_BITS, 0xff800000u},
    {"FSQRT", 0x53, 7, 0x2c, 0, 0xbf800000u, 0, NAN_BITS},
    {"FSQRT", 0x53, 7, 0x2c, 0, 0x40000000u, 0, 0x3fb504f3u},
    {"FSGNJ", 0x53, 0, 0x10, 2, NAN_BITS, INT_MIN_BITS, 0xffc00000u},
    {"FSGNJN", 0x53, 1, 0x10, 2, 0x3f800000u, 0x3f800000u, 0xbf800000u},
    {"FSGNJX", 0x53, 2, 0x10, 2, 0xbf800000u, INT_MIN_BITS, 0x3f800000u},
    {"FMIN", 0x53, 0, 0x14, 2, NAN_BITS, 0x3f800000u,
     0x3f800000u}, // compare, then select: the second operand
    {"FMIN", 0x53, 0, 0x14, 2, 0x3f800000u, NAN_BITS, NAN_BITS},
    {"FMAX", 0x53, 1, 0x14, 2, 0x00000000u, INT_MIN_BITS, INT_MIN_BITS},
    {"FMAX", 0x53, 1, 0x14, 2, 0x40000000u, 0x3f800000u, 0x40000000u},
    {"FCVT_W_S", 0x53, 0, 0x60, 0, 0xc0300000u, 0, (uint32_t)-2}, // -2.75: towards zero in any rounding mode
    {"FCVT_W_S", 0x53, 0, 0x60, 0, NAN_BITS, 0, 0x7fffffffu},
    {"FCVT_W_S", 0x53, 0, 0x60, 0, 0xcf800000u, 0, INT_MIN_BITS},
    {"FCVT_WU_S", 0x53, 0, 0x60, 1, 0xbf800000u, 0, 0},
    {"FCVT_WU_S", 0x53, 0, 0x60, 1, 0x4f7fffffu, 0, 0xffffff00u},
    {"FCVT_S_W", 0x53, 0, 0x68, 0, 0xffffffffu, 0, 0xbf800000u},
    {"FCVT_S_WU", 0x53, 0, 0x68, 1, 0xffffffffu, 0, 0x4f800000u},
    {"FEQ", 0x53, 2, 0x50, 2, 0x00000000u, INT_MIN_BITS, 1},
    {"FLT", 0x53, 1, 0x50, 2, NAN_BITS, NAN_BITS, 0},
    {"FLE", 0x53, 0, 0x50, 2, 0x3f800000u, 0x3f800000u, 1},
};

static void test_values(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(VALUES); k++) {
        const struct value_row *row = &VALUES[k];
        struct simtight_inst i = oracle_rv_decode(word_r(row->opcode, row->f3, row->f7, 3, 1, row->rs2));
        CHECK_STR(t, oracle_rv_op_names[i.op], row->name);
        uint32_t got = oracle_rv_value(&i, row->a, row->b, 0);
        CHECK_MSG(t, got == row->want, "%s(0x%08x, 0x%08x) is 0x%08x, not 0x%08x", row->name, row->a, row->b,
                  got, row->want);
    }
}

// Words assembled by clang 19, with their assembly text.
static const struct word_row {
    uint32_t word;
    const char *name;
    unsigned rd, rs1, rs2;
    uint32_t imm;
} WORDS[] = {
    {0xff010113, "ADDI", 2, 2, 0, (uint32_t)-16}, // addi sp, sp, -16
    {0x00261e93, "SLLI", 29, 12, 0, 2},           // slli t4, a2, 2
    {0x4057d793, "SRAI", 15, 15, 0, 5},           // srai a5, a5, 5
    {0xfee440e3, "BLT", 0, 8, 14, (uint32_t)-32}, // blt s0, a4, -32
    {0xfa1ff06f, "JAL", 0, 0, 0, (uint32_t)-96},  // j -96
    {0x0180006f, "JAL", 0, 0, 0, 24},             // j 24
    {0x00008067, "JALR", 0, 1, 0, 0},             // ret
    {0x00812623, "SW", 0, 2, 8, 12},              // sw s0, 12(sp)
    {0xfe112e23, "SW", 0, 2, 1, (uint32_t)-4},    // sw ra, -4(sp)
    {0x0147d503, "LHU", 10, 15, 0, 20},           // lhu a0, 20(a5)
    {0x08008537, "LUI", 10, 0, 0, 0x08008000},    // lui a0, 0x8008
    {0xf1401e73, "CSRRW", 28, 0, 0, 0xf14},       // csrrw t3, mhartid, zero
    {0x00b5202f, "AMOADD", 0, 10, 11, 0},         // amoadd.w zero, a1, (a0)
    {0x0ff0000f, "FENCE", 0, 0, 0, 0},            // fence
    {0x00050009, "PUSH", 0, 0, 0, 0},
    {0x00051009, "POP", 0, 0, 0, 0},
    {0x00050008, "FLUSH", 0, 10, 0, 0},
    {0x1005202f, "ILLEGAL", 0, 0, 0, 0}, // lr.w zero, (a0)
    {0x00000001, "ILLEGAL", 0, 0, 0, 0}, // a compressed nop
    {0x00000000, "ILLEGAL", 0, 0, 0, 0},
};

static void test_words(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(WORDS); k++) {
        const struct word_row *row = &WORDS[k];
        struct simtight_inst i = oracle_rv_decode(row->word);
        CHECK_STR(t, oracle_rv_op_names[i.op], row->name);
        CHECK_MSG(t, i.rd == row->rd && i.rs1 == row->rs1 && i.rs2 == row->rs2 && i.imm == row->imm,
                  "0x%08x is %s x%u x%u x%u 0x%x", row->word, row->name, i.rd, i.rs1, i.rs2, i.imm);
    }
}

// -- groups ------------------------------------------------------------------------------------------------
struct seen {
    unsigned groups;
    uint32_t first, all;
};

static void see_group(void *context, uint32_t lanes)
{
    struct seen *s = context;
    if (!s->groups++) s->first = lanes;
    s->all |= lanes;
}

static const struct group_row {
    const char *name;
    enum simtight_op op;
    uint32_t mask, base, step; // lane's address: base + lane * step
    unsigned groups, beats;
} GROUPS[] = {
    {"words side by side", OP_LW, ALL_LANES, 0x10000, 4, 1, 2},
    {"halves side by side", OP_LH, ALL_LANES, 0x10040, 2, 1, 1},
    {"bytes side by side", OP_LBU, ALL_LANES, 0x10020, 1, 1, 1},
    {"one word for all", OP_LW, ALL_LANES, 0x10004, 0, 1, 1},
    {"words, half the lanes", OP_LW, 0xffff0000u, 0x10000, 4, 1, 2},
    {"one lane", OP_LW, 1u << 7, 0x1001c, 0, 1, 1},
    {"words shifted by one", OP_LW, ALL_LANES, 0x10004, 4, 32, 32},
    {"a word each in its own block", OP_LW, ALL_LANES, 0x10000, 128, 32, 32},
    {"bytes as words lie", OP_LB, ALL_LANES, 0x10001, 4, 1, 2}, // as in a stack
    {"the scratchpad, anywhere", OP_LW, ALL_LANES, SCRATCHPAD_BASE, 132, 1, 0},
    {"a fence", OP_FENCE, ALL_LANES, 0, 0, 1, 1},
};

static struct simtight_access access_of(enum simtight_op op, uint32_t mask, uint32_t base, uint32_t step)
{
    struct simtight_access a = {.op = op, .mask = mask, .is_store = oracle_rv_op_forms[op] == FORM_S};
    for (unsigned k = 0; k < LANES; k++) a.address[k] = base + k * step;
    return a;
}

static void test_groups(struct test *t)
{
    struct simtight_oracle *o = simtight_oracle_create();
    for (size_t k = 0; k < TEST_COUNT(GROUPS); k++) {
        const struct group_row *row = &GROUPS[k];
        struct simtight_access a = access_of(row->op, row->mask, row->base, row->step);
        struct seen s = {0};
        o->counts = (struct simtight_oracle_counts){0};
        oracle_rv_access(o, &a, see_group, &s);
        CHECK_MSG(t, s.groups == row->groups && o->counts.load_beats == row->beats,
                  "%s: %u groups, %llu beats", row->name, s.groups, (unsigned long long)o->counts.load_beats);
        CHECK_EQ(t, s.all, row->mask);
    }
    // Lanes accessing the scratchpad join only a leader accessing the scratchpad.
    struct simtight_access mixed = access_of(OP_SW, ALL_LANES, 0x10000, 4);
    for (unsigned k = 16; k < LANES; k++) mixed.address[k] = SCRATCHPAD_BASE + 4 * k;
    struct seen s = {0};
    o->counts = (struct simtight_oracle_counts){0};
    oracle_rv_access(o, &mixed, see_group, &s);
    CHECK_EQ(t, s.groups, 2);
    CHECK_EQ(t, s.first, 0xffff);
    CHECK_EQ(t, o->counts.store_beats, 2);
    simtight_oracle_destroy(o);
}

static void test_stack_cache(struct test *t)
{
    struct simtight_oracle *o = simtight_oracle_create();
    const uint32_t line = 0xe0000000u, same_place = line + 2048 * 128;
    struct seen s = {0};
    struct step {
        enum simtight_op op;
        uint32_t mask, address;
        bool is_compressed;
        unsigned beats, hits, misses, inserts, evictions; // from the beginning
    } steps[] = {
        {OP_LW, ALL_LANES, line, false, 2, 0, 1, 0, 0},      // a miss; loads do not allocate
        {OP_SW, ALL_LANES, line, true, 2, 0, 1, 1, 0},       // kept
        {OP_LW, 0xff, line, false, 2, 1, 1, 1, 0},           // a hit of some lanes is a hit as well
        {OP_SW, ALL_LANES, line, true, 2, 1, 1, 2, 0},       // written over
        {OP_SW, ALL_LANES, same_place, true, 4, 1, 1, 3, 1}, // same place: the old entry goes to DRAM
        {OP_SW, ALL_LANES, same_place, false, 8, 1, 1, 3,
         2}, // a vector: the line goes to DRAM, and so does the store
        {OP_LW, ALL_LANES, same_place, false, 10, 1, 2, 3, 2},
        {OP_SW, 0xff, line, true, 12, 1, 2, 3, 2},         // some lanes only
        {OP_SW, ALL_LANES, 0x10000, true, 14, 1, 2, 3, 2}, // no stack
        {OP_LW, ALL_LANES, 0x10000, false, 16, 1, 2, 3, 2},
    };
    for (size_t k = 0; k < TEST_COUNT(steps); k++) {
        struct simtight_access a = access_of(steps[k].op, steps[k].mask, steps[k].address, 4);
        a.is_compressed = steps[k].is_compressed;
        oracle_rv_access(o, &a, see_group, &s);
        const struct simtight_oracle_counts *c = &o->counts;
        CHECK_MSG(t,
                  c->stack_cache_beats == steps[k].beats && c->stack_cache_load_hits == steps[k].hits &&
                      c->stack_cache_load_misses == steps[k].misses &&
                      c->stack_cache_inserts == steps[k].inserts &&
                      c->stack_cache_evictions == steps[k].evictions,
                  "step %zu: %llu beats, %llu hits, %llu misses, %llu inserts, %llu evictions", k,
                  (unsigned long long)c->stack_cache_beats, (unsigned long long)c->stack_cache_load_hits,
                  (unsigned long long)c->stack_cache_load_misses, (unsigned long long)c->stack_cache_inserts,
                  (unsigned long long)c->stack_cache_evictions);
    }
    simtight_oracle_destroy(o);
    // Words of stacks: lanes side by side, then warps, then the next word.
    CHECK_EQ(t, oracle_rv_physical(0xfffffffcu, 63, 31), 0xfffffffcu);
    CHECK_EQ(t, oracle_rv_physical(0xfffffff8u, 0, 0), 0xffffc000u);
    CHECK_EQ(t, oracle_rv_physical(0xfff80001u, 2, 3), 0xc000010du);
    CHECK_EQ(t, oracle_rv_physical(0xfff7fffcu, 2, 3), 0xfff7fffcu);
}

// -- registers ---------------------------------------------------------------------------------------------
static const struct detect_row {
    const char *name;
    uint32_t base, step, lanes;
    int stride; // -1: a vector
} DETECTED[] = {
    {"uniform", 77, 0, ALL_LANES, 0},
    {"lanes", 0, 1, ALL_LANES, 1},
    {"by two", 64, 2, ALL_LANES, 2},
    {"by four", 0x80000080u, 4, ALL_LANES, 4},
    {"by three", 0, 3, ALL_LANES, -1},
    {"by eight", 0, 8, ALL_LANES, -1},
    {"falling", 1024, (uint32_t)-1, ALL_LANES, -1},
    {"base off by one", 33, 1, ALL_LANES, -1},
    {"base of lanes, by four", 32, 4, ALL_LANES, -1},
    {"around the end", 0xfffffff0u, 1, ALL_LANES, -1},
    {"up to the end", 0xffffff80u, 4, ALL_LANES, 4},
    {"uniform, not all lanes", 77, 0, ALL_LANES - 1, -1},
};

static void test_detector(struct test *t)
{
    struct simtight_oracle *o = simtight_oracle_create();
    struct warp *w = &o->warps[5];
    for (size_t k = 0; k < TEST_COUNT(DETECTED); k++) {
        const struct detect_row *row = &DETECTED[k];
        for (uint32_t lane = 0; lane < LANES; lane++) w->threads[lane].x[9] = row->base + lane * row->step;
        oracle_rv_regs_written(o, w, 9, row->lanes);
        int got = w->is_vector[9] ? -1 : w->stride[9];
        CHECK_MSG(t, got == row->stride, "%s: %d, not %d", row->name, got, row->stride);
        CHECK_EQ(t, o->vectors, row->stride < 0);
    }
    oracle_rv_regs_written(o, w, 0, 1); // x0 is never a vector
    CHECK_EQ(t, o->vectors, 1);
    CHECK_EQ(t, o->counts.vector_max, 1);
    simtight_oracle_destroy(o);
}

static void test_scalarisable(struct test *t)
{
    struct simtight_oracle *o = simtight_oracle_create();
    struct warp *w = &o->warps[0];
    w->stride[A1] = w->stride[A2] = 4;
    w->is_vector[A3] = true;
    const struct row {
        uint32_t word, active;
        bool want;
    } rows[] = {
        {ADD(T0, A0, T1), ALL_LANES, true},                  // uniform operands
        {ADD(T0, A0, T1), ALL_LANES - 1, false},             // some lanes only
        {ADD(T0, A0, A1), ALL_LANES, true},                  // one affine operand
        {ADD(T0, A1, A2), ALL_LANES, false},                 // two
        {ADDI(T0, A1, 4), ALL_LANES, true},                  // one affine operand, one immediate
        {ADD(T0, A0, A3), ALL_LANES, false},                 // a vector
        {word_r(0x33, 0, 32, T0, A1, A0), ALL_LANES, false}, // sub of an affine
        {word_r(0x33, 4, 1, T0, A0, T1), ALL_LANES, true},   // div
        {LW(T0, A0, 0), ALL_LANES, false},
        {AMOADD(T0, A0, T1), ALL_LANES, false},
        {CSRR(T0, 0xf14), ALL_LANES, false},
        {word_r(0x53, 7, 0, T0, A0, T1), ALL_LANES, false}, // fadd
        {BEQ(A0, T1, 8), ALL_LANES, true},
        {BEQ(A0, A1, 8), ALL_LANES, false},
        {PUSH, ALL_LANES, true},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct simtight_inst i = oracle_rv_decode(rows[k].word);
        CHECK_MSG(t, oracle_rv_regs_scalarisable(w, &i, rows[k].active) == rows[k].want, "row %zu, 0x%08x", k,
                  rows[k].word);
    }
    simtight_oracle_destroy(o);
}

// -- programs ----------------------------------------------------------------------------------------------
enum { CODE = 0x08000400, KERNEL_AT = 16, WORDS_MOST = 64 }; // the kernel is behind sixteen words of the host

struct run {
    struct simtight_oracle *o;
    const struct simtight_oracle_result *r;
};

static void put_field(uint8_t *bytes, unsigned size, uint32_t v)
{
    for (unsigned k = 0; k < size; k++) bytes[k] = (uint8_t)(v >> 8 * k);
}

// Makes an ELF with one segment, code at 0x08000400.
static size_t make_elf(uint8_t *elf, const uint32_t *words, size_t count)
{
    static const uint8_t magic[7] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    memset(elf, 0, 84);
    memcpy(elf, magic, sizeof magic);
    put_field(elf + 16, 2, 2);
    put_field(elf + 18, 2, 243);
    put_field(elf + 24, 4, CODE);
    put_field(elf + 28, 4, 52); // program headers: offset, size and number
    put_field(elf + 42, 2, 32);
    put_field(elf + 44, 2, 1);
    uint8_t *segment = elf + 52;
    put_field(segment, 4, 1);
    put_field(segment + 4, 4, 84);
    put_field(segment + 8, 4, CODE);
    put_field(segment + 16, 4, (uint32_t)(4 * count));
    put_field(segment + 20, 4, (uint32_t)(4 * count));
    put_field(segment + 24, 4, 5);
    for (size_t k = 0; k < count; k++) put_field(elf + 84 + 4 * k, 4, words[k]);
    return 84 + 4 * count;
}

static struct run run_words(struct test *t, const uint32_t *words, size_t count)
{
    uint8_t elf[84 + 4 * WORDS_MOST];
    const char *why = "";
    size_t length = make_elf(elf, words, count);
    struct run run = {.o = simtight_oracle_create()};
    simtight_oracle_limit(run.o, 1000000);
    CHECK(t, simtight_oracle_load(run.o, elf, length, &why));
    CHECK_STR(t, why, "");
    run.r = simtight_oracle_run(run.o);
    return run;
}

// A host that starts the kernel in blocks of `warps` warps and stores the answer at 0x08008400.
static struct run run_kernel(struct test *t, unsigned warps, const uint32_t *kernel, size_t count)
{
    uint32_t words[WORDS_MOST] = {
        LUI(T0, 0x8000),         ADDI(T0, T0, 0x400 + 4 * KERNEL_AT),
        ADDI(T1, 0, (int)warps), CSRW(0x827, T1),
        LUI(T1, 0x8008),         CSRW(0x826, T1),
        CSRW(0x823, T0),         CSRR(A0, 0x825),
        SW(A0, T1, 0x400),       RET,
    };
    memcpy(words + KERNEL_AT, kernel, count * sizeof *kernel);
    return run_words(t, words, KERNEL_AT + count);
}

#define RUN_KERNEL(T, WARPS, ...)                                                                            \
    run_kernel(T, WARPS, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define END_OK ADDI(T1, 0, 3), CSRW(0x830, T1)

static void test_nesting(struct test *t)
{
    // Odd lanes lead (lane 31), leave the level, and wait at the addition for the even lanes, still nested.
    struct run run =
        RUN_KERNEL(t, 64, CSRR(T0, 0xf14), word_i(0x13, 7, T1, T0, 1), PUSH, BEQ(T1, 0, 12), ADDI(A0, 0, 1),
                   0x0080006fu /* j +8 */, ADDI(A0, 0, 2), POP, ADDI(A1, A0, 0), END_OK);
    const struct simtight_oracle_counts *c = &run.r->total;
    CHECK_STR(t, run.r->error ? run.r->error : "", "");
    // whole warp, odd lanes, even lanes, whole warp
    CHECK_EQ(t, c->warp_instructions, 64 * (4 + 3 + 2 + 3));
    CHECK_EQ(t, c->thread_instructions, 64 * (4 * 32 + 3 * 16 + 2 * 16 + 3 * 32));
    CHECK_EQ(t, c->vector_max, 64 * 3); // T1, A0, A1; T1 is uniform at the end
    for (unsigned lane = 0; lane < LANES; lane++)
        CHECK_EQ(t, run.o->warps[3].threads[lane].x[A1], lane % 2 ? 1 : 2);
    CHECK_EQ(t, run.o->vectors, 64 * 2);
    simtight_oracle_destroy(run.o);
}

static void test_scalar_pipeline(struct test *t)
{
    // A hundred times three instructions. The first round of the loop has no predictions; a warp branching
    // back stays in the vector pipeline. In the second round the warp enters the scalar pipeline at the
    // second instruction, and leaves at the end of the loop.
    struct run run =
        RUN_KERNEL(t, 64, ADDI(A0, 0, 100), ADDI(A0, A0, -1), ADDI(A1, A1, 1), word_b(1, A0, 0, -8), END_OK);
    const struct simtight_oracle_counts *c = &run.r->total;
    CHECK_EQ(t, c->warp_instructions, 64 * (1 + 300 + 2));
    CHECK_EQ(t, c->scalarised, 2048 * (2 + 98 * 3));
    CHECK_EQ(t, c->scalarisable, 2048 * (1 + 300 + 1)); // every instruction but the command
    CHECK_EQ(t, c->scalar_aborts + c->affine_aborts, 0);
    CHECK_EQ(t, c->vector_max, 0);
    simtight_oracle_destroy(run.o);
    // lane + 4 is no base and stride kept by the file: the scalar pipeline aborts every time.
    run = RUN_KERNEL(t, 64, CSRR(A1, 0xf14), ADDI(A0, 0, 100), ADDI(A0, A0, -1), ADDI(A2, A1, 4),
                     word_b(1, A0, 0, -8), END_OK);
    c = &run.r->total;
    CHECK_EQ(t, c->affine_aborts, 64 * 99);
    CHECK_EQ(t, c->scalarised, 2048 * (1 + 98 * 2));
    CHECK_EQ(t, c->warp_instructions, 64 * (2 + 300 + 2));
    CHECK_EQ(t, c->vector_max, 64);
    simtight_oracle_destroy(run.o);
}

static void test_barriers(struct test *t)
{
    // Blocks of four warps; only warps of one block wait for each other. Each thread adds one to its
    // block's word in the scratchpad, and reads four times 32 behind the barrier.
    struct run run = RUN_KERNEL(t, 4, CSRR(T0, 0xf14), word_i(0x13, 5, T0, T0, 7), word_i(0x13, 1, T0, T0, 2),
                                LUI(A1, 0xbfff0), ADD(A1, A1, T0), ADDI(A2, 0, 1), AMOADD(0, A2, A1),
                                CSRW(0x830, 0), LW(A0, A1, 0), END_OK);
    CHECK_STR(t, run.r->error ? run.r->error : "", "");
    for (unsigned w = 0; w < WARPS; w++) CHECK_EQ(t, run.o->warps[w].threads[w % LANES].x[A0], 128);
    CHECK_EQ(t, run.r->total.barriers, 64);
    CHECK_EQ(t, oracle_rv_load(run.o, OP_LW, 0x08008400), 0);
    simtight_oracle_destroy(run.o);
    // Exit code 1: the kernel fails, and the host reads the failure.
    run = RUN_KERNEL(t, 64, ADDI(T1, 0, 1), CSRW(0x830, T1));
    CHECK_EQ(t, oracle_rv_load(run.o, OP_LW, 0x08008400), 1);
    simtight_oracle_destroy(run.o);
}

static void check_fault(struct test *t, struct run run, const char *text)
{
    CHECK_HAS(t, run.r->error ? run.r->error : "no error", text);
    simtight_oracle_destroy(run.o);
}

static void test_faults(struct test *t)
{
    check_fault(t, RUN_KERNEL(t, 64, POP), "warp 0 at 0x08000440: nesting leaves 0 to 31");
    check_fault(t, RUN_KERNEL(t, 64, PUSH, BEQ(0, 0, -4)), "nesting leaves 0 to 31");
    check_fault(t,
                RUN_KERNEL(t, 64, CSRR(T0, 0xf14), word_i(0x13, 7, T0, T0, 31), BEQ(T0, 0, 8), CSRW(0x830, 0),
                           END_OK),
                "not all lanes reach together, lanes 0xfffffffe");
    check_fault(t, RUN_KERNEL(t, 64, LUI(A1, 0x8008), AMOADD(0, A2, A1)),
                "atomics are the scratchpad's, not of 0x08008000");
    check_fault(t, RUN_KERNEL(t, 64, LW(A0, 0, 2)), "misaligned access to 0x00000002");
    check_fault(t, RUN_KERNEL(t, 64, ADDI(A0, 0, 0), 0x00000001u),
                "0x00000001 is not an instruction of this machine, at 0x08000444");
    check_fault(t, RUN_KERNEL(t, 64, RET), "no instruction at 0x00000000");
    check_fault(t, RUN_KERNEL(t, 64, 0x00000073u /* ecall */), "no instruction of a thread");
    check_fault(t, RUN_KERNEL(t, 64, CSRW(0x803, 0)), "no CSR of a thread");
    check_fault(t, RUN_KERNEL(t, 64, BEQ(0, 0, 0)), "the limit of 1000000 instructions");
    check_fault(t, RUN_KERNEL(t, 3, END_OK), "blocks of 3 warps");
    // The first warp ends, the remaining warps wait for it.
    check_fault(
        t,
        RUN_KERNEL(t, 64, CSRR(T0, 0xf14), word_i(0x13, 5, T0, T0, 5), BEQ(T0, 0, 8), CSRW(0x830, 0), END_OK),
        "barriers that others have left for good");
}

static void test_host(struct test *t)
{
    // Two lines with the same place in the host's cache: three lines are read, including the fence's beat,
    // and one line is written back.
    const uint32_t words[] = {LUI(A1, 0x8008),
                              LW(A0, A1, 0),
                              LW(A0, A1, 60),
                              LUI(A1, 0x8010),
                              SW(A1, A1, 0),
                              ADDI(A0, A1, 0),
                              0x00050008u /* flush */,
                              0x0ff0000fu /* fence */,
                              ADDI(T0, 0, 'a'),
                              CSRW(0x803, T0),
                              PUSH,
                              RET};
    struct run run = run_words(t, words, TEST_COUNT(words));
    CHECK_STR(t, run.r->error ? run.r->error : "", "");
    CHECK_STR(t, run.r->console, "a");
    CHECK_EQ(t, run.r->host_load_beats, 3);
    CHECK_EQ(t, run.r->host_store_beats, 1);
    CHECK_EQ(t, run.r->host_instructions, 12); // push has no effect on a single thread
    simtight_oracle_destroy(run.o);
    check_fault(t, run_words(t, (const uint32_t[]){CSRR(A0, 0x805)}, 1),
                "host at 0x08000400: waits for input");
    check_fault(t, run_words(t, (const uint32_t[]){AMOADD(0, A0, A1)}, 1), "an instruction of the warps");
    check_fault(t, run_words(t, (const uint32_t[]){LUI(A1, 0xbfff0), LW(A0, A1, 0)}, 2),
                "the scratchpad is the warps'");
}

static void test_files(struct test *t)
{
    uint8_t elf[84 + 4];
    const uint32_t word = RET;
    const size_t length = make_elf(elf, &word, 1);
    struct simtight_oracle *o = simtight_oracle_create();
    const char *why;
    for (size_t cut = 0; cut < length; cut++) CHECK(t, !simtight_oracle_load(o, elf, cut, &why));
    CHECK(t, simtight_oracle_load(o, elf, length, &why));
    static const struct {
        unsigned at;
        uint8_t byte;
        const char *why;
    } wrong[] = {
        {4, 2, "no 32-bit ELF file"},
        {18, 40, "no RISC-V executable"},
        {42, 8, "no program headers"},
        {72, 0, "a segment is outside the file"},
        {63, 0x07, "code is outside the instruction memory"},
        {52, 2, "no code"},
    };
    for (size_t k = 0; k < TEST_COUNT(wrong); k++) {
        struct simtight_oracle *fresh = simtight_oracle_create();
        make_elf(elf, &word, 1);
        elf[wrong[k].at] = wrong[k].byte;
        CHECK(t, !simtight_oracle_load(fresh, elf, length, &why));
        CHECK_STR(t, why, wrong[k].why);
        simtight_oracle_destroy(fresh);
    }
    simtight_oracle_destroy(o);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"values", test_values},     {"words", test_words},
        {"groups", test_groups},     {"stack cache", test_stack_cache},
        {"detector", test_detector}, {"scalarisable", test_scalarisable},
        {"nesting", test_nesting},   {"scalar pipeline", test_scalar_pipeline},
        {"barriers", test_barriers}, {"faults", test_faults},
        {"host", test_host},         {"files", test_files},
    };
    if (argc > 1 && strcmp(argv[1], "run") == 0) return oracle_rv_run_main(argc - 2, argv + 2, stdout);
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
