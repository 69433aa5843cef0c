"""JSON that is written piece by piece."""

from caffelint.text.visible import json_pieces, json_text

NESTED = {
    "findings": [{"file": "a\n##b", "edits": [], "places": [1, [2, {}]]}, {}],
    "none": [],
    "deep": {"more": [[{"x": None}], ["\u2028 ## ##"]], "empty": {}},
    "version": 1,
}


def test_the_pieces_are_those_of_the_whole_text() -> None:
    lazy = {
        **NESTED,
        "findings": iter(NESTED["findings"]),
        "none": iter([]),
        "deep": {"more": map(iter, NESTED["deep"]["more"]), "empty": {}},
    }
    pieces = list(json_pieces(lazy))
    assert "".join(pieces) == json_text(NESTED)
    assert max(map(len, pieces)) < len(json_text(NESTED)) / 2


def test_a_value_without_iterators_is_one_piece() -> None:
    assert list(json_pieces(NESTED)) == [json_text(NESTED)]
