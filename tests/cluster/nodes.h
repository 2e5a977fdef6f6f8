// A Slurm of a test's own on this machine: a controller and two nodes of two cores, without systemd, without munge, with all they write
// in the case's folder. SLURM_CONF is set for whatever the test starts.
#pragma once
#include "harness/test.h"

#include <sys/types.h>

enum { NODES = 2 };

struct nodes {
    struct test *t;
    pid_t controller, node[NODES]; // 0: is not running
};

// False: Slurm is not installed, and the case is skipped; or it does not start, and the case fails.
bool nodes_begin(struct nodes *n, struct test *t);
void nodes_end(struct nodes *n);

// As if the machine lost its power, but for the jobs: these go on as orphans.
void nodes_kill(pid_t *daemon);
void nodes_start_controller(struct nodes *n); // it knows the jobs it knew before
void nodes_start_node(struct nodes *n, unsigned index);
// "STATE" or "STATE reason=…" of n1, n2; a command of Slurm's that fails may be tried again.
bool nodes_set(struct nodes *n, unsigned index, const char *state);
unsigned nodes_jobs(struct nodes *n); // that run, or wait and are not held (a launch that has failed)
// Until there are no such jobs; else the case fails.
void nodes_wait(struct nodes *n);
