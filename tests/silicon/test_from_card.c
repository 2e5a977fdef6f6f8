// silicon/from-card: tables from a made-up measurement of a card. Points add up the launches that count, a
// micro-measurement is the difference of a pair, and an incomplete set of launches gives no row.
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct test *t, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", test_directory(t), name);
    test_write_text(t, path, text);
}

// Runs silicon/from-card on the test's folder; tables go to its folder h100. Returns stderr on the heap.
static char *make_tables(struct test *t)
{
    char command[1400];
    char *err = NULL;
    snprintf(command, sizeof command, "silicon/from-card %s h100 %s/h100", test_directory(t),
             test_directory(t));
    CHECK_EQ(t, test_command(command, 60, NULL, &err), 0);
    return err;
}

// The row of a table that begins with `name`, without its line's end; on the heap, "" for none.
static char *row_of(struct test *t, const char *table, const char *name)
{
    char command[1400], *out = NULL;
    snprintf(command, sizeof command, "grep '^%s' %s/h100/%s | tr -d '\n'", name, test_directory(t), table);
    test_command(command, 5, &out, NULL);
    return out ? out : strdup("");
}

static void check_row(struct test *t, const char *table, const char *name, const char *want)
{
    char *row = row_of(t, table, name);
    if (*want)
        CHECK_HAS(t, row, want);
    else
        CHECK_STR(t, row, "");
    free(row);
}

static bool has_python(struct test *t)
{
    if (test_has_tool("python3")) return true;
    test_skip_tool(t, "python3");
    return false;
}

// texture.wf launches one kernel with two shapes, then both again with twice the rounds: the differences are 2,560 cycles for
// 128 fetches of a warp, and 4,096 cycles for 131,072 of 32 warps.
static void test_micro(struct test *t)
{
    if (!has_python(t)) return;
    put(t, "micro-ncu.csv",
        "caches,script,launch,kernel,grid,block,gpc__cycles_elapsed.max\n"
        "all,texture,0,texture_fetch,\"1,1,1\",\"32,1,1\",5000\n"
        "all,texture,1,texture_fetch,\"1,1,1\",\"1024,1,1\",6000\n"
        "all,texture,2,texture_fetch,\"1,1,1\",\"32,1,1\",7560\n"
        "all,texture,3,texture_fetch,\"1,1,1\",\"1024,1,1\",10096\n"
        "none,texture,0,texture_fetch,\"1,1,1\",\"32,1,1\",5000\n"
        "none,texture,1,texture_fetch,\"1,1,1\",\"1024,1,1\",6000\n"
        "none,texture,2,texture_fetch,\"1,1,1\",\"32,1,1\",7560\n");
    char *err = make_tables(t);
    check_row(t, "micro.csv", "h100,texture: latency", "h100,texture: latency,cycles,20,empty,20,,,,");
    check_row(t, "micro.csv", "h100,texture: rate", "h100,texture: rate,lanes a cycle,32,empty,32,,,,");
    CHECK_HAS(t, err, "texture, caches none: 3 of 4 launches");
    free(err);
}

// qv-atax counts both of its launches, backprop-adjust the last of two, and of qv-2mm a launch is missing.
static void test_points(struct test *t)
{
    if (!has_python(t)) return;
    put(t, "points-ncu.csv",
        "point,launch,kernel,grid,block,gpc__cycles_elapsed.max,gpc__cycles_elapsed.avg.per_second,smsp__"
        "inst_executed.sum,"
        "dram__sectors_read.sum,launch__registers_per_thread\n"
        "qv-atax,0,rows,\"16,1,1\",\"256,1,1\",1000,1980000000,10,100,32\n"
        "qv-atax,1,columns,\"16,1,1\",\"256,1,1\",200,1980000000,5,50,32\n"
        "backprop-adjust,1,adjust,\"1,4096,1\",\"16,16,1\",700,1755000000,7,,20\n"
        "qv-2mm,0,multiply,\"16,1,1\",\"256,1,1\",1000,1980000000,10,100,32\n");
    char *err = make_tables(t);
    check_row(t, "points.csv", "qv-atax", ",gpu.core_mhz=1980 launch.registers=32,all,1200,15,150,,,,");
    check_row(t, "points.csv", "backprop-adjust", ",gpu.core_mhz=1755 launch.registers=20,last,700,7,,,,,");
    check_row(t, "points.csv", "qv-2mm", "");
    CHECK_HAS(t, err, "qv-2mm: 1 of 2 launches");
    free(err);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"micro", test_micro}, {"points", test_points}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
