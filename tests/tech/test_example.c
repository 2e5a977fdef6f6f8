// The mechanisms, the scheduler and the grid policy shown by docs/tutorial/mechanism.md,
// docs/howto/add-a-scheduler.md and add-a-grid-policy.md, added as the pages say: a file and a row.
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the page's code block that begins with the given fence to a file.
static void extract(struct test *t, const char *page, const char *fence, const char *path, const char *before)
{
    const char *start = strstr(page, fence);
    const char *end = start ? strstr(start + strlen(fence), "```") : NULL;
    CHECK_MSG(t, end != NULL, "the page has no %s", fence);
    if (!end) return;
    start += strlen(fence);
    char *text = NULL;
    int length = asprintf(&text, "%s%.*s", before, (int)(end - start), start);
    CHECK(t, length > 0);
    test_write_text(t, path, text);
    free(text);
}

// Builds the command with `sources` in front of the library's.
static void build(struct test *t, const char *directory, const char *sources)
{
    char command[8000], *err;
    const char *extra = strstr(test_binary(), "build-asan")   ? "-fsanitize=address,undefined"
                        : strstr(test_binary(), "build-tsan") ? "-fsanitize=thread"
                                                              : "";
    snprintf(command, sizeof command,
             "D=%s; B=$(dirname %s); "
             "L=$(echo '#include <sqlite3.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1 && echo -lsqlite3); "
             "${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion "
             "-Werror %s -I$D -Isrc %s $B/src/cli/main.o $B/libwarpfold.a -lm "
             "$L -pthread -o $D/warpfold",
             directory, test_binary(), extra, sources);
    CHECK_EQ(t, test_command(command, 120, NULL, &err), 0);
    CHECK_STR(t, err, "");
    free(err);
}

static unsigned long long counted(struct test *t, const char *directory, const char *workload)
{
    char command[4000], *out, *at;
    snprintf(command, sizeof command, "%s/warpfold bench %s --size small --gpu tiny --tech parted --json -",
             directory, workload);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    at = strstr(out, "\"parted.instructions\": ");
    CHECK_MSG(t, at != NULL, "%s: no counter", workload);
    unsigned long long n = at ? strtoull(at + 23, NULL, 10) : 0;
    free(out);
    return n;
}

// Extracts a page's file, adds its row at the end of a table, and builds the command with both.
static void add(struct test *t, const char *page_path, const char *file, const char *table,
                const char *sources)
{
    const char *directory = test_directory(t);
    char path[4000];
    snprintf(path, sizeof path, "src/%s", table);
    char *page = test_read_file(t, page_path, NULL), *rows = test_read_file(t, path, NULL);
    snprintf(path, sizeof path, "%s/%s", directory, file);
    extract(t, page, "```c\n", path, "");
    snprintf(path, sizeof path, "mkdir -p $(dirname %s/%s)", directory, table);
    CHECK_EQ(t, test_command(path, 10, NULL, NULL), 0);
    snprintf(path, sizeof path, "%s/%s", directory, table);
    extract(t, page, "```def\n", path, rows);
    build(t, directory, sources);
    free(page);
    free(rows);
}

static void test_parted(struct test *t)
{
    add(t, "docs/tutorial/mechanism.md", "parted.c", "tech/registry.def", "$D/parted.c src/tech/registry.c");
    CHECK_EQ(t, counted(t, test_directory(t), "vecadd"), 0); // whole warps throughout
    CHECK(t, counted(t, test_directory(t), "nqueens") > 1000);
}

// A short example of a group of hooks. Its file has the page's code below the heading, behind the code of the
// group `after`, and a row of the test: the fields of struct tech besides those of example.h.
struct group {
    const char *heading, *after, *name, *fields;
    const char *arguments, *counter; // of a run that counts more than the unmodified GPU
};

static const struct group groups[] = {
    {"Blocks", NULL, "blocks",
     ".claims = CLAIMS(HOLDS), .skipped = -1, .reused = -1, .issued = issued, .blocks = &blocks", "",
     "sm.slots.sync"},
    {"Program", NULL, "program", ".skipped = -1, .reused = -1, .program = &program", "", NULL},
    {"Skipping", NULL, "skipping", ".claims = CLAIMS(FETCH), .reused = -1, .skipping = &skipping", "",
     "skipped_warp_instructions"},
    {"Execution", NULL, "execution", ".claims = CLAIMS(EXECUTION), .skipped = -1, .execution = &execution",
     "", "reused_warp_instructions"},
    {"Registers", NULL, "registers",
     ".claims = CLAIMS(OPERANDS), .skipped = -1, .reused = -1, .registers = &registers", "",
     "sm.operand.near_reads"},
    {"Lines", NULL, "lines", ".claims = CLAIMS(L1_LINES), .skipped = -1, .reused = -1, .lines = &lines",
     "--set l1.global=1", "sm.l1.early_requests"},
    {"Guest", "Program", "guest",
     ".claims = CLAIMS(GUEST_STREAM), .skipped = -1, .reused = -1, .program = &program, .guest = &guests, "
     ".warp_start = warp_start",
     "", "sm.guest.issued"},
    {"Port", NULL, "port",
     ".claims = CLAIMS(ISSUE_PORT), .skipped = -1, .reused = -1, .issued = issued, .port = port", "",
     "sm.issue.port"},
    {"Dispatch", NULL, "dispatch",
     ".claims = CLAIMS(DISPATCH), .skipped = -1, .reused = -1, .dispatch = &dispatch", "", NULL},
    {"Description", NULL, "description", ".skipped = -1, .reused = -1, .description = &description", "",
     NULL},
};

static void add_code(struct test *t, const char *page, const char *heading, struct strbuf *out)
{
    char title[40];
    snprintf(title, sizeof title, "\n### %s\n", heading);
    const char *start = strstr(page, title), *next = start ? strstr(start + 1, "\n### ") : NULL;
    start = start ? strstr(start, "```c\n") : NULL;
    CHECK_MSG(t, start && (!next || start < next), "no example of %s", heading);
    if (!start) return;
    start += strlen("```c\n");
    strbuf_write(out, start, (size_t)(strstr(start, "```") - start));
}

static void write_group(struct test *t, const char *page, const struct group *g)
{
    struct strbuf code = {0};
    char path[4000];
    strbuf_printf(&code, "#define tech_mine tech_mine_%s\n#include \"tests/tech/example.h\"\n\n", g->name);
    if (g->after) add_code(t, page, g->after, &code);
    add_code(t, page, g->heading, &code);
    strbuf_printf(&code, "\nconst struct tech tech_mine = {EXAMPLE, .name = \"mine_%s\", %s};\n", g->name,
                  g->fields);
    snprintf(path, sizeof path, "%s/%s.c", test_directory(t), g->name);
    test_write_text(t, path, strbuf_text(&code));
    strbuf_fini(&code);
}

// A counter of a small matrix product with a mechanism. The product is compared with the CPU's.
static unsigned long long count_with(struct test *t, const struct group *g, const char *tech)
{
    char command[4000], key[80], *out, *err;
    snprintf(command, sizeof command,
             "%s/warpfold bench matrixMul --size small --gpu tiny --set sim.check=1 --tech %s %s --json -",
             test_directory(t), tech, g->arguments);
    CHECK_MSG(t, test_command(command, 60, &out, &err) == 0, "%s: %s", command, err);
    snprintf(key, sizeof key, "\"%s\": ", g->counter ? g->counter : "cycles");
    const char *at = strstr(out, key);
    CHECK_MSG(t, at != NULL, "%s: no %s", command, key);
    unsigned long long n = at ? strtoull(at + strlen(key), NULL, 10) : 0;
    free(out);
    free(err);
    return n;
}

static void check_group(struct test *t, const struct group *g)
{
    char tech[40];
    snprintf(tech, sizeof tech, "mine_%s", g->name);
    unsigned long long with = count_with(t, g, tech), without = count_with(t, g, "base");
    if (g->counter)
        CHECK_MSG(t, with > without, "%s: %s %llu, without %llu", tech, g->counter, with, without);
}

// Options that the description's example refuses.
static void check_refusal(struct test *t)
{
    char command[4000], *err;
    snprintf(command, sizeof command, "%s/warpfold bench vecadd --tech mine_description:ways=4,entries=2",
             test_directory(t));
    CHECK_EQ(t, test_command(command, 20, NULL, &err), 2);
    CHECK_HAS(t, err, "more ways than entries");
    free(err);
}

// The page's headings of groups. Every one has an example, and a row in `groups`.
static unsigned count_headings(const char *start)
{
    const char *end = strstr(start, "\n## ");
    unsigned n = 0;
    for (const char *p = start; end && (p = strstr(p, "\n### ")) && p < end; p++) n++;
    return n;
}

static void test_groups(struct test *t)
{
    static const char chapter[] = "\n## Groups of further hooks\n";
    const char *directory = test_directory(t);
    char path[4000], *page = test_read_file(t, "docs/tutorial/mechanism.md", NULL),
                     *rows = test_read_file(t, "src/tech/registry.def", NULL);
    struct strbuf table = {0}, sources = {0};
    const char *start = strstr(page, chapter);
    CHECK(t, start && count_headings(start + strlen(chapter)) == TEST_COUNT(groups));
    strbuf_puts(&table, rows);
    strbuf_puts(&sources, "-I. src/tech/registry.c");
    for (size_t k = 0; k < TEST_COUNT(groups); k++) {
        write_group(t, page, &groups[k]);
        strbuf_printf(&table, "TECH(mine_%s)\n", groups[k].name);
        strbuf_printf(&sources, " $D/%s.c", groups[k].name);
    }
    snprintf(path, sizeof path, "%s/mine.h", directory);
    extract(t, start ? start : page, "```c\n", path, "");
    snprintf(path, sizeof path, "mkdir -p %s/tech", directory);
    CHECK_EQ(t, test_command(path, 10, NULL, NULL), 0);
    snprintf(path, sizeof path, "%s/tech/registry.def", directory);
    test_write_text(t, path, strbuf_text(&table));
    build(t, directory, strbuf_text(&sources));
    for (size_t k = 0; k < TEST_COUNT(groups); k++) check_group(t, &groups[k]);
    check_refusal(t);
    strbuf_fini(&table);
    strbuf_fini(&sources);
    free(page);
    free(rows);
}

static uint64_t cycles(struct test *t, const char *scheduler)
{
    char command[4000], *out, *at;
    snprintf(command, sizeof command,
             "%s/warpfold bench hotspot --size small --gpu tiny --set issue.scheduler=%s --json -",
             test_directory(t), scheduler);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    at = strstr(out, "\"cycles\": ");
    uint64_t n = at ? strtoull(at + 10, NULL, 10) : 0;
    free(out);
    return n;
}

static void test_youngest(struct test *t)
{
    add(t, "docs/howto/add-a-scheduler.md", "youngest.c", "sm/issue/pick.def",
        "$D/youngest.c src/sm/issue/pick/pick.c src/sm/config.c");
    uint64_t youngest = cycles(t, "youngest");
    CHECK(t, youngest && youngest != cycles(t, "gto") && youngest != cycles(t, "lrr"));
}

// Two launches in separate streams, the second shorter: true if the second ends first, by start and cycles.
static bool second_is_first(struct test *t, const char *policy)
{
    char command[4000], *out, *at;
    uint64_t cycles[2] = {0};
    snprintf(command, sizeof command,
             "cd %s && printf 'load %s/kernels/ptx/nvcc/vecadd.ptx\\nbuffer a f32:65536:iota\\nstream "
             "x\\nstream y\\n"
             "launch vecadd 256 256 a a a s32=65536 stream=x\\nlaunch vecadd 8 256 a a a s32=0 stream=y\\n' "
             "> two.wf && "
             "./warpfold run --script two.wf --gpu tiny --set gpu.dispatch=%s --json -",
             test_directory(t), getenv("PWD"), policy);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    at = strstr(out, "\"launches\": [");
    for (unsigned k = 0; k < 2 && at; k++) {
        at = strstr(at, "\"cycles\": ");
        cycles[k] = at ? strtoull(at += 10, NULL, 10) : 0;
    }
    CHECK_MSG(t, cycles[0] && cycles[1], "%s", out);
    free(out);
    return cycles[1] < cycles[0] / 2;
}

static void test_shortest(struct test *t)
{
    add(t, "docs/howto/add-a-grid-policy.md", "shortest.c", "chip/dispatch.def",
        "$D/shortest.c src/chip/dispatch.c src/chip/config.c");
    CHECK(t, second_is_first(t, "shortest"));
    CHECK(t, !second_is_first(t, "oldest"));
}

// -- docs/howto/add-a-mechanism.md: the blocks of C before the test are one file, rows go into two tables ----
static const char complete_page[] = "docs/howto/add-a-mechanism.md";

// Appends the page's next block between `fence` and a line of ```, from *at on. False: no further block before `end`.
static bool take_block(const char **at, const char *end, const char *fence, struct strbuf *out)
{
    const char *start = strstr(*at, fence), *stop = start ? strstr(start + strlen(fence), "```") : NULL;
    if (!stop || start >= end) return false;
    start += strlen(fence);
    strbuf_printf(out, "%.*s\n", (int)(stop - start), start);
    *at = stop + strlen("```");
    return true;
}

// Writes a table of src/ with the page's next rows on top into the test's folder.
static void add_rows(struct test *t, const char **at, const char *end, const char *table)
{
    struct strbuf text = {0};
    char path[4000];
    snprintf(path, sizeof path, "mkdir -p $(dirname %s/%s)", test_directory(t), table);
    CHECK_EQ(t, test_command(path, 10, NULL, NULL), 0);
    CHECK_MSG(t, take_block(at, end, "```def\n", &text), "%s has no rows for %s", complete_page, table);
    snprintf(path, sizeof path, "src/%s", table);
    char *rows = test_read_file(t, path, NULL);
    strbuf_puts(&text, rows);
    snprintf(path, sizeof path, "%s/%s", test_directory(t), table);
    test_write_text(t, path, strbuf_text(&text));
    strbuf_fini(&text);
    free(rows);
}

// Runs a command in the test's folder, with the program built there for build/warpfold.
static void run_there(struct test *t, const char *line, size_t length, int expected)
{
    struct strbuf command = {0};
    char *out;
    const char *name = strstr(line, "build/warpfold");
    strbuf_printf(&command, "cd %s && { ./%.*s; } 2>&1", test_directory(t), (int)(line + length - name - 6),
                  name + 6);
    int status = test_command(strbuf_text(&command), 60, &out, NULL);
    CHECK_MSG(t, status == expected, "%s\n    ends with %d, not %d\n%s", strbuf_text(&command), status,
              expected, out);
    strbuf_fini(&command);
    free(out);
}

// Runs the lines of a block that begin with build/warpfold. Returns how many.
static unsigned run_lines(struct test *t, const char *block)
{
    unsigned count = 0;
    for (const char *line = block; *line; line += strcspn(line, "\n") + 1) {
        if (!str_starts_with(line, "build/warpfold ")) continue;
        run_there(t, line, strcspn(line, "#\n"), 0);
        count++;
    }
    return count;
}

static void test_complete(struct test *t)
{
    char *page = test_read_file(t, complete_page, NULL), path[4000], command[9000];
    const char *test = strstr(page, "\n## A test\n"), *code = page, *rows = page,
               *look = strstr(page, "## Build and look");
    struct strbuf file = {0}, lines = {0};
    CHECK(t, test && look);
    if (!test || !look) return;
    while (take_block(&code, test, "```c\n", &file)) continue;
    snprintf(path, sizeof path, "%s/echo.c", test_directory(t));
    test_write_text(t, path, strbuf_text(&file));
    add_rows(t, &rows, test, "tech/registry.def");
    add_rows(t, &rows, test, "energy/structures.def");
    build(t, test_directory(t), "$D/echo.c src/tech/registry.c src/energy/energy.c");
    CHECK(t, take_block(&look, test, "```sh\n", &lines));
    CHECK(t, run_lines(t, strbuf_text(&lines)) > 5);
    static const char corrupt[] =
        "build/warpfold bench matrixMul --size small --gpu tiny --verify --tech echo:entries=16,corrupt=50";
    run_there(t, corrupt, strlen(corrupt), 4);
    snprintf(
        command, sizeof command,
        "cd %s && grep -c '\"output_hash\"' base.json && grep -o '\"output_hash.*' base.json >b && "
        "grep -o '\"output_hash.*' echo.json >e && cmp b e && grep -q '\"echo.reused\": [1-9]' echo.json && "
        "grep -q '\"echo: tags, reads\"' echo.json",
        test_directory(t));
    CHECK_EQ(t, test_command(command, 10, NULL, NULL), 0);
    strbuf_fini(&file);
    strbuf_fini(&lines);
    free(page);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"parted", test_parted},
                                             {"groups", test_groups},
                                             {"complete", test_complete},
                                             {"youngest", test_youngest},
                                             {"shortest", test_shortest}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
