// Several workloads on one chip at once, and what that costs each of them.
//
// Each workload is recorded first (workload/tape.h), in the context in which they will run together; the tapes are then
// played side by side, each in a stream of its own, on SMs of its own or on the same ones:
//
//     place 1  ├─ A ────────────────────────────────────┤          one pass
//     place 2  ├─ B ──────┼─ B again ──┼─ B again ──┼─ B …         passes until the longest has ended its first
//
// A shorter one is played again from its beginning, with all that its host wrote written again, so that the longest has
// its neighbours as long as it runs (Xiang, section 4.5). Figures are of first passes. No time passes between a workload's
// launches, as none does when it runs alone.
#pragma once
#include "api/warpfold.h"
#include "workload/tape.h"

enum { MIX_PARTS_MAX = 8 };

struct mix_place {
    uint32_t first, count; // SMs; count 0: all
};

struct mix_run {     // of one pass; sums over its launches
    uint64_t cycles; // each from when its first block could start
    uint64_t launches, warp_instructions, thread_instructions;
    double energy_pj;
};
void mix_run_add(struct mix_run *run, const struct wf_stats *launch);
double mix_ipc(const struct mix_run *run); // thread instructions a cycle, as GPGPU-Sim counts

struct mix_part {
    const char *name;
    const struct tape *tape;
    struct wf_stream *stream; // has its place; one for each part
    bool is_exact;            // what it writes does not depend on the order of its threads (output class D)
    // What mix_play says.
    struct mix_run run; // the first pass
    uint64_t passes;    // whole ones
    uint64_t compared;  // bytes of outputs in all passes, if it is exact
    uint64_t different; // of these, from what was recorded
};

// Plays all of them in the context in which they were recorded, with nothing else under way, until each has ended its
// first pass. WF_MISMATCH: an output differs. Launches of others may be under way when it returns: a context in which
// several have been played is good for no more than wf_context_destroy.
enum wf_status mix_play(struct wf_context *c, struct mix_part *parts, size_t count);

// -- figures ------------------------------------------------------------------------------------------------
struct mix_shares {          // of parts whose cycles alone and together are known
    double weighted_speedup; // mean of alone / together: 1 if nobody minds (Xiang, section 4.5)
    double throughput;       // their sum (STP: Eyerman and Eeckhout, IEEE Micro 2008)
    double turnaround;       // mean of together / alone (ANTT, ibidem)
    double fairness;         // the least of alone / together over the greatest: 1 if all mind alike
    double energy_pj;        // of all first passes
};
// progress[k]: the speed of part k together as a share of its speed alone.
struct mix_shares mix_figures(const struct mix_part *parts, const double *progress, size_t count);

// -- steering -----------------------------------------------------------------------------------------------
// What a workload's launch with the most instructions can use, by which it is steered (Xiang, section 4.5).
struct mix_need {
    uint32_t warps;             // that an SM holds at once, of the class that holds the most
    uint64_t threads;           // of the grid
    uint64_t warp_instructions; // of that launch
};
void mix_need_note(struct mix_need *need, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                   const struct wf_stats *stats);
bool mix_is_latency_bound(
    const struct mix_need *need); // fewer than 16 warps an SM, or at most 32,768 threads
// Places of classes `ilp` and `tlp` of the context's GPU: latency-bound ones on the first, others on the second. Of two
// or more no class stays without: the first is given the one with the fewest warps, the second the one with the most.
// False: it has not these two classes.
bool mix_steer(struct wf_context *c, const struct mix_need *needs, size_t count, struct mix_place *places);
// SMs of the GPU in equal ranges, the first ones one SM larger where that does not come out even.
void mix_split(uint32_t sms, size_t count, struct mix_place *places);
