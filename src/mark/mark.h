// Static redundancy marks: instructions of a program that provably give every warp of a block the same
// result, and why other instructions do not.
//
//   program ─ blocks, SSA over registers, predicates and spill slots ─ marks per definition ─▶ struct marks
//                                                     block's shape at launch ─ promote ─▶ final marks
//
// The claim behind a mark (docs/explanation/soundness.md): two warps of a block executing the instruction get
// results equal bit for bit. Assumed: all lanes active, and one history of uniform branches since the last
// barrier of the whole block. REDUNDANT claims equality for every shape of block, CONDITIONAL for shapes
// meeting the mark's conditions, VECTOR never. Definitions and rules follow DARSIE section 4.2 where it is
// sound and replace unsound rules.
#pragma once
#include "base/arena.h"
#include "base/config.h"
#include "base/str.h"

struct program;

enum mark_kind { MARK_VECTOR, MARK_CONDITIONAL, MARK_REDUNDANT }; // the two bits of inst->mark

// Conditions on the block's shape. x, y, z are the block's dimensions in threads, W the warp size. A value is
// equal in all warps if lane l holds the same number in every warp.
enum mark_condition {
    MARK_IF_TID_X = 1 << 0,    // tid.x is equal in all warps: blockDim.x (x) divides the warp size (W)
    MARK_IF_TID_Y = 1 << 1,    // tid.y is equal in all warps: x * y divides W, or blockDim.y (y) is 1
    MARK_IF_TID_Z = 1 << 2,    // tid.z is equal in all warps: z = 1
    MARK_IF_TID_X_MOD = 1 << 3 // tid.x mod W is equal in all warps: y = z = 1, or x divides W, or W divides x
};

// The pattern of a value over the lanes of a warp, with all lanes executing. Valid where diverged lanes
// reconverge at the immediate post-dominator (simt=stack). With simt=splits, lanes in different iterations of
// a loop may share an execution.
enum mark_class { MARK_UNIFORM, MARK_AFFINE, MARK_UNSTRUCTURED };
enum mark_basis { MARK_BASIS_NONE, MARK_BASIS_TID_X, MARK_BASIS_LANE };

struct mark_pattern {
    bool known;    // false during the analysis: no value seen yet
    uint8_t class; // enum mark_class
    uint8_t basis; // AFFINE: enum mark_basis, the per-lane number multiplied by `stride`
    bool base_known, stride_known;
    // UNIFORM: the value of every lane. AFFINE: the value is base + stride * basis, modulo 2^32
    uint32_t base;
    int32_t stride;
};

enum mark_scope { MARK_SCOPE_BLOCK, MARK_SCOPE_GRID };

enum mark_cause {
    CAUSE_NONE,         // redundant: nothing to explain
    CAUSE_THREAD_INDEX, // reads tid.x, tid.y, tid.z (see the condition), or a warp, lane or hart number
    CAUSE_SPECIAL,      // a clock, counter or other special register
    CAUSE_SOURCE,       // a source operand, defined at `from`, may differ between warps
    CAUSE_GUARD,        // written under a guard predicate, defined at `from`, that may differ between warps
    CAUSE_OLD,          // a guarded write keeps the old value, defined at `from`, which may differ by warp
    CAUSE_JOIN,         // merges values of two sides of the branch at `from`
    CAUSE_LOOP,         // leaves a loop whose trip count may differ between warps: exit branch at `from`
    // carried around a loop whose barriers warps may meet in different iterations (branch `from`)
    CAUSE_BARRIER,
    CAUSE_EPOCH, // loaded where warps may have passed different numbers of barriers or fences (branch `from`)
    CAUSE_UNDEFINED,  // reads a register unwritten on some path
    CAUSE_LOCAL,      // loaded from local memory; a stored value may differ between warps
    CAUSE_GENERIC,    // accesses a generic address not proved to be global or shared
    CAUSE_ORDERED,    // a volatile, relaxed or acquire load: each thread must read for itself
    CAUSE_ATOMIC,     // every execution changes memory
    CAUSE_CROSS_LANE, // reads other lanes, or which lanes are active
    CAUSE_EFFECT,     // store, barrier, fence, output: must happen for every warp
    CAUSE_CALL,       // crosses a call: parameters are not followed
    CAUSE_BLOCK,      // at grid scope: differs between blocks
    CAUSE_CONTROL,    // branches are executed by every warp
    CAUSE_UNMARKED    // rules->none, or control flow with unknown targets (flow/blocks.h)
};

struct mark_rules {
    bool none;      // mark all instructions VECTOR, as a compiler without marks does
    bool paper;     // the paper's literal rules, unsound where docs/explanation/soundness.md says so
    bool tid_y;     // extension: values of threadIdx.y (and z) may be CONDITIONAL
    bool laneid;    // extension: %laneid and the lanemasks are redundant in every block
    bool tid_x_mod; // extension: tid.x & (2^n - 1), 2^n up to the warp size, may be CONDITIONAL
    bool hart;      // extension for RISC-V: the hart's number & (2^n - 1) is tid.x in blocks whose x is 2^n
    bool two_dimensions; // threadIdx.x repeats in two-dimensional blocks only, as the paper requires
    // a CONDITIONAL mark with an unmet condition may still hold among every p-th warp (mark_warp_classes)
    bool warp_classes;
    bool grid;             // compute mark.grid too: results equal in all warps of all blocks
    enum mark_scope scope; // set by marks_compute
    unsigned warp_size;
    uint32_t broken; // tests only: bit per enum mark_soundness, a set bit leaves the rule out
};

// The rules that make marks sound. Tests leave out one rule at a time and expect a wrong mark.
enum mark_soundness {
    SOUND_JOIN,
    SOUND_LOOP,
    SOUND_BARRIER,
    SOUND_EPOCH,
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

// sound rules, redundancy sources of DARSIE 4.2, no extensions, warp size 32
void mark_rules_default(struct mark_rules *r);

enum mark_rules_choice { MARK_RULES_SOUND, MARK_RULES_PAPER, MARK_RULES_NONE };
enum mark_blocks { MARK_BLOCKS_ANY, MARK_BLOCKS_TWO };
// The settings as written by a user (config.def in this folder).
struct mark_settings {
    int rules;     // enum mark_rules_choice
    int promotion; // enum mark_promotion
    int blocks;    // enum mark_blocks
    bool tid_y, laneid, tid_x_mod, hart, warp_classes, grid;
};
extern const struct config_key mark_config_keys[];
extern const size_t mark_config_key_count;
void mark_rules_from(struct mark_rules *r, const struct mark_settings *s, unsigned warp_size);

struct mark {
    uint8_t kind;                // enum mark_kind
    uint8_t conditions;          // CONDITIONAL: bits of enum mark_condition, all required
    uint8_t cause;               // enum mark_cause of the weakening below REDUNDANT
    struct mark_pattern pattern; // of the result, over a warp's lanes; of several results, the weakest
    bool grid;                   // rules->grid: equal in all blocks, under `grid_conditions`
    uint8_t grid_conditions;
    bool guarded; // executed under a guard unknown at fetch
    // Branches: enum mark_kind of the branch direction. Unless VECTOR, warps with equal branch history take
    // the same direction under `way_conditions`.
    uint8_t way, way_conditions;
    bool way_varies; // lanes of one warp may diverge at the branch
    bool has_result; // writes a register, predicate or local memory; else VECTOR, executed for its effect
    // cuts a thread's index out of a larger number
    bool is_index;
    bool reached; // reachable from the entry; only RISC-V programs hold other code
    // writes vector registers only, without a guard: sharable by register renaming
    bool shareable;
    uint32_t from; // instruction blamed by the cause; UINT32_MAX: no instruction
};

struct mark_ssa;

struct marks {
    struct arena arena;
    const struct program *program;
    struct mark_rules rules;
    struct mark *marks;   // one per instruction
    struct mark_ssa *ssa; // used by mark_explain and mark_leaves_of
    // By definition, for mark_explain and root causes (chain.h): end of the chain of CAUSE_SOURCE, and of the
    // chain of all plain dependences.
    uint32_t *source_ends, *root_ends;
};

// The marks of a program, on the heap; never NULL. Free with marks_free.
struct marks *marks_compute(const struct program *p, const struct mark_rules *r);
void marks_free(struct marks *m);

// The conditions met by a block's shape, as bits of enum mark_condition. With rules->paper: the paper's
// check, two dimensions and x a power of two not above W.
unsigned mark_conditions_met(const struct mark_rules *r, const uint32_t block[3]);
// The mark at launch: CONDITIONAL becomes REDUNDANT or VECTOR.
static inline enum mark_kind mark_promoted(const struct mark *m, unsigned conditions_met)
{
    if (m->kind != MARK_CONDITIONAL) return (enum mark_kind)m->kind;
    return (m->conditions & ~conditions_met) ? MARK_VECTOR : MARK_REDUNDANT;
}
// The warps of a block with equal results. 1: all warps; p > 1: warps whose numbers differ by a multiple of p
// (rules->warp_classes: with x = 64 and W = 32, every other warp has the same threadIdx.x); 0: no two warps.
uint32_t mark_warp_classes(const struct mark_rules *r, const struct mark *m, const uint32_t block[3]);

// The static encoding of DARSIE section 4.2: two bits an instruction (0 V, 1 CR, 2 DR), and in the program
// the conditions named by its CR instructions. Hardware without a mechanism ignores both. For a mechanism, an
// unmarked program is all V.
void marks_encode(const struct marks *m, struct program *p);
// Promotion at launch, in the paper's two variants. Both turn the code of an instruction into its mark for
// the shape of the launch. Input: everything known to the compiler (DRIVER), or the encoded program alone
// (HARDWARE).
//   DRIVER    the driver's finalisation writes the launch's marks into its copy of the program
//   HARDWARE  the program stays unchanged; one comparison with the block's shape at launch decides for
//             all CR instructions together, and decode reads CR as DR or V by the resulting bit
enum mark_promotion { MARK_BY_DRIVER, MARK_BY_HARDWARE };
void marks_finalise(const struct marks *m, const uint32_t block[3], struct program *p);
bool mark_hardware_promotes(const struct mark_rules *r, const struct program *p, const uint32_t block[3]);
static inline enum mark_kind mark_hardware_kind(unsigned mark, bool promotes)
{
    if (mark != MARK_CONDITIONAL) return (enum mark_kind)mark;
    return promotes ? MARK_REDUNDANT : MARK_VECTOR;
}

const char *mark_kind_name(enum mark_kind k);   // "DR", "CR", "V"
const char *mark_class_name(enum mark_class c); // "uniform"
const char *mark_cause_name(enum mark_cause c); // one word, for tables
// "affine 0x1000+4*threadIdx.x", "uniform 32", "unstructured"
void mark_print_pattern(const struct mark_pattern *p, struct strbuf *out);
// The cause at the end of the chain of plain dependences: the fact that keeps the instruction from REDUNDANT.
// *root: the instruction concerned (a reader of the thread index; the branch of JOIN, LOOP, BARRIER and
// EPOCH), or UINT32_MAX.
enum mark_cause mark_root_cause(const struct marks *m, uint32_t inst, uint32_t *root);
// The root cause in a few words: "threadIdx.y", "a branch taken differently by warps".
void mark_print_root(const struct marks *m, uint32_t inst, struct strbuf *out);
// "V: merges values of two sides of the branch at hotspot.cu:31, which depends on threadIdx.y
// (hotspot.cu:12)": the chain of causes down to the root, cut with "…" after a few links. A mark without a
// chain gets one short text.
void mark_explain(const struct marks *m, uint32_t inst, struct strbuf *out);
