from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, compiled_later, file_name
from caffelint.lint.disk import exists

from ._names import is_numbered_alike, swapped, with_word, words

_FAMILY = compiled_later(
    "(?<![a-z])(?:alexnet|caffenet|googlenet|inception|vgg|resnet|resnext|densenet|lenet|squeezenet|mobilenet|shufflenet|xception"
    "|segnet|enet|unet|deeplab|pspnet|fcn|yolo|ssd|openpose|nin|flownet|c3d)(?![a-z])"
)
_METHODS = frozenset(["segnet", "enet", "unet", "deeplab", "pspnet", "fcn", "yolo", "ssd", "openpose"])
"""Those that stand on any of the others, as SSD does on VGG."""
_NUMBER = compiled_later(r"(?<!\d)\d+(?=(?:\.prototxt)?$)")
"""The number that a name ends in."""
_ROLE = compiled_later(r"(?:train|test|val|valid|deploy|net|model|trainval|final|all)\d*")
_VARIANT = compiled_later(r"(?<![a-z])(?:lite|tiny)(?![a-z])")


class SolverOfAnotherNet(SolverRule):
    """The net or the snapshots of a solver are those of another one: of another folder, or of another name.

    ## Why is this bad?
    A solver that was copied and not adapted trains the other net, and saves its weights under the name of the
    intended model. If only its snapshot_prefix is the other's, its weights are taken for the other's, or overwrite
    them.

    ## Example
    ```
    net: "models/alexnet/train_val.prototxt" snapshot_prefix: "models/googlenet/googlenet"  # in models/googlenet
    ```
    Use instead:
    ```
    net: "models/googlenet/train_val.prototxt" snapshot_prefix: "models/googlenet/googlenet"
    ```

    ## Known problems
    Without a net next to the solver, it compares the names of well-known models, and a repository may use such a name
    for something else.
    """

    code = "S307"
    name = "solver-of-another-net"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        'net: "models/alexnet/train_val.prototxt" snapshot_prefix: "models/alexnet/alexnet"',
        'net: "train_val.prototxt" snapshot_prefix: "snapshots/alexnet"',
        'net: "googlenet_bn/train_val.prototxt" snapshot_prefix: "inception-v2"',
        {"lenet_solver_adam.prototxt": 'net: "lenet_train_test.prototxt" snapshot_prefix: "lenet"'},
        'net: "vgg16/train_val.prototxt" snapshot_prefix: "snapshots/ssd_300"',
        {"cifar10_resnet_solver.prototxt": 'net: "resnet20.prototxt" snapshot_prefix: "cifar10"'},
        # What the net is, it says itself.
        {
            "solver.prototxt": 'net: "resnet/net.prototxt" snapshot_prefix: "bvlc_googlenet"',
            "resnet/net.prototxt": 'name: "GoogleNet"',
        },
        {
            "my_ae_solver2.prototxt": 'net: "my_ae2.prototxt"',
            "my_ae2.prototxt": 'name: "second"',
            "my_ae.prototxt": 'name: "first"',
        },
    ]
    INVALID = [
        Invalid(
            'net: "models/alexnet/train_val.prototxt"\nsnapshot_prefix: "models/googlenet/googlenet"',
            span='net: "models/alexnet/train_val.prototxt"',
            message='net is for alexnet, but snapshot_prefix "models/googlenet/googlenet" is for googlenet; check'
            " that this is the net to train",
        ),
        # Its file may as well be the right one, and the prefix that of an older net.
        Invalid(
            {
                "solver.prototxt": 'net: "train.prototxt" snapshot_prefix: "caffenet_train"',
                "train.prototxt": 'name: "ResNet-50"',
            },
            span='net: "train.prototxt"',
            message='net is for resnet, but snapshot_prefix "caffenet_train" is for caffenet; name the snapshots after'
            " the net, or check that this is the net to train",
        ),
        Invalid(
            {
                "m/yolo_lite_solver.prototxt": 'train_net: "m/yolo_train.prototxt"\nsnapshot_prefix: "m/yolo_lite"',
                "m/yolo_train.prototxt": 'name: "yolo"',
            },
            span='train_net: "m/yolo_train.prototxt"',
            message='the solver\'s file name says "lite", but train_net "m/yolo_train.prototxt" does not; check'
            " that this is the net to train",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        yield from [*self._of_another_prefix(solver)] or self._of_shared_prefix(solver)
        if found := [*self._of_another_folder(solver)] or [*self._of_another_name(solver)]:
            yield from found
            return
        message = solver.message
        field = "net" if message.HasField("net") else "train_net"
        net, prefix = getattr(message, field), message.snapshot_prefix
        if not net:
            return
        asked = "check that this is the net to train"
        names = _base(solver.path)
        itself = " ".join(use.net.message.name.lower() for use in solver.nets)
        of_net, of_prefix = _families(f"{net.lower()} {itself}"), _families(_base(prefix))
        both = [one & _METHODS for one in (of_net, of_prefix)], [one - _METHODS for one in (of_net, of_prefix)]
        if any(map(all, both)) and not (of_net | _families(names)) & of_prefix:
            text = f'{field} is for {" and ".join(sorted(of_net))}, but snapshot_prefix "{prefix}" is for'
            says_itself = not _families(net.lower())
            if says_itself:
                asked = f"name the snapshots after the net, or {asked}"
            text += f" {' and '.join(sorted(of_prefix))}; {asked}"
            yield self.finding(solver.at(field), text, severity=INFO if says_itself else None)
            return
        for variant in _VARIANT.findall(names.replace("_", " ")):
            if not _VARIANT.search(net.lower().replace("_", " ")) and of_net:
                text = f'the solver\'s file name says "{variant}", but {field} "{net}" does not; {asked}'
                yield self.finding(solver.at(field), text)

    def _of_another_name(self, solver: Solver) -> Iterator[Finding]:
        """A net whose name differs in one word from the solver's, while the net with the solver's word is there."""
        for use in solver.nets:
            folder, bare = os.path.split(use.net.path)
            mine = {word for word in words(_base(solver.path)) if "solver" not in word}
            its = words(bare.lower())
            if use.field.endswith("_param") or len(mine - its) != 1:
                continue
            (meant,) = mine - its
            for word in sorted(its - mine):
                if word == meant + _last(solver.path):
                    return  # solver2 of net trains net2
                other = swapped(bare, word, meant, os.path.basename(solver.path))
                own = swapped(os.path.basename(solver.path), meant, word, bare)
                is_one = exists(os.path.join(os.path.dirname(solver.path), own))
                saved = words(file_name(solver.message.snapshot_prefix).lower())
                if not is_one and not (meant in saved and word not in saved):
                    continue  # a net without a solver of its own is trained by that of another one
                if (mine & its or is_numbered_alike(word, meant)) and exists(os.path.join(folder, other)):
                    yield self.finding(
                        solver.at(use.field, use.position),
                        f'{use.field} is "{bare}", but "{other}" is there too and has the word "{meant}" of the'
                        " solver's own name; check that this is the net to train",
                    )
                    return
            for other in with_word(bare, meant, os.path.basename(solver.path)) if _tells_apart(meant) else ():
                if other != os.path.basename(solver.path) and exists(os.path.join(folder, other)):
                    yield self.finding(
                        solver.at(use.field, use.position),
                        f'{use.field} is "{bare}", but "{other}" is there too, with the "{meant}" of the solver\'s own'
                        " name; check that this is the net to train",
                    )
                    return

    def _of_another_prefix(self, solver: Solver) -> Iterator[Finding]:
        """A prefix with the number of a solver that is beside this one, and not with its own."""
        prefix = solver.message.snapshot_prefix
        folder, bare = os.path.split(solver.path)
        folders, slash, name = prefix.rpartition("/")
        mine, its = words(bare.lower()), words(name.lower())
        for word in sorted(its - mine):
            for own in sorted(mine - its):
                other = swapped(bare, own, word, name)
                if is_numbered_alike(word, own) and exists(os.path.join(folder, other)):
                    meant = folders + slash + swapped(name, word, own, bare)
                    yield self._taken(solver, word, other, meant)
                    return
        # solver3 trains net3 and saves as result4, beside solver4.
        number, saved = _NUMBER.search(bare), _NUMBER.search(name)
        if number and saved and number[0] != saved[0] and {_last(use.net.path) for use in solver.nets} == {number[0]}:
            other = bare[: number.start()] + saved[0] + bare[number.end() :]
            if exists(os.path.join(folder, other)):
                yield self._taken(solver, saved[0], other, folders + slash + name[: saved.start()] + number[0])

    def _of_shared_prefix(self, solver: Solver) -> Iterator[Finding]:
        """A prefix by which a solver of another net saves, too."""
        prefix = solver.message.snapshot_prefix
        if solver.runs and (one := solver.runs.sharing):
            yield self.finding(
                solver.at("snapshot_prefix"),
                f'snapshot_prefix "{prefix}" is also that of "{one.solver}", which trains "{one.net}", so both write'
                f' "{os.path.basename(prefix)}_iter_{one.iteration}.caffemodel"; give each net a snapshot_prefix of its'
                " own",
            )

    def _taken(self, solver: Solver, word: str, other: str, meant: str) -> Finding:
        prefix = solver.message.snapshot_prefix
        return self.finding(
            solver.at("snapshot_prefix"),
            f'snapshot_prefix "{prefix}" has the "{word}" of "{other}", which is also here, so the weights'
            f' of this solver may be taken for those, or overwrite them; set it to "{meant}"',
        )

    def _of_another_folder(self, solver: Solver) -> Iterator[Finding]:
        """A net that is in another folder, while one of its name is next to the solver, and was the one meant."""
        folder = os.path.dirname(os.path.abspath(solver.path))
        for use in solver.nets:
            if use.field.endswith("_param"):
                continue
            value = getattr(solver.message, use.field)
            written = value if isinstance(value, str) else value[use.position]
            name = written.replace("\\", "/").removeprefix("./")
            path = os.path.abspath(use.net.path)
            start = path.removesuffix(name)
            own = os.path.join(folder, os.path.basename(path))
            # A run that keeps a copy of its net keeps it among its results.
            if start == path or os.path.relpath(own, start).split(os.sep)[0] != name.split("/")[0]:
                continue
            # One below the folder of its net may be a copy that was put away.
            if "/" in name and own != path and not folder.startswith(os.path.dirname(path) + os.sep) and exists(own):
                yield self.finding(
                    solver.at(use.field, use.position),
                    f'{use.field} "{written}" is the net of another folder, but "{os.path.basename(own)}" is also next'
                    " to the solver; check that this is the net to train",
                )
                return


def _families(text: str) -> set[str]:
    """GoogLeNet is the first Inception."""
    return {found.replace("inception", "googlenet") for found in _FAMILY.findall(text)}


def _tells_apart(word: str) -> bool:
    """Does a word say more than the part that a file plays, or which of several it is?"""
    return not word.isdigit() and not _ROLE.fullmatch(word)


def _base(path: str) -> str:
    return file_name(path).lower()


def _last(path: str) -> str:
    number = _NUMBER.search(_base(path))
    return number[0] if number else ""
