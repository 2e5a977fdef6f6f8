// Blocks of RISC-V code: branches compare by themselves; functions begin at symbols, and control may run
// into the next function.
#include "flow/blocks.h"
#include "isa/program.h"
#include "riscv/bench.h"

static bool has_edge(const struct flow_blocks *b, uint32_t from, uint32_t to)
{
    uint32_t source = b->block_of[from], target = b->block_of[to];
    for (uint32_t e = b->graph.succ_first[source]; e < b->graph.succ_first[source + 1]; e++)
        if (b->graph.succs[e] == target) return b->blocks[target].first == to;
    return false;
}

static void test_edges(struct test *t)
{
    enum { START, BRANCH, LINE, LABEL, JUMP, DEAD, END, RETURN, BEHIND, COUNT }; // instructions
    static const struct {
        uint32_t from, to;
        bool is_there;
    } edges[] = {
        {BRANCH, LINE, true}, {BRANCH, END, true}, {LINE, LABEL, true},     {JUMP, END, true},
        {JUMP, DEAD, false},  {DEAD, END, false},  {RETURN, BEHIND, false},
    };
    struct maker m = {0};
    struct bench b;
    maker_function(&m, "kernel");
    maker_put(&m, addi(A0, X0, 3));
    maker_put(&m, bne(A0, X0, 4 * (END - BRANCH)));
    maker_put(&m, addi(A0, X0, 4));
    maker_function(&m, "label");
    maker_put(&m, addi(A0, X0, 5));
    maker_put(&m, jal(X0, 4 * (END - JUMP)));
    maker_put(&m, addi(A0, X0, 6));
    maker_put(&m, addi(A0, X0, 7));
    maker_put(&m, RET);
    maker_put(&m, addi(A0, X0, 8));
    if (bench_init(&b, t, &m)) {
        struct arena arena;
        struct flow_blocks blocks;
        arena_init(&arena);
        flow_blocks_init(&blocks, b.program, &arena);
        uint32_t first = b.program->entry;
        CHECK_EQ(t, b.program->inst_count - first, COUNT);
        for (size_t k = 0; k < TEST_COUNT(edges); k++)
            CHECK_MSG(t, has_edge(&blocks, first + edges[k].from, first + edges[k].to) == edges[k].is_there,
                      "from %u to %u", edges[k].from, edges[k].to);
        arena_fini(&arena);
        bench_fini(&b);
    }
    maker_fini(&m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"edges", test_edges}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
