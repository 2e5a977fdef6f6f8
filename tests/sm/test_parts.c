// tools/check-parts: every way of writing to another part of an SM is found, and nothing else is reported.
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <stdlib.h>
#include <sys/stat.h>

static int check(struct test *t, const char *name, const char *text, char **out)
{
    struct strbuf command = {0};
    char *err;
    strbuf_printf(&command, "%s/deeper", test_directory(t));
    mkdir(command.text, 0777);
    strbuf_fini(&command);
    strbuf_printf(&command, "%s/%s", test_directory(t), name);
    test_write_text(t, command.text, text);
    strbuf_fini(&command);
    strbuf_printf(&command, "tools/check-parts %s", test_directory(t));
    int status = test_command(command.text, 60, out, &err);
    CHECK_STR(t, err, "");
    free(err);
    strbuf_fini(&command);
    return status;
}

static void test_writes(struct test *t)
{
    static const char *const writes[] = {"s->front.pc = 1;",
                                         "w->front.count--;",
                                         "++w->lsu.loads;",
                                         "s->warps[slot].operands.owed |= 2;",
                                         "s->issue.order[k][n] = 3;",
                                         "s->warps[bit_lowest(left)].warp = NULL;",
                                         "ring_add(&s->ready.wakes, s->now, 4, 5);",
                                         "vec_push(&s->room.ends, end);",
                                         "memset(s->operands.ready, 0, 8);",
                                         "free(s->account.inst_slots);",
                                         "struct lsu *l = &s->lsu;",
                                         "s->board.lanes = 0;",
                                         "struct board_warp *b = &s->board.warps[slot];",
                                         "s->predict.wrong &= ~(1ull << slot);",
                                         "struct predict *p = &s->predict;",
                                         "g->counts.fetch_hits += 6;",
                                         "w->grid->counts.issue_issued++;",
                                         "w->grid = NULL;",
                                         "g->tags.constant_there[k / 64] |= 1ull << k % 64;"};
    for (size_t k = 0; k < TEST_COUNT(writes); k++) {
        struct strbuf text = {0}, expected = {0};
        char *out;
        strbuf_printf(&text, "int a;\n%s\n", writes[k]);
        const char *name = k % 2 ? "deeper/other.c" : "other.c";
        CHECK_EQ(t, check(t, name, text.text, &out), 1);
        strbuf_printf(&expected, "%s:2: error: only ", name);
        CHECK_HAS(t, out, expected.text);
        CHECK_HAS(t, out, writes[k]);
        free(out);
        CHECK_EQ(t, check(t, name, "int a;\n", &out), 0);
        free(out);
        strbuf_fini(&text);
        strbuf_fini(&expected);
    }
}

static void test_reads(struct test *t)
{
    char *out;
    CHECK_EQ(t,
             check(t, "other.c",
                   "if (s->front.pc == 1 && w->lsu.loads <= 2) x = s->issue.order[k][n];\n"
                   "const struct lsu *l = &s->lsu;\nw->warp->pc = w->front.head;\n"
                   "front_take(&w->front);\nn = g->counts.fetch_hits;\nx = w->grid->ops;\n",
                   &out),
             0);
    CHECK_STR(t, out, "parts: each is written by its owner alone\n");
    free(out);
    CHECK_EQ(t, check(t, "front.h", "s->front.pc = 1;\nw->front.count--;\n", &out), 0);
    free(out);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"writes", test_writes}, {"reads", test_reads}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
