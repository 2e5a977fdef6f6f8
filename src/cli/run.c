// `warpfold run`: one launch from options, a RISC-V program, or a script. Results, dumps and JSON are all
// written, or none.
#include "cli/run.h"
#include "base/file.h"
#include "base/printable.h"
#include "cli/checkpoint.h"
#include "cli/command.h"
#include "cli/cuda_program.h"
#include "cli/hosted.h"
#include "cli/interrupt.h"
#include "cli/print.h"
#include "cli/script.h"
#include "cli/shape.h"
#include "cli/unmodified.h"
#include "report/lines.h"
#include "report/table.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

// The arguments of a single launch.
struct arguments {
    struct spec *specs;
    struct session_argument *values;
    char **shown; // "--arg 2"
    size_t count;
};

static bool check_script(const struct options *o, struct diag *d)
{
    static const enum option_id own[] = {OPTION_KERNEL, OPTION_GRID,   OPTION_BLOCK,  OPTION_ARG,
                                         OPTION_SYMBOL, OPTION_SHARED, OPTION_CLUSTER};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (options_has(o, own[i]))
            return diag_error(d, loc_none(), "%s does not go with --script: write the command in the script",
                              options_name(own[i]));
    if (o->operands.count)
        return diag_error(d, loc_none(), "\"%s\" beside --script: load the file in the script (load FILE)",
                          o->operands.data[0]);
    return true;
}

static bool check_operands(const struct options *o, struct diag *d)
{
    if (!o->operands.count)
        return diag_error(d, loc_none(),
                          "%s needs a PTX file, CUDA C, or a RISC-V program; see `warpfold %s --help`",
                          options_command(o), options_command(o));
    if (o->operands.count > 1)
        return diag_error(d, loc_none(),
                          "%s takes a single file; \"%s\" is a second operand (an argument is --arg SPEC)",
                          options_command(o), o->operands.data[1]);
    return true;
}

static bool check_launch(const struct options *o, struct diag *d)
{
    if (options_has(o, OPTION_INPUT))
        return diag_error(d, loc_none(),
                          "--input is for RISC-V programs; a CUDA kernel's buffers are --arg buf=...");
    return true;
}

enum wf_status run_check(const struct options *o, struct diag *d)
{
    const char *why;
    bool good = false;
    if (options_has(o, OPTION_FILES)) {
        diag_error(d, loc_none(), "--files is for a program: warpfold run --files DIR -- PROGRAM");
        return WF_BAD_USAGE;
    }
    if (options_has(o, OPTION_SCRIPT)) return check_script(o, d) ? WF_OK : WF_BAD_USAGE;
    if (!check_operands(o, d)) return WF_BAD_USAGE;
    const char *path = o->operands.data[0];
    if (!file_can_read(path, &why)) {
        diag_error(d, loc_none(), "cannot read %s: %s", path, why);
        return WF_BAD_INPUT;
    }
    switch (hosted_kind(path)) {
    case HOSTED_FOREIGN: return WF_OK;
    case HOSTED_PROGRAM: good = hosted_check(o, d); break;
    case HOSTED_NONE: good = check_launch(o, d); break;
    }
    return good ? WF_OK : WF_BAD_USAGE;
}

static bool parse_arguments(const struct options *o, struct session *s, struct arguments *a)
{
    bool ok = true;
    a->specs = heap_alloc(o->given.count * sizeof *a->specs);
    a->values = heap_alloc(o->given.count * sizeof *a->values);
    a->shown = heap_alloc(o->given.count * sizeof *a->shown);
    for (size_t i = 0; i < o->given.count; i++) {
        if (o->given.data[i].id != OPTION_ARG) continue;
        struct strbuf shown = {0};
        strbuf_printf(&shown, "--arg %zu", a->count);
        a->shown[a->count] = shown.text;
        struct spec *spec = &a->specs[a->count++];
        ok &= spec_parse(spec, o->given.data[i].value, NULL, shown.text, loc_none(), s->diag) &&
              session_reads(s, spec, loc_none());
        if (spec->pointer_count)
            ok = diag_error(s->diag, loc_none(),
                            "%s: a field ptr:NAME is for scripts, whose buffers have names", shown.text);
    }
    return ok;
}

static void free_arguments(struct arguments *a)
{
    for (size_t i = 0; i < a->count; i++) {
        spec_fini(&a->specs[i]);
        free(a->shown[i]);
    }
    free(a->specs);
    free(a->values);
    free(a->shown);
}

// Allocates buffers in order of the arguments.
static enum wf_status place_arguments(struct session *s, struct arguments *a)
{
    for (size_t i = 0; i < a->count; i++) {
        struct spec *spec = &a->specs[i];
        if (spec->kind == SPEC_SCALAR || spec->kind == SPEC_BYTES) {
            session_spec_argument(&a->values[i], spec, a->shown[i]);
            continue;
        }
        char name[24], shown[40];
        snprintf(name, sizeof name, "%zu", i);
        snprintf(shown, sizeof shown, "argument %zu", i);
        size_t index = session_buffer(s, name, shown, spec, NULL, loc_none());
        if (index == SIZE_MAX) return WF_BAD_INPUT;
        const struct session_buffer *b = &s->buffers.data[index];
        session_address_argument(&a->values[i], b->texture ? b->texture : b->address, a->shown[i]);
    }
    return WF_OK;
}

static enum wf_status apply_symbols(const struct options *o, struct session *s)
{
    enum wf_status status = WF_OK;
    for (size_t i = 0; i < o->given.count && status == WF_OK; i++) {
        const char *text = o->given.data[i].value, *equals;
        if (o->given.data[i].id != OPTION_SYMBOL) continue;
        struct spec spec;
        if (!(equals = strchr(text, '='))) {
            diag_error(s->diag, loc_none(), "--symbol %s: write NAME=SPEC", text);
            return WF_BAD_INPUT;
        }
        if (!spec_parse(&spec, equals + 1, NULL, "--symbol", loc_none(), s->diag)) return WF_BAD_INPUT;
        char *name = heap_strndup(text, (size_t)(equals - text));
        status =
            session_reads(s, &spec, loc_none()) ? session_symbol(s, name, &spec, loc_none()) : WF_BAD_INPUT;
        free(name);
        spec_fini(&spec);
    }
    return status;
}

// Parses INDEX=PATH or NAME=PATH and finds the bytes to dump. An index is an argument in `a`, which must be a
// buffer or texture; `a` NULL, for scripts: names only.
static enum wf_status find_dump(struct session *s, const char *text, const struct arguments *a,
                                uint64_t *address, uint64_t *bytes, const char **path)
{
    const char *equals = strchr(text, '=');
    uint64_t index;
    if (!equals || equals == text || !equals[1]) {
        diag_error(s->diag, loc_none(), "--dump %s: write INDEX=PATH or NAME=PATH", text);
        return WF_BAD_INPUT;
    }
    *path = equals + 1;
    char *name = heap_strndup(text, (size_t)(equals - text));
    enum wf_status status = WF_OK;
    if (a && str_to_u64(name, &index)) {
        bool address_argument = index < a->count && a->values[index].kind == ARGUMENT_ADDRESS;
        if (index >= a->count)
            diag_error(s->diag, loc_none(), "--dump %s: the kernel has %zu arguments, counted from 0", text,
                       a->count);
        else if (!address_argument)
            diag_error(s->diag, loc_none(), "--dump %s: argument %" PRIu64 " is not a buffer", text, index);
        if (!address_argument) status = WF_BAD_INPUT;
    }
    if (status == WF_OK) status = session_place(s, name, address, bytes, loc_none());
    free(name);
    return status;
}

// Handles --dump. write: captures the bytes. Otherwise: only checks, before the run.
static enum wf_status dumps(const struct options *o, struct session *s, const struct arguments *a, bool write)
{
    for (size_t i = 0; i < o->given.count; i++) {
        if (o->given.data[i].id != OPTION_DUMP) continue;
        uint64_t address, bytes;
        const char *path;
        enum wf_status status = find_dump(s, o->given.data[i].value, a, &address, &bytes, &path);
        if (status != WF_OK) return status;
        if (write && (status = session_dump(s, address, bytes, path, loc_none())) != WF_OK) return status;
    }
    return WF_OK;
}

static bool parse_shape(const struct options *o, struct wf_launch_config *shape, struct diag *d)
{
    const char *shared = options_value(o, OPTION_SHARED);
    uint64_t bytes = 0;
    bool ok = shape_parse("--grid", options_value(o, OPTION_GRID), shape->grid, loc_none(), d);
    ok &= shape_parse("--block", options_value(o, OPTION_BLOCK), shape->block, loc_none(), d);
    if (options_has(o, OPTION_CLUSTER))
        ok &= shape_parse("--cluster", options_value(o, OPTION_CLUSTER), shape->cluster, loc_none(), d);
    if (shared && (!str_to_u64(shared, &bytes) || bytes > UINT32_MAX))
        return diag_error(d, loc_none(), "--shared %s: must be a number of bytes", shared);
    shape->shared_bytes = (uint32_t)bytes;
    return ok;
}

// Captures the dumps of a finished or interrupted run; after another `status`, nothing. Returns `status`, or
// the error of a failed capture.
static enum wf_status dumps_of(const struct options *o, struct session *s, const struct arguments *a,
                               enum wf_status status)
{
    if (status != WF_OK && status != WF_INTERRUPTED) return status;
    enum wf_status written = dumps(o, s, a, true);
    return written == WF_OK ? status : written;
}

// Without --grid or --block: an error that names the kernel's parameters.
static enum wf_status ask_for_shape(const struct options *o, struct session *s,
                                    const struct wf_kernel_facts *f)
{
    struct strbuf params = {0};
    for (uint32_t i = 0; i < f->param_count; i++) {
        const struct wf_param *p = &f->params[i];
        bool is_structure = str_equal(p->type, "b8") && p->bytes > 1,
             may_be_pointer = p->bytes * 8 == f->address_bits && p->type[0] != 'f';
        strbuf_puts(&params, i ? ", " : "");
        if (is_structure)
            strbuf_printf(&params, "%u bytes (--arg bytes=...)", p->bytes);
        else if (may_be_pointer)
            strbuf_printf(&params, "%s or a pointer (--arg buf=TYPE:COUNT:INIT)", p->type);
        else
            strbuf_printf(&params, "%s (--arg %s=...)", p->type, p->type);
    }
    diag_error(
        s->diag, loc_none(), "%s needs --grid and --block for kernel %s; %s%s; see `warpfold %s --help`",
        options_command(o), f->name, f->param_count ? "its parameters, in order: " : "it has no parameters",
        strbuf_text(&params), options_command(o));
    strbuf_fini(&params);
    return WF_BAD_USAGE;
}

static enum wf_status launch_once(const struct options *o, struct session *s, struct arguments *a)
{
    struct wf_launch_config shape = {0};
    enum wf_status status = session_load(s, o->operands.data[0], loc_none());
    if (status != WF_OK) return status;
    struct wf_kernel *kernel = session_kernel(s, options_value(o, OPTION_KERNEL), loc_none());
    if (!kernel) return WF_BAD_INPUT;
    if (!options_has(o, OPTION_GRID) || !options_has(o, OPTION_BLOCK))
        return ask_for_shape(o, s, wf_kernel_info(kernel));
    if (!parse_shape(o, &shape, s->diag) || !parse_arguments(o, s, a)) return WF_BAD_INPUT;
    if ((status = place_arguments(s, a)) != WF_OK) return status;
    if ((status = apply_symbols(o, s)) != WF_OK) return status;
    if ((status = dumps(o, s, a, false)) != WF_OK) return status;
    status = session_launch(s, kernel, &shape, a->values, a->count, loc_none());
    return dumps_of(o, s, a, status);
}

enum wf_status run_execute(const struct options *o, struct session *s)
{
    const char *script = options_value(o, OPTION_SCRIPT);
    if (!command_claim(o, s->results)) return WF_BAD_INPUT;
    if (script) {
        enum wf_status status = script_run(s, script);
        return dumps_of(o, s, NULL, status);
    }
    if (hosted_kind(o->operands.data[0]) == HOSTED_PROGRAM) return hosted_run(o, s);
    struct arguments a = {0};
    enum wf_status status = launch_once(o, s, &a);
    free_arguments(&a);
    return status;
}

// -- verification -------------------------------------------------------------------------------------------

enum { MISMATCHES_SHOWN = 10 };

// Compares the buffers of the run and of the plain run (without optimisation) element by element. Counts
// differences in s->report.verify_mismatches, and shows the first ten.
static void compare_buffers(struct session *s, struct session *base)
{
    enum { CHUNK = 1 << 20 };
    uint8_t *got = heap_alloc(CHUNK), *want = heap_alloc(CHUNK);
    for (size_t i = 0; i < s->buffers.count && i < base->buffers.count; i++) {
        const struct session_buffer *b = &s->buffers.data[i], *k = &base->buffers.data[i];
        if (b->freed || k->freed) continue;
        unsigned size = spec_type_bytes(b->spec.type);
        for (uint64_t at = 0; at < b->size_bytes; at += CHUNK) {
            uint64_t n = b->size_bytes - at < CHUNK ? b->size_bytes - at : CHUNK;
            if (wf_read(s->context, b->address + at, got, n) != WF_OK ||
                wf_read(base->context, k->address + at, want, n) != WF_OK)
                break;
            if (memcmp(got, want, n) == 0) continue;
            for (uint64_t e = 0; e < n; e += size) {
                if (memcmp(got + e, want + e, size) == 0) continue;
                if (s->report.verify_mismatches++ >= MISMATCHES_SHOWN) continue;
                struct strbuf text = {0};
                strbuf_printf(&text, "%s[%" PRIu64 "] is ", b->shown, (at + e) / size);
                spec_print_element(b->spec.type, got + e, &text);
                strbuf_puts(&text, ", the plain run gives ");
                spec_print_element(b->spec.type, want + e, &text);
                diag_note(s->diag, loc_none(), "%s", strbuf_text(&text));
                strbuf_fini(&text);
            }
        }
    }
    free(got);
    free(want);
}

static uint64_t counter(const struct report_run *r, const char *name)
{
    for (size_t i = 0; i < r->counter_count; i++)
        if (str_equal(r->counters[i].name, name)) return r->counters[i].value;
    return 0;
}

// The reason why different output bytes can be legal: races, the order of atomics, or launches that wait for
// each other and may count their waiting loops (classes R and O, workload.h). NULL: no reason.
static const char *why_order_matters(const struct report_run *base)
{
    for (size_t i = 0; i < base->launches.count; i++)
        if (base->launches.data[i].races) return "a race";
    for (size_t i = 0; i < base->launches.count; i++)
        if (base->launches.data[i].has_waited) return "launches that wait for each other";
    return counter(base, "exec.atomics") ? "atomics" : NULL;
}

// Reports a plain run (without optimisation) that failed or could not be made (for instance, an input
// readable only once). Unoptimised code also executes loads without users; an illegal address of such a load
// is found only by the plain run.
static enum wf_status refuse_plain(struct session *s, const struct session *base, enum wf_status status)
{
    bool failed = status == WF_PROGRAM_FAILED;
    struct strbuf why = {0};
    strbuf_printf(&why, "--verify: %s:\n%s",
                  failed ? "the program fails when nothing is optimised" : "the plain run cannot be made",
                  wf_errors(base->context));
    diag_format(base->diag, false, &why);
    diag_text(s->diag, DIAG_ERROR, loc_none(), strbuf_text(&why));
    strbuf_fini(&why);
    if (failed && base->report.fault_text && !s->report.fault_text)
        s->report.fault_text = heap_strdup(base->report.fault_text);
    return status;
}

static void tell_shared(struct session *s, uint64_t count)
{
    diag_error(s->diag, loc_none(),
               "--verify: %" PRIu64 " shared values differ from the values their readers would have computed",
               count);
}

// --verify for RISC-V programs: reports mismatches counted during the run. Values that a warp took from a
// mechanism, and compressed registers, were compared with computed values then. No optimised code exists to
// compare. Compressed registers have reported their own mismatches.
static enum wf_status verify_hosted(struct session *s)
{
    bool has_mechanisms = s->report.tech && !str_equal(s->report.tech, "base");
    if (s->report.verify_mismatches && has_mechanisms) tell_shared(s, s->report.verify_mismatches);
    s->report.verified = s->report.verify_mismatches ? REPORT_MISMATCH : REPORT_VERIFIED;
    return s->report.verify_mismatches ? WF_MISMATCH : WF_OK;
}

// --verify: runs again without optimisation, on the general engine, with race detection. Then compares
// buffers. A difference is WF_MISMATCH, or a warning if the order of execution may change the result.
static enum wf_status verify(const struct options *o, struct session *s)
{
    if (s->report.has_host) return verify_hosted(s);
    // Number of values that a warp took from a mechanism, and that differ from the values the warp computes.
    uint64_t shared = s->report.verify_mismatches;
    s->report.verify_mismatches = 0;
    static const char *const plain[][2] = {
        {"compile.optimise", "0"}, {"exec.isa", "general"}, {"check.races", "1"}};
    struct diag quiet;
    struct session base;
    struct results nothing; // discards the outputs of the plain run
    diag_init(&quiet);
    results_init(&nothing, &quiet);
    session_init(&base, wf_context_create(), &quiet, &nothing);
    base.sources = s->sources;
    enum wf_status status = command_settings(o, base.context, &quiet);
    if (status == WF_OK) status = wf_gpu(base.context, NULL);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0] && status == WF_OK; i++)
        status = wf_set(base.context, plain[i][0], plain[i][1]);
    interrupt_watch(base.context);
    if (status == WF_OK) status = run_execute(o, &base);
    if (status == WF_INTERRUPTED) {
        diag_error(s->diag, loc_none(), "--verify: the plain run was interrupted");
    } else if (status != WF_OK) {
        status = refuse_plain(s, &base, status);
    } else {
        compare_buffers(s, &base);
        const char *why = s->report.verify_mismatches ? why_order_matters(&base.report) : NULL;
        if (why) {
            diag_warn(s->diag, loc_none(),
                      "--verify: the result may depend on execution order (%s); memory is not compared", why);
            s->report.verify_mismatches = 0;
        } else {
            s->report.verified = s->report.verify_mismatches ? REPORT_MISMATCH : REPORT_VERIFIED;
            if (s->report.verify_mismatches) {
                diag_error(s->diag, loc_none(), "--verify: %" PRIu64 " elements differ from the plain run",
                           s->report.verify_mismatches);
                status = WF_MISMATCH;
            }
        }
    }
    if (shared && status != WF_INTERRUPTED) {
        tell_shared(s, shared);
        s->report.verified = REPORT_MISMATCH;
        s->report.verify_mismatches += shared;
        status = WF_MISMATCH;
    }
    wf_context_destroy(base.context);
    session_fini(&base);
    results_fini(&nothing);
    diag_fini(&quiet);
    return status;
}

// -- results ------------------------------------------------------------------------------------------------

// Whether a buffer differs from its initial content. Allocates no memory: the files are already written, so
// nothing may fail.
static bool is_changed(struct session *s, const struct session_buffer *b)
{
    enum { CHUNK = 1 << 10, WIDEST = 8 };
    size_t size = spec_type_bytes(b->spec.type);
    _Alignas(WIDEST) uint8_t now[CHUNK * WIDEST], before[CHUNK * WIDEST];
    bool changed = false;
    for (uint64_t i = 0; i < b->spec.count && !changed; i += CHUNK) {
        uint64_t n = b->spec.count - i < CHUNK ? b->spec.count - i : CHUNK;
        if (!b->content) spec_fill(&b->spec, i, n, before);
        changed = wf_read(s->context, b->address + i * size, now, n * size) == WF_OK &&
                  memcmp(now, b->content ? b->content + i * size : before, n * size) != 0;
    }
    return changed;
}

// Appends "argument 2  f32[1024] changed: 0.5 1.5 2.5 3.5 ..."
static void print_buffer(struct session *s, const struct session_buffer *b, struct strbuf *out)
{
    enum { SHOWN = 6 };
    printable_format(out, "%s  %s[%" PRIu64 "]%s", b->shown, spec_type_name(b->spec.type), b->spec.count,
                     is_changed(s, b) ? " changed:" : " unchanged:");
    size_t size = spec_type_bytes(b->spec.type);
    for (uint64_t i = 0; i < SHOWN && i < b->spec.count; i++) {
        uint8_t element[8];
        if (wf_read(s->context, b->address + i * size, element, size) != WF_OK) break;
        strbuf_putc(out, ' ');
        spec_print_element(b->spec.type, element, out);
    }
    strbuf_puts(out, b->spec.count > SHOWN ? " ...\n" : "\n");
}

static void print_summary(struct session *s, const struct options *o)
{
    enum { BUFFERS_SHOWN = 12 };
    struct strbuf out = {0};
    report_run_table(&s->report, file_takes_colour(STDOUT_FILENO), &out);
    if (options_has(o, OPTION_LINES)) report_lines_table(&s->report, file_takes_colour(STDOUT_FILENO), &out);
    if (options_has(o, OPTION_ENERGY))
        report_energy_table(&s->report.energy, file_takes_colour(STDOUT_FILENO), &out);
    size_t shown = 0;
    for (size_t i = 0; i < s->buffers.count; i++) {
        const struct session_buffer *b = &s->buffers.data[i];
        if (b->freed || *b->name == '#') continue;
        if (shown++ == BUFFERS_SHOWN) strbuf_puts(&out, "(more buffers are not shown)\n");
        if (shown <= BUFFERS_SHOWN) print_buffer(s, b, &out);
    }
    if (s->report.verified == REPORT_VERIFIED)
        strbuf_puts(&out,
                    s->report.has_host
                        ? "verified: at every read, compressed and shared values equal the computed values\n"
                        : "verified: an unoptimised run on the plain engine leaves the same bytes\n");
    print_text(stdout, strbuf_text(&out));
    strbuf_fini(&out);
}

struct kernel_output {
    FILE *to;
    struct strbuf *console; // keeps the end of a program's console output; NULL: not kept
};

static void print_kernel_text(void *context, const char *text, size_t length)
{
    enum { KEPT = 4096 };
    const struct kernel_output *out = context;
    print_bytes(out->to, text, length);
    if (!out->console) return;
    strbuf_write(out->console, text, length);
    if (out->console->length <= KEPT) return;
    size_t dropped = out->console->length - KEPT;
    memmove(out->console->text, out->console->text + dropped, KEPT + 1);
    out->console->length = KEPT;
}

// Writes all outputs: first the files, which can fail, then stdout.
static enum wf_status publish(const struct options *o, struct session *s, const struct unmodified *base,
                              enum wf_status status)
{
    struct strbuf text = {0};
    report_run_compare(&s->report, s->context);
    if (options_has(o, OPTION_JSON)) {
        s->report.config_json = wf_config_json(s->context);
        report_run_json(&s->report, &text);
        command_json(o, s->results, &text);
    }
    if (options_has(o, OPTION_TIMELINE)) {
        strbuf_clear(&text);
        command_timeline(o, s->context, base->context, &text, s->diag);
        results_put(s->results, options_value(o, OPTION_TIMELINE), strbuf_text(&text), text.length);
    }
    if (results_write(s->results) != WF_OK)
        status = WF_BAD_INPUT;
    else if (!command_json_alone(o) && !options_has(o, OPTION_QUIET) && !s->report.fault_text &&
             status != WF_INTERRUPTED)
        print_summary(s, o);
    for (size_t i = 0; i < s->report.warnings.count; i++) {
        struct strbuf warning = {0};
        report_warning_print(&s->report.warnings.data[i], &warning);
        diag_text(s->diag, DIAG_WARNING, loc_none(), strbuf_text(&warning));
        strbuf_fini(&warning);
    }
    if (s->report.race_text) diag_text(s->diag, DIAG_ERROR, loc_none(), s->report.race_text);
    strbuf_fini(&text);
    return status;
}

int command_run(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_RUN, argc, argv, &exit_status)) return exit_status;
    if (cuda_program_is_named(&o)) return cuda_program_command(&o);
    struct diag d;
    struct session s;
    struct results r;
    struct checkpoint checkpoint = {0};
    struct unmodified base = {0};
    struct sources sources;
    diag_init(&d);
    sources_init(&sources, &o);
    results_init(&r, &d);
    session_init(&s, wf_context_create(), &d, &r);
    s.sources = &sources;
    bool is_program = o.operands.count && hosted_kind(o.operands.data[0]) == HOSTED_PROGRAM;
    struct kernel_output output = {command_json_alone(&o) ? stderr : stdout,
                                   is_program ? &s.report.console : NULL};
    wf_set_print(s.context, print_kernel_text, &output);
    wf_set_progress(s.context, !options_has(&o, OPTION_QUIET));

    enum wf_status status = run_check(&o, &d);
    if (status == WF_OK && !checkpoint_init(&checkpoint, &o, &d)) status = WF_BAD_USAGE;
    if (checkpoint.path || checkpoint.bytes) s.checkpoint = &checkpoint;
    if (status == WF_OK) status = command_settings(&o, s.context, &d);
    if (status == WF_OK) {
        command_watch(&o, s.context);
        interrupt_watch(s.context);
        status = run_execute(&o, &s);
        if (status == WF_OK && options_has(&o, OPTION_VERIFY)) status = verify(&o, &s);
        // A race fails a run with check.races.
        if (status == WF_OK && s.report.race_text) status = WF_PROGRAM_FAILED;
        s.report.interrupted = status == WF_INTERRUPTED;
        if (status != WF_BAD_INPUT && status != WF_BAD_USAGE) {
            command_note_gpu(&o, &d);
            if (!is_program || options_has(&o, OPTION_GPU)) command_note_races(&o, s.context, &d);
            if (status != WF_INTERRUPTED) unmodified_run(&base, &o, &s);
            status = publish(&o, &s, &base, status);
        }
    }
    print_flush(stdout); // stdout precedes the messages
    exit_status = command_fail_both(s.context, &d, (int)status);
    unmodified_fini(&base);
    wf_context_destroy(s.context);
    session_fini(&s);
    results_fini(&r);
    checkpoint_fini(&checkpoint);
    sources_fini(&sources);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
