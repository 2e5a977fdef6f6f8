// Inside an SM: for the files that are its stages.
#pragma once
#include "gpu/check.h"
#include "gpu/event_ring.h"
#include "gpu/stall.h"
#include "gpu/tech.h"
#include "gpu/waits.h"
#include "gpu/watch.h"
#include "memory/mshr.h"

enum {
    SM_WARPS = 64,
    SM_BLOCKS = 64,
    SM_SCHEDULERS = 8,
    SM_BANKS = 64,
    NO_BANK = SM_BANKS,
    NO_WARP = SM_WARPS,
    LSU_LINES = 2 * LANES_MAX,
    WRITE_CYCLES = 1024,
    MAP_REGISTERS = 256
};
enum { NONE32 = UINT32_MAX };
#define CYCLE_NEVER UINT64_MAX

struct sm_warp {
    struct warp *warp;       // NULL: the slot is empty
    uint64_t resume;         // may not issue before: after a barrier, a sleep, a branch that takes its time
    uint64_t since;          // it waits for what `slot` says since then
    uint64_t fill_at;        // instructions under way arrive in the I-buffer; 0: none are
    uint32_t block;          // slot
    uint32_t registers;      // physical number of its own R0
    uint16_t *map;           // Rr is map[r]; without a mechanism registers + r
    uint32_t fetch_pc;       // of the next instruction to be fetched
    uint32_t head;           // instruction at the head of the I-buffer; the others follow it
    uint32_t generation;     // of the slot
    uint32_t loads, stores;  // outstanding
    uint64_t busy_until;     // operands are read and results that are known come until then
    uint8_t count, fetching; // in the I-buffer; under way to it
    uint8_t slot;            // enum gpu_slot: why it cannot issue
    uint8_t pause;           // enum gpu_slot: what a wait until `resume` is charged to
    bool waits_for_line;     // of code
    bool waits_for_constant;
    bool waits_at_barrier; // until another warp completes it
    uint32_t stopped_at;   // the barrier or sleep that it issued last
    uint64_t granted; // line of code or constants that came for it: there, whatever the cache has done since;
                      // 0: none
    uint64_t pred_ready[8];
    uint8_t pred_from_memory; // bits
    // Of encoded waits: no instruction issues before; each barrier's memory instructions under way, and when
    // those that have come back, or that need no memory, are done.
    uint64_t stall_until, barrier_ready[WAIT_BARRIERS];
    uint32_t barrier_pending[WAIT_BARRIERS];
    uint8_t barrier_from_memory; // bits
    uint8_t owed;                // bits: barriers that instructions skipped since would have waited for
};

struct sm_block {
    struct cta *cta; // NULL: never used
    bool running;
    uint64_t free_at; // when its last block had ended: nothing of it is under way any more
    uint64_t warps;   // slots of those that have not ended
    uint64_t slots;   // of all of them
};

struct placed_block {
    uint64_t block, cycle;
};

struct transaction {
    uint64_t line;
    uint8_t sectors, bytes; // bytes: of data, for stores
};

// A memory instruction in the load/store unit's queue.
struct lsu_entry {
    uint64_t arrive; // operands are collected
    const struct op *op;
    uint32_t warp, record; // record: NONE32 for stores
    uint32_t token;        // of stores
    uint8_t kind;          // enum lsu_kind
    uint16_t cycles;       // shared memory: passes over its banks
    uint16_t count, next;  // transactions
    struct transaction lines[LSU_LINES];
};
enum lsu_kind {
    LSU_SHARED,
    LSU_LOAD,
    LSU_LOCAL_LOAD,
    LSU_STORE,
    LSU_LOCAL_STORE,
    LSU_ATOMIC,
    LSU_REDUCE,
    LSU_CONSTANT,
    LSU_TEXTURE
};

// A memory instruction that left the unit's queue and waits for replies.
struct load_record {
    uint64_t ready;  // the latest of its parts so far
    uint64_t serial; // sim.check: of its write
    const struct op *op;
    uint16_t registers[4]; // physical, that it writes
    uint32_t warp, remaining;
    uint32_t next_free;
    bool issued; // all its lines have been asked for
};

// A cache with the lines it waits for (tags.c).
struct tags {
    struct cache *cache;
    struct mshrs mshrs;
};
struct tags_config {
    uint32_t sets, ways, mshrs, merges;
    enum cache_replacement replacement;
    enum tags_allocate allocate;
};

struct sm {
    const struct sm_launch *launch;
    const struct gpu_config *config;
    const struct op *ops;
    struct timed_engine *engine;
    unsigned index;
    uint64_t now, window_end;

    // Bits by warp slot.
    uint64_t resident, ready, fetchable;
    uint64_t wants_lsu; // of the ready ones
    unsigned resident_count;
    uint64_t scheduler_warps[SM_SCHEDULERS];
    uint64_t held_fetch, held_issue; // by a mechanism
    uint64_t unserved;               // ready at the last look for warps that starve
    uint64_t look_issued[SM_WARPS];  // of those: what they had executed then,
    uint32_t look_head[SM_WARPS];    // and what was next
    uint64_t favoured;               // one that starved, until the next look
    uint64_t next_look, calm_until;  // before that no look is due and nobody favoured
    unsigned last_favoured;          // warp slot

    struct sm_warp warps[SM_WARPS];
    struct sm_block blocks[SM_BLOCKS];
    VEC(struct placed_block) placed; // to start, in order of cycle
    VEC(struct sm_block_end) ends;
    struct event_ring wakes, fills;

    uint32_t last_issued[SM_SCHEDULERS];                                // warp slot
    uint8_t order[SM_SCHEDULERS][SM_WARPS], order_count[SM_SCHEDULERS]; // by age
    uint32_t last_fetched[SM_SCHEDULERS];
    uint32_t fetch_below; // a warp with fewer instructions in its I-buffer is fetched for
    uint64_t code_line;   // that the last fetch found in the cache; 0: it did not
    uint8_t issued_now[SM_SCHEDULERS], second_slot[SM_SCHEDULERS];
    uint8_t refused[SM_SCHEDULERS]; // why a ready warp could not go; 0: none was refused
    uint32_t issued_inst[SM_SCHEDULERS], refused_inst[SM_SCHEDULERS];

    uint64_t *reg_ready; // by physical register; CYCLE_NEVER: a reply will say
    uint64_t *reg_read;  // by physical register: when the last collector that found its bank busy reads it
    uint8_t *reg_from_memory;
    uint32_t reg_count;
    uint64_t collector_free[64];
    unsigned collector; // free: what operand_has_collector found
    struct bank {
        uint64_t cycle;    // of its next read, the first of these to come
        uint32_t used;     // ports, in it
    } banks[SM_BANKS + 1]; // and NO_BANK, which no read has to wait for
    uint8_t *bank_of;      // by physical register
    uint64_t pipe_free[PIPE_COUNT][32];
    uint64_t branch_free[SM_SCHEDULERS]; // each has a branch unit
    uint32_t pipes[PIPE_COUNT];          // of each kind
    uint64_t writes[WRITE_CYCLES];       // by cycle mod WRITE_CYCLES: cycle << 8 | results written in it

    struct lsu_entry *queue; // ring
    uint32_t queue_first, queue_count;
    // Who found no place in the queue stands in line: a ring of warp slots, in the order in which they asked.
    uint8_t lsu_line[SM_WARPS];
    uint32_t lsu_line_first, lsu_line_count;
    uint64_t lsu_asked;  // bits: they stand in that line;
    uint64_t lsu_parked; // of those: they would be ready, had they a place,
    uint64_t lsu_turn;   // and a place is kept for them: ready
    uint32_t lsu_kept;   // places
    bool lsu_shut;       // no place left, or a line before it: whoever comes has to ask
    uint64_t lsu_next;   // cycle of the next look at the queue's head
    bool lsu_blocked;    // until a reply
    VEC(struct load_record) records;
    uint32_t free_record, records_used;
    struct tags l1, constant, texture, code;
    uint64_t *constant_there; // bits by line number: known to be in the constant cache
    uint64_t next_reply, last_reply;
    struct memory_system *memory; // of the window under way
    uint64_t requested, replied;

    uint16_t *linear, *maps; // linear[n] is n; maps: of each slot, when a mechanism may change them
    struct sm_tech {
        const struct tech *tech;
        void *state;
        uint64_t *counters;
    } techs[TECH_MAX];
    unsigned tech_count;
    const struct tech *hooks; // of the only mechanism, or of one that calls those of all
    void *hooked;             // its state
    bool has_guests;          // mechanisms, a watch, the book or a look for a stall
    unsigned looked_at;       // warp whose readiness is seen to behind the hook under way; NO_WARP
    struct event_ring events; // by block: mechanisms'

    struct check check; // with sim.check
    uint64_t issuing;   // lanes of the instruction being issued

    struct gpu_counts counts;
    uint64_t *inst_slots; // [instruction, or none][SLOT_COUNT]
    uint64_t *inst_saved; // [instruction][SAVINGS], with mechanisms
    bool faulted;

    struct stall *stall;            // NULL: nobody asks whether the launch will end
    struct watch_sm *watch;         // NULL: nobody watches
    uint64_t sample_at, interval;   // cycle of the next sample; CYCLE_NEVER: none are taken
    VEC(struct gpu_counts) samples; // the counts so far at each
};

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline void pause_warp(struct sm_warp *w, uint64_t until, enum gpu_slot why)
{
    w->resume = until;
    w->pause = (uint8_t)why;
}
static inline unsigned slot_of(const struct sm *s, const struct sm_warp *w)
{
    return (unsigned)(w - s->warps);
}

// The instruction that is charged for the warp's waiting: its next, or the barrier or sleep that keeps it
// from it.
static inline uint32_t waits_with(const struct sm_warp *w)
{
    return w->slot == SLOT_BARRIER ? w->stopped_at : w->head;
}

// Whether a warp's next instruction, which is ready, goes to the load/store unit. One that accesses memory in
// no lane, for its guard, is over when it has issued.
static inline bool accesses_memory(const struct sm_warp *w, const struct op *o)
{
    if (o->path != PATH_MEMORY || !o->is_guarded) return o->path == PATH_MEMORY;
    uint64_t guard = w->warp->pred[o->guard];
    return w->warp->active & (o->guard_not ? ~guard : guard);
}

// -- sm.c
void sm_wake(struct sm *s, unsigned slot, uint64_t cycle); // to be looked at again then
// Says whether a warp can issue, and if not, why, and when to look again.
void sm_evaluate(struct sm *s, unsigned slot);
void sm_warp_settled(struct sm *s,
                     unsigned slot); // the warp's pc or state changed: I-buffer, fetching, evaluation
void sm_barriers(struct sm *s, struct sm_block *b); // warps that others released go on
void sm_warp_ended(struct sm *s, unsigned slot);

// -- fetch.c
void fetch_cycle(struct sm *s);
void fetch_update(struct sm *s, unsigned slot); // whether the warp wants to be fetched for
void fetch_filled(struct sm *s, uint64_t warps);
void fetch_flush(struct sm *s, unsigned slot, uint32_t pc);

// -- issue.c
void issue_cycle(struct sm *s);
unsigned issue_oldest(const struct sm *s, unsigned scheduler, uint64_t among); // among: not empty

// -- operand.c
void operand_init(struct sm *s, uint32_t numbers); // of physical registers
bool operand_has_collector(struct sm *s);
// Reserves the collector that was found and the register banks from now on; the cycle at which all operands
// are there.
uint64_t operand_collect(struct sm *s, const struct sm_warp *w, const struct op *o);
// Reserves a pipeline and says when the result is there.
uint64_t operand_execute(struct sm *s, const struct sm_warp *w, const struct op *o, uint64_t collected);
// Why the instruction would take longer than its fixed latency if it issued now; SLOT_ISSUED: it
// would not.
enum gpu_slot operand_obstacle(struct sm *s, const struct sm_warp *w, const struct op *o);
// A mechanism's move of a register, without a collector; when the copy is there.
uint64_t operand_move(struct sm *s, uint16_t from, uint16_t to);
// The first cycle from `cycle` on at which nobody has to read the destination any more and a write port is
// free for it, which the result takes. Without a destination that is `cycle`.
uint64_t operand_write(struct sm *s, const uint16_t *registers, const struct op *o, uint64_t cycle);
void operand_result(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle, bool from_memory);

// -- lsu.c
static inline bool lsu_may_enter(const struct sm *s, unsigned slot)
{
    return !s->lsu_shut || s->lsu_turn >> slot & 1;
}
// While it is shut, for a warp that would be ready with a place in the queue. False: it stands in line from now
// on, and becomes ready when its turn comes.
bool lsu_has_place(struct sm *s, unsigned slot);
// Of warps in line. Unable: it could not enter now, and lets others by; its place in the line stays its own.
void lsu_unable(struct sm *s, unsigned slot);
void lsu_leave_line(struct sm *s, unsigned slot);
void lsu_push(struct sm *s, unsigned slot, const struct op *o, const struct inst *i, uint64_t arrive);
void lsu_cycle(struct sm *s);
void lsu_reply(struct sm *s, const struct memory_reply *r);
void lsu_request(struct sm *s, uint64_t line, uint8_t sectors, unsigned bytes, enum memory_kind kind,
                 uint32_t token);

// -- tech.c: the hooks of all mechanisms; called only when there are any
// Mechanisms, and whoever looks on besides (watch.h, check.h): rare, so that an SM without any pays a test
// that the branch predictor knows.
static inline bool has_techs(const struct sm *s) { return __builtin_expect(s->tech_count != 0, 0); }
static inline bool has_guests(const struct sm *s) { return __builtin_expect(s->has_guests, 0); }
void tech_block_start(struct sm *s, unsigned block); // the first of an SM brings the mechanisms to it
void tech_end(struct sm *s);
const char *tech_check(const struct sm *s);

#define HOOK(s, name, ...) ((s)->hooks->name ? (s)->hooks->name((s)->hooked, __VA_ARGS__) : (void)0)
static inline void tech_block_end(struct sm *s, unsigned block) { HOOK(s, block_end, block); }
static inline uint64_t tech_fetch(struct sm *s, uint64_t fetchable)
{
    return s->hooks->fetch ? s->hooks->fetch(s->hooked, fetchable) : fetchable;
}
static inline uint32_t tech_fetched(struct sm *s, unsigned slot, uint32_t pc, uint32_t *count, uint32_t most)
{
    return s->hooks->fetched ? s->hooks->fetched(s->hooked, slot, pc, count, most) : *count;
}
static inline void tech_filled(struct sm *s, unsigned slot, uint32_t pc, unsigned count)
{
    s->looked_at = slot;
    HOOK(s, filled, slot, pc, count);
    s->looked_at = NO_WARP;
}
static inline void tech_flushed(struct sm *s, unsigned slot) { HOOK(s, flushed, slot); }
static inline uint32_t tech_reuse(struct sm *s, unsigned slot, uint32_t index)
{
    uint32_t cycles = s->hooks->reuse ? s->hooks->reuse(s->hooked, slot, index) : 0;
    if (cycles) s->inst_saved[index * SAVINGS + SAVED_EXECUTION]++;
    return cycles;
}
static inline void tech_reads(struct sm *s, unsigned slot, uint32_t index) { HOOK(s, reads, slot, index); }
static inline void tech_executed(struct sm *s, unsigned slot, uint32_t index)
{
    HOOK(s, executed, slot, index);
}
static inline void tech_result(struct sm *s, unsigned slot, uint32_t index, uint64_t cycle)
{
    HOOK(s, result, slot, index, cycle);
}
static inline void tech_issued(struct sm *s, unsigned slot, uint32_t index, bool goes_on) // in this cycle
{
    s->looked_at = goes_on ? slot : NO_WARP;
    HOOK(s, issued, slot, index);
    s->looked_at = NO_WARP;
}
static inline void tech_replied(struct sm *s, unsigned slot, uint32_t index, const uint16_t *registers,
                                uint64_t cycle)
{
    HOOK(s, replied, slot, index, registers, cycle);
}
static inline void tech_events(struct sm *s)
{
    for (uint64_t blocks = ring_take(&s->events, s->now); blocks; blocks &= blocks - 1)
        HOOK(s, event, bit_lowest(blocks));
}
static inline void tech_warp_end(struct sm *s, unsigned slot) { HOOK(s, warp_end, slot); }

// -- tags.c: caches with outstanding lines
enum token_kind {
    TOKEN_RECORD,
    TOKEN_STORE,
    TOKEN_L1,
    TOKEN_CONSTANT,
    TOKEN_TEXTURE,
    TOKEN_CODE,
    TOKEN_WRITEBACK
};
enum { TOKEN_SHIFT = 29 };
enum tag_outcome { TAG_HIT, TAG_WAITS, TAG_STALLED };
void tags_init(struct tags *t, const struct chip_config *c, const struct tags_config *own);
void tags_fini(struct tags *t);
bool tags_are_quiet(const struct tags *t); // nothing is under way
// Looks a line up for a record (NONE32: for a warp). WAITS: it will be told; STALLED: nothing was done.
// `started` says whether a request was sent.
enum tag_outcome tags_load(struct sm *s, struct tags *t, enum token_kind kind, uint64_t line, uint8_t sectors,
                           uint32_t record, unsigned warp, bool *started);
// A store that the cache keeps, marked dirty or not; false when it has no way for it.
bool tags_store(struct sm *s, struct tags *t, uint64_t line, uint8_t sectors, bool dirty);
void tags_reply(struct sm *s, struct tags *t, uint32_t mshr, uint8_t sectors);
void record_part_done(struct sm *s, uint32_t record, uint64_t cycle);
bool constant_is_there(struct sm *s, unsigned slot, uint32_t number); // or it has been asked for
