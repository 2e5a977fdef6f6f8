// Timelines of watched launches (watch/watch.h): Chrome's trace-event JSON, which Perfetto (ui.perfetto.dev)
// opens, or Konata's log. A cycle is a microsecond there. docs/timeline.md shows both.
#pragma once
#include "base/str.h"
#include "watch/watch.h"

bool report_timeline_is_konata(const char *path); // by its ending: .kanata or .konata
void report_timeline(const struct watcher *w, bool konata, struct strbuf *out);
void report_timeline_perfetto(const struct watcher *w, struct strbuf *out);
void report_timeline_konata(const struct watcher *w, struct strbuf *out);

// The streams of the launches watched, in order of their numbers: launches of different ones have rows of their own.
struct timeline_streams {
    VEC(struct watch_stream) all;
    VEC(unsigned) of; // by launch, index into `all`
};
void timeline_streams_init(struct timeline_streams *s, const struct watcher *w);
void timeline_streams_fini(struct timeline_streams *s);
void timeline_print_stream(const struct watch_stream *s, struct strbuf *out); // "stream left"

// Texts of instructions, made once each.
struct timeline_texts {
    VEC(const struct program *) programs;
    VEC(char **) insts, lines; // by program, by instruction; NULL: not made yet
};
void timeline_texts_fini(struct timeline_texts *t);
const char *timeline_inst(struct timeline_texts *t, const struct program *p, uint32_t inst);
const char *timeline_lines(struct timeline_texts *t, const struct program *p, uint32_t inst); // "": unknown
