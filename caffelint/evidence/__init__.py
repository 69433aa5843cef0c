"""What was left behind or lies there: logs of training runs."""
