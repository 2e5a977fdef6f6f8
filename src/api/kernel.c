// Kernels: found by name, compiled once, described.
#include "api/host_modes.h"
#include "api/impl.h"
#include "exec/memory.h"
#include "isa/bank.h"
#include "isa/program.h"

#include <string.h>

static const struct wf_param *describe_params(struct arena *a, const struct ptx_prototype *p)
{
    struct wf_param *params = ARENA_ARRAY(a, struct wf_param, p->param_count);
    for (uint32_t i = 0; i < p->param_count; i++) {
        const struct ptx_variable *v = p->params[i];
        params[i] = (struct wf_param){.name = v->name,
                                      .type = ptx_type_name(v->type),
                                      .offset = (uint32_t)v->offset,
                                      .bytes = (uint32_t)v->size_bytes};
    }
    return params;
}

static void describe(struct wf_kernel *k, double compile_seconds)
{
    struct arena *a = &k->module->arena;
    const struct program *p = k->program;
    k->info = (struct wf_kernel_facts){
        .name = ptx_unmangle(a, k->ptx->name),
        .mangled_name = k->ptx->name,
        .params = describe_params(a, &k->ptx->prototype),
        .param_count = k->ptx->prototype.param_count,
        .param_bytes = (uint32_t)k->ptx->prototype.param_bytes,
        .address_bits = k->module->ptx->address_bits,
        .instructions = p->inst_count,
        .registers = p->reg_count,
        .predicates = p->pred_count,
        .shared_bytes = p->shared_bytes,
        .local_bytes = p->local_bytes,
        .stack_bytes = p->stack_bytes,
        .spill_loads = p->spill_loads,
        .spill_stores = p->spill_stores,
        .compile_seconds = compile_seconds,
    };
}

// Whether the module defines every variable addressed by the program; false adds an error.
static bool check_symbols(struct wf_kernel *k)
{
    for (uint32_t i = 0; i < k->program->symbol_count; i++) {
        const struct program_symbol *s = &k->program->symbols[i];
        uint64_t address;
        if (s->kind != SYMBOL_GLOBAL && s->kind != SYMBOL_CONST) continue;
        if (api_variable_address(k->module, s->key, &address)) continue;
        const struct ptx_variable *v = s->key;
        return diag_error(&k->module->context->diag, v->loc,
                          "kernel %s uses extern variable %s without a definition", k->info.name, s->name);
    }
    return true;
}

struct wf_kernel *wf_kernel_find(struct wf_module *m, const char *name)
{
    struct wf_context *c = m->context;
    if (m->image) return api_image_kernel(m, name ? name : "");
    const struct ptx_function *entry = ptx_find_entry(m->ptx, name, &c->diag);
    if (!entry) return NULL;
    for (size_t i = 0; i < m->kernels.count; i++)
        if (m->kernels.data[i]->ptx == entry) return m->kernels.data[i];

    struct compile_options options;
    if (!compile_options_from(&options, &c->compile, loc_none(), &c->diag)) return NULL;
    // low: the device heap is small enough for memory_create to keep all addresses below the shared-memory
    // window, so 32 address bits suffice.
    bool low = !c->is_shared && c->settings.memory_bytes <= ISA_SHARED_WINDOW - MEMORY_HEAP;
    options.address_bits = low || m->ptx->address_bits == 32 ? 32 : 64;
    double started = clock_seconds();
    fenv_t modes = host_modes_begin();
    struct program *program = api_compile(m, entry, &options);
    host_modes_end(&modes);
    if (!program) return NULL;
    struct wf_kernel *k = heap_alloc(sizeof *k);
    k->module = m;
    k->ptx = entry;
    k->loc = entry->loc;
    k->program = program;
    k->form = api_form_create(program);
    describe(k, clock_seconds() - started);
    if (!check_symbols(k)) {
        api_kernel_destroy(k);
        return NULL;
    }
    vec_push(&m->kernels, k);
    return k;
}

void api_kernel_destroy(struct wf_kernel *k)
{
    api_form_release(k->form);
    api_closure_fini(k);
    free(k->changed_by);
    program_free(k->program);
    strbuf_fini(&k->listing);
    arena_fini(&k->marks);
    arena_fini(&k->account);
    free(k);
}

const char *wf_kernel_name(struct wf_module *m, size_t index)
{
    if (m->image) return api_image_kernel_name(m, index);
    for (uint32_t i = 0; i < m->ptx->function_count; i++) {
        const struct ptx_function *f = m->ptx->functions[i];
        if (f->is_entry && f->has_body && index-- == 0) return f->name;
    }
    return NULL;
}

const struct wf_kernel_facts *wf_kernel_info(struct wf_kernel *k) { return &k->info; }

const char *wf_kernel_listing(struct wf_kernel *k)
{
    if (!k->listing.length) program_print(k->program, &k->listing);
    return strbuf_text(&k->listing);
}
