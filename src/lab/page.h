// report.html: one file that shows the figures, the runs behind them and where their time and energy went.
//
// The page is a template built from web/ (its folder says how), which is part of the library; the data go
// into it as JSON, read from the database.
#pragma once
#include "base/json.h"
#include "lab/chart.h"

// A part of the page that another room writes.
struct page_part {
    const void *context;
    void (*write)(struct json *j, const void *context); // members of the page's data
    const char *(*run_at)(const void *context,
                          size_t index); // runs that the part shows, by id; NULL past the last
};

struct page {
    const struct figure *figures; // as many as charts, one made of each
    size_t count;
    const struct charts *charts;
    const struct jobs *jobs;
    const char *size; // of the inputs, where an experiment has none of its own
    const struct page_part *parts;
    size_t part_count;
};

bool page_write(const struct page *page, struct database *db, struct strbuf *out);
