// Time of matrix products: a dependent chain and an independent stream of every unit, against published and measured tables, within
// 10 %. Cases run n and 2n products; the difference is n products without the kernel's beginning and end.
#include "chip/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a at R48 and b at R52, c and d from R0 on: few registers of a product share a bank.
enum { TIMES = 64, SUBCORES = 4, ACCUMULATORS = 8 };

// Cycles of the code, `times` times.
static uint64_t cycles_of(struct test *t, const char *gpu, const char *code, unsigned times, unsigned threads,
                          struct gpu_counts *counts)
{
    struct strbuf text = {0};
    struct gpu_bench b;
    for (unsigned k = 0; k < times; k++) strbuf_puts(&text, code);
    strbuf_puts(&text, "EXIT\n");
    uint64_t cycles = 0;
    if (gpu_bench_init(&b, t, gpu, "icache.perfect=1", strbuf_text(&text), threads)) {
        cycles = gpu_cycles(&b);
        if (counts) *counts = b.result.gpu;
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
    return cycles;
}

// Cycles of one instruction of `code`, which has `each` of them.
static double cycles_each(struct test *t, const char *gpu, const char *code, unsigned each, unsigned threads)
{
    uint64_t once = cycles_of(t, gpu, code, TIMES, threads, NULL),
             twice = cycles_of(t, gpu, code, 2 * TIMES, threads, NULL);
    return (double)(twice - once) / TIMES / each;
}

static void check_near(struct test *t, const char *gpu, const char *what, const char *name, double got,
                       double want)
{
    CHECK_MSG(t, fabs(got - want) <= 0.1 * want, "%s: %s of %s: %.2f cycles, not %.2f within 10 %%", gpu,
              what, name, got, want);
}

// Tables: cycles from a product to a dependent product, and between independent products of a sub-core.
// - h100: silicon/h100/card.csv, "latency D to C" and "8 accumulators, loop of 32, 8 warps".
// - others: latencies of NVIDIA's scheduling tables in Mesa (NAK) and of ptxas 13.0; a chain on a unit busy for longer than the latency
//   takes the unit's time. Intervals: data-sheet rates (the sources in gpus/).
static const struct {
    const char *gpu, *mnemonic;
    unsigned width; // registers of d
    double latency, interval;
    bool is_sparse;
} rows[] = {
    {"h100", "HMMA.1688.F16.F16", 2, 17.06, 4.06, false},
    {"h100", "HMMA.1688.F32.F16", 4, 17.06, 4.07, false},
    {"h100", "HMMA.16816.F16.F16", 2, 24.12, 6.07, false},
    {"h100", "HMMA.16816.F32.F16", 4, 24.12, 6.08, false},
    {"h100", "HMMA.1688.F32.BF16", 4, 17.06, 4.06, false},
    {"h100", "HMMA.16816.F32.BF16", 4, 24.12, 6.08, false},
    {"h100", "HMMA.1684.F32.TF32", 4, 17.06, 4.07, false},
    {"h100", "HMMA.1688.F32.TF32", 4, 24.12, 6.08, false},
    {"h100", "IMMA.8816.S8.S8", 2, 14.12, 4.05, false},
    {"h100", "IMMA.16816.S8.S8", 4, 17.06, 4.07, false},
    {"h100", "IMMA.16832.S8.S8", 4, 24.12, 6.08, false},
    {"h100", "BMMA.88128.AND", 2, 14.12, 4.06, false},
    {"h100", "BMMA.168128.AND", 4, 17.06, 4.07, false},
    {"h100", "BMMA.168256.AND", 4, 24.12, 6.08, false},
    {"h100", "DMMA.884", 4, 26.09, 16.02, false},
    {"h100", "HMMA.SP.16816.F32.F16", 4, 17.31, 6.15, true},
    {"h100", "HMMA.SP.16832.F32.F16", 4, 24.37, 8.26, true},
    {"h100", "IMMA.SP.16832.S8.S8", 4, 17.31, 6.21, true},
    {"h100", "IMMA.SP.16864.S8.S8", 4, 24.37, 8.23, true},
    {"h100", "QMMA.16832.F32.E4M3.E4M3", 4, 67.44, 26.58, false},
    {"h100", "QMMA.16832.F16.E4M3.E4M3", 2, 63.66, 17.00, false},
    {"a100", "HMMA.1688.F32.F16", 4, 16, 4, false},
    {"a100", "HMMA.16816.F16.F16", 2, 24, 8, false},
    {"a100", "HMMA.16816.F32.F16", 4, 24, 8, false},
    {"a100", "HMMA.1684.F32.TF32", 4, 16, 4, false},
    {"a100", "HMMA.1688.F32.TF32", 4, 24, 8, false},
    {"a100", "IMMA.16816.S8.S8", 4, 16, 4, false},
    {"a100", "IMMA.16832.S8.S8", 4, 24, 8, false},
    {"a100", "IMMA.16864.S4.S4", 4, 24, 8, false},
    {"a100", "BMMA.168256.XOR", 4, 24, 8, false},
    {"a100", "DMMA.884", 4, 26, 16, false},
    {"a100", "HMMA.SP.16832.F32.F16", 4, 24, 8, true},
    {"rtx3080", "HMMA.16816.F16.F16", 2, 24, 16, false},
    {"rtx3080", "HMMA.16816.F32.F16", 4, 32, 32, false},
    {"rtx3080", "IMMA.16832.S8.S8", 4, 24, 16, false},
    {"rtx4090", "HMMA.16816.F32.F16", 4, 33, 32, false}, // measured: two in 66.3
    {"rtx4090", "QMMA.16832.F16.E4M3.E4M3", 2, 24, 16, false},
    {"rtx2080ti", "HMMA.1688.F16.F16", 2, 14, 8, false},
    {"rtx2080ti", "HMMA.1688.F32.F16", 4, 16, 16, false},
    {"rtx2080ti", "IMMA.8816.S8.S8", 2, 10, 4, false},
    {"rtx8000", "HMMA.1688.F32.F16", 4, 14, 8, false},
    {"titanv", "HMMA.884.F16.F16", 4, 13, 8, false},
};

static void test_tables(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        const char *more = rows[k].is_sparse ? ", 0x0, R56" : "";
        struct strbuf code = {0};
        strbuf_printf(&code, "%s R0, R48, R52, R0%s\n", rows[k].mnemonic, more);
        double latency = cycles_each(t, rows[k].gpu, strbuf_text(&code), 1, 32);
        strbuf_fini(&code);
        code = (struct strbuf){0};
        for (unsigned n = 0; n < ACCUMULATORS; n++)
            strbuf_printf(&code, "%s R%u, R48, R52, R%u%s\n", rows[k].mnemonic, n * rows[k].width,
                          n * rows[k].width, more);
        double interval =
            cycles_each(t, rows[k].gpu, strbuf_text(&code), ACCUMULATORS, 2 * 32 * SUBCORES) / 2;
        strbuf_fini(&code);
        check_near(t, rows[k].gpu, "latency", rows[k].mnemonic, latency, rows[k].latency);
        check_near(t, rows[k].gpu, "interval", rows[k].mnemonic, interval, rows[k].interval);
    }
}

#define EIGHT(mnemonic)                                                                                      \
    mnemonic " R0, R48, R52, R0\n" mnemonic " R4, R48, R52, R4\n" mnemonic " R8, R48, R52, R8\n" mnemonic    \
             " R12, R48, R52, R12\n" mnemonic " R16, R48, R52, R16\n" mnemonic                               \
             " R20, R48, R52, R20\n" mnemonic " R24, R48, R52, R24\n" mnemonic " R28, R48, R52, R28\n"

// A unit belongs to a sub-core: a warp alone takes one unit's time, four warps take as long.
static void test_unit_of_subcore(struct test *t)
{
    static const char code[] = EIGHT("HMMA.16816.F32.F16");
    struct gpu_counts counts;
    double alone = cycles_each(t, "a100", code, ACCUMULATORS, 32),
           four = cycles_each(t, "a100", code, ACCUMULATORS, 4 * 32),
           eight = cycles_each(t, "a100", code, ACCUMULATORS, 8 * 32);
    CHECK_MSG(t, alone == 8 && four == 8 && eight == 16, "%.2f, %.2f, %.2f cycles", alone, four, eight);
    cycles_of(t, "a100", code, 1, 32, &counts);
    CHECK_EQ(t, counts.product_half, ACCUMULATORS * 16 * 8 * 16);
    CHECK_EQ(t, counts.lanes[LANES_PRODUCT], ACCUMULATORS * 32);
    CHECK(t, counts.slots[SLOT_UNIT] > 0);
}

// Other instructions of the warp issue while products wait for nothing but the unit.
static void test_beside(struct test *t)
{
    static const char
        products[] = EIGHT("HMMA.16816.F32.F16"),
        both[] = "HMMA.16816.F32.F16 R0, R48, R52, R0\nFFMA R60, R61, R62, R63\nFFMA R64, R61, R62, R63\n"
                 "HMMA.16816.F32.F16 R4, R48, R52, R4\nFFMA R65, R61, R62, R63\nFFMA R66, R61, R62, R63\n"
                 "HMMA.16816.F32.F16 R8, R48, R52, R8\nFFMA R67, R61, R62, R63\nFFMA R68, R61, R62, R63\n"
                 "HMMA.16816.F32.F16 R12, R48, R52, R12\nFFMA R69, R61, R62, R63\nFFMA R70, R61, R62, R63\n";
    double without = cycles_each(t, "a100", products, 8, 8 * 32),
           with = cycles_each(t, "a100", both, 4, 8 * 32);
    CHECK_MSG(t, with <= 1.05 * without, "a product takes %.2f cycles, with two FFMA %.2f", without, with);
}

// Wavefronts of LDSM: one a matrix; eight where the rows of a matrix share four banks. R1: a lane's address.
static void test_wavefronts(struct test *t)
{
    static const struct {
        const char *mode, *shift;
        unsigned passes;
    } cases[] = {{"M88", "0x4", 1},    {"M88.2", "0x4", 2}, {"M88.4", "0x4", 4},
                 {"MT88.4", "0x4", 4}, {"M88", "0x7", 8},   {"M88.2", "0x7", 16},
                 {"M88.4", "0x7", 32}, {"M88.4", "0x5", 8}, {"MT88.2", "0x5", 4}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        char code[200];
        struct gpu_counts counts;
        snprintf(code, sizeof code, ".shared 4096\nS2R R0, SR_TID.X\nSHL R1, R0, %s\nLDSM.16.%s R4, [R1]\n",
                 cases[k].shift, cases[k].mode);
        cycles_of(t, "a100", code, 1, 32, &counts);
        CHECK_EQ(t, counts.shared_accesses, 1);
        CHECK_MSG(t, counts.shared_conflict_cycles + 1 == cases[k].passes, "%s: %u wavefronts, not %u", code,
                  (unsigned)counts.shared_conflict_cycles + 1, cases[k].passes);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"tables", test_tables},
        {"unit_of_subcore", test_unit_of_subcore},
        {"beside", test_beside},
        {"wavefronts", test_wavefronts},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
