// libFuzzer target: the files of a plan's folder, concatenated. First the plan, then sections after lines
// beginning with "%% ": names of tokens ("%% queue"), workers' records ("%% beat") and results ("%% result",
// of the plan's first point). No folder is made; the database is in memory and forgets each input.
//
// Input is refused or sound. Points of a plan are found by name, and a printed plan reads as the same plan. A
// token prints as its name. A result is in the database or has left no trace.
#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"
#include "cluster/beat.h"
#include "cluster/collect.h"
#include "cluster/status.h"
#include "fuzz/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void require(int condition)
{
    if (!condition) abort();
}

struct fuzz { // kept between inputs: making a database takes a hundred times as long as an input
    struct database db;
    struct diag diag;
};

static struct fuzz *the_fuzz(void)
{
    static struct fuzz f;
    if (!f.db.handle) {
        diag_init(&f.diag);
        require(database_open(&f.db, ":memory:", "0123456789abcdef", &f.diag));
    }
    return &f;
}

// ---- the plan

static void check_points(const struct plan *p)
{
    for (size_t i = 0; i < p->points.count; i++) {
        const struct plan_point *point = &p->points.data[i];
        uint32_t index;
        require(strlen(point->id) == 16 && *point->kind && *point->command);
        require(isfinite(point->seconds) && point->seconds >= 0);
        require(strmap_get(&p->by_id, point->id, 16, &index) && index == i);
    }
}

static void check_plan(const struct plan *p)
{
    struct strbuf text = {0}, again = {0}, time = {0};
    struct plan copy;
    struct diag d;
    diag_init(&d);
    check_points(p);
    plan_print(p, &text);
    require(plan_read_text(&copy, "/", strbuf_text(&text), text.length));
    plan_print(&copy, &again);
    require(strcmp(strbuf_text(&text), strbuf_text(&again)) == 0 && plan_is_same(p, &copy, &d));
    for (size_t i = 0; i < p->points.count; i++) status_put_time(&time, p->points.data[i].seconds);
    plan_fini(&copy);
    strbuf_fini(&text);
    strbuf_fini(&again);
    strbuf_fini(&time);
    diag_fini(&d);
}

// ---- tokens, records, results

static void check_token(const char *name)
{
    struct token t, again;
    char written[TOKEN_NAME_MAX];
    if (!token_parse(name, &t)) return;
    token_name(&t, written);
    require(token_parse(written, &again) && strcmp(written, name) == 0);
    require(memcmp(t.id, again.id, sizeof t.id) == 0 && t.state == again.state &&
            t.failures == again.failures && t.losses == again.losses);
    token_is_suspect(&t);
}

static void check_beat(const char *record)
{
    struct beat b;
    struct strbuf time = {0};
    if (beat_parse(&b, record)) status_put_time(&time, b.seconds);
    strbuf_fini(&time);
}

static void check_result(const struct plan *p, const char *text)
{
    struct fuzz *f = the_fuzz();
    struct arena arena;
    const char *why;
    size_t offset;
    if (!p->points.count) return;
    const struct plan_point *point = &p->points.data[0];
    struct job job = {
        .command = point->command, .kind = point->kind, .subject = "vecadd", .kernel_hash = "0"};
    memcpy(job.id, point->id, sizeof job.id);
    arena_init(&arena);
    const struct json_value *v = json_parse(text, strlen(text), &arena, &why, &offset);
    require(database_begin(&f->db));
    if (v) require(database_add_run(&f->db, &job, v) == database_has_run(&f->db, job.id));
    database_rollback(&f->db);
    diag_clear(&f->diag);
    arena_fini(&arena);
}

static void check_part(const struct plan *p, char *text)
{
    char *heading = strsep(&text, "\n");
    if (!text) return;
    if (strcmp(heading, "queue") == 0)
        for (char *name; (name = strsep(&text, "\n"));) check_token(name);
    else if (strcmp(heading, "beat") == 0)
        check_beat(text);
    else if (strcmp(heading, "result") == 0)
        check_result(p, text);
}

// ---- mutation: members of results dropped, renamed and given other values, so that most inputs stay JSON

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct span {
    size_t at, length;
};

// A member `"key": value` from a random position on, with the comma behind; length 0: no member.
static struct span pick_member(const uint8_t *data, size_t size, struct rng *r)
{
    size_t at = rng_below(r, (uint32_t)size), end;
    int depth = 0;
    while (at < size && !(data[at] == '"' && at && strchr("{ ", data[at - 1]))) at++;
    for (end = at; end < size; end++) {
        depth += (data[end] == '{' || data[end] == '[') - (data[end] == '}' || data[end] == ']');
        if (depth < 0) break;
        if (depth == 0 && data[end] == ',') return (struct span){at, end + 1 - at};
    }
    return (struct span){at, end - at};
}

// Replaces a span by `length` bytes; returns the new size.
static size_t put(uint8_t *data, size_t size, size_t max_size, struct span s, const void *bytes,
                  size_t length)
{
    if (size - s.length + length > max_size) return size;
    memmove(data + s.at + length, data + s.at + s.length, size - s.at - s.length);
    memcpy(data + s.at, bytes, length);
    return size - s.length + length;
}

// The value of a member, without the comma behind.
static struct span value_of(const uint8_t *data, struct span member)
{
    size_t end = member.at + member.length;
    while (member.at < end && data[member.at] != ':') member.at++;
    if (member.at < end) member.at++;
    member.length = end - member.at;
    if (member.length && data[end - 1] == ',') member.length--;
    return member;
}

static size_t change_value(uint8_t *data, size_t size, size_t max_size, struct span member, struct rng *r)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "\"ok\"",
                                         "-1",
                                         "1e308",
                                         "18446744073709551615",
                                         "[]",
                                         "{}",
                                         "[null]",
                                         "{\"counters\": {\"a\": 1}}",
                                         "[{\"x\": \"y\"}]",
                                         "\"PASSED\\n\""};
    const char *value = values[rng_below(r, sizeof values / sizeof values[0])];
    return put(data, size, max_size, value_of(data, member), value, strlen(value));
}

// Copies a member, or only its value, over another member.
static size_t copy_member(uint8_t *data, size_t size, size_t max_size, struct span from, struct span to,
                          bool value)
{
    uint8_t copy[2000];
    if (value) from = value_of(data, from), to = value_of(data, to);
    if (from.length > sizeof copy) return size;
    memcpy(copy, data + from.at, from.length);
    return put(data, size, max_size, to, copy, from.length);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct rng r;
    rng_init(&r, seed);
    if (!size || rng_below(&r, 4) == 0) return LLVMFuzzerMutate(data, size, max_size);
    if (rng_below(&r, 3) == 0) return lines_mutate(data, size, max_size, seed);
    for (uint32_t n = 1 + rng_below(&r, 3); n && size; n--) {
        struct span one = pick_member(data, size, &r), other = pick_member(data, size, &r);
        uint32_t what = rng_below(&r, 4);
        if (what == 0) size = put(data, size, max_size, one, "", 0);
        if (what == 1) size = change_value(data, size, max_size, one, &r);
        if (what > 1) size = copy_member(data, size, max_size, one, other, what == 2);
    }
    return size;
}

// ---- the target

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n%% ";
    char *text = heap_alloc(size + 1);
    struct plan p;
    memcpy(text, data, size);
    char *next = strstr(text, mark);
    if (next) *next = 0;
    bool good = plan_read_text(&p, "/", text, next ? (size_t)(next - text) : size);
    if (good) check_plan(&p);
    while (next) {
        char *part = next + strlen(mark);
        next = strstr(part, mark);
        if (next) *next = 0;
        if (good) check_part(&p, part);
    }
    plan_fini(&p);
    free(text);
    return 0;
}
