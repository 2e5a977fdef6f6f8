// Timing of wgmma: chains by type and shape, completion, swizzles, sparsity, neighbours on the SM, setmaxnreg.
//
// A kernel runs `rounds` groups of 8 wgmma on the same accumulator; every group is committed and at most one group
// stays pending. The interval is the slope between two counts of rounds, so neither start nor completion is in it.
#include "parts.cuh"

// Accumulator lists: the first 2, 4, 6, ... of d0 to d127.
#define TEN(t) "d" t "0,d" t "1,d" t "2,d" t "3,d" t "4,d" t "5,d" t "6,d" t "7,d" t "8,d" t "9"
#define D10    "d0,d1,d2,d3,d4,d5,d6,d7,d8,d9"
#define D2     "d0,d1"
#define D4     D2 ",d2,d3"
#define D6     D4 ",d4,d5"
#define D8     D6 ",d6,d7"
#define D12    D10 ",d10,d11"
#define D16    D12 ",d12,d13,d14,d15"
#define D20    D10 "," TEN("1")
#define D24    D20 ",d20,d21,d22,d23"
#define D30    D20 "," TEN("2")
#define D32    D30 ",d30,d31"
#define D40    D30 "," TEN("3")
#define D48    D40 ",d40,d41,d42,d43,d44,d45,d46,d47"
#define D32_63 "d32,d33,d34,d35,d36,d37,d38,d39," TEN("4") "," TEN("5") ",d60,d61,d62,d63"
#define D60    D40 "," TEN("4") "," TEN("5")
#define D64    D60 ",d60,d61,d62,d63"
#define D90    D60 "," TEN("6") "," TEN("7") "," TEN("8")
#define D96    D90 ",d90,d91,d92,d93,d94,d95"
#define D128   D90 "," TEN("9") "," TEN("10") "," TEN("11") ",d120,d121,d122,d123,d124,d125,d126,d127"

#define TWICE(text) text text
#define EIGHT(text) TWICE(TWICE(TWICE(text)))

// Text of a wgmma. `m` is "m64nNkK.types", `d` the accumulators, `tail` what follows scale-d.
#define SS(m, d, tail)    "wgmma.mma_async.sync.aligned." m " {" d "}, da, db, p" tail ";\n"
#define RS(m, d, tail)    "wgmma.mma_async.sync.aligned." m " {" d "}, {a0,a1,a2,a3}, db, p" tail ";\n"
#define SP_SS(m, d, tail) "wgmma.mma_async.sp.sync.aligned." m " {" d "}, da, db, e0, 0, p" tail ";\n"
#define SP_RS(m, d, tail)                                                                                    \
    "wgmma.mma_async.sp.sync.aligned." m " {" d "}, {a0,a1,a2,a3}, db, e0, 0, p" tail ";\n"

// Start of a loop. Its step comes from memory: ptxas would unroll a constant step to 64 wgmma and compile for minutes.
#define AGAIN    "again:\n"
#define FENCE    "wgmma.fence.sync.aligned;\n"
#define COMMIT   "wgmma.commit_group.sync.aligned;\n"
#define WAIT(n)  "wgmma.wait_group.sync.aligned " n ";\n"
#define CLOCK(t) "mov.u64 " t ", %%clock64;\n"

// Layout of both operands: bits of a descriptor above the start address.
struct layout {
    const char *name;
    unsigned long long bits;
};

constexpr unsigned long long layout_bits(unsigned leading, unsigned stride, unsigned swizzle)
{
    return ((unsigned long long)(leading >> 4) << 16) | ((unsigned long long)(stride >> 4) << 32) |
           ((unsigned long long)swizzle << 62);
}

constexpr layout swizzle_128 = {"swizzle 128", layout_bits(16, 1024, 1)};

constexpr int shared_bytes = 64 * 1024;
constexpr unsigned metadata = 0x44444444; // first and second of every four: valid for every sparse type

// Fills the shared memory with zeros and a word of metadata, and hands it to the asynchronous proxy. Returns the
// descriptor of A of the thread's warpgroup; B begins 32 KiB behind the base, shared by all warpgroups.
__device__ __forceinline__ unsigned long long operands(unsigned long long bits, unsigned long long &b)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    for (int i = (int)threadIdx.x; i < shared_bytes / 4; i += (int)blockDim.x)
        ((unsigned *)memory)[i] = i % 2048 == 4 ? metadata : i % 2048 == 5;
    fence_async();
    __syncthreads();
    unsigned base = card_shared_address(memory),
             group = __shfl_sync(0xffffffff, threadIdx.x >> 7, 0); // uniform
    b = bits | (((base + 32768) & 0x3ffff) >> 4);
    return bits | (((base + group * 8192) & 0x3ffff) >> 4);
}

// What a warpgroup reports: clock before the first wgmma, after the last has been issued, after the last wait.
struct times {
    long long start, issued, end, value;
};

// Declares registers of a kernel's body; operands %0 to %3 are results, %4 and on inputs. Fragments of A come from
// shared memory: ptxas would make constants anew before every wgmma.
#define REGISTERS(r)                                                                                         \
    "{\n.reg ." r " d<128>;\n.reg .b32 a<4>, e0, i, one;\n.reg .b64 da, db, t<4>;\n.reg .pred p, q;\n"       \
    "mov.b64 da, %4;\nmov.b64 db, %5;\nsetp.ne.u32 p, %6, 0;\nmov.u32 i, %7;\n"                              \
    "ld.volatile.shared.v4.b32 {a0,a1,a2,a3}, [%8];\nld.volatile.shared.b32 e0, "                            \
    "[%8+16];\nld.volatile.shared.b32 one, [%8+20];\n"

#define RESULTS(convert) "mov.b64 %0, t0;\nmov.b64 %1, t1;\nmov.b64 %2, t2;\n" convert "}\n"
#define FROM_32          "mov.b32 i, d0;\ncvt.u64.u32 %3, i;\n"

#define OPERANDS(out, da, db, scale, rounds)                                                                 \
    : "=l"(out.start), "=l"(out.issued), "=l"(out.end), "=l"(out.value)                                        \
    : "l"(da), "l"(db), "r"(scale), "r"(rounds), "r"((unsigned)(da & 0x3fff) << 4)                              \
    : "memory"

#define BODY(name, ...)                                                                                      \
    __global__ void name(times *out, unsigned long long bits, unsigned scale, int rounds)                    \
    {                                                                                                        \
        unsigned long long db, da = operands(bits, db);                                                      \
        times t;                                                                                             \
        asm volatile(__VA_ARGS__ OPERANDS(t, da, db, scale, rounds));                                        \
        if (threadIdx.x % 128 == 0) out[blockIdx.x * (blockDim.x >> 7) + (threadIdx.x >> 7)] = t;            \
    }

// `rounds` groups of eight, at most one group pending.
#define CHAIN(name, r, text)                                                                                 \
    BODY(name, REGISTERS(r) CLOCK("t0") AGAIN FENCE EIGHT(text)                                              \
                   COMMIT WAIT("1") "sub.u32 i, i, one;\nsetp.ne.u32 q, i, 0;\n@q bra again;\n" CLOCK("t1")  \
                       WAIT("0") CLOCK("t2") RESULTS(FROM_32))

// One group of a fixed count of wgmma: issue and completion.
#define GROUP(name, r, texts)                                                                                \
    BODY(name, REGISTERS(r) FENCE CLOCK("t0") texts COMMIT CLOCK("t1") WAIT("0") CLOCK("t2") RESULTS(FROM_32))

// A fence, a commit and a full wait around every wgmma.
#define WAITED(name, r, text)                                                                                \
    BODY(name, REGISTERS(r) CLOCK("t0") AGAIN EIGHT(FENCE text COMMIT WAIT(                                  \
                   "0")) "sub.u32 i, i, one;\nsetp.ne.u32 q, i, 0;\n@q bra again;\n" CLOCK("t1") CLOCK("t2") \
                   RESULTS(FROM_32))

// A fence before every wgmma, no wait.
#define FENCED(name, r, text)                                                                                \
    BODY(name, REGISTERS(r) CLOCK("t0") AGAIN EIGHT(FENCE text)                                              \
                   COMMIT WAIT("1") "sub.u32 i, i, one;\nsetp.ne.u32 q, i, 0;\n@q bra again;\n" CLOCK("t1")  \
                       WAIT("0") CLOCK("t2") RESULTS(FROM_32))

// A commit behind every wgmma, at most eight groups pending.
#define COMMITTED(name, r, text)                                                                             \
    BODY(name, REGISTERS(r) CLOCK("t0") AGAIN FENCE EIGHT(text COMMIT)                                       \
                   WAIT("7") "sub.u32 i, i, one;\nsetp.ne.u32 q, i, 0;\n@q bra again;\n" CLOCK("t1")         \
                       WAIT("0") CLOCK("t2") RESULTS(FROM_32))

#define T16  ", 1, 1, 0, 0"
#define T16R ", 1, 1, 0"
#define T8   ", 1, 1"

// Both chains of a type and a width. k: depth; d32/d16: accumulators of 32-bit and of f16 results.
#define WIDTH(n, d32, d16)                                                                                   \
    CHAIN(f16_ss_##n, "f32", SS("m64n" #n "k16.f32.f16.f16", d32, T16))                                      \
    CHAIN(f16_rs_##n, "f32", RS("m64n" #n "k16.f32.f16.f16", d32, T16R))                                     \
    CHAIN(half_ss_##n, "b32", SS("m64n" #n "k16.f16.f16.f16", d16, T16))                                     \
    CHAIN(half_rs_##n, "b32", RS("m64n" #n "k16.f16.f16.f16", d16, T16R))                                    \
    CHAIN(bf16_ss_##n, "f32", SS("m64n" #n "k16.f32.bf16.bf16", d32, T16))                                   \
    CHAIN(bf16_rs_##n, "f32", RS("m64n" #n "k16.f32.bf16.bf16", d32, T16R))                                  \
    CHAIN(tf32_ss_##n, "f32", SS("m64n" #n "k8.f32.tf32.tf32", d32, T8))                                     \
    CHAIN(tf32_rs_##n, "f32", RS("m64n" #n "k8.f32.tf32.tf32", d32, T8))                                     \
    CHAIN(e4m3_ss_##n, "f32", SS("m64n" #n "k32.f32.e4m3.e4m3", d32, T8))                                    \
    CHAIN(e4m3_rs_##n, "f32", RS("m64n" #n "k32.f32.e4m3.e4m3", d32, T8))                                    \
    CHAIN(e5m2_ss_##n, "f32", SS("m64n" #n "k32.f32.e5m2.e5m2", d32, T8))                                    \
    CHAIN(e5m2_rs_##n, "f32", RS("m64n" #n "k32.f32.e5m2.e5m2", d32, T8))                                    \
    CHAIN(s8_ss_##n, "s32", SS("m64n" #n "k32.s32.s8.s8", d32, ""))                                          \
    CHAIN(s8_rs_##n, "s32", RS("m64n" #n "k32.s32.s8.s8", d32, ""))                                          \
    CHAIN(b1_ss_##n, "s32", SS("m64n" #n "k256.s32.b1.b1.and.popc", d32, ""))                                \
    CHAIN(b1_rs_##n, "s32", RS("m64n" #n "k256.s32.b1.b1.and.popc", d32, ""))

WIDTH(8, D4, D2)
WIDTH(16, D8, D4)
WIDTH(24, D12, D6)
WIDTH(32, D16, D8)
WIDTH(64, D32, D16)
WIDTH(96, D48, D24)
WIDTH(128, D64, D32)
WIDTH(192, D96, D48)
WIDTH(256, D128, D64)

// Two accumulators in turn; the result needs both.
#define FROM_BOTH "mov.b32 i, d0;\nmov.b32 e0, d32;\nxor.b32 i, i, e0;\ncvt.u64.u32 %3, i;\n"
#define TWO(name, first, second)                                                                             \
    BODY(name, REGISTERS("f32") CLOCK("t0") AGAIN FENCE EIGHT(first second)                                  \
                   COMMIT WAIT("1") "sub.u32 i, i, one;\nsetp.ne.u32 q, i, 0;\n@q bra again;\n" CLOCK("t1")  \
                       WAIT("0") CLOCK("t2") RESULTS(FROM_BOTH))
TWO(two_ss_64, SS("m64n64k16.f32.f16.f16", D32, T16), SS("m64n64k16.f32.f16.f16", D32_63, T16))
TWO(two_rs_64, RS("m64n64k16.f32.f16.f16", D32, T16R), RS("m64n64k16.f32.f16.f16", D32_63, T16R))

using kernel = void (*)(times *, unsigned long long, unsigned, int);

struct shape {
    const char *name;
    int n;
    kernel ss, rs;
};

#define ROWS(t, text)                                                                                        \
    {text, 8, t##_ss_8, t##_rs_8}, {text, 16, t##_ss_16, t##_rs_16}, {text, 24, t##_ss_24, t##_rs_24},       \
        {text, 32, t##_ss_32, t##_rs_32}, {text, 64, t##_ss_64, t##_rs_64},                                  \
        {text, 96, t##_ss_96, t##_rs_96}, {text, 128, t##_ss_128, t##_rs_128},                               \
        {text, 192, t##_ss_192, t##_rs_192},                                                                 \
    {                                                                                                        \
        text, 256, t##_ss_256, t##_rs_256                                                                    \
    }

static const shape shapes[] = {ROWS(f16, "k16 f16 f32"),   ROWS(half, "k16 f16 f16"),
                               ROWS(bf16, "k16 bf16 f32"), ROWS(tf32, "k8 tf32 f32"),
                               ROWS(e4m3, "k32 e4m3 f32"), ROWS(e5m2, "k32 e5m2 f32"),
                               ROWS(s8, "k32 s8 s32"),     ROWS(b1, "k256 b1 s32")};

static times *device_times;
constexpr int most_times = 4096;

// Cycles from the first start to the last end over the warpgroups of block 0.
static double span(const std::vector<times> &t, int groups)
{
    long long start = t[0].start, end = t[0].end;
    for (int i = 1; i < groups; i++) start = std::min(start, t[i].start), end = std::max(end, t[i].end);
    return (double)(end - start);
}

// A launch of one block of `groups` warpgroups, warm: what they report. Empty where the registers do not suffice.
static std::vector<times> launch(kernel k, int groups, int rounds, unsigned long long bits,
                                 unsigned scale = 1, int blocks = 1)
{
    if (!device_times) device_times = card_memory<times>(most_times);
    cudaFuncAttributes a;
    CARD_TRY(cudaFuncGetAttributes(&a, (const void *)k));
    if (a.maxThreadsPerBlock < groups * 128) return {};
    card_shared(k, shared_bytes);
    k<<<blocks, groups * 128, shared_bytes>>>(device_times, bits, scale, rounds);
    CARD_WAIT();
    return card_read(device_times, (size_t)(groups * blocks));
}

// Cycles per wgmma of the SM, with `groups` warpgroups: the slope between two counts of rounds.
static std::vector<double> intervals(kernel k, int groups, unsigned long long bits, unsigned scale = 1,
                                     int repeats = 4)
{
    std::vector<double> values;
    constexpr int few = 4, many = 36;
    for (int i = 0; i < repeats; i++) {
        auto a = launch(k, groups, few, bits, scale), b = launch(k, groups, many, bits, scale);
        if (a.empty()) return {};
        if (i) values.push_back((span(b, groups) - span(a, groups)) / ((many - few) * 8.0 * groups));
    }
    return values;
}

static std::string title(const char *type, int n, bool registers)
{
    return std::string("wgmma m64n") + std::to_string(n) + type + (registers ? " A registers" : " A shared");
}

// The interval of one warpgroup and the rate of an SM, for every type and width.
static void chains()
{
    for (const shape &s : shapes)
        for (int r = 0; r < 2; r++)
            for (int groups = 1; groups <= 4; groups++) {
                std::string name = title(s.name, s.n, r) + (groups == 1 ? ": interval" : ": SM interval, ") +
                                   (groups == 1 ? "" : std::to_string(groups) + " warpgroups");
                card_median(name, "cycles", intervals(r ? s.rs : s.ss, groups, swizzle_128.bits), 0,
                            "swizzle 128, zeros, one accumulator a warpgroup");
            }
    for (int r = 0; r < 2; r++) {
        auto v = intervals(r ? two_rs_64 : two_ss_64, 1, swizzle_128.bits);
        for (double &x : v) x /= 2;
        card_median(title("k16 f16 f32", 64, r) + ", two accumulators in turn: interval", "cycles", v);
    }
}

// Issue and completion of groups of 1, 2, 4, 8 and 16.
#define GROUPS(id, r, text)                                                                                  \
    GROUP(id##_1, r, text)                                                                                   \
    GROUP(id##_2, r, TWICE(text))                                                                            \
    GROUP(id##_4, r, TWICE(TWICE(text)))                                                                     \
    GROUP(id##_8, r, EIGHT(text))                                                                            \
    GROUP(id##_16, r, TWICE(EIGHT(text)))

// Groups of 3, 5 to 7 and 10: the depth of the queue of commands.
#define DEPTHS(id, text)                                                                                     \
    GROUP(id##_3, "f32", TWICE(text) text)                                                                   \
    GROUP(id##_5, "f32", TWICE(TWICE(text)) text)                                                            \
    GROUP(id##_6, "f32", TWICE(TWICE(text)) TWICE(text))                                                     \
    GROUP(id##_7, "f32", TWICE(TWICE(text)) TWICE(text) text)                                                \
    GROUP(id##_9, "f32", EIGHT(text) text)                                                                   \
    GROUP(id##_10, "f32", EIGHT(text) TWICE(text))                                                           \
    GROUP(id##_12, "f32", EIGHT(text) TWICE(TWICE(text)))
DEPTHS(depth_ss_8, SS("m64n8k16.f32.f16.f16", D4, T16))
DEPTHS(depth_ss_64, SS("m64n64k16.f32.f16.f16", D32, T16))
DEPTHS(depth_rs_16, RS("m64n16k16.f32.f16.f16", D8, T16R))

#define F16_GROUPS(n, d)                                                                                     \
    GROUPS(group_ss_##n, "f32", SS("m64n" #n "k16.f32.f16.f16", d, T16))                                     \
    GROUPS(group_rs_##n, "f32", RS("m64n" #n "k16.f32.f16.f16", d, T16R))                                    \
    GROUP(s8_one_ss_##n, "s32", SS("m64n" #n "k32.s32.s8.s8", d, ""))                                        \
    GROUP(s8_one_rs_##n, "s32", RS("m64n" #n "k32.s32.s8.s8", d, ""))                                        \
    GROUP(e4m3_one_ss_##n, "f32", SS("m64n" #n "k32.f32.e4m3.e4m3", d, T8))                                  \
    GROUP(e4m3_one_rs_##n, "f32", RS("m64n" #n "k32.f32.e4m3.e4m3", d, T8))                                  \
    GROUP(tf32_one_ss_##n, "f32", SS("m64n" #n "k8.f32.tf32.tf32", d, T8))

F16_GROUPS(8, D4)
F16_GROUPS(16, D8)
F16_GROUPS(32, D16)
F16_GROUPS(64, D32)
F16_GROUPS(128, D64)
F16_GROUPS(192, D96)
F16_GROUPS(256, D128)

struct group_row {
    const char *type;
    int n;
    bool registers;
    int count;
    kernel run;
};

#define GROUP_COUNTS(n, a, r)                                                                                \
    {"k16 f16 f32", n, r, 1, group_##a##_##n##_1}, {"k16 f16 f32", n, r, 2, group_##a##_##n##_2},            \
        {"k16 f16 f32", n, r, 4, group_##a##_##n##_4}, {"k16 f16 f32", n, r, 8, group_##a##_##n##_8},        \
    {                                                                                                        \
        "k16 f16 f32", n, r, 16, group_##a##_##n##_16                                                        \
    }
#define GROUP_WIDTH(n)                                                                                       \
    GROUP_COUNTS(n, ss, false), GROUP_COUNTS(n, rs, true), {"k32 s8 s32", n, false, 1, s8_one_ss_##n},       \
        {"k32 s8 s32", n, true, 1, s8_one_rs_##n}, {"k32 e4m3 f32", n, false, 1, e4m3_one_ss_##n},           \
        {"k32 e4m3 f32", n, true, 1, e4m3_one_rs_##n},                                                       \
    {                                                                                                        \
        "k8 tf32 f32", n, false, 1, tf32_one_ss_##n                                                          \
    }

#define DEPTH_ROWS(n, a, r)                                                                                  \
    {"k16 f16 f32", n, r, 3, depth_##a##_##n##_3}, {"k16 f16 f32", n, r, 5, depth_##a##_##n##_5},            \
        {"k16 f16 f32", n, r, 6, depth_##a##_##n##_6}, {"k16 f16 f32", n, r, 7, depth_##a##_##n##_7},        \
        {"k16 f16 f32", n, r, 9, depth_##a##_##n##_9}, {"k16 f16 f32", n, r, 10, depth_##a##_##n##_10},      \
    {                                                                                                        \
        "k16 f16 f32", n, r, 12, depth_##a##_##n##_12                                                        \
    }

static const group_row group_rows[] = {
    GROUP_WIDTH(8),          GROUP_WIDTH(16),          GROUP_WIDTH(32),
    GROUP_WIDTH(64),         GROUP_WIDTH(128),         GROUP_WIDTH(192),
    GROUP_WIDTH(256),        DEPTH_ROWS(8, ss, false), DEPTH_ROWS(64, ss, false),
    DEPTH_ROWS(16, rs, true)};

// Issue (clock behind the commit) and completion (clock behind wait_group 0) of one group.
static void completion()
{
    for (const group_row &g : group_rows) {
        std::vector<double> issue, done;
        for (int i = 0; i < 6; i++) {
            auto t = launch(g.run, 1, 1, swizzle_128.bits);
            issue.push_back((double)(t[0].issued - t[0].start));
            done.push_back((double)(t[0].end - t[0].start));
        }
        std::string name = title(g.type, g.n, g.registers) + ", group of " + std::to_string(g.count);
        card_median(name + ": issue", "cycles", issue, 2, "fence before the first clock; commit included");
        card_median(name + ": completion", "cycles", done, 2, "first issue to behind wait_group 0");
    }
}

constexpr unsigned long long wide_strides = layout_bits(1024, 2048, 0);
static const layout layouts[] = {{"no swizzle", layout_bits(128, 256, 0)},
                                 {"no swizzle, strides of 1 KiB", wide_strides},
                                 {"swizzle 32", layout_bits(16, 256, 3)},
                                 {"swizzle 64", layout_bits(16, 512, 2)},
                                 swizzle_128};

// Cost of the swizzle, and of scale-d 0.
static void swizzles()
{
    const shape chosen[] = {
        {"k16 f16 f32", 16, f16_ss_16, f16_rs_16},    {"k16 f16 f32", 64, f16_ss_64, f16_rs_64},
        {"k16 f16 f32", 128, f16_ss_128, f16_rs_128}, {"k16 f16 f32", 256, f16_ss_256, f16_rs_256},
        {"k32 s8 s32", 64, s8_ss_64, s8_rs_64},       {"k8 tf32 f32", 64, tf32_ss_64, tf32_rs_64}};
    for (const shape &s : chosen)
        for (int r = 0; r < 2; r++) {
            for (const layout &l : layouts)
                if (s.n < 128 || l.bits != wide_strides) // B would leave the shared memory
                    card_median(title(s.name, s.n, r) + ", " + l.name + ": interval", "cycles",
                                intervals(r ? s.rs : s.ss, 1, l.bits));
            card_median(title(s.name, s.n, r) + ", scale-d 0: interval", "cycles",
                        intervals(r ? s.rs : s.ss, 1, swizzle_128.bits, 0));
        }
}

#define TRANSPOSED(n, d)                                                                                     \
    CHAIN(trans_a_##n, "f32", SS("m64n" #n "k16.f32.f16.f16", d, ", 1, 1, 1, 0"))                            \
    CHAIN(trans_b_##n, "f32", SS("m64n" #n "k16.f32.f16.f16", d, ", 1, 1, 0, 1"))                            \
    CHAIN(trans_ab_##n, "f32", SS("m64n" #n "k16.f32.f16.f16", d, ", 1, 1, 1, 1"))                           \
    CHAIN(trans_rs_##n, "f32", RS("m64n" #n "k16.f32.f16.f16", d, ", 1, 1, 1"))
TRANSPOSED(16, D8)
TRANSPOSED(64, D32)
TRANSPOSED(128, D64)
TRANSPOSED(256, D128)

struct named_kernel {
    const char *name;
    kernel run;
};

#define TRANSPOSED_ROWS(n)                                                                                   \
    {"wgmma m64n" #n "k16 f16 f32 A shared, A transposed", trans_a_##n},                                     \
        {"wgmma m64n" #n "k16 f16 f32 A shared, B transposed", trans_b_##n},                                 \
        {"wgmma m64n" #n "k16 f16 f32 A shared, both transposed", trans_ab_##n},                             \
    {                                                                                                        \
        "wgmma m64n" #n "k16 f16 f32 A registers, B transposed", trans_rs_##n                                \
    }

static void transposed()
{
    const named_kernel rows[] = {TRANSPOSED_ROWS(16), TRANSPOSED_ROWS(64), TRANSPOSED_ROWS(128),
                                 TRANSPOSED_ROWS(256)};
    const layout mn[] = {{"no swizzle", layout_bits(256, 128, 0)},
                         {"swizzle 32", layout_bits(1024, 256, 3)},
                         {"swizzle 64", layout_bits(2048, 512, 2)},
                         {"swizzle 128", layout_bits(2048, 1024, 1)}};
    for (const named_kernel &k : rows)
        for (const layout &l : mn)
            card_median(std::string(k.name) + ", " + l.name + ": interval", "cycles",
                        intervals(k.run, 1, l.bits));
}

#define SPARSE(n, d)                                                                                         \
    CHAIN(sp_f16_ss_##n, "f32", SP_SS("m64n" #n "k32.f32.f16.f16", d, T16))                                  \
    CHAIN(sp_f16_rs_##n, "f32", SP_RS("m64n" #n "k32.f32.f16.f16", d, T16R))                                 \
    CHAIN(sp_tf32_ss_##n, "f32", SP_SS("m64n" #n "k16.f32.tf32.tf32", d, T8))                                \
    CHAIN(sp_tf32_rs_##n, "f32", SP_RS("m64n" #n "k16.f32.tf32.tf32", d, T8))                                \
    CHAIN(sp_e4m3_ss_##n, "f32", SP_SS("m64n" #n "k64.f32.e4m3.e4m3", d, T8))                                \
    CHAIN(sp_e4m3_rs_##n, "f32", SP_RS("m64n" #n "k64.f32.e4m3.e4m3", d, T8))                                \
    CHAIN(sp_s8_ss_##n, "s32", SP_SS("m64n" #n "k64.s32.s8.s8", d, ""))                                      \
    CHAIN(sp_s8_rs_##n, "s32", SP_RS("m64n" #n "k64.s32.s8.s8", d, ""))
SPARSE(8, D4)
SPARSE(32, D16)
SPARSE(64, D32)
SPARSE(128, D64)
SPARSE(256, D128)

#define SPARSE_ROWS(n)                                                                                       \
    {"k32 f16 f32", n, sp_f16_ss_##n, sp_f16_rs_##n}, {"k16 tf32 f32", n, sp_tf32_ss_##n, sp_tf32_rs_##n},   \
        {"k64 e4m3 f32", n, sp_e4m3_ss_##n, sp_e4m3_rs_##n},                                                 \
    {                                                                                                        \
        "k64 s8 s32", n, sp_s8_ss_##n, sp_s8_rs_##n                                                          \
    }

static void sparse()
{
    const shape rows[] = {SPARSE_ROWS(8), SPARSE_ROWS(32), SPARSE_ROWS(64), SPARSE_ROWS(128),
                          SPARSE_ROWS(256)};
    for (const shape &s : rows)
        for (int r = 0; r < 2; r++)
            for (int groups = 1; groups <= 2; groups++)
                card_median(title(s.name, s.n, r) + " sparse" +
                                (groups == 1 ? ": interval" : ": SM interval, 2 warpgroups"),
                            "cycles", intervals(r ? s.rs : s.ss, groups, swizzle_128.bits));
}

#define FENCES(n, d)                                                                                         \
    WAITED(waited_##n, "f32", SS("m64n" #n "k16.f32.f16.f16", d, T16))                                       \
    FENCED(fenced_##n, "f32", SS("m64n" #n "k16.f32.f16.f16", d, T16))                                       \
    COMMITTED(committed_##n, "f32", SS("m64n" #n "k16.f32.f16.f16", d, T16))
FENCES(8, D4)
FENCES(16, D8)
FENCES(64, D32)
FENCES(128, D64)
FENCES(256, D128)
BODY(empty_fences, REGISTERS("f32") "mov.f32 d0, 0f00000000;\n" CLOCK("t0") EIGHT(FENCE) EIGHT(FENCE)
                       CLOCK("t1") CLOCK("t2") RESULTS(FROM_32))
BODY(empty_commits, REGISTERS("f32") "mov.f32 d0, 0f00000000;\n" CLOCK("t0") EIGHT(COMMIT) EIGHT(COMMIT)
                        CLOCK("t1") WAIT("0") CLOCK("t2") RESULTS(FROM_32))
BODY(empty_waits, REGISTERS("f32") "mov.f32 d0, 0f00000000;\n" CLOCK("t0") EIGHT(COMMIT WAIT("0"))
                      EIGHT(COMMIT WAIT("0")) CLOCK("t1") CLOCK("t2") RESULTS(FROM_32))

#define FENCE_ROWS(n)                                                                                        \
    {"wgmma m64n" #n "k16 f16 f32 A shared, fence, commit and wait each", waited_##n},                       \
        {"wgmma m64n" #n "k16 f16 f32 A shared, fence each", fenced_##n},                                    \
    {                                                                                                        \
        "wgmma m64n" #n "k16 f16 f32 A shared, commit each, 7 groups pending", committed_##n                 \
    }

// Cost of fence, commit and wait.
static void fences()
{
    const named_kernel rows[] = {FENCE_ROWS(8), FENCE_ROWS(16), FENCE_ROWS(64), FENCE_ROWS(128),
                                 FENCE_ROWS(256)};
    for (const named_kernel &k : rows)
        card_median(std::string(k.name) + ": interval", "cycles", intervals(k.run, 1, swizzle_128.bits));
    const named_kernel empty[] = {{"wgmma.fence with nothing in flight (warpgroup.arrive)", empty_fences},
                                  {"wgmma.commit_group of nothing", empty_commits},
                                  {"wgmma.commit_group and wait_group 0 of nothing", empty_waits}};
    for (const named_kernel &k : empty) {
        std::vector<double> values;
        for (int i = 0; i < 6; i++) {
            auto t = launch(k.run, 1, 1, swizzle_128.bits);
            values.push_back((double)(t[0].issued - t[0].start) / 16);
        }
        card_median(std::string(k.name) + ": interval", "cycles", values, 2, "16 in a row");
    }
}

// Streams of other instructions beside a chain of wgmma: the first warpgroup multiplies, `others` warps run the
// stream until the warpgroup has ended.
enum stream {
    stream_none,
    stream_ffma,
    stream_ffma3,
    stream_imad,
    stream_lds,
    stream_lds128,
    stream_sts,
    stream_sts128,
    stream_ldsm,
    stream_count
};
static const char *const stream_names[] = {"nothing", "FFMA with reuse", "FFMA of 3 fresh registers",
                                           "IMAD",    "LDS.32",          "LDS.128",
                                           "STS.32",  "STS.128",         "LDSM.x4"};

// Sixteen instructions of a stream. `at` is the lane's place in a 16 KiB region of its own.
template <stream kind> __device__ __forceinline__ void stream_step(float (&x)[16], unsigned at)
{
#pragma unroll
    for (int i = 0; i < 16; i++) {
        float a, b, c, d;
        if (kind == stream_ffma)
            asm volatile("fma.rn.f32 %0, %1, %1, %0;" : "+f"(x[i]) : "f"(x[0 + (i == 0)]));
        if (kind == stream_ffma3)
            asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                         : "+f"(x[i])
                         : "f"(x[(i + 5) % 16]), "f"(x[(i + 9) % 16]));
        if (kind == stream_imad)
            asm volatile("mad.lo.s32 %0, %1, %1, %0;" : "+r"(*(int *)&x[i]) : "r"(*(int *)&x[0 + (i == 0)]));
        if (kind == stream_lds)
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x[i]) : "r"(at + i * 128));
        if (kind == stream_lds128) {
            asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                         : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                         : "r"(at + i * 512));
            x[i] = a;
        }
        if (kind == stream_sts) asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + i * 128), "f"(x[i]));
        if (kind == stream_sts128)
            asm volatile("st.shared.v4.f32 [%0], {%1,%1,%1,%1};" ::"r"(at + i * 512), "f"(x[i]));
        if (kind == stream_ldsm) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                         : "r"(at + i * 512));
            x[i] = a;
        }
    }
}

constexpr int stream_groups = 16;

// Sixteen groups between two looks at the flag. Loads stay in a rolled loop: unrolled, ptxas would drop the loads
// whose result the next group overwrites.
template <stream kind> __device__ __forceinline__ void stream_run(float (&x)[16], unsigned at)
{
    constexpr bool load = kind == stream_lds || kind == stream_lds128 || kind == stream_ldsm;
    constexpr int unroll = load ? 1 : 4;
#pragma unroll unroll
    for (int j = 0; j < stream_groups; j++) stream_step<kind>(x, at);
}

struct neighbour_times {
    long long start, end, stream_cycles, stream_steps;
};

// The chain's text of the neighbours' kernel, by width.
template <int n>
__device__ __forceinline__ long long chain_of(unsigned long long da, unsigned long long db, int rounds);
#define NEIGHBOUR_CHAIN(id, text)                                                                            \
    template <>                                                                                              \
    __device__ __forceinline__ long long chain_of<id>(unsigned long long da, unsigned long long db,          \
                                                      int rounds)                                            \
    {                                                                                                        \
        times t;                                                                                             \
        asm volatile(REGISTERS("f32") CLOCK("t0") AGAIN FENCE EIGHT(text) COMMIT WAIT(                       \
            "1") "sub.u32 i, i, one;\nsetp.ne.u32 q, i, 0;\n@q bra again;\n" CLOCK("t1") WAIT("0")           \
                         CLOCK("t2") RESULTS(FROM_32) OPERANDS(t, da, db, 1, rounds));                       \
        return t.value;                                                                                      \
    }
NEIGHBOUR_CHAIN(16, SS("m64n16k16.f32.f16.f16", D8, T16))
NEIGHBOUR_CHAIN(64, SS("m64n64k16.f32.f16.f16", D32, T16))
NEIGHBOUR_CHAIN(128, SS("m64n128k16.f32.f16.f16", D64, T16))
NEIGHBOUR_CHAIN(256, SS("m64n256k16.f32.f16.f16", D128, T16))
NEIGHBOUR_CHAIN(1064, RS("m64n64k16.f32.f16.f16", D32, T16R))
NEIGHBOUR_CHAIN(1128, RS("m64n128k16.f32.f16.f16", D64, T16R))

template <int n, stream kind>
__global__ void beside(neighbour_times *out, unsigned long long bits, int rounds)
{
    __shared__ volatile int ended;
    extern __shared__ __align__(1024) unsigned char memory[];
    if (threadIdx.x == 0) ended = 0;
    unsigned long long db, da = operands(bits, db);
    if (__shfl_sync(0xffffffff, threadIdx.x / 128, 0) == 0) {
        long long value = 0, start = 0, end = 0;
#pragma unroll 1
        for (int pass = 0; pass < 2; pass++) { // the first pass warms up
            start = card_clock();
            value += chain_of<n>(da, db, pass ? rounds : 2);
            end = card_clock();
        }
        if (threadIdx.x == 0) out->start = start, out->end = end, ended = 1;
        if (value == 0x7654321) out->end = 0; // keeps the accumulators
    } else {
        float x[16];
        for (int i = 0; i < 16; i++) x[i] = (float)(threadIdx.x + i);
        bool wide = kind == stream_lds128 || kind == stream_sts128 || kind == stream_ldsm;
        unsigned at = card_shared_address(memory) + 65536 + (threadIdx.x % 32) * (wide ? 16 : 4);
        long long start = card_clock(), steps = 0;
        while (!ended && card_clock() - start < 1 << 26) {
            stream_run<kind>(x, at);
            steps += stream_groups;
        }
        long long cycles = card_clock() - start;
        if (threadIdx.x == 128) out->stream_cycles = cycles, out->stream_steps = steps;
        float sum = 0;
        for (int i = 0; i < 16; i++) sum += x[i];
        if (sum == 1.25f) out->stream_steps = 0;
    }
}

// The stream alone: the rate that wgmma takes from.
template <stream kind> __global__ void alone(neighbour_times *out, int rounds)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    __shared__ volatile int ended;
    if (threadIdx.x == 0) ended = 0;
    __syncthreads();
    float x[16];
    for (int i = 0; i < 16; i++) x[i] = (float)(threadIdx.x + i);
    bool wide = kind == stream_lds128 || kind == stream_sts128 || kind == stream_ldsm;
    unsigned at = card_shared_address(memory) + 65536 + (threadIdx.x % 32) * (wide ? 16 : 4);
    long long start = card_clock(), steps = 0;
    while (!ended && steps < stream_groups * rounds && card_clock() - start < 1 << 26) {
        stream_run<kind>(x, at);
        steps += stream_groups;
    }
    long long cycles = card_clock() - start;
    if (threadIdx.x == 0) out->stream_cycles = cycles, out->stream_steps = steps;
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += x[i];
    if (sum == 1.25f) out->stream_steps = 0;
}

static neighbour_times *device_neighbour;
constexpr int beside_bytes = 65536 + 16384;
constexpr int neighbour_rounds = 1024;

template <int n, stream kind> static void beside_rows(const char *form)
{
    auto k = beside<n, kind>;
    cudaFuncAttributes a;
    CARD_TRY(cudaFuncGetAttributes(&a, (const void *)k));
    card_shared(k, beside_bytes);
    for (int warps = 4; warps <= (kind == stream_none ? 4 : 8); warps += 4) {
        int threads = kind == stream_none ? 128 : 128 + warps * 32;
        if (a.maxThreadsPerBlock < threads) continue;
        std::vector<double> multiply, other;
        for (int i = 0; i < 4; i++) {
            k<<<1, threads, beside_bytes>>>(device_neighbour, swizzle_128.bits, neighbour_rounds);
            CARD_WAIT();
            neighbour_times t = card_read(device_neighbour, 1)[0];
            multiply.push_back((double)(t.end - t.start) / (8 * neighbour_rounds));
            if (t.stream_cycles) other.push_back((double)t.stream_cycles / (double)(t.stream_steps * 16));
        }
        std::string name = std::string(form) + " beside " + stream_names[kind];
        if (kind != stream_none) name += ", " + std::to_string(warps) + " warps";
        card_median(name + ": wgmma interval", "cycles", multiply, 1, "8,192 wgmma, one completion included");
        if (kind != stream_none) card_median(name + ": interval of a warp's stream", "cycles", other, 1);
    }
}

template <int n> static void beside_streams(const char *form)
{
    beside_rows<n, stream_none>(form);
    beside_rows<n, stream_ffma>(form);
    beside_rows<n, stream_ffma3>(form);
    beside_rows<n, stream_imad>(form);
    beside_rows<n, stream_lds>(form);
    beside_rows<n, stream_lds128>(form);
    beside_rows<n, stream_sts>(form);
    beside_rows<n, stream_sts128>(form);
    beside_rows<n, stream_ldsm>(form);
}

template <stream kind> static void alone_rows()
{
    auto k = alone<kind>;
    card_shared(k, beside_bytes);
    for (int warps = 4; warps <= 8; warps += 4) {
        std::vector<double> values;
        for (int i = 0; i < 4; i++) {
            k<<<1, warps * 32, beside_bytes>>>(device_neighbour, 128);
            CARD_WAIT();
            neighbour_times t = card_read(device_neighbour, 1)[0];
            values.push_back((double)t.stream_cycles / (double)(t.stream_steps * 16));
        }
        card_median(std::string(stream_names[kind]) + " alone, " + std::to_string(warps) +
                        " warps: interval of a warp's stream",
                    "cycles", values, 1, "a look at a flag and the clock per 256 instructions included");
    }
}

static void neighbours()
{
    device_neighbour = card_memory<neighbour_times>(1);
    alone_rows<stream_ffma>();
    alone_rows<stream_ffma3>();
    alone_rows<stream_imad>();
    alone_rows<stream_lds>();
    alone_rows<stream_lds128>();
    alone_rows<stream_sts>();
    alone_rows<stream_sts128>();
    alone_rows<stream_ldsm>();
    beside_streams<16>("wgmma m64n16k16 f16 f32 A shared");
    beside_streams<64>("wgmma m64n64k16 f16 f32 A shared");
    beside_streams<128>("wgmma m64n128k16 f16 f32 A shared");
    beside_streams<256>("wgmma m64n256k16 f16 f32 A shared");
    beside_streams<1064>("wgmma m64n64k16 f16 f32 A registers");
    beside_streams<1128>("wgmma m64n128k16 f16 f32 A registers");
}

// Every SM at once: the slowest block. Shows whether power or clocks change cycles.
static void chip()
{
    int sms = card_sms();
    for (int i = 0; i < 2; i++) {
        kernel k = i ? f16_ss_128 : f16_ss_256;
        std::vector<double> values;
        for (int j = 0; j < 4; j++) {
            auto t = launch(k, 2, 1000, swizzle_128.bits, 1, sms);
            double worst = 0;
            for (int b = 0; b < sms; b++)
                worst = std::max(worst, (double)(std::max(t[2 * b].end, t[2 * b + 1].end) -
                                                 std::min(t[2 * b].start, t[2 * b + 1].start)));
            values.push_back(worst / 16000);
        }
        card_median(title("k16 f16 f32", i ? 128 : 256, false) + ": SM interval, 2 warpgroups, all SMs",
                    "cycles", values, 1, "slowest SM");
    }
}

// setmaxnreg: three warpgroups of 160 registers. The second and third release registers, the first asks for more;
// `delay` cycles pass before the release (then the first must wait) or before the request (registers are free).
__global__ void __launch_bounds__(384, 1)
    registers_moved(long long *out, int release_delay, int request_delay)
{
    __syncthreads();
    long long begin = card_clock();
    if (threadIdx.x >= 128) {
        while (card_clock() - begin < release_delay) {
        }
        long long t0 = card_clock();
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        long long t1 = card_clock();
        if (threadIdx.x == 256) out[0] = t1 - t0, out[1] = t1;
    } else {
        while (card_clock() - begin < request_delay) {
        }
        long long t0 = card_clock();
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        long long t1 = card_clock();
        if (threadIdx.x == 0) out[2] = t1 - t0, out[3] = t1;
    }
}

static void registers()
{
    long long *out = card_memory<long long>(4);
    const int delays[][2] = {{0, 4000}, {4000, 0}, {0, 0}};
    const char *const names[] = {"registers free", "registers freed 4,000 cycles later", "both at once"};
    for (int c = 0; c < 3; c++) {
        std::vector<double> dec, inc, after;
        for (int i = 0; i < 8; i++) {
            registers_moved<<<1, 384>>>(out, delays[c][0], delays[c][1]);
            CARD_WAIT();
            auto t = card_read(out, 4);
            dec.push_back((double)t[0]);
            inc.push_back((double)t[2]);
            after.push_back((double)(t[3] - t[1]));
        }
        card_median(std::string("setmaxnreg.dec, ") + names[c], "cycles", dec, 1);
        card_median(std::string("setmaxnreg.inc, ") + names[c], "cycles", inc, 1);
        card_median(std::string("setmaxnreg.inc behind the release, ") + names[c], "cycles", after, 1);
    }
}

static const card_part parts[] = {
    {"chains", chains},      {"completion", completion}, {"swizzles", swizzles}, {"transposed", transposed},
    {"sparse", sparse},      {"fences", fences},         {"chip", chip},         {"neighbours", neighbours},
    {"registers", registers}};

int main(int argc, char **argv)
{
    return card_run_parts(argc, argv, parts, (int)(sizeof(parts) / sizeof(parts[0])));
}
