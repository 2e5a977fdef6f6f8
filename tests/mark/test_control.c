// Marks of RISC-V code, whose control is not that of compiled PTX: functions that are called and jumped to, jumps by
// register.
#include "mark/control.h"
#include "mark/mark.h"
#include "riscv/bench.h"

#include <stdlib.h>
#include <string.h>

static enum mark_kind kind_at(const struct program *p, uint32_t address)
{
    struct mark_rules rules;
    mark_rules_default(&rules);
    struct marks *m = marks_compute(p, &rules);
    enum mark_kind kind = (enum mark_kind)m->marks[program_index(p, address)].kind;
    marks_free(m);
    return kind;
}

static void expect(struct test *t, struct maker *m, bool is_known, uint32_t address, enum mark_kind kind)
{
    struct bench b;
    if (bench_init(&b, t, m)) {
        CHECK_EQ(t, mark_control_is_known(b.program), is_known);
        CHECK_EQ(t, kind_at(b.program, address), kind);
        bench_fini(&b);
    }
    maker_fini(m);
}

// The function adds to A0. What jumps there has numbers in A0, and what calls it, with `calls`, the thread's.
static uint32_t make_tail_call(struct maker *m, bool calls)
{
    maker_function(m, "kernel");
    maker_put(m, csrr(A0, 0xf14));
    uint32_t call = maker_here(m);
    maker_put(m, calls ? jal(RA, 0) : addi(A0, X0, 3));
    maker_put(m, addi(A0, X0, 7));
    maker_put(m, beq(X0, X0, 8));
    maker_put(m, addi(A0, X0, 5));
    uint32_t jump = maker_here(m);
    maker_put(m, jal(X0, 0));
    maker_function(m, "function");
    uint32_t here = maker_here(m);
    if (calls) m->words.data[(call - MAKER_CODE) / 4] = jal(RA, (int32_t)(here - call));
    m->words.data[(jump - MAKER_CODE) / 4] = jal(X0, (int32_t)(here - jump));
    maker_put(m, addi(A1, A0, 1));
    maker_put(m, bne(A0, X0, -4)); // where the function begins, several ways meet
    bench_end(m);
    return here;
}

static void test_callers_are_unknown(struct test *t)
{
    struct maker m = {0};
    uint32_t at = make_tail_call(&m, true);
    expect(t, &m, true, at, MARK_VECTOR);
}

// A number that is the same in all warps.
static void test_straight(struct test *t)
{
    struct maker m = {0};
    maker_function(&m, "kernel");
    maker_put(&m, addi(A0, X0, 3));
    uint32_t at = maker_here(&m);
    maker_put(&m, addi(A1, A0, 4));
    bench_end(&m);
    expect(t, &m, true, at, MARK_REDUNDANT);
}

static void test_unknown(struct test *t)
{
    const uint32_t words[] = {
        jalr(RA, A0, 0),  // a call by register
        jalr(X0, A0, 0),  // a jump by register that is no return
        jal(T0, 4),       // a call that returns by another register
        jal(RA, 4),       // a call into the midst of a function
        beq(A0, A1, -12), // to where it all began
    };
    for (size_t k = 0; k < TEST_COUNT(words); k++) {
        struct maker m = {0};
        maker_function(&m, "kernel");
        maker_put(&m, addi(A0, X0, 3));
        maker_put(&m, addi(A1, A0, 4));
        maker_put(&m, addi(A2, A1, 4));
        maker_put(&m, words[k]);
        bench_end(&m);
        expect(t, &m, false, MAKER_CODE + 4, MARK_VECTOR);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"callers_are_unknown", test_callers_are_unknown},
                                             {"straight", test_straight},
                                             {"unknown", test_unknown}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
