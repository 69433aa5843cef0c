"""Names each layer before it runs, so that an abort, a hang or a crash is known by its layer.

Needs only Python 2.7 or 3, numpy and caffe. It is copied beside runner.py, and given its `Run`.
"""

# ruff: noqa: UP010
# mypy: ignore-errors
from __future__ import absolute_import, division

from caffelint_engine.net_numbers import extent, finite


def listen(run, net, number):
    """Let Caffe itself say which layer runs next, where it can: in its own pass, on the batch that it reads."""
    if not _tells(net):
        return
    first = next((layer for layer, bottoms in enumerate(net.bottoms) if bottoms), 0)

    def backward(layer):
        if net.bottoms[layer]:
            _runs(run, net, number, layer, "backward")

    def ended(layer):
        if layer == first:
            run.emit("running", net=number, layer="", where="update", iteration=run.at[1])

    net.net.before_forward(lambda layer: _runs(run, net, number, layer, "forward"))
    net.net.after_forward(lambda layer: _look(run, net, number, layer))
    net.net.before_backward(backward)
    net.net.after_backward(ended)


def _tells(net):
    return hasattr(net.net, "before_forward")


def traced(run, net, number, iteration):
    """A pass before that of an older Caffe, which cannot say so, layer by layer; False if none was made."""
    if not run.job["trace"] or _tells(net):
        return False
    order = range(len(net.names))
    for layer in order:
        _runs(run, net, number, layer, "forward")
        if net.bottoms[layer] or iteration < 0:
            net.net._forward(layer, layer)
            _look(run, net, number, layer)
    for layer in reversed(order) if number == 0 else ():
        _runs(run, net, number, layer, "backward")
        net.net._backward(layer, layer)
    return True


def _runs(run, net, number, layer, where):
    """Announce a layer, and in the forward pass what it reads."""
    run.emit("running", net=number, layer=net.names[layer], where=where, iteration=run.at[1])
    for bottom in net.bottoms[layer] if where == "forward" else []:
        writer, values = net.writer[bottom], net.blobs[bottom].data
        if writer is not None:
            run.statistics(run.at[1], net.names[writer], "blob", net.blob_names[bottom], "data", values)


def _look(run, net, number, layer):
    """End at the first value that is not finite: what comes after it may end the process."""
    for top in net.tops[layer]:
        if not finite(net.blobs[top].data):
            name, read = net.blob_names[top], {}
            if not set(net.tops[layer]) & set(net.bottoms[layer]):
                read = dict((net.blob_names[b], extent(net.blobs[b].data)) for b in net.bottoms[layer])  # noqa: C402
            run.non_finite(net, run.at[1], 0.0, "forward", layer, "blob", name, net.blobs[top].data, read, number)
