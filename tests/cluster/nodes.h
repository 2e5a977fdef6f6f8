// A private Slurm of a test on this machine: a controller and two nodes of two cores, without systemd and
// munge. All files lie in the case's folder. SLURM_CONF is set for every process of the test.
#pragma once
#include "harness/test.h"

#include <sys/types.h>

enum { NODES = 2 };

struct nodes {
    struct test *t;
    pid_t controller, node[NODES]; // 0: not running
};

// False: Slurm is not installed and the case is skipped, or Slurm does not start and the case fails.
bool nodes_begin(struct nodes *n, struct test *t);
void nodes_end(struct nodes *n);

// Like a power failure of the machine, but the jobs survive as orphans.
void nodes_kill(pid_t *daemon);
void nodes_start_controller(struct nodes *n); // still knows the jobs of before
void nodes_start_node(struct nodes *n, unsigned index);
// state: "STATE" or "STATE reason=…" of n1 or n2. False: Slurm's command failed; the caller may try again.
bool nodes_set(struct nodes *n, unsigned index, const char *state);
unsigned nodes_jobs(struct nodes *n); // jobs running, or waiting and not held (a failed launch)
// Waits until no job runs or waits; fails the case after too long a time.
void nodes_wait(struct nodes *n);
