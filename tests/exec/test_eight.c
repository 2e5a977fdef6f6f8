// Conversions between 8-bit floats, halves and singles against an H100: checksums of silicon/h100/values/conversions.csv over inputs of
// every exponent (bench/silicon/card/values_cvt.cu).
#include "base/bits.h"
#include "exec/lane.h"
#include "harness/test.h"
#include "isa/inst.h"
#include "isa/isa.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t finalise(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

// Input i of 262,144 singles: 512 fractions of every exponent and sign, among them 0, 1, all ones, and ties.
static uint32_t single(uint32_t i)
{
    static const uint32_t edges[] = {0, 1, 0x7fffff, 0x400000};
    uint64_t h = finalise(i + 1ull);
    unsigned p = 1 + (unsigned)((h >> 56 & 63) % 22);
    uint32_t f = (uint32_t)h & 0x7fffff;
    if (h >> 62 & 1) f = f >> p << p | 1u << (p - 1);
    return i / 512 << 23 | (i % 512 < 4 ? edges[i % 512] : f);
}

// One lane of an operation.
static uint32_t convert(const struct inst *i, uint32_t a, uint32_t b)
{
    uint32_t out = 0;
    struct lane_io io = {.inst = i, .lanes = 1, .active = 1, .src = {{&a}, {&b}}, .dst = {&out}};
    lane_operation_of(i->op)(&io);
    return out;
}

static uint32_t half_to_single(uint32_t half)
{
    struct inst i = {.op = OP_F2F, .type = TYPE_F32, .type2 = TYPE_F16};
    return convert(&i, half, 0);
}

// Output i of an instruction, as its name says.
static uint32_t output(const char *name, uint32_t i)
{
    struct inst p = {.op = strstr(name, "f16x2.e") ? OP_F2FPU : OP_F2FP};
    uint8_t eight = strstr(name, "e4m3") ? TYPE_E4M3 : TYPE_E5M2;
    if (strstr(name, "relu")) p.flags = INST_RELU;
    if (p.op == OP_F2FPU) {
        p.type = TYPE_F16;
        p.type2 = eight;
        return convert(&p, i, 0);
    }
    p.type = eight;
    if (strstr(name, ".f32")) return convert(&p, single(i), single(262143 - i));
    // The measured inputs of f16x2 have the half in question below, 0 above.
    return convert(&p, half_to_single(i >> 16), half_to_single(i & 0xffff));
}

static void test_card(struct test *t)
{
    FILE *file = fopen("silicon/h100/values/conversions.csv", "r");
    char line[200], name[100];
    unsigned count, found = 0;
    uint64_t wanted;
    CHECK(t, file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        if (!strstr(line, "x2.e") && !strstr(line, ".e4m3x2") && !strstr(line, ".e5m2x2")) continue;
        if (sscanf(line, "%99[^,],%u,%" SCNx64, name, &count, &wanted) != 3) continue;
        uint64_t h = 0xcbf29ce484222325ull;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t out = output(name, i);
            for (unsigned byte = 0; byte < 4; byte++) h = (h ^ (out >> 8 * byte & 0xff)) * 0x100000001b3ull;
        }
        CHECK_MSG(t, h == wanted, "%s: outputs sum to %016" PRIx64 ", not %016" PRIx64, name, h, wanted);
        found++;
    }
    CHECK_EQ(t, found, 11);
    if (file) fclose(file);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"card", test_card}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
