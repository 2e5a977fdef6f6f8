// Settings as tests write them: "key=value", and "key=value key=value …".
#pragma once
#include "api/warpfold.h"
#include "harness/test.h"

bool settings_pair(struct wf_context *c, const char *pair); // whether it was taken
// A refused one fails the case.
void settings_apply(struct test *t, struct wf_context *c, const char *settings);
