// A measured launch's script (silicon/points), run without timing, and what it left in its buffers.
#pragma once
#include "cli/cli.h"
#include "harness/test.h"

struct point {
    struct cli cli;
    const char *name;
};

// Runs silicon/points/NAME.wf; `buffers`, words with a blank between them, are the places that point_buffer is
// asked for afterwards.
void point_run(struct point *p, struct test *t, const char *name, const char *buffers);
// The bytes of a buffer or variable, `bytes` of them; never NULL, zeros when it could not be read.
void *point_buffer(struct point *p, const char *name, size_t bytes);
void point_fini(struct point *p);

// What `rand:SEED` puts into a buffer of f32; heap.
float *random_f32(size_t count, uint64_t seed);
// Fails, and says where, when got is further from want than tolerance.
bool is_close(struct point *p, size_t index, double got, double want, double tolerance);
