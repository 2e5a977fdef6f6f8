"""warpfold: runs CUDA kernels from PTX on a simulated GPU.

    import warpfold as wf

    result = wf.run("vecadd.ptx", "vecadd", grid=4, block=256, args=[a, b, out, wf.u32(1000)],
                    gpu="gtx1080ti", tech="darsie")
    print(result.cycles, result.counters["sm.issue.slots"])

`run` makes a context, copies arrays to the device, launches, and copies the arrays back. A Context does each of
these alone. Arrays are numpy's, array.array, bytearray or whatever else has a writable buffer. Tables become pandas'
DataFrames where pandas is installed, lists of dicts elsewhere.
"""
import ctypes as _C
import itertools as _itertools
import json as _json
import re as _re
import struct as _struct

from . import _experiment, _library
from ._library import UNKNOWN, VERSION as __version__

__all__ = ["Context", "Module", "Kernel", "Array", "Stats", "WarpfoldError", "BadInput", "BadUsage", "ProgramFailed",
           "Mismatch", "run", "study", "sweep", "experiment", "table", "gpus", "techs", "studies"] + [
               k + str(n) for k in "us" for n in (8, 16, 32, 64)] + ["f16", "f32", "f64", "packed"]

_lib = _library.load()


class WarpfoldError(Exception):
    """A call failed; the text is the library's, with locations."""

    status = None


class BadInput(WarpfoldError):
    """An invalid file, argument, shape, kernel or buffer."""

    status = 1


class BadUsage(WarpfoldError):
    """An unknown GPU, mechanism or key, or a setting that is refused."""

    status = 2


class ProgramFailed(WarpfoldError):
    """The simulated program failed: hang, fault, trap, assert, limit. `stats` has its figures."""

    status = 3
    stats = None


class Mismatch(WarpfoldError):
    """Verification found a mismatch. `stats` has the figures of the launch."""

    status = 4
    stats = None


_ERRORS = {e.status: e for e in (BadInput, BadUsage, ProgramFailed, Mismatch)}


def table(rows):
    """Rows (dicts) as a DataFrame where pandas is installed; else the list."""
    try:
        import pandas
    except ImportError:
        return list(rows)
    return pandas.DataFrame(list(rows))


# -- arguments ------------------------------------------------------------------------------------------------------


class Scalar(bytes):
    """The bytes of an argument that is passed by value."""


def _scalar(name, form):
    def make(value):
        try:
            return Scalar(_struct.pack("<" + form, value))
        except _struct.error as e:
            raise BadInput(f"{name}({value!r}): {e}") from None

    make.__name__ = name
    make.__doc__ = f"An argument of type {name}."
    return make


u8, u16, u32, u64 = (_scalar(n, f) for n, f in (("u8", "B"), ("u16", "H"), ("u32", "I"), ("u64", "Q")))
s8, s16, s32, s64 = (_scalar(n, f) for n, f in (("s8", "b"), ("s16", "h"), ("s32", "i"), ("s64", "q")))
f16, f32, f64 = (_scalar(n, f) for n, f in (("f16", "e"), ("f32", "f"), ("f64", "d")))


def packed(data):
    """A structure by value: its bytes."""
    return Scalar(bytes(data))


def _by_type(value, param):
    """A Python number as the bytes of the parameter's own type."""
    kind, size = param.type.decode(), param.bytes
    if isinstance(value, float) and not kind.startswith("f"):
        if kind[0] != "b":
            raise BadInput(f"parameter {param.name.decode()} is {kind}: {value!r} is no integer")
        form = {4: "f", 8: "d"}.get(size)
    elif kind.startswith("f"):
        form = {2: "e", 4: "f", 8: "d"}.get(size)
    else:
        form = {1: "B", 2: "H", 4: "I", 8: "Q"}.get(size)
        if form and value < 0:
            form = form.lower()
    if not form:
        raise BadInput(f"parameter {param.name.decode()} has {size} bytes: pass warpfold.packed(...)")
    return _scalar(f"parameter {param.name.decode()}: {kind}", form)(value)


def _view(data, writable):
    """(address, bytes, keeper) of a buffer; the keeper holds the memory."""
    view = memoryview(data)
    if not view.c_contiguous:
        raise BadInput("an array must be contiguous (numpy.ascontiguousarray)")
    if view.readonly:
        if writable:
            raise BadInput("results cannot be copied to a read-only array")
        keeper = (_C.c_char * max(view.nbytes, 1)).from_buffer_copy(view.cast("B") if view.nbytes else b"\0")
    else:
        keeper = (_C.c_char * view.nbytes).from_buffer(view.cast("B") if view.nbytes else bytearray(1)) if view.nbytes \
            else (_C.c_char * 1)()
    return _C.addressof(keeper), view.nbytes, keeper


# -- results --------------------------------------------------------------------------------------------------------


def _known(value):
    return None if value == UNKNOWN else value


class Stats:
    """Figures of a launch; what the run did not measure is None.

    cycles, elapsed, fetched, skipped, reused, verify_mismatches, occupancy, warp_instructions, thread_instructions,
    seconds (simulated), ipc, wall_seconds, gpu, tech, counters (name to value), energy (event to picojoules),
    energy_pj, storage_bits, warnings, fault.
    """

    def __init__(self, s):
        text = lambda t: t.decode() if t else None
        for name in ("cycles", "elapsed", "fetched", "skipped", "reused", "verify_mismatches", "warp_instructions",
                     "thread_instructions", "races"):
            setattr(self, name, _known(getattr(s, name)))
        self.occupancy = s.occupancy if s.occupancy >= 0 else None
        self.gpu, self.tech, self.fault = text(s.gpu), text(s.tech), text(s.fault_text)
        self.wall_seconds = s.wall_seconds
        self.seconds = self.cycles / (s.core_mhz * 1e6) if self.cycles is not None and s.core_mhz else None
        self.ipc = self.warp_instructions / self.cycles if self.cycles else None
        rows = [s.counters[k] for k in range(s.counter_count)]
        self.counters = {c.name.decode(): _known(c.value) for c in rows}
        self._counters = [(c.name.decode(), _known(c.value), c.unit.decode(), c.meaning.decode()) for c in rows]
        rows = [s.energy[k] for k in range(s.energy_count)]
        self.energy = {e.name.decode(): e.count * e.pj_each for e in rows}
        self._energy = [(e.name.decode(), e.part.decode(), e.unit.decode(), e.count, e.pj_each) for e in rows]
        self.energy_pj = sum(self.energy.values()) if rows else None
        self.storage_bits = sum(s.storage[k].bits for k in range(s.storage_count)) if s.storage else None
        self.warnings = [(s.warnings[k].name.decode(), s.warnings[k].count, s.warnings[k].text.decode())
                         for k in range(s.warning_count)]

    def row(self):
        """The figures and every counter in one dict."""
        own = {k: v for k, v in vars(self).items()
               if not k.startswith("_") and not isinstance(v, (dict, list))}
        return {**own, **self.counters}

    def counter_table(self):
        return table({"counter": n, "value": v, "unit": u, "meaning": m} for n, v, u, m in self._counters)

    def energy_table(self):
        return table({"event": n, "part": p, "unit": u, "count": c, "pj_each": e, "pj": c * e}
                     for n, p, u, c, e in self._energy)

    def __repr__(self):
        cycles = "functional" if self.cycles is None else f"{self.cycles} cycles on {self.gpu}"
        return f"<Stats: {cycles}, {self.warp_instructions} warp instructions, {self.tech}>"


# -- contexts -------------------------------------------------------------------------------------------------------


class Array:
    """Device memory. `read()` gives bytes, or fills a buffer of the same size."""

    def __init__(self, context, nbytes, address):
        self.context, self.nbytes, self.address = context, nbytes, address

    def write(self, data):
        address, nbytes, keeper = _view(data, False)
        if nbytes != self.nbytes:
            raise BadInput(f"{nbytes} bytes do not fit an array of {self.nbytes}")
        self.context._check(_lib.wf_write(self.context._handle(), self.address, address, nbytes))
        del keeper
        return self

    def read(self, out=None):
        to = bytearray(self.nbytes) if out is None else out
        address, nbytes, keeper = _view(to, True)
        if nbytes != self.nbytes:
            raise BadInput(f"an array of {self.nbytes} bytes does not fit {nbytes}")
        self.context._check(_lib.wf_read(self.context._handle(), self.address, address, nbytes))
        del keeper
        return bytes(to) if out is None else out

    def numpy(self, dtype, shape=-1):
        import numpy
        return numpy.frombuffer(bytearray(self.read()), dtype=dtype).reshape(shape)

    def free(self):
        self.context._check(_lib.wf_free(self.context._handle(), self.address))


class Kernel:
    def __init__(self, context, handle):
        self.context, self._kernel = context, handle
        self._info = _lib.wf_kernel_info(handle).contents
        self.name = self._info.name.decode()

    @property
    def info(self):
        return {n: v.decode() if isinstance(v, bytes) else v
                for n, t in self._info._fields_ if n != "params" for v in [getattr(self._info, n)]}

    @property
    def parameters(self):
        rows = (self._info.params[k] for k in range(self._info.param_count))
        return [(p.name.decode(), p.type.decode(), p.bytes) for p in rows]

    @property
    def listing(self):
        return _lib.wf_kernel_listing(self._kernel).decode()

    def marks(self, block=None):
        """Rows of `warpfold mark`: an instruction each, redundant across the block or not, and why."""
        self.context._handle()
        shape = (_C.c_uint32 * 3)(*_three(block)) if block else None
        count = _C.c_size_t()
        rows = _lib.wf_kernel_marks(self._kernel, _C.byref(shape) if shape else None, _C.byref(count))
        if not rows:
            self.context._raise(BadInput)
        text = lambda v: v.decode() if isinstance(v, bytes) else v
        return table({n: text(getattr(rows[k], n)) for n, _ in _library.Mark._fields_} for k in range(count.value))

    def _packed(self, args):
        info = self._info
        if len(args) != info.param_count:
            names = ", ".join(f"{n}: {t}" for n, t, _ in self.parameters)
            raise BadInput(f"{self.name} takes {info.param_count} arguments ({names}), not {len(args)}")
        block = bytearray(info.param_bytes)
        for k, value in enumerate(args):
            p = info.params[k]
            if isinstance(value, Array):
                value = Scalar(_struct.pack("<Q", value.address)[:p.bytes])
            elif not isinstance(value, Scalar):
                value = _by_type(value, p)
            if len(value) != p.bytes:
                raise BadInput(f"parameter {p.name.decode()} has {p.bytes} bytes, the argument {len(value)}")
            block[p.offset:p.offset + p.bytes] = value
        return bytes(block)

    def __call__(self, grid, block, *args, shared=0, cluster=(0, 0, 0), check=True):
        """Launches and waits. Arguments: Arrays, numbers (in the parameter's type), u32(…) and fellows, packed(…).

        `cluster`: blocks of a cluster in x, y, z, where the kernel does not say.

        Raises ProgramFailed and Mismatch, unless `check` is False."""
        shape = _library.LaunchConfig(grid=(_C.c_uint32 * 3)(*_three(grid)), block=(_C.c_uint32 * 3)(*_three(block)),
                                      shared_bytes=shared, cluster=(_C.c_uint32 * 3)(*cluster))
        params, stats = self._packed(args), _library.Stats()
        c = self.context
        status = _lib.wf_launch_packed(self._kernel, _C.byref(shape), params, len(params), _C.byref(stats)) \
            if c._handle() else 0
        c._forward_print()
        if status in (1, 2):
            c._check(status)
        result = Stats(stats)
        if status and check:
            try:
                c._check(status)
            except WarpfoldError as e:
                e.stats = result
                raise
        result.status = status
        return result


class Module:
    def __init__(self, context, handle):
        self.context, self._module = context, handle

    @property
    def kernels(self):
        names = (_lib.wf_kernel_name(self._module, k) for k in _itertools.count())
        return [n.decode() for n in _itertools.takewhile(lambda n: n is not None, names)]

    def __getitem__(self, name):
        self.context._handle()
        kernel = _lib.wf_kernel_find(self._module, name.encode())
        if not kernel:
            self.context._raise(BadInput)
        return Kernel(self.context, kernel)

    def symbol(self, name):
        """A variable of the module as an Array."""
        address, nbytes = _C.c_uint64(), _C.c_uint64()
        self.context._check(_lib.wf_symbol(self._module, name.encode(), _C.byref(address), _C.byref(nbytes)))
        return Array(self.context, nbytes.value, address.value)


class Context:
    """A device with memory. Keys of `settings` are those of `warpfold list keys`; `gpu` None: functional."""

    def __init__(self, gpu=None, tech=None, settings=None, threads=None, verify=False, max_cycles=0, printer=None):
        self._context = _lib.wf_context_create()
        self._printed, self._printer = [], printer
        self._print = _library.PrintFunction(lambda _, text, n: self._printed.append(text[:n]))
        _lib.wf_set_print(self._context, self._print, None)
        try:
            if gpu:
                self._check(_lib.wf_gpu(self._context, str(gpu).encode()))
            for key, value in (settings or {}).items():
                text = str(int(value)) if isinstance(value, bool) else str(value)
                self._check(_lib.wf_set(self._context, key.encode(), text.encode()))
            self._check(_lib.wf_check_settings(self._context))
            if tech:
                self._check(_lib.wf_tech(self._context, tech.encode()))
        except WarpfoldError:
            self.close()
            raise
        _lib.wf_set_verify(self._context, verify)
        _lib.wf_set_max_cycles(self._context, max_cycles)
        if threads:
            _lib.wf_set_threads(self._context, threads)

    def close(self):
        if self._context:
            _lib.wf_context_destroy(self._context)
            self._context = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_context", None):
            self.close()

    def _handle(self):
        if not self._context:
            raise WarpfoldError("the context is closed")
        return self._context

    def _raise(self, kind):
        text = _lib.wf_errors(self._handle()).decode(errors="replace").strip()
        _lib.wf_clear_errors(self._context)
        raise kind(text or kind.__doc__)

    def _check(self, status):
        if status:
            self._raise(_ERRORS.get(status, WarpfoldError))

    def _forward_print(self):
        text, self._printed[:] = b"".join(self._printed).decode(errors="replace"), []
        if text and self._printer:
            self._printer(text)
        elif text:
            print(text, end="", flush=True)

    def load(self, path):
        """A module from a PTX file, or an ELF file of RISC-V code."""
        m = _lib.wf_module_load_file(self._handle(), str(path).encode())
        return Module(self, m) if m else self._raise(BadInput)

    def module(self, ptx, name="module.ptx"):
        """A module from PTX text."""
        text = ptx.encode() if isinstance(ptx, str) else bytes(ptx)
        m = _lib.wf_module_load(self._handle(), name.encode(), text, len(text))
        return Module(self, m) if m else self._raise(BadInput)

    def array(self, data, name=None):
        """Device memory with a copy of a buffer, or with as many zeros as a number says."""
        nbytes = data if isinstance(data, int) else memoryview(data).nbytes
        address = _lib.wf_alloc_named(self._handle(), nbytes, name.encode() if name else None)
        if not address:
            self._raise(BadInput)
        a = Array(self, nbytes, address)
        return a if isinstance(data, int) or not nbytes else a.write(data)

    @property
    def config(self):
        """Every setting, resolved."""
        return _json.loads(_lib.wf_config_json(self._handle()))

    def reset(self):
        """Ends the failed state that a fault leaves behind."""
        _lib.wf_reset(self._handle())

    def study(self, name):
        """A study that observes launches: `with context.study("redundancy") as s: …; s.tables["kernels"]`."""
        return Study(self, name)


class Study:
    def __init__(self, context, name):
        self.context, self._study = context, _lib.wf_study_create(name.encode())
        if not self._study:
            raise BadUsage(f"no study {name!r}: {', '.join(studies())}")
        self.tables, self.notes = {}, []

    def __enter__(self):
        self.context._check(_lib.wf_set_study(self.context._handle(), self._study))
        return self

    def group(self, name):
        """Names the group of later launches in the tables."""
        _lib.wf_study_group(self._study, name.encode())

    def __exit__(self, *_):
        report = _lib.wf_study_report(self._study).contents
        self.notes = [report.notes[k].decode() for k in range(report.note_count)]
        self.failures = [report.failures[k].decode() for k in range(report.failure_count)]
        for k in range(report.table_count):
            self.tables[report.tables[k].name.decode()] = table(_rows(report.tables[k]))
        if self.context._context:
            _lib.wf_set_study(self.context._context, None)
        _lib.wf_study_destroy(self._study)


def _rows(t):
    names = [t.columns[k].name.decode() for k in range(t.column_count)]
    for r in range(t.row_count):
        cells = (t.cells[r * t.column_count + k] for k in range(t.column_count))
        yield dict(zip(names, map(_cell, cells)))


def _cell(cell):
    return (None, cell.text.decode() if cell.text else None, cell.count, cell.number, cell.number)[cell.kind]


def _three(shape):
    values = (shape,) if isinstance(shape, int) else tuple(shape)
    if not 1 <= len(values) <= 3:
        raise BadInput(f"a shape has one to three dimensions, not {len(values)}")
    return values + (1,) * (3 - len(values))


# -- in one call ----------------------------------------------------------------------------------------------------


def _device_args(context, args):
    """Arguments with buffers replaced by Arrays, and (Array, buffer) pairs to copy back."""
    given, back = [], []
    for a in args:
        if isinstance(a, (Scalar, Array, int, float)):
            given.append(a)
            continue
        given.append(context.array(a))
        if not memoryview(a).readonly:
            back.append((given[-1], a))
    return given, back


def _kernel(context, source, kernel):
    text = str(source)
    m = context.module(text) if "\n" in text else context.load(text)
    if kernel is None and len(m.kernels) == 1:
        kernel = m.kernels[0]
    if kernel is None:
        raise BadInput(f"which kernel: {', '.join(m.kernels)}?")
    return m[kernel]


def run(source, kernel=None, *, grid, block, args=(), shared=0, **context):
    """Launches one kernel of a PTX file (or text), and returns its Stats.

    Writable buffers among `args` are copied to the device and back, numbers are passed in the parameter's type. Other
    keywords are Context's: gpu, tech, settings, threads, verify, max_cycles."""
    with Context(**context) as c:
        k = _kernel(c, source, kernel)
        given, back = _device_args(c, args)
        stats = k(grid, block, *given, shared=shared)
        for device, host in back:
            device.read(host)
        return stats


def study(name, source, kernel=None, *, grid, block, args=(), shared=0, **context):
    """Runs a kernel under a study (`studies()`), and returns the Study: tables, notes."""
    with Context(**context) as c:
        k = _kernel(c, source, kernel)
        given, _ = _device_args(c, args)
        with c.study(name) as s:
            k(grid, block, *given, shared=shared)
        return s


def _point(job):
    function, point = job
    result = function(**point)
    return {**point, **(result.row() if isinstance(result, Stats) else result)}


def sweep(function, axes, processes=None):
    """A table of function(**point) for every point of the axes (name to values), points run beside each other.

    `function` returns Stats or a dict, and is a module's own function, since processes call it. `processes` 1 stays
    in this process; None takes all processors."""
    names = list(axes)
    jobs = [(function, dict(zip(names, values))) for values in _itertools.product(*axes.values())]
    if processes == 1 or len(jobs) < 2:
        return table(map(_point, jobs))
    import concurrent.futures
    import multiprocessing
    pool = concurrent.futures.ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("fork"))
    with pool:
        return table(list(pool.map(_point, jobs)))


def experiment(name, *, out="results", size=None, submit=None, options=(), **keys):
    """A table of the runs of an experiment: kernels, scripts and programs, a row a run, every axis a column.

    `keys` are those of an experiment's file (docs/howto/experiments.md): text, a list of words, or for lines that may
    be repeated a dict, such as run={"mine": "k.cu --grid 4"}, series={"DARSIE": "darsie"}, sweep={"sm.warps": [8, 16]}.
    The file NAME.exp is written to this folder, where its relative paths begin; `warpfold reproduce NAME.exp` runs it
    again. Runs that are in the folder `out` already are not repeated. `submit` "slurm" runs on many machines."""
    path = name + ".exp"
    _experiment.write(path, {"title": name, "kind": "runs", **keys})
    given = (["--size", size] if size else []) + (["--submit", submit, "--wait"] if submit else []) + list(options)
    rows, (status, message) = _experiment.run(path, out, given)
    if status:
        raise _ERRORS.get(status, WarpfoldError)(message)
    return table(rows)


def _names(at):
    name, meaning = _C.c_char_p(), _C.c_char_p()
    found = {}
    for k in _itertools.count():
        if not at(k, _C.byref(name), _C.byref(meaning)):
            return found
        found[name.value.decode()] = meaning.value.decode()


def gpus():
    """Bundled GPUs: name to meaning."""
    return _names(_lib.wf_gpu_at)


def techs():
    """Mechanisms: name to meaning."""
    return _names(_lib.wf_tech_at)


def studies():
    """Studies: name to meaning."""
    return _names(_lib.wf_study_at)
