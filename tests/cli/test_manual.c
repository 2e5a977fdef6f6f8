// The manual page and the completion name every command and option, and are valid for man and bash.
#include "cli/cli.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_page(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "--man");
    CHECK_EQ(t, c.status, 0);
    struct options_command command;
    struct options_option option;
    char text[80];
    for (unsigned i = 0; options_command_at(i, &command); i++) {
        snprintf(text, sizeof text, "\n.B warpfold %s\n", command.name);
        CHECK_HAS(t, c.out, text);
    }
    for (unsigned i = 0; options_option_at(i, &option); i++) {
        struct strbuf name = {0};
        for (const char *p = option.name; *p; p++) strbuf_printf(&name, *p == '-' ? "\\-" : "%c", *p);
        CHECK_HAS(t, c.out, strbuf_text(&name));
        strbuf_fini(&name);
    }
    // Every line is a known request or text.
    static const char *const requests[] = {".TH ", ".SH ", ".TP\n", ".B ", ".br\n", ".\\\""};
    for (const char *line = c.out; *line; line += strcspn(line, "\n") + 1) {
        bool known = *line != '.' && *line != '\'';
        for (size_t i = 0; i < TEST_COUNT(requests); i++)
            known |= strncmp(line, requests[i], strlen(requests[i])) == 0;
        CHECK_MSG(t, known, "%.60s", line);
    }
    cli_fini(&c);
}

// bash's completions of a line ending in an incomplete word.
static char *complete(struct test *t, const char *words)
{
    char command[1600], *out, *folder = strdup(test_binary());
    *strrchr(folder, '/') = 0;
    snprintf(command, sizeof command,
             "PATH=%s:$PATH bash -c 'source <(warpfold --completion); COMP_WORDS=(%s); "
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpfold; printf \"%%s\\n\" \"${COMPREPLY[@]}\"'",
             folder, words);
    CHECK_EQ(t, test_command(command, 20, &out, NULL), 0);
    free(folder);
    return out;
}

static void test_completion(struct test *t)
{
    static const char *const offers[][2] = {
        {"warpfold re", "reproduce\n"},
        {"warpfold bench --size me", "medium\n"},
        {"warpfold run --gp", "--gpu\n"},
        {"warpfold run --gpu ti", "titanv\ntiny\n"},
        {"warpfold run --tech da", "darsie\n"},
        {"warpfold reproduce fig12", "fig12\n"},
        {"warpfold bench matrix", "matrixMul\n"},
        {"warpfold list g", "gpus\n"},
        {"warpfold list are", "area\n"},
        {"warpfold list --te", "--tech\n"},
        {"warpfold --ver", "--version\n"},
        {"warpfold run --arg by", "bytes=\n"},
        {"warpfold run kernels/ptx/nvcc/vecadd.ptx --kernel ve", "vecadd\n"},
        {"warpfold study taxo", "taxonomy\n"},
        {"warpfold run --set l1.lat", "l1.latency=\n"}};
    for (size_t i = 0; i < TEST_COUNT(offers); i++) {
        char *out = complete(t, offers[i][0]);
        CHECK_MSG(t, strstr(out, offers[i][1]), "%s: bash offers\n%s  where %s  was expected", offers[i][0],
                  out, offers[i][1]);
        free(out);
    }
}

// The completions of zsh and fish name every command, and every option with the values that are known; the shells, where
// they are installed, find no error.
static void test_other_shells(struct test *t)
{
    static const struct {
        const char *shell, *command, *option, *values, *check;
    } shells[] = {{"zsh", "\n    %s)\n", "'%s", "--gpu=[", "warpfold --completion zsh > f && zsh -n f"},
                  {"fish", "-a %s -d '", " -l %s ", "(__warpfold_names gpus)",
                   "warpfold --completion fish > f && fish -n f"}};
    for (size_t i = 0; i < TEST_COUNT(shells); i++) {
        struct cli c = {.t = t};
        struct options_command command;
        struct options_option option;
        char words[60], text[120];
        snprintf(words, sizeof words, "--completion %s", shells[i].shell);
        cli_run(&c, words);
        CHECK_EQ(t, c.status, 0);
        for (unsigned k = 0; options_command_at(k, &command); k++) {
            snprintf(text, sizeof text, shells[i].command, command.name);
            CHECK_HAS(t, c.out, text);
        }
        for (unsigned k = 0; options_option_at(k, &option); k++) {
            bool is_fish = shells[i].option[0] == ' ';
            snprintf(text, sizeof text, is_fish ? " -l %s " : "%s", option.name + (is_fish ? 2 : 0));
            CHECK_HAS(t, c.out, text);
        }
        CHECK_HAS(t, c.out, shells[i].values);
        cli_fini(&c);
        if (!test_has_tool(shells[i].shell)) continue;
        char check[400], *err, *folder = strdup(test_binary());
        *strrchr(folder, '/') = 0;
        snprintf(check, sizeof check, "export PATH=$(cd %s && pwd):$PATH; cd %s && %s", folder,
                 test_directory(t), shells[i].check);
        int status = test_command(check, 20, NULL, &err);
        CHECK_MSG(t, status == 0, "%s", err);
        free(err);
        free(folder);
    }
    struct cli c = {.t = t};
    cli_run(&c, "--completion csh");
    CHECK_EQ(t, c.status, 2);
    CHECK_HAS(t, c.err, "bash, zsh or fish");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"page", test_page}, {"completion", test_completion}, {"other_shells", test_other_shells}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
