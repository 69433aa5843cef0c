"""Files of trained weights, read as Caffe reads them, and what of them a net takes."""
