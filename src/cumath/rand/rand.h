// cuRAND's host interface over kernels of warpfold's own (kernels/libraries/curand.cu): words of a generator, then a
// distribution over the words. A status is a curandStatus_t. curand.def has the library's functions.
#pragma once
#include "cumath/device.h"

enum rand_status {
    RAND_SUCCESS = 0,
    RAND_NOT_INITIALIZED = 101,
    RAND_ALLOCATION_FAILED = 102,
    RAND_TYPE_ERROR = 103,
    RAND_OUT_OF_RANGE = 104,
    RAND_LENGTH_NOT_MULTIPLE = 105,
    RAND_LAUNCH_FAILURE = 201,
    RAND_PREEXISTING_FAILURE = 202,
    RAND_INITIALIZATION_FAILED = 203,
    RAND_INTERNAL_ERROR = 999
};
enum { RAND_STREAMS = 4096, RAND_STREAMS_MRG32K3A = 81920 }; // MRG32k3a of the legacy ordering has 4096, too
enum rand_type {                                             // curandRngType_t
    RAND_DEFAULT = 100,
    RAND_XORWOW = 101,
    RAND_MRG32K3A = 121,
    RAND_MT19937 = 142,
    RAND_PHILOX = 161
};

struct curand {
    int type; // enum rand_type
    bool to_host, is_seeded;
    uint64_t seed, offset;
    int ordering; // curandOrdering_t; 0: the default
    int streams;  // XORWOW, MRG32k3a
    void *module;
    struct cuda_stream *stream;
    uint64_t states; // device memory; 0: none yet
    uint64_t at;     // XORWOW, MRG32k3a: groups of words so far; Philox: words
};

enum rand_status rand_create(struct curand **g, int type, bool to_host);
enum rand_status rand_destroy(struct curand *g);
enum rand_status rand_set_seed(struct curand *g, uint64_t seed);
enum rand_status rand_set_offset(struct curand *g, uint64_t offset);
enum rand_status rand_set_ordering(struct curand *g, int ordering);
enum rand_status rand_set_stream(struct curand *g, struct cuda_stream *s);
enum rand_status rand_seed_now(struct curand *g); // makes the states
enum rand_status rand_version(int *version);
enum rand_status rand_property(int kind, int *value);
enum rand_status rand_absent(const char *name);

enum rand_form {
    FORM_BITS,
    FORM_UNIFORM,
    FORM_UNIFORM_DOUBLE,
    FORM_NORMAL,
    FORM_NORMAL_DOUBLE,
    FORM_POISSON
};
struct rand_request {
    enum rand_form form;
    void *out;
    size_t count;
    double mean, deviation; // Poisson: lambda is the mean
    bool is_log;
};
enum rand_status rand_generate(struct curand *g, const struct rand_request *q);

// -- streams of words far apart (jump.c) ----------------------------------------------------------------------

enum { RAND_WORDS = 6 }; // words of the state of a stream
// The states of `streams` streams, each 2^spacing words after the one before, all `offset` (below 2^spacing) words on.
void rand_states_xorwow(uint64_t seed, uint64_t offset, unsigned spacing, uint32_t (*states)[RAND_WORDS],
                        int streams);
void rand_states_mrg32k3a(uint64_t seed, uint64_t offset, unsigned spacing, uint32_t (*states)[RAND_WORDS],
                          int streams);
enum { RAND_MT_WORDS = 624 };
// The state after seeding by a number, and the count of used words.
void rand_state_mt19937(uint32_t seed, uint32_t state[RAND_MT_WORDS + 1]);
