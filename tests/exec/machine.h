// A bench for the execution engine: an assembled program, memory, a launch and its outcome.
//
//     struct machine m;
//     machine_init(&m, t, "S2R R0, SR_TID.X\n …", 64);    // 64 threads in one block
//     uint64_t out = machine_buffer(&m, 256);             // device bytes; the n-th buffer is the n-th
//                                                         // 8-byte parameter, c[0x0][0x160 + 8 n]
//     CHECK(t, machine_run(&m));
//     machine_words(&m, out) … machine_fini(&m);
#pragma once
#include "base/str.h"
#include "exec/counts.h"
#include "exec/launch.h"
#include "harness/test.h"
#include "isa/bank.h"

struct program;

enum { MACHINE_PARAMS = 16 };

struct machine {
    struct test *t;
    struct program *program;
    struct memory *memory;
    struct launch launch; // may be changed before machine_run
    uint8_t bank[BANK_LAUNCH_PARAMS + 8 * MACHINE_PARAMS];
    uint64_t addresses[MACHINE_PARAMS];
    unsigned params;
    struct exec_counts counts;
    struct launch_fault fault;
    struct launch_race race;
    struct strbuf printed;
};

// False when the text does not assemble (the case is then failed).
bool machine_init(struct machine *m, struct test *t, const char *text, uint32_t threads);
void machine_fini(struct machine *m);
uint64_t machine_buffer(struct machine *m, uint64_t bytes);
void machine_param(struct machine *m, uint64_t value);
uint32_t *machine_words(struct machine *m, uint64_t address);
void machine_prepare(struct machine *m);  // completes m->launch for a run by other code
bool machine_run(struct machine *m);      // false: a fault, m->fault
void machine_must_run(struct machine *m); // a fault fails the case
// Runs and expects a fault of the given kind; the report must contain `part`.
void machine_must_fault(struct machine *m, enum launch_fault_kind kind, const char *part);
