// `warpfold help NAME`: explains a key, counter, option, mechanism, mechanism's option, script command or
// instruction, in the words of the tables.
#include "cli/lookup.h"
#include "api/warpfold.h"
#include "cli/options.h"
#include "cli/script_text.h"
#include "isa/isa.h"
#include "ptx/names.h"
#include "riscv/decode.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Whether `name` is the word, or begins with the word and a dot ("l1" names every "l1.…").
static bool matches(const char *name, const char *word)
{
    size_t length = strlen(word);
    return strncmp(name, word, length) == 0 && (!name[length] || name[length] == '.');
}

static void add_key(const char *kind, const char *name, const struct wf_key *k, struct strbuf *out)
{
    strbuf_printf(out, "%s %s (default %s, %s): %s\n", kind, name, *k->initial ? k->initial : "empty",
                  k->range, k->meaning);
}

static void add_counter(const struct wf_counter *c, struct strbuf *out)
{
    strbuf_printf(out, "counter %s (%s): %s\n", c->name, c->unit, c->meaning);
}

static void look_in_keys(struct wf_context *c, const char *word, struct strbuf *out)
{
    struct wf_key key;
    for (size_t i = 0; wf_key_at(c, i, &key); i++)
        if (matches(key.name, word)) add_key("key", key.name, &key, out);
}

static void look_in_counters(const char *word, struct strbuf *out)
{
    struct wf_counter counter;
    for (size_t i = 0; wf_counter_at(i, &counter); i++)
        if (matches(counter.name, word)) add_counter(&counter, out);
    for (size_t i = 0; wf_core_counter_at(i, &counter); i++)
        if (matches(counter.name, word)) add_counter(&counter, out);
}

// Appends what the word names of mechanism `name`: the mechanism with all its options, a single option
// (OPTION or NAME:OPTION), or counters.
static void look_in_tech(struct wf_context *c, const char *name, const char *meaning, const char *word,
                         struct strbuf *out)
{
    struct wf_key key;
    struct wf_counter counter;
    bool is_whole = str_equal(name, word);
    if (is_whole) strbuf_printf(out, "mechanism %s: %s\n", name, meaning);
    for (size_t k = 0; wf_tech_key_at(c, name, k, &key); k++) {
        struct strbuf full = {0};
        strbuf_printf(&full, "%s:%s", name, key.name);
        if (is_whole || str_equal(key.name, word) || str_equal(strbuf_text(&full), word))
            add_key("mechanism's option", strbuf_text(&full), &key, out);
        strbuf_fini(&full);
    }
    for (size_t k = 0; wf_tech_counter_at(c, name, k, &counter); k++)
        if (matches(counter.name, word)) add_counter(&counter, out);
}

static void look_in_options(const char *word, struct strbuf *out)
{
    struct options_option o;
    struct options_command c;
    for (unsigned i = 0; options_option_at(i, &o); i++) {
        if (!str_equal(o.name, word) && !str_equal(o.name + 2, word)) continue;
        strbuf_printf(out, "option %s%s%s of", o.name, o.argument ? " " : "", o.argument ? o.argument : "");
        for (unsigned k = 0, shown = 0; options_command_at(k, &c); k++)
            if (options_takes(i, k)) strbuf_printf(out, "%s %s", shown++ ? "," : "", c.name);
        strbuf_printf(out, ": %s\n", o.help);
    }
}

static void look_in_scripts(const char *word, struct strbuf *out)
{
    for (unsigned i = 0; i < SCRIPT_COUNT; i++) {
        enum script_command command = (enum script_command)i;
        if (str_equal(script_command_name(command), word))
            strbuf_printf(out, "script command %s: %s\n", script_command_usage(command),
                          script_command_meaning(command));
    }
}

// Appends instructions named by the word: of the machine code in upper or lower case, of RISC-V and PTX in
// lower case.
static void look_in_instructions(const char *word, struct strbuf *out)
{
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (strcasecmp(isa_table[op].mnemonic, word) == 0)
            strbuf_printf(out, "machine instruction %s: %s\n", isa_table[op].mnemonic, isa_table[op].meaning);
    for (unsigned op = 0; op < RV_COUNT; op++)
        if (str_equal(rv_table[op].mnemonic, word))
            strbuf_printf(out, "RISC-V instruction %s: %s\n", word, rv_table[op].meaning);
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        if (str_equal(ptx_op_name((enum ptx_op)op), word))
            strbuf_printf(out, "PTX instruction %s: %s (docs/reference/ptx.md)\n", word,
                          ptx_op_is_refused((enum ptx_op)op) ? "parsed, and refused at launch" : "executed");
}

bool lookup(const char *word, struct strbuf *out)
{
    const char *name, *meaning;
    size_t before = out->length;
    struct wf_context *c = wf_context_create();
    if (*word) {
        look_in_keys(c, word, out);
        look_in_counters(word, out);
        for (size_t i = 0; wf_tech_at(i, &name, &meaning); i++) look_in_tech(c, name, meaning, word, out);
        look_in_options(word, out);
        look_in_scripts(word, out);
        look_in_instructions(word, out);
    }
    wf_context_destroy(c);
    return out->length > before;
}

// -- spelling suggestions -----------------------------------------------------------------------------------

struct names {
    VEC(char *) all; // heap
};

static void add_name(struct names *n, const char *name) { vec_push(&n->all, heap_strdup(name)); }

static void add_names_of_library(struct wf_context *c, struct names *n)
{
    struct wf_key key;
    struct wf_counter counter;
    const char *tech, *meaning;
    for (size_t i = 0; wf_key_at(c, i, &key); i++) add_name(n, key.name);
    for (size_t i = 0; wf_counter_at(i, &counter); i++) add_name(n, counter.name);
    for (size_t i = 0; wf_core_counter_at(i, &counter); i++) add_name(n, counter.name);
    for (size_t i = 0; wf_tech_at(i, &tech, &meaning); i++) {
        add_name(n, tech);
        for (size_t k = 0; wf_tech_key_at(c, tech, k, &key); k++) {
            struct strbuf full = {0};
            strbuf_printf(&full, "%s:%s", tech, key.name);
            add_name(n, key.name);
            vec_push(&n->all, full.text);
        }
        for (size_t k = 0; wf_tech_counter_at(c, tech, k, &counter); k++) add_name(n, counter.name);
    }
}

// Machine instructions in upper case, and in lower case as accepted by `lookup`.
static void add_names_of_instructions(struct names *n)
{
    for (unsigned op = 0; op < OP_COUNT; op++) {
        char *lower = heap_strdup(isa_table[op].mnemonic);
        add_name(n, isa_table[op].mnemonic);
        for (char *p = lower; *p; p++) *p = (char)tolower((unsigned char)*p);
        vec_push(&n->all, lower);
    }
    for (unsigned op = 0; op < RV_COUNT; op++) add_name(n, rv_table[op].mnemonic);
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) add_name(n, ptx_op_name((enum ptx_op)op));
}

static void add_names_of_commands(struct names *n)
{
    struct options_command c;
    struct options_option o;
    for (unsigned i = 0; options_command_at(i, &c); i++) add_name(n, c.name);
    for (unsigned i = 0; options_option_at(i, &o); i++) {
        add_name(n, o.name);
        add_name(n, o.name + 2); // without the hyphens
    }
    for (unsigned i = 0; i < SCRIPT_COUNT; i++) add_name(n, script_command_name((enum script_command)i));
}

static const char *next_name(const void *context, size_t i)
{
    const struct names *n = context;
    return i < n->all.count ? n->all.data[i] : NULL;
}

bool lookup_nearest(const char *word, struct strbuf *out)
{
    struct names n = {0};
    struct wf_context *c = wf_context_create();
    add_names_of_commands(&n); // among equally near names, the first is suggested
    add_names_of_library(c, &n);
    add_names_of_instructions(&n);
    const char *near = str_nearest(word, next_name, &n);
    if (near) strbuf_puts(out, near);
    for (size_t i = 0; i < n.all.count; i++) free(n.all.data[i]);
    vec_fini(&n.all);
    wf_context_destroy(c);
    return near;
}
