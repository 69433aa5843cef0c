from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    LIKELY,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    Related,
    title,
)
from caffelint.lint.built import BuiltNet

from ._in_a_row import activated, before, bend, is_idle, is_weighted_sum, is_wide, means_straight
from ._odd import LEAST
from ._oddly_straight import families, is_family_without, is_odd, was_taken_out

_MANY = 3
_USUAL = "ReLU"


def _map(i: int, bent: bool) -> str:
    """A convolution of an example net, of which all write to "c1" in turn."""
    convolution = f' layer {{ name: "c{i}" type: "Convolution" bottom: "c1" top: "c1" convolution_param {{'
    relu = f' layer {{ name: "relu{i}" type: "ReLU" bottom: "c1" top: "c1" }}'
    return f"{convolution} num_output: 8 kernel_size: 3 pad: 1 }} }}{relu * bent}"


class NoActivationBetween(NetRule):
    """Two layers with weights follow each other with no activation between them.

    ## Why is this bad?
    Two weighted sums in a row are one weighted sum: the net can learn nothing that it could not learn without the first
    one, which costs time and memory, and makes the step that the two take together larger. Mostly a ReLU was forgotten,
    or reads another blob.

    ## Example
    ```
    layer { name: "ip2" type: "InnerProduct" bottom: "ip1" top: "ip2" inner_product_param { num_output: 500 } }
    layer { name: "ip3" type: "InnerProduct" bottom: "ip2" top: "ip3" inner_product_param { num_output: 30 } }
    ```
    Use instead:
    ```
    layer { name: "ip2" type: "InnerProduct" bottom: "ip1" top: "ip2" inner_product_param { num_output: 500 } }
    layer { name: "relu2" type: "ReLU" bottom: "ip2" top: "ip2" }
    layer { name: "ip3" type: "InnerProduct" bottom: "ip2" top: "ip3" inner_product_param { num_output: 30 } }
    ```

    ## Known problems
    Two such layers are right where they save weights, as a bottleneck, a factorised convolution or an embedding. So the
    rule only speaks where both together have no fewer weights than the one layer that computes the same, and where
    other layers of the net have an activation, or where nothing in it bends and there are two such pairs, or a Dropout
    between the two; of two small kernels, or of a layer whose name is that of five others but for numbers, where at
    least five others have one and no other pair has none. It is silent about grouped, frozen and shared layers, about
    nets that are built of such pairs, and where an activation is commented out. It is an info where no other layer of
    the type has an activation, as in Caffe's own cifar10_quick. Of nets without data, it only looks at those with
    fillers, as are written to be timed, unless their name or a training net with the same layers says that trained
    weights are loaded.

    ## References
    - inner_product_layer.cpp, base_conv_layer.cpp
    """

    code = "G033"
    name = "no-activation-between"
    severity = WARNING
    certainty = LIKELY
    _NET = (
        'layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: TRAIN }} }}'
        ' layer {{ name: "ip1" type: "InnerProduct" bottom: "data" top: "ip1"'
        " inner_product_param {{ num_output: 60 }} }}"
        ' layer {{ name: "relu1" type: "ReLU" bottom: "ip1" top: "ip1" }}'
        ' layer {{ name: "ip2" type: "InnerProduct" bottom: "ip1" top: "ip2" {}'
        " inner_product_param {{ num_output: {} }} }}"
        " {}"
        ' layer {{ name: "ip3" type: "InnerProduct" bottom: "ip2" top: "ip3"'
        " inner_product_param {{ num_output: 10 }} }}"
        ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip3" bottom: "label" top: "loss" }}'
    )
    _MAPS = (
        'layer {{ name: "data" type: "Data" top: "data" top: "label" include {{ phase: TRAIN }} }}'
        ' layer {{ name: "c1" type: "Convolution" bottom: "data" top: "c1" convolution_param {{ num_output: 8'
        ' kernel_size: 3 }} }} layer {{ name: "relu1" type: "ReLU" bottom: "c1" top: "c1" }}'
        ' layer {{ name: "c2" type: "Convolution" bottom: "c1" top: "c2" convolution_param {{ num_output: 8'
        " kernel_size: 3 }} }}"
        ' layer {{ name: "c3" type: "Convolution" bottom: "c2" top: "c3" convolution_param {{ num_output: {}'
        " kernel_size: {} }} }}"
        ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "c3" bottom: "label" top: "loss" }}'
    )
    _CHAIN = _MAPS.split(' layer {{ name: "c2"')[0].format() + (
        '%s layer { name: "ip" type: "InnerProduct" bottom: "c1" top: "ip" inner_product_param { num_output: 9 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }'
    )
    _TIMED = (
        'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 8 dim: 9 dim: 12 dim: 12 }} }} }}'
        ' layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param {{ num_output: 20'
        ' kernel_size: 5{} }} }} layer {{ name: "relu" type: "ReLU" bottom: "conv" top: "conv" }}'
        ' layer {{ name: "fc6" type: "InnerProduct" bottom: "conv" top: "fc6"'
        " inner_product_param {{ num_output: 60 }} }} {}"
        ' layer {{ name: "fc7" type: "InnerProduct" bottom: "fc6" top: "fc7"'
        " inner_product_param {{ num_output: 60 }} }}"
    )
    VALID = [
        # Nets that are run, by the name or with the weights of the net beside.
        {"deploy.prototxt": _TIMED.format(' weight_filler { type: "xavier" }', "")},
        {
            "face.prototxt": _TIMED.format(' weight_filler { type: "xavier" }', ""),
            "face_train.prototxt": _NET.format("", 5, "").replace("ip2", "fc6").replace("ip3", "fc7"),
        },
        _NET.format("", 50, 'layer { name: "relu2" type: "ReLU" bottom: "ip2" top: "ip2" }'),
        # A net that is used may be folded.
        _TIMED.format("", ""),
        _TIMED.format(' weight_filler { type: "xavier" }', 'layer { type: "ReLU" bottom: "fc6" top: "fc6" }'),
        # Tried without.
        _NET.format("", 50, '\n# layer { name: "relu2"\n# type: "ReLU"\n# }\n'),
        # A bottleneck.
        _NET.format("", 5, ""),
        # Not learned.
        _NET.format("param { lr_mult: 0 } param { lr_mult: 0 }", 50, ""),
        # Read elsewhere, too.
        _NET.format("", 50, 'layer { name: "look" type: "EuclideanLoss" bottom: "ip2" bottom: "label" top: "look" }'),
        # No layer has one, where pooling takes the maximum.
        _NET.replace('type: "ReLU"', 'type: "Pooling"').format("", 50, ""),
        # Two small kernels have fewer weights than a large one, and so has one with holes.
        _MAPS.format(8, 3),
        # Two pairs of small kernels.
        _CHAIN % "".join(_map(i, i not in (3, 5)) for i in range(2, 9)),
        _MAPS.format("2 dilation: 6", 3),
        # Steps in place of a pooling.
        _CHAIN
        % "".join(_map(i, i != 4) for i in range(2, 8)).replace(
            _map(4, False), _map(4, False).replace('"c4"', '"down"').replace("3 pad: 1", "2 stride: 2")
        ),
        # The second layer sums up parts of what the first one gives.
        _NET.replace('bottom: "ip2" top: "ip3"', 'bottom: "parts" top: "ip3"').format(
            "",
            50,
            'layer { name: "parts" type: "Reshape" bottom: "ip2" top: "parts"'
            " reshape_param { shape { dim: -1 dim: 5 } } }",
        ),
    ]
    INVALID = [
        Invalid(
            _NET.format("", 50, 'layer { name: "drop2" type: "Dropout" bottom: "ip2" top: "ip2" }'),
            span='name: "ip3"',
            message='InnerProduct "ip3": no activation between it and InnerProduct "ip2", so the two compute no more'
            ' than one layer could; add a ReLU after "ip2"',
        ),
        # Nothing bends, and a Dropout shows that a hidden layer is meant.
        Invalid(
            _NET.replace('type: "ReLU"', 'type: "Dropout"')
            .replace("60", "5")
            .format("", 50, 'layer { name: "drop2" type: "Dropout" bottom: "ip2" top: "ip2" }'),
            span='name: "ip3"',
            message='InnerProduct "ip3": no activation between it and InnerProduct "ip2", so the two compute no more'
            ' than one layer could; add a ReLU after "ip2"',
        ),
        Invalid(
            _TIMED.format(' weight_filler { type: "xavier" }', ""),
            span='name: "fc7"',
            message='InnerProduct "fc7": no activation between it and InnerProduct "fc6", so the two compute no more'
            ' than one layer could; add a ReLU after "fc6"',
        ),
        Invalid(
            _MAPS.format(2, 1),
            span='name: "c3"',
            message='Convolution "c3": no activation between it and Convolution "c2", so the two compute no more than'
            ' one layer could; add a ReLU after "c2"',
        ),
        # Even where both save weights: five layers of its name have one.
        Invalid(
            (_CHAIN % "".join(_map(i, i != 4) for i in range(2, 9))).replace("kernel_size: 3 pad: 1", "kernel_size: 1"),
            span='name: "c5"',
            message='Convolution "c5": no activation between it and Convolution "c4", so the two compute no more than'
            ' one layer could; add a ReLU after "c4"',
        ),
        Invalid(
            _CHAIN % "".join(_map(i, i != 4) for i in range(2, 8)),
            span='name: "c5"',
            message='Convolution "c5": no activation between it and Convolution "c4", while 6 others go on to one; add'
            ' a ReLU after "c4"',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        # A net without data that has fillers is started from them, by a script, as those that are timed.
        is_started = net.role == "deploy" and bool(net.fillers) and not net.is_only_tested
        if not (net.is_trained or is_started) or len(net.layers_that(is_weighted_sum)) < 3:
            return
        for one in net.states():
            if one.phase == TRAIN and one.is_wired and (one.has_loss or is_started):
                trained = net.once(_trained_beside) if is_started else frozenset()
                yield from self._pairs(net, one, trained, () if is_started else (TRAIN,))
                return

    def _pairs(self, net: Net, one: BuiltNet, trained: frozenset[str], phases: tuple[str, ...]) -> Iterator[Finding]:
        sums = [layer for layer in one.layers if layer.index is not None and layer.bottoms and is_weighted_sum(layer)]
        bent = {layer: curve for layer in sums if (curve := bend(layer))}
        bends = Counter(bent.values())
        usual = bends.most_common(1)[0][0] if bends else _USUAL
        pairs = [(first, layer) for layer in sums if (first := before(layer))]
        idle = [pair for pair in pairs if is_idle(*pair)]
        if bends and len(idle) >= _MANY and 2 * len(idle) >= len(bent):
            return  # a net of such pairs is meant
        if not bends and (not phases or means_straight(one, idle)):
            return
        of_all = len(pairs) == 1 and len(bent) >= LEAST and (is_wide(*pairs[0]) or is_odd(*pairs[0], bent))
        alike = families(sums), bent, families(bent)
        for first, layer in idle or pairs[:of_all]:
            mine, other = net.layers[layer.index or 0], net.layers[first.index or 0]
            if {mine.name, other.name} <= trained:
                continue  # its weights are loaded
            # A decoder may be all of one family without; no row of layers without windows is meant.
            if was_taken_out(other, mine) or first.written_windows() and is_family_without(first, layer, *alike):
                continue
            remedy = f'; add a {usual} after "{other.name}"'
            yield self.finding(
                mine.at("name"),
                f"{title(mine)}: no activation between it and {title(other)}, "
                + (
                    f"so the two compute no more than one layer could{remedy}"
                    if idle
                    else f"while {len(bent)} others go on to one{remedy}"
                ),
                severity=None if not bends or any(sibling.type == first.type for sibling in bent) else INFO,
                related=(Related("the layer before", other.at("name")),),
                phases=phases,
                fixes=activated(other, usual),
            )


def _trained_beside(net: Net) -> frozenset[str]:
    """The names of the layers of training nets beside it."""
    return frozenset(layer.name for other in net.siblings if other.role == "train" for layer in other.layers)
