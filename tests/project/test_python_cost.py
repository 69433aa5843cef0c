"""The text of a Python layer takes time with its size, however deep it goes and whatever is said again and again."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import bench_curves
import bench_texts
import pytest
from cost import soon

import caffelint
from caffelint.lint.config import Config
from caffelint.project import python2
from caffelint.project.python_faults import IDLE
from caffelint.project.python_layers import PythonClass, PythonModule


@pytest.mark.parametrize("mark", ["f", "F", "rf", "fR"])
@pytest.mark.parametrize("text", ['"{a}"', '"{a!r}{', '"""{a}\n"""', '"{a:{b}}"', '"" f"{a}"'])
def test_an_f_string_that_takes_python_long(mark: str, text: str) -> None:
    begin, end = text.index("{"), text.rindex("}") + 1
    long = f"x = {mark}{text[:begin]}{text[begin:end] * 200_000}{text[end:]}"
    with soon(5):
        assert python2.parse(long) == (None, False)


@pytest.mark.parametrize("line", ["top[0]" + ".reshape(1)" * 300, "x = y" + ".blobs[0].reshape([1])" * 100])
def test_chains_of_calls_are_not_gone_through_from_each_call(line: str) -> None:
    text = "class A(caffe.Layer):\n    def reshape(self, bottom, top):\n"
    module = PythonModule("a.py", text + f"        {line}\n" * 4)
    one = module.find("A")
    assert one is not None
    nodes = sum(1 for _ in ast.walk(ast.Module(module.body, [])))
    assert bench_curves.calls(lambda: (one.top_shapes, list(one.faults))) < 600 * nodes


def test_a_method_ends_at_the_first_name_that_nothing_defines() -> None:
    head = "class A(caffe.Layer):\n    def forward(self, bottom, top):\n"
    names = "".join(f"name{number} = 0\n" for number in range(2500))
    text = names + head + "".join(f"        nam{number}\n" for number in range(2500))
    one = PythonModule("a.py", text).find("A")
    assert one is not None
    with soon(5):
        assert [fault.name for fault in one.faults] == ["nam0"]


def test_code_that_is_too_deep_to_be_quoted() -> None:
    head = "a = 0\nclass A(caffe.Layer):\n    def forward(self, bottom, top):\n"
    text = f"{head}        top[a{'.b' * 900}].data = 1\n"
    one = PythonModule("a.py", text).find("A")
    assert one is not None
    assert [fault.name for fault in one.faults] == ["..."]


@pytest.mark.parametrize("target", ["x" + "[0]" * 1200, "self.param_str" + "['a']" * 1200])
def test_what_is_assigned_deep_inside(target: str) -> None:
    text = f"class A(caffe.Layer):\n    def setup(self, bottom, top):\n        {target} = eval(self.param_str)\n"
    one = PythonModule("a.py", text).find("A")
    assert one is not None
    _ = one.possible_keys  # it comes to an end


def test_long_modules_are_read() -> None:
    """Of 800 KB, with dictionaries, and with f-strings."""
    assert python2.parse("x = {1: {2: 3}}\n" * 50_000)[0]
    assert python2.parse("x = f'{a}'\n" * 500 + "print(1)\n" * 90_000)[0]


@pytest.mark.parametrize(
    ("method", "line"),
    [
        ("forward(self, bottom, top)", "self.abcdefgh@ + self.abcdefgi"),
        ("forward(self, bottom, top)", "x@ = top[0].data"),
        ("forward(self, bottom, top)", "x@ = top[@].data"),
        ("backward(self, top, propagate_down, bottom)", f"{'f(' * 90}bottom[0].diff{')' * 90}"),
        ("reshape(self, bottom, top)", f"{'top[0].reshape((' * 90}1{',))' * 90}"),
    ],
)
def test_methods_that_say_much_take_no_longer_than_they_are(method: str, line: str) -> None:
    def look(number: int) -> None:
        head = "class A(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n"
        said = [f"self.abcdefgi{count} = 1\n        " for count in range(number)]
        text = f"{head}        {''.join(said)}pass\n    def {method}:\n        "
        text += "\n        ".join(line.replace("@", str(count)) for count in range(number))
        one = PythonModule("a.py", text).find("A")
        assert one is not None
        assert (one.faults, one.top_shapes, one.makes_gradient, one.reads_top_diff) != ()

    look(2)
    small, large = (bench_curves.calls(lambda: look(number)) for number in (30, 120))  # noqa: B023
    assert large < 5 * small


def test_of_very_many_classes_of_a_module_the_first_are_looked_at() -> None:
    methods = "".join(f"    def f{number}(self, x):\n        self.z{number} = x * 2\n" for number in range(150))
    text = f"class B(caffe.Layer):\n    def setup(self, bottom, top):\n        p = eval(self.param_str)\n{methods}"
    text += "".join(f"class C{number}(B): pass\n" for number in range(400))
    module = PythonModule("a.py", text)
    with soon(10):
        for name in module.class_names():
            one = module.find(name)
            assert one is not None
            assert (one.possible_keys, list(one.faults), list(one.shuffled_apart)) is not None
    first, last = module.find("C1"), module.find("C399")
    assert first is not None
    assert last is not None
    assert (first.is_layer, last.is_layer) == (True, None)


def test_a_module_of_very_many_parts_is_not_looked_at() -> None:
    text = "class A(caffe.Layer):\n    def setup(self, bottom, top):\n        {}\n"
    for size, is_layer in ((2_000, True), (20_000, None)):
        one = PythonModule("a.py", text.format("x=1;" * size)).find("A")
        assert one is not None
        assert one.is_layer is is_layer


@pytest.mark.parametrize("line", ["x=1;" * 3000, f"x = [{'*x, ' * 4500}]", f"x = 1{' < 1' * 9000}"])
def test_a_check_looks_at_each_part_of_a_module_a_few_times(line: str, tmp_path: Path) -> None:
    config = Config()
    config.cache, config.jobs = False, 1
    layer = 'python_param { module: "m" layer: "A" param_str: "{}" }'
    net = f'{bench_texts.INPUT} layer {{ name: "p" type: "Python" bottom: "x" top: "p" {layer} }}'

    def look(name: str, line: str) -> None:
        folder = tmp_path / name
        folder.mkdir()
        head = "import caffe\nclass A(caffe.Layer):\n    def setup(self, bottom, top):\n        "
        (folder / "m.py").write_text(f"{head}p = eval(self.param_str)\n        {line}\n")
        (folder / "net.prototxt").write_text(net)
        caffelint.check([folder], config)

    look("small", "x = 1")  # imports
    assert bench_curves.calls(lambda: look("large", line)) < 440 * 9000


def test_functions_in_functions_are_gone_through_once() -> None:
    def look(depth: int) -> None:
        head = "class A(caffe.Layer):\n    def setup(self, bottom, top):\n        p = self.param_str\n"
        defs = "".join(f"{' ' * (8 + level)}def f{level}():\n" for level in range(depth))
        one = PythonModule("a.py", head + defs + f"{' ' * (8 + depth)}{'x = p; ' * 500}return x\n").find("A")
        assert one is not None
        assert one.possible_keys

    look(2)
    small, large = (bench_curves.calls(lambda: look(depth)) for depth in (5, 80))  # noqa: B023
    assert large < 2 * small


def test_each_elif_is_gone_through_once(tmp_path: Path) -> None:
    """It is a block of the one before it, and so of all before it."""

    def look(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir(exist_ok=True)
        branches = "a = 1\n        if a: x = bottom[0].data\n" + "        elif a: x = a\n" * number
        methods = ("setup(self, bottom, top)", "reshape(self, bottom, top)", "forward(self, bottom, top)")
        text = "".join(f"    def {method}:\n        {branches}" for method in methods)
        (folder / "m.py").write_text(f"import caffe\nclass A(caffe.Layer):\n{text}")
        (folder / "net.prototxt").write_text(
            'layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 1 } } }\n'
            'layer { name: "l" type: "Python" bottom: "a" top: "b" python_param { module: "m" layer: "A" } }\n'
        )
        assert not caffelint.check(str(folder / "net.prototxt"), Config()).failures

    look(2)
    small, large = (bench_curves.calls(lambda: look(number)) for number in (100, 400))  # noqa: B023
    assert large < 6 * small


@pytest.mark.parametrize("line", ["self.q = self.{}", "self.q = {}"])
def test_long_names_are_not_compared(line: str) -> None:
    """Names in which no letter is frequent, and of which each is like the other."""
    letters = [chr(0x4E00 + number % 110 * 7 + number // 110 % 5) for number in range(14_000)]
    known, wrong = "".join(letters), "".join("a" if not at % 5 else one for at, one in enumerate(letters))
    text = f"class A(caffe.Layer):\n    def setup(self, bottom, top):\n        self.{known} = {known} = 1\n"
    one = PythonModule("a.py", f"{text}        {line.format(wrong)}\n").find("A")
    assert one is not None
    with soon(5):
        assert [fault.near for fault in one.faults] == [""]


@pytest.mark.parametrize("line", ["c.append(self.cut())", "c.append(self.x)", "self.x{}[:] = 1; c.append(self.x{})"])
def test_loops_and_what_they_call_are_gone_through_once(line: str) -> None:
    def look(number: int) -> None:
        head = "class A(caffe.Layer):\n    def cut(self):\n        "
        text = head + "self.x[:] = 1\n        " * number + "return self.x\n    def forward(self, bottom, top):\n"
        text += "".join(f"        for i in x:\n            {line}\n".replace("{}", str(one)) for one in range(number))
        one = PythonModule("a.py", text).find("A")
        assert one is not None
        assert len(one.repeated_arrays) >= 0

    look(2)
    small, large = (bench_curves.calls(lambda: look(number)) for number in (30, 120))  # noqa: B023
    assert large < 5 * small


def test_loops_in_loops_are_gone_through_a_few_times() -> None:
    def look(depth: int) -> None:
        head = "class A(caffe.Layer):\n    def forward(self, bottom, top):\n"
        loops = "".join(f"{' ' * (8 + level)}for i in x:\n" for level in range(depth))
        one = PythonModule("a.py", f"{head}{loops}{' ' * (8 + depth)}{'x[:] = 1; ' * 500}c.append(x)\n").find("A")
        assert one is not None
        assert len(one.repeated_arrays) >= 0

    look(2)
    small, large = (bench_curves.calls(lambda: look(depth)) for depth in (5, 80))  # noqa: B023
    assert large < 2 * small


@pytest.mark.parametrize("number", ["0x" + "f" * 5000, "0b" + "1" * 20_000, "0O" + "7" * 6000])
def test_a_number_that_python_cannot_write(number: str) -> None:
    text = "class A(caffe.Layer):\n    def reshape(self, bottom, top):\n        bottom[NUMBER].data\n"
    tree, _ = python2.parse(text.replace("NUMBER", number))
    assert tree is not None
    assert ast.unparse(tree).endswith("bottom[_].data")
    assert python2.parse(text.replace("NUMBER", "9" * 5000))[0] is None


def test_names_that_are_set_at_once_are_gone_through_a_few_times() -> None:
    def forward(size: int) -> str:
        return f"{', '.join(f'a{one}' for one in range(size))} = {', '.join(['top[0].data'] * size)}"

    def work(size: int) -> int:
        text = "class A(caffe.Layer):\n    def forward(self, bottom, top):\n        "
        module = PythonModule("a.py", f"{text}{forward(size)}\n        {forward(size)}\n")

        def asked() -> None:
            one = module.find("A")
            assert one is not None
            assert list(one.faults) is not None

        return bench_curves.calls(asked)

    work(10)
    assert work(400) < 4.6 * work(100)


def test_loops_in_loops_are_gone_through_once() -> None:
    def work(size: int) -> int:
        loops = "".join(f"{' ' * (8 + one)}for i{one} in y:\n" for one in range(60))
        body = "".join(f"{' ' * 70}x = {one}\n" for one in range(size))
        text = f"class A(caffe.Layer):\n    def forward(self, bottom, top):\n{loops}{body}"

        def asked() -> None:
            one = PythonModule("a.py", text).find("A")
            assert one is not None
            assert list(one.faults) is not None

        return bench_curves.calls(asked)

    work(10)
    assert work(2000) < 4.6 * work(500)


def _shuffles(line: str, each: str, number: int) -> str:
    head = f"class A(caffe.Layer):\n    def setup(self, bottom, top):\n        {line}\n"
    head += "    def forward(self, bottom, top):\n        top[1].data[...] = self.z[i]\n        top[0].data[...] = "
    return f"{head}({', '.join(each.format(one) for one in range(number))})\n"


@pytest.mark.parametrize(
    ("line", "each"),
    [
        ("np.random.shuffle(self.z)", "self.a{}[i]"),
        ("np.random.shuffle(self.z); np.random.shuffle(self.a); " * 100, "self.z[i{0}], self.a[i{0}]"),
    ],
)
def test_arrays_that_are_shuffled_are_held_against_each_other_once(line: str, each: str) -> None:
    def work(number: int) -> int:
        def look() -> None:
            one = PythonModule("a.py", _shuffles(line, each, number)).find("A")
            assert one is not None
            assert len(one.shuffled_apart) == 1

        return bench_curves.calls(look)

    work(2)
    assert work(200) < 4.6 * work(50)


def test_what_a_name_is_set_to_is_gone_through_once() -> None:
    def work(line: str) -> int:
        text = f"class A(caffe.Layer):\n    def forward(self, bottom, top):\n        x = {line}\n"
        text += "        top[0].data[...] = x\n" * 200

        def look() -> None:
            one = PythonModule("a.py", text).find("A")
            assert one is not None
            assert not one.shuffled_apart

        return bench_curves.calls(look)

    work("self.a[i]")
    assert work("self.a[i] + " * 30 + "1") < 2 * work("self.a[i]")


def test_what_a_module_takes_from_others_is_looked_up() -> None:
    """A module of many imports is asked of each class that layers name."""

    def work(number: int) -> int:
        module = PythonModule("p/a.py", "".join(f"from b{one} import *\n" for one in range(number)))
        assert module.takes_from("A", ["p/b1.py"])
        assert not module.takes_from("A", ["q/b1.py", "p/c.py"])
        return bench_curves.calls(lambda: [module.takes_from(f"A{one}", ["p/c.py"]) for one in range(number)])

    assert work(400) < 4.6 * work(100)


def test_names_of_a_module_are_compared_for_a_while() -> None:
    """Each method of each class reads one that nothing sets, and all of them are long and alike."""

    def work(number: int) -> int:
        long = [f"{'ab' * 90}{one:016b}".replace("1", "a").replace("0", "b") for one in range(3 * number)]
        text = f"class Z:\n    def a(self):\n        {'; '.join(f'self.{one} = 1' for one in long[number:])}\n"
        for one in range(number):
            text += f"class A{one}(caffe.Layer):\n"
            for method in ("setup", "reshape", "forward"):
                text += f"    def {method}(self, bottom, top):\n        self.{long[one]}\n"
            text += f"    def backward(self, a, b, c):\n        self.{long[one]}{method}\n"
        module = PythonModule("a.py", text)
        return bench_curves.calls(
            lambda: [len(one.faults) for name in module.class_names() if (one := module.find(name))]
        )

    work(2)
    assert work(40) < 4.6 * work(10)


def _layer(forward: str, backward: str = "pass\n") -> PythonClass:
    text = "class A(caffe.Layer):\n    def setup(self, bottom, top):\n        self.a = eval(self.param_str)['a']\n"
    text += f"    def forward(self, bottom, top):\n        {forward}"
    text += f"    def backward(self, top, propagate_down, bottom):\n        {backward}"
    one = PythonModule("a.py", text).find("A")
    assert one is not None
    return one


def _ifs(depth: int) -> str:
    ifs = (f"v{level} = self.x[0:1]\n{' ' * (8 + level)}if self.a:\n{' ' * (9 + level)}" for level in range(depth))
    return f"{''.join(ifs)}{'x = x; ' * 500}\n"


@pytest.mark.parametrize(
    "ask",
    [lambda one: one.drawn_at, lambda one: one.changed_views, lambda one: one.switched_on("a")],
    ids=["drawn_at", "changed_views", "switched_on"],
)
def test_ifs_in_ifs_are_gone_through_once(ask: Callable[[PythonClass], object]) -> None:
    ask(_layer(_ifs(2)))
    small, large = (bench_curves.calls(lambda: ask(_layer(_ifs(depth)))) for depth in (5, 80))  # noqa: B023
    assert large < 4 * small


def test_data_of_data_is_gone_down_once() -> None:
    def look(depth: int) -> int:
        one = _layer(f"np.random.rand(a{'.data' * depth})\n")
        return bench_curves.calls(lambda: one.reads_values)

    look(2)
    assert look(800) < 4.6 * look(200)


def test_idle_loops_are_held_against_what_follows_once() -> None:
    def look(number: int) -> int:
        loops = "\n        ".join(f"for a{one} in b: pass" for one in range(number))
        one = _layer("pass\n", f"{loops}\n")
        return bench_curves.calls(lambda: one.faults)

    look(2)
    assert look(400) < 4.6 * look(100)


ELIFS = "for i in b:\n            if i: pass\n" + "            elif i: pass\n" * 900


@pytest.mark.parametrize("loop", [f"for i in b{'.c' * 1500}: pass\n", ELIFS], ids=["iterable", "elifs"])
def test_loops_that_are_deep_are_read(loop: str) -> None:
    one = _layer("pass\n", f"{loop}        bottom[i].diff[...] = 1\n")
    assert [fault.name for fault in one.faults if fault.kind == IDLE] == ["i"]
