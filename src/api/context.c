// Contexts: a device with its memory, settings and collected messages.
#include "api/impl.h"
#include "check/check.h"
#include "exec/memory.h"

struct wf_context *wf_context_create(void)
{
    struct wf_context *c = heap_alloc(sizeof *c);
    diag_init(&c->diag);
    c->first.context = c;
    api_settings_add(c);
    tech_choice_init(&c->techs);
    return c;
}

void wf_context_destroy(struct wf_context *c)
{
    if (!c) return;
    api_stop(c);
    while (c->alive.count) api_launch_destroy(vec_last(&c->alive));
    for (size_t i = 0; i < c->modules.count; i++) api_module_destroy(c->modules.data[i]);
    api_streams_fini(c);
    vec_fini(&c->modules);
    vec_fini(&c->textures);
    vec_fini(&c->alive);
    vec_fini(&c->under_way);
    if (c->memory) memory_destroy(c->memory);
    api_observe_fini(c);
    free(c->failure);
    strbuf_fini(&c->errors);
    strbuf_fini(&c->config_json);
    config_fini(&c->config);
    chip_destroy(c->chip_state);
    vec_fini(&c->copied);
    api_sample_fini(c);
    api_core_forget(c);
    free(c->gpu);
    free(c->kept);
    free(c->tech);
    tech_choice_fini(&c->techs);
    check_destroy(c->check);
    launch_spare_races_free(c->spare_races);
    diag_fini(&c->diag);
    free(c);
}

static const char *format_errors(struct wf_context *c, bool colour)
{
    strbuf_clear(&c->errors);
    diag_format(&c->diag, colour, &c->errors);
    return strbuf_text(&c->errors);
}

const char *wf_errors(struct wf_context *c) { return format_errors(c, false); }
const char *wf_errors_colour(struct wf_context *c) { return format_errors(c, true); }
void wf_clear_errors(struct wf_context *c) { diag_clear(&c->diag); }

void wf_set_print(struct wf_context *c, void (*print)(void *context, const char *text, size_t length),
                  void *context)
{
    api_wait(c); // launches under way print through the earlier receiver
    c->print = print;
    c->print_context = context;
}

void wf_set_progress(struct wf_context *c, bool enabled) { c->progress = enabled; }
