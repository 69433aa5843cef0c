"""Rules about the objective: losses, what feeds them, what they are weighted and divided by."""
