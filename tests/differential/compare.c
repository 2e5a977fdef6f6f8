// One kernel: what the oracle leaves in memory, and what the engine does.
#include "differential/differential.h"

#include "api/warpfold.h"
#include "base/arena.h"
#include "base/rng.h"
#include "harness/settings.h"
#include "oracle/oracle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const struct variant variants[] = {
    {"sass", {NULL}, false, 0},
    {"plain", {"compile.optimise=0"}, false, 0},
    {"ptxplus-stack", {"compile.profile=ptxplus", "simt=stack"}, false, 0},
    {"sass-stack-portable", {"simt=stack", "exec.isa=portable"}, false, 2},
    {"sass-avx2", {"exec.isa=avx2", "compile.check=1"}, false, 2},
    {"sass-avx512", {"exec.isa=avx512"}, false, 2},
    {"sass-general", {"exec.isa=general"}, false, 4},
    {"few-registers", {"compile.max_registers=24", "compile.check=1"}, false, 2},
    {"ptxplus-plain-portable",
     {"compile.profile=ptxplus", "compile.optimise=0", "exec.isa=portable"},
     false,
     4},
    {"fewest-registers-stack", {"compile.max_registers=16", "simt=stack"}, false, 4},
    {"timed", {"gpu=gtx1080ti"}, false, 2},
    {"timed-tiny-stack", {"gpu=tiny", "simt=stack", "compile.profile=ptxplus"}, false, 2},
    {"darsie", {"gpu=tiny", "tech=darsie"}, false, 2},
    {"darsie-scarce",
     {"gpu=tiny", "tech=darsie:registers=2,entries=1,write-ports=1", "compile.profile=ptxplus", "simt=stack"},
     false,
     2},
    {"darsie-wide",
     {"gpu=gtx1080ti-subcore", "tech=darsie:watchdog=200", "fetch.refill=space", "fetch.ibuffer=6",
      "sim.check=1"},
     false,
     4},
    {"uv", {"gpu=tiny", "tech=uv", "sim.check=1"}, false, 2},
    {"uv-scarce",
     {"gpu=gtx1080ti-subcore", "tech=uv:entries=3,words=2,tag=2,latency=1", "compile.profile=ptxplus",
      "simt=stack", "issue.dependences=encoded"},
     false,
     4},
    {"dac", {"gpu=tiny", "tech=dac", "sim.check=1"}, false, 2},
    {"dac-scarce",
     {"gpu=gtx1080ti-subcore", "tech=dac:instances=1,predicates=uniform", "compile.profile=ptxplus",
      "issue.dependences=encoded", "sim.check=1", "simt=stack"},
     false,
     4},
    {"darsie-extended",
     {"gpu=tiny",
      "tech=darsie:branch-sync=parting,ahead=2,early=on,full=wait,evict=on,on-store=overlap,predicates=on,"
      "partial=on,registers=6,entries=4",
      "mark.tid_y=1", "mark.laneid=1", "mark.tid_x_mod=1", "mark.warp_classes=1", "sim.check=1"},
     false,
     2},
    {"darsie-ideal",
     {"gpu=tiny", "tech=darsie:branch-sync=off,bank-conflicts=off,on-store=keep", "compile.profile=ptxplus"},
     false,
     2},
    {"darsie-encoded",
     {"gpu=tiny", "tech=darsie:order=sync-on-write,registers=5,evict=on", "issue.dependences=encoded",
      "sim.check=1"},
     false,
     2},
    {"silicon-sync", {"gpu=tiny", "tech=silicon-sync", "sim.check=1"}, false, 4},
    {"silicon-sync-dac",
     {"gpu=tiny", "tech=silicon-sync+dac", "compile.profile=ptxplus", "simt=stack"},
     false,
     4},
    {"encoded", {"gpu=tiny", "issue.dependences=encoded", "sim.check=1"}, false, 4},
    {"studied", {"study=operands"}, false, 2},
    {"studied-stack", {"study=operands", "simt=stack", "compile.profile=ptxplus"}, false, 4},
    {"warp-64", {"warp.size=64"}, true, 0},
    {"timed-warp-64", {"gpu=titanv", "warp.size=64"}, true, 4},
    {"warp-64-stack-portable", {"warp.size=64", "simt=stack", "exec.isa=portable"}, true, 2},
    {"warp-8", {"warp.size=8", "compile.profile=ptxplus", "compile.check=1"}, true, 2},
    {"darsie-warp-8", {"gpu=tiny", "tech=darsie", "warp.size=8", "sim.check=1"}, true, 4},
    {"warp-1", {"warp.size=1"}, true, 4},
};
const unsigned variant_count = sizeof variants / sizeof variants[0];

const char *verdict_name(enum verdict v)
{
    static const char *const names[] = {"same", "invalid", "differs", "refused", "crashed", "timed out"};
    return names[v];
}

static bool set_pair(struct wf_context *c, const char *pair)
{
    if (str_starts_with(pair, "gpu=")) return wf_gpu(c, pair + 4) == WF_OK;
    if (str_starts_with(pair, "tech=")) { // what a mechanism shares is verified
        wf_set_verify(c, true);
        return wf_tech(c, pair + 5) == WF_OK;
    }
    return settings_pair(c, pair);
}

bool variant_available(unsigned index)
{
    struct wf_context *c = wf_context_create();
    bool available = true;
    for (unsigned k = 0; variants[index].settings[k]; k++)
        if (str_starts_with(variants[index].settings[k], "exec.isa"))
            available = set_pair(c, variants[index].settings[k]);
    wf_context_destroy(c);
    return available;
}

// Every fourth seed makes a kernel that any warp size runs alike; one in 32 a long one.
struct generator_options options_of(uint64_t seed)
{
    return (struct generator_options){.no_lanes = seed % 4 == 0, .statements = seed % 32 == 7 ? 250 : 0};
}

static void first_accumulators(uint64_t seed, uint8_t *acc)
{
    struct rng r;
    rng_init(&r, seed ^ 0xacc);
    for (unsigned k = 0; k < GENERATOR_ACC_BYTES; k += 8) {
        uint64_t v = rng_next(&r);
        if (k >= 192 && k < 208) v = 0; // sums of small floats begin at 0
        memcpy(acc + k, &v, 8);
    }
}

static uint32_t threads_of(const struct generated *g) { return g->block[0] * g->block[1] * g->block[2]; }

// ---- the oracle

enum {
    IN_AT = 0x10000000,
    ACC_AT = 0x20000000,
    OUT_AT = 0x30000000
}; // nothing a kernel stores depends on these

void expectation_fini(struct expectation *e)
{
    free(e->in);
    free(e->out);
    *e = (struct expectation){0};
}

static bool run_oracle(const struct ptx_module *m, const struct ptx_function *kernel, uint64_t max_steps,
                       struct expectation *e, struct strbuf *why)
{
    uint8_t params[GENERATOR_PARAM_BYTES];
    struct oracle *o = oracle_create(m);
    struct oracle_launch l = {
        .kernel = kernel, .params = params, .strict = true, .max_steps = max_steps ? max_steps : 100000000};
    memcpy(l.grid, e->launch.grid, sizeof l.grid);
    memcpy(l.block, e->launch.block, sizeof l.block);
    generator_input(e->launch.seed, e->in);
    first_accumulators(e->launch.seed, e->acc);
    generator_params(e->launch.seed, IN_AT, OUT_AT, ACC_AT, threads_of(&e->launch), params);
    oracle_map(o, IN_AT, e->in, GENERATOR_IN_BYTES);
    oracle_map(o, ACC_AT, e->acc, sizeof e->acc);
    oracle_map(o, OUT_AT, e->out, e->out_bytes);
    bool good = oracle_launch(o, &l);
    if (!good) strbuf_puts(why, oracle_error(o));
    e->steps = oracle_steps(o);
    oracle_destroy(o);
    return good;
}

bool expect(const char *text, uint64_t max_steps, struct expectation *e, struct strbuf *why)
{
    struct diag d;
    *e = (struct expectation){0};
    strbuf_clear(why);
    if (!generated_read(text, &e->launch)) {
        strbuf_puts(why, "no \"// launch\" comment");
        return false;
    }
    e->out_bytes = threads_of(&e->launch) * e->launch.grid[0] * e->launch.grid[1] * e->launch.grid[2] *
                   GENERATOR_OUT_BYTES;
    e->in = heap_alloc(GENERATOR_IN_BYTES);
    e->out = heap_alloc(e->out_bytes + 1);
    diag_init(&d);
    struct ptx_module *m =
        ptx_parse(text, strlen(text), diag_add_source(&d, "kernel.ptx", text, strlen(text)), &d);
    struct ptx_function *kernel = m ? ptx_find_entry(m, "k", &d) : NULL;
    bool good = false;
    if (kernel && kernel->prototype.param_bytes == GENERATOR_PARAM_BYTES)
        good = run_oracle(m, kernel, max_steps, e, why);
    else
        diag_format(&d, false, why);
    if (m) ptx_module_free(m);
    diag_fini(&d);
    if (!good) expectation_fini(e);
    return good;
}

// ---- the engine

static enum verdict refuse(struct wf_context *c, const struct wf_stats *stats, struct strbuf *why)
{
    strbuf_puts(why, wf_errors(c));
    if (stats && stats->fault_text) strbuf_puts(why, stats->fault_text);
    return REFUSED;
}

static void describe_difference(const uint8_t *got, const uint8_t *want, uint32_t size, const char *what,
                                struct strbuf *why)
{
    uint32_t first = 0, count = 0;
    for (uint32_t k = size; k-- > 0;) {
        if (got[k] == want[k]) continue;
        first = k;
        count++;
    }
    if (!count) return;
    uint32_t at = first & ~3u, g, w;
    memcpy(&g, got + at, 4);
    memcpy(&w, want + at, 4);
    strbuf_printf(why, "%s+0x%x", what, at);
    if (str_equal(what, "out"))
        strbuf_printf(why, " (thread %u, byte %u)", at / GENERATOR_OUT_BYTES, at % GENERATOR_OUT_BYTES);
    strbuf_printf(why, " is 0x%08x, the oracle has 0x%08x; %u bytes differ. ", g, w, count);
}

static bool check_memory(struct wf_context *c, uint64_t address, const uint8_t *want, uint32_t size,
                         const char *what, struct strbuf *why)
{
    uint8_t *got = heap_alloc(size + 1);
    bool same = wf_read(c, address, got, size) == WF_OK && memcmp(got, want, size) == 0;
    if (!same) describe_difference(got, want, size, what, why);
    free(got);
    return same;
}

static enum verdict run_engine(struct wf_context *c, const char *text, const struct expectation *e,
                               struct strbuf *why)
{
    uint8_t bytes[GENERATOR_IN_BYTES], params[GENERATOR_PARAM_BYTES];
    struct wf_stats stats = {0};
    struct wf_module *m = wf_module_load(c, "kernel.ptx", text, strlen(text));
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    if (!k) return refuse(c, NULL, why);
    uint64_t in = wf_alloc(c, sizeof bytes), acc = wf_alloc(c, GENERATOR_ACC_BYTES),
             out = wf_alloc(c, e->out_bytes);
    generator_input(e->launch.seed, bytes);
    wf_write(c, in, bytes, sizeof bytes);
    first_accumulators(e->launch.seed, bytes);
    wf_write(c, acc, bytes, GENERATOR_ACC_BYTES);
    generator_params(e->launch.seed, in, out, acc, threads_of(&e->launch), params);
    struct wf_launch_config shape = {0};
    memcpy(shape.grid, e->launch.grid, sizeof shape.grid);
    memcpy(shape.block, e->launch.block, sizeof shape.block);
    if (wf_launch_packed(k, &shape, params, sizeof params, &stats) != WF_OK) return refuse(c, &stats, why);
    if (stats.verify_mismatches != WF_UNKNOWN && stats.verify_mismatches) {
        strbuf_printf(why, "%llu shared values are not what their readers would have computed",
                      (unsigned long long)stats.verify_mismatches);
        return DIFFERS;
    }
    bool same = check_memory(c, out, e->out, e->out_bytes, "out", why);
    same &= check_memory(c, acc, e->acc, sizeof e->acc, "acc", why);
    same &= check_memory(c, in, e->in, GENERATOR_IN_BYTES, "in", why);
    return same ? SAME : DIFFERS;
}

enum verdict compare(const char *text, const struct expectation *e, unsigned variant, const char *extra,
                     struct strbuf *why)
{
    strbuf_clear(why);
    struct wf_context *c = wf_context_create();
    bool set = set_pair(c, "exec.max_warp_instructions=20000000") && set_pair(c, "memory.size=16M") &&
               set_pair(c, "compile.stack_bytes=16384");
    struct wf_study *study = NULL;
    for (unsigned k = 0; set && variants[variant].settings[k]; k++) {
        const char *pair = variants[variant].settings[k];
        if (str_starts_with(pair, "study="))
            set = (study = wf_study_create(pair + 6)) && wf_set_study(c, study) == WF_OK;
        else
            set = set_pair(c, pair);
    }
    if (set && extra) set = set_pair(c, extra);
    enum verdict v = set ? run_engine(c, text, e, why) : refuse(c, NULL, why);
    wf_context_destroy(c);
    wf_study_destroy(study);
    return v;
}

// ---- in a child

static void child(const char *text, unsigned variant, const char *extra, uint64_t max_steps, int to)
{
    struct expectation e;
    struct strbuf why = {0};
    enum verdict v = INVALID;
    if (expect(text, max_steps, &e, &why)) v = compare(text, &e, variant, extra, &why);
    if (write(to, strbuf_text(&why), why.length) < 0) _exit(INVALID);
    _exit((int)v);
}

enum verdict judge(const char *text, unsigned variant, const char *extra, uint64_t max_steps,
                   unsigned limit_s, struct strbuf *why)
{
    int pipes[2], status = 0;
    strbuf_clear(why);
    if (pipe(pipes)) return INVALID;
    pid_t pid = fork();
    if (pid == 0) {
        close(pipes[0]);
        if (!freopen("/dev/null", "w", stderr)) _exit(INVALID);
        alarm(limit_s);
        child(text, variant, extra, max_steps, pipes[1]);
    }
    close(pipes[1]);
    char part[512];
    for (ssize_t n; (n = read(pipes[0], part, sizeof part)) > 0;) strbuf_write(why, part, (size_t)n);
    close(pipes[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status))
        return (enum verdict)WEXITSTATUS(status) <= TIMED_OUT ? (enum verdict)WEXITSTATUS(status) : CRASHED;
    return WTERMSIG(status) == 14 ? TIMED_OUT : CRASHED; // SIGALRM
}
