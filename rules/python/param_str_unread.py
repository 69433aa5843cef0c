from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from caffelint.lint import (
    INFO,
    LIKELY,
    WARNING,
    Compared,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    listed,
    near,
    quoted,
    title,
)

from ._claim import claims, read_in
from ._param_str import BadText, keys_of

_MOST = 100
"""Keys, and words, that are held against each other letter by letter."""

if TYPE_CHECKING:
    from caffelint.lint import PythonClass


class PythonParamStrUnread(LayerRule):
    """The class of a Python layer never reads a key of `param_str`.

    ## Why is this bad?
    The layer runs with the default of what was meant: a `shuffle` that the class calls `randomize`, or a batch size
    that is written into the code, changes nothing, and nothing says so.

    ## Example
    ```
    python_param { module: "voc" layer: "Data" param_str: "{'split': 'train', 'sed': 1337}" }
    ```
    where `setup` does `params = eval(self.param_str)` and takes `params['split']` and `params.get('seed')`. Use
    instead:
    ```
    python_param { module: "voc" layer: "Data" param_str: "{'split': 'train', 'seed': 1337}" }
    ```

    ## Known problems
    The module is read, not run. A key counts as read if its name is anywhere in the module, as a string or as the name
    of something; where other code gets all of `param_str`, nothing is said. A key that is like none that the class
    reads is an info.

    ## References
    - python_layer.hpp, LayerSetUp
    """

    code = "Y011"
    name = "python-param-str-unread"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Data(caffe.Layer):\n    def setup(self, bottom, top):\n"
        "        params = eval(self.param_str)\n        self.split = params['split']\n"
        "        self.seed = params.get('seed')\n"
    )
    _NET = (
        'layer { name: "data" type: "Python" top: "data" python_param { module: "voc" layer: "Data" param_str: "%s" } }'
    )
    VALID = [
        {"net.prototxt": _NET % "{'split': 'train', 'seed': 1}", "voc.py": _MODULE},
        # Other code gets it all.
        {
            "net.prototxt": _NET % "{'split': 'train', 'sed': 1}",
            "voc.py": _MODULE.replace("\n\n\nclass", "\nfrom images import Batch\n\n\nclass")
            + "        self.batch = Batch(params)\n",
        },
        # As it would get what a method of its own reads, or the layer itself.
        {
            "net.prototxt": _NET % "{'split': 'train', 'sed': 1}",
            "voc.py": _MODULE.replace("\n\n\nclass", "\nfrom images import Batch\n\n\nclass")
            + "        self.batch = Batch(self)\n",
        },
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET % "{'split': 'train', 'sed': 1}", "voc.py": _MODULE},
            span="param_str: \"{'split': 'train', 'sed': 1}\"",
            message='Python "data": class Data never reads "sed" of param_str; did you mean "seed"?',
        ),
        Invalid(
            {"net.prototxt": _NET % "{'split': 'train', 'loud': 1}", "voc.py": _MODULE},
            span="param_str: \"{'split': 'train', 'loud': 1}\"",
            message='Python "data": class Data never reads "loud" of param_str, so it has no effect; remove it, or let'
            " the class read it",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if not layer.has("python_param", "param_str"):
            return
        text = layer.message.python_param.param_str
        for python, unread in claims(layer, partial(_unread, text=text, compared=layer.net.once(Compared))):
            meant = [(key, near) for key, near in unread if near]
            keys = listed([quoted(key) for key, _ in meant or unread])
            if meant:
                so = f"; did you mean {listed([quoted(near) for _, near in meant])}?"
            elif len(unread) == 1:
                so = ", so it has no effect; remove it, or let the class read it"
            else:
                so = ", so they have no effect; remove them, or let the class read them"
            yield self.finding(
                layer.at("python_param", "param_str"),
                f"{title(layer)}: class {python.name} never reads {keys} of param_str{so}",
                evidence=read_in(python),
                severity=WARNING if meant else INFO,
            )


def _unread(python: PythonClass, text: str, compared: Compared) -> list[tuple[str, str]] | None:
    """The keys that are never read, each with one like it that is read and not given; None if there are none."""
    read, words = python.param_str, python.possible_keys
    if read is None or words is None:
        return None
    try:
        keys = keys_of(read.reader, text) or frozenset()
    except BadText:
        return None
    if any(key not in keys for key in read.keys):
        return None  # python-param-str says so
    others = sorted(python.keys_read - keys)[:_MOST]
    unread = sorted(keys - words)
    return [
        (key, "".join(near(key, others if at < _MOST else (), within=compared))) for at, key in enumerate(unread)
    ] or None
