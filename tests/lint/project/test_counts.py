"""The numbers of bottoms and tops in headers, against those of the model, which a real Caffe confirms."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.project.counts import layer_classes, taken_counts

HEADER = """
template <typename Dtype>
class Layer { public: virtual inline int ExactNumBottomBlobs() const { return -1; } };
template <typename Dtype>
class LossLayer : public Layer<Dtype> {
 public:
  explicit LossLayer(const LayerParameter& param) : Layer<Dtype>(param) {}
  virtual inline int ExactNumBottomBlobs() const { return 2; }
  virtual inline bool AutoTopBlobs() const { return true; }
  virtual inline int ExactNumTopBlobs() const { return 1; }
};
class MyLayer : public Layer<Dtype> {
  virtual inline int MinBottomBlobs() const { return 1; }
  virtual inline int MaxBottomBlobs() const { return 3; }
  virtual inline int ExactNumTopBlobs() const { return 2; }
};
class OddLayer: public LossLayer <Dtype> {
  int ExactNumBottomBlobs() const override { return -1; }
  inline int MinBottomBlobs() const
  { return 3; }
};
class WaryLayer : public Layer<Dtype> {
  virtual inline int ExactNumBottomBlobs() const { return this->layer_param_.has_x() ? -1 : 2; }
};
class ChildLayer : public WaryLayer<Dtype> { virtual inline int ExactNumTopBlobs() const { return 1; } };
class LostLayer : public Elsewhere<Dtype> { };
class RoundLayer : public RoundLayer<Dtype> { };
class PlainLayer : public Layer<Dtype> { };
class HugeLayer : public Layer<Dtype> { int ExactNumBottomBlobs() const { return HUGE; } };
""".replace("HUGE", "9" * 5_000)


@pytest.mark.parametrize(
    ("type_", "counts"),
    [
        ("My", (1, 3, 2, 2)),
        ("Loss", (2, 2, 0, 1)),
        ("Odd", (3, -1, 0, 1)),
        ("Plain", (0, -1, 0, -1)),
        ("Wary", None),
        ("Child", None),
        ("Lost", None),
        ("Round", None),
        ("Huge", None),
        ("None", None),
    ],
)
def test_counts(type_: str, counts: tuple[int, ...] | None) -> None:
    assert taken_counts(type_, layer_classes(HEADER)) == counts


def repository(folder: Path, root: Path, net: str) -> None:
    layers = folder / "src/caffe/layers"
    layers.mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "src/caffe/proto").mkdir()
    (folder / "src/caffe/proto/caffe.proto").write_text((root / "proto/caffe.proto").read_text())
    (layers / "my_layer.cpp").write_text("REGISTER_LAYER_CLASS(My); REGISTER_LAYER_CLASS(EuclideanLoss);")
    text = HEADER + "class EuclideanLossLayer : public LossLayer<Dtype> {\n"
    text += " int ExactNumBottomBlobs() const { return 3; } int ExactNumTopBlobs() const { return -1; }"
    (folder / "my_layer.hpp").write_text(text + " int MaxTopBlobs() const { return 2; } };")
    (folder / "net.prototxt").write_text(net)


DATA = 'layer { name: "d" type: "Input" top: "a" top: "b" input_param { shape { dim: 2 dim: 3 } } }\n'


@pytest.mark.parametrize(
    ("layer", "messages"),
    [
        ('type: "My" bottom: "a" top: "m" top: "n"', []),
        ('type: "My" top: "m" top: "n"', ['My "x": 0 bottoms are given but My takes at least 1; add 1 bottom']),
        ('type: "My" bottom: "a" top: "m"', ['My "x": 1 top is given but My produces 2; add 1 top']),
        ('type: "EuclideanLoss" bottom: "a" bottom: "b" bottom: "a" top: "m"', []),
        ('type: "EuclideanLoss" bottom: "a" bottom: "b" bottom: "a"', []),
        ('type: "EuclideanLoss" bottom: "a" bottom: "b" bottom: "b" top: "m" top: "n"', []),
        (
            'type: "EuclideanLoss" bottom: "a" bottom: "b" top: "m"',
            ['EuclideanLoss "x": 2 bottoms are given but EuclideanLoss takes 3; add 1 bottom'],
        ),
        (
            'type: "EuclideanLoss" bottom: "a" bottom: "b" bottom: "a" top: "m" top: "n" top: "o"',
            ['EuclideanLoss "x": 3 tops are given but EuclideanLoss produces at most 2; remove 1 top'],
        ),
        (
            'type: "EuclideanLoss" bottom: "a" top: "m"',
            ['EuclideanLoss "x": 1 bottom is given but EuclideanLoss takes 3; add 2 bottoms'],
        ),
    ],
)
def test_layers_of_a_project_take_what_its_headers_say(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, layer: str, messages: list[str]
) -> None:
    repository(tmp_path, root, DATA + f'layer {{ name: "x" {layer} }}')
    monkeypatch.chdir(tmp_path)
    report = caffelint.check("net.prototxt")
    assert not report.failures
    assert [one.message for one in report.findings if one.name == "wrong-blob-count"] == messages
    assert {one.severity for one in report.findings if one.name == "wrong-blob-count"} <= {"error"}


@pytest.mark.parametrize(
    ("layer", "messages"),
    [
        ("type: MY_OWN bottom: 'd' bottom: 'd' top: 'x'", []),
        ("type: MY_OWN bottom: 'd' top: 'x'", ['MY_OWN "x": 1 bottom is given but MY_OWN takes 2; add 1 bottom']),
        ("type: ACCURACY bottom: 'd' bottom: 'd' bottom: 'd' top: 'x' accuracy_param { top_k: 9 }", []),
        (
            "type: ACCURACY bottom: 'd' bottom: 'd' top: 'x'",
            ['Accuracy "x": 2 bottoms are given but Accuracy takes 3; add 1 bottom'],
        ),
    ],
)
def test_caffes_of_2014_register_the_values_of_an_enum(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, layer: str, messages: list[str]
) -> None:
    repository(tmp_path, root, f"layers {{ name: 'd' type: DUMMY_DATA top: 'd' }}\nlayers {{ name: 'x' {layer} }}")
    proto = tmp_path / "src/caffe/proto/caffe.proto"
    text = proto.read_text()
    assert text.count("ABSVAL = 35;") == 1
    proto.write_text(text.replace("ABSVAL = 35;", "ABSVAL = 35; MY_OWN = 1000;"))
    (tmp_path / "my_layer.hpp").write_text(
        "class AccuracyLayer : public Layer<Dtype> { int ExactNumBottomBlobs() const { return 3; } };"
        "class MY_OWNLayer : public Layer<Dtype> { int ExactNumBottomBlobs() const { return 2; } };"
    )
    source = tmp_path / "src/caffe/layers/my_layer.cpp"
    source.write_text("REGISTER_LAYER_CLASS(ACCURACY, AccuracyLayer); REGISTER_LAYER_CLASS(MY_OWN, MY_OWNLayer);")
    monkeypatch.chdir(tmp_path)
    report = caffelint.check("net.prototxt")
    assert not report.failures
    assert [one.message for one in report.findings if one.name == "wrong-blob-count"] == messages
