// `make install`: the installed program, manual page and completion are usable, and weigh less than 13 MB together.
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { INSTALLED_MOST = 13000000 }; // bytes of all files

// Installs the release build of this tree under $D. Variables of a surrounding make have no effect, and make -o keeps
// the program as built.
static bool install(struct test *t, const char *folder)
{
    char command[1000], *err;
    snprintf(command, sizeof command,
             "unset MAKEFLAGS MAKELEVEL MFLAGS MODE BUILD && "
             "make -o build/warpfold -o build/libwarpfold.a install DESTDIR=%s PREFIX=/usr",
             folder);
    int status = test_command(command, 120, NULL, &err);
    CHECK_MSG(t, status == 0, "%s\n    status %d\n%s", command, status, err);
    free(err);
    return status == 0;
}

// Output of a command, run in the folder of the installation.
static char *output(struct test *t, const char *folder, const char *command)
{
    char inside[1000], *out;
    snprintf(inside, sizeof inside, "cd %s && %s", folder, command);
    CHECK_EQ(t, test_command(inside, 60, &out, NULL), 0);
    return out;
}

static void check_output(struct test *t, const char *folder, const char *command, const char *expected)
{
    char *out = output(t, folder, command);
    CHECK_HAS(t, out, expected);
    free(out);
}

static void test_weight(struct test *t)
{
    const char *folder = test_directory(t);
    if (!str_ends_with(test_binary(), "/build/warpfold"))
        return test_skip(t, "the bar is of the release build in build/");
    if (!install(t, folder)) return;
    check_output(t, folder, "find . -type f | sort",
                 "./usr/bin/warpfold\n./usr/share/bash-completion/completions/warpfold\n"
                 "./usr/share/man/man1/warpfold.1\n");
    check_output(t, folder, "usr/bin/warpfold bench vecadd --size small --functional", "vecadd");
    char *bytes = output(t, folder,
                         "find usr -type f -printf '%s\\n' | awk '{ sum += $1 } END { printf \"%d\", sum }'");
    CHECK_MSG(t, atoi(bytes) > 0 && atoi(bytes) < INSTALLED_MOST, "installed: %s bytes", bytes);
    free(bytes);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"weight", test_weight}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
