// Scripts: every command, loops, and errors pointing at the word.
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run_script(struct cli *c, const char *text, const char *options)
{
    char arguments[300];
    cli_write(c, "s.wf", text, strlen(text));
    snprintf(arguments, sizeof arguments, "run --script $D/s.wf %s", options);
    cli_run(c, arguments);
}

// Replaces the kernels' path for a script in another folder.
static char *with_kernels(const char *text)
{
    char *out = malloc(strlen(text) + 5000), here[4000];
    if (!getcwd(here, sizeof here)) abort();
    sprintf(out, "load %s/tests/api/kernels.ptx\n%s", here, text);
    return out;
}

static void test_all_commands(struct test *t)
{
    struct cli c = {.t = t};
    char *text = with_kernels("set simt=stack           # a setting\n"
                              "\n"
                              "buffer in f32:8:iota\n"
                              "buffer out f32:8:const:-1\n"
                              "symbol factor f32=3\n"
                              "launch scale 1 8 in out f32=0.5 u32=6\n"
                              "dump out first.bin\n"
                              "swap in out              # the result is the next input\n"
                              "launch scale 1,1 8,1,1 in out f32=0 u32=8\n"
                              "copy out+16 in 8\n"
                              "fill out+28 f32=9\n"
                              "dump out second.bin\n"
                              "texture tex u8:4:iota clamp unit\n"
                              "bind picture tex\n"
                              "launch look 1 8 in\n"
                              "dump in \"third file.bin\"\n"
                              "launch mirror 1 8 out shared=32\n"
                              "free in\n"
                              "launch by_value 1 1 bytes=010000000200000003000000 out+8\n"
                              "dump out fourth.bin\n");
    run_script(&c, text, "--dump out=$D/last.bin --json $D/run.json");
    CHECK_MSG(t, c.status == 0, "status %d\n%s", c.status, c.err);
    size_t length;
    float *first = (float *)(void *)cli_read(&c, "first.bin", &length);
    for (int i = 0; first && i < 8; i++) CHECK(t, first[i] == (i < 6 ? 3 * (float)i + 0.5f : -1));
    float *second = (float *)(void *)cli_read(&c, "second.bin", &length);
    for (int i = 0; first && second && i < 7; i++)
        CHECK(t, second[i] == (i < 4 ? 3 * first[i] : i < 6 ? first[i - 4] : 3 * first[i]));
    CHECK(t, second && second[7] == 9);
    float *third = (float *)(void *)cli_read(&c, "third file.bin", &length);
    for (int i = 0; third && i < 8; i++) CHECK(t, third[i] == (float)(i < 3 ? i : 3) / 255.0f);
    unsigned *fourth = (unsigned *)(void *)cli_read(&c, "fourth.bin", &length);
    CHECK(t, fourth && fourth[0] == 7 && fourth[1] == 6 && fourth[2] == 1 && fourth[3] == 2 &&
                 fourth[4] == 3 && fourth[5] == 2);
    char *last = cli_read(&c, "last.bin", &length), *json = cli_read(&c, "run.json", &length);
    CHECK(t, last && fourth && memcmp(last, fourth, 32) == 0);
    CHECK_STR(t, json ? cli_json(json, "status") : "", "\"ok\"");
    CHECK_STR(t, json ? cli_json(json, "kernel") : "", "null"); // several kernels
    free(text);
    free(first);
    free(second);
    free(third);
    free(fourth);
    free(last);
    free(json);
    cli_fini(&c);
}

static void test_loops(struct test *t)
{
    struct cli c = {.t = t};
    char *text = with_kernels("buffer out u32:40:zero\n"
                              "repeat 3 i 4 10          # 4, 14, 24\n"
                              "  repeat 2 j\n"
                              "    fill out+$i u8=$j 1\n"
                              "    launch count 1 $i out\n"
                              "  end\n"
                              "end\n"
                              "repeat 0 k\n"
                              "  launch nothing $k\n"
                              "end\n"
                              "dump out o.bin\n");
    run_script(&c, text, "");
    CHECK_MSG(t, c.status == 1, "status %d\n%s", c.status,
              c.err); // the empty loop's launch has too few words
    CHECK_HAS(t, c.err,
              "s.wf:10:3: error: write launch KERNEL GRID BLOCK [ARGUMENT...] [shared=BYTES] [cluster=SHAPE] "
              "[stream=NAME]\n");
    CHECK(t, !cli_exists(&c, "o.bin"));
    char *k = strstr(text, "launch nothing $k");
    memcpy(k, "launch no 1 1 # 9", 17);
    run_script(&c, text, "");
    CHECK_MSG(t, c.status == 0, "status %d\n%s", c.status, c.err);
    size_t length;
    char *bytes = cli_read(&c, "o.bin", &length);
    unsigned sum;
    CHECK(t, bytes && length == 160);
    if (bytes) {
        memcpy(&sum, bytes, 4);
        CHECK_EQ(t, sum, 2 * (4 + 14 + 24));
        CHECK(t, bytes[4] == 1 && bytes[14] == 1 && bytes[24] == 1 && bytes[5] == 0);
    }
    CHECK_HAS(t, c.out, "count");
    free(bytes);
    free(text);
    cli_fini(&c);
}

// A variable is found although a buffer's name is near; buffers of `run` have the names "0", "1".
static void test_variable_near_buffer(struct test *t)
{
    struct cli c = {.t = t};
    char *text = with_kernels("buffer weight u32:3:zero\nbuffer w u32:3:zero\ncopy w weights\nlaunch "
                              "at_most_128 1 1\ndump w w.bin\n");
    run_script(&c, text, "");
    CHECK_MSG(t, c.status == 0, "status %d\n%s", c.status, c.err);
    size_t length;
    unsigned *words = (unsigned *)(void *)cli_read(&c, "w.bin", &length);
    CHECK(t, words && length == 12 && words[0] == 5 && words[1] == 6 && words[2] == 7);
    free(words);
    free(text);
    static const char ptx[] = ".version 6.4\n.target sm_70\n.address_size 64\n.global .align 4 .u32 n = 7;\n"
                              ".visible .entry k(.param .u64 a) { ret; }\n";
    cli_write(&c, "n.ptx", ptx, sizeof ptx - 1);
    cli_run(&c, "run $D/n.ptx --kernel k --grid 1 --block 1 --arg buf=u32:1:zero --dump n=$D/n.bin");
    CHECK_MSG(t, c.status == 0, "status %d\n%s", c.status, c.err);
    words = (unsigned *)(void *)cli_read(&c, "n.bin", &length);
    CHECK(t, words && length == 4 && words[0] == 7);
    free(words);
    cli_expect(&c, "run $D/n.ptx --kernel k --grid 1 --block 1 --arg buf=u32:1:zero --dump m=$D/m.bin", 1,
               "error: no variable \"m\" in $D/n.ptx\n");
    cli_fini(&c);
}

static void test_errors(struct test *t)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"lunch scale 1 1\n", "$D/s.wf:2:1: error: unknown command \"lunch\"; did you mean \"launch\"?\n    "
                              "lunch scale 1 1\n    ^~~~~\n"},
        {"buffer a\n", "$D/s.wf:2:1: error: write buffer NAME TYPE:COUNT:INIT\n    buffer a\n    ^~~~~~\n"},
        {"buffer a f32:x:zero\n", "$D/s.wf:2:10: error: \"buf=f32:x:zero\": \"x\" is not a count; write "
                                  "buf=TYPE:COUNT:INIT\n    buffer a f32:x:zero\n             ^~~~~~~~~~\n"},
        {"  launch count 1 32 nowhere\n", "$D/s.wf:2:21: error: no variable \"nowhere\" in ~"},
        {"buffer result u32:1:zero\nlaunch count 1 32 resalt\n",
         "$D/s.wf:3:19: error: no buffer \"resalt\"; did you mean \"result\"?\n~"},
        {"buffer a u32:1:zero\nlaunch count 1 1025 a\n",
         "$D/s.wf:3:1: error: block of 1025 x 1 x 1: x may be at most 1024\n~"},
        {"buffer a u32:1:zero\nlaunch count 1 one a\n",
         "$D/s.wf:3:16: error: block one: must be X[,Y[,Z]], whole numbers\n~"},
        {"buffer a u32:1:zero\nlaunch count 1 1\n",
         "$D/s.wf:3:1: error: kernel count takes 1 argument (u64); 0 were given\n~"},
        {"buffer a u32:1:zero\nlaunch count 1 1 u32=1\n",
         "$D/s.wf:3:1: error: u32=1: 4 bytes given; parameter 0 (u64) of kernel count takes 8\n~"},
        {"end\n", "$D/s.wf:2:1: error: end without a repeat\n    end\n    ^~~\n"},
        {"repeat 3\n", "$D/s.wf:2:1: error: repeat without an end\n    repeat 3\n    ^~~~~~\n"},
        {"repeat 3 i\nfill a u32=$j\nend\n", "$D/s.wf:3:8: error: no enclosing loop has a variable \"j\"\n~"},
        {"dump \"a b\n", "$D/s.wf:2:6: error: the quote is not closed\n    dump \"a b\n         ^\n"},
        {"buffer a u32:4:zero\ncopy a a+8 16\n",
         "$D/s.wf:3:6: error: 16 bytes do not fit: a has 16, a+8 has 8\n~"},
        {"buffer a u32:4:zero\nfill a+12 f64=1\nfill a f64=1 3\n",
         "$D/s.wf:4:6: error: 3 x f64 do not fit: a has 16 bytes\n~"},
        {"buffer a u32:4:zero\nfill a+17 u8=1\n", "$D/s.wf:3:6: error: a+17: a has only 16 bytes\n~"},
        {"set simd=stack\n", "$D/s.wf:2:5: error: unknown key \"simd\"; did you mean \"simt\"?\n~"},
        {"texture t u8:4:zero blurred\n", "$D/s.wf:2:21: error: write texture NAME~"},
        {"buffer a u32:4:zero\nbind picture a\n", "$D/s.wf:3:14: error: \"a\" is not a texture\n~"},
        {"symbol base u64=1\n", "$D/s.wf:2:8: error: variable base has 4 bytes, not 8\n~"},
        {"buffer a u32:1:zero\ndump a no/where/out\nlaunch count 1 1 a\n",
         "$D/s.wf:3:8: error: cannot write $D/no/where/out: No such file or directory\n~"},
        {"buffer a u32:1:zero\nstream left\nlaunch count 1 1 a stream=lift\n",
         "$D/s.wf:4:20: error: no stream \"lift\"; did you mean \"left\"?\n~"},
        {"buffer a u32:1:zero\nlaunch count 1 1 a stream=left\n",
         "$D/s.wf:3:20: error: no stream \"left\"; write stream left first\n~"},
        {"wait all\n", "$D/s.wf:2:6: error: no stream \"all\"; write stream all first\n~"},
        {"stream default\n", "$D/s.wf:2:8: error: default is the stream of launches without stream=NAME\n~"},
        {"stream a sms=3\n", "$D/s.wf:2:10: error: \"sms=3\": write class=CLASS or sms=FIRST-LAST\n~"},
        {"stream a sms=3-2\n", "$D/s.wf:2:10: error: \"sms=3-2\": write class=CLASS or sms=FIRST-LAST\n~"},
        {"stream a class=big\n", "$D/s.wf:2:10: error: the GPU has no class of SMs \"big\"\n~"},
        {"stream a\nbuffer a u32:1:zero\nlaunch count 1 1 stream=a\n",
         "$D/s.wf:4:1: error: kernel count takes 1 argument (u64); 0 were given\n~"},
        {"buffer a u32:1:zero\n", "$D/s.wf: error: the script launches nothing\n"},
    };
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        char *text = with_kernels(rows[i].text);
        run_script(&c, text, "--json $D/out.json");
        const char *err = cli_errors(&c), *want = rows[i].message;
        size_t length = strlen(want);
        bool begins = length && want[length - 1] == '~';
        bool same = begins ? strncmp(err, want, length - 1) == 0 : strcmp(err, want) == 0;
        CHECK_MSG(t, c.status == 1 + (strstr(want, "unknown key") != NULL), "status %d for\n%s", c.status,
                  rows[i].text);
        CHECK_MSG(t, same, "%s    gives\n%s    not\n%s", rows[i].text, err, want);
        CHECK_MSG(t, cli_files(&c) == 1 && !*c.out, "%s leaves something", rows[i].text);
        free(text);
    }
    run_script(&c, "buffer a u32:1:zero\nlaunch count 1 1 a\n", "");
    CHECK_HAS(t, c.err, "s.wf:2:1: error: no module is loaded; write load FILE first\n");
    static const char null[] = "buffer a u32:1\0:zero\n";
    cli_write(&c, "null.wf", null, sizeof null - 1);
    cli_run(&c, "run --script $D/null.wf");
    CHECK_HAS(t, c.err, "null.wf:1:10: error: a NUL byte\n");
    cli_fini(&c);
}

// An error in PTX points into the PTX; a note names the line of the script.
static void test_ptx_errors(struct test *t)
{
    struct cli c = {.t = t};
    cli_write(&c, "bad.ptx", "nonsense\n", 9);
    run_script(&c, "load bad.ptx\n", "");
    CHECK_EQ(t, c.status, 1);
    CHECK_HAS(t, c.err, "bad.ptx:1:1: error: ");
    CHECK_HAS(t, c.err, "s.wf:1:6: note: ");
    run_script(&c, "load none.ptx\n", "");
    CHECK_HAS(t, c.err, "s.wf:1:6: error: cannot read ");
    CHECK_HAS(t, c.err, "none.ptx: No such file or directory\n");
    cli_fini(&c);
}

// Launches in streams, reported in script order. Lines touching memory, and launches without a
// stream, come after all streams.
static void test_streams(struct test *t)
{
    static const char script[] =
        "load $H/tests/api/streams.ptx\n"
        "buffer w u32:8:const:2\n"
        "stream left\n"
        "stream right\n"
        "repeat 3 i\n"
        "  launch step 1 32 w+4 w+4 u32=300 u32=$i stream=left\n"
        "  launch step 1 32 w+8 w+8 u32=100 u32=$i stream=right\n"
        "end\n"
        "wait left\n"
        "dump w left.bin\n"
        "launch number 1 4 w+16 stream=right\n"
        "launch step 1 32 w+12 w+28 u32=0 u32=5\n" // reads the word written by the previous launch
        "launch step 1 32 w w u32=1000 u32=7 stream=left\n"
        "copy w+4 w 4\n"
        "launch step 1 32 w+8 w u32=1000 u32=7 stream=left\n"; // runs until the end of the script
    struct cli c = {.t = t};
    char text[6000], here[4000];
    CHECK(t, getcwd(here, sizeof here) != NULL);
    const char *rest = strstr(script, "$H");
    int length = snprintf(text, sizeof text, "%.*s%s%s", (int)(rest - script), script, here, rest + 2);
    static const char *const ways[] = {"--gpu tiny", "--functional",
                                       "--gpu gtx1080ti-paper --tech darsie --verify"};
    for (size_t k = 0; k < TEST_COUNT(ways); k++) {
        char options[200];
        size_t bytes;
        snprintf(options, sizeof options, "%s --dump w=$D/w.bin --json $D/run.json --quiet", ways[k]);
        run_script(&c, text, options);
        CHECK_MSG(t, c.status == 0, "%s: status %d\n%s", ways[k], c.status, c.err);
        unsigned *left = (unsigned *)(void *)cli_read(&c, "left.bin", &bytes);
        unsigned *w = (unsigned *)(void *)cli_read(&c, "w.bin", &bytes);
        char *json = cli_read(&c, "run.json", &bytes);
        unsigned thrice = ((2 * 31 + 0) * 31 + 1) * 31 + 2;
        CHECK(t, left && left[0] == 2 && left[1] == thrice && left[2] == thrice);
        unsigned seven = 2 * 31 + 7;
        CHECK(t, w && w[0] == seven && w[1] == seven && w[2] == seven * 31 + 7);
        CHECK(t, w && w[3] == 3 * 31 + 5 && w[4] == 0 && w[7] == 3);
        // Ten launches, the seventh of another kernel.
        const char *at = json ? strstr(json, "\"launches\": [") : NULL;
        for (int n = 0; at && n < 10; n++) {
            at = strstr(at + 1, "\"kernel\": ");
            CHECK_MSG(t, at && strstr(at, n == 6 ? "number" : "step") == at + strlen("\"kernel\": \""),
                      "launch %d: %.30s", n, at ? at : "none");
        }
        free(left);
        free(w);
        free(json);
    }
    (void)length;
    cli_fini(&c);
}

// A failed launch is reported at its own line, whichever line waits for it;
// unstarted launches are not reported.
static void test_stream_failures(struct test *t)
{
    static const char *const ends[] = {"",
                                       "wait\n",
                                       "wait b\n",
                                       "dump w w.bin\n",
                                       "launch count 1 1 w\n",
                                       "fill w u32=1\n",
                                       "set simt=stack\n",
                                       "free w\n",
                                       "buffer x u32:4:iota\n"};
    struct cli c = {.t = t};
    for (size_t k = 0; k < TEST_COUNT(ends) * 2; k++) {
        const char *how = k % 2 ? "--functional" : "--gpu tiny";
        char script[600];
        snprintf(script, sizeof script,
                 "buffer w u32:1:zero\n"
                 "stream a\n"
                 "stream b\n"
                 "launch count 1 32 w stream=a\n"
                 "launch trapped 1 1 stream=b\n"
                 "launch count 1 32 w stream=b\n%s",
                 ends[k / 2]);
        char *text = with_kernels(script), options[100];
        snprintf(options, sizeof options, "%s --json $D/run.json", how);
        run_script(&c, text, options);
        const char *err = cli_errors(&c), want[] = "$D/s.wf:6:1: error: kernel trapped: ";
        CHECK_MSG(t, c.status == 3, "%s: status %d\n%s", ends[k / 2], c.status, err);
        CHECK_MSG(t, strncmp(err, want, strlen(want)) == 0 && !strstr(err, "did not begin"), "%s: %s",
                  ends[k / 2], err);
        size_t length;
        char *json = cli_read(&c, "run.json", &length);
        CHECK_STR(t, json ? cli_json(json, "status") : "", "\"failed\"");
        CHECK_HAS(t, json ? json : "", "\"fault\": \"kernel trapped: ");
        free(json);
        free(text);
    }
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"all_commands", test_all_commands},
                                             {"loops", test_loops},
                                             {"variable_near_buffer", test_variable_near_buffer},
                                             {"errors", test_errors},
                                             {"ptx_errors", test_ptx_errors},
                                             {"streams", test_streams},
                                             {"stream_failures", test_stream_failures}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
