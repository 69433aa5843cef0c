"""Logs of training runs: what Caffe printed, as values."""
