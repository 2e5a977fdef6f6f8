// ^C: the launch under way stops, results are written, and the exit status is 130.
#pragma once
#include "api/warpfold.h"

void interrupt_watch(struct wf_context *c); // its launches from now on
