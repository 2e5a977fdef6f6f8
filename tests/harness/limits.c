// Limits of time for processes of tests. A limit is processor time, independent of the machine's load. An
// endless wait ends by the wall clock, at twenty times the limit.
#include "base/file.h"
#include "base/progress.h"
#include "harness/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

static double processor_of(int who)
{
    struct rusage used;
    getrusage(who, &used);
    return seconds_of(&used);
}

struct test_time test_now(void)
{
    return (struct test_time){processor_of(RUSAGE_SELF) + processor_of(RUSAGE_CHILDREN), clock_seconds()};
}

struct test_time test_since(struct test_time start)
{
    struct test_time now = test_now();
    return (struct test_time){now.processor - start.processor, now.wall - start.wall};
}

bool test_is_within(struct test_time used, double limit_s)
{
    return used.processor <= limit_s && used.wall <= TEST_WALL_FACTOR * limit_s;
}

void test_limit_processor(unsigned limit_s)
{
    struct rlimit limit;
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = (rlim_t)processor_of(RUSAGE_SELF) + 1 + limit_s;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CPU, &limit);
}

void test_limit_time(unsigned limit_s)
{
    test_limit_processor(limit_s);
    alarm(TEST_WALL_FACTOR * limit_s);
}

bool test_is_limit(int signal) { return signal == SIGXCPU || signal == SIGALRM; }

// -- moments of a child's work ------------------------------------------------------------------------------

// A file of /proc/PROCESS, heap; NULL: the process is gone.
static char *process_file(pid_t process, const char *name)
{
    char path[80], *text;
    size_t length;
    const char *why;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    return file_read_up_to(path, 4096, &text, &length, &why) ? text : NULL;
}

// Seconds of processor time of a process's ended and awaited children.
static double waited_for(pid_t process)
{
    unsigned long user = 0, system = 0;
    char *text = process_file(process, "stat"), *name = text ? strrchr(text, ')') : NULL;
    if (name) // "PID (NAME) STATE PARENT …": fields 16 and 17 are times of children
        sscanf(name + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user, &system);
    free(text);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double processor_below(pid_t process)
{
    char name[40];
    clockid_t clock;
    struct timespec own = {0};
    if (clock_getcpuclockid(process, &clock) == 0) clock_gettime(clock, &own);
    double all = (double)own.tv_sec + 1e-9 * (double)own.tv_nsec + waited_for(process);
    snprintf(name, sizeof name, "task/%d/children", (int)process);
    char *children = process_file(process, name), *rest = children;
    for (char *word; rest && (word = strsep(&rest, " ")) != NULL;)
        if (*word) all += processor_below((pid_t)strtol(word, NULL, 10));
    free(children);
    return all;
}

static bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

bool test_let_run(pid_t child, double processor_s)
{
    double deadline = clock_seconds() + TEST_WALL_FACTOR * (1 + processor_s);
    while (!has_ended(child)) {
        if (processor_below(child) >= processor_s || clock_seconds() >= deadline) return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
    return false;
}
