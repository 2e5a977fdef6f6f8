#include "compile/lower/layout.h"
#include "base/bits.h"
#include "compile/lower/bank.h"
#include "compile/lower/impl.h"
#include "isa/program.h"

#include <string.h>

// Shared memory has 32-bit addresses, and a generic window of 16 MiB.
static const uint64_t SHARED_LIMIT = 1u << 24;
static const uint64_t CONST_LIMIT = 1u << 31;

static uint64_t key_of(const void *p) { return (uint64_t)(uintptr_t)p; }

struct const_walk { // iterates over .const variables: variables of the module before variables of functions
    const struct ptx_module *m;
    uint32_t variable, function, local;
    uint64_t end; // of the last variable
};

static bool has_const_bytes(const struct ptx_variable *v)
{
    return v->space == PTX_SPACE_CONST && v->size_bytes;
}

static const struct ptx_variable *next_const(struct const_walk *w, uint64_t *offset)
{
    const struct ptx_variable *v = NULL;
    while (!v && w->variable < w->m->variable_count) {
        v = w->m->variables[w->variable++];
        if (!has_const_bytes(v)) v = NULL;
    }
    while (!v && w->function < w->m->function_count) {
        const struct ptx_function *f = w->m->functions[w->function];
        if (w->local == f->variable_count) {
            w->function++;
            w->local = 0;
            continue;
        }
        v = f->variables[w->local++];
        if (!has_const_bytes(v)) v = NULL;
    }
    if (!v) return NULL;
    *offset = align_up(w->end, v->align_bytes ? v->align_bytes : 1);
    w->end = *offset + v->size_bytes;
    return v;
}

uint32_t compile_const_layout(const struct ptx_module *m, const struct ptx_variable *v)
{
    struct const_walk w = {.m = m};
    uint64_t offset = 0;
    for (const struct ptx_variable *at; (at = next_const(&w, &offset));)
        if (at == v) return (uint32_t)offset;
    return 0;
}

uint32_t compile_const_bytes(const struct ptx_module *m)
{
    struct const_walk w = {.m = m};
    uint64_t offset;
    while (next_const(&w, &offset)) {
    }
    return (uint32_t)w.end;
}

static bool layout_consts(struct layout *l, const struct ptx_module *m, const struct ptx_function *kernel,
                          struct diag *d)
{
    struct const_walk w = {.m = m};
    uint64_t offset;
    for (const struct ptx_variable *v; (v = next_const(&w, &offset));) {
        if (w.end > CONST_LIMIT)
            return diag_error(d, v->loc,
                              "the .const variables take more than 2 GiB, so kernel '%s' cannot run",
                              kernel->name);
        if (!l->first_const) l->first_const = v;
        u64map_set(&l->offsets, key_of(v), (uint32_t)offset);
    }
    l->const_bytes = (uint32_t)w.end;
    return true;
}

struct shared_walk {
    struct layout *l;
    const struct reach *r;
    uint64_t end;
};

static void place_shared(struct shared_walk *w, const struct ptx_variable *v)
{
    if (v->space != PTX_SPACE_SHARED || !reach_has(w->r, v)) return;
    if (v->is_extern) {
        if (v->align_bytes > w->l->dynamic_align) w->l->dynamic_align = v->align_bytes;
        return;
    }
    w->end = align_up(w->end, v->align_bytes ? v->align_bytes : 1);
    u64map_set(&w->l->offsets, key_of(v), (uint32_t)w->end);
    w->end += v->size_bytes;
}

static bool layout_shared(struct layout *l, const struct ptx_module *m, const struct ptx_function *kernel,
                          const struct reach *r, struct diag *d)
{
    struct shared_walk w = {.l = l, .r = r};
    l->dynamic_align = LAYOUT_DYNAMIC_ALIGN;
    for (uint32_t k = 0; k < m->variable_count; k++) place_shared(&w, m->variables[k]);
    for (size_t n = 0; n < r->functions.count; n++) {
        const struct ptx_function *f = r->functions.data[n].function;
        for (uint32_t k = 0; k < f->variable_count; k++) place_shared(&w, f->variables[k]);
    }
    uint64_t dynamic = align_up(w.end, l->dynamic_align);
    if (dynamic > SHARED_LIMIT)
        return diag_error(d, kernel->loc,
                          "kernel '%s' has %llu bytes of shared variables; at most %llu can be addressed",
                          kernel->name, (unsigned long long)w.end, (unsigned long long)SHARED_LIMIT);
    l->shared_bytes = (uint32_t)w.end;
    l->dynamic_base = (uint32_t)dynamic;
    return true;
}

bool layout_make(struct layout *l, const struct ptx_module *m, const struct ptx_function *kernel,
                 const struct reach *r, struct diag *d)
{
    memset(l, 0, sizeof *l);
    return layout_consts(l, m, kernel, d) && layout_shared(l, m, kernel, r, d);
}

void layout_fini(struct layout *l) { u64map_fini(&l->offsets); }

uint32_t layout_offset(const struct layout *l, const struct ptx_variable *v)
{
    if (v->space == PTX_SPACE_SHARED && v->is_extern) return l->dynamic_base;
    uint32_t offset = 0;
    u64map_get(&l->offsets, key_of(v), &offset);
    return offset;
}

static void describe_param(struct program *p, struct program_param *out, const struct ptx_variable *v)
{
    bool scalar = !v->is_array && v->vector == 1;
    bool opaque = v->type == PTX_TEXREF || v->type == PTX_SAMPLERREF || v->type == PTX_SURFREF;
    *out = (struct program_param){
        .name = arena_strndup(&p->arena, v->name, strlen(v->name)),
        .type = (uint8_t)(!scalar  ? TYPE_NONE
                          : opaque ? TYPE_U64
                                   : lower_type(v->type)),
        .offset = (uint32_t)v->offset,
        .size_bytes = (uint32_t)v->size_bytes,
        .align_bytes = v->align_bytes,
        .is_array = !scalar,
    };
}

void layout_describe(const struct layout *l, struct program *p, const struct ptx_function *kernel)
{
    p->name = arena_strndup(&p->arena, kernel->name, strlen(kernel->name));
    p->shared_bytes = l->shared_bytes;
    p->dynamic_align = l->dynamic_align;
    for (unsigned k = 0; k < 3; k++) {
        p->max_threads[k] = kernel->max_threads[k];
        p->required_threads[k] = kernel->required_threads[k];
        p->cluster[k] = kernel->cluster[k];
    }
    p->max_cluster = kernel->max_cluster;
    p->is_explicit_cluster = kernel->is_explicit_cluster;
    const struct ptx_prototype *t = &kernel->prototype;
    p->param_count = t->param_count;
    p->param_bytes = (uint32_t)t->param_bytes;
    p->params = ARENA_ARRAY(&p->arena, struct program_param, t->param_count);
    for (uint32_t k = 0; k < t->param_count; k++) describe_param(p, &p->params[k], t->params[k]);
}
