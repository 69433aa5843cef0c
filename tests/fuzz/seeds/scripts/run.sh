#!/bin/bash
SOLVER=solver.prototxt
export LIST="list.txt"
mkdir -p snap && cd .
build/tools/convert_imageset.bin --backend=lmdb --resize_height=8 /images/ $LIST d_lmdb 2>&1 | tee out
compute_image_mean -backend lmdb d_lmdb mean.binaryproto
./build/tools/caffe train -solver $SOLVER -weights a.caffemodel \
    --gpu 0 # all
caffe.bin train --solver=solver.prototxt --snapshot snap/x_iter_10.solverstate
python run.py --net deploy.prototxt --out=net.prototxt > gone.prototxt
sed -i 's/base_lr: .*/base_lr: 0.1/' solver.prototxt
