"""Experiments of the program `warpfold`: a file of a few lines, written, run and read back."""
import csv
import os
import subprocess

_MARK = "# written by warpfold.experiment\n"


def _program():
    """The program beside this module's installation, or on the PATH; WARPFOLD_PROGRAM before both."""
    own = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("WARPFOLD_PROGRAM"), os.path.join(own, "..", "..", "build", "warpfold")]
    folder = own
    for _ in range(4):  # PREFIX/lib/pythonX.Y/dist-packages/warpfold
        folder = os.path.dirname(folder)
        places.append(os.path.join(os.path.dirname(folder), "bin", "warpfold"))
    for place in places:
        if place and os.path.isfile(place):
            return place
    return "warpfold"


def _words(value):
    return value if isinstance(value, str) else " ".join(map(str, value))


def _lines(key, value):
    """`key = value`; of a dict a line for every name, `key = name : value`."""
    key = key.replace("_", "-")
    if isinstance(value, dict):
        return [f"{key} = {name} : {_words(words)}\n" for name, words in value.items()]
    return [f"{key} = {_words(value)}\n"]


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def write(path, keys):
    """Writes the file; a file of somebody's own stays."""
    if os.path.exists(path):
        with open(path) as old:
            if old.readline() != _MARK:
                raise FileExistsError(f"{path} is not an experiment that warpfold.experiment wrote: give another name")
    with open(path, "w") as out:
        out.write(_MARK)
        for key, value in keys.items():
            out.writelines(_lines(key, value))


def run(path, out, options):
    """Runs the file; the rows of its timed runs, and (exit status, message) of the program."""
    command = [_program(), "reproduce", path, "--out", out, "--quiet", *options]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return [], (done.returncode, done.stderr.strip())
    name = os.path.splitext(os.path.basename(path))[0]
    with open(os.path.join(out, name + "-runs.csv"), newline="") as file:
        return [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)], (0, "")
