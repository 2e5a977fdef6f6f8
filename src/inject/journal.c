#include "inject/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char heads[] =
    "number,seed,place,launch,cycle,sm,block,warp,instruction,what,which,lane,bit,outcome,found\n";

const char *inject_outcome_name(enum inject_outcome o)
{
    static const char *const names[INJECT_OUTCOMES] = {"none",   "detected", "masked",
                                                       "silent", "crash",    "hang"};
    return names[o];
}

// -- a line -------------------------------------------------------------------------------------------------

static void format(const struct inject_result *r, struct strbuf *out)
{
    strbuf_printf(
        out, "%u,0x%016" PRIx64 ",%u,%u,%" PRIu64 ",%u,%" PRIu64 ",%u,%u,%s,%u,%u,%u,%s,%" PRIu64 "\n",
        r->number, r->seed, r->place, r->launch, r->cycle, r->sm, r->block, r->warp, r->index, r->what,
        r->what_number, r->lane, r->bit, inject_outcome_name((enum inject_outcome)r->outcome), r->found);
}

static bool parse(const char *line, struct inject_result *r)
{
    char outcome[INJECT_WORDS];
    *r = (struct inject_result){0};
    int fields =
        sscanf(line,
               "%" SCNu32 ",0x%" SCNx64 ",%" SCNu8 ",%" SCNu32 ",%" SCNu64 ",%" SCNu32 ",%" SCNu64 ",%" SCNu32
               ",%" SCNu32 ",%31[^,],%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%31[^,],%" SCNu64,
               &r->number, &r->seed, &r->place, &r->launch, &r->cycle, &r->sm, &r->block, &r->warp, &r->index,
               r->what, &r->what_number, &r->lane, &r->bit, outcome, &r->found);
    for (unsigned o = INJECT_DETECTED; fields == 15 && o < INJECT_OUTCOMES; o++)
        if (strcmp(outcome, inject_outcome_name((enum inject_outcome)o)) == 0) r->outcome = (uint8_t)o;
    return r->outcome != INJECT_NONE && r->number < INJECT_MOST;
}

// -- the file -----------------------------------------------------------------------------------------------

bool journal_has(const struct journal *j, uint32_t number)
{
    return number < j->results.count && j->results.data[number].outcome != INJECT_NONE;
}

static void keep(struct journal *j, const struct inject_result *r)
{
    while (j->results.count <= r->number) vec_push(&j->results, (struct inject_result){0});
    j->done += j->results.data[r->number].outcome == INJECT_NONE;
    j->results.data[r->number] = *r;
}

static bool append(struct journal *j, const char *text, size_t length)
{
    off_t end = lseek(j->file, 0, SEEK_END);
    ssize_t written = write(j->file, text, length);
    if (written == (ssize_t)length) return true;
    int why = written < 0 ? errno : ENOSPC;
    if (end >= 0 && ftruncate(j->file, end) != 0) why = errno; // reading also drops an incomplete line
    return diag_error(j->diag, loc_none(), "cannot write %s: %s", j->path, strerror(why));
}

// Reads the journal file's complete lines. An incomplete last line, left by a killed process, is cut off.
// False and an error: another campaign's file, a malformed or repeated line, or a failed write.
static bool take(struct journal *j, char *text, size_t length, const char *of_what)
{
    size_t whole = length, begin = strlen(of_what), line = 2;
    while (whole && text[whole - 1] != '\n') whole--;
    if (whole != length && ftruncate(j->file, (off_t)whole) != 0)
        return diag_error(j->diag, loc_none(), "cannot write %s: %s", j->path, strerror(errno));
    if (!whole) return append(j, of_what, strlen(of_what));
    text[whole] = 0;
    if (strncmp(text, of_what, begin) != 0)
        return diag_error(
            j->diag, loc_none(),
            "%s has injections of a different build, kernel or setting: give a different --out, or "
            "remove the file",
            j->path);
    for (char *at = text + begin; *at; at = strchr(at, '\n') + 1, line++) {
        struct inject_result r;
        if (!parse(at, &r) || journal_has(j, r.number))
            return diag_error(j->diag, loc_none(), "%s: line %zu is not a line of a journal", j->path, line);
        keep(j, &r);
    }
    return true;
}

static bool read_all(struct journal *j, struct strbuf *text)
{
    char piece[1 << 16];
    ssize_t n;
    while ((n = read(j->file, piece, sizeof piece)) > 0) strbuf_write(text, piece, (size_t)n);
    return n == 0 || diag_error(j->diag, loc_none(), "cannot read %s: %s", j->path, strerror(errno));
}

bool journal_open(struct journal *j, const char *path, const char *of_what, struct diag *d)
{
    *j = (struct journal){.file = -1, .path = path, .diag = d};
    if (!path) return true;
    j->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (j->file < 0) return diag_error(d, loc_none(), "cannot write %s: %s", path, strerror(errno));
    struct strbuf text = {0}, head = {0};
    strbuf_printf(&head, "%s\n", of_what);
    strbuf_puts(&text, "");
    bool good = read_all(j, &text);
    if (good && !text.length)
        good = append(j, head.text, head.length);
    else if (good)
        good = take(j, text.text, text.length, head.text);
    strbuf_fini(&text);
    strbuf_fini(&head);
    return good;
}

bool journal_add(struct journal *j, const struct inject_result *r)
{
    struct strbuf line = {0};
    format(r, &line);
    bool good = j->file < 0 || append(j, line.text, line.length);
    strbuf_fini(&line);
    if (good) keep(j, r);
    return good;
}

void journal_csv(const struct journal *j, uint32_t count, struct strbuf *out)
{
    strbuf_puts(out, heads);
    for (uint32_t n = 0; n < count; n++)
        if (journal_has(j, n)) format(&j->results.data[n], out);
}

void journal_close(struct journal *j)
{
    if (j->file >= 0) close(j->file);
    vec_fini(&j->results);
}
