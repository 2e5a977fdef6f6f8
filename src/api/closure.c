// RISC-V kernels with arguments as constants of a launch, in place of loads (riscv.closure=constants): choice
// of the executed program, and contents of the constant bank.
#include "riscv/closure.h"
#include "api/impl.h"
#include "exec/memory.h"
#include "isa/bank.h"

#include <string.h>

static struct riscv_closure *closure_of(struct wf_kernel *k)
{
    if (!k->closure) k->closure = riscv_closure_find(k->program);
    return k->closure;
}

void api_closure_fini(struct wf_kernel *k)
{
    for (size_t i = 0; i < k->constants.count; i++) {
        api_form_release(k->constants.data[i].form);
        free(k->constants.data[i].closure);
    }
    vec_fini(&k->constants);
    riscv_closure_free(k->closure);
    k->closure = NULL;
}

struct program *api_closure_listing(struct wf_kernel *k)
{
    return riscv_closure_program(closure_of(k), NULL);
}

// The kernel's form (program and counts) for the arguments in `closure`. Only arguments that mask the thread
// number become immediates of the program, so arguments with equal masks share a form. Masks depend on the
// block shape, so a run makes few forms. A missing form is made and added to the kernel.
static struct api_form *form_for(struct wf_kernel *k, const uint8_t *closure)
{
    const struct riscv_closure *c = closure_of(k);
    for (size_t i = 0; i < k->constants.count; i++)
        if (riscv_closure_same(c, k->constants.data[i].closure, closure)) return k->constants.data[i].form;
    struct program *q = riscv_closure_program(c, closure);
    struct api_constants made = {api_form_create(q), heap_alloc(c->bytes)};
    made.form->changed[made.form->changed_count++] = q;
    memcpy(made.closure, closure, c->bytes);
    vec_push(&k->constants, made);
    return made.form;
}

void api_closure_use(struct wf_pending *l)
{
    struct wf_kernel *k = l->kernel;
    if (l->context->settings.closure != API_CLOSURE_CONSTANTS || l->is_on_core) return;
    const struct riscv_closure *c = closure_of(k);
    if (!riscv_closure_fits(c, l->flat.closure)) return;
    const uint8_t *closure = memory_flat(l->launch.memory) + l->flat.closure;
    api_form_release(l->form);
    l->form = api_form_use(form_for(k, closure));
    l->launch.program = l->form->program;
    l->params = heap_alloc(BANK_LAUNCH_PARAMS + c->bytes);
    memcpy(l->params + BANK_LAUNCH_PARAMS, closure, c->bytes);
    l->launch.bank[BANK_LAUNCH] = l->params;
    l->launch.bank_bytes[BANK_LAUNCH] = BANK_LAUNCH_PARAMS + c->bytes;
}
