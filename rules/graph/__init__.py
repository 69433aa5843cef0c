"""Rules about blobs, phases and what connects the layers (codes G...)."""
