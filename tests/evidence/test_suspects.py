"""What may be to blame, by the texts and the numbers of a log."""

from __future__ import annotations

import pytest

from caffelint.evidence.log.evidence import LogEvidence
from caffelint.evidence.log.reader import Reader
from caffelint.evidence.log.suspects import ranking
from caffelint.evidence.log.suspects.of_net import of_net
from caffelint.evidence.log.suspects.suspect import BREAKS, FIRST, FLAT, SUDDEN
from caffelint.lint.registry import all_rules
from caffelint.rules.log import _suspects
from caffelint.rules.log._example import NET, SOLVER, losses

_SOUND = [2.3, 2.1, 1.9, 1.7, 1.5, 1.3, 1.2, 1.1]
_STUCK = [2.3026] * 30


def _kinds(log: str, *effects: str) -> list[str]:
    reader = Reader("train.log")
    reader.feed(log.encode())
    evidence = LogEvidence(reader.end())
    return [one.kind for one in evidence.suspects(evidence.runs[0], effects)]


@pytest.mark.parametrize(
    ("was", "put", "numbers", "effect", "kind"),
    [
        ("base_lr: 0.1", "base_lr: 500", [2.3, "nan"], BREAKS, "rate"),
        ("momentum: 0.9", "momentum: 0.999", [2.3, 9.0, 40.0, "nan"], BREAKS, "momentum"),
        ("momentum: 0.9", "momentum: 0.9\nclip_gradients: 1e-05", _STUCK, FLAT, "clip-gradients"),
        ("momentum: 0.9", 'momentum: 0.9\nweight_decay: 0.5\nregularization_type: "L1"', _STUCK, FLAT, "l1"),
        ("momentum: 0.9", "momentum: 0.9\nweight_decay: 5", _STUCK, FLAT, "decay"),
        ("base_lr: 0.1", "base_lr: 1e-09", _STUCK, FLAT, "slow-rate"),
        ('top: "loss"\n}', 'top: "loss"\n  loss_weight: 1e-06\n}', _STUCK, FLAT, "loss-weight"),
        ('top: "loss"\n}', 'top: "loss"\n  loss_weight: 1000\n}', [2.3, 9.0, 40.0, "nan"], BREAKS, "loss-weight"),
        (
            'top: "loss"\n}',
            'top: "loss"\n  propagate_down: false propagate_down: false\n}',
            _STUCK,
            FLAT,
            "no-gradient",
        ),
        ('type: "xavier"', 'type: "gaussian" std: 1e-07', _STUCK, FLAT, "filler"),
        ('type: "xavier"', 'type: "gaussian" std: 90', [700.0, 1e4, "nan"], BREAKS, "filler"),
        ('  bottom: "data"\n', '  bottom: "data"\n  param { lr_mult: 0 }\n', _STUCK, FLAT, "frozen"),
        ('  bottom: "data"\n', '  bottom: "data"\n  param { lr_mult: 500 }\n', [2.3, 9.0, "nan"], BREAKS, "lr-mult"),
        ('type: "Input"', 'type: "HDF5Data"', ["nan"], FIRST, "records"),
        ('type: "Input"', 'type: "HDF5Data"', [*_SOUND, "nan"], SUDDEN, "records"),
    ],
)
def test_what_is_blamed_first(was: str, put: str, numbers: list[float | str], effect: str, kind: str) -> None:
    text = SOLVER + NET
    assert was in text
    assert _kinds(text.replace(was, put) + losses(numbers), effect)[0] == kind


def test_that_a_common_solver_is_not_blamed() -> None:
    assert not _kinds(SOLVER + NET + losses(_STUCK), FLAT)
    assert not _kinds(SOLVER + NET + losses(_STUCK), BREAKS)


_LAST = 'layer {\n  name: "loss"\n'


@pytest.mark.parametrize("field", ["power: inf", "power: nan", "power: -inf"])
def test_a_power_that_is_not_finite(field: str) -> None:
    layer = f'layer {{ name: "pw" type: "Power" bottom: "data" top: "pw" power_param {{ {field} }} }}\n'
    assert "domain" in _kinds(SOLVER + NET.replace(_LAST, layer + _LAST) + losses(["nan"]), FIRST)


@pytest.mark.parametrize(
    ("was", "put"),
    [
        ("momentum: 0.9", "momentum: -inf"),
        ("momentum: 0.9", "momentum: nan"),
        ('top: "loss"\n}', 'top: "loss"\n  loss_weight: inf\n}'),
        ('top: "loss"\n}', 'top: "loss"\n  loss_weight: nan\n}'),
        ('  bottom: "data"\n', '  bottom: "data"\n  param { lr_mult: nan }\n'),
    ],
)
def test_numbers_that_are_not_finite_break_nothing(was: str, put: str) -> None:
    assert was in SOLVER + NET
    _kinds((SOLVER + NET).replace(was, put) + losses([0, -1.0, -2.0, -3.0, "nan"]), *ranking.EFFECTS)


def test_the_first_loss_weight_that_is_not_0_counts() -> None:
    layer = 'layer { name: "sl" type: "Slice" bottom: "data" top: "a" top: "b" loss_weight: 0 loss_weight: 1000 }\n'
    text = SOLVER + NET.replace(_LAST, layer + _LAST)
    assert _kinds(text + losses([2.3, 9.0, 40.0, "nan"]), BREAKS)[0] == "loss-weight"


def test_a_layer_that_is_cut_off_is_counted_once() -> None:
    fc = 'layer {{ name: "f{0}" type: "InnerProduct" bottom: "{1}" top: "f{0}" inner_product_param {{ num_output: 2 }}'
    layers = "".join(fc.format(n, f"f{n - 1}" if n else "data") + " propagate_down: false }\n" for n in range(3))
    reader = Reader("train.log")
    reader.feed((SOLVER + NET.replace(_LAST, layers + _LAST) + losses(_STUCK)).encode())
    evidence = LogEvidence(reader.end())
    run = evidence.runs[0]
    found = of_net(run, evidence.recovered(run), evidence.beginning(run))
    cut = [(one.layer, one.more, one.name) for one in found if one.kind == "no-gradient"]
    assert cut == [("f1", 1, "f0"), ("f2", 1, "f1")]


def test_scores_that_are_made_of_dummy_data() -> None:
    data = 'layer { name: "r" type: "HDF5Data" top: "r" top: "y" hdf5_data_param { source: "list" batch_size: 8 } }\n'
    dummy = 'layer {{ name: "d" type: "DummyData" top: "d" {} }}\n'.format(
        "dummy_data_param { shape { dim: 8 dim: 10 } }"
    )
    text = SOLVER + NET.replace(_LAST, data + dummy + _LAST)
    assert "no-data" in _kinds(text.replace('bottom: "fc"\n', 'bottom: "d"\n') + losses(_STUCK), FLAT)
    assert "no-data" not in _kinds(text + losses(_STUCK), FLAT)


def test_that_each_kind_has_words() -> None:
    from caffelint.evidence.log.suspects import suspect

    kinds = {value for name, value in vars(suspect).items() if name.isupper() and isinstance(value, str)}
    effects = {*ranking.EFFECTS, suspect.CHECKED}
    assert kinds - effects == set(_suspects.WORDS) == set(_suspects.KINDS)


def test_that_the_rules_that_it_names_exist() -> None:
    assert set(ranking.RULES) <= {info.name for info in all_rules()}
