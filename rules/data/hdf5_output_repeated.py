from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, LIKELY, TRAIN, Finding, Invalid, Layer, LayerRule

_LAYER = 'layer { name: "out" type: "HDF5Output" bottom: "a" bottom: "b" hdf5_output_param { file_name: "o.h5" } %s}'


class Hdf5OutputRepeated(LayerRule):
    """HDF5Output writes its datasets anew in each forward pass, and Caffe ends at the second one.

    ## Why is this bad?
    The layer creates the datasets `data` and `label` whenever it runs. The second time they are there already, and
    Caffe ends its process: a net with such a layer can run once.

    ## Example
    ```
    layer { name: "out" type: "HDF5Output" bottom: "fc7" bottom: "label" hdf5_output_param { file_name: "out.h5" } }
    ```
    Use instead, in a net of its own that is run once, with a batch that holds all there is to write.

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
            message="HDF5Output writes its datasets anew in each pass: Caffe ends at the second iteration",
        ),
        Invalid(
            _LAYER % "",
            span='type: "HDF5Output"',
            message="HDF5Output writes its datasets anew in each pass: this net can run forward once",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        evidence = "Caffe ends with: Failed to make float dataset"
        if not layer.net.solvers:
            yield self.finding(
                layer.at("type"),
                "HDF5Output writes its datasets anew in each pass: this net can run forward once",
                evidence=evidence,
                severity=INFO,
                certainty=LIKELY,
            )
        elif TRAIN in layer.phases and any(solver.message.max_iter > 1 for solver in layer.net.solvers):
            yield self.finding(
                layer.at("type"),
                "HDF5Output writes its datasets anew in each pass: Caffe ends at the second iteration",
                evidence=evidence,
            )
