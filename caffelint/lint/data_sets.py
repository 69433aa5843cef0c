"""Data sets that everybody knows: the names that paths give them, and what is known of them."""

from __future__ import annotations

import re

from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple


class KnownData(NamedTuple):
    """A data set, or a kind of them. The pattern finds its name in a path of small letters.

    classes: 0 if they differ from one version to the next. shows: what mirrored is another one, or none; "" if its
    images may be mirrored.
    """

    name: str
    pattern: re.Pattern[str]
    classes: int = 0
    shows: str = ""


_KNOWN = (
    KnownData("ImageNet", compiled_later(r"ilsvrc|imagenet(?![0-9])"), 1000),
    KnownData("CIFAR-100", compiled_later(r"cifar[-_]?100"), 100),
    KnownData("CIFAR-10", compiled_later(r"cifar[-_]?10(?!0)"), 10),
    KnownData("Fashion-MNIST", compiled_later(r"fashion[-_/]?mnist"), 10),
    # Many sets that are no digits are named after it: sign_mnist, skin-cancer-mnist.
    KnownData("MNIST", compiled_later(r"(?<!fashion/)(?<![a-z])(?<![a-z][-_])mnist"), 10, "digits"),
    KnownData("SVHN", compiled_later(r"svhn"), 10, "digits"),
    KnownData("EMNIST", compiled_later(r"(?<![a-z])emnist"), shows="letters and digits"),
    KnownData("Chars74K", compiled_later(r"chars?[-_]?74k"), shows="letters and digits"),
    KnownData("IIIT5K", compiled_later(r"iiit[-_]?5k"), shows="words"),
    KnownData("Synth90k", compiled_later(r"synth[-_]?90k|mjsynth"), shows="words"),
    KnownData("GTSRB", compiled_later(r"gtsrb"), 43, "traffic signs"),
    KnownData("UCF101", compiled_later(r"ucf[-_]?101"), 101),
    KnownData("HMDB51", compiled_later(r"hmdb[-_]?51"), 51),
    KnownData("Places365", compiled_later(r"places[-_]?365"), 365),
    KnownData("Places205", compiled_later(r"places[-_]?205"), 205),
    KnownData("Food-101", compiled_later(r"food[-_]?101"), 101),
    KnownData("Kinetics-400", compiled_later(r"kinetics[-_]?400"), 400),
    KnownData("CUB-200-2011", compiled_later(r"cub[-_]?200"), 200),
    KnownData("Caltech-101", compiled_later(r"caltech[-_]?101"), 101),
    KnownData("Caltech-256", compiled_later(r"caltech[-_]?256"), 256),
    KnownData("Oxford Flowers 102", compiled_later(r"flowers?[-_]?102|102[-_]?flowers?"), 102),
    KnownData("FER2013", compiled_later(r"fer[-_]?2013"), 7),
    KnownData("SUN397", compiled_later(r"sun[-_]?397"), 397),
    KnownData("ModelNet10", compiled_later(r"modelnet[-_]?10(?!0)"), 10),
    KnownData("ModelNet40", compiled_later(r"modelnet[-_]?40"), 40),
    KnownData("STL-10", compiled_later(r"(?<![a-z])stl[-_]?10(?!0)"), 10),
    KnownData("LFW", compiled_later(r"(?<![a-z])lfw(?![a-z])")),
    KnownData("CASIA-WebFace", compiled_later(r"casia[-_]?web")),
    KnownData("Sports-1M", compiled_later(r"sports?[-_]?1m"), 487),
)


_OF_ANY = compiled_later(
    r"(?:train(?:ing)?|trn|val(?:id(?:ation)?)?|test(?:ing)?|dev|lists?|index|labels?|images?|imgs?|data(?:base|set)?|files?"
    r"|lmdb|leveldb|hdf5|h5|db|txt|csv|split|fold|shuffled|raw|rgb|gr[ae]y|flow|(?<=\d)x(?=\d)|[\W\d_])*"
)
"""Parts of a path that tell what records are for, or how they are stored, and not of what they are."""


def known_data(path: str) -> list[KnownData]:
    """The data sets that a path leads to, by the last part of it that tells of one.

    `examples/imagenet/flowers_lmdb` holds flowers, and `examples/imagenet/train_lmdb` anything: the folder is that of
    an example which somebody follows.
    """
    parts = _telling_parts(path)
    text = "/".join(parts)
    begin = len("/".join((*parts[:-1], "")))
    # A name may begin in the folder above: fashion/mnist.
    return [one for one in _KNOWN if any(match.end() > begin for match in one.pattern.finditer(text))]


def is_whole(path: str, known: KnownData) -> bool:
    """Does the part of a path that names a data set say nothing else, and so nothing of a part of it?"""
    rest = known.pattern.sub("", "/".join(_telling_parts(path)[-2:]))
    return _OF_ANY.fullmatch(rest.rpartition("/")[2]) is not None


def _telling_parts(path: str) -> list[str]:
    """A path up to the last part of it that tells what it is of; nothing of what follows an example of Caffe."""
    parts = path.lower().replace("\\", "/").split("/")
    while len(parts) > 1 and _OF_ANY.fullmatch(parts[-1]):
        parts.pop()
        if parts[-2:-1] == ["examples"]:
            return [""]
    return parts
