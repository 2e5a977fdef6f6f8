// Timelines of watched launches (watch/watch.h): Chrome's trace-event JSON, for Perfetto (ui.perfetto.dev),
// or Konata's log. Perfetto shows a cycle as a microsecond. docs/reference/timeline.md describes both
// formats.
#pragma once
#include "base/str.h"
#include "watch/watch.h"

struct program;

bool report_timeline_is_konata(const char *path); // by suffix: .kanata or .konata
bool report_timeline_is_steps(const char *path);  // by suffix: .html, the stepping page (steps.h)
void report_timeline(const struct watcher *w, bool konata, struct strbuf *out);
void report_timeline_perfetto(const struct watcher *w, struct strbuf *out);
void report_timeline_konata(const struct watcher *w, struct strbuf *out);

// Streams of the watched launches, in order of stream numbers. Launches of different streams have separate
// rows.
struct timeline_streams {
    VEC(struct watch_stream) all;
    VEC(unsigned) of; // by launch, index into `all`
};
void timeline_streams_init(struct timeline_streams *s, const struct watcher *w);
void timeline_streams_fini(struct timeline_streams *s);
void timeline_print_stream(const struct watch_stream *s, struct strbuf *out); // "stream left"

const char *timeline_state(enum watch_state state); // "at a barrier"

// Cached texts of instructions.
struct timeline_texts {
    VEC(const struct program *) programs;
    VEC(char **) insts, lines; // [program][instruction]; NULL: not yet printed
};
void timeline_texts_fini(struct timeline_texts *t);
const char *timeline_inst(struct timeline_texts *t, const struct program *p, uint32_t inst);
// "": no line information.
const char *timeline_lines(struct timeline_texts *t, const struct program *p, uint32_t inst);
