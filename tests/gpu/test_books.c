// What the model books: registers that instructions of every path write, time after a launch's end, accesses
// of no lane, and who is charged for time at a barrier.
#include "gpu/bench.h"

#include <stdio.h>

// A call's return address goes to a register that the instruction before it has yet to read: eight warps'
// operands stand in line for one port. The model's own book says so if it is written before.
static void test_call_writes(struct test *t)
{
    static const char *const dependences[] = {"scoreboard", "encoded"};
    static const char call[] = "MOV R4, R3\nCALL R3, leaf\nMOV R5, R4\nMOV R6, R3\nCALL R3, leaf\nEXIT\n"
                               ".function leaf\nleaf:\nIADD3 R7, R3, R4, R5\nRET R3\n";
    for (size_t k = 0; k < TEST_COUNT(dependences); k++)
        for (unsigned ports = 1; ports <= 4; ports++) {
            struct gpu_bench b;
            char settings[160];
            snprintf(settings, sizeof settings,
                     "sim.check=1 icache.perfect=1 operands.banks=1 operands.ports=1 operands.write_ports=%u "
                     "fetch.width=4 fetch.ibuffer=8 issue.dependences=%s",
                     ports, dependences[k]);
            if (gpu_bench_init(&b, t, "tiny", settings, call, 256)) gpu_cycles(&b);
            gpu_bench_fini(&b);
        }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"call_writes", test_call_writes},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
