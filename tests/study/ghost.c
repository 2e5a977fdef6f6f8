// Runs kernels with their marks, and ghosts in place of a study to watch every launch.
#include "study/ghost.h"
#include "generator/launch.h"
#include "harness/settings.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mark_rules rules_of(const struct wf_context *c, const struct ghost_settings *s)
{
    struct mark_rules rules;
    mark_rules_default(&rules);
    rules.paper = s->paper;
    rules.broken = s->broken;
    rules.warp_size = c->settings.warp_size;
    rules.tid_y = rules.laneid = rules.tid_x_mod = rules.warp_classes = s->extensions;
    return rules;
}

// In the place of a study: computes marks and ghosts for each launched program.
struct watch {
    struct study seat; // first
    const struct ghost_settings *settings;
    struct mark_rules rules;
    bool patterns;
    VEC(struct marks *) marks;
    VEC(struct identity *) ids;
    const struct observer *current;
};

static struct identity *ghosts_of(struct watch *w, const struct program *p)
{
    for (size_t k = 0; k < w->marks.count; k++)
        if (w->marks.data[k]->program == p) return w->ids.data[k];
    struct identity_options options = {.check_patterns = w->patterns, .loose = w->patterns};
    vec_push(&w->marks, marks_compute(p, &w->rules));
    vec_push(&w->ids, identity_create(vec_last(&w->marks), &options));
    return vec_last(&w->ids);
}

static void launch_begin(void *context, const struct launch *l)
{
    struct watch *w = context;
    w->current = identity_observer(ghosts_of(w, l->program));
    w->current->launch_begin(w->current->context, l);
}
static void block_begin(void *context, struct observed_block *b)
{
    const struct observer *o = ((struct watch *)context)->current;
    o->block_begin(o->context, b);
}
static void block_end(void *context, struct observed_block *b)
{
    const struct observer *o = ((struct watch *)context)->current;
    o->block_end(o->context, b);
}
static void before(void *context, const struct observed *e)
{
    const struct observer *o = ((struct watch *)context)->current;
    o->before(o->context, e);
}
static void after(void *context, const struct observed *e)
{
    const struct observer *o = ((struct watch *)context)->current;
    o->after(o->context, e);
}
static void barrier(void *context, struct observed_block *b, const struct observed_barrier *met)
{
    const struct observer *o = ((struct watch *)context)->current;
    o->barrier(o->context, b, met);
}

static void sit_down(struct watch *w, struct wf_context *c, const struct ghost_settings *s)
{
    *w = (struct watch){.settings = s, .rules = rules_of(c, s)};
    w->patterns = c->settings.simt == SIMT_STACK && !s->broken && !s->paper;
    static const struct study_class functional = {0};
    w->seat.class = &functional;
    w->seat.observer = (struct observer){.context = w,
                                         .wants_access = true,
                                         .launch_begin = launch_begin,
                                         .block_begin = block_begin,
                                         .block_end = block_end,
                                         .before = before,
                                         .after = after,
                                         .barrier = barrier};
    c->study = &w->seat;
}

static void copy_first(char *to, size_t size, const char *text)
{
    if (!*to) snprintf(to, size, "%s", text);
}

static void get_up(struct watch *w, struct wf_context *c, struct ghost_result *r)
{
    c->study = NULL;
    for (size_t k = 0; k < w->ids.count; k++) {
        const struct identity_counts *n = identity_counts(w->ids.data[k]);
        r->counts.executions += n->executions;
        r->counts.compared += n->compared;
        r->counts.holes += n->holes;
        r->counts.raced += n->raced;
        r->counts.patterns += n->patterns;
        r->counts.not_kept += n->not_kept;
        copy_first(r->hole, sizeof r->hole, identity_first_hole(w->ids.data[k]));
        copy_first(r->race, sizeof r->race, identity_first_race(w->ids.data[k]));
        copy_first(r->pattern, sizeof r->pattern, identity_first_pattern(w->ids.data[k]));
        identity_destroy(w->ids.data[k]);
        marks_free(w->marks.data[k]);
    }
    vec_fini(&w->ids);
    vec_fini(&w->marks);
}

void ghost_run_generated(const struct generated *g, const struct ghost_settings *s, struct ghost_result *r)
{
    struct wf_context *c = wf_context_create();
    *r = (struct ghost_result){0};
    bool set = settings_pair(c, "exec.max_warp_instructions=3000000") && settings_pair(c, "memory.size=16M");
    for (unsigned k = 0; set && s->settings[k]; k++) set = settings_pair(c, s->settings[k]);
    struct wf_module *m = set ? wf_module_load(c, "kernel.ptx", g->text.text, g->text.length) : NULL;
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    if (k) {
        struct watch w;
        struct wf_stats stats;
        sit_down(&w, c, s);
        r->ran = generated_launch(c, k, g, NULL, &stats) == WF_OK;
        r->deadlocked = !r->ran && c->last && c->last->fault.kind == FAULT_DEADLOCK;
        get_up(&w, c, r);
    }
    snprintf(r->error, sizeof r->error, "%s", wf_errors(c));
    wf_context_destroy(c);
}

void ghost_run_workload(const struct workload *w, enum workload_size size, enum workload_ptx ptx,
                        const struct ghost_settings *s, struct ghost_result *r)
{
    struct wf_context *c = wf_context_create();
    struct watch watch;
    struct workload_options options = {.size = size, .ptx = ptx};
    struct workload_result result;
    *r = (struct ghost_result){0};
    bool set = true;
    for (unsigned k = 0; set && s->settings[k]; k++) set = settings_pair(c, s->settings[k]);
    sit_down(&watch, c, s);
    r->ran = set && workload_run(w, c, &options, &result) == WF_OK;
    get_up(&watch, c, r);
    snprintf(r->error, sizeof r->error, "%s", wf_errors(c));
    wf_context_destroy(c);
}
