// Programs transformed by mechanisms before a run (tech.h, transform). A kernel's program is transformed
// again when the block shape, the mechanisms, warp.size, the size of the instruction cache or a mark setting changes.
#include "api/impl.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

struct api_form *api_form_create(const struct program *p)
{
    struct api_form *f = heap_alloc(sizeof *f);
    *f = (struct api_form){.users = 1, .program = p};
    return f;
}

struct api_form *api_form_use(struct api_form *f)
{
    f->users++;
    return f;
}

void api_form_release(struct api_form *f)
{
    if (!f || --f->users) return;
    while (f->changed_count) program_free(f->changed[--f->changed_count]);
    free(f->slots);
    free(f->saved);
    free(f);
}

static void launch_another(struct wf_kernel *k, struct api_form *f)
{
    api_form_release(k->form);
    k->form = f;
}

// Makes launches use the kernel's own program. Counts of issue slots continue across block shapes as long as
// the program stays unchanged.
static void launch_unchanged(struct wf_kernel *k)
{
    if (k->form->program != k->program) launch_another(k, api_form_create(k->program));
}

// Everything but the block shape that a transformation depends on, as text on the heap.
static char *key_of(const struct wf_context *c)
{
    const struct mark_settings *m = &c->mark;
    struct strbuf key = {0};
    strbuf_printf(&key, "%u %u %d %d %d %d%d%d%d%d%d %s", c->settings.warp_size,
                  gpu_code_bytes(&c->chip.gpu, c->chip.memory.line_bytes), m->rules, m->promotion, m->blocks,
                  m->tid_y, m->laneid, m->tid_x_mod, m->hart, m->warp_classes, m->grid, c->tech);
    return key.text;
}

static bool transforms(const struct tech_use *u) { return u->tech->program && u->tech->program->transform; }

// key: from key_of, now the kernel's.
static void change(struct wf_kernel *k, const uint32_t block[3], char *key)
{
    struct wf_context *c = k->module->context;
    struct api_form *f = api_form_create(k->program);
    struct tech_use *uses = c->techs.uses;
    unsigned warp_size = c->settings.warp_size;
    for (unsigned n = 0; n < c->techs.count; n++) {
        uses[n].marks = &c->mark;
        uses[n].code_bytes = gpu_code_bytes(&c->chip.gpu, c->chip.memory.line_bytes);
    }
    for (unsigned n = 0; n < c->techs.count; n++) {
        if (!transforms(&uses[n])) continue;
        bool *shared = tech_shared(uses, c->techs.count, uses[n].tech, f->program, block, warp_size);
        struct program *q = uses[n].tech->program->transform(&uses[n], f->program, block, warp_size, shared);
        if (q) f->program = f->changed[f->changed_count++] = q;
        free(shared);
    }
    if (f->changed_count) {
        launch_another(k, f);
    } else {
        launch_unchanged(k);
        api_form_release(f);
    }
    free(k->changed_by);
    memcpy(k->changed_shape, block, sizeof k->changed_shape);
    k->changed_by = key;
}

void api_choose_program(struct wf_kernel *k, const uint32_t block[3])
{
    struct wf_context *c = k->module->context;
    bool changes = false;
    for (unsigned n = 0; n < c->techs.count; n++) changes |= transforms(&c->techs.uses[n]);
    if (!changes || !api_is_timed(c)) {
        launch_unchanged(k);
        free(k->changed_by);
        k->changed_by = NULL;
        return;
    }
    char *key = key_of(c);
    bool same = k->changed_by && str_equal(k->changed_by, key) &&
                memcmp(k->changed_shape, block, sizeof k->changed_shape) == 0;
    if (same)
        free(key);
    else
        change(k, block, key);
}
