"""What an upgraded text looks like, and which texts are left alone."""

from __future__ import annotations

import pytest
from legacy_nets import LegacyNets
from legacy_texts import without_lost_fields, written

from caffelint.fix.upgrade import UpgradeResult, upgrade_text
from caffelint.fix.upgrade.text import _BUG

LAYOUTS = {
    "many lines": (
        """
# first of two
layers {
  name: "conv1"
  type: CONVOLUTION  # 11x11
  bottom: "data"
  # weights
  blobs_lr: 1
  blobs_lr: 2  # twice

  weight_decay: 1
  # not the bias
  weight_decay: 0
  #blobs_lr: 7
  convolution_param {
    num_output: 3
  }
}
""",
        """
# first of two
layer {
  name: "conv1"
  type: "Convolution"  # 11x11
  bottom: "data"
  # weights
  param {
    lr_mult: 1
    decay_mult: 1
  }
  param {
    lr_mult: 2  # twice
    # not the bias
    decay_mult: 0
  }
  #blobs_lr: 7
  convolution_param {
    num_output: 3
  }
}
""",
    ),
    "one line": (
        'layers { name: "c" type: CONVOLUTION blobs_lr: 1 blobs_lr: 2 convolution_param { num_output: 3 } } # end',
        'layer { name: "c" type: "Convolution" param { lr_mult: 1 } param { lr_mult: 2 }'
        " convolution_param { num_output: 3 } } # end",
    ),
    "short blocks": (
        "layers {\n  type: CONVOLUTION\n  blobs_lr: 1\n  blobs_lr: 2\n  include { phase: TRAIN }\n}\n",
        'layer {\n  type: "Convolution"\n  param { lr_mult: 1 }\n  param { lr_mult: 2 }\n'
        "  include { phase: TRAIN }\n}\n",
    ),
    "shared lines": (
        "layers {\n\ttype: CONVOLUTION\n\tblobs_lr: 1 blobs_lr: 2 # c\n}\n",
        'layer {\n\ttype: "Convolution"\n\tparam { lr_mult: 1 }\n\tparam { lr_mult: 2 } # c\n}\n',
    ),
    "oldest": (
        """
layers { # conv
  layer {
    name: "conv1"
    type: "conv"
    # window
    num_output: 3
    kernelsize: 2  # wide
    weight_filler {
      type: "xavier"
    }
    blobs_lr: 1.
    # nothing more
  }
  top: "conv1"
}
""",
        """
layer { # conv
  name: "conv1"
  type: "Convolution"
  # window
  convolution_param {
    num_output: 3
    kernel_size: 2  # wide
    weight_filler {
      type: "xavier"
    }
  }
  param {
    lr_mult: 1.
  }
  # nothing more
  top: "conv1"
}
""",
    ),
    "padding": (
        """
layers {
\tlayer { name: "c1" type: "conv" }
\ttop: "c1"
}

# pad
layers {
\tlayer {
\t\tname: "p"  # p
\t\ttype: "padding"
\t\tpad: 2  # two
\t}
\tbottom: "c1"
\ttop: "p"
}
# conv
layers {
\tlayer {
\t\tname: "c2"
\t\ttype: "conv"
\t\tkernelsize: 3
\t}
\tbottom: "p"
\ttop: "c2"
}
""",
        """
layer {
\tname: "c1" type: "Convolution"
\ttop: "c1"
}

# pad
# p
# two
# conv
layer {
\tname: "c2"
\ttype: "Convolution"
\tconvolution_param {
\t\tkernel_size: 3
\t\tpad: 2
\t}
\tbottom: "c1"
\ttop: "c2"
}
""",
    ),
    "transformation": (
        """
layers {
    type: DATA
    data_param {
        source: "x"
        # to 0..1
        scale: 0.1
        batch_size: 4
        mirror: true  # flip
    }
}
""",
        """
layer {
    type: "Data"
    data_param {
        source: "x"
        batch_size: 4
    }
    # to 0..1
    transform_param {
        scale: 0.1
        mirror: true  # flip
    }
}
""",
    ),
    "transformation that is there": (
        "layers {\n  type: DATA\n  data_param {\n    scale: 1 # c\n  }\n"
        "  transform_param {\n    mirror: true\n  }\n}\n",
        'layer {\n  type: "Data"\n  data_param {\n  }\n'
        "  transform_param {\n    mirror: true\n    scale: 1 # c\n  }\n}\n",
    ),
    "inputs": (
        """
name: "net"

# the image
input: "data"
input_dim: 1
input_dim: 3
input_dim: 8
input_dim: 8

input: "label"
input_dim: 1  # one class
input_dim: 1
input_dim: 1
input_dim: 1

state { phase: TEST }
""",
        """
name: "net"

# the image
layer {
  name: "input"
  type: "Input"
  top: "data"
  top: "label"
  input_param {
    shape { dim: 1 dim: 3 dim: 8 dim: 8 }
    shape {
      dim: 1  # one class
      dim: 1
      dim: 1
      dim: 1
    }
  }
}

state { phase: TEST }
""",
    ),
    "input shape": (
        'name: "net"\ninput: "data"\ninput_shape {\n    dim: 1 # n\n    dim: 3\n}\n',
        'name: "net"\nlayer {\n    name: "input"\n    type: "Input"\n    top: "data"\n    input_param {\n'
        "        shape {\n            dim: 1 # n\n            dim: 3\n        }\n    }\n}\n",
    ),
    "frozen statistics": (
        'layer { type: "BatchNorm" param { lr_mult: 1 } param { decay_mult: 1 } param {} }\n',
        'layer { type: "BatchNorm" param { lr_mult: 0 decay_mult: 0 } param { decay_mult: 0 lr_mult: 0 }'
        " param { lr_mult: 0 decay_mult: 0 } }\n",
    ),
    "both formats": (
        'layers { type: RELU bottom: "a" top: "b" } # old\nlayer { type: "TanH" bottom: "b" top: "c" } # new\n'
        'input: "a" input_dim: 1 input_dim: 1 input_dim: 1 input_dim: 1\nlayers { type: BNLL bottom: "c" top: "d" }\n',
        'layer {\n  name: "input"\n  type: "Input"\n  top: "a"\n'
        "  input_param { shape { dim: 1 dim: 1 dim: 1 dim: 1 } }\n}\n"
        'layer { type: "ReLU" bottom: "a" top: "b" } # old\nlayer { type: "TanH" bottom: "b" top: "c" } # new\n'
        'layer { type: "BNLL" bottom: "c" top: "d" }\n',
    ),
    "solver": ('solver_type: ADAM # best\nnet: "a"', 'type: "Adam" # best\nnet: "a"'),
    "other encoding": ("layers { type: RELU } # \xe9\x85\xa0", 'layer { type: "ReLU" } # \xe9\x85\xa0'),
    "byte-order mark": ("\xef\xbb\xbflayers { type: RELU }", '\xef\xbb\xbflayer { type: "ReLU" }'),
    "a fork's type and field": (
        'layers { type: ROI_POOLING bottom: "a" roi_pooling_param { pooled_w: 7 } }',
        'layer { type: "ROIPooling" bottom: "a" roi_pooling_param { pooled_w: 7 } }',
    ),
}

CURRENT = [
    'layer { name: "r" type: "ReLU" bottom: "a" top: "a" }\n',
    'layer { type: "BatchNorm" param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 } }',
    'base_lr: 0.1 type: "Adam"',
    "",
    "# nothing\n",
    'item { name: "cat" id: 1 }',
]

LEFT = {
    'layer { type: "TanH" }\nlayers [{ type: RELU }]': (2, "layers"),
    "layers { type: RELU }\nlayer { type: RELU }": (2, "refuses it in layer;"),
    'layer { type: "Input" }\nlayers {\n type: "ReLU" blobs_lr: 1 }': (3, "rename the block to layer"),
    'layer { type: "Input" }\nlayers {\n type: "ReLU" }': (3, "as caffelint check --fix does"),
    'layer { type: "A" }\nlayers { layer { type: "relu" } }': (1, "Caffe drops layer in a net"),
    "layers {\n  type: RELU\n  kernel_size: 3\n}": (3, "kernel_size"),
    'layers {\n  type: "Convolution"\n}': (2, "Convolution"),
    "layers {\n type: RELU": (1, "never closed"),
    "layers {\n type: SEQ_MEMORY_DATA\n}": (2, "SEQ_MEMORY_DATA"),
    "layers {\n type: CONVOLUTION3D\n}": (2, "C3D"),
    'layers {\n layer { name: "r" type: "relu"\n kernelsize: 3 } }': (3, "drops kernelsize"),
    'layers {\n layer { type: "padding" } top: "p" }\nlayers { layer { type: "relu" } bottom: "p" }': (3, "padding"),
    'name: "n"\ninput: "a"\nlayer { type: "ReLU" bottom: "a" top: "b" }': (2, "without a shape"),
    'input: "a"\ninput_dim: 1\n': (2, "4 input_dim"),
    'type: "SGD"\nsolver_type: ADAM': (2, "both type"),
    "base_lr: 1\nsolver_type: ADAMW": (2, "solver_type has no value ADAMW"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(name: str) -> None:
    old, new = (text.encode("latin-1") for text in LAYOUTS[name])
    result = upgrade_text(old)
    assert result.data.decode("latin-1") == new.decode("latin-1")
    assert result.changed
    assert result.done
    assert not result.left
    assert upgrade_text(new) == UpgradeResult(new, False)


@pytest.mark.parametrize("text", CURRENT)
def test_current_texts_stay(text: str) -> None:
    assert upgrade_text(text.encode()) == UpgradeResult(text.encode(), False)


@pytest.mark.parametrize("text", LEFT)
def test_what_cannot_be_upgraded_is_left_alone(text: str) -> None:
    line, message = LEFT[text]
    result = upgrade_text(text.encode())
    assert result.data == text.encode()
    assert not result.changed
    (left,) = result.left
    assert message in left.message
    assert left.line == line
    assert "\n" not in left.message


def test_a_mixture_becomes_what_the_old_net_becomes() -> None:
    """Caffe refuses the mixture, and is asked in `test_real_caffe` what the old net becomes."""
    old = [
        b'layers { name: "c" type: CONVOLUTION bottom: "a" top: "b" blobs_lr: 1 }\n',
        b'layers { name: "r" type: RELU bottom: "b" top: "b" }  # in place\n',
        b'layers { name: "l" type: SOFTMAX_LOSS bottom: "b" bottom: "d" top: "l" include { phase: TRAIN } }\n',
    ]
    new = [upgrade_text(layer).data for layer in old]
    assert b"".join(new) == upgrade_text(b"".join(old)).data
    for which in range(1, 7):
        mixture = b"".join((new if which >> index & 1 else old)[index] for index in range(3))
        assert upgrade_text(mixture).data == b"".join(new)


def test_layers_are_upgraded_where_inputs_cannot_be() -> None:
    result = upgrade_text(b'input: "a"\nlayers { type: RELU bottom: "a" top: "b" }\n')
    assert result.data == b'input: "a"\nlayer { type: "ReLU" bottom: "a" top: "b" }\n'
    assert [left.line for left in result.left] == [1]


def test_a_dialect_without_input_layers_keeps_its_inputs() -> None:
    text = b'input: "a" input_shape { dim: 1 }'
    assert upgrade_text(text).changed
    result = upgrade_text(text, dialect="c3d-1.0")
    assert not result.changed
    assert "Input" in result.left[0].message


def test_no_text_is_given_out_that_means_something_else() -> None:
    """The last check of each upgrade finds nothing to object to."""
    changed = 0
    for seed in range(1500):
        result = upgrade_text(written(without_lost_fields(LegacyNets(seed).net()), seed).encode(), kind="net")
        assert not any(left.message == _BUG for left in result.left), seed
        changed += result.changed
    assert changed > 750


def test_many_byte_order_marks_are_left_alone() -> None:
    data = b"\xef\xbb\xbf" * 2000 + b'layers { name: "a" }\n'
    assert upgrade_text(data, "net.prototxt").data == data


def test_what_forks_call_the_shape_of_an_input() -> None:
    text = b'input: "data"\nshape { dim: 4 dim: 6 }\ninput_dim: 1\nlayer { type: "ReLU" bottom: "data" top: "a" }\n'
    result = upgrade_text(text)
    assert result.changed
    assert b"input_param { shape { dim: 4 dim: 6 } }" in result.data
    assert b"input_dim" not in result.data
