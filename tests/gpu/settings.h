// Settings as tests write them: "key=value key=value …".
#pragma once
#include "api/warpfold.h"
#include "harness/test.h"

void settings_apply(struct test *t, struct wf_context *c,
                    const char *settings); // a refused one fails the case
