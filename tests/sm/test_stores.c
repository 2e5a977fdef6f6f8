// An SM reads its own stores within a window, before they reach memory. Adjacent lanes, logged as a single
// store, and scattered lanes, in every width.
#include "chip/bench.h"
#include "exec/memory.h"

#include <string.h>

// Lane l stores W bytes, made of its address, at l * stride. Lane l then loads the bytes of lane (l + 5) %
// 32 and stores them in the second buffer.
static void check_width(struct test *t, unsigned width, unsigned stride, unsigned offset)
{
    static const char *const suffixes[] = {[1] = ".U8", [2] = ".U16", [4] = "", [8] = ".64", [16] = ".128"};
    struct strbuf text = {0};
    struct gpu_bench b;
    strbuf_printf(
        &text,
        "S2R R0, SR_TID.X\nMOV R8, 0x%x\nIMAD R0, R0, R8, 0x%x\nIADD3 R8, R0, 0x%x, RZ\n"
        "LOP3.LUT R8, R8, 0x%x, RZ, 0xc0\nMOV R3, c[0x0][0x164]\nMOV R5, R3\nMOV R7, c[0x0][0x16c]\n"
        "IADD3 R2, R0, c[0x0][0x160], RZ\nIADD3 R4, R8, c[0x0][0x160], RZ\n"
        "IADD3 R6, R0, c[0x0][0x168], RZ\n",
        stride, offset, 5 * stride, 32 * stride - 1);
    for (unsigned n = 0; n < 4; n++)
        strbuf_printf(&text, "LEA R%u, R0, R0, 0x8\nIADD3 R%u, R%u, 0x%x, RZ\n", 12 + n, 12 + n, 12 + n,
                      77 * n);
    strbuf_printf(&text, "STG.E%s [R2], R12\nLDG.E%s R16, [R4]\nSTG.E%s [R6], R16\nEXIT\n", suffixes[width],
                  suffixes[width], suffixes[width]);
    if (gpu_bench_init(&b, t, "tiny", "icache.perfect=1", strbuf_text(&text), 32)) {
        uint64_t in = machine_buffer(&b.m, 4096), out = machine_buffer(&b.m, 4096);
        gpu_cycles(&b);
        const uint8_t *stored = memory_host(b.m.memory, in, 4096), *read = memory_host(b.m.memory, out, 4096);
        for (unsigned l = 0; l < 32; l++) {
            uint32_t value[4], at = l * stride + offset, from = (at + 5 * stride) & (32 * stride - 1);
            for (unsigned n = 0; n < 4; n++) value[n] = (at << 8) + at + 77 * n;
            CHECK_MSG(t, memcmp(stored + at, value, width) == 0, "width %u, stride %u, lane %u stored", width,
                      stride, l);
            CHECK_MSG(t, memcmp(read + at, stored + from, width) == 0, "width %u, stride %u, lane %u read",
                      width, stride, l);
        }
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
}

static void test_widths(struct test *t)
{
    for (unsigned width = 1; width <= 16; width *= 2) {
        check_width(t, width, width, 0);     // adjacent
        check_width(t, width, 2 * width, 0); // scattered
        check_width(t, width, 64, 0);
    }
}

// The whole row is refused because of its last lanes alone; the report names the first of the last lanes.
static void test_bounds(struct test *t)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", "",
                       "S2R R0, SR_TID.X\nSHL R0, R0, 0x2\nMOV R3, c[0x0][0x164]\n"
                       "IADD3 R2, R0, c[0x0][0x160], RZ\nSTG.E [R2], R0\nEXIT\n",
                       32)) {
        machine_buffer(&b.m, 120); // lanes 30 and 31 are out of bounds
        CHECK(t, !gpu_bench_run(&b));
        CHECK_EQ(t, b.m.fault.kind, FAULT_BOUNDS);
        CHECK_HAS(t, b.m.fault.text ? b.m.fault.text : "", "thread (30,0,0)");
    }
    gpu_bench_fini(&b);
    if (gpu_bench_init(&b, t, "tiny", "",
                       "S2R R0, SR_TID.X\nSHL R0, R0, 0x2\nMOV R3, c[0x0][0x164]\n"
                       "IADD3 R2, R0, c[0x0][0x160], RZ\nIADD3 R2, R2, 0x1, RZ\nSTG.E [R2], R0\nEXIT\n",
                       32)) {
        machine_buffer(&b.m, 256);
        CHECK(t, !gpu_bench_run(&b));
        CHECK_EQ(t, b.m.fault.kind, FAULT_ALIGNMENT);
    }
    gpu_bench_fini(&b);
}

// Of two overlapping rows the later row wins, lane by lane, whatever the lines.
static void test_overlap(struct test *t)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", "icache.perfect=1",
                       "S2R R0, SR_TID.X\nSHL R1, R0, 0x2\nMOV R3, c[0x0][0x164]\nMOV R5, c[0x0][0x16c]\n"
                       "IADD3 R2, R1, c[0x0][0x160], RZ\nIADD3 R4, R1, c[0x0][0x168], RZ\n"
                       "IADD3 R8, R0, 0x64, RZ\nSTG.E [R2], R0\nSTG.E [R2+0x20], R8\nLDG.E R9, [R2+0x10]\n"
                       "STG.E [R4], R9\nEXIT\n",
                       32)) {
        machine_buffer(&b.m, 512);
        uint64_t out = machine_buffer(&b.m, 128);
        gpu_cycles(&b);
        for (uint32_t l = 0; l < 32; l++) // word l + 4 of the buffer
            CHECK_EQ(t, machine_words(&b.m, out)[l], l + 4 < 8 ? l + 4 : 0x64 + l + 4 - 8);
    }
    gpu_bench_fini(&b);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"widths", test_widths}, {"bounds", test_bounds}, {"overlap", test_overlap}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
