// program_join: two programs behind each other, both unchanged but for moved targets.
#include "base/str.h"
#include "isa/asm.h"
#include "isa/isa.h"

// A jump table, branches with and without a reconvergence point, and a function to call.
static const char first[] = ".table 0 even odd\n"
                            "    S2R R0, SR_TID.X\n"
                            "    BRX R0, table 0\n"
                            "even:\n"
                            "    CALL R20, twice\n"
                            "odd:\n"
                            "    EXIT\n"
                            ".function twice\n"
                            "    IADD3 R0, R0, R0, RZ\n"
                            "    RET R20\n";
static const char second[] = ".table 0 here there\n"
                             "    ISETP.NE.AND P0, PT, R9, RZ, PT\n"
                             "@P0 BRA out, join out\n"
                             "here:\n"
                             "    BRX R0, table 0\n"
                             "there:\n"
                             "    CALL R20, thrice\n"
                             "out:\n"
                             "    EXIT\n"
                             ".function thrice\n"
                             "    IADD3 R30, R0, R0, R0\n"
                             "    RET R20\n";

static void check_branch(struct test *t, const struct inst *is, const struct inst *was, uint32_t by,
                         uint32_t tables)
{
    CHECK_EQ(t, is->op, was->op);
    if (was->op == OP_BRX) CHECK_EQ(t, is->table, was->table + tables);
    if (was->op == OP_BRA || was->op == OP_CALL) CHECK_EQ(t, is->target, was->target + by);
    if (was->op != OP_BRA && was->op != OP_BRX) return;
    CHECK_EQ(t, is->reconverge, was->reconverge == NO_TARGET ? NO_TARGET : was->reconverge + by);
}

static void check_part(struct test *t, const struct program *both, const struct program *part, uint32_t by,
                       uint32_t functions, uint32_t tables)
{
    for (uint32_t n = 0; n < part->inst_count; n++)
        check_branch(t, &both->insts[by + n], &part->insts[n], by, tables);
    for (uint32_t f = 0; f < part->function_count; f++) {
        CHECK_STR(t, both->functions[functions + f].name, part->functions[f].name);
        CHECK_EQ(t, both->functions[functions + f].first, part->functions[f].first + by);
        CHECK_EQ(t, both->functions[functions + f].count, part->functions[f].count);
    }
    for (uint32_t k = 0; k < part->table_count; k++)
        for (uint32_t n = 0; n < part->tables[k].count; n++)
            CHECK_EQ(t, both->tables[tables + k].targets[n], part->tables[k].targets[n] + by);
}

static void test_both(struct test *t)
{
    struct program *p = asm_program(t, first), *q = asm_program(t, second);
    if (!p || !q) return;
    struct program *both = program_join(p, q);
    CHECK_MSG(t, program_check(both) == NULL, "%s", program_check(both));
    CHECK_EQ(t, both->inst_count, p->inst_count + q->inst_count);
    CHECK_EQ(t, both->function_count, 4);
    CHECK_EQ(t, both->reg_count, p->reg_count); // registers beside do not count as the warp's own
    CHECK_EQ(t, both->beside_reg_count, 31);
    CHECK_EQ(t, both->pred_count, 1);
    check_part(t, both, p, 0, 0, 0);
    check_part(t, both, q, p->inst_count, p->function_count, p->table_count);
    program_free(both);
    program_free(q);
    program_free(p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"both", test_both}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
