// How far a plan is, from the names in its queue and the beats of its workers; and what can be done about it from outside.
#pragma once
#include "cluster/beat.h"
#include "cluster/plan.h"

// A report for people: how many points are done, running where and since when, failed and why, waiting; the rate, the time to go. Each point counts once.
bool status_write(const struct plan *p, struct strbuf *out, struct diag *d);
// "2 h 03 min".
void status_put_time(struct strbuf *out, double seconds);
// Points that were given up are anybody's again. *count: how many.
bool status_retry(const struct plan *p, size_t *count, struct diag *d);
// Why a point failed the last time; heap.
char *status_reason(const struct plan *p, const char *id);
