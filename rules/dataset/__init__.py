"""Rules on data sets: what `caffelint data` reads."""
