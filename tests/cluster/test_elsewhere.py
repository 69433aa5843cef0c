"""What a stranger puts into an archive or a folder that is named as a path of fsspec."""

from __future__ import annotations

import bz2
import copy
import gzip
import io
import json
import os
import socket
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path

import bench_curves
import pytest
from cost import soon

pytest.importorskip("fsspec")

from caffelint.cluster import check as clustered
from caffelint.cluster import mirror
from caffelint.lint.config import Config, load_config

NET = 'layer { name: "x" type: "ReLU" bottom: "a" top: "b" }\n'
SECRET = "it is secret\n"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.chdir(tmp_path)
    return load_config(tmp_path, None, {}, isolated=True)


def _reasons(url: str, config: Config) -> tuple[int, list[str]]:
    """How many files were checked, and why others were not."""
    report = clustered.check([url], config)
    assert not any("secret" in str(finding) for finding in report.findings)
    return report.files, [failure.message for failure in report.failures]


def test_no_name_in_an_archive_is_a_path_of_its_own(config: Config, tmp_path: Path) -> None:
    (tmp_path / "secret.prototxt").write_text(SECRET)
    with socket.create_server(("127.0.0.1", 0)) as listening, zipfile.ZipFile("evil.zip", "w") as archive:
        port = listening.getsockname()[1]
        for name in (
            f"x::ftp://127.0.0.1:{port}/net.prototxt",
            f"ftp://127.0.0.1:{port}/net.prototxt",
            f"zip://x::ftp://127.0.0.1:{port}/net.prototxt",
            f"simplecache::file://{tmp_path}/secret.prototxt",
            "b::local::secret.prototxt",
            "good.prototxt",
        ):
            archive.writestr(name, NET)
        archive.close()
        for wildcards in ("*", "**", "*:*", "?*"):
            files, reasons = _reasons(f"zip://{wildcards}::evil.zip", config)
            assert files <= 5
            assert any("mean more" in reason for reason in reasons), reasons
        listening.settimeout(0)
        with pytest.raises(BlockingIOError):
            listening.accept()


@pytest.mark.parametrize("path", ["..", "../", "a/..", "../*", "a/../**"])
def test_a_name_that_leads_up_out_of_an_archive_has_an_end(path: str, config: Config) -> None:
    """fsspec takes a folder of that name for one that holds all others, itself among them."""
    with zipfile.ZipFile("up.zip", "w") as archive:
        for name in ("..", "a/..", "a/net.prototxt"):
            archive.writestr(name, NET)
    with soon(10):
        files, reasons = _reasons(f"zip://{path}::up.zip", config)
    assert (files, len(reasons)) == (0, 1)
    assert "leads out of the archive" in reasons[0]


@pytest.mark.parametrize("name", ["../x.prototxt", "./x.prototxt", "a/../../x.prototxt"])
@pytest.mark.parametrize(("scheme", "kind"), [("zip", "zip"), ("tar", "tar")])
def test_what_leads_up_in_an_archive_shows_nothing_beside_the_copy(
    scheme: str, kind: str, name: str, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wildcard finds the folder `..`, which is the one around the copy."""
    (tmp_path / "temp/other").mkdir(parents=True)
    (tmp_path / "temp/other/private.prototxt").write_text(
        'name: "secret"\nlayer { name: "secret" type: Convolution }\n'
    )
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    if kind == "zip":
        with zipfile.ZipFile("a.zip", "w") as packed:
            packed.writestr(name, NET)
    else:
        with tarfile.open("a.tar", "w") as archive:
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    files, reasons = _reasons(f"{scheme}://*::a.{kind}", config)
    assert (files, bool(reasons)) == (0, True)


def test_a_name_that_ends_in_a_colon_leads_to_no_other_archive(config: Config) -> None:
    for name, text in (("x:/net.prototxt", NET), ("good.prototxt", NET)):
        with zipfile.ZipFile("evil.zip", "a") as archive:
            archive.writestr(name, text)
    with zipfile.ZipFile(":evil.zip", "w") as archive:
        archive.writestr("x/net.prototxt", SECRET)
    files, reasons = _reasons("zip://*::evil.zip", config)
    assert files == 1
    assert any("mean more" in reason for reason in reasons), reasons


def test_links_and_devices_in_an_archive_cost_no_other_file(config: Config) -> None:
    with tarfile.open("links.tar", "w") as packed:
        for name, kind in (
            ("link.prototxt", tarfile.SYMTYPE),
            ("hard.prototxt", tarfile.LNKTYPE),
            ("pipe.prototxt", tarfile.FIFOTYPE),
            ("device.prototxt", tarfile.CHRTYPE),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            packed.addfile(member)
        member = tarfile.TarInfo("net.prototxt")
        member.size = len(NET)
        packed.addfile(member, io.BytesIO(NET.encode()))
    files, reasons = _reasons("tar://::links.tar", config)
    assert files == 1
    assert len(reasons) == 4
    assert all("passwd" in reason or "a pipe, a device" in reason for reason in reasons), reasons


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_no_link_in_an_archive_is_followed_within_it(config: Config, kind: bytes) -> None:
    with tarfile.open("links.tar", "w") as packed:
        hidden = tarfile.TarInfo("hidden.txt")
        hidden.size = len(SECRET)
        packed.addfile(hidden, io.BytesIO(SECRET.encode()))
        link = tarfile.TarInfo("link.prototxt")
        link.type, link.linkname = kind, "hidden.txt"
        packed.addfile(link)
    for url in ("tar://*::links.tar", "tar://::links.tar", "tar://link.prototxt::links.tar"):
        files, reasons = _reasons(url, config)
        assert files == 0
        assert "is a link, a pipe, a device or a file with holes and was not read" in reasons


@pytest.mark.parametrize(
    "url", ["reference://*::nets.json", "reference://a.prototxt::nets.json", "simplecache::reference://*::nets.json"]
)
def test_no_list_leads_to_files_anywhere(config: Config, tmp_path: Path, url: str) -> None:
    (tmp_path / "secret.prototxt").write_text(SECRET)
    names = {"a.prototxt": [str(tmp_path / "secret.prototxt")]}
    (tmp_path / "nets.json").write_text(json.dumps({"version": 1, "refs": names}))
    files, reasons = _reasons(url, config)
    assert (files, len(reasons)) == (0, 1)
    assert "leads to any file that it names" in reasons[0]


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_no_link_of_a_folder_is_followed(config: Config, tmp_path: Path) -> None:
    (tmp_path / "secret.prototxt").write_text(SECRET)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "net.prototxt").write_text(NET)
    (folder / "link.prototxt").symlink_to("../secret.prototxt")
    (folder / "loop").symlink_to(".")
    os.mkfifo(folder / "pipe.prototxt")
    for url in (f"file://{folder}", f"file://{folder}/net.prototxt", f"local://{folder}"):
        assert _reasons(url, config)[0] == 1
    files, reasons = _reasons(f"file://{folder}/*", config)
    assert files == 1
    assert "is a link, a pipe, a device or a file with holes and was not read" in reasons


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices")
@pytest.mark.parametrize(
    "url",
    [
        "file:///dev/zero",
        "file:///dev",
        "file:///dev/*",
        "file:///proc/self/environ",
        "local:///proc/self/environ",
        "file:///proc/self/*",
        "simplecache::file:///proc/self/environ",
        "zip://*::/proc/self/environ",
        "tar://*::/dev/zero",
        "tar://*::file:///dev/zero",
        "tar://::{pipe}",
        "zip://*::file://{pipe}",
        "simplecache::{pipe}",
        "zip://*::tar://x::{pipe}",
    ],
)
def test_pipes_and_what_shows_the_running_system_are_not_read(config: Config, tmp_path: Path, url: str) -> None:
    os.mkfifo(tmp_path / "pipe.tar")
    files, reasons = _reasons(url.format(pipe=tmp_path / "pipe.tar"), config)
    assert files == 0
    assert len(reasons) == 1
    assert "running system" in reasons[0] or "is a pipe or a device" in reasons[0]


def _zip_of(number: int, name: str) -> str:
    with zipfile.ZipFile(f"{number}.zip", "w") as archive:
        for count in range(number):
            archive.writestr(name.format(count), NET)
    return f"{number}.zip"


@pytest.mark.parametrize("wildcards", ["*", "**"])
@pytest.mark.parametrize("name", ["{}.prototxt", "{}/net.prototxt"])
def test_many_names_in_an_archive_take_no_more_than_their_number(name: str, wildcards: str, config: Config) -> None:
    small, large = (_zip_of(number, name) for number in (256, 1024))
    assert clustered.check([f"zip://{wildcards}::{large}"], config).files == 1024, "what is imported is not counted"
    small_calls, large_calls = (
        bench_curves.calls(lambda: clustered.check([f"zip://{wildcards}::{archive}"], config))  # noqa: B023
        for archive in (small, large)
    )
    assert large_calls < 6 * small_calls, "the square would be 16 times"


def test_a_chain_of_links_in_an_archive_is_not_followed(config: Config) -> None:
    with tarfile.open("links.tar", "w") as packed:
        for number in range(2000):
            link = tarfile.TarInfo(f"{number}.prototxt")
            link.type, link.linkname = tarfile.SYMTYPE, f"{number + 1}.prototxt"
            packed.addfile(link)
    with soon(10):
        assert clustered.check(["tar://*::links.tar"], config).files == 0


def test_a_packed_archive_is_unpacked_once(config: Config) -> None:
    """Its members are named in the reverse of their order, and before them there is much that takes little space."""
    with tarfile.open("nets.tgz", "w:gz") as packed:
        zeros = tarfile.TarInfo("zeros")
        zeros.size = 60 << 20
        packed.addfile(zeros, io.BytesIO(bytes(zeros.size)))
        for number in reversed(range(300)):
            member = tarfile.TarInfo(f"{number:03}.prototxt")
            member.size = len(NET)
            packed.addfile(member, io.BytesIO(NET.encode()))
    with soon(10):
        assert clustered.check(["tar://::nets.tgz"], config).files == 300


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_tar_header_longer_than_any_name_is_not_read(kind: bytes, config: Config) -> None:
    """Of digits without an end, some versions of Python read the beginning of each part of them anew."""
    header = tarfile.TarInfo("h")
    header.type, header.size = kind, 400_000
    with open("a.tar", "wb") as file:
        file.write(header.tobuf() + b"1" * 400_384)
        member = tarfile.TarInfo("a.prototxt")
        member.size = len(NET)
        file.write(member.tobuf() + NET.encode().ljust(512, b"\0") + bytes(1024))
    with soon():
        files, reasons = _reasons("tar://*::a.tar", config)
    assert files == 0
    assert "has a header of 400,000 bytes" in reasons[0] or "headers for all of its members" in reasons[0]


def _holes(member: tarfile.TarInfo, count: int, is_old: bool) -> bytes:
    """A file of nothing but holes, whose map has so many parts: in blocks after its header, or as text in its data."""
    if not is_old:
        data = b"%d\n" % count + b"0\n0\n" * count
        member.size = len(data)
        member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "0"}
        return member.tobuf(tarfile.PAX_FORMAT) + data.ljust(-(-len(data) // 512) * 512, b"\0")
    member.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[482] = 1
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    blocks = [bytearray(512) for _ in range(-(-count // 21))]
    for block in blocks:
        block[:504] = b"00000000001\0" * 42
        block[504] = block is not blocks[-1]
    return bytes(header) + b"".join(map(bytes, blocks))


@pytest.mark.parametrize("is_old", [False, True])
def test_the_map_of_a_file_with_holes_is_not_read(is_old: bool, config: Config) -> None:
    """It takes any number of numbers in memory, and a net has no holes."""
    after = tarfile.TarInfo("b.prototxt")
    after.size = len(NET)
    rest = after.tobuf() + NET.encode().ljust(512, b"\0") + bytes(1024)
    for name, count in (("few.tar", 100), ("many.tar", 100_000)):
        Path(name).write_bytes(_holes(tarfile.TarInfo("a.prototxt"), count, is_old) + rest)
    calls = [bench_curves.calls(lambda: _reasons(f"tar://*::{name}", config)) for name in ("few.tar", "many.tar")]  # noqa: B023
    assert calls[1] < calls[0] + 10_000
    files, reasons = _reasons("tar://*::many.tar", config)
    assert files == 1
    assert "a file with holes" in reasons[0]


def test_an_archive_that_unpacks_to_far_more_than_it_is_is_left(config: Config) -> None:
    member = tarfile.TarInfo("a.prototxt")
    member.size = 40 << 30
    with bz2.open("a.tar.bz2", "wb") as file:
        file.write(member.tobuf())
        for _ in range(200):
            file.write(bytes(1 << 20))
    files, reasons = _reasons("tar://*::a.tar.bz2", config)
    assert files == 0
    assert reasons[0].startswith("cannot be read: unpacks to more than")


def test_headers_and_names_nested_too_deep_are_named(config: Config) -> None:
    long_name = tarfile.TarInfo("h")
    long_name.type, long_name.size = tarfile.GNUTYPE_LONGNAME, 1
    Path("a.tar").write_bytes((long_name.tobuf() + bytes(512)) * 3000 + bytes(1024))
    assert _reasons("tar://*::a.tar", config) == (
        0,
        ["cannot be read: names or headers are nested deeper than any need be"],
    )


def _with_long_header() -> bytes:
    header = tarfile.TarInfo("h")
    header.type, header.size = tarfile.XHDTYPE, 80_000
    member = tarfile.TarInfo("a.prototxt")
    member.size = len(NET)
    return header.tobuf() + b"1" * 80_384 + member.tobuf() + NET.encode().ljust(512, b"\0") + bytes(1024)


@pytest.mark.parametrize(
    "url",
    [
        "tar://*::a.tar.GZ",
        "tar://*::tar://inner.tar::outer.tar",
        "simplecache::tar://a.prototxt::a.tar",
        "tar://*::a.zip",
    ],
)
def test_no_way_to_an_archive_leads_past_its_bounds(url: str, config: Config) -> None:
    """fsspec itself goes by the name of a file, and opens what stands before or within an archive."""
    inner = _with_long_header()
    Path("a.tar").write_bytes(inner)
    Path("a.zip").write_bytes(inner)
    Path("a.tar.GZ").write_bytes(gzip.compress(inner))
    with tarfile.open("outer.tar", "w") as packed:
        member = tarfile.TarInfo("inner.tar")
        member.size = len(inner)
        packed.addfile(member, io.BytesIO(inner))
    files, reasons = _reasons(url, config)
    assert (files, len(reasons)) == (0, 1)
    assert "has a header of 80,000 bytes" in reasons[0] or "an archive is read as it is" in reasons[0]


def test_a_name_deeper_than_folders_are_searched_is_named(config: Config) -> None:
    with tarfile.open("deep.tar.gz", "w:gz") as packed:
        packed.addfile(tarfile.TarInfo("d/" * 940 + "a.prototxt"))
    with soon():
        files, reasons = _reasons("tar://::deep.tar.gz", config)
    assert (files, reasons) == (
        0,
        ["cannot be read: holds a name of 1,890 characters and 940 folders, as no path has"],
    )


def test_folders_of_a_tar_take_no_more_than_their_number(config: Config) -> None:
    with tarfile.open("flat.tar", "w") as packed:
        for number in range(2000):
            member = tarfile.TarInfo(f"d{number}/n.prototxt")
            member.size = len(NET)
            packed.addfile(member, io.BytesIO(NET.encode()))
    with soon():
        assert _reasons("tar://::flat.tar", config)[0] == 2000


def test_a_file_that_comes_in_pieces_is_read_to_its_end(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """A response of a server gives what has arrived, not what was asked for."""
    from fsspec.implementations.memory import MemoryFileSystem

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(10)

    MemoryFileSystem().pipe("/nets/n.prototxt", NET.encode() + b"kernel: 3\n")
    monkeypatch.setattr(MemoryFileSystem, "open", lambda self, path, *_, **__: Slow(self.cat_file(path)))
    report = clustered.check(["memory://nets/n.prototxt"], config)
    assert any("kernel" in finding.message for finding in report.findings)


def test_what_a_tar_says_of_all_its_members_is_short(config: Config) -> None:
    """It is copied for each of them."""
    with tarfile.open("a.tar", "w", format=tarfile.PAX_FORMAT) as packed:
        for number in range(400):
            packed.fileobj.write(tarfile.TarInfo.create_pax_global_header({f"k{number}": "v" * 400}))  # type: ignore[union-attr]
            packed.addfile(tarfile.TarInfo(f"{number}" * 60))
    with soon():
        files, reasons = _reasons("tar://*::a.tar", config)
    assert (files, reasons) == (
        0,
        ["cannot be read: has headers for all of its members that say more than any need"],
    )


def test_names_that_imply_more_folders_than_there_are_files_are_not_read(config: Config) -> None:
    with tarfile.open("deep.tar.gz", "w:gz") as packed:
        for number in range(100):
            packed.addfile(tarfile.TarInfo(f"{number}/" + "d/" * 190 + "a.prototxt"))
    with soon():
        files, reasons = _reasons("tar://::deep.tar.gz", config)
    assert (files, reasons) == (0, ["cannot be read: holds more folders than 100 files need"])


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_is_not_unpacked_by_a_method_without_bounds(method: int, config: Config) -> None:
    """The size that its table gives may be a lie, and these methods give all at once."""
    with zipfile.ZipFile("a.zip", "w", method) as archive:
        archive.writestr("a.prototxt", NET)
    files, reasons = _reasons("zip://::a.zip", config)
    assert files == 0
    assert "a method other than deflate" in reasons[0]


def test_a_size_below_none_leads_not_back(config: Config) -> None:
    def member(name: str, size: int) -> bytes:
        one = tarfile.TarInfo(name)
        one.size = size
        return one.tobuf(tarfile.GNU_FORMAT)

    Path("a.tar").write_bytes(member("a", 0) + member("b", -512) + member("c", 0) + bytes(1024))
    with soon():
        files, reasons = _reasons("tar://::a.tar", config)
    assert (files, reasons) == (0, ["cannot be read: says that a file has -512 bytes"])


def test_a_table_that_promises_far_more_than_the_archive_is_is_not_believed(config: Config) -> None:
    """Members of zip that share their data, and sparse ones of tar, which have none."""
    data = zlib.compress(bytes(32 << 20), 9)[2:-4]
    with zipfile.ZipFile("shared.zip", "w") as archive:
        first = zipfile.ZipInfo("0.prototxt")
        archive.writestr(first, b"")
        first.compress_type, first.compress_size, first.file_size = zipfile.ZIP_DEFLATED, len(data), 32 << 20
        for number in range(1, 20):
            other = copy.copy(first)
            other.filename = f"{number}.prototxt"
            archive.filelist.append(other)
    with open("sparse.tar", "wb") as file:
        for number in range(20):
            sparse = tarfile.TarInfo(f"{number}.prototxt")
            sparse.type = tarfile.GNUTYPE_SPARSE
            block = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
            block[483:495] = b"%011o\0" % (32 << 20)
            block[148:156] = b"        "
            block[148:156] = b"%06o\0 " % sum(block)
            file.write(block)
        file.write(bytes(1024))
    for url, words in (
        ("zip://*::shared.zip", "by its table, more than"),
        ("tar://*::sparse.tar", "a file with holes"),
    ):
        files, reasons = _reasons(url, config)
        assert files == 0
        assert words in reasons[0]


def test_wildcards_in_folders_of_an_archive_take_no_square(config: Config) -> None:
    small, large = (_zip_of(number, "{}/net.prototxt") for number in (128, 512))
    small_calls, large_calls = (
        bench_curves.calls(lambda: clustered.check([f"zip://*/*.prototxt::{archive}"], config))  # noqa: B023
        for archive in (small, large)
    )
    assert large_calls < 6 * small_calls, "the square would be 16 times"


def test_what_breaks_off_counts_for_what_a_folder_may_hold(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "_MOST_BYTES", 1000)
    with zipfile.ZipFile("broken.zip", "w") as archive:
        for number in range(4):
            archive.writestr(f"{number}.prototxt", NET.ljust(600))
            archive.filelist[-1].CRC ^= 1
    _, reasons = _reasons("zip://*::broken.zip", config)
    told = [reason.partition(":")[0] for reason in reasons]
    assert told[:4] == ["cannot be read"] * 2 + ["was not read"] * 2
