"""`caffelint patch --check-finite`: what is put in comes out again, byte for byte."""

from caffelint.fix.finite import PatchError, insert_checks, remove_checks

SEEDS = "prototxt"
WHERE = ("suspects", "losses", "all")


def run(data: bytes) -> None:
    bare = remove_checks(data, "net.prototxt")
    try:
        patched = insert_checks(data, WHERE[len(data) % 3], "net.prototxt")
    except PatchError as reason:
        if "please report it" in str(reason):
            raise
        return
    assert remove_checks(patched.data, "net.prototxt") == bare
