// A timeline as a Konata log (Kanata format 0004): tab-separated commands in order of time. Instruction ids
// follow the order of fetch.
//
//   F fetch ─▶ D in the I-buffer ─▶ I issue ─▶ C operands ─▶ X or M execute, memory ─▶ W result
//
// An instruction that was dropped, or whose result did not arrive, is marked as flushed. Waits are not
// separate stages: they lengthen D.
#include "base/printable.h"
#include "isa/program.h"
#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

// An instruction.
struct row {
    const struct watch_inst *inst;
    uint32_t sm, place;
};

enum stage { STAGE_FETCH, STAGE_BUFFER, STAGE_ISSUE, STAGE_COLLECT, STAGE_RUN, STAGE_WRITE, STAGE_END };

struct event {
    uint64_t cycle;
    uint32_t id, stage;
};

struct konata {
    const struct watcher *watcher;
    struct timeline_streams streams;
    struct strbuf *out;
    struct timeline_texts texts;
    VEC(struct row) rows;
    VEC(struct event) events;
    uint64_t retired;
};

static int by_fetch(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->inst->fetched != y->inst->fetched) return x->inst->fetched < y->inst->fetched ? -1 : 1;
    if (x->sm != y->sm) return x->sm < y->sm ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->stage > y->stage) - (x->stage < y->stage);
}

static void collect_rows(struct konata *k)
{
    for (unsigned n = 0; n < WATCH_SMS; n++) {
        const struct watch_sm *w = k->watcher->sms[n];
        for (size_t i = 0; w && i < w->insts.count; i++)
            vec_push(&k->rows, (struct row){&w->insts.data[i], n, (uint32_t)i});
    }
    if (k->rows.count) qsort(k->rows.data, k->rows.count, sizeof *k->rows.data, by_fetch);
}

static void add(struct konata *k, uint32_t id, enum stage stage, uint64_t cycle)
{
    vec_push(&k->events, (struct event){cycle, id, (uint32_t)stage});
}

static void collect_events(struct konata *k, uint32_t id)
{
    const struct watch_inst *i = k->rows.data[id].inst;
    add(k, id, STAGE_FETCH, i->fetched);
    if (i->flushed) {
        if (i->buffered < i->issued) add(k, id, STAGE_BUFFER, i->buffered);
        add(k, id, STAGE_END, i->issued);
        return;
    }
    uint64_t end = i->done ? i->done : k->watcher->launches.data[i->launch].to;
    if (i->buffered < i->issued) add(k, id, STAGE_BUFFER, i->buffered);
    add(k, id, STAGE_ISSUE, i->issued);
    if (end <= i->issued) end = i->issued + 1;
    if (i->issued + 1 < end) add(k, id, STAGE_COLLECT, i->issued + 1);
    if (i->collected + 1 < end) add(k, id, STAGE_RUN, i->collected + 1);
    if (i->done) add(k, id, STAGE_WRITE, end);
    add(k, id, STAGE_END, end + (i->done ? 1 : 0));
}

static void write_start(struct konata *k, uint32_t id)
{
    const struct row *r = &k->rows.data[id];
    const struct program *p = k->watcher->launches.data[r->inst->launch].program;
    uint32_t pc = program_pc(p, r->inst->inst), streams = (uint32_t)k->streams.all.count;
    unsigned stream = k->streams.of.data[r->inst->launch];
    struct strbuf whose = {0};
    if (streams > 1) {
        strbuf_putc(&whose, ' ');
        timeline_print_stream(&k->streams.all.data[stream], &whose);
        strbuf_printf(&whose, " %s", p->name);
    }
    strbuf_printf(k->out, "I\t%u\t%u\t%u\n", id, id,
                  (r->sm * streams + stream) * WATCH_WARPS + r->inst->slot);
    printable_format(k->out, "L\t%u\t0\tSM %u%s warp %02u 0x%04x: %s\n", id, r->sm, strbuf_text(&whose),
                     r->inst->slot, pc, timeline_inst(&k->texts, p, r->inst->inst));
    strbuf_fini(&whose);
    printable_format(k->out, "L\t%u\t1\t%s%smask 0x%08" PRIx64 "%s\n", id,
                     timeline_lines(&k->texts, p, r->inst->inst),
                     *timeline_lines(&k->texts, p, r->inst->inst) ? ", " : "", r->inst->mask,
                     r->inst->second ? ", second of its warp in the cycle" : "");
}

static void write_event(struct konata *k, const struct event *e)
{
    static const char *const names[] = {"F", "D", "I", "C", "X", "W"};
    const struct watch_inst *i = k->rows.data[e->id].inst;
    if (e->stage == STAGE_FETCH) write_start(k, e->id);
    if (e->stage != STAGE_END) {
        const char *name = e->stage == STAGE_RUN && i->memory ? "M" : names[e->stage];
        strbuf_printf(k->out, "S\t%u\t0\t%s\n", e->id, name);
        return;
    }
    bool flushed = i->flushed || !i->done;
    strbuf_printf(k->out, "R\t%u\t%" PRIu64 "\t%d\n", e->id, k->retired, flushed);
    k->retired += !flushed;
}

void report_timeline_konata(const struct watcher *w, struct strbuf *out)
{
    struct konata k = {.watcher = w, .out = out};
    timeline_streams_init(&k.streams, w);
    collect_rows(&k);
    for (uint32_t id = 0; id < k.rows.count; id++) collect_events(&k, id);
    if (k.events.count) qsort(k.events.data, k.events.count, sizeof *k.events.data, by_time);
    uint64_t cycle = k.events.count ? k.events.data[0].cycle : 0;
    strbuf_printf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
    for (size_t n = 0; n < k.events.count; n++) {
        if (k.events.data[n].cycle > cycle)
            strbuf_printf(out, "C\t%" PRIu64 "\n", k.events.data[n].cycle - cycle);
        cycle = k.events.data[n].cycle;
        write_event(&k, &k.events.data[n]);
    }
    vec_fini(&k.rows);
    vec_fini(&k.events);
    timeline_texts_fini(&k.texts);
    timeline_streams_fini(&k.streams);
}
