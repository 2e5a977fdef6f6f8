// What tests of plans share: workers by hand, and what is compared with a clean run's database.
#pragma once
#include "lab/lab.h"

#include <sys/types.h>

void sleep_for(double seconds);
// When a wait for a condition is given up, by clock_seconds: minutes from now, which only a condition that never comes takes.
double patience_end(void);
// `warpfold worker $D/FOLDER` of so many processes, in the background.
pid_t worker_start(struct test *t, const char *folder, const char *processes, const char *lease);
int process_wait(pid_t child); // its exit status, or -SIGNAL
// One of the processes `warpfold worker $D/FOLDER` that are alive, whoever started them, after `skip` others; 0: there is none.
pid_t worker_find(struct test *t, const char *folder, unsigned skip);
// A process that a worker runs a point in; 0: there is none.
pid_t worker_point(pid_t worker);
void plan_collect(struct cli *c, const char *folder);
void check_same(struct test *t, const char *folder, const char *clean, const char *what);
// File systems from here on are ours and of whom we start from now on, and are gone with us. False: that needs a right that we have not.
bool disks_begin(void);
// $D/FOLDER as one of so many MB; path: where.
bool disk_mount(struct test *t, const char *folder, unsigned megabytes, char path[600]);
// Writes a file until there is no room left.
void disk_fill(struct test *t, const char *path);
// The number that stands behind a word in what --status says of a folder.
unsigned long status_number(struct cli *c, const char *folder, const char *word);
// Until a point of the folder is running or done; else the case fails.
void wait_for_work(struct cli *c, const char *folder);
// $D/NAME.exp of 5 kernels that take a while and so many series: five points each, and five of the base.
void write_many(struct cli *c, const char *name, unsigned series);
