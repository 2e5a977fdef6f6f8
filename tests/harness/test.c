// Runs the cases of one test program and reports each case on a line for tools/run-tests:
//
//     begin NAME            written before the case starts, so a crash names the case
//       file:line: text     each failed check
//     pass|fail NAME SECONDS
//     skip NAME SECONDS WHY
//     N passed, N failed, N skipped
//
// Cases run in this process in sequence: a debugger needs no special care. A crash ends the program;
// tools/run-tests counts a failure of the last case begun.
#include "harness/test.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"

#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_FAILURES = 10 };

struct test {
    const char *name;
    unsigned failures;
    char *skipped; // the reason
    char *directory;
};

static struct {
    bool long_form;
    const char *seed; // from the command line
} options;

static bool environment_is(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text && str_equal(text, value);
}

bool test_is_long(void) { return options.long_form || environment_is("WARPFOLD_LONG", "1"); }
bool test_is_quick(void) { return !test_is_long() && environment_is("WARPFOLD_QUICK", "1"); }

uint64_t test_seed(uint64_t otherwise)
{
    const char *text = options.seed ? options.seed : getenv("WARPFOLD_SEED");
    uint64_t seed = otherwise;
    if (text && !str_to_u64(text, &seed)) {
        fprintf(stderr, "the seed \"%s\" is no number\n", text);
        exit(2);
    }
    return seed;
}

bool test_failed(const struct test *t) { return t->failures != 0; }

void test_fail(struct test *t, const char *file, int line, const char *format, ...)
{
    if (t->failures++ >= SHOWN_FAILURES) return;
    va_list args;
    va_start(args, format);
    printf("  %s:%d: ", file, line);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

void test_skip(struct test *t, const char *why)
{
    free(t->skipped);
    t->skipped = strdup(why);
}

bool test_has_tool(const char *tool)
{
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t length = strcspn(p, ":");
        char candidate[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, p, tool);
        if (access(candidate, X_OK) == 0) return true;
        p += length + (p[length] == ':');
    }
    return false;
}

void test_skip_tool(struct test *t, const char *tool)
{
    char why[256];
    snprintf(why, sizeof why, "%s is not installed", tool);
    if (environment_is("CI", "true"))
        test_fail(t, __FILE__, __LINE__, "%s, and under CI=true every tool must be", why);
    else
        test_skip(t, why);
}

void test_check_str(struct test *t, const char *file, int line, const char *expression, const char *got,
                    const char *want)
{
    if (got && want && str_equal(got, want)) return;
    if (!got && !want) return;
    test_fail(t, file, line, "%s is\n    \"%s\"\n  not\n    \"%s\"", expression, got ? got : "(null)",
              want ? want : "(null)");
}

void test_check_has(struct test *t, const char *file, int line, const char *text, const char *part)
{
    if (text && strstr(text, part)) return;
    test_fail(t, file, line, "\"%s\" does not occur in\n%s", part, text ? text : "(null)");
}

// Reports the first different line of two texts, from both texts.
static void report_difference(struct test *t, const char *file, int line, const char *path, const char *got,
                              const char *want)
{
    unsigned number = 1;
    while (*got && *want) {
        size_t a = strcspn(got, "\n"), b = strcspn(want, "\n");
        if (a != b || memcmp(got, want, a) != 0) break;
        got += a + (got[a] == '\n');
        want += b + (want[b] == '\n');
        number++;
    }
    test_fail(
        t, file, line,
        "%s:%u: golden text differs (UPDATE_GOLDEN=1 accepts the new one)\n    new: %.*s\n    old: %.*s",
        path, number, (int)strcspn(got, "\n"), got, (int)strcspn(want, "\n"), want);
}

void test_check_golden(struct test *t, const char *file, int line, const char *path, const char *text)
{
    const char *why;
    char *want = NULL;
    size_t length;
    bool exists = file_read(path, &want, &length, &why);
    if (exists && str_equal(want, text)) {
        free(want);
        return;
    }
    if (environment_is("UPDATE_GOLDEN", "1")) {
        if (!file_write(path, text, strlen(text), &why)) test_fail(t, file, line, "%s: %s", path, why);
    } else if (!exists) {
        test_fail(t, file, line, "%s: %s (UPDATE_GOLDEN=1 writes it)", path, why);
    } else {
        report_difference(t, file, line, path, text, want);
    }
    free(want);
}

const char *test_directory(struct test *t)
{
    if (t->directory) return t->directory;
    const char *parent = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/warpfold-test-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(path)) {
        perror(path);
        exit(2);
    }
    return t->directory = strdup(path);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

static void test_fini(struct test *t)
{
    if (t->directory) nftw(t->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(t->directory);
    free(t->skipped);
}

// Tests live in BUILD/tests/MODULE/, the command in BUILD/.
const char *test_binary(void)
{
    static char path[PATH_MAX];
    if (*path) return path;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) length = 0;
    path[length] = 0;
    char *tests = NULL, *next = path;
    while ((next = strstr(next, "/tests/")) != NULL) tests = next++;
    if (!tests || tests + sizeof "/warpfold" > path + sizeof path) {
        fprintf(stderr, "%s is not below a build folder's tests/\n", path);
        exit(2);
    }
    strcpy(tests, "/warpfold");
    return path;
}

enum outcome { PASSED, FAILED, SKIPPED };

// The name as one word, required by tools/run-tests.
static const char *printed_name(const struct test_case *c)
{
    static char name[128];
    snprintf(name, sizeof name, "%s", c->name);
    for (char *p = name; *p; p++)
        if (*p == ' ') *p = '_';
    return name;
}

static enum outcome run_case(const struct test_case *c)
{
    struct test t = {.name = c->name};
    const char *name = printed_name(c);
    printf("begin %s\n", name);
    fflush(stdout);
    double started = clock_seconds();
    c->run(&t);
    double seconds = clock_seconds() - started;
    if (t.failures > SHOWN_FAILURES) printf("  and %u more failed checks\n", t.failures - SHOWN_FAILURES);
    enum outcome outcome = t.failures ? FAILED : t.skipped ? SKIPPED : PASSED;
    if (outcome == SKIPPED)
        printf("skip %s %.3f %s\n", name, seconds, t.skipped);
    else
        printf("%s %s %.3f\n", outcome == FAILED ? "fail" : "pass", name, seconds);
    fflush(stdout);
    test_fini(&t);
    return outcome;
}

static const struct test_case *find_case(const struct test_case *cases, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(cases[i].name, name)) return &cases[i];
    return NULL;
}

int test_main(int argc, char **argv, const struct test_case *cases, size_t count)
{
    bool *wanted = heap_alloc(count * sizeof *wanted), all = true;
    for (int i = 1; i < argc; i++) {
        const struct test_case *named;
        if (str_equal(argv[i], "--list")) {
            for (size_t k = 0; k < count; k++) puts(cases[k].name);
            free(wanted);
            return 0;
        }
        if (str_equal(argv[i], "--long")) {
            options.long_form = true;
        } else if (str_equal(argv[i], "--seed") && i + 1 < argc) {
            options.seed = argv[++i];
        } else if ((named = find_case(cases, count, argv[i])) != NULL) {
            wanted[named - cases] = true;
            all = false;
        } else {
            fprintf(stderr, "%s: no case and no option \"%s\"; --list lists the cases\n", argv[0], argv[i]);
            free(wanted);
            return 2;
        }
    }
    unsigned outcomes[3] = {0};
    for (size_t i = 0; i < count; i++)
        if (all || wanted[i]) outcomes[run_case(&cases[i])]++;
    printf("%u passed, %u failed, %u skipped\n", outcomes[PASSED], outcomes[FAILED], outcomes[SKIPPED]);
    free(wanted);
    return outcomes[FAILED] != 0;
}
