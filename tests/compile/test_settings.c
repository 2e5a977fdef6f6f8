// The compiler's settings in the user's spelling; compiling one text twice gives the same code.
#include "base/bits.h"
#include "compile/compile.h"
#include "harness/files.h"
#include "harness/test.h"
#include "isa/program.h"

#include <stdlib.h>

static bool set(struct config *c, const char *pair, struct diag *d)
{
    return config_set_pair(c, pair, loc_none(), d);
}

static void test_defaults(struct test *t)
{
    struct config c;
    struct compile_settings s;
    struct compile_options o, plain;
    struct diag d;
    diag_init(&d);
    config_init(&c);
    config_add(&c, compile_config_keys, compile_config_key_count, &s);
    compile_options_default(&plain);
    CHECK(t, compile_options_from(&o, &s, loc_none(), &d));
    CHECK_EQ(t, o.profile, plain.profile);
    CHECK_EQ(t, o.optimise, plain.optimise);
    CHECK_EQ(t, o.max_registers, plain.max_registers);
    CHECK_EQ(t, o.stack_bytes, plain.stack_bytes);
    CHECK_EQ(t, o.check, plain.check);
    CHECK_EQ(t, o.disabled_passes, 0);
    config_fini(&c);
    diag_fini(&d);
}

static void test_values(struct test *t)
{
    struct config c;
    struct compile_settings s;
    struct compile_options o;
    struct diag d;
    diag_init(&d);
    config_init(&c);
    config_add(&c, compile_config_keys, compile_config_key_count, &s);
    CHECK(t, set(&c, "compile.profile=ptxplus", &d) && set(&c, "compile.optimise=0", &d));
    CHECK(t, set(&c, "compile.max_registers=32", &d) && set(&c, "compile.stack_bytes=4096", &d));
    CHECK(t, set(&c, "compile.disable=dead,simplify", &d));
    CHECK(t, compile_options_from(&o, &s, loc_none(), &d));
    CHECK_EQ(t, o.profile, PROFILE_PTXPLUS);
    CHECK_EQ(t, o.optimise, 0);
    CHECK_EQ(t, o.max_registers, 32);
    CHECK_EQ(t, o.stack_bytes, 4096);
    uint32_t named = 0;
    for (unsigned k = 0; compile_pass_name(k); k++)
        if (str_equal(compile_pass_name(k), "dead") || str_equal(compile_pass_name(k), "simplify"))
            named |= 1u << k;
    CHECK_EQ(t, o.disabled_passes, named);
    CHECK_EQ(t, bit_count(named), 2);
    CHECK_EQ(t, d.errors, 0);
    CHECK(t, !set(&c, "compile.max_registers=256", &d) && !set(&c, "compile.profile=fast", &d));
    config_fini(&c);
    diag_fini(&d);
}

static void test_unknown_pass(struct test *t)
{
    struct compile_settings s = {.disable = "dead,simplfy"};
    struct compile_options o;
    struct strbuf text = {0};
    struct diag d;
    diag_init(&d);
    CHECK(t, !compile_options_from(&o, &s, loc_none(), &d));
    diag_format(&d, false, &text);
    CHECK_HAS(t, strbuf_text(&text), "compile.disable: no pass 'simplfy'; did you mean 'simplify'?");
    strbuf_fini(&text);
    diag_fini(&d);
}

static void list_all(struct test *t, const char *path, struct strbuf *out)
{
    size_t length;
    char *text = test_read_file(t, path, &length);
    struct diag d;
    struct compile_options o;
    diag_init(&d);
    compile_options_default(&o);
    struct ptx_module *m = ptx_parse(text, length, 0, &d);
    for (uint32_t k = 0; m && k < m->function_count; k++) {
        if (!m->functions[k]->is_entry) continue;
        struct program *p = compile_kernel(m, m->functions[k], &o, &d);
        CHECK_MSG(t, p != NULL, "%s: %s", path, m->functions[k]->name);
        if (!p) continue;
        program_print(p, out);
        program_free(p);
    }
    ptx_module_free(m);
    free(text);
    diag_fini(&d);
}

// Two modules of the same text have different addresses in memory; the code must not depend on addresses.
static void test_repeatable(struct test *t)
{
    static const char *const paths[] = {"tests/compile/lower/call.ptx", "tests/compile/lower/control.ptx",
                                        "tests/compile/lower/move.ptx", "kernels/ptx/nvcc/bitonicSort.ptx",
                                        "kernels/ptx/clang/SRADv1.ptx"};
    for (size_t k = 0; k < TEST_COUNT(paths); k++) {
        struct strbuf first = {0}, second = {0};
        list_all(t, paths[k], &first);
        list_all(t, paths[k], &second);
        CHECK_MSG(t, first.length > 0 && str_equal(strbuf_text(&first), strbuf_text(&second)), "%s",
                  paths[k]);
        strbuf_fini(&first);
        strbuf_fini(&second);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"defaults", test_defaults},
        {"values", test_values},
        {"unknown_pass", test_unknown_pass},
        {"repeatable", test_repeatable},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
