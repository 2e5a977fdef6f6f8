// The documentation matches the program. Fails where a command of a page prints something else, where a row of
// results cannot be made again, or where an example script differs from the page. Pages are found by content: a
// page with a block ```console, and a page of docs/results with a command for rows. Two pages run at a time.
// PAGE=docs/tutorial/kernel.md runs a single page. UPDATE_GOLDEN=1 writes today's outputs into the pages.
#include "base/file.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/pages.h"
#include "harness/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Output of a page's command in the folder, stdout and stderr interleaved as on a terminal. Heap.
static char *run_command(struct test *t, const char *folder, const char *command)
{
    struct strbuf full = {0};
    char *out;
    strbuf_printf(&full, "cd '%s' && { %s; } 2>&1", folder, command);
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

// An experiment named by the page stands in the page as in its file.
static void check_shown(struct test *t, const char *path, const char *page, const char *experiment)
{
    if (!strstr(page, experiment)) return;
    char *text = test_read_file(t, experiment, NULL);
    CHECK_MSG(t, *text && strstr(page, text), "%s does not show %s as it is", path, experiment);
    free(text);
}

// Checks blocks of ```console: commands with their output. UPDATE_GOLDEN=1
// writes today's output into the page.
static void check_page(struct test *t, const char *path)
{
    char *page = test_read_file(t, path, NULL);
    check_shown(t, path, page, "docs/examples/filters.exp");
    const char *update = getenv("UPDATE_GOLDEN"), *p = page, *block, *why = "";
    bool writing = update && str_equal(update, "1");
    struct strbuf now = {0};
    unsigned commands = 0;
    char *folder = pages_scratch(t);
    while ((block = strstr(p, "\n```console\n")) != NULL) {
        block += strlen("\n```console\n");
        strbuf_write(&now, p, (size_t)(block - p));
        for (p = block; str_starts_with(p, "$ ");) {
            const char *start = p;
            char *command = take_command(&p), *got = run_command(t, folder, command);
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
    free(folder);
    free(page);
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

static const char rows_again[] = "Rows that a test makes again and compares: `build/warpfold ";

// A page of results: every row reproduced by the page's last command stands in the page, to the last figure.
// At least one row is reproduced, and every row of the papers' table or of a point.
static void check_results(struct test *t, const char *path)
{
    char *page = test_read_file(t, path, NULL), *at = strstr(page, rows_again), *folder = pages_scratch(t),
         *rest;
    struct strbuf command = {0}, made = {0};
    unsigned rows = 0;
    CHECK_MSG(t, strstr(page, "Measured by warpfold "), "%s names no build", path);
    at += strlen(rows_again);
    strbuf_printf(&command, "build/warpfold %.*s --quiet --out results", (int)strcspn(at, "`"), at);
    free(run_command(t, folder, strbuf_text(&command)));
    strbuf_printf(&made, "%s/results/%s", folder,
                  strstr(path, "fidelity") ? "fidelity-launches.md" : "paper.md");
    char *text = rest = test_read_file(t, strbuf_text(&made), NULL);
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
    free(folder);
    strbuf_fini(&command);
    strbuf_fini(&made);
}

// A script of docs/examples, printed by its page. Runs a copy, because a script writes beside itself;
// dumped_bytes: length of the dump.
static void check_script(struct test *t, const char *page_path, const char *name, const char *dump,
                         size_t dumped_bytes, const char *blocks)
{
    char path[100], run[200], json_name[40];
    snprintf(path, sizeof path, "docs/examples/%s.wf", name);
    char *page = test_read_file(t, page_path, NULL), *script = test_read_file(t, path, NULL);
    CHECK_MSG(t, *script && strstr(page, script), "%s does not show %s as it is", page_path, path);
    struct cli c = {.t = t};
    char here[4000], *load = strstr(script, "../../");
    struct strbuf moved = {0};
    CHECK(t, load && getcwd(here, sizeof here));
    if (load) {
        strbuf_write(&moved, script, (size_t)(load - script));
        strbuf_printf(&moved, "%s/%s", here, load + 6);
        snprintf(run, sizeof run, "run --script $D/%s.wf --json $D/%s.json", name, name);
        snprintf(json_name, sizeof json_name, "%s.json", name);
        snprintf(path, sizeof path, "%s.wf", name);
        cli_write(&c, path, moved.text, moved.length);
        cli_run(&c, run);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        size_t length = 0;
        char *bytes = cli_read(&c, dump, &length), *json = cli_read(&c, json_name, &(size_t){0});
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

static void check_scripts(struct test *t, const char *path)
{
    check_script(t, path, "heat", "temperature.bin", 4 * 32 * 32 * 32, "2560");
    check_script(t, path, "halves", "both.bin", 4 * 20000, "237");
}

// -- two pages at a time ------------------------------------------------------------------------------------
// Whether the command for rows of a page of results takes minutes: the long form alone runs the command.
static bool takes_minutes(const char *path)
{
    return str_equal(path, "docs/results/reproduction-decoupled.md");
}

typedef void check(struct test *t, const char *path);

// The first program that a command of a page begins with and this machine lacks, or NULL.
static const char *missing_tool(const char *page)
{
    static const char *const tools[] = {"clang", "python3", "sqlite3"};
    for (size_t k = 0; k < TEST_COUNT(tools); k++) {
        char begin[20];
        snprintf(begin, sizeof begin, "\n$ %s ", tools[k]);
        if (strstr(page, begin) && !test_has_tool(tools[k])) return tools[k];
    }
    return NULL;
}

// What a page is checked by; NULL: shows no commands.
static check *check_of(struct test *t, const char *path)
{
    const char *only = getenv("PAGE");
    char *text = test_read_file(t, path, NULL);
    check *found = NULL;
    if (strstr(text, "\n```console\n"))
        found = check_page;
    else if (strstr(text, rows_again) && (test_is_long() || !takes_minutes(path)))
        found = check_results;
    else if (strstr(text, "`docs/examples/heat.wf`"))
        found = check_scripts;
    const char *missing = found ? missing_tool(text) : NULL;
    if (missing) {
        test_skip_tool(t, missing);
        found = NULL;
    }
    free(text);
    return only && !str_equal(path, only) ? NULL : found;
}

// Waits for a child. Counts children with failed checks, which the child has printed.
static void wait_child(unsigned *running, unsigned *failed)
{
    int status;
    while (wait(&status) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ++*failed;
    --*running;
}

static void start_child(struct test *t, check *one, const char *path)
{
    fflush(stdout);
    pid_t child = fork();
    CHECK(t, child >= 0);
    if (child) return;
    one(t, path);
    fflush(stdout);
    _exit(test_failed(t));
}

// Runs every page, the longest with commands first.
static void test_pages(struct test *t)
{
    struct pages pages;
    unsigned running = 0, failed = 0, checked = 0;
    test_directory(t); // of all children
    pages_init(&pages, t);
    for (unsigned results = 0; results < 2; results++)
        for (size_t k = 0; k < pages.paths.count; k++) {
            check *one = check_of(t, pages.paths.data[k]);
            if (!one || (one == check_results) != results) continue;
            if (running == 2) wait_child(&running, &failed);
            start_child(t, one, pages.paths.data[k]);
            running++;
            checked++;
        }
    while (running) wait_child(&running, &failed);
    CHECK_MSG(t, failed == 0, "%u pages differ (above)", failed);
    CHECK_MSG(t, checked > 10 || getenv("PAGE"), "%u pages", checked);
    pages_fini(&pages);
}

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
        {"lines", test_lines}, {"pages", test_pages}, {"vecadd2d", test_vecadd2d}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
