"""Of which net of a project the weights are that its scripts give a training."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.lint.project.bases import loaded_by

SOLVER = 'net: "{}.prototxt" base_lr: 0.1 max_iter: 100 snapshot: 100 snapshot_prefix: "{}"\n'
LAYER = 'layer {{ name: "{}" type: "ReLU" bottom: "x" top: "x" }}\n'


@pytest.mark.parametrize(
    ("script", "net", "layers"),
    [
        ("caffe train --solver=b/solver.prototxt --weights=snaps/first_iter_100.caffemodel", "a/a.prototxt", ("of_a",)),
        # From a clone elsewhere, and by the name of the net alone.
        (
            "cd /home/me/clone\ncaffe train --solver b/solver.prototxt --weights c.caffemodel",
            "c_deploy.prototxt",
            ("of_c",),
        ),
        ("caffe train --solver=b/solver.prototxt --weights=model.caffemodel", None, ()),
        ("caffe train --solver=b/solver.prototxt --weights=c.caffemodel,d.caffemodel", None, ()),
        ("caffe train --solver=b/solver.prototxt --weights=vgg.caffemodel", None, ()),
        ("caffe train --solver=no/solver.prototxt --weights=c.caffemodel", None, ()),
        (
            "caffe train --solver=b/solver.prototxt --weights=c.caffemodel\n"
            "caffe train --solver=b/solver.prototxt --weights=snaps/first_iter_100.caffemodel",
            None,
            (),
        ),
    ],
)
def test_weights_by_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, net: str | None, layers: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, prefix in (("a", "first"), ("b", "second")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "solver.prototxt").write_text(SOLVER.format(name, prefix))
        (folder / f"{name}.prototxt").write_text(LAYER.format(f"of_{name}"))
    for name in ("c_deploy", "model"):
        (tmp_path / f"{name}.prototxt").write_text(LAYER.format(f"of_{name[0]}"))
    (tmp_path / "train.sh").write_text(script + "\n")
    found = loaded_by(str(tmp_path), str(tmp_path / "b" / "solver.prototxt"))
    assert (found.net, found.layers) == (net, layers) if found else net is None
