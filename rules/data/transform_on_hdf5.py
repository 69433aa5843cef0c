from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    LIKELY,
    UNSAFE,
    Finding,
    Invalid,
    Kind,
    Layer,
    LayerRule,
    fix,
    is_for_unknown_caffe,
    remove,
    title,
)


class TransformOnHdf5(LayerRule):
    """HDF5Data has a `transform_param`, which it refuses.

    ## Why is this bad?
    Caffe aborts when it sets up the layer. HDF5Data can only pass data on as it is in the file:
    scale and crop it when you write the file, or with layers after this one (Power for scale and shift).
    It is an info in a net with fields or layer types that no known Caffe has: such a fork may read it.

    ## Example
    ```
    layer {
      name: "data" type: "HDF5Data" top: "data" hdf5_data_param { source: "train.txt" batch_size: 64 }
      transform_param { scale: 0.00390625 }
    }
    ```
    Use instead:
    ```
    layer { name: "data" type: "HDF5Data" top: "raw" hdf5_data_param { source: "train.txt" batch_size: 64 } }
    layer { name: "scale" type: "Power" bottom: "raw" top: "data" power_param { scale: 0.00390625 } }
    ```

    ## Fix safety
    Unsafe: the data is then read as it is, and may have to be written again.

    ## References
    - hdf5_data_layer.cpp, LayerSetUp
    """

    code = "D008"
    name = "transform-on-hdf5"
    severity = ERROR
    claims = (Kind.TRANSFORM_OF_HDF5,)
    layer_types = ("HDF5Data",)
    VALID = ['layer { name: "data" type: "HDF5Data" hdf5_data_param { source: "train.txt" batch_size: 64 } }']
    INVALID = [
        Invalid(
            'layer { name: "data" type: "HDF5Data" transform_param { scale: 0.1 } }',
            span="transform_param",
            message='HDF5Data "data" refuses transform_param; transform the data before writing the file, or with'
            " layers after this one",
            fixed='layer { name: "data" type: "HDF5Data" }',
        ),
        # 3D-Caffe crops what it reads.
        Invalid(
            'layer { name: "data" type: "HDF5Data" transform_param { crop_size_l: 64 } }',
            span="transform_param",
            message='HDF5Data "data" refuses transform_param unless your fork reads it; without such a fork, transform'
            " the data before writing the file, or with layers after this one",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if not layer.message.HasField("transform_param"):
            return
        if is_for_unknown_caffe(layer.net):
            yield self.finding(
                layer.at("transform_param"),
                f"{title(layer)} refuses transform_param unless your fork reads it; without such a fork, transform the"
                " data before writing the file, or with layers after this one",
                severity=INFO,
                certainty=LIKELY,
            )
        else:
            yield self.finding(
                layer.at("transform_param"),
                f"{title(layer)} refuses transform_param; transform the data before writing the file, or with layers"
                " after this one",
                evidence="Caffe stops with: HDF5Data does not transform data.",
                fixes=fix("remove transform_param", UNSAFE, remove(layer, "transform_param")),
            )
