// Types and functions shared by the files of the oracle.
//
//     oracle.c  launches, blocks, whose turn it is      integer.c  integer and bit instructions
//     step.c    control flow, moves, one instruction    real.c     floating-point instructions
//     access.c  addresses, loads, stores, atomics       convert.c  cvt
//     group.c   lanes of a warp together, barriers      number.c   formats, exact rounding
//     texture.c texture fetches                         print.c    vprintf
//     check.c   strict launches: is the program well defined?
#pragma once
#include "base/bits.h"
#include "base/str.h"
#include "base/vec.h"
#include "oracle/oracle.h"

enum { // generic address windows: equal to the simulated machine's, so that addresses can be compared
    WINDOW_SHARED = 0xfe000000u,
    WINDOW_LOCAL = 0xff000000u
};
#define WINDOWS_END     0x100000000ull
#define ADDRESS_CONST   0x500000000000ull // .const variables: no other space uses these addresses
#define ADDRESS_PARAM   0x600000000000ull // a kernel's parameter block
#define ADDRESS_CODE    0x700000000000ull // function f is ADDRESS_CODE + 16 * its index in the module
#define ADDRESS_GLOBAL  0x400000000000ull // .global variables without oracle_place
#define LOCAL_BYTES_MAX (4u << 20)

struct oracle_region {
    uint64_t address, size;
    uint8_t *bytes;
    bool read_only;
    const struct ptx_variable *variable; // or NULL
    struct oracle_cell *cells;           // strict: one per byte
};

// The last accesses of a byte of shared or global memory. Threads are numbered from 1 over the whole grid.
struct oracle_cell {
    uint32_t writer, reader; // SEVERAL readers
    uint32_t write_epoch, read_epoch;
    uint16_t atomic; // the writer's atomic operation, 0 = plain
    bool defined;
};

enum oracle_access { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC /* + operation */ };

struct oracle {
    const struct ptx_module *m;
    struct arena arena;
    VEC(struct oracle_region) regions;
    VEC(struct oracle_texture) textures;
    // variable (.local, .param, .shared) -> byte offset in the frame, the shared memory or the parameters
    struct u64map offsets;
    struct u64map frame_bytes; // function -> bytes of .local and .param variables
    uint32_t shared_static;
    uint64_t next_global, next_const;
    bool variables_ready;
    struct strbuf error;
    uint64_t steps;
};

struct oracle_frame {
    const struct ptx_function *f;
    uint64_t *regs;   // one 64-bit value per register
    uint64_t *high;   // upper halves of .b128 registers
    uint8_t *defined; // strict: registers written so far
    uint32_t base;    // of the frame's variables in local memory
    uint32_t pc;
};

enum oracle_state { THREAD_READY, THREAD_GROUP, THREAD_BARRIER, THREAD_EXITED };

struct oracle_thread {
    struct oracle_block *block;
    uint32_t tid[3], index, lane, warp;
    enum oracle_state state;
    VEC(struct oracle_frame) frames;
    VEC(uint8_t) local;
    VEC(uint8_t) local_defined;
    bool carry, carry_defined; // CC.CF
    uint32_t barrier;          // number waited at, in state THREAD_BARRIER
};

struct oracle_barrier {
    uint32_t expected; // threads; 0: the whole block
    bool in_use;
    VEC(uint32_t) waiting; // threads stopped at the barrier
    VEC(uint32_t) arrived; // threads that arrived, waiting or not
    uint32_t ones, votes;  // of red
};

struct oracle_block {
    struct oracle *o;
    const struct oracle_launch *l;
    uint32_t ctaid[3];
    uint32_t thread_count, warp_size, warp_count;
    struct oracle_thread *threads;
    uint8_t *shared;
    uint32_t shared_bytes;
    struct oracle_cell *cells; // strict: of shared memory
    uint32_t epoch;            // barriers passed, plus 1
    struct oracle_barrier barriers[16];
    bool failed;
};

// YIELD: as NEXT, and the turn ends.
enum oracle_step { STEP_NEXT, STEP_YIELD, STEP_JUMPED, STEP_GROUP, STEP_BARRIER, STEP_EXIT, STEP_FAULT };

static inline struct oracle_frame *top(struct oracle_thread *t) { return &vec_last(&t->frames); }

// check.c: nothing happens unless the launch is strict. False after a fault.
bool oracle_check_register(struct oracle_thread *t, int32_t reg); // about to be read
bool oracle_check_carry(struct oracle_thread *t);
bool oracle_check_access(struct oracle_thread *t, struct oracle_cell *cells, uint64_t size, unsigned access);
bool oracle_check_local(struct oracle_thread *t, uint64_t offset, uint64_t size, unsigned access);
bool oracle_check_lane(struct oracle_thread *t, bool present);

// step.c
enum oracle_step oracle_step(struct oracle_thread *t); // executes the instruction at pc
enum oracle_step oracle_fault(struct oracle_thread *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
uint64_t oracle_read(struct oracle_thread *t, const struct ptx_operand *op, enum ptx_type type);
// The value extended by the type's sign to the register's width.
void oracle_write(struct oracle_thread *t, const struct ptx_operand *op, enum ptx_type type, uint64_t value);
bool oracle_read_pred(struct oracle_thread *t, const struct ptx_operand *op);
uint64_t oracle_truncate(uint64_t v, unsigned bits);
int64_t oracle_extend(uint64_t v, unsigned bits); // sign
bool oracle_guard(struct oracle_thread *t, const struct ptx_inst *i);

// oracle.c
void oracle_push_frame(struct oracle_thread *t, const struct ptx_function *f);
uint32_t oracle_offset_of(struct oracle *o, const struct ptx_variable *v);

// access.c
//
// Address in the variable's own space.
uint64_t oracle_address_of(struct oracle_thread *t, const struct ptx_variable *v);
// Host bytes of an access, or NULL after a fault.
uint8_t *oracle_host(struct oracle_thread *t, enum ptx_space space, uint64_t address, uint64_t size,
                     unsigned access);
void oracle_set_register(struct oracle_thread *t, int32_t reg, uint64_t v);
uint64_t oracle_get_register(struct oracle_thread *t, int32_t reg);
uint64_t oracle_to_generic(enum ptx_space space, uint64_t address);
enum oracle_step oracle_load(struct oracle_thread *t, const struct ptx_inst *i);
enum oracle_step oracle_store(struct oracle_thread *t, const struct ptx_inst *i);
enum oracle_step oracle_atom(struct oracle_thread *t, const struct ptx_inst *i);
enum oracle_step oracle_cp_async(struct oracle_thread *t, const struct ptx_inst *i);
uint64_t oracle_memory_address(struct oracle_thread *t, const struct ptx_operand *op, enum ptx_space *space);

// mbarrier.c
enum oracle_step oracle_mbarrier(struct oracle_thread *t, const struct ptx_inst *i);
enum oracle_step oracle_copy_arrive(struct oracle_thread *t,
                                    const struct ptx_inst *i); // cp.async.mbarrier.arrive

// integer.c, real.c, convert.c: false when the instruction is not theirs
bool oracle_integer(struct oracle_thread *t, const struct ptx_inst *i);
bool oracle_real(struct oracle_thread *t, const struct ptx_inst *i);
bool oracle_compare(struct oracle_thread *t, const struct ptx_inst *i); // set, setp, slct, selp
void oracle_convert(struct oracle_thread *t, const struct ptx_inst *i);

// group.c
bool oracle_is_group(const struct ptx_inst *i);
bool oracle_run_groups(struct oracle_block *b, uint32_t warp); // true when some group of the warp could go on
enum oracle_step oracle_bar(struct oracle_thread *t, const struct ptx_inst *i);
bool oracle_run_barriers(struct oracle_block *b);

// texture.c, print.c
enum oracle_step oracle_tex(struct oracle_thread *t, const struct ptx_inst *i);
enum oracle_step oracle_txq(struct oracle_thread *t, const struct ptx_inst *i);
enum oracle_step oracle_vprintf(struct oracle_thread *t, uint64_t format, uint64_t arguments);
