// Lists of `warpfold list` in separate files.
#pragma once
#include "cli/command.h"
#include "report/table.h"

void list_print(struct table *t); // prints to stdout and frees the table
void list_features(void);
void list_claims(void);
int list_area(const struct options *o);      // returns the exit status
int list_occupancy(const struct options *o); // uses --gpu, --set and --bench; returns the exit status
// All GPUs, or the settings of a named GPU; returns the exit status.
int list_gpus(const struct options *o);
