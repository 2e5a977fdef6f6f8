// A run's process: warpfold with the words of a job, which leaves its result as JSON.
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct process_order {
    const char *program;               // warpfold itself, which is started
    int (*run)(int argc, char **argv); // the same as a function, which spares that; NULL: there is none
    const char *folder;                // where it runs
    const char *command;               // words with blanks between them
    bool is_mark;                      // `mark` prints no summary that --quiet would leave out
    const char *json;                  // where the result goes, seen from the folder
    int errors;                        // descriptor of what it complains of; -1: nowhere
    const char *compiled;              // folder of compiled kernels that it takes and leaves; NULL: none
    const sigset_t *signals;           // that it starts with blocked
};

#define PROCESS_COMPILED "WARPFOLD_COMPILED" // what tells it of that folder

// It leads a group of its own and dies with us. -1 and errno: there is none.
pid_t process_start(const struct process_order *o);
// Of what it complained of the first line, without "error: ". Heap.
char *process_complaint(const char *text);
