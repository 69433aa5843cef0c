"""Python layers are judged by their text as a real Caffe judges them by running them."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest
from cost import soon

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.file import loaded
from caffelint.lint.project.python_layers import modules_of, tell_modules
from caffelint.project import python2
from caffelint.project.python_layers import PythonModule
from caffelint.rules.python._param_str import keys_of

LEARNS, NOTHING, STOPS, ENDS = "learns", "learns nothing", "stops", "ends"
SOLVER = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 2 snapshot_after_train: false\n'
NET = """
layer {{ name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param {{
  shape {{ dim: 4 dim: 3 }} shape {{ dim: 4 dim: 2 }} data_filler {{ type: "gaussian" std: 1 }} }} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param {{ num_output: 2 weight_filler {{ type: "xavier" }} bias_filler {{ type: "constant" }} }} }}
layer {{ name: "loss" type: "Python" bottom: "ip" {bottoms} top: "loss" {more}
  python_param {{ module: "pyloss" layer: "{layer}" {text} }} }}
"""
MODULE = """
import ast
import json
import caffe


class Loss(caffe.Layer):
    def setup(self, bottom, top):
        if len(bottom) != 2:
            raise Exception("two bottoms needed")
        {setup}

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def forward(self, bottom, top):
        top[0].data[0] = ((bottom[0].data - bottom[1].data) ** 2).sum()

    def backward(self, top, propagate_down, bottom):
        {backward}
"""
GRADIENT = "bottom[0].diff[...] = 2 * (bottom[0].data - bottom[1].data)"
TIMES_TOP = GRADIENT + " * top[0].diff[0]"
FAILS = "python-method-fails"
READS = "a = eval(self.param_str)\n        "
CASES = [
    ({}, LEARNS, ""),
    ({"layer": "Los"}, STOPS, "python-class-not-found"),
    ({"bottoms": ""}, STOPS, "python-blob-count"),
    ({"setup": "top[1].reshape(1)"}, STOPS, "python-blob-count"),
    ({"setup": "assert len(top) in (1, 3)"}, LEARNS, ""),
    ({"setup": "assert len(top) > 1 and len(bottom) == 2"}, STOPS, "python-blob-count"),
    ({"setup": "self.a = eval(self.param_str)"}, STOPS, "python-param-str"),
    ({"setup": "self.a = eval(self.param_str)", "text": "param_str: \"{'a': 1}\""}, LEARNS, ""),
    ({"setup": READS + "a['b']", "text": "param_str: \"{'a': 1}\""}, STOPS, "python-param-str"),
    ({"setup": READS + "a['a']", "text": 'param_str: "dict(a=1)"'}, LEARNS, ""),
    ({"setup": READS + "a.setdefault('b', 1)\n        a['b']", "text": 'param_str: "{}"'}, LEARNS, ""),
    ({"setup": "json.loads(self.param_str)", "text": "param_str: \"{'a': 1}\""}, STOPS, "python-param-str"),
    ({"setup": "json.loads(self.param_str)['a']", "text": "param_str: '{\"b\": 1}'"}, STOPS, "python-param-str"),
    ({"setup": "ast.literal_eval(self.param_str)", "text": 'param_str: "a: 1"'}, STOPS, "python-param-str"),
    ({"backward": "pass"}, NOTHING, "python-backward-missing"),
    ({"backward": "raise NotImplementedError()"}, ENDS, "python-backward-missing"),
    ({"more": ""}, NOTHING, "python-loss-weight"),
    ({"more": "loss_weight: 5", "backward": GRADIENT}, LEARNS, "python-loss-weight"),
    ({"replace": ("def backward", "def back")}, ENDS, "python-backward-missing"),
    ({"replace": ("def reshape", "def resize")}, STOPS, "python-method-missing"),
    ({"replace": ("def setup", "def __init__")}, STOPS, "python-method-missing"),
    ({"replace": ("def forward", "def forwards")}, ENDS, "python-method-missing"),
    ({"replace": ("caffe.Layer", "object")}, STOPS, "python-method-missing"),
    ({"setup": "self.a = 1", "backward": TIMES_TOP + " * self.a"}, LEARNS, ""),
    ({"setup": "self.a = 1", "backward": TIMES_TOP + " * self.b"}, ENDS, FAILS),
    ({"backward": "bottom[0].diff = bottom[0].data"}, ENDS, FAILS),
    ({"backward": TIMES_TOP + "\n        bottom[0].diff += 1"}, ENDS, FAILS),
    ({"setup": "self.blobs.add_blob(1)\n        self.blobs[0].data = 1"}, STOPS, FAILS),
    ({"replace": ("top[0].data[0] =", "top[0].data =")}, ENDS, FAILS),
    ({"replace": ("top[0].reshape(1)", "top[0].reshape((1,))")}, STOPS, FAILS),
    ({"replace": ("top[0].reshape(1)", "top[0].reshape(bottom[0].data.shape[:1])")}, STOPS, FAILS),
    ({"replace": ("top[0].reshape(1)", "top[0].reshape(*bottom[0].data.shape[1:])")}, LEARNS, ""),
    ({"replace": ("top[0].reshape(1)", "pass")}, STOPS, FAILS),
    ({"setup": "yaml.load('1')", "replace": ("import json", "from numpy import *")}, STOPS, FAILS),
    ({"setup": "random.rand(2)", "replace": ("import json", "from numpy import *")}, LEARNS, ""),
    ({"setup": "zeros(2).sum()", "replace": ("import json", "from numpy import *")}, LEARNS, ""),
    ({"setup": "json.loads('1')", "replace": ("import json", "from json import *")}, STOPS, ""),
]


def write(folder: Path, changes: dict[str, object]) -> None:
    parts = {
        "layer": "Loss",
        "bottoms": 'bottom: "label"',
        "more": "loss_weight: 1",
        "text": "",
        "setup": "pass",
        "backward": GRADIENT if changes.get("more") == "" else TIMES_TOP,
    }
    parts.update({key: str(value) for key, value in changes.items() if key != "replace"})
    module = MODULE.format(**parts)
    if "replace" in changes:
        module = module.replace(*changes["replace"])  # type: ignore[misc]
    folder.mkdir()
    (folder / "solver.prototxt").write_text(SOLVER)
    (folder / "net.prototxt").write_text(NET.format(**parts))
    (folder / "pyloss.py").write_text(module)


def uncached() -> Config:
    config = Config()
    config.cache = False
    config.preview = True
    return config


def found(folder: Path) -> set[str]:
    report = caffelint.check([folder], uncached())
    return {finding.name for finding in report.findings if finding.code.startswith("Y")}


@pytest.mark.parametrize(("changes", "became", "rule"), CASES, ids=lambda value: str(value)[:60])
def test_what_is_said(tmp_path: Path, changes: dict[str, object], became: str, rule: str) -> None:
    write(tmp_path / "project", changes)
    assert found(tmp_path / "project") == ({rule} if rule else set())


@pytest.mark.caffe
def test_a_real_caffe_says_the_same(tmp_path: Path, caffe_python: Path) -> None:
    folders = [tmp_path / str(number) for number in range(len(CASES))]
    for folder, (changes, _, _) in zip(folders, CASES, strict=True):
        write(folder, changes)
    script = Path(__file__).with_name("run_python_layers.py")
    done = subprocess.run([caffe_python, script, *folders], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [became for _, became, _ in CASES]


@pytest.mark.parametrize(
    "text",
    [
        "class A(caffe.Layer):\n    def setup(self, bottom, top):\n        print 'x', self.a\n        raise E, 'no'\n",
        "try:\n    import a\nexcept ImportError, e:\n    print e\nx = 0777 + 10L <> `y`\nclass A(object):\n\tpass\n",
        "class A(object):\n    def f(self):\n\tprint >>f, 'x %s' % (1,\n 2)\n        exec 'a' in b\n",
    ],
)
def test_python_2_is_read(text: str, python2: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(text)
    subprocess.run([python2, "-m", "py_compile", tmp_path / "a.py"], check=True)
    module = PythonModule("a.py", text)
    assert module.is_read
    assert module.python2
    assert module.find("A")


@pytest.mark.parametrize("text", ["class (", "\0", "(" * 100_000, f"x = {'-' * 100_000}1", "a\n\tb\n  c", "\udcff"])
def test_what_is_no_python_is_unknown(text: str) -> None:
    module = PythonModule("a.py", text)
    assert not module.is_read
    assert not module.lacks("A")


def test_the_nearest_of_several_modules_is_named(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "near", {"bottoms": ""})
    write(tmp_path / "far", {"bottoms": ""})
    (tmp_path / "near" / "models").mkdir()
    for name in ("net.prototxt", "solver.prototxt"):
        (tmp_path / "near" / name).rename(tmp_path / "near" / "models" / name)
    report = caffelint.check([tmp_path / "near"], uncached())
    assert [finding.evidence for finding in report.findings if finding.code == "Y002"] == [
        f"read in {tmp_path / 'near' / 'pyloss.py'}"
    ]
    # One of the two takes what the net gives.
    (tmp_path / "far" / "pyloss.py").write_text(MODULE.format(setup="pass", backward=TIMES_TOP).replace("!= 2", "> 2"))
    assert not found(tmp_path / "near")


def test_a_module_is_read_anew_where_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write(tmp_path / "project", {})
    config = Config()
    assert caffelint.check([tmp_path / "project"], config).findings == caffelint.check([tmp_path / "project"]).findings
    text = (tmp_path / "project/pyloss.py").read_text().replace("len(bottom) != 2", "len(bottom) != 3")
    (tmp_path / "project/pyloss.py").write_text(text)
    assert "Y002" in {finding.code for finding in caffelint.check([tmp_path / "project"], config).findings}


def test_a_module_is_parsed_once_for_all_nets_that_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []

    def counted(text: str) -> object:
        parsed.append(text)
        return parse(text)

    parse = python2.parse
    monkeypatch.setattr(python2, "parse", counted)
    write(tmp_path / "project", {"setup": f"pass  # {tmp_path}"})
    net = (tmp_path / "project/net.prototxt").read_text()
    for number in range(9):
        (tmp_path / f"project/net{number}.prototxt").write_text(f"{net} # {number}")
    report = caffelint.check([tmp_path / "project"], uncached())
    assert report.files == 11
    assert len(parsed) == 1


def test_no_module_is_read_outside_the_checkout(tmp_path: Path) -> None:
    write(tmp_path / "project", {"bottoms": ""})
    (tmp_path / "project/pyloss.py").rename(tmp_path / "pyloss.py")
    (tmp_path / "project/pyloss.py").symlink_to("../pyloss.py")
    (tmp_path / "project/.git").mkdir()
    assert not found(tmp_path / "project")


@pytest.mark.parametrize(
    ("module", "file", "is_told"),
    [
        ("pyloss", "code/losses.py", True),
        ("code.pyloss", "code/losses.py", True),
        ("nets.pyloss", "code/losses.py", False),
        ("nets.pyloss", "code/pyloss.py", False),
    ],
)
def test_the_class_of_a_module_that_is_not_there_is_looked_for(
    tmp_path: Path, module: str, file: str, is_told: bool
) -> None:
    """A file of the right name is left alone, since it may be on the path, as is a package that may be elsewhere."""
    project = tmp_path / "project"
    write(project, {"replace": ["import json", "import json  # elsewhere"]})
    (project / ".git").mkdir()
    (project / "code").mkdir()
    (project / "pyloss.py").rename(project / file)
    net = (project / "net.prototxt").read_text()
    (project / "net.prototxt").write_text(net.replace('"pyloss"', f'"{module}"'))
    told = [finding.evidence for finding in caffelint.check([project], uncached()).findings if finding.code == "Y007"]
    assert told == [f"the class is in {project / file}"] * is_told


SHAPES = {
    "top[0].reshape(1)": "1",
    "top[0].reshape(*bottom[0].data.shape)": "4x3",
    "top[0].reshape(bottom[0].num, 1, 5)": "4x1x5",
    "top[0].reshape(bottom[0].data.shape[1], bottom[0].channels)": "3x3",
    "top[0].reshape(*bottom[0].shape)": "4x3",
    "top[0].reshape(2, self.size)": "",
    "if self.size:\n            top[0].reshape(1)\n        top[0].reshape(2)": "",
    "one = top[0]\n        one.reshape(7)": "",
    "top[0].reshape(bottom[0].data.shape[0] * 2)": "",
}


@pytest.mark.caffe
def test_tops_have_the_shapes_that_caffe_gives_them(tmp_path: Path, caffe_python: Path) -> None:
    names = [f"Layer{number}" for number in range(len(SHAPES))]
    code = "".join(
        f"class {name}(caffe.Layer):\n    size = 6\n"
        + "".join(
            f"    def {method}:\n        {body}\n"
            for method, body in {
                "setup(self, bottom, top)": "pass",
                "reshape(self, bottom, top)": line,
                "forward(self, bottom, top)": "top[0].data[...] = bottom[0].data.reshape(-1)[0]",
                "backward(self, top, propagate_down, bottom)": "pass",
            }.items()
        )
        for name, line in zip(names, SHAPES, strict=True)
    )
    (tmp_path / "shapes.py").write_text(f"import caffe\n{code}")
    (tmp_path / ".git").mkdir()
    data = 'layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 4 dim: 3 } } }\n'
    python = 'layer { name: "%s" type: "Python" bottom: "d" top: "%s" python_param { module: "shapes" layer: "%s" } }\n'
    (tmp_path / "net.prototxt").write_text(data + "".join(python % (name, name, name) for name in names))
    script = "import caffe; net = caffe.Net('net.prototxt', caffe.TEST)\n"
    script += "print({name: tuple(net.blobs[name].shape) for name in net.blobs})"
    done = subprocess.run([caffe_python, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    real = ast.literal_eval(done.stdout)
    path = str(tmp_path / "net.prototxt")
    data_of = modules_of({path: (tmp_path / "net.prototxt").read_bytes()})
    net = loaded((tmp_path / "net.prototxt").read_bytes(), path).net
    assert net is not None
    tell_modules([net], data_of)
    tops = {layer.name: layer.tops[0].shape for layer in net.states()[0].layers if layer.type == "Python"}
    for name, wanted in zip(names, SHAPES.values(), strict=True):
        assert tops[name] == (real[name] if wanted else None)
        assert not wanted or "x".join(map(str, real[name])) == wanted


IF = "if a:\n"
HOSTILE = {
    "nested": "".join(" " * depth + IF for depth in range(60)) + " " * 60 + "b = 1\n",
    "elif": "if a == 0:\n    b = 0\n" + "".join(f"elif a == {number}:\n    b = {number}\n" for number in range(2000)),
    "not": "assert " + "not " * 1400 + "len(bottom) == 1",
    "chain": "assert len(bottom) == 2" + " == 2" * 20_000,
    "sum": "p = eval(self.param_str)\n        f(p.x" + " + 1" * 1400 + ")\n        y = p['zz']",
    "dots": "p" + ".q" * 1400 + " = eval(self.param_str)",
    "asserts": "\n        ".join(["assert len(bottom) == 2"] * 2700),
    "tests": "\n        ".join(["assert 12 < 12"] * 5000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_code_takes_time_with_its_size(tmp_path: Path, name: str) -> None:
    """A module is read once, however many layers name it, and without recursion."""
    write(tmp_path / "project", {"setup": HOSTILE[name] if name not in ("nested", "elif") else "pass"})
    module = tmp_path / "project/pyloss.py"
    if name in ("nested", "elif"):
        module.write_text(HOSTILE[name] + module.read_text())
    layer = (
        'layer { name: "p%d" type: "Python" bottom: "ip" top: "p%d" python_param { module: "pyloss" layer: "Loss" } }\n'
    )
    (tmp_path / "project/net.prototxt").write_text("".join(layer % (number, number) for number in range(300)))
    with soon():
        report = caffelint.check([tmp_path / "project"], uncached())
    assert not report.failures


def test_a_key_that_is_a_long_number() -> None:
    """Python refuses to write it in digits."""
    assert keys_of("eval", "{0x" + "f" * 5000 + ": 1, 'a': 2}") == {"a"}


@pytest.mark.parametrize(
    ("line", "shapes"),
    [
        ("top[0].reshape(len(top), top[0].data.shape[0])", {}),
        ("top[0].data[...] = top[0].diff.reshape(-1)", {0: [1]}),
        ("top[0].reshape(2)", {0: [2]}),
        ("top[0].reshape(2147483647)", {0: [2**31 - 1]}),
        ("top[0].reshape(2147483648)", {}),
        ("top[0].reshape(2, 0x" + "F" * 5000 + ")", {}),
        ("shape_all(bottom, top)", {}),
        ("shape_one(top[0])", {}),
        ("self.t = top[0]; self.t.reshape(2)", {}),
        ("tops = top; tops[0].reshape(2)", {}),
        ("shape = top[0].reshape; shape(2)", {}),
        ("[blob.reshape(2) for blob in top]", {}),
    ],
)
def test_tops_that_other_code_may_shape_are_unknown(line: str, shapes: dict[int, list[int]]) -> None:
    text = "class A(caffe.Layer):\n    def setup(self, bottom, top):\n        top[0].reshape(1)\n"
    found = PythonModule("a.py", f"{text}    def reshape(self, bottom, top):\n        {line}\n").find("A")
    assert found is not None
    assert found.top_shapes == shapes


@pytest.mark.parametrize(
    ("code", "is_whole"),
    [
        ("x.astype(np.uint8)", True),
        ('x.astype("int32")', True),
        ("np.array(x, dtype=np.int64)", True),
        ("np.uint8(x)", True),
        ("x.astype(np.float32)", False),
        ("np.asarray(x, uint8)", True),
        ("np.zeros(3, np.uint8)", False),  # of its own values nothing is lost
        ("int(x)", False),
        ("np.array(x)", False),
    ],
)
def test_what_makes_whole_numbers(code: str, is_whole: bool) -> None:
    text = (
        f"import caffe\nclass A(caffe.Layer):\n    def forward(self, bottom, top):\n        top[0].data[...] = {code}\n"
    )
    found = PythonModule("a.py", text).find("A")
    assert found is not None
    assert [*found.whole_numbers] == ([4] if is_whole else [])


READS = """class Data(caffe.Layer):
    def setup(self, bottom, top):
        self.loader = Loader()
    def forward(self, bottom, top):
        top[0].data[...] = self.loader.get()
class Loader:
    def __init__(self):
        self.at = 0
    def get(self):
        if self.at >= len(self.files):
            self.at = 0
        {}
    def unused(self):
        return self.files[self.at]
"""


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("return self.files[self.at]", 12),
        ("self.at += 1; return self.files[self.at]", 0),
        ("self.at, x = self.at + 1, 0; return self.files[self.at]", 0),
        ("setattr(self, 'at', 1); return self.files[self.at]", 0),
        ("return self.other[self.at]", 0),
        ("return 0", 0),
    ],
)
def test_an_index_that_is_never_moved(body: str, line: int) -> None:
    one = PythonModule("a.py", READS.format(body)).find("Data")
    assert one is not None
    assert [found.line for found in one.stuck] == [line] * bool(line)
