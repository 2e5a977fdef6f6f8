// Links of pages: every relative link leads to a file, every #anchor to a heading of the page, and every page of
// docs/ has a link from a different page.
#include "base/str.h"
#include "cli/pages.h"
#include "harness/files.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Anchor of a heading, as GitHub makes it: lower case, blanks become hyphens, other punctuation vanishes. Links
// in the heading count with the text alone. Heap.
static char *anchor_of(const char *heading, size_t length)
{
    struct strbuf out = {0};
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)heading[i];
        if (c == ']' && i + 1 < length && heading[i + 1] == '(')
            while (i < length && heading[i] != ')') i++;
        else if (c == ' ')
            strbuf_putc(&out, '-');
        else if (isalnum(c) || c == '-' || c == '_' || c >= 0x80)
            strbuf_putc(&out, (char)tolower(c));
    }
    char *anchor = strdup(strbuf_text(&out));
    strbuf_fini(&out);
    return anchor;
}

// The heading at the start of a line; NULL: no heading.
static const char *heading_at(const char *line)
{
    size_t level = strspn(line, "#");
    return level && line[level] == ' ' ? line + level + 1 : NULL;
}

// Whether a heading of a page has the anchor. The n-th repetition of a heading has "-n" appended.
static bool has_anchor(const char *page, const char *wanted)
{
    bool in_fence = false, found = false;
    size_t same = 0, length = strlen(wanted);
    for (const char *line = page; *line && !found; line += strcspn(line, "\n"), line += *line == '\n') {
        if (str_starts_with(line, "```")) in_fence = !in_fence;
        const char *heading = in_fence ? NULL : heading_at(line);
        if (!heading) continue;
        char *anchor = anchor_of(heading, strcspn(heading, "\n"));
        size_t own = strlen(anchor);
        found = str_equal(anchor, wanted);
        if (own < length && strncmp(anchor, wanted, own) == 0 && wanted[own] == '-') {
            char repeated[24];
            snprintf(repeated, sizeof repeated, "-%zu", same);
            found |= same && str_equal(wanted + own, repeated);
            same++;
        }
        free(anchor);
    }
    return found;
}

static void check_anchor(struct test *t, const char *path, const char *target, const char *anchor)
{
    char *text = test_read_file(t, target, NULL);
    CHECK_MSG(t, has_anchor(text, anchor), "%s links to #%s, which is no heading of %s", path, anchor,
              target);
    free(text);
}

// The file of a link and the anchor behind; real: the file, with room for PATH_MAX. False: the link leaves the
// tree (http), or is no link.
static bool resolve(struct test *t, const char *path, const char *link, char *real)
{
    size_t length = strcspn(link, ")# \n"), whole = strcspn(link, ") \n");
    if (link[whole] != ')' || !whole || str_starts_with(link, "http")) return false;
    char target[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (length)
        snprintf(target, sizeof target, "%.*s%.*s", slash ? (int)(slash - path + 1) : 0, path, (int)length,
                 link);
    else
        snprintf(target, sizeof target, "%s", path);
    bool there = realpath(target, real) != NULL;
    CHECK_MSG(t, there, "%s links to %.*s, which is not there", path, (int)length, link);
    if (!there || whole == length) return there;
    char *anchor = strndup(link + length + 1, whole - length - 1);
    check_anchor(t, path, real, anchor);
    free(anchor);
    return true;
}

static void test_links(struct test *t)
{
    struct pages pages;
    struct strbuf targets = {0};
    unsigned links = 0;
    char real[PATH_MAX], own[PATH_MAX];
    pages_init(&pages, t);
    for (size_t k = 0; k < pages.paths.count; k++) {
        const char *path = pages.paths.data[k];
        char *text = test_read_file(t, path, NULL);
        for (char *p = text; (p = strstr(p, "](")) != NULL; links++) {
            p += 2;
            if (resolve(t, path, p, real) && realpath(path, own) && !str_equal(real, own))
                strbuf_printf(&targets, "%s\n", real);
        }
        free(text);
    }
    CHECK_MSG(t, links > 200, "%u links", links);
    for (size_t k = 0; k < pages.paths.count; k++) {
        const char *path = pages.paths.data[k];
        char line[PATH_MAX + 2];
        snprintf(line, sizeof line, "/%s\n", path);
        CHECK_MSG(t, !str_starts_with(path, "docs/") || strstr(strbuf_text(&targets), line),
                  "no page links to %s", path);
    }
    strbuf_fini(&targets);
    pages_fini(&pages);
}

static void test_anchors(struct test *t)
{
    static const char page[] =
        "# A page\n\n## What `x.y` is, and why\n\n```\n# no heading\n```\n## Limits\n## Limits\n"
        "## See [there](x.md)\n";
    CHECK(t, has_anchor(page, "a-page"));
    CHECK(t, has_anchor(page, "what-xy-is-and-why"));
    CHECK(t, has_anchor(page, "limits") && has_anchor(page, "limits-1") && !has_anchor(page, "limits-2"));
    CHECK(t, has_anchor(page, "see-there"));
    CHECK(t, !has_anchor(page, "no-heading") && !has_anchor(page, "what-x.y-is"));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"links", test_links}, {"anchors", test_anchors}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
