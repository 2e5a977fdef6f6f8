// What memory accesses may touch the same bytes, and what keeps them in order. One place, used by every pass
// that moves or removes an access.
#pragma once
#include "compile/ir/ir.h"

// A load or store that promises nothing to other threads: it may be merged, moved or forwarded within one
// barrier interval. Volatile, relaxed, acquire and release accesses are not.
bool alias_is_weak(const struct ir_inst *i);
// Nothing written to during the whole kernel: constant bank, ld.global.nc.
bool alias_is_read_only(const struct ir_inst *i);
// Bytes of one element, and of all.
unsigned alias_element_bytes(const struct ir_inst *i);
unsigned alias_bytes(const struct ir_inst *i);
// Whether the two accesses (LOAD, STORE, ATOM, RED) may touch a common byte.
bool alias_may_overlap(const struct ir_inst *a, const struct ir_inst *b);
// Whether memory access i may have to stay in order with `other` (any instruction between it and its new
// place): a fence, barrier, call, or an overlapping access of which one writes.
bool alias_ordered(const struct ir_inst *i, const struct ir_inst *other);
// The same address: base value, offset, space, address class.
bool alias_same_base(const struct ir_inst *a, const struct ir_inst *b);
