// Contexts: a device with its memory, settings and collected messages.
#include "api/impl.h"

struct wf_context *wf_context_create(void)
{
    struct wf_context *c = heap_alloc(sizeof *c);
    diag_init(&c->diag);
    api_settings_add(c);
    tech_choice_init(&c->techs);
    return c;
}

void wf_context_destroy(struct wf_context *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->modules.count; i++) api_module_destroy(c->modules.data[i]);
    for (size_t i = 0; i < c->streams.count; i++) free(c->streams.data[i]);
    vec_fini(&c->modules);
    vec_fini(&c->streams);
    vec_fini(&c->textures);
    if (c->memory) memory_destroy(c->memory);
    free(c->sm_counts);
    free(c->sms);
    api_observe_fini(c);
    launch_fault_fini(&c->fault);
    launch_race_fini(&c->race);
    launch_notes_fini(&c->notes);
    strbuf_fini(&c->errors);
    strbuf_fini(&c->config_json);
    config_fini(&c->config);
    chip_destroy(c->chip_state);
    free(c->gpu);
    free(c->tech);
    tech_choice_fini(&c->techs);
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
    c->print = print;
    c->print_context = context;
}

void wf_set_progress(struct wf_context *c, bool enabled) { c->progress = enabled; }

struct wf_stream *wf_stream_create(struct wf_context *c)
{
    struct wf_stream *s = heap_alloc(sizeof *s);
    s->context = c;
    vec_push(&c->streams, s);
    return s;
}

// A launch ends before its call returns, so nothing is ever outstanding.
enum wf_status wf_stream_wait(struct wf_stream *s)
{
    (void)s;
    return WF_OK;
}

enum wf_status wf_synchronise(struct wf_context *c)
{
    (void)c;
    return WF_OK;
}
