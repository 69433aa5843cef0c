"""Rules about fillers (codes I...)."""
