// Objects behind the public API; private to api/. A context owns every object made from it.
#pragma once
#include "api/warpfold.h"
#include "base/config.h"
#include "base/hash.h"
#include "chip/chip.h"
#include "chip/classes.h"
#include "compile/compile.h"
#include "energy/energy.h"
#include "exec/launch.h"
#include "exec/session.h"
#include "exec/tensor/card.h"
#include "isa/image.h"
#include "mark/mark.h"
#include "memory/system.h"
#include "ptx/ptx.h"
#include "simtight/core.h"
#include "study/settings.h"
#include "tech/registry.h"

struct study;

struct api_settings {
#define SETTING(field, ctype, type, key, low, high, words, initial, meaning) ctype field;
#include "api/config.def"
#undef SETTING
};

enum { API_STORAGE_MAX = GPU_KINDS_MAX * TECH_MAX * TECH_STORAGE_MAX };
enum {
    API_COUNTERS = 0
#define COUNTER(name, unit, meaning) +1
#include "exec/counters.def"
#undef COUNTER
#define GPU_COUNTER(group, name, unit, meaning) +1
#define GPU_LANES(which, name, meaning)         +1
#define GPU_SLOT(which, name, meaning)          +1
#define GPU_LEVEL(which, name, meaning)         +1
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
#define MEMORY_COUNTER(name, unit, meaning) +1
#define DRAM_COUNTER(name, unit, meaning)   +1
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
};

// A list of launches. A launch that ends is removed from every list of launches to wait for (queue.c).
struct api_launches {
    struct wf_pending **data;
    size_t count, capacity;
};

struct wf_stream {
    struct wf_context *context;
    unsigned number;           // 0: the default stream
    char *name;                // heap; NULL: the default stream
    uint32_t first_sm, end_sm; // [first_sm, end_sm): SMs of the stream's launches; both 0: all SMs
    // Unfinished launches that the stream's next launch waits for, in addition to the default stream's.
    struct api_launches tail;
};

struct wf_event {
    struct wf_context *context;
    struct api_launches before; // launches queued before wf_event_record that the event still waits for
    bool is_recorded;
    // Clock at wf_event_record, or the latest end of the event's launches since; WF_UNKNOWN: functional.
    uint64_t cycle;
};

struct span { // of device memory
    uint64_t address, bytes;
};

struct wf_context {
    struct diag diag;
    struct config config;
    struct api_settings settings;
    struct compile_settings compile;
    char *kept; // folder of compiled kernels, heap; NULL: no cache
    struct mark_settings mark;
    struct study_settings study_settings;
    struct chip_config chip_set; // values of the keys
    struct chip_config chip;     // chip of timed launches: chip_set, or a slice of that chip (gpu.slice)
    struct gpu_classes classes;
    struct energy_config energy;
    char *gpu;        // name or path of the GPU, heap; NULL: launches are functional
    bool gpu_is_like; // the GPU's file takes over another GPU's settings (`like = NAME`)
    struct tech_choice techs;
    char *tech; // text given to wf_tech, heap; NULL: no mechanism ("base")
    bool verify;
    const struct upsets *upsets; // NULL: no fault injection
    uint64_t max_cycles;
    unsigned threads;
    VEC(struct span) copied; // with l2.copies: written by the host before there is a chip
    struct chip *chip_state; // made when a timed launch begins; forget_chip drops it at a change of settings
    struct simtight_config simtight;
    // The SIMTight core: made at a program's first launch, kept until the next run or forget_chip; or NULL.
    struct simtight *core;
    struct memory *memory; // made at the first use; memory.size is fixed from then on
    bool is_shared;        // wf_share_memory: device addresses are host addresses
    bool is_far;           // lent memory has addresses beyond LAUNCH_FAR_ADDRESS
    VEC(struct wf_module *) modules;
    VEC(struct wf_stream *) streams;
    unsigned streams_made; // numbers streams, destroyed streams too
    VEC(struct wf_event *) events;
    VEC(struct texture) textures; // a handle is index + 1
    uint64_t heap;                // of malloc in device code (heap.c); 0: no module has called it
    struct strbuf errors, config_json;
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    bool (*is_interrupted)(void *context);
    void *interrupt_context;
    bool progress;
    struct study *study;           // observes launches; NULL: no study
    struct check *check;           // NULL: wf_check is off
    struct race_book *spare_races; // with check.races: kept from launch to launch; NULL: none yet
    uint32_t launches;
    struct watcher *watcher;        // heap; NULL: wf_watch is off
    bool watches_steps;             // wf_watch_steps
    VEC(struct api_form *) watched; // forms (compiled programs) referred to by the watcher's records
    // storage: filled by wf_storage or at the end of a timed launch, until the next such call or end.
    // energy_rows: filled at the end of a launch timed on SMs.
    struct wf_structure storage[API_STORAGE_MAX];
    struct energy_row energy_rows[ENERGY_ROWS_MAX];

    // -- launches under way: queued or running (queue.c)
    struct api_launches alive;     // launches not yet destroyed; unordered
    struct api_launches under_way; // in order of the calls
    unsigned running;              // launches of under_way that have begun
    struct wf_stream first;        // the default stream
    struct wf_pending *last;       // latest wf_launch or wf_launch_packed, kept: the caller reads its stats
    struct wf_pending *awaited;    // launch whose status the waiting call returns; NULL: none
    // Status of a launch that failed during a wait, not yet reported by a call; the first if several. WF_OK:
    // none.
    enum wf_status untold;
    uint32_t untold_id; // grid_id of the launch with the status `untold`
    char *failure;    // why the context has failed (wf_launch refuses until wf_reset), heap; NULL: not failed
    bool is_stopping; // after an interrupt or wf_context_destroy: all launches under way end
    double run_seconds; // wall-clock seconds of the chip's simulation; overlapping launches count once
    struct api_sampling *sampling; // groups of launches so far (sample.c), heap; NULL: none
    // The clock of events: cycles of the context's successive chips, laid end to end, from 0. clock_before:
    // first cycle of the present chip; clock: latest known end of a launch.
    uint64_t clock_before, clock;
};

struct wf_module {
    struct wf_context *context;
    struct ptx_module *ptx; // NULL: an image
    // Hash of the PTX text and its name, for the cache of compiled kernels. 0: loaded before
    // wf_keep_programs; kernels of the module are not cached.
    uint64_t text_hash;
    // A program with a host part (host.c); NULL: PTX.
    struct image *image;
    struct memory *flat; // memory of the program, from its first run on
    uint32_t source;
    VEC(uint64_t) addresses; // of variables, numbered as in `variables`
    struct u64map variables; // struct ptx_variable * -> index into addresses
    uint64_t const_address;  // of the constant bank (.const variables) in global memory; 0: no bank
    uint32_t const_bytes;
    VEC(struct wf_kernel *) kernels;        // compiled so far
    VEC(const struct ptx_variable *) bound; // texture references
    VEC(uint64_t) bound_textures;
    struct arena arena; // names
};

// The program executed by launches of a kernel, with counts of issue slots. The program is the kernel's own,
// or made from it by mechanisms for a block shape, or reads arguments as constants. Kernels, launches
// and the list `watched` of the context share a form; the last user frees it.
struct api_form {
    unsigned users;
    const struct program *program;
    // Programs owned by the form: intermediate and final ones of the mechanisms' transformations, or the
    // program with arguments as constants.
    struct program *changed[TECH_MAX];
    unsigned changed_count;
    // Counts by [instruction; last: no instruction][slot reason], heap; NULL: never timed on SMs.
    uint64_t *slots;
    uint64_t *saved; // [instruction][SAVINGS], heap
};

// A form with arguments as constants.
struct api_constants {
    struct api_form *form;
    uint8_t *closure; // the constants, heap
};

struct wf_kernel {
    struct wf_module *module;
    const struct ptx_function *ptx; // NULL: kernel of an image
    struct loc loc;                 // location for messages about the kernel
    struct program *program;
    struct api_form *form;     // for the next launch; arguments as constants: see constants
    uint32_t changed_shape[3]; // block shape at the mechanisms' last transformation
    char *changed_by; // key (transform.c) at that time, heap; NULL: form has the kernel's own program
    struct wf_kernel_facts info;
    struct strbuf listing;
    struct arena marks;   // rows returned by the last wf_kernel_marks
    struct arena account; // rows returned by the last wf_kernel_account
    bool hinted; // a functional launch has begun; without check.races, only the first is watched for races
    // For RISC-V kernels with arguments as constants (closure.c).
    struct riscv_closure *closure; // NULL: not yet looked for
    VEC(struct api_constants) constants;
};

enum api_launch_state { LAUNCH_QUEUED, LAUNCH_RUNS, LAUNCH_OVER };

struct api_core_sample {
    uint64_t at; // in cycles of the launch
    struct simtight_counts so_far;
};

// A launch, from the call until it is over and its handle is freed.
struct wf_pending {
    struct wf_context *context;
    struct wf_kernel *kernel;
    struct api_form *form;
    size_t place; // index in context->alive
    enum api_launch_state state;
    bool is_freed; // freed by the caller: destroyed when over
    // Input of the functional engine or the chip, and arrays pointed to by the input.
    struct launch launch;
    struct tensor_card tensor; // rule of matrix products, with launch.tensor
    struct launch_flat flat;   // memory layout of a RISC-V kernel (of an image); unused for PTX
    bool is_timed;             // timed on the SMs of the chip; false on the SIMTight core
    bool is_on_core; // timed by the SIMTight core (core.c), which fills core_counts. Neither: functional.
    struct simtight_counts core_counts;
    VEC(struct api_core_sample) core_samples; // with report.interval, in order of time
    uint64_t max_cycles;
    uint8_t *params, *addresses; // constant banks, heap
    struct texture *textures;    // heap
    uint32_t *functions;         // heap
    const struct wf_stream *stream;
    // Order: launches that must be over before this launch begins.
    struct api_launches waits_for;
    // check.races: unordered launches whose memory accesses are compared with those of this launch: earlier
    // launches, and later launches that finished first.
    struct api_launches rivals;
    unsigned held;                // number of launches whose list `rivals` contains this launch
    struct exec_session *session; // state of a functional run from the launch's begin to its end; else NULL
    bool is_stuck;   // functional: the launch waits for ever, unless another launch changes memory
    bool has_waited; // functional: another launch ran while this launch waited
    // On the chip.
    struct grid *grid;
    struct gpu_counts *sms; // by SM number, owned as a piece
    struct chip_series series;
    struct progress progress;
    double run_seconds; // wall-clock; timed: context->run_seconds at the begin; functional: the run so far
    struct api_sampled *sampled; // sample.c, heap; NULL: sampling is off
    // Results.
    // On the context's clock; WF_UNKNOWN: functional. A timed launch that never began has an end but no
    // start.
    uint64_t start, end;
    struct launch_fault fault;
    struct launch_race race;
    struct launch_notes notes;
    struct wf_stats stats;
    VEC(void *) pieces; // arrays behind the stats, heap
};

// -- kernels' forms
struct api_form *api_form_create(const struct program *p);
struct api_form *api_form_use(struct api_form *f); // adds a user
void api_form_release(struct api_form *f);
// Sets k->form, the program for launches of a block shape. Counts of issue slots start at 0 if the program
// changes.
void api_choose_program(struct wf_kernel *k, const uint32_t block[3]);

// -- the checker (check.c); without wf_check no effect
void api_check_written(struct wf_context *c, uint64_t address, uint64_t bytes); // by the host
void api_check_copied(struct wf_context *c, uint64_t to, uint64_t from, uint64_t bytes);
bool api_check_free(struct wf_context *c, uint64_t address); // true: the invalid free is a finding

// -- launches
struct wf_pending *api_launch_create(struct wf_kernel *k);
void api_launch_destroy(struct wf_pending *l); // must not be under way
uint64_t api_function_address(const struct wf_module *m,
                              const struct ptx_function *f); // the value of a pointer to f in device code
// run.c. api_run_begin begins a launch; on the SIMTight core the launch also ends. api_run_end: the chip has
// reported the launch as over. api_run_never: the launch ends without having begun.
void api_run_begin(struct wf_pending *l);
void api_run_end(struct wf_pending *l);
void api_run_never(struct wf_pending *l, enum wf_status status, const char *why);
// Continues a functional launch. True: over. False: waiting, possibly for ever (is_stuck). *has_moved: memory
// may have changed. is_beside: another launch could take the turn.
bool api_run_turn(struct wf_pending *l, bool is_beside, bool *has_moved);
// Ends a stuck launch with a fault. beside: report lines about other launches.
void api_run_stuck(struct wf_pending *l, const char *beside);
// cluster.c: blocks of a cluster of the launch, all 0 without clusters. False and an error: no such clusters.
bool api_cluster_of(struct wf_kernel *k, const struct wf_launch_config *s, uint32_t cluster[3]);
bool api_is_timed(const struct wf_context *c); // whether later launches are timed on SMs
// False and an error: the study needs launches timed on SMs, and launches are not.
bool api_check_study(struct wf_context *c);
bool api_is_studied(const struct wf_context *c); // whether a study of functional runs is set
// Sets the chip's mechanisms: the selected ones, plus the observer of a timed study. Drops the simulated
// chip.
void api_choose_techs(struct wf_context *c);
// Whether launches under way must end; asked by running launches and host parts. context: struct wf_context.
bool api_is_interrupted(void *context);
// Memory owned by the launch, zeroed. Each piece has its exact size, because small launches are many.
void *api_piece(struct wf_pending *l, size_t bytes);
#define API_ARRAY(l, type, count) ((type *)api_piece((l), sizeof(type) * (size_t)(count)))
const char *api_keep(struct wf_pending *l, const char *text); // a copy owned by the launch; NULL for NULL
// stats.c: fills the stats of a launch that is over. timed: NULL in runs without SMs (functional, SIMTight
// core), where counters of SMs and memory are unknown.
void api_stats_fill(struct wf_pending *l, enum wf_status status, const struct exec_counts *counts,
                    const struct chip_result *timed, double seconds);

// Storage rows for the stats of a timed launch: of the mechanisms, or of the SIMTight core.
const struct wf_structure *api_storage(struct wf_pending *l, size_t *count);

// -- the SIMTight core (core.c)
bool api_has_core(const struct wf_context *c); // the GPU has a SIMTight core
void api_core_forget(struct wf_context *c);
bool api_run_on_core(struct wf_pending *l, struct exec_counts *counts);
void api_core_fill(struct wf_pending *l); // adds to the launch's stats
// Answer to the host part of a RISC-V program, which asks for statistic `id` of the last launch.
uint32_t api_core_statistic(const struct simtight_config *config, const struct simtight_counts *own,
                            uint64_t thread_instructions, uint32_t id);

// -- sampling (sample.c)
enum { API_SAMPLE_OFF, API_SAMPLE_LAUNCHES, API_SAMPLE_BLOCKS, API_SAMPLE_BOTH }; // setting sample
// Whether the settings go together with sampling; false adds an error with the reason.
bool api_sample_check(struct wf_context *c);
// Called at the begin of a launch timed on SMs. True: the launch is over, executed without time, with figures
// from its group. False: the launch is to be timed.
bool api_sample_begin(struct wf_pending *l);
double api_sample_seconds(const struct wf_pending *l); // of the host, in trials before the launch was timed
// The sampler of blocks for a launch about to be timed; NULL: none.
struct chip_sampler *api_sample_blocks(struct wf_pending *l);
// A timed launch is over: adds what blocks without time contribute to *timed, and the launch to its group.
// Returns the cycles added.
uint64_t api_sample_end(struct wf_pending *l, struct chip_result *timed, bool good);
void api_sample_stats(struct wf_pending *l, struct wf_counter *counters); // fills intervals into the stats
void api_sample_new_chip(struct wf_context *c);                           // code of all kernels is cold again
void api_sample_free(struct wf_pending *l);
void api_sample_fini(struct wf_context *c);
// Marks a launch as over and fills its stats (run.c).
void api_run_finish(struct wf_pending *l, bool good, const struct exec_counts *counts,
                    const struct chip_result *timed, double seconds);

// -- images (host.c)
// The kernel that begins at a function, by symbol name. NULL and an error: no such function, or its code
// cannot be translated.
struct wf_kernel *api_image_kernel(struct wf_module *m, const char *name);
const char *api_image_kernel_name(const struct wf_module *m, size_t index);
enum wf_status api_image_symbol(struct wf_module *m, const char *name, uint64_t *address, uint64_t *bytes);

// -- arguments as constants (closure.c)
enum { API_CLOSURE_LOADS, API_CLOSURE_CONSTANTS }; // riscv.closure
void api_closure_use(struct wf_pending *l);        // called when the launch is otherwise complete
// The kernel's program with arguments as constants, to be marked without a launch; the caller frees it.
struct program *api_closure_listing(struct wf_kernel *k);
void api_closure_fini(struct wf_kernel *k);

// -- order (queue.c)
void api_queue(struct wf_pending *l, struct wf_stream *s); // NULL: the default stream
// Adds to `to` the launches that new work in the stream must wait for.
void api_queue_tail(struct wf_context *c, struct wf_stream *s, struct api_launches *to);
void api_launches_add(struct api_launches *list, struct wf_pending *l); // no effect if listed
void api_wait(struct wf_context *c);                                    // for all launches under way
void api_wait_for(struct wf_pending *l);
void api_wait_empty(struct wf_context *c, const struct api_launches *list); // until the list is empty
void api_wait_stream(struct wf_stream *s);             // for the stream and the default stream
struct wf_peaks api_peaks(const struct wf_context *c); // all 0 without SMs
void api_stop(struct wf_context *c);                   // ends all launches under way
void api_streams_fini(struct wf_context *c);
// Status of a launch that failed while a call waited; reported once. WF_OK: none.
enum wf_status api_told(struct wf_context *c);

void api_settings_add(struct wf_context *c);
// wf_gpu with the text of a GPU file; name: of the file.
enum wf_status api_gpu_text(struct wf_context *c, const char *name, const char *text, size_t length);
struct memory *api_memory(struct wf_context *c);
// Compiles an entry, or reads it from the cache (wf_keep_programs). NULL and messages on errors.
struct program *api_compile(struct wf_module *m, const struct ptx_function *entry,
                            const struct compile_options *o);
// Device address of a .global or .const variable. False: a variable without device memory (such as extern,
// texture reference, shared, local).
bool api_variable_address(const struct wf_module *m, const struct ptx_variable *v, uint64_t *address);
// malloc and free of device code (heap.c): whether the module calls one without a body; its text with theirs; after the
// loading of that text, the heap that they use. False and an error: no room.
bool api_heap_is_called(const struct ptx_module *m);
void api_heap_join(const struct ptx_module *m, const char *ptx, size_t length, struct strbuf *joined);
bool api_heap_attach(struct wf_module *m);
uint64_t api_bound_texture(const struct wf_module *m, const struct ptx_variable *v); // 0: none
void api_module_destroy(struct wf_module *m);
void api_kernel_destroy(struct wf_kernel *k);
// api_account_begin points `account` to the counters that a timed launch will add to. The other functions
// return the counts per SM or per class of SMs.
void api_account_begin(struct wf_pending *l, struct chip_account *account);
const struct wf_sm_account *api_account_sms(struct wf_pending *l);
const struct wf_class_account *api_account_classes(struct wf_pending *l);
// Energy of a timed launch, for the stats.
const struct wf_energy *api_energy(struct wf_pending *l, const struct chip_result *timed, size_t *count);
size_t api_storage_fill(struct wf_context *c);
struct watcher *api_watcher(struct wf_pending *l); // for a timed launch; NULL: wf_watch is off
// Adds observers to a launch timed on SMs: counter samples (report.interval) and the timeline's watcher
// (wf_watch).
void api_observe(struct wf_pending *l, struct chip_account *account);
const struct wf_sample *api_samples(struct wf_pending *l);
void api_observe_fini(struct wf_context *c);
// Whether the kernel can be launched with the block; false adds an error with the reason.
bool api_check_block(struct wf_kernel *k, const uint32_t block[3]);
bool api_timeline_check(const struct api_settings *s, struct diag *d);
// False and an error: a timeline is requested (wf_watch), but no GPU is selected, check.races is on, or
// timeline.sm names no SM of the GPU.
bool api_check_watched(struct wf_context *c);
// Whether timeline.sm names at least one SM of the GPU; false adds an error.
bool api_timeline_check_sms(struct wf_context *c);
// Counter values, indexed as wf_counter_at. A NULL argument makes its counters unknown.
void api_counter_values(const struct exec_counts *exec, const struct gpu_counts *gpu,
                        const struct memory_counts *memory, uint64_t values[API_COUNTERS]);
// All counters of a launch but the SIMTight core's own. timed: NULL in runs without SMs. Returns an array
// owned by the launch.
struct wf_counter *api_counters(struct wf_pending *l, const struct exec_counts *counts,
                                const struct chip_result *timed, size_t *count);
