"""Trained weights against the nets that are to take them, and what is wrong with their values."""
