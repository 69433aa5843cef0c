"""Of several losses, the gradient that each alone gives the parameters. Python 2.7 or 3, as runner.py."""

# mypy: ignore-errors
# ruff: noqa: B905, RUF005

MOST = 8


def report(run, net):
    """After a forward pass whose values are finite; leaves the diffs of the parameters as they come."""
    weights = list(net.net._blob_loss_weights)
    losses = [number for number, weight in enumerate(weights[: len(net.blobs)]) if weight]
    if not 1 < len(losses) <= MOST:
        return
    kept = [net.blobs[number].diff.copy() for number in losses]
    found = []
    for own in [None] + losses:
        if own is None and "Python" not in net.types:
            continue
        for number, diff in zip(losses, kept):
            net.blobs[number].diff[...] = diff if number == own else 0
        net.clear_diffs()
        net.net.backward()
        sizes = norms(net)
        if own is None and any(sizes.values()):
            found = []
            break  # a loss in Python does not multiply by its top's diff
        if own is not None:
            found.append((net.blob_names[own], sizes))
    for number, diff in zip(losses, kept):
        net.blobs[number].diff[...] = diff
    for loss, sizes in found:
        run.emit("loss_gradient", loss=loss, sizes=sizes)


def norms(net):
    """The length of the gradient of each layer's first parameter, by the name of the layer."""
    import numpy

    found = {}
    for layer, index, param in net.params:
        if index == 0:
            values = numpy.asarray(param.diff, numpy.float64)
            found[net.names[layer]] = float(numpy.sqrt((values * values).sum()))
    return found
