// Progress of a plan, from the names in the queue and the workers' beats; and reopening of points given up.
#pragma once
#include "cluster/beat.h"
#include "cluster/plan.h"

// Appends a report: points done, running (worker, start), failed (reason), waiting; rate and remaining time.
// Each point counts once. False and an error: the queue cannot be read.
bool status_write(const struct plan *p, struct strbuf *out, struct diag *d);
// Appends a time like "2 h 03 min", "3 min 05 s" or "5 s".
void status_put_time(struct strbuf *out, double seconds);
// Reopens points that were given up, without their failures and losses. *count: the number of reopened
// points. False and an error: the queue cannot be read or changed.
bool status_retry(const struct plan *p, size_t *count, struct diag *d);
// Reason of a point's latest failure, or a text that the reason is missing or broken; heap.
char *status_reason(const struct plan *p, const char *id);
