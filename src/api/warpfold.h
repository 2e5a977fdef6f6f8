// warpfold's public interface: run CUDA kernels from PTX on a simulated GPU, from C.
//
// Modelled on the CUDA driver API: a context is a device with its memory; modules are loaded from PTX text;
// kernels are launched in streams; counters say what happened. The command line and the bundled workloads use
// nothing else.
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
// Launches may be queued in streams (wf_launch_async), and those of different streams run together on a timed GPU. There
// are no threads in the background: what is queued runs, and simulated time passes, only inside calls that wait. These
// are wf_launch, the calls whose names say wait or synchronise, those that ask for what a launch did, and all whose
// work a launch under way could see or change, as CUDA's synchronous calls: wf_write, wf_read, wf_copy, wf_fill and
// wf_free; settings (wf_set, wf_gpu, wf_tech, wf_set_verify, wf_set_print, wf_set_study, wf_watch); and
// wf_kernel_account and wf_watched. They wait for all that is under way, unless they say for what. What does not wait,
// since it concerns later launches alone: wf_alloc, modules and kernels, textures and their bindings.
//
// Nothing here prints or exits, but for one thing: without host memory for its own needs the library calls
// heap_exhausted (base/arena.h), which a program may define and which otherwise aborts. A call that fails
// says so by its result, and wf_errors() gives the located messages collected since the last
// wf_clear_errors(). A context is used by one thread at a time; contexts are independent. Strings and
// pointers handed out live as long as the object they came from.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WF_VERSION "0.1.0"

enum wf_status { // also the command line's exit status
    WF_OK = 0,
    WF_BAD_INPUT = 1,      // what a file, argument, shape, kernel or buffer says
    WF_BAD_USAGE = 2,      // unknown option, mechanism, GPU, key
    WF_PROGRAM_FAILED = 3, // hang, fault, trap, assert, limit
    WF_MISMATCH = 4,       // verification
    WF_INTERRUPTED = 130   // wf_set_interrupt
};

struct wf_context;
struct wf_module;
struct wf_kernel;
struct wf_stream;
struct wf_event;
struct wf_launch;

// -- context ------------------------------------------------------------------------------------------------
struct wf_context *wf_context_create(void); // defaults; never NULL
// And everything made from it. Launches under way are stopped, those that have not begun never do.
void wf_context_destroy(struct wf_context *c);
// A setting (`warpfold list keys`). Keys that shape memory or code must be set before the first module or
// allocation; later it is WF_BAD_USAGE.
enum wf_status wf_set(struct wf_context *c, const char *key, const char *value);
// Whether settings fit together that may be made in any order: classes of SMs (docs/gpus.md). Launches ask it
// too.
enum wf_status wf_check_settings(struct wf_context *c);
// Launches from now on are timed on a GPU: one of the library's by name, or a file's path (KEY = VALUE
// lines). Without a call, or after one with NULL, runs are functional. Settings the file makes can be changed
// by wf_set afterwards; those of an earlier GPU's file are forgotten.
enum wf_status wf_gpu(struct wf_context *c, const char *name_or_path);
bool wf_gpu_at(size_t index, const char **name, const char **meaning); // the library's; false past the last
// Those that run RISC-V programs (wf_program_run) and no CUDA kernels.
bool wf_riscv_gpu_at(size_t index, const char **name, const char **meaning);
// Mechanisms of timed launches: NAME[:KEY=V[,KEY=V...]] joined by +; "base" is none.
enum wf_status wf_tech(struct wf_context *c, const char *text);
bool wf_tech_at(size_t index, const char **name, const char **meaning); // the library's; false past the last
struct wf_feature {                                                     // what mechanisms differ in
    const char *name, *meaning;
    bool has; // the mechanism asked about
};
bool wf_tech_feature_at(size_t tech, size_t index, struct wf_feature *f); // false past the last
struct wf_claim {                                                         // what mechanisms decide
    const char *name, *meaning;
    bool is_exclusive; // two that have it do not go together
    bool has;          // the mechanism asked about
};
bool wf_tech_claim_at(size_t tech, size_t index, struct wf_claim *claim); // false past the last
// Compare every value a mechanism shares with what its reader would have computed by itself.
void wf_set_verify(struct wf_context *c, bool verify);
// Bits are turned in timed launches where mechanisms say that they may (sm/mech/upset.h): launches are then no more than what
// becomes of that. NULL: none. What it points to is the caller's. SMs pass their places in one order with one thread of the
// host.
struct upsets;
void wf_set_upsets(struct wf_context *c, const struct upsets *upsets);
void wf_set_max_cycles(struct wf_context *c,
                       uint64_t cycles); // of a timed launch, after which it fails; 0: no limit
// Asked now and then while launches run; when it says yes, all that are under way or queued end with WF_INTERRUPTED.
// NULL: never.
void wf_set_interrupt(struct wf_context *c, bool (*is_interrupted)(void *context), void *context);
void wf_set_threads(struct wf_context *c,
                    unsigned threads);       // of the host, in timed launches; results are the same
const char *wf_errors(struct wf_context *c); // all messages, formatted with source line and caret; "" if none
const char *wf_errors_colour(struct wf_context *c); // the same for a terminal
void wf_clear_errors(struct wf_context *c);
// Text the kernels print (printf, assert). Default: dropped. Called in execution order.
void wf_set_print(struct wf_context *c, void (*print)(void *context, const char *text, size_t length),
                  void *context);
// A bar on stderr when it is a terminal. Default: off.
void wf_set_progress(struct wf_context *c, bool enabled);

// -- memory -------------------------------------------------------------------------------------------------
// 0 and an error when there is not enough. The label appears in reports.
uint64_t wf_alloc(struct wf_context *c, uint64_t bytes);
uint64_t wf_alloc_named(struct wf_context *c, uint64_t bytes, const char *label);
// This and the following return, when they have done their work, also how a launch ended that failed while they or
// another call waited and that nobody has been told of. In a context that has failed (wf_reset) memory can be read and
// written all the same.
enum wf_status wf_free(struct wf_context *c, uint64_t address);
enum wf_status wf_write(struct wf_context *c, uint64_t address, const void *host, uint64_t bytes);
enum wf_status wf_read(struct wf_context *c, uint64_t address, void *host, uint64_t bytes);
enum wf_status wf_copy(struct wf_context *c, uint64_t to, uint64_t from, uint64_t bytes); // may overlap
// `count` times the low 1, 2 or 4 bytes of the pattern.
enum wf_status wf_fill(struct wf_context *c, uint64_t address, uint32_t pattern, unsigned pattern_bytes,
                       uint64_t count);

// -- modules ------------------------------------------------------------------------------------------------
struct wf_module *wf_module_load_file(struct wf_context *c, const char *path); // NULL on errors
struct wf_module *wf_module_load(struct wf_context *c, const char *name, const char *ptx, size_t length);
enum wf_status wf_symbol(struct wf_module *m, const char *name, uint64_t *address, uint64_t *bytes);
// Binds a module-scope .texref to a texture.
enum wf_status wf_bind_texture(struct wf_module *m, const char *name, uint64_t texture);

// -- programs with a host part of their own -----------------------------------------------------------------
// An ELF file of RISC-V (docs/riscv.md) is a module whose kernels its own host part launches, on a machine with 2,048
// threads. wf_module_load takes it as it takes PTX.
bool wf_module_is_program(const struct wf_module *m);
struct wf_launch_config;
struct wf_stats;
struct wf_program_config {
    const void *input; // what the host part can read from its console
    size_t input_bytes;
    // Told of every launch when it is over; NULL: nobody. The stats are valid during the call.
    void (*launched)(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *stats);
    void *launched_context;
};
struct wf_program_stats {
    uint64_t host_instructions, launches, failed_launches; // failed: a warp ended and said so
    double wall_seconds;                                   // all of it
};
// Runs it from its beginning to its end, with fresh memory. What it prints goes where kernels' text goes (wf_set_print),
// line by line. WF_PROGRAM_FAILED: it went wrong, or a kernel failed.
enum wf_status wf_program_run(struct wf_module *m, const struct wf_program_config *config,
                              struct wf_program_stats *stats);

// -- kernels ------------------------------------------------------------------------------------------------
struct wf_param {
    const char *name, *type; // "u64"; structures by value: "b8"
    uint32_t offset, bytes;
};
struct wf_kernel_info {
    const char *name, *mangled_name;
    const struct wf_param *params;
    uint32_t param_count, param_bytes;
    uint32_t address_bits; // of a pointer parameter: 64, or 32 under .address_size 32
    uint32_t instructions, registers, predicates, shared_bytes, local_bytes, stack_bytes, spill_loads,
        spill_stores;
    double compile_seconds;
};
// Kernels of modules that are loaded from now on are taken from a folder that has them compiled, or compiled and kept there, for
// other processes of the same build: of another build its files are not, and nothing tells them apart. NULL: no longer.
void wf_keep_programs(struct wf_context *c, const char *folder);
// By entry name, or by unmangled identifier when unique. Kernels are compiled here; what cannot run is
// refused here.
struct wf_kernel *wf_kernel_find(struct wf_module *m, const char *name);
// Entries in order of the text; NULL past the last.
const char *wf_kernel_name(struct wf_module *m, size_t index);
const struct wf_kernel_info *wf_kernel_info(struct wf_kernel *k);
const char *wf_kernel_listing(struct wf_kernel *k); // machine code with pc, guard, registers, source lines

// -- redundancy marks ---------------------------------------------------------------------------------------
struct wf_mark { // of one instruction
    uint32_t pc;
    const char *instruction, *lines; // as in the listing; source lines with the calls that inlined them
    const char *mark;     // "DR", "CR" or "V": redundant in every block, in blocks of some shapes, not
    const char *promoted; // "DR" or "V" in a block of the shape given; NULL without one
    const char *pattern;  // over the lanes of a warp: "uniform", "affine", "unstructured"
    const char *formula;  // the same with what is known of base and stride: "affine 0x1000+4*threadIdx.x"
    uint32_t base;        // where base_known
    int32_t stride;       // where stride_known
    bool base_known, stride_known;
    bool grid;             // mark.grid: the same in all blocks, too
    uint32_t warp_classes; // in a block of the shape given: 1, redundant; p > 1, redundant among every p-th
                           // warp (mark.warp_classes); 0, not
    const char *cause, *reason; // one word for tables, a sentence for people
    bool shareable;             // writes registers only, without a guard: what a skipping mechanism can share
};
// One an instruction that control can come to, by the settings `mark.*`; block may be NULL. Valid until the next call for this kernel.
// NULL: the kernel cannot be launched with such a block.
const struct wf_mark *wf_kernel_marks(struct wf_kernel *k, const uint32_t block[3], size_t *count);

// -- where time goes ----------------------------------------------------------------------------------------
// In every cycle in which an SM has a warp, each of its schedulers has issue.width slots, and each slot has
// one reason.
struct wf_slot {
    const char *name, *meaning;
};
bool wf_slot_at(size_t index, struct wf_slot *slot); // false past the last
struct wf_account {
    uint32_t pc;
    const char *instruction, *lines; // NULL in the last row, whose slots had no warp and so no instruction
    const uint64_t *slots;           // by wf_slot_at's index
    // Warp instructions that a mechanism kept from being fetched, or had issue without being executed. Where
    // results do not depend on time, those issued and skipped are as many as issue without a mechanism.
    uint64_t skipped, reused;
    uint64_t
        beside; // issued without a slot: through a mechanism's port, or as its guest's beside the schedulers
};
// One an instruction and one more, summed over the kernel's timed launches, which it waits for; NULL when there was none.
// Valid until the next call for this kernel; `slots` goes on counting.
const struct wf_account *wf_kernel_account(struct wf_kernel *k, size_t *count);
struct wf_sm_account {
    uint64_t active_cycles, warp_instructions;
    const uint64_t *slots;
    const char *sm_class; // NULL: the GPU has none
};
// SMs that a GPU's file describes together (docs/gpus.md).
struct wf_class {
    const char *name;
    uint32_t first, count;       // SMs
    uint64_t register_file_bits; // of one of them
};
// In order of their SMs; false past the last, and for a GPU without classes at once.
bool wf_class_at(struct wf_context *c, size_t index, struct wf_class *k);
struct wf_class_account {
    struct wf_class sm_class;
    const uint64_t
        *counters; // of its SMs, by wf_counter_at's index; WF_UNKNOWN for what is not counted by SM
};

// -- when it goes there -------------------------------------------------------------------------------------
struct wf_sample { // with report.interval: what was counted from one cycle of a launch to another
    uint64_t from, to;
    const uint64_t *
        counters; // in the order of the launch's, `counter_count` of them; WF_UNKNOWN for what is counted at blocks'
                  // ends. Of those that are the largest of several, what it was so far
    size_t counter_count;
};
// Timed launches from now on are watched for a timeline (the settings timeline.*), or no more; what was
// watched before is forgotten. report/timeline.h writes it. Watching changes nothing: launches of different streams run
// together as they do unwatched, and each stream has rows of its own.
void wf_watch(struct wf_context *c, bool on);
struct watcher;
const struct watcher *wf_watched(struct wf_context *c); // NULL: nobody watches

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
    unsigned channels;             // 1, 2, 4
    uint32_t width, height, depth; // height and depth 0 for fewer dimensions
    uint32_t pitch_bytes;          // 0: tightly packed
    bool normalised_coordinates, normalised_read;
    enum wf_filter filter;
    enum wf_address address[3];
};
// A texture object over device memory; the result is what the kernel takes as its 64-bit handle. 0 on errors.
uint64_t wf_texture_create(struct wf_context *c, uint64_t data, const struct wf_texture_config *t);

// -- launches -----------------------------------------------------------------------------------------------
struct wf_launch_config {
    uint32_t grid[3], block[3]; // no zeros
    uint32_t shared_bytes;      // dynamic
    struct wf_stream *stream;   // NULL: the default stream, which is CUDA's legacy one
    uint32_t registers;         // what launch.registers is where that is 0
};

// How many blocks of a shape an SM of the GPU that was chosen has room for, and what they leave.
struct wf_occupancy {
    const char *sm_class;                            // NULL: the GPU has no classes
    uint32_t thread_registers;                       // launch.registers, the shape's, or the code's
    uint32_t warps, registers, shared_bytes;         // of a block
    uint32_t blocks, file_registers;                 // at once; of an SM
    const char *limit;                               // what another lacks
    uint32_t free_registers, free_warps, more_warps; // more_warps: of another block, which would come in part
};
// Of the SMs' class of that number (0 where there are none); false past the last.
bool wf_occupancy_at(struct wf_kernel *k, const struct wf_launch_config *shape, size_t class_index,
                     struct wf_occupancy *o);

#define WF_UNKNOWN UINT64_MAX // a figure this run did not measure
struct wf_counter {
    const char *name, *unit, *meaning; // "exec.global_loads"
    uint64_t value;
    bool is_most; // of several launches the largest counts, not the sum
};
// One kind of event and what it costs; the launch's energy is the sum of count x pj_each.
struct wf_energy {
    const char *name, *part, *unit; // "register_read", "registers", "registers"
    uint64_t count;
    double pj_each; // picojoules
};
// A storage structure of an SM that a mechanism adds; with classes of SMs, of one of that class. Of a GPU for RISC-V
// programs: its registers and its stack cache.
struct wf_storage {
    const char *tech, *name, *sm_class; // sm_class: NULL when the GPU has none
    uint64_t entries, bits;             // bits: of all entries
    bool in_paper;                      // the paper counts it
    bool instead;                       // it takes the place of the SM's own, and costs what that does
};
// Of the mechanisms chosen, on the GPU chosen; valid until the next call.
size_t wf_storage(struct wf_context *c, const struct wf_storage **rows);
uint64_t wf_register_file_bits(const struct wf_context *c);                    // of an SM without a class
bool wf_energy_part_at(size_t index, const char **name, const char **meaning); // false past the last
// What a launch did that it must not do, and that did not end it (check.bounds, check.members; a functional
// run is watched for races within its first block).
struct wf_warning {
    const char *name; // "bounds", "members", "race"
    uint64_t count;
    const char *text; // about the first, several lines
};
struct wf_stats {
    enum wf_status status;
    bool has_run; // false: it never began, since another had failed; then it has counted nothing
    uint64_t
        cycles; // of the core clock, from when its first block could start; WF_UNKNOWN in functional runs
    uint64_t elapsed; // the same with what comes before that (gpu.launch_latency); WF_UNKNOWN likewise
    uint64_t start;   // the cycle in which it came to the chip, on the clock of events; WF_UNKNOWN likewise
    uint64_t fetched; // warp instructions; WF_UNKNOWN in functional runs
    uint64_t skipped; // warp instructions never fetched, because of a mechanism
    uint64_t reused;  // fetched and not executed
    uint64_t verify_mismatches; // WF_UNKNOWN without wf_set_verify
    const char *tech;           // "base", or as wf_tech was told
    double occupancy;           // mean resident warps over the most there can be; below 0 in functional runs
    const char *gpu;            // its name; NULL in functional runs
    uint64_t warp_instructions, thread_instructions;
    uint64_t races;         // racing pairs seen; WF_UNKNOWN when the detector is off
    const char *race_text;  // the first race, or NULL
    const char *fault_text; // the report of a failed program, or NULL
    bool
        has_waited; // functional: another launch had its turn meanwhile, since this one seemed to wait for it
    bool never_ends; // it failed since it would not have come to an end, or had not by its limit
    const struct wf_warning *warnings;
    size_t warning_count;
    double wall_seconds;             // of the host, while it ran
    const struct wf_sm_account *sms; // by SM; NULL in functional runs
    size_t sm_count;
    const struct wf_class_account *classes; // of SMs, in order of their numbers; NULL in functional runs
    size_t class_count;                     // 0: the GPU has none
    const struct wf_sample *samples;        // in order of time; NULL in functional runs
    size_t sample_count;
    const struct wf_counter *counters; // every counter of the run, in a fixed order
    size_t counter_count;
    const struct wf_energy *energy; // in a fixed order; NULL in functional runs
    size_t energy_count;
    const struct wf_storage *storage; // of the mechanisms, in their order
    size_t storage_count;
    double core_mhz; // cycles a microsecond
};

// args[i] points to parameter i (size by its type). Waits until the launch is over. stats may be NULL; what it
// points to is valid until the next wf_launch in this context.
enum wf_status wf_launch(struct wf_kernel *k, const struct wf_launch_config *shape, void *const *args,
                         size_t arg_count, struct wf_stats *stats);
// The same from a packed parameter block of kernel_info->param_bytes bytes.
enum wf_status wf_launch_packed(struct wf_kernel *k, const struct wf_launch_config *shape, const void *params,
                                size_t bytes, struct wf_stats *stats);

// -- streams ------------------------------------------------------------------------------------------------
// Launches of a stream run in order, each beginning when the one before is over; those of different streams run
// together where the GPU has room. A launch in the default stream waits for all earlier ones of all streams, and all
// later ones wait for it. In functional runs launches run one by one in the order of their calls.
//
// Checks what a driver checks, copies the arguments, the settings and the bindings of textures, queues the launch and
// returns. *launch is the caller's until wf_launch_free or the context's end; NULL for `launch`: nobody asks for it.
// When the call fails, nothing is queued and *launch is NULL.
enum wf_status wf_launch_async(struct wf_kernel *k, const struct wf_launch_config *shape, void *const *args,
                               size_t arg_count, struct wf_launch **launch);
enum wf_status wf_launch_async_packed(struct wf_kernel *k, const struct wf_launch_config *shape,
                                      const void *params, size_t bytes, struct wf_launch **launch);
bool wf_launch_is_over(const struct wf_launch *l); // does not wait
// Until one more of those under way is over, whichever comes first; false: none is under way.
bool wf_wait_any(struct wf_context *c);
// These wait until that launch is over; others go on with it and stop where they are. The stats stay until
// wf_launch_free.
enum wf_status wf_launch_status(struct wf_launch *l);
const struct wf_stats *wf_launch_stats(struct wf_launch *l);
void wf_launch_free(struct wf_launch *l); // it runs all the same. NULL: nothing

// A launch that fails ends alone, with its own status; those that are on the chip go on. After a fault, a deadlock or a
// program that never ends (what CUDA has no limit for), the context has failed: launches that have not begun end
// without having run, and later ones are refused with WF_PROGRAM_FAILED, until wf_reset, which waits for what is under
// way. Memory keeps what is in it. What the simulator itself ends, by a limit (wf_set_max_cycles,
// exec.max_warp_instructions) or an interrupt, leaves the context as it was.
void wf_reset(struct wf_context *c);

struct wf_stream *wf_stream_create(struct wf_context *c); // lives as long as the context, as events do
// What timelines call it from its next launch on; without it 1, 2, 3 … in the order in which streams were made.
void wf_stream_name(struct wf_stream *s, const char *name);
// SMs that blocks of its launches may run on, from its next launch on: so many from the first on; sms 0: all, as without
// it. The GPU has them, or launches are WF_BAD_INPUT; functional runs have none and do not mind. Streams may overlap:
// whose block an SM gets is then gpu.dispatch's choice.
void wf_stream_place(struct wf_stream *s, uint32_t first_sm, uint32_t sms);
// These wait, and return how a launch ended that failed meanwhile and that nobody has been told of, or
// WF_PROGRAM_FAILED in a context that has failed.
enum wf_status
wf_stream_wait(struct wf_stream *s); // for the stream's launches, and for those of the default stream
// wf_write and wf_read for a stream's own memory. They wait for the same launches; launches of other streams stop where
// they are.
enum wf_status wf_stream_write(struct wf_stream *s, uint64_t address, const void *host, uint64_t bytes);
enum wf_status wf_stream_read(struct wf_stream *s, uint64_t address, void *host, uint64_t bytes);
enum wf_status wf_synchronise(struct wf_context *c);

// An event stands for the work that was in its stream when it was recorded, the last time.
struct wf_event *wf_event_create(struct wf_context *c);
enum wf_status wf_event_record(struct wf_event *e, struct wf_stream *s); // NULL: the default stream
enum wf_status wf_stream_wait_event(struct wf_stream *s,
                                    struct wf_event *e); // later launches of the stream wait
enum wf_status wf_event_wait(struct wf_event *e);
// From the end of the work before one to the end of that before the other, which it waits for. An event before which
// nothing is under way has the end of the context's last launch. WF_UNKNOWN: functional, not recorded, or `to` came first.
uint64_t wf_event_cycles(struct wf_event *from, struct wf_event *to);

// -- counters -----------------------------------------------------------------------------------------------
// Those of a mechanism, which stats have when it runs.
bool wf_tech_counter_at(struct wf_context *c, const char *tech, size_t index, struct wf_counter *counter);
bool wf_counter_at(size_t index,
                   struct wf_counter *counter); // the counters there are (value 0); false past the last

// -- studies ------------------------------------------------------------------------------------------------
// What the instructions of launches repeat. A study outlives the contexts it watches; a context is watched by
// one at a time, and its launches are then functional, whatever GPU is set.
struct wf_study;
bool wf_study_at(size_t index, const char **name, const char **meaning); // false past the last
struct wf_study *wf_study_create(const char *name);                      // NULL when there is none
void wf_study_destroy(struct wf_study *s);
// Launches from now on are watched; NULL: no longer. WF_BAD_USAGE when the race detector is on.
enum wf_status wf_set_study(struct wf_context *c, struct wf_study *s);
// Launches from a file (docs/studies.md says of which form and for which study) instead of from runs; errors
// go to the context.
enum wf_status wf_study_read(struct wf_study *s, struct wf_context *c, const char *path);
bool wf_study_reads(const struct wf_study *s); // whether it can
bool wf_study_times(const struct wf_study *s); // whether it is of timed launches, and needs a GPU
void wf_study_group(struct wf_study *s,
                    const char *name); // of the launches that run from now on, for its tables
// A folder to look for the sources that PTX names, for studies that quote them.
void wf_study_sources(struct wf_study *s, const char *folder);
// The study's tables for the launches so far, valid until the next call. A cell of kind SHARE is a number
// from 0 to 1.
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
    bool detail; // a row an instruction or a line: not for an overview of many kernels
    bool cards;  // rows with long texts: each is shown as a paragraph
    const struct wf_column *columns;
    size_t column_count;
    const struct wf_cell *cells; // row by row
    size_t row_count;
    const size_t *rules; // rows above which a rule is drawn
    size_t rule_count;
};
struct wf_study_report {
    enum wf_status status; // WF_MISMATCH: the study found what must not be, in `failures`
    const struct wf_table *tables;
    size_t table_count;
    const char *const *notes, *const *failures;
    size_t note_count, failure_count;
};
const struct wf_study_report *wf_study_report(struct wf_study *s);

// -- settings as data ---------------------------------------------------------------------------------------
struct wf_key {
    const char *name, *type, *range, *initial, *meaning, *source;
    const char *value; // now; NULL of a mechanism's option
    const char *from;  // who says so: "default", "tiny:5" (a file's line), "set", "the classes' counts"
    bool is_gpus;      // describes the GPU: the chip, its memory, energies
};
bool wf_key_at(struct wf_context *c, size_t index, struct wf_key *key); // false past the last
// Keys of the GPU (but for `sim.`, which are no card's) that neither its file nor wf_set says: they have their defaults, which
// are gtx1080ti-paper's. is_like: the file begins from another GPU's, so that it is known whose it is.
size_t wf_gpu_left_out(struct wf_context *c, bool *is_like);
// The value and its origin in a class of SMs, by wf_class_at's index, of the key that is named, or of "count";
// false where the class does not set it.
bool wf_class_key(struct wf_context *c, size_t index, struct wf_key *key);
bool wf_tech_key_at(struct wf_context *c, const char *tech, size_t index, struct wf_key *key); // its options
// The resolved configuration as a JSON object; valid until the next call.
const char *wf_config_json(struct wf_context *c);
