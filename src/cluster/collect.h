// Takes committed results into the database, in any order, twice without harm, while workers go on. One process does it at a time:
// who holds the folder's lock.
#pragma once
#include "cluster/plan.h"
#include "lab/database.h"

struct collection {
    size_t taken;  // new ones
    size_t again;  // that the database had
    size_t broken; // whose bytes are not those that a worker wrote; the points are open again
    size_t lost;   // points that were said to be done and of which there is nothing: they are open again
    size_t done, left, points; // left: given up
};

// False and an error: the database cannot be written, or the folder not be read; what is committed by then stays.
bool collect_results(const struct plan *p, const struct jobs *jobs, struct database *db,
                     struct collection *c);
