"""Data sets: what the sources that a net names hold, as values."""
