// A launch: what the execution engine is asked to run, and what it answers.
//
// Filled by api/; everything pointed to outlives the run. The engine changes only global memory, the counts
// and the fault. The same structure is used by the functional engine (exec_run) and by the timing model.
#pragma once
// clang-format off
#include "base/progress.h"
#include "exec/memory.h"
#include "isa/program.h"

#include <stdbool.h>
#include <stdint.h>

enum { WARP_SIZE_MAX = 64, LAUNCH_THREADS_MAX = 1024 };

// How lanes that part meet again: split.c. NEST is for programs that say so themselves (PUSH, POP).
enum launch_simt { SIMT_STACK, SIMT_SPLITS, SIMT_NEST };

// exec.isa: which build of the interpreter runs. AUTO takes the best the processor has. GENERAL has no fast forms: the
// plain statement of every instruction, which the builds are compared with.
enum exec_isa {
    EXEC_ISA_AUTO, EXEC_ISA_PORTABLE, EXEC_ISA_AVX2, EXEC_ISA_AVX512, EXEC_ISA_GENERAL, EXEC_ISA_COUNT
};

// A texture object (PTX ISA 5.3 and the CUDA programming guide's texture fetching appendix). A handle is the
// texture's index + 1.
enum texture_filter { TEXTURE_POINT, TEXTURE_LINEAR };
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

struct texture {
    uint64_t data;        // device address of row-major texels, pitch_bytes a row
    uint32_t width, height, depth; // 0 for absent dimensions
    uint32_t pitch_bytes;
    enum isa_type type;   // of a component: U8 S8 U16 S16 U32 S32 F16 F32
    uint8_t channels;     // 1, 2, 4
    bool normalised_coordinates;
    bool normalised_read; // 8- and 16-bit integers become floats in [0,1] or [-1,1]
    enum texture_filter filter;
    enum texture_address address[3];
};

struct observer;

// What is done about something that a program must not do and real GPUs let pass: the launch ends with a fault, the
// first time is noted, nothing.
enum launch_check { CHECK_STOP, CHECK_WARN, CHECK_IGNORE };

// What a launch noticed and went on.
enum launch_note_kind {
    NOTE_BOUNDS,  // accesses outside every allocation, in memory that a GPU has mapped (memory_mapped)
    NOTE_MEMBERS, // lane operations by lanes outside their own member mask
    NOTE_RACE,    // warps of a block that write and read shared memory without a barrier between
    NOTE_COUNT
};
struct launch_note {
    uint64_t count;
    uint64_t when; // the first: cycle, or instructions executed before it
    char *text;    // of the first, several lines. Heap
};
struct launch_notes {
    struct launch_note of[NOTE_COUNT];
};

struct race_book;
struct launch_rival { // both outlive the launch that compares itself with it
    const struct launch *launch;
    const struct race_book *book; // NULL: there is none
};

// A machine whose memory is one space of 4 GiB, as RISC-V programs see it: scratchpad and stacks are windows of it, and all of
// its threads are one block of whole warps. All of it outlives a launch, scratchpad and stacks included.
struct launch_flat {
    uint64_t scratch, scratch_end;     // shared memory
    uint64_t stacks;                   // all threads' stacks, word by word, the threads side by side
    uint64_t stack_window, window_end; // where a thread sees its own: local memory
    uint64_t memory, memory_end;       // what else may be read and written
    uint32_t closure;                  // SR_CLOSURE
    uint32_t barrier_warps;            // warps that meet at a barrier, a group, from the first on; 0: all
    bool has_parts;                    // a group of a power of two of warps may use its part of the scratchpad alone
    uint32_t nest_levels;              // 0 to one less
    bool *has_failed;                  // set when a warp ends and says so
};

struct launch {
    const struct program *program;
    uint32_t grid[3], block[3];
    uint32_t registers;      // a thread is given on a chip, be it fewer than the program uses; 0: what it uses
    uint32_t warp_size;      // 32 by default, 64, or a smaller power of two
    uint32_t dynamic_shared; // bytes
    uint32_t shared_total;   // static + dynamic as laid out
    uint32_t local_total;    // per thread: local_bytes + stack_bytes
    const uint8_t *bank[BANK_COUNT]; // BANK_LAUNCH is complete: dimensions and parameters
    uint32_t bank_bytes[BANK_COUNT];
    struct memory *memory;
    const struct texture *textures;
    uint32_t texture_count;
    enum launch_simt simt;
    const struct launch_flat *flat; // NULL: another machine
    enum exec_isa isa;
    bool check_races;       // race detector on
    bool is_rival;          // what it touches is kept, for launches that nothing orders against it
    const struct launch_rival *rivals; // those that ran before
    uint32_t rival_count;
    bool hint_races;        // functional runs: the first block is watched for races in shared memory
    enum launch_check check_bounds, check_members;
    struct launch_notes *notes; // NULL: nobody wants them
    uint64_t max_warp_instructions; // 0: none; a launch that has more stops with FAULT_LIMIT
    uint64_t look; // functional, or on SIMTight: warp instructions without a block's end to the first look (exec/look.h); 0: never
    uint64_t patience; // the same: warp instructions of nothing but waiting until FAULT_STALL; 0: no end
    uint32_t grid_id;
    uint32_t first_sm, end_sm; // of a chip: where its blocks may run, end_sm not; both 0: everywhere
    uint32_t sm_count;      // what %nsmid says; block b runs on SM b mod sm_count in functional mode
    // printf and assert text of the kernel, in the order the engine executes it.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    bool (*is_interrupted)(void *context); // NULL: never; asked now and then, and once it says yes the launch stops
    void *interrupt_context;
    struct progress *progress; // NULL: none; counts blocks
    const struct observer *observer; // NULL: none; of functional runs (exec/observe.h)
};

// exec/counters.def has the rows.
struct exec_counts {
#define COUNTER(name, unit, meaning) uint64_t name;
#include "exec/counters.def"
#undef COUNTER
};

enum launch_fault_kind {
    FAULT_NONE,
    FAULT_BOUNDS,      // global address in no live allocation, or running past its end
    FAULT_ALIGNMENT,
    FAULT_SHARED,      // outside the block's shared memory
    FAULT_LOCAL,       // outside the thread's local memory
    FAULT_STACK,       // call stack exhausted
    FAULT_CONSTANT,    // outside the constant bank
    FAULT_BRANCH,      // indirect target or jump-table index is no target
    FAULT_TEXTURE,     // no such texture handle
    FAULT_TRAP,
    FAULT_ASSERT,
    FAULT_MEMBERS,     // a lane outside the member mask it names (check.members=stop)
    FAULT_DEADLOCK,    // no warp of the block can continue
    FAULT_STALL,       // all warps go round in circles, or have waited for longer than the user is willing to
    FAULT_LIMIT,       // max_warp_instructions
    FAULT_INTERRUPTED
};

struct launch_fault {
    enum launch_fault_kind kind;
    uint32_t inst;             // instruction index
    uint32_t block[3], thread[3];
    uint64_t address; // of accesses
    enum isa_space space;
    uint32_t access_bytes;
    bool is_write;
    char *text; // the whole report, several lines: kernel, pc, source line, thread, address, nearest allocation. Heap.
};

struct launch_race { // the two accesses of the first race found
    bool found;
    uint64_t count; // racing pairs seen (bounded per location)
    char *text;     // heap
    struct race_book *book; // of a rival
};

static inline uint64_t launch_blocks(const struct launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

// Whether the launch is to stop.
static inline bool launch_is_interrupted(const struct launch *l)
{
    return l->is_interrupted && l->is_interrupted(l->interrupt_context);
}

// Runs the launch to its end on this thread, functionally. False on a fault. The counts are added to.
bool exec_run(const struct launch *l, struct exec_counts *counts, struct launch_fault *fault, struct launch_race *race);

void launch_fault_fini(struct launch_fault *f);
void launch_race_fini(struct launch_race *r);
void launch_race_forget(struct launch_race *r); // but for what was found
// Adds what another part of the launch noticed, which is emptied; of two first ones the earlier stays.
void launch_notes_add(struct launch_notes *to, struct launch_notes *from);
void launch_notes_fini(struct launch_notes *n);
const char *exec_isa_name(enum exec_isa isa);
bool exec_isa_available(enum exec_isa isa); // on this processor and in this build
