// `make install`: program, libraries, header, manual page, completions and Python module are usable where they are
// installed, from C, C++ and Python; `make uninstall` leaves nothing.
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_MOST = 13000000 }; // bytes

// Runs a command in the installation's folder, with the installed program, libraries and packages first.
static char *output(struct test *t, const char *folder, const char *command)
{
    char inside[2400], *out, *err;
    snprintf(inside, sizeof inside,
             "export D=%s R=$PWD; export PATH=$D/usr/bin:$PATH LD_LIBRARY_PATH=$D/usr/lib "
             "PKG_CONFIG_PATH=$D/usr/lib/pkgconfig PYTHONPATH=$D/usr/lib/python3/dist-packages; %s",
             folder, command);
    int status = test_command(inside, 120, &out, &err);
    CHECK_MSG(t, status == 0, "%s\n    status %d\n%.2000s", command, status, err);
    free(err);
    return out;
}

static void check_output(struct test *t, const char *folder, const char *command, const char *expected)
{
    char *out = output(t, folder, command);
    CHECK_HAS(t, out, expected);
    free(out);
}

// Runs a make target on the release build of this tree, to a folder. Variables of a surrounding make have no effect,
// and make -o keeps the program as built.
static bool make(struct test *t, const char *folder, const char *target)
{
    char command[1000], *err;
    snprintf(command, sizeof command,
             "unset MAKEFLAGS MAKELEVEL MFLAGS MODE BUILD && "
             "make -o build/warpfold -o build/libwarpfold.a -o build/libwarpfold-cudart.so.13 "
             "-o build/libwarpfold-cudart.so.11.0 %s DESTDIR=%s PREFIX=/usr",
             target, folder);
    int status = test_command(command, 120, NULL, &err);
    CHECK_MSG(t, status == 0, "%s\n    status %d\n%s", command, status, err);
    free(err);
    return status == 0;
}

// The same program in C and C++: finds a GPU by index, and frees the context.
static const char client[] =
    "#include <warpfold.h>\\n#include <stdio.h>\\n"
    "int main(void) { struct wf_context *c = wf_context_create(); const char *n, *m; "
    "if (!wf_gpu_at(0, &n, &m) || wf_gpu(c, n)) return 1; puts(n); wf_context_destroy(c); }";

static void check_compilers(struct test *t, const char *folder)
{
    static const char *const builds[][2] = {
        {"c",
         "cc -std=c17 -Wall -Wextra -Werror client.c $(pkg-config --define-variable=prefix=$D/usr --cflags "
         "--libs warpfold)"},
        {"cc",
         "g++ -Wall -Wextra -Werror client.cc $(pkg-config --define-variable=prefix=$D/usr --cflags --libs "
         "warpfold)"},
        {"c", "cc client.c -I$D/usr/include $D/usr/lib/libwarpfold.a -lm -pthread"},
        {"cc", "g++ client.cc -I$D/usr/include $D/usr/lib/libwarpfold.a -lm -pthread"}};
    for (size_t i = 0; i < TEST_COUNT(builds); i++) {
        char command[1500];
        if (builds[i][0][1] && !test_has_tool("g++")) continue;
        snprintf(command, sizeof command,
                 "cd $D && printf '%%b' '%s' > client.%s && %s -o client && ./client", client, builds[i][0],
                 builds[i][1]);
        check_output(t, folder, command, "gtx1080ti");
    }
    check_output(t, folder, "rm -f $D/client*; echo done", "done");
}

// Global names are those of the public header.
static void check_names(struct test *t, const char *folder)
{
    static const char *const lists[] = {"nm -D --defined-only $D/usr/lib/libwarpfold.so",
                                        "nm -g --defined-only $D/usr/lib/libwarpfold.a"};
    for (size_t i = 0; i < TEST_COUNT(lists); i++) {
        char command[400];
        snprintf(command, sizeof command,
                 "%s | awk 'NF == 3 { total++; if ($3 !~ /^wf_/) print $3 } END { print (total > 50) }'",
                 lists[i]);
        char *out = output(t, folder, command);
        CHECK_STR(t, out, "1\n");
        free(out);
    }
}

static void check_python(struct test *t, const char *folder)
{
    if (!test_has_tool("python3")) return;
    check_output(t, folder, "python3 -B tests/python/check_module.py $D/usr/include/warpfold.h", "ok\n");
}

static void test_installed(struct test *t)
{
    const char *folder = test_directory(t);
    if (!str_ends_with(test_binary(), "/build/warpfold"))
        return test_skip(t, "the release build in build/ is installed");
    if (!make(t, folder, "install")) return;
    static const char *const files[] = {
        "bin/warpfold",
        "include/warpfold.h",
        "include/warpfold/device.h",
        "lib/libwarpfold.a",
        "lib/libwarpfold.so",
        "lib/warpfold/libcudart.so.13",
        "lib/warpfold/libcudart.so.11.0",
        "lib/warpfold/libcuda.so.1",
        "lib/warpfold/libcublas.so.13",
        "lib/warpfold/libcublas.so.12",
        "lib/warpfold/libcublas.so.11",
        "lib/warpfold/libcurand.so.10",
        "lib/pkgconfig/warpfold.pc",
        "share/man/man1/warpfold.1",
        "share/bash-completion/completions/warpfold",
        "share/zsh/site-functions/_warpfold",
        "share/fish/vendor_completions.d/warpfold.fish",
        "share/warpfold/experiments/fig8.exp",
        "share/warpfold/gpus/tiny.gpu",
        "share/warpfold/kernels/matrixMul.cu",
        "share/warpfold/include/cuda_runtime.h",
        "share/warpfold/include/cooperative_groups/reduce.h",
        "share/doc/warpfold/README.md",
        "lib/python3/dist-packages/warpfold/__init__.py",
    };
    for (size_t i = 0; i < TEST_COUNT(files); i++) {
        char command[200];
        snprintf(command, sizeof command, "test -s $D/usr/%s && echo there", files[i]);
        check_output(t, folder, command, "there");
    }
    check_output(t, folder, "cd $D && warpfold bench vecadd --size small --functional", "vecadd");
    char *bytes = output(t, folder, "stat -c %s $D/usr/bin/warpfold");
    CHECK_MSG(t, atoi(bytes) > 0 && atoi(bytes) < PROGRAM_MOST, "the program: %s bytes", bytes);
    free(bytes);
    check_names(t, folder);
    check_compilers(t, folder);
    check_python(t, folder);
    if (!make(t, folder, "uninstall")) return;
    char *left = output(t, folder, "find $D -type f -o -type l");
    CHECK_STR(t, left, "");
    free(left);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"installed", test_installed}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
