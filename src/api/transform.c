// Programs that mechanisms change before they run (tech.h, transform): made when a launch of another shape,
// or with other mechanisms, comes.
#include "api/impl.h"

#include <stdlib.h>
#include <string.h>

void api_forget_changed(struct wf_kernel *k)
{
    while (k->changed_count) program_free(k->changed[--k->changed_count]);
    free(k->changed_by);
    k->changed_by = NULL;
}

static void launch_another(struct wf_kernel *k, const struct program *p)
{
    if (k->launched == p) return;
    k->launched = p;
    api_account_end(k);
}

static void change(struct wf_kernel *k, const uint32_t block[3])
{
    struct wf_context *c = k->module->context;
    const struct program *p = k->program;
    launch_another(k, p);
    api_forget_changed(k);
    for (unsigned n = 0; n < c->techs.count; n++) {
        struct tech_use *u = &c->techs.uses[n];
        u->marks = &c->mark;
        struct program *q =
            u->tech->transform ? u->tech->transform(u, p, block, c->settings.warp_size) : NULL;
        if (q) p = k->changed[k->changed_count++] = q;
    }
    launch_another(k, p);
    memcpy(k->changed_shape, block, sizeof k->changed_shape);
    k->changed_by = heap_strdup(c->tech);
}

void api_choose_program(struct wf_kernel *k, const uint32_t block[3])
{
    struct wf_context *c = k->module->context;
    bool changes = false;
    for (unsigned n = 0; n < c->techs.count; n++) changes |= c->techs.uses[n].tech->transform != NULL;
    if (!changes || !c->gpu || c->study || c->settings.check_races) {
        launch_another(k, k->program);
        api_forget_changed(k);
        return;
    }
    bool same = k->changed_by && str_equal(k->changed_by, c->tech) &&
                memcmp(k->changed_shape, block, sizeof k->changed_shape) == 0;
    if (!same) change(k, block);
}
