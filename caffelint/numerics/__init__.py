"""What a training starts with, before it runs: the scale of every blob, every gradient and every first update."""
