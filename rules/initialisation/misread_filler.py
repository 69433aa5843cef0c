from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from caffelint.lint import (
    DISPLAY,
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    listed,
    quoted,
    remove,
    write,
)
from caffelint.lint.built import FILLERS

from ._fillers import FILLED

READ = {
    "constant": ("value",),
    "gaussian": ("mean", "std", "sparse"),
    "uniform": ("min", "max"),
    "xavier": ("variance_norm",),
    "msra": ("variance_norm",),
    "positive_unitball": (),
    "bilinear": (),
}
SETTINGS = ("value", "min", "max", "mean", "std", "variance_norm")
SUGGESTED = {"std": "gaussian", "mean": "gaussian", "min": "uniform", "max": "uniform", "value": "constant"}


class MisreadFiller(NetRule):
    """A filler has settings that its type does not read.

    ## Why is this bad?
    `std` beside type xavier is dropped without a word. A filler with a `std` and no type at all is the constant 0,
    Caffe's default, and a layer of zeros does not learn. So is `sparse: 0` of a gaussian, which keeps no weight, and
    the empty filler of a Scale, whose outputs are all 0 (without the filler they start at 1).

    ## Example
    ```
    weight_filler { std: 0.01 }
    ```
    Use instead:
    ```
    weight_filler { type: "gaussian" std: 0.01 }
    ```

    ## Known problems
    Only info where the net is not trained, since fillers play no part there, and where a setting is dropped and the
    weights are as the type says: the GoogLeNet that Caffe ships has `std` beside xavier.

    ## Fix safety
    Unsafe: training starts from other weights. Where the type is given and something else than it is set, what is
    shown are two choices, neither of which is applied.

    ## References
    - filler.hpp; each was run on Caffe 1.0
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
            message='a xavier filler does not read std; use type: "gaussian" or remove it',
        ),
        Invalid(
            _NET % ("weight_filler { std: 0.1 }", ""),
            span="std: 0.1",
            message='without type the filler is the constant 0 and does not read std; use type: "gaussian"',
            fixed=_NET % ('weight_filler { std: 0.1 type: "gaussian" }', ""),
        ),
        Invalid(
            _NET % ('weight_filler { type: "gaussian" std: 0.1 sparse: 0 }', "filler { }"),
            span=("sparse: 0", "filler"),
            message=(
                "sparse 0 keeps no weight: all are 0; remove it or set it above 0",
                "an empty filler of a Scale is the constant 0: its output is all zeros; remove it (1 is the default"
                " without one) or set value: 1",
            ),
            fixed=_NET % ('weight_filler { type: "gaussian" std: 0.1 }', "filler { value: 1 }"),
        ),
        Invalid(
            _NET % ('transpose: true weight_filler { type: "xavier" }', ""),
            span='type: "xavier"',
            message="with transpose a xavier filler counts the outputs as inputs; add variance_norm: FAN_OUT",
            fixed=_NET % ('transpose: true weight_filler { type: "xavier" variance_norm: FAN_OUT }', ""),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found: dict[Slip, list[tuple[Layer, tuple[str, ...]]]] = {}
        for layer in net.layers:
            for path, filler in layer.fillers():
                if filler.type in FILLERS:
                    for slip in _slips(path[1], layer, filler):
                        found.setdefault(slip, []).append((layer, (*path, *slip.field)))
        for slip, places in found.items():
            layer, where = places[0]
            others = list(dict.fromkeys(other.name for other, _ in places[1:] if other is not layer))
            yield self.finding(
                layer.at(*where),
                f"{slip.message} (also in {listed(others)})" if others else slip.message,
                severity=slip.severity if net.role == "train" else INFO,
                fixes=_fixes(slip, places),
            )


def _fixes(slip: Slip, places: list[tuple[Layer, tuple[str, ...]]]) -> tuple[Fix, ...]:
    """By what is in place of the field: "-" is nothing, and without any change the choice is the reader's."""
    if slip.choices:
        return tuple(
            one
            for name in slip.choices
            for one in fix(
                f"use {name}",
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
    """`severity` is info where the weights are still what the type says.

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
        if field in READ[type_] or not filler.HasField(field) or getattr(filler, field) == 0:
            continue
        wanted = SUGGESTED.get(field)
        if not filler.HasField("type"):
            message = f"without type the filler is the constant {filler.value:g} and does not read {field}"
            change = ("type", quoted(wanted)) if wanted else (field, "")
            yield Slip((field,), f'{message}; use type: "{wanted}"' if wanted else message, WARNING, change)
        else:
            advice = f'use type: "{wanted}" or remove it' if wanted else "remove it"
            severity = WARNING if type_ in ("constant", "uniform") else INFO
            yield Slip(
                (field,),
                f"a {type_} filler does not read {field}; {advice}",
                severity,
                None if wanted else (field, ""),
                (wanted,) if wanted else (),
            )
        return
    if type_ == "gaussian" and filler.HasField("sparse") and filler.sparse == 0:
        yield Slip(
            ("sparse",), "sparse 0 keeps no weight: all are 0; remove it or set it above 0", WARNING, ("sparse", "")
        )
    if layer.type == "Scale" and name == "filler" and type_ == "constant" and not filler.HasField("value"):
        yield Slip(
            (),
            "an empty filler of a Scale is the constant 0: its output is all zeros; remove it (1 is the default without"
            " one) or set value: 1",
            WARNING,
            ("value", "1"),
        )
    if type_ in ("xavier", "msra") and name == "weight_filler" and layer.type == "InnerProduct":
        if layer.message.inner_product_param.transpose and not filler.HasField("variance_norm"):
            message = f"with transpose a {type_} filler counts the outputs as inputs; add variance_norm: FAN_OUT"
            yield Slip(("type",), message, INFO, ("variance_norm", "FAN_OUT"))
