from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.lint import (
    DISPLAY,
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    NamedTuple,
    Net,
    NetRule,
    fix,
    quoted,
    remove,
    titles,
    write,
)
from caffelint.lint.built import FILLER_FIELDS, FILLERS

from ._fillers import FILLED

SETTINGS = ("value", "min", "max", "mean", "std", "variance_norm")
SUGGESTED = {"std": "gaussian", "mean": "gaussian", "min": "uniform", "max": "uniform", "value": "constant"}

_OF_BIASES = {"xavier": "from -1.73 to 1.73", "msra": "with a std of 1.41"}
"""What fillers for weights make of a bias, whose fan-in is 1."""


class MisreadFiller(NetRule):
    """A filler has settings that its type ignores.

    ## Why is this bad?
    A xavier filler silently ignores `std`. A filler with a `std` but no type is the constant 0, Caffe's default, and a
    layer of zeros does not learn. The same goes for a gaussian with `sparse: 0`, which keeps no weight, and for the
    empty filler of a Scale, whose outputs are then all 0 (without the filler the scale starts at 1).

    ## Example
    ```
    weight_filler { std: 0.01 }
    ```
    Use instead:
    ```
    weight_filler { type: "gaussian" std: 0.01 }
    ```

    ## Known problems
    Only info if the net is not trained, because fillers do not matter then, or if a setting is ignored but the weights
    are what the type says: the GoogLeNet that Caffe ships has `std` in its xavier fillers.

    ## Fix safety
    Unsafe: training starts from other weights. If the filler has a type and a setting of another type, the other type
    is suggested but not applied.

    ## References
    - filler.hpp; each case was run on Caffe 1.0
    """

    code = "I008"
    name = "misread-filler"
    severity = WARNING
    layer_types = FILLED
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { %s } }'
        ' layer { name: "scale" type: "Scale" bottom: "fc" top: "fc" scale_param { %s } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % ('weight_filler { type: "gaussian" std: 0.1 } bias_filler { value: 1 }', "filler { value: 1 }"),
        _NET % ('weight_filler { type: "xavier" } bias_filler { type: "constant" }', 'filler { type: "msra" }'),
        # What a fork's filler reads is not known.
        _NET % ('weight_filler { type: "orthogonal" std: 1 }', ""),
    ]
    INVALID = [
        Invalid(
            _NET % ('weight_filler { type: "xavier" std: 0.1 }', ""),
            span="std: 0.1",
            message='InnerProduct "fc": the xavier filler ignores std; set type: "gaussian" or remove std',
        ),
        Invalid(
            _NET % ("weight_filler { std: 0.1 }", ""),
            span="std: 0.1",
            message='InnerProduct "fc": the filler has no type, so it is the constant 0 and ignores std;'
            ' set type: "gaussian"',
            fixed=_NET % ('weight_filler { std: 0.1 type: "gaussian" }', ""),
        ),
        Invalid(
            _NET % ('weight_filler { type: "gaussian" std: 0.1 sparse: 0 }', "filler { }"),
            span=("sparse: 0", "filler"),
            message=(
                'InnerProduct "fc": sparse 0 keeps no weight, so all weights are 0; remove sparse, or set it above 0',
                'Scale "scale": the empty filler is the constant 0, so all outputs are 0; set value: 1, or remove it,'
                " since the default without a filler is 1",
            ),
            fixed=_NET % ('weight_filler { type: "gaussian" std: 0.1 }', "filler { value: 1 }"),
        ),
        Invalid(
            _NET % ('transpose: true weight_filler { type: "xavier" }', ""),
            span='type: "xavier"',
            message='InnerProduct "fc": with transpose, the xavier filler counts outputs as inputs;'
            " add variance_norm: FAN_OUT",
            fixed=_NET % ('transpose: true weight_filler { type: "xavier" variance_norm: FAN_OUT }', ""),
        ),
        Invalid(
            _NET % ('weight_filler { type: "gaussian" value: 0.05 }', ""),
            span="value: 0.05",
            message='InnerProduct "fc": the gaussian filler ignores value; write std: 0.05',
        ),
        Invalid(
            _NET % ('bias_filler { type: "xavier" value: 0.1 }', ""),
            span="value: 0.1",
            message='InnerProduct "fc": the xavier filler ignores value and draws each bias from -1.73 to 1.73, as for'
            ' one input; set type: "constant"',
            fixed=_NET % ('bias_filler { type: "constant" value: 0.1 }', ""),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found: dict[Slip, list[tuple[Layer, tuple[str, ...]]]] = {}
        for type_, places in net.fillers.items():
            for layer, (path, filler) in places if type_ in FILLERS else ():
                for slip in _slips(path[1], layer, filler):
                    found.setdefault(slip, []).append((layer, (*path, *slip.field)))
        for slip, slipped in found.items():
            layer, where = slipped[0]
            layers = list({one.index: one for one, _ in slipped}.values())
            yield self.finding(
                layer.at(*where),
                f"{titles(layers)}: {slip.message}",
                severity=slip.severity if net.role == "train" else INFO,
                fixes=_fixes(slip, slipped),
                layers=layers,
            )


def _fixes(slip: Slip, places: list[tuple[Layer, tuple[str, ...]]]) -> tuple[Fix, ...]:
    """Edits that make the slip's change; types to choose from are only shown, since the choice is the reader's."""
    if slip.choices:
        return tuple(
            one
            for name in slip.choices
            for one in fix(
                f"set type: {quoted(name)}",
                DISPLAY,
                *(write(layer, *where[:2], "type", value=quoted(name)) for layer, where in places),
            )
        )
    if not slip.change:
        return ()
    name, value = slip.change
    if not value:
        return fix(f"remove {name}", UNSAFE, *(remove(layer, *where[:2], name) for layer, where in places))
    return fix(
        f"set {name}: {value}",
        UNSAFE,
        *(write(layer, *where[:2], name, value=value) for layer, where in places),
    )


class Slip(NamedTuple):
    """`severity` is info if the weights are still what the type says.

    `change` is a field of the filler and what to set it to, empty to remove it; `choices` are types to choose from.
    """

    field: tuple[str, ...]
    message: str
    severity: str
    change: tuple[str, str] | None = None
    choices: tuple[str, ...] = ()


def _slips(name: str, layer: Layer, filler: Any) -> Iterator[Slip]:
    type_ = filler.type
    for field in SETTINGS:
        # A number of 0 changes nothing, read or not.
        if field in FILLER_FIELDS[type_] or not filler.HasField(field) or getattr(filler, field) == 0:
            continue
        wanted = SUGGESTED.get(field)
        if not filler.HasField("type"):
            message = f"the filler has no type, so it is the constant {filler.value:g} and ignores {field}"
            change = ("type", quoted(wanted)) if wanted else (field, "")
            yield Slip((field,), f'{message}; set type: "{wanted}"' if wanted else message, WARNING, change)
        elif type_ == "gaussian" and field == "value" and name == "weight_filler":
            # As the constant of weights the value would do more harm. It may be meant as the std.
            advice = "remove value" if filler.HasField("std") else f"write std: {filler.value:.4g}"
            yield Slip((field,), f"the gaussian filler ignores value; {advice}", INFO)
        elif (
            field == "value" and name == "bias_filler" and type_ in _OF_BIASES and not filler.HasField("variance_norm")
        ):
            message = f"the {type_} filler ignores value and draws each bias {_OF_BIASES[type_]}, as for one input"
            yield Slip((field,), f'{message}; set type: "constant"', WARNING, ("type", quoted("constant")))
        else:
            advice = f'set type: "{wanted}" or remove {field}' if wanted else f"remove {field}"
            severity = WARNING if type_ in ("constant", "uniform") else INFO
            yield Slip(
                (field,),
                f"the {type_} filler ignores {field}; {advice}",
                severity,
                None if wanted else (field, ""),
                (wanted,) if wanted else (),
            )
        return
    if type_ == "gaussian" and filler.HasField("sparse") and filler.sparse == 0:
        yield Slip(
            ("sparse",),
            "sparse 0 keeps no weight, so all weights are 0; remove sparse, or set it above 0",
            WARNING,
            ("sparse", ""),
        )
    if layer.type == "Scale" and name == "filler" and type_ == "constant" and not filler.HasField("value"):
        yield Slip(
            (),
            "the empty filler is the constant 0, so all outputs are 0; set value: 1, or remove it, since the default"
            " without a filler is 1",
            WARNING,
            ("value", "1"),
        )
    if type_ in ("xavier", "msra") and name == "weight_filler" and layer.type == "InnerProduct":
        if layer.message.inner_product_param.transpose and not filler.HasField("variance_norm"):
            message = f"with transpose, the {type_} filler counts outputs as inputs; add variance_norm: FAN_OUT"
            yield Slip(("type",), message, INFO, ("variance_norm", "FAN_OUT"))
