// ^C: a run stops, writes the requested outputs, and reports the interruption.
#include "base/file.h"
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Waits forever for a flag, after storing a sign of its start.
static const char spinning[] =
    ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry spin(.param .u64 flags)\n{\n"
    ".reg .u32 %r<4>; .reg .pred %p<2>; .reg .u64 %rd<2>;\n"
    "ld.param.u64 %rd1, [flags];\nmov.u32 %r2, 7;\nst.volatile.global.u32 [%rd1+4], %r2;\n"
    "wait: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra wait;\nret;\n}\n";

static void file_has(struct test *t, const char *path, const char *part)
{
    char *text = test_read_file(t, path, NULL);
    CHECK_HAS(t, text, part);
    free(text);
}

// Runs `warpfold ARGUMENTS` and sends SIGINT after `seconds` of processor time. Returns stderr, heap.
static char *interrupt_after(struct test *t, const char *arguments, double seconds)
{
    struct strbuf command = {0};
    char *text = NULL, path[300];
    const char *why;
    size_t length;
    int status;
    snprintf(path, sizeof path, "%s/stderr", test_directory(t));
    strbuf_printf(&command, "exec %s %s >/dev/null 2>%s", test_binary(), arguments, path);
    pid_t child = fork();
    if (child == 0) {
        test_limit_processor(60);
        execl("/bin/sh", "sh", "-c", command.text, (char *)NULL);
        _exit(127);
    }
    CHECK(t, test_let_run(child, seconds));
    kill(child, SIGINT);
    waitpid(child, &status, 0);
    bool is_told = WIFEXITED(status) && WEXITSTATUS(status) == 130;
    bool is_early = WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    CHECK_MSG(t, is_told || is_early, "%s: status 0x%x", arguments, (unsigned)status);
    CHECK_MSG(t, file_read(path, &text, &length, &why), "%s: %s", path, why);
    strbuf_fini(&command);
    return text ? text : strdup("");
}

// Interrupts after 0.2 seconds, and later if the signal came before the start of the work
// and ended the program by default.
static char *interrupt(struct test *t, const char *arguments)
{
    static const double seconds[] = {0.2, 0.5, 2, 8};
    char *err = NULL;
    for (size_t k = 0; k < TEST_COUNT(seconds) && (!err || !*err); k++) {
        free(err);
        err = interrupt_after(t, arguments, seconds[k]);
    }
    return err;
}

static void interrupt_a_run(struct test *t, const char *way)
{
    const char *folder = test_directory(t), *why;
    char ptx[300], json[300], dump[300], arguments[1500], *bytes = NULL;
    size_t length = 0;
    snprintf(ptx, sizeof ptx, "%s/spin.ptx", folder);
    snprintf(json, sizeof json, "%s/run.json", folder);
    snprintf(dump, sizeof dump, "%s/flags.bin", folder);
    test_write_text(t, ptx, spinning);
    snprintf(arguments, sizeof arguments,
             "run %s --kernel spin --grid 4 --block 64 --arg buf=u32:2:zero --json %s --dump 0=%s %s", ptx,
             json, dump, way);
    char *err = interrupt(t, arguments);
    CHECK_HAS(t, err, "kernel spin: interrupted after");
    free(err);
    file_has(t, json, "\"status\": \"interrupted\"");
    CHECK(t, file_read(dump, &bytes, &length, &why) && length == 8 && bytes[0] == 0 && bytes[4] == 7);
    free(bytes);
}

static void test_run(struct test *t)
{
    static const char *const ways[] = {"--gpu tiny --set sim.stall=0",
                                       "--gpu gtx1080ti-paper --set sim.stall=0 --threads 3",
                                       "--functional --set exec.look=0"};
    for (size_t k = 0; k < TEST_COUNT(ways); k++) interrupt_a_run(t, ways[k]);
}

static void interrupt_and_read(struct test *t, const char *command, const char *part)
{
    char arguments[400], json[300];
    snprintf(json, sizeof json, "%s/results.json", test_directory(t));
    snprintf(arguments, sizeof arguments, "%s --json %s", command, json);
    free(interrupt(t, arguments));
    file_has(t, json, part);
}

static void test_bench(struct test *t)
{
    interrupt_and_read(t, "bench --size large", "\"outcome\": \"interrupted\"");
}

static void test_study(struct test *t)
{
    interrupt_and_read(t, "study redundancy --bench matrixMul --size large", "\"status\": \"interrupted\"");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"run", test_run},
        {"bench", test_bench},
        {"study", test_study},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
