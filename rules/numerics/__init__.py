"""Rules about values that cannot be computed (codes N...)."""
