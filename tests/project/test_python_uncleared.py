"""Scripts that update weights by hand from gradients which they never clear."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cost import follows

from caffelint.project.python_uncleared import uncleared

BUILD = "net = caffe.Net('n.prototxt', caffe.TRAIN)\n"
LOOP = "for i in range(9):\n    net.forward()\n    net.backward()\n"
STEP = "    for name in net.params:\n        net.params[name][0].data[...] -= rate * net.params[name][0].diff\n"


@pytest.mark.parametrize(
    "script",
    [
        LOOP + STEP,
        LOOP + "    for bs in net.params.values():\n        for b in bs:\n            b.data[:] = b.data - b.diff\n",
        LOOP + "    w = net.params['a'][0]\n    v = 0.9 * v - w.diff\n    w.data[...] += v\n",
        LOOP + "    d = net.params['a'][0].diff.copy()\n    net.params['a'][0].data[...] -= np.sign(d)\n",
        "def step():\n    net.backward()\n" + STEP + "while True:\n    step()\n",
        LOOP + "    net.blobs['fc'].diff[...] = 0\n" + STEP,
    ],
)
def test_gradients_that_are_never_cleared(script: str) -> None:
    assert [one.path for one in uncleared(BUILD + script)] == ["n.prototxt"]


@pytest.mark.parametrize(
    "script",
    [
        LOOP + STEP + "        net.params[name][0].diff[...] = 0\n",
        LOOP + STEP + "        net.params[name][0].diff.fill(0)\n",
        LOOP + STEP + "        net.params[name][0].diff.flat[:] = 0\n",
        LOOP + STEP + "        d = net.params[name][0].diff\n        d *= 0\n",
        LOOP + STEP + "        np.copyto(net.params[name][0].diff, 0)\n",
        LOOP + STEP + "        zero(net.params[name][0].diff)\n",
        LOOP + STEP + "    for d in [one.diff for one in net.params['a']]:\n        d[...] = 0\n",
        LOOP + STEP + "    net.clear_param_diffs()\n",
        LOOP + STEP + "    tools.clear(net)\n",
        LOOP.replace("for", "#").replace("    ", "") + STEP.replace("    for", "for"),
        "for i in range(9):\n    " + BUILD + "    net.backward()\n" + STEP,
        LOOP + STEP.replace(" net.params[name][0].diff", " grads[name]"),
        LOOP + STEP.replace(".data[...] -=", ".other[...] -="),
        LOOP + STEP.replace("net.params[name][0].diff", "net.blobs[name].diff"),
        LOOP + STEP + "(",
    ],
)
def test_what_is_not_that(script: str) -> None:
    # Where a net is built again, its gradients begin at 0.
    build = "" if BUILD in script else BUILD
    assert not uncleared(build + script)


def _chain(number: int) -> str:
    return BUILD + LOOP + f"    x = net.params{'.diff' * number}\n"


def _loops(number: int) -> str:
    return BUILD + "".join(f"def f{one}():\n  for i in x:\n    net.backward()\n    f{one}()\n" for one in range(number))


def _long(number: int) -> str:
    return BUILD + LOOP + "    d = net.params['a'][0].diff + 1\n" * number


@pytest.mark.parametrize("make", [_chain, _loops, _long])
def test_long_scripts_take_time_with_their_size(make: Callable[[int], str]) -> None:
    def look(text: str) -> None:
        uncleared.cache_clear()
        uncleared(text + "# .params .diff\n")

    assert follows(look, make(50), make(800))
