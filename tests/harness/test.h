// The test harness: a test program is a list of named cases; tools/run-tests
// reads the last line of the output.
//
//     #include "harness/test.h"
//     static void test_adds(struct test *t) { CHECK_EQ(t, 1 + 1, 2); }
//     int main(int argc, char **argv)
//     {
//         static const struct test_case cases[] = {{"adds", test_adds}};
//         return test_main(argc, argv, cases, TEST_COUNT(cases));
//     }
//
// A case fails if any check fails, and continues after a failed CHECK. `test_skip(t, "why")` marks a
// case skipped; for a missing tool see test_skip_tool (a failure under CI=true). Arguments: --list, or
// names of cases to run, or --long for the long form (test_is_long). Golden files: CHECK_GOLDEN
// compares text with a file beside the test and rewrites the file under UPDATE_GOLDEN=1. Programs run
// from the root of the repository.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct test;

struct test_case {
    const char *name;
    void (*run)(struct test *t);
};

#define TEST_COUNT(cases) (sizeof(cases) / sizeof(cases)[0])

int test_main(int argc, char **argv, const struct test_case *cases, size_t count);
void test_fail(struct test *t, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void test_skip(struct test *t, const char *why);
void test_skip_tool(struct test *t, const char *tool); // "TOOL is not installed"; under CI=true a failure
bool test_has_tool(const char *tool);                  // in PATH
bool test_failed(const struct test *t);
bool test_is_long(void);                // --long or WARPFOLD_LONG=1: the form of `make check-all`
bool test_is_quick(void);               // WARPFOLD_QUICK=1: the form of `make check`, a few seconds a program
uint64_t test_seed(uint64_t otherwise); // --seed N or WARPFOLD_SEED, otherwise the argument
void test_check_golden(struct test *t, const char *file, int line, const char *path, const char *text);
// Runs a shell command. out, err: output of the command (heap). Returns the exit status; -1: killed, or past
// a limit. limit_s: seconds of processor time for each process of the command; children count separately. The
// whole command has twenty times as many on the wall clock.
int test_command(const char *command, unsigned limit_s, char **out, char **err);

// -- time (limits.c) ----------------------------------------------------------------------------------------
// Limits are processor time, because a busy machine stretches wall-clock time. The wall
// clock ends endless waits alone.
enum { TEST_WALL_FACTOR = 20 }; // wall-clock seconds for a second of a limit

struct test_time {
    double processor, wall; // seconds: of this process and its ended children; on the wall clock
};
struct test_time test_now(void);
struct test_time test_since(struct test_time start);
// both times, the wall clock with TEST_WALL_FACTOR
bool test_is_within(struct test_time used, double limit_s);
// Ends this process after `limit_s` more seconds of processor time (SIGXCPU), or after TEST_WALL_FACTOR as
// many on the wall clock (SIGALRM). Replaces the previous limit.
void test_limit_time(unsigned limit_s);
// The processor limit alone, kept across an exec by this process.
void test_limit_processor(unsigned limit_s);
bool test_is_limit(int signal); // SIGXCPU, SIGALRM
// Waits until a child of this process, with all its descendants, has used `processor_s` seconds of
// processor time: a moment of the child's work independent of the machine's load. False: the child ended
// before, and has still to be waited for.
bool test_let_run(pid_t child, double processor_s);
// A fresh temporary directory, removed at the end of the case.
const char *test_directory(struct test *t);
const char *test_binary(void); // path of the warpfold binary of this build

#define CHECK(t, condition)                                                                                  \
    do {                                                                                                     \
        if (!(condition)) test_fail((t), __FILE__, __LINE__, "%s", #condition);                              \
    } while (0)
#define CHECK_MSG(t, condition, ...)                                                                         \
    do {                                                                                                     \
        if (!(condition)) test_fail((t), __FILE__, __LINE__, __VA_ARGS__);                                   \
    } while (0)
#define CHECK_EQ(t, got, want)                                                                               \
    do {                                                                                                     \
        long long got_ = (long long)(got), want_ = (long long)(want);                                        \
        if (got_ != want_)                                                                                   \
            test_fail((t), __FILE__, __LINE__, "%s is %lld (0x%llx), not %lld (0x%llx)", #got, got_,         \
                      (unsigned long long)got_, want_, (unsigned long long)want_);                           \
    } while (0)
#define CHECK_STR(t, got, want)     test_check_str((t), __FILE__, __LINE__, #got, (got), (want))
#define CHECK_HAS(t, text, part)    test_check_has((t), __FILE__, __LINE__, (text), (part))
#define CHECK_GOLDEN(t, path, text) test_check_golden((t), __FILE__, __LINE__, (path), (text))

void test_check_str(struct test *t, const char *file, int line, const char *expression, const char *got,
                    const char *want);
void test_check_has(struct test *t, const char *file, int line, const char *text, const char *part);
