// The documentation matches the program. Fails where a command of the README or a page prints something else,
// or where an example script differs from its page.
#include "base/file.h"
#include "base/str.h"
#include "cli/cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_text(struct test *t, const char *path)
{
    char *text = NULL;
    size_t length;
    const char *why = "";
    CHECK_MSG(t, file_read(path, &text, &length, &why), "%s: %s", path, why);
    return text ? text : strdup("");
}

static bool is_figure(const char *word) { return strspn(word, "0123456789.,e+-%") == strlen(word); }

enum { CELLS = 24 };

// A row of a table: cells, separated by two or more blanks.
struct row {
    char *text, *cells[CELLS]; // text: heap
    unsigned count;
};

static void row_split(struct row *r, const char *line)
{
    *r = (struct row){.text = strdup(line)};
    for (char *p = r->text; *p && r->count < CELLS;) {
        p += strspn(p, " ");
        if (!*p) break;
        r->cells[r->count++] = p;
        char *end = strstr(p, "  ");
        if (!end) break;
        *end = 0;
        p = end + 1;
    }
}

// Whether a column depends on the host's clock: "host seconds", "M warp instr/host s".
static bool is_of_host(const struct row *head, unsigned column)
{
    return column < head->count && strstr(head->cells[column], "host");
}

static bool is_head(const struct row *r)
{
    for (unsigned k = 0; k < r->count; k++)
        if (is_figure(r->cells[k])) return false;
    return r->count > 2;
}

static bool is_rule(const char *line) { return *line == '-' && strspn(line, "-") == strlen(line); }

// Equal but for figures in columns of host time.
static bool same_line(const struct row *head, const char *got, const char *want)
{
    struct row a, b;
    if (strcmp(got, want) == 0) return true;
    if (is_rule(got) && is_rule(want)) return true; // as wide as its table
    row_split(&a, got);
    row_split(&b, want);
    bool same = a.count == b.count;
    for (unsigned k = 0; same && k < a.count; k++)
        same = strcmp(a.cells[k], b.cells[k]) == 0 ||
               (is_of_host(head, k) && is_figure(a.cells[k]) && is_figure(b.cells[k]));
    free(a.text);
    free(b.text);
    return same;
}

// Output of a page's command, stdout and stderr interleaved as on a terminal. Heap.
static char *run_command(struct test *t, const char *command)
{
    struct strbuf full = {0};
    char *out;
    // The page says build/warpfold; another build runs its own program.
    const char *name = strstr(command, "build/warpfold");
    bool is_clang = str_starts_with(command, "clang ");
    CHECK_MSG(t, name || is_clang, "%s runs no build/warpfold", command);
    if (name)
        strbuf_printf(&full, "{ %.*s%s%s; } 2>&1", (int)(name - command), command, test_binary(),
                      name + strlen("build/warpfold"));
    else if (is_clang)
        strbuf_printf(&full, "mkdir -p build; { %s; } 2>&1", command);
    else
        return strdup("");
    int status = test_command(strbuf_text(&full), 120, &out, NULL);
    CHECK_MSG(t, status == 0, "%s\n    ends with status %d\n%s", command, status, out);
    strbuf_fini(&full);
    return out;
}

static void check_output(struct test *t, const char *command, const char *got, const char *want)
{
    struct row head = {0}; // head of the current table
    while (*want || *got) {
        size_t a = strcspn(got, "\n"), b = strcspn(want, "\n");
        char *line = strndup(got, a), *wanted = strndup(want, b);
        struct row r;
        row_split(&r, wanted);
        if (is_head(&r)) {
            free(head.text);
            head = r;
        } else {
            free(r.text);
        }
        CHECK_MSG(t, same_line(&head, line, wanted),
                  "%s prints\n    %s\n  where the page says\n    %s\n  (UPDATE_GOLDEN=1 accepts it)", command,
                  line, wanted);
        got += a + (got[a] == '\n');
        want += b + (want[b] == '\n');
        free(line);
        free(wanted);
    }
    free(head.text);
}

// The lines of one command: "$ command", continued by backslashes, without "$ ".
// Heap; *p moves past the command.
static char *take_command(const char **p)
{
    const char *start = *p + 2, *end = start;
    do end += strcspn(end, "\n") + 1;
    while (end[-2] == '\\');
    *p = end;
    return strndup(start, (size_t)(end - start) - 1);
}

// Checks blocks of ```console: commands with their output. UPDATE_GOLDEN=1
// writes today's output into the page.
static void check_page(struct test *t, const char *path)
{
    char *page = read_text(t, path);
    const char *update = getenv("UPDATE_GOLDEN"), *p = page, *block, *why = "";
    bool writing = update && str_equal(update, "1");
    struct strbuf now = {0};
    unsigned commands = 0;
    while ((block = strstr(p, "\n```console\n")) != NULL) {
        block += strlen("\n```console\n");
        strbuf_write(&now, p, (size_t)(block - p));
        for (p = block; str_starts_with(p, "$ ");) {
            const char *start = p;
            char *command = take_command(&p), *got = run_command(t, command);
            const char *output = p;
            while (!str_starts_with(p, "$ ") && !str_starts_with(p, "```") && *p) p += strcspn(p, "\n") + 1;
            char *want = strndup(output, (size_t)(p - output));
            if (!writing) check_output(t, command, got, want);
            strbuf_write(&now, start, (size_t)(output - start));
            strbuf_puts(&now, got);
            commands++;
            free(command);
            free(got);
            free(want);
        }
    }
    strbuf_puts(&now, p);
    CHECK_MSG(t, commands > 0, "%s shows no command", path);
    if (writing) CHECK_MSG(t, file_write(path, now.text, now.length, &why), "%s: %s", path, why);
    strbuf_fini(&now);
    free(page);
}

static void test_readme(struct test *t) { check_page(t, "README.md"); }

// The tutorial begins with compiling a kernel.
static void test_tutorial(struct test *t)
{
    if (test_has_tool("clang"))
        check_page(t, "docs/tutorial/kernel.md");
    else
        test_skip_tool(t, "clang");
}
static void test_kernels(struct test *t) { check_page(t, "kernels/README.md"); }
static void test_studies(struct test *t) { check_page(t, "docs/explanation/studies.md"); }
static void test_gpus(struct test *t) { check_page(t, "docs/howto/gpus.md"); }
static void test_techniques(struct test *t)
{
    check_page(t, "docs/explanation/techniques/README.md");
    check_page(t, "docs/tutorial/mechanism.md");
}

// The vector addition of docs/explanation/techniques/uv.md: 21 instructions a thread. Nine have one value in a warp; six
// of the nine depend on the block's number alone.
static void test_vecadd2d(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(
        &c,
        "run docs/examples/vecadd2d.ptx --kernel vecadd2d --grid 2,64 --block 256 --arg buf=f32:32768:iota "
        "--arg buf=f32:32768:const:1 --arg buf=f32:32768:zero --gpu gtx285 --set "
        "compile.optimise=0 "
        "--set compile.profile=ptxplus --tech uv:variant=token,inter=off --verify --quiet --json -");
    CHECK_EQ(t, c.status, 0);
    enum { WARPS = 2 * 64 * 256 / 32 };
    CHECK_EQ(t, atoll(cli_json(c.out, "exec.warp_instructions")), 21 * WARPS);
    CHECK_EQ(t, atoll(cli_json(c.out, "uv.scalar")), 9 * WARPS);
    cli_fini(&c);
}

// Whether a line is a result row with figures, not a head, a partial finding or a mean.
static bool is_result(const char *line)
{
    static const char *const others[] = {"| where |", "| experiment |", "| open |",   "| point | card |",
                                         "| card |",  "| all :",        "| 1 of 1 |", "| MIT |"};
    if (!str_starts_with(line, "| ") || !strpbrk(line, "0123456789")) return false;
    for (size_t k = 0; k < TEST_COUNT(others); k++)
        if (strstr(line, others[k])) return false;
    return true;
}

// A page of results: every row reproduced by the page's last command stands in the page, to the last figure.
// At least one row is reproduced, and every row of the papers' table or of a point.
static void check_results(struct test *t, const char *path, const char *made)
{
    static const char before[] = "Rows that a test makes again and compares: `build/warpfold ";
    char *page = read_text(t, path), *at = strstr(page, before);
    CHECK_MSG(t, at && strstr(page, "Measured by warpfold "), "%s names no build, or no command", path);
    if (!at) return;
    struct cli c = {.t = t};
    struct strbuf command = {0};
    unsigned rows = 0;
    at += sizeof before - 1;
    strbuf_printf(&command, "%.*s --quiet --out $D/results", (int)strcspn(at, "`"), at);
    cli_run(&c, strbuf_text(&command));
    CHECK_MSG(t, c.status == 0, "%s: %s", path, c.err);
    size_t length;
    char *text = cli_read(&c, made, &length), *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && !str_starts_with(line, "## What was expected");) {
        struct strbuf whole = {0};
        if (!is_result(line)) continue;
        strbuf_printf(&whole, "\n%s\n", line);
        rows++;
        CHECK_MSG(t, strstr(page, strbuf_text(&whole)), "%s does not have\n    %s\n  which %s makes", path,
                  line, strbuf_text(&command));
        strbuf_fini(&whole);
    }
    CHECK_MSG(t, rows, "%s: its command makes no row", path);
    free(text);
    free(page);
    strbuf_fini(&command);
    cli_fini(&c);
}

static void test_results(struct test *t)
{
    check_results(t, "docs/results/reproduction.md", "results/paper.md");
    check_results(t, "docs/results/reproduction-simtight.md", "results/paper.md");
    check_results(t, "docs/results/reproduction-uniform.md", "results/paper.md");
    check_results(t, "docs/results/reproduction-warpman.md", "results/paper.md");
    check_results(t, "docs/results/reproduction-ilp.md", "results/paper.md");
    check_results(t, "docs/results/fidelity.md", "results/fidelity.md");
    if (test_is_long())
        check_results(t, "docs/results/reproduction-decoupled.md",
                      "results/paper.md"); // means alone: minutes
}

// A script of docs/examples, printed by its page. Runs a copy, because a script writes beside itself;
// dumped_bytes: length of the dump.
static void check_script(struct test *t, const char *name, const char *dump, size_t dumped_bytes,
                         const char *blocks)
{
    char path[100];
    snprintf(path, sizeof path, "docs/examples/%s.wf", name);
    char *page = read_text(t, "docs/reference/script.md"), *script = read_text(t, path);
    CHECK_MSG(t, *script && strstr(page, script), "docs/reference/script.md does not show %s as it is", path);
    struct cli c = {.t = t};
    char here[4000], *load = strstr(script, "../../");
    struct strbuf moved = {0};
    CHECK(t, load && getcwd(here, sizeof here));
    if (load) {
        strbuf_write(&moved, script, (size_t)(load - script));
        strbuf_printf(&moved, "%s/%s", here, load + 6);
        cli_write(&c, "example.wf", moved.text, moved.length);
        cli_run(&c, "run --script $D/example.wf --json $D/example.json");
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        size_t length = 0;
        char *bytes = cli_read(&c, dump, &length), *json = cli_read(&c, "example.json", &(size_t){0});
        CHECK_EQ(t, length, dumped_bytes);
        CHECK_STR(t, json ? cli_json(json, "exec.blocks") : "", blocks);
        free(bytes);
        free(json);
    }
    strbuf_fini(&moved);
    free(page);
    free(script);
    cli_fini(&c);
}
static void test_heat(struct test *t)
{
    check_script(t, "heat", "temperature.bin", 4 * 32 * 32 * 32, "2560");
}
static void test_halves(struct test *t) { check_script(t, "halves", "both.bin", 4 * 20000, "237"); }

// Differences allowed and not allowed by same_line.
static void test_lines(struct test *t)
{
    struct row head, none = {0};
    row_split(&head, "kernel   launches  host seconds  cycles   IPC");
    CHECK(t, is_head(&head) && head.count == 5 && is_of_host(&head, 2) && !is_of_host(&head, 3));
    CHECK(t, same_line(&head, "hotspot         3        0.0452  14,890  4.10",
                       "hotspot         3  0.1  14,890  4.10"));
    CHECK(t, !same_line(&head, "hotspot         3        0.0452  14,890  4.10",
                        "hotspot         3  0.0452  14,450  4.10"));
    CHECK(t, !same_line(&head, "hotspot         3        soon  14,890  4.10",
                        "hotspot         3  0.1  14,890  4.10"));
    CHECK(t, !same_line(&none, "    at pc 0x0080 (LDG.E R0, [R4])", "    at pc 0x0088 (LDG.E R0, [R4])"));
    free(head.text);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"lines", test_lines},           {"results", test_results},  {"readme", test_readme},
        {"tutorial", test_tutorial},     {"studies", test_studies},  {"kernels", test_kernels},
        {"techniques", test_techniques}, {"gpus", test_gpus},        {"heat", test_heat},
        {"halves", test_halves},         {"vecadd2d", test_vecadd2d}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
