#include "memory/crossbar.h"
#include "base/bits.h"
#include "memory/system.h"

#include <string.h>

void bag_init(struct bag *b, unsigned receivers)
{
    *b = (struct bag){0};
    b->first = heap_alloc(2 * receivers * sizeof *b->first + HOST_LINE);
    b->last = b->first + receivers;
}

void bag_fini(struct bag *b)
{
    vec_fini(&b->packets);
    free(b->first);
}

void bag_clear(struct bag *b)
{
    b->packets.count = 0;
    memset(b->receivers, 0, sizeof b->receivers);
}

void bag_add(struct bag *b, unsigned receiver, const struct packet *p)
{
    uint32_t n = (uint32_t)b->packets.count;
    vec_push(&b->packets, *p);
    b->packets.data[n].next = PACKET_NONE;
    if (bag_has(b, receiver))
        b->packets.data[b->last[receiver]].next = n;
    else
        b->first[receiver] = n;
    b->last[receiver] = n;
    b->receivers[receiver / 64] |= 1ull << receiver % 64;
}

void arrivals_append(struct arrivals *a, const struct bag *b, unsigned receiver)
{
    for (uint32_t n = b->first[receiver]; n != PACKET_NONE; n = b->packets.data[n].next)
        vec_push(&a->packets, b->packets.data[n]);
}

static bool goes_before(const struct packet *a, const struct packet *b)
{
    return a->start != b->start ? a->start < b->start : a->turn < b->turn;
}

// Insertion sort: a window has few packets per receiver, already in order for each sender.
void arrivals_sort(struct arrivals *a)
{
    for (size_t k = 1; k < a->packets.count; k++) {
        if (!goes_before(&a->packets.data[k], &a->packets.data[k - 1])) continue; // already in place
        struct packet p = a->packets.data[k];
        size_t at = k;
        for (; at && goes_before(&p, &a->packets.data[at - 1]); at--)
            a->packets.data[at] = a->packets.data[at - 1];
        a->packets.data[at] = p;
    }
}

static uint32_t cycles_of(const struct memory_config *c, uint32_t data_bytes, uint32_t port_bytes)
{
    uint32_t bytes = c->icnt_header_bytes + data_bytes;
    uint32_t cycles = (bytes + port_bytes - 1) / port_bytes;
    return cycles ? cycles : 1;
}

uint32_t crossbar_flits(const struct memory_config *c, uint32_t data_bytes)
{
    return cycles_of(c, data_bytes, c->icnt_flit_bytes);
}

uint32_t crossbar_sm_cycles(const struct memory_config *c, const struct packet *p)
{
    if (!c->icnt_sm_bytes || !memory_has_data(p->kind)) return p->flits;
    return cycles_of(c, (uint32_t)bit_count8(p->sectors) * SECTOR_BYTES, c->icnt_sm_bytes);
}
