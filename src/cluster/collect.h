// Moves committed results into the database, at any time, also while workers continue. Repetition is
// harmless. Only the process with the folder's lock may collect.
#pragma once
#include "cluster/plan.h"
#include "lab/database.h"

struct collection {
    size_t taken;              // results new to the database
    size_t again;              // results already in the database
    size_t broken;             // results with a wrong checksum or no JSON; their points are reopened
    size_t lost;               // points marked done without a result; reopened
    size_t done, left, points; // points; left: given up
};

// False and an error: the database cannot be written or the folder not read. Committed transactions are kept.
bool collect_results(const struct plan *p, const struct jobs *jobs, struct database *db,
                     struct collection *c);
