// Basic blocks of a program, and the graph between them: what every analysis of an allocated program starts
// from.
//
// Each function of the program is a region of its own: a call falls through to the next instruction (what the
// callee does to registers is the analysis's business), a return and an exit end. A guarded branch, return or
// exit also falls through.
//
// Of a program of RISC-V, which is all the code of its file, the kernel is what control comes to from its entry, and the
// functions are those it calls; no edge leads from or to the rest.
#pragma once
#include "flow/graph.h"
#include "isa/program.h"

struct flow_block {
    uint32_t first, count; // instructions
    // The kernel's are 0; PTX: an index into program->functions; RISC-V: numbers of those that are called, in the order they are
    // found, and FLOW_NONE of what control does not come to.
    uint32_t function;
    bool begins_function; // a call comes here, with registers of which nothing is known
};

struct flow_blocks {
    struct flow_block *blocks; // the one with the program's entry, then the others, ascending
    uint32_t count;
    uint32_t *block_of; // of an instruction
    // Node n is block n. Functions other than the kernel hang below the entry by an artificial edge, so that
    // everything is reached.
    struct flow_graph graph;
    bool jumps_anywhere; // by a register, to places that nothing tells: there are more edges than these
};

void flow_blocks_init(struct flow_blocks *b, const struct program *p, struct arena *a);
