// The load/store unit's part in bulk copies (bulk.h): records of their replies, and the slots of their warps, which stay
// until the copies are over. Also: what is left at the end of a grid.
#include "sm/bulk.h"
#include "sm/sm_impl.h"

uint32_t lsu_bulk_begins(struct sm *s, unsigned slot, const struct op *o)
{
    uint32_t record = lsu_new_record(s, slot, o, LSU_LOAD);
    s->lsu.records.data[record].copy = COPY_BULK;
    s->lsu.copies_of[slot]++;
    return record;
}

unsigned lsu_bulk_slot(const struct sm *s, uint32_t record) { return s->lsu.records.data[record].warp; }

void lsu_bulk_request(struct sm_grid *g, uint64_t line, uint8_t sectors, unsigned bytes,
                      enum memory_kind kind, uint32_t record)
{
    g->sm->lsu.records.data[record].remaining++;
    lsu_request(g, line, sectors, bytes, kind, (uint32_t)TOKEN_RECORD << TOKEN_SHIFT | record);
}

void lsu_bulk_expect(struct sm *s, uint32_t record, uint32_t replies)
{
    s->lsu.records.data[record].remaining += replies;
}

void lsu_bulk_sent(struct sm *s, uint32_t record)
{
    struct load_record *r = &s->lsu.records.data[record];
    r->issued = true;
    if (!r->remaining) bulk_complete(s, record);
}

void lsu_bulk_over(struct sm_grid *g, unsigned slot, uint32_t record, uint32_t rows)
{
    struct sm *s = g->sm;
    g->counts.shared_accesses += rows;
    s->lsu.copies_of[slot]--;
    lsu_free_record(s, record);
    lsu_look_again(s);
}

bool lsu_is_done_with(const struct sm_grid *g)
{
    const struct lsu *l = &g->sm->lsu;
    for (uint32_t k = 0; k < l->count; k++)
        if (l->queue[(l->first + k) % g->sm->config->lsu_queue].grid == g) return false;
    return g->lsu.requested == g->lsu.replied && !g->lsu.early;
}

const char *lsu_check(const struct sm *s)
{
    const struct lsu *l = &s->lsu;
    if (l->count || l->records_used || l->copies || l->early_count || !tags_are_quiet(s))
        return "something is still under way";
    if (l->asked || l->parked || l->turn || l->line_count || l->kept)
        return "a warp still waits in line for the load/store unit";
    return NULL;
}
