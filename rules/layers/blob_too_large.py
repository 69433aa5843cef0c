from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Kind, RefusalRule


class BlobTooLarge(RefusalRule):
    """A blob has more than 2147483647 elements.

    ## Why is this bad?
    Caffe counts elements in a signed 32-bit integer and stops at the first blob that exceeds it, however much memory
    the GPU has.

    ## Example
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4096 dim: 3 dim: 512 dim: 512 } } }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 256 dim: 3 dim: 512 dim: 512 } } }
    ```

    ## Known problems
    Silent if a shape comes from a data file, and about nets that use layers or fields of a fork.

    ## References
    - blob.cpp, Reshape; BVLC/caffe#5067
    """

    code = "L005"
    name = "blob-too-large"
    severity = ERROR
    claims = (Kind.BLOB_TOO_LARGE,)
    VALID = [
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 256 dim: 3 dim: 512 dim: 512 } } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4096 dim: 3 dim: 512 dim: 512'
            " } } }",
            span="shape",
            message='Input "data": top "data" would be 4096x3x512x512, more than the 2147483647 elements that Caffe'
            " can count",
        ),
    ]
