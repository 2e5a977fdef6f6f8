// The checker's part of an engine (launch.check): every access of a lane is compared with the bytes written so
// far, every barrier with the threads that reached it, and faulty accesses are findings instead of faults.
//
// Calls come from the general handlers, from barriers and from the report of faults. An excused access reads
// zeros and stores nothing, and the launch goes on.
//
// Left out: unwritten texels; accesses beyond an array but inside the block's shared memory or another
// allocation.
#pragma once
#include "exec/exec_impl.h"
#include "exec/race.h"

struct lane_access;
struct race_record;

void checker_create(struct exec *e); // no effect without launch.check
void checker_destroy(struct exec *e);
void checker_block_start(struct cta *c); // once per block; frees the state of the block before
void checker_block_end(struct cta *c);

// Counts a faulty access, and makes *a an access of zeros without effect.
void checker_excuse(struct warp *w, const struct bound *d, enum launch_fault_kind kind, unsigned lane,
                    struct lane_access *a, unsigned bytes, bool is_write);
// A lane's access, before its effect.
void checker_access(struct warp *w, const struct bound *d, unsigned lane, const struct lane_access *a,
                    unsigned bytes, enum race_access access);
// The parts of checker_access, of shared and global memory. checker_word: bits of the 64 bytes around an address (is_write:
// made; else NULL: none is written). checker_reads: reads of unwritten bytes of the space are findings. checker_acted: the
// lanes have stored.
uint64_t *checker_word(struct warp *w, enum isa_space space, uint64_t address, bool is_write);
bool checker_reads(const struct warp *w, enum isa_space space);
void checker_acted(struct warp *w, uint64_t lanes);
void checker_members(struct warp *w, const struct bound *d, unsigned lane, uint64_t members);
// All warps at the barrier are about to be released.
void checker_barrier(struct cta *c, unsigned number);
// Two racing accesses, of launches `l` and `other`, to an address of shared or of global memory.
// A copy by cp.async for which its thread never waits.
void checker_open_copy(struct warp *w, uint32_t inst, unsigned lane);
// A product by wgmma: its warp never waits; its factors in shared memory have changed before the wait.
void checker_open_product(struct warp *w, uint32_t inst);
void checker_changed_factor(struct warp *w, uint32_t inst);
// An arrival at an mbarrier of the block `at`, or a completion of bytes; a copy's completion. At its end a block has no bytes open.
void checker_arrived(struct warp *w, const struct bound *d, unsigned lane, struct cta *at, uint32_t barrier);
void checker_changed(const struct cta *c, uint32_t barrier);
// The async proxy reads shared memory that an instruction has written, without a fence.proxy.async behind the write.
void checker_unseen(struct warp *w, const struct bound *d, unsigned lane, const struct race_record *write);
void checker_unordered_product(struct warp *w, const struct bound *d); // by the marks of the compiler
void checker_race(const struct launch *l, bool is_shared, uint64_t address, const struct race_record *before,
                  bool before_writes, const struct launch *other, const struct race_record *now,
                  bool now_writes);
// Turns the launch's fault, if any, into a finding.
void checker_fault(struct exec *e);
