// A corpus of single statements and declarations with expected verdicts (forms/*.txt).
//
// Every line is a sign and a text. The text is put into the frame of its corpus (body.head, or module.head
// for module.txt) and parsed alone.
//
//     +  valid, also for ptxas             !  valid, also for ptxas, but warpfold refuses to run it
//     -  an error, also for ptxas          *  valid here, not for ptxas     =  an error here, not for ptxas
//
// A reason for a difference follows behind "  // ". The verdicts of ptxas are in the files, so the test
// needs no ptxas; tests/ptx/ask-ptxas compares the files with an installed ptxas.
#include "harness/files.h"
#include "support.h"

#include <string.h>

// The fault of the outcome, or NULL.
static const char *judge(char sign, const struct ptx_module *m)
{
    if (sign == '-' || sign == '=') return m ? "was taken; an error was expected" : NULL;
    if (!m) return "is an error; it should be taken";
    bool refused = false;
    for (uint32_t f = 0; f < m->function_count; f++) {
        refused |= m->functions[f]->unsupported != NULL;
        for (uint32_t i = 0; i < m->functions[f]->inst_count; i++)
            refused |= m->functions[f]->insts[i].unsupported != NULL;
    }
    if (sign == '!' && !refused) return "should be refused to run";
    if (sign == '+' && refused) return "should run";
    return NULL;
}

static void check_line(struct test *t, const char *path, unsigned number, const char *head, const char *tail,
                       char *line)
{
    char *reason = strstr(line, "  // ptxas: ");
    if (!reason) reason = strstr(line, "  // here: ");
    if (reason) *reason = 0;
    struct strbuf text = {0}, messages = {0};
    strbuf_printf(&text, "%s%s\n%s", head, line + 2, tail);
    struct ptx_module *m = support_parse("form", text.text, text.length, &messages);
    const char *wrong = judge(line[0], m);
    CHECK_MSG(t, strchr("+!-*=", line[0]) && line[1] == ' ', "%s:%u: no sign", path, number);
    CHECK_MSG(t, !wrong, "%s:%u: %s %s\n%s", path, number, line + 2, wrong ? wrong : "",
              strbuf_text(&messages));
    CHECK_MSG(t, m || messages.length, "%s:%u: no module and no message", path, number);
    ptx_module_free(m);
    strbuf_fini(&text);
    strbuf_fini(&messages);
}

static void check_file(struct test *t, const char *path)
{
    bool module = str_ends_with(path, "module.txt");
    char *head =
        test_read_file(t, module ? "tests/ptx/forms/module.head" : "tests/ptx/forms/body.head", NULL);
    char *text = test_read_file(t, path, NULL), *rest = NULL;
    unsigned number = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        number++;
        if (*line != '#') check_line(t, path, number, head, module ? "" : "L1: ret; }\n", line);
    }
    free(head);
    free(text);
}

static void test_corpus(struct test *t)
{
    CHECK_EQ(t, test_each_file(t, "tests/ptx/forms", ".txt", check_file), 13);
}

// cvt between any two types with every rounding, as judged by ptxas (13.0, sm_90):
//   e  no rounding    i  rni rzi rmi or rpi    f  rn rz rm or rp    E  none or i    F  none or f    -  never
static const char *const cvt_types[] = {"u8",  "s8",  "u16", "s16",  "u32", "s32",
                                        "u64", "s64", "f16", "bf16", "f32", "f64"};
static const char *const cvt_rounding[12] = {
    // from u8, s8 … f64                                 to
    "eeeeeeeei-ii", "eeeeeeeei-ii", "eeeeeeeeiiii", "eeeeeeeeiiii", // u8 s8 u16 s16
    "eeeeeeeeiiii", "eeeeeeeeiiii", "eeeeeeeeiiii", "eeeeeeeeiiii", // u32 s32 u64 s64
    "ffffffffEFff", "--ffffffFEff", "ffffffffeFEf", "ffffffffeFeE", // f16 bf16 f32 f64
};

static const char *cvt_register(const char *type)
{
    if (*type == 'f') return strcmp(type, "f64") == 0 ? "%d" : strcmp(type, "f32") == 0 ? "%f" : "%h";
    if (*type == 'b' || str_ends_with(type, "16")) return "%h";
    return str_ends_with(type, "64") ? "%rd" : "%r";
}

static bool cvt_expected(char rule, unsigned rounding) // 0: no rounding, 1 to 4: floating, 5 to 8: integral
{
    if (rounding == 0) return strchr("eEF", rule);
    return rounding <= 4 ? strchr("fF", rule) : strchr("iE", rule);
}

static void test_cvt_rounding(struct test *t)
{
    static const char *const roundings[] = {"", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi"};
    for (unsigned to = 0; to < 12; to++)
        for (unsigned from = 0; from < 12; from++)
            for (unsigned r = 0; r < 9; r++) {
                struct strbuf text = {0}, messages = {0};
                strbuf_printf(&text,
                              ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {.reg .b16 %%h<2>;\n"
                              ".reg .b32 %%r<2>; .reg .b64 %%rd<2>; .reg .f32 %%f<2>; .reg .f64 %%d<2>;\n"
                              "cvt%s.%s.%s %s0, %s1; }\n",
                              roundings[r], cvt_types[to], cvt_types[from], cvt_register(cvt_types[to]),
                              cvt_register(cvt_types[from]));
                struct ptx_module *m = support_parse("cvt", text.text, text.length, &messages);
                CHECK_MSG(t, cvt_expected(cvt_rounding[to][from], r) == (m != NULL), "cvt%s.%s.%s: %s",
                          roundings[r], cvt_types[to], cvt_types[from],
                          m ? "was taken" : strbuf_text(&messages));
                ptx_module_free(m);
                strbuf_fini(&text);
                strbuf_fini(&messages);
            }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"corpus", test_corpus}, {"cvt_rounding", test_cvt_rounding}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
