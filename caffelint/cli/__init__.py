"""The command line: one file per command. Prints; decides nothing."""
