"""`python -m caffelint` is `caffelint`."""

import sys

from caffelint.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
