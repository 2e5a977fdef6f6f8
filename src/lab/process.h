// The process of a run: warpfold with the words of a command, leaving its result as JSON.
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct process_order {
    const char *program;               // path of warpfold
    int (*run)(int argc, char **argv); // the command as a function, to spare exec; NULL: exec `program`
    const char *folder;                // working directory
    const char *command;               // words separated by blanks
    bool is_mark;                      // command `mark`: no --quiet, because `mark` prints no summary
    const char *json;                  // path of the result, relative to the folder
    int errors;                        // descriptor for errors; -1: discard
    const char *compiled;    // folder of compiled kernels, read and extended by the process; NULL: none
    const sigset_t *signals; // initial mask of blocked signals
};

#define PROCESS_COMPILED "WARPFOLD_COMPILED" // environment variable with the folder of compiled kernels

// Starts a process, the leader of its own group, killed with its parent. -1 and errno on failure.
pid_t process_start(const struct process_order *o);
// The first line of a process's error output, without "error: ". On the heap.
char *process_complaint(const char *text);
