// Several workloads at once on a chip, and the slowdown of every workload.
//
// Workloads are first recorded (workload/tape.h), in the context of the later mix. The tapes are then
// played side by side, in separate streams, on separate or shared SMs:
//
//   place 1  ├─ A ────────────────────────────────────┤          a single pass
//   place 2  ├─ B ──────┼─ B again ──┼─ B again ──┼─ B …         passes until the longest first pass ends
//
// A shorter workload is replayed from the start, including host writes, to give the longest workload
// neighbours during the whole run (Xiang, section 4.5). Figures describe first passes. No time passes between
// launches of a workload, as in a run alone.
#pragma once
#include "api/warpfold.h"
#include "workload/tape.h"

enum { MIX_PARTS_MAX = 8 };

struct mix_place {
    uint32_t first, count; // SM numbers; count 0: all SMs
};

// Sums over the launches of a pass.
struct mix_run {
    uint64_t cycles; // sum of wf_stats.elapsed: launch latency included
    uint64_t launches, warp_instructions, thread_instructions;
    double energy_pj;
};
void mix_run_add(struct mix_run *run, const struct wf_stats *launch);
double mix_ipc(const struct mix_run *run); // thread instructions per cycle, as in GPGPU-Sim

struct mix_part {
    const char *name;
    const struct tape *tape;
    // plays the part's launches on the part's SMs (place); a separate stream per part
    struct wf_stream *stream;
    bool is_exact; // outputs do not depend on thread order (output class D), and are compared
    // Written by mix_play.
    struct mix_run run; // the first pass
    uint64_t passes;    // complete passes
    uint64_t compared;  // bytes of outputs compared with the recording in all passes, if is_exact
    uint64_t different; // of `compared`: bytes that differ from the recorded output
};

// Plays the parts in the context of the recording, with no other launch under way, until every part has
// finished a pass. WF_MISMATCH: an output differs. Later passes may still be under way at return.
// After a mix of several parts, the context is usable only for wf_context_destroy.
enum wf_status mix_play(struct wf_context *c, struct mix_part *parts, size_t count);

// -- figures ------------------------------------------------------------------------------------------------
// For parts with known cycles alone and together.
struct mix_shares {
    // mean over parts of time alone / time together; 1: no slowdown (Xiang's dissertation, section 4.5)
    double weighted_speedup;
    // sum over parts of time alone / time together (STP: Eyerman and Eeckhout, IEEE Micro 2008)
    double throughput;
    double turnaround; // mean over parts of time together / time alone (ANTT, ibidem)
    // smallest ratio of time alone to time together over the largest; 1: all parts are slowed down equally
    double fairness;
    double energy_pj; // of all first passes
};
// progress[k]: speed of part k in the mix, relative to the part's speed alone.
struct mix_shares mix_figures(const struct mix_part *parts, const double *progress, size_t count);

// -- steering -----------------------------------------------------------------------------------------------
// Resource needs of a workload, for steering: of the launch with the most instructions (Xiang, section 4.5).
struct mix_need {
    uint32_t warps;             // warps resident on an SM, in the class of SMs with the most
    uint64_t threads;           // of the grid
    uint64_t warp_instructions; // of the launch
};
void mix_need_note(struct mix_need *need, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                   const struct wf_stats *stats);
// Whether a workload is latency-bound: fewer than 16 warps per SM, or a grid of at most 32,768 threads.
bool mix_is_latency_bound(const struct mix_need *need);
// Places on classes `ilp` and `tlp` of the context's GPU: latency-bound workloads on ilp, others on tlp. With
// two or more workloads no class stays empty: an empty ilp gets the workload with the fewest warps, an empty
// tlp the workload with the most. False: the GPU lacks the classes.
bool mix_steer(struct wf_context *c, const struct mix_need *needs, size_t count, struct mix_place *places);
// Splits the GPU's SMs into `count` ranges; with a remainder, the first ranges are larger by an SM.
void mix_split(uint32_t sms, size_t count, struct mix_place *places);
