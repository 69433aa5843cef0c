"""Prototxt as text: a lossless tree with spans, its problems, and edits. Knows nothing of Caffe."""
