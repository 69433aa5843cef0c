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
