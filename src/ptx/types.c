// Names and properties of operations, types and special registers.
#include "ptx/ptx.h"

#include "ptx/names.h"

#include <string.h>

const char *ptx_op_name(enum ptx_op op)
{
    static const char *const names[] = {
#define PTX(name, mnemonic, support) mnemonic,
#include "ptx/ptx.def"
#undef PTX
    };
    return op < PTX_OP_COUNT ? names[op] : "?";
}

bool ptx_op_is_refused(enum ptx_op op)
{
    enum { RUN, REFUSE };
    static const unsigned char support[] = {
#define PTX(name, mnemonic, how) how,
#include "ptx/ptx.def"
#undef PTX
    };
    return support[op] == REFUSE;
}

static const struct {
    const char *name;
    unsigned bits;
} types[PTX_TYPE_COUNT] = {
    [PTX_NONE] = {"none", 0},       [PTX_B8] = {"b8", 8},
    [PTX_B16] = {"b16", 16},        [PTX_B32] = {"b32", 32},
    [PTX_B64] = {"b64", 64},        [PTX_B128] = {"b128", 128},
    [PTX_U8] = {"u8", 8},           [PTX_U16] = {"u16", 16},
    [PTX_U32] = {"u32", 32},        [PTX_U64] = {"u64", 64},
    [PTX_S8] = {"s8", 8},           [PTX_S16] = {"s16", 16},
    [PTX_S32] = {"s32", 32},        [PTX_S64] = {"s64", 64},
    [PTX_F16] = {"f16", 16},        [PTX_F16X2] = {"f16x2", 32},
    [PTX_F32] = {"f32", 32},        [PTX_F64] = {"f64", 64},
    [PTX_BF16] = {"bf16", 16},      [PTX_BF16X2] = {"bf16x2", 32},
    [PTX_TF32] = {"tf32", 32},      [PTX_E4M3] = {"e4m3", 8},
    [PTX_E5M2] = {"e5m2", 8},       [PTX_E4M3X2] = {"e4m3x2", 16},
    [PTX_E5M2X2] = {"e5m2x2", 16},  [PTX_U16X2] = {"u16x2", 32},
    [PTX_S16X2] = {"s16x2", 32},    [PTX_F32X2] = {"f32x2", 64},
    [PTX_U4] = {"u4", 4},           [PTX_S4] = {"s4", 4},
    [PTX_B1] = {"b1", 1},           [PTX_PRED] = {"pred", 1},
    [PTX_TEXREF] = {"texref", 0},   [PTX_SAMPLERREF] = {"samplerref", 0},
    [PTX_SURFREF] = {"surfref", 0},
};

const char *ptx_type_name(enum ptx_type type) { return type < PTX_TYPE_COUNT ? types[type].name : "?"; }
unsigned ptx_type_bits(enum ptx_type type) { return type < PTX_TYPE_COUNT ? types[type].bits : 0; }

bool ptx_type_is_float(enum ptx_type type) { return type >= PTX_F16 && type <= PTX_E5M2X2; }
bool ptx_type_is_bits(enum ptx_type type) { return type >= PTX_B8 && type <= PTX_B128; }
bool ptx_type_is_integer(enum ptx_type type) { return type >= PTX_U8 && type <= PTX_S64; }
bool ptx_type_is_signed(enum ptx_type type) { return type >= PTX_S8 && type <= PTX_S64; }

// Special registers (PTX ISA 10): name, type, number of components (0: scalar; numbered registers: their
// number).
static const struct {
    const char *name;
    enum ptx_type type;
    unsigned char components;
} sregs[PTX_SREG_COUNT] = {
    [PTX_SREG_TID] = {"%tid", PTX_U32, 3},
    [PTX_SREG_NTID] = {"%ntid", PTX_U32, 3},
    [PTX_SREG_CTAID] = {"%ctaid", PTX_U32, 3},
    [PTX_SREG_NCTAID] = {"%nctaid", PTX_U32, 3},
    [PTX_SREG_LANEID] = {"%laneid", PTX_U32, 0},
    [PTX_SREG_WARPID] = {"%warpid", PTX_U32, 0},
    [PTX_SREG_NWARPID] = {"%nwarpid", PTX_U32, 0},
    [PTX_SREG_SMID] = {"%smid", PTX_U32, 0},
    [PTX_SREG_NSMID] = {"%nsmid", PTX_U32, 0},
    [PTX_SREG_GRIDID] = {"%gridid", PTX_U64, 0},
    [PTX_SREG_LANEMASK_EQ] = {"%lanemask_eq", PTX_U32, 0},
    [PTX_SREG_LANEMASK_LE] = {"%lanemask_le", PTX_U32, 0},
    [PTX_SREG_LANEMASK_LT] = {"%lanemask_lt", PTX_U32, 0},
    [PTX_SREG_LANEMASK_GE] = {"%lanemask_ge", PTX_U32, 0},
    [PTX_SREG_LANEMASK_GT] = {"%lanemask_gt", PTX_U32, 0},
    [PTX_SREG_CLOCK] = {"%clock", PTX_U32, 0},
    [PTX_SREG_CLOCK_HI] = {"%clock_hi", PTX_U32, 0},
    [PTX_SREG_CLOCK64] = {"%clock64", PTX_U64, 0},
    [PTX_SREG_GLOBALTIMER] = {"%globaltimer", PTX_U64, 0},
    [PTX_SREG_GLOBALTIMER_LO] = {"%globaltimer_lo", PTX_U32, 0},
    [PTX_SREG_GLOBALTIMER_HI] = {"%globaltimer_hi", PTX_U32, 0},
    [PTX_SREG_DYNAMIC_SMEM_SIZE] = {"%dynamic_smem_size", PTX_U32, 0},
    [PTX_SREG_TOTAL_SMEM_SIZE] = {"%total_smem_size", PTX_U32, 0},
    [PTX_SREG_AGGR_SMEM_SIZE] = {"%aggr_smem_size", PTX_U32, 0},
    [PTX_SREG_PM] = {"%pm", PTX_U32, 8},
    [PTX_SREG_PM64] = {"%pm_64", PTX_U64, 8},
    [PTX_SREG_ENVREG] = {"%envreg", PTX_B32, 32},
    [PTX_SREG_CLUSTERID] = {"%clusterid", PTX_U32, 3},
    [PTX_SREG_NCLUSTERID] = {"%nclusterid", PTX_U32, 3},
    [PTX_SREG_CLUSTER_CTAID] = {"%cluster_ctaid", PTX_U32, 3},
    [PTX_SREG_CLUSTER_NCTAID] = {"%cluster_nctaid", PTX_U32, 3},
    [PTX_SREG_CLUSTER_CTARANK] = {"%cluster_ctarank", PTX_U32, 0},
    [PTX_SREG_CLUSTER_NCTARANK] = {"%cluster_nctarank", PTX_U32, 0},
    [PTX_SREG_IS_EXPLICIT_CLUSTER] = {"%is_explicit_cluster", PTX_PRED, 0},
    [PTX_SREG_RESERVED_SMEM] = {"%reserved_smem_offset", PTX_B32, 0},
    [PTX_SREG_CURRENT_GRAPH_EXEC] = {"%current_graph_exec", PTX_U64, 0},
};

const char *ptx_sreg_name(enum ptx_sreg sreg) { return sreg < PTX_SREG_COUNT ? sregs[sreg].name : "?"; }
enum ptx_type ptx_sreg_type(enum ptx_sreg sreg) { return sregs[sreg].type; }
unsigned ptx_sreg_components(enum ptx_sreg sreg) { return sregs[sreg].components; }

const char *ptx_space_name(enum ptx_space space)
{
    static const char *const names[] = {
        [PTX_SPACE_GENERIC] = "",      [PTX_SPACE_REG] = "reg",
        [PTX_SPACE_SREG] = "sreg",     [PTX_SPACE_CONST] = "const",
        [PTX_SPACE_GLOBAL] = "global", [PTX_SPACE_LOCAL] = "local",
        [PTX_SPACE_PARAM] = "param",   [PTX_SPACE_SHARED] = "shared",
        [PTX_SPACE_TEX] = "tex",       [PTX_SPACE_SHARED_CLUSTER] = "shared::cluster",
    };
    return names[space];
}
