// What the objects of the public API hold; private to api/. A context owns everything made from it.
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
#include "isa/image.h"
#include "mark/mark.h"
#include "ptx/ptx.h"
#include "simtight/core.h"
#include "study/study.h"
#include "tech/registry.h"

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

// Launches that something waits for; each leaves when it is over (queue.c).
struct api_launches {
    struct wf_launch **data;
    size_t count, capacity;
};

struct wf_stream {
    struct wf_context *context;
    unsigned number;           // 0: the default stream
    char *name;                // heap; NULL: the default stream
    uint32_t first_sm, end_sm; // where its launches run; both 0: everywhere
    struct api_launches tail;  // what the stream's next launch waits for
};

struct wf_event {
    struct wf_context *context;
    struct api_launches before; // what it was recorded behind
    bool is_recorded;
    uint64_t cycle; // of the context's clock: the latest end so far of what it was recorded behind
};

struct wf_context {
    struct diag diag;
    struct config config;
    struct api_settings settings;
    struct compile_settings compile;
    char *kept; // folder of compiled kernels, heap; NULL: none are kept
    struct mark_settings mark;
    struct study_settings study_settings;
    struct chip_config chip;
    struct gpu_classes classes;
    struct energy_config energy;
    char *gpu;        // NULL: no timing; heap
    bool gpu_is_like; // its file takes over another GPU's
    struct tech_choice techs;
    char *tech; // as it was asked for, heap; NULL: base
    bool verify;
    const struct upsets *upsets; // NULL: no bit turns
    uint64_t max_cycles;
    unsigned threads;
    struct chip *chip_state; // made at the first timed launch, when the settings can change no more
    struct simtight_config simtight;
    struct simtight *core; // of a GPU that has one, as long as a program runs
    struct memory *memory; // made at the first use, when its size can change no more
    VEC(struct wf_module *) modules;
    VEC(struct wf_stream *) streams;
    VEC(struct wf_event *) events;
    VEC(struct texture) textures; // a handle is index + 1
    struct strbuf errors, config_json;
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    bool (*is_interrupted)(void *context);
    void *interrupt_context;
    bool progress;
    struct study *study; // watches launches; NULL: none
    uint32_t launches;
    struct watcher *watcher;        // heap; NULL: nobody watches
    VEC(struct api_form *) watched; // whose programs it tells of
    // What the calls that list things return, until the next one.
    struct wf_storage storage[API_STORAGE_MAX];
    struct energy_row energy_rows[ENERGY_ROWS_MAX];

    // -- launches under way (queue.c)
    struct api_launches alive;     // that somebody holds, or that are not over; in no order
    struct api_launches under_way; // in order of their calls
    unsigned running;              // of these, that have begun
    struct wf_stream first;        // the default stream
    struct wf_launch *last;        // of wf_launch, whose stats its caller has
    struct wf_launch *awaited;     // whose status the waiting call returns
    enum wf_status untold;         // of a launch that failed while another call waited
    uint32_t untold_id;            // its grid_id
    char *failure;                 // heap; not NULL: nothing begins until wf_reset
    bool is_stopping;              // an interrupt: all that is under way ends
    double run_seconds;            // of all launches, where each second counts once
    // The clock of events: cycles of this context's chips, one chip after the other, from 0.
    uint64_t clock_before, clock; // at the present chip's first cycle; at the latest end known
};

// A place in initialised data that holds the address of a device function. Functions have addresses only
// inside a compiled kernel, so the place is written before each launch, unless the program has overwritten it
// since.
struct api_function_slot {
    uint64_t address; // of the place
    const struct ptx_relocation *relocation;
    uint64_t written; // what the loader put there last
};

struct wf_module {
    struct wf_context *context;
    struct ptx_module *ptx; // NULL: it is an image
    uint64_t text_hash;     // of its text and its name, where kernels are kept
    // A program with a host part (host.c); NULL: PTX.
    struct image *image;
    struct memory *flat; // its memory, from its first run on
    uint32_t source;
    VEC(uint64_t) addresses; // of variables, in order of the map
    struct u64map variables; // struct ptx_variable * -> index into addresses
    uint64_t const_address;  // of the constant bank's bytes in global memory
    uint32_t const_bytes;
    VEC(struct api_function_slot) function_slots;
    VEC(struct wf_kernel *) kernels;        // compiled so far
    VEC(const struct ptx_variable *) bound; // texture references
    VEC(uint64_t) bound_textures;
    struct arena arena; // names
};

// What launches of a kernel execute: its program, or what mechanisms made of it for a shape, and where their slots
// went. Kernels and launches share it; whoever lets go of it last frees it.
struct api_form {
    unsigned users;
    const struct program *program;
    struct program *changed[TECH_MAX]; // those that were made on the way to it
    unsigned changed_count;
    uint64_t *slots; // [instruction, or none][SLOT_COUNT], heap; NULL: not timed yet
    uint64_t *saved; // [instruction][SAVINGS], heap
};

struct api_constants { // a form with arguments as constants
    struct api_form *form;
    uint8_t *closure; // that it was made of, heap
};

struct wf_kernel {
    struct wf_module *module;
    const struct ptx_function *ptx; // NULL: of an image
    struct loc loc;                 // where messages about it point
    struct program *program;
    struct api_form *form;     // of the last launch
    uint32_t changed_shape[3]; // of the launches it was changed for
    char *changed_by;          // the mechanisms, heap; NULL: none was asked
    struct wf_kernel_info info;
    struct strbuf listing;
    struct arena marks;   // of the last wf_kernel_marks
    struct arena account; // of the last wf_kernel_account
    bool hinted;          // its first functional launch has been watched for races
    // Of an image, with its arguments as constants (closure.c).
    struct riscv_closure *closure; // NULL: not looked for yet
    VEC(struct api_constants) constants;
};

enum api_launch_state { LAUNCH_QUEUED, LAUNCH_RUNS, LAUNCH_OVER };

struct api_core_sample {
    uint64_t at; // cycle of the launch
    struct simtight_counts so_far;
};

// A launch from its call until nobody wants its stats any more.
struct wf_launch {
    struct wf_context *context;
    struct wf_kernel *kernel;
    struct api_form *form;
    size_t place; // in context->alive
    enum api_launch_state state;
    bool is_freed; // by its holder: it goes when it is over
    // What the engine is asked for, and what that points to.
    struct launch launch;
    struct launch_flat flat; // of an image
    bool is_timed;
    bool is_on_core; // timed by the SIMTight core (core.c), which has counted
    struct simtight_counts core_counts;
    VEC(struct api_core_sample) core_samples; // with report.interval, in order of time
    uint64_t max_cycles;
    uint8_t *params, *addresses; // constant banks, heap
    struct texture *textures;    // heap
    const struct wf_stream *stream;
    // Order: launches that must be over before it begins.
    struct api_launches waits_for;
    struct api_launches rivals;   // with check.races: earlier ones that nothing orders against it
    unsigned held;                // by launches that it is a rival of
    struct exec_session *session; // functional, from its beginning to its end
    bool is_stuck;                // waits for ever, unless another launch changes memory
    bool has_waited;              // another one has had its turn
    // On the chip.
    struct grid *grid;
    struct gpu_counts *sms; // by SM, a piece
    struct chip_series series;
    struct progress progress;
    double run_seconds; // the context's when it began
    // What came of it.
    uint64_t start, end; // of the context's clock; WF_UNKNOWN: functional, or it never began
    struct launch_fault fault;
    struct launch_race race;
    struct launch_notes notes;
    struct wf_stats stats;
    VEC(void *) pieces; // what the stats point to, heap
};

// -- kernels' forms
struct api_form *api_form_create(const struct program *p);
struct api_form *api_form_use(struct api_form *f); // one user more
void api_form_release(struct api_form *f);
// Sets k->form for a launch of this shape; its slots begin anew when it is another program.
void api_choose_program(struct wf_kernel *k, const uint32_t block[3]);

// -- launches
struct wf_launch *api_launch_create(struct wf_kernel *k);
void api_launch_destroy(struct wf_launch *l); // which is not under way
// Addresses of functions in initialised data: whether they change for this launch, which they cannot while another
// one runs; and the change.
bool api_slots_change(const struct wf_launch *l);
void api_slots_write(const struct wf_launch *l);
// run.c: it begins, and on SIMTight's core ends, too; the chip says that it is over; it ends without having begun.
void api_run_begin(struct wf_launch *l);
void api_run_end(struct wf_launch *l);
void api_run_never(struct wf_launch *l, enum wf_status status, const char *why);
// A functional one that has begun runs on. True: it is over. False: it waits, maybe for ever (is_stuck). *has_moved: it may have
// changed memory. is_beside: another launch could have the turn.
bool api_run_turn(struct wf_launch *l, bool is_beside, bool *has_moved);
void api_run_stuck(struct wf_launch *l,
                   const char *beside);          // one that is stuck ends; beside: lines of its report
bool api_is_timed(const struct wf_context *c);   // launches from now on
bool api_check_study(struct wf_context *c);      // an error where a study of timed launches sees none
bool api_is_studied(const struct wf_context *c); // by a study of functional runs
void api_choose_techs(
    struct wf_context *c);              // the chip's: what was asked for, and what a timed study looks on by
bool api_is_interrupted(void *context); // asked by launches that run
// Memory of the launch's own, as long as it: each piece as large as it is, since there are many small launches.
void *api_piece(struct wf_launch *l, size_t bytes);
#define API_ARRAY(l, type, count) ((type *)api_piece((l), sizeof(type) * (size_t)(count)))
const char *api_keep(struct wf_launch *l, const char *text); // NULL: NULL
// stats.c: figures of a launch, when it is over. timed: NULL in functional runs, whose timing counters are unknown.
void api_stats_fill(struct wf_launch *l, enum wf_status status, const struct exec_counts *counts,
                    const struct chip_result *timed, double seconds);

// Of the mechanisms, or of a core of its own: what a timed launch's stats say of storage.
const struct wf_storage *api_storage(struct wf_launch *l, size_t *count);

// -- the SIMTight core (core.c)
bool api_has_core(const struct wf_context *c); // the GPU is such a machine
void api_core_forget(struct wf_context *c);
bool api_run_on_core(struct wf_launch *l, struct exec_counts *counts);
void api_core_fill(struct wf_launch *l); // adds to the launch's stats
// What the machine answers its host that asks for a figure of the last launch.
uint32_t api_core_statistic(const struct simtight_config *config, const struct simtight_counts *own,
                            uint64_t thread_instructions, uint32_t id);

// -- images (host.c)
struct wf_kernel *api_image_kernel(struct wf_module *m, const char *name); // by its symbol; NULL and an error
const char *api_image_kernel_name(const struct wf_module *m, size_t index);
enum wf_status api_image_symbol(struct wf_module *m, const char *name, uint64_t *address, uint64_t *bytes);

// -- arguments as constants (closure.c)
enum { API_CLOSURE_LOADS, API_CLOSURE_CONSTANTS };        // riscv.closure
void api_closure_use(struct wf_launch *l);                // a launch that is made up but for it
struct program *api_closure_listing(struct wf_kernel *k); // of no launch; the caller's
void api_closure_fini(struct wf_kernel *k);

// -- order (queue.c)
void api_queue(struct wf_launch *l, struct wf_stream *s); // NULL: the default stream
// What work that is given to the stream now waits for, added to `to`.
void api_queue_tail(struct wf_context *c, struct wf_stream *s, struct api_launches *to);
void api_launches_add(struct api_launches *list, struct wf_launch *l); // unless it is there
void api_wait(struct wf_context *c);                                   // for all that is under way
void api_wait_for(struct wf_launch *l);
void api_wait_empty(struct wf_context *c, const struct api_launches *list); // until all of them are over
void api_wait_stream(struct wf_stream *s); // what is in it, and in the default stream
void api_stop(struct wf_context *c);       // all that is under way ends
void api_streams_fini(struct wf_context *c);
enum wf_status api_told(struct wf_context *c); // of what failed while a call waited, which is told once

void api_settings_add(struct wf_context *c);
// As wf_gpu, of the text of a GPU's file; name: of the file.
enum wf_status api_gpu_text(struct wf_context *c, const char *name, const char *text, size_t length);
struct memory *api_memory(struct wf_context *c);
// The device address of a module's variable, whatever its state space; false when it has none (extern).
struct program *api_compile(struct wf_module *m, const struct ptx_function *entry,
                            const struct compile_options *o);
bool api_variable_address(const struct wf_module *m, const struct ptx_variable *v, uint64_t *address);
uint64_t api_bound_texture(const struct wf_module *m, const struct ptx_variable *v); // 0: none
void api_module_destroy(struct wf_module *m);
void api_kernel_destroy(struct wf_kernel *k);
// Where a timed launch counts, and what it counted SM by SM.
void api_account_begin(struct wf_launch *l, struct chip_account *account);
const struct wf_sm_account *api_account_sms(struct wf_launch *l);
const struct wf_class_account *api_account_classes(struct wf_launch *l);
// What a timed launch cost, for its stats.
const struct wf_energy *api_energy(struct wf_launch *l, const struct chip_result *timed, size_t *count);
size_t api_storage_fill(struct wf_context *c);
struct watcher *api_watcher(struct wf_launch *l); // that a timed launch is watched by; NULL
// Adds who observes a timed launch by the settings.
void api_observe(struct wf_launch *l, struct chip_account *account);
const struct wf_sample *api_samples(struct wf_launch *l);
void api_observe_fini(struct wf_context *c);
// Whether the kernel can be launched with such a block; otherwise an error says why not.
bool api_check_block(struct wf_kernel *k, const uint32_t block[3]);
bool api_check_watched(struct wf_context *c); // who watches launches finds what to watch
bool api_timeline_check(const struct api_settings *s, struct diag *d);
bool api_check_watched(struct wf_context *c);      // a timeline that is asked for can be made
bool api_timeline_check_sms(struct wf_context *c); // at a watched launch: the GPU has one of them
// In the order of wf_counter_at; NULL: unknown.
void api_counter_values(const struct exec_counts *exec, const struct gpu_counts *gpu,
                        const struct memory_counts *memory, uint64_t values[API_COUNTERS]);
// All counters of a launch. timed: NULL in functional runs.
const struct wf_counter *api_counters(struct wf_launch *l, const struct exec_counts *counts,
                                      const struct chip_result *timed, size_t *count);
