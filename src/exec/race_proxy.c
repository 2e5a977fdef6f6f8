// Fences between proxies, for the checker: the copy engine and products read shared memory by the async proxy, which sees what
// instructions have written only behind a `fence.proxy.async` (PTX ISA 8.3, 9.7.13.5).
//
//     writing thread   st.shared ─ fence.proxy.async ─┐
//     reading thread                                  └ barrier ─ (or fence.proxy.async here) ─ copy, wgmma
//
// A cell's last write by an instruction wants a fence behind it, of the thread that writes or of the warp that reads. The order of write
// and read is the detector's matter.
#include "exec/checker.h"
#include "exec/general.h"
#include "exec/race_impl.h"
#include "isa/program.h"

#include <string.h>

static bool reads_by_proxy(const struct inst *i)
{
    switch ((int)i->op) {
    case OP_UBLKST:
    case OP_UBLKRED:
    case OP_UBLKSEND:
    case OP_UBLKREDS:
    case OP_UTMASTG:
    case OP_UTMAREDG: return true;
    default: return isa_is_warpgroup(i->op);
    }
}

void race_proxy_start(struct cta *c)
{
    const struct exec *e = c->exec;
    struct race_block *b = c->race;
    bool any = false;
    for (uint32_t k = 0; e->checker && k < e->program->inst_count && !any; k++)
        any = reads_by_proxy(&e->program->insts[k]);
    if (!any) return;
    b->proxy_fences = heap_alloc(((size_t)b->warps << e->races->warp_shift) * sizeof *b->proxy_fences);
    b->proxy_clock = heap_alloc((size_t)b->warps * b->warps * sizeof *b->proxy_clock);
    b->proxy_acquired = heap_alloc(b->warps * sizeof *b->proxy_acquired);
}

const struct bound *exec_fenceview(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)regs;
    struct race_block *b = w->exec->races ? w->cta->race : NULL;
    if (!b || !b->proxy_fences) return d + 1;
    uint32_t first = w->index << w->exec->races->warp_shift, time = ++w->exec->races->time;
    for (; active; active &= active - 1) b->proxy_fences[first + bit_lowest(active)] = time;
    memcpy(&b->proxy_clock[w->index * b->warps], &b->clock[w->index * b->warps], b->warps * sizeof *b->clock);
    b->proxy_acquired[w->index] = b->acquired[w->index];
    return d + 1;
}

// Whether the last fence of the warp that reads is behind the write.
static bool is_behind(const struct warp *w, const struct race_record *write)
{
    const struct race_block *b = w->cta->race;
    unsigned shift = w->exec->races->warp_shift, writer = write->thread >> shift;
    if (writer != w->index)
        return b->proxy_clock[w->index * b->warps + writer] >= write->stamp ||
               (write->time <= b->fenced && write->time <= b->proxy_acquired[w->index]);
    for (unsigned lane = 0; lane >> shift == 0; lane++)
        if (b->proxy_fences[(w->index << shift) + lane] > write->time) return true;
    return false;
}

void race_proxy_read(struct warp *w, const struct bound *d, unsigned lane, uint64_t address, unsigned bytes)
{
    struct race_block *b = w->exec->races ? w->cta->race : NULL;
    if (!b || !b->proxy_fences || !exec_shared_holds(w, address, bytes)) return;
    const struct race_page *p = b->shared;
    size_t end = race_page_index(p, address + bytes - 1);
    for (size_t cell = race_page_index(p, address); cell <= end; cell++) {
        uint32_t access = p->cells.write[cell];
        if (access <= p->since) continue;
        struct race_record r = race_book_access(w->exec->races->book, access);
        if (r.is_copy || b->proxy_fences[r.thread] > r.time || is_behind(w, &r)) continue;
        checker_unseen(w, d, lane, &r);
        return;
    }
}
