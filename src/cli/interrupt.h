// ^C: the launch under way stops, results are written, and the exit status is 130.
#pragma once
#include "api/warpfold.h"

void interrupt_watch(struct wf_context *c); // its launches from now on
// The same for who asks by itself (NULL): from now on ^C is held back until it does. False: it is ignored, as with nohup.
bool interrupt_hold(void);
bool interrupt_asked(void *nothing);
