// What a memory instruction asks of the load/store unit.
#pragma once
#include "exec/access.h"
#include "sm/lsu.h"

struct inst;

// Fills the entry's kind, cycles and lines, of an instruction of its grid whose lanes are known. Addresses of constants become
// those that the caches know.
void coalesce(const struct sm *s, struct lsu_entry *e, struct exec_access *a, const struct inst *i);
