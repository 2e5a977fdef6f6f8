// Asynchronous copies and fragments with one planted fault each, and repaired twins: as faults.cu. copies.ptx is made by
// cd tests/check && nvcc -arch=compute_80 -ptx -O3 -lineinfo -o copies.ptx copies.cu &&
// sed -i -E 's|^(\t\.file.*")/[^"]*(/include/[^"]*")|\1cuda\2|; s|^(\t\.file.*")/[^"]*/([^/"]*\.cu")|\1\2|' copies.ptx
#define PAIR(name, parameters, arguments)                                                                     \
    extern "C" __global__ void name parameters { name##_body<false> arguments; }                              \
    extern "C" __global__ void name##_repaired parameters { name##_body<true> arguments; }
#define BODY template <bool GOOD> static __device__ __forceinline__ void

#define OFFSET(p) ((unsigned)__cvta_generic_to_shared(p))
#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(OFFSET(to)), "l"(from) : "memory")
#define COPY16(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(OFFSET(to)), "l"(from) : "memory")
#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define WAIT_ALL asm volatile("cp.async.wait_all;" ::: "memory")
#define LDMATRIX(d, p) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d) : "r"(OFFSET(p)) : "memory")
#define LDMATRIX4(d, p)                                                                                        \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"                            \
                 : "=r"((d)[0]), "=r"((d)[1]), "=r"((d)[2]), "=r"((d)[3]) : "r"(OFFSET(p)) : "memory")
enum { N = 64 }; // threads of a block

// -- read during a copy -----------------------------------------------------------------------------------------
BODY early_read_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // early_read
    COMMIT;
    if (GOOD) WAIT(0);
    out[t] = s[t]; // early_read 2
    WAIT(0);
}
PAIR(early_read, (const int *in, int *out), (in, out))

BODY no_barrier_behind_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // no_barrier_behind
    WAIT_ALL;
    if (GOOD) __syncthreads();
    out[t] = s[N - 1 - t]; // no_barrier_behind 2
}
PAIR(no_barrier_behind, (const int *in, int *out), (in, out))

BODY wait_for_one_body(const int *in, int *out)
{
    __shared__ int a[N], b[N];
    int t = threadIdx.x;
    COPY(&a[t], &in[t]);
    COMMIT;
    COPY(&b[t], &in[N + t]); // wait_for_one
    COMMIT;
    WAIT(GOOD ? 0 : 1);
    __syncthreads();
    int x = a[N - 1 - t];
    out[t] = x + b[N - 1 - t]; // wait_for_one 2
    WAIT(0);
}
PAIR(wait_for_one, (const int *in, int *out), (in, out))

BODY wait_without_group_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // wait_without_group
    if (GOOD) COMMIT;
    WAIT(0);
    __syncthreads();
    out[t] = s[N - 1 - t]; // wait_without_group 2
    WAIT_ALL;
}
PAIR(wait_without_group, (const int *in, int *out), (in, out))

BODY stages_body(const int *in, int *out, int rounds)
{
    __shared__ int s[3][N];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 2; k++) {
        COPY(&s[k][t], &in[k * N + t]);
        COMMIT;
    }
    for (int k = 0; k < rounds; k++) {
        WAIT(GOOD ? 1 : 2);
        __syncthreads();
        if (k + 2 < rounds)
            COPY(&s[(k + 2) % 3][t], &in[(k + 2) * N + t]); // stages
        COMMIT;
        sum += s[k % 3][N - 1 - t]; // stages 2
    }
    WAIT(0);
    out[t] = sum;
}
PAIR(stages, (const int *in, int *out, int rounds), (in, out, rounds))

BODY fragment_early_body(const int *in, int *out)
{
    __shared__ __align__(16) int s[4 * N];
    unsigned d[4];
    int t = threadIdx.x;
    COPY16(&s[4 * t], &in[4 * t]); // fragment_early
    COMMIT;
    if (GOOD) WAIT(0);
    __syncthreads();
    LDMATRIX4(d, &s[4 * (N - 1 - t)]); // fragment_early 2
    WAIT(0);
    out[t] = d[0] + d[1] + d[2] + d[3];
}
PAIR(fragment_early, (const int *in, int *out), (in, out))

BODY one_warp_waits_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // one_warp_waits
    COMMIT;
    if (GOOD || t < 32) WAIT(0);
    __syncthreads();
    if (t < 32)
        out[t] = s[N - 1 - t]; // one_warp_waits 2
    WAIT(0);
}
PAIR(one_warp_waits, (const int *in, int *out), (in, out))

BODY arrival_first_body(const int *in, int *out)
{
    __shared__ int s[N];
    __shared__ __align__(8) unsigned long long bar;
    int t = threadIdx.x;
    unsigned done = 0;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(OFFSET(&bar)) : "memory");
    __syncthreads();
    if (!GOOD) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(OFFSET(&bar)) : "memory");
    COPY(&s[t], &in[t]); // arrival_first
    if (GOOD) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(OFFSET(&bar)) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(OFFSET(&bar)) : "memory");
    out[t] = s[N - 1 - t]; // arrival_first 2
    WAIT_ALL;
}
PAIR(arrival_first, (const int *in, int *out), (in, out))

// -- write during a copy ----------------------------------------------------------------------------------------
BODY overwritten_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // overwritten
    COMMIT;
    if (GOOD) WAIT(0);
    if (t % 4 == 0)
        s[t] = 7; // overwritten 2
    WAIT(0);
    out[t] = s[t];
}
PAIR(overwritten, (const int *in, int *out), (in, out))

BODY late_zeros_body(const int *in, int *out, int n)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    if (GOOD) {
        s[t] = 0;
        __syncthreads();
    }
    if (t < n) COPY(&s[t], &in[t]); // late_zeros
    COMMIT;
    if (!GOOD)
        s[N - 1 - t] = 0; // late_zeros 2
    WAIT(0);
    __syncthreads();
    out[t] = s[t];
}
PAIR(late_zeros, (const int *in, int *out, int n), (in, out, n))

BODY two_copies_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // two_copies
    COMMIT;
    if (GOOD) WAIT(0);
    COPY(&s[t], &in[N + t]); // two_copies 2
    WAIT_ALL;
    out[t] = s[t];
}
PAIR(two_copies, (const int *in, int *out), (in, out))

BODY neighbours_copy_body(const int *in, int *out)
{
    __shared__ __align__(16) int s[4 * N + 4];
    int t = threadIdx.x;
    COPY16(&s[4 * t], &in[4 * t]); // neighbours_copy
    if (GOOD) {
        WAIT_ALL;
        __syncthreads();
    }
    COPY(&s[4 * (N - 1 - t)], &in[t]); // neighbours_copy 2
    WAIT_ALL;
    __syncthreads();
    out[t] = s[4 * t];
}
PAIR(neighbours_copy, (const int *in, int *out), (in, out))

BODY counted_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // counted
    COMMIT;
    if (GOOD) WAIT(0);
    __syncthreads();
    atomicAdd(&s[t / 2], 1); // counted 2
    WAIT(0);
    __syncthreads();
    out[t] = s[t];
}
PAIR(counted, (const int *in, int *out), (in, out))

// -- source of a copy -------------------------------------------------------------------------------------------
BODY own_source_body(int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // own_source
    COMMIT;
    if (GOOD) WAIT(0);
    in[t] = -1; // own_source 2
    WAIT(0);
    out[t] = s[t];
}
PAIR(own_source, (int *in, int *out), (in, out))

BODY others_source_body(int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // others_source
    COMMIT;
    if (GOOD) WAIT(0);
    __syncthreads();
    in[N - 1 - t] = -1; // others_source 2
    WAIT(0);
    out[t] = s[t];
}
PAIR(others_source, (int *in, int *out), (in, out))

BODY in_place_body(int *data, int rows)
{
    __shared__ int s[2][N];
    int t = threadIdx.x;
    COPY(&s[0][t], &data[t]);
    COMMIT;
    for (int k = 0; k < rows; k++) {
        if (k + 1 < rows) COPY(&s[(k + 1) % 2][t], &data[(k + 1) * N + t]); // in_place
        COMMIT;
        WAIT(1);
        int next = GOOD || k + 1 == rows ? k : k + 1;
        data[next * N + t] = s[k % 2][t] + 1; // in_place 2
    }
    WAIT(0);
}
PAIR(in_place, (int *data, int rows), (data, rows))

// -- copy without a wait ----------------------------------------------------------------------------------------
BODY forgotten_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // forgotten
    COMMIT;
    if (GOOD) WAIT(0);
    out[t] = t;
}
PAIR(forgotten, (const int *in, int *out), (in, out))

BODY one_too_many_body(const int *in, int *out, int rounds)
{
    __shared__ int s[2][N];
    int t = threadIdx.x, sum = 0;
    COPY(&s[0][t], &in[t]);
    COMMIT;
    for (int k = 0; k < rounds; k++) {
        if (!GOOD || k + 1 < rounds)
            COPY(&s[(k + 1) % 2][t], &in[(k + 1) * N + t]); // one_too_many
        COMMIT;
        WAIT(1);
        sum += s[k % 2][t];
    }
    out[t] = sum;
}
PAIR(one_too_many, (const int *in, int *out, int rounds), (in, out, rounds))

BODY half_waits_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // half_waits
    COMMIT;
    if (GOOD || t < 32) WAIT(0);
    if (t < 32) out[t] = s[t];
}
PAIR(half_waits, (const int *in, int *out), (in, out))

BODY no_commit_body(const int *in, int *out)
{
    __shared__ int s[2][N];
    int t = threadIdx.x;
    COPY(&s[0][t], &in[t]);
    COMMIT;
    COPY(&s[1][t], &in[N + t]); // no_commit
    if (GOOD) COMMIT;
    WAIT(0);
    out[t] = s[0][t];
}
PAIR(no_commit, (const int *in, int *out), (in, out))

// -- fragment address -------------------------------------------------------------------------------------------
BODY rows_past_body(int *out)
{
    extern __shared__ __align__(16) int dynamic[];
    unsigned d[4];
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++) dynamic[4 * t + k] = k;
    __syncthreads();
    LDMATRIX4(d, &dynamic[4 * (GOOD ? t : t + 8)]); // rows_past
    out[t] = d[0] + d[3];
}
PAIR(rows_past, (int *out), (out))

BODY odd_row_body(int *out)
{
    __shared__ __align__(16) int s[4 * 32 + 4];
    unsigned d;
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++) s[4 * t + k] = k;
    if (t < 4) s[4 * 32 + t] = 0;
    __syncthreads();
    LDMATRIX(d, &s[GOOD ? 4 * t : 4 * t + 2]); // odd_row
    out[t] = d;
}
PAIR(odd_row, (int *out), (out))

// -- the next copy begins ---------------------------------------------------------------------------------------
BODY refilled_body(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]);
    WAIT_ALL;
    __syncthreads();
    int x = s[N - 1 - t]; // refilled
    if (GOOD) __syncthreads();
    COPY(&s[t], &in[N + t]); // refilled 2
    WAIT_ALL;
    out[t] = x + s[t];
}
PAIR(refilled, (const int *in, int *out), (in, out))
