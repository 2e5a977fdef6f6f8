#include "cli/checkpoint.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/command.h"
#include "cli/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "launch ";

static bool read_header(struct checkpoint *c, const char *path, struct diag *d)
{
    const char *end = memchr(c->bytes, '\n', c->length);
    char *number = end && str_starts_with(c->bytes, head)
                       ? heap_strndup(c->bytes + strlen(head), (size_t)(end - c->bytes) - strlen(head))
                       : NULL;
    bool good = number && str_to_u64(number, &c->resume_at) && c->resume_at;
    free(number);
    if (good) c->header = (size_t)(end - c->bytes) + 1;
    return good || diag_error(d, loc_none(), "--resume %s: the file is no checkpoint", path);
}

bool checkpoint_init(struct checkpoint *c, const struct options *o, struct diag *d)
{
    const char *why, *resume = options_value(o, OPTION_RESUME);
    *c = (struct checkpoint){.path = options_value(o, OPTION_CHECKPOINT)};
    bool has_at = options_has(o, OPTION_CHECKPOINT_AT), uses = c->path || has_at || resume;
    if (uses && !options_has(o, OPTION_SCRIPT))
        return diag_error(d, loc_none(), "checkpoints are made at launches of a script (--script)");
    if (has_at != (c->path != NULL))
        return diag_error(d, loc_none(), "--checkpoint FILE and --checkpoint-at N go together");
    if (!command_number(o, OPTION_CHECKPOINT_AT, UINT64_MAX, &c->at, d)) return false;
    if (!resume) return true;
    if (options_has(o, OPTION_VERIFY))
        return diag_error(d, loc_none(),
                          "--verify repeats a run from its begin, and --resume leaves a part out");
    if (!file_read(resume, &c->bytes, &c->length, &why))
        return diag_error(d, loc_none(), "cannot read %s: %s", resume, why);
    if (!read_header(c, resume, d)) return false;
    if (c->path && c->at < c->resume_at)
        return diag_error(d, loc_none(), "--checkpoint-at %" PRIu64 ": the script resumes at launch %" PRIu64,
                          c->at, c->resume_at);
    return true;
}

void checkpoint_fini(struct checkpoint *c) { free(c->bytes); }

void checkpoint_note(struct checkpoint *c, const char *text, size_t length)
{
    c->identity = hash_bytes(text, length, c->identity);
}

bool checkpoint_is_ahead(const struct checkpoint *c) { return c->bytes && c->launches < c->resume_at; }

static enum wf_status resume(struct session *s, struct loc loc)
{
    const struct checkpoint *c = s->checkpoint;
    enum wf_status status = wf_resume(s->context, hash_u64(c->identity ^ c->launches), c->bytes + c->header,
                                      c->length - c->header);
    if (status != WF_OK) session_take_errors(s, loc);
    return status;
}

static enum wf_status write_file(struct session *s, struct loc loc)
{
    const struct checkpoint *c = s->checkpoint;
    struct strbuf out = {0};
    size_t length;
    enum wf_status status = session_wait(s);
    if (status != WF_OK) return status;
    char *bytes = wf_checkpoint(s->context, hash_u64(c->identity ^ c->launches), &length);
    if (!bytes) {
        session_take_errors(s, loc);
        return WF_BAD_INPUT;
    }
    strbuf_printf(&out, "%s%" PRIu64 "\n", head, c->launches);
    strbuf_write(&out, bytes, length);
    results_take(s->results, c->path, out.text, out.length);
    free(bytes);
    return WF_OK;
}

enum wf_status checkpoint_launch(struct session *s, struct loc loc, bool *is_left_out)
{
    struct checkpoint *c = s->checkpoint;
    enum wf_status status = WF_OK;
    *is_left_out = false;
    if (!c) return WF_OK;
    c->launches++;
    *is_left_out = checkpoint_is_ahead(c);
    if (c->bytes && c->launches == c->resume_at) status = resume(s, loc);
    if (status == WF_OK && c->path && c->launches == c->at) status = write_file(s, loc);
    return status;
}

enum wf_status checkpoint_end(const struct checkpoint *c, struct diag *d)
{
    uint64_t wanted = checkpoint_is_ahead(c) ? c->resume_at : c->path && c->launches < c->at ? c->at : 0;
    if (!wanted) return WF_OK;
    diag_error(d, loc_none(), "the checkpoint is at launch %" PRIu64 ", and the script has %" PRIu64, wanted,
               c->launches);
    return WF_BAD_INPUT;
}
