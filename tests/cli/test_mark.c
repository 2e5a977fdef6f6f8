// Output of `warpfold mark`: marks before and after promotion by a block's shape, in both ways of promotion;
// the paper's rules; the summary. Fails where JSON disagrees with the text, or colour appears off a terminal.
#include "base/str.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MATRIX "mark kernels/ptx/nvcc/matrixMul.ptx --kernel matrix_mul --set compile.profile=sass"

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p += strlen(what)) n++;
    return n;
}

static void test_promotion(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, MATRIX);
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out,
              "15 DR (redundant in every block), 35 CR (if the block's shape allows), 65 V (vector)");
    CHECK_EQ(t, count(c.out, "\nCR "), 35);
    CHECK_EQ(t, count(c.out, "CR>"), 0);
    cli_run(&c, MATRIX " --block 32,32");
    CHECK_EQ(t, count(c.out, "\nCR>DR "), 35);
    CHECK_HAS(t, c.out, "in a block of 32 x 32 x 1: 50 of 115 redundant");
    CHECK_HAS(t, c.out, "S2R R3, SR_TID.Y");
    CHECK_HAS(t, c.out, "reads threadIdx.y (matrixMul.cu:12)");
    cli_run(&c, MATRIX " --block 64,16");
    CHECK_EQ(t, count(c.out, "\nCR>V "), 35);
    cli_run(&c, MATRIX " --block 64,16 --set mark.warp_classes=1");
    CHECK_EQ(t, count(c.out, "\nCR/2 "), 35);
    // With two kinds of conditions, one comparison for all knows less than the driver.
    cli_run(&c, MATRIX " --block 32,32 --set mark.tid_y=1");
    unsigned driver = count(c.out, "\nCR>DR ");
    cli_run(&c, MATRIX " --block 32,32 --set mark.tid_y=1 --set mark.promotion=hardware");
    CHECK(t, driver == 35 && count(c.out, "\nCR>DR ") == 0);
    cli_run(&c, MATRIX " --block 32,32 --set mark.promotion=hardware");
    CHECK_EQ(t, count(c.out, "\nCR>DR "), 35);
    cli_fini(&c);
}

// A RISC-V program: instructions of a kernel, by address, and the gain from a driver's knowledge of a launch.
static void test_program(struct test *t)
{
#define MATRIX_ELF "mark kernels/riscv/elf/MatMul.elf --kernel matmul --block 16,16"
    struct cli c = {.t = t};
    cli_run(&c, MATRIX_ELF);
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "// matmul: 143 instructions, 32 registers");
    CHECK_HAS(t, c.out,
              "9 DR (redundant in every block), 0 CR (if the block's shape allows), 134 V (vector)");
    CHECK_HAS(t, c.out, "/*8000970*/ lw s6, 0(a5)");
    CHECK_HAS(t, c.out, "V       affine ?+%laneid            /*80009ac*/ csrrw s4, 0xf14, zero");
    cli_run(&c, MATRIX_ELF " --set riscv.closure=constants --set mark.hart=1");
    CHECK_HAS(t, c.out,
              "30 DR (redundant in every block), 2 CR (if the block's shape allows), 111 V (vector)");
    CHECK_HAS(t, c.out,
              "DR      uniform                     /*8000978*/ lw a0, 36(a5) = MOV R10, c[0x0][0x184]");
    CHECK_HAS(t, c.out, "CR>DR   affine threadIdx.x          /*80009c0*/ and s4, s4, a0");
    CHECK_HAS(t, c.out, "in a block of 16 x 16 x 1: 32 of 143 redundant");
    cli_run(&c, "mark kernels/riscv/elf/MatMul.elf --kernel matmull");
    CHECK_EQ(t, c.status, 1);
    CHECK_HAS(t, c.err, "no function \"matmull\" in kernels/riscv/elf/MatMul.elf; did you mean \"matmul\"?");
    cli_fini(&c);
#undef MATRIX_ELF
}

static void test_paper_rules(struct test *t)
{
    static const char kernel[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .u32 %a<4>;\n.reg .u64 %d<3>;\n.local .align 4 .b8 mine[64];\nld.param.u64 %d0, [out];\n"
        "mov.u32 %a0, %tid.y;\nmov.u64 %d2, mine;\nst.local.u32 [%d2+4], %a0;\nld.param.u32 %a1, [out];\n"
        "and.b32 %a1, %a1, 60;\ncvt.u64.u32 %d1, %a1;\nadd.u64 %d1, %d1, %d2;\nld.local.u32 %a2, [%d1];\n"
        "st.global.u32 [%d0], %a2;\nret;\n}\n";
    struct cli c = {.t = t};
    cli_write(&c, "k.ptx", kernel, sizeof kernel - 1);
    cli_run(&c, "mark $D/k.ptx --kernel k --block 32,4");
    CHECK_EQ(t, c.status, 0);
    const char *load = strstr(c.out, "LDL");
    CHECK_MSG(t, load != NULL, "%s", c.out);
    while (load && load > c.out && load[-1] != '\n') load--;
    CHECK(t, load && load[0] == 'V');
    cli_run(&c, "mark $D/k.ptx --kernel k --block 32,4 --set mark.rules=paper");
    load = strstr(c.out, "LDL");
    while (load && load > c.out && load[-1] != '\n') load--;
    CHECK(t, load && str_starts_with(load, "DR")); // letter of the rule: a load of a redundant address
    cli_fini(&c);
}

static void test_json(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, MATRIX " --block 32,32 --json -");
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, cli_json(c.out, "redundant_in_block"), "50");
    CHECK_STR(t, cli_json(c.out, "DR"), "15");
    CHECK_EQ(t, count(c.out, "\"promoted\": \"DR\""), 50);
    CHECK_EQ(t, count(c.out, "\"mark\": \"CR\""), 35);
    CHECK_HAS(t, c.out, "\"stride\": 4"); // 4 * threadIdx.x
    CHECK_EQ(t, count(c.out, "\033["), 0);
    cli_fini(&c);
}

// Output of the command on a terminal; heap.
static char *on_terminal(struct test *t, const char *no_color)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), other = -1;
    bool good = terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal) &&
                (other = open(ptsname(terminal), O_RDWR | O_NOCTTY)) >= 0;
    CHECK(t, good);
    if (!good) return strdup("");
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        dup2(other, STDOUT_FILENO);
        close(terminal);
        setenv("NO_COLOR", no_color, 1);
        execl(test_binary(), test_binary(), "mark", "kernels/ptx/nvcc/vecadd.ptx", "--kernel", "vecadd",
              (char *)NULL);
        _exit(127);
    }
    close(other);
    struct strbuf text = {0};
    char bytes[4096];
    for (ssize_t n; (n = read(terminal, bytes, sizeof bytes)) > 0;) strbuf_write(&text, bytes, (size_t)n);
    int status;
    waitpid(child, &status, 0);
    CHECK(t, WIFEXITED(status) && !WEXITSTATUS(status));
    close(terminal);
    return text.text ? text.text : strdup("");
}

static void test_colour(struct test *t)
{
    struct cli c = {.t = t};
    char *coloured = on_terminal(t, ""), *plain = on_terminal(t, "1");
    CHECK_HAS(t, coloured, "\033[32mDR");
    CHECK_HAS(t, plain, "DR");
    CHECK_EQ(t, count(plain, "\033"), 0);
    cli_run(&c, "mark $V --kernel vecadd");
    CHECK_HAS(t, c.out, "DR");
    CHECK_EQ(t, count(c.out, "\033"), 0);
    free(coloured);
    free(plain);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"promotion", test_promotion},
                                             {"program", test_program},
                                             {"paper_rules", test_paper_rules},
                                             {"json", test_json},
                                             {"colour", test_colour}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
