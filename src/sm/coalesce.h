// Turns the addresses of a memory instruction into work of the load/store unit.
#pragma once
#include "exec/access.h"
#include "sm/lsu.h"

struct inst;

// Fills the entry's kind, cycles and lines from the instruction's addresses; e->grid and e->warp must be set
// before. Addresses of constants in *a become cache addresses.
void coalesce(const struct sm *s, struct lsu_entry *e, struct exec_access *a, const struct inst *i);
