"""Says what a Python with caffe has: versions, layers, GPU, libraries, and which files and modules it sees.

Python 2.7 or 3 and caffe alone; takes the path of a question, JSON with `files` and `modules`, and answers in lines of
JSON: what is known before a GPU is tried, then what came of that, for a Caffe without one ends the process. No module
that is asked for is imported, only looked for.
"""

# ruff: noqa: C401, C402, RUF005, UP010
# mypy: ignore-errors
# ruff: noqa: E402
from __future__ import absolute_import, print_function

import os  # site has imported it
import sys

_OWN = os.path.realpath(os.getcwd())
sys.path[:] = [path for path in sys.path if path and os.path.realpath(path) != _OWN]

import json

LIBRARIES = ("lmdb", "leveldb", "opencv_core", "hdf5", "cudart", "cudnn", "nccl")


def main(path):
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**values):
        out.write(json.dumps(values) + "\n")
        out.flush()

    with open(path) as file:
        question = json.load(file)
    answer(
        python=sys.version.split()[0],
        executable=sys.executable or "",
        folder=os.getcwd(),
        files=dict((name, os.path.exists(name)) for name in question["files"]),
        modules=dict((name, place_of(name, question["folders"])) for name in question["modules"]),
        numpy=version("numpy"),
        protobuf=version("google.protobuf"),
    )
    import caffe

    types = sorted(str(name) for name in caffe.layer_type_list())
    answer(
        caffe=str(getattr(caffe, "__version__", "unknown, before 1.0")),
        place=os.path.dirname(os.path.abspath(caffe.__file__)),
        layers=types,
        python_layers="Python" in types,
        libraries=libraries(),
    )
    caffe.set_device(0)
    caffe.set_mode_gpu()
    answer(gpu=True)
    out.flush()
    os._exit(0)


def version(name):
    try:
        return str(getattr(__import__(name, fromlist=["__version__"]), "__version__", "?"))
    except ImportError:
        return None


def place_of(name, folders):
    """The file that `import name` would read, "" if there is none; nothing in it is run."""
    parts = name.split(".")
    for folder in [os.getcwd()] + folders + sys.path[1:]:
        base = os.path.join(folder, *parts)
        for path in (os.path.join(base, "__init__.py"), base + ".py", base + ".pyc"):
            if os.path.isfile(path):
                return path
        if os.path.isdir(os.path.dirname(base)):
            for other in sorted(os.listdir(os.path.dirname(base))):
                if other.startswith(parts[-1] + ".") and other.endswith((".so", ".pyd")):
                    return os.path.join(os.path.dirname(base), other)
    return ""


def libraries():
    """Those of LIBRARIES that are loaded; None where the system does not tell."""
    try:
        with open("/proc/self/maps") as file:
            loaded = set(os.path.basename(line.split()[-1]) for line in file if ".so" in line)
    except (IOError, OSError):  # noqa: UP024
        return None
    return [name for name in LIBRARIES if any(one.startswith("lib" + name) for one in loaded)]


if __name__ == "__main__":
    main(sys.argv[1])
