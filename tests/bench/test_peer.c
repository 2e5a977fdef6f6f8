// bench/peer beside a stand-in for GPGPU-Sim: a runtime library that asks the toolkit for PTX and registers as
// GPGPU-Sim does, and prints its line of cycles. Fails where a launch, an argument or a ratio does not arrive.
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOME  "build/stand-in-gpgpusim"
#define WHERE HOME "/lib/gcc-12/cuda-11010/release"

static const char library[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "struct dim3 { unsigned x, y, z; };\n"
    "static size_t bytes;\n"
    "void **__cudaRegisterFatBinary(void *image) {\n"
    "  const char *get = \"$CUDA_INSTALL_PATH/bin/cuobjdump -xptx play.1.sm_60.ptx play\";\n"
    "  if (system(\"$CUDA_INSTALL_PATH/bin/cuobjdump -lptx play | grep -q ': play.1.sm_60.ptx$'\")) "
    "exit(2);\n"
    "  if (system(get) || system(\"grep -q entry play.1.sm_60.ptx gpgpusim.config\")) exit(3);\n"
    "  if (system(\"$CUDA_INSTALL_PATH/bin/ptxas 2>&1 | grep -q 'Used [0-9]* registers'\")) exit(4);\n"
    "  return image;\n}\n"
    "void __cudaRegisterFunction(void **m, const char *h, char *d, const char *name, int t, void *a, void "
    "*b,\n"
    "  void *c, void *e) { if (strncmp(name, \"_Z\", 2)) exit(5); }\n"
    "unsigned __cudaPushCallConfiguration(struct dim3 g, struct dim3 b, size_t s, void *t) { return 0; }\n"
    "int cudaMalloc(void **p, size_t n) { bytes += n; *p = malloc(n); return 0; }\n"
    "int cudaMemcpy(void *to, const void *from, size_t n, int kind) { memcpy(to, from, n); return 0; }\n"
    "int cudaLaunchKernel(const char *h, struct dim3 g, struct dim3 b, void **a, size_t s, void *t) {\n"
    "  printf(\"gpu_tot_sim_cycle = %u\\n\", g.x * b.x); return 0; }\n"
    "int cudaDeviceSynchronize(void) { return !bytes; }\n";

static char *output_of(struct test *t, const char *command, int *status)
{
    FILE *f = popen(command, "r");
    struct strbuf out = {0};
    char part[4096];
    CHECK(t, f != NULL);
    while (f && fgets(part, sizeof part, f)) strbuf_puts(&out, part);
    *status = f ? pclose(f) : -1;
    return out.text;
}

static void build_stand_in(struct test *t)
{
    CHECK(t, system("rm -rf " HOME " && mkdir -p " WHERE " " HOME "/configs/tested-cfgs/SM6_TITANX") == 0);
    test_write_text(t, HOME "/configs/tested-cfgs/SM6_TITANX/gpgpusim.config", "# entry\n");
    test_write_text(t, HOME "/stand-in.c", library);
    CHECK(t, system("cc -shared -fPIC -Wl,-soname,libcudart.so -o " WHERE "/libcudart.so " HOME
                    "/stand-in.c && ln -s libcudart.so " WHERE "/libcudart.so.11.0") == 0);
}

static void test_table(struct test *t)
{
    static const char *const expected[] = {
        "| vecadd | ",   "| stencil1d | ",    "| stencil2d | ", "| reduce | ",
        "| matmul16 | ", "| matmul32 | ",     "262,144 |",      "128 |",
        "512 |",         "gtx1080ti-paper: ", "\ngtx1080ti: ",  "times GPGPU-Sim's speed",
    };
    int status;
    if (system("command -v python3 >/dev/null") != 0) {
        test_skip_tool(t, "python3");
        return;
    }
    build_stand_in(t);
    char *text = output_of(t, "bench/peer build/warpfold " HOME " 1 2>&1", &status);
    CHECK_MSG(t, status == 0, "%s", text);
    for (size_t k = 0; k < sizeof expected / sizeof *expected && !test_failed(t); k++)
        CHECK_MSG(t, text && strstr(text, expected[k]), "no \"%s\" in %s", expected[k], text);
    free(text);
}

static void test_refusal(struct test *t)
{
    int status;
    if (system("command -v python3 >/dev/null") != 0) {
        test_skip_tool(t, "python3");
        return;
    }
    CHECK(t, system("rm -rf " HOME "-empty && mkdir -p " HOME "-empty/configs/tested-cfgs/SM6_TITANX") == 0);
    test_write_text(t, HOME "-empty/configs/tested-cfgs/SM6_TITANX/gpgpusim.config", "");
    char *text = output_of(t, "bench/peer build/warpfold " HOME "-empty 1 2>&1", &status);
    CHECK(t, status != 0);
    CHECK_MSG(t, text && strstr(text, "build GPGPU-Sim first"), "%s", text);
    free(text);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"table", test_table}, {"refusal", test_refusal}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
