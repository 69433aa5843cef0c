"""What the nets beside a file tell of the Caffe that reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.cli.main import main
from caffelint.fix.upgrade import neighbours, upgrade_text
from caffelint.fix.upgrade.neighbours import Neighbours

PLAIN = 'layers { name: "r" type: RELU bottom: "a" top: "a" }\n'
INPUT = 'input: "a" input_dim: 1 input_dim: 1 input_dim: 2 input_dim: 2\n'
C3D = (
    'name: "c3d"\nlayers { name: "v" type: VIDEO_DATA top: "a" image_data_param { new_length: 16 use_image: true } }\n'
)
"""Fields of a Caffe that reads no newer format."""
CURRENT = 'layer { name: "r" type: "ReLU" bottom: "a" top: "a" }\n'
TSN = (
    'layer { name: "v" type: "VideoData" top: "a" video_data_param { source: "s" modality: FLOW }'
    " transform_param { more_crop: true } }\n"
)
"""Fields of a Caffe that reads the current format, and has no layer of type Input."""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(**texts: str) -> None:
    for name, text in texts.items():
        path = Path(name.replace("__", "/")).with_suffix(".prototxt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _upgraded(*paths: str) -> list[str]:
    before = {path: path.read_bytes() for path in Path().rglob("*.prototxt")}
    assert main(["upgrade", *(paths or ["."])]) == 0
    return sorted(str(path.with_suffix("")) for path, old in before.items() if path.read_bytes() != old)


def test_a_project_of_an_old_fork_is_left_alone_and_told_in_two_lines(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(examples__c3d__train=C3D, examples__mnist__train=PLAIN, examples__mnist__test=PLAIN, examples__deploy=INPUT)
    _write(examples__mnist__solver="solver_type: SGD")
    assert _upgraded() == []
    c3d, old = "C3D (facebookarchive/C3D), which", "the old format: its project is for"
    see = '(see "examples/c3d/train.prototxt"); give --dialect bvlc to upgrade anyway'
    assert capsys.readouterr().err.splitlines() == [
        f"caffelint: examples/c3d/train.prototxt:2: stays in the old format: made for {c3d} reads no newer format",
        f"caffelint: examples/deploy.prototxt:1: stays in {old} {c3d} has no layer type Input {see}",
        f"caffelint: examples/mnist/solver.prototxt:1: stays in {old} {c3d} has no field type in a solver {see}",
        f"caffelint: 2 files stay in {old} {c3d} reads no newer format {see}",
        "  examples/mnist/test.prototxt:1",
        "  examples/mnist/train.prototxt:1",
        "upgraded no files; 5 in the newest format that their Caffe reads",
    ]
    assert main(["upgrade", "--dialect", "bvlc", "examples/mnist"]) == 0
    assert Path("examples/mnist/train.prototxt").read_text() == CURRENT


def test_of_many_that_are_kept_a_few_are_named(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(c3d=C3D, **{f"n{number}": PLAIN for number in range(7)})
    assert _upgraded() == []
    names = "".join(f"  n{number}.prototxt:1\n" for number in range(5))
    assert f"upgrade anyway\n{names}  and 2 more (-v names all)\n" in capsys.readouterr().err
    assert main(["upgrade", "-v", "."]) == 0
    assert capsys.readouterr().err.count(".prototxt:1\n") == 7


def test_the_nearest_nets_tell_and_what_contradicts_itself_tells_nothing(tree: Path) -> None:
    _write(old__a__c3d=C3D, old__b__lenet=PLAIN, new__current=CURRENT, new__lenet=PLAIN, other__lenet=PLAIN)
    assert _upgraded() == ["new/lenet", "other/lenet"]
    assert _upgraded() == []


def test_another_checkout_tells_nothing(tree: Path) -> None:
    _write(c3d=C3D, module__lenet=PLAIN)
    (tree / "module/.git").mkdir()
    assert _upgraded() == ["module/lenet"]


def test_an_older_version_of_bvlc_is_no_fork_to_stay_with(tree: Path) -> None:
    _write(oldest='layers { layer { name: "d" type: "data" subtraction: "x" } top: "a" }', lenet=PLAIN)
    main(["upgrade", "."])
    assert Path("lenet.prototxt").read_text() == CURRENT


def test_a_file_that_is_named_alone_knows_its_neighbours(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a hook, which names the files of a commit, would undo what `upgrade .` means."""
    _write(c3d=C3D, examples__lenet=PLAIN, examples__mnist__lenet=PLAIN)
    assert _upgraded("examples/lenet.prototxt") == _upgraded("examples/mnist") == []
    monkeypatch.chdir("examples/mnist")
    (tree / ".git").mkdir()
    assert _upgraded("lenet.prototxt") == []
    (tree / ".git").rmdir()
    assert _upgraded("lenet.prototxt") == ["lenet"]  # only a checkout tells that its project begins further up


def test_what_is_excluded_tells_nothing(tree: Path) -> None:
    _write(c3d=C3D, lenet=PLAIN)
    Path("caffelint.toml").write_text('exclude = ["c3d*"]\n')
    assert _upgraded("lenet.prototxt") == ["lenet"]


def test_few_files_of_a_large_project_are_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(a__c3d=C3D, z__c3d=C3D, z__lenet=PLAIN)
    monkeypatch.setattr(neighbours, "_MOST_FILES", 1)
    assert _upgraded("z/lenet.prototxt") == []
    monkeypatch.setattr(neighbours, "_MOST_FILES", 0)
    assert _upgraded("z/lenet.prototxt") == ["z/lenet"]


def test_few_bytes_of_a_large_project_are_read(tree: Path) -> None:
    """Or the upgrade of one small file would take seconds, for what lies beside it."""
    _write(c3d=C3D + "#" * (2 << 20), lenet=PLAIN)
    assert _upgraded("lenet.prototxt") == ["lenet"]
    _write(c3d=C3D + "#" * (1 << 20), lenet=PLAIN)
    assert _upgraded("lenet.prototxt") == []


def _of_type(layer: str) -> str:
    return f'layer {{ name: "l" type: "{layer}" bottom: "a" bottom: "b" top: "c" }}\n'


def test_layer_types_tell_as_fields_do(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(seal__train=INPUT + _of_type("MultiChannelReweightedSigmoidCrossEntropyLoss"), seal__deploy=INPUT + CURRENT)
    assert _upgraded() == []
    assert "for SEAL (Chrisding/seal), which has no layer type Input" in capsys.readouterr().err
    assert _upgraded("seal/deploy.prototxt") == []


def test_layer_types_of_many_forks_or_of_none_tell_nothing(tree: Path) -> None:
    for number, layer in enumerate(["LSTM", "OurOwnLayer"]):
        _write(**{f"n{number}": INPUT + _of_type(layer)})
    assert len(_upgraded()) == 2


def test_inputs_stay_where_the_forks_that_fit_disagree(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(n=INPUT + _of_type("ROIPooling"))
    assert _upgraded() == []
    err = capsys.readouterr().err
    assert "made for Faster R-CNN (rbgirshick/caffe-fast-rcnn)" in err
    assert "which have no layer type Input, or for Intel Caffe" in err
    assert main(["upgrade", "--dialect", "fasterrcnn", "."]) == 0
    assert Path("n.prototxt").read_text().startswith("input")
    assert main(["check", "--select", "legacy-format", "--dialect", "fasterrcnn", "."]) == 0
    assert "P008" not in capsys.readouterr().out
    assert main(["upgrade", "--dialect", "intel", "."]) == 0
    assert Path("n.prototxt").read_text().startswith("layer")


def test_engines_that_are_no_caffe_do_not_count(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    field = 'layer { name: "l" type: "Lstm" bottom: "a" lstm_param { num_output: 3 clipping_threshold: 0.1 } }\n'
    _write(net=INPUT + field)
    assert _upgraded() == []
    assert "caffe-lstm" in capsys.readouterr().err


def test_fields_tell_where_layer_types_contradict_them(tree: Path) -> None:
    """An Input layer is known in SSD, which has the field, and not in SEAL, which has the type."""
    field = 'layer { name: "l" type: "ReLU" bottom: "a" top: "c" norm_param { across_spatial: false } }\n'
    _write(net=INPUT + field + _of_type("MultiChannelReweightedSigmoidCrossEntropyLoss"))
    assert _upgraded() == ["net"]


def test_inputs_stay_where_the_neighbours_have_no_input_layer(tree: Path) -> None:
    _write(train=TSN, deploy=INPUT + PLAIN)
    assert _upgraded() == ["deploy"]
    assert Path("deploy.prototxt").read_text() == INPUT + CURRENT


def test_what_changes_during_a_run_tells_what_it_told_before(tree: Path) -> None:
    _write(a=INPUT + PLAIN, b=PLAIN)
    beside = Neighbours(["a.prototxt", "b.prototxt"])
    first = upgrade_text(Path("a.prototxt").read_bytes(), "a.prototxt", neighbours=beside)
    Path("a.prototxt").write_text(C3D)
    assert first.changed
    assert upgrade_text(PLAIN.encode(), "b.prototxt", neighbours=beside).changed


def test_the_fix_of_legacy_format_does_alike(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(c3d=C3D, lenet=PLAIN)
    assert main(["check", "--fix", "--select", "legacy-format", "."]) == 0
    assert Path("lenet.prototxt").read_text() == PLAIN
    assert capsys.readouterr().err == (
        "caffelint: lenet.prototxt:1: stays in the old format: its project is for C3D (facebookarchive/C3D), which"
        ' reads no newer format (see "c3d.prototxt"); give --dialect bvlc to upgrade anyway\n'
    )
    assert main(["check", "--fix", "--select", "legacy-format", "--dialect", "bvlc", "."]) == 0
    assert Path("lenet.prototxt").read_text() == CURRENT
