"""Rules about what a short training run shows (codes X...)."""
