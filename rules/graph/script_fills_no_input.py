from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TEST, TRAIN, WARNING, Finding, Invalid, Net, NetRule, quoted

from ._no_input import no_input

_SHAPE = "input_param { shape { dim: 1 dim: 8 } }"
_SIZES = "memory_data_param { batch_size: 1 channels: 1 height: 1 width: 8 }"


class ScriptFillsNoInput(NetRule):
    """A Python script gives a net values for a blob that is not an input of this net.

    ## Why is this bad?
    A data layer overwrites what a script has written into its blob as soon as the net runs, so the answer is for a
    record of its source, without any message. `caffe.Classifier`, and `forward` with arrays, need a net with an input
    of that name, and end with an error.

    ## Example
    `deploy.prototxt` has `layer { name: "data" type: "Data" top: "data" data_param { source: "train" } }`, and
    `classify.py`:
    ```python
    net = caffe.Net("deploy.prototxt", "net.caffemodel", caffe.TEST)
    net.blobs["data"].data[...] = image
    net.forward()
    ```
    Use instead, in `deploy.prototxt`:
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 227 dim: 227 } } }
    ```

    ## Known problems
    Only nets are read that are built of a file whose name is written out. What a script does only under a condition,
    or with its failure caught, is left out.

    ## References
    - pycaffe.py, _Net_forward; classifier.py; base_data_layer.cpp, BasePrefetchingDataLayer::Forward_cpu
    """

    code = "G052"
    name = "script-fills-no-input"
    severity = WARNING
    certainty = LIKELY
    _NET = (
        'layer { name: "data" type: "%s" top: "data" %s }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 8 } }'
    )
    _DATA = {"README.md": "", "d.prototxt": _NET % ("Data", 'data_param { source: "train" batch_size: 1 }')}
    _INPUT = {"README.md": "", "d.prototxt": _NET % ("Input", _SHAPE)}
    _BUILD = 'import caffe\nnet = caffe.Net("d.prototxt", "a.caffemodel", caffe.TEST)\n'
    _FILL = 'net.blobs["data"].data[...] = image\n'
    VALID = [
        _INPUT | {"a.py": 'import caffe\nnet = caffe.Classifier("d.prototxt", "a.caffemodel")\n'},
        _INPUT | {"a.py": _BUILD + "net.forward(data=image)\n"},
        _DATA | {"a.py": _BUILD + _FILL + 'net.forward(start="fc")\n'},
    ]
    INVALID = [
        Invalid(
            _DATA | {"a.py": _BUILD + _FILL + "net.forward()\n"},
            span='type: "Data"',
            message='"a.py" (line 3) fills "data" and runs the net, but Data "data" overwrites it with records of'
            ' "train", so the answer is for these; give the script a net with an Input in place of Data "data"',
        ),
        Invalid(
            {"README.md": "", "d.prototxt": _NET % ("MemoryData", 'top: "label" ' + _SIZES)}
            | {"a.py": 'import caffe\nnet = caffe.Classifier("d.prototxt", "a.caffemodel")\n'},
            span='type: "MemoryData"',
            message='"a.py" (line 2) makes a Classifier of this net, which has no input, so it ends with an IndexError;'
            ' give it a net with an Input in place of MemoryData "data"',
        ),
        Invalid(
            _INPUT | {"a.py": _BUILD + "net.forward_all(image=x)\n"},
            span='type: "Input"',
            message='"a.py" (line 3) calls forward_all(image=...), but the input of this net is "data", so it ends with'
            " an exception; call forward_all(data=...)",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for place, one in net.runs.supplied if net.runs else ():
            found = [no_input(net, one, phase) for phase in ([one.phase] if one.phase else [TEST, TRAIN])]
            if all(found) and found[0]:
                layer, text = found[0]
                yield self.finding(layer.at("type"), f"{quoted(place.path)} (line {place.line}) {text}")
                return
