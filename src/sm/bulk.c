// The copy engine: see bulk.h.
#include "sm/bulk.h"
#include "exec/timed.h"
#include "isa/isa.h"
#include "sm/net.h"
#include "sm/sm_impl.h"

#include <stdlib.h>

enum { PARTS = 256 }; // of a cycle

static struct bulk_unit *unit_of(struct sm *s)
{
    if (!s->bulk) {
        s->bulk = heap_alloc(sizeof *s->bulk);
        s->bulk->step = CYCLE_NEVER;
    }
    return s->bulk;
}

void bulk_unit_fini(struct sm *s)
{
    if (!s->bulk) return;
    vec_fini(&s->bulk->queue);
    vec_fini(&s->bulk->under_way);
    free(s->bulk);
    s->bulk = NULL;
}

static void ask_for_step(struct sm *s, uint64_t cycle)
{
    struct bulk_unit *b = s->bulk;
    if (b->step <= cycle) return;
    b->step = cycle;
    lsu_land_at(s, cycle, LSU_STEP);
}

static bool is_load(const struct bulk_copy *c) { return c->kind == BULK_LOAD || c->kind == BULK_PREFETCH; }

// Cycles until the tensor map is there.
static uint32_t find_map(struct sm *s, uint64_t address)
{
    struct bulk_unit *b = s->bulk;
    for (unsigned k = 0; k < BULK_MAPS; k++)
        if (b->maps[k] == address) return 0;
    b->maps[b->next_map++ % BULK_MAPS] = address;
    return s->config->bulk_descriptor;
}

void bulk_issued(void *sm_grid, struct warp *w, struct bulk_copy *c)
{
    struct sm_grid *g = sm_grid;
    struct sm *s = g->sm;
    struct bulk_unit *b = unit_of(s);
    unsigned slot = 0;
    while (s->warps[slot].warp != w) slot++;
    uint32_t latency = is_load(c) ? s->config->bulk_latency : s->config->bulk_store_latency;
    if (c->map) latency += find_map(s, c->map);
    const struct op *o = &g->ops[c->inst - g->engine->exec.insts];
    vec_push(&b->queue,
             ((struct bulk_command){
                 .copy = c, .grid = g, .earliest = s->now + latency, .record = lsu_bulk_begins(s, slot, o)}));
    g->counts.bulk_copies++;
    g->counts.bulk_bytes += c->bytes;
    ask_for_step(s, s->now + latency);
}

// -- lines --------------------------------------------------------------------------------------------------

static uint8_t sectors_of(uint64_t address, uint32_t bytes)
{
    uint32_t first = (uint32_t)(address / SECTOR_BYTES),
             last = (uint32_t)((address + bytes - 1) / SECTOR_BYTES);
    return (uint8_t)bit_mask(last - first + 1);
}

static void request(struct sm *s, const struct bulk_command *x, uint64_t address, uint32_t bytes)
{
    uint64_t line = address - address % s->line_bytes;
    uint8_t sectors = (uint8_t)(sectors_of(address, bytes) << (address - line) / SECTOR_BYTES);
    enum memory_kind kind = is_load(x->copy) ? MEMORY_LOAD : x->copy->reduces ? MEMORY_REDUCE : MEMORY_STORE;
    if (kind == MEMORY_STORE) tags_store_through(x->grid, line, sectors);
    if (kind == MEMORY_REDUCE) tags_drop(x->grid, line);
    lsu_bulk_request(x->grid, line, sectors, kind == MEMORY_LOAD ? 0 : bytes, kind, x->record);
}

// Sends the next line of the piece; a send within the SM has lines without requests.
static void send_line(struct sm *s, struct bulk_command *x)
{
    struct bulk_unit *b = s->bulk;
    const struct bulk_piece *p = &x->copy->pieces.data[x->piece];
    uint64_t address = p->address + x->at, left = s->line_bytes - address % s->line_bytes;
    uint32_t bytes = p->bytes - x->at < left ? p->bytes - x->at : (uint32_t)left;
    uint32_t rate = is_load(x->copy) ? s->config->bulk_load_bytes : s->config->bulk_store_bytes;
    if (x->copy->kind != BULK_SEND) request(s, x, address, bytes);
    // A line may begin within a cycle: the engine has paused only if it was free a whole cycle ago.
    uint64_t begin = b->busy + PARTS > s->now * PARTS ? b->busy : s->now * PARTS;
    b->busy = begin + (uint64_t)bytes * PARTS / rate;
    x->at += bytes;
    if (x->at < p->bytes) return;
    x->at = 0;
    x->piece++;
}

// -- steps --------------------------------------------------------------------------------------------------

static bool may_begin(const struct sm *s, const struct bulk_command *x)
{
    const struct bulk_unit *b = s->bulk;
    return x->begun || b->under_way.count < s->config->bulk_commands || b->bytes < s->config->bulk_window;
}

// The copy lands in the other blocks of its cluster as well; it is over when all have answered. False: no other block.
static bool land_elsewhere(struct sm *s, struct bulk_command *x, unsigned slot)
{
    const struct cta *c = x->copy->warp->cta;
    uint32_t others = x->copy->blocks & ~(1u << c->rank);
    bool is_of_cluster = x->copy->kind == BULK_LOAD || x->copy->kind == BULK_SEND;
    if (!is_of_cluster || !others || x->sent) return false;
    x->sent = true;
    for (; others; others &= others - 1) net_send(x->grid, remote_copy(x->copy, bit_lowest(others)));
    lsu_bulk_expect(s, x->record, net_bind(s, slot, x->record));
    return true;
}

// All lines of the first command are sent.
static void depart(struct sm *s)
{
    struct bulk_unit *b = s->bulk;
    struct bulk_command x = b->queue.data[0];
    unsigned slot = lsu_bulk_slot(s, x.record);
    vec_push(&b->under_way, x);
    for (size_t k = 1; k < b->queue.count; k++) b->queue.data[k - 1] = b->queue.data[k];
    b->queue.count--;
    timed_bulk_depart(x.grid->engine, x.copy, s->now);
    stall_speaks_against(s);
    if (x.copy->kind == BULK_STORE && s->warps[slot].warp->state != WARP_DONE) ready_evaluate(s, slot);
    if (x.copy->kind == BULK_SEND) land_elsewhere(s, &vec_last(&b->under_way), slot);
    lsu_bulk_sent(s, x.record);
}

void bulk_step(struct sm *s)
{
    struct bulk_unit *b = s->bulk;
    b->step = CYCLE_NEVER;
    while (b->queue.count) {
        struct bulk_command *x = &b->queue.data[0];
        uint64_t free = (b->busy + PARTS - 1) / PARTS, due = later(x->earliest, free);
        if (!may_begin(s, x)) return; // bulk_complete goes on
        if (due > s->now) {
            ask_for_step(s, due);
            return;
        }
        if (!x->begun) b->bytes += x->copy->bytes;
        x->begun = true;
        if (x->piece < x->copy->pieces.count) send_line(s, x);
        if (x->piece == x->copy->pieces.count) depart(s);
    }
}

void bulk_complete(struct sm *s, uint32_t record)
{
    struct bulk_unit *b = s->bulk;
    unsigned slot = lsu_bulk_slot(s, record);
    struct warp *w = s->warps[slot].warp;
    size_t k = 0;
    while (b->under_way.data[k].record != record) k++;
    if (land_elsewhere(s, &b->under_way.data[k], slot)) {
        bulk_land_own(b->under_way.data[k].copy);
        return;
    }
    struct bulk_command x = b->under_way.data[k];
    b->under_way.data[k] = b->under_way.data[--b->under_way.count];
    b->bytes -= x.copy->bytes;
    uint32_t rows = x.copy->kind == BULK_PREFETCH ? 0 : (x.copy->bytes + 127) / 128;
    if (x.copy->kind == BULK_LOAD || x.copy->kind == BULK_SEND)
        bulk_land(x.copy);
    else
        bulk_leave(x.copy);
    stall_speaks_against(s);
    lsu_bulk_over(x.grid, slot, record, rows);
    if (w->state == WARP_DONE)
        room_warp_ended(s, slot);
    else
        ready_evaluate(s, slot);
    if (b->queue.count) ask_for_step(s, s->now + 1);
}
