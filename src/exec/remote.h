// Accesses of timed runs to shared memory of another block of the cluster: entries that travel between SMs.
//
//     SM of the warp                                         SM of the block
//     issue ─▶ operands are read, addresses checked ──────▶  arrival: shared memory is read and written
//     registers are written, the instruction is over  ◀────  reply: values, or an acknowledgement
//
// An entry is made by the sender and owned by one SM at a time. Entries take at least a window of time, so what an SM does
// within a window depends on no other SM; arrivals are applied in order of (cycle, SM, sequence) (sm/net.h).
//
// A block of a timed run sees its cluster through a copy of its own (cta.own), which entries keep up to date: ranks that
// have arrived at the barrier, and ranks that have ended. Bulk copies land in other blocks as entries, too.
#pragma once
#include "exec/exec_impl.h"

struct bulk_copy;

enum { REMOTE_SECTOR = 32 };
enum remote_kind {
    REMOTE_LOAD,
    REMOTE_STORE,
    REMOTE_ATOMIC,
    REMOTE_COPY,    // landing of a bulk copy
    REMOTE_ARRIVED, // all threads of a block have arrived at the cluster's barrier; no reply
    REMOTE_ENDED    // a block has ended; no reply
};

struct remote {
    // Of the network, filled in by sm/net.c. The sequence counts entries of the sender.
    uint64_t cycle, sequence;
    uint32_t record;  // of the requester's load/store unit
    uint32_t slot;    // of the requesting warp
    uint8_t from, to; // SMs
    uint8_t grid;     // number
    bool is_reply;
    bool is_lost;      // of replies: the block has ended
    bool is_release;   // of ARRIVED: the last arrival releases
    bool is_acquire;   // the warp waits for the reply before anything else
    bool is_multicast; // of COPY: the bytes come from the L2

    uint8_t kind;         // enum remote_kind
    uint8_t rank;         // of the block in its cluster; of ARRIVED and ENDED: of the sending block
    uint8_t bytes, words; // of a lane; in 32-bit words
    uint64_t block;       // linear number of the block that gets the entry
    uint64_t lanes;
    uint32_t payload;  // bytes of values on the way, in sectors of REMOTE_SECTOR bytes
    struct warp *warp; // that waits for the reply
    const struct bound *bound;
    struct bulk_copy *copy; // of COPY, owned
    uint32_t *offset, *value,
        *second; // by lane of `lanes`, in order: in shared memory; values, of two operands
};

void remote_free(struct remote *m);
// A block starts in a cluster whose blocks are on the given SMs, by rank.
void remote_block_starts(struct cta *c, const uint8_t *sms);
void remote_block_ends(struct cta *c); // tells the other blocks
// All threads of the block have arrived at the cluster's barrier.
void remote_arrived(struct cta *c, bool is_release);
// Arrival at the block: the access, with its values for the reply.
void remote_apply(struct cta *c, struct remote *m);
// Arrival of the reply: registers are written. False: a fault, since the block has ended.
bool remote_reply(struct remote *m);
// The copy's landing in another block of its cluster.
struct remote *remote_copy(const struct bulk_copy *c, unsigned rank);

// Loads, stores and atomics of launches in clusters.
extern const struct handlers remote_handlers;
bool remote_concerns(const struct exec *e, const struct inst *i);
