// The PTX front end: text in, typed module out.
//
//     text ── lex ──▶ tokens ── parse ──▶ ptx_module ── check ──▶ the same module, known to be well typed
//
// After a successful ptx_parse, every name is resolved: registers, symbols, labels, functions and
// parameters are pointers or indices. Every instruction marked `RUN` in ptx.def has a combination of
// modifiers, types and operands allowed by the PTX ISA. Later stages never diagnose PTX again. Valid PTX
// beyond warpfold's support is kept with `unsupported` set: launching a kernel with a path to it is refused
// with the text and place; the rest of the module stays usable.
//
// The module owns all of its data (in its arena, except the instructions). The module holds no reference to
// its text except `struct loc`, which points into the sources of the `struct diag` given to ptx_parse.
#pragma once
// clang-format off
#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

enum ptx_op {
#define PTX(name, mnemonic, support) PTX_OP_##name,
#include "ptx/ptx.def"
#undef PTX
    PTX_OP_COUNT
};

// Fundamental types (PTX ISA 5.2). The types from PTX_BF16 to PTX_B1, and the opaque types, never are
// register types.
enum ptx_type {
    PTX_NONE,
    PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
    PTX_U8, PTX_U16, PTX_U32, PTX_U64,
    PTX_S8, PTX_S16, PTX_S32, PTX_S64,
    PTX_F16, PTX_F16X2, PTX_F32, PTX_F64,
    PTX_BF16, PTX_BF16X2, PTX_F32X2, PTX_TF32, PTX_E4M3, PTX_E5M2, PTX_E4M3X2, PTX_E5M2X2,
    PTX_U16X2, PTX_S16X2,
    PTX_U4, PTX_S4, PTX_B1,
    PTX_PRED,
    PTX_TEXREF, PTX_SAMPLERREF, PTX_SURFREF,
    PTX_TYPE_COUNT
};

enum ptx_space { // PTX_SPACE_GENERIC: no space written
    PTX_SPACE_GENERIC, PTX_SPACE_REG, PTX_SPACE_SREG, PTX_SPACE_CONST, PTX_SPACE_GLOBAL, PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM, PTX_SPACE_SHARED, PTX_SPACE_TEX,
    PTX_SPACE_SHARED_CLUSTER // as written alone: an instruction has PTX_SPACE_SHARED and of_cluster
};

enum ptx_round { // the I suffix rounds to an integral value
    PTX_ROUND_NONE, PTX_ROUND_RN, PTX_ROUND_RZ, PTX_ROUND_RM, PTX_ROUND_RP, PTX_ROUND_RNA,
    PTX_ROUND_RNI, PTX_ROUND_RZI, PTX_ROUND_RMI, PTX_ROUND_RPI
};

enum ptx_cmp { // the U forms are true with a NaN operand; LO..HS are the unsigned integer spellings
    PTX_CMP_NONE, PTX_CMP_EQ, PTX_CMP_NE, PTX_CMP_LT, PTX_CMP_LE, PTX_CMP_GT, PTX_CMP_GE,
    PTX_CMP_LO, PTX_CMP_LS, PTX_CMP_HI, PTX_CMP_HS,
    PTX_CMP_EQU, PTX_CMP_NEU, PTX_CMP_LTU, PTX_CMP_LEU, PTX_CMP_GTU, PTX_CMP_GEU, PTX_CMP_NUM, PTX_CMP_NAN
};

enum ptx_bool { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR, PTX_BOOL_POPC };

// mul, mad: the part of the product kept, WIDE: the whole product. dp2a: the half of operand b.
enum ptx_half { PTX_HALF_NONE, PTX_HALF_LO, PTX_HALF_HI, PTX_HALF_WIDE };

enum ptx_cache { // cache operators of ld, st and cp.async; other hints are accepted and dropped
    PTX_CACHE_NONE, PTX_CACHE_CA, PTX_CACHE_CG, PTX_CACHE_CS, PTX_CACHE_LU, PTX_CACHE_CV, PTX_CACHE_WB, PTX_CACHE_WT
};

enum ptx_sem { // memory semantics; PTX_SEM_VOLATILE is ld.volatile/st.volatile
    PTX_SEM_NONE, PTX_SEM_WEAK, PTX_SEM_VOLATILE, PTX_SEM_RELAXED, PTX_SEM_ACQUIRE, PTX_SEM_RELEASE,
    PTX_SEM_ACQ_REL, PTX_SEM_SC, PTX_SEM_MMIO
};

enum ptx_scope { PTX_SCOPE_NONE, PTX_SCOPE_CTA, PTX_SCOPE_CLUSTER, PTX_SCOPE_GPU, PTX_SCOPE_SYS }; // .gl: GPU

enum ptx_atom { // atom, red, redux
    PTX_ATOM_NONE, PTX_ATOM_ADD, PTX_ATOM_MIN, PTX_ATOM_MAX, PTX_ATOM_AND, PTX_ATOM_OR, PTX_ATOM_XOR,
    PTX_ATOM_INC, PTX_ATOM_DEC, PTX_ATOM_EXCH, PTX_ATOM_CAS
};

// Modifier selecting one of several functions of an instruction, such as shfl.up. sig.def and check*.c limit
// the values per operation.
enum ptx_mode {
    PTX_MODE_NONE,
    PTX_MODE_SHFL_UP, PTX_MODE_SHFL_DOWN, PTX_MODE_SHFL_BFLY, PTX_MODE_SHFL_IDX,
    PTX_MODE_VOTE_ALL, PTX_MODE_VOTE_ANY, PTX_MODE_VOTE_UNI, PTX_MODE_VOTE_BALLOT, // match: .any and .all
    PTX_MODE_BAR_SYNC, PTX_MODE_BAR_ARRIVE, PTX_MODE_BAR_RED, PTX_MODE_BAR_WARP_SYNC, // red's op in `boolean`
    PTX_MODE_BAR_WAIT, PTX_MODE_BAR_LAUNCH, // barrier.cluster.wait; griddepcontrol.wait, .launch_dependents
    PTX_MODE_SHF_LEFT, PTX_MODE_SHF_RIGHT,
    PTX_MODE_PRMT_F4E, PTX_MODE_PRMT_B4E, PTX_MODE_PRMT_RC8, PTX_MODE_PRMT_ECL, PTX_MODE_PRMT_ECR,
    PTX_MODE_PRMT_RC16,
    PTX_MODE_TESTP_FINITE, PTX_MODE_TESTP_INFINITE, PTX_MODE_TESTP_NUMBER, PTX_MODE_TESTP_NAN,
    PTX_MODE_TESTP_NORMAL, PTX_MODE_TESTP_SUBNORMAL,
    PTX_MODE_TEX_1D, PTX_MODE_TEX_2D, PTX_MODE_TEX_3D, PTX_MODE_TEX_A1D, PTX_MODE_TEX_A2D, PTX_MODE_TEX_CUBE,
    PTX_MODE_TEX_ACUBE, // multisample textures are unsupported
    PTX_MODE_TXQ_WIDTH, PTX_MODE_TXQ_HEIGHT, PTX_MODE_TXQ_DEPTH, PTX_MODE_TXQ_LAYERS,
    PTX_MODE_POLICY_FRACTIONAL, PTX_MODE_POLICY_RANGE, PTX_MODE_POLICY_CVT, // createpolicy
    PTX_MODE_WMMA_LOAD, PTX_MODE_WMMA_MMA, PTX_MODE_WMMA_STORE,
    PTX_MODE_CP_MBARRIER, PTX_MODE_CP_ARRIVE, // cp.async.mbarrier, before and with .arrive
    PTX_MODE_MBARRIER_INIT, PTX_MODE_MBARRIER_INVAL, PTX_MODE_MBARRIER_ARRIVE, PTX_MODE_MBARRIER_DROP,
    PTX_MODE_MBARRIER_TEST, PTX_MODE_MBARRIER_TRY, PTX_MODE_MBARRIER_EXPECT, PTX_MODE_MBARRIER_COMPLETE,
    PTX_MODE_MBARRIER_COUNT,
    PTX_MODE_CP_ASYNC, PTX_MODE_CP_COMMIT_GROUP, PTX_MODE_CP_WAIT_GROUP, PTX_MODE_CP_WAIT_ALL,
    PTX_MODE_WGMMA_FENCE, PTX_MODE_WGMMA_MMA,
    PTX_MODE_MEMBAR_PROXY, // fence.proxy.*: no effect, for warpfold's memory reorders nothing
    PTX_MODE_MEMBAR_INIT   // fence.mbarrier_init: the same
};

// Mipmap level of a fetch: of a texture without levels or of `base` the first.
enum ptx_level { PTX_LEVEL_NONE, PTX_LEVEL_BASE, PTX_LEVEL_GIVEN, PTX_LEVEL_GRADIENT };

// What a surface access outside the surface does: fault, use the nearest place, or load zeros and store nothing.
enum ptx_boundary { PTX_BOUNDARY_NONE, PTX_BOUNDARY_TRAP, PTX_BOUNDARY_CLAMP, PTX_BOUNDARY_ZERO };

// Special registers (PTX ISA 10). `component` of the operand selects x, y, z.
enum ptx_sreg {
    PTX_SREG_TID, PTX_SREG_NTID, PTX_SREG_CTAID, PTX_SREG_NCTAID, PTX_SREG_LANEID, PTX_SREG_WARPID, PTX_SREG_NWARPID,
    PTX_SREG_SMID, PTX_SREG_NSMID, PTX_SREG_GRIDID, PTX_SREG_LANEMASK_EQ, PTX_SREG_LANEMASK_LE, PTX_SREG_LANEMASK_LT,
    PTX_SREG_LANEMASK_GE, PTX_SREG_LANEMASK_GT, PTX_SREG_CLOCK, PTX_SREG_CLOCK_HI, PTX_SREG_CLOCK64,
    PTX_SREG_GLOBALTIMER, PTX_SREG_GLOBALTIMER_LO, PTX_SREG_GLOBALTIMER_HI, PTX_SREG_DYNAMIC_SMEM_SIZE,
    PTX_SREG_TOTAL_SMEM_SIZE, PTX_SREG_AGGR_SMEM_SIZE, PTX_SREG_PM, PTX_SREG_PM64, PTX_SREG_ENVREG,
    PTX_SREG_CLUSTERID, PTX_SREG_NCLUSTERID, PTX_SREG_CLUSTER_CTAID, PTX_SREG_CLUSTER_NCTAID,
    PTX_SREG_CLUSTER_CTARANK, PTX_SREG_CLUSTER_NCTARANK, PTX_SREG_IS_EXPLICIT_CLUSTER, PTX_SREG_RESERVED_SMEM,
    PTX_SREG_CURRENT_GRAPH_EXEC,
    PTX_SREG_COUNT
}; // %pmN and %envregN carry N in `component`

// Shapes of matrix instructions, from matrix.def.
enum ptx_shape {
    PTX_SHAPE_NONE,
#define SHAPE(m, n, k) PTX_SHAPE_M##m##N##n##K##k,
#include "ptx/matrix.def"
#undef SHAPE
    PTX_SHAPE_M8N8,     // of ldmatrix and movmatrix
    PTX_SHAPE_WARPGROUP // of wgmma: m64 with `columns` and `depth`
};

enum ptx_phase { PTX_PHASE_NONE, PTX_PHASE_NO_COMPLETE, PTX_PHASE_PARITY, PTX_PHASE_NOINC, PTX_PHASE_EXPECT }; // of mbarriers

enum ptx_layout { PTX_LAYOUT_NONE, PTX_LAYOUT_ROW, PTX_LAYOUT_COL };

// Words of bulk copies, as bits: cp.async.bulk and its relatives, st.async, red.async.
enum ptx_word {
    PTX_WORD_BULK = 1, PTX_WORD_TENSOR = 2, PTX_WORD_REDUCE = 4, PTX_WORD_PREFETCH = 8, PTX_WORD_MBARRIER = 16,
    PTX_WORD_GROUP = 32, PTX_WORD_MULTICAST = 64, PTX_WORD_READ = 128, PTX_WORD_TILE = 1 << 8, PTX_WORD_IM2COL = 1 << 9,
    PTX_WORD_1D = 1 << 10, PTX_WORD_2D = 1 << 11, PTX_WORD_3D = 1 << 12, PTX_WORD_4D = 1 << 13, PTX_WORD_5D = 1 << 14,
    PTX_WORD_TENSORMAP = 1 << 15
};

struct ptx_function;
struct ptx_variable;

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REG,      // reg: index into function->regs; `negated` for !p
    // imm: bits converted to the instruction's type at the position. Integers are sign- or zero-extended to
    // 64 bits; f32 constants are 32 bits, f64 constants 64 bits.
    PTX_OPERAND_IMM,
    PTX_OPERAND_SREG,     // sreg, component
    PTX_OPERAND_SYMBOL,   // address of variable + offset (mov, cvta, call arguments); tex: the .texref
    PTX_OPERAND_FUNCTION, // address of function
    PTX_OPERAND_MEMORY,   // [base + offset]: base is a register (reg >= 0), a variable or an immediate
    PTX_OPERAND_LABEL,    // label: index into function->labels
    PTX_OPERAND_LABELS,   // a .branchtargets list by name: table
    PTX_OPERAND_VECTOR,   // {a, b, …}: elements[count]
    PTX_OPERAND_PAIR,     // p|q or d|p: elements[2]
    PTX_OPERAND_SINK      // _
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;
    uint8_t component;
    uint8_t count;         // number of elements; MEMORY: coordinates of "[map, {x, y}]", in `elements`; scale-d of wgmma: numbers behind it
    int32_t reg;           // REG; MEMORY: base register or -1
    enum ptx_sreg sreg;
    uint32_t label;        // LABEL; LABELS: index into function->tables
    int64_t offset;        // SYMBOL, MEMORY
    uint64_t imm;          // IMM; MEMORY without register and variable: the address
    struct ptx_variable *variable; // SYMBOL, MEMORY
    struct ptx_function *function; // FUNCTION
    struct ptx_operand *elements;  // VECTOR, PAIR; MEMORY with coordinates
    struct loc loc;
};

enum { PTX_OPERANDS_MAX = 6, PTX_TYPES_MAX = 4 };

// One instruction. Operands are in source order, destinations first; a setp with two destinations has one
// PAIR operand. call uses the call_* fields instead. tex: destination vector, texture, [sampler,] coordinate
// vector. "[tex, {x,y}]" is split, so operands[1] is the texture: a register with the texture object, or the
// SYMBOL of a .texref; tex.level, tex.grad: then the level, or two gradient vectors. suld: destination, surface,
// coordinates; sust, sured: surface, coordinates, value. txq, suq: destination, texture. A generic access naming a
// variable gets the variable's space. `bar`, except bar.warp, is always aligned.
struct ptx_inst {
    enum ptx_op op;
    int32_t guard; // predicate register, -1 = none
    bool guard_negated;

    uint8_t type_count;
    enum ptx_type types[PTX_TYPES_MAX]; // as written: cvt.u32.f32 has {U32, F32}; setp.eq.s32 has {S32}
    uint8_t vector;                     // 1, 2, 4 or 8 elements (ld, st, tex)
    enum ptx_space space;
    enum ptx_space space_to;            // cvta.to.SPACE: same as `space`; cp.async: space of the source
    enum ptx_round round;
    enum ptx_cmp cmp;
    enum ptx_bool boolean;
    enum ptx_half half;
    enum ptx_cache cache;
    enum ptx_sem sem;
    enum ptx_scope scope;
    enum ptx_atom atom;
    enum ptx_mode mode;
    enum ptx_phase phase;
    uint16_t bulk; // set of enum ptx_word
    bool ftz, sat, approx, full, nan, xorsign, relu, carry_out /* .cc */, wrap /* shf.wrap, szext/bmsk.wrap */,
        uniform /* .uni */, sync /* .sync form: first or last operand is a member mask */, aligned,
        shift_amount /* bfind.shiftamt */, non_coherent /* ld.global.nc */, no_return /* noftz atom etc. carry none */,
        to /* cvta.to */, zfill /* cp.async with src-size */,
        of_cluster /* .shared::cluster, barrier.cluster */;

    enum ptx_level level;       // tex
    enum ptx_boundary boundary; // suld, sust, sured

    // Matrix instructions: shape, layouts of a and b (ldmatrix.trans: COL first), number of matrices, the fragment that
    // wmma loads or stores ('a' to 'd'), the component that tld4 gathers ('r', 'g', 'b', 'a') or the form of a surface access
    // ('b': bits, 'p': formatted), sparse: 1, with .sp::ordered_metadata 2.
    enum ptx_shape shape;
    enum ptx_layout layouts[2];
    uint8_t matrices, fragment, sparse;
    uint16_t columns, depth; // of wgmma
    bool transposed, clamps /* .satfinite */;

    uint8_t operand_count;
    struct ptx_operand operands[PTX_OPERANDS_MAX];

    // call: arguments are registers, immediates or .param variables of the calling scope; returns are
    // registers, .param variables of the calling scope or `_` (SINK).
    struct ptx_operand *call_returns, *call_arguments;
    uint8_t call_return_count, call_argument_count;
    struct ptx_operand call_target;       // FUNCTION (direct) or REG (indirect)
    struct ptx_prototype *call_prototype; // indirect: the .callprototype, or a prototype of .calltargets

    const char *unsupported; // reason not to run a kernel reaching the instruction ("mma.sync"), or NULL
    struct loc loc;          // in the PTX text
    uint32_t line_info;      // index into module->line_infos, 0 = none
};

// .loc: a place in the CUDA source, with the chain of inlining calls (PTX ISA 11.5.3, ".loc").
struct ptx_line_info {
    uint32_t file; // file number in the PTX, possibly absent from module->files
    uint32_t line, column;
    uint32_t inlined_at;       // index into module->line_infos of the call site, 0 = not inlined
    const char *function_name; // the inlined function, NULL when not inlined
    uint32_t ptx_line, ptx_column; // of the instruction (ptx_number_places); 0: not recorded
};

struct ptx_file {
    uint32_t number; // as in the .file directive
    const char *name;
};

struct ptx_reg {
    const char *name; // "%r12"
    enum ptx_type type;
    uint8_t vector; // always 1: a vector register v is split into the scalars v.x, v.y, v.z, v.w
};

struct ptx_label {
    const char *name;
    uint32_t inst; // index of the next instruction (may equal inst_count: the end)
    bool defined;
    struct loc loc;
};

struct ptx_table { // .branchtargets, or .calltargets (functions)
    const char *name;
    uint32_t *labels;
    struct ptx_function **functions;
    uint32_t count;
    struct loc loc;
};

// A pointer inside initialised data: at byte `offset`, `size` bytes wide, address of variable or function +
// addend. `generic`: written generic(symbol). `shift`: of the byte extraction mask(symbol), which stores the
// low byte of address >> shift.
struct ptx_relocation {
    uint64_t offset;
    uint8_t size, shift;
    bool generic;
    struct ptx_variable *variable;
    struct ptx_function *function;
    int64_t addend;
};

struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type; // of an element
    uint8_t vector;
    uint32_t align_bytes;
    uint64_t size_bytes; // whole object; 0: an .extern array without a size, or a texture, sampler, surface
    bool is_extern, is_visible, is_weak, is_common, is_managed;
    bool is_array;
    // .param: a parameter or a return value of its function; both false for parameters of calls.
    bool is_input, is_output;
    // Parameter in .reg space: index into function->regs; -1 for every other variable.
    int32_t reg;
    // .param: byte offset in the parameter block of its function, aligned by PTX ISA 5.4.
    uint64_t offset;
    uint8_t *init;   // size_bytes; NULL: not initialised (zero)
    struct ptx_relocation *relocations;
    uint32_t relocation_count;
    struct ptx_function *function; // scope, NULL = module
    const char *unsupported;       // reason not to run an instruction using the variable, or NULL
    struct loc loc;
    void *user; // for a later stage (numbering by the compiler)
};

struct ptx_prototype { // of a .func, or a .callprototype
    struct ptx_variable **returns, **params;
    uint32_t return_count, param_count;
    uint64_t param_bytes;
    bool noreturn;
};

struct ptx_function {
    const char *name; // mangled, as in the text
    bool is_entry, is_extern, is_visible, is_weak;
    bool has_body;
    bool address_taken; // by an instruction or initialised data of the module
    struct ptx_prototype prototype;
    struct ptx_reg *regs;
    uint32_t reg_count;
    struct ptx_inst *insts;
    uint32_t inst_count;
    struct ptx_label *labels;
    uint32_t label_count;
    struct ptx_table *tables;
    uint32_t table_count;
    // Declared in the body, in all scopes: .local, .shared, .param, .const, .global.
    struct ptx_variable **variables;
    uint32_t variable_count;
    uint32_t max_registers; // .maxnreg, 0 = none
    uint32_t max_threads[3], required_threads[3]; // .maxntid, .reqntid; 0 = none
    uint32_t min_blocks;                          // .minnctapersm
    uint32_t cluster[3];                          // .reqnctapercluster; 0 = none
    uint32_t max_cluster;                         // .maxclusterrank; 0 = none
    bool is_explicit_cluster;                     // .explicitcluster
    const char *unsupported; // a directive that makes the function unusable (.blocksareclusters), or NULL
    struct loc loc;
    void *user;
};

struct ptx_module {
    struct arena arena;
    unsigned version_major, version_minor; // .version
    const char *target;                    // "sm_75", first of the list
    unsigned target_sm;                    // 75
    unsigned address_bits;                 // 32 or 64
    struct ptx_variable **variables; // module scope
    uint32_t variable_count;
    // Definitions and declarations in source order, one per name.
    struct ptx_function **functions;
    uint32_t function_count;
    struct ptx_file *files;
    uint32_t file_count;
    struct ptx_line_info *line_infos; // [0] is unused
    uint32_t line_info_count;
};

// Parses and checks a whole file. NULL on errors, with at least one located error in `d`. Never crashes or
// hangs, whatever the bytes. `source`: number of the text by diag_add_source (may be 0).
struct ptx_module *ptx_parse(const char *text, size_t length, uint32_t source, struct diag *d);
// For PTX without .file and .loc: takes the PTX lines as source lines, of the file `name`. No effect on other
// modules.
void ptx_number_lines(struct ptx_module *m, const char *name);
// Gives every instruction a line info of its own, with the instruction's place in the PTX.
void ptx_number_places(struct ptx_module *m);
void ptx_module_free(struct ptx_module *m);

const char *ptx_op_name(enum ptx_op op);
const char *ptx_type_name(enum ptx_type type); // "u32", without the dot
unsigned ptx_type_bits(enum ptx_type type);    // 0 for none and opaque types; 1 for pred
bool ptx_type_is_float(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type); // signed integers only
const char *ptx_sreg_name(enum ptx_sreg sreg);

// Of fetches, surface accesses and queries: the operand that names the texture, the operand with the coordinates (a
// query's: the texture), and how many coordinates a geometry has, a layer included.
unsigned ptx_texture_place(enum ptx_op op);
unsigned ptx_coordinates_place(const struct ptx_inst *i);
unsigned ptx_coordinate_count(enum ptx_mode geometry);
bool ptx_is_layered(enum ptx_mode geometry);

// Finds an entry by exact name, or by its unmangled identifier or whole name if unique ("_Z6vecaddPKfS0_Pfi" is
// found as "vecadd"; blanks, and suffixes of numbers, do not count). name NULL: the only entry. Otherwise NULL and
// an error with the nearest name or the candidates.
struct ptx_function *ptx_find_entry(const struct ptx_module *m, const char *name, struct diag *d);
// The identifier inside an Itanium-mangled name, nested names and templates included ("_ZN2ns3fooIfEEvPT_"
// gives "foo"); an unmangled name unchanged. Points into arena memory.
const char *ptx_unmangle(struct arena *a, const char *name);
struct ptx_variable *ptx_find_variable(const struct ptx_module *m, const char *name);

// Prints the module as PTX text (tests: parse(print(parse(x))) is stable; used by the shrinker, too).
void ptx_print_module(const struct ptx_module *m, struct strbuf *out);
