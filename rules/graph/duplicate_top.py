from __future__ import annotations

from caffelint.lint import (
    ERROR,
    UNSAFE,
    Fix,
    Invalid,
    Kind,
    Layer,
    RefusalRule,
    Refused,
    fix,
    listed,
    quoted,
    rename_blob,
    title,
)

from ._left_over import left_over_data, written_twice
from ._misplaced import as_called, shifted


class DuplicateTop(RefusalRule):
    """Two layers of one phase make a blob of the same name.

    ## Why is this bad?
    Only an in-place layer may write a blob that already exists: its top must have the name of the bottom with the same
    index. Anything else makes Caffe abort. The usual reason is data layers for TRAIN and TEST without their
    `include { phase: ... }`.

    ## Example
    ```
    layer { name: "train" type: "Data" top: "data" }
    layer { name: "test" type: "Data" top: "data" }
    ```
    Use instead:
    ```
    layer { name: "train" type: "Data" top: "data" include { phase: TRAIN } }
    layer { name: "test" type: "Data" top: "data" include { phase: TEST } }
    ```

    ## Fix safety
    Unsafe: every later layer reads the later of the two blobs, in the order of the text.

    ## References
    - net.cpp, AppendTop
    """

    code = "G002"
    name = "duplicate-top"
    severity = ERROR
    claims = (Kind.DUPLICATE_TOP,)
    _DATA = ' layer { name: "d" type: "Data" top: "data" include { phase: %s } }'
    VALID = [
        'layer { name: "train" type: "Data" top: "data" include { phase: TRAIN } }'
        ' layer { name: "test" type: "Data" top: "data" include { phase: TEST } }',
        'layer { name: "data" type: "Input" top: "data" }'
        ' layer { name: "relu" type: "ReLU" bottom: "data" top: "data" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "train" type: "Data" top: "data" } layer { name: "test" type: "Data" top: "data" }',
            span='top: "data"',
            message='Data "test": top "data" is already made by layer "train"; add include { phase: ... } to each',
        ),
        Invalid(
            {
                "deploy.prototxt": 'layer { name: "data" type: "Input" top: "data" }'
                ' layer { name: "batch" type: "Python" top: "data" top: "label" python_param { module: "a" layer: "B" }'
                ' } layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }'
            },
            span='top: "data"',
            message='Python "batch": top "data" is already made by layer "data"; a deploy net gets its data through its'
            " Input, so remove it",
        ),
        # Each phase has its data.
        Invalid(
            {"deploy.prototxt": 'layer { name: "data" type: "Input" top: "data" }' + _DATA % "TRAIN" + _DATA % "TEST"},
            span='top: "data"',
            message='Data "d": top "data" is already made by layer "data"; a deploy net gets its data through its'
            " Input, so remove it",
        ),
        Invalid(
            'layer { name: "d" type: "Python" top: "x" top: "y" python_param { module: "a" layer: "B" } }'
            ' layer { name: "d" type: "ImageData" top: "x" top: "y" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "x" bottom: "y" }',
            span=['top: "x"', 'top: "y"'],
            message=[
                f'ImageData "d": top "{top}" is already made by Python "d"; both give "x" and "y", so remove one of the'
                " two"
                for top in "xy"
            ],
        ),
        Invalid(
            'layer { name: "in" type: "Input" top: "x" }'
            ' layer { name: "s" type: "Split" bottom: "x" top: "y" top: "y" top: "y" }'
            ' layer { name: "r" type: "ReLU" bottom: "y" top: "z" }',
            span=['top: "y"', 'top: "y"'],
            message=['Split "s": top "y" is given twice; rename one of them'] * 2,
            fixed='layer { name: "in" type: "Input" top: "x" }'
            ' layer { name: "s" type: "Split" bottom: "x" top: "y" top: "y_2" top: "s" }'
            ' layer { name: "r" type: "ReLU" bottom: "s" top: "z" }',
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "ip" type: "AbsVal" bottom: "data" top: "ip2" }'
            ' layer { name: "ip2" type: "AbsVal" bottom: "ip" top: "ip2" }',
            span='top: "ip2"',
            message='AbsVal "ip2": top "ip2" is already made by layer "ip"; set top: "ip" there',
            fixed='layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "ip" type: "AbsVal" bottom: "data" top: "ip" }'
            ' layer { name: "ip2" type: "AbsVal" bottom: "ip" top: "ip2" }',
        ),
    ]

    def message(self, refused: Refused) -> str:
        values, layers = refused.refusal.values, refused.layers
        if len(layers) == 1 and values["is_maker"]:
            return f'{title(layers[0])}: top "{values["blob"]}" is given twice; rename one of them'
        if found := left_over_data(refused):
            left, first = found
            return (
                f'{title(layers[0])}: top "{values["blob"]}" is already made by layer "{first.name}"; a deploy net gets'
                f" its data through its Input, so remove {'it' if left is layers[0] else title(left)}"
            )
        if written := written_twice(refused):
            text = f'{title(layers[0])}: top "{values["blob"]}" is already made by layer "{written.name}", which'
            return f"{text} compares with the same labels; remove one of the two"
        if moved := shifted(refused):
            text = f'{title(layers[0])}: top "{values["blob"]}" is already made by layer "{moved[0].name}"'
            also = "".join(f' and top: "{one.name}" in layer "{one.name}"' for one in moved[1:])
            return f'{text}; set top: "{moved[0].name}" there{also}'
        if choice := _given_twice(refused):
            text = f'{title(layers[0])}: top "{values["blob"]}" is already made by {title(choice)}; both give'
            return f"{text} {listed([quoted(top) for top in choice.tops])}, so remove one of the two"
        return super().message(refused)

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        """A name of its own for the later blob; not for data layers, which rather lack their phases."""
        layer = refused.layers[0]
        if len(refused.layers) > 1 or layer.kind.is_data or left_over_data(refused) or written_twice(refused):
            return ()
        if moved := shifted(refused):
            return as_called(moved)
        if _given_twice(refused):
            return ()
        values = refused.refusal.values
        edits = rename_blob(layer, values["blob"], top=values["top"])
        return fix(f"rename the top to {edits[0][1].text}", UNSAFE, edits) if edits else ()


def _given_twice(refused: Refused) -> Layer | None:
    """The data layer of another type that a data layer stands beside as the other choice, of the same name and tops."""
    layer, blob = refused.layers[0], refused.refusal.values["blob"]
    if len(refused.layers) > 1 or layer.bottoms or len(layer.tops) < 2:
        return None
    for other in refused.net.layers[: layer.index]:
        is_other = not other.bottoms and other.type != layer.type and other.name == layer.name
        if is_other and other.tops == layer.tops and blob in other.tops:
            return other
    return None
