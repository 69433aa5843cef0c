"""The net for deployment computes what the training net computes in its TEST phase, on a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from caffelint.fix.deploy import DeployError, compare, deploy
from caffelint.lint.file import load

DATA = """\
name: "N"
# the images
layer {
  name: "data" type: "DummyData" top: "data" top: "label"
  dummy_data_param { shape { dim: 4 dim: 3 dim: 12 dim: 12 } shape { dim: 4 } }
}
"""
CONVOLUTION = """\
layer {  # the first
  name: "conv" type: "Convolution" bottom: "data" top: "conv"
  param { lr_mult: 1 } param { lr_mult: 2 }
  convolution_param { num_output: 6 kernel_size: 3 weight_filler { type: "xavier" } }
}
layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
layer { name: "drop" type: "Dropout" bottom: "conv" top: "conv" include { phase: TRAIN } }
layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip"
  inner_product_param { num_output: 5 weight_filler { type: "xavier" } } }
"""
LOSS = """\
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
layer { name: "accuracy" type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy" include { phase: TEST } }
"""
HEADS = """\
layer { name: "ip2" type: "InnerProduct" bottom: "conv" top: "ip2"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "a" type: "SigmoidCrossEntropyLoss" bottom: "ip2" bottom: "ip2" top: "a" loss_weight: 0.5 }
"""
SLICED = """\
layer { name: "slice" type: "Slice" bottom: "ip" top: "one" top: "two" slice_param { slice_point: 2 } }
layer { name: "quiet" type: "Silence" bottom: "two" }
layer { name: "target" type: "Power" bottom: "label" top: "target" power_param { shift: 1 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "one" bottom: "target" top: "loss" }
"""
NETS = {"plain": CONVOLUTION + LOSS, "heads": CONVOLUTION + LOSS + HEADS, "sliced": CONVOLUTION + SLICED}

ASK = """
import json, sys
import numpy as np
import caffe
for old, new in json.load(sys.stdin):
    caffe.set_random_seed(1)
    train = caffe.Net(old, caffe.TEST)
    for params in train.params.values():
        for param in params:
            param.data[...] = np.random.RandomState(3).rand(*param.data.shape)
    train.save(new + ".caffemodel")
    made = caffe.Net(new, caffe.TEST, weights=new + ".caffemodel")
    image = np.random.RandomState(4).randn(*made.blobs["data"].data.shape).astype("f")
    made.blobs["data"].data[...] = image
    train.blobs["data"].data[...] = np.repeat(image, train.blobs["data"].data.shape[0], 0)
    train.forward(start=[n for n in train._layer_names if n not in ("data",)][0])
    made.forward()
    same = [n for n in made.blobs if n in train.blobs and "_split_" not in n]
    # The library of matrices adds up a batch of another size in another order.
    near = lambda n: bool(np.allclose(made.blobs[n].data[0], train.blobs[n].data[0], rtol=1e-5, atol=1e-5))
    print(json.dumps({n: near(n) for n in same}))
    print(json.dumps(sorted(made.outputs)))
"""


def test_computes_the_same(caffe_python: Path, tmp_path: Path) -> None:
    pairs = []
    for name, text in NETS.items():
        old, new = tmp_path / f"{name}.prototxt", tmp_path / f"{name}_deploy.prototxt"
        old.write_text(DATA + text)
        new.write_bytes(deploy(old.read_bytes(), str(old)).data)
        pairs.append((str(old), str(new)))
    script = tmp_path / "ask.py"
    script.write_text(ASK)
    done = subprocess.run(
        [caffe_python, script], input=json.dumps(pairs), capture_output=True, text=True, timeout=100, check=True
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [sorted(same) for same in lines[::2]] == [
        ["conv", "data", "ip"],
        ["conv", "data", "ip", "ip2"],
        ["conv", "data", "ip", "one", "two"],
    ]
    assert all(all(same.values()) for same in lines[::2])
    assert lines[1::2] == [["prob"], ["ip2_prob", "ip_prob"], ["prob", "two"]]


def test_keeps_comments_and_layout() -> None:
    made = deploy((DATA + CONVOLUTION + LOSS).encode()).data.decode()
    assert made.startswith('name: "N"\n# the images\nlayer {\n  name: "data"\n  type: "Input"\n')
    assert "layer {  # the first\n" in made
    assert "include" not in made
    assert "accuracy" not in made
    assert "Dropout" not in made


def test_says_how_inputs_are_made() -> None:
    data = (
        'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { source: "x" batch_size: 8'
        " new_height: 40 new_width: 50 } transform_param { crop_size: 32 mean_value: 104 mean_value: 117"
        " mean_value: 123 scale: 0.5 mirror: true } }\n"
    )
    made = deploy((data + CONVOLUTION + LOSS).encode())
    (card,) = made.cards
    assert card.as_json() == {
        "input": "data",
        "shape": (1, 3, 32, 32),
        "channel_order": "BGR",
        "resize": (40, 50),
        "crop": 32,
        "mean_values": (104.0, 117.0, 123.0),
        "mean_file": "",
        "scale": 0.5,
    }
    assert made.data.decode().splitlines()[:5] == [
        '# "data" is 1x3x32x32, channels in the order BGR, values 0 to 255',
        "# resize to 40 x 50 (height x width)",
        "# take the 32 x 32 pixels in the middle",
        "# subtract 104, 117, 123",
        "# multiply by 0.5",
    ]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_an_older_format_becomes_the_current_one(ends: str) -> None:
    old = """input: "data" input_dim: 2 input_dim: 3 input_dim: 8 input_dim: 8
input: "label" input_dim: 2 input_dim: 1 input_dim: 1 input_dim: 1
layers { name: "ip" type: INNER_PRODUCT bottom: "data" top: "ip" inner_product_param { num_output: 2 } }
layers { name: "loss" type: SOFTMAX_LOSS bottom: "ip" bottom: "label" top: "loss" }
"""
    made = deploy(old.replace("\n", ends).encode()).data.decode()
    assert "layers" not in made
    assert made.count(ends) == made.count("\n")
    assert 'type: "Softmax"' in made


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("base_lr: 1 max_iter: 3", "this is a solver; give the net that it trains"),
        ('layer { name: "r" type: "ReLU" bottom: "x" top: "y" }', 'Caffe does not load it: layer "r": bottom "x"'),
        (
            'layer { name: "data" type: "Data" top: "data" data_param { source: "x" batch_size: 2 } }'
            ' layer { name: "r" type: "ReLU" bottom: "data" top: "y" }',
            'the shape of "data" is not in the text; give --input-shape data=1xCxHxW (with numbers for the letters)',
        ),
    ],
)
def test_says_why_not(text: str, wrong: str) -> None:
    with pytest.raises(DeployError) as caught:
        deploy(text.encode())
    assert str(caught.value).startswith(wrong)


def test_compares_what_somebody_made() -> None:
    trained = (DATA + CONVOLUTION + LOSS).encode()
    own = deploy(trained).data
    assert compare(trained, own) == []
    other = own.replace(b"kernel_size: 3", b"kernel_size: 3 pad: 1").replace(b'name: "ip"', b'name: "fc"')
    found = compare(trained, other)
    assert [one.message for one in found] == [
        'Convolution "conv": pad is [1, 1] here, [0, 0] in the training net',
        'InnerProduct "fc": no layer of the training net, so it finds no weights',
        'InnerProduct "ip": missing here',
    ]
    assert all(one.matters for one in found)


def test_knows_what_makes_no_difference() -> None:
    """Another way to write the same, a head that nothing needs, an Input in place of other data."""
    head = HEADS.replace('bottom: "ip2" bottom: "ip2"', 'bottom: "ip2" bottom: "label4"')
    trained = DATA.replace('top: "label"', 'top: "label" top: "label4"').replace(
        "} shape { dim: 4 }", "} shape { dim: 4 } shape { dim: 4 dim: 4 }"
    )
    trained += CONVOLUTION + LOSS + head
    plain = deploy((DATA + CONVOLUTION + LOSS).encode()).data.replace(b'"prob"', b'"ip_prob"')
    other = plain.replace(b"kernel_size: 3", b"kernel_h: 3 kernel_w: 3 pad: 0 stride: 1 dilation: 1")
    other = other.replace(b'type: "BatchNorm"', b'type: "BatchNorm" batch_norm_param { use_global_stats: true }')
    found = compare(trained.encode(), other)
    assert [(one.message, one.matters) for one in found] == [
        ('InnerProduct "ip2": left out here, where nothing needs it', False)
    ]


NORMED = """layer { name: "data" type: "OwnData" top: "data" top: "label"
  transform_param { scale: 0.25 mean_value: 127.5 } image_data_param { new_height: 12 new_width: 16 } }
layer { name: "a" type: "Convolution" bottom: "data" top: "a"
  convolution_param { num_output: 4 kernel_size: 3 group: 4 bias_term: false } }
layer { name: "n" type: "BatchNorm" bottom: "a" top: "a" batch_norm_param { use_global_stats: false } }
layer { name: "s" type: "Scale" bottom: "a" top: "a" scale_param { bias_term: true } }
layer { name: "b" type: "Convolution" bottom: "a" top: "b"
  convolution_param { num_output: 4 kernel_size: 3 group: 4 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "b" bottom: "label" top: "loss" }
"""
SHAPE = {"data": (1, 4, 12, 16)}
MERGED = "a bias here for the BatchNorm after it in training, which must be merged into its weights"


def test_nothing_is_left_of_the_batch() -> None:
    """A deployed net has no batch whose statistics it could take; data of a type that nobody knows has its card."""
    made = deploy(NORMED.encode(), input_shapes=SHAPE)
    assert b"use_global_stats" not in made.data
    assert made.notes == (
        'BatchNorm "n": use_global_stats: false is removed, since a deployed net has no batch to take statistics of',
    )
    (card,) = made.cards
    assert (card.resize, card.mean_values, card.scale) == ((12, 16), (127.5,), 0.25)
    with pytest.raises(DeployError, match="--input-shape data=1x3x12x16"):
        deploy(NORMED.encode())


def test_a_norm_of_a_fork_has_other_fields() -> None:
    other = NORMED.replace('"BatchNorm"', '"BN"').replace("batch_norm_param { use_global_stats: false }", "")
    made = deploy(other.encode(), input_shapes=SHAPE)
    assert made.notes == ()
    assert compare(other.encode(), made.data) == []


@pytest.mark.parametrize("measure", ["DetectionEvaluate", "SequenceAccuracy"])
def test_measures_of_a_fork_go(measure: str) -> None:
    measured = NORMED + f'layer {{ name: "m" type: "{measure}" bottom: "b" bottom: "label" top: "m" }}'
    made, plain = (deploy(text.encode(), input_shapes=SHAPE) for text in (measured, NORMED))
    assert made.data.split() == plain.data.split()


def test_what_its_author_does_as_well_does_not_matter() -> None:
    made = deploy(NORMED.encode(), input_shapes=SHAPE).data
    stored = made.replace(b"batch_norm_param {", b"batch_norm_param { use_global_stats: true")
    batch = made.replace(b"batch_norm_param {", b"batch_norm_param { use_global_stats: false")
    assert compare(NORMED.encode(), stored) == compare(NORMED.encode(), batch) == []
    depthwise = made.replace(b'"Convolution"', b'"DepthwiseConvolution"')
    assert [(one.message, one.matters) for one in compare(NORMED.encode(), depthwise)] == [
        ('DepthwiseConvolution "a", "b": Convolution in the training net', False)
    ]


def test_a_batch_norm_that_was_merged_is_one_difference() -> None:
    made = deploy(NORMED.encode(), input_shapes=SHAPE).data.decode()
    head, _, rest = made.partition('layer { name: "n"')
    merged = head.replace(" bias_term: false", "") + 'layer { name: "b"' + rest.partition('layer { name: "b"')[2]
    assert [(one.message, one.matters) for one in compare(NORMED.encode(), merged.encode())] == [
        ('Convolution "a": ' + MERGED, True)
    ]


def test_a_name_stays_in_its_comment() -> None:
    """Whatever a mean file or a blob is called, nothing of it becomes part of the net."""
    data = (
        'layer { name: "data" type: "ImageData" top: "da\\nta" top: "label" image_data_param { source: "x"'
        " batch_size: 8 new_height: 12 new_width: 12 }"
        " transform_param { mean_file: \"m\\nlayer { name: 'evil' type: 'Foo' }\\r\" } }\n"
    )
    made = deploy((data + (CONVOLUTION + LOSS).replace('bottom: "data"', 'bottom: "da\\nta"')).encode()).data
    net = load(made).net
    assert net is not None
    assert [layer.type for layer in net.layers] == ["Input", "Convolution", "BatchNorm", "InnerProduct", "Softmax"]


def test_takes_data_of_any_type_for_data() -> None:
    """A layer that reads nothing in the net, of a fork or in Python, becomes an Input once its shape is given."""
    for layer_type in ('"DriveData"', '"Python" python_param { module: "m" layer: "L" }'):
        data = f'layer {{ name: "data" type: {layer_type} top: "data" top: "label" }}\n'
        with pytest.raises(DeployError, match="--input-shape data="):
            deploy((data + CONVOLUTION + LOSS).encode())
        made = deploy((data + CONVOLUTION + LOSS).encode(), input_shapes={"data": (1, 3, 12, 12)}).data.decode()
        assert made.count('type: "Input"') == 1
        assert layer_type.split()[0] not in made
    with pytest.raises(DeployError, match='no layer makes "dota"'):
        deploy((DATA + CONVOLUTION + LOSS).encode(), input_shapes={"dota": (1, 3, 12, 12)})


def test_takes_a_shape_for_data_that_only_training_has() -> None:
    data = 'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN }'
    data += ' data_param { source: "x" batch_size: 8 } }\n'
    made = deploy((data + CONVOLUTION + LOSS).encode(), input_shapes={"data": (1, 3, 12, 12)}).data.decode()
    assert "dim: 1 dim: 3 dim: 12 dim: 12" in made
