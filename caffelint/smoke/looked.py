"""What lies in the data sets that a run trains on, read while the run goes on."""

from __future__ import annotations

import threading
import time
from types import TracebackType

from caffelint.evidence.data.look import look
from caffelint.evidence.data.sampled import RECORDS, WHOLE
from caffelint.evidence.data.scan import Scan
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.finding import INFO
from caffelint.lint.joined import NotJoined, load_joined
from caffelint.lint.report import ReportedFinding

_GRACE = 5.0
OF_FILES = "files-ask-otherwise"
"""An info, since files may be sorted; a reason where what a net learns of them does not hold for others."""


class Looking:
    """Reads the data sets of a solver, or samples of large ones, until it is left. wanted: else it reads nothing."""

    def __init__(self, path: str, config: Config, wanted: bool = True) -> None:
        self._path = path
        self._config = config
        self._found: tuple[ReportedFinding, ...] = ()
        self._scan = Scan(sample=RECORDS, keep=config.cache, whole=WHOLE)
        self._thread = threading.Thread(target=self._look if wanted else int, daemon=True)
        self._until = 0.0

    def __enter__(self) -> Looking:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._scan.end()
        self._thread.join(_GRACE)
        self._scan.__exit__()

    def findings(self, seconds: float) -> tuple[ReportedFinding, ...]:
        """The errors and warnings of the rules on data; empty if it takes longer to read than that.

        The time counts from the first call.
        """
        self._until = self._until or time.monotonic() + seconds
        self._thread.join(max(0.0, self._until - time.monotonic()))
        return self._found

    def _look(self) -> None:
        try:
            files = load_joined(self._path, self._config)
        except NotJoined:
            return
        data = look(files[self._path], self._scan, self._config.roots)
        # The run itself says what cannot be read at all.
        data.feeds[:] = [feed for feed, _ in data.read]
        if data.feeds:
            found, _ = Checker(self._config).evidence("dataset", data, files)
            self._found = tuple(one for one in found if one.severity != INFO or one.name == OF_FILES)
