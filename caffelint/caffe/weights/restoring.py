"""What of a .solverstate a solver takes: SGDSolver::RestoreSolverState, sgd_solver.cpp."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.net_parts import Param
from caffelint.caffe.shapes import count
from caffelint.caffe.states import histories
from caffelint.caffe.weights.stored import HDF5, State, StoredBlob
from caffelint.text.records import NamedTuple


class Stale(NamedTuple):
    """A blob of the history that has another shape than its parameter. number: its place in the history."""

    number: int
    blob: StoredBlob
    param: Param


class Restored(NamedTuple):
    """wanted: how many blobs the solver needs, None where a layer's parameters are not known. stale: those of another
    size, or in HDF5 of another shape; empty where the numbers differ.

    certain: are the shapes of the parameters known? Else their second axis, which follows from the data, is a guess.
    """

    wanted: int | None
    found: int
    stale: list[Stale]
    certain: bool = True


def restored(state: State, net: BuiltNet, solver_type: str) -> Restored:
    """What a solver of that type, which trains this net, makes of a state."""
    params = learnable(net)
    if params is None:
        return Restored(None, len(state.history), [])
    wanted = histories(solver_type) * len(params)
    stale: list[Stale] = []
    if wanted == len(state.history) and params:
        for number, blob in enumerate(state.history):
            param = params[number % len(params)]
            if not _fits(blob, param, state.format == HDF5):
                stale.append(Stale(number, blob, param))
    return Restored(wanted, len(state.history), stale)


def learnable(net: BuiltNet) -> Sequence[Param] | None:
    """The parameters of a net in Caffe's order, shared ones once (net.cpp AppendParam); None where not known."""
    if any(layer.params is None for layer in net.layers):
        return None
    return [param for layer in net.layers for param in layer.params or () if param.owner is None]


def _fits(blob: StoredBlob, param: Param, is_hdf5: bool) -> bool:
    """A binary state gives each blob its own shape (FromProto with reshape), so only the number of values counts."""
    return tuple(blob.shape) == tuple(param.shape) if is_hdf5 else blob.count == count(param.shape)
