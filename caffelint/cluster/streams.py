"""What comes from elsewhere comes to an end: in pieces of some size, and after so long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from caffelint.cluster.links import scheme_of
from caffelint.lint.read import ReadError

WEB = frozenset(["http", "https"])
SECONDS = 60
"""That a server of the web may be silent; a whole answer may take _TIMES as long."""
_TIMES = 5
_PIECE = 1 << 20
_MOST_PIECES, _LEAST_OF_EACH = 1000, 1 << 10


def pieces(stream: Any, most: int) -> Iterator[bytes]:
    """What a stream gives, up to one byte more than so many. Raises `ReadError`.

    A server that gives a byte for each request, in which a file system of fsspec reads it, would take for ever.
    """
    count = total = 0
    while total <= most and (piece := stream.read(min(_PIECE, most + 1 - total))):
        count, total = count + 1, total + len(piece)
        if count > _MOST_PIECES and total < count * _LEAST_OF_EACH:
            raise ReadError("comes in pieces that are too small")
        yield piece


def file_system_of(url: str, links: Iterable[str]) -> tuple[Any, str]:
    """The file system of a path of fsspec, and the path in it. Of the web, nothing is waited for without end."""
    from fsspec.config import conf
    from fsspec.core import url_to_fs

    if not WEB.isdisjoint(map(scheme_of, links)):
        try:
            from aiohttp import ClientTimeout
        except ImportError:
            pass  # fsspec says so
        else:
            limit = ClientTimeout(total=_TIMES * SECONDS, sock_connect=SECONDS, sock_read=SECONDS)
            for scheme in WEB:
                conf.setdefault(scheme, {}).setdefault("client_kwargs", {"timeout": limit})
    found: tuple[Any, str] = url_to_fs(url)
    return found


def reason(error: BaseException) -> str:
    """Why something of elsewhere could not be had; each library of fsspec has its own errors, some without words."""
    kind = type(error).__name__
    return " ".join(str(error).split()) or ("took too long" if "Timeout" in kind else kind)
