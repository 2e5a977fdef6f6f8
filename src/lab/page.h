// report.html: one file that shows the figures, the runs behind them and where their time and energy went.
//
// The page is a template built from web/ (its folder says how), which is part of the library; the data go
// into it as JSON, read from the database.
#pragma once
#include "lab/figure.h"

bool page_write(const struct figure *figures, size_t count, struct database *db, struct strbuf *out);
