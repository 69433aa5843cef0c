"""Edits that rules make: what is written, removed and renamed, in the layout of what stands around."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from caffelint.lint import Edits, Layer, Solver, join, quoted, remove, rename_blob, rename_blobs, write
from caffelint.lint.file import load
from caffelint.text.edits import apply_edits

XAVIER = [("type", '"xavier"')]


def layers(text: bytes) -> list[Layer]:
    net = load(text, kind="net").net
    assert net is not None
    return net.layers


def solver(text: bytes) -> Solver:
    found = load(text, kind="solver").solver
    assert found is not None
    return found


def applied(text: bytes, edits: Edits) -> bytes:
    assert edits is not None
    return apply_edits(text, [edit for _, edit in edits])


def test_a_block_takes_tabs_and_many_lines() -> None:
    text = b'layer {\n\ttype: "Convolution"\n\tconvolution_param {\n\t\tnum_output: 3 # x\n\t}\n}\n'
    fixed = applied(text, write(layers(text)[0], "convolution_param", "weight_filler", value=XAVIER))
    assert fixed == text.replace(b"# x\n", b'# x\n\t\tweight_filler {\n\t\t\ttype: "xavier"\n\t\t}\n')


def test_a_block_takes_the_line_of_its_neighbours() -> None:
    text = b'layer {\n  type: "X"\n  param { lr_mult: 1 }\n}\n'
    fixed = applied(text, write(layers(text)[0], "batch_norm_param", "eps", value="1e-5"))
    assert fixed == text.replace(b"1 }\n", b"1 }\n  batch_norm_param { eps: 1e-5 }\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"base_lr: 1\r\nmax_iter: 2\r\n", b"base_lr: 1\r\ngamma: 3\r\nmax_iter: 2\r\n"),
        (b"base_lr: 1 # why\nmax_iter: 2\n", b"base_lr: 1 # why\ngamma: 3\nmax_iter: 2\n"),
        (b"base_lr: 1; max_iter: 2", b"base_lr: 1; gamma: 3 max_iter: 2"),
        (b"base_lr: 1;max_iter: 2", b"base_lr: 1; gamma: 3 max_iter: 2"),
        (b"base_lr: 1\rmax_iter: 2", b"base_lr: 1\rgamma: 3\rmax_iter: 2"),
        (b"base_lr: 1", b"base_lr: 1\ngamma: 3"),
        (b"# nothing\n", b"gamma: 3\n# nothing\n"),
    ],
)
def test_a_field_stands_behind_another(before: bytes, after: bytes) -> None:
    assert applied(before, write(solver(before), "gamma", value="3", after="base_lr")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a: 1\n  gamma: 2\nb: 3\n", b"a: 1\nb: 3\n"),
        (b"a: 1\n  gamma: 2 # why\nb: 3\n", b"a: 1\n  # why\nb: 3\n"),
        (b"a: 1 gamma: 2, b: 3\n", b"a: 1 b: 3\n"),
        (b"a: 1 gamma: 2;b: 3\n", b"a: 1 b: 3\n"),
        (b"gamma: 2; b: 3\n", b"b: 3\n"),
        (b"a: 1\r\ngamma: 2", b"a: 1"),
        (b"gamma: 2\n", b""),
    ],
)
def test_a_field_takes_its_line_along(before: bytes, after: bytes) -> None:
    assert applied(before, remove(solver(before), "gamma")) == after


@pytest.mark.parametrize(
    ("index", "after"),
    [(0, b"stepvalue: [2, 3]"), (1, b"stepvalue: [1, 3]"), (2, b"stepvalue: [1, 2]"), (None, b"")],
)
def test_an_item_of_a_list(index: int | None, after: bytes) -> None:
    text = b"stepvalue: [1, 2, 3]"
    path = ("stepvalue",) if index is None else ("stepvalue", index)
    assert applied(text, remove(solver(text), *path)) == after


def test_several_items_and_neighbours_make_no_overlap() -> None:
    text = b"gamma: 2 stepvalue: [1, 2, 3] power: 4\n"
    one = solver(text)
    edits = join([remove(one, "stepvalue", 0), remove(one, "gamma"), remove(one, "power")])
    assert applied(text, edits) == b"stepvalue: [2, 3]\n"


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_what_is_put_in_behind_what_goes_takes_its_place(newline: bytes) -> None:
    text = newline.join([b"layer {", b'  type: "X"', b"  param {", b"    lr_mult: 1", b"  }", b"}", b""])
    (layer,) = layers(text)
    edits = join([remove(layer, "param"), write(layer, "pooling_param", "pad", value="1")])
    put_in = newline.join([b"  pooling_param {", b"    pad: 1", b"  }"])
    assert applied(text, edits) == newline.join([b"layer {", b'  type: "X"', put_in, b"}", b""])
    one = solver(b"base_lr: 1 max_iter: 2")
    edits = join([remove(one, "base_lr"), write(one, "gamma", value="3", after="base_lr")])
    assert applied(b"base_lr: 1 max_iter: 2", edits) == b"gamma: 3 max_iter: 2"


def test_a_block_goes_with_its_last_field_but_not_with_a_comment() -> None:
    text = b'layer { type: "X" pooling_param { pad: 1 } }'
    assert applied(text, remove(layers(text)[0], "pooling_param", "pad")) == b'layer { type: "X" }'
    text = b'layer { type: "X" pooling_param {\n # why\n pad: 1\n } }'
    assert applied(text, remove(layers(text)[0], "pooling_param", "pad")) == text.replace(b" pad: 1\n", b"")
    assert remove(layers(text)[0], "pooling_param") is None
    assert write(layers(text)[0], "pooling_param", value=[("pad", "2")]) is None


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        (b'layers { layer { name: "a" type: "conv" } top: "y" }', lambda layer: write(layer, "name", value='"b"')),
        (b'layer { name: "a" top: "b\xe9" }', lambda layer: write(layer, "name", value=quoted("\u00e9"))),
        (b'layer { name: "a" }', lambda layer: remove(layer, "top")),
        (b'layer { name: "a" }', lambda layer: remove(layer, "pooling_param", "pad")),
        (b'layer { name: "a" }', lambda layer: write(layer, "param", 1, "lr_mult", value="0")),
    ],
)
def test_none_where_it_cannot_be_done(text: bytes, edit: Callable[[Layer], Edits]) -> None:
    assert edit(layers(text)[0]) is None


def test_a_value_keeps_its_quotes_and_its_letters() -> None:
    text = "layer { name: 'a' bottom: \"é\" }".encode()
    fixed = applied(text, write(layers(text)[0], "name", value=quoted("ü")))
    assert fixed == "layer { name: 'ü' bottom: \"é\" }".encode()
    assert applied(text, write(layers(text)[0], "name", value=quoted("it's")))[:22] == b'layer { name: "it\'s" b'


NET = b"""layer { name: "data" type: "Input" top: "data" }
layer { name: "abs" type: "AbsVal" bottom: "data" top: "abs" }
layer { name: "relu" type: "ReLU" bottom: "data" top: "data"%s }
layer { name: "drop" type: "Dropout" bottom: "data" top: "data"%s }
layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "abs" bottom: "data" top: "sum"%s }
layer { name: "again" type: "Input" top: "data" }
layer { name: "log" type: "Log" bottom: "data" top: "log" }
"""


def test_a_blob_is_renamed_where_it_is_read() -> None:
    text = NET % (b"", b"", b"")
    fixed = applied(text, rename_blob(layers(text)[2], "data"))
    assert fixed == text.replace(b'"ReLU" bottom: "data" top: "data"', b'"ReLU" bottom: "data" top: "relu"').replace(
        b'"Dropout" bottom: "data" top: "data"', b'"Dropout" bottom: "relu" top: "relu"'
    ).replace(b'bottom: "data" bottom: "abs" bottom: "data"', b'bottom: "relu" bottom: "abs" bottom: "relu"')


def test_a_blob_of_one_phase_is_renamed_in_that_phase_alone() -> None:
    train, test = b" include { phase: TRAIN }", b" include { phase: TEST }"
    text = NET % (train, train, train)
    fixed = applied(text, rename_blob(layers(text)[2], "data"))
    assert fixed.count(b'"relu"') == 6
    text = NET % (train, test, train)
    fixed = applied(text, rename_blob(layers(text)[2], "data"))
    assert b'"Dropout" bottom: "data" top: "data"' in fixed
    assert fixed.count(b'"relu"') == 4
    # What TEST reads of that name is another blob.
    text = NET % (train, b"", b"")
    assert rename_blob(layers(text)[2], "data") is None
    text = NET % (b' include { stage: "x" }', b"", b"")
    assert rename_blob(layers(text)[2], "data") is None


def test_a_name_that_a_layer_shares_with_its_top_is_numbered() -> None:
    text = b'layer { name: "a" type: "ReLU" bottom: "a" top: "a" } layer { type: "TanH" bottom: "a" top: "b" }'
    fixed = applied(text, rename_blob(layers(text)[0], "a"))
    assert (
        fixed
        == b'layer { name: "a" type: "ReLU" bottom: "a" top: "a_2" } layer { type: "TanH" bottom: "a_2" top: "b" }'
    )


def test_a_new_name_is_the_one_that_is_waited_for() -> None:
    text = (
        b'layer { name: "b" type: "ReLU" bottom: "a" top: "pool3" } layer { type: "TanH" bottom: "pool3_p" top: "b" }'
    )
    fixed = applied(text, rename_blob(layers(text)[0], "pool3"))
    assert fixed == text.replace(b'"pool3"', b'"pool3_p"')


def test_each_of_several_tops_of_one_name_gets_a_number() -> None:
    text = b'layer { name: "s" type: "Split" bottom: "x" top: "y" top: "y" top: "y" } layer { bottom: "y" top: "y_2" }'
    one = layers(text)[0]
    assert applied(text, rename_blob(one, "y", top=1)) == text.replace(b'"y" top: "y" top', b'"y" top: "y_3" top')
    last = text.replace(b'top: "y" }', b'top: "s" }').replace(b'bottom: "y"', b'bottom: "s"')
    assert applied(text, rename_blob(one, "y", top=2)) == applied(text, rename_blob(one, "y")) == last


def test_layers_that_work_in_place_on_one_blob_get_a_name_each() -> None:
    text = "".join(f'layer {{ name: "{name}" bottom: "a" top: "a" }}' for name in "xyyyz") + 'layer { bottom: "a" }'
    every = layers(text.encode())
    fixed = applied(text.encode(), rename_blobs([(every[index], "a") for index in (0, 2, 3)]))
    names = [("a", "x"), ("x", "x"), ("x", "y"), ("y", "a_y"), ("a_y", "a_y")]
    assert [(layer.bottoms[0], layer.tops[0]) for layer in layers(fixed)[:5]] == names
    assert layers(fixed)[5].bottoms == ("a_y",)
    text = text.replace('"z" bottom', '"z" include { phase: TRAIN } bottom').replace('layer { bottom: "a" }', "")
    every = layers(text.encode())
    assert rename_blobs([(every[index], "a") for index in (0, 3)])
    assert rename_blobs([(every[index], "a") for index in (0, 4)]) is None


def test_many_blobs_are_renamed_in_the_time_of_few_each() -> None:
    """In calls, which unlike seconds are the same on every machine."""

    def calls(number: int) -> int:
        text = "".join(f'layer {{ name: "n{i}" type: "ReLU" bottom: "b{i}" top: "b{i}" }}' for i in range(number))
        own = layers(text.encode())
        counted = [0]

        def count(frame: object, event: str, argument: object) -> None:
            counted[0] += event == "call"

        sys.setprofile(count)
        try:
            edits = [rename_blob(layer, f"b{index}") for index, layer in enumerate(own)]
        finally:
            sys.setprofile(None)
        assert all(edits)
        return counted[0]

    assert calls(400) < 3 * calls(200)


def test_a_misspelt_field_is_found_and_left_for_its_name_to_be_mended() -> None:
    found = solver(b"base_lr: 0.1\nGamma: 0.5\n")
    assert found.at("gamma").text == "Gamma: 0.5"
    assert write(found, "gamma", value="1") is None
    assert remove(found, "gamma") is None


def test_removals_that_meet_are_one() -> None:
    text = b'net:"a"\nnet_param{}\ntrain_net_param{}'
    found = solver(text)
    for kept, gone in (("net", ("net_param", "train_net_param")), ("train_net_param", ("net", "net_param"))):
        after = applied(text, join(remove(found, field) for field in gone))
        assert after.startswith(kept.encode()), after
        assert not any(field.encode() + b"{" in after.replace(b"train_net_param{", b"") for field in gone), after
