// The unmodified run beside a run with mechanisms, for the stepping page of --timeline.
#pragma once
#include "cli/session.h"

struct options;

struct unmodified {
    struct session session;
    struct results results; // discarded
    struct diag diag;
    struct wf_context *context; // NULL: no run beside
};

// Whether the options ask for a run beside: a stepping page, and mechanisms.
bool unmodified_is_wanted(const struct options *o);
// Settings of the options, without mechanisms. WF_OK or WF_BAD_USAGE.
enum wf_status unmodified_settings(const struct options *o, struct wf_context *c, struct diag *d);
// If wanted: runs once more, with the sources of `s`, and keeps the record of the timeline. A failure is a warning of
// `s`; the record goes up to the failure.
void unmodified_run(struct unmodified *b, const struct options *o, struct session *s);
void unmodified_fini(struct unmodified *b);
