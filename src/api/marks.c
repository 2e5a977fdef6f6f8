// Redundancy marks of a kernel as the public API shows them.
#include "api/impl.h"

static const char *keep(struct wf_kernel *k, struct strbuf *text)
{
    const char *kept = arena_strndup(&k->marks, strbuf_text(text), text->length);
    strbuf_clear(text);
    return kept;
}

// In a launch of that shape: what the driver's finalisation, or the hardware's comparison, makes of a mark.
static enum mark_kind in_launch(const struct marks *m, const struct wf_context *c, const struct program *p,
                                const uint32_t block[3], uint32_t n)
{
    if (c->mark.promotion == MARK_BY_DRIVER)
        return mark_promoted(&m->marks[n], mark_conditions_met(&m->rules, block));
    struct inst encoded = {.mark = m->marks[n].kind};
    return mark_hardware_kind(&encoded, mark_hardware_promotes(&m->rules, p, block));
}

const struct wf_mark *wf_kernel_marks(struct wf_kernel *k, const uint32_t block[3], size_t *count)
{
    struct wf_context *c = k->module->context;
    struct mark_rules rules;
    *count = 0;
    if (k->module->image) {
        diag_error(&c->diag, k->loc, "kernel %s is RISC-V code, which has no marks", k->info.name);
        return NULL;
    }
    if (block && !api_check_block(k, block)) return NULL;
    mark_rules_from(&rules, &c->mark, c->settings.warp_size);
    struct marks *m = marks_compute(k->program, &rules);
    struct program header = {0}; // what the hardware sees of the encoded program besides the instructions
    for (uint32_t n = 0; n < k->program->inst_count; n++) header.mark_conditions |= m->marks[n].conditions;
    arena_fini(&k->marks);
    arena_init(&k->marks);
    struct wf_mark *out = ARENA_ARRAY(&k->marks, struct wf_mark, k->program->inst_count);
    struct strbuf text = {0};
    for (uint32_t n = 0; n < k->program->inst_count; n++) {
        const struct mark *mark = &m->marks[n];
        const struct mark_pattern *p = &mark->pattern;
        uint32_t classes = block ? mark_warp_classes(&rules, mark, block) : 0;
        out[n] =
            (struct wf_mark){.pc = program_pc(k->program, n),
                             .mark = mark_kind_name((enum mark_kind)mark->kind),
                             .promoted = block ? mark_kind_name(in_launch(m, c, &header, block, n)) : NULL,
                             .pattern = mark_class_name((enum mark_class)p->class),
                             .stride = p->class == MARK_AFFINE && p->stride_known ? p->stride : 0,
                             .stride_known = p->class == MARK_AFFINE && p->stride_known,
                             .base = p->base,
                             .base_known = p->base_known,
                             .grid = mark->grid,
                             .warp_classes = classes,
                             .cause = mark_cause_name((enum mark_cause)mark->cause),
                             .shareable = mark->shareable};
        mark_print_pattern(p, &text);
        out[n].formula = keep(k, &text);
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
