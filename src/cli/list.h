// Lists of `warpfold list` that have files of their own.
#pragma once
#include "cli/command.h"
#include "report/table.h"

void list_print(struct table *t); // to stdout, and frees it
void list_features(void);
void list_claims(void);
int list_area(const struct options *o);      // the exit status
int list_occupancy(const struct options *o); // --gpu, --set, --bench
int list_gpus(const struct options *o);      // all, or what the one that is named is like
