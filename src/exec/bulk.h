// Bulk copies of a thread (cp.async.bulk and its relatives), made by the copy engine of the SM.
//
//     issue ──▶ departure ──▶ landing      departure: the source is read; landing: the destination is written
//                 image                    of loads and sends, then bytes complete at the mbarrier
//
//     run                     loads, sends                             stores, reductions of global memory
//     functional, early       at issue                                 at issue
//     functional, late        once the mbarrier is looked at, or       the wait for the group (.read: departure alone),
//                             the thread or a destination block ends   or the thread's end
//     timed                   the engine's events (sm/bulk.c)          the same; the landing is logged (timed.h)
//
// A copy is an image of bytes with pieces: where in global memory a run of the image is. A plain copy has one piece, a box
// of a tensor a piece for each run inside the tensor. In shared memory the image is whole.
#pragma once
#include "base/vec.h"
#include "exec/exec_impl.h"
#include "isa/inst.h"

enum bulk_kind { BULK_LOAD, BULK_SEND, BULK_STORE, BULK_PREFETCH };

struct bulk_piece { // a run of the image in global memory
    uint8_t *host;
    uint64_t address;
    uint32_t offset, bytes; // in the image
};

struct bulk_copy {
    uint8_t kind; // enum bulk_kind
    bool reduces; // by inst's operation and type
    bool has_departed;
    bool has_landed; // of loads and sends: in the blocks of the cluster that the engine runs
    uint8_t swizzle; // of addresses of shared memory: mask of the 16-byte number in a row of 128 bytes
    uint16_t blocks; // of loads and sends: destinations, ranks as bits
    uint8_t lane;
    uint32_t group;   // of stores: commits of the thread before
    uint32_t bytes;   // of the image
    uint32_t shared;  // address in shared memory, of the destination blocks or as the source
    uint32_t barrier; // of loads and sends: offset of the mbarrier
    struct warp *warp;
    const struct inst *inst;
    const struct inst *by;  // of reductions: operation and type; of a tensor `reduction`
    struct inst *reduction; // heap, or NULL
    uint64_t map;           // address of the tensor map; 0: none
    VEC(struct bulk_piece) pieces;
    uint8_t *image; // after departure; out of bounds: fill
};

struct bulk_warp { // of a warp: copies not landed, in order of issue
    VEC(struct bulk_copy *) queue;
    uint32_t commits[LANES_MAX];
};

struct bulk_issue { // a lane's operands
    struct warp *w;
    const struct bound *d;
    const uint8_t *regs;
    unsigned lane;
    struct bulk_copy *c;
};
uint32_t bulk_word(const struct bulk_issue *x, unsigned operand, unsigned word);
uint64_t bulk_wide(const struct bulk_issue *x, unsigned operand);
// Finds the source or the destinations in shared memory, and of loads and sends the mbarriers; blocks: as of the
// instruction. False: a fault.
bool bulk_find_shared(const struct bulk_issue *x, uint32_t blocks, unsigned alignment);
bool bulk_find_tensor(const struct bulk_issue *x); // everything of a tensor copy (bulk_tensor.c)

void bulk_free(struct bulk_copy *c);
// Departure: the source's bytes into the image; sources in global memory as in memory now.
void bulk_depart(struct bulk_copy *c);
// Landing in shared memory and completion at the mbarriers, or at once in global memory. The copy leaves its warp's queue
// and is freed.
void bulk_land(struct bulk_copy *c);
// Landing in shared memory without the rest, at most once. In time: in the own block, if it is a destination.
void bulk_land_own(struct bulk_copy *c);
void bulk_land_in(const struct bulk_copy *c,
                  struct cta *to); // writes the bytes of block `to`, completes its mbarrier
struct bulk_copy *bulk_clone(const struct bulk_copy *c); // of the image, for a landing elsewhere
// Landing of a store whose bytes someone else has written.
void bulk_leave(struct bulk_copy *c);
// Whether a wait of `lanes` for all but the newest `pending` / 2 groups (odd: for their sources) has to wait.
bool bulk_covers(const struct warp *w, uint64_t lanes, unsigned pending);

// -- late runs
void bulk_exit(struct warp *w, uint64_t lanes);      // the threads end
void bulk_land_for(struct cta *c, uint64_t address); // the mbarrier of the block is looked at
void bulk_block_ends(const struct cta *c);           // copies from other blocks of its cluster land
void bulk_start(struct warp *w);
void bulk_fini(struct warp *w);
