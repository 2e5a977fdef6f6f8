// A buffer of lines beside L1, for the lines requested by a mechanism (tech_lines.buffer). Of one grid; written only
// in line_buffer.c and tags.c.
//
//     tech_request ─▶ in L1 or under way to L1? ─ no ─▶ buffer takes a way, the L2 is asked ─▶ line arrives
//     warp's load ──▶ L1 ─ miss ─▶ buffer ─┬─ present: a hit, and the line moves to L1 if a way is free
//                                          └─ under way: the load waits for the line, which goes on to L1
//     store, atomic ─▶ the line leaves the buffer; a line under way is of no use from now on, and dropped on arrival
//
// Loads of local memory, constants and textures do not look at the buffer.
#pragma once
#include "sm/tags.h"

struct line_note { // a line under way, accessed by a warp since its request
    uint64_t line;
    bool is_stale; // written: dropped on arrival. Otherwise wanted by a load: taken on arrival
};

struct line_buffer {
    struct tag_store store;
    VEC(struct line_note) notes;
    unsigned tech; // index among the grid's mechanisms
};

// lines: at least 1. The buffer ends with the grid.
void line_buffer_begin(struct sm_grid *g, unsigned tech, uint32_t lines);
void line_buffer_end(struct sm_grid *g);
// The store to ask for a line of a mechanism: L1 if the line is in L1 or under way to L1, else the buffer.
// *kind: token of the request.
struct tag_store *line_buffer_store(struct sm_grid *g, uint64_t line, enum token_kind *kind);
// A load of sectors absent from L1. False: the buffer does not have the line either, and nothing has changed.
// True: the outcome is *o, as of tags_load without a request.
bool line_buffer_load(struct sm_grid *g, uint64_t line, struct mshr_waiter who, enum tag_outcome *o);
void line_buffer_written(struct sm_grid *g, uint64_t line); // by a store or atomic of the grid
void line_buffer_reply(struct sm_grid *g, uint32_t mshr, uint8_t sectors, enum gpu_level level);
void line_buffer_replaced(struct sm_grid *g, uint64_t line);
