"""Rules about the text and the schema (codes P...)."""
