#include "cli/unmodified.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/run.h"
#include "report/timeline.h"

bool unmodified_is_wanted(const struct options *o)
{
    const char *path = options_value(o, OPTION_TIMELINE), *tech = options_value(o, OPTION_TECH);
    return path && report_timeline_is_steps(path) && tech && !str_equal(tech, "base");
}

enum wf_status unmodified_settings(const struct options *o, struct wf_context *c, struct diag *d)
{
    enum wf_status status = command_settings(o, c, d);
    return status == WF_OK ? wf_tech(c, "base") : status;
}

void unmodified_run(struct unmodified *b, const struct options *o, struct session *s)
{
    *b = (struct unmodified){0};
    if (!unmodified_is_wanted(o)) return;
    b->context = wf_context_create();
    diag_init(&b->diag);
    results_init(&b->results, &b->diag);
    session_init(&b->session, b->context, &b->diag, &b->results);
    b->session.sources = s->sources;
    enum wf_status status = unmodified_settings(o, b->context, &b->diag);
    if (status == WF_OK) {
        command_watch(o, b->context);
        interrupt_watch(b->context);
        status = run_execute(o, &b->session);
    }
    if (status != WF_OK)
        diag_warn(s->diag, loc_none(), "--timeline: the run without mechanisms failed; its part ends there");
}

void unmodified_fini(struct unmodified *b)
{
    if (!b->context) return;
    wf_context_destroy(b->context);
    session_fini(&b->session);
    results_fini(&b->results);
    diag_fini(&b->diag);
}
