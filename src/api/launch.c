// Launches: the checks a driver makes, the constant banks, the run, and what it measured.
#include "api/host_modes.h"
#include "api/impl.h"
#include "base/bits.h"

#include <string.h>

// Limits of compute capability 7.5 (CUDA C++ Programming Guide, technical specifications).
static const uint32_t block_limits[3] = {1024, 1024, 64};
static const uint32_t grid_limits[3] = {0x7fffffff, 65535, 65535};

static uint64_t volume(const uint32_t extent[3]) { return (uint64_t)extent[0] * extent[1] * extent[2]; }

// One dimension of the grid or the block.
static bool check_extents(struct wf_context *c, const char *what, const uint32_t extent[3],
                          const uint32_t limits[3])
{
    for (int i = 0; i < 3; i++) {
        if (!extent[i])
            return diag_error(&c->diag, loc_none(), "%s of %u x %u x %u: no dimension may be 0", what,
                              extent[0], extent[1], extent[2]);
        if (extent[i] > limits[i])
            return diag_error(&c->diag, loc_none(), "%s of %u x %u x %u: %c may be at most %u", what,
                              extent[0], extent[1], extent[2], "xyz"[i], limits[i]);
    }
    return true;
}

bool api_check_block(struct wf_kernel *k, const uint32_t block[3])
{
    struct wf_context *c = k->module->context;
    const struct program *p = k->program;
    if (!check_extents(c, "block", block, block_limits)) return false;
    uint64_t threads = volume(block), most = volume(p->max_threads);
    if (threads > LAUNCH_THREADS_MAX)
        return diag_error(&c->diag, loc_none(),
                          "block of %u x %u x %u has %llu threads; at most %d are possible", block[0],
                          block[1], block[2], (unsigned long long)threads, LAUNCH_THREADS_MAX);
    if (most && threads > most)
        return diag_error(&c->diag, loc_none(),
                          "block of %llu threads; kernel %s was compiled for at most %llu (.maxntid)",
                          (unsigned long long)threads, k->info.name, (unsigned long long)most);
    if (volume(p->required_threads) && memcmp(p->required_threads, block, sizeof p->required_threads) != 0)
        return diag_error(&c->diag, loc_none(),
                          "block of %u x %u x %u; kernel %s requires %u x %u x %u (.reqntid)", block[0],
                          block[1], block[2], k->info.name, p->required_threads[0], p->required_threads[1],
                          p->required_threads[2]);
    return true;
}

static bool check_shape(struct wf_kernel *k, const struct wf_launch_config *s)
{
    return check_extents(k->module->context, "grid", s->grid, grid_limits) && api_check_block(k, s->block);
}

// Static shared memory, then dynamic from its alignment on.
static uint64_t shared_total(const struct program *p, uint32_t dynamic)
{
    if (!dynamic) return p->shared_bytes;
    return align_up(p->shared_bytes, p->dynamic_align ? p->dynamic_align : 16) + dynamic;
}

static bool check_shared(struct wf_kernel *k, uint32_t dynamic)
{
    struct wf_context *c = k->module->context;
    uint64_t total = shared_total(k->program, dynamic), limit = c->settings.shared_limit;
    if (total <= limit) return true;
    return diag_error(
        &c->diag, loc_none(),
        "%llu bytes of shared memory (%u static, %u dynamic); at most %llu are possible (launch.max_shared)",
        (unsigned long long)total, k->program->shared_bytes, dynamic, (unsigned long long)limit);
}

// Variables, spill slots and call stack of a thread; 512 KiB at most, as on every compute capability.
static uint64_t local_total(const struct program *p)
{
    return align_up((uint64_t)p->local_bytes + p->stack_bytes, 16);
}

static bool check_local(struct wf_kernel *k)
{
    enum { LIMIT = 512 << 10 };
    uint64_t total = local_total(k->program);
    if (total <= LIMIT) return true;
    return diag_error(&k->module->context->diag, k->ptx->loc,
                      "kernel %s needs %llu bytes of local memory a thread; at most %d are possible",
                      k->info.name, (unsigned long long)total, LIMIT);
}

// The address of a device function inside this program; 0, which no call accepts, when it is not part of it.
static uint64_t function_address(const struct program *p, const char *name)
{
    for (uint32_t i = 0; i < p->symbol_count; i++)
        if (p->symbols[i].kind == SYMBOL_FUNCTION && str_equal(p->symbols[i].name, name))
            return p->symbols[i].value;
    return 0;
}

static void write_function_slots(struct wf_kernel *k)
{
    struct wf_module *m = k->module;
    for (size_t i = 0; i < m->function_slots.count; i++) {
        struct api_function_slot *slot = &m->function_slots.data[i];
        const struct ptx_relocation *r = slot->relocation;
        uint8_t *place = memory_host(m->context->memory, slot->address, r->size);
        uint64_t now = 0, mask = bit_mask(r->size * 8);
        memcpy(&now, place, r->size);
        if (now != (slot->written & mask)) continue; // the program has its own value there
        slot->written = (function_address(k->launched, r->function->name) + (uint64_t)r->addend) >> r->shift;
        memcpy(place, &slot->written, r->size);
    }
}

// BANK_ADDRESS: one 64-bit address a symbol. NULL and an error for a texture reference that is not bound.
static uint8_t *make_address_bank(struct wf_kernel *k)
{
    const struct program *p = k->launched;
    uint64_t *bank = heap_alloc(sizeof *bank * p->symbol_count);
    for (uint32_t i = 0; i < p->symbol_count; i++) {
        const struct program_symbol *s = &p->symbols[i];
        switch (s->kind) {
        case SYMBOL_FUNCTION: bank[i] = s->value; break;
        case SYMBOL_GLOBAL:
        case SYMBOL_CONST:
            api_variable_address(k->module, s->key, &bank[i]); // wf_kernel_find has made sure of it
            bank[i] += s->value;
            break;
        case SYMBOL_TEXTURE:
            bank[i] = api_bound_texture(k->module, s->key);
            if (bank[i]) break;
            diag_error(&k->module->context->diag, ((const struct ptx_variable *)s->key)->loc,
                       "kernel %s reads texture reference %s, which is bound to no texture", k->info.name,
                       s->name);
            free(bank);
            return NULL;
        }
    }
    return (uint8_t *)bank;
}

static uint8_t *make_launch_bank(struct wf_kernel *k, const struct launch *l, const void *params)
{
    uint8_t *bank = heap_alloc(BANK_LAUNCH_PARAMS + (size_t)k->info.param_bytes);
    memcpy(bank + LAUNCH_NTID, l->block, sizeof l->block);
    memcpy(bank + LAUNCH_NCTAID, l->grid, sizeof l->grid);
    memcpy(bank + LAUNCH_DYNAMIC_SHARED, &l->dynamic_shared, 4);
    memcpy(bank + LAUNCH_STACK_TOP, &l->local_total, 4);
    if (k->info.param_bytes) memcpy(bank + BANK_LAUNCH_PARAMS, params, k->info.param_bytes);
    return bank;
}

static void fill_launch(struct wf_kernel *k, const struct wf_launch_config *shape, struct launch *l)
{
    struct wf_context *c = k->module->context;
    const struct api_settings *s = &c->settings;
    *l = (struct launch){
        .program = k->launched,
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {shape->block[0], shape->block[1], shape->block[2]},
        .warp_size = s->warp_size,
        .dynamic_shared = shape->shared_bytes,
        .shared_total = (uint32_t)shared_total(k->program, shape->shared_bytes),
        .local_total = (uint32_t)local_total(k->program),
        .memory = c->memory,
        .textures = c->textures.data,
        .texture_count = (uint32_t)c->textures.count,
        .simt = (enum launch_simt)s->simt,
        .isa = (enum exec_isa)s->isa,
        .check_races = s->check_races,
        .hint_races = !k->hinted && volume(shape->block) > s->warp_size,
        .check_bounds = (enum launch_check)s->check_bounds,
        .check_members = (enum launch_check)s->check_members,
        .notes = &c->notes,
        .max_warp_instructions = s->max_warp_instructions,
        .grid_id = ++c->launches,
        .sm_count = c->chip.gpu.sm_count,
        .print = c->print,
        .is_interrupted = c->is_interrupted,
        .interrupt_context = c->interrupt_context,
        .print_context = c->print_context,
    };
}

// Warp instructions that mechanisms kept from being fetched, or from being executed once fetched.
static uint64_t tech_count(const struct wf_context *c, const struct chip_result *timed, bool reused)
{
    uint64_t sum = 0;
    if (!timed) return WF_UNKNOWN;
    for (unsigned k = 0; k < c->techs.count; k++) {
        int which = reused ? c->techs.uses[k].tech->reused : c->techs.uses[k].tech->skipped;
        if (which >= 0) sum += timed->techs[k][which];
    }
    return sum;
}

static size_t write_warnings(struct wf_context *c)
{
    static const char *const names[NOTE_COUNT] = {
        [NOTE_BOUNDS] = "bounds", [NOTE_MEMBERS] = "members", [NOTE_RACE] = "race"};
    size_t count = 0;
    for (unsigned k = 0; k < NOTE_COUNT; k++)
        if (c->notes.of[k].count)
            c->warnings[count++] = (struct wf_warning){names[k], c->notes.of[k].count, c->notes.of[k].text};
    return count;
}

static void write_stats(struct wf_context *c, const struct exec_counts *counts,
                        const struct chip_result *timed, double seconds, enum wf_status status,
                        struct wf_stats *stats)
{
    api_counters_fill(c, counts, timed);
    if (!stats) return;
    *stats = (struct wf_stats){
        .status = status,
        .cycles = timed ? timed->cycles : WF_UNKNOWN,
        .skipped = tech_count(c, timed, false),
        .reused = tech_count(c, timed, true),
        .verify_mismatches = timed && c->verify ? c->mismatches : WF_UNKNOWN,
        .tech = timed && c->tech ? c->tech : "base",
        .fetched = timed ? timed->gpu.fetch_fetched : WF_UNKNOWN,
        .occupancy = timed ? timed->occupancy : -1,
        .gpu = timed ? c->gpu : NULL,
        .warp_instructions = counts->warp_instructions,
        .thread_instructions = counts->thread_instructions,
        .races = c->settings.check_races ? c->race.count : WF_UNKNOWN,
        .race_text = c->race.text,
        .fault_text = c->fault.text,
        .warnings = c->warnings,
        .warning_count = write_warnings(c),
        .wall_seconds = seconds,
        .sms = timed ? api_account_sms(c) : NULL,
        .sm_count = timed ? c->chip.gpu.sm_count : 0,
        .classes = timed ? api_account_classes(c) : NULL,
        .class_count = timed ? c->chip.class_count : 0,
        .samples = timed ? api_samples(c) : NULL,
        .sample_count = timed ? c->series.samples.count : 0,
        .counters = c->counters,
        .counter_count = c->counter_count,
        .energy = timed ? c->energies : NULL,
        .energy_count = timed ? api_energy_fill(c, timed) : 0,
        .storage = c->storage,
        .storage_count = timed ? api_storage_fill(c) : 0,
        .core_mhz = c->chip.gpu.core_mhz,
    };
}

static void watch(struct wf_context *c, const struct wf_kernel *k, struct launch *l)
{
    c->study->kernel_name = k->info.name;
    c->study->mark = c->mark;
    c->study->settings = c->study_settings;
    l->observer = &c->study->observer;
}

static enum wf_status run(struct wf_kernel *k, struct launch *l, struct wf_stats *stats)
{
    struct wf_context *c = k->module->context;
    launch_fault_fini(&c->fault);
    launch_race_fini(&c->race);
    launch_notes_fini(&c->notes);
    c->fault = (struct launch_fault){0};
    c->race = (struct launch_race){0};
    struct exec_counts counts = {0};
    struct progress progress;
    progress_init(&progress, k->info.name, "blocks", volume(l->grid), c->progress);
    l->progress = &progress;
    double started = clock_seconds();
    struct chip_result timed;
    // The race detector and studies watch functional runs.
    bool is_timed = c->gpu && !l->check_races && !c->study;
    bool ok;
    if (is_timed) {
        struct chip_account account;
        api_account_begin(k, &account);
        for (unsigned n = 0; n < c->techs.count; n++) {
            struct tech_use *u = &c->techs.uses[n];
            u->marks = &c->mark;
            u->verify = c->verify;
            u->mismatches = &c->mismatches;
        }
        c->mismatches = 0;
        if (!c->chip_state) c->chip_state = chip_create(&c->chip);
        ok = chip_run_alone(c->chip_state, l, c->max_cycles, c->threads, &account, &timed, &c->fault);
        if (ok && timed.imbalance) { // a bug of the simulator must not pass for a result
            struct strbuf text = {0};
            strbuf_printf(&text, "internal error: the timing model's books do not balance: %s",
                          timed.imbalance);
            c->fault = (struct launch_fault){.kind = FAULT_LIMIT, .text = text.text};
            ok = false;
        }
        counts = timed.exec;
    } else {
        if (c->study) watch(c, k, l);
        ok = exec_run(l, &counts, &c->fault, &c->race);
        k->hinted = true;
    }
    double seconds = clock_seconds() - started;
    progress_fini(&progress);
    if (!ok) diag_text(&c->diag, DIAG_ERROR, loc_none(), c->fault.text);
    enum wf_status status = ok                                   ? WF_OK
                            : c->fault.kind == FAULT_INTERRUPTED ? WF_INTERRUPTED
                                                                 : WF_PROGRAM_FAILED;
    write_stats(c, &counts, is_timed ? &timed : NULL, seconds, status, stats);
    return status;
}

static bool check_watched(struct wf_context *c)
{
    if (!c->watcher) return true;
    if (c->gpu && !c->settings.check_races) return api_timeline_check_sms(c);
    return diag_error(&c->diag, loc_none(), "a timeline shows cycles, and %s has none",
                      c->gpu ? "a run with check.races=1" : "a functional run");
}

static bool check_fits(struct wf_context *c, const struct launch *l)
{
    struct strbuf why = {0};
    bool good = !c->gpu || c->study || chip_fits(&c->chip, l, &why);
    if (!good) diag_error(&c->diag, loc_none(), "%s of %s", strbuf_text(&why), c->gpu);
    strbuf_fini(&why);
    return good;
}

static enum wf_status prepare_and_run(struct wf_kernel *k, const struct wf_launch_config *shape,
                                      const void *params, struct wf_stats *stats)
{
    struct wf_module *m = k->module;
    if (wf_check_settings(m->context) != WF_OK) return WF_BAD_USAGE;
    if (!check_shape(k, shape) || !check_shared(k, shape->shared_bytes) || !check_local(k))
        return WF_BAD_INPUT;
    struct launch l;
    api_choose_program(k, shape->block);
    fill_launch(k, shape, &l);
    if (l.check_bounds != CHECK_STOP) memory_expect_strays(api_memory(m->context));
    if (!check_watched(m->context) || !check_fits(m->context, &l)) return WF_BAD_INPUT;
    uint8_t *addresses = make_address_bank(k);
    if (!addresses) return WF_BAD_INPUT;
    write_function_slots(k);
    uint8_t *bank = make_launch_bank(k, &l, params);
    l.bank[BANK_LAUNCH] = bank;
    l.bank_bytes[BANK_LAUNCH] = BANK_LAUNCH_PARAMS + k->info.param_bytes;
    l.bank[BANK_LITERAL] = k->program->literals;
    l.bank_bytes[BANK_LITERAL] = k->program->literal_bytes;
    l.bank[BANK_USER] = m->const_bytes ? memory_host(l.memory, m->const_address, m->const_bytes) : NULL;
    l.bank_bytes[BANK_USER] = m->const_bytes;
    l.bank[BANK_ADDRESS] = addresses;
    l.bank_bytes[BANK_ADDRESS] = 8 * k->program->symbol_count;
    enum wf_status status = run(k, &l, stats);
    free(addresses);
    free(bank);
    return status;
}

static enum wf_status launch_checked(struct wf_kernel *k, const struct wf_launch_config *shape,
                                     const void *params, struct wf_stats *stats)
{
    fenv_t modes = host_modes_begin();
    enum wf_status status = prepare_and_run(k, shape, params, stats);
    host_modes_end(&modes);
    return status;
}

// "kernel vecadd takes 4 arguments (u64, u64, u64, u32); 3 were given"
static void refuse_count(struct wf_kernel *k, size_t given)
{
    struct strbuf types = {0};
    for (uint32_t i = 0; i < k->info.param_count; i++)
        strbuf_printf(&types, "%s%s", i ? ", " : " (", k->info.params[i].type);
    if (k->info.param_count) strbuf_putc(&types, ')');
    diag_error(&k->module->context->diag, loc_none(), "kernel %s takes %u argument%s%s; %zu %s given",
               k->info.name, k->info.param_count, k->info.param_count == 1 ? "" : "s", strbuf_text(&types),
               given, given == 1 ? "was" : "were");
    strbuf_fini(&types);
}

enum wf_status wf_launch(struct wf_kernel *k, const struct wf_launch_config *shape, void *const *args,
                         size_t arg_count, struct wf_stats *stats)
{
    if (stats) *stats = (struct wf_stats){.status = WF_BAD_INPUT, .cycles = WF_UNKNOWN, .races = WF_UNKNOWN};
    if (arg_count != k->info.param_count) {
        refuse_count(k, arg_count);
        return WF_BAD_INPUT;
    }
    uint8_t *params = heap_alloc(k->info.param_bytes);
    for (size_t i = 0; i < arg_count; i++)
        memcpy(params + k->info.params[i].offset, args[i], k->info.params[i].bytes);
    enum wf_status status = launch_checked(k, shape, params, stats);
    free(params);
    return status;
}

enum wf_status wf_launch_packed(struct wf_kernel *k, const struct wf_launch_config *shape, const void *params,
                                size_t bytes, struct wf_stats *stats)
{
    if (stats) *stats = (struct wf_stats){.status = WF_BAD_INPUT, .cycles = WF_UNKNOWN, .races = WF_UNKNOWN};
    if (bytes == k->info.param_bytes) return launch_checked(k, shape, params, stats);
    diag_error(&k->module->context->diag, loc_none(),
               "kernel %s takes a parameter block of %u bytes; %zu were given", k->info.name,
               k->info.param_bytes, bytes);
    return WF_BAD_INPUT;
}
