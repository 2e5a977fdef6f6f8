// Outcomes of prefetched lines, as far as the record holds them, and the throttle driven by the outcomes.
//
//     asked ── arrives ──▶ there ── hit by a warp ──▶ useful
//       │                    └── evicted before a warp's access ──▶ early
//       └── accessed by a warp before the arrival ──▶ late
#include "tech/mta/mta.h"

#include <stdlib.h>

void mta_record_init(struct mta_record *r, const struct mta_options *o, uint32_t line_bytes,
                     uint64_t *counters)
{
    *r = (struct mta_record){.options = o,
                             .counters = counters,
                             .line_bytes = line_bytes,
                             .next = o->period,
                             .degree = o->throttle ? MTA_BEGIN : 0};
    r->lines = heap_alloc(o->record * sizeof *r->lines);
}

void mta_record_fini(struct mta_record *r) { free(r->lines); }

static struct mta_line *place_of(const struct mta_record *r, uint64_t line)
{
    return &r->lines[line / r->line_bytes % r->options->record];
}

bool mta_record_has(const struct mta_record *r, uint64_t line)
{
    const struct mta_line *x = place_of(r, line);
    return x->state != MTA_NONE && x->line == line;
}

void mta_record_asked(struct mta_record *r, uint64_t line)
{
    struct mta_line *x = place_of(r, line);
    r->counters[COUNT_forgotten] += x->state != MTA_NONE;
    *x = (struct mta_line){line, MTA_ASKED};
    r->counters[COUNT_asked]++;
}

void mta_record_came(struct mta_record *r, uint64_t line)
{
    struct mta_line *x = place_of(r, line);
    r->counters[COUNT_came]++;
    if (x->state == MTA_ASKED && x->line == line) x->state = MTA_THERE;
}

void mta_record_met(struct mta_record *r, uint64_t line, enum line_outcome outcome)
{
    struct mta_line *x = place_of(r, line);
    if (x->state == MTA_NONE || x->line != line) return;
    if (x->state == MTA_ASKED)
        r->counters[COUNT_late]++;
    else
        r->counters[outcome == LINE_HIT ? COUNT_useful : COUNT_early]++;
    x->state = MTA_NONE;
}

// Per mille; 0 if the whole is 0.
static uint64_t share(uint64_t part, uint64_t whole) { return whole ? 1000 * part / whole : 0; }

// If many prefetched lines are evicted early, useful lines are displaced: no prefetches in the next period.
// If some are evicted early, or warps access few prefetched lines: fewer prefetches. Otherwise: more. After a
// period without prefetches nothing was learned: a few again.
static void look_again(struct mta_record *r)
{
    const struct mta_options *o = r->options;
    const uint64_t *n = r->counters;
    uint64_t met = n[COUNT_useful] + n[COUNT_late] - r->met, early = n[COUNT_early] - r->early;
    uint64_t of_early = share(early, met + early), of_met = share(met, n[COUNT_asked] - r->asked);
    if (r->degree == MTA_DEGREES)
        r->degree--;
    else if (of_early >= o->early_high)
        r->degree = MTA_DEGREES;
    else if (of_early >= o->early_low || of_met < o->met_high)
        r->degree++;
    else if (r->degree)
        r->degree--;
    r->asked = n[COUNT_asked];
    r->met = n[COUNT_useful] + n[COUNT_late];
    r->early = n[COUNT_early];
}

bool mta_record_lets(struct mta_record *r, uint64_t now)
{
    if (!r->options->throttle) return true;
    for (; now >= r->next; r->next += r->options->period) {
        look_again(r);
        r->counters[COUNT_periods]++;
        r->counters[COUNT_degree] += r->degree;
    }
    r->turn = (r->turn + 1) % MTA_DEGREES;
    return r->turn >= r->degree;
}
