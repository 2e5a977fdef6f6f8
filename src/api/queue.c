// The order of launches. A launch waits for launches put before it by its stream, by events and by the
// default stream. A finished launch leaves the lists of later launches, streams and events. A launch with
// an empty waits_for may begin, unless running launches prevent the begin (may_begin). Launches wait for
// earlier launches only, so the earliest queued launch can always begin eventually.
//
// Nothing runs between API calls: the chip's time passes only inside waiting calls.
#include "api/host_modes.h"
#include "api/impl.h"
#include "isa/program.h"

#include <assert.h>
#include <string.h>

// -- lists --------------------------------------------------------------------------------------------------

void api_launches_add(struct api_launches *list, struct wf_pending *l)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i] == l) return;
    vec_push(list, l);
}

static void add_all(struct api_launches *to, const struct api_launches *from)
{
    for (size_t i = 0; i < from->count; i++) api_launches_add(to, from->data[i]);
}

static bool leave(struct api_launches *list, const struct wf_pending *l)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->data[i] != l) continue;
        memmove(list->data + i, list->data + i + 1, (--list->count - i) * sizeof *list->data);
        return true;
    }
    return false;
}

// -- order --------------------------------------------------------------------------------------------------

// The default stream is CUDA's legacy stream: its launches wait for all streams, and launches of all streams
// wait for the default stream.
void api_queue_tail(struct wf_context *c, struct wf_stream *s, struct api_launches *to)
{
    add_all(to, &c->first.tail);
    if (s) {
        add_all(to, &s->tail);
        return;
    }
    for (size_t i = 0; i < c->streams.count; i++) add_all(to, &c->streams.data[i]->tail);
}

// check.races: collects as rivals the launches under way that are not ordered before l, directly or
// indirectly.
static void find_rivals(struct wf_pending *l)
{
    struct api_launches before = {0};
    add_all(&before, &l->waits_for);
    for (size_t i = 0; i < before.count; i++) add_all(&before, &before.data[i]->waits_for);
    for (size_t i = 0; i < l->context->under_way.count; i++) {
        struct wf_pending *other = l->context->under_way.data[i];
        size_t k = 0;
        while (k < before.count && before.data[k] != other) k++;
        if (k < before.count) continue;
        vec_push(&l->rivals, other);
        other->launch.is_rival = true;
        other->held++;
    }
    vec_fini(&before);
}

// Acts on a finished launch that no unfinished launch has as a rival; no effect on other launches. Frees the
// launch if the caller has freed the handle, else only the record of touched memory.
static void let_go(struct wf_pending *l)
{
    if (l->held || l->state != LAUNCH_OVER) return;
    if (l->is_freed)
        api_launch_destroy(l);
    else
        launch_race_forget(&l->race);
}

void api_queue(struct wf_pending *l, struct wf_stream *s)
{
    struct wf_context *c = l->context;
    api_queue_tail(c, s, &l->waits_for);
    if (l->launch.check_races) find_rivals(l);
    vec_push(&c->under_way, l);
    struct wf_stream *stream = s ? s : &c->first;
    stream->tail.count = 0;
    vec_push(&stream->tail, l);
}

static void settle_event(struct wf_event *e, const struct wf_pending *l)
{
    if (leave(&e->before, l) && e->cycle < l->end) e->cycle = l->end;
}

// Removes a finished launch from all lists of launches to wait for; updates events, failures and rivals.
static void settle(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    leave(&c->under_way, l);
    for (size_t i = 0; i < c->under_way.count; i++) leave(&c->under_way.data[i]->waits_for, l);
    leave(&c->first.tail, l);
    for (size_t i = 0; i < c->streams.count; i++) leave(&c->streams.data[i]->tail, l);
    for (size_t i = 0; i < c->events.count; i++) settle_event(c->events.data[i], l);
    if (l->stats.status != WF_OK && l != c->awaited && c->untold == WF_OK) {
        c->untold = l->stats.status;
        c->untold_id = l->launch.grid_id;
    }
    for (size_t i = 0; i < l->rivals.count; i++) {
        l->rivals.data[i]->held--;
        let_go(l->rivals.data[i]);
    }
    l->rivals.count = 0;
    let_go(l);
}

// -- failures -----------------------------------------------------------------------------------------------

// Ends all queued launches with the status. One message covers all of them; every launch has its own fault
// text.
static void end_queued(struct wf_context *c, enum wf_status status, const char *why)
{
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < c->under_way.count;) {
        struct wf_pending *l = c->under_way.data[i];
        if (l->state != LAUNCH_QUEUED) {
            i++;
            continue;
        }
        if (!count++) first = l->kernel->info.name;
        api_run_never(l, status, why);
        settle(l);
    }
    if (count == 1) diag_error(&c->diag, loc_none(), "kernel %s did not begin: %s", first, why);
    if (count > 1)
        diag_error(&c->diag, loc_none(), "kernel %s and %zu more launches did not begin: %s", first,
                   count - 1, why);
}

// Whether a failure puts the context into the failed state, as in CUDA. Limits and interrupts do not: they
// come from the user, not from the program.
static bool is_lasting(const struct wf_pending *l)
{
    switch (l->fault.kind) {
    case FAULT_NONE:
    case FAULT_LIMIT:
    case FAULT_INTERRUPTED: return false;
    case FAULT_BOUNDS:
    case FAULT_ALIGNMENT:
    case FAULT_SHARED:
    case FAULT_LOCAL:
    case FAULT_STACK:
    case FAULT_CONSTANT:
    case FAULT_BRANCH:
    case FAULT_TEXTURE:
    case FAULT_TRAP:
    case FAULT_ASSERT:
    case FAULT_MEMBERS:
    case FAULT_DEADLOCK:
    case FAULT_STALL:
    case FAULT_INTERNAL: break;
    }
    return true;
}

static void fail(struct wf_context *c, const struct wf_pending *l)
{
    struct strbuf text = {0}, name = {0};
    const char *why = l->fault.text; // only the first line is reported, without the kernel's name
    strbuf_printf(&name, "kernel %s: ", l->launch.program->name);
    if (str_starts_with(why, strbuf_text(&name))) why += name.length;
    strbuf_printf(
        &text, "an earlier launch (kernel %s) failed: %.*s; wf_reset(context) makes the context usable again",
        l->kernel->info.name, (int)strcspn(why, "\n"), why);
    c->failure = text.text;
    strbuf_fini(&name);
}

// Settles a launch that has run. After an interrupt or a failure of the context, ends the queued launches.
static void settle_run(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    if (!c->failure && is_lasting(l)) fail(c, l);
    settle(l);
    if (c->is_stopping)
        end_queued(c, WF_INTERRUPTED, "interrupted");
    else if (c->failure)
        end_queued(c, WF_PROGRAM_FAILED, c->failure);
}

void wf_reset(struct wf_context *c)
{
    api_wait(c);
    free(c->failure);
    c->failure = NULL;
    c->untold = WF_OK;
}

// Waits for the launch and returns its status. If the launch is the failed one recorded in `untold`, the
// caller now knows of the failure, and `untold` is cleared.
enum wf_status wf_launch_status(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    api_wait_for(l);
    if (c->untold != WF_OK && c->untold_id == l->launch.grid_id) c->untold = WF_OK;
    return l->stats.status;
}

enum wf_status api_told(struct wf_context *c)
{
    enum wf_status status = c->untold;
    c->untold = WF_OK;
    return status;
}

// -- time ---------------------------------------------------------------------------------------------------

// The reason why a launch with no launch to wait for cannot begin beside running launches; NULL: may begin.
static const char *why_not_beside(const struct wf_pending *l)
{
    const struct wf_context *c = l->context;
    bool is_studied = c->running && !l->is_timed && api_is_studied(c);
    return is_studied ? "a study watches launches one at a time" : NULL;
}

static bool may_begin(const struct wf_pending *l)
{
    return l->state == LAUNCH_QUEUED && !l->waits_for.count && !why_not_beside(l);
}

static void begin(struct wf_pending *l)
{
    api_run_begin(l);
    if (l->state == LAUNCH_RUNS) l->context->running++;
}

// Begins timed launches as soon as possible; functional launches one at a time, in order of the calls.
// Returns a launch that has also ended (SIMTight core), or NULL.
static struct wf_pending *begin_launches(struct wf_context *c)
{
    for (size_t i = 0; i < c->under_way.count; i++) {
        struct wf_pending *l = c->under_way.data[i];
        if (!may_begin(l) || (c->running && !l->is_timed)) continue;
        begin(l);
        if (l->state == LAUNCH_OVER) return l;
    }
    return NULL;
}

static struct wf_pending *run_chip(struct wf_context *c)
{
    double began = clock_seconds();
    struct grid *g = chip_run(c->chip_state, c->threads);
    c->run_seconds += clock_seconds() - began;
    for (size_t i = 0; i < c->under_way.count; i++) {
        struct wf_pending *l = c->under_way.data[i];
        if (l->state != LAUNCH_RUNS || l->grid != g) continue;
        c->running--;
        api_run_end(l);
        return l;
    }
    return NULL;
}

// -- functional launches ------------------------------------------------------------------------------------
//
// A launch that seems to wait for memory written by another launch yields to a launch that may run in the
// order of streams. Without such waits, launches run one after another, in the order of the calls.

// Next functional launch that can run after `last`, cyclically in order of the calls; `last` NULL: from the
// first launch on. NULL: no functional launch can run.
static struct wf_pending *next_turn(struct wf_context *c, const struct wf_pending *last)
{
    size_t count = c->under_way.count, at = 0;
    while (last && c->under_way.data[at] != last) at++;
    for (size_t n = last ? 1 : 0; n < count + (last != NULL); n++) {
        struct wf_pending *l = c->under_way.data[(at + n) % count];
        bool is_functional = !l->is_timed && !l->is_on_core;
        if (is_functional && (l->state == LAUNCH_RUNS ? !l->is_stuck : may_begin(l))) return l;
    }
    return NULL;
}

static void put_launch(const struct wf_pending *l, struct strbuf *out)
{
    strbuf_printf(out, "kernel %s", l->kernel->info.name);
    if (l->stream && l->stream->name) strbuf_printf(out, " of stream %s", l->stream->name);
}

// Appends a line for each of up to 8 queued or running launches other than the stuck launch. The line tells
// that a running launch waits as well, or why a queued launch has not begun.
static void describe_others(const struct wf_pending *stuck, struct strbuf *out)
{
    enum { SHOWN = 8 };
    const struct api_launches *all = &stuck->context->under_way;
    for (size_t i = 0, shown = 0; i < all->count && shown < SHOWN; i++) {
        const struct wf_pending *l = all->data[i];
        if (l == stuck) continue;
        shown++;
        strbuf_puts(out, "\n  ");
        put_launch(l, out);
        if (l->state == LAUNCH_RUNS) {
            strbuf_puts(out, " waits as well");
        } else if (l->waits_for.count) {
            strbuf_puts(out, " has not begun: waits for the end of ");
            put_launch(l->waits_for.data[0], out);
        } else {
            strbuf_printf(out, " has not begun: %s", why_not_beside(l));
        }
    }
}

static struct wf_pending *fail_stuck(struct wf_context *c)
{
    struct strbuf others = {0};
    size_t i = 0;
    while (c->under_way.data[i]->state != LAUNCH_RUNS) i++;
    struct wf_pending *l = c->under_way.data[i];
    describe_others(l, &others);
    api_run_stuck(l, strbuf_text(&others));
    strbuf_fini(&others);
    return l;
}

// Runs a launch until it ends (true) or waits. If memory may have changed, stuck launches are tried again.
static bool run_turn(struct wf_pending *l)
{
    const struct api_launches *all = &l->context->under_way;
    bool is_beside = l->context->running > 1 || next_turn(l->context, l) != l;
    bool has_moved, is_over = api_run_turn(l, is_beside, &has_moved);
    for (size_t i = 0; i < all->count && has_moved; i++)
        if (all->data[i] != l) all->data[i]->is_stuck = false;
    return is_over;
}

// Runs functional launches in turns until one is over; returns the finished launch. If no launch can go on,
// ends with a fault the running launch that was called first.
static struct wf_pending *run_engine(struct wf_context *c)
{
    struct wf_pending *l = next_turn(c, NULL);
    while (l) {
        if (l->state == LAUNCH_QUEUED) begin(l);
        if (run_turn(l)) break;
        struct wf_pending *next = next_turn(c, l);
        l->has_waited |= next && next != l;
        l = next;
    }
    if (!l) l = fail_stuck(c);
    c->running--;
    return l;
}

static bool some_is_functional(const struct wf_context *c)
{
    for (size_t i = 0; i < c->under_way.count; i++)
        if (c->under_way.data[i]->session) return true;
    return false;
}

// Runs until one more launch is over.
static void run_one(struct wf_context *c)
{
    struct wf_pending *l = begin_launches(c);
    if (!l) l = some_is_functional(c) ? run_engine(c) : run_chip(c);
    assert(l);
    settle_run(l);
}

// After an interrupt (is_stopping): runs until all launches under way have ended. Else no effect.
static void finish_stopping(struct wf_context *c)
{
    while (c->is_stopping && c->under_way.count) run_one(c);
    c->is_stopping = false;
}

void api_wait_empty(struct wf_context *c, const struct api_launches *list)
{
    if (!list->count) return;
    fenv_t modes = host_modes_begin();
    while (list->count) run_one(c);
    finish_stopping(c);
    host_modes_end(&modes);
}

void api_wait_stream(struct wf_stream *s)
{
    api_wait_empty(s->context, &s->tail);
    api_wait_empty(s->context, &s->context->first.tail);
}

void api_wait(struct wf_context *c) { api_wait_empty(c, &c->under_way); }

bool wf_wait_any(struct wf_context *c)
{
    if (!c->under_way.count) return false;
    fenv_t modes = host_modes_begin();
    run_one(c);
    finish_stopping(c);
    host_modes_end(&modes);
    return true;
}

bool wf_launch_is_over(const struct wf_pending *l) { return l->state == LAUNCH_OVER; }

void api_wait_for(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    if (l->state == LAUNCH_OVER) return;
    fenv_t modes = host_modes_begin();
    c->awaited = l;
    while (l->state != LAUNCH_OVER) run_one(c);
    c->awaited = NULL;
    finish_stopping(c);
    host_modes_end(&modes);
}

void api_stop(struct wf_context *c)
{
    c->is_stopping = true;
    end_queued(c, WF_INTERRUPTED, "the context was destroyed");
    api_wait(c);
}
