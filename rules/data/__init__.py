"""Rules about data layers and what they do to the data."""
