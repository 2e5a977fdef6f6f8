// The process of a run gets every word of its command, however many.
#include "base/str.h"
#include "harness/test.h"
#include "lab/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { WORDS = 200 };

// In place of warpfold. 0: warpfold, WORDS words, --quiet, --json and the path have arrived in order.
static int count_words(int argc, char **argv)
{
    bool good = argc == WORDS + 4 && str_equal(argv[0], "warpfold") &&
                str_equal(argv[WORDS + 1], "--quiet") && str_equal(argv[WORDS + 2], "--json") &&
                str_equal(argv[WORDS + 3], "out.json") && !argv[argc];
    for (int k = 1; good && k <= WORDS; k++) {
        char want[16];
        snprintf(want, sizeof want, "word%d", k);
        good = str_equal(argv[k], want);
    }
    return good ? 0 : 1;
}

static void test_words(struct test *t)
{
    struct strbuf command = {0};
    sigset_t signals;
    sigemptyset(&signals);
    for (unsigned k = 1; k <= WORDS; k++) strbuf_printf(&command, "%sword%u", k % 7 ? " " : "  ", k);
    pid_t process = process_start(&(struct process_order){.run = count_words,
                                                          .folder = test_directory(t),
                                                          .command = command.text,
                                                          .json = "out.json",
                                                          .errors = -1,
                                                          .signals = &signals});
    int status = -1;
    CHECK(t, process > 0 && waitpid(process, &status, 0) == process);
    CHECK(t, WIFEXITED(status) && WEXITSTATUS(status) == 0);
    strbuf_fini(&command);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"words", test_words}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
