from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import LABEL, DataEvidence, DatasetRule, Feed, Top, are_apart, sides_of
from caffelint.lint import LIKELY, TRAIN, UNSAFE, WARNING, Cause, Finding, Invalid, fix, title, write

from ._example import NET, project, records

_LONGEST = 60
_MIRRORS = NET.replace("  data_param", "  transform_param { mirror: true }\n  data_param")


class MirroredSides(DatasetRule):
    """Training mirrors images of classes that differ in left and right.

    ## Why is this bad?
    A mirrored left hand is a right hand, and a mirrored "turn left" is "turn right". Half of the images of either class
    get the label of the other, so the net cannot tell the two apart.

    ## Known problems
    The classes are known from a text beside the net or the data that has a line for each of them and names no files, or
    from the names of records, as of images in a folder for each class.

    ## Fix safety
    Unsafe: it changes what the net learns from.

    ## References
    - data_transformer.cpp, Transform
    """

    code = "E123"
    name = "mirrored-sides"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(records(*[0, 1, 2] * 4), _MIRRORS) | {"labels.txt": "cat\ndog\nhorse\n"},
        project(records(*[0, 1, 2] * 4)) | {"labels.txt": "left\nright\nstraight\n"},
        # Files are no classes.
        project(records(*[0, 1] * 6), _MIRRORS) | {"videos.txt": "camera_left.avi\ncamera_right.avi\n"},
        # Another number of lines than classes.
        project(records(*[0, 1, 2] * 4), _MIRRORS) | {"labels.txt": "left\nright\n"},
    ]
    INVALID = [
        Invalid(
            project(records(*[0, 1, 2] * 4), _MIRRORS) | {"labels.txt": "0 turn_left\n1 turn_right\n2 straight\n"},
            span="mirror: true",
            message='Data "data": training mirrors half of its images, but its classes "0 turn_left" and "1 turn_right"'
            " differ in the side only, so half of their images have the label of the other; set mirror: false",
            fixed=project(records(*[0, 1, 2] * 4), _MIRRORS.replace("true", "false"))
            | {"labels.txt": "0 turn_left\n1 turn_right\n2 straight\n"},
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in data.read:
            top = facts.tops.get(LABEL)
            if TRAIN not in feed.phases or top is None or not feed.made.message.transform_param.mirror:
                continue
            left, right = _sides(data, feed, top)
            if not left:
                continue
            what = f"{title(feed.layer)}: training mirrors half of its images, but its classes {_shown(left)} and"
            what += f" {_shown(right)} differ in the side only, so half of their images have the label of the other"
            remedy = "set mirror: false"
            yield self.finding(
                feed.layer.at("transform_param", "mirror"),
                f"{what}; {remedy}",
                phases=feed.phases,
                cause=Cause("labels", what, remedy, LIKELY),
                fixes=fix(remedy, UNSAFE, write(feed.layer, "transform_param", "mirror", value="false")),
            )


def _sides(data: DataEvidence, feed: Feed, top: Top) -> tuple[str, str]:
    readers = [one for one in feed.readers(LABEL) if one.layer.reads_classes(one.bottom)]
    texts = data.class_names.get((feed.net.path, feed.source.path if feed.source else ""), {})
    for reader in readers:
        found = sides_of(texts.get(int(reader.expected.high) + 1, ()))
        if found[0]:
            return found
    names = list(top.first_of.values())
    return sides_of(names) if readers and are_apart(names) else ("", "")


def _shown(name: str) -> str:
    return f'"{name if len(name) <= _LONGEST else "..." + name[-_LONGEST:]}"'
