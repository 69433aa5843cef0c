"""Rules about what training needs of a machine (codes R...)."""
