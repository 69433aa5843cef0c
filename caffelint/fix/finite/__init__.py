"""Puts layers into a net that stop Caffe at the first nan or inf, and takes them out again.

>>> from caffelint.fix.finite import insert_checks, remove_checks
>>> net = b'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 } } }'
>>> patched = insert_checks(net, "all")
>>> [check.blob for check in patched.checks]
['data']
>>> remove_checks(patched.data) == net
True
"""

from caffelint.fix.finite.insert import Check, Patched, PatchError, insert_checks
from caffelint.fix.finite.remove import remove_checks

__all__ = ["Check", "PatchError", "Patched", "insert_checks", "remove_checks"]
