"""Facts that cannot be read."""


class WrongFacts(ValueError):
    """A file of facts is not as it must be; says the file, the fact and what is wrong with it."""
