// Checkpoints: a line with format and version, the caller's identity, and an image of memory (exec/image.h).
#include "api/impl.h"
#include "exec/image.h"

#include <string.h>

static const char head[] = "warpfold checkpoint 1 " WF_VERSION "\n";

void *wf_checkpoint(struct wf_context *c, uint64_t identity, size_t *length)
{
    struct strbuf out = {0};
    api_wait(c);
    strbuf_puts(&out, head);
    strbuf_write(&out, (const char *)&identity, sizeof identity);
    memory_image_save(api_memory(c), &out);
    *length = out.length;
    return out.text;
}

enum wf_status wf_resume(struct wf_context *c, uint64_t identity, const void *bytes, size_t length)
{
    const char *at = bytes, *why = NULL;
    const size_t before = strlen(head) + sizeof identity;
    uint64_t saved = 0;
    api_wait(c);
    if (length < before || memcmp(at, head, strlen(head)) != 0)
        why = "it is no checkpoint of warpfold " WF_VERSION;
    else
        memcpy(&saved, at + strlen(head), sizeof saved);
    if (!why && saved != identity) why = "it was made by another script or program";
    if (!why && memory_image_load(api_memory(c), at + before, length - before, &why)) return WF_OK;
    diag_error(&c->diag, loc_none(), "the checkpoint does not fit: %s", why);
    return WF_BAD_INPUT;
}
