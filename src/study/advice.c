// From the repeated work of a source line to advice for the author. Each piece of advice saves a part of the
// repeated work, by its kind. Except for hoisting, only repetition proved by a mark counts. Right column: the
// saving (f: repeated executions of the kind; W: warps of a block).
//
//     hoist       repeats the warp's previous iteration              all of it
//     argument    from arguments, dimensions, __constant__ alone;    all of it
//                 every whole-warp execution counts as repeated
//     constant    one word loaded by all threads                     f (1 - 1/W)
//     stage       words loaded by all warps, one a lane              f (1 - 1/W)
//     keep, rows, scalar: computed or read alike by all warps;       f (1 - 1/K), K = min(W, 4)
//                 one thread does the work of K
#include "study/explain.h"

static uint64_t if_done_in_rows(uint64_t saved, uint32_t warps)
{
    if (warps < 2) return 0;
    uint32_t rows = warps < EXPLAIN_ROWS ? warps : EXPLAIN_ROWS;
    double all = 1 - 1 / (double)warps, some = 1 - 1 / (double)rows;
    return (uint64_t)((double)saved * some / all);
}

void explain_choose(const struct explain_line *l, uint32_t warps,
                    struct explain_choice choices[EXPLAIN_CHOICES])
{
    const uint64_t *w = l->saved_work;
    uint64_t compute = w[WORK_INTEGER] + w[WORK_FLOAT] + w[WORK_COMPARE] + w[WORK_INDEX] + w[WORK_LOCAL];
    uint64_t by_lane = l->proved ? compute * l->proved_lanes / l->proved : 0,
             loads = w[WORK_GLOBAL] + w[WORK_TEXTURE];
    const struct explain_choice all[] = {
        {ADVICE_HOIST, l->again},
        {ADVICE_ARGUMENT, l->from_arguments},
        {ADVICE_CONSTANT, loads - l->saved_loads_by_lane},
        {ADVICE_STAGE, l->saved_loads_by_lane},
        {ADVICE_KEEP, if_done_in_rows(w[WORK_SHARED], warps)},
        {ADVICE_ROWS, if_done_in_rows(by_lane, warps)},
        {ADVICE_SCALAR, if_done_in_rows(compute - by_lane + w[WORK_CONSTANT], warps)},
    };
    for (unsigned c = 0; c < EXPLAIN_CHOICES; c++) {
        choices[c] = (struct explain_choice){ADVICE_NONE, 0};
        for (unsigned k = 0; k < sizeof all / sizeof all[0]; k++)
            if (all[k].saves > choices[c].saves && (c == 0 || all[k].advice != choices[0].advice))
                choices[c] = all[k];
    }
}

const char *explain_advice_text(enum explain_advice a)
{
    switch (a) {
    case ADVICE_NONE:
    case ADVICE_COUNT: break;
    case ADVICE_HOIST:
        return "hoist: the loop repeats the result of the iteration before; compute the value once, in front "
               "of the loop";
    case ADVICE_ARGUMENT:
        return "pass the value as an argument: it depends on arguments and dimensions alone, so the host can "
               "compute the value once "
               "(for a divisor, the reciprocal)";
    case ADVICE_CONSTANT:
        return "every thread of a block loads the same words: keep the words in __constant__ memory, or load "
               "the words "
               "once "
               "a block into shared memory";
    case ADVICE_STAGE:
        return "every warp of a block loads the same words: load the words once per block into shared memory";
    case ADVICE_KEEP:
        return "every warp reads the same words of shared memory: let a thread compute 4 results and keep "
               "the "
               "word in a register for all 4";
    case ADVICE_ROWS:
        return "the value depends on the column, not on the row: let a thread do 4 rows and compute the "
               "value once for "
               "all 4";
    case ADVICE_SCALAR:
        return "scalarise: the whole block has the same value; let a thread do 4 elements and compute the "
               "value "
               "once for all 4";
    }
    return "";
}

// -- what it is ---------------------------------------------------------------------------------------------

static const char *const works[WORK_COUNT] = {
    "integer arithmetic",       "floating-point arithmetic", "comparisons",
    "thread and block indices", "loads of constants",        "loads from global memory",
    "loads from shared memory", "loads from local memory",   "texture fetches"};

void explain_what(const struct explain_line *l, struct strbuf *out)
{
    bool shown[WORK_COUNT] = {false};
    if (!l->repeated) return;
    for (unsigned n = 0; n < 3; n++) {
        unsigned best = WORK_COUNT;
        for (unsigned k = 0; k < WORK_COUNT; k++)
            if (!shown[k] && l->work[k] && (best == WORK_COUNT || l->work[k] > l->work[best])) best = k;
        if (best == WORK_COUNT || (n && 20 * l->work[best] < l->repeated)) break;
        shown[best] = true;
        strbuf_printf(out, "%s%s", n ? ", " : "", works[best]);
        if (l->work[best] < l->repeated)
            strbuf_printf(out, " %.0f %%", 100 * (double)l->work[best] / (double)l->repeated);
    }
    uint64_t uniform = l->repeated - l->lanes;
    if (10 * l->lanes < l->repeated)
        strbuf_puts(out, "; the same value in all threads of the block");
    else if (10 * uniform < l->repeated)
        strbuf_puts(out, "; a value per lane, the same in every warp");
    else
        strbuf_printf(
            out,
            "; %.0f %% the same value in all threads of the block, the rest a value per lane, the same "
            "in every warp",
            100 * (double)uniform / (double)l->repeated);
}

static void add_word(struct strbuf *out, const char *word)
{
    strbuf_printf(out, "%s%s", out->length ? ", " : "", word);
}

void explain_from(const struct explain_line *l, struct strbuf *out)
{
    static const struct {
        uint32_t leaf;
        const char *word;
    } words[] = {{LEAF_TID_X, "threadIdx.x"},          {LEAF_TID_Y, "threadIdx.y"},
                 {LEAF_TID_Z, "threadIdx.z"},          {LEAF_BLOCK_INDEX, "blockIdx"},
                 {LEAF_SHAPE, "blockDim and gridDim"}, {LEAF_CONSTANT, "__constant__ memory"},
                 {LEAF_LOOP, "a loop's counter"},      {LEAF_GLOBAL, "global memory"},
                 {LEAF_SHARED, "shared memory"},       {LEAF_LOCAL, "local memory"},
                 {LEAF_TEXTURE, "textures"},           {LEAF_MACHINE, "lanes and special registers"},
                 {LEAF_CALL, "function calls"}};
    struct strbuf text = {0};
    unsigned arguments = (unsigned)__builtin_popcountll(l->leaves.params), n = 0;
    for (unsigned k = 0; k < sizeof words / sizeof words[0]; k++)
        if (l->leaves.from & words[k].leaf) add_word(&text, words[k].word);
    if (arguments) add_word(&text, arguments > 1 ? "arguments " : "argument ");
    for (unsigned k = 0; k < 64; k++)
        if (l->leaves.params >> k & 1) {
            strbuf_printf(&text, "%s%u", !n ? "" : n + 1 == arguments ? " and " : ", ", k);
            n++;
        }
    if (!text.length) strbuf_puts(&text, "constants alone");
    strbuf_write(out, text.text, text.length);
    strbuf_fini(&text);
}

void explain_why(const struct explain_line *l, const struct explain_kernel *k, const uint32_t block[3],
                 struct strbuf *out)
{
    double proved = l->repeated ? (double)l->proved / (double)l->repeated : 0;
    if (proved > 0) {
        if (proved < 0.995) strbuf_printf(out, "%.0f %% is ", 100 * proved);
        strbuf_puts(out, "provable");
        if (l->conditional)
            strbuf_printf(out, " in blocks whose x divides the warp size, as %u does", block[0]);
        else
            strbuf_puts(out, " in every block");
    }
    if (proved >= 0.995) return;
    const struct explain_inst *e = &k->insts[l->unproved];
    strbuf_printf(out, "%s not provable, but happened in this run: ",
                  proved > 0 ? "; the rest is" : "the repetition is");
    if (e->mark == MARK_CONDITIONAL)
        strbuf_printf(out, "the value depends on %s (%s), different in the warps of this block", e->root,
                      e->root_line);
    else
        strbuf_printf(out, "the value %s", e->reason);
}
