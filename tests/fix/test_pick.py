"""Which fixes are made together: those that do not touch, each whole, in one order."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffelint.fix.pick import Offer, apply, pick
from caffelint.lint.report import ReportedFinding
from caffelint.text.edits import Edit

TEXTS = {"a": b"0123456789abcdef", "b": b"0123"}


def offer(name: str, *edits: Edit, **more: tuple[Edit, ...]) -> Offer:
    finding = ReportedFinding(name, name, "error", "certain", name, "", "a", 1, 1, 1, 1, (), "", "", name, "")
    return Offer(finding, "title", "safe", {"a": edits} | more if edits else more)


def names(*offers: Offer) -> list[str]:
    taken = [taken.finding.name for taken in pick(offers, TEXTS, lambda _: True)]
    for order in itertools.permutations(offers):
        assert [taken.finding.name for taken in pick(order, TEXTS, lambda _: True)] == taken, (
            "the order given is of no matter"
        )
    return taken


def test_all_that_are_apart() -> None:
    assert names(offer("x", Edit(4, 5, "")), offer("y", Edit(0, 2, "b")), offer("z", Edit(7, 7, "c"))) == [
        "y",
        "x",
        "z",
    ]


@pytest.mark.parametrize("second", [Edit(1, 3, ""), Edit(2, 4, "x"), Edit(2, 4, ""), Edit(2, 2, "x"), Edit(0, 9, "")])
def test_the_first_of_two_that_touch(second: Edit) -> None:
    assert len(names(offer("x", Edit(0, 2, "b")), offer("y", second))) == 1


def test_what_two_share_is_made_once() -> None:
    two = [offer("x", Edit(3, 3, "}"), Edit(0, 1, "b")), offer("y", Edit(3, 3, "}"))]
    assert names(*two) == ["x", "y"]
    assert apply({"a": b"abc"}, two) == {"a": b"bbc}"}


def test_two_insertions_at_one_place_are_made_one_by_one() -> None:
    assert names(offer("x", Edit(3, 3, "2")), offer("y", Edit(3, 3, "1"))) == ["x"]


def test_what_only_takes_away_may_touch() -> None:
    assert names(offer("x", Edit(0, 2, "")), offer("y", Edit(2, 4, "")), offer("z", Edit(3, 5, ""))) == ["x", "y"]
    assert names(offer("x", Edit(0, 2, "")), offer("y", Edit(2, 2, "b"))) == ["x"]


def test_whole_or_not_at_all_in_several_files() -> None:
    wide = offer("y", Edit(5, 6, "b"), b=(Edit(0, 1, ""),))
    assert names(offer("x", Edit(4, 5, "")), wide, offer("z", b=(Edit(0, 2, ""),))) == ["x", "z"]


def test_two_names_never_become_one_whatever_their_quotes() -> None:
    two = [offer("x", Edit(0, 3, "'n'")), offer("y", Edit(4, 7, '"n"'))]
    assert [one.finding.name for one in pick(two, {"a": b"'a' 'b'", "b": b""}, lambda _: True)] == ["x"]


def test_two_names_never_become_one() -> None:
    assert names(offer("x", Edit(0, 1, '"n"')), offer("y", Edit(4, 5, '"n"'))) == ["x"]
    assert names(offer("x", Edit(0, 1, '"n"')), offer("y", Edit(4, 5, '"m"'))) == ["x", "y"]
    twice = {"a": b"aaaa"}
    both = [offer("x", Edit(0, 1, '"n"')), offer("y", Edit(2, 3, '"n"'))]
    assert pick(both, twice, lambda _: True) == both, "one name becomes one other in two places"


def test_nobody_is_asked_about_what_cannot_be_made() -> None:
    asked: list[str] = []

    def agreed(one: Offer) -> bool:
        asked.append(one.finding.name)
        return one.finding.name != "x"

    taken = pick([offer("x", Edit(0, 2, "")), offer("y", Edit(1, 3, "")), offer("z", Edit(2, 4, ""))], TEXTS, agreed)
    assert asked == ["x", "y"], "z touches y, which was taken in place of x"
    assert [one.finding.name for one in taken] == ["y"]


edits = st.tuples(st.integers(0, 12), st.integers(0, 3), st.sampled_from(["", "x", "yy"])).map(
    lambda row: Edit(row[0], row[0] + row[1], row[2])
)


@given(st.lists(st.lists(edits, min_size=1, max_size=2, unique=True), max_size=5))
def test_what_is_taken_never_overlaps(wanted: list[list[Edit]]) -> None:
    sound = [own for own in wanted if len(own) == 1 or min(own).end < max(own).start]
    taken = pick([offer(f"r{i}", *own) for i, own in enumerate(sound)], TEXTS, lambda _: True)
    made = sorted({edit for one in taken for edit in one.edits["a"]})
    for first, second in itertools.pairwise(made):
        assert first.end < second.start or (first.end == second.start and not first.text + second.text)
    apply({"a": b"0123456789abcdef"}, taken)
