// `warpfold run -- PROGRAM` with libcuda.so.1, cuBLAS and cuRAND as shared libraries, beside the runtime and without.
#include "base/file.h"
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 60 };

static void folder_of_libraries(char *folder, size_t room)
{
    snprintf(folder, room, "%s", test_binary());
    snprintf(strrchr(folder, '/'), 16, "/cudart");
}

// Builds programs/NAME.c against the libraries, names with a leading space each. False: failed or skipped.
static bool build(struct test *t, const char *name, const char *libraries, const char *options)
{
    char folder[4096], path[5000];
    struct strbuf command = {0};
    char *out, *err;
    folder_of_libraries(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
    if (access(path, R_OK) != 0) {
        test_skip(t, "a build with a sanitizer has no shared libraries");
        return false;
    }
    strbuf_printf(&command,
                  "cd %s && L= && for l in%s; do L=\"$L $PWD/$l\"; done && cd - >/dev/null && cc -std=c17 "
                  "-D_GNU_SOURCE "
                  "-Isrc -Itests tests/cudart/programs/%s.c -o %s/%s $L %s",
                  folder, libraries, name, test_directory(t), name, options);
    int status = test_command(strbuf_text(&command), LIMIT_S, &out, &err);
    CHECK_MSG(t, status == 0, "%s", err);
    strbuf_fini(&command);
    free(out);
    free(err);
    return status == 0;
}

static void check(struct test *t, const char *options, const char *program, int status,
                  const char *stdout_text, const char *stderr_part)
{
    struct strbuf command = {0};
    char *out, *err;
    strbuf_printf(&command, "%s run %s -- %s/%s", test_binary(), options, test_directory(t), program);
    CHECK_EQ(t, test_command(strbuf_text(&command), LIMIT_S, &out, &err), status);
    CHECK_STR(t, out, stdout_text);
    CHECK_HAS(t, err, stderr_part);
    strbuf_fini(&command);
    free(out);
    free(err);
}

static void test_driver(struct test *t)
{
    if (!build(t, "driver", " libcuda.so.1", "")) return;
    check(t, "--functional", "driver count count", 0, "count 12, CUDA_SUCCESS\ncount 17, CUDA_SUCCESS\n",
          "count");
    check(t, "--gpu tiny --tech darsie --verify", "driver count", 0, "count 12, CUDA_SUCCESS\n", "cycles");
    check(t, "--functional", "driver fault", 8, "CUDA_ERROR_ILLEGAL_ADDRESS\n", "store_at");
    check(t, "--functional", "driver absent absent", 0,
          "CUDA_ERROR_NOT_SUPPORTED\nCUDA_ERROR_NOT_SUPPORTED\n", "cuTexRefCreate is not there");
}

// The loader looks in DT_RPATH first: the libraries are preloaded.
static void test_rpath(struct test *t)
{
    if (!build(t, "driver", " libcuda.so.1", "-Wl,--disable-new-dtags,-rpath,/nonexistent")) return;
    check(t, "--functional", "driver count", 0, "count 12, CUDA_SUCCESS\n", "count");
}

static void test_together(struct test *t)
{
    static const char wanted[] = "product is equal, mean 0.5\n";
    if (!build(t, "libraries", " libcublas.so.13 libcurand.so.10 libcuda.so.1 libcudart.so.13", "")) return;
    check(t, "--functional", "libraries", 0, wanted, "gemm_s");
    check(t, "--gpu tiny --kernel gemm_s", "libraries", 0, wanted, "cublasZgemm_v2 is not there");
    if (!build(t, "libraries", " libcublas.so.11 libcurand.so.10 libcuda.so.1 libcudart.so.11.0", "")) return;
    check(t, "--functional", "libraries", 0, wanted, "words_xorwow");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"driver", test_driver}, {"rpath", test_rpath}, {"together", test_together}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
