// Caches of an SM with the lines that they wait for. tags.c alone writes these; everybody may read them.
//
// A launch finds no line that another launch filled: within an SM every line has an address of its launch's own.
//
//     code, constants, local memory   the launch's space (GPU_SPACE) in the caches and in the L2. Of code that the L2
//                                     keeps (icache.keep) the space is the caches' alone
//     global memory                   address + space in the caches, the address alone in the L2
//
// Only l1.keep=1 and texture.keep=1 let launches share lines of global memory. When a launch leaves an SM on which others
// stay, its space is emptied, since a later launch will have it. With sim.check each line has its launch's number as
// well, and a hit is held against it.
#pragma once
#include "base/vec.h"
#include "memory/mshr.h"
#include "memory/system.h"
#include "sm/places.h"

struct sm;
struct sm_grid;

struct tag_store {
    struct cache *cache;
    struct mshrs mshrs;
    bool perfect;   // every load hits
    bool is_shared; // launches share lines of global memory
    uint8_t
        whole; // all sectors of a line, if a load that misses brings them; 0: it brings those that it wants
};

struct tags {
    struct tag_store l1, constant, texture, code;
};

struct tags_grid {
    uint64_t *constant_there; // bits by number of a line: known to be in the constant cache
    VEC(uint64_t) locked;     // lines of L1 that its mechanisms keep, as often as they are locked
};

struct tags_warp {
    uint64_t granted; // line of code or constants that came for the warp: there, whatever the cache has done
                      // since; 0: none
    bool waits_for_constant;
};

// What a reply is for (memory_request.token).
enum token_kind {
    TOKEN_RECORD,
    TOKEN_STORE,
    TOKEN_L1,
    TOKEN_CONSTANT,
    TOKEN_TEXTURE,
    TOKEN_CODE,
    TOKEN_WRITEBACK
};
enum { TOKEN_SHIFT = 29, TOKEN_MASK = (1 << TOKEN_SHIFT) - 1 };
enum tag_outcome { TAG_HIT, TAG_WAITS, TAG_STALLED };

// Who waits for a line (mshr_waiter.kind); nobody: it is wanted later.
enum waiter_kind { WAITER_RECORD, WAITER_WARP, WAITER_EARLY, WAITER_GUEST, WAITER_NOBODY };

void tags_init(struct sm *s);
void tags_fini(struct sm *s);
// Caches of an SM that has gone, as far as their lines are kept.
void tags_inherit(struct sm *s, struct sm *from);
void tags_begin(struct sm_grid *g);
void tags_end(struct sm_grid *g);
bool tags_are_quiet(const struct sm *s); // nothing is under way
// Looks a line's sectors up for who wants them. WAITS: it will be told; STALLED: nothing was done. `started` says
// whether a request was sent.
enum tag_outcome tags_load(struct sm_grid *g, struct tag_store *t, enum token_kind kind, uint64_t line,
                           struct mshr_waiter who, bool *started);
// A record, as well, waits for sectors of a line that is under way; whether that has room for it.
bool tags_wait(const struct sm_grid *g, struct tag_store *t, uint64_t line, uint32_t record, uint8_t sectors);
// A store that the cache keeps, marked dirty or not; false when it has no way for it.
bool tags_store(struct sm_grid *g, struct tag_store *t, uint64_t line, uint8_t sectors, bool dirty);
// A store that goes through L1: a line that is there takes the sectors.
void tags_store_through(const struct sm_grid *g, uint64_t line, uint8_t sectors);
void tags_drop(const struct sm_grid *g, uint64_t line); // from L1
bool tags_touch(const struct sm_grid *g, uint64_t line,
                uint8_t sectors); // of L1, as a load, if all are there
void tags_reply(struct sm_grid *g, struct tag_store *t, uint32_t mshr, uint8_t sectors);
// A line of L1 keeps its way until it has been unlocked as often as it was locked, or the grid is gone. False: it
// has none, or too many others of its set are locked.
bool tags_lock(struct sm_grid *g, uint64_t line);
bool tags_may_lock(const struct sm_grid *g, uint64_t line);
void tags_unlock(struct sm_grid *g, uint64_t line);
bool tags_has_locked(const struct sm_grid *g, uint64_t line); // by the grid's mechanisms
// Whether a line of constants is there; it is asked for if it is not.
bool tags_have_constant(struct sm *s, unsigned slot, uint32_t number);
// Whether the line came for the warp, which has it once.
static inline bool tags_take_granted(struct tags_warp *w, uint64_t line)
{
    if (w->granted != line) return false;
    w->granted = 0;
    return true;
}
