"""Upgrades files: reads each, writes what changed, and goes on where one cannot be upgraded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caffelint.fix.upgrade.left import Left
from caffelint.fix.upgrade.neighbours import Neighbours
from caffelint.fix.upgrade.silenced import ignored
from caffelint.fix.upgrade.text import UpgradeResult, upgrade_text
from caffelint.fix.write import SaveError, leads_out, save
from caffelint.lint.config import Config
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import Failure, own_failure

_LINK = Left(1, "it is a link to a file that was not named")


class FileResult(NamedTuple):
    """What became of a file: the old text and the result, or the failure."""

    path: str
    old: bytes
    result: UpgradeResult
    failure: Failure | None = None


def upgrade_files(
    paths: Sequence[str], named: Sequence[str], config: Config, write: bool = True
) -> Iterator[FileResult]:
    """Upgrade each file, and write it back unless `write` is False.

    `named` are the files and folders that a person named: what a link leads to out of them is left alone.
    """
    caffes = Caffes(config)
    neighbours = Neighbours(paths, config.exclude, config.folder_of("exclude"))
    for path in paths:
        old, failure = b"", None
        result = UpgradeResult(b"", False)
        try:
            old = read(path)
            taken = caffes.of(path)
            result = upgrade_text(old, path, dialect=taken.dialect, neighbours=neighbours, caffe=taken.caffe)
            if (result.changed or result.left) and ignored(path, config):
                result = UpgradeResult(old, False, ignored=True)
            if result.changed and leads_out(path, named):
                result = UpgradeResult(old, False, (), (_LINK,))
            if write and result.changed:
                save(path, old, result.data)
        except (ReadError, SaveError) as error:
            failure = Failure(path, str(error))
        except Exception as error:
            failure = own_failure(path, error)
        yield FileResult(path, old, result, failure)
