"""The model of Caffe against the real one, net by net; and what no Caffe can be asked."""

from __future__ import annotations

from collections import Counter
from cProfile import Profile
from pathlib import Path

import pytest
from asking import SIGALRM, ask, disagreement
from cost import soon
from google.protobuf import text_format
from random_nets import Generator, cause, to_text
from seeds import SEED, draws

from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.refusal import Kind
from caffelint.caffe.upgrade import upgrade_net
from caffelint.schema.bound import BVLC
from caffelint.schema.messages import NetParameter

NETS = draws(600, 20_000)


def parse(text: str) -> NetParameter:
    return text_format.Parse(text, NetParameter())


def built(text: str, phase: str = "TRAIN", **options: object) -> BuiltNet:
    return build(parse(text), phase, **options)


def test_random_nets(caffe_python: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generator = Generator(SEED)
    nets = [generator.net() for _ in range(NETS)]
    answers = ask(caffe_python, [{"net": to_text(net), "phase": phase} for net, phase in nets])
    wrong = []
    verdicts: Counter[bool] = Counter()
    causes = set()
    for number, ((net, phase), real) in enumerate(zip(nets, answers, strict=True)):
        if not real["ok"] and (real["signal"] == SIGALRM or "alloc" in real["error"] or "MemoryError" in real["error"]):
            continue
        model = build(upgrade_net(net), phase, dialect="bvlc")
        verdicts[real["ok"]] += 1
        if model.refusals and not real["ok"]:
            first = model.refusals[0]
            causes.add(cause(net.layer[first.index or 0].type, first))
        difference = disagreement(model, real)
        if difference:
            wrong.append(f"net {number} in {phase}: {difference}")
    with capsys.disabled():
        print(f" [seed {SEED}: {verdicts[True]} load, {verdicts[False]} do not, {len(causes)} causes] ", end="")
    assert min(verdicts[True], verdicts[False]) > 0.25 * NETS
    assert len(causes) > 0.08 * NETS
    assert not wrong, f"seed {SEED}:\n" + "\n".join(wrong[:20])


REDUCED = """
layer {{ name: "in" type: "Input" top: "x" input_param {{ shape {{ {dims} }} }} }}
layer {{
  name: "sum" type: "Reduction" bottom: "x" top: "{top}" reduction_param {{ operation: {operation} axis: {axis} }}
}}
"""


def test_what_is_summed_without_elements(caffe_python: Path) -> None:
    nets = [
        REDUCED.format(dims=dims, top=top, operation=operation, axis=axis)
        for dims in ("dim: 0", "dim: 2 dim: 0", "dim: 0 dim: 3", "dim: 2 dim: 0 dim: 3")
        for top in ("x", "y")
        for operation in ("SUM", "MEAN", "ASUM", "SUMSQ")
        for axis in range(dims.count("dim"))
    ]
    answers = ask(caffe_python, [{"net": net, "phase": "TEST"} for net in nets])
    assert {real["ok"] for real in answers} == {True, False}
    for net, real in zip(nets, answers, strict=True):
        assert not disagreement(built(net, "TEST", dialect="bvlc"), real), net


BROKEN = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 8 dim: 8 } } }
layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { kernel_size: 2 pad: 2 } }
layer { name: "after" type: "Convolution" bottom: "pool" top: "after" convolution_param { num_output: 4 } }
layer { name: "other" type: "Eltwise" bottom: "data" top: "other" }
layer { name: "lost" type: "ReLU" bottom: "nowhere" top: "lost" }
layer { name: "same" type: "ReLU" bottom: "data" top: "other" }
layer { name: "wide" type: "InnerProduct" bottom: "pool" top: "wide" inner_product_param { num_output: 10 axis: 9 } }
"""


def test_goes_on_past_the_first_refusal() -> None:
    net = built(BROKEN)
    assert net.loads is False
    assert [(refusal.layer, refusal.field) for refusal in net.refusals] == [
        ("lost", ("bottom", 0)),
        ("pool", ("pooling_param", "pad")),
        ("after", ()),
        ("other", ("bottom", 0)),
        ("same", ("top", 0)),
    ]
    assert net.refusals[2].message == "kernel_size is missing; set it"
    assert [refusal.follows for refusal in net.refusals] == [False, True, True, True, True]


UNKNOWN = """
layer { name: "data" type: "Data" top: "data" top: "label" data_param { batch_size: 4 } }
layer { name: "odd" type: "FromSomeFork" bottom: "data" top: "odd" }
layer { name: "fc" type: "InnerProduct" bottom: "odd" top: "fc" inner_product_param { num_output: 10 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


def test_what_depends_on_the_unknown_is_unknown() -> None:
    net = built(UNKNOWN)
    assert (net.loads, net.memory, net.refusals) == (None, None, [])
    shapes = {name: blob.shape for name, blob in net.blobs.items()}
    assert shapes == {"data": None, "label": (4,), "odd": None, "fc": None, "loss": ()}
    assert [layer.params is None for layer in net.layers] == [False, True, True, False]


def test_input_shapes_are_taken() -> None:
    net = built(UNKNOWN, input_shapes={"data": (4, 3, 8, 8)})
    assert net.blobs["data"].shape == (4, 3, 8, 8)
    assert net.loads is None


def test_what_forks_may_take_is_refused_by_bvlc_alone() -> None:
    refusals = built(UNKNOWN, dialect="bvlc").refusals
    assert [refusal.field for refusal in refusals] == [("data_param", "source"), ("type",)]


def test_versions_of_a_blob() -> None:
    net = built(
        """
        layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 } } }
        layer { name: "relu" type: "ReLU" bottom: "x" top: "x" }
        layer { name: "drop" type: "Dropout" bottom: "x" top: "x" }
        """
    )
    made, rectified, dropped = net.layers[0].tops[0], net.layers[1].tops[0], net.layers[2].tops[0]
    assert [blob.version for blob in (made, rectified, dropped)] == [0, 1, 2]
    assert rectified.previous is made
    assert dropped.previous is rectified
    assert net.blobs["x"] is dropped
    assert made.consumers == [(net.layers[1], 0)]
    assert [layer.runs_in_place for layer in net.layers] == [False, True, True]


def chain(layers: int) -> NetParameter:
    net = NetParameter()
    first = net.layer.add(name="in", type="Input", top=["b0"])
    first.input_param.shape.add().dim.extend([1, 4, 8, 8])
    for number in range(layers):
        kind = ("Convolution", "BatchNorm", "Scale", "ReLU")[number % 4]
        layer = net.layer.add(name=f"l{number}", type=kind, bottom=[f"b{number}"], top=[f"b{number + 1}"])
        if kind == "Convolution":
            layer.convolution_param.num_output = 4
            layer.convolution_param.kernel_size.append(1)
    return net


def test_work_is_linear_in_layers() -> None:
    def calls(layers: int) -> int:
        net = chain(layers)
        profile = Profile()
        assert profile.runcall(build, net, "TRAIN").loads is True
        return sum(row.callcount for row in profile.getstats())

    calls(10)  # what is looked up once
    assert calls(4_000) < 4.2 * calls(1_000)


HUGE = [
    "dim: 1000000000000000000",
    "dim: 2147483647 dim: 2147483647",
    "dim: 0 dim: 3 dim: 4 dim: 4",
    "dim: -5 dim: 3",
    "dim: 9223372036854775807 dim: 1 dim: 1 dim: 1",
]
LAYERS = [
    'type: "Convolution" convolution_param { num_output: 4294967295 kernel_size: 4294967295 stride: 4294967295 }',
    'type: "Convolution" convolution_param { num_output: 1000000000 kernel_size: 1 group: 0 }',
    'type: "Convolution" convolution_param { num_output: 1 kernel_size: 1 stride_h: 2 }',
    'type: "InnerProduct" inner_product_param { num_output: 1000000000 axis: -2147483648 }',
    'type: "Pooling" pooling_param { kernel_size: 4294967295 stride: 0 pad: 4294967294 }',
    'type: "SPP" spp_param { pyramid_height: 4294967295 }',
    'type: "Tile" tile_param { tiles: 2147483647 }',
    'type: "Reshape" reshape_param { shape { dim: -1 dim: 0 dim: -9 } axis: -7 num_axes: 9 }',
    'type: "Slice" slice_param { slice_point: 4294967295 }',
    'type: "ArgMax" argmax_param { top_k: 4294967295 axis: 0 }',
    'type: "LRN" lrn_param { local_size: 4294967295 }',
    'type: "Embed" embed_param { num_output: 2147483647 input_dim: 2147483647 }',
]


@pytest.mark.parametrize("dims", HUGE)
@pytest.mark.parametrize("layer", LAYERS)
def test_huge_numbers_cost_nothing(dims: str, layer: str) -> None:
    text = f"""
        layer {{ name: "in" type: "Input" top: "x" input_param {{ shape {{ {dims} }} }} }}
        layer {{ name: "l" bottom: "x" top: "y" {layer} }}
        """
    for dialect in (None, "bvlc"):
        with soon():
            built(text, dialect=dialect)


def test_two_thousand_bottoms_of_a_long_name() -> None:
    net = NetParameter()
    name = "n" * 1_000_000
    net.layer.add(name="in", type="Input", top=[name]).input_param.shape.add().dim.extend([1, 1])
    net.layer.add(name="cat", type="Concat", bottom=[name] * 50, top=["y"])
    assert build(net, "TRAIN").blobs["y"].shape == (1, 50)
    del net.layer[:]
    net.layer.add(name="in", type="Input", top=["x"]).input_param.shape.add().dim.extend([1, 1])
    net.layer.add(name="cat", type="Concat", bottom=["x"] * 2_000, top=["y"])
    assert build(net, "TRAIN").blobs["y"].shape == (1, 2_000)


def test_a_cycle_is_refused() -> None:
    net = built(
        """
        layer { name: "a" type: "ReLU" bottom: "y" top: "x" }
        layer { name: "b" type: "ReLU" bottom: "x" top: "y" }
        """
    )
    assert [(refusal.layer, refusal.message) for refusal in net.refusals] == [
        ("a", 'bottom "y" is not made by any layer above, since layer "b", which makes it, comes later')
    ]


def test_pyramid_heights_beyond_int(caffe_python: Path) -> None:
    text = """
        layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 1 dim: 3 dim: 3 } } }
        layer { name: "spp" type: "SPP" bottom: "x" top: "y" spp_param { pyramid_height: %d } }
        """
    heights = (2, 0, 4, 2147483648, 4294967295)
    answers = ask(caffe_python, [{"net": text % height, "phase": "TRAIN"} for height in heights])
    for height, real in zip(heights, answers, strict=True):
        assert real["ok"] is (height == 2)
        assert disagreement(built(text % height, dialect="bvlc"), real) is None, height


def test_a_reader_in_place_is_not_the_maker_of_its_blob() -> None:
    alone = 'layer { name: "x" type: "ReLU" bottom: "a" top: "a" }'
    assert [one.message for one in built(alone).refusals] == ['bottom "a" is not made by any layer above']
    below = built(f'{alone} layer {{ name: "in" type: "Input" top: "a" input_param {{ shape {{ dim: 1 }} }} }}')
    assert below.refusals[0].values["maker"] == "in"


def test_every_name_of_bvlc_builds_as_bvlc() -> None:
    unknown = 'layer { name: "x" type: "NoSuchType" top: "a" }'
    for dialect in BVLC:
        assert [one.kind for one in built(unknown, dialect=dialect).refusals] == [Kind.UNKNOWN_TYPE]


def test_each_phase_keeps_its_own_batch() -> None:
    data = 'layer {{ name: "data" type: "ImageData" top: "data" top: "label" include {{ phase: {} }}'
    data += ' image_data_param {{ source: "{}" batch_size: {} }} }}'
    text = "".join(data.format(*one) for one in (("TRAIN", "a", 20), ("TEST", "b", 24)))
    shapes = {"data": (20, 1, 8, 8), "label": (20,)}
    for phase, batch in (("TRAIN", 20), ("TEST", 24)):
        net = build(text_format.Parse(text, NetParameter()), phase, input_shapes=shapes)
        assert {name: blob.shape for name, blob in net.blobs.items()} == {"data": (batch, 1, 8, 8), "label": (batch,)}
