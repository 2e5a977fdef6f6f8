// Reasons behind marks, where the chain of causes is long or a cycle. Fails when a reason breaks off or a
// root cause differs.
#include "isa/asm.h"
#include "isa/inst.h"
#include "mark/mark.h"

struct reasons {
    struct test *t;
    struct program *program;
    struct marks *marks;
};

static bool begin(struct reasons *r, struct test *t, const char *code)
{
    struct mark_rules rules;
    mark_rules_default(&rules);
    rules.tid_y = true;
    *r = (struct reasons){.t = t, .program = asm_program(t, code)};
    if (r->program) r->marks = marks_compute(r->program, &rules);
    return r->program;
}

static void end(struct reasons *r)
{
    marks_free(r->marks);
    program_free(r->program);
}

static void check(const struct reasons *r, uint32_t inst, const char *want, enum mark_cause root)
{
    struct strbuf got = {0};
    uint32_t from;
    mark_explain(r->marks, inst, &got);
    CHECK_STR(r->t, strbuf_text(&got), want);
    CHECK_EQ(r->t, mark_root_cause(r->marks, inst, &from), root);
    strbuf_fini(&got);
}

// A value computed in 30,000 steps.
static void test_long(struct test *t)
{
    enum { STEPS = 30000 };
    struct strbuf text = {0};
    struct reasons r;
    strbuf_puts(&text, "S2R R0, SR_TID.X\n");
    for (unsigned k = 0; k < STEPS; k++) strbuf_puts(&text, "IADD3 R0, R0, 0x1, RZ\n");
    strbuf_puts(&text, "EXIT\n");
    if (begin(&r, t, text.text)) {
        check(&r, 0, "CR: if x divides the warp size: reads threadIdx.x (0x0000)", CAUSE_THREAD_INDEX);
        for (uint32_t k = 1; k <= STEPS; k += STEPS - 1)
            check(&r, k, "CR: if x divides the warp size: depends on threadIdx.x (0x0000)",
                  CAUSE_THREAD_INDEX);
    }
    end(&r);
    strbuf_fini(&text);
}

// Two sums add up each other in a loop: each gets the other's condition, and both are to blame.
static void test_cycle(struct test *t)
{
    static const char want[] =
        "CR: if x divides the warp size, and x*y divides the warp size or y = 1: depends "
        "on a value that is carried around a loop";
    struct reasons r;
    if (begin(&r, t,
              "S2R R0, SR_TID.X\n S2R R1, SR_TID.Y\n MOV R5, RZ\n top:\n IADD3 R0, R0, R1, RZ\n"
              "IADD3 R1, R1, R0, RZ\n IADD3 R5, R5, 0x1, RZ\n ISETP.LT.AND P0, PT, R5, 0x5, PT\n"
              "@P0 BRA top, join out\n out:\n IADD3 R6, R1, 0x1, RZ\n EXIT\n")) {
        check(&r, 3, want, CAUSE_SOURCE);
        check(&r, 4, want, CAUSE_SOURCE);
        check(&r, 8, want, CAUSE_SOURCE);
    }
    end(&r);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"long", test_long}, {"cycle", test_cycle}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
