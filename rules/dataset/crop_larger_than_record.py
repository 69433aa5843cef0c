from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import IMAGE, DataEvidence, DatasetRule, shape_of
from caffelint.lint import ERROR, Cause, Finding, Invalid, title

from ._example import NET, SOUND, project, records
from ._words import once, path, share


class CropLargerThanRecord(DatasetRule):
    """`crop_size` is larger than images of the source.

    ## Why is this bad?
    Caffe cuts a square of `crop_size` out of each image, and stops at the first that is smaller.

    ## References
    - data_transformer.cpp, InferBlobShape and Transform
    """

    code = "E109"
    name = "crop-larger-than-record"
    severity = ERROR
    _CROPPED = NET.replace("batch_size: 4 }", "batch_size: 4 } transform_param { crop_size: 3 }")
    VALID = [SOUND, project(records(0, 1, 2, image="1x3x4 0 1 2"), _CROPPED)]
    INVALID = [
        Invalid(
            project(records(0, image="1x3x4 0 1 2") + "\n" + records(0, image="1x2x4 0 1"), _CROPPED),
            span="crop_size: 3",
            message='Data "data": crop_size 3 is larger than 1 of 2 records of "train_lmdb", the smallest is 1x2x4'
            ' (first "00001"), so Caffe stops; set crop_size: 2',
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            crop = feed.layer.message.transform_param.crop_size
            top = facts.tops.get(IMAGE)
            if not crop or top is None or feed.made.fork or (feed.source and feed.source.kind == "windows"):
                continue
            small = {shape: seen for shape, seen in top.shapes.items() if min(shape_of(shape)[1:]) < crop}
            if not small:
                continue
            least = min(small, key=lambda shape: min(shape_of(shape)[1:]))
            count = sum(seen.count for seen in small.values())
            what = f"{title(feed.layer)}: crop_size {crop} is larger than {share(count, facts)} of {path(feed)},"
            what += f' the smallest is {least} (first "{small[least].examples[0]}"), so Caffe stops'
            remedy = f"set crop_size: {min(shape_of(least)[1:])}"
            yield self.finding(
                feed.layer.at("transform_param", "crop_size"),
                f"{what}; {remedy}",
                phases=feed.phases,
                cause=Cause("data", what, remedy),
            )
