"""Rules about what a log of training tells (codes T...)."""
