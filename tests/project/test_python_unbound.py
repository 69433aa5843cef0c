"""What stops a script whenever it is run is found by its text alone, as Python finds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caffelint.project.python2 import broken
from caffelint.project.python_stops import stops
from caffelint.project.python_unbound import Stop

STOPPING = {
    "a = b\n": Stop(1, "b"),
    "def f(x):\n    return x\n\n\nf(1)\nprint(x)\n": Stop(6, "x"),
    "def f():\n    return total\n\n\ndef g(total):\n    return f()\n\n\ng(1)\n": Stop(2, "total"),
    "steps = 1\nfor i in range(2):\n    print(step)\n": Stop(3, "step", "steps"),
    "try:\n    import json\nexcept ImportError:\n    pass\njsons.dumps(1)\n": Stop(5, "jsons", "json"),
    "x = [1, 2\n": Stop(1, says="'[' was never closed"),
}
LATER = {
    "import sys\nif len(sys.argv) > 3:\n    stop(1)\n": Stop(3, "stop"),
    "if __name__ != '__main__':\n    print(later)\n": Stop(2, "later"),
    "match 1:\n    case 2:\n        print(later)\n": Stop(3, "later"),
    "class A(object):\n    def f(self):\n        return steps\n    def g(self, steps):\n        return steps\n": Stop(
        3, "steps"
    ),
    "def f(a, b=1):\n    pass\ndef g():\n    f()\n": Stop(4, "f", says="without a, which it needs"),
    "import sys\ndef f(a):\n    pass\nif sys.argv[1:]:\n    f(1, 2)\n": Stop(
        5, "f", says="with 2 arguments, of which it takes 1"
    ),
}
"""What another run than this comes to."""
TAKEN = "class A(object):\n    def f(self):\n        return 0\n    def g(self, i):\n        return self.f(i)\n"
RUNNING_METHODS = (
    TAKEN.replace("return 0", "raise NotImplementedError"),
    TAKEN.replace("return 0", "'Of others.'"),
    f"{TAKEN}class B(A):\n    def f(self, i):\n        return i\nB().g(1)\n",
    f"{TAKEN}class B(A):\n    f = lambda self, i: i\nB().g(1)\n",
    f"{TAKEN}    f = lambda self, i: i\nA().g(1)\n",
    "class A:\n    def f(a):\n        pass\n    f = staticmethod(f)\n    def g(self):\n        self.f(1)\nA().g()\n",
    "class A:\n    def f(self):\n        return 0\n    class B(dict):\n        def g(self):\n            self.f(1)\n",
)

CALLS = {
    "def f(a):\n    pass\nf(b=1)\n": Stop(3, "f", says="with b, which it does not take"),
    "def f(a):\n    pass\nf(1, a=1)\n": Stop(3, "f", says="with two values for a"),
    "def f(*, a):\n    pass\nf()\n": Stop(3, "f", says="without a, which it needs"),
    "class A(object):\n    def f():\n        return 1\n    def g(self):\n        self.f()\nA().g()\n": Stop(
        5, "self.f", says="which takes no self"
    ),
}
RUNNING = (
    "def f(*rest, a=1, **words):\n    pass\nf(1, 2, b=3)\nf()\n",
    "def f(a):\n    pass\ndef f(a, b):\n    pass\nf(1, 2)\n",
    "def f(a):\n    pass\nf = lambda: 1\nf()\n",
    "def f(a, b):\n    pass\nf(*(1, 2))\nf(**{'a': 1, 'b': 2})\n",
    "class A(object):\n    @staticmethod\n    def f():\n        pass\n    def g(self):\n        self.f()\nA().g()\n",
    "if 0:\n    print(later)\n",
    "try:\n    unknown\nexcept NameError:\n    unknown = 1\n",
    "def f():\n    global total\n    total = 1\n\n\nf()\nprint(total)\n",
    "def f():\n    return later\n\n\nlater = 1\nf()\n",
    "print([one for one in range(3)])\n",
    "class A(object):\n    size = 3\n    rows = size\n\n\nA()\n",
    "f = lambda x: x\nf(1)\n",
    "def f(*rest, **words):\n    def inner():\n        return rest, words\n    return inner()\n\n\nf()\n",
    "with open(__file__) as file:\n    file.read()\n",
    "import sys\nprint(1)\nsys.exit(0)\nprint(later)\n",
    "def f():\n    return later\n\n\nprint(1)\n",
    "class A:\n    def f(self):\n        return later\n\n    def g(self):\n        # self.f()\n        return 1\n",
    "def f():\n    exit(0)\n    return later\n\n\nf()\n",
    "import contextlib\nwith contextlib.suppress(NameError):\n    print(later)\n",
    "def f(x):\n    y: Foo = x\n    return y\n\n\nf(1)\n",
    "match {'a': 1, 'b': 2}:\n    case {'a': 1, **rest}:\n        print(rest)\n",
    "def f(a):\n    return a\ntry:\n    f()\nexcept TypeError:\n    f(1)\n",
    "import contextlib\ndef f(a):\n    return a\nwith contextlib.suppress(TypeError):\n    f()\n",
    "def f(a):\n    return a\nif not True:\n    f()\nwhile 0:\n    f()\n",
    "def f(a):\n    return a\nif 1:\n    f(1)\nelse:\n    f()\n",
    "while 0:\n    print(later)\nif not True:\n    print(later)\n",
    "def f(rows):\n    any((last := one) > 1 for one in rows)\n    return last\nf([1, 2])\n",
    "from __future__ import annotations\ndef f(x: Later) -> Later:\n    y: Later = x\n    return y\nf(1)\n",
)


@pytest.mark.parametrize("text", [*STOPPING, *RUNNING, *RUNNING_METHODS])
def test_stops_as_python_does(text: str) -> None:
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    found = STOPPING.get(text)
    assert stops(text) == found
    is_file = "__file__" in text
    assert (found is None) == (done.returncode == 0 or is_file)
    if found:
        assert f"line {found.line}" in done.stderr
        assert (f"'{found.name}' is not defined" if found.name else found.says) in done.stderr


@pytest.mark.parametrize("text", LATER)
def test_stops_where_another_run_comes(text: str) -> None:
    assert stops(text) == LATER[text]


def test_what_a_method_is_given_that_no_class_has_anew() -> None:
    assert stops(TAKEN) == Stop(5, "self.f", says="with 1 argument, of which it takes none")


@pytest.mark.parametrize("text", CALLS)
def test_calls_that_python_refuses(text: str) -> None:
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert f"line {CALLS[text].line}" in done.stderr
    assert "TypeError" in done.stderr
    assert stops(text) == CALLS[text]


@pytest.mark.parametrize(
    ("call", "fails"),
    [
        ("vstack(a, a)", True),
        ("vstack((a, a))", False),
        ("concatenate(a[0:1], a[0:1, :])", True),
        ("concatenate((a, a), 0)", False),
        ("zeros(2, 2)", True),
        ("zeros(2, len(a) * 2, 3)", True),
        ("zeros(a.shape[0], a.shape[1])", True),
        ("zeros(a.size, a.size, a.size, a.size)", True),
        ("zeros(2, 'f%d' % 4)", False),
        ("zeros(2, 'f4,' * 2)", False),
        ("zeros((2, 2), int, 'C')", False),
        ("zeros((2, 2), int)", False),
        ("zeros(2, 'f')", False),
    ],
)
def test_calls_that_numpy_refuses(call: str, fails: bool) -> None:
    text = f"import numpy as np\na = np.ones((2, 2))\nnp.{call}\n"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert ("TypeError" in done.stderr) == fails
    assert (stops(text) is not None) == fails


@pytest.mark.parametrize(
    "text",
    [
        "import caffe\nclass A(caffe.Layer):\n    def forward(self, bottom, top):\n        return later\n",
        "from settings import *\nprint(step)\n",
        "exec(open('x.py').read())\nprint(step)\n",
        "execfile('x.py')\nprint(step)\n",
        "from numpy import *\nprint(zeros(3))\n",
        "raw_input(unicode(xrange(3)))\n",
        "if __name__ != '__main__':\n    pass\n",
        "print 'of Python 2', 0777, `1`\n",
        "def f():\n    if 1:\n        print 'spaces'\n\tprint 'a tab to the eighth column'\n",
        "",
        "exec open('config.py').read()\nprint step\n",
        "print 'x'\nexec(open('config.py').read())\nprint(step)\n",
        "import sys\nsetattr(sys.modules[__name__], 'step', 1)\nprint(step)\n",
        'print(f"size {d["a"]} of {d["b)"]}")\n',
        "@profile\ndef f():\n    pass\n\n\nf()\n",
        "try:\n    f()\nexcept* TypeError:\n    pass\ndef f(a):\n    pass\n",
        "def f():\n    return isinstance(f, (ExceptionGroup, PythonFinalizationError))\nf()\n",
    ],
)
def test_what_is_not_sure(text: str) -> None:
    assert stops(text) is None


def test_broken_is_what_python_2_refuses_as_well(python2: Path) -> None:
    texts = {
        "def f():\n    a = 1\n\tb = 2\n": 3,
        "def f():\n        a = 1\n\tprint 'same column'\n": 0,
        "def f():\nprint 1\n": 2,
        "f(1))\n": 1,
        "print >>f, (1, 2)\n": 0,
        "x = (1,\n": 1,
        "print 'no ending\n": 0,  # Python's words for it differ between versions: not told
    }
    for text, line in texts.items():
        found = broken(text)
        assert (found[0] if found else 0) == line, text
        if line:
            done = subprocess.run([python2, "-c", text], capture_output=True, text=True, check=False)
            assert done.returncode != 0
            assert "Error" in done.stderr, text
