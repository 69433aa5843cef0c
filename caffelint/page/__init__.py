"""A net, what was found in it, and what is known of its training, as one page that opens without a network."""
