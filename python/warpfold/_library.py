"""The shared library: its structures and functions, as in warpfold.h of the same version."""
import ctypes as C
import ctypes.util
import os

VERSION = "0.1.0"
UNKNOWN = 2**64 - 1  # a figure not measured by the run


def _structure(name, fields):
    return type(name, (C.Structure,), {"_fields_": fields})


LaunchConfig = _structure("wf_launch_config", [
    ("grid", C.c_uint32 * 3), ("block", C.c_uint32 * 3), ("shared_bytes", C.c_uint32), ("stream", C.c_void_p),
    ("registers", C.c_uint32), ("workspace", C.c_uint64), ("cluster", C.c_uint32 * 3)])
Param = _structure("wf_param", [
    ("name", C.c_char_p), ("type", C.c_char_p), ("offset", C.c_uint32), ("bytes", C.c_uint32)])
KernelInfo = _structure("wf_kernel_facts", [
    ("name", C.c_char_p), ("mangled_name", C.c_char_p), ("params", C.POINTER(Param)), ("param_count", C.c_uint32),
    ("param_bytes", C.c_uint32), ("address_bits", C.c_uint32), ("instructions", C.c_uint32),
    ("registers", C.c_uint32), ("predicates", C.c_uint32), ("shared_bytes", C.c_uint32),
    ("local_bytes", C.c_uint32), ("stack_bytes", C.c_uint32), ("spill_loads", C.c_uint32),
    ("spill_stores", C.c_uint32), ("compile_seconds", C.c_double)])
Error = _structure("wf_error", [("shared", C.c_double), ("own", C.c_double)])
Counter = _structure("wf_counter", [
    ("name", C.c_char_p), ("unit", C.c_char_p), ("meaning", C.c_char_p), ("value", C.c_uint64),
    ("is_most", C.c_bool), ("error", Error)])
Energy = _structure("wf_energy", [
    ("name", C.c_char_p), ("part", C.c_char_p), ("unit", C.c_char_p), ("count", C.c_uint64),
    ("pj_each", C.c_double)])
Storage = _structure("wf_structure", [
    ("tech", C.c_char_p), ("name", C.c_char_p), ("sm_class", C.c_char_p), ("entries", C.c_uint64),
    ("bits", C.c_uint64), ("in_paper", C.c_bool), ("instead", C.c_bool)])
Warning_ = _structure("wf_warning", [("name", C.c_char_p), ("count", C.c_uint64), ("text", C.c_char_p)])
Sampling = _structure("wf_sampling", [
    ("how", C.c_int), ("why", C.c_char_p), ("group", C.c_uint32), ("timed_blocks", C.c_uint64), ("cycles", Error),
    ("fetched", Error), ("skipped", Error), ("reused", Error), ("occupancy", Error), ("warp_instructions", Error),
    ("thread_instructions", Error), ("energy_pj", Error)])
Slice = _structure("wf_slice", [
    ("parts", C.c_uint32), ("sms", C.c_uint32), ("whole_sms", C.c_uint32), ("partitions", C.c_uint32),
    ("whole_partitions", C.c_uint32), ("dram_rate", C.c_double)])
Peaks = _structure("wf_peaks", [
    (name, C.c_double) for name in ("issued", "float_lanes", "integer_lanes", "special_lanes", "double_lanes",
                                    "shared_accesses", "l2_flits", "l2_flit_bytes", "dram_bytes", "sms")])
Stats = _structure("wf_stats", [
    ("status", C.c_int), ("has_run", C.c_bool), ("cycles", C.c_uint64), ("elapsed", C.c_uint64),
    ("start", C.c_uint64), ("fetched", C.c_uint64), ("skipped", C.c_uint64), ("reused", C.c_uint64),
    ("verify_mismatches", C.c_uint64), ("tech", C.c_char_p), ("occupancy", C.c_double), ("gpu", C.c_char_p),
    ("warp_instructions", C.c_uint64), ("thread_instructions", C.c_uint64), ("races", C.c_uint64),
    ("race_text", C.c_char_p), ("fault_text", C.c_char_p), ("fault", C.c_int), ("has_waited", C.c_bool), ("never_ends", C.c_bool),
    ("warnings", C.POINTER(Warning_)), ("warning_count", C.c_size_t), ("wall_seconds", C.c_double),
    ("sms", C.c_void_p), ("sm_count", C.c_size_t), ("classes", C.c_void_p), ("class_count", C.c_size_t),
    ("slice", Slice), ("samples", C.c_void_p), ("sample_count", C.c_size_t), ("counters", C.POINTER(Counter)),
    ("counter_count", C.c_size_t), ("energy", C.POINTER(Energy)), ("energy_count", C.c_size_t),
    ("storage", C.POINTER(Storage)), ("storage_count", C.c_size_t), ("core_mhz", C.c_double),
    ("sampling", Sampling), ("peaks", Peaks)])
Mark = _structure("wf_mark", [
    ("pc", C.c_uint32), ("instruction", C.c_char_p), ("lines", C.c_char_p), ("mark", C.c_char_p),
    ("promoted", C.c_char_p), ("pattern", C.c_char_p), ("formula", C.c_char_p), ("base", C.c_uint32),
    ("stride", C.c_int32), ("base_known", C.c_bool), ("stride_known", C.c_bool), ("grid", C.c_bool),
    ("warp_classes", C.c_uint32), ("cause", C.c_char_p), ("reason", C.c_char_p), ("shareable", C.c_bool)])
Cell = _structure("wf_cell", [
    ("kind", C.c_int), ("text", C.c_char_p), ("count", C.c_uint64), ("number", C.c_double)])
Column = _structure("wf_column", [("name", C.c_char_p), ("meaning", C.c_char_p)])
Table = _structure("wf_table", [
    ("name", C.c_char_p), ("title", C.c_char_p), ("detail", C.c_bool), ("cards", C.c_bool),
    ("columns", C.POINTER(Column)), ("column_count", C.c_size_t), ("cells", C.POINTER(Cell)),
    ("row_count", C.c_size_t), ("rules", C.POINTER(C.c_size_t)), ("rule_count", C.c_size_t)])
StudyReport = _structure("wf_study_results", [
    ("status", C.c_int), ("tables", C.POINTER(Table)), ("table_count", C.c_size_t),
    ("notes", C.POINTER(C.c_char_p)), ("failures", C.POINTER(C.c_char_p)), ("note_count", C.c_size_t),
    ("failure_count", C.c_size_t)])

STRUCTURES = (LaunchConfig, Param, KernelInfo, Error, Counter, Energy, Storage, Warning_, Sampling, Slice, Peaks,
              Stats, Mark, Cell, Column, Table, StudyReport)

PrintFunction = C.CFUNCTYPE(None, C.c_void_p, C.POINTER(C.c_char), C.c_size_t)
InterruptFunction = C.CFUNCTYPE(C.c_bool, C.c_void_p)

_P, _S, _U64 = C.c_void_p, C.c_char_p, C.c_uint64
# Name, result, arguments.
_FUNCTIONS = (
    ("wf_context_create", _P, ()),
    ("wf_context_destroy", None, (_P,)),
    ("wf_set", C.c_int, (_P, _S, _S)),
    ("wf_check_settings", C.c_int, (_P,)),
    ("wf_gpu", C.c_int, (_P, _S)),
    ("wf_gpu_at", C.c_bool, (C.c_size_t, C.POINTER(_S), C.POINTER(_S))),
    ("wf_tech", C.c_int, (_P, _S)),
    ("wf_tech_at", C.c_bool, (C.c_size_t, C.POINTER(_S), C.POINTER(_S))),
    ("wf_set_verify", None, (_P, C.c_bool)),
    ("wf_set_max_cycles", None, (_P, _U64)),
    ("wf_set_interrupt", None, (_P, InterruptFunction, _P)),
    ("wf_set_threads", None, (_P, C.c_uint)),
    ("wf_errors", _S, (_P,)),
    ("wf_clear_errors", None, (_P,)),
    ("wf_set_print", None, (_P, PrintFunction, _P)),
    ("wf_alloc_named", _U64, (_P, _U64, _S)),
    ("wf_free", C.c_int, (_P, _U64)),
    ("wf_write", C.c_int, (_P, _U64, _P, _U64)),
    ("wf_read", C.c_int, (_P, _U64, _P, _U64)),
    ("wf_module_load_file", _P, (_P, _S)),
    ("wf_module_load", _P, (_P, _S, _S, C.c_size_t)),
    ("wf_symbol", C.c_int, (_P, _S, C.POINTER(_U64), C.POINTER(_U64))),
    ("wf_kernel_find", _P, (_P, _S)),
    ("wf_kernel_name", _S, (_P, C.c_size_t)),
    ("wf_kernel_info", C.POINTER(KernelInfo), (_P,)),
    ("wf_kernel_listing", _S, (_P,)),
    ("wf_kernel_marks", C.POINTER(Mark), (_P, C.POINTER(C.c_uint32 * 3), C.POINTER(C.c_size_t))),
    ("wf_launch_packed", C.c_int, (_P, C.POINTER(LaunchConfig), _P, _U64, C.POINTER(Stats))),
    ("wf_reset", None, (_P,)),
    ("wf_study_at", C.c_bool, (C.c_size_t, C.POINTER(_S), C.POINTER(_S))),
    ("wf_study_create", _P, (_S,)),
    ("wf_study_destroy", None, (_P,)),
    ("wf_set_study", C.c_int, (_P, _P)),
    ("wf_study_group", None, (_P, _S)),
    ("wf_study_report", C.POINTER(StudyReport), (_P,)),
    ("wf_config_json", _S, (_P,)),
)


def _find():
    """The library beside this module's installation, or where the loader looks; WARPFOLD_LIBRARY before both."""
    name = "libwarpfold.so." + VERSION.split(".")[0]
    own = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("WARPFOLD_LIBRARY"), os.path.join(own, "..", "..", "build", "lib", name)]
    folder = own
    for _ in range(4):  # PREFIX/lib/pythonX.Y/dist-packages/warpfold
        folder = os.path.dirname(folder)
        places.append(os.path.join(folder, name))
    for place in places:
        if place and os.path.exists(place):
            return place
    return name


def load():
    path = _find()
    try:
        library = C.CDLL(path)
    except OSError as e:
        raise ImportError(f"{e}: install warpfold (make install), or set WARPFOLD_LIBRARY to the path of "
                          f"libwarpfold.so") from None
    for name, result, arguments in _FUNCTIONS:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
