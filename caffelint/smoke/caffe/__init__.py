"""The engine that is a real Caffe."""
