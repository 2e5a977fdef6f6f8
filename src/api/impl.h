// What the objects of the public API hold; private to api/. A context owns everything made from it.
#pragma once
#include "api/warpfold.h"
#include "base/config.h"
#include "base/hash.h"
#include "compile/compile.h"
#include "energy/energy.h"
#include "exec/launch.h"
#include "gpu/chip.h"
#include "gpu/classes.h"
#include "mark/mark.h"
#include "ptx/ptx.h"
#include "study/study.h"
#include "tech/registry.h"

struct api_settings {
#define SETTING(field, ctype, type, key, low, high, words, initial, meaning) ctype field;
#include "api/config.def"
#undef SETTING
};

enum {
    API_COUNTERS = 0
#define COUNTER(name, unit, meaning) +1
#include "exec/counters.def"
#undef COUNTER
#define GPU_COUNTER(group, name, unit, meaning) +1
#define GPU_LANES(which, name, meaning)         +1
#define GPU_SLOT(which, name, meaning)          +1
#include "gpu/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
#define MEMORY_COUNTER(name, unit, meaning) +1
#define DRAM_COUNTER(name, unit, meaning)   +1
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
};

struct wf_context {
    struct diag diag;
    struct config config;
    struct api_settings settings;
    struct compile_settings compile;
    struct mark_settings mark;
    struct study_settings study_settings;
    struct chip_config chip;
    struct gpu_classes classes;
    struct energy_config energy;
    char *gpu; // NULL: no timing; heap
    struct tech_choice techs;
    char *tech; // as it was asked for, heap; NULL: base
    bool verify;
    uint64_t mismatches; // of the last launch
    uint64_t max_cycles;
    unsigned threads;
    struct chip *chip_state; // made at the first timed launch, when the settings can change no more
    struct memory *memory;   // made at the first use, when its size can change no more
    VEC(struct wf_module *) modules;
    VEC(struct wf_stream *) streams;
    VEC(struct texture) textures; // a handle is index + 1
    struct strbuf errors, config_json;
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    bool (*is_interrupted)(void *context);
    void *interrupt_context;
    bool progress;
    struct study *study; // watches launches; NULL: none
    uint32_t launches;
    // What the stats of the last launch point to.
    struct launch_fault fault;
    struct launch_race race;
    struct launch_notes notes;
    struct wf_warning warnings[NOTE_COUNT];
    struct wf_counter counters[API_COUNTERS + TECH_MAX * TECH_COUNTERS_MAX];
    size_t counter_count;
    struct energy_row energy_rows[ENERGY_ROWS_MAX];
    struct wf_energy energies[ENERGY_ROWS_MAX];
    struct wf_storage storage[GPU_KINDS_MAX * TECH_MAX * TECH_STORAGE_MAX];
    struct gpu_counts *sm_counts; // heap, by SM; NULL: no timed launch yet
    struct wf_sm_account *sms;    // heap
    struct wf_class_account classes_counted[GPU_KINDS_MAX];
    uint64_t class_counters[GPU_KINDS_MAX][API_COUNTERS];
    struct chip_series series;
    struct wf_sample *samples; // heap
    uint64_t *sample_counters; // heap
    struct watcher *watcher;   // heap; NULL: nobody watches
};

struct wf_stream {
    struct wf_context *context;
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
    struct ptx_module *ptx;
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

struct wf_kernel {
    struct wf_module *module;
    const struct ptx_function *ptx;
    struct program *program;
    const struct program *launched; // what launches execute: the program, or what mechanisms made of it
    struct program *changed[TECH_MAX];
    unsigned changed_count;
    uint32_t changed_shape[3]; // of the launches it was changed for
    char *changed_by;          // the mechanisms, heap
    struct wf_kernel_info info;
    struct strbuf listing;
    struct arena marks;   // of the last wf_kernel_marks
    struct arena account; // of the last wf_kernel_account
    uint64_t *slots;      // [instruction, or none][SLOT_COUNT], heap; NULL: not timed yet
    uint64_t *saved;      // [instruction][SAVINGS], heap
    bool hinted;          // its first functional launch has been watched for races
};

// Sets k->launched for a launch of this shape; its slots begin anew when it is another program.
void api_choose_program(struct wf_kernel *k, const uint32_t block[3]);
void api_forget_changed(struct wf_kernel *k);

void api_settings_add(struct wf_context *c);
struct memory *api_memory(struct wf_context *c);
// The device address of a module's variable, whatever its state space; false when it has none (extern).
bool api_variable_address(const struct wf_module *m, const struct ptx_variable *v, uint64_t *address);
uint64_t api_bound_texture(const struct wf_module *m, const struct ptx_variable *v); // 0: none
void api_module_destroy(struct wf_module *m);
void api_kernel_destroy(struct wf_kernel *k);
// Where a timed launch of this kernel counts, and what it counted SM by SM.
void api_account_begin(struct wf_kernel *k, struct chip_account *account);
void api_account_end(struct wf_kernel *k); // what it counted is forgotten
const struct wf_sm_account *api_account_sms(struct wf_context *c);
const struct wf_class_account *api_account_classes(struct wf_context *c);
// What a timed launch cost, for its stats.
size_t api_energy_fill(struct wf_context *c, const struct chip_result *timed);
size_t api_storage_fill(struct wf_context *c);
// Adds who observes a timed launch by the settings.
void api_observe(struct wf_context *c, struct chip_account *account);
const struct wf_sample *api_samples(struct wf_context *c); // of the last timed launch
void api_observe_fini(struct wf_context *c);
// Whether the kernel can be launched with such a block; otherwise an error says why not.
bool api_check_block(struct wf_kernel *k, const uint32_t block[3]);
bool api_timeline_check(const struct api_settings *s, struct diag *d);
bool api_timeline_check_sms(struct wf_context *c); // at a watched launch: the GPU has one of them
// In the order of wf_counter_at; NULL: unknown.
void api_counter_values(const struct exec_counts *exec, const struct gpu_counts *gpu,
                        const struct memory_counts *memory, uint64_t values[API_COUNTERS]);
// Fills stats (may be NULL) from the counts of a launch.
// timed: NULL in functional runs, whose timing counters are unknown.
void api_counters_fill(struct wf_context *c, const struct exec_counts *counts,
                       const struct chip_result *timed);
