// Memory kept between blocks. Fails where memory too small or far too large is handed out, where memory is handed out
// twice, or where more is kept than an SM's blocks need.
#include "exec/spare.h"
#include "harness/test.h"

#include <string.h>

static void test_sizes(struct test *t)
{
    struct exec_spare s = {0};
    struct spare_memory a = spare_take(&s, 1000), b = spare_take(&s, 1000);
    CHECK(t, a.memory != b.memory && a.size_bytes == 1000);
    spare_give(&s, a);
    spare_give(&s, b);
    struct spare_memory small = spare_take(&s, 499), large = spare_take(&s, 1001);
    CHECK(t, small.size_bytes == 499 && large.size_bytes == 1001);
    CHECK_EQ(t, s.list.count, 2);
    struct spare_memory c = spare_take(&s, 500), d = spare_take(&s, 1000), e = spare_take(&s, 1000);
    CHECK(t, c.memory != d.memory && (c.memory == a.memory || c.memory == b.memory));
    CHECK(t, d.memory == a.memory || d.memory == b.memory);
    CHECK_EQ(t, s.list.count, 0);
    memset(e.memory, 1, e.size_bytes);
    const struct spare_memory all[] = {small, large, c, d, e};
    for (size_t k = 0; k < TEST_COUNT(all); k++) spare_give(&s, all[k]);
    spare_fini(&s);
    CHECK_EQ(t, s.list.count, 0);
}

static void test_most(struct test *t)
{
    struct exec_spare s = {0};
    for (size_t k = 1; k < 100; k++) spare_give(&s, spare_take(NULL, k));
    CHECK_EQ(t, s.list.count, 32);
    struct spare_memory last = spare_take(&s, 99);
    CHECK(t, last.size_bytes == 99 && s.list.count == 31);
    spare_give(NULL, last);
    spare_fini(&s);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"sizes", test_sizes}, {"most", test_most}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
