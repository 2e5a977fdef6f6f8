// Basic blocks of a program, and the graph of blocks: the starting point for analyses of an allocated
// program.
//
// Each function of the program is a separate region. A call falls through to the next instruction (the
// callee's effect on registers is the analysis's business), a return or an exit has no
// successor. A guarded branch, return or exit falls through as well.
//
// RISC-V: a program is all the code of its file. The kernel is the code reachable from the entry, the
// functions are the code reachable through calls, and no edge connects either to the remaining code.
#pragma once
#include "flow/graph.h"

struct program;

struct flow_block {
    uint32_t first, count; // index of the first instruction; number of instructions
    // 0: the kernel. PTX: an index into program->functions. RISC-V: numbers of the called functions in order
    // of discovery, and FLOW_NONE for unreachable code.
    uint32_t function;
    bool begins_function; // target of calls, with registers of unknown contents at entry
};

struct flow_blocks {
    struct flow_block *blocks; // the block of the program's entry, then the other blocks in program order
    uint32_t count;
    uint32_t *block_of; // by instruction index
    // Node n is block n. Artificial edges lead from the entry to every function other than the kernel, so
    // every function is reachable.
    struct flow_graph graph;
    bool jumps_anywhere; // RISC-V: some jumps through a register have unknown targets, so edges are missing
};

void flow_blocks_init(struct flow_blocks *b, const struct program *p, struct arena *a);
