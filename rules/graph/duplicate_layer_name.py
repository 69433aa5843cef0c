from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    ERROR,
    INFO,
    LIKELY,
    PHASES,
    TRAIN,
    UNSAFE,
    WARNING,
    Edits,
    Finding,
    Fix,
    Invalid,
    Layer,
    NamedTuple,
    Net,
    NetRule,
    Related,
    fix,
    listed,
    quoted,
    title,
    write,
)
from caffelint.lint.built import BuiltLayer

from ._layer_params import share_all_params
from ._left_over import only_takes_weights
from ._names import Names

_WHAT = "loading and testing copy the weights of both into that layer, and this one keeps its initial weights"


class DuplicateLayerName(NetRule):
    """Two layers of one phase share a name, and one of them has parameters or both are data layers.

    ## Why is this bad?
    Caffe finds parameters by the name of their layer when the test net takes those of the training net, and when a
    .caffemodel is loaded. All that have one name go to the first layer of it, so that ends with the parameters of the
    last and the others keep random ones; training itself may go well. If numbers or shapes of parameters differ, Caffe
    stops with "Incompatible number of blobs" or "shape mismatch". Of two data layers, code gets the last by its name.

    ## Example
    ```
    layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc1" }
    layer { name: "fc" type: "InnerProduct" bottom: "fc1" top: "fc2" }
    ```
    Use instead:
    ```
    layer { name: "fc1" type: "InnerProduct" bottom: "pool" top: "fc1" }
    layer { name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2" }
    ```

    ## Fix safety
    Unsafe: weights stored under the old name no longer reach this layer. If only one of the layers has parameters, the
    other one gets a new name, like those of other layers of its type.

    ## References
    - net.cpp, ShareTrainedLayersWith, CopyTrainedLayersFrom and layer_by_name
    """

    code = "G004"
    name = "duplicate-layer-name"
    severity = ERROR
    _WIDTHS = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 5 } } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: %d } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: %d } }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "data" }'
    )
    _APART = _WIDTHS.replace('"fc" type: "InnerProduct" bottom: "a"', '"b" type: "InnerProduct" bottom: "a"')
    VALID = [
        # One per phase.
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" include { phase: TRAIN } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" include { phase: TEST } }',
        'layer { name: "fc" type: "InnerProduct" bottom: "a" top: "b" param { name: "w" } param { name: "c" } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "d" top: "e" param { name: "w" } param { name: "c" } }',
        'layer { name: "act" type: "ReLU" bottom: "a" top: "a" }'
        ' layer { name: "act" type: "ReLU" bottom: "b" top: "b" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "DummyData" top: "data" }'
            ' layer { name: "data" type: "DummyData" top: "label" }',
            span='name: "data"',
            message='DummyData "data": name is already used by DummyData on line 1, so net.layer_by_name("data") finds'
            " only this one; give it another name",
            fixed='layer { name: "data" type: "DummyData" top: "data" }'
            ' layer { name: "label" type: "DummyData" top: "label" }',
        ),
        Invalid(
            'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc1" }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "fc1" top: "fc2" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc2" bottom: "label" }',
            span='name: "fc"',
            message='InnerProduct "fc": name is already used by InnerProduct on line 1, so loading and testing copy'
            " the weights of both into that layer, and this one keeps its initial weights; give this InnerProduct"
            " another name",
            fixed=(
                'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc1" } layer { name: "fc2" type: '
                '"InnerProduct" bottom: "fc1" top: "fc2" } layer { name: "loss" type: "EuclideanLoss" bottom: '
                '"fc2" bottom: "label" }'
            ),
        ),
        Invalid(
            _WIDTHS % (5, 5),
            span='name: "fc"',
            message='InnerProduct "fc": name is already used by InnerProduct on line 1, so loading and testing copy'
            " the weights of both into that layer, and this one keeps its initial weights; give this InnerProduct"
            " another name",
            fixed=_APART % (5, 5),
        ),
        Invalid(
            _WIDTHS % (5, 6),
            span='name: "fc"',
            message='InnerProduct "fc": name is already used by InnerProduct on line 1, so Caffe stops with "shape'
            ' mismatch"; give this InnerProduct another name',
            fixed=_APART % (5, 6),
        ),
        Invalid(
            'layer { name: "up" type: "Deconvolution" bottom: "data" top: "up" }'
            ' layer { name: "up" type: "Dropout" bottom: "up" top: "up" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "up" bottom: "label" }',
            span='name: "up"',
            message='Dropout "up": name is already used by Deconvolution on line 1, so Caffe stops with "Incompatible'
            ' number of blobs"; give this Dropout another name',
            fixed=(
                'layer { name: "up" type: "Deconvolution" bottom: "data" top: "up" } layer { name: "drop_up" type: '
                '"Dropout" bottom: "up" top: "up" } layer { name: "loss" type: "EuclideanLoss" bottom: "up" '
                'bottom: "label" }'
            ),
        ),
        Invalid(
            'layer { type: "InnerProduct" bottom: "data" top: "fc1" }'
            ' layer { type: "InnerProduct" bottom: "fc1" top: "fc2" }',
            span="layer",
            message="InnerProduct layer: name is missing, as it is in InnerProduct on line 1, so loading and testing"
            " copy the weights of both into that layer, and this one keeps its initial weights; give this InnerProduct"
            " a name",
            fixed=(
                'layer { type: "InnerProduct" bottom: "data" top: "fc1" } layer { type: "InnerProduct" bottom: '
                '"fc1" top: "fc2" name: "fc2" }'
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        layers: dict[str, list[Layer]] = {}
        for layer in net.layers:
            layers.setdefault(layer.name, []).append(layer)
        names: Names | None = None
        for alike in layers.values():
            if len(alike) > 1 and (clashes := list(_clashes(alike))):
                names = names or Names(net)
                yield self._reported(clashes, names)

    def _reported(self, clashes: list[Clash], names: Names) -> Finding:
        """The first clash of a name; its fix ends them all."""
        layer, other, renamed = clashes[0]
        gives_weights = TRAIN in layer.phases and not only_takes_weights(layer.net)
        if not layer.kind.has_parameters and not (other.kind.has_parameters and gives_weights):
            return self.finding(
                layer.at("name"),
                f"{title(layer)}: name is already used by {other.type} on line {other.at('name').line}, so"
                f' net.layer_by_name("{layer.name}") finds only this one; give it another name',
                severity=INFO,
                related=(Related("the other layer", other.at("name")),),
                fixes=_fixes(clashes, names),
            )
        known = "name is already used by" if layer.name else "name is missing, as it is in"
        what = f'Caffe stops with "{refusal}"' if (refusal := _refusal(other, layer)) else _WHAT
        return self.finding(
            layer.at("name"),
            f"{title(layer)}: {known} {other.type} on line {other.at('name').line}, so {what};"
            f" give {'this' if renamed is layer else 'that'} {renamed.type} {'another' if renamed.name else 'a'} name",
            evidence="Caffe copies parameters by name to the test net and when it loads weights",
            severity=ERROR if refusal and layer.net.role == "train" else WARNING,
            certainty=CERTAIN if refusal else LIKELY,
            related=(Related("the other layer", other.at("name")),),
            fixes=_fixes(clashes, names),
        )


class Clash(NamedTuple):
    """A layer, an earlier one of its name in one of its phases, and which of the two gets another name."""

    layer: Layer
    other: Layer
    renamed: Layer


def _clashes(layers: list[Layer]) -> Iterator[Clash]:
    """The clashes among layers of one name, each after those before it were given another."""
    above: dict[tuple[tuple[str, ...], bool], tuple[int, Layer]] = {}
    for number, layer in enumerate(layers):
        if layer.depends_on_stage:
            continue
        second = bool(layer.kind.has_parameters)
        others = [
            (*found, first, phases)
            for (phases, first), found in above.items()
            if not set(phases).isdisjoint(layer.phases) and not share_all_params(layer, found[1])
        ]
        if found := [row for row in others if row[2] or second]:
            _, other, first, phases = min(found, key=lambda row: row[0])
            if first or not second:
                yield Clash(layer, other, layer)
                continue
            yield Clash(layer, other, other)  # what is stored keeps its name
            del above[phases, first]
        elif others and not layer.bottoms and layer.name:
            if bare := [other for _, other, *_ in others if not other.bottoms]:
                yield Clash(layer, bare[0], layer)
                continue
        above.setdefault((layer.phases, second), (number, layer))


def _fixes(clashes: list[Clash], names: Names) -> tuple[Fix, ...]:
    """A name of its own for each, where the layers are the same in both phases."""
    made: list[tuple[str, Edits]] = []
    for layer, other, renamed in clashes:
        if renamed.phases == PHASES and (renamed.name or renamed.tops):
            name = quoted(names.free(renamed, other if renamed is layer else layer))
            made.append((name, write(renamed, "name", value=name)))
        elif not made:
            return ()
    what = f"rename to {listed([name for name, _ in made])}" if len(made) > 1 else f"set name: {made[0][0]}"
    return fix(what, UNSAFE, *(edits for _, edits in made if edits is not None)) if made[0][1] else ()


def _refusal(one: Layer, other: Layer) -> str:
    """What Caffe says as it stops when it copies one layer's parameters to the other; empty where it may not stop."""
    if bool(one.kind.has_parameters) != bool(other.kind.has_parameters):
        return "Incompatible number of blobs"
    built = one.net.once(_built)
    params, others = (getattr(built.get(layer.index), "params", None) for layer in (one, other))
    if params is None or others is None:
        return ""
    if len(params) != len(others):
        return "Incompatible number of blobs"
    return "shape mismatch" if any(a.shape != b.shape for a, b in zip(params, others, strict=True)) else ""


def _built(net: Net) -> dict[int | None, BuiltLayer]:
    """What Caffe builds of each layer, by its index."""
    return {layer.index: layer for one in net.states() for layer in one.layers}
