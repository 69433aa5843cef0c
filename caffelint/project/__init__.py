"""What the files around a net say: its Python layers. Read as text, never imported or run."""
