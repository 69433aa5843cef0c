"""What ends a process while message classes are made."""

from __future__ import annotations

import subprocess
import sys

from caffelint.schema.pool import BASES

_ENDED = 143
_SCRIPT = f"""
import sys

class Ending:
    def find_spec(self, name, path=None, target=None):
        if name == "{BASES}":
            raise SystemExit({_ENDED})

sys.meta_path.insert(0, Ending())
import caffelint.schema.messages as messages
messages.NetParameter
"""


def test_a_signal_during_what_protobuf_imports_ends_with_its_status() -> None:
    """`ending_once` makes an exception of it, which protobuf's C code does not stand: it looked into what is not there.

    The status of a crash would be that of SIGSEGV.
    """
    assert subprocess.run([sys.executable, "-c", _SCRIPT], check=False).returncode == _ENDED
