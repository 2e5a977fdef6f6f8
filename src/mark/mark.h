// Static redundancy marks: which instructions of a program give every warp of a block the same result,
// provably, and why the others do not.
//
//   program ─ blocks, SSA over registers, predicates and spill slots ─ marks per definition ─▶ struct marks
//                                                     block's shape at launch ─ promote ─▶ final marks
//
// The claim behind a mark (docs/soundness.md): whenever two warps of a block, all lanes active, execute the
// instruction with the same history of uniform branches since the last barrier of the whole block, their
// results are equal bit for bit. REDUNDANT claims it for every shape of block, CONDITIONAL for shapes that
// meet the mark's conditions, VECTOR not at all. The definitions and the rules follow DARSIE section 4.2
// where it is sound and replace it where it is not.
#pragma once
#include "base/arena.h"
#include "base/config.h"
#include "base/str.h"
#include "isa/program.h"

enum mark_kind { MARK_VECTOR, MARK_CONDITIONAL, MARK_REDUNDANT }; // the two bits of inst->mark

// What the block's shape must fulfil. x, y, z are its dimensions, W the warp size.
enum mark_condition {
    MARK_IF_TID_X = 1 << 0,    // tid.x repeats: x divides W
    MARK_IF_TID_Y = 1 << 1,    // tid.y repeats: x * y divides W, or y = 1
    MARK_IF_TID_Z = 1 << 2,    // tid.z repeats: z = 1
    MARK_IF_TID_X_MOD = 1 << 3 // tid.x mod W repeats: y = z = 1, or x divides W, or W divides x
};

// The pattern of a value over the lanes of a warp, where it is known.
enum mark_class { MARK_UNIFORM, MARK_AFFINE, MARK_UNSTRUCTURED };

enum mark_cause {
    CAUSE_NONE,         // redundant: nothing to explain
    CAUSE_THREAD_INDEX, // reads tid.x, tid.y, tid.z (the condition says which), or warp numbers
    CAUSE_SPECIAL,      // a clock, counter or other special register
    CAUSE_SOURCE,       // a source operand's definition (`from`)
    CAUSE_GUARD,        // the guard's definition
    CAUSE_OLD,          // a guarded write keeps the old value, which comes from `from`
    CAUSE_JOIN,         // merges values of two sides of the branch at `from`
    CAUSE_LOOP,         // leaves a loop whose trip count differs: the exit branch at `from`
    CAUSE_BARRIER,      // carried around a loop whose barriers warps may meet in different iterations (branch
                        // `from`)
    CAUSE_UNDEFINED,    // a register that some path leaves unwritten
    CAUSE_LOCAL,        // local memory is private to a thread
    CAUSE_GENERIC,      // a generic address not proved to be global or shared
    CAUSE_ORDERED,      // volatile, relaxed or acquire: each thread must read for itself
    CAUSE_ATOMIC,       // each execution changes memory
    CAUSE_CROSS_LANE,   // reads which lanes are active
    CAUSE_EFFECT,       // store, barrier, fence, output: must happen for every warp
    CAUSE_CALL,         // crosses a call: parameters are not followed
    CAUSE_CONTROL       // branches are executed by every warp
};

struct mark_rules {
    bool paper;     // the paper's literal rules, unsound where docs/soundness.md says so
    bool tid_y;     // extensions: threadIdx.y (and z) may be conditional
    bool laneid;    // %laneid and the lanemasks are redundant in every block
    bool tid_x_mod; // tid.x & (W - 1)
    unsigned warp_size;
    uint32_t broken; // bit per enum mark_soundness, for tests: that rule is left out
};

// The rules that make the marks sound, each of which a test leaves out to see it missed.
enum mark_soundness {
    SOUND_JOIN,
    SOUND_LOOP,
    SOUND_BARRIER,
    SOUND_GUARD,
    SOUND_OLD,
    SOUND_LOCAL,
    SOUND_GENERIC,
    SOUND_ORDERED,
    SOUND_ATOMIC,
    SOUND_CROSS_LANE,
    SOUND_CLOCK,
    SOUND_UNDEFINED,
    SOUND_CALL,
    SOUND_COUNT
};

void mark_rules_default(struct mark_rules *r); // sound, the sources of DARSIE 4.2, no extensions, W = 32

// The settings as a user writes them (config.def of this folder).
struct mark_settings {
    int rules; // 0 sound, 1 paper
    bool tid_y, laneid, tid_x_mod;
};
extern const struct config_key mark_config_keys[];
extern const size_t mark_config_key_count;
void mark_rules_from(struct mark_rules *r, const struct mark_settings *s, unsigned warp_size);

struct mark {
    uint8_t kind;       // enum mark_kind
    uint8_t conditions; // of CONDITIONAL: all of them must hold
    uint8_t class;      // enum mark_class of the result
    uint8_t cause;      // enum mark_cause of what made it weaker than REDUNDANT
    bool stride_known;  // AFFINE: lane i holds base + i * stride (mod 2^32) within a row of tid.x
    bool guarded;       // executed under a guard that fetch cannot know
    bool has_result;    // writes a register, predicate or spill slot (else the mark is VECTOR by its effect)
    bool shareable; // writes vector registers and nothing else: what a register-renaming mechanism can share
    int32_t stride;
    uint32_t from; // instruction the cause points at, UINT32_MAX when it has none
};

struct mark_ssa;

struct marks {
    struct arena arena;
    const struct program *program;
    struct mark_rules rules;
    struct mark *marks;   // one an instruction
    struct mark_ssa *ssa; // behind mark_explain
};

// NULL never; free with marks_free.
struct marks *marks_compute(const struct program *p, const struct mark_rules *r);
void marks_free(struct marks *m);

// The conditions that a block's shape fulfils. With rules->paper: the paper's check, two dimensions and x a
// power of two not above W.
unsigned mark_conditions_met(const struct mark_rules *r, const uint32_t block[3]);
// The mark in a launch: CONDITIONAL becomes REDUNDANT or VECTOR.
static inline enum mark_kind mark_promoted(const struct mark *m, unsigned conditions_met)
{
    if (m->kind != MARK_CONDITIONAL) return (enum mark_kind)m->kind;
    return (m->conditions & ~conditions_met) ? MARK_VECTOR : MARK_REDUNDANT;
}
// Writes the two-bit marks into a program's instructions (the static encoding of 4.2).
void marks_encode(const struct marks *m, struct program *p);

const char *mark_kind_name(enum mark_kind k);   // "DR", "CR", "V"
const char *mark_class_name(enum mark_class c); // "uniform"
const char *mark_cause_name(enum mark_cause c); // one word, for tables
// "V: merges values of two sides of the branch at hotspot.cu:31, which depends on threadIdx.y": the chain of
// causes down to its root, bounded.
void mark_explain(const struct marks *m, uint32_t inst, struct strbuf *out);
