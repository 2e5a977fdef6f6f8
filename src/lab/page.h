// report.html: one file that shows the figures, the runs behind them and where their time and energy went.
//
// The page is a template built from web/ (its folder says how), which is part of the library; the data go
// into it as JSON, read from the database.
#pragma once
#include "lab/chart.h"

struct page {
    const struct figure *figures; // as many as charts, one made of each
    size_t count;
    const struct charts *charts;
    const struct jobs *jobs;
    const char *size; // of the inputs, where an experiment has none of its own
};

bool page_write(const struct page *page, struct database *db, struct strbuf *out);
