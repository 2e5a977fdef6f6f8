// Settings: every type at the edges of its range, and the messages for invalid values.
#include "base/config.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

struct values {
    bool races;
    uint32_t registers;
    uint64_t limit, bytes;
    double scale;
    int profile;
    const char *name;
};

static const char *const profiles[] = {"volta|sass", "ptxplus", NULL};

static const struct config_key keys[] = {
    {.name = "check.races",
     .type = CONFIG_BOOL,
     .offset = offsetof(struct values, races),
     .initial = "0",
     .meaning = "what it is"},
    {.name = "compile.max_registers",
     .type = CONFIG_U32,
     .offset = offsetof(struct values, registers),
     .low = 16,
     .high = 255,
     .initial = "255",
     .meaning = "what it is"},
    {.name = "exec.limit",
     .type = CONFIG_U64,
     .offset = offsetof(struct values, limit),
     .low = 0,
     .high = 0x1p64,
     .initial = "0",
     .meaning = "what it is"},
    {.name = "memory.size",
     .type = CONFIG_BYTES,
     .offset = offsetof(struct values, bytes),
     .low = 1024,
     .high = 0x1p36,
     .initial = "4G",
     .meaning = "what it is"},
    {.name = "gpu.scale",
     .type = CONFIG_F64,
     .offset = offsetof(struct values, scale),
     .low = 0.5,
     .high = 2,
     .initial = "1",
     .meaning = "what it is"},
    {.name = "compile.profile",
     .type = CONFIG_WORD,
     .offset = offsetof(struct values, profile),
     .words = profiles,
     .initial = "volta",
     .meaning = "what it is"},
};
static const struct config_key more_keys[] = {
    {.name = "gpu.name",
     .type = CONFIG_TEXT,
     .offset = offsetof(struct values, name),
     .initial = "none",
     .meaning = "what it is"},
};

// A room's table, as in a config.def: the rows make the struct's members and the keys.
#define ROOM_ROWS                                                                                            \
    ROOM_U32(lines, "room.lines", 1, 64, 16, "lines of the cache", "choice")                                 \
    ROOM_BOOL(keeps, "room.keeps", "1", "lines are kept from launch to launch", NULL)                        \
    ROOM_WORD(way, "room.way", room_way, "near,far", "far", "way evicted from a set", "paper")               \
    ROOM_U32(ports, "room.ports", 2, 8, 4, NULL, NULL)
struct room {
#define ROOM_U32  CONFIG_MEMBER_U32
#define ROOM_BOOL CONFIG_MEMBER_BOOL
#define ROOM_WORD CONFIG_MEMBER_WORD
    ROOM_ROWS
#undef ROOM_U32
#undef ROOM_BOOL
#undef ROOM_WORD
};
static const char *const room_way_words[] = {"near", "far", NULL};
static const struct config_key room_keys[] = {
#define ROOM_U32(...)  CONFIG_ROW_U32(struct room, __VA_ARGS__)
#define ROOM_BOOL(...) CONFIG_ROW_BOOL(struct room, __VA_ARGS__)
#define ROOM_WORD(...) CONFIG_ROW_WORD(struct room, __VA_ARGS__)
    ROOM_ROWS
#undef ROOM_U32
#undef ROOM_BOOL
#undef ROOM_WORD
};

struct fixture {
    struct config config;
    struct values values;
    struct diag diag;
};

static void setup(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    config_init(&f->config);
    config_add(&f->config, keys, TEST_COUNT(keys), &f->values);
    config_add(&f->config, more_keys, TEST_COUNT(more_keys), &f->values);
    diag_init(&f->diag);
}

static void teardown(struct fixture *f)
{
    config_fini(&f->config);
    diag_fini(&f->diag);
}

// A word with two names: either name is read, the first is written.
static void test_names(struct test *t)
{
    struct fixture f;
    struct strbuf text = {0};
    setup(&f);
    const struct config_key *key = config_find(&f.config, "compile.profile");
    CHECK(t, config_set_pair(&f.config, "compile.profile=ptxplus", loc_none(), &f.diag));
    CHECK(t,
          config_set_pair(&f.config, "compile.profile=sass", loc_none(), &f.diag) && f.values.profile == 0);
    config_format(&f.config, key, &text);
    CHECK_STR(t, strbuf_text(&text), "volta");
    CHECK(t, config_set_pair(&f.config, "compile.profile=ptxplus", loc_none(), &f.diag));
    CHECK(t,
          config_set_pair(&f.config, "compile.profile=volta", loc_none(), &f.diag) && f.values.profile == 0);
    strbuf_fini(&text);
    teardown(&f);
}

static void test_defaults(struct test *t)
{
    struct fixture f;
    setup(&f);
    CHECK(t, !f.values.races && f.values.registers == 255 && f.values.limit == 0 &&
                 f.values.bytes == 4ull << 30);
    CHECK(t, f.values.scale == 1 && f.values.profile == 0);
    CHECK_STR(t, f.values.name, "none");
    struct strbuf text = {0};
    struct json j;
    json_init(&j, &text);
    config_write_json(&f.config, &j);
    CHECK_STR(t, strbuf_text(&text),
              "{\n  \"check.races\": false,\n  \"compile.max_registers\": 255,\n  \"exec.limit\": 0,\n"
              "  \"memory.size\": 4294967296,\n  \"gpu.scale\": 1,\n  \"compile.profile\": \"volta\",\n"
              "  \"gpu.name\": \"none\"\n}\n");
    strbuf_clear(&text);
    config_format(&f.config, config_find(&f.config, "memory.size"), &text);
    CHECK_STR(t, strbuf_text(&text), "4G");
    strbuf_fini(&text);
    CHECK(t, str_equal(config_at(&f.config, 6)->name, "gpu.name") && config_at(&f.config, 7) == NULL);
    teardown(&f);
}

// Keys made from a room's rows: order, defaults, ranges, words, meanings and sources of the rows.
static void test_rows(struct test *t)
{
    struct fixture f;
    struct room room;
    struct strbuf text = {0};
    setup(&f);
    config_add(&f.config, room_keys, TEST_COUNT(room_keys), &room);
    CHECK(t, room.lines == 16 && room.keeps && room.way == 1 && room.ports == 4);
    CHECK(t, config_set_pair(&f.config, "room.lines=64", loc_none(), &f.diag) && room.lines == 64);
    CHECK(t, config_set_pair(&f.config, "room.keeps=0", loc_none(), &f.diag) && !room.keeps);
    CHECK(t, config_set_pair(&f.config, "room.way=near", loc_none(), &f.diag) && room.way == 0);
    CHECK(t, room.lines == 64 && room.ports == 4);
    for (size_t i = 0; i < TEST_COUNT(room_keys); i++) {
        const struct config_key *key = &room_keys[i];
        strbuf_printf(&text, "%s %s ", key->name, key->initial);
        config_format_range(key, &text);
        strbuf_printf(&text, " | %s | %s\n", key->meaning ? key->meaning : "",
                      key->source ? key->source : "");
    }
    CHECK_STR(t, strbuf_text(&text),
              "room.lines 16 1 to 64 | lines of the cache | choice\n"
              "room.keeps 1 0 or 1 | lines are kept from launch to launch | \n"
              "room.way far near or far | way evicted from a set | paper\n"
              "room.ports 4 2 to 8 |  | \n");
    strbuf_fini(&text);
    teardown(&f);
}

static void test_accepts(struct test *t)
{
    static const char *const pairs[] = {"check.races=1",
                                        "check.races=false",
                                        "compile.max_registers=16",
                                        "compile.max_registers=0xff",
                                        "exec.limit=18446744073709551615",
                                        "memory.size=1K",
                                        "memory.size=65536m",
                                        "memory.size=4096",
                                        "gpu.scale=0.5",
                                        "gpu.scale=2",
                                        "compile.profile=ptxplus",
                                        "gpu.name=a=b"};
    struct fixture f;
    setup(&f);
    for (size_t i = 0; i < TEST_COUNT(pairs); i++)
        CHECK_MSG(t, config_set_pair(&f.config, pairs[i], loc_none(), &f.diag), "%s", pairs[i]);
    CHECK(t, !f.values.races && f.values.registers == 255 && f.values.limit == UINT64_MAX &&
                 f.values.bytes == 4096);
    CHECK(t, f.values.scale == 2 && f.values.profile == 1);
    CHECK_STR(t, f.values.name, "a=b");
    teardown(&f);
}

static void test_refuses(struct test *t)
{
    static const struct {
        const char *pair, *message;
    } rows[] = {
        {"check.races=2", "error: check.races=2: must be 0 or 1\n"},
        {"compile.max_registers=256", "error: compile.max_registers=256: must be 16 to 255\n"},
        {"compile.max_registers=15", "error: compile.max_registers=15: must be 16 to 255\n"},
        {"compile.max_registers=-1", "error: compile.max_registers=-1: must be 16 to 255\n"},
        {"exec.limit=1e3", "error: exec.limit=1e3: must be a whole number from 0\n"},
        {"memory.size=1T", "error: memory.size=1T: must be 1K to 64G\n"},
        {"memory.size=99999999999G", "error: memory.size=99999999999G: must be 1K to 64G\n"},
        {"memory.size=K", "error: memory.size=K: must be 1K to 64G\n"},
        {"memory.size=", "error: memory.size=: must be 1K to 64G\n"},
        {"gpu.scale=nan", "error: gpu.scale=nan: must be 0.5 to 2\n"},
        {"compile.profile=SASS", "error: compile.profile=SASS: must be volta (sass) or ptxplus\n"},
        {"compile.profile=volta|sass",
         "error: compile.profile=volta|sass: must be volta (sass) or ptxplus\n"},
        {"compile.profile=", "error: compile.profile=: must be volta (sass) or ptxplus\n"},
        {"compile.profil=sass", "error: unknown key \"compile.profil\"; did you mean \"compile.profile\"?\n"},
        {"zzz=1", "error: unknown key \"zzz\"; `warpfold list keys` lists every key\n"},
        {"check.races", "error: \"check.races\" is no setting; write KEY=VALUE\n"},
    };
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct fixture f;
        setup(&f);
        struct values before = f.values;
        CHECK_MSG(t, !config_set_pair(&f.config, rows[i].pair, loc_none(), &f.diag), "%s", rows[i].pair);
        struct strbuf text = {0};
        diag_format(&f.diag, false, &text);
        CHECK_STR(t, strbuf_text(&text), rows[i].message);
        CHECK(t, f.values.registers == before.registers && f.values.bytes == before.bytes &&
                     f.values.scale == before.scale && f.values.profile == before.profile);
        strbuf_fini(&text);
        teardown(&f);
    }
}

// Origins of settings, and the values left after settings from files are dropped.
static void test_origins(struct test *t)
{
    struct fixture f;
    setup(&f);
    struct loc loc = {.source = diag_add_source(&f.diag, "a.gpu", "", 0), .line = 3};
    const struct config_key *scale = config_find(&f.config, "gpu.scale"),
                            *name = config_find(&f.config, "gpu.name"),
                            *limit = config_find(&f.config, "exec.limit");
    CHECK(t, config_set(&f.config, "gpu.scale", "2", loc, &f.diag));
    CHECK(t, config_set(&f.config, "gpu.name", "small", loc, &f.diag));
    CHECK(t, config_set(&f.config, "exec.limit", "7", loc_none(), &f.diag));
    CHECK(t, !config_set(&f.config, "check.races", "7", loc, &f.diag));
    CHECK(t, config_origin(&f.config, scale).is_set && config_origin(&f.config, scale).loc.line == 3);
    CHECK(t, config_origin(&f.config, limit).is_set && !config_origin(&f.config, limit).loc.source);
    CHECK(t, !config_origin(&f.config, config_find(&f.config, "check.races")).is_set);
    config_forget_files(&f.config);
    CHECK(t, f.values.scale == 1 && str_equal(f.values.name, "none") && f.values.limit == 7);
    CHECK(t, !config_origin(&f.config, name).is_set && config_origin(&f.config, limit).is_set);
    teardown(&f);
}

struct family {
    char name[40], text[40];
};

static bool family_set(void *context, const char *name, const char *text, struct loc loc, struct diag *d)
{
    struct family *family = context;
    if (str_equal(text, "no")) return diag_error(d, loc, "%s: no", name);
    snprintf(family->name, sizeof family->name, "%s", name);
    snprintf(family->text, sizeof family->text, "%s", text);
    return true;
}

static void family_write(const void *context, struct json *j)
{
    const struct family *family = context;
    json_key(j, family->name);
    json_string(j, family->text);
}

static void test_family(struct test *t)
{
    struct fixture f;
    struct family family = {0};
    struct strbuf text = {0};
    struct json j;
    setup(&f);
    config_add_family(&f.config, &(struct config_family){"some.", &family, family_set, family_write});
    CHECK(t, config_set_pair(&f.config, "some.one.gpu.scale=3", loc_none(), &f.diag));
    CHECK_STR(t, family.name, "some.one.gpu.scale");
    CHECK(t, !config_set_pair(&f.config, "some.one=no", loc_none(), &f.diag) && f.diag.errors == 1);
    CHECK(t, f.values.scale == 1);
    json_init(&j, &text);
    config_write_json(&f.config, &j);
    CHECK_HAS(t, strbuf_text(&text), "\"gpu.name\": \"none\",\n  \"some.one.gpu.scale\": \"3\"\n}");
    strbuf_fini(&text);
    teardown(&f);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"defaults", test_defaults}, {"names", test_names},
                                             {"accepts", test_accepts},   {"refuses", test_refuses},
                                             {"origins", test_origins},   {"family", test_family},
                                             {"rows", test_rows}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
