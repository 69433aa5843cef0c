from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from caffelint.lint import TRAIN, UNSAFE, WARNING, Finding, Invalid, Net, NetRule, Related, fix, title, titles, write
from caffelint.lint.built import BuiltLayer


class SoftmaxOverOtherAxis(NetRule):
    """A softmax loss over another axis than the one that holds the scores of the classes.

    ## Why is this bad?
    An InnerProduct with `axis: 2` gives steps x sequences x classes, but SoftmaxWithLoss takes axis 1 for the classes
    unless told otherwise: it compares the sequences of a batch with one another. As a rule, Caffe then refuses the
    number of labels; if both axes have the same size, it trains, and learns nothing.

    ## Example
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "lstm" top: "fc" inner_product_param { num_output: 10 axis: 2 } }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
    ```
    Use instead:
    ```
    layer {
      name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss"
      softmax_param { axis: 2 }
    }
    ```

    ## Fix safety
    Unsafe: the loss changes.

    ## References
    - inner_product_layer.cpp, Reshape; softmax_loss_layer.cpp, Reshape
    """

    code = "O017"
    name = "softmax-over-other-axis"
    severity = WARNING
    layer_types = ("SoftmaxWithLoss",)
    _NET = (
        'layer { name: "data" type: "DummyData" top: "x" top: "label" dummy_data_param {'
        " shape { dim: 8 dim: %d dim: 6 } shape { dim: 8 dim: %d } } }"
        ' layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc"'
        " inner_product_param { num_output: 5 axis: 2 } }"
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss"%s }'
    )
    _STEPS = (
        'layer { name: "data" type: "HDF5Data" top: "x" top: "cont" top: "label" }'
        ' layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "h" recurrent_param { num_output: 9 } }'
        ' layer { name: "drop" type: "Dropout" bottom: "h" top: "h" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "h" top: "fc"'
        " inner_product_param { num_output: 5 axis: 2 } }"
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss"%s }'
    )
    _READ = (
        _STEPS.replace('type: "LSTM"', 'type: "Python"')
        + ' layer { name: "acc" type: "Accuracy" bottom: "fc" bottom: "label" accuracy_param { axis: 2 } }'
    )
    _MEASURED = _STEPS + ' layer { name: "acc" type: "Accuracy" bottom: "fc" bottom: "label"%s }'
    VALID = [
        _STEPS % " softmax_param { axis: 2 }",
        # Its axes are not known to be those of steps and sequences.
        _STEPS.replace('type: "LSTM"', 'type: "Python"') % "",
        # The scores of all steps and sequences in one column.
        _STEPS.replace(
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc"',
            ' layer { name: "rows" type: "Reshape" bottom: "fc" top: "rows"'
            " reshape_param { shape { dim: -1 dim: 5 } } }"
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "rows"',
        )
        % "",
        _NET % (5, 5, " softmax_param { axis: 2 }"),
        _NET % (5, 5, " softmax_param { axis: -1 }"),
        _NET % (4, 4, " softmax_param { axis: 2 }"),
    ]
    INVALID = [
        Invalid(
            _NET % (5, 5, ""),
            span="layer",
            message='SoftmaxWithLoss "loss" takes axis 1 of "fc" for the classes, but InnerProduct "fc" puts'
            " its 5 scores on axis 2; set softmax_param { axis: 2 }",
            fixed=_NET % (5, 5, " softmax_param { axis: 2 }"),
        ),
        Invalid(
            _STEPS % "",
            span="layer",
            message='SoftmaxWithLoss "loss" takes axis 1 of "fc" for the classes, but InnerProduct "fc" puts its 5'
            " scores on axis 2; set softmax_param { axis: 2 }",
            fixed=_STEPS % " softmax_param { axis: 2 }",
        ),
        # The accuracy takes the classes where they are.
        Invalid(
            _READ % "",
            span="layer",
            message='SoftmaxWithLoss "loss" takes axis 1 of "fc" for the classes, but InnerProduct "fc" puts its 5'
            " scores on axis 2; set softmax_param { axis: 2 }",
            fixed=_READ % " softmax_param { axis: 2 }",
        ),
        # The accuracy takes them where the loss does.
        Invalid(
            _MEASURED % ("", ""),
            span="layer",
            message='SoftmaxWithLoss "loss" takes axis 1 of "fc" for the classes, but InnerProduct "fc" puts its 5'
            ' scores on axis 2; set softmax_param { axis: 2 }, and accuracy_param { axis: 2 } in Accuracy "acc"',
            fixed=_MEASURED % (" softmax_param { axis: 2 }", " accuracy_param { axis: 2 }"),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        measured: dict[str, set[int]] = {}
        for layer in net.layers_of(["Accuracy"]):
            if layer.bottoms:
                measured.setdefault(layer.bottoms[0], set()).add(layer.kind.class_axis)
        for one in net.states():
            for built in one.layers if one.phase == TRAIN else ():
                made = _scored(built, measured)
                if made is None or built.index is None or made.index is None:
                    continue
                axis, loss = made.parameters.axis, net.layers[built.index]
                reads = [other for other in net.layers_of(["Accuracy"]) if other.bottoms[:1] == loss.bottoms[:1]]
                also = [other for other in reads if other.kind.class_axis == built.class_axis]
                edits = [write(loss, "softmax_param", "axis", value=f"{axis}")]
                edits += (write(other, "accuracy_param", "axis", value=f"{axis}") for other in also)
                yield self.finding(
                    loss.at("softmax_param", "axis"),
                    f'{title(loss)} takes axis {built.class_axis} of "{loss.bottoms[0]}" for the classes, but'
                    f" {title(made)} puts its {made.parameters.num_output} scores on axis {axis}; set"
                    f" softmax_param {{ axis: {axis} }}"
                    + (f", and accuracy_param {{ axis: {axis} }} in {titles(also)}" if also else ""),
                    fixes=fix(f"set axis: {axis}", UNSAFE, *edits),
                    related=(Related("the scores", net.layers[made.index].at()),),
                )


def _scored(loss: BuiltLayer, measured: Mapping[str, Collection[int]]) -> BuiltLayer | None:
    """The InnerProduct whose scores the loss takes along another axis: of the same size, or that of the sequences, or
    not that which an accuracy takes. measured: by blob, the axes that those take."""
    made = _maker(loss) if loss.type == "SoftmaxWithLoss" and loss.bottoms else None
    if made is None or made.type != "InnerProduct" or made.parameters.num_output < 2 or not made.bottoms:
        return None
    shape, axis, own = loss.bottoms[0].shape, made.parameters.axis, loss.class_axis
    if axis < 0 or own < 0 or axis == own:
        return None
    if shape is not None:
        return made if max(axis, own) < len(shape) and shape[axis] == shape[own] else None
    before = _maker(made)
    told = axis in measured.get(loss.message.bottom[0], ())
    return made if told or (before is not None and before.is_recurrent and own < 2) else None


def _maker(layer: BuiltLayer) -> BuiltLayer | None:
    """The layer that makes its first bottom, above those that hand it on in the same shape."""
    return layer.bottoms[0].maker_beyond(lambda above: above.hands_on and above.keeps_channels)
