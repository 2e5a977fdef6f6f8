// Bad input gives one clear message and the right exit status. Fails where a message differs, or where
// output, JSON or a half-written file is left.
#include "cli/cli.h"
#include "harness/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE   " --grid 4 --block 256"
#define BUFFERS " --arg buf=f32:1024:iota --arg buf=f32:1024:const:1 --arg buf=f32:1024:zero"
#define VECADD  "run $V --kernel vecadd" SHAPE BUFFERS
#define OUTPUTS " --json $D/out.json --dump 2=$D/out.bin"

struct row {
    const char *arguments;
    int status;
    const char *message; // the whole of stderr; with ~ at its end: only the beginning
};

static void check_row(struct cli *c, const struct row *row)
{
    struct test *t = c->t;
    unsigned before = cli_files(c);
    cli_run(c, row->arguments);
    const char *err = cli_errors(c);
    size_t length = strlen(row->message);
    bool begins = length && row->message[length - 1] == '~';
    bool ok = begins ? strncmp(err, row->message, length - 1) == 0 : strcmp(err, row->message) == 0;
    CHECK_MSG(t, c->status == row->status && ok,
              "warpfold %s\n    gives status %d, not %d, and\n%s    not\n%s", row->arguments, c->status,
              row->status, err, row->message);
    CHECK_MSG(t, !*c->out, "warpfold %s\n    prints \"%s\"", row->arguments, c->out);
    CHECK_MSG(t, cli_files(c) == before, "warpfold %s\n    leaves files", row->arguments);
}

static void check_rows(struct test *t, const struct row *rows, size_t count)
{
    struct cli c = {.t = t};
    cli_write(&c, "empty.ptx", "", 0);
    cli_write(&c, "twelve.bin", "123456789012", 12);
    cli_write(&c, "k.cu", "#include <stdio.h>\n__global__ void k() {}\n", 42);
    for (size_t i = 0; i < count; i++) check_row(&c, &rows[i]);
    cli_fini(&c);
}

static void test_files(struct test *t)
{
    static const struct row rows[] = {
        {"run $D/none.ptx --kernel vecadd" SHAPE BUFFERS " --arg s32=1" OUTPUTS, 1,
         "error: cannot read $D/none.ptx: No such file or directory\n"},
        {"run $D --kernel vecadd" SHAPE, 1, "error: cannot read $D: is a directory\n"},
        {"run $D/empty.ptx --kernel vecadd" SHAPE, 1,
         "$D/empty.ptx: error: the file is empty; a PTX file starts with .version\n"},
        {"mark $D/none.ptx --kernel vecadd", 1,
         "error: cannot read $D/none.ptx: No such file or directory\n"},
        {"run $D/none.elf", 1, "error: cannot read $D/none.elf: No such file or directory\n"},
        {"run $D/none.elf --input 00 --gpu simtight", 1,
         "error: cannot read $D/none.elf: No such file or directory\n"},
        {"run $D", 1, "error: cannot read $D: is a directory\n"},
        {"study operands $D/none.elf", 1, "error: cannot read $D/none.elf: No such file or directory\n"},
        {"run --script $D/none.wf" OUTPUTS, 1, "error: cannot read $D/none.wf: No such file or directory\n~"},
        {"run /dev/stdin --kernel k" SHAPE " <$D/k.cu", 1,
         "/dev/stdin: error: is CUDA source, not PTX; make PTX with `nvcc -ptx -lineinfo k.cu -o k.ptx`, or "
         "~"},
        {VECADD " --arg s32=1 --arg buf=f32:3:file:$D/none", 1, "error: --arg 4: \"buf=f32:3:file:$D~"},
        {"run $V --kernel vecadd" SHAPE " --arg buf=f32:4:file:$D/twelve.bin" OUTPUTS, 1,
         "error: --arg 0: \"buf=f32:4:file:$D/~"},
    };
    check_rows(t, rows, TEST_COUNT(rows));
}

// Writes the start of an ELF file. class: 1: 32 bits, 2: 64; machine: e_machine.
static void write_elf(struct cli *c, const char *name, char class, unsigned machine)
{
    char bytes[64] = {0x7f, 'E', 'L', 'F', class, 1, 1};
    bytes[16] = 2;
    bytes[18] = (char)machine;
    bytes[19] = (char)(machine >> 8);
    cli_write(c, name, bytes, sizeof bytes);
}

#define CUBIN                                                                                                \
    "is a cubin, machine code of a GPU architecture, not executable by warpfold: give the kernel's "         \
    "PTX, made of the source by nvcc -ptx or extracted by cuobjdump -ptx from a program\n"

// The message names the kind of foreign code, regardless of the options beside the file.
static void test_foreign_code(struct test *t)
{
    enum { CUDA = 190, X86_64 = 62 };
    static const struct row rows[] = {
        {"run $D/old.cubin", 1, "$D/old.cubin: error: " CUBIN},
        {"run $D/a.cubin --kernel k --grid 1 --block 32", 1, "$D/a.cubin: error: " CUBIN},
        {"run $D/a.cubin --input 00", 1, "$D/a.cubin: error: " CUBIN},
        {"mark $D/a.cubin --kernel k", 1, "$D/a.cubin: error: " CUBIN},
        {"study operands $D/a.cubin", 1, "$D/a.cubin: error: " CUBIN},
        {"run $D/a.out", 1, "$D/a.out: error: is an ELF file for machine 62, not for RISC-V (243)\n"},
    };
    struct cli c = {.t = t};
    write_elf(&c, "old.cubin", 1, CUDA);
    write_elf(&c, "a.cubin", 2, CUDA);
    write_elf(&c, "a.out", 2, X86_64);
    for (size_t i = 0; i < TEST_COUNT(rows); i++) check_row(&c, &rows[i]);
    cli_fini(&c);
}

// Every prefix of a real file, and random bytes: an error in the file, no crash and no launch.
static void test_damaged_files(struct test *t)
{
    struct cli c = {.t = t};
    size_t length;
    char where[64], *ptx = test_read_file(t, "kernels/ptx/nvcc/vecadd.ptx", &length);
    size_t last_brace = length;
    while (last_brace && ptx[last_brace - 1] != '}') last_brace--;
    for (size_t cut = 1; cut < last_brace; cut += test_is_long() ? 1 : 97) {
        cli_write(&c, "cut.ptx", ptx, cut);
        cli_run(&c, "run $D/cut.ptx --kernel vecadd" SHAPE BUFFERS " --arg s32=1024" OUTPUTS);
        snprintf(where, sizeof where, "cut.ptx:");
        CHECK_MSG(t,
                  c.status == 1 && (strstr(c.err, where) || strstr(c.err, "no kernel")) &&
                      strstr(c.err, "error: ") && !*c.out && cli_files(&c) == 1,
                  "cut after %zu bytes: status %d\n%s", cut, c.status, c.err);
    }
    for (unsigned seed = 1; seed <= 20; seed++) {
        unsigned state = seed;
        for (size_t i = 0; i < 3000; i++)
            ptx[i] = (char)((state = state * 1103515245u + 12345u) >> 16 & (seed % 2 ? 0xff : 0x7f));
        cli_write(&c, "cut.ptx", ptx, 3000);
        cli_run(&c, "run $D/cut.ptx --kernel vecadd" SHAPE);
        CHECK_MSG(t, c.status == 1 && strstr(c.err, "cut.ptx"), "noise %u: status %d\n%s", seed, c.status,
                  c.err);
    }
    free(ptx);
    cli_fini(&c);
}

static void test_kernels_and_arguments(struct test *t)
{
    static const struct row rows[] = {
        {"run $V --kernel vecad" SHAPE BUFFERS " --arg s32=1024" OUTPUTS, 1,
         "error: no kernel 'vecad'; did you mean 'vecadd'?\n"},
        {"run $V --kernel convolve" SHAPE, 1, "error: no kernel 'convolve'; the module has only 'vecadd'\n"},
        {VECADD OUTPUTS, 1, "error: kernel vecadd takes 4 arguments (u64, u64, u64, u32); 3 were given\n"},
        {"run $V --kernel vecadd" SHAPE, 1,
         "error: kernel vecadd takes 4 arguments (u64, u64, u64, u32); 0 were given\n"},
        {VECADD " --arg s32=1 --arg s32=2", 1,
         "error: kernel vecadd takes 4 arguments (u64, u64, u64, u32); 5 were given\n"},
        {VECADD " --arg s64=1024" OUTPUTS, 1,
         "error: --arg 3: 8 bytes given; parameter 3 (u32) of kernel vecadd takes 4\n"},
        {VECADD " --arg f32=1024", 1,
         "error: --arg 3: f32 given, but parameter 3 (u32) of kernel vecadd is an integer\n"},
        {VECADD " --arg buf=f32:1:zero", 1,
         "error: --arg 3: an address has 64 bits and does not fit parameter 3 (u32) of kernel vecadd\n"},
        {VECADD " --arg s32=many", 1,
         "error: --arg 3: \"s32=many\": \"many\" is not a valid s32; must be -2147483648 to 2147483647\n"},
        {VECADD " --arg s33=1", 1,
         "error: --arg 3: \"s33=1\": unknown form \"s33\"; did you mean \"s32\"?\n"},
        {VECADD " --arg 1024", 1,
         "error: --arg 3: \"1024\": write TYPE=VALUE, buf=TYPE:COUNT:INIT, tex=TYPE:WxH:INIT or bytes=HEX\n"},
        {"run $K --kernel scale --grid 1 --block 1 --arg u64=0 --arg u64=0 --arg u32=1 --arg u32=1", 1,
         "error: --arg 2: u32 given, but parameter 2 (f32) of kernel scale is floating-point\n"},
        {"run $K --kernel by_value --grid 1 --block 1 --arg bytes=0011 --arg buf=u32:3:zero", 1,
         "error: --arg 0: 2 bytes given; parameter 0 (12 bytes by value) of kernel by_value takes 12\n"},
        {"run $K --kernel tensor --grid 1 --block 1 --arg u64=0" OUTPUTS, 1, "tests/api/kernels.ptx:~"},
        {"run $K --kernel count --grid 1 --block 1 --arg buf=u32:1:zero --symbol basis=u32=1", 1,
         "error: no variable \"basis\" in tests/api/kernels.ptx; did you mean \"base\"?\n"},
        {"run $K --kernel count --grid 1 --block 1 --arg buf=u32:1:zero --symbol base=u64=1", 1,
         "error: variable base has 4 bytes, not 8\n"},
        {"run $K --kernel count --grid 1 --block 1 --arg buf=u32:1:zero --symbol base", 1,
         "error: --symbol base: write NAME=SPEC\n"},
    };
    check_rows(t, rows, TEST_COUNT(rows));
}

static void test_shapes_and_sizes(struct test *t)
{
    static const struct row rows[] = {
        {"run $V --kernel vecadd --grid 4 --block 1025" BUFFERS " --arg s32=1" OUTPUTS, 1,
         "error: block of 1025 x 1 x 1: x may be at most 1024\n"},
        {"run $V --kernel vecadd --grid 4 --block 32,64" BUFFERS " --arg s32=1" OUTPUTS, 1,
         "error: block of 32 x 64 x 1 has 2048 threads; at most 1024 are possible\n"},
        {"run $V --kernel vecadd --grid 0 --block 256" BUFFERS " --arg s32=1" OUTPUTS, 1,
         "error: grid of 0 x 1 x 1: no dimension may be 0\n"},
        {"run $V --kernel vecadd --grid 4 --block 256,0" BUFFERS " --arg s32=1", 1,
         "error: block of 256 x 0 x 1: no dimension may be 0\n"},
        {"run $V --kernel vecadd --grid 4x4 --block 256" BUFFERS " --arg s32=1", 1,
         "error: --grid 4x4: must be X[,Y[,Z]], whole numbers\n"},
        {"run $V --kernel vecadd --grid 1,1,1,1 --block 256" BUFFERS " --arg s32=1", 1,
         "error: --grid 1,1,1,1: must be X[,Y[,Z]], whole numbers\n"},
        {"run $V --kernel vecadd --grid -1 --block 256" BUFFERS " --arg s32=1", 1,
         "error: --grid -1: must be X[,Y[,Z]], whole numbers\n"},
        {VECADD " --arg s32=1 --shared 1000000" OUTPUTS, 1,
         "error: kernel vecadd: a block needs 1000000 bytes of shared memory (0 static, 1000000 dynamic), "
         "and the "
         "limit is 232448 (launch.max_shared)\n"},
        {VECADD " --arg s32=1 --shared many", 1, "error: --shared many: must be a number of bytes\n"},
        {"run $V --kernel vecadd" SHAPE " --arg buf=f32:100000000000:zero" OUTPUTS, 1,
         "error: out of device memory: argument 0 wants 400000000000 bytes, 0 of 3758096384 are in use "
         "(memory.size)\n"},
        {"run $V --kernel vecadd" SHAPE " --arg buf=f32:9223372036854775807:zero", 1,
         "error: --arg 0: \"buf=f32:9223372036854775807:zero\": more bytes than 64 bits can count\n"},
        {"run $V --kernel vecadd" SHAPE
         " --arg buf=f64:2000:zero --arg buf=u8:1048000:zero --set memory.size=1M",
         1,
         "error: out of device memory: argument 1 wants 1048000 bytes, 16000 of 1048576 are in use "
         "(memory.size)\n"},
    };
    check_rows(t, rows, TEST_COUNT(rows));
}

static void test_outputs(struct test *t)
{
    static const struct row rows[] = {
        {VECADD " --arg s32=1024 --json $D/no/out.json", 1,
         "error: cannot write $D/no/out.json: No such file or directory\n"},
        {VECADD " --arg s32=1024 --json $D", 1, "error: cannot write $D: is a directory\n"},
        {VECADD " --arg s32=1024 --json $D/out.json --dump 2=$D/no/out.bin", 1,
         "error: cannot write $D/no/out.bin: No such file or directory\n"},
        {VECADD " --arg s32=1024 --json $D/out.json --dump 2=/dev/full", 1,
         "error: cannot write /dev/full: No space left on device\n"},
        {VECADD " --arg s32=1024 --dump 3=$D/out.bin", 1,
         "error: --dump 3=$D/out.bin: argument 3 is not a buffer\n"},
        {VECADD " --arg s32=1024 --dump 4=$D/out.bin", 1,
         "error: --dump 4=$D/out.bin: the kernel has 4 arguments, counted from 0\n"},
        {VECADD " --arg s32=1024 --dump 2", 1, "error: --dump 2: write INDEX=PATH or NAME=PATH\n"},
        {VECADD " --arg s32=1024 --dump sum=$D/out.bin", 1,
         "error: no variable \"sum\" in kernels/ptx/nvcc/vecadd.ptx\n"},
        {"bench vecadd --size small --json $D/no/out.json", 1,
         "error: cannot write $D/no/out.json: No such file or directory\n"},
    };
    check_rows(t, rows, TEST_COUNT(rows));
}

#define HELP_WORDS                                                                                           \
    "Help explains keys, counters, options, mechanisms, script commands, instructions and the commands "     \
    "run, "                                                                                                  \
    "profile, check, compile, mark, study, bench, reproduce, mix, worker, inject, compare, list\n"

static void test_usage(struct test *t)
{
    static const struct row rows[] = {
        {"rum", 2, "error: no command \"rum\"; did you mean \"run\"?\n"},
        {"frobnicate", 2, "error: no command \"frobnicate\"; `warpfold` alone lists the commands\n"},
        {"help rum", 2, "error: help knows no \"rum\"; did you mean \"run\"? " HELP_WORDS},
        {"help wrp.size", 2, "error: help knows no \"wrp.size\"; did you mean \"warp.size\"? " HELP_WORDS},
        {"help exec.warp_instruction", 2,
         "error: help knows no \"exec.warp_instruction\"; did you mean "
         "\"exec.warp_instructions\"? " HELP_WORDS},
        {"help --max-cycle", 2,
         "error: help knows no \"--max-cycle\"; did you mean \"--max-cycles\"? " HELP_WORDS},
        {"help darsy", 2, "error: help knows no \"darsy\"; did you mean \"darsie\"? " HELP_WORDS},
        {"help darsie:entrie", 2,
         "error: help knows no \"darsie:entrie\"; did you mean \"darsie:entries\"? " HELP_WORDS},
        {"help iad3", 2, "error: help knows no \"iad3\"; did you mean \"iadd3\"? " HELP_WORDS},
        {"help wrps", 2, "error: help knows no \"wrps\"; did you mean ~"},
        {"help quetzalcoatl", 2, "error: help knows no \"quetzalcoatl\"; help explains ~"},
        {"study", 2, "error: study needs a study's name; `warpfold list studies` explains the studies\n"},
        {"study operand --bench vecadd", 2, "error: no study \"operand\"; did you mean \"operands\"?\n"},
        {"study operands --bench vecad", 1, "error: no bundled kernel \"vecad\"; did you mean \"vecadd\"?\n"},
        {"study operands $V --bench vecadd", 2,
         "error: \"kernels/ptx/nvcc/vecadd.ptx\" beside --bench: give a file or bundled kernels\n"},
        {"study operands --bench vecadd --grid 1", 2,
         "error: --grid does not go with --bench: bundled kernels have launches of their own\n"},
        {"study operands $V --kernel vecadd --grid 1 --block 32 --set check.races=1", 2,
         "error: a study and the race detector (check.races) cannot watch the same launch\n"},
        {"study operands", 2,
         "error: study needs a PTX file, CUDA C, or a RISC-V program; see `warpfold study --help`\n"},
        {"compare a.json", 2, "error: compare takes two results: warpfold compare A.json B.json\n"},
        {"compare $D/absent.json $D/empty.ptx", 1,
         "error: cannot read $D/absent.json: No such file or directory\n$D/empty.ptx:1:1: error: not valid "
         "JSON: ~"},
        {"run", 2, "error: run needs a PTX file, CUDA C, or a RISC-V program; see `warpfold run --help`\n"},
        {"run $V --kernel vecadd --grid 1", 2,
         "error: run needs --grid and --block for kernel vecadd; its parameters, ~"},
        {"run $V extra --kernel vecadd" SHAPE, 2,
         "error: run takes a single file; \"extra\" is a second operand (an argument is --arg SPEC)\n"},
        {VECADD " --arg s32=1 --grud 4", 2, "error: run has no option --grud; did you mean --grid?\n"},
        {VECADD " --arg s32=1 --frobnicate", 2,
         "error: run has no option --frobnicate; `warpfold run --help` lists the options\n"},
        {VECADD " --arg s32=1 --grid 4", 2, "error: --grid is given twice\n"},
        {"run $V --kernel", 2, "error: --kernel needs a value: --kernel NAME\n"},
        {VECADD " --quiet=1", 2, "error: --quiet takes no value\n"},
        {VECADD " --arg s32=1 --set compile.max_register=3", 2,
         "error: unknown key \"compile.max_register\"; did you mean \"compile.max_registers\"?\n"},
        {VECADD " --arg s32=1 --set simt=both", 2, "error: simt=both: must be stack or splits\n"},
        {VECADD " --arg s32=1 --set simt", 2, "error: --set simt: write KEY=VALUE\n"},
        {VECADD " --arg s32=1 --tech darsy", 2, "error: no mechanism \"darsy\"; did you mean \"darsie\"?\n"},
        {VECADD " --arg s32=1 --tech darsie:entry=1", 2,
         "error: darsie has no option \"entry\"; `warpfold list techs` lists every option\n"},
        {VECADD " --arg s32=1 --tech darsie:entrys=1", 2,
         "error: darsie has no option \"entrys\"; did you mean \"entries\"?\n"},
        {VECADD " --arg s32=1 --tech darsie:entries=0", 2,
         "error: entries=0: must be 1 to 64\nnote: entries of darsie: PC skip table entries of a block; "
         "`warpfold list techs` lists every option\n"},
        {VECADD " --arg s32=1 --tech dac:predicates", 2,
         "error: \"predicates\" is no setting; write KEY=VALUE\nnote: predicates of dac: ~"},
        {VECADD " --arg s32=1 --tech darsie+darsie", 2, "error: mechanism darsie is named twice\n"},
        {VECADD " --arg s32=1 --tech darsie --functional", 2,
         "error: --tech darsie: a mechanism changes timing, and --functional has no timing\n"},
        {VECADD " --arg s32=1 --gpu k80", 2,
         "error: no GPU \"k80\"; GPUs are gtx1080ti, gtx1080ti-paper, titanv, ~"},
        {VECADD " --arg s32=1 --gpu rtx3090", 2, "error: no GPU \"rtx3090\"; GPUs are gtx1080ti, ~"},
        {VECADD " --arg s32=1 --gpu rtx2080", 2, "error: no GPU \"rtx2080\"; did you mean \"rtx2080ti\"?\n"},
        {VECADD " --arg s32=1 --gpu titan", 2, "error: no GPU \"titan\"; did you mean \"titanv\"?\n"},
        {VECADD " --arg s32=1 --gpu $D/none.gpu", 2,
         "error: cannot read the GPU's file $D/none.gpu: No such file or directory\n"},
        {VECADD " --arg s32=1 --gpu tiny --functional", 2,
         "error: --gpu tiny: a GPU times the run, and --functional has no time\n"},
        {VECADD " --arg s32=1 --max-cycles 10 --functional", 2,
         "error: --max-cycles 10: a functional run has no cycles\n"},
        {VECADD " --arg s32=1 --gpu tiny --set sm.warps=31", 2,
         "error: sm.warps must be a multiple of issue.schedulers\n"},
        {VECADD " --arg s32=1 --threads none", 2, "error: --threads none: must be a number from 1 to 1024\n"},
        {VECADD " --arg s32=1 --max-cycles 0", 2, "error: --max-cycles 0: must be a number from 1\n"},
        {"run --script x.wf --kernel vecadd", 2,
         "error: --kernel does not go with --script: write the command in the script\n"},
        {"run $V --script x.wf", 2,
         "error: \"kernels/ptx/nvcc/vecadd.ptx\" beside --script: load the file in the script (load FILE)\n"},
        {"mark $V --kernel vecadd --block 2000", 1, "error: block of 2000 x 1 x 1: x may be at most 1024\n"},
        {"mark --kernel vecadd", 2, "error: mark takes a single file: PTX, CUDA C or a RISC-V program\n"},
        {"list", 2,
         "error: list takes one word of gpus, techs, kernels, inputs, studies, counters, measures, "
         "experiments, keys, "
         "features, "
         "claims, area, occupancy; a GPU may follow gpus\n"},
        {"list keyz", 2, "error: list knows no \"keyz\"; did you mean \"keys\"?\n"},
        {"bench --size tiny", 2, "error: --size tiny: must be one of small, medium, large, paper, slice\n"},
        {"bench spmv --size paper", 1,
         "error: spmv has no input of a paper: give size small, medium or large\n"},
        {"study redundancy --bench spmv --size paper", 1,
         "error: spmv has no input of a paper: give size small, medium or large\n"},
        {"bench --ptx gcc", 2, "error: --ptx gcc: must be one of nvcc, clang\n"},
        {"bench vecad", 1, "error: no bundled kernel \"vecad\"; did you mean \"vecadd\"?\n"},
    };
    check_rows(t, rows, TEST_COUNT(rows));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"files", test_files},
                                             {"foreign_code", test_foreign_code},
                                             {"damaged_files", test_damaged_files},
                                             {"kernels_and_arguments", test_kernels_and_arguments},
                                             {"shapes_and_sizes", test_shapes_and_sizes},
                                             {"outputs", test_outputs},
                                             {"usage", test_usage}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
