// The oracle for RISC-V: a machine of one host hart and 64 warps of 32 threads, without time.
//
// The oracle runs a whole program, host half and kernels, from the bytes of an ELF file, as plainly as
// possible. It shares no code with the front end, the engine or the core under test. In a round every ready
// warp executes one instruction, warp after warp; barriers release at the end of a round. Beside values the
// oracle counts events decided by the program and the machine's rules alone: instructions, beats of DRAM by
// the coalescer's rules, hits of the stack cache, vector registers. It also counts instructions that a
// scalar pipeline could execute, or executes by prediction. Counts of vector registers and of the scalar
// pipeline depend a little on the order of warps and on time, other counts do not.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simtight_oracle;

// X(name, meaning). Counts of a launch; over several launches a maximum is the largest, other counts are
// summed.
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
    uint64_t vector_max; // most vector registers at one time
};

struct simtight_oracle_result {
    const char *error;   // NULL: the program ended normally; else a located message
    const char *console; // UART output, up to a NUL
    uint64_t host_instructions;
    uint64_t host_load_beats, host_store_beats; // of the host's cache of 512 lines, write-back
    uint64_t data_hash;                         // of DRAM behind the program, stacks left out
    uint64_t scratchpad_hash;
    struct simtight_oracle_counts total;
    const struct simtight_oracle_counts *launches; // one per launch
    size_t launch_count;
};

struct simtight_oracle *simtight_oracle_create(void);
void simtight_oracle_destroy(struct simtight_oracle *o);
// Reads an ELF into memory. False, with a text in *why, for a file the machine cannot run.
bool simtight_oracle_load(struct simtight_oracle *o, const uint8_t *bytes, size_t length, const char **why);
// Sets the input of the UART; the oracle keeps a copy.
void simtight_oracle_input(struct simtight_oracle *o, const uint8_t *bytes, size_t length);
void simtight_oracle_limit(struct simtight_oracle *o, uint64_t instructions); // of host and warps together
// Among threads nested equally deep at different places, lets the lowest lane lead instead of the highest
// (the machine's tree). The setting changes the number of warp instructions a little, and no result of a
// well-defined program.
void simtight_oracle_lower_first(struct simtight_oracle *o, bool is_lower_first);
// Runs the program from its entry. The result belongs to the oracle.
const struct simtight_oracle_result *simtight_oracle_run(struct simtight_oracle *o);
const uint8_t *simtight_oracle_memory(const struct simtight_oracle *o); // 4 GiB
