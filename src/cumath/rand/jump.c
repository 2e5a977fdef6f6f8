// First states of generators, and jumps far ahead: both generators are linear, so a jump is a power of a matrix.
#include "cumath/rand/rand.h"

#include <string.h>

// -- XORWOW: bits of five words over GF(2), and a counter ---------------------------------------------------------

enum { WORDS = 5, BITS = 32 * WORDS, COUNTER_STEP = 362437 };
struct bit_matrix {
    uint32_t column[BITS][WORDS]; // image of bit i of the state
};

static void apply(const struct bit_matrix *m, uint32_t v[WORDS])
{
    uint32_t out[WORDS] = {0};
    for (int bit = 0; bit < BITS; bit++)
        if (v[bit / 32] >> bit % 32 & 1)
            for (int w = 0; w < WORDS; w++) out[w] ^= m->column[bit][w];
    memcpy(v, out, sizeof out);
}

static void square(struct bit_matrix *m)
{
    const struct bit_matrix old = *m;
    for (int bit = 0; bit < BITS; bit++) apply(&old, m->column[bit]);
}

static void step_bits(uint32_t v[WORDS])
{
    uint32_t t = v[0] ^ v[0] >> 2;
    memmove(v, v + 1, (WORDS - 1) * sizeof *v);
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

static void one_step(struct bit_matrix *m)
{
    memset(m, 0, sizeof *m);
    for (int bit = 0; bit < BITS; bit++) {
        m->column[bit][bit / 32] = 1u << bit % 32;
        step_bits(m->column[bit]);
    }
}

void rand_states_xorwow(uint64_t seed, uint64_t offset, unsigned spacing, uint32_t (*states)[RAND_WORDS],
                        int streams)
{
    struct bit_matrix power;
    uint32_t low = (uint32_t)seed ^ 0xaad26b49u, high = (uint32_t)(seed >> 32) ^ 0xf7dcefddu;
    uint32_t t0 = 1099087573u * low, t1 = 2591861531u * high;
    uint32_t v[WORDS] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0};
    uint32_t counter = 6615241u + t1 + t0 + (uint32_t)offset * COUNTER_STEP;
    one_step(&power);
    for (unsigned i = 0; i < spacing; i++) {
        if (i < 64 && offset >> i & 1) apply(&power, v);
        square(&power);
    }
    uint32_t step = spacing < 32 ? (uint32_t)COUNTER_STEP << spacing : 0;
    for (int s = 0; s < streams; s++) {
        memcpy(states[s], v, sizeof v);
        states[s][WORDS] = counter + (uint32_t)s * step;
        apply(&power, v);
    }
}

// -- MRG32k3a: two vectors of three numbers, modulo primes --------------------------------------------------------

struct matrix {
    uint64_t e[3][3];
};
static const uint64_t prime_1 = 4294967087u, prime_2 = 4294944443u;
static const struct matrix step_1 = {{{0, 1, 0}, {0, 0, 1}, {4294967087u - 810728, 1403580, 0}}};
static const struct matrix step_2 = {{{0, 1, 0}, {0, 0, 1}, {4294944443u - 1370589, 0, 527612}}};

static struct matrix product(const struct matrix *a, const struct matrix *b, uint64_t prime)
{
    struct matrix c = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) c.e[i][j] = (c.e[i][j] + a->e[i][k] * b->e[k][j] % prime) % prime;
    return c;
}

static void multiply(const struct matrix *m, uint64_t v[3], uint64_t prime)
{
    uint64_t out[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[i] = (out[i] + m->e[i][k] * v[k] % prime) % prime;
    memcpy(v, out, sizeof out);
}

// Writes three words of each stream's state, from `first` on.
static void fill_streams(uint64_t v[3], struct matrix power, uint64_t prime, uint64_t offset,
                         unsigned spacing, uint32_t (*states)[RAND_WORDS], int first, int streams)
{
    for (unsigned i = 0; i < spacing; i++) {
        if (i < 64 && offset >> i & 1) multiply(&power, v, prime);
        power = product(&power, &power, prime);
    }
    for (int s = 0; s < streams; s++) {
        for (int w = 0; w < 3; w++) states[s][first + w] = (uint32_t)v[w];
        multiply(&power, v, prime);
    }
}

void rand_states_mrg32k3a(uint64_t seed, uint64_t offset, unsigned spacing, uint32_t (*states)[RAND_WORDS],
                          int streams)
{
    enum { FIRST = 12345 };
    uint64_t x = (uint32_t)seed ^ 0x55555555u, y = (uint32_t)(seed >> 32) ^ 0xaaaaaaaau;
    uint64_t a[3] = {FIRST, FIRST, FIRST}, b[3] = {FIRST, FIRST, FIRST};
    for (int i = 0; i < 3 && seed; i++) {
        a[i] = a[i] * (i == 1 ? y : x) % prime_1;
        b[i] = b[i] * (i == 1 ? x : y) % prime_2;
    }
    fill_streams(a, step_1, prime_1, offset, spacing, states, 0, streams);
    fill_streams(b, step_2, prime_2, offset, spacing, states, 3, streams);
}

// -- MT19937 ------------------------------------------------------------------------------------------------------

void rand_state_mt19937(uint32_t seed, uint32_t state[RAND_MT_WORDS + 1])
{
    state[0] = seed;
    for (uint32_t i = 1; i < RAND_MT_WORDS; i++)
        state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
    state[RAND_MT_WORDS] = RAND_MT_WORDS;
}
