// Two builds of the same sources in two folders are equal, byte for byte. Fails where a path gets into the
// program: the results database and plans identify builds by the program's bytes (src/cli/folder.c).
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>

// Both builds of a case. The names differ in length, so a path left in a file shifts the bytes after it. The
// second folder is entered by a symbolic link: the shell uses the link's name, make the real name.
static const struct place {
    const char *copy, *entry, *build; // folder of the sources; name at entry; build folder
} places[] = {{"a", "a", "build"}, {"second", "link-of-a-long-name", "out"}};

static void run(struct test *t, unsigned limit_s, const char *command)
{
    char *out, *err;
    int status = test_command(command, limit_s, &out, &err);
    CHECK_MSG(t, status == 0, "%s\n    status %d\n%s%s", command, status, out, err);
    free(out);
    free(err);
}

// Copies Makefile and src/ of this tree to both places. Data folders are linked.
static void copy_sources(struct test *t)
{
    for (size_t i = 0; i < TEST_COUNT(places); i++) {
        char command[1000];
        snprintf(command, sizeof command,
                 "to=%s/%s; mkdir $to && cp -R Makefile src $to && "
                 "for f in bench docs experiments gpus kernels silicon tests tools web; do "
                 "ln -s \"$PWD/$f\" $to/$f; done; test -e $to/../%s || ln -s $to $to/../%s",
                 test_directory(t), places[i].copy, places[i].entry, places[i].entry);
        run(t, 60, command);
    }
}

// Makes a goal (a file of the build folder) at both places and compares the results. variables: for
// make, NAME=VALUE, with BUILD in the shell's environment for names of files. Variables of a
// surrounding make have no effect.
static void build_both(struct test *t, const char *variables, const char *folder_suffix, const char *goal)
{
    struct strbuf command = {0}, files = {0};
    for (size_t i = 0; i < TEST_COUNT(places); i++) {
        strbuf_clear(&command);
        strbuf_printf(&command,
                      "cd %s/%s && unset MAKEFLAGS MAKELEVEL MFLAGS MODE CC && BUILD=%s%s && "
                      "make BUILD=$BUILD %s $BUILD/%s",
                      test_directory(t), places[i].entry, places[i].build, folder_suffix, variables, goal);
        run(t, 1200, command.text);
        strbuf_printf(&files, " %s/%s%s/%s", places[i].copy, places[i].build, folder_suffix, goal);
    }
    strbuf_clear(&command);
    strbuf_printf(&command, "cd %s && cmp %s", test_directory(t), files.text);
    run(t, 60, command.text);
    strbuf_fini(&command);
    strbuf_fini(&files);
}

// The library of a few objects, one of each kind: plain, with embedded files, with a generated table, for an
// instruction set. In release mode of both compilers; in the long form in every mode.
static void test_library(struct test *t)
{
    static const char *const modes[][2] = {{"gcc", "release"}, {"clang", "release"}, {"gcc", "debug"},
                                           {"gcc", "asan"},    {"gcc", "tsan"},      {"clang", "debug"},
                                           {"clang", "asan"},  {"clang", "tsan"},    {"clang", "fuzz"}};
    copy_sources(t);
    for (size_t i = 0; i < TEST_COUNT(modes) && (i < 2 || test_is_long()); i++) {
        char variables[400], suffix[40];
        const char *compiler = modes[i][0], *mode = modes[i][1];
        if (!test_has_tool(compiler)) {
            test_skip_tool(t, compiler);
            continue;
        }
        snprintf(suffix, sizeof suffix, "-%s-%s", compiler, mode);
        snprintf(variables, sizeof variables,
                 "CC=%s MODE=%s LIB_OBJ=\"$BUILD/src/base/arena.o $BUILD/src/chip/gpus.o "
                 "$BUILD/src/silicon/files.o $BUILD/src/exec/fast/control.portable_32.o\"",
                 compiler, mode);
        build_both(t, variables, suffix, "libwarpfold.a");
    }
}

// Without a terminal make reports each compilation; on a terminal it prints no line.
static void test_said(struct test *t)
{
    static const char goals[] =
        "BUILD=$BUILD CC=gcc $BUILD/src/base/arena.o $BUILD/src/exec/fast/control.portable_32.o";
    char command[1000], *out;
    copy_sources(t);
    snprintf(command, sizeof command,
             "cd %s/a && unset MAKEFLAGS MAKELEVEL MFLAGS MODE MAKE_TERMOUT && BUILD=build && make -j1 %s",
             test_directory(t), goals);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    CHECK_HAS(t, out, "compiling src/base/arena.c (step 1)\n");
    free(out);
    if (!test_has_tool("script")) {
        test_skip_tool(t, "script");
        return;
    }
    snprintf(command, sizeof command,
             "cd %s/a && unset MAKEFLAGS MAKELEVEL MFLAGS MODE MAKE_TERMOUT && export BUILD=other && script "
             "-qec 'make -j1 %s' /dev/null",
             test_directory(t), goals);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    CHECK_STR(t, out, "");
    free(out);
}

// The program and the whole library.
static void test_whole(struct test *t)
{
    if (!test_is_long()) return;
    copy_sources(t);
    build_both(t, "-j2 CC=gcc", "-gcc", "warpfold");
    build_both(t, "-j2 CC=gcc", "-gcc", "libwarpfold.a");
    build_both(t, "-j2 CC=clang", "-clang", "warpfold");
    build_both(t, "-j2 CC=clang", "-clang", "libwarpfold.a");
}

// tools/compare-objects: a moved file compiles to the same code; a different constant,
// text or called function is found.
static void test_objects(struct test *t)
{
    static const char *const others[] = {"int f(void) { return g(8) + puts(\"text\"); }",
                                         "int f(void) { return g(7) + puts(\"next\"); }",
                                         "int f(void) { return h(7) + puts(\"text\"); }"};
    static const char before[] = "int f(void) { return g(7) + puts(\"text\"); }";
    for (size_t i = 0; i <= TEST_COUNT(others); i++) {
        struct strbuf command = {0};
        char *out;
        strbuf_printf(&command,
                      "top=$PWD; cd %s && rm -rf old new && mkdir -p old/src/room new/src/far/away && "
                      "compile() { printf 'int g(int), h(int), puts(const char *);\n%%s\n' \"$1\" | gcc -O1 "
                      "-g -xc -c -o $2 -; } && "
                      "compile '%s' old/src/room/x.o && compile '%s' new/src/far/away/y.o && "
                      "$top/tools/compare-objects $PWD/old $PWD/new",
                      test_directory(t), before, i < TEST_COUNT(others) ? others[i] : before);
        CHECK_EQ(t, test_command(command.text, 60, &out, NULL), i < TEST_COUNT(others) ? 4 : 0);
        CHECK_HAS(t, out,
                  i < TEST_COUNT(others) ? "new: far/away/y.o" : "1 objects: code and data as they were");
        free(out);
        strbuf_fini(&command);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"library", test_library}, {"said", test_said}, {"objects", test_objects}, {"whole", test_whole}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
