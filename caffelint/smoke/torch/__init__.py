"""The engine that needs no Caffe: runs in torch the net that `caffelint.caffe.build` gives, with Caffe's semantics."""
