// Packets between SMs and partitions. A port moves one flit per interconnect cycle. The sender's port is
// reserved when the packet is made. The receiver's port is reserved on arrival, in order of first-flit
// departure, then of rotating sender priority. Sender and receiver meet once a window, at the hand-over of
// bags, so both may be simulated in parallel.
//
//     sender: start = when its port is free ─▶ bag ─▶ receiver: arrives = max(start + latency, free)
#pragma once
#include "base/vec.h"
#include "memory/clock.h"
#include "memory/config.h"

struct packet {
    uint64_t start; // interconnect cycle of the first flit's departure
    uint64_t line;
    uint32_t token;
    uint32_t slice;
    uint16_t sm;
    uint16_t flits; // 0: rides in the previous packet
    uint8_t sectors, kind, grid;
    bool is_partial; // a store to parts of sectors
    bool from_dram;  // a reply that waited for DRAM
    uint32_t turn;   // priority among packets with equal start; the smallest goes first
    uint32_t next;   // index in the bag of the next packet for the same receiver; PACKET_NONE: none
};

enum { PACKET_NONE = UINT32_MAX, BAG_WORDS = 4 };
enum { HOST_LINE = 64 }; // bytes of the host's cache line

// Packets one sender made in a window, a list for each receiver.
struct bag {
    VEC(struct packet) packets;
    uint32_t *first, *last;        // by receiver; one allocation
    uint64_t receivers[BAG_WORDS]; // bits: receivers with packets
    // Bags lie side by side, and host threads fill neighbours at the same time.
    char apart[HOST_LINE];
};

void bag_init(struct bag *b, unsigned receivers);
void bag_fini(struct bag *b);
void bag_clear(struct bag *b);
void bag_add(struct bag *b, unsigned receiver, const struct packet *p);
static inline bool bag_has(const struct bag *b, unsigned receiver)
{
    return b->receivers[receiver / 64] >> receiver % 64 & 1;
}

// Packets for a receiver, sorted by departure cycle (start), then by priority (turn).
struct arrivals {
    VEC(struct packet) packets;
};

void arrivals_append(struct arrivals *a, const struct bag *b, unsigned receiver); // of a bag that has some
// Appends the bag's packets for a receiver, in order of sending.
static inline void arrivals_gather(struct arrivals *a, const struct bag *b, unsigned receiver)
{
    if (bag_has(b, receiver)) arrivals_append(a, b, receiver);
}
void arrivals_sort(struct arrivals *a);

uint32_t crossbar_flits(const struct memory_config *c, uint32_t data_bytes);
// Interconnect cycles of the port of the SM that receives the packet.
uint32_t crossbar_sm_cycles(const struct memory_config *c, const struct packet *p);
// A sender's priority among packets with equal start; 0 goes first. The priorities rotate: the sender with
// turn 0 changes every cycle.
static inline uint32_t crossbar_turn(uint64_t start, uint32_t sender, uint32_t senders)
{
    return (uint32_t)((sender + senders - start % senders) % senders);
}
// Reserves the receiver's port for `busy` interconnect cycles. Returns the cycle of the last flit's arrival; for
// a riding packet, of the packet it rides in. A port faster than the sender's waits for the last flit.
static inline uint64_t crossbar_arrive(const struct memory_config *c, uint64_t *port_free,
                                       const struct packet *p, uint32_t busy)
{
    uint64_t first = p->start + c->icnt_latency + (p->flits > busy ? p->flits - busy : 0);
    if (first < *port_free) first = *port_free;
    *port_free = first + busy;
    return first + busy - 1;
}
