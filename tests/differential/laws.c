#include "differential/laws.h"

#include <inttypes.h>
#include <string.h>

// Sum of the counters named `name`; a name ending in '.' is a prefix.
static uint64_t sum_of(const struct wf_stats *s, const char *name)
{
    size_t length = strlen(name);
    uint64_t sum = 0;
    for (size_t k = 0; k < s->counter_count; k++) {
        const char *own = s->counters[k].name;
        bool is_meant = name[length - 1] == '.' ? str_starts_with(own, name) : strcmp(own, name) == 0;
        if (is_meant && s->counters[k].value != WF_UNKNOWN) sum += s->counters[k].value;
    }
    return sum;
}

enum { TERMS = 6 };

// Pairs of equal sums of counters.
static const struct law {
    const char *left[TERMS], *right[TERMS];
    bool of_crossbar; // holds only if requests go through the crossbar
} laws[] = {
    {{"sm.fetch.fetched", "sm.guest.again"},
     {"sm.issue.issued", "sm.fetch.flushed", "sm.predict.ghosts"},
     false},
    {{"sm.issue.issued"}, {"sm.slots.issued", "sm.issue.beside", "sm.issue.port"}, false},
    {{"sm.lanes.", "sm.issue.spared_lanes"}, {"exec.thread_instructions", "sm.guest.lanes"}, false},
    {{"memory.requests"}, {"memory.replies"}, true},
    {{"memory.requests"},
     {"memory.l2_hits", "memory.l2_pending_hits", "memory.l2_coalesced", "memory.l2_misses",
      "memory.l2_stores", "memory.l2_atomics"},
     true},
};

static uint64_t add(const struct wf_stats *s, const char *const names[TERMS])
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < TERMS && names[k]; k++) sum += sum_of(s, names[k]);
    return sum;
}

static void write_terms(const char *const names[TERMS], struct strbuf *out)
{
    for (unsigned k = 0; k < TERMS && names[k]; k++) strbuf_printf(out, "%s%s", k ? " + " : "", names[k]);
}

static bool is_equal(const struct wf_stats *s, const struct law *law, struct strbuf *why)
{
    uint64_t left = add(s, law->left), right = add(s, law->right);
    if (left == right) return true;
    write_terms(law->left, why);
    strbuf_printf(why, " is %" PRIu64 ", ", left);
    write_terms(law->right, why);
    strbuf_printf(why, " %" PRIu64, right);
    return false;
}

static bool issued_add_up(const struct wf_stats *s, struct strbuf *why)
{
    uint64_t issued = sum_of(s, "sm.issue.issued"), guests = sum_of(s, "sm.guest.issued"),
             parts = sum_of(s, "sm.issue.parts");
    if (issued == s->warp_instructions + s->reused + guests + parts) return true;
    strbuf_printf(why,
                  "%" PRIu64 " issued are not %" PRIu64 " executed, %" PRIu64 " reused, %" PRIu64
                  " of guests and %" PRIu64 " of parts of warps",
                  issued, s->warp_instructions, s->reused, guests, parts);
    return false;
}

static bool slots_add_up(const struct laws *l, struct strbuf *why)
{
    const struct wf_stats *s = l->stats;
    uint64_t slots = sum_of(s, "sm.slots."), active = sum_of(s, "sm.sm.active_cycles");
    if (!l->slots_a_cycle || slots == active * l->slots_a_cycle) return true;
    strbuf_printf(why, "%" PRIu64 " slots in %" PRIu64 " active cycles of %" PRIu64, slots, active,
                  l->slots_a_cycle);
    return false;
}

// The figures of the SMs add up to the chip's.
static bool sms_add_up(const struct wf_stats *s, struct strbuf *why)
{
    uint64_t issued = 0, active = 0;
    for (size_t k = 0; k < s->sm_count; k++) {
        issued += s->sms[k].warp_instructions;
        active += s->sms[k].active_cycles;
    }
    if (issued == sum_of(s, "sm.issue.issued") && active == sum_of(s, "sm.sm.active_cycles")) return true;
    strbuf_printf(why, "SMs have issued %" PRIu64 " in %" PRIu64 " cycles, which is not the launch's", issued,
                  active);
    return false;
}

static uint64_t known(uint64_t value) { return value == WF_UNKNOWN ? 0 : value; }

static bool nothing_is_lost(const struct laws *l, struct strbuf *why)
{
    const struct wf_stats *s = l->stats;
    uint64_t executed = s->warp_instructions, skipped = known(s->skipped), reused = known(s->reused);
    if (l->executions == WF_UNKNOWN || executed + skipped + reused == l->executions) return true;
    strbuf_printf(why,
                  "%" PRIu64 " warp instructions executed, %" PRIu64 " skipped and %" PRIu64
                  " reused are not the %" PRIu64 " of the program",
                  executed, skipped, reused, l->executions);
    return false;
}

// No SM issues more instructions in slots than it has slots; instructions of mechanisms beside the slots
// are not counted.
static bool is_possible(const struct laws *l, struct strbuf *why)
{
    const struct wf_stats *s = l->stats;
    uint64_t in_slots = sum_of(s, "sm.slots.issued");
    if (!l->slots_a_cycle || in_slots <= s->cycles * s->sm_count * l->slots_a_cycle) return true;
    strbuf_printf(why, "%" PRIu64 " instructions issued in %" PRIu64 " cycles", in_slots, s->cycles);
    return false;
}

bool laws_hold(const struct laws *l, struct strbuf *why)
{
    if (l->stats->cycles == WF_UNKNOWN) return nothing_is_lost(l, why);
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++)
        if (!(laws[k].of_crossbar && l->perfect) && !is_equal(l->stats, &laws[k], why)) return false;
    return issued_add_up(l->stats, why) && slots_add_up(l, why) && sms_add_up(l->stats, why) &&
           is_possible(l, why) && nothing_is_lost(l, why);
}
