// Hostile names of files and buffers, in PTX, in settings, in JSON. Fails where a command sends a control
// character to the terminal, a name spans two lines, or JSON becomes invalid.
#include "base/json_read.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "harness/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// For a file name in shell quotes: ESC, CSI, BEL, DEL, C1 in UTF-8 and alone, invalid UTF-8.
#define EVIL                                                                                                 \
    "e\033[31m\033]0;x\a\r\b\177\xc2\x9b"                                                                    \
    "2J\x9b\xff\xc0\x8az"
// For a word between blanks.
#define WORD                                                                                                 \
    "e\033[31m\a\177\xc2\x9b"                                                                                \
    "2J\x9b\xff\xc0\x8az"
// With a line break, for names able to hold a line break.
#define LINES "e\033[2J\nerror: forged\n\x9bz"

static void check_printable(struct test *t, const char *what, const char *text)
{
    for (size_t i = 0, n; text[i]; i += n) {
        n = printable_length(text + i, strlen(text + i));
        if (!n && text[i] == '\n') n = 1;
        CHECK_MSG(t, n, "%s sends byte 0x%02x:\n%.200s", what, (unsigned char)text[i], text);
        if (!n) return;
    }
}

static void check(struct cli *c, const char *arguments, int status)
{
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == status, "warpfold %s\n    gives %d: %s", arguments, c->status, c->err);
    check_printable(c->t, arguments, c->out);
    check_printable(c->t, arguments, c->err);
    CHECK_MSG(c->t, strncmp(c->err, "error: forged", 13) != 0 && !strstr(c->err, "\nerror: forged"),
              "warpfold %s\n    forges a message:\n%s", arguments, c->err);
}

// Hostile words in every place of the command line.
static void test_words(struct test *t)
{
    static const struct {
        const char *format;
        int status;
    } rows[] = {{"'%s'", 2},
                {"run '%s'", 1}, // no such file
                {"run $V '%s'", 2},
                {"run '--%s'", 2},
                {"run --kernel a --kernel '%s' $V", 2},
                {"run '$D/%s' --kernel k --grid 1 --block 1", 1},
                {"run $V --kernel '%s' --grid 1 --block 1", 1},
                {"run $V --kernel vecadd --grid '%s' --block 1", 1},
                {"run $V --kernel vecadd --grid 1 --block '1,%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --shared '%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --arg '%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --arg 's32=%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --arg 'bytes=%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --arg 'bytes=@$D/%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --arg 'buf=%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --arg 'buf=u8:%s:zero'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --arg 'buf=u8:4:%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --arg 'buf=u8:4:file:$D/%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --symbol '%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --symbol '%s=u32=1'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --dump '%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --dump '%s=$D/x'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --dump '0=$D/none/%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --json '$D/none/%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --timeline '$D/none/%s'", 1},
                {"run $V --kernel vecadd --grid 1 --block 1 --gpu '%s'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --gpu '$D/%s'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --tech '%s'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --tech 'darsie:%s=1'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --tech 'darsie:entries=%s'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --set '%s'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --set '%s=1'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --set 'issue.width=%s'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --set 'timeline.warps=%s'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --max-cycles '%s'", 2},
                {"run $V --kernel vecadd --grid 1 --block 1 --threads '%s'", 2},
                {"run --script '$D/%s'", 1},
                {"mark '$D/%s' --kernel k", 1},
                {"mark $V --kernel '%s'", 1},
                {"study '%s' $V", 2},
                {"study operands --bench '%s'", 1},
                {"study operands --bench vecadd --size '%s'", 2},
                {"bench '%s'", 1},
                {"bench vecadd --ptx '%s'", 2},
                {"list '%s'", 2},
                {"list area --tech '%s'", 2},
                {"compare '$D/%s' '$D/%s'", 1},
                {"reproduce '%s' --out $D/r", 2},
                {"reproduce '$D/%s' --out $D/r", 1},
                {"reproduce fig6 --out '$D/none/%s'", 1},
                {"reproduce fig6 --processes '%s'", 2}};
    static const char *const words[] = {EVIL, LINES};
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(rows); i++)
        for (size_t n = 0; n < TEST_COUNT(words); n++) {
            char arguments[600];
            snprintf(arguments, sizeof arguments, rows[i].format, words[n], words[n]);
            check(&c, arguments, rows[i].status);
        }
    cli_fini(&c);
}

// Valid files with hostile names, and results naming the files.
static void test_files(struct test *t)
{
    struct cli c = {.t = t};
    char *ptx = test_read_file(t, "kernels/ptx/nvcc/vecadd.ptx", NULL);
    cli_write(&c, EVIL ".ptx", ptx, strlen(ptx));
    cli_write(&c, LINES ".ptx", "?", 1);
    cli_write(&c, LINES ".gpu", "issue.width = 1\nissue.width = " EVIL "\n" EVIL " = 1\n",
              2 * strlen(EVIL) + 36);
    check(&c, "mark '$D/" EVIL ".ptx' --kernel vecadd", 0);
    check(&c, "run '$D/" LINES ".ptx' --kernel vecadd --grid 1 --block 1", 1);
    check(&c, "run '$D/" EVIL ".ptx' --kernel none --grid 1 --block 1", 1);
    check(&c, "run $V --kernel vecadd --grid 1 --block 1 --gpu '$D/" LINES ".gpu'", 2);
    check(&c,
          "run '$D/" EVIL
          ".ptx' --kernel vecadd --grid 1 --block 32 --arg buf=f32:32:zero --arg buf=f32:32:zero "
          "--arg buf=f32:32:zero --arg s32=32 --json '$D/" EVIL "-a.json' --timeline '$D/" EVIL "-t.json'",
          0);
    check(&c,
          "run '$D/" EVIL
          ".ptx' --kernel vecadd --grid 1 --block 32 --arg buf=f32:31:zero --arg buf=f32:32:zero "
          "--arg buf=f32:32:zero --arg s32=32 --quiet --json '$D/" EVIL "-b.json'",
          3);
    check(&c, "compare '$D/" EVIL "-a.json' '$D/" EVIL "-b.json'", 0);
    check(&c, "compare '$D/" EVIL "-a.json' '$D/" EVIL "-t.json'", 1);
    free(ptx);
    cli_fini(&c);
}

// .file names reach listings, studies, timelines and the reports of failed programs.
static void test_ptx(struct test *t)
{
    static const char head[] =
        ".version 7.0\n.target sm_61\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .u64 %%d<3>; .reg .u32 %%r<3>;\n"
        ".loc 1 7 0\nld.param.u64 %%d1, [p];\n.loc 1 8 0\nld.global.u32 %%r1, [%%d1+64];\n"
        "st.global.u32 [%%d1], %%r1;\nret;\n}\n.file 1 \"%s\"\n";
    char text[1000];
    struct cli c = {.t = t};
    int length = snprintf(text, sizeof text, head, "/src/" EVIL ".cu");
    cli_write(&c, "k.ptx", text, (size_t)length);
    char *source = malloc(8 * 40);
    int lines = 0;
    for (int i = 0; i < 8; i++)
        lines += sprintf(source + lines, "x[0] = y; // %s\n", i == 7 ? "\033[2J\a" : "");
    cli_write(&c, EVIL ".cu", source, (size_t)lines);
    free(source);
    check(&c, "mark $D/k.ptx --kernel k", 0);
    CHECK_HAS(t, c.out, "\\x1b[31m");
    check(&c, "mark $D/k.ptx --kernel k --json -", 0);
    struct arena a;
    const char *why;
    size_t offset;
    arena_init(&a);
    CHECK(t, json_parse(c.out, strlen(c.out), &a, &why, &offset) != NULL);
    arena_fini(&a);
    CHECK_HAS(t, c.out, "\\u001b[31m");
    check(&c, "run $D/k.ptx --kernel k --grid 1 --block 32 --arg buf=u32:32:zero", 0);
    check(&c, "run $D/k.ptx --kernel k --grid 1 --block 32 --arg buf=u32:8:zero", 3);
    CHECK_HAS(t, c.err, "\\x1b[31m");
    check(&c, "run $D/k.ptx --kernel k --grid 1 --block 32 --arg buf=u32:32:zero --set check.races=1", 0);
    static const char *const studies[] = {"explain", "operands", "redundancy", "taxonomy", "marks"};
    for (size_t i = 0; i < TEST_COUNT(studies); i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments,
                 "study %s $D/k.ptx --kernel k --grid 4 --block 64 --arg buf=u32:64:zero --detail",
                 studies[i]);
        check(&c, arguments, 0);
    }
    size_t size;
    check(&c, "run $D/k.ptx --kernel k --grid 1 --block 32 --arg buf=u32:32:zero --timeline $D/t.konata", 0);
    char *konata = cli_read(&c, "t.konata", &size);
    for (char *p = konata; p && (p = strchr(p, '\t')) != NULL;) *p = ' ';
    check_printable(t, "t.konata", konata ? konata : "");
    free(konata);
    cli_fini(&c);
}

// Words of scripts, GPU files, experiments and lists of launches; keys and texts of JSON.
static void test_inputs(struct test *t)
{
    static const struct {
        const char *name, *arguments, *text;
        int status;
    } rows[] = {
        {"a.wf", "run --script $D/a.wf", EVIL " 1\n", 1},
        {"a.wf", "run --script $D/a.wf", "load " EVIL "\n", 1},
        {"a.wf", "run --script $D/a.wf", "set " EVIL "=1\n", 1},
        {"a.wf", "run --script $D/a.wf", "buffer " EVIL " u8:4:" EVIL "\n", 1},
        {"a.wf", "run --script $D/a.wf", "buffer " EVIL " u8:100000000000:zero\n", 1},
        {"a.wf", "run --script $D/a.wf", "buffer a u8:4:zero\ncopy a+" EVIL " " EVIL "\n", 1},
        {"a.wf", "run --script $D/a.wf", "repeat 1 i\nfree $" EVIL "\nend\n", 1},
        {"a.wf", "run --script $D/a.wf --functional",
         "load k.ptx\nbuffer " WORD " f32:32:iota\nlaunch vecadd 1 32 " WORD " " WORD " " WORD " s32=32\n",
         0},
        {"a.wf", "run --script $D/a.wf --functional",
         "load k.ptx\nbuffer " WORD " f32:31:iota\nlaunch vecadd 1 32 " WORD " " WORD " " WORD " s32=32\n",
         3},
        {"a.gpu", "run $V --kernel vecadd --grid 1 --block 1 --gpu $D/a.gpu", EVIL " = 1\n", 2},
        {"a.gpu", "run $V --kernel vecadd --grid 1 --block 1 --gpu $D/a.gpu", "issue.width = " EVIL "\n", 2},
        {"a.exp", "reproduce $D/a.exp --out $D/r", EVIL " = 1\n", 1},
        {"a.exp", "reproduce $D/a.exp --out $D/r", "title = " EVIL "\nkind = " EVIL "\n", 1},
        {"a.csv", "study operands $D/a.csv", EVIL "," EVIL "\n", 2},
        {"a.csv", "study marks $D/a.csv", EVIL "," EVIL "\n", 2},
        {"a.json", "compare $D/a.json $D/a.json", "{\"" EVIL "\": 1", 1},
        {"a.json", "compare $D/a.json $D/b.json --detail",
         "{\"schema\": \"warpfold.run/1\", \"k\\u001b[2J\\n\\u009b\": 1, \"config\": {\"\\u0007\": "
         "\"\\u001b\"}}",
         0},
        {"a.json", "compare $D/a.json $D/b.json", "{\"schema\": \"warpfold.\\u001b[2J\\n\"}", 1},
    };
    struct cli c = {.t = t};
    char *ptx = test_read_file(t, "kernels/ptx/nvcc/vecadd.ptx", NULL);
    cli_write(&c, "k.ptx", ptx, strlen(ptx));
    free(ptx);
    static const char other[] =
        "{\"schema\": \"warpfold.run/1\", \"k\\u001b[2J\\n\\u009b\": 2, \"l\": \"\\u001b\"}";
    cli_write(&c, "b.json", other, strlen(other));
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        cli_write(&c, rows[i].name, rows[i].text, strlen(rows[i].text));
        check(&c, rows[i].arguments, rows[i].status);
    }
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"words", test_words}, {"files", test_files}, {"ptx", test_ptx}, {"inputs", test_inputs}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
