// Warps that wait: for a phase of an mbarrier (SYNCS.WAIT, of mbarrier.try_wait), and at the barrier of a cluster
// (UCGABAR). Neither executes again while it waits.
//
//     SYNCS.WAIT ── phase over ───────────────────────────────▶ goes on
//          └─ else parked by address ── an arrival ends the phase, or the time is up ──▶ goes on; a load tests anew
//
// Lanes that ask for different phases do not wait. Functional runs have no time: it is up once no warp of the block, or
// of its cluster, can execute.
#pragma once
#include "exec/exec_impl.h"

void phase_start(struct cta *c); // the block starts: nothing waits; the block is a cluster of its own
void phase_changed(struct cta *c, uint64_t address); // the mbarrier at the offset may have left its phase
bool phase_expire(struct warp *w); // the time of the warp's parked lanes is up. False: no lane is parked
bool phase_expire_block(struct cta *c);
// Threads of the block's cluster have ended, which may complete the barrier of the cluster.
void phase_exited(struct cta *c);
// Whether a block without a warp that can execute may go on by other blocks of its cluster.
bool phase_waits_for_cluster(const struct cta *c);

// Blocks `of` in order of rank, started already, become a cluster. cluster_leave: the block has ended, and its shared memory
// is out of reach; the last frees the cluster.
void cluster_form(struct cta *const *of, uint32_t count);
void cluster_leave(struct cta *c);
// Block and offset of an address of shared memory with a rank (isa/bank.h). NULL: no such block, or it has ended.
struct cta *cluster_block(const struct cta *c, uint64_t address);
// Whether the block of the rank exists and has not ended.
static inline bool cluster_has(const struct cluster *x, uint64_t rank)
{
    return rank < x->size && x->there >> rank & 1;
}
// Timed: all threads of the block of the rank have arrived at the barrier of c's cluster; the block has ended.
void phase_rank_arrived(struct cta *c, unsigned rank);
void phase_rank_ended(struct cta *c, unsigned rank);

extern const struct handlers phase_arrive_handlers; // ATOMS with MODE_ATOM_ARRIVE
