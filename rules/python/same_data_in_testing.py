from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    PHASES,
    TEST,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    Related,
    compiled_later,
    python_classes,
    title,
)

_PATH = compiled_later(r"[/\\]\w|\w\.[A-Za-z]\w{1,7}\b")
"""A folder, or a file: what a text names that is the same in both phases."""
_SETUP = (
    "import caffe\n\n\nclass DataLayer(caffe.Layer):\n    def setup(self, bottom, top):\n"
    "        self.source = eval(self.param_str)%s\n    def reshape(self, bottom, top):\n        pass\n"
    "    def forward(self, bottom, top):\n        pass\n"
    "    def backward(self, top, propagate_down, bottom):\n        pass\n"
)
_DATA = (
    'layer { name: "%s" type: "Python" top: "data" top: "label" include { phase: %s }'
    ' python_param { module: "reader" layer: "DataLayer" param_str: "{\'list\': \'%s.txt\'}" } }'
)
_BOTH = _DATA.replace("include { phase: %s }", "%s") % ("data", "", "train")
_SOLVER = 'net: "net.prototxt" test_iter: 9 test_interval: 100 max_iter: 1000'


class PythonSameDataInTesting(NetRule):
    """A Python data layer is given the same for testing as for training.

    ## Why is this bad?
    Its class does not ask for the phase, so testing reads the data of training: accuracy is that of the training set,
    and says nothing of overfitting.

    ## Example
    ```
    param_str: "{'list': 'train.txt'}"
    ```
    in the layer for TRAIN and in the one for TEST. Use instead, in the latter:
    ```
    param_str: "{'list': 'val.txt'}"
    ```

    ## Known problems
    Nothing is said where the class of the layer is not in the project, mentions the phase, hands itself on, or has
    methods that a script may call. A layer of both phases is reported where its param_str names a file or folder;
    where it names none, its data may be random.

    ## References
    - kmaninis/OSVOS-caffe, src/parent/solvers/train_val_step1.prototxt
    """

    code = "Y008"
    name = "python-same-data-in-testing"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {
            "net.prototxt": _DATA % ("data", "TRAIN", "train") + _DATA % ("test", "TEST", "val"),
            "reader.py": _SETUP % "",
        },
        {
            "net.prototxt": _DATA % ("data", "TRAIN", "train") + _DATA % ("test", "TEST", "train"),
            "reader.py": _SETUP % "\n        self.is_test = self.phase == caffe.TEST",
        },
        # Others look at its phase, or give it its data.
        {"solver.prototxt": _SOLVER, "net.prototxt": _BOTH, "reader.py": _SETUP % "\n        self.feed = feed(self)"},
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _BOTH,
            "reader.py": _SETUP % "\n    def set_data(self, data):\n        self.data = data",
        },
        # It makes its data.
        {"solver.prototxt": _SOLVER, "net.prototxt": _BOTH.replace("train.txt", "9"), "reader.py": _SETUP % ""},
    ]
    _APART = {
        "solver.prototxt": 'train_net: "train.prototxt" test_net: "test.prototxt" test_iter: 9 test_interval: 100',
        "train.prototxt": _BOTH,
    }
    INVALID = [
        # Nets of their own for training and testing.
        Invalid(
            {**_APART, "test.prototxt": _BOTH, "reader.py": _SETUP % ""},
            span='name: "data"',
            message='Python "data": testing and training have the same param_str, and class DataLayer does not ask for'
            " the phase, so testing reads the data of training; give it other data",
        ),
        Invalid(
            {
                "net.prototxt": _DATA % ("data", "TRAIN", "train") + _DATA % ("test", "TEST", "train"),
                "reader.py": _SETUP % "",
            },
            span='name: "test"',
            message='Python "test": testing and training have the same param_str, and class DataLayer does not ask for'
            " the phase, so testing reads the data of training; give it other data",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "net.prototxt": _BOTH,
                "reader.py": _SETUP % "",
            },
            span='name: "data"',
            message='Python "data" is part of both phases, and class DataLayer does not ask for the phase, so testing'
            " reads the data of training; give each phase a layer with include { phase: ... }",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        apart = [one.train_net for one in net.solvers if one.train_net is not None and one.train_net is not net]
        # A net for testing alone may be tested by a script where the solver never does.
        tests = (one.tests or apart for one in net.solvers if any(use.tests for use in one.uses_of(net)))
        if net.solvers and not any(tests):
            return
        # Whoever tests one batch has to name something for Caffe to start, and looks at nothing.
        serious = [one for one in net.solvers if one.tests and max(one.message.test_iter, default=0) > 1]
        if any(use.tests and use.trains for one in serious for use in one.uses_of(net)):
            yield from self._both_phases(net)
        layers = _readers(net)
        training = {_key(one): one for one in layers if one.phases == (TRAIN,)}
        training |= {_key(one): one for other in apart for one in _readers(other) if TRAIN in one.phases}
        for layer in layers:
            other = training.get(_key(layer))
            classes = python_classes(layer)
            if (
                (layer.phases == (TEST,) or apart and TEST in layer.phases)
                and other is not None
                and classes
                and not any(one.reads_phase or one.is_driven for one in classes)
                and not layer.depends_on_stage
            ):
                yield self.finding(
                    layer.at("name"),
                    f"{title(layer)}: testing and training have the same param_str, and class"
                    f" {layer.message.python_param.layer} does not ask for the phase, so testing reads the data of"
                    " training; give it other data",
                    phases=(TEST,),
                    related=(Related("the layer for training", other.at("name")),),
                )

    def _both_phases(self, net: Net) -> Iterator[Finding]:
        """A layer of both phases, in a net that nothing else gives data for testing."""
        made = {top for layer in net.layers if layer.phases != PHASES and not layer.bottoms for top in layer.tops}
        for layer in net.layers_having("python_param"):
            if layer.bottoms or len(layer.tops) < 2 or layer.phases != PHASES or not made.isdisjoint(layer.tops):
                continue
            if layer.depends_on_stage:
                continue
            classes = python_classes(layer)
            names_data = _PATH.search(layer.message.python_param.param_str)
            if names_data and classes and not any(one.reads_phase or one.is_driven for one in classes):
                yield self.finding(
                    layer.at("name"),
                    f"{title(layer)} is part of both phases, and class {layer.message.python_param.layer} does not ask"
                    " for the phase, so testing reads the data of training; give each phase a layer with"
                    " include { phase: ... }",
                    phases=(TEST,),
                )


def _readers(net: Net) -> list[Layer]:
    return [one for one in net.layers_having("python_param") if one.tops and not one.bottoms]


def _key(layer: Layer) -> tuple[str, ...]:
    """What decides on the data that a layer reads, but for the phase."""
    param = layer.message.python_param
    return param.module, param.layer, param.param_str, layer.tops[0]
