"""Checks of the Python module on an installation: python3 check_module.py HEADER; prints "ok" at the end.

tests/cli/test_install.c runs it with PYTHONPATH at the installed module."""
import array
import os
import re
import subprocess
import sys
import tempfile

import warpfold as wf
from warpfold import _library as library

VECADD = "kernels/ptx/nvcc/vecadd.ptx"
TALKING = """.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 hello[7] = {104, 101, 108, 108, 111, 10, 0};
.visible .entry talk(.param .u32 n, .param .f32 x, .param .u64 out)
{
    .reg .b64 %d<3>;
    .reg .b32 %r<3>;
    .reg .f32 %f<2>;
    mov.u64 %d1, hello;
    cvta.global.u64 %d1, %d1;
    mov.u64 %d2, 0;
    { .param .b64 p0; .param .b64 p1; .param .b32 r;
      st.param.b64 [p0], %d1; st.param.b64 [p1], %d2;
      call.uni (r), vprintf, (p0, p1); }
    ld.param.u64 %d1, [out];
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [x];
    st.global.u32 [%d1], %r1;
    st.global.f32 [%d1+4], %f1;
    ret;
}
.visible .entry faulty() { .reg .b64 %d<2>; .reg .b32 %r<2>; mov.u64 %d1, 64; ld.global.u32 %r1, [%d1]; st.global.u32 [%d1], %r1; ret; }
"""


def check(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


def refused(kind, text, function, *args, **named):
    try:
        function(*args, **named)
    except kind as e:
        check(text in str(e), f"{text!r} is not in {str(e)!r}")
        return e
    sys.exit(f"not refused: {text}")


def check_layout(header):
    """Sizes and places of structures are the C compiler's."""
    lines, mine = [], []
    for s in library.STRUCTURES:
        lines.append(f'printf("{s.__name__} %zu\\n", sizeof(struct {s.__name__}));')
        import ctypes
        mine.append(f"{s.__name__} {ctypes.sizeof(s)}")
        for field, _ in s._fields_:
            lines.append(f'printf("{s.__name__}.{field} %zu\\n", offsetof(struct {s.__name__}, {field}));')
            mine.append(f"{s.__name__}.{field} {getattr(s, field).offset}")
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w") as f:
            f.write(f'#include "{header}"\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{{\n'
                    + "\n".join(lines) + "\n}\n")
        subprocess.run([os.environ.get("CC") or "cc", "-o", program, source], check=True)
        theirs = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split("\n")
    for a, b in zip(mine, theirs):
        check(a == b, f"{a}, in C {b}")
    with open(header) as f:
        text = f.read()
    check(f'"{wf.__version__}"' in text, "the version is another")
    both = set(re.findall(r"\b(wf_\w+)\(", text)) & set(re.findall(r"\b(?:struct|enum) (wf_\w+)", text))
    check(not both, f"structures and functions of one name: {both}")


def vecadd(gpu, tech="base", n=1000):
    a, b, out = array.array("f", range(n)), array.array("f", [0.5] * n), array.array("f", bytes(4 * n))
    stats = wf.run(VECADD, "vecadd", grid=4, block=256, args=[a, b, out, n], gpu=gpu, tech=tech)
    check(list(out) == [k + 0.5 for k in range(n)], "a sum")
    check(list(a) == list(range(n)), "the input changed")
    return stats


def check_runs():
    functional, timed = vecadd(None), vecadd("tiny")
    check(functional.cycles is None and timed.cycles > 0, "cycles")
    check(functional.warp_instructions == timed.warp_instructions > 0, "instructions")
    check(timed.counters["exec.warp_instructions"] == timed.warp_instructions, "counters")
    check(0 < timed.ipc <= 4 and timed.energy_pj > 0 and timed.gpu == "tiny", "figures")
    check(len(wf.table([{"a": 1}])) == 1, "a table")
    check(timed.row()["cycles"] == timed.cycles, "a row")


def point(gpu, tech):
    return vecadd(gpu, tech)


def check_sweep():
    axes = {"gpu": ["tiny", "gtx480"], "tech": ["base", "darsie"]}
    alone, beside = wf.sweep(point, axes, processes=1), wf.sweep(point, axes, processes=2)
    rows = beside if isinstance(beside, list) else beside.to_dict("records")
    first = alone if isinstance(alone, list) else alone.to_dict("records")
    check([r["cycles"] for r in rows] == [r["cycles"] for r in first], "a sweep in two processes")
    check([(r["gpu"], r["tech"]) for r in rows] == [(g, t) for g in axes["gpu"] for t in axes["tech"]], "the order")


def check_contexts():
    printed = []
    with wf.Context(gpu="tiny", settings={"warp.size": 16}, printer=printed.append) as c:
        m = c.module(TALKING)
        check(m.kernels == ["talk", "faulty"], "kernels")
        out = c.array(8, name="out")
        k = m["talk"]
        check(k.parameters[0] == ("n", "u32", 4), "parameters")
        k(1, 1, 7, 0.25, out)
        check("".join(printed) == "hello\n", "print")
        check(out.read() == bytes.fromhex("070000000000803e"), "by value")
        k(1, 1, wf.s32(-2), wf.f32(1), out)
        check(out.read()[:4] == b"\xfe\xff\xff\xff", "a negative number")
        check(m.symbol("hello").nbytes == 7, "a symbol")
        check(c.config["warp.size"] in (16, "16"), "the configuration")
        refused(wf.BadInput, "takes 3 arguments (n: u32, x: f32, out: u64), not 1", k, 1, 1, 7)
        refused(wf.BadInput, "n", k, 1, 1, 2.5, 1.0, out)
        refused(wf.BadInput, "nothing", lambda: m["nothing"])
        refused(wf.BadInput, "block", k, 1, (5000, 1), 7, 1.0, out)
        e = refused(wf.ProgramFailed, "0x40", m["faulty"], 1, 1)
        check(e.stats.fault and e.stats.warp_instructions > 0, "figures of a fault")
        refused(wf.ProgramFailed, "", k, 1, 1, 7, 1.0, out)
        c.reset()
        k(1, 1, 7, 1.0, out)
    refused(wf.WarpfoldError, "closed", c.array, 4)
    refused(wf.BadUsage, "gtx1080", wf.Context, gpu="gtx1080to")
    refused(wf.BadUsage, "l1.latency", wf.Context, settings={"l1.latencie": 3})
    refused(wf.BadInput, "absent.ptx", wf.run, "absent.ptx", grid=1, block=1)


def check_studies():
    data = [array.array("f", bytes(4000)) for _ in range(3)]
    s = wf.study("redundancy", VECADD, "vecadd", grid=4, block=256, args=data + [1000])
    rows = next(iter(s.tables.values()))
    check(len(rows) > 0, "a study's table")
    with wf.Context() as c:
        marks = c.load(VECADD)["vecadd"].marks(block=256)
        first = marks[0] if isinstance(marks, list) else marks.to_dict("records")[0]
        check(first["mark"] in ("DR", "CR", "V"), "marks")
    refused(wf.BadUsage, "redundancy", wf.study, "nothing", VECADD, grid=1, block=1)
    check("darsie" in wf.techs() and "tiny" in wf.gpus() and "redundancy" in wf.studies(), "names")


def check_experiment():
    ptx, home = os.path.abspath(VECADD), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        keys = {"measure": "l2.misses / instructions", "views": "tiny/sass",
                "run": {"mine": ptx + " --kernel vecadd --grid $BLOCKS --block 64 --arg buf=f32:256:iota "
                        "--arg buf=f32:256:iota --arg buf=f32:256:zero --arg s32=256"},
                "series": {"DARSIE": "darsie"}, "sweep": {"$BLOCKS": range(1, 5), "shared.latency": (20, 30)}}
        rows = wf.experiment("sums", out="got", **keys)
        rows = rows if isinstance(rows, list) else rows.to_dict("records")
        got = {(r["BLOCKS"], r["shared.latency"]): r for r in rows}
        check(len(got) == 8 and got[4, 20]["warp_instructions"] == 2 * got[2, 30]["warp_instructions"], "points")
        check(os.path.exists("got/results.db"), "the database")
        again = wf.experiment("sums", out="got", **keys)
        check(len(again) == len(rows), "the same runs again")
        refused(wf.BadInput, "l2.hits", wf.experiment, "wrong", **{**keys, "measure": "l2.hitz"})
        with open("own.exp", "w") as own:
            own.write("title = mine\n")
        refused(FileExistsError, "own.exp", wf.experiment, "own", **keys)
        os.chdir(home)


check_layout(sys.argv[1])
check_runs()
check_contexts()
check_studies()
check_sweep()
check_experiment()
print("ok")
