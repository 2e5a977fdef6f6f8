// Issue slots by reason: per kernel as a table; per SM, instruction and source line in JSON.
#pragma once
#include "report/run.h"

// Writes the value of "account"; null for a functional run.
void report_account_json(const struct report_run *r, struct json *j);
// Prints a row per kernel: shares of the kernel's issue slots by reason.
void report_account_table(const struct report_run *r, bool colour, struct strbuf *out);
// A row per class of SMs; no table for a GPU without classes.
void report_classes_table(const struct report_run *r, bool colour, struct strbuf *out);
