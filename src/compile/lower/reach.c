#include "compile/lower/reach.h"
#include "base/str.h"

#include <string.h>

struct walker {
    struct reach *reach;
    const struct ptx_module *module;
    const struct ptx_function *kernel, *function; // `function`: current function
    struct diag *diag;
};

enum reach_service reach_service_of(const struct ptx_function *f)
{
    if (f->has_body) return SERVICE_NONE;
    if (str_equal(f->name, "vprintf")) return SERVICE_VPRINTF;
    if (str_equal(f->name, "__assertfail")) return SERVICE_ASSERTFAIL;
    return SERVICE_NONE;
}

// for lookup only, never for ordering
static uint64_t key_of(const void *p) { return (uint64_t)(uintptr_t)p; }

bool reach_has(const struct reach *r, const struct ptx_variable *v)
{
    uint32_t index;
    return u64map_get(&r->variable_index, key_of(v), &index);
}

static bool refuse(struct walker *w, struct loc loc, const char *what)
{
    diag_error(w->diag, loc, "kernel '%s' uses %s, not executed by warpfold (docs/reference/ptx.md)",
               w->kernel->name, what);
    if (w->function != w->kernel)
        diag_note(w->diag, w->function->loc, "reached from the kernel through '%s'", w->function->name);
    return false;
}

static bool meet_function(struct walker *w, const struct ptx_function *f, bool address_taken, struct loc loc)
{
    struct reach *r = w->reach;
    uint32_t index;
    if (!u64map_get(&r->function_index, key_of(f), &index)) {
        if (f->is_entry && f != w->kernel) return refuse(w, loc, "the address of another kernel");
        if (!f->has_body)
            return diag_error(w->diag, loc,
                              "kernel '%s' calls '%s' without a body in the module; of external functions "
                              "warpfold provides vprintf, __assertfail, malloc and free",
                              w->kernel->name, f->name);
        index = (uint32_t)r->functions.count;
        u64map_set(&r->function_index, key_of(f), index);
        vec_push(&r->functions, (struct reach_function){.function = f});
    }
    r->functions.data[index].address_taken |= address_taken;
    return true;
}

static bool meet_variable(struct walker *w, const struct ptx_variable *v, struct loc loc)
{
    struct reach *r = w->reach;
    if (reach_has(r, v)) return true;
    u64map_set(&r->variable_index, key_of(v), (uint32_t)r->variables.count);
    vec_push(&r->variables, v);
    if (v->is_extern && !v->size_bytes && v->space != PTX_SPACE_SHARED)
        return diag_error(w->diag, loc,
                          "kernel '%s' uses '%s', not defined by any .%s variable of this module",
                          w->kernel->name, v->name, v->space == PTX_SPACE_CONST ? "const" : "global");
    // Addresses in initial values are left to walk_variable, since variables may refer to each other in
    // circles.
    return true;
}

static bool walk_operand(struct walker *w, const struct ptx_operand *o, bool is_call_target)
{
    if (o->variable && !meet_variable(w, o->variable, o->loc)) return false;
    if (o->kind == PTX_OPERAND_FUNCTION && !meet_function(w, o->function, !is_call_target, o->loc))
        return false;
    if (o->kind != PTX_OPERAND_VECTOR && o->kind != PTX_OPERAND_PAIR) return true;
    for (unsigned k = 0; k < o->count; k++)
        if (!walk_operand(w, &o->elements[k], false)) return false;
    return true;
}

static bool have_one_shape(struct ptx_variable *const *a, uint32_t count, struct ptx_variable *const *b,
                           uint32_t other_count)
{
    if (count != other_count) return false;
    for (uint32_t k = 0; k < count; k++)
        if (a[k]->size_bytes != b[k]->size_bytes) return false;
    return true;
}

// The functions that a call through a register with the prototype may reach.
static bool walk_targets(struct walker *w, const struct ptx_prototype *p, struct loc loc)
{
    for (uint32_t k = 0; k < w->module->function_count; k++) {
        const struct ptx_function *f = w->module->functions[k];
        const struct ptx_prototype *own = &f->prototype;
        bool fits = f->address_taken && f->has_body && !f->is_entry &&
                    have_one_shape(own->params, own->param_count, p->params, p->param_count) &&
                    have_one_shape(own->returns, own->return_count, p->returns, p->return_count);
        if (fits && !meet_function(w, f, true, loc)) return false;
    }
    return true;
}

static bool walk_call(struct walker *w, const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->call_argument_count; k++)
        if (!walk_operand(w, &i->call_arguments[k], false)) return false;
    for (unsigned k = 0; k < i->call_return_count; k++)
        if (!walk_operand(w, &i->call_returns[k], false)) return false;
    const struct ptx_operand *target = &i->call_target;
    if (target->kind == PTX_OPERAND_FUNCTION && reach_service_of(target->function) != SERVICE_NONE)
        return true;
    if (target->kind != PTX_OPERAND_FUNCTION && i->call_prototype &&
        !walk_targets(w, i->call_prototype, i->loc))
        return false;
    return walk_operand(w, target, true);
}

static bool walk_inst(struct walker *w, const struct ptx_inst *i)
{
    if (i->unsupported) return refuse(w, i->loc, i->unsupported);
    if (i->op == PTX_OP_CVTA && i->space == PTX_SPACE_PARAM && !i->to) {
        if (w->function != w->kernel)
            return refuse(w, i->loc, "cvta.param on the parameters of a device function");
        w->reach->takes_params = true;
    }
    for (unsigned k = 0; k < i->operand_count; k++)
        if (!walk_operand(w, &i->operands[k], false)) return false;
    return i->op != PTX_OP_CALL || walk_call(w, i);
}

static bool walk_function(struct walker *w, uint32_t index)
{
    struct reach *r = w->reach;
    const struct ptx_function *f = w->function = r->functions.data[index].function;
    if (f->unsupported) return refuse(w, f->loc, f->unsupported);
    struct cut cut;
    cut_function(&cut, &r->arena, f);
    r->functions.data[index].cut = cut;
    for (uint32_t b = 0; b < cut.count; b++) { // in textual order: reports the topmost fault
        if (!cut.blocks[b].reached) continue;
        for (uint32_t k = cut.blocks[b].first; k < cut.blocks[b].end; k++)
            if (!walk_inst(w, &f->insts[k])) return false;
    }
    return true;
}

static bool walk_variable(struct walker *w, const struct ptx_variable *v)
{
    for (uint32_t k = 0; k < v->relocation_count; k++) {
        const struct ptx_relocation *x = &v->relocations[k];
        if (x->variable && !meet_variable(w, x->variable, v->loc)) return false;
        if (x->function && !meet_function(w, x->function, true, v->loc)) return false;
    }
    return true;
}

bool reach_kernel(struct reach *r, const struct ptx_module *m, const struct ptx_function *kernel,
                  struct diag *d)
{
    memset(r, 0, sizeof *r);
    arena_init(&r->arena);
    struct walker w = {.reach = r, .module = m, .kernel = kernel, .function = kernel, .diag = d};
    if (!kernel->has_body)
        return diag_error(d, kernel->loc, "kernel '%s' is declared without a body", kernel->name);
    meet_function(&w, kernel, false, kernel->loc);
    uint32_t function = 0, variable = 0;
    while (function < r->functions.count || variable < r->variables.count) {
        if (function < r->functions.count) {
            if (!walk_function(&w, function++)) return false;
        } else if (!walk_variable(&w, r->variables.data[variable++])) {
            return false;
        }
    }
    return true;
}

void reach_fini(struct reach *r)
{
    vec_fini(&r->functions);
    vec_fini(&r->variables);
    u64map_fini(&r->function_index);
    u64map_fini(&r->variable_index);
    arena_fini(&r->arena);
}
