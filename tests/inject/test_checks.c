// UV's checks, bit by bit. In a small program every bit of every lane's result, register, copy and
// entry is flipped once, in a separate run. The flip is detected exactly where two lanes compute,
// two copies are kept or an entry has parity.
#include "base/str.h"
#include "exec/memory.h"
#include "harness/scene.h"

#include <stdio.h>

// Instructions 1 to 3 execute on one lane, or on two with protect=on; 2 and
// 3 are in the buffer in the second round.
static const char program[] = "S2R R0, SR_TID.X\n"
                              "MOV R1, c[0x0][0x160]\n"
                              "loop:\n"
                              "IADD3 R2, R1, 0x4, RZ\n"
                              "ISETP.LT.AND P0, PT, R1, 0x8, PT\n"
                              "IADD3 R0, R0, 0x100, RZ\n"
                              "ISETP.LT.U32.AND P1, PT, R0, 0x180, PT\n"
                              "IADD3 R3, R2, R0, RZ\n"
                              "@P1 BRA loop\n"
                              "EXIT\n";
enum { WARPS = 1, PLACE_COMBINATIONS_MAX = 64 * 1024 };

static bool is_uniform(const struct upset_site *s, const struct upset_flip *f)
{
    if (s->place == UPSET_LANE) return s->index >= 1 && s->index <= 3;
    return s->place == UPSET_ENTRY || f->number == 1 || f->number == 2;
}

struct trial { // a launch with at most one flip
    struct scene scene;
    struct upsets upsets;
    // Place of the flip: the site, and the hit within it.
    uint64_t site;
    struct upset_hit hit;
    // Results of the run.
    uint64_t sites, places[UPSET_PLACES];
    struct upset_site at, sites_seen[1000];
    struct upset_flip flip;
    bool has_turned, was_found;
};

static bool pass(void *context, const struct upset_site *at, struct upset_hit *hit)
{
    struct trial *s = context;
    if (s->sites < TEST_COUNT(s->sites_seen)) s->sites_seen[s->sites] = *at;
    s->places[at->place] += at->count;
    if (s->sites++ != s->site) return false;
    *hit = s->hit;
    return true;
}

static void turned(void *context, const struct upset_site *at, const struct upset_flip *f)
{
    struct trial *s = context;
    s->has_turned = true;
    s->at = *at;
    s->flip = *f;
}

static void found(void *context, uint64_t cycle)
{
    (void)cycle;
    ((struct trial *)context)->was_found = true;
}

static bool begin_program(struct trial *s, struct test *t, const char *tech, const char *text)
{
    const struct scene_plan plan = {.settings = "gpu.sm_count=1 issue.schedulers=1 issue.interval=4",
                                    .tech = tech,
                                    .text = text,
                                    .block = {32 * WARPS},
                                    .bytes = 64};
    *s = (struct trial){.upsets = {pass, turned, found, s}};
    bool good = scene_begin(&s->scene, t, &plan);
    s->scene.choice.uses[0].upsets = &s->upsets;
    return good;
}

static bool begin(struct trial *s, struct test *t, const char *tech)
{
    return begin_program(s, t, tech, program);
}

static void run(struct trial *s, uint64_t site, uint64_t nth, uint64_t draw)
{
    s->site = site;
    s->hit = (struct upset_hit){nth, draw};
    s->sites = 0;
    for (unsigned p = 0; p < UPSET_PLACES; p++) s->places[p] = 0;
    s->has_turned = s->was_found = false;
    scene_run(&s->scene);
}

// Flips every bit of one place, in every item of a register or an entry; draws cover every bit before a
// repetition. Returns the number of flips.
static unsigned turn_all(struct trial *s, struct test *t, uint64_t site, uint64_t nth, bool is_checked)
{
    struct upset_flip first = {0};
    unsigned draw = 0;
    for (;; draw++) {
        run(s, site, nth, draw);
        CHECK(t, s->has_turned && draw < PLACE_COMBINATIONS_MAX);
        if (test_failed(t)) return 0;
        bool again = draw && s->flip.number == first.number && s->flip.lane == first.lane &&
                     s->flip.bit == first.bit && str_equal(s->flip.what, first.what);
        if (again) return draw;
        if (!draw) first = s->flip;
        bool expected = is_checked && is_uniform(&s->at, &s->flip);
        CHECK_MSG(t, s->was_found == expected,
                  "%s %u, lane %u, bit %u at instruction %u, the %lluth of its site: %s", s->flip.what,
                  s->flip.number, s->flip.lane, s->flip.bit, s->at.index, (unsigned long long)nth,
                  s->was_found ? "found" : "not found");
        CHECK_EQ(t, scene_counter(&s->scene, "uv.detected") != 0, s->was_found);
        // The lanes of a vector register are alike: 40 flips suffice in the short form.
        bool is_vector = s->at.place == UPSET_REGISTER && str_equal(s->flip.what, "register");
        if (is_vector && !test_is_long() && draw == 40) return draw;
    }
}

static void turn_everything(struct test *t, const char *tech, bool is_checked)
{
    struct trial s;
    unsigned bits[UPSET_PLACES] = {0};
    CHECK(t, begin(&s, t, tech));
    if (test_failed(t)) return;
    run(&s, ~0ull, 0, 0);
    CHECK(t, !s.was_found && !s.has_turned);
    CHECK_EQ(
        t, s.places[UPSET_LANE],
        scene_counter(&s.scene, "uv.alu_lanes")); // the population of draws equals the population predicted
    CHECK_EQ(t, s.places[UPSET_REGISTER], scene_counter(&s.scene, "uv.live_cycles"));
    CHECK_EQ(t, s.places[UPSET_ENTRY], scene_counter(&s.scene, "uv.entry_cycles"));
    uint64_t sites = s.sites;
    struct upset_site seen[TEST_COUNT(s.sites_seen)];
    CHECK(t, sites && sites <= TEST_COUNT(seen));
    if (test_failed(t)) return;
    for (uint64_t k = 0; k < sites; k++) seen[k] = s.sites_seen[k];
    for (uint64_t k = 0; k < sites; k++) {
        // Cycles of a register without an access are alike: the first and the last suffice.
        uint64_t step = seen[k].place == UPSET_LANE ? 1 : seen[k].count > 1 ? seen[k].count - 1 : 1;
        for (uint64_t nth = 0; nth < seen[k].count && !test_failed(t); nth += step)
            bits[seen[k].place] += turn_all(&s, t, k, nth, is_checked);
    }
    printf("%s: %u bits of lanes, %u of registers, %u of entries\n", tech, bits[UPSET_LANE],
           bits[UPSET_REGISTER], bits[UPSET_ENTRY]);
    CHECK(t, bits[UPSET_LANE] >= 32 * 32 * 5 && bits[UPSET_REGISTER] >= 32 * 4 && bits[UPSET_ENTRY] > 64);
    scene_end(&s.scene);
}

static void test_token(struct test *t) { turn_everything(t, "uv:variant=token,protect=on,parity=on", true); }
static void test_srf(struct test *t) { turn_everything(t, "uv:variant=srf,protect=on,parity=on", true); }
static void test_unprotected(struct test *t) { turn_everything(t, "uv:variant=token", false); }

// Parity of values: a flipped bit of a kept value is found with one copy, and with two the right copy replaces the
// other, so the program stores what it would store without the flip.
static void check_values(struct test *t, const char *store, bool has_two)
{
    static const char stores[] = "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R1, 0x5\n"
                                 "IADD3 R4, R1, 0x3, RZ\nIADD3 R5, R4, R1, RZ\nSTG.E [R2], R5\nEXIT\n";
    struct trial s;
    char tech[100];
    snprintf(tech, sizeof tech, "uv:variant=%s,value-parity=on,protect=%s", store, has_two ? "on" : "off");
    if (!begin_program(&s, t, tech, has_two ? stores : program)) return; // a wrong address would be a fault
    run(&s, ~0ull, 0, 0);
    uint64_t right = memory_hash(s.scene.bench.m.memory), sites = s.sites;
    unsigned copies[2] = {0};
    struct upset_site seen[TEST_COUNT(s.sites_seen)];
    CHECK(t, sites && sites <= TEST_COUNT(seen));
    for (uint64_t k = 0; k < sites && k < TEST_COUNT(seen); k++) seen[k] = s.sites_seen[k];
    for (uint64_t k = 0; k < sites && !test_failed(t); k++)
        for (unsigned draw = 0; seen[k].place == UPSET_REGISTER && draw < 64; draw++) {
            run(&s, k, 0, draw);
            if (str_equal(s.flip.what, "register")) break; // the lanes differ
            CHECK(t, s.has_turned && s.was_found);
            CHECK_EQ(t, scene_counter(&s.scene, "uv.corrected"), has_two);
            if (has_two) CHECK_EQ(t, memory_hash(s.scene.bench.m.memory), right);
            copies[str_starts_with(s.flip.what, "second")]++;
        }
    CHECK(t, copies[0] >= 32 && (copies[1] >= 32) == has_two);
    scene_end(&s.scene);
}

static void test_correction(struct test *t)
{
    for (unsigned two = 0; two < 2; two++) {
        check_values(t, "token", two);
        check_values(t, "srf", two);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"token", test_token},
                                             {"srf", test_srf},
                                             {"unprotected", test_unprotected},
                                             {"correction", test_correction}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
