"""What is said of texts that the schema does not fit."""

from __future__ import annotations

import pytest

from caffelint.schema import NetParameter, SolverParameter
from caffelint.schema.bind import bind
from caffelint.text.edits import apply_edits
from caffelint.text.parser import parse
from caffelint.text.tree import Problem


def problems(text: str, dialect: str | None = "bvlc", *, solver: bool = False) -> list[Problem]:
    document = parse(text.encode())
    bound = bind(document, SolverParameter() if solver else NetParameter(), dialect)
    return document.problems + bound.problems


LAYERS = [
    (
        "pooling_param { kernal_size: 2 }",
        "unknown-field",
        "pooling_param has no field kernal_size, so Caffe refuses the file; did you mean kernel_size?",
    ),
    ("Name: 'a'", "unknown-field", "layer has no field Name, so Caffe refuses the file; did you mean name?"),
    ("botom: 'a'", "unknown-field", "layer has no field botom, so Caffe refuses the file; did you mean bottom?"),
    (
        "glu_param { }",
        "unknown-field",
        "layer has no field glu_param in BVLC's Caffe, which refuses the file; remove it",
    ),
    (
        "top_shape: 1",
        "unknown-field",
        "layer has no field top_shape in BVLC's Caffe, which refuses the file; remove it",
    ),
    (
        'type: "Data" batch_size: 4',
        "unknown-field",
        "layer has no field batch_size, so Caffe refuses the file; move it to a data_param block",
    ),
    (
        "data_param { } batch_size: 4",
        "unknown-field",
        "layer has no field batch_size, so Caffe refuses the file; move it to the data_param block",
    ),
    (
        "force_backward: true",
        "unknown-field",
        "layer has no field force_backward, so Caffe refuses the file; move it to the net itself, outside this layer",
    ),
    (
        "relu_param { debug_info: true }",
        "unknown-field",
        "relu_param has no field debug_info, so Caffe refuses the file; move it to the net itself, outside this block",
    ),
    (
        "lr_mult: 1",
        "unknown-field",
        "layer has no field lr_mult, so Caffe refuses the file; write param { lr_mult: 1 }",
    ),
    (
        "lrn_param { norm_region: 7 }",
        "wrong-value-type",
        "norm_region takes one of ACROSS_CHANNELS, WITHIN_CHANNEL (without quotes), not 7",
    ),
    ("name: 3", "wrong-value-type", "name takes a string in quotes, not 3"),
    ("loss_weight: '1'", "wrong-value-type", "loss_weight takes a number, not the quoted string '1'"),
    ("loss_weight: 0x1", "wrong-value-type", "loss_weight takes a decimal number, but 0x1 is octal or hexadecimal"),
    ("propagate_down: yes", "wrong-value-type", "propagate_down takes true or false, not yes"),
    (
        "convolution_param { num_output: -3 }",
        "wrong-value-type",
        "num_output -3 is out of range; it takes a whole number from 0 to 4294967295",
    ),
    (
        "convolution_param { num_output: " + "9" * 5000 + " }",
        "wrong-value-type",
        f"num_output {'9' * 37}... is out of range; it takes a whole number from 0 to 4294967295",
    ),
    (
        "convolution_param { num_output: 1.5 }",
        "wrong-value-type",
        "num_output takes a whole number, 0 or more, not 1.5",
    ),
    (
        "phase: 'TEST'",
        "wrong-value-type",
        "phase takes one of TRAIN, TEST (without quotes), not the quoted string 'TEST'",
    ),
    ("phase: Test", "unknown-enum-value", "phase has no value Test, so Caffe refuses the file; did you mean TEST?"),
    ("relu_param: 1", "wrong-value-type", "relu_param is a block; write relu_param { ... }, not 1"),
    ("name: ['a']", "wrong-value-type", "name takes one value, not a list"),
    (
        "clip_param { min: 1 }",
        "missing-required-field",
        "clip_param lacks max, which is required, so Caffe refuses the file; add it",
    ),
    ("name: 'a' name: 'b'", "repeated-scalar", "name is set twice in layer (first on line 1); keep one"),
    (
        "convolution_param { num_output: 012 }",
        "octal-number",
        "num_output: 012 is octal and means 10; write 10, or 12 if you meant that",
    ),
    ("name: a/b", "syntax-error", "a/b is a string without quotes; put it in quotes"),
    (
        "convolution_param { num_output: 3x3 }",
        "syntax-error",
        "num_output takes a whole number, 0 or more, not 3x3",
    ),
    (
        "pooling_param { pool: 'MAX }",
        "syntax-error",
        "pool takes one of MAX, AVE, STOCHASTIC (without quotes), not 'MAX",
    ),
    ("dim: 1,28,28", "unknown-field", "layer has no field dim in BVLC's Caffe, which refuses the file; remove it"),
    ("top: 'a', 'b'", "syntax-error", "top takes one value at a time; write several as top: ['a', 'b']"),
    ("name: 'a', 'b'", "syntax-error", "name takes one value, not several"),
    ("convolution_param { kernel_size [3] }", "syntax-error", '":" is missing between kernel_size and its value'),
    ("convolution_param { kernel_size [] }", "syntax-error", '":" is missing between kernel_size and its value'),
    ("foo 3", "syntax-error", '":" is missing between foo and its value'),
]


@pytest.mark.parametrize(("inner", "kind", "message"), LAYERS, ids=[inner[:40] for inner, _, _ in LAYERS])
def test_one_mistake_in_a_layer(inner: str, kind: str, message: str) -> None:
    found = problems(f"layer {{ {inner} }}")
    assert [(problem.kind, problem.message) for problem in found] == [(kind, message)]


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("base_lr: '0.1'", "base_lr: 0.1"),
        ("max_iter: 1e4", "max_iter: 10000"),
        ("lr_policy: fixed", 'lr_policy: "fixed"'),
        ("solver_mode: 'gpu'", "solver_mode: GPU"),
        ("debug_info: no", "debug_info: false"),
        ("test_iter 3", "test_iter: 3"),
        ("learning_rate: 1", "base_lr: 1"),
        ("stepsise: 3", "stepsize: 3"),
    ],
)
def test_repairs_make_the_text_right(text: str, mended: str) -> None:
    (problem,) = problems(text, solver=True)
    edited = apply_edits(text.encode(), problem.repairs).decode()
    assert edited == mended
    assert problems(edited, solver=True) == []


@pytest.mark.parametrize(("text", "certain"), [("strid: 1", True), ("my_own: 1", False), ("batch_size: 1", False)])
def test_unknown_names_are_certain_where_a_near_one_is_known(text: str, certain: bool) -> None:
    (problem,) = problems(f"layer {{ pooling_param {{ {text} }} }}", None)
    assert problem.kind == "unknown-field"
    assert problem.certain is certain


@pytest.mark.parametrize(
    ("beside", "certain"), [("", [False]), ("pad_: 1", [True, True]), ("pad_: 1 my_own: 1", [True, False, False])]
)
def test_a_field_in_the_wrong_block_is_certain_beside_a_slip(beside: str, certain: list[bool]) -> None:
    """A Caffe that knows the field there is no likelier than one that takes the slip; not beside a field of a fork."""
    text = f'layer {{ type: "Convolution" convolution_param {{ num_output: 1 {beside} }} bias_filler {{ value: 1 }} }}'
    assert [problem.certain for problem in problems(text, None)] == certain


@pytest.mark.parametrize(
    ("block", "meant"),
    [
        ("weight_filler { num_output: 9 kernel_size: 3 }", "convolution_param"),
        ("own { num_output: 9 weight_filler { value: 1 } }", "convolution_param"),
        ("own { num_output: 9 min: 1 }", ""),
        ("own { num_output: 9 } convolution_param { pad: 1 }", ""),
        ("own { }", ""),
    ],
)
def test_a_block_is_meant_to_be_the_one_that_has_what_it_holds(block: str, meant: str) -> None:
    message = problems(f'layer {{ type: "Convolution" {block} }}', None)[0].message
    assert message.partition("; what it holds belongs in ")[2].partition(",")[0] == meant


def test_the_same_unknown_name_is_reported_once() -> None:
    text = "layer { pooling_param { kernel: 2 } } " * 3
    (problem,) = problems(text)
    assert problem.message.endswith("did you mean kernel_size? (3 times)")
    edited = apply_edits(text.encode(), problem.repairs)
    assert problems(edited.decode()) == []


def test_evidence_is_what_caffe_says() -> None:
    (problem,) = problems("layer { pooling_param { kernel: 3 } }")
    assert problem.evidence == 'Caffe says: Message type "caffe.PoolingParameter" has no field named "kernel"'


def test_a_type_of_the_other_format() -> None:
    (old,) = problems('layers { type: "Pooling" blobs_lr: 1 }')
    (new,) = problems("layer { type: POOLING }")
    assert (old.kind, old.repairs[0].text) == ("mixed-layer-formats", "POOLING")
    assert (new.kind, new.repairs[0].text) == ("mixed-layer-formats", '"Pooling"')


def test_wider_integers_of_a_fork() -> None:
    assert [p.kind for p in problems("max_iter: 3000000000", "bvlc", solver=True)] == ["wrong-value-type"]
    assert [p.kind for p in problems("max_iter: 3000000000", None, solver=True)] == ["wrong-value-type"]
    assert problems("max_iter: 3000000000", "opencl", solver=True) == []


def test_forks_that_no_single_one_unites_are_named_apart() -> None:
    found = problems("layer { prior_box_param { } region_loss_param { } bn_param { bn_mode: LEARN } }", None)
    messages = [problem.message for problem in found if problem.kind == "fork-field"]
    assert len(messages) >= 2
    assert all(message.startswith("BVLC's Caffe refuses ") for message in messages)


def test_a_type_of_the_older_format_in_quotes() -> None:
    found = problems('layers { type: "RELU" } layers { type: "POOLING" }')
    assert [(problem.kind, problem.repairs[0].text) for problem in found] == [
        ("wrong-value-type", "RELU"),
        ("wrong-value-type", "POOLING"),
    ]
    (mixed,) = problems('layer { type: "ReLU" } layer { type: "ReLU" } layers { type: "SOFTMAX" }')[-1:]
    assert mixed.evidence == 'Caffe says: Expected integer or identifier, got: "SOFTMAX"'
    assert [edit.text for edit in mixed.repairs] == ["layer", '"Softmax"']


@pytest.mark.parametrize("written", ["SOFTMAXWITHLOSS", "SoftmaxWithLoss", "SOFTMAX_WITHLOSS"])
def test_the_enum_of_a_type_is_found_by_its_newer_name(written: str) -> None:
    for dialect in (None, "bvlc"):
        (problem,) = problems(f'layers {{ name: "a" type: {written} }}', dialect)
        assert problem.message == f"type has no value {written}, so Caffe refuses the file; did you mean SOFTMAX_LOSS?"
        assert problem.certain


@pytest.mark.parametrize(
    ("text", "message", "right"),
    [
        ("max_iter: 1,000", "1,000 has a thousands separator, which prototxt does not allow; write 1000", "1000"),
        ("max_iter: 45,500", "45,500 has a thousands separator, which prototxt does not allow; write 45500", "45500"),
        ("base_lr: 0,01", "0,01 has a decimal comma; write 0.01", "0.01"),
        (
            "device_id: 0,1",
            "device_id takes one value, not several; give several GPUs on the command line: caffe train --gpu 0,1",
            None,
        ),
        (
            "stepvalue: 10,500",
            "stepvalue takes one value at a time; write several as stepvalue: [10, 500]",
            "[10, 500]",
        ),
    ],
)
def test_a_comma_in_a_number(text: str, message: str, right: str | None) -> None:
    document = parse(text.encode())
    bound = bind(document, SolverParameter(), "bvlc")
    (problem,) = document.problems + bound.problems
    assert problem.message == message
    assert [edit.text for edit in problem.repairs] == [right] * (right is not None)
    name = text.partition(":")[0]
    assert name == "stepvalue" or not bound.message.HasField(name), "no other value stands for the one that was meant"


def test_what_a_dialect_lacks_is_reported_once_with_the_dialects_that_have_it() -> None:
    text = "layer { convolution_param { kernel_depth: 3 } } " * 3
    (problem,) = [problem for problem in problems(text, "enet") if problem.kind == "fork-field"]
    assert problem.message.startswith("dialect enet lacks kernel_depth and refuses the file; it is in dialect ")
    assert problem.message.endswith(" (3 times)")
    assert "BVLC" not in problem.message


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("layer { multinode { } }", "Intel Caffe (intel/caffe) has it"),
        ("layer { bn_param { bn_mode: LEARN } upsample_param { } }", "have them"),
    ],
)
def test_the_verb_goes_by_the_number_of_forks_that_are_named(text: str, verb: str) -> None:
    (problem,) = problems(text, None)
    assert problem.message.endswith(verb)


def test_a_partial_schema_has_the_fields_of_bvlc() -> None:
    text = "layer { pooling_param { round_mode: FLOOR } swish_param { beta: 1 } }"
    assert problems(text, "ocnn") == []
    assert {problem.kind for problem in problems(text, "fastrcnn")} == {"fork-field"}


def test_a_template_without_sigils_is_reported_once_a_name() -> None:
    layer = "layer { convolution_param { num_output: %s } } "
    found = problems("".join(layer % name for name in ("cls3x", "4", "cls3x", "cls6x")))
    looks = "which looks like a placeholder that a template or script should have filled in"
    assert [(problem.kind, problem.message, problem.certain) for problem in found] == [
        (
            "unfilled-template",
            f"num_output takes a whole number, 0 or more, not cls3x, {looks} (2 times)",
            True,
        ),
        ("unfilled-template", f"num_output takes a whole number, 0 or more, not cls6x, {looks}", True),
    ]
    assert [problem.kind for problem in problems(layer % "ten")] == ["wrong-value-type"]
    assert {problem.kind for problem in problems((layer % "SAME") * 2)} == {"wrong-value-type"}


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        (
            'layer { type: "ReLU" } layer { type: "ReLU" } layers { type: "Softmax" }',
            'layer { type: "ReLU" } layer { type: "ReLU" } layer { type: "Softmax" }',
        ),
        (
            'layer { type: "ReLU" } layer { type: "ReLU" } layers { type: SOFTMAX }',
            'layer { type: "ReLU" } layer { type: "ReLU" } layer { type: "Softmax" }',
        ),
        (
            'layers { type: "ReLU" } layers { type: "Pooling" } layers { type: SOFTMAX }',
            'layer { type: "ReLU" } layer { type: "Pooling" } layer { type: "Softmax" }',
        ),
        (
            'layers { type: RELU } layers { type: POOLING } layers { type: "Softmax" }',
            "layers { type: RELU } layers { type: POOLING } layers { type: SOFTMAX }",
        ),
    ],
)
def test_layers_are_written_as_most_of_the_net_is(text: str, mended: str) -> None:
    (problem,) = problems(text)
    assert (problem.kind, problem.repair_is_safe) == ("mixed-layer-formats", True)
    assert apply_edits(text.encode(), problem.repairs).decode() == mended
    assert problems(mended) == []


@pytest.mark.parametrize(
    "text", ["layer { } layer { } layers { blobs_lr: 1 type: RELU }", "layer { } layer { } layers [{ type: RELU }]"]
)
def test_layers_with_what_a_layer_lacks_are_left_to_the_upgrade(text: str) -> None:
    assert not any(problem.repairs for problem in problems(text))


def test_fields_on_one_line_are_moved_one_after_the_other() -> None:
    text = "input_shape { }\ndim: 1\ndim: 2 dim: 3\n"
    (problem,) = problems(text)
    assert problem.message.endswith("(3 times)")
    edited = apply_edits(text.encode(), problem.repairs).decode()
    assert edited == "input_shape { dim: 1 }\ndim: 2 dim: 3\n"


@pytest.mark.parametrize("text", ['pooling_param { pool: "MAX }', 'pooling_param { pool: MAX" }'])
def test_a_quote_too_many_is_taken_away_where_none_is_wanted(text: str) -> None:
    (problem,) = problems(f"layer {{ {text} }}")
    assert problem.repairs[0].text == "MAX"


def test_what_a_fork_may_repeat_is_not_removed_safely() -> None:
    (problem,) = problems("layer { pooling_param { kernel_size: 2 kernel_size: 2 } }", None)
    assert (problem.kind, problem.certain, problem.repair_is_safe) == ("repeated-scalar", False, False)
    assert problem.repairs


def test_a_list_of_gpus_is_for_the_command_line() -> None:
    (problem,) = problems("device_id: [0, 2]", solver=True)
    assert problem.message.endswith("not a list; give several GPUs on the command line: caffe train --gpu 0,2")
    (doubtful,) = problems("device_id: [0, 2]", None, solver=True)
    assert (doubtful.certain, doubtful.own) == (False, True)


def test_a_param_block_in_layers_is_told_in_the_words_of_these() -> None:
    net = "layers { type: CONVOLUTION param { %s } }"
    told = "param is a block in layer alone, not in layers; write "
    assert [one.message for one in problems(net % "lr_mult: 0 decay_mult: 2")] == [told + "blobs_lr: 0 weight_decay: 2"]
    assert [one.message for one in problems(net % "name: 'w'")] == [told + "param: 'w'"]
    assert [one.message for one in problems(net % "")] == [told + "blobs_lr: 1"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("iter_step: 4", "iter_size"),
        ("snapshot_interval: 100", "snapshot"),
        ("iter_step: 4 iter_size: 2", ""),
        ('iter_step: "often"', ""),
        ("iter_step: 4 my_own_setting: 3", ""),
        ("test_batch: 4", ""),
    ],
    ids=["last word", "word more", "set too", "other value", "of a fork", "several"],
)
def test_a_field_that_is_a_word_off(text: str, meant: str) -> None:
    first = next(one for one in problems(f"base_lr: 0.1 {text}", None, solver=True) if one.kind == "unknown-field")
    told = first.message.endswith(f"did you mean {meant}?") and not first.own
    assert told == bool(meant)
