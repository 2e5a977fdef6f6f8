// A scene of mechanisms: an assembled program on a small GPU with mechanisms, counters by name, and tables
// of launches counted by hand.
//
//     struct scene s;
//     const struct scene_plan plan = {.tech = "uv", .text = "S2R R0, SR_TID.X\n …", .block = {32}};
//     if (scene_begin(&s, t, &plan)) {
//         scene_run(&s);
//         CHECK_EQ(t, scene_counter(&s, "uv.scalar"), 5);
//     }
//     scene_end(&s);
//
// The caller owns the scene, which stays at its address from scene_begin to scene_end. The plan may go after
// scene_begin, except for options and listeners of `uses`.
#pragma once
#include "chip/bench.h"
#include "tech/registry.h"

// A launch to set up. A member left out is 0; NULL or 0 has the meaning stated.
struct scene_plan {
    const char *gpu;             // name in the library; NULL: tiny
    const char *settings;        // "key=value key=value …" on top of the GPU's file; NULL: none
    const char *tech;            // registered mechanisms as on the command line; NULL: base
    const struct tech_use *uses; // mechanisms behind `tech`, until an entry without mechanism; NULL: none
    const char *text;            // the program, for isa/asm.h
    uint32_t block[3], blocks;   // threads of a block; blocks of the grid. 0: 1
    uint64_t bytes;              // size of a buffer of zeros, the first parameter; 0: no buffer
    bool verify;                 // shared values are compared with values of each reader's own
};

struct scene {
    struct test *t;
    struct gpu_bench bench;      // the launch and the settings may be changed before scene_run
    struct tech_choice choice;   // the mechanisms in order, as in bench.result.techs
    uint64_t buffer;             // device address
    VEC(struct tech_step) steps; // since scene_listen
    struct program *changed;     // the program as changed by scene_transform; NULL: unchanged
    struct mark_settings marks;
    struct tech_listener listener;
};

// Sets up the launch. False: a failed case; scene_run of the scene does nothing.
bool scene_begin(struct scene *s, struct test *t, const struct scene_plan *plan);
void scene_end(struct scene *s);
// Keeps the steps told by the mechanisms, in order. For one host thread.
void scene_listen(struct scene *s);
// Lets the mechanisms change the program of the launch, as the library does before a launch.
void scene_transform(struct scene *s);
// Runs the launch, expects no fault and balanced books, and returns the cycles. May be repeated. For an
// expected fault: gpu_bench_run(&s->bench).
uint64_t scene_run(struct scene *s);

// Counter of the last run by its printed name: "uv.reused", "sm.l1.misses". "mismatches": shared values that
// verification found wrong. An unknown name, or a counter of a mechanism not in the scene, fails the case
// and gives UINT64_MAX.
uint64_t scene_counter(const struct scene *s, const char *name);
// The same for a counter of a registered mechanism, with 0 where the mechanism is not in the scene.
uint64_t scene_counter_if_used(const struct scene *s, const char *name);
// Executing threads summed over warp instructions of every class.
uint64_t scene_lanes(const struct scene *s);
// True: both last runs have equal cycles, equal counters of the SMs and equal counters of the memory.
bool scene_is_like(const struct scene *a, const struct scene *b);

// -- tables of launches counted by hand ---------------------------------------------------------------------

enum { SCENE_COLUMNS = 10 };

// A launch and the expected counts, a count per column. NULL or 0: as in the table's plan.
struct scene_row {
    const char *tech, *settings, *text; // settings: behind the plan's
    uint32_t threads;                   // of a block
    uint64_t counts[SCENE_COLUMNS];
};

// A column is a counter of the row's first mechanism ("reused"), a counter by its printed name
// ("sm.l1.misses") or a sum of counters ("useful+late"). After a "-", the column is the excess of the
// launch without mechanisms ("-sm.operand.reads").
struct scene_table {
    struct scene_plan plan; // program and threads of rows without their own, and everything else
    const char *columns[SCENE_COLUMNS + 1];
    const struct scene_row *rows;
    size_t count;
    // Further checks of a row beside the launch without mechanisms; NULL: none.
    void (*compare)(const struct scene *with, const struct scene *without);
};

// Runs every row and the row's launch without mechanisms. A count that differs fails the case, naming row,
// mechanism and column. Verification must find no wrong value, except where "mismatches" is a column.
void scene_check_table(struct test *t, const struct scene_table *table);
