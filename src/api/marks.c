// Redundancy marks of a kernel, in the types of the public API.
#include "api/impl.h"
#include "isa/program.h"

static const char *keep(struct wf_kernel *k, struct strbuf *text)
{
    const char *kept = arena_strndup(&k->marks, strbuf_text(text), text->length);
    strbuf_clear(text);
    return kept;
}

// The redundancy mark of instruction n in a launch of the given block shape, after promotion by driver or
// hardware (mark.promotion).
static enum mark_kind in_launch(const struct marks *m, const struct wf_context *c, const struct program *p,
                                const uint32_t block[3], uint32_t n)
{
    if (c->mark.promotion == MARK_BY_DRIVER)
        return mark_promoted(&m->marks[n], mark_conditions_met(&m->rules, block));
    return mark_hardware_kind(m->marks[n].kind, mark_hardware_promotes(&m->rules, p, block));
}

static struct wf_mark shown(struct wf_kernel *k, const struct marks *m, uint32_t n, struct strbuf *text)
{
    const struct mark *mark = &m->marks[n];
    const struct mark_pattern *p = &mark->pattern;
    struct wf_mark out = {.pc = program_pc(m->program, n),
                          .mark = mark_kind_name((enum mark_kind)mark->kind),
                          .pattern = mark_class_name((enum mark_class)p->class),
                          .stride = p->class == MARK_AFFINE && p->stride_known ? p->stride : 0,
                          .stride_known = p->class == MARK_AFFINE && p->stride_known,
                          .base = p->base,
                          .base_known = p->base_known,
                          .grid = mark->grid,
                          .cause = mark_cause_name((enum mark_cause)mark->cause),
                          .shareable = mark->shareable};
    mark_print_pattern(p, text);
    out.formula = keep(k, text);
    program_print_inst(m->program, n, text);
    out.instruction = keep(k, text);
    program_print_lines(m->program, n, text);
    out.lines = keep(k, text);
    mark_explain(m, n, text);
    out.reason = keep(k, text);
    return out;
}

static const struct wf_mark *show(struct wf_kernel *k, const struct marks *m, const uint32_t block[3],
                                  size_t *count)
{
    const struct program *p = m->program;
    // The program's header: the conditions of the marks of all instructions reachable from the entry. The
    // promoting hardware reads the header besides the instructions.
    struct program header = {0};
    for (uint32_t n = 0; n < p->inst_count; n++)
        if (m->marks[n].reached) header.mark_conditions |= m->marks[n].conditions;
    arena_fini(&k->marks);
    arena_init(&k->marks);
    struct wf_mark *out = ARENA_ARRAY(&k->marks, struct wf_mark, p->inst_count);
    struct strbuf text = {0};
    for (uint32_t n = 0; n < p->inst_count; n++) {
        if (!m->marks[n].reached) continue;
        struct wf_mark *w = &out[(*count)++];
        *w = shown(k, m, n, &text);
        if (!block) continue;
        w->promoted = mark_kind_name(in_launch(m, k->module->context, &header, block, n));
        w->warp_classes = mark_warp_classes(&m->rules, &m->marks[n], block);
    }
    strbuf_fini(&text);
    return out;
}

const struct wf_mark *wf_kernel_marks(struct wf_kernel *k, const uint32_t block[3], size_t *count)
{
    struct wf_context *c = k->module->context;
    bool has_constants = k->module->image && c->settings.closure == API_CLOSURE_CONSTANTS;
    struct mark_rules rules;
    *count = 0;
    if (block && !api_check_block(k, block)) return NULL;
    mark_rules_from(&rules, &c->mark, c->settings.warp_size);
    struct program *changed = has_constants ? api_closure_listing(k) : NULL;
    struct marks *m = marks_compute(changed ? changed : k->program, &rules);
    const struct wf_mark *out = show(k, m, block, count);
    marks_free(m);
    program_free(changed);
    return out;
}
