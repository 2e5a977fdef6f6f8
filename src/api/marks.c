// Redundancy marks of a kernel as the public API shows them.
#include "api/impl.h"

static const char *keep(struct wf_kernel *k, struct strbuf *text)
{
    const char *kept = arena_strndup(&k->marks, strbuf_text(text), text->length);
    strbuf_clear(text);
    return kept;
}

const struct wf_mark *wf_kernel_marks(struct wf_kernel *k, const uint32_t block[3], size_t *count)
{
    const struct wf_context *c = k->module->context;
    struct mark_rules rules;
    mark_rules_from(&rules, &c->mark, c->settings.warp_size);
    struct marks *m = marks_compute(k->program, &rules);
    unsigned met = block ? mark_conditions_met(&rules, block) : 0;
    arena_fini(&k->marks);
    arena_init(&k->marks);
    struct wf_mark *out = ARENA_ARRAY(&k->marks, struct wf_mark, k->program->inst_count);
    struct strbuf text = {0};
    for (uint32_t n = 0; n < k->program->inst_count; n++) {
        const struct mark *mark = &m->marks[n];
        out[n] = (struct wf_mark){.pc = n * PC_STEP,
                                  .mark = mark_kind_name((enum mark_kind)mark->kind),
                                  .promoted = block ? mark_kind_name(mark_promoted(mark, met)) : NULL,
                                  .pattern = mark_class_name((enum mark_class)mark->class),
                                  .cause = mark_cause_name((enum mark_cause)mark->cause),
                                  .shareable = mark->shareable && !mark->guarded};
        program_print_inst(k->program, n, &text);
        out[n].instruction = keep(k, &text);
        program_print_lines(k->program, n, &text);
        out[n].lines = keep(k, &text);
        mark_explain(m, n, &text);
        out[n].reason = keep(k, &text);
    }
    strbuf_fini(&text);
    marks_free(m);
    *count = k->program->inst_count;
    return out;
}
