// How the names of identity.h come about: what an instruction's results are named by, and the names given.
#pragma once
#include "mark/access.h"
#include "mark/mark.h"
#include "study/names.h"

struct observed;

enum naming_rule { // how an instruction's results are named
    NAME_BY_SOURCES,
    NAME_BY_VALUE,
    NAME_BY_TIME,  // a load of memory that may change
    NAME_BY_LANES, // by all active lanes
    NAME_OF_ITS_OWN,
    NAME_BY_SPACE // a generic load: of its own where it is local
};

struct naming_inst {
    uint8_t rule;     // enum naming_rule
    bool syncs, kept; // kept: has results that can be compared
    uint8_t write_count, source_count;
    uint32_t writes[2 * 4 + 1];         // locations
    uint32_t sources[ACCESSES_MAX + 1]; // those that name the result
};
_Static_assert(ACCESSES_MAX < 256, "counts fit");

struct naming {
    struct naming_inst *insts;
    // A location beside those of the program: the last barrier of the block that a lane met, and what it
    // passed since. Names what is loaded from memory that may change.
    uint32_t epoch;
    bool is_riscv;
    bool wants_access;                             // of the observer
    uint64_t own;                                  // names given out that nothing else will have
    uint64_t pending[ACCESSES_MAX][WARP_SIZE_MAX]; // of the execution under way, before they are given
};

// What is hashed first, apart from one another in bits that indices and numbers do not reach.
#define NAMING_INST      (1ull << 56)
#define NAMING_SREG      (2ull << 56)
#define NAMING_BLOCK     (3ull << 56)
#define NAMING_MEETING   (4ull << 56)
#define NAMING_UNWRITTEN (5ull << 56)

void naming_init(struct naming *n, const struct marks *m);
void naming_fini(struct naming *n);
// Names what a warp's instruction writes. Returns a hash of it, over all lanes of the warp.
uint64_t naming_results(struct naming *n, struct names *names, const struct observed *o);
