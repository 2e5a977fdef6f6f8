// The race detector's memory. Fails where a cell's access names another record after a renumbering, or an access of an
// earlier launch, of an earlier block or of another layout of a page counts as one of the present.
#include "exec/race_book.h"
#include "harness/test.h"

enum { RECORDS = 200000, WORDS = 100 };

static uint32_t add(struct race_book *b, uint32_t time)
{
    const struct race_record r = {.time = time, .inst = time * 3, .thread = 32};
    return race_book_add(b, &r);
}

static bool is_of(const struct race_book *b, uint32_t access, uint32_t time, unsigned thread)
{
    const struct race_record r = race_book_access(b, access);
    return r.time == time && r.inst == time * 3 && r.thread == thread;
}

// Cells keep a record every thousand, among many that no cell keeps.
static void test_renumber(struct test *t)
{
    struct race_book *b = race_book_take(NULL);
    struct race_page *shared = race_book_shared(b, WORDS), *page = race_book_page(b, 7);
    for (uint32_t n = 1; n <= RECORDS; n++) {
        uint32_t access = add(b, n), k = n / 1000 % WORDS;
        if (n % 1000) continue;
        page->cells.write[k] = access + 5;
        shared->cells.read[1][k] = access + 6;
        page->cells.value[k] = shared->cells.value[k] = UINT32_MAX - n; // values are no accesses
    }
    CHECK(t, b->records.count < RECORDS / 2);
    for (uint32_t k = 0; k < WORDS; k++) {
        uint32_t n = (k ? RECORDS - WORDS * 1000 : RECORDS) + k * 1000;
        CHECK(t, is_of(b, page->cells.write[k], n, 37));
        CHECK(t, is_of(b, shared->cells.read[1][k], n, 38));
        CHECK(t, page->cells.write[k] > page->since && shared->cells.read[0][k] <= shared->since);
        CHECK_EQ(t, page->cells.value[k], UINT32_MAX - n);
    }
    race_book_destroy(b);
}

static bool is_empty(const struct race_page *p)
{
    for (size_t k = 0; k < race_page_cells(p); k++)
        if (p->cells.write[k] > p->since || p->cells.read[0][k] > p->since || p->cells.read[1][k] > p->since)
            return false;
    return true;
}

static void use(struct race_book *b, struct race_page *p, uint32_t time)
{
    for (size_t k = 0; k < race_page_cells(p); k++) {
        p->cells.write[k] = p->cells.read[0][k] = p->cells.read[1][k] = add(b, time);
        p->cells.value[k] = UINT32_MAX;
    }
}

// Blocks with shared memory of many sizes, by words and by bytes, and launches: every page begins empty.
static void test_begin(struct test *t)
{
    struct race_book *spare = NULL;
    for (uint32_t launch = 0; launch < 60; launch++) {
        struct race_book *b = race_book_take(&spare);
        struct race_page *page = race_book_page(b, launch % 3);
        CHECK(t, is_empty(page) && !page->by_byte);
        for (uint32_t block = 0; block < 4; block++) {
            struct race_page *shared = race_book_shared(b, 1 + (launch * 37 + block * 11) % 300);
            CHECK(t, is_empty(shared) && !shared->by_byte && !race_page_published(shared, 0));
            if (launch % 2) race_page_divide(b, shared, false);
            use(b, shared, block + 1);
            CHECK(t, !is_empty(shared));
            race_page_publish(shared, 0, 9);
            race_book_give_back(b, shared);
        }
        if (launch % 5 == 0) race_page_divide(b, page, true);
        use(b, page, 1);
        for (uint32_t n = 0; launch % 7 == 0 && n < RECORDS / 4; n++) add(b, 2);
        race_book_leave(b, &spare);
    }
    race_book_destroy(spare);
}

// A byte has its word's accesses, and its own byte of the value.
static void test_divide(struct test *t)
{
    struct race_book *b = race_book_take(NULL);
    struct race_page *pages[2] = {race_book_page(b, 1), race_book_shared(b, WORDS)};
    for (unsigned n = 0; n < 2; n++) {
        struct race_page *p = pages[n];
        p->cells.write[3] = add(b, 8) + 1;
        p->cells.value[3] = 0x04030201;
        race_page_publish(p, 3, 6);
        race_page_divide(b, p, n == 0);
        for (unsigned byte = 0; byte < 4 * WORDS; byte++) {
            bool is_in = byte / 4 == 3;
            CHECK(t, is_in ? is_of(b, p->cells.write[byte], 8, 33) : p->cells.write[byte] <= p->since);
            CHECK_EQ(t, race_page_published(p, byte), is_in ? 6 : 0);
            if (is_in) CHECK_EQ(t, p->cells.value[byte], byte % 4 + 1);
        }
    }
    race_book_destroy(b);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"renumber", test_renumber}, {"begin", test_begin}, {"divide", test_divide}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
