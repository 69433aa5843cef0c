from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, LIKELY, TRAIN, Finding, Invalid, Layer, LayerRule, title

_LAYER = 'layer { name: "out" type: "HDF5Output" bottom: "a" bottom: "b" hdf5_output_param { file_name: "o.h5" } %s}'


class Hdf5OutputRepeated(LayerRule):
    """HDF5Output creates its datasets again in each forward pass, so Caffe aborts at the second one.

    ## Why is this bad?
    The layer creates the datasets `data` and `label` whenever it runs. The second time they already exist, and Caffe
    aborts: a net with such a layer can run only once.

    ## Example
    ```
    layer { name: "out" type: "HDF5Output" bottom: "fc7" bottom: "label" hdf5_output_param { file_name: "out.h5" } }
    ```
    Use it instead in a separate net that is run once, with a batch that holds all that is to be written.

    ## References
    - hdf5_output_layer.cpp, SaveBlobs; util/hdf5.cpp, hdf5_save_nd_dataset
    """

    code = "D022"
    name = "hdf5-output-repeated"
    severity = ERROR
    layer_types = ("HDF5Output",)
    VALID = [
        'layer { name: "data" type: "HDF5Data" top: "data" hdf5_data_param { source: "a.txt" batch_size: 1 } }',
        # Run once.
        {
            "solver.prototxt": 'net: "net.prototxt" max_iter: 1',
            "net.prototxt": _LAYER % "include { phase: TRAIN } ",
        },
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": 'net: "net.prototxt" max_iter: 9', "net.prototxt": _LAYER % ""},
            span='type: "HDF5Output"',
            message='HDF5Output "out" creates its datasets again in each pass, so Caffe stops at the second'
            " iteration; keep the layer out of TRAIN",
        ),
        Invalid(
            _LAYER % "",
            span='type: "HDF5Output"',
            message='HDF5Output "out" creates its datasets again in each pass, so this net can run forward only'
            " once; remove it from nets that run longer",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        evidence = "Caffe stops with: Failed to make float dataset"
        if not layer.net.solvers:
            yield self.finding(
                layer.at("type"),
                f"{title(layer)} creates its datasets again in each pass, so this net can run forward only once; remove"
                " it from nets that run longer",
                evidence=evidence,
                severity=INFO,
                certainty=LIKELY,
            )
        elif TRAIN in layer.phases and any(solver.message.max_iter > 1 for solver in layer.net.solvers):
            yield self.finding(
                layer.at("type"),
                f"{title(layer)} creates its datasets again in each pass, so Caffe stops at the second iteration; keep"
                " the layer out of TRAIN",
                evidence=evidence,
            )
