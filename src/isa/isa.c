// The instruction table and the names of everything an instruction can say. Names are spelled as NVIDIA's
// disassembly spells them, so that a listing reads like the real thing.
#include "isa/isa.h"

#include <stddef.h>

const struct isa_info isa_table[OP_COUNT] = {
#define IN(space) (SPACE_##space << ISA_SPACE_SHIFT)
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning)                                     \
    [OP_##name] = {#name, mnemonic, meaning, UNIT_##unit, LATENCY_##latency, traits},
#include "isa/isa.def"
#undef INST
};

static const struct {
    const char *name;
    uint8_t bytes;
    bool is_signed, is_float;
} types[TYPE_COUNT] = {
    [TYPE_NONE] = {"", 0, false, false},     [TYPE_U8] = {"U8", 1, false, false},
    [TYPE_S8] = {"S8", 1, true, false},      [TYPE_U16] = {"U16", 2, false, false},
    [TYPE_S16] = {"S16", 2, true, false},    [TYPE_U32] = {"U32", 4, false, false},
    [TYPE_S32] = {"S32", 4, true, false},    [TYPE_U64] = {"U64", 8, false, false},
    [TYPE_S64] = {"S64", 8, true, false},    [TYPE_B32] = {"B32", 4, false, false},
    [TYPE_B64] = {"B64", 8, false, false},   [TYPE_B128] = {"B128", 16, false, false},
    [TYPE_F16] = {"F16", 2, true, true},     [TYPE_BF16] = {"BF16", 2, true, true},
    [TYPE_F16X2] = {"F16X2", 4, true, true}, [TYPE_BF16X2] = {"BF16X2", 4, true, true},
    [TYPE_TF32] = {"TF32", 4, true, true},   [TYPE_F32] = {"F32", 4, true, true},
    [TYPE_F64] = {"F64", 8, true, true},
};

unsigned isa_type_bytes(enum isa_type type) { return type < TYPE_COUNT ? types[type].bytes : 0; }

bool isa_type_is_signed(enum isa_type type) { return type < TYPE_COUNT && types[type].is_signed; }

bool isa_type_is_float(enum isa_type type) { return type < TYPE_COUNT && types[type].is_float; }

const char *isa_type_name(enum isa_type type) { return type < TYPE_COUNT ? types[type].name : "?"; }

const char *isa_mode_name(enum isa_mode mode)
{
    static const char *const names[MODE_COUNT] = {
        [MODE_NONE] = "",
        [MODE_MIN] = "MIN",
        [MODE_MAX] = "MAX",
        [MODE_PRMT_F4E] = "F4E",
        [MODE_PRMT_B4E] = "B4E",
        [MODE_PRMT_RC8] = "RC8",
        [MODE_PRMT_ECL] = "ECL",
        [MODE_PRMT_ECR] = "ECR",
        [MODE_PRMT_RC16] = "RC16",
        [MODE_SHF_L] = "L",
        [MODE_SHF_R] = "R",
        [MODE_FLO_SH] = "SH",
        [MODE_IDP_4A] = "4A",
        [MODE_IDP_2A_LO] = "2A.LO",
        [MODE_IDP_2A_HI] = "2A.HI",
        [MODE_MUFU_RCP] = "RCP",
        [MODE_MUFU_RSQ] = "RSQ",
        [MODE_MUFU_SQRT] = "SQRT",
        [MODE_MUFU_LG2] = "LG2",
        [MODE_MUFU_EX2] = "EX2",
        [MODE_MUFU_SIN] = "SIN",
        [MODE_MUFU_COS] = "COS",
        [MODE_MUFU_TANH] = "TANH",
        [MODE_MUFU_RCP64H] = "RCP64H",
        [MODE_MUFU_RSQ64H] = "RSQ64H",
        [MODE_ATOM_ADD] = "ADD",
        [MODE_ATOM_MIN] = "MIN",
        [MODE_ATOM_MAX] = "MAX",
        [MODE_ATOM_AND] = "AND",
        [MODE_ATOM_OR] = "OR",
        [MODE_ATOM_XOR] = "XOR",
        [MODE_ATOM_INC] = "INC",
        [MODE_ATOM_DEC] = "DEC",
        [MODE_ATOM_EXCH] = "EXCH",
        [MODE_ATOM_CAS] = "CAS",
        [MODE_SHFL_UP] = "UP",
        [MODE_SHFL_DOWN] = "DOWN",
        [MODE_SHFL_BFLY] = "BFLY",
        [MODE_SHFL_IDX] = "IDX",
        [MODE_VOTE_ALL] = "ALL",
        [MODE_VOTE_ANY] = "ANY",
        [MODE_VOTE_UNI] = "EQ",
        [MODE_TEX_1D] = "1D",
        [MODE_TEX_2D] = "2D",
        [MODE_TEX_3D] = "3D",
        [MODE_TXQ_WIDTH] = "WIDTH",
        [MODE_TXQ_HEIGHT] = "HEIGHT",
        [MODE_TXQ_DEPTH] = "DEPTH",
        [MODE_BAR_SYNC] = "SYNC",
        [MODE_BAR_ARRIVE] = "ARV",
        [MODE_BAR_RED] = "RED",
        [MODE_TRAP_ABORT] = "ABORT",
        [MODE_TRAP_BREAK] = "BREAK",
        [MODE_SYS_VPRINTF] = "VPRINTF",
        [MODE_SYS_ASSERTFAIL] = "ASSERTFAIL",
    };
    return mode < MODE_COUNT ? names[mode] : "?";
}

const char *isa_cmp_name(enum isa_cmp cmp)
{
    static const char *const names[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                        "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
    return cmp <= CMP_T ? names[cmp] : "?";
}

const char *isa_sreg_name(enum isa_sreg sreg)
{
    static const char *const names[SREG_COUNT] = {
        [SREG_TID_X] = "SR_TID.X",
        [SREG_TID_Y] = "SR_TID.Y",
        [SREG_TID_Z] = "SR_TID.Z",
        [SREG_NTID_X] = "SR_NTID.X",
        [SREG_NTID_Y] = "SR_NTID.Y",
        [SREG_NTID_Z] = "SR_NTID.Z",
        [SREG_CTAID_X] = "SR_CTAID.X",
        [SREG_CTAID_Y] = "SR_CTAID.Y",
        [SREG_CTAID_Z] = "SR_CTAID.Z",
        [SREG_NCTAID_X] = "SR_NCTAID.X",
        [SREG_NCTAID_Y] = "SR_NCTAID.Y",
        [SREG_NCTAID_Z] = "SR_NCTAID.Z",
        [SREG_LANEID] = "SR_LANEID",
        [SREG_WARPID] = "SR_WARPID",
        [SREG_NWARPID] = "SR_NWARPID",
        [SREG_SMID] = "SR_SMID",
        [SREG_NSMID] = "SR_NSMID",
        [SREG_GRIDID] = "SR_GRIDID",
        [SREG_LANEMASK_EQ] = "SR_EQMASK",
        [SREG_LANEMASK_LE] = "SR_LEMASK",
        [SREG_LANEMASK_LT] = "SR_LTMASK",
        [SREG_LANEMASK_GE] = "SR_GEMASK",
        [SREG_LANEMASK_GT] = "SR_GTMASK",
        [SREG_CLOCK_LO] = "SR_CLOCKLO",
        [SREG_CLOCK_HI] = "SR_CLOCKHI",
        [SREG_CLOCK64] = "SR_CLOCK64",
        [SREG_GLOBALTIMER_LO] = "SR_GLOBALTIMERLO",
        [SREG_GLOBALTIMER_HI] = "SR_GLOBALTIMERHI",
        [SREG_GLOBALTIMER] = "SR_GLOBALTIMER",
        [SREG_DYNAMIC_SHARED] = "SR_DYNAMICSMEMSIZE",
        [SREG_TOTAL_SHARED] = "SR_TOTALSMEMSIZE",
    };
    return sreg < SREG_COUNT ? names[sreg] : "?";
}

const char *isa_unit_name(enum isa_unit unit)
{
    static const char *const names[UNIT_COUNT] = {"control", "int",    "float",  "special",
                                                  "double",  "memory", "texture"};
    return unit < UNIT_COUNT ? names[unit] : "?";
}

const char *isa_latency_name(enum isa_latency latency)
{
    static const char *const names[LATENCY_COUNT] = {
        "fixed", "iadd",    "imad",    "iminmax", "fadd",   "fmul",     "fma",   "dadd",
        "sfu",   "convert", "sreg",    "load",    "shared", "constant", "store", "atomic",
        "fence", "texture", "shuffle", "vote",    "branch", "barrier"};
    return latency < LATENCY_COUNT ? names[latency] : "?";
}
