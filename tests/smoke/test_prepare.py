"""What is run is a copy that differs in nothing but what a short run needs, and nothing of the user's changes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy
import pytest
from google.protobuf import text_format
from project_files import CONV, DATA, LOSS, NET, SOLVER, write

from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.schema import NetParameter, SolverParameter
from caffelint.smoke.inputs import Unplanned
from caffelint.smoke.job import LABELS, UNIFORM, Job
from caffelint.smoke.prepare import Prepared, Wishes, prepare
from caffelint.smoke.project import NoProject, load_project
from caffelint.smoke.synthetic import batch


def prepared(solver: Path, into: Path, **wishes: object) -> Prepared:
    into.mkdir(exist_ok=True)
    return prepare(load_project(str(solver), Config()), Wishes(**wishes), into)  # type: ignore[arg-type]


def test_the_solver_keeps_what_rates_hang_on(tmp_path: Path) -> None:
    solver = write(tmp_path, solver=SOLVER.replace('"fixed"', '"poly"') + "power: 0.5\n")
    job = prepared(solver, tmp_path / "work", iterations=3, seed=7).job
    copy = load(Path(job.solver).read_bytes(), job.solver).solver
    assert copy is not None
    message = copy.message
    assert (message.max_iter, message.lr_policy, message.power) == (1000, "poly", 0.5)
    assert (message.snapshot, message.snapshot_after_train, message.snapshot_prefix) == (0, False, "")
    assert (message.test_initialization, message.test_interval, message.display) == (False, 2**31 - 1, 1)
    assert (message.random_seed, message.solver_mode, message.net) == (7, 0, job.nets[0].path)
    assert job.rates == pytest.approx([0.01 * math.sqrt(1 - i / 1000) for i in range(3)])
    assert Job.from_json(job.to_json()) == job


@pytest.mark.parametrize(
    ("own", "given", "seed"),
    [("random_seed: 14", None, 14), ("random_seed: 14", 3, 3), ("random_seed: -1", None, 1), ("", 0, 0)],
)
def test_the_solver_s_seed_is_that_of_its_users(tmp_path: Path, own: str, given: int | None, seed: int) -> None:
    job = prepared(write(tmp_path, solver=f"{SOLVER}{own}\n"), tmp_path / "work", seed=given).job
    copy = load(Path(job.solver).read_bytes(), job.solver).solver
    assert copy is not None
    assert job.seed == copy.message.random_seed == seed


def test_nothing_of_the_user_changes_and_no_line_moves(tmp_path: Path) -> None:
    solver = write(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    job = prepared(solver, tmp_path / "work").job
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    copy = Path(job.nets[0].path).read_text()
    lines = copy.splitlines()
    assert len(lines) == len(NET.splitlines())
    assert [number for number, line in enumerate(NET.splitlines()) if "conv" in line] == [
        number for number, line in enumerate(lines) if "conv" in line
    ]
    assert copy.count('type: "Input"') == 2
    assert "include { phase: TEST }" in copy
    assert [net.path for net in job.nets] == [job.nets[0].path] * 2


def test_the_plan_fits_what_reads_the_data(tmp_path: Path) -> None:
    inputs = prepared(write(tmp_path), tmp_path / "work").job.inputs
    train = {item.top: item for item in inputs if item.net == 0}
    assert train["data"].shape == (4, 3, 8, 8)
    assert (train["data"].values, train["data"].mean) == (UNIFORM, (104, 117, 123))
    assert (train["label"].values, train["label"].low, train["label"].high, train["label"].shape) == (
        LABELS,
        0,
        4,
        (4,),
    )
    assert {item.top: item.shape[0] for item in inputs if item.net == 1} == {"data": 2, "label": 2}


def test_labels_leave_out_what_is_ignored(tmp_path: Path) -> None:
    net = NET.replace('top: "loss"', 'top: "loss" loss_param { ignore_label: 2 }')
    label = next(item for item in prepared(write(tmp_path, net), tmp_path / "work").job.inputs if item.top == "label")
    values = batch(label._replace(shape=(100,))._asdict(), 1, 0)
    assert set(values.tolist()) == {0, 1, 3, 4}


def test_pixels_lie_where_the_transform_leaves_them(tmp_path: Path) -> None:
    data = next(item for item in prepared(write(tmp_path), tmp_path / "work").job.inputs if item.top == "data")
    values = batch(data._replace(shape=(8, 3, 32, 32))._asdict(), 1, 0)
    assert values.dtype == numpy.float32
    for channel, mean in enumerate((104, 117, 123)):
        own = values[:, channel]
        assert own.min() == pytest.approx(-mean * 0.0125)
        assert own.max() == pytest.approx((255 - mean) * 0.0125)


def test_an_older_format_is_prepared_in_the_current_one(tmp_path: Path) -> None:
    net = (
        'layers { name: "data" type: DATA top: "data" top: "label" include { phase: TRAIN }\n'
        '  transform_param { crop_size: 8 } data_param { source: "none" batch_size: 4 } }\n'
        'layers { name: "fc" type: INNER_PRODUCT bottom: "data" top: "fc" inner_product_param { num_output: 5 } }\n'
        'layers { name: "loss" type: SOFTMAX_LOSS bottom: "fc" bottom: "label" }\n'
    )
    solver = write(tmp_path, net, 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed"')
    job = prepared(solver, tmp_path / "work").job
    made = load(Path(job.nets[0].path).read_bytes(), "net.prototxt").net
    assert made is not None
    assert [layer.type for layer in made.layers] == ["Input", "InnerProduct", "SoftmaxWithLoss"]
    assert [item.shape for item in job.inputs] == [(4, 3, 8, 8), (4,)]


def test_a_net_inside_the_solver_gets_a_file(tmp_path: Path) -> None:
    solver = tmp_path / "solver.prototxt"
    solver.write_text('base_lr: 0.1; lr_policy: "fixed"\nnet_param {\n' + NET + "}\ntest_iter: 1 test_interval: 5\n")
    job = prepared(solver, tmp_path / "work").job
    copy = Path(job.nets[1].path).read_text()
    assert "conv" in copy.splitlines()[NET.splitlines().index('  name: "conv"') + 2]
    assert f'net: "{job.nets[0].path}"' in Path(job.solver).read_text()
    assert "net_param" not in Path(job.solver).read_text()


def test_real_data_is_asked_for_and_not_there(tmp_path: Path) -> None:
    with pytest.raises(Unplanned, match='"no/such/lmdb" does not exist'):
        prepared(write(tmp_path), tmp_path / "work", data="real")


def test_a_shape_that_nothing_tells_is_guessed_and_told(tmp_path: Path) -> None:
    made = prepared(write(tmp_path, NET.replace("crop_size: 8 ", "")), tmp_path / "work")
    assert made.job.inputs[0].shape == (4, 3, 28, 28)
    assert made.notes[1] == 'TRAIN "data" is assumed to be 4x3x28x28; set it with --input-shape data=...'


def test_each_phase_has_its_own_batch(tmp_path: Path) -> None:
    """Layers of one name: the losses of some Caffes take the size of the first batch for good, and write beyond it."""
    job = prepared(write(tmp_path), tmp_path / "work").job
    shapes = [
        [tuple(shape.dim) for shape in layer.input_param.shape]
        for layer in text_format.Parse(Path(job.nets[0].path).read_bytes(), NetParameter()).layer
        if layer.type == "Input"
    ]
    assert shapes == [[(4, 3, 8, 8), (4,)], [(2, 3, 8, 8), (2,)]]


def test_a_data_set_is_known_by_its_name(tmp_path: Path) -> None:
    net = NET.replace("crop_size: 8 mean_value: 104 mean_value: 117 mean_value: 123 ", "")
    for name, shape in {"mnist_train_lmdb": (4, 1, 28, 28), "cifar10/train": (4, 3, 32, 32)}.items():
        made = prepared(write(tmp_path, net.replace("no/such/lmdb", f"no/{name}")), tmp_path / name[:5])
        assert made.job.inputs[0].shape == shape


def test_a_shape_is_guessed_where_no_shape_would_do(tmp_path: Path) -> None:
    net = NET.replace("crop_size: 8 ", "").replace("SoftmaxWithLoss", "EuclideanLoss")
    made = prepared(write(tmp_path, net), tmp_path / "work")
    assert made.job.inputs[0].shape == (4, 3, 28, 28)
    assert [refusal.layer for refusal in made.built[0].refusals] == ["loss"]


def test_real_data_has_the_shape_that_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    h5py = pytest.importorskip("h5py")
    monkeypatch.chdir(tmp_path)
    with h5py.File("data.h5", "w") as file:
        file["data"], file["label"] = numpy.zeros((8, 3, 8, 8), "f"), numpy.zeros(8, "f")
    Path("files.txt").write_text("data.h5\n")
    layer = 'layer { name: "data" type: "HDF5Data" top: "data" top: "label"\n'
    layer += '  hdf5_data_param { source: "files.txt" batch_size: 4 } }\n'
    project = load_project(str(write(tmp_path, layer + CONV + LOSS)), Config(), {"data": (4, 3, 5, 5)})
    Path("work").mkdir()
    made = prepare(project, Wishes(), Path("work"))
    assert made.job.inputs[0].shape == (4, 3, 8, 8)
    assert '"data" is 4x3x8x8 in the real TRAIN data; --input-shape is ignored' in made.notes


@pytest.mark.parametrize(
    ("net", "solver", "message"),
    [
        (NET, 'net: "gone.prototxt"', '"gone.prototxt" does not exist'),
        (NET, "base_lr: 0.1", "there is no net to train"),
        (NET, DATA + CONV + LOSS, "this is a net; give the solver"),
    ],
)
def test_no_project(tmp_path: Path, net: str, solver: str, message: str) -> None:
    with pytest.raises(NoProject, match=message):
        prepared(write(tmp_path, net, solver), tmp_path / "work")


def test_names_of_any_kind_come_through(tmp_path: Path) -> None:
    """As the real protobuf reads them, in the copy as in the original."""
    written = r"""da\"ta\n} 'x \\ \303\251"""
    net = NET.replace('"data"', f'"{written}"').replace('"label"', r"'la\"bel'")
    solver = write(tmp_path, net)
    job = prepared(solver, tmp_path / 'wo"rk').job
    copy, before = (text_format.Parse(text, NetParameter()) for text in (Path(job.nets[0].path).read_bytes(), net))
    assert [(layer.name, *layer.top) for layer in copy.layer] == [(layer.name, *layer.top) for layer in before.layer]
    assert text_format.Parse(Path(job.solver).read_bytes(), SolverParameter()).net == job.nets[0].path
