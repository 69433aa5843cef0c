"""Rules about single layers (codes L...)."""
