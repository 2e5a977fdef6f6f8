// Plays tapes (recorded device operations of workloads) side by side: a part whose launch is over starts its
// next launch at once, in order of the parts.
#include "mix/mix.h"

#include <string.h>

struct player {
    struct mix_part *part;
    size_t next;               // index in the tape
    struct wf_pending *launch; // NULL: no launch under way
};

static enum wf_status compare(struct mix_part *part, const struct tape_step *step)
{
    if (!part->is_exact) return WF_OK;
    uint8_t *got = heap_alloc(step->size_bytes + 1);
    const uint8_t *want = step->bytes;
    enum wf_status status = wf_stream_read(part->stream, step->address, got, step->size_bytes);
    for (size_t k = 0; k < step->size_bytes && status == WF_OK; k++) part->different += got[k] != want[k];
    part->compared += step->size_bytes;
    free(got);
    return status;
}

static enum wf_status begin_launch(struct player *p, const struct tape_step *step)
{
    struct wf_launch_config shape = step->shape;
    shape.stream = p->part->stream;
    return wf_launch_async(step->kernel, &shape, step->args, step->arg_count, &p->launch);
}

static enum wf_status end_launch(struct player *p)
{
    enum wf_status status = wf_launch_status(p->launch);
    if (!p->part->passes) mix_run_add(&p->part->run, wf_launch_stats(p->launch));
    wf_launch_free(p->launch);
    p->launch = NULL;
    return status;
}

// Waits for the part's launch, then plays the tape up to the next launch, or to the end of the pass.
static enum wf_status go_on(struct player *p)
{
    const struct tape *t = p->part->tape;
    enum wf_status status = p->launch ? end_launch(p) : WF_OK;
    while (status == WF_OK && !p->launch && p->next < t->steps.count) {
        const struct tape_step *step = &t->steps.data[p->next++];
        switch (step->what) {
        case TAPE_WRITE:
            status = wf_stream_write(p->part->stream, step->address, step->bytes, step->size_bytes);
            break;
        case TAPE_LAUNCH: status = begin_launch(p, step); break;
        case TAPE_OUTPUT: status = compare(p->part, step); break;
        }
    }
    return status;
}

static bool has_ended(const struct player *p) { return !p->launch && p->next == p->part->tape->steps.count; }

static bool all_have_passed(const struct player *players, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!players[k].part->passes) return false;
    return true;
}

// Continues, once, every part whose launch is over. Unless all parts have finished a pass, parts at the end
// of a pass start again.
static enum wf_status advance(struct player *players, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        struct player *p = &players[k];
        if (p->launch && !wf_launch_is_over(p->launch)) continue;
        enum wf_status status = go_on(p);
        if (status != WF_OK) return status;
        p->part->passes += has_ended(p);
    }
    for (size_t k = 0; k < count && !all_have_passed(players, count); k++) {
        if (!has_ended(&players[k])) continue;
        players[k].next = 0;
        enum wf_status status = go_on(&players[k]);
        if (status != WF_OK) return status;
    }
    return WF_OK;
}

enum wf_status mix_play(struct wf_context *c, struct mix_part *parts, size_t count)
{
    struct player players[MIX_PARTS_MAX] = {0};
    for (size_t k = 0; k < count; k++) {
        players[k].part = &parts[k];
        parts[k].run = (struct mix_run){0};
        parts[k].passes = parts[k].compared = parts[k].different = 0;
    }
    enum wf_status status = advance(players, count);
    while (status == WF_OK && !all_have_passed(players, count)) {
        wf_wait_any(c);
        status = advance(players, count);
    }
    for (size_t k = 0; k < count; k++) {
        if (status == WF_OK && parts[k].different) status = WF_MISMATCH;
        if (players[k].launch) wf_launch_free(players[k].launch);
    }
    return status;
}
