"""Asks a real Caffe to read prototxt text; runs under Caffe's own Python (`caffe-python tools/caffe_reader.py`).

JSON lines in, `{"kind": "net" | "solver", "text": BASE64}`; JSON lines out, `{"errors": ["1:29: Expected ..."]}` where
Caffe refuses the text, `{"message": BASE64}`, the serialised message, where it accepts. It is Caffe's own C++ function
that reads, `ReadProtoFromTextFile` (util/io.cpp), before any upgrade: what `caffe train` does first with a file.
"""

import base64
import ctypes
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import caffe  # noqa: F401  # loads libcaffe, wherever this machine has it

MESSAGES = {"net": "12NetParameter", "solver": "15SolverParameter"}
ERROR = re.compile(r"^\[libprotobuf ERROR .*?\] Error parsing text-format \S+: (.*)$", re.MULTILINE)


def load_caffe() -> ctypes.CDLL:
    """The libcaffe that `import caffe` has loaded."""
    found = re.search(r"/\S*/libcaffe(-nv)?\.so\S*", Path("/proc/self/maps").read_text())
    if not found:
        sys.exit("pycaffe is there, but no libcaffe.so")
    return ctypes.CDLL(found[0])


class Reader:
    """Caffe's C++ functions, and the file that they read."""

    def __init__(self, folder: str) -> None:
        caffe_library = load_caffe()
        self.read = caffe_library._ZN5caffe21ReadProtoFromTextFileEPKcPN6google8protobuf7MessageE
        self.read.restype = ctypes.c_bool
        self.write = caffe_library._ZN5caffe22WriteProtoToBinaryFileERKN6google8protobuf7MessageEPKc
        self.messages = {}
        for kind, name in MESSAGES.items():
            create = caffe_library[f"_ZN6google8protobuf5Arena18CreateMaybeMessageIN5caffe{name}EJEEEPT_PS1_DpOT0_"]
            create.restype = ctypes.c_void_p
            self.messages[kind] = ctypes.c_void_p(create(None))
        self.text, self.binary, self.log = (Path(folder, name) for name in ("text", "binary", "log"))

    def __call__(self, kind: str, text: bytes) -> dict:
        self.text.write_bytes(text)
        message = self.messages[kind]
        with open(self.log, "w+b") as log:
            os.dup2(log.fileno(), 2)
            accepted = self.read(bytes(self.text), message)
            log.seek(0)
            said = log.read().decode("utf-8", "backslashreplace")
        if not accepted:
            return {"errors": ERROR.findall(said)}
        self.write(message, bytes(self.binary))
        return {"message": base64.b64encode(self.binary.read_bytes()).decode()}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(folder)
        for line in sys.stdin:
            job = json.loads(line)
            print(json.dumps(reader(job["kind"], base64.b64decode(job["text"]))))


if __name__ == "__main__":
    main()
