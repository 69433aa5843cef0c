"""Rules about Python layers, whose modules are read as text."""
