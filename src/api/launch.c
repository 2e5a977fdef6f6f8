// Launch calls: a driver's checks and the constant banks. A call copies arguments, settings and texture
// bindings; queue.c decides when the launch begins.
#include "api/host_modes.h"
#include "api/impl.h"
#include "base/bits.h"
#include "chip/values.h"
#include "exec/memory.h"
#include "isa/bank.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "sm/products.h"
#include "study/study.h"

#include <string.h>

// Limits of compute capability 7.5 (CUDA C++ Programming Guide, technical specifications).
static const uint32_t block_limits[3] = {1024, 1024, 64};
static const uint32_t grid_limits[3] = {0x7fffffff, 65535, 65535};

static uint64_t volume(const uint32_t extent[3]) { return (uint64_t)extent[0] * extent[1] * extent[2]; }

// Whether each dimension of a grid or block is from 1 to its limit. False adds an error; `what` names grid or
// block in the error.
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

enum { MAX_REGISTERS = 255 }; // nameable by one thread

static bool check_shape(struct wf_kernel *k, const struct wf_launch_config *s)
{
    struct wf_context *c = k->module->context;
    if (api_has_core(c))
        return diag_error(&c->diag, loc_none(),
                          "GPU %s runs RISC-V programs; a CUDA kernel needs a GPU with SMs", c->gpu);
    if (s->registers > MAX_REGISTERS)
        return diag_error(&c->diag, loc_none(), "%u registers a thread; at most %d are possible",
                          s->registers, MAX_REGISTERS);
    uint32_t cluster[3];
    return check_extents(c, "grid", s->grid, grid_limits) && api_check_block(k, s->block) &&
           api_cluster_of(k, s, cluster);
}

// Bytes of shared memory of a block: static, then dynamic at its alignment.
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
        "kernel %s: a block needs %llu bytes of shared memory (%u static, %u dynamic), and the limit is %llu "
        "(launch.max_shared)",
        k->info.name, (unsigned long long)total, k->program->shared_bytes, dynamic,
        (unsigned long long)limit);
}

// Bytes of local memory of a thread: variables, spill slots and call stack. The limit is 512 KiB on every
// compute capability.
static uint64_t local_total(const struct program *p)
{
    return align_up((uint64_t)p->local_bytes + p->stack_bytes, 16);
}

static bool check_local(struct wf_kernel *k)
{
    enum { LIMIT = 512 << 10 };
    uint64_t total = local_total(k->program);
    if (total <= LIMIT) return true;
    return diag_error(&k->module->context->diag, k->loc,
                      "kernel %s needs %llu bytes of local memory a thread; at most %d are possible",
                      k->info.name, (unsigned long long)total, LIMIT);
}

// The address of a function, the same in every kernel of the module: its number, from 1 on.
static uint32_t function_address(const struct wf_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->ptx->function_count; i++)
        if (str_equal(m->ptx->functions[i]->name, name)) return i + 1;
    return 0;
}

uint64_t api_function_address(const struct wf_module *m, const struct ptx_function *f)
{
    return function_address(m, f->name);
}

// By address, where the program has the module's functions; NULL: it has no address of a function.
static uint32_t *make_functions(const struct wf_pending *l)
{
    const struct program *p = l->form->program;
    const struct wf_module *m = l->kernel->module;
    uint32_t *functions = NULL;
    for (uint32_t i = 0; i < p->symbol_count; i++) {
        const struct program_symbol *s = &p->symbols[i];
        if (s->kind != SYMBOL_FUNCTION) continue;
        if (!functions) functions = heap_alloc(sizeof *functions * (m->ptx->function_count + 1));
        functions[function_address(m, s->name)] = (uint32_t)s->value;
    }
    return functions;
}

// Makes the constant bank BANK_ADDRESS: for each symbol of the program, its 64-bit address or texture handle.
// NULL and an error for an unbound texture reference. The caller frees the bank.
static uint8_t *make_address_bank(struct wf_kernel *k)
{
    const struct program *p = k->form->program;
    uint64_t *bank = heap_alloc(sizeof *bank * p->symbol_count);
    for (uint32_t i = 0; i < p->symbol_count; i++) {
        const struct program_symbol *s = &p->symbols[i];
        switch (s->kind) {
        case SYMBOL_FUNCTION: bank[i] = function_address(k->module, s->name); break;
        case SYMBOL_GLOBAL:
        case SYMBOL_CONST:
            api_variable_address(k->module, s->key, &bank[i]); // true: wf_kernel_find checks every symbol
            bank[i] += s->value;
            break;
        case SYMBOL_TEXTURE:
            bank[i] = api_bound_texture(k->module, s->key);
            if (bank[i]) break;
            diag_error(&k->module->context->diag, ((const struct ptx_variable *)s->key)->loc,
                       "kernel %s reads texture reference %s without a bound texture", k->info.name, s->name);
            free(bank);
            return NULL;
        }
    }
    return (uint8_t *)bank;
}

// Size of the bank with launch values and parameters. Instructions read whole words of a bank, so zeros pad
// the parameters to a multiple of 8 bytes.
static uint32_t launch_bank_bytes(const struct wf_kernel *k)
{
    return BANK_LAUNCH_PARAMS + (uint32_t)align_up(k->info.param_bytes, 8);
}

static uint8_t *make_launch_bank(struct wf_kernel *k, const struct launch *l, uint64_t workspace,
                                 const void *params)
{
    uint8_t *bank = heap_alloc(launch_bank_bytes(k));
    memcpy(bank + LAUNCH_NTID, l->block, sizeof l->block);
    memcpy(bank + LAUNCH_NCTAID, l->grid, sizeof l->grid);
    memcpy(bank + LAUNCH_DYNAMIC_SHARED, &l->dynamic_shared, 4);
    memcpy(bank + LAUNCH_STACK_TOP, &l->local_total, 4);
    const bool is_clustered = l->cluster[0] != 0;
    uint32_t size[2] = {1, is_clustered}; // LAUNCH_CLUSTER_SIZE, LAUNCH_CLUSTERED
    for (unsigned n = 0; n < 3; n++) {
        uint32_t blocks = is_clustered ? l->cluster[n] : 1, count = l->grid[n] / blocks;
        size[0] *= blocks;
        memcpy(bank + LAUNCH_CLUSTER + 4 * n, &blocks, 4);
        memcpy(bank + LAUNCH_NCLUSTER + 4 * n, &count, 4);
    }
    memcpy(bank + LAUNCH_CLUSTER_SIZE, size, sizeof size);
    const uint32_t envregs[] = {0, (uint32_t)(workspace >> 32), (uint32_t)workspace};
    memcpy(bank + LAUNCH_ENVREGS, envregs, sizeof envregs);
    if (k->info.param_bytes) memcpy(bank + BANK_LAUNCH_PARAMS, params, k->info.param_bytes);
    return bank;
}

// A heap copy of the context's textures, NULL without textures: the context's list may grow and move while
// the launch is queued.
static struct texture *copy_textures(const struct wf_context *c)
{
    size_t bytes = c->textures.count * sizeof(struct texture);
    if (!bytes) return NULL;
    struct texture *copy = heap_alloc(bytes);
    memcpy(copy, c->textures.data, bytes);
    return copy;
}

static void fill_launch(struct wf_pending *l, const struct wf_launch_config *shape)
{
    struct wf_kernel *k = l->kernel;
    struct wf_context *c = l->context;
    const struct api_settings *s = &c->settings;
    l->textures = copy_textures(c);
    l->functions = make_functions(l);
    l->stream = shape->stream ? shape->stream : &c->first;
    l->launch = (struct launch){
        .program = l->form->program,
        .grid = {shape->grid[0], shape->grid[1], shape->grid[2]},
        .block = {shape->block[0], shape->block[1], shape->block[2]},
        .warp_size = s->warp_size,
        .dynamic_shared = shape->shared_bytes,
        .registers = s->registers ? s->registers : shape->registers,
        .shared_total = (uint32_t)shared_total(k->program, shape->shared_bytes),
        .local_total = (uint32_t)local_total(k->program),
        .memory = c->memory,
        .has_far = c->is_far,
        .textures = l->textures,
        .texture_count = (uint32_t)c->textures.count,
        .functions = l->functions,
        .function_count = l->functions ? k->module->ptx->function_count + 1 : 0,
        .simt = (enum launch_simt)s->simt,
        .isa = (enum exec_isa)s->isa,
        .async = (enum launch_async)s->async,
        .check_races = s->check_races,
        .spare_races = &c->spare_races,
        .check = c->check,
        .kernel_name = k->info.name,
        .ptx_file = c->check ? c->diag.sources.data[k->module->source - 1].name : NULL,
        .check_bounds = (enum launch_check)s->check_bounds,
        .check_members = (enum launch_check)s->check_members,
        .check_unwritten = (enum launch_unwritten)s->check_unwritten,
        .notes = &l->notes,
        .max_warp_instructions = s->max_warp_instructions,
        .look = s->look,
        .patience = s->patience,
        .grid_id = ++c->launches,
        .first_sm = l->stream->first_sm,
        .end_sm = l->stream->end_sm,
        .sm_count = c->chip.sm_count,
        .print = c->print,
        .print_context = c->print_context,
        .is_interrupted = api_is_interrupted,
        .interrupt_context = c,
    };
    api_cluster_of(k, shape, l->launch.cluster); // checked before
    if (chip_tensor_card(&c->chip, &l->tensor)) l->launch.tensor = &l->tensor;
    l->is_timed = api_is_timed(c);
    l->max_cycles = c->max_cycles;
}

static void fill_banks(struct wf_pending *l, uint64_t workspace, const void *params)
{
    struct wf_kernel *k = l->kernel;
    const struct wf_module *m = k->module;
    struct launch *e = &l->launch;
    l->params = make_launch_bank(k, e, workspace, params);
    e->bank[BANK_LAUNCH] = l->params;
    e->bank_bytes[BANK_LAUNCH] = launch_bank_bytes(k);
    e->bank[BANK_LITERAL] = k->program->literals;
    e->bank_bytes[BANK_LITERAL] = k->program->literal_bytes;
    e->bank[BANK_USER] = m->const_bytes ? memory_host(e->memory, m->const_address, m->const_bytes) : NULL;
    e->bank_bytes[BANK_USER] = m->const_bytes;
    e->bank[BANK_ADDRESS] = l->addresses;
    e->bank_bytes[BANK_ADDRESS] = 8 * k->program->symbol_count;
}

bool api_check_watched(struct wf_context *c)
{
    if (!c->watcher) return true;
    if (c->gpu && !c->settings.check_races) return api_timeline_check_sms(c);
    return diag_error(&c->diag, loc_none(), "a timeline shows cycles; %s has no cycles",
                      c->gpu ? "a run with check.races=1" : "a functional run");
}

bool api_check_study(struct wf_context *c)
{
    if (!c->study || api_is_studied(c) || api_is_timed(c)) return true;
    return diag_error(&c->diag, loc_none(), "study %s needs timed launches; %s has no time", c->study->name,
                      c->gpu ? "this run" : "a functional run");
}

// Whether the SMs of a timed launch have units for the matrix products of the program.
static bool check_products(struct wf_context *c, const struct wf_pending *l)
{
    struct gpu_kind kinds[GPU_KINDS_MAX];
    const struct program *p = l->launch.program;
    const struct inst *missing = NULL;
    for (unsigned k = l->is_timed ? chip_kinds(&c->chip, kinds) : 0; !missing && k-- > 0;)
        missing = product_missing(&kinds[k].config, p);
    if (!missing) return true;
    struct strbuf text = {0};
    program_print_inst(p, (uint32_t)(missing - p->insts), &text);
    diag_error(&c->diag, l->kernel->loc,
               "kernel %s has the matrix product %s, and %s has no tensor core for it (keys interval.mma_*)",
               l->launch.kernel_name, strbuf_text(&text), c->gpu);
    strbuf_fini(&text);
    return false;
}

static bool check_fits(struct wf_context *c, const struct launch *l)
{
    struct strbuf why = {0};
    bool good = !c->gpu || api_is_studied(c) || chip_fits(&c->chip, l, &why);
    if (!good) diag_error(&c->diag, loc_none(), "%s of %s", strbuf_text(&why), c->gpu);
    strbuf_fini(&why);
    return good;
}

// What occupancy depends on.
static struct launch launch_of(struct wf_kernel *k, const struct wf_launch_config *shape)
{
    struct wf_context *c = k->module->context;
    return (struct launch){.program = k->program,
                           .block = {shape->block[0], shape->block[1], shape->block[2]},
                           .warp_size = c->settings.warp_size,
                           .registers = c->settings.registers ? c->settings.registers : shape->registers,
                           .shared_total = (uint32_t)shared_total(k->program, shape->shared_bytes)};
}

uint64_t wf_clusters_resident(struct wf_kernel *k, const struct wf_launch_config *shape)
{
    struct wf_context *c = k->module->context;
    struct launch l = launch_of(k, shape);
    struct strbuf why = {0};
    uint64_t count = 0;
    memcpy(l.cluster, shape->cluster[0] ? shape->cluster : k->program->cluster, sizeof l.cluster);
    if (c->gpu) chip_clusters(&c->chip, &l, &count, &why);
    strbuf_fini(&why);
    return count;
}

bool wf_occupancy_at(struct wf_kernel *k, const struct wf_launch_config *shape, size_t class_index,
                     struct wf_occupancy *o)
{
    struct wf_context *c = k->module->context;
    struct chip_occupancy room;
    struct gpu_kind kinds[GPU_KINDS_MAX];
    const struct launch l = launch_of(k, shape);
    chip_kinds(&c->chip, kinds);
    if (!chip_occupancy(&c->chip, &l, (unsigned)class_index, &room)) return false;
    *o = (struct wf_occupancy){.sm_class = c->chip.class_count ? c->chip.classes[class_index].name : NULL,
                               .thread_registers = l.registers ? l.registers : k->program->reg_count,
                               .warps = room.warps,
                               .registers = room.registers,
                               .shared_bytes = room.shared,
                               .blocks = room.blocks,
                               .file_registers = kinds[class_index].config.registers,
                               .limit = room.limit,
                               .free_registers = room.free_registers,
                               .free_warps = room.free_warps,
                               .more_warps = room.more};
    return true;
}

static bool check_stream(struct wf_context *c, const struct wf_stream *s)
{
    if (s && s->context != c)
        return diag_error(&c->diag, loc_none(), "the stream belongs to a different context");
    if (!s || !api_is_timed(c) || s->end_sm <= c->chip.sm_count) return true;
    return diag_error(&c->diag, loc_none(), "stream %s has SMs %u to %u, and %s has SMs 0 to %u", s->name,
                      s->first_sm, s->end_sm - 1, c->gpu, c->chip.sm_count - 1);
}

// Makes a driver's checks of settings, shape, memory and textures, then queues the launch. If a check fails,
// *launch stays NULL.
static enum wf_status queue_checked(struct wf_kernel *k, const struct wf_launch_config *shape,
                                    const void *params, struct wf_pending **launch)
{
    struct wf_context *c = k->module->context;
    if (wf_check_settings(c) != WF_OK) return WF_BAD_USAGE;
    if (!check_stream(c, shape->stream) || !check_shape(k, shape) || !check_shared(k, shape->shared_bytes) ||
        !check_local(k))
        return WF_BAD_INPUT;
    api_choose_program(k, shape->block);
    struct wf_pending *l = api_launch_create(k);
    fill_launch(l, shape);
    if (l->launch.check_bounds != CHECK_STOP) memory_expect_strays(api_memory(c));
    if (!api_check_watched(c) || !api_check_study(c) || !check_fits(c, &l->launch) || !check_products(c, l) ||
        !(l->addresses = make_address_bank(k))) {
        api_launch_destroy(l);
        return WF_BAD_INPUT;
    }
    fill_banks(l, shape->workspace, params);
    api_queue(l, shape->stream);
    *launch = l;
    return WF_OK;
}

static enum wf_status queue_packed(struct wf_kernel *k, const struct wf_launch_config *shape,
                                   const void *params, struct wf_pending **launch)
{
    struct wf_context *c = k->module->context;
    *launch = NULL;
    if (k->module->image) {
        diag_error(&c->diag, k->loc, "kernel %s can be launched only by the host part of its program",
                   k->info.name);
        return WF_BAD_INPUT;
    }
    if (c->failure) {
        diag_error(&c->diag, loc_none(), "kernel %s is not launched: %s", k->info.name, c->failure);
        return WF_PROGRAM_FAILED;
    }
    fenv_t modes = host_modes_begin();
    enum wf_status status = queue_checked(k, shape, params, launch);
    host_modes_end(&modes);
    return status;
}

// Error text: "kernel vecadd takes 4 arguments (u64, u64, u64, u32); 3 were given"
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

static enum wf_status queue_arguments(struct wf_kernel *k, const struct wf_launch_config *shape,
                                      void *const *args, size_t arg_count, struct wf_pending **launch)
{
    *launch = NULL;
    if (arg_count != k->info.param_count) {
        refuse_count(k, arg_count);
        return WF_BAD_INPUT;
    }
    uint8_t *params = heap_alloc(k->info.param_bytes);
    for (size_t i = 0; i < arg_count; i++)
        memcpy(params + k->info.params[i].offset, args[i], k->info.params[i].bytes);
    enum wf_status status = queue_packed(k, shape, params, launch);
    free(params);
    return status;
}

static enum wf_status queue_block(struct wf_kernel *k, const struct wf_launch_config *shape,
                                  const void *params, size_t bytes, struct wf_pending **launch)
{
    *launch = NULL;
    if (bytes == k->info.param_bytes) return queue_packed(k, shape, params, launch);
    diag_error(&k->module->context->diag, loc_none(),
               "kernel %s takes a parameter block of %u bytes; %zu were given", k->info.name,
               k->info.param_bytes, bytes);
    return WF_BAD_INPUT;
}

// Gives a queued launch to the caller, or frees the handle if `launch` is NULL.
static enum wf_status hand_out(enum wf_status status, struct wf_pending *l, struct wf_pending **launch)
{
    if (launch)
        *launch = l;
    else
        wf_launch_free(l);
    return status;
}

enum wf_status wf_launch_async(struct wf_kernel *k, const struct wf_launch_config *shape, void *const *args,
                               size_t arg_count, struct wf_pending **launch)
{
    struct wf_pending *l;
    enum wf_status status = queue_arguments(k, shape, args, arg_count, &l);
    return hand_out(status, l, launch);
}

enum wf_status wf_launch_async_packed(struct wf_kernel *k, const struct wf_launch_config *shape,
                                      const void *params, size_t bytes, struct wf_pending **launch)
{
    struct wf_pending *l;
    enum wf_status status = queue_block(k, shape, params, bytes, &l);
    return hand_out(status, l, launch);
}

// Waits for a launch just queued; l NULL: not queued, with the error `status`. The context holds the stats
// until the next wf_launch or wf_launch_packed.
static enum wf_status finish(struct wf_context *c, enum wf_status status, struct wf_pending *l,
                             struct wf_stats *stats)
{
    if (stats) *stats = (struct wf_stats){.status = status, .cycles = WF_UNKNOWN, .races = WF_UNKNOWN};
    if (!l) return status;
    wf_launch_free(c->last);
    c->last = l;
    status = wf_launch_status(l);
    if (status != WF_OK) api_told(c); // wf_launch returns the status itself
    if (stats) *stats = l->stats;
    return status;
}

enum wf_status wf_launch(struct wf_kernel *k, const struct wf_launch_config *shape, void *const *args,
                         size_t arg_count, struct wf_stats *stats)
{
    struct wf_pending *l;
    enum wf_status status = queue_arguments(k, shape, args, arg_count, &l);
    return finish(k->module->context, status, l, stats);
}

enum wf_status wf_launch_packed(struct wf_kernel *k, const struct wf_launch_config *shape, const void *params,
                                size_t bytes, struct wf_stats *stats)
{
    struct wf_pending *l;
    enum wf_status status = queue_block(k, shape, params, bytes, &l);
    return finish(k->module->context, status, l, stats);
}
