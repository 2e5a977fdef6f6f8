// The naming rules behind identity.h: inputs of an instruction's result name, and assignment of the names.
#pragma once
#include "mark/access.h"
#include "mark/mark.h"
#include "study/names.h"

struct observed;

enum naming_rule { // naming rule of an instruction's results
    NAME_BY_SOURCES,
    NAME_BY_VALUE,
    NAME_BY_TIME,  // load of memory that may change: the lane's epoch is part of the name
    NAME_BY_LANES, // hash over the names in all active lanes: shuffles and votes
    NAME_OF_ITS_OWN,
    // Load by generic address: as NAME_BY_TIME, but a fresh name for lanes with local addresses.
    NAME_BY_SPACE
};

struct naming_inst {
    uint8_t rule;     // enum naming_rule
    bool syncs, kept; // syncs: orders memory, so later loads get new names; kept: has comparable results
    uint8_t write_count, source_count;
    uint32_t writes[2 * 4 + 1];         // locations written
    uint32_t sources[ACCESSES_MAX + 1]; // locations whose names enter the result's name
};
_Static_assert(ACCESSES_MAX < 256, "counts fit");

struct naming {
    struct naming_inst *insts;
    // epoch: number of an extra location behind the program's locations. A lane's epoch is its last block
    // barrier and the fences passed since, a part of the name of values loaded from changing memory.
    uint32_t epoch;
    bool is_riscv;
    bool wants_access;                             // the observer must report access addresses
    uint64_t own;                                  // counter of fresh names
    uint64_t pending[ACCESSES_MAX][WARP_SIZE_MAX]; // names of the current execution before assignment
};

// First hashed word of each kind of name; the top bits keep the kinds apart from indices and numbers.
#define NAMING_INST      (1ull << 56)
#define NAMING_SREG      (2ull << 56)
#define NAMING_BLOCK     (3ull << 56)
#define NAMING_MEETING   (4ull << 56)
#define NAMING_UNWRITTEN (5ull << 56)

void naming_init(struct naming *n, const struct marks *m);
void naming_fini(struct naming *n);
// Names the results of a warp's instruction. Returns a hash of the names over all lanes of the warp.
uint64_t naming_results(struct naming *n, struct names *names, const struct observed *o);
