"""caffelint finds the mistakes in Caffe's solver and net files before a GPU hour is spent.

>>> import caffelint
>>> report = caffelint.check_text('base_lr: 0.01 lr_policy: "poly" power: 1 net: "net.prototxt"')
>>> [finding.name for finding in report.findings if finding.severity == "error"]
['poly-without-max-iter']
"""

# `python -m caffelint` puts the working directory first on the path, which may be a stranger's: nothing is imported
# from there, not even `__future__`. While Python looks for what to run, this is the name of the program.
import sys

if getattr(sys, "argv", [])[:1] == ["-m"] and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    del sys.path[0]

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from caffelint.lint.config import Config
    from caffelint.lint.report import Report

__version__ = "0.1.0"


def check(
    paths: "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]",
    config: "Config | None" = None,
    *,
    dialect: str | None = None,
    progress: "Callable[[int, int], None] | None" = None,
    changed: set[str] | None = None,
    texts: "Mapping[str, bytes] | None" = None,
) -> "Report":
    """Check a file, or files, and all prototxt files below folders; solvers and the nets they name are judged together.

    `config` is `caffelint.lint.config.load_config(...)` or None for the defaults. `dialect` names the Caffe to check
    against, in place of that of `config`. `progress` is called with the number
    of jobs done and their total. `changed` limits the run to those absolute paths and the solvers of nets among them.
    `texts` gives content in place of what is on disk, by path. Never raises for what the files hold: what cannot be
    read is in `report.failures`. Raises `NoRulesError` where installed rules are missing or broken, `BaselineError`
    where the baseline of `config` cannot be read, `ValueError` for an unknown dialect.
    """
    from caffelint.lint.engine import check

    measure = None
    if config is not None and config.read_data:
        from caffelint.evidence.data.signals import Measuring

        measure = Measuring()
    return check(paths, config, dialect=dialect, progress=progress, changed=changed, texts=texts, measure=measure)


def check_text(
    text: str | bytes,
    *,
    kind: str | None = None,
    dialect: str | None = None,
    path: str = "<text>",
    config: "Config | None" = None,
) -> "Report":
    """Check a single text, without looking at the disk.

    `kind` (`net` or `solver`) is inferred from the text if it is not given; `dialect` names the Caffe to check against;
    `path` is the name that findings carry. Raises `ValueError` for another kind or an unknown dialect.
    """
    from caffelint.lint.engine import check_text

    return check_text(text, kind=kind, dialect=dialect, path=path, config=config)


__all__ = ["__version__", "check", "check_text"]
