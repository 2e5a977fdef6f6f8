// A timeline as trace-event JSON. Slices of a row must nest or follow each other, without overlap. Concurrent
// instructions of a warp are therefore spread over rows: each instruction takes the first free row.
//
//   process   SM 0
//   thread    block slot 0      block (0,0,0) ────────────────────
//             warp 00           block (0,0,0) warp 0 ─────────────      waits are nested below
//                               not fetched ── ready ─ memory ──
//             warp 00 fetch     fetch 0x0 ──   fetch 0x10 ──
//             warp 00 issue     S2R R0 ───  IMAD R1 ────                from issue to result
//             warp 00 issue 2       MOV R2 ──────
//
// With several streams, each SM has a process per stream.
#include "report/timeline.h"
#include "base/json.h"
#include "isa/program.h"

#include <inttypes.h>
#include <stdio.h>

bool report_timeline_is_konata(const char *path)
{
    return str_ends_with(path, ".kanata") || str_ends_with(path, ".konata");
}

bool report_timeline_is_steps(const char *path) { return str_ends_with(path, ".html"); }

void report_timeline(const struct watcher *w, bool konata, struct strbuf *out)
{
    if (konata)
        report_timeline_konata(w, out);
    else
        report_timeline_perfetto(w, out);
}

// -- streams ------------------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    const struct watch_stream *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static unsigned find_stream(const struct timeline_streams *s, unsigned number)
{
    unsigned k = 0;
    while (k < s->all.count && s->all.data[k].number != number) k++;
    return k;
}

void timeline_streams_init(struct timeline_streams *s, const struct watcher *w)
{
    *s = (struct timeline_streams){0};
    for (size_t k = 0; k < w->launches.count; k++) {
        const struct watch_stream *stream = &w->launches.data[k].stream;
        if (find_stream(s, stream->number) == s->all.count) vec_push(&s->all, *stream);
    }
    if (s->all.count) qsort(s->all.data, s->all.count, sizeof *s->all.data, by_number);
    for (size_t k = 0; k < w->launches.count; k++)
        vec_push(&s->of, find_stream(s, w->launches.data[k].stream.number));
}

void timeline_streams_fini(struct timeline_streams *s)
{
    vec_fini(&s->all);
    vec_fini(&s->of);
}

void timeline_print_stream(const struct watch_stream *s, struct strbuf *out)
{
    if (s->number)
        strbuf_printf(out, "stream %s", s->name);
    else
        strbuf_puts(out, "default stream");
}

// -- texts --------------------------------------------------------------------------------------------------

void timeline_texts_fini(struct timeline_texts *t)
{
    for (size_t k = 0; k < t->programs.count; k++) {
        for (uint32_t i = 0; i < t->programs.data[k]->inst_count; i++) {
            free(t->insts.data[k][i]);
            free(t->lines.data[k][i]);
        }
        free(t->insts.data[k]);
        free(t->lines.data[k]);
    }
    vec_fini(&t->programs);
    vec_fini(&t->insts);
    vec_fini(&t->lines);
}

static size_t place_of(struct timeline_texts *t, const struct program *p)
{
    size_t k = 0;
    while (k < t->programs.count && t->programs.data[k] != p) k++;
    if (k < t->programs.count) return k;
    vec_push(&t->programs, p);
    vec_push(&t->insts, heap_alloc(p->inst_count * sizeof(char *)));
    vec_push(&t->lines, heap_alloc(p->inst_count * sizeof(char *)));
    return k;
}

static const char *text_of(char **texts, const struct program *p, uint32_t inst,
                           void (*print)(const struct program *p, uint32_t index, struct strbuf *out))
{
    if (!texts[inst]) {
        struct strbuf text = {0};
        print(p, inst, &text);
        strbuf_puts(&text, "");
        texts[inst] = text.text ? text.text : heap_alloc(1);
    }
    return texts[inst];
}

const char *timeline_inst(struct timeline_texts *t, const struct program *p, uint32_t inst)
{
    size_t place = place_of(t, p);
    return text_of(t->insts.data[place], p, inst, program_print_inst);
}

const char *timeline_lines(struct timeline_texts *t, const struct program *p, uint32_t inst)
{
    size_t place = place_of(t, p);
    return text_of(t->lines.data[place], p, inst, program_print_lines);
}

// -- events -------------------------------------------------------------------------------------------------

enum { CHIP_PID = 1, SM_PID = 2, SM_ROWS = 1000000, WARP_ROWS = 10000, ROW_LIFE = 0, ROW_FETCH, ROW_ISSUE };

// Instructions fetched together.
struct fetch_group {
    uint64_t from, to;
    uint32_t inst, count, launch;
};

struct writer {
    const struct watcher *watcher;
    struct timeline_streams streams;
    const struct watch_sm *sm; // NULL: the chip's own process
    unsigned index, stream;    // index: of the SM; stream: index in `streams` of the shown launches' stream
    unsigned process;          // among the processes of SMs
    struct strbuf *out;
    struct timeline_texts texts;
    bool filled;
    // by warp slot, then by row of the warp's instructions: end cycle of the row's last slice
    VEC(uint64_t) ends[WATCH_WARPS];
    struct fetch_group fetch[WATCH_WARPS];
};

static unsigned warp_row(unsigned slot, unsigned row) { return (slot + 1) * WARP_ROWS + row; }

static void begin_event(struct writer *w, char phase, unsigned row)
{
    strbuf_puts(w->out, w->filled ? ",\n" : "\n");
    w->filled = true;
    strbuf_printf(w->out, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", phase,
                  w->sm ? SM_PID + w->process : CHIP_PID, w->sm ? w->process * SM_ROWS + row : row);
}

static void begin_slice(struct writer *w, unsigned row, uint64_t from, uint64_t to, const char *category)
{
    begin_event(w, 'X', row);
    strbuf_printf(w->out, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"cat\":\"%s\",\"name\":", from, to - from,
                  category);
}

static void name_process(struct writer *w, const char *name)
{
    begin_event(w, 'M', 0);
    strbuf_puts(w->out, ",\"name\":\"process_name\",\"args\":{\"name\":");
    json_quote(w->out, name);
    strbuf_puts(w->out, "}}");
    begin_event(w, 'M', 0);
    strbuf_printf(w->out, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}",
                  w->sm ? SM_PID + w->process : CHIP_PID);
}

static void name_row(struct writer *w, unsigned row, const char *name)
{
    begin_event(w, 'M', row);
    strbuf_puts(w->out, ",\"name\":\"thread_name\",\"args\":{\"name\":");
    json_quote(w->out, name);
    strbuf_puts(w->out, "}}");
    begin_event(w, 'M', row);
    strbuf_printf(w->out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}", row);
}

static const struct program *program_of(const struct writer *w, uint32_t launch)
{
    return w->watcher->launches.data[launch].program;
}

// Whether the launch belongs to the stream being written.
static bool is_shown(const struct writer *w, uint32_t launch)
{
    return w->streams.of.data[launch] == w->stream;
}

// Writes "pc":"0x0010","source":"vecadd.cu:3".
static void write_place(struct writer *w, uint32_t launch, uint32_t inst)
{
    const char *lines = timeline_lines(&w->texts, program_of(w, launch), inst);
    strbuf_printf(w->out, "\"pc\":\"0x%04x\"", program_pc(program_of(w, launch), inst));
    if (!*lines) return;
    strbuf_puts(w->out, ",\"source\":");
    json_quote(w->out, lines);
}

// -- instructions -------------------------------------------------------------------------------------------

static unsigned free_row(struct writer *w, unsigned slot, uint64_t from, uint64_t to)
{
    size_t k = 0;
    while (k < w->ends[slot].count && w->ends[slot].data[k] > from) k++;
    if (k == w->ends[slot].count) {
        char name[40];
        vec_push(&w->ends[slot], 0);
        if (k)
            snprintf(name, sizeof name, "warp %02u issue %zu", slot, k + 1);
        else
            snprintf(name, sizeof name, "warp %02u issue", slot);
        name_row(w, warp_row(slot, ROW_ISSUE + (unsigned)k), name);
    }
    w->ends[slot].data[k] = to;
    return warp_row(slot, ROW_ISSUE + (unsigned)k);
}

static void write_issued(struct writer *w, const struct watch_inst *i)
{
    uint64_t end = i->done ? i->done : w->watcher->launches.data[i->launch].to;
    if (end <= i->issued) end = i->issued + 1;
    begin_slice(w, free_row(w, i->slot, i->issued, end), i->issued, end, i->memory ? "memory" : "issue");
    json_quote(w->out, timeline_inst(&w->texts, program_of(w, i->launch), i->inst));
    strbuf_puts(w->out, ",\"args\":{");
    write_place(w, i->launch, i->inst);
    strbuf_printf(w->out,
                  ",\"mask\":\"0x%08" PRIx64 "\",\"fetched\":%" PRIu64 ",\"buffered\":%" PRIu64
                  ",\"operands\":%" PRIu64 "%s%s}}",
                  i->mask, i->fetched, i->buffered, i->collected, i->second ? ",\"second\":true" : "",
                  i->done ? "" : ",\"done\":false");
}

static void write_dropped(struct writer *w, const struct watch_inst *i)
{
    begin_event(w, 'i', warp_row(i->slot, ROW_FETCH));
    strbuf_printf(w->out, ",\"ts\":%" PRIu64 ",\"s\":\"t\",\"cat\":\"flush\",\"name\":\"drop 0x%04x\"}",
                  i->issued, program_pc(program_of(w, i->launch), i->inst));
}

static void end_fetch(struct writer *w, unsigned slot)
{
    struct fetch_group *g = &w->fetch[slot];
    if (!g->count) return;
    if (g->to > g->from) {
        begin_slice(w, warp_row(slot, ROW_FETCH), g->from, g->to, "fetch");
        strbuf_printf(w->out, "\"fetch 0x%04x\",\"args\":{\"instructions\":%u}}",
                      program_pc(program_of(w, g->launch), g->inst), g->count);
    }
    g->count = 0;
}

static void add_fetch(struct writer *w, const struct watch_inst *i)
{
    struct fetch_group *g = &w->fetch[i->slot];
    if (g->count && (g->from != i->fetched || g->launch != i->launch)) end_fetch(w, i->slot);
    if (!g->count)
        *g =
            (struct fetch_group){.from = i->fetched, .to = i->buffered, .inst = i->inst, .launch = i->launch};
    if (i->flushed && i->issued < g->to) g->to = i->issued;
    g->count++;
}

static void write_insts(struct writer *w)
{
    for (size_t k = 0; k < w->sm->insts.count; k++) {
        const struct watch_inst *i = &w->sm->insts.data[k];
        if (!is_shown(w, i->launch)) continue;
        add_fetch(w, i);
        if (i->flushed)
            write_dropped(w, i);
        else
            write_issued(w, i);
    }
    for (unsigned slot = 0; slot < WATCH_WARPS; slot++) end_fetch(w, slot);
}

// -- spans --------------------------------------------------------------------------------------------------

static const char *const state_names[WATCH_STATES] = {
    [WATCH_BUSY] = "issues",
    [WATCH_FETCH] = "not fetched",
    [WATCH_CODE] = "instruction cache miss",
    [WATCH_ALU] = "waits for a result",
    [WATCH_MEMORY] = "waits for memory",
    [WATCH_CONSTANT] = "constant cache miss",
    [WATCH_BARRIER] = "at a barrier",
    [WATCH_UNIT] = "unit busy",
    [WATCH_OPERAND] = "operands busy",
    [WATCH_SYNC] = "other warps, by a mechanism",
    [WATCH_COPY] = "asynchronous copies",
    [WATCH_READY] = "ready, another went",
};

const char *timeline_state(enum watch_state state) { return state_names[state]; }

static void write_wait(struct writer *w, const struct watch_span *s)
{
    const struct program *p = program_of(w, s->launch);
    begin_slice(w, warp_row(s->slot, ROW_LIFE), s->from, s->to, "wait");
    json_quote(w->out, state_names[s->state]);
    strbuf_puts(w->out, ",\"args\":{");
    if (s->inst < p->inst_count) {
        strbuf_puts(w->out, "\"instruction\":");
        json_quote(w->out, timeline_inst(&w->texts, p, s->inst));
        strbuf_putc(w->out, ',');
        write_place(w, s->launch, s->inst);
    }
    strbuf_puts(w->out, "}}");
}

static void write_life(struct writer *w, const struct watch_span *s)
{
    bool is_warp = s->kind == WATCH_WARP;
    begin_slice(w, is_warp ? warp_row(s->slot, ROW_LIFE) : 1u + s->slot, s->from, s->to,
                is_warp ? "warp" : "block");
    strbuf_printf(w->out, "\"block (%u,%u,%u)", s->block[0], s->block[1], s->block[2]);
    if (is_warp) strbuf_printf(w->out, " warp %u", s->index);
    strbuf_printf(w->out, "\",\"args\":{\"launch\":%u}}", s->launch);
}

static void write_late(struct writer *w, const struct watch_span *s)
{
    begin_slice(w, 1u + s->slot, s->from, s->to, "block");
    strbuf_printf(w->out, "\"not started: warp %u and those behind\",\"args\":{\"launch\":%u}}", s->index,
                  s->launch);
}

static void write_span(struct writer *w, const struct watch_span *s)
{
    switch ((enum watch_span_kind)s->kind) {
    case WATCH_WAIT: write_wait(w, s); break;
    case WATCH_LATE: write_late(w, s); break;
    case WATCH_WARP:
    case WATCH_BLOCK: write_life(w, s); break;
    }
}

static bool is_life(const struct watch_span *s) { return s->kind == WATCH_WARP || s->kind == WATCH_BLOCK; }

// Writes the spans of blocks and warps first, since the waits written next nest inside.
static void write_spans(struct writer *w)
{
    for (unsigned nested = 0; nested < 2; nested++) {
        for (size_t k = 0; k < w->sm->spans.count; k++) {
            const struct watch_span *s = &w->sm->spans.data[k];
            if (is_shown(w, s->launch) && is_life(s) == !nested) write_span(w, s);
        }
    }
}

static void name_rows(struct writer *w)
{
    uint64_t warps = 0, blocks = 0;
    char name[40];
    for (size_t k = 0; k < w->sm->spans.count; k++) {
        const struct watch_span *s = &w->sm->spans.data[k];
        if (!is_shown(w, s->launch)) continue;
        if (s->kind == WATCH_BLOCK || s->kind == WATCH_LATE)
            blocks |= 1ull << s->slot;
        else
            warps |= 1ull << s->slot;
    }
    for (unsigned n = 0; n < WATCH_BLOCKS; n++) {
        if (!(blocks >> n & 1)) continue;
        snprintf(name, sizeof name, "block slot %u", n);
        name_row(w, 1 + n, name);
    }
    for (unsigned n = 0; n < WATCH_WARPS; n++) {
        if (!(warps >> n & 1)) continue;
        snprintf(name, sizeof name, "warp %02u", n);
        name_row(w, warp_row(n, ROW_LIFE), name);
        snprintf(name, sizeof name, "warp %02u fetch", n);
        name_row(w, warp_row(n, ROW_FETCH), name);
    }
}

// Appends ": vecadd, scan": the first three different names of kernels launched in the stream; then "…" if
// the stream has further names.
static void print_kernels(const struct writer *w, struct strbuf *out)
{
    enum { MOST = 3 };
    const char *names[MOST];
    unsigned count = 0;
    for (size_t k = 0; k < w->watcher->launches.count; k++) {
        const char *name = program_of(w, (uint32_t)k)->name;
        unsigned n = 0;
        while (n < count && !str_equal(names[n], name)) n++;
        if (!is_shown(w, (uint32_t)k) || n < count) continue;
        strbuf_printf(out, "%s%s", count ? ", " : ": ", count < MOST ? name : "…");
        if (count == MOST) return;
        names[count++] = name;
    }
}

static bool has_shown(const struct writer *w)
{
    for (size_t k = 0; k < w->sm->spans.count; k++)
        if (is_shown(w, w->sm->spans.data[k].launch)) return true;
    for (size_t k = 0; k < w->sm->insts.count; k++)
        if (is_shown(w, w->sm->insts.data[k].launch)) return true;
    return false;
}

// Writes a process of the trace: the SM's launches in stream w->stream. is_only: no other stream exists, so
// the process's name mentions no stream.
static void write_part(struct writer *w, bool is_only)
{
    struct strbuf name = {0};
    const char *class = w->sm->class;
    strbuf_printf(&name, "SM %u%s%s%s", w->index, *class ? " (" : "", class, *class ? ")" : "");
    if (!is_only) {
        strbuf_puts(&name, ", ");
        timeline_print_stream(&w->streams.all.data[w->stream], &name);
        print_kernels(w, &name);
    }
    name_process(w, name.text);
    strbuf_fini(&name);
    name_rows(w);
    write_spans(w);
    write_insts(w);
    for (unsigned slot = 0; slot < WATCH_WARPS; slot++) vec_fini(&w->ends[slot]);
}

static void write_sm(struct writer *w, unsigned index)
{
    unsigned streams = (unsigned)w->streams.all.count;
    w->sm = w->watcher->sms[index];
    w->index = index;
    for (w->stream = 0; w->stream < streams; w->stream++) {
        w->process = index * streams + w->stream;
        if (streams == 1 || has_shown(w)) write_part(w, streams == 1);
    }
}

static void write_launch(struct writer *w, const struct watch_launch *l)
{
    begin_slice(w, 1 + w->stream, l->from, l->to, "launch");
    json_quote(w->out, l->program->name);
    strbuf_printf(w->out, ",\"args\":{\"grid\":\"%u,%u,%u\",\"block\":\"%u,%u,%u\",\"launch\":%zu}}",
                  l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
                  (size_t)(l - w->watcher->launches.data));
}

static void write_launches(struct writer *w)
{
    name_process(w, "GPU");
    for (w->stream = 0; w->stream < w->streams.all.count; w->stream++) {
        struct strbuf name = {0};
        if (w->streams.all.count == 1)
            strbuf_puts(&name, "launches");
        else
            timeline_print_stream(&w->streams.all.data[w->stream], &name);
        name_row(w, 1 + w->stream, name.text);
        strbuf_fini(&name);
        for (size_t k = 0; k < w->watcher->launches.count; k++)
            if (is_shown(w, (uint32_t)k)) write_launch(w, &w->watcher->launches.data[k]);
    }
}

void report_timeline_perfetto(const struct watcher *w, struct strbuf *out)
{
    struct writer *x = heap_alloc(sizeof *x);
    x->watcher = w;
    x->out = out;
    timeline_streams_init(&x->streams, w);
    strbuf_puts(out, "{\"otherData\":{\"unit\":\"1 us is 1 core cycle\",\"truncated\":");
    strbuf_puts(out, w->truncated ? "true},\n\"traceEvents\":[" : "false},\n\"traceEvents\":[");
    write_launches(x);
    for (unsigned k = 0; k < WATCH_SMS; k++)
        if (w->sms[k]) write_sm(x, k);
    strbuf_puts(out, "\n]}\n");
    timeline_texts_fini(&x->texts);
    timeline_streams_fini(&x->streams);
    free(x);
}
