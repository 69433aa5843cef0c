"""The links of a path of fsspec, as of `zip://net.prototxt::s3://bucket/nets.zip`, and what may stand in them."""

from __future__ import annotations

from collections.abc import Iterable

from caffelint.lint.read import ReadError

ARCHIVES = ("zip", "tar")
_OTHERS = ("libarchive",)


def scheme_of(link: str) -> str:
    return link.partition("://")[0]


def refuse_archives(links: Iterable[str]) -> None:
    """Raises `ReadError` for an archive that is not the first link: something would be done to what it gives."""
    if any(scheme_of(link) in (*ARCHIVES, *_OTHERS) for link in links):
        raise ReadError("an archive is read as it is, by zip:// or tar://; leave out what stands before it")
