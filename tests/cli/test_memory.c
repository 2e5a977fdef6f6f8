// Out of memory anywhere: one line and status 1. Fails on a crash, a half-written file, or a
// partial result looking complete.
//
// Each command runs in a forked process, with a malloc failing at a given call, once or from then on. The
// program itself also runs with a limit of its address space.
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/print.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OTHER_MALLOC
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OTHER_MALLOC
#endif

// -- a malloc that fails ------------------------------------------------------------------------------------

struct faults { // of the process running a command; shared with the parent
    atomic_long calls, fail_at;
    bool once, on;
};

static struct faults *faults; // NULL: no failure

#ifndef OTHER_MALLOC
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);

static bool is_refused(void)
{
    if (!faults || !faults->on) return false;
    long call = atomic_fetch_add(&faults->calls, 1);
    if (faults->once ? call != faults->fail_at : call < faults->fail_at) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) { return is_refused() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return is_refused() ? NULL : __libc_calloc(count, size); }
void *realloc(void *p, size_t size) { return is_refused() ? NULL : __libc_realloc(p, size); }
#endif

_Noreturn void wf_heap_exhausted(size_t size_bytes) { print_exhausted(size_bytes); }

// -- commands -----------------------------------------------------------------------------------------------

#define LAUNCH                                                                                               \
    "kernels/ptx/nvcc/vecadd.ptx --kernel vecadd --grid 4 --block 64 --arg buf=f32:256:iota --arg "          \
    "buf=f32:256:rand:7 --arg buf=f32:256:zero --arg s32=256"

static const struct {
    int (*run)(int argc, char **argv);
    const char *words;
    unsigned files; // files of a successful run
} commands[] = {{command_run, LAUNCH " --functional --json $D/j --dump 0=$D/a --dump 2=$D/b", 3},
                {command_run, LAUNCH " --gpu tiny --tech darsie --json - --timeline $D/t --threads 1", 1},
                {command_run, "--script $D/../s.wf --functional --json $D/j", 2},
                {command_run, LAUNCH " --gpu tiny --verify --energy --set check.races=1", 0},
                {command_mark, "kernels/ptx/nvcc/vecadd.ptx --kernel vecadd --block 64 --json $D/j", 1},
                {command_study, "explain " LAUNCH " --json $D/j", 1},
                {command_bench, "vecadd --size small --gpu tiny --json $D/j --timeline $D/t.konata", 2},
                {command_compare, "$D/../a.json $D/../b.json", 0},
                {command_list, "techs", 0}};

enum { WORDS_MAX = 64 };

// Splits the words, with the folder for $D. Storage is the caller's.
static int split(const char *words, const char *folder, char *text, size_t size, char *argv[WORDS_MAX])
{
    size_t length = 0;
    for (const char *p = words; *p; p++) {
        bool named = strncmp(p, "$D", 2) == 0;
        length +=
            (size_t)snprintf(text + length, size - length, "%.*s", named ? 4096 : 1, named ? folder : p);
        p += named;
    }
    int argc = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
    argv[argc] = NULL;
    return argc;
}

static void redirect(const char *folder, const char *name, int to)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/../%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, to);
    close(file);
}

// Status of a command with malloc failing at call fail_at (below 0: never); -1: crash.
static int run(size_t command, const char *folder, long fail_at, bool once)
{
    static char text[8000];
    char *argv[WORDS_MAX];
    int argc = split(commands[command].words, folder, text, sizeof text, argv), status;
    atomic_store(&faults->calls, 0);
    atomic_store(&faults->fail_at, fail_at < 0 ? 1l << 60 : fail_at);
    faults->once = once;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        redirect(folder, "said", STDOUT_FILENO);
        redirect(folder, "err", STDERR_FILENO);
        faults->on = true;
        status = print_end(commands[command].run(argc, argv));
        faults->on = false;
        _exit(status);
    }
    waitpid(child, &status, 0);
    faults->on = false;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static unsigned empty_folder(const char *folder)
{
    unsigned count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[4600];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        count += unlink(path) == 0;
    }
    if (d) closedir(d);
    return count;
}

// Checks the outcome: all result files or no file, and a line of error after any failure, even
// a failure after the last file.
static void check(struct cli *c, size_t command, const char *what, int status, unsigned files)
{
    size_t length;
    char *err = cli_read(c, "err", &length);
    const char *message = err ? strstr(err, "error: ") : NULL;
    bool line =
        message && (!strstr(message + 1, "error: ") || strstr(err, "--verify")); // and the place, if known
    bool good = files == commands[command].files || (files == 0 && status == 1);
    good &= status == 0 || (status == 1 && line);
    CHECK_MSG(c->t, good, "%s\n    with %s ends with %d, %u files and\n%s", commands[command].words, what,
              status, files, err ? err : "");
    free(err);
}

static void sweep(struct cli *c, size_t command, const char *folder, bool once)
{
    enum { LAST = 40 };
    int status = run(command, folder, -1, false);
    long calls = atomic_load(&faults->calls), points = test_is_long() ? 2000 : test_is_quick() ? 30 : 100;
    unsigned files = empty_folder(folder);
    check(c, command, "all memory", status, files);
    CHECK_EQ(c->t, status, 0);
    long step = calls / points + 1;
    // The last calls come during the writing of results.
    for (long k = 0; k < calls && !test_failed(c->t); k += k + step < calls - LAST ? step : 1) {
        char what[100];
        status = run(command, folder, k, once);
        files = empty_folder(folder);
        snprintf(what, sizeof what, "allocation %ld of %ld failing%s", k, calls, once ? " once" : "");
        check(c, command, what, status, files);
    }
}

// Makes the folder of results; inputs and messages lie beside it.
static void prepare(struct cli *c, char folder[4200])
{
    static const char script[] =
        "load %s/kernels/ptx/nvcc/vecadd.ptx\nbuffer a f32:64:iota\nrepeat 2 i\nfill a "
        "f32=$i\nlaunch vecadd 1 64 a a a s32=64\nend\ndump a out/x\n";
    char text[4600], here[4096];
    snprintf(folder, 4200, "%s/out", test_directory(c->t));
    mkdir(folder, 0777);
    int length = snprintf(text, sizeof text, script, getcwd(here, sizeof here) ? here : ".");
    cli_write(c, "s.wf", text, (size_t)length);
    static const char results[][70] = {"{\"schema\": \"warpfold.run/1\", \"cycles\": 1, \"a\": [\"b\", 2]}",
                                       "{\"schema\": \"warpfold.run/1\", \"cycles\": 2, \"a\": [\"c\", 3]}"};
    cli_write(c, "a.json", results[0], strlen(results[0]));
    cli_write(c, "b.json", results[1], strlen(results[1]));
}

static void test_failing(struct test *t)
{
#ifdef OTHER_MALLOC
    test_skip(t, "malloc is the sanitizer's");
    return;
#endif
    struct cli c = {.t = t};
    char folder[4200];
    prepare(&c, folder);
    faults = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t k = 0; k < TEST_COUNT(commands); k++)
        for (int once = 0; once < 2; once++) sweep(&c, k, folder, once != 0);
    munmap(faults, sizeof *faults);
    faults = NULL;
    cli_fini(&c);
}

// -- limits -------------------------------------------------------------------------------------------------

static int limited(struct cli *c, long limit_kb, const char *arguments, const char *folder)
{
    char command[8000], text[7000], *argv[WORDS_MAX];
    int argc = split(arguments, folder, text, sizeof text, argv);
    int length = snprintf(command, sizeof command, "ulimit -v %ld; exec %s", limit_kb, test_binary());
    for (int i = 0; i < argc; i++)
        length += snprintf(command + length, sizeof command - (size_t)length, " '%s'", argv[i]);
    cli_fini(c);
    return c->status = test_command(command, 60, &c->out, &c->err);
}

// Limits of address space, from the least for a start of the program up to success.
static void test_limits(struct test *t)
{
    static const char *const runs[] = {
        "run " LAUNCH " --gpu tiny --json $D/j --dump 0=$D/a --threads 4",
        "run kernels/ptx/nvcc/vecadd.ptx --kernel vecadd --grid 4 --block 64 --functional --arg "
        "buf=u8:30000000:iota "
        "--arg buf=f32:256:zero --arg buf=f32:256:zero --arg s32=256 --json $D/j --dump 0=$D/a",
        "run kernels/ptx/nvcc/vecadd.ptx --kernel vecadd --grid 4 --block 64 --arg bytes=@/dev/zero",
        "mark kernels/ptx/nvcc/vecadd.ptx --kernel vecadd --json $D/j",
        "study explain " LAUNCH " --json $D/j",
        "bench matrixMul --size small --json $D/j"};
    struct cli c = {.t = t};
    char folder[4200];
#ifdef OTHER_MALLOC
    test_skip(t, "a sanitizer takes all of the address space");
    return;
#endif
    prepare(&c, folder);
    long least = 1000, most = 2000000;
    while (limited(&c, least, "--version", folder) != 0 && least < most) least += 50;
    for (size_t i = 0; i < TEST_COUNT(runs); i++) {
        unsigned refused = 0, good = 0;
        for (long limit = least; limit < most && good < 3; limit += 300 + limit / (test_is_long() ? 40 : 8)) {
            limited(&c, limit, runs[i], folder);
            const char *end = strchr(c.err, '\n');
            unsigned files = empty_folder(folder);
            bool line = end && !end[1] && strncmp(c.err, "error: ", 7) == 0;
            CHECK_MSG(t, c.status == 0 ? files > 0 : c.status == 1 && line && !files,
                      "%s\n    with %ld KiB ends with %d, %u files and\n%s", runs[i], limit, c.status, files,
                      c.err);
            refused += c.status == 1;
            good = c.status == 0 || strstr(c.err, "256 MiB") ? good + 1 : 0; // input read up to the limit
        }
        CHECK_MSG(t, refused, "%s has enough with %ld KiB", runs[i], least);
    }
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"failing", test_failing}, {"limits", test_limits}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
