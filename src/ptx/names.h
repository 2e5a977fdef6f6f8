// Properties of operations and special registers used by the front end only.
#pragma once
#include "ptx/ptx.h"

bool ptx_type_is_bits(enum ptx_type type);    // .b8 to .b128
bool ptx_type_is_integer(enum ptx_type type); // .u8 to .u64, .s8 to .s64

bool ptx_op_is_refused(enum ptx_op op); // REFUSE in ptx.def
// Whether the instruction's texture or surface stands in brackets with coordinates: fetches, surface accesses, queries.
static inline bool ptx_op_names_texture(enum ptx_op op)
{
    return op == PTX_OP_TEX || op == PTX_OP_TLD4 || op == PTX_OP_TXQ || op == PTX_OP_SULD ||
           op == PTX_OP_SUST || op == PTX_OP_SURED || op == PTX_OP_SUQ;
}
enum ptx_type ptx_sreg_type(enum ptx_sreg sreg);
// Number of components of a special register: 3 for x, y, z; the number of registers for %pm0 and the like;
// 0: scalar.
unsigned ptx_sreg_components(enum ptx_sreg sreg);

const char *ptx_space_name(enum ptx_space space); // "global"; "" for generic
