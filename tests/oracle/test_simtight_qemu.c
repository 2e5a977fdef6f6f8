// The oracle for RISC-V against qemu-riscv32 at every pair of edge values: every instruction of RV32IM,
// branches, and instructions of F, except where SIMTight's machine differs from F (minima and maxima by
// comparison, rounding modes ignored). The test assembles a program of straight code, one ELF file, word by
// word; the program writes every result at once. Fails when a result differs.
#include "harness/test.h"
#include "oracle/simtight_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 0x00400000, RESULTS = 0x10000000, A0 = 10, A1 = 11, A2 = 12, A3 = 13, A7 = 17 };

static const uint32_t EDGES[] = {
    0,           1,           2,           3,           31,          32,          33,          0x7ffffffeu,
    0x7fffffffu, 0x80000000u, 0x80000001u, 0xfffffffeu, 0xffffffffu, 0x12345678u, 0xdeadbeefu, 0x3f800000u,
    0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x00800000u, 0x00400000u, 0x4f000000u, 0xcf000000u,
    0x4effffffu, 0x4f800000u, 0x3effffffu, 0xc0300000u, 0x7f7fffffu, 0x33800000u};
enum { EDGE_COUNT = sizeof EDGES / sizeof EDGES[0], PAIRS = EDGE_COUNT * EDGE_COUNT };

enum kind { INTEGER, IMMEDIATE, BRANCH, REAL, REAL_TO_INTEGER, INTEGER_TO_REAL, REAL_COMPARE };

// The word with A2, A0 and A1 (or f0 to f2) as rd, rs1 and rs2. A shift's immediate is EDGES[k] & 31, other
// immediates are the low 12 bits of EDGES[k].
static const struct op_row {
    enum kind kind;
    uint32_t word; // opcode, funct3, funct7 and a fixed rs2
} OPS[] = {
#define R(F7, F3)                                                                                            \
    {                                                                                                        \
        INTEGER, (F7) << 25 | (F3) << 12 | 0x33                                                              \
    }
#define I(F7, F3)                                                                                            \
    {                                                                                                        \
        IMMEDIATE, (F7) << 25 | (F3) << 12 | 0x13                                                            \
    }
#define B(F3)                                                                                                \
    {                                                                                                        \
        BRANCH, (F3) << 12 | 0x63                                                                            \
    }
#define F(KIND, F7, F3, X)                                                                                   \
    {                                                                                                        \
        KIND, (uint32_t)(F7) << 25 | (X) << 20 | (F3) << 12 | 0x53                                           \
    }
    R(0, 0),
    R(32, 0),
    R(0, 1),
    R(0, 2),
    R(0, 3),
    R(0, 4),
    R(0, 5),
    R(32, 5),
    R(0, 6),
    R(0, 7),
    R(1, 0),
    R(1, 1),
    R(1, 2),
    R(1, 3),
    R(1, 4),
    R(1, 5),
    R(1, 6),
    R(1, 7),
    I(0, 0),
    I(0, 1),
    I(0, 2),
    I(0, 3),
    I(0, 4),
    I(0, 5),
    I(32, 5),
    I(0, 6),
    I(0, 7),
    B(0),
    B(1),
    B(4),
    B(5),
    B(6),
    B(7),
    F(REAL, 0x00, 0, 0),
    F(REAL, 0x04, 0, 0),
    F(REAL, 0x08, 0, 0),
    F(REAL, 0x0c, 0, 0),
    F(REAL, 0x2c, 0, 0),
    F(REAL, 0x10, 0, 0),
    F(REAL, 0x10, 1, 0),
    F(REAL, 0x10, 2, 0),
    F(REAL_TO_INTEGER, 0x60, 1, 0),
    F(REAL_TO_INTEGER, 0x60, 1, 1), // towards zero
    F(INTEGER_TO_REAL, 0x68, 0, 0),
    F(INTEGER_TO_REAL, 0x68, 0, 1),
    F(REAL_COMPARE, 0x50, 0, 0),
    F(REAL_COMPARE, 0x50, 1, 0),
    F(REAL_COMPARE, 0x50, 2, 0),
};

struct code {
    uint32_t *words;
    size_t count;
};

static void put(struct code *c, uint32_t word) { c->words[c->count++] = word; }

static void put_constant(struct code *c, unsigned rd, uint32_t v)
{
    uint32_t low = v & 0xfff, high = v + 0x800; // addi extends by sign
    put(c, (high & 0xfffff000u) | rd << 7 | 0x37);
    put(c, low << 20 | rd << 15 | rd << 7 | 0x13);
}

static bool shifts(uint32_t word) { return (word >> 12 & 3) == 1; }

// The immediate for an edge value: five bits for a shift, else twelve.
static uint32_t immediate_of(uint32_t word, uint32_t b) { return shifts(word) ? b & 31 : b & 0xfff; }

static uint32_t with_registers(const struct op_row *op, uint32_t b)
{
    const bool is_real_in = op->kind == REAL || op->kind == REAL_TO_INTEGER || op->kind == REAL_COMPARE;
    const bool is_real_out = op->kind == REAL || op->kind == INTEGER_TO_REAL;
    const bool has_fixed_rs2 =
        op->kind == REAL_TO_INTEGER || op->kind == INTEGER_TO_REAL || op->word >> 25 == 0x2c;
    uint32_t word = op->word | (is_real_in ? 0u : A0) << 15;
    if (op->kind == BRANCH) return word | A1 << 20 | 8u << 7; // skips one instruction
    word |= (is_real_out ? 2u : A2) << 7;
    if (op->kind == IMMEDIATE) return word | immediate_of(op->word, b) << 20;
    return has_fixed_rs2 ? word : word | (is_real_in ? 1u : A1) << 20;
}

// Writes one case: a to A0 and f0, b to A1 and f1, the operation, a store of A2 at A3.
static void put_case(struct code *c, const struct op_row *op, uint32_t a, uint32_t b)
{
    put_constant(c, A0, a);
    put_constant(c, A1, b);
    put(c, 0xf0000053u | A0 << 15);          // fmv.w.x f0, a0
    put(c, 0xf0000053u | A1 << 15 | 1 << 7); // fmv.w.x f1, a1
    if (op->kind == BRANCH) put(c, 1u << 20 | A2 << 7 | 0x13);
    put(c, with_registers(op, b));
    if (op->kind == BRANCH) put(c, A2 << 7 | 0x13); // skipped if the branch is taken
    if (op->kind == REAL || op->kind == INTEGER_TO_REAL)
        put(c, 0xe0000053u | 2 << 15 | A2 << 7);  // fmv.x.w a2, f2
    put(c, A2 << 20 | A3 << 15 | 2 << 12 | 0x23); // sw a2, 0(a3)
    put(c, 4u << 20 | A3 << 15 | A3 << 7 | 0x13);
}

static void put_field(uint8_t *bytes, uint32_t v)
{
    for (unsigned k = 0; k < 4; k++) bytes[k] = (uint8_t)(v >> 8 * k);
}

static void put_segment(uint8_t *header, uint32_t offset, uint32_t address, uint32_t in_file,
                        uint32_t in_memory, uint32_t flags)
{
    const uint32_t fields[8] = {1, offset, address, address, in_file, in_memory, flags, 4096};
    for (unsigned k = 0; k < 8; k++) put_field(header + 4 * k, fields[k]);
}

static bool write_elf(const char *path, const struct code *c, size_t result_bytes)
{
    uint8_t head[4096] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    put_field(head + 16, 243u << 16 | 2);
    put_field(head + 20, 1);
    put_field(head + 24, CODE);
    put_field(head + 28, 52);
    put_field(head + 40, 32u << 16 | 52);
    put_field(head + 44, 2);
    put_segment(head + 52, 4096, CODE, (uint32_t)(4 * c->count), (uint32_t)(4 * c->count), 5);
    put_segment(head + 84, 0, RESULTS, 0, (uint32_t)result_bytes, 6);
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool is_written = fwrite(head, sizeof head, 1, f) == 1 && fwrite(c->words, 4, c->count, f) == c->count;
    return fclose(f) == 0 && is_written;
}

static uint32_t oracle_says(const struct op_row *op, uint32_t a, uint32_t b)
{
    struct simtight_inst i = oracle_rv_decode(with_registers(op, b));
    if (op->kind == BRANCH) return oracle_rv_branches(i.op, a, b);
    return oracle_rv_value(&i, a, op->kind == IMMEDIATE ? i.imm : b, 0);
}

static void compare(struct test *t, FILE *results)
{
    unsigned wrong = 0;
    for (size_t k = 0; k < TEST_COUNT(OPS); k++)
        for (size_t pair = 0; pair < PAIRS && wrong < 10; pair++) {
            uint32_t a = EDGES[pair / EDGE_COUNT], b = EDGES[pair % EDGE_COUNT],
                     got = oracle_says(&OPS[k], a, b), want;
            if (fread(&want, 4, 1, results) != 1) {
                test_fail(t, __FILE__, __LINE__, "qemu wrote too little");
                return;
            }
            if (got == want) continue;
            struct simtight_inst i = oracle_rv_decode(with_registers(&OPS[k], b));
            test_fail(t, __FILE__, __LINE__, "%s(0x%08x, 0x%08x) is 0x%08x, qemu says 0x%08x",
                      oracle_rv_op_names[i.op], a, b, got, want);
            wrong++;
        }
}

static void test_edges(struct test *t)
{
    if (!test_has_tool("qemu-riscv32")) {
        test_skip(t, "qemu-riscv32 is not installed (Debian: qemu-user)");
        return;
    }
    const size_t result_bytes = TEST_COUNT(OPS) * PAIRS * 4;
    struct code c = {.words = malloc(TEST_COUNT(OPS) * PAIRS * 12 * 4 + 64)};
    if (!c.words) abort();
    put_constant(&c, A3, RESULTS);
    for (size_t k = 0; k < TEST_COUNT(OPS); k++)
        for (size_t pair = 0; pair < PAIRS; pair++)
            put_case(&c, &OPS[k], EDGES[pair / EDGE_COUNT], EDGES[pair % EDGE_COUNT]);
    put_constant(&c, A0, 1); // write(1, RESULTS, result_bytes), exit(0): Linux's calls 64 and 93
    put_constant(&c, A1, RESULTS);
    put_constant(&c, A2, (uint32_t)result_bytes);
    put_constant(&c, A7, 64);
    put(&c, 0x73);
    put_constant(&c, A0, 0);
    put_constant(&c, A7, 93);
    put(&c, 0x73);

    char elf[512], command[2048], *out, *err;
    snprintf(elf, sizeof elf, "%s/edges.elf", test_directory(t));
    CHECK(t, write_elf(elf, &c, result_bytes));
    free(c.words);
    snprintf(command, sizeof command, "chmod +x %s && qemu-riscv32 %s > %s.out", elf, elf, elf);
    int status = test_command(command, 100, &out, &err);
    CHECK_MSG(t, status == 0, "qemu-riscv32 ends with %d: %s", status, err);
    free(out);
    free(err);
    snprintf(command, sizeof command, "%s.out", elf);
    FILE *results = fopen(command, "rb");
    CHECK(t, results);
    if (!results) return;
    compare(t, results);
    fclose(results);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"edge values", test_edges}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
