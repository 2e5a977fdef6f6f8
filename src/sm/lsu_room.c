// Memory of the load/store unit: its queue, the lines of the queue's entries, its records.
#include "exec/launch.h"
#include "sm/sm_impl.h"

#include <stdlib.h>
#include <string.h>

void lsu_init(struct sm *s)
{
    s->lsu.queue = heap_resize(NULL, s->config->lsu_queue * sizeof *s->lsu.queue); // written by lsu_push
    s->lsu.free_record = NONE32;
    s->lsu.next_reply = s->lsu.reply_at = CYCLE_NEVER;
}

// Room for the lines of the widest warps so far. Entries of other grids keep theirs.
void lsu_begin(struct sm_grid *g)
{
    struct lsu *l = &g->sm->lsu;
    uint32_t each = 2 * (g->launch->launch->warp_size > GROUP_LANES ? LANES_MAX : GROUP_LANES),
             entries = g->sm->config->lsu_queue;
    if (each <= l->lines_each) return;
    struct transaction *lines =
        heap_resize(NULL, (size_t)entries * each * sizeof *lines); // written by lsu_push
    for (uint32_t k = 0; k < entries; k++) {
        struct transaction *own = lines + (size_t)k * each;
        if (l->lines) memcpy(own, l->queue[k].lines, l->lines_each * sizeof *own);
        l->queue[k].lines = own;
    }
    free(l->lines);
    l->lines = lines;
    l->lines_each = each;
}

void lsu_fini(struct sm *s)
{
    free(s->lsu.queue);
    free(s->lsu.lines);
    vec_fini(&s->lsu.records);
    vec_fini(&s->lsu.landings);
}
