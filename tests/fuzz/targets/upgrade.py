"""`caffelint upgrade`: what it makes of a text stays as it is the next time."""

from caffelint.fix.upgrade import upgrade_text

SEEDS = "prototxt"


def run(data: bytes) -> None:
    result = upgrade_text(data, "net.prototxt")
    assert all(left.message for left in result.left)
    if result.changed:
        again = upgrade_text(result.data, "net.prototxt")
        assert again.data == result.data, "a second run changes it again"
    else:
        assert result.data == data
