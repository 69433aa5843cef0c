"""Short training runs that say where a net breaks: one protocol, two engines."""
