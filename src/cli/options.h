// Command-line options from the table options.def: parsed, checked and explained by the table alone.
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
    const char *value; // of the switch: NULL; points into argv
};

struct options {
    enum command_id command;
    VEC(struct option_given) given; // in order
    VEC(const char *) operands;
};

// Options take `--name value` or `--name=value`; everything after `--` is an operand. False and errors for
// unknown options (with the near miss), missing or needless values, repetition, and what this version does
// not have yet.
bool options_parse(struct options *o, enum command_id command, int argc, char **argv, struct diag *d);
void options_fini(struct options *o);

bool options_has(const struct options *o, enum option_id id);
const char *options_value(const struct options *o, enum option_id id); // NULL when not given
const char *options_name(enum option_id id);                           // "--kernel"
const char *options_command(const struct options *o);                  // "run"

// The tables, for those who write about them; false past the last.
struct options_command {
    const char *name, *usage, *summary;
};
struct options_option {
    const char *name, *argument, *help; // argument NULL: a switch
    bool many;
};
bool options_command_at(unsigned index, struct options_command *c);
bool options_option_at(unsigned index, struct options_option *o);
bool options_takes(unsigned option, unsigned command);
void options_manual(struct strbuf *out);     // roff, for man
void options_completion(struct strbuf *out); // for bash

// The help of a command, and the screen of `warpfold` alone.
void options_help(enum command_id command, struct strbuf *out);
void options_overview(struct strbuf *out);
