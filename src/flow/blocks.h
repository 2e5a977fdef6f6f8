// Basic blocks of a program, and the graph between them: what every analysis of an allocated program starts
// from.
//
// Each function of the program is a region of its own: a call falls through to the next instruction (what the
// callee does to registers is the analysis's business), a return and an exit end. A guarded branch, return or
// exit also falls through.
#pragma once
#include "flow/graph.h"
#include "isa/program.h"

struct flow_block {
    uint32_t first, count; // instructions
    uint32_t function;     // index into program->functions
};

struct flow_blocks {
    struct flow_block *blocks; // ascending; the program's entry is block 0
    uint32_t count;
    uint32_t *block_of; // of an instruction
    // Node n is block n. Functions other than the kernel hang below the entry by an artificial edge, so that
    // everything is reached.
    struct flow_graph graph;
};

void flow_blocks_init(struct flow_blocks *b, const struct program *p, struct arena *a);
