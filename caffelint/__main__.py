"""`python -m caffelint` is `caffelint`."""

from __future__ import annotations

import sys

from caffelint.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
