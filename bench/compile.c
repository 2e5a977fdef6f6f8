// How fast PTX is read and compiled: lines a second of every kernel of the files, one thread.
//
//     compile FILE.ptx[.packed]...        the total, and the five slowest files
//
// A file's lines are the lines of its text; its time is that of parsing and of compiling every kernel for the default profile, the
// best of three.
#include "compile/compile.h"
#include "base/file.h"
#include "base/packed.h"
#include "isa/program.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3, SLOWEST = 5 };

struct row {
    const char *path;
    size_t lines;
    double seconds;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t lines = 0;
    for (size_t k = 0; k < length; k++) lines += text[k] == '\n';
    return lines;
}

// False: the file, or a kernel of the file, cannot be compiled; messages are in `d`.
static bool compile_text(const char *path, const char *text, size_t length, struct diag *d)
{
    struct compile_options o;
    compile_options_default(&o);
    struct ptx_module *m = ptx_parse(text, length, diag_add_source(d, path, text, length), d);
    bool good = m != NULL;
    for (uint32_t k = 0; good && k < m->function_count; k++) {
        if (!m->functions[k]->is_entry) continue;
        struct program *p = compile_kernel(m, m->functions[k], &o, d);
        good = p != NULL;
        program_free(p);
    }
    if (m) ptx_module_free(m);
    return good;
}

static bool measure(struct row *r)
{
    char *text;
    size_t length;
    const char *why;
    if (!packed_read_file(r->path, &text, &length, &why)) {
        fprintf(stderr, "%s: %s\n", r->path, why);
        return false;
    }
    bool good = true;
    r->lines = count_lines(text, length);
    for (unsigned k = 0; good && k < ROUNDS; k++) {
        struct diag d;
        diag_init(&d);
        double begin = now();
        good = compile_text(r->path, text, length, &d);
        double seconds = now() - begin;
        if (!k || seconds < r->seconds) r->seconds = seconds;
        diag_print(&d, stderr);
        diag_fini(&d);
    }
    free(text);
    return good;
}

static int by_rate(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    double p = (double)x->lines / x->seconds, q = (double)y->lines / y->seconds;
    return (p > q) - (p < q);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: compile FILE.ptx[.packed]...\n", stderr);
        return 2;
    }
    struct row *rows = calloc((size_t)argc, sizeof *rows), all = {0};
    int count = 0;
    for (int k = 1; k < argc; k++) {
        rows[count].path = argv[k];
        if (!measure(&rows[count])) continue;
        all.lines += rows[count].lines;
        all.seconds += rows[count++].seconds;
    }
    printf("%zu lines of %d files in %.3f s: %.0f lines a second\n", all.lines, count, all.seconds,
           (double)all.lines / all.seconds);
    qsort(rows, (size_t)count, sizeof *rows, by_rate);
    for (int k = 0; k < count && k < SLOWEST; k++)
        printf("%10.0f  %s, %zu lines\n", (double)rows[k].lines / rows[k].seconds, rows[k].path,
               rows[k].lines);
    free(rows);
    return count == argc - 1 ? 0 : 1;
}
