"""Layers that bring values into a net, and the one that writes them out."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.caffe.layers.base import AT_LEAST_ONE, NONE, NOTHING, ONE, ONE_OR_TWO, TWO, BuiltLayer, register
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import UNSHAPED, PartialShape, Shape, as_int, new_blob, plural
from caffelint.caffe.values import UNKNOWN, Values, exactly, filled

LMDB = 1

LARGEST_PIXEL = 255


class DataLayer(BuiltLayer):
    """No bottoms. The content of data files is unknown, and so are shapes that come from it."""

    fork_fields_change = NOTHING
    bottom_counts = NONE
    is_data = True

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        return self.set_up([])

    def check_source(self, function: str, phrase: str = "") -> None:
        """Refuse a layer that names no file, which cannot be opened. A fork may take its data elsewhere."""
        if self.strict and not self.parameters.source:
            missing = "source is missing; set it to the path of the data"
            raise self.refuse(Kind.MISSING_FIELD, missing, phrase or self.cannot_open, function, "source")

    def check_batch_size(self, function: str) -> int:
        """batch_size; Caffe 1.0 refuses an empty batch."""
        p = self.parameters
        if self.strict and p.batch_size == 0:
            missing = (
                "batch_size is missing" if not p.HasField("batch_size") else "batch_size is 0; it must be larger than 0"
            )
            raise self.refuse(Kind.MISSING_BATCH_SIZE, missing, "Check failed: data_", function, "batch_size")
        return as_int(p.batch_size)

    def partial_image(self) -> PartialShape | None:
        """Batch, channels, height and width of the first top as far as the text gives them; None if it is no image."""
        return None

    def likely_shapes(self) -> list[Shape | None]:
        """What the tops most probably are: 3 channels where their number is open; None where the sides are open."""
        return [None] * len(self.tops)


class Transformed(DataLayer):
    """Data that goes through transform_param (data_transformer.cpp)."""

    transforms = prefetches = True

    @property
    def draws_at_random(self) -> bool:
        """By mirroring, by crops of the TRAIN phase, or by a list that is read in a new order each time."""
        t = self.message.transform_param
        shuffles = bool(self.has_setting("shuffle") and self.parameters.shuffle)
        return bool(t.mirror) or bool(t.crop_size and self.phase == "TRAIN") or shuffles

    def check_transform(self) -> None:
        t = self.message.transform_param
        if t.HasField("mean_file") and t.mean_value:
            raise Refusal(
                Kind.MEAN_FILE_AND_MEAN_VALUE,
                "mean_file and mean_value are both set; keep one of the two",
                "Cannot specify mean_file and mean_value at the same time",
                "data_transformer.cpp DataTransformer",
                ("transform_param", "mean_file"),
            )

    def labels(self, batch_size: int) -> list[Shape | None]:
        return [(batch_size,)] if len(self.tops) > 1 else []

    def image(self, batch_size: int, height: int = 0, width: int = 0, channels: int = 0) -> PartialShape:
        """The shape of images that are brought to these sizes, cropped as transform_param says; 0 for an open one."""
        t = self.message.transform_param
        crop = as_int(t.crop_size)
        means = len(t.mean_value)
        known = (as_int(batch_size), channels or (means if means > 1 else 0), crop or height, crop or width)
        batch, *sizes = (size if size > 0 else None for size in known)
        return (batch, *sizes)

    def likely_shapes(self) -> list[Shape | None]:
        partial = self.partial_image()
        shapes: list[Shape | None] = [None] * len(self.tops)
        if partial is not None and shapes:
            batch, channels, height, width = partial
            if height and width:
                shapes[0] = (batch or 0, channels or 3, height, width)
        return shapes


@register
class Data(Transformed):
    types = ("Data",)
    block = "data_param"
    cannot_open = "Failed to open leveldb"
    top_counts = ONE_OR_TWO

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        lmdb = self.parameters.backend == LMDB
        self.check_source("db.cpp Open", "mdb_status == 0 (2 vs. 0)" if lmdb else "")
        self.check_transform()
        return [None, *self.labels(self.check_batch_size("base_data_layer.cpp LayerSetUp"))]

    def partial_image(self) -> PartialShape:
        return self.image(self.parameters.batch_size)


@register
class ImageData(Transformed):
    types = ("ImageData",)
    block = "image_data_param"
    cannot_open = "File is empty"
    top_counts = TWO

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.check_transform()
        p = self.parameters
        height, width = as_int(p.new_height), as_int(p.new_width)
        function = "image_data_layer.cpp DataLayerSetUp"
        if not (height == 0 and width == 0) and not (height > 0 and width > 0):
            raise self.refuse(
                Kind.MISSING_FIELD,
                "only one of new_height and new_width is set; set both",
                "Current implementation requires new_height and new_width to be set at the same time.",
                function,
                "new_height" if height else "new_width",
            )
        self.check_source(function)
        if p.batch_size == 0:
            raise self.refuse(
                Kind.MISSING_BATCH_SIZE,
                "batch_size is missing or 0; it must be larger than 0",
                "Positive batch size required",
                function,
                "batch_size",
            )
        crop = self.message.transform_param.crop_size
        if crop:
            height = width = as_int(crop)
        batch_size = as_int(p.batch_size)
        image = new_blob((batch_size, 3 if p.is_color else 1, height, width), "the top") if height else None
        return [image, (batch_size,)]

    def partial_image(self) -> PartialShape:
        p = self.parameters
        return self.image(p.batch_size, as_int(p.new_height), as_int(p.new_width), 3 if p.is_color else 1)

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        t = self.message.transform_param
        if t.HasField("mean_file"):
            return [UNKNOWN, UNKNOWN]
        means = list(t.mean_value) or [0.0]
        return [Values(-max(means), LARGEST_PIXEL - min(means)).shifted(t.scale, 0), UNKNOWN]


@register
class WindowData(Transformed):
    types = ("WindowData",)
    block = "window_data_param"
    cannot_open = "Failed to open window file"
    top_counts = TWO

    @property
    def draws_at_random(self) -> bool:
        """Which windows a batch holds."""
        return True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.check_source("window_data_layer.cpp DataLayerSetUp")
        self.check_transform()
        if self.message.transform_param.crop_size == 0:
            raise Refusal(
                Kind.MISSING_FIELD,
                "crop_size is missing; set it in transform_param",
                "Check failed: crop_size > 0",
                "window_data_layer.cpp DataLayerSetUp",
                ("transform_param", "crop_size"),
            )
        return [None, (self.check_batch_size("base_data_layer.cpp LayerSetUp"),)]

    def partial_image(self) -> PartialShape:
        return self.image(self.parameters.batch_size)


@register
class MemoryData(Transformed):
    types = ("MemoryData",)
    block = "memory_data_param"
    top_counts = TWO
    prefetches = False

    @property
    def draws_at_random(self) -> bool:
        """Where it transforms, that is done when data is put in, not in a pass."""
        return False

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.check_transform()
        p = self.parameters
        shape = tuple(as_int(size) for size in (p.batch_size, p.channels, p.height, p.width))
        if as_int(shape[0] * as_int(shape[1] * shape[2] * shape[3])) <= 0:
            missing = [
                name
                for name, size in zip(("batch_size", "channels", "height", "width"), shape, strict=False)
                if size <= 0
            ]
            raise self.refuse(
                Kind.MISSING_FIELD,
                f"{' and '.join(missing) or 'the product of the sizes'} must be larger than 0",
                "batch_size, channels, height, and width must be specified and positive in memory_data_param",
                "memory_data_layer.cpp DataLayerSetUp",
                missing[0] if missing else "batch_size",
            )
        return [new_blob(shape, "the top"), (shape[0],)]


@register
class HDF5Data(DataLayer):
    types = ("HDF5Data",)
    block = "hdf5_data_param"
    cannot_open = "Failed to open source file"
    refused_block = "transform_param"
    top_counts = AT_LEAST_ONE
    lists_files = True

    @property
    def draws_at_random(self) -> bool:
        return bool(self.parameters.shuffle)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        if self.message.HasField(self.refused_block):
            raise Refusal(
                Kind.TRANSFORM_OF_HDF5,
                "HDF5Data does not take transform_param; remove it and transform the data before writing the file",
                "HDF5Data does not transform data.",
                "hdf5_data_layer.cpp LayerSetUp",
                self.refused_block,
            )
        self.check_source("hdf5_data_layer.cpp LayerSetUp")
        self.check_batch_size("blob.cpp cpu_data")
        return [None] * len(self.tops)


@register
class Input(DataLayer):
    types = ("Input",)
    is_data = False
    block = "input_param"
    top_counts = AT_LEAST_ONE

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shapes = self.parameters.shape
        tops = len(self.tops)
        if len(shapes) not in (0, 1, tops):
            raise self.refuse(
                Kind.FIELD_COUNT,
                f"{plural(tops, 'top')} need 1 or {tops} shapes; {len(shapes)} are set",
                "Must specify 'shape' once, once per top blob, or not at all:",
                "input_layer.cpp LayerSetUp",
                "shape",
            )
        if not shapes:
            return [UNSHAPED] * tops
        made = [
            new_blob([as_int(dim) for dim in shape.dim], self.top_title(i), (self.block, "shape"))
            for i, shape in enumerate(shapes)
        ]
        return made * tops if len(made) == 1 else made


@register
class DummyData(DataLayer):
    types = ("DummyData",)
    block = "dummy_data_param"
    top_counts = AT_LEAST_ONE
    source = "dummy_data_layer.cpp LayerSetUp"

    @property
    def draws_at_random(self) -> bool:
        """All but constants are filled anew in each pass."""
        return any(filler.type != "constant" for filler in self.parameters.data_filler)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        p = self.parameters
        tops = len(self.tops)
        fillers = p.data_filler
        if len(fillers) not in (0, 1, tops):
            raise self.refuse(
                Kind.FIELD_COUNT,
                f"{plural(tops, 'top')} need 0, 1 or {tops} data_filler; {len(fillers)} are set",
                "Number of data fillers must be 0, 1 or equal to the number of tops:",
                self.source,
                "data_filler",
            )
        dims = self._wanted_dims(tops)
        for filler in fillers:
            self.check_filler(filler, (self.block, "data_filler"))
        shapes = [new_blob(dim, self.top_title(i), (self.block, "shape")) for i, dim in enumerate(dims)]
        for index, shape in enumerate(shapes):
            filler = fillers[index if len(fillers) > 1 else 0] if fillers else None
            if filler is None:
                if 0 in shape:
                    message = f"{self.top_title(index)} has no elements"
                    raise self.refuse(Kind.NO_ELEMENTS, message, "Check failed: data_", "filler.hpp", "shape")
            elif filler.type == "constant":
                self.fill(filler, shape, (self.block, "data_filler"))
        return shapes

    def _wanted_dims(self, tops: int) -> list[list[int]]:
        """Dims of each top, from `shape` or from the older num, channels, height and width."""
        p = self.parameters
        old = {name: getattr(p, name) for name in ("num", "channels", "height", "width")}
        if not any(old.values()):
            if len(p.shape) not in (1, tops):
                raise self.refuse(
                    Kind.FIELD_COUNT,
                    f"{plural(tops, 'top')} need 1 or {tops} shapes; {len(p.shape)} are set",
                    "Must specify 'shape' once, or once per top blob",
                    self.source,
                    "shape" if p.shape else None,
                )
            dims = [[as_int(dim) for dim in shape.dim] for shape in p.shape]
            return dims * tops if len(dims) == 1 else dims
        if p.shape:
            raise self.refuse(
                Kind.CONFLICTING_FIELDS,
                "shape is set along with num, channels, height or width; keep shape",
                "Both shape and legacy fields were specified",
                self.source,
                "shape",
            )
        for name, values in old.items():
            if len(values) not in (1, tops):
                raise self.refuse(
                    Kind.FIELD_COUNT,
                    f"{plural(tops, 'top')} need 1 or {tops} {name}; {len(values)} are set",
                    f"Must specify '{name}' once, or once per top blob",
                    self.source,
                    name if values else None,
                )
        return [[as_int(values[0 if len(values) == 1 else i]) for values in old.values()] for i in range(tops)]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        fillers = self.parameters.data_filler
        if not fillers:
            return [exactly(0)] * len(self.tops)
        return [filled(fillers[min(index, len(fillers) - 1)]) for index in range(len(self.tops))]


@register
class Parameter(BuiltLayer):
    """A learnable blob of its own."""

    types = ("Parameter",)
    block = "parameter_param"
    computes_by = ("shape",)
    bottom_counts = NONE
    top_counts = ONE

    @property
    def has_parameters(self) -> bool:
        return True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = new_blob([as_int(dim) for dim in self.parameters.shape.dim], "the top", (self.block, "shape"))
        self.param_shapes = [shape]
        return [shape]


@register
class HDF5Output(BuiltLayer):
    types = ("HDF5Output",)
    writes = ("file_name",)
    block = "hdf5_output_param"
    bottom_counts = TWO
    top_counts = NONE
    has_backward = False

    def passes_gradient(self, bottom: int) -> bool:
        # Its backward pass is there, and does nothing.
        return True

    @property
    def written_file(self) -> str:  # type: ignore[override]
        return str(self.parameters.file_name)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        if not self.parameters.file_name:
            raise self.refuse(
                Kind.MISSING_FIELD,
                "file_name is missing; set it",
                "Failed to open HDF5 file",
                "hdf5_output_layer.cpp LayerSetUp",
                "file_name",
            )
        return []

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        return self.set_up([])
