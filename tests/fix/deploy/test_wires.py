"""What a layer of a deploy net reads, held against the training net."""

from __future__ import annotations

from caffelint.fix.deploy import compare


def conv(name: str, bottom: str) -> bytes:
    kind = "convolution_param { num_output: 3 kernel_size: 1 }"
    return f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" {kind} }}\n'.encode()


RELU = b'layer { name: "r" type: "ReLU" bottom: "a" top: "a" }\n'
TRAINED = b"".join(
    [
        b'layer { name: "data" type: "DummyData" top: "data" dummy_data_param {'
        b" shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n",
        conv("a", "data"),
        RELU,
        conv("b", "a"),
        b'layer { name: "d" type: "Dropout" bottom: "b" top: "b" }\n',
        conv("c", "b"),
    ]
)
INPUT = b'layer { name: "i" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'


def test_tells_of_another_layer_that_is_read() -> None:
    body = INPUT + conv("a", "data") + RELU + conv("b", "a")
    assert compare(TRAINED, body + conv("c", "b")) == []
    (found,) = compare(TRAINED, body + conv("c", "a"))
    assert (found.matters, found.line) == (True, 5)
    assert found.message == 'Convolution "c": reads from "r" here, from "b" in the training net'


def test_passes_what_one_net_alone_has() -> None:
    renamed = RELU.replace(b'"r"', b'"other"')
    found = compare(TRAINED, INPUT + conv("a", "data") + renamed + conv("b", "a") + conv("c", "b"))
    assert not any(one.matters for one in found)


def test_holds_the_input_against_the_crops_of_training() -> None:
    data = 'layer { name: "data" type: "Data" top: "data" transform_param { crop_size: 8 } data_param {'
    data += ' source: "db" batch_size: 2 } }\n'
    ip = b'layer { name: "ip" type: "InnerProduct" bottom: "a" top: "ip" inner_product_param { num_output: 2 } }\n'
    larger = INPUT.replace(b"dim: 8", b"dim: 9")
    assert compare(data.encode() + conv("a", "data") + ip, INPUT + conv("a", "data") + ip) == []
    image, weights = compare(data.encode() + conv("a", "data") + ip, larger + conv("a", "data") + ip)
    assert image == (1, 'Input "i": images of 9x9 here, of 8x8 in the training net', True)
    refused = "weights of 2x243 and 2 here, of 2x192 and 2 in the training net, so Caffe refuses them"
    assert weights == (3, f'InnerProduct "ip": {refused}', True)
    (image,) = compare(data.encode() + conv("a", "data"), larger + conv("a", "data"))
    assert not image.matters
