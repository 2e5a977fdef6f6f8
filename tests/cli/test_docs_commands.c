// Commands of pages outside console blocks (tests/cli/test_docs.c runs console blocks): lines of other blocks, and
// commands in backquotes.
//
// Lines run, bundled kernels at size small where a line names no size; the table below has the lines that run
// otherwise or nowhere, with the reasons. Words of every command are checked, also in backquotes and in lines that
// do not run: options, names of lists, studies, experiments and bundled kernels, targets of make, programs.
#include "api/warpfold.h"
#include "base/str.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "lab/experiment.h"
#include "workload/workload.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char page_mechanism[] =
    "a mechanism of a page: tests/tech/test_example.c builds the mechanism and runs the line";

// A line that begins with `command` runs with `from` replaced by `to`; from NULL: the line does not run.
static const struct exception {
    const char *command, *from, *to, *reason;
} exceptions[] = {
    {"warpfold inject vecadd scalarProd", "10000", "10", "a minute and a half with all injections"},
    {"warpfold reproduce", NULL, NULL, "minutes to hours; tests/lab and tests/cli/test_docs.c run parts"},
    {"make ", NULL, NULL, "builds, tests and measurements of minutes"},
    {"build/tests/", NULL, NULL, "seeds of failures, and long forms of tests"},
    {"build/bench/silicon/silicon", NULL, NULL,
     "needs a card and nvcc; tests/bench/test_silicon.c has a stand-in"},
    {"silicon/run-micro", NULL, NULL, "a minute; tests/cli/test_micro.c runs a part"},
    {"tools/csv-table DIR", NULL, NULL,
     "needs results of hours; tests/cli/test_csv_table.c runs the program"},
    {"cd /tmp && spin", NULL, NULL, "tests/model/test_model.c runs spin, where installed"},
    {"warpfold help echo", NULL, NULL, page_mechanism},
    {"warpfold list area --tech echo", NULL, NULL, page_mechanism},
    {"warpfold bench matrixMul hotspot nqueens --size small --gpu tiny --tech echo", NULL, NULL,
     page_mechanism},
    {"warpfold bench matrixMul --size small --gpu tiny --tech echo", NULL, NULL, page_mechanism},
    {"warpfold run -- ./app", NULL, NULL,
     "a program of the reader's; tests/cudart/test_program.c runs programs"},
    {"warpfold run --functional -- ./app", NULL, NULL, "the same"},
    {"warpfold check -- ./app", NULL, NULL, "the same"},
    {"warpfold run --gpu h100 --tech darsie --verify --json run.json -- ./app", NULL, NULL, "the same"},
    {"warpfold run --kernel axpy --launches 3-5 -- ./app", NULL, NULL, "the same"},
    {"warpfold profile --kernel axpy -- ./app", NULL, NULL, "the same"},
    {"git diff", NULL, NULL, "needs a repository"},
    {"git clone", NULL, NULL, "needs the network"},
    {"git config", NULL, NULL, "changes a repository's configuration"},
};

enum { WORDS_MAX = 60 };

struct words {
    char *text, *list[WORDS_MAX];
    int count;
};

// Splits at blanks, up to the first operator of the shell; brackets of optional parts count as blanks.
static void words_init(struct words *w, const char *command)
{
    *w = (struct words){.text = strdup(command)};
    char *rest = w->text;
    for (char *word; (word = strsep(&rest, " ")) != NULL && w->count < WORDS_MAX;) {
        bool is_optional = *word == '[' && word[1] == '-';
        if (is_optional) word++;
        size_t length = strlen(word);
        while (length && (str_equal(word + length - 1, "]") || str_starts_with(word + length - 1, "."))) {
            if (word[length - 1] == ']' && memchr(word, '[', length)) break;
            word[--length] = 0;
        }
        if (str_equal(word, "|") || str_equal(word, ">") || str_equal(word, "&&")) return; // for the shell
        if (*word && !str_equal(word, "…")) w->list[w->count++] = word;
    }
}

// A word in capitals stands for something of the reader.
static bool is_placeholder(const char *word)
{
    return isupper((unsigned char)word[0]) &&
           (isupper((unsigned char)word[1]) || !isalpha((unsigned char)word[1]));
}

// -- words of warpfold --------------------------------------------------------------------------------------
static bool is_list(const char *name)
{
    struct options_command c;
    struct strbuf all = {0}, wanted = {0};
    for (unsigned k = 0; options_command_at(k, &c) && !str_equal(c.name, "list");) k++;
    strbuf_printf(&all, "|%s|", c.usage);
    strbuf_printf(&wanted, "|%s|", name);
    bool found = strstr(strbuf_text(&all), strbuf_text(&wanted)) != NULL;
    strbuf_fini(&all);
    strbuf_fini(&wanted);
    return found;
}

static bool is_study(const char *name)
{
    const char *known, *meaning;
    for (size_t i = 0; wf_study_at(i, &known, &meaning); i++)
        if (str_equal(known, name)) return true;
    return false;
}

static bool is_kernel(const char *name)
{
    const char *nearest, *abbreviation;
    return workload_find(name, &nearest) || workload_in_group(name, 0, &abbreviation);
}

// Experiments of the tree; a file of the reader, and words behind silicon:, are not looked up.
static bool is_experiment(const char *name)
{
    if (str_starts_with(name, "silicon") || (strchr(name, '.') && access(name, R_OK) != 0)) return true;
    struct experiments all;
    struct diag d;
    diag_init(&d);
    experiments_init(&all);
    bool found = experiments_add(&all, name, &d);
    experiments_fini(&all);
    diag_fini(&d);
    return found;
}

// Whether operand i of a command names something that exists.
static bool is_operand(enum command_id command, size_t i, const char *word)
{
    if (is_placeholder(word)) return true;
    if (command == COMMAND_LIST) return i || is_list(word);
    if (command == COMMAND_STUDY) return i || is_study(word);
    if (command == COMMAND_REPRODUCE) return is_experiment(word);
    if (command == COMMAND_BENCH || command == COMMAND_MIX || command == COMMAND_INJECT)
        return is_kernel(word);
    return true;
}

// Operands such as techs|features are several words.
static void check_operand(struct test *t, const struct page_command *c, enum command_id command, size_t i,
                          const char *word)
{
    char *copy = strdup(word), *rest = copy;
    for (char *one; (one = strsep(&rest, "|")) != NULL;)
        CHECK_MSG(t, is_operand(command, i, one), "%s: `%s`: no %s", c->page, c->text, one);
    free(copy);
}

static void check_options(struct test *t, const struct page_command *c, enum command_id command,
                          struct words *w)
{
    struct options o;
    struct diag d;
    diag_init(&d);
    bool good = options_parse(&o, command, w->count - 2, w->list + 2, &d);
    struct strbuf errors = {0};
    diag_format(&d, false, &errors);
    CHECK_MSG(t, good, "%s: `%s`: %s", c->page, c->text, strbuf_text(&errors));
    for (size_t i = 0; good && i < o.operands.count; i++) check_operand(t, c, command, i, o.operands.data[i]);
    strbuf_fini(&errors);
    options_fini(&o);
    diag_fini(&d);
}

// The command named by a word; false: none.
static bool find_command(const char *name, enum command_id *command)
{
    struct options_command c;
    for (unsigned k = 0; options_command_at(k, &c); k++)
        if (str_equal(c.name, name)) {
            *command = (enum command_id)k;
            return true;
        }
    return false;
}

// Checks the words of a command of warpfold.
static void check_warpfold(struct test *t, const struct page_command *c)
{
    struct words w;
    enum command_id command;
    words_init(&w, c->text);
    bool is_named = w.count > 1 && find_command(w.list[1], &command);
    bool is_other =
        w.count > 1 && (is_placeholder(w.list[1]) || str_equal(w.list[1], "help") || *w.list[1] == '-');
    CHECK_MSG(t, is_named || is_other, "%s: `%s`: no such command", c->page, c->text);
    if (is_named) check_options(t, c, command, &w);
    free(w.text);
}

// -- make and programs --------------------------------------------------------------------------------------
// Words of `make`: settings, files of build folders, and targets, which must be rules (targets: "\nname:…").
static void check_make(struct test *t, const struct page_command *c, const char *targets)
{
    struct words w;
    words_init(&w, c->text);
    for (int i = 1; i < w.count; i++) {
        char rule[100];
        if (strpbrk(w.list[i], "=\"") || *w.list[i] == '-' || str_starts_with(w.list[i], "build")) continue;
        snprintf(rule, sizeof rule, "\n%s:", w.list[i]);
        CHECK_MSG(t, strstr(targets, rule) || strchr(c->text, '"'), "%s: `%s`: no target %s", c->page,
                  c->text, w.list[i]);
    }
    free(w.text);
}

// A program of the tree, or of the build folder: a rule of make.
static void check_program(struct test *t, const struct page_command *c, const char *targets)
{
    char rule[200];
    snprintf(rule, sizeof rule, "\n%.*s:", (int)strcspn(c->text, " "), c->text);
    char *path = strndup(c->text, strcspn(c->text, " "));
    bool is_built = str_starts_with(path, "build/");
    CHECK_MSG(t, is_built ? strstr(targets, rule) != NULL : access(path, X_OK) == 0,
              "%s: `%s`: no program %s", c->page, c->text, path);
    free(path);
}

static bool is_warpfold(const struct page_command *c)
{
    return str_starts_with(c->text, "warpfold ") || str_starts_with(c->text, "build/warpfold ");
}

static void check_words(struct test *t, const struct page_command *c, const char *targets)
{
    if (is_warpfold(c))
        check_warpfold(t, c);
    else if (str_starts_with(c->text, "make "))
        check_make(t, c, targets);
    else if (!str_starts_with(c->text, "clang ") && !str_starts_with(c->text, "git ") &&
             !str_starts_with(c->text, "cd "))
        check_program(t, c, targets);
}

// A page made from the tables of the commands shows usages.
static bool is_made(const char *page) { return str_equal(page, "docs/reference/command-line.md"); }

// Words of every command outside console blocks.
static void test_words(struct test *t)
{
    struct pages pages;
    char *rules, *targets;
    unsigned commands = 0;
    pages_init(&pages, t);
    CHECK(t, test_command("make -pRrq none 2>/dev/null", 60, &rules, NULL) >= 0);
    targets = rules;
    for (size_t k = 0; k < pages.commands.count; k++) {
        const struct page_command *c = &pages.commands.data[k];
        if (c->place == PAGE_CONSOLE || is_made(c->page)) continue;
        check_words(t, c, targets);
        commands++;
    }
    CHECK_MSG(t, commands > 200, "%u commands", commands);
    free(rules);
    pages_fini(&pages);
}

// -- lines that run -----------------------------------------------------------------------------------------
// Whether a line is a usage with optional parts, or of the reader's words.
static bool is_usage(const char *text)
{
    struct words w;
    words_init(&w, text);
    bool is = strpbrk(text, "[|") || strstr(text, "...") || strstr(text, "…");
    for (int i = 0; i < w.count; i++) is |= is_placeholder(w.list[i]);
    free(w.text);
    return is;
}

// The exception of a line; NULL: none.
static const struct exception *exception_of(const char *text, bool used[])
{
    if (str_starts_with(text, "build/warpfold ")) text += strlen("build/");
    for (size_t k = 0; k < TEST_COUNT(exceptions); k++)
        if (str_starts_with(text, exceptions[k].command)) {
            used[k] = true;
            return &exceptions[k];
        }
    return NULL;
}

// Appends the command as run: with the program of the build, a small size, and the change of an exception.
static void write_command(const char *text, const struct exception *e, struct strbuf *out)
{
    static const char *const sized[] = {"warpfold bench ", "warpfold mix ", "warpfold inject ", "--bench "};
    bool takes_size = false;
    if (str_starts_with(text, "warpfold ")) strbuf_puts(out, "build/");
    const char *hit = e ? strstr(text, e->from) : NULL;
    strbuf_printf(out, "%.*s%s%s", hit ? (int)(hit - text) : (int)strlen(text), text, hit ? e->to : "",
                  hit ? hit + strlen(e->from) : "");
    for (size_t k = 0; k < TEST_COUNT(sized); k++) takes_size |= strstr(text, sized[k]) != NULL;
    if (takes_size && !strstr(strbuf_text(out), "--size ")) strbuf_puts(out, " --size small");
}

static void run_line(struct test *t, const struct page_command *c, const struct exception *e,
                     const char *folder)
{
    struct strbuf command = {0};
    char *out;
    strbuf_printf(&command, "cd '%s' && { ", folder);
    write_command(c->text, e, &command);
    strbuf_puts(&command, "; } 2>&1");
    struct test_time start = test_now();
    int status = test_command(strbuf_text(&command), 60, &out, NULL);
    CHECK_MSG(t, status == 0, "%s: %s\n    ends with status %d\n%s", c->page, strbuf_text(&command), status,
              out);
    if (getenv("TIMES")) printf("  %6.2f s  %s\n", test_since(start).processor, c->text);
    strbuf_fini(&command);
    free(out);
}

static void test_lines(struct test *t)
{
    struct pages pages;
    bool used[TEST_COUNT(exceptions)] = {0};
    char *folder = pages_scratch(t);
    bool has_clang = test_has_tool("clang");
    unsigned lines = 0;
    if (!has_clang) test_skip_tool(t, "clang");
    pages_init(&pages, t);
    for (size_t k = 0; k < pages.commands.count; k++) {
        const struct page_command *c = &pages.commands.data[k];
        const struct exception *e = c->place == PAGE_BLOCK ? exception_of(c->text, used) : NULL;
        if (c->place != PAGE_BLOCK || is_usage(c->text) || (e && !e->from)) continue;
        if (strstr(c->text, "clang ") && !has_clang) continue;
        run_line(t, c, e, folder);
        lines++;
    }
    CHECK_MSG(t, lines > 15, "%u lines", lines);
    for (size_t k = 0; k < TEST_COUNT(exceptions); k++)
        CHECK_MSG(t, used[k], "no page has the exception \"%s\" (%s)", exceptions[k].command,
                  exceptions[k].reason);
    pages_fini(&pages);
    free(folder);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"words", test_words}, {"lines", test_lines}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
