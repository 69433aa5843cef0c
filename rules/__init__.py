"""The rules that come with caffelint: one rule, one file, grouped by family. Found through the entry point."""
