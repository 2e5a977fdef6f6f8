// Shared by tests of plans: workers started by hand, and comparison with the database of a clean run.
#pragma once
#include "lab/lab.h"

#include <sys/types.h>

void sleep_for(double seconds);
// End of a wait for a condition, by clock_seconds: minutes from now. Only a condition
// that never holds takes so long.
double patience_end(void);
// `warpfold worker $D/FOLDER` with `processes` processes, in the background.
pid_t worker_start(struct test *t, const char *folder, const char *processes, const char *lease);
int process_wait(pid_t child); // the exit status, or -SIGNAL
// A living process `warpfold worker $D/FOLDER`, after skipping `skip` of them; 0: no more.
// Any process may have started it.
pid_t worker_find(struct test *t, const char *folder, unsigned skip);
// A process running a point of the worker; 0: none.
pid_t worker_point(pid_t worker);
void plan_collect(struct cli *c, const char *folder);
void check_same(struct test *t, const char *folder, const char *clean, const char *what);
// Gives the test and its children a mount namespace of their own, gone with the
// test. False: no right to do so.
bool disks_begin(void);
// Mounts a file system of `megabytes` MB at $D/FOLDER; path: receives the place.
bool disk_mount(struct test *t, const char *folder, unsigned megabytes, char path[600]);
// Fills the file system with a file until no room is left.
void disk_fill(struct test *t, const char *path);
// The number behind `word` in the output of --status on the folder.
unsigned long status_number(struct cli *c, const char *folder, const char *word);
// Waits until a point of the folder is running or done; fails the case after too long a time.
void wait_for_work(struct cli *c, const char *folder);
// Writes $D/NAME.exp: 5 slow kernels and `series` series, so five points a series and five of the base.
void write_many(struct cli *c, const char *name, unsigned series);
