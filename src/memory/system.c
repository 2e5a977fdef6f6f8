// Ports of the SMs, partitions, and the bags between them. Each sender has a pair of bags: one is filled in
// the current window while the receivers empty the other.
#include "memory/system.h"
#include "base/bits.h"
#include "memory/address.h"
#include "memory/fifo.h"
#include "memory/partition.h"

struct port { // of one SM
    struct bag out[2];
    struct arrivals arriving;
    FIFO(struct memory_reply) replies;
    uint64_t output_free, input_free; // interconnect cycles
    uint64_t pushed, taken;
    uint64_t arrived; // SM 0: number of replies so far, to find the reply that sim.lose_reply drops
    char apart[HOST_LINE];
};

struct memory_system {
    struct memory_config c;
    struct memory_map map;
    struct clock_ratio icnt;
    unsigned sm_count;
    unsigned filling; // index, 0 or 1, of the bags filled in this window
    uint64_t now;     // start of the window
    // bits: SMs, and (answering) partitions, with packets in the bags to be emptied
    uint64_t sms[BAG_WORDS], answering[BAG_WORDS];
    struct port *ports;
    struct partition **partitions;
    struct bag (*replies)[2]; // by partition
};

struct memory_system *memory_system_create(const struct memory_config *c, unsigned sm_count)
{
    struct memory_system *m = heap_alloc(sizeof *m);
    m->c = *c;
    memory_map_init(&m->map, c);
    m->icnt = (struct clock_ratio){c->core_mhz, c->icnt_mhz};
    m->sm_count = sm_count;
    m->ports = heap_alloc(sm_count * sizeof *m->ports);
    for (unsigned k = 0; k < sm_count; k++)
        for (unsigned side = 0; side < 2; side++) bag_init(&m->ports[k].out[side], c->partitions);
    m->partitions = heap_alloc(c->partitions * sizeof *m->partitions);
    m->replies = heap_alloc(c->partitions * sizeof *m->replies);
    for (unsigned k = 0; k < c->partitions; k++) {
        m->partitions[k] = partition_create(&m->c, k, sm_count);
        for (unsigned side = 0; side < 2; side++) bag_init(&m->replies[k][side], sm_count);
    }
    return m;
}

void memory_system_destroy(struct memory_system *m)
{
    if (!m) return;
    for (unsigned k = 0; k < m->sm_count; k++) {
        for (unsigned side = 0; side < 2; side++) bag_fini(&m->ports[k].out[side]);
        vec_fini(&m->ports[k].arriving.packets);
        fifo_fini(&m->ports[k].replies);
    }
    for (unsigned k = 0; k < m->c.partitions; k++) {
        partition_destroy(m->partitions[k]);
        for (unsigned side = 0; side < 2; side++) bag_fini(&m->replies[k][side]);
    }
    free(m->ports);
    free(m->partitions);
    free(m->replies);
    free(m);
}

uint64_t memory_system_window(const struct memory_config *c)
{
    return clock_to_core((struct clock_ratio){c->core_mhz, c->icnt_mhz}, c->icnt_latency);
}

// -- between windows ----------------------------------------------------------------------------------------

void memory_system_hand_over(struct memory_system *m, uint64_t now)
{
    for (unsigned k = 0; k < BAG_WORDS; k++) m->sms[k] = m->answering[k] = 0;
    for (unsigned k = 0; k < m->sm_count; k++)
        if (m->ports[k].out[m->filling].packets.count) m->sms[k / 64] |= 1ull << k % 64;
    for (unsigned k = 0; k < m->c.partitions; k++)
        if (m->replies[k][m->filling].packets.count) m->answering[k / 64] |= 1ull << k % 64;
    m->filling ^= 1;
    m->now = now;
}

bool memory_system_has_replies(const struct memory_system *m)
{
    uint64_t any = 0;
    for (unsigned k = 0; k < BAG_WORDS; k++) any |= m->answering[k];
    return any;
}

uint64_t memory_system_next(const struct memory_system *m, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (unsigned k = 0; k < m->sm_count; k++) {
        const struct port *p = &m->ports[k];
        if (p->out[m->filling].packets.count) return now;
        if (p->replies.count && fifo_head(&p->replies).cycle < next) next = fifo_head(&p->replies).cycle;
    }
    for (unsigned k = 0; k < m->c.partitions && next > now; k++) {
        if (m->replies[k][m->filling].packets.count) return now;
        uint64_t cycle = partition_next(m->partitions[k]);
        if (cycle < next) next = cycle;
    }
    return next > now ? next : now;
}

uint64_t memory_system_unanswered(const struct memory_system *m)
{
    uint64_t waiting = 0;
    for (unsigned k = 0; k < m->sm_count; k++) waiting += m->ports[k].pushed - m->ports[k].taken;
    return waiting;
}

bool memory_system_is_idle(const struct memory_system *m)
{
    return !memory_system_unanswered(m) && memory_system_next(m, 0) == UINT64_MAX;
}

const char *memory_system_check(const struct memory_system *m)
{
    const char *wrong = NULL;
    for (unsigned k = 0; k < m->c.partitions && !wrong; k++) wrong = partition_check(m->partitions[k]);
    if (!wrong && !memory_system_is_idle(m)) wrong = "a memory request has no reply";
    return wrong;
}

void memory_system_clear_caches(struct memory_system *m, uint64_t from, uint64_t to)
{
    for (unsigned k = 0; k < m->c.partitions; k++) partition_clear_caches(m->partitions[k], from, to);
}

void memory_system_close(struct memory_system *m, bool is_closed)
{
    for (unsigned k = 0; k < m->c.partitions; k++) partition_close(m->partitions[k], is_closed);
}

void memory_system_fill(struct memory_system *m, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;
    for (uint64_t sector = address - address % SECTOR_BYTES; sector < end; sector += SECTOR_BYTES) {
        struct memory_place place = memory_place_at(&m->map, sector);
        uint64_t line = sector - sector % m->c.line_bytes;
        partition_fill(m->partitions[place.channel], place.slice % m->c.slices, line,
                       (uint8_t)(1u << (sector - line) / SECTOR_BYTES));
    }
}

void memory_system_counts(const struct memory_system *m, unsigned grid, struct memory_counts *out)
{
    *out = (struct memory_counts){0};
    for (unsigned k = 0; k < m->c.partitions; k++) partition_counts(m->partitions[k], grid, out);
}

// -- within a window ----------------------------------------------------------------------------------------

unsigned memory_system_partitions(const struct memory_system *m) { return m->c.partitions; }

void memory_system_run(struct memory_system *m, unsigned partition, uint64_t until)
{
    struct partition *p = m->partitions[partition];
    struct bag *replies = &m->replies[partition][m->filling];
    bag_clear(replies);
    for (unsigned w = 0; w < BAG_WORDS; w++)
        for (uint64_t left = m->sms[w]; left; left &= left - 1)
            arrivals_gather(partition_arrivals(p), &m->ports[w * 64 + bit_lowest(left)].out[!m->filling],
                            partition);
    partition_accept(p, clock_from_core(m->icnt, m->now));
    partition_run(p, until, replies);
}

// Queues a reply for an SM, except the reply number sim.lose_reply to SM 0, which is dropped.
static void reply(struct memory_system *m, struct port *p, const struct memory_reply *r)
{
    if (r->sm == 0 && ++p->arrived == m->c.lose_reply) return;
    fifo_push(&p->replies, *r);
}

void memory_system_open(struct memory_system *m, unsigned sm)
{
    struct port *p = &m->ports[sm];
    bag_clear(&p->out[m->filling]);
    for (unsigned w = 0; w < BAG_WORDS; w++)
        for (uint64_t left = m->answering[w]; left; left &= left - 1)
            arrivals_gather(&p->arriving, &m->replies[w * 64 + bit_lowest(left)][!m->filling], sm);
    arrivals_sort(&p->arriving);
    for (size_t k = 0; k < p->arriving.packets.count; k++) {
        const struct packet *a = &p->arriving.packets.data[k];
        uint64_t cycle =
            clock_to_core(m->icnt, crossbar_arrive(&m->c, &p->input_free, a, crossbar_sm_cycles(&m->c, a)));
        reply(m, p, &(struct memory_reply){cycle, a->token, a->sm, a->sectors, a->grid, a->from_dram});
    }
    p->arriving.packets.count = 0;
}

// The sender's last packet if packet `k` can ride in it: both are loads of one grid to one slice. Else NULL.
// The sender makes no packet between the two, so the loads stay neighbours up to the tags.
static const struct packet *packet_before(const struct bag *b, const struct packet *k)
{
    if (!b->packets.count) return NULL;
    const struct packet *before = &vec_last(&b->packets);
    bool fits = before->kind == MEMORY_LOAD && k->kind == MEMORY_LOAD && before->grid == k->grid &&
                before->slice == k->slice;
    return fits ? before : NULL;
}

static bool is_perfect(const struct memory_config *c, const struct memory_request *r)
{
    return c->perfect || (c->perfect_atomics && (r->kind == MEMORY_ATOMIC || r->kind == MEMORY_REDUCE));
}

void memory_system_push(struct memory_system *m, const struct memory_request *r)
{
    struct port *p = &m->ports[r->sm];
    if (is_perfect(&m->c, r)) {
        p->pushed++;
        uint64_t cycle = r->cycle + memory_system_window(&m->c); // past the current window
        reply(m, p, &(struct memory_reply){cycle, r->token, r->sm, r->sectors, r->grid, false});
        return;
    }
    struct memory_place place = memory_place_at(&m->map, r->line);
    struct packet k = {.start = clock_from_core(m->icnt, r->cycle),
                       .line = r->line,
                       .token = r->token,
                       .slice = place.slice,
                       .sm = r->sm,
                       .flits = (uint16_t)crossbar_flits(&m->c, r->data_bytes),
                       .sectors = r->sectors,
                       .kind = r->kind,
                       .grid = r->grid,
                       .is_partial =
                           r->kind == MEMORY_STORE && r->data_bytes < bit_count8(r->sectors) * SECTOR_BYTES};
    const struct packet *before = r->rides ? packet_before(&p->out[m->filling], &k) : NULL;
    if (before) {
        k.start = before->start;
        k.flits = 0;
    } else {
        k.start = u64_max(k.start, p->output_free);
        p->output_free = k.start + k.flits;
    }
    k.turn = crossbar_turn(k.start, k.sm, m->sm_count);
    p->pushed++;
    bag_add(&p->out[m->filling], place.channel, &k);
}

bool memory_system_take(struct memory_system *m, unsigned sm, uint64_t until, struct memory_reply *r)
{
    struct port *p = &m->ports[sm];
    if (!p->replies.count || fifo_head(&p->replies).cycle >= until) return false;
    *r = fifo_head(&p->replies);
    fifo_pop(&p->replies);
    p->taken++;
    return true;
}
