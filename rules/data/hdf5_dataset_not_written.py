from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Compared, Finding, Invalid, Layer, Net, NetRule, near, quoted, title

_NET = (
    'layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "train.txt" } }'
    ' layer { name: "loss" type: "EuclideanLoss" bottom: "data" bottom: "label" include { phase: TRAIN } }'
)
_SCRIPT = (
    'import h5py\nwith h5py.File("train.h5", "w") as f:\n    f["data"] = images\n    f.create_dataset("%s", data=y)\n'
)


class Hdf5DatasetNotWritten(NetRule):
    """A top of HDF5Data is no dataset that the scripts of the project write, and one of nearly its name is.

    ## Why is this bad?
    HDF5Data looks for a dataset by the name of each of its tops, and Caffe stops at the start if the file has none.

    ## Example
    ```
    layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "train.txt" } }
    ```
    where `f.create_dataset("labels", data=y)` makes the file. Use instead:
    ```
    layer { name: "data" type: "HDF5Data" top: "data" top: "labels" hdf5_data_param { source: "train.txt" } }
    ```

    ## Known problems
    Python (h5py) and MATLAB (h5create, hdf5write) are read. Where any script of the project writes a dataset whose name
    is not written out, nothing is said; nor of a script that also writes other datasets that the layer does not read.
    Which script makes the file that `source` leads to is not known: one that makes data for another net, with nearly
    the same names, is taken for it, and no name is reported that any script of the project writes.

    ## References
    - hdf5_data_layer.cpp, LoadHDF5FileData; hdf5.cpp, hdf5_load_nd_dataset_helper: `Failed to get dataset ndims`
    """

    code = "D032"
    name = "hdf5-dataset-not-written"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("HDF5Data",)
    VALID = [
        {"net.prototxt": _NET, "make.py": _SCRIPT % "label"},
        {"net.prototxt": _NET, "make.py": _SCRIPT % "labels" + "    f.create_dataset(name, data=y)\n"},
        # What another script makes.
        {"net.prototxt": _NET, "make.py": (_SCRIPT % "labels").replace('"data"]', '"images"]')},
        {"net.prototxt": _NET, "make.py": _SCRIPT % "labels" + '    f["boxes"] = boxes\n'},
        # For another net.
        {"net.prototxt": _NET, "make.py": _SCRIPT % "labels", "other.py": _SCRIPT % "label"},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "make.py": _SCRIPT % "labels"},
            span='top: "label"',
            message='HDF5Data "data": no script writes a dataset "label", but "make.py" (line 4) writes "labels", so'
            ' Caffe stops at the start; set top: "labels", or write it as "label"',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        written = net.runs.datasets if net.runs else ()
        names = {name for name, _ in written}
        for layer in net.by_type["HDF5Data"] if names else ():
            missing = [top for top in layer.tops if top not in names]
            if 0 < len(missing) < len(layer.tops):
                yield from self._told(layer, missing)

    def _told(self, layer: Layer, missing: list[str]) -> Iterator[Finding]:
        written = layer.net.runs.datasets if layer.net.runs else ()
        for place in dict.fromkeys(one.path for _, one in written):
            lines = {name: one.line for name, one in written if one.path == place}
            others = [name for name in lines if name not in layer.tops]
            is_its = len(lines) == len(layer.tops) and all(one in missing or one in lines for one in layer.tops)
            for top in missing if is_its else ():
                for name in near(top, others, within=layer.net.once(Compared)):
                    yield self.finding(
                        layer.at("top", layer.tops.index(top)),
                        f"{title(layer)}: no script writes a dataset {quoted(top)}, but {quoted(place)} (line"
                        f" {lines[name]}) writes {quoted(name)}, so Caffe stops at the start; set top: {quoted(name)},"
                        f" or write it as {quoted(top)}",
                    )
                    missing = [one for one in missing if one != top]
