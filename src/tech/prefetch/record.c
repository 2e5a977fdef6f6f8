// Outcomes of prefetched lines, as far as the record holds them, and the throttle driven by the outcomes.
//
//     asked ── arrives ──▶ there ── hit by a warp ──▶ useful
//       │                    └── evicted before a warp's access ──▶ early
//       └── accessed by a warp before the arrival ──▶ late
#include "tech/prefetch/prefetch.h"

#include <stdlib.h>

void prefetch_record_init(struct prefetch_record *r, const struct prefetch_options *o, uint32_t line_bytes,
                          uint64_t *counters)
{
    *r = (struct prefetch_record){.options = o,
                                  .counters = counters,
                                  .line_bytes = line_bytes,
                                  .next = o->period,
                                  .degree = o->throttle ? PREFETCH_BEGIN : 0};
    r->lines = heap_alloc(o->record * sizeof *r->lines);
}

void prefetch_record_fini(struct prefetch_record *r) { free(r->lines); }

static struct prefetch_line *place_of(const struct prefetch_record *r, uint64_t line)
{
    return &r->lines[line / r->line_bytes % r->options->record];
}

bool prefetch_record_has(const struct prefetch_record *r, uint64_t line)
{
    const struct prefetch_line *x = place_of(r, line);
    return x->state != PREFETCH_NONE && x->line == line;
}

void prefetch_record_asked(struct prefetch_record *r, uint64_t line)
{
    struct prefetch_line *x = place_of(r, line);
    r->counters[PREFETCH_forgotten] += x->state != PREFETCH_NONE;
    *x = (struct prefetch_line){line, PREFETCH_ASKED};
    r->counters[PREFETCH_asked]++;
}

void prefetch_record_came(struct prefetch_record *r, uint64_t line)
{
    struct prefetch_line *x = place_of(r, line);
    r->counters[PREFETCH_came]++;
    if (x->state == PREFETCH_ASKED && x->line == line) x->state = PREFETCH_THERE;
}

bool prefetch_record_met(struct prefetch_record *r, uint64_t line, enum line_outcome outcome)
{
    struct prefetch_line *x = place_of(r, line);
    if (x->state == PREFETCH_NONE || x->line != line) return false;
    if (x->state == PREFETCH_ASKED)
        r->counters[PREFETCH_late]++;
    else
        r->counters[outcome == LINE_HIT ? PREFETCH_useful : PREFETCH_early]++;
    x->state = PREFETCH_NONE;
    return true;
}

// Per mille; 0 if the whole is 0.
static uint64_t share(uint64_t part, uint64_t whole) { return whole ? 1000 * part / whole : 0; }

// If many prefetched lines are evicted early, useful lines are displaced: no prefetches in the next period.
// If some are evicted early, or warps access few prefetched lines: fewer prefetches. Otherwise: more. After a
// period without prefetches nothing was learned: a few again.
static void look_again(struct prefetch_record *r)
{
    const struct prefetch_options *o = r->options;
    const uint64_t *n = r->counters;
    uint64_t met = n[PREFETCH_useful] + n[PREFETCH_late] - r->met, early = n[PREFETCH_early] - r->early;
    uint64_t of_early = share(early, met + early), of_met = share(met, n[PREFETCH_asked] - r->asked);
    if (r->degree == PREFETCH_DEGREES)
        r->degree--;
    else if (of_early >= o->early_high)
        r->degree = PREFETCH_DEGREES;
    else if (of_early >= o->early_low || of_met < o->met_high)
        r->degree++;
    else if (r->degree)
        r->degree--;
    r->asked = n[PREFETCH_asked];
    r->met = n[PREFETCH_useful] + n[PREFETCH_late];
    r->early = n[PREFETCH_early];
}

bool prefetch_record_lets(struct prefetch_record *r, uint64_t now)
{
    if (!r->options->throttle) return true;
    for (; now >= r->next; r->next += r->options->period) {
        look_again(r);
        r->counters[PREFETCH_periods]++;
        r->counters[PREFETCH_degree] += r->degree;
    }
    r->turn = (r->turn + 1) % PREFETCH_DEGREES;
    return r->turn >= r->degree;
}
