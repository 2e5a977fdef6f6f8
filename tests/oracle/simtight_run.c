#include "oracle/simtight_run.h"

#include "base/file.h"
#include "base/str.h"
#include "oracle/simtight.h"

#include <stdlib.h>
#include <string.h>

struct request {
    const char *path, *input;
    bool shows_launches, is_lower_first;
};

static void print_counts(FILE *out, const char *prefix, const struct simtight_oracle_counts *c)
{
    enum { VECTOR_REGISTERS = 2048 };
#define X(NAME, MEANING) fprintf(out, "%s" #NAME " %llu\n", prefix, (unsigned long long)c->NAME);
    SIMTIGHT_COUNTS(X)
#undef X
    double threads = c->thread_instructions ? (double)c->thread_instructions : 1;
    double samples = c->vector_samples ? (double)c->vector_samples : 1;
    fprintf(out, "%sbeats %llu\n", prefix, (unsigned long long)(c->load_beats + c->store_beats));
    fprintf(out, "%svector_max %llu\n", prefix, (unsigned long long)c->vector_max);
    fprintf(out, "%svector_max_percent %.2f\n", prefix, 100 * (double)c->vector_max / VECTOR_REGISTERS);
    fprintf(out, "%svector_mean_percent %.2f\n", prefix,
            100 * (double)c->vector_sum / samples / VECTOR_REGISTERS);
    fprintf(out, "%sscalarised_percent %.2f\n", prefix, 100 * (double)c->scalarised / threads);
}

static void print_console(FILE *out, const char *text)
{
    for (bool begins = true; *text; text++) {
        if (begins) fputs("> ", out);
        fputc(*text, out);
        begins = *text == '\n';
        if (!begins && !text[1]) fputc('\n', out);
    }
}

static int print_result(FILE *out, const struct request *q, const struct simtight_oracle_result *r)
{
    print_console(out, r->console);
    for (size_t k = 0; q->shows_launches && k < r->launch_count; k++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "launch.%zu.", k);
        print_counts(out, prefix, &r->launches[k]);
    }
    fprintf(out, "launches %zu\n", r->launch_count);
    print_counts(out, "", &r->total);
    fprintf(out, "host_instructions %llu\n", (unsigned long long)r->host_instructions);
    fprintf(out, "host_load_beats %llu\n", (unsigned long long)r->host_load_beats);
    fprintf(out, "host_store_beats %llu\n", (unsigned long long)r->host_store_beats);
    fprintf(out, "data_hash %016llx\n", (unsigned long long)r->data_hash);
    fprintf(out, "scratchpad_hash %016llx\n", (unsigned long long)r->scratchpad_hash);
    if (r->error) fprintf(out, "error %s\n", r->error);
    return r->error != NULL;
}

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return 2;
}

// HEX: two digits a byte.
static bool read_hex(const char *text, uint8_t *bytes, size_t *length)
{
    for (*length = 0; text[0]; text += 2) {
        char digits[3] = {text[0], text[1], 0}, *end;
        bytes[(*length)++] = (uint8_t)strtoul(digits, &end, 16);
        if (end != digits + 2) return false;
    }
    return true;
}

static int give_input(struct simtight_oracle *o, const char *input)
{
    char *bytes;
    size_t length;
    const char *why;
    if (input[0] == '@') {
        if (!file_read(input + 1, &bytes, &length, &why)) return complain(input + 1, why);
    } else {
        bytes = malloc(strlen(input) + 1);
        if (!bytes) abort();
        if (!read_hex(input, (uint8_t *)bytes, &length)) {
            free(bytes);
            return complain(input, "two hexadecimal digits a byte are wanted");
        }
    }
    simtight_oracle_input(o, (const uint8_t *)bytes, length);
    free(bytes);
    return 0;
}

static bool parse(int argc, char **argv, struct request *q)
{
    for (int k = 0; k < argc; k++) {
        if (str_equal(argv[k], "--launches"))
            q->shows_launches = true;
        else if (str_equal(argv[k], "--lower-first"))
            q->is_lower_first = true;
        else if (str_equal(argv[k], "--input") && k + 1 < argc)
            q->input = argv[++k];
        else if (argv[k][0] != '-' && !q->path)
            q->path = argv[k];
        else
            return false;
    }
    return q->path;
}

int oracle_rv_run_main(int argc, char **argv, FILE *out)
{
    struct request q = {0};
    char *bytes;
    size_t length;
    const char *why;
    if (!parse(argc, argv, &q))
        return complain("usage", "run APP.elf [--input HEX|@FILE] [--launches] [--lower-first]");
    if (!file_read(q.path, &bytes, &length, &why)) return complain(q.path, why);
    struct simtight_oracle *o = simtight_oracle_create();
    bool is_elf = simtight_oracle_load(o, (const uint8_t *)bytes, length, &why);
    int status = !is_elf ? complain(q.path, why) : q.input ? give_input(o, q.input) : 0;
    simtight_oracle_lower_first(o, q.is_lower_first);
    if (status == 0) status = print_result(out, &q, simtight_oracle_run(o));
    simtight_oracle_destroy(o);
    free(bytes);
    return status;
}
