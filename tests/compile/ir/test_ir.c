// The representation itself: lists of uses, edges and phis stay consistent through every change, and
// ir_verify reports each kind of damage. Fails when a list is inconsistent, or a planted damage goes
// unreported.
#include "compile/ir/make.h"
#include "compile/ir/options.h"
#include "compile/ir/read.h"
#include "harness/test.h"
#include "isa/program.h"

#include <string.h>

static const char diamond[] = "function f v0:32, v1:32\n"
                              "block0:\n"
                              "  p2 = setp.lt.s32 v0, v1\n"
                              "  branch p2, block1, block2\n"
                              "block1: ; from block0\n"
                              "  v3:32 = add.u32 v0, 1\n"
                              "  jump block3\n"
                              "block2: ; from block0\n"
                              "  v4:32 = load.b32.shared [v1] @p2 old v0\n"
                              "  jump block3\n"
                              "block3: ; from block1, block2\n"
                              "  v5:32 = phi block1: v3, block2: v4\n"
                              "  v6:32 = mul.u32 v5, v5\n"
                              "  return v6\n";

struct sample {
    struct ir_unit *u;
    struct ir_function *f;
    struct ir_block *b[4];
};

static struct sample make(struct test *t)
{
    struct sample s = {.u = make_unit()};
    const char *why;
    s.f = ir_read(s.u, diamond, &why);
    CHECK_MSG(t, s.f, "%s", why);
    struct ir_block *b = s.f->first_block;
    for (unsigned k = 0; k < 4; k++, b = b->next) s.b[k] = b;
    return s;
}

static void check_sound(struct test *t, struct ir_function *f)
{
    const char *wrong = ir_verify(f);
    CHECK_MSG(t, !wrong, "%s", wrong);
}

static void check_text(struct test *t, struct ir_function *f, const char *part)
{
    struct strbuf out = {0};
    ir_print(f, &out);
    CHECK_HAS(t, strbuf_text(&out), part);
    strbuf_fini(&out);
}

static void test_uses(struct test *t)
{
    struct sample s = make(t);
    struct ir_value *v0 = s.f->params[0], *v1 = s.f->params[1];
    struct ir_inst *phi = s.b[3]->first, *mul = phi->next, *load = s.b[2]->first;
    CHECK_EQ(t, v0->use_count, 3); // setp, add, old
    CHECK_EQ(t, phi->defs[0]->use_count, 2);
    ir_set_use(mul, 1, v1);
    CHECK_EQ(t, phi->defs[0]->use_count, 1);
    CHECK_EQ(t, v1->use_count, 3);
    ir_replace(v0, v1);
    CHECK_EQ(t, v0->use_count, 0);
    CHECK_EQ(t, v1->use_count, 6);
    CHECK(t, load->old[0].value == v1);
    ir_set_uses(mul, 2, (struct ir_value *[]){v0, v0});
    CHECK_EQ(t, v0->use_count, 2);
    CHECK_EQ(t, v1->use_count, 5);
    ir_set_old(load, 0, NULL);
    ir_set_guard(load, NULL, true);
    CHECK(t, !load->guard_not);
    check_sound(t, s.f);
    make_unit_free(s.u);
}

static void test_constants(struct test *t)
{
    struct sample s = make(t);
    CHECK(t, ir_constant(s.f, IR_CLASS_32, 7) == ir_constant(s.f, IR_CLASS_32, 0x100000007));
    CHECK(t, ir_constant(s.f, IR_CLASS_64, 7) != ir_constant(s.f, IR_CLASS_32, 7));
    CHECK(t, ir_constant(s.f, IR_CLASS_PRED, 5) == ir_constant(s.f, IR_CLASS_PRED, 1));
    uint64_t bits;
    CHECK(t, ir_constant_bits(ir_constant(s.f, IR_CLASS_64, ~0ull), &bits) && bits == ~0ull);
    make_unit_free(s.u);
}

static void test_edges(struct test *t)
{
    struct sample s = make(t);
    struct ir_block *middle = ir_split_edge(s.b[1], 0);
    check_sound(t, s.f);
    CHECK(t, middle->preds[0] == s.b[1] && s.b[3]->preds[0] == middle);
    check_text(t, s.f, "v5:32 = phi block2: v3, block3: v4"); // numbered in layout order
    // A second edge from block0 to block1 through a branch with equal sides, then without.
    ir_remove_edge(s.b[0], 1);
    ir_add_edge(s.b[0], s.b[1]);
    CHECK_EQ(t, s.b[1]->pred_count, 2);
    CHECK_EQ(t, ir_pred_index(s.b[0], 1), 1);
    while (s.b[2]->succ_count) ir_remove_edge(s.b[2], 0);
    CHECK_EQ(t, s.b[3]->first->use_count, 1); // the phi lost its operand
    ir_remove_block(s.f, s.b[2]);
    check_sound(t, s.f);
    make_unit_free(s.u);
}

static void test_split_and_phis(struct test *t)
{
    struct sample s = make(t);
    struct ir_inst *mul = s.b[3]->first->next;
    struct builder cold = build_cold(mul, s.b[0]->first->defs[0]);
    struct ir_value *other = build2(&cold, IR_ADD, TYPE_U32, s.f->params[0], build_u32(&cold, 9));
    struct ir_value *both =
        build_phi(mul->block, IR_CLASS_32, (struct ir_value *[]){s.b[3]->first->defs[0], other}, 0);
    ir_set_use(mul, 0, both);
    check_sound(t, s.f);
    CHECK(t, mul->block != s.b[3] && mul->block->pred_count == 2 && mul->block->preds[0] == s.b[3]);
    make_unit_free(s.u);
}

static void test_analysis(struct test *t)
{
    struct sample s = make(t);
    ir_analyse(s.f);
    CHECK(t, s.b[3]->idom == s.b[0] && s.b[0]->idom == NULL);
    CHECK(t, s.b[0]->ipdom == s.b[3] && s.b[1]->ipdom == s.b[3] && s.b[3]->ipdom == NULL);
    CHECK(t, ir_dominates(s.b[0], s.b[2]) && !ir_dominates(s.b[1], s.b[3]) && ir_dominates(s.b[1], s.b[1]));
    CHECK_EQ(t, s.b[1]->loop_depth, 0);
    ir_remove(s.b[1]->last); // block1 goes back to itself or on
    ir_remove_edge(s.b[1], 0);
    build_branch(s.b[1], s.b[0]->first->defs[0], s.b[1], s.b[2], 0);
    ir_analyse(s.f);
    CHECK_EQ(t, s.b[1]->loop_depth, 1);
    CHECK(t, s.b[1]->loop_header == s.b[1] && s.b[2]->loop_header == NULL);
    check_sound(t, s.f);
    make_unit_free(s.u);
}

static void test_lines(struct test *t)
{
    struct ptx_file files[] = {{1, "a.cu"}};
    struct ptx_line_info infos[] = {{0},
                                    {.line = 10, .column = 1},
                                    {.line = 20, .column = 2, .inlined_at = 1, .function_name = "callee"},
                                    {.line = 10, .column = 1}};
    struct ptx_module m = {.files = files, .file_count = 1, .line_infos = infos, .line_info_count = 4};
    struct compile_options o = {0};
    struct ir_unit *u = ir_unit_create(&m, &o);
    uint32_t a = ir_line_set_of(u, 1), b = ir_line_set_of(u, 2), again = ir_line_set_of(u, 3);
    CHECK_EQ(t, ir_line_set_of(u, 0), 0);
    CHECK(t, a && b && a != b);
    CHECK_EQ(t, again, a);
    uint32_t both = ir_line_set_union(u, a, b);
    CHECK_EQ(t, ir_line_set_union(u, b, a), both);
    CHECK_EQ(t, ir_line_set_union(u, both, a), both);
    CHECK_EQ(t, ir_line_set_union(u, 0, a), a);
    const struct program_line_set *set = &u->program->line_sets[both];
    CHECK_EQ(t, set->count, 2);
    CHECK(t, set->lines[0] < set->lines[1]);
    const struct program_line *inner = &u->program->line_table[u->program->line_sets[b].lines[0]];
    CHECK_EQ(t, inner->line, 20);
    CHECK_STR(t, inner->function, "callee");
    CHECK_EQ(t, u->program->line_table[inner->inlined_at].line, 10);
    ir_unit_destroy(u);
}

// -- damage -------------------------------------------------------------------------------------------------

static void expect_fault(struct test *t, struct sample *s, const char *part)
{
    const char *wrong = ir_verify(s->f);
    if (wrong)
        CHECK_HAS(t, wrong, part);
    else
        test_fail(t, __FILE__, __LINE__, "no fault found, not \"%s\"", part);
    make_unit_free(s->u);
}

#define DAMAGE(part, ...)                                                                                    \
    do {                                                                                                     \
        struct sample s = make(t);                                                                           \
        struct ir_inst *add = s.b[1]->first, *load = s.b[2]->first, *phi = s.b[3]->first, *mul = phi->next;  \
        (void)add, (void)load, (void)phi, (void)mul;                                                         \
        __VA_ARGS__;                                                                                         \
        expect_fault(t, &s, part);                                                                           \
    } while (0)

static void test_verify(struct test *t)
{
    DAMAGE("not defined on every path", ir_set_use(mul, 0, add->defs[0]));
    DAMAGE("not defined on every path", ir_set_use(phi, 1, add->defs[0]));
    DAMAGE("not defined on every path", ir_detach(mul), ir_insert_before(s.b[0]->last, mul));
    DAMAGE("not defined on every path", ir_set_guard(add->next, NULL, false),
           ir_set_use(add, 1, add->defs[0]));
    DAMAGE("1 operands for 2 predecessors", ir_set_uses(phi, 1, (struct ir_value *[]){add->defs[0]}));
    DAMAGE("phi behind a non-phi", ir_detach(phi), ir_insert_after(mul, phi));
    DAMAGE("class of operands", ir_set_use(mul, 1, ir_constant(s.f, IR_CLASS_64, 1)));
    DAMAGE("class of operands", ir_set_uses(mul, 1, (struct ir_value *[]){phi->defs[0]}));
    DAMAGE("class of results", mul->type = TYPE_U64);
    DAMAGE("does not take this type", mul->type = TYPE_F32);
    DAMAGE("operand 1 is missing", ir_set_use(mul, 1, NULL));
    DAMAGE("have guards", ir_set_guard(add, s.b[0]->first->defs[0], false));
    DAMAGE("the guard is no predicate", ir_set_guard(load, s.f->params[0], false));
    DAMAGE("old value without a guard", ir_set_guard(load, NULL, false));
    DAMAGE("a different class", ir_set_old(load, 0, ir_constant(s.f, IR_CLASS_64, 0)));
    DAMAGE("without END", ir_remove(s.b[2]->last));
    DAMAGE("before the end of its block",
           ir_append(s.b[1], ir_inst_create(s.f, IR_EXIT, TYPE_NONE, 0, NULL, 0, NULL)));
    DAMAGE("0 successors", s.b[1]->succ_count = 0);
    DAMAGE("is unknown to its target", s.b[3]->pred_count = 1);
    DAMAGE("has no edge here", s.b[3]->preds[1] = s.b[1]);
    DAMAGE("entry has predecessors", ir_add_edge(s.b[3], s.b[0]));
    DAMAGE("was removed", ir_detach(add));
    DAMAGE("does not know its definition", add->defs[0]->def = mul);
    DAMAGE("does not know its definition", add->defs[0] = mul->defs[0]);
    DAMAGE("names a different user", add->uses[0].user = mul);
    DAMAGE("uses, lists", s.f->params[0]->use_count++);
    DAMAGE("not in its value's list", s.f->params[0]->first_use = s.f->params[0]->first_use->next);
    DAMAGE("broken list of instructions", mul->previous = NULL);
    DAMAGE("belongs to a different function", s.b[1]->function = NULL);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"uses", test_uses},         {"constants", test_constants},
        {"edges", test_edges},       {"split_and_phis", test_split_and_phis},
        {"analysis", test_analysis}, {"lines", test_lines},
        {"verify", test_verify},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
