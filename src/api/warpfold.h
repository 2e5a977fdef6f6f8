// The public interface of warpfold: executes CUDA kernels, given as PTX, and RISC-V programs on a simulated
// GPU.
//
// The interface follows the CUDA driver API. A context is a device with memory. Modules are loaded from PTX
// text, and kernels are launched in streams. Results are device memory and counters. The command line and the
// bundled workloads use no other interface.
//
//     struct wf_context *c = wf_context_create();
//     struct wf_module *m = wf_module_load_file(c, "vecadd.ptx");
//     struct wf_kernel *k = m ? wf_kernel_find(m, "vecadd") : NULL;
//     uint64_t a = wf_alloc(c, bytes); …
//     wf_write(c, a, host, bytes);
//     struct wf_launch_config shape = {.grid = {1024, 1, 1}, .block = {256, 1, 1}};
//     void *args[] = {&a, &b, &out, &n};
//     struct wf_stats stats;
//     if (!k || wf_launch(k, &shape, args, 4, &stats) != WF_OK) fputs(wf_errors(c), stderr);
//
// Launches are queued in streams (wf_launch_async). Launches of different streams run together on a timed
// GPU. The library has no background threads. Queued launches run, and simulated time passes, only inside
// calls that wait:
//   - wf_launch, wf_launch_packed, wf_launch_status, wf_launch_stats, wf_wait_any, wf_reset, wf_program_run;
//   - wf_stream_wait, wf_stream_write, wf_stream_read, wf_event_wait, wf_event_cycles, wf_synchronise;
//   - calls on memory in use by launches, as in CUDA: wf_write, wf_read, wf_copy, wf_fill, wf_free;
//   - settings: wf_set, wf_gpu, wf_tech, wf_set_verify, wf_set_upsets, wf_set_print, wf_set_study, wf_watch;
//   - wf_kernel_account and wf_watched.
// A waiting call returns when no launch is queued or running, unless the description names a smaller set.
// Other calls wait for no launch: wf_alloc, wf_launch_async, and calls on modules, kernels, textures, streams
// and events.
//
// A timed run simulates the GPU of wf_gpu cycle by cycle. A functional run computes the same memory contents
// without simulated time.
//
// The library never exits, and prints nothing but the bar of wf_set_progress. There is one exception: when
// host memory runs out, the library calls wf_heap_exhausted. A program may define wf_heap_exhausted; the
// default aborts. A failing call returns a status, NULL, 0 or false, and adds messages with locations to
// wf_errors(). wf_clear_errors() deletes the messages. A context may be used by one thread at a time;
// contexts are independent. Strings and pointers handed out live as long as the object that owns them, unless
// a function states a shorter time.
//
// Functions named wf_..._at enumerate: index counts from 0, and the result is false past the last element.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WF_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum wf_status { // also the command line's exit status
    WF_OK = 0,
    WF_BAD_INPUT = 1,      // invalid file, argument, shape, kernel or buffer
    WF_BAD_USAGE = 2,      // unknown option, mechanism, GPU or key; a setting that is refused
    WF_PROGRAM_FAILED = 3, // hang, fault, trap, assert, limit
    WF_MISMATCH = 4,       // verification found a mismatch
    WF_INTERRUPTED = 130   // stopped by the function of wf_set_interrupt
};

struct wf_context;
struct wf_module;
struct wf_kernel;
struct wf_stream;
struct wf_event;
struct wf_pending;

// -- context ------------------------------------------------------------------------------------------------
// A new context with default settings. Never NULL.
struct wf_context *wf_context_create(void);
// Frees the context and everything made from it: modules, kernels, streams, events, launches, device memory.
// Running launches are stopped; queued launches never begin. NULL: no effect.
void wf_context_destroy(struct wf_context *c);
// Sets one key (`warpfold list keys`). WF_BAD_USAGE: no such key, a value out of range, or a fixed key. Keys
// of memory size and code generation are fixed by the first allocation or module. timeline.* keys are fixed
// from the first watched launch to the next wf_watch.
enum wf_status wf_set(struct wf_context *c, const char *key, const char *value);
// Checks settings whose order is free: classes of SMs (docs/howto/gpus.md) and the SIMTight core.
// WF_BAD_USAGE if the settings do not fit together. Launches and wf_program_run make the same check.
enum wf_status wf_check_settings(struct wf_context *c);
// Selects the GPU on which later launches are timed: a bundled GPU by name, or a file with KEY = VALUE
// lines. The path of a file has a / or a dot. NULL, and a new context: launches are functional. wf_set may
// override settings of the file. A new GPU's file replaces the settings of an earlier GPU's file and all
// classes of SMs; NULL keeps both.
enum wf_status wf_gpu(struct wf_context *c, const char *name_or_path);
// Bundled GPUs for CUDA kernels, by index. False past the last.
bool wf_gpu_at(size_t index, const char **name, const char **meaning);
// Bundled GPUs for RISC-V programs (wf_program_run), by index. CUDA kernels do not run on such GPUs. False
// past the last.
bool wf_riscv_gpu_at(size_t index, const char **name, const char **meaning);
// Selects the mechanisms of timed launches: NAME[:KEY=V[,KEY=V...]], joined by +. "base" selects none.
enum wf_status wf_tech(struct wf_context *c, const char *text);
// Mechanisms of the library, by index. False past the last.
bool wf_tech_at(size_t index, const char **name, const char **meaning);
// A feature in which mechanisms differ.
struct wf_feature {
    const char *name, *meaning;
    bool has; // of the mechanism asked about
};
// Features by index, for the mechanism number `tech`. False past the last.
bool wf_tech_feature_at(size_t tech, size_t index, struct wf_feature *f);
// A decision in the SM that a mechanism may take over.
struct wf_claim {
    const char *name, *meaning;
    bool is_exclusive; // at most one selected mechanism may make the claim
    bool has;          // by the mechanism asked about
};
// Claims by index, for the mechanism number `tech`. False past the last.
bool wf_tech_claim_at(size_t tech, size_t index, struct wf_claim *claim);
// Turns verification of timed launches on or off. On: each value shared by a mechanism, or compressed by the
// SIMTight core, is compared with the value computed by the reader itself. wf_stats.verify_mismatches counts
// the differences.
void wf_set_verify(struct wf_context *c, bool verify);
// Fault injection: bits flip during timed launches, at places reported by the mechanisms (sm/mech/upset.h).
// Results of such launches show the effects of the faults. The caller owns `upsets`; NULL ends injection. The
// order of places is fixed only with one host thread (wf_set_threads).
struct upsets;
void wf_set_upsets(struct wf_context *c, const struct upsets *upsets);
// Limit of each later timed launch, in cycles. A launch over the limit fails. 0: no limit.
void wf_set_max_cycles(struct wf_context *c, uint64_t cycles);
// Sets a function called at intervals while launches and host parts run. When the function returns true, the
// host part and all launches under way or queued end with WF_INTERRUPTED. NULL: no function.
void wf_set_interrupt(struct wf_context *c, bool (*is_interrupted)(void *context), void *context);
// Number of host threads for timed launches. Results do not depend on the number.
void wf_set_threads(struct wf_context *c, unsigned threads);
// The messages since wf_clear_errors, located ones with source line and caret; "" if none. After 20 errors,
// further errors are only counted. Valid until the next wf_errors or wf_errors_colour.
const char *wf_errors(struct wf_context *c);
// wf_errors with colour codes for a terminal.
const char *wf_errors_colour(struct wf_context *c);
// Deletes all messages.
void wf_clear_errors(struct wf_context *c);
// Sets the receiver of text printed by kernels (printf, assert) and host parts, called in execution order.
// Default: the text is dropped.
void wf_set_print(struct wf_context *c, void (*print)(void *context, const char *text, size_t length),
                  void *context);
// Shows a progress bar on stderr if stderr is a terminal. Default: off.
void wf_set_progress(struct wf_context *c, bool enabled);

// -- memory -------------------------------------------------------------------------------------------------
// Allocates device memory of zeros, aligned to 256 bytes. Returns the address, or 0 and a message if memory.size is
// used up. The label, NULL for none, appears in reports.
uint64_t wf_alloc(struct wf_context *c, uint64_t bytes);
uint64_t wf_alloc_named(struct wf_context *c, uint64_t bytes, const char *label);
// Places device memory at equal addresses for host and device, above 4 GiB and below 2^42: the host may use a
// device address as a pointer. Call before the first allocation and module. False and an error: the host's
// address space is taken there, or memory exists already.
bool wf_share_memory(struct wf_context *c);
// Host bytes of a device range, valid until the range is freed. The call does not wait for launches. NULL and an
// error: the range is not inside a single allocation.
void *wf_host(struct wf_context *c, uint64_t address, uint64_t bytes);
// Makes host memory an allocation of the device at the same address, until wf_take_back. Only with
// wf_share_memory. WF_BAD_INPUT: a part belongs to the device already, or wf_take_back without wf_lend. wf_take_back
// waits for all launches.
enum wf_status wf_lend(struct wf_context *c, void *host, uint64_t bytes);
enum wf_status wf_take_back(struct wf_context *c, void *host);
// The calls below, up to wf_fill, first wait for all launches. A range not inside a single allocation returns
// WF_BAD_INPUT. After the call's own work, the result may be the status of an earlier launch. Such a launch
// failed while a call waited, and no call has returned its status yet. A failed context (wf_reset) still
// allows reads and writes.
//
// wf_free takes the start of an allocation.
enum wf_status wf_free(struct wf_context *c, uint64_t address);
enum wf_status wf_write(struct wf_context *c, uint64_t address, const void *host, uint64_t bytes);
enum wf_status wf_read(struct wf_context *c, uint64_t address, void *host, uint64_t bytes);
// The ranges may overlap.
enum wf_status wf_copy(struct wf_context *c, uint64_t to, uint64_t from, uint64_t bytes);
// Writes the low pattern_bytes (1, 2 or 4; else WF_BAD_INPUT) bytes of the pattern, `count` times.
enum wf_status wf_fill(struct wf_context *c, uint64_t address, uint32_t pattern, unsigned pattern_bytes,
                       uint64_t count);

// Checkpoints: contents of all allocations. wf_checkpoint waits for all launches, and returns bytes (heap, freed
// by the caller) and their number. wf_resume writes such bytes into the context's memory, which must have equal
// allocations. Textures, streams and settings are not part of the bytes. identity: any number, which must be
// equal at both ends; version of the library and format are checked, too. NULL or WF_BAD_INPUT, and an error: a
// module has addresses of device functions in initialised data; bytes that do not fit.
void *wf_checkpoint(struct wf_context *c, uint64_t identity, size_t *length);
enum wf_status wf_resume(struct wf_context *c, uint64_t identity, const void *bytes, size_t length);

// -- modules ------------------------------------------------------------------------------------------------
// Loads a module from PTX text or an ELF file of RISC-V code. NULL and messages on errors. `name` appears in
// messages. wf_module_load_file unpacks a packed file (docs/reference/script.md), and reads PATH.packed where
// PATH does not exist.
struct wf_module *wf_module_load_file(struct wf_context *c, const char *path);
struct wf_module *wf_module_load(struct wf_context *c, const char *name, const char *ptx, size_t length);
// Address and size of a module-scope .global or .const variable, or of a variable of a RISC-V program.
// `bytes` may be NULL. An unknown name gives WF_BAD_INPUT.
enum wf_status wf_symbol(struct wf_module *m, const char *name, uint64_t *address, uint64_t *bytes);
// Binds a module-scope .texref or .surfref to a texture of wf_texture_create.
enum wf_status wf_bind_texture(struct wf_module *m, const char *name, uint64_t texture);

// -- programs with a host part of their own -----------------------------------------------------------------
// An ELF file of RISC-V code (docs/explanation/riscv.md) contains kernels and a host part, which launches the
// kernels on a machine with 2,048 threads. wf_module_load accepts ELF as well as PTX.
bool wf_module_is_program(const struct wf_module *m);
struct wf_launch_config;
struct wf_stats;
struct wf_program_config {
    const void *input; // console input of the host part; owned by the caller
    size_t input_bytes;
    // Called after every launch; NULL: not called. The stats are valid only during the call.
    void (*launched)(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *stats);
    void *launched_context;
};
struct wf_program_stats {
    // failed_launches: launches in which a warp ended with the failure command.
    uint64_t host_instructions, launches, failed_launches;
    double wall_seconds; // of the whole run
};
// Runs the program from start to end with fresh memory, and fills *stats. Output of the program goes to the
// receiver of wf_set_print, line by line. WF_PROGRAM_FAILED: an error or limit in the host part, a failed
// kernel, or a failed context (wf_reset), in which no program runs. WF_BAD_USAGE: settings or GPU do not suit
// the program. WF_BAD_INPUT: a module without a host part, or too little address space on the host.
enum wf_status wf_program_run(struct wf_module *m, const struct wf_program_config *config,
                              struct wf_program_stats *stats);

// -- kernels ------------------------------------------------------------------------------------------------
struct wf_param {
    const char *name, *type; // type: "u64"; "b8" for a structure by value
    uint32_t offset, bytes;
};
struct wf_kernel_facts {
    const char *name, *mangled_name;
    const struct wf_param *params;
    uint32_t param_count, param_bytes;
    uint32_t address_bits; // of a pointer parameter: 64, or 32 under .address_size 32 and in RISC-V programs
    // instructions: number in the machine code. registers, predicates: number per thread. shared_bytes:
    // static shared memory of a block. local_bytes, stack_bytes: per thread. spill_loads, spill_stores:
    // numbers of spill instructions in the code.
    uint32_t instructions, registers, predicates, shared_bytes, local_bytes, stack_bytes, spill_loads,
        spill_stores;
    double compile_seconds;
};
// Caches compiled kernels in a folder: a kernel of a module loaded later is read from the folder, or compiled
// and written to the folder. Only processes of the same build may share a folder; files of another build are
// not recognised as foreign. NULL: no cache.
void wf_keep_programs(struct wf_context *c, const char *folder);
// Finds a kernel by entry name, or by unmangled identifier or template instance ("axpy<float, 2>") if unique,
// and compiles it at the first call. name NULL: the only entry. NULL and messages for an unknown name or code
// that warpfold cannot execute.
struct wf_kernel *wf_kernel_find(struct wf_module *m, const char *name);
// Name of the module's entry number `index` in text order; for a RISC-V program, of function number `index`
// by address. NULL past the last.
const char *wf_kernel_name(struct wf_module *m, size_t index);
// The kernel's info, valid as long as the module.
const struct wf_kernel_facts *wf_kernel_info(struct wf_kernel *k);
// Machine code as text: pc, guard, registers, source lines.
const char *wf_kernel_listing(struct wf_kernel *k);

// -- redundancy marks ---------------------------------------------------------------------------------------
// The redundancy mark of one instruction.
struct wf_mark {
    uint32_t pc;
    const char *instruction, *lines; // lines: source lines, with the calls that inlined them
    const char *mark; // across warps: "DR" redundant in all blocks, "CR" in some shapes of block, "V" in none
    const char *promoted; // mark after promotion for the given block shape, "DR" or "V"; NULL without a shape
    const char *pattern;  // across the lanes of a warp: "uniform", "affine", "unstructured"
    const char *formula;  // the pattern with known base and stride: "affine 0x1000+4*threadIdx.x"
    uint32_t base;        // valid if base_known
    int32_t stride;       // valid if stride_known
    bool base_known, stride_known;
    bool grid; // the result is also equal in all blocks (mark.grid)
    // For the given block shape (mark.warp_classes): 1, redundant across all warps; p > 1, among every p-th
    // warp; 0, not redundant, or no shape given.
    uint32_t warp_classes;
    // Why the mark is below "DR": cause, a word for tables ("none" for "DR"); reason, a sentence.
    const char *cause, *reason;
    // Writes vector registers only (no predicate) and has no guard: a skipping mechanism can share the
    // result.
    bool shareable;
};
// Marks of all reachable instructions, under the settings `mark.*`. `block` may be NULL. *count receives the
// number of rows. Rows are valid until the next call for this kernel. NULL: the kernel cannot be launched
// with the given block.
const struct wf_mark *wf_kernel_marks(struct wf_kernel *k, const uint32_t block[3], size_t *count);

// -- where time goes ----------------------------------------------------------------------------------------
// In every cycle with a resident warp, each scheduler of an SM has issue.width issue slots. Each slot is
// charged to one reason: an instruction issued, or why none was.
struct wf_slot {
    const char *name, *meaning;
};
// Slot reasons by index. False past the last.
bool wf_slot_at(size_t index, struct wf_slot *slot);
// Places that results of memory instructions come from, by index. Slots of the reason `memory` are split by place, and
// add up to the reason's slots. False past the last.
bool wf_level_at(size_t index, struct wf_slot *level);
// Issue slots charged to one instruction of a kernel. The last row has the slots charged to no warp, and so
// to no instruction.
struct wf_account {
    uint32_t pc;
    const char *instruction, *lines; // NULL in the last row
    const uint64_t *slots, *levels;  // indexed as wf_slot_at, wf_level_at
    // Warp instructions removed by a mechanism: skipped before fetch, or issued without execution (reused).
    // If results do not depend on time, the instructions issued plus those skipped equal the instructions
    // issued without a mechanism.
    uint64_t skipped, reused;
    // Warp instructions issued without an issue slot of a scheduler: through a mechanism's own port, or by a
    // mechanism's guest, an instruction stream beside the warps (sm/issue/guest.h).
    uint64_t beside;
};
// Accounts of all instructions plus one last row, summed over launches timed on SMs with the kernel's
// present program. Mechanisms may change the program with the block shape. RISC-V kernels: summed over the
// programs of all arguments; with riscv.closure=constants, `instruction` is of the program made last. Waits
// for all launches. *count receives the number of rows. NULL: no such launch. Rows are valid until the
// program changes or the next call for this kernel. The arrays `slots` keep counting during later launches.
const struct wf_account *wf_kernel_account(struct wf_kernel *k, size_t *count);
// One SM in one timed launch.
struct wf_sm_account {
    uint64_t active_cycles, warp_instructions;
    const uint64_t *slots, *levels; // indexed as wf_slot_at, wf_level_at
    const char *sm_class;           // NULL: the GPU has no classes
};
// A class: SMs with common settings class.NAME.* (docs/howto/gpus.md).
struct wf_class {
    const char *name;
    uint32_t first, count;       // SM numbers
    uint64_t register_file_bits; // of one SM
};
// Classes in order of SM numbers. False past the last; a GPU may have no classes.
bool wf_class_at(struct wf_context *c, size_t index, struct wf_class *k);
// A slice of the chip: one of `parts` equal parts, with DRAM at `dram_rate` of a partition's (gpu.slice).
struct wf_slice {
    uint32_t parts, sms, whole_sms, partitions, whole_partitions;
    double dram_rate;
};
// The slice that timed launches run on. False: the whole chip.
bool wf_slice_of(const struct wf_context *c, struct wf_slice *slice);
struct wf_class_account {
    struct wf_class sm_class;
    // Sums over the SMs of the class, indexed as wf_counter_at. WF_UNKNOWN for counters not counted by SM.
    const uint64_t *counters;
};

// -- time lines ---------------------------------------------------------------------------------------------
// Counters over an interval of cycles of a launch (report.interval).
struct wf_sample {
    uint64_t from, to; // cycles of the launch
    // In the order of wf_stats.counters, counter_count values. A maximum (wf_counter.is_most) holds the
    // maximum so far. WF_UNKNOWN for counters that are not sampled, such as exec.*.
    const uint64_t *counters;
    size_t counter_count;
};
// Starts or ends recording of later timed launches for a timeline (settings timeline.*); earlier records are
// dropped. report/timeline.h writes the record. Recording changes no result: launches of different streams
// still run together, and each stream has its own rows.
void wf_watch(struct wf_context *c, bool on);
// wf_watch(c, true) for the stepping page (report/steps.h): the record also has instructions skipped by mechanisms, and
// what mechanisms keep.
void wf_watch_steps(struct wf_context *c);
struct watcher;
// Waits for all launches; returns the record of wf_watch, for report/timeline.h. NULL: wf_watch is off.
const struct watcher *wf_watched(struct wf_context *c);

// -- textures -----------------------------------------------------------------------------------------------
enum wf_texel {
    WF_TEXEL_U8,
    WF_TEXEL_S8,
    WF_TEXEL_U16,
    WF_TEXEL_S16,
    WF_TEXEL_U32,
    WF_TEXEL_S32,
    WF_TEXEL_F16,
    WF_TEXEL_F32
};
enum wf_filter { WF_FILTER_POINT, WF_FILTER_LINEAR };
enum wf_address { WF_ADDRESS_WRAP, WF_ADDRESS_CLAMP, WF_ADDRESS_MIRROR, WF_ADDRESS_BORDER };
struct wf_texture_config {
    enum wf_texel texel;
    unsigned channels; // 1, 2 or 4
    // Texels; height 0: one dimension; depth 0: at most two dimensions. With `layered`, depth counts layers; with `cube`
    // it is 6, or 6 for each cube of a layered texture.
    uint32_t width, height, depth;
    uint32_t pitch_bytes; // bytes from row to row; 0: rows are contiguous
    bool normalised_coordinates, normalised_read;
    enum wf_filter filter;
    enum wf_address address[3];
    bool layered, cube;
    // Mipmap: the levels stand one after the other, each half as wide, high and deep as the one before (layers do not
    // halve), rows of all but the first without gaps. 0 as 1. Fetches clamp the level plus level_bias to
    // [level_least, level_most]; both 0: to the levels there are.
    unsigned levels;
    enum wf_filter level_filter;
    float level_bias, level_least, level_most;
};
// Creates a texture or surface object over device memory at `data`. Returns the 64-bit handle that kernels take, or 0
// and a message. Texture objects live until destroyed, or as long as the context.
uint64_t wf_texture_create(struct wf_context *c, uint64_t data, const struct wf_texture_config *t);
// Launches queued so far keep the texture. A later wf_texture_create may hand out the handle again. WF_BAD_INPUT:
// no texture has the handle.
enum wf_status wf_texture_destroy(struct wf_context *c, uint64_t texture);

// -- launches -----------------------------------------------------------------------------------------------
struct wf_launch_config {
    uint32_t grid[3], block[3]; // no dimension may be 0
    uint32_t shared_bytes;      // dynamic shared memory
    struct wf_stream *stream;   // NULL: the default stream, CUDA's legacy one
    // Registers of a thread on an SM, used if launch.registers is 0. 0: as many as the code uses.
    uint32_t registers;
    // Address of zeroed device memory that the blocks of a cooperative launch meet in (grid.sync), 32 bytes and the
    // launch's own; 0: no cooperative launch. Kernels read the address from %envreg1 (high) and %envreg2.
    uint64_t workspace;
    uint32_t cluster[3]; // blocks of a cluster; all 0: as the kernel requires, or no clusters
};

// Occupancy: the number of blocks of a shape that fit on an SM of the selected GPU, and the resources left
// free.
struct wf_occupancy {
    const char *sm_class;      // NULL: the GPU has no classes
    uint32_t thread_registers; // of a thread, by launch.registers, else by the shape, else by the code
    uint32_t warps, registers, shared_bytes; // of one block
    // blocks: blocks resident on the SM at once; file_registers: registers of the SM.
    uint32_t blocks, file_registers;
    const char *limit; // the resource that the next block lacks
    // more_warps: warps of one more block that would fit, if blocks were admitted in parts.
    uint32_t free_registers, free_warps, more_warps;
};
// Occupancy on an SM of the class with the given index (0 for a GPU without classes). False past the last
// class.
bool wf_occupancy_at(struct wf_kernel *k, const struct wf_launch_config *shape, size_t class_index,
                     struct wf_occupancy *o);
// Clusters of the shape, or as the kernel requires, resident on the selected GPU at once (gpu.gpcs); 0: none fits, or no GPU is
// selected.
uint64_t wf_clusters_resident(struct wf_kernel *k, const struct wf_launch_config *shape);

#define WF_UNKNOWN UINT64_MAX // a figure not measured by the run
// Half-widths of the 95 % interval of a sampled figure (docs/explanation/sampling.md); both 0: exact. Over the
// launches of one group (wf_sampling.group), `shared` adds up and `own` adds in squares. Over groups, both add
// in squares.
struct wf_error {
    double shared, own;
};
struct wf_counter {
    const char *name, *unit, *meaning; // "exec.global_loads"
    uint64_t value;
    bool is_most; // a maximum: combine launches by the largest value, not by the sum
    struct wf_error error;
};
enum wf_sampled {
    WF_NOT_SAMPLED,    // sampling is off
    WF_TIMED,          // all blocks timed: figures are exact
    WF_SAMPLED_BLOCKS, // a part of the blocks timed
    WF_SAMPLED_LAUNCH  // not timed: figures come from timed launches of the group
};
// How a launch under sampling (setting `sample`) came to its figures.
struct wf_sampling {
    enum wf_sampled how;
    const char *why;        // WF_TIMED: why nothing could be sampled; NULL: timed to stand for other launches
    uint32_t group;         // number from 0; WF_SAMPLED_BLOCKS: a number of the launch's own
    uint64_t timed_blocks;  // of the launch
    struct wf_error cycles; // also of wf_stats.elapsed
    struct wf_error fetched, skipped, reused, occupancy;
    struct wf_error warp_instructions, thread_instructions; // 0 without mechanisms
    struct wf_error energy_pj;
};
// A kind of event and its energy. The launch's energy, in picojoules, is the sum of count x pj_each over all
// kinds.
struct wf_energy {
    const char *name, *part, *unit; // "register_read", "registers", "registers"
    uint64_t count;
    double pj_each; // picojoules
};
// A storage structure that a mechanism adds to each SM (of one class, if the GPU has classes). On a GPU for
// RISC-V programs: the registers and the stack cache.
struct wf_structure {
    const char *tech, *name, *sm_class; // sm_class: NULL if the GPU has no classes
    uint64_t entries, bits;             // bits: of all entries together
    bool in_paper;                      // counted in the paper's storage budget
    // The structure replaces a structure of the SM or of the SIMTight core, and adds no energy.
    bool instead;
};
// Storage of the selected mechanisms on the selected GPU, or of its SIMTight core. Returns the number of
// rows; rows are valid until the next call or the end of the next timed launch.
size_t wf_storage(struct wf_context *c, const struct wf_structure **rows);
// Bits of the register file of an SM outside any class.
uint64_t wf_register_file_bits(const struct wf_context *c);
// Parts of the chip that consume energy, by index. False past the last.
bool wf_energy_part_at(size_t index, const char **name, const char **meaning);
// Forbidden behaviour that did not end a launch (check.bounds, check.members), or a race. Without
// check.races, a kernel's first functional launch watches the start of the first block for races in shared
// memory.
struct wf_warning {
    const char *name; // "bounds", "members", "race"
    uint64_t count;
    const char *text; // describes the first case, several lines
};
// Peak rates of a GPU with SMs, of the whole chip, in a cycle of the SMs. Lanes: of the pipelines, at one operation a
// lane. Bytes of the L2: one way, through the ports of its slices. All 0: no GPU, or a core that is no SM.
struct wf_peaks {
    double issued; // warp instructions, one a scheduler
    // integer_lanes 0: integer instructions use the pipelines of float_lanes.
    double float_lanes, integer_lanes, special_lanes, double_lanes;
    double shared_accesses; // warp accesses to shared memory
    double l2_flits, l2_flit_bytes, dram_bytes;
    double sms;
};
// Why the program of a launch failed.
enum wf_fault {
    WF_FAULT_NONE,
    WF_FAULT_ADDRESS,     // access outside every allocation, or outside shared, local or constant memory
    WF_FAULT_ALIGNMENT,   // misaligned address
    WF_FAULT_STACK,       // call stack exhausted
    WF_FAULT_INSTRUCTION, // invalid target of a jump, lane outside a member mask, texture without a handle
    WF_FAULT_TRAP,        // the program's own trap
    WF_FAULT_ASSERT,      // an assertion of the program
    WF_FAULT_HANG,        // no warp can continue, or all warps wait for ever
    WF_FAULT_LIMIT,       // a limit of the user; the context stays usable
    WF_FAULT_INTERRUPTED,
    WF_FAULT_INTERNAL // an error of the simulator
};
// Figures of one launch. "Timed" marks figures that are WF_UNKNOWN in functional runs.
struct wf_stats {
    enum wf_status status;
    bool has_run; // false: the launch never began, after an earlier failure or an interrupt; counts are 0
    // Timed: cycles of the core clock to the launch's end, counted from the earliest possible start of the
    // first block or, on the SIMTight core, from the start of the warps.
    uint64_t cycles;
    // Timed: cycles from arrival to the launch's end: `cycles` plus gpu.launch_latency, or on the SIMTight
    // core plus simtight.start_cycles.
    uint64_t elapsed;
    uint64_t start;             // timed: cycle of arrival at the chip, on the clock of events
    uint64_t fetched;           // timed, on SMs: warp instructions fetched
    uint64_t skipped;           // timed: warp instructions not fetched, because of a mechanism
    uint64_t reused;            // timed: warp instructions fetched, not executed
    uint64_t verify_mismatches; // WF_UNKNOWN: without wf_set_verify, or functional
    const char *tech;           // "base", or the text given to wf_tech
    double occupancy; // mean resident warps of an active SM over their maximum; below 0: not run on SMs
    const char *gpu;  // NULL in functional runs
    uint64_t warp_instructions, thread_instructions;
    uint64_t races;         // pairs of racing accesses seen; WF_UNKNOWN if check.races is off
    const char *race_text;  // report of the first race, or NULL
    const char *fault_text; // report of a failed program, or NULL
    enum wf_fault fault;
    // Functional: the launch seemed to wait for memory written by other launches, and another launch ran in
    // between.
    bool has_waited;
    bool never_ends; // the launch failed because it would not end, or reached a limit
    const struct wf_warning *warnings;
    size_t warning_count;
    double wall_seconds;             // of the host, while the launch ran
    const struct wf_sm_account *sms; // by SM number; NULL: not run on SMs
    size_t sm_count;
    const struct wf_class_account *classes; // in order of SM numbers; NULL: not run on SMs
    size_t class_count;                     // 0: the GPU has no classes
    struct wf_slice slice;                  // parts 0: the whole chip, or not run on SMs
    const struct wf_sample *samples; // in order of time; none without report.interval, or when functional
    size_t sample_count;
    const struct wf_counter *counters; // every counter of the run, in a fixed order
    size_t counter_count;
    const struct wf_energy *energy; // in a fixed order; NULL: not run on SMs
    size_t energy_count;
    // Of the mechanisms in the order selected, or of the SIMTight core; NULL: functional.
    const struct wf_structure *storage;
    size_t storage_count;
    double core_mhz; // cycles per microsecond
    struct wf_sampling sampling;
    struct wf_peaks peaks; // of the launch's GPU
};

// Launches a kernel and waits for its end. args[i] points to parameter i, sized by the parameter's type.
// stats may be NULL. Pointers in *stats are valid until the next wf_launch or wf_launch_packed in the
// context.
enum wf_status wf_launch(struct wf_kernel *k, const struct wf_launch_config *shape, void *const *args,
                         size_t arg_count, struct wf_stats *stats);
// wf_launch from a packed parameter block of wf_kernel_info.param_bytes bytes.
enum wf_status wf_launch_packed(struct wf_kernel *k, const struct wf_launch_config *shape, const void *params,
                                size_t bytes, struct wf_stats *stats);

// -- streams ------------------------------------------------------------------------------------------------
// Launches of a stream run in order, without overlap. Launches of different streams run together if the GPU
// has room. A launch in the default stream waits for all earlier launches of all streams, and all later
// launches wait for it. Functional launches run one at a time, in the order of the calls. An exception is a
// functional launch that waits for memory written by another launch: the two take turns.
//
// wf_launch_async makes the checks of a driver, copies the arguments, settings and texture bindings, queues
// the launch, and returns without waiting. The caller owns *launch until wf_launch_free or the end of the
// context. `launch` may be NULL: the launch then has no handle. If the call fails, nothing is queued and
// *launch is NULL.
enum wf_status wf_launch_async(struct wf_kernel *k, const struct wf_launch_config *shape, void *const *args,
                               size_t arg_count, struct wf_pending **launch);
enum wf_status wf_launch_async_packed(struct wf_kernel *k, const struct wf_launch_config *shape,
                                      const void *params, size_t bytes, struct wf_pending **launch);
bool wf_launch_is_over(const struct wf_pending *l); // does not wait
// Waits until one more launch is over, whichever ends first. False: no launch is queued or running.
bool wf_wait_any(struct wf_context *c);
// Wait for the end of the launch; return its status or stats. Other launches advance meanwhile and then
// pause. The stats are valid until wf_launch_free.
enum wf_status wf_launch_status(struct wf_pending *l);
const struct wf_stats *wf_launch_stats(struct wf_pending *l);
// Gives up the handle of a launch; a queued or running launch still runs to the end. NULL: no effect.
void wf_launch_free(struct wf_pending *l);

// Clears the failed state of a context, after waiting for all launches.
//
// A failing launch ends alone, with a separate status; other launches on the chip continue. A fault, a
// deadlock or a program found never to end (CUDA lets the last run on) puts the context into the failed
// state. Queued launches then end without running, and later launches return WF_PROGRAM_FAILED. Device memory
// keeps its contents. A simulator limit (wf_set_max_cycles, exec.max_warp_instructions) or an interrupt does
// not cause the failed state.
void wf_reset(struct wf_context *c);

// Streams and events live until destroyed, or as long as the context.
struct wf_stream *wf_stream_create(struct wf_context *c);
// Waits for the launches of the stream, then frees the stream. NULL: no effect.
void wf_stream_destroy(struct wf_stream *s);
// Names the stream in messages and in timelines of launches that begin later. Default: 1, 2, 3 … in order of
// creation.
void wf_stream_name(struct wf_stream *s, const char *name);
// Restricts later launches of the stream to `sms` SMs starting with first_sm. sms 0: no restriction, the
// default. A launch with an SM beyond the GPU's last returns WF_BAD_INPUT. Functional launches ignore the
// restriction. Streams may overlap; gpu.dispatch chooses among their blocks.
void wf_stream_place(struct wf_stream *s, uint32_t first_sm, uint32_t sms);
// wf_stream_wait, wf_synchronise and wf_event_wait return the status of a launch that failed during a wait,
// unless an earlier call has returned the status. Otherwise, in a failed context, these three return
// WF_PROGRAM_FAILED.

// Waits for the launches of the stream and of the default stream.
enum wf_status wf_stream_wait(struct wf_stream *s);
// wf_write and wf_read for memory used by one stream alone. Both wait as wf_stream_wait does, and may leave
// launches of other streams unfinished.
enum wf_status wf_stream_write(struct wf_stream *s, uint64_t address, const void *host, uint64_t bytes);
enum wf_status wf_stream_read(struct wf_stream *s, uint64_t address, void *host, uint64_t bytes);
// Waits for all launches of the context.
enum wf_status wf_synchronise(struct wf_context *c);

// An event stands for the work in a stream at the time of the latest wf_event_record.
struct wf_event *wf_event_create(struct wf_context *c);
void wf_event_destroy(struct wf_event *e); // does not wait. NULL: no effect
// Records the event after all work queued in the stream so far. NULL: the default stream. WF_BAD_INPUT: the
// stream belongs to another context.
enum wf_status wf_event_record(struct wf_event *e, struct wf_stream *s);
// Later launches of the stream wait for the event. NULL: the default stream. WF_BAD_INPUT: stream and event
// belong to two contexts.
enum wf_status wf_stream_wait_event(struct wf_stream *s, struct wf_event *e);
// Waits for the work before the event's latest record.
enum wf_status wf_event_wait(struct wf_event *e);
// Cycles from the end of the work of one event to the end of the work of another; waits for both. An event
// recorded with no work under way has the end of the context's latest launch. WF_UNKNOWN: functional, not
// recorded, of two contexts, or `to` ended first.
uint64_t wf_event_cycles(struct wf_event *from, struct wf_event *to);

// -- counters -----------------------------------------------------------------------------------------------
// Counters of the mechanism named `tech`, by index, with value 0. wf_stats contains the counters of selected
// mechanisms. False past the last, or without such a mechanism.
bool wf_tech_counter_at(struct wf_context *c, const char *tech, size_t index, struct wf_counter *counter);
// Counters of every run, by index, with value 0. False past the last.
bool wf_counter_at(size_t index, struct wf_counter *counter);
// Counters added by runs of RISC-V programs on the SIMTight core, by index. False past the last.
bool wf_core_counter_at(size_t index, struct wf_counter *counter);

// -- studies ------------------------------------------------------------------------------------------------
// A study observes launches, for example values and instructions that repeat. Contexts under observation must
// end before the study, or call wf_set_study(c, NULL). A context has at most one study. Launches under a
// study are functional, whatever the GPU, unless wf_study_times.
struct wf_study;
// Studies of the library, by index. False past the last.
bool wf_study_at(size_t index, const char **name, const char **meaning);
// NULL for an unknown name. The caller owns the study.
struct wf_study *wf_study_create(const char *name);
// NULL: no effect.
void wf_study_destroy(struct wf_study *s);
// Sets the study that observes later launches; NULL ends the observation. WF_BAD_USAGE: check.races is on, or
// the study is timed and the maximum number of mechanisms is already selected.
enum wf_status wf_set_study(struct wf_context *c, struct wf_study *s);
// Reads launches from a file in place of runs (docs/explanation/studies.md lists formats and studies).
// Messages go to the context.
enum wf_status wf_study_read(struct wf_study *s, struct wf_context *c, const char *path);
// Whether wf_study_read accepts files for the study.
bool wf_study_reads(const struct wf_study *s);
// Whether the study observes timed launches and needs a GPU.
bool wf_study_times(const struct wf_study *s);
// Names the group of later launches in the study's tables.
void wf_study_group(struct wf_study *s, const char *name);
// Sets the folder with the source files named in PTX, in place of an earlier folder; for studies that quote
// source lines.
void wf_study_sources(struct wf_study *s, const char *folder);
// Tables of a study. A cell of kind SHARE holds a number from 0 to 1.
enum wf_cell_kind { WF_CELL_NONE, WF_CELL_TEXT, WF_CELL_COUNT, WF_CELL_SHARE, WF_CELL_NUMBER };
struct wf_cell {
    enum wf_cell_kind kind;
    const char *text;
    uint64_t count;
    double number;
};
struct wf_column {
    const char *name, *meaning;
};
struct wf_table {
    const char *name, *title;
    bool detail; // one row per instruction or line: too long for an overview of many kernels
    bool cards;  // rows with long texts: show a row as a paragraph
    const struct wf_column *columns;
    size_t column_count;
    const struct wf_cell *cells; // row-major
    size_t row_count;
    const size_t *rules; // row numbers with a rule above
    size_t rule_count;
};
struct wf_study_results {
    enum wf_status status; // WF_MISMATCH: the study found a violation, described in `failures`
    const struct wf_table *tables;
    size_t table_count;
    const char *const *notes, *const *failures;
    size_t note_count, failure_count;
};
// Results for the launches so far. Valid until the next wf_study_report or wf_study_destroy of the study.
const struct wf_study_results *wf_study_report(struct wf_study *s);

// -- checks -------------------------------------------------------------------------------------------------
// A place of a finding: an instruction of a thread, or the host (instruction NULL).
struct wf_finding_place {
    const char *kernel, *instruction;
    const char *file; // of the source; without .loc, of the PTX; NULL: unknown
    uint32_t line, column;
    const char *lines; // "k.cu:7 (inlined at m.cu:9)"; "" when unknown
    const char *ptx_file;
    uint32_t ptx_line, ptx_column;
    const char *act; // "read", "write", "atomic", "waits"; NULL
    uint32_t block[3], thread[3];
};
struct wf_finding {
    const char *kind, *what, *right; // right: what would be right
    uint64_t count;                  // occurrences; the rest is of the first
    const struct wf_finding_place *places;
    size_t place_count; // a race has two
};
// Checks all later launches (docs/howto/check.md), which are functional. Call before the first module and
// allocation, for memory never written and for places in the PTX. Faulty accesses are findings and no failures:
// reads give zeros, writes vanish. WF_BAD_USAGE: a study is set.
enum wf_status wf_check(struct wf_context *c);
// Findings in order of their first occurrence. Waits for all launches. False past the last. Valid until the
// next launch.
bool wf_finding_at(struct wf_context *c, size_t index, struct wf_finding *f);
// The host wrote bytes at an address of the device without a call of this interface (wf_host, wf_lend).
void wf_check_written(struct wf_context *c, uint64_t address, uint64_t bytes);
// Adds a finding for every allocation of wf_alloc that is live.
void wf_check_leaks(struct wf_context *c);
// Adds a finding for a live allocation, made at a line of a file (NULL: unknown).
void wf_check_leak(struct wf_context *c, uint64_t address, const char *file, uint32_t line);
// The place of the host's next calls, for findings.
void wf_check_at(struct wf_context *c, const char *file, uint32_t line);

// -- settings as data ---------------------------------------------------------------------------------------
struct wf_key {
    const char *name, *type, *range, *initial, *meaning, *source;
    const char *value;  // current value; NULL for a mechanism's option
    const char *sliced; // value in the slice of the chip (gpu.slice); NULL: no other, or a mechanism's option
    const char *from;   // origin: "default", "tiny:5" (line of a file), "set", "the classes' counts"
    bool is_gpus;       // describes the GPU: SMs, chip, memory and energy, or the SIMTight core
};
// All keys of the context except keys for tests, by index. False past the last.
bool wf_key_at(struct wf_context *c, size_t index, struct wf_key *key);
// Counts GPU keys set neither by the GPU's file nor by wf_set. Simulator keys (`sim.`, `machine`,
// `gpu.slice`) are left out, and gpu.sm_count if it is the sum of the classes. Keys not set have their defaults, which for SMs
// describe gtx1080ti-paper. *is_like: the file starts from another GPU's file, so defaults come from a
// known GPU.
size_t wf_gpu_left_out(struct wf_context *c, bool *is_like);
// Whether a key of the GPU or of the compiler was set by wf_set, other than clocks and what caches hold at a launch:
// measurements of the card say nothing about such a GPU and such code.
bool wf_gpu_differs(struct wf_context *c);
// Fills in value and origin for the class of SMs with the given index (wf_class_at). key->name: the key to
// look up, or "count". False: the class does not set the key, the key is no setting of an SM, or index is
// past the last.
bool wf_class_key(struct wf_context *c, size_t index, struct wf_key *key);
// Options of the mechanism named `tech`, by index. False past the last, or without such a mechanism.
bool wf_tech_key_at(struct wf_context *c, const char *tech, size_t index, struct wf_key *key);
// The resolved configuration as a JSON object. Valid until the next wf_config_json.
const char *wf_config_json(struct wf_context *c);

// Called, from any thread, when host memory runs out. Must not return.
__attribute__((noreturn)) void wf_heap_exhausted(size_t size_bytes);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
