// What the programs values_mma.cu and values_wgmma.cu share: forms of products, where elements lie in registers, files.
//
// A form's file holds the raw outputs, 32 bits an element (f64: 64), in the order distribution, tile, row, column.
// C and D in f16 take the low half of their word. The folder is CARD_OUT. A row tells name, elements and FNV-1a.
#pragma once
#include "card.cuh"
#include "values.h"

#include <cstring>
#include <string>

using kernel = void (*)(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
                        const uint32_t *more);

// One form: formats, shape, kernel, registers a lane, the distributions as bits and tiles of each.
struct form {
    const char *name;
    kernel run;
    format a, b, d;
    int m, n, k, chunk;
    int tiles;
    unsigned distributions;
};

inline constexpr unsigned every = 255, integers = 7, few = 1 | 2 | 4 | 64;

// The seed of the inputs. silicon/h100/values has outputs of seed 1 (rules found) and of seed 2 (rules confirmed).
inline constexpr uint64_t values_seed = 2;

// Elements of a row of A that are stored.
inline int stored(const form &f) { return f.chunk > 0 ? f.k / 2 : f.k; }

inline source source_of(const form &f, int distribution, int tile)
{
    return {values_seed, distribution, tile, stored(f), f.chunk, f.d.bits == 16};
}

// Metadata of a lane of the warp whose rows begin at `first`, selector 0. Types of 8 bits: lane parity chooses
// the row g or g + 8, bit 1 the half of the columns, 8 chunks. Else the low half is row g, the high half row g + 8, with
// 4 chunks each, and the parity chooses the half of the columns.
inline uint32_t metadata_word(const form &f, const source &s, int first, int lane)
{
    bool wide = f.a.bits == 8;
    uint32_t word = 0;
    for (int c = 0; c < 8; c++) {
        int row = (lane >> 2) + 8 * (wide ? lane & 1 : c >> 2);
        int chunk = wide ? 8 * (lane >> 1 & 1) + c : 4 * (lane & 1) + (c & 3);
        word |= chunk_metadata(s, first + row, chunk % (f.k / f.chunk)) << (4 * c);
    }
    return word;
}

// Writes `bytes` to CARD_OUT/NAME.bin and prints the row.
inline void write_values(const std::string &name, const void *bytes, size_t size, size_t count)
{
    const char *folder = std::getenv("CARD_OUT");
    std::string file = name, path = std::string(folder ? folder : ".") + "/";
    for (char &c : file)
        if (c == ' ') c = '-';
    path += file + ".bin";
    FILE *out = std::fopen(path.c_str(), "wb");
    if (!out || std::fwrite(bytes, 1, size, out) != size || std::fclose(out) != 0) {
        std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
        std::exit(1);
    }
    std::printf("\"values %s\",rows,%zu,%zu,%zu,\"fnv1a64 %016llx\"\n", name.c_str(), count, count, count,
                (unsigned long long)checksum(bytes, size));
    std::fflush(stdout);
}

// Host words on the card.
inline uint32_t *on_card(const std::vector<uint32_t> &words)
{
    uint32_t *p = card_memory<uint32_t>(words.size() + 1);
    CARD_TRY(cudaMemcpy(p, words.data(), words.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
    return p;
}

// Outputs before a launch: a pattern, so that an element left unwritten is seen.
inline uint32_t *poisoned(size_t words)
{
    uint32_t *p = card_memory<uint32_t>(words);
    CARD_TRY(cudaMemset(p, 0xa5, words * sizeof(uint32_t)));
    return p;
}

// Copies `count` elements back.
template <typename T> std::vector<T> from_card(const T *p, size_t count)
{
    std::vector<T> values(count);
    CARD_TRY(cudaMemcpy(values.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// Runs the parts named by the arguments, or every part; `--list` prints the names.
template <typename Form, size_t Count, typename Run>
int each_part(int count, char **words, const Form (&forms)[Count], Run run)
{
    bool list = count > 1 && std::strcmp(words[1], "--list") == 0;
    for (const Form &f : forms) {
        bool chosen = count == 1;
        for (int i = 1; i < count; i++) chosen = chosen || std::strcmp(words[i], f.name) == 0;
        if (list)
            std::printf("%s\n", f.name);
        else if (chosen)
            run(f);
    }
    return 0;
}
