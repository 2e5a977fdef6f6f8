// Caches of an SM and the pending lines of each. Written only in tags.c and in this header, readable
// everywhere.
//
// Launches do not share lines: within an SM every line has an address private to its launch.
//
//     code, constants, local memory   the launch's space (GPU_SPACE) in the caches and in the L2; with
//                                     icache.keep, the kernel's space for code in the L2
//     global memory                   address + space in the caches, the address alone in the L2
//
// Only l1.keep=1 and texture.keep=1 let launches share lines of global memory, icache.warm=1 lines of code, and
// constant.keep=1 lines of constants: such lines have an address without the launch's space. When a launch leaves an SM
// with other launches, its lines are invalidated, since a later launch reuses the space. With sim.check
// each line is marked with its launch's number and every hit is compared with the mark.
#pragma once
#include "base/vec.h"
#include "memory/mshr.h"
#include "memory/system.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm;
struct sm_grid;

struct tag_store {
    struct cache *cache;
    struct mshrs mshrs;
    bool perfect; // with memory.perfect: every load hits
    bool
        is_shared; // launches share lines: of global memory (l1.keep, texture.keep), code (icache.warm), constants (constant.keep)
    // Sectors loaded by a miss: a mask of the whole line, or 0 for just the sectors wanted.
    uint8_t whole;
};

struct tags {
    struct tag_store l1, constant, texture, code;
};

struct tags_grid {
    // bits by number of constant line (decoded.constant_lines): known to be in the constant cache
    uint64_t *constant_there;
    VEC(uint64_t) locked; // L1 lines locked by mechanisms, once for every lock
};

struct tags_warp {
    // Line of code or constants delivered for the warp, usable once even if evicted since; 0: none.
    uint64_t granted;
    bool waits_for_constant;
};

// Receiver of a reply (memory_request.token).
enum token_kind {
    TOKEN_RECORD,
    TOKEN_STORE,
    TOKEN_L1,
    TOKEN_CONSTANT,
    TOKEN_TEXTURE,
    TOKEN_CODE,
    TOKEN_WRITEBACK,
    TOKEN_BUFFER
};
enum { TOKEN_SHIFT = 29, TOKEN_MASK = (1 << TOKEN_SHIFT) - 1 };
enum tag_outcome { TAG_HIT, TAG_WAITS, TAG_STALLED };

// Kinds of waiter for a line (mshr_waiter.kind). WAITER_NOBODY: a prefetch.
enum waiter_kind { WAITER_RECORD, WAITER_WARP, WAITER_EARLY, WAITER_GUEST, WAITER_NOBODY };

void tags_init(struct sm *s);
void tags_fini(struct sm *s);
// Moves the lines kept by l1.keep, texture.keep, icache.warm and constant.keep from an SM about to be destroyed.
void tags_inherit(struct sm *s, struct sm *from);
void tags_begin(struct sm_grid *g);
void tags_end(struct sm_grid *g);
bool tags_are_quiet(const struct sm *s); // no miss is pending
// Looks up sectors of a line for a waiter. TAG_WAITS: `who` is told on arrival. TAG_STALLED: no free MSHR or
// way, or too many waiters of the line; nothing changed. *started: a request was sent.
enum tag_outcome tags_load(struct sm_grid *g, struct tag_store *t, enum token_kind kind, uint64_t line,
                           struct mshr_waiter who, bool *started);
// Whether the whole line is in the cache. Changes nothing, the order of replacement included.
bool tags_contain(const struct sm_grid *g, const struct tag_store *t, uint64_t line);
bool tags_has(const struct sm_grid *g, const struct tag_store *t, uint64_t line, uint8_t sectors);
bool tags_is_under_way(const struct sm_grid *g, const struct tag_store *t, uint64_t line);
// Adds a record to the waiters for sectors of a pending line; false: no room for another waiter.
bool tags_wait(const struct sm_grid *g, struct tag_store *t, uint64_t line, uint32_t record, uint8_t sectors);
// A store allocates the line in the cache, dirty or clean; false: no free way.
bool tags_store(struct sm_grid *g, struct tag_store *t, uint64_t line, uint8_t sectors, bool dirty);
// A write-through store without allocation: a line present in L1 is updated and counts as just used.
void tags_store_through(const struct sm_grid *g, uint64_t line, uint8_t sectors);
void tags_drop(const struct sm_grid *g, uint64_t line); // invalidates the line in L1
// Marks a line of L1 as just used if all the sectors are present. Returns whether present.
bool tags_touch(const struct sm_grid *g, uint64_t line, uint8_t sectors);
// level: that the sectors came from
void tags_reply(struct sm_grid *g, struct tag_store *t, uint32_t mshr, uint8_t sectors, enum gpu_level level);
// Locks a line in its L1 way until unlocked as often as locked, or until the grid leaves. False: the line
// is absent or too many lines of the set are locked.
bool tags_lock(struct sm_grid *g, uint64_t line);
bool tags_may_lock(const struct sm_grid *g, uint64_t line);
void tags_unlock(struct sm_grid *g, uint64_t line);
bool tags_has_locked(const struct sm_grid *g, uint64_t line); // by the grid's mechanisms
// Whether a constant line (number: op.constant) is present or just delivered; else tries to request the line
// for the warp.
bool tags_have_constant(struct sm *s, unsigned slot, uint32_t number);
// Whether the line was delivered for the warp; clears the grant.
static inline bool tags_take_granted(struct tags_warp *w, uint64_t line)
{
    if (w->granted != line) return false;
    w->granted = 0;
    return true;
}
