"""What the scripts of a repository tell of its solvers, read as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted import SOLVER, clear

import caffelint
from caffelint.lint.project import scripts
from caffelint.project.mentions import Mention
from caffelint.project.scripts import Script
from caffelint.project.solver_runs import Runs, runs_of

NET = """
layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 1 dim: 3 dim: 9 dim: 9 } } }
layer { name: "l" type: "Input" top: "l" input_param { shape { dim: 1 dim: 3 dim: 18 dim: 18 } } }
layer { name: "u" type: "Deconvolution" bottom: "d" top: "u" param { lr_mult: 0 }
  convolution_param { num_output: 3 kernel_size: 2 stride: 2 bias_term: false } }
layer { name: "loss" type: "EuclideanLoss" bottom: "u" bottom: "l" }
"""


def found() -> dict[str, tuple[str, str]]:
    clear()
    report = caffelint.check(".")
    assert not report.failures
    return {one.name: (one.severity, one.message) for one in report.findings}


def test_a_net_that_a_script_writes_is_no_warning(repository: Path) -> None:
    assert found()["net-file-not-found"][0] == "info"
    (repository / "gen.py").write_text("import caffe\n\nprint('models/train.prototxt')\n")
    assert found()["net-file-not-found"][0] == "info"
    (repository / "gen.py").write_text("import caffe\n\nwith open('models/train.prototxt', 'w') as file:\n  pass\n")
    severity, message = found()["net-file-not-found"]
    assert severity == "info"
    assert message.endswith("is not there yet, so it is not checked; gen.py:3 seems to write it")


@pytest.mark.parametrize(
    ("text", "is_written"),
    [
        ("import caffe\npath = 'models/train.prototxt'\nopen('log', 'w')\nnet = caffe.Net(path, 1)\n", False),
        ("import caffe\npath = 'models/train.prototxt'\nlog = 1\nwith open(path, 'w') as file:\n  pass\n", True),
        ("import caffe\nopen('log', 'w')\nsolve('models/train.prototxt')\n", False),
        ("import caffe\ndef solve(path):\n  open(path, 'w')\n\nsolve('models/train.prototxt')\n", True),
        ("import caffe\nwith open(\n    'models/train.prototxt', 'w') as file:\n  pass\n", True),
        ("# caffe\nNET=models/train.prototxt\ncp a.prototxt b\nsed -e s/a/b/ a.prototxt > $NET\n", True),
        ("# caffe\nNET=models/train.prototxt\ncaffe test -model $NET > log\n", False),
        ("# caffe\nsed -e s/a/b/ a.prototxt > models/train.prototxt\n", True),
        ("# caffe\nsed -e s/a/b/ a.prototxt > other/train.prototxt\n", False),
        ("# caffe\npython fill.py a.prototxt -o ../models/train.prototxt -t data\n", True),
        ("# caffe\npython fill.py -o log models/train.prototxt\n", False),
    ],
)
def test_who_only_speaks_of_a_net_does_not_write_it(repository: Path, text: str, is_written: bool) -> None:
    (repository / "other").mkdir()
    (repository / "other/train.prototxt").write_text("")
    (repository / "gen.py").write_text(text)
    assert ("seems to write it" in found()["net-file-not-found"][1]) is is_written


@pytest.mark.parametrize("name", ["auto_train.prototxt", "my-train.prototxt", "pretrain.prototxt"])
def test_a_net_is_named_by_its_whole_name(repository: Path, name: str) -> None:
    (repository / "gen.py").write_text(f"import caffe\nwith open('models/{name}', 'w') as file:\n  pass\n")
    assert "seems to write it" not in found()["net-file-not-found"][1]
    (repository / "gen.py").write_text("import caffe\nopen('models/%strain.prototxt' % '', 'w')\n")
    assert "seems to write it" in found()["net-file-not-found"][1]


def test_the_scripts_of_a_caffe_speak_of_what_is_in_it(repository: Path) -> None:
    caffe = repository / "caffe"
    (caffe / "src/caffe/proto").mkdir(parents=True)
    (caffe / "src/caffe/proto/caffe.proto").write_text("")
    (caffe / "gen.py").write_text(
        "import caffe\nopen('train.prototxt', 'w')\nsolver = caffe.SGDSolver(a)\nsolver.step(1)\n"
    )
    assert "seems to write it" not in found()["net-file-not-found"][1]
    assert found()["no-max-iter"][0] == "warning"
    (repository / "models").rename(caffe / "models")
    assert "seems to write it" in found()["net-file-not-found"][1]
    assert "no-max-iter" not in found()


def test_what_bvlc_ships_speaks_of_what_it_names_by_a_path(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import caffe\nopen('%s', 'w')\nsolver = caffe.SGDSolver('%s')\nsolver.step(1)\nnet.copy_from(weights)\n"
    (repository / "examples").mkdir()
    monkeypatch.setattr(scripts, "shipped_script", lambda path, data: str(repository))
    (repository / "examples/a.py").write_text(text % ("train.prototxt", "solver.prototxt"))
    assert "seems to write it" not in found()["net-file-not-found"][1]
    assert found()["no-max-iter"][0] == "warning"
    (repository / "models/solver.prototxt").write_text(SOLVER.replace("train.p", "models/train.p"))
    (repository / "examples/a.py").write_text(text % ("models/train.prototxt", "models/solver.prototxt"))
    assert "seems to write it" in found()["net-file-not-found"][1]
    (script,) = scripts._scripts(str(repository))
    runs = runs_of([script], str(repository / "models"), "solver.prototxt", ())
    assert runs.loads == Mention("examples/a.py", 5)
    elsewhere = Script("a.py", "/top/caffe/examples", script.text, "/top/caffe", True)
    assert runs_of([elsewhere], "/top/models", "solver.prototxt", ()).loads is None


def test_max_iter_may_not_be_missing_if_a_script_solves(repository: Path) -> None:
    (repository / "models/solver.prototxt").write_text(SOLVER + "\nsnapshot: 0")
    assert found()["no-max-iter"][0] == "info"
    run = "import caffe\nsolver = caffe.SGDSolver('models/solver.prototxt')\nsolver.solve()\n"
    (repository / "train.py").write_text(run)
    severity, message = found()["no-max-iter"]
    assert severity == "warning"
    assert "so solver.solve() in train.py:3 runs no iteration" in message
    (repository / "train.py").write_text(run.replace("models/", "others/"))
    assert found()["no-max-iter"][0] == "info"


def test_max_iter_may_be_missing_if_a_script_steps(repository: Path) -> None:
    assert found()["no-max-iter"][0] == "warning"
    (repository / "train.py").write_text("solver = caffe.SGDSolver(path)\nwhile True: self.solver.step(1)\n")
    assert "no-max-iter" not in found()
    (repository / "train.py").unlink()
    (repository / "Dqn.java").write_text("FloatSolver caffeSolver; // JavaCPP\ncaffeSolver.Step(1);\n")
    assert "no-max-iter" not in found()


def test_a_script_speaks_of_the_solvers_of_its_own_project(repository: Path) -> None:
    (repository / "other/tools").mkdir(parents=True)
    (repository / "other/tools/train.py").write_text("solver = caffe.SGDSolver(path)\nsolver.step(1)\n")
    assert "no-max-iter" not in found()
    (repository / "other/solver.prototxt").write_text(SOLVER + " max_iter: 9")
    assert found()["no-max-iter"][0] == "warning"


def test_a_script_that_names_other_solvers_speaks_of_these(repository: Path) -> None:
    (repository / "other").mkdir()
    (repository / "other/solver.prototxt").write_text(SOLVER + " max_iter: 9")
    text = "solver = caffe.SGDSolver('other/solver.prototxt')\nsolver.step(1)\n"
    (repository / "train.py").write_text(text)
    assert found()["no-max-iter"][0] == "warning"
    (repository / "train.py").write_text(text.replace("other", "models"))
    assert "no-max-iter" not in found()
    (repository / "train.py").write_text("import argparse\n" + text)  # the one that it names is its default
    assert "no-max-iter" not in found()


@pytest.mark.parametrize(
    ("name", "mark"), [("train.py", "#"), ("train.sh", "  # "), ("train.m", "%"), ("Train.java", "// ")]
)
def test_what_is_a_comment_of_a_script_is_not_done(repository: Path, name: str, mark: str) -> None:
    text = "% caffe\nsolver.step(1)\n"
    (repository / name).write_text(text)
    assert "no-max-iter" not in found()
    (repository / name).write_text(text.replace("solver.", f"{mark}solver."))
    assert found()["no-max-iter"][0] == "warning"


def test_a_type_is_ignored_where_a_script_builds_an_sgd_solver(repository: Path) -> None:
    (repository / "models/solver.prototxt").write_text(SOLVER + ' type: "adam" max_iter: 9')
    assert found()["unknown-solver-type"][0] == "error"
    (repository / "train.py").write_text("import caffe\nsolver = caffe.SGDSolver(path)\n")
    severity, message = found()["unknown-solver-type"]
    assert severity == "info"
    assert "ignored where a script builds an SGDSolver" in message
    (repository / "train.sh").write_text("build/tools/caffe train --solver=models/solver.prototxt\n")
    assert found()["unknown-solver-type"][0] == "error"


def test_base_lr_may_be_missing_if_a_script_writes_one(repository: Path) -> None:
    (repository / "models/solver.prototxt").write_text(SOLVER.replace("base_lr: 0.1", "max_iter: 9"))
    assert found()["no-base-lr"][0] == "error"
    (repository / "train.sh").write_text('cp models/solver.prototxt s\necho "base_lr: $1" >> s\n')
    assert "no-base-lr" not in found()


@pytest.mark.parametrize(
    ("script", "severity"),
    [
        ('S = """train_net: \'{NET}\'"""\nsolver = caffe.get_solver_from_string(S.format(NET=net))\n', "info"),
        ("s = caffe_pb2.SolverParameter()\ns.train_net = path\n", "info"),
        ("# caffe\necho 'net: \"a.prototxt\"' >> models/solver.prototxt\n", "info"),
        ("import caffe\nfrom train import train_net\ntrain_net(path)\n", "error"),
        ("# caffe\n# train_net: 9\n", "error"),
    ],
)
def test_the_net_may_be_missing_if_a_script_writes_one(repository: Path, script: str, severity: str) -> None:
    (repository / "models/solver.prototxt").write_text("base_lr: 0.1 max_iter: 9")
    (repository / "train.py").write_text(script)
    assert found()["no-train-net"][0] == severity


def test_a_net_without_loss_may_get_its_gradients_from_a_script(repository: Path) -> None:
    (repository / "models/train.prototxt").write_text(NET[: NET.index('layer { name: "loss"')])
    assert found()["no-loss"][0] == "info"
    script = "gan = caffe.AdamSolver('models/solver.prototxt')\ngan.net.blobs['u'].diff[...] = other.blobs['d'].diff\n"
    (repository / "train.py").write_text(script)
    assert "no-loss" not in found()


def test_upsampling_without_fillers_is_filled_by_a_script_of_that_solver(repository: Path) -> None:
    (repository / "models/train.prototxt").write_text(NET)
    surgery = "solver = caffe.SGDSolver('solver.prototxt')\nsurgery.interp(solver.net, layers)\n"
    assert found()["deconvolution-without-filler"][0] == "warning"
    (repository / "solve.py").write_text(surgery)
    (repository / "other").mkdir()
    (repository / "other/solver.prototxt").write_text(SOLVER)
    assert found()["deconvolution-without-filler"][0] == "info", "it may be of another solver.prototxt"
    (repository / "models/solve.py").write_text(surgery)
    assert "deconvolution-without-filler" not in found()


def test_a_net_without_fillers_is_trained_on_weights_where_any_training_is(repository: Path) -> None:
    layers = (
        f'layer {{ name: "c{i}" type: "InnerProduct" bottom: "d" top: "d" inner_product_param {{ num_output: 9 }} }}'
        for i in range(5)
    )
    (repository / "models/train.prototxt").write_text(NET.replace('"Deconvolution"', '"ReLU"') + "".join(layers))
    assert found()["missing-weight-filler"][0] == "warning"
    (repository / "models/solver.prototxt").write_text(SOLVER.replace("0.1", "0.0001"))
    assert found()["missing-weight-filler"][0] == "info", "nobody starts a net with so low a rate"
    (repository / "models/solver.prototxt").write_text(SOLVER)
    (repository / "train.sh").write_text("caffe train --solver $1 --weights vgg.caffemodel\n")
    assert found()["missing-weight-filler"][0] == "info"


@pytest.mark.parametrize("line", ["solver.net.forward_prefilled();", "cnna.apply_update();"])
def test_a_net_may_be_run_by_hand(repository: Path, line: str) -> None:
    (repository / "models/train.prototxt").write_text(NET[: NET.index('layer { name: "loss"')])
    (repository / "track.m").write_text(f"caffe.Solver(path)\n{line}\n")
    assert not {"no-loss", "no-max-iter"} & found().keys()


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("caffe train --solver models/solver.prototxt --weights a.caffemodel", True),
        ("s = caffe.get_solver('models/solver.prototxt')\ns.net.copy_from(path)", True),
        ("caffe train --solver models/solver.prototxt", False),
        ("caffe train --solver other/solver.prototxt --weights a.caffemodel", False),
        ("caffe train --solver=/home/a/work/solver.prototxt --weights a.caffemodel", True),
        ("caffe_mex('init_solver', 'solver.prototxt', 'pretrained', 'log');", True),
        ("caffe_mex('init_solver', 'solver.prototxt', '', 'log');", False),
    ],
)
def test_weights(text: str, loads: bool) -> None:
    runs = runs_of([Script("run.sh", "/top", text)], "/top/models", "solver.prototxt", ())
    assert (runs.loads is not None) == loads


@pytest.mark.parametrize(
    ("path", "is_meant"),
    [
        ("/home/a/b/models/solver.prototxt", True),
        ("/home/a/other/solver.prototxt", False),
        ("/home/a/third/solver.prototxt", False),
        ("solver.prototxt", False),
    ],
)
def test_a_path_of_another_machine_means_the_solver_with_its_longest_end(path: str, is_meant: bool) -> None:
    script = Script("run.sh", "/top", f"caffe train --solver={path} --weights a.caffemodel")
    runs = runs_of([script], "/top/b/models", "solver.prototxt", (), lambda: ("/top/b/models", "/top/other"))
    assert (runs.trains_on is not None) == is_meant


def test_who_also_trains_from_scratch_is_judged_so() -> None:
    tuned = Script("a.sh", "/top", "caffe train --solver=m/solver.prototxt --weights a.caffemodel")
    fresh = Script("b.sh", "/top", "caffe train --solver=m/solver.prototxt")
    assert runs_of([tuned], "/top/m", "solver.prototxt", ()).trains_on == Mention("a.sh", 1)
    assert runs_of([tuned, fresh], "/top/m", "solver.prototxt", ()).trains_on is None


def test_weights_that_a_script_gives_hold_what_is_frozen(repository: Path) -> None:
    inner = """layer { name: "%s" type: "InnerProduct" bottom: "%s" top: "%s" param { lr_mult: %d }
      inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }"""
    layers = inner % ("a", "d", "a", 1) + inner % ("b", "a", "b", 0) + inner % ("c", "b", "c", 1)
    net = NET[: NET.index('layer { name: "u"')].replace("dim: 18 dim: 18", "dim: 1 dim: 1")
    loss = 'layer { name: "loss" type: "EuclideanLoss" bottom: "c" bottom: "l" }'
    (repository / "models/train.prototxt").write_text(net + layers + loss)
    told = [one.message for one in caffelint.check(".").findings if one.name == "frozen-without-weights"]
    assert "keeps the random weights" in told[0]
    (repository / "train.sh").write_text("caffe train --solver=/a/models/solver.prototxt --weights=b.caffemodel\n")
    clear()
    told = [one.message for one in caffelint.check(".").findings if one.name == "frozen-without-weights"]
    assert told == [
        'InnerProduct "b": lr_mult is 0, but the layers before and after it learn; set lr_mult: 1 if it should, too'
    ]


def test_what_a_script_hands_over_is_frozen_on_purpose(repository: Path) -> None:
    inner = """layer { name: "%s" type: "InnerProduct" bottom: "%s" top: "%s" param { lr_mult: %d }
      inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }"""
    net = NET[: NET.index('layer { name: "u"')].replace("dim: 18 dim: 18", "dim: 1 dim: 1")
    loss = 'layer { name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "l" }'
    (repository / "models/train.prototxt").write_text(
        net + inner % ("a", "d", "a", 1) + inner % ("b", "a", "b", 0) + loss
    )
    assert "frozen-without-weights" in found()
    script = "import caffe\ns, d = [caffe.get_solver(p) for p in ('models/solver.prototxt', 'd.prototxt')]\n"
    (repository / "train.py").write_text(script + "for k in 'b':\n  p = s.net.params[k][0]\n  p.data[...] = w[k]\n")
    assert "frozen-without-weights" not in found()


def test_a_script_sets_the_gradient_of_a_blob_wherever_the_solver_is_named(repository: Path) -> None:
    data = 'layer { name: "i" type: "DummyData" top: "i" dummy_data_param { shape { dim: 1 } } }'
    (repository / "models/train.prototxt").write_text(data + NET[: NET.index('layer { name: "loss"')])
    assert found()["no-loss"][0] == "error"
    (repository / "learn.py").write_text("import caffe\nprint(net.blobs['u'].diff[0] == 1)\n")
    assert found()["no-loss"][0] == "error"
    (repository / "learn.py").write_text("import caffe\nnet.blobs['u'].diff[0][i] = gradients[i]\n")
    assert "no-loss" not in found()


def test_who_trains_is_named_before_who_does_not(repository: Path) -> None:
    (repository / "models/train.prototxt").write_text(NET)
    (repository / "demo.py").write_text("import caffe\nimport surgery\nsurgery.interp(caffe.Net(path), layers)\n")
    (repository / "train.py").write_text("import surgery\ns = caffe.SGDSolver(path)\nsurgery.interp(s.net, layers)\n")
    clear()
    (one,) = [one for one in caffelint.check(".").findings if one.name == "deconvolution-without-filler"]
    assert one.evidence == "train.py:3 seems to set such weights"


def test_a_step_is_one_of_a_solver() -> None:
    assert Script("a.py", "/", "optimizer.step()").steps is None
    assert str(Script("a.py", "/", "\nself.solver.step(1)").steps) == "a.py:2"
    assert str(Script("a.py", "/", "s = caffe.SGDSolver(path)\ns.step(1)").steps) == "a.py:2"
    assert Runs().writer("a") is None


@pytest.mark.parametrize(
    ("script", "severity"),
    [
        ("", "warning"),
        ("net = caffe.Net('models/features.prototxt', caffe.TEST)", "info"),
        ("build/tools/extract_features w.caffemodel models/features.prototxt fc7 out 10 lmdb", "info"),
        ("caffe test -model models/features.prototxt -weights w.caffemodel", "info"),
        ("net = caffe.Net('models/features.prototxt', caffe.TEST)\nsolver = caffe.SGDSolver(path)", "warning"),
        ("net = caffe.Net('other/features.prototxt', caffe.TEST)", "warning"),
    ],
)
def test_a_net_that_a_script_builds_without_a_solver_is_not_trained(
    repository: Path, script: str, severity: str
) -> None:
    idle = 'layer { name: "x" type: "InnerProduct" bottom: "d" top: "x" inner_product_param { num_output: 2 } }'
    data = 'layer { name: "p" type: "Data" top: "p" include { phase: TRAIN } data_param { source: "a" batch_size: 1 } }'
    (repository / "models/features.prototxt").write_text(NET + idle + data)
    (repository / "run.sh").write_text(script)
    assert found()["unused-blob"][0] == severity


@pytest.mark.parametrize(
    ("script", "severity"),
    [
        ("caffe train --solver solver.prototxt --weights a.caffemodel", "info"),
        ("caffe train --solver $1 --weights a.caffemodel", "warning"),
        ("caffe train --solver solver.prototxt", "warning"),
    ],
)
def test_statistics_may_be_those_of_weights_that_a_script_loads(repository: Path, script: str, severity: str) -> None:
    norm = 'layer { name: "n" type: "BatchNorm" bottom: "d" top: "n" batch_norm_param { use_global_stats: true } }\n'
    above, below = NET.replace('bottom: "d" top: "u"', 'bottom: "n" top: "u"').split('layer { name: "u"')
    net = f'{above}{norm}layer {{ name: "u"{below}'.replace("param { lr_mult: 0 }", "").replace(
        "bias_term: false", 'weight_filler { type: "xavier" }'
    )
    (repository / "models/train.prototxt").write_text(net)
    (repository / "models/train.sh").write_text(script)
    assert found()["global-stats-in-training"][0] == severity


def test_max_iter_means_nothing_where_a_script_steps(repository: Path) -> None:
    falls = 'net: "train.prototxt" base_lr: 0.1 lr_policy: "step" gamma: 0.1 stepsize: 9 max_iter: 9000'
    (repository / "models/solver.prototxt").write_text(falls)
    assert found()["learning-rate-vanishes"][0] == "warning"
    (repository / "train.py").write_text("s = caffe.SGDSolver(path)\nwhile s.iter < 20: s.step(1)\n")
    assert found()["learning-rate-vanishes"][0] == "info"


@pytest.mark.parametrize(
    ("script", "other", "severity"),
    [
        ("s = caffe.SGDSolver('models/solver.prototxt')\ns.step(9)", "", "warning"),
        ("path = 'models/solver.prototxt'\ns = caffe.SGDSolver(path)\ns.step(9)", "", "warning"),
        ("s = caffe.get_solver('models/solver.prototxt')\ns.step(9)", "", ""),
        ("# s = caffe.SGDSolver('models/solver.prototxt')\ns.step(9)", "", ""),
        ("s = caffe.SGDSolver('other/solver.prototxt')\ns.step(9)", "", ""),
        ("s = caffe.SGDSolver('models/solver.prototxt')\ns.step(9)", "caffe train -solver models/solver.prototxt", ""),
    ],
)
def test_an_sgd_solver_is_one_whatever_the_file_says(repository: Path, script: str, other: str, severity: str) -> None:
    solver = f'{SOLVER} max_iter: 9000 type: "AdaDelta" momentum: 0.9'
    (repository / "models/solver.prototxt").write_text(solver)
    (repository / "models/train.prototxt").write_text(NET)
    (repository / "run.py").write_text(script)
    (repository / "train.sh").write_text(other)
    assert found().get("solver-type-ignored", ("",))[0] == severity
    (repository / "models/solver.prototxt").write_text(solver.replace("AdaDelta", "SGD"))
    assert "solver-type-ignored" not in found()


DEPLOY = """
layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "train_lmdb" } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize(
    ("script", "is_told"),
    [
        ("net = caffe.Net('models/deploy.prototxt', 1)\nd = net.backward(start='fc')\n", False),
        ("net = caffe.Net('models/deploy.prototxt', 1)\n# d = net.backward()\n", True),
        ("net = caffe.Net('models/other.prototxt', 1)\nd = net.backward(start='fc')\n", True),
    ],
)
def test_a_deploy_net_that_is_run_backward_has_its_loss(repository: Path, script: str, is_told: bool) -> None:
    (repository / "models/deploy.prototxt").write_text(DEPLOY)
    (repository / "saliency.py").write_text(script)
    assert ("deploy-reads-training-data" in found()) is is_told


CONVS = "".join(
    f' layer {{ name: "c{i}" type: "Convolution" bottom: "b{i - 1}" top: "b{i}"'
    " convolution_param { num_output: 8 kernel_size: 3 } }"
    for i in (1, 2, 3)
)
DATA = 'layer { name: "data" type: "Data" top: "b0" top: "label" include { phase: TRAIN } data_param { source: "db" } }'
INPUT = 'layer { name: "data" type: "Input" top: "b0" input_param { shape { dim: 1 dim: 3 dim: 9 dim: 9 } } }'
SIGMOID = ' layer { name: "s" type: "Sigmoid" bottom: "b3" top: "s" }'
DISTANCE = ' layer { name: "loss" type: "EuclideanLoss" bottom: "s" bottom: "label" top: "loss" }'


@pytest.mark.parametrize(
    ("script", "is_told"),
    [
        ("print(expit(net.forward()))", False),
        ("print(1 / (1 + np.exp(-net.forward())))", False),
        ("print(np.tanh(net.forward()))", True),
        ("print(net.forward())  # sigmoid(x) is in the net", True),
    ],
)
def test_a_script_may_apply_the_last_activation(repository: Path, script: str, is_told: bool) -> None:
    (repository / "models/train.prototxt").write_text(DATA + CONVS + SIGMOID + DISTANCE)
    (repository / "models/deploy.prototxt").write_text(INPUT + CONVS)
    (repository / "run.py").write_text(f"net = caffe.Net('models/deploy.prototxt')\n{script}\n")
    assert ("deploy-mismatch" in found()) is is_told
