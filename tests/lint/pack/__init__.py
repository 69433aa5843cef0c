"""A pack of rules as somebody else would write it from CONTRIBUTING alone."""
