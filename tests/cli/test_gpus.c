// GPU files with classes of SMs. Fails where an error lacks its line, or where a valid file is not
// listed and reported class by class.
#include "api/warpfold.h"
#include "base/str.h"
#include "chip/gpus.h"
#include "cli/cli.h"
#include "harness/files.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH                                                                                               \
    "run $V --kernel vecadd --grid 8 --block 64 --arg buf=f32:512:iota --arg buf=f32:512:const:1 "           \
    "--arg buf=f32:512:zero --arg s32=512 --gpu $D/a.gpu"
#define BOTH "class.big.count = 2\nclass.little.count = 1\n"

static void check_errors(struct cli *c, const char *arguments, int status, const char *want)
{
    cli_run(c, arguments);
    const char *err = cli_errors(c);
    CHECK_MSG(c->t, c->status == status && strcmp(err, want) == 0,
              "warpfold %s\n    gives status %d, not %d, and\n%s    not\n%s", arguments, c->status, status,
              err, want);
}

static void test_files(struct test *t)
{
    static const struct {
        const char *text, *message; // message: the whole of stderr
    } rows[] = {
        {"class.big.cuont = 2\n",
         "$D/a.gpu:1:1: error: class.big.cuont: a class has no key \"cuont\"; did you mean \"count\"?\n"
         "    class.big.cuont = 2\n    ^\n"},
        {"class.big.sm.wraps = 2\n", "$D/a.gpu:1:1: error: class.big.sm.wraps: a class has no key "
                                     "\"sm.wraps\"; did you mean \"sm.warps\"?\n"
                                     "    class.big.sm.wraps = 2\n    ^\n"},
        {"class.big.colour = 2\n", "$D/a.gpu:1:1: error: class.big.colour: a class has no key \"colour\"; a "
                                   "class has count and the keys of an SM "
                                   "(`warpfold list keys`)\n    class.big.colour = 2\n    ^\n"},
        {"# the clock\nclass.big.gpu.core_mhz = 900\n",
         "$D/a.gpu:2:1: error: class.big.gpu.core_mhz: gpu.core_mhz is not a setting of an SM, so a class "
         "cannot set the key; set gpu.core_mhz\n    class.big.gpu.core_mhz = 900\n    ^\n"},
        {"class.big.dram.mhz = 900\n",
         "$D/a.gpu:1:1: error: class.big.dram.mhz: dram.mhz is not a setting of an SM, so a class cannot set "
         "the key; set dram.mhz\n    class.big.dram.mhz = 900\n    ^\n"},
        {"class.big.sim.check = 1\n",
         "$D/a.gpu:1:1: error: class.big.sim.check: sim.check is not a setting of an SM, so a class cannot "
         "set the key; set sim.check\n    class.big.sim.check = 1\n    ^\n"},
        {"class.big.sm.warps = 65\n", "$D/a.gpu:1:1: error: class.big.sm.warps=65: must be 1 to 64\n"
                                      "    class.big.sm.warps = 65\n    ^\n"},
        {"class.big.count = 0\n", "$D/a.gpu:1:1: error: class.big.count=0: must be 1 to 256\n"
                                  "    class.big.count = 0\n    ^\n"},
        {"class.2big.count = 1\n",
         "$D/a.gpu:1:1: error: class.2big.count: a class's name must be a letter and "
         "then letters, digits, _ or -, at "
         "most 31 together\n    class.2big.count = 1\n    ^\n"},
        {"class..count = 1\n", "$D/a.gpu:1:1: error: class..count: a class's name must be a letter and then "
                               "letters, digits, _ or -, at most 31 "
                               "together\n    class..count = 1\n    ^\n"},
        {"class.big = 1\n",
         "$D/a.gpu:1:1: error: class.big: no key of class big; write class.big.count = N or "
         "class.big.KEY = VALUE\n    class.big = 1\n    ^\n"},
        {"\nclass.big.sm.warps = 8\nclass.little.count = 2\n",
         "$D/a.gpu:2:1: error: class big has no count; say class.big.count = N\n"
         "    class.big.sm.warps = 8\n    ^\n"},
        {BOTH "gpu.sm_count = 4\n",
         "$D/a.gpu:3:1: error: gpu.sm_count is 4, and the classes have 3 SMs (big 2, little 1)\n"
         "    gpu.sm_count = 4\n    ^\n"},
        {"class.big.count = 200\nclass.little.count = 57\n",
         "$D/a.gpu:2:1: error: the classes have 257 SMs (big 200, little 57); a GPU has 256 at most\n"
         "    class.little.count = 57\n    ^\n"},
        {BOTH "class.little.sm.warps = 6\n",
         "$D/a.gpu:2:1: error: class little: sm.warps must be a multiple of issue.schedulers\n"
         "    class.little.count = 1\n    ^\n"},
        {"class.a.count = 1\nclass.b.count = 1\nclass.c.count = 1\nclass.d.count = 1\nclass.e.count = 1\n"
         "class.f.count = 1\nclass.g.count = 1\nclass.h.count = 1\nclass.i.count = 1\n",
         "$D/a.gpu:9:1: error: class.i.count: a chip has 8 classes of SMs at most\n"
         "    class.i.count = 1\n    ^\n"},
    };
    struct cli c = {.t = t};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        cli_write(&c, "a.gpu", rows[k].text, strlen(rows[k].text));
        check_errors(&c, LAUNCH, 2, rows[k].message);
        check_errors(&c, "list gpus $D/a.gpu", 2, rows[k].message);
    }
    cli_fini(&c);
}

// Settings of --set are checked together, after the last one.
static void test_set(struct test *t)
{
    struct cli c = {.t = t};
    cli_write(&c, "a.gpu", BOTH, strlen(BOTH));
    check_errors(&c, LAUNCH " --quiet --set class.big.count=3 --set gpu.sm_count=4", 0, "");
    check_errors(&c, LAUNCH " --quiet --set gpu.sm_count=4 --set class.big.count=3", 0, "");
    check_errors(&c, LAUNCH " --quiet --set class.big.count=3", 0, "");
    check_errors(&c, LAUNCH " --set gpu.sm_count=4", 2,
                 "error: gpu.sm_count is 4, and the classes have 3 SMs (big 2, little 1)\n");
    check_errors(&c, LAUNCH " --set class.mid.sm.warps=4", 2,
                 "error: class mid has no count; say class.mid.count = N\n");
    check_errors(&c, LAUNCH " --set class.big.memory.partitions=4", 2,
                 "error: class.big.memory.partitions: memory.partitions is not a setting of an SM, so a "
                 "class cannot set the key; set memory.partitions\n");
    check_errors(
        &c,
        LAUNCH
        " --quiet --set sm.warps=4 --set class.big.sm.registers=256 --set class.little.sm.warps=1 --set "
        "class.little.issue.schedulers=1",
        1,
        "error: a block of 2 warps, 8 registers a thread and 0 bytes of shared memory does not fit on an SM, "
        "for want of registers (sm.registers) in class big, of warps (sm.warps) in class little of "
        "$D/a.gpu\n");
    cli_fini(&c);
}

static const char *line_of(const char *text, const char *begin)
{
    const char *at = strstr(text, begin);
    return at ? at : "";
}

// Compares the line starting with `begin`, with every run of blanks as one blank.
static void check_line(struct cli *c, const char *begin, const char *want)
{
    char got[400] = "";
    size_t n = 0;
    for (const char *p = line_of(c->out, begin); *p && *p != '\n' && n + 1 < sizeof got; p++)
        if (*p != ' ' || (n && got[n - 1] != ' ')) got[n++] = *p;
    while (n && got[n - 1] == ' ') n--;
    got[n] = 0;
    CHECK_STR(c->t, got, want);
}

static void test_list(struct test *t)
{
    static const char text[] = "# a chip\ngpu.core_mhz = 900\nsm.warps = 32\nenergy.decode = 3 # pJ\n"
                               "compile.max_registers = 64\n" BOTH "class.little.sm.warps = 8\n"
                               "class.little.issue.scheduler = lrr\n";
    struct cli c = {.t = t};
    cli_write(&c, "a.gpu", text, sizeof text - 1);
    cli_run(&c,
            "list gpus $D/a.gpu --set sm.blocks=4 --set class.little.count=1 --set class.big.issue.width=1");
    CHECK_EQ(t, c.status, 0);
    char path[300], want[400];
    snprintf(path, sizeof path, "%s/a.gpu", test_directory(t));
    snprintf(want, sizeof want, "big 2 0 to 1 %s:6", path);
    check_line(&c, "big ", want);
    check_line(&c, "little ", "little 1 2 to 2 --set");
    check_line(&c, "gpu.sm_count", "gpu.sm_count 3 the classes' counts");
    snprintf(want, sizeof want, "gpu.core_mhz 900 %s:2", path);
    check_line(&c, "gpu.core_mhz", want);
    snprintf(want, sizeof want, "sm.warps 32 %s:3", path);
    check_line(&c, "sm.warps", want);
    snprintf(want, sizeof want, "class little 8 %s:8", path);
    check_line(&c, "class little", want);
    check_line(&c, "sm.blocks", "sm.blocks 4 --set");
    check_line(&c, "class big", "class big 1 --set");
    check_line(&c, "sm.registers", "sm.registers 65536 default: DARSIE, Table 2");
    snprintf(want, sizeof want, "energy.decode 3 %s:4: pJ", path);
    check_line(&c, "energy.decode", want);
    snprintf(want, sizeof want, "compile.max_registers 64 %s:5", path);
    check_line(&c, "compile.max_registers", want);
    CHECK(t, !strstr(c.out, "compile.profile"));

    cli_run(&c, "list gpus tiny");
    CHECK_EQ(t, c.status, 0);
    check_line(&c, "gpu.sm_count", "gpu.sm_count 1 tiny:2");
    check_line(&c, "sim.stall", "sim.stall 200000 default");
    CHECK(t, !strstr(c.out, "class"));

    check_errors(&c, "list gpus tinny", 2, "error: no GPU \"tinny\"; did you mean \"tiny\"?\n");
    check_errors(
        &c, "list gpus --set sm.warps=4", 2,
        "error: --set is for `warpfold list area`, `warpfold list occupancy` and `warpfold list gpus "
        "NAME`\n");
    check_errors(
        &c, "list keys --set sm.warps=4", 2,
        "error: --set is for `warpfold list area`, `warpfold list occupancy` and `warpfold list gpus "
        "NAME`\n");
    check_errors(&c, "list gpus tiny --set sm.warps=0", 2, "error: sm.warps=0: must be 1 to 64\n");
    check_errors(&c, "list keys tiny", 2,
                 "error: list takes one word of gpus, techs, kernels, inputs, studies, counters, measures, "
                 "experiments, "
                 "keys, features, "
                 "claims, area, occupancy; a GPU may follow gpus\n");
    cli_fini(&c);
}

// `like` copies another GPU's file, line by line with places and sources. Later lines win over earlier
// ones, and --set over the file.
static void test_like(struct test *t)
{
    static const char text[] = "like = gtx1080ti\nsm.warps = 16 # half\ngpu.core_mhz = 900\n";
    struct cli c = {.t = t};
    cli_write(&c, "a.gpu", text, sizeof text - 1);
    cli_run(&c, "list gpus $D/a.gpu --set gpu.core_mhz=901");
    char want[400];
    snprintf(want, sizeof want, "sm.warps 16 %s/a.gpu:2: half", test_directory(t));
    check_line(&c, "sm.warps", want);
    check_line(&c, "gpu.core_mhz", "gpu.core_mhz 901 --set");
    check_line(
        &c, "fetch.per_scheduler",
        "fetch.per_scheduler 1 gtx1080ti:15: four sub-cores an SM, a front end each (Pascal tuning guide)");
    check_line(&c, "memory.partitions",
               "memory.partitions 11 gtx1080ti-paper:15: 352 bits: NVIDIA's specification");

    cli_write(&c, "b.gpu", "like = gtx1080ty\n", 17);
    check_errors(&c, "list gpus $D/b.gpu", 2,
                 "$D/b.gpu:1:1: error: like = gtx1080ty: unknown GPU; did you mean \"gtx1080ti\"?\n"
                 "    like = gtx1080ty\n    ^\n");
    cli_fini(&c);
}

// Every value of a card has a source: behind the value in a file, or in the table for a default. Exempt are
// settings of the simulator (sim.) and energies, with prices by event (docs/explanation/energy.md).
static void test_sources(struct test *t)
{
    const char *name, *meaning;
    for (size_t g = 0; wf_gpu_at(g, &name, &meaning); g++) {
        struct wf_context *c = wf_context_create();
        struct wf_key key;
        CHECK(t, wf_gpu(c, name) == WF_OK);
        for (size_t i = 0; !str_equal(name, "tiny") && wf_key_at(c, i, &key); i++)
            CHECK_MSG(t,
                      !key.is_gpus || key.source || str_starts_with(key.name, "sim.") ||
                          str_starts_with(key.name, "energy."),
                      "%s: %s = %s has no source (%s)", name, key.name, key.value, key.from);
        wf_context_destroy(c);
    }
}

// Whether a GPU derives by `like` from gtx1080ti-paper, the source of the defaults.
static bool is_like_papers(struct test *t, const struct gpu_file *g)
{
    char name[40] = "";
    const char *like = strstr(g->text, "\nlike = ");
    if (str_equal(g->name, "gtx1080ti-paper") || !like) return !like && str_equal(g->name, "gtx1080ti-paper");
    CHECK_EQ(t, sscanf(like, "\nlike = %39s", name), 1);
    for (size_t i = 0; gpu_file_at(i); i++)
        if (str_equal(gpu_file_at(i)->name, name)) return is_like_papers(t, gpu_file_at(i));
    CHECK_MSG(t, false, "%s is like no GPU \"%s\"", g->name, name);
    return false;
}

// Keys a library card not derived from the paper's may leave out, because all cards agree: policies,
// experiments' switches, settings of the simulator. Any other key stands in the file or in the file named by
// `like`. Otherwise a card could take another card's value unnoticed.
static bool is_no_cards(const char *key)
{
    static const char *const keys[] = {"gpu.dispatch",
                                       "gpu.keep_caches",
                                       "l2.copies",
                                       "units.shared_operand",
                                       "l1.keep",
                                       "texture.keep",
                                       "icache.perfect",
                                       "memory.perfect",
                                       "operands.conflicts",
                                       "issue.active_warps",
                                       "board.entries",
                                       "branch.bits",
                                       "branch.history",
                                       "branch.resolve",
                                       "machine",
                                       "energy.board_search",
                                       "energy.board_keep",
                                       "energy.board_leakage",
                                       "energy.bypass_leakage",
                                       "gpu.slice",
                                       "icache.warm",
                                       "gpu.warm",
                                       "constant.keep",
                                       "units.float_in_int",
                                       "lsu.copies",
                                       "mbarrier.suspend",
                                       "interval.wgmma",
                                       "interval.wgmma_registers",
                                       "latency.wgmma",
                                       "latency.wgmma_registers",
                                       "wgmma.queue",
                                       "gpu.gpcs",
                                       "dsmem.latency",
                                       "dsmem.bytes",
                                       "dsmem.request_bytes",
                                       "cluster.barrier_latency",
                                       "cluster.release",
                                       "cluster.release_interval",
                                       "bulk.latency",
                                       "bulk.load_bytes",
                                       "bulk.store_latency",
                                       "bulk.store_bytes",
                                       "bulk.commands",
                                       "bulk.descriptor",
                                       "bulk.bytes",
                                       "l2.line_bytes",
                                       "l2.coalesce",
                                       "icnt.sm_bytes"};
    for (size_t i = 0; i < TEST_COUNT(keys); i++)
        if (str_equal(keys[i], key)) return true;
    // Without tensor cores for a product: 0. No published energy of a card's lane or scalar register: 0.
    static const char *const prefixes[] = {"sim.",          "latency.mma_",    "interval.mma_",
                                           "tensor.",       "energy.product_", "energy.lane_",
                                           "energy.scalar_"};
    for (size_t i = 0; i < TEST_COUNT(prefixes); i++)
        if (str_starts_with(key, prefixes[i])) return true;
    return false;
}

// A card with a complete file: without `like`, and neither tiny nor
// gtx1080ti-paper, the source of the defaults.
static bool stands_alone(const struct gpu_file *g)
{
    bool named = str_equal(g->name, "gtx1080ti-paper") || str_equal(g->name, "tiny");
    return !named && !g->is_riscv && !strstr(g->text, "\nlike = ");
}

static void test_complete(struct test *t)
{
    unsigned complete = 0, alone = 0;
    for (size_t g = 0; gpu_file_at(g); g++) {
        alone += stands_alone(gpu_file_at(g));
        if (is_like_papers(t, gpu_file_at(g)) || str_equal(gpu_file_at(g)->name, "tiny")) continue;
        struct wf_context *c = wf_context_create();
        struct wf_key key;
        complete += stands_alone(gpu_file_at(g));
        CHECK(t, wf_gpu(c, gpu_file_at(g)->name) == WF_OK);
        for (size_t i = 0; wf_key_at(c, i, &key); i++)
            CHECK_MSG(t,
                      !str_equal(key.from, "default") ||
                          (key.is_gpus ? is_no_cards(key.name)
                                       : !str_equal(key.name, "compile.profile") || gpu_file_at(g)->is_riscv),
                      "%s leaves out %s, and has %s, which is the GTX 1080 Ti's", gpu_file_at(g)->name,
                      key.name, key.value);
        wf_context_destroy(c);
    }
    CHECK(t, alone > 0);
    CHECK_EQ(t, complete, alone);
}

// gpus/ and the library have the same GPUs with the same texts; aliases have no file.
static void test_folder(struct test *t)
{
    glob_t files;
    size_t rows = 0;
    CHECK(t, glob("gpus/*.gpu", 0, NULL, &files) == 0);
    for (size_t g = 0; gpu_file_at(g); g++) rows += !gpu_file_at(g)->alias_of;
    CHECK_EQ(t, files.gl_pathc, rows);
    for (size_t g = 0; gpu_file_at(g); g++) {
        struct strbuf path = {0};
        const char *name = gpu_file_at(g)->alias_of ? gpu_file_at(g)->alias_of : gpu_file_at(g)->name;
        strbuf_printf(&path, "gpus/%s.gpu", name);
        char *text = test_read_file(t, path.text, NULL);
        CHECK_MSG(t, str_equal(text, gpu_file_at(g)->text), "%s: the library has another text", path.text);
        free(text);
        strbuf_fini(&path);
    }
    globfree(&files);
}

// A user's file without `like` gets a note of the keys left out; a file with
// `like` or a listed GPU gets no note.
static void test_left_out(struct test *t)
{
    struct cli c = {.t = t};
    static const char alone[] = "sm.warps = 32\nsim.stall = 0\ncompile.max_registers = 64\n",
                      like[] = "like = titanv\nsm.warps = 32\n";
    unsigned keys = 0;
    struct wf_context *context = wf_context_create();
    struct wf_key key;
    for (size_t i = 0; wf_key_at(context, i, &key); i++)
        keys += key.is_gpus && !str_starts_with(key.name, "sim.") && !str_equal(key.name, "machine") &&
                !str_equal(key.name, "gpu.slice");
    wf_context_destroy(context);
    char want[400];
    cli_write(&c, "a.gpu", alone, sizeof alone - 1);
    cli_run(&c, LAUNCH " --set sm.blocks=4");
    snprintf(want, sizeof want,
             "note: $D/a.gpu leaves out %u keys; missing keys have their defaults (`warpfold "
             "list gpus "
             "$D/a.gpu`)\n",
             keys - 1);
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, cli_errors(&c), want);
    cli_run(&c, "list gpus $D/a.gpu");
    snprintf(want, sizeof want, "\n%u keys are left out: missing keys have their defaults\n", keys - 1);
    CHECK_HAS(t, c.out, want);
    cli_run(&c, "bench vecadd --size small --gpu $D/a.gpu");
    CHECK_HAS(t, c.err, "a.gpu leaves out ");
    check_errors(&c, LAUNCH " --quiet", 0, "");
    cli_write(&c, "a.gpu", like, sizeof like - 1);
    check_errors(&c, LAUNCH, 0, "");
    cli_write(&c, "a.gpu", BOTH, strlen(BOTH)); // the classes give the number of SMs
    cli_run(&c, "list gpus $D/a.gpu");
    snprintf(want, sizeof want, "\n%u keys are left out", keys - 1);
    CHECK_HAS(t, c.out, want);
    cli_fini(&c);
}

// A setting made without a file survives later GPU files, in the library, too.
static void test_set_wins(struct test *t)
{
    struct wf_context *c = wf_context_create();
    struct wf_key key;
    CHECK(t,
          wf_set(c, "sm.warps", "8") == WF_OK && wf_gpu(c, "tiny") == WF_OK && wf_gpu(c, "titanv") == WF_OK);
    for (size_t i = 0; wf_key_at(c, i, &key); i++) {
        if (str_equal(key.name, "sm.warps")) CHECK_STR(t, key.value, "8");
        if (str_equal(key.name, "gpu.sm_count")) CHECK_STR(t, key.value, "80");
    }
    wf_context_destroy(c);
}

static void test_area(struct test *t)
{
    struct cli c = {.t = t};
    static const char text[] = BOTH "class.little.sm.blocks = 8\nclass.little.sm.registers = 32768\n";
    cli_write(&c, "a.gpu", text, sizeof text - 1);
    cli_run(&c, "list area --gpu $D/a.gpu --tech uv");
    check_line(&c, "uv, class big     tokens ", "uv, class big tokens 2,048 1 2,048");
    check_line(&c, "uv, class little  tokens ", "uv, class little tokens 1,024 1 1,024");
    cli_run(&c, "list area --tech uv --set sm.registers=32768");
    check_line(&c, "uv         tokens ", "uv tokens 1,024 1 1,024");
    cli_fini(&c);
}

static void test_reports(struct test *t)
{
    struct cli c = {.t = t};
    static const char text[] = BOTH "class.little.sm.blocks = 1\n";
    cli_write(&c, "a.gpu", text, sizeof text - 1);
    cli_run(&c, LAUNCH " --tech darsie --json $D/out.json --timeline $D/t.json");
    CHECK_EQ(t, c.status, 0);
    // 8 blocks: 0 1 2 0 1 0 1 0 for the SMs 0, 1 and 2.
    check_line(&c, "class of SMs", "class of SMs SMs numbers SM cycles mean warps warp instr IPC of an SM");
    CHECK_HAS(t, line_of(c.out, "\nbig "), "0 to 1");
    CHECK_HAS(t, line_of(c.out, "\nlittle "), "2 to 2");
    size_t length;
    char *json = cli_read(&c, "out.json", &length), *timeline = cli_read(&c, "t.json", &length);
    if (json && timeline) {
        CHECK_STR(t, cli_json(json, "class.little.sm.blocks"), "1");
        CHECK_STR(t, cli_json(json, "gpu.sm_count"), "3");
        CHECK_HAS(t, json, "\"class\": \"little\",\n        \"first_sm\": 2,\n        \"sm_count\": 1,");
        CHECK_HAS(t, json, "\"sm\": 1,\n        \"class\": \"big\",");
        CHECK_HAS(t, json, "\"darsie: PC skip table, reads, class little\"");
        CHECK_HAS(t, json, "\"structure\": \"PC skip table\",\n      \"class\": \"big\"");
        // Of an SM of the class with more storage.
        CHECK_STR(t, cli_json(json, "storage_bits"), "88576");
        CHECK_HAS(t, timeline, "\"name\":\"SM 0 (big)\"");
        CHECK_HAS(t, timeline, "\"name\":\"SM 2 (little)\"");
    }
    cli_run(&c,
            "run $V --kernel vecadd --grid 1 --block 64 --arg buf=f32:64:iota --arg buf=f32:64:iota --arg "
            "buf=f32:64:zero --arg s32=64 --gpu tiny --json $D/plain.json");
    char *plain = cli_read(&c, "plain.json", &length);
    CHECK(t, plain && !strstr(plain, "\"class") && !strstr(c.out, "class"));
    free(plain);
    free(json);
    free(timeline);
    cli_fini(&c);
}

// Source of a row's registers: the compiler, or a paper for its group, unless set otherwise.
static void test_occupancy(struct test *t)
{
    static const struct {
        const char *workload, *arguments, *row;
    } lists[] = {{"rayTrace", "--bench rayTrace",
                  "rayTrace ray_trace 6 44 code 8,448 0 3 registers (sm.registers) 77.3 7,424 5"},
                 {"rayTrace", "--bench rayTrace --set launch.registers=40",
                  "rayTrace ray_trace 6 40 setting 7,680 0 4 registers (sm.registers) 93.8 2,048 1"},
                 {"hotspot", "--bench hotspot",
                  "hotspot hotspot 8 37 nvcc 9,728 3,072 3 registers (sm.registers) 89.1 3,584 2"},
                 {"rayTrace", "--bench warpman",
                  "rayTrace ray_trace 6 64 paper 12,288 0 2 registers (sm.registers) 75.0 8,192 4"},
                 {"rayTrace", "--bench warpman --set launch.registers=40",
                  "rayTrace ray_trace 6 40 setting 7,680 0 4 registers (sm.registers) 93.8 2,048 1"}};
    struct cli c = {.t = t};
    for (size_t k = 0; k < TEST_COUNT(lists); k++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "list occupancy --gpu gtx480 %s", lists[k].arguments);
        cli_run(&c, arguments);
        CHECK_EQ(t, c.status, 0);
        check_line(&c, lists[k].workload, lists[k].row);
    }
    cli_fini(&c);
}

// gtx480-322 has version 3.2.2's values where the versions of GPGPU-Sim differ; gtx480 has version 4's.
static void test_versions(struct test *t)
{
    static const struct {
        const char *key, *in_322, *in_4;
    } rows[] = {
        {"l1.mshrs", "32", "64"},      {"l1.index", "hash", "bits"},    {"l1.fetch", "line", "sectors"},
        {"l1.latency", "1", "35"},     {"shared.latency", "3", "26"},   {"dram.queue", "16", "64"},
        {"gpu.keep_caches", "1", "0"}, {"icnt.flit_bytes", "32", "40"}, {"l2.merges", "4", "32"}};
    struct cli c = {.t = t};
    for (unsigned old = 0; old < 2; old++) {
        cli_run(&c, old ? "list gpus gtx480-322" : "list gpus gtx480");
        for (size_t k = 0; k < TEST_COUNT(rows); k++) {
            char row[80];
            const char *value = old ? rows[k].in_322 : rows[k].in_4;
            snprintf(row, sizeof row, "\n%-26s %-11s ", rows[k].key, value);
            CHECK_MSG(t, strstr(c.out, row), "no row%s", row);
        }
    }
    cli_fini(&c);
}

// The first kernel fits and the second does not: the workload is refused, without made-up counts.
static void test_second_kernel(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "bench convolutionSeparable --size small --gpu gtx280 --set compile.profile=ptxplus --set "
                "sm.registers=4096");
    CHECK_EQ(t, c.status, 1);
    CHECK_MSG(t, strstr(c.out, "refused        -    -"), "%s", c.out);
    CHECK(t, strstr(cli_errors(&c), "for want of registers (sm.registers) of gtx280"));
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"files", test_files},       {"set", test_set},
        {"list", test_list},         {"like", test_like},
        {"sources", test_sources},   {"complete", test_complete},
        {"folder", test_folder},     {"second_kernel", test_second_kernel},
        {"left_out", test_left_out}, {"set_wins", test_set_wins},
        {"area", test_area},         {"occupancy", test_occupancy},
        {"reports", test_reports},   {"versions", test_versions}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
