#include "exec/spinners.h"

#define BUFFER                                                                                               \
    "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R4, 0x1\nS2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\n"
#define FIRST "ISETP.LT.AND P1, PT, R0, 0x20, PT\n"
#define AGAIN "ISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\n"
#define AGAIN_WHILE(count)                                                                                   \
    "ISETP.EQ.AND P0, PT, R5, RZ, PT\nISETP.LT.AND P0, PT, " count ", 0x3fffffff, P0\n@P0 BRA wait\n"

static const struct spinner stalled[] = {
    {"a flag that nobody sets", "",
     BUFFER "wait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n", 256, 8},
    {"more blocks than places", "sm.blocks=1",
     BUFFER "ISETP.EQ.AND P0, PT, R1, 0x7, PT\n@P0 STG.E [R2], R4\n"
            "wait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n",
     32, 8},
    {"adding nothing", "",
     ".shared 4\n" BUFFER
     "wait:\nATOMS.ADD.U32 R5, [RZ], RZ\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n",
     512, 1},
    {"adding nothing to global memory", "",
     BUFFER "wait:\nATOMG.E.ADD.U32 R5, [R2], RZ\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n", 64,
     4},
    {"a lock that is never released", "",
     ".shared 4\n" BUFFER
     "wait:\nATOMS.CAS.U32 R5, [RZ], RZ, R4\nISETP.NE.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n",
     32, 1},
    {"lanes of one warp, with a stack", "simt=stack",
     ".shared 4\n" BUFFER
     "wait:\nATOMS.CAS.U32 R5, [RZ], RZ, R4\nISETP.NE.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\n"
     "ATOMS.EXCH.U32 R5, [RZ], RZ\nEXIT\n",
     32, 1},
    {"two that wait for each other", "",
     ".shared 8\n" BUFFER FIRST "@P1 BRA one\n"
     "two:\nLDS R5, [RZ]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA two\nSTS [RZ+0x4], R4\nEXIT\n"
     "one:\nLDS R5, [RZ+0x4]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA one\nSTS [RZ], R4\nEXIT\n",
     64, 1},
    {"a barrier, and one that never comes", "",
     BUFFER FIRST "@P1 BRA meet\nwait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\n"
                  "meet:\nBAR.SYNC 0x0\nEXIT\n",
     96, 2},
    {"a barrier, and two that meet at another for ever", "",
     BUFFER "ISETP.GE.AND P1, PT, R0, 0x40, PT\n@P1 BRA meet\nloop:\nBAR.SYNC 0x1, 0x40\nBRA loop\n"
            "meet:\nBAR.SYNC 0x0\nEXIT\n",
     96, 2},
    {"a barrier in one block, and its like in another, where warps meet for ever", "",
     BUFFER
     "ISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\n" FIRST "@!P1 BRA meet\n"
     "wait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nmeet:\nBAR.SYNC 0x0\nEXIT\n"
     "loop:\nBAR.SYNC 0x0\nBRA loop\n",
     64, 2},
    {"two parts of a warp at different barriers, and a warp that polls", "simt=splits",
     BUFFER FIRST "@!P1 BRA wait\nISETP.LT.AND P0, PT, R0, 0x5, PT\n@P0 BRA one\nBAR.SYNC 0x1\nEXIT\n"
                  "one:\nBAR.SYNC 0x2\nEXIT\nwait:\nLDG.E R5, [R2]\n" AGAIN "EXIT\n",
     64, 1},
    {"two parts of a warp, each in a circle of its own", "simt=splits",
     BUFFER "ISETP.LT.AND P1, PT, R0, 0x5, PT\n@P1 BRA one\n"
            "two:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA two\nEXIT\n"
            "one:\nLDG.E R5, [R2+0x4]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA one\nEXIT\n",
     32, 1},
    {"a store that changes nothing", "",
     BUFFER "wait:\nSTG.E [R2], RZ\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n",
     64, 2},
    {"a loop of nothing", "", "wait:\nBRA wait\n", 64, 2},
    {"a flag, and a sleep between", "",
     BUFFER "MOV R6, 0x64\nwait:\nNANOSLEEP R6\nLDG.E R5, [R2]\n" AGAIN "EXIT\n", 256, 4},
    {"a sleep that doubles", "",
     BUFFER "MOV R6, 0x8\nwait:\nNANOSLEEP R6\nIADD3 R6, R6, R6, RZ\nLDG.E R5, [R2]\n" AGAIN "EXIT\n", 64, 1},
    {"rounds that are counted, for later", "",
     BUFFER "MOV R7, RZ\nwait:\nLDG.E R5, [R2]\nIADD3 R7, R7, 0x1, RZ\n" AGAIN "STG.E [R2+0x4], R7\nEXIT\n",
     64, 2},
    {"rounds that are counted in 64 bits, twice over, and in a product", "",
     BUFFER "MOV R7, 0x3\nMOV R8, RZ\nMOV R9, RZ\nwait:\nLDG.E R5, [R2]\nIADD3 R8, P1, R8, 0x1, RZ\n"
            "IADD3.X R9, R9, RZ, RZ, P1\nIMAD R7, R7, R8, R9\n@P1 IADD3 R7, R7, 0x1, RZ\n" AGAIN
            "STG.E [R2+0x4], R7\nEXIT\n",
     64, 2},
    {"a clock, for later", "",
     BUFFER "wait:\nS2R R7, SR_CLOCKLO\nLDG.E R5, [R2]\n" AGAIN "STG.E [R2+0x4], R7\nEXIT\n", 64, 2},
    {"parts of a warp that count", "simt=splits",
     BUFFER "MOV R7, RZ\nISETP.LT.AND P1, PT, R0, 0x5, PT\n@P1 BRA one\n"
            "wait:\nIADD3 R7, R7, 0x1, RZ\nLDG.E R5, [R2]\n" AGAIN "EXIT\n"
            "one:\nIADD3 R7, R7, 0x2, RZ\nLDG.E R5, [R2+0x4]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA one\n"
            "STG.E [R2+0x4], R7\nEXIT\n",
     32, 1},
};

// Programs that stop waiting after a number of rounds or by the clock, long after the test's limit.
static const struct spinner waiting[] = {
    {"a count that ends it, much later", "",
     BUFFER "MOV R7, RZ\nwait:\nLDG.E R5, [R2]\nIADD3 R7, R7, 0x1, RZ\n" AGAIN_WHILE("R7") "EXIT\n", 64, 2},
    {"a clock that ends it, much later", "",
     BUFFER "wait:\nLDG.E R5, [R2]\nS2R R7, SR_CLOCKLO\n" AGAIN_WHILE("R7") "EXIT\n", 256, 3},
    {"adding nothing, and counting", "",
     BUFFER
     "MOV R7, RZ\nwait:\nATOMG.E.ADD.U32 R5, [R2], RZ\nIADD3 R7, R7, 0x1, RZ\n" AGAIN_WHILE("R7") "EXIT\n",
     32, 1},
    {"a barrier, and one that counts and sleeps", "",
     ".shared 4\n" BUFFER FIRST
     "MOV R7, RZ\nMOV R6, 0x64\n@P1 BRA meet\nwait:\nNANOSLEEP R6\nLDS R5, [RZ]\nIADD3 R7, R7, 0x1, "
     "RZ\n" AGAIN_WHILE("R7") "meet:\nBAR.SYNC 0x0\nEXIT\n",
     96, 2},
};

// Programs that end, some of them after one or several looks, and after as many cycles as the patience of
// waiting programs.
static const struct spinner ending[] = {
    {"registers alone", "",
     "MOV R1, 0x2710\nloop:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\nEXIT\n",
     64, 2},
    {"a flag that is set late", "",
     ".shared 4\n" BUFFER FIRST "MOV R1, 0x1388\n@P1 BRA count\n"
     "wait:\nLDS R5, [RZ]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n"
     "count:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA count\n"
     "STS [RZ], R4\nEXIT\n",
     64, 1},
    {"another SM's flag", "gpu.sm_count=2",
     BUFFER
     "ISETP.EQ.AND P1, PT, R1, RZ, PT\nMOV R1, 0x1388\n@P1 BRA count\n"
     "wait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n"
     "count:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA count\nSTG.E [R2], R4\nEXIT\n",
     32, 2},
    {"a clock", "",
     "S2R R4, SR_CLOCKLO\nloop:\nS2R R5, SR_CLOCKLO\nIADD3 R5, R5, -R4, RZ\n"
     "ISETP.LT.U32.AND P0, PT, R5, 0x4e20, PT\nMOV R5, RZ\n@P0 BRA loop\nEXIT\n",
     64, 1},
    {"a sleep", "",
     ".shared 4\n" BUFFER FIRST "MOV R6, 0x4e20\n@P1 BRA sleep\n"
     "wait:\nLDS R5, [RZ]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n"
     "sleep:\nNANOSLEEP R6\nSTS [RZ], R4\nEXIT\n",
     64, 1},
    {"a count of rounds", "",
     BUFFER "MOV R7, RZ\nwait:\nLDG.E R5, [R2]\nIADD3 R7, R7, 0x1, RZ\nISETP.EQ.AND P0, PT, R5, RZ, PT\n"
            "ISETP.LT.AND P0, PT, R7, 0x64, P0\n@P0 BRA wait\nEXIT\n",
     64, 2},
    {"other words each time", "",
     BUFFER
     "MOV R7, RZ\nwait:\nLOP3.LUT R6, R7, 0x3c, RZ, 0xc0\nIADD3 R8, R2, R6, RZ\nMOV R9, R3\nLDG.E R5, [R8]\n"
     "IADD3 R7, R7, 0x4, RZ\nISETP.EQ.AND P0, PT, R5, RZ, PT\nISETP.LT.AND P0, PT, R7, 0x1000, P0\n"
     "@P0 BRA wait\nEXIT\n",
     64, 2},
    {"a sleep, long after the last read", "",
     BUFFER "LDG.E R5, [R2]\nLDG.E R5, [R2]\nMOV R6, 0x30d40\nNANOSLEEP R6\nSTG.E [R2], R4\nEXIT\n", 64, 1},
    {"memory that counts", "",
     BUFFER "loop:\nATOMG.E.ADD.U32 R5, [R2], R4\nISETP.LT.U32.AND P0, PT, R5, 0x800, PT\nMOV R5, RZ\n@P0 "
            "BRA loop\nEXIT\n",
     32, 1},
    {"arrivals that complete a barrier", "",
     BUFFER FIRST
     "MOV R6, 0x4e20\n@P1 BRA arrive\nBAR.SYNC 0x1, 0x3e0\nSTG.E [R2], R4\nEXIT\n"
     "arrive:\nBAR.ARV 0x1, 0x3e0\nMOV R7, 0x10\ncount:\nIADD3 R7, R7, -0x1, RZ\n"
     "ISETP.NE.AND P0, PT, R7, RZ, PT\n@P0 BRA count\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n"
     "@P0 BRA arrive\nEXIT\n",
     64, 1},
};

static const struct spinner *const tables[] = {
    [SPINNER_ENDS] = ending, [SPINNER_STALLS] = stalled, [SPINNER_WAITS] = waiting};
static const size_t counts[] = {[SPINNER_ENDS] = sizeof ending / sizeof *ending,
                                [SPINNER_STALLS] = sizeof stalled / sizeof *stalled,
                                [SPINNER_WAITS] = sizeof waiting / sizeof *waiting};

const struct spinner *spinner_at(enum spinner_end e, size_t index)
{
    return index < counts[e] ? &tables[e][index] : NULL;
}
