// Device memory: addresses, bounds, reuse and the descriptions used in reports. Fails when an access
// outside an allocation is accepted, or a reused range is not zero.
#include "exec/memory.h"
#include "harness/test.h"
#include "isa/bank.h"

#include <stdlib.h>
#include <string.h>

static void check_description(struct test *t, const struct memory *m, uint64_t address, const char *want)
{
    struct strbuf text = {0};
    memory_describe(m, address, &text);
    CHECK_STR(t, strbuf_text(&text), want);
    strbuf_fini(&text);
}

static void test_alloc(struct test *t)
{
    struct memory *m = memory_create(1 << 20);
    uint64_t a = memory_alloc(m, 1000, 1, "argument 0"), b = memory_alloc(m, 0, 1, NULL),
             c = memory_alloc(m, 8, 4096, "c");
    CHECK_EQ(t, a, MEMORY_HEAP);
    CHECK(t, b >= a + 1000 + 256 && b % 256 == 0);
    CHECK(t, c > b && c % 4096 == 0);
    CHECK_EQ(t, memory_in_use(m), 1008);
    CHECK(t, memory_host(m, a, 1000) != NULL);
    CHECK(t, memory_host(m, a + 996, 4) != NULL);
    CHECK(t, memory_host(m, a + 997, 4) == NULL);
    CHECK(t, memory_host(m, a - 1, 1) == NULL);
    CHECK(t, memory_host(m, b, 0) != NULL && memory_host(m, b, 1) == NULL);
    CHECK(t, memory_host(m, a, UINT64_MAX) == NULL);
    CHECK(t, memory_host(m, UINT64_MAX, 4) == NULL && memory_host(m, 0, 4) == NULL);
    CHECK(t, memory_host(m, c, 8) - memory_host(m, a, 1) == (ptrdiff_t)(c - a));
    CHECK(t, memory_find(m, a + 999) && !memory_find(m, a + 1000));
    CHECK_EQ(t, memory_alloc(m, 1 << 20, 1, "too much"), 0);
    memory_destroy(m);
}

static void test_free(struct test *t)
{
    struct memory *m = memory_create(1 << 20);
    uint64_t a = memory_alloc(m, 100000, 1, "a"), b = memory_alloc(m, 16, 1, "b");
    memset(memory_host(m, a, 100000), 0x5a, 100000);
    CHECK(t, !memory_free(m, a + 4));
    CHECK(t, memory_free(m, a));
    CHECK(t, !memory_free(m, a));
    CHECK(t, memory_host(m, a, 1) == NULL && memory_find(m, a) == NULL);
    CHECK(t, memory_find(m, b) != NULL);
    CHECK_EQ(t, memory_in_use(m), 16);
    CHECK(t, memory_alloc(m, 100000, 1, "later") > b); // a stale pointer stays stale
    memory_destroy(m);
}

// The space runs out of fresh addresses long before the limit: freed ranges are reused, zero-filled.
static void test_reuse(struct test *t)
{
    struct memory *m = memory_create(3ull << 30);
    uint64_t kept = memory_alloc(m, 4096, 1, "kept"), seen = 0;
    memset(memory_host(m, kept, 4096), 1, 4096);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t a = memory_alloc(m, 1ull << 30, 1, "big");
        CHECK(t, a != 0);
        if (!a) break;
        seen += a <= seen;
        CHECK_EQ(t, *memory_host(m, a + 12345, 1), 0);
        CHECK_EQ(t, *memory_host(m, a + (1u << 30) - 1, 1), 0);
        *memory_host(m, a + 12345, 1) = 7;
        *memory_host(m, a + (1u << 30) - 1, 1) = 7;
        CHECK(t, memory_free(m, a));
    }
    CHECK_EQ(t, *memory_host(m, kept, 4096), 1);
    memory_destroy(m);
}

static void test_beyond_32_bits(struct test *t)
{
    struct memory *m = memory_create(8ull << 30);
    uint64_t a = memory_alloc(m, 3ull << 30, 1, "low"), b = memory_alloc(m, 2ull << 30, 1, "high");
    uint64_t c = memory_alloc(m, 64, 1, "small");
    CHECK_EQ(t, a, MEMORY_HEAP);
    CHECK(t, b >= MEMORY_WINDOWS_END);
    CHECK(t, c > a && c < ISA_SHARED_WINDOW);
    CHECK(t, memory_find(m, b + 5)->address == b && memory_find(m, c)->address == c);
    *memory_host(m, b + (2ull << 30) - 1, 1) = 1;
    CHECK_EQ(t, memory_alloc(m, 4ull << 30, 1, "over"), 0);
    memory_destroy(m);
}

static void test_describe(struct test *t)
{
    struct memory *m = memory_create(1 << 20);
    check_description(t, m, 0x10000000, "0x10000000 is outside every allocation: no memory is allocated");
    uint64_t a = memory_alloc(m, 1024, 1, "argument 0");
    memory_alloc(m, 16, 1, NULL);
    check_description(t, m, 0x10000404,
                      "0x10000404 is 4 bytes past the end of argument 0 (1024 bytes at 0x10000000)");
    check_description(t, m, 0x10000400,
                      "0x10000400 is just past the end of argument 0 (1024 bytes at 0x10000000)");
    check_description(t, m, 0x100004ff,
                      "0x100004ff is 1 byte before the start of allocation 1 (16 bytes at 0x10000500)");
    check_description(t, m, 0x10000010, "0x10000010 is 16 bytes into argument 0 (1024 bytes at 0x10000000)");
    check_description(t, m, 8, "0x8 is a null pointer, or a null pointer plus a small offset");
    check_description(t, m, 0xffffffc,
                      "0xffffffc is 4 bytes before the start of argument 0 (1024 bytes at 0x10000000)");
    check_description(t, m, 0x5000, "0x5000 is below all device memory");
    check_description(t, m, 0xff000010, "0xff000010 is in the window of local memory, not in global memory");
    memory_free(m, a);
    check_description(t, m, 0x10000010,
                      "0x10000010 is 16 bytes into argument 0 (1024 bytes at 0x10000000, freed)");
    memory_destroy(m);
}

static void test_hash(struct test *t)
{
    struct memory *m = memory_create(1 << 20), *n = memory_create(1 << 20);
    uint64_t a = memory_alloc(m, 100, 1, "a"), b = memory_alloc(n, 100, 1, "b");
    CHECK(t, memory_hash(m) == memory_hash(n));
    *memory_host(m, a + 99, 1) = 1;
    CHECK(t, memory_hash(m) != memory_hash(n));
    *memory_host(n, b + 99, 1) = 1;
    CHECK(t, memory_hash(m) == memory_hash(n));
    memory_destroy(m);
    memory_destroy(n);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"alloc", test_alloc},       {"free", test_free},
        {"reuse", test_reuse},       {"beyond_32_bits", test_beyond_32_bits},
        {"describe", test_describe}, {"hash", test_hash},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
