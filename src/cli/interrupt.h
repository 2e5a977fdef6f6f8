// ^C stops the launches under way, results are written, and the exit status is 130.
#pragma once
#include "api/warpfold.h"

// For later launches of the context.
void interrupt_watch(struct wf_context *c);
// For callers that poll interrupt_asked(NULL): interrupt_hold blocks SIGINT until the first poll that takes
// the signal. False: SIGINT is ignored, as under nohup.
bool interrupt_hold(void);
bool interrupt_asked(void *nothing);
