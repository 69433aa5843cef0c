from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, file_name, quoted

_NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
_SCRIPT = 'import caffe\nnet = caffe.Net("%s", "a.caffemodel", caffe.TEST)\n'
_FILES = {"README.md": "", "deploy_net.prototxt": _NET}


class ScriptOpensOtherName(NetRule):
    """A script opens a net by a name that no file of the project has, and that of this net but for a slip.

    ## Why is this bad?
    Caffe stops as soon as the script loads the net. Mostly the file was renamed, and the script was not.

    ## Example
    `deploy_net.prototxt` is there, and `classify.py` has:
    ```python
    net = caffe.Net("deploynet.prototxt", "net.caffemodel", caffe.TEST)
    ```
    Use instead:
    ```python
    net = caffe.Net("deploy_net.prototxt", "net.caffemodel", caffe.TEST)
    ```

    ## Known problems
    Only names that are written out where the net is loaded are read, relative to the script or the top of the project,
    and only slips are told: signs between words, letters in another order, or one letter of a longer word.

    ## References
    - upgrade_proto.cpp, ReadNetParamsFromTextFileOrDie
    """

    code = "G056"
    name = "script-opens-other-name"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        _FILES | {"classify.py": _SCRIPT % "deploy_net.prototxt"},
        _FILES | {"classify.py": _SCRIPT % "deploy_vgg.prototxt"},
    ]
    INVALID = [
        Invalid(
            _FILES | {"classify.py": _SCRIPT % "deploynet.prototxt"},
            span='name: "data"',
            message='"classify.py" (line 2) opens "deploynet.prototxt", which does not exist; write'
            ' "deploy_net.prototxt", if it means this net',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for path, place in net.runs.misnamed if net.runs and net.layers else ():
            yield self.finding(
                net.layers[0].at("name"),
                f"{quoted(place.path)} (line {place.line}) opens {quoted(path)}, which does not exist; write"
                f" {quoted(file_name(net.path))}, if it means this net",
            )
