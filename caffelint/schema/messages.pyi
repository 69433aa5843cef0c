# ruff: noqa: N801, N802, N815
# Written by tools/build_proto.py from proto/; do not edit.
# Fields and enum values whose name is a Python keyword (`lambda`) are left out: getattr reads them.
from typing import Any, ClassVar

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Messages
from google.protobuf.internal.containers import RepeatedScalarFieldContainer as Scalars
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message

TRAIN: int
TEST: int

class CaffeMessage(Message):
    def __init__(self, **fields: Any) -> None: ...

class BlobShape(CaffeMessage):
    @property
    def dim(self) -> Scalars[int]: ...

class BlobProto(CaffeMessage):
    @property
    def shape(self) -> BlobShape: ...
    @property
    def data(self) -> Scalars[float]: ...
    @property
    def diff(self) -> Scalars[float]: ...
    @property
    def double_data(self) -> Scalars[float]: ...
    @property
    def double_diff(self) -> Scalars[float]: ...
    num: int
    channels: int
    height: int
    width: int
    length: int
    raw_data_type: int
    raw_diff_type: int
    raw_data: bytes
    raw_diff: bytes
    data_type: int
    @property
    def shape_stride(self) -> BlobShape: ...
    packed_data: bytes
    packed_diff: bytes
    @property
    def mask(self) -> Scalars[float]: ...
    @property
    def double_mask(self) -> Scalars[float]: ...
    format: int

class BlobProtoVector(CaffeMessage):
    @property
    def blobs(self) -> Messages[BlobProto]: ...

class Datum(CaffeMessage):
    channels: int
    height: int
    width: int
    data: bytes
    label: int
    @property
    def float_data(self) -> Scalars[float]: ...
    encoded: bool
    @property
    def shape(self) -> BlobShape: ...
    @property
    def labels(self) -> Scalars[float]: ...
    float_label: float
    @property
    def float_labels(self) -> Scalars[float]: ...
    byte_labels: bytes
    record_id: int
    seg_label: bytes

class FillerParameter(CaffeMessage):
    VarianceNorm: ClassVar[EnumTypeWrapper]
    FAN_IN: ClassVar[int]
    FAN_OUT: ClassVar[int]
    AVERAGE: ClassVar[int]
    type: str
    value: float
    min: float
    max: float
    mean: float
    std: float
    sparse: int
    variance_norm: int
    cap_in_num: int
    cap_out_num: int
    cap_mean: float
    cap_std: float
    cap_dim: float
    grid_h_in: int
    grid_w_in: int
    grid_h_out: int
    grid_w_out: int
    @property
    def values(self) -> Scalars[float]: ...
    @property
    def diag_val(self) -> Scalars[float]: ...
    msra_coeff: float
    source: str
    symmetric_fraction: float
    alpha: float
    scale: float
    file: str
    num_groups: int

class NetParameter(CaffeMessage):
    name: str
    @property
    def input(self) -> Scalars[str]: ...
    @property
    def input_shape(self) -> Messages[BlobShape]: ...
    @property
    def input_dim(self) -> Scalars[int]: ...
    force_backward: bool
    @property
    def state(self) -> NetState: ...
    debug_info: bool
    @property
    def layer(self) -> Messages[LayerParameter]: ...
    @property
    def layers(self) -> Messages[V1LayerParameter]: ...
    opt_level: int
    top_mlu_dtype: int
    debug_dtype: bool
    @property
    def compile_net_state(self) -> CompileNetState: ...
    engine: str
    bn_stats_batch_size: int
    @property
    def multinode(self) -> MultinodeParameter: ...
    default_forward_type: int
    default_backward_type: int
    default_forward_math: int
    default_backward_math: int
    global_grad_scale: float
    global_grad_scale_adaptive: bool
    default_conv_algos_override: str
    reduce_buckets: int
    default_cudnn_math_override: int
    eltwise_mem_sharing: bool
    data_type: int
    @property
    def quantizer(self) -> Messages[QuantizerParameter]: ...
    reduced_memory_inference: bool
    autotune: int
    profile_info: bool
    profile_iter: int
    profile_warmup: int
    @property
    def mem_param(self) -> MemoryOptimizationParameter: ...
    copyright: str

class SolverParameter(CaffeMessage):
    SnapshotFormat: ClassVar[EnumTypeWrapper]
    HDF5: ClassVar[int]
    BINARYPROTO: ClassVar[int]
    SolverMode: ClassVar[EnumTypeWrapper]
    CPU: ClassVar[int]
    GPU: ClassVar[int]
    MLU: ClassVar[int]
    SolverType: ClassVar[EnumTypeWrapper]
    SGD: ClassVar[int]
    NESTEROV: ClassVar[int]
    ADAGRAD: ClassVar[int]
    RMSPROP: ClassVar[int]
    ADADELTA: ClassVar[int]
    ADAM: ClassVar[int]
    ATARI: ClassVar[int]
    SAG: ClassVar[int]
    net: str
    @property
    def net_param(self) -> NetParameter: ...
    train_net: str
    @property
    def test_net(self) -> Scalars[str]: ...
    @property
    def train_net_param(self) -> NetParameter: ...
    @property
    def test_net_param(self) -> Messages[NetParameter]: ...
    @property
    def train_state(self) -> NetState: ...
    @property
    def test_state(self) -> Messages[NetState]: ...
    @property
    def test_iter(self) -> Scalars[int]: ...
    test_interval: int
    test_compute_loss: bool
    test_initialization: bool
    base_lr: float
    display: int
    average_loss: int
    max_iter: int
    iter_size: int
    lr_policy: str
    gamma: float
    power: float
    momentum: float
    weight_decay: float
    regularization_type: str
    stepsize: int
    @property
    def stepvalue(self) -> Scalars[int]: ...
    clip_gradients: float
    snapshot: int
    snapshot_prefix: str
    snapshot_diff: bool
    snapshot_format: int
    solver_mode: int
    device_id: int
    random_seed: int
    type: str
    delta: float
    momentum2: float
    rms_decay: float
    debug_info: bool
    snapshot_after_train: bool
    solver_type: int
    layer_wise_reduce: bool
    @property
    def weights(self) -> Scalars[str]: ...
    min_lr: float
    max_lr: float
    timeout_sec: int
    timeout_nsec: int
    @property
    def vstep_lr(self) -> Scalars[float]: ...
    @property
    def vstep_size(self) -> Scalars[int]: ...
    clamp_weights_lower: float
    clamp_weights_upper: float
    clip_weights: float
    disabled_update: bool
    engine: str
    warmup_iter: int
    warmup_start_lr: float
    local_lr_auto: bool
    local_gw_ratio: float
    test_offset: int
    lr_dropout: float
    decoupled_wd_t0: int
    decoupled_wd_mult: float
    amsgrad: bool
    rectified: bool
    gc: bool
    adabelief: bool
    lr_mult: float
    p_mult: float
    period: int
    lookahead: bool
    lookahead_steps: int
    lookahead_alpha: float
    per_parameter_reduce: bool
    rampup_interval: int
    rampup_lr: float
    momentum_policy: str
    max_momentum: float
    momentum_power: float
    larc: bool
    larc_policy: str
    larc_eta: float
    weight_decay_policy: str
    weight_decay_power: float
    solver_data_type: int
    store_blobs_in_old_format: bool
    test_and_snapshot_last_epochs: int
    larc_turbo: bool
    max_weight_decay: float
    data_type: int
    device: int
    @property
    def atari_param(self) -> AtariParameter: ...
    momentum_burnin: int
    sample_print: bool
    g_step: int
    d_step: int
    log_avg_gradient_norm: bool
    test_before_snapshot: bool
    breadth_decay: float
    kernel_shape_decay: float
    block_group_decay: float
    prune_threshold: float
    measure_threshold: float
    max_threshold_factor: float
    winograd_adjust_threshold: int
    winograd_sparsity_factor: float
    force_direction: str
    force_decay_type: str
    force_decay: float
    force_type: str
    force_iter: int
    surgery_stop_iter: int
    surgery_iter_gamma: float
    surgery_iter_power: float
    eval_type: str
    ap_version: str
    show_per_class_result: bool
    @property
    def plateau_winsize(self) -> Scalars[int]: ...
    gan_solver: bool
    snapshot_threadhold: int
    @property
    def group_id(self) -> Scalars[int]: ...
    richness: int
    classiou_class_num: int
    @property
    def stagelr(self) -> Scalars[float]: ...
    @property
    def stageiter(self) -> Scalars[int]: ...

class SolverState(CaffeMessage):
    iter: int
    learned_net: str
    @property
    def history(self) -> Messages[BlobProto]: ...
    current_step: int
    minimum_loss: float
    iter_last_event: int

class NetState(CaffeMessage):
    phase: int
    level: int
    @property
    def stage(self) -> Scalars[str]: ...
    quantizer_mode: int

class NetStateRule(CaffeMessage):
    phase: int
    min_level: int
    max_level: int
    @property
    def stage(self) -> Scalars[str]: ...
    @property
    def not_stage(self) -> Scalars[str]: ...

class ParamSpec(CaffeMessage):
    DimCheckMode: ClassVar[EnumTypeWrapper]
    STRICT: ClassVar[int]
    PERMISSIVE: ClassVar[int]
    Compression: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    PRUNE: ClassVar[int]
    name: str
    share_mode: int
    lr_mult: float
    decay_mult: float
    fix_lr: bool
    breadth_decay_mult: float
    kernel_shape_decay_mult: float
    @property
    def block_group_lasso(self) -> Messages[BlockGroupLassoSpec]: ...
    regularization_type: str
    decay_proto: str
    force_mult: float
    @property
    def force_regularize(self) -> ForceRegular: ...
    compression: int

class LayerParameter(CaffeMessage):
    ConnectivityMode: ClassVar[EnumTypeWrapper]
    CONNECTED: ClassVar[int]
    DISCONNECTED_ELTWISE: ClassVar[int]
    DISCONNECTED_GRPWISE: ClassVar[int]
    name: str
    type: str
    @property
    def bottom(self) -> Scalars[str]: ...
    @property
    def top(self) -> Scalars[str]: ...
    phase: int
    @property
    def loss_weight(self) -> Scalars[float]: ...
    @property
    def param(self) -> Messages[ParamSpec]: ...
    @property
    def blobs(self) -> Messages[BlobProto]: ...
    @property
    def propagate_down(self) -> Scalars[bool]: ...
    @property
    def include(self) -> Messages[NetStateRule]: ...
    @property
    def exclude(self) -> Messages[NetStateRule]: ...
    @property
    def transform_param(self) -> TransformationParameter: ...
    @property
    def loss_param(self) -> LossParameter: ...
    @property
    def accuracy_param(self) -> AccuracyParameter: ...
    @property
    def argmax_param(self) -> ArgMaxParameter: ...
    @property
    def batch_norm_param(self) -> BatchNormParameter: ...
    @property
    def bias_param(self) -> BiasParameter: ...
    @property
    def clip_param(self) -> ClipParameter: ...
    @property
    def concat_param(self) -> ConcatParameter: ...
    @property
    def contrastive_loss_param(self) -> ContrastiveLossParameter: ...
    @property
    def convolution_param(self) -> ConvolutionParameter: ...
    @property
    def crop_param(self) -> CropParameter: ...
    @property
    def data_param(self) -> DataParameter: ...
    @property
    def dropout_param(self) -> DropoutParameter: ...
    @property
    def dummy_data_param(self) -> DummyDataParameter: ...
    @property
    def eltwise_param(self) -> EltwiseParameter: ...
    @property
    def elu_param(self) -> ELUParameter: ...
    @property
    def embed_param(self) -> EmbedParameter: ...
    @property
    def exp_param(self) -> ExpParameter: ...
    @property
    def flatten_param(self) -> FlattenParameter: ...
    @property
    def hdf5_data_param(self) -> HDF5DataParameter: ...
    @property
    def hdf5_output_param(self) -> HDF5OutputParameter: ...
    @property
    def hinge_loss_param(self) -> HingeLossParameter: ...
    @property
    def image_data_param(self) -> ImageDataParameter: ...
    @property
    def infogain_loss_param(self) -> InfogainLossParameter: ...
    @property
    def inner_product_param(self) -> InnerProductParameter: ...
    @property
    def input_param(self) -> InputParameter: ...
    @property
    def log_param(self) -> LogParameter: ...
    @property
    def lrn_param(self) -> LRNParameter: ...
    @property
    def memory_data_param(self) -> MemoryDataParameter: ...
    @property
    def mvn_param(self) -> MVNParameter: ...
    @property
    def parameter_param(self) -> ParameterParameter: ...
    @property
    def pooling_param(self) -> PoolingParameter: ...
    @property
    def power_param(self) -> PowerParameter: ...
    @property
    def prelu_param(self) -> PReLUParameter: ...
    @property
    def python_param(self) -> PythonParameter: ...
    @property
    def recurrent_param(self) -> RecurrentParameter: ...
    @property
    def reduction_param(self) -> ReductionParameter: ...
    @property
    def relu_param(self) -> ReLUParameter: ...
    @property
    def reshape_param(self) -> ReshapeParameter: ...
    @property
    def scale_param(self) -> ScaleParameter: ...
    @property
    def sigmoid_param(self) -> SigmoidParameter: ...
    @property
    def softmax_param(self) -> SoftmaxParameter: ...
    @property
    def spp_param(self) -> SPPParameter: ...
    @property
    def slice_param(self) -> SliceParameter: ...
    @property
    def swish_param(self) -> SwishParameter: ...
    @property
    def tanh_param(self) -> TanHParameter: ...
    @property
    def threshold_param(self) -> ThresholdParameter: ...
    @property
    def tile_param(self) -> TileParameter: ...
    @property
    def window_data_param(self) -> WindowDataParameter: ...
    @property
    def convolution3d_param(self) -> Convolution3DParameter: ...
    @property
    def pooling3d_param(self) -> Pooling3DParameter: ...
    @property
    def center_loss_param(self) -> CenterLossParameter: ...
    @property
    def margin_inner_product_param(self) -> MarginInnerProductParameter: ...
    @property
    def largemargin_inner_product_param(self) -> LargeMarginInnerProductParameter: ...
    source_class: str
    @property
    def cos_data_param(self) -> CoSDataParameter: ...
    showtop: str
    @property
    def detection_out_param(self) -> DetectionOutParameter: ...
    @property
    def roi_align_param(self) -> ROIAlignParameter: ...
    @property
    def resize_crop_param(self) -> ResizecropParameter: ...
    @property
    def addpad_param(self) -> AddPadParameter: ...
    @property
    def priorbox_params(self) -> Messages[PriorBoxParameter]: ...
    @property
    def crelu_param(self) -> CReLUParameter: ...
    @property
    def detection_pose_output_param(self) -> DetectionPoseOutputParameter: ...
    external_output: bool
    @property
    def yuvtorgb_param(self) -> YuvToRgbParameter: ...
    @property
    def yuvtonormalizedgray_param(self) -> YuvToNormalizedGrayParameter: ...
    @property
    def image_detect_param(self) -> ImageDetectParameter: ...
    @property
    def resize_convert_param(self) -> ResizeConvertParameter: ...
    @property
    def bottom_mlu_dtype(self) -> Messages[BlobDataType]: ...
    @property
    def blobs_dtype(self) -> Messages[BlobDataType]: ...
    sparsity: float
    top_mlu_dtype: int
    debug_dtype: bool
    @property
    def cap_param(self) -> CapParameter: ...
    @property
    def margin_param(self) -> MarginParameter: ...
    @property
    def squash_param(self) -> SquashParameter: ...
    @property
    def capsule_transform_param(self) -> CapsuleTransformParameter: ...
    @property
    def capsule_routing_param(self) -> CapsuleRoutingParameter: ...
    @property
    def capsule_mask_param(self) -> CapsuleMaskParameter: ...
    @property
    def capsule_reshape_param(self) -> CapsuleReshapeParameter: ...
    @property
    def capsule_len_param(self) -> CapsuleLenParameter: ...
    @property
    def capsule_conv_transform_param(self) -> CapsuleConvTransformParameter: ...
    @property
    def capsule_conv_routing_param(self) -> CapsuleConvRoutingParameter: ...
    @property
    def capsule_relu_param(self) -> CapsuleReluParameter: ...
    @property
    def rand_vec_param(self) -> RandVecParameter: ...
    @property
    def capsule_product_param(self) -> CapsuleProductParameter: ...
    @property
    def dr_param(self) -> DynamicRoutingParameter: ...
    @property
    def capsule_deconv_transform_param(self) -> CapsuleDeconvTransformParameter: ...
    @property
    def capsule_deconv_routing_param(self) -> CapsuleDeconvRoutingParameter: ...
    @property
    def capsule_deconv_param(self) -> CapsuleDeconvParameter: ...
    @property
    def capsule_conv_param(self) -> CapsuleConvParameter: ...
    @property
    def axpy_param(self) -> AxpyParameter: ...
    @property
    def l2normalization_param(self) -> L2NormalizationParameter: ...
    @property
    def group_norm_param(self) -> GroupNormParameter: ...
    @property
    def rpn_param(self) -> RPNParameter: ...
    @property
    def resize1_param(self) -> Resize1_Parameter: ...
    @property
    def DepthwiseConvolution_param(self) -> DepthwiseConvolutionParameter: ...
    @property
    def multi_stage_meanfield_param(self) -> MultiStageMeanfieldParameter: ...
    @property
    def interp_param(self) -> InterpParameter: ...
    @property
    def adaptive_bias_channel_param(self) -> AdaptiveBiasChannelParameter: ...
    @property
    def bias_channel_param(self) -> BiasChannelParameter: ...
    @property
    def dense_crf_param(self) -> DenseCRFParameter: ...
    @property
    def domain_transform_param(self) -> DomainTransformParameter: ...
    @property
    def mat_read_param(self) -> MatReadParameter: ...
    @property
    def mat_write_param(self) -> MatWriteParameter: ...
    @property
    def seg_accuracy_param(self) -> SegAccuracyParameter: ...
    @property
    def unique_label_param(self) -> UniqueLabelParameter: ...
    @property
    def detection_loss_param(self) -> DetectionLossParameter: ...
    @property
    def detection_accuracy_param(self) -> DetectionAccuracyParameter: ...
    @property
    def box_output_param(self) -> BoxOutputParameter: ...
    @property
    def proposal_target_param(self) -> ProposalTargetParameter: ...
    @property
    def image_gt_data_param(self) -> ImageGtDataParameter: ...
    @property
    def bbox_reg_param(self) -> BBoxRegParameter: ...
    @property
    def decode_bbox_param(self) -> DecodeBBoxParameter: ...
    @property
    def detection_data_param(self) -> DetectionDataParameter: ...
    @property
    def eval_data_param(self) -> EvalDataParameter: ...
    @property
    def hard_mining_param(self) -> HardMiningParameter: ...
    @property
    def scale_route_param(self) -> ScaleRouteParameter: ...
    @property
    def detection_group_loss_param(self) -> DetectionGroupLossParameter: ...
    @property
    def detection_group_accuracy_param(self) -> DetectionGroupAccuracyParameter: ...
    @property
    def box_group_output_param(self) -> BoxGroupOutputParameter: ...
    @property
    def frcnn_output_param(self) -> FrcnnOutputParameter: ...
    @property
    def tiling_param(self) -> TilingParameter: ...
    @property
    def drive_data_param(self) -> DriveDataParameter: ...
    @property
    def sliding_window_param(self) -> SlidingWindowParameter: ...
    @property
    def shuffle_channel_param(self) -> ShuffleChannelParameter: ...
    @property
    def dsa_loss_param(self) -> DSALossParameter: ...
    @property
    def rankhard_loss_param(self) -> RankHardLossParameter: ...
    @property
    def lifted_struct_sim_softmax_loss_param(self) -> LiftedStructSimilaritySoftmaxLossParameter: ...
    @property
    def norml2_param(self) -> NormL2Parameter: ...
    @property
    def smooth_margin_inner_product_param(self) -> SmoothMarginInnerProductParameter: ...
    @property
    def pair_data_param(self) -> PairDataParameter: ...
    @property
    def binary_label_param(self) -> BinaryLabelParameter: ...
    @property
    def slice_label_param(self) -> SliceLabelParameter: ...
    @property
    def multi_view_param(self) -> MultiViewParameter: ...
    @property
    def dense_face_image_data_param(self) -> DenseFaceImageDataParameter: ...
    @property
    def relevance_constraint_param(self) -> RelevanceConstraintParameter: ...
    @property
    def center_distance_param(self) -> CenterDistanceParameter: ...
    @property
    def cmd_loss_param(self) -> CMDLossParameter: ...
    @property
    def orthogonal_constraint_param(self) -> OrthogonalConstraintParameter: ...
    @property
    def triplet_selection_param(self) -> TripletSelectionParamter: ...
    @property
    def gather_param(self) -> GatherParameter: ...
    @property
    def margin_softmax_loss_param(self) -> MarginSoftmaxLossParameter: ...
    @property
    def class_distance_param(self) -> ClassDistanceParameter: ...
    @property
    def roi_pooling_param(self) -> ROIPoolingParameter: ...
    @property
    def smooth_l1_loss_param(self) -> SmoothL1LossParameter: ...
    @property
    def coeff_schedule_param(self) -> CoeffScheduleParameter: ...
    @property
    def augmentation_param(self) -> AugmentationParameter: ...
    @property
    def correlation_param(self) -> CorrelationParameter: ...
    @property
    def writer_param(self) -> WriterParameter: ...
    @property
    def reader_param(self) -> ReaderParameter: ...
    @property
    def mean_param(self) -> MeanParameter: ...
    @property
    def resample_param(self) -> ResampleParameter: ...
    @property
    def downsample_param(self) -> DownsampleParameter: ...
    @property
    def lpq_loss_param(self) -> LpqLossParameter: ...
    @property
    def flow_warp_param(self) -> FlowWarpParameter: ...
    @property
    def accum_param(self) -> AccumParameter: ...
    @property
    def black_augmentation_param(self) -> BlackAugmentationParameter: ...
    reshape_every_iter: bool
    @property
    def affinity_loss_param(self) -> AffinityLossParameter: ...
    @property
    def binomial_noisy_abn_loss_param(self) -> BinomialNoisyABNLossParameter: ...
    @property
    def molgrid_data_param(self) -> MolGridDataParameter: ...
    @property
    def ndim_data_param(self) -> NDimDataParameter: ...
    @property
    def rank_loss_param(self) -> RankLossParameter: ...
    @property
    def softmax_noisy_label_loss_param(self) -> SoftmaxNoisyLabelLossParameter: ...
    @property
    def proposal_param(self) -> ProposalParameter: ...
    @property
    def focal_loss_param(self) -> FocalLossParameter: ...
    @property
    def insanity_param(self) -> InsanityParameter: ...
    @property
    def triplet_loss_param(self) -> TripletLossParameter: ...
    @property
    def sub_region_param(self) -> SubRegionParameter: ...
    @property
    def hotspot_param(self) -> HotspotParameter: ...
    @property
    def predict_box_param(self) -> PredictBoxParameter: ...
    @property
    def fcn_data_param(self) -> FCNDataParameter: ...
    @property
    def flip_param(self) -> FlipParameter: ...
    @property
    def inner_distance_param(self) -> InnerDistanceParameter: ...
    @property
    def normalize_param(self) -> NormalizeParameter: ...
    @property
    def general_contrastive_loss_param(self) -> GeneralContrastiveParameter: ...
    @property
    def soft_contrastive_loss_param(self) -> SoftContrastiveParameter: ...
    @property
    def general_triplet_loss_param(self) -> GeneralTripletParameter: ...
    @property
    def soft_truncation_param(self) -> SoftTruncationParameter: ...
    @property
    def pairwise_param(self) -> PairwiseParameter: ...
    @property
    def smoothl1_param(self) -> SmoothL1Parameter: ...
    @property
    def batch_contrastive_loss_param(self) -> BatchContrastiveParameter: ...
    @property
    def truncation_param(self) -> TruncationParameter: ...
    @property
    def nca_param(self) -> NCAParameter: ...
    @property
    def label_specific_rescale_param(self) -> LabelSpecificRescaleParameter: ...
    @property
    def infimum_loss_param(self) -> InfimumLossParamter: ...
    @property
    def ordinal_regression_loss_param(self) -> OrdinalRegressionParameter: ...
    @property
    def resize_param(self) -> ResizeParameter: ...
    @property
    def feature_decay_loss_param(self) -> FeatureDecayLossParameter: ...
    @property
    def confidence_penalty_loss_param(self) -> ConfidencePenaltyLossParameter: ...
    @property
    def label_specific_margin_param(self) -> LabelSpecificMarginParameter: ...
    @property
    def channel_scale_param(self) -> ChannelScaleParameter: ...
    @property
    def label_specific_affine_param(self) -> LabelSpecificAffineParameter: ...
    @property
    def label_specific_hard_margin_param(self) -> LabelSpecificHardMarginParameter: ...
    @property
    def label_specific_add_param(self) -> LabelSpecificAddParameter: ...
    @property
    def label_specific_statistics_param(self) -> LabelSpecificStatisticsParameter: ...
    @property
    def exp_triplet_loss_param(self) -> ExpTripletParameter: ...
    @property
    def split_param(self) -> SplitParameter: ...
    @property
    def spatial_dropout_param(self) -> SpatialDropoutParameter: ...
    engine: str
    @property
    def multinode(self) -> MultinodeLayerParameter: ...
    @property
    def mn_activation_param(self) -> MnActivationParameter: ...
    @property
    def mn_grad_compress_param(self) -> MnParamGradCompressParameter: ...
    @property
    def selu_param(self) -> SeLuParameter: ...
    @property
    def selu_dropout_param(self) -> SeLuDropoutParameter: ...
    @property
    def dice_coef_loss_param(self) -> DiceCoefLossParameter: ...
    @property
    def im2seq_param(self) -> Im2seqParameter: ...
    @property
    def seq2out_param(self) -> Seq2outParameter: ...
    @property
    def img_size_param(self) -> ImgSizeParameter: ...
    @property
    def detectnet_groundtruth_param(self) -> DetectNetGroundTruthParameter: ...
    @property
    def detectnet_augmentation_param(self) -> DetectNetAugmentationParameter: ...
    forward_type: int
    backward_type: int
    forward_math: int
    backward_math: int
    debug: bool
    cudnn_math_override: int
    @property
    def trt_param(self) -> TRTParameter: ...
    bottom_data_type: int
    compute_data_type: int
    top_data_type: int
    @property
    def bottom_quantizer(self) -> Messages[QuantizerParameter]: ...
    @property
    def top_quantizer(self) -> Messages[QuantizerParameter]: ...
    @property
    def net_quantizer(self) -> QuantizerParameter: ...
    @property
    def blobs_quantizer(self) -> Messages[QuantizerParameter]: ...
    autotune: int
    device: int
    @property
    def bottom_shared_index(self) -> Scalars[int]: ...
    @property
    def top_shared_index(self) -> Scalars[int]: ...
    @property
    def mergecrop_param(self) -> MergeCropParameter: ...
    @property
    def affinity_param(self) -> AffinityParameter: ...
    @property
    def moe_param(self) -> MOEParameter: ...
    @property
    def noise_param(self) -> NoiseParameter: ...
    buffer: int
    @property
    def srprnn_param(self) -> SRPRNNParameter: ...
    @property
    def coord_param(self) -> CoordParameter: ...
    @property
    def cpm_transform_param(self) -> CPMTransformationParameter: ...
    @property
    def op_transform_param(self) -> OPTransformationParameter: ...
    @property
    def imresize_param(self) -> ImResizeParameter: ...
    @property
    def nms_param(self) -> NmsParameter: ...
    @property
    def cpmdata_param(self) -> CPMDataParameter: ...
    @property
    def eltwise_affine_param(self) -> EltwiseAffineParameter: ...
    @property
    def st_param(self) -> SpatialTransformerParameter: ...
    visualise: bool
    visualise_channel: int
    @property
    def accuracy_heatmap_param(self) -> AccuracyHeatmapParameter: ...
    @property
    def heatmap_data_param(self) -> HeatmapDataParameter: ...
    @property
    def prediction_heatmap_param(self) -> PredictionHeatmapParameter: ...
    @property
    def channel_permutation_param(self) -> ChannelPermutationParameter: ...
    @property
    def ctc_decoder_param(self) -> CTCDecoderParameter: ...
    @property
    def grn_param(self) -> GRNParameter: ...
    @property
    def cosine_similarity_batch_param(self) -> CosineSimilarityBatchParameter: ...
    @property
    def rss_loss_param(self) -> RandomSamplingSoftmaxLossParameter: ...
    @property
    def region_yolo_param(self) -> RegionYoloParameter: ...
    @property
    def reorg_yolo_param(self) -> ReorgYoloParameter: ...
    @property
    def lstm_param(self) -> LSTMParameter: ...
    @property
    def scalar_param(self) -> ScalarParameter: ...
    @property
    def clip_gradients(self) -> Scalars[float]: ...
    @property
    def atari_data_param(self) -> AtariDataParameter: ...
    @property
    def beam_search_param(self) -> BeamSearchParameter: ...
    @property
    def heatmaps_from_vec_layer(self) -> HeatmapsFromVecParameter: ...
    @property
    def local_param(self) -> LocalParameter: ...
    @property
    def mil_data_param(self) -> MILDataParameter: ...
    @property
    def mil_param(self) -> MILParameter: ...
    @property
    def hungarian_loss_param(self) -> HungarianLossParameter: ...
    @property
    def lstm_unit_param(self) -> LstmUnitParameter: ...
    @property
    def py_param(self) -> PyParameter: ...
    @property
    def wordvec_param(self) -> WordvecParameter: ...
    @property
    def rp(self) -> RuntimeParameter: ...
    @property
    def denseblock_param(self) -> DenseBlockParameter: ...
    @property
    def octree_param(self) -> OctreeParameter: ...
    @property
    def java_data_param(self) -> JavaDataParameter: ...
    @property
    def power_file_param(self) -> PowerFileParameter: ...
    @property
    def nnpack_convolution_param(self) -> NNPACKConvolutionParameter: ...
    @property
    def rank_param(self) -> RankParameter: ...
    @property
    def repeat_param(self) -> RepeatParameter: ...
    @property
    def randvec_param(self) -> RandVecParameter: ...
    @property
    def sum_pooling_param(self) -> SumPoolingParameter: ...
    @property
    def box_annotator_ohem_param(self) -> BoxAnnotatorOHEMParameter: ...
    @property
    def psroi_pooling_param(self) -> PSROIPoolingParameter: ...
    @property
    def inner_product_blob_param(self) -> InnerProductBlobParameter: ...
    @property
    def conadd_param(self) -> ConaddParameter: ...
    @property
    def deformable_convolution_param(self) -> DeformableConvolutionParameter: ...
    @property
    def roi_warping_param(self) -> ROIWarpingParameter: ...
    @property
    def quantization_param(self) -> QuantizationParameter: ...
    @property
    def parse_evaluate_param(self) -> ParseEvaluateParameter: ...
    @property
    def unpooling_param(self) -> UnPoolingParameter: ...
    deletetop: bool
    deletebottom: bool
    pullsfrom: str
    @property
    def l1_loss_param(self) -> L1LossParameter: ...
    @property
    def aug_param(self) -> AugmentationParameter: ...
    @property
    def channel_reduce_param(self) -> ChannelReduceParameter: ...
    @property
    def dist_loss_param(self) -> DistLossParameter: ...
    @property
    def im2dist_param(self) -> Im2distParameter: ...
    @property
    def im2parity_param(self) -> Im2parityParameter: ...
    @property
    def norm_conv_param(self) -> NormConvParameter: ...
    @property
    def norm_conv_meanfield_param(self) -> NormConvMeanfieldParameter: ...
    @property
    def bin_label_data_param(self) -> BinLabelDataParameter: ...
    @property
    def image_label_data_param(self) -> ImageLabelDataParameter: ...
    @property
    def rescale_param(self) -> RescaleParameter: ...
    @property
    def bn_param(self) -> BNParameter: ...
    @property
    def upsample_param(self) -> UpsampleParameter: ...
    @property
    def dense_image_data_param(self) -> DenseImageDataParameter: ...
    connectivity_mode: int
    @property
    def transpose_param(self) -> TransposeParameter: ...
    @property
    def sparsify_param(self) -> SparsifyParameter: ...
    @property
    def symmetric_rectify_param(self) -> SymmetricRectifyParameter: ...
    display: bool
    @property
    def filter_param(self) -> FilterParamter: ...
    @property
    def annotated_data_param(self) -> AnnotatedDataParameter: ...
    @property
    def detection_evaluate_param(self) -> DetectionEvaluateParameter: ...
    @property
    def detection_output_param(self) -> DetectionOutputParameter: ...
    @property
    def multibox_loss_param(self) -> MultiBoxLossParameter: ...
    @property
    def norm_param(self) -> NormalizeParameter: ...
    @property
    def permute_param(self) -> PermuteParameter: ...
    @property
    def prior_box_param(self) -> PriorBoxParameter: ...
    @property
    def video_data_param(self) -> VideoDataParameter: ...
    @property
    def relu6_param(self) -> ReLU6Parameter: ...
    @property
    def mask_param(self) -> TransformationParameter: ...
    @property
    def mask_resize_param(self) -> MaskResizeParameter: ...
    @property
    def gan_loss_param(self) -> GANLossParameter: ...
    @property
    def xlu_param(self) -> XLUParameter: ...
    @property
    def log_softmax_param(self) -> LogSoftmaxParameter: ...
    @property
    def squeeze_convolution_param(self) -> SqueezeConvolutionParameter: ...
    @property
    def squeeze_inner_product_param(self) -> SqueezeInnerProductParameter: ...
    @property
    def yolo_v2_loss_param(self) -> YoloV2LossParameter: ...
    @property
    def yolo_v3_loss_param(self) -> YoloV3LossParameter: ...
    @property
    def upsample_darknet_param(self) -> UpsampleDarknetParameter: ...
    @property
    def depth_to_space_param(self) -> DepthToSpaceParameter: ...
    @property
    def resize_nearest_neighbor_param(self) -> ResizeNearestNeighborParameter: ...
    @property
    def topk_gather_param(self) -> TopkGatherParameter: ...
    @property
    def nms_gather_param(self) -> NMSGatherParameter: ...
    @property
    def gather_nd_param(self) -> GatherNDParameter: ...
    @property
    def where4_param(self) -> Where4Parameter: ...
    @property
    def where4_gathernd_param(self) -> Where4GatherndParameter: ...
    @property
    def crop_and_resize_param(self) -> CropAndResizeParameter: ...
    @property
    def where4_gathernd_crop_param(self) -> Where4GatherndCropParameter: ...
    @property
    def pyramid_roi_align_param(self) -> PyramidROIAlignParameter: ...
    @property
    def space_to_depth_param(self) -> SpaceToDepthParameter: ...
    @property
    def pad_param(self) -> PadParameter: ...
    @property
    def stack_param(self) -> StackParameter: ...
    @property
    def resize_bilinear_param(self) -> ResizeBilinearParameter: ...
    @property
    def reduce_sum_param(self) -> ReduceSumParameter: ...
    @property
    def reduce_max_param(self) -> ReduceMaxParameter: ...
    @property
    def reduce_min_param(self) -> ReduceMinParameter: ...
    @property
    def reduce_prod_param(self) -> ReduceProdParameter: ...
    @property
    def reduce_mean_param(self) -> ReduceMeanParameter: ...
    @property
    def unstack_param(self) -> UnstackParameter: ...
    @property
    def batch_to_space_nd_param(self) -> BatchToSpaceNDParameter: ...
    @property
    def space_to_batch_nd_param(self) -> SpaceToBatchNDParameter: ...
    @property
    def mirror_pad_param(self) -> MirrorPadParameter: ...
    @property
    def tile_nd_param(self) -> TileNDParameter: ...
    @property
    def expand_dims_nd_param(self) -> ExpandDimsNDParameter: ...
    @property
    def squeeze_param(self) -> SqueezeParameter: ...
    @property
    def broadcast_to_param(self) -> BroadcastToParameter: ...
    @property
    def strided_slice_param(self) -> StridedSliceParameter: ...
    @property
    def piece_param(self) -> PieceParameter: ...
    @property
    def range_param(self) -> RangeParameter: ...
    @property
    def sparse_to_dense_param(self) -> SparseToDenseParameter: ...
    @property
    def embedding_lookup_param(self) -> EmbeddingLookupParameter: ...
    @property
    def embedding_lookup_sparse_param(self) -> EmbeddingLookupSparseParameter: ...
    @property
    def gemm_param(self) -> GemmParameter: ...
    @property
    def reduce_l1_param(self) -> ReduceL1Parameter: ...
    @property
    def reduce_l2_param(self) -> ReduceL2Parameter: ...
    @property
    def reduce_logsumexp_param(self) -> ReduceLogSumExpParameter: ...
    @property
    def reduce_all_param(self) -> ReduceAllParameter: ...
    @property
    def reduce_any_param(self) -> ReduceAnyParameter: ...
    @property
    def reverse_sequence_param(self) -> ReverseSequenceParameter: ...
    @property
    def hard_sigmoid_param(self) -> HardSigmoidParameter: ...
    @property
    def thresholded_relu_param(self) -> ThresholdedReLUParameter: ...
    @property
    def one_hot_param(self) -> OneHotParameter: ...
    @property
    def lp_normalization_param(self) -> LpNormalizationParameter: ...
    @property
    def matmul_param(self) -> MatMulParameter: ...
    @property
    def gather_v2_param(self) -> GatherV2Parameter: ...
    @property
    def scaled_tanh_param(self) -> ScaledTanHParameter: ...
    @property
    def maskrcnn_detection_param(self) -> MaskRCNNDetectionParameter: ...
    @property
    def maskrcnn_proposal_param(self) -> MaskRCNNProposalParameter: ...
    @property
    def attention_param(self) -> AttentionParameter: ...
    @property
    def rnn_v2_param(self) -> RNNv2Parameter: ...
    @property
    def count_nonzero_param(self) -> CountNonzeroParameter: ...
    @property
    def not_equal_param(self) -> NotEqualParameter: ...
    @property
    def point_net_param(self) -> PointNetParameter: ...
    @property
    def mul_param(self) -> MulParameter: ...
    @property
    def spatial_batching_pooling_param(self) -> SpatialBatchingPoolingParameter: ...
    @property
    def non_max_suppression_param(self) -> NonMaxSuppressionParameter: ...
    @property
    def scatter_nd_param(self) -> ScatterNDParameter: ...
    @property
    def layer_norm_param(self) -> LayerNormParameter: ...
    @property
    def tensor2box_param(self) -> Tensor2BoxParameter: ...
    @property
    def corr1d_param(self) -> Corr1dParameter: ...
    @property
    def region_proposal_param(self) -> RegionProposalParameter: ...
    @property
    def ctc_param(self) -> CTCParameter: ...
    @property
    def reverse_param(self) -> ReverseParameter: ...
    @property
    def ctc_loss_param(self) -> CtcLossParameter: ...
    @property
    def labelsequence_accuracy_param(self) -> LabelsequenceAccuracyParameter: ...
    @property
    def continuation_indicator_param(self) -> ContinuationIndicatorParameter: ...
    @property
    def st_loss_param(self) -> STLossParameter: ...
    @property
    def loc_loss_param(self) -> LocLossParameter: ...
    @property
    def ohem_param(self) -> OHEMParameter: ...
    @property
    def iou_loss_param(self) -> IouLossParameter: ...
    @property
    def unitbox_data_param(self) -> UnitboxDataParameter: ...
    @property
    def at_param(self) -> AffineTransformerParameter: ...
    @property
    def deformconv_param(self) -> DeformConvParameter: ...
    @property
    def accuracy_text_param(self) -> AccuracyTextParameter: ...
    @property
    def point_bilinear_param(self) -> PointBilinearParameter: ...
    @property
    def sum_param(self) -> SumParameter: ...
    @property
    def reverse_axis_param(self) -> ReverseAxisParameter: ...
    @property
    def reverse_time_param(self) -> ReverseTimeParameter: ...
    @property
    def seg_data_param(self) -> SegDataParameter: ...
    @property
    def batch_reduction_param(self) -> BatchReductionParameter: ...
    @property
    def sequence_data_param(self) -> SequenceDataParameter: ...
    @property
    def yolo_eval_detection_param(self) -> YoloEvalDetectionParameter: ...
    @property
    def fixed_param(self) -> FixedParameter: ...
    @property
    def deephi_resize_param(self) -> DeephiResizeParameter: ...
    @property
    def gs_tiling_param(self) -> GSTilingParameter: ...
    @property
    def densebox_map_evaluation_param(self) -> DenseboxMapEvaluationParameter: ...
    @property
    def reshape_label_param(self) -> ReshapeLabelParameter: ...
    @property
    def alignment_accuracy_param(self) -> AlignmentAccuracyParameter: ...
    @property
    def pe_transform_param(self) -> PETransformationParameter: ...
    @property
    def reorg_param(self) -> ReorgParameter: ...
    @property
    def region_loss_param(self) -> RegionLossParameter: ...
    @property
    def eval_detection_param(self) -> EvalDetectionParameter: ...
    @property
    def yolov3_param(self) -> Yolov3Parameter: ...
    @property
    def region_param(self) -> RegionParameter: ...
    @property
    def yolo_seg_param(self) -> YoloSegParameter: ...
    @property
    def segmentation_evaluate_param(self) -> SegmentationEvaluateParameter: ...
    @property
    def yolo_detection_output_param(self) -> YoloDetectionOutputParameter: ...
    @property
    def yolov3_detection_output_param(self) -> Yolov3DetectionOutputParameter: ...

class TransformationParameter(CaffeMessage):
    InterpolationAlgo: ClassVar[EnumTypeWrapper]
    INTER_NEAREST: ClassVar[int]
    INTER_LINEAR: ClassVar[int]
    INTER_CUBIC: ClassVar[int]
    INTER_AREA: ClassVar[int]
    scale: float
    mirror: bool
    crop_size: int
    mean_file: str
    @property
    def mean_value(self) -> Scalars[float]: ...
    force_color: bool
    force_gray: bool
    @property
    def scale_factors(self) -> Scalars[float]: ...
    crop_width: int
    crop_height: int
    crop_size_h: int
    crop_size_w: int
    center_crop: bool
    erase_ratio: float
    aspect_min: float
    aspect_max: float
    @property
    def random_resize_param(self) -> RandomResizeParameter: ...
    @property
    def random_aspect_ratio_param(self) -> RandomAspectRatioParameter: ...
    bgr2rgb: bool
    pad: int
    @property
    def geometry_param(self) -> GeometryParameter: ...
    rotate: bool
    untransformed_top: bool
    use_gpu_transform: bool
    img_rand_resize_lower: int
    img_rand_resize_upper: int
    rand_resize_ratio_lower: float
    rand_resize_ratio_upper: float
    vertical_stretch_lower: float
    vertical_stretch_upper: float
    horizontal_stretch_lower: float
    horizontal_stretch_upper: float
    interpolation_algo_down: int
    interpolation_algo_up: int
    allow_upscale: bool
    forward_packing: int
    random_seed: int
    display: bool
    num_labels: int
    scale_cvg: float
    max_cvg_len: int
    min_cvg_len: int
    opaque_coverage: bool
    coverage: str
    flip_prob: float
    max_rotate_degree: float
    visualize: bool
    crop_size_x: int
    crop_size_y: int
    scale_prob: float
    scale_min: float
    scale_max: float
    bbox_norm_factor: float
    img_header: str
    target_dist: float
    center_perterb_max: float
    sigma: float
    sigma_center: float
    clahe_tile_size: float
    clahe_clip_limit: float
    do_clahe: bool
    num_parts: int
    num_total_augs: int
    aug_way: str
    gray: int
    np_in_lmdb: int
    transform_body_joint: bool
    put_gaussian: bool
    visualize_label: bool
    flow: bool
    soffset: int
    eoffset: int
    convert_to_grey: bool
    vertical_mirror: bool
    random_90_deg_rot: bool
    crop_h: int
    crop_w: int
    @property
    def resize_param(self) -> Messages[ResizeParameter]: ...
    @property
    def noise_param(self) -> Messages[NoiseParameter]: ...
    @property
    def distort_param(self) -> DistortionParameter: ...
    @property
    def expand_param(self) -> ExpansionParameter: ...
    @property
    def emit_constraint(self) -> EmitConstraint: ...
    caffe_yolo: bool
    min_scaling_factor: float
    max_scaling_factor: float
    new_height: int
    new_width: int
    n_iterated_integrals: int
    data_style: str
    angle_interval: float
    max_shearing_ratio: float
    max_perspective_ratio: float
    warp_fillval: float
    debug_display: bool
    contrast_adjustment: bool
    smooth_adjustment: bool
    random_square_drop: bool
    drop_stroke: float
    drop_segment: float
    random_point_select: int
    using_online: bool
    reshape_width: int
    stride: int
    fix_crop: bool
    more_fix_crop: bool
    multi_scale: bool
    @property
    def scale_ratios(self) -> Scalars[float]: ...
    max_distort: int
    is_flow: bool
    original_image: bool
    upper_size: int
    upper_height: int
    upper_width: int
    yolo_height: int
    yolo_width: int
    use_letterbox_resize: bool
    enable_classf_aug: bool
    max_rotation_angle: int
    contrast_brightness_adjustment: bool
    smooth_filtering: bool
    min_contrast: float
    max_contrast: float
    max_brightness_shift: int
    max_smooth: float
    max_color_shift: int
    min_side_min: int
    min_side_max: int
    min_side: int
    apply_probability: float
    debug_params: bool
    cvt_bgr2rgb: bool

class LossParameter(CaffeMessage):
    NormalizationMode: ClassVar[EnumTypeWrapper]
    FULL: ClassVar[int]
    VALID: ClassVar[int]
    BATCH_SIZE: ClassVar[int]
    NONE: ClassVar[int]
    PRE_FIXED: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    ignore_label: int
    normalization: int
    normalize: bool
    engine: int
    label_start: int
    label_end: int
    is_num_scale: bool
    label_smoothing: float
    pre_fixed_normalizer: float
    weight_by_label_freqs: bool
    @property
    def class_weighting(self) -> Scalars[float]: ...
    inputlength: int
    nframe: int
    cclass: int
    max_length: int
    debug_info: bool

class AccuracyParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    top_k: int
    axis: int
    ignore_label: int
    engine: int
    crop_num: int
    min_is_better: bool
    denominator: float
    use_log: bool
    accuracy_ignore_label: int
    accuracy_iter: int
    preplexity: bool
    preplexity_iter: int
    accuracy_method: str

class ArgMaxParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    out_max_val: bool
    top_k: int
    axis: int
    engine: int
    softmax_threshold: bool
    min_first: bool
    accuracy_ignore_label: int
    accuracy_iter: int
    preplexity: bool
    preplexity_iter: int
    accuracy_method: str

class ClipParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    min: float
    max: float
    engine: int

class ConcatParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    MKL2017: ClassVar[int]
    MKLDNN: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    axis: int
    concat_dim: int
    per_fla_fuse: bool
    engine: int
    use_log: bool
    @property
    def input_scale(self) -> Scalars[float]: ...
    output_scale: float
    @property
    def input_zero_point(self) -> Scalars[int]: ...
    output_zero_point: int
    saturate: int
    quantize_method: int

class BatchNormParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    MKL2017: ClassVar[int]
    MKLDNN: ClassVar[int]
    MLU: ClassVar[int]
    use_global_stats: bool
    moving_average_fraction: float
    eps: float
    use_alpha_beta: bool
    update_global_stats: bool
    disable_mean: bool
    disable_variance: bool
    stats_batch_size: int
    relu: bool
    @property
    def scale_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    engine: int
    scale_bias: bool
    fused_relu: bool
    use_log: bool
    use_weight_bias: bool
    bias_term: bool
    @property
    def filler(self) -> FillerParameter: ...
    add_eps_before_sqrt: bool
    icnet: bool

class BiasParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    axis: int
    num_axes: int
    @property
    def filler(self) -> FillerParameter: ...
    engine: int
    input_scale: float
    output_scale: float
    bias_scale: float
    input_zero_point: int
    output_zero_point: int
    bias_zero_point: int
    saturate: int
    quantize_method: int

class ContrastiveLossParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    margin: float
    legacy_version: bool
    engine: int

class ConvolutionParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    LIBDNN: ClassVar[int]
    INTEL_SPATIAL: ClassVar[int]
    FFT: ClassVar[int]
    NNPACK: ClassVar[int]
    MKL2017: ClassVar[int]
    MKLDNN: ClassVar[int]
    MLU: ClassVar[int]
    CUDNN_FORWARD: ClassVar[int]
    InputFormat: ClassVar[EnumTypeWrapper]
    BGR: ClassVar[int]
    RGBA: ClassVar[int]
    ARGB: ClassVar[int]
    ABGR: ClassVar[int]
    FusionType: ClassVar[EnumTypeWrapper]
    NONE_FUSION: ClassVar[int]
    SUM_FUSION: ClassVar[int]
    CudnnFlavor: ClassVar[EnumTypeWrapper]
    SINGLE_HANDLE: ClassVar[int]
    MULTIPLE_HANDLES: ClassVar[int]
    MIN_MEMORY: ClassVar[int]
    CuDNNFwdAlgorithm: ClassVar[EnumTypeWrapper]
    IMPLICIT_GEMM: ClassVar[int]
    IMPLICIT_PRECOMP_GEMM: ClassVar[int]
    GEMM: ClassVar[int]
    DIRECT: ClassVar[int]
    FWD_FFT: ClassVar[int]
    CuDNNBwdFilterAlgorithm: ClassVar[EnumTypeWrapper]
    BWD_FILTER_ALGO_0: ClassVar[int]
    BWD_FILTER_ALGO_1: ClassVar[int]
    BWD_FILTER_FFT: ClassVar[int]
    CuDNNBwdDataAlgorithm: ClassVar[EnumTypeWrapper]
    BWD_DATA_ALGO_0: ClassVar[int]
    BWD_DATA_ALGO_1: ClassVar[int]
    BWD_DATA_FFT: ClassVar[int]
    BWD_DATA_ALGO_2: ClassVar[int]
    CuDNNConvolutionAlgorithmSeeker: ClassVar[EnumTypeWrapper]
    GET: ClassVar[int]
    FINDEX: ClassVar[int]
    FuseType: ClassVar[EnumTypeWrapper]
    UNFUSED: ClassVar[int]
    FUSED_CONV_MAX_POOLING_RELU: ClassVar[int]
    FUSED_CONV_RELU: ClassVar[int]
    FUSED_CONV_ELTWISE_RELU: ClassVar[int]
    ConvMode: ClassVar[EnumTypeWrapper]
    LOWERED_GEMM: ClassVar[int]
    LOWERED_CCNMM: ClassVar[int]
    DIRECT_SCONV: ClassVar[int]
    DIRECT_DCONV: ClassVar[int]
    LOWERED_CSRMM: ClassVar[int]
    TFPaddingMethod: ClassVar[EnumTypeWrapper]
    SAME: ClassVar[int]
    VALID: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    num_output: int
    bias_term: bool
    @property
    def pad(self) -> Scalars[int]: ...
    @property
    def kernel_size(self) -> Scalars[int]: ...
    @property
    def stride(self) -> Scalars[int]: ...
    @property
    def dilation(self) -> Scalars[int]: ...
    pad_h: int
    pad_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    group: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    engine: int
    axis: int
    force_nd_im2col: bool
    kernel_depth: int
    temporal_stride: int
    filter_group: int
    temporal_pad: int
    @property
    def pad_shape(self) -> BlobShape: ...
    @property
    def kernel_shape(self) -> BlobShape: ...
    @property
    def stride_shape(self) -> BlobShape: ...
    mean_file: str
    @property
    def mean_value(self) -> Scalars[float]: ...
    sparse_mode: bool
    std: float
    yuv_input: bool
    input_format: int
    scale: float
    same_mode: bool
    hole: int
    hole_h: int
    hole_w: int
    @property
    def shape_offset(self) -> Scalars[int]: ...
    relu: bool
    negative_slope: float
    conv_algorithm: str
    @property
    def coeff(self) -> Scalars[float]: ...
    fusion_type: int
    cudnn_flavor: int
    paramq: int
    params: float
    scale_in: float
    scale_out: float
    a_min: int
    a_max: int
    CuDNNFwdAlgo: int
    CuDNNBwdFilterAlgo: int
    CuDNNBwdDataAlgo: int
    CuDNNWorkspaceSize: int
    cudnn_convolution_algo_seeker: int
    conv_algos_override: str
    fuse_type: int
    @property
    def eltwise_param(self) -> EltwiseParameter: ...
    @property
    def relu_param(self) -> ReLUParameter: ...
    binary: int
    use_log: bool
    filter_stride: int
    filter_stride_h: int
    filter_stride_w: int
    bottom_is_im2col: bool
    conv_mode: int
    dump_parameter: bool
    dump_activation: bool
    parameter_sparsity_pattern_histogram: bool
    sparsity_term: bool
    @property
    def weight_mask_filler(self) -> FillerParameter: ...
    threshold: float
    filterwise_ratio: float
    sparse_ratio: float
    class_num: int
    quantize_term: bool
    tf_pad: int
    pad_type: int
    pad_l: int
    pad_r: int
    pad_t: int
    pad_b: int
    input_scale: float
    output_scale: float
    weight_scale: float
    input_zero_point: int
    output_zero_point: int
    weight_zero_point: int
    per_channel_scale_weight: bool
    per_channel_scale_output: bool
    submanifold_sparse: bool
    saturate: int
    quantize_method: int
    weight_fixed: bool
    dis_mode: bool
    gen_mode: bool
    dilation_h: int
    dilation_w: int

class CropParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    axis: int
    @property
    def offset(self) -> Scalars[int]: ...
    engine: int
    num_args: int
    offset_h: int
    offset_w: int
    crop_h: int
    crop_w: int
    center_crop: bool
    offset_c: int
    crop_width: int
    crop_height: int
    @property
    def dimsize(self) -> Scalars[int]: ...

class DataParameter(CaffeMessage):
    DB: ClassVar[EnumTypeWrapper]
    LEVELDB: ClassVar[int]
    LMDB: ClassVar[int]
    DATUMFILE: ClassVar[int]
    RANDPERMORDER: ClassVar[EnumTypeWrapper]
    FIRST_PERMUTE_THEN_RANGE: ClassVar[int]
    FIRST_RANGE_THEN_PERMUTE: ClassVar[int]
    CHANNELENCODING: ClassVar[EnumTypeWrapper]
    UINT8: ClassVar[int]
    UINT16FLOW: ClassVar[int]
    BOOL1: ClassVar[int]
    source: str
    batch_size: int
    rand_skip: int
    backend: int
    scale: float
    mean_file: str
    crop_size: int
    mirror: bool
    force_encoded_color: bool
    prefetch: int
    show_data: int
    disk_reader_threads: int
    huge_video_dataset: bool
    limit_samples: int
    preselection_file: str
    preselection_label: int
    range_start: int
    range_end: int
    rand_permute: bool
    rand_permute_order: int
    rand_permute_seed: int
    @property
    def slice_point(self) -> Scalars[int]: ...
    @property
    def encoding(self) -> Scalars[int]: ...
    verbose: bool
    @property
    def subtract(self) -> Scalars[float]: ...
    permute_every_iter: int
    block_size: int
    label_size: int
    data_width: int
    output_width: bool
    threads: int
    parser_threads: int
    cache: bool
    precache: bool
    random_order: bool
    init_seed: int
    seek: str
    shuffle_buffer_size: int
    random: bool
    seq_length: int
    use_float_label: bool
    use_multi_label: bool
    shuffle: bool
    multi_gpu_testing: bool
    @property
    def side(self) -> Scalars[int]: ...
    num_label: int

class DropoutParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    MLU: ClassVar[int]
    dropout_ratio: float
    scale_train: bool
    sqrt_scale: bool
    engine: int
    random_seed: int
    sample_weights_test: bool

class DummyDataParameter(CaffeMessage):
    @property
    def data_filler(self) -> Messages[FillerParameter]: ...
    @property
    def shape(self) -> Messages[BlobShape]: ...
    @property
    def num(self) -> Scalars[int]: ...
    @property
    def channels(self) -> Scalars[int]: ...
    @property
    def height(self) -> Scalars[int]: ...
    @property
    def width(self) -> Scalars[int]: ...

class EltwiseParameter(CaffeMessage):
    EltwiseOp: ClassVar[EnumTypeWrapper]
    PROD: ClassVar[int]
    SUM: ClassVar[int]
    MAX: ClassVar[int]
    STOCHASTIC_SUM: ClassVar[int]
    MAGNITUDE: ClassVar[int]
    MIN: ClassVar[int]
    SORT: ClassVar[int]
    DIV: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    MKL2017: ClassVar[int]
    MKLDNN: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    operation: int
    @property
    def coeff(self) -> Scalars[float]: ...
    stable_prod_grad: bool
    power: float
    scale: float
    shift: float
    engine: int
    coeff_blob: bool
    @property
    def input_scale(self) -> Scalars[float]: ...
    output_scale: float
    @property
    def input_zero_point(self) -> Scalars[int]: ...
    output_zero_point: int
    saturate: int
    quantize_method: int
    axis: int

class ELUParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    alpha: float
    engine: int

class EmbedParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    num_output: int
    input_dim: int
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    engine: int
    weight_data_size: int

class ExpParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    base: float
    scale: float
    shift: float
    engine: int

class FlattenParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    axis: int
    end_axis: int
    engine: int

class HDF5DataParameter(CaffeMessage):
    source: str
    batch_size: int
    shuffle: bool
    scale: float
    mirror: bool
    @property
    def mean_value(self) -> Scalars[float]: ...
    crop_size: int
    crop_num: int
    image: bool
    debug: bool
    axis: int

class HDF5OutputParameter(CaffeMessage):
    file_name: str

class HingeLossParameter(CaffeMessage):
    Norm: ClassVar[EnumTypeWrapper]
    L1: ClassVar[int]
    L2: ClassVar[int]
    norm: int

class ImageDataParameter(CaffeMessage):
    LabelType: ClassVar[EnumTypeWrapper]
    NONE: ClassVar[int]
    IMAGE: ClassVar[int]
    PIXEL: ClassVar[int]
    PIXELML: ClassVar[int]
    BBX: ClassVar[int]
    source: str
    batch_size: int
    rand_skip: int
    shuffle: bool
    new_height: int
    new_width: int
    is_color: bool
    scale: float
    mean_file: str
    crop_size: int
    mirror: bool
    root_folder: str
    new_length: int
    show_data: int
    use_image: bool
    sampling_rate: int
    use_label: bool
    use_temporal_jitter: bool
    mean_value: float
    num_truth_channels: int
    use_byte_input: bool
    is_flow: bool
    truth_scale: float
    clip_min: float
    clip_max: float
    iterations: int
    is_aug: bool
    max_shift: float
    max_rot_angle: float
    max_scale: float
    num_keypoints: int
    num_attribute: float
    mean_face_file: str
    mean_height: int
    mean_width: int
    flip_on: bool
    ignore_label: int
    label_type: int
    has_label: bool
    max_labels: int
    label_divide_factor: int
    face_transform: bool
    max_shear_ratio: float
    max_aspect_ratio: float
    max_rotate_angle: float
    min_random_scale: float
    max_random_scale: float
    max_random_shift: int
    face_mirror: bool
    face_point_num: int
    balance_class: bool
    balance_by: int
    label_cut_start: int
    label_cut_end: int
    label_size: int
    att_num: int
    short_side: int
    threads: int
    cache: bool
    precache: bool
    dataset_share_per_node: float
    min_height: int
    min_width: int
    pair_size: int
    num_label_chn: int
    num_edge_chn: int
    edge_file_prefix_format: str
    other_object_label: int
    new_dim: int
    bicubic: bool
    label_num: int
    is_unchanged: bool

class InfogainLossParameter(CaffeMessage):
    source: str
    axis: int

class InnerProductParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    MKLDNN: ClassVar[int]
    MLU: ClassVar[int]
    GemmMode: ClassVar[EnumTypeWrapper]
    GEMM: ClassVar[int]
    SPMDM: ClassVar[int]
    SPGEMM: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    num_output: int
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    axis: int
    transpose: bool
    sparse_mode: bool
    normalize: bool
    engine: int
    relu: bool
    negative_slope: float
    paramq: int
    params: float
    scale_in: float
    scale_out: float
    a_min: int
    a_max: int
    transpose_weights: bool
    output_4d: bool
    gemm_mode: int
    spmdm_transpose_in: bool
    spmdm_transpose_out: bool
    dump_parameter: bool
    dump_activation: bool
    sparsity_term: bool
    @property
    def weight_mask_filler(self) -> FillerParameter: ...
    threshold: float
    sparse_ratio: float
    class_num: int
    quantize_term: bool
    weight_fixed: bool
    dis_mode: bool
    gen_mode: bool
    input_scale: float
    output_scale: float
    weight_scale: float
    input_zero_point: int
    output_zero_point: int
    weight_zero_point: int
    saturate: int
    quantize_method: int

class InputParameter(CaffeMessage):
    @property
    def shape(self) -> Messages[BlobShape]: ...
    output_scale: float
    output_zero_point: int

class LogParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    base: float
    scale: float
    shift: float
    engine: int

class LRNParameter(CaffeMessage):
    NormRegion: ClassVar[EnumTypeWrapper]
    ACROSS_CHANNELS: ClassVar[int]
    WITHIN_CHANNEL: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    MKL2017: ClassVar[int]
    MKLDNN: ClassVar[int]
    MLU: ClassVar[int]
    FuseType: ClassVar[EnumTypeWrapper]
    UNFUSED: ClassVar[int]
    FUSED_POOL_MAX: ClassVar[int]
    local_size: int
    alpha: float
    beta: float
    norm_region: int
    k: float
    engine: int
    fuse_type: int
    @property
    def pooling_param(self) -> PoolingParameter: ...
    unit_test_mode: bool
    unit_test_fuse_kernel: bool
    input_scale: float
    output_scale: float

class MemoryDataParameter(CaffeMessage):
    batch_size: int
    channels: int
    height: int
    width: int
    length: int
    share_in_parallel: bool
    source: str
    @property
    def dataframe_column_select(self) -> Scalars[str]: ...
    image_encoded: bool
    dataframe_format: str
    @property
    def shape(self) -> BlobShape: ...
    transpose: bool
    @property
    def dim(self) -> Scalars[int]: ...

class MVNParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    normalize_variance: bool
    across_channels: bool
    eps: float
    engine: int
    add_eps_before_sqrt: bool

class ParameterParameter(CaffeMessage):
    @property
    def shape(self) -> BlobShape: ...
    @property
    def blob_filler(self) -> FillerParameter: ...

class PoolingParameter(CaffeMessage):
    PoolMethod: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    AVE: ClassVar[int]
    STOCHASTIC: ClassVar[int]
    DEF: ClassVar[int]
    DEF_ALL: ClassVar[int]
    DEF_ALL2: ClassVar[int]
    DEF_ALL3: ClassVar[int]
    DEF_ALL4: ClassVar[int]
    LOWRES: ClassVar[int]
    AVE_EXC_PAD: ClassVar[int]
    AVE_TF: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    LIBDNN: ClassVar[int]
    MKL2017: ClassVar[int]
    MKLDNN: ClassVar[int]
    MLU: ClassVar[int]
    RoundMode: ClassVar[EnumTypeWrapper]
    CEIL: ClassVar[int]
    FLOOR: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    pool: int
    pad: int
    pad_h: int
    pad_w: int
    kernel_size: int
    kernel_h: int
    kernel_w: int
    stride: int
    stride_h: int
    stride_w: int
    engine: int
    global_pooling: bool
    round_mode: int
    kernel_depth: int
    temporal_stride: int
    @property
    def pad_shape(self) -> BlobShape: ...
    @property
    def kernel_shape(self) -> BlobShape: ...
    @property
    def stride_shape(self) -> BlobShape: ...
    ceil_mode: bool
    blobs_lr: float
    blobs_a_min: float
    @property
    def pad_3d(self) -> Scalars[int]: ...
    @property
    def kernel_size_3d(self) -> Scalars[int]: ...
    @property
    def stride_3d(self) -> Scalars[int]: ...
    avg_include_pad: bool
    torch_pooling: bool
    @property
    def dilation(self) -> Scalars[int]: ...
    axis: int
    bin_size: int
    bin_h: int
    bin_w: int
    pad_type: int
    pad_l: int
    pad_r: int
    pad_t: int
    pad_b: int
    output_shift_instead_division: int
    input_scale: float
    output_scale: float
    input_zero_point: int
    output_zero_point: int
    saturate: int
    quantize_method: int

class PowerParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    power: float
    scale: float
    shift: float
    engine: int
    saturate: int
    quantize_method: int

class PythonParameter(CaffeMessage):
    module: str
    layer: str
    param_str: str
    share_in_parallel: bool

class RecurrentParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    num_output: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    debug_info: bool
    expose_hidden: bool
    sparse_mode: bool
    engine: int
    expose_hidden_state: bool
    default_initial: bool
    continue_recur: bool
    tf_rnn: bool
    linear_before_reset: int
    direction: str
    @property
    def activation_alpha(self) -> Scalars[float]: ...
    @property
    def activation_beta(self) -> Scalars[float]: ...
    @property
    def activations(self) -> Scalars[str]: ...
    clipping_threshold: float
    dropout_ratio: float

class ReductionParameter(CaffeMessage):
    ReductionOp: ClassVar[EnumTypeWrapper]
    SUM: ClassVar[int]
    ASUM: ClassVar[int]
    SUMSQ: ClassVar[int]
    MEAN: ClassVar[int]
    TOPK: ClassVar[int]
    MAX: ClassVar[int]
    MIN: ClassVar[int]
    SQSUM: ClassVar[int]
    PROD: ClassVar[int]
    L2: ClassVar[int]
    LOGSUM: ClassVar[int]
    LOGSUMEXP: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    operation: int
    axis: int
    coeff: float
    engine: int
    dim_0: int
    dim_1: int
    dim_2: int
    dim_3: int
    keepdim: int
    k: int

class ReLUParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    MKL2017: ClassVar[int]
    MKLDNN: ClassVar[int]
    MLU: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    negative_slope: float
    engine: int
    upper_limit: int
    fuse: bool
    use_log: bool
    positive_half: bool
    relu6: bool
    maximum: float
    minimum: float
    input_scale: float
    output_scale: float
    input_zero_point: int
    output_zero_point: int
    saturate: int

class ReshapeParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    @property
    def shape(self) -> BlobShape: ...
    axis: int
    num_axes: int
    engine: int
    pixelshuffler: int

class ScaleParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    axis: int
    num_axes: int
    @property
    def filler(self) -> FillerParameter: ...
    bias_term: bool
    @property
    def bias_filler(self) -> FillerParameter: ...
    engine: int
    min_value: float
    max_value: float
    use_log: bool
    dis_mode: bool
    gen_mode: bool

class SigmoidParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    engine: int
    input_scale: float
    output_scale: float
    input_zero_point: int
    output_zero_point: int
    saturate: int

class SliceParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    axis: int
    @property
    def slice_point(self) -> Scalars[int]: ...
    slice_dim: int
    engine: int

class SoftmaxParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    MLU: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    engine: int
    axis: int
    hard_ratio: float
    @property
    def class_weight(self) -> Scalars[float]: ...
    hard_mining_label: int
    cutting_point: float
    normalize_type: str
    label_smooth_factor: float
    margin: float
    scaling_temperature: float
    input_scale: float
    output_scale: float
    input_zero_point: int
    output_zero_point: int
    saturate: int

class SwishParameter(CaffeMessage):
    beta: float

class TanHParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    engine: int

class TileParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    axis: int
    tiles: int
    engine: int
    index: int
    tiles_from_axis: int

class ThresholdParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    threshold: float
    engine: int

class WindowDataParameter(CaffeMessage):
    source: str
    scale: float
    mean_file: str
    batch_size: int
    crop_size: int
    mirror: bool
    fg_threshold: float
    bg_threshold: float
    fg_fraction: float
    context_pad: int
    crop_mode: str
    cache_images: bool
    root_folder: str
    shuffle: bool

class SPPParameter(CaffeMessage):
    PoolMethod: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    AVE: ClassVar[int]
    STOCHASTIC: ClassVar[int]
    AVE_EXC_PAD: ClassVar[int]
    AVE_TF: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    MLU: ClassVar[int]
    pyramid_height: int
    pool: int
    engine: int

class V1LayerParameter(CaffeMessage):
    LayerType: ClassVar[EnumTypeWrapper]
    NONE: ClassVar[int]
    ABSVAL: ClassVar[int]
    ACCURACY: ClassVar[int]
    ARGMAX: ClassVar[int]
    BNLL: ClassVar[int]
    CONCAT: ClassVar[int]
    CONTRASTIVE_LOSS: ClassVar[int]
    CONVOLUTION: ClassVar[int]
    DATA: ClassVar[int]
    DECONVOLUTION: ClassVar[int]
    DROPOUT: ClassVar[int]
    DUMMY_DATA: ClassVar[int]
    EUCLIDEAN_LOSS: ClassVar[int]
    ELTWISE: ClassVar[int]
    EXP: ClassVar[int]
    FLATTEN: ClassVar[int]
    HDF5_DATA: ClassVar[int]
    HDF5_OUTPUT: ClassVar[int]
    HINGE_LOSS: ClassVar[int]
    IM2COL: ClassVar[int]
    IMAGE_DATA: ClassVar[int]
    INFOGAIN_LOSS: ClassVar[int]
    INNER_PRODUCT: ClassVar[int]
    LRN: ClassVar[int]
    MEMORY_DATA: ClassVar[int]
    MULTINOMIAL_LOGISTIC_LOSS: ClassVar[int]
    MVN: ClassVar[int]
    POOLING: ClassVar[int]
    POWER: ClassVar[int]
    RELU: ClassVar[int]
    SIGMOID: ClassVar[int]
    SIGMOID_CROSS_ENTROPY_LOSS: ClassVar[int]
    SILENCE: ClassVar[int]
    SOFTMAX: ClassVar[int]
    SOFTMAX_LOSS: ClassVar[int]
    SPLIT: ClassVar[int]
    SLICE: ClassVar[int]
    TANH: ClassVar[int]
    WINDOW_DATA: ClassVar[int]
    THRESHOLD: ClassVar[int]
    ELTWISE_PRODUCT: ClassVar[int]
    PYTHON: ClassVar[int]
    CROP: ClassVar[int]
    RESHAPE: ClassVar[int]
    ROIPOOLING: ClassVar[int]
    SMOOTH_L1_LOSS: ClassVar[int]
    CONADD: ClassVar[int]
    DEFORMABLECONVOLUTION: ClassVar[int]
    EXPERIENCE_DATA: ClassVar[int]
    INTERP: ClassVar[int]
    ADAPTIVE_BIAS_CHANNEL: ClassVar[int]
    BIAS_CHANNEL: ClassVar[int]
    CENSOR_LABEL: ClassVar[int]
    CHANNEL_AGGREGATOR: ClassVar[int]
    DENSE_CRF: ClassVar[int]
    DOMINANT_CHANNEL: ClassVar[int]
    GAIN_CHANNEL: ClassVar[int]
    HISTOGRAM: ClassVar[int]
    IGNORE_OVERLAY: ClassVar[int]
    IMAGE_SEG_DATA: ClassVar[int]
    MAT_READ: ClassVar[int]
    MAT_WRITE: ClassVar[int]
    ONEHOT: ClassVar[int]
    PADDING: ClassVar[int]
    RELATIVE_ERROR: ClassVar[int]
    SEG_ACCURACY: ClassVar[int]
    UNIQUE_LABEL: ClassVar[int]
    PARSE_OUTPUT: ClassVar[int]
    PARSE_EVALUATE: ClassVar[int]
    SOFTMAX_WITH_LOSS5: ClassVar[int]
    SIGMOID_EUCLIDEAN_LOSS: ClassVar[int]
    MCWINDOW_DATA: ClassVar[int]
    NAMCWINDOW_DATA: ClassVar[int]
    BN: ClassVar[int]
    UNPOOLING: ClassVar[int]
    BIN_ACCURACY: ClassVar[int]
    DROPOUT_CHANNEL: ClassVar[int]
    ELTWISE_ACCURACY: ClassVar[int]
    RED_SOFTMAX_LOSS: ClassVar[int]
    RED_ACCURACY: ClassVar[int]
    SELECT_SEG_BINARY: ClassVar[int]
    WINDOW_CLS_DATA: ClassVar[int]
    WINDOW_SEG_DATA: ClassVar[int]
    WINDOW_SEG_BINARY: ClassVar[int]
    WINDOW_INST_SEG_DATA: ClassVar[int]
    DATA_HEATMAP: ClassVar[int]
    EUCLIDEAN_LOSS_HEATMAP: ClassVar[int]
    CONVOLUTION3D: ClassVar[int]
    POOLING3D: ClassVar[int]
    VOLUME_DATA: ClassVar[int]
    VIDEO_DATA: ClassVar[int]
    DECONVOLUTION3D: ClassVar[int]
    VIDEO_SEGMENTATION_DATA: ClassVar[int]
    VOXEL_SOFTMAX: ClassVar[int]
    VOXEL_SOFTMAX_LOSS: ClassVar[int]
    VIDEO_WITH_VOXEL_TRUTH_DATA: ClassVar[int]
    VOXEL_CUSTOM_LOSS: ClassVar[int]
    DOWN_SAMPLING: ClassVar[int]
    RELU6: ClassVar[int]
    CROSS_LOSS: ClassVar[int]
    SHUFFLING_DATA: ClassVar[int]
    CLUSTERING_LOSS: ClassVar[int]
    SPRING_LOSS: ClassVar[int]
    KMEANS_LOSS: ClassVar[int]
    GMM_LOSS: ClassVar[int]
    MULTI_SOFTMAX_LOSS: ClassVar[int]
    JPEG_DATA: ClassVar[int]
    RESIZE: ClassVar[int]
    T_LOSS: ClassVar[int]
    L1_LOSS: ClassVar[int]
    SOFTMAX_ENTROPY_LOSS: ClassVar[int]
    MULTI_T_LOSS: ClassVar[int]
    ENTROPY_T_LOSS: ClassVar[int]
    NORM: ClassVar[int]
    RANK_HARD_LOSS: ClassVar[int]
    LOCALCONNECT: ClassVar[int]
    BATCH_NORM: ClassVar[int]
    LOCAL: ClassVar[int]
    NORMALIZE: ClassVar[int]
    INSANITY: ClassVar[int]
    TRIPLET_LOSS: ClassVar[int]
    ELTWISE_AFFINE: ClassVar[int]
    SELU: ClassVar[int]
    SELU_DROPOUT: ClassVar[int]
    DICE_LOSS: ClassVar[int]
    BIAS: ClassVar[int]
    CRELU: ClassVar[int]
    DETECTION_POSE_OUTPUT: ClassVar[int]
    DETECTION_OUTPUT: ClassVar[int]
    DETECTION_OUT: ClassVar[int]
    ELU: ClassVar[int]
    EMBED: ClassVar[int]
    IMAGE_DETECT: ClassVar[int]
    INPUT: ClassVar[int]
    LOG: ClassVar[int]
    LSTM_RESHAPE: ClassVar[int]
    NMS: ClassVar[int]
    PARAMETER: ClassVar[int]
    PERMUTE: ClassVar[int]
    PRELU: ClassVar[int]
    PRIOR_BOX: ClassVar[int]
    PRIORBOX: ClassVar[int]
    PROPOSAL: ClassVar[int]
    PSROI_POOLING: ClassVar[int]
    RECURRENT: ClassVar[int]
    REDUCTION: ClassVar[int]
    REORG: ClassVar[int]
    RESIZE_CROP: ClassVar[int]
    REGION: ClassVar[int]
    ROI_ALIGN: ClassVar[int]
    ROI_POOLING: ClassVar[int]
    RPN: ClassVar[int]
    SCALE: ClassVar[int]
    SHUFFLE_CHANNEL: ClassVar[int]
    SPP: ClassVar[int]
    TRANSFORM: ClassVar[int]
    TILE: ClassVar[int]
    UPSAMPLE: ClassVar[int]
    YUVTORGB: ClassVar[int]
    YOLOV3: ClassVar[int]
    YUVTONORMALIZEDGRAY: ClassVar[int]
    DEPTHWISECONVOLUTION: ClassVar[int]
    CLIP: ClassVar[int]
    DETECTIONOUTPUT: ClassVar[int]
    DimCheckMode: ClassVar[EnumTypeWrapper]
    STRICT: ClassVar[int]
    PERMISSIVE: ClassVar[int]
    @property
    def bottom(self) -> Scalars[str]: ...
    @property
    def top(self) -> Scalars[str]: ...
    name: str
    @property
    def include(self) -> Messages[NetStateRule]: ...
    @property
    def exclude(self) -> Messages[NetStateRule]: ...
    type: int
    @property
    def blobs(self) -> Messages[BlobProto]: ...
    @property
    def param(self) -> Scalars[str]: ...
    @property
    def blob_share_mode(self) -> Scalars[int]: ...
    @property
    def blobs_lr(self) -> Scalars[float]: ...
    @property
    def weight_decay(self) -> Scalars[float]: ...
    @property
    def loss_weight(self) -> Scalars[float]: ...
    @property
    def accuracy_param(self) -> AccuracyParameter: ...
    @property
    def argmax_param(self) -> ArgMaxParameter: ...
    @property
    def concat_param(self) -> ConcatParameter: ...
    @property
    def contrastive_loss_param(self) -> ContrastiveLossParameter: ...
    @property
    def convolution_param(self) -> ConvolutionParameter: ...
    @property
    def data_param(self) -> DataParameter: ...
    @property
    def dropout_param(self) -> DropoutParameter: ...
    @property
    def dummy_data_param(self) -> DummyDataParameter: ...
    @property
    def eltwise_param(self) -> EltwiseParameter: ...
    @property
    def exp_param(self) -> ExpParameter: ...
    @property
    def hdf5_data_param(self) -> HDF5DataParameter: ...
    @property
    def hdf5_output_param(self) -> HDF5OutputParameter: ...
    @property
    def hinge_loss_param(self) -> HingeLossParameter: ...
    @property
    def image_data_param(self) -> ImageDataParameter: ...
    @property
    def infogain_loss_param(self) -> InfogainLossParameter: ...
    @property
    def inner_product_param(self) -> InnerProductParameter: ...
    @property
    def lrn_param(self) -> LRNParameter: ...
    @property
    def memory_data_param(self) -> MemoryDataParameter: ...
    @property
    def mvn_param(self) -> MVNParameter: ...
    @property
    def pooling_param(self) -> PoolingParameter: ...
    @property
    def power_param(self) -> PowerParameter: ...
    @property
    def relu_param(self) -> ReLUParameter: ...
    @property
    def sigmoid_param(self) -> SigmoidParameter: ...
    @property
    def softmax_param(self) -> SoftmaxParameter: ...
    @property
    def slice_param(self) -> SliceParameter: ...
    @property
    def tanh_param(self) -> TanHParameter: ...
    @property
    def threshold_param(self) -> ThresholdParameter: ...
    @property
    def window_data_param(self) -> WindowDataParameter: ...
    @property
    def transform_param(self) -> TransformationParameter: ...
    @property
    def loss_param(self) -> LossParameter: ...
    @property
    def layer(self) -> V0LayerParameter: ...
    @property
    def python_param(self) -> PythonParameter: ...
    @property
    def down_sampling_param(self) -> DownSamplingParameter: ...
    @property
    def addpad_param(self) -> AddPadParameter: ...
    @property
    def batch_norm_param(self) -> BatchNormParameter: ...
    @property
    def bias_param(self) -> BiasParameter: ...
    @property
    def convolution3d_param(self) -> Convolution3DParameter: ...
    @property
    def crop_param(self) -> CropParameter: ...
    @property
    def crelu_param(self) -> CReLUParameter: ...
    @property
    def detection_output_param(self) -> DetectionOutputParameter: ...
    @property
    def detection_pose_output_param(self) -> DetectionPoseOutputParameter: ...
    @property
    def detection_out_param(self) -> DetectionOutParameter: ...
    @property
    def elu_param(self) -> ELUParameter: ...
    @property
    def embed_param(self) -> EmbedParameter: ...
    @property
    def flatten_param(self) -> FlattenParameter: ...
    @property
    def image_detect_param(self) -> ImageDetectParameter: ...
    @property
    def input_param(self) -> InputParameter: ...
    @property
    def log_param(self) -> LogParameter: ...
    @property
    def norm_param(self) -> NormalizeParameter: ...
    @property
    def parameter_param(self) -> ParameterParameter: ...
    @property
    def permute_param(self) -> PermuteParameter: ...
    @property
    def pooling3d_param(self) -> Pooling3DParameter: ...
    @property
    def prior_box_param(self) -> PriorBoxParameter: ...
    @property
    def priorbox_params(self) -> Messages[PriorBoxParameter]: ...
    @property
    def proposal_param(self) -> ProposalParameter: ...
    @property
    def psroi_pooling_param(self) -> PSROIPoolingParameter: ...
    @property
    def recurrent_param(self) -> RecurrentParameter: ...
    @property
    def reduction_param(self) -> ReductionParameter: ...
    @property
    def reorg_param(self) -> ReorgParameter: ...
    @property
    def resize_crop_param(self) -> ResizecropParameter: ...
    @property
    def region_param(self) -> RegionParameter: ...
    @property
    def roi_align_param(self) -> ROIAlignParameter: ...
    @property
    def scale_param(self) -> ScaleParameter: ...
    @property
    def shuffle_channel_param(self) -> ShuffleChannelParameter: ...
    @property
    def spp_param(self) -> SPPParameter: ...
    @property
    def upsample_param(self) -> UpsampleParameter: ...
    @property
    def yuvtorgb_param(self) -> YuvToRgbParameter: ...
    @property
    def yolov3_param(self) -> Yolov3DetectionParameter: ...
    @property
    def yuvtonormalizedgray_param(self) -> YuvToNormalizedGrayParameter: ...
    external_output: bool
    @property
    def bottom_mlu_dtype(self) -> Messages[BlobDataType]: ...
    @property
    def blobs_dtype(self) -> Messages[BlobDataType]: ...
    split_num: int
    sparsity: float
    engine: int
    @property
    def cap_param(self) -> CapParameter: ...
    @property
    def margin_param(self) -> MarginParameter: ...
    @property
    def squash_param(self) -> SquashParameter: ...
    @property
    def capsule_transform_param(self) -> CapsuleTransformParameter: ...
    @property
    def capsule_routing_param(self) -> CapsuleRoutingParameter: ...
    @property
    def capsule_mask_param(self) -> CapsuleMaskParameter: ...
    @property
    def capsule_reshape_param(self) -> CapsuleReshapeParameter: ...
    @property
    def capsule_len_param(self) -> CapsuleLenParameter: ...
    @property
    def capsule_conv_transform_param(self) -> CapsuleConvTransformParameter: ...
    @property
    def capsule_conv_routing_param(self) -> CapsuleConvRoutingParameter: ...
    @property
    def capsule_relu_param(self) -> CapsuleReluParameter: ...
    @property
    def capsule_deconv_transform_param(self) -> CapsuleDeconvTransformParameter: ...
    @property
    def capsule_deconv_routing_param(self) -> CapsuleDeconvRoutingParameter: ...
    @property
    def capsule_deconv_param(self) -> CapsuleDeconvParameter: ...
    @property
    def capsule_conv_param(self) -> CapsuleConvParameter: ...
    @property
    def resize_nearest_param(self) -> ResizeNearestParameter: ...
    @property
    def group_norm_param(self) -> GroupNormParameter: ...
    @property
    def DepthwiseConvolution_parameter(self) -> DepthwiseConvolutionParameter: ...
    @property
    def clip_param(self) -> ClipParameter: ...
    @property
    def tile_param(self) -> TileParameter: ...
    @property
    def interp_param(self) -> InterpParameter: ...
    @property
    def euclidean_loss_param(self) -> EuclideanLossParameter: ...
    strict_dim: bool
    @property
    def adaptive_bias_channel_param(self) -> AdaptiveBiasChannelParameter: ...
    @property
    def bias_channel_param(self) -> BiasChannelParameter: ...
    @property
    def censor_label_param(self) -> CensorLabelParameter: ...
    @property
    def channel_aggregator_param(self) -> ChannelAggregatorParameter: ...
    @property
    def dense_crf_param(self) -> DenseCRFParameter: ...
    @property
    def dominant_channel_param(self) -> DominantChannelParameter: ...
    @property
    def gain_channel_param(self) -> GainChannelParameter: ...
    @property
    def histogram_param(self) -> HistogramParameter: ...
    @property
    def ignore_overlay_param(self) -> IgnoreOverlayParameter: ...
    @property
    def mat_read_param(self) -> MatReadParameter: ...
    @property
    def mat_write_param(self) -> MatWriteParameter: ...
    @property
    def onehot_param(self) -> OneHotParameter: ...
    @property
    def padding_param(self) -> PaddingParameter: ...
    @property
    def seg_accuracy_param(self) -> SegAccuracyParameter: ...
    @property
    def softmaxloss_param(self) -> SoftmaxLossParameter: ...
    @property
    def unique_label_param(self) -> UniqueLabelParameter: ...
    @property
    def reshape_param(self) -> ReshapeParameter: ...
    @property
    def roi_pooling_param(self) -> ROIPoolingParameter: ...
    @property
    def prelu_param(self) -> PReLUParameter: ...
    @property
    def local_param(self) -> LocalParameter: ...
    @property
    def insanity_param(self) -> InsanityParameter: ...
    @property
    def triplet_loss_param(self) -> TripletLossParameter: ...
    @property
    def eltwise_affine_param(self) -> EltwiseAffineParameter: ...
    @property
    def sub_region_param(self) -> SubRegionParameter: ...
    @property
    def noise_param(self) -> NoiseParameter: ...
    @property
    def affinity_param(self) -> AffinityParameter: ...
    @property
    def heatmap_data_param(self) -> HeatmapDataParameter: ...
    @property
    def experience_param(self) -> ExperienceDataParameter: ...
    @property
    def cross_loss_param(self) -> CrossLossParameter: ...
    @property
    def shuffling_data_param(self) -> ShufflingDataParameter: ...
    @property
    def clustering_loss_param(self) -> ClusteringLossParameter: ...
    @property
    def spring_loss_param(self) -> SpringLossParameter: ...
    @property
    def kmeans_loss_param(self) -> KmeansLossParameter: ...
    @property
    def gmm_loss_param(self) -> GMMLossParameter: ...
    @property
    def multi_softmax_loss_param(self) -> MultiSoftmaxLossParameter: ...
    @property
    def jpeg_data_param(self) -> JPEGDataParameter: ...
    @property
    def resize_param(self) -> ResizeParameter: ...
    @property
    def t_loss_param(self) -> TLossParameter: ...
    @property
    def multi_t_loss_param(self) -> MultiTLossParameter: ...
    @property
    def rank_param(self) -> RankParameter: ...
    @property
    def conadd_param(self) -> ConaddParameter: ...
    @property
    def deformable_convolution_param(self) -> DeformableConvolutionParameter: ...
    @property
    def bn_param(self) -> BNParameter: ...
    @property
    def unpooling_param(self) -> UnpoolingParameter: ...
    @property
    def mcwindow_data_param(self) -> MCWindowDataParameter: ...
    @property
    def namcwindow_data_param(self) -> NAMCWindowDataParameter: ...
    @property
    def binary_accuracy_param(self) -> BinaryAccuracyParameter: ...
    @property
    def eltwise_accuracy_param(self) -> EltwiseAccuracyParameter: ...
    @property
    def red_softmax_loss_param(self) -> RedSoftmaxWithLossParameter: ...
    @property
    def red_accuracy_param(self) -> RedAccuracyParameter: ...
    @property
    def select_seg_binary_param(self) -> SelectSegBinaryParameter: ...
    @property
    def window_cls_data_param(self) -> WindowClsDataParameter: ...
    @property
    def mask_param(self) -> TransformationParameter: ...
    @property
    def yolo_v2_loss_param(self) -> YoloV2LossParameter: ...
    @property
    def yolo_v3_loss_param(self) -> YoloV3LossParameter: ...
    @property
    def deephi_reisze_param(self) -> DeephiResizeParameter: ...
    @property
    def relu6_param(self) -> ReLUParameter: ...
    @property
    def detection_loss_param(self) -> DetectionLossParameter: ...
    @property
    def eval_detection_param(self) -> EvalDetectionParameter: ...

class V0LayerParameter(CaffeMessage):
    PoolMethod: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    AVE: ClassVar[int]
    STOCHASTIC: ClassVar[int]
    AVE_EXC_PAD: ClassVar[int]
    AVE_TF: ClassVar[int]
    name: str
    type: str
    num_output: int
    biasterm: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    pad: int
    kernelsize: int
    group: int
    stride: int
    pool: int
    dropout_ratio: float
    local_size: int
    alpha: float
    beta: float
    k: float
    source: str
    scale: float
    meanfile: str
    batchsize: int
    cropsize: int
    mirror: bool
    @property
    def blobs(self) -> Messages[BlobProto]: ...
    @property
    def blobs_lr(self) -> Scalars[float]: ...
    @property
    def weight_decay(self) -> Scalars[float]: ...
    rand_skip: int
    det_fg_threshold: float
    det_bg_threshold: float
    det_fg_fraction: float
    det_context_pad: int
    det_crop_mode: str
    new_num: int
    new_channels: int
    new_height: int
    new_width: int
    shuffle_images: bool
    concat_dim: int
    @property
    def hdf5_output_param(self) -> HDF5OutputParameter: ...
    subtraction: float
    @property
    def bottom_mlu_dtype(self) -> Messages[BlobDataType]: ...
    @property
    def blobs_dtype(self) -> Messages[BlobDataType]: ...
    split_num: int
    sparsity: float
    engine: int

class PReLUParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    @property
    def filler(self) -> FillerParameter: ...
    channel_shared: bool
    engine: int

class LayerConnection(CaffeMessage):
    @property
    def layer(self) -> V0LayerParameter: ...
    @property
    def bottom(self) -> Scalars[str]: ...
    @property
    def top(self) -> Scalars[str]: ...

class VideoDataParameter(CaffeMessage):
    VideoType: ClassVar[EnumTypeWrapper]
    WEBCAM: ClassVar[int]
    VIDEO: ClassVar[int]
    Modality: ClassVar[EnumTypeWrapper]
    RGB: ClassVar[int]
    FLOW: ClassVar[int]
    is_color: bool
    root_folder: str
    show_data: bool
    use_image: bool
    use_temporal_jitter: bool
    sampling_rate: int
    max_sampling_rate: int
    use_sampling_rate_jitter: bool
    use_multiple_label: bool
    num_of_labels: int
    video_type: int
    device_id: int
    video_file: str
    skip_frames: int
    source: str
    batch_size: int
    rand_skip: int
    shuffle: bool
    new_height: int
    new_width: int
    new_length: int
    scale: float
    mean_file: str
    crop_size: int
    mirror: bool
    num_segments: int
    modality: int
    name_pattern: str
    encoded: bool
    grayscale: bool
    length_first: bool
    rand_step: bool
    step: int

class ROIPoolingParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    pooled_l: int
    temporal_scale: float
    use_faster_roipooling: int
    engine: int
    pad_ratio: float
    pooled_h: int
    pooled_w: int
    spatial_scale: float
    @property
    def pooled_size(self) -> Scalars[int]: ...

class VolumeDatum(CaffeMessage):
    channels: int
    length: int
    height: int
    width: int
    data: bytes
    label: int
    @property
    def float_data(self) -> Scalars[float]: ...

class Convolution3DParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    num_output: int
    bias_term: bool
    pad: int
    kernel_size: int
    group: int
    kernel_depth: int
    stride: int
    temporal_stride: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    filter_group: int
    temporal_pad: int
    mean_file: str
    @property
    def mean_value(self) -> Scalars[float]: ...
    std: float
    engine: int

class Pooling3DParameter(CaffeMessage):
    PoolMethod: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    AVE: ClassVar[int]
    STOCHASTIC: ClassVar[int]
    AVE_EXC_PAD: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    pool: int
    kernel_size: int
    stride: int
    pad: int
    kernel_depth: int
    temporal_stride: int
    engine: int
    temporal_pad: int
    pad_h0: int
    pad_h1: int
    pad_w0: int
    pad_w1: int
    pad_d0: int
    pad_d1: int
    kernel_h: int
    kernel_w: int
    kernel_d: int
    stride_h: int
    stride_w: int
    stride_d: int
    global_pooling: bool
    ceil_mode: bool

class DownSamplingParameter(CaffeMessage):
    DownSamplingType: ClassVar[EnumTypeWrapper]
    NONE: ClassVar[int]
    VOTE: ClassVar[int]
    AVERAGE: ClassVar[int]
    type: int
    spatial_factor: int
    temporal_factor: int

class AggregationParameter(CaffeMessage):
    aggregation_param_r: float

class CenterLossParameter(CaffeMessage):
    num_output: int
    @property
    def center_filler(self) -> FillerParameter: ...
    axis: int
    distance_type: str

class MarginInnerProductParameter(CaffeMessage):
    MarginType: ClassVar[EnumTypeWrapper]
    SINGLE: ClassVar[int]
    DOUBLE: ClassVar[int]
    TRIPLE: ClassVar[int]
    QUADRUPLE: ClassVar[int]
    num_output: int
    type: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    axis: int
    base: float
    gamma: float
    power: float
    iteration: int
    lambda_min: float
    temp_seqid_num: int

class LargeMarginInnerProductParameter(CaffeMessage):
    LargeMarginType: ClassVar[EnumTypeWrapper]
    SINGLE: ClassVar[int]
    DOUBLE: ClassVar[int]
    TRIPLE: ClassVar[int]
    QUADRUPLE: ClassVar[int]
    num_output: int
    type: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    axis: int
    base: float
    gamma: float
    power: float
    iteration: int
    lambda_min: float

class CoSDataParameter(CaffeMessage):
    class TopBlob(CaffeMessage):
        name: str
        type: int
        channels: int
        height: int
        width: int
        sample_num_axes: int
        @property
        def transform_param(self) -> TransformationParameter: ...
        out_channels: int
        out_height: int
        out_width: int
        transpose: bool

    DataType: ClassVar[EnumTypeWrapper]
    STRING: ClassVar[int]
    INT: ClassVar[int]
    FLOAT: ClassVar[int]
    INT_ARRAY: ClassVar[int]
    FLOAT_ARRAY: ClassVar[int]
    ENCODED_IMAGE: ClassVar[int]
    RAW_IMAGE: ClassVar[int]
    ENCODED_IMAGE_WITH_DIM: ClassVar[int]
    source: str
    batch_size: int
    shuffle: bool
    dataframe_format: str
    @property
    def top(self) -> Messages[CoSDataParameter.TopBlob]: ...

class NoiseParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    engine: int
    gaussian_std: float
    uniform_range: float
    bias: float
    all_effects: bool
    mu: float
    sigma: float
    prob: float
    hist_eq: bool
    inverse: bool
    decolorize: bool
    gauss_blur: bool
    jpeg: float
    posterize: bool
    erode: bool
    saltpepper: bool
    @property
    def saltpepper_param(self) -> SaltPepperParameter: ...
    clahe: bool
    convert_to_hsv: bool
    convert_to_lab: bool

class ResizeParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    Resize_mode: ClassVar[EnumTypeWrapper]
    WARP: ClassVar[int]
    FIT_SMALL_SIZE: ClassVar[int]
    FIT_LARGE_SIZE_AND_PAD: ClassVar[int]
    Pad_mode: ClassVar[EnumTypeWrapper]
    CONSTANT: ClassVar[int]
    MIRRORED: ClassVar[int]
    REPEAT_NEAREST: ClassVar[int]
    Interp_mode: ClassVar[EnumTypeWrapper]
    LINEAR: ClassVar[int]
    AREA: ClassVar[int]
    NEAREST: ClassVar[int]
    CUBIC: ClassVar[int]
    LANCZOS4: ClassVar[int]
    engine: int
    is_pyramid_test: bool
    out_height_scale: float
    out_width_scale: float
    top_width: int
    top_height: int
    center_object: bool
    max_angle: float
    prob: float
    resize_mode: int
    height: int
    width: int
    height_scale: int
    width_scale: int
    pad_mode: int
    @property
    def pad_value(self) -> Scalars[float]: ...
    @property
    def interp_mode(self) -> Scalars[int]: ...
    jitter: float

class SaltPepperParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    SaltType: ClassVar[EnumTypeWrapper]
    relative: ClassVar[int]
    absolute: ClassVar[int]
    engine: int
    type: int
    fraction: float
    @property
    def value(self) -> Scalars[float]: ...

class NonMaximumSuppressionParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    engine: int
    soft_nms: bool
    theta: float
    nms_threshold: float
    top_k: int
    eta: float

class SaveOutputParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    engine: int
    output_directory: str
    output_name_prefix: str
    output_format: str
    label_map_file: str
    name_size_file: str
    num_test_image: int
    @property
    def resize_param(self) -> ResizeParameter: ...

class DetectionOutputParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    CUDNN: ClassVar[int]
    engine: int
    output_logits: bool
    normalized_bbox: bool
    clip: bool
    input_width: int
    input_height: int
    normalized: bool
    objectness_score: float
    num_classes: int
    share_location: bool
    background_label_id: int
    @property
    def nms_param(self) -> NonMaximumSuppressionParameter: ...
    @property
    def save_output_param(self) -> SaveOutputParameter: ...
    code_type: int
    variance_encoded_in_target: bool
    keep_top_k: int
    confidence_threshold: float
    visualize: bool
    visualize_threshold: float
    save_file: str
    ratio_permute: bool
    no_permute: bool
    nbottom: int
    arm_conf_no_concat: bool
    arm_loc_no_concat: bool
    ratio0: int
    ratio1: int
    ratio2: int
    ratio3: int
    ratio4: int
    ratio5: int
    tflite_detection: bool
    tflite_use_regular_nms: bool
    max_classes_per_detection: int
    @property
    def scale_xywh(self) -> Scalars[float]: ...
    has_segmap: bool
    side: int
    classes: int
    num_box: int
    coords: int
    nms_threshold: float
    @property
    def biases(self) -> Scalars[float]: ...
    label_map_file: str

class MultiBoxLossParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    LocLossType: ClassVar[EnumTypeWrapper]
    L2: ClassVar[int]
    SMOOTH_L1: ClassVar[int]
    ConfLossType: ClassVar[EnumTypeWrapper]
    SOFTMAX: ClassVar[int]
    LOGISTIC: ClassVar[int]
    MatchType: ClassVar[EnumTypeWrapper]
    BIPARTITE: ClassVar[int]
    PER_PREDICTION: ClassVar[int]
    MiningType: ClassVar[EnumTypeWrapper]
    NONE: ClassVar[int]
    MAX_NEGATIVE: ClassVar[int]
    HARD_EXAMPLE: ClassVar[int]
    engine: int
    ignore_difficult_gt: bool
    objectness_score: float
    loc_loss_type: int
    conf_loss_type: int
    loc_weight: float
    num_classes: int
    share_location: bool
    match_type: int
    overlap_threshold: float
    use_prior_for_matching: bool
    background_label_id: int
    use_difficult_gt: bool
    do_neg_mining: bool
    neg_pos_ratio: float
    neg_overlap: float
    code_type: int
    encode_variance_in_target: bool
    map_object_to_agnostic: bool
    ignore_cross_boundary_bbox: bool
    bp_inside: bool
    mining_type: int
    @property
    def nms_param(self) -> NonMaximumSuppressionParameter: ...
    sample_size: int
    use_prior_for_nms: bool
    oriented_weight: float
    ori_flag: bool

class NormalizeParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    engine: int
    normalize_type: str
    fix_gradient: bool
    bp_norm: bool
    fix_scale: bool
    across_spatial: bool
    @property
    def scale_filler(self) -> FillerParameter: ...
    channel_shared: bool
    eps: float
    add_eps_before_sqrt: bool

class PermuteParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    engine: int
    @property
    def order(self) -> Scalars[int]: ...

class PriorBoxParameter(CaffeMessage):
    PriorType: ClassVar[EnumTypeWrapper]
    CLASSIC: ClassVar[int]
    DENSE: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    CUDNN: ClassVar[int]
    CodeType: ClassVar[EnumTypeWrapper]
    CORNER: ClassVar[int]
    CENTER_SIZE: ClassVar[int]
    CORNER_SIZE: ClassVar[int]
    p_type: int
    inner_scale: int
    engine: int
    @property
    def offset_h(self) -> Scalars[float]: ...
    @property
    def offset_w(self) -> Scalars[float]: ...
    @property
    def width(self) -> Scalars[float]: ...
    @property
    def height(self) -> Scalars[float]: ...
    @property
    def fixed_size(self) -> Scalars[float]: ...
    @property
    def fixed_ratio(self) -> Scalars[float]: ...
    @property
    def density(self) -> Scalars[float]: ...
    @property
    def min_size(self) -> Scalars[float]: ...
    @property
    def max_size(self) -> Scalars[float]: ...
    @property
    def aspect_ratio(self) -> Scalars[float]: ...
    flip: bool
    clip: bool
    @property
    def variance(self) -> Scalars[float]: ...
    img_size: int
    img_h: int
    img_w: int
    step: float
    step_h: float
    step_w: float
    offset: float
    reduce_boxes: bool
    faceboxes: bool
    @property
    def box_width(self) -> Scalars[float]: ...
    @property
    def box_height(self) -> Scalars[float]: ...
    tf: bool
    yx_order: bool
    keras: bool

class BNParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    MLU: ClassVar[int]
    BNMode: ClassVar[EnumTypeWrapper]
    LEARN: ClassVar[int]
    INFERENCE: ClassVar[int]
    var_eps: float
    moving_average: bool
    decay: float
    across_spatial: bool
    @property
    def scale_filler(self) -> FillerParameter: ...
    @property
    def shift_filler(self) -> FillerParameter: ...
    bn_mode: int
    icnet: bool
    axis: float
    frozen: bool
    momentum: float
    eps: float
    @property
    def slope_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    engine: int

class UnPoolingParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    UnPoolMethod: ClassVar[EnumTypeWrapper]
    FIXED: ClassVar[int]
    DIV: ClassVar[int]
    REP: ClassVar[int]
    MAX: ClassVar[int]
    AVE: ClassVar[int]
    TILE: ClassVar[int]
    engine: int
    pad: int
    pad_h: int
    pad_w: int
    kernel_size: int
    kernel_h: int
    kernel_w: int
    stride: int
    stride_h: int
    stride_w: int
    unpool_size: int
    unpool_h: int
    unpool_w: int
    unpool: int
    out_pad: int
    out_pad_h: int
    out_pad_w: int
    out_kernel_size: int
    out_kernel_h: int
    out_kernel_w: int
    out_stride: int
    out_stride_h: int
    out_stride_w: int

class ReorgParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    engine: int
    stride: int
    reverse: bool

class PSROIPoolingParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    no_pad_shift: float
    engine: int
    spatial_scale: float
    output_dim: int
    group_size: int

class ShuffleChannelParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    engine: int
    group: int

class UpsampleParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    pad_out_W: int
    nearestneighbor_mode: bool
    engine: int
    upsample_h: int
    upsample_w: int
    scale: float
    scale_h: int
    scale_w: int
    pad_out_h: bool
    pad_out_w: bool

class InterpParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    Mode: ClassVar[EnumTypeWrapper]
    LINEAR: ClassVar[int]
    NEAREST: ClassVar[int]
    align_corners: bool
    engine: int
    height: int
    width: int
    zoom_factor: int
    shrink_factor: int
    pad_beg: int
    pad_end: int
    mode: int
    full_zoom_factor: int

class ProposalParameter(CaffeMessage):
    class Anchor(CaffeMessage):
        left: float
        top: float
        right: float
        bottom: float

    stride: float
    im_min_w: float
    im_min_h: float
    top_num: float
    nms_num: int
    anchor_num: int
    engine: int
    im_h: float
    im_w: float
    nms_scale: float
    @property
    def anchor_scale(self) -> Scalars[float]: ...
    @property
    def anchor_ratio(self) -> Scalars[float]: ...
    pvanet_mode: bool
    enable_softmax: bool
    nproposal_mode: bool
    shuffle_channel: bool
    nms_thresh: float
    @property
    def scale(self) -> Scalars[float]: ...
    feat_stride: int
    base_size: int
    min_size: int
    pre_nms_topn: int
    post_nms_topn: int
    @property
    def ratio(self) -> Scalars[float]: ...
    anchor_base_size: int
    max_rois: int
    rpn_min_size: float
    rpn_nms_thresh: float
    nms_input_num: int
    nms_output_num: int
    stride_h: int
    stride_w: int
    nms_iou_th: float
    min_width: float
    min_height: float
    @property
    def anchor(self) -> Messages[ProposalParameter.Anchor]: ...

class RegionParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    bias_match: bool
    output_square: bool
    num: int
    ratio: float
    iou_thresh: float
    box_thresh: float
    engine: int
    side: int
    num_classes: int
    num_box: int
    confidence_threshold: float
    @property
    def biases(self) -> Scalars[float]: ...
    label_map_file: str
    softmax: bool
    classes: int
    coords: int
    @property
    def anchors(self) -> Scalars[str]: ...
    nms_threshold: float
    boxes_of_each_grid: int
    iou_threshold: float
    expand_bias: bool
    object_scale: float

class Yolov3Parameter(CaffeMessage):
    IOU_LOSS: ClassVar[EnumTypeWrapper]
    IOU: ClassVar[int]
    GIOU: ClassVar[int]
    MSE: ClassVar[int]
    DIOU: ClassVar[int]
    CIOU: ClassVar[int]
    num_classes: int
    num_box: int
    confidence_threshold: float
    nms_threshold: float
    anchor_num: int
    im_w: int
    im_h: int
    engine: int
    side: int
    num_class: int
    num: int
    object_scale: float
    class_scale: float
    noobject_scale: float
    coord_scale: float
    thresh: float
    anchors_scale: int
    @property
    def biases(self) -> Scalars[float]: ...
    @property
    def mask(self) -> Scalars[int]: ...
    use_logic_gradient: bool
    use_focal_loss: bool
    iou_loss: int
    iou_normalizer: float
    iou_thresh: float
    max_delta: float
    accumulate: bool
    label_smooth_eps: float

class UnpoolingParameter(CaffeMessage):
    UnpoolMethod: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    AVE: ClassVar[int]
    TILE: ClassVar[int]
    FIXED: ClassVar[int]
    DIV: ClassVar[int]
    REP: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    out_pad: int
    out_pad_h: int
    out_pad_w: int
    out_kernel_size: int
    out_kernel_h: int
    out_kernel_w: int
    out_stride: int
    out_stride_h: int
    out_stride_w: int
    unpool: int
    pad: int
    pad_h: int
    pad_w: int
    kernel_size: int
    kernel_h: int
    kernel_w: int
    stride: int
    stride_h: int
    stride_w: int
    unpool_size: int
    unpool_h: int
    unpool_w: int
    engine: int

class BlobDataType(CaffeMessage):
    type: int
    @property
    def position(self) -> Scalars[int]: ...
    @property
    def scale(self) -> Scalars[float]: ...

class ImageDetectParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    engine: int
    num_class: int
    im_h: int
    im_w: int
    scale: float
    nms_thresh: float
    score_thresh: float

class YuvToRgbParameter(CaffeMessage):
    InputFormat: ClassVar[EnumTypeWrapper]
    YUV420SP_NV12: ClassVar[int]
    YUV420SP_NV21: ClassVar[int]
    OutputFormat: ClassVar[EnumTypeWrapper]
    RGB0: ClassVar[int]
    BGR0: ClassVar[int]
    ARGB: ClassVar[int]
    input_format: int
    output_format: int

class YuvToNormalizedGrayParameter(CaffeMessage):
    InputFormat: ClassVar[EnumTypeWrapper]
    YUV420SP_NV12: ClassVar[int]
    YUV420SP_NV21: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    MLU: ClassVar[int]
    input_format: int
    engine: int

class ResizeConvertParameter(CaffeMessage):
    InputFormat: ClassVar[EnumTypeWrapper]
    YUV420SP_NV21: ClassVar[int]
    OutputFormat: ClassVar[EnumTypeWrapper]
    RGB0: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    input_type: int
    output_type: int
    resize_h: int
    resize_w: int
    crop_x: int
    crop_y: int
    crop_h: int
    crop_w: int
    engine: int

class DetectionOutParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    side: int
    num_classes: int
    num_box: int
    coords: int
    confidence_threshold: float
    nms_threshold: float
    @property
    def biases(self) -> Scalars[float]: ...
    label_map_file: str
    engine: int

class Yolov3DetectionParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    num_classes: int
    num_box: int
    confidence_threshold: float
    nms_threshold: float
    anchor_num: int
    @property
    def biases(self) -> Scalars[float]: ...
    im_w: int
    im_h: int
    engine: int

class ROIAlignParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    pooled_h: int
    pooled_w: int
    spatial_scale: float
    sampling_ratio: int
    engine: int

class ResizecropParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    resize_h: int
    resize_w: int
    crop_x: int
    crop_y: int
    crop_h: int
    crop_w: int
    engine: int

class AddPadParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    @property
    def pad(self) -> Scalars[int]: ...
    pad_h: int
    pad_w: int
    engine: int

class CReLUParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MLU: ClassVar[int]
    negative_slope: float
    concat_axis: int
    engine: int

class SegmentInfoUnit(CaffeMessage):
    TYPE: ClassVar[EnumTypeWrapper]
    CPU: ClassVar[int]
    MLU: ClassVar[int]
    name: str
    type: int
    @property
    def bottom(self) -> Scalars[str]: ...
    @property
    def top(self) -> Scalars[str]: ...
    start: int
    end: int

class OfflineContent(CaffeMessage):
    count: int
    data: bytes

class SegmentInfo(CaffeMessage):
    name: str
    flag: int
    @property
    def unit(self) -> Messages[SegmentInfoUnit]: ...
    @property
    def net_proto(self) -> NetParameter: ...
    @property
    def net_weights(self) -> NetParameter: ...

class DetectionPoseOutputParameter(CaffeMessage):
    num_classes: int
    num_poses: int
    share_location: bool
    share_pose: bool
    background_label_id: int
    @property
    def nms_param(self) -> NonMaximumSuppressionParameter: ...
    @property
    def save_output_param(self) -> SaveOutputParameter: ...
    code_type: int
    variance_encoded_in_target: bool
    keep_top_k: int
    confidence_threshold: float
    visualize: bool
    visualize_threshold: float

class RandVecParameter(CaffeMessage):
    batch_size: int
    dim: int
    height: int
    width: int
    lower: float
    upper: float

class CapParameter(CaffeMessage):
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    routing_num: int
    input_capsule_dim: int
    input_capsule_num: int
    output_capsule_dim: int
    output_capsule_num: int

class CapsuleTransformParameter(CaffeMessage):
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    input_capsule_dim: int
    output_capsule_dim: int
    output_capsule_num: int

class CapsuleConvTransformParameter(CaffeMessage):
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    stride: int
    kh: int
    kw: int
    input_capsule_num: int
    @property
    def input_capsule_shape(self) -> BlobShape: ...
    output_capsule_num: int
    @property
    def output_capsule_shape(self) -> BlobShape: ...
    input_h: int
    input_w: int

class CapsuleDeconvTransformParameter(CaffeMessage):
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    stride: int
    kh: int
    kw: int
    input_capsule_num: int
    @property
    def input_capsule_shape(self) -> BlobShape: ...
    output_capsule_num: int
    @property
    def output_capsule_shape(self) -> BlobShape: ...
    input_h: int
    input_w: int

class CapsuleConvRoutingParameter(CaffeMessage):
    @property
    def weight_filler(self) -> FillerParameter: ...
    stride: int
    kh: int
    kw: int
    input_capsule_num: int
    output_capsule_num: int
    @property
    def output_capsule_shape(self) -> BlobShape: ...
    input_h: int
    input_w: int

class CapsuleConvParameter(CaffeMessage):
    @property
    def weight_filler(self) -> FillerParameter: ...
    stride: int
    kh: int
    kw: int
    input_capsule_num: int
    output_capsule_num: int
    @property
    def output_capsule_shape(self) -> BlobShape: ...
    input_h: int
    input_w: int
    @property
    def input_capsule_shape(self) -> BlobShape: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    bias_term: bool
    group: int

class CapsuleDeconvParameter(CaffeMessage):
    @property
    def weight_filler(self) -> FillerParameter: ...
    stride: int
    kh: int
    kw: int
    input_capsule_num: int
    output_capsule_num: int
    @property
    def output_capsule_shape(self) -> BlobShape: ...
    input_h: int
    input_w: int
    @property
    def input_capsule_shape(self) -> BlobShape: ...

class CapsuleDeconvRoutingParameter(CaffeMessage):
    @property
    def weight_filler(self) -> FillerParameter: ...
    stride: int
    kh: int
    kw: int
    input_capsule_num: int
    output_capsule_num: int
    @property
    def output_capsule_shape(self) -> BlobShape: ...
    input_h: int
    input_w: int
    @property
    def input_capsule_shape(self) -> BlobShape: ...

class CapsuleRoutingParameter(CaffeMessage):
    @property
    def weight_filler(self) -> FillerParameter: ...
    input_capsule_num: int
    output_capsule_dim: int
    output_capsule_num: int

class DynamicRoutingParameter(CaffeMessage):
    routing_num: int
    input_capsule_num: int
    output_capsule_dim: int
    output_capsule_num: int

class CapsuleMaskParameter(CaffeMessage):
    class_num: int

class CapsuleReshapeParameter(CaffeMessage):
    capsule_dim: int

class CapsuleLenParameter(CaffeMessage):
    num_class: int

class CapsuleReluParameter(CaffeMessage):
    dim: int
    thre: float

class CapsuleProductParameter(CaffeMessage):
    dim: int
    num: int
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...

class MarginParameter(CaffeMessage):
    num_class: int
    m_upper_bound: float
    m_lower_bound: float
    axis: int

class SquashParameter(CaffeMessage):
    capsule_dim: int
    a: float

class AxpyParameter(CaffeMessage): ...

class L2NormalizationParameter(CaffeMessage):
    axis: int

class GroupNormParameter(CaffeMessage):
    eps: float
    group_num: int

class ResizeNearestParameter(CaffeMessage):
    height_scale: float
    width_scale: float

class Resize1_Parameter(CaffeMessage):
    out_height_scale: float
    out_width_scale: float
    resize_type: int
    is_pyramid_test: bool

class DepthwiseConvolutionParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    num_output: int
    bias_term: bool
    @property
    def pad(self) -> Scalars[int]: ...
    @property
    def kernel_size(self) -> Scalars[int]: ...
    @property
    def stride(self) -> Scalars[int]: ...
    @property
    def dilation(self) -> Scalars[int]: ...
    pad_h: int
    pad_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    group: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    engine: int
    axis: int
    force_nd_im2col: bool

class RPNParameter(CaffeMessage):
    feat_stride: int
    basesize: int
    @property
    def scale(self) -> Scalars[int]: ...
    @property
    def ratio(self) -> Scalars[float]: ...
    boxminsize: int
    per_nms_topn: int
    post_nms_topn: int
    nms_thresh: float

class RelU6Parameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    engine: int

class MultiStageMeanfieldParameter(CaffeMessage):
    Mode: ClassVar[EnumTypeWrapper]
    POTTS: ClassVar[int]
    compatibility_mode: int
    threshold: float
    theta_alpha: float
    theta_beta: float
    theta_gamma: float
    num_iterations: int
    spatial_filter_weights_str: str
    bilateral_filter_weights_str: str
    force_cpu: bool
    spatial_filter_weight: float
    bilateral_filter_weight: float
    forced_spatial_filter_weight: float
    forced_bilateral_filter_weight: float

class AdaptiveBiasChannelParameter(CaffeMessage):
    num_iter: int
    bg_portion: float
    fg_portion: float
    suppress_others: bool
    margin_others: float

class BiasChannelParameter(CaffeMessage):
    LabelType: ClassVar[EnumTypeWrapper]
    IMAGE: ClassVar[int]
    PIXEL: ClassVar[int]
    bg_bias: float
    fg_bias: float
    @property
    def ignore_label(self) -> Scalars[int]: ...
    label_type: int
    background_label: int

class DenseCRFParameter(CaffeMessage):
    max_iter: int
    @property
    def pos_xy_std(self) -> Scalars[float]: ...
    @property
    def pos_w(self) -> Scalars[float]: ...
    @property
    def bi_xy_std(self) -> Scalars[float]: ...
    @property
    def bi_rgb_std(self) -> Scalars[float]: ...
    @property
    def bi_w(self) -> Scalars[float]: ...
    output_probability: bool

class DomainTransformParameter(CaffeMessage):
    num_iter: int
    spatial_sigma: float
    range_sigma: float
    min_weight: float

class MatReadParameter(CaffeMessage):
    prefix: str
    source: str
    strip: int
    batch_size: int

class MatWriteParameter(CaffeMessage):
    prefix: str
    source: str
    strip: int
    period: int

class SegAccuracyParameter(CaffeMessage):
    AccuracyMetric: ClassVar[EnumTypeWrapper]
    PixelAccuracy: ClassVar[int]
    ClassAccuracy: ClassVar[int]
    PixelIOU: ClassVar[int]
    metric: int
    @property
    def ignore_label(self) -> Scalars[int]: ...
    reset: bool

class UniqueLabelParameter(CaffeMessage):
    max_labels: int
    @property
    def ignore_label(self) -> Scalars[float]: ...
    @property
    def force_label(self) -> Scalars[float]: ...

class EuclideanLossParameter(CaffeMessage):
    Type: ClassVar[EnumTypeWrapper]
    L2: ClassVar[int]
    L2sqrt: ClassVar[int]
    type: int
    coeff: float

class OneHotParameter(CaffeMessage):
    num_labels: int
    depth: int
    on_value: float
    off_value: float
    axis: int

class SoftmaxLossParameter(CaffeMessage):
    weight_source: str
    @property
    def ignore_label(self) -> Scalars[int]: ...

class CensorLabelParameter(CaffeMessage):
    ignore_label: int

class ChannelAggregatorParameter(CaffeMessage):
    label_map_file: str

class DominantChannelParameter(CaffeMessage):
    top_k: int

class GainChannelParameter(CaffeMessage):
    num_output_nz: int
    drift: float
    stdev: float
    @property
    def gain_filler(self) -> FillerParameter: ...
    norm_mean: bool
    thresh: float

class HistogramParameter(CaffeMessage):
    num_labels: int
    @property
    def ignore_label(self) -> Scalars[int]: ...

class IgnoreOverlayParameter(CaffeMessage):
    ignore_label: int

class PaddingParameter(CaffeMessage):
    pad_beg: int
    pad_end: int

class ImageGtDataParameter(CaffeMessage):
    source: str
    scale: float
    mean_file: str
    batch_size: int
    mirror: bool
    @property
    def downsample_rate(self) -> Scalars[int]: ...
    coord_num: int
    @property
    def field_h(self) -> Scalars[int]: ...
    @property
    def field_w(self) -> Scalars[int]: ...
    fg_threshold: float
    resize_width: int
    resize_height: int
    crop_width: int
    crop_height: int
    do_multiple_scale: bool
    min_scale: int
    max_scale: int
    min_whaspect: float
    max_whaspect: float
    min_gt_width: float
    min_gt_height: float
    shuffle: bool
    output_gt_boxes: bool
    fg_img_multiple: int
    cache_images: bool
    root_folder: str

class DetectionLossParameter(CaffeMessage):
    cls_num: int
    coord_num: int
    field_h: int
    field_w: int
    downsample_rate: int
    bb_smooth: bool
    field_whr: float
    field_xyr: float
    bg_threshold: float
    bg_multiple: int
    sample_mode: str
    objectness: bool
    iou_weighted: bool
    pos_neg_weighted: bool
    side: int
    num_class: int
    num_object: int
    object_scale: float
    noobject_scale: float
    class_scale: float
    coord_scale: float
    sqrt: bool
    constriant: bool

class DetectionAccuracyParameter(CaffeMessage):
    cls_num: int
    coord_num: int
    field_h: int
    field_w: int
    downsample_rate: int
    top_k: int
    field_whr: float
    field_xyr: float
    bg_threshold: float
    objectness: bool

class BoxOutputParameter(CaffeMessage):
    fg_thr: float
    iou_thr: float
    nms_type: str
    @property
    def field_h(self) -> Scalars[int]: ...
    @property
    def field_w(self) -> Scalars[int]: ...
    @property
    def downsample_rate(self) -> Scalars[int]: ...
    field_whr: float
    field_xyr: float
    max_nms_num: int
    max_post_nms_num: int
    min_size: float

class ProposalTargetParameter(CaffeMessage):
    cls_num: int
    batch_size: int
    fg_fraction: float
    num_img_per_batch: int
    fg_thr: float
    bg_thr_hg: float
    bg_thr_lw: float
    img_width: int
    img_height: int
    iou_weighted: bool
    bbox_thr_lw: float
    bbox_thr_hg: float
    pickup_discard: bool
    append_gtbox: bool

class BBoxRegParameter(CaffeMessage):
    @property
    def bbox_mean(self) -> Scalars[float]: ...
    @property
    def bbox_std(self) -> Scalars[float]: ...
    cls_aware: bool

class DecodeBBoxParameter(CaffeMessage):
    gt_iou_thr: float

class DetectionDataParameter(CaffeMessage):
    source: str
    scale: float
    batch_size: int
    coord_num: int
    @property
    def stride(self) -> Scalars[int]: ...
    @property
    def field_h(self) -> Scalars[int]: ...
    @property
    def field_w(self) -> Scalars[int]: ...
    fg_threshold: float
    ignore_fg_threshold: float
    resize_width: int
    resize_height: int
    resize_ratio: float
    crop_width: int
    crop_height: int
    min_scale: float
    max_scale: float
    low_scale_ratio: float
    high_scale_ratio: float
    multiscale_prob: float
    min_whaspect: float
    max_whaspect: float
    short_size: int
    long_size: int
    crop_short_size: int
    crop_long_size: int
    @property
    def template_ratio(self) -> Scalars[float]: ...
    min_gt_width: float
    min_gt_height: float
    anchor_ignore_margin_ratio: float
    anchor_ignore_iou_thr: float
    pickup_iou_thr: float
    shuffle: str
    mix_group_size: int
    output_gt_boxes: bool
    cache_images: bool
    root_folder: str
    @property
    def distort_param(self) -> DistortionParameter: ...
    @property
    def resize_param(self) -> ResizeParameter: ...

class EvalDataParameter(CaffeMessage):
    source: str
    scale: float
    batch_size: int
    resize_width: int
    resize_height: int
    short_size: int
    long_size: int
    root_folder: str

class DetectionGroupLossParameter(CaffeMessage):
    cls_num: int
    @property
    def field_h(self) -> Scalars[int]: ...
    @property
    def field_w(self) -> Scalars[int]: ...
    stride: int
    field_whr: float
    field_xyr: float
    bg_threshold: float
    bg_multiple: int
    neg_mining_type: str
    neg_ranking_type: str
    min_num_neg: int
    objectness: bool
    batch_size: int
    pos_neg_weighted: bool
    bbox_loss_type: str

class DetectionGroupAccuracyParameter(CaffeMessage):
    cls_num: int
    @property
    def field_h(self) -> Scalars[int]: ...
    @property
    def field_w(self) -> Scalars[int]: ...
    stride: int
    field_whr: float
    field_xyr: float
    bg_threshold: float
    objectness: bool

class BoxGroupParameter(CaffeMessage):
    @property
    def field_h(self) -> Scalars[int]: ...
    @property
    def field_w(self) -> Scalars[int]: ...
    stride: int

class BoxGroupOutputParameter(CaffeMessage):
    fg_thr: float
    iou_thr: float
    nms_type: str
    @property
    def box_group_param(self) -> Messages[BoxGroupParameter]: ...
    field_whr: float
    field_xyr: float
    max_nms_num: int
    max_post_nms_num: int
    min_size: float

class FrcnnOutputParameter(CaffeMessage):
    conf_thr: float
    iou_thr: float
    nms_type: str
    max_det_num: int
    @property
    def save_output_param(self) -> SaveOutputParameter: ...

class HardMiningParameter(CaffeMessage):
    num_roi_per_image: int
    num_image: int

class ScaleRouteParameter(CaffeMessage):
    low_scale: float
    high_scale: float

class FixedPoint(CaffeMessage):
    x: float
    y: float

class VanishingPoint(CaffeMessage):
    valid: bool
    x: float
    y: float

class CarBoundingBox(CaffeMessage):
    type: int
    xmin: float
    ymin: float
    xmax: float
    ymax: float
    @property
    def poly_mask(self) -> Messages[FixedPoint]: ...
    @property
    def ellipse_mask(self) -> Messages[FixedPoint]: ...
    depth: float
    velocity_x: float
    velocity_y: float
    velocity_z: float
    rel_speed: float
    img_width: int
    img_height: int

class DrivingData(CaffeMessage):
    @property
    def car_image_datum(self) -> Datum: ...
    car_img_source: str
    @property
    def car_boxes(self) -> Messages[CarBoundingBox]: ...
    @property
    def car_mask_datum(self) -> Datum: ...
    car_mask_source: str
    @property
    def vanishing_point(self) -> Messages[VanishingPoint]: ...
    lane_video_source: str
    lane_framenum: int
    lane_perspective_id: int
    car_cropped_width: int
    car_cropped_height: int
    car_label_width: int
    car_label_height: int
    car_label_resolution: int
    car_shrink_factor: float
    car_whole_factor: float

class DriveDataParameter(CaffeMessage):
    shrink_prob_factor: float
    unrecognize_factor: float
    crop_num: int
    random_crop_ratio: float
    resize: float
    scale: float
    cropped_height: int
    cropped_width: int
    tiling_width: int
    tiling_height: int
    label_resolution: int
    catalog_resolution: int
    catalog_number: int
    resize_max: float
    resize_min: float
    reco_max: float
    reco_min: float
    train_max: float
    train_min: float
    genlist_file: str
    gen_rate: float
    blur_max: float
    noise_max: float
    gamma_max: float
    k_max: float
    y0_max: float
    shrink_max: float
    slip_max: float
    gen_scale: float
    use_mask: bool

class TilingParameter(CaffeMessage):
    tile_dim: int

class SlidingWindowParameter(CaffeMessage):
    window_h: int
    window_w: int
    stride_h: int
    stride_w: int

class DenseImageDataParameter(CaffeMessage):
    label_divide_factor: int
    rotate: bool
    one_hot_nclasses: int
    source: str
    batch_size: int
    rand_skip: int
    shuffle: bool
    new_height: int
    new_width: int
    is_color: bool
    mean_file: str
    root_folder: str
    mirror: bool
    crop_width: int
    crop_height: int

class DSALossParameter(CaffeMessage):
    faceid_num: int
    seqid_num: int
    @property
    def center_filler(self) -> FillerParameter: ...
    axis: int
    dropout_ratio: float
    gamma: float
    alpha: float
    beta: float
    use_normalize: bool
    scale: float
    center_iter: int
    diff_iter: int

class LiftedStructSimilaritySoftmaxLossParameter(CaffeMessage):
    margin: float

class SmoothMarginInnerProductParameter(CaffeMessage):
    SmoothMarginType: ClassVar[EnumTypeWrapper]
    SINGLE: ClassVar[int]
    DOUBLE: ClassVar[int]
    TRIPLE: ClassVar[int]
    QUADRUPLE: ClassVar[int]
    num_output: int
    type: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    axis: int
    base: float
    gamma: float
    power: float
    iteration: int
    lambda_min: float

class NormL2Parameter(CaffeMessage):
    spare: float

class RankHardLossParameter(CaffeMessage):
    neg_num: int
    pair_size: int
    hard_ratio: float
    rand_ratio: float
    margin: float

class DenseFaceImageDataParameter(CaffeMessage):
    source: str
    batch_size: int
    rand_skip: int
    shuffle: bool
    new_height: int
    new_width: int
    is_color: bool
    mean_file: str
    root_folder: str
    mirror: bool
    is_color_clean: bool

class BinaryLabelParameter(CaffeMessage):
    negative_target: float

class MultiViewParameter(CaffeMessage):
    num_output_shared: int
    num_output_unique: int
    bias_term_shared: bool
    @property
    def weight_filler_shared(self) -> FillerParameter: ...
    @property
    def bias_filler_shared(self) -> FillerParameter: ...
    @property
    def weight_filler_unique_1(self) -> FillerParameter: ...
    @property
    def weight_filler_unique_2(self) -> FillerParameter: ...

class RelevanceConstraintParameter(CaffeMessage):
    num_output: int
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...

class SliceLabelParameter(CaffeMessage):
    num: int

class PairDataParameter(CaffeMessage):
    DB: ClassVar[EnumTypeWrapper]
    LEVELDB: ClassVar[int]
    LMDB: ClassVar[int]
    source: str
    source_list: str
    pairs_list: str
    batch_size: int
    backend: int

class CenterDistanceParameter(CaffeMessage):
    num_output: int
    @property
    def center_filler(self) -> FillerParameter: ...
    axis: int

class CMDLossParameter(CaffeMessage):
    K: int
    eps: float
    decay: float

class OrthogonalConstraintParameter(CaffeMessage):
    num_output: int
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...

class TripletSelectionParamter(CaffeMessage):
    max_num: int
    thr: float

class GatherParameter(CaffeMessage):
    inverse: bool
    @property
    def indices(self) -> Scalars[int]: ...
    @property
    def shape(self) -> Scalars[int]: ...
    axis: int

class ParamParameter(CaffeMessage):
    Policy: ClassVar[EnumTypeWrapper]
    CONSTANT: ClassVar[int]
    STEPUP: ClassVar[int]
    ADDUP: ClassVar[int]
    policy: int
    value: float
    min: float
    max: float
    gamma: float
    step: int
    iter: int

class MarginSoftmaxLossParameter(CaffeMessage):
    num_output: int
    @property
    def weight_filler(self) -> FillerParameter: ...

class ClassDistanceParameter(CaffeMessage):
    Metric: ClassVar[EnumTypeWrapper]
    L2: ClassVar[int]
    IP: ClassVar[int]
    L1: ClassVar[int]
    num_output: int
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    @property
    def margin_mul(self) -> ParamParameter: ...
    metric: int
    center_coef: float
    block_mul_grad: bool
    dropout_ratio: float
    ignore_zero: bool
    update_sigma: bool
    isotropic: bool

class SmoothL1LossParameter(CaffeMessage):
    sigma: float
    abssum: bool

class AugmentationParameter(CaffeMessage):
    crop_width: int
    crop_height: int
    write_augmented: str
    max_multiplier: float
    augment_during_test: bool
    recompute_mean: int
    write_mean: str
    mean_per_pixel: bool
    @property
    def mean(self) -> Scalars[float]: ...
    mode: str
    bottomwidth: int
    bottomheight: int
    num: int
    @property
    def chromatic_eigvec(self) -> Scalars[float]: ...
    @property
    def mirror(self) -> RandomGeneratorParameter: ...
    @property
    def translate(self) -> RandomGeneratorParameter: ...
    @property
    def rotate(self) -> RandomGeneratorParameter: ...
    @property
    def zoom(self) -> RandomGeneratorParameter: ...
    @property
    def squeeze(self) -> RandomGeneratorParameter: ...
    @property
    def translate_x(self) -> RandomGeneratorParameter: ...
    @property
    def translate_y(self) -> RandomGeneratorParameter: ...
    @property
    def gamma(self) -> RandomGeneratorParameter: ...
    @property
    def brightness(self) -> RandomGeneratorParameter: ...
    @property
    def contrast(self) -> RandomGeneratorParameter: ...
    @property
    def color(self) -> RandomGeneratorParameter: ...
    @property
    def lmult_pow(self) -> RandomGeneratorParameter: ...
    @property
    def lmult_mult(self) -> RandomGeneratorParameter: ...
    @property
    def lmult_add(self) -> RandomGeneratorParameter: ...
    @property
    def sat_pow(self) -> RandomGeneratorParameter: ...
    @property
    def sat_mult(self) -> RandomGeneratorParameter: ...
    @property
    def sat_add(self) -> RandomGeneratorParameter: ...
    @property
    def col_pow(self) -> RandomGeneratorParameter: ...
    @property
    def col_mult(self) -> RandomGeneratorParameter: ...
    @property
    def col_add(self) -> RandomGeneratorParameter: ...
    @property
    def ladd_pow(self) -> RandomGeneratorParameter: ...
    @property
    def ladd_mult(self) -> RandomGeneratorParameter: ...
    @property
    def ladd_add(self) -> RandomGeneratorParameter: ...
    @property
    def col_rotate(self) -> RandomGeneratorParameter: ...
    @property
    def fog_amount(self) -> RandomGeneratorParameter: ...
    @property
    def fog_size(self) -> RandomGeneratorParameter: ...
    @property
    def motion_blur_angle(self) -> RandomGeneratorParameter: ...
    @property
    def motion_blur_size(self) -> RandomGeneratorParameter: ...
    @property
    def shadow_angle(self) -> RandomGeneratorParameter: ...
    @property
    def shadow_distance(self) -> RandomGeneratorParameter: ...
    @property
    def shadow_strength(self) -> RandomGeneratorParameter: ...
    @property
    def noise(self) -> RandomGeneratorParameter: ...
    crop_size: int
    num_transformations: int
    max_translation: float
    min_translation: float
    max_rotation: float
    min_rotation: float
    max_scaling: float
    min_scaling: float
    max_mcc: float
    min_mcc: float
    max_gamma: float
    min_gamma: float
    max_gaussian: float
    min_gaussian: float
    max_contrast: float
    min_contrast: float
    max_brightness: float
    min_brightness: float

class AccumParameter(CaffeMessage):
    top_height: int
    top_width: int
    size_divisible_by: int
    have_reference: bool

class AugmentationCoeff(CaffeMessage):
    mirror: float
    dx: float
    dy: float
    angle: float
    zoom_x: float
    zoom_y: float
    gamma: float
    brightness: float
    contrast: float
    color1: float
    color2: float
    color3: float
    pow_nomean0: float
    pow_nomean1: float
    pow_nomean2: float
    add_nomean0: float
    add_nomean1: float
    add_nomean2: float
    mult_nomean0: float
    mult_nomean1: float
    mult_nomean2: float
    pow_withmean0: float
    pow_withmean1: float
    pow_withmean2: float
    add_withmean0: float
    add_withmean1: float
    add_withmean2: float
    mult_withmean0: float
    mult_withmean1: float
    mult_withmean2: float
    lmult_pow: float
    lmult_add: float
    lmult_mult: float
    col_angle: float
    fog_amount: float
    fog_size: float
    motion_blur_angle: float
    motion_blur_size: float
    shadow_angle: float
    shadow_distance: float
    shadow_strength: float
    noise: float

class BlackAugmentationParameter(CaffeMessage):
    @property
    def black(self) -> RandomGeneratorParameter: ...
    @property
    def border(self) -> RandomGeneratorParameter: ...

class FlowWarpParameter(CaffeMessage):
    FillParameter: ClassVar[EnumTypeWrapper]
    ZERO: ClassVar[int]
    NOT_A_NUMBER: ClassVar[int]
    fill_value: int

class LpqLossParameter(CaffeMessage):
    l2_prescale_by_channels: bool
    normalize_by_num_entries: bool
    p_epsilon: float
    q_epsilon: float
    @property
    def pq_episode_starts_at_iter(self) -> Scalars[int]: ...
    @property
    def p(self) -> Scalars[float]: ...
    @property
    def q(self) -> Scalars[float]: ...

class RandomGeneratorParameter(CaffeMessage):
    rand_type: str
    exp: bool
    mean: float
    spread: float
    prob: float
    apply_schedule: bool
    discretize: bool
    multiplier: float

class CorrelationParameter(CaffeMessage):
    CorrelationType: ClassVar[EnumTypeWrapper]
    MULTIPLY: ClassVar[int]
    SUBTRACT: ClassVar[int]
    pad: int
    kernel_size: int
    max_displacement: int
    stride_1: int
    stride_2: int
    single_direction: int
    do_abs: bool
    correlation_type: int

class DownsampleParameter(CaffeMessage):
    top_height: int
    top_width: int

class ReaderParameter(CaffeMessage):
    file: str
    num: int

class WriterParameter(CaffeMessage):
    file: str
    folder: str
    prefix: str
    suffix: str
    normalize: bool
    scale: float

class ResampleParameter(CaffeMessage):
    ResampleType: ClassVar[EnumTypeWrapper]
    NEAREST: ClassVar[int]
    LINEAR: ClassVar[int]
    CUBIC: ClassVar[int]
    AREA: ClassVar[int]
    antialias: bool
    width: int
    height: int
    type: int
    factor: float

class MeanParameter(CaffeMessage):
    MeanOperation: ClassVar[EnumTypeWrapper]
    ADD: ClassVar[int]
    SUBTRACT: ClassVar[int]
    operation: int
    file: str
    @property
    def value(self) -> Scalars[float]: ...
    mean_scale: float
    input_scale: float
    output_scale: float

class CoeffScheduleParameter(CaffeMessage):
    half_life: float
    initial_coeff: float
    final_coeff: float
    gamma: float

class AffinityLossParameter(CaffeMessage):
    scale: float
    gap: float
    pseudohuber: bool
    delta: float
    maxgrad: float
    penalty: float
    ranklossmult: float
    ranklossneg: bool
    fractional_gap: bool
    diff_for_zero: float

class BinomialNoisyABNLossParameter(CaffeMessage):
    theta0: float
    theta1: float

class MolGridDataParameter(CaffeMessage):
    source: str
    batch_size: int
    dimension: float
    resolution: float
    rand_skip: int
    addH: bool
    shuffle: bool
    balanced: bool
    check: bool
    root_folder: str
    rotate: int
    random_rotation: bool
    random_translate: float
    binary_occupancy: bool
    recmap: str
    ligmap: str
    inmemory: bool
    radius_multiple: float
    fixed_radius: float
    has_affinity: bool
    has_rmsd: bool
    stratify_receptor: bool
    cache_structs: bool
    source2: str
    root_folder2: str
    source_ratio: float
    stratify_affinity_min: float
    stratify_affinity_max: float
    stratify_affinity_step: float
    spherical_mask: bool
    peturb_ligand: bool
    peturb_ligand_translate: float
    peturb_ligand_rotate: bool
    ignore_ligand: bool
    jitter: float

class NDimDataParameter(CaffeMessage):
    source: str
    batch_size: int
    @property
    def shape(self) -> BlobShape: ...
    rand_skip: int
    shuffle: bool
    balanced: bool
    check: bool
    root_folder: str
    rotate: int
    inmemory: bool

class RankLossParameter(CaffeMessage):
    allpairs: bool

class SoftmaxNoisyLabelLossParameter(CaffeMessage):
    update_noise_lr: float
    @property
    def matrix_c_filler(self) -> FillerParameter: ...

class FocalLossParameter(CaffeMessage):
    Type: ClassVar[EnumTypeWrapper]
    ORIGIN: ClassVar[int]
    LINEAR: ClassVar[int]
    ONEADDP: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    alpha: float
    gamma: float
    type: int
    beta: float
    engine: int
    axis: int

class InsanityParameter(CaffeMessage):
    lb: float
    ub: float

class TripletLossParameter(CaffeMessage):
    margin: float

class InnerDistanceParameter(CaffeMessage):
    num_output: int
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    axis: int
    transpose: bool
    distance_type: str
    normalize: bool
    update_center_only: bool

class SubRegionParameter(CaffeMessage):
    region_height: int
    region_width: int
    data_height: int
    data_width: int
    as_dim: int

class HotspotParameter(CaffeMessage):
    gaussian_std: float
    output_height: int
    output_width: int
    data_height: int
    data_width: int
    mean_removed: bool

class PredictBoxParameter(CaffeMessage):
    stride: int
    receptive_field: int
    nms: bool
    output_vector: bool
    positive_thresh: float
    bbreg_exp: bool

class FCNDataParameter(CaffeMessage):
    template_h: int
    template_w: int
    expand_left: float
    expand_right: float
    expand_top: float
    expand_bottom: float
    roi_multiply_h: float
    roi_multiply_w: float
    scale_step: float
    scale_step_num: int
    gaussian_size_h: int
    gaussian_size_w: int
    gaussian_std_h: float
    gaussian_std_w: float
    use_hog: bool
    hog_cell_size: int
    min_iou: float

class FlipParameter(CaffeMessage):
    flip_width: bool
    flip_height: bool

class GeneralContrastiveParameter(CaffeMessage):
    positive_margin: float
    negative_margin: float
    positive_weight: float
    negative_weight: float
    normalize_negative: float
    positive_outlier_thresh: float
    square: bool
    max_negative_only: bool
    max_positive_only: bool
    positive_first: bool
    positive_upper_bound: float
    exp_negative_weight: bool
    add_intra_mae: bool
    max_negative_margin: float

class BatchContrastiveParameter(CaffeMessage):
    positive_margin: float
    negative_margin: float
    positive_weight: float
    negative_weight: float
    max_only: bool

class SoftContrastiveParameter(CaffeMessage):
    positive_margin: float
    negative_margin: float
    positive_weight: float
    negative_weight: float
    exponent_scale: float
    square: bool

class GeneralTripletParameter(CaffeMessage):
    margin: float
    add_center_loss: bool
    hardest_only: bool
    positive_first: bool
    positive_upper_bound: float
    positive_weight: float
    negative_weight: float

class SoftTruncationParameter(CaffeMessage):
    c: float

class TruncationParameter(CaffeMessage):
    lower_bound: float
    upper_bound: float

class PairwiseParameter(CaffeMessage):
    PairwiseOp: ClassVar[EnumTypeWrapper]
    SUM: ClassVar[int]
    PROD: ClassVar[int]
    MAX: ClassVar[int]
    operation: int
    @property
    def coeff(self) -> Scalars[float]: ...

class SmoothL1Parameter(CaffeMessage):
    turn_point: float

class NCAParameter(CaffeMessage):
    min_negative_only: bool

class LabelSpecificRescaleParameter(CaffeMessage):
    positive_weight: float
    negative_weight: float
    positive_lower_bound: float
    negative_upper_bound: float
    rescale_test: bool
    for_ip: bool
    positive_weight_base: float
    gamma: float
    power: float
    positive_weight_min: float
    positive_weight_max: float
    iteration: int
    bias_fix: bool
    power_on_positive: bool
    do_backward: bool

class InfimumLossParamter(CaffeMessage):
    infimum: float

class OrdinalRegressionParameter(CaffeMessage):
    k: int
    weight_file: str

class FeatureDecayLossParameter(CaffeMessage):
    decay_threshold: float
    force_decay: bool
    incay_threshold: float

class ConfidencePenaltyLossParameter(CaffeMessage):
    beta: float

class LabelSpecificMarginParameter(CaffeMessage):
    MarginType: ClassVar[EnumTypeWrapper]
    HARD: ClassVar[int]
    SOFT: ClassVar[int]
    type: int
    margin_base: float
    margin_max: float
    power: float
    gamma: float
    iteration: int
    reset_margin: bool
    margin_on_test: bool
    auto_tune: bool
    pass_bp: bool

class ChannelScaleParameter(CaffeMessage):
    do_forward: bool
    do_backward_feature: bool
    do_backward_scale: bool
    global_scale: bool
    max_global_scale: float
    min_global_scale: float
    init_global_scale: float

class LabelSpecificAffineParameter(CaffeMessage):
    scale_base: float
    scale_gamma: float
    scale_power: float
    scale_max: float
    transform_test: bool
    iteration: int
    bias_base: float
    bias_gamma: float
    bias_power: float
    bias_max: float
    power_base: float
    power_gamma: float
    power_power: float
    power_min: float
    auto_tune: bool
    reset: bool
    scale_min: float
    bias_min: float
    power_max: float
    original_bp: bool
    scale_factor: float
    protect_low_bound: bool

class LabelSpecificHardMarginParameter(CaffeMessage):
    positive_weight: float

class LabelSpecificStatisticsParameter(CaffeMessage):
    scale_for_angle: bool
    scale_factor: float

class LabelSpecificAddParameter(CaffeMessage):
    bias: float
    transform_test: bool
    bias_base: float
    bias_gamma: float
    bias_power: float
    bias_min: float
    bias_max: float
    iteration: int

class ExpTripletParameter(CaffeMessage):
    scale: float
    margin: float

class QuantizationParameter(CaffeMessage):
    Precision: ClassVar[EnumTypeWrapper]
    DYNAMIC_FIXED_POINT: ClassVar[int]
    MINIFLOAT: ClassVar[int]
    INTEGER_POWER_OF_2_WEIGHTS: ClassVar[int]
    Rounding: ClassVar[EnumTypeWrapper]
    NEAREST: ClassVar[int]
    STOCHASTIC: ClassVar[int]
    @property
    def scale_in(self) -> Scalars[float]: ...
    @property
    def scale_out(self) -> Scalars[float]: ...
    @property
    def scale_params(self) -> Scalars[float]: ...
    is_negative_input: bool
    force_u8_input: bool
    precision: int
    rounding_scheme: int
    bw_layer_in: int
    bw_layer_out: int
    bw_params: int
    @property
    def fl_layer_in(self) -> Scalars[int]: ...
    @property
    def fl_layer_out(self) -> Scalars[int]: ...
    @property
    def fl_params(self) -> Scalars[int]: ...
    mant_bits: int
    exp_bits: int
    exp_min: int
    exp_max: int

class CompileNetState(CaffeMessage):
    is_init: bool
    bn_scale_remove: bool
    bn_scale_merge: bool
    @property
    def kept_bn_layers(self) -> Scalars[str]: ...
    @property
    def negative_conv_names(self) -> Scalars[str]: ...
    @property
    def negative_conv_indexes(self) -> Scalars[int]: ...

class MultinodeParameter(CaffeMessage):
    @property
    def model_parallel(self) -> Messages[MnModelParallelParameter]: ...
    @property
    def compress_layer_type_list(self) -> MnParamGradCompressLayerTypeList: ...

class MnModelParallelParameter(CaffeMessage):
    layer_from: str
    layer_to: str
    num_nodes: int
    model_parts: int

class MnParamGradCompressLayerTypeList(CaffeMessage):
    @property
    def layer_type(self) -> Scalars[str]: ...

class MultiPhaseSolverParameter(CaffeMessage):
    @property
    def params_pair(self) -> Messages[SolverBatchSizePair]: ...

class SolverBatchSizePair(CaffeMessage):
    @property
    def solver_params(self) -> SolverParameter: ...
    batch_size: int

class MultinodeLayerParameter(CaffeMessage):
    num_nodes: int
    model_parts: int

class MnActivationParameter(CaffeMessage):
    num_nodes_in: int
    num_nodes_out: int
    model_parts_in: int
    model_parts_out: int
    need_reduce: bool

class MnParamGradCompressParameter(CaffeMessage):
    @property
    def param_grad_compress_enable(self) -> Scalars[bool]: ...

class RandomResizeParameter(CaffeMessage):
    min_size: int
    max_size: int
    @property
    def resize_param(self) -> ResizeParameter: ...

class RandomAspectRatioParameter(CaffeMessage):
    min_area_ratio: float
    max_area_ratio: float
    aspect_ratio_change: float
    max_attempt: int
    @property
    def resize_param(self) -> ResizeParameter: ...

class SplitParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    MKL2017: ClassVar[int]
    MKLDNN: ClassVar[int]
    engine: int

class SpatialDropoutParameter(CaffeMessage):
    dropout_ratio: float

class DistortionParameter(CaffeMessage):
    prob: float
    brightness: bool
    contrast: bool
    hue: bool
    saturation: bool
    random_order: bool
    all_effects: bool
    brightness_prob: float
    brightness_delta: float
    contrast_prob: float
    contrast_lower: float
    contrast_upper: float
    hue_prob: float
    hue_delta: float
    saturation_prob: float
    saturation_lower: float
    saturation_upper: float
    random_order_prob: float
    exposure_lower: float
    exposure_upper: float

class DetectionEvaluateParameter(CaffeMessage):
    output_logits: bool
    num_classes: int
    background_label_id: int
    overlap_threshold: float
    evaluate_difficult_gt: bool
    name_size_file: str
    @property
    def resize_param(self) -> ResizeParameter: ...

class ContinuationIndicatorParameter(CaffeMessage):
    axis: int
    time_step: int
    batch_size: int

class SparseDatum(CaffeMessage):
    size: int
    nnz: int
    @property
    def indices(self) -> Scalars[int]: ...
    label: float
    @property
    def data(self) -> Scalars[float]: ...

class GeometryParameter(CaffeMessage):
    Pad_mode: ClassVar[EnumTypeWrapper]
    CONSTANT: ClassVar[int]
    MIRRORED: ClassVar[int]
    REPEAT_NEAREST: ClassVar[int]
    prob: float
    persp_horizontal: bool
    persp_vertical: bool
    zoom_out: bool
    zoom_in: bool
    zoom_factor: float
    persp_factor: float
    all_effects: bool
    pad_mode: int

class DiceCoefLossParameter(CaffeMessage):
    GeneralizationMode: ClassVar[EnumTypeWrapper]
    NONE: ClassVar[int]
    MULTICLASS: ClassVar[int]
    MULTICLASS_WEIGHTED: ClassVar[int]
    MULTICLASS_WEIGHTED_BATCH: ClassVar[int]
    MULTICLASS_WEIGHTED_ALL: ClassVar[int]
    WeightMode: ClassVar[EnumTypeWrapper]
    INVERSE_VOLUME: ClassVar[int]
    EQUALIZE_CLASSES: ClassVar[int]
    EXTRA_SMALL_VOLUMES: ClassVar[int]
    ContourShape: ClassVar[EnumTypeWrapper]
    NO: ClassVar[int]
    SIMPLE: ClassVar[int]
    SHARP: ClassVar[int]
    generalization: int
    weight_mode: int
    weights: str
    contour_shape: int
    contour_size: int
    contour_amplitude: float
    ignore_label: int

class SeLuParameter(CaffeMessage):
    alpha: float

class SeLuDropoutParameter(CaffeMessage):
    dropout_ratio: float
    alpha: float

class LSTMParameter(CaffeMessage):
    paramq: int
    scale_in: float
    scale_out: float
    a_min: int
    a_max: int
    num_output: int
    clipping_threshold: float
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    batch_size: int
    num_cells: int
    @property
    def input_weight_filler(self) -> FillerParameter: ...
    @property
    def input_gate_weight_filler(self) -> FillerParameter: ...
    @property
    def forget_gate_weight_filler(self) -> FillerParameter: ...
    @property
    def output_gate_weight_filler(self) -> FillerParameter: ...
    bias_term: bool
    @property
    def input_bias_filler(self) -> FillerParameter: ...
    @property
    def input_gate_bias_filler(self) -> FillerParameter: ...
    @property
    def forget_gate_bias_filler(self) -> FillerParameter: ...
    @property
    def output_gate_bias_filler(self) -> FillerParameter: ...

class MTCNNBBox(CaffeMessage):
    xmin: float
    ymin: float
    xmax: float
    ymax: float

class MTCNNDatum(CaffeMessage):
    @property
    def datum(self) -> Datum: ...
    @property
    def roi(self) -> MTCNNBBox: ...
    @property
    def pts(self) -> Scalars[float]: ...

class Im2seqParameter(CaffeMessage):
    Direction: ClassVar[EnumTypeWrapper]
    FORWARD: ClassVar[int]
    REVERSED: ClassVar[int]
    TOPDOWN: ClassVar[int]
    BOTTOMUP: ClassVar[int]
    direction: int
    size: int
    stride: int
    line2time_loss: bool

class Seq2outParameter(CaffeMessage): ...

class ImgSizeParameter(CaffeMessage):
    x_scaling: float
    y_scaling: float
    pretrained_file: str
    pretrained_layer_name: str
    pretrained_layer_bin: str

class AnnotatedDatum(CaffeMessage):
    AnnotationType: ClassVar[EnumTypeWrapper]
    BBOX: ClassVar[int]
    BBOXandSeg: ClassVar[int]
    LANE: ClassVar[int]
    record_id: int
    @property
    def datum(self) -> Datum: ...
    type: int
    @property
    def annotation_group(self) -> Messages[AnnotationGroup]: ...
    label_ori: bool
    @property
    def seg_datum(self) -> Datum: ...
    @property
    def lane_annotation_group(self) -> Messages[AnnotationGroup]: ...

class DetectNetGroundTruthParameter(CaffeMessage):
    class ClassMapping(CaffeMessage):
        src: int
        dst: int

    GridboxType: ClassVar[EnumTypeWrapper]
    GRIDBOX_MAX: ClassVar[int]
    GRIDBOX_MIN: ClassVar[int]
    CoverageType: ClassVar[EnumTypeWrapper]
    RECTANGULAR: ClassVar[int]
    stride: int
    scale_cvg: float
    gridbox_type: int
    max_cvg_len: int
    min_cvg_len: int
    coverage_type: int
    image_size_x: int
    image_size_y: int
    obj_norm: bool
    crop_bboxes: bool
    @property
    def object_class(self) -> Messages[DetectNetGroundTruthParameter.ClassMapping]: ...

class DetectNetAugmentationParameter(CaffeMessage):
    crop_prob: float
    shift_x: int
    shift_y: int
    scale_prob: float
    scale_min: float
    scale_max: float
    flip_prob: float
    rotation_prob: float
    max_rotate_degree: float
    hue_rotation_prob: float
    hue_rotation: float
    desaturation_prob: float
    desaturation_max: float
    @property
    def resize_param(self) -> ResizeParameter: ...
    @property
    def noise_param(self) -> NoiseParameter: ...
    @property
    def distort_param(self) -> DistortionParameter: ...
    @property
    def expand_param(self) -> ExpansionParameter: ...
    @property
    def emit_constraint(self) -> EmitConstraint: ...

class C2TensorProto(CaffeMessage):
    DataType: ClassVar[EnumTypeWrapper]
    UNDEFINED: ClassVar[int]
    FLOAT: ClassVar[int]
    INT32: ClassVar[int]
    BYTE: ClassVar[int]
    STRING: ClassVar[int]
    BOOL: ClassVar[int]
    UINT8: ClassVar[int]
    INT8: ClassVar[int]
    UINT16: ClassVar[int]
    INT16: ClassVar[int]
    INT64: ClassVar[int]
    FLOAT16: ClassVar[int]
    DOUBLE: ClassVar[int]
    @property
    def dims(self) -> Scalars[int]: ...
    data_type: int
    @property
    def float_data(self) -> Scalars[float]: ...
    @property
    def int32_data(self) -> Scalars[int]: ...
    byte_data: bytes
    @property
    def string_data(self) -> Scalars[bytes]: ...
    @property
    def double_data(self) -> Scalars[float]: ...
    @property
    def int64_data(self) -> Scalars[int]: ...
    name: str

class C2TensorProtos(CaffeMessage):
    @property
    def protos(self) -> Messages[C2TensorProto]: ...

class TRTParameter(CaffeMessage):
    TRTMode: ClassVar[EnumTypeWrapper]
    FP32: ClassVar[int]
    FP16: ClassVar[int]
    INT8: ClassVar[int]
    trt_mode: int
    top_k: int
    deploy: str
    model: str
    @property
    def deploy_outputs(self) -> Scalars[str]: ...
    calibrator: str

class QuantizerParameter(CaffeMessage):
    name: str
    zone: int
    input_data_type: int
    output_data_type: int
    observed_max: float
    observed_min: float
    max_in: float
    min_in: float
    max_out: float
    min_out: float
    mode: int
    pseudo_target_type: int
    pseudo_reset_observed: bool
    device: int

class MOEParameter(CaffeMessage):
    BottomMapping: ClassVar[EnumTypeWrapper]
    GATING: ClassVar[int]
    EXPERT: ClassVar[int]
    GATING_AND_EXPERT: ClassVar[int]
    @property
    def gating_net(self) -> NetParameter: ...
    @property
    def expert_net(self) -> Messages[NetParameter]: ...
    @property
    def expert_instances(self) -> Scalars[int]: ...
    select_experts: int
    full_forward: bool
    @property
    def map_bottom(self) -> Scalars[int]: ...

class AffinityParameter(CaffeMessage):
    @property
    def offset(self) -> Scalars[int]: ...

class MergeCropParameter(CaffeMessage):
    MergeOp: ClassVar[EnumTypeWrapper]
    STACK: ClassVar[int]
    ADD: ClassVar[int]
    operation: int
    @property
    def forward(self) -> Scalars[bool]: ...
    @property
    def backward(self) -> Scalars[bool]: ...

class TuningSet(CaffeMessage):
    @property
    def name(self) -> Scalars[str]: ...
    @property
    def value(self) -> Scalars[int]: ...

class CoordParameter(CaffeMessage):
    InterpolMode: ClassVar[EnumTypeWrapper]
    NEAREST: ClassVar[int]
    BILINEAR: ClassVar[int]
    OMMATIDIA: ClassVar[int]
    ScaleMode: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    MIN: ClassVar[int]
    srcgrid: int
    dstgrid: int
    num_output: int
    outheight: int
    outwidth: int
    @property
    def outdim(self) -> Scalars[int]: ...
    interpol: int
    scale: int

class SRPRNNParameter(CaffeMessage):
    grid: int
    backprop_steps: int
    @property
    def input_neuron(self) -> Scalars[str]: ...
    @property
    def output_neuron(self) -> Scalars[str]: ...
    @property
    def export_neuron(self) -> Scalars[str]: ...
    @property
    def hidden_neuron(self) -> Messages[SRPRNNNeuron]: ...

class SRPRNNNeuron(CaffeMessage):
    SRPRNNActivation: ClassVar[EnumTypeWrapper]
    ReLU: ClassVar[int]
    TanH: ClassVar[int]
    Sigmoid: ClassVar[int]
    SRPRNNOperation: ClassVar[EnumTypeWrapper]
    ADD: ClassVar[int]
    MUL: ClassVar[int]
    name: str
    @property
    def periodicity(self) -> Scalars[int]: ...
    bias: float
    activation: int
    operation: int
    @property
    def input(self) -> Messages[SRPRNNInput]: ...
    bias_restriction: int

class SRPRNNInput(CaffeMessage):
    name: str
    weight: float
    temp_offset: int
    @property
    def offset(self) -> Scalars[int]: ...
    weight_restriction: int

class NormalizeBBoxParameter(CaffeMessage):
    across_spatial: bool
    @property
    def scale_filler(self) -> FillerParameter: ...
    channel_shared: bool
    eps: float

class CPMTransformationParameter(CaffeMessage):
    scale: float
    mirror: bool
    crop_size: int
    mean_file: str
    @property
    def mean_value(self) -> Scalars[float]: ...
    stride: int
    scale_cvg: float
    max_cvg_len: int
    min_cvg_len: int
    opaque_coverage: bool
    coverage: str
    flip_prob: float
    max_rotate_degree: float
    visualize: bool
    crop_size_x: int
    crop_size_y: int
    scale_prob: float
    scale_min: float
    scale_max: float
    bbox_norm_factor: float
    img_header: str
    force_color: bool
    force_gray: bool
    target_dist: float
    center_perterb_max: float
    sigma: float
    sigma_center: float
    clahe_tile_size: float
    clahe_clip_limit: float
    do_clahe: bool
    num_parts: int
    num_total_augs: int
    aug_way: str
    gray: int
    np_in_lmdb: int
    transform_body_joint: bool

class OPTransformationParameter(CaffeMessage):
    stride: int
    flip_prob: float
    max_degree_rotations: str
    crop_size_x: int
    crop_size_y: int
    center_perterb_max: float
    center_swap_prob: float
    scale_prob: float
    scale_mins: str
    scale_maxs: str
    target_dist: float
    number_max_occlusions: str
    sigmas: str
    models: str
    sources: str
    probabilities: str
    source_background: str
    prob_only_background: float
    media_directory: str
    normalization: int
    add_distance: bool
    input_type: str
    frame_size: int
    taf_topology: int

class BinaryActivationParameter(CaffeMessage): ...

class NmsParameter(CaffeMessage):
    threshold: float
    num_peak: int
    max_peaks: int
    num_parts: int
    top_k: int
    axis: int
    iou_threshold: float

class ImResizeParameter(CaffeMessage):
    target_spatial_width: int
    target_spatial_height: int
    factor: float
    start_scale: float
    scale_gap: float

class CPMDataParameter(CaffeMessage):
    DB: ClassVar[EnumTypeWrapper]
    LEVELDB: ClassVar[int]
    LMDB: ClassVar[int]
    source: str
    lbl_source: str
    batch_size: int
    rand_skip: int
    backend: int
    scale: float
    mean_file: str
    crop_size: int
    mirror: bool
    force_encoded_color: bool
    prefetch: int

class EltwiseAffineParameter(CaffeMessage):
    @property
    def slope_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    channel_shared: bool

class SpatialTransformerParameter(CaffeMessage):
    transform_type: str
    sampler_type: str
    output_H: int
    output_W: int
    to_compute_dU: bool
    theta_1_1: float
    theta_1_2: float
    theta_1_3: float
    theta_2_1: float
    theta_2_2: float
    theta_2_3: float
    de_transform: bool
    debug_info: bool

class AccuracyHeatmapParameter(CaffeMessage):
    threshold: float

class PredictionHeatmapParameter(CaffeMessage):
    num_joints: int

class HeatmapDataParameter(CaffeMessage):
    segmentation: bool
    multfact: int
    num_channels: int
    batchsize: int
    root_img_dir: str
    data_augment: bool
    sample_per_cluster: bool
    labelinds: str
    source: str
    outsize: int
    label_width: int
    label_height: int
    angle_max: float
    bbox_or_centerscale: str
    scale_width: float
    scale_height: float
    shuffle: bool

class ReLU6Parameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    n: float
    engine: int
    negative_slope: float

class CtcLossParameter(CaffeMessage):
    output_delay: int
    blank_index: int
    preprocess_collapse_repeated: bool
    ctc_merge_repeated: bool
    loss_calculation_t: int
    alphabet_size: int
    time_step: int
    blank_label: int

class CosineSimilarityBatchParameter(CaffeMessage):
    pos_label: float
    neg_label: float

class RandomSamplingSoftmaxLossParameter(CaffeMessage):
    random_sampling_num: int
    random_sampling_policy: str

class ChannelPermutationAction(CaffeMessage):
    chan: int
    copy: int
    fill: float

class ChannelPermutationParameter(CaffeMessage):
    @property
    def action(self) -> Messages[ChannelPermutationAction]: ...
    num_output: int
    inplace_possible: bool
    version: int

class CTCDecoderParameter(CaffeMessage):
    blank_index: int
    ctc_merge_repeated: bool

class CTCLossParameter(CaffeMessage):
    output_delay: int
    blank_index: int
    preprocess_collapse_repeated: bool
    ctc_merge_repeated: bool
    loss_calculation_t: int

class GRNParameter(CaffeMessage):
    bias: float

class RegionYoloParameter(CaffeMessage):
    coords: int
    classes: int
    num: int
    do_softmax: bool
    @property
    def anchors(self) -> Scalars[float]: ...
    @property
    def mask(self) -> Scalars[int]: ...

class ReorgYoloParameter(CaffeMessage):
    stride: int

class ScalarParameter(CaffeMessage):
    axis: int

class AtariDataParameter(CaffeMessage):
    num_frame: int
    num_act: int
    channels: int
    streaming: bool
    out_clip: bool
    load_to_memory: bool
    out_act: bool

class Experience(CaffeMessage):
    @property
    def state(self) -> Datum: ...
    action: int
    reward: float
    @property
    def new_state(self) -> Datum: ...

class ExperienceMemory(CaffeMessage):
    @property
    def memory(self) -> Messages[Experience]: ...

class AtariParameter(CaffeMessage):
    rom: str
    gamma: float
    rescale_reward: bool
    replay_memory_size: int
    zero_nonaction_diffs: bool

class ExperienceDataParameter(CaffeMessage):
    source: str
    batch_size: int
    channels: int
    height: int
    width: int
    num_actions: int

class RecurrentConnectionParameter(CaffeMessage):
    src: str
    dest: str

class BeamSearchParameter(CaffeMessage):
    net: str
    @property
    def net_param(self) -> NetParameter: ...
    weights: str
    sequence_length: int
    beam_size: int
    end_of_sequence: int
    ignore_label: int
    @property
    def recurrent_connection(self) -> Messages[RecurrentConnectionParameter]: ...
    @property
    def beam_search_connection(self) -> RecurrentConnectionParameter: ...
    prevent_repeats: bool
    @property
    def allowed_multiple(self) -> Scalars[int]: ...

class HeatmapsFromVecParameter(CaffeMessage):
    heatmap_size: int

class LocalParameter(CaffeMessage):
    num_output: int
    bias_term: bool
    pad: int
    kernel_size: int
    stride: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...

class MILParameter(CaffeMessage):
    MILType: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    NOR: ClassVar[int]
    type: int

class MILDataParameter(CaffeMessage):
    source: str
    num_scales: int
    scale_factor: float
    channels: int
    images_per_batch: int
    n_classes: int
    label_file: str
    root_dir: str
    ext: str
    randomize: bool

class RuntimeParameter(CaffeMessage):
    @property
    def numpy_data_param(self) -> NumpyDataParameter: ...
    @property
    def cap_sequence_param(self) -> CapSequenceParameter: ...

class LstmUnitParameter(CaffeMessage):
    num_cells: int
    @property
    def input_weight_filler(self) -> FillerParameter: ...
    @property
    def input_gate_weight_filler(self) -> FillerParameter: ...
    @property
    def forget_gate_weight_filler(self) -> FillerParameter: ...
    @property
    def output_gate_weight_filler(self) -> FillerParameter: ...
    tie_output_forget: bool
    tanh_hidden: bool

class NumpyDataParameter(CaffeMessage):
    @property
    def shape(self) -> Scalars[int]: ...
    @property
    def data(self) -> Scalars[float]: ...

class CapSequenceParameter(CaffeMessage):
    @property
    def sequence_lengths(self) -> Scalars[int]: ...

class HungarianLossParameter(CaffeMessage):
    match_ratio: float
    height: float
    width: float
    permute_matches: bool

class ParamShapeParameter(CaffeMessage):
    @property
    def dimension(self) -> Scalars[int]: ...

class PyParameter(CaffeMessage):
    @property
    def param_shapes(self) -> Messages[ParamShapeParameter]: ...
    @property
    def param_fillers(self) -> Messages[FillerParameter]: ...

class WordvecParameter(CaffeMessage):
    dimension: int
    vocab_size: int
    @property
    def weight_filler(self) -> FillerParameter: ...

class DenseBlockParameter(CaffeMessage):
    numTransition: int
    initChannel: int
    growthRate: int
    pad_h: int
    pad_w: int
    conv_verticalStride: int
    conv_horizentalStride: int
    filter_H: int
    filter_W: int
    @property
    def Filter_Filler(self) -> FillerParameter: ...
    @property
    def BN_Scaler_Filler(self) -> FillerParameter: ...
    @property
    def BN_Bias_Filler(self) -> FillerParameter: ...
    gpuIdx: int
    use_dropout: bool
    dropout_amount: float
    use_BC: bool
    BC_ultra_space_efficient: bool
    workspace_MB: int
    moving_average_fraction: float

class OctreeParameter(CaffeMessage):
    curr_depth: int
    full_octree: bool
    batch_size: int
    is_adaptive: bool
    auto_pad: bool
    @property
    def mask(self) -> Scalars[int]: ...
    content_flag: str
    @property
    def dropout_depth(self) -> Scalars[int]: ...
    @property
    def dropout_ratio(self) -> Scalars[float]: ...
    tile_depth: int
    signal_channel: int
    adapt_depth: int

class JavaDataParameter(CaffeMessage):
    @property
    def shape(self) -> BlobShape: ...

class PowerFileParameter(CaffeMessage):
    shift_file: str

class NNPACKConvolutionParameter(CaffeMessage):
    Algorithm: ClassVar[EnumTypeWrapper]
    AUTO: ClassVar[int]
    WINOGRAD: ClassVar[int]
    FFT_16x16: ClassVar[int]
    FFT_8x8: ClassVar[int]
    algorithm: int

class CrossLossParameter(CaffeMessage):
    margin: float

class SpringLossParameter(CaffeMessage):
    margin: float

class JPEGDataParameter(CaffeMessage):
    source: str
    info: str
    batch_size: int
    is_color: bool
    compute_label: bool
    label_start: int
    label_stride: int

class ShufflingDataParameter(CaffeMessage):
    DB: ClassVar[EnumTypeWrapper]
    LEVELDB: ClassVar[int]
    LMDB: ClassVar[int]
    source: str
    batch_size: int
    buffer_factor: int
    shuffle: bool
    rand_skip: int
    backend: int
    scale: float
    mean_file: str
    crop_size: int
    mirror: bool

class ClusteringLossParameter(CaffeMessage):
    num_center: int
    margin: float
    beta: float
    @property
    def weight_filler(self) -> FillerParameter: ...

class KmeansLossParameter(CaffeMessage):
    num_center: int
    beta: float
    @property
    def weight_filler(self) -> FillerParameter: ...

class GMMLossParameter(CaffeMessage):
    num_center: int
    beta: float
    bandwidth: float
    @property
    def weight_filler(self) -> FillerParameter: ...

class TLossParameter(CaffeMessage):
    num_center: int
    beta: float
    bandwidth: float
    alpha: float
    @property
    def weight_filler(self) -> FillerParameter: ...

class MultiTLossParameter(CaffeMessage):
    num_center: int
    beta: float
    bandwidth: float
    alpha: float
    @property
    def weight_filler(self) -> FillerParameter: ...

class MultiSoftmaxLossParameter(CaffeMessage):
    class_per_group: int

class RankParameter(CaffeMessage):
    neg_num: int
    pair_size: int
    hard_ratio: float
    rand_ratio: float
    margin: float

class RepeatParameter(CaffeMessage):
    num_repeats: int
    axis: int

class SumPoolingParameter(CaffeMessage):
    PoolMethod: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    AVE: ClassVar[int]
    STOCHASTIC: ClassVar[int]
    SUM: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    pool: int
    pad: int
    pad_h: int
    pad_w: int
    kernel_size: int
    kernel_h: int
    kernel_w: int
    stride: int
    stride_h: int
    stride_w: int
    engine: int
    global_pooling: bool

class BoxAnnotatorOHEMParameter(CaffeMessage):
    roi_per_img: int
    ignore_label: int

class InnerProductBlobParameter(CaffeMessage):
    transpose: bool

class ConaddParameter(CaffeMessage): ...

class DeformableConvolutionParameter(CaffeMessage):
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    num_output: int
    bias_term: bool
    @property
    def pad(self) -> Scalars[int]: ...
    @property
    def kernel_size(self) -> Scalars[int]: ...
    @property
    def stride(self) -> Scalars[int]: ...
    @property
    def dilation(self) -> Scalars[int]: ...
    pad_h: int
    pad_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    group: int
    deformable_group: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    engine: int
    axis: int
    force_nd_im2col: bool

class ROIWarpingTestParameter(CaffeMessage):
    pooled_h: int
    pooled_w: int
    spatial_scale: float

class ROIWarpingParameter(CaffeMessage):
    pooled_h: int
    pooled_w: int
    spatial_scale: float

class ParseEvaluateParameter(CaffeMessage):
    num_labels: int
    @property
    def ignore_label(self) -> Scalars[int]: ...

class Im2distParameter(CaffeMessage):
    Norm: ClassVar[EnumTypeWrapper]
    L1: ClassVar[int]
    L2: ClassVar[int]
    norm: int
    remove_center: bool
    remove_bounds: bool

class Im2parityParameter(CaffeMessage):
    ignore_label: int

class DistLossParameter(CaffeMessage):
    ignore_label: int
    alpha: float
    beta: float

class NormConvParameter(CaffeMessage):
    Norm: ClassVar[EnumTypeWrapper]
    L1: ClassVar[int]
    L2: ClassVar[int]
    scale_term: bool
    norm: int
    @property
    def scale_filler(self) -> FillerParameter: ...
    remove_center: bool
    remove_bounds: bool

class NormConvMeanfieldParameter(CaffeMessage):
    Mode: ClassVar[EnumTypeWrapper]
    POTTS: ClassVar[int]
    Norm: ClassVar[EnumTypeWrapper]
    L1: ClassVar[int]
    L2: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    compatibility_mode: int
    threshold: float
    num_iterations: int
    spatial_filter_weight: float
    bilateral_filter_weight: float
    forced_spatial_filter_weight: float
    forced_bilateral_filter_weight: float
    iter_multiplier: float
    @property
    def norm(self) -> Scalars[int]: ...
    @property
    def scale_term(self) -> Scalars[bool]: ...
    @property
    def scale(self) -> Scalars[float]: ...
    @property
    def remove_center(self) -> Scalars[bool]: ...
    @property
    def remove_bounds(self) -> Scalars[bool]: ...
    @property
    def bias_term(self) -> Scalars[bool]: ...
    @property
    def pad(self) -> Scalars[int]: ...
    @property
    def kernel_size(self) -> Scalars[int]: ...
    @property
    def stride(self) -> Scalars[int]: ...
    @property
    def dilation(self) -> Scalars[int]: ...
    @property
    def group(self) -> Scalars[int]: ...
    @property
    def weight_filler(self) -> Messages[FillerParameter]: ...
    @property
    def bias_filler(self) -> Messages[FillerParameter]: ...
    engine: int

class ChannelReduceParameter(CaffeMessage):
    Op: ClassVar[EnumTypeWrapper]
    SUM: ClassVar[int]
    MAX: ClassVar[int]
    num_channels: int
    operation: int

class L1LossParameter(CaffeMessage):
    l2_per_location: bool
    l2_prescale_by_channels: bool
    normalize_by_num_entries: bool
    epsilon: float
    plateau: float

class Slice(CaffeMessage):
    @property
    def dim(self) -> Scalars[int]: ...
    @property
    def stride(self) -> Scalars[int]: ...
    @property
    def offset(self) -> Scalars[int]: ...

class ImageLabelDataParameter(CaffeMessage):
    Padding: ClassVar[EnumTypeWrapper]
    ZERO: ClassVar[int]
    REFLECT: ClassVar[int]
    image_list_path: str
    label_list_path: str
    batch_size: int
    rand_skip: int
    shuffle: bool
    rand_scale: bool
    min_scale: float
    max_scale: float
    data_dir: str
    @property
    def label_slice(self) -> Slice: ...
    image_dir: str
    label_dir: str
    padding: int

class BinLabelDataParameter(CaffeMessage):
    bin_list_path: str
    label_list_path: str
    bin_dir: str
    label_dir: str
    batch_size: int
    shuffle: bool
    mirror: bool
    @property
    def label_slice(self) -> Slice: ...
    @property
    def bin_slice(self) -> Slice: ...

class RescaleParameter(CaffeMessage):
    rf: int

class MCWindowDataParameter(CaffeMessage):
    source: str
    scale: float
    mean_file: str
    batch_size: int
    crop_size: int
    mirror: bool
    fg_threshold: float
    bg_threshold: float
    fg_fraction: float
    context_pad: int
    crop_mode: str
    shuffle: bool
    mask_crop_size: int

class NAMCWindowDataParameter(CaffeMessage):
    source: str
    scale: float
    mean_file: str
    batch_size: int
    crop_size: int
    mirror: bool
    fg_threshold: float
    bg_threshold: float
    fg_fraction: float
    context_pad: int
    crop_mode: str
    shuffle: bool

class SelectSegBinaryParameter(CaffeMessage):
    cls_label_base: int

class BinaryAccuracyParameter(CaffeMessage):
    AccuracyMode: ClassVar[EnumTypeWrapper]
    Accuracy: ClassVar[int]
    Precision: ClassVar[int]
    Recall: ClassVar[int]
    F_measure: ClassVar[int]
    accuracy_mode: int

class EltwiseAccuracyParameter(CaffeMessage):
    top_k: int
    ignore_label: int

class RedAccuracyParameter(CaffeMessage):
    top_k: int
    ignore_label: int
    class_num: int

class RedSoftmaxWithLossParameter(CaffeMessage):
    class_num: int

class WindowClsDataParameter(CaffeMessage):
    label_dim: int

class BlockGroupLassoSpec(CaffeMessage):
    xdimen: int
    ydimen: int
    block_decay_mult: float

class TransposeParameter(CaffeMessage):
    n: int
    c: int
    h: int
    w: int
    @property
    def dim(self) -> Scalars[int]: ...

class SparsifyParameter(CaffeMessage):
    thre: float
    coef: float

class SymmetricRectifyParameter(CaffeMessage):
    @property
    def filler(self) -> FillerParameter: ...
    channel_shared: bool
    thre_decay: float

class ForceRegular(CaffeMessage):
    xdim: int
    ydim: int
    multi: float

class FilterParamter(CaffeMessage):
    axis: int
    num_output: int

class LabelMapItem(CaffeMessage):
    name: str
    label: int
    display_name: str

class LabelMap(CaffeMessage):
    @property
    def item(self) -> Messages[LabelMapItem]: ...

class Sampler(CaffeMessage):
    min_scale: float
    max_scale: float
    min_aspect_ratio: float
    max_aspect_ratio: float

class SampleConstraint(CaffeMessage):
    min_jaccard_overlap: float
    max_jaccard_overlap: float
    min_sample_coverage: float
    max_sample_coverage: float
    min_object_coverage: float
    max_object_coverage: float

class BatchSampler(CaffeMessage):
    use_original_image: bool
    @property
    def sampler(self) -> Sampler: ...
    @property
    def sample_constraint(self) -> SampleConstraint: ...
    max_sample: int
    max_trials: int

class EmitConstraint(CaffeMessage):
    EmitType: ClassVar[EnumTypeWrapper]
    CENTER: ClassVar[int]
    MIN_OVERLAP: ClassVar[int]
    emit_type: int
    emit_overlap: float

class NormalizedBBox(CaffeMessage):
    xmin: float
    ymin: float
    xmax: float
    ymax: float
    label: int
    difficult: bool
    score: float
    size: float
    x_center: float
    y_center: float
    width: float
    height: float
    angle_cos: float
    angle_sin: float
    label_with_ori: bool

class Annotation(CaffeMessage):
    instance_id: int
    @property
    def bbox(self) -> NormalizedBBox: ...
    @property
    def oriented_bbox(self) -> NormalizedOrientedBBox: ...
    @property
    def lanes(self) -> LaneInfo: ...

class AnnotationGroup(CaffeMessage):
    group_label: int
    @property
    def annotation(self) -> Messages[Annotation]: ...

class ExpansionParameter(CaffeMessage):
    prob: float
    max_expand_ratio: float

class AnnotatedDataParameter(CaffeMessage):
    @property
    def batch_sampler(self) -> Messages[BatchSampler]: ...
    label_map_file: str
    anno_type: int
    oriented: bool
    has_seg_label: bool
    has_lane_label: bool
    tiling_width: int
    tiling_height: int
    label_resolution: int
    catalog_resolution: int
    shrink_prob_factor: float
    yolo_data_type: int
    yolo_data_jitter: float
    train_diffcult: bool
    single_class: bool
    seg_scales: int
    seg_resize_width: int
    seg_resize_height: int
    difficult_label_warmup: bool

class NormalizedOrientedBBox(CaffeMessage):
    xc: float
    yc: float
    width: float
    height: float
    radians: float

class AnnotatedMaskDatum(CaffeMessage):
    AnnotationType: ClassVar[EnumTypeWrapper]
    BBOX: ClassVar[int]
    @property
    def datum(self) -> Datum: ...
    @property
    def mask(self) -> Datum: ...
    type: int
    @property
    def annotation_group(self) -> Messages[AnnotationGroup]: ...

class MaskResizeParameter(CaffeMessage):
    output_height: int
    output_width: int
    factor_height: float
    factor_width: float

class GANLossParameter(CaffeMessage):
    dis_iter: int
    gen_iter: int
    dis_lossweight: float
    gen_lossweight: float
    simple_genloss: bool
    k_lr: float
    equilibrium: float
    nothing: bool

class XLUParameter(CaffeMessage):
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    negative_slope: float
    relu6: bool
    maximum: float
    minimum: float
    saturate: int
    engine: int

class LogSoftmaxParameter(CaffeMessage):
    axis: int

class SqueezeConvolutionParameter(CaffeMessage):
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    num_output: int
    bias_term: bool
    @property
    def pad(self) -> Scalars[int]: ...
    @property
    def kernel_size(self) -> Scalars[int]: ...
    @property
    def stride(self) -> Scalars[int]: ...
    @property
    def dilation(self) -> Scalars[int]: ...
    pad_h: int
    pad_w: int
    pad_type: int
    pad_l: int
    pad_r: int
    pad_t: int
    pad_b: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    input_scale: float
    output_scale: float
    weight_scale: float
    input_zero_point: int
    output_zero_point: int
    weight_zero_point: int
    per_channel_scale_weight: bool
    per_channel_scale_output: bool
    submanifold_sparse: bool
    saturate: int
    quantize_method: int
    group: int
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    engine: int
    axis: int
    force_nd_im2col: bool
    gamma: float
    power: float
    iter_stop: float
    c_rate: float
    @property
    def weight_mask_filler(self) -> FillerParameter: ...
    @property
    def bias_mask_filler(self) -> FillerParameter: ...
    dynamicsplicing: bool
    splicing_rate: float

class SqueezeInnerProductParameter(CaffeMessage):
    num_output: int
    bias_term: bool
    @property
    def weight_filler(self) -> FillerParameter: ...
    @property
    def bias_filler(self) -> FillerParameter: ...
    axis: int
    transpose: bool
    gamma: float
    power: float
    iter_stop: float
    c_rate: float
    @property
    def weight_mask_filler(self) -> FillerParameter: ...
    @property
    def bias_mask_filler(self) -> FillerParameter: ...
    dynamicsplicing: bool
    splicing_rate: float

class UpsampleDarknetParameter(CaffeMessage):
    stride: int

class YoloV2LossParameter(CaffeMessage):
    @property
    def anchors(self) -> Scalars[float]: ...
    side: int
    num_classes: int
    num_object: int
    box_scale: float
    class_scale: float
    noobject_scale: float
    object_scale: float
    rescore: bool
    constraint: bool
    thresh: float

class YoloV3LossParameter(CaffeMessage):
    @property
    def anchors(self) -> Scalars[int]: ...
    @property
    def mask(self) -> Scalars[int]: ...
    side: int
    num_classes: int
    num_object: int
    total_object: int
    ignore_thresh: float
    truth_thresh: float
    net_w: int
    net_h: int

class DepthToSpaceParameter(CaffeMessage):
    block_size: int
    data_format: str

class SpaceToDepthParameter(CaffeMessage):
    block_size: int
    data_format: str

class ResizeNearestNeighborParameter(CaffeMessage):
    align_corners: bool
    output_height: int
    output_width: int
    data_format: str
    scale_height: float
    scale_width: float
    half_pixel_centers: bool
    half_pixel_onnx: bool

class TopkGatherParameter(CaffeMessage):
    top_k: int
    axis: int

class NMSParameter(CaffeMessage):
    top_k: int
    axis: int
    iou_threshold: float

class NMSGatherParameter(CaffeMessage):
    top_k: int
    axis: int
    iou_threshold: float

class NonMaxSuppressionParameter(CaffeMessage):
    max_output_boxes_per_class: int
    iou_threshold: float
    score_threshold: float
    center_point_box: int

class GatherNDParameter(CaffeMessage):
    @property
    def indices(self) -> Scalars[int]: ...
    @property
    def indices_shape(self) -> Scalars[int]: ...

class Where4Parameter(CaffeMessage):
    num_output: int
    axis: int

class Where4GatherndParameter(CaffeMessage):
    num_output: int
    axis: int

class CropAndResizeParameter(CaffeMessage):
    crop_h: int
    crop_w: int
    extrapolation_value: float
    data_format: str

class Where4GatherndCropParameter(CaffeMessage):
    num_output: int
    axis: int
    crop_h: int
    crop_w: int
    extrapolation_value: float

class PyramidROIAlignParameter(CaffeMessage):
    crop_height: int
    crop_width: int
    extrapolation_value: float
    data_format: str

class PadParameter(CaffeMessage):
    @property
    def paddings(self) -> Scalars[int]: ...
    constant_values: float

class MirrorPadParameter(CaffeMessage):
    @property
    def paddings(self) -> Scalars[int]: ...
    constant_values: float
    mode: str

class StackParameter(CaffeMessage):
    axis: int

class ResizeBilinearParameter(CaffeMessage):
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    QuantizeMethod: ClassVar[EnumTypeWrapper]
    tflite: ClassVar[int]
    ONNX: ClassVar[int]
    Caffe2: ClassVar[int]
    align_corners: bool
    output_height: int
    output_width: int
    data_format: str
    scale_height: float
    scale_width: float
    half_pixel_centers: bool
    pytorch_half_pixel: bool
    output_depth: int
    scale_depth: float
    input_scale: float
    output_scale: float
    input_zero_point: int
    output_zero_point: int
    saturate: int
    quantize_method: int

class ReduceSumParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class ReduceMaxParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class ReduceMinParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class ReduceProdParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class ReduceMeanParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class SeLUParameter(CaffeMessage):
    alpha: float

class SeLUDropoutParameter(CaffeMessage):
    dropout_ratio: float
    alpha: float

class UnstackParameter(CaffeMessage):
    num: int
    axis: int

class SpaceToBatchNDParameter(CaffeMessage):
    @property
    def block_shape(self) -> Scalars[int]: ...
    @property
    def paddings(self) -> Scalars[int]: ...

class BatchToSpaceNDParameter(CaffeMessage):
    @property
    def block_shape(self) -> Scalars[int]: ...
    @property
    def crops(self) -> Scalars[int]: ...

class TileNDParameter(CaffeMessage):
    @property
    def multiples(self) -> Scalars[int]: ...

class ExpandDimsNDParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...

class SqueezeParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...

class BroadcastToParameter(CaffeMessage):
    @property
    def shape(self) -> Scalars[int]: ...

class StridedSliceParameter(CaffeMessage):
    @property
    def begin(self) -> Scalars[int]: ...
    @property
    def end(self) -> Scalars[int]: ...
    @property
    def strides(self) -> Scalars[int]: ...
    @property
    def axes(self) -> Scalars[int]: ...
    begin_mask: int
    end_mask: int
    ellipsis_mask: int
    new_axis_mask: int
    shrink_axis_mask: int

class PieceParameter(CaffeMessage):
    @property
    def begin(self) -> Scalars[int]: ...
    @property
    def size(self) -> Scalars[int]: ...

class RangeParameter(CaffeMessage):
    start: float
    limit: float
    delta: float

class SparseToDenseParameter(CaffeMessage):
    @property
    def sparse_indices(self) -> Scalars[int]: ...
    @property
    def sparse_indices_shape(self) -> Scalars[int]: ...
    @property
    def output_shape(self) -> Scalars[int]: ...
    @property
    def sparse_values(self) -> Scalars[float]: ...
    default_value: float
    validate_indices: bool

class EmbeddingLookupParameter(CaffeMessage):
    @property
    def ids(self) -> Scalars[int]: ...
    @property
    def ids_shape(self) -> Scalars[int]: ...
    partition_strategy: str
    max_norm: float

class EmbeddingLookupSparseParameter(CaffeMessage):
    @property
    def ids_indices(self) -> Scalars[int]: ...
    @property
    def ids_values(self) -> Scalars[int]: ...
    @property
    def ids_shape(self) -> Scalars[int]: ...
    @property
    def weight_values(self) -> Scalars[float]: ...
    partition_strategy: str
    combiner: str
    max_norm: float

class GemmParameter(CaffeMessage):
    alpha: float
    beta: float
    transA: int
    transB: int

class ReduceL1Parameter(CaffeMessage):
    @property
    def axes(self) -> Scalars[int]: ...
    keepdims: int

class ReduceL2Parameter(CaffeMessage):
    @property
    def axes(self) -> Scalars[int]: ...
    keepdims: int

class ReduceLogSumExpParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class ReduceAllParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class ReduceAnyParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class ReverseSequenceParameter(CaffeMessage):
    seq_axis: int
    batch_axis: int

class HardSigmoidParameter(CaffeMessage):
    alpha: float
    beta: float

class ThresholdedReLUParameter(CaffeMessage):
    alpha: float

class LpNormalizationParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    p: int

class MatMulParameter(CaffeMessage):
    transpose_a: bool
    transpose_b: bool
    @property
    def blob_shape(self) -> Scalars[int]: ...

class GatherV2Parameter(CaffeMessage):
    axis: int
    batch_flag: bool

class ScaledTanHParameter(CaffeMessage):
    alpha: float
    beta: float

class MaskRCNNDetectionParameter(CaffeMessage):
    @property
    def bbox_std_dev(self) -> Scalars[float]: ...
    batch_size: int
    detection_max_instances: int
    detection_min_confidence: float
    detection_nms_threshold: float

class MaskRCNNProposalParameter(CaffeMessage):
    @property
    def rpn_bbox_std_dev(self) -> Scalars[float]: ...
    batch_size: int
    images_per_gpu: int
    pre_nms_limit: int
    rpn_nms_threshold: float
    post_nms_rois_inference: int

class AttentionParameter(CaffeMessage):
    batch_size: int
    query_depth: int
    alignments_size: int
    scale: bool
    normalize: bool
    attention_option: str

class RNNv2Parameter(CaffeMessage):
    num_layers: int
    hidden_size: int
    op: str
    direction: str
    @property
    def activations(self) -> Scalars[str]: ...
    @property
    def activation_alpha(self) -> Scalars[float]: ...
    @property
    def activation_beta(self) -> Scalars[float]: ...
    merge_mode: str
    linear_before_reset: int
    default_initial: bool
    continue_recur: bool

class CountNonzeroParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...
    keepdims: bool

class NotEqualParameter(CaffeMessage):
    comparand: float

class PointNetParameter(CaffeMessage):
    n_sample_point: int
    radius: float

class ScatterNDParameter(CaffeMessage):
    is_data_param: bool
    is_indices_param: bool
    is_updates_param: bool
    @property
    def data_shape(self) -> Scalars[int]: ...
    @property
    def indices_shape(self) -> Scalars[int]: ...
    @property
    def updates_shape(self) -> Scalars[int]: ...

class LayerNormParameter(CaffeMessage):
    eps: float
    elementwise_affine: bool

class MulParameter(CaffeMessage):
    @property
    def mul_shape(self) -> Scalars[int]: ...

class SpatialBatchingPoolingParameter(CaffeMessage):
    PoolMethod: ClassVar[EnumTypeWrapper]
    MAX: ClassVar[int]
    AVE: ClassVar[int]
    STOCHASTIC: ClassVar[int]
    Engine: ClassVar[EnumTypeWrapper]
    DEFAULT: ClassVar[int]
    CAFFE: ClassVar[int]
    CUDNN: ClassVar[int]
    SaturateMethod: ClassVar[EnumTypeWrapper]
    Signed: ClassVar[int]
    Unsigned: ClassVar[int]
    Signed_8bit: ClassVar[int]
    Unsigned_8bit: ClassVar[int]
    pool: int
    kernel_size: int
    stride: int
    pad: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    pad_h: int
    pad_w: int
    engine: int
    global_pooling: bool
    ceil_mode: bool
    pad_l: int
    pad_r: int
    pad_t: int
    pad_b: int
    spatial_batching_h: int
    spatial_batching_w: int
    batch_h: int
    batch_w: int
    skip_h: int
    skip_w: int
    input_scale: float
    output_scale: float
    input_zero_point: int
    output_zero_point: int
    saturate: int

class Tensor2BoxParameter(CaffeMessage):
    num_classes: int
    img_dim_h: int
    img_dim_w: int
    @property
    def anchors_x(self) -> Scalars[int]: ...
    @property
    def anchors_y(self) -> Scalars[int]: ...

class Corr1dParameter(CaffeMessage):
    num_of_shifts: int
    stride: int

class RegionProposalParameter(CaffeMessage):
    prenms_top: int
    nms_max_out: int
    iou_threshold: float
    min_box_size: float
    feature_stride: int
    anchor_ratio_count: int
    anchor_scale_count: int
    @property
    def anchor_ratio(self) -> Scalars[float]: ...
    @property
    def anchor_scale(self) -> Scalars[float]: ...

class CTCParameter(CaffeMessage):
    Decoder: ClassVar[EnumTypeWrapper]
    best_path: ClassVar[int]
    best_path_thres: ClassVar[int]
    prefix_search: ClassVar[int]
    prefix_lm: ClassVar[int]
    threshold: float
    decode_type: int
    warpctc: bool
    thres_cum: float
    thres_below: float
    alpha: float
    beta: float
    beam_size: int
    lm: str

class ReverseParameter(CaffeMessage):
    @property
    def axis(self) -> Scalars[int]: ...

class LabelsequenceAccuracyParameter(CaffeMessage):
    blank_label: int

class STLossParameter(CaffeMessage):
    output_H: int
    output_W: int

class LocLossParameter(CaffeMessage):
    threshold: float

class ReverseAxisParameter(CaffeMessage):
    axis: int

class SumParameter(CaffeMessage):
    axis: int

class PointBilinearParameter(CaffeMessage):
    ratio: float

class UnitboxDataParameter(CaffeMessage):
    source: str
    batch_size: int
    rand_skip: int
    shuffle: bool
    is_color: bool
    min_scale: float
    max_scale: float
    min_size: float
    max_size: float
    scale_pow: float
    min_ratio: float
    max_ratio: float
    min_rotate: float
    max_rotate: float
    @property
    def mean_value(self) -> Scalars[float]: ...
    crop_size: int
    mirror: bool
    root_folder: str
    label_resize: int
    dict: str
    recog: bool

class IouLossParameter(CaffeMessage):
    only_forward: bool

class OHEMParameter(CaffeMessage):
    neg_num: int
    min_hard_random_ratio: float
    max_hard_random_ratio: float
    ignore_label: int
    neg_label: int
    pos_num: int
    pos_label: int
    min_pos_hard_random_ratio: float
    max_pos_hard_random_ratio: float
    max_iteration: int
    reg: bool

class ContinousParameter(CaffeMessage):
    @property
    def shift(self) -> Scalars[int]: ...
    @property
    def scale(self) -> Scalars[int]: ...

class AffineTransformerParameter(CaffeMessage):
    output_h: int
    output_w: int
    @property
    def theta(self) -> Scalars[float]: ...
    @property
    def cont(self) -> Messages[ContinousParameter]: ...

class DeformConvParameter(CaffeMessage):
    @property
    def kernel_size(self) -> Scalars[int]: ...
    kernel_h: int
    kernel_w: int
    scale: float

class AccuracyTextParameter(CaffeMessage):
    dictionary: str

class DatumSeq(CaffeMessage):
    channels: int
    height: int
    width: int
    data: bytes
    @property
    def label(self) -> Scalars[int]: ...
    @property
    def float_label(self) -> Scalars[float]: ...
    @property
    def float_data(self) -> Scalars[float]: ...
    @property
    def multi_task_label(self) -> Scalars[int]: ...
    encoded: bool

class ReverseTimeParameter(CaffeMessage):
    copy_remaining: bool

class SegDataParameter(CaffeMessage):
    source: str
    root_dir: str
    shuffle: bool
    balance: bool

class BatchReductionParameter(CaffeMessage):
    @property
    def level(self) -> Scalars[int]: ...
    @property
    def reduction_param(self) -> ReductionParameter: ...
    pos: bool

class MemoryOptimizationParameter(CaffeMessage):
    optimize_train: bool
    optimize_test: bool
    @property
    def exclude_blob(self) -> Scalars[str]: ...

class SequenceDataParameter(CaffeMessage):
    Modality: ClassVar[EnumTypeWrapper]
    RGB: ClassVar[int]
    FLOW: ClassVar[int]
    video_source: str
    shot_source: str
    batch_size: int
    rand_skip: int
    shuffle: bool
    new_height: int
    new_width: int
    num_frames: int
    num_segments: int
    num_shots: int
    scale: float
    mean_file: str
    crop_size: int
    mirror: bool
    modality: int
    name_pattern: str
    encoded: bool

class CarBoundingBox_Ming(CaffeMessage):
    xmin: float
    ymin: float
    xmax: float
    ymax: float
    type: int
    @property
    def poly_mask(self) -> Messages[FixedPoint]: ...
    @property
    def ellipse_mask(self) -> Messages[FixedPoint]: ...

class TextBox(CaffeMessage):
    type: int
    x_1: int
    y_1: int
    x_2: int
    y_2: int
    x_3: int
    y_3: int
    x_4: int
    y_4: int
    img_width: int
    img_height: int

class DirectRegressionData(CaffeMessage):
    @property
    def text_image_datum(self) -> Datum: ...
    text_img_source: str
    @property
    def text_boxes(self) -> Messages[TextBox]: ...
    text_cropped_width: int
    text_cropped_height: int
    text_label_width: int
    text_label_height: int
    text_label_resolution: int
    text_shrink_factor: float
    text_whole_factor: float

class DriveData(CaffeMessage):
    @property
    def car_image_datum(self) -> Datum: ...
    car_img_source: str
    @property
    def car_mask_datum(self) -> Datum: ...
    car_mask_source: str
    @property
    def car_boxes(self) -> Messages[CarBoundingBox_Ming]: ...
    @property
    def vanishing_point(self) -> Messages[VanishingPoint]: ...

class YoloEvalDetectionParameter(CaffeMessage):
    ScoreType: ClassVar[EnumTypeWrapper]
    OBJ: ClassVar[int]
    PROB: ClassVar[int]
    MULTIPLY: ClassVar[int]
    side: int
    num_class: int
    num_object: int
    threshold: float
    sqrt: bool
    constriant: bool
    score_type: int
    nms: float
    @property
    def biases(self) -> Scalars[float]: ...

class PETransformationParameter(CaffeMessage):
    scale: float
    mirror: bool
    crop_size: int
    mean_file: str
    @property
    def mean_value(self) -> Scalars[float]: ...
    stride: int
    scale_cvg: float
    max_cvg_len: int
    min_cvg_len: int
    opaque_coverage: bool
    coverage: str
    flip_prob: float
    max_rotate_degree: float
    visualize: bool
    crop_size_x: int
    crop_size_y: int
    scale_prob: float
    scale_min: float
    scale_max: float
    bbox_norm_factor: float
    img_header: str
    force_color: bool
    force_gray: bool
    target_dist: float
    center_perterb_max: float
    sigma: float
    sigma_center: float
    clahe_tile_size: float
    clahe_clip_limit: float
    do_clahe: bool
    num_parts: int
    num_total_augs: int
    aug_way: str
    gray: int
    np_in_lmdb: int
    transform_body_joint: bool
    single: bool
    type: int

class DeephiResizeParameter(CaffeMessage):
    ResizeType: ClassVar[EnumTypeWrapper]
    BILINEAR: ClassVar[int]
    NEAREST: ClassVar[int]
    resize_type: int
    scale_h: float
    scale_w: float
    new_height: int
    new_width: int
    use_dpu: bool

class FixedParameter(CaffeMessage):
    FixedMethod: ClassVar[EnumTypeWrapper]
    OVER_FLOW: ClassVar[int]
    DIFF_S: ClassVar[int]
    DIFF_A: ClassVar[int]
    DIFF_S_SIGMOID: ClassVar[int]
    enable: bool
    fixed_method: int
    bit_width: int
    moving_average_fraction: float
    @property
    def fix_info(self) -> Scalars[int]: ...
    follow_data_layer: bool

class DenseboxMapEvaluationParameter(CaffeMessage):
    channel_axes: int
    nms_threshold: float
    conf_threshold: float
    iou_threshold: float

class AlignmentAccuracyParameter(CaffeMessage):
    @property
    def ref_start(self) -> Scalars[int]: ...
    @property
    def ref_end(self) -> Scalars[int]: ...
    accuracy_for_each_point: bool
    threshold: float

class GSTilingParameter(CaffeMessage):
    stride: int
    reverse: bool

class ReshapeLabelParameter(CaffeMessage):
    full_label_size: int

class EnhancedImageDataParameter(CaffeMessage):
    class DataProcessParameter(CaffeMessage):
        NormalizeType: ClassVar[EnumTypeWrapper]
        NO_NORMALIZE: ClassVar[int]
        CONSTANT: ClassVar[int]
        CALCULATED: ClassVar[int]
        CropType: ClassVar[EnumTypeWrapper]
        NO_CROP: ClassVar[int]
        CENTER: ClassVar[int]
        RANDOM: ClassVar[int]
        LabelType: ClassVar[EnumTypeWrapper]
        CLASS: ClassVar[int]
        POINT: ClassVar[int]
        RECT: ClassVar[int]
        MAP: ClassVar[int]
        normalize_type: int
        @property
        def normalize_subtractor(self) -> Scalars[float]: ...
        @property
        def normalize_divider(self) -> Scalars[float]: ...
        mean_file: str
        crop_size: int
        crop_w: int
        crop_h: int
        crop_type: int
        aug_channel_group: int
        enable_mirror: bool
        label_type: int
        @property
        def corr_list(self) -> Scalars[int]: ...
        has_weight: bool

    DataType: ClassVar[EnumTypeWrapper]
    IMAGE: ClassVar[int]
    REAL: ClassVar[int]
    @property
    def source(self) -> Scalars[str]: ...
    @property
    def root_folder(self) -> Scalars[str]: ...
    batch_size: int
    shuffle: bool
    data_type: int
    data_num: int
    label_type: int
    label_num: int
    new_height: int
    new_width: int
    force_gray: bool
    thread_num: int
    cache_in_gb: float
    @property
    def data_process_param(self) -> EnhancedImageDataParameter.DataProcessParameter: ...
    debug_info: bool

class RegionLossParameter(CaffeMessage):
    side: int
    num_class: int
    bias_match: int
    coords: int
    num: int
    softmax: int
    jitter: float
    rescore: int
    object_scale: float
    class_scale: float
    noobject_scale: float
    coord_scale: float
    absolute: int
    thresh: float
    random: int
    @property
    def biases(self) -> Scalars[float]: ...
    softmax_tree: str
    class_map: str
    num_label: int

class EvalDetectionParameter(CaffeMessage):
    ScoreType: ClassVar[EnumTypeWrapper]
    OBJ: ClassVar[int]
    PROB: ClassVar[int]
    MULTIPLY: ClassVar[int]
    side: int
    num_class: int
    num_object: int
    threshold: float
    sqrt: bool
    constriant: bool
    score_type: int
    nms: float
    @property
    def biases(self) -> Scalars[float]: ...
    @property
    def save_output_param(self) -> SaveOutputParameter: ...

class YoloSegItem(CaffeMessage):
    name: str
    label_id: int
    label: int
    r: int
    g: int
    b: int

class YoloSegLabel(CaffeMessage):
    @property
    def item(self) -> Messages[YoloSegItem]: ...

class LaneInfo(CaffeMessage):
    x: float
    y: float
    id: int

class YoloSegParameter(CaffeMessage):
    num_class: int
    object_scale: float
    class_scale: float
    use_logic_gradient: bool
    use_hardsigmoid: bool

class SegmentationEvaluateParameter(CaffeMessage):
    num_classes: int
    threshold: float

class YoloDetectionOutputParameter(CaffeMessage):
    side: int
    num_classes: int
    num_box: int
    coords: int
    confidence_threshold: float
    nms_threshold: float
    @property
    def biases(self) -> Scalars[float]: ...
    label_map_file: str

class Yolov3DetectionOutputParameter(CaffeMessage):
    num_classes: int
    num_box: int
    confidence_threshold: float
    nms_threshold: float
    @property
    def biases(self) -> Scalars[float]: ...
    @property
    def anchors_scale(self) -> Scalars[int]: ...
    mask_group_num: int
    @property
    def mask(self) -> Scalars[int]: ...
    gaussian_box: bool
