from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Layer, LayerRule, title

from ._layers import transform_place, transforms_unlike_bvlc


class CropLargerThanImage(LayerRule):
    """`crop_size` is larger than the size that images are resized to.

    ## Why is this bad?
    Caffe cuts a square of `crop_size` out of each image, and aborts if the image is smaller.

    ## Example
    ```
    layer {
      name: "data" type: "ImageData" top: "data" top: "label"
      image_data_param { source: "train.txt" new_height: 224 new_width: 224 }
      transform_param { crop_size: 227 }
    }
    ```
    Use instead:
    ```
    layer {
      name: "data" type: "ImageData" top: "data" top: "label"
      image_data_param { source: "train.txt" new_height: 256 new_width: 256 }
      transform_param { crop_size: 227 }
    }
    ```

    ## References
    - data_transformer.cpp, InferBlobShape and Transform; image_data_layer.cpp, DataLayerSetUp
    """

    code = "D004"
    name = "crop-larger-than-image"
    severity = ERROR
    layer_types = ("ImageData",)
    VALID = [
        'layer { name: "data" type: "ImageData" image_data_param { new_height: 256 new_width: 256 }'
        " transform_param { crop_size: 227 } }",
        # As large as the image.
        'layer { name: "data" type: "ImageData" image_data_param { new_height: 227 new_width: 227 }'
        " transform_param { crop_size: 227 } }",
        # As large as the files are.
        'layer { name: "data" type: "ImageData" transform_param { crop_size: 227 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "ImageData" image_data_param { new_height: 224 new_width: 256 }'
            " transform_param { crop_size: 227 } }",
            span="crop_size: 227",
            message='ImageData "data": crop_size 227 does not fit into images of 224x256 (new_height x new_width),'
            " so Caffe stops; set crop_size: 224 or less",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        crop = layer.message.transform_param.crop_size
        if not crop:
            return
        block = layer.message.image_data_param
        height, width = block.new_height, block.new_width
        if height and width and crop > min(height, width) and not transforms_unlike_bvlc(layer):
            yield self.finding(
                transform_place(layer, "crop_size"),
                f"{title(layer)}: crop_size {crop} does not fit into images of {height}x{width}"
                f" (new_height x new_width), so Caffe stops; set crop_size: {min(height, width)} or less",
                evidence="Caffe stops with: Check failed: img_height >= crop_size",
            )
