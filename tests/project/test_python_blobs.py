"""What scripts ask of the nets that they build."""

from __future__ import annotations

import pytest

from caffelint.project.python_blobs import asked

OPENS = "import caffe\nnet = caffe.Net('m/deploy.prototxt', W, caffe.TEST)\n"


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (OPENS + "net.blobs['data'].reshape(1)", [("m/deploy.prototxt", "blob", "data")]),
        (OPENS + "net.params['fc'][0].data[...] = 0", [("m/deploy.prototxt", "layer", "fc")]),
        (OPENS + "net.forward(end='fc7')", [("m/deploy.prototxt", "layer", "fc7")]),
        (OPENS + "x = net.forward(blobs=['a', b])\nx['a']", [("m/deploy.prototxt", "blob", "a")]),
        (OPENS + "print net.forward()['prob']", [("m/deploy.prototxt", "output", "prob")]),
        (OPENS + "x = net.forward_all(data=a)\ny = x['prob']", []),
        (OPENS + "x = net.forward()\ny = x['prob']", [("m/deploy.prototxt", "output", "prob")]),
        (OPENS + "x = net.forward()\nx = {}\ny = x['prob']", []),
        (OPENS + "x = net.forward(end='fc7')\ny = x['prob']", [("m/deploy.prototxt", "layer", "fc7")]),
        (OPENS + "net = other\nnet.blobs['data']", []),
        (OPENS + "def use(net):\n    net.blobs['data']", []),
        (OPENS + "if wanted:\n    net.blobs['data']", []),
        (OPENS + "try:\n    net.blobs['data']\nexcept KeyError:\n    pass", []),
        (OPENS + "if __name__ == '__main__':\n    net.blobs['data']", [("m/deploy.prototxt", "blob", "data")]),
        (OPENS + "net.blobs[name]", []),
        ("P = ROOT + '/m/d.prototxt'\nn = caffe.Net(P, W)\nn.blobs['a']", [("/m/d.prototxt", "blob", "a")]),
        ("P = ROOT + '/d.prototxt'\nn = caffe.Net(P, W)\nn.blobs['a']", []),
        ("R = '/o/'\nn = caffe.Net(R + 'd.prototxt', W)\nn.blobs['a']", [("/o/d.prototxt", "blob", "a")]),
        ("R = dirname(__file__)\nn = Net(join(R, 'd.prototxt'), W)\nn.blobs['a']", [("d.prototxt", "blob", "a")]),
        (
            "class A:\n def f(self):\n  self.n = Net(join(R, 'm', 'd.p'), W)\n  self.n.blobs['a']",
            [("m/d.p", "blob", "a")],
        ),
        ("self.net = Net('m/d.p', W)\nsolver.net.blobs['loss']", []),
        (OPENS + "out = net.forward()\nout['image'] = 1\nout['image']", []),
        (OPENS + "if 'p' not in net.blobs:\n    raise ValueError\nnet.blobs['p']", []),
        (OPENS + "out = net.forward()\nwanted and out['extra']", []),
        ("n = caffe.Net(P, W)\nn.blobs['a']", []),
        ("P = P\nn = caffe.Net(P, W)\nn.blobs['a']", []),
        ("n = caffe.Net(", []),
    ],
)
def test_what_a_script_asks(script: str, found: list[tuple[str, str, str]]) -> None:
    assert [(one.path, one.kind, one.name) for one in asked(script)] == found
