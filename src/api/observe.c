// Observers of timed launches: counter samples, and a watcher for timelines.
#include "api/impl.h"

#include <string.h>

// Parses a list of SM or warp numbers ("all", or numbers and ranges separated by commas) into a set of
// `count` bits. False: malformed, or a number not below `count`.
static bool parse_places(const char *text, unsigned count, uint64_t *bits)
{
    memset(bits, 0, count / 64 * sizeof *bits);
    if (str_equal(text, "all")) {
        memset(bits, 0xff, count / 64 * sizeof *bits);
        return true;
    }
    char *copy = heap_strdup(text), *next = copy;
    bool good = true;
    while (next && good) {
        char *item = next, *comma = strchr(item, ','), *dash;
        if (comma) *comma = 0;
        next = comma ? comma + 1 : NULL;
        if ((dash = strchr(item, '-')) != NULL) *dash = 0;
        uint64_t first = 0, last = 0;
        good = str_to_u64(item, &first) && str_to_u64(dash ? dash + 1 : item, &last) && first <= last &&
               last < count;
        for (uint64_t k = first; good && k <= last; k++) bits[k / 64] |= 1ull << k % 64;
    }
    free(copy);
    return good;
}

static bool timeline_config(const struct api_settings *s, struct watch_config *w, struct diag *d)
{
    static const char wrong[] =
        "%s=%s: must be all, or numbers and ranges from 0 to %d separated by commas, as in 0,4-7";
    *w = (struct watch_config){.from = s->timeline_from,
                               .to = s->timeline_to ? s->timeline_to : UINT64_MAX,
                               .limit = s->timeline_limit};
    if (!parse_places(s->timeline_sms, WATCH_SMS, w->sms))
        return diag_error(d, loc_none(), wrong, "timeline.sm", s->timeline_sms, WATCH_SMS - 1);
    if (!parse_places(s->timeline_warps, WATCH_WARPS, &w->warps))
        return diag_error(d, loc_none(), wrong, "timeline.warps", s->timeline_warps, WATCH_WARPS - 1);
    if (w->from >= w->to)
        return diag_error(d, loc_none(), "timeline.from=%llu: must be less than timeline.to=%llu",
                          (unsigned long long)w->from, (unsigned long long)w->to);
    return true;
}

bool api_timeline_check(const struct api_settings *s, struct diag *d)
{
    struct watch_config unused;
    return timeline_config(s, &unused, d);
}

bool api_timeline_check_sms(struct wf_context *c)
{
    struct watch_config w;
    uint32_t count = api_has_core(c) ? 1 : c->chip.sm_count;
    timeline_config(&c->settings, &w, &c->diag);
    for (uint32_t k = 0; k < count; k++)
        if (w.sms[k / 64] >> k % 64 & 1) return true;
    return diag_error(&c->diag, loc_none(), "timeline.sm=%s: the SMs of %s are 0 to %u",
                      c->settings.timeline_sms, c->gpu, count - 1);
}

static void forget_watcher(struct wf_context *c)
{
    if (c->watcher) watcher_fini(c->watcher);
    free(c->watcher);
    c->watcher = NULL;
    while (c->watched.count) api_form_release(c->watched.data[--c->watched.count]);
}

void wf_watch(struct wf_context *c, bool on)
{
    api_wait(c);
    forget_watcher(c);
    if (on) c->watcher = heap_alloc(sizeof *c->watcher);
    c->watches_steps = false;
}

void wf_watch_steps(struct wf_context *c)
{
    wf_watch(c, true);
    c->watches_steps = true;
}

const struct watcher *wf_watched(struct wf_context *c)
{
    api_wait(c);
    return c->watcher;
}

struct watcher *api_watcher(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    if (!c->watcher) return NULL;
    vec_push(&c->watched, api_form_use(l->form));
    if (c->watcher->launches.count) return c->watcher;
    struct watch_config config;
    timeline_config(&c->settings, &config, &c->diag); // valid: wf_set checked the settings
    config.steps = c->watches_steps;
    watcher_init(c->watcher, &config);
    return c->watcher;
}

void api_observe(struct wf_pending *l, struct chip_account *account)
{
    l->series.interval = l->context->settings.report_interval;
    account->series = l->series.interval ? &l->series : NULL;
    account->watcher = api_watcher(l);
    account->stream = (struct watch_stream){l->stream->number, l->stream->name};
}

const struct wf_sample *api_samples(struct wf_pending *l)
{
    size_t count = l->series.samples.count;
    struct wf_sample *samples = API_ARRAY(l, struct wf_sample, count);
    for (size_t k = 0; k < count; k++) {
        const struct chip_sample *from = &l->series.samples.data[k];
        uint64_t *values = API_ARRAY(l, uint64_t, API_COUNTERS);
        api_counter_values(NULL, &from->gpu, &from->memory, values);
        samples[k] = (struct wf_sample){
            .from = from->from, .to = from->to, .counters = values, .counter_count = API_COUNTERS};
    }
    return samples;
}

void api_observe_fini(struct wf_context *c)
{
    forget_watcher(c);
    vec_fini(&c->watched);
}
