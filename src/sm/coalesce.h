// Turns the addresses of a memory instruction into work of the load/store unit.
#pragma once
#include "exec/access.h"
#include "sm/lsu.h"

struct inst;
struct sm;

enum { COALESCE_KNOWN = 32, COALESCE_LANES = 32 };

// A warp's access to shared memory, and its passes over the banks. Moved as a whole by any number of words, the
// same distances between lanes take the same passes.
struct coalesce_known {
    uint64_t mask;                     // lanes with the access
    uint32_t distance[COALESCE_LANES]; // by lane: bytes from the address of lane 0, modulo 2^32
    uint16_t passes;
    uint8_t bytes, low; // bytes of a lane, 0: nothing known yet; lane 0's address modulo 4
    bool is_atomic;
};

struct coalesce { // written by coalesce.c alone
    struct coalesce_known
        known[COALESCE_KNOWN]; // by instruction index modulo COALESCE_KNOWN: its last access
};

// Fills the entry's kind, cycles and lines from the instruction's addresses; e->grid, e->warp and e->op must
// be set before. Addresses of constants in *a become cache addresses.
// Passes over shared memory's banks of a copy's landing (exec/async.h).
struct async_entry;
struct sm_warp;
unsigned coalesce_passes_of_copy(const struct sm *s, const struct sm_warp *w, const struct async_entry *c);
void coalesce(struct sm *s, struct lsu_entry *e, struct exec_access *a, const struct inst *i);
