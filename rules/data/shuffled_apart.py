from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    Related,
    fix,
    join,
    remove,
    title,
)
from caffelint.lint.built import BuiltLayer, Paired, compared, made_of_both, paired, types_that

_A, _B = 'source: "images.txt" batch_size: 8', 'source: "labels.txt" batch_size: 8'
_FC = ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 10 } }'
_FC += ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'


def _two(image: str, label: str, rest: str = _FC) -> str:
    images = f'layer {{ name: "images" type: "ImageData" top: "data" top: "no" image_data_param {{ {image} }} }}'
    return f'{images} layer {{ name: "labels" type: "HDF5Data" top: "label" hdf5_data_param {{ {label} }} }}{rest}'


_JOINED = (
    'layer { name: "images" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "a.txt"%s } }'
    ' layer { name: "log" type: "HDF5Data" top: "log" hdf5_data_param { source: "b.txt"%s } }'
    ' layer { name: "both" type: "Concat" bottom: "data" bottom: "log" top: "both" }'
    ' layer { name: "fc" type: "InnerProduct" bottom: "both" top: "fc" inner_product_param { num_output: 10 } }'
    ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
)


class ShuffledApart(NetRule):
    """Data and labels come from two layers, and one of them shuffles its records.

    ## Why is this bad?
    Each data layer shuffles in an order of its own, so an image meets the label of another one. The loss goes down to
    that of an answer that is always the same, and nothing breaks. This holds for two layers that both shuffle as well,
    and for the two sides of a siamese net, or two sources that are joined before the loss.

    ## Example
    ```
    layer { name: "data" type: "ImageData" top: "data" image_data_param { source: "images.txt" shuffle: true } }
    layer { name: "label" type: "ImageData" top: "label" image_data_param { source: "masks.txt" shuffle: true } }
    ```
    Use instead two lists that were shuffled alike when they were written:
    ```
    layer { name: "data" type: "ImageData" top: "data" image_data_param { source: "images.txt" } }
    layer { name: "label" type: "ImageData" top: "label" image_data_param { source: "masks.txt" } }
    ```

    ## Fix safety
    Unsafe: training reads its records in a different order.

    ## References
    - image_data_layer.cpp, DataLayerSetUp: each layer has a random generator of its own; hdf5_data_layer.cpp, Next
    """

    code = "D023"
    name = "shuffled-apart"
    severity = WARNING
    certainty = CERTAIN
    layer_types = types_that(lambda kind: kind.has_setting("shuffle"))
    VALID = [
        _two(_A, _B),
        _JOINED % ("", " shuffle: true"),
        'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { batch_size: 8 shuffle: true'
        f" }} }}{_FC}",
        # With labels of its own for what it is joined with.
        _two(_A, f"{_B} shuffle: true", _FC.replace('bottom: "data"', 'bottom: "data" bottom: "label"')),
    ]
    INVALID = [
        Invalid(
            _two(f"{_A} shuffle: true", _B),
            span="shuffle: true",
            message='ImageData "images" shuffles its records, but SoftmaxWithLoss "loss" compares what is made of them'
            ' with those of HDF5Data "labels", which come in another order; remove shuffle',
            fixed=_two(_A, _B),
        ),
        Invalid(
            _two(f"{_A} shuffle: true", f"{_B} shuffle: true"),
            span="shuffle: true",
            message='ImageData "images" shuffles its records, but SoftmaxWithLoss "loss" compares what is made of them'
            ' with those of HDF5Data "labels", which come in another order; remove shuffle in both',
            fixed=_two(_A, _B),
        ),
        Invalid(
            _JOINED % (" shuffle: true", " shuffle: true"),
            span="shuffle: true",
            message='HDF5Data "log" shuffles its records, but SoftmaxWithLoss "loss" compares what is made of them with'
            ' those of HDF5Data "images", which come in another order; remove shuffle in both',
            fixed=_JOINED % ("", ""),
        ),
        Invalid(
            _two(_A, f"{_B} shuffle: true"),
            span="shuffle: true",
            message='HDF5Data "labels" shuffles its records, but SoftmaxWithLoss "loss" compares them with what is made'
            ' of those of ImageData "images", which come in another order; remove shuffle',
            fixed=_two(_A, _B),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for built in net.states():
            if built.phase == TRAIN and built.is_wired:
                for pair in (*paired(built), *compared(built)):
                    yield from self._pair(net, pair, CERTAIN)
                for pair in made_of_both(built):
                    # What is shuffled alone may be drawn at random, as noise is.
                    if pair.data.type == pair.target.type and _shuffles(pair.data) and _shuffles(pair.target):
                        yield from self._pair(net, pair, LIKELY)

    def _pair(self, net: Net, pair: Paired, certainty: str) -> Iterator[Finding]:
        loss, data, target = pair
        what, of = "what is made of them with those of", "compares {} {}, which come in another order; remove shuffle"
        for one, other in ((data, target), (target, data)):
            if not _shuffles(one) or one.index is None or other.index is None:
                continue
            if one is target:
                what = "them with what is made of those of"
            layer, block = net.layers[one.index], one.block
            makers = [net.layers[one.index], *([net.layers[other.index]] if _shuffles(other) else [])]
            edits = join(remove(each, each.kind.block, "shuffle") for each in makers)
            both = " in both" if _shuffles(other) else ""
            yield self.finding(
                layer.at(block, "shuffle"),
                f"{title(one)} shuffles its records, but {title(loss)} {of.format(what, title(other))}{both}",
                phases=(TRAIN,),
                related=(Related("the other records", net.layers[other.index].at()),),
                fixes=fix(f"remove shuffle{both}", UNSAFE, edits),
                certainty=certainty,
            )
            return


def _shuffles(layer: BuiltLayer) -> bool:
    return layer.has_setting("shuffle") and bool(layer.parameters.shuffle)
