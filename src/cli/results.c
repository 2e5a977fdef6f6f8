// Order of writing: all files under temporary names, then outputs written in place (stdout, pipes), then the
// renames. A full disk leaves no partial file. No memory is allocated from the first write to the last
// rename.
#include "cli/results.h"
#include "base/file.h"
#include "cli/print.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void results_init(struct results *r, struct diag *d) { *r = (struct results){.diag = d}; }

static void fini(struct result *x)
{
    free(x->what);
    free(x->path);
    free(x->place.name);
    free(x->bytes);
}

void results_fini(struct results *r)
{
    for (size_t i = 0; i < r->list.count; i++) fini(&r->list.data[i]);
    vec_fini(&r->list);
}

static bool is_stdout(const char *path) { return str_equal(path, "-"); }

// Whether a file is one of Linux's memory devices, such as /dev/null, which several outputs may name.
static bool is_memory_device(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1;
}

static bool identify(const char *path, struct place *p)
{
    struct stat st;
    *p = (struct place){0};
    if (is_stdout(path) ? fstat(STDOUT_FILENO, &st) == 0 : stat(path, &st) == 0) {
        p->regular = S_ISREG(st.st_mode);
        p->shared = is_memory_device(&st);
    } else { // a name in an existing folder
        char *target = file_target(path), *slash = strrchr(target, '/');
        p->name = heap_strdup(slash ? slash + 1 : target);
        if (slash) slash[1] = 0;
        bool there = stat(slash ? target : ".", &st) == 0;
        free(target);
        if (!there) return false;
    }
    p->device = st.st_dev;
    p->file = st.st_ino;
    return true;
}

static bool is_same(const struct place *a, const struct place *b)
{
    if (a->shared || a->device != b->device || a->file != b->file) return false;
    return a->name && b->name ? str_equal(a->name, b->name) : a->name == b->name;
}

// The stream, stdout or stderr, that already leads to the result's path. Such results are appended to the
// stream. NULL: neither leads there, or the path is a memory device (/dev/null).
static FILE *stream_of(const struct result *x)
{
    struct stat st;
    FILE *const streams[] = {stdout, stderr};
    if (is_stdout(x->path)) return stdout;
    for (unsigned n = 0; n < 2; n++)
        if (!x->place.name && !x->place.shared && fstat(fileno(streams[n]), &st) == 0 &&
            st.st_dev == x->place.device && st.st_ino == x->place.file)
            return streams[n];
    return NULL;
}

static bool refuse(struct results *r, const struct result *x, const struct result *other, struct loc loc)
{
    if (x->is_read)
        return diag_error(r->diag, loc, "%s is read, and %s %s writes the same file", x->path, other->what,
                          other->path);
    if (other->is_read)
        return diag_error(r->diag, loc, "cannot write %s: this run reads %s", x->path, other->path);
    return diag_error(r->diag, loc, "%s %s: %s %s writes the same file", x->what, x->path, other->what,
                      other->path);
}

static bool claim(struct results *r, struct result x, struct loc loc)
{
    bool known = identify(x.path, &x.place);
    for (size_t i = 0; known && i < r->list.count; i++) {
        const struct result *other = &r->list.data[i];
        bool reads = x.is_read || other->is_read, both = x.is_read && other->is_read;
        // No conflict: two reads, different files, or one terminal, socket or pipe both read and written by a
        // run.
        if (both || !is_same(&x.place, &other->place) || (reads && !x.place.regular && !x.place.name))
            continue;
        refuse(r, &x, other, loc);
        fini(&x);
        return false;
    }
    vec_push(&r->list, x);
    return true;
}

bool results_claim(struct results *r, const char *what, const char *path, struct loc loc)
{
    const char *why;
    if (!is_stdout(path) && !file_can_write(path, &why))
        return diag_error(r->diag, loc, "cannot write %s: %s", path, why);
    return claim(r, (struct result){.what = heap_strdup(what), .path = heap_strdup(path)}, loc);
}

bool results_claim_read(struct results *r, const char *path, struct loc loc)
{
    return claim(r, (struct result){.what = heap_strdup(""), .path = heap_strdup(path), .is_read = true},
                 loc);
}

void results_take(struct results *r, const char *path, char *bytes, size_t length)
{
    for (size_t i = 0; i < r->list.count; i++) {
        struct result *x = &r->list.data[i];
        if (x->is_read || x->bytes || !str_equal(x->path, path)) continue;
        x->bytes = bytes;
        x->length = length;
        return;
    }
    free(bytes);
}

void results_put(struct results *r, const char *path, const void *bytes, size_t length)
{
    char *copy = heap_alloc(length);
    if (length) memcpy(copy, bytes, length);
    results_take(r, path, copy, length);
}

static bool write_stream(const struct result *x, const char **why)
{
    FILE *stream = stream_of(x);
    if (!stream) return file_write_stream(x->path, x->bytes, x->length, why);
    print_bytes(stream, x->bytes, x->length);
    return print_flush(stream);
}

// Name of the temporary file; NULL for results written in place or without content.
static char *neighbour(const struct result *x)
{
    if (!x->bytes || is_stdout(x->path) || file_is_stream(x->path) || stream_of(x)) return NULL;
    return file_temporary(x->path);
}

// Writes all results. Returns a result that failed, after removing the temporary files left; NULL: success.
static const struct result *write_all(struct results *r, char **temporary, const char **why)
{
    const struct result *failed = NULL;
    size_t count = r->list.count, staged = 0;
    for (; staged < count && !failed; staged++) {
        const struct result *x = &r->list.data[staged];
        if (temporary[staged] && !file_stage(temporary[staged], x->bytes, x->length, why)) failed = x;
    }
    for (size_t i = 0; i < count && !failed; i++) {
        const struct result *x = &r->list.data[i];
        if (x->bytes && !temporary[i] && !write_stream(x, why)) failed = x;
    }
    for (size_t i = 0; i < staged; i++) {
        if (!temporary[i]) continue;
        if (failed)
            file_abandon(temporary[i]);
        else if (!file_commit(temporary[i], why))
            failed = &r->list.data[i];
    }
    return failed;
}

enum wf_status results_write(struct results *r)
{
    char **temporary = heap_alloc(r->list.count * sizeof *temporary);
    const char *why = NULL;
    for (size_t i = 0; i < r->list.count; i++) temporary[i] = neighbour(&r->list.data[i]);
    const struct result *failed = write_all(r, temporary, &why);
    if (failed && why) // a failure of stdout has been reported
        diag_error(r->diag, loc_none(), "cannot write %s: %s", failed->path, why);
    for (size_t i = 0; i < r->list.count; i++) free(temporary[i]);
    free(temporary);
    return failed ? WF_BAD_INPUT : WF_OK;
}
