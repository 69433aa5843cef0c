"""`--cluster`, and paths that lie elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from caffelint.cli.progress import Progress
    from caffelint.lint.config import Config
    from caffelint.lint.report import Report


@contextmanager
def cluster(address: str) -> Iterator[Any]:
    """A client of the cluster at that address; what goes wrong with it is an error of one line."""
    from caffelint.cluster.workers import NoCluster, connected

    try:
        with connected(address) as client:
            yield client
    except NoCluster as error:
        raise click.ClickException(str(error)) from error


def clustered(
    paths: Sequence[str], config: Config, address: str | None, progress: Progress, changed: set[str] | None
) -> Report:
    """Check over the cluster at `address`; None for this process alone."""
    from caffelint.cluster.check import check

    if not address:
        return check(paths, config, None, progress, changed)
    with cluster(address) as client:
        return check(paths, config, client, progress, changed)
