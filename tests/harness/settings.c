#include "harness/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool settings_pair(struct wf_context *c, const char *pair)
{
    char key[96];
    const char *equal = strchr(pair, '=');
    snprintf(key, sizeof key, "%.*s", (int)(equal - pair), pair);
    return wf_set(c, key, equal + 1) == WF_OK;
}

void settings_apply(struct test *t, struct wf_context *c, const char *settings)
{
    char *copy = strdup(settings), *rest = copy;
    for (char *pair; (pair = strtok_r(rest, " ", &rest)) != NULL;)
        CHECK_MSG(t, settings_pair(c, pair), "%s: %s", pair, wf_errors(c));
    free(copy);
}
