"""What the older formats call things, and where the current one keeps them, as util/upgrade_proto.cpp has it.

Generation 0 wraps each layer (`layers { layer { type: "conv" } bottom: .. }`), generation 1 names types by an enum
(`layers { type: CONVOLUTION }`), generation 2 is today's `layer { type: "Convolution" }`.
"""

from __future__ import annotations

V0_TYPES = {
    "accuracy": "ACCURACY",
    "bnll": "BNLL",
    "concat": "CONCAT",
    "conv": "CONVOLUTION",
    "data": "DATA",
    "dropout": "DROPOUT",
    "euclidean_loss": "EUCLIDEAN_LOSS",
    "flatten": "FLATTEN",
    "hdf5_data": "HDF5_DATA",
    "hdf5_output": "HDF5_OUTPUT",
    "im2col": "IM2COL",
    "images": "IMAGE_DATA",
    "infogain_loss": "INFOGAIN_LOSS",
    "innerproduct": "INNER_PRODUCT",
    "lrn": "LRN",
    "multinomial_logistic_loss": "MULTINOMIAL_LOGISTIC_LOSS",
    "pool": "POOLING",
    "relu": "RELU",
    "sigmoid": "SIGMOID",
    "softmax": "SOFTMAX",
    "softmax_loss": "SOFTMAX_LOSS",
    "split": "SPLIT",
    "tanh": "TANH",
    "window_data": "WINDOW_DATA",
}

V1_TYPES = {
    "NONE": "",
    "ABSVAL": "AbsVal",
    "ACCURACY": "Accuracy",
    "ARGMAX": "ArgMax",
    "BNLL": "BNLL",
    "CONCAT": "Concat",
    "CONTRASTIVE_LOSS": "ContrastiveLoss",
    "CONVOLUTION": "Convolution",
    "DATA": "Data",
    "DECONVOLUTION": "Deconvolution",
    "DROPOUT": "Dropout",
    "DUMMY_DATA": "DummyData",
    "ELTWISE": "Eltwise",
    "EUCLIDEAN_LOSS": "EuclideanLoss",
    "EXP": "Exp",
    "FLATTEN": "Flatten",
    "HDF5_DATA": "HDF5Data",
    "HDF5_OUTPUT": "HDF5Output",
    "HINGE_LOSS": "HingeLoss",
    "IM2COL": "Im2col",
    "IMAGE_DATA": "ImageData",
    "INFOGAIN_LOSS": "InfogainLoss",
    "INNER_PRODUCT": "InnerProduct",
    "LRN": "LRN",
    "MEMORY_DATA": "MemoryData",
    "MULTINOMIAL_LOGISTIC_LOSS": "MultinomialLogisticLoss",
    "MVN": "MVN",
    "POOLING": "Pooling",
    "POWER": "Power",
    "RELU": "ReLU",
    "SIGMOID": "Sigmoid",
    "SIGMOID_CROSS_ENTROPY_LOSS": "SigmoidCrossEntropyLoss",
    "SILENCE": "Silence",
    "SLICE": "Slice",
    "SOFTMAX": "Softmax",
    "SOFTMAX_LOSS": "SoftmaxWithLoss",
    "SPLIT": "Split",
    "TANH": "TanH",
    "THRESHOLD": "Threshold",
    "WINDOW_DATA": "WindowData",
}

# Types that only forks know in generation 1: the name that the fork's own upgrade, or its later versions, give them.
V1_FORK_TYPES = {
    "BATCH_NORM": "BatchNorm",
    "BIAS": "Bias",
    "CLIP": "Clip",
    "CONVOLUTION3D": "Convolution3D",
    "CROP": "Crop",
    "CRELU": "CReLU",
    "DECONVOLUTION3D": "Deconvolution3D",
    "DEFORMABLECONVOLUTION": "DeformableConvolution",
    "DEPTHWISECONVOLUTION": "DepthwiseConvolution",
    "DETECTIONOUTPUT": "DetectionOutput",
    "DETECTION_OUTPUT": "DetectionOutput",
    "EMBED": "Embed",
    "INPUT": "Input",
    "INSANITY": "Insanity",
    "INTERP": "Interp",
    "L1_LOSS": "L1Loss",
    "LOG": "Log",
    "NORMALIZE": "Normalize",
    "PARAMETER": "Parameter",
    "PERMUTE": "Permute",
    "POOLING3D": "Pooling3D",
    "PRELU": "PReLU",
    "PRIORBOX": "PriorBox",
    "PRIOR_BOX": "PriorBox",
    "PROPOSAL": "Proposal",
    "PSROI_POOLING": "PSROIPooling",
    "PYTHON": "Python",
    "REDUCTION": "Reduction",
    "RELU6": "ReLU6",
    "REORG": "Reorg",
    "RESHAPE": "Reshape",
    "ROIPOOLING": "ROIPooling",
    "ROI_ALIGN": "ROIAlign",
    "ROI_POOLING": "ROIPooling",
    "SCALE": "Scale",
    "SHUFFLE_CHANNEL": "ShuffleChannel",
    "SMOOTH_L1_LOSS": "SmoothL1Loss",
    "TILE": "Tile",
    "UPSAMPLE": "Upsample",
    "VIDEO_DATA": "VideoData",
}

# V0 field: {V0 type: (V1 parameter message, its field)}; UpgradeV0LayerParameter drops it on any other type.
V0_FIELDS: dict[str, dict[str, tuple[str, str]]] = {
    "num_output": {
        "conv": ("convolution_param", "num_output"),
        "innerproduct": ("inner_product_param", "num_output"),
    },
    "biasterm": {"conv": ("convolution_param", "bias_term"), "innerproduct": ("inner_product_param", "bias_term")},
    "weight_filler": {
        "conv": ("convolution_param", "weight_filler"),
        "innerproduct": ("inner_product_param", "weight_filler"),
    },
    "bias_filler": {
        "conv": ("convolution_param", "bias_filler"),
        "innerproduct": ("inner_product_param", "bias_filler"),
    },
    "pad": {"conv": ("convolution_param", "pad"), "pool": ("pooling_param", "pad")},
    "kernelsize": {"conv": ("convolution_param", "kernel_size"), "pool": ("pooling_param", "kernel_size")},
    "group": {"conv": ("convolution_param", "group")},
    "stride": {"conv": ("convolution_param", "stride"), "pool": ("pooling_param", "stride")},
    "pool": {"pool": ("pooling_param", "pool")},
    "dropout_ratio": {"dropout": ("dropout_param", "dropout_ratio")},
    "local_size": {"lrn": ("lrn_param", "local_size")},
    "alpha": {"lrn": ("lrn_param", "alpha")},
    "beta": {"lrn": ("lrn_param", "beta")},
    "k": {"lrn": ("lrn_param", "k")},
    "source": {
        "data": ("data_param", "source"),
        "hdf5_data": ("hdf5_data_param", "source"),
        "images": ("image_data_param", "source"),
        "window_data": ("window_data_param", "source"),
        "infogain_loss": ("infogain_loss_param", "source"),
    },
    "batchsize": {
        "data": ("data_param", "batch_size"),
        "hdf5_data": ("hdf5_data_param", "batch_size"),
        "images": ("image_data_param", "batch_size"),
        "window_data": ("window_data_param", "batch_size"),
    },
    "rand_skip": {"data": ("data_param", "rand_skip"), "images": ("image_data_param", "rand_skip")},
    "shuffle_images": {"images": ("image_data_param", "shuffle")},
    "new_height": {"images": ("image_data_param", "new_height")},
    "new_width": {"images": ("image_data_param", "new_width")},
    "concat_dim": {"concat": ("concat_param", "concat_dim")},
    "det_fg_threshold": {"window_data": ("window_data_param", "fg_threshold")},
    "det_bg_threshold": {"window_data": ("window_data_param", "bg_threshold")},
    "det_fg_fraction": {"window_data": ("window_data_param", "fg_fraction")},
    "det_context_pad": {"window_data": ("window_data_param", "context_pad")},
    "det_crop_mode": {"window_data": ("window_data_param", "crop_mode")},
    "hdf5_output_param": {"hdf5_output": ("", "hdf5_output_param")},
}

V0_TRANSFORM_FIELDS = {"scale": "scale", "meanfile": "mean_file", "cropsize": "crop_size", "mirror": "mirror"}
V0_KEPT_FIELDS = ("name", "blobs", "blobs_lr", "weight_decay")
NET_FIELDS_KEPT_FROM_V0 = ("name", "input", "input_dim", "force_backward")

TRANSFORM_FIELDS = ("scale", "mean_file", "crop_size", "mirror")
TRANSFORMED_TYPES = {"DATA": "data_param", "IMAGE_DATA": "image_data_param", "WINDOW_DATA": "window_data_param"}

# V1 fields that turn into `param` blocks, in the order of UpgradeV1LayerParameter.
V1_PARAM_FIELDS = {
    "param": "name",
    "blob_share_mode": "share_mode",
    "blobs_lr": "lr_mult",
    "weight_decay": "decay_mult",
}

SOLVER_TYPES = {
    "SGD": "SGD",
    "NESTEROV": "Nesterov",
    "ADAGRAD": "AdaGrad",
    "RMSPROP": "RMSProp",
    "ADADELTA": "AdaDelta",
    "ADAM": "Adam",
}
