// mufu_check TABLES [FOLDER | ROWS.csv]: MUFU's rule (mufu.h) beside the files of bench/silicon/card/values_sfu.cu, or
// beside rows kept of a card (silicon/h100/values/functions.csv); with tables alone the checksums of the sweeps by the rule: instruction, first input, count, FNV-1a of the outputs as words of 32 bits.
//
//     gcc -O2 -std=c17 -ffp-contract=off -o mufu_check mufu_check.c -lm
#include "mufu.h"

typedef uint32_t apply(const struct mufu *m, uint32_t x);

static double exact_rcp(double x) { return 1.0 / x; }
static double exact_rsqrt(double x) { return 1.0 / sqrt(x); }

// Instructions that keep subnormals: scaled before and after, as the compiler does.
static uint32_t times(uint32_t x, float factor)
{
    float y = mufu_float(x) * factor;
    return y == y ? mufu_bits(y) : MUFU_NAN;
}
static bool is_tiny(uint32_t x) { return (x & 0x7fffffffu) < 0x800000u; }

static uint32_t kept_rcp(const struct mufu *m, uint32_t x)
{
    uint32_t a = x & 0x7fffffffu;
    if (a > 0 && is_tiny(x)) return times(mufu_rcp_bits(m, times(x, 0x1p24f)), 0x1p24f);
    if (a >= 0x7e800000u && a < MUFU_INFINITY) return times(mufu_rcp_bits(m, times(x, 0.25f)), 0.25f);
    return mufu_rcp_bits(m, x);
}
static uint32_t kept_rsqrt(const struct mufu *m, uint32_t x)
{
    return is_tiny(x) ? times(mufu_rsqrt_bits(m, times(x, 0x1p24f)), 0x1p12f) : mufu_rsqrt_bits(m, x);
}
static uint32_t kept_sqrt(const struct mufu *m, uint32_t x)
{
    return is_tiny(x) ? times(mufu_sqrt_bits(m, times(x, 0x1p24f)), 0x1p-12f) : mufu_sqrt_bits(m, x);
}
static uint32_t kept_ex2(const struct mufu *m, uint32_t x)
{
    if (!(mufu_float(x) < -126.0f)) return mufu_ex2_bits(m, x);
    uint32_t root = mufu_ex2_bits(m, times(x, 0.5f));
    return times(root, mufu_float(root));
}
static uint32_t kept_lg2(const struct mufu *m, uint32_t x)
{
    if (!is_tiny(x)) return mufu_lg2_bits(m, x);
    float y = mufu_float(mufu_lg2_bits(m, times(x, 0x1p24f))) - 24.0f;
    return y == y ? mufu_bits(y) : MUFU_NAN;
}

static const struct function {
    const char *name;
    apply *flushed, *kept;
    double (*exact)(double);
} functions[] = {
    {"rcp", mufu_rcp_bits, kept_rcp, exact_rcp}, {"rsqrt", mufu_rsqrt_bits, kept_rsqrt, exact_rsqrt},
    {"sqrt", mufu_sqrt_bits, kept_sqrt, sqrt},   {"ex2", mufu_ex2_bits, kept_ex2, exp2},
    {"lg2", mufu_lg2_bits, kept_lg2, log2},      {"sin", mufu_sin_bits, mufu_sin_bits, sin},
    {"cos", mufu_cos_bits, mufu_cos_bits, cos},  {"tanh", NULL, mufu_tanh_bits, tanh},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

struct file {
    unsigned char *bytes;
    size_t size;
};

// The bytes of FOLDER/NAME.bin; size 0 if there is no such file.
static struct file read_file(const char *folder, const char *name)
{
    char path[512];
    struct file f = {NULL, 0};
    snprintf(path, sizeof path, "%s/%s.bin", folder, name);
    FILE *in = fopen(path, "rb");
    if (!in) return f;
    f.bytes = malloc(1u << 26);
    if (f.bytes) f.size = fread(f.bytes, 1, 1u << 26, in);
    fclose(in);
    return f;
}

static uint32_t word(const struct file *f, size_t i)
{
    uint32_t w;
    memcpy(&w, f->bytes + 4 * i, sizeof w);
    return w;
}

static int64_t ordered(uint32_t bits)
{
    int32_t i = (int32_t)bits;
    return i < 0 ? (int64_t)INT32_MIN - i : i;
}
static int8_t clamped(int64_t x) { return (int8_t)(x < -127 ? -127 : x > 127 ? 127 : x); }

static uint32_t stratified(uint32_t i)
{
    static const uint32_t edges[5] = {0, 1, 0x7fffff, 0x400000, 0x3fffff};
    uint64_t z = i;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return i / 64 << 23 | (i % 64 < 5 ? edges[i % 64] : (uint32_t)z & 0x7fffff);
}

static void report(const char *name, size_t count, size_t different)
{
    printf("%s,%zu,%zu\n", name, count, different);
}

static void check_sweep(const struct mufu *m, const struct function *f, apply *rule, const char *folder,
                        const char *name, uint32_t first, uint32_t step)
{
    struct file file = read_file(folder, name);
    size_t different = 0;
    for (size_t i = 0; i < file.size; i++) {
        uint32_t x = first + (uint32_t)i * step;
        int64_t exact = ordered(mufu_bits((float)f->exact((double)mufu_float(x))));
        different += clamped(ordered(rule(m, x)) - exact) != (int8_t)file.bytes[i];
    }
    if (file.size > 0) report(name, file.size, different);
    free(file.bytes);
}

static void check_raw(const struct mufu *m, apply *rule, const char *folder, const char *name, uint32_t first,
                      uint32_t step)
{
    struct file file = read_file(folder, name);
    size_t different = 0, count = file.size / 4;
    for (size_t i = 0; i < count; i++) different += rule(m, first + (uint32_t)i * step) != word(&file, i);
    if (count > 0) report(name, count, different);
    free(file.bytes);
}

static void check_steps(const struct mufu *m, apply *rule, const char *folder, const char *name,
                        uint32_t first, uint32_t step)
{
    struct file file = read_file(folder, name);
    if (file.size == 0) return;
    uint32_t before = rule(m, first);
    size_t different = before != word(&file, 0);
    for (size_t i = 4; i < file.size; i++) {
        uint32_t y = rule(m, first + (uint32_t)(i - 3) * step);
        different += clamped((int64_t)y - before) != (int8_t)file.bytes[i];
        before = y;
    }
    report(name, file.size - 3, different);
    free(file.bytes);
}

static void check_function(const struct mufu *m, const struct function *f, bool flushed, const char *folder)
{
    static const uint32_t steps[] = {1, 4, 15, 16, 128, 256, 512};
    static const uint32_t extra[] = {0x3f7e0000, 0x41200000, 0xbf000000, 0xbf800000};
    apply *rule = flushed ? f->flushed : f->kept;
    char name[128];
    for (uint32_t n = 0; n < 32; n++) {
        uint32_t first = n < 28 ? 0x3b000000 + n * 0x800000 : extra[n - 28];
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            int length = snprintf(name, sizeof name, "%s.approx.%sf32-from-%08x-step-%u", f->name,
                                  flushed ? "ftz." : "", first, steps[s]);
            check_sweep(m, f, rule, folder, name, first, steps[s]);
            snprintf(name + length, sizeof name - (size_t)length, "-raw");
            check_raw(m, rule, folder, name, first, steps[s]);
            snprintf(name + length, sizeof name - (size_t)length, "-steps");
            check_steps(m, rule, folder, name, first, steps[s]);
        }
    }
    snprintf(name, sizeof name, "%s.approx.%sf32-all-exponents", f->name, flushed ? "ftz." : "");
    struct file file = read_file(folder, name);
    size_t different = 0;
    for (uint32_t i = 0; i < file.size / 4; i++) different += rule(m, stratified(i)) != word(&file, i);
    if (file.size > 0) report(name, file.size / 4, different);
    free(file.bytes);
}

static void check_high(const struct mufu *m, apply *rule, double (*exact)(double), const char *folder,
                       const char *base)
{
    static const uint32_t edges[4] = {0, 1, 0xfffff, 0x80000}, firsts[2] = {0x3ff00000, 0x40000000};
    char name[128];
    for (int n = 0; n < 2; n++) {
        snprintf(name, sizeof name, "%s-from-%08x-step-1-low-00000000", base, firsts[n]);
        struct file file = read_file(folder, name);
        size_t different = 0;
        for (uint32_t i = 0; i < file.size; i++) {
            uint64_t bits = (uint64_t)(firsts[n] + i) << 32;
            double x, y;
            memcpy(&x, &bits, sizeof x);
            y = exact(x);
            memcpy(&bits, &y, sizeof bits);
            uint32_t rounded = (uint32_t)((bits + 0x80000000u) >> 32);
            different += rule(m, firsts[n] + i) != (uint32_t)((int64_t)rounded + (int8_t)file.bytes[i]);
        }
        if (file.size > 0) report(name, file.size, different);
        free(file.bytes);
    }
    snprintf(name, sizeof name, "%s-all-exponents", base);
    struct file file = read_file(folder, name);
    size_t different = 0;
    for (uint32_t i = 0; i < file.size / 4; i++) {
        uint32_t fraction = i % 16 < 4 ? edges[i % 16] : stratified(i * 64 + 63) & 0xfffff;
        different += rule(m, i / 16 << 20 | fraction) != word(&file, i);
    }
    if (file.size > 0) report(name, file.size / 4, different);
    free(file.bytes);
}

static float from_half(uint32_t h)
{
    int e = (int)(h >> 10 & 31);
    float fraction = (float)(h & 1023);
    float y = e == 31 ? (h & 1023 ? NAN : INFINITY)
              : e     ? ldexpf(1024.0f + fraction, e - 25)
                      : ldexpf(fraction, -24);
    return h >> 15 ? -y : y;
}

// A float cut toward zero to f16 (values from 65536 give infinity), or to bf16; NaN is 0x7fff.
static uint32_t cut_to_half(uint32_t bits, bool brain)
{
    uint32_t sign = bits >> 16 & 0x8000u, a = bits & 0x7fffffffu;
    if (a > MUFU_INFINITY) return 0x7fff;
    if (brain) return bits >> 16;
    if (a >= 0x47800000u) return sign | 0x7c00u;
    if (a < 0x38800000u) return sign | (uint32_t)ldexpf(mufu_float(a), 24);
    return sign | ((a - 0x38000000u) >> 13);
}

static void check_halves(const struct mufu *m, apply *rule, bool brain, const char *folder, const char *name)
{
    struct file file = read_file(folder, name);
    size_t different = 0;
    for (uint32_t i = 0; i < file.size / 2; i++) {
        uint32_t x = brain ? i << 16 : mufu_bits(from_half(i));
        uint32_t got = (uint32_t)file.bytes[2 * i] | (uint32_t)file.bytes[2 * i + 1] << 8;
        different += cut_to_half(rule(m, x), brain) != got;
    }
    if (file.size > 0) report(name, file.size / 2, different);
    free(file.bytes);
}

// Divisions: a times MUFU.RCP of b. div.full scales both by 1/4 where |b| > 2^126; without .ftz both forms scale by 2^24
// where b is subnormal.
static uint32_t quotient(const struct mufu *m, uint32_t a, uint32_t b, bool full, bool flushed)
{
    uint32_t size = b & 0x7fffffffu;
    float factor = full && size > 0x7e800000u ? 0.25f : !flushed && is_tiny(b) ? 0x1p24f : 1.0f;
    if (flushed && is_tiny(a)) a &= 0x80000000u;
    if (factor != 1.0f) a = times(a, factor), b = times(b, factor);
    if (flushed && is_tiny(a)) a &= 0x80000000u;
    uint32_t y = times(a, mufu_float(mufu_rcp_bits(m, b)));
    return flushed && is_tiny(y) ? y & 0x80000000u : y;
}

static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint32_t moderate(uint64_t h)
{
    return (uint32_t)(h & 0x807fffff) | (107 + (uint32_t)((h >> 32 & 255) * 40 >> 8)) << 23;
}

static void check_division(const struct mufu *m, bool full, bool flushed, const char *folder)
{
    char name[64];
    int length = snprintf(name, sizeof name, "div.%s.%sf32", full ? "full" : "approx", flushed ? "ftz." : "");
    snprintf(name + length, sizeof name - (size_t)length, "-moderate");
    struct file file = read_file(folder, name);
    size_t different = 0;
    for (uint64_t i = 0; i < file.size; i++) {
        uint32_t a = moderate(mixed(2 * i + 1)), b = moderate(mixed(2 * i + 2));
        int64_t exact = ordered(mufu_bits(mufu_float(a) / mufu_float(b)));
        different += clamped(ordered(quotient(m, a, b, full, flushed)) - exact) != (int8_t)file.bytes[i];
    }
    if (file.size > 0) report(name, file.size, different);
    free(file.bytes);
    snprintf(name + length, sizeof name - (size_t)length, "-wide");
    file = read_file(folder, name);
    different = 0;
    for (uint64_t i = 0; i < file.size / 4; i++)
        different += quotient(m, (uint32_t)mixed(2 * i + 1), (uint32_t)mixed(2 * i + 2), full, flushed) !=
                     word(&file, i);
    if (file.size > 0) report(name, file.size / 4, different);
    free(file.bytes);
}

static void check_folder(const struct mufu *m, const char *folder)
{
    printf("file,outputs,different\n");
    for (int i = 0; i < FUNCTIONS; i++) {
        if (functions[i].flushed) check_function(m, &functions[i], true, folder);
        check_function(m, &functions[i], false, folder);
    }
    check_high(m, mufu_rcp64h_bits, exact_rcp, folder, "rcp.approx.ftz.f64");
    check_high(m, mufu_rsqrt64h_bits, exact_rsqrt, folder, "rsqrt.approx.ftz.f64");
    check_halves(m, mufu_ex2_bits, false, folder, "ex2.approx.f16x2");
    check_halves(m, mufu_ex2_bits, true, folder, "ex2.approx.ftz.bf16x2");
    check_halves(m, mufu_tanh_bits, false, folder, "tanh.approx.f16x2");
    check_halves(m, mufu_tanh_bits, true, folder, "tanh.approx.bf16x2");
    for (int i = 0; i < 4; i++) check_division(m, i & 1, i & 2, folder);
}

static void print_sweep(const struct mufu *m, const char *name, apply *rule, uint32_t first)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < 1u << 23; i++) {
        uint32_t y = rule(m, first + i);
        for (int byte = 0; byte < 4; byte++) sum = (sum ^ (y >> (8 * byte) & 255)) * 0x100000001b3u;
    }
    printf("%s,%08x,%u,%016llx\n", name, first, 1u << 23, (unsigned long long)sum);
}

static void print_sweeps(const struct mufu *m)
{
    printf("instruction,first,count,fnv1a64\n");
    print_sweep(m, "rcp.approx.ftz.f32", mufu_rcp_bits, 0x3f800000);
    print_sweep(m, "rsqrt.approx.ftz.f32", mufu_rsqrt_bits, 0x3f800000);
    print_sweep(m, "rsqrt.approx.ftz.f32", mufu_rsqrt_bits, 0x40000000);
    print_sweep(m, "sqrt.approx.ftz.f32", mufu_sqrt_bits, 0x3f800000);
    print_sweep(m, "sqrt.approx.ftz.f32", mufu_sqrt_bits, 0x40000000);
    print_sweep(m, "ex2.approx.ftz.f32", mufu_ex2_bits, 0x3f800000);
    print_sweep(m, "lg2.approx.ftz.f32", mufu_lg2_bits, 0x3f800000);
    print_sweep(m, "sin.approx.ftz.f32", mufu_sin_bits, 0x40800000);
    for (uint32_t first = 0x3e000000; first < 0x41000000; first += 0x800000)
        print_sweep(m, "tanh.approx.f32", mufu_tanh_bits, first);
}

// The output of an instruction by name; false for a name that is not known. Halves are four digits, doubles high words.
static bool output_of(const struct mufu *m, const char *name, uint32_t x, uint32_t *y)
{
    bool brain = strstr(name, "bf16x2") != NULL, flushed = strstr(name, ".ftz") != NULL;
    for (int i = 0; i < FUNCTIONS; i++) {
        size_t length = strlen(functions[i].name);
        if (strncmp(name, functions[i].name, length) != 0 || name[length] != '.') continue;
        apply *rule = flushed && functions[i].flushed ? functions[i].flushed : functions[i].kept;
        if (strstr(name, "f64"))
            *y = i == 0 ? mufu_rcp64h_bits(m, x) : mufu_rsqrt64h_bits(m, x);
        else if (strstr(name, "f16x2"))
            *y = cut_to_half((functions[i].flushed ? functions[i].flushed
                                                   : rule)(m, brain ? x << 16 : mufu_bits(from_half(x))),
                             brain);
        else
            *y = rule(m, x);
        return true;
    }
    return false;
}

// Rows of functions.csv: instruction, input, output in hex. Returns the count that differs.
static int check_rows(const struct mufu *m, const char *path)
{
    FILE *f = fopen(path, "r");
    char line[128], name[64];
    int rows = 0, different = 0;
    while (f && fgets(line, sizeof line, f)) {
        unsigned x, wanted;
        uint32_t y;
        if (sscanf(line, "%63[^,],%x,%x", name, &x, &wanted) != 3) continue;
        rows++;
        if (output_of(m, name, x, &y) && y == wanted) continue;
        different++;
        printf("%s", line);
    }
    if (f) fclose(f);
    printf("%d rows, %d differ\n", rows, different);
    return different + (rows == 0);
}

int main(int count, char **words)
{
    static struct mufu m;
    if (count < 2 || !mufu_load(&m, words[1])) {
        fprintf(stderr, "mufu_check TABLES [FOLDER | ROWS.csv]\n");
        return 1;
    }
    if (count > 2 && strstr(words[2], ".csv")) return check_rows(&m, words[2]) != 0;
    if (count > 2)
        check_folder(&m, words[2]);
    else
        print_sweeps(&m);
    return 0;
}
