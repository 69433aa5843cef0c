"""What the numbers of a run begin with, by what its log holds."""

from __future__ import annotations

from caffelint.evidence.log.evidence import LogEvidence
from caffelint.evidence.log.reader import Reader
from caffelint.rules.log._example import NET, SOLVER, losses

_PRINTED = (
    "I1122 13:11:02.19 17644 layer_factory.hpp:77] Creating layer data\n"
    "I1122 13:11:02.19 17644 net.cpp:84] Creating Layer data\n"
    "I1122 13:11:02.19 17644 net.cpp:124] Setting up data\n"
    "I1122 13:11:02.19 17644 net.cpp:131] Top shape: 8 4 (32)\n"
    "I1122 13:11:02.19 17644 net.cpp:131] Top shape: %s\n"
    "I1122 13:11:02.19 17644 net.cpp:139] Memory required for data: 4160\n"
)
_UNKNOWN = NET.replace('type: "Input"', 'type: "HDF5Data"').replace(
    "input_param {\n    shape { dim: 8 dim: 4 }\n    shape { dim: 8 }\n  }",
    'hdf5_data_param { source: "x" batch_size: 8 }',
)


def _evidence(log: str) -> LogEvidence:
    reader = Reader("train.log")
    reader.feed(log.encode())
    return LogEvidence(reader.end())


def test_shapes_that_the_data_gave() -> None:
    evidence = _evidence(SOLVER + _UNKNOWN + _PRINTED % "8 (8)" + losses([2.3, 2.1]))
    run = evidence.runs[0]
    assert run.shapes == {"data": [(8, 4), (8,)]}
    built = evidence.recovered(run).built
    assert built is not None
    assert [built.blobs[name].shape for name in ("data", "label", "fc")] == [(8, 4), (8,), (8, 10)]
    assert _evidence(SOLVER + _UNKNOWN + losses([2.3])).recovered(run).built is not None


def test_shapes_that_are_none() -> None:
    for printed in ("8 -1 (8)", "0 8 (0)", "9" * 5000, "8 x", " ".join("1" * 40), "", "(8)"):
        run = _evidence(SOLVER + _UNKNOWN + _PRINTED % printed + losses([2.3])).runs[0]
        assert run.shapes["data"][0] == (8, 4)
        assert all(0 < size < 1 << 31 for shape in run.shapes["data"] for size in shape)


def test_targets_that_are_far_away() -> None:
    net = NET.replace("SoftmaxWithLoss", "EuclideanLoss").replace("shape { dim: 8 }", "shape { dim: 8 dim: 10 }")
    evidence = _evidence(SOLVER + net + losses([5e10, 4e10]))
    found = evidence.beginning(evidence.runs[0]).far_targets()
    assert found is not None
    assert (found.layer, found.value, found.targets) == ("loss", 5e10, 1e5)
    evidence = _evidence(SOLVER + net + losses([5.0, 4.0]))
    assert evidence.beginning(evidence.runs[0]).far_targets() is None


def test_a_rate_that_the_numbers_blame() -> None:
    hot = _evidence(SOLVER.replace("base_lr: 0.1", "base_lr: 500") + NET + losses([2.3, "nan"], rate=500))
    judgement = hot.beginning(hot.runs[0]).judgement
    assert judgement is not None
    assert (judgement.kind, judgement.layer.name) == ("hot", "fc")
    calm = _evidence(SOLVER.replace("base_lr: 0.1", "base_lr: 0.001") + NET + losses([2.3, 2.2], rate=0.001))
    assert calm.beginning(calm.runs[0]).is_calm
