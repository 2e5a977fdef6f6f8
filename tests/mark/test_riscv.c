// Marks of RISC-V programs. The kernel is found in the file's code; registers begin at zero; thread
// numbers are affine, thread indices conditional; a value reached by untraceable control flow is a
// vector. Fails when a mark or pattern differs.
#include "api/impl.h"
#include "harness/test.h"
#include "isa/program.h"
#include "riscv/bench.h"
#include "riscv/closure.h"

enum { CLOSURE = 0x831, COMMAND = 0x830 };

struct marked {
    struct test *t;
    struct bench b;
    struct riscv_closure *closure;
    struct program *program;
    struct marks *marks;
    bool good;
};

// closure: the launch's closure words; NULL: loads are not replaced by constants.
static void mark(struct test *t, struct marked *x, struct maker *m, bool hart, const uint32_t *closure)
{
    struct mark_rules rules;
    *x = (struct marked){.t = t};
    bench_end(m);
    x->good = bench_init(&x->b, t, m);
    maker_fini(m);
    if (!x->good) return;
    mark_rules_default(&rules);
    rules.hart = hart;
    rules.grid = true;
    x->closure = riscv_closure_find(x->b.program);
    x->program = riscv_closure_program(x->closure, (const uint8_t *)closure);
    x->marks = marks_compute(closure ? x->program : x->b.program, &rules);
}

static void fini(struct marked *x)
{
    if (!x->good) return;
    marks_free(x->marks);
    program_free(x->program);
    riscv_closure_free(x->closure);
    bench_fini(&x->b);
}

static const struct mark *at(const struct marked *x, uint32_t pc)
{
    return &x->marks->marks[program_index(x->b.program, pc)];
}

static void check_kind(const struct marked *x, uint32_t pc, enum mark_kind want)
{
    if (x->good)
        CHECK_MSG(x->t, at(x, pc)->kind == want, "0x%08x is %s, not %s", pc,
                  mark_kind_name((enum mark_kind)at(x, pc)->kind), mark_kind_name(want));
}

static void check_pattern(const struct marked *x, uint32_t pc, const char *want)
{
    struct strbuf got = {0};
    if (!x->good) return;
    mark_print_pattern(&at(x, pc)->pattern, &got);
    CHECK_STR(x->t, strbuf_text(&got), want);
    strbuf_fini(&got);
}

// The reason printed for an instruction, and its root cause.
static void check_reason(const struct marked *x, uint32_t pc, const char *want, const char *root)
{
    struct strbuf got = {0};
    if (!x->good) return;
    uint32_t index = program_index(x->b.program, pc), from;
    mark_explain(x->marks, index, &got);
    CHECK_STR(x->t, strbuf_text(&got), want);
    CHECK_EQ(x->t, mark_root_cause(x->marks, index, &from), CAUSE_UNMARKED);
    CHECK_EQ(x->t, from, UINT32_MAX);
    strbuf_clear(&got);
    mark_print_root(x->marks, index, &got);
    CHECK_STR(x->t, strbuf_text(&got), root);
    strbuf_fini(&got);
}

// Puts an instruction; returns its address.
static uint32_t put(struct maker *m, uint32_t word)
{
    uint32_t pc = maker_here(m);
    maker_put(m, word);
    return pc;
}

static void test_registers(struct test *t)
{
    struct maker m = {0};
    struct marked x;
    bench_begin(&m);
    uint32_t zero = put(&m, addi(A2, S5, 7)); // S5 has its value at kernel entry
    uint32_t number = put(&m, addi(A3, A0, 0));
    uint32_t times = put(&m, slli(A4, A0, 3));
    mark(t, &x, &m, true, NULL);
    check_kind(&x, zero, MARK_REDUNDANT);
    check_pattern(&x, zero, "uniform 7");
    check_kind(&x, number, MARK_VECTOR);
    check_pattern(&x, number, "affine ?+%laneid");
    check_pattern(&x, times, "affine ?+8*%laneid");
    fini(&x);
}

static void test_immediate_masks(struct test *t)
{
    struct maker m = {0};
    struct marked x;
    bench_begin(&m);
    uint32_t lane = put(&m, andi(A2, A0, 31)), half = put(&m, andi(A3, A0, 15)),
             holes = put(&m, andi(A4, A0, 13)), two_warps = put(&m, andi(A5, A0, 63)),
             shifted = put(&m, srli(A6, A0, 1)), other = put(&m, andi(A6, A6, 15));
    for (unsigned hart = 0; hart < 2; hart++) {
        if (!hart) {
            struct maker copy = {0};
            for (size_t k = 0; k < m.words.count; k++) maker_put(&copy, m.words.data[k]);
            mark(t, &x, &copy, false, NULL);
            check_kind(&x, lane, MARK_VECTOR);
            fini(&x);
            continue;
        }
        mark(t, &x, &m, true, NULL);
        check_kind(&x, lane, MARK_REDUNDANT);
        check_pattern(&x, lane, "affine %laneid");
        check_kind(&x, half, MARK_REDUNDANT);
        check_pattern(&x, half, "affine threadIdx.x");
        check_kind(&x, holes, MARK_VECTOR);
        check_kind(&x, two_warps, MARK_VECTOR);
        check_kind(&x, shifted, MARK_VECTOR);
        check_kind(&x, other, MARK_VECTOR);
        fini(&x);
    }
}

// threadIdx.x by a mask supplied by the host, as in simt.h.
static void put_index(struct maker *m, uint32_t *load, uint32_t *index, uint32_t *address)
{
    bench_begin(m);
    maker_word(m, 0);
    maker_put(m, csrrw(A5, CLOSURE, X0));
    *load = put(m, lw(A6, A5, 4));
    *index = put(m, rv_r(0x33, 7, 0, A2, A0, A6));
    *address = put(m, slli(A3, A2, 2));
}

static void test_loaded_mask(struct test *t)
{
    static const struct {
        uint32_t mask;
        enum mark_kind kind;
    } launches[] = {{15, MARK_REDUNDANT},
                    {31, MARK_REDUNDANT},
                    {63, MARK_VECTOR},
                    {2047, MARK_VECTOR},
                    // no index mask: stays a constant of the launch; flat blocks do not meet the condition
                    {20, MARK_CONDITIONAL}};
    static const uint32_t flat[3] = {BENCH_THREADS, 1, 1}, eight[3] = {8, 4, 1};
    uint32_t load, index, address;
    struct mark_rules rules;
    mark_rules_default(&rules);
    for (unsigned k = 0; k < TEST_COUNT(launches); k++) {
        struct maker m = {0};
        struct marked x;
        put_index(&m, &load, &index, &address);
        mark(t, &x, &m, true, (const uint32_t[]){0, launches[k].mask});
        check_kind(&x, load, MARK_REDUNDANT);
        check_kind(&x, index, launches[k].kind);
        check_kind(&x, address, launches[k].kind);
        if (x.good && launches[k].kind == MARK_CONDITIONAL) {
            CHECK_EQ(t, mark_promoted(at(&x, index), mark_conditions_met(&rules, flat)), MARK_VECTOR);
            CHECK_EQ(t, mark_promoted(at(&x, index), mark_conditions_met(&rules, eight)), MARK_REDUNDANT);
            check_pattern(&x, address, "affine 4*threadIdx.x");
        }
        fini(&x);
    }
    struct maker plain = {0};
    struct marked x;
    put_index(&plain, &load, &index, &address);
    mark(t, &x, &plain, true, NULL);
    check_kind(&x, load, MARK_VECTOR);
    check_kind(&x, index, MARK_VECTOR);
    fini(&x);
}

// Code behind the end of a warp is another function and is not reached.
static void test_reach(struct test *t)
{
    struct maker m = {0};
    struct marked x;
    bench_begin(&m);
    uint32_t over = put(&m, jal(X0, 8)), skipped = put(&m, addi(A2, X0, 1)), next = put(&m, addi(A2, X0, 2));
    uint32_t call = put(&m, jal(RA, 20)), behind = put(&m, addi(A3, X0, 3)),
             changed = put(&m, addi(A4, A2, 0));
    maker_put(&m, addi(A5, X0, 3));
    maker_put(&m, csrrw(X0, COMMAND, A5));
    uint32_t callee = put(&m, addi(A2, A2, 1));
    maker_put(&m, RET);
    mark(t, &x, &m, false, NULL);
    if (x.good) {
        CHECK(t, at(&x, over)->reached && !at(&x, skipped)->reached && at(&x, next)->reached);
        CHECK(t, at(&x, call)->reached && at(&x, behind)->reached && at(&x, callee)->reached);
        CHECK(t, !at(&x, callee + 8)->reached); // of bench_end, without a path
    }
    check_kind(&x, next, MARK_REDUNDANT);
    check_kind(&x, behind, MARK_REDUNDANT);
    check_kind(&x, changed, MARK_VECTOR); // the function may have written A2
    check_kind(&x, callee, MARK_VECTOR);
    fini(&x);
}

// A jump by a register other than a link has unknown targets.
static void test_jump(struct test *t)
{
    struct maker m = {0};
    struct marked x;
    bench_begin(&m);
    uint32_t constant = put(&m, addi(A2, X0, 1)), number = put(&m, addi(A4, A0, 0));
    maker_li(&m, A3, maker_here(&m) + 16);
    uint32_t jump = put(&m, jalr(X0, A3, 0));
    mark(t, &x, &m, true, NULL);
    check_kind(&x, constant, MARK_VECTOR);
    check_pattern(&x, constant, "unstructured");
    check_reason(&x, constant, "V: belongs to a program without marks", "unmarked");
    check_reason(&x, number, "V: belongs to a program without marks", "unmarked");
    check_reason(&x, jump, "V: belongs to a program without marks", "unmarked");
    CHECK(t, !x.good || !at(&x, constant)->grid);
    fini(&x);
}

// Warps of different groups run different numbers of iterations of a loop with a barrier.
static void test_groups(struct test *t)
{
    struct maker m = {0};
    struct marked x;
    bench_begin(&m);
    maker_put(&m, srli(A2, A0, 5)); // the warp
    uint32_t head = maker_here(&m), count = put(&m, addi(A3, A3, 1));
    maker_put(&m, csrwi(COMMAND, 0));
    maker_put(&m, blt(A3, A2, (int32_t)(head - maker_here(&m))));
    uint32_t behind = put(&m, addi(A4, A3, 0));
    maker_put(&m, csrwi(COMMAND, 0));
    uint32_t later = put(&m, addi(A6, A3, 0));
    mark(t, &x, &m, false, NULL);
    check_kind(&x, count, MARK_VECTOR);
    check_kind(&x, behind, MARK_VECTOR);
    check_kind(&x, later, MARK_VECTOR);
    fini(&x);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"registers begin at nought, numbers are affine", test_registers},
        {"the hart's number under an immediate mask", test_immediate_masks},
        {"the hart's number under a mask of the launch", test_loaded_mask},
        {"where control comes to", test_reach},
        {"a jump to a computed place", test_jump},
        {"barriers of groups", test_groups},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
