// Runs the script of a measured launch (silicon/points) without timing and reads its buffers.
#pragma once
#include "cli/cli.h"
#include "harness/test.h"

struct point {
    struct cli cli;
    const char *name;
};

// Runs silicon/points/NAME.wf. buffers: names of the buffers for later calls of
// point_buffer, separated by blanks.
void point_run(struct point *p, struct test *t, const char *name, const char *buffers);
// The first `bytes` bytes of a buffer or variable, heap; zeros if unreadable, never NULL.
void *point_buffer(struct point *p, const char *name, size_t bytes);
void point_fini(struct point *p);

// Contents of a buffer of f32 with `rand:SEED`; heap.
float *random_f32(size_t count, uint64_t seed);
// False, and a failure with the index, if got differs from want by more than tolerance.
bool is_close(struct point *p, size_t index, double got, double want, double tolerance);
