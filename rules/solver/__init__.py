"""Rules about the solver (codes S...)."""
