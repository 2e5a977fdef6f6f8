// The oracle for RISC-V: a machine of one host hart and 64 warps of 32 threads, without time.
//
// It runs a whole program, host half and kernels, from the bytes of an ELF file, in the plainest way there is, and
// shares no code with the front end, the engine or the core that are compared with it. In a round every warp that can
// go on executes one instruction, warp after warp; barriers let go at the end of a round. Beside values it counts what
// the program and the machine's rules alone decide: instructions, beats of DRAM by the coalescer's rules, hits of the
// stack cache, registers that are vectors, and instructions that could go (or go, by prediction) to a scalar pipeline.
// Vector registers and the scalar pipeline's share depend a little on the order of warps and on time, the rest does not.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simtight_oracle;

// name, what it counts. Those of a launch; maxima of several launches are the largest, all else adds up.
#define SIMTIGHT_COUNTS(X)                                                                                   \
    X(thread_instructions, "instructions, one for each active thread")                                       \
    X(warp_instructions, "the same, one for all that are active together")                                   \
    X(load_beats, "beats of 64 bytes that loads and fences read from DRAM, without a stack cache")           \
    X(store_beats, "beats that stores write, likewise")                                                      \
    X(stack_cache_beats, "beats of both kinds with a stack cache")                                           \
    X(stack_cache_load_hits, "groups of a load that the stack cache answers")                                \
    X(stack_cache_load_misses, "groups of a load from a stack that it does not")                             \
    X(stack_cache_inserts, "stores that it keeps")                                                           \
    X(stack_cache_evictions, "entries that it writes back, two beats each")                                  \
    X(groups, "groups of lanes that the coalescer makes")                                                    \
    X(scalarisable, "thread instructions that one lane could do, prediction left out")                       \
    X(scalarised, "thread instructions that the scalar pipeline executes")                                   \
    X(scalar_aborts, "warp instructions that had to leave it for their kind or operands")                    \
    X(affine_aborts, "warp instructions that it began and gave up: an addition whose result is not aligned") \
    X(vector_samples, "warp instructions after which vector registers were counted")                         \
    X(vector_sum, "the sum of those counts")                                                                 \
    X(barriers, "barriers that a warp waited at")

struct simtight_oracle_counts {
    uint64_t launches;
#define X(NAME, MEANING) uint64_t NAME;
    SIMTIGHT_COUNTS(X)
#undef X
    uint64_t vector_max; // vector registers at once
};

struct simtight_oracle_result {
    const char *error;   // NULL: the program came to its end. Located
    const char *console; // what was written to the UART, up to a NUL
    uint64_t host_instructions;
    uint64_t host_load_beats, host_store_beats; // of its cache of 512 lines, written back
    uint64_t data_hash;                         // of DRAM behind the program, stacks left out
    uint64_t scratchpad_hash;
    struct simtight_oracle_counts total;
    const struct simtight_oracle_counts *launches; // of each
    size_t launch_count;
};

struct simtight_oracle *simtight_oracle_create(void);
void simtight_oracle_destroy(struct simtight_oracle *o);
// Reads an ELF into memory; false with a text when it is none that this machine runs.
bool simtight_oracle_load(struct simtight_oracle *o, const uint8_t *bytes, size_t length, const char **why);
void simtight_oracle_input(struct simtight_oracle *o, const uint8_t *bytes,
                           size_t length);                                    // for the UART; kept
void simtight_oracle_limit(struct simtight_oracle *o, uint64_t instructions); // of host and warps together
// Of threads nested equally deep at different places the lowest lane leads instead of the highest (the machine's tree).
// Changes how many warp instructions there are, a little, and no result of a program that is well defined.
void simtight_oracle_lower_first(struct simtight_oracle *o, bool is_lower_first);
// Runs the program from its entry. The result lives as long as the oracle.
const struct simtight_oracle_result *simtight_oracle_run(struct simtight_oracle *o);
const uint8_t *simtight_oracle_memory(const struct simtight_oracle *o); // 4 GiB
