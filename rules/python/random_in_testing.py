from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    TEST,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    file_name,
    python_classes,
    quoted,
    title,
)

_CODE = (
    "import caffe\nimport numpy as np\n\n\nclass Noisy(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n"
    "    def reshape(self, bottom, top):\n        top[0].reshape(*bottom[0].data.shape)\n"
    "    def forward(self, bottom, top):\n        top[0].data[...] = self.changed(bottom[0].data)%s\n"
    "    def changed(self, images):\n        return images + np.random.randn(*images.shape)\n"
    "    def backward(self, top, propagate_down, bottom):\n        pass\n"
)
_WHERE_SET = (_CODE % "").replace(
    "        top[0].data[...] = self.changed(bottom[0].data)",
    "        if self.phase:\n            top[0].data[...] = bottom[0].data + np.random.randn(4)",
)
_NET = (
    'layer {{ name: "data" type: "Data" top: "data" top: "label" data_param {{ source: "a" batch_size: 8 }} }}'
    ' layer {{ name: "fc" type: "InnerProduct" bottom: "{1}" top: "fc" inner_product_param {{ num_output: 9 }} }}'
    ' layer {{ name: "noisy" type: "Python" bottom: "{0}" top: "noisy"{2}'
    ' python_param {{ module: "noise" layer: "Noisy" }} }}'
    ' layer {{ name: "out" type: "InnerProduct" bottom: "noisy" top: "out" inner_product_param {{ num_output: 9 }} }}'
    ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "out" bottom: "label" top: "loss" }}'
)
_SOLVER = 'net: "net.prototxt" test_iter: 9 test_interval: 100 max_iter: 1000'


class PythonRandomInTesting(NetRule):
    """A Python layer changes the data of testing at random, as that of training.

    ## Why is this bad?
    Two tests of the same weights on the same data give different results, and those of images that are turned, shifted
    or noisy are worse than what the net can do.

    ## Example
    ```
    layer { name: "augment" type: "Python" bottom: "data" top: "augmented" python_param { ... } }
    ```
    Use instead, where `forward` draws random numbers:
    ```python
    if self.phase == caffe.TRAIN:
        images = self.augmented(images)
    ```

    ## Known problems
    Nothing is said of a layer that brings data, which may choose it at random, of one behind weights, which may be part
    of the net, as in a VAE, and of a class that speaks of the phase or is given to others.

    ## References
    - pycaffe, python_layer.hpp, LayerSetUp: self.phase
    """

    code = "Y017"
    name = "python-random-in-testing"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    VALID = [
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _NET.format("data", "data", " include { phase: TRAIN }"),
            "noise.py": _CODE % "",
        },
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _NET.format("data", "data", ""),
            "noise.py": _CODE % " if self.phase == caffe.TRAIN else bottom[0].data",
        },
        # Behind weights, noise may be part of the net.
        {"solver.prototxt": _SOLVER, "net.prototxt": _NET.format("fc", "data", ""), "noise.py": _CODE % ""},
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _NET.format("data", "data", ""),
            "noise.py": _CODE % " if self.wanted else bottom[0].data",
        },
        # Noise of its own, in the shape of a bottom.
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _NET.format("data", "data", ""),
            "noise.py": (_CODE % "").replace("changed(bottom[0].data)", "changed(bottom[0].data.shape)"),
        },
        {
            "net.prototxt": _NET.format("data", "data", ""),
            "noise.py": (_CODE % "").replace("np.random.randn", "np.ones"),
        },
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": _SOLVER, "net.prototxt": _NET.format("data", "data", ""), "noise.py": _CODE % ""},
            span='name: "noisy"',
            message='Python "noisy": forward draws random numbers ("noise.py", line 13) and does not ask for the'
            " phase, so testing changes its data at random as well; ask for self.phase",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "net.prototxt": _NET.format("data", "data", ""),
                "noise.py": _WHERE_SET,
            },
            span='name: "noisy"',
            message='Python "noisy": forward draws random numbers where self.phase is set ("noise.py", line 11), which'
            " is 0 in TRAIN and 1 in TEST, so it changes the data of testing alone; write if self.phase == 0",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not any(use.tests and one.tests for one in net.solvers for use in one.uses_of(net)):
            return
        for built in net.states():
            for layer in built.layers if TEST in built.phases else ():
                if layer.type != "Python" or layer.index is None or not layer.bottoms or layer.is_loss:
                    continue
                if any(part.has_weights for blob in layer.bottoms for part in blob.depends_on):
                    continue
                mine = net.layers[layer.index]
                classes = python_classes(mine)
                turned = {one.drawn_in_test for one in classes}
                if len(turned) == 1 and turned != {0}:
                    where = f"{quoted(file_name(classes[0].module.path))}, line {turned.pop()}"
                    yield self.finding(
                        mine.at("name"),
                        f"{title(layer)}: forward draws random numbers where self.phase is set ({where}), which is 0 in"
                        " TRAIN and 1 in TEST, so it changes the data of testing alone; write if self.phase == 0",
                        phases=(TEST,),
                    )
                    continue
                drawn = {one.drawn_at for one in classes}
                if len(drawn) != 1 or drawn == {0} or any(one.reads_phase or one.is_driven for one in classes):
                    continue
                if not all(one.reads_values for one in classes):
                    continue  # noise of its own, which the net may be about
                where = f"{quoted(file_name(classes[0].module.path))}, line {drawn.pop()}"
                # Without it, nothing makes what is called otherwise than its bottoms.
                keep = "keep it to TRAIN, or " if set(mine.tops) <= set(mine.bottoms) else ""
                yield self.finding(
                    mine.at("name"),
                    f"{title(layer)}: forward draws random numbers ({where}) and does not ask for the phase, so testing"
                    f" changes its data at random as well; {keep}ask for self.phase",
                    phases=(TEST,),
                )
            if TEST in built.phases:
                return
