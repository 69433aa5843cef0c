"""What a run that went wrong may have gone wrong of, by what its log holds."""
