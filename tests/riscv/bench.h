// A bench for RISC-V kernels: a handmade program, its memory, a launch of all 2,048 threads, and the result.
//
//     struct maker m = {0};
//     maker_put(&m, …);                         // the kernel begins with the program
//     struct bench b;
//     if (bench_init(&b, t, &m)) {
//         bench_must_run(&b);
//         CHECK_EQ(t, *bench_word(&b, MAKER_DATA), 5);
//         bench_fini(&b);
//     }
#pragma once
#include "api/warpfold.h"
#include "exec/counts.h"
#include "exec/launch.h"
#include "harness/test.h"
#include "isa/image.h"
#include "riscv/maker.h"

enum { BENCH_THREADS = 2048 };

struct bench {
    struct test *t;
    struct diag diag;
    struct image *image;
    struct program *program;
    struct memory *memory;
    struct launch launch; // may be changed before the run
    struct launch_flat flat;
    bool has_failed;
    struct exec_counts counts;
    struct launch_fault fault;
    struct strbuf printed;
};

bool bench_init(struct bench *b, struct test *t, const struct maker *m); // false: the case has failed
void bench_fini(struct bench *b);
bool bench_run(struct bench *b); // false: a fault
void bench_must_run(struct bench *b);
void bench_must_fault(struct bench *b, enum launch_fault_kind kind, const char *part);
uint32_t *bench_word(struct bench *b, uint32_t address);

// The handmade program as a module of the library, "test.elf". NULL: the case has failed.
struct wf_module *bench_module(struct test *t, struct wf_context *c, const struct maker *m);

// A host part to start the kernel behind it, print the answer's digit and, where `asks`,
// the statistic of number `figure`.
void bench_host(struct maker *m, bool asks, unsigned figure);
// Begin and end of every kernel: A0 = number of the thread, A1 = 4 times A0; then the end of the warp.
void bench_begin(struct maker *m);
void bench_end(struct maker *m);
