// Addresses of instructions in memory, by profile, as requested by fetch.
#include "harness/test.h"
#include "isa/program.h"

// Groups of three instructions in 32 bytes; the first 8 bytes of a group hold no instruction.
static void test_pascal_has_groups(struct test *t)
{
    static const uint32_t offsets[] = {8, 16, 24, 40, 48, 56, 72};
    struct program p = {.profile = PROFILE_PASCAL};
    for (uint32_t k = 0; k < TEST_COUNT(offsets); k++) CHECK_EQ(t, program_code_offset(&p, k), offsets[k]);
}

static void test_others_take_a_step_each(struct test *t)
{
    static const enum program_profile others[] = {PROFILE_SASS, PROFILE_PTXPLUS};
    for (size_t n = 0; n < TEST_COUNT(others); n++) {
        struct program p = {.profile = others[n]};
        for (uint32_t k = 0; k < 40; k++) {
            CHECK_EQ(t, program_code_offset(&p, k), PC_STEP * k);
            CHECK_EQ(t, program_insts_within(&p, k, 128 - PC_STEP * k % 128), 16 - k % 16);
        }
    }
}

// program_insts_within counts the instructions up to the end of a cache line.
static void test_instructions_of_a_line(struct test *t)
{
    struct program p = {.profile = PROFILE_PASCAL};
    for (uint32_t line = 32; line <= 256; line *= 2)
        for (uint32_t k = 0; k < 60; k++) {
            uint32_t at = program_code_offset(&p, k), end = (at / line + 1) * line, count = 0;
            while (program_code_offset(&p, k + count) < end) count++;
            CHECK_EQ(t, program_insts_within(&p, k, end - at), count);
        }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"pascal_has_groups", test_pascal_has_groups},
                                             {"others_take_a_step_each", test_others_take_a_step_each},
                                             {"instructions_of_a_line", test_instructions_of_a_line}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
