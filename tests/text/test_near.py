"""Names that are alike are found as difflib finds them, and no more of them are compared than anybody writes."""

from __future__ import annotations

import random
from difflib import SequenceMatcher, get_close_matches

import pytest

from caffelint.text.near import Compared, near


@pytest.mark.parametrize("cutoff", [0.6, 0.75, 0.9])
def test_the_same_as_of_difflib(cutoff: float) -> None:
    rng = random.Random(1)
    names = ["".join(rng.choices("abcd_12", k=rng.randrange(3, 9))) for _ in range(300)]
    for wrong in names[:30]:
        for most in (1, 3):
            assert near(wrong + "a", names, most, cutoff) == get_close_matches(wrong + "a", names, most, cutoff)


def test_long_names_are_compared_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    real = SequenceMatcher.ratio

    def counted(self: SequenceMatcher[str]) -> float:
        compared.append(str(self.a))
        return real(self)

    monkeypatch.setattr(SequenceMatcher, "ratio", counted)
    names = ["ab" * 95 + f"{number:08b}" for number in range(200)]
    wrong = "ba" * 98
    assert not near(wrong, names)
    assert len(compared) < 30
    within = Compared()
    for _ in range(100):
        near(wrong, names[:10], within=within)
    assert len(compared) < 60
    assert near("conv1", ["conv2", "fc"], within=within) == []
    assert near("conv1", ["conv2", "fc"], within=Compared()) == ["conv2"]


def test_many_names_of_a_net_are_compared() -> None:
    names = [f"conv{number}_branch_bn" for number in range(1000)]
    assert near("conv77_brnch_bn", names) == ["conv77_branch_bn"]
