// report.html: one file with the figures, the runs behind them, and the parts of time and energy.
//
// The page is a template built from web/ (described in its folder) and embedded in the library. The data,
// from charts and the database, are inserted as JSON.
#pragma once
#include "base/json.h"
#include "lab/chart.h"

// A part of the page written by code outside lab/.
struct page_part {
    const void *context;
    void (*write)(struct json *j, const void *context); // writes members of the page's data
    // id of a run shown by the part; NULL past the last
    const char *(*run_at)(const void *context, size_t index);
};

struct page {
    const struct figure *figures; // count figures, as many as charts; chart i is made from figure i
    size_t count;
    const struct charts *charts;
    const struct jobs *jobs;
    const char *size; // of the inputs, for experiments without their own size
    const struct page_part *parts;
    size_t part_count;
    size_t runs_missing, runs; // of an unfinished report: runs to come, of all; 0: finished
};

bool page_write(const struct page *page, struct database *db, struct strbuf *out);
