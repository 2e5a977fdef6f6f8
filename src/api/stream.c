// Streams and events: lists of launches to wait for.
#include "api/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wf_stream *wf_stream_create(struct wf_context *c)
{
    struct wf_stream *s = heap_alloc(sizeof *s);
    char name[16];
    s->context = c;
    vec_push(&c->streams, s);
    s->number = ++c->streams_made;
    snprintf(name, sizeof name, "%u", s->number);
    s->name = heap_strdup(name);
    return s;
}

// Takes an object out of a list of the context's.
#define REMOVE(list, object)                                                                                 \
    do {                                                                                                     \
        size_t at_ = 0;                                                                                      \
        while ((list)->data[at_] != (object)) at_++;                                                         \
        memmove((list)->data + at_, (list)->data + at_ + 1, (--(list)->count - at_) * sizeof *(list)->data); \
    } while (0)

void wf_stream_destroy(struct wf_stream *s)
{
    if (!s) return;
    api_wait_empty(s->context, &s->tail);
    for (size_t i = 0; i < s->context->alive.count; i++) {
        struct wf_pending *l = s->context->alive.data[i];
        if (l->stream == s) l->stream = &s->context->first;
    }
    REMOVE(&s->context->streams, s);
    vec_fini(&s->tail);
    free(s->name);
    free(s);
}

void wf_event_destroy(struct wf_event *e)
{
    if (!e) return;
    REMOVE(&e->context->events, e);
    vec_fini(&e->before);
    free(e);
}

void wf_stream_name(struct wf_stream *s, const char *name)
{
    free(s->name);
    s->name = heap_strdup(name);
}

void wf_stream_place(struct wf_stream *s, uint32_t first_sm, uint32_t sms)
{
    s->first_sm = sms ? first_sm : 0;
    s->end_sm = sms > UINT32_MAX - first_sm ? UINT32_MAX : s->first_sm + sms;
}

struct wf_event *wf_event_create(struct wf_context *c)
{
    struct wf_event *e = heap_alloc(sizeof *e);
    e->context = c;
    vec_push(&c->events, e);
    return e;
}

void api_streams_fini(struct wf_context *c)
{
    for (size_t i = 0; i < c->streams.count; i++) {
        vec_fini(&c->streams.data[i]->tail);
        free(c->streams.data[i]->name);
        free(c->streams.data[i]);
    }
    for (size_t i = 0; i < c->events.count; i++) {
        vec_fini(&c->events.data[i]->before);
        free(c->events.data[i]);
    }
    vec_fini(&c->first.tail);
    vec_fini(&c->streams);
    vec_fini(&c->events);
}

static bool check_context(const struct wf_event *e, const struct wf_stream *s)
{
    return !s || s->context == e->context ||
           diag_error(&e->context->diag, loc_none(), "the stream and the event are of two contexts");
}

enum wf_status wf_event_record(struct wf_event *e, struct wf_stream *s)
{
    struct wf_context *c = e->context;
    if (!check_context(e, s)) return WF_BAD_INPUT;
    e->before.count = 0;
    api_queue_tail(c, s, &e->before);
    e->is_recorded = true;
    e->cycle = api_is_timed(c) ? c->clock : WF_UNKNOWN;
    return WF_OK;
}

enum wf_status wf_stream_wait_event(struct wf_stream *s, struct wf_event *e)
{
    if (!check_context(e, s)) return WF_BAD_INPUT;
    struct wf_stream *stream = s ? s : &e->context->first;
    for (size_t i = 0; i < e->before.count; i++) api_launches_add(&stream->tail, e->before.data[i]);
    return WF_OK;
}

// The status of a failed launch that no call has reported so far; reported from now on. Without such a
// launch: WF_PROGRAM_FAILED in a failed context, else WF_OK.
static enum wf_status status_of(struct wf_context *c)
{
    enum wf_status status = api_told(c);
    return status == WF_OK && c->failure ? WF_PROGRAM_FAILED : status;
}

enum wf_status wf_event_wait(struct wf_event *e)
{
    api_wait_empty(e->context, &e->before);
    return status_of(e->context);
}

enum wf_status wf_stream_wait(struct wf_stream *s)
{
    api_wait_stream(s);
    return status_of(s->context);
}

enum wf_status wf_synchronise(struct wf_context *c)
{
    api_wait(c);
    return status_of(c);
}

uint64_t wf_event_cycles(struct wf_event *from, struct wf_event *to)
{
    api_wait_empty(from->context, &from->before);
    api_wait_empty(to->context, &to->before);
    if (from->context != to->context || !from->is_recorded || !to->is_recorded) return WF_UNKNOWN;
    if (from->cycle == WF_UNKNOWN || to->cycle == WF_UNKNOWN || to->cycle < from->cycle) return WF_UNKNOWN;
    return to->cycle - from->cycle;
}
