// A row without an implementation to execute, select or lower it is a compile error, not a crash of a
// kernel. Each table is copied with one row broken in front of the tree's own table, and the expanding
// file is compiled. Fails when a broken row compiles, or the whole table does not.
#include "harness/files.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct broken {
    const char *name, *table, *whole, *without, *expansion;
} rows[] = {
    {"isa_row_with_an_empty_body", "isa/isa.def", "ALU(lane_iabs),", ",", "src/exec/bind.c"},
    {"isa_row_without_a_body", "isa/isa.def", "ALU(lane_iabs),", "", "src/exec/bind.c"},
    {"isa_row_without_a_handler", "isa/isa.def", "RUN(exec_vote),", ",", "src/exec/bind.c"},
    {"ir_row_without_selection", "compile/ir/ir.def", "DIRECT(VABSDIFF),", "", "src/compile/select/select.c"},
    {"ir_row_with_an_empty_selection", "compile/ir/ir.def", "BY(select_prmt),", ",",
     "src/compile/select/select.c"},
    {"ptx_row_that_nothing_lowers", "compile/lower/bodies.def", "BODY(POPC, lower_popc)", "",
     "src/compile/lower/lower.c"},
};

static int compile(const char *directory, const char *expansion, char **err)
{
    char command[4000];
    snprintf(command, sizeof command, "${CC:-cc} -std=c17 -D_GNU_SOURCE -fsyntax-only -I%s -Isrc %s",
             directory, expansion);
    return test_command(command, 60, NULL, err);
}

// Writes the table to the directory, with its row whole or broken.
static void put_table(struct test *t, const struct broken *row, const char *directory, bool is_broken)
{
    char path[4000], *changed = NULL;
    const char *put = is_broken ? row->without : row->whole;
    snprintf(path, sizeof path, "src/%s", row->table);
    char *text = test_read_file(t, path, NULL), *at = strstr(text, row->whole);
    CHECK_MSG(t, at, "%s has no %s", path, row->whole);
    if (at) {
        int size = asprintf(&changed, "%.*s%s%s", (int)(at - text), text, put, at + strlen(row->whole));
        snprintf(path, sizeof path, "mkdir -p $(dirname %s/%s)", directory, row->table);
        CHECK_EQ(t, test_command(path, 10, NULL, NULL), 0);
        snprintf(path, sizeof path, "%s/%s", directory, row->table);
        CHECK(t, size > 0);
        test_write_text(t, path, changed);
    }
    free(changed);
    free(text);
}

static void test_broken_rows_do_not_compile(struct test *t)
{
    const char *directory = test_directory(t);
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        char *err = NULL;
        put_table(t, &rows[k], directory, true);
        CHECK_MSG(t, compile(directory, rows[k].expansion, &err) != 0, "%s compiles", rows[k].name);
        CHECK_MSG(t, err && strstr(err, ": error:"), "%s: %s", rows[k].name, err ? err : "");
        free(err);
        put_table(t, &rows[k], directory, false);
        CHECK_MSG(t, compile(directory, rows[k].expansion, &err) == 0, "%s: whole: %s", rows[k].name, err);
        free(err);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"broken_rows_do_not_compile", test_broken_rows_do_not_compile}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
