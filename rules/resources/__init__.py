"""Rules about what a training needs (codes R...)."""
