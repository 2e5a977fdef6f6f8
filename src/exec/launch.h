// A launch: the work handed to the execution engine, and its results.
//
// Filled by api/; all pointers outlive the run. The engine changes only memory, progress and results: counts,
// fault, notes, races, has_failed. Used by the functional engine (exec_run) and by the timing model.
#pragma once
// clang-format off
#include "base/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec_counts;
struct program;
struct tensor_card;

enum { LAUNCH_THREADS_MAX = 1024, LAUNCH_BANKS = 5 };

// Reconvergence of diverged lanes: split.c. NEST is for programs with explicit nest levels (PUSH, POP).
enum launch_simt { SIMT_STACK, SIMT_SPLITS, SIMT_NEST };

// exec.isa: the build of the interpreter to run. AUTO takes the best build for the processor. GENERAL has no
// fast forms: the plain statement of every instruction, the reference for the other builds.
enum exec_isa {
    EXEC_ISA_AUTO, EXEC_ISA_PORTABLE, EXEC_ISA_AVX2, EXEC_ISA_AVX512, EXEC_ISA_GENERAL, EXEC_ISA_COUNT
};

// exec.async, of functional runs: when a copy by cp.async reads global and writes shared memory (async.h).
enum launch_async { ASYNC_EARLY, ASYNC_LATE };

// A texture object (PTX ISA 5.3 and the CUDA programming guide's texture fetching appendix). A handle is the
// index in launch.textures, + 1.
enum texture_filter { TEXTURE_POINT, TEXTURE_LINEAR };
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

struct texture {
    uint64_t data;        // device address of the texels: row-major, pitch_bytes per row
    // 0 for absent dimensions. Layers: depth counts them, of cubes their faces.
    uint32_t width, height, depth;
    uint32_t pitch_bytes;
    uint8_t type;         // enum isa_type of a component: U8 S8 U16 S16 U32 S32 F16 F32
    uint8_t channels;     // 1, 2, 4
    bool normalised_coordinates;
    bool normalised_read; // 8- and 16-bit integers become floats in [0,1] or [-1,1]
    bool layered, cube;   // a layer is the coordinate behind the others; of a cube the faces are six layers
    uint8_t levels;       // mipmap: levels stand one after the other, each half as large, rows without gaps; 0 as 1
    enum texture_filter filter, level_filter;
    enum texture_address address[3];
    float level_bias, level_least, level_most;
};

// Texels along an axis at a level of a mipmap.
static inline uint32_t texture_extent(uint32_t first, unsigned level) { return first >> level ? first >> level : 1; }

struct observer;

// Reaction to an action forbidden to programs but tolerated by real GPUs. STOP: the launch ends with a fault;
// WARN: occurrences are counted, and the first is described in a note; IGNORE: nothing happens.
enum launch_check { CHECK_STOP, CHECK_WARN, CHECK_IGNORE };
enum launch_unwritten { UNWRITTEN_ALL, UNWRITTEN_GLOBAL }; // spaces where reads before a write are found

// Irregularities that a launch only notes, without ending.
enum launch_note_kind {
    // accesses out of bounds, tolerated: to memory that a GPU maps, or on a flat machine another thread's
    NOTE_BOUNDS,
    NOTE_MEMBERS, // lane operations by lanes outside their own member mask
    NOTE_RACE,    // warps of a block use a word of shared memory, one writing, without a barrier between
    NOTE_COUNT
};
struct launch_note {
    uint64_t count;
    uint64_t when; // of the first occurrence: cycle (timed), or warp instructions counted before (functional)
    char *text;    // of the first, several lines. Heap
};
struct launch_notes {
    struct launch_note of[NOTE_COUNT];
};

struct check;
struct race_book;
// A launch already over, whose accesses are compared with those of an unordered launch for races. Both
// pointers outlive the unordered launch.
struct launch_rival {
    const struct launch *launch;
    const struct race_book *book; // NULL: nothing recorded
};

// A machine with one address space of 4 GiB, for RISC-V programs. Scratchpad and stacks are windows of the
// address space, and all threads are one block of whole warps. Memory, scratchpad and stacks keep their
// contents across launches.
struct launch_flat {
    uint64_t scratch, scratch_end;     // shared memory
    uint64_t stacks;                   // stacks of all threads, interleaved: word n of all, word n + 1 …
    uint64_t stack_window, window_end; // window of a thread's own stack: local memory
    uint64_t memory, memory_end;       // remaining readable and writable memory
    uint32_t closure;                  // SR_CLOSURE
    uint32_t barrier_warps;            // warps per barrier group, groups counted from warp 0; 0: one group
    // a barrier group may use only its own part of the scratchpad; without effect for one group, or a
    // barrier_warps that is no power of two
    bool has_parts;
    uint32_t nest_levels;              // simt=nest: a lane's level is 0 to nest_levels - 1
    bool *has_failed;                  // set to true by a warp that ends with failure
};

// Host memory lent to the device may have addresses from LAUNCH_FAR_ADDRESS on (launch.has_far); all other global
// memory is below.
#define LAUNCH_FAR_ADDRESS (1ull << 42)

struct launch {
    const struct program *program;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; // blocks of a cluster, divisors of the grid's; all 0: no clusters
    // Registers per thread that a chip allocates, possibly fewer than the program uses; 0: as many as used.
    uint32_t registers;
    uint32_t warp_size;      // 32 by default; 64, or a power of two below 32
    uint32_t dynamic_shared; // bytes
    uint32_t shared_total;   // static + dynamic as laid out
    uint32_t local_total;    // per thread: local_bytes + stack_bytes
    // Constant banks by enum isa_bank; BANK_LAUNCH already has the launch's dimensions and parameters.
    const uint8_t *bank[LAUNCH_BANKS];
    uint32_t bank_bytes[LAUNCH_BANKS];
    struct memory *memory;
    bool has_far; // accesses to global memory may be beyond LAUNCH_FAR_ADDRESS
    const struct texture *textures;
    uint32_t texture_count;
    // Functions whose addresses the program takes, or which others of its module take: by address, the index of the
    // first instruction; 0: the program does not have the function. NULL: an address is an instruction's index.
    const uint32_t *functions;
    uint32_t function_count;
    enum launch_simt simt;
    const struct launch_flat *flat; // NULL: the program has no flat memory
    enum exec_isa isa;
    const struct tensor_card *tensor; // rule of matrix products; NULL: of the program's .target
    enum launch_async async;
    bool check_races;       // race detector on
    struct race_book **spare_races; // with check_races: a record for the next launch (race_book.h); NULL: none is kept
    struct check *check; // NULL: no check; else findings are added (exec/checker.h); with check_races
    const char *kernel_name, *ptx_file; // with check: for reports; the file may be NULL
    bool is_rival;          // with check_races: accesses are kept, for unordered launches that end later
    const struct launch_rival *rivals; // launches already over, without an order to this launch
    uint32_t rival_count;
    bool hint_races;        // functional, no check_races: first block's start watched for shared-memory races
    enum launch_check check_bounds, check_members;
    enum launch_unwritten check_unwritten;
    struct launch_notes *notes; // NULL: not wanted
    uint64_t max_warp_instructions; // 0: no limit; a longer launch stops with FAULT_LIMIT
    // Functional, or on SIMTight: warp instructions without a block's end before the first look
    // (exec/look.h); 0: no looks.
    uint64_t look;
    // Functional, or on SIMTight: FAULT_STALL after so many warp instructions with all warps waiting; 0: no
    // limit.
    uint64_t patience;
    uint32_t grid_id;
    uint64_t first_block, end_block; // functional: blocks first_block to end_block - 1 run; both 0: all blocks
    uint32_t first_sm, end_sm; // of a chip: blocks run on SMs first_sm to end_sm - 1; both 0: on every SM
    uint32_t sm_count;      // value of %nsmid; in functional mode, block b has %smid b mod sm_count
    // Receives text printed by the kernel, as of printf and assert, in the order of execution. NULL: not
    // wanted.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    bool (*is_interrupted)(void *context); // NULL: never; polled at intervals, true stops the launch
    void *interrupt_context;
    struct progress *progress; // NULL: none; counts blocks
    const struct observer *observer; // NULL: none; for functional runs (exec/observe.h)
};

enum launch_fault_kind {
    FAULT_NONE,
    FAULT_BOUNDS,      // access to global memory, not inside one live allocation
    FAULT_ALIGNMENT,
    FAULT_SHARED,      // outside the block's shared memory
    FAULT_LOCAL,       // outside the thread's local memory
    FAULT_STACK,       // call stack exhausted
    FAULT_CONSTANT,    // outside the constant bank
    FAULT_BRANCH,      // invalid target of a jump or return, index past a jump table, or end of the code
    FAULT_TEXTURE,     // no texture with the handle
    FAULT_TRAP,
    FAULT_ASSERT,
    FAULT_MEMBERS,     // lane outside its member mask (check.members=stop); warp command by part of a warp
    FAULT_DEADLOCK,    // no warp of the block can continue
    FAULT_STALL,       // all warps repeat their states, or have waited for longer than the user's patience
    FAULT_LIMIT,       // max_warp_instructions, or the user's limit of cycles
    FAULT_INTERNAL,    // an error of the simulator: the timing model's books do not balance
    FAULT_INTERRUPTED
};

struct launch_fault {
    enum launch_fault_kind kind;
    uint32_t inst;             // instruction index
    uint32_t block[3], thread[3];
    uint64_t address; // of accesses
    uint8_t space;    // enum isa_space
    uint32_t access_bytes;
    bool is_write;
    char *text; // report, several lines: kernel, pc, source line, thread, address, nearest allocation. Heap.
};

struct launch_race { // the accesses of the first race found
    bool found;
    uint64_t count; // racing pairs seen (bounded per location)
    char *text;     // heap
    struct race_book *book; // of a rival, for later launches
};

static inline uint64_t launch_blocks(const struct launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

// Blocks of a cluster; 1 without clusters.
static inline uint32_t launch_cluster_size(const struct launch *l)
{
    return l->cluster[0] ? l->cluster[0] * l->cluster[1] * l->cluster[2] : 1;
}

// Linear number of the n-th block to start: the blocks of a cluster follow one another in order of rank.
static inline uint64_t launch_block_at(const struct launch *l, uint64_t n)
{
    uint32_t size = launch_cluster_size(l);
    if (size == 1) return n;
    uint64_t k = n / size, rank = n % size, x = l->grid[0] / l->cluster[0], y = l->grid[1] / l->cluster[1];
    uint64_t at[3] = {k % x * l->cluster[0] + rank % l->cluster[0],
                      k / x % y * l->cluster[1] + rank / l->cluster[0] % l->cluster[1],
                      k / x / y * l->cluster[2] + rank / l->cluster[0] / l->cluster[1]};
    return at[0] + l->grid[0] * (at[1] + l->grid[1] * at[2]);
}

// True when the launch is to stop.
static inline bool launch_is_interrupted(const struct launch *l)
{
    return l->is_interrupted && l->is_interrupted(l->interrupt_context);
}

// Runs the launch functionally to its end on the calling thread. False on a fault. Adds to the counts.
bool exec_run(const struct launch *l, struct exec_counts *counts, struct launch_fault *fault, struct launch_race *race);

void launch_fault_fini(struct launch_fault *f);
void launch_race_fini(struct launch_race *r);
void launch_spare_races_free(struct race_book *spare);
void launch_race_forget(struct launch_race *r); // frees the book, keeps the findings
// Adds the notes of another part of the same launch, `from`, to `to`, and empties `from`. The text of the
// earlier first occurrence stays.
void launch_notes_add(struct launch_notes *to, struct launch_notes *from);
void launch_notes_fini(struct launch_notes *n);
const char *exec_isa_name(enum exec_isa isa);
bool exec_isa_available(enum exec_isa isa); // on this processor and in this build
