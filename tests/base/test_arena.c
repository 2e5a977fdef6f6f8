// Arenas and growable arrays: alignment, zeroing, stable addresses of allocations.
#include "base/arena.h"
#include "base/vec.h"
#include "harness/test.h"

#include <string.h>

static void test_alignment_and_zeroing(struct test *t)
{
    struct arena a;
    arena_init(&a);
    for (size_t size = 1; size < 300; size++) {
        unsigned char *p = arena_alloc(&a, size);
        CHECK_EQ(t, (uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++) CHECK(t, p[i] == 0);
        memset(p, 0xff, size);
    }
    arena_fini(&a);
}

// Small, large (a separate block) and small again: allocations neither move nor overlap.
static void test_large_requests(struct test *t)
{
    enum { COUNT = 400 };
    struct arena a;
    arena_init(&a);
    unsigned char *parts[COUNT];
    size_t sizes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = i % 7 == 3 ? 50000 + i : i % 11 == 5 ? 200000 : 1 + i;
        parts[i] = arena_alloc(&a, sizes[i]);
        memset(parts[i], (int)(i & 0xff), sizes[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < sizes[i]; k += 97) CHECK_EQ(t, parts[i][k], i & 0xff);
    CHECK(t, a.used_bytes > 200000);
    arena_fini(&a);
    CHECK_EQ(t, a.used_bytes, 0);
}

static void test_text(struct test *t)
{
    struct arena a;
    arena_init(&a);
    CHECK_STR(t, arena_strndup(&a, "warpfold", 4), "warp");
    CHECK_STR(t, arena_strndup(&a, "", 0), "");
    CHECK_STR(t, arena_printf(&a, "%d of %s", 3, "four"), "3 of four");
    char long_text[3000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    CHECK_STR(t, arena_printf(&a, "%s", long_text), long_text);
    arena_fini(&a);
}

static void test_vec(struct test *t)
{
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++) vec_push(&v, i * i);
    CHECK_EQ(t, v.count, 1000);
    for (int i = 0; i < 1000; i++) CHECK_EQ(t, v.data[i], i * i);
    CHECK_EQ(t, vec_pop(&v), 999 * 999);
    CHECK_EQ(t, vec_last(&v), 998 * 998);
    vec_fini(&v);
    CHECK(t, v.data == NULL && v.count == 0 && v.capacity == 0);
}

// Only arena.c may call malloc and the like: another caller might forget to check for NULL. cuBLAS and cuRAND, which have no part
// of base, tell their caller instead.
static void test_one_place(struct test *t)
{
    char *out;
    test_command("grep -rnE '(^|[^_a-z])(malloc|calloc|realloc|strdup|strndup|asprintf|abort) ?\\(' src "
                 "--include='*.[ch]' | grep -vE '^src/(base/arena.c:|cumath/)'",
                 20, &out, NULL);
    CHECK_STR(t, out, "");
    free(out);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"alignment_and_zeroing", test_alignment_and_zeroing},
                                             {"large_requests", test_large_requests},
                                             {"text", test_text},
                                             {"vec", test_vec},
                                             {"one_place", test_one_place}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
