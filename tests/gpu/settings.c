#include "gpu/settings.h"

#include <stdlib.h>
#include <string.h>

void settings_apply(struct test *t, struct wf_context *c, const char *settings)
{
    char *copy = strdup(settings), *rest = copy;
    for (char *key; (key = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(key, '=');
        *value++ = 0;
        CHECK_MSG(t, wf_set(c, key, value) == WF_OK, "%s=%s: %s", key, value, wf_errors(c));
    }
    free(copy);
}
