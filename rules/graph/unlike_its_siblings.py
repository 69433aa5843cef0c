from __future__ import annotations

from collections.abc import Hashable, Iterator

from caffelint.lint import INFO, LIKELY, TRAIN, WARNING, Finding, Invalid, Net, NetRule, title
from caffelint.lint.built import Blob, BuiltLayer, BuiltNet, unavoidable

from ._layer_params import described
from ._odd import LEAST, odd_one
from ._pads import odd_windows

_SETTINGS = {"batch_norm_param": ("eps", "moving_average_fraction"), "scale_param": ("bias_term",)}


def _data() -> str:
    return 'layer { name: "data" type: "Input" top: "r0" input_param { shape { dim: 1 dim: 8 dim: 9 dim: 9 } } }'


def _convolution(i: int) -> str:
    return (
        f' layer {{ name: "c{i}" type: "Convolution" bottom: "r{i - 1}" top: "c{i}"'
        " convolution_param { num_output: 8 kernel_size: 1 } }"
    )


def _residual(i: int) -> str:
    """Block `i` of an example net: from r0 to r1, from r1 to r2 ..."""
    return (
        _convolution(i)
        + f' layer {{ name: "s{i}" type: "Eltwise" bottom: "r{i - 1}" bottom: "c{i}" top: "s{i}" }}'
        + f' layer {{ name: "r{i}" type: "ReLU" bottom: "s{i}" top: "r{i}" }}'
    )


def _normed(i: int, swapped: bool = False) -> str:
    """The same with a BatchNorm, before the ReLU or after it."""
    first, second = ("ReLU BatchNorm" if swapped else "BatchNorm ReLU").split()
    a, b = ("a", "b") if swapped else ("n", "r")
    return (
        _convolution(i)
        + f' layer {{ name: "{a}{i}" type: "{first}" bottom: "c{i}" top: "{a}{i}" }}'
        + f' layer {{ name: "{b}{i}" type: "{second}" bottom: "{a}{i}" top: "r{i}" }}'
    )


class UnlikeItsSiblings(NetRule):
    """One block of a repeated structure differs from all others.

    ## Why is this bad?
    Caffe loads and trains it. But where one shortcut of fifty starts before the ReLU, one 1x1 convolution has a pad, or
    one BatchNorm comes after its ReLU, it is usually a copy-and-paste slip, and the net is not the one that was
    published.

    ## Example
    ```
    layer { name: "sum3" type: "Eltwise" bottom: "sum2" bottom: "branch3" top: "sum3" }
    ```
    while all other blocks have
    ```
    layer { name: "sum2" type: "Eltwise" bottom: "relu1" bottom: "branch2" top: "sum2" }
    ```
    Use instead:
    ```
    layer { name: "sum3" type: "Eltwise" bottom: "relu2" bottom: "branch3" top: "sum3" }
    ```

    ## Known problems
    A block may be meant to differ; a setting of the first or the last one is not reported, and the pad of the first
    only where its maps cannot be halved evenly without it. A pad is an info, since a single layer may well be meant to
    make its map smaller.

    ## References
    - He et al., Deep residual learning for image recognition (arXiv 1512.03385)
    """

    code = "G023"
    name = "unlike-its-siblings"
    severity = WARNING
    certainty = LIKELY
    _RESIDUAL = _data() + "".join(_residual(i) for i in range(1, 8))
    _NORMED = _data() + "".join(_normed(i) for i in range(1, 8))
    VALID = [
        _RESIDUAL,
        _NORMED,
        # Maps of 9x9 are not halved evenly with a pad, either.
        _NORMED.replace("kernel_size: 1", "kernel_size: 3 pad: 1").replace("3 pad: 1", "3", 1),
        # Two that differ are not a slip.
        _RESIDUAL.replace('bottom: "r2" bottom: "c3"', 'bottom: "s2" bottom: "c3"').replace(
            'bottom: "r4" bottom: "c5"', 'bottom: "s4" bottom: "c5"'
        ),
        # Too few to tell.
        _data() + _residual(1) + _residual(2) + _residual(3).replace('"r2" bottom: "c3"', '"s2" bottom: "c3"'),
        # The last one.
        _NORMED.replace('top: "n7" }', 'top: "n7" batch_norm_param { eps: 0.1 } }'),
    ]
    INVALID = [
        Invalid(
            _RESIDUAL.replace('bottom: "r2" bottom: "c3"', 'bottom: "s2" bottom: "c3"'),
            span='bottom: "s2"',
            message='Eltwise "s3" takes its shortcut from "s2", before the ReLU; the other 5 take theirs after it;'
            " check that this is intended",
        ),
        Invalid(
            _NORMED.replace("kernel_size: 1", "pad: 1 kernel_size: 3").replace(
                'top: "c4" convolution_param { num_output: 8 pad: 1',
                'top: "c4" convolution_param { num_output: 8 pad: 3',
            ),
            span="pad: 3",
            message='Convolution "c4" has pad 3, but the other 6 convolutions with kernel_size 3 and stride 1 have 1;'
            " set pad: 1 unless this is intended",
        ),
        Invalid(
            _NORMED.replace("kernel_size: 1", "pad: 1 kernel_size: 3").replace(
                'top: "c4" convolution_param { num_output: 8 pad: 1 kernel_size: 3',
                'top: "c4" convolution_param { num_output: 8 pad: 1 kernel_size: 2',
            ),
            span="kernel_size: 2",
            message='Convolution "c4" has kernel_size 2, but 6 other convolutions with pad 1 have 3; set kernel_size: 3'
            " unless this is intended",
        ),
        Invalid(
            _NORMED.replace(_normed(4), _normed(4, swapped=True)),
            span='name: "a4"',
            message='Convolution "c4" is followed by ReLU and BatchNorm, but the other 6 by BatchNorm and ReLU; check'
            " that this is intended",
        ),
        Invalid(
            _NORMED.replace('top: "n4" }', 'top: "n4" batch_norm_param { eps: 0.1 } }'),
            span="eps: 0.1",
            message='BatchNorm "n4" has eps 0.1, but the other 6 layers of type BatchNorm have 1e-05; check that this'
            " is intended",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if len(net.layers) < 2 * LEAST:
            return
        nets = net.states()
        one = next((one for one in nets if one.phase == TRAIN), nets[0])
        if not one.is_wired:
            return
        yield from self._shortcuts(net, one)
        yield from self._pads(net, one)
        yield from self._orders(net, one)
        yield from self._statistics(net, one)

    def _shortcuts(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        rows = []
        for layer in one.layers:
            if layer.type == "Eltwise" and layer.index is not None and len(layer.bottoms) == 2:
                kinds = {_origin(blob) for blob in layer.bottoms} & {"sum", "activation"}
                if len(kinds) == 1:
                    rows.append((layer, kinds.pop()))
        odd = odd_one(rows)
        if odd and odd.others == "activation":
            mine = net.layers[odd.layer.index or 0]
            side = next(i for i, blob in enumerate(odd.layer.bottoms) if _origin(blob) == "sum")
            yield self.finding(
                mine.at("bottom", side),
                f'{title(mine)} takes its shortcut from "{mine.bottoms[side]}", before the ReLU;'
                f" the other {odd.many} take theirs after it; check that this is intended",
            )

    def _pads(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        for odd in odd_windows(one):
            mine = net.layers[odd.layer.index or 0]
            refused = _refused_after(net, one, odd.layer)
            so = f", and maps do not fit at {title(refused)}" if refused else ""
            yield self.finding(
                mine.at("convolution_param", odd.field),
                f"{title(mine)} has {odd.field} {odd.value}, but {odd.others}{so}; set {odd.field}: {odd.right}"
                f"{'' if refused else ' unless this is intended'}",
                severity=WARNING if refused else INFO,
            )

    def _orders(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        groups: dict[Hashable, list[tuple[BuiltLayer, tuple[str, ...]]]] = {}
        tails: dict[BuiltLayer, list[BuiltLayer]] = {}
        for layer in one.layers:
            if layer.type == "Convolution" and layer.index is not None:
                tail = tails[layer] = _tail(layer)
                types = tuple(one.type for one in tail)
                if any(map(_is_norm, tail)) and any(one.is_activation for one in tail):
                    groups.setdefault(tuple(sorted(types)), []).append((layer, types))
        for rows in groups.values():
            odd = odd_one(rows)
            if odd:
                at = next(i for i, type_ in enumerate(odd.value) if type_ != odd.others[i])
                yield self.finding(
                    net.layers[tails[odd.layer][at].index or 0].at("name"),
                    f"{title(odd.layer)} is followed by {' and '.join(odd.value)}, but the other {odd.many} by"
                    f" {' and '.join(odd.others)}; check that this is intended",
                )

    def _statistics(self, net: Net, one: BuiltNet) -> Iterator[Finding]:
        of_block: dict[str, list[BuiltLayer]] = {block: [] for block in _SETTINGS}
        for layer in one.layers:
            if layer.block in of_block and layer.index is not None:
                of_block[layer.block].append(layer)
        for block, layers in of_block.items():
            for field in _SETTINGS[block] if len(layers) > LEAST else ():
                odd = odd_one([(layer, getattr(layer.parameters, field)) for layer in layers], ends=False)
                if odd:
                    mine = net.layers[odd.layer.index or 0]
                    yield self.finding(
                        mine.at(block, field),
                        f"{title(mine)} has {field} {described(odd.value)}, but the other {odd.many} layers of type"
                        f" {mine.type} have {described(odd.others)}; check that this is intended",
                    )


def _refused_after(net: Net, one: BuiltNet, layer: BuiltLayer) -> BuiltLayer | None:
    """What Caffe refuses since maps do not fit, if the layer has a part in these."""
    found = unavoidable(one, net.input_shapes)
    at = {*(refusal.index for refusal in one.refusals), found.refusal.index if found else None} - {None}
    refused = (built for built in one.layers if built.index in at and built.compares_maps)
    return next((built for built in refused if any(layer in blob.depends_on for blob in built.bottoms)), None)


def _origin(blob: Blob) -> str:
    """What made a blob: `sum`, `activation`, or "" for anything else."""
    maker = blob.maker_beyond(lambda layer: layer.hands_on and layer.keeps_channels)
    if maker is None:
        return ""
    # A product, as of a mask, is no sum of a branch and its shortcut.
    return "sum" if maker.type == "Eltwise" and not maker.reads_bottom else "activation" if maker.is_activation else ""


def _is_norm(layer: BuiltLayer) -> bool:
    """Does it normalise, or scale what was normalised?"""
    return bool(layer.normalises or layer.is_linear and not layer.has_weights)


def _tail(layer: BuiltLayer) -> list[BuiltLayer]:
    """The norms and activations after a layer, as long as each is the only reader of the one before."""
    found: list[BuiltLayer] = []
    while len(layer.tops) == 1 and len(layer.tops[0].consumers) == 1 and len(found) < LEAST:
        ((layer, _),) = layer.tops[0].consumers
        if not (_is_norm(layer) or layer.is_activation) or len(layer.bottoms) != 1:
            break
        found.append(layer)
    return found
