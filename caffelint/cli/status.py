"""How a command ends, as a number for the shell."""

OK, FINDINGS, USAGE, INTERNAL, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141
"""Exit statuses: nothing found, findings, wrong usage or input, caffelint's own failure; the rest as shells have it."""
