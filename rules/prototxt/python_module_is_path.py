from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, SAFE, Finding, Invalid, Layer, LayerRule, fix, quoted, title, write


class PythonModuleIsPath(LayerRule):
    """`python_param.module` holds a path or a file name; Python imports modules by name.

    ## Why is this bad?
    Caffe calls `import` with that text, which raises `ImportError`, and stops. The module's folder belongs in
    `PYTHONPATH`, and its name without `.py` in `module`.

    ## Example
    ```
    layer { type: "Python" python_param { module: "/home/me/layers/loss.py" layer: "Loss" } }
    ```
    Use instead, with `PYTHONPATH=/home/me/layers`:
    ```
    layer { type: "Python" python_param { module: "loss" layer: "Loss" } }
    ```

    ## Fix safety
    Safe: the import fails anyway. The folder has to be put on `PYTHONPATH` by hand.

    ## References
    - caffe/layer_factory.cpp, GetPythonLayer
    - Stack Overflow 33962226
    """

    code = "P012"
    name = "python-module-is-path"
    severity = ERROR
    layer_types = ("Python",)
    VALID = [
        'layer { name: "loss" type: "Python" python_param { module: "rpn.proposal_layer" layer: "ProposalLayer" } }',
        'layer { name: "loss" type: "Python" python_param { layer: "A" } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "loss" type: "Python" python_param { module: "/home/me/layers/loss.py" layer: "Loss" } }',
            span='module: "/home/me/layers/loss.py"',
            message='Python "loss": module "/home/me/layers/loss.py" is a path, but Python imports by name; write'
            ' module: "loss" and put "/home/me/layers" on PYTHONPATH',
            fixed='layer { name: "loss" type: "Python" python_param { module: "loss" layer: "Loss" } }',
        ),
        Invalid(
            'layer { name: "loss" type: "Python" python_param { module: "loss.py" layer: "Loss" } }',
            span='module: "loss.py"',
            message='Python "loss": module "loss.py" is a file name, but Python imports by name; write module: "loss"',
            fixed='layer { name: "loss" type: "Python" python_param { module: "loss" layer: "Loss" } }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        module = layer.message.python_param.module
        path = module.replace("\\", "/")
        if "/" not in path and not path.endswith(".py"):
            return
        folder, _, file = path.rpartition("/")
        name = file.removesuffix(".py")
        place = layer.at("python_param", "module")
        what = "a path" if "/" in path else "a file name"
        message = f'{title(layer)}: module "{module}" is {what}, but Python imports by name'
        if not name.isidentifier():
            yield self.finding(place, message + "; write the module's name without its folder")
            return
        message += f'; write module: "{name}"' + (f' and put "{folder}" on PYTHONPATH' if folder else "")
        fixes = fix(f'write module: "{name}"', SAFE, write(layer, "python_param", "module", value=quoted(name)))
        evidence = "Caffe passes this text to import, which raises ImportError"
        yield self.finding(place, message, evidence=evidence, fixes=fixes)
