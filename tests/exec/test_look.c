// Functional launches that never end, or seem to: the look for stalls ends the former with a report and
// leaves the latter alone. Fails when an endless launch is not stopped, or a launch that ends is stopped.
#include "exec/machine.h"
#include "exec/observe.h"
#include "exec/session.h"
#include "exec/spinners.h"

#include <string.h>

enum { PATIENCE = 1000000 };

struct way {
    enum exec_isa isa;
    bool observed, races;
};
static const struct way ways[] = {{EXEC_ISA_AUTO, false, false},
                                  {EXEC_ISA_GENERAL, false, false},
                                  {EXEC_ISA_AUTO, true, false},
                                  {EXEC_ISA_AUTO, false, true}};
static const struct observer nobody;

static void set_up(struct machine *m, const struct spinner *p, const struct way *way)
{
    m->launch.max_warp_instructions = 0;
    m->launch.patience = PATIENCE;
    m->launch.grid[0] = p->blocks;
    m->launch.isa = way->isa;
    m->launch.observer = way->observed ? &nobody : NULL;
    m->launch.check_races = way->races;
    m->launch.simt = strstr(p->settings, "simt=splits") ? SIMT_SPLITS : SIMT_STACK;
    machine_buffer(m, 256);
}

static void check_report(struct test *t, const struct spinner *p, const struct machine *m, enum spinner_end o)
{
    const char *text = m->fault.text ? m->fault.text : "";
    if (o == SPINNER_ENDS) return;
    CHECK_HAS(t, text, o == SPINNER_STALLS ? "will never end" : "(exec.patience=1000000; 0 waits for ever)");
    CHECK_HAS(t, text, "\n  block (0,0,0):\n    warp 0, lanes ");
    if (!strstr(p->text, "BAR")) CHECK_HAS(t, text, "; goes round pc 0x");
    if (strstr(p->text, "wait:\nLDG.E R5, [R2]\n"))
        CHECK_HAS(t, text,
                  "; reads global 0x10000000 (4 bytes: 0x0), 0 bytes into buffer (256 bytes at 0x10000000)");
}

// Runs every spinner in its default way and in a further way.
static void run_all(struct test *t, enum spinner_end o)
{
    const struct spinner *p;
    for (size_t k = 0; (p = spinner_at(o, k)) != NULL; k++)
        for (size_t n = 0; n < TEST_COUNT(ways); n++) {
            if (n && n != 1 + k % (TEST_COUNT(ways) - 1)) continue;
            struct machine m;
            // functional runs hold every block at once
            bool has_room = strstr(p->settings, "sm.blocks=1") != NULL;
            if (machine_init(&m, t, p->text, p->threads)) {
                set_up(&m, p, &ways[n]);
                bool ended = machine_run(&m), ends = o == SPINNER_ENDS || has_room;
                CHECK_MSG(t, ended == ends && m.fault.kind == (ends ? FAULT_NONE : FAULT_STALL), "%s: %s",
                          p->what, m.fault.text ? m.fault.text : "ended");
                if (!has_room) check_report(t, p, &m, o);
            }
            machine_fini(&m);
        }
}

static void test_stalled(struct test *t) { run_all(t, SPINNER_STALLS); }
static void test_waiting(struct test *t) { run_all(t, SPINNER_WAITS); }
static void test_ending(struct test *t) { run_all(t, SPINNER_ENDS); }

// Runs far beyond the patience: a program that computes, reads different words, or sometimes changes memory
// is not stopped.
static void test_legal(struct test *t)
{
    static const char *const texts[] = {
        // registers alone
        "MOV R1, 0x989680\nloop:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA "
        "loop\nEXIT\n",
        // repeated reads of a table
        "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R8, R2\nMOV R9, R3\nMOV R1, 0x2dc6c0\nloop:\n"
        "LOP3.LUT R6, R1, 0x3c, RZ, 0xc0\nIADD3 R8, R2, R6, RZ\nLDG.E R5, [R8]\nIADD3 R1, R1, -0x1, RZ\n"
        "ISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\nEXIT\n",
        // a word incremented every two million of ten million rounds
        "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R7, 0x1\nMOV R4, 0x5\nagain:\nMOV R1, "
        "0x1e8480\nloop:\n"
        "LDG.E R5, [R2]\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\n"
        "RED.E.ADD.U32 [R2], R7\nIADD3 R4, R4, -0x1, RZ\nISETP.NE.AND P0, PT, R4, RZ, PT\n@P0 BRA "
        "again\nEXIT\n",
    };
    for (size_t k = 0; k < TEST_COUNT(texts); k++) {
        struct machine m;
        if (machine_init(&m, t, texts[k], 32)) {
            m.launch.max_warp_instructions = 0;
            m.launch.patience = k == 2 ? 16000000 : PATIENCE;
            machine_buffer(&m, 256);
            machine_must_run(&m);
            CHECK(t, m.counts.warp_instructions > 2 * m.launch.patience);
        }
        machine_fini(&m);
    }
}

// A look leaves no trace: counts and the order of blocks and warps equal a run without looks.
static void test_looked_at(struct test *t)
{
    static const char text[] =
        "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nIMAD R0, R1, c[0x0][0x0], R0\nMOV R4, 0x1\nMOV R5, 0x4\n"
        "IMAD.WIDE R2, R0, R5, c[0x0][0x160]\nMOV R10, c[0x0][0x168]\nMOV R11, c[0x0][0x16c]\nMOV R1, "
        "0x4e20\n"
        "loop:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\n"
        "ATOMG.ADD.U32 R5, [R10], R4\nSTG.E [R2], R5\nEXIT\n";
    static const struct {
        uint64_t look;
        bool is_beside;
    } modes[] = {{0, false}, {1 << 18, false}, {1 << 18, true}, {1, false}};
    enum { THREADS = 256, BLOCKS = 2 };
    uint32_t first[THREADS * BLOCKS] = {0};
    uint64_t count = 0;
    for (size_t k = 0; k < TEST_COUNT(modes); k++) {
        struct machine m;
        struct launch_race race;
        if (!machine_init(&m, t, text, THREADS)) return;
        m.launch.max_warp_instructions = 0;
        m.launch.look = modes[k].look;
        m.launch.grid[0] = BLOCKS;
        uint64_t out = machine_buffer(&m, sizeof first);
        machine_buffer(&m, 4);
        machine_prepare(&m);
        struct exec_session *s = exec_begin(&m.launch);
        CHECK_EQ(t, exec_go(s, modes[k].is_beside), EXEC_ENDED);
        CHECK(t, exec_end(s, &m.counts, &m.fault, &race));
        CHECK(t, m.counts.warp_instructions > BLOCKS << 18); // long enough for a look at each block
        if (!k) {
            memcpy(first, machine_words(&m, out), sizeof first);
            count = m.counts.warp_instructions;
        }
        CHECK_MSG(t, memcmp(first, machine_words(&m, out), sizeof first) == 0, "another order with mode %zu",
                  k);
        CHECK_EQ(t, m.counts.warp_instructions, count);
        launch_race_fini(&race);
        machine_fini(&m);
    }
    for (unsigned n = 0; n < THREADS; n++) CHECK(t, first[n] < THREADS && first[THREADS + n] >= THREADS);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"stalled", test_stalled},
                                             {"waiting", test_waiting},
                                             {"ending", test_ending},
                                             {"legal", test_legal},
                                             {"looked at", test_looked_at}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
