"""Rules about BatchNorm and what goes with it (codes B...)."""
