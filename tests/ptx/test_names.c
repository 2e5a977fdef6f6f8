// Finding kernels by name, and identifiers inside mangled names.
#include "ptx/demangle.h"
#include "support.h"

#include <string.h>

static void test_unmangle(struct test *t)
{
    static const char *const names[][2] = {
        {"vecadd", "vecadd"},
        {"_Z6vecaddPKfS0_Pfi", "vecadd"},
        {"_ZN2ns3fooIfEEvPT_", "foo"},
        {"_ZN2ns4kernILi5ENS_1XEEEvT0_Pi", "kern"},
        {"_Z2tkIfEvPT_S0_", "tk"},
        {"_ZN12_GLOBAL__N_16hiddenEPi", "hidden"},
        {"_ZL6staticPi", "static"},
        {"_ZNK1A3getEv", "get"},
        {"_ZN1AIiE1fILb1ELj10EEEvv", "f"},
        {"_ZN5outer5innerINS_1SILi3EEEE3runIXadL_Z1gvEEEEvv", "run"},
        {"_ZSt4swapIiEvRT_S1_", "swap"},
        {"_ZN3cub6detail4scan16DeviceScanKernelINS_3FooILi12EEEPKiS6_EEvT_", "DeviceScanKernel"},
        {"_ZN1AC1Ev", "A"},
        {"_Z", "_Z"},
        {"_Z9", "_Z9"},
        {"_Z99abc", "_Z99abc"},
        {"_ZN", "_ZN"},
        {"_ZN1A", "_ZN1A"},
        {"_Znonsense", "_Znonsense"},
        {"", ""},
    };
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < TEST_COUNT(names); i++) CHECK_STR(t, ptx_unmangle(&a, names[i][0]), names[i][1]);
    arena_fini(&a);
}

// As c++filt prints, without parameters. Mangled by clang, or by hand from the ABI's examples.
static void test_demangle(struct test *t)
{
    static const char *const names[][2] = {
        {"_Z4axpyIfLi2EEvT_PKS0_PS0_", "axpy<float, 2>"},
        {"_ZN2ns1kI6float4Lin2ELb1ELj3EJEEEvT_DpT3_", "ns::k<float4, -2, true, 3u>"},
        {"_ZN2ns1kINS_1VINS_1PEEELi2ELb0ELj3EJS2_NS1_IfEEEEEvT_DpT3_",
         "ns::k<ns::V<ns::P>, 2, false, 3u, ns::P, ns::V<float>>"},
        {"_Z1kIPKfjEvT_T0_", "k<float const*, unsigned int>"},
        {"_Z1qILN2ns1EE1ELc97ELx77EEvv", "q<(ns::E)1, (char)97, (long long)77>"},
        {"_ZN12_GLOBAL__N_14anonEPi", "(anonymous namespace)::anon"},
        {"_Z1kI6float4S0_S0_Evv", "k<float4, float4, float4>"},
        {"_Z4pairISt4pairIifEEvT_", "pair<std::pair<int, float>>"},
        {"_Z1fIXadL_Z1gvEEEvv", "f"}, // an expression: the identifier alone
        {"_Z1kIA4_fEvv", "k"},
        {"_Z1kI", "k"},
        {"plain", "plain"},
        {"_Z", "_Z"},
        {"_ZN", "_ZN"},
        {"", ""}};
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < TEST_COUNT(names); i++) CHECK_STR(t, ptx_demangle(&a, names[i][0]), names[i][1]);
    arena_fini(&a);
}

// The message of a failed search, or "found NAME".
static void check_entry(struct test *t, const struct ptx_module *m, const char *name, const char *expected)
{
    struct diag d;
    struct strbuf text = {0};
    diag_init(&d);
    const struct ptx_function *f = ptx_find_entry(m, name, &d);
    if (f)
        strbuf_printf(&text, "found %s", f->name);
    else
        diag_format(&d, false, &text);
    CHECK_HAS(t, strbuf_text(&text), expected);
    CHECK_EQ(t, f != NULL, d.errors == 0);
    strbuf_fini(&text);
    diag_fini(&d);
}

static void test_find_entry(struct test *t)
{
    struct ptx_module *m =
        support_module(t, ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".entry _Z6vecaddPf() { ret; }\n.entry _Z5scaleIfEvPT_() { ret; }\n"
                          ".entry _Z5scaleIdEvPT_() { ret; }\n.entry plain() { ret; }\n"
                          ".func helper() { ret; }\n");
    if (!m) return;
    check_entry(t, m, "vecadd", "found _Z6vecaddPf");
    check_entry(t, m, "_Z6vecaddPf", "found _Z6vecaddPf");
    check_entry(t, m, "plain", "found plain");
    check_entry(t, m, "_Z5scaleIdEvPT_", "found _Z5scaleIdEvPT_");
    check_entry(t, m, "scale", "more than one kernel is called 'scale'");
    check_entry(t, m, "scale", "note: 'scale<float>'");
    check_entry(t, m, "scale<double>", "found _Z5scaleIdEvPT_");
    check_entry(t, m, "scale< float >", "found _Z5scaleIfEvPT_");
    check_entry(t, m, "scale<int>", "no kernel 'scale<int>'");
    check_entry(t, m, NULL,
                "error: name a kernel: the module has 'vecadd', 'scale<float>', 'scale<double>', 'plain'");
    check_entry(t, m, "vecad", "did you mean 'vecadd'?");
    check_entry(t, m, "completely_other", "no kernel 'completely_other'; the module has '");
    check_entry(t, m, "helper", "no kernel 'helper'");
    check_entry(t, m, "", "no kernel ''");
    ptx_module_free(m);
    m = support_module(t, ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".entry _ZN2ns4axpyIfLi2EjEEvT_() { ret; }\n.func f() { ret; }\n");
    if (!m) return;
    check_entry(t, m, NULL, "found _ZN2ns4axpyIfLi2EjEEvT_");
    check_entry(t, m, "axpy<float,2,unsigned>", "found _ZN2ns4axpyIfLi2EjEEvT_");
    check_entry(t, m, "ns::axpy<float, 2u, unsigned int>(float)", "found _ZN2ns4axpyIfLi2EjEEvT_");
    check_entry(t, m, "s::axpy<float, 2, unsigned int>", "no kernel");
    check_entry(t, m, "axpy<float, 3, unsigned>", "did you mean 'ns::axpy<float, 2, unsigned int>'?");
    ptx_module_free(m);
    m = support_module(t, ".version 7.0\n.target sm_70\n.address_size 64\n.func f() { ret; }\n");
    if (!m) return;
    check_entry(t, m, "f", "the module has no kernels");
    ptx_module_free(m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"unmangle", test_unmangle}, {"demangle", test_demangle}, {"find_entry", test_find_entry}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
