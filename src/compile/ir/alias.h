// Aliasing and ordering of memory accesses, for every pass that moves or removes an access.
#pragma once
#include "compile/ir/ir.h"

// True for a load or store without ordering between threads, which may be merged, moved or forwarded within a
// barrier interval. Volatile, relaxed, acquire and release accesses are not weak.
bool alias_is_weak(const struct ir_inst *i);
// True for a load from memory constant during the kernel: constant bank, ld.global.nc.
bool alias_is_read_only(const struct ir_inst *i);
// Bytes of an element, and of the whole access.
unsigned alias_element_bytes(const struct ir_inst *i);
unsigned alias_bytes(const struct ir_inst *i);
// True if the accesses (LOAD, STORE, ATOM, RED) may touch a common byte; false for constant memory, which is
// never written.
bool alias_may_overlap(const struct ir_inst *a, const struct ir_inst *b);
// True if memory access i must not move across `other`: a fence, barrier, call or different effect, or an
// atomic, ordered or overlapping access. Two weak loads are never ordered, nor is a load from read-only
// memory.
bool alias_ordered(const struct ir_inst *i, const struct ir_inst *other);
// True if both accesses have the same space and the same base value; offsets may differ.
bool alias_same_base(const struct ir_inst *a, const struct ir_inst *b);
