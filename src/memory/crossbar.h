// Packets between SMs and partitions. Every port moves a flit a cycle of the interconnect. The sender's port
// is reserved when a packet is made, the receiver's when it arrives there, in order of (first flit's
// departure, sender, from another one on each cycle); so sender and receiver need to meet only once a window,
// when the sender hands over what it made: both may be simulated at once.
//
//     sender: start = when its port is free ─▶ bag ─▶ receiver: arrives = start + latency, or when its port is
#pragma once
#include "base/vec.h"
#include "memory/clock.h"
#include "memory/config.h"

struct packet {
    uint64_t start; // interconnect cycle in which its first flit leaves
    uint64_t line;
    uint32_t token;
    uint32_t slice;
    uint16_t sm;
    uint16_t flits; // 0: it is in the packet of the one before
    uint8_t sectors, kind, grid;
    bool is_partial; // a store that writes a part of some of its sectors
    uint32_t turn;   // among packets of one start: the smallest goes first
    uint32_t next;   // in a bag
};

enum { PACKET_NONE = UINT32_MAX, BAG_WORDS = 4 };

// What one sender made in a window, a list for each receiver.
struct bag {
    VEC(struct packet) packets;
    uint32_t *first, *last;        // by receiver
    uint64_t receivers[BAG_WORDS]; // bits: there is something for them
};

void bag_init(struct bag *b, unsigned receivers);
void bag_fini(struct bag *b);
void bag_clear(struct bag *b);
void bag_add(struct bag *b, unsigned receiver, const struct packet *p);
static inline bool bag_has(const struct bag *b, unsigned receiver)
{
    return b->receivers[receiver / 64] >> receiver % 64 & 1;
}

// A receiver's packets, sorted by (start, turn).
struct arrivals {
    VEC(struct packet) packets;
};

// Adds what a bag has for a receiver. The sender's number among `senders` decides its turn.
void arrivals_gather(struct arrivals *a, const struct bag *b, unsigned receiver);
void arrivals_sort(struct arrivals *a);

uint32_t crossbar_flits(const struct memory_config *c, uint32_t data_bytes);
// Which of `senders` goes first is another one each cycle.
static inline uint32_t crossbar_turn(uint64_t start, uint32_t sender, uint32_t senders)
{
    return (uint32_t)((sender + senders - start % senders) % senders);
}
// Reserves a receiver's port; the interconnect cycle in which the last flit is there: of who rides, that of the packet.
static inline uint64_t crossbar_arrive(const struct memory_config *c, uint64_t *port_free,
                                       const struct packet *p)
{
    uint64_t first = p->start + c->icnt_latency;
    if (first < *port_free) first = *port_free;
    *port_free = first + p->flits;
    return first + p->flits - 1;
}
