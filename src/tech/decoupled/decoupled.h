// Decoupled affine computation in an SM: two streams of instructions, and the queues between them.
//
//     affine warp ─ guest ─▶ ATQ ─┬─▶ address expansion ─▶ a warp's addresses ──▶ access
//     (affine.c)             ▲    │        │ requests lines, locked in L1          (others.c)
//        ▲                   │    └─▶ predicate expansion ─▶ a warp's predicates ─▶ branches
//        │                   │                    (units.c)
//        └── predicates known to lanes alone, ordering instructions passed ─────────┘
//
// The affine stream has a position in the program for every warp. An instruction of the stream issues once
// for all warps at that position. The lowest position usually goes first, so that warps of a later start
// catch up with earlier warps.
#pragma once
#include "base/vec.h"
#include "decouple/decouple.h"
#include "exec/warp.h"
#include "sm/mech/tech.h"

enum decoupled_batch { BATCH_JOIN, BATCH_WAIT, BATCH_GROUP };
enum decoupled_arrival { ARRIVAL_WAIT, ARRIVAL_JOIN };
enum decoupled_issue { ISSUE_ANY, ISSUE_FIRST };
enum decoupled_ideal { IDEAL_OFF, IDEAL_REMOVED, IDEAL_ARRIVED };
enum decoupled_loads { LOADS_ISSUE, LOADS_EARLY };
enum decoupled_code { CODE_FITS, CODE_ANY };
struct decoupled_options {
    struct decouple_rules rules;
    uint32_t atq, pwaq, pwpq, told, corrupt, spoil;
    int early, priority, batch, arrival, loads, issue, bypass, gain, code, ideal;
};

enum decoupled_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/decoupled/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

enum { WARPS = 64, LANES = 64, LINES_MAX = 64, TOLD_MAX = 16, ATQ_MAX = 256, QUEUE_MAX = 64, LOAD_WORDS = 4 };
// Cycles that a warp waits for the stream before warps go on alone, if another mechanism may make warps wait
// for one another (decoupled_relieve).
enum { PATIENCE = 10000 };
enum { PARTS = 32 }; // records of an allocation
// batch=group: most cycles that a block waits for further blocks to begin the stream with.
enum { GATHERING = 128 };

#define NO_STEP UINT32_MAX

// What a warp's instruction means to the mechanism.
enum decoupled_trait {
    TRAIT_ACCESSES = 1, // memory, other than constants
    TRAIT_LOADS = 2,    // from global, local or generic addresses
    TRAIT_ADDRESS = 4,  // takes an address from the queue
    TRAIT_FEEDBACK = 8, // sends a predicate
    TRAIT_ORDERS = 16,
    TRAIT_MEETS = 32, // a barrier
    TRAIT_ENDS = 64,
    TRAIT_SITE = 128,
    TRAIT_IS_APART = 256 // a load, or a move of a spill slot: not computed from registers alone
};

struct decoupled_launch {
    const struct decoupled_options *options;
    const struct launch *launch;
    const struct op *ops;     // by instruction
    const struct inst *insts; // of the kernel, `count` entries, followed by the affine stream's code
    const struct decouple_plan *plan;
    const struct decouple_inst *split; // of the plan
    const struct decouple_code *code;
    struct arena arena;
    // count: instructions of the kernel. jump: by instruction, the next instruction with a step of the
    // stream, a branch, a branch target or a reconvergence point.
    uint32_t count, *jump;
    // by instruction: first instruction with a step of the stream, for a full warp from here on; `count`: none
    uint32_t *next_step;
    uint32_t *after;                  // by step: the next step for a full warp; NO_STEP: none
    bool *asks;                       // by step: the step waits for a predicate of the warp
    const struct operand **addresses; // by instruction (decouple_address)
    // by instruction: number of consecutive instructions removed from the warps, from here on; 0: not removed
    uint32_t *removed;
    uint16_t *traits;  // by instruction: bits of enum decoupled_trait
    uint32_t *queued;  // by instruction: bits of the register operands read from a queue of the warp
    uint8_t *cost;     // by step: working lanes of the affine warp
    uint8_t *concerns; // by instruction: bits CONCERNS_*
    struct thread_index {
        int32_t at[3];
    } * threads; // by thread of a block
    struct warp_rows {
        uint64_t apart[3]; // by direction: lanes with another index than lane 0
        uint64_t starts;   // lanes that do not follow the lane before in x
        // Offsets of a full warp's tuple, in this order: `lane` differs from lane 0 by one in `direction`, and otherwise
        // in directions named before alone. count 0: the offsets need a look at all lanes.
        struct {
            uint8_t direction[3], lane[3], count;
        } tells;
        uint32_t follows[LANES]; // by lane: ~0: the next lane follows in x; 0: not
    } * rows;                    // by warp of a block
    uint32_t line_bytes;
    // meets_ahead: every barrier is unconditional, barrier 0 of the whole block
    bool early, verify, spoil, meets_ahead;
    uint64_t *mismatches;
};

// A record of the affine stream for a warp at a site, an instruction reading from a queue. The record is an
// address or a predicate, of the lanes arriving at the site.
struct part {
    struct part *next; // in the free list, or in the warp's queue
    uint32_t inst;
    // active: lanes arriving at the site. lanes: of an address, the active lanes past the guard; of a
    // predicate, the active lanes.
    uint64_t active, lanes;
    uint64_t preds[2];
    bool is_address;
    uint8_t effort; // of a predicate: enum decouple_effort
    // pieces: number of tuples of an address; 0: no tuples, computed lane by lane. low, high: words of the values, by
    // lane, with or without tuples; high: if is_wide.
    unsigned pieces;
    bool is_wide;
    uint32_t low[LANES], high[LANES];
    // Lines of an address, requested before the access. Bits by line: there: arrived, or not requested
    // (unlockable, or outside memory); locked: locked in L1. asked: number of lines handled so far. records:
    // lines of the access, at least 1.
    unsigned line_count, records;
    // number of memory-ordering instructions that the warp must have passed before the lines are requested
    uint32_t order;
    uint64_t line[LINES_MAX];
    uint8_t sectors[LINES_MAX];
    unsigned asked;
    uint64_t there, locked;
    uint64_t asked_at, ready_at; // cycles
    bool has_data;           // loads=early: `data` holds the load's result at the arrival of the last line
    uint32_t (*data)[LANES]; // heap; result words of the load
    uint32_t sequence;       // number of the record in the order of enqueueing for the warp
};

static inline uint64_t part_value(const struct part *p, unsigned lane)
{
    return p->low[lane] | (p->is_wide ? (uint64_t)p->high[lane] << 32 : 0);
}

struct queue { // of a warp, oldest first
    struct part *first, *last;
    unsigned count, records;
};

struct entry { // of the ATQ
    struct part *part[WARPS];
    uint64_t left;  // bits by place: warps with a record still to be delivered
    uint64_t begun; // bits by block: blocks with a record delivered
    bool is_address;
    bool is_adjusted; // the address unit has computed the tuple's adjustment at rows of threads
};

enum follow { // what the affine stream does for a warp
    FOLLOWS_NOT,
    FOLLOWS,
    WAITS_TO_BE_TOLD,
    WAITS_FOR_ORDER,  // until the warp has passed the memory-ordering instruction
    WAITS_FOR_OTHERS, // at a barrier, until the stream has come there for all warps served in the block
    FOLLOWED
};

struct access_lock { // line locked for an access under way
    uint64_t line;
    uint32_t inst;
};

struct follower { // by place
    bool is_there, astray;
    bool is_alone; // astray (without the stream), and done with all instructions fetched before going astray
    // The warp was moved past removed instructions: the hold is set again, because the SM's view of the next
    // instruction is stale.
    bool moved;
    bool issues; // between `executed` and `issued` of an instruction
    uint8_t block, state;
    struct warp *shadow;
    // counts of memory-ordering instructions: seen by the stream, passed by the warp
    uint32_t orders_seen, orders_passed;
    uint32_t barriers; // barriers among orders_seen that the stream may run past
    bool order_pending;
    struct told {
        uint64_t active, pred;
    } * told; // ring of TOLD_MAX
    unsigned told_first, told_count;
    struct queue addresses, predicates;
    unsigned expanding; // number of the warp's records in the ATQ
    unsigned hold;      // as given to tech_hold
    bool was_late;
    struct part *taken;            // record for the instruction in execution; NULL: none
    VEC(struct access_lock) locks; // of accesses under way
    uint32_t enqueued, dequeued;
    uint64_t waits_until;   // of a warp in waits_for_cycle: the cycle
    uint64_t starves_since; // plan->yields: cycle, + 1, since which the warp waits for the stream; 0: no wait
};

struct decoupled {
    const struct decoupled_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct cta *shadows[64]; // by block
    uint64_t shadow_of[64];  // block number in the grid, + 1
    uint32_t started[64];    // by block: number of warps started
    bool begun[64];          // by block: the stream has begun for a warp
    bool is_parted[64];      // by block: lanes of a warp came to a barrier without the warp's remaining lanes
    struct follower followers[WARPS];
    struct entry *atq; // ring
    struct told *told; // storage of the followers' rings
    unsigned first, count;
    uint64_t following;   // bits by place (number of a warp on the SM): warps whose stream can go on
    uint32_t step[WARPS]; // by place in `following`: index of the next step in code->steps
    uint64_t there;       // bits by place: warps that have started and not ended (followers[].is_there)
    // Bits by place: warps that are held or alone, or whose memory-ordering instruction is not over.
    uint64_t attentive;
    struct kept { // spoil=1, by place: what a site's queue operands held before
        unsigned words;
        uint32_t address[2][LANES];
        uint64_t pred[PRED_SLOTS];
    } * kept;
    struct part *free_parts;
    VEC(struct part *) all_parts; // arrays of PARTS records
    struct unit {
        bool stirred; // may have work
        // bits by place: the oldest record of the unit for the warp waits for room in the queue or for the warp to
        // pass memory-ordering instructions
        uint64_t blocked;
        uint64_t free_at; // cycle
    } predicate_unit, address_unit;
    uint64_t scheduled_at;    // next cycle with an event for the units; 0: none
    uint64_t waits_for_cycle; // bits by place: warps waiting for the cycle `ready_at` of a record
    struct part *asking;      // record with a line request that L1 has refused so far; NULL: none
    unsigned asking_slot;
    // Bits by place, with plan->yields: warps waiting for the stream, without a record under way or without
    // room to send a predicate.
    uint64_t starving;
    uint64_t records_made;
    uint64_t
        gathers_until; // batch=group: cycle at which the waiting warps begin the stream; 0: no warp waits
    // A step with values of blocks that no tuple over blockIdx holds is issued again for each further part of the
    // blocks (parts.c). again: issues left. later: records of the parts still to be enqueued; parts: their places.
    unsigned again;
    struct entry later;
    uint64_t parts[WARPS];
    uint64_t choices; // number of choices of a step so far
    bool settles;     // the guest waits for its own results
    uint64_t settled_at;
    unsigned turn; // place served last when places were served in turn (choose_step)
};

extern const struct tech tech_decoupled;

static inline struct entry *entry_at(struct decoupled *d, unsigned n)
{
    unsigned at = d->first + n, size = d->launch->options->atq; // n: at most `size`
    return &d->atq[at < size ? at : at - size];
}
static inline const struct decouple_inst *split_of(const struct decoupled *d, uint32_t inst)
{
    return &d->launch->split[inst];
}
// Sets a warp's state, and the warp's bit in `following` (read by next_step): 1 for FOLLOWS, otherwise 0.
static inline void follow(struct decoupled *d, unsigned place, enum follow what)
{
    d->followers[place].state = (uint8_t)what;
    d->following = what == FOLLOWS ? d->following | 1ull << place : d->following & ~(1ull << place);
}
static inline struct unit *unit_of(struct decoupled *d, bool is_address)
{
    return is_address ? &d->address_unit : &d->predicate_unit;
}
// The warp's queue of the unit has room, or the warp has passed a memory-ordering instruction.
static inline void unblock(struct decoupled *d, unsigned place, bool is_address)
{
    unit_of(d, is_address)->blocked &= ~(1ull << place);
}
// To be called after a change of `hold`, `astray` or `order_pending`.
static inline void attend(struct decoupled *d, unsigned place)
{
    const struct follower *f = &d->followers[place];
    uint64_t is_attentive = f->hold || f->astray || f->order_pending;
    d->attentive = (d->attentive & ~(1ull << place)) | is_attentive << place;
}
static inline struct queue *queue_of(struct follower *f, bool is_address)
{
    return is_address ? &f->addresses : &f->predicates;
}

// -- affine.c
void decoupled_follow(struct decoupled *d, unsigned place); // at the warp's start
// Lets the stream go on for a warp that has sent a predicate or passed a memory-ordering instruction, if the
// stream has waited for that.
void decoupled_news(struct decoupled *d, unsigned place);
// Lets the stream go on past a barrier for a block's warps, once the stream has reached the barrier for every
// warp still served.
void decoupled_meet(struct decoupled *d, unsigned block);
// ideal: takes the warp's stream to the warp's next record, or to a wait for the warp, in no time.
void decoupled_run(struct decoupled *d, unsigned place);
void decoupled_start(struct decoupled *d); // starts the affine warp (the guest) if a step is ready
// batch=wait, batch=group: the warps that have waited begin the stream. Returns the next step, or UINT32_MAX.
uint32_t decoupled_gather(struct decoupled *d);
bool decoupled_guest_may(const void *state, uint32_t index);
void decoupled_guest(void *state, uint32_t index, struct guest_step *step);
void decoupled_guest_result(void *state, uint32_t index, uint64_t cycle);

// Computes an instruction in the registers of a warp or, in_stream, of its shadow. False: a load from memory, nothing
// done.
bool decoupled_computes(const struct decoupled *d, struct warp *w, uint32_t inst, bool in_stream);
// Lanes of the warp in which the guard of an instruction lets the instruction work.
uint64_t decoupled_guarded(const struct warp *w, const struct inst *i);

// -- records.c
// The step's record for the warp, into the newest entry of the ATQ.
void decoupled_enqueue(struct decoupled *d, unsigned place, const struct decouple_step *s);

// -- parts.c
// Divides the places that have just taken a step (bits) into parts whose blocks a tuple over blockIdx can hold. Returns
// the number of parts, in d->parts.
unsigned decoupled_divide(struct decoupled *d, uint32_t inst, uint64_t places, const struct entry *e);

// -- units.c
struct part *decoupled_part(struct decoupled *d);
void decoupled_unlock_lines(struct decoupled *d, const struct part *p);
static inline void decoupled_part_free(struct decoupled *d, struct part *p)
{
    if (p->line_count) decoupled_unlock_lines(d, p);
    p->next = d->free_parts;
    d->free_parts = p;
}
void decoupled_push(struct decoupled *d, struct follower *f,
                    struct part *p); // to the end of the warp's queue
void decoupled_schedule(struct decoupled *d, uint64_t cycle);
static inline void decoupled_wake_at(struct decoupled *d, uint64_t cycle)
{
    if (d->scheduled_at > cycle || d->scheduled_at <= tech_now(d->grid)) decoupled_schedule(d, cycle);
}
// Wakes a unit for possible work.
static inline void decoupled_stir(struct decoupled *d, bool is_address)
{
    if (!d->count && !d->asking) return;
    unit_of(d, is_address)->stirred = true;
    decoupled_wake_at(d, tech_now(d->grid) + 1);
}
void decoupled_event(void *state, unsigned block);
void decoupled_unlock(struct decoupled *d, uint64_t line); // a line locked before
void decoupled_asked(void *state, uint64_t line, uint32_t token);
void decoupled_line(void *state, uint64_t line, uint32_t token);
void decoupled_forget(struct decoupled *d, unsigned place); // drops all records for the warp

// -- early.c: loads=early, the paper taken literally
// At the arrival of the last line, if all lines are locked in L1: reads the load's result into p->data.
void decoupled_capture(struct decoupled *d, unsigned place, struct part *p);
// After execution: replaces the load's result with the captured data.
void decoupled_replace(struct decoupled *d, unsigned place, const struct part *p);

// -- spoil.c: spoil=1, otherwise without effect
void decoupled_spoil_result(struct decoupled *d, unsigned place,
                            uint32_t inst); // behind a removed instruction
// Around a site: keeps what address and guard registers hold before the queue's values, and puts it back.
void decoupled_keep(struct decoupled *d, unsigned place, uint32_t inst);
void decoupled_put_back(struct decoupled *d, unsigned place, uint32_t inst);

// -- others.c
// Looks at the warp's next instruction: passes removed instructions, then sets or releases the hold.
void decoupled_look(struct decoupled *d, unsigned place);
void decoupled_leave(struct decoupled *d, unsigned place);
// Lets warps go on without the stream, once a warp has waited PATIENCE cycles for the stream: the waiting
// warps, or fewer warps with records.
void decoupled_relieve(struct decoupled *d);
uint32_t decoupled_leaves_out(const void *state, unsigned place, uint32_t pc);
void decoupled_reads(void *state, unsigned place, uint32_t index);
void decoupled_executed(void *state, unsigned place, uint32_t index);
void decoupled_saved(void *state, unsigned place, uint32_t index, enum tech_saving what);
void decoupled_advanced(void *state, unsigned place);
uint32_t decoupled_elsewhere(const void *state, unsigned place, uint32_t index, bool is_write);
void decoupled_operand(void *state, unsigned place, uint32_t index, struct operand_access *a);
void decoupled_issued(void *state, unsigned place, uint32_t index);
void decoupled_access(void *state, const struct tech_line *line);
bool decoupled_foreseen(void *state, const struct tech_line *line);
void decoupled_replied(void *state, unsigned place, uint32_t index, const uint16_t *registers,
                       uint64_t cycle);
void decoupled_warp_end(void *state, unsigned place);
