// Memory of a launch beyond the data: peak resident set of the process, less that of the same launch without
// time. The launch fills every SM with warps. Fails where a GPU takes more than it may.
#include "base/str.h"
#include "harness/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double peak_of_run(struct test *t, const char *how, const char *gpu)
{
    int status = -1;
    struct rusage used = {0};
    pid_t child = fork();
    if (child == 0) {
        int none = open("/dev/null", O_WRONLY);
        dup2(none, 1);
        execl("build/warpfold", "warpfold", "run", "bench/peers/stencil2d.sm60.ptx", "--kernel", "stencil2d",
              "--grid", "32,32", "--block", "16,16", "--arg", "buf=f32:262144:rand:1", "--arg",
              "buf=f32:262144:zero", "--arg", "s32=512", "--threads", "1", "--quiet", how, gpu, (char *)NULL);
        _exit(127);
    }
    CHECK(t, child > 0 && wait4(child, &status, 0, &used) == child && status == 0);
    return (double)used.ru_maxrss / 1024;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Peak resident set of the five-point stencil in MB: the middle one of five runs. Which pages of the executable are
// resident, half a megabyte more or less, depends on the system's file cache.
static double peak_mb(struct test *t, const char *how, const char *gpu)
{
    double peaks[5];
    for (unsigned k = 0; k < 5; k++) peaks[k] = peak_of_run(t, how, gpu);
    qsort(peaks, 5, sizeof *peaks, by_size);
    return peaks[2];
}

// least, most: MB. Below `least` the measurement is wrong.
static void check_gpu(struct test *t, const char *gpu, double least, double most)
{
    double data = peak_mb(t, "--functional", NULL), all = peak_mb(t, "--gpu", gpu);
    CHECK_MSG(t, all - data > least && all - data < most,
              "%s takes %.1f MB beyond the %.1f MB of a run without time, not %.0f to %.0f", gpu, all - data,
              data, least, most);
}

// 13.5 MB; build ba4f44e9 takes 17.4.
static void test_28_sms(struct test *t) { check_gpu(t, "gtx1080ti", 5, 14); }

// 57.7 MB, 26 of them for the registers of 8,448 warps.
static void test_132_sms(struct test *t) { check_gpu(t, "h100", 30, 60); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"28 SMs", test_28_sms}, {"132 SMs", test_132_sms}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
