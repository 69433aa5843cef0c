"""Held against git itself: what it lists below a folder is what is found, and what it calls changed is."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest
from cost import soon

from caffelint.lint.changed import changed_files
from caffelint.lint.discover import discover
from caffelint.lint.ignored import checkout_of

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.excludesFile="]
NAMES = ["a", "b", "ab", "build", "a b", "x-1", "[z]", "old", "é"]
GLOBS = [
    "a", "/a", "a/", "build/", "*", "*.prototxt", "/*.prototxt", "a/*", "a/**", "**/b", "a/**/b", "**/build/*.prototxt",
    "!a", "!/a/", "!*.prototxt", "!build/x-1.prototxt", "?", "?b", "[ab]", "[!ab]", "[^a]*", "[a-z]b", "a*b", "*a*b*",
    "\\[z\\]", "x-[[:digit:]]*", "# a", "\\#a", "\\!a", "a b", "a\\ ", "old/a/b.prototxt", "**", "*/", "!*/", "é*",
    "BUILD/", "X-1.*", "[X]-1*", "A*[B]", "[[:upper:]]b*", "[W-]-1*", "[W-Z]-1*", "\\A*B", "\\A", "É*",
    "[^/]", "[!/]*", "[a/b]*", "/[/a]", "a/[^/]*/*", "[^/][^/].prototxt", "x[a/", "a\\/*", "[a\\]/]b", "[+-9]*",
    "[]/]*", "a//b", "[", "a[", "b/**/", "**/", "/**", "!**/ab.prototxt", "[]a]*", "x-1*  ", "",
    "***/ab.prototxt", "a/***/b*", "****", "**\\/b*", "old/**\\/*", "b.prototxt\0c", "[a-[b/]*", "[b-a]", "?*\0",
]  # fmt: skip


def git(folder: Path, *arguments: str) -> bytes:
    return subprocess.run([*GIT, "-C", str(folder), *arguments], check=True, capture_output=True).stdout


def listed(folder: Path) -> set[str]:
    out = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return {name for name in os.fsdecode(out).split("\0") if name.endswith(".prototxt") and (folder / name).is_file()}


def listed_as_tracked(folder: Path) -> list[str]:
    return os.fsdecode(git(folder, "ls-files", "-z")).split("\0")[:-1]


def tree(rng: random.Random, top: Path) -> None:
    """Folders of files, with ignore files on several levels, some of the files tracked."""
    git(top, "init", "-q", ".")
    folders = [top]
    for _ in range(rng.randrange(1, 9)):
        folder = rng.choice(folders) / rng.choice(NAMES)
        folder.mkdir(exist_ok=True)
        folders.append(folder)
    for folder in folders:
        for name in rng.sample(NAMES, rng.randrange(4)):
            (folder / f"{name}.prototxt").touch()
    for name in rng.sample(sorted(str(path.relative_to(top)) for path in top.rglob("*.prototxt")), 1):
        git(top, "add", "-f", "--", name)
    for folder in rng.sample(folders, min(len(folders), rng.randrange(1, 4))):
        end = rng.choice(["\n", "\r\n"])
        globs = rng.sample(GLOBS, rng.randrange(1, 6))
        (folder / ".gitignore").write_text("".join(glob + end for glob in globs), "utf-8", newline="")
    if rng.random() < 0.3:
        (top / ".git" / "info" / "exclude").write_text("\n".join(rng.sample(GLOBS, 2)), "utf-8")
    if rng.random() < 0.3:
        git(top, "config", "core.ignoreCase", rng.choice(["true", "yes", "false"]))
    if rng.random() < 0.3:
        git(top, "update-index", "--index-version", rng.choice("234"))
    if rng.random() < 0.3:
        git(top, "update-index", "--split-index")
        found = sorted(str(path.relative_to(top)) for path in top.rglob("*.prototxt"))
        for name in rng.sample(found, min(len(found), 3)):
            git(top, "add", "-f", "--", name)
        git(top, "rm", "-q", "--cached", "--", rng.choice(listed_as_tracked(top)))


@pytest.mark.parametrize("seed", range(40))
def test_random_checkouts(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    rng = random.Random(seed)
    top = tmp_path / "top"
    top.mkdir()
    (top / "a.prototxt").touch()
    tree(rng, top)
    monkeypatch.chdir(top)
    for folder in [top, *(path for path in top.rglob("*") if path.is_dir() and ".git" not in path.parts)]:
        wanted = listed(folder)
        if wanted:  # else all that is there is looked at
            found = {os.path.relpath(path, folder) for path in discover([str(folder)]).files}
            assert found == wanted, (folder, [(p, p.read_text()) for p in top.rglob(".gitignore")])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_a_split_index_is_joined(format: str, seed: int, tmp_path: Path) -> None:
    """With files that are added, changed and removed after it was split, and one that was split again."""
    rng = random.Random(seed)
    git(tmp_path, "init", "-q", f"--object-format={format}", ".")
    git(tmp_path, "config", "splitIndex.maxPercentChange", "100")
    names = [f"{number % 3}/{number}" for number in range(400)]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", *names[:300])
    for version in rng.sample("234", 2):
        git(tmp_path, "update-index", "--split-index", "--index-version", version)
        for name in rng.sample(names, 70):
            (tmp_path / name).write_text(version)
            git(tmp_path, "add", name)
        there = listed_as_tracked(tmp_path)
        git(tmp_path, "rm", "-q", "--cached", *there[100:180], *rng.sample(there[200:], 20))
        checkout = checkout_of(str(tmp_path))
        assert checkout is not None
        wanted = git(tmp_path, "ls-files", "--stage").decode().splitlines()
        found = sorted(f"{entry.mode:o} {entry.blob} 0\t{entry.name}" for entry in checkout.tracked())
        assert found == sorted(wanted)


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\tignorecase = true\n",
        "[CORE] IgnoreCase\n",
        '[core]\nbare = false\nignoreCase="Yes" ; on this disk\n[user]\nname = a\n',
        "[core]\nignorecase = true\n[core]\nignorecase = off\n",
        '[core "x"]\nignorecase = true\n',
        "[user]\nignorecase = true\n",
        "[core]\nignorecase = 0\n# ignorecase = true\n",
        "[core]\nignorecase\n[alias]\nx = y # [core]\n",
    ],
)
def test_case_is_ignored_where_the_configuration_says_so(text: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    with (tmp_path / ".git" / "config").open("a") as file:
        file.write(text)
    (tmp_path / ".gitignore").write_text("M1.PROTOTXT\n")
    for name in ("m1.prototxt", "m2.prototxt"):
        (tmp_path / name).touch()
    assert {os.path.basename(path) for path in discover([str(tmp_path)]).files} == listed(tmp_path)


def test_other_checkouts_below_are_left_out(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "inner"):
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q", ".")
        (folder / "net.prototxt").touch()
    assert listed(tmp_path) == {"net.prototxt"}
    assert discover([str(tmp_path)]).files == [str(tmp_path / "net.prototxt")]
    assert discover([str(tmp_path / "inner")]).files == [str(tmp_path / "inner" / "net.prototxt")]


def test_checkouts_below_a_folder_ignore_each_for_itself(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "old").mkdir(parents=True)
        git(tmp_path / name, "init", "-q", ".")
        (tmp_path / name / "net.prototxt").touch()
        (tmp_path / name / "old" / "net.prototxt").touch()
    (tmp_path / "one" / ".gitignore").write_text("old/\n")
    (tmp_path / "net.prototxt").touch()
    there = [tmp_path / "net.prototxt"]
    there += [top / name for top in (tmp_path / "one", tmp_path / "two") for name in sorted(listed(top))]
    assert discover([str(tmp_path)]).files == sorted(map(str, there))


def test_a_link_that_leads_nowhere_is_no_checkout(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / ".git").symlink_to("nowhere")
    (tmp_path / "folder" / "net.prototxt").touch()
    for folder in (tmp_path, tmp_path / "folder"):
        assert discover([str(folder)]).files == [str(tmp_path / "folder" / "net.prototxt")]


def test_a_checkout_below_a_folder_may_ignore_all(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    git(tmp_path / "one", "init", "-q", ".")
    (tmp_path / "one" / "net.prototxt").touch()
    (tmp_path / "one" / ".gitignore").write_text("*\n")
    assert discover([str(tmp_path)]).files == []
    assert discover([str(tmp_path / "one")]).files == [str(tmp_path / "one" / "net.prototxt")], "it is named"


def test_a_worktree_has_its_index_elsewhere(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q", ".")
    (main / ".gitignore").write_text("*.prototxt\n")
    (main / "net.prototxt").touch()
    git(main, "add", "-f", ".")
    git(main, "commit", "-qm", "x")
    git(main, "worktree", "add", "-q", str(tmp_path / "other"))
    (tmp_path / "other" / "ignored.prototxt").touch()
    assert discover([str(tmp_path / "other")]).files == [str(tmp_path / "other" / "net.prototxt")]
    assert changed_files(folder=str(tmp_path / "other")) == set()


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"\0" * 200, b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"\xff" * 500])
def test_a_damaged_index_holds_nothing(damage: bytes, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    (tmp_path / "net.prototxt").touch()
    (tmp_path / ".git" / "index").write_bytes(damage)
    assert discover([str(tmp_path)]).files == [str(tmp_path / "net.prototxt")]


def test_a_hostile_bitmap_of_a_split_index(tmp_path: Path) -> None:
    """It tells of bits and words that are not there."""
    git(tmp_path, "init", "-q", ".")
    for name in "abc":
        (tmp_path / name).touch()
    git(tmp_path, "add", ".")
    git(tmp_path, "update-index", "--split-index")
    index = tmp_path / ".git" / "index"
    data = index.read_bytes()
    begin = data.index(b"link") + 28
    most = b"\xff" * 8
    for bitmap in (most, most * 9, b"\0" * 4 + most * 3, b"\0\0\0\1\0\0\0\1" + most, b"\0" * 7 + b"\2" + b"\0" * 16):
        size = (20 + len(bitmap)).to_bytes(4, "big")
        index.write_bytes(data[: begin - 24] + size + data[begin - 20 : begin] + bitmap)
        checkout = checkout_of(str(tmp_path))
        assert checkout is not None
        with soon(5):
            assert {entry.name for entry in checkout.tracked()} <= {"a", "b", "c"}


def test_every_cut_of_an_index_is_read(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.prototxt").touch()
    git(tmp_path, "init", "-q", ".")
    git(tmp_path, "add", ".")
    git(tmp_path, "update-index", "--skip-worktree", "a.prototxt")  # with the second flags of version 3
    index = (tmp_path / ".git" / "index").read_bytes()
    checkout = checkout_of(str(tmp_path))
    assert checkout is not None
    for end in range(len(index)):
        (tmp_path / ".git" / "index").write_bytes(index[:end])
        assert len(checkout.tracked()) <= 3


@pytest.mark.parametrize("line", ["gitdir: a\0b", "gitdir: ", "\0", "gitdir: " + "x/" * 2000, "\udcff"])
def test_a_git_file_that_leads_nowhere(tmp_path: Path, line: str) -> None:
    (tmp_path / ".git").write_bytes(os.fsencode(line))
    (tmp_path / "net.prototxt").touch()
    assert discover([str(tmp_path)]).files == [str(tmp_path / "net.prototxt")]
    checkout = checkout_of(str(tmp_path))
    assert checkout is not None
    assert checkout.tracked() == []


def test_a_hostile_pattern_takes_no_time(tmp_path: Path) -> None:
    """Where a `*` gives back what it took, as in `fnmatch` of old, 20 of them take years."""
    git(tmp_path, "init", "-q", ".")
    (tmp_path / ".gitignore").write_text(f"{'*a' * 100}b\n{'**/a/' * 100}b\n{'[[]*' * 60}x\n")
    deep = tmp_path / "/".join(["a"] * 60)
    deep.mkdir(parents=True)
    (deep / f"{'a' * 200}.prototxt").touch()
    with soon():
        assert len(discover([str(tmp_path)]).files) == 1


@pytest.mark.parametrize("line", ["*a*b{}?..[x]", "/a/{}*b?", "*.x{}", "/a/b{}", "{}[a-z]/c?/d?"])
def test_an_ignore_file_of_many_rules(tmp_path: Path, line: str) -> None:
    (tmp_path / ".git").mkdir()
    text = "".join(line.format(number) + "\n" for number in range(70_000))
    (tmp_path / ".gitignore").write_text("net*.prototxt\n" + text[: 1 << 19])
    for number in range(100):
        (tmp_path / f"{number}.prototxt").touch()
    (tmp_path / "net1.prototxt").touch()
    with soon():
        assert len(discover([str(tmp_path)]).files) == 100


def test_rules_that_try_every_place_of_a_long_name(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("".join(f"*{'?' * 110}b{number:03}*\n" for number in range(550)))
    for number in range(200):
        (tmp_path / f"{'b' * 235}{number}.prototxt").touch()
    with soon():
        assert len(discover([str(tmp_path)]).files) == 200


def test_what_changed_is_what_git_diff_says(tmp_path: Path) -> None:
    """Staged or not, gone, moved, new, touched, of another mode, a link, with another base."""
    git(tmp_path, "init", "-q", ".")
    for name in ("kept", "edited", "staged", "gone", "moved", "touched", "unindexed"):
        (tmp_path / f"{name}.prototxt").write_text(name)
    (tmp_path / "link").symlink_to("kept.prototxt")
    (tmp_path / ".gitignore").write_text("ignored*\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    (tmp_path / "edited.prototxt").write_text("EDITED")
    (tmp_path / "staged.prototxt").write_text("STAGED")
    git(tmp_path, "add", "staged.prototxt")
    (tmp_path / "gone.prototxt").unlink()
    git(tmp_path, "mv", "moved.prototxt", "there.prototxt")
    os.utime(tmp_path / "touched.prototxt", (0, 0))
    git(tmp_path, "rm", "-q", "--cached", "unindexed.prototxt")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("gone.prototxt")
    (tmp_path / "new.prototxt").touch()
    (tmp_path / "ignored.prototxt").touch()

    def said(base: str) -> set[str]:
        names = git(tmp_path, "diff", "--name-only", "--no-renames", "-z", base)
        names += git(tmp_path, "ls-files", "-z", "--others", "--exclude-standard")
        return {str(tmp_path / os.fsdecode(name)) for name in names.split(b"\0") if name}

    assert changed_files(folder=str(tmp_path)) == said("HEAD")
    assert len(said("HEAD")) == 8
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "y")
    assert changed_files("HEAD~1", str(tmp_path)) == said("HEAD~1")
    assert changed_files("HEAD", str(tmp_path)) == set()


@pytest.mark.parametrize("line", ["a" + " " * 900_000 + "b", "a" + " " * 900_000, "[[:" * 30_000, "*a" * 45_000])
def test_a_long_line_takes_little_time(line: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    (tmp_path / ".gitignore").write_text(f"{line}\n*.txt\n")
    (tmp_path / "a.prototxt").touch()
    with soon():
        assert discover([str(tmp_path)]).files == [str(tmp_path / "a.prototxt")]


def test_an_index_of_long_names_is_read_in_part(tmp_path: Path) -> None:
    """In version 4 a name may share all but its end with the one before it."""
    git(tmp_path, "init", "-q", ".")
    entry = bytes(60) + (4094).to_bytes(2, "big")
    entries = entry + b"\0" + b"a/" * 2046 + b"ab\0" + 4000 * (entry + b"\1b\0")
    (tmp_path / ".git/index").write_bytes(b"DIRC" + (4).to_bytes(4, "big") + (4001).to_bytes(4, "big") + entries)
    checkout = checkout_of(str(tmp_path))
    assert checkout is not None
    found = checkout.tracked()
    assert 1 < len(found) < 400
    assert sum(len(entry.name) for entry in found) < 5 * len(entries)
