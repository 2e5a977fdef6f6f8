// Parses options by the table, and makes the help texts from the tables of options and commands.
#include "cli/options.h"
#include "api/warpfold.h"

#include <string.h>

// Bits in the column `commands` of options.def.
enum {
    RUN = 1 << COMMAND_RUN,
    COMPILE = 1 << COMMAND_COMPILE,
    PROFILE = 1 << COMMAND_PROFILE,
    CHECK = 1 << COMMAND_CHECK,
    MARK = 1 << COMMAND_MARK,
    BENCH = 1 << COMMAND_BENCH,
    LIST = 1 << COMMAND_LIST,
    STUDY = 1 << COMMAND_STUDY,
    REPRODUCE = 1 << COMMAND_REPRODUCE,
    COMPARE = 1 << COMMAND_COMPARE,
    WORKER = 1 << COMMAND_WORKER,
    INJECT = 1 << COMMAND_INJECT,
    MIX = 1 << COMMAND_MIX
};
enum { MANY = 1, MAY_BE_BARE = 2, HIDDEN = 4 };

static const struct {
    const char *name, *argument, *help;
    unsigned commands, flags;
} rows[OPTION_COUNT] = {
#define OPTION(id, name_, argument_, commands_, flags_, help_)                                               \
    [OPTION_##id] = {"--" name_, argument_, help_, commands_, flags_},
#include "cli/options.def"
#undef OPTION
};

static const struct {
    const char *name, *usage, *summary;
} commands[COMMAND_COUNT] = {
#define COMMAND(id, function, name, usage, summary) [COMMAND_##id] = {name, usage, summary},
#include "cli/command.def"
#undef COMMAND
};

const char *options_name(enum option_id id) { return rows[id].name; }
const char *options_command(const struct options *o) { return commands[o->command].name; }

bool options_command_at(unsigned index, struct options_command *c)
{
    if (index >= COMMAND_COUNT) return false;
    *c = (struct options_command){commands[index].name, commands[index].usage, commands[index].summary};
    return true;
}

bool options_option_at(unsigned index, struct options_option *o)
{
    if (index >= OPTION_COUNT) return false;
    *o = (struct options_option){rows[index].name, rows[index].argument, rows[index].help,
                                 (rows[index].flags & MANY) != 0};
    return true;
}

bool options_takes(unsigned option, unsigned command) { return rows[option].commands >> command & 1; }

// Name of option i if the command takes the option; else "", which matches no word. NULL past the last.
static const char *next_option(const void *context, size_t i)
{
    enum command_id command = *(const enum command_id *)context;
    if (i >= OPTION_COUNT) return NULL;
    return rows[i].commands >> command & 1 ? rows[i].name : "";
}

static bool refuse_unknown(enum command_id command, const char *name, size_t length, struct diag *d)
{
    char *word = heap_strndup(name, length);
    const char *near = str_nearest(word, next_option, &command);
    if (near && *near)
        diag_error(d, loc_none(), "%s has no option %s; did you mean %s?", commands[command].name, word,
                   near);
    else
        diag_error(d, loc_none(), "%s has no option %s; `warpfold %s --help` lists the options",
                   commands[command].name, word, commands[command].name);
    free(word);
    return false;
}

static bool find(enum command_id command, const char *text, size_t length, enum option_id *id)
{
    for (unsigned i = 0; i < OPTION_COUNT; i++)
        if (rows[i].commands >> command & 1 && strlen(rows[i].name) == length &&
            memcmp(rows[i].name, text, length) == 0) {
            *id = (enum option_id)i;
            return true;
        }
    return false;
}

// Parses one option at argv[*i], with its value in the same word or the next.
static bool parse_one(struct options *o, int argc, char **argv, int *i, struct diag *d)
{
    const char *text = argv[*i], *value = strchr(text, '=');
    size_t length = value ? (size_t)(value - text) : strlen(text);
    enum option_id id = OPTION_HELP;
    if (o->command == COMMAND_COMPILE && str_equal(text, "-o"))
        id = OPTION_PTX_FILE;
    else if (!str_equal(text, "-h") && !find(o->command, text, length, &id))
        return refuse_unknown(o->command, text, length, d);
    const char *name = rows[id].name;
    if (!rows[id].argument && value) return diag_error(d, loc_none(), "%s takes no value", name);
    if (rows[id].argument && value)
        value++;
    else if (rows[id].argument && !(rows[id].flags & MAY_BE_BARE)) {
        if (*i + 1 >= argc)
            return diag_error(d, loc_none(), "%s needs a value: %s %s", name, name, rows[id].argument);
        value = argv[++*i];
    }
    if (!(rows[id].flags & MANY) && options_has(o, id))
        return diag_error(d, loc_none(), "%s is given twice", name);
    vec_push(&o->given, (struct option_given){id, value});
    return true;
}

// Not "-", stdin, and not the words "-- PROGRAM ARGUMENT..." of an operand.
static bool is_option(const char *word) { return word[0] == '-' && word[1] && !str_starts_with(word, "-- "); }

bool options_parse(struct options *o, enum command_id command, int argc, char **argv, struct diag *d)
{
    *o = (struct options){.command = command};
    bool ok = true, only_operands = false;
    for (int i = 0; i < argc; i++) {
        if (!only_operands && str_equal(argv[i], "--")) {
            only_operands = true;
            o->is_behind_dashes = !o->operands.count;
        } else if (!only_operands && is_option(argv[i]))
            ok &= parse_one(o, argc, argv, &i, d);
        else
            vec_push(&o->operands, argv[i]);
    }
    return ok;
}

void options_fini(struct options *o)
{
    vec_fini(&o->given);
    vec_fini(&o->operands);
}

bool options_has(const struct options *o, enum option_id id)
{
    for (size_t i = 0; i < o->given.count; i++)
        if (o->given.data[i].id == id) return true;
    return false;
}

const char *options_value(const struct options *o, enum option_id id)
{
    for (size_t i = 0; i < o->given.count; i++)
        if (o->given.data[i].id == id) return o->given.data[i].value;
    return NULL;
}

bool options_form_at(unsigned index, struct options_form *f)
{
    static const struct options_form forms[] = {
#define FORM(form, meaning) {form, meaning, false},
#define INIT(form, meaning) {form, meaning, true},
#include "cli/forms.def"
#undef FORM
#undef INIT
    };
    if (index >= sizeof forms / sizeof forms[0]) return false;
    *f = forms[index];
    return true;
}

bool options_status_at(unsigned index, struct options_status *s)
{
    static const struct options_status statuses[] = {
#define STATUS(number, name, meaning) {number, name, meaning},
#include "cli/status.def"
#undef STATUS
    };
    if (index >= sizeof statuses / sizeof statuses[0]) return false;
    *s = statuses[index];
    return true;
}

// Appends the forms of SPEC (content of an argument), and the names of INIT (first content of a buffer).
static void add_forms(struct strbuf *out)
{
    struct options_form f;
    unsigned inits = 0;
    strbuf_puts(out, "\nSPEC says what an argument holds; arguments and dumps count from 0. INIT: ");
    for (unsigned i = 0; options_form_at(i, &f); i++)
        if (f.is_init) strbuf_printf(out, "%s%s", inits++ ? ", " : "", f.form);
    for (unsigned i = 0; options_form_at(i, &f); i++)
        if (!f.is_init) strbuf_printf(out, "\n  %-28s %s", f.form, f.meaning);
}

static void add_statuses(struct strbuf *out)
{
    struct options_status s;
    for (unsigned i = 0; options_status_at(i, &s); i++)
        strbuf_printf(out, "%s%d %s", i ? ", " : "\nExit status: ", s.number, s.name);
    strbuf_puts(out, ".\n");
}

void options_help(enum command_id command, struct strbuf *out)
{
    strbuf_printf(out, "usage: warpfold %s %s\n\n%s %s.\n\n", commands[command].name, commands[command].usage,
                  commands[command].name, commands[command].summary);
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        if (!(rows[i].commands >> command & 1) || rows[i].flags & HIDDEN) continue;
        if (i == OPTION_HELP) continue; // the reader has found --help
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", rows[i].name, rows[i].argument ? " " : "",
                 rows[i].argument ? rows[i].argument : "");
        strbuf_printf(out, "  %-28s %s%s\n", left, rows[i].help,
                      rows[i].flags & MANY ? "; may be repeated" : "");
    }
    if (command == COMMAND_RUN || command == COMMAND_PROFILE || command == COMMAND_CHECK ||
        command == COMMAND_STUDY)
        add_forms(out);
    add_statuses(out);
}

void options_overview(struct strbuf *out)
{
    strbuf_puts(out,
                "warpfold " WF_VERSION ": runs CUDA kernels from PTX, without a GPU and without CUDA.\n\n");
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        strbuf_printf(out, "  warpfold %-9s %s\n", commands[i].name, commands[i].summary);
    strbuf_puts(
        out,
        "\n`warpfold COMMAND --help` explains a command, `warpfold help NAME` a key, a counter, an option, "
        "a\n"
        "mechanism or an instruction. For a start:\n\n"
        "  warpfold bench --size small                      every bundled kernel, checked against the CPU\n"
        "  warpfold run k.ptx --kernel vecadd --grid 4 --block 256 \\\n"
        "      --arg buf=f32:1024:iota --arg buf=f32:1024:const:1 --arg buf=f32:1024:zero --arg s32=1024\n"
        "  warpfold mark k.ptx --kernel vecadd              the kernel's machine code, with marks\n"
        "  warpfold study redundancy --bench matrixMul      work repeated by every warp\n");
}
