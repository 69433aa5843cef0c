% trains, and tests
caffe.set_mode_gpu();
solver = caffe.get_solver('solver.prototxt');
solver.net.copy_from('a.caffemodel');
caffe('init_solver', 'solver.prototxt', 'a.caffemodel', 'log');
solver.solve();
net = caffe.Net('deploy.prototxt', 'a.caffemodel', 'test');
net.blobs('data').set_data(single(im)); net.forward_prefilled();
fid = fopen('gone.prototxt', 'w');
