// Commands called by main. A command gets the words after its name, and returns the exit status. Only
// commands print results and messages.
#pragma once
#include "api/warpfold.h"
#include "cli/options.h"
#include "cli/results.h"

#define COMMAND(id, function, name, usage, summary) int command_##function(int argc, char **argv);
#include "cli/command.def"
#undef COMMAND

// Runs the command named by argv[1], as called by main. Returns the exit status.
int command_dispatch(int argc, char **argv);
// Parses a command's options. True: continue. False: *status is the exit status; errors or help have been
// printed.
bool command_begin(struct options *o, enum command_id command, int argc, char **argv, int *status);
// Prints the messages to stderr, in colour on a terminal. Returns `status`.
int command_fail(const struct diag *d, int status);
int command_fail_context(struct wf_context *c, int status);
// Claims in `r` the files written by --json, --timeline and --dump, and the file read by --gpu. False and an
// error: a file cannot be written, or two claims conflict.
bool command_claim(const struct options *o, struct results *r);
// Makes the JSON text the content of --json's destination; results_write writes it later.
void command_json(const struct options *o, struct results *r, const struct strbuf *text);
// Whether stdout is reserved for JSON.
bool command_json_alone(const struct options *o);
// Value of an option with a number from 1 to `most`; 0 if the option is absent. False and an error for other
// values.
bool command_number(const struct options *o, enum option_id id, uint64_t most, uint64_t *n, struct diag *d);
// Applies --set and checks the settings together. WF_OK or WF_BAD_USAGE; errors are in `d` or in the context.
enum wf_status command_set(const struct options *o, struct wf_context *c, struct diag *d);
// Applies --gpu (by default gtx1080ti), --set, --tech, --verify, --threads and --max-cycles. --functional
// and the command study select functional launches. Refuses --functional beside an option that needs time,
// such as --tech.
enum wf_status command_settings(const struct options *o, struct wf_context *c, struct diag *d);
// Adds a note if --gpu names a user's file that omits keys and has no base GPU (`like`). Silent with --quiet.
void command_note_gpu(const struct options *o, struct diag *d);
// For commands about timing: false and an error with check.races, since race detection runs functionally.
bool command_has_time(const struct options *o, struct wf_context *c, struct diag *d);
// Adds a note if check.races makes a run functional that would be timed. Silent with --quiet.
void command_note_races(const struct options *o, struct wf_context *c, struct diag *d);
// Only with --timeline: command_watch starts a record of the context's launches. command_timeline appends the
// record to `out`, in the format of the path's suffix; a warning tells if the record is incomplete. base: the context
// of the run without mechanisms, for the stepping page (unmodified.h); NULL: none.
void command_watch(const struct options *o, struct wf_context *c);
void command_timeline(const struct options *o, struct wf_context *c, struct wf_context *base,
                      struct strbuf *out, struct diag *d);
// Prints the messages of the context, then of `d`, to stderr. Returns `status`.
int command_fail_both(struct wf_context *c, const struct diag *d, int status);
