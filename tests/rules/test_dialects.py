"""With the name of a fork, and of nets that use what a fork has, what BVLC's layers do is not held against a text."""

from __future__ import annotations

import pytest

from caffelint import check_text
from caffelint.lint import LIKELY, WARNING
from caffelint.lint.summary import summarize

DATA = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 10 dim: 10 } } }'
POOL = ' layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { pool: AVE kernel_size: 3 %s} }'
EMPTY_WINDOW = DATA + POOL % "stride: 5 "
REFUSED = DATA + ' layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 4 } }'
FORK = ' layer { name: "p" type: "PriorBox" bottom: "data" bottom: "data" top: "p" prior_box_param { min_size: 3 } }'
UNKNOWN = DATA + ' layer { name: "relu" type: "ReLU" bottom: "dta" top: "relu" }'
LOG = (
    DATA
    + ' layer { name: "t" type: "ReLU" bottom: "data" top: "t" }'
    + ' layer { name: "log" type: "Log" bottom: "t" top: "log" }'
    + ' layer { name: "loss" type: "EuclideanLoss" bottom: "log" bottom: "data" top: "loss" }'
)


def codes(text: str, dialect: str | None) -> list[str]:
    return [finding.code for finding in check_text(text.encode(), dialect=dialect).findings]


def verdicts(text: str, dialect: str | None) -> set[bool | None]:
    return {summary.loads for summary in summarize(text.encode(), "net.prototxt", dialect=dialect)}


@pytest.mark.parametrize(("text", "code"), [(EMPTY_WINDOW, "L003"), (REFUSED, "L001"), (LOG, "N001")])
def test_what_rests_on_the_layers_of_bvlc(text: str, code: str) -> None:
    assert code in codes(text, None)
    assert code in codes(text, "bvlc")
    assert code not in codes(text, "intel")


def test_a_name_that_nothing_makes_is_wrong_everywhere() -> None:
    for dialect in (None, "bvlc", "intel"):
        assert "G001" in codes(UNKNOWN, dialect)
        assert verdicts(UNKNOWN, dialect) == {False}


def test_what_forks_have_from_bvlc_is_likely_refused() -> None:
    """The text of an Eltwise says how many coeff it has; how large its bottoms are, only the fork's layers know."""
    forks = DATA + "".join(
        f' layer {{ name: "{top}" type: "Resize" bottom: "data" bottom: "data" top: "{top}" }}' for top in "ab"
    )
    coeff = ' layer { name: "e" type: "Eltwise" bottom: "a" bottom: "b" top: "e" eltwise_param { %s } }'
    assert "L001" not in codes(forks + coeff % "coeff: 1 coeff: 1", None)
    report = check_text((forks + coeff % "coeff: 1 coeff: 1 coeff: 1").encode())
    (found,) = [one for one in report.findings if one.code == "L001"]
    assert (found.severity, found.certainty) == (WARNING, LIKELY)
    assert found.message == 'Eltwise "e": 2 bottoms need 2 coeff; 3 are set'
    # A fork may take one label for several scores, but one that has the loss from Caffe does not.
    rois = ' layer { name: "rois" type: "Input" top: "rois" input_param { shape { dim: 1 dim: 5 } } }'
    pool = ' layer { name: "p" type: "ROIPooling" bottom: "data" bottom: "rois" top: "p" roi_pooling_param { %s } }'
    net = DATA + rois + pool % "pooled_w: 6 pooled_h: 6 spatial_scale: 1"
    net += ' layer { name: "fc" type: "InnerProduct" bottom: "p" top: "fc" inner_product_param { num_output: 2 } }'
    net += ' layer { name: "y" type: "Input" top: "y" input_param { shape { dim: 1 dim: %d } } }'
    net += ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "y" top: "loss" }'
    assert "L001" not in codes(net % 1, None)
    assert "L001" in codes(net % 2, None)


def test_check_and_summary_agree_on_a_fork() -> None:
    assert "L001" in codes(REFUSED, None)
    assert verdicts(REFUSED, None) == {False}
    for text, dialect in ((REFUSED + FORK, None), (REFUSED + FORK, "ssd"), (REFUSED, "intel")):
        # Likely, where it is not known whose net it is; so the summary does not decide.
        assert ("L001" in codes(text, dialect)) == (dialect is None)
        found = list(summarize(text.encode(), "net.prototxt", dialect=dialect))
        assert {summary.loads for summary in found} == {None}
        assert all(summary.error is None for summary in found)
        assert all("refuses layer" in summary.notes[0] for summary in found)
    assert verdicts(REFUSED + FORK, "bvlc") == {False}


def test_test_iter_without_a_test_net() -> None:
    text = 'train_net: "a" test_iter: 10 test_interval: 10 max_iter: 10 base_lr: 0.1 lr_policy: "fixed"'
    assert "S004" in codes(text, None)
    assert "S004" in codes(text, "c3d-1.0")
    assert "S004" not in codes(text.replace("test_interval: 10", ""), "c3d-1.0")


def test_the_settings_of_a_forks_batchnorm() -> None:
    net = 'layer { name: "bn" type: "BatchNorm" bottom: "a" top: "b" batch_norm_param { eps: 0 %s} }'
    assert "B005" in codes(net % "", None)
    assert "B005" not in codes(net % "scale_bias: true ", None)
    assert "B005" not in codes(net % "scale_bias: true ", "nvcaffe")
