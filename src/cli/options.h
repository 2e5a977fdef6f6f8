// Command-line options, parsed, checked and explained by the table options.def.
#pragma once
#include "base/diag.h"
#include "base/vec.h"

enum option_id {
#define OPTION(id, name, argument, commands, flags, help) OPTION_##id,
#include "cli/options.def"
#undef OPTION
    OPTION_COUNT
};

enum command_id {
#define COMMAND(id, function, name, usage, summary) COMMAND_##id,
#include "cli/command.def"
#undef COMMAND
    COMMAND_COUNT
};

struct option_given {
    enum option_id id;
    const char *value; // NULL for a switch; points into argv
};

struct options {
    enum command_id command;
    VEC(struct option_given) given; // in order of appearance
    VEC(const char *) operands;
    bool is_behind_dashes; // all operands stand behind `--`
};

// Options are written `--name value` or `--name=value`. Words after `--` are operands. False and errors for
// unknown options (with the nearest name), missing or superfluous values, and repetition of an option that
// may not be repeated.
bool options_parse(struct options *o, enum command_id command, int argc, char **argv, struct diag *d);
void options_fini(struct options *o);

bool options_has(const struct options *o, enum option_id id);
const char *options_value(const struct options *o, enum option_id id); // NULL if absent
const char *options_name(enum option_id id);                           // "--kernel"
const char *options_command(const struct options *o);                  // "run"

// Rows of the tables by index, for help and manual. False past the last.
struct options_command {
    const char *name, *usage, *summary;
};
struct options_option {
    const char *name, *argument, *help; // argument NULL: a switch
    bool many;
};
struct options_form {
    const char *form, *meaning; // "buf=TYPE:COUNT:INIT"
    bool is_init;               // a form of INIT, not of SPEC
};
struct options_status {
    int number;
    const char *name, *meaning;
};
bool options_command_at(unsigned index, struct options_command *c);
bool options_option_at(unsigned index, struct options_option *o);
bool options_form_at(unsigned index, struct options_form *f);
bool options_status_at(unsigned index, struct options_status *s);
bool options_takes(unsigned option, unsigned command);
void options_manual(struct strbuf *out); // roff, for man
void options_completion_bash(struct strbuf *out);
void options_completion_zsh(struct strbuf *out);
void options_completion_fish(struct strbuf *out);

// Help text of one command, and the overview printed by `warpfold` alone.
void options_help(enum command_id command, struct strbuf *out);
void options_overview(struct strbuf *out);
