from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    ERROR,
    INFO,
    LIKELY,
    WARNING,
    Finding,
    Invalid,
    Solver,
    SolverRule,
    file_name,
    quoted,
)
from caffelint.lint.disk import exists, is_template

_REMEDIES = {
    (True, False): "write the full path",
    (False, True): "name that one",
    (False, False): "correct the path, or run Caffe where it exists",
}
"""By whether a path starts with ~, and whether one folder in it is called otherwise."""


class NetFileNotFound(SolverRule):
    """A net that the solver names is not found, or is a solver.

    ## Why is this bad?
    Caffe opens a net's path from the directory that it is run in, not from the solver's folder, and aborts if there is
    no such file. It is a warning if there is a net to train with a similar name, beside the solver one that no solver
    names, or another solver that names it by another path, or if the path is right but for a slash or a folder inside
    the first, or if the solver is at the top of a project beside the only net of it, or if the only file of that
    name in the project lies below the folders of the path, with others between; else an info: the net may be
    elsewhere, as one with an absolute path is on another machine, unless its name differs in capitals only. caffelint
    looks in the solver's folder, in the working directory, in the configured `roots` and in every folder above the
    solver. If only a net with the same bare file name is next to the solver, or the end of an absolute path or one of
    Windows leads to a net from one of these folders, that net is checked and reported as info, since Caffe finds it
    only where its path leads to it. So is a net that a script of the repository seems to write: one that opens that
    name for writing, redirects to it, or hands it to what does. A net that is there is a warning where scripts run the
    solver by a path that shows another directory, and the net's path leads to nothing from that one. Nothing outside
    the checkout and `roots` is read. Where the path leads to a solver, often to the very same file, Caffe reads that as
    a net and stops at its first field.

    ## Example
    ```
    net: "models/mymodel/trainval.prototxt"  # the file is called train_val.prototxt
    ```
    Use instead:
    ```
    net: "models/mymodel/train_val.prototxt"
    ```

    ## References
    - util/io.cpp, ReadProtoFromTextFile
    """

    code = "S003"
    name = "net-file-not-found"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        'net: "train_val.prototxt" base_lr: 0.01',
        {"a/solver.prototxt": 'net: "a/train_val.prototxt" base_lr: 0.01', "a/train_val.prototxt": 'name: "n"'},
    ]
    INVALID = [
        Invalid(
            {"a/solver.prototxt": 'net: "a/trainval.prototxt" base_lr: 0.01', "a/train_val.prototxt": 'name: "n"'},
            span='net: "a/trainval.prototxt"',
            message='net "a/trainval.prototxt" is not found, so Caffe stops at the start; did you mean'
            ' "a/train_val.prototxt"?',
        ),
        Invalid(
            {"solver.prototxt": 'net: "models/lenet.prototxt" base_lr: 0.01', "b.prototxt": 'name: "n"'},
            span='net: "models/lenet.prototxt"',
            message='net "models/lenet.prototxt" is not found relative to the solver\'s folder, a folder above it or'
            " the working directory, so the net is not checked; correct the path, or add the folder that it starts"
            " from to roots in your settings",
        ),
        Invalid(
            {"a/solver.prototxt": 'train_net: "/home/me/train.prototxt" base_lr: 0.01', "b.prototxt": 'name: "n"'},
            span='train_net: "/home/me/train.prototxt"',
            message='train_net "/home/me/train.prototxt" is not on this machine, so the net is not checked; use a path'
            " relative to the directory that Caffe is run in",
        ),
        Invalid(
            {"a/solver.prototxt": 'net: "${EXP}/train.prototxt" base_lr: 0.01', "b.prototxt": 'name: "n"'},
            span='net: "${EXP}/train.prototxt"',
            message='net "${EXP}/train.prototxt" holds a placeholder, so the net is not checked; check the solver that'
            " has it filled in",
        ),
        # Found by its name, but not by Caffe.
        Invalid(
            {"a/solver.prototxt": 'net: "~/work/a/train.prototxt" base_lr: 0.01', "a/train.prototxt": 'name: "n"'},
            span='net: "~/work/a/train.prototxt"',
            message='net "~/work/a/train.prototxt" starts with ~, which Caffe does not expand, so Caffe stops at the'
            " start; write the full path",
        ),
        Invalid(
            {"a_solver.prototxt": 'net: "a_solver.prototxt" base_lr: 0.01 max_iter: 9', "a.prototxt": 'name: "n"'},
            span='net: "a_solver.prototxt"',
            message='net "a_solver.prototxt" is this solver itself, which Caffe refuses as a net; name the file of the'
            " net",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        for missing in solver.missing:
            net, severity, evidence = f'{missing.field} "{missing.name}"', INFO, ""
            if writer := solver.runs and solver.runs.writer(missing.name):
                message = f"{net} is not there yet, so it is not checked; {writer} seems to write it"
            elif missing.near and not (missing.is_guess and is_template(missing.name)):
                which = quoted(_from_home(solver, missing.near))
                which += ", the only net beside this solver" * missing.is_guess
                # Where the file is cannot be known, but on no machine with Linux is it called so.
                is_other_case = not _is_of_windows(missing.name) and _differ_in_case(missing.name, missing.near)
                evidence = "Linux tells small letters from capitals" * is_other_case
                is_sure = is_other_case or not (missing.is_guess or _is_absolute(missing.name))
                severity = WARNING if is_sure else INFO
                so = "Caffe stops at the start" if is_sure else "the net is not checked"
                message = f"{net} is not found, so {so}; did you mean {which}?"
            elif there := solver.runs.now_at(missing.name) if solver.runs else "":
                message = f'{net} is not found, so the net is not checked; did you mean "{there}"?'
                evidence = "the only file of that name in this project"
                severity = INFO if _is_absolute(missing.name) else WARNING
            elif missing.name.startswith("~"):
                message = (
                    f"{net} starts with ~, which Caffe does not expand, so Caffe stops at the start; write the full"
                    " path"
                )
                severity = WARNING
            elif is_template(missing.name):
                message = (
                    f"{net} holds a placeholder, so the net is not checked; check the solver that has it filled in"
                )
            elif _is_absolute(missing.name):
                message = (
                    f"{net} is not on this machine, so the net is not checked; use a path relative to the directory"
                    " that Caffe is run in"
                )
            else:
                message = (
                    f"{net} is not found relative to the solver's folder, a folder above it or the working directory,"
                    " so the net is not checked; correct the path, or add the folder that it starts from to roots in"
                    " your settings"
                )
            severity = INFO if is_template(missing.name) else severity
            yield self.finding(
                solver.at(missing.field, missing.position), message, evidence=evidence, severity=severity
            )
        for named in solver.solvers:
            is_itself = file_name(named.name) == file_name(solver.path)
            what = "this solver itself" if is_itself else "a solver"
            yield self.finding(
                solver.at(named.field, named.position),
                f'{named.field} "{named.name}" is {what}, which Caffe refuses as a net; name the file of the net',
                evidence="Caffe stops at the start: Failed to parse NetParameter file",
                severity=ERROR,
                certainty=CERTAIN,
            )
        for astray in solver.runs.astray if solver.runs else ():
            yield self.finding(
                solver.at(astray.field, astray.position),
                f'{astray.field} "{astray.name}" is not found from where {astray.place} runs this solver as'
                f' "{astray.solver}", so Caffe stops at the start; write "{astray.path}"',
                evidence="Caffe opens the path as written, relative to the directory that it is run in",
            )
        for outside in solver.outside:
            message = (
                f'{outside.field} "{outside.name}" is outside the checkout and was not read;'
                " to allow its folder, add it to roots in your settings"
            )
            evidence = "a checkout must not choose which of your other files are read and quoted"
            yield self.finding(solver.at(outside.field, outside.position), message, evidence=evidence)
        paths = {(use.field, use.position): use.net.path for use in solver.nets}
        for found in solver.beside:
            bare = file_name(found.name)
            path = paths.get((found.field, found.position), bare)
            is_near = os.path.dirname(path) == os.path.dirname(solver.path)
            which = f'"{bare}" next to the solver' if is_near else f'"{path}"'
            is_home = found.name.startswith("~")
            renamed = "" if is_home else _with_folder_renamed(found.name, path)
            which = f'"{renamed}"' if renamed else which
            why = (
                "starts with ~, which Caffe does not expand, so Caffe stops at the start" if is_home else "is not found"
            )
            yield self.finding(
                solver.at(found.field, found.position),
                f'{found.field} "{found.name}" {why}{"" if is_home else f", so {which} is checked instead"};'
                f" {_REMEDIES[bool(is_home), bool(renamed)]}",
                evidence="Caffe opens the path as written, relative to the directory that it is run in"
                + (f"; {which} is checked instead" if is_home else ""),
                severity=WARNING if is_home or renamed else INFO,
            )


def _from_home(solver: Solver, near: str) -> str:
    """The path of a net beside a solver, from the directory in which scripts run that, where they leave no doubt."""
    homes = {one.home for one in solver.runs.launched} if solver.runs else set[str]()
    beside = os.path.join(os.path.dirname(os.path.abspath(solver.path)), near)
    return os.path.relpath(beside, *homes) if len(homes) == 1 and exists(beside) else near


def _with_folder_renamed(name: str, path: str) -> str:
    """The end of a path that is what a solver names but for one folder inside the first one; empty if there is none.

    Where the first folder is there, so is the directory that Caffe is run in.
    """
    named = os.path.normpath(name).split(os.sep)
    there = os.path.abspath(path).split(os.sep)[-len(named) :]
    differ = [index for index, pair in enumerate(zip(named, there, strict=False)) if pair[0] != pair[1]]
    is_one = len(differ) == 1 and len(there) == len(named) and 0 < differ[0] < len(named) - 1
    return "/".join(there) if is_one and not os.path.isabs(name) else ""


def _is_absolute(name: str) -> bool:
    return name.startswith("/") or _is_of_windows(name)


def _is_of_windows(name: str) -> bool:
    return name[1:3] in (":/", ":\\")


def _differ_in_case(name: str, near: str) -> bool:
    return file_name(name) != file_name(near) and file_name(name).lower() == file_name(near).lower()
