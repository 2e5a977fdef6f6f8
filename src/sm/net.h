// The network between the SMs of a GPC: entries for blocks of a cluster (exec/remote.h). Written by net.c alone.
//
//     issue ─▶ port: dsmem.bytes a cycle ── dsmem.latency ─▶ arrival: the entry is applied; its reply goes back
//              the SM's own entries and its replies, in order
//
// The cycle of an arrival is known when the entry leaves, and is in a later window of time: sm_exchange hands entries over
// between windows. An SM applies them in order of (cycle, SM, sequence). Entries of one SM arrive in the order in which they
// left: an arrival at a barrier comes behind the stores before it.
//
// Not modelled: ports of receivers, and links that several SMs share.
#pragma once
#include "exec/remote.h"
#include "sm/places.h"

struct sm;
struct sm_grid;

struct net {
    VEC(struct remote *) out; // left since the last sm_exchange
    VEC(struct remote *) in;  // to arrive: a heap, the next first
    size_t fresh;             // of `out`, from here on: entries of the issuing instruction, without a record
    uint64_t sequence;
    uint64_t free;                    // in 1/256 cycles: the port is free
    uint64_t last;                    // latest arrival of an entry that has left
    uint64_t released;                // end of the latest release by an arrival
    uint64_t releases[SM_SCHEDULERS]; // by scheduler: end of its latest release
    uint64_t step;                    // cycle of the next step; CYCLE_NEVER: none asked for
};

void net_send(void *sm_grid, struct remote *m); // exec->sends
// exec->orders: the warp has executed a fence, or (arrives) arrives at the cluster's barrier and releases.
void net_order(void *sm_grid, struct warp *w, bool arrives);
// The entries just sent belong to the record. Returns their number.
uint32_t net_bind(struct sm *s, unsigned slot, uint32_t record);
void net_step(struct sm *s);
void net_forget(struct sm_grid *g); // the grid leaves
void net_fini(struct sm *s);
