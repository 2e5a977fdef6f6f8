// Pages of docs/reference made from tables: keys, counters, the command line, mechanisms, PTX instructions.
// UPDATE_GOLDEN=1 rewrites the pages. Fails on a stale page, on a name printed by a run and absent from the
// pages, and on a reference page without a link from the index docs/README.md.
#include "api/warpfold.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/lookup.h"
#include "cli/options.h"
#include "cli/script_text.h"
#include "harness/files.h"
#include "isa/isa.h"
#include "ptx/names.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MADE                                                                                                 \
    "Made by `tests/cli/test_docs_reference.c` (`UPDATE_GOLDEN=1` rewrites the page) from the tables of "    \
    "the "                                                                                                   \
    "sources"

// Appends a cell of a table; | is escaped.
static void cell(struct strbuf *out, const char *text)
{
    strbuf_puts(out, " ");
    for (; *text; text++) strbuf_printf(out, *text == '|' ? "\\|" : "%c", *text);
    strbuf_puts(out, " |");
}

// Appends a cell in backquotes, as the first of a row.
static void first_cell(struct strbuf *out, const char *text)
{
    strbuf_puts(out, "| `");
    for (; *text; text++) strbuf_printf(out, *text == '|' ? "\\|" : "%c", *text);
    strbuf_puts(out, "` |");
}

static void check_page(struct test *t, const char *path, struct strbuf *page)
{
    CHECK_GOLDEN(t, path, strbuf_text(page));
    strbuf_fini(page);
}

static void test_keys(struct test *t)
{
    struct strbuf page = {0};
    strbuf_puts(&page,
                "# Settings\n\n" MADE ", `config.def` of each layer; `warpfold list keys` prints\n"
                "the same. `--set KEY=VALUE` on the command line, `wf_set` in C, `set` in a script.\n\n"
                "| key | type | default | range | meaning |\n|---|---|---|---|---|\n");
    struct wf_context *c = wf_context_create();
    struct wf_key key;
    for (size_t i = 0; wf_key_at(c, i, &key); i++) {
        first_cell(&page, key.name);
        cell(&page, key.type);
        cell(&page, key.initial);
        cell(&page, key.range);
        cell(&page, key.meaning);
        strbuf_putc(&page, '\n');
    }
    wf_context_destroy(c);
    check_page(t, "docs/reference/keys.md", &page);
}

// -- counters -----------------------------------------------------------------------------------------------
static void add_counter(struct strbuf *page, const struct wf_counter *c)
{
    first_cell(page, c->name);
    cell(page, c->unit);
    cell(page, c->meaning);
    strbuf_putc(page, '\n');
}

static const char counter_head[] = "| counter | unit | meaning |\n|---|---|---|\n";

// A section of the counters that begin with `prefix`.
static void add_layer(struct strbuf *page, const char *title, const char *prefix, const char *who)
{
    struct wf_counter c;
    strbuf_printf(page, "\n## %s\n\n%s\n\n%s", title, who, counter_head);
    for (size_t i = 0; wf_counter_at(i, &c); i++)
        if (str_starts_with(c.name, prefix)) add_counter(page, &c);
}

static void add_core_counters(struct strbuf *page)
{
    struct wf_counter c;
    strbuf_printf(
        page,
        "\n## `simtight.*`: the SIMTight core\n\nSource: `src/simtight/counts.def`. Printed by runs "
        "of RISC-V programs on a GPU with `machine = simtight`\n([simtight.md](../explanation/"
        "simtight.md)). `simtight.vector_max` is a maximum over launches, the rest are sums.\n\n%s",
        counter_head);
    for (size_t i = 0; wf_core_counter_at(i, &c); i++) add_counter(page, &c);
}

static void add_tech_counters(struct strbuf *page)
{
    struct wf_context *context = wf_context_create();
    struct wf_counter c;
    const char *name, *meaning;
    for (size_t i = 0; wf_tech_at(i, &name, &meaning); i++) {
        if (!wf_tech_counter_at(context, name, 0, &c)) continue;
        strbuf_printf(page, "\n## `%s.*`: mechanism\n\nPrinted by timed runs with `--tech %s`: %s.\n\n%s",
                      name, name, meaning, counter_head);
        for (size_t k = 0; wf_tech_counter_at(context, name, k, &c); k++) add_counter(page, &c);
    }
    wf_context_destroy(context);
}

static void add_energy(struct strbuf *page)
{
    static const struct {
        const char *name, *part, *unit, *meaning;
    } events[] = {
#define ENERGY_PART(id, name, meaning)
#define ENERGY_EVENT(part, field, pj, unit, count, meaning, source) {#field, #part, unit, meaning},
#define ENERGY_SCALE(field, pj, meaning, source)
#include "energy/events.def"
#undef ENERGY_PART
#undef ENERGY_EVENT
#undef ENERGY_SCALE
    };
    static const char *const parts[][3] = {
#define ENERGY_PART(id, name, meaning) {#id, name, meaning},
#define ENERGY_EVENT(part, field, pj, unit, count, meaning, source)
#define ENERGY_SCALE(field, pj, meaning, source)
#include "energy/events.def"
#undef ENERGY_PART
#undef ENERGY_EVENT
#undef ENERGY_SCALE
    };
    strbuf_puts(
        page,
        "\n## Energy: parts and events\n\nSource: `src/energy/events.def`. Printed by timed runs: "
        "`energy.parts` and `energy.events` of the JSON, parts also by\n`--energy`. An event EVENT costs "
        "`energy.EVENT` picojoules ([keys.md](keys.md), [energy.md](../explanation/energy.md)). A "
        "mechanism\nadds events named by structure (\"darsie: PC skip table, reads\"); `warpfold list "
        "area` lists the structures.\n\n| part | meaning |\n|---|---|\n");
    for (size_t k = 0; k < TEST_COUNT(parts); k++) {
        first_cell(page, parts[k][1]);
        cell(page, parts[k][2]);
        strbuf_putc(page, '\n');
    }
    strbuf_puts(page, "\n| event | part | unit | meaning |\n|---|---|---|---|\n");
    for (size_t k = 0; k < TEST_COUNT(events); k++) {
        size_t part = 0;
        while (!str_equal(parts[part][0], events[k].part)) part++;
        first_cell(page, events[k].name);
        cell(page, parts[part][1]);
        cell(page, events[k].unit);
        cell(page, events[k].meaning);
        strbuf_putc(page, '\n');
    }
}

static void test_counters(struct test *t)
{
    struct strbuf page = {0};
    strbuf_puts(
        &page,
        "# Counters\n\n" MADE ", `counters.def` of each layer; `warpfold list counters` prints\nthe same "
        "rows. A counter is summed over lanes, SMs and launches. The JSON of `run` and `bench` has "
        "counters under `counters`\n([json.md](json.md), with the laws between counters). A counter not "
        "measured by a run is `null`.\n");
    add_layer(&page, "`exec.*`: execution", "exec.",
              "Source: `src/exec/counters.def`. Printed by every run, timed or functional.");
    add_layer(
        &page, "`sm.*`: streaming multiprocessors", "sm.",
        "Source: `src/sm/counters.def`. Printed by timed runs on SMs. A slot (`sm.slots.*`) is the "
        "opportunity of a scheduler to issue\nan instruction in a cycle; the summary of `run` and `bench` "
        "has the slots in percent. [timing.md](../explanation/timing.md)\nexplains the parts of an SM.");
    add_layer(&page, "`memory.*`: crossbar and L2", "memory.",
              "Source: `src/memory/counters.def`. Printed by timed runs on SMs.");
    add_layer(&page, "`dram.*`: DRAM", "dram.",
              "Source: `src/memory/counters.def`. Printed by timed runs on SMs.");
    add_core_counters(&page);
    add_tech_counters(&page);
    add_energy(&page);
    check_page(t, "docs/reference/counters.md", &page);
}

// -- the command line ---------------------------------------------------------------------------------------
static void add_commands(struct strbuf *page)
{
    struct options_command c;
    struct options_option o;
    for (unsigned k = 0; options_command_at(k, &c); k++) {
        strbuf_printf(page, "\n## `warpfold %s`\n\n`warpfold %s` %s.\n\n    warpfold %s ", c.name, c.name,
                      c.summary, c.name);
        for (const char *p = c.usage; *p; p++) // a further form stands below the first
            if (*p == '\n')
                strbuf_puts(page, "\n    "), p += strspn(p + 1, " ");
            else
                strbuf_putc(page, *p);
        strbuf_puts(page, "\n\nOptions:");
        for (unsigned i = 0, shown = 0; options_option_at(i, &o); i++)
            if (options_takes(i, k)) strbuf_printf(page, "%s `%s`", shown++ ? "," : "", o.name);
        strbuf_puts(page, "\n");
    }
}

static void add_options(struct strbuf *page)
{
    struct options_command c;
    struct options_option o;
    strbuf_puts(
        page, "\n## Options\n\nAn option with an argument is written `--name value` or `--name=value`. Words "
              "after `--` are operands.\n\n| option | commands | meaning |\n|---|---|---|\n");
    for (unsigned i = 0; options_option_at(i, &o); i++) {
        struct strbuf name = {0}, commands = {0}, help = {0};
        strbuf_printf(&name, "%s%s%s", o.name, o.argument ? " " : "", o.argument ? o.argument : "");
        for (unsigned k = 0; options_command_at(k, &c); k++)
            if (options_takes(i, k)) strbuf_printf(&commands, "%s%s", commands.length ? ", " : "", c.name);
        strbuf_printf(&help, "%s%s", o.help, o.many ? "; may be repeated" : "");
        first_cell(page, strbuf_text(&name));
        cell(page, strbuf_text(&commands));
        cell(page, strbuf_text(&help));
        strbuf_putc(page, '\n');
        strbuf_fini(&name);
        strbuf_fini(&commands);
        strbuf_fini(&help);
    }
}

static void add_forms(struct strbuf *page)
{
    struct options_form f;
    for (int inits = 0; inits < 2; inits++) {
        strbuf_puts(page, inits ? "\nINIT, the initial content of a buffer or a texture:\n\n"
                                : "\n## Argument forms\n\nSPEC of `--arg`, `--symbol` and scripts. Arguments "
                                  "count from 0, scalars included.\n\n");
        strbuf_puts(page, "| form | meaning |\n|---|---|\n");
        for (unsigned i = 0; options_form_at(i, &f); i++) {
            if (f.is_init != inits) continue;
            first_cell(page, f.form);
            cell(page, f.meaning);
            strbuf_putc(page, '\n');
        }
    }
}

static void add_statuses(struct strbuf *page)
{
    struct options_status s;
    strbuf_puts(page, "\n## Exit status\n\n| status | name | meaning |\n|---|---|---|\n");
    for (unsigned i = 0; options_status_at(i, &s); i++)
        strbuf_printf(page, "| %d | %s | %s |\n", s.number, s.name, s.meaning);
}

static void add_script(struct strbuf *page)
{
    strbuf_puts(page, "\n## Script commands\n\nLines of a script (`warpfold run --script FILE`, "
                      "[script.md](script.md)).\n\n| command | meaning |\n|---|---|\n");
    for (unsigned i = 0; i < SCRIPT_COUNT; i++) {
        first_cell(page, script_command_usage((enum script_command)i));
        cell(page, script_command_meaning((enum script_command)i));
        strbuf_putc(page, '\n');
    }
}

static void test_command_line(struct test *t)
{
    struct strbuf page = {0};
    struct options_command c;
    strbuf_puts(&page,
                "# Command line\n\n" MADE " (`command.def`, `options.def`,\n`forms.def`, `status.def` and "
                "`script.def` of `src/cli/`); `warpfold COMMAND --help` prints the part of a command.\n\n"
                "| command | meaning |\n|---|---|\n");
    for (unsigned k = 0; options_command_at(k, &c); k++) {
        strbuf_printf(&page, "| [`warpfold %s`](#warpfold-%s) |", c.name, c.name);
        cell(&page, c.summary);
        strbuf_putc(&page, '\n');
    }
    strbuf_puts(&page,
                "| `warpfold`, `warpfold help`, `warpfold --help` | an overview on a screen |\n"
                "| `warpfold help COMMAND`, `warpfold COMMAND --help` | usage and options of a command |\n"
                "| `warpfold help NAME` | keys, counters, options, mechanisms, script commands and "
                "instructions of the name, or below a prefix (`l1`, `sm.slots`) |\n"
                "| `warpfold --version` | the version |\n"
                "| `warpfold --man` | the manual page, for `man` |\n"
                "| `warpfold --completion [bash\\|zsh\\|fish]` | completion for a shell, bash without a "
                "name, to be sourced |\n");
    add_commands(&page);
    add_options(&page);
    add_forms(&page);
    add_statuses(&page);
    add_script(&page);
    check_page(t, "docs/reference/command-line.md", &page);
}

// -- mechanisms, PTX instructions ---------------------------------------------------------------------------
static void add_tech_options(struct strbuf *page, struct wf_context *c, const char *name)
{
    struct wf_key key;
    if (!wf_tech_key_at(c, name, 0, &key)) {
        strbuf_puts(page, "No options.\n");
        return;
    }
    strbuf_puts(page, "| option | default | range | meaning |\n|---|---|---|---|\n");
    for (size_t k = 0; wf_tech_key_at(c, name, k, &key); k++) {
        first_cell(page, key.name);
        cell(page, key.initial);
        cell(page, key.range);
        cell(page, key.meaning);
        strbuf_putc(page, '\n');
    }
}

static void test_mechanisms(struct test *t)
{
    struct strbuf page = {0};
    struct wf_context *c = wf_context_create();
    const char *name, *meaning;
    strbuf_puts(&page,
                "# Mechanisms and their options\n\n" MADE "; `warpfold list techs` prints\nthe same rows. "
                "`--tech NAME:OPTION=VALUE,…` selects a mechanism, `+` joins mechanisms. "
                "[techniques](../explanation/techniques/README.md)\nhas a page for each mechanism, "
                "[counters.md](counters.md) the counters.\n");
    for (size_t i = 0; wf_tech_at(i, &name, &meaning); i++) {
        strbuf_printf(&page, "\n## `%s`\n\n%s.\n\n", name, meaning);
        add_tech_options(&page, c, name);
    }
    wf_context_destroy(c);
    check_page(t, "docs/reference/mechanisms.md", &page);
}

// Rows of ten mnemonics.
static void add_mnemonics(struct strbuf *page, bool is_refused)
{
    unsigned shown = 0;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        if (ptx_op_is_refused((enum ptx_op)op) == is_refused) {
            strbuf_puts(page, !shown ? "" : shown % 10 ? " " : "\n");
            strbuf_printf(page, "`%s`", ptx_op_name((enum ptx_op)op));
            shown++;
        }
    strbuf_puts(page, "\n");
}

static void test_ptx(struct test *t)
{
    struct strbuf page = {0};
    strbuf_puts(&page,
                "# PTX instructions\n\n" MADE " (`src/ptx/ptx.def`).\n[ptx.md](ptx.md) says how PTX is read, "
                "and which forms of executed instructions are refused.\n\n## Executed\n\n");
    add_mnemonics(&page, false);
    strbuf_puts(&page, "\n## Parsed and refused at launch\n\n");
    add_mnemonics(&page, true);
    check_page(t, "docs/reference/ptx-instructions.md", &page);
}

// Whether `name` is an entry of a page: `name` in backquotes, alone or followed by a blank.
static bool has_entry(const char *page, const char *name)
{
    struct strbuf alone = {0}, followed = {0};
    strbuf_printf(&alone, "`%s`", name);
    strbuf_printf(&followed, "`%s ", name);
    bool found = strstr(page, strbuf_text(&alone)) || strstr(page, strbuf_text(&followed));
    strbuf_fini(&alone);
    strbuf_fini(&followed);
    return found;
}

// Names of the JSON object `key`, with every name an entry of the page. Returns the number of names.
static unsigned check_members(struct test *t, const char *json, const char *key, const char *path,
                              const char *page)
{
    struct strbuf begin = {0};
    strbuf_printf(&begin, "\n  \"%s\": {\n", key);
    const char *p = strstr(json, strbuf_text(&begin));
    unsigned names = 0;
    for (p = p ? p + begin.length : ""; str_starts_with(p, "    \""); p += strcspn(p, "\n") + 1, names++) {
        char *name = strndup(p + 5, strcspn(p + 5, "\""));
        CHECK_MSG(t, has_entry(page, name), "%s has no entry `%s`, printed under %s", path, name, key);
        free(name);
    }
    strbuf_fini(&begin);
    return names;
}

static unsigned check_events(struct test *t, const char *json, const char *page)
{
    static const char before[] = "\"event\": \"";
    unsigned names = 0;
    for (const char *p = json; (p = strstr(p, before)) != NULL; names++) {
        p += sizeof before - 1;
        char *name = strndup(p, strcspn(p, "\""));
        CHECK_MSG(t, strchr(name, ':') || has_entry(page, name), "counters.md has no entry `%s`", name);
        free(name);
    }
    return names;
}

// Names printed by runs, without knowledge of the tables: a CUDA kernel with mechanisms, a RISC-V program on
// the SIMTight core.
static void test_printed(struct test *t)
{
    static const char launch[] =
        "run $V --kernel vecadd --grid 4 --block 64 --arg buf=f32:256:iota --arg "
        "buf=f32:256:iota --arg buf=f32:256:zero --arg s32=256 --quiet --json - --tech ";
    static const char *const techs[] = {"darsie+coarse", "dac",       "uv",  "cae",   "silicon-sync+warpman",
                                        "decoupled",     "scalarise", "mta", "snake", "gscalar",
                                        "rfcache",       "wir",       "r2d2"};
    char *keys = test_read_file(t, "docs/reference/keys.md", NULL),
         *counters = test_read_file(t, "docs/reference/counters.md", NULL);
    struct cli c = {.t = t};
    for (size_t k = 0; k <= TEST_COUNT(techs); k++) {
        char command[400];
        if (k < TEST_COUNT(techs))
            snprintf(command, sizeof command, "%s%s", launch, techs[k]);
        else
            snprintf(command, sizeof command,
                     "run kernels/riscv/elf/VecAdd.elf --gpu simtight --quiet --json $D/r.json");
        cli_run(&c, command);
        CHECK_MSG(t, c.status == 0, "%s: %s", command, c.err);
        size_t length;
        char *json = k < TEST_COUNT(techs) ? strdup(c.out) : cli_read(&c, "r.json", &length);
        if (!json) continue;
        CHECK(t, check_members(t, json, "counters", "counters.md", counters) > 100);
        CHECK(t, check_members(t, json, "config", "keys.md", keys) > 100);
        CHECK(t, check_events(t, json, counters) > 20 || k == TEST_COUNT(techs));
        free(json);
    }
    cli_fini(&c);
    free(keys);
    free(counters);
}

// Options of every help text are entries of command-line.md.
static void test_options(struct test *t)
{
    char *page = test_read_file(t, "docs/reference/command-line.md", NULL);
    struct options_command command;
    struct cli c = {.t = t};
    unsigned options = 0;
    for (unsigned k = 0; options_command_at(k, &command); k++) {
        char words[60];
        snprintf(words, sizeof words, "help %s", command.name);
        cli_run(&c, words);
        CHECK_EQ(t, c.status, 0);
        CHECK_MSG(t, strstr(page, "\n## `warpfold ") && strstr(page, command.name), "no section of %s",
                  command.name);
        for (const char *p = c.out; (p = strstr(p, "\n  --")) != NULL; options++) {
            p += 3;
            char *name = strndup(p, strcspn(p, " \n"));
            CHECK_MSG(t, has_entry(page, name), "command-line.md has no entry `%s`", name);
            free(name);
        }
    }
    CHECK_MSG(t, options > 50, "%u options", options);
    cli_fini(&c);
    free(page);
}

static void check_found(struct test *t, const char *name, const char *kind)
{
    struct strbuf text = {0}, begin = {0};
    strbuf_printf(&begin, "\n%s %s", kind, name);
    strbuf_putc(&text, '\n');
    CHECK_MSG(t, lookup(name, &text) && strstr(strbuf_text(&text), strbuf_text(&begin)), "help %s prints\n%s",
              name, strbuf_text(&text));
    strbuf_fini(&text);
    strbuf_fini(&begin);
}

// `warpfold help NAME` finds every counter, option and instruction, and samples of the other tables.
static void test_lookup(struct test *t)
{
    struct wf_counter counter;
    struct options_option option;
    struct strbuf none = {0};
    for (size_t i = 0; wf_counter_at(i, &counter); i++) check_found(t, counter.name, "counter");
    for (size_t i = 0; wf_core_counter_at(i, &counter); i++) check_found(t, counter.name, "counter");
    for (unsigned i = 0; options_option_at(i, &option); i++) check_found(t, option.name, "option");
    for (unsigned op = 0; op < OP_COUNT; op++) check_found(t, isa_table[op].mnemonic, "machine instruction");
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        check_found(t, ptx_op_name((enum ptx_op)op), "PTX instruction");
    check_found(t, "l1.latency", "key");
    check_found(t, "darsie", "mechanism");
    check_found(t, "darsie:entries", "mechanism's option");
    check_found(t, "darsie.leaders", "counter");
    check_found(t, "launch", "script command");
    check_found(t, "addi", "RISC-V instruction");
    CHECK(t, !lookup("nothing", &none) && !lookup("", &none) && !lookup("l1.laten", &none));
    struct cli c = {.t = t};
    cli_expect(&c, "help sm.issue.dual", 0, "");
    CHECK_STR(t, c.out,
              "counter sm.issue.dual (warp instructions): instructions issued as the second of a warp in a "
              "cycle\n");
    cli_fini(&c);
}

// docs/README.md, the index, links to every page of docs/reference.
static void test_index(struct test *t)
{
    char *pages, *index = test_read_file(t, "docs/README.md", NULL);
    CHECK_EQ(t, test_command("cd docs && ls reference/*.md", 20, &pages, NULL), 0);
    char *rest = pages;
    for (char *path; (path = strsep(&rest, "\n")) != NULL;) {
        char link[200];
        snprintf(link, sizeof link, "](%s)", path);
        CHECK_MSG(t, !*path || strstr(index, link), "docs/README.md has no link to %s", path);
    }
    free(pages);
    free(index);
}

// Text of the pages linked from a row of the index, appended.
static void add_linked(struct test *t, const char *row, size_t length, struct strbuf *out)
{
    for (const char *p = row; (p = strstr(p, "](")) != NULL && p < row + length;) {
        struct strbuf path = {0};
        p += 2;
        strbuf_printf(&path, "docs/%.*s", (int)strcspn(p, ")#"), p);
        char *text = test_read_file(t, strbuf_text(&path), NULL);
        strbuf_puts(out, text);
        free(text);
        strbuf_fini(&path);
    }
}

// A term of the index occurs in a page of the row. "claim of an experiment" is looked for as "claim".
static void check_term(struct test *t, char *term, const char *pages)
{
    term += strspn(term, " `");
    char *end = strstr(term, " of ");
    if (end) *end = 0;
    term[strcspn(term, "`(|)")] = 0;
    while (*term && term[strlen(term) - 1] == ' ') term[strlen(term) - 1] = 0;
    CHECK_MSG(t, strcasestr(pages, term), "the index names \"%s\", absent from the pages", term);
}

// Terms of the index's second table.
static void test_terms(struct test *t)
{
    char *index = test_read_file(t, "docs/README.md", NULL),
         *at = strstr(index, "| term | page |\n|---|---|\n");
    unsigned terms = 0;
    CHECK(t, at);
    if (at) at = strstr(at, "---|\n") + strlen("---|\n");
    while (at && str_starts_with(at, "| ")) {
        size_t length = strcspn(at, "\n");
        struct strbuf pages = {0};
        add_linked(t, at, length, &pages);
        char *cell = strndup(at + 2, strcspn(at + 2, "|")), *rest = cell;
        for (char *term; (term = strsep(&rest, ",")) != NULL; terms++)
            check_term(t, term, strbuf_text(&pages));
        free(cell);
        strbuf_fini(&pages);
        at += length + 1;
    }
    CHECK_MSG(t, terms > 20, "%u terms", terms);
    free(index);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"keys", test_keys},       {"counters", test_counters},     {"command-line", test_command_line},
        {"ptx", test_ptx},         {"mechanisms", test_mechanisms}, {"printed", test_printed},
        {"options", test_options}, {"index", test_index},           {"lookup", test_lookup},
        {"terms", test_terms}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
