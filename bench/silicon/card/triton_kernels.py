#!/usr/bin/env python3
"""The Triton kernels of kernels/tensor/triton on a card: launched, checked against PyTorch in singles, timed.

triton_kernels.py [PART...]   parts by name, without a name all; --list prints the names

Rows as the card programs print them: "quantity",unit,value,low,high,"note". Times are of 15 launches in a queue that the host
has filled while another kernel ran; L2 has what the launch before left there. Rows "torch ..." are the library's kernels.

Into the folder CARD_OUT, if the variable is set, go the PTX files that Triton made, and launches.json: for every launch the PTX
file, its entry, grid, threads of a block, shared bytes and parameters in the entry's order (type and value; a pointer has the
name of its tensor), so that a simulator can repeat the launch. The entry's last two pointers are Triton's scratch memory.
"""
import hashlib
import json
import os
import re
import sys
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "kernels" / "tensor" / "triton"))
from attention import attention
from matmul import matmul
from softmax import softmax_rows

LAUNCHES = []
FAILED = []
RUNS = 15


def row(quantity, unit, values, note=""):
    values = sorted(values)
    print(f'"{quantity}",{unit},{values[len(values) // 2]:.6g},{values[0]:.6g},{values[-1]:.6g},"{note}"', flush=True)


def launch_times(launch, before=lambda: None):
    """Microseconds of RUNS launches, each between two events, each after `before`."""
    for _ in range(3):
        before()
        launch()
    torch.cuda.synchronize()
    pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(RUNS)]
    torch.cuda._sleep(4_000_000)  # keeps the card busy while the host queues launches
    for start, end in pairs:
        before()
        start.record()
        launch()
        end.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(end) * 1000 for start, end in pairs]


def flush():
    """Reads memory larger than L2."""
    if not hasattr(flush, "large"):
        flush.large = torch.zeros(192 << 18, dtype=torch.float32, device="cuda")
        flush.sum = torch.zeros((), device="cuda")
    torch.sum(flush.large, dim=0, out=flush.sum)


def time_row(name, launch, work, unit):
    times = sorted(launch_times(launch))
    rate = work / times[len(times) // 2] * 1e-6
    row(f"{name}: time", "us", times, f"median of {RUNS} launches; L2 as the launch before left it; {rate:.4g} {unit}")
    row(f"{name}: time, L2 flushed", "us", launch_times(launch, flush), f"median of {RUNS} launches, each after a read of 192 MB")


def error_row(name, result, reference, bound):
    """Relative Frobenius norm of the difference. Poison left in the result makes it no number."""
    difference = (result.double() - reference.double()).norm() / reference.double().norm()
    row(f"{name}: error", "relative", [difference.item()], f"bound {bound:g}")
    if not difference.item() <= bound:
        FAILED.append(name)
        print(f"{name}: wrong: error {difference.item()}, bound {bound}", file=sys.stderr)


def poisoned(*shape):
    return torch.full(shape, float("nan"), dtype=torch.float16, device="cuda")


def random(*shape):
    return torch.rand(*shape, device="cuda").mul(2).sub(1).half()


def ptx_parameters(ptx):
    """Types of the entry's parameters, in order."""
    head = ptx[ptx.index(".entry"):]
    return re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)", head[: head.index("{")])


def dump(name, compiled, grid, arguments):
    """Writes a compiled kernel's PTX and notes its launch. `arguments`: (name, value) of the parameters, tensors by name only."""
    folder = os.environ.get("CARD_OUT")
    meta = compiled.metadata
    note = f"registers {compiled.n_regs}, spills {compiled.n_spills}, shared {meta.shared}, warps {meta.num_warps}"
    row(f"{name}: registers", "registers", [compiled.n_regs], note)
    if not folder:
        return
    ptx = compiled.asm["ptx"]
    file = f"triton_{meta.name}_{hashlib.sha256(ptx.encode()).hexdigest()[:8]}.ptx"
    (Path(folder) / file).write_text(ptx)
    types = ptx_parameters(ptx)
    values = list(arguments) + [("scratch", 0)] * (len(types) - len(arguments))
    LAUNCHES.append({
        "name": name, "ptx": file, "entry": meta.name, "grid": list(grid) + [1] * (3 - len(grid)), "block": [32 * meta.num_warps, 1, 1],
        "shared": meta.shared, "parameters": [{"type": t, "name": n, "value": v} for t, (n, v) in zip(types, values)],
        "metadata": {key: str(value) for key, value in meta._asdict().items()},
    })
    (Path(folder) / "launches.json").write_text(json.dumps(LAUNCHES, indent=1))


def run(name, kernel, grid, arguments, names, constants, options, result, reference, bound, work, unit):
    """A kernel on a shape: launched, checked, dumped, timed. `names`: of the arguments."""
    def launch():
        return kernel[grid](*arguments, **constants, **options)

    compiled = launch()
    torch.cuda.synchronize()
    error_row(name, result, reference(), bound)
    values = [(n, None if torch.is_tensor(a) else a) for n, a in zip(names, arguments)]
    try:
        dump(name, compiled, grid, values)
    except Exception as error:  # another version of Triton: times are still of use
        print(f"{name}: no PTX: {error!r}", file=sys.stderr)
    time_row(name, launch, work, unit)


MATMUL_SHAPES = ((512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (1000, 1032, 776))


def part_matmul():
    for block, options in (((128, 128, 32), {"num_warps": 4, "num_stages": 4}), ((128, 256, 64), {"num_warps": 8, "num_stages": 3})):
        for m, n, k in MATMUL_SHAPES[: 6 if block[2] == 32 else 5]:
            a, b, c = random(m, k), random(k, n), poisoned(m, n)
            grid = (triton.cdiv(m, block[0]) * triton.cdiv(n, block[1]),)
            constants = {"BLOCK_M": block[0], "BLOCK_N": block[1], "BLOCK_K": block[2]}
            run(f"triton matmul {'x'.join(map(str, block))} {m}x{n}x{k}", matmul, grid, (a, b, c, m, n, k), "abcmnk", constants, options,
                c, lambda: a.float() @ b.float(), 6e-4, 2.0 * m * n * k, "T operations/s")


def part_softmax():
    for rows, columns in ((4096, 1024), (4096, 4096), (1000, 1032), (16384, 8192)):
        x, out = random(rows, columns), poisoned(rows, columns)
        block = triton.next_power_of_2(columns)
        run(f"triton softmax_rows {rows}x{columns}", softmax_rows, (rows,), (x, out, columns), ("source", "out", "columns"),
            {"BLOCK": block}, {"num_warps": 4 if block <= 2048 else 8}, out, lambda: torch.softmax(x.float(), 1), 1e-3,
            4.0 * rows * columns, "T bytes/s")


def attention_reference(q, k, v, scale, causal):
    return torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal, scale=scale)


def attention_shapes():
    for depth in (64, 128):
        for causal in (False, True):
            for seq in (512, 1024, 2048):
                q, k, v = (random(4, 16, seq, depth) for _ in range(3))
                work = 4.0 * 64 * seq * seq * depth / (2 if causal else 1)
                yield f"D{depth} {'causal' if causal else 'full'} B4 H16 S{seq}", depth, causal, seq, q, k, v, 4 / depth**0.5, work


def part_attention():
    for name, depth, causal, seq, q, k, v, scale, work in attention_shapes():
        o = poisoned(4, 16, seq, depth)
        constants = {"D": depth, "BLOCK_M": 128, "BLOCK_N": 64, "CAUSAL": causal}
        options = {"num_warps": 4 if depth == 64 else 8, "num_stages": 3}
        run(f"triton attention {name}", attention, (seq // 128, 64), (q, k, v, o, seq, scale), ("q", "k", "v", "o", "seq", "scale"),
            constants, options, o, lambda: attention_reference(q, k, v, scale, causal), 2e-3, work, "T operations/s")


def part_library():
    """PyTorch's own attention (its FlashAttention-2) and softmax on the same shapes."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    for name, _, causal, _, q, k, v, scale, work in attention_shapes():
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            time_row(f"torch flash attention {name}",
                     lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale), work, "T operations/s")
    for rows, columns in ((4096, 1024), (4096, 4096), (1000, 1032), (16384, 8192)):
        x = random(rows, columns)
        time_row(f"torch softmax {rows}x{columns}", lambda: torch.softmax(x, 1), 4.0 * rows * columns, "T bytes/s")


PARTS = {"matmul": part_matmul, "softmax": part_softmax, "attention": part_attention, "library": part_library}


def main(words):
    if "--list" in words:
        print("\n".join(PARTS))
        return 0
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    for name in words or PARTS:
        try:
            PARTS[name]()
        except Exception as error:  # one part does not take the others along
            FAILED.append(name)
            print(f"{name}: {error!r}", file=sys.stderr)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
