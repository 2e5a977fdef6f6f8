// What main dispatches to. Each command gets its words after its name and returns the exit status; it alone
// prints.
#pragma once
#include "api/warpfold.h"
#include "cli/options.h"
#include "cli/results.h"

#define COMMAND(id, function, name, usage, summary) int command_##function(int argc, char **argv);
#include "cli/command.def"
#undef COMMAND

// The command that the first word after the program's name names; its exit status.
int command_dispatch(int argc, char **argv);
// Parses the options of a command. True when it should go on; otherwise *status is the exit status, and
// errors or the help have been printed.
bool command_begin(struct options *o, enum command_id command, int argc, char **argv, int *status);
// Prints what is wrong to stderr, in colour on a terminal, and returns `status`.
int command_fail(const struct diag *d, int status);
int command_fail_context(struct wf_context *c, int status);
// Claims what the options write (--json, --timeline, --dump) and the file that --gpu reads.
bool command_claim(const struct options *o, struct results *r);
// The JSON's text goes where --json says.
void command_json(const struct options *o, struct results *r, const struct strbuf *text);
// Whether stdout is for JSON alone.
bool command_json_alone(const struct options *o);
// A number from 1 to `most`; 0 when the option is not given.
bool command_number(const struct options *o, enum option_id id, uint64_t most, uint64_t *n, struct diag *d);
// Applies --set. WF_OK or WF_BAD_USAGE, with errors in `d` or in the context.
enum wf_status command_set(const struct options *o, struct wf_context *c, struct diag *d);
// The same, --gpu and --tech, and refuses what --tech, --threads and --functional cannot mean together.
enum wf_status command_settings(const struct options *o, struct wf_context *c, struct diag *d);
// A note where --gpu names a file of one's own that is like no other GPU and leaves keys out. Not with --quiet.
void command_note_gpu(const struct options *o, struct diag *d);
// Of commands that are about time: false and an error where races are looked for, since such runs have none.
bool command_has_time(const struct options *o, struct wf_context *c, struct diag *d);
// Says that a run which asked for time has none, since races are looked for (check.races).
void command_note_races(const struct options *o, struct wf_context *c, struct diag *d);
// --timeline: has the context's launches watched; then what was seen, as its path's ending says, and a
// warning when that is not all.
void command_watch(const struct options *o, struct wf_context *c);
void command_timeline(const struct options *o, struct wf_context *c, struct strbuf *out, struct diag *d);
// "X[,Y[,Z]]"; absent ones are 1.
bool command_parse_shape(const char *what, const char *text, uint32_t shape[3], struct loc loc,
                         struct diag *d);
// The errors of both, the library's located ones first.
int command_fail_both(struct wf_context *c, const struct diag *d, int status);
