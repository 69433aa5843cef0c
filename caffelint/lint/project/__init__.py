"""What the repository around a file tells: its own Caffe. All of it is read as text, nothing is built or run."""
