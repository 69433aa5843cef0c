import caffelint
from caffelint.lint.config import Config


def crops(*offsets: int) -> str:
    """A net that enlarges maps of stride 2, 4, 8 and so on, and crops each; half of the stride is the right offset."""
    text = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 64 dim: 64 } } }'
    for step, offset in enumerate(offsets, 1):
        stride = 2**step
        text += (
            f' layer {{ name: "pool{step}" type: "Pooling" bottom: "{"data" if step == 1 else f"pool{step - 1}"}"'
            f' top: "pool{step}" pooling_param {{ pool: MAX kernel_size: 2 stride: 2 }} }}'
            f' layer {{ name: "up{step}" type: "Deconvolution" bottom: "pool{step}" top: "up{step}" convolution_param'
            f" {{ num_output: 3 kernel_size: {2 * stride} stride: {stride} }} }}"
            f' layer {{ name: "crop{step}" type: "Crop" bottom: "up{step}" bottom: "data" top: "crop{step}"'
            f" crop_param {{ axis: 2 offset: {offset} }} }}\n"
        )
    return text


def told(text: str) -> list[str]:
    config = Config()
    config.preview = True
    found = caffelint.check_text(text, config=config).findings
    return [one.message for one in found if one.name == "upsampling-geometry"]


def test_a_crop_is_held_against_the_others() -> None:
    """Half a pixel of a coarse map says nothing, unless all other Crops are exact."""
    assert told(crops(1, 2, 4, 8)) == []
    assert told(crops(1, 2, 4, 4)) == [
        'Crop "crop4": "up4" aligns with "data" at offset 8 but crop_param has offset 4, so the map is shifted by 4'
        " pixels; set offset: 8"
    ]
    assert told(crops(0, 2, 4, 4)) == []
