// RISC-V programs with a host part: memory, the hart that executes the host part, and the launches requested
// by the host part.
#include "api/host_modes.h"
#include "api/impl.h"
#include "exec/memory.h"
#include "isa/program.h"
#include "riscv/build.h"
#include "riscv/hart.h"
#include "riscv/map.h"

#include <string.h>

bool wf_module_is_program(const struct wf_module *m) { return m->image != NULL; }

// -- kernels ------------------------------------------------------------------------------------------------
static bool is_kernel_symbol(const struct image_symbol *s) { return s->is_code && s->size_bytes; }

static struct wf_kernel *kernel_at(struct wf_module *m, uint32_t pc)
{
    for (size_t i = 0; i < m->kernels.count; i++)
        if (program_pc(m->kernels.data[i]->program, m->kernels.data[i]->program->entry) == pc)
            return m->kernels.data[i];
    struct program *p = riscv_program(m->image, pc, &m->context->diag);
    if (!p) return NULL;
    struct wf_kernel *k = heap_alloc(sizeof *k);
    k->module = m;
    k->loc = (struct loc){.source = m->source};
    k->program = p;
    k->form = api_form_create(p);
    k->info = (struct wf_kernel_facts){.name = p->name,
                                       .mangled_name = p->name,
                                       .address_bits = 32,
                                       .instructions = p->inst_count,
                                       .registers = p->reg_count,
                                       .shared_bytes = RISCV_STACKS - RISCV_SCRATCH,
                                       .local_bytes = RISCV_STACK_BYTES};
    vec_push(&m->kernels, k);
    return k;
}

const char *api_image_kernel_name(const struct wf_module *m, size_t index)
{
    for (uint32_t k = 0; k < m->image->symbol_count; k++)
        if (is_kernel_symbol(&m->image->symbols[k]) && index-- == 0) return m->image->symbols[k].name;
    return NULL;
}

static const char *next_name(const void *context, size_t i)
{
    const struct image *image = context;
    return i < image->symbol_count ? image->symbols[i].name : NULL;
}

static const struct image_symbol *find(struct wf_module *m, const char *what, const char *name, bool is_code)
{
    const struct image_symbol *s = image_find(m->image, name);
    if (s && s->is_code == is_code) return s;
    const char *near = str_nearest(name, next_name, m->image),
               *file = m->context->diag.sources.data[m->source - 1].name;
    if (near)
        diag_error(&m->context->diag, loc_none(), "no %s \"%s\" in %s; did you mean \"%s\"?", what, name,
                   file, near);
    else
        diag_error(&m->context->diag, loc_none(), "no %s \"%s\" in %s", what, name, file);
    return NULL;
}

struct wf_kernel *api_image_kernel(struct wf_module *m, const char *name)
{
    const struct image_symbol *s = find(m, "function", name, true);
    return s ? kernel_at(m, (uint32_t)s->address) : NULL;
}

enum wf_status api_image_symbol(struct wf_module *m, const char *name, uint64_t *address, uint64_t *bytes)
{
    const struct image_symbol *s = find(m, "variable", name, false);
    if (!s) return WF_BAD_INPUT;
    *address = s->address;
    if (bytes) *bytes = s->size_bytes;
    return WF_OK;
}

// -- a run --------------------------------------------------------------------------------------------------
struct run {
    struct wf_module *module;
    struct wf_context *context;
    const struct wf_program_config *config;
    struct wf_program_stats *stats;
    size_t input_at;
    struct strbuf line;           // printed by the program; not yet passed to the receiver of wf_set_print
    uint64_t thread_instructions; // of the last launch
    // Counters of the last launch: all zero if functional; on SMs only the cycles are set.
    struct simtight_counts core;
    enum wf_status status; // of the last launch; the hart stops unless WF_OK
};

static void flush(struct run *r)
{
    struct wf_context *c = r->context;
    if (r->line.length && c->print) c->print(c->print_context, r->line.text, r->line.length);
    strbuf_clear(&r->line);
}

static void put(void *context, uint8_t byte)
{
    enum { LONGEST = 4096 };
    struct run *r = context;
    if (byte) strbuf_putc(&r->line, (char)byte); // zero bytes are end marks, not text
    if (byte == '\n' || r->line.length >= LONGEST) flush(r);
}

static int get(void *context)
{
    struct run *r = context;
    if (r->input_at >= r->config->input_bytes) return -1;
    return ((const uint8_t *)r->config->input)[r->input_at++];
}

// -- the machine's shape ------------------------------------------------------------------------------------
// Lanes of a warp and warps of the machine: a SIMTight core's own, anywhere else those of public programs.
struct shape {
    uint32_t lanes, warps;
};

static struct shape shape_of(const struct wf_context *c)
{
    if (api_has_core(c)) return (struct shape){c->simtight.lanes, c->simtight.warps};
    return (struct shape){RISCV_LANES, RISCV_WARPS};
}

static struct wf_launch_config threads_of(struct shape s)
{
    return (struct wf_launch_config){.grid = {1, 1, 1}, .block = {s.lanes * s.warps, 1, 1}};
}

// Programs with the variable simt_shape, two words, find lanes and warps in it. Programs without have their own
// constants.
static void tell_shape(const struct wf_module *m, struct shape s)
{
    const struct image_symbol *told = image_find(m->image, "simt_shape");
    if (told && !told->is_code && told->size_bytes == sizeof s && told->address >= RISCV_DATA &&
        told->address <= RISCV_SPILL - sizeof s)
        memcpy(memory_flat(m->flat) + told->address, &s, sizeof s);
}

static void fill(struct wf_pending *l, uint32_t closure, uint32_t warps_per_block, bool *has_failed)
{
    struct wf_context *c = l->context;
    const struct api_settings *s = &c->settings;
    const struct shape shape = shape_of(c);
    l->flat = (struct launch_flat){.scratch = RISCV_SCRATCH,
                                   .scratch_end = RISCV_STACKS,
                                   .stacks = RISCV_STACKS,
                                   .stack_window = RISCV_STACK_WINDOW,
                                   .window_end = RISCV_MEMORY_END,
                                   .memory = RISCV_DATA,
                                   .memory_end = RISCV_SPILL,
                                   .closure = closure,
                                   .barrier_warps = warps_per_block,
                                   .has_parts = s->check_bounds != CHECK_IGNORE,
                                   .nest_levels = RISCV_NEST_LEVELS,
                                   .has_failed = has_failed};
    l->launch = (struct launch){.program = l->form->program,
                                .grid = {1, 1, 1},
                                .block = {shape.lanes * shape.warps, 1, 1},
                                .warp_size = shape.lanes,
                                .shared_total = RISCV_STACKS - RISCV_SCRATCH,
                                .local_total = RISCV_STACK_BYTES,
                                .memory = l->kernel->module->flat,
                                .simt = SIMT_NEST,
                                .flat = &l->flat,
                                .registers = s->registers,
                                .isa = (enum exec_isa)s->isa,
                                .check_races = s->check_races,
                                .spare_races = &c->spare_races,
                                .check_bounds = (enum launch_check)s->check_bounds,
                                .notes = &l->notes,
                                .max_warp_instructions = s->max_warp_instructions,
                                .look = s->look,
                                .patience = s->patience,
                                .grid_id = ++c->launches,
                                .sm_count = 1,
                                .print = c->print,
                                .print_context = c->print_context,
                                .is_interrupted = api_is_interrupted,
                                .interrupt_context = c};
    l->stream = &c->first;
    l->max_cycles = c->max_cycles;
    l->is_timed = api_is_timed(c);
    l->is_on_core = api_has_core(c) && !s->check_races && !api_is_studied(c);
}

static int start(void *context, uint32_t pc, uint32_t closure, uint32_t warps_per_block)
{
    struct run *r = context;
    bool has_failed = false;
    flush(r);
    struct wf_kernel *k = kernel_at(r->module, pc);
    r->status = WF_PROGRAM_FAILED;
    if (!k) return -1;
    struct wf_pending *l = api_launch_create(k);
    fill(l, closure, warps_per_block, &has_failed);
    api_closure_use(l);
    api_queue(l, NULL);
    r->status = wf_launch_status(l);
    if (r->status != WF_OK) api_told(r->context);
    r->stats->launches++;
    r->stats->failed_launches += has_failed;
    r->thread_instructions = l->stats.thread_instructions;
    r->core = l->core_counts;
    if (l->is_timed) r->core.cycles = l->stats.cycles;
    if (has_failed && r->status == WF_OK) l->stats.status = WF_PROGRAM_FAILED;
    const struct wf_launch_config threads = threads_of(shape_of(r->context));
    if (r->config->launched) r->config->launched(r->config->launched_context, k, &threads, &l->stats);
    wf_launch_free(l);
    if (r->status != WF_OK) return -1;
    return has_failed ? HART_KERNEL_FAILED : HART_KERNEL_GOOD;
}

static uint32_t statistic(void *context, uint32_t id)
{
    const struct run *r = context;
    return api_core_statistic(&r->context->simtight, &r->core, r->thread_instructions, id);
}

static bool is_interrupted(void *context)
{
    const struct run *r = context;
    return api_is_interrupted(r->context);
}

static bool make_memory(struct wf_module *m)
{
    memory_destroy(m->flat);
    m->flat = memory_create_flat();
    if (!m->flat)
        return diag_error(&m->context->diag, (struct loc){.source = m->source},
                          "needs 4 GiB of address space, refused by the host");
    memory_place(m->flat, RISCV_DATA, RISCV_SPILL - RISCV_DATA, "main memory");
    return true;
}

static enum wf_status finish(struct run *r, struct hart *h, enum hart_end end)
{
    struct diag *d = &r->context->diag;
    struct loc loc = {.source = r->module->source};
    switch (end) {
    case HART_DONE: break;
    case HART_WRONG: diag_error(d, loc, "%s", strbuf_text(&h->wrong)); return WF_PROGRAM_FAILED;
    case HART_STOPPED: return r->status;
    case HART_LIMIT:
        hart_where(h, &h->wrong);
        diag_error(d, loc, "%s: stopped after %llu instructions, the limit (riscv.max_host_instructions)",
                   strbuf_text(&h->wrong), (unsigned long long)h->instructions);
        return WF_PROGRAM_FAILED;
    case HART_INTERRUPTED:
        hart_where(h, &h->wrong);
        diag_error(d, loc, "%s: interrupted after %llu instructions of the host", strbuf_text(&h->wrong),
                   (unsigned long long)h->instructions);
        return WF_INTERRUPTED;
    }
    if (!r->stats->failed_launches) return WF_OK;
    diag_error(d, loc, "%llu of %llu kernels failed: a warp ended with the command for failure",
               (unsigned long long)r->stats->failed_launches, (unsigned long long)r->stats->launches);
    return WF_PROGRAM_FAILED;
}

// Whether an SM of the GPU has room for a kernel of the RISC-V program. A kernel is one block of all threads,
// with the whole scratchpad as shared memory. A thread takes launch.registers registers, or RISC-V's 32 if
// the setting is 0. False adds an error.
static bool fits_on_sm(struct wf_module *m)
{
    struct wf_context *c = m->context;
    const struct launch any = {.block = {RISCV_WARPS * RISCV_LANES, 1, 1},
                               .warp_size = RISCV_LANES,
                               .registers = c->settings.registers ? c->settings.registers : RISCV_REGISTERS,
                               .shared_total = RISCV_STACKS - RISCV_SCRATCH};
    struct strbuf why = {0};
    bool good = chip_fits(&c->chip, &any, &why);
    if (!good)
        diag_error(&c->diag, (struct loc){.source = m->source},
                   "kernels of the program do not fit on GPU %s: all threads of a kernel are resident at "
                   "once, and %s",
                   c->gpu, strbuf_text(&why));
    strbuf_fini(&why);
    return good;
}

// Whether the program can run on the selected GPU, with the timeline, study and mechanisms set. False adds an
// error.
static bool check_gpu(struct wf_module *m)
{
    struct wf_context *c = m->context;
    if (wf_check_settings(c) != WF_OK) return false;
    if (!api_check_watched(c)) return false;
    if (!api_check_study(c)) return false;
    if (api_is_timed(c)) return fits_on_sm(m);
    if (api_has_core(c) && c->techs.count)
        return diag_error(&c->diag, loc_none(), "mechanism %s needs SMs; GPU %s has no SMs", c->tech, c->gpu);
    return true;
}

enum wf_status wf_program_run(struct wf_module *m, const struct wf_program_config *config,
                              struct wf_program_stats *stats)
{
    struct wf_context *c = m->context;
    *stats = (struct wf_program_stats){0};
    if (!m->image)
        return diag_error(&c->diag, (struct loc){.source = m->source}, "has no host part"), WF_BAD_INPUT;
    if (!check_gpu(m)) return WF_BAD_USAGE;
    api_wait(c);
    if (c->failure)
        return diag_error(&c->diag, (struct loc){.source = m->source}, "is not run: %s", c->failure),
               WF_PROGRAM_FAILED;
    api_core_forget(c);
    if (!make_memory(m)) return WF_BAD_INPUT;
    struct run r = {.module = m, .context = c, .config = config, .stats = stats};
    struct hart_devices devices = {&r, put, get, start, statistic, is_interrupted};
    struct hart h;
    double began = clock_seconds();
    fenv_t modes = host_modes_begin();
    hart_init(&h, m->image, memory_flat(m->flat), &devices);
    tell_shape(m, shape_of(c));
    enum hart_end end = hart_run(&h, c->settings.max_host_instructions);
    host_modes_end(&modes);
    flush(&r);
    stats->host_instructions = h.instructions;
    stats->wall_seconds = clock_seconds() - began;
    enum wf_status status = finish(&r, &h, end);
    c->is_stopping = false; // an interrupt of the host part ends this run, no later one
    hart_fini(&h);
    strbuf_fini(&r.line);
    return status;
}
