// report.html: one file that shows the figures, the runs behind them and where their time and energy went.
//
// The page is a template built from web/ (its folder says how), which is part of the library; the data go
// into it as JSON, read from the database.
#pragma once
#include "base/json.h"
#include "lab/chart.h"
#include "lab/fidelity.h"

struct page {
    const struct figure *figures; // as many as charts, one made of each
    size_t count;
    const struct charts *charts;
    const struct jobs *jobs;
    const struct fidelity *fidelity; // of silicon's points; has no rows when there were none
    const char *size;                // of the inputs, where an experiment has none of its own
};

// Its part about silicon (page_silicon.c).
void page_write_silicon(struct json *j, const struct fidelity *f);

bool page_write(const struct page *page, struct database *db, struct strbuf *out);
