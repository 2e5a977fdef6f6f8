// Compiled kernels kept in a folder (wf_keep_programs). Fails where a loaded program differs from a compiled
// one, or a damaged file is believed.
#include "api/warpfold.h"
#include "base/arena.h"
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Listings of all kernels of a file, compiled or loaded. Heap.
static char *listings(struct test *t, const char *file, const char *profile, const char *folder)
{
    struct strbuf all = {0};
    struct wf_context *c = wf_context_create();
    wf_keep_programs(c, folder);
    CHECK_EQ(t, wf_set(c, "compile.profile", profile), WF_OK);
    struct wf_module *m = wf_module_load_file(c, file);
    const char *name;
    for (size_t i = 0; m && (name = wf_kernel_name(m, i)) != NULL; i++) {
        struct wf_kernel *k = wf_kernel_find(m, name);
        if (k) strbuf_puts(&all, wf_kernel_listing(k));
    }
    CHECK_MSG(t, m && all.length && !*wf_errors(c), "%s: %s", file, wf_errors(c));
    wf_context_destroy(c);
    return all.length ? all.text : heap_strdup("");
}

static char *make_folder(struct test *t, const char *name, char path[600])
{
    snprintf(path, 600, "%s/%s", test_directory(t), name);
    mkdir(path, 0777);
    return path;
}

static void check_equal(struct test *t, const char *a, const char *b, const char *what)
{
    CHECK_MSG(t, strcmp(a, b) == 0, "%s: the listing differs", what);
}

// Every bundled kernel, with the three profiles by turns.
static void test_bundled(struct test *t)
{
    static const char *const profiles[] = {"sass", "ptxplus", "pascal"};
    char folder[600], file[600];
    unsigned count = 0;
    make_folder(t, "kept", folder);
    DIR *d = opendir("kernels/ptx/nvcc");
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (!str_ends_with(e->d_name, ".ptx")) continue;
        snprintf(file, sizeof file, "kernels/ptx/nvcc/%s", e->d_name);
        const char *profile = profiles[count++ % 3];
        char *alone = listings(t, file, profile, NULL), *first = listings(t, file, profile, folder),
             *second = listings(t, file, profile, folder);
        check_equal(t, alone, first, file);
        check_equal(t, alone, second, file);
        free(alone);
        free(first);
        free(second);
    }
    CHECK(t, d && count > 40);
    if (d) closedir(d);
}

// The only file in a folder; heap.
static char *only_file(struct test *t, const char *folder)
{
    struct strbuf path = {0};
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') strbuf_printf(&path, "%s/%s", folder, e->d_name);
    if (d) closedir(d);
    CHECK(t, path.length > 0);
    return path.text;
}

// A whole file of another kernel under the expected name is believed, which proves the use of files. A
// truncated file or a file with a wrong byte is compiled again.
static void test_broken(struct test *t)
{
    static const char here[] = "kernels/ptx/nvcc/vecadd.ptx", there[] = "kernels/ptx/nvcc/matrixMul.ptx";
    char folder[2][600], *path[2], *bytes[2];
    size_t length[2];
    char *right = listings(t, here, "sass", make_folder(t, "here", folder[0])),
         *wrong = listings(t, there, "sass", make_folder(t, "there", folder[1]));
    for (unsigned i = 0; i < 2; i++) {
        path[i] = only_file(t, folder[i]);
        bytes[i] = test_read_file(t, path[i], &length[i]);
    }
    test_write_file(t, path[0], bytes[1], length[1]);
    char *got = listings(t, here, "sass", folder[0]);
    check_equal(t, got, wrong, "another kernel's file");
    free(got);
    for (size_t i = 0; i < length[0]; i += 1 + length[0] / 200) {
        bytes[0][i] ^= 4;
        test_write_file(t, path[0], bytes[0], i % 2 ? length[0] : i);
        bytes[0][i] ^= 4;
        got = listings(t, here, "sass", folder[0]);
        check_equal(t, got, right, "a broken file");
        free(got);
    }
    size_t mended;
    char *again = test_read_file(t, path[0], &mended);
    CHECK_EQ(t, mended, length[0]);
    free(again);
    for (unsigned i = 0; i < 2; i++) {
        free(path[i]);
        free(bytes[i]);
    }
    free(right);
    free(wrong);
}

// Modules loaded before wf_keep_programs have no share in the folder: two kernels of one name stay two.
static void test_loaded_before(struct test *t)
{
    static const char *const texts[] = {
        ".version 6.4\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 a) { .reg .u64 %d; ld.param.u64 %d, [a]; st.global.u32 [%d], 1; ret; "
        "}\n",
        ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a) { ret; }\n"};
    char folder[600];
    struct wf_module *m[2];
    struct wf_context *c = wf_context_create();
    for (unsigned i = 0; i < 2; i++)
        m[i] = wf_module_load(c, i ? "b.ptx" : "a.ptx", texts[i], strlen(texts[i]));
    wf_keep_programs(c, make_folder(t, "before", folder));
    struct wf_kernel *a = m[0] ? wf_kernel_find(m[0], "k") : NULL,
                     *b = m[1] ? wf_kernel_find(m[1], "k") : NULL;
    CHECK_MSG(t, a && b, "%s", wf_errors(c));
    if (a && b) CHECK(t, wf_kernel_info(a)->instructions > wf_kernel_info(b)->instructions);
    wf_context_destroy(c);
}

// A folder missing or not writable changes nothing.
static void test_no_folder(struct test *t)
{
    char *alone = listings(t, "kernels/ptx/nvcc/bfs.ptx", "sass", NULL),
         *got = listings(t, "kernels/ptx/nvcc/bfs.ptx", "sass", "/nonexistent/kept");
    check_equal(t, alone, got, "no folder");
    free(alone);
    free(got);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"bundled", test_bundled},
                                             {"broken", test_broken},
                                             {"loaded before", test_loaded_before},
                                             {"no folder", test_no_folder}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
