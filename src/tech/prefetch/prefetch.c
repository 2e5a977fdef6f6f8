// Requests of a prefetcher, and the hooks that hear of prefetched lines.
#include "tech/prefetch/prefetch.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "exec/memory.h"
#include "memory/cache.h"
#include "memory/config.h"

void prefetch_init(struct prefetch *p, struct sm_grid *g, const struct tech *tech,
                   const struct prefetch_options *o, uint64_t *counters)
{
    *p = (struct prefetch){.grid = g, .tech = tech, .options = o, .counters = counters};
    prefetch_record_init(&p->record, o, tech_launch(g)->memory->line_bytes, counters);
}

void prefetch_fini(struct prefetch *p) { prefetch_record_fini(&p->record); }

uint64_t prefetch_line_of(const struct prefetch *p, uint64_t address)
{
    return address & ~(uint64_t)(p->record.line_bytes - 1);
}

bool prefetch_line(struct prefetch *p, uint64_t line)
{
    uint64_t *n = p->counters;
    uint8_t sectors = (uint8_t)bit_mask(p->record.line_bytes / SECTOR_BYTES);
    if (prefetch_record_has(&p->record, line))
        n[PREFETCH_near]++;
    else if (!memory_find(tech_launch(p->grid)->launch->memory, line))
        n[PREFETCH_outside]++;
    else if (!prefetch_record_lets(&p->record, tech_now(p->grid)))
        n[PREFETCH_throttled]++;
    else if (!tech_request(p->grid, p->tech, line, sectors, 0))
        n[PREFETCH_refused]++;
    else {
        prefetch_record_asked(&p->record, line);
        n[PREFETCH_lookups] += p->options->buffer != 0;
        return true;
    }
    return false;
}

// Whether the line is looked up in the buffer: lines of global memory, but for loads past L1.
static bool is_in_buffers_way(const struct tech_line *l)
{
    return l->kind == LSU_LOAD || l->kind == LSU_STORE || l->kind == LSU_REDUCE || l->kind == LSU_ATOMIC;
}

void prefetch_access(struct prefetch *p, const struct tech_line *l)
{
    if (p->options->buffer) p->counters[PREFETCH_lookups] += is_in_buffers_way(l);
    bool looked_up = l->outcome == LINE_HIT || l->outcome == LINE_MISS || l->outcome == LINE_JOINED;
    if (l->kind != LSU_LOAD || !looked_up) return;
    bool is_foreseen = prefetch_record_met(&p->record, l->line, l->outcome);
    p->counters[PREFETCH_unforeseen] += !is_foreseen && l->outcome == LINE_MISS;
}

void prefetch_came(struct prefetch *p, uint64_t line) { prefetch_record_came(&p->record, line); }

void prefetch_buffered(struct prefetch *p, enum tech_buffered what)
{
    switch (what) {
    case TECH_BUFFER_FILLED: p->counters[PREFETCH_fills]++; break;
    case TECH_BUFFER_TAKEN: p->counters[PREFETCH_taken]++; break;
    case TECH_BUFFER_REPLACED: p->counters[PREFETCH_replaced]++; break;
    case TECH_BUFFER_DROPPED: p->counters[PREFETCH_dropped]++; break;
    }
}

const char *prefetch_check(const struct prefetch *p)
{
    const uint64_t *n = p->counters;
    if (n[PREFETCH_asked] != n[PREFETCH_came]) return "lines were asked for and have not come";
    return n[PREFETCH_fills] >= n[PREFETCH_taken] + n[PREFETCH_replaced] + n[PREFETCH_dropped]
               ? NULL
               : "more lines have left the buffer than have come";
}

uint32_t prefetch_buffer_lines(const struct prefetch_options *o)
{
    uint32_t ways = tech_buffer_ways(o->buffer);
    return o->buffer / ways * ways;
}

// A line's number has 25 bits: the lines of 4 GiB.
size_t prefetch_storage(const struct prefetch_options *o, struct tech_storage *out)
{
    enum { NUMBER = 25, LINE_BITS = 128 * 8 };
    uint64_t ways = tech_buffer_ways(o->buffer), lines = prefetch_buffer_lines(o);
    out[0] = (struct tech_storage){"lines asked for", o->record, NUMBER + 2, false, 1};
    if (!o->buffer) return 1;
    out[1] = (struct tech_storage){"tags of the buffer", lines / ways, ways * (NUMBER + 2), false, 1};
    out[2] = (struct tech_storage){"lines of the buffer", lines, LINE_BITS, false, 1};
    return 3;
}
