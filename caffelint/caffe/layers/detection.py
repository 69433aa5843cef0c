"""Layers of forks that find objects: SSD, Faster R-CNN, R-FCN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from caffelint.caffe.layers.base import ONE, TWO, BuiltLayer, Counts, register
from caffelint.caffe.layers.data import Transformed
from caffelint.caffe.shapes import PartialShape, Shape, as_int, new_blob

MOST_RATIOS = 1000
"""Each is compared with all before it; no net has as many."""

SSD_PRIOR_FIELDS = frozenset(
    [
        "min_size",
        "max_size",
        "aspect_ratio",
        "flip",
        "clip",
        "variance",
        "img_size",
        "img_h",
        "img_w",
        "step",
        "step_h",
        "step_w",
        "offset",
    ]
)


@register
class PriorBox(BuiltLayer):
    """Boxes and their variances: 1 x 2 x (4 per box), one set of boxes for each pixel of the first bottom."""

    types = ("PriorBox",)
    computes_by = ("min_size", "max_size", "aspect_ratio", "flip", "clip", "variance", "step", "offset")
    block = "prior_box_param"
    fork = True
    bottom_counts = TWO
    top_counts = ONE
    has_backward = False

    def boxes_per_pixel(self) -> int | None:
        """How many boxes a pixel has; None if a field that SSD does not have changes that."""
        p = self.parameters
        if any(field.name not in SSD_PRIOR_FIELDS for field, _ in p.ListFields()):
            return None
        given = p.aspect_ratio
        if len(given) > MOST_RATIOS:
            return None
        ratios = [1.0]
        for ratio in given:
            if all(abs(ratio - known) >= 1e-6 for known in ratios):
                ratios.append(ratio)
                if p.flip and ratio:
                    ratios.append(1 / ratio)
        return len(ratios) * len(p.min_size) + len(p.max_size)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        boxes = self.boxes_per_pixel()
        if boxes is None or len(shape) != 4:
            return [None]
        return [new_blob((1, 2, as_int(shape[2] * shape[3] * boxes * 4)), "the top")]


@register
class DetectionOutput(BuiltLayer):
    """At set-up one row of 7 values; each pass then makes as many rows as it keeps boxes."""

    types = ("DetectionOutput",)
    # The second one in its save_output_param.
    writes = ("output_directory", "save_file")
    block = "detection_output_param"
    # What has to fit the scores and boxes; how many boxes are kept is a choice of whoever runs it.
    computes_by = ("num_classes", "share_location", "background_label_id", "code_type", "variance_encoded_in_target")
    fork = True
    bottom_counts = Counts(1)
    has_backward = False

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        return [(1, 1, 1, 7) if len(bottoms) > 2 else None, None][: len(self.tops)] or []

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        return [None] * len(self.tops)


class RegionPooling(BuiltLayer):
    """A fixed-size map for each region (the second bottom) of the first bottom."""

    fork = True
    bottom_counts = Counts(2)
    top_counts = Counts(1)
    keeps_channels: bool | None = True
    reads_bottom = True

    def region_shape(self, channels: int) -> tuple[int, int, int] | None:
        """Channels, height and width of what one region becomes."""
        p = self.parameters
        height, width = as_int(p.pooled_h), as_int(p.pooled_w)
        return (channels, height, width) if height > 0 and width > 0 else None

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape, regions = bottoms[:2]
        region = self.region_shape(shape[1]) if len(shape) == 4 else None
        top = new_blob((regions[0], *region), "the top") if region and regions else None
        return [top, *[None] * len(self.tops)][: len(self.tops)]


@register
class ROIPooling(RegionPooling):
    # roi_pooling_layer.cpp, Backward_cpu: "NOT_IMPLEMENTED" in Fast R-CNN's Caffe and those that took it from there; in
    # Intel's it is empty, so no gradient comes through.
    types = ("ROIPooling",)
    backward_on_cpu = False
    block = "roi_pooling_param"
    computes_by = ("pooled_h", "pooled_w", "spatial_scale")


@register
class ROIAlign(RegionPooling):
    types = ("ROIAlign",)
    block = "roi_align_param"
    computes_by = ("pooled_h", "pooled_w", "spatial_scale")


@register
class PSROIPooling(RegionPooling):
    # psroi_pooling_layer.cpp of R-FCN's Caffe, Backward_cpu.
    types = ("PSROIPooling",)
    backward_on_cpu = False
    block = "psroi_pooling_param"
    computes_by = ("spatial_scale", "output_dim", "group_size")
    keeps_channels = False

    def region_shape(self, channels: int) -> tuple[int, int, int] | None:
        p = self.parameters
        outputs, group = as_int(p.output_dim), as_int(p.group_size)
        return (outputs, group, group) if outputs > 0 and group > 0 else None


@register
class Proposal(BuiltLayer):
    """Regions from scores: at set-up as many as are kept at most for each image; each pass then finds out how many."""

    types = ("Proposal",)
    block = "proposal_param"
    fork = True
    bottom_counts = Counts(1)
    has_backward = False

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        p = self.parameters
        shape = bottoms[0]
        # The layer of PVANet and Intel's Caffe; others of this name have a field of their own for the number.
        if len(shape) != 4 or not p.HasField("post_nms_topn"):
            return [None] * len(self.tops)
        rows = as_int(shape[0] * p.post_nms_topn)
        return [new_blob((rows, 5), "the top"), (rows,), *[None] * len(self.tops)][: len(self.tops)]


@register
class Regions(BuiltLayer):
    """Regions whose number is found out in each pass."""

    types = ("ProposalTarget", "BoxAnnotatorOHEM", "DetectionEvaluate")
    fork = True
    bottom_counts = Counts(1)
    has_backward = False

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        return [None] * len(self.tops)


@register
class AnnotatedData(Transformed):
    """Images with boxes: the number of label rows differs from batch to batch."""

    types = ("AnnotatedData",)
    block = "data_param"
    fork = True
    top_counts = Counts(1)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        return [None] * len(self.tops)

    def partial_image(self) -> PartialShape:
        resizes = self.message.transform_param.resize_param
        height, width = (resizes[0].height, resizes[0].width) if resizes else (0, 0)
        return self.image(self.parameters.batch_size, height, width)


@register
class ForkData(Transformed):
    """Data layers of forks whose tops are not known from the text."""

    types: ClassVar[tuple[str, ...]] = (
        *("DenseImageData", "ImageSegData", "ImageLabelmapData", "MultiLabelImageData", "DetectionData", "BoxData"),
        *("ReIDData", "MultiData", "CPMData", "MILData", "LMDBData", "DataTriplet", "TripletImageData"),
    )
    fork = True
    top_counts = Counts(1)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        return [None] * len(self.tops)


@register
class VideoData(ForkData):
    """Clips of videos, or of lists of frames."""

    types = ("VideoData",)
    block = "video_data_param"
