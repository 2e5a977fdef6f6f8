// Settings as text: "key=value", and "key=value key=value …".
#pragma once
#include "api/warpfold.h"
#include "harness/test.h"

bool settings_pair(struct wf_context *c, const char *pair); // false: refused
// A refused setting fails the case.
void settings_apply(struct test *t, struct wf_context *c, const char *settings);
