// Parses SPEC by its separators. Each error names the faulty part.
#include "cli/spec.h"
#include "base/clones.h"
#include "base/file.h"
#include "base/narrow.h"
#include "base/printable.h"
#include "base/rng.h"
#include "base/str.h"
#include "isa/tensor_map.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *range;
    uint8_t size_bytes;
    bool is_signed, is_float;
} types[SPEC_TYPE_COUNT] = {
    [SPEC_U8] = {"u8", "0 to 255", 1, false, false},
    [SPEC_S8] = {"s8", "-128 to 127", 1, true, false},
    [SPEC_U16] = {"u16", "0 to 65535", 2, false, false},
    [SPEC_S16] = {"s16", "-32768 to 32767", 2, true, false},
    [SPEC_U32] = {"u32", "0 to 4294967295", 4, false, false},
    [SPEC_S32] = {"s32", "-2147483648 to 2147483647", 4, true, false},
    [SPEC_U64] = {"u64", "0 to 18446744073709551615", 8, false, false},
    [SPEC_S64] = {"s64", "-9223372036854775808 to 9223372036854775807", 8, true, false},
    [SPEC_F32] = {"f32", "a number up to 3.4028235e38, nan or inf", 4, true, true},
    [SPEC_F64] = {"f64", "a number up to 1.7976931348623157e308, nan or inf", 8, true, true},
    [SPEC_F16] = {"f16", "a number up to 65504, nan or inf", 2, true, true},
    [SPEC_BF16] = {"bf16", "a number up to 3.3895314e38, nan or inf", 2, true, true},
};

unsigned spec_type_bytes(enum spec_type type) { return types[type].size_bytes; }
const char *spec_type_name(enum spec_type type) { return types[type].name; }
bool spec_type_is_float(enum spec_type type) { return types[type].is_float; }

static bool is_narrow(enum spec_type type) { return type == SPEC_F16 || type == SPEC_BF16; }

static enum narrow_format format_of(enum spec_type type)
{
    return type == SPEC_F16 ? NARROW_F16 : NARROW_BF16;
}

#define BYTES_MOST (1ull << 36) // the upper limit of memory.size

// Context for error messages.
struct parser {
    const char *text, *folder, *what;
    struct loc loc;
    struct diag *d;
};

static bool fail(const struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const struct parser *p, const char *format, ...)
{
    struct strbuf message = {0};
    va_list args;
    if (p->what && *p->what) strbuf_printf(&message, "%s: ", p->what);
    // A long text (hex bytes) is cut; the reason follows.
    printable_format(&message, "\"%.60s%s\": ", p->text, strlen(p->text) > 60 ? "..." : "");
    va_start(args, format);
    printable_vformat(&message, format, args);
    va_end(args);
    diag_error(p->d, p->loc, "%s", strbuf_text(&message));
    strbuf_fini(&message);
    return false;
}

static const char *next_type(const void *context, size_t i)
{
    (void)context;
    return i < SPEC_TYPE_COUNT ? types[i].name : NULL;
}

static const char *next_word(const void *context, size_t i) { return ((const char *const *)context)[i]; }

static bool fail_unknown(const struct parser *p, const char *kind, const char *word, const char *near,
                         const char *known)
{
    if (near) return fail(p, "unknown %s \"%s\"; did you mean \"%s\"?", kind, word, near);
    return fail(p, "unknown %s \"%s\"; must be one of %s", kind, word, known);
}

static bool find_type(const char *word, enum spec_type *type)
{
    for (unsigned i = 0; i < SPEC_TYPE_COUNT; i++)
        if (str_equal(types[i].name, word)) {
            *type = (enum spec_type)i;
            return true;
        }
    return false;
}

static bool parse_type(const struct parser *p, const char *word, enum spec_type *type)
{
    if (find_type(word, type)) return true;
    return fail_unknown(p, "type", word, str_nearest(word, next_type, NULL),
                        "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64");
}

// Parses with strtof or strtod, or rounds the double to 16 bits: rounding to double first would round a float twice. False: not a number, or
// too large for the type.
static bool read_float(enum spec_type type, const char *text, uint8_t value[8])
{
    double d;
    if (!str_to_f64(text, &d)) return false;
    if (type == SPEC_F64) {
        memcpy(value, &d, 8);
        return true;
    }
    if (is_narrow(type)) {
        uint16_t bits = narrow_from(format_of(type), d);
        memcpy(value, &bits, sizeof bits);
        return isinf(d) || !isinf(narrow_to(format_of(type), bits));
    }
    float f = strtof(text, NULL);
    if (isinf(f) && !isinf(d)) return false;
    memcpy(value, &f, 4);
    return true;
}

static bool read_integer(enum spec_type type, const char *text, uint8_t value[8])
{
    unsigned bits = 8 * types[type].size_bytes;
    uint64_t u;
    int64_t s;
    if (types[type].is_signed) {
        if (!str_to_i64(text, &s)) return false;
        if (bits < 64 && (s < -(1ll << (bits - 1)) || s >= 1ll << (bits - 1))) return false;
        u = (uint64_t)s;
    } else if (!str_to_u64(text, &u) || (bits < 64 && u >> bits)) {
        return false;
    }
    memcpy(value, &u, 8);
    return true;
}

static bool parse_value(const struct parser *p, enum spec_type type, const char *text, uint8_t value[8])
{
    if (types[type].is_float ? read_float(type, text, value) : read_integer(type, text, value)) return true;
    return fail(p, "\"%s\" is not a valid %s; must be %s", text, types[type].name, types[type].range);
}

// Reads up to one byte more than `most`, to detect excess; devices may be endless. False and an error: not
// readable.
static bool read_bytes(const struct parser *p, const char *path, size_t most, struct spec *s)
{
    struct strbuf full = {0};
    if (p->folder && *path != '/') strbuf_printf(&full, "%s/", p->folder);
    strbuf_puts(&full, path);
    const char *why;
    bool ok = file_read_up_to(strbuf_text(&full), most + 1, &s->bytes, &s->length, &why);
    if (ok)
        s->path = full.text;
    else
        fail(p, "%s: %s", strbuf_text(&full), why);
    if (!ok) strbuf_fini(&full);
    return ok;
}

static bool read_whole(const struct parser *p, const char *path, struct spec *s)
{
    if (!read_bytes(p, path, FILE_TEXT_MOST, s)) return false;
    if (s->length <= FILE_TEXT_MOST) return true;
    fail(p, "%s has more than 256 MiB", path);
    spec_fini(s);
    return false;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool parse_bytes(const struct parser *p, const char *text, struct spec *s)
{
    s->kind = SPEC_BYTES;
    if (*text == '@') return read_whole(p, text + 1, s);
    size_t digits = strlen(text);
    if (!digits || digits % 2) return fail(p, "bytes= takes pairs of hex digits, or @ and a path");
    s->bytes = heap_alloc(digits / 2);
    s->length = digits / 2;
    for (size_t i = 0; i < digits; i++) {
        int value = hex_digit(text[i]);
        if (value < 0) {
            free(s->bytes);
            return fail(p, "\"%c\" is not a hex digit", text[i]);
        }
        s->bytes[i / 2] = (char)((unsigned char)s->bytes[i / 2] << 4 | value);
    }
    return true;
}

// -- structures ---------------------------------------------------------------------------------------------

// Appends a field at the next place that its alignment allows.
static void put_field(struct spec *s, const void *value, size_t size)
{
    size_t offset = (s->length + size - 1) / size * size;
    s->bytes = heap_resize(s->bytes, offset + size);
    memset(s->bytes + s->length, 0, offset - s->length);
    memcpy(s->bytes + offset, value, size);
    s->length = offset + size;
}

static void put_pointer(struct spec *s, const char *name)
{
    put_field(s, &(uint64_t){0}, sizeof(uint64_t));
    s->pointers = heap_resize(s->pointers, (s->pointer_count + 1) * sizeof *s->pointers);
    s->pointers[s->pointer_count++] = (struct spec_pointer){s->length - sizeof(uint64_t), heap_strdup(name)};
}

static bool parse_field(const struct parser *p, char *field, struct spec *s, size_t *widest)
{
    char *value = strchr(field, ':');
    enum spec_type type = SPEC_U8;
    uint8_t bytes[8] = {0};
    if (!value || !value[1]) return fail(p, "\"%s\" is no field; write TYPE:VALUE or ptr:NAME", field);
    *value++ = 0;
    if (str_equal(field, "ptr")) {
        put_pointer(s, value);
        *widest = sizeof(uint64_t);
        return true;
    }
    if (!parse_type(p, field, &type) || !parse_value(p, type, value, bytes)) return false;
    put_field(s, bytes, types[type].size_bytes);
    if (types[type].size_bytes > *widest) *widest = types[type].size_bytes;
    return true;
}

// Parses TYPE:VALUE,TYPE:VALUE… Changes `text`.
static bool parse_structure(const struct parser *p, char *text, struct spec *s)
{
    size_t widest = 1;
    s->kind = SPEC_BYTES;
    for (char *field; (field = strsep(&text, ",")) != NULL;)
        if (!parse_field(p, field, s, &widest)) {
            spec_fini(s);
            return false;
        }
    size_t whole = (s->length + widest - 1) / widest * widest;
    s->bytes = heap_resize(s->bytes, whole);
    memset(s->bytes + s->length, 0, whole - s->length);
    s->length = whole;
    return true;
}

// -- tensor maps --------------------------------------------------------------------------------------------

// Numbers with an x between, one for each dimension from the innermost on. False: no such list.
static bool read_shape(char *text, uint64_t numbers[TENSOR_RANK_MAX], unsigned *count)
{
    *count = 0;
    for (char *word; (word = strsep(&text, "x")) != NULL; ++*count)
        if (*count == TENSOR_RANK_MAX || !str_to_u64(word, &numbers[*count])) return false;
    return true;
}

static bool set_shape(const struct parser *p, char *text, struct tensor_map *m, bool is_box)
{
    uint64_t numbers[TENSOR_RANK_MAX];
    unsigned count;
    if (!read_shape(text, numbers, &count) || (is_box && count != m->rank))
        return fail(
            p, "sizes and box are one to five numbers, such as 64x32, as many as the tensor has dimensions");
    m->rank = (uint8_t)count;
    for (unsigned k = 0; k < count; k++) {
        if (is_box)
            m->box[k] = numbers[k] > UINT32_MAX ? UINT32_MAX : (uint32_t)numbers[k];
        else
            m->sizes[k] = numbers[k];
        m->steps[k] = 1;
    }
    return true;
}

static bool set_element(const struct parser *p, const char *word, struct tensor_map *m)
{
    static const uint8_t of[SPEC_TYPE_COUNT] = {
        [SPEC_U8] = TENSOR_U8,   [SPEC_U16] = TENSOR_U16,  [SPEC_U32] = TENSOR_U32, [SPEC_S32] = TENSOR_S32,
        [SPEC_U64] = TENSOR_U64, [SPEC_S64] = TENSOR_S64,  [SPEC_F32] = TENSOR_F32, [SPEC_F64] = TENSOR_F64,
        [SPEC_F16] = TENSOR_F16, [SPEC_BF16] = TENSOR_BF16};
    enum spec_type type = SPEC_U8;
    if (!parse_type(p, word, &type)) return false;
    if (type == SPEC_S8 || type == SPEC_S16) return fail(p, "a tensor has no elements of %s", word);
    m->type = of[type];
    return true;
}

static bool set_option(const struct parser *p, const char *word, struct tensor_map *m)
{
    static const char *const swizzles[] = {"", "swizzle32", "swizzle64", "swizzle128"};
    bool is_known = str_equal(word, "nan");
    m->fills_nan |= is_known;
    for (uint8_t k = 1; k < 4; k++) {
        if (!str_equal(word, swizzles[k])) continue;
        m->swizzle = k;
        is_known = true;
    }
    return is_known || fail(p, "\"%s\" is not swizzle32, swizzle64, swizzle128 or nan", word);
}

// Parses NAME:TYPE:SIZES:BOX[:swizzle32|64|128][:nan]: 128 bytes, the address of NAME first. Changes `text`.
static bool parse_tensor_map(const struct parser *p, char *text, struct spec *s)
{
    struct tensor_map m = {.rank = 0};
    uint32_t words[TENSOR_MAP_WORDS];
    char *name = strsep(&text, ":"), *type = strsep(&text, ":"), *sizes = strsep(&text, ":"),
         *box = strsep(&text, ":");
    if (!box) return fail(p, "write tensormap=NAME:TYPE:SIZES:BOX");
    if (!set_element(p, type, &m) || !set_shape(p, sizes, &m, false) || !set_shape(p, box, &m, true))
        return false;
    for (char *word; (word = strsep(&text, ":")) != NULL;)
        if (!set_option(p, word, &m)) return false;
    m.strides[0] = tensor_type_bytes((enum tensor_type)m.type);
    for (unsigned k = 1; k < m.rank; k++) m.strides[k] = m.strides[k - 1] * m.sizes[k - 1];
    const char *why = tensor_map_encode(&m, words);
    if (why) return fail(p, "%s", why);
    s->kind = SPEC_BYTES;
    put_pointer(s, name);
    s->bytes = heap_resize(s->bytes, sizeof words);
    memcpy(s->bytes, words, sizeof words);
    s->length = sizeof words;
    return true;
}

static bool parse_file(const struct parser *p, const char *path, struct spec *s)
{
    uint64_t want = spec_size_bytes(s);
    if (want > BYTES_MOST) return fail(p, "%" PRIu64 " bytes; a device has at most 64 GiB", want);
    if (!read_bytes(p, path, want, s)) return false;
    if (s->length == want) return true;
    if (s->length > want)
        fail(p, "%s has more than the %" PRIu64 " bytes of %" PRIu64 " x %s", path, want, s->count,
             types[s->type].name);
    else
        fail(p, "%s has %zu bytes, not the %" PRIu64 " of %" PRIu64 " x %s", path, s->length, want, s->count,
             types[s->type].name);
    spec_fini(s);
    return false;
}

static bool parse_init(const struct parser *p, const char *text, struct spec *s)
{
    static const char *const words[] = {"none", "zero", "iota", "const:", "rand:", "file:", NULL};
    if (str_equal(text, "none")) {
        s->init = SPEC_NONE;
    } else if (str_equal(text, "zero")) {
        s->init = SPEC_ZERO;
    } else if (str_equal(text, "iota")) {
        s->init = SPEC_IOTA;
    } else if (str_starts_with(text, "const:")) {
        s->init = SPEC_CONST;
        return parse_value(p, s->type, text + 6, s->value);
    } else if (str_starts_with(text, "rand:")) {
        s->init = SPEC_RAND;
        if (!str_to_u64(text + 5, &s->seed))
            return fail(p, "\"%s\" is not a seed; rand: takes a 64-bit number", text + 5);
    } else if (str_starts_with(text, "file:")) {
        s->init = SPEC_FILE;
        return parse_file(p, text + 5, s);
    } else {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":") + (strchr(text, ':') != NULL), text);
        return fail_unknown(p, "content", text, *text ? str_nearest(word, next_word, words) : NULL,
                            "none, zero, iota, const:V, rand:SEED and file:PATH");
    }
    return true;
}

// Parses TYPE:COUNT:INIT or TYPE:W[xH[xD]]:INIT. Changes `text`.
static bool parse_array(const struct parser *p, char *text, struct spec *s)
{
    bool texture = s->kind == SPEC_TEXTURE;
    const char *form = texture ? "tex=TYPE:W[xH[xD]]:INIT" : "buf=TYPE:COUNT:INIT";
    char *count = strchr(text, ':'), *init = count ? strchr(count + 1, ':') : NULL;
    if (!init) return fail(p, "write %s", form);
    *count++ = *init++ = 0;
    if (!parse_type(p, text, &s->type)) return false;
    if (texture && (types[s->type].size_bytes == 8 || is_narrow(s->type)))
        return fail(p, "a texture cannot hold %s", types[s->type].name);
    s->count = 1;
    char *rest = count;
    for (unsigned i = 0; rest && i < (texture ? 3 : 1); i++) {
        char *next = texture ? strchr(rest, 'x') : NULL;
        if (texture && next && rest[0] == '0' && next == rest + 1)
            next = strchr(next + 1, 'x'); // 0x… is a number
        if (next) *next++ = 0;
        uint64_t n;
        if (!str_to_u64(rest, &n)) return fail(p, "\"%s\" is not a count; write %s", rest, form);
        if (texture && (n == 0 || n > UINT32_MAX))
            return fail(p, "a side of %s texels; must be 1 to 4294967295", rest);
        if (texture) s->extent[i] = (uint32_t)n;
        if (__builtin_mul_overflow(s->count, n, &s->count))
            return fail(p, "more bytes than 64 bits can count");
        rest = next;
    }
    if (rest) return fail(p, "a texture has at most three sides");
    uint64_t bytes;
    if (__builtin_mul_overflow(s->count, (uint64_t)types[s->type].size_bytes, &bytes))
        return fail(p, "more bytes than 64 bits can count");
    return parse_init(p, init, s);
}

static bool parse_form(const struct parser *p, char *form, char *rest, struct spec *s)
{
    static const char *const forms[] = {"buf", "tex",  "bytes", "struct", "tensormap", "u8",
                                        "s8",  "u16",  "s16",   "u32",    "s32",       "u64",
                                        "s64", "bf16", "f16",   "f32",    "f64",       NULL};
    if (str_equal(form, "buf") || str_equal(form, "tex")) {
        s->kind = str_equal(form, "buf") ? SPEC_BUFFER : SPEC_TEXTURE;
        return parse_array(p, rest, s);
    }
    if (str_equal(form, "bytes")) return parse_bytes(p, rest, s);
    if (str_equal(form, "struct")) return parse_structure(p, rest, s);
    if (str_equal(form, "tensormap")) return parse_tensor_map(p, rest, s);
    s->kind = SPEC_SCALAR;
    if (find_type(form, &s->type)) return parse_value(p, s->type, rest, s->value);
    return fail_unknown(p, "form", form, str_nearest(form, next_word, forms),
                        "TYPE=, buf=, tex=, bytes=, struct= and tensormap=");
}

bool spec_parse(struct spec *s, const char *text, const char *folder, const char *what, struct loc loc,
                struct diag *d)
{
    struct parser p = {.text = text, .folder = folder, .what = what, .loc = loc, .d = d};
    *s = (struct spec){0};
    char *copy = heap_strdup(text), *equals = strchr(copy, '=');
    bool ok;
    if (equals) {
        *equals = 0;
        ok = parse_form(&p, copy, equals + 1, s);
    } else {
        ok = fail(&p, "write TYPE=VALUE, buf=TYPE:COUNT:INIT, tex=TYPE:WxH:INIT or bytes=HEX");
    }
    free(copy);
    if (!ok) *s = (struct spec){0};
    return ok;
}

void spec_fini(struct spec *s)
{
    for (size_t i = 0; i < s->pointer_count; i++) free(s->pointers[i].name);
    free(s->pointers);
    free(s->bytes);
    free(s->path);
    *s = (struct spec){0};
}

uint64_t spec_size_bytes(const struct spec *s)
{
    switch (s->kind) {
    case SPEC_SCALAR: return types[s->type].size_bytes;
    case SPEC_BYTES: return s->length;
    case SPEC_BUFFER:
    case SPEC_TEXTURE: return s->count * types[s->type].size_bytes;
    }
    return 0;
}

// Writes the elements first .. first + count - 1 of the sequence 0, 1, 2, …; integers keep the low bits. f32,
// f64, integers of 4 bytes and other integers have a loop each for speed: buffers of a million are common.
CLONES static void fill_iota(enum spec_type type, uint64_t first, uint64_t count, uint8_t *to)
{
    size_t size = types[type].size_bytes;
    if (type == SPEC_F32)
        for (uint64_t i = first; i < first + count; i++, to += size) {
            float f = (float)(int64_t)i; // half the instructions of a conversion from uint64_t
            memcpy(to, &f, sizeof f);
        }
    else if (type == SPEC_F64)
        for (uint64_t i = first; i < first + count; i++, to += size) {
            double d = (double)(int64_t)i;
            memcpy(to, &d, sizeof d);
        }
    else if (is_narrow(type))
        for (uint64_t i = first; i < first + count; i++, to += size) {
            uint16_t bits = narrow_from(format_of(type), (double)(int64_t)i);
            memcpy(to, &bits, sizeof bits);
        }
    else if (size == 4)
        for (uint64_t i = first; i < first + count; i++, to += 4) memcpy(to, &(uint32_t){(uint32_t)i}, 4);
    else
        for (uint64_t i = first; i < first + count; i++, to += size) memcpy(to, &i, size);
}

// As many upper bits as a significand has, over their range: exact, and below 1.
static uint16_t narrow_random(enum spec_type type, uint64_t z)
{
    return type == SPEC_F16 ? narrow_from(NARROW_F16, (double)(z >> 53) * 0x1p-11)
                            : narrow_from(NARROW_BF16, (double)(z >> 56) * 0x1p-8);
}

// The same for a random sequence.
static void fill_random(const struct spec *s, uint64_t first, uint64_t count, uint8_t *to)
{
    enum { CHUNK = 512 };
    uint64_t z[CHUNK];
    size_t size = types[s->type].size_bytes;
    struct rng r = rng_at(s->seed, first);
    if (s->type == SPEC_F32) {
        rng_fill_f32(&r, (float *)(void *)to, count, 0, 1);
        return;
    }
    for (uint64_t i = 0; i < count; i += CHUNK) {
        size_t n = count - i < CHUNK ? count - i : CHUNK;
        rng_fill_u64(&r, z, n);
        for (size_t k = 0; k < n; k++, to += size) {
            double d = rng_f64(z[k]);
            if (s->type == SPEC_F64) memcpy(&z[k], &d, sizeof d);
            if (is_narrow(s->type)) z[k] = narrow_random(s->type, z[k]);
            memcpy(to, &z[k], size);
        }
    }
}

void spec_fill(const struct spec *s, uint64_t first, uint64_t count, void *out)
{
    size_t size = types[s->type].size_bytes;
    uint8_t *p = out;
    switch (s->init) {
    case SPEC_NONE:
    case SPEC_ZERO: memset(out, 0, count * size); break;
    case SPEC_FILE: memcpy(out, s->bytes + first * size, count * size); break;
    case SPEC_CONST:
        for (uint64_t i = 0; i < count; i++) memcpy(p + i * size, s->value, size);
        break;
    case SPEC_IOTA: fill_iota(s->type, first, count, p); break;
    case SPEC_RAND: fill_random(s, first, count, p); break;
    }
}

void spec_print_element(enum spec_type type, const void *bytes, struct strbuf *out)
{
    uint64_t u = 0;
    memcpy(&u, bytes, types[type].size_bytes);
    unsigned unused = 64 - 8u * types[type].size_bytes;
    if (type == SPEC_F32) {
        float f;
        memcpy(&f, bytes, sizeof f);
        strbuf_printf(out, "%.9g", (double)f);
    } else if (type == SPEC_F64) {
        double d;
        memcpy(&d, bytes, sizeof d);
        strbuf_printf(out, "%.17g", d);
    } else if (is_narrow(type)) {
        strbuf_printf(out, type == SPEC_F16 ? "%.5g" : "%.4g", narrow_to(format_of(type), (uint16_t)u));
    } else if (types[type].is_signed) {
        strbuf_printf(out, "%" PRId64, (int64_t)(u << unused) >> unused);
    } else {
        strbuf_printf(out, "%" PRIu64, u);
    }
}
