// The machine's half of decoupled affine computation inside: two streams, and what is between them.
//
//     affine warp ─ guest ─▶ ATQ ─┬─▶ address expansion ─▶ a warp's addresses ──▶ its access
//     (affine.c)             ▲    │        │ asks L1 for lines, which stay          (others.c)
//        ▲                   │    └─▶ predicate expansion ─▶ its predicates ─▶ its branches
//        │                   │                    (units.c)
//        └── what only lanes know, and what they have passed ─────────────────────┘
//
// Of each warp the affine stream is somewhere; an instruction of it issues once for all warps that it is there for. Where
// it is in the middle of a block's way, and others begin, the lowest instruction goes first, so that they meet.
#pragma once
#include "base/vec.h"
#include "decouple/decouple.h"
#include "exec/exec_impl.h"
#include "sm/mech/tech.h"

enum decoupled_batch { BATCH_JOIN, BATCH_WAIT };
enum decoupled_arrival { ARRIVAL_WAIT, ARRIVAL_JOIN };
enum decoupled_loads { LOADS_ISSUE, LOADS_EARLY };
struct decoupled_options {
    struct decouple_rules rules;
    uint32_t atq, pwaq, pwpq, told, corrupt;
    int early, priority, batch, arrival, loads;
};

enum decoupled_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/decoupled/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

enum { WARPS = 64, LANES = 64, LINES_MAX = 64, TOLD_MAX = 16, ATQ_MAX = 256, QUEUE_MAX = 64, LOAD_WORDS = 4 };
// Cycles that a warp waits for its stream, where warps wait for one another (decoupled_relieve).
enum { PATIENCE = 10000 };

struct decoupled_launch {
    const struct decoupled_options *options;
    const struct launch *launch;
    const struct op *ops;     // of all instructions
    const struct inst *insts; // the kernel's, `count` of them; the affine stream's code stands behind them
    const struct decouple_plan *plan;
    const struct decouple_code *code;
    struct arena arena;
    uint32_t count, *jump; // jump: of an instruction, the next that the stream cares for
    uint32_t *removed;     // of an instruction: so many from it on are the affine stream's alone
    uint32_t *queued;      // of an instruction: which of the registers that it reads come from a queue, bits
    uint8_t *cost;         // of a step: lanes that work
    struct thread_index {
        int32_t at[3];
    } * threads; // of a block
    uint32_t line_bytes;
    bool early, verify, meets_ahead; // meets_ahead: all barriers are one, of the whole block
    uint64_t *mismatches;
};

// What the affine stream has for one warp at a site: an address or a predicate, of the lanes that come there.
struct part {
    struct part *next; // of those that are free, or behind it in its queue
    uint32_t inst;
    uint64_t active, lanes; // on the way; those of them that the guard lets
    uint64_t preds[2];
    bool is_address;
    uint8_t effort; // enum decouple_effort, of predicates
    // Addresses: so many tuples have them; none: they are words of lanes. What the tuples make of it, or those.
    unsigned pieces;
    uint64_t values[LANES];
    // Lines that are asked for before the access: which, their sectors, which have been asked for, have come, are locked.
    unsigned line_count, records;
    uint32_t order; // what the warp must have passed before they are
    uint64_t line[LINES_MAX];
    uint8_t sectors[LINES_MAX];
    unsigned asked;
    uint64_t there, locked;
    uint64_t asked_at, ready_at; // cycles
    bool has_data;               // with loads=early: what the lines held when the last one came
    uint32_t (*data)[LANES];     // heap; words of a load's registers
    uint32_t sequence;           // among all of its warp, as they were enqueued
};

struct piece { // a tuple over threads, of the lanes that it holds for
    uint64_t lanes, base;
    int64_t offset[3];
};

struct queue { // of a warp, oldest first
    struct part *first, *last;
    unsigned count, records;
};

struct entry { // of the ATQ
    struct part *part[WARPS];
    uint64_t left; // slots
    bool is_address;
};

enum follow { // what the affine stream does for a warp
    FOLLOWS_NOT,
    FOLLOWS,
    WAITS_TO_BE_TOLD,
    WAITS_FOR_ORDER,  // for the warp to have passed what orders memory
    WAITS_FOR_OTHERS, // at a barrier, for the stream to be there for all warps of the block
    FOLLOWED
};

struct access_lock { // a line that an access under way will let go
    uint64_t line;
    uint32_t inst;
};

struct follower { // of a place
    bool is_there, astray;
    bool is_alone; // astray, and behind what was fetched for it before it was
    bool moved;    // past what is left out: what the SM has seen before it may be none of its any more
    bool issues;   // it executes an instruction, and decoupled_issued is still to come
    uint8_t block, state;
    struct warp *shadow;
    uint32_t orders_seen, orders_passed; // by the stream, by the warp
    uint32_t barriers;                   // of the former
    bool order_pending;
    struct told {
        uint64_t active, pred;
    } * told; // a ring of TOLD_MAX
    unsigned told_first, told_count;
    struct queue addresses, predicates;
    unsigned expanding; // parts in the ATQ
    unsigned hold;      // as tech_hold has it
    bool was_late;
    struct part *taken;            // by the instruction at hand
    VEC(struct access_lock) locks; // of accesses under way
    uint32_t enqueued, dequeued;
    uint64_t starves_since; // the cycle at which it came for what is not under way, + 1; 0: it did not
};

struct decoupled {
    const struct decoupled_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct cta *shadows[64]; // by block
    uint64_t shadow_of[64];  // the block it is, + 1
    uint32_t started[64];    // warps of it
    bool is_parted[64];      // a part of a warp has come to a barrier by itself
    struct follower followers[WARPS];
    struct entry *atq; // a ring
    struct told *told; // of all slots
    unsigned first, count;
    uint64_t following;   // slots whose stream could go on
    uint32_t step[WARPS]; // of those: where it is
    struct part *free_parts;
    VEC(struct part *) all_parts;
    struct unit {
        bool stirred;     // there may be something for it to do
        uint64_t free_at; // cycle
    } predicate_unit, address_unit;
    uint64_t scheduled_at;    // cycle at which the units look again; 0: none
    uint64_t waits_for_cycle; // slots
    struct part *asking;      // whose lines L1 had no place for yet
    unsigned asking_slot;
    uint64_t starving; // slots
    uint64_t records_made;
    uint64_t choices; // of steps
    bool settles;     // the guest waits for its results
    uint64_t settled_at;
    unsigned turn; // place
};

extern const struct tech tech_decoupled;

static inline struct entry *entry_at(struct decoupled *d, unsigned n)
{
    return &d->atq[(d->first + n) % d->launch->options->atq];
}
static inline const struct decouple_inst *split_of(const struct decoupled *d, uint32_t inst)
{
    return &d->launch->plan->insts[inst];
}
// What is done for a warp; in one place, since who looks for what comes next looks at all of them.
static inline void follow(struct decoupled *d, unsigned place, enum follow what)
{
    d->followers[place].state = (uint8_t)what;
    d->following = what == FOLLOWS ? d->following | 1ull << place : d->following & ~(1ull << place);
}
static inline struct unit *unit_of(struct decoupled *d, bool is_address)
{
    return is_address ? &d->address_unit : &d->predicate_unit;
}
static inline struct queue *queue_of(struct follower *f, bool is_address)
{
    return is_address ? &f->addresses : &f->predicates;
}

// -- affine.c
void decoupled_follow(struct decoupled *d, unsigned place); // a warp that has come
void decoupled_news(struct decoupled *d, unsigned place);   // it has told something, or passed what orders
void decoupled_meet(struct decoupled *d, unsigned block); // the stream may be at a barrier for all its warps
void decoupled_start(struct decoupled *d);                // the guest, if there is something to do
bool decoupled_guest_may(const void *state, uint32_t index);
void decoupled_guest(void *state, uint32_t index, struct guest_step *step);
void decoupled_guest_result(void *state, uint32_t index, uint64_t cycle);

// What an instruction that reads no memory computes, in the registers of the warp or of its shadow; false: it does read.
bool decoupled_computes(const struct decoupled *d, struct warp *w, uint32_t inst);

// -- units.c
struct part *decoupled_part(struct decoupled *d);
void decoupled_part_free(struct decoupled *d, struct part *p);
void decoupled_stir(struct decoupled *d, bool is_address); // the unit may have something to do
void decoupled_wake_at(struct decoupled *d, uint64_t cycle);
void decoupled_event(void *state, unsigned block);
void decoupled_line(void *state, uint64_t line, uint32_t token);
void decoupled_forget(struct decoupled *d, unsigned place); // all that is on its way to the warp

// -- early.c: loads=early, the text taken literally
void decoupled_capture(struct decoupled *d, unsigned place, struct part *p);       // its last line has come
void decoupled_replace(struct decoupled *d, unsigned place, const struct part *p); // what its load has read

// -- others.c
void decoupled_look(struct decoupled *d, unsigned place); // what is before the warp now
void decoupled_leave(struct decoupled *d, unsigned place);
void decoupled_relieve(struct decoupled *d); // who has waited too long for its stream goes on alone
uint32_t decoupled_leaves_out(const void *state, unsigned place, uint32_t pc);
void decoupled_reads(void *state, unsigned place, uint32_t index);
void decoupled_executed(void *state, unsigned place, uint32_t index);
void decoupled_saved(void *state, unsigned place, uint32_t index, enum tech_saving what);
void decoupled_advanced(void *state, unsigned place);
uint32_t decoupled_elsewhere(const void *state, unsigned place, uint32_t index, bool is_write);
void decoupled_operand(void *state, unsigned place, uint32_t index, struct operand_access *a);
void decoupled_issued(void *state, unsigned place, uint32_t index);
void decoupled_access(void *state, const struct tech_line *line);
void decoupled_replied(void *state, unsigned place, uint32_t index, const uint16_t *registers,
                       uint64_t cycle);
void decoupled_warp_end(void *state, unsigned place);
