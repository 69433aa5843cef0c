"""What `param_str` lacks is told in short, and its keys are compared for a while."""

from __future__ import annotations

from pathlib import Path

import bench_curves

import caffelint
from caffelint.lint.config import Config

HEAD = "import caffe, json\nclass Q(caffe.Layer):\n  def setup(self, bottom, top):\n"
HEAD += "    self.a = json.loads(self.param_str)\n"
REST = "".join(f"  def {name}(self, a, b{more}):\n    pass\n" for name, more in [("reshape", ""), ("forward", "")])
INPUT = 'layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 1 } } }\n'


def _config(rule: str) -> Config:
    config = Config()
    config.cache, config.jobs, config.select = False, 1, [rule]
    return config


def _net(number: int, text: str) -> str:
    param = f'python_param {{ module: "m" layer: "Q" param_str: "{text}" }}'
    layers = (f'layer {{ name: "p{at}" type: "Python" bottom: "d" top: "q{at}" {param} }}\n' for at in range(number))
    return INPUT + "".join(layers)


def test_keys_that_are_missing_are_counted(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        f"{HEAD}    {'; '.join(f'self.a[{chr(39)}k{one}{chr(39)}]' for one in range(90))}\n{REST}"
    )
    (tmp_path / "net.prototxt").write_text(_net(2, "{}"))
    found = caffelint.check([tmp_path], _config("python-param-str")).findings
    assert len(found) == 2
    assert 'param_str lacks "k0", "k1", "k2" and 87 more, which class Q takes' in found[0].message
    assert found[0].message.endswith("add them")


def test_keys_of_many_layers_are_compared_for_a_while(tmp_path: Path) -> None:
    long = [f"{'ab' * 90}{one:08b}" for one in range(40)]
    reads = "; ".join(f"self.a.get('{one}')" for one in long[:20])

    def work(number: int) -> int:
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "m.py").write_text(f"{HEAD}    {reads}\n{REST}")
        text = ", ".join(f"'{one[::-1]}': 1" for one in long[20:])
        (folder / "net.prototxt").write_text(_net(number, "{" + text.replace("'", '\\"') + "}"))
        return bench_curves.calls(lambda: caffelint.check([folder], _config("python-param-str-unread")))

    work(1)
    assert work(8) < 3 * work(2)
