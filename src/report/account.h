// Where the schedulers' slots went: by kernel as a table, by SM, instruction and source line in JSON.
#pragma once
#include "report/run.h"

void report_account_json(const struct report_run *r,
                         struct json *j); // the value of "account"; null: not timed
// A line a kernel, shares of its slots.
void report_account_table(const struct report_run *r, bool colour, struct strbuf *out);
// A line a class of SMs; nothing for a GPU without any.
void report_classes_table(const struct report_run *r, bool colour, struct strbuf *out);
