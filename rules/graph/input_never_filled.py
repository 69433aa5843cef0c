from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, Solver, quoted, title


class InputNeverFilled(NetRule):
    """A net that is trained from files has an input beside them, which only a program can fill.

    ## Why is this bad?
    `caffe train` puts nothing into an Input, so its blob keeps the zeros that it was made of, and Caffe says nothing. A
    recurrent layer whose sequence markers are 0 starts anew at each step, as if it had no memory; what else is computed
    from zeros tells nothing of an item.

    ## Example
    ```
    input: "clip" input_shape { dim: 28 dim: 64 }
    layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train_lmdb" } }
    layer { name: "lstm" type: "LSTM" bottom: "data" bottom: "clip" top: "lstm" }
    ```
    Use instead:
    ```
    layer { name: "data" type: "HDF5Data" top: "data" top: "label" top: "clip" hdf5_data_param { source: "train.txt" } }
    layer { name: "lstm" type: "LSTM" bottom: "data" bottom: "clip" top: "lstm" }
    ```

    ## Known problems
    Nothing is reported where a script of the project steps a solver or runs a net by hand, since it may fill the input,
    and none runs this solver by `caffe train`; nor where no other layer of TRAIN reads files: a program feeds such a
    net.

    ## References
    - input_layer.hpp, Forward_cpu; syncedmem.cpp, to_cpu; recurrent_layer.cpp, Reshape
    """

    code = "G043"
    name = "input-never-filled"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Input",)
    _NET = (
        'name: "net" input: "clip" input_shape { dim: 28 dim: 64 }'
        ' layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train" } }'
        ' layer { name: "lstm" type: "LSTM" bottom: "data" bottom: "clip" top: "h" recurrent_param { num_output: 9 } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "h" bottom: "label" top: "loss" }'
    )
    _SOLVER = 'net: "n.prototxt" base_lr: 0.1'
    VALID = [
        {"n.prototxt": _NET},
        {"s.prototxt": _SOLVER, "n.prototxt": _NET.replace('type: "Data"', 'type: "DummyData"')},
        {"s.prototxt": _SOLVER, "n.prototxt": _NET.replace('"clip" top: "h"', '"label" top: "h"')},
        {"s.prototxt": 'train_net: "a.prototxt" test_net: "n.prototxt"', "n.prototxt": _NET},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": _SOLVER, "n.prototxt": _NET},
            span='input: "clip"',
            message='"clip" is an input, which `caffe train` never fills, so it stays 0 and LSTM "lstm" starts anew at'
            " each step; read it from files, as the other data",
        ),
        Invalid(
            {
                "s.prototxt": _SOLVER,
                "n.prototxt": 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
                ' layer { name: "label" type: "Data" top: "label" data_param { source: "train" } }'
                ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }'
                ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }',
            },
            span='top: "data"',
            message='"data" is an input, which `caffe train` never fills, so it stays 0 for InnerProduct "fc"; read it'
            " from files, as the other data",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.solvers or net.is_only_tested or all(map(_is_fed, net.solvers)):
            return
        trained = net.in_phase(TRAIN)
        if not any(layer.kind.is_data and layer.kind.data_source for layer in trained):
            return
        for layer in net.by_type.get("Input", ()):
            for number, blob in enumerate(layer.tops if TRAIN in layer.phases and not layer.depends_on_stage else ()):
                reader = next((other for other in trained if blob in other.bottoms and other.tops), None)
                if reader is None:
                    continue
                older = list(net.written.input)  # input fields, of which Caffe makes a layer
                yield self.finding(
                    net.at("input", older.index(blob)) if blob in older else layer.at("top", number),
                    f"{quoted(blob)} is an input, which `caffe train` never fills, so it stays 0 {_harm(reader, blob)};"
                    " read it from files, as the other data",
                    evidence="Input has an empty forward pass, and Caffe sets new memory to 0",
                    phases=(TRAIN,) if len(layer.phases) == 1 else (),
                    related=(Related("what reads it", reader.at("bottom", reader.bottoms.index(blob))),),
                )


def _harm(reader: Layer, blob: str) -> str:
    if reader.kind.is_recurrent and reader.bottoms.index(blob) == 1:
        return f"and {title(reader)} starts anew at each step"
    return f"for {title(reader)}"


def _is_fed(solver: Solver) -> bool:
    """Does a script step a solver or run a net by hand, and none run this solver by the tool? It may fill inputs."""
    runs = solver.runs
    return bool(runs and not runs.by_tool and (runs.customs.steps or runs.customs.drives))
