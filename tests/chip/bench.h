// A bench for the timing model: an assembled program on a GPU whose settings are given as text.
#pragma once
#include "chip/chip.h"
#include "exec/machine.h"

struct gpu_bench {
    struct machine m;
    struct chip_config config;
    struct chip_result result;
    unsigned threads;        // of the host
    struct watcher *watcher; // NULL: not watched
    struct gpu_counts *sms;  // counts by SM, added to by a run; NULL: none
    uint64_t max_cycles;
};

// Assembles the program and takes the library's GPU of the given name, with "key=value key=value …" changed.
// False: the text does not assemble.
bool gpu_bench_init(struct gpu_bench *b, struct test *t, const char *gpu, const char *settings,
                    const char *text, uint32_t threads);
void gpu_bench_fini(struct gpu_bench *b);
void gpu_settings(struct test *t, struct chip_config *c, const char *gpu, const char *settings);
bool gpu_bench_run(struct gpu_bench *b); // false: b->m.fault
// Runs, expects no fault and balanced books; returns the cycles.
uint64_t gpu_cycles(struct gpu_bench *b);
