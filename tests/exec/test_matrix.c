// Matrix instructions as machine code: all lanes of a warp take part, a warp of 64 lanes has two products, and faults name the lane.
// Values of products: tests/exec/tensor.
#include "base/bits.h"
#include "exec/machine.h"
#include "harness/test.h"

#define STORE(r) "MOV R30, 0x4\nIMAD.WIDE R2, R0, R30, c[0x0][0x160]\nSTG.E [R2], " r "\nEXIT\n"

// a and b are ones, so every sum is the depth.
static const char ones[] = "S2R R0, SR_TID.X\n"
                           "MOV R4, 0x3c003c00\nMOV R5, R4\nMOV R6, R4\nMOV R7, R4\nMOV R8, R4\nMOV R9, R4\n"
                           "HMMA.16816.F32.F16 R12, R4, R8, RZ\n"
                           "HMMA.16816.F32.F16 R12, R4, R8, R12\n" STORE("R15");

static void check_ones(struct test *t, uint32_t threads, uint32_t warp_size)
{
    struct machine m;
    if (!machine_init(&m, t, ones, threads)) return;
    m.launch.warp_size = warp_size;
    uint64_t out = machine_buffer(&m, 4 * threads);
    machine_must_run(&m);
    for (uint32_t k = 0; k < threads; k++) CHECK_EQ(t, machine_words(&m, out)[k], f32_bits(32.0f));
    machine_fini(&m);
}

static void test_products(struct test *t)
{
    check_ones(t, 32, 32);
    check_ones(t, 96, 32);
    check_ones(t, 128, 64);
}

static void test_missing_lanes(struct test *t)
{
    struct machine m;
    if (!machine_init(&m, t,
                      "S2R R0, SR_TID.X\nISETP.LT.AND P0, PT, R0, 0x1f, PT\nMOV R4, RZ\n"
                      "@P0 MOVM.16.MT88 R5, R4\nEXIT\n",
                      32))
        return;
    machine_must_fault(&m, FAULT_MEMBERS, "lane 31 does not execute a matrix instruction");
    machine_fini(&m);
    if (!machine_init(&m, t, ones, 40)) return;
    machine_buffer(&m, 4 * 40);
    machine_must_fault(&m, FAULT_MEMBERS, "warp 1, lane 0");
    machine_fini(&m);
}

// Rows of 16 bytes; the transposed matrix exchanges places of rows and columns.
static void test_loads(struct test *t)
{
    struct machine m;
    if (!machine_init(
            &m, t,
            ".shared 512\nS2R R0, SR_TID.X\nSHL R1, R0, 0x2\nIMAD R4, R0, 0x10001, RZ\nSTS [R1], R4\n"
            "SHL R5, R0, 0x4\nLOP3.LUT R5, R5, 0x7f, RZ, 0xc0\n"
            "LDSM.16.MT88 R8, [R5]\nMOVM.16.MT88 R9, R8\n" STORE("R9"),
            32))
        return;
    uint64_t out = machine_buffer(&m, 4 * 32);
    machine_must_run(&m);
    // Word k holds k twice, so row g has its words 4g + q in lane 4g + q: transposed twice, the words themselves.
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ(t, machine_words(&m, out)[k], k * 0x10001);
    machine_fini(&m);
}

static void test_bad_addresses(struct test *t)
{
    struct machine m;
    if (!machine_init(&m, t, ".shared 512\nMOV R1, 0x8\nLDSM.16.M88.4 R4, [R1]\nEXIT\n", 32)) return;
    machine_must_fault(&m, FAULT_ALIGNMENT, "0x8 is not a multiple of 16");
    machine_fini(&m);
    if (!machine_init(&m, t, ".shared 512\nMOV R1, 0x200\nLDSM.16.M88.4 R4, [R1]\nEXIT\n", 32)) return;
    machine_must_fault(&m, FAULT_SHARED, "outside the block's shared memory");
    machine_fini(&m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"products", test_products},
                                             {"missing_lanes", test_missing_lanes},
                                             {"loads", test_loads},
                                             {"bad_addresses", test_bad_addresses}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
