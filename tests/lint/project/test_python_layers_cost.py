"""The modules of Python layers are found in time with the nets and with the files that they may be."""

from __future__ import annotations

from pathlib import Path

import bench_curves
import pytest
from weighing import write

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.project import memory, python_layers

NET = b'layer { name: "a" type: "Python" top: "a" python_param { module: "m" layer: "A" } }\n'
_HEAD = "import caffe, o\n\n\nclass A(caffe.Layer):\n    def setup(self, bottom, top):\n"
_LINE = "        self.load(bottom, o.x)\n"


def found_in(nets: list[Path]) -> list[dict[str, list[tuple[str, bytes]]]]:
    """Of each net by itself."""
    memory.forget()
    return [python_layers.modules_of({str(net): NET}) for net in nets]


def test_files_that_a_module_may_be_are_looked_up_from_the_folder_of_the_net(project: Path) -> None:
    def work(number: int) -> int:
        write({f"q{one}/m.py": "" for one in range(number)})
        nets = [project / f"f{one}" / "net.prototxt" for one in range(number)]
        return bench_curves.calls(lambda: found_in(nets))

    work(20)
    small = work(50)  # before there are more files
    assert work(200) < 4.6 * small


def test_those_that_share_most_folders_come_first(project: Path) -> None:
    paths = [*(f"z{one}/m.py" for one in range(9)), "a/m.py", "b/m.py", "b/c/d/m.py", "b/c/d/e/m.py", "b/cc/m.py"]
    write(dict.fromkeys(paths, ""))
    [found] = found_in([project / "b" / "c" / "net.prototxt"])
    names = [str(Path(path).relative_to(project)) for path, _ in found["m"]]
    assert names == ["b/c/d/e/m.py", "b/c/d/m.py", "b/cc/m.py", "b/m.py", "a/m.py", "z0/m.py", "z1/m.py", "z2/m.py"]


def test_links_that_lead_out_are_tried_for_a_while(project: Path) -> None:
    (project / "links").mkdir()
    for one in range(300):
        (project / "links" / f"p{one}").mkdir()
        (project / "links" / f"p{one}" / "m.py").symlink_to("/etc/hostname")
    write({"z/m.py": ""})
    tried: list[str] = []
    real = python_layers._text_of
    python_layers._text_of = lambda path, reach: tried.append(path) or real(path, reach)  # type: ignore[func-returns-value]
    try:
        assert found_in([project / "net.prototxt"]) == [{"m": []}]
    finally:
        python_layers._text_of = real
    assert len(tried) < 100


def test_of_very_many_modules_of_one_name_nobody_knows_which_it_is(project: Path) -> None:
    write({f"f{one}/{end}/m.py": "" for one in range(100) for end in "abcdefgh"})

    def kept(number: int) -> int:
        nets = {str(project / f"f{one}" / "net.prototxt"): NET for one in range(number)}
        return len(python_layers.modules_of(nets).get("m", ()))

    assert (kept(1), kept(8), kept(100)) == (8, 64, 0)


@pytest.mark.parametrize("named", ["A", "A{0}"])
def test_a_module_is_judged_once_for_all_nets_that_name_it(project: Path, named: str) -> None:
    """Also where it has none of the classes that they name, and takes what another one has not."""
    config = Config()
    config.cache, config.jobs = False, 1

    def further_nets(lines: int) -> int:
        """What thirty nets more take where the module has so many lines."""
        write(
            {
                "o.py": "",
                "m.py": "import caffe, o\n\n\nclass A(caffe.Layer):\n    def setup(self, bottom, top):\n"
                + _LINE * lines,
            }
        )
        took = []
        for number in (10, 40):
            memory.forget()
            write({f"n{one}.prototxt": NET.decode().replace('"A"', f'"{named.format(one)}"') for one in range(number)})
            took.append(bench_curves.calls(lambda: caffelint.check(".", config)))
            for one in range(number):
                (project / f"n{one}.prototxt").unlink()
        return took[1] - took[0]

    further_nets(1)
    assert further_nets(400) < 1.5 * further_nets(4)
